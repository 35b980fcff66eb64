"""What single mechanisms of a counterexample do at its two databases, as results show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import Value
from dpcompose.kernel.deciders.curves.canonical import noise
from dpcompose.kernel.deciders.curves.curves import Part, Piece
from dpcompose.kernel.deciders.curves.keys import Appearing, Keyed
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Known, Together
from dpcompose.kernel.deciders.tables import divergences
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.language.decimals import decimal, rounded
from dpcompose.language.said import NEIGHBOUR, D, Words, formula, same
from dpcompose.language.said import Part as Spoken
from dpcompose.language.shown import Shown
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.proof.counterexamples.spreads import Spread

Outcome: TypeAlias = tuple[str, Term, Term]
"""An outcome with its probability at D and at E."""


@frozen(repr=False)
class Row(Shown):
    """What one mechanism of a counterexample does, or several that are alike.

    mechanism -- its number, of families written out; said -- in words; told -- as JSON; name -- its own;
    outcomes -- with their probabilities at D and at E, where it is about single ones;
    by_table -- whether it is given as a table of probabilities; spread -- its noise, where it adds some.
    """

    mechanism: int
    said: str
    told: Mapping[str, Any]
    outcomes: tuple[Outcome, ...] = ()
    by_table: bool = False
    name: str = ""
    spread: Spread | None = None

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return dict(self.told)

    def words(self) -> str:
        """In words, for results."""
        return self.said


def of_witness(i: int, head: Any, d: Term) -> Row:
    """What a page of witnesses says of the distance d from the point that the mechanism is built at; of an
    event d is its probability, of a tail one over the order from which on divergences are infinite."""
    if head.by == "noise":
        mean = "another outcome" if d == INFINITY else formulas.to_text(d)
        said = _around(f"normal noise of variance {head.variance}", d) if d != INFINITY else APART
        normal = Noise("gaussian", terms.sqrt(terms.number(Fraction(head.variance))))
        spread = None if d == INFINITY else Spread(normal, (d,), (ZERO,))
        told = {"mechanism": i, "mean at D": mean, "mean at E": "0", "variance": head.variance}
        return Row(i, said, told, spread=spread)
    if head.by == "event":
        least = rounded_down(ONE if d == INFINITY else d)
        said = _with_outcomes(same(decimal(least)), same("0"))
        return Row(i, said, {"mechanism": i, "at D": str(least), "at E": "0"})
    if head.by == "tail":
        order = ONE / d
        said = Words(
            "as a whole number with heavy tails, whose divergences are infinite above order ", formula(order)
        )
        return Row(i, said, {"mechanism": i, "infinite above": formulas.to_text(order)})
    probability = formulas.parse(head.probability, {"d": terms.letter("d")})
    at_E = substitution.substituted(probability, {"d": ZERO})
    at_D = ZERO if d == INFINITY else substitution.substituted(probability, {"d": d})
    p, q = map(formulas.to_text, (at_D, at_E))
    outcomes = ("1", at_D, at_E), ("0", ONE - at_D, ONE - at_E)
    said = _with_outcomes(formula(at_D), formula(at_E))
    return Row(i, said, {"mechanism": i, "at D": p, "at E": q}, outcomes)


def _with_outcomes(at_D: Spoken, at_E: Spoken) -> Words:
    return Words(
        "with outcomes 1, 0 and ", same("P(1)"), " = ", at_D, " at ", D, ", ", at_E, " at ", NEIGHBOUR
    )


def _around(noise: str, mean: Term, each: str = "") -> Words:
    return Words(f"as {noise} around ", formula(mean), " at ", D, ", 0 at ", NEIGHBOUR, each)


def of_table(i: int, outcomes: Sequence[str], at_D: Sequence[Value], at_E: Sequence[Value]) -> Row:
    """The outcome of a table without parameters that is the most likelier at E than at D."""
    (worst, _), *_ = divergences.largest((attained, None) for attained in divergences.ratios(at_E, at_D))
    (o,) = worst.event
    p, q = map(exponentials.as_term, (at_D[o], at_E[o]))
    at_D_and_E = {"at D": formulas.to_text(p), "at E": formulas.to_text(q)}
    both = " at ", D, ", ", formula(q), " at ", NEIGHBOUR
    said = Words(f"by its table, P({outcomes[o]}) = ", formula(p), *both)
    told = {"mechanism": i, **at_D_and_E, "outcome": outcomes[o]}
    return Row(i, said, told, ((outcomes[o], p, q),), by_table=True)


def of_rows(i: int, outcomes: Sequence[str], at_D: Sequence[Value], at_E: Sequence[Value]) -> Row:
    """The outcomes of a table without parameters that are not as likely at D as at E; few of many."""
    rows = [
        (outcome, *(formulas.to_text(exponentials.as_term(x)) for x in both))
        for outcome, *both in zip(outcomes, at_D, at_E, strict=True)
        if not exponentials.same(*both)
    ]
    more = "; ..." if len(rows) > MOST_OUTCOMES else ""
    rows = rows[:MOST_OUTCOMES]
    said = "; ".join(f"{outcome}: {p}, {q}" for outcome, p, q in rows)
    told = {"mechanism": i, "outcomes": [list(row) for row in rows]}
    at = Words("by its table, with probabilities at ", D, " and ", NEIGHBOUR, f" of {said}{more}")
    return Row(i, at, told)


def of_outcomes(i: int, likely: Sequence[Value], at_D: int, at_E: int) -> Row:
    """The outcomes 1 and 0 of a mechanism that a setting allows; likely -- how likely 1 is, by databases."""
    every = [exponentials.as_term(value) for value in likely]
    p, q = every[at_D], every[at_E]
    told = {"mechanism": i, "at D": formulas.to_text(p), "at E": formulas.to_text(q)}
    outcomes = ("1", p, q), ("0", ONE - p, ONE - q)
    said = _with_outcomes(formula(p), formula(q))
    return Row(i, said, told | {"everywhere": [formulas.to_text(value) for value in every]}, outcomes)


def of_noise(i: int, at_D: str, at_E: str, noise: str, spread: Spread | None = None) -> Row:
    """A mechanism of the setting itself: the values of its query at D and E, and its noise."""
    said = Words(f"itself: {at_D} at ", D, f", {at_E} at ", NEIGHBOUR, ", with ", noise)
    told = {"mechanism": i, "query at D": at_D, "query at E": at_E, "noise": noise}
    return Row(i, said, told, spread=spread)


def of_page(i: int, page: str, what: str, loss: str) -> Row:
    """What a page says that a mechanism can be, and lose; loss -- as it is shown."""
    told = {"mechanism": i, "loss": loss, "by": page}
    return Row(i, f"as {what}, with the loss {loss}, by {page}", told)


DIGITS, BITS = 12, 128
"""To how many significant digits an irrational probability is rounded down, and with how many bits it is
enclosed."""


def rounded_down(value: Term) -> Fraction:
    """A rational number that is at most a real constant, and itself where that is rational."""
    if value.number is not None:
        return value.number
    return rounded(enclosure(value, BITS).low, DIGITS, up=False)


# what loses most of all that satisfies a guarantee, by curves


def of_curve(numbers: Sequence[int], piece: Piece | None) -> Row:
    """Several mechanisms that are alike: canonical noise of (ε, δ), which they satisfy, so many steps from
    where it is built, or normal noise, or in a metric Laplace noise.

    piece -- None: the inputs are infinitely far apart, or nothing is promised, and D is told from E.
    """
    described = _described(piece, " each" if len(numbers) > 1 else "")
    return replace(described, mechanism=numbers[0], told={"mechanisms": list(numbers), **described.told})


def _described(piece: Piece | None, each: str) -> Row:
    """The row of what has a curve; each -- what follows where several do the same."""
    match piece:
        case None:
            return Row(0, APART, {"steps": "oo"})
        case Together():
            return _of_together(piece, each)
        case Part():
            return _of_part(piece, each)
        case Keyed() | Appearing():
            said = f"itself, by {piece.keys} keys of a person, new ones or such as many others have{each}"
            return Row(0, said, {"keys": piece.keys})
        case Known():
            return Row(
                0, f"by its table{each}", {"outcomes": [list(map(str, both)) for both in piece.outcomes]}
            )
        case Laplace():
            return _of_noise(Noise("laplace", ONE), "Laplace noise of scale 1", "scale", piece, each)
    return _of_noise(Noise("gaussian", ONE), "normal noise of variance 1", "variance", piece, each)


def _of_noise(noise: Noise, words: str, width: str, piece: Normal | Laplace, each: str) -> Row:
    """Noise of scale or variance 1."""
    told = {"mean at D": mean(piece), "mean at E": "0", width: "1"}
    return Row(0, _around(words, _mean(piece), each), told, spread=Spread(noise, (_mean(piece),), (ZERO,)))


def _of_together(piece: Together, each: str) -> Row:
    rows = _ratios(piece)
    pairs = [[formulas.to_text(term) for term in pair] for pair in piece.pairs]
    told = {"steps": piece.steps, "pairs": pairs, "outcomes": [list(row) for row in rows]}
    if piece.tail is not None and not piece.pairs:
        on_samples = f"on samples that have what differs with probability {piece.rate}"
        return Row(0, Words(_described(piece.tail, each).said, f", {on_samples}"), told)
    shown = "; ".join(f"ratio {x}: {at_D}, {at_E}" for x, at_D, at_E in rows)
    each = each or (" each" if piece.count > 1 else "")
    return Row(0, _about(f"as what has all its guarantees and loses most{each}", shown), told)


def _of_part(part: Part, each: str) -> Row:
    rows = _losses(part)
    epsilon, delta = map(formulas.to_text, (part.epsilon, part.delta))
    times = {"times": str(part.count)} if part.count > 1 else {}
    outcomes = [list(row) for row in rows]
    told = {"steps": part.steps, "epsilon": epsilon, "delta": delta, **times, "outcomes": outcomes}
    name = f"canonical noise of ({epsilon}, {delta}) at distance {part.steps}"
    shown = "; ".join(f"loss {loss}: {at_D}, {at_E}" for loss, at_D, at_E in rows)
    return Row(0, _about(f"as {name}{each or (' each' if part.count > 1 else '')}", shown), told)


APART = Words("which has other outcomes at ", D, " than at ", NEIGHBOUR)


def _about(what: str, probabilities: str) -> Words:
    return Words(f"{what}; about, at ", D, " and ", NEIGHBOUR, f", {probabilities}")


def mean(part: Normal | Laplace) -> str:
    """The mean of noise at D, where it is 0 at E."""
    return formulas.to_text(_mean(part))


def _mean(part: Normal | Laplace) -> Term:
    return part.ratio if isinstance(part, Laplace) else terms.sqrt(part.square + 2 * part.rho)


MOST_OUTCOMES = 12
"""How many outcomes of canonical noise are listed."""


def _ratios(part: Together) -> list[tuple[str, str, str]]:
    """The ratios of the probabilities at D and at E, with about these; few of many."""
    table = part.table(64, False)
    rows = [(f"{float(x):.6g}", f"{float(p):.6g}", f"{float(p / x):.6g}") for x, p in table.masses.items()]
    rows = [("oo", f"{float(table.infinite):.6g}", "0"), *rows] if table.infinite else rows
    return rows[:MOST_OUTCOMES]


def _losses(part: Part) -> list[tuple[str, str, str]]:
    """The losses with about their probabilities at D and at E, for the reader; few of many."""
    table = noise(part.epsilon, part.delta, part.steps, 64)
    at_D = [float(mass.low) for mass in table.masses]
    rows = [
        (formulas.to_text((2 * u - part.steps) * part.epsilon), f"{p:.6g}", f"{q:.6g}")
        for u, (p, q) in enumerate(zip(at_D, reversed(at_D), strict=True))
        if p or q
    ]
    if table.infinite.high:
        rows += [("oo", f"{float(table.infinite.low):.6g}", "0")]
        rows = [("-oo", "0", rows[-1][1]), *rows]
    return rows if len(rows) <= MOST_OUTCOMES else [*rows[:1], *rows[1 - MOST_OUTCOMES :]]
