"""Settings as problem files: data that reads back as the same setting, with classes listed where need be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.symbols import family_of
from dpcompose.privacy.format.schema import Notions
from dpcompose.privacy.guarantees.notions import FILE_KEYS, Guarantee
from dpcompose.privacy.guarantees.tradeoffs import as_one
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.names import TWO_NAMED
from dpcompose.privacy.settings.on_tables import has_inputs_as_rows
from dpcompose.spaces.classes.databases import Database, DatabaseClass, refuse_if_large
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.inputs.maps import Map, table
from dpcompose.spaces.moves.built_in import BUILT_IN
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.groups import group
from dpcompose.spaces.moves.policies import policies_in
from dpcompose.spaces.moves.relations import pairs

LARGEST_WRITTEN = 20_000
"""The most databases that a class has which is written out one by one."""


def to_data(setting: Setting, claims: Sequence[Claim] = (), notions: Notions = FILE_KEYS) -> dict[str, Any]:
    """A setting that `plain` returns, with claims, as the data of a problem file.

    notions -- the parameters of each notion that there are pages for.
    """
    databases = setting.databases
    for notion in (*setting.notions, *(guarantee.notion for m in setting.mechanisms for guarantee in m.also)):
        if notion not in notions:
            raise InvalidSetting(f"problem files have no notion {notion!r}, so this cannot be saved")
    data: dict[str, Any] = {"format": 1, "title": setting.title}
    own = {} if setting.orders is None else setting.orders.letters
    domains = {name: domain for name, domain in setting.domains.items() if name not in own}
    data["parameters"] = {family_of(name) or name: str(domain) for name, domain in domains.items()}
    data["parameters"] |= setting.numbers
    data["databases"] = databases.data()
    used = _granularities(setting)
    if own := granularities_data(used):
        data["granularities"] = own
    if databases.is_listed:
        data["granularities"] = own
        data["maps"] = maps_data([m.reads for m in setting.mechanisms], used)
        made = {name_of_table(m.name): m.table.data() for m in setting.mechanisms if m.table is not None}
        data |= {"tables": made} if made else {}
    maps = (m.reads for m in setting.mechanisms)
    tables = {f: f.table() for f in maps if f.recodes or f.divided}
    if recoded := {f.called: table for f, table in tables.items() if f.recodes and f.called}:
        data["maps"] = dict(sorted(recoded.items()))
    if parts := {f.partition: table for f, table in tables.items() if f.divided and table}:
        data["partitions"] = dict(sorted(parts.items()))
    if setting.adaptive:
        data["adaptive"] = True
    if setting.assume:
        data["assume"] = [str(assumption) for assumption in setting.assume]
    if setting.studies:
        data["studies"] = {name: _study_data(study) for name, study in sorted(setting.studies.items())}
    data |= setting.data
    data["target"] = {"granularity": setting.target.data()}
    data["mechanisms"] = [mechanism_data(mechanism) for mechanism in setting.mechanisms]
    data["claims"] = [
        dict(claim.text) | ({"expect": claim.expect} if claim.expect else {}) for claim in claims
    ]
    return data


def granularities_data(used: Sequence[Granularity]) -> dict[str, Any]:
    """The policies and listed neighbours among some granularities, as a problem file states them."""
    policies = {policy.name: policy.table() for single in used for policy in policies_in(single)}
    for one in {granularity.innermost()[0] for granularity in used}:
        if one.neighbour_pairs is not None:
            listed = {"neighbours": sorted(sorted(map(str, pair)) for pair in one.neighbour_pairs)}
            if policies.setdefault(str(one), listed) != listed:
                raise InvalidSetting(TWO_NAMED.format("granularities", str(one)))
    return dict(sorted(policies.items()))


def maps_data(reads: Sequence[Map], used: Sequence[Granularity]) -> dict[str, Any]:
    """The maps among what is read that are tables, as a problem file states them."""
    tables = {f.called: f for f in reads if f.tabulated is not None}
    return {name: f.table() | _image_data(f, used) for name, f in sorted(tables.items())}


def _study_data(setting: Setting) -> dict[str, Any]:
    """A composition that is a mechanism, as a problem file states it."""
    return {
        key: value
        for key, value in to_data(setting).items()
        if key not in ("format", "claims", "assume") and value not in ("", {})
    }


def _granularities(setting: Setting) -> list[Granularity]:
    """The granularities that the setting uses, each once, by name."""
    return sorted(set(setting.granularities), key=str)


def mechanism_data(mechanism: Mechanism) -> dict[str, Any]:
    """A mechanism as a problem file states it."""
    after: dict[str, Any] = {"post-processing": mechanism.processing} if mechanism.processing else {}
    after |= {} if mechanism.sampled is None else {"sampled": mechanism.sampled.by.data()}
    return _before_processing(mechanism) | after


def _before_processing(mechanism: Mechanism) -> dict[str, Any]:
    f, stated = mechanism.reads, mechanism.satisfies
    reads = f.data()
    many = {} if mechanism.members is None else {"index": "i", "count": str(mechanism.members)}
    if mechanism.query is not None and mechanism.noise is not None:
        query = {"query": mechanism.query.data(), "noise": mechanism.noise.data}
        return {"name": mechanism.name, **many, "reads": reads, **query}
    every = (stated, *mechanism.also) if mechanism.sampled is None else mechanism.sampled.on_samples
    if mechanism.also and not mechanism.filtered and mechanism.table is None:
        several = [guarantee_data(one) for one in every]
        return {"name": mechanism.name, **many, "reads": reads, "satisfies": several}
    guarantee = guarantee_data(as_one(every))
    if mechanism.filtered:
        return {"name": mechanism.name, **many, "reads": reads, "filter": guarantee}
    made = {} if mechanism.table is None else {"table": name_of_table(mechanism.name)}
    made |= {} if mechanism.study is None else {"study": mechanism.name}
    return {"name": mechanism.name, **many, "reads": reads, "guarantee": guarantee, **made}


def guarantee_data(stated: Guarantee) -> dict[str, Any]:
    """A guarantee of a mechanism, as a problem file states it."""
    data: dict[str, Any] = stated.written()
    data |= {"granularity": stated.about_granularity.data()} if stated.metric is None else {}
    return data if stated.domain is None else data | {"domain": stated.domain}


def name_of_table(mechanism: str) -> str:
    """What the table of a mechanism of a name is called in a file."""
    return f"of {mechanism}"[:200]


def _image_data(f: Map, used: Sequence[Granularity]) -> dict[str, Any]:
    """The neighbouring images that a map lists for the granularities in use."""
    names = [str(granularity.innermost()[0]) for granularity in used]
    given = {name: f.neighbours_for(name) for name in names}
    listed = {
        g: sorted(sorted(map(str, pair)) for pair in neighbouring)
        for g, neighbouring in given.items()
        if neighbouring is not None
    }
    return {"image-neighbours": listed} if listed else {}


def plain(setting: Setting) -> Setting:
    """The same setting as a problem file can say it: without Python functions, databases as texts.

    What a file says already is returned as it is; else a finite class becomes a listed one,
    with neighbours and maps written out, and built-in names are changed ("listed unbounded").
    """
    if _is_plain(setting):
        return setting
    return _Listing(setting).setting()


def _is_plain(setting: Setting) -> bool:
    if not all(map(_is_plain, setting.studies.values())):
        return False
    relations = [granularity.innermost()[0] for granularity in _granularities(setting)]
    tables = [m.table for m in setting.mechanisms if m.table is not None]
    maps = [m.reads for m in setting.mechanisms]
    if not setting.databases.is_listed:
        known = all(relation.is_known(BUILT_IN) for relation in relations)
        return known and not tables and not any(f.unsaid for f in maps)
    values = [x for f in maps if f.tabulated is not None for x in f.tabulated.values()]
    return (
        all(isinstance(named, str) and named for named in (*setting.databases.databases(), *values))
        and all(relation.neighbour_pairs is not None and _free(relation.name) for relation in relations)
        and all(f.is_everything or f.tabulated is not None for f in maps)
        and all(isinstance(o, str) for made in tables for o in made.outcomes)
    )


def _free(name: str) -> bool:
    """Whether a granularity of one's own can have the name."""
    return bool(name) and name not in BUILT_IN


