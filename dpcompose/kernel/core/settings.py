"""Core settings: what a theorem is about, in the few words that the kernel reads.

A problem file, or a study, is elaborated into one core setting: a class of databases, the neighbours that
are asked about, and for each mechanism what it reads, what is known of it, and for which neighbours.  A class
is one of eight kinds, and a relation says what one step changes in it:

    kind      a database is                        a mechanism reads        one step changes
    records   a multiset (or sequence) of records  some atoms of records    (removed, added) records: edits
    policies  a multiset, set or tuple of records   some atoms of records    one record, along an edge
    contributions  a multiset of rows               one part of them         what one person contributes
    cells     one of two values or more a cell     some cells               the cells of one block
    listed    one of 0, 1, 2, …                    a value for each         a listed pair
    steps     anything                             everything               one step of one relation
    arrays    one of 0, 1, 2, …                    one map, by its number   one step of a relation with a name
    product   one of each part, points among them  everything               whatever it is: any two

Atoms are the classes of records that the same mechanisms read; what is said of one record of an atom is said
of all.  To queries a cell is a record.  Of arrays the setting states what was counted.  `data` writes JSON,
which `reading.read` reads back; settings are equal where their hashes are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.concrete import Noise, Sampled, Table, texts
from dpcompose.kernel.core.concrete import Values as Values
from dpcompose.kernel.core.contributions import Contribution
from dpcompose.kernel.core.distances import Distance
from dpcompose.kernel.core.orders import ALPHA, Curve, NotThere, Orders
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.expressions import formulas, metrics, substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import Known
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

ANY_TWO = "any two"
ANY_SIZE = "any size"
NOTHING = -1
"""What a record becomes that goes, or was before it comes."""
Edge = tuple[int, int]
"""Two atoms, or NOTHING and an atom: a record of the one may become any other record of the other."""


NO_VALUES: Mapping[int, Values] = {}


@frozen
class Relation:
    """D and E are neighbours where they differ and at most `steps` single steps lead from D to E.

    times -- a letter for a number of steps, in place of one;
    lengths -- of listed pairs, in their order, how far apart they are where that is not 1: of distances only;
    elsewhere -- whether they may lead through multisets of any size; else only inside of the class;

    single -- "any two": any two databases are one step apart; else what one step changes: pairs
    (removed, added) of numbers of records, symmetric; edges between atoms; what a person contributes; blocks
    of cells; pairs of numbers of databases, or of values that are read; of steps and arrays a name.
    """

    single: str | tuple[Any, ...] | Contribution
    steps: int = 1
    elsewhere: bool = False
    times: Term | None = None
    lengths: tuple[Fraction, ...] = ()

    @property
    def any_two(self) -> bool:
        """Whether any two different databases are neighbours."""
        return self.single == ANY_TWO

    @property
    def _all(self) -> tuple[Any, ...]:
        return self.single if isinstance(self.single, tuple) else ()

    @property
    def edits(self) -> tuple[tuple[int, int], ...]:
        """The single steps as numbers of records that are removed and added."""
        return self._all

    @property
    def policy(self) -> tuple[Edge, ...]:
        """The single steps as edges between atoms."""
        return self._all

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The single steps as listed pairs."""
        return self._all

    @property
    def blocks(self) -> tuple[frozenset[int], ...]:
        """The single steps as the cells that each may change."""
        return self._all

    def data(self) -> dict[str, Any]:
        """As JSON."""
        more: dict[str, Any] = {"within": ANY_SIZE} if self.elsewhere else {}
        more |= {} if self.times is None else {"times": formulas.to_text(self.times)}
        more |= {"lengths": [str(length) for length in self.lengths]} if self.lengths else {}
        return {"single": self._single(), "steps": self.steps, **more}

    def _single(self) -> str | dict[str, str] | list[list[int | None]]:
        if isinstance(self.single, str):
            return self.single
        if isinstance(self.single, Contribution):
            return self.single.data()
        if self.single and isinstance(self.single[0], tuple):
            return [[None if x == NOTHING else x for x in pair] for pair in self.single]
        return [sorted(cells) for cells in self.single]


@frozen
class Stated:
    """A guarantee that a mechanism has besides: for which neighbours, on which domain, and its parameters.

    curve -- of a divergence what is said of all orders that are meant; `values` are those at the setting's;
    metric -- on products, in place of neighbours, a formula in distances.
    """

    stated: Relation | None
    domain: str
    notion: str
    values: tuple[tuple[str, Term], ...]
    curve: Curve | None = None
    metric: InMetric | None = None

    def data(self) -> dict[str, Any]:
        """As JSON."""
        about = [("stated", self.stated), ("metric", self.metric)]
        return {
            **{key: value.data() for key, value in about if value is not None},
            "domain": self.domain,
            "notion": self.notion,
            **_values_data(self.values, self.curve),
        }


