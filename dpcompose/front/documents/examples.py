"""Counterexamples as readers see them: of a refuted claim the databases, the numbers, what mechanisms lose.

The kernel has refuted the claim at a point.  Here two databases are looked for at which the mechanisms can be
written out and their loss shown exactly: those of the theorem first, then others with fewer members.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from dpcompose.front.documents.bound import Bound
from dpcompose.kernel import computed
from dpcompose.kernel.composition import losses
from dpcompose.kernel.core.assumptions import letters_of
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Refuted
from dpcompose.language.decimals import SHOWN_DIGITS, rounded
from dpcompose.language.symbols import family_of
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.proof.counterexamples import counterexamples, deals
from dpcompose.proof.counterexamples.refuting import Counterexample
from dpcompose.proof.counterexamples.released import grows
from dpcompose.proof.hypotheses.inputs import Inputs, NotDecidable
from dpcompose.search.comparisons import parameters
from dpcompose.search.least import BITS
from dpcompose.search.refutations import subsets
from dpcompose.spaces.canonical.metrics import INFINITE
from dpcompose.spaces.classes.databases import TooLarge

Pair = tuple[Any, Any]
MOST_PAIRS = 200
"""At how many pairs of databases a counterexample is looked for."""
MOST_DISTANCES = 20_000
"""Up to how many distances of inputs, in all, pairs are put in the order of what is lost at them."""


def example(
    said: Refuted,
    claimed: Guarantee,
    bound: Bound,
    at: Sequence[Pair],
    curve: bool,
    through_curve: Mapping[str, str] | None = None,
) -> Counterexample | None:
    """A counterexample at the point of a theorem that refutes a claim; None where none can be written out.

    at -- the pairs of databases that the theorem is about; curve -- whether it refutes by a computed curve;
    through_curve -- by that of all that satisfies the claim: the notion of curves, and the ε.
    """
    implied, through, epsilon = _implied(said, claimed, bound), said.through, ""
    for point in _points(said, bound):
        if through_curve is not None:
            implied, through = _on_curve(claimed, bound, through_curve, point)
            epsilon = through_curve["epsilon"]
        with suppress(BadCertificate, ValueError):
            inputs = counterexamples.instance(bound.steps.inputs, point)
            for make in _ways(inputs, implied, point, curve):
                pairs = _pairs(inputs, point, at)
                some = map(partial(_made, make), pairs)
                counterexample = next(filter(None, some), None) or _with_more_records(inputs, make, pairs)
                if counterexample is not None:
                    return replace(counterexample, through=through, epsilon=epsilon)
    return None


Make = Callable[[Pair], Counterexample | None]


def _made(make: Make, pair: Pair) -> Counterexample | None:
    """The counterexample at a pair; None where it is none."""
    with suppress(BadCertificate, ValueError):
        return make(pair)
    return None


def _with_more_records(inputs: Inputs, make: Make, pairs: Sequence[Pair]) -> Counterexample | None:
    """The counterexample with the fewest records besides those in which a pair differs.

    Looked for where noise loses most only in the limit of many records: then ever more is lost.
    """
    if not any(grows(inputs, mechanism) for mechanism in inputs.setting.mechanisms):
        return None
    some = (_with_fewest(make, pair, odd) for pair in pairs[:MOST_GROWING] for odd in (0, 1))
    found = [counterexample for counterexample in some if counterexample is not None]
    return min(found, key=lambda one: len(one.pair[0]), default=None)


def _with_fewest(make: Make, pair: Pair, odd: int) -> Counterexample | None:
    """The same at one pair, with an odd or even number of records besides: a bin may have half of them."""

    def at(many: int) -> Counterexample | None:
        D, E = pair
        more = (D or E)[:1] * (2 * many + odd)
        return _made(make, (tuple(sorted(D + more)), tuple(sorted(E + more))))

    many = next((2**n for n in range(LARGEST_MULTIPLE.bit_length() - 1) if at(2**n)), None)
    if many is None:
        return None
    return at(
        bisect_left(range(many), True, lo=many // 2 + 1 if many > 1 else 0, key=lambda n: at(n) is not None)
    )


MOST_GROWING = 4
"""With how many pairs of databases more and more records are tried."""


def _on_curve(
    claimed: Guarantee, bound: Bound, through: Mapping[str, str], point: Mapping[str, Fraction]
) -> tuple[Guarantee, tuple[str, ...]]:
    """The δ at an ε of all that satisfies a claim, rounded up, as a claim; and the page that says so."""
    page = computed.page_of_claims(bound.found.shop.theory, through["notion"], claimed.notion)
    values = {key: formulas.at(value, point) for key, value in claimed.terms}
    epsilon = formulas.parse(through["epsilon"], {})
    curve = pieces.curve([pieces.piece(page.head.parts[claimed.notion], values, terms.ONE)])
    delta = rounded(pieces.above([curve], epsilon, BITS[0]), SHOWN_DIGITS, up=True)
    keys = bound.found.shop.theory.rule(through["notion"]).head.parameters
    return Guarantee(through["notion"], tuple(zip(keys, (epsilon, terms.number(delta)), strict=True))), (
        page.id,
    )


def _ways(
    inputs: Inputs, claimed: Guarantee, point: Mapping[str, Fraction], curve: bool
) -> Iterator[Callable[[Pair], Counterexample | None]]:
    """How counterexamples are made at a pair: by witnesses, and by curves."""

    def by_witnesses(pair: Pair) -> Counterexample:
        return subsets.of_known(partial(counterexamples.make, inputs, claimed, pair, point))

    def by_curve(pair: Pair) -> Counterexample | None:
        for bits in BITS:
            make = partial(counterexamples.by_curve, inputs, claimed, pair, point, bits)
            counterexample = subsets.of_some(make, _alike(inputs, pair))
            if isinstance(counterexample, Counterexample):
                return counterexample
        return None

    yield from [by_curve] if curve else []
    if not curve or any(grows(inputs, mechanism) for mechanism in inputs.setting.mechanisms):
        yield by_witnesses


def _implied(said: Refuted, claimed: Guarantee, bound: Bound) -> Guarantee:
    """What a claim implies by conversions: the guarantee that is violated."""
    if not said.through:
        return claimed
    theory, notion, values = bound.found.shop.theory, said.notion, dict(said.values)
    for id in said.through:
        page = theory.page(id, "conversion")
        orders = bound.found.shop.setting.orders
        values, notion = losses.converted(theory, page, values, {}, orders=orders), page.head.to
    return Guarantee(notion, tuple((key, values[key]) for key in theory.rule(notion).head.parameters))


def _points(said: Refuted, bound: Bound) -> Iterator[dict[str, Fraction]]:
    """The point of the theorem, for all that occurs: with the fewest members of families first."""
    point = dict(said.point)
    domains = bound.setting.domains
    counts = {
        str(mechanism.members) for mechanism in bound.setting.mechanisms if mechanism.members is not None
    } & set(domains)
    if counts:
        fewest = {name: domains[name].least or Fraction(1) for name in counts}
        yield _completed(point | fewest, said, bound)
    yield _completed(point, said, bound)


def _completed(point: Mapping[str, Fraction], said: Refuted, bound: Bound) -> dict[str, Fraction]:
    """The point, with simple values for what it does not say, and without what nothing uses."""
    setting = bound.setting
    domains = dict(bound.found.shop.setting.parameters)
    known = {name: parameters.simple(domain)[0] for name, domain in domains.items()}
    known |= parameters.usual(domains) | dict(point)
    families = {name for name in setting.used if family_of(name) is not None}
    members = (one.reads.parts for one in setting.mechanisms if one.reads.divided)
    claimed = (name for _, value in said.values for name in value.letters)
    order = {} if setting.orders is None else setting.orders.letters
    used = setting.used.union(map(str, members), claimed, letters_of(setting.assume), order) - families
    full = {name: x for name, x in known.items() if name in used}
    for name in families:
        family = naming.read(name).base
        for mechanism in setting.mechanisms:
            if mechanism.members is None or name not in used_by(mechanism):
                continue
            for j in range(1, _size(mechanism.members, full) + 1):
                member = naming.member(family, j)
                full[member] = known.get(member, known[name])
    return full


def used_by(mechanism: Mechanism) -> set[str]:
    """The parameters of a mechanism: of its guarantee, and of its query and noise."""
    return {name for value in mechanism.terms for name in value.letters}


def _size(count: Term, point: Mapping[str, Fraction]) -> int:
    size = point[str(count)] if count.number is None else count.number
    return min(int(size), counterexamples.LARGEST_INSTANCE + 1)


def _pairs(inputs: Inputs, point: Mapping[str, Fraction], at: Sequence[Pair]) -> list[Pair]:
    """Pairs of databases: those of the theorem and others, those first at which most is lost.

    Others only where guarantees are for neighbours, and not what one in a metric says at two databases.
    """
    if any(mechanism.satisfies.apart is not None for mechanism in inputs.setting.mechanisms):
        return [pair for D, E in at for pair in ((D, E), (E, D))]
    if any(mechanism.reads.dealt for mechanism in inputs.setting.mechanisms):  # few records before many
        return list(deals.with_more(at))
    try:
        others = inputs.neighbouring_pairs().pairs
    except (NotDecidable, TooLarge):  # there are too many to go through
        return _by_loss(inputs, point, at)[:MOST_PAIRS]
    if len(others) * len(inputs.setting.mechanisms) > MOST_DISTANCES:
        every = [*_by_loss(inputs, point, at), *others][:MOST_PAIRS]
    else:
        every = _by_loss(inputs, point, [*at, *others])[:MOST_PAIRS]
    if any((mechanism.table, mechanism.sampled) != (None, None) for mechanism in inputs.setting.mechanisms):
        # what a table loses, or one on samples, depends on the pair and its order, not only on distances
        every = [pair for D, E in every for pair in ((D, E), (E, D))]
    return list(dict.fromkeys(with_multiples(inputs, every)))


LARGEST_MULTIPLE = 4_096
"""How often the records of a pair are taken at most, where its multiples are neighbours as well."""


def with_multiples(inputs: Inputs, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs; where they stand for all their multiples, also some of these, small ones first."""
    some = list(pairs)
    yield from some
    if inputs.neighbouring_pairs().growing:
        times = 4
        while times <= LARGEST_MULTIPLE:
            for D, E in some:
                yield tuple(sorted(D * times)), tuple(sorted(E * times))
            times *= 4


