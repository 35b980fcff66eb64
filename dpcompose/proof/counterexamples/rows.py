"""What single mechanisms of a counterexample do at its two databases, as results show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    found = [
        (outcome, *(formulas.to_text(exponentials.as_term(x)) for x in both))
        for outcome, *both in zip(outcomes, at_D, at_E, strict=True)
        if not exponentials.same(*both)
    ]
    more = "; ..." if len(found) > MOST_OUTCOMES else ""
    found = found[:MOST_OUTCOMES]
    said = "; ".join(f"{outcome}: {p}, {q}" for outcome, p, q in found)
    told = {"mechanism": i, "outcomes": [list(one) for one in found]}
    at = Words("by its table, with probabilities at ", D, " and ", NEIGHBOUR, f" of {said}{more}")
    return Row(i, at, told)


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


def of_curve(numbers: Sequence[int], part: Piece | None) -> Row:
    """Several mechanisms that are alike: canonical noise of (ε, δ), which they satisfy, so many steps from
    where it is built, or normal noise, or in a metric Laplace noise.

    part -- None: the inputs are infinitely far apart, or nothing is promised, and D is told from E.
    """
    told = {"mechanisms": list(numbers), **_told(part)}
    return Row(numbers[0], _said(part, len(numbers) > 1), told, spread=_spread(part))


def _spread(part: Piece | None) -> Spread | None:
    """Noise of scale or variance 1, where that is what loses most."""
    if isinstance(part, Laplace):
        return Spread(Noise("laplace", ONE), (part.ratio,), (ZERO,))
    if isinstance(part, Normal):
        return Spread(Noise("gaussian", ONE), (_mean(part),), (ZERO,))
    return None


def _told(part: Piece | None) -> dict[str, Any]:
    if part is None:
        return {"steps": "oo"}
    if isinstance(part, Together):
        pairs = [[formulas.to_text(term) for term in pair] for pair in part.pairs]
        outcomes = [list(one) for one in _of_together(part)]
        return {"steps": part.steps, "pairs": pairs, "outcomes": outcomes}
    if isinstance(part, Keyed | Appearing):
        return {"keys": part.keys}
    if isinstance(part, Known):
        return {"outcomes": [list(map(str, both)) for both in part.outcomes]}
    if not isinstance(part, Part):
        width = "scale" if isinstance(part, Laplace) else "variance"
        return {"mean at D": mean(part), "mean at E": "0", width: "1"}
    times = {"times": str(part.count)} if part.count > 1 else {}
    outcomes = [list(outcome) for outcome in _of_part(part)]
    epsilon, delta = map(formulas.to_text, (part.epsilon, part.delta))
    return {"steps": part.steps, "epsilon": epsilon, "delta": delta, **times, "outcomes": outcomes}


APART = Words("which has other outcomes at ", D, " than at ", NEIGHBOUR)


def _said(part: Piece | None, several: bool) -> str:
    if part is None:
        return APART
    each = " each" if several or (isinstance(part, Together | Part) and part.count > 1) else ""
    if isinstance(part, Together) and part.tail is not None and not part.pairs:
        on_samples = f"on samples that have what differs with probability {part.rate}"
        return Words(_said(part.tail, several), f", {on_samples}")
    if isinstance(part, Together):
        shown = "; ".join(f"ratio {x}: {at_D}, {at_E}" for x, at_D, at_E in _of_together(part))
        return _about(f"as what has all its guarantees and loses most{each}", shown)
    if isinstance(part, Keyed | Appearing):
        return f"itself, by {part.keys} keys of a person, new ones or such as many others have{each}"
    if isinstance(part, Known):
        return f"by its table{each}"
    if not isinstance(part, Part):
        kind = "Laplace noise of scale" if isinstance(part, Laplace) else "normal noise of variance"
        return _around(f"{kind} 1", _mean(part), each)
    shown = "; ".join(f"loss {loss}: {at_D}, {at_E}" for loss, at_D, at_E in _of_part(part))
    epsilon, delta = map(formulas.to_text, (part.epsilon, part.delta))
    name = f"canonical noise of ({epsilon}, {delta}) at distance {part.steps}"
    return _about(f"as {name}{each}", shown)


def _about(what: str, probabilities: str) -> Words:
    return Words(f"{what}; about, at ", D, " and ", NEIGHBOUR, f", {probabilities}")


def mean(part: Normal | Laplace) -> str:
    """The mean of noise at D, where it is 0 at E."""
    return formulas.to_text(_mean(part))


def _mean(part: Normal | Laplace) -> Term:
    return part.ratio if isinstance(part, Laplace) else terms.sqrt(part.square + 2 * part.rho)


MOST_OUTCOMES = 12
"""How many outcomes of canonical noise are listed."""


def _of_together(part: Together) -> list[tuple[str, str, str]]:
    """The ratios of the probabilities at D and at E, with about these; few of many."""
    table = part.table(64, False)
    rows = [(f"{float(x):.6g}", f"{float(p):.6g}", f"{float(p / x):.6g}") for x, p in table.masses.items()]
    rows = [("oo", f"{float(table.infinite):.6g}", "0"), *rows] if table.infinite else rows
    return rows[:MOST_OUTCOMES]


def _of_part(part: Part) -> list[tuple[str, str, str]]:
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
