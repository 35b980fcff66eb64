"""dpcompose: proves or refutes bounds on compositions of differentially private mechanisms.

The rooms, in the order in which they import each other: language (symbols, formulas),
spaces (databases, granularities, metrics, maps), privacy (notions, mechanisms, settings,
problem files), proof (kernel, pages, checker), search (decisions, bounds, verdicts), front
(studies, the command).  What a user needs is here; names are loaded when they are first used,
so that `dpcompose --help` is instant:

* databases: multisets, tuples, streams, listed;
* neighbours: unbounded, bounded, event, free_lunch, group, and your own by relation, steps, pairs;
* what is read: restriction, record_partition, positions, function, table, composed, everything;
* concrete mechanisms: count, clipped_sum, mean, histogram, location, bit with laplace, gaussian_noise,
  geometric, randomized_response, planar_laplace, exponential; density, how their outputs are distributed;
* tables of probabilities: probability_table, randomized_response_table, exponential_mechanism_table,
  independent;
* guarantees: pure, approximate, zcdp, gaussian; parameters, the symbols in them;
* compositions: mechanism, compose, load, Study;
* metrics and expressions: canonical_metric, sensitivity, compare, databases, database, at, size,
  symmetric_difference;
* graphs and pictures: neighbourhood_graph, push_forward, draw, budget_bars, to_dot.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpcompose.front.pictures import budget_bars, draw, to_dot
    from dpcompose.front.study import Study, canonical_metric, compose, load
    from dpcompose.language.symbols import parameters
    from dpcompose.privacy.mechanisms import mechanism
    from dpcompose.privacy.noises import (
        exponential,
        gaussian_noise,
        geometric,
        laplace,
        planar_laplace,
        randomized_response,
    )
    from dpcompose.privacy.notions import approximate, gaussian, pure, zcdp
    from dpcompose.privacy.tables import (
        exponential_mechanism_table,
        independent,
        probability_table,
        randomized_response_table,
    )
    from dpcompose.proof.densities import density
    from dpcompose.proof.sensitivity import compare, sensitivity
    from dpcompose.spaces.databases import listed, multisets, streams, tuples
    from dpcompose.spaces.expressions import at, database, databases, size, symmetric_difference
    from dpcompose.spaces.granularities import (
        bounded,
        event,
        free_lunch,
        group,
        pairs,
        relation,
        steps,
        unbounded,
    )
    from dpcompose.spaces.graphs import neighbourhood_graph, push_forward
    from dpcompose.spaces.maps import (
        composed,
        everything,
        function,
        positions,
        record_partition,
        restriction,
        table,
    )
    from dpcompose.spaces.queries import bit, clipped_sum, count, histogram, location, mean

__version__ = "0.1.0"

_PLACES = {
    "front.pictures": ("budget_bars", "draw", "to_dot"),
    "front.study": ("Study", "canonical_metric", "compose", "load"),
    "language.symbols": ("parameters",),
    "privacy.mechanisms": ("mechanism",),
    "privacy.noises": (
        "exponential",
        "gaussian_noise",
        "geometric",
        "laplace",
        "planar_laplace",
        "randomized_response",
    ),
    "privacy.notions": ("approximate", "gaussian", "pure", "zcdp"),
    "privacy.tables": (
        "exponential_mechanism_table",
        "independent",
        "probability_table",
        "randomized_response_table",
    ),
    "proof.densities": ("density",),
    "proof.sensitivity": ("compare", "sensitivity"),
    "spaces.databases": ("listed", "multisets", "streams", "tuples"),
    "spaces.expressions": ("at", "database", "databases", "size", "symmetric_difference"),
    "spaces.granularities": (
        "bounded",
        "event",
        "free_lunch",
        "group",
        "pairs",
        "relation",
        "steps",
        "unbounded",
    ),
    "spaces.graphs": ("neighbourhood_graph", "push_forward"),
    "spaces.maps": (
        "composed",
        "everything",
        "function",
        "positions",
        "record_partition",
        "restriction",
        "table",
    ),
    "spaces.queries": ("bit", "clipped_sum", "count", "histogram", "location", "mean"),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "Study",
    "approximate",
    "at",
    "bit",
    "bounded",
    "budget_bars",
    "canonical_metric",
    "clipped_sum",
    "compare",
    "compose",
    "composed",
    "count",
    "database",
    "databases",
    "density",
    "draw",
    "event",
    "everything",
    "exponential",
    "exponential_mechanism_table",
    "free_lunch",
    "function",
    "gaussian",
    "gaussian_noise",
    "geometric",
    "group",
    "histogram",
    "independent",
    "laplace",
    "listed",
    "load",
    "location",
    "mean",
    "mechanism",
    "multisets",
    "neighbourhood_graph",
    "pairs",
    "parameters",
    "planar_laplace",
    "positions",
    "probability_table",
    "pure",
    "push_forward",
    "randomized_response",
    "randomized_response_table",
    "record_partition",
    "relation",
    "restriction",
    "sensitivity",
    "size",
    "steps",
    "streams",
    "symmetric_difference",
    "table",
    "to_dot",
    "tuples",
    "unbounded",
    "zcdp",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACE_OF:
        raise AttributeError(f"module 'dpcompose' has no attribute {name!r}")
    return getattr(import_module(f"dpcompose.{_PLACE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACE_OF])
