"""The names of problem files: parameters, metrics and what else has one, and what formulas in them mean."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel.core.assumptions import Assumed, Assumption, rounded_up
from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, POSITIVE, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.symbols import family_of
from dpcompose.privacy.format.checks import Mistakes, Place, Wrong, near, shown, under
from dpcompose.privacy.format.metric_tables import CANONICAL
from dpcompose.privacy.settings import assumptions
from dpcompose.spaces.canonical.named import NamedMetric
from dpcompose.spaces.classes.sizes import COUNT

LONG = 4
"""From how many letters on a name that is nearly that of a metric is held for a slip."""
NONE: Mapping[str, Term] = {}


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


class Names:
    """What is in scope: parameters, metrics, and what else has a name; and what formulas in these mean.

    given -- the domains, or numbers, of parameters by name; assume -- relations; mistakes -- where they are
    told; strict -- whether formulas have a value for all allowed parameters, and no two things one name:
    where metrics are all that there is; inherits -- whether this is a study, of which is assumed what is
    assumed of the whole.

    >>> mistakes = Mistakes()
    >>> some = Names({"e": "positive", "k": "3"}, ["e < 1"], mistakes)
    >>> some.stated("k*e + x", "epsilon", ("mechanisms", 0, "guarantee", "epsilon"), None) is not None
    True
    >>> sorted(some.domains), dict(some.numbers), mistakes.all
    (['e', 'x'], {'k': '3'}, [])
    """

    def __init__(
        self,
        given: Mapping[str, str],
        assume: Sequence[str],
        mistakes: Mistakes,
        strict: bool = False,
        inherits: bool = False,
    ) -> None:
        self.given, self.assume, self.mistakes, self.inherits = given, assume, mistakes, inherits
        self.symbols: dict[str, Term] = {}
        self.numbers: dict[str, str] = {}
        self.doubts: list[str] = []
        self.domains: dict[str, Domain] = {}
        self.scalars: set[str] = set()
        self.metrics: dict[str, NamedMetric] = {}
        self.taken: dict[str, str] = {}
        self.canonical: Sequence[str] = ()
        self.strict = strict
        if strict:
            free = [name for name in given if self.take(name, "a parameter", ("parameters", name))]
            self.given = {name: given[name] for name in free}
        self._read()

    def _read(self) -> None:
        """Reads the domains of parameters, and the numbers that some are."""
        for name, words in self.given.items():
            path = ("parameters", name)
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or len(name) > 200:
                self.mistakes.wrong(path, f"{shown(name)} is no name: letters, digits and _")
                continue
            if name in formulas.RESERVED:
                self.mistakes.wrong(path, f"{name} has a meaning in formulas already")
                continue
            try:
                domain = domain_unless_number(words)
                self.symbols[name] = terms.letter(name, domain) if domain else kernel.parse(words, {})
            except ValueError as error:
                self.mistakes.wrong(path, error)
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
            self.mistakes.wrong,
            counts,
        )

    def stated(
        self, text: str, key: str, path: Place, index: str | None, alpha: Term | None = None
    ) -> Term | None:
        """A mechanism's parameter: names that are not listed are made here.

        alpha -- what alpha stands for, an order or a rate; left out: it is a name as others.
        """
        if self.strict:
            return self.formula(text, path, key=key, index=index)
        order = {} if alpha is None else {ALPHA: alpha}
        with self.mistakes.telling(path):
            for name in formulas.names(text):
                if name in order:
                    continue
                self.scalars.add(name)
                if name not in self.symbols and name != index:
                    domain = UNIT_INTERVAL if key in UNIT_KEYS and text.strip() == name else POSITIVE
                    self.adopt(name, domain, path)
            symbols = {**self.symbols, **order}
            value = kernel.parse(text, symbols, index=index)
            if doubt := values.doubt(text, symbols, index, self.known_so_far):
                self.doubts.append(f"{key} of mechanism {int(path[1]) + 1}: {doubt}")
            return value
        return None

    def above_one(self, text: str, path: Place) -> None:
        """A name that stands alone and is not listed lies above 1."""
        if text.strip().isidentifier() and text.strip() != "oo" and text.strip() not in self.symbols:
            with self.mistakes.telling():
                self.adopt(text.strip(), Domain(Fraction(1), True), path)

    def counted(self, text: str, path: Place) -> Term:
        """A number of parts, rows or steps: names that are not listed are made here.  Raises Wrong."""
        with under(path):
            for name in formulas.names(text):
                if name not in self.symbols:
                    self.adopt(name, COUNT, path)
            return kernel.parse(text, self.symbols)

    def groups(self, m: Term, groups: Iterable[int], assume: Assumed) -> Assumed:
        """What is assumed, and of a letter for each of some numbers that it is m over that, rounded up: as
        many groups of so many steps are m steps.  None is made where there is one."""
        for l in groups:
            name = f"ceil_{kernel.to_text(m)}_{l}"
            if rounded_up(m, l, self.domains.items(), assume) is None and name not in self.symbols:
                self.adopt(name, Domain.read("integer >= 1"), ("target", "granularity"))
                c = self.symbols[name]
                assume += (Assumption(l * c, ">=", m), Assumption(l * c, "<=", m + (l - 1)))
        return assume

    def take(self, name: str, what: str, path: Place) -> bool:
        """Whether a name is free for what it is to mean; else that is told."""
        with self.mistakes.telling():
            self._take(name, what, path)
            return True
        return False

    def _take(self, name: str, what: str, path: Place) -> None:
        fine = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and "__" not in name
        if not fine or name in formulas.RESERVED:
            message = "is no name: letters, digits and single _, without a meaning in formulas"
            raise Wrong(path, f"{shown(name)} {message}")
        known = self.taken.get(name, "a parameter" if name in self.symbols else "")
        if known:
            raise Wrong(path, f"{name} is {known} already; call {what} something else")
        self.taken[name] = what

    def adopt(self, name: str, domain: Domain, path: Place) -> None:
        """Makes a parameter that is not known yet; e[i] has the domain of e, if [parameters] lists that.

        Raises Wrong.
        """
        family = family_of(name)
        listed = family in self.domains and family in self.given
        if family is not None and family in self.scalars and (self.strict or listed):
            raise Wrong(path, f"{family} is a parameter and also a family {name}; rename one of them")
        if self.strict:
            known = family in self.domains or name in self.domains  # as letters for sizes may be
            if not known:
                self._take(family or name, "a parameter", path)
            if family is not None:
                self.taken[family] = "a family of parameters"
        if family is not None and listed:
            domain = self.domains.pop(family)
            del self.symbols[family]
        self.domains[name] = domain
        self.symbols[name] = terms.letter(name, domain)

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
        path: Place,
        others: Mapping[str, Term] = NONE,
        new: bool = True,
        key: str = "",
        index: str | None = None,
        within: Assumed = (),
    ) -> Term | None:
        """What a formula means in the parameters and others; with `new`, other names are parameters.

        index -- the letter i of e[i] in the guarantee of a family; within -- where it needs to have a value.
        """
        with self.mistakes.telling(path):
            for name in formulas.names(text):
                self.scalars.add(name)
                if name in others or name in self.symbols or name == index:
                    continue
                if name in self.taken:
                    raise formulas.FormulaError(f"{name} is {self.taken[name]}, and has no value here")
                if meant := self.unlike(name):
                    raise formulas.FormulaError(meant)
                domain = UNIT_INTERVAL if key in UNIT_KEYS and text.strip() == name else POSITIVE
                if new:
                    self.adopt(name, domain, path)
            value = kernel.parse(text, {**self.symbols, **others}, index=index)
            self._check_effect(text, value, others, index)
            doubt = self.doubt(text, others, index, within) if new else ""
            if doubt and not self.strict:
                self.doubts.append(f"{path[-1]} of mechanism {int(path[1]) + 1}: {doubt}")
                doubt = ""
            if new and not doubt and value.kind == "oo":
                doubt = "oo says nothing here: leave it out, or give a bound"
            if doubt:
                raise Wrong(path, doubt)
            return value
        return None

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

    def doubt(
        self, text: str, others: Mapping[str, Term], index: str | None = None, within: Assumed = ()
    ) -> str:
        """Why a formula may have no real value; the root of a sum of squares has one."""
        known = {**self.symbols, **others}
        asked = [] if text.strip() == "oo" else kernel.conditions(text, known, index)
        if all(condition == ">= 0" and is_sum_of_squares(inside) for inside, condition in asked):
            return ""
        return values.doubt(text, known, index, (*self.known_so_far, *within))

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
