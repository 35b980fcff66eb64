"""Guarantees: a privacy notion with its parameters, as stated or as claimed.

What a notion means, how its loss grows with distance and how parts add up stands on its
rule page in theorems/rules/; this room only holds the values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.core.orders import ALPHA, Curve, Orders, reciprocal
from dpcompose.kernel.deciders.calculus.values import surely
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.privacy.guarantees.distances import Metric
from dpcompose.spaces.given import Neighbours, neighbours
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy

FILE_KEYS = {
    "pure": ("epsilon",),
    "approximate": ("epsilon", "delta"),
    "zcdp": ("rho",),
    "gaussian": ("mu",),
    "laplace": ("epsilon",),
    "renyi": ("epsilon",),
    "tcdp": ("rho", "tau"),
    "f-dp": ("tradeoff",),
}
"""The notions of the problem format and the keys of their parameters."""

POWERS = {"pure": ("epsilon", 1), "approximate": ("epsilon", 1), "zcdp": ("rho", 2), "gaussian": ("mu", 1)}
"""For each notion the parameter that a metric stands for, and which power of the metric it is."""
WRITTEN = {"tau": "omega"}
"""Parameters that are written as one over them, by another name: larger ones say less, and 0 is no limit."""

OF_ORDERS = ("renyi",)
"""Those of which guarantees say for which orders they hold; their parameter is a formula in alpha."""

OF_LINES = {"f-dp": "approximate"}
"""Those whose parameter is a trade-off function, with the notion of which each of its lines is one."""

DOMAINS = ("own", "common")
"""Where a mechanism's guarantee is stated: on its map's own image class, or on the common class."""


@frozen(repr=False, eq=False)
class Guarantee(Shown):
    """A notion with the values of its parameters, and for a mechanism's own also where it is stated.

    notion -- the name of a rule page, such as "pure";
    terms -- (parameter, term) pairs, in the order of the rule page; sympy expressions become terms;
    granularity -- the neighbours it is stated for (a claim: None, the target is meant);
    domain -- "own" or "common", None for a mechanism that reads everything;
    metric -- in place of neighbours a formula in distances: the terms then hold where that is 1;
    apart -- of one at two databases alone how many steps these are apart, the terms being those for one step;
    0: they are those at the two, and there may be databases at any distance between;
    curve -- of divergences for which orders it is stated, and as what function of them; the terms are those
    at the orders that a setting speaks of.

    >>> pure("e1/2").values
    (('epsilon', e1/2),)
    """

    notion: str
    terms: tuple[tuple[str, Term], ...]
    granularity: Granularity | None = None
    domain: str | None = None
    metric: Metric | None = None
    apart: int | None = None
    curve: Curve | None = None

    def __post_init__(self) -> None:
        given = tuple((key, formulas.term(value)) for key, value in self.terms)
        object.__setattr__(self, "terms", given)

    @cached_property
    def values(self) -> tuple[tuple[str, sympy.Expr], ...]:
        """(parameter, sympy expression) pairs, in the order of the rule page."""
        return tuple((key, formulas.expression(value)) for key, value in self.terms)

    def __getitem__(self, parameter: str) -> sympy.Expr:
        return formulas.expression(dict(self.terms)[parameter])

    def __eq__(self, other: object) -> bool:
        """Guarantees are the same where their formulas are, whatever is known of the parameters."""
        if not isinstance(other, Guarantee):
            return NotImplemented
        return self._same == other._same

    def __hash__(self) -> int:
        return hash(self._same)

    @property
    def _same(self) -> tuple[object, ...]:
        return tuple(self.text().items()), self.granularity, self.domain, self.metric, self.apart

    def with_values(self, values: Sequence[tuple[str, Term | sympy.Expr]]) -> Guarantee:
        """The same with other values of the parameters."""
        return replace(self, terms=tuple(values))

    def with_letters(self, named: Mapping[str, Term]) -> Guarantee:
        """The same with other terms for some parameters."""
        change = formulas.in_letters if self.curve is None else substitution.substituted
        values = tuple((key, change(value, named)) for key, value in self.terms)
        metric = None if self.metric is None else self.metric.with_letters(named)
        curve = None if self.curve is None else self.curve.with_letters(named)
        return replace(self, terms=values, metric=metric, curve=curve)

    def at_orders(self, orders: Orders) -> Guarantee:
        """The same where divergences of some orders are spoken of.  Raises NotThere where nothing is said."""
        if self.curve is None:
            return self
        return replace(self, terms=tuple((key, self.curve.at(orders)) for key, _ in self.terms))

    def text(self) -> dict[str, str]:
        """The notion and its parameters as a problem file would write them."""
        if self.metric is not None:
            return {"notion": self.notion, **dict(self.metric.said)}
        if self.curve is not None:
            text = {key: formulas.to_text(self.curve.value) for key, _ in self.terms}
            return {"notion": self.notion, **text, "orders": str(self.curve.orders)}
        return {"notion": self.notion} | {key: formulas.to_text(value) for key, value in self.terms}

    @property
    def shown(self) -> tuple[tuple[str, Term], ...]:
        """(parameter, term) pairs as they are written: those in WRITTEN as one over them."""
        return tuple(map(as_written, self.terms))

    def written(self) -> dict[str, str]:
        """The notion and its parameters as a problem file writes them."""
        if self.metric is not None or self.curve is not None:
            return self.text()
        return {"notion": self.notion} | {key: formulas.to_text(value) for key, value in self.shown}

    @property
    def every_term(self) -> tuple[tuple[str, Term], ...]:
        """The parameters; of one in a metric this, and what else is a formula of its own."""
        return self.terms if self.metric is None else (("metric", self.metric.formula), *self.metric.besides)

    @property
    def in_metric(self) -> Metric:
        """The metric in which it is stated.  Raises ValueError where it is for neighbours."""
        if self.metric is None:
            raise ValueError("the guarantee is stated in no metric")
        return self.metric

    @property
    def at_pair(self) -> dict[str, Term]:
        """What is lost at two databases by one in a metric: its parameters, formulas in metrics.

        >>> at_any_two("zcdp", Metric(terms.letter("d"))).at_pair
        {'rho': (power d 2)}
        """
        (key, power), metric = POWERS[self.notion], self.in_metric
        value = metric.formula if metric.formula.kind == "oo" else terms.power(metric.formula, power)
        return {key: value} | dict(metric.besides)

    @property
    def about_granularity(self) -> Granularity:
        """The granularity of a mechanism's guarantee.  Raises ValueError for a claim, which has none."""
        if self.granularity is None:
            raise ValueError("the guarantee is stated for no neighbours")
        return self.granularity

    @property
    def loses_nothing(self) -> bool:
        """Whether it is one at two databases alone of which nothing is known to be lost."""
        return self.apart is not None and all(value == ZERO for _, value in self.terms)

    def about(self, granularity: Granularity) -> Guarantee:
        """The same values, stated for these neighbours."""
        return replace(self, granularity=granularity)

    def regarding(self, change: Callable[[Granularity], Granularity]) -> Guarantee:
        """The same, stated for other neighbours, where it is stated for some."""
        if self.metric is not None:
            return replace(self, metric=self.metric.regarding(change))
        return self if self.granularity is None else self.about(change(self.granularity))

    def __repr__(self) -> str:
        return str(self)

    def _line(self) -> Sequence[str | sympy.Expr]:
        """The text, its values as formulas."""
        if self.metric is not None:
            return [str(self)]
        line: list[str | sympy.Expr] = [
            f"{f'{self.granularity} ' if self.granularity else ''}{self.notion} ("
        ]
        for n, (_, term) in enumerate(self.shown):
            value = formulas.expression(term)
            line += [", ", value] if n else [value]
        return [*line, f") for orders {self.curve.orders}" if self.curve is not None else ")"]

    def __str__(self) -> str:
        if self.metric is not None:
            return f"{private_in_a_metric(self.notion)} {self.metric}"
        values = ", ".join(formulas.to_text(value) for _, value in self.shown)
        where = f" for orders {self.curve.orders}" if self.curve is not None else ""
        return f"{f'{self.granularity} ' if self.granularity else ''}{self.notion} ({values}){where}"


