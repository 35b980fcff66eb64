"""Steps of calculus by hand: what each leaves to be shown, when it is refused, and that none proves what is false."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from dpcompose.language import elementary, formulas, ranges
from dpcompose.language.elementary import Elementary, NotElementary
from dpcompose.language.forms import Form
from dpcompose.language.symbols import Domain, symbol
from dpcompose.proof import calculus
from dpcompose.proof.calculus import LEMMAS, Argument, Step
from dpcompose.proof.signs import BadCertificate
from dpcompose.search import analysis

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


def function(text: str) -> Elementary:
    symbols = {name: symbol(name, domain) for name, domain in DOMAINS.items()}
    return elementary.of_expression(formulas.parse(text, symbols), DOMAINS)


def goal(text: str) -> calculus.Goal:
    f = function(text)
    return f, {name: DOMAINS[name] for name in f.names}


STEPS = [
    ("a + b", "signs", []),
    ("exp(x) + 1/2", "range 64", []),
    ("a*b + a", "divided common", ["b + 1"]),
    ("a/(1 + b) - a**2", "divided common", ["1 - a - a*b"]),
    ("exp(a) - 1 - a", "slope a least", ["0", "exp(a) - 1"]),
    ("1 - q**2", "slope q greatest", ["0", "2*q"]),
    ("a + b**2", "split a 1", ["a + b**2", "a + b**2"]),
    ("a**2 - a + b + 1/4", "apart 1/4 0", ["a**2 - a + 1/4", "b"]),
    ("a**2 + b*c + 2", "apart 0 1/2", ["a**2", "b*c + 1/2", "3/2"]),
    ("a*exp(b) - a + a**2*b", "collect a", ["exp(b) - 1", "b"]),
    ("a**2 + b**2 - 2*a*b", "order a b 1", ["a**2", "b**2"]),
    ("3*a**2 + b*a + b**2", "square 0 1", ["3", "b**2", "12*b**2 - b**2"]),
    ("sqrt(a + b) - sqrt(a)", "powers 2", ["b"]),
    ("log(a) - b", "exp", ["a*exp(-b) - 1"]),
    ("a - log(b)", "change b exp", ["a - x"]),
    ("a - log(q)", "change q -exp", ["a + b"]),
    ("sqrt(a) - b", "change a root,2", ["a - b"]),
    ("1 - q", "change q greatest", ["q"]),
    ("a**2 - 2*a + 1", "roots", []),
    ("(a - b)**2*(1 + a)", "factors +", ["1 + a"]),
    ("max(a, b) - a", "chosen 0 0", ["0"]),
    ("a - min(a, b)", "each 0", ["0", "a - b"]),
    ("a + max(q, 2) - 2", "largest 0 0", ["a"]),
    ("exp(-a) + a", "change a -log", ["a - log(a)"]),
]


@pytest.mark.parametrize("text, step, rest", STEPS)
def test_what_a_step_leaves(text: str, step: str, rest: list[str]) -> None:
    rule, *of = step.split()
    goals = calculus.reduce(goal(text), Step(rule, tuple(one.replace(",", " ") for one in of)))

    def shape(f: Elementary) -> list[object]:
        return sorted((c, sorted(r for _, r in term)) for term, c in f.terms)

    assert [shape(f) for f, _ in goals] == [shape(function(one)) for one in rest]


@pytest.mark.parametrize(
    "text, step, message",
    [
        ("a - b", "signs", "a term is not seen to be >= 0"),
        ("exp(a) - 2", "range 64", "it may be negative"),
        ("log(a)", "slope a least", "the logarithm of what is not positive has no real value"),
        ("sqrt(a - b)", "slope a least", "a root or quotient is not known to have a value"),
        ("log(x)*a", "slope a least", "a logarithm is not known to have a value"),
        ("1/x", "split x 0", "a divisor is not known to differ from 0"),
        ("max(a, b)", "slope a least", "a worst case has no derivative"),
        ("n - 1", "order n a 1", "these are no two real parameters that are never below 0"),
        ("a - max(a, b)", "chosen 0 0", "the worst case is not seen to count positively"),
        ("max(a, b) - a", "largest 0 0", "it is not seen to be the largest"),
        ("(max(a, b) - a)**2", "chosen 0 0", "the worst case stands in a power"),
        ("a**2 - 2", "roots", "it has a root at which its sign may change"),
        ("-a**2 - 1", "roots", "it is negative"),
        ("(a - b)**2*(a - 1)", "factors -", "the signs of the factors have another product"),
        ("x - a", "powers 2", "a term is not seen to be >= 0 without its factor"),
        ("a + b*a", "apart 0 0", "there are not so many parts"),
        ("a + b", "apart 0", "there are not so many parts"),
        ("x*exp(a)", "collect x", "a parameter may be negative"),
        ("a*exp(a) - a", "collect a", "a parameter stands in other terms, too"),
        ("n", "number n", "n may have several values"),
        ("a", "change n root", "n cannot be changed like this"),
        ("1/(3 - 2*m)", "square 0 -1/2", "a root of a letter that may be negative"),
        ("log(n + 1)/n", "real n", "0 to a negative power has no real value"),
    ],
)  # fmt: skip
def test_a_step_that_is_refused(text: str, step: str, message: str) -> None:
    f = function(text)
    rule, *of = step.split()
    with pytest.raises((BadCertificate, NotElementary)) as refused:
        calculus.reduce((f, DOMAINS), Step(rule, tuple(of)))
    assert str(refused.value) == message


def test_polynomials_with_long_coefficients_are_not_factored() -> None:
    """The algorithm looks for primes as long as they are; nothing bounds the time that takes."""
    x, y = elementary.parameter("a"), elementary.parameter("b")
    tiny = elementary.constant(F(1, 10**300))
    for f in (x * x + y - tiny, (x * x).scaled(F(10**300)) - elementary.constant(F(3))):
        with pytest.raises(BadCertificate, match="its coefficients have too many digits"):
            calculus.factored(f)
        with pytest.raises(BadCertificate, match="its coefficients have too many digits"):
            calculus.reduce((f, DOMAINS), Step("roots"))


def test_a_search_ends_when_its_time_is_over() -> None:
    x = elementary.parameter("a")
    wanted = (elementary.exp(x) - elementary.constant(F(1)) - x, {"a": DOMAINS["a"]})
    assert analysis.decide(wanted, lambda point: False) is not None
    assert analysis.decide(wanted, lambda point: False, until=0.0) is None


@pytest.mark.parametrize("name", LEMMAS)
def test_lemmas(name: str) -> None:
    """At many points, by enclosures: the bound lies on its side, and all that is asked for is needed or not."""
    lemma = LEMMAS[name]
    tested = 0
    for u in [F(k, 8) for k in range(-40, 41, 5)] + [F(1, 1000), F(-1, 1000), F(60), F(-60)]:
        for p in (F(-2), F(0), F(1, 3), F(1)):
            try:
                bound, where = calculus.bound_by(name, elementary.constant(u), p)
                if not all(ranges.surely(one, {}) for one in where):
                    continue
                value = (
                    elementary.exp(elementary.constant(u))
                    if lemma.of == "exp"
                    else elementary.log(elementary.constant(u))
                )
            except NotElementary:
                continue
            difference = (value - bound) if lemma.below else (bound - value)
            enclosed = ranges.over(difference, {}, 128)
            assert enclosed.high is not None and enclosed.high >= 0, (u, p)
            tested += 1
    assert tested > 8 and lemma.note


def test_a_lemma_in_a_proof() -> None:
    difference = Form.parameter("exp(a*b)") - Form.constant(1) - Form.parameter("a") * Form.parameter("b")
    f, _ = calculus.goal(difference, DOMAINS)
    n = next(n for n, letter in enumerate(f.letters) if letter[0] == "e")
    argument = Argument(
        (Step("lemma", ("exp above its tangents", str(n), "1", "0")), Step("signs"), Step("signs"))
    )
    calculus.check(difference, DOMAINS, argument)
    assert argument.lemmas == ("exp above its tangents",)
    assert calculus.from_data(calculus.to_data(argument)) == argument


def test_nothing_is_surely_positive_where_a_whole_number_is_0() -> None:
    """n*a grows with a, but not where n = 0: dividing n out of its derivative forgets that."""
    n, a = elementary.parameter("n"), elementary.parameter("a")
    counts = {"n": Domain(F(0), integer=True), "a": DOMAINS["a"]}
    for f in (n * a, n * a + n * elementary.exp(a)):
        assert not ranges.surely(f, counts) and ranges.surely(f, counts, strictly=False)
        assert ranges.surely(f, {**counts, "n": Domain(F(1), integer=True)})
        with pytest.raises(BadCertificate):
            calculus.reduce((elementary.log(f), counts), Step("slope", ("a", "least")))


FALSE = [
    "a - b", "exp(a) - 1 - 2*a", "a - sqrt(a)", "log(1 + a) - a", "a**2 + b**2 - 3*a*b", "q - 1/2", "x", "n - 1",
    "max(a, b) - a - 1/10", "sqrt(a) + sqrt(b) - 3/2*sqrt(a + b)", "x**2 - 1/1000", "a - q*a - q", "exp(-a) - 1 + a/2",
    "1/(1 + a) - 1/2", "a*log(a)", "q*log(q) + (1 - q)*log(1 - q) + 69/100", "n**2 - 3*n + 1", "c - c**2/2",
]  # fmt: skip


@pytest.mark.parametrize("text", FALSE)
def test_random_steps_prove_nothing_false(text: str) -> None:
    """Whatever steps are taken, one of what they leave is refused in the end."""
    rng = random.Random(text)

    def steps(f: Elementary, box: elementary.Box) -> list[Step]:
        names = sorted(f.names) or ["a"]
        name, other = rng.choice(names), rng.choice(names)
        c = str(rng.choice([F(1), F(1, 2), F(2), F(0), F(-1), F(1, 10), F(7)]))
        n = str(rng.randrange(3))
        r = str(rng.choice([F(1), F(1, 2), F(-1), F(2)]))
        how = rng.choice(["least", "greatest", "exp", "-exp", "log", "-log", "root 2", "root 3"])
        return [
            Step("signs"),
            Step("range", ("64",)),
            Step("roots"),
            *rng.sample(
                [
                    Step("divided", (rng.choice(["common", n]),)),
                    Step("slope", (name, rng.choice(["least", "greatest"]))),
                    Step("split", (name, c)),
                    Step("order", (name, other, c)),
                    Step("apart", (c, rng.choice(["0", "-" + c]))),
                    Step("collect", (name,)),
                    Step("square", (n, r)),
                    Step("powers", ("2",)),
                    Step("exp"),
                    Step("change", (name, how)),
                    Step("real", (name,)),
                    Step("number", (name,)),
                    Step("each", (n,)),
                    Step("largest", (n, rng.choice("01"))),
                    Step("chosen", (n, rng.choice("01"))),
                    Step("factors", tuple(rng.choices("+-", k=rng.randrange(3)))),
                    Step("lemma", (rng.choice([*LEMMAS]), n, r, c)),
                ],
                5,
            ),
        ]

    def proved(f: Elementary, box: elementary.Box, depth: int) -> bool:
        for step in steps(f, box):
            try:
                goals = calculus.reduce((f, box), step)
            except (BadCertificate, NotElementary, ValueError, ArithmeticError, IndexError, KeyError):
                continue
            if not goals or (depth and all(proved(g, inside, depth - 1) for g, inside in goals)):
                return True
        return False

    assert not any(proved(*goal(text), 3) for _ in range(4))
