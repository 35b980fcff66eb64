"""Counts by keys that are not known before, shown from a threshold on: what the page says is never exceeded by
outputs that are worked out in cells, in both orders; claims around it; what is refused."""

from __future__ import annotations

import itertools
import json
import math
import random
from fractions import Fraction
from typing import Any

import core_noise
import pytest

import dpcompose as dpc
from dpcompose.front.studies.loading import load
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.theorems import NoTheorem
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings.invalid import InvalidSetting

U, B = dpc.unbounded, dpc.bounded


def above(y: float, b: float) -> float:
    """The probability that Laplace noise of scale b is above y."""
    return math.exp(-y / b) / 2 if y >= 0 else 1 - math.exp(y / b) / 2


def shown(count: float, b: float, ends: list[float]) -> list[float]:
    """What is shown of one key: hidden, or from which of the ends on its noisy count lies; the first is the
    threshold."""
    if not count:
        return [1.0] + [0.0] * len(ends)
    beyond = [above(y - count, b) for y in ends]
    return [1 - beyond[0], *(x - y for x, y in itertools.pairwise(beyond)), beyond[-1]]


def excess(D: list[float], E: list[float], b: float, threshold: float, epsilon: float) -> float:
    """P(S) − e^ε·Q(S) for the best set S of outputs in such cells."""
    ends = [threshold + b * n / 4 for n in range(9)]
    keys = [zip(shown(x, b, ends), shown(z, b, ends), strict=True) for x, z in zip(D, E, strict=True)]
    total = 0.0
    for outcome in itertools.product(*keys):
        p, q = math.prod(one[0] for one in outcome), math.prod(one[1] for one in outcome)
        total += max(0.0, p - math.exp(epsilon) * q)
    return total


def test_the_page_is_never_exceeded() -> None:
    """Random counts of up to three keys of one person, new ones and old ones."""
    rng = random.Random(3)
    for _ in range(60):
        L, m, b = rng.randint(1, 3), rng.choice([1, 2]), rng.choice([0.3, 1.0, 2.5])
        threshold = m + rng.choice([0, 0.5, 2, 6])
        adds = [rng.choice([m, m / 2]) for _ in range(rng.randint(1, L))]
        rest = [rng.choice([0, 0, 1, 3, 30]) for _ in adds]
        D, E = [x + y for x, y in zip(rest, adds, strict=True)], [float(x) for x in rest]
        delta = 1 - (1 - math.exp((m - threshold) / b) / 2) ** L
        for x, z in ((D, E), (E, D)):
            assert excess(x, z, b, threshold, L * m / b) <= delta + 1e-12


def test_a_record_that_is_replaced_has_the_same_delta() -> None:
    """Random counts of up to four keys, of which two persons have some each, and perhaps others too."""
    rng, reached = random.Random(7), 0.0
    for _ in range(150):
        L, m, b = rng.randint(1, 2), rng.choice([1, 2]), rng.choice([0.3, 1.0, 2.5])
        threshold = m + rng.choice([0, 0.5, 2])
        rest = [rng.choice([0, 0, 30]) for _ in range(rng.randint(1, 4))]
        one, other = ({n: rng.choice([m, m / 2]) for n in rng.choices(range(len(rest)), k=L)} for _ in "DE")
        D, E = ([x + some.get(n, 0.0) for n, x in enumerate(rest)] for some in (one, other))
        delta = 1 - (1 - math.exp((m - threshold) / b) / 2) ** L
        for x, z in ((D, E), (E, D)):
            found = excess(x, z, b, threshold, 2 * L * m / b)
            assert found <= delta + 1e-12
            reached = max(reached, found / delta)
    assert reached > 1 - 1e-12


@pytest.mark.parametrize("L", [1, 2, 3])
def test_what_is_said_to_be_lost_is_lost(L: int) -> None:
    """All new keys have delta; many records that have a key make what is lost that of Laplace noise."""
    b, threshold, epsilon = 0.7, 4.0, 0.5
    delta = 1 - (1 - math.exp((1 - threshold) / b) / 2) ** L
    for far in (epsilon, 5.0, 50.0):
        assert abs(excess([1.0] * L, [0.0] * L, b, threshold, far) - delta) < 1e-12
    y = (101 + 100 + epsilon * b) / 2
    event = above(y - 101, b) - math.exp(epsilon) * above(y - 100, b)
    assert abs(event - (1 - math.exp((epsilon - 1 / b) / 2))) < 1e-12
    both = above(0, b) ** L - math.exp(epsilon) * above(1, b) ** L
    assert abs(both - (1 - math.exp(epsilon - L / b)) / 2**L) < 1e-12


