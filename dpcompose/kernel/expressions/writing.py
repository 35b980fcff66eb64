"""Writing: terms as the text of formulas, which is read back as the same term."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from dpcompose.kernel.expressions.grammar import MOST_DIGITS, natural
from dpcompose.kernel.expressions.terms import (
    HALF,
    ONE,
    ZERO,
    Term,
    add,
    exp,
    letter,
    log,
    multiply,
    number,
    power,
)

SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly a text holds together."""


def to_text(term: Term) -> str:
    """The formula of a term: `parse` reads it back as the same term.

    >>> from dpcompose.kernel.expressions.terms import largest, least, letter, sqrt
    >>> e1, e2, e10 = map(letter, ["e1", "e2", "e10"])
    >>> to_text(e10 + 2 * e2 / 3 - e1), to_text(least(e1, e2)), to_text(1 / sqrt(e1))
    ('2*e2/3 + e10 - e1', 'min(e1, e2)', '1/sqrt(e1)')
    >>> to_text(least(e1, e2 - e1, 1 - e2)), to_text(-largest(e1 - e2, e2 - e1))
    ('min(1 - e2, e1, e2 - e1)', '-abs(e1 - e2)')
    """
    return _written(term).text


class Written(NamedTuple):
    """A text: its sign, the number in front, whether that is a factor, and what follows.

    tightness -- how tightly it holds together.
    """

    rest: str
    tightness: int
    number: str = ""
    times: str = ""
    minus: bool = False

    @property
    def text(self) -> str:
        return f"{'-' if self.minus else ''}{self.number}{self.times}{self.rest}"

    @property
    def bare(self) -> str:
        """The same without sign and factor."""
        return self.rest if self.times else self.number + self.rest


def _written(term: Term) -> Written:
    """How a term is written; once."""
    if "written" not in term.__dict__:
        term.__dict__["written"] = _write(term)
    found: Written = term.__dict__["written"]
    return found


def _in_brackets(term: Term, tightness: int) -> str:
    """The text, in parentheses where it holds together less tightly than needed."""
    written = _written(term)
    return written.text if written.tightness >= tightness else f"({written.text})"


def _write(term: Term) -> Written:
    term = with_names(term, _named)
    kind, of = term.kind, term.of
    if kind == "oo":
        return Written("oo", ATOM)
    if kind == "letter":
        return Written(of[0], ATOM)
    if kind == "number" and of[0].denominator == 1 and of[0] >= 0:
        return _integer(of[0].numerator)
    if kind == "sum":
        return _sum(term)
    if kind == "top" and not _is_minimum(term):
        return Written(_top(term), ATOM)
    if kind == "over":
        rest = f"{to_text(of[1])}, i, 1, {to_text(of[2])})"
        name = "max(" if of[0] == ONE else "sum(" if of[0] == of[2] else f"top({to_text(of[0])}, "
        return Written(name + rest, ATOM)
    if (of_members := _factor_of_family(term)) is not None:
        return Written(f"prod({to_text(of_members[0])}, i, 1, {to_text(of_members[1])})", ATOM)
    if kind in ("exp", "log"):
        return Written(f"{kind}({to_text(of[0])})", ATOM)
    if kind == "power" and not _is_under(term):
        if of[1].number == HALF:
            return Written(f"sqrt({to_text(of[0])})", ATOM)
        if _is_minimum(of[0]) and (even := of[1].number) is not None and even % 2 == 0:
            return Written(f"min({_list(-part for part in of[0].parts)})**{even}", POWER)
        return Written(f"{_in_brackets(of[0], ATOM)}**{_in_brackets(of[1], POWER)}", POWER)
    return _product(term)


LOG_OF_TWO = log(number(2))


Naming = Callable[[str, Term], Term]
"""From the name of a function and its value to what stands for it in a term."""