def _by_loss(inputs: Inputs, point: Mapping[str, Fraction], pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs, those first at which the parameters of what moves add up to most."""
    stated = [mechanism.satisfies.terms[-1][1] for mechanism in inputs.setting.mechanisms]
    values = [None if value.kind == "oo" else formulas.evaluate(value, point) for value in stated]

    def loss(pair: Pair) -> tuple[bool, Fraction]:
        total, infinite = Fraction(0), False
        for i, r in inputs.distances(pair).items():
            value = values[i - 1]
            infinite |= r == INFINITE or value is None
            # an order in which pairs are tried: irrational amounts count as 1
            steps = r if isinstance(r, int) else formulas.evaluate(r, point)
            total += (Fraction(1) if steps is None else steps) * (value or Fraction(0))
        return infinite, total

    return sorted(pairs, key=loss, reverse=True)


def _alike(inputs: Inputs, pair: Pair) -> list[list[str]]:
    """The names of the mechanisms that a pair moves, those together that are given alike and move as far."""
    found: dict[object, list[str]] = {}
    for i, r in inputs.distances(pair).items():
        mechanism = inputs.setting.mechanisms[i - 1]
        found.setdefault((mechanism.noise, mechanism.query, mechanism.satisfies, str(r)), []).append(
            mechanism.name
        )
    return list(found.values())
