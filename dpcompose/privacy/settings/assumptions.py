"""Relations between parameters, as users write them: two formulas with a sign, or sympy relations."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from dpcompose.kernel.core.assumptions import SIGNS, Assumed, Assumption, members_in
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import POSITIVE
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.formulas import FormulaError

WANTED = 'two formulas joined by <, <=, > or >=, such as "u > l"'
Counts = Mapping[str, Term]
"""How many members families have, by the names of these: e[i]."""


def assumption(
    given: object, known: Mapping[str, Term] | None = None, counts: Counts | None = None
) -> Assumption:
    """The relation that a user gives: a text, or a sympy relation.

    known -- what the names in a text mean; None for positive parameters of those names; counts -- how many
    members families have: e[i] <= e is the same as max(e[i], i, 1, k) <= e.
    Raises FormulaError.

    >>> str(assumption("e1 <= 2*e2"))
    'e1 <= 2*e2'
    >>> str(assumption("e[i] < 1", counts={"e[i]": terms.letter("k")}))
    'max(e[i], i, 1, k) < 1'
    """
    if isinstance(given, Assumption):
        return given
    left, sign, right = _of_text(given) if isinstance(given, str) else _of_sympy(given)
    relation = Assumption(formulas.term(left, known), sign, formulas.term(right, known))
    if relation.left.has("oo") or relation.right.has("oo"):
        raise FormulaError("an assumption is about numbers, and oo is none")
    return _of_largest(relation, counts or {})


def _of_largest(given: Assumption, counts: Counts) -> Assumption:
    """A relation of each member of a family as one of the largest member.  Raises FormulaError."""
    more, less = (given.left, given.right)[:: 1 if given.sign in (">", ">=") else -1]
    if members_in(more):
        raise FormulaError(
            "of the members of a family only what they are at most can be assumed: "
            "e[i] <= e, with a formula without e[i] on the larger side"
        )
    if not members_in(less):
        return given
    unknown = [name for name in members_in(less) if name not in counts]
    if unknown:
        raise FormulaError(
            f"no family of mechanisms has the members {unknown[0]}; max({unknown[0]}, i, 1, k) says how many"
        )
    largest = terms.over(1, less, counts[members_in(less)[0]])
    return (
        Assumption(more, given.sign, largest)
        if less is given.right
        else Assumption(largest, given.sign, more)
    )


def _of_text(given: str) -> tuple[object, str, object]:
    parts = re.split(r"(<=|>=|<|>)", given)
    if len(parts) != 3 or "=" in parts[0] + parts[2]:
        more = "; write each relation by itself" if len(parts) > 3 else ""
        raise FormulaError(f"an assumption is {WANTED}{more}")
    return parts[0], parts[1], parts[2]


def _of_sympy(given: object) -> tuple[object, str, object]:
    loaded = sys.modules.get("sympy")
    sign = (
        getattr(given, "rel_op", "")
        if loaded and isinstance(given, loaded.core.relational.Relational)
        else ""
    )
    if sign not in SIGNS:
        shown = "; sympy sees by itself whether it holds" if str(given) in ("True", "False") else ""
        raise FormulaError(f"{given} is no assumption: it is {WANTED}{shown}")
    return given.lhs, sign, given.rhs  # type: ignore[attr-defined]


def names(text: str) -> list[str]:
    """The names in an assumption that is a text, as far as it can be read."""
    letters: list[str] = []
    for part in re.split(r"[<>=]+", text):
        try:
            letters += [name for name in formulas.names(part) if name not in letters]
        except FormulaError:
            continue
    return letters


def so_far(texts: Sequence[str], known: Mapping[str, Term]) -> Assumed:
    """The relations that can be read, where other names than the known ones count as positive."""
    assumptions: list[Assumption] = []
    for text in texts:
        letters = {name: terms.letter(name, POSITIVE) for name in names(text)}
        with suppress(FormulaError):
            assumptions.append(assumption(text, {**letters, **known}))
    return tuple(assumptions)


def read(
    texts: Mapping[int, str],
    known: Mapping[str, Term],
    wrong: Callable[[tuple[str, int], object], None],
    counts: Counts | None = None,
) -> Assumed:
    """The relations of a file, by their numbers in it; wrong -- is told what is wrong with one, and where."""
    assumptions: list[Assumption] = []
    for n, text in texts.items():
        try:
            assumptions.append(assumption(text, known, counts))
            if why := doubt(assumptions[-1]):
                wrong(("assume", n), why)
        except FormulaError as error:
            wrong(("assume", n), error)
    return tuple(assumptions)


def doubt(given: Assumption) -> str:
    """Why one side may have no real value for some allowed parameters; "" where both surely have one."""
    known = {name: terms.letter(name, domain) for name, domain in given.letters.items()}
    left, _, right = given.data()
    return values.doubt(left, known) or values.doubt(right, known)
