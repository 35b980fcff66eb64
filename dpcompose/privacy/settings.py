"""Settings: mechanisms composed over one class, for one target granularity, as stated."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import Any

import sympy

from dpcompose.language import formulas
from dpcompose.language.symbols import Domain, domain_of, family_of, symbol
from dpcompose.language.worstcase import Over
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import Guarantee
from dpcompose.spaces.databases import DatabaseClass, Listed, Multisets, Size, Tuples
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.maps import Everything, Function, Map, Part, Positions, Restriction, Table


class InvalidSetting(ValueError):
    """The parts of a setting do not fit together; the message says which and why."""


@dataclass(frozen=True)
class Setting:
    """M = (M_1∘f_1, …, M_k∘f_k) over a class 𝔻, for the neighbours of the target.

    adaptive -- False: the mechanisms are independent.  True: M_i may read the outputs of M_1, …, M_{i−1};
    then its guarantee, and what it depends on, hold for every value of these, and f_i does not
    depend on them (GB Def. V.1).

    domains -- the values that each parameter may take, by name;
    numbers -- parameters of a problem file that stand for numbers, with their texts;
    doubts -- why parameters of guarantees may have no real value for some allowed ones.
    """

    databases: DatabaseClass
    target: Granularity
    mechanisms: tuple[Mechanism, ...]
    domains: Mapping[str, Domain]
    title: str = ""
    numbers: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    adaptive: bool = False

    def __post_init__(self) -> None:
        if not self.mechanisms:
            raise InvalidSetting("a composition needs at least one mechanism")
        names = [mechanism.name for mechanism in self.mechanisms]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InvalidSetting(f"two mechanisms are called {twice[0]!r}")
        if unfit := self.target.unfit(self.databases):
            raise InvalidSetting(unfit)
        if isinstance(self.databases, Multisets) and self.databases.arbitrary:
            object.__setattr__(self, "databases", self._with_named_records(self.databases))
        stated = [self.target, *(m.satisfies.about_granularity for m in self.mechanisms)]
        _one_meaning("granularities", [*stated, *(one.innermost()[0] for one in stated)])
        tables = [m.reads for m in self.mechanisms if isinstance(m.reads, Table | Function)]
        _one_meaning("maps", tables)
        self._check_families()
        for mechanism in self.mechanisms:
            self._check(mechanism)
            for _, value in mechanism.satisfies.values:
                self.check_ranges(value)

    def _check_families(self) -> None:
        """Parts of a partition need an arbitrary universe of multisets, and one mechanism a part."""
        if self.families:
            self._check_names_of_families()
        for mechanism in self.mechanisms:
            f, count = mechanism.reads, mechanism.count
            if count is not None and not self._is_count(count):
                raise InvalidSetting(
                    f"{mechanism.name}: the number of mechanisms is a parameter of whole values, such as "
                    f'"integer >= 2", or a whole number from 1 to {LARGEST_COUNT:,}; {count} is neither'
                )
            if not isinstance(f, Part):
                continue
            self._check_part(mechanism.name, f)
            if str(count) != f.parts:
                raise InvalidSetting(
                    f"{mechanism.name} reads the parts of {f.partition}, of which there are {f.parts}: "
                    f'it must be a family of as many mechanisms (index = "i", count = "{f.parts}")'
                )
        named = [m.name for m in self.mechanisms if isinstance(m.reads, Restriction)]
        if named and any(isinstance(m.reads, Part) for m in self.mechanisms):
            raise InvalidSetting(
                f"{named[0]} reads named records, and others read parts of a partition: which part "
                "holds the records is not said, and not supported"
            )

    def _check_names_of_families(self) -> None:
        """A family e[i] and a parameter e, or a family M and a mechanism M[1], would be mixed up."""
        known = {*self.domains, *self.numbers}
        if "i" in known:
            raise InvalidSetting("the index of families is written i: call the parameter i something else")
        for name in sorted(known):
            if (family := family_of(name)) is not None and family in known:
                raise InvalidSetting(f"{family} is a parameter and also a family {name}; rename one of them")
            if re.search(r"\[[0-9]+\]$", name):
                raise InvalidSetting(f"{name} is one member of a family, and no parameter by itself")
        for mechanism in self.mechanisms:
            for other in self.mechanisms:
                if mechanism.many and re.fullmatch(re.escape(mechanism.name) + r"\[[0-9]+\]", other.name):
                    raise InvalidSetting(
                        f"{other.name} is called like a member of the family {mechanism.name}"
                    )

    def check_ranges(self, formula: sympy.Expr) -> None:
        """Raises InvalidSetting where a sum or maximum over a family runs to another number than its own."""
        for over in sorted(formula.atoms(Over), key=str):
            _, x, last = over.args
            for name in sorted(str(one) for one in x.free_symbols if family_of(str(one))):
                counts = {
                    m.count
                    for m in self.mechanisms
                    if m.count is not None
                    and any(name in map(str, value.free_symbols) for _, value in m.satisfies.values)
                }
                if counts and last not in counts:
                    there = " or ".join(sorted(map(str, counts)))
                    raise InvalidSetting(f"{name} has the members 1 to {there}, not to {last}")

    def _check_part(self, name: str, f: Part) -> None:
        """The parts of a partition are of what the class has room for any number of."""
        databases = self.databases
        if f.of != databases.kind:
            raise InvalidSetting(
                f"{name} reads a part of {f.partition}, which divides {f.of}, not {databases}"
            )
        if isinstance(databases, Multisets) and not databases.arbitrary:
            raise InvalidSetting(
                f"{name} reads a part of {f.partition}, which needs multisets over an "
                "arbitrary record universe (leave out records)"
            )
        if isinstance(databases, Tuples) and databases.sizes.n is not None:
            raise InvalidSetting(
                f"{name} reads a part of {f.partition}, which needs {databases.kind} of any length "
                "(leave out size)"
            )

    def _is_count(self, count: sympy.Expr) -> bool:
        if count.is_Symbol:
            domain = self.domains.get(str(count))
            return domain is not None and domain.integer and (domain.least or 0) >= 1
        return bool(count.is_Integer and 1 <= count <= LARGEST_COUNT)

    @property
    def several(self) -> bool:
        """Whether more than one mechanism is composed."""
        return len(self.mechanisms) > 1 or self.families

    @property
    def families(self) -> bool:
        """Whether some mechanism is a family."""
        return any(mechanism.many for mechanism in self.mechanisms)

    def written_out(self, sizes: Mapping[str, int]) -> tuple[Setting, tuple[int, ...]]:
        """The setting with families member by member, and for each mechanism which one it is from (from 1).

        sizes -- the number of members, by the name or digits of the count.  The parts of a
        partition become record sets of an arbitrary universe, or sets of positions: for every
        choice of a part of each partition, or of none, two records (and as many positions as one
        step of the target changes), so that all that can differ does.
        """
        databases, parts = self._divided(sizes)
        mechanisms, origin = [], []
        domains = dict(self.domains)
        for n, mechanism in enumerate(self.mechanisms, start=1):
            size = 1 if mechanism.count is None else _size(str(mechanism.count), sizes)
            for i in range(1, size + 1):
                member_of = mechanism
                if mechanism.count is not None:
                    f = mechanism.reads
                    reads = parts[f.partition][i - 1] if isinstance(f, Part) else f
                    satisfies = self._member(mechanism.satisfies, i, domains)
                    member_of = Mechanism(f"{mechanism.name}[{i}]", reads, satisfies)
                mechanisms.append(member_of)
                origin.append(n)
        setting = replace(
            self, databases=databases, mechanisms=tuple(mechanisms), domains=MappingProxyType(domains)
        )
        return setting, tuple(origin)

    def _divided(self, sizes: Mapping[str, int]) -> tuple[DatabaseClass, dict[str, list[Map]]]:
        """The class with as many parts as are needed, and for each partition the maps to its parts."""
        partitions = {
            m.reads.partition: _size(m.reads.parts, sizes)
            for m in self.mechanisms
            if isinstance(m.reads, Part)
        }
        if not partitions:
            return self.databases, {}
        choices = list(product(*(range(size + 1) for size in partitions.values())))

        def of_part(n: int, i: int) -> list[int]:
            return [at for at, choice in enumerate(choices) if choice[n] == i]

        if isinstance(self.databases, Tuples):
            each = max(2, self.steps_at_once)
            databases: DatabaseClass = replace(self.databases, sizes=Size(each * len(choices), exactly=True))
            held: list[list[Any]] = [
                [each * at + j for j in range(1, each + 1)] for at in range(len(choices))
            ]
            part: Any = Positions
        else:
            assert isinstance(self.databases, Multisets)
            names = [
                "".join(f"{name}{i}" for name, i in zip(partitions, choice, strict=True) if i)
                for choice in choices
            ]
            held, part = [[name, f"{name}'"] for name in names], Restriction
            inside = sorted(record for at, some in enumerate(held) if any(choices[at]) for record in some)
            databases = replace(self.databases, records=tuple(inside))
        return databases, {
            name: [part(tuple(one for at in of_part(n, i) for one in held[at])) for i in range(1, size + 1)]
            for n, (name, size) in enumerate(partitions.items())
        }

    @property
    def steps_at_once(self) -> int:
        """How many single edits lead to a neighbour of the target, at most; 1 where that is not counted."""
        edits = self.target.edits(self.databases)
        return 1 if edits is None else edits.most

    @property
    def touched_parts(self) -> int:
        """How many parts of a partition differ between neighbours of the target, at most."""
        edits = self.target.edits(self.databases)
        if edits is not None and edits.single is None and _unlimited(self.databases):
            return 2  # all parts at once
        if edits is None or edits.single is None:
            raise InvalidSetting(
                f"a symbolic number of parts of {self.databases}, of which {self.target} neighbours may "
                "change any number, is not supported; multisets of any size are, and parts written out"
            )
        return edits.most * max((sum(one) for one in edits.single), default=1)

    def _member(self, stated: Guarantee, i: int, domains: dict[str, Domain]) -> Guarantee:
        """The guarantee of M[i]: e[i] with a number for i."""
        values = []
        for key, value in stated.values:
            renamed = {}
            for one in value.free_symbols:
                if (family := family_of(str(one))) is not None:
                    name = f"{family}[{i}]"
                    domains[name] = self.domains[str(one)]
                    renamed[one] = symbol(name, domains[name])
            values.append((key, value.xreplace(renamed)))
        return replace(stated, values=tuple(values))

    def _with_named_records(self, databases: Multisets) -> Multisets:
        """An arbitrary universe holds the records that mechanisms name, and others besides."""
        named = {a for m in self.mechanisms if isinstance(m.reads, Restriction) for a in m.reads.records}
        return replace(databases, records=tuple(sorted(named)))

    def _check(self, mechanism: Mechanism) -> None:
        f, stated = mechanism.reads, mechanism.satisfies
        if unfit := stated.about_granularity.unfit(self.databases):
            raise InvalidSetting(f"{mechanism.name}: {unfit}")
        if isinstance(f, Positions):
            self._check_positions(mechanism.name, f)
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

    def _check_positions(self, name: str, f: Positions) -> None:
        databases = self.databases
        if not isinstance(databases, Tuples):
            raise InvalidSetting(f"{name} reads positions, but {databases} have none")
        if not databases.sizes.exactly:
            raise InvalidSetting(
                f"{name} reads positions, which shorter {databases.kind} do not have: "
                'give all the same length, size = "= n"'
            )
        if f.positions and f.positions[-1] > (databases.sizes.n or 0):
            raise InvalidSetting(f"{name} reads position {f.positions[-1]}, which {databases} do not have")

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
        counts = [m.count for m in self.mechanisms if m.count is not None]
        return frozenset(str(one) for value in [*values, *counts] for one in value.free_symbols)

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """The parameters as sympy symbols, by name."""
        return {name: symbol(name, domain) for name, domain in self.domains.items()}


def _one_meaning(what: str, named: Sequence[Granularity | Table | Function | None]) -> None:
    """Raises InvalidSetting where two different values have one name."""
    meanings: dict[str, object] = {}
    for one in named:
        if one is not None and meanings.setdefault(one.name, one) != one:
            raise InvalidSetting(f"two different {what} are called {one.name!r}; give one another name")


def _size(count: str, sizes: Mapping[str, int]) -> int:
    """How many members a count means: what is said for it, else the number that it is."""
    return sizes[count] if count in sizes else int(count)


def _unlimited(databases: DatabaseClass) -> bool:
    return isinstance(databases, Multisets) and databases.sizes.n is None


LARGEST_COUNT = 1_000_000
"""The most members of a family of a fixed number."""

DOMAIN_NEEDED = (
    'say on which domain its guarantee is stated: domain = "common" (it is private as a map on the whole '
    'class, and depends only on what it reads) or domain = "own" (it is private as a map on what it reads, '
    "for the neighbours there)"
)


def check_assumptions(one: sympy.Symbol, domain: Domain) -> None:
    """Raises InvalidSetting where a symbol says another sign than its domain: sympy has used it already."""
    if one != symbol(str(one), domain):
        raise InvalidSetting(
            f"the symbol {one} in a formula has other assumptions than the parameter {one}, "
            f"which is {domain}; "
            f'make it with dpcompose.parameters("{one}", ...) and use it as a symbol, not as text'
        )


def setting(
    *mechanisms: Mechanism,
    on: DatabaseClass,
    target: Granularity,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
) -> Setting:
    """A setting from mechanisms with sympy expressions as parameters.

    parameters -- for a symbol by name the values it may take ("positive", "in (0,1)", …);
    symbols that are not named have the domain that their own assumptions state.
    """
    if not isinstance(on, DatabaseClass) or not isinstance(target, Granularity):
        raise InvalidSetting(
            "on is a class such as dpcompose.multisets(...), target a granularity such as dpcompose.bounded"
        )
    stated = {str(name): Domain.read(str(words)) for name, words in (parameters or {}).items()}
    domains: dict[str, Domain] = {}
    for mechanism in mechanisms:
        if not isinstance(mechanism, Mechanism):
            raise InvalidSetting(
                f"{mechanism!r} is no mechanism; make one with dpcompose.mechanism(name, ...)"
            )
        expressions = [value for _, value in mechanism.satisfies.values]
        for value in expressions if mechanism.count is None else [*expressions, mechanism.count]:
            for one in sorted(value.free_symbols, key=str):
                name = str(one)
                if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(\[i\])?", name) or name in formulas.RESERVED:
                    raise InvalidSetting(
                        f"a parameter cannot be called {name}: it must be a name without a meaning"
                    )
                domain = stated.get(name) or domain_of(one)
                check_assumptions(one, domain)
                if domains.setdefault(name, domain) != domain:
                    raise InvalidSetting(f"two symbols are called {name}, with different assumptions")
    return Setting(on, target, mechanisms, MappingProxyType(stated | domains), title, adaptive=adaptive)
