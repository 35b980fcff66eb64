"""Settings as problem files: data that reads back as the same setting, with classes listed where need be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpcompose.language import formulas
from dpcompose.language.symbols import family_of
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import FILE_KEYS, Guarantee
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.schema import Notions
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.on_tables import has_inputs_as_rows
from dpcompose.spaces.built_in import BUILT_IN
from dpcompose.spaces.composed import Composed
from dpcompose.spaces.databases import Database, DatabaseClass, refuse_if_large
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.listed import Listed
from dpcompose.spaces.maps import Everything, Function, Map, Table, table
from dpcompose.spaces.parts import Part
from dpcompose.spaces.policies import policies_in
from dpcompose.spaces.reading import EachVertex
from dpcompose.spaces.recodings import Recoding
from dpcompose.spaces.relations import Pairs, pairs

LARGEST_WRITTEN = 20_000
"""The most databases that a class has which is written out one by one."""


def to_data(setting: Setting, claims: Sequence[Claim] = (), notions: Notions = FILE_KEYS) -> dict[str, Any]:
    """A setting that `plain` returns, with claims, as the data of a problem file.

    notions -- the parameters of each notion that there are pages for.
    """
    databases = setting.databases
    for notion in (*setting.notions, *(one.notion for m in setting.mechanisms for one in m.also)):
        if notion not in notions:
            raise InvalidSetting(f"problem files have no notion {notion!r}, so this cannot be saved")
    data: dict[str, Any] = {"format": 1, "title": setting.title}
    data["parameters"] = {family_of(name) or name: str(domain) for name, domain in setting.domains.items()}
    data["parameters"] |= setting.numbers
    data["databases"] = databases.data()
    used = _granularities(setting)
    if own := granularities_data(used):
        data["granularities"] = own
    if isinstance(databases, Listed):
        data["granularities"] = own
        data["maps"] = maps_data([m.reads for m in setting.mechanisms], used)
        made = {_name_of_table(m): m.table.data() for m in setting.mechanisms if m.table is not None}
        data |= {"tables": made} if made else {}
    recoded = [m.reads for m in setting.mechanisms if isinstance(m.reads, Recoding) and m.reads.name]
    if recoded:
        data["maps"] = {f.name: f.table() for f in sorted(recoded, key=lambda f: f.name)}
    parts = {
        m.reads.partition: m.reads.table()
        for m in setting.mechanisms
        if isinstance(m.reads, Part) and not isinstance(m.reads, EachVertex)
    }
    if parts:
        data["partitions"] = dict(sorted(parts.items()))
    if setting.adaptive:
        data["adaptive"] = True
    if setting.assume:
        data["assume"] = [str(one) for one in setting.assume]
    if setting.studies:
        data["studies"] = {name: _study_data(study) for name, study in sorted(setting.studies.items())}
    data |= {"metrics": dict(setting.metrics)} if setting.metrics else {}
    data["target"] = {"granularity": setting.target.data()}
    data["mechanisms"] = [mechanism_data(one) for one in setting.mechanisms]
    data["claims"] = [
        dict(claim.text) | ({"expect": claim.expect} if claim.expect else {}) for claim in claims
    ]
    return data


def granularities_data(used: Sequence[Granularity]) -> dict[str, Any]:
    """The policies and listed neighbours among some granularities, as a problem file states them."""
    found = {one.name: one.table() for single in used for one in policies_in(single)}
    for one in {one.innermost()[0] for one in used}:
        if isinstance(one, Pairs):
            found[str(one)] = {"neighbours": sorted(sorted(map(str, pair)) for pair in one.listed)}
    return dict(sorted(found.items()))


def maps_data(reads: Sequence[Map], used: Sequence[Granularity]) -> dict[str, Any]:
    """The maps among what is read that are tables, as a problem file states them."""
    tables = {f.name: f for f in reads if isinstance(f, Table)}
    return {name: _map_data(f, used) for name, f in sorted(tables.items())}


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
    after = {"post-processing": mechanism.processing} if mechanism.processing else {}
    return _before_processing(mechanism) | after


def _before_processing(mechanism: Mechanism) -> dict[str, Any]:
    f, stated = mechanism.reads, mechanism.satisfies
    reads = f.data()
    many = {} if mechanism.members is None else {"index": "i", "count": str(mechanism.members)}
    if mechanism.query is not None and mechanism.noise is not None:
        noise = {mechanism.noise.word: formulas.to_text(mechanism.noise.term)}
        query = {"query": mechanism.query.data(), "noise": noise}
        return {"name": mechanism.name, **many, "reads": reads, **query}
    if mechanism.also:
        several = [_guarantee_data(one) for one in (stated, *mechanism.also)]
        return {"name": mechanism.name, **many, "reads": reads, "satisfies": several}
    guarantee = _guarantee_data(stated)
    if mechanism.filtered:
        return {"name": mechanism.name, **many, "reads": reads, "filter": guarantee}
    made = {} if mechanism.table is None else {"table": _name_of_table(mechanism)}
    made |= {} if mechanism.study is None else {"study": mechanism.name}
    return {"name": mechanism.name, **many, "reads": reads, "guarantee": guarantee, **made}


def _guarantee_data(stated: Guarantee) -> dict[str, Any]:
    """A guarantee of a mechanism, as a problem file states it."""
    data: dict[str, Any] = dict(stated.text())
    data |= {"granularity": stated.about_granularity.data()} if stated.metric is None else {}
    return data if stated.domain is None else data | {"domain": stated.domain}


def _name_of_table(mechanism: Mechanism) -> str:
    """What the table of a mechanism is called in a file."""
    return f"of {mechanism.name}"[:200]


def _map_data(f: Table, used: Sequence[Granularity]) -> dict[str, Any]:
    """A map with the neighbouring images that it lists for the granularities in use."""
    data: dict[str, Any] = {"table": {str(D): str(x) for D, x in f.values.items()}}
    names = [str(one.innermost()[0]) for one in used]
    given = {name: f.neighbours_for(name) for name in names}
    listed = {
        g: sorted(sorted(map(str, pair)) for pair in some) for g, some in given.items() if some is not None
    }
    return data | ({"image-neighbours": listed} if listed else {})


def plain(setting: Setting) -> Setting:
    """The same setting as a problem file can say it: without Python functions, databases as texts.

    What a file says already is returned as it is; else a finite class becomes a listed one,
    with neighbours and maps written out, and built-in names are changed ("listed unbounded").
    """
    if _is_plain(setting):
        return setting
    return _listed(setting)


def _is_plain(setting: Setting) -> bool:
    if not all(map(_is_plain, setting.studies.values())):
        return False
    relations = [one.innermost()[0] for one in _granularities(setting)]
    tables = [m.table for m in setting.mechanisms if m.table is not None]
    if not isinstance(setting.databases, Listed):
        return all(relation.is_known(BUILT_IN) for relation in relations) and all(
            not isinstance(m.reads, Function | Composed | Table) and m.table is None
            for m in setting.mechanisms
        )
    return (
        isinstance(setting.databases, Listed)
        and all(isinstance(D, str) and D for D in setting.databases.elements)
        and all(isinstance(relation, Pairs) and _free(relation.name) for relation in relations)
        and all(isinstance(m.reads, Everything | Table) for m in setting.mechanisms)
        and all(isinstance(o, str) for made in tables for o in made.outcomes)
        and all(
            isinstance(x, str) and x
            for m in setting.mechanisms
            if isinstance(m.reads, Table)
            for x in m.reads.values.values()
        )
    )


def _free(name: str) -> bool:
    """Whether a granularity of one's own can have the name."""
    return bool(name) and name not in BUILT_IN