def with_names(term: Term, naming: Naming) -> Term:
    """The term with tanh, sinh, cosh and log2 where it is made of what these are read as."""
    if term.kind == "product" and (under := power(LOG_OF_TWO, -ONE)) in term.of:
        logarithm = next((one for one in term.of if one.kind == "log" and one != LOG_OF_TWO), None)
        if logarithm is not None:
            rest = [one for one in term.of if one not in (logarithm, under)]
            return multiply([*rest, naming("log2", logarithm.of[0])])
    if term.kind == "sum":
        for one in term.of:
            for pair, c, name, x in (*tangent(one), *_of_halves(one)):
                if c.number is not None and set(pair) <= set(term.of):
                    rest = [other for other in term.of if other not in pair]
                    return with_names(add([*rest, c * naming(name, x)]), naming)
    return term


def _named(name: str, x: Term) -> Term:
    """A function as if it were a letter, to write it.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> x = letter("x")
    >>> to_text(3 - 6 / (1 + exp(2 * x))), to_text(exp(x) / 2 + exp(-x) / 2 - 1), to_text(log(x) / LOG_OF_TWO)
    ('3*tanh(x)', 'cosh(x) - 1', 'log2(x)')
    """
    return letter(f"{name}({to_text(x)})")


Part = tuple[tuple[Term, Term], Term, str, Term]
"""Two terms of a sum, and what they are together: a factor, and a function with its value."""


def tangent(term: Term) -> Iterator[Part]:
    """What −2c/(e^2x + 1) is a part of: with c it is c·tanh(x)."""
    for factor in term.factors:
        if _is_under(factor) and factor.of[1] == -ONE and factor.of[0].kind == "sum":
            exponential, *others = (one for one in factor.of[0].of if one != ONE)
            if exponential.kind == "exp" and not others:
                c = -multiply(one for one in term.factors if one != factor) / 2
                yield (term, c), c, "tanh", exponential.of[0] / 2


def _of_halves(term: Term) -> Iterator[Part]:
    """What e^x/2 is a part of, cosh(x) and sinh(x)."""
    c, exponential = term.split
    if exponential.kind == "exp" and c == HALF and not _written(exponential.of[0]).minus:
        other = exp(-exponential.of[0]) / 2
        yield (term, other), ONE, "cosh", exponential.of[0]
        yield (term, -other), ONE, "sinh", exponential.of[0]


def _factor_of_family(term: Term) -> tuple[Term, Term] | None:
    """x[i] and k where the term is the product of x[1], …, x[k], as exp(Σ ln x[i]); None where it is not."""
    inside = term.of[0] if term.kind == "exp" else term
    if inside.kind != "over" or inside.of[0] != inside.of[2] or inside.of[1].kind != "log":
        return None
    return inside.of[1].of[0], inside.of[2]


def _is_under(factor: Term) -> bool:
    """Whether a factor is written in the denominator."""
    if factor.kind != "power":
        return False
    r = factor.of[1].number
    return r is not None and r < 0


def _order(term: Term, text: str) -> tuple[bool, bool, list[str | int]]:
    """Constants last, functions after powers, then by name; numbers in front do not count."""
    return not term.letters, "(" in text, natural(text)


def _integer(value: int) -> Written:
    """A whole number ≥ 0; beyond 60 digits as a sum of shorter ones times powers of 10."""
    digits = str(value)
    if len(digits) <= MOST_DIGITS:
        return Written("", ATOM, digits)
    short = digits.rstrip("0")
    if len(short) <= MOST_DIGITS:
        tens = f"10**{len(digits) - len(short)}"
        return Written(tens, POWER) if short == "1" else Written(tens, PRODUCT, short, "*")
    parts = []
    for end in range(len(digits), 0, -MOST_DIGITS):
        part = digits[max(0, end - MOST_DIGITS) : end].lstrip("0")
        if part:
            parts.append(part if end == len(digits) else f"{part}*10**{len(digits) - end}")
    return Written(" + ".join(reversed(parts)), SUM)


