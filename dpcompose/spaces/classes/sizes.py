"""How many records the databases of a class have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel.core.assumptions import Assumed, known_least
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, letter, number

COUNT = Domain.read("integer >= 1")
"""The values of letters for numbers of records, rows or steps, where nothing else is said of them."""
NUMBER = r"[0-9]{1,9}|[A-Za-z_][A-Za-z0-9_]*"


@frozen
class Size:
    """How many records a database has: any number (n is None), at most n, or exactly n; and at least some.

    least -- from how many records on, up to n; 0 where all have exactly n;
    letter -- for any number in place of n, or of `least` where there is no n; lower -- for any in place of
    `least` beside an n: those are then some of their values, and what is said is said for each of them.

    >>> str(Size.read("<= 4")), Size.read("= 4").allows(3), Size.read("3..3").exactly
    ('<= 4', False, True)
    >>> Size.read("2..5")
    Size(n=5, exactly=False, least=2, letter=None, lower=None)
    """

    n: int | None = None
    exactly: bool = False
    least: int = 0
    letter: Term | None = None
    lower: Term | None = None

    @staticmethod
    def read(text: str, known: Mapping[str, Term] | None = None) -> Size:
        """The size that a problem file's words name.  Raises ValueError that lists the words.

        known -- what letters mean; others are any number from 1.
        """
        if not isinstance(text, str):
            raise TypeError(f'a size is a text: "any", "<= 4", "= 4", ">= 2" or "2..4", not {text!r}')
        if text.strip() == "any":
            return Size()
        if re.search("[0-9]{10}", text):
            raise ValueError(f"{text!r} is too large: sizes are below 10^9")
        if match := re.fullmatch(rf"\s*(<=|>=|=)\s*({NUMBER})\s*", text):
            n = _meant(match[2], known)
            if match[1] == ">=":
                return Size(least=_first(n), letter=_letter(n))
            return Size(_first(n), match[1] == "=", letter=_letter(n))
        if match := re.fullmatch(rf"\s*({NUMBER})\s*\.\.\s*({NUMBER})\s*", text):
            return _between(_meant(match[1], known), _meant(match[2], known))
        raise ValueError(f'{text!r} is no size; use "any", "<= 4", "= 4", ">= 2" or "2..4"')

    @property
    def letters(self) -> Mapping[str, Domain]:
        """The letters, if there are any, with their values."""
        both = (term.letters for term in (self.lower, self.letter) if term is not None)
        return {name: domain for domains in both for name, domain in domains.items()}

    @property
    def between(self) -> bool:
        """Whether there is a largest number of records, and a least one that may be another."""
        return self.n is not None and (self.least > 0 or self.lower is not None)

    @property
    def filling(self) -> int:
        """How many records the smallest databases have, where letters have their first values."""
        return (self.n or 0) if self.exactly else self.least

    @property
    def fewest(self) -> int | None:
        """Of how many records all databases have one at least, whatever letters are, if all have as many."""
        if not self.exactly or self.letter is None:
            return self.n if self.exactly else None
        return int(self.letter.of[1].least)

    @property
    def fewest_read(self) -> int | str:
        """How many records a database has at least, as core settings say it."""
        if self.lower is not None:
            return str(self.lower)
        return self.least if self.letter is None or self.n is not None else str(self.letter)

    @property
    def named(self) -> dict[str, str]:
        """The letters as core settings call them."""
        both = {"letter": self.letter, "lower": self.lower}
        return {key: str(term) for key, term in both.items() if term is not None}

    def at(self, point: Mapping[str, Fraction]) -> Size:
        """The size with a number for its letter.  Raises ValueError where that is none of its values."""
        for name, domain in self.letters.items():
            if name in point and not domain.contains(point[name]):
                raise ValueError(f"{name} = {point[name]} is not {domain}")
        if not self.letters or not self.letters.keys() <= point.keys():
            return self
        known = {name: number(point[name]) for name in self.letters}
        return Size.read(str(self), known)

    def with_room(self, steps: int) -> Size:
        """The same with so large a number for a letter that so many records may change."""
        if self.letter is None or self.n is None:
            return self
        return replace(self, n=max(self.n, self.least + steps))

    def unknown(self, assumed: Assumed, records: int | None = None) -> str:
        """What is to be known of letters, that there are databases of every size; "" where it is.

        records -- how many there are, where none is there twice.
        """
        least = number(self.least) if self.lower is None else self.lower
        sides = [] if self.n is None or self.exactly else [(least, self.letter or number(self.n))]
        fewest = self.letter if self.exactly or self.n is None else self.lower
        if records is not None and fewest is not None:
            sides.append((fewest, number(records)))
        for term, other in sides:
            least_known = known_least(other - term, assumed)
            if least_known is None or least_known < 0:
                return f"{term} <= {other}"
        return ""

    @property
    def up_to(self) -> Size:
        """At most as many records."""
        return Size(self.n, letter=None if self.n is None else self.letter)

    def allows(self, n: int) -> bool:
        """Whether a database of n records belongs; with letters, for some of their values."""
        if self.letter is not None and (self.exactly or self.n is None):
            return bool(n >= self.letter.of[1].least)
        least = self.least if self.lower is None else int(self.lower.of[1].least)
        if self.letter is not None:
            return n >= least
        return n >= least and (self.n is None or (n == self.n if self.exactly else n <= self.n))

    def allows_difference(self, removed: int, added: int) -> bool:
        """Whether some two databases differ by so many records of the one, and so many of the other."""
        if self.n is None:
            return True
        apart = 0 if self.exactly else self.n - self.least
        return max(removed, added) <= self.n and abs(removed - added) <= apart

    @property
    def kind(self) -> str:
        """any, at most, or exactly: what theorems on sizes depend on."""
        return "any" if self.n is None else "exactly" if self.exactly else "at most"

    @property
    def most(self) -> str:
        """The number n, or the letter for it, as text."""
        return str(self.n) if self.letter is None else str(self.letter)

    def __str__(self) -> str:
        if self.n is None and (self.least or self.letter):
            return f">= {self.least if self.letter is None else self.letter}"
        if self.least or self.lower:
            return f"{self.least if self.lower is None else self.lower}..{self.most}"
        return "any" if self.n is None else f"{'=' if self.exactly else '<='} {self.most}"


def _meant(text: str, known: Mapping[str, Term] | None) -> Term:
    """What a number, or the name of a letter, means.  Raises ValueError for what is no number of records."""
    if text.isdecimal():
        return number(int(text))
    term = (known or {}).get(text) or letter(text, COUNT)
    if (n := term.number) is not None and n.denominator == 1 and 0 <= n < 10**9:
        return term
    if term.kind == "letter" and term.of[1].integer and term.of[1].nonnegative:
        return term
    raise ValueError(f'a number of records is a parameter such as "integer >= 1", and not {term}')


def _letter(n: Term) -> Term | None:
    return n if n.number is None else None


def _first(n: Term) -> int:
    """A number, or the least value of a letter."""
    return int(n.of[1].least if n.number is None else n.number)


def _between(least: Term, most: Term) -> Size:
    """From some number of records to another one."""
    low, n = _first(least), _first(most)
    lower, named = _letter(least), _letter(most)
    if lower is None and named is None:
        if low > n:
            raise ValueError(f"no database has {low} records or more and {n} or fewer")
        return Size(n, exactly=True) if low == n else Size(n, least=low)
    if least == most:
        return Size(n, exactly=True, letter=named)
    return Size(max(n, low + 1) if named is not None else n, False, low, named, lower)


def refuse_letter(kind: str, sizes: Size) -> None:
    """Raises ValueError where the number of records is a letter."""
    if sizes.letters:
        named = " and ".join(sizes.letters)
        raise ValueError(f"{kind} of size {sizes}, {named} being any number, are not supported; a number is")


ANY_SIZE = Size()
"""Any number of records."""
