"""The maps of problem files: tables on a listed class, and recodings of records."""

from __future__ import annotations

from collections.abc import Container, Mapping

from dpcompose.privacy.format.checks import Mistakes, near, shown
from dpcompose.privacy.format.input_tables import MapTable
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map, table
from dpcompose.spaces.inputs.recodings import recoding


def maps_of(
    databases: DatabaseClass, given: Mapping[str, MapTable], granularities: Container[str], mistakes: Mistakes
) -> dict[str, Map]:
    """The maps by name, with those that users added.

    granularities -- the names of those of the file, for which a table may say which values are neighbours.

    >>> from dpcompose.spaces.classes.listed import listed
    >>> mistakes = Mistakes()
    >>> tables = {"f": MapTable(table={"a": "x", "b": "x"})}
    >>> sorted(maps_of(listed(["a", "b"]), tables, (), mistakes)), mistakes.all
    (['f'], [])
    """
    maps = dict(mistakes.own.maps)
    for name, map_table in given.items():
        if name in mistakes.own.maps:
            mistakes.wrong(
                ("maps", name), f"{name} was added in Python already; call this one by another name"
            )
        elif map_table.table is None:
            maps[name] = _recoding(name, map_table, databases, mistakes)
        elif not databases.is_listed:
            mistakes.wrong(
                ("maps", name),
                "a map of your own needs a listed class; records are recoded: "
                'recode = { a1 = "A", a2 = "A" }',
            )
        else:
            maps[name] = _tabulated(name, map_table, map_table.table, databases, granularities, mistakes)
    return maps


def _tabulated(
    name: str,
    given: MapTable,
    values: Mapping[str, str],
    databases: DatabaseClass,
    granularities: Container[str],
    mistakes: Mistakes,
) -> Map:
    """A map that lists its values, and perhaps which of these are neighbours."""
    path = ("maps", name)
    elements = [str(D) for D in databases.databases()]
    if missing := [D for D in elements if D not in values]:
        mistakes.wrong((*path, "table"), f"there is no value for the database {shown(missing[0])}")
    for D in values:
        if D not in databases:
            mistakes.wrong((*path, "table"), f"{shown(D)} is no database of the class{near(D, elements)}")
    listed = given.image_neighbours
    by_granularity = listed if isinstance(listed, dict) else {} if listed is None else {"": listed}
    images = list(dict.fromkeys(values.values()))
    for granularity, pairs in by_granularity.items():
        if granularity and granularity not in granularities:
            mistakes.wrong((*path, "image-neighbours"), f"there is no granularity {shown(granularity)}")
        for x in dict.fromkeys(x for pair in pairs for x in pair):
            if x not in images:
                mistakes.wrong(
                    (*path, "image-neighbours"), f"{shown(x)} is no value of the map{near(x, images)}"
                )
    return table(name, dict(values), {g: [(x, y) for x, y in pairs] for g, pairs in by_granularity.items()})


def _recoding(name: str, given: MapTable, databases: DatabaseClass, mistakes: Mistakes) -> Map:
    """A map that recodes records."""
    made = recoding(name, given.recode or {}, given.others)
    if why := made.unfit(databases):
        mistakes.wrong(("maps", name, "recode"), f"{name} {why}")
    return made
