"""What a page of kind computed gives: the curve δ(ε') at the vectors of a profile, and at two databases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.curves import Curve, Part, Piece
from dpcompose.kernel.deciders.curves.lattices import TooManyLosses
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.intervals import ONE, Interval, NoEnclosure, enclosure
from dpcompose.kernel.expressions.terms import INFINITY, Term, as_term, number
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.proof.readings import Reading
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.spaces.canonical.metrics import INFINITE, Distance

Point = Mapping[str, Fraction]


def page(theory: Theory, setting: Setting, notion: str, without: Collection[str] = ()) -> Page | None:
    """The page by which claims in a notion are computed from the guarantees of a setting.

    without -- the names of mechanisms that are left out.
    """
    mechanisms = [mechanism for mechanism in setting.mechanisms if mechanism.name not in without]
    words = ((mechanism, "" if mechanism.noise is None else mechanism.noise.word) for mechanism in mechanisms)
    given = [
        (said.notion, word) for mechanism, word in words for said in (mechanism.satisfies, *mechanism.also)
    ]
    return theory.computed(notion, given)


def piece(page: Page, mechanism: Mechanism, r: Distance, point: Point) -> Piece | None:
    """A mechanism whose inputs, or one entry of whose query's value, are r apart; None where all is lost.

    Raises BadCertificate where that has parameters without a value.
    """
    stated, noise = mechanism.satisfies, mechanism.noise
    if r == INFINITE:
        return None
    if (sampled := mechanism.sampled) is not None:
        stated, *also = sampled.on_samples
        found = piece(page, replace(mechanism, satisfies=stated, also=tuple(also), sampled=None), r, point)
        return pieces.on_samples(found, at(sampled.by.rate, point), as_term(r), "forth")
    if mechanism.also:
        try:
            return pieces.at_once(piece(page, one, r, point) for one in mechanism.alone)
        except pieces.NoPiece as error:
            raise BadCertificate(str(error)) from None
    far = number(r) if isinstance(r, int) else at(r, point)
    if noise is not None and noise.word in page.head.noises:
        fixed = noise.with_parameter(at(noise.term, point))
        known = {key: fixed.stated(text, {"r": far}) for key, text in page.head.noises[noise.word].items()}
        return _piece({key: key for key in known}, known, far)
    if any(value == INFINITY for _, value in stated.terms):
        return None
    parts = page.head.in_a_metric if stated.apart == 0 else page.head.parts
    if stated.notion not in parts:
        raise BadCertificate(f"{page.id} does not say what {mechanism.name}, stated in a metric, can lose")
    return _piece(parts[stated.notion], {key: at(value, point) for key, value in stated.terms}, far)


def _piece(asked: Mapping[str, str], values: Mapping[str, Term], r: Term) -> Piece | None:
    """What a page's formulas ask of a guarantee with numbers at a distance."""
    try:
        return pieces.piece(asked, values, r)
    except ValueError as error:
        raise BadCertificate(str(error)) from None


def reading(theory: Theory, notion: str, values: Mapping[str, Term]) -> Reading:
    """A guarantee with numbers, such as {"epsilon": 1}, as what a membership test can reach.

    Raises BadCertificate where no page computes the (ε, δ) curve of its notion.
    """
    if INFINITY in values.values():
        return Reading(None)
    found = theory.computed("approximate", [(notion, "")])
    if found is None:
        raise BadCertificate(f"no page computes what a membership test reaches by {notion} privacy")
    part = _piece(found.head.parts[notion], values, number(1))
    assert part is None or isinstance(part, Part | Normal)  # what pages make of guarantees
    return Reading(part)


def at(value: Term, point: Point) -> Term:
    """A formula at a point: a number, or a constant.  Raises BadCertificate where it is none."""
    try:
        return formulas.at(value, point)
    except ValueError as error:
        raise BadCertificate(getattr(error, "message", str(error))) from None


def delta(curve: Curve | None, claimed: Guarantee, bits: int, point: Point) -> Interval:
    """Between which numbers the δ of a curve lies at the claimed ε.  Raises BadCertificate."""
    if not 1 <= bits <= pieces.MOST_BITS:
        raise BadCertificate(f"a curve is enclosed with up to {pieces.MOST_BITS} binary digits, not {bits}")
    epsilon = at(dict(claimed.terms)["epsilon"], point)
    try:
        return ONE if curve is None else curve.delta(epsilon, bits)
    except (NoEnclosure, TooManyLosses) as error:
        raise BadCertificate(str(error)) from None


def claimed_delta(claimed: Guarantee, bits: int, point: Point) -> Interval:
    """Between which numbers the claimed δ lies.  Raises BadCertificate."""
    try:
        return enclosure(at(dict(claimed.terms)["delta"], point), bits)
    except NoEnclosure as error:
        raise BadCertificate(str(error)) from None
