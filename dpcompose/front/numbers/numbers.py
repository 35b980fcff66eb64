"""Guarantees in numbers: their exact value at given parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents.bound import Bound
from dpcompose.front.documents.document import Best
from dpcompose.kernel.expressions import naming, substitution
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.answers import NoAnswer
from dpcompose.language.symbols import Domain, family_of, symbol

if TYPE_CHECKING:
    import sympy

DIGITS = 6
"""How many significant digits a decimal approximation has."""

MOST_MEMBERS = 1_000
"""The most members of a family that are written out one by one."""


class WrongValue(ValueError):
    """A number is given that is none, or not allowed, or for no parameter; the message says which."""


class NoBudget(NoAnswer):
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

    >>> import sympy
    >>> decimal(sympy.sqrt(2), up=True), decimal(sympy.Rational(1, 3), up=False)
    ('1.41422', '0.333333')
    """
    import sympy

    from dpcompose.language.worstcase import Top

    if not value.is_number or value is sympy.oo or value.has(Top):
        return None
    found = Decimal(str(sympy.N(value, 10 * DIGITS)))
    rounded = Context(DIGITS, ROUND_CEILING if up else ROUND_FLOOR).plus(found)
    plain = f"{rounded:f}" if -DIGITS <= rounded.adjusted() < 2 * DIGITS else f"{rounded:e}"
    return plain.rstrip("0").rstrip(".") if "." in plain and "e" not in plain else plain


def shown(value: sympy.Expr, up: bool = True) -> str:
    """A number exactly, and what it is in decimals, which is marked where it is not exact.

    >>> import sympy
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
    return {key: number_if_all_are(with_values(value, known, members)) for key, value in of.items()}


def composed(bound: Bound, values: Mapping[Any, object]) -> dict[str, sympy.Expr]:
    """What the notion's rule gives where every input moves by one step: the sum, for pure privacy."""
    import sympy

    from dpcompose.language.worstcase import Over

    head = bound.steps.theory.rule(bound.guarantee.notion).head
    mechanisms = bound.setting.mechanisms
    exprs = {}
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
        if any(part is sympy.oo for part in parts.values()):
            exprs[key] = sympy.oo
        else:
            exprs |= at(bound, values, {key: formula.xreplace(parts)})
    return exprs


def number_if_all_are(value: sympy.Expr) -> sympy.Expr:
    """Worst cases of a few irrational numbers as the largest of them; other formulas as they are."""
    from dpcompose.language.worstcase import Top

    tops = value.atoms(Top)
    few = all(comb(len(top.terms), int(top.args[0])) <= MOST_MEMBERS for top in tops)
    return value.doit() if value.is_number and few else value


def with_values(
    value: sympy.Expr, known: Mapping[str, sympy.Expr], members: Mapping[str, list[sympy.Expr]]
) -> sympy.Expr:
    """A formula with values for its parameters, families of different members written out."""
    import sympy

    from dpcompose.language.worstcase import Over, Top

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


def by_name(values: Any) -> Mapping[Any, Any]:
    """Values by the names of parameters, or by their symbols.  Raises WrongValue for what is no mapping."""
    if not hasattr(values, "keys"):  # as a mapping has, and a budget
        raise WrongValue(f'values are by name, such as {{"e1": "1/2"}}, not {values!r}')
    return dict(values)


def given_numbers(bound: Best, values: Mapping[Any, object]) -> dict[str, sympy.Expr]:
    """Given values as numbers, by the names of the setting's parameters or of members of its families."""
    domains = bound.setting.domains
    numbers: dict[str, sympy.Expr] = {}
    for given, value in by_name(values).items():
        name = str(given)
        if name not in domains and (general := naming.general(name)) in domains:
            name = general
        read = naming.read(name)
        domain = domains.get(name if read.index is None else naming.general(read.base))
        if domain is None:
            there = ", ".join(family_of(one) or one for one in domains)
            raise WrongValue(f"{name} is no parameter; there are {there}")
        number = as_number(name, value)
        if not allowed(number, domain):
            raise WrongValue(f"{name} = {number} is not allowed: {name} is {domain}")
        numbers[name] = number
    if wrong := excluded(bound, numbers):
        raise WrongValue(f"{wrong} is assumed, and does not hold there")
    return numbers


def excluded(bound: Best, numbers: Mapping[str, sympy.Expr]) -> str:
    """An assumption about the parameters that is seen not to hold at some numbers; "" where none is."""
    known = {name: formulas.term(value) for name, value in numbers.items()}
    for assumption in bound.setting.assume:
        left = substitution.substituted(assumption.term, known)
        if left.letters:
            continue
        number = sign(left)
        if number is not None and (number < 0 or (assumption.strictly and number == 0)):
            return str(assumption)
    return ""


def as_term(name: str, value: object) -> Term:
    """What is given for a name, a formula.  Raises WrongValue."""
    try:
        return formulas.term(value)
    except formulas.FormulaError as error:
        raise WrongValue(f"{name} = {value}: {error.message}") from None


def as_number(name: str, value: object) -> sympy.Expr:
    """What is given for a name, an exact number.  Raises WrongValue."""
    number = formulas.expression(as_term(name, value))
    if not number.is_number or not number.is_real:
        raise WrongValue(f"{name} is to be a number, not {number}")
    return number


def allowed(number: sympy.Expr, domain: Domain) -> bool:
    """Whether a parameter of this domain may have an exact value, rational or not."""
    import sympy

    if number.is_Rational:
        return domain.contains(Fraction(int(number.p), int(number.q)))
    if not number.is_real or domain.integer:
        return False
    ends = ((domain.least, 1), (domain.greatest, -1))
    return all(end is None or bool(sign * (number - sympy.Rational(end)) > 0) for end, sign in ends)


def as_texts(values: Mapping[str, sympy.Expr]) -> dict[str, str]:
    return {name: formulas.to_text(value) for name, value in values.items()}


def approximations(values: Mapping[str, sympy.Expr], up: bool) -> dict[str, str]:
    decimals = {name: decimal(value, up) for name, value in values.items()}
    return {name: digits for name, digits in decimals.items() if digits is not None}
