"""A setting in metrics, told as a core setting on a product: its parts, distances, mechanisms in these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from dpcompose.kernel.core import reader, reading, settings
from dpcompose.kernel.core.classes import OF_PARTS
from dpcompose.kernel.deciders.values import surely
from dpcompose.kernel.expressions import metrics, naming, substitution, terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.elaboration import LAWS, Elaborated
from dpcompose.privacy.elaboration.kinds import ANY, NotElaborated
from dpcompose.privacy.mechanisms import Mechanism, comparing
from dpcompose.privacy.noises import Noise
from dpcompose.privacy.notions import POWERS, Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.statements import mechanism
from dpcompose.spaces.canonical.named import Input, NamedMetric
from dpcompose.spaces.canonical.points import Values, gone_through, intervals, looked_at
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.moves.built_in import free_lunch


@frozen(eq=False)
class InMetrics:
    """A setting in metrics, and its core setting; given -- that, where it is another one with as many
    mechanisms, or one of them, of which less is known."""

    setting: Setting
    given: settings.Setting | None = None

    def about(self, core: settings.Setting) -> InMetrics:
        """The same about another core setting."""
        return replace(self, given=core)

    @cached_property
    def core(self) -> settings.Setting:
        """The core setting.  Raises NotElaborated."""
        if self.given is not None:
            return self.given
        try:
            return reading.read(self._data())
        except reader.BadSetting as error:
            raise NotElaborated(str(error)) from None

    def _data(self) -> dict[str, Any]:
        setting = self.setting
        parts = {name: self._part(name, part) for name, part in setting.databases.parts}
        mechanisms = [self._mechanism(one) for one in setting.mechanisms]
        return {
            "parameters": {name: str(domain) for name, domain in setting.domains.items()},
            "databases": {"kind": "product", "shown": str(setting.databases), "parts": parts},
            "target": ANY,
            "distances": dict(self._distances()),
            "mechanisms": mechanisms,
            "adaptive": setting.adaptive,
            **({"assumed": [one.data() for one in setting.assume]} if setting.assume else {}),
        }

    # formulas

    def term(self, formula: Term) -> Term:
        """A formula in metrics, parameters and coordinates of D and E, in the letters of the core setting."""
        named = {
            name: metrics.letter(self.mark(name)) for name in formula.letters if name in self.setting.metrics
        }
        return substitution.substituted(formula, named)

    def expression(self, term: Term) -> Term:
        """A formula in distances as one in the metrics of the setting."""
        known = {self.mark(name): metrics.letter(name) for name in self.setting.metrics}
        return substitution.substituted(substitution.changed(term, _factored), known)

    def claim(self, guarantee: Guarantee) -> dict[str, str]:
        """A claim in the letters of the core setting: its notion, and formulas for its parameters."""
        values = {key: to_text(self.term(value)) for key, value in guarantee.at_pair.items()}
        return {"notion": guarantee.notion, **values}

    def negative(self, claimed: Guarantee) -> str:
        """Why a claim whose metric stands in a power is not to be proved: it may be negative somewhere."""
        (_, power), metric = POWERS[claimed.notion], claimed.in_metric.formula
        if power == 1 or metric.kind == "oo":
            return ""
        said = self.term(metric)
        if metrics.is_positive_part(said) or surely(said, strictly=False, assumed=self.setting.assume):
            return ""
        return f"it is not known that the claimed {to_text(metric)} is never negative"

    def mark(self, name: str) -> str:
        """The letter of a metric, by its name: another one where a coordinate has the same."""
        found = naming.of_distance(name)
        letters = {str(coordinate(x, who)) for x in intervals(self.setting.databases) for who in "DEF"}
        return f"{found}_metric" if found in letters else found

    # parts

    @cached_property
    def told(self) -> Mapping[str, Elaborated]:
        """How each part of databases is told that is looked at: with a mechanism for each distance on it."""
        return {name: told for name, (told, _) in self._told.items()}

    @cached_property
    def _told(self) -> Mapping[str, tuple[Elaborated, Sequence[NamedMetric]]]:
        """The same, with the distances on each part that can be told."""
        return {
            name: self._of_part(name, part)
            for name, part in self.setting.databases.parts
            if part.points is None and looked_at(part)
        }

    def _of_part(self, name: str, part: DatabaseClass) -> tuple[Elaborated, Sequence[NamedMetric]]:
        inputs = ((one, one.distance.input) for one in self.setting.metrics.values())
        every = [one for one, read in inputs if read is not None and read.part == name]
        counted = [one for one in every if gone_through(part) is not None or not _in_several_steps(one)]
        if counted == every and (found := self._elaborated(part, every)) is not None:
            return found, every
        told = [one for one in counted if self._elaborated(part, [one]) is not None]
        if (found := self._elaborated(part, told)) is None:
            raise NotElaborated(f"distances on {part} cannot be told to the kernel")
        return found, told

    def _elaborated(self, part: DatabaseClass, some: Sequence[NamedMetric]) -> Elaborated | None:
        """The neighbours' setting of a part, with a mechanism that is as far apart as each distance says."""
        listed = gone_through(part) is not None
        try:
            inputs = tuple(_stated(one, listed) for one in some) or (comparing("M", Input("")),)
            found = Elaborated(Setting(part, free_lunch, inputs, {}), listed)
            kind = found.kind.databases()["kind"]
        except (NotElaborated, ValueError):
            return None
        return found if kind in OF_PARTS and found.kind.by_pairs else None

    def _part(self, name: str, part: DatabaseClass) -> dict[str, Any]:
        if not looked_at(part):
            return {"kind": "steps", "shown": str(part)}
        if part.points is None:
            return {"shown": str(part), **self.told[name].kind.databases()}
        box = [
            [None if x is None else to_text(self.term(x)) for x in (one.least, one.greatest)]
            for one in part.points.box
        ]
        disc = {} if part.points.disc is None else {"disc": to_text(self.term(part.points.disc))}
        return {"kind": "points", "coordinates": list(part.points.coordinates), "box": box, **disc}

    def listed(self, name: str, number: int) -> dict[str, Any]:
        """A database of a listed part by its number, as its class shows it, below the part's name."""
        told = self.told[name]
        D = told.kind._databases[number]  # type: ignore[attr-defined]
        shown = told.setting.databases.show(D)
        return {name or ("records" if isinstance(shown, list) else "database"): shown}

    def records(self, name: str, records: tuple[str, ...]) -> dict[str, Any]:
        """A database of a part of records, below the part's name; of cells their values are a or b."""
        of = dict(self.setting.databases.parts)[name]
        values = of.records[:2] if of.identified and not of.arbitrary else ()
        there = dict(zip("ab", values, strict=False))
        return {name or "records": [there.get(one, one) for one in records] if there else list(records)}

    # distances

    def _distances(self) -> Iterator[tuple[str, dict[str, Any]]]:
        inputs: dict[str, dict[str, Any]] = {}
        for part, (told, some) in self._told.items():
            for one, data in zip(some, told._data()["mechanisms"], strict=False):
                data |= {"name": one.name} | self._listed(told, one)
                inputs[one.name] = {"part": part, "input": data}
        for name, metric in self.setting.metrics.items():
            bound = {} if metric.at_most is None else {"at most": to_text(self.term(metric.at_most))}
            read = metric.distance.input
            if read is None or read.part not in self._told:
                found = metric.distance.told(self.term)
            else:  # a distance that cannot be told is one of which nothing is known
                found = inputs.get(name, {})
            yield self.mark(name), found | bound

    def _entries(self, of: Values) -> tuple[Term, ...]:
        return tuple(map(self.term, of.of("D")))

    def _listed(self, told: Elaborated, metric: NamedMetric) -> dict[str, Any]:
        """What is said besides of an input on listed databases."""
        if told.kind.databases()["kind"] != "listed":
            return {}
        elements = told.kind._databases  # type: ignore[attr-defined]
        return metric.distance.on_listed(elements, told.setting.databases.size, self.term)

    # mechanisms

    def _guarantee(self, one: Guarantee) -> dict[str, Any]:
        values, stated = {key: to_text(value) for key, value in one.terms}, one.in_metric
        besides = {key: to_text(self.term(value)) for key, value in stated.besides}
        metric = {"formula": to_text(self.term(stated.formula)), "besides": besides}
        return {"domain": "own", "notion": one.notion, "values": values, "metric": metric}

    def _mechanism(self, one: Mechanism) -> dict[str, Any]:
        data: dict[str, Any] = {"name": one.name, "reads": [None], **self._guarantee(one.satisfies)}
        data |= {"also": [self._guarantee(other) for other in one.also]} if one.also else {}
        data |= {} if one.members is None else {"count": to_text(self.term(one.members))}
        data |= {"processed": True} if one.processing else {}
        if one.noise is not None:
            data |= self._noise(one, one.noise)
        if one.table is not None:
            metric = self.setting.metrics[self._named(one)]  # lost_by_M, which is that table
            assert metric.distance.input is not None
            data["table"] = self._listed(self.told[metric.distance.input.part], metric)["table"]
        return data

    def _named(self, one: Mechanism) -> str:
        """The metric of a mechanism that is given by a table, or noise."""
        (name,) = self.setting.metrics.keys() & one.satisfies.in_metric.formula.letters
        return name

    def _noise(self, one: Mechanism, noise: Noise) -> dict[str, Any]:
        """The noise, and the metric in which what it is added to moves."""
        page = LAWS.get(noise.word, noise.word) if noise.own is None else noise.own.id
        told: dict[str, Any] = {"page": page, "parameter": to_text(noise.fitting)}
        if one.entries is not None:
            told["entries"] = [to_text(x) for x in self._entries(one.entries)]
        elif one.query is not None:
            told["query"] = {"page": one.query.page, "values": {}}
        return {"noise": told, "metric": {"formula": self.mark(self._named(one)), "besides": {}}}


def _factored(term: Term) -> Term | None:
    """A sum over all members with what is the same for all of them before it."""
    if term.kind != "over" or term.of[0] != term.of[2]:
        return None
    factors = term.of[1].factors
    alike = [one for one in factors if not any(map(terms.moves, one.letters))]
    member = terms.multiply([one for one in factors if one not in alike])
    return terms.multiply([*alike, terms.over(term.of[0], member, term.of[2])])


def _in_several_steps(metric: NamedMetric) -> bool:
    """Whether a metric counts several steps, or windows of several positions, as one: how far apart records
    are is then no formula in how many of them differ."""
    read = metric.distance.input
    if read is None:
        return False
    window = read.granularity.reach or 1
    inside = window > 1 and len(read.reads.positions) == 1
    return read.granularity.innermost()[1] > 1 or (window > 1 and not inside)


def _stated(metric: NamedMetric, listed: bool) -> Mechanism:
    """A mechanism whose input is as far apart as a metric on a part says, where neighbours say it."""
    read = metric.distance.input
    assert read is not None
    if read.query is None or listed:  # then numbers say it
        return comparing(metric.name, read if read.query is None else Input(""))
    return mechanism(metric.name, reads=read.reads, query=read.query, noise=Noise("laplace", terms.ONE))
