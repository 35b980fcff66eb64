"""Members: a sum over a family is ≥ 0 where its general member is.

Let D = R + Σ_{i ≤ k} h(e[i]), where h may contain letters and k, but no other family.  If h(x) ≥ 0 for all
allowed values x of a member and of the letters, then D ≥ R, for all k.  In D the sums S(g) = Σ g(e[i]), times
what does not depend on i, are such a Σ, and so is k·c = Σ c.  A letter e[i] outside of sums is one member,
which does not go through all: what it multiplies is no such Σ.

With T_m, the sum of the m largest members, D = R + Σ_j T_m(h_j) − T_m(g): if Σ_j h_j(x) ≥ g(x), then D ≥ R,
as T_m(g) is the sum of some m members of g, and T_m(h_j) is at least that of the same members of h_j.
Nothing is written out.
"""

from __future__ import annotations

from fractions import Fraction

from dpcompose.kernel.expressions import forms, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.forms import Form, Known, Monomial, Peak
from dpcompose.kernel.expressions.terms import Term


def summed(form: Form, count: Term, m: Term, known: Known = forms.NOTHING) -> Form:
    """The general member of what a form is a sum of over k members, or over the m largest.

    Raises BadCertificate where it is none.

    >>> from dpcompose.kernel.expressions import terms
    >>> k, e = terms.letter("k"), terms.letter("e[i]")
    >>> summed(forms.read(terms.over(k, e**2, k) - 2 * k), k, k) == forms.read(e**2 - 2)
    True
    """
    found, subtracted = [], 0
    for term, c in form.terms:
        if isinstance(term, Peak):
            raise BadCertificate("a worst case is not summed over members")
        sums, rest = _apart(term, count, m)
        if m != count:
            subtracted += c < 0
            if not sums or subtracted > 1 or not forms.nonnegative(rest, known):
                raise BadCertificate("what is no sum of largest members is compared by them")
        share = Fraction(1)
        if not sums and count.number is not None:
            share = 1 / count.number
        elif not sums:
            rest = _divided(rest, count)
        inside = forms.read(sums[0].of[1], known) if sums else Form.constant(1)
        found.append((Form(((rest, share),)) * inside).scaled(c))
    return forms.total(found)


def is_sum(letter: Term, count: Term, m: Term) -> bool:
    return letter.kind == "over" and (letter.of[0], letter.of[2]) == (m, count)


def _apart(term: Monomial, count: Term, m: Term) -> tuple[list[Term], Monomial]:
    """The sum in a term, if there is one, and the factors that do not depend on members."""
    sums = [(letter, power) for letter, power in term if is_sum(letter, count, m)]
    rest = tuple((letter, power) for letter, power in term if not is_sum(letter, count, m))
    if len(sums) > 1 or any(power > 1 for _, power in sums) or any(one.has("over") for one, _ in rest):
        raise BadCertificate("a product of families is not summed over members")
    if any(terms.moves(name) for one, _ in rest for name in one.letters):
        raise BadCertificate("a member that stands beside a sum is another one than those in it")
    return [letter for letter, _ in sums], rest


def _divided(term: Monomial, count: Term) -> Monomial:
    """A term without one of its factors k."""
    powers = dict(term)
    if powers.get(count, 0) < 1:
        raise BadCertificate("what is not multiplied by the number of members is not summed over them")
    powers[count] -= 1
    return tuple((letter, power) for letter, power in powers.items() if power)
