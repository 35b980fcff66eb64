"""Comparisons: "g ≥ l for all allowed values of the letters", shown by a certificate or refuted by a point.

A certificate is a table (see theorems/certificates.md).  It says the letters of both sides with their
domains, the difference g − l, and a proof that it is ≥ 0.  A proof is a tree of these steps:

* choose.  A worst case top(m, x_1, …, x_n) is one of the sums of m of the x_j; where it is subtracted, each
  of these is put in its place.
* shift.  A letter is its least value plus something ≥ 0, or its greatest minus something ≥ 0.
* weights, at the leaves.  A worst case with a positive factor is at least Σ w_j·x_j for 0 ≤ w_j ≤ 1 with
  sum m.  Non-negative multiples of "x − least" and "greatest − x" are subtracted.  What is left must be
  as stated, with each term ≥ 0 by its sign; or each of its coefficients in the Bernstein polynomials of
  some letters in [0, 1].
* larger.  A term that is ≥ 0 and one that is subtracted, of which the square is no larger, are left out.
* what `deciders` show: rays, members, rule and steps.  Their names are reported.

Where relations between letters are assumed, a certificate may eliminate some of them first (`assumptions`),
and multiples of what is left are subtracted at the leaves, by factors ≥ 0.

Nothing of a certificate is believed.  A point refutes: allowed values at which l > g.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumed, Assumption, NotAssumed
from dpcompose.kernel.expressions import forms, formulas, logarithms, naming, substitution, terms
from dpcompose.kernel.expressions.boxes import bound_form, coefficients, distance, shifted
from dpcompose.kernel.expressions.certificates import (
    BadCertificate as BadCertificate,
)
from dpcompose.kernel.expressions.certificates import (
    domain_data,
    entries,
    formula,
    letters,
    listed,
    number,
    read_as_certificate,
    table,
    whole,
    word,
)
from dpcompose.kernel.expressions.domains import NONNEGATIVE, POSITIVE, Domain
from dpcompose.kernel.expressions.forms import Form, Peak
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import Term, letter

MOST_CASES = 20_000
"""The most cases into which a comparison may fall."""
MOST_NESTED = 100
"""How deep steps may lie in one another."""
RELATIONS = {"> 0": True, ">= 0": False}
OF_RELATION = {"> 0": POSITIVE, ">= 0": NONNEGATIVE}


@dataclass
class _Scope:
    """What formulas of a proof may speak of, and what is known; cases are counted, deciders noted."""

    symbols: Mapping[str, Term]
    known: forms.Known = forms.NOTHING
    assumed: tuple[Form, ...] = ()
    used: frozenset[str] = frozenset()
    cases: int = 0
    seen: dict[str, Form] = field(default_factory=dict)

    def form(self, data: Any) -> Form:
        if not isinstance(data, str):
            return forms.read(formula(data, self.symbols), self.known)
        if data not in self.seen:
            self.seen[data] = forms.read(formula(data, self.symbols), self.known)
        return self.seen[data]

    def new(self, data: Any, difference: Form) -> Form:
        """The same of what a certificate brings in: it has real values, where the difference has."""
        form = self.form(data)
        _check_values([term for term in form.letters if term not in difference.letters], self.known)
        return form

    def bound(self, name: str, end: str) -> Form:
        if name not in self.symbols:
            raise BadCertificate(f"{name} is no letter here")
        return bound_form(self.symbols[name], end)

    def peak(self, data: Any) -> Peak:
        form = self.form(data)
        if len(form.peaks) != 1 or form != Form(((form.peaks[0][0], Fraction(1)),)):
            raise BadCertificate(f"{data} is no worst case")
        return form.peaks[0][0]


def check_at_least(
    greater: Term, lesser: Term, certificate: Any, assumed: Assumed = assumptions.NOTHING
) -> frozenset[str]:
    """The names of the deciders by which a certificate shows greater ≥ lesser for all allowed values.

    assumed -- what holds for all allowed values besides the domains of letters.
    Empty where weights alone show it.  Raises BadCertificate where it does not.

    >>> e, f = letter("e"), letter("f")
    >>> shown = {"letters": {"e": "positive", "f": "positive"}, "difference": "f", "proof": {"rest": "f"}}
    >>> check_at_least(e + f, e, shown)
    frozenset()
    """
    with read_as_certificate():
        if isinstance(certificate, Mapping) and "sign" in certificate:
            return _by_sign(greater, lesser, certificate, assumed)
        if isinstance(certificate, Mapping) and "instead" in certificate:
            return _instance(greater, lesser, certificate, assumed)
        if isinstance(certificate, Mapping) and "eliminated" in certificate:
            (greater, lesser), assumed, certificate = _without_some(greater, lesser, certificate, assumed)
        given = table(certificate, {"letters", "proof"}, {"difference", "known"})
        domains = domains_of(greater, lesser)
        if given["letters"] != {name: domain_data(domain) for name, domain in domains.items()}:
            raise BadCertificate("the certificate is about other letters, or other values of them")
        scope = _Scope(letters({**assumptions.letters_of(assumed), **domains}))
        scope.assumed = tuple(map(forms_of, assumed))
        scope.known = frozenset(_known(given.get("known", []), scope, assumed))
        _check_values([greater, lesser], scope.known)
        difference = difference_of(greater, lesser, scope.known)
        if "difference" in given and scope.form(given["difference"]) != difference:
            raise BadCertificate("the difference of the certificate is another one")
        _check(difference, given["proof"], scope, 0)
    return scope.used


def _by_sign(greater: Term, lesser: Term, certificate: Any, assumed: Assumed) -> frozenset[str]:
    """What holds for x' and for −x' in place of a letter, for every x' ≥ 0, holds for all its values."""
    given = table(certificate, {"sign", "above", "below"})
    sides = [greater, lesser]
    name, used = word(given["sign"]), frozenset[str]()
    if name not in assumptions.of_both_signs(sides, assumed):
        raise BadCertificate(f"{name} is no letter of either sign")
    for key in ("above", "below"):
        signed = assumptions.of_sign(name, key == "above", sides, assumed)
        for inside, relation in signed.needed:
            from dpcompose.kernel.deciders.calculus import values

            if not values.has(inside, relation, signed.assumed):
                raise BadCertificate(f"{formulas.to_text(inside)} is not known to be {relation}")
            used |= {"ranges"}
        more, less = signed.sides
        used |= check_at_least(more, less, given[key], signed.assumed)
    return used


