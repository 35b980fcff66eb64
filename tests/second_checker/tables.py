"""Mechanisms that are tables of probabilities on listed databases: what they satisfy, and what they lose."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from second_checker import lists, profiles
from second_checker.algebra import Algebra
from second_checker.forms import Form, add, minus, number, scale
from second_checker.outcomes import NotRead, demand
from second_checker.samples import demand_sign, without_quotients

if TYPE_CHECKING:
    from second_checker.losses import Losses


def agree(problem: Any, said: Any, one: Any, parameters: Any) -> None:
    """Rejects another table than that of the problem file."""
    demand(problem["databases"]["kind"] == "listed" and "table" in one, "a table of no listed databases")
    chart, own = problem["tables"][said["table"]], one["table"]
    elements = sorted(problem["databases"]["elements"])
    names = elements
    if own["on"] == "inputs" and said.get("reads", "everything") != "everything":
        numbers = lists.numbered(problem["maps"][said["reads"]["map"]], one, elements)
        names = sorted(numbers, key=numbers.__getitem__)
    demand(
        own["on"] in ("inputs", "databases") and set(chart["rows"]) == set(names), "a table on something else"
    )
    demand(own["outcomes"] == chart["outcomes"] and len(own["rows"]) == len(names), "other outcomes, or rows")
    algebra = Algebra(parameters)
    for name, row in zip(names, own["rows"], strict=True):
        demand(len(row) == len(chart["rows"][name]) == len(own["outcomes"]), "a row of another length")
        for text, given in zip(row, chart["rows"][name], strict=True):
            demand(algebra.read(text) == algebra.read(given), "another probability")


def rows(algebra: Algebra, one: Any, core: Any) -> list[list[Form]]:
    """The row of each database."""
    every = [[algebra.read(text) for text in row] for row in one["table"]["rows"]]
    if one["table"]["on"] == "databases" or one["reads"] == [None]:
        return every
    return [every[value] for value in one["reads"][0]]


def satisfies(algebra: Algebra, one: Any, core: Any) -> None:
    """Rejects a table that has not the guarantee of the setting; pure guarantees only are read."""
    every = rows(algebra, one, core)
    for row in every:
        demand(
            not without_quotients(algebra, minus(add(*row), number(1))), "probabilities that add up to no 1"
        )
        demand(all(algebra.sign(p) > 0 for p in row), "a probability that may be below 0")
    count = range(core["databases"]["count"])
    values = list(count) if one["reads"] == [None] else one["reads"][0]
    for a, b in combinations(count, 2):
        demand(values[a] != values[b] or every[a] == every[b], "a table that tells apart what is read alike")
    if one["notion"] not in ("pure", "approximate"):
        raise NotRead("table", "with a guarantee that is neither pure nor approximate")
    if "oo" in one["values"].values():
        return  # nothing is promised
    factor = algebra.exp(algebra.read(one["values"]["epsilon"]))
    single = one["stated"]["single"]
    if single == "any two" or one["stated"]["steps"] != 1:
        raise NotRead("table", "for groups, or any two")
    first = {value: at for at, value in reversed(list(enumerate(values)))}
    if one["domain"] == "own":
        single = [(first[x], first[y]) for x, y in single]
    for x, y in [*single, *((y, x) for x, y in single)]:
        if one["notion"] == "approximate":
            excess(algebra, factor, every[x], every[y], algebra.read(one["values"]["delta"]))
            continue
        for p, q in zip(every[x], every[y], strict=True):
            at_least(algebra, without_quotients(algebra, minus(algebra.times(factor, q), p)))


def excess(algebra: Algebra, factor: Form, P: list[Form], Q: list[Form], delta: Form) -> None:
    """Rejects where what P has above a factor times Q, outcome by outcome, is more than delta together."""
    more = []
    for p, q in zip(P, Q, strict=True):
        difference = minus(p, algebra.times(factor, q))
        sign = algebra.sign(without_quotients(algebra, difference))
        if not sign:
            raise NotRead("table", "of which it is not seen what one row has more than another")
        more += [difference] if sign > 0 else []
    demand_sign(algebra, minus(delta, add(*more)), False, "rows that have not the guarantee")


def at_least(algebra: Algebra, difference: Form) -> None:
    """Rejects a difference that is below 0 somewhere; it is seen to be >= 0 after a division by powers of e."""
    powers = {a[1] for monomial, _ in difference for a, _ in monomial if a[0] == "exp"}
    if any(algebra.sign(algebra.times(difference, algebra.exp(scale(x, -1)))) > 0 for x in powers):
        return
    demand_sign(algebra, difference, False, "rows that have not the guarantee")


def attained(losses: Losses, notion: str, key: str, mechanisms: list[int]) -> list[Form | None]:
    """What tables and witnesses lose together at all target neighbours, in either order."""
    if notion != "pure" or any("count" in one for one in losses.core["mechanisms"]):
        raise NotRead("table", "that is a witness in another notion, or beside families")
    losses.library.of("witness", notion=notion)
    values: list[Form | None] = []
    for (a, b), vector in profiles.exhausted(losses.core):
        for x, y in ((a, b), (b, a)):
            total: list[Form | None] = []
            for i in mechanisms:
                one = losses.core["mechanisms"][i]
                if "table" in one:
                    total.append(ratio(losses.algebra, rows(losses.algebra, one, losses.core), x, y))
                elif vector[i]:
                    value = losses.witness(i, vector[i], notion, key, squared=False, alike=mechanisms)
                    total.append(value)
            values.append(None if None in total else add(*(x for x in total if x is not None)))
    return values


def ratio(algebra: Algebra, every: list[list[Form]], x: int, y: int) -> Form | None:
    """The largest logarithm of a ratio of probabilities of two rows, None for ∞."""
    logarithms = []
    for p, q in zip(every[x], every[y], strict=True):
        if not p:
            continue
        if not q and algebra.sign(p) == 2:
            return None
        if algebra.sign(p) != 2 or algebra.sign(q) != 2:
            raise NotRead("table", "with a probability that may be 0, as a witness")
        logarithms.append(algebra.log(quotient(algebra, p, q)))
    kept: list[Form] = []
    for value in logarithms:
        if not any(algebra.sign(minus(other, value)) > 0 for other in kept):
            kept = [other for other in kept if algebra.sign(minus(value, other)) < 1] + [value]
    return algebra.top(1, kept)


def quotient(algebra: Algebra, p: Form, q: Form) -> Form:
    """p/q, where equal denominators go out."""
    if len(p) != 1 or len(q) != 1:
        return algebra.times(p, algebra.power(q, Fraction(-1)))
    ((above, factor),), ((below, divisor),) = p, q
    return algebra.join(above, frozenset((a, -power) for a, power in below), factor / divisor)
