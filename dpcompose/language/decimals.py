"""Numbers as people write and read them: a decimal is what it shows; long ones are rounded to a side."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.kernel.expressions.intervals import NoEnclosure, enclosure
from dpcompose.kernel.expressions.terms import Term

SHOWN_DIGITS = 7
"""To how many digits a δ is shown, where these are enough to see that it is larger than claimed."""


def read_exactly(value: object) -> Fraction | None:
    """The decimal that a float, Decimal or sympy Float shows, exactly: 0.1 is 1/10; None for oo.

    Raises ValueError for what is no number.

    >>> read_exactly(0.1), read_exactly(1e-6), read_exactly(float("inf"))
    (Fraction(1, 10), Fraction(1, 1000000), None)
    """
    shown = float.__repr__(value) if isinstance(value, float) else str(value)
    if shown.lower() in ("inf", "infinity"):
        return None
    try:
        return Fraction(shown)
    except ValueError:
        raise ValueError(f"{shown} is no number") from None


def rounded(x: Fraction, digits: int, up: bool) -> Fraction:
    """A number to so many significant decimal digits, rounded one way.

    >>> rounded(Fraction(2, 3), 2, up=True), rounded(Fraction(2, 3), 2, up=False)
    (Fraction(67, 100), Fraction(33, 50))
    """
    if x == 0:
        return x
    exponent = len(str(abs(x.numerator))) - len(str(x.denominator))
    exponent -= abs(x) < Fraction(10) ** exponent  # so that 10^exponent ≤ |x| < 10^(exponent + 1)
    unit = Fraction(10) ** (exponent + 1 - digits)
    return (-(-x // unit) if up else x // unit) * unit


def decimal(x: Fraction) -> str:
    """A number as a decimal where it is one of few digits, else as a fraction.

    >>> decimal(Fraction(3, 8)), decimal(Fraction(1, 3)), decimal(Fraction(12, 10**9))
    ('0.375', '1/3', '1.2e-8')
    """
    if not has_few_digits(x):
        return str(x)
    places = _places(x)
    sign, digits = "-" if x < 0 else "", str(abs(x.numerator * 10**places // x.denominator))
    if places == 0:
        return sign + digits
    if places - len(digits) > SHOWN_ZEROS:
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e-{places - len(digits) + 1}"
    text = digits.zfill(places + 1)
    return f"{sign}{text[:-places]}.{text[-places:]}"


def has_few_digits(x: Fraction) -> bool:
    """Whether a number is a decimal of few digits."""
    return _places(x) <= MOST_PLACES


def _places(x: Fraction) -> int:
    """How many digits stand after the point, counted to one more than the most."""
    every = range(MOST_PLACES + 1)
    return next((n for n in every if (x * 10**n).denominator == 1), MOST_PLACES + 1)


SHORT = 1_000
"""Up to which denominator a fraction is read as easily as a decimal."""
SHORT_DECIMAL = 12
"""Up to how many characters an exact decimal is shown whole."""
LARGEST_SHOWN = 10**9
"""Up to which size irrational numbers are shown as decimals."""
ENOUGH = 128
"""With how many binary digits they are enclosed."""


def beside(value: Term, up: bool, digits: int = SHOWN_DIGITS) -> str:
    """What is shown beside an exact constant: the decimal that it is, or is rounded to, with the side.

    "" where it is read as easily itself, or is not enclosed.

    >>> from dpcompose.kernel.expressions.terms import number, sqrt
    >>> beside(number(Fraction(18591409, 500000000)), False), beside(number(Fraction(63, 64)), False)
    (' = 0.037182818', '')
    >>> beside(number(Fraction(1, 7001)), True), beside(sqrt(number(2)), False)
    (' (at most 0.0001428368)', ' (at least 1.414213)')
    """
    if (exact := value.number) is not None:
        if exact.denominator <= SHORT:
            return ""
        shown = decimal(exact)
        if "/" not in shown and len(shown) <= SHORT_DECIMAL:
            return f" = {shown}"
        end = exact
    else:
        try:
            between = enclosure(value, ENOUGH)
        except NoEnclosure:
            return ""
        end = between.high if up else between.low
    if abs(end) > LARGEST_SHOWN:
        return ""
    return f" (at {'most' if up else 'least'} {decimal(rounded(end, digits, up))})"


SHOWN_ZEROS = 3
"""Up to how many zeros after the point a decimal is written without an exponent."""
MOST_PLACES = 400
"""Up to how many places a number is looked at for being a decimal; formulas have exponents as large."""