def _instance(greater: Term, lesser: Term, certificate: Any, assumed: Assumed) -> frozenset[str]:
    """What holds for every x > 0, or every x ≥ 0, holds of a term that is so, in place of the letter x."""
    given = table(certificate, {"letter", "instead", "relation", "greater", "lesser", "shown"})
    name, relation = word(given["letter"]), word(given["relation"])
    known = letters({**assumptions.letters_of(assumed), **domains_of(greater, lesser)})
    if name in known or relation not in OF_RELATION or naming.read(name) != naming.Name(name, name):
        raise BadCertificate(f"{name} is no new letter that is > 0, or >= 0")
    instead, used = formula(given["instead"], known), frozenset[str]()
    if terms.is_open(instead):
        raise BadCertificate(f"{given['instead']} is one member's: inside of sums it is another one's")
    _check_values([instead], forms.NOTHING)
    if not (instead.positive if RELATIONS[relation] else instead.nonnegative):
        from dpcompose.kernel.deciders.calculus import values

        if not values.surely(instead, RELATIONS[relation], assumed):
            raise BadCertificate(f"{given['instead']} is not seen to be {relation}")
        used = frozenset({"ranges"})
    with_letter = {**known, name: letter(name, OF_RELATION[relation])}
    more, less = (formula(given[key], with_letter) for key in ("greater", "lesser"))
    for general, side in ((more, greater), (less, lesser)):
        if substitution.substituted(general, {name: instead}) != side:
            raise BadCertificate(f"{formulas.to_text(general)} is something else there")
    return used | check_at_least(more, less, given["shown"], assumed)


