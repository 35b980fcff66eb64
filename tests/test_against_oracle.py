"""dpcompose against the oracle: bounds, profiles and verdicts on random settings."""

from __future__ import annotations

from fractions import Fraction

import oracle
import strategies
import strategies_cells
import strategies_ordered
from against_oracle import (
    assert_bound_and_profile,
    assert_verdicts,
    bound_of,
    many,
    profile_of,
    vectors_of,
)
from hypothesis import given
from hypothesis import strategies as st
from oracle import INFINITY
from strategies import Twin

from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems


@many(300)
@given(st.data())
def test_listed_bound_and_profile(data: st.DataObject) -> None:
    twin = data.draw(strategies.listed())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(150)
@given(strategies.listed(most_databases=6))
def test_listed_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


# ---------------------------------------------------------------- cells


@many(30)
@given(st.data())
def test_cells_bound_and_profile(data: st.DataObject) -> None:
    """Graphs, windows, users, attributes and sets: by blocks, and not by going through all databases."""
    twin = data.draw(strategies_cells.cells())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))
    assert not twin.study.bound.steps.covered.startswith("all ")


@many(8)
@given(strategies_cells.cells())
def test_cells_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(30)
@given(st.data())
def test_sequences_bound_and_profile(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.sequences())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


# ---------------------------------------------------------------- multisets


@many(250)
@given(st.data())
def test_multisets_bound_and_profile_by_edit_types(data: st.DataObject) -> None:
    twin = data.draw(strategies.multisets())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))
    assert twin.study.bound.steps.covered.endswith(("edit type", "edit types"))


@many(100)
@given(strategies.multisets())
def test_multisets_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(100)
@given(st.data())
def test_multisets_by_exhaustion_is_the_same(data: st.DataObject) -> None:
    twin = data.draw(strategies.multisets(finite=True))
    point = data.draw(strategies.anywhere(twin))
    study = strategies.by_predicates(twin)
    assert study.bound.steps.covered.startswith("all ")
    assert bound_of(study, point) == bound_of(twin.study, point)
    assert set(profile_of(study)) == set(profile_of(twin.study))


@many(150)
@given(st.data())
def test_multisets_with_functions(data: st.DataObject) -> None:
    """Maps that do not read record by record, beside restrictions, on finite classes."""
    twin = data.draw(strategies.multisets(functions=True, predicates=data.draw(st.booleans())))
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(60)
@given(strategies.multisets(functions=True))
def test_multisets_with_functions_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(60)
@given(st.data())
def test_arbitrary_universe(data: st.DataObject) -> None:
    twin = data.draw(strategies.arbitrary())
    point = data.draw(strategies.anywhere(twin))
    setting = twin.at(point)
    assert bound_of(twin.study, point) == oracle.bound(setting)
    k = len(twin.parts)
    found = {tuple(dict(vector).get(i, "0") for i in range(1, k + 1)) for vector in vectors_of(twin.study)}
    expected = {
        tuple("oo" if r == INFINITY else str(r) for r in vector) for vector in oracle.profile_of(setting)
    }
    assert found == expected


def test_records_that_an_arbitrary_universe_is_read_by_are_its_records() -> None:
    """IV.13 for two named records of an arbitrary universe: a replacement of one by the other counts."""
    text = """
    format = 1
    [databases]
    kind = "multisets"
    [target]
    granularity = "bounded"
    [[mechanisms]]
    name = "M1"
    reads = { records = ["a"] }
    guarantee = { notion = "pure", epsilon = "e1", granularity = "bounded", domain = "common" }
    [[mechanisms]]
    name = "M2"
    reads = { records = ["b"] }
    guarantee = { notion = "pure", epsilon = "e2", granularity = "bounded", domain = "common" }
    """
    study = Study(problems.read_text(text).setting)
    assert bound_of(study, {"e1": Fraction(1), "e2": Fraction(2)}) == 3
