"""The names of a problem about metrics, and what formulas in them mean."""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy

from dpcompose.kernel.deciders import values
from dpcompose.kernel.polynomials import NotAForm
from dpcompose.kernel.terms import letter as term_letter
from dpcompose.language import exchange, formulas
from dpcompose.language.symbols import NONNEGATIVE, POSITIVE, REAL, UNIT_INTERVAL, Domain, symbol
from dpcompose.privacy.checks import Found, Path_, shown
from dpcompose.privacy.metrics.schema import MetricProblemTable
from dpcompose.privacy.readers.parameters import UNIT_KEYS, domain_unless_number
from dpcompose.spaces.points import NamedMetric, is_sum_of_squares


class Names(Found):
    """The names of a problem, and what formulas in them mean; collects mistakes."""

    def __init__(self, given: MetricProblemTable) -> None:
        super().__init__()
        self.given = given
        self.symbols: dict[str, sympy.Expr] = {}
        self.numbers: dict[str, str] = {}
        self.domains: dict[str, Domain] = {}
        self.metrics: dict[str, NamedMetric] = {}
        self.taken: dict[str, str] = {}

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

    def formula(
        self, text: str, path: Path_, others: Mapping[str, sympy.Expr], new: bool = True, key: str = ""
    ) -> sympy.Expr | None:
        """What a formula means in the parameters and others; with `new`, other names are parameters."""
        try:
            for name in formulas.names(text) if new else ():
                if name in others or name in self.symbols:
                    continue
                if name in self.taken:
                    raise formulas.FormulaError(f"{name} is {self.taken[name]}, and has no value here")
                if not self.take(name, "a parameter", path):
                    return None
                domain = UNIT_INTERVAL if key in UNIT_KEYS and text.strip() == name else POSITIVE
                self.domains[name] = domain
                self.symbols[name] = symbol(name, domain)
            known = {**self.symbols, **others}
            value = formulas.parse(text, known)
            self._check_effect(text, value, others)
            doubt = self.doubt(text, others) if new else ""
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

    def _check_effect(self, text: str, value: sympy.Expr, others: Mapping[str, sympy.Expr]) -> None:
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
            apart = formulas.parse(written, {**self.symbols, **others, **fresh})
            every = {fresh[f"each__{n}"] for n in range(1, count + 1)}
            if not every <= apart.free_symbols:
                raise formulas.FormulaError(
                    "a metric is multiplied by 0 here, but where it is oo so is 0 times it; leave it out, or "
                    "take a nonnegative parameter"
                )

    def doubt(self, text: str, others: Mapping[str, sympy.Expr]) -> str:
        """Why a formula may have no real value; the root of a sum of squares has one."""
        known = {**self.symbols, **others}
        asked = [] if text.strip() == "oo" else formulas.conditions(text, known)
        if all(condition == ">= 0" and is_sum_of_squares(inside) for inside, condition in asked):
            return ""
        domains = self._all_domains(others)
        return values.doubt(text, {name: term_letter(name, domains[name]) for name in known})

    def _all_domains(self, others: Mapping[str, sympy.Expr]) -> dict[str, Domain]:
        """The values of parameters and of other letters: metrics, or coordinates."""
        metrics = {symbol(name, NONNEGATIVE) for name in self.metrics}
        return self.domains | {name: NONNEGATIVE if it in metrics else REAL for name, it in others.items()}

    def never_negative(self, value: sympy.Expr) -> bool:
        """Whether a formula in the parameters is seen to be ≥ 0."""
        return exchange.is_never_negative(value, self.domains)

    def is_positive(self, value: sympy.Expr) -> bool:
        """Whether a formula in the parameters is seen to be > 0."""
        try:
            return values.surely(exchange.in_domains(value, self.domains))
        except NotAForm:
            return False
