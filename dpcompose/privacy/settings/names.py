"""Whether what is stated names records of the class, and each name means one thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dpcompose.kernel.library.fields import near
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from dpcompose.privacy.settings import Setting


TWO_NAMED = "two different {} are called {!r}; give one another name, a networkx graph as Graph(name=...)"


def check_names(setting: Setting, stated: Sequence[Granularity]) -> None:
    """Policies are about records of the class; where queries look at attributes, they say too little."""
    for name, inner in setting.studies.items():
        named = [granularity for granularity in stated if granularity.partial] if inner.attributes else []
        if named:
            raise InvalidSetting(
                f"{name} looks at an attribute of the records, of which {named[0]} neighbours say nothing"
            )
    if not setting.databases.of_records or setting.databases.arbitrary:
        return
    if setting.databases.unlimited:
        _check_unnamed(setting, stated)
    for granularity, records in _about(setting):
        if unknown := sorted(granularity.names - records):
            there = near(unknown[0], records)
            raise InvalidSetting(
                f"{granularity} is about {unknown[0]!r}, which is no record of the class{there}"
            )


def _about(setting: Setting) -> Iterator[tuple[Granularity, set[str]]]:
    """What is stated, with the records that it may name: of recoded ones what they become as well."""
    known = set(setting.databases.records)
    yield setting.target, known
    for mechanism in setting.mechanisms:
        if (stated := mechanism.satisfies.granularity) is not None:
            own = mechanism.reads.recodes and mechanism.satisfies.domain == "own"
            further = {str(x) for x in mechanism.reads.names} if own else set()
            yield stated, known | further


def _check_unnamed(setting: Setting, stated: Sequence[Granularity]) -> None:
    """Where attributes have any values, records are told by these and have no names of their own."""
    named = [str(granularity) for granularity in stated if granularity.names]
    maps = {m.name: m.reads for m in setting.mechanisms if m.reads.restricts}
    named += [name for name, f in maps.items() if any(isinstance(name, str) for name in f.names)]
    if named:
        raise InvalidSetting(
            f"{named[0]} names records, and {setting.databases} have any number of them: say which by their "
            'attributes, reads = { where = { county = ["north"] } } or replace = { keeps = ["county"] }'
        )


def one_meaning(what: str, named: Iterable[tuple[str, object]]) -> None:
    """Raises InvalidSetting where two different values have one name."""
    meanings: dict[str, object] = {}
    for name, value in named:
        if meanings.setdefault(name, value) != value:
            raise InvalidSetting(TWO_NAMED.format(what, name))
