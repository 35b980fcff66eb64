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


def problem(counterexample: Counterexample, title: str) -> str | None:
    """The text of the file; None where nothing is known of what a joint table loses."""
    if not counterexample.statement.written(counterexample.joint):
        return None
    world = counterexample.world
    rows = [
        "format = 1",
        f"title = {_text(title)}",
        "[databases]",
        'kind = "listed"',
        f"elements = {_list(world.names)}",
        f"[granularities.G]{f' # {world.target.name}' if world.base.contents else ''}",
        f"neighbours = {_pairs(world.target, world.names)}",
        *(_of_table(counterexample) if counterexample.joint else _of_mechanisms(counterexample)),
        "[target]",
        'granularity = "G"',
        *(_joint(counterexample) if counterexample.joint else _mechanisms(counterexample)),
        "[[claims]]",
        *_guarantee(counterexample.statement.notion, counterexample.claim),
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


def _readings(counterexample: Counterexample) -> list[Reading]:
    """What mechanisms read: everything, where they need not depend on what they are said to read only."""
    kept = counterexample.statement.kept
    return [reading if kept.depends else reading.wholly for reading in counterexample.world.readings]


def _names(counterexample: Counterexample) -> dict[Relation, str]:
    """The granularities for which guarantees are stated, by name; the target is G."""
    others = dict.fromkeys(
        reading.stated
        for reading in counterexample.world.readings
        if reading.stated != counterexample.world.target
    )
    return {counterexample.world.target: "G"} | {other: f"H{n}" for n, other in enumerate(others, start=1)}


def _of_mechanisms(counterexample: Counterexample) -> list[str]:
    """The other granularities, and the maps."""
    rows, names = [], _names(counterexample)
    for relation, name in names.items():
        if name != "G":
            said = f" # {relation.name}" if counterexample.world.base.contents else ""
            rows += [
                f"[granularities.{name}]{said}",
                f"neighbours = {_pairs(relation, counterexample.world.names)}",
            ]
    for n, reading in enumerate(_readings(counterexample), start=1):
        if not reading.everything:
            table = zip(counterexample.world.names, reading.values, strict=True)
            rows.append(f"[maps.f{n}]")
            rows.append(
                f"table = {{ {', '.join(f'{_text(D)} = {_text(reading.words[v])}' for D, v in table)} }}"
            )
            if reading.inside is not None:
                pairs = _pairs(reading.inside, reading.words)
                rows.append(f"image-neighbours = {{ {names[reading.stated]} = {pairs} }}")
    return rows


def _mechanisms(counterexample: Counterexample) -> list[str]:
    rows, names = [], _names(counterexample)
    for n, (reading, given) in enumerate(
        zip(_readings(counterexample), counterexample.given, strict=True), start=1
    ):
        rows += ["[[mechanisms]]", f'name = "M{n}"']
        rows += [] if reading.everything else [f'reads = {{ map = "f{n}" }}']
        rows += [
            "[mechanisms.guarantee]",
            *_guarantee(counterexample.given_in or counterexample.statement.notion, given),
        ]
        rows.append(f'granularity = "{names[reading.stated]}"')
        rows += [] if reading.everything else [f'domain = "{"common" if reading.inside is None else "own"}"']
    return rows


# tables of all that several mechanisms say


def _of_table(counterexample: Counterexample) -> list[str]:
    (table,) = counterexample.rows
    names = [format(n, "b").zfill(len(format(len(table[0]) - 1, "b"))) for n in range(len(table[0]))]
    return [
        "[tables.joint]",
        f"outcomes = {_list(names)}",
        "[tables.joint.rows]",
        *(f"{_text(D)} = {_list(row)}" for D, row in zip(counterexample.world.names, table, strict=True)),
    ]


def _joint(counterexample: Counterexample) -> list[str]:
    """One mechanism, with what its table loses as its guarantee."""
    (table,) = counterexample.rows
    losses = [loss_of(table[x], table[y]) for x, y in counterexample.world.pairs]
    worst = "oo" if "oo" in losses else max(losses, key=lambda loss: enclosed(formulas.parse(loss, {})).low)
    return [
        "[[mechanisms]]",
        'name = "M"',
        'table = "joint"',
        "[mechanisms.guarantee]",
        f'notion = "{counterexample.statement.notion}"',
        f'epsilon = "{worst}"',
        'granularity = "G"',
    ]
