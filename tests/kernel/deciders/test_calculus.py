"""Steps of calculus by hand: what each leaves to be shown, when it is refused, and that none proves what is false."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest

from dpcompose.kernel.deciders.calculus import calculus, elementary, ranges, roots, steps, values
from dpcompose.kernel.deciders.calculus.calculus import Step
from dpcompose.kernel.deciders.calculus.elementary import Elementary, NotElementary
from dpcompose.kernel.deciders.calculus.steps import Goal
from dpcompose.kernel.expressions import forms, formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import TermError, exp, letter
from dpcompose.search.comparisons import by_calculus, promising
from dpcompose.search.comparisons.by_calculus import to_data

F = Fraction
WORDS = {
    "a": "positive",
    "b": "positive",
    "c": "nonnegative",
    "x": "real",
    "q": "in (0,1)",
    "n": "integer >= 0",
    "m": "integer >= 2",
}
DOMAINS = {name: Domain.read(words) for name, words in WORDS.items()}
SYMBOLS = {name: letter(name, domain) for name, domain in DOMAINS.items()}


def function(text: str) -> Elementary:
    return values.of_term(formulas.parse(text, SYMBOLS))


def goal(text: str) -> Goal:
    f = function(text)
    return f, {name: DOMAINS[name] for name in f.names}


def reduced(wanted: Goal, data: list[Any]) -> list[Goal]:
    """What a step leaves; and the step is read back as it is written."""
    step = calculus.from_data(data, wanted)
    assert calculus.from_data(to_data(step, wanted), wanted) == step
    return calculus.reduce(wanted, step)


STEPS: list[tuple[str, list[Any], list[str]]] = [
    ("a + b", ["signs"], []),
    ("exp(x) + 1/2", ["range", "64"], []),
    ("a*b + a", ["divided", "a"], ["b + 1"]),
    ("a*b + a", ["divided", "2*a"], ["b/2 + 1/2"]),
    ("a/(1 + b) - a**2", ["divided", "a/(1 + b)"], ["1 - a - a*b"]),
    ("exp(a) - 1 - a", ["slope", "a", "least"], ["0", "exp(a) - 1"]),
    ("1 - q**2", ["slope", "q", "greatest"], ["0", "2*q"]),
    ("a + b**2", ["split", "a", "1"], ["a + b**2", "a + b**2"]),
    ("a**2 - a + b + 1/4", ["apart", ["1/4", "0"]], ["a**2 - a + 1/4", "b"]),
    ("a**2 + b*c + 2", ["apart", ["0", "1/2"]], ["a**2", "b*c + 1/2", "3/2"]),
    ("a*exp(b) - a + a**2*b", ["collect", ["a"]], ["exp(b) - 1", "b"]),
    ("a**2 + b**2 - 2*a*b", ["order", "a", "b", "1"], ["a**2", "b**2"]),
    ("3*a**2 + b*a + b**2", ["square", "a", "1"], ["3", "b**2", "12*b**2 - b**2"]),
    ("sqrt(a + b) - sqrt(a)", ["powers", "2"], ["b"]),
    ("log(a) - b", ["exp"], ["a*exp(-b) - 1"]),
    ("a - log(b)", ["change", "b", "exp"], ["a - x"]),
    ("a - log(q)", ["change", "q", "-exp"], ["a + b"]),
    ("sqrt(a) - b", ["change", "a", "root 2"], ["a - b"]),
    ("1 - q", ["change", "q", "greatest"], ["q"]),
    ("a**2 - 2*a + 1", ["roots"], []),
    ("a**2 + 4*b**2 - 4*a*b + c", ["less", "1", "a - 2*b"], ["c"]),
    ("a**2 + b**2", ["less", "3", "a"], ["b**2 - 2*a**2"]),
    ("(a - b)**2*(1 + a)", ["factors", "1", [["a - b", 2, "+"], ["1 + a", 1, "+"]]], ["1 + a"]),
    ("(a - b)*(a - 2*b)", ["factors", "1", [["a - b", 1, "-"], ["a - 2*b", 1, "-"]]], ["b - a", "2*b - a"]),
    ("max(a, b) - a", ["chosen", "max(a, b)", ["a"]], ["0"]),
    ("a - min(a, b)", ["each", "max(-a, -b)"], ["0", "a - b"]),
    ("a + max(q, 2) - 2", ["largest", "max(q, 2)", "2"], ["a"]),
    ("top(2, a, b, c) - a", ["chosen", "top(2, a, b, c)", ["a", "b"]], ["b"]),
    ("exp(-a) + a", ["change", "a", "-log"], ["a - log(a)"]),
]  # fmt: skip


@pytest.mark.parametrize("text, step, rest", STEPS)
def test_what_a_step_leaves(text: str, step: list[Any], rest: list[str]) -> None:
    goals = reduced(goal(text), step)

    def shape(f: Elementary) -> list[object]:
        return sorted((c, sorted(r for _, r in term)) for term, c in f.terms)

    assert [shape(f) for f, _ in goals] == [shape(function(one)) for one in rest]


@pytest.mark.parametrize(
    "text, step, message",
    [
        ("a - b", ["signs"], "a term is not seen to be >= 0"),
        ("exp(a) - 2", ["range", "64"], "it may be negative"),
        ("exp(a)", ["range", "5000"], "the number of bits is not allowed"),
        ("exp(a)", ["range", "1/2"], "the number of bits is not allowed"),
        ("a + b", ["divided", "a + b"], "this is no product"),
        ("x*a", ["divided", "x"], "the sign of a factor is not seen"),
        ("n*a", ["divided", "n"], "the sign of a factor is not seen"),
        ("log(a)", ["slope", "a", "least"], "the logarithm of what is not positive has no real value"),
        ("sqrt(a - b)", ["slope", "a", "least"], "a root or quotient is not known to have a value"),
        ("log(x)*a", ["slope", "a", "least"], "a logarithm is not known to have a value"),
        ("a", ["slope", "a", "middle"], "there is no such end"),
        ("a", ["slope", "z", "least"], "z is no letter here"),
        ("1/x", ["split", "x", "0"], "a divisor is not known to differ from 0"),
        ("a", ["split", "a", "-1"], "-1 is no inner value of a"),
        ("max(a, b)", ["slope", "a", "least"], "a worst case has no derivative"),
        ("n - 1", ["order", "n", "a", "1"], "these are no two real parameters that are never below 0"),
        ("a - max(a, b)", ["chosen", "max(a, b)", ["a"]], "the worst case is not seen to count positively"),
        ("max(a, b) - a", ["chosen", "max(a, b)", ["c"]], "the worst case adds up another number of values, or others"),
        ("top(2, a, b, c)", ["chosen", "top(2, a, b, c)", ["a", "a"]], "the worst case adds up another number of values, or others"),
        ("max(a, b) - a", ["largest", "max(a, b)", "a"], "it is not seen to be the largest"),
        ("max(a, b) - a", ["largest", "max(a, b)", "a + b"], "it is not seen to be the largest"),
        ("max(a, b) - a", ["each", "max(a, c)"], "max(a, c) is no factor of a term"),
        ("max(a, b) - a", ["each", "a"], "this is no worst case"),
        ("max(a, b) - a", ["each", ["max(a, b)", 1]], "max(a, b) is no factor of a term"),
        ("max(a, b) - a", ["each", ["max(a, b)"]], "a list of the certificate cannot be read"),
        ("(max(a, b) - a)**2", ["chosen", "max(a, b)", ["a"]], "the worst case stands in a power"),
        ("a**2 - 2", ["roots"], "it may be negative"),
        ("-a**2 - 1", ["roots"], "it may be negative"),
        ("a*b", ["roots"], "this is no small polynomial in one factor"),
        ("a**2 + 1/10**200", ["roots"], "its coefficients have too many digits"),
        ("(a - b)**2*(a - 1)", ["factors", "1", [["a - b", 2, "+"], ["a - 1", 1, "-"]]], "the signs of the factors have another product"),
        ("(a - b)**2*(a - 1)", ["factors", "1", [["a - b", 2, "+"], ["a + 1", 1, "+"]]], "these are not its factors"),
        ("(a - b)**2", ["factors", "1", [["a - b", 2, "="]]], "the factors cannot be read"),
        ("a - b", ["less", "-1", "a"], "a square is taken away a positive number of times"),
        ("a - b", ["less", "0", "a"], "a square is taken away a positive number of times"),
        ("x", ["less", "1", "sqrt(x)"], "a root or quotient is not known to have a value"),
        ("x", ["factors", "1", [["sqrt(x)", 2, "+"]]], "a root or quotient is not known to have a value"),
        ("x", ["factors", "1", [["x*log(x)", 1, "+"], ["1/log(x)", 1, "+"]]], "a logarithm is not known to have a value"),
        ("x*exp(a)", ["divided", "exp(sqrt(x))"], "a root or quotient is not known to have a value"),
        ("x - a", ["powers", "2"], "a term is not seen to be >= 0 without its factor"),
        ("a + b*a", ["apart", ["0", "0"]], "there are not so many parts"),
        ("a + b", ["apart", ["0"]], "there are not so many parts"),
        ("x*exp(a)", ["collect", ["x"]], "a parameter may be negative"),
        ("a*x + x", ["collect", ["a", "x"]], "a parameter may be negative"),
        ("a*exp(a) - a", ["collect", ["a"]], "a parameter stands in other terms, too"),
        ("n", ["number", "n"], "n may have several values"),
        ("a", ["change", "a", "root"], "a cannot be changed like this"),
        ("n", ["change", "n", "root 2"], "n cannot be changed like this"),
        ("a", ["change", "a", "root 9999999"], "a cannot be changed like this"),
        ("1/(3 - 2*m)", ["square", "3 - 2*m", "-1/2"], "a root of a letter that may be negative"),
        ("log(n + 1)/n", ["real", "n"], "0 to a negative power has no real value"),
        ("a", ["tangent", "a", "1", "0"], "there are tangents of powers of e, and of logarithms at numbers above 0"),
        ("a - log(a)", ["tangent", "log(a)", "1", "0"], "there are tangents of powers of e, and of logarithms at numbers above 0"),
        ("a - log(x)", ["tangent", "log(x)", "1", "1"], "a logarithm is not known to have a value"),
        ("a", ["nothing"], "there is no such step as nothing"),
        ("a", ["signs", "1"], "there is no such step as signs"),
        ("a", ["split", "a", 1], "a number of the certificate cannot be read"),
    ],
)  # fmt: skip
def test_a_step_that_is_refused(text: str, step: list[Any], message: str) -> None:
    with pytest.raises((BadCertificate, NotElementary)) as refused:
        reduced((function(text), DOMAINS), step)
    assert str(refused.value) == message


def test_a_proof_has_no_step_too_few_or_too_many() -> None:
    difference = forms.read(formulas.parse("exp(a) - 1 - a", SYMBOLS))
    good = [["slope", "a", "least"], ["signs"], ["slope", "a", "least"], ["signs"], ["signs"]]
    calculus.check(difference, good)
    for data, message in [
        (good[:-1], "the proof ends too early"),
        ([*good, ["signs"]], "step 6 proves nothing that is needed"),
        ([], "the proof ends too early"),
        ([["signs"]], "step 1: a term is not seen to be >= 0"),
        (["signs"], "step 1: a list of the certificate cannot be read"),
        ([[]], "step 1: there is no such step as"),
        (good * 1000, "the proof has too many steps"),
        (None, "a list of the certificate cannot be read"),
    ]:
        with pytest.raises(BadCertificate, match=message):
            calculus.check(difference, data)


@pytest.mark.parametrize("text", ["exp(a)", "exp(-2*a)", "exp(x)"])
def test_exp_lies_above_its_tangents(text: str) -> None:
    """f = l^r leaves 1, and the tangent, which encloses no more than f at many points."""
    r = "-2" if "-2" in text else "1"
    for p in (F(-2), F(0), F(1, 3), F(1)):
        factor, tangent = (
            one
            for one, _ in reduced(goal(text), ["tangent", "exp(x)" if "x)" in text else "exp(a)", r, str(p)])
        )
        assert factor == elementary.constant(1)
        _below(tangent, function(text), [F(k, 8) for k in range(-40 if "x)" in text else 0, 41, 5)])


def test_log_lies_below_its_tangents() -> None:
    for p in (F(1, 3), F(1), F(7)):
        factor, tangent = (one for one, _ in reduced(goal("-log(a)"), ["tangent", "log(a)", "1", str(p)]))
        assert factor == elementary.constant(1)
        _below(tangent, function("-log(a)"), [F(k, 8) for k in range(1, 90, 5)] + [F(1, 1000), F(60)])


def _below(lesser: Elementary, greater: Elementary, some: list[F]) -> None:
    for (name,), x in product([greater.names], some):
        there = elementary.substituted(greater - lesser, name, elementary.constant(x))
        enclosed = ranges.over(there, {}, 128)
        assert enclosed.high is not None and enclosed.high >= 0, x


def test_a_tangent_in_a_proof() -> None:
    difference = forms.read(formulas.parse("exp(a*b) - 1 - a*b", SYMBOLS))
    data = [["tangent", "exp(a*b)", "1", "0"], ["signs"], ["signs"]]
    calculus.check(difference, data)


def test_nothing_is_surely_positive_where_a_whole_number_is_0() -> None:
    """n*a grows with a, but not where n = 0: dividing n out of its derivative forgets that."""
    n, a = elementary.parameter("n"), elementary.parameter("a")
    counts = {"n": Domain(F(0), integer=True), "a": DOMAINS["a"]}
    for f in (n * a, n * a + n * elementary.exp(a)):
        assert not ranges.surely(f, counts) and ranges.surely(f, counts, strictly=False)
        assert ranges.surely(f, {**counts, "n": Domain(F(1), integer=True)})
        with pytest.raises(BadCertificate):
            calculus.reduce((elementary.log(f), counts), Step("slope", ("a", "least")))


SURELY = [
    ("a", True, True), ("c", False, True), ("x", False, False), ("exp(a) - 1", True, True), ("exp(c) - 1", False, True),
    ("exp(a) - 1 - a", True, True), ("log(1 + a)", True, True), ("sqrt(x)", False, False), ("1/x", False, False),
    ("log(x)", False, False), ("1/(exp(a) - 1)", True, True), ("1 - q", True, True),
    ("m - 2", False, True), ("m - 1", True, True), ("sqrt(exp(a) - 1)", True, True), ("log(log(2 + a))", False, False),
    ("log(1 + log(1 + a))", True, True), ("a - sqrt(a)", False, False), ("n*a", False, True), ("x**2", False, True),
    ("log(exp(x))", False, False), ("a/(exp(a) - 1) + c", True, True), ("a - q*a", True, True), ("a - 2*q*a", False, False),
]  # fmt: skip


@pytest.mark.parametrize("text, strictly, weakly", SURELY)
def test_what_is_surely_positive(text: str, strictly: bool, weakly: bool) -> None:
    term = formulas.parse(text, SYMBOLS)
    assert (values.surely(term), values.surely(term, strictly=False)) == (strictly, weakly)


@pytest.mark.parametrize("least", [0, 1])
def test_the_largest_of_no_members_are_surely_nothing(least: int) -> None:
    """The sum of the m largest of exp(e[i]) - 1 is 0 where m is."""
    m, k = letter("m", Domain(F(least), integer=True)), letter("k", Domain.read("integer >= 1"))
    largest = terms.over(m, exp(letter("e[i]")) - 1, k)
    assert values.surely(largest) == (least > 0)


def test_a_name_with_two_domains_is_surely_nothing() -> None:
    one, other = letter("x", Domain.read("positive")), letter("x", Domain.read("real"))
    assert not values.surely(one**3 * other) and not values.surely(other**3 * one)
    assert not values.surely(exp(one) - 1 + 0 * other + other**2 * 0 + exp(other) - other)


@pytest.mark.parametrize(
    "text, doubt",
    [
        ("log(a) + sqrt(c) + 1/(1 + x**2)", ""),
        ("oo", ""),
        ("log(c)", "c is not known to be > 0 for all allowed parameters"),
        ("log(x) - log(x)", "x is not known to be > 0 for all allowed parameters"),
        ("x/x", "x is not known to be != 0 for all allowed parameters"),
        ("sqrt(exp(a) - 1 - a)", ""),
        ("1/(exp(a) - 1 - a)", ""),
        ("1/(exp(c) - 1)", "exp(c) - 1 is not known to be != 0 for all allowed parameters"),
        ("sqrt(log(q))", "log(q) is not known to be >= 0 for all allowed parameters"),
        ("sqrt(-log(q))", ""),
        ("q**x + a**x", ""),
        ("x**a", "x is not known to be > 0 for all allowed parameters"),
    ],
)
def test_doubts(text: str, doubt: str) -> None:
    assert values.doubt(text, SYMBOLS) == doubt


def _times(f: list[F], g: list[F]) -> list[F]:
    """The product of two polynomials."""
    product = [F(0)] * (len(f) + len(g) - 1)
    for n, c in enumerate(f):
        for m, d in enumerate(g):
            product[n + m] += c * d
    return product


@pytest.mark.parametrize("seed", range(3))
def test_roots(seed: int) -> None:
    """Products of known factors: never negative between two ends just where no odd one changes its sign."""
    rng = random.Random(seed)
    for _ in range(200):
        zeros = [F(rng.randint(-6, 6), rng.choice([1, 2])) for _ in range(rng.randint(0, 3))]
        powers = [rng.choice([1, 1, 2, 3]) for _ in zeros]
        f = [F(rng.choice([1, -1, 2]))]
        for zero, n in zip(zeros, powers, strict=True):
            for _ in range(n):
                f = _times(f, [-zero, F(1)])
        if rng.random() < 0.5:
            f = _times(f, [F(rng.randint(1, 4)), F(0), F(1)])
        low = rng.choice([None, F(rng.randint(-7, 2))])
        high = rng.choice([None, (low if low is not None else F(-8)) + F(rng.randint(1, 9))])
        points = sorted({*zeros, F(-50), F(50), *(end for end in (low, high) if end is not None)})
        inner = [(p + q) / 2 for p, q in pairwise(points)]
        tried = [x for x in (*points, *inner) if (low is None or x >= low) and (high is None or x <= high)]
        assert roots.never_negative(f, low, high) == all(
            roots.value(roots.polynomial(f), x) >= 0 for x in tried
        )


def times(f: promising.Polynomial, g: promising.Polynomial) -> dict[tuple[int, ...], Fraction]:
    values: dict[tuple[int, ...], Fraction] = {}
    for (e, c), (other, d) in product(f.items(), g.items()):
        both = tuple(a + b for a, b in zip(e, other, strict=True))
        values[both] = values.get(both, F(0)) + c * d
    return {e: c for e, c in values.items() if c}


@pytest.mark.parametrize("seed", range(2))
def test_factors_multiply_out(seed: int) -> None:
    rng = random.Random(seed)
    found = 0
    for _ in range(60):
        some = []
        for _ in range(rng.randint(1, 3)):
            one = {(1, 0): F(1), (0, 1): F(rng.randint(-2, 2)), (0, 0): F(rng.randint(-1, 1))}
            some.append({e: c for e, c in one.items() if c})
        f: dict[tuple[int, ...], Fraction] = {(0, 0): F(1)}
        for one in some:
            for _ in range(rng.randint(1, 2)):
                f = times(f, one)
        factors = promising.factored(f)
        if factors is None:
            continue
        found += 1
        whole: dict[tuple[int, ...], Fraction] = {(0, 0): F(1)}
        for one, n in factors:
            for _ in range(n):
                whole = times(whole, one)
        c = f[max(f)] / whole[max(whole)]
        assert {e: c * d for e, d in whole.items()} == f
    assert found > 20


FALSE = [
    "a - b", "exp(a) - 1 - 2*a", "a - sqrt(a)", "log(1 + a) - a", "a**2 + b**2 - 3*a*b", "q - 1/2", "x", "n - 1",
    "max(a, b) - a - 1/10", "sqrt(a) + sqrt(b) - 3/2*sqrt(a + b)", "x**2 - 1/1000", "a - q*a - q", "exp(-a) - 1 + a/2",
    "1/(1 + a) - 1/2", "a*log(a)", "q*log(q) + (1 - q)*log(1 - q) + 69/100", "n**2 - 3*n + 1", "c - c**2/2",
]  # fmt: skip


@pytest.mark.parametrize("text", FALSE)
def test_random_steps_prove_nothing_false(text: str) -> None:
    """Whatever steps are taken, one of what they leave is refused in the end."""
    rng = random.Random(text)

    def some_steps(f: Elementary, box: elementary.Box) -> list[list[Any]]:
        names = sorted(f.names) or ["a"]
        name, other = rng.choice(names), rng.choice(names)
        c = str(rng.choice([F(1), F(1, 2), F(2), F(0), F(-1), F(1, 10), F(7)]))
        every = sorted(set(elementary.every_letter(f))) or [elementary.letter_of("x", "a")]
        one = formulas.to_text(values.of_one(rng.choice(every), {**DOMAINS, **box}))
        worst = [letter for letter in every if letter[0] == "m"]
        peak = formulas.to_text(values.of_one(worst[0], box)) if worst else "max(a, b)"
        members = elementary.inside(worst[0]) if worst else [function("a")]
        member = formulas.to_text(values.to_term(rng.choice(members), {**DOMAINS, **box}))
        r = str(rng.choice([F(1), F(1, 2), F(-1), F(2)]))
        how = rng.choice(["least", "greatest", "exp", "-exp", "log", "-log", "root 2", "root 3"])
        factors = [[one, rng.randint(1, 2), rng.choice("+-")] for _ in range(rng.randrange(3))]
        return [
            ["signs"],
            ["range", "64"],
            ["roots"],
            *rng.sample(
                [
                    ["divided", one],
                    ["slope", name, rng.choice(["least", "greatest"])],
                    ["split", name, c],
                    ["order", name, other, c],
                    ["apart", [c, rng.choice(["0", c])]],
                    ["collect", [name]],
                    ["square", one, r],
                    ["powers", "2"],
                    ["exp"],
                    ["change", name, how],
                    ["real", name],
                    ["number", name],
                    ["each", peak],
                    ["largest", peak, member],
                    ["chosen", peak, [member]],
                    ["factors", c, factors],
                    ["less", c, one],
                    ["tangent", one, r, c],
                ],
                5,
            ),
        ]

    def proved(f: Elementary, box: elementary.Box, depth: int) -> bool:
        for step in some_steps(f, box):
            try:
                goals = calculus.reduce((f, box), calculus.from_data(step, (f, box)))
            except (BadCertificate, NotElementary, formulas.FormulaError, TermError):
                continue
            if not goals or (depth and all(proved(g, inside, depth - 1) for g, inside in goals)):
                return True
        return False

    assert not any(proved(*goal(text), 3) for _ in range(4))


def test_a_search_ends_with_its_work() -> None:
    wanted = goal("exp(a) - 1 - a")
    assert by_calculus.decide(wanted, lambda point: False) is not None
    assert by_calculus.decide(wanted, lambda point: False, efforts=0) is None


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_inequality_of_cauchy_and_schwarz(n: int) -> None:
    """|a|*|b| - a·b, squared |a|²·|b|² - (a·b)², is the sum of the (a_i*b_j - a_j*b_i)²; with less it is refused."""
    box = {f"{one}{i}": Domain.read("nonnegative") for one in "ab" for i in range(n)}
    known = {name: letter(name, domain) for name, domain in box.items()}
    lengths = ["sqrt(" + " + ".join(f"{one}{i}**2" for i in range(n)) + ")" for one in "ab"]
    inner = " + ".join(f"a{i}*b{i}" for i in range(n))
    f = values.of_term(formulas.parse(f"{lengths[0]}*{lengths[1]} - ({inner})", known))
    found = by_calculus.decide((f, box), lambda point: False)
    assert isinstance(found, list)
    assert [step[0] for step in found] == ["powers", *["less"] * (n * (n - 1) // 2), "signs"]
    wanted = forms.read(values.to_term(f, box))
    calculus.check(wanted, found)
    for at in range(1, len(found) - 1):
        for other in (
            [*found[:at], *found[at + 1 :]],
            [*found[:at], ["less", "2", found[at][2]], *found[at + 1 :]],
        ):
            with pytest.raises(BadCertificate):
                calculus.check(wanted, other)


@pytest.mark.parametrize(
    ("inside", "r", "sign"),
    [
        *(("1 + x", 1, 1), ("1 + x", 2, 1), ("-1 - x", 1, -1), ("-1 - x", 2, 1), ("-1 - x", -3, -1)),
        *(("x - 1", 1, None), ("x - 1", 2, None), ("-1 - x", Fraction(1, 2), None)),
    ],
)
def test_the_sign_of_a_power_of_a_sum(inside: str, r: Fraction, sign: int | None) -> None:
    """Odd powers of what is below 0 are; x - 1 may be 0, and has neither sign."""
    one = elementary.letter_of("s", values.of_term(formulas.parse(inside, {"x": letter("x")})).terms)
    assert steps.positive_sign(one, Fraction(r), {"x": Domain.read("positive")}) == sign


@pytest.mark.parametrize(
    ("kind", "of", "domain", "sign"),
    [
        *(("x", "x", "positive", 1), ("x", "x", "integer >= 0", None), ("x", "x", "integer >= 1", 1)),
        *(("y", "x", "real", None), ("p", 3, "positive", 1)),
    ],
)
def test_the_sign_of_a_letter_inside_of_its_domain(kind: str, of: Any, domain: str, sign: int | None) -> None:
    assert (
        steps.positive_sign(elementary.letter_of(kind, of), Fraction(1), {"x": Domain.read(domain)}) == sign
    )


@pytest.mark.parametrize("factor", [-1, -2, Fraction(-1, 3)])
def test_the_logarithm_of_a_negative_multiple(factor: Fraction) -> None:
    """ln(-2x) = ln 2 + ln(-x): for x < 0 a number, and never ln 2 + ln x."""
    x = elementary.parameter("x", nonnegative=False)
    box = {"x": Domain.read("real")}
    term = values.to_term(elementary.log(x.scaled(Fraction(factor))), box)
    sign = elementary.log(x.scaled(Fraction(-1)))
    rest = values.to_term(sign, box)
    assert forms.read(term - rest) == forms.read(terms.log(terms.number(-Fraction(factor))))
    assert formulas.to_text(rest) == "log(-x)"