def _sum(total: Term) -> Written:
    """Positive terms, negative terms, constants; but 1 - x rather than -x + 1."""

    def order(term: Term) -> tuple[bool, bool, tuple[bool, bool, list[str | int]]]:
        return not term.letters, _written(term).minus, _order(term, _written(term).bare)

    summands = [_written(term) for term in sorted(total.of, key=order)]
    first = summands.pop(next((at for at, one in enumerate(summands) if not one.minus), 0))
    more = (f" {'-' if one.minus else '+'} {one.number}{one.times}{one.rest}" for one in summands)
    return first._replace(rest=first.rest + "".join(more), tightness=SUM)


def _top(term: Term) -> str:
    count, compared = term.of[0], term.of[1:]
    if count == 1 and len(compared) == 2 and compared[0] == -compared[1]:
        inside = min(map(_written, compared), key=lambda one: (one.minus, bool(one.number)))
        return f"abs({inside.text})"
    return (f"top({count}, " if count != 1 else "max(") + _list(compared) + ")"


def _list(terms: Iterable[Term]) -> str:
    return ", ".join(map(to_text, sorted(terms, key=lambda term: _order(term, _written(term).bare))))


def _is_minimum(term: Term, subtracted: bool = False) -> bool:
    """Whether -term reads better as a minimum: term is max(-x, -y); where it is subtracted, also if no more
    terms begin with a sign in the minimum."""
    if not (term.kind == "top" and term.of[0] == 1 and any(part != ZERO for part in term.parts)):
        return False
    signed = sum(_written(part).minus for part in term.parts)
    if signed == sum(part != ZERO for part in term.parts):
        return True
    is_absolute = len(term.parts) == 2 and term.parts[0] == -term.parts[1]
    turned = sum(_written(-part).minus for part in term.parts) if subtracted else 0
    return subtracted and not is_absolute and turned <= signed


def _product(term: Term) -> Written:
    c, rest = term.split
    over: list[tuple[Term, str]] = []
    under: list[tuple[Term, str]] = []
    roots = [one for one in rest.factors if one.kind == "power" and one.of[1].number == HALF]
    others = [one for one in rest.factors if one not in roots] if len(roots) > 1 else list(rest.factors)
    if len(roots) > 1:
        inside = multiply(root.of[0] for root in roots)
        if power(inside, HALF) == multiply(roots):
            over.append((multiply(roots), f"sqrt({to_text(inside)})"))
        else:
            others = list(rest.factors)
    subtracted = c < 0 and sum(factor.kind == "top" for factor in others) == 1
    for factor in others:
        if _is_minimum(factor, subtracted):
            c = -c
            over.append((factor, f"min({_list(-part for part in factor.parts)})"))
        elif _is_under(factor):
            inverse = power(factor.of[0], -factor.of[1])
            under.append((inverse, _in_brackets(inverse, POWER)))
        elif factor != ONE:
            over.append((factor, _in_brackets(factor, POWER)))
    # Sums last: in front, a number or a sign would be multiplied into them.
    for factors in (over, under):
        factors.sort(key=lambda one: (one[0].kind == "sum", _order(*one)))
    return _quotient(abs(c), over, under)._replace(minus=c < 0)


def _quotient(c: Fraction, over: list[tuple[Term, str]], under: list[tuple[Term, str]]) -> Written:
    """The text of a product of positive c and what stands over and under the line."""
    above, below = [text for _, text in over], [text for _, text in under]
    in_front = _in_brackets(number(c.numerator), PRODUCT) if c.numerator != 1 or not over else ""
    if c.denominator != 1:
        below.insert(0, _in_brackets(number(c.denominator), POWER))
    # 1/(2*(x + y)) would be read as 1/(2*x + 2*y), which is another term.
    apart = c.denominator != 1 and len(under) == 1 and under[0][0].kind == "sum"
    if len(below) > 1 and not apart:
        below = [f"({'*'.join(below)})"]
    times = "*" if in_front and above else ""
    return Written("/".join(["*".join(above), *below]), PRODUCT, in_front, times)
