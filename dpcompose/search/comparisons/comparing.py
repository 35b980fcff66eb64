"""Decides "g ≥ l for all allowed values of the letters" by a certificate for it or a point against it.

Order of work: a few simple points; weights that are seen at once for each piece of g − l or, where the
pieces are many, a rule for all of them; the other points, first those where what no rule covers is large;
weights from linear programs, piece by piece; where the comparison is not linear, points and steps of
calculus; then linear programs for a point.  What comes out was checked by `kernel.comparison`.  All work
is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice, product
from typing import Any

from dpcompose.kernel import comparison
from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.deciders.calculus.calculus import goal
from dpcompose.kernel.deciders.calculus.elementary import NotElementary
from dpcompose.kernel.deciders.families import members, rays
from dpcompose.kernel.expressions import forms, formulas, substitution, terms
from dpcompose.kernel.expressions.certificates import BadCertificate, domain_data, letters
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import Form, Known, NotAForm
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.symbols import simple
from dpcompose.search.comparisons import assuming, covering, squaring, weights
from dpcompose.search.comparisons.answers import Point as Point
from dpcompose.search.comparisons.answers import Proof as Proof
from dpcompose.search.comparisons.points import Point as Values
from dpcompose.search.comparisons.points import (
    grid,
    piece_at,
    usual,
    where_large,
    where_negative,
)
from dpcompose.search.comparisons.sizes import Sizes
from dpcompose.search.comparisons.solver import Z3, Solver
from dpcompose.search.comparisons.squaring import has_products, multiplied, pairs, shift
from dpcompose.search.comparisons.weights import NoWeights, text, text_of
from dpcompose.search.comparisons.writing_out import of_member, written_out

STANDARD = Z3()
FIRST_POINTS = 8
"""How many simple points are tried before any proof; the others come before linear programs."""
MANY_PIECES = 400
"""Up to so many pieces are proved by linear programs."""
MOST_WRITTEN = 1_500
"""The most terms of a difference that is written into a certificate."""
LARGEST_GRID = 200_000
"""The most terms that are evaluated at simple points."""
MOST_TERMS_OUT = 150
"""The most terms of a comparison with all members written out."""


def compare(
    greater: Term,
    lesser: Term,
    solver: Solver | None = STANDARD,
    efforts: int | None = None,
    to_prove: bool = False,
    assumed: Assumed = assumptions.NOTHING,
) -> Proof | Point | None:
    """Whether greater ≥ lesser for all allowed values of their letters; None where neither was shown.

    assumed -- relations that hold for all allowed values; then a point has values for their letters, too;
    solver -- what finds points of polynomials; efforts -- how often a proof by calculus is looked for at
    most, each time with more effort; to_prove -- whether only a proof is wanted: where none was found, no
    points are looked for any more.

    >>> e, f = terms.letter("e"), terms.letter("f")
    >>> compare(terms.largest(e, f), e + f).values == {"e": 1, "f": 1}
    True
    >>> compare(e + f, terms.largest(e, f)).certificate["difference"]
    'e + f - max(e, f)'
    """

    def answer(more: Term, less: Term, left: Assumed) -> Proof | Point | None:
        with suppress(NotAForm, RecursionError):
            asked = _Question(more, less, solver, efforts, to_prove, left)
            shown = asked.answer()
            return Point(shown.seen, asked.fails) if isinstance(shown, Point) else shown
        return None

    def as_they_are(more: Term, less: Term, only_proof: bool) -> Proof | Point | None:
        with suppress(NotAForm, RecursionError):
            return _Question(more, less, solver, efforts, only_proof, assumed).as_they_are()
        return None

    if not assumed:
        return answer(greater, lesser, assumed)
    return assuming.decide(greater, lesser, assumed, answer, as_they_are, to_prove)


@dataclass
class _Question:
    greater: Term
    lesser: Term
    solver: Solver | None
    efforts: int | None
    to_prove: bool = False
    assumed: Assumed = assumptions.NOTHING
    to_refute: bool = False

    @cached_property
    def domains(self) -> Mapping[str, Domain]:
        return comparison.domains_of(self.greater, self.lesser)

    @cached_property
    def missing(self) -> list[tuple[Term, str]]:
        """What must hold for both sides to have values and is not seen from signs."""
        return forms.missing_values([self.greater, self.lesser])

    @cached_property
    def known(self) -> Known:
        """What else is used: that these hold, as calculus shows, or their opposites; and that logarithms with
        roots, and by which worst cases are multiplied, are at least 0."""
        known = set()
        beside = [*(term for term, _ in self.missing), *_beside_maxima(self.greater, self.lesser)]
        above_one = [(term.of[0] - 1, ">= 0") for term in dict.fromkeys(beside) if term.kind == "log"]
        for term, relation in (*self.missing, *above_one):
            for signed, strictly in ((term, True), (term, False), (-term, True)):
                if (relation == ">= 0" or strictly) and values.surely(signed, strictly, self.assumed):
                    known.add((signed, strictly))
                    break
        return frozenset(known)

    @cached_property
    def difference(self) -> Form:
        return comparison.difference_of(self.greater, self.lesser, self.known)

    def answer(self) -> Proof | Point | None:
        if any(side.kind == "oo" for side in (self.greater, self.lesser)):
            return None
        if forms.missing_values([self.greater, self.lesser], self.known):
            return None
        difference = self.difference
        if rays.overs(difference):
            return self._over_families()
        points = islice(self._grid(), max(4, LARGEST_GRID // (1 + difference.size)))
        if (first := self._failing(islice(points, FIRST_POINTS))) is not None:
            return first
        if isinstance(seen := self._at_a_glance(), Proof):
            return seen
        atoms = any(term.kind != "letter" for term in difference.letters)
        others = () if atoms else chain(where_large(difference, seen, self.domains), points)
        bent = atoms or has_products(difference)
        whole = any(domain.integer for domain in self.domains.values())
        return (
            self._failing(others)
            or self._by_weights()
            or (self._by_calculus(self.efforts) if bent else None)
            or (self._by_squares() if atoms else None)
            or self._failing(self._where_negative())
            or (self._by_calculus(1) if whole and not bent else None)
        )

    def as_they_are(self) -> Proof | Point | None:
        """By multiples of what is assumed, with all letters: where products are compared, or roots."""
        sides = (self.greater, self.lesser)
        if any(side.kind == "oo" for side in sides) or forms.missing_values(list(sides), self.known):
            return None
        bent = has_products(self.difference) or any(map(squaring.is_root, self.difference.letters))
        if rays.overs(self.difference) or not bent:
            return None
        known = self._by_weights() or self._failing(self._where_negative())
        return known or self._by_squares() or self._where_squares_fail()

    def _where_squares_fail(self) -> Point | None:
        """A point at which the squares of both sides fail, and so do they, if these have no roots."""
        if self.to_prove or not any(map(squaring.is_root, self.difference.letters)):
            return None
        greater, lesser = (substitution.expanded(side**2) for side in (self.greater, self.lesser))
        squares = _Question(greater, lesser, self.solver, 1, assumed=self.assumed)
        if any(map(squaring.is_root, squares.difference.letters)):
            return None
        point = squares.as_they_are()
        return point if isinstance(point, Point) and self.fails(dict(point.seen)) else None

    def _grid(self) -> Iterator[Values]:
        """Simple points; where families cancel, with values of as many members as there are at least."""
        if not any(map(terms.moves, self.domains)):
            return iter(grid(self.domains))
        return self.sizes.points()

    # certificates and points, checked

    def proof(self, proof: Any) -> Proof | None:
        """The certificate with a proof of the difference, if it is one."""
        written = [
            [formulas.to_text(term), "> 0" if strictly else ">= 0"]
            for term, strictly in sorted(self.known, key=lambda one: one[0].key)
        ]
        is_told = self.difference.size <= MOST_WRITTEN
        if not self.domains:  # a number that is too close to 0 is not read
            is_told = is_told and sign(forms.write(self.difference)) is not None
        certificate = {
            "letters": {name: domain_data(domain) for name, domain in self.domains.items()},
            **({"known": written} if written else {}),
            **({"difference": text(self.difference)} if is_told else {}),
            "proof": proof,
        }
        try:
            used = comparison.check_at_least(self.greater, self.lesser, certificate, self.assumed)
        except BadCertificate:
            return None
        return Proof(certificate, used)

    def fails(self, point: Values) -> bool:
        """Whether l > g at a point that is not seen to be excluded, confirmed by the kernel."""
        known = (assumption for assumption in self.assumed if assumption.letters.keys() <= point.keys())
        if not all(assumptions.holds_at((assumption,), point) for assumption in known):
            return False
        try:
            if weights.value_at(self.difference, point) >= 0:
                return False
        except (NotAForm, formulas.FormulaError, KeyError, ArithmeticError):
            pass  # it may be irrational there, or have no value
        try:
            own = {name: x for name, x in point.items() if name not in self._of_assumptions}
            comparison.check_point(self.greater, self.lesser, own)
        except BadCertificate:
            return False
        return True

    def _failing(self, points: Iterable[Values]) -> Point | None:
        """The first of some points at which it fails."""
        return next((Point(point) for point in points if self.fails(point)), None)

    @cached_property
    def _of_assumptions(self) -> Mapping[str, Domain]:
        """The letters that only assumptions are about."""
        every = assumptions.letters_of(self.assumed)
        return {name: domain for name, domain in every.items() if name not in self.domains}

    # proofs

    @cached_property
    def symbols(self) -> dict[str, Term]:
        return letters(self.domains)

    def _shifts(
        self, difference: Form, symbols: dict[str, Term]
    ) -> Iterator[tuple[Form, dict[str, Term], Any]]:
        """A difference, and where letters with a least value above 0 are multiplied, the same with what
        they are more; each with its letters, and the step that leads to it."""
        yield difference, symbols, lambda proof: proof
        least = {name: symbols[name].of[1].least for name in multiplied(difference)}
        names = sorted(name for name, x in least.items() if x and x > 0)
        if names and not rays.overs(difference):
            yield shift(difference, symbols, names, self.known)

    def _at_a_glance(self) -> Proof | list[forms.Monomial]:
        """A proof by weights that are seen, or a rule; else the monomials that no rule covered."""
        uncovered: list[forms.Monomial] = []
        for difference, symbols, step in self._shifts(self.difference, self.symbols):
            leaf = covering.at_a_glance(difference, symbols, self.known)
            if not isinstance(leaf, list):
                if (proof := self.proof(step(leaf))) is not None:
                    return proof
            elif difference is self.difference:
                uncovered = leaf
        return uncovered

    def _by_calculus(self, efforts: int | None) -> Proof | Point | None:
        """A proof by steps of calculus, or a point where it fails, of values that may be irrational."""
        try:
            wanted = goal(self.difference)
        except NotElementary:
            return None
        from dpcompose.search.comparisons import by_calculus

        first = usual(self.domains)  # of what cancels, too
        shown = by_calculus.decide(
            wanted, lambda point: self.fails(first | point), efforts, not self.to_refute
        )
        if isinstance(shown, dict):
            return Point(first | shown)
        return None if shown is None else self.proof({"steps": shown})

    def _by_weights(self) -> Proof | None:
        """Weights from linear programs."""
        for difference, symbols, step in self._shifts(self.difference, self.symbols):
            if weights.pieces(difference, MANY_PIECES) is None:
                continue
            try:
                tree = weights.tree(difference, symbols, self.known, False, self.left(difference))
            except NoWeights:
                continue
            if (proof := self.proof(step(tree))) is not None:
                return proof
        return None

    def left(self, difference: Form) -> list[Form]:
        """What is ≥ 0 by assumptions, in the letters of the difference: of a shifted one nothing is said."""
        assumed = self.assumed if difference is self.difference else ()
        return [comparison.forms_of(assumption) for assumption in assumed]

    def _where_negative(self) -> Iterator[Values]:
        """Points where a piece is negative, unless only a proof is wanted."""
        if self.to_prove:
            return
        pieces = weights.pieces(self.difference, MANY_PIECES)
        if pieces is None:
            near = (piece_at(self.difference, point) for point in islice(grid(self.domains), 200))
            pieces = iter(dict.fromkeys(piece for piece in near if piece is not None))
        for piece in pieces:
            if weights.seen(piece, self.symbols, self.known) is None:
                domains = {**self._of_assumptions, **self.domains}
                assumed = [
                    (comparison.forms_of(assumption), assumption.strictly) for assumption in self.assumed
                ]
                yield from where_negative(piece, domains, self.solver, assumed)

    # families

    def _over_families(self) -> Proof | Point | None:
        """For all numbers of members at once by rays; against it, the smallest number that fails."""
        proof = self._by_rays() or self._by_members() or self._by_squares()
        if proof is not None or self.to_prove:
            return proof
        if (first := self._failing(self.sizes.points())) is not None:
            return first
        written = (self._written_out(sizes) for sizes in self.sizes.small)
        return next((point for point in written if point is not None), None)

    def _by_rays(self) -> Proof | None:
        try:
            most = rays.largest(rays.prepared(self.difference, self.known), self.known)
            named = {family: self._prefix(n) for n, family in enumerate(most)}
            data = [
                [formulas.to_text(member), formulas.to_text(count), prefix]
                for (member, count), prefix in named.items()
            ]
            left = tuple(self.left(self.difference))
            below, new, assumed = rays.on_rays(self.difference, data, self.symbols, self.known, left)
        except (NotAForm, BadCertificate):
            return None
        for difference, inside, step in self._shifts(below, self.symbols | new):
            leaf = covering.at_a_glance(difference, inside, self.known)
            if isinstance(leaf, list):
                if weights.pieces(difference, MANY_PIECES) is None:
                    continue
                try:
                    more = assumed if difference is below else ()
                    leaf = weights.tree(difference, inside, self.known, False, more)
                except NoWeights:
                    continue
            proof = self.proof({"rays": data, "difference": text(below), "proof": step(leaf)})
            if proof is not None:
                return proof
        return None

    def _by_members(self) -> Proof | None:
        """A proof of the general member of a sum over a family, and of what is left beside the sum."""
        try:
            below = rays.prepared(self.difference, self.known)
        except NotAForm:
            return None
        over = sorted({(term.of[2], term.of[0]) for term in rays.overs(below)}, key=lambda one: one[1].key)
        for (count, m), shared in product(over, (True, False)):
            try:
                beside = weights.beside(below, count, m, shared and m == count)
                each = members.summed(below - beside, count, m, self.known)
            except (NotAForm, BadCertificate):
                continue
            if beside != below and (shown := self._shown(each)) and (rest := self._shown(beside)):
                largest = {} if m == count else {"largest": formulas.to_text(m)}
                inner = {**largest, "each": shown, "beside": text(beside), "proof": rest}
                return self.proof({"members": formulas.to_text(count), **inner})
        return None

    def _by_squares(self) -> Proof | None:
        """A proof that leaves out a term that is added and one that is subtracted, with squares compared."""
        for greater, lesser in pairs(self.difference, self.known):
            squares = [forms.squared(forms.write(form), self.known) for form in (greater, lesser)]
            shown = self._shown(squares[0] - squares[1])
            if shown and (rest := self._shown(self.difference - greater + lesser)):
                sides = {"larger": text(greater), "smaller": text(lesser)}
                return self.proof({**sides, "squares": shown, "proof": rest})
        return None

    def _shown(self, form: Form) -> Any:
        """Steps that show, by the least effort, that another form is ≥ 0; None where there are none."""
        try:
            question = _Question(forms.write(form), terms.ZERO, None, 1, True, self.assumed)
            answer = question.answer() if question.known <= self.known else None
        except NotAForm:
            return None
        return answer.certificate["proof"] if isinstance(answer, Proof) else None

    def _prefix(self, n: int) -> str:
        """What the letters of a family are called: r0, r1, …, or longer where parameters are called so."""
        start = "r"
        while any(name.startswith(f"{start}{n}") for name in self.domains):
            start += "r"
        return f"{start}{n}"

    @cached_property
    def sizes(self) -> Sizes:
        """How many members families may have."""
        return Sizes((self.greater, self.lesser), self.domains)

    def _written_out(self, sizes: Mapping[str, int]) -> Point | None:
        """A point for given numbers of members, at which all members are letters of their own."""
        numbers = {name: terms.number(size) for name, size in sizes.items()}
        try:
            more, less = (
                substitution.substituted(written_out(side, sizes), numbers)
                for side in (self.greater, self.lesser)
            )
            few = forms.read(more - less).size <= MOST_TERMS_OUT
            question = _Question(more, less, self.solver, self.efforts, to_refute=True)
            answer = question.answer() if few else None
        except (terms.TermError, NotAForm, RecursionError):
            return None
        if not isinstance(answer, Point):
            return None
        first = {
            of_member(name, j) if terms.moves(name) else name: simple(domain)[0]
            for name, domain in self.domains.items()
            for j in range(1, (self.sizes.largest(sizes) if terms.moves(name) else 1) + 1)
        }
        point = {**first, **answer.values, **{name: Fraction(size) for name, size in sizes.items()}}
        return Point(point) if self.fails(point) else None


def _beside_maxima(*sides: Term) -> Iterator[Term]:
    """What worst cases are multiplied by."""
    for one in (part for side in sides for part in side.every("product")):
        if any(factor.has(kind) for factor in one.parts for kind in ("top", "over")):
            yield from one.parts


def reason(greater: Term, lesser: Term, assumed: Assumed = assumptions.NOTHING) -> str:
    """Why a comparison may have stayed undecided, in words."""
    try:
        question = _Question(greater, lesser, None, None, assumed=assumed)
        missing = forms.missing_values([greater, lesser], question.known)
        if missing:
            return f"{formulas.to_text(missing[0][0])} is not known to be {missing[0][1]}"
        difference = question.difference
    except NotAForm as error:
        return str(error)
    if rays.overs(difference):
        return "it is not shown for all numbers of members"
    atoms = sorted((term for term in difference.letters if term.kind != "letter"), key=lambda one: one.key)
    if atoms:
        return f"{text_of(atoms[0])} is compared by its sign, and by calculus, and that is not enough"
    if has_products(difference):
        return "the comparison is not linear in the parameters, and neither a proof nor a point was found"
    if any(domain.integer for domain in question.domains.values()):
        return "it fails for real values of the whole-number parameters, and no whole numbers were found"
    return "neither a proof nor a point was found"
