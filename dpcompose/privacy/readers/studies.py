"""What problem files compose, and the studies in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from dpcompose.kernel.expressions import terms
from dpcompose.privacy.format.checks import Mistakes, Place, near, shown
from dpcompose.privacy.format.database_tables import PointsTable, ProductTable
from dpcompose.privacy.format.schema import FOR_NEIGHBOURS, MechanismTable, Notions, StudyTable
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.readers.any_two import AnyTwo
from dpcompose.privacy.readers.claims import Claims
from dpcompose.privacy.readers.distances import Distances
from dpcompose.privacy.readers.mechanisms import Mechanisms, Showing
from dpcompose.privacy.readers.names import Names
from dpcompose.privacy.readers.outside import Outside, unlike
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.built_in import all_pairs
from dpcompose.spaces.moves.granularities import Granularity

MOST_IN_METRICS = 200
"""How many mechanisms there are at most beside claims in metrics."""
OF_A_CLASS = ("databases", "granularities", "maps", "partitions", "tables", "metrics")
"""The keys that are about a class of databases, and what is on it."""


class Study:
    """What a problem file, or a study in one, composes.

    given -- its table; mistakes -- where they are told, and what users added; keys -- the parameters of each
    notion; show -- finds the guarantees of studies; notions -- those that are claimed; index -- that of the
    family that a study is read for; inherits -- whether this is a study, of which is assumed what is assumed
    of the whole; pairs -- whether what is lost is asked of all pairs of databases, and not of neighbours.
    """

    def __init__(
        self,
        given: StudyTable,
        mistakes: Mistakes,
        keys: Notions,
        show: Showing | None = None,
        notions: Sequence[str] = (),
        index: str | None = None,
        inherits: bool = False,
        pairs: bool = False,
    ) -> None:
        self.given, self.mistakes, self.keys, self.show = given, mistakes, keys, show
        self.notions, self.index, self.pairs, self.adaptive = notions, index, pairs, given.adaptive
        self.names = Names(given.parameters, given.assume, mistakes, pairs, inherits)

    @cached_property
    def distances(self) -> Distances | None:
        """The databases, and the metrics on them; None where there are none, which is told."""
        given, wrong = self.given, self.mistakes.wrong
        if not self.pairs:
            if isinstance(given.databases, PointsTable | ProductTable):
                wrong(("databases",), "points and products have metrics, and no neighbours as a whole")
                return None
            if given.target is None or given.target.granularity is None:
                self.mistakes.missing(("target",) if given.target is None else ("target", "granularity"))
            elif given.target.of is not None:
                wrong(("target", "of"), "this is no product, and has no parts of which neighbours are meant")
        elif (where := given.for_neighbours) is not None:
            wrong(where, FOR_NEIGHBOURS.format(where[-1]))
            return None
        elif len(given.mechanisms) > MOST_IN_METRICS:
            said = f"with metrics there are at most {MOST_IN_METRICS} mechanisms, not {len(given.mechanisms)}"
            wrong(("mechanisms",), said)
        distances = Distances(given, self.names)
        if self.pairs:
            distances.read_all()
        return None if distances.databases is None else distances

    @cached_property
    def _target(self) -> Granularity | None:
        """The neighbours that it is about; None where it is about all pairs, or where they are told."""
        given, distances = self.given.target, self.distances
        if self.pairs or given is None or given.granularity is None or distances is None:
            return None
        return distances.granularity(given.granularity, ("target", "granularity"))

    @cached_property
    def _reader(self) -> Mechanisms:
        assert self.distances is not None
        any_two = AnyTwo(self.distances) if self.pairs else None
        return Mechanisms(
            self.distances,
            self.keys,
            any_two,
            self._target,
            self._study,
            self.show,
            self.notions,
            self.index,
        )

    def mechanisms(self) -> list[Mechanism]:
        """Its mechanisms; at all pairs those of studies in it one by one."""
        mechanisms: list[Mechanism | None] = []
        for i, mechanism in enumerate(self.given.mechanisms):
            apart = self.pairs and mechanism.study is not None
            mechanisms += self._one_by_one(i, mechanism) if apart else [self._reader.mechanism(i, mechanism)]
        return [mechanism for mechanism in mechanisms if mechanism is not None]

    def setting(self, data: Mapping[str, Any] | None = None) -> Setting | None:
        """The setting; None where there is none, which is told.

        data -- of a problem at all pairs, which is written back as it stands.
        """
        given, distances = self.given, self.distances
        if distances is None:
            return None
        target = self._target
        mechanisms = self.mechanisms()
        near = self.claims.near if self.pairs and self.claims.target is not None else None
        assume = self.names.assumed({x: n for mechanism in mechanisms for x, n in mechanism.counts.items()})
        if self.mistakes.all or (target is None and not self.pairs):
            return None
        assert distances.databases is not None
        if target is not None and target.times is not None and distances.databases.sizes.n is None:
            steps = (one.satisfies.granularity for one in mechanisms if one.satisfies.granularity is not None)
            groups = sorted({one.innermost()[1] for one in steps if one.times is None} - {1})
            assume = self.names.groups(target.times, groups, assume)
        metrics = {name: metric.data() for name, metric in given.metrics.items()}
        with self.mistakes.telling(("mechanisms",)):
            made = Setting(
                distances.databases,
                target or all_pairs,
                tuple(mechanisms),
                MappingProxyType(self.names.domains),
                given.title,
                MappingProxyType(self.names.numbers),
                tuple(self.names.doubts),
                self.adaptive,
                assume,
                data=data or ({"metrics": metrics} if metrics else {}),
                metrics=MappingProxyType(self.names.metrics if self.pairs else {}),
                near=near,
            )
            return made if self.pairs else made.in_one_notion(self.notions)
        return None

    @cached_property
    def claims(self) -> Claims:
        """What reads claims, once the mechanisms are read; the databases are known."""
        assert self.distances is not None
        return Claims(self.given, self.distances, self.keys, self.pairs)

    # studies

    def _study(self, name: str, index: str | None, notions: Sequence[str], path: Place) -> Setting | None:
        """What a study composes; its parameters are also those of what it is part of."""
        given = study_of(self.given, name, path, self.mistakes)
        if given is None:
            return None
        if given.databases is None:
            if twice := [key for key in OF_A_CLASS[1:] if getattr(given, key)]:
                said = "a study without databases has those of the file"
                self.mistakes.wrong(("studies", name, twice[0]), said)
                return None
            given = given.with_(**{key: getattr(self.given, key) for key in OF_A_CLASS})
        mistakes = Mistakes(self.keys, self.mistakes.own)
        reader = Study(given, mistakes, self.keys, self.show, notions, index, inherits=True)
        setting = reader.setting()
        self._tell(mistakes, name)
        used = set(reader.names.domains) if setting is None else setting.used
        for parameter in sorted(used - set(self.names.domains)):
            with self.mistakes.telling():
                self.names.adopt(parameter, reader.names.domains[parameter], (*path, "study"))
        if setting is None:
            return None
        own = {domain: setting.domains[domain] for domain in setting.domains if domain in setting.used}
        return replace(setting, domains=MappingProxyType(own))

    def _tell(self, inner: Mistakes, name: str) -> None:
        """Tells the mistakes in a study."""
        self.mistakes.all += [
            replace(mistake, path=("studies", name, *mistake.path)) for mistake in inner.all
        ]

    def _one_by_one(self, i: int, given: MechanismTable) -> list[Mechanism | None]:
        """The mechanisms of a study, each on what the study reads."""
        path, name = ("mechanisms", i), str(given.study)
        many = self._reader.members(given, path)
        study = study_of(self.given, name, path, self.mistakes)
        if given.guarantee is not None:
            self.mistakes.wrong(path, "a study has its own mechanisms: leave out guarantee")
        if "." in name:
            self.mistakes.wrong((*path, "study"), f"{shown(name)} is no name of a study: leave out the dot")
        part = self._reader.values_read(given, path)
        reads = self._reader.reads(given, path, part)
        if study is None or "." in name or reads is None or part is None:
            return []
        inner = self._inner(study, part, reads, ("studies", name))
        if inner is None or self.distances is None:
            return []
        mechanisms = [] if inner.distances is None else inner.mechanisms()
        self._tell(inner.mistakes, name)
        self._take_parameters(inner.names, (*path, "study"))
        if inner.mistakes.all or inner.distances is None:
            return []
        self.adaptive |= inner.adaptive
        if not reads.is_everything and unlike(
            inner.distances.alone, image := reads.image(self.distances.whole)
        ):
            said = f"a study on {inner.distances.databases} reads {reads.written('D')}: {image}"
            self.mistakes.wrong((*path, "study"), f"{said}; a study is about the databases that are read")
            return []
        shared = inner.given.metrics.keys() - self.given.studies[name].metrics.keys()
        outside = Outside(name, part, reads, inner.distances, self.distances, shared)
        if many is not None and any(mechanism.members is not None for mechanism in mechanisms):
            said = f"{given.name} is a family of studies that hold families; write one of them out"
            self.mistakes.wrong(path, said)
        done = given.post_processing or ""
        with self.mistakes.telling((*path, "study")):
            return [outside.mechanism(given.name, mechanism, many, done) for mechanism in mechanisms]
        return []

    def _take_parameters(self, inner: Names, path: Place) -> None:
        """The parameters of a study are also those of what it is part of."""
        known = self.names
        for name, domain in inner.domains.items():
            if known.domains.setdefault(name, domain) != domain:
                said = f"{name} is {known.domains[name]} here, and {domain} in the study"
                self.mistakes.wrong(path, f"{said}; one name is one parameter")
            known.symbols.setdefault(name, terms.letter(name, domain))
            known.taken.setdefault(name, "a parameter")

    def _inner(self, study: StudyTable, part: str, reads: Map, path: Place) -> Study | None:
        """The reader of a study: without databases of its own it is about those that it reads."""
        outer, databases = self.given, self.given.databases
        parts: Mapping[str, Any] = databases.parts if isinstance(databases, ProductTable) else {}
        if study.databases is not None and reads.is_everything:
            said = "a study that reads everything, or a part, is about that: leave out"
            self.mistakes.wrong((*path, "databases"), said)
            return None
        if study.databases is None and not reads.is_everything:
            assert self.distances is not None
            there = reads.image(self.distances.whole)
            self.mistakes.wrong(path, f"say which databases the study is about: {there}")
            return None
        if part and part not in parts:
            self.mistakes.wrong(path, f"there is no part {shown(part)} that it reads{near(part, parts)}")
            return None
        if part:
            study = study.with_(databases=parts[part])
        elif study.databases is None:
            alike = {key: {**getattr(outer, key), **getattr(study, key)} for key in OF_A_CLASS[1:]}
            study = study.with_(databases=databases, **alike)
        return Study(study, Mistakes(self.keys, self.mistakes.own), self.keys, pairs=True)


def study_of(outside: StudyTable, name: str, path: Place, mistakes: Mistakes) -> StudyTable | None:
    """The table of a study in another one, with the parameters of both; None where there is none.

    path -- that of the mechanism that is this study.
    """
    if name not in outside.studies:
        mistakes.wrong((*path, "study"), f"there is no study {shown(name)}{near(name, outside.studies)}")
        return None
    given = outside.studies[name]
    if given.assume:
        mistakes.wrong(("studies", name, "assume"), "relations between parameters stand at the top of a file")
    for letter in sorted(set(given.parameters) & set(outside.parameters)):
        if given.parameters[letter] != outside.parameters[letter]:
            said = f"{letter} is {outside.parameters[letter]} outside of the study; one name is one parameter"
            mistakes.wrong(("studies", name, "parameters", letter), said)
    parameters = {**outside.parameters, **given.parameters}
    return given.with_(parameters=parameters, assume=list(outside.assume))
