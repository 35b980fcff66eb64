"""Domains: the real numbers that a parameter may stand for.

A domain is an interval with open or closed ends, or the whole numbers in one.  No name is positive by
itself: what a comparison may use of a parameter stands in its domain.
"""

from __future__ import annotations

import re
from fractions import Fraction

from dpcompose.kernel.expressions.keeping import frozen, kept


@frozen
class Domain:
    """The set {x : least ≤ x ≤ greatest}, its ends open or closed, or its integers.

    least, greatest -- Fractions, or None where there is no bound;
    open_least, open_greatest -- whether that end is left out;
    integer -- whether only integers are meant.

    >>> Domain.read("in (0,1)").contains(Fraction(1, 2)), Domain.read("integer >= 2").contains(Fraction(5, 2))
    (True, False)
    """

    least: Fraction | None = None
    open_least: bool = False
    greatest: Fraction | None = None
    open_greatest: bool = False
    integer: bool = False

    def __hash__(self) -> int:
        return self._hash

    @kept
    def _hash(self) -> int:
        return hash((self.least, self.open_least, self.greatest, self.open_greatest, self.integer))

    @staticmethod
    def read(text: str) -> Domain:
        """The domain that a problem file's words name.  Raises ValueError that lists the words.

        >>> str(Domain.read("integer >= 2"))
        'integer >= 2'
        """
        words = " ".join(text.split())
        if words in _NAMED:
            return _NAMED[words]
        if match := re.fullmatch(r"integer >= (-?\d{1,15})", words):
            return Domain(least=Fraction(match[1]), integer=True)
        number = r"(\d{1,15}(?:/\d{1,15})?)"
        if match := re.fullmatch(rf"in ([(\[]){number}, ?(?:{number}([)\]])|oo\))", words):
            greatest = None if match[3] is None else Fraction(match[3])
            made = Domain(Fraction(match[2]), match[1] == "(", greatest, match[4] == ")")
            if greatest is None or greatest > made.least:  # type: ignore[operator]
                return made
        raise ValueError(
            f"{text!r} is no domain; use positive, nonnegative, real, in (0,1), integer >= N, or a number"
        )

    def contains(self, x: Fraction) -> bool:
        """Whether x is one of the allowed values."""
        if self.integer and x.denominator != 1:
            return False
        if self.least is not None and (x <= self.least if self.open_least else x < self.least):
            return False
        return self.greatest is None or (x < self.greatest if self.open_greatest else x <= self.greatest)

    @property
    def positive(self) -> bool:
        """Whether every allowed value is above 0."""
        return self.least is not None and (self.least > 0 or (self.least == 0 and self.open_least))

    @property
    def nonnegative(self) -> bool:
        """Whether no allowed value is below 0."""
        return self.least is not None and self.least >= 0

    @property
    def named(self) -> str | None:
        """The words for it, where there are such."""
        return next((words for words, domain in _NAMED.items() if domain == self), None)

    def __str__(self) -> str:
        if self.named is not None:
            return self.named
        return f"integer >= {self.least}" if self.integer else f"in {self.interval}"

    @property
    def interval(self) -> str:
        """The numbers between its ends."""
        least, greatest = (
            ("-oo" if self.least is None else self.least),
            ("oo" if self.greatest is None else self.greatest),
        )
        begin = "(" if self.open_least or self.least is None else "["
        end = ")" if self.open_greatest or self.greatest is None else "]"
        return f"{begin}{least}, {greatest}{end}"


_NAMED = {
    "positive": Domain(least=Fraction(0), open_least=True),
    "nonnegative": Domain(least=Fraction(0)),
    "real": Domain(),
    "in (0,1)": Domain(least=Fraction(0), open_least=True, greatest=Fraction(1), open_greatest=True),
}
POSITIVE, NONNEGATIVE, REAL, UNIT_INTERVAL = (_NAMED[one] for one in _NAMED)
