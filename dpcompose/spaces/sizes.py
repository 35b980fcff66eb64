"""How many records the databases of a class have."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """How many records a database has: any number (n is None), at most n, or exactly n; and at least some.

    least -- from how many records on, less than n; 0 where all have exactly n.

    >>> str(Size.read("<= 4")), Size.read("= 4").allows(3), Size.read("2..5"), Size.read("3..3")
    ('<= 4', False, Size(n=5, exactly=False, least=2), Size(n=3, exactly=True, least=0))
    """

    n: int | None = None
    exactly: bool = False
    least: int = 0

    @staticmethod
    def read(text: str) -> Size:
        """The size that a problem file's words name.  Raises ValueError that lists the words."""
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
        if re.search("[0-9]{10}", text):
            raise ValueError(f"{text!r} is too large: sizes are below 10^9")
        raise ValueError(f'{text!r} is no size; use "any", "<= 4", "= 4", ">= 2" or "2..4"')

    def allows(self, n: int) -> bool:
        """Whether a database of n records belongs."""
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

    def __str__(self) -> str:
        if self.least:
            return f">= {self.least}" if self.n is None else f"{self.least}..{self.n}"
        return "any" if self.n is None else f"{'=' if self.exactly else '<='} {self.n}"


ANY_SIZE = Size()
"""Any number of records."""
