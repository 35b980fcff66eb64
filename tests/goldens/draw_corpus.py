"""Draws the corpus of random settings, with fixed seeds, and holds what is said of them against the oracle.

Each setting is drawn by the strategies of the tests, told to dpcompose as the data of a problem file, and to
the oracle as lists and predicates.  Held against enumeration are

* the guarantee, at two points: see `enumerated`; of families for some numbers of members;
* a proved claim, at five points: it is never below that bound of pure, zCDP and Gaussian privacy, is that
  bound where it is said not to be loose, and above it somewhere where it is said to be; of approximate
  privacy it is never below what two-outcome mechanisms need, which are private by their making;
* a refuted claim, at the point of its counterexample: the claim is below the stated loss, which is that of
  the pair by enumeration; approximate: those mechanisms need more, or else the claim is below the rule.

python tests/goldens/draw_corpus.py writes tests/goldens/corpus.jsonl from nothing: other versions of
hypothesis may draw others.  To keep the settings, use renew_corpus.py.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import corpus
import enumerated
import hypothesis
import mpmath
import strategies
import strategies_cells
import strategies_ordered
import test_families_against_oracle as brute
from corpus import Kept
from enumerated import KEYS, Case, Wrong
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from strategies import Twin

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.privacy import problems, writing
from dpcompose.spaces.classes.databases import TooLarge
from dpcompose.spaces.moves.granularities import Granularity

NOTIONS = ("pure", "zcdp", "pure", "gaussian", "pure", "approximate")
"""The notions by turns; those that are drawn are pure, and restated."""
MOST_SECONDS = 2
"""Settings that take longer are left out: a normal run is to be short."""
LONGEST = 6_000
"""How many signs a problem may have, to be read in a line."""

Drawn = tuple[Twin, bool]
"""A setting, and whether it has no bound although every class that enumeration can do has one."""


def bounded(strategy: st.SearchStrategy[Twin]) -> st.SearchStrategy[Drawn]:
    return strategy.map(lambda twin: (twin, False))


def any_two() -> st.SearchStrategy[Drawn]:
    return strategies_ordered.any_two_of_any_size().map(lambda found: (found[0], any(found[1])))


SOURCES: Mapping[str, tuple[st.SearchStrategy[Drawn], int]] = {
    "listed": (bounded(strategies.listed(most_databases=6, most_mechanisms=3)), 62),
    "listed-groups": (bounded(strategies_ordered.grouped_listed(most_databases=6)), 38),
    "multisets": (bounded(strategies.multisets()), 60),
    "multisets-groups": (bounded(strategies_ordered.grouped_multisets()), 40),
    "multisets-functions": (bounded(strategies.multisets(functions=True)), 20),
    "universe": (bounded(strategies.arbitrary()), 24),
    "ordered": (bounded(strategies_ordered.ordered()), 56),
    "ordered-functions": (bounded(strategies_ordered.ordered(functions=True)), 12),
    "sequences": (bounded(strategies_ordered.sequences()), 20),
    "cells": (bounded(strategies_cells.cells()), 48),
    "any-size": (any_two(), 14),
}
"""The strategies, and how many settings of each are kept."""
FAMILIES = 14


class Long(Exception):
    """What is said takes long to find, or the problem is long to read."""


def drawn(strategy: st.SearchStrategy[Any], number: int, count: int) -> list[Any]:
    """So many examples of a strategy, by a fixed seed, the smallest first."""
    found: list[Any] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(one: Any) -> None:
        found.append(one)

    collect()
    return found


# one setting


def positive(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(1, 30), rng.randint(1, 12))


def points(study: Study, rng: random.Random, count: int) -> list[dict[str, Fraction]]:
    """Values for all parameters: δ below 1."""
    names = sorted(study.setting.domains)
    return [
        {
            name: Fraction(rng.randint(1, 5), 60)
            if str(study.setting.domains[name]) == "in (0,1)"
            else positive(rng)
            for name in names
        }
        for _ in range(count)
    ]


def in_words(granularity: Granularity) -> Granularity:
    """The same neighbours as a problem file says them: `strategies.CHANGED` is either of two."""
    single, steps = granularity.innermost()
    if single != strategies.CHANGED:
        return granularity
    either = dpc.union(dpc.unbounded, dpc.bounded)
    return dpc.group(steps, either) if steps > 1 else either


def problem_of(twin: Twin, notion: str) -> dict[str, Any]:
    """The data of a problem file without claims, its guarantees in a notion with the same parameters."""
    setting = twin.study.setting
    mechanisms = [
        dpc.mechanism(
            one.name, one.satisfies.about(in_words(one.satisfies.about_granularity)), reads=one.reads
        )
        for one in setting.mechanisms
    ]
    study = dpc.compose(*mechanisms, on=setting.databases, target=in_words(setting.target))
    data = writing.to_data(writing.plain(study.setting))
    for i, mechanism in enumerate(data["mechanisms"], start=1):
        given = mechanism["guarantee"]
        first = given.pop("epsilon")
        given["notion"] = notion
        given |= dict(zip(KEYS[notion], [first, f"d{i}"], strict=False))
        if notion == "approximate":
            data["parameters"][f"d{i}"] = "in (0,1)"
    return {key: value for key, value in data.items() if value not in ("", {})}


def claims(notion: str, study: Study, rng: random.Random) -> list[dict[str, str]]:
    """Claims about a setting, the right one first, then some that are larger, smaller or from elsewhere."""
    right = {key: formulas.to_text(x) for key, x in corpus.values(study).items()}
    first, *more = KEYS[notion]
    names = sorted({name for name in study.setting.domains if not name.startswith("d") and "[" not in name})
    if study.bound.vacuous:
        return [{"notion": notion} | dict.fromkeys(right, one) for one in ("0", "1/2")]
    if "oo" in right.values():
        wrong: list[dict[str, str]] = [{first: "1000"} | {key: "1/2" for key in more}]
        wrong += [{first: f"9*{name}"} | {key: "1/3" for key in more} for name in names]
        return [{"notion": notion} | one for one in wrong[:2]]
    B = right[first]
    pool = [f"{B} + 1/7", f"6/7*({B})", "1", *(f"{B} - 1/7*{name}" for name in names)]
    pool += [" + ".join(names), f"max({', '.join(names)})"] if names else []
    some = [right | {first: one} for one in rng.sample(pool, 3)]
    some += [right | {"delta": f"6/7*({right['delta']})"}] if more and right["delta"] != "0" else []
    return [{"notion": notion} | one for one in [right, *some]]


def readable(problem: dict[str, Any], claimed: list[dict[str, str]]) -> dict[str, Any]:
    """The problem with the claims that a problem file may have, each once."""
    kept: list[dict[str, str]] = []
    for one in claimed:
        try:
            problems.read_data(problem | {"claims": [one]})
        except problems.ProblemError:
            continue
        kept += [one] if one not in kept else []
    return problem | {"claims": kept}


def keep(
    name: str, twin: Twin, unlimited: bool, notion: str, rng: random.Random
) -> tuple[Kept, Counter[str]]:
    """A setting of the corpus, held against the oracle.  Raises Wrong."""
    bare = problem_of(twin, notion)
    study, _, found = corpus.said(bare)
    if "undecided" in found:
        return Kept(name, bare, [], found), Counter({f"{notion}: no bound": 1})
    problem = readable(bare, claims(notion, study, rng))
    start = time.process_time()
    study, verdicts, found = corpus.said(problem)
    if time.process_time() - start > MOST_SECONDS:
        raise Long
    if len(json.dumps(problem)) > LONGEST:
        raise Long
    case = Case(name, notion, twin, unlimited, study)
    if found["vacuous"] != (not case.vectors):
        raise Wrong(f"{name}: said to be vacuous: {found['vacuous']}")
    kept = Kept(name, problem, case.rows(points(study, rng, 2)), found)
    if wrong := list(corpus.against_the_oracle(kept, study)):
        raise Wrong(f"{name}: {wrong}")
    counted: Counter[str] = Counter({f"{notion}: settings": 1})
    for verdict in verdicts:
        how = ""
        if verdict.verdict == "proved" and case.vectors:
            case.hold_proved(verdict, points(study, rng, 5))
        elif verdict.verdict == "refuted":
            how = f", {case.hold_refuted(verdict)}"
        counted[f"{notion}: {verdict.verdict}{how}"] += 1
    return kept, counted


# families


def keep_family(name: str, family: Any, rng: random.Random) -> Kept | None:
    """A family with a symbolic number of members, held against its members written out."""
    study = brute.study_of(family)
    if study is None or study.bound.vacuous:
        return None
    problem = problems.parsed(family.text)
    right = formulas.to_text(corpus.values(study)["epsilon"])
    texts = ["100"] if right == "oo" else [right, f"6/7*({right})", f"2*({right})"]
    problem = readable(problem, [{"notion": "pure", "epsilon": one} for one in texts])
    study, verdicts, found = corpus.said(problem)
    expected = ["refuted"] if right == "oo" else ["proved", "refuted", "proved"]
    if [one.verdict for one in verdicts] != expected:
        raise Wrong(f"{name}: {found}")
    rows = []
    for sizes in brute.sizes_of(family)[:2]:
        written = family.written_out(sizes)
        members = max(sizes.values())
        names = ["x", *(f"{letter}[{i}]" for letter in "ef" for i in range(1, members + 1))]
        point = {key: Fraction(n) for key, n in sizes.items()} | {one: positive(rng) for one in names}
        most = brute.largest_loss(written, written.vectors, point)
        at = {key: str(x) for key, x in point.items()}
        rows.append({"at": at, "loss": {"epsilon": enumerated.text("pure", "epsilon", most)}})
    kept = Kept(name, problem, rows, found)
    if wrong := list(corpus.against_the_oracle(kept, study)):
        raise Wrong(f"{name}: {wrong}")
    return kept


# all of them


def every() -> Iterator[Kept]:
    """All settings, with what was counted written to the terminal."""
    counted: Counter[str] = Counter()
    for at, (kind, (strategy, count)) in enumerate(SOURCES.items()):
        yield from some(kind, drawn(strategy, 100 + at, 8 * count), count, random.Random(1000 + at), counted)
    rng, kept = random.Random(2000), 0
    for family in drawn(brute.families(), 200, 8 * FAMILIES):
        if kept < FAMILIES and (row := keep_family(name_of("families", kept), family, rng)):
            kept += 1
            yield row
    counted["of families"] = kept
    print("\n".join(f"{key}: {n}" for key, n in sorted(counted.items())), file=sys.stderr)


def some(
    kind: str, found: Sequence[Drawn], count: int, rng: random.Random, counted: Counter[str]
) -> Iterator[Kept]:
    """So many of the settings of a kind, no two alike, in the notions by turns."""
    seen: set[str] = set()
    kept = empty = 0
    for turn, (twin, unlimited) in enumerate(found):
        notion = NOTIONS[turn % len(NOTIONS)]
        make = partial(keep, name_of(kind, kept), twin, unlimited, notion, rng)
        try:
            what = json.dumps(problem_of(twin, notion), sort_keys=True)
        except TooLarge:
            continue
        if kept == count or what in seen or not (row := tried(counted, make)):
            continue
        seen.add(what)
        if not row.oracle:  # no neighbours: all claims hold
            empty += 1
            if empty > count / 12:
                continue
        kept += 1
        yield row
    counted[f"of {kind}"] = kept


def name_of(kind: str, n: int) -> str:
    return f"{kind}-{n + 1:02}"


def tried(counted: Counter[str], make: partial[tuple[Kept, Counter[str]]]) -> Kept | None:
    """What is kept, unless it takes long, or is too large to be gone through."""
    try:
        kept, found = make()
    except (Long, TooLarge) as error:
        counted[f"left out: {type(error).__name__}"] += 1
        return None
    except ArithmeticError as error:
        print(f"{type(error).__name__}: {make.args[1]!r} in {make.args[3]}", file=sys.stderr)
        counted[f"left out: {type(error).__name__}"] += 1
        return None
    counted.update(found)
    return kept


def main() -> int:
    """Writes the corpus."""
    with mpmath.workdps(80):
        rows = list(every())
    corpus.TABLE.write_text("".join(f"{one.line}\n" for one in rows), encoding="utf-8")
    print(f"{len(rows)} settings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
