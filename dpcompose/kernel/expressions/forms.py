"""Reading terms as forms and writing them back, and what is seen of forms from the signs of their letters.

A letter's sign follows from its domain, or from what an atom is: a root is never negative, a power of e is
above 0, a quotient has the sign of what it divides by, and log(x) that of x - 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb

from dpcompose.kernel.expressions import formulas, orders, substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.polynomials import ONE as ONE
from dpcompose.kernel.expressions.polynomials import Form as Form
from dpcompose.kernel.expressions.polynomials import Monomial as Monomial
from dpcompose.kernel.expressions.polynomials import NotAForm as NotAForm
from dpcompose.kernel.expressions.polynomials import Peak as Peak
from dpcompose.kernel.expressions.polynomials import above, natural
from dpcompose.kernel.expressions.polynomials import domains_of as domains_of
from dpcompose.kernel.expressions.polynomials import replaced as replaced
from dpcompose.kernel.expressions.polynomials import top as top
from dpcompose.kernel.expressions.polynomials import total as total
from dpcompose.kernel.expressions.terms import HALF, Term

Known = frozenset[tuple[Term, bool]]
"""What is known besides signs: (t, True) says t > 0, and (t, False) that t ≥ 0, for all allowed values."""
NOTHING: Known = frozenset()
RELATIONS = ("> 0", ">= 0", "!= 0")
LARGEST_POWER = 64
MOST_MULTIPLIED = 400
"""The most terms that a product of two sums with worst cases may have."""


@lru_cache(maxsize=2_048)
def read(term: Term, known: Known = NOTHING) -> Form:
    """The normal form of a term.  Raises NotAForm where there is none: worst cases that are multiplied
    with each other, or by what may be negative.

    >>> from dpcompose.kernel.expressions.terms import letter, sqrt
    >>> x = letter("x")
    >>> read((1 + sqrt(x)) * (1 - sqrt(x))) == read(1 - x)
    True
    """
    if term.kind == "number":
        return Form.constant(term.of[0])
    if term.kind == "sum":
        return total(read(part, known) for part in term.of)
    if term.kind == "product":
        return _product([read(part, known) for part in term.of], known)
    if term.kind == "power" and (n := natural(term)) is not None and n <= LARGEST_POWER:
        return _power(read(term.of[0], known), n, known)
    if term.kind == "top":
        return top(term.of[0], [read(part, known) for part in term.parts])
    if term.kind == "over":
        return _over(term, known)
    if term.kind == "oo":
        raise NotAForm("oo is no number")
    if (n := _whole_below_0(term)) and term_sign(term.of[0], known) < 0 < term_sign(-term.of[0], known):
        turned = (-term.of[0]) ** n  # 1/x = -1/(-x) for x < 0
        if turned.kind == "power":
            return Form.letter(turned).scaled(Fraction(-1 if n % 2 else 1))
    return Form.letter(term)


def _whole_below_0(term: Term) -> int:
    """n where the term is x**n with a whole number n < 0; else 0."""
    exponent = term.of[1].number if term.kind == "power" else None
    return int(exponent) if exponent is not None and exponent.denominator == 1 and exponent < 0 else 0


def squared(term: Term, known: Known = NOTHING) -> Form:
    """The normal form of x², for a term x that is ≥ 0.

    max(a, b)² = max(a², b²) for a, b ≥ 0, and the square of a root is what it is of: so roots of
    sums, and their maxima, become polynomials.  Raises NotAForm where the square is none.

    >>> from dpcompose.kernel.expressions.terms import letter, sqrt
    >>> squared(sqrt(2 * letter("x"))) == read(2 * letter("x"))
    True
    """
    if term.kind == "product":
        return _product([squared(part, known) for part in term.of], known)
    if term.kind == "power" and term.of[1].number == HALF:
        return read(term.of[0], known)
    if term.kind in ("top", "over") and term.of[0] in (1, terms.ONE):
        members = term.parts if term.kind == "top" else term.of[1:2]
        if term.kind == "top" and all(is_nonnegative(read(-part, known), known) for part in members):
            return top(1, [squared(-part, known).scaled(Fraction(-1)) for part in members]).scaled(
                Fraction(-1)
            )
        if not all(is_nonnegative(read(part, known), known) for part in members):
            raise NotAForm("the square of a maximum of values that may be negative")
        if term.kind == "over":
            return read(terms.over(1, substitution.expanded(members[0] ** 2), term.of[2]), known)
        return top(1, [squared(part, known) for part in members])
    worst = [part for part in term.summands if part.has("top") and not part.has("over")]
    if term.kind == "sum" and len(worst) == 1:
        factor, peak = worst[0].split
        if peak.kind == "top" and peak.of[0] == 1 and factor > 0:
            rest = term - worst[0]
            return squared(terms.top(1, (rest + factor * x for x in peak.parts)), known)
    return _power(read(term, known), 2, known)


def root(square: Term) -> Term:
    """√x² for a term of squares that is ≥ 0: the root of a maximum is the maximum of the roots.

    >>> from dpcompose.kernel.expressions.terms import letter, top as worst
    >>> x, y = letter("x"), letter("y")
    >>> root(worst(1, [x**2, y**2]))
    (top 1 x y)
    """
    factor, rest = square.split
    if rest.kind == "top" and rest.of[0] == 1 and factor > 0:
        return terms.sqrt(terms.number(factor)) * terms.top(1, map(root, rest.parts))
    if rest.kind == "top" and rest.of[0] == 1 and (-rest).nonnegative:
        return terms.sqrt(terms.number(-factor)) * terms.least(*(root(-part) for part in rest.parts))
    if rest.kind == "over" and rest.of[0] == terms.ONE != rest.of[2] and factor > 0:
        return terms.sqrt(terms.number(factor)) * terms.over(1, root(rest.of[1]), rest.of[2])
    return terms.sqrt(square)


def write(form: Form) -> Term:
    """The form as a term."""
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            parts.append(terms.top(term.m, map(write, term.of)) * c)
        else:
            parts.append(terms.multiply([terms.number(c), *(terms.power(x, n) for x, n in term)]))
    return terms.add(parts)


def substituted(form: Form, values: Mapping[str, Term], known: Known = NOTHING) -> Form:
    """The form with terms in place of some parameters."""
    return read(substitution.substituted(write(form), values), known)


def _product(factors: list[Form], known: Known) -> Form:
    """The product, worst cases last: x·max(y, z) = max(x·y, x·z) where x ≥ 0."""
    product = Form.constant(1)
    for factor in factors:
        if not factor.peaks:
            product = product * factor
    for factor in factors:
        if factor.peaks:
            product = spread(product, factor, known)
    return product


def spread(factor: Form, form: Form, known: Known = NOTHING) -> Form:
    """factor·form with the factor inside of worst cases, which needs its sign."""
    if factor.peaks:
        return _peaks_spread(factor, form, known)
    if factor.number is not None:
        return form.scaled(factor.number)
    if is_nonnegative(factor.scaled(Fraction(-1)), known):
        return spread(factor.scaled(Fraction(-1)), form, known).scaled(Fraction(-1))
    if not is_nonnegative(factor, known):
        raise NotAForm("a maximum is multiplied by what may be negative, which is not taken apart")
    parts = [factor * Form(form.monomials)]
    for peak, c in form.peaks:
        parts.append(top(peak.m, [spread(factor, inner, known) for inner in peak.of]).scaled(c))
    return total(parts)


def _peaks_spread(factor: Form, form: Form, known: Known) -> Form:
    """(x + max(y, z))·form = x·form + max(y·form, z·form) for a form ≥ 0; below 0 both are turned."""
    if is_nonnegative(turned := form.scaled(Fraction(-1)), known):
        factor, form = factor.scaled(Fraction(-1)), turned
    if factor.size * form.size > MOST_MULTIPLIED or not is_nonnegative(form, known):
        raise NotAForm("two maxima are multiplied, which is not taken apart")
    parts = [spread(Form(factor.monomials), form, known)]
    for peak, c in factor.peaks:
        parts.append(top(peak.m, [spread(inner, form, known) for inner in peak.of]).scaled(c))
    return total(parts)


def _power(form: Form, n: int, known: Known) -> Form:
    """The n-th power: max(x, y)ⁿ = max(xⁿ, yⁿ) where x, y ≥ 0, minima alike, and |x|ⁿ is xⁿ or |xⁿ|."""
    (term, c), *others = form.terms or [(ONE, Fraction(0))]
    if n and not others and not isinstance(term, Peak) and all(one.kind == "letter" for one, _ in term):
        return Form(((tuple((one, k * n) for one, k in term), c**n),) if c else ())
    alone = term.of if isinstance(term, Peak) and term.m == 1 and not others else ()
    for way in (Fraction(1), Fraction(-1)) if alone else ():
        members = [inner.scaled(way) for inner in alone]
        if all(is_nonnegative(member, known) for member in members):
            raised = top(1, [_power(member, n, known).scaled(way) for member in members])
            return raised.scaled(way * (way * c) ** n)
    if len(alone) == 2 and not (alone[0] + alone[1]).terms:
        power = _power(alone[0], n, known).scaled(c**n)
        return top(1, [power, power.scaled(Fraction(-1))]) if n % 2 else power
    if form.peaks and others:  # by the binomial theorem, so that powers of worst cases are as above
        if form.size**n > MOST_MULTIPLIED:
            raise NotAForm("two maxima are multiplied, which is not taken apart")
        one = Form((form.peaks[0],))
        powers = [[_power(x, k, known) for k in range(n + 1)] for x in (one, form - one)]
        pairs = zip(powers[0], reversed(powers[1]), strict=True)
        return total(_product([x, y], known).scaled(Fraction(comb(n, k))) for k, (x, y) in enumerate(pairs))
    return _product([form] * n, known)


def _over(term: Term, known: Known) -> Form:
    """top(m, x[i], i, 1, k) with what does not depend on i, and common factors, taken out.

    What is left of the members is ≥ 0: it becomes a letter, and for a sum one letter a summand.
    """
    m, x, k = term.of
    if not (m == k or formulas.is_whole(m)):
        raise NotAForm("the number of the largest members is no whole number")
    before = terms.multiply(factor for factor in x.factors if not terms.is_open(factor))
    if before.has("top") and term_sign(before, known) >= 0:
        members = terms.multiply(factor for factor in x.factors if terms.is_open(factor))
        return _product([read(terms.over(m, members, k), known), read(before, known)], known)
    form = read(x, known)
    if form.peaks or any(letter.kind != "over" and letter.has("over") for letter in form.letters):
        raise NotAForm("a maximum inside of a family")
    splits = [(*_split(t), c) for t, c in form.monomials]
    still = Form(tuple((t, c) for t, c in form.monomials if not _split(t)[0]))
    moving = [split for split in splits if split[0]]
    if not all(nonnegative(inside, known) for inside, _, _ in moving):
        raise NotAForm("the members of a family may be negative")
    if m == k:
        forms = (
            Form.letter(terms.over(k, write(Form(((inside, Fraction(1)),))), k)) * Form(((outside, c),))
            for inside, outside, c in moving
        )
        return total([read(k, known) * still, *forms])
    count = m if at_least(k, m) else terms.least(m, k)
    fixed = _product([read(count, known), still], known)
    if not moving:
        return fixed
    _, outside, first = moving[0]
    if any(c < 0 or other != outside for _, other, c in moving) or not nonnegative(outside, known):
        return fixed + Form.letter(terms.over(m, write(form - still), k))
    inner = Form(tuple((t, c / first) for t, _, c in moving))
    return fixed + Form.letter(terms.over(m, write(inner), k)) * Form(((outside, first),))


def at_least(count: Term, m: Term) -> bool:
    """Whether a number of members is at least m for all allowed values."""
    least = count.number if count.kind != "letter" else count.of[1].least
    return least is not None and m.number is not None and least >= m.number


def _split(term: Monomial) -> tuple[Monomial, Monomial]:
    """A monomial as the product of what depends on the members e[i], and of what does not."""
    moves = [any(map(terms.moves, letter.letters)) and letter.kind != "over" for letter, _ in term]
    return (
        tuple(pair for pair, move in zip(term, moves, strict=True) if move),
        tuple(pair for pair, move in zip(term, moves, strict=True) if not move),
    )


# signs


def nonnegative(term: Monomial, known: Known = NOTHING) -> bool:
    """Whether a monomial is ≥ 0 for all allowed values, seen from the signs of its letters."""
    return all(n % 2 == 0 or _letter_sign(letter, known) >= 0 for letter, n in term)


def positive(term: Monomial, known: Known = NOTHING) -> bool:
    """Whether no letter is ever 0 or negative."""
    return all(_letter_sign(letter, known) > 0 for letter, _ in term)


@lru_cache(maxsize=16_384)
def _letter_sign(letter: Term, known: Known) -> int:
    """1 where a letter is seen to be > 0, 0 where it is ≥ 0, −1 where neither is seen."""
    if letter.kind == "letter":
        return 1 if letter.of[1].positive else 0 if letter.of[1].nonnegative else -1
    if letter.kind == "exp":
        return 1
    if letter.kind == "log":
        return term_sign(letter.of[0] - 1, known)
    if letter.kind == "power":
        r, base = letter.of[1].number, term_sign(letter.of[0], known)
        broken = r is None or r.denominator != 1  # has a value for bases ≥ 0 only
        return base if base > 0 else 0 if broken or base == 0 or r.numerator % 2 == 0 else -1
    if letter.kind == "over":
        return term_sign(letter.of[1], known)
    return 1 if letter.positive else 0 if letter.nonnegative else -1


def term_sign(term: Term, known: Known = NOTHING) -> int:
    """1 where a term is seen to be > 0 wherever it has a value, 0 where it is ≥ 0, −1 where neither is."""
    if (term, True) in known or term.positive:
        return 1
    try:
        form = read(term, known)
    except NotAForm:
        return 0 if (term, False) in known or term.nonnegative else -1
    if is_positive(form, known):
        return 1
    return 0 if (term, False) in known or term.nonnegative or is_nonnegative(form, known) else -1


def is_nonnegative(form: Form, known: Known = NOTHING) -> bool:
    """Whether form ≥ 0 is seen from signs: every term is ≥ 0, or it is so at the ends of its letters.

    Terms that differ in constants such as √2 or e only are one term: its factor is a real number, whose
    sign an enclosing interval shows.

    >>> from dpcompose.kernel.expressions.domains import Domain
    >>> is_nonnegative(read(2 * terms.letter("n", Domain.read("integer >= 2")) - 4))
    True
    """
    return _by_signs(constants_joined(form), known) or _at_ends(form, strictly=False)


def _by_signs(form: Form, known: Known) -> bool:
    def seen(t: Monomial | Peak, c: Fraction) -> bool:
        if not isinstance(t, Peak):
            return c > 0 and nonnegative(t, known)
        if c < 0:  # a least sum of values ≥ 0
            return all(is_nonnegative(inner.scaled(Fraction(-1)), known) for inner in t.of)
        return sum(is_nonnegative(inner, known) for inner in t.of) >= t.m

    return all(seen(t, c) for t, c in form.terms)


def is_positive(form: Form, known: Known = NOTHING) -> bool:
    """Whether form > 0 is seen from signs: no negative term, and one that is never 0; or at the ends.

    >>> from dpcompose.kernel.expressions.domains import UNIT_INTERVAL
    >>> is_positive(read(1 - terms.letter("d", UNIT_INTERVAL)))
    True
    """
    if _at_ends(form, strictly=True):
        return True

    def seen(t: Monomial | Peak, c: Fraction) -> bool:
        if not isinstance(t, Peak):
            return positive(t, known)
        if c < 0:
            return all(is_positive(inner.scaled(Fraction(-1)), known) for inner in t.of)
        return any(is_positive(inner, known) for inner in t.of)  # as many are >= 0 as are added up

    joined = constants_joined(form)
    return _by_signs(joined, known) and any(seen(t, c) for t, c in joined.terms)


def _at_ends(form: Form, strictly: bool) -> bool:
    """Whether the sum of the least values of all terms is > 0 (or ≥ 0), as of 1 - d for d in (0,1).

    That sum may be 0 if one of them is not reached.
    """
    least, reached = Fraction(0), True
    for term, c in form.terms:
        if isinstance(term, Peak):
            return False
        linear = len(term) == 1 and term[0][1] == 1
        for letter, n in term:
            if letter.kind != "letter" or not (linear or letter.of[1].nonnegative):
                return False
            domain: Domain = letter.of[1]
            end = domain.least if c > 0 else domain.greatest
            if end is None:
                return False
            open_end = domain.open_least if c > 0 else domain.open_greatest
            reached = reached and not (open_end and linear)
            c *= end**n
        least += c
    return least > 0 or (least == 0 and not (strictly and reached))


def constants_joined(form: Form) -> Form:
    """The form with the sign of its factor, 1, 0 or −1, for each product of parameters that has
    irrational factors; the same form where there are none."""
    if all(letter.kind == "letter" or letter.letters for t, _ in form.monomials for letter, _ in t):
        return form
    factors: dict[Monomial, list[Term]] = {}
    for term, c in form.monomials:
        constants = [pair for pair in term if not pair[0].letters]
        rest = tuple(pair for pair in term if pair[0].letters)
        factors.setdefault(rest, []).append(write(Form(((tuple(constants), c),))))
    signs = {rest: sign(terms.add(factor)) for rest, factor in factors.items()}
    # too close to 0 to tell counts as negative
    return Form(form.peaks) + total(
        Form(((t, Fraction(-1 if number is None else number)),)) for t, number in signs.items() if number != 0
    )


def missing_values(some: Iterable[Term], known: Known = NOTHING) -> list[tuple[Term, str]]:
    """What is not seen to hold, but must for the terms to have real values: (x, "> 0"), ">= 0", "!= 0".

    A family has a whole number of members, and at least one.

    >>> from dpcompose.kernel.expressions.terms import letter, log
    >>> missing_values([log(letter("x") - 1)])
    [((sum -1 x), '> 0')]
    """
    seen: set[Term] = set()
    waiting, missing = list(some), []
    while waiting:
        term = waiting.pop()
        if term in seen:
            continue
        seen.add(term)
        waiting += term.parts
        needed = _needed(term)
        if needed is not None:
            inside, relation = needed
            number = term_sign(inside, known)
            fine = relation in RELATIONS and (number > 0 or (number == 0 and relation == ">= 0"))
            if not (fine or (relation == "!= 0" and term_sign(-inside, known) > 0)):
                missing.append((inside, relation))
    return missing


def _needed(term: Term) -> tuple[Term, str] | None:
    """What must hold for a term to have a value where its parts do."""
    if term.kind == "log":
        return term.of[0], "> 0"
    if term.kind == "over":
        m, _, count = term.of
        odd = [one for one in (m, count) if not (formulas.is_whole(one) or (one == count and _is_whole(one)))]
        return (odd[0], "a whole number") if odd else (count - 1, ">= 0")
    if term.kind != "power" or natural(term) is not None:
        return None
    base, exponent = term.of
    r = exponent.number
    if r is not None and r.denominator == 1:
        return base, "!= 0"
    return base, ">= 0" if r is not None and r > 0 else "> 0"


def _is_whole(count: Term) -> bool:
    if count.kind == "letter":
        return bool(count.of[1].integer)
    return count.number is not None and count.number.denominator == 1


# what is largest


def largest(forms: Iterable[Form], known: Known = NOTHING) -> tuple[Form, ...]:
    """The forms without repetition and without those that another one dominates, in a fixed order.

    One dominates another where their difference has only terms that are ≥ 0 by their sign, also with one term
    of a minimum in place of it.
    """
    distinct = sorted(dict.fromkeys(forms), key=lambda form: form.key)
    signed: dict[Monomial | Peak, bool] = {}

    def ordered(term: Monomial | Peak) -> bool:
        if term not in signed:
            signed[term] = not isinstance(term, Peak) and nonnegative(term, known)
        return signed[term]

    kept = orders.undominated([form.coefficients for form in distinct], Fraction(0), ordered)
    left = [distinct[n] for n in kept]
    for form in [one for one in left if one.peaks]:
        others = [other for other in left if other is not form]
        if any(is_nonnegative(other - one, known) for one in above(form) for other in others):
            left = others  # a minimum in it is at most one of its terms, which another form dominates
    return tuple(left)
