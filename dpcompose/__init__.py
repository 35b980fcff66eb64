"""dpcompose: proves or refutes bounds on compositions of differentially private mechanisms.

The rooms, in the order in which they import each other: kernel (theorem pages), language (symbols, formulas),
spaces (databases, granularities, metrics, maps), privacy (notions, mechanisms, settings,
problem files), proof (lines, checker), search (decisions, bounds, verdicts), front
(studies, the command).  What a user needs is here; names are loaded when they are first used,
so that `dpcompose --help` is instant:

* databases: multisets, sets, sequences, tuples, streams, tables, graphs, listed;
* neighbours: unbounded, bounded, event, w_event, insert_delete, user, attribute, edge, node, node_removal,
  free_lunch, group, union, within_any_size, policy, contribution, and your own by relation, steps, pairs;
* what is read: restriction, record_partition, positions, columns, where, between, vertex, among, function,
  table, recoding, composed, random_part, everything; samples: poisson_sample, fixed_sample, drawn_sample;
* concrete mechanisms: count, clipped_sum, vector_sum, mean, variance, histogram, scores, monotone_scores,
  keys, questions, location, bit with laplace, gaussian_noise, geometric, randomized_response,
  planar_laplace, exponential, above_threshold; density, of their outputs; query and noise,
  of your own with a declared sensitivity, by a density;
* tables of probabilities: probability_table, randomized_response_table, exponential_mechanism_table,
  independent;
* guarantees: pure, approximate, zcdp, gaussian, renyi, tcdp, f_dp, in_metric; parameters, the symbols in
  them;
* compositions: mechanism, filter, compose, load, loads, Study; recheck, of what was saved; in metrics of
  one's own: metric_study, load_metric, MetricStudy, of points and product, with norm, steps_between,
  distances, in_coordinates, at_most, within;
* metrics and expressions: canonical_metric, sensitivity, compare, databases, database, at, size,
  symmetric_difference;
* theorem pages, with those of one's own: theorems; audit, the search for a setting in which one fails;
* large finite classes, on arrays: finite;
* other people's tools: from_event, to_event, from_opendp; deployment cards: card, card_of;
* graphs and pictures: neighbourhood_graph, push_forward, draw, explorer, budget_bars, outcome_bars,
  to_dot, privacy_curve, trade_off_curve.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpcompose.front.documents.canonical import canonical_metric
    from dpcompose.front.drawings.bars import budget_bars, outcome_bars
    from dpcompose.front.drawings.explorer import explorer
    from dpcompose.front.drawings.pictures import draw, to_dot
    from dpcompose.front.drawings.plots import privacy_curve, trade_off_curve
    from dpcompose.front.interop.cards import card, card_of
    from dpcompose.front.interop.events import from_event, to_event
    from dpcompose.front.interop.measurements import from_opendp
    from dpcompose.front.studies.composing import (
        compose,
        load,
        load_metric,
        loads,
        metric_study,
        recheck,
    )
    from dpcompose.front.studies.filters import filter
    from dpcompose.front.studies.library import audit, theorems
    from dpcompose.front.studies.study import MetricStudy, Study
    from dpcompose.language.symbols import parameters
    from dpcompose.privacy.builder import (
        at_most,
        distances,
        in_coordinates,
        norm,
        points,
        product,
        steps_between,
        within,
    )
    from dpcompose.privacy.finite.tabulated import (
        exponential_mechanism_table,
        independent,
        probability_table,
        randomized_response_table,
    )
    from dpcompose.privacy.guarantees.notions import approximate, gaussian, in_metric, pure, renyi, tcdp, zcdp
    from dpcompose.privacy.guarantees.tradeoffs import f_dp
    from dpcompose.privacy.mechanisms.declared import noise, query
    from dpcompose.privacy.mechanisms.noises import (
        above_threshold,
        exponential,
        gaussian_noise,
        geometric,
        laplace,
        planar_laplace,
        randomized_response,
    )
    from dpcompose.privacy.mechanisms.statements import mechanism
    from dpcompose.proof.counterexamples.densities import density
    from dpcompose.proof.sensitivity import compare, sensitivity
    from dpcompose.spaces.canonical.finite import finite
    from dpcompose.spaces.canonical.graphs import neighbourhood_graph, push_forward
    from dpcompose.spaces.classes.listed import listed
    from dpcompose.spaces.classes.multisets import multisets
    from dpcompose.spaces.classes.sequences import sequences
    from dpcompose.spaces.classes.subsets import sets
    from dpcompose.spaces.classes.tuples import streams, tuples
    from dpcompose.spaces.classes.vertices import graphs
    from dpcompose.spaces.inputs.attributed import between, columns, tables, where
    from dpcompose.spaces.inputs.composed import composed
    from dpcompose.spaces.inputs.deals import random_part
    from dpcompose.spaces.inputs.keys import keys
    from dpcompose.spaces.inputs.locations import location
    from dpcompose.spaces.inputs.maps import everything, function, table
    from dpcompose.spaces.inputs.queries import (
        bit,
        clipped_sum,
        count,
        histogram,
        mean,
        variance,
        vector_sum,
    )
    from dpcompose.spaces.inputs.questions import questions
    from dpcompose.spaces.inputs.reading import among, vertex
    from dpcompose.spaces.inputs.recodings import recoding
    from dpcompose.spaces.inputs.restrictions import positions, record_partition, restriction
    from dpcompose.spaces.inputs.scores import monotone_scores, scores
    from dpcompose.spaces.inputs.written import at, database, databases, size, symmetric_difference
    from dpcompose.spaces.moves.built_in import (
        attribute,
        bounded,
        edge,
        event,
        free_lunch,
        insert_delete,
        node,
        node_removal,
        unbounded,
        user,
    )
    from dpcompose.spaces.moves.changes import w_event
    from dpcompose.spaces.moves.contributions import contribution
    from dpcompose.spaces.moves.groups import group
    from dpcompose.spaces.moves.larger import within_any_size
    from dpcompose.spaces.moves.policies import policy
    from dpcompose.spaces.moves.relations import pairs, relation, steps
    from dpcompose.spaces.moves.unions import union

__version__ = "0.1.0"

_PLACES = {
    "front.drawings.bars": ("budget_bars", "outcome_bars"),
    "front.drawings.explorer": ("explorer",),
    "front.drawings.pictures": ("draw", "to_dot"),
    "front.drawings.plots": ("privacy_curve", "trade_off_curve"),
    "front.documents.canonical": ("canonical_metric",),
    "front.interop.cards": ("card", "card_of"),
    "front.interop.events": ("from_event", "to_event"),
    "front.interop.measurements": ("from_opendp",),
    "front.studies.filters": ("filter",),
    "front.studies.composing": ("compose", "load", "load_metric", "loads", "metric_study", "recheck"),
    "front.studies.study": ("MetricStudy", "Study"),
    "language.symbols": ("parameters",),
    "privacy.mechanisms.declared": ("noise", "query"),
    "privacy.mechanisms.statements": ("mechanism",),
    "privacy.builder": (
        "at_most",
        "distances",
        "in_coordinates",
        "norm",
        "points",
        "product",
        "steps_between",
        "within",
    ),
    "privacy.mechanisms.noises": (
        "above_threshold",
        "exponential",
        "gaussian_noise",
        "geometric",
        "laplace",
        "planar_laplace",
        "randomized_response",
    ),
    "privacy.mechanisms.samples": ("drawn_sample", "fixed_sample", "poisson_sample"),
    "privacy.guarantees.notions": ("approximate", "gaussian", "in_metric", "pure", "renyi", "tcdp", "zcdp"),
    "privacy.guarantees.tradeoffs": ("f_dp",),
    "privacy.finite.tabulated": (
        "exponential_mechanism_table",
        "independent",
        "probability_table",
        "randomized_response_table",
    ),
    "proof.counterexamples.densities": ("density",),
    "front.studies.library": ("audit", "theorems"),
    "proof.sensitivity": ("compare", "sensitivity"),
    "spaces.inputs.attributed": ("between", "columns", "tables", "where"),
    "spaces.inputs.composed": ("composed",),
    "spaces.moves.contributions": ("contribution",),
    "spaces.inputs.written": ("at", "database", "databases", "size", "symmetric_difference"),
    "spaces.canonical.finite": ("finite",),
    "spaces.moves.built_in": (
        "attribute",
        "bounded",
        "edge",
        "event",
        "free_lunch",
        "insert_delete",
        "node",
        "node_removal",
        "unbounded",
        "user",
    ),
    "spaces.moves.changes": ("w_event",),
    "spaces.moves.relations": ("pairs", "relation", "steps"),
    "spaces.moves.unions": ("union",),
    "spaces.canonical.graphs": ("neighbourhood_graph", "push_forward"),
    "spaces.moves.groups": ("group",),
    "spaces.moves.larger": ("within_any_size",),
    "spaces.classes.listed": ("listed",),
    "spaces.inputs.maps": ("everything", "function", "table"),
    "spaces.classes.multisets": ("multisets",),
    "spaces.moves.policies": ("policy",),
    "spaces.inputs.locations": ("location",),
    "spaces.inputs.queries": (
        "bit",
        "clipped_sum",
        "count",
        "histogram",
        "mean",
        "variance",
        "vector_sum",
    ),
    "spaces.inputs.deals": ("random_part",),
    "spaces.inputs.reading": ("among", "vertex"),
    "spaces.inputs.keys": ("keys",),
    "spaces.inputs.questions": ("questions",),
    "spaces.inputs.scores": ("monotone_scores", "scores"),
    "spaces.inputs.recodings": ("recoding",),
    "spaces.inputs.restrictions": ("positions", "record_partition", "restriction"),
    "spaces.classes.sequences": ("sequences",),
    "spaces.classes.subsets": ("sets",),
    "spaces.classes.vertices": ("graphs",),
    "spaces.classes.tuples": ("streams", "tuples"),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "MetricStudy",
    "Study",
    "above_threshold",
    "among",
    "approximate",
    "at",
    "at_most",
    "attribute",
    "audit",
    "between",
    "bit",
    "bounded",
    "budget_bars",
    "canonical_metric",
    "card",
    "card_of",
    "clipped_sum",
    "columns",
    "compare",
    "compose",
    "composed",
    "contribution",
    "count",
    "database",
    "databases",
    "density",
    "distances",
    "draw",
    "drawn_sample",
    "edge",
    "event",
    "everything",
    "explorer",
    "exponential",
    "exponential_mechanism_table",
    "f_dp",
    "filter",
    "finite",
    "fixed_sample",
    "free_lunch",
    "from_event",
    "from_opendp",
    "function",
    "gaussian",
    "gaussian_noise",
    "geometric",
    "graphs",
    "group",
    "histogram",
    "in_coordinates",
    "in_metric",
    "independent",
    "insert_delete",
    "keys",
    "laplace",
    "listed",
    "load",
    "load_metric",
    "loads",
    "location",
    "mean",
    "mechanism",
    "metric_study",
    "monotone_scores",
    "multisets",
    "neighbourhood_graph",
    "node",
    "node_removal",
    "noise",
    "norm",
    "outcome_bars",
    "pairs",
    "parameters",
    "planar_laplace",
    "points",
    "poisson_sample",
    "policy",
    "positions",
    "privacy_curve",
    "probability_table",
    "product",
    "pure",
    "push_forward",
    "query",
    "questions",
    "random_part",
    "randomized_response",
    "randomized_response_table",
    "recheck",
    "recoding",
    "record_partition",
    "relation",
    "renyi",
    "restriction",
    "scores",
    "sensitivity",
    "sequences",
    "sets",
    "size",
    "steps",
    "steps_between",
    "streams",
    "symmetric_difference",
    "table",
    "tables",
    "tcdp",
    "theorems",
    "to_dot",
    "to_event",
    "trade_off_curve",
    "tuples",
    "unbounded",
    "union",
    "user",
    "variance",
    "vector_sum",
    "vertex",
    "w_event",
    "where",
    "within",
    "within_any_size",
    "zcdp",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACE_OF:
        near = import_module("dpcompose.kernel.library.fields").near(name, _PLACE_OF)
        near = f"; did you mean {name.lower()!r}?" if name.lower() in _PLACE_OF else near
        raise AttributeError(f"module 'dpcompose' has no attribute {name!r}{near}")
    return getattr(import_module(f"dpcompose.{_PLACE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACE_OF])
