"""What rules share: what premises say, what is claimed, and formulas read for a setting.

Premises are theorems, already checked to be about the same setting (but for `study`).  What a rule returns is
the judgement that it concludes, and the pages and deciders that this step rests on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from dpcompose.kernel.composition.losses import Values
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.core.lines import RATE
from dpcompose.kernel.core.orders import ALPHA, Orders
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.kernel.judgements import Covers, Judgement, OfOrders, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory

Found = tuple[Judgement, Grounds]
"""What a rule concludes, and the pages and deciders that it uses."""


J = TypeVar("J")


class Premise(Protocol):
    """A theorem: what it says, and the hash of the setting that it is about."""

    @property
    def says(self) -> Judgement: ...

    @property
    def setting(self) -> str: ...


Premises = Sequence[Premise]


class BadStep(ValueError):
    """A rule does not give what it is used for; the message says why."""


def said(premises: Premises, *kinds: Any) -> list[Any]:
    """What the premises say: one judgement of each kind, in order; any number more of one before `...`."""
    every, more = (kinds[:-1], len(premises) - len(kinds) + 1) if kinds[-1:] == (...,) else (kinds, 0)
    wanted, judgements = [*every, *every[-1:] * more], [premise.says for premise in premises]
    if len(judgements) != len(wanted) or not all(map(isinstance, judgements, wanted)):
        names = [kind.__name__ for kind in every] + ["..."] * (len(kinds) - len(every))
        raise BadStep(f"the premises are to be {', '.join(names) or 'none'}")
    return judgements


def one_of(premises: Premises, kind: type[J]) -> J:
    """What the only premise says."""
    if len(premises) != 1 or not isinstance(premises[0].says, kind):
        raise BadStep(f"the only premise is to be {kind.__name__}")
    return premises[0].says


def claimed(
    data: Any, setting: Setting, theory: Theory, letters: Mapping[str, Term] | None = None
) -> Satisfies:
    """A claimed guarantee from its data: {"notion": …, "epsilon": formula, …}; of divergences at the orders
    of the setting, which it may say as well.

    letters -- what formulas are in; left out, the letters of the setting.
    """
    symbols = setting.symbols if letters is None else letters
    if not isinstance(data, Mapping) or not isinstance(data.get("notion"), str):
        raise BadStep("a claim is a notion with its parameters")
    head = theory.rule(data["notion"]).head
    wanted = head.parameters
    if head.ordered:
        data = _at_own_orders(data, setting)
    elif head.lines:
        symbols = {**symbols, ALPHA: RATE}
    else:
        symbols = {
            name: symbol for name, symbol in symbols.items() if setting.orders is None or name != ALPHA
        }
    if set(data) != {"notion", *wanted}:
        raise BadStep(f"a claim of {data['notion']} privacy has {', '.join(wanted)}")
    if not all(isinstance(data[key], str) for key in wanted):
        raise BadStep("what a claim says of a parameter is a formula")
    for key in wanted:
        if why := has_values.doubt(data[key], symbols, assumed=setting.assumed):
            raise BadStep(f"{key} of the claim may have no value: {why}")
    values = ((key, formulas.parse(data[key], symbols)) for key in wanted)
    return Satisfies(data["notion"], tuple(values))


def claimed_of(known: Satisfies, data: Any, setting: Setting, theory: Theory) -> Satisfies:
    """A claimed guarantee in the notion of one that holds."""
    guarantee = claimed(data, setting, theory)
    if known.notion != guarantee.notion:
        raise BadStep(f"the guarantee is about {known.notion}")
    return guarantee


def type_of(covered: Covers, n: int) -> Type:
    """The n-th type of a cover."""
    if not isinstance(n, int) or not 1 <= n <= len(covered.cover.types):
        raise BadStep(f"there is no type {n!r}")
    return covered.cover.types[n - 1]


def _at_own_orders(data: Mapping[str, Any], setting: Setting) -> Mapping[str, Any]:
    """A claim on divergences without its orders, which are those of the setting."""
    if setting.orders is None:
        raise BadStep("the setting does not say of which orders divergences are spoken")
    given = data.get("orders", str(setting.orders))
    if not isinstance(given, str) or Orders.read(given) != setting.orders:
        raise BadStep(f"the claim is about the orders {given}, and the setting speaks of {setting.orders}")
    return {key: value for key, value in data.items() if key != "orders"}


def of_other_orders(claim: Any, setting: Setting, theory: Theory) -> OfOrders | None:
    """A claim on divergences of other orders than those of the setting that says nothing: its parameter is ∞.
    None where it is another one."""
    if not isinstance(claim, Mapping) or not isinstance(claim.get("notion"), str) or "orders" not in claim:
        return None
    head, read = theory.rule(claim["notion"]).head, Orders.read(str(claim["orders"]))
    if read == setting.orders or not head.ordered or set(claim) != {"notion", "orders", *head.parameters}:
        return None
    if any(claim[key] != "oo" for key in head.parameters):
        return None
    return OfOrders(str(read), Satisfies(claim["notion"], tuple((key, INFINITY) for key in head.parameters)))


def conversion(theory: Theory, id: str, notion: str) -> Any:
    """A conversion page from a notion."""
    page = theory.page(id, "conversion")
    if page.head.from_ != notion:
        raise BadStep(f"{id} converts {page.head.from_}, not {notion}")
    return page


def check_key(guarantee: Satisfies, key: str) -> None:
    """Raises BadStep where a guarantee has no such parameter."""
    if key not in dict(guarantee.values):
        raise BadStep(f"{guarantee.notion} privacy has no parameter {key!r}")


def read_values(texts: Mapping[str, str], setting: Setting) -> Values:
    """Parameters by name, from formulas."""
    return tuple((key, formulas.parse(text, setting.symbols)) for key, text in sorted(texts.items()))


def check_always_there(setting: Setting, *where: Assumption) -> None:
    """Raises BadStep where some types are those of neighbours only for some numbers of records or members."""
    if where:
        raise BadStep(f"that holds only where {where[0]}: a smaller guarantee may hold for other numbers")
    if not sizes.are_always_there(setting):
        raise BadStep("for fewer records there are fewer neighbours: a smaller guarantee may hold for these")
