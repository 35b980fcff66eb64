"""Policies: which records may become which others, and which may come or go (Blowfish).

A policy is a graph on the records and "nothing".  Two databases are neighbours where one record of D is
another in E, along an edge; an edge to nothing lets a record come or go.  Bounded is the complete graph on
the records, unbounded the star at nothing; modifying a person within a county, or a label, lie in between.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.core.settings import NOTHING, Edge
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import Counts, Database, DatabaseClass, TooLarge
from dpcompose.spaces.classes.listed import edges_of, is_graph
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.classes.records import exchanged
from dpcompose.spaces.inputs.parts import Part
from dpcompose.spaces.moves import replacement_words
from dpcompose.spaces.moves.edits import Edits
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.replacements import (
    EVERY,
    Copies,
    Every,
    Groups,
    Placed,
    Replacement,
    copied,
    together,
)

NO_COPIES: Copies = {}
MOST_KINDS = 2_000
"""The most kinds of records between which edges are looked for."""

if TYPE_CHECKING:
    from networkx import Graph


@frozen(repr=False)
class Policy(Granularity):
    """Neighbours differ in one record, which becomes another one, along an edge, or comes or goes.

    replace -- which records may take each other's place;
    add_remove -- the records that may come or go; None: all.

    >>> county = policy("county", replace=[["a1", "a2"], ["b1", "b2"]])
    >>> county.are_neighbours(("a1", "b1"), ("a2", "b1")), county.are_neighbours(("a1",), ("b1",))
    (True, False)
    """

    by_asking = False

    name: str
    replace: Replacement
    add_remove: frozenset[str] | None

    def joins(self, x: str | None, y: str | None, databases: DatabaseClass | None = None) -> bool:
        """Whether a record of a class may become another one; None for nothing."""
        if x == y:
            return False
        if x is None or y is None:
            return self.add_remove is None or (x or y) in self.add_remove
        return self.replace.joins(x, y, databases)

    def alike(self, x: str, databases: DatabaseClass) -> tuple[Any, ...]:
        """Records of which this is equal have the same edges, and all or none of them are joined."""
        return self.replace.alike(x, databases), self.add_remove is None or x in self.add_remove

    def are_neighbours(self, D: Database, E: Database) -> bool:
        pair = exchanged(D, E)
        return pair is not None and self.joins(*pair)

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        pair = databases.exchanged(D, E)
        return pair is not None and self.joins(*pair, databases)

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        """The neighbours of D, edge by edge."""
        edited = (edit for way in ((0, 1), (1, 0), (1, 1)) for edit in databases.edited(D, *way))
        return (E for x, y, E in edited if self.joins(x, y, databases))

    def on(self, databases: DatabaseClass) -> Policy:
        """The same edges on a class: all records come and go where each of them does."""
        alone = self.add_remove
        if alone is None or databases.arbitrary or not alone.issuperset(databases.records):
            return self
        return Policy(self.name, self.replace, None)

    @property
    def changed(self) -> frozenset[Counts]:
        replaced = {(1, 1)} if self.replace != Groups(frozenset()) else set()
        return frozenset(replaced | ({(0, 1), (1, 0)} if self.add_remove != frozenset() else set()))

    def edits(self, databases: DatabaseClass) -> Edits | None:
        """Counted edits, where all records may come or go, or take the place of all, or none."""
        every = self.replace in (Every(), Groups(frozenset())) and not self.add_remove
        return Edits(self.changed) if every and databases.twice else None

    @property
    def names(self) -> frozenset[str]:
        return self.replace.names | (self.add_remove or frozenset())

    @property
    def partial(self) -> bool:
        return self.replace.partial or bool(self.add_remove)

    @property
    def any_values(self) -> bool:
        alone = self.replace == Groups(frozenset())
        return (alone or self.replace.any_values) and not self.add_remove

    def told(self, names: Collection[str]) -> Collection[str]:
        """The attributes, of these, whose values matter otherwise than by whether they are equal."""
        return names if self.add_remove else self.replace.told(names)

    @property
    def divisions(self) -> tuple[Part, ...]:
        return self.replace.divisions

    def placed(self, partitions: Placed) -> Policy:
        return self.among(partitions, NO_COPIES, MULTISETS)

    def among(self, partitions: Placed, copies: Copies, databases: DatabaseClass) -> Policy:
        """The same where parts hold certain records, and copies stand for records of a class."""
        alone = None if self.add_remove is None else copied(self.add_remove, copies)
        return Policy(self.name, self.replace.placed(partitions, copies, databases), alone)

    def is_known(self, named: Mapping[str, Granularity]) -> bool:
        return type(self) is Policy  # one's own may be made otherwise

    @property
    def reach(self) -> int | None:
        return 1

    def unfit(self, databases: DatabaseClass) -> str | None:
        if not (databases.unordered or databases.identified):
            return f"the policy {self.name} has no meaning on {databases.kind}: it is about records"
        if databases.identified and self.add_remove != frozenset():
            return f"the policy {self.name} lets records come or go, which those of tuples do not"
        why = self.replace.unfit(databases)
        return None if why is None else f"the policy {self.name}: {why}"

    def table(self) -> dict[str, Any]:
        """The policy as a problem file writes it down."""
        table: dict[str, Any] = {}
        if self.replace != Groups(frozenset()):
            table["replace"] = self.replace.data()
        if self.add_remove is None:
            table["add-remove"] = EVERY
        elif self.add_remove:
            table["add-remove"] = sorted(self.add_remove)
        return table


def policy(
    name: str | Graph,
    replace: str | Iterable[Collection[str]] | Mapping[str, Any] | Graph = (),
    add_remove: str | Iterable[str] = (),
) -> Policy:
    """The granularity in which a record becomes another one, or comes or goes.

    name -- what results call it, or a networkx graph of records, which may have a name itself;
    replace -- groups of records, any two of which may take each other's place (a pair of records is an edge),
    or "all"; a networkx graph, whose edges are these pairs; of records with attributes {"changes": ["label"]}
    (these may change, together), {"keeps": ["county"]} (all others may), {"one-of": ["age", "sick"]} (one of
    these may; "all" for one of all); {"within-distance": 1, "norm": "L1"} for records that are numbers or
    points, or whose attributes `of` are: the norm is L1, L2 or max;
    add_remove -- the records that may come or go, or "all".  On tuples records are replaced only.

    The canonical metric of multisets is the cheapest way to match what only D has with what only E has, by
    shortest paths in the policy.

    Raises ValueError where nothing changes; `compose` raises InvalidSetting for records that the class has
    not.

    >>> import dpcompose as dpc
    >>> county = dpc.policy("county", replace=[["a1", "a2"], ["b1", "b2"]])
    >>> homes = dpc.multisets({"a1", "a2", "b1", "b2"})
    >>> halves = dpc.record_partition(homes, {"a1", "b1"}, {"a2", "b2"})
    >>> M = [dpc.mechanism(n, dpc.pure(n.lower(), county, "common"), reads=f) for n, f in zip("XY", halves)]
    >>> dpc.compose(*M, on=homes, target=county).guarantee().epsilon
    x + y
    >>> floor = dpc.multisets(["(0, 0)", "(0, 1)", "(1, 1)"])
    >>> one_step = dpc.policy("one step", replace={"within-distance": 1, "norm": "L1"})
    >>> dpc.canonical_metric(floor, one_step)(("(0, 0)",), ("(1, 1)",))
    2
    """
    if not isinstance(name, str):
        name, replace = str(getattr(name, "name", "") or "policy"), name if replace == () else replace
    pairs = [list(map(str, edge)) for edge in edges_of(replace)] if is_graph(replace) else replace
    return by_edges(name, replacement_words.read(pairs, name), add_remove)


def by_edges(name: str, joined: Replacement, add_remove: str | Iterable[str]) -> Policy:
    """The policy in which records become others that they are joined with, and some come or go."""
    if isinstance(add_remove, str) and add_remove != EVERY:
        raise ValueError(f'add_remove is "{EVERY}", or a list, not {add_remove!r}')
    alone = None if add_remove == EVERY else frozenset(map(str, add_remove))
    if joined == Groups(frozenset()) and alone == frozenset():
        raise ValueError(f"{name}: no record is replaced, comes or goes, so there are no neighbours")
    return Policy(name, joined, alone)


def policy_of(granularity: Granularity) -> tuple[Policy, int] | None:
    """The policy on multisets whose edges are a granularity's single steps, and how many steps it counts.

    None where there is none.

    >>> from dpcompose.spaces.moves.built_in import bounded, unbounded
    >>> from dpcompose.spaces.moves.unions import union
    >>> from dpcompose.spaces.moves.groups import group
    >>> both, steps = policy_of(group(2, union(bounded, unbounded)))
    >>> both.joins("a", "b"), both.joins("a", None), steps
    (True, True, 2)
    """
    single, steps = granularity.innermost()
    if isinstance(single, Policy):
        return single, steps
    if len(single.either) > 1:
        both = [pair for pair in map(policy_of, single.either) if pair is not None]
        if len(both) < len(single.either) or any(m > 1 for _, m in both):
            return None
        return reduce(_together, (pair[0] for pair in both)), steps
    edits = single.edits(MULTISETS)
    if edits is None or edits.single is None or edits.most > 1 or single.is_counted_elsewhere:
        return None
    ways = edits.single
    joined = Every() if (1, 1) in ways else Groups(frozenset())
    return Policy(str(single), joined, None if (1, 0) in ways else frozenset()), steps


def edges(
    policy: Policy, atoms: Sequence[Sequence[str]], databases: DatabaseClass | None = None
) -> list[Edge]:
    """The policy on atoms, records that it does not tell apart: each by one record, or two if it has more.

    databases -- the class of the records, which says what attributes these have.

    >>> edges(policy("p", replace=[["a", "b"]], add_remove=["c"]), [["a"], ["b"], ["c", "d"]])
    [(0, 1), (-1, 2)]
    """
    if len(atoms) > MOST_KINDS:
        raise TooLarge(
            f"{len(atoms):,} kinds of records are more than the {MOST_KINDS:,} between which edges are "
            "looked for; fewer records, or values of attributes, would do"
        )
    return [
        *_joined(policy.replace, tuple(map(tuple, atoms)), databases),
        *((NOTHING, x) for x, atom in enumerate(atoms) if policy.joins(atom[0], None)),
    ]


@lru_cache(maxsize=32)
def _joined(
    replacement: Replacement, atoms: tuple[tuple[str, ...], ...], databases: DatabaseClass | None
) -> list[Edge]:
    """The atoms of which records may take each other's place, in order; several ask for the same."""
    return sorted(replacement.joined(atoms, databases))


def policies_in(granularity: Granularity) -> Iterator[Policy]:
    """The policies that a granularity is made of, by name."""
    single, _ = granularity.innermost()
    if isinstance(single, Policy):
        yield single
    for part in single.made_of:
        yield from policies_in(part)


MULTISETS = Multisets((), arbitrary=True)


def _together(first: Policy, other: Policy) -> Policy:
    """The policy with the edges of both."""
    alone = None
    if first.add_remove is not None and other.add_remove is not None:
        alone = first.add_remove | other.add_remove
    return Policy(f"{first} or {other}", together(first.replace, other.replace), alone)
