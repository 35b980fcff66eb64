"""Covers of groups of any number m of steps, or of many: the types of single steps, m times as far.

A group moves an input by at most the sum of what its steps move it.  Losses that add up and are convex are
at most the mean of those at m times each step, so at most the largest of them; and m steps of one kind, with
the same records taken m times, move all inputs m times as far.  An input that all steps move as far is m
times as far for any m of them: what is lost there need not be convex.

Where databases have cells, are listed, or have so many records at most, some number of steps leads as far as
any: then the types of groups of 1, 2, … up to so many steps are those of m, each from its number on; or those
of single steps as many times as far, where there is room for the same step as often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

from dpcompose.kernel.core.assumptions import rounded_up
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.contributions import Contribution
from dpcompose.kernel.core.settings import NOTHING, Mechanism, Relation, Setting
from dpcompose.kernel.covers.covering import first_of
from dpcompose.kernel.covers.pushed import groups_pass, is_seen_whole
from dpcompose.kernel.covers.queries import query_in_rows
from dpcompose.kernel.covers.room_for_rows import fewest_rows, that_are_full
from dpcompose.kernel.covers.rooms import room
from dpcompose.kernel.covers.seen import Seen
from dpcompose.kernel.covers.types import LARGEST, Cover, Moves, NoCover, Pair, Type, from_number_on
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import INFINITY, ONE, Term, least, number
from dpcompose.kernel.library.theory import Theory

PROCEDURE = "any number of steps"


def are_scaled(setting: Setting) -> bool:
    """Whether types of several steps may be those of a single one, taken as often."""
    target, databases = setting.target, setting.databases
    if target.steps == 1 or target.elsewhere:
        return False
    return databases.steps_add_up


def of_single_steps(setting: Setting, theory: Theory) -> Setting:
    """The setting for single steps of the target.  Raises NoCover where groups are not m times as far."""
    mechanisms = tuple(_for_single_steps(mechanism, setting, theory) for mechanism in setting.mechanisms)
    target = replace(setting.target, steps=1, times=None)
    return replace(setting, target=target, mechanisms=mechanisms, flat=None)


def _for_single_steps(mechanism: Mechanism, setting: Setting, theory: Theory) -> Mechanism:
    """A mechanism whose distance for m steps is m times that of one, or does not depend on m.

    The value of a query moves m times as far where it does so by linear forms, or as a norm, in how many
    records come and go.
    """
    stated, target = mechanism.stated, setting.target
    if stated is None:
        query_in_rows(mechanism, theory)
        return mechanism
    if stated.times is not None or stated.steps > 1:
        _check_passes(mechanism, stated, setting.databases)
    if stated.times not in (None, target.times):
        raise NoCover(f"{mechanism.name} is stated for groups of another number of steps than the target's")
    if stated.steps > 1:
        check_by_distance(mechanism)
        if not setting.databases.of_multisets or setting.databases.largest is not None:
            raise NoCover(
                f"{mechanism.name} is stated for groups of {stated.steps}, which are told beside groups of "
                "another number of steps on multisets without a largest size; state it for single steps"
            )
    bag, single = stated.single, target.single
    alike = (single.parts, single.rows) if isinstance(single, Contribution) else (ONE, ONE)
    if isinstance(bag, Contribution) and (bag.parts, bag.rows) != alike:
        raise NoCover(
            f"several steps of the target may be one of those that {mechanism.name} is stated for, of "
            "persons with other numbers of parts or rows; state it for the same"
        )
    return replace(mechanism, stated=replace(stated, steps=1, times=None))


def _check_passes(mechanism: Mechanism, stated: Relation, databases: Databases) -> None:
    """Raises NoCover where groups of steps on databases are no groups of as many steps of what is read."""
    every = frozenset(range(len(databases.atoms)))
    if not databases.by_edges or stated.any_two:
        return
    here = room(databases)
    for numbers in mechanism.reads:
        seen = Seen(every if numbers is None else frozenset(numbers), mechanism.codes)
        edges = here.usable(frozenset(stated.policy), every)
        if not is_seen_whole(here, mechanism, seen) and not groups_pass(here, seen, edges):
            raise NoCover(
                f"groups of any number of steps, for which {mechanism.name} is stated on the common domain, "
                "do not pass through what it reads; state it for single steps, or on the own domain"
            )


def _groups(name: str, steps: int, far: Term, m: Term, setting: Setting) -> Term:
    """How many groups of some steps are m times as many steps as lead so far: a number, a multiple of m, or a
    letter that is assumed to be that.  Raises NoCover where no letter is."""
    if far.number is None:
        return far
    v, l = (far.number / steps).as_integer_ratio()
    if m.number is not None or l == 1:
        return v * m if m.number is None else number(-(-v * int(m.number) // l))
    if (c := rounded_up(v * m, l, setting.parameters, setting.assumed)) is not None:
        return c
    of, most, steps_of = (formulas.to_text(term) for term in (v * m, v * m + (l - 1), m))
    raise NoCover(
        f"{name} is stated for groups of {steps}: {steps_of} steps of the target are {of}/{l} of these, "
        f'rounded up, which is no formula; call it c, and with c = "integer >= 1" assume "{l}*c >= {of}" and '
        f'"{l}*c <= {most}", or state it for single steps'
    )


def cover(
    setting: Setting,
    theory: Theory,
    single: Callable[[Setting, Theory, bool], Cover],
    enough: Term | None = None,
    every: bool = False,
    longer: Callable[[], Cover] | None = None,
) -> Cover:
    """The types of groups, from covers of some numbers of steps.

    enough -- how many lead as far as any number; every -- whether those are wanted that stand for all
    neighbours whatever is lost; longer -- those of records that are two steps apart.
    """
    multiples = partial(_of_multiples, setting, theory, single, enough, every)
    apart = [longer] if longer else []
    if enough is None or enough.number is None:
        return first_of([multiples, *apart])
    each = partial(_of_each_number, setting, theory, single, int(enough.number))
    if not setting.databases.of_multisets:
        return each()
    return first_of([*([each, multiples] if every else [multiples, each]), *apart])


def _of_multiples(
    setting: Setting,
    theory: Theory,
    single: Callable[[Setting, Theory, bool], Cover],
    enough: Term | None,
    every: bool,
) -> Cover:
    """The types of single steps, m times as far, or as often as leads as far as any number does.

    What may move in place of what does, moves m times as far as well.
    """
    m = setting.target.times or number(setting.target.steps)
    page = theory.procedure(PROCEDURE)
    relations = (one.stated for one in setting.mechanisms if one.stated is not None)
    own = any(stated.times is not None or stated.steps > 1 or stated.any_two for stated in relations)
    found = single(of_single_steps(setting, theory), theory, every or own)
    fixed = frozenset(
        i
        for i, mechanism in enumerate(setting.mechanisms, start=1)
        if mechanism.stated is not None and (mechanism.stated.any_two or mechanism.stated.times is not None)
    )
    fixed |= _check_full(setting, found)
    groups = {
        i: one.stated.steps
        for i, one in enumerate(setting.mechanisms, start=1)
        if one.stated is not None and one.stated.steps > 1 and i not in fixed
    }
    rounded = dict[int, Term]()
    for i in (*fixed, *groups):
        name, far = setting.mechanisms[i - 1].name, {dict(type.moves).get(i) for type in found.types}
        if len(far) > 1:
            raise NoCover(
                f"{name} is stated for groups of steps, or for any two databases, and moves by other numbers "
                "of these for other steps of the target; state it for single steps"
            )
        for _, r in (each for some in far for each in some or ()) if i in groups else ():
            rounded[i] = _groups(name, groups[i], r, m, setting)
    _check_families(setting, fixed, found)
    if enough is not None and m != enough:
        _check_copies(setting, enough, found)
        m = least(m, enough)
    types = tuple(_scaled(type, m, fixed, rounded, setting) for type in found.types)
    numbers = frozenset(range(1, len(setting.mechanisms) + 1))
    one_way = (i for i in numbers if setting.mechanisms[i - 1].noise is None)  # others may split what moves
    whole = frozenset(i for i in one_way if not setting.mechanisms[i - 1].partition)
    whole -= frozenset(i for type in found.types for choice in type.choices for i in choice.mechanisms)
    as_far = frozenset(i for i in whole if len({dict(type.moves).get(i) for type in found.types}) == 1)
    convex = numbers - fixed - as_far | found.convex
    metrics = tuple((*pages, found.page) for pages in found.metrics)
    return Cover(types, page, found.gone_through, metrics, convex, infinite=found.infinite)


def _check_full(setting: Setting, found: Cover) -> frozenset[int]:
    """The mechanisms that read everything of which all rows are replaced as one person is, and that more
    persons move no further.  Raises NoCover where it is not all that go and come."""
    full, single = that_are_full(setting), setting.target.single
    if not isinstance(single, Contribution) or single.replaced != "no":
        return full
    for i in full:
        one, far = setting.mechanisms[i - 1], {r for type in found.types for r in _of(type, i)}
        if (one.stated is None or not one.stated.any_two) and not far <= {INFINITY}:
            raise NoCover(
                f"how far several persons that come and go move what {one.name} asks of everything is "
                "not told where there is a largest number of rows; a single person would do"
            )
    return frozenset()


def _check_copies(setting: Setting, enough: Term, found: Cover) -> None:
    """Raises NoCover unless there is room for as many copies of each step as lead as far as any number."""
    databases, n = setting.databases, setting.databases.size[1] or 0
    for type in found.types:
        D, E = (Counter(side) for side in type.pair if isinstance(side, tuple))
        removed, added = ((one - other).total() for one, other in ((D, E), (E, D)))
        there = databases.lower is None and databases.differ(n * removed, n * added)
        if enough != databases.largest or not there:
            raise NoCover(f"{formulas.to_text(enough)} times the same step do not fit into {databases.shown}")
    for mechanism in setting.mechanisms:
        _check_single(mechanism)


def _check_families(setting: Setting, fixed: frozenset[int], found: Cover) -> None:
    """Raises NoCover where m steps may move some members of a family once each, and others of one on the same
    parts m times as far, which no type says.

    So it is where one step moves members by more than one, or the parts of m members are not written down."""
    for i in fixed:
        one = setting.mechanisms[i - 1]
        others = [j for j, m in enumerate(setting.mechanisms, start=1) if m.partition == one.partition]
        once = all(r in (ONE, INFINITY) for type in found.types for r in _of(type, i))
        told = setting.target.times is not None and setting.databases.of_atoms
        if one.partition and not (once and told and fixed.issuperset(others)):
            raise NoCover(
                f"each of several steps may move another member of {one.name}, which is stated for groups of "
                "these, or for any two databases; state it for single steps"
            )


MOST_NUMBERS = 16
"""Of at most so many numbers of steps the types are gone through one by one."""


def _of_each_number(
    setting: Setting, theory: Theory, single: Callable[[Setting, Theory, bool], Cover], enough: int
) -> Cover:
    """The types of s steps, for every s that leads further than fewer do, there where m is at least s."""
    m, most = setting.target.times, max(enough, 1)
    assert m is not None
    if most > MOST_NUMBERS:
        raise NoCover(
            f"{formulas.to_text(m)} steps lead further for each number up to {most:,}, which are too many to "
            "go through one by one; a number of steps would do"
        )
    for mechanism in setting.mechanisms:
        check_by_distance(mechanism)
    covers = [
        single(replace(setting, target=replace(setting.target, steps=s, times=None), flat=None), theory, True)
        for s in range(1, most + 1)
    ]
    types = dict[tuple[Any, ...], Type]()
    for s, found in enumerate(covers, start=1):
        for type in found.types:
            types.setdefault((type.moves, type.entries), _from(type, s, m))
    every = covers[-1]
    return Cover(
        tuple(types.values()),
        theory.procedure(PROCEDURE),
        sum(one.gone_through for one in covers),
        tuple((*pages, every.page) for pages in every.metrics),
    )


def check_by_distance(mechanism: Mechanism) -> None:
    """Raises NoCover where more is known of neighbours than how far they move what a mechanism reads."""
    _check_single(mechanism)
    if mechanism.table is not None or mechanism.partition or mechanism.dealt or mechanism.sampled is not None:
        raise NoCover(
            f"{mechanism.name} is a table, or about samples or one of any number of parts, which is not "
            "supported beside groups of any number of steps; a number of steps would do"
        )


def _check_single(mechanism: Mechanism) -> None:
    """Raises NoCover where the number of steps that a guarantee is stated for is a letter."""
    if mechanism.stated is not None and mechanism.stated.times is not None:
        raise NoCover(
            f"{mechanism.name} is stated for groups of any number of steps; state it for single steps"
        )


def _from(type: Type, s: int, m: Term) -> Type:
    """A type of s steps that is there where m is at least s: below nothing moves, as of two equal databases.

    A distance ∞ is one for a single step as well, as distances are metrics: then it is there for all m.
    """
    there = from_number_on(m, s)

    def far(r: Term) -> Term:
        return r if r.kind == "oo" else there * r

    moves: Moves = tuple((i, tuple((many, far(r)) for many, r in some)) for i, some in type.moves)
    return replace(type, moves=moves, entries=tuple((i, tuple(map(far, terms))) for i, terms in type.entries))


def of_any_two(setting: Setting) -> Setting:
    """The same with groups of steps in place of any two databases, where these are told by steps.

    Any two databases of n records are n replacements apart; with l to n records they are n steps apart that
    replace, remove or add one.
    """
    databases = setting.databases
    n, lettered = databases.size[1], databases.letter is not None
    by_steps = databases.by_edges or (databases.of_atoms and lettered)
    if not setting.target.any_two or not by_steps or n is None:
        return setting
    atoms = range(len(databases.atoms))
    if databases.by_edges:
        pairs = combinations_with_replacement(atoms, 2)
        some = ((x, y) for x, y in pairs if x != y or len(databases.atoms[x].records) > 1)
        single: tuple[Any, ...] = (*((NOTHING, x) for x in atoms), *some)
    else:
        single = ((1, 1),) if databases.size[0] == "exactly" else ((0, 1), (1, 0), (1, 1))
    return replace(
        setting, target=Relation(single, 1 if lettered else max(1, n), times=databases.letter), flat=None
    )


def of_fewest(setting: Setting, theory: Theory, single: Callable[[Setting, Theory], Cover]) -> Cover:
    """The types where guarantees are for groups of any number of steps, and the target is for none such.

    More steps at once are fewer groups, and none are less than one: what is one group away for the fewest
    steps is so for all; and what no steps lead to, or more and more, is no nearer for any.
    """
    mechanisms = tuple(_for_the_fewest(mechanism) for mechanism in setting.mechanisms)
    found = single(replace(setting, mechanisms=mechanisms, flat=None), theory)
    for one in (mechanism for mechanism in setting.mechanisms if mechanism.stated and mechanism.stated.times):
        i = setting.mechanisms.index(one) + 1
        terms = (r for type in found.types for r in _of(type, i))
        if any(r.kind != "oo" and r != ONE for r in terms):
            raise NoCover(
                f"how many groups, for which {one.name} is stated, lead to a neighbour depends on how many "
                "steps these have; a target for groups of as many would do, or a number"
            )
    page = theory.procedure(PROCEDURE)
    return replace(found, metrics=tuple((*pages, page) for pages in found.metrics))


def _of(type: Type, i: int) -> Iterator[Term]:
    """How far members of a mechanism move."""
    return (r for j, some in type.moves if j == i for _, r in some)


def _for_the_fewest(mechanism: Mechanism) -> Mechanism:
    """A mechanism that is stated for groups of as few steps as a letter is for."""
    stated = mechanism.stated
    if stated is None or stated.times is None:
        return mechanism
    steps = int(stated.times.of[1].least)
    return replace(mechanism, stated=replace(stated, times=None, steps=steps))


def _scaled(
    type: Type, m: Term, fixed: frozenset[int], rounded: Mapping[int, Term], setting: Setting
) -> Type:
    """A type of single steps, m times as far.  Raises NoCover where there is no room for as many records.

    rounded -- how far inputs move of which guarantees are for groups of other numbers of steps.
    """

    def far(i: int, many: int | Term, r: Term) -> tuple[int | Term, Term]:
        if i in rounded:
            return many, rounded[i]
        if i not in fixed:
            return many, r if r.kind == "oo" else m * r
        return m * many if setting.mechanisms[i - 1].partition else many, r

    def scaled(moves: Moves) -> Moves:
        return tuple((i, tuple(far(i, *each) for each in some)) for i, some in moves)

    moves, entries = scaled(type.moves), tuple((i, tuple(m * r for r in some)) for i, some in type.entries)
    choices = tuple(
        replace(choice, of=tuple((atom, scaled(some)) for atom, some in choice.of)) for choice in type.choices
    )
    if m.number is None:
        return Type(moves, type.unlimited, type.pair, entries, choices=choices, often=m)
    pair = repeated(type, int(m.number), setting.databases, rows=fewest_rows(setting.target))
    return Type(moves, type.unlimited, pair, entries, choices=choices)


def repeated(
    type: Type,
    often: int,
    databases: Databases,
    besides: Sequence[tuple[Pair | tuple[int, ...], int]] = (),
    rows: int = 1,
) -> Pair:
    """The two databases of a type of single steps, with what differs so many times, and what further pairs
    differ in as often as they say.  Raises NoCover.

    rows -- for how many each of those stands in which they differ.
    """
    D, E = Counter[str](), Counter[str]()
    for pair, times in ((type.pair, often), *besides):
        both = [Counter(side) for side in pair if isinstance(side, tuple)]
        for whole, some, other in ((D, *both), (E, *both[::-1])):
            whole.update({x: many * times for x, many in (some - other).items()})
    left, right = (tuple(one.elements()) for one in (D, E))
    removed, added = len(left) * rows, len(right) * rows
    if not databases.differ(removed, added):
        raise NoCover(f"{often:,} times the same step do not fit into databases of so few records")
    same = (left or right)[:1] * databases.shared(removed, added)
    if len(same) + max(len(left), len(right)) > LARGEST:
        raise NoCover(f"{often:,} times as many records are too many to write down")
    return tuple(sorted(left + same)), tuple(sorted(right + same))
