"""Rényi privacy: guarantees for orders, by hand, against exact tables, and in Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import mpmath
import pytest
import rechecks
import sympy
from converted import number

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.core.orders import Curve, NotThere, Orders
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import terms
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.settings.orders import common
from dpcompose.proof.theory import registry

THEORY = registry.standard()
Row = list[Fraction]


def renyi(P: Sequence[Any], Q: Sequence[Any], alpha: Any) -> Any:
    """D_α(P ‖ Q) of tables."""
    some = [mpmath.mpf(p) ** alpha * mpmath.mpf(q) ** (1 - alpha) for p, q in zip(P, Q, strict=True)]
    return mpmath.log(mpmath.fsum(some)) / (alpha - 1)


def of_page(id: str, key: str, **values: Any) -> Any:
    """A formula of a page at numbers."""
    head = THEORY.pages[id].head
    text = getattr(head, "parameters", {}).get(key) if head.kind == "conversion" else getattr(head, key)
    known = {name: sympy.Rational(x) for name, x in values.items()}
    return number(formulas.parse(text, known))


def table(rng: Random, n: int = 3) -> list[Any]:
    some = [rng.randint(1, 20) for _ in range(n)]
    return [mpmath.mpf(x) / sum(some) for x in some]


# orders


@pytest.mark.parametrize(
    "text", ["1", "(0, 2)", "[1, 2]", "(3, 2)", "(2, 2]", "", "(1, 2", "1/0", "oo", "(2, oo]", "alpha"]
)
def test_what_are_no_orders(text: str) -> None:
    with pytest.raises(ValueError, match="are no orders"):
        Orders.read(text)


@pytest.mark.parametrize(
    ("one", "other", "within"),
    [
        ("(1, 2)", "(1, 2]", True),
        ("(1, 2]", "(1, 2)", False),
        ("2", "(1, 2)", False),
        ("2", "[2, 3)", True),
        ("[2, 3)", "(2, oo)", False),
        ("(1, oo)", "(1, 8]", False),
        ("3/2", "(1, oo)", True),
    ],
)
def test_orders_within_others(one: str, other: str, within: bool) -> None:
    assert Orders.read(one).within(Orders.read(other)) is within
    assert common([Orders.read(other)]) == Orders.read(other)


def test_orders_in_common() -> None:
    assert str(common([Orders.read(one) for one in ("(1, 8]", "[2, oo)", "(1, 4)")])) == "[2, 4)"
    assert str(common([Orders.read(one) for one in ("3", "2", "(1, 8]")])) == "2"
    with pytest.raises(NotThere, match="no order is in all of"):
        common([Orders.read("(1, 2)"), Orders.read("(2, 3)")])


# distances, by hand


def curve(orders: str, text: str) -> Curve:
    read = Orders.read(orders)
    letters = {name: terms.letter(name) for name in "xy"}
    return Curve(read, kernel.parse(text, {**letters, "alpha": read.order}))


@pytest.mark.parametrize(
    ("orders", "text", "at", "r", "found"),
    [
        ("(1, oo)", "alpha*x", "(1, oo)", 3, "9*alpha*x"),
        ("(1, oo)", "x", "2", 3, "3*x"),
        ("(1, 4)", "alpha*x", "(1, 2)", 2, "4*alpha*x"),
        ("(1, 4]", "alpha*x", "2", 2, "8*x"),
        ("3", "x", "9/5", 2, "5*x/2"),
        ("3", "x", "3/2", 2, "5*x/2"),
        ("3", "x", "2", 1, "x"),
        ("[2, 5]", "alpha*x", "3/2", 1, "2*x"),
        ("2", "x", "8/7", 3, "7*x"),
        ("(1, 8]", "x + alpha*y", "5", 0, "0"),
    ],
)
def test_at_a_distance(orders: str, text: str, at: str, r: int, found: str) -> None:
    assert kernel.to_text(curve(orders, text).at(Orders.read(at), terms.number(r))) == found


@pytest.mark.parametrize(
    ("orders", "at", "r"),
    [
        ("3", "2", 2),
        ("3", "19/10", 2),
        ("(1, 4)", "16/7", 2),
        ("(1, 4]", "(1, 3)", 2),
        ("8", "9", 1),
        ("[2, 5]", "3/2", 2),
    ],
)
def test_orders_of_which_nothing_is_known(orders: str, at: str, r: int) -> None:
    with pytest.raises(NotThere, match="nothing is"):
        curve(orders, "alpha*x").at(Orders.read(at), terms.number(r))


def test_chains_of_tables_keep_the_bounds_at_a_distance() -> None:
    """The third and fourth case of the rule page, and the first for what is a multiple of α on a grid."""
    rng = Random(3)
    for _ in range(12):
        chain = [table(rng) for _ in range(rng.choice([3, 4]))]
        r, B = len(chain) - 1, mpmath.mpf(rng.choice([3, 4, 5, 8])) / 2
        q = B / (B - 1)
        epsilon = max(renyi(P, Q, B) for P, Q in pairwise(chain))
        for share in (mpmath.mpf(1) / 3, mpmath.mpf(1)):
            beta = 1 + share * (q**r / (q**r - 1) - 1)
            assert renyi(chain[0], chain[-1], beta) <= (B - 1) * (q**r - 1) * epsilon * (
                1 + mpmath.mpf(10) ** -12
            )
        grid = [1 + mpmath.mpf(n) / 50 for n in range(5, 400, 10)]
        rho = max(renyi(P, Q, a) / a for a in grid for P, Q in pairwise(chain))
        assert all(renyi(chain[0], chain[-1], a) <= r**2 * rho * a for a in (grid[1], grid[6]) if r * a < 8)


def test_no_order_further_is_reached() -> None:
    """The chain of the lemma: D_B stays finite, and the sum for β beyond the end grows without bound."""
    B, r = mpmath.mpf(3), 2
    q = B / (B - 1)
    s = [1 - q ** -(r - j) for j in range(r + 1)]
    for j in range(1, r + 1):
        assert abs(B * s[j - 1] - (B - 1) * s[j] - 1) < mpmath.mpf(10) ** -12
    end = q**r / (q**r - 1)
    assert abs(end - mpmath.mpf(9) / 5) < mpmath.mpf(10) ** -12
    assert (end + mpmath.mpf(1) / 100) * s[0] > 1 > (end - mpmath.mpf(1) / 100) * s[0]


# the formulas of pages, against tables and integrals


@pytest.mark.parametrize("alpha", [Fraction(11, 10), Fraction(2), Fraction(7, 2), Fraction(20)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_pure_privacy_at_an_order(epsilon: Fraction, alpha: Fraction) -> None:
    a, e = (
        mpmath.mpf(alpha.numerator) / alpha.denominator,
        mpmath.mpf(epsilon.numerator) / epsilon.denominator,
    )
    p = mpmath.exp(e) / (mpmath.exp(e) + 1)
    exact = renyi([p, 1 - p], [1 - p, p], a)
    found = of_page("pure-to-renyi", "epsilon", epsilon=epsilon, alpha=alpha)
    assert mpmath.almosteq(exact, found, 1e-12)
    assert mpmath.almosteq(exact, of_page("pure-in-renyi", "loss", epsilon=epsilon, alpha=alpha, r=1), 1e-12)
    assert found <= of_page("pure-to-renyi-least", "epsilon", epsilon=epsilon, alpha=alpha)
    cosh = mpmath.log(mpmath.cosh((a - 0.5) * e) / mpmath.cosh(e / 2)) / (a - 1)
    assert mpmath.almosteq(found, cosh, 1e-12)


def test_pure_pairs_have_no_more() -> None:
    rng = Random(5)
    for _ in range(40):
        P, Q = table(rng), table(rng)
        loss = max(abs(mpmath.log(p / q)) for p, q in zip(P, Q, strict=True))
        for a in (mpmath.mpf(3) / 2, mpmath.mpf(4)):
            bound = mpmath.log(mpmath.cosh((a - 0.5) * loss) / mpmath.cosh(loss / 2)) / (a - 1)
            assert renyi(P, Q, a) <= bound + mpmath.mpf(10) ** -12


@pytest.mark.parametrize(("b", "r", "alpha"), [(1, 1, 2), (1, 2, 3), (2, 1, Fraction(3, 2)), (1, 1, 12)])
def test_laplace_noise_at_an_order(b: int, r: int, alpha: Fraction) -> None:
    a = mpmath.mpf(Fraction(alpha).numerator) / Fraction(alpha).denominator

    def inside(y: Any) -> Any:
        return mpmath.exp(-a * abs(y) / b + (a - 1) * abs(y - r) / b) / (2 * b)

    exact = mpmath.log(mpmath.quad(inside, [-60, 0, r, 90])) / (a - 1)
    assert mpmath.almosteq(exact, of_page("laplace", "renyi", b=b, r=r, alpha=alpha), 1e-9)


def test_divergences_as_epsilon_and_delta() -> None:
    """Canonne, Kamath, Steinke: the least δ of a pair at the ε of its divergence is no more; and Mironov's is larger."""
    rng = Random(8)
    for _ in range(30):
        P, Q, alpha = table(rng, 4), table(rng, 4), rng.choice([2, 3, 8])
        tau, delta = renyi(P, Q, alpha), mpmath.mpf(1) / rng.choice([10, 1000])
        known = {
            "epsilon": sympy.Rational(Fraction(float(tau) + 1e-12)),
            "alpha": sympy.Integer(alpha),
            "delta": sympy.Rational(Fraction(float(delta))),
        }
        texts = [
            THEORY.pages[id].head.parameters["epsilon"]
            for id in ("renyi-to-approximate", "renyi-to-approximate-plain")
        ]
        close, plain = (number(formulas.parse(text, known)) for text in texts)
        assert 0 <= close <= plain
        assert mpmath.fsum(max(0, p - mpmath.exp(close) * q) for p, q in zip(P, Q, strict=True)) <= delta


