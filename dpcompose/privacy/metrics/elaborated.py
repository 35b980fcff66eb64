"""A setting in metrics, told as a core setting on a product: its parts, distances, mechanisms in these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpcompose.kernel.core import reader, reading, settings
from dpcompose.kernel.core.classes import OF_PARTS
from dpcompose.kernel.covers.products import changes, moved
from dpcompose.kernel.deciders.values import surely
from dpcompose.kernel.expressions import metrics, naming, substitution, terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.elaboration import LAWS, Elaborated
from dpcompose.privacy.elaboration.kinds import ANY, NotElaborated
from dpcompose.privacy.mechanisms import Mechanism, mechanism
from dpcompose.privacy.metrics.setting import POWERS, MetricGuarantee, MetricMechanism, MetricSetting, letter
from dpcompose.privacy.noises import Noise
from dpcompose.privacy.notions import pure
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.canonical.points import (
    AnyTwo,
    Apart,
    Counted,
    Declared,
    Enumerated,
    Lost,
    Made,
    NamedMetric,
    Norm,
    Own,
    Part,
    Points,
    Steps,
    Tabled,
    Unlisted,
    Values,
    class_of,
)
from dpcompose.spaces.classes.databases import Database
from dpcompose.spaces.classes.tuples import Tuples
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import Count
from dpcompose.spaces.inputs.restrictions import Positions
from dpcompose.spaces.moves.built_in import free_lunch
from dpcompose.spaces.moves.granularities import Granularity

NORMS = {"pure": "L1", "gaussian": "L2"}


@dataclass(frozen=True, eq=False)
class InMetrics:
    """A setting in metrics, and its core setting."""

    setting: MetricSetting

    @cached_property
    def core(self) -> settings.Setting:
        """The core setting.  Raises NotElaborated."""
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
        known = {self.mark(name): letter(name) for name in self.setting.metrics}
        return substitution.substituted(substitution.changed(term, _factored), known)

    def claim(self, guarantee: MetricGuarantee) -> dict[str, str]:
        """A claim in the letters of the core setting: its notion, and formulas for its parameters."""
        values = {key: to_text(self.term(value)) for key, value in guarantee.parameters.items()}
        return {"notion": guarantee.notion, **values}

    def negative(self, claimed: MetricGuarantee) -> str:
        """Why a claim whose metric stands in a power is not to be proved: it may be negative somewhere."""
        _, power = POWERS[claimed.notion]
        if power == 1 or claimed.metric.kind == "oo":
            return ""
        said = self.term(claimed.metric)
        if metrics.is_positive_part(said) or surely(said, strictly=False, assumed=self.setting.assume):
            return ""
        return f"it is not known that the claimed {to_text(claimed.metric)} is never negative"

    def mark(self, name: str) -> str:
        """The letter of a metric, by its name: another one where a coordinate has the same."""
        found = naming.of_distance(name)
        letters = {str(coordinate(x, who)) for x in self.setting.databases.intervals for who in "DEF"}
        return f"{found}_metric" if found in letters else found

    # parts

    @cached_property
    def told(self) -> Mapping[str, Elaborated]:
        """How each part of databases is told: with a mechanism for each distance on it that can be told.

        Of what is not looked at no distance is told.
        """
        for name, part in self.setting.databases.parts:
            some = self._all_on(name) if isinstance(part, Unlisted) else []
            self._untold.update(one.name for one in some if not isinstance(one.distance, AnyTwo))
        return {
            name: self._of_part(name, part)
            for name, part in self.setting.databases.parts
            if not isinstance(part, Points | Unlisted)
        }

    def _of_part(self, name: str, part: Part) -> Elaborated:
        every = self._all_on(name)
        counted = [one for one in every if isinstance(part, Enumerated) or not _in_several_steps(one)]
        found = self._elaborated(part, every) if counted == every else None
        if found is None:  # a distance that cannot be told is one of which nothing is known
            told = [one for one in counted if self._elaborated(part, [one]) is not None]
            self._untold.update(one.name for one in every if one not in told)
            found = self._elaborated(part, told)
        if found is None:
            raise NotElaborated(f"distances on {part} cannot be told to the kernel")
        return found

    def _elaborated(self, part: Part, some: Sequence[NamedMetric]) -> Elaborated | None:
        """The neighbours' setting of a part, with a mechanism that is as far apart as each distance says."""
        assert not isinstance(part, Points | Unlisted)
        listed = isinstance(part, Enumerated)
        try:
            inputs = tuple(_stated(one, listed) for one in some) or (_stated(None, True),)
            found = Elaborated(Setting(class_of(part), free_lunch, inputs, {}), listed)
            kind = found.kind.databases()["kind"]
        except (NotElaborated, ValueError):
            return None
        return found if kind in OF_PARTS and found.kind.by_pairs else None

    @cached_property
    def _untold(self) -> set[str]:
        return set()

    def _all_on(self, part: str) -> list[NamedMetric]:
        """The metrics on a part of databases."""
        return [one for one in self.setting.metrics.values() if self._part_of(one) == part]

    def _on(self, part: str) -> list[NamedMetric]:
        """Those of them that can be told."""
        _ = self.told
        return [one for one in self._all_on(part) if one.name not in self._untold]

    def _part_of(self, metric: NamedMetric) -> str | None:
        match metric.distance:
            case Steps(part=part) | Counted(part=part) | Tabled(part=part) | Lost(part=part):
                return part
            case AnyTwo(of) if len(of.parts) == 1 and not isinstance(
                self.setting.databases[of.parts[0]], Points
            ):
                return of.parts[0]
        return None

    def _part(self, name: str, part: Part) -> dict[str, Any]:
        if isinstance(part, Unlisted):
            return {"kind": "steps", "shown": str(part)}
        if not isinstance(part, Points):
            return {"shown": str(part), **self.told[name].kind.databases()}
        box = [
            [None if x is None else to_text(self.term(x)) for x in (one.least, one.greatest)]
            for one in part.box
        ]
        disc = {} if part.disc is None else {"disc": to_text(self.term(part.disc))}
        return {"kind": "points", "coordinates": list(part.coordinates), "box": box, **disc}

    def listed(self, name: str, number: int) -> dict[str, Any]:
        """A database of a listed part by its number, as its class shows it, below the part's name."""
        told = self.told[name]
        D = told.kind._databases[number]  # type: ignore[attr-defined]
        shown = told.setting.databases.show(D)
        return {name or ("records" if isinstance(shown, list) else "database"): shown}

    def records(self, name: str, records: tuple[str, ...]) -> dict[str, Any]:
        """A database of a part of records, below the part's name; of cells their values are a or b."""
        part = self.setting.databases[name]
        values = part.records[:2] if isinstance(part, Tuples) and not part.arbitrary else ()
        there = dict(zip("ab", values, strict=False))
        return {name or "records": [there.get(one, one) for one in records] if there else list(records)}

    # distances

    def _distances(self) -> Iterator[tuple[str, dict[str, Any]]]:
        inputs: dict[str, dict[str, Any]] = {}
        for name, told in self.told.items():
            some = zip(self._on(name), told._data()["mechanisms"], strict=False)
            inputs |= {one.name: self._input(told, one, data) for one, data in some}
        for name, metric in self.setting.metrics.items():
            bound = {} if metric.at_most is None else {"at most": to_text(self.term(metric.at_most))}
            if name in inputs:
                found = {"part": self._part_of(metric), "input": inputs[name]}
            else:
                found = self._distance(metric)
            yield self.mark(name), found | bound

    def _distance(self, metric: NamedMetric) -> dict[str, Any]:
        if metric.name in self._untold:
            return {}
        match metric.distance:
            case Made(formula):
                return {"formula": to_text(self.term(formula))}
            case Apart(formula):
                return {"formula": to_text(self.term(formula)), "apart": True}
            case Norm(word, of, over):
                norm = moved(self._entries(of), word)
                assert norm is not None
                return {"formula": to_text(norm)} | ({} if over is None else {"over": list(over)})
            case Own() as own:
                return {"formula": to_text(self.term(own.between("D", "E")))}
            case AnyTwo(of) if of.parts:
                return {"parts": list(of.parts)}
            case AnyTwo(of):
                return {"differences": [to_text(one) for one in changes(self._entries(of))]}
            case Declared():
                return {}
        raise NotElaborated(f"{metric.name} is no distance on a product")

    def _entries(self, of: Values) -> tuple[Term, ...]:
        return tuple(map(self.term, of.of("D")))

    def _input(self, told: Elaborated, metric: NamedMetric, data: dict[str, Any]) -> dict[str, Any]:
        """The mechanism whose input is as far apart as a metric says."""
        data = {**data, "name": metric.name}
        listed = told.kind.databases()["kind"] == "listed"
        elements = told.kind._databases if listed else ()  # type: ignore[attr-defined]
        match metric.distance:
            case Lost() as table:
                rows = [[to_text(self.term(p)) for p in table.rows[D]] for D in elements]
                data["table"] = {"on": "databases", "outcomes": list(table.outcomes), "rows": rows}
            case Tabled() as table:
                far = {(D, E): table.between(table.of(D), table.of(E)) for D in elements for E in elements}
                data["stated"] = _lengths(elements, far)
                data["domain"] = "own" if table.reads == everything else "common"
            case Counted(reads=reads) if listed:
                size = told.setting.databases.size
                far = {
                    (D, E): Fraction(abs(size(reads(D)) - size(reads(E)))) for D in elements for E in elements
                }
                data |= {"stated": _lengths(elements, far), "reads": [None], "domain": "own"}
        return data

    # mechanisms

    def _mechanism(self, one: MetricMechanism) -> dict[str, Any]:
        key, _ = POWERS[one.notion]
        values = {key: "1"} | ({} if one.delta is None else {"delta": "0"})
        besides = {} if one.delta is None else {"delta": to_text(self.term(one.delta))}
        data: dict[str, Any] = {
            "name": one.name,
            "reads": [None],
            "domain": "own",
            "notion": one.notion,
            "values": values,
            "metric": {"formula": to_text(self.term(one.metric)), "besides": besides},
        }
        data |= {} if one.members is None else {"count": to_text(self.term(one.members))}
        data |= {"processed": True} if one.processing else {}
        if one.noise is not None:
            data |= self._noise(one, one.noise)
        if one.lost is not None:
            (name,) = one.metric.letters  # lost_by_M, which is that table
            data["table"] = self._input(self.told[one.lost.part], self.setting.metrics[name], {})["table"]
        return data

    def _noise(self, one: MetricMechanism, noise: Noise) -> dict[str, Any]:
        """The noise, and the metric in which what it is added to moves."""
        page = LAWS.get(noise.word, noise.word) if noise.own is None else noise.own.id
        told: dict[str, Any] = {"page": page, "parameter": to_text(noise.fitting)}
        if one.values is not None:
            told["entries"] = [to_text(x) for x in self._entries(one.values)]
        else:
            told["query"] = {"page": Count.page, "values": {}}
        (name,) = (x for x in one.metric.letters if x in self.setting.metrics)
        return {"noise": told, "metric": {"formula": self.mark(name), "besides": {}}}


