"""Above threshold: what the page says is never exceeded by answers that are integrated over the noise of the
threshold, and is approached by those of its proof; claims, right and wrong ones; what is refused."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import core_noise
import pytest

import dpcompose as dpc
from dpcompose.front.studies.loading import load
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory import registry

U, B = dpc.unbounded, dpc.bounded


def log_above(y: float, b: float) -> float:
    """ln of the probability that Laplace noise of scale b is above y."""
    return -y / b - math.log(2) if y >= 0 else math.log1p(-math.exp(y / b) / 2)


def log_probability(no: list[float], yes: list[float], b: float, t: float) -> float:
    """ln P that sums so far above their thresholds are answered so, by the trapezium rule over the noise of
    the threshold; the largest exponent is taken out."""
    span = 60 * (b + t)
    points = [-span + 2 * span * n / 3000 for n in range(3001)]

    def at(z: float) -> float:
        return -abs(z) / t + sum(log_above(q - z, b) for q in no) + sum(log_above(z - q, b) for q in yes)

    logs = [at(z) for z in points]
    most = max(logs)
    return most + math.log(sum(math.exp(x - most) for x in logs))


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-1, 1), (-1, 2)])
def test_the_page_is_never_exceeded(low: int, high: int) -> None:
    """Random sums, moves and answers; the formula of the page in both orders."""
    rng = random.Random(5)
    for _ in range(12):
        c, b, t = rng.randint(1, 3), rng.choice([1, 2.5]), rng.choice([1, 3])
        no = [rng.uniform(-4, 4) for _ in range(rng.randint(0, 5))]
        yes = [rng.uniform(-4, 4) for _ in range(c)]
        far, others = ([q + rng.choice([low, high]) for q in some] for some in (no, yes))
        found = log_probability(no, yes, b, t) - log_probability(far, others, b, t)
        assert abs(found) <= max(abs(low), abs(high)) / t + c * (high - low) / b + 1e-6


@pytest.mark.parametrize(("low", "high", "c"), [(0, 1, 1), (-1, 1, 1), (-1, 1, 2)])
def test_the_page_is_approached(low: int, high: int, c: int) -> None:
    """As in its proof: many questions answered by no, all far below, and then c answered by yes."""
    b, t, mu, n = 1.0, 1.0, 6.0, 4000
    tau = mu - b * math.log(n / 2)

    def log(yes: float, no: float) -> float:
        points = [0.02 * k - 20 for k in range(3000)]
        logs = [-abs(z) / t + n * log_above(no - z, b) + c * log_above(z - yes, b) for z in points]
        return max(logs) + math.log(sum(math.exp(x - max(logs)) for x in logs))

    found = log(0, tau) - log(low, tau + high)
    most = max(abs(low), abs(high)) / t + c * (high - low) / b
    assert most - 0.02 < found <= most + 1e-3


def asked(bounds: tuple[Any, ...], scale: str, threshold: str, times: object = 1, name: str = "M") -> Any:
    law = dpc.above_threshold(scale, threshold, times)
    return dpc.mechanism(name, query=dpc.questions(*bounds), noise=law)


def study(*mechanisms: Any, target: Any = U, **domains: str) -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=target, parameters=domains)


C = {"c": "integer >= 1"}
FRESH = dpc.mechanism("values", query=dpc.count, noise=dpc.laplace("3/e"), count=3)
CLAIMS = [
    # Lyu, Su and Li: 2c for questions that move both ways, c for counts
    (study(asked((1,), "4*c/e", "2/e", "c"), **C), dpc.pure("e"), "proved"),
    (study(asked((1,), "4*c/e", "2/e", "c"), **C), dpc.pure("0.999*e"), "refuted"),
    (study(asked((0, 1), "2*c/e", "2/e", "c"), **C), dpc.pure("e"), "proved"),
    (study(asked(("d",), "2*c*d/e2", "d/e1", "c"), **C), dpc.pure("e1 + e2"), "proved"),
    # c in place of 2c; noise that does not grow with c, and with c only once
    (study(asked((1,), "2*c/e", "2/e", "c"), **C), dpc.pure("e"), "refuted"),
    (study(asked((1,), "2*c/e", "2/e", "c"), **C), dpc.pure("3/2*e"), "proved"),
    (study(asked((1,), "4/(3*e)", "4/e", "c"), **C), dpc.pure("e"), "refuted"),
    (study(asked((1,), "4/(3*e)", "4/e", "c"), **C), dpc.pure("(1 + 6*c)/4*e"), "proved"),
    # counts move both ways where a record is replaced: 1/t + 2c/b; as questions in [-1, 1] by twice as much
    (study(asked((0, 1), "2/e", "2/e"), target=B), dpc.pure("3/2*e"), "proved"),
    (study(asked((0, 1), "2/e", "2/e"), target=B), dpc.pure("e"), "refuted"),
    (study(asked((1,), "4/e", "2/e"), target=B), dpc.pure("2*e"), "proved"),
    (study(asked((1,), "4/e", "2/e"), target=B), dpc.pure("1.99*e"), "refuted"),
    # groups; bounds of which one is farther out: 2/t + 3c/b
    (study(asked((0, 1), "2/e", "2/e"), target=dpc.group(3, U)), dpc.pure("3*e"), "proved"),
    (study(asked((0, 1), "2/e", "2/e"), target=dpc.group(3, U)), dpc.pure("2.9*e"), "refuted"),
    (study(asked((-1, 2), "3/e", "2/e")), dpc.pure("2*e"), "proved"),
    (study(asked((-1, 2), "3/e", "2/e")), dpc.pure("1.9*e"), "refuted"),
    # two of them, and the sums that passed with fresh noise: e/2 + e/2 and 3*(e/3)
    (study(asked((0, 1), "2/e", "2/e"), asked((0, 1), "2/e", "2/e", name="N")), dpc.pure("1.9*e"), "refuted"),
    (study(asked((0, 1), "6/e", "2/e", 3), FRESH), dpc.pure("2*e"), "proved"),
    (study(asked((0, 1), "6/e", "2/e", 3), FRESH), dpc.pure("1.9*e"), "refuted"),
    # in other notions what bounds it is known, and not what it loses
    (study(asked((0, 1), "2/e", "2/e")), dpc.zcdp("e**2/2"), "proved"),
    (study(asked((0, 1), "2/e", "2/e")), dpc.zcdp("e**2/1000"), "undecided"),
    (study(asked((0, 1), "2", "2")), dpc.approximate(1, 0), "proved"),
    (study(asked((0, 1), "2", "2")), dpc.approximate("1/2", "0.245"), "proved"),
    (study(asked((0, 1), "2", "2")), dpc.approximate("1/2", "0.01"), "undecided"),
]


@pytest.mark.parametrize(("found", "claim", "verdict"), CLAIMS)
def test_claims(found: dpc.Study, claim: Any, verdict: str) -> None:
    assert found.check(claim).verdict == verdict


def test_files_and_python_say_the_same(tmp_path: Any) -> None:
    one = study(asked(("-d", "2*d"), "4*c/e", "2/e", "c"), **C)
    path = tmp_path / "one.toml"
    path.write_text(one.to_toml(), "utf-8")
    assert 'times = "c"' in one.to_toml() and 'threshold-scale = "2/e"' in one.to_toml()
    assert str(load(path)[0].guarantee()) == str(one.guarantee())


SOME = 'query = { questions = "1" }\nnoise = '
REFUSED = [
    # no noise on sums, none on the threshold, no limit
    (SOME + '{ above-threshold = "0", threshold-scale = "1", times = "1" }', "scale must be positive"),
    (
        SOME + '{ above-threshold = "1", threshold-scale = "0", times = "1" }',
        "threshold's noise must be positive",
    ),
    (SOME + '{ above-threshold = "1", threshold-scale = "1", times = "oo" }', "no finite epsilon holds"),
    (SOME + '{ above-threshold = "1", threshold-scale = "1", times = "3/2" }', "is a whole number"),
    (SOME + '{ above-threshold = "1", threshold-scale = "1", times = "c" }', "is a whole number"),
    (SOME + '{ above-threshold = "1", threshold-scale = "1" }', "has other parameters besides"),
    (SOME + '{ laplace = "1", times = "1" }', "has other parameters besides"),
    (SOME + '{ laplace = "1" }', "laplace is not for whether sums"),
    (
        'query = "count"\nnoise = { above-threshold = "1", threshold-scale = "1", times = "1" }',
        "it needs questions",
    ),
    (
        'query = { questions = ["2", "1"] }\nnoise = { above-threshold = "1", threshold-scale = "1", times = "1" }',
        "not known that 2 <= 1",
    ),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_refused(text: str, why: str, tmp_path: Any) -> None:
    with pytest.raises((ProblemError, InvalidSetting), match=why):
        core_noise.read(text, tmp_path)


VALUES = {"L": "1", "m": "1", "l": "-1", "u": "1"}
FORGED = [
    ({}, "above-threshold", None),
    ({"L": "3/2"}, "above-threshold", "L is to be a whole number"),
    ({"L": "s"}, "above-threshold", "s is not known to be at least 1"),
    ({"m": "-1"}, "above-threshold", "-1 is not known to be at least 0"),
    ({"l": "2"}, "above-threshold", "moves by a negative amount"),
    ({}, "laplace", "questions does not say how far it moves in the norm L1"),
]


@pytest.mark.parametrize(("changes", "page", "why"), FORGED)
def test_forged_settings_are_refused(changes: dict[str, str], page: str, why: str | None) -> None:
    """What the kernel reads of it: no theorem about another number of answers, or other moves."""
    noise = {"query": {"page": "questions", "values": VALUES | changes}, "page": page, "parameter": "2"}

    def derived() -> Any:
        prover = core_noise.prover(noise, "pure", "s")
        cover, lost = prover.by("cover"), prover.by("noise", i=1, notion="pure")
        return prover.by("attain", cover, lost, notion="pure", neighbours=[1], by=[1])

    if why is None:
        assert derived().says.value.number == Fraction(3, 2)  # (m*1 + L*2)/2
        return
    with pytest.raises((NoTheorem, BadSetting), match=why):
        derived()


def questions(name: str, low: int, high: int, **reads: Any) -> Any:
    noise = dpc.above_threshold(1, 1, 1)
    return dpc.mechanism(name, query=dpc.questions(low, high), noise=noise, **reads)


APART = [questions(x, 0, 1, reads=dpc.restriction([x])) for x in "ab"]
BESIDE = [questions("M", 0, 1), questions("N", -1, 0)]


@pytest.mark.parametrize(
    ("some", "target", "epsilon", "verdict"),
    [
        # counts that fall lose 1 in the one order, and 2 in the other; those that rise the other way round
        (APART, B, "3", "undecided"),
        (BESIDE, U, "3", "undecided"),
        (BESIDE, U, "4", "proved"),
        ([questions(x, 0, 1) for x in "MN"], U, "3.9", "refuted"),
        ([questions(x, 0, 1) for x in "MN"], B, "5.9", "refuted"),
        ([questions("M", -1, 1), questions("N", 0, 1)], U, "4.9", "refuted"),
    ],
)
def test_several_lose_most_in_one_order(some: list[Any], target: Any, epsilon: str, verdict: str) -> None:
    made = dpc.compose(*some, on=dpc.multisets("ab"), target=target)
    assert made.check(dpc.pure(epsilon)).verdict == verdict


@pytest.mark.parametrize(("some", "target"), [(APART, B), (BESIDE, U)])
def test_what_is_lost_in_two_orders_is_not_added_up(some: list[Any], target: Any) -> None:
    """A derivation that both lose 2 at two databases."""
    core = Elaborated(dpc.compose(*some, on=dpc.multisets("ab"), target=target).setting).core
    prover = Prover(core, Theory(registry.standard().pages))
    cover, lost = prover.by("cover"), [prover.by("noise", i=i, notion="pure") for i in (1, 2)]
    (n,) = [n for n, type in enumerate(cover.says.cover.types, start=1) if len(type.moves) == 2]
    with pytest.raises(NoTheorem, match="only what bounds it"):
        prover.by("attain", cover, *lost, notion="pure", neighbours=[n], by=[1, 2])
