"""Random comparisons of formulas, and random changes of certificates: nothing false is shown."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from search.compared import COMPARISONS, KNOWN, F, K, N, P, R, U, Z, judged, kinds, read
from shares import seeds

from dpcompose.kernel import comparison
from dpcompose.kernel.expressions import forms, formulas
from dpcompose.kernel.expressions.terms import TermError
from dpcompose.search.comparisons import weights
from dpcompose.search.comparisons.comparing import Point, Proof, compare

KINDS = [P, N, R, U, "integer >= 0", "integer >= 2", Z]


# random comparisons


def linear(rng: random.Random, names: Sequence[str], depth: int) -> str:
    """A random formula of sums, multiples, maxima, minima and tops."""
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        parts = [
            f"{rng.choice(names)}*{rng.randint(1, 3)}/{rng.randint(1, 2)}" for _ in range(rng.randint(1, 2))
        ]
        if rng.random() < 0.25:
            parts.append(f"{rng.randint(1, 3)}/2")
        return f"({' + '.join(parts)})" if rng.random() < 0.8 else f"({' - '.join(parts)})"
    inner = [linear(rng, names, depth - 1) for _ in range(rng.randint(2, 3))]
    if kind < 0.5:
        return f"({' + '.join(inner[:2])})" if rng.random() < 0.7 else f"({inner[0]} - {inner[1]})"
    if kind < 0.6:
        return f"top({rng.randint(1, len(inner))}, {', '.join(inner)})"
    return f"{rng.choice(['max', 'max', 'min'])}({', '.join(inner)})"


def combination(rng: random.Random, names: Sequence[str], depth: int) -> tuple[str, str]:
    """A formula, and one that it is at least for certain: a mean of what it compares, or its least."""
    inner = [linear(rng, names, depth - 1) for _ in range(rng.randint(2, 3))]
    mean = f"({' + '.join(inner)})*1/{len(inner)}"
    return f"max({', '.join(inner)})", rng.choice([mean, f"min({', '.join(inner)})", rng.choice(inner)])


@seeds(1, 6)
def test_random_linear_comparisons_are_always_decided(seed: int) -> None:
    rng = random.Random(seed)
    counts = {"true": 0, "false": 0, "open": 0}
    for _ in range(25):
        names = ["a", "b", "c", "d"][: rng.randint(1, 4)]
        words = {name: rng.choice(KINDS) for name in names}
        depth = rng.choice([1, 2, 2, 3])
        sure = rng.random() < 0.5
        greater, lesser = (
            combination(rng, names, depth) if sure else (linear(rng, names, depth), linear(rng, names, depth))
        )
        g, l = (read(text, kinds(words)) for text in (greater, lesser))
        if weights.pieces(forms.read(g) - forms.read(l), 300) is None:
            continue
        found = judged(greater, lesser, words)
        counts[found] += 1
        assert not (sure and found == "false"), (greater, lesser, words)
        if found == "open":
            assert any(words[name].startswith("integer") for name in g.letters | l.letters)
    assert counts["true"] >= 5 and counts["false"] >= 4 and counts["open"] <= 4, counts


@seeds(1, 3)
def test_true_by_a_hair(seed: int) -> None:
    """g ≥ l where l = g − (something that is 0 at its least), and l plus a hair: proved, and refuted."""
    rng = random.Random(seed)
    for _ in range(6):
        names = ["a", "b", "c"][: rng.randint(1, 3)]
        words = {name: rng.choice([P, N, R, U]) for name in names}
        inner, other = linear(rng, names, 1), linear(rng, names, 1)
        greater, lesser = f"max({inner}, {other})", f"({inner} + {other} + abs({inner} - {other}))*1/2"
        assert judged(greater, lesser, words) == "true"
        assert judged(lesser, greater, words) == "true"
        assert judged(greater, f"{lesser} + 1/10**6", words) == "false"


@seeds(1, 8)
def test_random_polynomials_are_never_wrong(seed: int) -> None:
    rng = random.Random(100 + seed)
    found = []
    for _ in range(10):
        names = ["a", "b", "c"][: rng.randint(1, 3)]
        words = {name: rng.choice(KINDS) for name in names}

        def polynomial(names: Sequence[str] = names) -> str:
            summands = []
            for _ in range(rng.randint(1, 3)):
                factors = [rng.choice(names) for _ in range(rng.randint(1, 3))]
                summands.append(f"{'*'.join(factors)}*{rng.randint(1, 3)}/{rng.randint(1, 3)}")
            return rng.choice([" + ", " + ", " - "]).join(summands)

        greater = rng.choice([polynomial(), f"max({polynomial()}, {polynomial()})", f"({polynomial()})**2"])
        lesser = rng.choice(
            [polynomial(), f"min({polynomial()}, {polynomial()})", f"max({polynomial()}, {polynomial()})"]
        )
        if rng.random() < 0.3:
            greater = f"{lesser} + ({polynomial()})**2"
        found.append(judged(greater, lesser, words))
    assert {"true", "false"} <= set(found)


SHAPES = [
    "exp({a})", "log(1 + {a})", "sqrt({a})", "{a}*{b}", "{a} + {b}", "{a} + {b}", "{a}**2", "{a}/(1 + {b})",
    "exp(-{a})", "exp({a}) - 1", "({a}*{b})**(1/2)", "max({a}, {b})", "{a}*3/2", "{a}*2/3", "1 + {a}",
    "log(1 + {a}*(exp({b}) - 1))", "(1 + {a})**(3/2)", "min({a}, {b})", "1/(1 + {a})", "{a}*log(1 + {b})",
]  # fmt: skip


def function(rng: random.Random, names: list[str], depth: int) -> str:
    """A random function that is ≥ 0 for parameters ≥ 0."""
    if depth == 0:
        return rng.choice([*names, *names, *names, "1", "1/2"])
    a, b = (function(rng, names, depth - rng.randint(1, 2) if depth > 1 else 0) for _ in "ab")
    return "(" + rng.choice(SHAPES).format(a=a, b=b) + ")"


def random_comparison(seed: int) -> tuple[str, str, dict[str, str]]:
    """Two random functions, or one that is at least, or nearly at least, another."""
    rng = random.Random(seed)
    words = {name: rng.choice([P, P, U, N, K]) for name in ["x", "y"][: rng.randint(1, 2)]}
    names = list(words)
    a, b = function(rng, names, rng.randint(1, 2)), function(rng, names, rng.randint(1, 2))
    greater, lesser = rng.choice(
        [
            (a, b),
            (f"{a} + {b}", a),
            (f"exp({a})", f"1 + {a}"),
            (f"({a} + {b})**2", f"4*{a}*{b}"),
            (f"sqrt({a}) + sqrt({b})", f"sqrt({a} + {b})"),
            (f"{a}", f"log(1 + {a})"),
            (f"{a}*exp({b})", f"{a} + {a}*{b}"),
            (f"{a}*{b}", f"{a}*log(1 + {b})"),
            (f"max({a}, {b})", f"({a} + {b})/2"),
        ]
    )
    factor = rng.choice(["1", "1", "1", "101/100", "99/100", "2"])
    return greater, f"{factor}*({lesser})", words


@seeds(4, 8)
def test_random_functions_are_never_wrong(seed: int) -> None:
    judged(*random_comparison(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_more_random_functions_are_never_wrong(seed: int) -> None:
    with suppress(TermError):
        judged(*random_comparison(seed))


# what is proved is about the letters' domains, and needs no more than is said


def _parts(data: Any) -> list[tuple[Any, Any]]:
    """Every place of some JSON, as a container and a key."""
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else []
    return [(data, key) for key in keys] + [one for key in keys for one in _parts(data[key])]


@seeds(1, 4)
def test_changed_certificates_show_nothing_false(seed: int) -> None:
    """Changed at random, certificates are refused by the one error; and none shows 1/1000 too much."""
    rng = random.Random(seed)
    refused = 0
    for greater, lesser, words, _ in [*COMPARISONS, *KNOWN][seed::16]:
        domains = kinds(words)
        g, l = read(greater, domains), read(lesser, domains)
        more = l + F(1, 1000)
        found = compare(g, l)
        if not isinstance(found, Proof) or not isinstance(compare(g, more), Point):
            continue
        for _ in range(25):
            changed = json.loads(json.dumps(found.certificate))
            other, at = rng.choice(_parts(json.loads(json.dumps(changed))))
            place, key = rng.choice(_parts(changed))
            place[key] = rng.choice(
                [None, 1, [], {}, "0", "-1", "2", "1/2", "x", "sqrt(a)", ["signs"], other[at]]
            )
            try:
                comparison.check_at_least(g, l, changed)
            except comparison.BadCertificate:
                refused += 1
            changed["difference"] = formulas.to_text(forms.write(forms.read(g) - forms.read(more)))
            with pytest.raises(comparison.BadCertificate):
                comparison.check_at_least(g, more, changed)
    assert refused > 20
