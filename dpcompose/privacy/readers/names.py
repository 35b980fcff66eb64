"""The names of a problem about metrics, and what formulas in them mean."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, POSITIVE, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.language import formulas
from dpcompose.language.symbols import family_of
from dpcompose.privacy.format.checks import Found, Path_, near, shown
from dpcompose.privacy.format.metric_tables import CANONICAL
from dpcompose.privacy.readers.parameters import UNIT_KEYS, Parameters
from dpcompose.spaces.canonical.named import NamedMetric

LONG = 4
"""From how many letters on a name that is nearly that of a metric is held for a slip."""
NONE: Mapping[str, Term] = {}


class Names(Parameters):
    """What is in scope: parameters, metrics, and what else has a name; and what formulas in these mean.

    given, assume, found, inherits -- as of `Parameters`; strict -- whether formulas have a value for all
    allowed parameters, and no two things one name: where metrics are all that there is.
    """

    def __init__(
        self,
        given: Mapping[str, str],
        assume: Sequence[str],
        found: Found,
        strict: bool,
        inherits: bool = False,
    ) -> None:
        super().__init__(given, assume, found, inherits)
        self.metrics: dict[str, NamedMetric] = {}
        self.taken: dict[str, str] = {}
        self.canonical: Sequence[str] = ()
        self.strict = strict
        if strict:
            free = [name for name in given if self.take(name, "a parameter", ("parameters", name))]
            self.given = {name: given[name] for name in free}
        self.read()

    def stated(
        self, text: str, key: str, path: Path_, index: str | None, alpha: Term | None = None
    ) -> Term | None:
        if self.strict:
            return self.formula(text, path, key=key, index=index)
        return super().stated(text, key, path, index, alpha)

    def take(self, name: str, what: str, path: Path_) -> bool:
        """Whether a name is free for what it is to mean."""
        fine = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and "__" not in name
        if not fine or name in formulas.RESERVED:
            message = "is no name: letters, digits and single _, without a meaning in formulas"
            self.found.wrong(path, f"{shown(name)} {message}")
            return False
        known = self.taken.get(name, "a parameter" if name in self.symbols else "")
        if known:
            self.found.wrong(path, f"{name} is {known} already; call {what} something else")
            return False
        self.taken[name] = what
        return True

    def adopt(self, name: str, domain: Domain, path: Path_) -> bool:
        """Makes a parameter that is not known yet; e[i] has the domain of e, if [parameters] lists that."""
        if not self.strict:
            return super().adopt(name, domain, path)
        family = family_of(name)
        if family in self.scalars:
            self.found.wrong(path, f"{family} is a parameter and also a family {name}; rename one of them")
            return False
        known = family in self.domains or name in self.domains  # as letters for sizes may be
        if not known and not self.take(family or name, "a parameter", path):
            return False
        if family is not None:
            self.taken[family] = "a family of parameters"
        return super().adopt(name, domain, path)

    def unlike(self, name: str) -> str:
        """What was meant by a name that is none, and looks like that of a metric; "" for others."""
        written = [metric for metric in self.metrics if len(metric) >= LONG and self.strict]
        if name.startswith(CANONICAL):
            return f"there is no metric {name}{near(name, [*self.canonical, *self.metrics])}"
        if close := difflib.get_close_matches(name, written if len(name) >= LONG else [], 1, 0.8):
            return (
                f"there is no metric {name}; did you mean {close[0]!r}? If it is a parameter, list it under "
                "[parameters]"
            )
        return ""

    def formula(
        self,
        text: str,
        path: Path_,
        others: Mapping[str, Term] = NONE,
        new: bool = True,
        key: str = "",
        index: str | None = None,
    ) -> Term | None:
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
                if new and not self.adopt(name, domain, path):
                    return None
            value = kernel.parse(text, {**self.symbols, **others}, index=index)
            self._check_effect(text, value, others, index)
            doubt = self.doubt(text, others, index) if new else ""
        except (formulas.FormulaError, TermError) as error:
            self.found.wrong(path, error)
            return None
        if doubt and not self.strict:
            self.doubts.append(f"{path[-1]} of mechanism {int(path[1]) + 1}: {doubt}")
            doubt = ""
        if new and not doubt and value.kind == "oo":
            doubt = "oo says nothing here: leave it out, or give a bound"
        if doubt:
            self.found.wrong(path, doubt)
            return None
        return value

    def _check_effect(self, text: str, value: Term, others: Mapping[str, Term], index: str | None) -> None:
        """Raises FormulaError where a metric cancels: 0·d is 0 for formulas, but ∞ where d is.

        Each time that a metric is named counts: 0·d + min(d, 3) is ∞ where d is.
        """
        symbols = self.symbols
        for name in formulas.names(text):
            lost = name in others and not others[name].letters.keys() & value.letters.keys()
            if lost and name not in symbols:
                raise formulas.FormulaError(
                    f"{name} cancels here, and that is right only where it is finite: 0 times oo is oo. "
                    "Leave it out, or take a nonnegative parameter as its factor"
                )
        fresh = {name: it for name, it in others.items() if name in self.metrics}
        written, count = text, 0
        for name in sorted(fresh):
            at = re.compile(rf"(?<![A-Za-z0-9_]){name}(?![A-Za-z0-9_])")
            while at.search(written):
                count += 1
                written = at.sub(f"each__{count}", written, count=1)
                fresh[f"each__{count}"] = terms.letter(f"each__{count}", NONNEGATIVE)
        if count and text.strip() != "oo":
            apart = kernel.parse(written, {**symbols, **others, **fresh}, index=index)
            if not {f"each__{n}" for n in range(1, count + 1)} <= apart.letters.keys():
                raise formulas.FormulaError(
                    "a metric is multiplied by 0 here, which is 0 only where it is finite: 0 times oo is oo. "
                    "Leave it out, or take a nonnegative parameter as its factor"
                )

    def doubt(self, text: str, others: Mapping[str, Term], index: str | None = None) -> str:
        """Why a formula may have no real value; the root of a sum of squares has one."""
        known = {**self.symbols, **others}
        asked = [] if text.strip() == "oo" else kernel.conditions(text, known, index)
        if all(condition == ">= 0" and is_sum_of_squares(inside) for inside, condition in asked):
            return ""
        return values.doubt(text, known, index, self.known_so_far)

    def never_negative(self, value: Term) -> bool:
        """Whether a formula is seen to be ≥ 0."""
        return values.surely(value, strictly=False, assumed=self.known_so_far)

    def is_positive(self, value: Term) -> bool:
        """Whether a formula is seen to be > 0."""
        return values.surely(value, assumed=self.known_so_far)


def is_sum_of_squares(term: Term) -> bool:
    """Whether a term is written as a sum of squares, so that it is seen to be ≥ 0."""
    return all(
        summand.split[0] >= 0
        and all(factor.base_and_exponent[1].number == 2 for factor in summand.split[1].factors)
        for summand in term.summands
    )
