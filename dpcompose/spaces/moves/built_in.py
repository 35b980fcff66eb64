"""The granularities that problem files call by name."""

from __future__ import annotations

from dpcompose.language.said import in_series
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.moves.changes import Changes
from dpcompose.spaces.moves.granularities import Granularity, Meaning
from dpcompose.spaces.moves.single_edits import AllPairs, AnyTwo, EntryEdits, RecordEdits, VertexEdits

NO_USERS = (
    "it is not said whose the records are: users = { Ann = [1, 3], Bob = [2] } says which positions are whose"
)


unbounded = RecordEdits(
    "unbounded",
    frozenset({(1, 0), (0, 1)}),
    called="add/remove",
    means=Meaning(
        "add or remove one record",
        """: |D △ E| = 1 (GB Def. II.3).  About multisets.

    Its canonical metric is |D △ E| (GB Prop. A.1), if databases may have any size up to a limit; where
    all have one size there are no such neighbours, and a study says so.

    >>> import dpcompose as dpc
    >>> dpc.unbounded.are_neighbours(("a",), ("a", "b"))
    True
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), dpc.unbounded)(("a", "a"), ("b",))
    3
    """,
    ),
)

bounded = RecordEdits(
    "bounded",
    frozenset({(1, 1)}),
    frozenset({"tuples", "streams", "tables", "sequences"}),
    "replace-one",
    Meaning(
        "change one record",
        """: |D| = |E| and |D △ E| = 2 (GB Def. II.4); on tuples, streams and sequences, at one position.

    On multisets a record is replaced by another, and nobody can say whose it was; on tuples the record at
    one identifier changes (GB Ex. IV.7), on sequences that of one entry.  The canonical metric is |D∖E|, or
    the number of positions at which tuples and sequences differ; oo between databases of different size.

    >>> import dpcompose as dpc
    >>> dpc.bounded.are_neighbours(("a", "a"), ("a", "b"))
    True
    >>> dpc.canonical_metric(dpc.multisets({"a", "b"}), dpc.bounded)(("a", "b"), ("b", "a"))
    0
    >>> dpc.canonical_metric(dpc.tuples({"a", "b"}), dpc.bounded)(("a", "b"), ("b", "a"))
    2
    """,
    ),
)

event = RecordEdits(
    "event",
    ordered=frozenset({"streams"}),
    means=Meaning(
        "streams of one length that differ, arbitrarily, at one time step",
        """.

    The canonical metric is the number of time steps at which they differ; oo for different lengths.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.streams({"on", "off"}, "= 3"), dpc.event)
    >>> d(("on", "on", "off"), ("off", "on", "on"))
    2
    """,
    ),
)

node_removal = VertexEdits(
    "node-removal",
    Meaning(
        "graphs one of which is the other without one vertex and its edges",
        """.

    The canonical metric is |V△V'| plus twice the fewest vertices of V∩V' at which all edges between such
    vertices lie that only one of the graphs has: these vertices go and come back.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.graphs("<= 3"), dpc.node_removal)
    >>> d(((1,), (2,), (1, 2)), ((1,),)), d(((1,), (2,), (1, 2)), ((1,), (2,)))
    (1, 2)
    """,
    ),
)

insert_delete = EntryEdits(
    "insert-delete",
    Meaning(
        "sequences one of which is the other with one entry deleted",
        """.

    The canonical metric is |D| + |E| minus twice the length of a longest common subsequence.

    >>> import dpcompose as dpc
    >>> dpc.insert_delete.are_neighbours(("a", "b", "a"), ("a", "a"))
    True
    >>> dpc.canonical_metric(dpc.sequences("ab"), dpc.insert_delete)(("a", "b"), ("b", "a"))
    2
    """,
    ),
)

