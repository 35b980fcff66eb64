"""What a page of kind computed gives: the curve δ(ε') at the vectors of a profile, and at two databases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction

import sympy

from dpcompose.language import formulas
from dpcompose.language.enclosures import ONE, Interval, NoEnclosure, enclosure
from dpcompose.privacy.curves import Curve, Part, Piece, TooManyLosses
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.readings import Reading
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.tails import Laplace, Normal
from dpcompose.proof.registry import Page, Theory
from dpcompose.proof.signs import BadCertificate
from dpcompose.spaces.metrics import INFINITE, Distance

MOST_BITS = 4_096
"""The most binary digits with which a curve is enclosed."""
Point = Mapping[str, Fraction]


def page(theory: Theory, setting: Setting, notion: str, without: Collection[str] = ()) -> Page | None:
    """The page by which claims in a notion are computed from the guarantees of a setting.

    without -- the names of mechanisms that are left out.
    """
    some = [one for one in setting.mechanisms if one.name not in without]
    return theory.computed(
        notion, ((one.satisfies.notion, "" if one.noise is None else one.noise.word) for one in some)
    )


def piece(page: Page, mechanism: Mechanism, r: Distance, point: Point) -> Piece | None:
    """A mechanism whose inputs, or one entry of whose query's value, are r apart; None where all is lost.

    Raises BadCertificate where that has parameters without a value.
    """
    stated, noise = mechanism.satisfies, mechanism.noise
    if r == INFINITE:
        return None
    far = sympy.Integer(r) if isinstance(r, int) else at(r, point)
    if noise is not None and noise.word in page.head.noises:
        fixed = noise.with_parameter(at(noise.parameter, point))
        formulae = page.head.noises[noise.word]
        asked = {key: fixed.value(text, {"r": far}) for key, text in formulae.items()}
    else:
        if any(value is sympy.oo for _, value in stated.values):
            return None
        asked = _asked(page, stated.notion, {key: at(value, point) for key, value in stated.values}, far)
    if "ratio" in asked:
        return Laplace(asked["ratio"])
    if "epsilon" not in asked:
        return _normal(asked)
    if not (far.is_Integer and far > 0):
        raise BadCertificate(f"what {mechanism.name} reads moves by {far}, which is no number of steps")
    return Part(asked["epsilon"], asked["delta"], int(far))


def _asked(page: Page, notion: str, values: Mapping[str, sympy.Expr], r: sympy.Expr) -> dict[str, sympy.Expr]:
    """What a page asks of a guarantee with numbers at a distance."""
    return {key: formulas.parse(text, {**values, "r": r}) for key, text in page.head.parts[notion].items()}


def _normal(asked: Mapping[str, sympy.Expr]) -> Normal:
    return Normal(asked.get("square", sympy.Integer(0)), asked.get("rho", sympy.Integer(0)))


def reading(theory: Theory, notion: str, values: Mapping[str, sympy.Expr]) -> Reading:
    """A guarantee with numbers, such as {"epsilon": 1}, as what a membership test can reach.

    Raises BadCertificate where no page computes the (ε, δ) curve of its notion.
    """
    if sympy.oo in values.values():
        return Reading(None)
    found = theory.computed("approximate", [(notion, "")])
    if found is None:
        raise BadCertificate(f"no page computes what a membership test reaches by {notion} privacy")
    asked = _asked(found, notion, values, sympy.Integer(1))
    return Reading(Part(asked["epsilon"], asked["delta"]) if "epsilon" in asked else _normal(asked))


def curve(pieces: Iterable[Piece | None]) -> Curve | None:
    """The curve of mechanisms; None where δ is 1 for every ε', as all is lost."""
    some = list(pieces)
    return None if None in some else Curve.of([one for one in some if one is not None])


def at(value: sympy.Expr, point: Point) -> sympy.Expr:
    """A formula at a point: a number, or a constant formula.  Raises BadCertificate where it is none."""
    try:
        exact = formulas.evaluate(value, point)
    except formulas.FormulaError as error:
        raise BadCertificate(error.message) from None
    except ValueError as error:
        raise BadCertificate(str(error)) from None
    if exact is not None:
        return sympy.Rational(exact.numerator, exact.denominator)
    values = {one: point[str(one)] for one in value.free_symbols if str(one) in point}
    constant = value.xreplace({one: sympy.Rational(x.numerator, x.denominator) for one, x in values.items()})
    if constant.free_symbols:
        raise BadCertificate(f"{formulas.to_text(value)} is no number there")
    return constant


def delta(curves: Iterable[Curve | None], claimed: Guarantee, bits: int, point: Point) -> Interval:
    """Between which numbers the largest δ of some curves lies at the claimed ε.  Raises BadCertificate."""
    if not 1 <= bits <= MOST_BITS:
        raise BadCertificate(f"a curve is enclosed with up to {MOST_BITS} binary digits, not {bits}")
    epsilon = at(claimed["epsilon"], point)
    worst: Interval | None = None
    try:
        for one in curves:
            found = ONE if one is None else one.delta(epsilon, bits)
            worst = found if worst is None else worst.at_least(found)
    except (NoEnclosure, TooManyLosses) as error:
        raise BadCertificate(str(error)) from None
    if worst is None:
        raise BadCertificate("the profile has no vectors")
    return worst


def claimed_delta(claimed: Guarantee, bits: int, point: Point) -> Interval:
    """Between which numbers the claimed δ lies.  Raises BadCertificate."""
    try:
        return enclosure(at(claimed["delta"], point), bits)
    except NoEnclosure as error:
        raise BadCertificate(str(error)) from None
