"""Several guarantees of one mechanism, and trade-off functions of straight lines, which are several (f-dp.md)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from second_checker.algebra import Algebra
from second_checker.forms import ZERO, Form, letters, made, minus, number, scale
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.samples import same_cleared

Guarantee = tuple[Form, Form]
PROMISE = ("stated", "domain", "notion", "values", "orders")


def apart(problem: Any, core: Any) -> tuple[Any, Any]:
    """The problem and the setting in which a mechanism stands for each guarantee of those that have several."""
    said, own = [], []
    for given, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        demand("satisfies" not in given or "also" in one, "several guarantees, or one")
        if "also" not in one:
            said.append(given)
            own.append(one)
            continue
        demand(not {"noise", "table", "study", "metric"} & set(one), "several guarantees of what has none")
        if "satisfies" in given:
            key, promises = "guarantee", given["satisfies"]
        else:
            key = "filter" if "filter" in given else "guarantee"
            promises = of_lines(given[key], [one, *one["also"]], Algebra(core["parameters"]))
        every = [one, *one["also"]]
        demand(len(promises) == len(every), "other guarantees")
        for n, (promise, part) in enumerate(zip(promises, every, strict=True)):
            said.append({**without(given, "satisfies"), "name": f"{given['name']} ({n})", key: promise})
            own.append(alone(one, n, f"{one['name']} ({n})"))
            demand(set(part) >= {"stated", "domain", "notion", "values"}, "a guarantee with other entries")
    return problem | {"mechanisms": said}, without(core | {"mechanisms": own}, "flat")


def without(table: Any, key: str) -> Any:
    """The table without an entry."""
    return {k: x for k, x in table.items() if k != key}


def alone(one: Any, n: int, name: str | None = None) -> Any:
    """A mechanism of which only the guarantee with this number is known."""
    every = [one, *one.get("also", [])]
    demand(type(n) is int and 0 <= n < len(every), "there is no such guarantee")
    rest = {key: x for key, x in one.items() if key not in (*PROMISE, "also")}
    own = {key: every[n][key] for key in PROMISE if key in every[n]}
    return {**rest, **own, "name": one["name"] if name is None else name}


def split(core: Any) -> Any:
    """The setting in which a mechanism stands for each guarantee, and how many each one has."""
    own = []
    for one in core["mechanisms"]:
        many = 1 + len(one.get("also", []))
        own += [alone(one, n, f"{one['name']} ({n})") for n in range(many)] if many > 1 else [one]
    return without(core | {"mechanisms": own}, "flat")


def numbered(core: Any) -> list[list[int]]:
    """The mechanisms that stand for the guarantees of each one."""
    found, at = [], 0
    for one in core["mechanisms"]:
        many = 1 + len(one.get("also", []))
        found.append(list(range(at, at + many)))
        at += many
    return found


def together(told: Any, core: Any) -> Any:
    """The setting that is told with a mechanism for each guarantee, as one with several."""
    own = []
    for one, numbers in zip(core["mechanisms"], numbered(core), strict=True):
        first, *others = (told["mechanisms"][n] for n in numbers)
        also = [{key: x[key] for key in PROMISE if key in x} for x in others]
        own.append({**first, "name": one["name"]} | ({"also": also} if also else {}))
    return told | {"mechanisms": own} | ({"flat": core["flat"]} if "flat" in core else {})


def on_its_own(core: Any, i: int, both: tuple[int, int], chosen: Callable[[Any], Any]) -> Any:
    """The setting of a mechanism alone, with one guarantee, for the neighbours of another one.

    What reads a part, and has not both on the common domain, is taken on what it reads: of multisets of any size these
    are databases, and neighbours there are those of its own domain, or images of neighbours.
    """
    mechanism, base = core["mechanisms"][i], core["databases"]
    one, other = chosen(mechanism), alone(mechanism, both[1])
    target = other["stated"]
    demand("count" not in mechanism, "a family")
    if mechanism["reads"] != [None] and not one["domain"] == other["domain"] == "common":
        key = {"records": "atoms", "contributions": "parts"}.get(base["kind"], "")
        plain = base.get("of", "multisets") == "multisets" and base.get("size", ["any", None]) == [
            "any",
            None,
        ]
        (reads,) = mechanism["reads"]
        if not key or not plain or {"least", "letter"} & set(base) or "codes" in mechanism:
            raise NotRead("also", "of what reads a part of other databases")
        demand(0 < len(reads) < len(base[key]) + len(base.get("outside", [])), "a part that is everything")
        rest = {"outside": []} if key == "parts" else {}
        base = base | {key: [base[key][n] for n in sorted(set(reads))]} | rest
        target, here = (image(x, core["databases"]) for x in (other, one))
        one = {**one, "reads": [None], "domain": "own", "stated": here}
    return without(core, "flat") | {
        "databases": base,
        "mechanisms": [one],
        "target": target,
        "adaptive": False,
    }


def image(part: Any, base: Any) -> Any:
    """The neighbours of a guarantee among what is read."""
    stated, single = part["stated"], part["stated"]["single"]
    if {"within", "times"} & set(stated):
        raise NotRead("also", "images of groups, or through other sizes")
    if part["domain"] == "own" or single == "any two":
        return stated
    if isinstance(single, list):
        below = {(s, t) for p, q in single for s in range(p + 1) for t in range(q + 1)} - {(0, 0)}
        return {**stated, "single": [list(one) for one in sorted(below)]}
    if stated["steps"] > 1 or set(single) != {"parts", "rows", "replaced"}:
        raise NotRead("also", "images of what persons contribute")
    demand(single["replaced"] != "rows" or bool(base["outside"]), "rows that are replaced by none outside")
    return {
        **stated,
        "single": {**single, "replaced": "bag" if single["replaced"] == "rows" else single["replaced"]},
    }


# -- lines -----------------------------------------------------------------------------------------------


def of_lines(promise: Any, own: list[Any], algebra: Algebra) -> list[Any]:
    """The guarantees of a trade-off function, in the order of those of the setting."""
    demand(promise["notion"] == "f-dp", "several guarantees of one")
    left = lines(algebra, promise["tradeoff"])
    found = []
    for part in own:
        wanted = tuple(algebra.read(part["values"][key]) for key in ("epsilon", "delta"))
        demand(wanted in left, "a guarantee that is no line of the function")
        left.remove(wanted)
        rest = {key: x for key, x in promise.items() if key not in ("tradeoff", "notion")}
        found.append({**rest, "notion": part["notion"], **part["values"]})
    demand(not left, "a line of which nothing is known")
    return found


def lines(algebra: Algebra, text: Any) -> list[Guarantee]:
    """(ε, δ) of the lines b − c·alpha of a maximum, each once: ε = |ln c|, δ = 1 − b, or 1 − b/c where c < 1."""
    if not isinstance(text, str):
        raise NotRead("also", "trade-off functions that are not written as lines")
    found: list[Guarantee] = []
    for member in members(ast.parse(text, mode="eval").body):
        inner = Algebra({**algebra.domains, "alpha": {"least": 0, "greatest": 1}})
        form = inner.read(member)
        steep = {term for term in form if "alpha" in letters(frozenset([term]))}
        level = minus(form, frozenset(steep))
        slope = ((("letter", "alpha"), Fraction(1)),)
        if any("alpha" in letters(made([(monomial - {*slope}, factor)])) for monomial, factor in steep):
            raise Rejected("no straight line")
        c = made((monomial - {*slope}, -factor) for monomial, factor in steep)
        if c == ZERO:
            demand(level == ZERO or algebra.sign(level) < 0, "a line above 0")
            continue
        demand(algebra.sign(c) == 2, "a line that rises")
        epsilon = algebra.log(c)
        if algebra.sign(epsilon) < 0:
            epsilon, level = scale(epsilon, -1), algebra.times(level, algebra.power(c, Fraction(-1)))
        elif algebra.sign(epsilon) < 1:
            raise NotRead("also", "lines of which it is not seen how steep they are")
        one = (epsilon, minus(number(1), level))
        if one not in found:
            found.append(one)
    return found


def members(tree: ast.expr) -> list[str]:
    """The members of a maximum, also of maxima in it."""
    match tree:
        case ast.Call(func=ast.Name(id="max"), args=parts):
            return [text for part in parts for text in members(part)]
    return [ast.unparse(tree)]


def same_function(algebra: Algebra, one: Any, other: Any) -> bool:
    """Whether two trade-off functions are the same, as written or by their lines."""
    if one == other:
        return True
    try:
        first, second = lines(algebra, one), lines(algebra, other)
    except Rejected:
        return False
    return len(first) == len(second) and all(x in second for x in first)


def among(algebra: Algebra, wanted: Guarantee, known: list[Mapping[str, Form | None]]) -> bool:
    """Whether a guarantee is one of those that are known."""
    for values in known:
        epsilon, delta = values["epsilon"], values["delta"]
        if epsilon is not None and delta is not None:
            pairs = zip(wanted, (epsilon, delta), strict=True)
            if all(same_cleared(algebra, x, y) for x, y in pairs):
                return True
    return False
