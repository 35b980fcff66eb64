"""Guarantees in numbers: their exact value at given parameters, and parameters for a given total."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import sympy

from dpcompose.front.documents.bound import Bound
from dpcompose.front.documents.document import Best
from dpcompose.kernel.expressions import naming, substitution
from dpcompose.kernel.expressions.grammar import natural
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.language import formulas
from dpcompose.language.decimals import decimal as exactly
from dpcompose.language.symbols import Domain, family_of, symbol
from dpcompose.language.worstcase import Over, Top
from dpcompose.privacy.notions import Guarantee

DIGITS = 6
"""How many significant digits a decimal approximation has."""

MOST_MEMBERS = 1_000
"""The most members of a family that are written out one by one."""


class WrongValue(ValueError):
    """A number is given that is none, or not allowed, or for no parameter; the message says which."""


class NoBudget(ValueError):
    """No parameters are found for a total; the message says why, and what would help."""


class NotSolved(NoBudget):
    """The guarantee is not of a form in which it is solved exactly."""


# numbers as people write and read them


def read_values(text: str) -> dict[str, str]:
    """What the command's "e1=1/2, e2=max(1,2)" says, as texts by name.  Raises WrongValue.

    >>> read_values("e1=1/2, e[3]=max(1,2)")
    {'e1': '1/2', 'e[3]': 'max(1,2)'}
    """
    values: dict[str, str] = {}
    for part in re.split(r",(?=[^,=]*=)", text):
        name, equals, value = (one.strip() for one in part.partition("="))
        if not (name and equals and value):
            raise WrongValue(f"{part.strip()!r} says nothing; values are written e1=1/2,e2=1")
        if name in values:
            raise WrongValue(f"{name} is given twice")
        values[name] = value
    return values


def decimal(value: sympy.Expr, up: bool) -> str | None:
    """A number in decimals, rounded to the safe side; None where parameters are left in it, or for oo.

    >>> decimal(sympy.sqrt(2), up=True), decimal(sympy.Rational(1, 3), up=False)
    ('1.41422', '0.333333')
    """
    if not value.is_number or value is sympy.oo or value.has(Top):
        return None
    found = Decimal(str(sympy.N(value, 10 * DIGITS)))
    rounded = Context(DIGITS, ROUND_CEILING if up else ROUND_FLOOR).plus(found)
    plain = f"{rounded:f}" if -DIGITS <= rounded.adjusted() < 2 * DIGITS else f"{rounded:e}"
    return plain.rstrip("0").rstrip(".") if "." in plain and "e" not in plain else plain


def shown(value: sympy.Expr, up: bool = True) -> str:
    """A number exactly, and what it is in decimals, which is marked where it is not exact.

    >>> shown(sympy.sqrt(2)), shown(sympy.Rational(3, 2)), shown(sympy.Integer(2))
    ('sqrt(2), approximately 1.41422 (rounded up)', '3/2 = 1.5', '2')
    """
    text, digits = formulas.to_text(value), decimal(value, up)
    if digits is None or digits == text:
        return text
    if value.is_Rational and Fraction(digits) == Fraction(int(value.p), int(value.q)):
        return f"{text} = {digits}"
    return f"{text}, approximately {digits} (rounded {'up' if up else 'down'})"


def listed(values: Mapping[str, sympy.Expr]) -> str:
    """e1 = 1/2, e2 = 1."""
    return ", ".join(f"{name} = {formulas.to_text(value)}" for name, value in values.items())


# a guarantee at given parameters


def at(
    bound: Best, values: Mapping[Any, object], of: Mapping[str, sympy.Expr] | None = None
) -> dict[str, sympy.Expr]:
    """The parameters of the best guarantee, exact, with numbers in place of those of the setting.

    of -- other formulas by name, such as those of a claim;
    values -- numbers by name or symbol, for some parameters or all; of a family e[i] the value of
    all its members is called e, and that of the third e[3].  Raises WrongValue.
    """
    numbers = given_numbers(bound, values)
    setting, members = bound.setting, {}
    known: dict[str, sympy.Expr] = dict(setting.symbols) | {
        name: number for name, number in numbers.items() if name in setting.domains
    }
    if apart := sorted({said.base for said in map(naming.read, numbers) if said.index is not None}):
        k = _count(bound, apart[0], known)
        for family in apart:
            rest = known.pop(naming.general(family))
            domain = setting.domains[naming.general(family)]
            names = [naming.member(family, i) for i in range(1, k + 1)]
            each = [symbol(name, domain) if rest.free_symbols else rest for name in names]
            for said in map(naming.read, numbers):
                if said.base == family and said.index is not None and not 1 <= said.index <= k:
                    raise WrongValue(f"{family} has the members 1 to {k}, not {said.index}")
            members[family] = [numbers.get(name, x) for name, x in zip(names, each, strict=True)]
    if of is None:
        of = bound.values
    return {key: _number_if_all_are(_with(value, known, members)) for key, value in of.items()}


def composed(bound: Bound, values: Mapping[Any, object]) -> dict[str, sympy.Expr]:
    """What the notion's rule gives where every input moves by one step: the sum, for pure privacy."""
    head = bound.steps.theory.rule(bound.guarantee.notion).head
    mechanisms = bound.setting.mechanisms
    found = {}
    for key, text in head.composition.items():
        symbols = [symbol(f"x{i}") for i in range(1, len(mechanisms) + 1)]
        k = sympy.Integer(len(mechanisms))
        squared = key in head.squared
        # Each family counts as one, of the sum of its members or of their squares.
        parts = {}
        for x, mechanism in zip(symbols, mechanisms, strict=True):
            stated = mechanism.satisfies[key]
            if mechanism.count is not None:
                many = Over(mechanism.count, stated**2 if squared else stated, mechanism.count)
                stated = sympy.sqrt(many) if squared else many
            parts[x] = stated
        formula = formulas.parse(text, {"k": k}, {key: symbols})
        if any(one is sympy.oo for one in parts.values()):
            found[key] = sympy.oo
        else:
            found |= at(bound, values, {key: formula.xreplace(parts)})
    return found


