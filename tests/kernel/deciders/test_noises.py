"""Noise by the formulas of its page: guarantees, densities and losses, and parameters that are none."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.deciders.curves import noises, pieces
from dpcompose.kernel.deciders.curves.curves import Part, Piece
from dpcompose.kernel.deciders.curves.noises import Unfit
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import REAL, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.formulas import names, parse
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.substitution import substituted
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, exp, letter, log, number

PAGES = Path(__file__).resolve().parents[3] / "theorems"
DOMAINS = {"p": UNIT_INTERVAL, "x": REAL, "n": Domain.read("integer >= 2")}


@dataclass(frozen=True)
class Law:
    """The head of a page."""

    parameter: str
    density: str
    loss: str
    guarantee: Mapping[str, Mapping[str, str]]
    at_most: str = ""
    equals: str = ""
    noise: str = field(default="")
    letters: Sequence[str] = ()
    at_least: Mapping[str, str] = field(default_factory=dict)
    probabilities: Sequence[str] = ()
    whole: Sequence[str] = ()
    moved: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def law(name: str) -> Law:
    text = (PAGES / "noises" / f"{name}.md").read_text(encoding="utf-8")
    head = tomllib.loads(text.split("```toml\n")[1].split("```")[0])
    keys = (
        "parameter",
        "density",
        "loss",
        "guarantee",
        "equals",
        "noise",
        "letters",
        "probabilities",
        "whole",
    )
    given = {key: head[key] for key in keys if key in head}
    return Law(**given, at_most=head.get("at-most", ""), at_least=head.get("at-least", {}))


EVERY = {path.stem: law(path.stem) for path in sorted((PAGES / "noises").glob("*.md"))}
LAWS = {name: one for name, one in EVERY.items() if not one.letters}
RESPONSE = LAWS["randomized-response"]


@dataclass(frozen=True)
class Density:
    """The formulas of a page in x, y, z: of one entry of an output, of its loss, and of what that is at most."""

    density: Term
    loss: Term
    then: Term


def density(one: Law, parameter: Term) -> Density:
    texts = one.density, one.loss, one.at_most or one.equals
    letters = {**noises.ENTRIES, "pi": noises.PI}
    return Density(*(noises.value(one, noises.fit(one, parameter), text, letters) for text in texts))


def piece(one: Law, parameter: Term, asked: Mapping[str, str], r: Term) -> Piece | None:
    """What a mechanism with this noise is in a curve, by the formulas of a page of kind computed."""
    return pieces.piece(asked, {one.parameter: noises.fit(one, parameter)}, r)


def term(text: str) -> Term:
    return parse(
        text, {one: letter(one, DOMAINS[one]) if one in DOMAINS else letter(one) for one in names(text)}
    )


def test_every_page_of_noise_is_read() -> None:
    assert set(EVERY) - set(LAWS) == {
        *("above-threshold", "gaussian-with-threshold", "laplace-with-threshold")
    }
    assert set(LAWS) == {
        *("exponential", "geometric", "laplace", "normal-noise", "planar-laplace", "randomized-response")
    }


@pytest.mark.parametrize(
    ("name", "parameter", "notion", "found"),
    [
        ("laplace", "1/e", "pure", {"epsilon": "e"}),
        ("laplace", "1", "zcdp", None),
        ("geometric", "2/e", "pure", {"epsilon": "e/2"}),
        ("normal-noise", "s", "gaussian", {"mu": "1/s"}),
        ("normal-noise", "s", "zcdp", {"rho": "1/(2*s**2)"}),
        ("normal-noise", "3", "pure", {"epsilon": "oo"}),
        ("planar-laplace", "sqrt(n)", "pure", {"epsilon": "1/sqrt(n)"}),
        ("exponential", "e/2", "pure", {"epsilon": "e/2"}),
        ("randomized-response", "3/4", "pure", {"epsilon": "log(3)"}),
        ("randomized-response", "1/4", "pure", {"epsilon": "log(3)"}),
        ("randomized-response", "1/2", "pure", {"epsilon": "0"}),
        ("randomized-response", "exp(e)/(1 + exp(e))", "pure", {"epsilon": "e"}),
        ("randomized-response", "exp(2*e)/(3 + exp(2*e))", "pure", None),
        ("randomized-response", "(1 + e)/(2 + e)", "pure", {"epsilon": "log(e + 1)"}),
        ("randomized-response", "1 - 1/(2 + e**2)", "pure", {"epsilon": "log(e**2 + 1)"}),
        ("randomized-response", "1 - p/2", "pure", {"epsilon": "log((2 - p)/p)"}),
        ("randomized-response", "(1 + e)/(3 + e)", "pure", None),
    ],
)
def test_guarantees(name: str, parameter: str, notion: str, found: dict[str, str] | None) -> None:
    if name == "randomized-response" and found is None:  # below 1/2 for small e
        with pytest.raises(Unfit, match="not known to be at least 0"):
            noises.guarantee(LAWS[name], term(parameter), notion)
        return
    wanted = None if found is None else {key: term(text) for key, text in found.items()}
    assert noises.guarantee(LAWS[name], term(parameter), notion) == wanted


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("laplace", "0"),
        ("laplace", "-1"),
        ("laplace", "x"),
        ("laplace", "e - 1"),
        ("laplace", "oo"),
        ("geometric", "-1/2"),
        ("normal-noise", "-2"),
        ("normal-noise", "x**2"),
        ("exponential", "-1"),
        ("planar-laplace", "0"),
        ("randomized-response", "1"),
        ("randomized-response", "0"),
        ("randomized-response", "2"),
        ("randomized-response", "-1/2"),
        ("randomized-response", "p"),  # below 1/2 it would lose less than nothing
        ("randomized-response", "1/(1 + exp(e))"),
        ("randomized-response", "e"),
        ("randomized-response", "(2 + e)/(1 + e)"),
        ("randomized-response", "1/(2 - e)"),
        ("randomized-response", "(1 + x)/(2 + x)"),
    ],
)
def test_parameters_that_are_none(name: str, parameter: str) -> None:
    assert noises.unfit(LAWS[name], term(parameter))
    for ask in (
        lambda: noises.guarantee(LAWS[name], term(parameter), "pure"),
        lambda: noises.fit(LAWS[name], term(parameter)),
    ):
        with pytest.raises(Unfit):
            ask()


@pytest.mark.parametrize(
    "text", ["1/(1 - (1 + e)/(2 + e))", "p/(1 - p) - 1/(2 - p)", "3 - e/2 + 1/(6*e**2)", "exp(e)/(1 - p)"]
)
def test_a_quotient_is_the_same_number(text: str) -> None:
    given = term(text)
    over, under = noises.quotient(given)
    assert "/" not in formulas.to_text(over) + formulas.to_text(under)
    for e, p in product(map(Fraction, ("1/3", "2", "7")), map(Fraction, ("1/5", "2/3"))):
        point = {name: value for name, value in (("e", e), ("p", p)) if name in given.letters}
        assert formulas.at(given, point) == formulas.at(over, point) / formulas.at(under, point)


def test_only_bits_are_exchanged() -> None:
    assert [name for name, one in LAWS.items() if noises.exchanges_bits(one)] == ["randomized-response"]
    lopsided = Law("p", "p*(1 - y) + (1 - p)*y", "0", {"pure": {"epsilon": "log(p/(1 - p))"}})
    other = Law("p", "p*(1 - y)**2 + (1 - p**2)*y", "0", {"pure": {"epsilon": "log(p/(1 - p))"}})
    assert noises.exchanges_bits(lopsided) and not noises.exchanges_bits(other)
    with pytest.raises(Unfit):
        noises.guarantee(other, number(Fraction(1, 4)), "pure")


POINTS = [Fraction(n, 2) for n in (-3, 0, 1, 4)]


@pytest.mark.parametrize("name", sorted({*LAWS} - {"exponential", "planar-laplace"}))
def test_the_loss_is_that_of_the_density_and_at_most_what_the_page_says(name: str) -> None:
    """At rational x, y, z and parameters: ln(f_x(y)/f_z(y)) is the loss, as numbers enclosed."""
    bits = noises.exchanges_bits(LAWS[name])
    places = [Fraction(0), Fraction(1)] if bits else POINTS
    for parameter in (Fraction(3, 4), Fraction(9, 10)) if bits else (Fraction(1, 2), Fraction(3)):
        found = density(LAWS[name], number(parameter))
        f_z = substituted(found.density, {"x": noises.ENTRIES["z"]})
        for x, y, z in product(places, repeat=3):
            at = {"x": x, "y": y, "z": z, "pi": Fraction(22, 7)}
            difference = log(formulas.at(found.density, at)) - log(formulas.at(f_z, at))
            loss, then = (formulas.at(one, at) for one in (found.loss, found.then))
            assert sign(difference - loss) in (0, None)
            assert abs_small(difference - loss)
            if LAWS[name].at_most:
                assert sign(then - loss) in (0, 1) or abs_small(then - loss)
            else:
                assert then == loss


def abs_small(value: Term) -> bool:
    from dpcompose.kernel.expressions.intervals import enclosure

    found = enclosure(value, 200)
    return max(abs(found.low), abs(found.high)) < Fraction(1, 2**150)


@pytest.mark.parametrize("name", sorted(LAWS))
def test_the_guarantee_is_what_the_loss_is_at_most_one_unit_apart(name: str) -> None:
    one = LAWS[name]
    if not one.at_most or "pure" not in one.guarantee:
        return
    parameter = number(Fraction(3, 4))
    found = density(one, parameter)
    unit = {"x": ONE, "z": ZERO, "w": ONE}
    assert substituted(found.then, unit) == noises.guarantee(one, parameter, "pure")["epsilon"]  # type: ignore[index]


def test_pieces_of_curves() -> None:
    text = (PAGES / "computed" / "curves-together.md").read_text(encoding="utf-8")
    asked = tomllib.loads(text.split("```toml\n")[1].split("```")[0])["noises"]
    found = {
        name: piece(one, number(Fraction(1, 4)), asked[one.noise], number(2))
        for name, one in LAWS.items()
        if one.noise in asked
    }
    assert found == {
        "exponential": Laplace(number(Fraction(1, 2)), middle=True),
        "laplace": Laplace(number(8)),
        "normal-noise": Normal(number(64)),
        "geometric": Part(number(4), ZERO, 2),
        "randomized-response": Part(log(number(3)), ZERO, 2),
    }
    assert piece(LAWS["laplace"], ONE, asked["laplace"], INFINITY) is None


KEYS = {"L": number(2), "m": number(3), "tau": number(5)}


@pytest.mark.parametrize(
    ("others", "why"),
    [
        (KEYS, None),
        (KEYS | {"tau": number(3)}, None),
        (KEYS | {"tau": number(Fraction(29, 10))}, "29/10 is not known to be at least m"),
        (KEYS | {"tau": letter("t")}, "t is not known to be at least m"),
        (KEYS | {"tau": 3 + letter("t")}, None),
        (KEYS | {"L": number(Fraction(1, 2))}, "1/2 is not known to be at least 1"),
        (KEYS | {"L": letter("n", DOMAINS["n"])}, None),
        (KEYS | {"m": number(-1)}, "-1 is not known to be at least 0"),
        (KEYS | {"tau": INFINITY}, "a parameter of noise is a finite number"),
        ({"L": ONE, "m": ONE}, "it is not said what tau is"),
    ],
)
def test_limits_of_further_letters(others: Mapping[str, Term], why: str | None) -> None:
    one = EVERY["laplace-with-threshold"]
    assert noises.unfit(one, ONE, others=others) == why
    assert noises.unfit(one, -ONE, others=KEYS) == "epsilon = -6 (approximate) is not known to be at least 0"
    given = noises.guarantee(one, number(2), "approximate", others=KEYS)
    assert given == {"epsilon": number(3), "delta": 1 - (1 - exp(-ONE) / 2) ** 2}


def test_logarithms_are_cancelled() -> None:
    e, f = letter("e"), letter("f")
    p = exp(e + f) / (1 + exp(e + f))
    assert noises.simplified(2 * log(p / (1 - p)) + log(f)) == 2 * e + 2 * f + log(f)
    assert noises.simplified(log(1 + exp(e))) == log(1 + exp(e))
    assert values.surely(noises.simplified(log(p / (1 - p))))


def test_the_module_knows_no_noise_by_name() -> None:
    """A noise is a page; no word of one stands in the program."""
    text = Path(noises.__file__).read_text(encoding="utf-8").split('"""', 2)[2]
    for word in ("laplace", "gaussian", "geometric", "randomized", "exponential-mechanism"):
        assert not re.search(rf'"{word}', text)


