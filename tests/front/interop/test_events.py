"""Events of dp-accounting as studies, and guarantees as events: with stand-ins, and with the package where it is."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front.interop.events import LEAVES, SAMPLES, NoEvent, rounded
from dpcompose.kernel.expressions import terms

D = dpc.multisets({"a", "b", "c"})
PARTS = dpc.record_partition(D, {"a"}, {"b"}, {"c"})


def event(kind: str, **values: Any) -> Any:
    """A stand-in for an event of this name."""
    return type(kind, (SimpleNamespace,), {})(**values)


def laplace(scale: float) -> Any:
    return event("LaplaceDpEvent", noise_multiplier=scale)


def gaussian(scale: float) -> Any:
    return event("GaussianDpEvent", noise_multiplier=scale)


def together(*events: Any) -> Any:
    return event("ComposedDpEvent", events=list(events))


def repeated(one: Any, count: int) -> Any:
    return event("SelfComposedDpEvent", event=one, count=count)


THREE = together(laplace(1.0), laplace(0.5), laplace(0.25))


@pytest.mark.parametrize(
    ("target", "neighbours", "said"),
    [
        ("unbounded", "unbounded", "unbounded 4-DP, by GB:V.6; optimal"),
        ("bounded", "bounded", "bounded 6-DP, by GB:IV.13 (adaptive form); optimal"),
    ],
)
def test_parts_are_no_sum(target: str, neighbours: str, said: str) -> None:
    study = dpc.from_event(THREE, on=D, target=target, neighbours=neighbours, reads=PARTS, domain="common")
    assert repr(study.guarantee()) == said


def test_without_what_is_read_losses_add_up_as_accountants_have_it() -> None:
    assert (
        repr(dpc.from_event(THREE, on=D, target="unbounded").guarantee())
        == "unbounded 7-DP, by GB:V.3; optimal"
    )


@pytest.mark.parametrize("relation", ["ADD_OR_REMOVE_ONE", "REPLACE_ONE"])
def test_the_relation_of_an_accountant(relation: str) -> None:
    """Events add noise to sums of values of norm at most 1: replacing one moves these by 2."""
    more: dict[str, Any] = {"target": "bounded", "neighbours": SimpleNamespace(name=relation)}
    for one in (laplace(1), event("DiscreteLaplaceDpEvent", noise_parameter=1.0, sensitivity=1)):
        assert str(dpc.from_event(one, on=D, **more).guarantee().epsilon) == "2"
    tree = together(repeated(gaussian(4), 2), gaussian(2))
    assert str(dpc.from_event(tree, on=D, **more).guarantee().values["mu"] ** 2) == "3/2"


def test_what_is_no_noise_on_a_sum_is_as_promised_by_replacing_one() -> None:
    more: dict[str, Any] = {"target": "bounded", "neighbours": SimpleNamespace(name="REPLACE_ONE")}
    answers = event("RandomizedResponseDpEvent", noise_parameter=0.5, num_buckets=2)
    assert str(dpc.from_event(answers, on=D, **more).guarantee().epsilon) == "log(3)"
    study = dpc.from_event(event("ZCDpEvent", rho=0.5, xi=0.0), on=D, **more)
    assert str(study.guarantee().values["rho"]) == "1/2"


def test_trees() -> None:
    tree = together(repeated(together(gaussian(2), gaussian(4)), 3), gaussian(1))
    study = dpc.from_event(tree, on=D, target="unbounded")
    assert str(study.guarantee().values["mu"] ** 2) == "31/16"  # 3*(1/4 + 1/16) + 1
    assert [one.name for one in study.setting.mechanisms] == ["M1_1", "M1_2", "M2"]


@pytest.mark.parametrize(
    ("leaf", "said"),
    [
        (event("NoOpDpEvent"), "unbounded 0-DP, by GB:V.3; optimal"),
        (event("NonPrivateDpEvent"), "unbounded oo-DP, by GB:V.3; optimal"),
        (
            event("DiscreteLaplaceDpEvent", noise_parameter=0.1, sensitivity=3),
            "unbounded (3/10)-DP, by GB:V.3; optimal",
        ),
        (
            event("RandomizedResponseDpEvent", noise_parameter=0.5, num_buckets=2),
            "unbounded log(3)-DP, by GB:V.3; optimal",
        ),
        (event("ZCDpEvent", rho=0.3, xi=0.0), "unbounded (3/10)-zCDP, by GB:VI.15; optimal"),
        (
            event("PoissonSampledDpEvent", sampling_probability=0.01, event=laplace(1.0)),
            "unbounded (log(99/100 + exp(1)/100))-DP, by GB:V.3; optimal",
        ),
    ],
    ids=lambda one: type(one).__name__ if not isinstance(one, str) else "",
)
def test_leaves(leaf: Any, said: str) -> None:
    assert repr(dpc.from_event(leaf, on=D, target="unbounded").guarantee()) == said


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (
            event("RepeatAndSelectDpEvent"),
            "M is RepeatAndSelectDpEvent; known are NoOpDpEvent, NonPrivateDpEvent, ",
        ),
        (together(laplace(1), event("UnsupportedDpEvent")), "M2 is UnsupportedDpEvent; known are "),
        (event("ZCDpEvent", rho=1.0, xi=0.5), "zero-concentrated privacy with xi > 0 is no notion here"),
        (laplace(math.inf), "inf is no parameter of an event"),
        (
            event("PoissonSampledDpEvent", sampling_probability=0.1, event=THREE),
            "M is a composition on one sample: here each mechanism draws its own",
        ),
        (
            event("PoissonSampledDpEvent", sampling_probability=0.1, event=repeated(laplace(1), 2)),
            "M is a composition on one sample: here each mechanism draws its own",
        ),
    ],
)
def test_what_is_refused(tree: Any, message: str) -> None:
    with pytest.raises(NoEvent, match=message):
        dpc.from_event(tree, on=D, target="unbounded")


def sampled(one: Any) -> Any:
    return event("PoissonSampledDpEvent", sampling_probability=0.1, event=one)


@pytest.mark.parametrize(
    "tree", [sampled(laplace(1)), together(laplace(1), repeated(sampled(gaussian(1)), 3))]
)
def test_on_a_sample_the_neighbours_are_the_target_s_too(tree: Any) -> None:
    """Where a record is replaced a Poisson sample has nothing to do with what is promised of replacements: its
    size tells who came."""
    for more in ({}, {"neighbours": "bounded"}, {"neighbours": SimpleNamespace(name="REPLACE_ONE")}):
        with pytest.raises(ValueError, match="is one for unbounded neighbours, not for bounded"):
            dpc.from_event(tree, on=D, target="bounded", **more)
    assert dpc.from_event(tree, on=D, target="bounded", neighbours="unbounded").guarantee()


def test_a_sample_without_replacement_by_the_target_s_neighbours() -> None:
    tree = event("SampledWithoutReplacementDpEvent", sample_size=1, source_dataset_size=4, event=laplace(1))
    four = dpc.multisets({"a", "b"}, size="= 4")
    study = dpc.from_event(tree, on=four, target="bounded")
    assert repr(study.guarantee()) == "bounded (log(3/4 + exp(1)/4))-DP, by GB:V.3; optimal"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"noise_parameter": 0.5, "num_buckets": 0}, "whole number of answers from 2 on"),
        ({"noise_parameter": 0.5, "num_buckets": 2.5}, "whole number of answers from 2 on"),
        ({"noise_parameter": -0.5, "num_buckets": -2}, "whole number of answers from 2 on"),
        ({"noise_parameter": 0, "num_buckets": 2}, "probability above 0"),
        ({"noise_parameter": 1.5, "num_buckets": 2}, "probability above 0"),
    ],
)
def test_randomized_response_of_no_law(values: dict[str, Any], message: str) -> None:
    with pytest.raises(NoEvent, match=message):
        dpc.from_event(event("RandomizedResponseDpEvent", **values), on=D, target="unbounded")


@pytest.mark.parametrize("count", [0, -1, 0.5, 2.5])
def test_how_often_events_are_run(count: Any) -> None:
    for tree in (repeated(laplace(1), count), repeated(repeated(laplace(1), 2), count)):
        with pytest.raises(NoEvent, match=r"M is run .* times: a whole number from 1 on is wanted"):
            dpc.from_event(tree, on=D, target="unbounded")


@pytest.mark.parametrize("kind", ["GaussianDpEvent", "LaplaceDpEvent"])
def test_noise_of_no_width(kind: str) -> None:
    with pytest.raises(NoEvent, match="0 is no noise"):
        dpc.from_event(event(kind, noise_multiplier=0.0), on=D, target="unbounded")


def test_as_many_inputs_as_events() -> None:
    with pytest.raises(NoEvent, match="3 events read 2 things"):
        dpc.from_event(THREE, on=D, target="unbounded", reads=PARTS[:2], domain="own")


@pytest.mark.parametrize("guarantee", [dpc.approximate(1, "1e-6"), dpc.renyi("alpha")])
def test_guarantees_without_an_event(guarantee: Any) -> None:
    with pytest.raises(
        NoEvent, match=f"dp-accounting has no event for {guarantee.notion}: it has pure, gaussian, zcdp"
    ):
        dpc.to_event(guarantee)


def test_letters_need_numbers() -> None:
    with pytest.raises(NoEvent, match="none is given for e, f"):
        dpc.to_event(dpc.pure("e + f"))


@pytest.mark.parametrize(
    "value", [terms.exp(terms.number(1)), terms.log(terms.number(3)), terms.number(7) / 10]
)
def test_floats_are_rounded_to_the_side(value: terms.Term) -> None:
    low, high = rounded(value, up=False), rounded(value, up=True)
    assert math.nextafter(low, math.inf) == high


# with the package

needs = pytest.mark.skipif("not __import__('importlib.util').util.find_spec('dp_accounting')")


@needs
def test_all_names_are_those_of_dp_accounting() -> None:
    from dp_accounting import dp_event

    assert not [name for name in [*LEAVES, *SAMPLES] if not hasattr(dp_event, name)]


@pytest.mark.slow
@needs
@pytest.mark.parametrize(
    ("guarantee", "epsilon", "truth"),
    [
        (dpc.pure(1), 0.5, (math.e - math.exp(0.5)) / (1 + math.e)),
        (dpc.pure("log(3)"), 0.0, 0.5),
        (dpc.gaussian(1), 1.0, 0.1269367375),
    ],
)
def test_accountants_say_of_an_event_what_the_guarantee_allows(
    guarantee: Any, epsilon: float, truth: float
) -> None:
    from dp_accounting import pld

    accountant = pld.PLDAccountant()
    accountant.compose(dpc.to_event(guarantee))
    assert accountant.get_delta(epsilon) == pytest.approx(truth, abs=1e-4)
    assert accountant.get_delta(epsilon) >= truth - 1e-9


@pytest.mark.slow
@needs
def test_there_and_back() -> None:
    from dp_accounting import dp_event

    tree = dp_event.ComposedDpEvent(
        [dp_event.LaplaceDpEvent(1.0), dp_event.SelfComposedDpEvent(dp_event.LaplaceDpEvent(0.5), 3)]
    )
    study = dpc.from_event(tree, on=D, target="unbounded")
    assert dpc.to_event(study.guarantee()) == dp_event.DiscreteLaplaceDpEvent(7.0, 1)
    assert dpc.to_event(dpc.zcdp("1/10")) == dp_event.ZCDpEvent(0.1)  # as a float more than 1/10
    assert dpc.to_event(dpc.pure(0)) == dp_event.NoOpDpEvent()
    assert dpc.to_event(dpc.pure("oo")) == dp_event.NonPrivateDpEvent()