def _without_some(
    greater: Term, lesser: Term, certificate: Any, assumed: Assumed
) -> tuple[tuple[Term, Term], Assumed, Any]:
    """Both sides without the letters that a certificate eliminates, what is assumed of the others, and the
    certificate about these."""
    given = table(certificate, {"eliminated", "proof"})
    steps = [(whole(n), word(name), word(fresh)) for n, name, fresh in entries(given["eliminated"], 3)]
    try:
        eliminated = assumptions.eliminated(assumed, steps, domains_of(greater, lesser))
        return (eliminated.of(greater), eliminated.of(lesser)), eliminated.left, given["proof"]
    except NotAssumed as error:
        raise BadCertificate(str(error)) from None


def forms_of(assumed: Assumption) -> Form:
    """What is ≥ 0 by an assumption; nothing is said where it has no form."""
    try:
        return forms.read(assumed.term)
    except forms.NotAForm:
        return Form()


def domains_of(*sides: Term) -> Mapping[str, Domain]:
    """The letters of both sides with their domains, in the order of their names."""
    return dict(sorted(forms.domains_of(sides).items()))


def difference_of(greater: Term, lesser: Term, known: forms.Known = forms.NOTHING) -> Form:
    """greater − lesser, with the logarithms of fractions as sums of those of primes.

    >>> difference_of(terms.log(terms.number(9)), 2 * terms.log(terms.number(3))) == Form()
    True
    """
    more, less = (forms.read(logarithms.of_primes(side), known) for side in (greater, lesser))
    return more - less


def _check_values(atoms: list[Term], known: forms.Known) -> None:
    """Raises BadCertificate unless terms have real values for all allowed letters: a root of what is negative
    looks as if it were ≥ 0, and its square is not."""
    for inside, relation in forms.missing_values(atoms, known):
        raise BadCertificate(f"{formulas.to_text(inside)} is not known to be {relation}")


def _known(data: Any, scope: _Scope, assumed: Assumed) -> Iterator[tuple[Term, bool]]:
    """Terms that a decider sees to be > 0 or ≥ 0 for all allowed values."""
    for text, relation in entries(data, 2):
        from dpcompose.kernel.deciders.calculus import values

        term = formula(text, scope.symbols)
        if word(relation) not in RELATIONS or not values.surely(term, RELATIONS[relation], assumed):
            raise BadCertificate(f"{text} is not seen to be {relation}")
        scope.used |= {"ranges"}
        yield term, RELATIONS[relation]