def _number_if_all_are(value: sympy.Expr) -> sympy.Expr:
    """Worst cases of a few irrational numbers as the largest of them; other formulas as they are."""
    tops = value.atoms(Top)
    few = all(comb(len(top.terms), int(top.args[0])) <= MOST_MEMBERS for top in tops)
    return value.doit() if value.is_number and few else value


def _with(
    value: sympy.Expr, known: Mapping[str, sympy.Expr], members: Mapping[str, list[sympy.Expr]]
) -> sympy.Expr:
    """A formula with values for its parameters, families of different members written out."""

    def changed(it: sympy.Expr) -> sympy.Expr:
        if it.is_Symbol:
            return known.get(it.name, it)
        if isinstance(it, Over) and members:
            m, x, last = (changed(part) for part in it.args)
            families = [f for one in x.free_symbols if (f := family_of(one.name)) in members]
            if families:
                terms = [
                    x.xreplace({one: members[f][i] for one in x.free_symbols if (f := family_of(one.name))})
                    for i in range(int(last))
                ]
                return sympy.Add(*terms) if m >= last else Top(m, *terms)
            return Over(m, x, last)
        return it if it.is_Atom else it.func(*map(changed, it.args))

    return changed(value)


def _count(bound: Best, family: str, known: Mapping[str, sympy.Expr]) -> int:
    """How many members a family has.  Raises WrongValue where that is not said, or too many to write out."""
    for mechanism in bound.setting.mechanisms:
        names = {str(one) for _, value in mechanism.satisfies.values for one in value.free_symbols}
        if mechanism.count is not None and naming.general(family) in names:
            count = known.get(str(mechanism.count), mechanism.count)
            if not count.is_Integer:
                raise WrongValue(f"say how many members {family}[1], {family}[2], ... there are: {count}=10")
            if count > MOST_MEMBERS:
                raise WrongValue(f"{count} members are too many to write out; say {family}=..., for all")
            return int(count)
    raise WrongValue(f"there is no family {naming.general(family)}")


