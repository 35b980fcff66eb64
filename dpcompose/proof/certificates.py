"""Certificates: why one formula is at least another for all parameter values, or a point where not.

A comparison "g ≥ l for all allowed parameters" is settled by a certificate that is checked
here with Fractions, whoever found it:

* weights.  g − l is the minimum of pieces whose worst cases have positive factors
  (`forms.pieces`).  A worst case is at least every combination of what it compares: with
  weights 0 ≤ w_j ≤ 1 that sum to m, top(m, x_1, …, x_n) ≥ Σ w_j·x_j.  What remains of a piece
  is a polynomial; after subtracting non-negative multiples of "x − least" and "greatest − x"
  for parameters with such bounds, each of its terms must be ≥ 0 by its sign; or, where it is written
  in the Bernstein polynomials of some parameters in [0, 1], each of its coefficients.
* a rule, where there are many pieces: weights for all of them at once (`rules`).
* steps of calculus, where the comparison is not linear (`calculus`).
* a point: allowed values of all parameters at which l > g, by evaluation, or by enclosing l − g.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

from dpcompose.language import elementary, forms, formulas, ranges
from dpcompose.language.forms import Form, Peak
from dpcompose.language.symbols import Domain, family_of
from dpcompose.proof import calculus, rays, rules
from dpcompose.proof.calculus import Argument
from dpcompose.proof.rules import Rule
from dpcompose.proof.signs import BadCertificate as BadCertificate  # the error of everything here
from dpcompose.proof.signs import bound_form, named, number

MOST_COEFFICIENTS = 4_096
"""The most coefficients of Bernstein polynomials that a proof may look at."""
MOST_PIECES = 20_000
"""The most pieces that a comparison may fall into."""


@dataclass(frozen=True)
class Weights:
    """For one peak: the weight of each of its forms, and inside a weighted form its own peaks' weights."""

    of: tuple[tuple[int, Fraction, tuple[Weights, ...]], ...]


@dataclass(frozen=True)
class PieceProof:
    """One piece: weights for its peaks in order, and multiples of (parameter, "least" or "greatest").

    unit -- parameters in [0, 1] in whose Bernstein polynomials the rest is written, see `coefficients`.
    """

    weights: tuple[Weights, ...]
    bounds: tuple[tuple[str, str, Fraction], ...] = ()
    unit: tuple[str, ...] = ()


Proof = tuple[PieceProof, ...] | Rule | Argument


def check_at_least(greater: Form, lesser: Form, domains: Mapping[str, Domain], proof: Proof) -> None:
    """Raises BadCertificate unless the proof shows greater ≥ lesser for all allowed parameters.

    >>> from dpcompose.language.symbols import POSITIVE
    >>> e, f = Form.parameter("e"), Form.parameter("f")
    >>> check_at_least(e + f, e, {"e": POSITIVE, "f": POSITIVE}, (PieceProof(()),))
    """
    try:
        (difference,), domains = rays.on_rays([greater - lesser], domains)
    except forms.NotAForm as error:
        raise BadCertificate(str(error)) from None
    if isinstance(proof, Rule):
        rules.Remainder.of(difference, domains, proof).check()
        return
    if isinstance(proof, Argument):
        calculus.check(difference, domains, proof)
        return
    pieces = forms.pieces(difference, MOST_PIECES)
    if pieces is None:
        raise BadCertificate(f"the comparison has more than {MOST_PIECES} pieces")
    count = 0
    for count, piece in enumerate(pieces, start=1):
        if count > len(proof):
            raise BadCertificate(f"piece {count} has no proof")
        _check_piece(piece, domains, proof[count - 1], count)
    if count != len(proof):
        raise BadCertificate(f"{len(proof)} proofs for {count} pieces")


def check_point(
    greater: Form, lesser: Form, domains: Mapping[str, Domain], point: Mapping[str, Fraction]
) -> None:
    """Raises BadCertificate unless lesser > greater at the point, and it is allowed.

    Values may be irrational: then the sign of the difference is read off an enclosing interval.
    """
    check_allowed(point, domains, greater.names | lesser.names)
    try:
        fails = lesser.at(point) > greater.at(point)
    except forms.NotAForm as error:
        fails = _seen_positive(lesser - greater, domains, point, str(error))
    except formulas.FormulaError as error:
        raise BadCertificate(error.message) from None
    if not fails:
        raise BadCertificate("the comparison holds at the point")


