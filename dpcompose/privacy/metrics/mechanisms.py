"""The mechanisms of a problem about metrics: their guarantees, noise, tables, and studies of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.formulas import is_whole
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.checks import Found, Path_, near, shown
from dpcompose.privacy.database_tables import ProductTable
from dpcompose.privacy.distances import Metric
from dpcompose.privacy.mechanisms import Mechanism, private
from dpcompose.privacy.metrics.guarantees import Guarantees
from dpcompose.privacy.metrics.studies import Outside, unlike
from dpcompose.privacy.metrics.tables import lost
from dpcompose.privacy.noises import Noise
from dpcompose.privacy.notions import Guarantee, at_any_two
from dpcompose.privacy.readers.distances import Distances
from dpcompose.privacy.readers.given import members_of, noise_of, rows_of
from dpcompose.privacy.readers.names import Names
from dpcompose.privacy.readers.studies import study_of
from dpcompose.privacy.schema import GuaranteeTable, MechanismTable, StudyTable
from dpcompose.spaces.canonical.compared import Counted
from dpcompose.spaces.canonical.named import NotOutside
from dpcompose.spaces.canonical.points import Values, gone_through
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import count


class Mechanisms:
    """The mechanisms of a problem, or of a study in one.

    given -- its table; distances -- the databases, and metrics on them; names -- what is in scope;
    adaptive -- whether they may read the outputs of earlier ones.
    """

    def __init__(self, given: StudyTable, distances: Distances) -> None:
        self.given, self.distances, self.names = given, distances, distances.names
        self.wrong, self.formula = self.names.found.wrong, self.names.formula
        self.guarantees = Guarantees(distances)
        self.adaptive = given.adaptive

    @classmethod
    def of(cls, given: StudyTable, found: Found) -> Mechanisms:
        """The reader of a problem, or of a study in one, with parameters and metrics of its own."""
        return cls(given, Distances(given, Names(given.parameters, given.assume, found)))

    def mechanisms(self) -> list[Mechanism]:
        """Those of the file, of studies in it one by one."""
        every = enumerate(self.given.mechanisms)
        return [one for i, given in every for one in self._mechanisms(i, given)]

    def _mechanisms(self, i: int, given: MechanismTable) -> list[Mechanism]:
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

    def _of_study(self, given: MechanismTable, name: str, path: Path_) -> list[Mechanism]:
        """The mechanisms of a study, each on what the study reads."""
        study = study_of(self.given, name, path, self.names.found)
        if study is None:
            return []
        if "." in name:
            self.wrong((*path, "study"), f"{shown(name)} is no name of a study: leave out the dot")
            return []
        part, reads = given.name_read, self._map_read(given, path)
        if reads is None:
            return []
        inner = self._inner(study, part, reads, ("studies", name))
        if inner is None:
            return []
        whole, inside, mistakes = self.distances, inner.distances, inner.names.found.mistakes
        some = inner.mechanisms() if inside.databases is not None else []
        self.names.found.mistakes += [replace(one, path=("studies", name, *one.path)) for one in mistakes]
        self._take_parameters(inner.names, (*path, "study"))
        if mistakes or inside.databases is None or whole.databases is None:
            return []
        self.adaptive |= inner.adaptive
        if reads != everything and unlike(inside.alone, image := reads.image(whole.whole)):
            said = f"a study on {inside.databases} reads {reads.written('D')}: {image}"
            self.wrong((*path, "study"), f"{said}; a study is about the databases that are read")
            return []
        shared = inner.given.metrics.keys() - self.given.studies[name].metrics.keys()
        outside = Outside(name, part, reads, inside, whole, shared)
        try:
            return [outside.mechanism(given.name, one) for one in some]
        except NotOutside as error:
            self.wrong((*path, "study"), error)
            return []

    def _take_parameters(self, inner: Names, path: Path_) -> None:
        """The parameters of a study are also those of what it is part of."""
        known = self.names
        for one, domain in inner.domains.items():
            if known.domains.setdefault(one, domain) != domain:
                said = f"{one} is {known.domains[one]} here, and {domain} in the study"
                self.wrong(path, f"{said}; one name is one parameter")
            known.symbols.setdefault(one, terms.letter(one, domain))
            self.names.taken.setdefault(one, "a parameter")

    def _inner(self, study: StudyTable, part: str, reads: Map, path: Path_) -> Mechanisms | None:
        """The reader of a study: without databases of its own it is about those that it reads."""
        outer = self.given
        if study.databases is not None and reads == everything:
            self.wrong(
                (*path, "databases"), "a study that reads everything, or a part, is about that: leave out"
            )
            return None
        if study.databases is None and reads != everything:
            self.wrong(path, f"say which databases the study is about: {reads.image(self.distances.whole)}")
            return None
        if part and (not isinstance(outer.databases, ProductTable) or part not in outer.databases.parts):
            parts = outer.databases.parts if isinstance(outer.databases, ProductTable) else ()
            self.wrong(path, f"there is no part {shown(part)} that it reads{near(part, parts)}")
            return None
        if part:
            assert isinstance(outer.databases, ProductTable)
            study = study.with_(databases=outer.databases.parts[part])
        elif study.databases is None:
            keys = ("granularities", "maps", "metrics", "tables")
            alike = {key: {**getattr(outer, key), **getattr(study, key)} for key in keys}
            study = study.with_(databases=outer.databases, **alike)
        return Mechanisms.of(study, Found())

    def _mechanism(self, given: MechanismTable, path: Path_) -> Mechanism | None:
        if given.map_read is not None and given.map_read.map in self.distances.values:
            given = given.with_(reads=given.map_read.map)  # of points by its name alone
        if given.table is not None:
            return self._tabulated(given, given.table, path)
        if given.satisfies is not None:
            return self._with_several(given, given.satisfies, path)
        stated = given.guarantee or given.filter
        return self._with_noise(given, path) if stated is None else self._stated(given, stated, path)

    def _with_several(
        self, given: MechanismTable, several: Sequence[GuaranteeTable], path: Path_
    ) -> Mechanism | None:
        """A mechanism with several guarantees: of those of one notion, without a delta, the least at each two
        databases, and the others beside it."""
        reads = self._reads(given, path)
        every = [
            self.guarantees.of(given, one, reads, (*path, "satisfies", n)) for n, one in enumerate(several)
        ]
        found = [one for one in every if one is not None]
        if len(found) < len(every):
            return None
        alike: dict[object, list[Guarantee]] = {}
        for n, one in enumerate(found):
            alike.setdefault(n if one.in_metric.besides else one.notion, []).append(one)
        first, *others = (_least(some) for some in alike.values())
        return Mechanism(given.name, everything, first, also=tuple(others))

    def _count(self, given: MechanismTable, path: Path_) -> Term | None:
        """How many mechanisms a family has; None for a single one."""
        found = members_of(given, self.names, self.names.taken, path)
        if found is not None and not (is_whole(found) and self.names.never_negative(found - 1)):
            self.wrong((*path, "count"), f"{given.count} is not known to be a whole number from 1 on")
        return found

    def _tabulated(self, given: MechanismTable, name: str, path: Path_) -> Mechanism | None:
        """A mechanism that is a table of probabilities: what it loses, at most what its guarantee says."""
        part = self.distances.alone
        stated = None if given.guarantee is None else self._stated(given, given.guarantee, path)
        reads, names = self._reads(given, path), self.names
        if stated is not None and stated.satisfies.notion != "pure":
            self.wrong((*path, "guarantee"), "of a table of probabilities pure privacy is checked here")
            return None
        every = gone_through(part) if part is not None and part.is_listed else None
        rows = rows_of(name, self.given.tables, every is not None, self._probability, names.found, path)
        if rows is None or reads is None or (stated is None) != (given.guarantee is None):
            return None
        assert every is not None
        outcomes = self.given.tables[name].outcomes
        try:
            found, told = lost(name, rows, outcomes, names.domains, names.is_positive, every, reads)
        except ValueError as error:
            self.wrong(("tables", name), error)
            return None
        bound = None if stated is None else stated.satisfies.in_metric.formula
        letter = self.distances.named(f"lost_by_{given.name}", found, given.name, bound)
        return private(
            given.name, "pure", Metric(letter, words=f"the probabilities of the table {name}"), table=told
        )

    def _probability(self, text: str, key: str, path: Path_) -> Term | None:
        return self.formula(text, path)

    def _stated(self, given: MechanismTable, stated: GuaranteeTable, path: Path_) -> Mechanism | None:
        key, filtered = "guarantee" if given.filter is None else "filter", given.filter is not None
        found = self.guarantees.of(given, stated, self._reads(given, path), (*path, key))
        return None if found is None else Mechanism(given.name, everything, found, filtered=filtered)

    def _reads(self, given: MechanismTable, path: Path_) -> Map | None:
        """What a mechanism with a guarantee reads."""
        if given.name_read not in ("", *self.distances.values):
            names = [name for name in self.distances.values if name]
            self.wrong(
                (*path, "reads"), f"there is no map {shown(given.name_read)}{near(given.name_read, names)}"
            )
            return None
        return self._map_read(given, path)

    def _map_read(self, given: MechanismTable, path: Path_) -> Map | None:
        """The map that is read, where it is none of points, and no part."""
        if given.map_read is None:
            return everything
        return self.distances.reading(given.map_read, (*path, "reads"))

    def _with_noise(self, given: MechanismTable, path: Path_) -> Mechanism | None:
        assert given.noise is not None

        def read(text: str, key: str, at: Path_) -> Term | None:
            return self.formula(text, at, key=key, index=given.index)

        noise = noise_of(given.noise, read, self.names, path)
        if noise is None:
            return None
        own = noise.guarantee()
        norm = (
            {"plane": "L2"}.get(noise.kind.takes, {"pure": "L1", "gaussian": "L2"}.get(own.notion))
            if own
            else None
        )
        if norm is None or own is None or noise.kind.takes not in ("real", "vector", "integer", "plane"):
            self.wrong(
                (*path, "noise"),
                f"{noise.word} gives no metric in which points are private; laplace noise does",
            )
            return None
        if given.query is not None:
            found = self._moved(given, path)
            return None if found is None else self._noisy(given.name, noise, found, None)
        of = self._numbers_read(given, noise, path)
        if of is None:
            return None
        found = self.distances.norm(norm, of, path)
        return None if found is None else self._noisy(given.name, noise, found, of)

    def _numbers_read(self, given: MechanismTable, noise: Noise, path: Path_) -> Values | None:
        """The numbers to which noise is added."""
        of = self.distances.values.get(given.name_read) if given.map_read is None else None
        if of is None or of.formulas is None:
            names = [name for name, one in self.distances.values.items() if name and one.formulas is not None]
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

    def _moved(self, given: MechanismTable, path: Path_) -> Term | None:
        """How far the number of records moves that are read."""
        part, reads = given.name_read, self._map_read(given, path)
        if reads is None:
            return None
        parts = dict(self.distances.databases.parts if self.distances.databases else ())
        if part not in parts or not parts[part].queried:
            names = [name for name in parts if name]
            self.wrong((*path, "reads"), f"a count is of records: {shown(part)} has none{near(part, names)}")
            return None
        return self.distances.named(f"count_{part}" if part else "count", Counted(part, reads), given.name)

    def _noisy(self, name: str, noise: Noise, moved: Term, of: Values | None) -> Mechanism:
        own = noise.guarantee()
        assert own is not None
        ((_, one),) = own.terms
        query = count if of is None else None
        return private(name, own.notion, Metric(one * moved), noise=noise, entries=of, query=query)


def _least(some: Sequence[Guarantee]) -> Guarantee:
    """The guarantee of some of one notion, without a delta: the least at each two databases."""
    if len(some) == 1:
        return some[0]
    return at_any_two(some[0].notion, Metric(terms.least(*(one.in_metric.formula for one in some))))
