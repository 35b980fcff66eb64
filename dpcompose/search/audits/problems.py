"""A counterexample as a problem file, which the program reads and refutes like any other.

What is wrong with a setting is a file with its databases, maps and guarantees, and the conclusion as a claim.
Mechanisms that are not independent, or that read a sample, are one mechanism: the table of all they say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dpcompose.kernel.expressions import formulas
from dpcompose.search.audits.outcomes import Values, enclosed, loss_of
from dpcompose.search.audits.searched import Counterexample
from dpcompose.search.audits.worlds import Reading, Relation


def problem(found: Counterexample, title: str) -> str | None:
    """The text of the file; None where nothing is known of what a joint table loses."""
    if not found.statement.written(found.joint):
        return None
    world = found.world
    rows = [
        "format = 1",
        f"title = {_text(title)}",
        "[databases]",
        'kind = "listed"',
        f"elements = {_list(world.names)}",
        f"[granularities.G]{f' # {world.target.name}' if world.base.contents else ''}",
        f"neighbours = {_pairs(world.target, world.names)}",
        *(_of_table(found) if found.joint else _of_mechanisms(found)),
        "[target]",
        'granularity = "G"',
        *(_joint(found) if found.joint else _mechanisms(found)),
        "[[claims]]",
        *_guarantee(found.statement.notion, found.claim),
        'expect = "refuted"',
    ]
    return "\n".join(rows) + "\n"


def _text(words: object) -> str:
    return '"' + str(words).replace("\\", "\\\\").replace('"', "'") + '"'


def _list(words: Iterable[object]) -> str:
    return f"[{', '.join(map(_text, words))}]"


def _pairs(relation: Relation, names: Sequence[str]) -> str:
    return f"[{', '.join(_list((names[x], names[y])) for x, y in sorted(relation.pairs) if x < y)}]"


def _guarantee(notion: str, values: Values) -> list[str]:
    return [f'notion = "{notion}"', *(f'{key} = "{formulas.to_text(x)}"' for key, x in values.items())]


# settings


def _readings(found: Counterexample) -> list[Reading]:
    """What mechanisms read: everything, where they need not depend on what they are said to read only."""
    kept = found.statement.kept
    return [one if kept.depends else one.wholly for one in found.world.readings]


def _names(found: Counterexample) -> dict[Relation, str]:
    """The granularities for which guarantees are stated, by name; the target is G."""
    others = dict.fromkeys(one.stated for one in found.world.readings if one.stated != found.world.target)
    return {found.world.target: "G"} | {one: f"H{n}" for n, one in enumerate(others, start=1)}


def _of_mechanisms(found: Counterexample) -> list[str]:
    """The other granularities, and the maps."""
    rows, names = [], _names(found)
    for relation, name in names.items():
        if name != "G":
            said = f" # {relation.name}" if found.world.base.contents else ""
            rows += [f"[granularities.{name}]{said}", f"neighbours = {_pairs(relation, found.world.names)}"]
    for n, one in enumerate(_readings(found), start=1):
        if not one.everything:
            table = zip(found.world.names, one.values, strict=True)
            rows.append(f"[maps.f{n}]")
            rows.append(f"table = {{ {', '.join(f'{_text(D)} = {_text(one.words[v])}' for D, v in table)} }}")
            if one.inside is not None:
                rows.append(f"image-neighbours = {{ {names[one.stated]} = {_pairs(one.inside, one.words)} }}")
    return rows


def _mechanisms(found: Counterexample) -> list[str]:
    rows, names = [], _names(found)
    for n, (one, given) in enumerate(zip(_readings(found), found.given, strict=True), start=1):
        rows += ["[[mechanisms]]", f'name = "M{n}"']
        rows += [] if one.everything else [f'reads = {{ map = "f{n}" }}']
        rows += ["[mechanisms.guarantee]", *_guarantee(found.given_in or found.statement.notion, given)]
        rows.append(f'granularity = "{names[one.stated]}"')
        rows += [] if one.everything else [f'domain = "{"common" if one.inside is None else "own"}"']
    return rows


# tables of all that several mechanisms say


def _of_table(found: Counterexample) -> list[str]:
    (table,) = found.rows
    names = [format(n, "b").zfill(len(format(len(table[0]) - 1, "b"))) for n in range(len(table[0]))]
    return [
        "[tables.joint]",
        f"outcomes = {_list(names)}",
        "[tables.joint.rows]",
        *(f"{_text(D)} = {_list(row)}" for D, row in zip(found.world.names, table, strict=True)),
    ]


def _joint(found: Counterexample) -> list[str]:
    """One mechanism, with what its table loses as its guarantee."""
    (table,) = found.rows
    losses = [loss_of(table[x], table[y]) for x, y in found.world.pairs]
    worst = "oo" if "oo" in losses else max(losses, key=lambda one: enclosed(formulas.parse(one, {})).low)
    return [
        "[[mechanisms]]",
        'name = "M"',
        'table = "joint"',
        "[mechanisms.guarantee]",
        f'notion = "{found.statement.notion}"',
        f'epsilon = "{worst}"',
        'granularity = "G"',
    ]
