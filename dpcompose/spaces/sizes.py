"""How many records the databases of a class have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dpcompose.kernel.contributions import is_count
from dpcompose.kernel.domains import Domain
from dpcompose.kernel.terms import Term, letter

COUNT = Domain.read("integer >= 1")
"""The values of letters for numbers of records, rows or steps, where nothing else is said of them."""
NAME = r"[A-Za-z_][A-Za-z0-9_]*"


@dataclass(frozen=True)
class Size:
    """How many records a database has: any number (n is None), at most n, or exactly n; and at least some.

    least -- from how many records on, less than n; 0 where all have exactly n;
    letter -- for any number in place of n, or of `least` where there is no n; that is then one of its values,
    and what is said is said for each of them.

    >>> str(Size.read("<= 4")), Size.read("= 4").allows(3), Size.read("3..3").exactly
    ('<= 4', False, True)
    >>> Size.read("2..5")
    Size(n=5, exactly=False, least=2, letter=None)
    """

    n: int | None = None
    exactly: bool = False
    least: int = 0
    letter: Term | None = None

    @staticmethod
    def read(text: str, known: Mapping[str, Term] | None = None) -> Size:
        """The size that a problem file's words name.  Raises ValueError that lists the words.

        known -- what letters mean; others are any number from 1.
        """
        if not isinstance(text, str):
            raise TypeError(f'a size is a text: "any", "<= 4", "= 4", ">= 2" or "2..4", not {text!r}')
        if text.strip() == "any":
            return Size()
        if found := re.fullmatch(r"\s*(<=|>=|=)\s*([0-9]{1,9})\s*", text):
            n = int(found[2])
            return Size(least=n) if found[1] == ">=" else Size(n, exactly=found[1] == "=")
        if found := re.fullmatch(r"\s*([0-9]{1,9})\s*\.\.\s*([0-9]{1,9})\s*", text):
            least, n = int(found[1]), int(found[2])
            if least > n:
                raise ValueError(f"no database has {least} records or more and {n} or fewer")
            return Size(n, exactly=True) if least == n else Size(n, least=least)
        if found := re.fullmatch(rf"\s*(<=|>=|=|[0-9]{{1,9}}\s*\.\.)\s*({NAME})\s*", text):
            return _of_letter(found[1], (known or {}).get(found[2]) or letter(found[2], COUNT))
        if re.search("[0-9]{10}", text):
            raise ValueError(f"{text!r} is too large: sizes are below 10^9")
        raise ValueError(f'{text!r} is no size; use "any", "<= 4", "= 4", ">= 2" or "2..4"')

    @property
    def letters(self) -> Mapping[str, Domain]:
        """The letter, if there is one, with its values."""
        return {} if self.letter is None else self.letter.letters

    def at(self, point: Mapping[str, Fraction]) -> Size:
        """The size with a number for its letter.  Raises ValueError where that is none of its values."""
        for name, domain in self.letters.items():
            if name in point:
                if not domain.contains(point[name]):
                    raise ValueError(f"{name} = {point[name]} is not {domain}")
                value = int(point[name])
                return Size(least=value) if self.n is None else Size(value, self.exactly, self.least)
        return self

    def with_room(self, steps: int) -> Size:
        """The same with so large a number for a letter that so many records may change."""
        if self.letter is None or self.n is None:
            return self
        return replace(self, n=max(self.n, self.least + steps))

    @property
    def up_to(self) -> Size:
        """At most as many records."""
        return Size(self.n, letter=None if self.n is None else self.letter)

    def allows(self, n: int) -> bool:
        """Whether a database of n records belongs; with a letter, for some of its values."""
        if self.letter is not None and (self.exactly or self.n is None):
            return bool(n >= self.letter.of[1].least)
        if self.letter is not None:
            return n >= self.least
        return n >= self.least and (self.n is None or (n == self.n if self.exactly else n <= self.n))

    def allows_difference(self, removed: int, added: int) -> bool:
        """Whether some two databases differ by so many records of the one, and so many of the other."""
        if self.n is None:
            return True
        apart = 0 if self.exactly else self.n - self.least
        return max(removed, added) <= self.n and abs(removed - added) <= apart

    def filled(self, removed: int, added: int) -> int:
        """How many records two databases share at least that differ by so many."""
        if self.exactly and self.n is not None:
            return self.n - removed
        return max(0, self.least - min(removed, added))

    @property
    def kind(self) -> str:
        """any, at most, or exactly: what theorems on sizes depend on."""
        return "any" if self.n is None else "exactly" if self.exactly else "at most"

    @property
    def most(self) -> str:
        """The number n, or the letter for it, as text."""
        return str(self.n) if self.letter is None else str(self.letter)

    def __str__(self) -> str:
        if self.least and self.n is None:
            return f">= {self.least if self.letter is None else self.letter}"
        if self.least:
            return f"{self.least}..{self.most}"
        return "any" if self.n is None else f"{'=' if self.exactly else '<='} {self.most}"


def _of_letter(words: str, meant: Term) -> Size:
    """A size of which a number is a letter, or what that stands for."""
    if (n := meant.number) is not None:
        return Size.read(f"{words} {n}")
    if not is_count(meant):
        raise ValueError(f'a number of records is a parameter such as "integer >= 1", and not {meant}')
    fewest = int(meant.of[1].least)
    if words == ">=":
        return Size(least=fewest, letter=meant)
    least = 0 if words in ("<=", "=") else int(words.rstrip(". "))
    if fewest <= least:
        raise ValueError(f'{meant} is to be more than {least} for all its values: "integer >= {least + 1}"')
    return Size(fewest, words == "=", least, meant)


def refuse_letter(kind: str, sizes: Size) -> None:
    """Raises ValueError where the number of records is a letter."""
    if sizes.letter is not None:
        raise ValueError(
            f"{kind} of size {sizes}, {sizes.letter} being any number, are not supported; a number is"
        )


ANY_SIZE = Size()
"""Any number of records."""
