"""Random settings, decided by the kernel and held against what is lost by definition.

Of each setting the guarantee, whether it is optimal, and verdicts on claims right and wrong are found, and made
again from their saved form.  What they contradict is said: a guarantee or a proved claim that is violated at a
point, a refuted one that holds where it is refuted, and what is said to be least and is not.

python tests/shadow.py FOLDER [NOTION [FROM [SETTINGS]]] writes one line a setting to FOLDER/NOTION.jsonl.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import mpmath
import shadow_noise
import shadow_settings
from enumerated import KEYS
from goldens.draw_corpus import drawn
from shadow_settings import NOTIONS, WEIGHTS, Data, Drawn
from shadow_truth import CLOSE, Truth, against, value

from dpcompose.front.studies import loading as front
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.judgements import Refuted, Satisfies
from dpcompose.privacy import problems
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.search.proofs import NoGuarantee, NoLemma
from dpcompose.spaces.classes.databases import TooLarge

Claim = Mapping[str, str]
EACH = 25
"""How many settings of a kind are drawn by one seed."""
LONG = 30
"""Seconds of its own work after which a setting is given up in a run that writes its results."""
MOST_MEMBERS = 4
NO = (InvalidSetting, NoGuarantee, NoLemma, TooLarge)


# settings


@cache
def _examples(kind: str, seed: int) -> list[Any]:
    return drawn(shadow_settings.SOURCES[kind], seed, EACH)


@cache
def setting(notion: str, n: int) -> Drawn | None:
    """The n-th setting of a notion; None where it cannot be told in a file, or is too large."""
    rng = random.Random(f"{notion} {n}")
    kinds = [kind for kind, times in WEIGHTS.items() for _ in range(times)]
    kind = kinds[n % len(kinds)]
    name = f"{notion}-{n}-{kind}"
    if kind in ("noise", "noise-cells", "tables", "studies"):
        of = {"noise": shadow_noise.on_multisets, "noise-cells": shadow_noise.on_streams}
        of |= {"tables": shadow_noise.with_tables, "studies": shadow_settings.of_study}
        return of[kind](name, notion, rng)
    turn = n // len(kinds) * kinds.count(kind) + kinds[: n % len(kinds)].count(kind)
    found = _examples(kind, 1000 * NOTIONS.index(notion) + turn // EACH)
    if turn % EACH >= len(found):
        return None
    one = found[turn % EACH]
    try:
        if kind == "families":
            return shadow_settings.of_family(name, one, notion, rng)
        return shadow_settings.of_twin(name, *one, notion, rng)
    except TooLarge:
        return None


# claims


def claims(problem: Data, notion: str, study: Study, rng: random.Random) -> list[dict[str, str]]:
    """Claims about a setting: its guarantee, larger and smaller ones, and some in other notions."""
    own = notion if notion != "mixed" else rng.choice(["pure", "approximate", "zcdp", "gaussian"])
    others = [one for one in KEYS if one != own]
    found = [
        *_claims_in(own, study, rng),
        *_claims_in(rng.choice(others), study, rng)[: rng.choice([0, 1, 2])],
    ]
    kept: list[dict[str, str]] = []
    for one in found:
        try:
            problems.read_data(problem | {"claims": [one]}, show=front.show)
        except problems.ProblemError:
            continue
        kept += [one] if one not in kept else []
    return kept


def _claims_in(notion: str, study: Study, rng: random.Random) -> list[dict[str, str]]:
    first, *more = KEYS[notion]
    names = sorted({name for name in study.setting.domains if name[0] not in "dklw" and "[" not in name})
    right = {first: "1", **dict.fromkeys(more, "1/10")}
    with suppress(NO):
        right = {key: to_text(x) for key, x in study.proofs.guarantee(notion).main.says.values}
    B = right[first]
    pool = ["1", "1/2", "oo", *(["0"] if rng.random() < 0.1 else [])]
    if B != "oo":
        pool += [f"{B} + 1/7", f"6/7*({B})", f"8/7*({B})", *(f"{B} - 1/7*{name}" for name in names)]
    pool += [" + ".join(names), f"max({', '.join(names)})", f"3*{names[0]}"] if names else []
    if names and rng.random() < 0.1:  # has no value, or a negative one, for some values
        pool += [f"log({names[0]})", f"sqrt({names[0]} - 1)", f"1/({names[0]} - 1/2)", f"{names[0]} - 1/2"]
    some = [right | {first: one} for one in rng.sample(pool, min(3, len(pool)))]
    if more:
        deltas = ["1/100", "1/20", "1/1000", "3/10", f"6/7*({right['delta']})", f"8/7*({right['delta']})"]
        some[-1] |= {"delta": rng.choice(deltas)}
        some.append({first: rng.choice(["1/10", "1/2", "1", "2", B]), "delta": rng.choice(deltas[:4])})
    texts = [right, *some]
    return [
        {"notion": notion} | one for one in texts if "oo" not in one.get("delta", "").replace("(oo)", "oo")
    ]


# what is said, and what contradicts it


@dataclass
class Looked:
    """What was seen of one setting: counts, and in words what is wrong."""

    name: str
    problem: Data
    counted: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def look(one: Drawn) -> Looked | None:
    """What the kernel says of a setting; None where it is no setting at all."""
    rng = random.Random(one.name)
    try:
        read = problems.read_data(one.problem, show=front.show)
    except (problems.ProblemError, InvalidSetting, TooLarge):
        return None
    study = Study(read.setting)
    problem = one.problem | {"claims": claims(one.problem, one.notion, study, rng)}
    some = problems.read_data(problem, show=front.show).claims
    looked = Looked(one.name, problem)
    numbers = numbers_of(one.problem)
    truth = None if one.truth is None else replace(one.truth, numbers=numbers)
    at = [{**numbers, **point(read.setting, rng)} for _ in range(3)]
    with mpmath.workdps(50):
        for notion in dict.fromkeys(claim.guarantee.notion for claim in some):
            _guarantee(looked, study, notion, truth, at)
        for claim in some:
            if not claim.doubt:  # else it has no value for some allowed values, and nothing is said of it
                _verdict(looked, study, claim.guarantee.text(), truth, at)
    return looked


def _guarantee(looked: Looked, study: Study, notion: str, truth: Truth | None, at: Sequence[Any]) -> None:
    """The guarantee in a notion, made again: it is not violated, and least where it is said to be."""
    looked.counted["guarantees"] += 1
    try:
        main = study.proofs.guarantee(notion).main
    except NO:
        return
    again, *optimal = study.proofs.replayed(
        [theorem for theorem in (main.theorem, main.optimal) if theorem is not None]
    )
    assert isinstance(again.says, Satisfies)
    said = {key: to_text(x) for key, x in again.says.values}
    looked.counted["known"] += 1
    looked.counted["optimal"] += bool(optimal)
    for point in at if truth is not None else ():
        assert truth is not None
        if truth.violated(notion, said, point):
            looked.wrong.append(f"the guarantee {said} is violated at {point}")
        if optimal:
            looked.wrong += _not_least(truth, notion, said, point)


def _verdict(looked: Looked, study: Study, claim: Claim, truth: Truth | None, at: Sequence[Any]) -> None:
    """The verdict on a claim, made again: a point where it is violated, or holds, does not contradict it."""
    looked.counted["claims"] += 1
    try:
        found = study.proofs.verdict(claim)
    except NO:
        looked.counted["undecided"] += 1
        return
    looked.counted[found.word] += 1
    if truth is None or found.word == "undecided":
        return
    said = found.theorems[0].says
    where = dict(said.point) if isinstance(said, Refuted) else None
    looked.wrong += against(truth, found.word, claim, at, where)
    if found.loose is False:
        values = {key: text for key, text in claim.items() if key != "notion"}
        for point in at:
            looked.wrong += _not_least(truth, claim["notion"], values, point)


def _not_least(truth: Truth, notion: str, values: Claim, point: Mapping[str, Any]) -> Iterator[str]:
    """In words that a parameter is not the least one at a point, where that is known."""
    exact = truth.exact(notion, point)
    if exact is None or exact == mpmath.inf:
        return
    (text,) = values.values()
    if text == "oo" or abs(value(text, point) - exact) > CLOSE * (1 + abs(exact)):
        yield f"{dict(values)} is said to be the least one, and {mpmath.nstr(exact)} is lost at {point}"


def numbers_of(problem: Data) -> dict[str, Fraction]:
    """The letters that a problem has numbers for."""
    found = {}
    for name, text in problem.get("parameters", {}).items():
        with suppress(ValueError):
            found[name] = Fraction(text)
    return found


def point(given: Any, rng: random.Random) -> dict[str, Fraction]:
    """Values for all parameters, and for the members of families."""
    found: dict[str, Fraction] = {}
    for name, domain in sorted(given.domains.items()):
        if str(domain).startswith("integer"):
            found[name] = Fraction(rng.choice([2, 3]))
    for name, domain in sorted(given.domains.items()):
        if name in found:
            continue
        unit = str(domain) == "in (0,1)"
        for one in (
            [f"{name[:-3]}[{j}]" for j in range(1, MOST_MEMBERS + 1)] if name.endswith("[i]") else [name]
        ):
            found[one] = (
                Fraction(rng.randint(1, 5), 60) if unit else Fraction(rng.randint(1, 30), rng.randint(4, 12))
            )
    return found


# runs


class Long(Exception):
    """A setting takes too long."""


def _too_long(*_: object) -> None:
    raise Long


def run(folder: Path, notion: str, start: int, count: int) -> Counter[str]:
    """Looks at so many settings, and writes one line for each."""
    total: Counter[str] = Counter()
    signal.signal(signal.SIGPROF, _too_long)
    with (folder / f"{notion}.jsonl").open("a", encoding="utf-8") as file:
        for n in range(start, start + count):
            begin = time.process_time()
            row: dict[str, Any] = {"n": n}
            signal.setitimer(signal.ITIMER_PROF, LONG)
            try:
                drawn_one = setting(notion, n)
                looked = None if drawn_one is None else look(drawn_one)
            except Long:
                row |= {"long": True}
                looked = None
            except Exception as error:
                row |= {"crash": f"{type(error).__name__}: {error}"[:2000]}
                looked = None
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            if looked is not None:
                row |= {"name": looked.name, "counted": looked.counted, "wrong": looked.wrong}
                row |= {"problem": looked.problem} if looked.wrong else {}
                total["settings"] += 1
                total.update(looked.counted)
                total["wrong"] += len(looked.wrong)
            row["seconds"] = round(time.process_time() - begin, 2)
            file.write(json.dumps(row) + "\n")
            file.flush()
    return total


def main(words: Sequence[str]) -> int:
    """Runs as the arguments say."""
    folder = Path(words[0])
    folder.mkdir(exist_ok=True)
    some = [words[1]] if len(words) > 1 else list(NOTIONS)
    start, count = (int(words[at]) if len(words) > at else usual for at, usual in ((2, 0), (3, 4000)))
    for notion in some:
        print(notion, dict(run(folder, notion, start, count)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