def given_numbers(bound: Best, values: Mapping[Any, object]) -> dict[str, sympy.Expr]:
    """Given values as numbers, by the names of the setting's parameters or of members of its families."""
    domains = bound.setting.domains
    numbers: dict[str, sympy.Expr] = {}
    for given, value in values.items():
        name = str(given)
        if name not in domains and (general := naming.general(name)) in domains:
            name = general
        said = naming.read(name)
        domain = domains.get(name if said.index is None else naming.general(said.base))
        if domain is None:
            there = ", ".join(family_of(one) or one for one in domains)
            raise WrongValue(f"{name} is no parameter; there are {there}")
        number = as_number(name, value)
        if not allowed(number, domain):
            raise WrongValue(f"{name} = {number} is not allowed: {name} is {domain}")
        numbers[name] = number
    if wrong := _excluded(bound, numbers):
        raise WrongValue(f"{wrong} is assumed, and does not hold there")
    return numbers


def _excluded(bound: Best, numbers: Mapping[str, sympy.Expr]) -> str:
    """An assumption about the parameters that is seen not to hold at some numbers; "" where none is."""
    known = {name: formulas.term(value) for name, value in numbers.items()}
    for one in bound.setting.assume:
        left = substitution.substituted(one.term, known)
        if left.letters:
            continue
        found = sign(left)
        if found is not None and (found < 0 or (one.strictly and found == 0)):
            return str(one)
    return ""


def as_number(name: str, value: object) -> sympy.Expr:
    """What is given for a name, an exact number.  Raises WrongValue."""
    try:
        number = formulas.from_python(value)
    except formulas.FormulaError as error:
        raise WrongValue(f"{name} = {value}: {error.message}") from None
    if not number.is_number or not number.is_real:
        raise WrongValue(f"{name} is to be a number, not {number}")
    return number


def allowed(number: sympy.Expr, domain: Domain) -> bool:
    """Whether a parameter of this domain may have an exact value, rational or not."""
    if number.is_Rational:
        return domain.contains(Fraction(int(number.p), int(number.q)))
    if not number.is_real or domain.integer:
        return False
    ends = ((domain.least, 1), (domain.greatest, -1))
    return all(end is None or bool(sign * (number - sympy.Rational(end)) > 0) for end, sign in ends)


# parameters for a total


@dataclass(frozen=True, repr=False)
class Budget:
    """Parameters in given proportions for which the guarantee is a wanted total.

    parameters -- the exact values, by name (of a family e[i], that of each member);
    fixed -- those that were given; guarantee -- its parameters at these values;
    largest -- True: larger ones in these proportions exceed the total; False: smaller ones do, as where
    the guarantee is 1/e1; beyond -- where the total is not solved exactly, the parameters on its other side;
    exceeded -- whether it is known to be exceeded there; summed -- whether the guarantee is that of the
    notion's rule, where a closer one is no power of a common factor: then larger ones may keep the total.
    """

    bound: Bound
    parameters: Mapping[str, sympy.Expr]
    fixed: Mapping[str, sympy.Expr]
    guarantee: Mapping[str, sympy.Expr]
    largest: bool
    beyond: Mapping[str, sympy.Expr] = field(default_factory=dict)
    exceeded: bool = True
    summed: bool = False

    def __repr__(self) -> str:
        return f"{listed(self.parameters)}, for {listed(self.guarantee)}"

    def __str__(self) -> str:
        rows = [f"{name} = {self._shown(value, not self.largest)}" for name, value in self.parameters.items()]
        rows += [f"{name} = {shown(value)} (given)" for name, value in self.fixed.items()]
        reached = [f"{name} = {self._shown(value, True)}" for name, value in self.guarantee.items()]
        rows.append(f"the guarantee is then {', '.join(reached)}")
        if self.summed:
            rows.append("that is the sum; the guarantee itself is closer, and slightly larger ones may do")
        if self.beyond:
            said = "the total is exceeded" if self.exceeded else "it is not known to be kept"
            at = (f"{name} = {self._shown(value, self.largest)}" for name, value in self.beyond.items())
            rows.append(f"at {', '.join(at)} {said}")
        return "\n".join(rows)

    def _shown(self, value: sympy.Expr, up: bool) -> str:
        """A number; one that was looked for among decimals as the decimal that it is."""
        decimals = self.beyond and value.is_Rational
        return exactly(Fraction(int(value.p), int(value.q))) if decimals else shown(value, up)

    def _rows(self) -> list[list[str]]:
        """A parameter, its exact value, and what that is approximately."""
        from dpcompose.language.latex import latex, name_latex

        return [
            [f"${name_latex(name)}$", f"${latex(value)}$", decimal(value, up) or ""]
            for some, up in ((self.parameters, not self.largest), (self.fixed, True), (self.guarantee, True))
            for name, value in some.items()
        ]

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.table(["", "exactly", "approximately"], self._rows())

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers.latex import tabular

        return tabular([["", "exactly", "approximately"], *self._rows()])

    def data(self) -> dict[str, Any]:
        """As JSON: exact values as formulas, and approximations, which are rounded to the safe side."""
        other = {"beyond": as_texts(self.beyond), "exceeded": self.exceeded} if self.beyond else {}
        return other | {
            "parameters": as_texts(self.parameters),
            "given": as_texts(self.fixed),
            "guarantee": as_texts(self.guarantee),
            "approximately": approximations(self.parameters, up=not self.largest),
        }


