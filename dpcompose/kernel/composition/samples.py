"""Samples: what a mechanism satisfies that is run on a sample of the records, and what it can lose.

A page says how a sample is drawn, for which neighbours the guarantee on samples is to be, and what the whole
satisfies.  Here it is seen that the setting fits the page: a rate is a probability, no more records are drawn
than there are, and neighbours are those of the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from dpcompose.kernel.core.contributions import is_count
from dpcompose.kernel.core.settings import Mechanism, Relation, Setting
from dpcompose.kernel.covers.policies import edits_of, has_edits, only_come_and_go
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.library.theory import NoPage, Theory


class NoSample(NoPage):
    """A mechanism is not run on such a sample as a page is about; the message says why."""


def head_of(mechanism: Mechanism, setting: Setting, theory: Theory) -> Any:
    """The head of the page of a mechanism's sample.  Raises NoSample where the mechanism does not fit it."""
    assert mechanism.sampled is not None
    head = theory.page(mechanism.sampled.page, "sampling").head
    given = dict(mechanism.sampled.values)
    if set(given) != set(head.letters):
        raise NoSample(f"{head.id} is about {', '.join(head.letters)}, not {', '.join(given)}")
    stated = mechanism.stated
    if stated is None or not _is_of_page(head, stated, setting):
        raise NoSample(f"{mechanism.name} is stated for other neighbours than those of {head.id}")
    FITS[head.how](given, mechanism, setting)
    return head


def _is_of_page(head: Any, stated: Relation, setting: Setting) -> bool:
    """Whether a guarantee is for the neighbours that a page says, or has some besides where it may."""
    single, databases = _single(head), setting.databases
    fits = (
        has_edits(stated, databases, single) or (0 in single[0] and only_come_and_go(stated, databases))
        if head.besides
        else edits_of(stated, databases, whole=True) == single
    )
    return fits and stated.steps == 1 and stated.times is None


def amplified(mechanism: Mechanism, setting: Setting, theory: Theory) -> Mapping[str, Term]:
    """The parameters of what a mechanism satisfies: its own, or those that the page of its sample makes of
    them.  Where one is ∞, nothing is promised."""
    stated = dict(mechanism.values)
    if mechanism.sampled is None:
        return stated
    return _made(head_of(mechanism, setting, theory).guarantee, mechanism, "satisfies")


def rate_of(mechanism: Mechanism, setting: Setting, theory: Theory) -> Term | None:
    """With which probability a sample has what is different, at most; None where the page says none."""
    if mechanism.sampled is None or not (text := head_of(mechanism, setting, theory).rate):
        return None
    return formulas.parse(text, dict(mechanism.sampled.values))


def turned(mechanism: Mechanism, setting: Setting, theory: Theory) -> Mapping[str, Term]:
    """What some mechanism loses besides for each further record that goes or comes."""
    return _made(head_of(mechanism, setting, theory).turned, mechanism, "can lose")


def _made(table: Mapping[str, Mapping[str, str]], mechanism: Mechanism, what: str) -> dict[str, Term]:
    stated, sampled = dict(mechanism.values), mechanism.sampled
    assert sampled is not None
    if mechanism.notion not in table:
        raise NoSample(
            f"{sampled.page} does not say what {mechanism.name} {what} in {mechanism.notion} privacy"
        )
    if INFINITY in stated.values():
        return dict.fromkeys(stated, INFINITY)
    letters = {**dict(sampled.values), **stated}
    return {key: formulas.parse(text, letters) for key, text in table[mechanism.notion].items()}


def is_same_way(mechanism: Mechanism, setting: Setting, theory: Theory, type: Type | None = None) -> bool:
    """Whether the target's neighbours are those of the page, and there are two records: then all that are
    sampled so lose what they can at once, one of two databases having none of the record that comes.

    type -- neighbours that are looked at, which may be some steps apart where for each as much is lost."""
    head, atoms = head_of(mechanism, setting, theory), setting.databases.atoms
    groups = type is not None and is_steady(head, type)
    alike = _is_of_target(head, setting, groups) or _is_seen_whole(head, mechanism, setting, type)
    return alike and len(atoms) + len(atoms[0].records) > 2


def _is_seen_whole(head: Any, mechanism: Mechanism, setting: Setting, type: Type | None) -> bool:
    """Whether at neighbours by any step of one record all mechanisms see the one that comes, which may be the
    only one: its number in the sample moves by one at each step of a page that has others besides.

    type -- such neighbours; where a page is about a record that is replaced, one is to be."""
    target, databases = setting.target, setting.databases
    single = target.steps == 1 and target.times is None and has_edits(target, databases, ())
    known = bool(head.besides) and mechanism.reads == (None,) and single and databases.of_all_sizes
    return known and (0 in head.neighbours or (type is not None and is_replaced(head, type)))


def is_told(mechanism: Mechanism, setting: Setting, theory: Theory) -> bool:
    """Whether databases may be any that a cover tells of: groups, whose records come and go on samples that
    have each, where a database may have these alone."""
    head, target = head_of(mechanism, setting, theory), setting.target
    comes = 0 in head.on_samples and 0 in head.neighbours
    return comes and target.steps > 1 and target.times is None and setting.databases.of_all_sizes


def is_alone(mechanism: Mechanism, setting: Setting, theory: Theory) -> bool:
    """Whether a record that is replaced may be the only one: else it may be that others are like it."""
    many, least = setting.databases.how_many(None), setting.databases.fewest(None)
    least = least if many is None else many
    alone = least is not None and has_values.surely(ONE - least, False, setting.assumed)
    return alone or own(mechanism, setting, theory, ONE, None, lost=True) != (1, 1)


