"""Settings at a point: families with as many members as it says, records dealt to one input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.members import written_out
from dpcompose.proof.hypotheses.inputs import Inputs

LARGEST_INSTANCE = 2_000
"""The most members of a family that are written out."""
MOST = Fraction(10**9)
"""What no promise counts as, among losses that are put in order."""


def instance(inputs: Inputs, point: Mapping[str, Fraction]) -> Inputs:
    """The inputs of the setting at a point, families written out with as many members as it says.

    Of a family of more than LARGEST_INSTANCE members that read alike, and have one guarantee, the first is
    written out and counts for all.  Raises BadCertificate where the point says nothing, or too many.
    """
    stated = (inputs.stated or inputs.setting).at(point)
    if not stated.families:
        told_apart = written_out(stated, {})[0] if stated.attributes else stated
        return inputs if told_apart == inputs.setting else Inputs(told_apart, inputs.theory, stated)
    sizes: dict[str, int] = {}
    times: tuple[int, ...] = ()
    for count in {str(m.members) for m in stated.mechanisms if m.members is not None}:
        size = Fraction(int(count)) if count.isdigit() else point.get(count, Fraction(0))
        too_many = size > LARGEST_INSTANCE
        if size.denominator != 1 or size < 1 or (too_many and not _members_are_alike(stated, count)):
            raise BadCertificate(f"{count} = {size} members are none, or too many to write out")
        sizes[count] = int(size)
    setting, origin = _written_out(stated, {n: _few(size) for n, size in sizes.items()}, point)
    counts = [str(stated.mechanisms[n - 1].members) for n in origin]
    if max(sizes.values()) > LARGEST_INSTANCE:
        times = tuple(sizes.get(n, 1) // _few(sizes.get(n, 1)) for n in counts)
    return Inputs(setting, inputs.theory, times=times)


def _few(size: int) -> int:
    """How many of so many members are written out."""
    return 1 if size > LARGEST_INSTANCE else size


def members(mechanism: Mechanism, point: Mapping[str, Fraction]) -> int:
    """How many members of a family are written out at a point; 1 for a single mechanism."""
    if mechanism.members is None:
        return 1
    return _few(int(formulas.at(mechanism.members, point).number or 0))


def _members_are_alike(setting: Setting, count: str) -> bool:
    """Whether all members of families of so many read the same, and have the same guarantee."""
    mechanisms = [
        mechanism
        for mechanism in setting.mechanisms
        if mechanism.members is not None and str(mechanism.members) == count
    ]
    if any(mechanism.reads.divided or mechanism.reads.dealt for mechanism in mechanisms):
        return False
    return not any(
        terms.moves(name) for mechanism in mechanisms for value in mechanism.terms for name in value.letters
    )


def _written_out(
    setting: Setting, sizes: Mapping[str, int], point: Mapping[str, Fraction]
) -> tuple[Setting, tuple[int, ...]]:
    """The setting with families member by member, and of which one each is; records are dealt to the input
    of a deal that loses most, and where numbers of records are odd, to the one that loses most but for it."""
    written, origin = written_out(setting, sizes)
    told = list(written.mechanisms)
    replaced = setting.target.single_step.innermost()[0].changed == {(1, 1)}
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


def grows(inputs: Inputs, mechanism: Mechanism) -> bool:
    """Whether a mechanism loses most in the limit of more and more records, and there may be so many."""
    if not inputs.setting.databases.any_number:
        return False
    law = None if mechanism.noise is None else inputs.theory.noise(mechanism.noise.word)
    return law is not None and bool(law.head.in_the_limit)


LARGEST_MULTIPLE = 4_096
"""How often the records of a pair are taken at most, and how many more there are."""


def larger(
    pair: tuple[Any, Any], times: Callable[[tuple[Any, ...], int], tuple[Any, ...]] | None
) -> Iterator[tuple[Any, Any]]:
    """A pair of databases, and its multiples, or the same with more and more records in both.

    times -- the multiples of a database; None where these are no neighbours.
    """
    (D, E), n = pair, 1
    yield pair
    while n <= LARGEST_MULTIPLE:
        more = (D or E)[:1] * n
        both: Iterable[Any] = (D + more, E + more) if times is None else (times(D, 4 * n), times(E, 4 * n))
        first, second = (tuple(sorted(database)) for database in both)
        yield first, second
        n *= 4 if times else 2


def with_more(pair: tuple[Any, Any], n: int, of: tuple[Any, ...]) -> tuple[Any, Any]:
    """A pair of databases with so many times some records more in both."""
    D, E = pair
    return tuple(sorted(D + of * n)), tuple(sorted(E + of * n))
