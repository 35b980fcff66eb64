"""Certificates: why one formula is at least another for all parameter values, or a point where not.

A comparison "g ≥ l for all allowed parameters" is settled by a certificate that is checked
here with Fractions, whoever found it:

* weights.  g − l is the minimum of pieces whose worst cases have positive factors
  (`forms.pieces`).  A worst case is at least every combination of what it compares: with
  weights 0 ≤ w_j ≤ 1 that sum to m, top(m, x_1, …, x_n) ≥ Σ w_j·x_j.  What remains of a piece
  is a polynomial; after subtracting non-negative multiples of "x − least" and "greatest − x"
  for parameters with such bounds, each of its terms must be ≥ 0 by its sign.
* a rule, where there are many pieces: weights for all of them at once (`rules`).
* a point: allowed values of all parameters at which l > g, by evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcompose.language import forms, formulas
from dpcompose.language.forms import Form, Peak
from dpcompose.language.symbols import Domain, family_of
from dpcompose.proof import rays, rules
from dpcompose.proof.rules import Rule
from dpcompose.proof.signs import BadCertificate as BadCertificate  # the error of everything here
from dpcompose.proof.signs import bound_form, named, number

MOST_PIECES = 20_000
"""The most pieces that a comparison may fall into."""


@dataclass(frozen=True)
class Weights:
    """For one peak: the weight of each of its forms, and inside a weighted form its own peaks' weights."""

    of: tuple[tuple[int, Fraction, tuple[Weights, ...]], ...]


@dataclass(frozen=True)
class PieceProof:
    """One piece: weights for its peaks in order, and multiples of (parameter, "least" or "greatest")."""

    weights: tuple[Weights, ...]
    bounds: tuple[tuple[str, str, Fraction], ...] = ()


Proof = tuple[PieceProof, ...] | Rule


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
    """Raises BadCertificate unless lesser > greater at the point, and the point is allowed."""
    check_allowed(point, domains, greater.names | lesser.names)
    try:
        fails = lesser.at(point) > greater.at(point)
    except forms.NotAForm as error:
        raise BadCertificate(str(error)) from None
    except formulas.FormulaError as error:
        raise BadCertificate(error.message) from None
    if not fails:
        raise BadCertificate("the comparison holds at the point")


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
    needed = (name for name in names if name in domains and family_of(name) is None)
    if missing := sorted(name for name in needed if name not in point):
        raise BadCertificate(f"the point has no value for {missing[0]}")


def _check_piece(piece: Form, domains: Mapping[str, Domain], proof: PieceProof, n: int) -> None:
    rest = _without_peaks(piece, proof.weights, n)
    for name, end, factor in proof.bounds:
        if name not in domains or factor < 0:
            raise BadCertificate(
                f"piece {n}: {factor} times the {end} value of {name} is no allowed multiple"
            )
        rest = rest - bound_form(name, end, domains[name]).scaled(factor)
    for term, c in forms.constants_joined(rest).terms:
        if isinstance(term, Peak) or c < 0 or not forms.nonnegative(term, domains):
            raise BadCertificate(f"piece {n}: the term {c}*{named(term)} is not seen to be >= 0")


def _without_peaks(form: Form, weights: Sequence[Weights], n: int) -> Form:
    """A lower bound of the form without peaks: each peak replaced by its weighted combination."""
    total = Form(form.monomials)
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
            total = total + _without_peaks(peak.of[j], inner, n).scaled(c * w)
    return total


def to_data(proof: Proof) -> list[Any] | dict[str, Any]:
    """A proof as JSON: a list of pieces, or a rule as a table."""
    if isinstance(proof, Rule):
        return rules.to_data(proof)
    return [
        {
            "weights": [_weights_data(w) for w in piece.weights],
            "bounds": [[n, e, str(c)] for n, e, c in piece.bounds],
        }
        for piece in proof
    ]


def from_data(data: Any) -> Proof:
    """A proof from JSON.  Raises BadCertificate where it has another form."""
    if isinstance(data, dict):
        return rules.from_data(data)
    try:
        return tuple(
            PieceProof(
                tuple(_weights(w) for w in piece["weights"]),
                tuple((str(n), str(e), number(c)) for n, e, c in piece["bounds"]),
            )
            for piece in data
        )
    except (TypeError, KeyError, ValueError, ArithmeticError, RecursionError) as error:
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