def is_replaced(head: Any, type: Type) -> bool:
    """Whether at neighbours of a type as many records come as go, where a page is about records that are
    replaced, and others come or go besides."""
    if 0 in head.neighbours or not head.besides:
        return True
    D, E = (Counter(database if isinstance(database, tuple) else ()) for database in type.pair)
    return (D - E).total() == (E - D).total()


def is_steady(head: Any, type: Type) -> bool:
    """Whether at neighbours of a type for each further step as much is lost, by all mechanisms at once: where
    records are replaced, or all that are different are in one of the two databases."""
    if not head.turned:
        return False
    D, E = (Counter(database if isinstance(database, tuple) else ()) for database in type.pair)
    one_way = D != E and (D <= E or E <= D)
    return one_way or all(head.guarantee[notion] == texts for notion, texts in head.turned.items())


Own: TypeAlias = tuple[int, int]
"""How many records only the first of two databases has, and only the second one."""


def own(
    mechanism: Mechanism, setting: Setting, theory: Theory, r: Term, told: Own | None, lost: bool = False
) -> Own | None:
    """Of what is read of two databases r steps apart, for all that are sampled at once; None where it is not
    known.

    told -- what the cover says of it; lost -- whether it is asked what some mechanism loses at one step,
    which may be built for either.
    """
    head = head_of(mechanism, setting, theory)
    if 0 in head.on_samples and 0 not in head.neighbours:
        steps = int(r.number or 0) if formulas.is_whole(r) else 0
        return (steps, steps) if steps else None
    if 0 in head.on_samples and told is not None:
        return told
    known = r == ONE and 0 in head.neighbours and _is_of_target(head, setting)
    return (0, 1) if known or (lost and r == ONE) else None


def _is_of_target(head: Any, setting: Setting, groups: bool = False) -> bool:
    """Whether the target's neighbours are those of the page, or groups of steps of them."""
    target = setting.target
    single = edits_of(target, setting.databases, whole=False) == _single(head)
    return single and (groups or target.steps == 1) and target.times is None


def _single(head: Any) -> tuple[tuple[int, int], ...]:
    """The neighbours of a page as numbers of records that are removed and added, both ways."""
    removed, added = head.neighbours
    return tuple(sorted({(removed, added), (added, removed)}))


def check_deal(i: int, mechanism: Mechanism, type: Type) -> None:
    """Raises NoSample where inputs of a deal move by as many records as there are, and there is a limit."""
    far = [r for j, members in type.moves if i == j for _, r in members]
    promised = mechanism.stated is not None and (0, 1) in mechanism.stated.edits
    if mechanism.dealt and promised and INFINITY in far and i not in type.unlimited:
        raise NoSample(
            f"what {mechanism.name} loses where other sizes are dealt is known without a limit only"
        )


def _check(holds: bool, why: str) -> None:
    if not holds:
        raise NoSample(why)


def _poisson(given: Mapping[str, Term], mechanism: Mechanism, setting: Setting) -> None:
    rate = given["s"]
    holds = all(has_values.surely(term, False, setting.assumed) for term in (rate, 1 - rate))
    _check(holds, f"{formulas.to_text(rate)} is not seen to be a probability")


def _poisson_of_all(given: Mapping[str, Term], mechanism: Mechanism, setting: Setting) -> None:
    _poisson(given, mechanism, setting)
    _check(mechanism.reads == (None,), "of some of the records one comes or goes where another is replaced")


def _draws(given: Mapping[str, Term], mechanism: Mechanism, setting: Setting) -> None:
    m, n = given["m"], given["n"]
    _check(is_count(m), f"{formulas.to_text(m)} is no whole number from 1")
    there = setting.databases.how_many(None)
    fits = there is not None and n - there == ZERO and is_count(n)
    _check(fits, f"not all databases have {formulas.to_text(n)} records")


def _fixed(given: Mapping[str, Term], mechanism: Mechanism, setting: Setting) -> None:
    _draws(given, mechanism, setting)
    _check_enough(given["m"], given["n"], setting)


def _any_number(given: Mapping[str, Term], mechanism: Mechanism, setting: Setting) -> None:
    m = given["m"]
    _check(is_count(m), f"{formulas.to_text(m)} is no whole number from 1")
    _check(
        mechanism.reads == (None,), "how many of some records are drawn depends on how many others there are"
    )
    least = _least(setting)
    _check(given["n"] - least == ZERO, f"{formulas.to_text(given['n'])} is not the least number of records")
    _check_enough(m, least, setting)


def _least(setting: Setting) -> Term:
    """How many records there are at least."""
    many, fewest = setting.databases.how_many(None), setting.databases.fewest(None)
    known = fewest if many is None else many
    return ZERO if known is None else known + ZERO


def _check_enough(m: Term, n: Term, setting: Setting) -> None:
    holds = has_values.surely(n - m, False, setting.assumed)
    _check(holds, f"{formulas.to_text(m)} is not seen to be at most {formulas.to_text(n)}")


FITS: Mapping[str, Callable[[Mapping[str, Term], Mechanism, Setting], None]] = {
    "poisson": _poisson,
    "poisson-replaced": _poisson_of_all,
    "poisson-policy": _poisson,
    "fixed": _fixed,
    "any-number": _any_number,
    "any-number-replaced": _any_number,
    "draws": _draws,
}
"""How a sample is drawn, and what is then asked of its letters and of the class."""
