"""A counterexample as the data of a problem file, which the program reads and refutes like any other.

What is wrong with a setting is a file with its databases, maps and guarantees, and the conclusion as a claim.
Mechanisms that are not independent, or that read a sample, are one mechanism: the table of all they say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpcompose.kernel.expressions import formulas
from dpcompose.search.audits.outcomes import Values, enclosed, loss_of
from dpcompose.search.audits.searched import Counterexample
from dpcompose.search.audits.worlds import Reading, Relation


def problem(counterexample: Counterexample, title: str) -> dict[str, Any] | None:
    """The data of the file; None where nothing is known of what a joint table loses."""
    if not counterexample.statement.written(counterexample.joint):
        return None
    world = counterexample.world
    names = _names(counterexample)
    edits = ", ".join(f"{name}: {relation.name}" for relation, name in names.items())
    title = f"{title} ({edits})" if world.base.contents else title
    return {
        "format": 1,
        "title": title,
        "databases": {"kind": "listed", "elements": list(world.names)},
        "granularities": {x: {"neighbours": _pairs(G, world.names)} for G, x in names.items()},
        "target": {"granularity": "G"},
        **(_joint(counterexample) if counterexample.joint else _mechanisms(counterexample, names)),
        "claims": [_said(counterexample.statement.notion, counterexample.claim) | {"expect": "refuted"}],
    }


def _pairs(relation: Relation, names: Sequence[str]) -> list[list[str]]:
    return [[names[x], names[y]] for x, y in sorted(relation.pairs) if x < y]


def _names(counterexample: Counterexample) -> dict[Relation, str]:
    """The target's neighbours, and the others for which guarantees of mechanisms are stated, by name."""
    world = counterexample.world
    stated = () if counterexample.joint else (reading.stated for reading in world.readings)
    others = (relation for relation in dict.fromkeys(stated) if relation != world.target)
    return {world.target: "G"} | {other: f"H{n}" for n, other in enumerate(others, start=1)}


def _said(notion: str, values: Values) -> dict[str, str]:
    return {"notion": notion} | {key: formulas.to_text(x) for key, x in values.items()}


def _mechanisms(counterexample: Counterexample, names: Mapping[Relation, str]) -> dict[str, Any]:
    """What mechanisms read, and what they satisfy."""
    world, kept = counterexample.world, counterexample.statement.kept
    notion = counterexample.given_in or counterexample.statement.notion
    maps, mechanisms = {}, []
    for n, (own, given) in enumerate(zip(world.readings, counterexample.given, strict=True), start=1):
        reading = own if kept.depends else own.wholly
        mechanism: dict[str, Any] = {"name": f"M{n}"}
        guarantee = _said(notion, given) | {"granularity": names[reading.stated]}
        if not reading.everything:
            maps[f"f{n}"] = _map(reading, world.names, names)
            mechanism["reads"] = {"map": f"f{n}"}
            guarantee["domain"] = "common" if reading.inside is None else "own"
        mechanisms.append(mechanism | {"guarantee": guarantee})
    return {"maps": maps, "mechanisms": mechanisms}


def _map(reading: Reading, elements: Sequence[str], names: Mapping[Relation, str]) -> dict[str, Any]:
    """What is read of each database, and which values are neighbours where that is stated."""
    table = {D: reading.words[v] for D, v in zip(elements, reading.values, strict=True)}
    if reading.inside is None:
        return {"table": table}
    pairs = {names[reading.stated]: _pairs(reading.inside, reading.words)}
    return {"table": table, "image-neighbours": pairs}


def _joint(counterexample: Counterexample) -> dict[str, Any]:
    """The table of all that several mechanisms say, as one mechanism; what it loses is its guarantee."""
    world, (table,) = counterexample.world, counterexample.rows
    losses = [loss_of(table[x], table[y]) for x, y in world.pairs]
    worst = "oo" if "oo" in losses else max(losses, key=lambda loss: enclosed(formulas.parse(loss, {})).low)
    digits = len(format(len(table[0]) - 1, "b"))
    rows = {D: list(map(str, row)) for D, row in zip(world.names, table, strict=True)}
    guarantee = {"notion": counterexample.statement.notion, "epsilon": worst, "granularity": "G"}
    return {
        "tables": {
            "joint": {"outcomes": [format(n, f"0{digits}b") for n in range(len(table[0]))], "rows": rows}
        },
        "mechanisms": [{"name": "M", "table": "joint", "guarantee": guarantee}],
    }
