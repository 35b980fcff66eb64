"""Assumptions: relations between parameters, which hold for all values that a setting allows.

Where u > l is assumed, u is l and something above 0.  So a comparison that is shown for all l and all d > 0,
with l + d in place of u, holds for all allowed u and l: letters are eliminated, one by each assumption.  What
else is known of an eliminated letter, that it lies in its domain, is left as further assumptions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from dpcompose.kernel.expressions import forms, formulas, substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, Domain
from dpcompose.kernel.expressions.forms import Form
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.polynomials import NotAForm
from dpcompose.kernel.expressions.terms import Term

SIGNS = (">", ">=", "<", "<=")
MOST_WAYS = 12
"""In how many ways letters are eliminated."""


class NotAssumed(ValueError):
    """An assumption does not hold at a point, or eliminates no letter; the message says why."""


@frozen
class Assumption:
    """left > right, or another of the SIGNS between two terms.

    >>> u, l = terms.letter("u"), terms.letter("l")
    >>> str(Assumption(l, "<", u)), Assumption(l, "<", u).term == u - l
    ('l < u', True)
    """

    left: Term
    sign: str
    right: Term

    @property
    def term(self) -> Term:
        """What is > 0, or ≥ 0."""
        return self.left - self.right if self.sign in (">", ">=") else self.right - self.left

    @property
    def strictly(self) -> bool:
        """Whether it is > 0."""
        return self.sign in (">", "<")

    @property
    def letters(self) -> Mapping[str, Domain]:
        return {**self.left.letters, **self.right.letters}

    def data(self) -> list[str]:
        """As JSON."""
        return [formulas.to_text(self.left), self.sign, formulas.to_text(self.right)]

    def __str__(self) -> str:
        return " ".join(self.data())


Assumed = tuple[Assumption, ...]
NOTHING: Assumed = ()


def letters_of(assumed: Assumed) -> Mapping[str, Domain]:
    """The letters of some assumptions, by name."""
    return {name: domain for assumption in assumed for name, domain in assumption.letters.items()}


def members_in(term: Term) -> list[str]:
    """The members e[i] that stand outside of sums and worst cases over families."""
    if term.kind == "over":
        return []
    own = [term.of[0]] if term.kind == "letter" and terms.moves(term.of[0]) else []
    return [*own, *(name for part in term.parts for name in members_in(part))]


def check_at(assumed: Assumed, point: Mapping[str, Fraction]) -> None:
    """Raises NotAssumed unless all assumptions are seen to hold at a point.

    >>> e, f = terms.letter("e"), terms.letter("f")
    >>> check_at((Assumption(e, "<=", f),), {"e": Fraction(2), "f": Fraction(1)})
    Traceback (most recent call last):
    dpcompose.kernel.core.assumptions.NotAssumed: e <= f is not seen to hold at the point
    """
    for assumption in assumed:
        if missing := sorted(
            name for name in assumption.letters.keys() - point.keys() if not terms.moves(name)
        ):
            raise NotAssumed(f"{assumption} is assumed, and the point has no value for {missing[0]}")
        try:
            number = sign(formulas.at(assumption.term, point))
        except (ValueError, ArithmeticError):
            number = None
        if number is None or number < 0 or (assumption.strictly and number == 0):
            raise NotAssumed(f"{assumption} is not seen to hold at the point")


def holds_at(assumed: Assumed, point: Mapping[str, Fraction]) -> bool:
    """Whether all are seen to hold at a point."""
    try:
        check_at(assumed, point)
    except NotAssumed:
        return False
    return True


def known_least(term: Term, assumed: Assumed) -> int | None:
    """What a whole number is at least: a number, a letter with a number added, or as is assumed; else None.

    >>> m, n = (terms.letter(name, Domain.read("integer >= 1")) for name in "mn")
    >>> known_least(n - m, (Assumption(m, "<", n),)), known_least(n - 3, ()), known_least(n - m, ())
    (1, -2, None)
    """
    numbers = [] if term.number is None else [floor(term.number)]
    for name, domain in term.letters.items():
        rest = substitution.expanded(term - terms.letter(name, domain)).number
        if rest is not None and domain.least is not None:
            numbers.append(ceil(domain.least + rest))
    for assumption in assumed:
        rest = substitution.expanded(assumption.term - term).number
        if rest is not None:
            numbers.append(floor(-rest) + 1 if assumption.strictly else ceil(-rest))
    return max(numbers, default=None)


def rounded_up(term: Term, l: int, parameters: Iterable[tuple[str, Domain]], assumed: Assumed) -> Term | None:
    """A whole number over l, rounded up: a letter for a whole number that is assumed to be at least that,
    and less than 1 more; None where none is.

    >>> m, c = (terms.letter(name, Domain.read("integer >= 1")) for name in "mc")
    >>> both = Assumption(2 * c, ">=", m), Assumption(2 * c, "<=", m + 1)
    >>> some = [("c", c.of[1])]
    >>> rounded_up(m, 2, some, both) == c, rounded_up(m, 2, some, both[:1]), rounded_up(m, 3, some, both)
    (True, None, None)
    """
    for name, domain in parameters:
        rest = term - l * terms.letter(name, domain)
        known = (known_least(some, assumed) for some in (-rest, rest + (l - 1)))
        if domain.integer and all(fewest is not None and fewest >= 0 for fewest in known):
            return terms.letter(name, domain)
    return None


# letters of either sign


@frozen
class Signed:
    """Some terms, and what is assumed, with x' or −x' in place of a letter x, for an x' ≥ 0 of the same name;
    of a maximum what is then seen to be no more than another member is left out.

    needed -- what must hold besides for the terms to have had a value: (x, "> 0"), ">= 0", "!= 0".
    """

    sides: tuple[Term, ...]
    assumed: Assumed
    needed: tuple[tuple[Term, str], ...]


def of_sign(name: str, positive: bool, sides: Iterable[Term], assumed: Assumed) -> Signed:
    """The letter ≥ 0, or ≤ 0.

    >>> l, u = (terms.letter(name, Domain.read("real")) for name in "lu")
    >>> sides = of_sign("l", False, [terms.largest(l, -l)], (Assumption(u, ">", l),))
    >>> sides.sides, list(map(str, sides.assumed))
    ((l,), ['u > -l'])
    """
    letter = terms.letter(name, NONNEGATIVE)
    values = {name: letter if positive else -letter}

    def shorter(term: Term) -> Term:
        return substitution.changed(term, substitution.seen_largest)

    whole = [substitution.substituted(side, values) for side in sides]
    left, short = tuple(_with(assumption, values) for assumption in assumed), tuple(map(shorter, whole))
    known = forms.missing_values(short)
    needed = ((shorter(inside), relation) for inside, relation in forms.missing_values(whole))
    return Signed(short, left, tuple(condition for condition in needed if condition not in known))


def _with(assumption: Assumption, values: Mapping[str, Term]) -> Assumption:
    left, right = (substitution.substituted(x, values) for x in (assumption.left, assumption.right))
    return Assumption(left, assumption.sign, right)


def of_both_signs(sides: Iterable[Term], assumed: Assumed) -> list[str]:
    """The letters that may have either sign, and are members of no family."""
    domains = dict(letters_of(assumed))
    for side in sides:
        domains |= side.letters
    signed = (name for name, domain in domains.items() if domain.least is None or domain.least < 0)
    return sorted(name for name in signed if not terms.moves(name))


# letters that are eliminated


Step = tuple[int, str, str]
"""By which assumption, from 0, which letter is eliminated, and what the distance is called that it leaves."""


@frozen
class Eliminated:
    """Letters as terms in other ones, and the assumptions that are left in these."""

    values: Mapping[str, Term]
    left: Assumed

    def of(self, term: Term) -> Term:
        """The term in the letters that remain.  Raises NotAssumed where one counts members."""
        if counting := sorted(counts_in(term) & self.values.keys()):
            raise NotAssumed(f"{counting[0]} counts the members of a family")
        return substitution.substituted(term, self.values)


def counts_in(term: Term) -> frozenset[str]:
    """The letters that count members of families."""
    own = (
        frozenset(name for count in (term.of[0], term.of[2]) for name in count.letters)
        if term.kind == "over"
        else ()
    )
    return frozenset(own).union(*map(counts_in, term.parts))


def eliminated(assumed: Assumed, steps: Iterable[Step], taken: Collection[str] = ()) -> Eliminated:
    """The letters that some steps eliminate, one after the other.  Raises NotAssumed.

    taken -- names that stand for other letters already.

    >>> u, l = terms.letter("u"), terms.letter("l")
    >>> values = eliminated((Assumption(u, ">", l),), [(0, "u", "d")])
    >>> formulas.to_text(values.of(2 * u)), values.left
    ('2*d + 2*l', ())
    """
    values: dict[str, Term] = {}
    taken = {*taken, *letters_of(assumed)}
    for n, name, fresh in steps:
        if not 0 <= n < len(assumed):
            raise NotAssumed(f"there is no assumption {n}")
        if fresh in taken or not (fresh.isidentifier() and fresh.isascii()):
            raise NotAssumed(f"{fresh} is no new name")
        taken.add(fresh)
        value, assumed = _without(assumed, n, name, fresh)
        values = {letter: substitution.substituted(old, {name: value}) for letter, old in values.items()} | {
            name: value
        }
    return Eliminated(values, assumed)


def _without(assumed: Assumed, n: int, name: str, fresh: str) -> tuple[Term, Assumed]:
    """A letter as a term with the distance that an assumption says is > 0 or ≥ 0, and what is left."""
    assumption = assumed[n]
    if name not in assumption.letters:
        raise NotAssumed(f"{assumption} says nothing of {name}")
    x = terms.letter(name, assumption.letters[name])
    factor, rest = _linear(assumption, x)
    domain: Domain = x.of[1]
    whole = domain.integer and _is_whole(rest) and factor.denominator == 1
    far = terms.letter(fresh, _distances(domain, factor, rest, assumption.strictly, whole))
    value = substitution.expanded((far - forms.write(rest)) * terms.number(1 / factor))
    others = [
        Assumption(
            substitution.substituted(other.left, {name: value}), other.sign, _put(other.right, name, value)
        )
        for other in (*assumed[:n], *assumed[n + 1 :])
    ]
    return value, (*others, *_in_domain(value, domain))


def _distances(domain: Domain, factor: Fraction, rest: Form, strictly: bool, whole: bool) -> Domain:
    """What c·x + r may be where it is > 0 or ≥ 0; where r is a number, for the x of a domain."""
    least, is_open = Fraction(1 if strictly and whole else 0), strictly and not whole
    if rest.number is None:
        return Domain(least, is_open, integer=whole)
    ends = [(domain.least, domain.open_least), (domain.greatest, domain.open_greatest)]
    (low, open_low), (high, open_high) = [
        (None if end is None else factor * end + rest.number, at)
        for end, at in ends[:: 1 if factor > 0 else -1]
    ]
    if low is not None and (low > least or (low == least and open_low)):
        least, is_open = low, open_low
    middle = least if high is None else Fraction(ceil(least)) if whole else (least + high) / 2
    image = Domain(least, is_open, high, open_high, whole)
    return image if high is None or image.contains(middle) else Domain(least, is_open, integer=whole)


def _put(term: Term, name: str, value: Term) -> Term:
    return substitution.substituted(term, {name: value})


def _linear(assumption: Assumption, x: Term) -> tuple[Fraction, Form]:
    """c and r where the assumption is about c·x + r, with c ≠ 0 and no x in r."""
    try:
        form = forms.read(assumption.term)
    except NotAForm as error:
        raise NotAssumed(f"{assumption}: {error}") from None
    factor = form.coefficients.get(((x, 1),))
    rest = form if factor is None else form - Form(((((x, 1),), factor),))
    if factor is None or any(x.of[0] in letter.letters for letter in rest.letters):
        raise NotAssumed(f"{assumption} does not say how far {x.of[0]} is from something else")
    return factor, rest


def _is_whole(form: Form) -> bool:
    """Whether a polynomial has whole values only, as is seen from its letters."""
    return not form.peaks and all(
        c.denominator == 1 and all(letter.kind == "letter" and letter.of[1].integer for letter, _ in term)
        for term, c in form.monomials
    )


def _in_domain(value: Term, domain: Domain) -> Iterator[Assumption]:
    """That a term lies in a domain, as far as it is not seen from signs."""
    ends = ((domain.least, domain.open_least, ">"), (domain.greatest, domain.open_greatest, "<"))
    for end, is_open, word in ends:
        if end is None:
            continue
        assumption = Assumption(value, word if is_open else f"{word}=", terms.number(end))
        seen = forms.term_sign(assumption.term)
        if not (seen > 0 or (seen == 0 and not is_open)):
            yield assumption


@lru_cache(maxsize=1024)
def ways(
    assumed: Assumed, taken: frozenset[str] = frozenset(), kept: frozenset[str] = frozenset()
) -> tuple[tuple[Step, ...], ...]:
    """Ways to eliminate a letter by each assumption by which one can be, a few of them.

    Letters that an assumption says are large come first: they are the others and something more.
    taken -- names that new letters cannot have; kept -- letters that are not eliminated.
    """
    sequences: list[tuple[Step, ...]] = []

    def go(at: int, here: Assumed, left: int, made: tuple[Step, ...]) -> None:
        if len(sequences) >= MOST_WAYS:
            return
        if not left:
            sequences.append(made)
            return
        used = frozenset(fresh for _, _, fresh in made)
        candidates = _candidates(here[at], kept | used)
        for name in candidates:
            fresh = _fresh(len(made), {*taken, *letters_of(assumed), *used})
            _, after = _without(here, at, name, fresh)
            go(at, after, left - 1, (*made, (at, name, fresh)))
        if not candidates:
            go(at + 1, here, left - 1, made)

    go(0, assumed, len(assumed), ())
    return tuple(dict.fromkeys(sequences))


def _candidates(assumption: Assumption, kept: Collection[str]) -> list[str]:
    """The letters that an assumption eliminates, those with positive factors first."""
    candidates = []
    for name, domain in sorted(assumption.letters.items()):
        if name not in kept:
            try:
                factor, _ = _linear(assumption, terms.letter(name, domain))
            except NotAssumed:
                continue
            candidates.append((factor < 0, name))
    return [name for _, name in sorted(candidates)]


def _fresh(n: int, taken: Collection[str]) -> str:
    name = f"more_{n + 1}"
    while name in taken:
        name += "_"
    return name


def in_other_letters(assumed: Assumed, *some: Term) -> Iterator[Eliminated]:
    """The ways in which letters are eliminated from terms, where assumptions say something of these."""
    names = frozenset(name for term in some for name in term.letters)
    if not assumed or not names & letters_of(assumed).keys():
        return
    for steps in ways(assumed, names, frozenset().union(*map(counts_in, some))):
        if steps:
            yield eliminated(assumed, steps, names)