# verdicts

FILE = """
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "{target}"
{mechanisms}
[[claims]]
{claim}
"""
MECHANISM = """
[[mechanisms]]
name = "{name}"
{reads}
guarantee = {{ {guarantee}, granularity = "unbounded"{domain} }}
"""


def made(target: str, claim: str, *guarantees: str, parts: bool = False) -> tuple[Study, Any]:
    reads = ['reads = { records = ["a"] }', 'reads = { records = ["b"] }']
    domain = ', domain = "own"' if parts else ""
    some = [
        MECHANISM.format(name=f"M{n}", reads=reads[n] if parts else "", guarantee=one, domain=domain)
        for n, one in enumerate(guarantees)
    ]
    text = FILE.format(target=target, mechanisms="".join(some), claim="\n".join(claim.split("; ")))
    problem = problems.read_text(text)
    return Study(problem.setting, THEORY), problem.claims[0]


ALL = 'notion = "renyi", epsilon = "{}", orders = "{}"'


@pytest.mark.parametrize(
    ("target", "claim", "guarantees", "word"),
    [
        ("unbounded", 'orders = "(1, oo)"; epsilon = "alpha*(x + y)"', [("alpha*x", "(1, oo)"), ("alpha*y", "(1, oo)")], "proved"),
        ("unbounded", 'orders = "4"; epsilon = "4*x + y"', [("alpha*x", "(1, oo)"), ("y", "4")], "proved"),
        ("unbounded", 'orders = "4"; epsilon = "3*x + y"', [("alpha*x", "(1, oo)"), ("y", "4")], "refuted"),
        ("unbounded", 'orders = "3"; epsilon = "3*x + y"', [("alpha*x", "(1, oo)"), ("y", "4")], "proved"),
        ("unbounded", 'orders = "5"; epsilon = "9*x + 9*y"', [("alpha*x", "(1, oo)"), ("y", "4")], "refuted"),
        ("unbounded", 'orders = "(1, 4]"; epsilon = "alpha*x + y"', [("alpha*x", "(1, oo)"), ("y", "4")], "proved"),
        ("unbounded", 'orders = "4"; epsilon = "x"', [("min(x, alpha*y)", "(1, oo)")], "proved"),
        ("unbounded", 'orders = "4"; epsilon = "x/2"', [("min(x, alpha*y)", "(1, oo)")], "undecided"),
        ("bounded", 'orders = "(1, oo)"; epsilon = "4*alpha*x"', [("alpha*x", "(1, oo)")], "proved"),
        ("bounded", 'orders = "(1, oo)"; epsilon = "2*alpha*x"', [("alpha*x", "(1, oo)")], "refuted"),
        ("bounded", 'orders = "(1, 4)"; epsilon = "4*alpha*x"', [("alpha*x", "(1, 8)")], "proved"),
        ("bounded", 'orders = "(1, 17/4)"; epsilon = "4*alpha*x"', [("alpha*x", "(1, 8)")], "undecided"),
        ("bounded", 'orders = "(1, 8)"; epsilon = "4*alpha*x"', [("alpha*x", "(1, 8)")], "refuted"),
        ("bounded", 'orders = "(1, oo)"; epsilon = "2*x"', [("x", "(1, oo)")], "proved"),
        ("bounded", 'orders = "9/5"; epsilon = "5*x/2"', [("x", "3")], "proved"),
        ("bounded", 'orders = "9/5"; epsilon = "2*x"', [("x", "3")], "refuted"),
        ("unbounded", 'orders = "(1, oo)"; epsilon = "oo"', [("alpha*x", "(1, 2)")], "proved"),
    ],
)  # fmt: skip
def test_verdicts(target: str, claim: str, guarantees: list[tuple[str, str]], word: str) -> None:
    study, claim_ = made(target, f'notion = "renyi"; {claim}', *(ALL.format(*one) for one in guarantees))
    found = study.check(claim_)
    assert (found.verdict, bool(found.reason)) == (word, word == "undecided")
    saved = rechecks.saved(study, [found])
    assert rechecks.check(saved, THEORY).verdicts == (word,)


