"""Guarantees in other notions than they are stated in: which conversion pages lead there, and what they give.

Notions are the nodes of a graph, conversion pages its edges.  Losses are added up in one notion to which
every guarantee is converted at the distance of its input; what comes out may be converted further.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, pairwise, product
from typing import TYPE_CHECKING, Any

import sympy

from dpcompose.language import formulas
from dpcompose.language.meaning import sign
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.proof.registry import Page, Theory
from dpcompose.search import bounds, decide
from dpcompose.search.bounds import Bound, NoBound, Plan
from dpcompose.search.solver import Solver

if TYPE_CHECKING:
    import networkx

MOST_PLANS = 40
"""The most ways to convert the guarantees of a setting that are tried."""


def best(setting: Setting, theory: Theory, solver: Solver = decide.STANDARD) -> Bound:
    """The best guarantee of a setting: in the notion of its mechanisms, or the nearest one for all of them.

    Raises as `bounds.best` does.
    """
    if len(setting.notions) == 1:
        return bounds.best(setting, theory, solver)
    try:
        return bounds_in(common_notion(theory, setting.notions), setting, theory, solver)[0]
    except NoBound:
        with suppress(NoBound):
            common = common_notion(theory, setting.notions, chosen=True)
            return bounds_in(common, setting, theory, solver)[0]
        raise


def common_notion(theory: Theory, stated: Sequence[str], chosen: bool = False) -> str:
    """The notion to which all of the stated ones convert by the fewest pages, in the order of names.

    chosen -- whether by pages too of which free parameters are chosen.  Raises NoBound where there is none.

    >>> from dpcompose.proof.registry import standard
    >>> common_notion(standard(), ["pure", "gaussian"])
    'gaussian'
    """
    steps = {
        to: sum(min(map(len, paths(theory, one, to, chosen))) for one in stated)
        for to in theory.notions
        if all(paths(theory, one, to, chosen) for one in stated)
    }
    if not steps:
        theory.need("conversion")
        raise NoBound(f"no conversion pages lead from {' and '.join(stated)} to one notion")
    return min(steps, key=lambda to: (steps[to], to))


def bounds_in(
    notion: str,
    setting: Setting,
    theory: Theory,
    solver: Solver = decide.STANDARD,
    claimed: Guarantee | None = None,
    like: Bound | None = None,
) -> list[Bound]:
    """The bounds in a notion that conversions give, the best one first.

    claimed -- a guarantee of the notion: pages with free parameters take its values, such as its δ; where
    the guarantees of mechanisms need such pages one by one, what is left of it is divided among them;
    like -- another bound of the setting, whose metrics and pairs are used again.
    Raises NoBound where there is none.
    """
    found: list[Bound] = []
    refused = ""
    possible = islice(plans(theory, setting.notions, notion, claimed), MOST_PLANS)
    by_choice = islice(_chosen_plans(theory, setting, notion, claimed), MOST_PLANS)
    for plan in chain(possible, by_choice):
        if plan.chosen and found:
            break
        try:
            bound = bounds.best(setting, theory, solver, plan, like)
        except NoBound as error:
            refused = refused or str(error)
            continue
        like = like or bound
        found.append(bound)
    if not found:
        theory.need("conversion")
        missing = [one for one in setting.notions if not paths(theory, one, notion, claimed is not None)]
        from_all = " and ".join(missing or setting.notions)
        raise NoBound(
            refused
            or f"no conversion pages lead from {from_all} to {notion}{_for_claims(theory, notion, claimed)}"
        )
    first = found[0]
    for bound in found[1:]:
        if _is_less(bound, first, claimed):
            first = bound
    return [first, *(bound for bound in found if bound is not first)]


def plans(theory: Theory, stated: Sequence[str], to: str, claimed: Guarantee | None = None) -> Iterator[Plan]:
    """Every way to convert by shortest paths: the stated notions to one, and this one to the wanted notion.

    >>> from dpcompose.proof.registry import standard
    >>> next(plans(standard(), ["pure"], "approximate"))
    Plan(each={'pure': ('pure-to-approximate',)}, whole=(), chosen={})
    """
    for between in sorted(theory.notions, key=lambda notion: (notion != to, notion)):
        for each in product(*(paths(theory, one, between) for one in stated)):
            converted = {
                one: tuple(page.id for page in path) for one, path in zip(stated, each, strict=True) if path
            }
            for whole in paths(theory, between, to, claimed is not None):
                if any(_returns(one, [*path, *whole]) for one, path in zip(stated, each, strict=True)):
                    continue
                yield Plan(converted, tuple((page.id, _chosen(page, claimed)) for page in whole))


CHOSEN = sympy.Rational(1, 10**6)
"""What free parameters are together, where no claim says it: the δ that is spent on conversions."""


def _chosen_plans(theory: Theory, setting: Setting, to: str, claimed: Guarantee | None) -> Iterator[Plan]:
    """Ways to convert every guarantee by itself, by pages whose free parameters are chosen, all alike.

    A claim's value is divided among the mechanisms that need it, once what the others have by themselves is
    taken off.
    """
    ways = {one: paths(theory, one, to, True) for one in setting.notions}
    needing = [
        one for one, some in ways.items() if some and all(any(p.head.free for p in way) for way in some)
    ]
    if not needing or not all(ways.values()):
        return
    counts = [one.count or sympy.Integer(1) for one in setting.mechanisms if one.satisfies.notion in needing]
    number = sum(counts, sympy.Integer(0))
    for each in product(*ways.values()):
        converted = {one: tuple(page.id for page in way) for one, way in zip(ways, each, strict=True) if way}
        chosen = {}
        for page in {page.id: page for way in each for page in way if page.head.free}.values():
            total = {name: _left(setting, name, claimed) for name in page.head.free}
            share = {name: value / number if number.is_Integer else value for name, value in total.items()}
            chosen[page.id] = {name: formulas.to_text(value) for name, value in share.items()}
        yield Plan(converted, (), chosen)


def _left(setting: Setting, name: str, claimed: Guarantee | None) -> sympy.Expr:
    """What a claim leaves of a parameter beside those of the mechanisms; else half of it, or CHOSEN."""
    if claimed is None or name not in dict(claimed.values):
        return CHOSEN
    value = claimed[name]
    stated = [(dict(one.satisfies.values).get(name), one.count) for one in setting.mechanisms]
    own = sum((x * (n or 1) for x, n in stated if x is not None), sympy.Integer(0))
    for rest in (sympy.expand(value - own), value / 2):
        if rest.is_Rational and 0 < rest < 1:
            return rest
    return CHOSEN


def _returns(notion: str, path: Sequence[Page]) -> bool:
    """Whether a chain of pages comes back to a notion where it has been."""
    notions = [notion, *(page.head.to for page in path)]
    return len(set(notions)) < len(notions)


def _chosen(page: Page, claimed: Guarantee | None) -> dict[str, str]:
    """The claim's values of a page's free parameters."""
    values = {} if claimed is None else dict(claimed.values)
    return {name: formulas.to_text(values[name]) for name in page.head.free}


def paths(theory: Theory, one: str, to: str, free: bool = False) -> list[tuple[Page, ...]]:
    """The shortest chains of pages from notion to notion.

    free -- whether pages with free parameters may lead to the last one.
    """
    import networkx

    graph = _graph(theory, to if free else None)
    if one not in graph or not networkx.has_path(graph, one, to):
        return []
    return [
        chosen
        for path in networkx.all_shortest_paths(graph, one, to)
        for chosen in product(*(graph.edges[step]["pages"] for step in pairwise(path)))
    ]


def _graph(theory: Theory, freely: str | None) -> networkx.DiGraph[Any]:
    """Notions as nodes; each edge with the pages that convert the one to the other."""
    import networkx

    graph: networkx.DiGraph[Any] = networkx.DiGraph()
    graph.add_nodes_from(theory.notions)
    for page in theory.of_kind("conversion"):
        head = page.head
        if head.from_ in graph and head.to in graph and (not head.free or head.to == freely):
            pages = graph.get_edge_data(head.from_, head.to, {"pages": []})["pages"]
            graph.add_edge(head.from_, head.to, pages=[*pages, page])
    return graph


def _for_claims(theory: Theory, notion: str, claimed: Guarantee | None) -> str:
    """A hint at pages that lead to a notion where a claim says the values of their free parameters."""
    free = [page for page in theory.of_kind("conversion") if page.head.to == notion and page.head.free]
    if claimed is not None or not free:
        return ""
    return f"; {free[0].id} is for claims, which say {' and '.join(free[0].head.free)}"


# which one is reported


def _is_less(one: Bound, other: Bound, claimed: Guarantee | None) -> bool:
    """Whether a bound is the smaller one where all parameters have their usual values.

    Smaller is the one whose further parameters are at most the claim's (without a claim: the other
    bound's), where the other's are not; else the one with the smaller first parameter.  This decides
    only which one is shown: both hold.
    """
    values, others = _values(one), _values(other)
    if values is None or others is None:
        return False
    limits = others if claimed is None else _at_usual(dict(claimed.values), one.setting)
    if limits is None:
        return False
    first, *further = values
    fits, other_fits = (
        all(not _below(limits[key], some[key]) for key in further) for some in (values, others)
    )
    return fits and (not other_fits or _below(values[first], others[first]))


def _values(bound: Bound) -> dict[str, sympy.Expr] | None:
    symbols = bound.setting.symbols
    stated = {key: formulas.parse(text, symbols) for key, text in bound.guarantee.parameters}
    return _at_usual(stated, bound.setting)


def _at_usual(values: Mapping[str, sympy.Expr], setting: Setting) -> dict[str, sympy.Expr] | None:
    """The values at the simplest point of the parameters; None for families, whose members vary."""
    point = decide.usual(setting.domains)
    symbols = setting.symbols
    at = {symbols[name]: sympy.Rational(x.numerator, x.denominator) for name, x in point.items()}
    numbers = {key: value.xreplace(at).doit() for key, value in values.items()}
    return None if any(value.free_symbols for value in numbers.values()) else numbers


def seen_smaller(claimed: sympy.Expr, known: str, setting: Setting) -> bool:
    """Whether a claimed value is smaller than a known formula's where all parameters have usual values."""
    at = _at_usual({"claimed": claimed, "known": formulas.parse(known, setting.symbols)}, setting)
    return at is not None and _below(at["claimed"], at["known"])


def _below(x: sympy.Expr, y: sympy.Expr) -> bool:
    if sympy.oo in (x, y):
        return bool(x is not y and y is sympy.oo)
    return sign(x - y) == -1
