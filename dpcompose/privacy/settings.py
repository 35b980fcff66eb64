"""Settings: mechanisms composed over one class, for one target granularity, as stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import sympy

from dpcompose.language.symbols import Domain, domain_of
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.spaces.databases import DatabaseClass, Listed, Multisets
from dpcompose.spaces.granularities import Granularity, RecordEdits
from dpcompose.spaces.maps import Everything, Function, Restriction, Table


class InvalidSetting(ValueError):
    """The parts of a setting do not fit together; the message says which and why."""


@dataclass(frozen=True)
class Setting:
    """M = (M_1∘f_1, …, M_k∘f_k), independent, over a class 𝔻, for the neighbours of the target.

    domains -- the values that each parameter may take, by name.
    """

    databases: DatabaseClass
    target: Granularity
    mechanisms: tuple[Mechanism, ...]
    domains: Mapping[str, Domain]
    title: str = ""

    def __post_init__(self) -> None:
        if not self.mechanisms:
            raise InvalidSetting("a composition needs at least one mechanism")
        names = [mechanism.name for mechanism in self.mechanisms]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InvalidSetting(f"two mechanisms are called {twice[0]!r}")
        if isinstance(self.databases, Listed) and isinstance(self.target, RecordEdits):
            raise InvalidSetting(f"the granularity {self.target} is about records; a listed class has none")
        if isinstance(self.databases, Multisets) and self.databases.arbitrary:
            object.__setattr__(self, "databases", self._with_named_records(self.databases))
        _one_meaning("granularities", [self.target, *(m.satisfies.granularity for m in self.mechanisms)])
        tables = [m.reads for m in self.mechanisms if isinstance(m.reads, Table | Function)]
        _one_meaning("maps", tables)
        for mechanism in self.mechanisms:
            self._check(mechanism)

    def _with_named_records(self, databases: Multisets) -> Multisets:
        """An arbitrary universe holds the records that mechanisms name, and others besides."""
        named = {a for m in self.mechanisms if isinstance(m.reads, Restriction) for a in m.reads.records}
        return replace(databases, records=tuple(sorted({*databases.records, *named})))

    def _check(self, mechanism: Mechanism) -> None:
        f, stated = mechanism.reads, mechanism.satisfies
        if isinstance(self.databases, Listed) and isinstance(stated.granularity, RecordEdits):
            raise InvalidSetting(
                f"{mechanism.name}: the granularity {stated.granularity} is about records; "
                "a listed class has none"
            )
        if isinstance(f, Restriction):
            if not isinstance(self.databases, Multisets):
                raise InvalidSetting(f"{mechanism.name} reads records, but {self.databases} have none")
            if not self.databases.arbitrary:
                for record in f.records:
                    if record not in self.databases.records:
                        raise InvalidSetting(
                            f"{mechanism.name} reads the record {record!r}, "
                            f"which {self.databases} do not have"
                        )
        if isinstance(f, Table | Function) and self.databases.count() is None:
            raise InvalidSetting(
                f"{mechanism.name} reads {f.written('D')}, a map that must be tabulated, "
                f"but {self.databases} are infinitely many; a finite class would do"
            )
        if isinstance(f, Table):
            every = (
                self.databases.elements if isinstance(self.databases, Listed) else self.databases.databases()
            )
            for D in every:
                if D not in f.values:
                    raise InvalidSetting(f"the map {f.name} has no value for the database {D!r}")
        if stated.domain is None and not isinstance(f, Everything):
            raise InvalidSetting(f"{mechanism.name}: {DOMAIN_NEEDED}")

    @property
    def notion(self) -> str:
        """The notion of the mechanisms' guarantees.  Raises InvalidSetting where they differ."""
        notions = list(dict.fromkeys(mechanism.satisfies.notion for mechanism in self.mechanisms))
        if len(notions) > 1:
            raise InvalidSetting(
                f"guarantees of several notions ({', '.join(notions)}) are not supported yet"
            )
        return notions[0]

    @property
    def used(self) -> frozenset[str]:
        """The parameters that the guarantees depend on."""
        values = [value for m in self.mechanisms for _, value in m.satisfies.values]
        return frozenset(str(symbol) for value in values for symbol in value.free_symbols)

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """The parameters as sympy symbols, by name."""
        from dpcompose.language.symbols import symbol

        return {name: symbol(name, domain) for name, domain in self.domains.items()}


def _one_meaning(what: str, named: Sequence[Granularity | Table | Function | None]) -> None:
    """Raises InvalidSetting where two different values have one name."""
    meanings: dict[str, object] = {}
    for one in named:
        if one is not None and meanings.setdefault(one.name, one) != one:
            raise InvalidSetting(f"two different {what} are called {one.name!r}; give one another name")


DOMAIN_NEEDED = (
    'say on which domain its guarantee is stated: domain = "common" (it is private as a map on the whole '
    'class, and depends only on what it reads) or domain = "own" (it is private as a map on what it reads, '
    "for the neighbours there)"
)


def setting(
    *mechanisms: Mechanism,
    on: DatabaseClass,
    target: Granularity,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
) -> Setting:
    """A setting from mechanisms with sympy expressions as parameters.

    parameters -- for a symbol by name the values it may take ("positive", "in (0,1)", …);
    symbols that are not named have the domain that their own assumptions state.
    """
    stated = {name: Domain.read(words) for name, words in (parameters or {}).items()}
    domains: dict[str, Domain] = {}
    for mechanism in mechanisms:
        for _, value in mechanism.satisfies.values:
            for one in sorted(value.free_symbols, key=str):
                name = str(one)
                domain = stated.get(name) or domain_of(one)
                if domains.setdefault(name, domain) != domain:
                    raise InvalidSetting(f"two symbols are called {name}, with different assumptions")
    return Setting(on, target, mechanisms, MappingProxyType(stated | domains), title)