def places(keys: Any, scale: str, threshold: str, name: str = "M") -> Any:
    return dpc.mechanism(name, query=dpc.keys(*keys), noise=dpc.laplace(scale, threshold=threshold))


def study(*mechanisms: Any, target: Any = U, size: str = "any") -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab", size=size), target=target)


ONE, TWO = places((1,), "1", "11.82"), places((2, 3), "6/e", "3 + s")
CLAIMS = [
    # 1 + ln(1/(2*1e-5)) = 11.8198
    (study(ONE), dpc.approximate(1, "1e-5"), "proved"),
    (study(places((1,), "1", "11.81")), dpc.approximate(1, "1e-5"), "refuted"),
    (study(places((1,), "1", "1")), dpc.approximate(1, "1/2"), "proved"),
    (study(places((1,), "1", "1")), dpc.approximate(100, "0.49"), "refuted"),
    (study(ONE), dpc.approximate("0.99", "1e-5"), "refuted"),
    (study(ONE), dpc.pure(1000), "refuted"),
    (study(ONE), dpc.zcdp(1000), "refuted"),
    (study(ONE), dpc.gaussian(1000), "refuted"),
    (study(TWO), dpc.approximate("e", "1 - (1 - exp(-e*s/6)/2)**2"), "proved"),
    (study(TWO), dpc.approximate("e", "exp(-e*s/6)"), "proved"),
    (study(TWO), dpc.approximate("e", "exp(-e*s/6)/2"), "refuted"),
    (study(TWO), dpc.approximate("e/2", "exp(-e*s/6)"), "refuted"),
    # two of them add up; where a person is replaced, delta is that of one who comes
    (study(ONE, places((1,), "1", "11.82", "N")), dpc.approximate(2, "2e-5"), "proved"),
    (study(ONE, places((1,), "1", "11.82", "N")), dpc.approximate(1, "9e-6"), "refuted"),
    (study(ONE, target=B), dpc.approximate(2, "1e-5"), "proved"),
    (study(TWO, target=B), dpc.approximate("2*e", "1 - (1 - exp(-e*s/6)/2)**2"), "proved"),
    (study(TWO, target=B), dpc.approximate("2*e", "exp(-e*s/6)/2"), "refuted"),
    # two persons may have one key: by the rule (1 + e)*.9998e-5 = 3.7175e-5
    (study(ONE, target=dpc.group(2, U)), dpc.approximate(2, "3.72e-5"), "proved"),
    (study(ONE, target=dpc.group(2, U)), dpc.approximate(2, "1e-5"), "undecided"),
    (study(ONE, target=B), dpc.approximate(2, "9.9e-6"), "refuted"),
    (study(ONE, target=B), dpc.approximate("1.9", "1e-5"), "refuted"),
    # with few records only it is not known what is lost
    (study(ONE, size="<= 5"), dpc.approximate(1, "1e-5"), "proved"),
    (study(ONE, size="<= 5"), dpc.pure(1000), "undecided"),
    (study(ONE, size="= 0"), dpc.pure(0), "proved"),
]


@pytest.mark.parametrize(("found", "claim", "verdict"), CLAIMS)
def test_claims(found: dpc.Study, claim: Any, verdict: str) -> None:
    assert found.check(claim).verdict == verdict


def test_databases_are_shown() -> None:
    """Two new keys at D; or so many records that a count tells more than a new key."""
    found = study(places((2,), "1", "3")).check(dpc.approximate(2, "0.13")).counterexample
    assert found is not None and found.pair == (("a",), ())
    assert found.data()["mechanisms"][0]["query at D"] == "2 keys with the count 1"
    (row,) = study(ONE).check(dpc.approximate("1/2", "1e-5")).counterexample.data()["mechanisms"]  # type: ignore[union-attr]
    assert (row["query at D"], row["query at E"]) == ("a key with the count 2", "a key with the count 1")


