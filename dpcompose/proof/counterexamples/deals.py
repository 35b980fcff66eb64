"""Random parts in counterexamples: all records are dealt to one input, which may be another one for databases
of other sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting, members

Records = tuple[Any, ...]
Pair = tuple[Records, Records]
MOST = Fraction(10**9)
"""What no promise counts as, among losses that are put in order."""
MOST_MORE = 64
"""How many records more databases have at most at which it is looked for what is lost."""


def written_out(
    setting: Setting, sizes: Mapping[str, int], point: Mapping[str, Fraction]
) -> tuple[Setting, tuple[int, ...]]:
    """The setting with families member by member, and of which one each is; records are dealt to the input
    of a deal that loses most, and where numbers of records are odd, to the one that loses most but for it."""
    written, origin = members.written_out(setting, sizes)
    told, edits = list(written.mechanisms), setting.target.edits(setting.databases)
    replaced = edits is not None and edits.single == frozenset({(1, 1)})
    for of in {n for n, mechanism in zip(origin, told, strict=True) if mechanism.reads.dealt}:
        numbers = [at for at, n in enumerate(origin) if n == of]
        order = sorted(numbers, key=lambda at: _loss(told[at], point), reverse=True)
        turns = {order[0]: (0, 1)} if replaced else {order[0]: (0,), order[1]: (1,)}
        for at in numbers:
            told[at] = replace(told[at], reads=told[at].reads.dealt_in(turns.get(at, ())))
    return replace(written, mechanisms=tuple(told)), origin


def _loss(mechanism: Mechanism, point: Mapping[str, Fraction]) -> Fraction:
    """By what members are put in order: their first parameter."""
    value = mechanism.satisfies.terms[0][1]
    return MOST if value.kind == "oo" else enclosure(formulas.at(value, point), 64).low


def with_more(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Pairs of databases, and these with more and more records in both."""
    some, n = list(pairs), 1
    yield from some
    while n <= MOST_MORE:
        for D, E in some:
            more = (D or E)[:1] * n
            yield tuple(sorted(D + more)), tuple(sorted(E + more))
        n *= 2
