"""Families: why a comparison over all k and all e[1], …, e[k] is one over a few letters.

Let T_m be the sum of the m largest members and S the sum of all.  Both do not change when
members change places, so let e[1] ≥ … ≥ e[k] ≥ 0.  Such a vector is Σ_j α_j·(1, …, 1, 0, …, 0)
with j ones and α_j ≥ 0, where T_m = Σ_j min(m, j)·α_j and S = Σ_j j·α_j.  Let M be the largest m
that occurs.  For j ≥ M the value of every T_m is m, and S = j lies between M and k, so these
rays are mixtures of the ones with M and with k members:

    T_m = Σ_{j<M} min(m, j)·a_j + m·(b + c),    S = Σ_{j<M} j·a_j + M·b + k·c,

with a_j, b, c ≥ 0.  A family may also be composite: its members g[i] ≥ 0 are made of others, as
e[i]**2, or g[i] = α·e[i] + β·f[i] with α, β > 0; its T_m are those of the vector g.  Where T_m(g)
of such a sum stands on the lesser side only, it is at most α·T_m(e) + β·T_m(f), and equal to it where
both are in descending order; else g is taken as a family of its own, of which nothing more is
known than that it is ≥ 0.  T_m(e)² on the greater side is at least T_m(e²).  Where k is a letter,
k·a_j = max(j, least k)·a_j + (something ≥ 0), and the same for b and c with M in place of j.  What
holds for all values of these letters holds for all k and all members.  Nothing is written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import sympy

from dpcompose.language import forms, formulas
from dpcompose.language.forms import Form, Monomial, NotAForm, Peak
from dpcompose.language.symbols import NONNEGATIVE, POSITIVE, Domain, family_of, moves, symbol
from dpcompose.language.worstcase import Over

LARGEST_TOP = 1_000
"""The most members that a top(m, …) may add up."""
_LETTER = re.compile(
    r"(?P<kind>max|sum|top)\((?:(?P<m>\d+), )?(?P<family>[A-Za-z_]\w*)\[i\], i, 1, (?P<k>\w+)\)"
)


@dataclass(frozen=True)
class _Rays:
    """The letters of one family e[1], …, e[k]: M rays of j equal members, and the one of all k."""

    family: str
    k: str
    most: int
    domains: Mapping[str, Domain]

    @property
    def fixed(self) -> int | None:
        """k, where it is a number."""
        return int(self.k) if self.k.isdigit() else None

    def letter(self, j: int | str) -> Form:
        return Form.parameter(self.name(j))

    def name(self, j: int | str) -> str:
        return f"{self.family} on {j} of {self.k}"

    @property
    def letters(self) -> list[int | str]:
        """1, …, M for that many equal members, "all" for k of them."""
        return [*range(1, self.most + 1), "all"]

    def times_k(self, j: int | str) -> Form:
        """k times the letter."""
        if self.fixed is not None:
            return self.letter(j).scaled(Fraction(self.fixed))
        least = self.domains[self.k].least or Fraction(1)
        surely = max(least, Fraction(self.most if j == "all" else j))
        return self.letter(j).scaled(surely) + Form.parameter(f"{self.name(j)}, more")

    def value(self, kind: str, m: int, by_k: bool) -> Form:
        """T_m or S in the letters; `by_k`: k times it."""
        parts = []
        for j in self.letters:
            size = self.most if j == "all" else int(j)
            unit = self.times_k(j) if by_k else self.letter(j)
            if kind == "sum" and j == "all":
                if by_k and self.fixed is None:
                    raise NotAForm(f"a sum over {self.k} members is multiplied by {self.k}")
                parts.append(unit.scaled(Fraction(self.fixed or 1)) if by_k else self.times_k(j))
            else:
                parts.append(unit.scaled(Fraction(size if kind == "sum" else min(m, size))))
        return forms.total(parts)


def on_rays(
    compared: Sequence[Form], domains: Mapping[str, Domain]
) -> tuple[list[Form], Mapping[str, Domain]]:
    """The forms with the letters of families replaced, and the domains with the new letters.

    Raises NotAForm where a product with k is not covered.
    """
    if len(compared) == 1 and any(map(_read, compared[0].names)):
        lower = _squares_inside(compared[0], domains)
        compared = [_separated(lower, _composites_above(lower), domains)]
    rays = _rays(compared, domains)
    replaced = [_replaced(form, rays) for form in compared] if rays else list(compared)
    shifted = {name for form in replaced for name in _multiplied(form) if _least(name, domains) > 0}
    replaced = [_shifted(form, shifted, domains) for form in replaced]
    new = {name for form in replaced for name in form.names if " on " in name or name.endswith(", more")}
    return replaced, {**domains, **{name: NONNEGATIVE for name in new}}


def _least(name: str, domains: Mapping[str, Domain]) -> Fraction:
    return (domains[name].least or Fraction(0)) if name in domains else Fraction(0)


def _multiplied(form: Form) -> Iterator[str]:
    """The parameters that stand in products."""
    for term, _ in form.terms:
        if isinstance(term, Peak):
            for inner in term.of:
                yield from _multiplied(inner)
        elif len(term) > 1 or (term and term[0][1] > 1):
            yield from (name for name, _ in term)


def _shifted(form: Form, names: set[str], domains: Mapping[str, Domain]) -> Form:
    """x = least + (something ≥ 0) for each of the names, so that products show their sign."""
    if not names & form.names:
        return form
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            parts.append(forms.top(term.m, [_shifted(inner, names, domains) for inner in term.of]).scaled(c))
            continue
        value = Form.constant(c)
        for name, power in term:
            factor = Form.parameter(name)
            if name in names:
                factor = Form.constant(_least(name, domains)) + Form.parameter(f"{name}, more")
            for _ in range(power):
                value = value * factor
        parts.append(value)
    return forms.total(parts)


def _rays(compared: Sequence[Form], domains: Mapping[str, Domain]) -> dict[tuple[str, str], _Rays]:
    most: dict[tuple[str, str], int] = {}
    for form in compared:
        for name in form.names:
            if (found := _read(name)) and _nonnegative(found.family, domains):
                key = found.family, found.k
                m = found.m
                if m > LARGEST_TOP:
                    raise NotAForm(f"a sum of the {m} largest members")
                most[key] = max(most.get(key, 1), min(m, int(key[1])) if key[1].isdigit() else m)
    return {key: _Rays(*key, m, domains) for key, m in most.items()}


def _replaced(form: Form, rays: Mapping[tuple[str, str], _Rays]) -> Form:
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            parts.append(forms.top(term.m, [_replaced(inner, rays) for inner in term.of]).scaled(c))
        else:
            parts.append(_monomial(term, rays).scaled(c))
    return forms.total(parts)


def _monomial(term: Monomial, rays: Mapping[tuple[str, str], _Rays]) -> Form:
    powers = dict(term)
    value = Form.constant(1)
    for name, power in term:
        found = _read(name)
        if found is None or (found.family, found.k) not in rays:
            continue
        if power > 1:
            raise NotAForm(f"{name} is raised to a power")
        ray = rays[found.family, found.k]
        by_k = powers.get(ray.k, 0) > 0
        if by_k:
            powers[ray.k] -= 1
        del powers[name]
        value = value * ray.value(found.kind, min(found.m, ray.most), by_k)
    rest: Monomial = tuple((name, power) for name, power in powers.items() if power)
    return value * Form(((tuple(sorted(rest)), Fraction(1)),))


@dataclass(frozen=True)
class _Letter:
    """A worst case over a family as a letter: its kind, the m of top(m, …), the members and their number."""

    kind: str
    m: int
    family: str
    """The name e of members e[i], a composite "e[i] + 2*f[i]", or another member such as "e[i]**2"."""
    k: str


@lru_cache(maxsize=10_000)
def _read(name: str) -> _Letter | None:
    """The worst case that a letter is; None for other letters."""
    if found := _LETTER.fullmatch(name):
        return _Letter(found["kind"], int(found["m"] or 1), found["family"], found["k"])
    over = next(_overs(name), None)
    if over is None:
        return None
    m, x, k = over.args
    if m == k:
        return _Letter("sum", 1, formulas.to_text(x), formulas.to_text(k))
    return _Letter("max" if m == 1 else "top", int(m), formulas.to_text(x), formulas.to_text(k))


def _summands(x: sympy.Expr) -> dict[str, Fraction]:
    """The members that a composite one is a sum of, with positive rational factors; {} if it is none."""
    found = {}
    for part in x.as_ordered_terms():
        factor, letter = part.as_coeff_Mul()
        family = family_of(str(letter)) if letter.is_Symbol else None
        if family is None or not (factor.is_Rational and factor > 0):
            return {}
        found[family] = Fraction(int(factor.p), int(factor.q))
    return found


def _composite(family: str) -> dict[str, Fraction]:
    """The families and factors of a composite one; {} for a plain name."""
    if family.isidentifier():
        return {}
    return _summands(formulas.parse(family, {one: symbol(one) for one in formulas.names(family)}, index="i"))


def _nonnegative(family: str, domains: Mapping[str, Domain]) -> bool:
    """Whether the members of a family, plain or composite, are ≥ 0 for all allowed values."""
    if family.isidentifier():
        return domains[f"{family}[i]"].nonnegative
    member = formulas.parse(family, {one: symbol(one) for one in formulas.names(family)}, index="i")
    try:
        return forms.is_nonnegative(forms.read(member, domains), domains)
    except NotAForm:
        return False


def _squares_inside(form: Form, domains: Mapping[str, Domain]) -> Form:
    """A form that is at most this one: T_m(e²) for T_m(e)² where that is added, for members e[i] ≥ 0."""
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            if c > 0:
                parts.append(
                    forms.top(term.m, [_squares_inside(inner, domains) for inner in term.of]).scaled(c)
                )
            else:
                parts.append(Form(((term, c),)))
            continue
        value = Form.constant(c)
        for name, power in term:
            factor = Form.parameter(name)
            found = _read(name) if power > 1 and c > 0 else None
            if found and _nonnegative(found.family, domains) and forms.nonnegative(term, domains):
                over = next(_overs(name))
                m, x, k = over.args
                square = forms.read(Over(m, sympy.expand(x**2), k), domains)
                for _ in range(power // 2):
                    value = value * square
                power %= 2
            for _ in range(power):
                value = value * factor
        parts.append(value)
    return forms.total(parts)


def _composites_above(form: Form, sign: int = 1) -> frozenset[tuple[str, str]]:
    """The composite families that stand anywhere with a positive sign."""
    found: set[tuple[str, str]] = set()
    for term, c in form.terms:
        if isinstance(term, Peak):
            for inner in term.of:
                found |= _composites_above(inner, sign if c > 0 else -sign)
        elif c * sign > 0:
            letters = filter(None, (_read(name) for name, _ in term))
            found |= {(one.family, one.k) for one in letters if not one.family.isidentifier()}
    return frozenset(found)


def _separated(form: Form, kept: frozenset[tuple[str, str]], domains: Mapping[str, Domain]) -> Form:
    """A form that is at most this one: α·T_m(e) + β·T_m(f) for each T_m(α·e + β·f) with a negative sign.

    kept -- the composite families that are left as they are.
    """
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            inner = [_separated(one, kept, domains) for one in term.of]
            parts.append(forms.top(term.m, inner).scaled(c))
            continue
        value = Form.constant(c)
        for name, power in term:
            found = _read(name)
            factor = Form.parameter(name)
            apart = _composite(found.family) if found and (found.family, found.k) not in kept else {}
            if found and apart and power == 1 and forms.nonnegative(_without(term, name), domains):
                kind = "max" if found.m == 1 else f"top({found.m}"
                words = "max({}[i], i, 1, {})" if found.m == 1 else kind + ", {}[i], i, 1, {})"
                factor = forms.total(
                    Form.parameter(words.format(e, found.k)).scaled(c_) for e, c_ in apart.items()
                )
            for _ in range(power):
                value = value * factor
        parts.append(value)
    return forms.total(parts)


def _without(term: Monomial, name: str) -> Monomial:
    return tuple((other, power) for other, power in term if other != name)


def counts(compared: Sequence[Form]) -> list[str]:
    """The numbers of members, by name or as digits, of all families that occur."""
    found = {str(over.args[2]) for form in compared for name in form.names for over in _overs(name)}
    return sorted(found)


def written_out(form: Form, sizes: Mapping[str, int], domains: Mapping[str, Domain]) -> Form:
    """The form with every family written out member by member, for given numbers of members."""
    values = {name: Fraction(size) for name, size in sizes.items() if name in domains}
    return _written_out(form, sizes).with_values(values)


def _written_out(form: Form, sizes: Mapping[str, int]) -> Form:
    parts = []
    for term, c in form.terms:
        if isinstance(term, Peak):
            parts.append(forms.top(term.m, [_written_out(inner, sizes) for inner in term.of]).scaled(c))
            continue
        value = Form.constant(c)
        for name, power in term:
            over = next(_overs(name), None)
            factor = _number(name, sizes) if over is None else _members(over, sizes)
            for _ in range(power):
                value = value * factor if not factor.peaks else forms.spread(value, factor)
        parts.append(value)
    return forms.total(parts)


def _number(name: str, sizes: Mapping[str, int]) -> Form:
    """A parameter or atom; the number that it is where it depends on numbers of members only."""
    inside = () if name.isidentifier() else formulas.names(name)
    if not inside or not set(inside) <= set(sizes):
        return Form.parameter(name)
    expression = formulas.parse(name, {one: symbol(one) for one in inside})
    value = formulas.evaluate(expression, {one: Fraction(sizes[one]) for one in inside})
    return Form.parameter(name) if value is None else Form.constant(value)


def _members(over: Over, sizes: Mapping[str, int]) -> Form:
    m, x, k = over.args
    size = int(k) if k.is_Integer else sizes[str(k)]
    inner = forms.read(x, {str(one): POSITIVE for one in x.free_symbols})
    members = [_renamed(inner, j) for j in range(1, size + 1)]
    return forms.total(members) if m == k else forms.top(int(m), members)


def _renamed(form: Form, j: int) -> Form:
    """The form of the j-th member."""
    return forms.total(
        Form(((tuple(sorted((_member_name(name, j), power) for name, power in term)), c),))
        for term, c in form.monomials
    )


def _member_name(name: str, j: int) -> str:
    return name.replace("[i]", f"[{j}]") if moves(name) else name


def _overs(name: str) -> Iterator[Over]:
    """The family's worst case that a letter's name is, if it is one."""
    if ", i, 1, " in name:
        inside = {one: symbol(one) for one in formulas.names(name)}
        expression = formulas.parse(name, inside)
        if isinstance(expression, Over):
            yield expression


def member_domain(name: str, domains: Mapping[str, Domain]) -> Domain | None:
    """The domain of a parameter, or of the member e[3] of a family; None where there is none."""
    if name in domains:
        return domains[name]
    found = re.fullmatch(r"([A-Za-z_]\w*)\[[1-9][0-9]*\]", name)
    return domains.get(f"{found[1]}[i]") if found else None
