"""What a page of kind computed gives: the curve δ(ε') at the vectors of a profile, and at two databases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import cache

import sympy

from dpcompose.language import formulas
from dpcompose.language.enclosures import ONE, Interval, NoEnclosure, enclosure
from dpcompose.privacy.curves import Curve, Part, Piece, TooManyLosses
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.readings import Reading
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.tails import Laplace, Normal
from dpcompose.proof import kernel
from dpcompose.proof.registry import Page, Theory
from dpcompose.proof.signs import BadCertificate
from dpcompose.proof.steps import Steps, members
from dpcompose.spaces.metrics import INFINITE, Distance

COMPUTED = "computed"
"""The key of a proved claim's certificate that says that its bound is computed."""
MOST_BITS = 4_096
"""The most binary digits with which a curve is enclosed."""
SMALLER = sympy.Rational(1, 10**6)
"""How much smaller an ε is that is tried where a claimed δ is just the least at its own."""
MOST_CURVES = 2_000
"""The most different vectors of a profile whose curves are computed."""

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


def curves(page: Page, steps: Steps, profile: kernel.Profile) -> list[Curve | None]:
    """The different curves at the vectors of a profile.

    Raises BadCertificate where guarantees have parameters, or the number of members that move has one.
    """
    found: dict[Curve | None, None] = {}

    @cache
    def pieces(entry: tuple[int, str]) -> tuple[Piece | None, ...]:
        return tuple(_pieces(page, steps.setting, *entry))

    for vector in profile.vectors:
        found[curve(one for entry in steps.that_lose(vector) for one in pieces(entry))] = None
        if len(found) > MOST_CURVES:
            raise BadCertificate(f"the profile has more than {MOST_CURVES} different curves")
    return list(found)


def _pieces(page: Page, setting: Setting, i: int, entry: str) -> Iterable[Piece | None]:
    """The members of M_i that move, by an entry of a vector: "2", "2 by 1, 1 by oo" or "all by 1"."""
    mechanism = setting.mechanisms[i - 1]
    for many, r in members(entry):
        if many == 0 and mechanism.count is not None and not mechanism.count.is_Integer:
            raise BadCertificate(
                f"the number of mechanisms {mechanism.name}[i] that move is {mechanism.count}"
            )
        count = int(mechanism.count) if many == 0 and mechanism.count is not None else many
        far = INFINITE if r == "oo" else int(r) if r.isdigit() else formulas.parse(r, setting.symbols)
        one = piece(page, mechanism, far, {})
        yield None if one is None else one.times(count)


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


def check_proved(
    certificate: Mapping[str, object], claimed: Guarantee, steps: Steps, profile: kernel.Profile
) -> bool | None:
    """Raises BadCertificate unless the curve, computed again, is at most the claimed δ at the claimed ε.

    certificate -- the page by its id and hash, and the bits; what comes out is True where the claimed δ is
    larger than the curve, or a smaller ε ≥ 0 would do, False where it equals the curve, None where neither
    is known.  What mechanisms that add noise, or are given by tables, lose together may lie below the curve.
    """
    found = page(steps.theory, steps.setting, claimed.notion)
    if found is None:
        raise BadCertificate(f"no page computes {claimed.notion} bounds here")
    if set(certificate) != {"by", "page", "bits"} or certificate["by"] != found.id:
        raise BadCertificate("the certificate cannot be read")
    if certificate["page"] != found.sha256:
        raise BadCertificate(f"the page {found.id!r} is not the one that it was made with")
    bits = certificate["bits"]
    if type(bits) is not int:
        raise BadCertificate("the certificate cannot be read")
    if sympy.oo in dict(claimed.values).values():
        return None
    some = curves(found, steps, profile)
    worst = delta(some, claimed, bits, {})
    value = claimed_delta(claimed, bits, {})
    if worst.high > value.low:
        raise BadCertificate("the computed delta is not seen to be at most the claimed one")
    if worst.high < value.low:
        return True
    concrete = any(mechanism.is_concrete for mechanism in steps.setting.mechanisms)
    if worst.low != value.high:
        return None
    less, more = (
        claimed.with_values((("epsilon", claimed["epsilon"] + by), ("delta", claimed["delta"])))
        for by in (-SMALLER, sympy.Integer(1))
    )
    if enclosure(less["epsilon"], bits).low >= 0 and delta(some, less, bits, {}).high <= value.low:
        return True
    # δ is convex in e^ε': where it still falls beyond ε, it is larger everywhere before
    least = enclosure(claimed["epsilon"], bits).high <= 0 or delta(some, more, bits, {}).high < value.low
    return False if least and not concrete else None
