"""What users hand in where a class, neighbours or a map is wanted: a graph, a name, a set, a function.

Each becomes a value of ours; what does not is refused with what would fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from dpcompose.kernel.library.fields import near
from dpcompose.language import formulas
from dpcompose.language.synonyms import in_words, meant
from dpcompose.spaces.classes.attributes import values_of
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.listed import is_graph, listed
from dpcompose.spaces.inputs.attributed import tables
from dpcompose.spaces.inputs.maps import Map, everything, function, table
from dpcompose.spaces.inputs.restrictions import positions, restriction
from dpcompose.spaces.moves.built_in import BUILT_IN
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.relations import pairs

if TYPE_CHECKING:
    from networkx import Graph

UNNAMED, UNCALLED = "graph", "f"
"""What the edges of a graph, and a function or its values, are called that have no name."""
Neighbours: TypeAlias = Union[Granularity, "Graph", str]
Inputs: TypeAlias = (
    "Map | Set[str] | Set[int] | slice | range | Callable[[Database], Database] | Mapping[Any, Database]"
)


def classes(given: object) -> DatabaseClass:
    """A class of databases: itself, the nodes of a graph, the tables of a data frame, or a list or set.

    Raises TypeError.

    >>> classes(["a", "b"])
    the 2 listed databases
    """
    if isinstance(given, DatabaseClass):
        return given
    if is_graph(given):
        nodes: Any = given
        return listed(nodes.nodes)
    if hasattr(given, "columns"):
        return tables(given)
    given = values_of(given)
    if isinstance(given, list | tuple | set | frozenset):
        return listed(sorted(given, key=str) if isinstance(given, Set) else given)
    raise TypeError(
        f"a class of databases is such as dpcompose.multisets(), a list of databases, or a networkx graph on "
        f"them, not {_shown(given)}"
        + ("; dpcompose.tables(...) has columns with their values" if isinstance(given, Mapping) else "")
    )


def neighbours(given: object) -> Granularity:
    """A granularity: itself, one by its name, or the edges of a graph.  Raises TypeError, ValueError.

    >>> neighbours("bounded")
    bounded neighbours
    """
    if isinstance(given, Granularity):
        return given
    if is_graph(given):
        return pairs(str(getattr(given, "name", "") or UNNAMED), given)
    if isinstance(given, str):
        if given in BUILT_IN:
            return BUILT_IN[given]
        said = in_words(given, BUILT_IN)
        other = meant(given, BUILT_IN)
        hint = f"; did you mean {other!r}?" if other else f"; {said}" if said else near(given, BUILT_IN)
        raise ValueError(f"there is no granularity {given!r}{hint}")
    raise TypeError(
        f"neighbours are a granularity such as dpcompose.bounded, or a networkx graph, not {_shown(given)}"
    )


def has_weights(given: object) -> bool:
    """Whether this is a graph with edges of other weights than 1."""
    return is_graph(given) and any(weight != 1 for *_, weight in given.edges(data="weight", default=1))


def told_apart(some: Iterable[Any]) -> dict[Any, Any]:
    """Names for those of some graphs and functions that have none, beyond the first: graph_2, f_2, …

    >>> one, two = (pairs("graph", [edge]) for edge in ("ab", "ac"))
    >>> told_apart([one, two, one])
    {graph neighbours: graph_2 neighbours}
    """
    found, times = dict[Any, Any](), Counter[str]()
    for one in dict.fromkeys(some):
        name: str = getattr(one, "name", "")
        if name in (UNNAMED, UNCALLED) and "name" in getattr(one, "__dataclass_fields__", ()):
            times[name] += 1
            found |= {one: replace(one, name=f"{name}_{times[name]}")} if times[name] > 1 else {}
    return found


def maps(given: object) -> Map:
    """What is read: a map, a set of records or positions, a range of these, a function, its values by
    database, or a sympy expression.

    A range or slice counts from 0, as in Python: slice(2) are the positions 1 and 2.  Raises TypeError.

    >>> maps({"a"}).written("D"), maps({1, 3}).written("D"), maps(slice(2)).written("D")
    ('D|{a}', 'D[1, 3]', 'D[1, 2]')
    """
    if isinstance(given, Map):
        return given
    given = values_of(given)
    if isinstance(given, slice):
        if given.stop is None or given.stop < 0 or (given.start or 0) < 0:
            raise TypeError("a slice of positions has an end, and counts from the start: slice(0, 2)")
        given = range(given.stop)[given]
    if isinstance(given, range):
        return positions(*(n + 1 for n in given))
    if isinstance(given, Set | list | tuple) and given:
        return _of_set(given)
    if isinstance(given, Mapping) and given:
        return table(UNCALLED, given)
    if given == "everything":
        return everything
    given = _of_expression(given)
    if getattr(given, "is_FiniteSet", False):
        some: Any = given
        return _of_set([int(one) if one.is_Integer else str(one) for one in some])
    if callable(given):
        called = getattr(given, "__name__", UNCALLED)
        return function(UNCALLED if called == "<lambda>" else called, given)
    if isinstance(given, str) and get_close_matches(given, ["everything"]):
        raise TypeError(f"there is nothing {given!r} to read; did you mean 'everything'?")
    raise TypeError(
        "reads is a map such as dpcompose.restriction([...]) or dpcompose.everything, a set of records, a "
        f"slice of positions, a function, or its values by database, not {_shown(given)}"
        + (f'; of attributes dpcompose.columns("{given}")' if isinstance(given, str) else "")
    )


def _of_expression(given: Any) -> Any:
    """The function of a sympy expression in one symbol, which is the database; all else as it is."""
    if formulas.is_expression(given) and not callable(given) and len(given.free_symbols) == 1:
        from sympy import Lambda

        from dpcompose.spaces.inputs.expressions import DatabaseSymbol, expression_of

        (D,) = given.free_symbols
        if isinstance(D, DatabaseSymbol):
            return lambda database: given.xreplace({D: expression_of(database)})
        return Lambda(D, given)
    return given


def _of_set(given: Iterable[Any]) -> Map:
    """The records of a set, or the positions."""
    numbers = [one for one in given if isinstance(one, int) and not isinstance(one, bool)]
    some = list(given)
    if len(numbers) == len(some):
        return positions(*sorted(numbers))
    if numbers:
        raise TypeError("what is read is a set of records, or of positions, and not of both")
    return restriction(sorted(map(str, some)))


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 60 else type(given).__name__
