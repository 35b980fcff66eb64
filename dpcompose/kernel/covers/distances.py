"""Covers where guarantees are formulas in distances: types of all these distances together.

A mechanism may be stated in a formula of several distances, each as far as some mechanism's input would move.
These stand in its place while the class is covered: so they are looked at jointly, neighbours by neighbours.
No formula falls as distances grow, so that the types which no other one exceeds still decide; at each of
them the mechanism has a guarantee of its own, for two databases: there may be none between them, and what
holds of several steps of a guarantee does not hold of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.types import Cover, Moves, NoCover, Type
from dpcompose.kernel.expressions import metrics
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term
from dpcompose.kernel.library.theory import Theory


def cover(
    setting: Setting, theory: Theory, of_inputs: Callable[[Setting, Theory, bool], Cover], every: bool
) -> Cover:
    """The types of a setting with such mechanisms, from the cover of all inputs.

    every -- whether types may not be left out, as convex losses are no larger at them.
    """
    moving, numbers = _of_inputs(setting)
    found = of_inputs(moving, theory, every or not all(map(_is_convex, setting.mechanisms)))
    if any(type.choices for type in found.types):
        found = of_inputs(moving, theory, True)
    convex = frozenset(i for i, number in numbers.items() if found.convex & {*number})
    if bent := [one.name for i in convex if not _is_convex(one := setting.mechanisms[i - 1])]:
        raise NoCover(f"the metric of {bent[0]} is not seen to be convex in the distances")
    pages = tuple(
        tuple(dict.fromkeys(page for n in number for page in found.metrics[n - 1]))
        for number in numbers.values()
    )
    types = tuple(_type(setting, type, numbers) for type in found.types)
    return Cover(types, found.page, found.gone_through, pages, convex, infinite=found.infinite)


def of_pairs(
    setting: Setting, of_inputs: Callable[[Setting], Callable[[int, int], Type]]
) -> Callable[[int, int], Type]:
    """The types of any two listed databases, from those of all inputs there."""
    moving, numbers = _of_inputs(setting)
    at = of_inputs(moving)
    return lambda x, y: _type(setting, at(x, y), numbers)


def _of_inputs(setting: Setting) -> tuple[Setting, dict[int, list[int]]]:
    """The setting of all that may move, and by the mechanism the numbers of what moves for it."""
    numbers: dict[int, list[int]] = {}
    inputs = setting.inputs
    for n, (i, _) in enumerate(inputs, start=1):
        numbers.setdefault(i, []).append(n)
    for mechanism in setting.mechanisms:
        check_formula(mechanism)
    named = (
        replace(mechanism, name=f"{mechanism.name} ({n})") for n, (_, mechanism) in enumerate(inputs, start=1)
    )
    return replace(setting, mechanisms=tuple(named), flat=None), numbers


def inputs_of(mechanism: Mechanism) -> dict[str, Mechanism]:
    """What moves, by the letters of the distances of a mechanism that is stated in formulas; else it."""
    return {"": mechanism} if mechanism.metric is None else dict(mechanism.metric.distances)


def check_formula(mechanism: Mechanism) -> None:
    """Raises NoCover where a formula may fall as distances grow, or is not 0 where all are 0; or where a
    distance is in none of the formulas: at an infinite one nothing else is looked at."""
    for key, value in () if mechanism.metric is None else mechanism.metric.formulas:
        if not metrics.grows(value):
            raise NoCover(
                f"the {key} of {mechanism.name} is not seen to grow with the distances it is made of"
            )
        if metrics.at(value, {}) != ZERO:
            raise NoCover(f"the {key} of {mechanism.name} is not 0 where all distances are")
    if mechanism.metric is not None:
        used = {letter for _, value in mechanism.metric.formulas for letter in value.letters}
        if unused := [name for name, _ in mechanism.metric.distances if name not in used]:
            raise NoCover(f"{unused[0]} is no distance in the formulas of {mechanism.name}")


def _is_convex(mechanism: Mechanism) -> bool:
    """Whether its formulas are seen to be convex in the distances together, where it has some."""
    return mechanism.metric is None or all(metrics.is_convex(term) for _, term in mechanism.metric.formulas)


def _type(setting: Setting, type: Type, numbers: dict[int, list[int]]) -> Type:
    """A type of inputs as one of mechanisms."""
    moves: list[tuple[int, tuple[tuple[int | Term, Term], ...]]] = []
    lost = []
    for i, mechanism in enumerate(setting.mechanisms, start=1):
        if mechanism.metric is None:
            continue
        if type.unlimited & {*numbers[i]}:
            raise NoCover(f"a distance in which {mechanism.name} is stated is finite and has no limit")
        names = [name for name, _ in mechanism.metric.distances]
        many, at = _moving(mechanism, dict(zip(numbers[i], names, strict=True)), type)
        far = metrics.at(mechanism.metric.formula, at)
        besides = tuple((key, metrics.at(value, at)) for key, value in mechanism.metric.besides)
        if any(value != ZERO for value in (far, *(value for _, value in besides))):
            moves.append((i, ((many, ONE),)))
            lost.append((i, far, besides))
    plain = {number[0]: i for i, number in numbers.items() if setting.mechanisms[i - 1].metric is None}
    others = type.of(plain)
    every: Moves = tuple(sorted([*others.moves, *moves], key=lambda move: move[0]))
    return replace(others, moves=every, lost=tuple(lost))


def _moving(mechanism: Mechanism, names: dict[int, str], type: Type) -> tuple[int | Term, dict[str, Term]]:
    """How many members move, and how far, by the letters of the distances."""
    moving = {names[n]: some for n, some in type.moves if n in names}
    many = {tuple(m for m, _ in some) for some in moving.values()}
    if len(many) > 1 or any(len(some) > 1 for some in many):
        raise NoCover(
            f"members of {mechanism.name} that move by different distances are not supported; write them out"
        )
    return (many.pop()[0] if many else 0), {name: some[0][1] for name, some in moving.items()}


def by_steps(type: Type) -> Type:
    """A type in which mechanisms that are stated in formulas move by one step of the guarantee there."""
    between = {i for i, _, _ in type.lost}
    moves = ((i, tuple((many, ONE if i in between else r) for many, r in some)) for i, some in type.moves)
    return replace(type, moves=tuple(moves))
