"""How far attributes that are numbers move: between neighbours, and on the paths that their distances count.

Paths stay near where the target's edges can be walked in steps of each policy; else an end that is far away
may matter, and then a line has to have ends (shapes/policies.md, "Numbers").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil

from dpcompose.spaces.classes.attributes import Attributes
from dpcompose.spaces.classes.lines import Line, Moves
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.policies import Policy, policy_of
from dpcompose.spaces.moves.replacements import Change


def moves(
    target: Granularity, stated: Iterable[Granularity], contracted: Iterable[Granularity], known: Attributes
) -> dict[str, Moves]:
    """How far the attributes that are numbers move.

    contracted -- of what guarantees are stated for, that about what is read on the common domain: all that is
    not read is one there.

    >>> from dpcompose.spaces.classes.attributes import attributes
    >>> from dpcompose.spaces.moves.policies import policy
    >>> near, nearer = (policy(f"{d}", replace={"within-distance": d, "norm": "L1"}) for d in (5, 2))
    >>> age = moves(near, [near, nearer], [nearer], attributes({"age": {"integers": "all"}}))["age"]
    >>> str(age.reach), str(age.near)  # three steps of 2: two of them lead out of what is read
    ('5', '4')
    """
    return _Moves(target, list(stated), list(contracted), known).all()


class _Moves:
    """What is asked of the lines of a setting."""

    def __init__(
        self,
        target: Granularity,
        stated: Sequence[Granularity],
        contracted: Sequence[Granularity],
        known: Attributes,
    ) -> None:
        self.lines, self.names = dict(known.lines), frozenset(known.names)
        of = policy_of(target)
        self.target: Policy | None = None if of is None else of[0]
        self.steps = 1 if of is None else of[1]
        single = [pair[0] for pair in map(policy_of, (target, *stated)) if pair is not None]
        self.measured = [change for policy in single for change in self.measuring(policy)]
        self.contracted = [pair[0] for pair in map(policy_of, contracted) if pair is not None]

    def all(self) -> dict[str, Moves]:
        """Of each line."""
        return {name: self.of(name, line) for name, line in self.lines.items()}

    def of(self, name: str, line: Line) -> Moves:
        """How far one attribute moves."""
        distances = frozenset(
            change.length for change in self.measured if name in change.attributes and change.length
        )
        if not distances:
            return Moves(records=self.steps)
        reach = self.reach(name)
        return Moves(reach or Fraction(0), None if reach is None else self.near(name), distances, self.steps)

    def measuring(self, policy: Policy) -> list[Change]:
        """The changes of a policy that are limited, and lead to other records."""
        return [change for change in self.changes(policy) if change.length is not None]

    def changes(self, policy: Policy) -> list[Change]:
        """What a policy may change, by how much: on the integers by a whole number."""
        changes = []
        for change in policy.replace.changes(self.names):
            lines = [self.lines[name] for name in change.attributes if name in self.lines]
            whole = bool(lines) and all(line.whole for line in lines)
            if change.length is not None and lines and len(change.attributes) > (len(lines) if whole else 1):
                raise ValueError(
                    f"{policy}: a distance of several attributes is one between integers, each of them "
                    "{ integers = ... }; real numbers, and listed ones beside these, have their own distances"
                )
            if change.length is None or change.length >= 1 or not whole:
                length = change.length if change.length is None or not whole else Fraction(int(change.length))
                changes.append(Change(change.attributes, length))
        return changes

    def reach(self, name: str) -> Fraction | None:
        """How far a number of a record that becomes another one between neighbours moves; None: anywhere."""
        if self.target is None or (self.steps > 1 and self.target.add_remove != frozenset()):
            return None
        values = [change.length for change in self.changes(self.target) if name in change.attributes]
        return None if None in values else self.steps * max(filter(None, values), default=Fraction(0))

    def near(self, name: str) -> Fraction | None:
        """How far from an end a path may have begun that leads out of what is read; None: anywhere."""
        value, gaps = Fraction(0), any(len(line.ranges) > 1 for line in self.lines.values())
        for policy in self.contracted:
            far = [
                change.length
                for change in self.measuring(policy)
                if name in change.attributes and change.length
            ]
            if far:
                many = self.walked(policy)
                if many is None or (gaps and len(self.lines) > 1):
                    return None
                value = max(value, (many - 1) * max(far))
        return value

    def walked(self, policy: Policy) -> int | None:
        """In how many steps of a policy neighbours of the target can be walked at most; None: in none."""
        assert self.target is not None
        changes = self.changes(policy)
        there = {
            x for change in changes for x in change.attributes if change.length is None or x in self.lines
        }
        changed = (change.attributes <= there for change in self.changes(self.target))
        comes = self.target.add_remove != frozenset() and policy.add_remove is not None
        return None if comes or not all(changed) else sum(self.steps_of(name, changes) for name in self.names)

    def steps_of(self, name: str, changes: Sequence[Change]) -> int:
        """In how many steps one attribute changes as neighbours do, at most."""
        lengths = [change.length for change in changes if name in change.attributes]
        reach = self.reach(name)
        if not lengths or None in lengths or not reach:
            return 1
        return ceil(reach / max(filter(None, lengths)))
