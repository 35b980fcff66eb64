"""Guarantees in metrics that problem files state: formulas in canonical distances, tables, and each other.

In formulas `d_unbounded`, `d_bounded`, `d_NAME` are the canonical metrics of granularities on what the
mechanism reads, on the domain of its guarantee; all other metrics have names of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dpcompose.kernel.deciders import values
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import metrics, naming, terms
from dpcompose.kernel.expressions.domains import POSITIVE
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.language import formulas
from dpcompose.privacy import fibres
from dpcompose.privacy.checks import Path_, near
from dpcompose.privacy.distances import Metric
from dpcompose.privacy.input_tables import ReadsTable
from dpcompose.privacy.metric_tables import CANONICAL, MetricTable, canonical_names
from dpcompose.privacy.notions import Guarantee, at_any_two
from dpcompose.privacy.readers.lengths import tabled
from dpcompose.privacy.readers.space import Space
from dpcompose.privacy.schema import GuaranteeTable, Notions
from dpcompose.privacy.settings.reads import DOMAIN_NEEDED
from dpcompose.spaces.canonical.compared import Steps, Tabled
from dpcompose.spaces.canonical.named import Distance, NamedMetric
from dpcompose.spaces.inputs.maps import Map, everything


class NoDistance(ValueError):
    """What a guarantee is stated in is no formula in distances of its input; the message says why."""


@dataclass
class _Used:
    """What one guarantee is stated in so far: distances by letters, and whether bounds stand for some."""

    reads: Map
    domain: str
    index: str | None
    distances: dict[str, NamedMetric] = field(default_factory=dict)
    bounded: bool = False

    def letter(self, metric: NamedMetric) -> Term:
        """The letter of a distance, from here on among those that are used."""
        found = metrics.letter(naming.of_distance(metric.name))
        self.distances[found.of[0]] = replace(metric, name=found.of[0])
        return found


class Distances:
    """Reads the metrics of guarantees.

    space -- where they are; tables -- the named metrics of the file; keys -- the parameters of each notion.
    """

    def __init__(self, space: Space, tables: Mapping[str, MetricTable], keys: Notions) -> None:
        self.space, self.tables, self.keys = space, tables, keys
        self.parameters, self.found = space.parameters, space.found
        self._read: dict[str, Tabled | None] = {}
        self.canonical = canonical_names(space.granularities)

    def guarantee(
        self, given: GuaranteeTable, reads: Map, path: Path_, index: str | None
    ) -> Guarantee | None:
        """A guarantee in a metric; None where it is none, which is told."""
        if not reads.is_everything and given.domain is None:
            self.found.wrong((*path, "domain"), DOMAIN_NEEDED)
            return None
        wanted = self.keys[given.notion]
        if len([key for key in wanted if key != "delta"]) != 1:
            self.found.wrong((*path, "metric"), f"privacy in a metric is not known of {given.notion}")
            return None
        used = _Used(reads, given.domain or "own", index)
        assert given.metric is not None
        texts = {"metric": given.metric} | ({} if given.delta is None else {"delta": given.delta})
        read: dict[str, Term] = {}
        for key, text in texts.items():
            try:
                read[key] = self._stated(text, key, (*path, key), used)
                if metrics.at(read[key], {}) != ZERO:
                    raise NoDistance(
                        f"{text} is not 0 where D = E; what names no metric is a parameter{self._near(text)}"
                    )
            except (NoDistance, formulas.FormulaError, terms.TermError) as error:
                if str(error):
                    self.found.wrong((*path, key), error)
                return None
        if used.domain == "common" and not reads.is_everything and not _is_multiple(read):
            try:
                used = _Used(reads, "common", index)
                read = self._at_the_nearest(texts, path, used)
            except (NoDistance, formulas.FormulaError, terms.TermError) as error:
                key = "delta" if read.get("delta", ZERO) != ZERO else "metric"
                if str(error):
                    self.found.wrong((*path, key), error)
                return None
        besides = tuple((key, value) for key, value in read.items() if key != "metric")
        said = tuple(texts.items())
        metric = Metric(read["metric"], tuple(used.distances.values()), besides, used.bounded, said)
        return at_any_two(given.notion, metric, given.domain)

    def _near(self, text: str) -> str:
        """What a parameter that is called like a canonical metric may have been meant to be."""
        known = {*self.tables, *self.canonical}
        return next(
            (
                near(one, known)
                for one in formulas.names(text)
                if one not in known and one.startswith(CANONICAL)
            ),
            "",
        )

    def _at_the_nearest(self, texts: Mapping[str, str], path: Path_, used: _Used) -> dict[str, Term]:
        """On the common domain formulas that are no multiple of one distance: of one on a listed class, and a
        delta in at most one more, at the nearest databases with the same values of the map.

        Raises NoDistance where they are others.
        """
        databases = self.space.databases
        known = {*self.tables, *self.canonical} - {*self.parameters.symbols}
        (metric, *others) = ([one for one in formulas.names(text) if one in known] for text in texts.values())
        besides = [one for some in others for one in some if one not in metric]
        if len(metric) != 1 or len(besides) > 1 or databases is None or not databases.is_listed:
            raise NoDistance(fibres.ONE_DELTA if len(metric) == 1 and others else fibres.ONE_METRIC)
        whole = {name: self._whole(name, path) for name in (*metric, *besides)}
        tables = fibres.at_the_nearest(whole, databases, used.reads) or {}
        letters = {name: terms.least(*map(used.letter, some)) for name, some in tables.items()}
        symbols = {**self.parameters.symbols, **letters}
        return {key: kernel.parse(text, symbols, index=used.index) for key, text in texts.items()}

    def _whole(self, name: str, path: Path_) -> Distance:
        """A metric of whole databases of a listed class: by a table, or in steps of a granularity."""
        given = self.tables.get(name)
        if given is not None and given.table is not None and given.of is None and given.at_most is None:
            return self._table(name, given)
        word = self.canonical[name] if given is None else given.granularity
        granularity = None if word is None else self.space.granularity(word, path)
        if granularity is None or (given is not None and (given.at_most or given.of or given.reads)):
            raise NoDistance(fibres.ONE_METRIC)
        return Steps(granularity, "")

    def _stated(self, text: str, key: str, path: Path_, used: _Used) -> Term:
        """A formula in metrics and parameters; names that are neither are parameters from here on."""
        letters: dict[str, Term] = {}
        for name in formulas.names(text):
            if name in self.tables or (name in self.canonical and name not in self.parameters.symbols):
                letters[name] = self._named(name, path, used)
            elif name not in self.parameters.symbols and name != used.index:
                self.parameters.adopt(name, POSITIVE, path)
        symbols = {**self.parameters.symbols, **letters}
        value = kernel.parse(text, symbols, index=used.index)
        if doubt := values.doubt(text, symbols, used.index, self.parameters.known_so_far):
            self.parameters.doubts.append(f"{key} of mechanism {int(path[1]) + 1}: {doubt}")
        if value.has("oo"):
            raise NoDistance("oo is no metric")
        if lost := [name for name, one in letters.items() if not one.letters.keys() & value.letters.keys()]:
            raise NoDistance(f"{lost[0]} is multiplied by 0, or cancels; 0 times a distance of oo is oo")
        return value

    def _named(self, name: str, path: Path_, used: _Used) -> Term:
        """What a name of a metric means, in letters of distances."""
        if name not in self.tables:
            return self._steps(name, self.canonical[name], used.reads, used.domain, path, used)
        given = self.tables[name]
        if given.at_most is not None:
            if given.norm or given.granularity or given.formula or given.table:
                raise NoDistance(f"of {name} a bound is declared beside what it is; leave out one of them")
            used.bounded = True
            return self._stated(given.at_most, name, path, used)
        if given.formula is not None and given.letters is None:
            return self._stated(given.formula, name, path, used)
        whole = used.reads.is_everything
        if given.table is not None:
            return self._tabled(name, given, path, used)
        if given.granularity is None or given.of is not None:
            raise NoDistance(
                f"{name} is about coordinates or parts, which {self.space.databases} have none of"
            )
        if not whole and given.reads is not None:
            raise NoDistance(
                f"{name} is about other records than are read; leave out what the mechanism reads"
            )
        reads: Map | None = used.reads
        if given.reads is not None:
            reads = self.space.reads(
                ReadsTable(records=given.reads.records, positions=given.reads.positions), path
            )
        if reads is None:
            raise NoDistance(f"what {name} reads is no part of the databases")
        return self._steps(name, given.granularity, reads, used.domain if not whole else "own", path, used)

    def _steps(
        self, name: str, word: str | dict[str, Any], reads: Map, domain: str, path: Path_, used: _Used
    ) -> Term:
        """The letter of a canonical metric."""
        granularity = self.space.granularity(word, path)
        if granularity is None:
            raise NoDistance("")  # which is told
        return used.letter(NamedMetric(name, Steps(granularity, "", reads, domain)))

    def _tabled(self, name: str, given: MetricTable, path: Path_, used: _Used) -> Term:
        """The letter of a metric on a listed class, pair by pair: the shortest way along its lengths."""
        databases, reads = self.space.databases, used.reads
        if databases is None or not databases.is_listed:
            raise NoDistance(f"{name} is a table, and {databases} are not listed")
        if given.of is not None and (given.of not in self.space.maps or not reads.is_everything):
            raise NoDistance(f"{given.of} is no map of databases that are read as a whole")
        if given.of is None and not reads.is_everything and used.domain == "own":
            raise NoDistance(f"{name} is about whole databases: of what is read there are tables of a map")
        return used.letter(NamedMetric(name, replace(self._table(name, given), reads=reads)))

    def _table(self, name: str, given: MetricTable) -> Tabled:
        """A metric pair by pair, of databases or of the values of a map.

        Raises NoDistance where it is none, which is told once.
        """
        assert self.space.databases is not None
        of = everything if given.of is None else self.space.maps[given.of]
        if name not in self._read:
            some, known, path = self.space.databases.databases(), self.parameters.symbols, ("metrics", name)
            self._read[name] = tabled(given.table or [], some, of, known, self.found, path)
        if (found := self._read[name]) is None:
            raise NoDistance("")
        return found


def _is_multiple(read: Mapping[str, Term]) -> bool:
    """Whether a guarantee is a number times one distance, without a delta: so much adds up along fibres."""
    value = read["metric"]
    moving = metrics.in_letters(value.letters)
    alone = not moving or fibres.factor(value, moving) is not None
    return alone and read.get("delta", ZERO) == ZERO
