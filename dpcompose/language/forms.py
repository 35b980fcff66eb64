"""Normal forms: polynomials over the rationals in which worst cases are terms.

A `Form` is a finite sum of rational multiples of monomials and of *peaks*, and a peak is
the sum of the m largest of several forms (m = 1: their maximum).  Minima are peaks with a
negative factor: min(x, y) = −max(−x, −y).  Equal forms compare equal, so what stands on
both sides of a comparison cancels.  Everything here is exact; sympy is only read and written.

Monomials are products of parameters and of *atoms*: a root, exponential, logarithm or
quotient enters as one letter of its own, called by its text ("sqrt(e1)"), of which only the
sign is known.  What is proved for every value of an atom holds for its true one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb, lcm
from typing import TYPE_CHECKING, Any

from dpcompose.language import orders
from dpcompose.language.symbols import moves

if TYPE_CHECKING:
    import sympy

    from dpcompose.language.elementary import Elementary
    from dpcompose.language.symbols import Domain

Monomial = tuple[tuple[str, int], ...]
ONE: Monomial = ()
LARGEST_FORM = 20_000
"""The most terms a form may have: a product of sums beyond it is refused, not expanded."""
MOST_LISTED = 12
"""The most sums that a maximum lists where it is the sum of the m largest of a few forms."""


class NotAForm(ValueError):
    """The expression is no polynomial of parameters and worst cases; the message says where."""


class NoRealValue(NotAForm):
    """The expression is not known to have a real value for all allowed parameters."""


@dataclass(frozen=True, order=False)
class Peak:
    """top(m, x_1, …, x_n) of forms: the sum of the m largest, 1 ≤ m < n."""

    m: int
    of: tuple[Form, ...]

    @cached_property
    def key(self) -> tuple[Any, ...]:
        return (1, self.m, tuple(form.key for form in self.of))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.m, self.of))


@dataclass(frozen=True)
class Form:
    """Σ c·t over `terms` (t, c): t a monomial or a peak, c a non-zero Fraction; t in a fixed order.

    >>> x, y = Form.parameter("x"), Form.parameter("y")
    >>> (x + y) * (x - y) == x * x - y * y
    True
    >>> top(1, [x, y]) + y == y + top(1, [y, x])
    True
    """

    terms: tuple[tuple[Monomial | Peak, Fraction], ...] = ()

    @staticmethod
    def constant(c: Fraction | int) -> Form:
        return _form({ONE: Fraction(c)})

    @staticmethod
    def parameter(name: str) -> Form:
        return Form(((((name, 1),), Fraction(1)),))

    def __add__(self, other: Form) -> Form:
        return total((self, other))

    def __sub__(self, other: Form) -> Form:
        return self + other.scaled(Fraction(-1))

    def __mul__(self, other: Form) -> Form:
        if self.value_if_constant is not None:
            return other.scaled(self.value_if_constant)
        if other.value_if_constant is not None:
            return self.scaled(other.value_if_constant)
        if len(self.terms) * len(other.terms) > LARGEST_FORM:
            raise NotAForm("the product has too many terms")
        products: dict[Monomial | Peak, Fraction] = {}
        for s, c in self.terms:
            for t, d in other.terms:
                if isinstance(s, Peak) or isinstance(t, Peak):
                    raise NotAForm("a worst case is multiplied by a parameter")
                product = _times(s, t)
                products[product] = products.get(product, Fraction(0)) + c * d
        return _form(products)

    def scaled(self, c: Fraction) -> Form:
        """c times the form."""
        return Form(tuple((t, c * d) for t, d in self.terms)) if c else Form()

    @property
    def value_if_constant(self) -> Fraction | None:
        """The number that the form is, or None where it depends on parameters."""
        if not self.terms:
            return Fraction(0)
        if len(self.terms) == 1 and self.terms[0][0] == ONE:
            return self.terms[0][1]
        return None

    @cached_property
    def key(self) -> tuple[Any, ...]:
        return tuple((_key(t), c) for t, c in self.terms)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    @cached_property
    def peaks(self) -> tuple[tuple[Peak, Fraction], ...]:
        """The peaks among the terms, with their factors."""
        return tuple((t, c) for t, c in self.terms if isinstance(t, Peak))

    @cached_property
    def monomials(self) -> tuple[tuple[Monomial, Fraction], ...]:
        """The monomials among the terms, with their coefficients."""
        return tuple((t, c) for t, c in self.terms if not isinstance(t, Peak))

    @cached_property
    def coefficients(self) -> Mapping[Monomial | Peak, Fraction]:
        """The terms as a mapping."""
        return dict(self.terms)

    @cached_property
    def size(self) -> int:
        """How many terms there are, those inside of peaks counted too."""
        return len(self.terms) + sum(inner.size for peak, _ in self.peaks for inner in peak.of)

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters that occur."""
        found = {name for t, _ in self.monomials for name, _ in t}
        for peak, _ in self.peaks:
            for inner in peak.of:
                found |= inner.names
        return frozenset(found)

    def at(self, point: Mapping[str, Fraction]) -> Fraction:
        """The exact value where each parameter has the value that `point` gives its name.

        Raises NotAForm where an atom is irrational there.
        """
        values = []
        for term, c in self.terms:
            if isinstance(term, Peak):
                c *= _sum_of_largest([form.at(point) for form in term.of], term.m)
            else:
                for name, power in term:
                    value = point[name] if name in point else _atom_at(name, point)
                    value = value if power == 1 else value**power
                    c = value if c == 1 else c * value
            values.append(c)
        return values[0] if len(values) == 1 else _sum_of_largest(values, len(values))

    def with_values(self, values: Mapping[str, Fraction]) -> Form:
        """The form with numbers in place of some parameters."""
        parts = []
        for term, c in self.terms:
            if isinstance(term, Peak):
                parts.append(top(term.m, [inner.with_values(values) for inner in term.of]).scaled(c))
                continue
            for name, power in term:
                c *= values.get(name, Fraction(1)) ** power
            rest = tuple((name, power) for name, power in term if name not in values)
            parts.append(Form(((rest, Fraction(1)),)).scaled(c))
        return total(parts)


