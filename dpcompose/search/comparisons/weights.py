"""Finds proofs by weights: trees of choices, with weights at the leaves, seen or by linear programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, islice
from math import comb, lcm
from typing import Any

from dpcompose.kernel.deciders.families import members
from dpcompose.kernel.expressions import forms, formulas
from dpcompose.kernel.expressions.boxes import bound_form, coefficients, is_unit
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.forms import Form, Known, Monomial, NotAForm, Peak
from dpcompose.kernel.expressions.terms import Term, add
from dpcompose.search.comparisons.linear import Program, TooMuchWork

Shares = list[tuple[Peak, list[tuple[Form, Fraction]]]]
"""For each worst case what is weighted, and its weights."""
ZERO, ONE = Fraction(0), Fraction(1)
SIGNS = (ONE, -ONE)
LONGEST_FORMULA = 1_000  # as many letters and numbers has one that is not taken apart, if it can be
MOST_CHOICES = 100
"""How many choices of one form for each peak are tried, before the coefficients of what remains."""
MOST_PRODUCTS = 40
"""By how many products of letters of each degree an assumption is multiplied."""


class NoWeights(Exception):
    """There were none for a piece."""

    def __init__(self, piece: Form) -> None:
        super().__init__()
        self.piece = piece


def text_of(term: Term) -> str | list[str]:
    """A formula as it is saved.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> text_of(letter("x") + 1)
    'x + 1'
    """
    parts: list[list[Term]] = [[]]
    size = 0
    for summand in term.summands:
        more = _size(summand)
        if parts[-1] and size + more > LONGEST_FORMULA:
            parts.append([])
            size = 0
        parts[-1].append(summand)
        size += more
    if len(parts) == 1:
        return formulas.to_text(term)
    return [formulas.to_text(add(part)) for part in parts]


def _size(term: Term) -> int:
    """How many letters and numbers a term has."""
    return sum(map(_size, term.parts)) or 1


def text(form: Form) -> str | list[str]:
    """A form as it is written in a certificate."""
    return text_of(forms.write(form))


def peak_text(peak: Peak) -> str | list[str]:
    """A worst case as it is written in a certificate."""
    return text(Form(((peak, ONE),)))


def tree(
    form: Form, symbols: Mapping[str, Term], known: Known, at_once: bool, assumed: Sequence[Form] = ()
) -> Any:
    """A proof of form ≥ 0; raises NoWeights with the piece for which none was found.

    at_once -- whether only weights that are seen without a linear program are looked for;
    assumed -- what is ≥ 0 for all allowed values besides.
    """
    peak = chosen_peak(form)
    if peak is None:
        proof = seen(form, symbols, known) or (None if at_once else by_program(form, symbols, known, assumed))
        if proof is None:
            raise NoWeights(form)
        return proof
    cases = []
    for chosen in dict.fromkeys(map(forms.total, combinations(peak.of, peak.m))):
        after = forms.replaced(form, peak, chosen)
        cases.append([text(chosen), tree(after, symbols, known, at_once, assumed)])
    return {"choose": peak_text(peak), "cases": cases}


def leaf(
    piece: Form,
    shares: Shares,
    bounds: Sequence[tuple[Term, str, Fraction]] = (),
    unit: Sequence[Term] = (),
    assumed: Sequence[tuple[int, Form, Form]] = (),
) -> dict[str, Any]:
    """The leaf of a proof: what weights, and multiples of bounds and of assumptions, leave."""
    rest, weights = piece, []
    for peak, some in shares:
        c = rest.coefficients.get(peak, ZERO)
        parts = [rest - Form(((peak, c),)), *(inner.scaled(c * w) for inner, w in some)]
        rest = forms.total(parts)
        if c:
            weights.append([peak_text(peak), [[text(inner), str(w)] for inner, w in some]])
    for x, end, factor in bounds:
        rest = rest - bound_form(x, end).scaled(factor)
    for _, form, _ in assumed:
        rest = rest - form
    data: dict[str, Any] = {"weights": weights} if weights else {}
    data |= {"bounds": [[x.of[0], end, str(c)] for x, end, c in bounds]} if bounds else {}
    data |= {"assumed": [[n, text(factor)] for n, _, factor in assumed]} if assumed else {}
    data |= {"unit": [x.of[0] for x in unit]} if unit else {}
    return data | {"rest": text(rest)}


def seen(piece: Form, symbols: Mapping[str, Term], known: Known) -> dict[str, Any] | None:
    """Weights that are seen at once: by signs and shares, or by one form of each peak and coefficients."""
    return _by_signs(piece, known) or _by_shares(piece, known) or _by_coefficients(piece, known)


def _by_signs(piece: Form, known: Known) -> dict[str, Any] | None:
    signed = forms.constants_joined(piece)
    fine = all(forms.is_nonnegative(Form((term,)), known) for term in signed.terms)
    return leaf(piece, []) if fine else None


def _by_shares(piece: Form, known: Known) -> dict[str, Any] | None:
    """Each negative term is made up for by the form of the only peak that has most of it, in just the
    share that is needed."""
    if len(piece.peaks) != 1 or any(inner.peaks for inner in piece.peaks[0][0].of):
        return None
    peak, c = piece.peaks[0]
    left = dict(piece.monomials)
    having: dict[Monomial, tuple[Fraction, int]] = {}
    for j, inner in enumerate(peak.of):
        for term, amount in inner.monomials:
            having[term] = max(having.get(term, (ZERO, 0)), (amount, -j))
    weights: dict[int, Fraction] = {}
    for term, _ in piece.monomials:
        missing = -left.get(term, ZERO)
        if missing > 0:
            amount, j = having.get(term, (ZERO, 0))
            if amount <= 0:
                return None
            share = missing / (c * amount)
            weights[-j] = weights.get(-j, ZERO) + share
            for other, more in peak.of[-j].monomials:
                left[other] = left.get(other, ZERO) + more * c * share
    spare = peak.m - sum(weights.values(), ZERO)
    for j, inner in enumerate(peak.of):
        if not spare:
            break
        share = min(spare, 1 - weights.get(j, ZERO))
        if share > 0 and forms.is_nonnegative(inner, known):
            weights[j] = weights.get(j, ZERO) + share
            spare -= share
            for other, more in inner.monomials:
                left[other] = left.get(other, ZERO) + more * c * share
    rest = forms.total(Form(((term, d),)) for term, d in left.items() if d)
    if spare or any(w > 1 for w in weights.values()) or _by_signs(rest, known) is None:
        return None
    return leaf(piece, [(peak, _joined((peak.of[j], w) for j, w in sorted(weights.items())))])


def _joined(some: Any) -> list[tuple[Form, Fraction]]:
    """Weights of equal forms added up, those that are 0 left out."""
    values: dict[Form, Fraction] = {}
    for inner, w in some:
        values[inner] = values.get(inner, ZERO) + w
    return [(inner, w) for inner, w in values.items() if w]


def _by_coefficients(piece: Form, known: Known) -> dict[str, Any] | None:
    """A product of letters in [0, 1] stands in the piece: Bernstein coefficients of what remains
    once each maximum is replaced by one of its forms."""
    small = {x for x in piece.letters if x.kind == "letter" and is_unit(x.of[1])}
    for shares, rest in islice(_choices(piece), MOST_CHOICES) if small else ():
        products = (t for t, _ in rest.monomials if sum(n for _, n in t) > 1)
        unit = sorted(small & {x for t in products for x, _ in t}, key=lambda x: x.key)
        try:
            if unit and all(
                _by_signs(coefficient, known) is not None for coefficient in coefficients(rest, unit)
            ):
                return leaf(piece, shares, (), unit)
        except BadCertificate:
            continue
    return None


def _choices(form: Form) -> Iterator[tuple[Shares, Form]]:
    """The form with each maximum replaced by one of what it compares, and the weights that say which."""
    if not form.peaks:
        yield [], form
        return
    peak, c = max(form.peaks, key=lambda one: _depth(one[0]))
    for inner in peak.of if peak.m == 1 else ():
        for shares, rest in _choices(form - Form(((peak, c),)) + inner.scaled(c)):
            yield [(peak, [(inner, ONE)]), *shares], rest


def _depth(peak: Peak) -> int:
    return 1 + max((_depth(one) for inner in peak.of for one, _ in inner.peaks), default=0)


def by_program(
    piece: Form, symbols: Mapping[str, Term], known: Known, assumed: Sequence[Form] = ()
) -> dict[str, Any] | None:
    """Weights by a linear program: what flows into a peak leaves it for its forms, m times as much in all."""
    flows, multiples = _Flows(piece), []
    for x in sorted(symbols.values(), key=lambda symbol: symbol.key):
        for end in ("least", "greatest") if x in piece.letters else ():
            value = getattr(x.of[1], end)
            if value is not None and not (end == "least" and value == 0):
                multiples.append((x, end))
                flows.spread(bound_form(x, end), (x, end), -1)
    products = list(_products(piece, assumed, known))
    for j, (_, form, _) in enumerate(products):
        flows.spread(form, ("assumed", j), -1)
    try:
        values = flows.program(known).solve()
    except TooMuchWork:
        return None
    if values is None:
        return None
    bounds = [(x, end, values[x, end]) for x, end in multiples if values.get((x, end))]
    used = [
        (n, form.scaled(c), by.scaled(c))
        for j, (n, form, by) in enumerate(products)
        if (c := values.get(("assumed", j), ZERO))
    ]
    return leaf(piece, flows.shares(values), bounds, (), used)


def _products(piece: Form, assumed: Sequence[Form], known: Known) -> Iterator[tuple[int, Form, Form]]:
    """What is ≥ 0 by each assumption, times products of letters of no higher degree than the piece has; with
    the number of the assumption, and these."""
    for n, form in enumerate(assumed):
        if not form.terms or form.peaks:
            continue
        terms = sorted({*piece.letters, *form.letters}, key=lambda x: x.key)
        signed = [
            x for x in terms if any(forms.is_nonnegative(Form(((((x, 1),), c),)), known) for c in SIGNS)
        ]
        for degree in range(max(1, 1 + _degree(piece) - _degree(form))):
            for chosen in islice(combinations_with_replacement(signed, degree), MOST_PRODUCTS):
                product = tuple(sorted(Counter(chosen).items(), key=lambda x: x[0].key))
                by = next((y for c in SIGNS if forms.is_nonnegative(y := Form(((product, c),)), known)), None)
                if by is not None:
                    yield n, forms.spread(by, form, known), by


def _degree(form: Form) -> int:
    return max((sum(n for _, n in term) for term, _ in form.monomials), default=0)


class _Flows:
    """How much of each unknown amount comes to every peak, and to every other term.

    The amounts are (n, j), what leaves the n-th peak for its j-th form, and multiples of bounds and
    assumptions; None is the piece itself, which is there once.
    """

    def __init__(self, piece: Form) -> None:
        self.peaks = _every_peak(piece)
        self.inflow: dict[Peak, dict[Any, Fraction]] = {peak: {} for peak in self.peaks}
        self.rest: dict[Monomial, dict[Any, Fraction]] = {}
        self.members = {peak: list(dict.fromkeys(peak.of)) for peak in self.peaks}
        self.spread(piece, None)
        for n, peak in enumerate(self.peaks):
            for j, inner in enumerate(self.members[peak]):
                self.spread(inner, (n, j))

    def spread(self, form: Form, flow: Any, sign: int = 1) -> None:
        """An amount comes to the terms of a form."""
        for t, c in form.terms:
            into = self.inflow[t] if isinstance(t, Peak) else self.rest.setdefault(t, {})
            into[flow] = into.get(flow, ZERO) + c * sign

    def program(self, known: Known) -> Program:
        """What comes to a peak leaves it m times, for no form oftener than it is there; of each other term
        something is left, or nothing where its sign is not known."""
        program = Program()
        for n, peak in enumerate(self.peaks):
            whole = {x: -c * peak.m for x, c in self.inflow[peak].items()}
            for j, inner in enumerate(self.members[peak]):
                whole[n, j] = whole.get((n, j), ZERO) + 1
                most = {x: c * peak.often[inner] for x, c in self.inflow[peak].items()}
                most[n, j] = most.get((n, j), ZERO) - 1
                if peak.m > 1:
                    program.at_least(most, most.pop(None, ZERO))
            program.equal(whole, whole.pop(None, ZERO))
        for t, row in self.rest.items():
            add = program.at_least if forms.nonnegative(t, known) else program.equal
            add(row, row.pop(None, ZERO))
        return program

    def shares(self, found: Mapping[Any, Fraction]) -> Shares:
        """The weights of the forms of each peak to which something comes."""
        shares: Shares = []
        for n, peak in enumerate(self.peaks):
            flows = [found.get((n, j), ZERO) for j in range(len(self.members[peak]))]
            if total := sum(flows, ZERO):
                some = zip(self.members[peak], flows, strict=True)
                shares.append((peak, _joined((inner, flow * peak.m / total) for inner, flow in some)))
        return shares


def _every_peak(form: Form) -> list[Peak]:
    """All peaks at any depth, those that contain others before these."""
    numbers: dict[Peak, int] = {}
    waiting = [peak for peak, _ in form.peaks]
    while waiting:
        peak = waiting.pop()
        if peak not in numbers:
            numbers[peak] = _depth(peak)
            waiting += [one for inner in peak.of for one, _ in inner.peaks]
    return sorted(numbers, key=lambda peak: (-numbers[peak], peak.key))


def pieces(form: Form, limit: int) -> Iterator[Form] | None:
    """Forms h_1, …, h_n whose peaks all have positive factors and whose minimum is `form`.

    Each term −c·top(m, x_1, …, x_n) is the minimum of −c·Σ_{j∈S} x_j over the m-subsets S,
    and every other operation here grows with its arguments, so the minimum comes out.
    None where there are more than `limit`.
    """
    if _count_pieces(form, limit) > limit:
        return None
    return _pieces(form)


def _pieces(form: Form) -> Iterator[Form]:
    peak = chosen_peak(form)
    if peak is None:
        yield form
        return
    for combination in combinations(peak.of, peak.m):
        yield from _pieces(forms.replaced(form, peak, forms.total(combination)))


def chosen_peak(form: Form) -> Peak | None:
    """The first peak that is subtracted, at any depth; None where there is none."""
    for peak, c in form.peaks:
        if c < 0:
            return peak
    for peak, _ in form.peaks:
        for inner in peak.of:
            if (found := chosen_peak(inner)) is not None:
                return found
    return None


def _count_pieces(form: Form, limit: int) -> int:
    product = 1
    for peak, c in form.peaks:
        if c < 0:  # peaks inside of its members are chosen for each member that is added
            chosen = (inner.scaled(Fraction(-1)) for inner in peak.of if inner.peaks)
            inner = max((_count_pieces(one, limit) for one in chosen), default=1)
            product *= min(comb(len(peak.of), peak.m) * inner**peak.m, limit + 1)
        else:
            for inner_form in peak.of:
                product *= _count_pieces(inner_form, limit)
        if product > limit:
            return limit + 1
    return product


def value_at(form: Form, point: Mapping[str, Fraction]) -> Fraction:
    """The exact value of a form at a point.  Raises NotAForm where an atom is not rational there."""
    return Fraction(*_ratio_at(form, point))


def _ratio_at(form: Form, point: Mapping[str, Fraction]) -> tuple[int, int]:
    """The value n/d as n and d, which lowest terms are not looked for."""
    values = []
    for term, c in form.terms:
        n, d = c.as_integer_ratio()
        if isinstance(term, Peak):
            x, y = _largest([_ratio_at(inner, point) for inner in term.of], term.m)
            n, d = n * x, d * y
        else:
            for letter, times in term:
                value = point[letter.of[0]] if letter.kind == "letter" else _atom_at(letter, point)
                x, y = value.as_integer_ratio()
                n, d = (n * x, d * y) if times == 1 else (n * x**times, d * y**times)
        values.append((n, d))
    return _largest(values, len(values))


def _largest(values: Sequence[tuple[int, int]], m: int) -> tuple[int, int]:
    """The sum of the m largest n/d."""
    if len(values) == 1:
        return values[0]
    common = lcm(*(d for _, d in values))
    numerators = [n * (common // d) for n, d in values]
    return sum(numerators if m == len(values) else sorted(numerators)[-m:]), common


@lru_cache(maxsize=4_096)
def _evaluated(letter: Term, point: tuple[tuple[str, Fraction], ...]) -> Fraction | None:
    return formulas.evaluate(letter, dict(point))


def _atom_at(letter: Term, point: Mapping[str, Fraction]) -> Fraction:
    inside = point if letter.kind == "over" else {name: point[name] for name in letter.letters}
    value = _evaluated(letter, tuple(inside.items()))
    if value is None:
        raise NotAForm(f"{formulas.to_text(letter)} is not rational there")
    return value


def beside(form: Form, count: Term, m: Term, shared: bool) -> Form:
    """What stands in a form beside its sums over the m largest of k members.

    shared -- and beside multiples of k; for a number k that is everything without a family.
    """

    def is_summed(term: Monomial | Peak) -> bool:
        if isinstance(term, Peak):
            return False
        of = [letter for letter, _ in term]
        multiple = count in of if count.number is None else not any(one.has("over") for one in of)
        return any(members.is_sum(letter, count, m) for letter in of) or (shared and multiple)

    return Form(tuple((term, c) for term, c in form.terms if not is_summed(term)))
