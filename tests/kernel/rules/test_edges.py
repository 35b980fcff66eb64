"""What is refused at the edges of rules, saved files and settings, each called by itself."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import core_records
import pytest
from core_records import U

import dpcompose as dpc
from dpcompose.kernel import saved
from dpcompose.kernel.composition import given_tables, samples
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.covers import covering, pushed
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.terms import letter, number
from dpcompose.kernel.judgements import Covers
from dpcompose.kernel.rules import metrics

X: Any = letter("x")
NOTHING: Any = None


def given(**values: Any) -> Any:
    """Something that has these alone: what is asked besides them would be an error."""
    return SimpleNamespace(**values)


@pytest.mark.parametrize(
    "shown",
    [
        [],
        "level",
        {"level": 0},
        {"level": 0, "cases": [], "more": 1},
        {"level": True, "cases": []},
        {"level": 99, "cases": []},
    ],
)
def test_a_certificate_for_a_group_of_distances_has_a_level_and_cases(shown: Any) -> None:
    with pytest.raises(BadCertificate, match="cannot be read"):
        metrics._group(NOTHING, X, X, shown)


@pytest.mark.parametrize("shown", [None, [], [1], [1, 2, 3], {"0": 1, "1": 2}])
def test_a_bound_of_a_distance_is_shown_in_each_case(shown: Any) -> None:
    distance = given(at_most=X, declared=False)
    premises: Any = [given(says=Covers(given(types=(1, 2))))]
    with pytest.raises(BadCertificate, match="2 cases"):
        metrics.bounded(given(distances=[("d", distance)]), NOTHING, premises, name="d", certificate=shown)


@pytest.mark.parametrize(
    "data", [1, [1], {}, {"optimal": 1}, {"step": 1, "more": 2}, {"step": 1, "optimal": 2, "more": 3}]
)
def test_the_guarantee_of_a_saved_file_names_its_steps(data: Any) -> None:
    with pytest.raises(saved.Refused, match="the guarantee cannot be read"):
        saved._guarantee(data, [])


@pytest.mark.parametrize(
    "data",
    [{"verdict": "likely", "step": 1}, {"verdict": "proved", "step": 1, "more": 1}, {"verdict": 1}, "proved"],
)
def test_a_verdict_of_a_saved_file_is_one_of_two(data: Any) -> None:
    with pytest.raises(saved.Refused, match="claim 1 cannot be read"):
        saved._verdict(1, data, NOTHING, [], None)


@pytest.mark.parametrize("key", ["beside", "copies"])
@pytest.mark.parametrize("number", [2, 3])
def test_atoms_are_numbered_from_0_up_to_how_many_there_are(key: str, number: int) -> None:
    databases = {"kind": "policies", "atoms": [["a"], ["b"]], "beside": [[1], [0]]} | {
        key: [[number]] * (2 if key == "beside" else 1)
    }
    with pytest.raises(BadSetting, match="numbers of atoms"):
        core_records.setting(
            {"single": [[0, 1]], "steps": 1}, ([0], {"single": [[0, 1]], "steps": 1}), **databases
        )


@pytest.mark.parametrize("row", [("3/2", "-1/2"), ("1/2", "1/3"), ("1", "1")])
def test_a_row_that_is_none_has_no_losses(row: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    table = given(rows=[tuple(number(Fraction(p)) for p in some) for some in (("1/2", "1/2"), row)])
    monkeypatch.setattr(given_tables, "mechanism_of", lambda *_: given(name="M", table=table, count=None))
    monkeypatch.setattr(given_tables, "rows_of", lambda *_: (0, 1))
    with pytest.raises(NoLoss, match="no probabilities"):
        given_tables.piece(1, NOTHING, NOTHING, {})


@pytest.mark.parametrize(("r", "told"), [(number(3), (3, 3)), (number(Fraction(1, 2)), None), (X, None)])
def test_on_samples_steps_are_whole(r: Any, told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "head_of", lambda *_: given(on_samples=(0,), neighbours=()))
    assert samples.own(NOTHING, NOTHING, NOTHING, r, None) == told


def test_no_number_of_records_grows_where_one_mechanism_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covering, "is_about_least", lambda mechanism, _: mechanism == "about the least")
    some: Any = given(setting=given(mechanisms=["other", "about the least"]), theory=None)
    with pytest.raises(NoCover, match="has a limit"):
        covering.Covering.growing(some, [])


def test_the_order_of_a_point_is_that_of_which_is_spoken() -> None:
    setting = core_records.setting(U, ([0], U), atoms=[["a"], ["b"]])
    assert setting.orders_at({}) is None
    spoken: Any = given(orders=Orders.read("(1, oo)"))
    of = type(setting).orders_at
    assert of(spoken, {"alpha": Fraction(2)}) == Orders.read("2") and of(spoken, {}) == spoken.orders


def test_two_mechanisms_with_noise_have_more_than_one() -> None:
    """tanh-like for one; of two at once the least delta is larger."""
    M: Any = [dpc.mechanism(f"M{n}", query=dpc.count, noise=dpc.laplace("b")) for n in range(2)]
    study = dpc.compose(*M, on=dpc.multisets(), target=dpc.unbounded)
    assert study.check(dpc.approximate("0", "1 - exp(-1/(2*b))")).verdict == "refuted"
    assert study.check(dpc.approximate("0", "1 - exp(-1/b)")).verdict == "proved"


def test_many_steps_lead_only_where_each_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is a step away, so nothing is three away, however few they would be at least."""
    monkeypatch.setattr(pushed, "cheapest", lambda *_: None)
    never: Any = given(least=lambda *_: 1, between=None, steps=1, after=lambda _: (), leads=lambda *_: False)
    assert not pushed.Pushed._leads(never, (0,), (1,), 3)
    by_one: Any = given(
        least=lambda *_: 1, between=None, steps=1, after=lambda _: ((2,),), leads=lambda w, v, n: n == 2
    )
    assert pushed.Pushed._leads(by_one, (0,), (1,), 3) and not pushed.Pushed._leads(by_one, (0,), (1,), 1)


@pytest.mark.parametrize(("size", "least"), [(["exactly", 3], 1), (["at most", 3], 3), (["at most", 1], 1)])
def test_the_least_size_is_below_the_largest(size: list[Any], least: int) -> None:
    with pytest.raises(BadSetting, match="least"):
        core_records.setting(U, ([0], U), atoms=[["a"], ["b"]], size=size, least=least)