def law_of(**more: object) -> Law:
    return replace(Law("q", "1/2", "0", {}), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("density", "exchanges"),
    [
        ("(1 - q)*(x*(1 - y) + y*(1 - x)) + q*(x*y + (1 - x)*(1 - y))", True),
        ("q**2*y + (1 - q**2)*(1 - y)", False),  # adds up to 1, and 1 − q is another noise
        ("1", False),  # the same for both, and adds up to 2
        ("q*y + (1 - q)*(1 - y)", True),
        ("x*(q*y + (1 - q)*(1 - y)) + (1 - x)*(q**2*y + (1 - q**2)*(1 - y))", False),  # of one input only
        ("a", False),
    ],
)
def test_noises_of_bits_that_are_exchanged(density: str, exchanges: bool) -> None:
    assert noises.exchanges_bits(law_of(density=density)) is exchanges  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["1 - e/(1 + e)", "e/(1 + f) + f/(1 + e)", "1/e + 1/(2*e*f) - 3/4", "(1 + e)**(-2)/(f/3)", "sqrt(e)/(1 + 1/sqrt(e))", "e**2/(1 + sqrt(f))**2 + 1/e**2", "1/(1/e + 1/f)", "-2/3*e/(1 + e)*(1 + f)"],
)  # fmt: skip
def test_quotients_have_the_values_of_their_formulas(text: str) -> None:
    """At numbers of which the roots are rational, for every way to bring sums to one denominator."""
    e, f = letter("e"), letter("f")
    term = parse(text, {"e": e, "f": f})
    over, under = noises.quotient(term)
    for x, y in ((4, 9), (Fraction(1, 4), 16), (25, Fraction(4, 9))):
        at = {"e": Fraction(x), "f": Fraction(y)}
        above, below, wanted = (formulas.evaluate(one, at) for one in (over, under, term))
        assert above is not None and below and wanted == above / below