def as_texts(values: Mapping[str, sympy.Expr]) -> dict[str, str]:
    return {name: formulas.to_text(value) for name, value in values.items()}


def approximations(values: Mapping[str, sympy.Expr], up: bool) -> dict[str, str]:
    found = {name: decimal(value, up) for name, value in values.items()}
    return {name: digits for name, digits in found.items() if digits is not None}


def budget(
    bound: Bound,
    total: Guarantee,
    weights: Mapping[Any, object] | None = None,
    fixed: Mapping[Any, object] | None = None,
) -> Budget:
    """The parameters weight·t for which the best guarantee is the total, solved exactly.

    The guarantee at weight·t must be made of powers of t by adding numbers, positive factors and worst
    cases, as it is where mechanisms are private in sums of parameters or in their multiples.  Of two
    parameters, as (ε, δ), the first is solved first, for the parameters in it; the second for those that
    are left.  weights -- positive numbers by name, else 1; fixed -- parameters that have a value, such as
    how many mechanisms there are.  Raises NoBudget, WrongValue.
    """
    if total.notion != bound.guarantee.notion:
        raise WrongValue(f"the guarantee is {bound.guarantee.notion}, and the total is {total.notion}")
    given = given_numbers(bound, fixed or {})
    weight = given_weights(bound, weights or {})
    left = at(bound, fixed or {})
    found: dict[str, sympy.Expr] = {}
    reached: dict[str, sympy.Expr] = {}
    signs = set()
    for key, wanted in total.values:
        g = _with(left[key], found, {})
        solved = _for_total(bound, key, g, wanted, weight)
        reached[key] = g if solved is None else wanted
        if solved is not None:
            found |= solved[0]
            signs.add(solved[1])
    if wrong := _excluded(bound, {**given, **found}):
        raise NoBudget(f"{listed(found)} would be needed, where {wrong}, which is assumed, does not hold")
    if len(signs) != 1:
        raise NoBudget("no parameter is left to choose" if not signs else "some parameters must be large")
    return Budget(
        bound,
        {family_of(name) or name: value for name, value in found.items()},
        {family_of(name) or name: value for name, value in given.items()},
        reached,
        signs == {True},
    )


def _for_total(
    bound: Bound, key: str, g: sympy.Expr, wanted: sympy.Expr, weight: Mapping[str, sympy.Expr]
) -> tuple[dict[str, sympy.Expr], bool] | None:
    """The parameters in g for which it is the wanted total, and what `_solved` says of them; None where g has
    none to choose.  Raises NoBudget, WrongValue."""
    if not (wanted.is_number and wanted.is_nonnegative and wanted.is_finite):
        raise WrongValue(f"the total {key} is a number, at least 0, not {wanted}")
    domains = bound.setting.domains
    for one in sorted(g.free_symbols, key=str):
        if domains[one.name].integer:
            raise NoBudget(f"{one} counts something: say its value, such as {one.name}=10")
    t = symbol("t")
    scaled = {one.name: weight.get(one.name, sympy.Integer(1)) * t for one in g.free_symbols}
    solved = _solved(key, _with(g, scaled, {}), wanted, t)
    if solved is None:
        return None
    found = {}
    for one in sorted(g.free_symbols, key=lambda one: natural(one.name)):
        found[one.name] = value = scaled[one.name].subs(t, solved[0])
        if not allowed(value, domain := domains[one.name]):
            raise NoBudget(
                f"{key} = {wanted} would need {one} = {value}, which is not allowed: {one} is {domain}"
            )
    return found, solved[1]