@pytest.mark.parametrize(
    ("claim", "guarantee", "word"),
    [
        ('notion = "renyi"; orders = "3"; epsilon = "3*e**2/2"', 'notion = "pure", epsilon = "e"', "proved"),
        ('notion = "renyi"; orders = "3"; epsilon = "e"', 'notion = "pure", epsilon = "e"', "proved"),
        ('notion = "renyi"; orders = "3"; epsilon = "e**2"', 'notion = "pure", epsilon = "e"', "refuted"),
        ('notion = "renyi"; orders = "(1, oo)"; epsilon = "99*e"', 'notion = "approximate", epsilon = "e", delta = "1/100"', "refuted"),
        ('notion = "renyi"; orders = "(1, 2)"; epsilon = "alpha*m**2/2"', 'notion = "gaussian", mu = "m"', "proved"),
        ('notion = "renyi"; orders = "(1, 2)"; epsilon = "m**2/2"', 'notion = "gaussian", mu = "m"', "refuted"),
        ('notion = "zcdp"; rho = "x"', ALL.format("alpha*x", "(1, oo)"), "proved"),
        ('notion = "zcdp"; rho = "x"', ALL.format("min(alpha*x, y)", "(1, oo)"), "proved"),
        ('notion = "zcdp"; rho = "x"', ALL.format("alpha*x", "(1, 99)"), "refuted"),
        ('notion = "zcdp"; rho = "x/2"', ALL.format("alpha*x", "(1, 99)"), "refuted"),
        ('notion = "pure"; epsilon = "x"', ALL.format("x", "(1, oo)"), "proved"),
        ('notion = "pure"; epsilon = "x"', ALL.format("x", "(1, 99)"), "refuted"),
        ('notion = "pure"; epsilon = "9*x"', ALL.format("alpha*x", "(1, oo)"), "refuted"),
        ('notion = "approximate"; epsilon = "x + log(100)"; delta = "1/100"', ALL.format("x", "2"), "proved"),
    ],
)  # fmt: skip
def test_between_notions(claim: str, guarantee: str, word: str) -> None:
    study, claim_ = made("unbounded", claim, guarantee)
    assert study.check(claim_).verdict == word