def _listed(setting: Setting) -> Setting:
    from dpcompose.spaces.graphs import neighbourhood_graph, power

    databases = setting.databases
    refuse_if_large(databases, LARGEST_WRITTEN)
    names = {D: _text_of(databases, D) for D in databases.databases()}
    written: dict[Granularity, Pairs] = {}

    def listed(granularity: Granularity) -> Pairs:
        if granularity not in written:
            name = str(granularity) if _free(str(granularity)) else f"listed {granularity}".strip()
            edges = neighbourhood_graph(databases, granularity).edges
            written[granularity] = pairs(name, ((names[D], names[E]) for D, E in edges))
        return written[granularity]

    def tabulated(i: int, mechanism: Mechanism) -> Mechanism:
        f, stated = mechanism.reads, mechanism.satisfies
        if mechanism.noise is not None:
            raise InvalidSetting(
                f"{mechanism.name} adds noise, which problem files have on classes of records only"
            )
        if mechanism.study is not None:
            raise InvalidSetting(
                f"{mechanism.name} is a study, which problem files have only where they have its databases, "
                "neighbours and maps as they are"
            )
        granularity = stated.about_granularity
        if mechanism.also and not isinstance(f, Everything):
            raise InvalidSetting(
                f"{mechanism.name} has several guarantees about what it reads, which is not written out"
            )
        single, steps = granularity.innermost()
        made, rows = mechanism.table, names
        if not isinstance(f, Everything):
            image = f.image(databases)
            inside = {x: _text_of(image, x) for x in image.databases()}
            edges: Any = None
            given_images = f.neighbours_for(single.name)
            if given_images is not None:
                edges = power(neighbourhood_graph(image, pairs("", given_images)), steps).edges
            elif not isinstance(image, Listed) and stated.domain == "own":
                edges = neighbourhood_graph(image, granularity).edges
            given = (
                None
                if edges is None
                else {str(listed(granularity)): [(inside[x], inside[y]) for x, y in edges]}
            )
            if made is not None and has_inputs_as_rows(setting, mechanism):
                rows = inside
            f = table(f"f{i}", {names[D]: inside[f(D)] for D in names}, given)
        if made is not None:
            made = made.written({D: rows[D] for D in made.rows})
        also = tuple(one.about(listed(one.about_granularity)) for one in mechanism.also)
        about = stated.about(listed(granularity))
        return replace(mechanism, reads=f, satisfies=about, table=made, also=also)

    return Setting(
        Listed(tuple(names.values())),
        listed(setting.target),
        tuple(tabulated(i, one) for i, one in enumerate(setting.mechanisms, start=1)),
        setting.domains,
        setting.title,
        setting.numbers,
        setting.doubts,
        setting.adaptive,
        setting.assume,
    )


def _text_of(databases: DatabaseClass, D: Database) -> str:
    return databases.printed(D) or "(empty text)"