def total(forms: Iterable[Form]) -> Form:
    """The sum of the forms, put in order once.

    >>> x = Form.parameter("x")
    >>> total([x, x, x]) == x.scaled(Fraction(3))
    True
    """
    some = [form for form in forms if form.terms]
    if len(some) == 1:
        return some[0]
    terms: dict[Monomial | Peak, Fraction] = dict(some[0].terms) if some else {}
    for form in some[1:]:
        for term, c in form.terms:
            terms[term] = terms[term] + c if term in terms else c
    return _form(terms)


def _sum_of_largest(values: Sequence[Fraction], m: int) -> Fraction:
    """The sum of the m largest numbers, brought to one denominator once: whole numbers are compared fast."""
    common = lcm(*(value.denominator for value in values))
    numerators = [value.numerator for value in values]
    if common > 1:
        numerators = [value.numerator * (common // value.denominator) for value in values]
    if m < len(values):
        numerators = [max(numerators)] if m == 1 else sorted(numerators)[-m:]
    return Fraction(sum(numerators), common)


def top(m: int, forms: Iterable[Form]) -> Form:
    """The sum of the m largest of the forms, as a form.

    >>> top(1, [Form.constant(2), Form.constant(3)]) == Form.constant(3)
    True
    """
    of = list(forms)
    if m == 1:
        of = _absorbed(list(dict.fromkeys(inner for form in of for inner in _flattened(form))))
    if len(of) <= m:
        return total(of)
    numbers = [form.value_if_constant for form in of]
    if all(number is not None for number in numbers):
        return Form.constant(_sum_of_largest([n for n in numbers if n is not None], m))
    if m == 1 and len(of) > MOST_LISTED and (found := _as_sums(of)) is not None:
        return found
    return _form({Peak(m, tuple(sorted(of, key=lambda form: form.key))): Fraction(1)})


def _absorbed(of: list[Form]) -> list[Form]:
    """The forms without any that is at most another one because one of its terms is a minimum with it:
    max(x, min(x, y)) = x, and max(x + z, min(x, y) + z) = x + z.

    >>> x, y = Form.parameter("x"), Form.parameter("y")
    >>> least = top(1, [x.scaled(Fraction(-1)), y.scaled(Fraction(-1))]).scaled(Fraction(-1))
    >>> top(1, [x, least]) == x
    True
    """
    there = set(of)
    return [form for form in of if not (form.peaks and any(one in there for one in above(form)))]


def above(form: Form) -> Iterator[Form]:
    """Forms that it is at most: for each minimum among its terms, the same with what it is the minimum of."""
    for peak, c in form.peaks:
        if c < 0 and peak.m == 1:
            rest = form - Form(((peak, c),))
            for inner in peak.of:
                yield rest + inner.scaled(c)


def _as_sums(of: Sequence[Form]) -> Form | None:
    """The maximum of different forms as s + top(m, x_1, …, x_n), m ≥ 2, where they are s + Σ_{j∈S} x_j
    for all m-subsets S; None where they are not.

    Terms that all forms share are s, and each other one is an x_j.  Different forms with m of
    the n terms each are all of them where there are n over m.
    """
    often: dict[tuple[Monomial | Peak, Fraction], int] = {}
    for form in of:
        for item in form.terms:
            often[item] = often.get(item, 0) + 1
    shared = Form(tuple(item for item in of[0].terms if often[item] == len(of)))
    m, n = len(of[0].terms) - len(shared.terms), len(often) - len(shared.terms)
    if m < 2 or any(len(form.terms) != len(of[0].terms) for form in of) or comb(n, m) != len(of):
        return None
    return shared + top(m, [Form((item,)) for item, times in often.items() if times < len(of)])


def read(expression: sympy.Expr, domains: Mapping[str, Domain]) -> Form:
    """The normal form of a sympy expression.

    Raises NotAForm where there is none: worst cases that are multiplied with each other, or a
    root, logarithm or quotient that may have no real value for some allowed parameters.

    >>> from dpcompose.language.symbols import POSITIVE, symbol
    >>> read(2 * symbol("e"), {"e": POSITIVE}) == Form.parameter("e").scaled(Fraction(2))
    True
    """
    if expression.is_Rational:
        return Form.constant(Fraction(int(expression.p), int(expression.q)))
    if expression.is_Symbol:
        return Form.parameter(expression.name)
    if expression.is_Add:
        return total(read(part, domains) for part in expression.args)
    if expression.is_Mul:
        return _product([read(part, domains) for part in expression.args], domains)
    if expression.is_Pow and expression.exp.is_Integer and 0 < int(expression.exp) <= 64:
        return _power(read(expression.base, domains), int(expression.exp), domains)
    from dpcompose.language.worstcase import Over, Top

    if isinstance(expression, Top):
        return top(int(expression.args[0]), [read(part, domains) for part in expression.terms])
    if isinstance(expression, Over):
        m, x, k = expression.args
        return _over(m, x, k, domains)
    return _atom(expression, domains)


def squared(expression: sympy.Expr, domains: Mapping[str, Domain]) -> Form:
    """The normal form of x², for an expression x that is ≥ 0.

    max(a, b)² = max(a², b²) for a, b ≥ 0, and the square of a root is what it is of: so roots of
    sums, and their maxima, become polynomials.  Raises NotAForm where the square is none.

    >>> from dpcompose.language.symbols import POSITIVE, symbol
    >>> import sympy
    >>> x = symbol("x")
    >>> squared(sympy.sqrt(2 * x), {"x": POSITIVE}) == Form.parameter("x").scaled(Fraction(2))
    True
    """
    import sympy

    from dpcompose.language.worstcase import Over, Top

    if expression.is_Mul:
        return _product([squared(part, domains) for part in expression.args], domains)
    if expression.is_Pow and expression.exp == sympy.Rational(1, 2):
        return read(expression.base, domains)
    if isinstance(expression, Top) and expression.args[0] == 1:
        if not all(is_nonnegative(read(part, domains), domains) for part in expression.terms):
            raise NotAForm("the square of a maximum of values that may be negative")
        return top(1, [squared(part, domains) for part in expression.terms])
    if isinstance(expression, Over) and expression.args[0] == 1:
        _, x, k = expression.args
        if not is_nonnegative(read(x, domains), domains):
            raise NotAForm("the square of a maximum of members that may be negative")
        return read(Over(sympy.Integer(1), sympy.expand(x**2), k), domains)
    if expression.is_Add:
        worst = [part for part in expression.args if part.has(Top) and not part.has(Over)]
        if len(worst) == 1:
            factor, peak = worst[0].as_coeff_Mul()
            rest = expression - worst[0]
            if isinstance(peak, Top) and peak.args[0] == 1 and factor.is_positive:
                return squared(Top(sympy.Integer(1), *(rest + factor * x for x in peak.terms)), domains)
    form = read(expression, domains)
    if form.names <= set(domains):
        return _power(form, 2, domains)
    if form.size**2 > LARGEST_FORM:
        raise NotAForm("the square has too many terms")
    # sqrt(x)**2 is x, and exp(x)**2 is exp(2*x): as letters they are no powers
    return read(sympy.expand(expression**2, power_exp=False), domains)


def root(square: sympy.Expr) -> sympy.Expr:
    """√x² for an expression of squares that is ≥ 0: the root of a maximum is the maximum of the roots."""
    import sympy

    from dpcompose.language.worstcase import Over, Top

    if isinstance(square, Top) and square.args[0] == 1:
        return Top(sympy.Integer(1), *(root(part) for part in square.terms))
    if isinstance(square, Over) and square.args[0] == 1 and square.args[2] != 1:
        return Over(sympy.Integer(1), root(square.args[1]), square.args[2])
    if square.is_Mul:
        factor, rest = square.as_coeff_Mul()
        if factor.is_positive and isinstance(rest, Top | Over):
            return sympy.sqrt(factor) * root(rest)
    return sympy.sqrt(square)


def doubt(
    text: str, symbols: Mapping[str, sympy.Expr], domains: Mapping[str, Domain], index: str | None = None
) -> str:
    """Why a formula may have no real value for some allowed parameters; "" where it surely has one.

    Decided by signs, on the formula as it is written.
    """
    from dpcompose.language import formulas

    if text.strip() == "oo":
        return ""
    for inside, condition in formulas.conditions(text, symbols, index):
        try:
            form = read(inside, domains)
        except NotAForm as error:
            return str(error)
        negative = form.scaled(Fraction(-1))
        fine = surely(form, domains) or (
            surely(form, domains, strictly=False)
            if condition == ">= 0"
            else condition == "!= 0" and surely(negative, domains)
        )
        if not fine:
            return f"{formulas.to_text(inside)} is not known to be {condition} for all allowed parameters"
    return ""


def _is_positive_at_largest(form: Form, domains: Mapping[str, Domain]) -> bool:
    """Whether a constant minus parameters is > 0, as 1 - d is for d in (0,1): the least value is where all of
    them are largest, and it may be 0 if that is not reached."""
    least, reached = Fraction(0), True
    for term, c in form.terms:
        if term == ():
            least += c
            continue
        if isinstance(term, Peak) or c > 0 or len(term) != 1 or term[0][1] != 1 or term[0][0] not in domains:
            return False
        domain = domains[term[0][0]]
        if domain.greatest is None:
            return False
        least, reached = least + c * domain.greatest, reached and not domain.open_greatest
    return least > 0 or (least == 0 and not reached)


def _over(m: sympy.Expr, x: sympy.Expr, k: sympy.Expr, domains: Mapping[str, Domain]) -> Form:
    """top(m, x[i], i, 1, k) with what does not depend on i, and common factors, taken out.

    The members' part is linear with non-negative parameters: it becomes a letter by its text,
    such as "max(e[i], i, 1, k)", or for the sum one letter a family.
    """
    from dpcompose.language.worstcase import least

    form = read(x, domains)
    if any("[i]" in name and ", i, 1, " in name and not _is_over(name) for name in form.names):
        raise NotAForm("a worst case over a family inside of a root, exponential, logarithm or quotient")
    moving = Form(tuple((t, c) for t, c in form.terms if any(map(moves, Form(((t, c),)).names))))
    still = form - moving
    number = read(k, domains)
    if moving.peaks:
        raise NotAForm("a worst case inside of a family")
    if m == k:
        parts = [(number, still)]
        for term, c in moving.monomials:
            inside, outside = _split(term)
            if not nonnegative(inside, domains):
                raise NotAForm("the members of a family may be negative")
            letter = _letter_over(m, Form(((inside, Fraction(1)),)), k, x)
            parts.append((letter, Form(((outside, c),))))
        return total(a * b for a, b in parts)
    fixed = (
        still.scaled(Fraction(int(m)))
        if _surely_at_least(k, int(m), domains)
        else _product([read(least(m, k), domains), still], domains)
    )
    if not moving.terms:
        return fixed
    splits = [(*_split(term), c) for term, c in moving.monomials]
    outside = splits[0][1]
    if any(c < 0 or other != outside or not nonnegative(t, domains) for t, other, c in splits):
        raise NotAForm("the members of a family are not multiples of non-negative parameters")
    if not nonnegative(outside, domains):
        raise NotAForm("a worst case is multiplied by something that may be negative")
    first = splits[0][2]
    inner = Form(tuple((t, c / first) for t, _, c in splits))
    return fixed + _letter_over(m, inner, k, x) * Form(((outside, first),))


def _is_over(name: str) -> bool:
    """Whether a letter is a worst case over a family, and no atom around one."""
    return name.startswith(("max(", "sum(", "top("))


def _letter_over(m: sympy.Expr, members: Form, k: sympy.Expr, x: sympy.Expr) -> Form:
    """The letter top(m, members, i, 1, k)."""
    from dpcompose.language import formulas
    from dpcompose.language.worstcase import Over

    symbols = {str(one): one for one in x.free_symbols}
    return Form.parameter(formulas.to_text(Over(m, write(members, symbols), k)))


def _surely_at_least(k: sympy.Expr, m: int, domains: Mapping[str, Domain]) -> bool:
    smallest = int(k) if k.is_Integer else domains[str(k)].least
    return smallest is not None and smallest >= m


def _split(term: Monomial | Peak) -> tuple[Monomial, Monomial]:
    """A monomial as the product of members e[i] and of what does not depend on i."""
    assert not isinstance(term, Peak)
    return (
        tuple((name, power) for name, power in term if moves(name)),
        tuple((name, power) for name, power in term if not moves(name)),
    )


def _atom(expression: sympy.Expr, domains: Mapping[str, Domain]) -> Form:
    """A root, exponential, logarithm or quotient as a letter of its own, once it surely has a real value."""
    letters = sorted(map(str, expression.free_symbols))
    found = _atom_or_why(expression, tuple((one, domains[one]) for one in letters if one in domains))
    if isinstance(found, NotAForm):
        raise type(found)(*found.args)
    return found


@lru_cache(maxsize=4_096)
def _atom_or_why(expression: sympy.Expr, known: tuple[tuple[str, Domain], ...]) -> Form | NotAForm:
    """The same, or why it is none; each atom is read once, whatever it stands in."""
    try:
        return _read_atom(expression, dict(known))
    except NotAForm as error:
        return error.with_traceback(None)


def _read_atom(expression: sympy.Expr, domains: Mapping[str, Domain]) -> Form:
    from dpcompose.language import formulas

    inner = read(expression.args[0], domains) if expression.args else Form()
    if not expression.args:
        return Form.parameter(formulas.to_text(expression))  # exp(1)
    if expression.is_Pow and not expression.exp.is_Rational:
        fine = surely(inner, domains)
    elif expression.is_Pow:
        fine = surely(inner, domains) or (expression.exp > 0 and surely(inner, domains, strictly=False))
    else:
        kind = expression.func.__name__
        fine = kind == "exp" or (kind == "log" and surely(inner, domains))
    if not fine and expression.is_Pow and expression.exp.is_Integer:
        turned = inner.scaled(Fraction(-1))  # 1/x for x < 0, by the letter of 1/(-x), as letters are >= 0
        if surely(turned, domains):
            letter = formulas.to_text((-expression.base) ** expression.exp)
            return Form.parameter(letter).scaled(Fraction(-1 if expression.exp % 2 else 1))
    if not fine:
        raise NoRealValue(
            f"{formulas.to_text(expression)} is not known to have a real value for all allowed parameters"
        )
    return Form.parameter(formulas.to_text(expression))


def _atom_at(name: str, point: Mapping[str, Fraction]) -> Fraction:
    from dpcompose.language import formulas

    value = formulas.evaluate(_parsed(name), point)
    if value is None:
        raise NotAForm(f"{name} is not rational there")
    return value


@lru_cache(maxsize=1_000)
def _parsed(atom: str) -> sympy.Expr:
    from dpcompose.language import formulas, symbols

    inside = {one: symbols.symbol(one) for one in names_of(atom)}
    return formulas.parse(atom, inside, index="i")


def domain_of(name: str, domains: Mapping[str, Domain]) -> Domain:
    """The domain of a parameter, or what is known of an atom: only logarithms can be negative."""
    if name in domains:
        return domains[name]
    from dpcompose.language.symbols import NONNEGATIVE, REAL

    return REAL if name.startswith("log(") and not _at_least_one(name, domains) else NONNEGATIVE


def _at_least_one(logarithm: str, domains: Mapping[str, Domain]) -> bool:
    """Whether what the logarithm is of is seen to be at least 1 from signs, as in log(2) and log(1 + e)."""
    letters = names_of(logarithm)
    if not set(letters) <= set(domains):
        return False
    return _seen_at_least_one(logarithm, tuple((one, domains[one]) for one in letters))


@lru_cache(maxsize=4_096)
def _seen_at_least_one(logarithm: str, known: tuple[tuple[str, Domain], ...]) -> bool:
    """The same by the domains of its letters; each logarithm is asked about once, whatever it stands in."""
    from dpcompose.language import formulas, symbols

    domains = dict(known)
    inside = {one: symbols.symbol(one, domain) for one, domain in known}
    inner = read(formulas.parse(logarithm, inside, index="i").args[0], domains)
    return is_nonnegative(inner - Form.constant(1), domains)


def write(form: Form, symbols: Mapping[str, sympy.Expr]) -> sympy.Expr:
    """The form as a sympy expression over the given symbols (by name)."""
    import sympy

    from dpcompose.language.worstcase import Top

    parts = []
    for term, c in form.terms:
        factor = sympy.Rational(c.numerator, c.denominator)
        if isinstance(term, Peak):
            # unevaluated: they are in order and differ, and sympy's order takes long to find
            inside = [write(inner, symbols) for inner in term.of]
            parts.append(factor * Top(sympy.Integer(term.m), *inside, evaluate=False))
        else:
            parts.append(factor * sympy.Mul(*(_letter(name, symbols) ** power for name, power in term)))
    return sympy.Add(*parts)


def _letter(name: str, symbols: Mapping[str, sympy.Expr]) -> sympy.Expr:
    from dpcompose.language import formulas

    return symbols[name] if name in symbols else formulas.parse(name, symbols, index="i")


def pieces(form: Form, limit: int) -> Iterator[Form] | None:
    """Forms h_1, …, h_n whose peaks all have positive factors and whose minimum is `form`.

    Each term −c·top(m, x_1, …, x_n) is the minimum of −c·Σ_{j∈S} x_j over the m-subsets S,
    and every other operation here grows with its arguments, so the minimum comes out.  The
    order is fixed: a certificate lists one proof a piece.  None where there are more than
    `limit`.
    """
    if _count_pieces(form, limit) > limit:
        return None
    return _pieces(form)


def _pieces(form: Form) -> Iterator[Form]:
    for i, (term, c) in enumerate(form.terms):
        if not isinstance(term, Peak):
            continue
        rest = Form(form.terms[:i] + form.terms[i + 1 :])
        if c < 0:
            for chosen in combinations(term.of, term.m):
                yield from _pieces(rest + total(chosen).scaled(c))
            return
        for j, inner in enumerate(term.of):
            if _has_choice(inner):
                for piece in _pieces(inner):
                    changed = (*term.of[:j], piece, *term.of[j + 1 :])
                    yield from _pieces(rest + top(term.m, changed).scaled(c))
                return
    yield form


def piece_at(form: Form, point: Mapping[str, Fraction]) -> Form:
    """A piece of the form that has its value at the point: each −c·top(m, x) as the m largest there.

    Worst cases inside of a peak with a positive factor stay as they are.
    """
    parts = [Form(form.monomials)]
    for peak, c in form.peaks:
        if c > 0:
            parts.append(Form(((peak, c),)))
            continue
        largest_there = sorted(peak.of, key=lambda inner: inner.at(point), reverse=True)[: peak.m]
        parts.append(piece_at(total(largest_there).scaled(c), point))
    return total(parts)


def _has_choice(form: Form) -> bool:
    return any(c < 0 or any(map(_has_choice, peak.of)) for peak, c in form.peaks)


def _count_pieces(form: Form, limit: int) -> int:
    total = 1
    for peak, c in form.peaks:
        if c < 0:
            # each chosen subset keeps at most the product of what its members hold
            chosen = (inner.scaled(Fraction(-1)) for inner in peak.of if inner.peaks)
            inner = max((_count_pieces(one, limit) for one in chosen), default=1)
            total *= min(comb(len(peak.of), peak.m) * inner**peak.m, limit + 1)
        else:
            for inner_form in peak.of:
                total *= _count_pieces(inner_form, limit)
                if total > limit:
                    return limit + 1
        if total > limit:
            return limit + 1
    return total


def nonnegative(term: Monomial, domains: Mapping[str, Domain]) -> bool:
    """Whether a monomial is ≥ 0 for all allowed values, seen from the signs of its factors."""
    return all(power % 2 == 0 or domain_of(name, domains).nonnegative for name, power in term)


def is_nonnegative(form: Form, domains: Mapping[str, Domain]) -> bool:
    """Whether every term is seen to be ≥ 0 from signs: sufficient for form ≥ 0.

    Terms that differ in constants such as sqrt(2) or exp(1) only are one term: its factor is a real
    number, whose sign an enclosing interval shows.
    """
    return all(
        c > 0
        and (
            sum(is_nonnegative(inner, domains) for inner in t.of) >= t.m
            if isinstance(t, Peak)
            else nonnegative(t, domains)
        )
        for t, c in constants_joined(form).terms
    )


def constants_joined(form: Form) -> Form:
    """The form with the sign of its factor, 1, 0 or −1, for each product of parameters that has
    irrational factors; the same form where there are none."""
    if not any(_is_constant(name) for t, _ in form.monomials for name, _ in t):
        return form
    factors: dict[Monomial, Form] = {}
    for term, c in form.monomials:
        constants = tuple((name, power) for name, power in term if _is_constant(name))
        rest = tuple((name, power) for name, power in term if not _is_constant(name))
        factors[rest] = factors.get(rest, Form()) + Form(((constants, c),))
    signs = {rest: _sign(factor) for rest, factor in factors.items()}
    return Form(form.peaks) + _form({rest: Fraction(one) for rest, one in signs.items()})


def _sign(constant: Form) -> int:
    """1, 0 or −1; −1 where it lies too close to 0 to tell."""
    from dpcompose.language.meaning import sign

    value = constant.value_if_constant
    if value is not None:
        return (value > 0) - (value < 0)
    return sign(write(constant, {})) or -1


def _is_constant(name: str) -> bool:
    """Whether a letter is an atom without parameters: sqrt(2), exp(1), log(3)."""
    if name.isidentifier() or "[" in name or " on " in name or name.endswith(", more"):
        return False
    return names_of(name) == ()


@lru_cache(maxsize=10_000)
def names_of(atom: str) -> tuple[str, ...]:
    """The parameters of an atom."""
    from dpcompose.language import formulas

    return tuple(formulas.names(atom))


def greatest(form: Form, domains: Mapping[str, Domain]) -> Fraction | None:
    """A number that the form is never above, from the largest values of its letters; None if none is seen.

    >>> from dpcompose.language.symbols import UNIT_INTERVAL
    >>> greatest(Form.parameter("d").scaled(Fraction(1, 2)), {"d": UNIT_INTERVAL})
    Fraction(1, 2)
    """
    total = Fraction(0)
    for term, c in form.terms:
        if isinstance(term, Peak):
            inner = [greatest(one, domains) for one in term.of]
            if c < 0 or any(one is None for one in inner):
                return None
            total += c * sum(sorted(one for one in inner if one is not None)[-term.m :], Fraction(0))
        elif not nonnegative(term, domains):
            return None
        elif c > 0:
            for name, power in term:
                most = domain_of(name, domains).greatest
                if most is None:
                    return None
                c *= most**power
            total += c
    return total


def is_positive(form: Form, domains: Mapping[str, Domain]) -> bool:
    """Whether form > 0 is seen from signs: no negative term, and one that is never 0; or at largest letters.

    >>> from dpcompose.language.symbols import UNIT_INTERVAL
    >>> is_positive(Form.constant(1) - Form.parameter("d"), {"d": UNIT_INTERVAL})
    True
    """
    if _is_positive_at_largest(form, domains):
        return True
    return is_nonnegative(form, domains) and any(
        any(is_positive(inner, domains) for inner in t.of)  # as many others are >= 0 as are added up
        if isinstance(t, Peak)
        else all(_never_zero(name, domains) for name, _ in t)
        for t, _ in form.terms
    )


def surely(form: Form, domains: Mapping[str, Domain], strictly: bool = True) -> bool:
    """Whether form > 0 (or form ≥ 0: strictly = False) is seen, from signs or by calculus.

    >>> from dpcompose.language.symbols import POSITIVE
    >>> surely(Form.parameter("exp(e)") - Form.constant(1), {"e": POSITIVE})
    True
    """
    if is_positive(form, domains) or (not strictly and is_nonnegative(form, domains)):
        return True
    if len(form.names) > MOST_PARAMETERS:
        return False
    from dpcompose.language import elementary, ranges

    try:
        f = function(form, domains)
        return ranges.surely_everywhere(f, {name: domains[name] for name in f.names}, strictly)
    except elementary.NotElementary:
        return False


def function(form: Form, domains: Mapping[str, Domain]) -> Elementary:
    """The function that a form means, its atoms read too.  Raises elementary.NotElementary.

    >>> from dpcompose.language.symbols import POSITIVE
    >>> form = Form.parameter("exp(2*e)") - Form.parameter("exp(e)") * Form.parameter("exp(e)")
    >>> function(form, {"e": POSITIVE}).terms
    ()
    """
    from dpcompose.language import elementary

    total = elementary.Elementary()
    for term, c in form.terms:
        if isinstance(term, Peak):
            of = [function(one, domains) for one in term.of]
            total = total + elementary.largest(term.m, of).scaled(c)
            continue
        product = elementary.constant(c)
        for name, r in term:
            product = product * elementary.power(_letter_as_function(name, domains), Fraction(r))
        total = total + product
    return total


def _letter_as_function(name: str, domains: Mapping[str, Domain]) -> Elementary:
    from dpcompose.language import elementary

    more = name.removesuffix(", more")
    if more != name and more.isidentifier() and more in domains:  # how far it is above its least value
        least = elementary.constant(domains[more].least or Fraction(0))
        return elementary.parameter(more, domains[more].nonnegative) - least
    if name in domains:
        return elementary.parameter(name, domains[name].nonnegative)
    letters = names_of(name)
    if _is_over(name) or not set(letters) <= set(domains):
        raise elementary.NotElementary(f"{name} is no function of parameters alone")
    return elementary.of_text(name, tuple((one, domains[one]) for one in letters))


MOST_PARAMETERS = 8
"""Up to how many letters the sign of a form is looked for by calculus."""


def _never_zero(name: str, domains: Mapping[str, Domain]) -> bool:
    """Whether a parameter, or an atom, is > 0: an exponential, or a root or power of what is > 0."""
    if name in domains or not set(letters := names_of(name)) <= set(domains):
        domain = domain_of(name, domains)
        return domain.nonnegative and not domain.contains(Fraction(0))
    return _atom_never_zero(name, tuple((one, domains[one]) for one in letters))


@lru_cache(maxsize=4_096)
def _atom_never_zero(name: str, known: tuple[tuple[str, Domain], ...]) -> bool:
    """The same for an atom by the domains of its letters."""
    from dpcompose.language import formulas, symbols

    domains = dict(known)
    inside = {one: symbols.symbol(one, domain) for one, domain in known}
    atom = formulas.parse(name, inside, index="i")
    if not atom.is_Pow:
        return bool(atom.func.__name__ == "exp")
    return is_positive(read(atom.base, domains), domains)


def largest(forms: Iterable[Form], domains: Mapping[str, Domain]) -> tuple[Form, ...]:
    """The forms without repetition and without those that another one dominates, in a fixed order.

    One dominates another where their difference has only terms that are ≥ 0 by their sign, also with one term
    of a minimum in place of it.

    >>> from dpcompose.language.symbols import POSITIVE
    >>> x, y = Form.parameter("x"), Form.parameter("y")
    >>> least = top(1, [x.scaled(Fraction(-1)), y.scaled(Fraction(-1))]).scaled(Fraction(-1))
    >>> largest([x.scaled(Fraction(2)), least], {"x": POSITIVE, "y": POSITIVE}) == (x.scaled(Fraction(2)),)
    True
    """
    distinct = sorted(dict.fromkeys(forms), key=lambda form: form.key)
    signed: dict[Monomial | Peak, bool] = {}

    def ordered(term: Monomial | Peak) -> bool:
        if term not in signed:
            signed[term] = not isinstance(term, Peak) and nonnegative(term, domains)
        return signed[term]

    kept = orders.undominated([form.coefficients for form in distinct], Fraction(0), ordered)
    left = [distinct[n] for n in kept]
    for form in [one for one in left if one.peaks]:
        others = [other for other in left if other is not form]
        if any(is_nonnegative(other - one, domains) for one in above(form) for other in others):
            left = others  # a minimum in it is at most one of its terms, which another form dominates
    return tuple(left)


def _form(terms: Mapping[Monomial | Peak, Fraction]) -> Form:
    return Form(tuple(sorted(((t, c) for t, c in terms.items() if c), key=lambda item: _key(item[0]))))


def _key(term: Monomial | Peak) -> tuple[Any, ...]:
    return term.key if isinstance(term, Peak) else (0, sum(power for _, power in term), term)


def _times(s: Monomial, t: Monomial) -> Monomial:
    powers = dict(s)
    for name, power in t:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _flattened(form: Form) -> Iterator[Form]:
    """max(…, max(x, y), …) = max(…, x, y, …)."""
    if len(form.terms) == 1:
        term, c = form.terms[0]
        if isinstance(term, Peak) and c == 1 and term.m == 1:
            yield from term.of
            return
    yield form


def _product(factors: list[Form], domains: Mapping[str, Domain]) -> Form:
    """The product, worst cases last: x·max(y, z) = max(x·y, x·z) where x ≥ 0."""
    product = Form.constant(1)
    peaked = [factor for factor in factors if factor.peaks]
    for factor in factors:
        if not factor.peaks:
            product = product * factor
    for factor in peaked:
        product = _spread(product, factor, domains)
    return product


def _power(form: Form, n: int, domains: Mapping[str, Domain]) -> Form:
    """The n-th power: max(x, y)ⁿ = max(xⁿ, yⁿ) where x, y ≥ 0, and |x|ⁿ is xⁿ or |xⁿ|."""
    (term, c), *others = form.terms or [(ONE, Fraction(0))]
    alone = isinstance(term, Peak) and term.m == 1 and c > 0 and not others
    if isinstance(term, Peak) and alone and all(is_nonnegative(inner, domains) for inner in term.of):
        return top(1, [_power(inner, n, domains) for inner in term.of]).scaled(c**n)
    if isinstance(term, Peak) and alone and len(term.of) == 2 and not (term.of[0] + term.of[1]).terms:
        power = _power(term.of[0], n, domains).scaled(c**n)
        return top(1, [power, power.scaled(Fraction(-1))]) if n % 2 else power
    return _product([form] * n, domains)


def spread(factor: Form, form: Form) -> Form:
    """factor·form where the factor is a number or a product of parameters that are ≥ 0."""
    return _spread(factor, form, _AllNonnegative())


class _AllNonnegative(dict[str, "Domain"]):
    """Every name with the domain of numbers ≥ 0."""

    def __missing__(self, name: str) -> Domain:
        from dpcompose.language.symbols import NONNEGATIVE

        return NONNEGATIVE

    def __contains__(self, name: object) -> bool:
        return True


def _spread(factor: Form, form: Form, domains: Mapping[str, Domain]) -> Form:
    if factor.peaks:
        raise NotAForm("two worst cases are multiplied")
    if factor.terms and all(c < 0 for _, c in factor.terms):
        return _spread(factor.scaled(Fraction(-1)), form, domains).scaled(Fraction(-1))
    parts = []
    for term, c in form.terms:
        if not isinstance(term, Peak):
            parts.append(factor * Form(((term, c),)))
        elif factor.value_if_constant is not None:
            parts.append(Form(((term, c),)).scaled(factor.value_if_constant))
        elif all(d > 0 and not isinstance(t, Peak) and nonnegative(t, domains) for t, d in factor.terms):
            parts.append(top(term.m, [_spread(factor, inner, domains) for inner in term.of]).scaled(c))
        else:
            raise NotAForm("a worst case is multiplied by something that may be negative")
    return total(parts)
