"""Random settings of every kind, against the oracle and against enumeration: as many as one likes.

python tests/attacks/settings.py [--some N] [--seconds S] [--counted FILE] [KIND...]: goes on until there are so many,
or for so long; what was counted is kept in a file, and the next run goes on from there with fresh seeds.  A setting is
drawn from its seed alone.  What is wrong is printed with its kind and seed, and the status is 1; `--again KIND SEED`
asks one again.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "attacks")]

import drawing  # noqa: E402
import hypothesis  # noqa: E402
import pytest  # noqa: E402
from hypothesis.errors import HypothesisDeprecationWarning, UnsatisfiedAssumption  # noqa: E402

Ask = Callable[[int], str]
"""What is asked of the setting of a seed; how it was decided.  Raises AssertionError where it is wrong."""


def drawn(*names: str) -> list[ModuleType]:
    """Files of tests with the strategies that they draw from, read with `drawing` in place of hypothesis.

    Where they are read already they stay as they are for others.
    """
    kept, hypothesis.strategies = hypothesis.strategies, drawing  # type: ignore[assignment]
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    try:
        return [importlib.import_module(name) for name in names]
    finally:
        hypothesis.strategies = kept
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)


VERDICTS = 8
"""Of so many bounds one is claimed as well, as it is, a little larger and a little smaller."""


# settings told twice


def twins(of: drawing.Strategy, anywhere: Callable[[Any], drawing.Strategy], verdicts: bool = True) -> Ask:
    """The bound of a setting at a point is the oracle's, and optimal; of some, verdicts are the oracle's.

    anywhere -- draws values for the parameters of a setting; verdicts -- whether the oracle has all databases that
    counterexamples may show.
    """
    import against_oracle
    import oracle

    def asked(seed: int) -> str:
        rng = random.Random(seed)
        twin = of.draw(rng)
        point = anywhere(twin).draw(rng)
        setting = twin.at(point)
        proofs = twin.study.proofs
        found, nothing = proofs.guarantee("pure").main, proofs.shop.vacuous
        assert found.optimal
        here = (
            None if nothing else oracle.INFINITY if (bound := at(found.says.values, point)) is None else bound
        )
        assert here == oracle.bound(setting), point
        if seed % VERDICTS or nothing or not verdicts:
            return "bound"
        against_oracle.assert_verdicts(twin)
        return "bound and verdicts"

    return asked


def at(values: Any, point: Mapping[str, Any]) -> Fraction | None:
    """A pure bound at a point; None where nothing bounds it."""
    from dpcompose.kernel.expressions import formulas

    ((_, term),) = values
    if term.kind == "oo":
        return None
    number = formulas.evaluate(term, dict(point))
    assert number is not None, formulas.to_text(term)
    return number


def inside(test: Any) -> Ask:
    """What a test says of the setting that it draws."""

    def asked(seed: int) -> str:
        with warnings.catch_warnings():  # `assume` is used without hypothesis
            warnings.simplefilter("ignore", HypothesisDeprecationWarning)
            try:
                test.hypothesis.inner_test(drawing.Data(random.Random(seed)))
            except UnsatisfiedAssumption:
                return "no setting"
        return "as the oracle says"

    return asked


# settings told by types, and gone through


def enumerated(make: Callable[[int], dict[str, Any]]) -> Ask:
    """A problem's guarantee is the one of all its databases."""
    from policies_at_random import agrees

    def asked(seed: int) -> str:
        with pytest.MonkeyPatch.context() as patch:
            return agrees(make(seed), patch)

    return asked


def passes(test: Callable[..., Any], *more: Callable[[pytest.MonkeyPatch], Any]) -> Ask:
    """A test of one seed."""

    def asked(seed: int) -> str:
        with pytest.MonkeyPatch.context() as patch:
            test(seed, *(one(patch) for one in more))
        return "as enumerated"

    return asked


