"""Formulas in distances: which grow with these, which are metrics, which are convex, and their values.

Letters whose names say so stand for distances, in [0, ∞]; all others are parameters.  What is said of a
formula is seen from how it is made, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from dpcompose.kernel.expressions import naming, substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term


def letter(name: str) -> Term:
    """The letter of a distance."""
    return terms.letter(name, NONNEGATIVE)


def in_letters(names: Iterable[str]) -> list[str]:
    """Those of some letters that stand for distances."""
    return [name for name in names if naming.read(name).distance is not None]


def is_moving(term: Term) -> bool:
    """Whether distances occur in a formula."""
    return bool(in_letters(term.letters))


def parameters(term: Term) -> list[Term]:
    """The letters of a formula that are no distances."""
    moving = in_letters(term.letters)
    return [terms.letter(name, domain) for name, domain in term.letters.items() if name not in moving]


def at(term: Term, distances: Mapping[str, Term]) -> Term:
    """A formula that grows, at distances by the names of their letters, which may be ∞; 0 where left out.

    A number times ∞ is ∞, whatever the number: so it is for a parameter that is 0.
    """
    value = _at(term, {name: distances.get(name, ZERO) for name in in_letters(term.letters)})
    return substitution.changed(value, substitution.seen_largest)


def _at(term: Term, values: Mapping[str, Term]) -> Term:
    if not any(values[name].kind == "oo" for name in values.keys() & term.letters.keys()):
        return substitution.substituted(term, values)
    if (inside := minimum(term)) is not None:
        some = [one for one in (_at(one, values) for one in inside) if one.kind != "oo"]
        return terms.least(*some) if some else INFINITY
    if term.kind == "product" and (rest := with_minimum(term)) is not None:
        factor, least = rest
        found = _at(least, values)
        return INFINITY if found.kind == "oo" or is_moving(factor) else factor * found
    if term.kind in ("product", "sum", "top"):
        some = [_at(part, values) for part in term.parts]
        return INFINITY if any(one.kind == "oo" for one in some) else substitution.made_of(term, some)
    if term.kind in ("power", "exp", "log"):
        base = _at(term.parts[0], values)
        return INFINITY if base.kind == "oo" else substitution.made_of(term, [base, *term.parts[1:]])
    return INFINITY


def minimum(term: Term) -> tuple[Term, ...] | None:
    """What a formula is the least of; None where it is no minimum.

    >>> from dpcompose.kernel.expressions.terms import least, letter
    >>> minimum(least(letter("x"), letter("y")))
    (x, y)
    """
    turned = -term
    if term.kind == "product" and turned.kind == "top" and turned.of[0] == 1:
        return tuple(sorted((-part for part in turned.parts), key=lambda one: one.key))
    return None


def with_minimum(term: Term) -> tuple[Term, Term] | None:
    """A product as a factor and a minimum, if it is one: c·min(x, y) stands there as −c·max(−x, −y)."""
    tops = [one for one in term.factors if one.kind == "top" and one.of[0] == 1]
    for top in tops:
        others = list(term.factors)
        others.remove(top)
        factor = terms.multiply([terms.MINUS_ONE, *others])
        if minimum(-top) is not None and is_positive_part(factor):
            return factor, -top
    return None


def is_positive_part(term: Term) -> bool:
    """Whether a formula is seen to be ≥ 0 wherever distances are: by its signs, or as it grows from such."""
    is_root = term.kind == "power" and term.parts[1].number == terms.HALF
    if term.nonnegative or is_root:
        return True
    if (inside := minimum(term)) is not None:
        return all(map(is_positive_part, inside))
    if term.kind == "product" and (rest := with_minimum(term)) is not None:
        return all(map(is_positive_part, rest))
    return is_moving(term) and grows(term) and at(term, {}).nonnegative


def grows(term: Term) -> bool:
    """Whether a formula is seen never to fall as distances grow."""
    if not is_moving(term):
        return True
    if term.kind == "letter":
        return True
    if (inside := minimum(term)) is not None:
        return all(map(grows, inside))
    if term.kind == "product":
        factors = with_minimum(term) or term.factors
        return all(grows(factor) and is_positive_part(factor) for factor in factors)
    if term.kind in ("sum", "top"):
        return all(map(grows, term.parts))
    if term.kind in ("exp", "log"):
        return grows(term.parts[0])
    if term.kind == "power":
        base, exponent = term.parts
        up = exponent.number is not None and exponent.number > 0
        return up and grows(base) and is_positive_part(base)
    return False


def _is_distance(term: Term) -> bool:
    return term.kind == "letter" and is_moving(term)


def is_constant(term: Term) -> bool:
    """Whether a formula is one in parameters: no letter is that of a distance, or of a coordinate."""
    return all(naming.read(name).is_parameter for name in term.letters)


def is_metric(term: Term, basic: Callable[[Term], bool] = _is_distance) -> bool:
    """Whether a formula is seen to be a metric where some terms are: 0 at 0, with the triangle inequality.

    A sum and a maximum of metrics is one, a number ≥ 0 times one, the least of one and numbers ≥ 0, a root,
    and the root of a sum of squares of metrics and of metrics.  basic -- which terms are: distances.

    >>> from dpcompose.kernel.expressions.terms import letter as parameter, least, sqrt
    >>> d, e = letter("d__d"), letter("d__e")
    >>> [is_metric(one) for one in (d + 2 * e, sqrt(d * d + e), least(d, parameter("w")), least(d, e), d * e)]
    [True, True, True, False, False]
    """
    if term == ZERO or basic(term):
        return True
    if is_constant(term):
        return False
    if (inside := minimum(term)) is not None:
        return _is_one_of(inside, basic)
    if term.kind == "product":
        return _is_one_of(with_minimum(term) or term.factors, basic)
    if term.kind in ("sum", "top"):
        return all(is_metric(part, basic) for part in term.parts)
    if term.kind == "power":
        base, p = term.parts[0], term.parts[1].number
        if p is None or not 0 < p <= 1:
            return False
        squares = p <= terms.HALF and all(_is_square(summand, basic) for summand in base.summands)
        return squares or is_metric(base, basic)
    return False


def _is_one_of(some: Sequence[Term], basic: Callable[[Term], bool]) -> bool:
    """Whether one of some terms is a metric, and the others are numbers ≥ 0."""
    moving = [term for term in some if not is_constant(term)]
    fixed = all(term.nonnegative for term in some if is_constant(term))
    return len(moving) == 1 and fixed and is_metric(moving[0], basic)


def _is_square(term: Term, basic: Callable[[Term], bool]) -> bool:
    """Whether a formula is seen to be the square of a metric, or a metric: of such sums the root is one."""
    if is_metric(term, basic):
        return True
    moving = [factor for factor in term.factors if not is_constant(factor)]
    rest = terms.multiply([factor for factor in term.factors if is_constant(factor)])
    if (
        len(moving) != 1
        or moving[0].kind != "power"
        or moving[0].parts[1].number != 2
        or not rest.nonnegative
    ):
        return False
    root = moving[0].parts[0]
    return any(is_metric(candidate, basic) for candidate in (root, -root, terms.largest(root, -root)))


def is_convex(term: Term) -> bool:
    """Whether a formula that grows is seen to be convex in the distances together."""
    if not is_moving(term) or term.kind == "letter":
        return True
    if minimum(term) is not None:
        return False
    if term.kind == "product":
        moving = [factor for factor in term.factors if is_moving(factor)]
        rest = terms.multiply([factor for factor in term.factors if not is_moving(factor)])
        return len(moving) == 1 and rest.nonnegative and is_convex(moving[0])
    if term.kind in ("sum", "top"):
        return all(map(is_convex, term.parts))
    if term.kind == "exp":
        return is_convex(term.parts[0])
    p = term.parts[1].number if term.kind == "power" else None
    return p is not None and p >= 1 and is_convex(term.parts[0]) and is_positive_part(term.parts[0])
