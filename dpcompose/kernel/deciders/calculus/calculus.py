"""Calculus: proofs that an elementary function is ≥ 0 on a box, as steps that are checked one by one.

A proof is a list of steps in the order in which a reader meets them; each reduces "f ≥ 0 on the box" to
the same of no, one or several other functions, whose proofs follow.  What the steps are: `steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from dpcompose.kernel.deciders.calculus import elementary, values
from dpcompose.kernel.deciders.calculus.elementary import Box, Elementary, Letter, NotElementary
from dpcompose.kernel.deciders.calculus.steps import RULES, Goal
from dpcompose.kernel.expressions import forms
from dpcompose.kernel.expressions.certificates import (
    BadCertificate,
    formula,
    letters,
    listed,
    number,
    whole,
    word,
)
from dpcompose.kernel.expressions.forms import Form
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

MOST_STEPS = 4_000
"""The most steps of a proof."""
MOST_NESTED = 60
"""How deep steps may lie in one another."""


@frozen
class Step:
    """One step: the rule and what it is used with."""

    rule: str
    of: tuple[Any, ...] = ()


# data


def _read_function(data: Any, f: Elementary, box: Box) -> Elementary:
    return values.of_term(formula(data, letters(box)))


def letters_like(wanted: Term, f: Elementary, box: Box) -> list[Letter]:
    """The letters of f, or inside of its letters, that a term means: more than one where f has two ways
    to write it."""
    return [
        letter for letter in sorted(set(elementary.every_letter(f))) if values.of_one(letter, box) == wanted
    ]


def _read_letter(data: Any, f: Elementary, box: Box) -> Letter:
    """The letter of f that a formula means; [formula, n] for the n-th one, from 0, of several."""
    text, n = listed(data, 2) if isinstance(data, list) else (data, 0)
    found = letters_like(formula(text, letters(box)), f, box)
    if whole(n) >= len(found):
        raise BadCertificate(f"{text} is no factor of a term")
    return found[n]


Reading = Callable[[Any, Elementary, Box], Any]


def _read_each(read: Reading, data: Any, f: Elementary, box: Box) -> Any:
    return tuple(read(one, f, box) for one in listed(data))


_READ: dict[str, Reading] = {
    "word": lambda data, f, box: word(data),
    "number": lambda data, f, box: number(data),
    "function": _read_function,
    "letter": _read_letter,
    "factor": lambda data, f, box: (
        _read_function(listed(data, 3)[0], f, box),
        whole(data[1]),
        word(data[2]),
    ),
}
_READ |= {f"{kind}s": partial(_read_each, one) for kind, one in _READ.items()}


def from_data(data: Any, wanted: Goal) -> Step:
    """A step from JSON, for a goal.  Raises BadCertificate where it has another form."""
    rule, *of = listed(data) or [""]
    if word(rule) not in RULES or len(of) != len(RULES[rule][1]):
        raise BadCertificate(f"there is no such step as {rule}")
    found = []
    for kind, one in zip(RULES[rule][1], of, strict=True):
        found.append(_READ[kind](one, *wanted))
    return Step(rule, tuple(found))


# checking


def goal(difference: Form) -> Goal:
    """What is to be shown of a difference of forms.  Raises NotElementary."""
    f, _ = values.goal(forms.write(difference))
    domains = difference.domains
    return f, {name: domains[name] for name in f.names}


def check(difference: Form, data: Any) -> None:
    """Raises BadCertificate unless the steps show that the form is ≥ 0 for all allowed letters.

    >>> from dpcompose.kernel.expressions.terms import exp, letter
    >>> e = letter("e")
    >>> steps = [["slope", "e", "least"], ["signs"], ["slope", "e", "least"], ["signs"], ["signs"]]
    >>> check(forms.read(exp(e) - 1 - e), steps)
    """
    given = listed(data)
    if len(given) > MOST_STEPS:
        raise BadCertificate("the proof has too many steps")
    rest = iter(enumerate(given, start=1))
    try:
        _check(goal(difference), rest, 0)
    except NotElementary as error:
        raise BadCertificate(str(error)) from None
    if (more := next(rest, None)) is not None:
        raise BadCertificate(f"step {more[0]} proves nothing that is needed")


def _check(wanted: Goal, rest: Iterator[tuple[int, Any]], depth: int) -> None:
    n, data = next(rest, (0, None))
    if not n:
        raise BadCertificate("the proof ends too early")
    if depth > MOST_NESTED:
        raise BadCertificate("the steps lie too deep in one another")
    try:
        goals = reduce(wanted, from_data(data, wanted))
    except (NotElementary, BadCertificate) as error:
        raise BadCertificate(f"step {n}: {error}") from None
    for one in goals:
        _check(one, rest, depth + 1)


def reduce(wanted: Goal, step: Step) -> list[Goal]:
    """What remains to be shown after a step.  Raises BadCertificate or NotElementary where it says nothing.

    >>> x = elementary.parameter("x")
    >>> from dpcompose.kernel.expressions.domains import NONNEGATIVE
    >>> (f, box), = reduce((x * x + x, {"x": NONNEGATIVE}), Step("divided", (x,)))
    >>> f == x + elementary.constant(1)
    True
    """
    f, box = wanted
    return RULES[step.rule][0](f, box, *step.of)
