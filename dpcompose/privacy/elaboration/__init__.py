"""Elaboration: a setting as users hold it, told as one core setting that the kernel reads, and back.

Each class is told as one of eight kinds: records, where all that matters of a record is who reads it;
policies, where it also matters what a record may become; contributions, where it matters in which part it
lies; cells, where databases are products; anything at all, where every mechanism reads everything and only
steps count; a list of all databases, where they are few; what was counted of them on arrays, where they are
many; or parts, where what is lost at all pairs is a formula in distances.  Families keep as many members as
one step can touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from dpcompose.kernel.core import reader, reading, settings
from dpcompose.kernel.core.classes import OF_PARTS
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.privacy.elaboration.arrays import Arrays
from dpcompose.privacy.elaboration.cells import Cells
from dpcompose.privacy.elaboration.contributions import Contributions
from dpcompose.privacy.elaboration.kinds import Kind, NoLemma, Pair, times
from dpcompose.privacy.elaboration.listed import Listed
from dpcompose.privacy.elaboration.overlapping import Overlapping, of_any_number
from dpcompose.privacy.elaboration.parts import Part, Parts
from dpcompose.privacy.elaboration.policies import Policies
from dpcompose.privacy.elaboration.records import Records
from dpcompose.privacy.elaboration.steps import Steps
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism, comparing
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.privacy.mechanisms.samples import Sampled
from dpcompose.privacy.mechanisms.statements import mechanism
from dpcompose.privacy.settings import Setting, inside
from dpcompose.privacy.settings.flattening import NotFlat, flattened
from dpcompose.privacy.settings.members import with_few
from dpcompose.privacy.settings.on_tables import has_inputs_as_rows
from dpcompose.spaces.canonical.named import Input, NamedMetric
from dpcompose.spaces.canonical.points import gone_through, looked_at
from dpcompose.spaces.classes.databases import DatabaseClass, TooLarge
from dpcompose.spaces.moves.built_in import free_lunch
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.larger import ANY_SIZE

__all__ = ["Elaborated", "NoLemma", "elaborated"]


def elaborated(setting: Setting) -> Elaborated:
    """A setting with its core setting, made once: studies in others are asked for by each of these."""
    known = vars(setting).setdefault("elaborated", Elaborated(setting))
    assert isinstance(known, Elaborated)
    return known


@frozen
class Elaborated:
    """A setting and its core setting; mechanism i of the one is mechanism i of the other.

    listed -- whether databases are told one by one, however the class could be told;
    given -- the core setting, where it is another one of as many mechanisms, or one of them, of which less is
    known.
    """

    setting: Setting
    listed: bool = False
    given: settings.Setting | None = None

    def about(self, core: settings.Setting) -> Elaborated:
        """The same about another core setting."""
        return replace(self, given=core)

    @cached_property
    def core(self) -> settings.Setting:
        """The core setting.  Raises NoLemma."""
        if self.given is not None:
            return self.given
        try:
            return reading.read(self._data())
        except (TooLarge, reader.BadSetting) as error:
            raise NoLemma(str(error)) from None

    def _data(self) -> dict[str, Any]:
        if self._inputs is not None:
            data = self._inputs._data() | {"mechanisms": list(self._regrouped(self._inputs))}
            data.pop("flat", None)
            return data | ({} if self.flat is None else {"flat": self.flat.core})
        setting = self.setting
        orders = setting.orders
        own = {} if orders is None else orders.letters
        return {
            "parameters": {name: str(domain) for name, domain in setting.domains.items() if name not in own},
            **({} if orders is None else {"orders": str(orders)}),
            "databases": {**self.kind.databases(), "shown": f"{setting.databases}"},
            "target": self.kind.steps() | times(setting.target, setting.databases),
            "mechanisms": [self._mechanism(i) for i in range(1, len(setting.mechanisms) + 1)],
            "adaptive": setting.adaptive,
            **self.kind.distances(),
            **({"assumed": [assumption.data() for assumption in setting.assume]} if setting.assume else {}),
            **({} if self.flat is None else {"flat": self.flat.core}),
        }

    @cached_property
    def _inputs(self) -> Elaborated | None:
        """The setting with a mechanism for each distance, where some guarantees are formulas in such."""
        if not self.setting.in_metrics:
            return None
        stated = (m.satisfies.metric for m in self.setting.mechanisms)
        return Elaborated(
            self.setting.of_inputs, any(metric is not None and metric.in_tables for metric in stated)
        )

    def _regrouped(self, inputs: Elaborated) -> Iterator[dict[str, Any]]:
        """The mechanisms; those that are stated in formulas with the ones whose distances these are about."""
        told = iter(inputs._data()["mechanisms"])
        for stated in self.setting.mechanisms:
            if (metric := stated.satisfies.metric) is None:
                yield next(told)
                continue
            distances = {}
            for far in metric.distances:
                distances[far.name] = next(told)
                if far.distance.in_a_table:
                    distances[far.name] |= inputs.kind.listed(far.distance)
            alike = {
                key: value
                for key, value in distances[far.name].items()
                if key in ("count", "partition", "reads")
            }
            processed = {"processed": True} if stated.processing else {}
            yield {
                "name": stated.name,
                **alike,
                "domain": "own",
                "notion": stated.satisfies.notion,
                "values": _texts(stated.satisfies.terms),
                **processed,
                "metric": {
                    "formula": formulas.to_text(metric.formula),
                    "besides": {key: formulas.to_text(value) for key, value in metric.besides},
                    "distances": distances,
                    "bounded": metric.bounded,
                },
            }

    @cached_property
    def flat(self) -> Elaborated | None:
        """The setting with the mechanisms of its studies one by one, where they can be stated so."""
        if not self.setting.studies:
            return None
        try:
            flat = Elaborated(flattened(self.setting))
            return flat if flat.core else None
        except (NotFlat, NoLemma):
            return None

    def pair(self, of: Type) -> Pair:
        """The two databases of a type, as results print them."""
        if self._inputs is not None:
            return self._inputs.pair(of)
        return self.kind.pair(of)

    def mechanism(self, i: int) -> Mechanism:
        """The mechanism as stated that the core's mechanism i is."""
        return self.setting.mechanisms[i - 1]

    @cached_property
    def kind(self) -> Kind:
        """How the class is told."""
        if self.setting.at_all_pairs:
            return self.parts
        written, _ = self._written
        tables = any(m.table is not None for m in written.mechanisms)
        kinds: tuple[type[Kind], ...] = (
            (Listed,)
            if tables or self.listed
            else (Overlapping, Records, Cells, Policies, Contributions, Steps, Arrays, Listed)
        )
        if written.databases.parameters:
            kinds = (Overlapping, Records, Cells, Policies, Contributions)
        if any(map(self._counts_a_letter, self.setting.granularities)):
            kinds = tuple(kind for kind in kinds if kind.any_number_of_steps(written))
        if not written.has_choices:
            return next((fit for kind in kinds if (fit := kind.of(written)) is not None), None) or no_kind(
                written
            )
        every = written.with_each_guarantee()
        able = (kind.of(every) for kind in kinds if kind is not Arrays)
        asked = list(dict.fromkeys(every.granularities))
        fits = (kind for kind in able if kind is not None and all(map(kind.tells_neighbours, asked)))
        return next(fits, None) or no_kind(every)

    def _counts_a_letter(self, granularity: Granularity) -> bool:
        """Whether a step is as many as a letter says, which makes a difference."""
        return granularity.times is not None and not granularity.any_two(self.setting.databases)

    @cached_property
    def parts(self) -> Parts:
        """How databases are told by their parts, where what is lost at all pairs is a formula."""
        databases = self.setting.databases
        looked = [(name, part) for name, part in databases.parts if part.points is None and looked_at(part)]
        return Parts(self.setting, {name: self._of_part(name, part) for name, part in looked})

    def _of_part(self, name: str, part: DatabaseClass) -> Part:
        """A part of databases, with a mechanism for each distance on it that can be told."""
        inputs = ((metric, metric.distance.input) for metric in self.setting.metrics.values())
        every = [metric for metric, read in inputs if read is not None and read.part == name]
        counted = [
            metric for metric in every if gone_through(part) is not None or not _in_several_steps(metric)
        ]
        if counted == every and (description := self._apart(part, every)) is not None:
            return description
        told = [metric for metric in counted if self._apart(part, [metric]) is not None]
        if (description := self._apart(part, told)) is None:
            raise NoLemma(f"distances on {part} cannot be told to the kernel")
        return description

    def _apart(self, part: DatabaseClass, metrics: Sequence[NamedMetric]) -> Part | None:
        """A part with a mechanism that is as far apart as each distance says."""
        listed = gone_through(part) is not None
        try:
            inputs = tuple(_stated(metric, listed) for metric in metrics) or (comparing("M", Input("")),)
            apart = Elaborated(Setting(part, free_lunch, inputs, {}), listed)
            if apart.kind.databases()["kind"] not in OF_PARTS or not apart.kind.by_pairs:
                return None
            data = zip(metrics, apart._data()["mechanisms"], strict=False)
            return Part(apart.kind, {metric.name: told | {"name": metric.name} for metric, told in data})
        except (NoLemma, ValueError):
            return None

    @cached_property
    def _written(self) -> tuple[Setting, tuple[int, ...]]:
        """The setting with as many members of each family as neighbours can touch, and whose each one is."""
        if self.setting.at_all_pairs:
            return self.setting, tuple(range(1, len(self.setting.mechanisms) + 1))
        setting = self.setting.of_single_steps.of_inside_steps
        if setting.target.innermost()[0].by_rows or of_any_number(setting):
            return setting, tuple(range(1, len(setting.mechanisms) + 1))
        return with_few(setting, alike=1)

    @cached_property
    def _members(self) -> Mapping[int, Sequence[Mechanism]]:
        """The members of each mechanism that are written out, by its number."""
        written, origin = self._written
        members: dict[int, list[Mechanism]] = {}
        for member, i in zip(written.mechanisms, origin, strict=True):
            members.setdefault(i, []).append(member)
        return members

    def _others(
        self, stated: Mechanism, own: Mechanism, identity: bool, here: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """The guarantees that a mechanism has besides, as said and as written out; on samples those there,
        for the neighbours that the whole, told as `here`, has its guarantee for."""
        sampled = stated.sampled
        said = stated.also if sampled is None else sampled.on_samples[1:]
        for alone, also, given in zip(own.alone[1:], stated.also, said, strict=True):
            yield {
                **(self.kind.about(alone, also) if sampled is None else {"stated": here["stated"]}),
                "domain": "own" if identity else alone.satisfies.domain or "own",
                "notion": given.notion,
                **_said(given),
            }

    def _mechanism(self, i: int) -> dict[str, Any]:
        members = self._members[i]
        stated, own = self.mechanism(i), members[0]
        divided = stated.reads.divided
        identity = own.reads.is_identity(self._written[0].databases)
        data: dict[str, Any] = {
            "name": stated.name,
            "reads": [self.kind.reads(member.reads) for member in (members if divided else members[:1])],
            "domain": "own" if identity or stated.noise is not None else stated.satisfies.domain or "own",
            "notion": stated.satisfies.notion,
            **_said(stated.satisfies),
        }
        if codes := self.kind.codes(own.reads):
            data["codes"] = codes
        if stated.members is not None:
            data["count"] = formulas.to_text(stated.members)
        if divided:
            data["partition"] = stated.reads.partition
        if (own.reads.dealt or stated.sampled is not None) and not self.kind.draws:
            raise NoLemma(
                "samples, and records that are dealt, are known for neighbours that add, remove or replace "
                f"records, not for {self.setting.target}"
            )
        if own.reads.dealt:
            data |= {"reads": [None], "domain": "own", "partition": f"deal to {stated.name}", "dealt": True}
        data |= {"processed": True} if stated.processing else {}
        data |= {"filtered": True} if stated.filtered else {}
        if stated.noise is not None:
            return data | self.kind.noise(stated, own.reads)
        data |= self.kind.about(own, stated.satisfies, *members[1:])
        if stated.sampled is not None:
            data |= self._sampled(stated.sampled, data["stated"])
        if own.also:
            data["also"] = list(self._others(stated, own, identity, data))
        if stated.table is not None:
            inputs = not self.setting.at_all_pairs and has_inputs_as_rows(self.setting, stated)
            data["table"] = self.kind.table(own, inputs)
        inner = inside(stated)
        return data if inner is None else data | {"study": elaborated(inner).core}

    def _sampled(self, given: Sampled, whole: dict[str, Any]) -> dict[str, Any]:
        """How the sample is drawn, and what is known on samples; of any size, where these are."""
        values = {key: formulas.to_text(value) for key, value in given.by.named.items()}
        out = given.by.kind.of_any_size and self.kind.leads_out
        steps = whole | ({"within": ANY_SIZE} if out else {})
        drawn = {"page": given.by.kind.page, "values": values}
        return {**_said(given.on_samples[0]), "stated": steps, "sampled": drawn}


def no_kind(setting: Setting) -> Kind:
    """Raises NoLemma: no lemma is about all numbers of records at once."""
    letters = ", ".join(setting.databases.parameters)
    if not letters:
        raise NoLemma(
            f"no lemma is about groups of any number of steps, what is read of {setting.databases}, and "
            "guarantees for such neighbours together; a number of steps would do"
        )
    raise NoLemma(
        f"no lemma is about {setting.databases}, and what is read of them, for all {letters} at once; a "
        f"number for {letters} would do"
    )


def _texts(terms: Sequence[tuple[str, Term]]) -> dict[str, str]:
    return {key: formulas.to_text(value) for key, value in terms}


def _said(said: Guarantee) -> dict[str, Any]:
    """The parameters of a guarantee; of divergences as a function of the orders for which it is stated."""
    if said.curve is None:
        return {"values": _texts(said.terms)}
    values = {key: formulas.to_text(said.curve.value) for key, _ in said.terms}
    return {"values": values, "orders": str(said.curve.orders)}


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