@frozen
class _Listing:
    """A setting with the texts of its databases in place of these; neighbours and maps are written out."""

    of: Setting
    _relations: dict[Granularity, Granularity] = field(default_factory=dict)

    @cached_property
    def names(self) -> dict[Database, str]:
        """The databases with their texts."""
        refuse_if_large(self.of.databases, LARGEST_WRITTEN)
        return _texts(self.of.databases)

    def setting(self) -> Setting:
        """The setting on the texts."""
        return replace(
            self.of,
            databases=Listed(tuple(self.names.values())),
            target=self.relation(self.of.target),
            mechanisms=tuple(
                self._mechanism(i, mechanism) for i, mechanism in enumerate(self.of.mechanisms, start=1)
            ),
            metrics={},
            beside=(),
        )

    def relation(self, granularity: Granularity) -> Granularity:
        """The neighbours of a granularity, pair by pair."""
        from dpcompose.spaces.canonical.graphs import neighbourhood_graph

        if granularity.times is not None:
            return group(granularity.times, self.relation(granularity.single_step))
        if granularity not in self._relations:
            name = str(granularity) if _free(str(granularity)) else f"listed {granularity}".strip()
            edges = neighbourhood_graph(self.of.databases, granularity).edges
            found = pairs(name, ((self.names[D], self.names[E]) for D, E in edges))
            self._relations[granularity] = found
        return self._relations[granularity]

    def _mechanism(self, i: int, mechanism: Mechanism) -> Mechanism:
        """The mechanism of a number, which reads a table."""
        _refuse_what_is_not_listed(mechanism)
        f, stated, made = mechanism.reads, mechanism.satisfies, mechanism.table
        granularity, rows = stated.about_granularity, self.names
        if not f.is_everything:
            inside = _texts(f.image(self.of.databases))
            given = self._neighbouring_images(mechanism, inside)
            if made is not None and has_inputs_as_rows(self.of, mechanism):
                rows = inside
            f = table(f"f{i}", {name: inside[f(D)] for D, name in self.names.items()}, given)
        if made is not None:
            made = made.written({D: rows[D] for D in made.rows})
        also = tuple(
            guarantee.about(self.relation(guarantee.about_granularity)) for guarantee in mechanism.also
        )
        about = stated.about(self.relation(granularity))
        return replace(mechanism, reads=f, satisfies=about, table=made, also=also)

    def _neighbouring_images(
        self, mechanism: Mechanism, inside: Mapping[Database, str]
    ) -> dict[str, list[tuple[Database, Database]]] | None:
        """The images that are neighbours, where a map lists them or the class of images has them."""
        from dpcompose.spaces.canonical.graphs import neighbourhood_graph, neighbours_of_inputs

        f, granularity = mechanism.reads, mechanism.satisfies.about_granularity
        given = f.neighbours_for(granularity.innermost()[0].name) is not None
        if not given and mechanism.satisfies.domain != "own":
            return None
        where, neighbours, along = neighbours_of_inputs(self.of.databases, granularity, f, own=True)
        if along is not None:
            return None
        edges = neighbourhood_graph(where, neighbours).edges
        return {str(self.relation(granularity)): [(inside[x], inside[y]) for x, y in edges]}


def _refuse_what_is_not_listed(mechanism: Mechanism) -> None:
    """Raises InvalidSetting where a mechanism cannot be written out on texts."""
    if mechanism.noise is not None:
        raise InvalidSetting(
            f"{mechanism.name} adds noise, which problem files have on classes of records only"
        )
    if mechanism.study is not None:
        raise InvalidSetting(
            f"{mechanism.name} is a study, which problem files have only where they have its databases, "
            "neighbours and maps as they are"
        )
    if mechanism.also and not mechanism.reads.is_everything:
        raise InvalidSetting(
            f"{mechanism.name} has several guarantees about what it reads, which is not written out"
        )


def _texts(databases: DatabaseClass) -> dict[Database, str]:
    """The databases of a class as texts, none of them empty."""
    return {D: databases.printed(D) or "(empty text)" for D in databases.databases()}
