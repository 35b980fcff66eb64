"""The search for a finite setting in which all suppositions of a theorem hold and its conclusion fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.search.audits.outcomes import (
    Key,
    Outputs,
    Row,
    Values,
    as_key,
    first,
    guarantees,
    quarters,
    second,
)
from dpcompose.search.audits.suppositions import Kept, holds
from dpcompose.search.audits.worlds import INFINITE, Reading, World, settings


@frozen
class Counterexample:
    """A setting in which a conclusion fails, with the mechanisms and what they lose.

    rows -- for each mechanism its rows, one a database; of mechanisms that are not independent one table of
    all their outcomes.  pair -- the two databases; claim -- what is concluded; lost -- what is lost;
    given_in -- the notion of the guarantees, where that is not the one in which something is concluded.
    """

    statement: Any
    world: World
    given: tuple[Values, ...]
    rows: tuple[tuple[Row, ...], ...]
    joint: bool
    pair: tuple[int, int]
    claim: Values
    lost: str
    given_in: str = ""


@dataclass
class Looked:
    """How much was searched: settings in which all suppositions held, mechanisms on them, and their sizes.

    told -- is called with this as one goes.
    """

    settings: int = 0
    mechanisms: int = 0
    databases: int = 0
    k: int = 0
    told: Callable[[Looked], None] | None = None

    def add(self, world: World) -> None:
        self.settings += 1
        self.databases = max(self.databases, len(world.names))
        self.k = max(self.k, len(world.readings))
        if self.told is not None:
            self.told(self)

    def __str__(self) -> str:
        return f"{self.sizes}, {self.mechanisms:,} families of mechanisms"

    @property
    def sizes(self) -> str:
        """How many settings, and how large they are."""
        many = f" and {self.k} mechanism{'s' * (self.k != 1)}" if self.k else ""
        return f"{self.settings:,} settings of at most {self.databases} databases{many}"


def look(statement: Any, most: int, looked: Looked) -> Counterexample | None:
    """A counterexample to a statement about compositions, among settings in which all it supposes holds.

    most -- how many settings of one kind are looked at, of one number of mechanisms on one class.
    """

    def fits(world: World) -> bool:
        return all(holds(world, hypothesis) for hypothesis in statement.hypotheses)

    for world in settings(statement.premises, fits, most):
        looked.add(world)
        if (counterexample := _in(statement, world, looked)) is not None:
            return counterexample
    return None


def _in(statement: Any, world: World, looked: Looked) -> Counterexample | None:
    """A counterexample in one setting."""
    kept = statement.kept
    for given in guarantees(statement.outputs, len(world.readings)):
        claims = {pair: statement.claim(world, given, pair) for pair in world.pairs}
        counterexample = None
        if kept.coin is None and kept.independent and kept.earlier:
            counterexample = _independent(statement, world, given, claims, looked)
        if counterexample is None and len(world.readings) == 2 and len(world.names) <= FEW:
            counterexample = _jointly(statement, world, given, claims, looked)
        if counterexample is not None:
            return counterexample
    return None


Claims: TypeAlias = Mapping[tuple[int, int], Values | None]
"""What is concluded of neighbouring databases; None where that is nothing."""


def _independent(
    statement: Any, world: World, given: tuple[Values, ...], claims: Claims, looked: Looked
) -> Counterexample | None:
    """Independent mechanisms, each of which tells one database from the others."""
    outputs, readings = statement.outputs, _readings(statement, world)
    for at in sorted({y for _, y in claims}):
        around = [(pair, claim) for pair, claim in claims.items() if claim is not None and at in pair]
        ways = (
            aimed(outputs, reading, as_key(has), at) for reading, has in zip(readings, given, strict=True)
        )
        for rows in product(*ways):
            looked.mechanisms += 1
            for (x, y), claim in around:
                lost = outputs.lost([row[x] for row in rows], [row[y] for row in rows], claim)
                if lost is not None:
                    return Counterexample(statement, world, given, rows, False, (x, y), claim, lost)
    return None


def _jointly(
    statement: Any, world: World, given: tuple[Values, ...], claims: Claims, looked: Looked
) -> Counterexample | None:
    """Two mechanisms of which the second may read what the first says, or that are not independent."""
    if statement.kept.independent and not statement.adaptive:
        return None
    readings = _readings(statement, world)
    for sides in product((0, 1), repeat=len(world.names) - 1):
        sides = (0, *sides)
        moves = (_least(readings[0], sides), _least(readings[1], sides))
        allowed = (statement.outputs, moves, tuple(map(as_key, given)), statement.kept)
        looked.mechanisms += len(joint_tables(*allowed)) if any(sides) else 0
        for (x, y), claim in claims.items():
            if claim is not None and sides[x] != sides[y]:
                found = _exceeding(*allowed, as_key(claim), sides[x])
                if found is not None:
                    rows = (tuple(found[0][side] for side in sides),)
                    return Counterexample(statement, world, given, rows, True, (x, y), claim, found[1])
    return None


def _readings(statement: Any, world: World) -> tuple[Reading, ...]:
    """What mechanisms may depend on."""
    return world.readings if statement.kept.depends else tuple(reading.wholly for reading in world.readings)


FEW = 3
"""Of up to so many databases joint tables are gone through, with two different rows."""


def _least(reading: Reading, sides: Sequence[int]) -> int:
    """How far what is read moves at least between databases of different sides: 0, 1, or more steps."""
    every = range(len(sides))
    numbers = {reading.moves(x, y) for x in every for y in every if sides[x] != sides[y]}
    return min((r for r in numbers if r in (0, 1)), default=INFINITE)


@lru_cache(maxsize=50_000)
def aimed(outputs: Outputs, reading: Reading, given: Key, at: int) -> list[tuple[Row, ...]]:
    """Mechanisms that tell a database from the others, of which the guarantee was checked."""
    values = dict(given)
    if reading.inside is None:
        near = sorted(reading.stated.pairs)
    else:
        near = [(reading.values.index(v), reading.values.index(w)) for v, w in sorted(reading.inside.pairs)]
    return [
        rows
        for rows in outputs.aimed(reading, values, at)
        if all(outputs.within(rows[x], rows[y], values) for x, y in near)
        and all(rows[reading.values.index(v)] == row for v, row in zip(reading.values, rows, strict=True))
    ]


@lru_cache(maxsize=500)
def joint_tables(
    outputs: Outputs, moves: tuple[int, int], given: tuple[Key, ...], kept: Kept
) -> list[tuple[Row, Row]]:
    """Pairs of rows of two mechanisms' joint outcomes, of which all that is supposed was checked.

    moves -- how far what each reads moves at least between databases with different rows.
    """
    values = [dict(one) for one in given]

    def fits(P: Row | None, Q: Row | None, i: int) -> bool:
        """Whether the second or first mechanism may have these rows; None: what never happens."""
        if P is None or Q is None or moves[i] == INFINITE:
            return True
        if moves[i] == 0:
            return P == Q
        return outputs.joint_within(P, Q, values[i]) and outputs.joint_within(Q, P, values[i])

    found = []
    for P, Q in product(quarters(), repeat=2):
        if kept.coin is None and not fits(first(P), first(Q), 0):
            continue
        if kept.coin and first(P) != first(Q):
            continue
        if kept.independent:
            outcomes = (0, 1) if kept.earlier else (0,)
            fine = all(fits(second(P, outcome), second(Q, outcome), 1) for outcome in outcomes)
        else:
            fine = fits(second(P), second(Q), 1)
        if fine:
            found.append((P, Q))
    return found


@lru_cache(maxsize=10_000)
def _exceeding(
    outputs: Outputs, moves: tuple[int, int], given: tuple[Key, ...], kept: Kept, claim: Key, at_D: int
) -> tuple[tuple[Row, Row], str] | None:
    """The first of these tables that loses more than is claimed, and what; at_D -- which row is that of D."""
    for table in joint_tables(outputs, moves, given, kept):
        lost = outputs.joint_lost(table[at_D], table[1 - at_D], dict(claim))
        if lost is not None:
            return table, lost
    return None
