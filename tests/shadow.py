"""The shadow run: random settings decided by both engines, and held against what is lost by definition.

Of each setting the guarantee, whether it is optimal, and verdicts on claims right and wrong are found by the
engine that prints them and by the kernel, whose theorems are made again from their saved form.  What differs
is said: `worse` where the kernel knows less, `better` where it knows more and the truth does not object,
`wrong` where one contradicts the other or the truth.

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
from shadow_truth import Truth, against, value

from dpcompose.front import study as front
from dpcompose.front.study import Study
from dpcompose.kernel import formulas as kernel_formulas
from dpcompose.kernel.judgements import Refuted
from dpcompose.kernel.theory import Theory
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.settings import InvalidSetting
from dpcompose.proof import registry
from dpcompose.search.guarantees import NoGuarantee
from dpcompose.search.proofs import NotElaborated, Proofs
from dpcompose.spaces.databases import TooLarge

Claim = Mapping[str, str]
EACH = 25
"""How many settings of a kind are drawn by one seed."""
LONG = 30
"""Seconds of its own work after which a setting is given up in a run that writes its results."""
MOST_MEMBERS = 4
NO = (InvalidSetting, NoGuarantee, TooLarge, NoGuarantee, NotElaborated)


# settings


@cache
def _examples(kind: str, seed: int) -> list[Any]:
    return drawn(shadow_settings.SOURCES[kind], seed, EACH)


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


def claims(problem: Data, notion: str, old: Study, rng: random.Random) -> list[dict[str, str]]:
    """Claims about a setting: its guarantee, larger and smaller ones, and some in other notions."""
    own = notion if notion != "mixed" else rng.choice(["pure", "approximate", "zcdp", "gaussian"])
    others = [one for one in KEYS if one != own]
    found = [*_claims_in(own, old, rng), *_claims_in(rng.choice(others), old, rng)[: rng.choice([0, 1, 2])]]
    kept: list[dict[str, str]] = []
    for one in found:
        try:
            problems.read_data(problem | {"claims": [one]}, show=front.show)
        except problems.ProblemError:
            continue
        kept += [one] if one not in kept else []
    return kept


def _claims_in(notion: str, old: Study, rng: random.Random) -> list[dict[str, str]]:
    first, *more = KEYS[notion]
    names = sorted({name for name in old.setting.domains if name[0] not in "dklw" and "[" not in name})
    right = {first: "1", **dict.fromkeys(more, "1/10")}
    with suppress(NO):
        right = {key: formulas.to_text(x) for key, x in old.guarantee(notion).values.items()}
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


# both engines


@dataclass
class Said:
    """What an engine says of a setting: guarantees by notion, and verdicts with whether they are loose."""

    guarantees: dict[str, dict[str, str]] = field(default_factory=dict)
    optimal: dict[str, bool] = field(default_factory=dict)
    verdicts: list[tuple[str, bool | None]] = field(default_factory=list)
    points: list[Mapping[str, Fraction] | None] = field(default_factory=list)
    why: str = ""


def by_old(old: Study, wanted: Sequence[str], some: Sequence[Any]) -> Said:
    """What is printed today."""
    said = Said()
    for notion in wanted:
        try:
            found = old.guarantee(notion)
        except NO as error:
            said.why = str(error)
            continue
        said.guarantees[notion] = {key: formulas.to_text(x) for key, x in found.values.items()}
        said.optimal[notion] = found.optimal
    for claim in some:
        try:
            verdict = old._searched(claim)
        except NO as error:
            said.why = str(error)
            said.verdicts.append(("undecided", None))
        except TypeError as error:  # sympy does not order formulas with parameters
            said.why = f"{type(error).__name__}: {error}"
            said.verdicts.append(("undecided", None))
        else:
            said.verdicts.append((verdict.verdict, verdict.loose))
    return said


def by_new(proofs: Proofs, wanted: Sequence[str], some: Sequence[Any]) -> Said:
    """What the kernel proves, made again from its saved form."""
    said = Said()
    for notion in wanted:
        try:
            found = proofs.guarantee(notion)
        except NO as error:
            said.why = str(error)
            continue
        again = proofs.replayed([found.main.theorem, *found.main.optimal.values()])
        values = dict(again[0].says.values)  # type: ignore[union-attr]
        said.guarantees[notion] = {key: kernel_formulas.to_text(x) for key, x in values.items()}
        said.optimal[notion] = bool(found.main.optimal)
    for claim in some:
        text = {"notion": claim.guarantee.notion, **claim.text}
        if claim.doubt:  # it has no value for some allowed values: nothing is said of it
            said.verdicts.append(("undecided", None))
            said.points.append(None)
            continue
        try:
            verdict = proofs.verdict(text)
        except NO as error:
            said.why = str(error)
            said.verdicts.append(("undecided", None))
            said.points.append(None)
            continue
        said.verdicts.append((verdict.word, verdict.loose))
        shown = verdict.theorems[0].says if verdict.theorems else None
        said.points.append(dict(shown.point) if isinstance(shown, Refuted) else None)
    return said


# what differs


@dataclass
class Looked:
    """What was seen of one setting: counts, and differences in words by their kinds."""

    name: str
    problem: Data
    counted: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, str]] = field(default_factory=list)

    def differs(self, kind: str, words: str) -> None:
        self.differences.append((kind, words))


def look(one: Drawn) -> Looked | None:
    """What both engines say of a setting; None where it is no setting at all."""
    rng = random.Random(one.name)
    try:
        read = problems.read_data(one.problem, show=front.show)
    except (problems.ProblemError, InvalidSetting, TooLarge):
        return None
    old, proofs = Study(read.setting), Proofs(read.setting, theory())
    problem = one.problem | {"claims": claims(one.problem, one.notion, old, rng)}
    some = problems.read_data(problem, show=front.show).claims
    looked = Looked(one.name, problem)
    wanted = list(dict.fromkeys([KEYS_OF.get(one.notion, ""), *(claim.guarantee.notion for claim in some)]))
    wanted = [notion for notion in wanted if notion]
    before, now = by_old(old, wanted, some), by_new(proofs, wanted, some)
    numbers = numbers_of(one.problem)
    truth = None if one.truth is None else replace(one.truth, numbers=numbers)
    at = [{**numbers, **point(read.setting, rng)} for _ in range(3)]
    with mpmath.workdps(50):
        _guarantees(looked, before, now, wanted, at, truth)
        for n, claim in enumerate(some):
            if claim.doubt:
                continue  # it has no value for some allowed values, and nothing is said of it
            text = {"notion": claim.guarantee.notion, **claim.text}
            _verdicts(looked, text, before.verdicts[n], now.verdicts[n], now.why)
            for words in _contradictions(truth, text, now.verdicts[n], at, now.points[n]):
                looked.differs("wrong", words)
            if truth is not None and before.verdicts[n][0] == "proved":
                for words in against(truth, "proved", text, at, None):
                    looked.differs("old wrong", words)
    return looked


KEYS_OF = {"pure": "pure", "approximate": "approximate", "zcdp": "zcdp", "gaussian": "gaussian"}


@cache
def theory() -> Theory:
    return Theory(registry.standard().pages)


def _guarantees(
    looked: Looked, before: Said, now: Said, wanted: Sequence[str], at: Sequence[Any], truth: Truth | None
) -> None:
    for notion in wanted:
        old, new = before.guarantees.get(notion), now.guarantees.get(notion)
        looked.counted["guarantees"] += 1
        if new is not None and truth is not None:
            for point in at:
                if truth.violated(notion, new, point):
                    looked.differs("wrong", f"the guarantee {new} is violated at {point}")
        if old is None or new is None:
            if old != new:
                kind = "worse" if new is None else "better"
                looked.differs(
                    f"guarantee {kind}", f"{notion}: {old} before, {new} now: {before.why or now.why}"
                )
            continue
        smaller = [order(old[key], new[key], point) for key in old for point in at]
        if any(smaller):
            kind = "worse" if all(x <= 0 for x in smaller) else "better" if min(smaller) >= 0 else "other"
            looked.differs(f"guarantee {kind}", f"{notion}: {old} before, {new} now")
        elif before.optimal[notion] != now.optimal[notion]:
            kind = "worse" if before.optimal[notion] else "better"
            looked.differs(f"optimal {kind}", f"{notion}: {new}")


def order(x: str, y: str, at: Mapping[str, Any]) -> int:
    """1 where x > y at a point, −1 where x < y, 0 where they are the same to 30 places."""
    if x == y:
        return 0
    try:
        a, b = value(x, at), value(y, at)
    except ArithmeticError:
        return 0
    if a == b or abs(a - b) < mpmath.mpf(10) ** -30 * (1 + abs(a)):
        return 0
    return 1 if a > b else -1


def _verdicts(looked: Looked, claim: Claim, old: Any, new: Any, why: str) -> None:
    looked.counted["claims"] += 1
    words = f"{dict(claim)}: {old} before, {new} now"
    if old[0] != new[0]:
        both = "undecided" not in (old[0], new[0])
        looked.differs("wrong" if both else "worse" if new[0] == "undecided" else "better", f"{words} {why}")
    elif old[1] != new[1]:
        both = None not in (old[1], new[1])
        looked.differs("loose wrong" if both else "loose worse" if new[1] is None else "loose better", words)
    else:
        looked.counted["equal"] += 1


def _contradictions(
    truth: Truth | None, claim: Claim, new: Any, at: Sequence[Any], where: Any
) -> Iterator[str]:
    if truth is None:
        return
    yield from against(truth, new[0], claim, at, where)
    if new[0] != "proved" or claim["notion"] == "approximate" or new[1] is None:
        return
    (text,) = (text for key, text in claim.items() if key != "notion")
    for point in at if text != "oo" else ():
        exact = truth.exact(claim["notion"], point)
        if exact is None or exact == mpmath.inf or new[1]:
            continue
        if abs(value(text, point) - exact) > mpmath.mpf(10) ** -30 * (1 + abs(exact)):
            yield f"{dict(claim)} is said not to be loose, and {mpmath.nstr(exact)} is lost at {point}"


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
                row |= {"name": looked.name, "counted": looked.counted, "differences": looked.differences}
                row |= {"problem": looked.problem} if looked.differences else {}
                total["settings"] += 1
                total.update(looked.counted)
                total.update(kind for kind, _ in looked.differences)
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