def private_in_a_metric(notion: str) -> str:
    """What a notion is called where a guarantee is stated in a metric, which follows.

    >>> private_in_a_metric("pure"), private_in_a_metric("zcdp")
    ('private in the metric', 'zcdp-private in the metric')
    """
    return f"{'' if notion == 'pure' else f'{notion}-'}private in the metric"


def pure(epsilon: object, granularity: Neighbours | None = None, domain: str | None = None) -> Guarantee:
    """ε-differential privacy: P(M(D) ∈ S) ≤ e^ε P(M(E) ∈ S) for all neighbours D, E and all S.

    epsilon -- in [0, ∞]: a sympy expression, a number, or a formula's text; 0.1 is 1/10 exactly;
    granularity -- the neighbours: a granularity, its name, or a networkx graph on the databases; left out,
    those of the study's target, as in a claim;
    domain -- of what a mechanism reads: "common" (M is a map on the whole class, private there, and
    depends on what it reads only) or "own" (M is a map on what it reads, private for neighbours there).

    Raises ValueError for a formula, neighbours or a domain that are none; a parameter that may be negative is
    refused with InvalidSetting once a guarantee is asked.

    >>> from dpcompose.spaces.moves.built_in import bounded
    >>> str(pure("e1/2", bounded, domain="common")), str(pure("max(e1, e2)"))
    ('bounded pure (e1/2)', 'pure (max(e1, e2))')
    """
    return _guarantee("pure", {"epsilon": epsilon}, granularity, domain)


