"""Sensitivities of maps, and how granularities compare: suprema over neighbours, exact, with a pair.

For canonical metrics it is enough to look at neighbours (GB Def. III.5): by edit types on infinite
classes of multisets and tuples, one by one on finite classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from dpcompose.kernel.composition.losses import at_distance
from dpcompose.kernel.covers.types import size
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ZERO
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import symbol
from dpcompose.privacy.elaboration.kinds import NoLemma
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import comparing
from dpcompose.privacy.settings import Setting
from dpcompose.proof.hypotheses.inputs import neighbouring, show_pair
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page, PageError, Theory
from dpcompose.spaces import given
from dpcompose.spaces.arrays.sizes import IN_A_PROOF
from dpcompose.spaces.canonical import small
from dpcompose.spaces.canonical.metrics import INFINITE, Metric
from dpcompose.spaces.canonical.named import Input
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import Query
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy
    from networkx import Graph

    from dpcompose.proof.query_sensitivity import QuerySensitivity
    from dpcompose.spaces.given import Neighbours

REPEATED, LARGER = "with every record taken N times", "in larger databases"
"""In what limit a sensitivity is oo."""
To = Granularity | Callable[[Any, Any], Any]
"""How far images are apart: canonically for a granularity on them, or by a function of two images."""


@frozen(repr=False)
class Sensitivity(Shown):
    """Δf, the least Δ with d(f(D), f(E)) ≤ Δ·d_G(D, E) for all D, E at finite distance (GB Def. III.5).

    value -- a rational number or oo, exact; 0 where there are no neighbours at all;
    relies_on -- the pages on metrics that it rests on;
    growing -- where it is oo only in the limit, of what: of the pair with every record taken more and more
    often, or of larger databases;
    pair -- the smallest neighbours that attain it; None where there are none, or none move f;
    covered -- what was gone through, in words.
    """

    f: Map
    databases: DatabaseClass
    granularity: Granularity
    to: To
    value: sympy.Expr
    pair: tuple[Database, Database] | None
    covered: str
    theory: Theory
    growing: str = ""
    relies_on: tuple[Page, ...] = ()

    def then(self, after: Sensitivity) -> sympy.Expr:
        """The bound Δf·Δg on the sensitivity of g∘f, `after` being that of g (GB Prop. III.8).

        g must start where f ends: on the images of f, for the granularity of their distance.  The true
        sensitivity, `sensitivity(composed(g, f), …)`, can be smaller.  0·∞ is taken to be ∞.
        """
        images = self.f.image(self.databases)
        if after.granularity != self.to or not _same_class(images, after.databases):
            raise ValueError(
                f"{self._moved()} is on {images} for {self.to}, and {after._moved()} starts on "
                f"{after.databases} for {after.granularity} neighbours: these must be the same"
            )
        if self.value.is_infinite or after.value.is_infinite:
            return formulas.expression(INFINITY)
        page = self.theory.statement("composed maps")
        return formulas.parse(page.head.formula, {"Delta_f": self.value, "Delta_g": after.value})

    def through(self, guarantee: Guarantee) -> Guarantee:
        """The guarantee of M∘f for G, from that of M on the images of f: what this is at the distance Δf, by
        the rule of its notion; Δf·ε in pure privacy (GB Prop. III.6).

        The guarantee must be stated for the granularity in which f's images are compared.  An input
        that never moves costs 0, also without a guarantee.
        """
        if guarantee.granularity != self.to:
            raise ValueError(
                f"the guarantee is for {guarantee.granularity} neighbours, "
                f"the sensitivity for {self.to}: these must be the same"
            )
        try:
            rule = self.theory.rule(guarantee.notion)
        except KeyError as error:
            raise ValueError(str(error.args[0])) from None
        if not rule.head.distance or rule.head.ordered:
            raise ValueError(
                f"how {guarantee.notion} guarantees grow with the distance is no formula; "
                f"what M∘f satisfies is the guarantee of compose(M, ...) with reads=f"
            )
        if self.value == 0 or self.value.is_infinite:
            there = dict.fromkeys(rule.head.parameters, formulas.term(self.value))
        else:
            there = at_distance(rule, dict(guarantee.terms), formulas.term(self.value))
        return Guarantee(guarantee.notion, tuple(there.items()), self.granularity)

    def _moved(self) -> str:
        written = self.f.written("D")
        return "the database itself" if written == "D" else written

    def reason(self) -> str:
        """In words how the value comes about."""
        if self.pair is None and self.f is everything:
            return f"no two databases are {self.granularity} neighbours"
        if self.pair is None:
            return f"no {self.granularity} neighbours move {self._moved()}"
        return f"{show_pair(self.databases, self.pair)} are {self.granularity} neighbours, {self._apart()}"

    def _apart(self) -> str:
        if not isinstance(self.to, Granularity):
            return f"and {self._moved()} moves by {self.value}"
        if self.growing:
            return f"and {self.growing} {self._moved()} moves by more and more {self.to} steps"
        if self.value.is_infinite:
            of = "one" if self.f is everything else f"{self._moved()} at one"
            return f"and no chain of {self.to} neighbours leads from {of} to the other"
        steps = f"{self.value} {self.to} step{'' if self.value == 1 else 's'}"
        return f"{steps} apart" if self.f is everything else f"and {self._moved()} moves by {steps}"

    def __repr__(self) -> str:
        return f"{self.value}{self._why()}"

    def _why(self) -> str:
        believed = "".join(f"; {rest}" for rest in registry.rests(self.relies_on))
        return f": {self.reason()} ({self.covered}){believed}"

    def _line(self) -> Sequence[str | sympy.Expr]:
        return [self.value, self._why()]


@overload
def sensitivity(
    f: Map,
    on: DatabaseClass | Graph,
    neighbours: Neighbours,
    to: To | None = None,
    theory: Theory | None = None,
) -> Sensitivity: ...


@overload
def sensitivity(
    f: Query,
    on: DatabaseClass | Graph,
    neighbours: Neighbours,
    to: str | None = None,
    theory: Theory | None = None,
    *,
    reads: Map = everything,
) -> QuerySensitivity: ...


def sensitivity(
    f: Map | Query,
    on: DatabaseClass | Graph,
    neighbours: Neighbours,
    to: To | str | None = None,
    theory: Theory | None = None,
    *,
    reads: Map = everything,
) -> Sensitivity | QuerySensitivity:
    """Δf of a map, or of a query of what a map reads, on a class, for neighbours (GB Def. III.5).

    to -- of a query the norm: "L1" (left out), "L2" or "range"; of a map in which distance images are
    compared: the canonical metric on f(𝔻) of a granularity (left out: the same as for the databases), or
    a function of two images, such as lambda x, y: abs(x - y), whose values are exact numbers.  A function
    is gone through on finite classes only;
    reads -- the map f of a query q∘f.

    Raises NoLemma where the class is infinite and no lemma applies, TooLarge where it is too large.

    theory -- the pages; else those that ship.

    >>> import dpcompose as dpc
    >>> sensitivity(dpc.restriction(["a"]), dpc.multisets({"a", "b"}), dpc.bounded, to=dpc.unbounded)
    1: D = {a} and E = {b} are bounded neighbours, and D|{a} moves by 1 unbounded step (1 edit type)
    >>> sensitivity(dpc.clipped_sum(0, "c"), dpc.multisets(), dpc.bounded).value
    c
    >>> total = dpc.function("total", len)
    >>> sensitivity(total, dpc.multisets("ab", "<= 2"), dpc.unbounded, to=lambda x, y: abs(x - y)).value
    1
    """
    theory, on, about = theory or registry.standard(), given.classes(on), given.neighbours(neighbours)
    if isinstance(f, Query):
        if not (to is None or isinstance(to, str)):
            raise TypeError(f"the value of a query moves in a norm, such as 'L1', and not in {to!r}")
        from dpcompose.proof.query_sensitivity import of_query

        return of_query(f, on, about, to or "L1", reads, theory)
    if not isinstance(f, Map):
        raise TypeError(f"the sensitivity is of a map such as dpcompose.restriction([...]), not of {f!r}")
    if isinstance(to, str):
        raise TypeError(f"images are compared in a granularity or by a function, and not in {to!r}")
    if reads is not everything:
        raise TypeError("what is read before a map is a map too: dpcompose.composed(f, reads)")
    return _of_map(f, on, about, about if to is None else to, theory)


def _of_map(f: Map, on: DatabaseClass, neighbours: Granularity, to: To, theory: Theory) -> Sensitivity:
    """How far the images of neighbours are apart at most, in a granularity or by a function of two."""
    stated = to if isinstance(to, Granularity) else neighbours
    compared = comparing(f"the map {f.written('D')}", Input("", stated, f))
    setting = Setting(on, neighbours, (compared,), {})
    if not isinstance(to, Granularity):
        return _by_function(f, setting, to, theory)
    try:
        decide = neighbouring(setting, theory)
    except NoLemma as error:
        if error.pair is None or f is not everything:
            raise
        rest = ("as far apart as neighbours of this size can be", theory, LARGER)
        return Sensitivity(f, on, neighbours, to, formulas.expression(INFINITY), error.pair, *rest)
    furthest = max(decide.types, key=lambda type: size(type.far.get(1, ZERO)), default=None)
    value, pair, growing = ZERO, None, ""
    if furthest is not None and furthest.far:
        value, pair, growing = furthest.far[1], furthest.pair, REPEATED if furthest.unlimited else ""
    about = (setting.databases, neighbours, to, formulas.expression(value), pair, decide.covered)
    return Sensitivity(f, *about, theory, growing, theory.relied_on(decide.pages[0]))


def _by_function(f: Map, setting: Setting, apart: Callable[[Any, Any], Any], theory: Theory) -> Sensitivity:
    """The same where a function of two images says how far they are apart: all neighbours of a finite class
    are gone through, as what it says of others is not known."""
    databases, granularity = setting.databases, setting.target
    if databases.count() is None:
        raise NoLemma(
            f"{databases} are infinitely many, and a distance given by a function says nothing of pairs that "
            "it is not asked about; a finite class, or a granularity on the images, would do"
        )
    space, attained = small.space(databases, granularity, IN_A_PROOF), None
    largest = formulas.expression(ZERO)
    for pair in space.smallest_changes(f):
        x, y = map(f, pair)
        if x != y and (r := _exact(apart, x, y)) > largest:
            largest, attained = r, pair
    covered = f"all {space.pairs:,} neighbouring pairs of {databases}"
    return Sensitivity(f, databases, granularity, apart, largest, attained, covered, theory)


def _exact(d: Callable[[Any, Any], Any], x: Database, y: Database) -> sympy.Expr:
    """A distance that a function gives, as an exact number.  Raises ValueError for others."""
    given = d(x, y)
    infinite = formulas.expression(INFINITY)
    value = infinite if isinstance(d, Metric) and given == INFINITE else formulas.from_python(given)
    if not (value == infinite or (value.is_Rational and value >= 0)):
        raise ValueError(
            f"a distance is a rational number from 0 on, or oo; that of {x!r} and {y!r} is {value}"
        )
    return value


def _same_class(one: DatabaseClass, other: DatabaseClass) -> bool:
    if one == other or one.count() is None or other.count() is None:
        return one == other
    return set(one.databases()) == set(other.databases())


# granularities


@frozen(repr=False)
class Comparison(Shown):
    """Two granularities on one class: the least factors between their canonical metrics (GB Prop. A.3).

    forth -- its value is the least m with d_first ≤ m·d_second, so that first ε-DP implies second (mε)-DP;
    back -- the same with the two exchanged.  A factor oo: none holds, and `pair` shows it.
    """

    first: Granularity
    second: Granularity
    databases: DatabaseClass
    forth: Sensitivity
    back: Sensitivity
    page: Page

    @property
    def directions(self) -> tuple[tuple[Granularity, Granularity, Sensitivity], ...]:
        """(what a guarantee is stated for, what it is wanted for, the factor), both ways."""
        return (self.first, self.second, self.forth), (self.second, self.first, self.back)

    def __str__(self) -> str:
        rows = [f"on {self.databases}"]
        for have, want, factor in self.directions:
            rows.append(f"{': '.join(self.says(have, want, factor))}  [{self.page.cite('pure')}]")
            rows.append(f"  {factor.reason()} ({factor.covered})")
        return "\n".join([*rows, *registry.rests(self.relies_on)])

    @property
    def relies_on(self) -> tuple[Page, ...]:
        """The pages that the factors rest on, and which the program does not derive."""
        return tuple({page.id: page for page in (*self.forth.relies_on, *self.back.relies_on)}.values())

    @staticmethod
    def says(have: Granularity, want: Granularity, factor: Sensitivity) -> tuple[str, str]:
        """How the metrics compare, in one direction, and what a guarantee for `have` gives for `want`."""
        if factor.pair is None:
            return f"d_{have} <= 0*d_{want}", f"every mechanism is {want} 0-DP"
        if factor.value.is_infinite:
            return f"d_{have} <= m*d_{want} for no m", f"{have} e-DP implies nothing for {want} neighbours"
        if factor.value == 1:
            return f"d_{have} <= d_{want}", f"{have} e-DP implies {want} e-DP"
        implied = formulas.to_text(factor.value * symbol("e"))
        return f"d_{have} <= {factor.value}*d_{want}", f"{have} e-DP implies {want} ({implied})-DP"

    def __repr__(self) -> str:
        """Both directions in one line; `print` says more."""
        said = (self.says(*direction)[0] for direction in self.directions)
        return f"{'; '.join(said)}, on {self.databases}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """All of it, where a notebook or its terminal shows text."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from dpcompose.language.latex import formula_html, text_html

        rows = "".join(
            f"<tr><th>{text_html(have)} &rarr; {text_html(want)}</th><td>{formula_html(factor.value)}</td>"
            f"<td>{text_html(self.says(have, want, factor)[1])}</td>"
            f"<td>{text_html(factor.reason())}</td></tr>"
            for have, want, factor in self.directions
        )
        head = "<tr><th></th><th>factor</th><th>so</th><th>because</th></tr>"
        about = f"<p>on {text_html(self.databases)}, by {self.page.cite('pure')}</p>"
        return f"{about}<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def compare(
    first: Neighbours, second: Neighbours, on: DatabaseClass | Graph, theory: Theory | None = None
) -> Comparison:
    """The least factors m between the canonical metrics of two granularities, both ways (GB Prop. A.3).

    Raises InvalidSetting where a granularity does not fit the class, NoLemma where no lemma
    decides an infinite class, TooLarge where a finite one is too large.

    first, second -- the two, or their names, or graphs; on -- the class; theory -- the pages; else those that
    ship.

    >>> import dpcompose as dpc
    >>> both = compare(dpc.unbounded, dpc.bounded, dpc.multisets({"a", "b"}))
    >>> both.forth.value, both.forth.pair, both.back.value, both.back.pair
    (2, (('a',), ('b',)), oo, (('a',), ()))
    """
    theory, first, second = theory or registry.standard(), given.neighbours(first), given.neighbours(second)
    second = given.told_apart([first, second]).get(second, second)
    databases = given.classes(on)
    forth = sensitivity(everything, databases, second, first, theory)
    back = sensitivity(everything, databases, first, second, theory)
    page = theory.find("comparison")
    if page is None:
        raise PageError("there is no page comparison, which says what the factors mean")
    return Comparison(first, second, forth.databases, forth, back, page)
