"""Certificates of g >= l (certificates.md, Comparisons): leaves, choices, shifts, rays and members; the rest is NOT READ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

from second_checker import assumptions, calculus
from second_checker.algebra import Algebra
from second_checker.everywhere import Everywhere
from second_checker.forms import UNIT, ZERO, Form, add, letter, letters, made, minus, number, rational, scale
from second_checker.outcomes import NotRead, demand
from second_checker.rewriting import rewritten
from second_checker.samples import demand_same, demand_sign, without_quotients
from second_checker.signs import bernstein, demand_signs


def compare(
    certificate: Any, greater: Form, less: Form, domains: Mapping[str, Any], assumed: assumptions.Known = ()
) -> None:
    """Rejects where the certificate does not show greater >= less for all letters of these domains."""
    if certificate is not None and "eliminated" in certificate:
        demand(set(certificate) == {"eliminated", "proof"}, "a certificate with other entries")
        boxes, left, sides = assumptions.eliminated(
            certificate["eliminated"], domains, assumed, (greater, less)
        )
        return compare(certificate["proof"], *sides, boxes, left)
    if certificate is not None and "sign" in certificate:
        raise NotRead("certificate", "letters of either sign, one sign after the other")
    if certificate is not None and "instead" in certificate:
        return instance(certificate, (greater, less), domains, assumed)
    algebra = Algebra(domains)
    algebra.assumed = assumed
    if certificate is None:
        reason = "two formulas differ, and no certificate compares them"
        return demand_same(algebra, greater, less, reason)
    for text, relation in certificate.get("known", []):
        demand(relation in ("> 0", ">= 0"), f"{relation} is not known of anything")
        demand_sign(algebra, algebra.read(text), relation == "> 0", f"{text} is not {relation}")
    for name, words in certificate["letters"].items():
        same = name in domains and assumptions.same_box(words, domains[name])
        demand(same, f"the letter {name} has another domain")
    difference = minus(greater, less)
    if "difference" in certificate:
        written = algebra.read(certificate["difference"])
        demand_same(algebra, written, difference, "the difference is not that of the two formulas")
        difference = written
    used = letters(greater) | letters(less) | letters(difference)
    if (more := used - set(certificate["letters"])) and more & letters(
        without_quotients(algebra, difference)
    ):
        demand(False, "a letter of the formulas has no domain in the certificate")
    return show(algebra, difference, certificate["proof"])


def instance(
    certificate: Any, sides: tuple[Form, Form], domains: Mapping[str, Any], assumed: assumptions.Known
) -> None:
    """Rejects unless both sides are those of what is shown for a new letter, with a term in its place."""
    keys = {"letter", "instead", "relation", "greater", "lesser", "shown"}
    demand(set(certificate) == keys, "a certificate with other entries")
    name, relation = certificate["letter"], certificate["relation"]
    demand(name not in domains and name.isidentifier() and "__" not in name, f"{name} is no new letter")
    demand(relation in ("> 0", ">= 0"), f"{relation} is not known of anything")
    more = {**domains, name: "positive" if relation == "> 0" else "nonnegative"}
    outer, inner = Algebra(domains), Algebra(more)
    outer.assumed = inner.assumed = assumed
    instead = outer.read(certificate["instead"])
    demand_sign(outer, instead, relation == "> 0", f"the term in place of {name} is not {relation}")
    demand(not of_one_member(instead), f"the term in place of {name} is one member's")
    general = [inner.read(certificate[key]) for key in ("greater", "lesser")]
    for form, side in zip(general, sides, strict=True):
        there = rewritten(inner, form, lambda a: instead if a == ("letter", name) else None)
        demand_same(outer, there, side, "the general comparison is another one there")
    return compare(certificate["shown"], general[0], general[1], more, assumed)


def of_one_member(form: Form) -> bool:
    """Whether the general member of a family stands in a form, outside of what is over all members."""

    def spoken(a: Any) -> bool:
        match a:
            case ("letter", name):
                return str(name).endswith("[i]")
            case ("prime", _) | ("family", _, _, _):
                return False
            case ("top", _, members):
                return any(of_one_member(x) for x, _ in members)
        return of_one_member(a[1])

    return any(spoken(a) for monomial, _ in form for a, _ in monomial)


def show(algebra: Algebra, form: Form, proof: Any) -> None:
    """Rejects where the proof does not show form >= 0."""
    demand(isinstance(proof, dict), "a proof is a table")
    if "choose" in proof:
        choose(algebra, form, proof)
    elif "rays" in proof:
        rays(algebra, form, proof)
    elif "members" in proof:
        members(algebra, form, proof)
    elif "larger" in proof:
        larger(algebra, form, proof)
    elif "shift" in proof:
        shift(algebra, form, proof)
    elif "rule" in proof:
        raise NotRead("certificate", "a proof for all choices at once")
    elif "steps" in proof:
        calculus.prove(algebra, form, proof["steps"])
    else:
        leaf(algebra, form, proof)


def worst_case(algebra: Algebra, text: Any) -> tuple[Any, int, Counter[Form]]:
    """A worst case that a certificate names: its atom, m and its members."""
    form = algebra.read(text)
    if is_number(text, form):
        raise NotRead("formula", "a worst case of numbers that is weighed, and read as the largest of them")
    demand(len(form) == 1, f"{text} is no worst case")
    ((monomial, factor),) = form
    demand(factor == 1 and len(monomial) == 1, f"{text} is no worst case")
    ((a, p),) = monomial
    demand(p == 1 and a[0] == "top", f"{text} is no worst case")
    return a, a[1], Counter(dict(a[2]))


def is_number(text: Any, form: Form) -> bool:
    """Whether a worst case is one of numbers: these are compared when they are read."""
    return "max(" in str(text) and not letters(form)


def leaf(algebra: Algebra, form: Form, proof: Any) -> None:
    """Weights, bounds, the rest and its signs."""
    for text, weights in proof.get("weights", []):
        form = weighed(algebra, form, text, weights)
    for n, text in proof.get("assumed", []):
        if not 0 <= n < len(algebra.assumed):
            raise NotRead("assumed", "that is told in other letters")
        factor = algebra.read(text)
        demand(algebra.sign(factor) > 0, "a multiple that may be negative of what is assumed")
        form = minus(form, algebra.times(factor, algebra.assumed[n][0]))
    for name, end, factor in proof.get("bounds", []):
        demand(Fraction(factor) >= 0, "a bound is subtracted with a negative factor")
        form = minus(form, scale(beyond(algebra, name, end), Fraction(factor)))
    demand(form == algebra.read(proof["rest"]), "the rest is not what remains")
    if proof.get("unit"):
        bernstein(algebra, form, proof["unit"])
    else:
        demand_signs(algebra, form)


def weighed(algebra: Algebra, form: Form, text: Any, weights: Any) -> Form:
    """The form with a mixture of its members in place of a worst case."""
    a, m, members = worst_case(algebra, text)
    place = frozenset([(a, Fraction(1))])
    factor = dict(form).get(place, Fraction(0))
    demand(factor >= 0, "a worst case that is subtracted is weighed")
    mixture, named = ZERO, []
    for x, w in weights:
        member, weight = algebra.read(x), Fraction(w)
        demand(member not in named, "a member is weighed twice")
        demand(0 <= weight <= members[member], f"{x} has a weight that no such member has")
        named.append(member)
        mixture = add(mixture, scale(member, weight))
    demand(sum(Fraction(w) for _, w in weights) == m, "weights do not add up to m")
    return add(made((mono, c) for mono, c in form if mono != place), scale(mixture, factor))


def beyond(algebra: Algebra, name: str, end: str) -> Form:
    """letter − least, or greatest − letter."""
    box = algebra.domains.get(name, {})
    demand(end in ("least", "greatest") and end in box, f"{name} has no {end}")
    value = number(Fraction(box[end]))
    return minus(letter(name), value) if end == "least" else minus(value, letter(name))


def choose(algebra: Algebra, form: Form, proof: Any) -> None:
    """Each sum of m members in place of a worst case that is subtracted."""
    if is_number(proof["choose"], algebra.read(proof["choose"])):
        return choose_number(algebra, form, proof)
    a, m, members = worst_case(algebra, proof["choose"])
    every = {add(*chosen) for chosen in combinations(list(members.elements()), m)}
    seen = set()
    for text, inner in proof["cases"]:
        case = algebra.read(text)
        demand(case in every, f"{text} is no case")
        seen.add(case)
        show(algebra, replaced(algebra, form, a, case, 1), inner)
    demand(seen == every, "a case is missing")
    return None


def choose_number(algebra: Algebra, form: Form, proof: Any) -> None:
    """A maximum of numbers has been read as the largest of them: the proof for that case is needed."""
    largest = algebra.read(proof["choose"])
    own = [inner for text, inner in proof["cases"] if algebra.read(text) == largest]
    demand(bool(own), "the largest case is missing")
    show(algebra, form, own[0])


def replaced(algebra: Algebra, form: Form, a: Any, case: Form, sign: int) -> Form:
    """The form with a case in place of a worst case wherever that is subtracted."""
    total = []
    for monomial, factor in form:
        way = sign if factor > 0 else -sign
        worst = [b for b, p in monomial if b[0] == "top"]
        if len(monomial) != 1 or not worst:
            total.append(made([(monomial, factor)]))
        elif worst[0] == a and way < 0:
            total.append(scale(case, factor))
        else:
            _, m, members = worst[0]
            inside = [y for x, n in members for y in [replaced(algebra, x, a, case, way)] * n]
            total.append(scale(algebra.top(m, inside), factor))
    return add(*total)


def shift(algebra: Algebra, form: Form, proof: Any) -> None:
    """New letters that begin with 0."""
    boxes: dict[str, Any] = dict(algebra.domains)
    new: dict[str, Form] = {}
    for name, end, fresh in proof["shift"]:
        demand(
            fresh not in boxes and name in algebra.domains and name not in new, f"{fresh} is no new letter"
        )
        box = algebra.domains[name]
        demand(end in ("least", "greatest") and end in box, f"{name} has no {end}")
        other = "greatest" if end == "least" else "least"
        boxes[fresh] = {"least": 0, "integer": bool(box.get("integer"))}
        if other in box:
            boxes[fresh]["greatest"] = abs(Fraction(box[other]) - Fraction(box[end]))
        boxes[fresh]["open-least"] = bool(box.get(f"open-{end}"))
        boxes[fresh]["open-greatest"] = bool(box.get(f"open-{other}"))
        value = number(Fraction(box[end]))
        new[name] = add(value, letter(fresh)) if end == "least" else minus(value, letter(fresh))
    inner = Algebra(boxes)
    moved = rewritten(inner, form, lambda a: new.get(a[1]) if a[0] == "letter" else None)
    demand(moved == inner.read(proof["difference"]), "the shifted difference is another one")
    show(inner, moved, proof["proof"])


# -- rays ------------------------------------------------------------------------------------------------


def families(form: Form) -> set[Any]:
    """All worst cases over families in a form."""
    found: set[Any] = set()
    for monomial, _ in form:
        for a, _ in monomial:
            if a[0] == "family":
                found.add(a)
            elif a[0] == "top":
                found |= {f for x, _ in a[2] for f in families(x)}
            elif a[0] in ("exp", "log", "sum", "power") and families(a[1]):
                raise NotRead("certificate", "with a family within a root or the like")
    return found


def rays(algebra: Algebra, form: Form, proof: Any) -> None:
    """Families replaced by multiples of vectors of ones and zeros."""
    form = simpler(algebra, form)
    if any(isinstance(a[1], frozenset) for a in families(form)):
        # certificates for letters are not read: it is found anew
        if Everywhere(algebra, []).is_at_least(form, ZERO):
            return
        raise NotRead("certificate", "of a number of largest members that is a letter")
    listed = {}
    boxes: dict[str, Any] = dict(algebra.domains)
    for member, count, name in proof["rays"]:
        listed[algebra.read(member)] = algebra.read(count), name
    used = families(form)
    demand({a[2] for a in used} == set(listed), "the families are not those of the list")
    largest: dict[str, int] = {}
    for _, m, member, count in used:
        demand(algebra.sign(member) > 0, "a member is not seen to be >= 0")
        demand(listed[member][0] == count, "a family has another number of members")
        name, k = listed[member][1], rational(count)
        m = 1 if m is None else m if k is None else min(m, int(k))
        largest[name] = max(largest.get(name, 1), m)
    demand(len(largest) == len(listed), "two families have one name")
    for name, most in largest.items():
        for j in [*range(1, most + 1), "all"]:
            for fresh in (f"{name}_{j}", f"{name}_{j}_more"):
                demand(fresh not in boxes, f"{fresh} is no new letter")
                boxes[fresh] = "nonnegative"
    inner = Algebra(boxes)

    def expanded(a: Any) -> Form | None:
        if a[0] != "family":
            return None
        name = listed[a[2]][1]
        return ray(inner, name, largest[name], a[1], a[3])

    result = rewritten(inner, form, expanded)
    counts = {name: count for count, name in listed.values()}
    result = with_more(inner, result, counts, largest)
    demand(result == inner.read(proof["difference"]), "the difference in rays is another one")
    show(inner, result, proof["proof"])


def ray(algebra: Algebra, name: str, most: int, m: int | None, count: Form) -> Form:
    """T_m, or the sum of all, in the letters of a family."""
    terms = [scale(letter(f"{name}_{j}"), j if m is None else min(m, j)) for j in range(1, most + 1)]
    whole = letter(f"{name}_all")
    terms.append(algebra.times(count, whole) if m is None else scale(whole, min(m, most)))
    return add(*terms)


def with_more(algebra: Algebra, form: Form, counts: Mapping[str, Form], largest: Mapping[str, int]) -> Form:
    """The form with k·name_j written as max(j, least k)·name_j + name_j_more."""
    total = []
    for monomial, factor in form:
        if any(a[0] == "top" for a, _ in monomial):
            ((a, _),) = monomial
            inside = [y for x, n in a[2] for y in [with_more(algebra, x, counts, largest)] * n]
            total.append(scale(algebra.top(a[1], inside), factor))
            continue
        total.append(scale(one_more(algebra, monomial, counts, largest), factor))
    return add(*total)


def one_more(algebra: Algebra, monomial: Any, counts: Mapping[str, Form], largest: Mapping[str, int]) -> Form:
    """The same for a monomial."""
    powers = dict(monomial)
    for name, count in counts.items():
        if rational(count) is not None:
            continue
        ((inner, _),) = count
        ((k, _),) = inner
        for j in [*range(1, largest[name] + 1), "all"]:
            own = ("letter", f"{name}_{j}")
            if powers.get(own) == 1 and powers.get(k) == 1:
                rest = frozenset((a, p) for a, p in monomial if a not in (own, k))
                least = int(algebra.ends(k[1])[0])
                times = max(largest[name] if j == "all" else int(j), least)
                more = add(scale(letter(own[1]), times), letter(own[1] + "_more"))
                return algebra.times(made([(rest, Fraction(1))]), more)
    return made([(monomial, Fraction(1))])


def members(algebra: Algebra, form: Form, proof: Any) -> None:
    """A sum over a family by its general member, and what stands beside it."""
    demand(set(proof) - {"largest"} == {"members", "each", "beside", "proof"}, "a proof with other entries")
    count, beside = algebra.read(proof["members"]), algebra.read(proof["beside"])
    m = number_or_form(algebra.read(proof["largest"])) if "largest" in proof else None
    summed = minus(simpler(algebra, form) if m is None else form, beside)
    shares = [scale(share(algebra, monomial, count, m), factor) for monomial, factor in summed]
    negative = sum(factor < 0 for _, factor in summed)
    demand(m is None or negative <= 1, "more than one sum of largest members is subtracted")
    show(algebra, add(*shares), proof["each"])
    show(algebra, beside, proof["proof"])


def larger(algebra: Algebra, form: Form, proof: Any) -> None:
    """A term that is >= 0 and one whose square is no larger, both left out."""
    demand(set(proof) == {"larger", "smaller", "squares", "proof"}, "a proof with other entries")
    greater, less = algebra.read(proof["larger"]), algebra.read(proof["smaller"])
    demand(algebra.sign(greater) >= 0, "the larger one may be negative")
    show(algebra, minus(algebra.times(greater, greater), algebra.times(less, less)), proof["squares"])
    show(algebra, add(minus(form, greater), less), proof["proof"])


def number_or_form(form: Form) -> int | Form:
    """A whole number, or a formula for one."""
    value = rational(form)
    return form if value is None else int(value)


def share(algebra: Algebra, monomial: Any, count: Form, m: int | Form | None) -> Form:
    """One of k equal shares of a monomial, or the general member of its sum of all, or of m largest."""
    sums = [a for a, p in monomial if a[0] == "family" and a[1] == m and a[3] == count and p == 1]
    rest = made([(frozenset((a, p) for a, p in monomial if a not in sums), Fraction(1))])
    demand(len(sums) <= 1 and not families(rest), "a product of families")
    demand("[i]" not in repr(rest), "a member that is not summed over")
    demand(m is None or (sums and algebra.sign(rest) > 0), "no sum of largest members")
    if sums:
        return algebra.times(rest, sums[0][2])
    if rational(count) is not None:
        return scale(rest, 1 / Fraction(rational(count)))
    ((inner, _),) = count
    demand(dict(monomial).get(next(iter(inner))[0], 0) >= 1, "no multiple of the number of members")
    return algebra.times(rest, algebra.power(count, Fraction(-1)))


def simpler(algebra: Algebra, form: Form) -> Form:
    """The first two steps of rays: even powers drawn inside, and subtracted sums taken apart."""
    total = []
    for monomial, factor in form:
        term = number(factor)
        one = made([(monomial, Fraction(1))])
        for a, p in monomial:
            base = made([(frozenset([(a, Fraction(1))]), Fraction(1))])
            even = a[0] == "family" and p > 0 and p % 2 == 0
            if even and factor > 0 and algebra.sign(one) > 0 and algebra.sign(a[2]) > 0:
                base, p = algebra.family(a[1], algebra.times(a[2], a[2]), a[3]), p / 2
            term = algebra.times(term, algebra.power(base, p))
        total.append(term)
    form = add(*total)
    if any(len(a[2]) > 1 or rational(a[2]) is not None for a in families(form)):
        raise NotRead("certificate", "with sums over several families")
    return form


__all__ = ["UNIT", "compare", "show"]
