"""Problems about privacy in a metric (GB Def. III.2): points, metrics on them, claims that are metrics.

A file with `[metrics]` is one of these.  Its mechanisms are private in a metric on the databases, a
formula in the metrics that the file names; so are its claims.  Metrics of what a map reads say that a
mechanism depends on that only: two databases with equal values are at distance 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import sympy

from dpcompose.kernel.deciders import values
from dpcompose.kernel.terms import letter as term_letter
from dpcompose.language import exchange, formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import NONNEGATIVE, POSITIVE, REAL, UNIT_INTERVAL, Domain, symbol
from dpcompose.privacy.metric_schema import (
    MetricClaimTable,
    MetricMechanismTable,
    MetricProblemTable,
    MetricTable,
    PartTable,
)
from dpcompose.privacy.noises import Noise
from dpcompose.privacy.problems import CLASSES, UNIT_KEYS, ProblemError, table_of
from dpcompose.privacy.schema import Mistake, Path_, line_of, near, shown, unset
from dpcompose.spaces.databases import Multisets, Size, Tuples
from dpcompose.spaces.granularities import BUILT_IN
from dpcompose.spaces.maps import Map, everything, positions, restriction
from dpcompose.spaces.points import (
    AnyTwo,
    Declared,
    Distance,
    Interval,
    Made,
    NamedMetric,
    Norm,
    Own,
    Part,
    Points,
    Product,
    Steps,
    Values,
    is_sum_of_squares,
)


@dataclass(frozen=True)
class MetricMechanism:
    """M_i, private in a metric on the databases: P(M_i(D) ∈ S) ≤ e^{d(D, E)} P(M_i(E) ∈ S) for all D, E.

    metric -- d, a formula in the named metrics and the parameters;
    noise, values -- for a concrete one: noise on the entries of these values, from which d follows.
    """

    name: str
    metric: sympy.Expr
    noise: Noise | None = None
    values: Values | None = None


@dataclass(frozen=True, repr=False)
class MetricClaim(Shown):
    """A metric in which somebody claims the composition to be private, and the verdict they expect.

    doubt -- why the formula may have no real value for some allowed parameters, if it may.
    """

    metric: sympy.Expr
    text: Mapping[str, str]
    expect: str | None = None
    doubt: str = ""

    def __repr__(self) -> str:
        said = ", ".join(f"{key} {value}" for key, value in self.text.items() if key != "notion")
        return f"claim of {said}{f', expected: {self.expect}' if self.expect else ''}"


@dataclass(frozen=True)
class MetricSetting:
    """Mechanisms over one class of databases, each private in a metric on it, composed.

    metrics -- those that formulas name, each made of ones before it; values -- what can be compared of
    two databases, by name; domains -- the values that parameters may take;
    data -- the same as the data of a problem file.
    """

    databases: Product
    values: Mapping[str, Values]
    metrics: Mapping[str, NamedMetric]
    mechanisms: tuple[MetricMechanism, ...]
    domains: Mapping[str, Domain]
    numbers: Mapping[str, str]
    target: sympy.Expr | None
    title: str
    adaptive: bool
    data: Mapping[str, Any]

    @property
    def letters(self) -> dict[str, sympy.Symbol]:
        """The named metrics as the symbols that formulas have for them."""
        return {name: symbol(name, NONNEGATIVE) for name in self.metrics}

    @property
    def reads_everything(self) -> bool:
        """Whether all mechanisms are private in metrics of whole databases, none in one of a part."""
        formulas = [one.metric for one in self.mechanisms]
        return all(one.values is None for one in self.mechanisms) and all(map(self._is_of_all, formulas))

    def _is_of_all(self, formula: sympy.Expr) -> bool:
        """Whether a formula is in metrics of whole databases."""
        for one in (self.metrics[x.name] for x in formula.free_symbols if x.name in self.metrics):
            match one.distance:
                case Norm(of=of) | Own(of=of) | AnyTwo(of=of):
                    whole = not of.name
                case Made():
                    whole = self._is_of_all(one.distance.formula)
                case _:
                    whole = False
            if not whole:
                return False
        return True


@dataclass(frozen=True)
class MetricProblem:
    """A setting with claims about it, and the file it is from."""

    setting: MetricSetting
    claims: tuple[MetricClaim, ...]
    file: str = ""


def is_one(data: Mapping[str, Any]) -> bool:
    """Whether the data of a problem file are about privacy in a metric."""
    return "metrics" in data


def read_data(data: Mapping[str, Any], file: str = "problem", text: str = "") -> MetricProblem:
    """The problem in parsed data.  Raises ProblemError with every mistake."""
    if missing := unset(data):
        raise ProblemError(file, missing)
    given = table_of(MetricProblemTable, data, file, text)
    reader = _Reader(given, data)
    problem = reader.problem(file)
    if reader.mistakes or problem is None:
        located = [Mistake(m.path, m.message, line_of(text, m.path)) for m in reader.mistakes]
        raise ProblemError(file, located)
    return problem


class _Reader:
    """Turns the checked tables into values; collects what does not fit together."""

    def __init__(self, given: MetricProblemTable, data: Mapping[str, Any]) -> None:
        self.given = given
        self.data = data
        self.mistakes: list[Mistake] = []
        self.symbols: dict[str, sympy.Expr] = {}
        self.numbers: dict[str, str] = {}
        self.domains: dict[str, Domain] = {}
        self.metrics: dict[str, NamedMetric] = {}
        self.values: dict[str, Values] = {}
        self.taken: dict[str, str] = {}

    def _wrong(self, path: Path_, message: object) -> None:
        self.mistakes.append(Mistake(path, str(message)))

    def problem(self, file: str) -> MetricProblem | None:
        self._parameters()
        databases = self._databases()
        if databases is None:
            return None
        self._all_values(databases)
        for name, given in self.given.metrics.items():
            self._metric(name, given, databases)
        mechanisms = [self._mechanism(i, one) for i, one in enumerate(self.given.mechanisms)]
        names = [one.name for one in self.given.mechanisms]
        for i, name in enumerate(names):
            if name in names[:i]:
                self._wrong(("mechanisms", i, "name"), f"two mechanisms are called {name!r}")
        target = None
        if self.given.target is not None:
            target = self._formula(self.given.target.metric, ("target", "metric"), self._in_metrics(), False)
        claims = [self._claim(i, one, target) for i, one in enumerate(self.given.claims)]
        if self.mistakes:
            return None
        setting = MetricSetting(
            databases,
            MappingProxyType(self.values),
            MappingProxyType(self.metrics),
            tuple(one for one in mechanisms if one is not None),
            MappingProxyType(self.domains),
            MappingProxyType(self.numbers),
            target,
            self.given.title,
            self.given.adaptive,
            self.data,
        )
        return MetricProblem(setting, tuple(one for one in claims if one is not None), file)

    # names and formulas

    def _take(self, name: str, what: str, path: Path_) -> bool:
        """Whether a name is free for what it is to mean."""
        fine = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and "__" not in name
        if not fine or name in formulas.RESERVED:
            message = "is no name: letters, digits and single _, without a meaning in formulas"
            self._wrong(path, f"{shown(name)} {message}")
            return False
        if name in self.taken:
            self._wrong(path, f"{name} is {self.taken[name]} already; call {what} something else")
            return False
        self.taken[name] = what
        return True

    def _parameters(self) -> None:
        for name, words in self.given.parameters.items():
            path = ("parameters", name)
            if not self._take(name, "a parameter", path):
                continue
            try:
                self.domains[name] = Domain.read(words)
                self.symbols[name] = symbol(name, self.domains[name])
            except ValueError as error:
                if not re.match(r"\s*[-+(]*[0-9.]", words):
                    self._wrong(path, error)
                    continue
                try:
                    self.symbols[name] = formulas.parse(words, {})
                    self.numbers[name] = words
                except formulas.FormulaError as wrong:
                    self._wrong(path, wrong)

    def _formula(
        self, text: str, path: Path_, others: Mapping[str, sympy.Expr], new: bool = True, key: str = ""
    ) -> sympy.Expr | None:
        """What a formula means in the parameters and others; with `new`, other names are parameters."""
        try:
            for name in formulas.names(text) if new else ():
                if name in others or name in self.symbols:
                    continue
                if name in self.taken:
                    raise formulas.FormulaError(f"{name} is {self.taken[name]}, and has no value here")
                if not self._take(name, "a parameter", path):
                    return None
                domain = UNIT_INTERVAL if key in UNIT_KEYS and text.strip() == name else POSITIVE
                self.domains[name] = domain
                self.symbols[name] = symbol(name, domain)
            known = {**self.symbols, **others}
            value = formulas.parse(text, known)
            doubt = self._doubt(text, others) if new else ""
        except formulas.FormulaError as error:
            self._wrong(path, error)
            return None
        if doubt:
            self._wrong(path, doubt)
            return None
        if new and value is sympy.oo:
            self._wrong(path, "oo says nothing here: leave it out, or give a bound")
            return None
        return value

    def _doubt(self, text: str, others: Mapping[str, sympy.Expr]) -> str:
        """Why a formula may have no real value; the root of a sum of squares has one."""
        known = {**self.symbols, **others}
        asked = [] if text.strip() == "oo" else formulas.conditions(text, known)
        if all(condition == ">= 0" and is_sum_of_squares(inside) for inside, condition in asked):
            return ""
        domains = self._all_domains(others)
        return values.doubt(text, {name: term_letter(name, domains[name]) for name in known})

    def _all_domains(self, others: Mapping[str, sympy.Expr]) -> dict[str, Domain]:
        """The values of parameters and of other letters: metrics, or coordinates."""
        return self.domains | {name: NONNEGATIVE if name in self.metrics else REAL for name in others}

    def _in_metrics(self) -> dict[str, sympy.Expr]:
        return {name: symbol(name, NONNEGATIVE) for name in self.metrics}

    # databases

    def _databases(self) -> Product | None:
        given = self.given.databases
        if given.parts is None:
            part = self._part(given, ("databases",))
            return None if part is None else Product((("", part),))
        parts = []
        for name, one in given.parts.items():
            path = ("databases", "parts", name)
            if self._take(name, "a part of the databases", path):
                parts.append((name, self._part(one, path)))
        return Product(tuple((name, part) for name, part in parts if part is not None))

    def _part(self, given: PartTable, path: Path_) -> Part | None:
        if given.kind != "points":
            try:
                made = CLASSES[given.kind](
                    tuple(given.records or ()), Size.read(given.size), given.records is None
                )
            except ValueError as error:
                self._wrong(path, error)
                return None
            assert isinstance(made, Multisets | Tuples), "no part is of another kind"
            return made
        coordinates = tuple(given.coordinates or ())
        for name in coordinates:
            self._take(name, "a coordinate", (*path, "coordinates"))
        box = [self._interval(one, (*path, "box")) for one in given.box or [["-oo", "oo"]] * len(coordinates)]
        disc = None
        if given.disc is not None:
            disc = self._formula(given.disc, (*path, "disc"), {})
            if disc is not None and not self._never_negative(disc):
                self._wrong((*path, "disc"), "the diameter is not known to be >= 0 for all allowed values")
        return Points(coordinates, tuple(box), disc)

    def _interval(self, given: Sequence[str], path: Path_) -> Interval:
        low, high = given
        least = None if low.strip() == "-oo" else self._formula(low, path, {})
        greatest = None if high.strip() == "oo" else self._formula(high, path, {})
        if least is not None and greatest is not None and not self._never_negative(greatest - least):
            self._wrong(path, f"{low} is not known to be at most {high} for all allowed values")
        return Interval(least, greatest)

    def _never_negative(self, value: sympy.Expr) -> bool:
        return exchange.is_never_negative(value, self.domains)

    def _all_values(self, databases: Product) -> None:
        """What can be compared: each part, everything, and the values of maps."""
        for name, part in databases.parts:
            entries: tuple[sympy.Expr, ...] | None = None
            inside: tuple[str, ...] = ()
            if isinstance(part, Points):
                inside = part.coordinates
                entries = tuple(symbol(one, REAL) for one in inside)
            self.values[name] = Values(name, entries, inside, (name,))
        if len(databases.parts) > 1:
            self.values[""] = Values("", None, (), tuple(name for name, _ in databases.parts))
        coordinates = {name: symbol(name, REAL) for name in databases.intervals}
        for name, given in self.given.maps.items():
            path = ("maps", name)
            if not self._take(name, "a map", path):
                continue
            found = [self._formula(one, (*path, "values"), coordinates) for one in given.values]
            some = tuple(value for value in found if value is not None)
            used = {str(one) for value in some for one in value.free_symbols} & set(coordinates)
            self.values[name] = Values(name, some, tuple(sorted(used)))

    # metrics

    def _metric(self, name: str, given: MetricTable, databases: Product) -> None:
        path = ("metrics", name)
        above = self._in_metrics()
        if not self._take(name, "a metric", path):
            return
        distance = self._distance(given, path, above, databases)
        at_most = None
        if given.at_most is not None:
            at_most = self._formula(given.at_most, (*path, "at-most"), above)
        if distance is not None:
            self.metrics[name] = NamedMetric(name, distance, at_most)

    def _distance(
        self, given: MetricTable, path: Path_, above: Mapping[str, sympy.Expr], databases: Product
    ) -> Distance | None:
        if given.formula is not None and given.letters is None:
            formula = self._formula(given.formula, (*path, "formula"), above)
            return None if formula is None else Made(formula)
        if given.norm is None and given.granularity is None and given.formula is None:
            return Declared()
        of = self.values.get(given.of or "")
        if of is None or (given.of is None and given.granularity is None and of.formulas is None):
            names = [one for one in self.values if one]
            said = f"there is no part or map {shown(given.of)}" if given.of else "say what it is of"
            self._wrong((*path, "of"), f"{said}{near(given.of or '', names)}")
            return None
        if given.granularity is not None:
            return self._steps(given, of, path, databases)
        if of.formulas is None:
            self._wrong((*path, "of"), f"{of.name} is no vector of numbers: a granularity counts its steps")
            return None
        if given.norm is not None:
            return Norm(given.norm, of)
        return self._own(given, of, path)

    def _own(self, given: MetricTable, of: Values, path: Path_) -> Own | None:
        assert given.letters is not None and given.formula is not None and of.formulas is not None
        first, second = (
            tuple(symbol(one, REAL) for one in some) for some in (given.letters[0], given.letters[1])
        )
        names = [str(one) for one in (*first, *second)]
        for one in names:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", one) or one in formulas.RESERVED:
                self._wrong((*path, "letters"), f"{shown(one)} is no name")
                return None
            if one in self.symbols or names.count(one) > 1:
                self._wrong((*path, "letters"), f"{one} has a meaning already; use another letter")
                return None
        if {len(first), len(second)} != {len(of.formulas)}:
            self._wrong(
                (*path, "letters"),
                f"{of.name or 'a point'} has {len(of.formulas)} entries, so letters are twice so many",
            )
            return None
        formula = self._formula(
            given.formula, (*path, "formula"), dict(zip(names, (*first, *second), strict=True))
        )
        return None if formula is None else Own(first, second, formula, of)

    def _steps(self, given: MetricTable, of: Values, path: Path_, databases: Product) -> Distance | None:
        if given.granularity not in BUILT_IN:
            message = f"there is no granularity {shown(given.granularity)}{near(given.granularity, BUILT_IN)}"
            self._wrong((*path, "granularity"), message)
            return None
        granularity = BUILT_IN[str(given.granularity)]
        edits = granularity.edits(Multisets((), arbitrary=True))
        if edits is not None and edits.single is None and given.reads is None:
            return AnyTwo(of)
        part = databases[of.name] if of.parts == (of.name,) else None
        if part is None or isinstance(part, Points):
            self._wrong(
                (*path, "of"),
                f"{given.granularity} neighbours differ in records, which {of.name or 'this'} has none of; "
                'a norm, or of = "NAME" of a part with records, would do',
            )
            return None
        if unfit := granularity.unfit(part):
            self._wrong((*path, "granularity"), unfit)
            return None
        reads: Map = everything
        if given.reads is not None and isinstance(part, Multisets):
            if given.reads.records is None or given.reads.positions is not None:
                self._wrong(
                    (*path, "reads"), "of multisets some records are read: reads = { records = [...] }"
                )
                return None
            for record in given.reads.records:
                if not part.arbitrary and record not in part.records:
                    self._wrong((*path, "reads"), f"{shown(record)} is no record{near(record, part.records)}")
            reads = restriction(given.reads.records)
        elif given.reads is not None:
            if given.reads.positions is None or given.reads.records is not None:
                self._wrong(
                    (*path, "reads"), "of tuples some positions are read: reads = { positions = [1] }"
                )
                return None
            if part.sizes.exactly and max(given.reads.positions, default=0) > (part.sizes.n or 0):
                self._wrong((*path, "reads"), f"{part} have no such position")
            reads = positions(*given.reads.positions)
        return Steps(granularity, of.name, reads)

    # mechanisms and claims

    def _mechanism(self, i: int, given: MetricMechanismTable) -> MetricMechanism | None:
        path = ("mechanisms", i)
        if given.guarantee is not None:
            metric = self._formula(given.guarantee.metric, (*path, "guarantee", "metric"), self._in_metrics())
            return None if metric is None else MetricMechanism(given.name, metric)
        assert given.noise is not None
        word = given.noise.word
        parameter = self._formula(
            given.noise.parameter,
            (*path, "noise", word),
            {},
            key=word,
        )
        of = self.values.get(given.reads or "")
        if of is None or of.formulas is None:
            names = [name for name, one in self.values.items() if name and one.formulas is not None]
            self._wrong((*path, "reads"), f"noise is added to numbers; say of what{near('', names)}")
            return None
        if parameter is None:
            return None
        noise = Noise(word, parameter)
        if unfit := noise.unfit(self.domains):
            self._wrong((*path, "noise", word), unfit)
            return None
        norm = {"real": "L1", "plane": "L2"}.get(noise.kind.takes)
        stated = noise.guarantee("pure")
        if norm is None or stated is None or stated["epsilon"] is sympy.oo:
            self._wrong(
                (*path, "noise"), f"{word} gives no metric in which points are private; laplace noise does"
            )
            return None
        if noise.kind.takes == "plane" and len(of.formulas) != 2:
            self._wrong((*path, "noise"), f"{word} is for two coordinates, and laplace noise for any number")
            return None
        named = next((name for name, one in self.metrics.items() if one.distance == Norm(norm, of)), None)
        if named is None:
            named = norm if not of.name else f"{norm}_{of.name}"
            if not self._take(named, "a metric", (*path, "name")):
                return None
            self.metrics[named] = NamedMetric(named, Norm(norm, of))
        metric = stated["epsilon"] * symbol(named, NONNEGATIVE)
        return MetricMechanism(given.name, metric, noise, of)

    def _claim(self, i: int, given: MetricClaimTable, target: sympy.Expr | None) -> MetricClaim | None:
        key = "metric" if given.metric is not None else "epsilon"
        text = given.metric if given.metric is not None else given.epsilon
        assert text is not None
        others = self._in_metrics() if key == "metric" else {}
        value = self._formula(text, ("claims", i, key), others, False)
        if value is None:
            return None
        doubt = self._doubt(text, others)
        if key == "epsilon":
            if target is None:
                self._wrong(("claims", i, key), "an epsilon counts [target] metric, which is left out")
                return None
            value = value if value is sympy.oo else value * target
        said = MappingProxyType({"notion": given.notion, key: text})
        return MetricClaim(value, said, given.expect, doubt)
