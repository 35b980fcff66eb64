"""Families of mechanisms, written out member by member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.expressions import naming, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import said
from dpcompose.language.symbols import Domain, family_of
from dpcompose.privacy.mechanisms.mechanism import Mechanism, Nested
from dpcompose.privacy.settings import placed
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.inputs.reading import AtVertex
from dpcompose.spaces.inputs.restrictions import Positions, Restriction
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.groups import Group
from dpcompose.spaces.moves.policies import policy_of
from dpcompose.spaces.moves.replacements import Copies, Placed, copied

if TYPE_CHECKING:
    from dpcompose.privacy.settings import Setting


MOST_MEMBERSHIPS = 400
"""In how many ways a record may lie in overlapping parts."""


def with_few(setting: Setting, alike: int) -> tuple[Setting, tuple[int, ...]]:
    """The same with as many members of each family as one step of the target can touch; alike -- how many of
    those that read the same."""
    divided = any(mechanism.reads.divided for mechanism in setting.mechanisms)
    few = max(2, setting.touched_parts) if divided else alike
    counts = {str(mechanism.members) for mechanism in setting.mechanisms if mechanism.members is not None}
    return written_out(setting, {name: min(few, int(name)) if name.isdigit() else few for name in counts})


def written_out(setting: Setting, sizes: Mapping[str, int]) -> tuple[Setting, tuple[int, ...]]:
    """The setting with families member by member, and for each mechanism which one it is from (from 1).

    Where queries look at attributes, records that differ in these only are told apart.

    sizes -- the number of members, by the name or digits of the count.  The parts of a
    partition become record sets of an arbitrary universe, or sets of positions: for every
    choice of a part of each partition, or of none, two records (and as many positions as one
    step of the target changes), so that all that can differ does.
    """
    databases, parts, copies = _divided(setting, sizes)
    mechanisms, origin = [], []
    domains = dict(setting.domains)
    for n, mechanism in enumerate(setting.mechanisms, start=1):
        size = 1 if mechanism.members is None else _size(str(mechanism.members), sizes)
        for i in range(1, size + 1):
            member_of = mechanism
            if mechanism.study is not None:
                member_of = mechanism = replace(mechanism, study=Nested(None))
            if mechanism.members is not None:
                member_of = _member(mechanism, i, parts, _named(setting, mechanism, i, domains))
            mechanisms.append(member_of)
            origin.append(n)
    if setting.attributes and not parts:
        databases, mechanisms = _told_apart(databases, mechanisms)
    target = setting.target
    if parts:
        partitions = {name: tuple(f.inside for f in m if f.restricts) for name, m in parts.items()}

        def among(granularity: Granularity) -> Granularity:
            return _placed(granularity, partitions, copies, setting.databases)

        target = among(target)
        mechanisms = [_copied(mechanism, copies).regarding(among) for mechanism in mechanisms]
    written = replace(
        setting,
        databases=databases,
        target=target,
        mechanisms=tuple(mechanisms),
        domains=MappingProxyType(domains),
        copies=copies if copies or placed.across(setting) else None,
        further=placed.further(setting),
    )
    return written, tuple(origin)


def _member(
    mechanism: Mechanism, i: int, parts: Mapping[str, Sequence[Map]], named: Mapping[str, Term]
) -> Mechanism:
    """The member of a number: its parameters, and the part that it reads."""

    def read(f: Map) -> Map:
        return parts[f.partition][i - 1] if f.divided else f.member

    member = mechanism.with_letters(named).reading(read)
    return replace(member, name=said.member(mechanism.name, i), members=None)


def _placed(
    granularity: Granularity, partitions: Placed, copies: Copies, databases: DatabaseClass
) -> Granularity:
    """The same where parts hold certain records, and copies stand for records of a class: then a policy."""
    of = policy_of(granularity) if copies else None
    if of is None:
        return granularity.placed(partitions)
    policy, steps = of[0].among(partitions, copies, databases), of[1]
    return Group(steps, policy) if steps > 1 else policy


def _copied(mechanism: Mechanism, copies: Copies) -> Mechanism:
    """A mechanism that reads all copies of the records that it reads by name."""

    def read(f: Map) -> Map:
        return Restriction(tuple(sorted(copied(f.inside, copies)))) if copies and f.restricts else f

    return mechanism.reading(read)


def _divided(
    setting: Setting, sizes: Mapping[str, int]
) -> tuple[DatabaseClass, dict[str, list[Map]], dict[str, dict[str, str | None]]]:
    """The class with as many parts as are needed, for each partition the maps to its parts, and copies of the
    records with a name, one in each part, or in none, each with an unnamed record that lies there."""
    divided = [m.reads for m in setting.mechanisms if m.reads.divided]
    partitions = {f.partition: _size(f.parts, sizes) for f in divided}
    if not partitions:
        return setting.databases, {}, {}
    if setting.databases.on_vertices:
        ((name, size),) = partitions.items()
        vertices = range(1, size + 1)
        named = setting.databases.naming(vertices, setting.target.innermost()[1])
        return named, {name: [AtVertex((v,)) for v in vertices]}, {}
    most = {f.partition: f.few for f in divided}
    choices = list(product(*(_memberships(setting, size, most[name]) for name, size in partitions.items())))

    def of_part(n: int, i: int) -> list[int]:
        return [at for at, choice in enumerate(choices) if i in choice[n]]

    copies: dict[str, dict[str, str | None]] = {}
    if setting.databases.identified:
        each = max(2, setting.target.innermost()[1])
        databases = setting.databases.of_sizes(Size(each * len(choices), exactly=True))
        held: list[list[Any]] = [[each * at + j for j in range(1, each + 1)] for at in range(len(choices))]
        part: Any = Positions
    else:
        names = [
            "".join(
                f"{name}{'+'.join(map(str, numbers))}"
                for name, numbers in zip(partitions, choice, strict=True)
                if numbers
            )
            for choice in choices
        ]
        part, rows = Restriction, setting.databases.described is not None
        held = [[] if rows else [name, f"{name}'"] for name in names]
        copies = {x: _copies(x, names, rows) for x in placed.named(setting)}
        held = [[*records, *(list(copy)[at] for copy in copies.values())] for at, records in enumerate(held)]
        inside = {record for at, records in enumerate(held) if any(choices[at]) for record in records}
        if twice := sorted(inside & {*copies}):
            raise InvalidSetting(f"{twice[0]!r} is what a record of a part is called; give it another name")
        every, written = tuple(sorted(inside | {*copies})), setting.databases
        databases = written.recoded(every, arbitrary=False) if rows else written.over(every)
    maps = {
        name: [part(tuple(record for at in of_part(n, i) for record in held[at])) for i in range(1, size + 1)]
        for n, (name, size) in enumerate(partitions.items())
    }
    return databases, maps, copies


def _copies(record: str, names: Sequence[str], rows: bool) -> dict[str, str | None]:
    """The copies of a record, one for each way to lie, with the name of those that lie so; "" for no part.

    rows -- whether all records are such, so that none without a name is known to lie so."""
    return {f"{record} in {name}" if name else record: None if rows else name or None for name in names}


def _memberships(setting: Setting, size: int, most: int) -> list[tuple[int, ...]]:
    """In which of some parts a record is: of up to two records that change, in all ways to overlap.

    Parts are as good as each other, so that for two records runs of neighbouring parts are enough.
    """
    if most == 1 or setting.changed <= 2:
        runs = combinations(range(1, size + 2), 2)
        return [(), *(tuple(range(a, b)) for a, b in runs if b - a <= most)]
    memberships = [
        combination for n in range(most + 1) for combination in combinations(range(1, size + 1), n)
    ]
    if len(memberships) > MOST_MEMBERSHIPS:
        raise InvalidSetting(
            f"{setting.target} neighbours change {setting.changed} records, which lie in overlapping parts "
            f"in more than {MOST_MEMBERSHIPS} ways; smaller groups would do"
        )
    return memberships


def _named(setting: Setting, mechanism: Mechanism, i: int, domains: dict[str, Domain]) -> dict[str, Term]:
    """For each e[i] of a family the letter of its member of that number."""
    named = {}
    for general in {letter for value in mechanism.terms for letter in value.letters}:
        if (family := family_of(general)) is not None:
            name = naming.member(family, i)
            domains[name] = setting.domains[general]
            named[general] = terms.letter(name, domains[name])
    return named


def _told_apart(
    databases: DatabaseClass, mechanisms: Sequence[Mechanism]
) -> tuple[DatabaseClass, list[Mechanism]]:
    """Two records, a and a', for every named record a: there is more than one, with other attributes."""
    if not databases.queried:
        return databases, list(mechanisms)
    other: dict[str, str] = {}
    for record in databases.records:
        twin = f"{record}'"
        while twin in databases.records or twin in other.values():
            twin += "'"
        other[record] = twin

    def read(f: Map) -> Map:
        return Restriction((*f.inside, *(other[a] for a in f.inside if a in other))) if f.restricts else f

    apart = databases.over((*databases.records, *other.values()))
    return apart, [replace(mechanism, reads=read(mechanism.reads)) for mechanism in mechanisms]


def _size(count: str, sizes: Mapping[str, int]) -> int:
    """How many members a count means: what is said for it, else the number that it is."""
    return sizes[count] if count in sizes else int(count)