def given_weights(bound: Bound, weights: Mapping[Any, object]) -> dict[str, sympy.Expr]:
    domains, found = bound.setting.domains, {}
    for given, value in weights.items():
        name = str(given) if str(given) in domains else naming.general(str(given))
        if name not in domains:
            there = ", ".join(family_of(one) or one for one in domains)
            raise WrongValue(f"{given} is no parameter; there are {there}")
        number = as_number(name, value)
        if not number.is_positive:
            raise WrongValue(f"the weight of {given} is a positive number, not {number}")
        found[name] = number
    return found


def _solved(key: str, g: sympy.Expr, wanted: sympy.Expr, t: sympy.Symbol) -> tuple[sympy.Expr, bool] | None:
    """The t > 0 from which g(t) > wanted, and True; or up to which, and False; None where there is none.

    g is c·tⁿ with n ≠ 0, or made of such by adding numbers, positive factors, positive powers, maxima.
    Raises NoBudget where it is not, or where it is larger than wanted for all t.
    """
    if g.has(sympy.oo):
        raise NoBudget(f"there is no finite {key}, so no parameters reach a total")
    if not g.has(t):
        if sympy.N(g - wanted, 10 * DIGITS) > 0:
            raise NoBudget(f"{key} is at least {g} where {wanted} is left, whatever the parameters are")
        return None
    n, factor = degree(g), _number_if_all_are(g.subs(t, 1))
    if n and factor.is_positive:
        if not wanted.is_positive:
            raise NoBudget(f"nothing is left of the total {key} for parameters above 0")
        return sympy.powsimp((wanted / factor) ** (1 / n)), bool(n > 0)
    number, rest = g.as_coeff_Add() if g.is_Add else g.as_coeff_Mul()
    if g.is_Add:
        constants, rest = g.as_independent(t, as_Add=True)
        if constants != 0:
            return _solved(key, rest, wanted - constants, t)
    elif g.is_Mul and number > 0 and number != 1:
        return _solved(key, rest, wanted / number, t)
    elif g.is_Pow and g.exp.is_Rational and g.exp > 0:
        return _solved(key, g.base, wanted ** (1 / g.exp), t)
    elif isinstance(g, Top) and comb(len(g.terms), int(g.args[0])) <= MOST_MEMBERS:
        sums = [sympy.Add(*some) for some in combinations(g.terms, int(g.args[0]))]
        found = [one for x in sums if (one := _solved(key, x, wanted, t)) is not None]
        if len({grows for _, grows in found}) == 1:
            grows = found[0][1]
            ends = sorted((x for x, _ in found), key=lambda x: sympy.N(x, 10 * DIGITS))
            return ends[0 if grows else -1], grows
    raise NotSolved(
        f"{key} is no constant, power or worst case of these in a common factor t of the parameters: "
        f"{formulas.to_text(g)}, which is not solved exactly. Values for some parameters (at) may help"
    )


def degree(g: sympy.Expr) -> sympy.Rational | None:
    """The n with g(t·x) = tⁿ·g(x) for all t > 0, where one is seen; else None.

    >>> e, m = symbol("e1"), symbol("m1")
    >>> degree(e + Top(1, 2 * e, m)), degree(sympy.sqrt(e**2 + m**2)), degree(1 / e), degree(e + 1)
    (1, 1, -1, None)
    """
    if g.is_number:
        return sympy.Integer(0)
    if g.is_Symbol:
        return sympy.Integer(1)
    if g.is_Pow and g.exp.is_Rational:
        below = degree(g.base)
        return None if below is None else below * g.exp
    if g.is_Mul:
        degrees = [degree(factor) for factor in g.args]
        return None if None in degrees else sympy.Add(*degrees)
    if isinstance(g, Over):
        return degree(g.args[1]) if g.args[2].is_number else None
    if g.is_Add or isinstance(g, Top):
        terms = [term for term in (g.terms if isinstance(g, Top) else g.args) if term != 0]
        degrees = [degree(term) for term in terms]
        return degrees[0] if len(set(degrees)) == 1 else None
    return None
