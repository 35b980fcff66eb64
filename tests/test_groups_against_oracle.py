"""dpcompose against the oracle: groups, positions and any two databases, on random settings."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import oracle
import strategies
import strategies_ordered
import sympy
from against_oracle import assert_bound_and_profile, assert_verdicts, bound_of, many
from hypothesis import given
from hypothesis import strategies as st
from oracle import INFINITY
from strategies import Twin

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems, writing
from dpcompose.spaces.classes.tuples import Tuples


@many(200)
@given(st.data())
def test_groups_of_multisets(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.grouped_multisets())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))
    assert "edit type" in twin.study.bound.steps.covered


@many(60)
@given(strategies_ordered.grouped_multisets())
def test_groups_of_multisets_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(80)
@given(st.data())
def test_groups_of_multisets_with_functions(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.grouped_multisets(functions=True))
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(200)
@given(st.data())
def test_tuples_and_streams(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.ordered())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))
    covered = twin.study.bound.steps.covered
    assert "edit type" in covered or "largest change" in covered or twin.study.bound.vacuous


@many(60)
@given(strategies_ordered.ordered())
def test_tuples_and_streams_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(80)
@given(st.data())
def test_tuples_and_streams_with_functions(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.ordered(functions=True))
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(150)
@given(st.data())
def test_groups_of_listed_neighbours(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.grouped_listed())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(60)
@given(strategies_ordered.grouped_listed(most_databases=6))
def test_groups_of_listed_neighbours_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


def assert_refuted_by_size(twin: Twin, claim: str) -> None:
    """A counterexample whose one database is empty: all that the other one holds is added."""
    verdict = twin.study.check(dpc.pure(claim))
    assert verdict.verdict == "refuted", verdict.reason
    found = verdict.counterexample
    assert found is not None
    E, D = sorted(found.pair, key=len)  # type: ignore[arg-type]
    assert E == () and D != ()
    losses = []
    for part in twin.parts:
        single = part.stated.split()[-1]
        r: oracle.Number = len(part.reading.f(D))
        replaced = single == "bounded" and (part.domain == "own" or part.reading.everything)
        if single == "free-lunch":
            r = min(r, 1)
        elif r and (replaced or isinstance(twin.study.setting.databases, Tuples)):
            r = INFINITY
        else:
            r = ceil(Fraction(r) / strategies_ordered.OF_MULTISETS[part.stated].most)
        losses.append(oracle.cost(part.epsilon.at(found.point), r, r == 0))
    actual = oracle.total(losses)
    assert found.claimed == 100 < actual == (INFINITY if found.actual is None else found.actual)


@many(60)
@given(st.data())
def test_any_two_databases_of_any_size(data: st.DataObject) -> None:
    """No bound, wherever something is read whose distances have no limit, and the guarantee is not 0."""
    twin, unlimited = data.draw(strategies_ordered.any_two_of_any_size())
    point = data.draw(strategies.anywhere(twin))
    bound = twin.study.bound
    assert not bound.vacuous and bound.optimal
    if any(unlimited):
        assert bound_of(twin.study, point) == INFINITY
        assert_refuted_by_size(twin, "100")
        return
    assert bound_of(twin.study, point) == oracle.bound(twin.at(point))
    epsilon = twin.study.guarantee().epsilon
    assert twin.study.check(dpc.pure(epsilon)).verdict == "proved"


def test_no_loss_at_distances_without_a_limit() -> None:
    """0 times finite distances is 0, however large they are; 0 times an infinite one is not."""
    e, some = dpc.parameters("e")[0], dpc.parameters("x", "nonnegative")[0]
    for stated, bound in ((dpc.unbounded, 0), (dpc.group(2, dpc.unbounded), 0), (dpc.bounded, sympy.oo)):
        nothing = dpc.mechanism("M", satisfies=dpc.pure(0, stated))
        once = dpc.mechanism("N", satisfies=dpc.pure(e, dpc.free_lunch))
        for others, more in (((), 0), ((once,), e)):
            study = dpc.compose(nothing, *others, on=dpc.multisets("ab"), target=dpc.free_lunch)
            assert (study.guarantee().epsilon, study.bound.optimal) == (bound + more, True)
            assert study.check(dpc.pure(more + 1)).verdict == ("proved" if bound == 0 else "refuted")
    perhaps = dpc.mechanism("M", satisfies=dpc.pure(some, dpc.unbounded))
    study = dpc.compose(perhaps, on=dpc.multisets("ab"), target=dpc.free_lunch)
    assert (study.guarantee().epsilon, study.bound.optimal) == (sympy.oo, False)  # at x = 0 it is 0


def test_any_two_databases_of_a_listed_class() -> None:
    """What a map lists as neighbouring images holds for guarantees about any two databases as well."""
    G = dpc.pairs("G", [("p", "r")])
    values = {"p": "x", "q": "y", "r": "z"}
    for images, bound in (({}, 1), ({"": [("x", "y"), ("y", "z")]}, 2)):
        read = dpc.table("f", values, images)
        for m, steps in ((1, bound), (2, 1)):
            stated = dpc.group(m, dpc.free_lunch) if m > 1 else dpc.free_lunch
            mechanism = dpc.mechanism("M", reads=read, satisfies=dpc.pure("e", stated, domain="own"))
            study = dpc.compose(mechanism, on=dpc.listed("pqr"), target=G)
            assert bound_of(study, {"e": Fraction(1)}) == steps
            again = Study(problems.read_data(writing.to_data(writing.plain(study.setting))).setting)
            assert bound_of(again, {"e": Fraction(1)}) == steps
