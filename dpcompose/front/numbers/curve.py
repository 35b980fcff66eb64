"""The privacy curve of a study in numbers: δ at an ε, ε at a δ, each between two decimals that are certain.

What stands above holds for all mechanisms as the study states them; what stands below is reached by some.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING

from dpcompose.front.numbers import numbers
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import enclosure, sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.answers import NoAnswer
from dpcompose.language.decimals import decimal, rounded
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import symbol
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.flattening import NotFlat, flattened
from dpcompose.proof.theory.registry import Theory
from dpcompose.search import least
from dpcompose.search.conversions.curves_of_orders import OfOrders
from dpcompose.search.guarantees import Workshop
from dpcompose.search.least import Between
from dpcompose.search.proofs import NoLemma, Proofs

if TYPE_CHECKING:
    import sympy

NOTION = "approximate"
"""The notion whose guarantees are the points of a curve."""
DIGITS = 7
"""To how many significant digits ends are written, rounded outward."""
EXPONENTS = (1, 2, 3, 5, 7, 9)
"""Powers of a tenth near which a table has a δ."""


class NoCurve(NoAnswer):
    """There is no curve of what is asked for; the message says why, and what has one."""


@frozen(repr=False)
class Enclosure(Shown):
    """A number x with lower ≤ x ≤ upper; None: no mechanism is known to reach one, or no number holds.

    exact -- whether both are the same number, which then is x.
    """

    lower: sympy.Rational | None
    upper: sympy.Rational | None

    @property
    def exact(self) -> bool:
        """Whether the number is known exactly."""
        return self.lower is not None and self.lower == self.upper

    def __repr__(self) -> str:
        low, high = self.ends()
        if low == high:
            return str(low)
        if high is None:
            return f"at least {low}, and none is known that holds"
        return f"at most {high}" if low is None else f"between {low} and {high}"

    def ends(self) -> tuple[str | None, str | None]:
        """Both as decimals, rounded outward."""
        sides = ((self.lower, False), (self.upper, True))
        return tuple(None if x is None else _decimal(x, up) for x, up in sides)  # type: ignore[return-value]

    def data(self) -> dict[str, str | None]:
        """As JSON."""
        low, high = self.ends()
        return {"lower": low, "upper": high}


def _decimal(x: sympy.Rational, up: bool) -> str:
    return decimal(rounded(Fraction(int(x.p), int(x.q)), DIGITS, up))


@frozen(repr=False)
class PrivacyCurve(Shown):
    """δ(ε) = the least δ for which the composition is (ε, δ)-private, for every ε ≥ 0, at numbers.

    setting -- the composition, in which all parameters are numbers; theory -- the pages it is judged by;
    reached -- whether mechanisms as it says are all that is meant: not where more is known of them, as where
    one has several guarantees; then no number is known that some reach.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(
    ...     dpc.mechanism("M1", dpc.pure("e", dpc.bounded)),
    ...     dpc.mechanism("M2", dpc.gaussian("m", dpc.bounded)),
    ...     on=dpc.multisets("ab"),
    ...     target=dpc.bounded,
    ... )
    >>> curve = study.curve(at={"e": 1, "m": "1/2"})
    >>> curve.delta(1), curve.epsilon("1e-6")
    (between 0.1443227 and 0.1443228, between 3.22019 and 3.220191)
    """

    setting: Setting
    theory: Theory
    reached: bool = True

    def delta(self, epsilon: object, bits: Sequence[int] = least.BITS) -> Enclosure:
        """The least δ at an ε ≥ 0, a number.  Raises WrongValue, NoCurve.

        bits -- with how many binary digits it is looked for, one after the other.
        """
        return self._enclosed("epsilon", epsilon, partial(least.delta_at, bits=bits))

    def epsilon(self, delta: object) -> Enclosure:
        """The least ε ≥ 0 at a δ in [0, 1], a number.  Raises WrongValue, NoCurve."""
        return self._enclosed("delta", delta, least.epsilon_at)

    @cached_property
    def _shop(self) -> Workshop:
        """What is proved of the mechanisms in the notion of the curve, those of studies one by one."""
        setting = self.setting
        with suppress(NotFlat):
            setting = flattened(setting) if setting.studies else setting
        proofs = Proofs(setting.in_one_notion([NOTION]), self.theory.in_kernel)
        try:
            return proofs.shop_in(NOTION)
        except NoLemma as error:
            raise NoCurve(str(error)) from None

    @cached_property
    def _of_orders(self) -> OfOrders | None:
        """What is known by divergences, where some mechanism is stated so."""
        if self.setting.orders is None:
            return None
        return OfOrders(
            Proofs(self.setting, self.theory.in_kernel).elaborated.core, self.theory.in_kernel, NOTION
        )

    def _by_orders(self, name: str, low: Term, high: Term) -> Enclosure:
        """The same over some orders, rounded up: nothing is known to be reached."""
        assert self._of_orders is not None
        worst = enclosure(low, least.BITS[0]).low  # both fall where the other one grows
        if name == "delta" and not 0 < worst < 1:
            raise NoCurve("of divergences an epsilon is known at a delta between 0 and 1")
        value = self._of_orders.epsilon(worst) if name == "delta" else self._of_orders.delta(worst)
        if value is None and name == "delta":
            raise NoCurve("no order is known at which a conversion gives an epsilon")
        return Enclosure(None, _rational(Fraction(1) if value is None else value))

    def _enclosed(
        self, name: str, given: object, known: Callable[[Workshop, str, Term], Between | None]
    ) -> Enclosure:
        low, high = _constant(name, given)
        if self._of_orders is not None:
            return self._by_orders(name, low, high)
        between = known(self._shop, NOTION, low)
        if between is not None and low != high:  # both fall where the other one grows
            there = known(self._shop, NOTION, high)
            between = None if there is None else Between(there.low, between.high)
        why = least.why_none(self._shop, NOTION) if between is None else between.why
        if why and (between is None or (between.low is None and between.high is None)):
            raise NoCurve(f"the curve is not computed: {why}")
        if between is None:
            known_of = "pure, (epsilon, delta), zCDP and Gaussian guarantees, and of noise"
            stated = " and ".join(self.setting.notions)
            raise NoCurve(f"nothing computes the curve of {stated} mechanisms here, but of {known_of}")
        return Enclosure(_rational(between.low if self.reached else None), _rational(between.high))

    def table(self) -> list[tuple[str, Enclosure]]:
        """ε = 0 and those at which δ is about 1e-1, 1e-2, …, as decimals, each with the least δ there."""
        enclosures = {"0": self.delta(0)}
        for exponent in EXPONENTS:
            _, high = self.epsilon(Fraction(1, 10**exponent)).ends()
            if high is not None and high not in enclosures:
                enclosures[high] = self.delta(high)
        return list(enclosures.items())

    def __repr__(self) -> str:
        return "\n".join(f"epsilon = {x}: delta {delta!r}" for x, delta in self.table())

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        rows = [[x, *(end or "" for end in delta.ends())] for x, delta in self.table()]
        return display.table(["ε", "δ at least", "δ at most"], rows)


def _rational(x: Fraction | None) -> sympy.Rational | None:
    import sympy

    return None if x is None else sympy.Rational(x.numerator, x.denominator)


def _constant(name: str, given: object) -> tuple[Term, Term]:
    """A number at least 0, exactly, or the two decimals that it lies between.  Raises WrongValue."""
    import sympy

    value = _with_pi(name, given)
    ends = (value, value)
    if value.has(sympy.pi):  # which formulas have no name for
        near = sympy.Rational(str(sympy.N(value, PLACES)))
        ends = (near - sympy.Rational(1, 10 ** (PLACES // 2)), near + sympy.Rational(1, 10 ** (PLACES // 2)))
    low, high = map(formulas.term, ends)
    if sign(low) not in (0, 1) or (name == "delta" and sign(terms.ONE - high) not in (0, 1)):
        where = "in [0, 1]" if name == "delta" else "at least 0"
        raise numbers.WrongValue(f"{name} is to be a number {where}, not {given}")
    return low, high


PLACES = 60
"""To how many digits a number with π is computed, of which half are taken."""


def _with_pi(name: str, given: object) -> sympy.Expr:
    """A number, of which π may be a part."""
    import sympy

    if isinstance(given, sympy.Expr) and given.is_number and given.is_real:
        return given
    if isinstance(given, str) and "pi" in given:
        with suppress(formulas.FormulaError):
            pi = symbol("pi")
            expr = formulas.parse(given, {"pi": pi}).subs(pi, sympy.pi)
            if expr.is_number and expr.is_real:
                return expr
    return numbers.as_number(name, given)