free_lunch = AnyTwo(
    "free-lunch",
    Meaning(
        "any two different databases are neighbours",
        """ (GB Rem. III.7), on every class.

    Its canonical metric is 1 for different databases.  A guarantee for these neighbours implies one for
    all others, with the same parameter; the converse depends on how far databases can be apart:

    >>> import dpcompose as dpc
    >>> dpc.compare(dpc.bounded, dpc.free_lunch, dpc.multisets(size="= 6")).forth.value
    6
    """,
    ),
)

all_pairs = AllPairs("all pairs")
"""Any two databases: what is lost at these is a formula in metrics, and no number (GB Def. III.2)."""

edge = Changes(
    "edge",
    {"graphs": lambda graphs: ([pair] for pair in graphs.cells)},
    Meaning(
        "graphs on the same vertices that differ in one edge",
        """.

    The canonical metric is |E△E'|, the number of pairs of vertices that are joined in one of the two only.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.graphs(4), dpc.edge)
    >>> d(((1, 2), (2, 3)), ((1, 2), (3, 4)))
    2
    """,
    ),
)

node = Changes(
    "node",
    {"graphs": lambda graphs: graphs.stars},
    Meaning(
        "graphs on the same vertices that differ only in edges at one vertex",
        """: one person's links change.

    The canonical metric is the fewest vertices at which all edges of E△E' lie, a vertex cover of it.

    >>> import dpcompose as dpc
    >>> d = dpc.canonical_metric(dpc.graphs(4), dpc.node)
    >>> d((), ((1, 2), (1, 3), (1, 4))), d((), ((1, 2), (3, 4)))
    (1, 2)
    """,
    ),
)

attribute = Changes(
    "attribute",
    {"tables": lambda tables: ([cell] for cell in tables.cells)},
    reach=1,
    means=Meaning(
        "tables that differ in one attribute of one record",
        """.

    The canonical metric is the number of differing cells; oo for different numbers of records.

    >>> import dpcompose as dpc
    >>> people = dpc.tables({"age": ["young", "old"], "sick": ["no", "yes"]}, "= 2")
    >>> d = dpc.canonical_metric(people, dpc.attribute)
    >>> d(("(young, no)", "(old, no)"), ("(old, yes)", "(old, no)"))
    2
    """,
    ),
)

user = Changes(
    "user",
    {kind: lambda tuples: tuples.by_owner for kind in ("tuples", "streams")},
    Meaning(
        "tuples or streams that differ only in records of one user",
        """: all that a person contributed may change.

    The canonical metric is the number of users whose records differ.

    >>> import dpcompose as dpc
    >>> visits = dpc.tuples({"no", "yes"}, "= 3", users={"Ann": [1, 3], "Bob": [2]})
    >>> dpc.canonical_metric(visits, dpc.user)(("no", "no", "no"), ("yes", "no", "yes"))
    1
    """,
    ),
    lacks=lambda databases: None if databases.owners else NO_USERS,
)


BUILT_IN = {
    granularity.name: granularity
    for granularity in (
        unbounded,
        bounded,
        event,
        user,
        attribute,
        edge,
        node,
        node_removal,
        insert_delete,
        free_lunch,
    )
}


def misfit(granularity: Granularity, databases: DatabaseClass) -> str | None:
    """Why a granularity has no meaning on a class, and which have one there; None where it has one.

    >>> import dpcompose as dpc
    >>> print(misfit(unbounded, dpc.sequences("ab")).split("; ")[1])
    there are bounded, insert-delete and free-lunch
    """
    why, (of, _) = granularity.unfit(databases), granularity.single_step.innermost()
    if of.unfit(databases) is None or databases.is_listed:  # which needs one of its own
        return why
    fitting = [name for name, known in BUILT_IN.items() if known.unfit(databases) is None]
    return f"{why}; there {'is' if len(fitting) == 1 else 'are'} {in_series(fitting)}"


__test__ = {name: granularity.__doc__ for name, granularity in BUILT_IN.items()}
"""The examples in these docstrings, for doctest."""