BITS = (64, 256)
"""With how many bits a difference at a point is enclosed, one after the other."""


def _seen_positive(
    difference: Form, domains: Mapping[str, Domain], point: Mapping[str, Fraction], otherwise: str
) -> bool:
    """Whether an irrational value is > 0.  Raises BadCertificate where it has none or is too close to 0."""
    try:
        f = forms.function(difference, domains)
        check_allowed(point, domains, f.names)
        number = elementary.at(f, point)
        problem = ranges.undefined(number, {})
        seen = () if problem else (ranges.over(number, {}, bits) for bits in BITS)
        for one in seen:
            if (one.low is not None and one.low > 0) or (one.high is not None and one.high <= 0):
                return one.low is not None and one.low > 0
    except elementary.NotElementary:
        problem = otherwise
    raise BadCertificate(problem or "the values at the point are too close to one another to tell")


def check_larger(
    greater: Form, lesser: Form, domains: Mapping[str, Domain], point: Mapping[str, Fraction]
) -> None:
    """Raises BadCertificate unless greater > lesser at the point, which is allowed."""
    check_point(lesser, greater, domains, point)


def check_allowed(
    point: Mapping[str, Fraction], domains: Mapping[str, Domain], names: frozenset[str]
) -> None:
    """Raises BadCertificate unless the point gives every parameter a value, and only allowed ones."""
    for name, value in point.items():
        domain = rays.member_domain(name, domains)
        if domain is None:
            raise BadCertificate(f"{name} is no parameter")
        if not domain.contains(value):
            raise BadCertificate(f"{name} = {value} is not allowed: {name} is {domain}")
    absent = (name for name in names if name not in point)
    if missing := sorted(name for name in absent if name in domains and family_of(name) is None):
        raise BadCertificate(f"the point has no value for {missing[0]}")


def _check_piece(piece: Form, domains: Mapping[str, Domain], proof: PieceProof, n: int) -> None:
    rest = _without_peaks(piece, proof.weights, n)
    for name, end, factor in proof.bounds:
        if name not in domains or factor < 0:
            raise BadCertificate(
                f"piece {n}: {factor} times the {end} value of {name} is no allowed multiple"
            )
        rest = rest - bound_form(name, end, domains[name]).scaled(factor)
    for coefficient in coefficients(rest, proof.unit, domains):
        for term, c in forms.constants_joined(coefficient).terms:
            if isinstance(term, Peak) or c < 0 or not forms.nonnegative(term, domains):
                raise BadCertificate(f"piece {n}: the term {c}*{named(term)} is not seen to be >= 0")


def is_unit(domain: Domain) -> bool:
    """Whether the numbers of the domain lie between 0 and 1, and are bounded by these."""
    return domain.least == Fraction(0) and domain.greatest == Fraction(1)