def test_the_loss_of_a_counterexample_is_that_of_its_point() -> None:
    study, claim = made(
        "bounded",
        'notion = "renyi"; orders = "(1, oo)"; epsilon = "3*alpha*max(x, y)"',
        ALL.format("alpha*x", "(1, oo)"),
        ALL.format("alpha*y", "(1, oo)"),
    )
    example = study.check(claim).counterexample
    assert example is not None and example.actual == 4 * example.point["alpha"] * (
        example.point["x"] + example.point["y"]
    )
    assert example.claimed == 3 * example.point["alpha"] * max(example.point["x"], example.point["y"])


# what is refused


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ('notion = "renyi", epsilon = "x"', "needs its orders"),
        ('notion = "renyi", epsilon = "x", orders = "(0, 2)"', "are no orders"),
        ('notion = "renyi", rho = "x", orders = "2"', "needs epsilon"),
        ('notion = "pure", epsilon = "x", orders = "2"', "a pure guarantee has no orders"),
    ],
)
def test_guarantees_that_are_wrong(edit: str, words: str) -> None:
    with pytest.raises(problems.ProblemError, match=words):
        made("unbounded", 'notion = "pure"; epsilon = "1"', edit)


def test_alpha_is_the_order() -> None:
    one, other = ALL.format("alpha*x", "(1, oo)"), 'notion = "pure", epsilon = "alpha"'
    with pytest.raises(problems.ProblemError, match="alpha is the order of divergences"):
        made("unbounded", 'notion = "pure"; epsilon = "1"', one, other)
    with pytest.raises(problems.ProblemError, match="alpha is the order of divergences"):
        made("unbounded", 'notion = "renyi"; orders = "2"; epsilon = "1"', other)
    study, claim = made("unbounded", 'notion = "pure"; epsilon = "alpha"', other)
    assert study.check(claim).verdict == "proved"


