"""The one place that makes sympy symbols, each with the values it may take.

A parameter is a name together with a `Domain`: the set of values it ranges over.
`Symbol("e") != Symbol("e", positive=True)` in sympy, so no other file of dpcompose calls
`sympy.Symbol`; sympy is loaded where a symbol is first made.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from dpcompose.kernel.expressions import naming
from dpcompose.kernel.expressions.domains import NONNEGATIVE, POSITIVE, REAL, UNIT_INTERVAL, Domain

if TYPE_CHECKING:
    import sympy

__all__ = [
    "NONNEGATIVE",
    "POSITIVE",
    "REAL",
    "UNIT_INTERVAL",
    "Domain",
    "alike",
    "domain_of",
    "family_of",
    "is_unsaid",
    "member",
    "parameters",
    "simple",
    "spelled",
    "symbol",
]


@lru_cache(maxsize=256)
def simple(domain: Domain) -> tuple[Fraction, ...]:
    """A few allowed values, the usual one first.

    >>> [str(value) for value in simple(UNIT_INTERVAL)]
    ['1/2', '1/100', '1/1000000', '99/100']
    """
    tried = [Fraction(c) for c in (1, "1/2", "1/100", 100, 0, -1, 2, 3)]
    if domain.least is not None:
        values = [domain.least, domain.least + 1, domain.least + 2, domain.least + 100]
        tried = [*values, *tried] if domain.integer else [*tried, *values]
    if domain.least is not None and domain.least >= 1 and not domain.integer:  # such as orders of divergences
        tried = [Fraction(2), domain.least + Fraction(1, 10), Fraction(100), domain.least + 1, *tried]
    ends = [end for end in (domain.least, domain.greatest) if end is not None]
    if len(ends) == 2:
        middle, near = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 100
        tried += [middle, ends[0] + Fraction(1, 10**6), ends[1] - near]
    tried += [end + c for end in ends for c in (1, -1)]
    return tuple(value for value in dict.fromkeys(tried) if domain.contains(value))


def _assumptions(domain: Domain) -> Mapping[str, bool]:
    """What sympy is told of a symbol that ranges over the domain."""
    known = {"integer": True} if domain.integer else {"real": True}
    if domain.positive:
        known["positive"] = True
    elif domain.nonnegative:
        known["nonnegative"] = True
    return known


def alike(domain: Domain, other: Domain) -> bool:
    """Whether sympy is told the same of symbols that range over two domains."""
    return _assumptions(domain) == _assumptions(other)


def symbol(name: str, domain: Domain = POSITIVE) -> sympy.Symbol:
    """The sympy symbol of that name, with the assumptions that hold on all of its domain.

    >>> symbol("e1").is_positive, symbol("k", Domain.read("integer >= 2")).is_integer
    (True, True)
    """
    import sympy

    return sympy.Symbol(naming.spelled(name), **_assumptions(domain))


def spelled(one: sympy.Symbol) -> sympy.Symbol:
    """The same symbol with its name in ASCII: ε as epsilon."""
    import sympy

    return sympy.Symbol(naming.spelled(one.name), **one.assumptions0)


def is_unsaid(one: sympy.Symbol) -> bool:
    """Whether a symbol says nothing of the values that it may take, as sympy.Symbol("e")."""
    return not set(one.assumptions0) - {"commutative"}


def member(family: str, index: int | str = "i", domain: Domain = POSITIVE) -> sympy.Symbol:
    """e[i], the parameter of the i-th mechanism of a family; e[3] is that of the third.

    >>> member("e"), member("e", 3)
    (e[i], e[3])
    """
    return symbol(naming.member(family, index), domain)


def family_of(name: str) -> str | None:
    """The family whose general member e[i] a name is; None for other names.

    >>> family_of("e[i]"), family_of("e[3]"), family_of("e")
    ('e', None, None)
    """
    said = naming.read(name)
    return said.base if said.is_general else None


def domain_of(symbol: sympy.Symbol) -> Domain:
    """The domain that a symbol's own assumptions state.

    Raises ValueError for a symbol without a sign: what is meant by its name alone is unknown.

    >>> str(domain_of(symbol("x", Domain.read("real"))))
    'real'
    """
    if symbol.is_integer and symbol.is_extended_nonnegative:
        return Domain(least=Fraction(1 if symbol.is_positive else 0), integer=True)
    if symbol.is_positive:
        return POSITIVE
    if symbol.is_nonnegative:
        return NONNEGATIVE
    if symbol.is_real and not symbol.is_integer:
        return REAL
    raise ValueError(
        f"the values that {symbol} may take are not known: make it with "
        f'dpcompose.parameters("{symbol}"), which is positive, or state its domain'
    )


def parameters(names: str, domain: str = "positive") -> tuple[sympy.Symbol, ...]:
    """Parameters, as sympy symbols; `names` as in `sympy.symbols` ("e1 e2", "epsilon_1:3").

    domain -- positive (default), nonnegative, real, or integer >= 0 or >= 1.  Other
    domains, such as in (0,1), do not fit into a sympy symbol: give them to
    `dpcompose.compose(..., parameters={"delta": "in (0,1)"})`.

    Raises ValueError for values that sympy cannot say, as in (0,1): `compose` takes these by name.

    >>> parameters("epsilon_1:3")
    (epsilon_1, epsilon_2)
    """
    import sympy

    wanted = Domain.read(domain)
    made = cast(
        "tuple[sympy.Symbol, ...]", sympy.symbols(names, seq=True, cls=lambda name: symbol(name, wanted))
    )
    for one in made:
        if domain_of(one) != wanted:
            raise ValueError(
                f"a sympy symbol cannot say {domain!r}; make it positive here and give "
                f'the domain to dpcompose.compose(..., parameters={{"{one}": "{domain}"}})'
            )
    return made
