"""Noise that a mechanism adds to the value of a query, and the guarantee that it gives.

What the noise is, why it is private, and in which norm, stands on its page in theorems/noises/;
the checker compares the guarantees here with those of the page.  They are for values one unit
apart; at distance r they grow as the rule of the notion says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dpcompose.language.shown import Shown
from dpcompose.language.symbols import simple
from dpcompose.privacy.notions import Guarantee

if TYPE_CHECKING:
    import sympy

    from dpcompose.language.symbols import Domain


@dataclass(frozen=True)
class Kind:
    """What is known of a noise by its word.

    letter -- its parameter in the formulas of its page; called -- the same in words; words -- the noise
    with its parameter;
    takes -- the values of queries that it is for: "real", "integer", "bit", "plane" or "scores"; needs -- the
    same in words, and what would do;
    states -- by notion, its guarantees for values one unit apart; the first is its own.
    """

    letter: str
    called: str
    words: str
    takes: str
    needs: str
    states: Mapping[str, Mapping[str, str]] = field(hash=False)


KINDS: Mapping[str, Kind] = {
    "laplace": Kind(
        "b", "scale", "Laplace noise of scale {}", "real", "numbers", {"pure": {"epsilon": "1/b"}}
    ),
    "gaussian": Kind(
        "s",
        "standard deviation",
        "normal noise of standard deviation {}",
        "real",
        "numbers",
        {"gaussian": {"mu": "1/s"}, "zcdp": {"rho": "1/(2*s**2)"}, "pure": {"epsilon": "oo"}},
    ),
    "geometric": Kind(
        "b",
        "scale",
        "two-sided geometric noise of scale {}",
        "integer",
        "whole values: laplace noise would do, or a count or histogram",
        {"pure": {"epsilon": "1/b"}},
    ),
    "randomized-response": Kind(
        "p",
        "probability of the truth",
        "randomized response, true with probability {}",
        "bit",
        "one bit: leave the query out, and it is a bit of what is read",
        {"pure": {"epsilon": "log(p/(1 - p))"}},
    ),
    "planar-laplace": Kind(
        "b",
        "scale",
        "planar Laplace noise of scale {}",
        "plane",
        "a location: { location = w }",
        {"pure": {"epsilon": "1/b"}},
    ),
    "exponential": Kind(
        "t",
        "factor of scores",
        "the exponential mechanism, by which a bin has a probability proportional to exp({} * count)",
        "scores",
        "candidates with scores: the bins of a histogram",
        {"pure": {"epsilon": "t"}},
    ),
}
"""The kinds of noise, by the word of problem files."""


@dataclass(frozen=True)
class Noise(Shown):
    """Independent noise on every entry of a query's value.

    word -- which one, a key of KINDS; parameter -- a scale or standard deviation, positive; or for
    randomized response the probability of the truth, in (0,1).
    """

    word: str
    parameter: sympy.Expr

    @property
    def kind(self) -> Kind:
        return KINDS[self.word]

    @property
    def words(self) -> str:
        """With its parameter, in words."""
        from dpcompose.language import formulas

        return self.kind.words.format(formulas.to_text(self.parameter))

    def _line(self) -> Sequence[str | sympy.Expr]:
        front, _, rest = self.kind.words.partition("{}")
        return [front, self.parameter, rest]

    def value(self, formula: str, letters: Mapping[str, sympy.Expr] | None = None) -> sympy.Expr:
        """A formula in the letter of the noise, for its parameter; letters -- others that it may have.

        >>> randomized_response("exp(e)/(1 + exp(e))").value("log(p/(1 - p))")
        e
        """
        import sympy

        from dpcompose.language import formulas

        p = self.parameter
        if self.kind.takes == "bit" and p.is_Rational and 2 * p < 1:
            p = 1 - p  # the same mechanism, with its answers exchanged
        value = formulas.parse(formula, {self.kind.letter: p, **(letters or {})})
        if self.kind.takes == "bit" and isinstance(value, sympy.log):
            return sympy.log(_odds(p))
        return value

    def guarantee(self, notion: str | None = None) -> Guarantee | None:
        """The guarantee for values one unit apart, in a notion or its own; None where there is none.

        >>> str(laplace("1/e").guarantee()), laplace(1).guarantee("zcdp")
        ('pure (e)', None)
        """
        from dpcompose.kernel.grammar import FormulaError

        states = self.kind.states
        own = next(iter(states))
        notion = own if notion is None else notion
        try:
            values = tuple((key, self.value(text)) for key, text in states.get(notion, {}).items())
        except FormulaError:
            if notion == own:
                raise
            return None  # a parameter of that notion is larger than numbers of formulas may be
        return Guarantee(notion, values) if values else None

    def unfit(self, domains: Mapping[str, Domain]) -> str | None:
        """Why the parameter is none, in words; None where it is fine for all allowed values.

        domains -- the allowed values of the parameters in it.

        >>> from dpcompose.language.symbols import UNIT_INTERVAL
        >>> print(laplace("1 - d").unfit({"d": UNIT_INTERVAL}))
        None
        >>> laplace("1 - 2*d").unfit({"d": UNIT_INTERVAL})
        'the scale 1 - 2*d must be positive for all allowed values, but it is 0 at d = 1/2'
        """
        import sympy

        from dpcompose.language import formulas

        x = self.parameter
        if x is sympy.oo:
            return f"the {self.kind.called} is a finite number"
        if self.kind.takes != "bit":
            fine = _is_positive(x, domains)
        else:
            odds = sympy.Integer(0) if x == 1 else sympy.cancel(x / (1 - x))
            fine = _is_positive(odds, {}) or (_is_positive(x, domains) and _is_positive(1 - x, domains))
        if fine:
            return None
        wanted = "lie between 0 and 1" if self.kind.takes == "bit" else "be positive"
        shown = f"the {self.kind.called} {formulas.to_text(x)} must {wanted} for all allowed values"
        return shown + _where_not_above(x, self.kind.takes == "bit", domains)


def laplace(scale: object) -> Noise:
    """Laplace noise: Y with density exp(−|y|/b)/(2b) is added to every entry of a query's value.

    scale -- b, a positive formula, such as "1/e" for noise that makes a count ε-DP.

    >>> laplace("1/e").words
    'Laplace noise of scale 1/e'
    """
    return _noise("laplace", scale)


def gaussian_noise(deviation: object) -> Noise:
    """Normal noise of this standard deviation is added to every entry of a query's value.

    >>> [str(gaussian_noise("s").guarantee(notion)) for notion in ("gaussian", "zcdp", "pure")]
    ['gaussian (1/s)', 'zcdp (1/(2*s**2))', 'pure (oo)']
    """
    return _noise("gaussian", deviation)


def geometric(scale: object) -> Noise:
    """Two-sided geometric noise: whole numbers y with probability proportional to exp(−|y|/b).

    For queries with whole values: counts and histograms.

    >>> str(geometric("1/e").guarantee())
    'pure (e)'
    """
    return _noise("geometric", scale)


def planar_laplace(scale: object) -> Noise:
    """Planar Laplace noise: a point of the plane with density exp(−|y|/b)/(2πb²) is added to a location.

    >>> str(planar_laplace("1/e").guarantee())
    'pure (e)'
    """
    return _noise("planar-laplace", scale)


def exponential(factor: object) -> Noise:
    """The exponential mechanism: a bin of a histogram is chosen with probability ∝ exp(t·count).

    factor -- t, a positive formula; with ε/2 it is what textbooks call the exponential mechanism for scores
    of sensitivity 1.

    >>> str(exponential("e/2").guarantee())
    'pure (e/2)'
    """
    return _noise("exponential", factor)


def randomized_response(truth: object) -> Noise:
    """Randomized response: one bit is told as it is with the probability `truth`, else the other one.

    >>> str(randomized_response("3/4").guarantee())
    'pure (log(3))'
    """
    return _noise("randomized-response", truth)


def _odds(p: sympy.Expr) -> sympy.Expr:
    """p/(1 − p) in lowest terms, its denominator positive where that of p is.

    >>> from dpcompose.language.symbols import symbol
    >>> _odds(symbol("f")), _odds(1 - symbol("f") / 2)
    (f/(1 - f), (2 - f)/f)
    """
    import sympy

    over, under = sympy.fraction(sympy.together(p))
    if sympy.gcd(over, under) != 1:
        over, under = sympy.fraction(sympy.cancel(p))
    return over / sympy.expand(under - over)


def _is_positive(x: sympy.Expr, domains: Mapping[str, Domain]) -> bool:
    """Whether x > 0 is seen for all allowed values: from signs, or by calculus."""
    from dpcompose.language import forms
    from dpcompose.language.meaning import sign

    if x.is_positive or (not x.free_symbols and sign(x) == 1):
        return True
    if not {str(one) for one in x.free_symbols} <= set(domains):
        return False
    try:
        return forms.surely(forms.read(x, domains), domains)
    except forms.NotAForm:
        return False


MOST_POINTS = 500
"""At how many simple points a parameter is tried that is not seen to be allowed everywhere."""


def _where_not_above(x: sympy.Expr, below_one: bool, domains: Mapping[str, Domain]) -> str:
    """Simple allowed values at which not 0 < x, or not x < 1, in words; "" where none is found."""
    from itertools import islice, product

    from dpcompose.language import formulas

    names = sorted({str(one) for one in x.free_symbols} & set(domains))
    values = product(*(simple(domains[name]) for name in names))
    for point in (dict(zip(names, some, strict=True)) for some in islice(values, MOST_POINTS)):
        try:
            value = formulas.evaluate(x, point)
        except formulas.FormulaError as error:
            return f", but {error.message}"
        if value is not None and (value <= 0 or (below_one and value >= 1)):
            at = ", ".join(f"{name} = {one}" for name, one in point.items())
            return f", but it is {value}{f' at {at}' if at else ''}"
    return ""


def _noise(word: str, parameter: object) -> Noise:
    from dpcompose.language import formulas

    return Noise(word, formulas.from_python(parameter))