@frozen
class InMetric:
    """A formula in distances, in place of one distance: M loses what its guarantee says that far apart.

    formula -- in letters for distances (`expressions.metrics`) and parameters; distances -- for each letter a
    mechanism whose input is as far apart as it says; besides -- parameters that are formulas of their own,
    such as δ(D, E); bounded -- whether distances are only known to be at most these: then nothing is lost for
    sure.
    """

    formula: Term
    distances: tuple[tuple[str, Mechanism], ...]
    besides: Values = ()
    bounded: bool = False

    @property
    def formulas(self) -> Values:
        """All formulas in the distances, by what they are."""
        return (("metric", self.formula), *self.besides)

    def attained(self, key: str = "metric") -> bool:
        """Whether mechanisms lose just what a formula says at any two databases, and nothing else, as
        witnesses do of what is a metric."""
        value = dict(self.formulas).get(key)
        return not self.bounded and value is not None and metrics.is_metric(value)

    @property
    def unit(self) -> Term | None:
        """c where the formula is c times one distance in whole steps; None where it is nothing such."""
        whole = {name for name, far in self.distances if far.stated is not None and not far.stated.lengths}
        moving = metrics.in_letters(self.formula.letters)
        if len(moving) != 1 or moving[0] not in whole:
            return None
        letter = metrics.letter(moving[0])
        term = substitution.expanded(self.formula / letter)
        return None if metrics.is_moving(term) else term

    def data(self) -> dict[str, Any]:
        """As JSON."""
        data: dict[str, Any] = {"formula": formulas.to_text(self.formula), "besides": texts(self.besides)}
        if not self.distances:
            return data
        distances = {name: mechanism.data() for name, mechanism in self.distances}
        return {**data, "distances": distances, "bounded": self.bounded}