def test_what_a_page_asks_of_a_parameter() -> None:
    """Each letter is there, finite, at least what is said, whole where it is to be; and all guaranteed is ≥ 0."""
    e, n, half = letter("e"), letter("n", Domain.read("integer >= 1")), letter("h", UNIT_INTERVAL)
    two = law_of(letters=["c"], guarantee={"pure": {"epsilon": "c - q"}})
    assert noises.unfit(two, e) == "it is not said what c is"  # type: ignore[arg-type]
    assert noises.unfit(two, e, (), {"c": e + 1}) is None  # type: ignore[arg-type]
    assert "is not known to be at least 0" in str(noises.unfit(two, e, (), {"c": half}))  # type: ignore[arg-type]
    assert "finite" in str(noises.unfit(two, INFINITY, (), {"c": e}))  # type: ignore[arg-type]
    assert "finite" in str(noises.unfit(two, e, (), {"c": INFINITY}))  # type: ignore[arg-type]
    least = law_of(at_least={"q": "1"})
    assert noises.unfit(least, e + 1) is None is noises.unfit(least, ONE)  # type: ignore[arg-type]
    assert "at least 1" in str(noises.unfit(least, e))  # type: ignore[arg-type]
    whole = law_of(whole=["q"])
    assert noises.unfit(whole, n) is None and "whole number" in str(noises.unfit(whole, e))  # type: ignore[arg-type]
    far = law_of(guarantee={"pure": {"epsilon": "oo"}, "approximate": {"epsilon": "1/q", "delta": "q - 1"}})
    assert "delta" in str(noises.unfit(far, e))  # type: ignore[arg-type]
    assert noises.unfit(replace(far, probabilities=["delta"]), e) is None  # type: ignore[arg-type]
    assert noises.guarantee(far, e + 1, "zcdp") is None is noises.moved(far, e + 1, "zcdp", ONE)  # type: ignore[arg-type]
    assert noises.guarantee(far, e + 1, "pure") == {"epsilon": INFINITY}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "over", "under"),
    [
        ("e", "e", "1"),
        ("3/4", "3", "4"),
        ("2*e/(3*f)", "2*e", "3*f"),
        ("e**-2", "1", "e**2"),
        ("1 + 1/e", "e + 1", "e"),
        ("(1 + 1/e)**2", "(e + 1)**2", "e**2"),
        ("(1 + 1/e)**-1", "e", "e + 1"),
        ("1/e + 1/f", "f + e", "e*f"),
        ("1/(2*e) + f/3", "3 + 2*e*f", "6*e"),
        ("2**e/f", "2**e", "f"),
        ("sqrt(e)/f", "sqrt(e)", "f"),
        ("1/2 - e/(1 + e)", "1 - e", "2*(1 + e)"),
    ],
)
def test_terms_as_quotients(text: str, over: str, under: str) -> None:
    """At e = 4 and f = 9 they are equal; without fractions above and below."""
    letters = {"e": letter("e"), "f": letter("f")}
    found = noises.quotient(parse(text, letters))
    at = {"e": Fraction(4), "f": Fraction(9)}
    a, b, c, d = (
        formulas.evaluate(term, at) for term in (*found, parse(over, letters), parse(under, letters))
    )
    assert a is not None and b and c is not None and d and a / b == c / d
    assert a.denominator == b.denominator == 1
