"""The names of a problem about metrics, and what formulas in them mean."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

import sympy

from dpcompose.kernel.assumptions import Assumed
from dpcompose.kernel.deciders import values
from dpcompose.kernel.polynomials import NotAForm
from dpcompose.kernel.terms import Term
from dpcompose.kernel.terms import letter as term_letter
from dpcompose.language import exchange, formulas
from dpcompose.language.symbols import NONNEGATIVE, POSITIVE, REAL, UNIT_INTERVAL, Domain, family_of, symbol
from dpcompose.privacy import assumptions
from dpcompose.privacy.checks import Found, Path_, near, shown
from dpcompose.privacy.metrics.schema import MetricStudyTable
from dpcompose.privacy.readers.parameters import UNIT_KEYS, domain_unless_number
from dpcompose.spaces.points import NamedMetric, is_sum_of_squares

CANONICAL = "d_"
"""What the names of canonical metrics start with."""
LONG = 4
"""From how many letters on a name that is nearly that of a metric is held for a slip."""


class Names(Found):
    """The names of a problem, and what formulas in them mean; collects mistakes."""

    def __init__(self, given: MetricStudyTable) -> None:
        super().__init__()
        self.given = given
        self.symbols: dict[str, sympy.Expr] = {}
        self.numbers: dict[str, str] = {}
        self.domains: dict[str, Domain] = {}
        self.metrics: dict[str, NamedMetric] = {}
        self.taken: dict[str, str] = {}
        self.scalars: set[str] = set()

    def take(self, name: str, what: str, path: Path_) -> bool:
        """Whether a name is free for what it is to mean."""
        fine = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and "__" not in name
        if not fine or name in formulas.RESERVED:
            message = "is no name: letters, digits and single _, without a meaning in formulas"
            self.wrong(path, f"{shown(name)} {message}")
            return False
        if name in self.taken:
            self.wrong(path, f"{name} is {self.taken[name]} already; call {what} something else")
            return False
        self.taken[name] = what
        return True

    def parameters(self) -> None:
        """Reads the domains of parameters, and the numbers that some are."""
        for name, words in self.given.parameters.items():
            path = ("parameters", name)
            if not self.take(name, "a parameter", path):
                continue
            try:
                domain = domain_unless_number(words)
                self.symbols[name] = symbol(name, domain) if domain else formulas.parse(words, {})
            except ValueError as error:
                self.wrong(path, error)
                continue
            if domain:
                self.domains[name] = domain
            else:
                self.numbers[name] = words

    def sizes(self, letters: Mapping[str, Domain]) -> None:
        """The letters for sizes of the databases are parameters, whether they are listed or not."""
        for name, domain in letters.items():
            if name not in self.domains and self.take(name, "a parameter", ("databases", "size")):
                self.symbols[name] = symbol(name, domain)
                self.domains[name] = domain

    # assumptions

    @property
    def _terms(self) -> dict[str, Term]:
        return {name: exchange.in_domains(it, self.domains) for name, it in self.symbols.items()}

    @property
    def known_so_far(self) -> Assumed:
        """What is assumed of the parameters that are known; others count as positive until they are."""
        return assumptions.so_far(self.given.assume, self._terms)

    def assumed(self) -> Assumed:
        """The relations between parameters, once all of these are known."""
        return assumptions.read(dict(enumerate(self.given.assume)), self._terms, self.wrong)

    # formulas

    def _adopt(self, name: str, domain: Domain, path: Path_) -> bool:
        """Makes a parameter that is not known yet; e[i] has the domain of e, if [parameters] lists that."""
        family = family_of(name)
        if family in self.scalars:
            self.wrong(path, f"{family} is a parameter and also a family {name}; rename one of them")
            return False
        if family in self.domains:
            domain = self.domains.pop(family)
            del self.symbols[family]
        elif not self.take(family or name, "a parameter", path):
            return False
        if family is not None:
            self.taken[family] = "a family of parameters"
        self.domains[name] = domain
        self.symbols[name] = symbol(name, domain)
        return True

    def unlike(self, name: str) -> str:
        """What was meant by a name that is none, and looks like that of a metric; "" for others."""
        written = [one for one in self.metrics if len(one) >= LONG]
        if name.startswith(CANONICAL):
            return f"there is no metric {name}{near(name, [*self.canonical_names, *self.metrics])}"
        if close := difflib.get_close_matches(name, written if len(name) >= LONG else [], 1, 0.8):
            return (
                f"there is no metric {name}; did you mean {close[0]!r}? If it is a parameter, list it under "
                "[parameters]"
            )
        return ""

    @property
    def canonical_names(self) -> list[str]:
        """The names that canonical metrics of granularities have in formulas."""
        return []

    def formula(
        self,
        text: str,
        path: Path_,
        others: Mapping[str, sympy.Expr],
        new: bool = True,
        key: str = "",
        index: str | None = None,
    ) -> sympy.Expr | None:
        """What a formula means in the parameters and others; with `new`, other names are parameters.

        index -- the letter i of e[i] in the guarantee of a family.
        """
        try:
            for name in formulas.names(text):
                self.scalars.add(name)
                if name in others or name in self.symbols or name == index:
                    continue
                if name in self.taken:
                    raise formulas.FormulaError(f"{name} is {self.taken[name]}, and has no value here")
                if meant := self.unlike(name):
                    raise formulas.FormulaError(meant)
                domain = UNIT_INTERVAL if key in UNIT_KEYS and text.strip() == name else POSITIVE
                if new and not self._adopt(name, domain, path):
                    return None
            known = {**self.symbols, **others}
            value = formulas.parse(text, known, index=index)
            self._check_effect(text, value, others, index)
            doubt = self.doubt(text, others, index) if new else ""
        except formulas.FormulaError as error:
            self.wrong(path, error)
            return None
        if doubt:
            self.wrong(path, doubt)
            return None
        if new and value is sympy.oo:
            self.wrong(path, "oo says nothing here: leave it out, or give a bound")
            return None
        return value

    def _check_effect(
        self, text: str, value: sympy.Expr, others: Mapping[str, sympy.Expr], index: str | None
    ) -> None:
        """Raises FormulaError where a metric cancels: 0·d is 0 for formulas, but ∞ where d is.

        Each time that a metric is named counts: 0·d + min(d, 3) is ∞ where d is.
        """
        for name in formulas.names(text):
            if name in others and others[name] not in value.free_symbols and name not in self.symbols:
                raise formulas.FormulaError(
                    f"{name} cancels, but where it is oo so is 0 times it; leave it out, or take a "
                    "nonnegative parameter"
                )
        fresh = {name: it for name, it in others.items() if name in self.metrics}
        written, count = text, 0
        for name in sorted(fresh):
            at = re.compile(rf"(?<![A-Za-z0-9_]){name}(?![A-Za-z0-9_])")
            while at.search(written):
                count += 1
                written = at.sub(f"each__{count}", written, count=1)
                fresh[f"each__{count}"] = symbol(f"each__{count}", NONNEGATIVE)
        if count and written != text and text.strip() != "oo":
            apart = formulas.parse(written, {**self.symbols, **others, **fresh}, index=index)
            every = {fresh[f"each__{n}"] for n in range(1, count + 1)}
            if not every <= apart.free_symbols:
                raise formulas.FormulaError(
                    "a metric is multiplied by 0 here, but where it is oo so is 0 times it; leave it out, or "
                    "take a nonnegative parameter"
                )

    def doubt(self, text: str, others: Mapping[str, sympy.Expr], index: str | None = None) -> str:
        """Why a formula may have no real value; the root of a sum of squares has one."""
        known = {**self.symbols, **others}
        asked = [] if text.strip() == "oo" else formulas.conditions(text, known, index)
        if all(condition == ">= 0" and is_sum_of_squares(inside) for inside, condition in asked):
            return ""
        domains = self._all_domains(others)
        letters = self._terms | {name: term_letter(name, domain) for name, domain in domains.items()}
        return values.doubt(text, letters, index, self.known_so_far)

    def _all_domains(self, others: Mapping[str, sympy.Expr]) -> dict[str, Domain]:
        """The values of parameters and of other letters: metrics, or coordinates."""
        metrics = {symbol(name, NONNEGATIVE) for name in self.metrics}
        return self.domains | {name: NONNEGATIVE if it in metrics else REAL for name, it in others.items()}

    def never_negative(self, value: sympy.Expr) -> bool:
        """Whether a formula in the parameters is seen to be ≥ 0."""
        return exchange.is_never_negative(value, self.domains, self.known_so_far)

    def is_positive(self, value: sympy.Expr) -> bool:
        """Whether a formula in the parameters is seen to be > 0."""
        try:
            return values.surely(exchange.in_domains(value, self.domains), assumed=self.known_so_far)
        except NotAForm:
            return False