@frozen
class Mechanism:
    """One mechanism, or a family of them with a number of members.

    reads -- what it reads: None, everything; else atoms, or cells, or for each listed database the number of
    the value that is read; on arrays the number of a map.  A family whose members read the parts of a
    partition has one of these for as many members as one step can touch: any of the members may be the ones
    that read them, and the others read nothing that changes;
    codes -- under policies, sets of atoms of which all records are read as one, another one for each set;
    then the own domain is about these, each called by the first of its atoms;
    partition -- the name of that partition: of all families on it the members of the same numbers read them;
    processed -- whether what it outputs is some function of this, of which nothing else is known than that it
    reads, besides its own coins, nothing more: it may be the identity;
    filtered -- whether it is an interaction that a filter stops: any mechanism with the guarantee is one;
    dealt -- whether the members of a family read what a random permutation of the records deals them, all of
    them together everything; such a deal is the only one of its partition;
    sampled -- where it is run on a sample of the records, how that is drawn: then its guarantee is one on
    samples, of any size, and `stated` the neighbours for which the page makes one of the whole of that;
    stated -- the neighbours of its guarantee; None for noise, which is stated for none;
    metric -- in place of these a formula in distances, and then `reads` says only how many parts are read; on
    products it is one in the distances of the setting, of noise the one in which its query's value moves;
    domain -- "own": it is a map on what it reads; "common": on the whole class, and depends on what it reads;
    notion, values -- its guarantee; of noise, a guarantee of its page for values that are 1 apart;
    curve -- of a divergence what is said of all orders that are meant; `values` are those at the setting's;
    count -- of a family, a whole number or a letter for one; it counts as so many mechanisms;
    also -- guarantees that it has as well: then rules are about settings in which one of them is chosen, or
    curves about all of them at once.
    """

    name: str
    reads: tuple[tuple[int, ...] | None, ...]
    stated: Relation | None
    domain: str
    notion: str
    values: tuple[tuple[str, Term], ...]
    count: Term | None = None
    partition: str = ""
    codes: tuple[tuple[int, ...], ...] = ()
    noise: Noise | None = None
    table: Table | None = None
    study: Setting | None = None
    also: tuple[Stated, ...] = ()
    processed: bool = False
    filtered: bool = False
    metric: InMetric | None = None
    sampled: Sampled | None = None
    dealt: bool = False
    curve: Curve | None = None

    @property
    def made_of(self) -> tuple[str, ...]:
        """Of what it is made, as pages on that call it: functions of outputs, interactions, or deals."""
        made = (("outputs", self.processed), ("interactions", self.filtered), ("deals", self.dealt))
        return tuple(of for of, there in made if there)

    def guarantee(self, n: int) -> Stated:
        """The guarantee of a number, from 0.  Raises ValueError where there is none."""
        itself = self.stated is None and (self.metric is None or self.noise is not None)
        if itself or not 0 <= n <= len(self.also):
            raise BadSetting(f"{self.name} has no guarantee {n}")
        own = Stated(self.stated, self.domain, self.notion, self.values, self.curve, self.metric)
        return self.also[n - 1] if n else own

    @property
    def has_alike(self) -> bool:
        """Whether all guarantees that it has are for the same neighbours, and for no orders."""
        own = self.stated, self.domain, None
        every = all((stated.stated, stated.domain, stated.curve) == own for stated in self.also)
        return every and not (self.also and self.curve)

    def with_only(self, n: int, values: Values | None = None) -> Mechanism:
        """The same of which only the guarantee of a number is known, with other values of its parameters."""
        if not self.also and n == 0 and values is None:
            return self
        stated = self.guarantee(n)
        if values is not None and [key for key, _ in values] != [key for key, _ in stated.values]:
            raise BadSetting(f"guarantee {n} of {self.name} has other parameters")
        if values is not None and stated.curve is not None:
            raise BadSetting(f"guarantee {n} of {self.name} is a curve, which has no other values")
        return replace(
            self,
            stated=stated.stated,
            domain=stated.domain,
            notion=stated.notion,
            values=stated.values if values is None else values,
            also=(),
            metric=stated.metric,
            curve=stated.curve,
        )

    def at_orders(self, orders: Orders) -> Mechanism:
        """The same in a setting that speaks of other orders.  Raises NotThere where nothing is said."""
        also = tuple(replace(stated, values=_at(stated.values, stated.curve, orders)) for stated in self.also)
        study = None if self.study is None else self.study.at_orders(orders)
        return replace(self, values=_at(self.values, self.curve, orders), also=also, study=study)

    def data(self) -> dict[str, Any]:
        """As JSON."""
        data: dict[str, Any] = {
            "name": self.name,
            "reads": [numbers if numbers is None else list(numbers) for numbers in self.reads],
            "domain": self.domain,
            "notion": self.notion,
            **_values_data(self.values, self.curve),
        }
        for key in ("stated", "noise", "table", "study", "metric", "sampled"):
            value = getattr(self, key)
            data |= {} if value is None else {key: value.data()}
        data |= {} if self.count is None else {"count": formulas.to_text(self.count)}
        data |= {"also": [stated.data() for stated in self.also]} if self.also else {}
        data |= {"codes": [list(code) for code in self.codes]} if self.codes else {}
        data |= {key: True for key in ("processed", "filtered", "dealt") if getattr(self, key)}
        return data | ({"partition": self.partition} if self.partition else {})


