"""Claims with numbers, or of few mechanisms in letters, by the curve of what all mechanisms lose together."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import Any

from dpcompose.kernel import computed, written_out
from dpcompose.kernel.composition import families
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.below_normal import is_below_normal
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.certificates import number
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Covers, Loose, Loses, Optimal, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.parameters import at_least, have_values
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, check_always_there, claimed, said
from dpcompose.kernel.rules.whole import check_every_type


def curve(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    claim: Any,
    bits: int | None = None,
    certificate: Any = None,
) -> Found:
    """A claim holds where its δ is at least the curve, at its ε, at every type: by numbers with so many bits,
    or as a certificate shows of formulas in letters."""
    covered, *stated = said(premises, Covers, Loses, ...)
    guarantee = claimed(claim, setting, theory)
    check_every_type(covered)
    known = computed.Curves.of_all(guarantee.notion, stated, setting, theory)
    if bits is None:
        grounds, values = have_values(guarantee, setting), dict(guarantee.values)
        least, pages = written_out.delta(known, values["epsilon"], covered.cover)
        used = at_least(setting, theory, guarantee.notion, "delta", values["delta"], least, certificate)
        return guarantee, grounds | Grounds(pages, used | {"outcomes"})
    page = known.check_proved(guarantee.values, covered.cover, bits)
    return guarantee, Grounds(frozenset({page}), frozenset({"curves"}))


def below_curve(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, notion: str, chords: Any, bits: int
) -> Found:
    """A claim holds where mechanisms have no larger δ than all that satisfies it, at any ε and any type.

    notion -- the one with the δ; chords -- for each curve of a type [ε, …], [z, …] and T, as texts.
    """
    covered, *stated = said(premises, Covers, Loses, ...)
    guarantee = claimed(claim, setting, theory)
    check_every_type(covered)
    curves = computed.Curves.of_all(notion, stated, setting, theory)
    about = computed.page_of_claims(theory, notion, guarantee.notion)
    if not about.head.converse:
        raise BadStep(f"{about.id} does not say that what has no larger delta satisfies the guarantee")
    most = pieces.piece(about.head.parts[guarantee.notion], dict(guarantee.values), terms.ONE)
    every = curves.of_types(covered.cover)
    if not isinstance(most, Normal) or not isinstance(chords, list) or len(chords) != len(every):
        raise BadStep("the claim has no curve of normal noise, or not every curve is compared with it")
    if any(sign(value) not in (0, 1) for _, value in guarantee.values):  # of its square that is not seen
        raise BadStep("a parameter of the claim is not seen to be at least 0")
    pieces.check_bits(bits)
    for known, told in zip(every, chords, strict=True):
        ends, events, limit = _chords(told)
        if known is None or not is_below_normal(known, most.square, ends, events, limit, bits):
            raise BadStep("the delta is not seen to be at most that of the claim, at every epsilon")
    return guarantee, Grounds(frozenset({str(curves.page.id), str(about.id)}), frozenset({"curves"}))


def _chords(told: Any) -> tuple[list[Term], list[Fraction], Term]:
    """The ends of the chords of a curve, events, and up to where it goes."""
    match told:
        case [[*ends], [*events], str(limit)] if all(isinstance(end, str) for end in ends):
            *read, last = (formulas.parse(end, {}) for end in (*ends, limit))
            return read, [number(z) for z in events], last
    raise BadStep("the chords of a curve are ends, events and a limit, as texts")


def curve_standing(setting: Setting, theory: Theory, premises: Premises, *, claim: Any, bits: int) -> Found:
    """A claim that holds by the curve is loose where a smaller one does, else optimal if the curve is."""
    known, covered, *stated = said(premises, Satisfies, Covers, Loses, ...)
    guarantee = claimed(claim, setting, theory)
    check_every_type(covered)
    if known != guarantee:
        raise BadStep("the claim is not known to hold")
    notion, values = guarantee.notion, guarantee.values
    curves = computed.Curves.of_all(notion, stated, setting, theory)
    page, loose = curves.standing(values, covered.cover, bits)
    if not loose:
        moved = (families.needed(setting, type.moves) for type in covered.cover.types)
        check_always_there(setting, *chain.from_iterable(moved))
    trusts = Grounds(frozenset({page}), frozenset({"curves"}))
    return (Loose(notion, values, ()) if loose else Optimal(notion, values, "delta")), trusts
