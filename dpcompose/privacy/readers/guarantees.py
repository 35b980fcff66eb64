"""Guarantees in metrics, as formulas in the distances of what one mechanism reads, on the domain stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from dpcompose.kernel.expressions import metrics, naming, substitution, terms
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.privacy import fibres
from dpcompose.privacy.checks import Path_
from dpcompose.privacy.distances import Metric
from dpcompose.privacy.notions import Guarantee, at_any_two
from dpcompose.privacy.readers.distances import Distances
from dpcompose.privacy.readers.names import Names
from dpcompose.privacy.readers.space import Space
from dpcompose.privacy.schema import GuaranteeTable, Notions, StudyTable
from dpcompose.privacy.settings.reads import DOMAIN_NEEDED
from dpcompose.spaces.canonical.named import NamedMetric
from dpcompose.spaces.inputs.maps import Map


class NoDistance(ValueError):
    """What a guarantee is stated in is no formula in distances of its input; the message says why."""


@dataclass
class _Used:
    """What one guarantee is stated in so far: distances by letters, and whether bounds stand for some."""

    reads: Map
    domain: str
    distances: dict[str, NamedMetric] = field(default_factory=dict)
    bounded: bool = False

    def letter(self, metric: NamedMetric) -> Term:
        """The letter of a distance, from here on among those that are used."""
        found = metrics.letter(naming.of_distance(metric.name))
        self.distances[found.of[0]] = replace(metric, name=found.of[0])
        return found


class InDistances:
    """Reads guarantees in metrics.

    given -- the table of the file; space -- where it is; keys -- the parameters of each notion.
    """

    def __init__(self, given: StudyTable, space: Space, keys: Notions) -> None:
        self.given, self.space, self.keys, self.wrong = given, space, keys, space.found.wrong

    @cached_property
    def distances(self) -> Distances:
        """The metrics of the file."""
        return Distances(self.given, Names.of(self.space.parameters), self.space)

    @property
    def named(self) -> Mapping[str, NamedMetric]:
        """The metrics that are named so far."""
        return self.distances.names.metrics

    def guarantee(
        self, given: GuaranteeTable, reads: Map, path: Path_, index: str | None
    ) -> Guarantee | None:
        """A guarantee in a metric; None where it is none, which is told."""
        if not reads.is_everything and given.domain is None:
            self.wrong((*path, "domain"), DOMAIN_NEEDED)
            return None
        if len([key for key in self.keys[given.notion] if key != "delta"]) != 1:
            self.wrong((*path, "metric"), f"privacy in a metric is not known of {given.notion}")
            return None
        stated = self.distances.stated(given, index, path)
        if stated is None:
            return None
        key, used = "metric", _Used(reads, given.domain or "own")
        both = {
            one: value for one, value in zip(("metric", "delta"), stated, strict=True) if value is not None
        }
        try:
            read = {one: self._plain(value, used) for one, value in both.items()}
            if used.domain == "common" and not reads.is_everything and not self._is_multiple(read):
                key = "delta" if read.get("delta", ZERO) != ZERO else "metric"
                found = self._at_the_nearest(read, used)
            else:
                found = {one: self._in_letters(value, used) for one, value in read.items()}
            for key, value in found.items():
                if metrics.at(value, {}) != ZERO:
                    said = f"{getattr(given, key)} is not 0 where D = E"
                    raise NoDistance(f"{said}; what names no metric is a parameter")
        except (NoDistance, terms.TermError) as error:
            self.wrong((*path, key), error)
            return None
        texts = tuple((key, str(getattr(given, key))) for key in found)
        besides = tuple((key, value) for key, value in found.items() if key != "metric")
        metric = Metric(found["metric"], tuple(used.distances.values()), besides, used.bounded, texts)
        return at_any_two(given.notion, metric, given.domain)

    def _used(self, value: Term) -> list[str]:
        return [name for name in value.letters if name in self.named]

    def _plain(self, value: Term, used: _Used) -> Term:
        """A formula in metrics that are made of no others, in place of a declared one its bound.

        Raises NoDistance.
        """
        put: dict[str, Term] = {}
        for name in self._used(value):
            metric = self.named[name]
            made = metric.distance.equal_to if metric.at_most is None else metric.at_most
            if metric.at_most is not None and (metric.distance.equal_to or metric.distance.input):
                raise NoDistance(f"of {name} a bound is declared beside what it is; leave out one of them")
            used.bounded |= metric.at_most is not None
            put |= {} if made is None else {name: self._plain(made, used)}
        return substitution.substituted(value, put)

    def _is_multiple(self, read: Mapping[str, Term]) -> bool:
        """Whether a guarantee is a number times one distance, without a delta: it adds up along fibres."""
        value = read["metric"]
        alone = not self._used(value) or fibres.factor(value, self.named) is not None
        return alone and read.get("delta", ZERO) == ZERO

    def _at_the_nearest(self, read: Mapping[str, Term], used: _Used) -> dict[str, Term]:
        """On the common domain formulas that are no multiple of one distance: of one on a listed class, and a
        delta in at most one more, at the nearest databases with the same values of the map.

        Raises NoDistance where they are others.
        """
        databases = self.space.databases
        metric, *others = (self._used(value) for value in read.values())
        besides = [one for some in others for one in some if one not in metric]
        if len(metric) != 1 or len(besides) > 1 or databases is None or not databases.is_listed:
            raise NoDistance(fibres.ONE_DELTA if len(metric) == 1 and others else fibres.ONE_METRIC)
        whole = {name: self.named[name].distance for name in (*metric, *besides)}
        tables = fibres.at_the_nearest(whole, databases, used.reads)
        if tables is None or used.bounded or not all(one.is_whole for one in whole.values()):
            raise NoDistance(fibres.ONE_METRIC)
        letters = {name: terms.least(*map(used.letter, some)) for name, some in tables.items()}
        return {key: substitution.substituted(value, letters) for key, value in read.items()}

    def _in_letters(self, value: Term, used: _Used) -> Term:
        """A formula in named metrics as one in letters of distances.  Raises NoDistance."""
        return substitution.substituted(value, {name: self._letter(name, used) for name in self._used(value)})

    def _letter(self, name: str, used: _Used) -> Term:
        far, whole = self.named[name].distance, used.reads.is_everything
        read = far if whole else far.of_input(used.reads, used.domain)
        if read is None or read.input is None:
            other = "coordinates or parts" if whole else "other databases than are read"
            raise NoDistance(f"{name} is about {other}")
        return used.letter(NamedMetric(name, read))