def _factored(term: Term) -> Term | None:
    """A sum over all members with what is the same for all of them before it."""
    if term.kind != "over" or term.of[0] != term.of[2]:
        return None
    factors = term.of[1].factors
    alike = [one for one in factors if not any(map(terms.moves, one.letters))]
    member = terms.multiply([one for one in factors if one not in alike])
    return terms.multiply([*alike, terms.over(term.of[0], member, term.of[2])])


def _lengths(
    elements: tuple[Database, ...], far: Mapping[tuple[Database, Database], Fraction | None]
) -> dict[str, Any]:
    """Pairs of listed databases that are not infinitely far apart, and how far they are."""
    single, lengths = [], []
    for i, D in enumerate(elements):
        for j, E in enumerate(elements[:i]):
            if (at := far[E, D]) is not None:
                single.append([j, i])
                lengths.append(str(at))
    order = sorted(range(len(single)), key=lambda n: single[n])
    return {"single": [single[n] for n in order], "steps": 1, "lengths": [lengths[n] for n in order]}


def _in_several_steps(metric: NamedMetric) -> bool:
    """Whether a metric counts several steps, or windows of several positions, as one: how far apart records
    are is then no formula in how many of them differ."""
    match metric.distance:
        case Steps(granularity, _, reads):
            window = granularity.reach or 1
            inside = window > 1 and isinstance(reads, Positions) and len(reads.positions) == 1
            return granularity.innermost()[1] > 1 or (window > 1 and not inside)
    return False


def _stated(metric: NamedMetric | None, listed: bool) -> Mechanism:
    """A mechanism whose input is as far apart as a metric on a part says, where neighbours say it."""
    distance = None if metric is None else metric.distance
    name = "M" if metric is None else metric.name
    match distance:
        case Steps(granularity, _, reads, domain):
            return _about(name, granularity, reads, domain)
        case Tabled(reads=reads):
            return _about(name, free_lunch, reads, "common")
        case Counted(reads=reads) if not listed:
            return mechanism(name, reads=reads, query=Count(), noise=Noise("laplace", terms.ONE))
    return _about(name, free_lunch, everything, "own")


def _about(name: str, granularity: Granularity, reads: Map, domain: str) -> Mechanism:
    return mechanism(name, pure(1, granularity, None if reads == everything else domain), reads=reads)