@frozen
class Setting:
    """M = (M_1∘f_1, …, M_k∘f_k) on a class, for the neighbours of a target.

    adaptive -- M_i may also read the outputs of M_1, …, M_{i−1}; then what is known of it holds for every
    value of these, and f_i does not depend on them;
    flat -- the same with the mechanisms of studies one by one in their place, where they can be stated;
    assumed -- relations that hold for all values of the parameters that are meant.  Studies assume no others;
    distances -- on products those that guarantees and claims are formulas in, by their letters;
    orders -- of which α divergences are spoken: the letter alpha of theirs is a parameter, or a number.
    """

    parameters: tuple[tuple[str, Domain], ...]
    databases: Databases
    target: Relation
    mechanisms: tuple[Mechanism, ...]
    adaptive: bool = False
    flat: Setting | None = None
    assumed: Assumed = assumptions.NOTHING
    distances: tuple[tuple[str, Distance], ...] = ()
    orders: Orders | None = None

    @cached_property
    def symbols(self) -> Mapping[str, Term]:
        """The letters of claims by name, each with its domain: parameters, distances and the order."""
        parameters = {name: terms.letter(name, domain) for name, domain in self.parameters}
        order = {} if self.orders is None else {ALPHA: self.orders.order}
        return parameters | order | {name: metrics.letter(name) for name, _ in self.distances}

    @property
    def order(self) -> Term | None:
        """The order of which divergences are spoken."""
        return None if self.orders is None else self.orders.order

    def orders_at(self, point: Mapping[str, Fraction]) -> Orders | None:
        """The orders of which divergences are spoken at a point: the one that it has."""
        single = self.orders is not None and ALPHA in point
        return Orders.read(str(point[ALPHA])) if single else self.orders

    def at_orders(self, orders: Orders) -> Setting:
        """The same that speaks of other orders.  Raises BadSetting where nothing is said of these."""
        try:
            mechanisms = tuple(mechanism.at_orders(orders) for mechanism in self.mechanisms)
        except NotThere as error:
            raise BadSetting(str(error)) from None
        own = {} if self.orders is None else self.orders.letters
        kept = {name: domain for name, domain in self.parameters if name not in own}
        if ALPHA in kept:
            raise BadSetting(f"{ALPHA} is a parameter, and no order")
        parameters = tuple(sorted({**kept, **orders.letters}.items()))
        flat = None if self.flat is None else self.flat.at_orders(orders)
        return replace(self, parameters=parameters, mechanisms=mechanisms, flat=flat, orders=orders)

    def choosing(self, which: Sequence[int], values: Mapping[int, Values] = NO_VALUES) -> Setting:
        """The setting in which of each mechanism only the guarantee of a number is known, from 0.

        Mechanisms as this setting says are as that one says.  Not so where for some mechanisms, by number,
        other values of the parameters are given.  Raises ValueError.
        """
        if len(which) != len(self.mechanisms):
            raise BadSetting(f"a guarantee of each of {len(self.mechanisms)} mechanisms is to be chosen")
        mechanisms = (
            mechanism.with_only(n, values.get(i))
            for i, (mechanism, n) in enumerate(zip(self.mechanisms, which, strict=True), start=1)
        )
        return replace(self, mechanisms=tuple(mechanisms), flat=None)

    def with_each(self) -> Setting:
        """The setting with a mechanism of its own for each guarantee: how far all of their inputs move."""
        mechanisms = [
            replace(mechanism.with_only(n), name=f"{mechanism.name} ({n})") if mechanism.also else mechanism
            for mechanism in self.mechanisms
            for n in range(len(mechanism.also) + 1)
        ]
        return replace(self, mechanisms=tuple(mechanisms), flat=None)

    @property
    def inputs(self) -> list[tuple[int, Mechanism]]:
        """What may move, by the mechanism whose distance it is: M_i itself, or what M_i is stated in."""
        return [
            (i, distance)
            for i, mechanism in enumerate(self.mechanisms, start=1)
            for distance in (
                [mechanism] if mechanism.metric is None else [of for _, of in mechanism.metric.distances]
            )
        ]

    @cached_property
    def known(self) -> Known:
        """What is assumed to be > 0, or ≥ 0."""
        return frozenset((assumption.term, assumption.strictly) for assumption in self.assumed)

    @cached_property
    def depth(self) -> int:
        """How deep studies lie in one another in it, or one by one."""
        inside = [self.flat, *(mechanism.study for mechanism in self.mechanisms)]
        return max((1 + setting.depth for setting in inside if setting is not None), default=0)

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of the setting's data."""
        text = json.dumps(self.data(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.hash)

    def data(self) -> dict[str, Any]:
        """As JSON; what lies inside is told once, so that nothing in it is to be changed."""
        return dict(self._data)

    @cached_property
    def _data(self) -> dict[str, Any]:
        own = {} if self.orders is None else self.orders.letters
        return {
            "parameters": {name: str(domain) for name, domain in self.parameters if name not in own},
            "databases": self.databases.data(),
            "target": self.target.data(),
            "mechanisms": [mechanism.data() for mechanism in self.mechanisms],
            "adaptive": self.adaptive,
        } | self._more()

    def _more(self) -> dict[str, Any]:
        assumed = [assumption.data() for assumption in self.assumed]
        data: dict[str, Any] = {"assumed": assumed} if assumed else {}
        data |= (
            {"distances": {name: distance.data() for name, distance in self.distances}}
            if self.distances
            else {}
        )
        data |= {} if self.orders is None else {"orders": str(self.orders)}
        return data | ({} if self.flat is None else {"flat": self.flat.data()})


def _values_data(values: Values, curve: Curve | None) -> dict[str, Any]:
    """Parameters as JSON; of a curve its formula in alpha, and the orders that it is about."""
    if curve is None:
        return {"values": texts(values)}
    return {"values": {key: formulas.to_text(curve.value) for key, _ in values}, "orders": str(curve.orders)}


def _at(values: Values, curve: Curve | None, orders: Orders) -> Values:
    """Parameters in a setting that speaks of some orders."""
    return values if curve is None else tuple((key, curve.at(orders)) for key, _ in values)