def test_a_guarantee_below_0_at_some_order() -> None:
    study, _ = made(
        "unbounded", 'notion = "renyi"; orders = "4"; epsilon = "0"', ALL.format("alpha - 3", "(1, 4]")
    )
    with pytest.raises(ValueError, match=r"at least 0 for all allowed values, but it is -1 at alpha = 2"):
        study.guarantee()


# in Python


def test_in_python() -> None:
    x, y, alpha = sympy.symbols("x y alpha", positive=True)
    f, g = dpc.record_partition(dpc.multisets("ab"), {"a"}, {"b"})
    study = dpc.compose(
        dpc.mechanism("M1", dpc.renyi(alpha * x, "(1, oo)", dpc.bounded, "common"), reads=f),
        dpc.mechanism("M2", dpc.renyi("alpha*y", "(1, 8]", dpc.bounded, "common"), reads=g),
        on=dpc.multisets("ab"),
        target=dpc.bounded,
    )
    found = study.guarantee()
    assert repr(found) == "bounded (alpha*x + alpha*y)-RDP for orders (1, 8], by sensitivity-profile; optimal"
    assert "orders $(1, 8]$" in found._repr_html_() and "orders $(1, 8]$" in found.to_latex()
    assert study.check(dpc.renyi(2 * x + 2 * y, "2")).loose is False
    assert study.check(dpc.renyi(2 * sympy.Max(x, y), 2)).verdict == "refuted"
    again = problems.read_text(study.to_toml())
    assert (
        again.setting.mechanisms == study.setting.mechanisms
        and "alpha" not in study.to_toml().split("[databases]")[0]
    )
    assert json.loads(json.dumps(study.check(dpc.renyi("x", 2)).claim.guarantee.text())) == {
        "notion": "renyi", "epsilon": "x", "orders": "2"
    }  # fmt: skip


# beside an accountant


def test_the_accountant_of_dp_accounting_agrees() -> None:
    rdp = pytest.importorskip("dp_accounting.rdp")
    event = pytest.importorskip("dp_accounting.dp_event")
    orders = [Fraction(3, 2), Fraction(2), Fraction(5), Fraction(16)]
    accountant = rdp.RdpAccountant([float(one) for one in orders])
    accountant.compose(event.GaussianDpEvent(2.0), 3)
    accountant.compose(event.LaplaceDpEvent(1.5), 2)
    for alpha, theirs in zip(orders, accountant._rdp, strict=True):
        normal = of_page("normal-noise", "renyi", s=2, r=1, alpha=alpha)
        laplace = of_page("laplace", "renyi", b=Fraction(3, 2), r=1, alpha=alpha)
        assert mpmath.almosteq(3 * normal + 2 * laplace, mpmath.mpf(theirs), 1e-9)
    for delta in (Fraction(1, 10), Fraction(1, 10**5)):
        some = [
            of_page("renyi-to-approximate", "epsilon", epsilon=Fraction(float(tau)), alpha=alpha, delta=delta)
            for alpha, tau in zip(orders, accountant._rdp, strict=True)
        ]
        assert mpmath.almosteq(min(some), mpmath.mpf(accountant.get_epsilon(float(delta))), 1e-9)