@cache
def kinds() -> dict[str, Ask]:
    """What is drawn, and what is asked of it: files of tests are read in this process in a way of their own."""
    strategies, strategies_cells, strategies_ordered, families, notions = drawn(
        "strategies",
        "strategies_cells",
        "strategies_ordered",
        "test_families_against_oracle",
        "test_notions_against_oracle",
    )
    anywhere = strategies.anywhere
    families_in_groups, samples, beside_parts, in_metrics, metrics, *privacy = map(
        importlib.import_module,
        (
            "test_families_in_groups",
            "test_samples_at_random",
            "test_parts_and_attributes",
            "proof.test_metrics_at_random",
            "search.test_random_metrics",
            "privacy.test_any_two_and_groups",
            "privacy.test_compound_neighbours_at_random",
            "privacy.test_databases_shown",
            "privacy.test_deltas_at_random",
            "privacy.test_deltas_of_pairs_at_random",
            "privacy.test_groups_pushed_forward",
            "privacy.test_nearest_databases",
            "privacy.test_overlapping",
            "privacy.test_policies",
            "privacy.test_policies_of_attributes",
            "privacy.test_recodings",
        ),
    )
    any_two, compound, shown, deltas, of_pairs, groups, nearest, *others = privacy
    overlapping, policies, attributes, recodings = others
    return {
        "listed classes": twins(strategies.listed(), anywhere),
        "multisets": twins(strategies.multisets(), anywhere),
        "multisets with functions": twins(strategies.multisets(functions=True), anywhere),
        "arbitrary universes": twins(strategies.arbitrary(), anywhere, verdicts=False),
        "cells": twins(strategies_cells.cells(), anywhere),
        "sequences": twins(strategies_ordered.sequences(), anywhere),
        "groups of multisets": twins(strategies_ordered.grouped_multisets(), anywhere),
        "tuples and streams": twins(strategies_ordered.ordered(), anywhere),
        "groups on listed classes": twins(strategies_ordered.grouped_listed(), anywhere),
        "families": inside(families.test_bounds_and_profiles_are_those_of_every_number),
        "verdicts on families": inside(families.test_verdicts_are_those_of_every_number),
        "other notions": inside(notions.test_best_bounds),
        "two parameters": inside(notions.test_approximate_bounds),
        "Gaussian mechanisms": inside(notions.test_gaussian_mechanisms_lose_no_more),
        "tables of outcomes": inside(notions.test_tables_keep_their_approximate_guarantee),
        "policies": enumerated(policies.random_problem),
        "recodings": enumerated(recodings.random_problem),
        "groups through recodings": enumerated(recodings.groups_of),
        "attributes": enumerated(attributes.random_problem),
        "attributes read": enumerated(recodings.projected),
        "groups where sizes are limited": enumerated(groups.limited),
        "groups pushed forward": passes(groups.test_groups_are_as_far_as_shortest_paths_say),
        "nearest databases": passes(nearest.on_a_small_class),
        "tables of the nearest": passes(nearest.test_tables_of_the_nearest_say_the_same, lambda patch: patch),
        "large universes": passes(any_two.test_a_universe_without_a_limit_is_a_listed_one_that_is_large),
        "any two databases": passes(any_two.test_any_two_databases_of_n_records),
        "groups beside any two": passes(any_two.test_groups_of_m_beside_any_two),
        "overlapping families": passes(overlapping.test_families_say_what_parts_say_that_are_written_out),
        "overlapping, in letters": passes(overlapping.test_letters_say_what_parts_say_that_are_written_out),
        "families of inputs": shown.check,
        "deltas of persons' rows": deltas.check,
        "deltas of any two databases": of_pairs.check,
        "compound neighbours": compound.check,
        "attributes beside parts": passes(beside_parts.test_bounds_are_the_worst_of_all_universes),
        "families in groups": passes(families_in_groups.test_against_brute_force),
        "samples": passes(samples.verdicts_on),
        "metrics": metrics.check,
        "metrics on listed classes": passes(in_metrics.attack),
    }


ROUND = 0.5
"""For how many seconds of the processor a kind is asked before the next one is."""


# counting


@dataclass
class Count:
    """What was asked of one kind so far: the next seed, how settings were decided, which are wrong."""

    seed: int
    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[int] = field(default_factory=list)

    def ask(self, kind: str) -> None:
        """Asks the next setting; an error that is not of the oracle is wrong as well."""
        seed, self.seed = self.seed, self.seed + 1
        try:
            self.ends[kinds()[kind](seed)] += 1
        except pytest.skip.Exception:
            self.ends["no setting"] += 1
        except Exception as error:
            self.wrong.append(seed)
            print(f"{kind}, seed {seed}: {type(error).__name__}: {error}"[:2000], file=sys.stderr, flush=True)

    @property
    def compared(self) -> int:
        """How many settings were held against the oracle."""
        return self.ends.total() - self.ends["no setting"] - self.ends["enumerated only"]


def attacked(counts: Mapping[str, Count], some: float, seconds: float) -> Iterator[tuple[str, Count]]:
    """Asks each kind in turn, until there are so many in all or the time is over; each turn's kind."""
    until = time.monotonic() + seconds
    while True:
        for kind, count in counts.items():
            ends = time.process_time() + ROUND
            while time.process_time() < ends:
                count.ask(kind)
            yield kind, count
            if time.monotonic() > until or sum(one.compared for one in counts.values()) >= some:
                return


def read(path: Path | None, kinds: Sequence[str], seed: int) -> dict[str, Count]:
    """What was counted by earlier runs."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}
    return {
        kind: Count(kept[kind]["seed"], Counter(kept[kind]["ends"]), kept[kind]["wrong"])
        if kind in kept
        else Count(seed)
        for kind in dict.fromkeys([*kept, *kinds])
    }


def write(path: Path | None, counts: Mapping[str, Count]) -> None:
    """Keeps what was counted."""
    if path is not None:
        data = {kind: vars(count) for kind, count in counts.items()}
        path.write_text(json.dumps(data, indent=1), encoding="utf-8")


def report(counts: Mapping[str, Count]) -> Iterator[str]:
    """A line for each kind, and one of all."""
    for kind, count in counts.items():
        ends = ", ".join(f"{many} {how}" for how, many in count.ends.most_common())
        yield f"{kind}: {count.compared} compared ({ends}); wrong: {count.wrong[:20] or 'none'}"
    wrong = sum(len(count.wrong) for count in counts.values())
    yield f"all: {sum(count.compared for count in counts.values())} settings compared, {wrong} wrong"


def main() -> int:
    """Prints what was compared, and whether anything is wrong."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("kinds", nargs="*", help=f"left out: all of {', '.join(kinds())}")
    given.add_argument("--some", type=float, default=float("inf"), help="so many settings in all")
    given.add_argument("--seconds", type=float, default=float("inf"))
    given.add_argument("--seed", type=int, default=0, help="the first one, where nothing is counted yet")
    given.add_argument("--counted", type=Path, help="where earlier runs are kept, and this one")
    given.add_argument("--again", nargs=2, metavar=("KIND", "SEED"), help="one setting")
    said = given.parse_args()
    if said.again is not None:
        print(kinds()[said.again[0]](int(said.again[1])))
        return 0
    counts = read(said.counted, said.kinds or list(kinds()), said.seed)
    chosen = {kind: counts[kind] for kind in said.kinds or kinds()}
    try:
        for _ in attacked(chosen, said.some, said.seconds):
            write(said.counted, counts)
    except KeyboardInterrupt:
        traceback.print_exc(limit=1)
    print("\n".join(report(counts)))
    return int(any(count.wrong for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
