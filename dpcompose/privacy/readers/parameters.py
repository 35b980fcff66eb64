"""The parameters of problem files: what names in their formulas are, and what is assumed of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import POSITIVE, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.symbols import family_of
from dpcompose.privacy.format.checks import Found, Path_, shown
from dpcompose.privacy.settings import assumptions
from dpcompose.spaces.classes.sizes import COUNT

UNIT_KEYS = ("delta", "randomized-response", "poisson")
"""Where a name that is not listed under [parameters] lies in (0,1), if it stands alone."""


def domain_unless_number(words: str) -> Domain | None:
    """The values that a parameter may take; None where the words are an exact number, which it then is.

    Raises ValueError for what is neither.

    >>> domain_unless_number("positive") == POSITIVE, domain_unless_number("1/3")
    (True, None)
    """
    try:
        return Domain.read(words)
    except ValueError:
        if not re.match(r"\s*[-+(]*[0-9.]", words):
            raise
        return None


class Parameters:
    """The names in formulas of a problem file: the values that they may take, and what is assumed of them.

    given -- the domains, or numbers, by name; assume -- relations; found -- where mistakes are told;
    inherits -- whether this is a study, of which is assumed what is assumed of the whole.

    >>> found = Found()
    >>> some = Parameters({"e": "positive", "k": "3"}, ["e < 1"], found)
    >>> some.read()
    >>> some.stated("k*e + x", "epsilon", ("mechanisms", 0, "guarantee", "epsilon"), None) is not None
    True
    >>> sorted(some.domains), dict(some.numbers), found.mistakes
    (['e', 'x'], {'k': '3'}, [])
    """

    def __init__(
        self, given: Mapping[str, str], assume: Sequence[str], found: Found, inherits: bool = False
    ) -> None:
        self.given, self.assume, self.found, self.inherits = given, assume, found, inherits
        self.symbols: dict[str, Term] = {}
        self.numbers: dict[str, str] = {}
        self.doubts: list[str] = []
        self.domains: dict[str, Domain] = {}
        self.scalars: set[str] = set()

    def read(self) -> None:
        """Reads the domains of parameters, and the numbers that some are."""
        for name, words in self.given.items():
            path = ("parameters", name)
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or len(name) > 200:
                self.found.wrong(path, f"{shown(name)} is no name: letters, digits and _")
                continue
            if name in formulas.RESERVED:
                self.found.wrong(path, f"{name} has a meaning in formulas already")
                continue
            try:
                domain = domain_unless_number(words)
                self.symbols[name] = terms.letter(name, domain) if domain else kernel.parse(words, {})
            except ValueError as error:
                self.found.wrong(path, error)
                self.symbols[name] = terms.letter(name, COUNT)  # nothing more is said of it
                continue
            if domain:
                self.domains[name] = domain
            else:
                self.numbers[name] = words

    @property
    def known_so_far(self) -> Assumed:
        """What is assumed of the parameters that are known; others count as positive until they are."""
        return assumptions.so_far(self.assume, self.symbols)

    def assumed(self, counts: Mapping[str, Term]) -> Assumed:
        """The relations between parameters; of a study those whose parameters it has."""
        return assumptions.read(
            {
                n: text
                for n, text in enumerate(self.assume)
                if not self.inherits or set(assumptions.names(text)) <= set(self.symbols)
            },
            self.symbols,
            self.found.wrong,
            counts,
        )

    def stated(
        self, text: str, key: str, path: Path_, index: str | None, alpha: Term | None = None
    ) -> Term | None:
        """A mechanism's parameter: names that are not listed are made here.

        alpha -- what alpha stands for, an order or a rate; left out: it is a name as others.
        """
        order = {} if alpha is None else {ALPHA: alpha}
        try:
            for name in formulas.names(text):
                if name in order:
                    continue
                self.scalars.add(name)
                if name not in self.symbols and name != index:
                    domain = UNIT_INTERVAL if key in UNIT_KEYS and text.strip() == name else POSITIVE
                    if not self.adopt(name, domain, path):
                        return None
            symbols = {**self.symbols, **order}
            value = kernel.parse(text, symbols, index=index)
            if found := values.doubt(text, symbols, index, self.known_so_far):
                self.doubts.append(f"{key} of mechanism {int(path[1]) + 1}: {found}")
            return value
        except formulas.FormulaError as error:
            self.found.wrong(path, error)
            return None

    def above_one(self, text: str, path: Path_) -> None:
        """A name that stands alone and is not listed lies above 1."""
        if text.strip().isidentifier() and text.strip() != "oo" and text.strip() not in self.symbols:
            self.adopt(text.strip(), Domain(Fraction(1), True), path)

    def counted(self, text: str, path: Path_) -> Term | None:
        """A number of parts, rows or steps: names that are not listed are made here."""
        for name in formulas.names(text):
            if name not in self.symbols and not self.adopt(name, COUNT, path):
                return None
        return kernel.parse(text, self.symbols)

    def adopt(self, name: str, domain: Domain, path: Path_) -> bool:
        """A parameter that is not known yet; e[i] has the domain of e, if [parameters] lists that."""
        family = family_of(name)
        if family is not None and family in self.domains and family in self.given:
            if family in self.scalars:
                self.found.wrong(
                    path, f"{family} is a parameter and also a family {name}; rename one of them"
                )
                return False
            domain = self.domains.pop(family)
            del self.symbols[family]
        self.domains[name] = domain
        self.symbols[name] = terms.letter(name, domain)
        return True