def test_files_and_python_say_the_same(tmp_path: Any) -> None:
    one = study(TWO)
    path = tmp_path / "one.toml"
    path.write_text(one.to_toml(), "utf-8")
    assert 'keys = ["2", "3"]' in one.to_toml() and 'threshold = "s + 3"' in one.to_toml()
    assert str(load(path)[0].guarantee()) == str(one.guarantee())


REFUSED = [
    ('query = { keys = "2" }\nnoise = { laplace = "1", threshold = "1/2" }', "threshold is at least 1"),
    ('query = { keys = ["2", "m"] }\nnoise = { laplace = "1", threshold = "t" }', "threshold is at least m"),
    ('query = { keys = "0" }\nnoise = { laplace = "1", threshold = "9" }', "keys a record has is at least 1"),
    ('query = { keys = "L" }\nnoise = { laplace = "1", threshold = "9" }', "keys a record has is at least 1"),
    ('query = { keys = "3/2" }\nnoise = { laplace = "1", threshold = "9" }', "is a whole number"),
    ('query = { keys = "oo" }\nnoise = { laplace = "1", threshold = "9" }', "finitely many keys"),
    ('query = { keys = "2" }\nnoise = { laplace = "1" }', "laplace is not for counts by keys"),
    ('query = { keys = "2" }\nnoise = { gaussian = "1" }', "gaussian is not for counts by keys"),
    ('query = "count"\nnoise = { laplace = "1", threshold = "9" }', "a threshold is for counts by keys"),
    (
        'query = { keys = "2" }\nnoise = { geometric = "1", threshold = "9" }',
        "one of Laplace or normal noise",
    ),
    ('query = { keys = "2" }\nnoise = { threshold = "9" }', "noise is { laplace"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_refused(text: str, why: str, tmp_path: Any) -> None:
    with pytest.raises((ProblemError, InvalidSetting), match=why):
        core_noise.read(text, tmp_path)


GOOD = {
    "query": {"page": "keys", "values": {"L": "2", "m": "1"}},
    "page": "laplace-with-threshold",
    "parameter": "2",
    "besides": {"tau": "1 + s"},
}
CLAIM = {"notion": "approximate", "epsilon": "1", "delta": "1e-9"}
FORGED = [
    ({}, None),
    ({"besides": {"tau": "1 - s"}}, "1 - s is not known to be at least m"),
    ({"besides": {"tau": "s"}}, "s is not known to be at least m"),
    ({"besides": {}}, "it is not said what tau is"),
    ({"besides": {"tau": "9", "m": "0"}}, "other letters than those of the query"),
    ({"parameter": "-2"}, "is not known to be at least 0"),
    ({"query": {"page": "keys", "values": {"L": "1/2", "m": "1"}}}, "1/2 is not known to be at least 1"),
    ({"query": {"page": "keys", "values": {"L": "x + 1", "m": "1"}}}, "L is to be a whole number"),
    ({"query": {"page": "keys", "values": {"L": "3/2", "m": "1"}}}, "L is to be a whole number"),
    ({"page": "laplace", "besides": {}}, "keys does not say how far it moves in the norm L1"),
    (
        {"query": {"page": "histogram", "values": {}}, "besides": {"tau": "9", "L": "1", "m": "1"}},
        "histogram does not say how far it moves in the norm records",
    ),
]


@pytest.mark.parametrize(("changes", "why"), FORGED)
def test_forged_settings_are_refused(changes: dict[str, Any], why: str | None) -> None:
    """What the kernel reads of noise with a threshold: no theorem about its loss, its moves, or its event."""

    def derived() -> Any:
        prover = core_noise.prover(GOOD | changes, "approximate", "s", "x")
        cover, lost = prover.by("cover"), prover.by("noise", i=1, notion="approximate")
        point = {"s": "1", **({"x": "1/2"} if "x" in json.dumps(changes) else {})}
        return prover.by("exceed", cover, lost, claim=CLAIM, point=point, neighbours=1, bits=128, by=[1])

    if why is None:
        assert derived().says.values[1][1].number == Fraction(1, 10**9)
        return
    with pytest.raises((NoTheorem, BadSetting), match=why):
        derived()
