"""What problem files compose, and the studies in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from dpcompose.privacy.checks import Found, Path_, near, shown
from dpcompose.privacy.database_tables import DatabasesTable
from dpcompose.privacy.readers.claims import Claim, claim_of, in_steps
from dpcompose.privacy.readers.mechanisms import Mechanisms, Showing
from dpcompose.privacy.readers.parameters import Parameters
from dpcompose.privacy.readers.space import Space
from dpcompose.privacy.schema import ClaimTable, Notions, StudyTable
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting


class Study:
    """What a problem file, or a study in one, composes.

    given -- its table; found -- what users added, and where mistakes are told; keys -- the parameters of each
    notion; show -- finds the guarantees of studies; notions -- those that are claimed; index -- that of the
    family that a study is read for; inherits -- whether this is a study, of which is assumed what is assumed
    of the whole.
    """

    def __init__(
        self,
        given: StudyTable,
        found: Found,
        keys: Notions,
        show: Showing | None,
        notions: Sequence[str],
        index: str | None = None,
        inherits: bool = False,
    ) -> None:
        self.given, self.found, self.keys, self.show = given, found, keys, show
        self.notions, self.index = notions, index
        self.parameters = Parameters(given.parameters, given.assume, found, inherits)
        self.space: Space | None = None

    def setting(self) -> Setting | None:
        """The setting; None where there is none, which is told."""
        given, parameters, found = self.given, self.parameters, self.found
        parameters.read()
        assert isinstance(given.databases, DatabasesTable)
        assert given.target is not None and given.target.granularity is not None
        space = Space(given.databases, given.granularities, given.maps, given.partitions, parameters, found)
        if space.databases is None:
            return None
        self.space = space
        target = space.granularity(given.target.granularity, ("target", "granularity"))
        reader = Mechanisms(space, given, self.keys, self._study, self.show, self.notions, self.index)
        mechanisms = [reader.mechanism(i, one) for i, one in enumerate(given.mechanisms)]
        assume = parameters.assumed({x: n for one in mechanisms if one for x, n in one.counts.items()})
        if found.mistakes or target is None:
            return None
        metrics = {name: one.data() for name, one in given.metrics.items()}
        try:
            return Setting(
                space.databases,
                target,
                tuple(one for one in mechanisms if one is not None),
                MappingProxyType(parameters.domains),
                given.title,
                MappingProxyType(parameters.numbers),
                tuple(parameters.doubts),
                given.adaptive,
                assume,
                data={"metrics": metrics} if metrics else {},
            ).in_one_notion(self.notions)
        except InvalidSetting as error:
            found.wrong(("mechanisms",), error)
            return None

    @property
    def is_placed(self) -> bool:
        """Whether the databases are known."""
        return self.space is not None

    def claim(self, i: int, given: ClaimTable) -> Claim | None:
        """The claim of a number, from 0, once the setting was read; None where it is none, which is told."""
        if given.metric is None:
            return claim_of(i, given, self.keys, self.parameters, self.found)
        return in_steps(i, given, self.given, self.parameters, self.found)

    def _study(self, name: str, index: str | None, notions: Sequence[str], path: Path_) -> Setting | None:
        """What a study composes; its parameters are also those of what it is part of."""
        given, outside = study_of(self.given, name, path, self.found), self.given
        if given is None:
            return None
        if given.databases is None:
            alike = ("databases", "granularities", "maps", "partitions", "tables", "metrics")
            if twice := [key for key in alike[1:] if getattr(given, key)]:
                self.found.wrong(
                    ("studies", name, twice[0]), "a study without databases has those of the file"
                )
                return None
            given = given.with_(**{key: getattr(outside, key) for key in alike})
        reader = Study(
            given,
            Found(self.keys, self.found.own),
            self.keys,
            self.show,
            notions,
            index,
            inherits=True,
        )
        setting = reader.setting()
        for mistake in reader.found.mistakes:
            self.found.wrong(("studies", name, *mistake.path), mistake.message)
        used = set(reader.parameters.domains) if setting is None else setting.used
        for one in sorted(used - set(self.parameters.domains)):
            self.parameters.adopt(one, reader.parameters.domains[one], (*path, "study"))
        if setting is None:
            return None
        own = {one: setting.domains[one] for one in setting.domains if one in setting.used}
        return replace(setting, domains=MappingProxyType(own))


def study_of(outside: StudyTable, name: str, path: Path_, found: Found) -> StudyTable | None:
    """The table of a study in another one, with the parameters of both; None where there is none.

    path -- that of the mechanism that is this study.
    """
    if name not in outside.studies:
        found.wrong((*path, "study"), f"there is no study {shown(name)}{near(name, outside.studies)}")
        return None
    given = outside.studies[name]
    if given.assume:
        found.wrong(("studies", name, "assume"), "relations between parameters stand at the top of a file")
    for one in sorted(set(given.parameters) & set(outside.parameters)):
        if given.parameters[one] != outside.parameters[one]:
            said = f"{one} is {outside.parameters[one]} outside of the study; one name is one parameter"
            found.wrong(("studies", name, "parameters", one), said)
    parameters = {**outside.parameters, **given.parameters}
    return given.with_(parameters=parameters, assume=list(outside.assume))
