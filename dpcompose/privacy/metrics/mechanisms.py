"""The mechanisms of a problem about metrics: their guarantees, noise, tables, and studies of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy

from dpcompose.language import exchange, formulas, worstcase
from dpcompose.language.symbols import NONNEGATIVE, symbol
from dpcompose.privacy.checks import Path_, near, shown
from dpcompose.privacy.metrics.distances import Distances
from dpcompose.privacy.metrics.fibres import of_the_nearest
from dpcompose.privacy.metrics.schema import (
    MetricMechanismTable,
    MetricStudyTable,
    ProductTable,
)
from dpcompose.privacy.metrics.setting import POWERS, MetricMechanism
from dpcompose.privacy.metrics.studies import NotOutside, Outside, unlike
from dpcompose.privacy.metrics.tables import lost
from dpcompose.privacy.metrics.values_read import about_values
from dpcompose.privacy.noises import Noise
from dpcompose.privacy.notions import FILE_KEYS
from dpcompose.privacy.schema import PARAMETERS, MetricGuaranteeTable, ReadsTable
from dpcompose.spaces.databases import Database
from dpcompose.spaces.maps import Map, everything
from dpcompose.spaces.points import Counted, Enumerated, Values


class Mechanisms(Distances):
    """The mechanisms of a problem, or of a study in one.

    adaptive -- whether they may read the outputs of earlier ones.
    """

    def __init__(self, given: MetricStudyTable) -> None:
        super().__init__(given)
        self.adaptive = given.adaptive

    def mechanisms(self) -> list[MetricMechanism]:
        """Those of the file, of studies in it one by one."""
        every = enumerate(self.given.mechanisms)
        return [one for i, given in every for one in self._mechanisms(i, given)]

    def _mechanisms(self, i: int, given: MetricMechanismTable) -> list[MetricMechanism]:
        """A mechanism; of a study those in it."""
        path = ("mechanisms", i)
        members = self._count(given, path)
        if given.study is None:
            found = self._mechanism(given, path)
            some = [] if found is None else [found]
        else:
            some = self._of_study(given, given.study, path)
        if members is not None and any(one.members is not None for one in some):
            self.wrong(path, f"{given.name} is a family of studies that hold families; write one of them out")
        done = given.post_processing or ""
        return [
            replace(
                one,
                members=one.members if members is None else members,
                processing=", then ".join(filter(None, [one.processing, done])),
            )
            for one in some
        ]

    def _of_study(self, given: MetricMechanismTable, name: str, path: Path_) -> list[MetricMechanism]:
        """The mechanisms of a study, each on what the study reads."""
        if name not in self.given.studies:
            self.wrong((*path, "study"), f"there is no study {shown(name)}{near(name, self.given.studies)}")
            return []
        if "." in name:
            self.wrong((*path, "study"), f"{shown(name)} is no name of a study: leave out the dot")
            return []
        part = ""
        reads: Map = everything
        if isinstance(given.reads, str) and given.reads != "everything":
            part = given.reads
        elif given.reads is not None and not isinstance(given.reads, str):
            found = self.reading(given.reads, (*path, "reads"))
            if found is None:
                return []
            reads = found
        inner = self._inner(self.given.studies[name], part, reads, ("studies", name))
        if inner is None:
            return []
        inner.read_all()
        some = inner.mechanisms() if inner.databases is not None else []
        self.mistakes += [replace(one, path=("studies", name, *one.path)) for one in inner.mistakes]
        self._take_parameters(inner, (*path, "study"))
        if inner.mistakes or inner.databases is None or self.databases is None:
            return []
        self.adaptive |= inner.adaptive
        there, here = (dict(one.parts).get("") for one in (inner.databases, self.databases))
        if reads != everything and unlike(there, reads.image(self._whole)):
            said = f"a study on {inner.databases} reads {reads.written('D')}: {reads.image(self._whole)}"
            self.wrong((*path, "study"), f"{said}; a study is about the databases that are read")
            return []
        shared = inner.given.metrics.keys() - self.given.studies[name].metrics.keys()
        outside = Outside(name, part, reads, there, here, inner.metrics, self.values, self.named, shared)
        try:
            return [outside.mechanism(given.name, one) for one in some]
        except NotOutside as error:
            self.wrong((*path, "study"), error)
            return []

    def _take_parameters(self, inner: Mechanisms, path: Path_) -> None:
        """The parameters of a study are also those of what it is part of."""
        for one, domain in inner.domains.items():
            if self.domains.setdefault(one, domain) != domain:
                said = (
                    f"{one} is {self.domains[one]} here, and {domain} in the study; one name is one parameter"
                )
                self.wrong(path, said)
            self.symbols.setdefault(one, symbol(one, domain))
            self.taken.setdefault(one, "a parameter")

    def _inner(self, study: MetricStudyTable, part: str, reads: Map, path: Path_) -> Mechanisms | None:
        """The reader of a study: without databases of its own it is about those that it reads."""
        if study.assume:
            self.wrong((*path, "assume"), "relations between parameters stand at the top of a file")
        outer = self.given
        parameters = {**outer.parameters, **study.parameters}
        for one in sorted(set(study.parameters) & set(outer.parameters)):
            if study.parameters[one] != outer.parameters[one]:
                said = f"{one} is {outer.parameters[one]} outside of the study; one name is one parameter"
                self.wrong((*path, "parameters", one), said)
        alike: dict[str, Any] = {"parameters": parameters, "assume": list(outer.assume)}
        if study.databases is not None and reads == everything:
            self.wrong(
                (*path, "databases"), "a study that reads everything, or a part, is about that: leave out"
            )
            return None
        if study.databases is None and reads != everything:
            self.wrong(path, f"say which databases the study is about: {reads.image(self._whole)}")
            return None
        if part and (not isinstance(outer.databases, ProductTable) or part not in outer.databases.parts):
            parts = outer.databases.parts if isinstance(outer.databases, ProductTable) else ()
            self.wrong(path, f"there is no part {shown(part)} that it reads{near(part, parts)}")
            return None
        if part:
            assert isinstance(outer.databases, ProductTable)
            alike |= {"databases": outer.databases.parts[part]}
        elif study.databases is None:
            keys = ("granularities", "maps", "metrics", "tables")
            alike |= {key: {**getattr(outer, key), **getattr(study, key)} for key in keys}
            alike |= {"databases": outer.databases}
        return Mechanisms(study.with_(**alike))

    def _mechanism(self, given: MetricMechanismTable, path: Path_) -> MetricMechanism | None:
        if isinstance(given.reads, ReadsTable) and given.reads.map in self.values:
            given = given.with_(reads=given.reads.map)  # of points and products maps have their names alone
        if given.table is not None:
            return self._tabulated(given, given.table, path)
        if given.satisfies is not None:
            return self._with_several(given, given.satisfies, path)
        return self._with_noise(given, path) if given.guarantee is None else self._stated(given, path)

    def _with_several(
        self, given: MetricMechanismTable, several: Sequence[MetricGuaranteeTable], path: Path_
    ) -> MetricMechanism | None:
        """A mechanism with several guarantees: at each two databases the least of them."""
        reads = self._reads(given, path)
        every = [self._known_as(given, one, reads, (*path, "satisfies", n)) for n, one in enumerate(several)]
        found = [one for one in every if one is not None]
        if len(found) < len(every):
            return None
        first = found[0]
        if any(one.notion != first.notion or one.delta is not None for one in found):
            self.wrong(
                (*path, "satisfies"),
                "guarantees in metrics of different notions, and several with a delta, are not supported "
                "yet; state them for neighbours, with claims for the neighbours of a target",
            )
            return None
        return replace(first, metric=worstcase.least(*(one.metric for one in found)))

    def _count(self, given: MetricMechanismTable, path: Path_) -> sympy.Expr | None:
        """How many mechanisms a family has; None for a single one."""
        if given.repeat is not None:
            return sympy.Integer(given.repeat)
        if given.count is None:
            return None
        if given.index in self.taken or given.index in formulas.RESERVED:
            self.wrong((*path, "index"), f"{given.index} has a meaning already; use another letter")
        if unknown := [name for name in formulas.names(given.count) if name not in self.symbols]:
            hint = f'list {unknown[0]} under [parameters], as "integer >= 2"'
            self.wrong((*path, "count"), f"how many {given.name} are there? {hint}")
            return None
        found = self.formula(given.count, (*path, "count"), {}, new=False)
        if found is not None and not (found.is_integer and self.never_negative(found - 1)):
            self.wrong((*path, "count"), f"{given.count} is not known to be a whole number from 1 on")
        return found

    def _tabulated(self, given: MetricMechanismTable, name: str, path: Path_) -> MetricMechanism | None:
        """A mechanism that is a table of probabilities: what it loses, at most what its guarantee says."""
        table, part = (
            self.given.tables.get(name),
            dict(self.databases.parts if self.databases else ()).get(""),
        )
        stated = None if given.guarantee is None else self._stated(given, path)
        reads = self._reads(given, path)
        if table is None:
            self.wrong((*path, "table"), f"there is no table {shown(name)}{near(name, self.given.tables)}")
        elif not isinstance(part, Enumerated) or part.of.kind != "listed":
            self.wrong((*path, "table"), "a table of probabilities needs a listed class")
        elif stated is not None and (stated.notion != "pure"):
            self.wrong((*path, "guarantee"), "of a table of probabilities pure privacy is checked here")
        elif reads is not None and (stated is None) == (given.guarantee is None):
            rows: dict[Database, list[sympy.Expr]] = {}
            for D, row in table.rows.items():
                every = [self.formula(p, ("tables", name, "rows", D), {}) for p in row]
                rows[D] = [p for p in every if p is not None]
                if len(rows[D]) < len(row):
                    return None
            try:
                found = lost(name, rows, table.outcomes, self.domains, self.is_positive, part, reads)
            except ValueError as error:
                self.wrong(("tables", name), error)
                return None
            bound = None if stated is None else stated.metric
            letter = self.named(f"lost_by_{given.name}", found, given.name, bound)
            return MetricMechanism(given.name, "pure", letter, lost=found)
        return None

    def _stated(self, given: MetricMechanismTable, path: Path_) -> MetricMechanism | None:
        assert given.guarantee is not None
        return self._known_as(given, given.guarantee, self._reads(given, path), (*path, "guarantee"))

    def _known_as(
        self, given: MetricMechanismTable, stated: MetricGuaranteeTable, reads: Map | None, path: Path_
    ) -> MetricMechanism | None:
        """A mechanism by a guarantee; where nothing is known of what it reads, its parameters are known."""
        if reads is None:
            self._adopt_all(given, stated, path)
            return None
        if stated.metric is not None:
            return self._in_metric(given, stated, reads, path)
        return self._for_neighbours(given, stated, reads, path)

    def _adopt_all(self, given: MetricMechanismTable, stated: MetricGuaranteeTable, path: Path_) -> None:
        """Makes the parameters that a guarantee names known, so that no claim is told that they are not."""
        before = list(self.mistakes)
        for key in ("metric", *PARAMETERS):
            text = stated.metric if key == "metric" else stated.value(key)
            if text is not None:
                self.formula(text, (*path, key), self.in_metrics(text), key=key, index=given.index)
        self.mistakes[:] = before

    def _reads(self, given: MetricMechanismTable, path: Path_) -> Map | None:
        """What a mechanism with a guarantee reads."""
        if isinstance(given.reads, ReadsTable):
            return self.reading(given.reads, (*path, "reads"))
        if given.reads not in (None, "everything") and self._map_read(given) is None:
            names = [name for name in self.values if name]
            self.wrong(
                (*path, "reads"), f"there is no map {shown(given.reads)}{near(given.reads or '', names)}"
            )
            return None
        return everything

    def _map_read(self, given: MetricMechanismTable) -> str | None:
        """The map of points, or part, by whose name a mechanism reads; None where it reads no such."""
        return given.reads if isinstance(given.reads, str) and given.reads in self.values else None

    def _domain(self, name: str, stated: MetricGuaranteeTable, reads: Map, path: Path_) -> str | None:
        """On which domain a guarantee is stated; a mechanism that reads everything has both alike."""
        if reads == everything:
            return "own"
        if stated.domain is None:
            self.wrong(
                (*path, "domain"),
                f'{name} reads {reads.written("D")}: say domain = "own", private as a map on that, or '
                'domain = "common", private as a map on the whole class, and dependent on what it reads only',
            )
        return stated.domain

    def _in_metric(
        self, given: MetricMechanismTable, stated: MetricGuaranteeTable, reads: Map, path: Path_
    ) -> MetricMechanism | None:
        domain, said = self._domain(given.name, stated, reads, path), ""
        both = None if domain is None else self._formulas(given, stated, path)
        if domain is None or both is None:
            return None
        metric, delta = both
        if name := self._map_read(given):
            some = [
                about_values(self, name, one, stated.domain, path)
                for one in (metric, delta or sympy.Integer(0))
            ]
            if some[0] is None or some[1] is None:
                return None
            if some[0] != metric:  # over fibres: what is stated is another metric
                said = f"{stated.notion} privacy in the metric {stated.metric}, and depends on {name} only"
            metric, delta = some[0], None if delta is None else some[1]
        if reads != everything:
            if domain == "common" and (delta or not self.is_multiple(metric)):
                nearest = of_the_nearest(self, metric, delta, reads, path)
                if nearest is None:
                    return None
                metric, delta = nearest
            else:
                moved = [
                    self.of_inputs(one, reads, domain, path) for one in (metric, delta) if one is not None
                ]
                if None in moved:
                    return None
                metric, delta = (*moved, None)[:2]
                assert metric is not None
        return MetricMechanism(given.name, stated.notion, metric, delta, stated=said)

    def _formulas(
        self, given: MetricMechanismTable, stated: MetricGuaranteeTable, path: Path_
    ) -> tuple[sympy.Expr, sympy.Expr | None] | None:
        """The metric of a guarantee, and its δ; None where one of them is none."""
        assert stated.metric is not None
        metric = self.formula(
            stated.metric, (*path, "metric"), self.in_metrics(stated.metric), index=given.index
        )
        delta = None
        if stated.delta is not None:
            others = self.in_metrics(stated.delta)
            delta = self.formula(stated.delta, (*path, "delta"), others, key="delta", index=given.index)
        if metric is None or (stated.delta is not None and delta is None):
            return None
        for key, one in (("metric", metric), ("delta", delta)):
            if one is not None and (why := self._negative(one)):
                self.wrong((*path, key), f"this is {why}; what is lost is at least 0")
                return None
        if not self._vanishes(metric):
            known = near("", self.metrics) or "; there is none: name one, [metrics.d]"
            self.wrong(
                (*path, "metric"),
                f"{stated.metric} is not 0 where D = E; what names no metric is a parameter{known}",
            )
            return None
        return metric, delta

    def _vanishes(self, metric: sympy.Expr) -> bool:
        """Whether a formula is not surely above 0 where all distances are 0."""
        there = self._at_equal(metric)
        return there is None or not self.is_positive(there)

    def _negative(self, value: sympy.Expr) -> str:
        """Where a formula in metrics is surely negative, in words; "" where that is not seen."""
        metrics = {name: symbol(name, NONNEGATIVE) for name in self.metrics}
        if value != 0 and exchange.is_never_negative(-value, self._all_domains(metrics)):
            return "never positive"
        there = self._at_equal(value)
        negative = there is not None and self.is_positive(-there)
        return f"{formulas.to_text(there)} at equal databases" if negative else ""

    def _at_equal(self, value: sympy.Expr) -> sympy.Expr | None:
        """A formula in metrics where all distances are 0; None where it has no real value there."""
        there = value.xreplace({symbol(name, NONNEGATIVE): sympy.Integer(0) for name in self.metrics})
        return None if there.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I) else there

    def _for_neighbours(
        self, given: MetricMechanismTable, stated: MetricGuaranteeTable, reads: Map, path: Path_
    ) -> MetricMechanism | None:
        """A guarantee for neighbours at distance r: its parameter times r; δ·Σ e^{jε} over j < r."""
        domain = self._domain(given.name, stated, reads, path)
        r = self.canonical(stated.granularity, (*path, "granularity"), reads, domain or "own")
        parameter, power = POWERS[stated.notion]
        text = stated.value(parameter)
        assert text is not None
        value = self.formula(text, (*path, parameter), {}, key=parameter, index=given.index)
        delta = None
        if stated.delta:
            delta = self.formula(stated.delta, (*path, "delta"), {}, key="delta", index=given.index)
        if domain is None or r is None or value is None or (stated.delta is not None and delta is None):
            return None
        if not (self.never_negative(value) or self.is_positive(value)):
            said = f"{parameter} of {given.name} is not known to be at least 0 for all allowed values"
            self.wrong((*path, parameter), said)
            return None
        metric = self.times(sympy.root(value, power), r)
        if delta is not None:
            if not self.is_positive(value):
                self.wrong((*path, parameter), "beside metrics epsilon of an approximate guarantee is > 0")
                return None
            delta = delta * (sympy.exp(metric) - 1) / (sympy.exp(value) - 1)
        where = "" if reads == everything else f", of {reads.written('D')}, on the {domain} domain"
        words = ", ".join(f"{key} = {stated.value(key)}" for key in FILE_KEYS[stated.notion])
        said = f"{stated.notion} privacy with {words} for {stated.granularity} neighbours{where}"
        return MetricMechanism(given.name, stated.notion, metric, delta, said)

    def _with_noise(self, given: MetricMechanismTable, path: Path_) -> MetricMechanism | None:
        assert given.noise is not None
        word = given.noise.word
        parameter = self.formula(
            given.noise.parameter, (*path, "noise", word), {}, key=word, index=given.index
        )
        if parameter is None:
            return None
        noise = Noise(word, parameter)
        if unfit := noise.unfit(self.domains, self.known_so_far):
            self.wrong((*path, "noise", word), unfit)
            return None
        own = noise.guarantee()
        norm = (
            {"plane": "L2"}.get(noise.kind.takes, {"pure": "L1", "gaussian": "L2"}.get(own.notion))
            if own
            else None
        )
        if norm is None or own is None or noise.kind.takes not in ("real", "vector", "integer", "plane"):
            self.wrong(
                (*path, "noise"), f"{word} gives no metric in which points are private; laplace noise does"
            )
            return None
        if given.query is not None:
            found = self._moved(given, path)
            return None if found is None else self._noisy(given.name, noise, found, None)
        of = self._numbers_read(given, noise, path)
        if of is None:
            return None
        found = self.norm(norm, of, path)
        return None if found is None else self._noisy(given.name, noise, found, of)

    def _numbers_read(self, given: MetricMechanismTable, noise: Noise, path: Path_) -> Values | None:
        """The numbers to which noise is added."""
        of = self.values.get(given.reads or "") if not isinstance(given.reads, ReadsTable) else None
        if of is None or of.formulas is None:
            names = [name for name, one in self.values.items() if name and one.formulas is not None]
            self.wrong((*path, "reads"), f"noise is added to numbers; say of what{near('', names)}")
            return None
        if noise.kind.takes == "integer":
            self.wrong((*path, "noise"), f"{noise.word} noise needs {noise.kind.needs}")
            return None
        if noise.kind.takes == "plane" and len(of.formulas) != 2:
            self.wrong(
                (*path, "noise"), f"{noise.word} is for two coordinates, and laplace noise for any number"
            )
            return None
        return of

    def _moved(self, given: MetricMechanismTable, path: Path_) -> sympy.Expr | None:
        """How far the number of records moves that are read."""
        part = ""
        reads: Map = everything
        if isinstance(given.reads, ReadsTable):
            found = self.reading(given.reads, (*path, "reads"))
            if found is None:
                return None
            reads = found
        elif given.reads not in (None, "everything"):
            part = str(given.reads)
        if part not in dict(self.databases.parts if self.databases else ()) or not self.has_records(part):
            names = [name for name, _ in (self.databases.parts if self.databases else ()) if name]
            self.wrong((*path, "reads"), f"a count is of records: {shown(part)} has none{near(part, names)}")
            return None
        return self.named(f"count_{part}" if part else "count", Counted(part, reads), given.name)

    def _noisy(self, name: str, noise: Noise, moved: sympy.Expr, of: Values | None) -> MetricMechanism:
        own = noise.guarantee()
        assert own is not None
        ((_, one),) = own.values
        return MetricMechanism(name, own.notion, one * moved, None, "", noise, of)