def coefficients(form: Form, unit: Sequence[str], domains: Mapping[str, Domain]) -> Iterator[Form]:
    """The coefficients of a polynomial in the Bernstein polynomials of parameters in [0, 1].

    x^p = Σ_{j ≤ n} (C(j, p)/C(n, p))·C(n, j)·x^j·(1 − x)^(n − j) for p ≤ n, its summands ≥ 0 on [0, 1]:
    where all coefficients are ≥ 0, so is the polynomial.  For n = 1 they are its values at 0 and 1.
    Without any parameters: the form itself.

    >>> from dpcompose.language.symbols import UNIT_INTERVAL
    >>> x, y = Form.parameter("x"), Form.parameter("y")
    >>> some = coefficients(x + y - x * y, ("x", "y"), {"x": UNIT_INTERVAL, "y": UNIT_INTERVAL})
    >>> [str(one.value_if_constant) for one in some]
    ['0', '1', '1', '1']
    """
    if not unit:
        yield form
        return
    degrees = {name: 0 for name in unit}
    for name in unit:
        if name not in domains or not is_unit(domains[name]):
            raise BadCertificate(f"{name} is no parameter in [0, 1]")
    for term, _ in form.terms:
        if isinstance(term, Peak):
            raise BadCertificate("a worst case is no polynomial")
        for name, power in term:
            if name in degrees:
                degrees[name] = max(degrees[name], power)
    if prod(n + 1 for n in degrees.values()) > MOST_COEFFICIENTS:
        raise BadCertificate("the polynomial has too many coefficients")
    for at in product(*(range(n + 1) for n in degrees.values())):
        chosen = dict(zip(degrees, at, strict=True))
        parts = []
        for term, c in form.monomials:
            for name, power in term:
                if name in chosen:
                    c *= Fraction(comb(chosen[name], power), comb(degrees[name], power))
            rest = tuple(one for one in term if one[0] not in chosen)
            parts.append(Form(((rest, Fraction(1)),)).scaled(c))
        yield forms.total(parts)


def _without_peaks(form: Form, weights: Sequence[Weights], n: int) -> Form:
    """A lower bound of the form without peaks: each peak replaced by its weighted combination."""
    parts = [Form(form.monomials)]
    if len(weights) != len(form.peaks):
        raise BadCertificate(f"piece {n}: {len(weights)} weights for {len(form.peaks)} worst cases")
    for (peak, c), given in zip(form.peaks, weights, strict=True):
        indices = [j for j, _, _ in given.of]
        if c < 0 or len(set(indices)) != len(indices) or not set(indices) <= set(range(len(peak.of))):
            raise BadCertificate(f"piece {n}: the weights do not fit the worst case")
        if sum(w for _, w, _ in given.of) != peak.m or not all(0 <= w <= 1 for _, w, _ in given.of):
            raise BadCertificate(
                f"piece {n}: the weights of a worst case do not lie in [0, 1] with sum {peak.m}"
            )
        for j, w, inner in given.of:
            parts.append(_without_peaks(peak.of[j], inner, n).scaled(c * w))
    return forms.total(parts)


def to_data(proof: Proof) -> list[Any] | dict[str, Any]:
    """A proof as JSON: a list of pieces, or a rule or the steps of an argument as a table."""
    if isinstance(proof, Argument):
        return calculus.to_data(proof)
    if isinstance(proof, Rule):
        return rules.to_data(proof)
    return [
        {
            "weights": [_weights_data(w) for w in piece.weights],
            "bounds": [[n, e, str(c)] for n, e, c in piece.bounds],
        }
        | ({"unit": list(piece.unit)} if piece.unit else {})
        for piece in proof
    ]


def from_data(data: Any) -> Proof:
    """A proof from JSON.  Raises BadCertificate where it has another form."""
    if isinstance(data, dict):
        return calculus.from_data(data) if "steps" in data else rules.from_data(data)
    try:
        return tuple(
            PieceProof(
                tuple(_weights(w) for w in piece["weights"]),
                tuple((str(n), str(e), number(c)) for n, e, c in piece["bounds"]),
                tuple(str(name) for name in piece.get("unit", [])),
            )
            for piece in data
        )
    except (TypeError, KeyError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise BadCertificate(f"the weights cannot be read ({type(error).__name__})") from None


def point_from_data(data: Any) -> dict[str, Fraction]:
    """A point from JSON: {"e1": "1/2"}.  Raises BadCertificate where it has another form."""
    if not isinstance(data, dict):
        raise BadCertificate("the point cannot be read")
    try:
        return {str(name): number(value) for name, value in data.items()}
    except (ValueError, ZeroDivisionError):
        raise BadCertificate("the point cannot be read") from None


def _weights_data(weights: Weights) -> list[Any]:
    return [[j, str(w), [_weights_data(i) for i in inner]] for j, w, inner in weights.of]


def _weights(data: Any) -> Weights:
    return Weights(tuple((int(j), number(w), tuple(_weights(i) for i in inner)) for j, w, inner in data))
