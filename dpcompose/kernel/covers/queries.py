"""How far the values of queries move, in the norms of their noise, and whether as far as they may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.covering import Metric, is_about_least
from dpcompose.kernel.covers.types import NoCover, Type
from dpcompose.kernel.expressions import forms, formulas
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.substitution import changed, expanded, seen_largest, substituted
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term, as_term, largest, letter, number
from dpcompose.kernel.library.theory import Theory


def query_metric(mechanism: Mechanism, theory: Theory) -> Metric:
    """How far the value of a mechanism's query moves, in the norm of its noise's page."""
    query, law, formula, counted, only = _moves(mechanism, theory)

    @cache
    def at(removed: int, added: int) -> Term:
        if only and not is_at_least_zero(counted(only, number(removed), number(added))):
            words = f"{query.id} says how far it moves, of n records, where {only} >= 0"
            raise NoCover(f"{words}: that is not seen where {removed} are removed and {added} are added")
        term = counted(formula, number(removed), number(added))
        if term != counted(formula, number(added), number(removed)):
            raise NoCover(f"{query.id} moves by another amount from E to D than from D to E")
        if (far := term.number) is not None and far < 0:
            raise NoCover(f"{query.id} moves by a negative amount: no attribute lies between such bounds")
        return changed(term, seen_largest)

    @cache
    def entries(removed: int, added: int) -> tuple[Term, ...]:
        terms = [counted(entry, number(removed), number(added)) for entry in query.head.entries]
        return tuple(term for term in terms or [at(removed, added)] if term != ZERO)

    return Metric((query.id, law.id), at, query.head.whether, entries)


def query_in_rows(
    mechanism: Mechanism, theory: Theory
) -> tuple[tuple[str, ...], Callable[[Term, Term], Term]]:
    """How far the value of a query moves where numbers of rows, which may be formulas, go and come; and the
    pages that say so.  Raises NoCover where that is not seen to be convex in both, and 0 at 0."""
    query, law, formula, counted, only = _moves(mechanism, theory)
    if only:
        raise NoCover(f"{query.id} says nothing of any number of records that go and come")
    p, q = letter(" p", NONNEGATIVE), letter(" q", NONNEGATIVE)  # as no parameter is called

    def at(removed: Term, added: Term) -> Term:
        return changed(counted(formula, removed, added), seen_largest)

    whole = counted(formula, p, q)
    if whole != counted(formula, q, p):
        raise NoCover(f"{query.id} moves by another amount from E to D than from D to E")
    parts = whole.parts if whole.kind == "top" and whole.of[0] == 1 else (whole,)
    each = ({" p": ONE, " q": ZERO}, {" p": ZERO, " q": ONE})
    shares = [[substituted(part, values) for values in each] for part in parts]
    linear = (expanded(part - p * a - q * b) == ZERO for part, (a, b) in zip(parts, shares, strict=True))
    if not all(linear) and whole != formulas.parse("sqrt(p**2 + q**2)", {"p": p, "q": q}):
        raise NoCover(f"how far {query.id} moves is not seen to be convex in how many rows go and come")
    return (query.id, law.id), at


def entries_in_rows(mechanism: Mechanism, theory: Theory, removed: Term, added: Term) -> tuple[Term, ...]:
    """How far the entries of a query's value move where that moves furthest, and so many rows go and come;
    () where its page does not say it."""
    if mechanism.noise is None:
        return ()
    query, _, _, counted, _ = _moves(mechanism, theory)
    moved = (changed(counted(entry, removed, added), seen_largest) for entry in query.head.entries)
    return tuple(term for term in moved if term != ZERO)


def is_at_least_zero(value: Term) -> bool:
    """Whether a formula is seen to be at least 0."""
    return forms.term_sign(value) >= 0


def value_is_reached(i: int, type: Type, setting: Setting, theory: Theory) -> bool:
    """Whether the value of M_i's query moves, for some attributes, as far at the two of a type as it may.

    Where only the least number of records is known, no more are shared than have to be, by the page too; or
    one record is read of one of them, and none of the other.
    """
    mechanism = setting.mechanisms[i - 1]
    if mechanism.noise is None or mechanism.noise.query is None:
        return True
    head = theory.page(mechanism.noise.query.page, "query").head
    if not head.attained or not is_about_least(mechanism, theory):
        return bool(head.attained)
    least, (reads, *others) = mechanism.noise.query.least, mechanism.reads
    if least is None or head.at_least is None or others or not type.pair or isinstance(type.pair[0], int):
        return False
    atoms = setting.databases.atoms
    names = {name for n, atom in enumerate(atoms) if reads is None or n in reads for name in atom.records}
    x, y = (Counter(name for name in one if name in names) for one in type.pair if not isinstance(one, int))
    fewest, shared, wanted = min(x.total(), y.total()), (x & y).total(), head.at_least.shared
    if isinstance(least, Term):  # the smaller one has as many, whatever the letter is
        enough = not wanted or is_at_least_zero(least - number(fewest - shared + wanted))
        return reads is None and least.positive and enough
    alone = not fewest and not wanted and max(x.total(), y.total()) == 1
    return alone or shared == max(wanted, max(1, least) - (fewest - shared))


def sides_are_told(i: int, type: Type, setting: Setting, theory: Theory) -> bool:
    """Whether it is known at which databases of a type the records are that M_i and others count by keys.

    Types say how far values move, and not at which of the two databases somebody is.  That is of no matter
    for one mechanism, besides those where somebody goes and another one comes; and in one step in which a
    record comes or goes everyone sees it at the same one.
    """
    every, entries = setting.mechanisms, dict(type.entries)
    noise = every[i - 1].noise
    if noise is None or theory.page(noise.page, "noise").head.norm != "records":
        return True
    if _comes_or_goes(setting):
        x, y = _records(type)
        return x <= y or y <= x
    alike = [
        (j, many)
        for j, some in type.moves
        for many, _ in some
        if (other := every[j - 1].noise) is not None and other.page == noise.page
        if len(entries.get(j, ())) < 2
    ]
    return not alike or _is_one(alike, setting)


def is_lost_there(i: int, type: Type, setting: Setting, theory: Theory) -> bool:
    """Whether what M_i may lose at a type is lost at two databases of it, beside what others lose there."""
    return value_is_reached(i, type, setting, theory) and sides_are_told(i, type, setting, theory)


def answers_are_told(i: int, type: Type, setting: Setting, theory: Theory) -> bool:
    """Whether M_i and others that answer until sums are large lose most at a type in the same order.

    The largest loss is that of one order of two databases, unless sums move as far up as down.
    """
    every = setting.mechanisms

    def has_order(j: int) -> bool:
        noise = every[j - 1].noise
        if noise is None or theory.page(noise.page, "noise").head.norm != "answers":
            return False
        return noise.letters["l"] + noise.letters["u"] != ZERO

    if not has_order(i):
        return True
    x, y = _records(type)
    same_side, replaced = x <= y or y <= x, (x - y).total() == (y - x).total()

    def in_either(j: int) -> bool:
        """Whether M_j reads everything, and so sees a replacement in either order."""
        return replaced and every[j - 1].reads == (None,)

    if in_either(i):
        return True
    alike = [(j, many) for j, some in type.moves for many, _ in some if has_order(j) and not in_either(j)]
    ends = {(noise.letters["l"], noise.letters["u"]) for j, _ in alike if (noise := every[j - 1].noise)}
    together = _comes_or_goes(setting) and same_side and len(ends) == 1
    told = together or _is_one(alike, setting)
    return told and all(every[j - 1].table is None for j, _ in type.moves)


def _records(type: Type) -> Iterator[Counter[Any]]:
    """The records of the two databases of a type, counted."""
    return (Counter[Any](one) if isinstance(one, tuple) else Counter[Any]([one]) for one in type.pair)


def _comes_or_goes(setting: Setting) -> bool:
    """Whether neighbours differ by one record that comes or goes."""
    target = setting.target
    return target.steps == 1 and target.times is None and {*target.edits} == {(0, 1), (1, 0)}


def _is_one(moving: Sequence[tuple[int, int | Term]], setting: Setting) -> bool:
    """Whether that moves is one mechanism, or one member of a family."""
    if len(moving) != 1:
        return False
    ((j, many),) = moving
    return many == 1 or (many == 0 and setting.mechanisms[j - 1].count is None)


def has_more_records(setting: Setting, theory: Theory) -> bool:
    """Whether two databases may have as many more records as one likes, the same ones, and are of the same
    type: multisets of any size, where nothing depends on how many records are read."""
    databases = setting.databases
    of_any_size = databases.of_multisets and databases.size[1] is None
    return of_any_size and not any(is_about_least(mechanism, theory) for mechanism in setting.mechanisms)


def _moves(
    mechanism: Mechanism, theory: Theory
) -> tuple[Any, Any, str, Callable[[str, Term, Term], Term], str]:
    """The pages of a query and of its noise, how far it moves in the norm of that, and how this is read; and
    what must be at least 0 for it."""
    noise = mechanism.noise
    if noise is None or noise.query is None:
        raise NoCover(f"{mechanism.name} asks for no records")
    law, query = theory.page(noise.page, "noise"), theory.page(noise.query.page, "query")
    if query.head.one and noise.query.n != 1:
        raise NoCover(f"{query.id} is about one record")
    stated: Any = query.head.at_least if query.head.sized and noise.query.n is None else query.head
    if stated is None or (stated is query.head.at_least and noise.query.least is None):
        raise NoCover(f"{query.id} needs a known number of records")
    text, known = stated.moves.get(law.head.norm), dict(noise.query.values)
    if text is None:
        raise NoCover(f"{query.id} does not say how far it moves in the norm {law.head.norm}")
    if not known.keys().isdisjoint(("removed", "added", "n")) or any(x.kind == "oo" for x in known.values()):
        raise NoCover(f"the values of {query.id} are finite, and none is called removed, added or n")
    if query.head.sized:
        least = noise.query.least
        if noise.query.n is not None:
            known["n"] = as_term(noise.query.n)
        elif least is not None:
            term = as_term(least)
            known["n"] = term if term.positive else largest(ONE, term)

    def counted(text: str, removed: Term, added: Term) -> Term:
        try:
            return formulas.parse(text, {**known, "removed": removed, "added": added})
        except FormulaError as error:
            raise NoCover(f"{query.id}: {error.message}") from None

    return query, law, text, counted, str(stated.only)
