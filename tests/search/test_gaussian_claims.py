"""Claims of Gaussian privacy with numbers, decided by curves: from the file to what is saved."""

from __future__ import annotations

from typing import Any

import pytest
import rechecks
from second_checker import verdicts as second

import dpcompose as dpc
from dpcompose.front.studies import recheck


def study(*mechanisms: Any, target: Any = dpc.unbounded) -> Any:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=target)


def response(name: str, epsilon: str, **reads: Any) -> Any:
    return dpc.mechanism(name, dpc.pure(epsilon, dpc.unbounded, "own" if reads else None), **reads)


PARTS = (response("M1", "log(3)", reads={"a"}), response("M2", "log(2)", reads={"b"}))
APART = dpc.mechanism("N", dpc.gaussian("1", dpc.unbounded, "own"), reads={"b"})
ALMOST_PURE = dpc.approximate("log(3)", "1e-31", dpc.unbounded)
NORMAL = dpc.mechanism("N", dpc.gaussian("1", dpc.unbounded))


@pytest.mark.parametrize(
    ("mechanisms", "target", "least", "smaller"),
    [
        ((response("M", "log(3)"),), dpc.unbounded, "1.34898", "1.34897"),
        (PARTS, dpc.unbounded, "1.34898", "1.34897"),  # one part moves at a time: the worse one alone
        ((*PARTS, NORMAL), dpc.unbounded, "1.527313", "1.52731"),  # √(1.34898² + 1) would be 1.6792
        ((PARTS[0], APART), dpc.unbounded, "1.34898", "1.34897"),  # the part with normal noise needs no more
        ((response("M", "log(3)"),), dpc.bounded, "2.057484", "2.05747"),  # two steps: Φ⁻¹(3/4) + Φ⁻¹(11/12)
    ],
)
def test_the_least_mu_is_told(mechanisms: Any, target: Any, least: str, smaller: str) -> None:
    asked = study(*mechanisms, target=target)
    proved, refuted = asked.check(dpc.gaussian(least)), asked.check(dpc.gaussian(smaller))
    assert (proved.verdict, refuted.verdict) == ("proved", "refuted")
    assert asked.check(dpc.gaussian(str(float(least) + 0.001))).loose is True
    assert refuted.counterexample is not None
    assert refuted.data()["guarantee"] == {"notion": "gaussian", "mu": least}


def test_little_that_is_lost_is_told_as_closely() -> None:
    """Two mechanisms with log(5/4) on a tenth of the records lose 2*log(41/40) at most."""
    sampled = dpc.poisson_sample("1/10")
    few = (dpc.mechanism(name, dpc.pure("log(5/4)", dpc.unbounded), sampled=sampled) for name in "MN")
    asked = study(*few)
    assert asked.check(dpc.gaussian("0.03546")).verdict == "proved"
    assert asked.check(dpc.gaussian("0.03545")).verdict == "refuted"


def test_what_has_a_delta_of_its_own_is_not_gaussian() -> None:
    asked = study(dpc.mechanism("M", dpc.approximate("1", "1/100", dpc.unbounded)))
    assert asked.check(dpc.gaussian("3")).verdict != "proved"


def test_however_small_that_delta_is() -> None:
    """The chords of randomized response, of what everything may be lost of with the probability 10^−31."""
    claim = dpc.gaussian("1.34898")
    good, other = (study(dpc.mechanism("M", of)) for of in (dpc.pure("log(3)", dpc.unbounded), ALMOST_PURE))
    chords, forged = (rechecks.saved(one, [one.check(claim)]) for one in (good, other))
    forged["derivation"]["pages"] |= chords["derivation"]["pages"]
    step = [one for one in chords["derivation"]["steps"] if one["rule"] == "below_curve"]
    forged["derivation"]["steps"][6:] = step
    forged["claims"][0] |= {"verdict": "proved", "step": 7}
    assert second.check(chords).outcome == "ACCEPTED" and second.check(forged).outcome == "REJECTED"
    with pytest.raises(recheck.Refused, match="not seen to be at most that of the claim"):
        rechecks.check(forged, other.theory)


def test_in_letters_nothing_is_computed() -> None:
    asked = study(response("M", "e"))
    assert asked.check(dpc.gaussian("2*e")).verdict == "proved"  # by the conversion page
    assert asked.check(dpc.gaussian("e")).verdict != "proved"


@pytest.mark.parametrize(
    "forged",
    [
        lambda step: step["claim"].update(mu="1.34897"),
        lambda step: step["claim"].update(mu="-1.34898"),
        lambda step: step["claim"].update(mu="log(1/8)"),
        lambda step: step.update(bits=10**9),
        lambda step: step["chords"][0][0].pop(),
        lambda step: step["chords"][0][0].insert(0, "1/2"),
        lambda step: step["chords"][0][1].__setitem__(0, "0"),
        lambda step: step["chords"][0][1].__setitem__(0, "oo"),
        lambda step: step["chords"].pop(),
        lambda step: step["chords"].append([["0", "4"], ["1"], "4"]),
        lambda step: step["chords"][0].__setitem__(2, "1"),
        lambda step: step["chords"][0].__setitem__(2, "100"),
        lambda step: step["chords"][0].pop(),
        lambda step: step.update(notion="gaussian"),
        lambda step: step.update(notion="zcdp"),
        lambda step: step.update(chords=[[["0", "e"], ["1"], "e"]]),
        lambda step: step["from"].pop(),
    ],
)
def test_forged_chords_are_refused(forged: Any) -> None:
    asked = study(response("M", "log(3)"))
    data = rechecks.saved(asked, [asked.check(dpc.gaussian("1.34898"))])
    assert rechecks.check(data, asked.theory).verdicts == ("proved",)
    (step,) = [one for one in data["derivation"]["steps"] if one["rule"] == "below_curve"]
    forged(step)
    with pytest.raises(recheck.Refused):
        rechecks.check(data, asked.theory)
