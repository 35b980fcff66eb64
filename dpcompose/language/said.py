"""Sentences of texts and mathematics: what is said is a value, and how it looks is the printers' choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import chain
from string import Formatter
from typing import TYPE_CHECKING

from dpcompose.kernel.expressions.keeping import frozen

if TYPE_CHECKING:
    import sympy

    from dpcompose.kernel.expressions.terms import Term

AS_LATEX = {
    "<=": r"\le",
    ">=": r"\ge",
    "exp": r"\exp",
    "log": r"\ln",
    "tau": r"\tau ",
    "Phi": r"\Phi",
    "*": " ",
    "oo": r"\infty",
}


@frozen
class Formula:
    """A formula in a sentence: its text, and how that is read; where it cannot be, it stays text."""

    text: str
    read: Callable[[str], sympy.Expr | None] = field(compare=False)

    @property
    def expression(self) -> sympy.Expr | None:
        return self.read(self.text)

    @property
    def value(self) -> sympy.Expr:
        """The same, of a formula that is known to be one."""
        expr = self.expression
        assert expr is not None, self.text
        return expr


@frozen
class Mathematics:
    """What is no formula of the grammar, such as a probability: as text, and as LaTeX."""

    text: str
    latex: str


class Item(str):
    """What a reader looks up: an item of a source, as pages name it, or a page by its id; form -- which form.

    >>> first, second = Item("GB:IV.3", "adaptive form"), Item("GB:IV.12")
    >>> first.source, first.number, second.order > Item("GB:IV.3").order
    ('GB', 'IV.3 (adaptive form)', True)
    """

    source: str
    number: str

    def __new__(cls, text: str, form: str = "") -> Item:
        item = super().__new__(cls, f"{text} ({form})" if form else text)
        item.source, _, item.number = item.rpartition(":")
        return item

    @property
    def order(self) -> tuple[str, int, str]:
        """IV.3 is before IV.12."""
        head, _, last = self.rpartition(".")
        return (head, int(last), "") if last.isdigit() else (self, 0, self)


@frozen
class Cited:
    """An item of the literature, or a page, that is cited."""

    text: Item


@frozen
class Private:
    """A guarantee by its parameters and what it is called: (e1 + e2)-DP."""

    values: tuple[Formula, ...]
    called: Part

    @property
    def brackets(self) -> tuple[str, str]:
        """What stands around the parameters where they are text."""
        values = ", ".join(value.text for value in self.values)
        return ("(", ")") if any(c in values for c in " ,+-*/") else ("", "")

    @property
    def text(self) -> str:
        before, after = self.brackets
        return f"{before}{', '.join(value.text for value in self.values)}{after}-{plain([self.called])}"


def formula(value: Term | sympy.Expr) -> Formula:
    """A term, or an expression, as a formula of a sentence."""
    from dpcompose.language import formulas

    return Formula(formulas.to_text(value), lambda _: formulas.expression(formulas.term(value)))


Part = str | Formula | Mathematics | Cited | Private
Said = Sequence[Part]
"""A sentence, in texts and formulas."""


class Words(str):
    """A sentence that is its text, wherever a text will do, and keeps its parts for those who typeset it.

    >>> reads = Words("M reads ", Mathematics("D|{a}", r"D|_{a}"))
    >>> print(reads, Words("it is not: ", reads, " only").parts)
    M reads D|{a} ('it is not: M reads ', Mathematics(text='D|{a}', latex='D|_{a}'), ' only')
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Words:
        words = super().__new__(cls, plain(parts))
        joined: list[Part] = []
        for part in chain.from_iterable(map(parts_of, parts)):
            if joined and isinstance(part, str) and isinstance(joined[-1], str):
                joined[-1] += part
            else:
                joined.append(part)
        words.parts = tuple(joined)
        return words


