"""The metrics that a problem names: those of its tables, and canonical ones of granularities.

In formulas `d_unbounded`, `d_bounded`, `d_NAME` are the canonical metrics of granularities on the class; in a
guarantee of a mechanism that reads a map they are those of what it reads, on its domain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

from dpcompose.kernel.core.assumptions import Assumed, Assumption
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.metrics import letter
from dpcompose.kernel.expressions.points import REAL
from dpcompose.kernel.expressions.terms import ZERO, Term, TermError
from dpcompose.language import formulas
from dpcompose.privacy.format.checks import Mistakes, Place, Wrong, near, shown
from dpcompose.privacy.format.database_tables import DatabasesTable, PointsTable, ProductTable
from dpcompose.privacy.format.input_tables import MapTable, ReadsTable
from dpcompose.privacy.format.metric_tables import CANONICAL, MetricTable, canonical_names
from dpcompose.privacy.format.schema import GuaranteeTable, StudyTable
from dpcompose.privacy.readers.granularities import Granularities
from dpcompose.privacy.readers.lengths import tabled
from dpcompose.privacy.readers.names import Names
from dpcompose.privacy.readers.space import Space
from dpcompose.spaces.canonical.compared import AnyTwo, Norm, Own, Steps, Tabled
from dpcompose.spaces.canonical.named import Apart, Declared, Distance, Made, NamedMetric
from dpcompose.spaces.canonical.points import Values, gone_through, intervals
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.classes.products import Interval, Points, Product
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.moves.built_in import BUILT_IN, misfit
from dpcompose.spaces.moves.granularities import Granularity


class Distances:
    """The databases of a problem, what can be compared of two of them, and the metrics on them.

    given -- its table; names -- what is in scope, and what formulas mean.  Metrics are read when a formula
    names them, or all at once.
    """

    def __init__(self, given: StudyTable, names: Names) -> None:
        self.given, self.names = given, names
        self.wrong = names.mistakes.wrong
        self.granularities: Mapping[str, Granularity] = BUILT_IN
        self.maps: Mapping[str, Map] = {}
        self.spaces: dict[str, Space] = {}
        self._waiting = dict(given.metrics)
        self.databases = self._databases()
        for name, table in given.maps.items() if not self.coordinates else ():
            if table.values is not None:
                self.wrong(("maps", name, "values"), "values in coordinates are those of points")

    def read_all(self) -> None:
        """Reads all metrics, in their order."""
        for name in self.given.metrics if self.values else ():
            self._read(name)

    def _read(self, name: str) -> None:
        if self.databases is not None and name in self._waiting:
            self._metric(name, self._waiting.pop(name), self.databases)

    # databases

    def _databases(self) -> DatabaseClass | None:
        given = self.given.databases
        if isinstance(given, ProductTable):
            parts = []
            for name, part in given.parts.items():
                path = ("databases", "parts", name)
                if self.names.take(name, "a part of the databases", path):
                    parts.append((name, self._part(part, path, name)))
            return Product(tuple((name, part) for name, part in parts if part is not None))
        if given is None:
            self.wrong(("databases",), "say which databases it is about")
            return None
        return self._part(given, ("databases",), "")

    def _part(self, given: PointsTable | DatabasesTable, path: Place, name: str) -> DatabaseClass | None:
        if isinstance(given, PointsTable):
            return self._points(given, path)
        granularities, partitions = self.given.granularities, self.given.partitions
        if not name:
            mistakes = self.names.mistakes
            before = len(mistakes.all)
            space = Space(given, granularities, self._tables(), partitions, self.names, mistakes)
            self.maps, self.granularities = space.maps, space.granularities
            self.names.canonical = list(canonical_names(self.granularities))
            self.spaces[name] = space
            return None if self.names.strict and len(mistakes.all) > before else space.databases
        mistakes = Mistakes()
        space = Space(given, {}, self._tables(), {}, self.names, mistakes)
        self.names.mistakes.all += [
            replace(mistake, path=(*path, *mistake.path[1:]))
            if mistake.path[:1] == ("databases",)
            else mistake
            for mistake in mistakes.all
        ]
        if space.databases is None or mistakes.all:
            return None
        mistakes.all = self.names.mistakes.all  # what is told later is told of the whole
        self.spaces[name] = space
        return space.databases

    def _tables(self) -> dict[str, MapTable]:
        """The maps that are tables on a listed class."""
        return {name: table for name, table in self.given.maps.items() if table.values is None}

    def _points(self, given: PointsTable, path: Place) -> Points:
        coordinates = tuple(given.coordinates)
        for name in coordinates:
            self.names.take(name, "a coordinate", (*path, "coordinates"))
        box = [
            self._interval(interval, (*path, "box"))
            for interval in given.box or [["-oo", "oo"]] * len(coordinates)
        ]
        disc = None
        if given.disc is not None:
            disc = self.names.formula(given.disc, (*path, "disc"), {})
            if disc is not None and not self.names.never_negative(disc):
                self.wrong((*path, "disc"), "the diameter is not known to be >= 0 for all allowed values")
        return Points(coordinates, tuple(box), disc)

    def _interval(self, given: Sequence[str], path: Place) -> Interval:
        low, high = given
        least = None if low.strip() == "-oo" else self.names.formula(low, path, {})
        greatest = None if high.strip() == "oo" else self.names.formula(high, path, {})
        if least is not None and greatest is not None and not self.names.never_negative(greatest - least):
            self.wrong(path, f"{low} is not known to be at most {high} for all allowed values")
        return Interval(least, greatest)

    @property
    def coordinates(self) -> Mapping[str, Interval]:
        """The coordinates of points."""
        return {} if self.databases is None else intervals(self.databases)

    @cached_property
    def values(self) -> Mapping[str, Values]:
        """What can be compared: each part, everything, and the values of maps."""
        compared, databases = dict[str, Values](), self.databases
        if databases is None:
            return compared
        for name, part in databases.parts:
            entries: tuple[Term, ...] | None = None
            inside: tuple[str, ...] = ()
            if part.points is not None:
                inside = part.points.coordinates
                entries = tuple(terms.letter(coordinate, REAL) for coordinate in inside)
            compared[name] = Values(name, entries, inside, (name,))
        if len(databases.parts) > 1:
            compared[""] = Values("", None, (), tuple(name for name, _ in databases.parts))
        coordinates = {name: terms.letter(name, REAL) for name in self.coordinates}
        within = self._inside(coordinates)
        for name, given in self.given.maps.items():
            path = ("maps", name)
            if not self.names.take(name, "a map", path) or given.values is None:
                continue
            read = [
                self.names.formula(value, (*path, "values"), coordinates, within=within)
                for value in given.values
            ]
            images = tuple(value for value in read if value is not None)
            used = {coordinate for value in images for coordinate in value.letters} & set(coordinates)
            compared[name] = Values(name, images, tuple(sorted(used)))
        return compared

    def _inside(self, coordinates: Mapping[str, Term]) -> Assumed:
        """Between which ends coordinates lie."""
        every = [(coordinates[name], interval) for name, interval in self.coordinates.items()]
        low = [Assumption(x, ">=", ends.least) for x, ends in every if ends.least is not None]
        return (*low, *(Assumption(x, "<=", ends.greatest) for x, ends in every if ends.greatest is not None))

    def reading(self, given: ReadsTable, path: Place, part: str = "") -> Map | None:
        """What is read of the databases of a part, which is no points, or of a class that is no product."""
        if part not in self.spaces:
            self.wrong(path, "of points and products a mechanism reads a map or part by its name")
            return None
        space = self.spaces[part]
        read = space.reads(given, path)
        if read is not None and space.databases is not None and (unfit := read.unfit(space.databases)):
            self.wrong(path, unfit)
            return None
        return read

    @property
    def alone(self) -> DatabaseClass | None:
        """The class, where it is no product."""
        return None if self.databases is None else dict(self.databases.parts).get("")

    @property
    def whole(self) -> DatabaseClass:
        """The class, where it is no product and no points."""
        assert self.alone is not None
        return self.alone

    # metrics

    def stated(self, given: GuaranteeTable, index: str | None, path: Place) -> dict[str, Term] | None:
        """The metric of a guarantee, and its delta; None where one of them is none, which is told."""
        assert given.metric is not None
        formula, others = self.names.formula, self.in_metrics(f"{given.metric} {given.delta or ''}")
        if not others.keys() >= {*formulas.names(given.metric)} & self.given.metrics.keys():
            return None  # which is told at that metric
        read = {"metric": formula(given.metric, (*path, "metric"), others, index=index)}
        if given.delta is not None:
            read["delta"] = formula(given.delta, (*path, "delta"), others, key="delta", index=index)
        parameters = {key: term for key, term in read.items() if term is not None}
        if len(parameters) < len(read):
            return None
        for key, term in parameters.items():
            if why := self._negative(term):
                self.wrong((*path, key), f"this is {why}; what is lost is at least 0")
                return None
        if (there := self._at_equal(parameters["metric"])) is not None and self.names.is_positive(there):
            known = near("", self.names.metrics) or "; there is none: name one, [metrics.d]"
            message = "is not 0 where D = E; what names no metric is a parameter"
            self.wrong((*path, "metric"), f"{given.metric} {message}{known}")
            return None
        return parameters

    def _negative(self, value: Term) -> str:
        """Where a formula in metrics is surely negative, in words; "" where that is not seen."""
        if value != ZERO and self.names.never_negative(-value):
            return "never positive"
        if (there := self._at_equal(value)) is None or not self.names.is_positive(-there):
            return ""
        return f"{to_text(there)} at equal databases"

    def _at_equal(self, value: Term) -> Term | None:
        """A formula in metrics where all distances are 0; None where it has no real value there."""
        with suppress(TermError):
            return substitution.substituted(value, dict.fromkeys(self.names.metrics, ZERO))
        return None

    def in_metrics(self, text: str = "") -> dict[str, Term]:
        """The metrics by their names; canonical ones that a formula names are made first."""
        known = canonical_names(self.granularities)
        named = re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text) if self.values else []
        for name in named:
            self._read(name)
        letters = {name: letter(name) for name in self.names.metrics}
        for name in named:
            word = known.get(name)
            if word is not None and name not in {*self.names.taken, *self.names.domains}:
                path = ("metrics", name)
                steps = self.granularity(word, path)
                metric = None if steps is None else self.canonical(steps, path)
                letters[name] = letter(name) if metric is None else metric  # which is told already
        return letters

    def named(self, name: str, distance: Distance, who: str = "", at_most: Term | None = None) -> Term:
        """The letter of a metric: under its name, or under that with a number where it is taken.

        at_most -- a bound that is declared for it.
        """
        for known, metric in self.names.metrics.items():
            if metric.distance == distance and metric.at_most == at_most:
                return letter(known)
        chosen, n = (plain := re.sub(r"[^A-Za-z0-9]+", "_", name)), 1
        while chosen in self.names.taken:
            n += 1
            chosen = f"{plain}_{n}"
        self.names.taken[chosen] = f"a metric{f' of what {who} reads' if who else ''}"
        self.names.metrics[chosen] = NamedMetric(chosen, distance, at_most)
        return letter(chosen)

    def times(self, factor: Term, metric: Term) -> Term:
        """A number times a metric; 0 times ∞ is ∞."""
        if factor != ZERO or metric == ZERO:
            return factor * metric
        return self.named(f"apart_{metric}" if metric.kind == "letter" else "apart", Apart(metric))

    def norm(self, word: str, of: Values, path: Place) -> Term | None:
        """The letter of a norm of values."""
        named = next(
            (name for name, metric in self.names.metrics.items() if metric.distance == Norm(word, of)), None
        )
        if named is None:
            named = word if not of.name else f"{word}_{of.name}"
            if not self.names.take(named, "a metric", (*path, "name")):
                return None
            self.names.metrics[named] = NamedMetric(named, Norm(word, of))
        return letter(named)

    def granularity(self, given: str | dict[str, Any], path: Place) -> Granularity | None:
        """The granularity that a file names, of the class as a whole."""
        if "" not in self.spaces:
            self.wrong(
                path,
                "of points and products there are no neighbours as a whole: name a metric of a part, "
                '[metrics.NAME] granularity = "…" and of = "PART"',
            )
            return None
        return self.spaces[""].granularity(given, path)

    def canonical(
        self, counted: Granularity, path: Place, reads: Map = everything, domain: str = "own"
    ) -> Term | None:
        """The letter of a canonical metric: on the class, or on what a map reads of it."""
        name = f"{CANONICAL}{_word(str(counted))}"
        if reads != everything:
            name += f"_{_word(reads.written(''))[:30]}"
        domain = domain if reads != everything else "own"
        steps = self._counting(counted, "", self.whole, reads, domain, path)
        return None if steps is None else self.named(name, steps)

    def canonical_of(self, counted: Granularity, part: str, path: Place) -> Term | None:
        """The letter of a canonical metric on a part of the databases."""
        distance = self._steps_between(counted, self.values[part], everything, path)
        return None if distance is None else self.named(f"{CANONICAL}{counted}_{part}", distance)

    def named_of_input(self, name: str, distance: Distance, reads: Map, domain: str) -> Term:
        """The letter of a metric as one of what a map reads on a domain."""
        known = self.names.metrics.get(name)
        if known is not None and known.distance is distance:
            return letter(name)
        counted = None if known is None else known.distance.counted
        return self.named(f"{name}_{domain}" if counted is None else _of_steps(counted, reads), distance)

    def _metric(self, name: str, given: MetricTable, databases: DatabaseClass) -> None:
        path = ("metrics", name)
        texts = [formula for formula in (given.formula, given.at_most) if formula is not None]
        if not self.names.take(name, "a metric", path):
            return
        above = self.in_metrics(" ".join(texts))
        distance = self._distance(given, path, above, databases)
        at_most = None
        if given.at_most is not None:
            at_most = self.names.formula(given.at_most, (*path, "at-most"), above)
        if distance is not None:
            self.names.metrics[name] = NamedMetric(name, distance, at_most)

    def _distance(
        self, given: MetricTable, path: Place, above: Mapping[str, Term], databases: DatabaseClass
    ) -> Distance | None:
        if given.formula is not None and given.letters is None:
            formula = self.names.formula(given.formula, (*path, "formula"), above)
            return None if formula is None else Made(formula)
        if given.table is not None:
            return self._tabled(given, path, databases)
        if given.norm is None and given.granularity is None and given.formula is None:
            return Declared(str(path[-1]))
        of = self.values.get(given.of or "")
        if of is None or (given.of is None and given.granularity is None and of.formulas is None):
            names = [value for value in self.values if value]
            message = f"there is no part or map {shown(given.of)}" if given.of else "say what it is of"
            self.wrong((*path, "of"), f"{message}{near(given.of or '', names)}")
            return None
        if given.granularity is not None:
            return self._steps(given, of, path)
        if of.formulas is None:
            self.wrong((*path, "of"), f"{of.name} is no vector of numbers: a granularity counts its steps")
            return None
        if given.norm is not None:
            return Norm(given.norm, of)
        return self._own(given, of, path)

    def _own(self, given: MetricTable, of: Values, path: Place) -> Own | None:
        assert given.letters is not None and given.formula is not None and of.formulas is not None
        first, second = map(tuple, given.letters)
        names = [*first, *second]
        for name in names:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in formulas.RESERVED:
                self.wrong((*path, "letters"), f"{shown(name)} is no name")
                return None
            if name in self.names.symbols or names.count(name) > 1:
                self.wrong((*path, "letters"), f"{name} has a meaning already; use another letter")
                return None
        if {len(first), len(second)} != {len(of.formulas)}:
            self.wrong(
                (*path, "letters"),
                f"{of.name or 'a point'} has {len(of.formulas)} entries, so letters are twice so many",
            )
            return None
        formula = self.names.formula(
            given.formula, (*path, "formula"), {name: terms.letter(name, REAL) for name in names}
        )
        return None if formula is None else Own(first, second, formula, of)

    # distances between databases that are listed, or that differ in records

    def _tabled(self, given: MetricTable, path: Place, databases: DatabaseClass) -> Tabled | None:
        """Distances pair by pair; a pair that is left out is at distance oo."""
        assert given.table is not None
        f: Map = everything
        name = given.of or ""
        if name in self.maps:
            f, name = self.maps[name], ""
        part = dict(databases.parts).get(name)
        every = gone_through(part) if part is not None and part.is_listed else None
        if every is None:
            listed = [name for name, it in databases.parts if it.is_listed and name]
            self.wrong((*path, "of"), f"a table is of a listed class, or of a map on it{near(name, listed)}")
            return None
        known, mistakes = self.names.symbols, self.names.mistakes
        return tabled(given.table, every, f, known, mistakes, path, name)

    def _steps(self, given: MetricTable, of: Values, path: Place) -> Distance | None:
        granularity = self.granularity_of(given.granularity, of, path)
        if granularity is None:
            return None
        reads: Map | None = everything
        if given.reads is not None:
            stated = ReadsTable(**{key: getattr(given.reads, key) for key in given.reads.given})
            reads = self.reading(stated, (*path, "reads"), of.name)
        return None if reads is None else self._steps_between(granularity, of, reads, path)

    def _steps_between(self, counted: Granularity, of: Values, reads: Map, path: Place) -> Distance | None:
        """The fewest steps that lie between parts; path -- of the table that says them."""
        part, edits = self._with_records(of), counted.edits(Multisets((), arbitrary=True))
        listed = part is not None and gone_through(part) is not None
        if edits is not None and edits.single is None and reads.is_everything and not listed:
            return AnyTwo(of)
        if part is None:
            self.wrong(
                (*path, "of"),
                f"{counted} neighbours differ in records, which {of.name or 'this'} has none of; "
                'a norm, or of = "NAME" of a part with records, would do',
            )
            return None
        return self._counting(counted, of.name, part, reads, "own", (*path, "granularity"))

    def _counting(
        self, counted: Granularity, name: str, part: DatabaseClass, reads: Map, domain: str, path: Place
    ) -> Steps | None:
        """The steps of a granularity on a part, or on what a map reads of it."""
        with self.names.mistakes.telling(path):
            steps = Steps(counted, name, reads, domain)
            if unfit := misfit(counted, part):
                raise Wrong(path, unfit)
            return steps
        return None

    def _with_records(self, of: Values) -> DatabaseClass | None:
        """The part that is compared, where it is one and no points."""
        part = dict(self.databases.parts if self.databases else ()).get(of.name)
        return part if part is not None and of.parts == (of.name,) and part.points is None else None

    def granularity_of(self, given: Any, of: Values, path: Place) -> Granularity | None:
        """The granularity of which steps of a part are counted: one with a name, or made of such."""
        at, part = (*path, "granularity"), self._with_records(of)
        if isinstance(given, str):
            if given not in self.granularities:
                self.wrong(at, f"there is no granularity {shown(given)}{near(given, self.granularities)}")
            return self.granularities.get(given)
        on = Multisets((), arbitrary=True) if part is None else part
        reader = Granularities(on, {}, self.names, self.names.mistakes)
        reader.by_name = dict(self.granularities)
        with self.names.mistakes.telling():
            return reader.named(given, at)
        return None


def _of_steps(granularity: Granularity, reads: Map) -> str:
    """What the canonical metric of what a map reads is called."""
    return CANONICAL + _word(f"{granularity} {reads.written('')}")[:40]


def _word(text: str) -> str:
    """A text as a part of a name."""
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
