"""Points, and databases of several parts, where what is lost is a formula in distances of both databases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.core.settings import Setting as Core
from dpcompose.kernel.covers import places
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.calculus.values import surely
from dpcompose.kernel.expressions import metrics, naming, substitution, terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.metrics import where_of
from dpcompose.privacy.elaboration.kinds import ANY, Kind, NoLemma, Pair
from dpcompose.privacy.guarantees.notions import POWERS, Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.canonical.named import NamedMetric
from dpcompose.spaces.canonical.points import intervals, looked_at
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity


@frozen
class Part:
    """How a part of databases is told; inputs -- by the names of the distances on it that can be told a
    mechanism whose inputs are as far apart."""

    kind: Kind
    inputs: Mapping[str, dict[str, Any]]


@frozen(eq=False)
class Parts(Kind):
    """Databases by their parts; told -- those that are looked at and are no points."""

    told: Mapping[str, Part]

    @classmethod
    def of(cls, setting: Setting) -> None:
        """Nothing: how parts are told is told first."""

    def databases(self) -> dict[str, Any]:
        parts = {name: self._part(name, part) for name, part in self.setting.databases.parts}
        return {"kind": "product", "parts": parts}

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        return ANY

    def reads(self, f: Map) -> list[int] | None:
        return None

    def pair(self, of: Type) -> Pair:
        raise NoLemma("two databases by parts are told at a point")

    # formulas

    def term(self, formula: Term) -> Term:
        """A formula in metrics, parameters and coordinates of D and E, in the letters of the core setting."""
        known = self.setting.metrics
        named = {name: metrics.letter(self.mark(name)) for name in formula.letters if name in known}
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
        term = self.term(metric)
        if metrics.is_positive_part(term) or surely(term, strictly=False, assumed=self.setting.assume):
            return ""
        return f"it is not known that the claimed {to_text(metric)} is never negative"

    def mark(self, name: str) -> str:
        """The letter of a metric, by its name: another one where a coordinate has the same."""
        letter = naming.of_distance(name)
        letters = {str(coordinate(x, who)) for x in intervals(self.setting.databases) for who in "DEF"}
        return f"{letter}_metric" if letter in letters else letter

    # parts

    def database(
        self, core: Core, theory: Theory, of: Type, point: Mapping[str, Fraction], who: str
    ) -> dict[str, Any]:
        """One of the databases D, E, F at a point: coordinates, records, or as its class shows."""
        data: dict[str, Any] = {}
        where, n = where_of(of), int(who == "E")
        records, listed = dict(places.records(core, theory, where, point)), dict(where.listed)
        for name, part in self.setting.databases.parts:
            if part.points is not None:
                every = part.points.coordinates
                data |= {x: str(point.get(str(coordinate(x, who)), Fraction(0))) for x in every}
            elif name in listed:
                data |= self.of_number(name, listed[name][n])
            elif name in records:
                data |= self.records(name, records[name][n])
        return data

    def _part(self, name: str, part: DatabaseClass) -> dict[str, Any]:
        if not looked_at(part):
            return {"kind": "steps", "shown": f"{part}"}
        if part.points is None:
            return {"shown": f"{part}", **self.told[name].kind.databases()}
        box = [
            [None if x is None else to_text(self.term(x)) for x in (interval.least, interval.greatest)]
            for interval in part.points.box
        ]
        disc = {} if part.points.disc is None else {"disc": to_text(self.term(part.points.disc))}
        return {"kind": "points", "coordinates": list(part.points.coordinates), "box": box, **disc}

    def of_number(self, name: str, number: int) -> dict[str, Any]:
        """A database of a listed part by its number, as its class shows it, below the part's name."""
        kind = self.told[name].kind
        assert kind.elements is not None
        shown = kind.setting.databases.show(kind.elements[number])
        return {name or ("records" if isinstance(shown, list) else "database"): shown}

    def records(self, name: str, records: tuple[str, ...]) -> dict[str, Any]:
        """A database of a part of records, below the part's name; of cells their values are a or b."""
        of = dict(self.setting.databases.parts)[name]
        values = of.records[:2] if of.identified and not of.arbitrary else ()
        there = dict(zip("ab", values, strict=False))
        return {
            name or "records": [there.get(record, record) for record in records] if there else list(records)
        }

    # distances

    def distances(self) -> dict[str, Any]:
        return {"distances": dict(self._distances())}

    def _distances(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, metric in self.setting.metrics.items():
            bound = {} if metric.at_most is None else {"at most": to_text(self.term(metric.at_most))}
            read = metric.distance.input
            if read is None or read.part not in self.told:
                entry = metric.distance.told(self.term)
            else:  # a distance that cannot be told is one of which nothing is known
                told = self.told[read.part]
                data = told.inputs.get(name)
                entry = (
                    {}
                    if data is None
                    else {"part": read.part, "input": data | self._listed(told.kind, metric)}
                )
            yield self.mark(name), entry | bound

    def _listed(self, kind: Kind, metric: NamedMetric) -> dict[str, Any]:
        """What is said besides of an input on listed databases."""
        if (elements := kind.elements) is None:
            return {}
        return metric.distance.on_listed(elements, kind.setting.databases.size, self.term)

    # mechanisms

    def about(self, mechanism: Mechanism, said: Guarantee, *others: Mechanism) -> dict[str, Any]:
        stated = said.in_metric
        besides = {key: to_text(self.term(value)) for key, value in stated.besides}
        return {"metric": {"formula": to_text(self.term(stated.formula)), "besides": besides}}

    def _named(self, mechanism: Mechanism) -> str:
        """The metric of a mechanism that is given by a table, or noise."""
        (name,) = self.setting.metrics.keys() & mechanism.satisfies.in_metric.formula.letters
        return name

    def noise(self, mechanism: Mechanism, reads: Map) -> dict[str, Any]:
        """The noise, and the metric in which what it is added to moves."""
        assert mechanism.noise is not None
        data: dict[str, Any] = mechanism.noise.told
        if mechanism.entries is not None:
            data["entries"] = [to_text(self.term(x)) for x in mechanism.entries.of("D")]
        elif mechanism.query is not None:
            data["query"] = {"page": mechanism.query.page, "values": {}}
        return {"noise": data, "metric": {"formula": self.mark(self._named(mechanism)), "besides": {}}}

    def table(self, mechanism: Mechanism, inputs: bool) -> dict[str, Any]:
        metric = self.setting.metrics[self._named(mechanism)]  # lost_by_M, which is that table
        assert metric.distance.input is not None
        table: dict[str, Any] = self._listed(self.told[metric.distance.input.part].kind, metric)["table"]
        return table


def _factored(term: Term) -> Term | None:
    """A sum over all members with what is the same for all of them before it."""
    if term.kind != "over" or term.of[0] != term.of[2]:
        return None
    factors = term.of[1].factors
    alike = [factor for factor in factors if not any(map(terms.moves, factor.letters))]
    member = terms.multiply([factor for factor in factors if factor not in alike])
    return terms.multiply([*alike, terms.over(term.of[0], member, term.of[2])])
