"""Counts by keys with normal noise, shown from a threshold on: the curve is that of formulas, and never exceeded
by outputs that are worked out in cells, in both orders; claims around it; what is refused."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import core_noise
import pytest

import dpcompose as dpc
from dpcompose.front.studies.loading import load
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.deciders.curves.keys import Keyed
from dpcompose.kernel.deciders.curves.pieces import piece, turned
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory import registry

U, B = dpc.unbounded, dpc.bounded


def phi(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def normal(mu: float, epsilon: float) -> float:
    if mu == 0:
        return max(0.0, 1 - math.exp(epsilon))
    return phi(-epsilon / mu + mu / 2) - math.exp(epsilon) * phi(-epsilon / mu - mu / 2)


def delta(L: int, m: float, s: float, tau: float, epsilon: float) -> float:
    """The largest δ over how many of L keys are new, in both orders."""
    p, found = phi(-(tau - m) / s), []
    for j in range(L + 1):
        mu, shown = math.sqrt(L - j) * m / s, 1 - (1 - p) ** j
        found.append(shown + (1 - shown) * normal(mu, epsilon - math.log(1 - shown)))
        found.append(normal(mu, epsilon + math.log(1 - shown)))
    return max(found)


def excess(D: list[float], E: list[float], s: float, tau: float, epsilon: float) -> float:
    """P(S) − e^ε·Q(S) for the best set S of cells of what is shown; a key that nobody has is hidden."""
    ends = [tau + s * (n / 3) for n in range(12)]

    def shown(count: float) -> list[float]:
        beyond = [phi((count - y) / s) if count else 0.0 for y in ends]
        return [1 - beyond[0], *(x - y for x, y in itertools.pairwise(beyond)), beyond[-1]]

    keys = [list(zip(shown(x), shown(z), strict=True)) for x, z in zip(D, E, strict=True)]
    total = 0.0
    for outcome in itertools.product(*keys):
        p, q = math.prod(one[0] for one in outcome), math.prod(one[1] for one in outcome)
        total += max(0.0, p - math.exp(epsilon) * q)
    return total


def keyed(L: int, m: object, s: object, tau: object, back: bool = False) -> Keyed:
    values = {"L": Fraction(L), "m": Fraction(str(m)), "s": Fraction(str(s)), "tau": Fraction(str(tau))}
    asked = {"square": "(m/s)**2", "keys": "L", "apart": "(tau - m)/s"}
    found = turned(piece(asked, {key: terms.number(x) for key, x in values.items()}, terms.ONE), int(back))
    assert isinstance(found, Keyed)
    return found


def at(curve: Curve, epsilon: float) -> tuple[float, float]:
    x = terms.number(Fraction(epsilon).limit_denominator(1000))
    return float(curve.below(x, 64)), float(curve.above(x, 64))


@pytest.mark.parametrize("L", [1, 2, 3])
@pytest.mark.parametrize(("m", "s", "tau"), [(1, 6, 27), (1, "0.7", 2), (2, 3, 4)])
def test_the_curve_is_that_of_the_formulas(L: int, m: int, s: object, tau: int) -> None:
    for epsilon in (0.0, 0.25, 1.0, 3.0):
        low, high = at(Curve.of([keyed(L, m, s, tau)]), epsilon)
        truth = delta(L, m, float(s), tau, epsilon)  # type: ignore[arg-type]
        assert low - 1e-12 <= truth <= high + 1e-12 and high - low < 1e-9


def test_it_is_never_exceeded_and_not_too_large() -> None:
    """Random counts of what one person has, who comes or goes or is replaced by another one."""
    rng, reached = random.Random(11), 0.0
    for n in range(60):
        L, m, s, replaced = rng.randint(1, 2), 1, rng.choice([0.5, 1.0, 3.0]), n % 2 == 1
        tau, epsilon = m + rng.choice([0, 1, 3]), rng.choice([0.0, 0.5, 1.0])
        rest = [rng.choice([0, 0, 40]) for _ in range(rng.randint(1, 4 if replaced else 3))]
        persons = [{k: 1 for k in rng.choices(range(len(rest)), k=L)} for _ in range(1 + replaced)]
        D = [x + persons[0].get(k, 0) for k, x in enumerate(rest)]
        E = [x + (persons[1].get(k, 0) if replaced else 0) for k, x in enumerate(rest)]
        both = [keyed(L, m, s, tau), keyed(L, m, s, tau, back=True)]
        most = at(Curve.of(both if replaced else both[:1]), epsilon)[1]
        for x, z in ((D, E), (E, D)):
            found = excess([float(v) for v in x], [float(v) for v in z], s, tau, epsilon)
            assert found <= most + 1e-9
            reached = max(reached, found / most)
    assert reached > 0.999


def test_several_choose_their_keys_apart() -> None:
    """Two releases: keys new in the one and old in the other may be the worst; all together bounds each."""
    one, other = keyed(1, 1, 2, 5), keyed(1, 1, 5, 2)
    two = Curve.of([one, other])
    apart = [Curve.of([*one.with_new(a, 1 - a), *other.with_new(b, 1 - b)]) for a in (0, 1) for b in (0, 1)]
    assert at(two, 0.5)[1] == max(at(curve, 0.5)[1] for curve in apart)
    assert at(Curve.of([one, other], adaptive=True), 0.5)[1] > at(two, 0.5)[1]
    many = Curve.of([keyed(3, 1, 2, 5).times(40)])
    low, high = at(many, 8.0)
    assert 0 < low < high <= 1


def places(L: object, s: str, tau: str, name: str = "M") -> Any:
    return dpc.mechanism(name, query=dpc.keys(L), noise=dpc.gaussian_noise(s, threshold=tau))


def study(*mechanisms: Any, target: Any = U, size: str = "any", **more: Any) -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab", size=size), target=target, **more)


ONE, SMALL = places(2, "6", "27"), places(1, "6", "27")
COUNT = dpc.mechanism("N", query=dpc.count, noise=dpc.laplace(1))
MU = "(sqrt(2)/s)"
SYMBOLIC = study(places(2, "s", "1 + t"))
CLAIMS = [
    # by the formula: 1.46868e-5, of two new keys
    (study(ONE), dpc.approximate(1, "1.4687e-5"), "proved"),
    (study(ONE), dpc.approximate(1, "1.4686e-5"), "refuted"),
    (study(ONE), dpc.approximate(50, "1.4686e-5"), "refuted"),
    # the noise of one key is too small for two
    (study(ONE), dpc.approximate("0.1", str(round(delta(1, 1, 6, 27, 0.1), 6))), "refuted"),
    # where a person is replaced, by the square of 4 old keys and more
    (study(ONE, target=B), dpc.approximate(1, "1.4687e-5"), "refuted"),
    (study(ONE, target=B), dpc.approximate(1, "0.01"), "proved"),
    (study(ONE), dpc.pure(1000), "refuted"),
    (study(ONE), dpc.zcdp(1000), "refuted"),
    (study(ONE), dpc.gaussian(1000), "refuted"),
    (study(ONE, places(1, "3", "20", "N")), dpc.approximate(2, "1e-4"), "proved"),
    (study(SMALL, COUNT), dpc.approximate(2, "1e-4"), "proved"),
    (study(SMALL, COUNT), dpc.approximate(1, "1e-4"), "refuted"),
    # what several persons have in common is not known; nor what is lost where there are few
    (study(ONE, target=dpc.group(2, U)), dpc.approximate(1, "1e-5"), "refuted"),
    (study(ONE, target=dpc.group(2, U)), dpc.approximate(1, "0.1"), "undecided"),
    (study(ONE, size="<= 5"), dpc.approximate(1, "1.4687e-5"), "proved"),
    (study(ONE, size="<= 5"), dpc.approximate(1, "1.4686e-5"), "undecided"),
    # the formula of the page, in letters: mu = sqrt(2)/s, x = t/s
    (SYMBOLIC, dpc.approximate(f"{MU}**2/2 + {MU}*t/s", "1 - (1 - exp(-t**2/(2*s**2))/2)**3"), "proved"),
    (SYMBOLIC, dpc.approximate(f"{MU}**2/2 + {MU}*t/s", "3*exp(-t**2/(2*s**2))/2"), "proved"),
    (study(places(2, "6", "27 + t")), dpc.approximate(1, "1e-9"), "refuted"),
]


@pytest.mark.parametrize(("found", "claim", "verdict"), CLAIMS)
def test_claims(found: dpc.Study, claim: Any, verdict: str) -> None:
    assert found.check(claim).verdict == verdict


def test_files_and_python_say_the_same(tmp_path: Any) -> None:
    path = tmp_path / "one.toml"
    path.write_text(study(ONE).to_toml(), "utf-8")
    assert 'noise = { gaussian = "6", threshold = "27" }' in study(ONE).to_toml()
    assert load(path)[0].curve().delta(1).ends() == ("1.468679e-5", "1.46868e-5")


@pytest.mark.parametrize("claimed", ["0.2", "0.25", "0.31"])
def test_one_goes_from_here_and_another_one_comes_there(claimed: str) -> None:
    """Of a record of a and one of b in its place at most 0.19116 at 1/2, by shown keys at D and others at E.

    Both were counted at D, and 0.31 was refuted.  Nor is that a derivation, at whichever neighbours; where
    one record comes or goes all see it at the same database, and it is."""
    both = [
        dpc.mechanism(
            x, query=dpc.keys(2), noise=dpc.gaussian_noise(3, threshold=5), reads=dpc.restriction([x])
        )
        for x in "ab"
    ]
    made = study(*both, target=B)
    assert made.check(dpc.approximate("1/2", claimed)).verdict != "refuted"
    prover = Prover(Elaborated(made.setting).core, Theory(registry.standard().pages))
    cover = prover.by("cover")
    lost = [prover.by("noise", i=i, notion="approximate") for i in (1, 2)]
    claim = {"notion": "approximate", "epsilon": "1/2", "delta": claimed}
    for n, type in enumerate(cover.says.cover.types, start=1):
        with pytest.raises(NoTheorem, match=r"only what bounds it|not seen to be above"):
            prover.by("exceed", cover, *lost, claim=claim, point={}, neighbours=n, bits=128, by=[1, 2])
        assert type.moves
    with pytest.raises(NoTheorem, match="who comes and who goes"):
        prover.by("curve", cover, *lost, claim=claim, bits=128)
    assert study(*both).check(dpc.approximate("1/2", "0.1742")).verdict == "proved"
    assert study(*both).check(dpc.approximate("1/2", "0.174")).verdict == "refuted"


REFUSED = [
    ('query = { keys = "2" }\nnoise = { gaussian = "1", threshold = "1/2" }', "threshold is at least 1"),
    ('query = { keys = "3/2" }\nnoise = { gaussian = "1", threshold = "9" }', "is a whole number"),
    ('query = "count"\nnoise = { gaussian = "1", threshold = "9" }', "a threshold is for counts by keys"),
    ('query = { keys = "2" }\nnoise = { geometric = "1", threshold = "9" }', "Laplace or normal noise"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_refused(text: str, why: str, tmp_path: Any) -> None:
    with pytest.raises((ProblemError, InvalidSetting), match=why):
        core_noise.read(text, tmp_path)


GOOD = {"L": "2", "m": "1", "tau": "27", "s": "6"}
FORGED = [
    ({}, "1e-5", None),
    ({}, "1.4687e-5", "not seen to be above"),
    ({"tau": "1/2"}, "1e-5", "1/2 is not known to be at least m"),
    ({"L": "5/2"}, "1e-5", "L is to be a whole number"),
    ({"L": "x + 1"}, "1e-5", "L is to be a whole number"),
    ({"s": "0"}, "1e-5", "real value|division|not known"),
    ({"m": "-1"}, "1e-5", "-1 is not known to be at least 0"),
]


@pytest.mark.parametrize(("changes", "claimed", "why"), FORGED)
def test_forged_settings_are_refused(changes: dict[str, str], claimed: str, why: str | None) -> None:
    """What the kernel reads of it: nothing is refuted by what the page does not say."""
    x = GOOD | changes
    query = {"page": "keys", "values": {"L": x["L"], "m": x["m"]}}
    law = {
        "query": query,
        "page": "gaussian-with-threshold",
        "parameter": x["s"],
        "besides": {"tau": x["tau"]},
    }

    def derived() -> Any:
        prover = core_noise.prover(law, "approximate", "x")
        cover, lost = prover.by("cover"), prover.by("noise", i=1, notion="approximate")
        claim = {"notion": "approximate", "epsilon": "1", "delta": claimed}
        return prover.by("exceed", cover, lost, claim=claim, point={}, neighbours=1, bits=128, by=[1])

    if why is None:
        assert "curves-together" in derived().trusts.pages
        return
    with pytest.raises((NoTheorem, BadSetting), match=why):
        derived()