def approximate(
    epsilon: object, delta: object, granularity: Neighbours | None = None, domain: str | None = None
) -> Guarantee:
    """(ε, δ)-differential privacy: P(M(D) ∈ S) ≤ e^ε P(M(E) ∈ S) + δ for all neighbours D, E and all S.

    epsilon, delta -- in [0, ∞], as for `pure`; δ ≥ 1 says nothing.

    granularity, domain -- as for `pure`, as is what it raises.

    >>> str(approximate("e", "1/100"))
    'approximate (e, 1/100)'
    """
    return _guarantee("approximate", {"epsilon": epsilon, "delta": delta}, granularity, domain)


def zcdp(rho: object, granularity: Neighbours | None = None, domain: str | None = None) -> Guarantee:
    """ρ-zero-concentrated DP: D_α(M(D) ‖ M(E)) ≤ ρα for all α > 1 and neighbours D, E (GB Def. VI.10).

    rho -- in [0, ∞], as for `pure`.

    granularity, domain -- as for `pure`, as is what it raises.

    >>> str(zcdp("r1"))
    'zcdp (r1)'
    """
    return _guarantee("zcdp", {"rho": rho}, granularity, domain)


def gaussian(mu: object, granularity: Neighbours | None = None, domain: str | None = None) -> Guarantee:
    """μ-Gaussian DP: telling M(D) from M(E) is as hard as N(0, 1) from N(μ, 1) (GB Def. VI.18).

    mu -- in [0, ∞], as for `pure`.

    granularity, domain -- as for `pure`, as is what it raises.

    >>> str(gaussian("m1"))
    'gaussian (m1)'
    """
    return _guarantee("gaussian", {"mu": mu}, granularity, domain)


def tcdp(
    rho: object, omega: object, granularity: Granularity | None = None, domain: str | None = None
) -> Guarantee:
    """Truncated concentrated DP: D_α(M(D) ‖ M(E)) ≤ ρα for 1 < α < ω, and all neighbours D, E.

    rho -- in [0, ∞], as for `pure`; omega -- above 1.  Bun, Dwork, Rothblum, Steinke 2018.

    granularity, domain -- as for `pure`, as is what it raises.

    >>> str(tcdp("r", "w"))
    'tcdp (r, w)'
    """
    return _guarantee("tcdp", {"rho": rho, "tau": reciprocal(formulas.term(omega))}, granularity, domain)


def as_written(given: tuple[str, Term]) -> tuple[str, Term]:
    """A parameter with its value as it is written.

    >>> [*map(str, as_written(("rho", formulas.term("r"))))]
    ['rho', 'r']
    """
    key, value = given
    return (WRITTEN[key], reciprocal(value)) if key in WRITTEN else given


def renyi(
    epsilon: object,
    orders: str = "(1, oo)",
    granularity: Granularity | None = None,
    domain: str | None = None,
) -> Guarantee:
    """Rényi DP: D_α(M(D) ‖ M(E)) ≤ ε(α) for all orders α of some, and all neighbours D, E (Mironov 2017).

    epsilon -- in [0, ∞], as for `pure`, a formula in the letter alpha, which is the order;
    orders -- "(1, oo)", "(1, 8]" and the like, or one number above 1, "2".

    granularity, domain -- as for `pure`, as is what it raises.

    >>> str(renyi("alpha*r")), str(renyi("1/2", "2"))
    ('renyi (alpha*r) for orders (1, oo)', 'renyi (1/2) for orders 2')
    """
    read = Orders.read(str(orders))
    guarantee = _guarantee("renyi", {"epsilon": epsilon}, granularity, domain)
    return in_orders(guarantee, read)