def _check(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    """Raises BadCertificate unless the proof shows difference ≥ 0."""
    if depth > MOST_NESTED:
        raise BadCertificate("the steps lie too deep in one another")
    kind = next((step for step in _STEPS if isinstance(data, dict) and step in data), "rest")
    _STEPS[kind](difference, data, scope, depth)


def _choose(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    """A worst case is one of the sums of m of its members, whichever: so it is where it is subtracted."""
    given = table(data, {"choose", "cases"})
    peak = scope.peak(given["choose"])
    cases = {scope.form(text): proof for text, proof in entries(given["cases"], 2)}
    if comb(len(peak.of), peak.m) > MOST_CASES:
        raise BadCertificate("the worst case has too many choices")
    wanted = {forms.total(combination) for combination in combinations(peak.of, peak.m)}
    if set(cases) != wanted:
        raise BadCertificate(f"the cases are not those of {given['choose']}")
    for chosen, proof in cases.items():
        _check(forms.replaced(difference, peak, chosen), proof, scope, depth + 1)


def _shift(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    """x = least + x', or x = greatest − x', with a letter x' ≥ 0."""
    given = table(data, {"shift", "difference", "proof"})
    values, new = {}, {}
    for name, end, fresh in entries(given["shift"], 3):
        old = scope.symbols.get(word(name))
        if old is None or old.kind != "letter" or word(fresh) in scope.symbols or fresh in new:
            raise BadCertificate(f"{name} cannot be shifted to {fresh}")
        domain = old.of[1]
        new[fresh] = letter(fresh, shifted(domain, word(end)))
        values[name] = distance(new[fresh], domain, end)
    inner = replace(scope, symbols={**scope.symbols, **new}, seen={})
    inner.assumed = tuple(forms.substituted(form, values, scope.known) for form in scope.assumed)
    moved = forms.substituted(difference, values, scope.known)
    if inner.form(given["difference"]) != moved:
        raise BadCertificate("the difference after a shift is another one")
    _check(moved, given["proof"], inner, depth + 1)
    scope.used, scope.cases = inner.used, inner.cases


def _leaf(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    given = table(data, {"rest"}, {"weights", "bounds", "assumed", "unit"})
    scope.cases += 1
    if scope.cases > MOST_CASES:
        raise BadCertificate(f"the comparison has more than {MOST_CASES} cases")
    for text, shares in entries(given.get("weights", []), 2):
        difference = _weighted(difference, scope.peak(text), shares, scope)
    for name, end, factor in entries(given.get("bounds", []), 3):
        if number(factor) < 0:
            raise BadCertificate(f"{factor} is no allowed multiple")
        difference = difference - scope.bound(word(name), word(end)).scaled(number(factor))
    for n, factor in entries(given.get("assumed", []), 2):
        difference = difference - _multiple(scope, whole(n), scope.new(factor, difference))
    if scope.form(given["rest"]) != difference:
        raise BadCertificate(f"what is left is not {given['rest']}")
    unit = [scope.symbols.get(word(name)) for name in listed(given.get("unit", []))]
    for coefficient in coefficients(difference, unit):
        for term, c in forms.constants_joined(coefficient).terms:
            if not forms.is_nonnegative(Form(((term, c),)), scope.known):
                text = formulas.to_text(forms.write(Form(((term, c),))))
                raise BadCertificate(f"{text} is not seen to be >= 0")


def _multiple(scope: _Scope, n: int, by: Form) -> Form:
    """What is ≥ 0 by an assumption, times a factor that is."""
    if n >= len(scope.assumed):
        raise BadCertificate(f"there is no assumption {n}")
    if not forms.is_nonnegative(by, scope.known):
        raise BadCertificate(f"{formulas.to_text(forms.write(by))} is no allowed multiple")
    return forms.spread(by, scope.assumed[n], scope.known)


def _weighted(difference: Form, peak: Peak, shares: Any, scope: _Scope) -> Form:
    """The difference with Σ w·x in place of a worst case that is added: it is at most as large."""
    c = difference.coefficients.get(peak, Fraction(0))
    if c < 0:
        raise BadCertificate("a worst case that is subtracted has weights")
    parts, weights = [difference - Form(((peak, c),))], []
    left = dict(peak.often)
    for text, share in entries(shares, 2):
        inner, w = scope.form(text), number(share)
        if not 0 <= w <= left.pop(inner, -1):
            raise BadCertificate("the weights do not fit the worst case")
        weights.append(w)
        parts.append(inner.scaled(c * w))
    if sum(weights) != peak.m:
        raise BadCertificate(f"the weights of a worst case do not have the sum {peak.m}")
    return forms.total(parts)


def _rays(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    from dpcompose.kernel.deciders.families import rays

    given = table(data, {"rays", "difference", "proof"})
    below, new, assumed = rays.on_rays(difference, given["rays"], scope.symbols, scope.known, scope.assumed)
    symbols, used = {**scope.symbols, **new}, scope.used | {"rays"}
    inner = replace(scope, symbols=symbols, assumed=assumed, used=used, seen={})
    if inner.form(given["difference"]) != below:
        raise BadCertificate("the difference on rays is another one")
    _check(below, given["proof"], inner, depth + 1)
    scope.used, scope.cases = inner.used, inner.cases


def _members(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    from dpcompose.kernel.deciders.families import members, rays

    given = table(data, {"members", "each", "beside", "proof"}, {"largest"})
    beside, count = scope.new(given["beside"], difference), formula(given["members"], scope.symbols)
    m = formula(given["largest"], scope.symbols) if "largest" in given else count
    scope.used |= {"members"}
    summed = rays.prepared(difference, scope.known) - beside
    _check(members.summed(summed, count, m, scope.known), given["each"], scope, depth + 1)
    _check(beside, given["proof"], scope, depth + 1)


def _larger(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    """What is ≥ 0 is at least what has a square that is no larger: so both may be left out."""
    given = table(data, {"larger", "smaller", "squares", "proof"})
    greater, lesser = (scope.new(given[key], difference) for key in ("larger", "smaller"))
    if not forms.is_nonnegative(greater, scope.known):
        raise BadCertificate(f"{given['larger']} is not seen to be >= 0")
    squares = [forms.squared(forms.write(form), scope.known) for form in (greater, lesser)]
    _check(squares[0] - squares[1], given["squares"], scope, depth + 1)
    _check(difference - greater + lesser, given["proof"], scope, depth + 1)


def _rule(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    from dpcompose.kernel.deciders.families import rules

    scope.used |= {"rules"}
    rules.check(difference, table(data, {"rule"})["rule"], scope.form, scope.bound, scope.known)


def _calculus(difference: Form, data: Any, scope: _Scope, depth: int) -> None:
    from dpcompose.kernel.deciders.calculus import calculus

    scope.used |= {"calculus"}
    calculus.check(difference, table(data, {"steps"})["steps"])


_STEPS: Mapping[str, Callable[[Form, Any, _Scope, int], None]] = {
    "choose": _choose,
    "shift": _shift,
    "rays": _rays,
    "members": _members,
    "larger": _larger,
    "rule": _rule,
    "steps": _calculus,
    "rest": _leaf,
}


# points


def check_point(greater: Term, lesser: Term, point: Any) -> None:
    """Raises BadCertificate unless lesser > greater at the point, and its values are allowed.

    Values may be irrational: then the sign of the difference is read off an enclosing interval.

    >>> check_point(letter("e"), letter("e") * 2, {"e": "1/2"})
    """
    with read_as_certificate():
        at = read_point(point)
        check_allowed(at, domains_of(greater, lesser))
        if "oo" in (greater.kind, lesser.kind):
            raise BadCertificate("oo has no value to compare")
        less, more = (formulas.at(side, at) for side in (lesser, greater))
        excess = sign(less - more)
        if excess is None:
            raise BadCertificate("the values at the point are too close to one another to tell")
        if excess <= 0:
            raise BadCertificate("the comparison holds at the point")


def read_point(data: Any) -> dict[str, Fraction]:
    """A point from JSON, {"e1": "1/2"}, or from numbers."""
    if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
        raise BadCertificate("the point cannot be read")
    return {name: x if isinstance(x, Fraction) else number(x) for name, x in data.items()}


def check_allowed(
    point: Mapping[str, Fraction], domains: Mapping[str, Domain], assumed: Assumed = assumptions.NOTHING
) -> None:
    """Raises BadCertificate unless the point gives every letter a value, and only allowed ones."""
    domains = {**assumptions.letters_of(assumed), **domains}
    for name, value in point.items():
        said = naming.read(name)
        domain = domains.get(name, domains.get(naming.general(said.base)) if said.index else None)
        if domain is None or said.is_general:
            raise BadCertificate(f"{name} is no parameter")
        if not domain.contains(value):
            raise BadCertificate(f"{name} = {value} is not allowed: {name} is {domain}")
    for name in sorted(domains):
        if name not in point and not terms.moves(name):
            raise BadCertificate(f"the point has no value for {name}")
    try:
        assumptions.check_at(assumed, point)
    except NotAssumed as error:
        raise BadCertificate(str(error)) from None
