"""Settings are saved as they are: what is read back has the same bound."""

from __future__ import annotations

from fractions import Fraction

import strategies
import strategies_ordered
from against_oracle import vectors_of
from hypothesis import assume, given
from language.letters import evaluate
from shares import MANY
from strategies import Twin

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.privacy import problems, writing
from dpcompose.spaces.inputs.maps import Function
from dpcompose.spaces.moves.granularities import Granularity


def saved(study: Study) -> Study:
    """The study that is read back from the data of a saved one; from then on the data stay the same."""
    again = Study(problems.read_data(writing.to_data(writing.plain(study.setting))).setting)
    data = writing.to_data(again.setting)
    assert writing.to_data(problems.read_data(data).setting) == data
    return again


def bound(study: Study) -> str | None:
    """The bound as text; None where every guarantee holds."""
    return None if study.bound.vacuous else formulas.to_text(study.guarantee().epsilon)


def assert_saved(study: Study) -> None:
    """Saving keeps the bound, the optimality and the number of vectors."""
    again = saved(study)
    assert bound(again) == bound(study)
    assert again.bound.optimal == study.bound.optimal
    assert set(vectors_of(again)) == set(vectors_of(study))


@MANY
@given(strategies.listed(most_databases=5, most_mechanisms=3))
def test_saving_listed_classes(twin: Twin) -> None:
    assert_saved(twin.study)


@MANY
@given(strategies.multisets())
def test_saving_multisets(twin: Twin) -> None:
    """Of any size: a setting with built-in granularities and restrictions is saved as it is."""
    assume("changed" not in {twin.target, *(part.stated for part in twin.parts)})
    assert_saved(twin.study)
    again = saved(twin.study).setting
    assert (again.databases, again.target) == (twin.study.setting.databases, twin.study.setting.target)
    assert again.mechanisms == twin.study.setting.mechanisms


@MANY
@given(strategies.arbitrary())
def test_saving_arbitrary_universes(twin: Twin) -> None:
    assert_saved(twin.study)


@MANY
@given(strategies.multisets(functions=True, predicates=True))
def test_saving_predicates_and_functions(twin: Twin) -> None:
    assert_saved(twin.study)


@MANY
@given(strategies.multisets(functions=True))
def test_saving_functions_beside_built_in_granularities(twin: Twin) -> None:
    assert_saved(twin.study)


@MANY
@given(strategies_ordered.ordered(functions=True))
def test_saving_tuples_and_functions(twin: Twin) -> None:
    assert_saved(twin.study)


@MANY
@given(strategies_ordered.grouped_listed(most_databases=5))
def test_saving_groups_of_listed_classes(twin: Twin) -> None:
    assert_saved(twin.study)


@MANY
@given(strategies_ordered.grouped_multisets(functions=True))
def test_saving_groups_of_multisets(twin: Twin) -> None:
    assert_saved(twin.study)


def test_saving_other_values_and_kinds_of_granularities() -> None:
    """Numbers and tuples as databases, and every kind of granularity of the user's."""
    e, f = dpc.parameters("e f")
    numbers = dpc.listed([1, 2, 3, 4])
    near: list[Granularity] = [
        dpc.relation("near", lambda D, E: abs(D - E) == 1),
        dpc.steps("near", lambda D: [D - 1, D + 1]),
        dpc.pairs("near", [(1, 2), (2, 3), (3, 4)]),
    ]
    ends = dpc.pairs("ends", [(1, 4)])
    table = dpc.table("half", {1: 10, 2: 10, 3: 20, 4: 30}, {"ends": [(10, 20), (20, 30)]})
    for granularity in near:
        study = dpc.compose(
            dpc.mechanism("all", satisfies=dpc.pure(e, granularity)),
            dpc.mechanism("half", reads=table, satisfies=dpc.pure(f, ends, domain="own")),
            dpc.mechanism(
                "parity",
                reads=Function("parity", lambda D: D % 2),
                satisfies=dpc.pure(2 * f, granularity, domain="common"),
            ),
            on=numbers,
            target=ends,
        )
        assert bound(study) == "3*e + 4*f"
        assert_saved(study)


def test_saving_keeps_what_the_values_of_parameters_may_be() -> None:
    e, f = dpc.parameters("e f")
    study = dpc.compose(
        dpc.mechanism("M", satisfies=dpc.pure(e + f / 2, dpc.unbounded)),
        on=dpc.multisets("ab", "<= 2"),
        target=dpc.bounded,
        parameters={"f": "in (0,1)"},
    )
    assert study.setting.domains["f"].greatest == 1
    again = saved(study)
    assert again.setting.domains == study.setting.domains
    point = {"e": Fraction(1, 2), "f": Fraction(1, 3)}
    values = [evaluate(one.guarantee().epsilon, point) for one in (study, again)]
    assert values == [Fraction(4, 3)] * 2


def test_image_neighbours_of_a_granularity_that_is_not_used_do_not_hinder_saving() -> None:
    databases = dpc.listed(["p", "q", "r"])
    G = dpc.pairs("G", [("p", "q")])
    f = dpc.table("f", {"p": "x", "q": "y", "r": "z"}, {"G": [("x", "y")], "H": [("x", "z")]})
    mechanism = dpc.mechanism("M", reads=f, satisfies=dpc.pure("e", G, domain="own"))
    assert_saved(dpc.compose(mechanism, on=databases, target=G))


def test_two_granularities_of_one_name_are_refused_or_kept_apart() -> None:
    """Saved under one name, one of them would stand for both: here that would halve the bound."""
    databases = dpc.listed(["p", "q", "r"])
    direct, detour = dpc.pairs("G", [("p", "q")]), dpc.pairs("G", [("p", "r"), ("r", "q")])
    mechanism = dpc.mechanism("M", satisfies=dpc.pure("e", detour))
    try:
        study = dpc.compose(mechanism, on=databases, target=direct)
        again = saved(study)
    except ValueError:
        return
    assert bound(study) == bound(again) == "2*e"


def test_two_maps_of_one_name_are_refused_or_kept_apart() -> None:
    databases = dpc.listed(["p", "q", "r"])
    G = dpc.pairs("G", [("p", "q")])
    maps = [dpc.table("f", {"p": "x", "q": y, "r": "y"}) for y in "xy"]
    mechanisms = [
        dpc.mechanism(name, reads=f, satisfies=dpc.pure(name, G, domain="common"))
        for name, f in zip(["e1", "e2"], maps, strict=True)
    ]
    try:
        study = dpc.compose(*mechanisms, on=databases, target=G)
        again = saved(study)
    except ValueError:
        return
    assert bound(study) == bound(again) == "e2"