def in_orders(stated: Guarantee, orders: Orders) -> Guarantee:
    """A guarantee whose parameter is a formula in alpha, for some orders."""
    ((key, value),) = stated.terms
    at_orders = substitution.substituted(value, {ALPHA: orders.order})
    return replace(stated, terms=((key, at_orders),), curve=Curve(orders, at_orders))


@frozen
class InMetric(Shown):
    """A guarantee for all databases D, E: its parameters are formulas in distances of D and E.

    notion, metric, delta, domain -- as for `in_metric`; functions -- the metrics of which these are formulas,
    where they are expressions.
    """

    notion: str
    metric: str
    delta: str | None = None
    domain: str | None = None
    functions: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    def data(self) -> dict[str, str]:
        """As a problem file states it."""
        entries = {"notion": self.notion, "metric": self.metric, "delta": self.delta, "domain": self.domain}
        return {key: value for key, value in entries.items() if value is not None}

    def __str__(self) -> str:
        where = f" on the {self.domain} domain" if self.domain else ""
        beside = f", with delta {self.delta}" if self.delta is not None else ""
        return f"{private_in_a_metric(self.notion)} {self.metric}{beside}{where}"


def in_metric(
    metric: object, notion: str = "pure", delta: object = None, domain: str | None = None
) -> InMetric:
    """Privacy in a metric d (GB Def. III.2, VI.2, VI.11, VI.19): a guarantee at all D, E.

    metric -- d(D, E), a formula in the metrics of the composition and in parameters; `d_unbounded`,
    `d_NAME` are the canonical ones of granularities.  It is ε of pure and (ε, δ)-privacy, √ρ of zCDP, μ of
    Gaussian privacy;
    delta -- δ(D, E), another one, of "approximate" privacy; domain -- "own" or "common", where a map is
    read.

    notion -- "pure", "approximate", "zcdp" or "gaussian".  Raises ValueError for a formula or domain that is
    none.

    >>> print(in_metric("e*d_bounded", "zcdp"))
    zcdp-private in the metric e*d_bounded
    """
    if domain is not None and domain not in DOMAINS:
        raise ValueError(f'domain is "own" or "common", not {domain!r}')
    text = None if delta is None else formulas.given_text(delta)
    functions = (*formulas.metric_functions(metric), *formulas.metric_functions(delta))
    return InMetric(notion, formulas.given_text(metric), text, domain, functions)


def at_any_two(notion: str, metric: Metric, domain: str | None = None) -> Guarantee:
    """The guarantee at all D, E whose first parameter is a metric, or a power of one."""
    unit = tuple((key, ZERO if key == "delta" else ONE) for key in FILE_KEYS[notion])
    return Guarantee(notion, unit, None, domain, metric)


def as_metric(notion: str, parameters: Mapping[str, Term]) -> Term:
    """The metric that parameters are those of.

    >>> d = terms.letter("d")
    >>> as_metric("zcdp", {"rho": d**2}), as_metric("zcdp", {"rho": (d - 1) ** 2})
    (d, (top 1 (sum -1 d) (sum 1 (product -1 d))))
    """
    key, power = POWERS[notion]
    value = parameters[key]
    if value.kind == "oo":
        return value
    return substitution.changed(terms.power(value, Fraction(1, power)), _absolute)


def _absolute(term: Term) -> Term | None:
    """|x| for the root of a square, x itself where that is seen to be ≥ 0; None for others."""
    if term.kind != "power" or term.parts[1].number != terms.HALF:
        return None
    x, exponent = term.parts[0].base_and_exponent
    if exponent.number != 2:
        return None
    return x if surely(x, strictly=False) else terms.largest(x, -x)


def _guarantee(
    notion: str, values: dict[str, object], granularity: Neighbours | None, domain: str | None
) -> Guarantee:
    about = None if granularity is None else neighbours(granularity)
    if domain is not None and domain not in DOMAINS:
        raise ValueError(f'domain is "own" or "common", not {domain!r}')
    given = tuple((key, formulas.term(value)) for key, value in values.items())
    return Guarantee(notion, given, about, domain)
