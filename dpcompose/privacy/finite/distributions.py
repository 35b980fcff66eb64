"""Two distributions P and Q on the same outcomes: how far apart they are, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import Value
from dpcompose.kernel.deciders.tables import divergences
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, Term


def renyi(P: Sequence[Value], Q: Sequence[Value], alpha: Term) -> Term:
    """D_α(P‖Q) at a rational order α ≥ 1, or ∞ (GB Def. VI.9); ∞ where Q(o) = 0 < P(o).

    >>> from dpcompose.language import formulas
    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> formulas.to_text(renyi([half, half], [quarter, 1 - quarter], INFINITY))
    'log(2)'
    """
    both = [(p, q) for p, q in zip(P, Q, strict=True) if p != 0]
    if any(q == 0 for _, q in both):
        return INFINITY
    rows = [(exponentials.as_term(p), exponentials.as_term(q)) for p, q in both]
    if alpha == INFINITY:
        return terms.log(terms.top(1, [p / q for p, q in rows]))
    if alpha == terms.ONE:
        return terms.add(p * terms.log(p / q) for p, q in rows)
    order = alpha.number
    assert order is not None
    return terms.log(terms.add(p**order * q ** (1 - order) for p, q in rows)) / (order - 1)


def trade_off(P: Sequence[Value], Q: Sequence[Value]) -> Iterator[tuple[Value, Value]]:
    """The vertices (α, β) of T(P, Q), α increasing: what the best tests miss (GB Def. VI.17).

    >>> P, Q = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    >>> [(str(alpha), str(beta)) for alpha, beta in trade_off(P, Q)]
    [('0', '1'), ('1/4', '1/4'), ('1', '0')]
    """
    for event in divergences.nested_events(Q, P):
        yield divergences.total(P, event), Fraction(1) - divergences.total(Q, event)


def event_probabilities(P: Sequence[Value], Q: Sequence[Value]) -> Iterator[tuple[Value, Value]]:
    """(P(S), Q(S)) of the sets S of outcomes with the largest P(S) − t·Q(S), for all t ≥ 0.

    >>> P, Q = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    >>> [(str(p), str(q)) for p, q in event_probabilities(P, Q)]
    [('0', '0'), ('3/4', '1/4'), ('1', '1')]
    """
    for event in divergences.nested_events(P, Q):
        yield divergences.total(P, event), divergences.total(Q, event)


@frozen
class Piece:
    """From t on, up to the next piece, δ(log t) = constant − slope·t."""

    start: Fraction
    constant: Fraction
    slope: Fraction


def envelope(lines: set[tuple[Fraction, Fraction]], start: Fraction) -> tuple[Piece, ...]:
    """The maximum over the lines (a, b) of a − b·t for t ≥ start, piece by piece.

    >>> lines = {(Fraction(1), Fraction(1)), (Fraction(0), Fraction(0))}
    >>> [str(piece.start) for piece in envelope(lines, Fraction(0))]
    ['0', '1']
    """
    pieces = []
    t = start
    a, b = max(lines, key=lambda line: (line[0] - line[1] * t, -line[1]))
    while True:
        pieces.append(Piece(t, a, b))
        later = [((a - c) / (b - d), -d, c, d) for c, d in lines if d < b]
        if not later:
            return tuple(pieces)
        t, _, a, b = min(later, key=lambda line: (line[0], -line[1]))


METRIC_FORMS: Mapping[str, Callable[[Sequence[Term]], Mapping[str, Term]]] = {
    "pure": lambda d: {"epsilon": d[0]},
    "approximate": lambda d: {"epsilon": d[0], "delta": d[1]},
    "zcdp": lambda d: {"rho": d[0] ** 2},
    "gaussian": lambda d: {"mu": d[0]},
}
"""What privacy in a metric d promises of two databases at distance d (GB Def. III.2, VI.2, VI.11, VI.19)."""