def filled(template: str, *in_order: Part, **values: Part) -> Words:
    """A template with parts at its places: by their names, and in order where these have none.

    >>> filled("{p} is {}", "new", p=same("p")).parts
    (Mathematics(text='p', latex='p'), ' is new')
    """
    found: list[Part] = []
    following = iter(in_order)
    for text, place, _, _ in Formatter().parse(template):
        found += [text] if place is None else [text, values[place] if place else next(following)]
    return Words(*(part for part in found if part != ""))


def parts_of(part: Part) -> tuple[Part, ...]:
    """The parts of a sentence inside another one; of anything else itself."""
    return part.parts if isinstance(part, Words) else (part,)


def plain(said: Said) -> str:
    """A sentence as text."""
    return "".join(one if isinstance(one, str) else one.text for one in said)


def member(family: str, number: int) -> Words:
    """A member of a family by its number, which stands below the line where it is typeset.

    >>> member("M", 3).parts
    ('M', Mathematics(text='[3]', latex='_{3}'))
    """
    return Words(family, Mathematics(f"[{number}]", f"_{{{number}}}"))


def listed(names: Sequence[Part], most: int | None = 6, by: str = ", ") -> Words:
    """Names one after the other, of more than the most the first and the last.

    >>> print(listed("abc"), "and", listed([member("M", 1), member("M", 9)], most=1))
    a, b, c and M[1], ..., M[9]
    """
    some = names if most is None or len(names) <= most else (names[0], "...", names[-1])
    return Words(*(part for n, name in enumerate(some) for part in ((by, name) if n else (name,))))


def in_series(names: Sequence[str], by: str = "and") -> str:
    """Names in a sentence.

    >>> in_series(["multisets", "sets", "streams"]), in_series(["sets"])
    ('multisets, sets and streams', 'sets')
    """
    *others, last = names
    return f"{', '.join(others)} {by} {last}" if others else last


def guarantees_in(said: Said) -> list[Private]:
    """The guarantees that a sentence names."""
    return [part for part in said if isinstance(part, Private)]


def expressions_in(said: Said) -> Iterator[str | sympy.Expr]:
    """A sentence with its formulas as expressions, all else as text."""
    for part in said:
        yield (part.expression or part.text) if isinstance(part, Formula) else plain([part])


@frozen
class Writer:
    """What sentences are written with: texts, formulas, the values of guarantees, items that are cited."""

    text: Callable[[str], str]
    formula: Callable[[sympy.Expr], str]
    values: Callable[[Sequence[sympy.Expr]], str]
    cited: Callable[[Item], str]
    mathematics: Callable[[str], str] = "${}$".format

    def __call__(self, said: Said) -> str:
        return "".join(self._part(inner) for part in said for inner in parts_of(part))

    def _part(self, part: Part) -> str:
        match part:
            case str():
                return self.text(part)
            case Private():
                return self.values([value.value for value in part.values]) + self([Words("-", part.called)])
            case Mathematics():
                return self.mathematics(part.latex)
            case Cited():
                return self.cited(part.text)
        return self.text(part.text) if part.expression is None else self.formula(part.expression)


def same(text: str) -> Mathematics:
    """Mathematics that looks the same as text and as LaTeX."""
    return Mathematics(text, text)


D, E, NEIGHBOUR = map(same, ("D", "E", "D'"))
"""The databases of a pair; of a counterexample the second one is printed as D'."""


def reason(text: str) -> Said:
    """A reason that a page gives, its mathematics between dollar signs.

    >>> [part if isinstance(part, str) else part.latex for part in reason("a map, and $k >= 2$")]
    ['a map, and ', 'k \\\\ge 2']
    """
    return [mathematics(part) if n % 2 else part for n, part in enumerate(text.split("$")) if part]


def mathematics(text: str) -> Mathematics:
    """A few signs and letters, as text and as LaTeX."""
    return Mathematics(text, re.sub("|".join(map(re.escape, AS_LATEX)), lambda sign: AS_LATEX[sign[0]], text))
