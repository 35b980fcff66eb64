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

from functools import cache
from importlib import import_module
from typing import Any

__version__ = "0.1.0"


@cache
def _places() -> dict[str, str]:
    """By each name the file that it is in, as the stub says, which editors and type checkers read."""
    import ast

    with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stub:
        imports = [one for one in ast.parse(stub.read()).body if isinstance(one, ast.ImportFrom)]
    return {alias.name: str(one.module) for one in imports for alias in one.names}


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__all__":  # what Python and its tools ask of any module
        raise AttributeError(f"module 'dpcompose' has no attribute {name!r}")
    places = _places()
    if name == "__all__":
        return sorted(places)
    if name not in places:
        near = import_module("dpcompose.kernel.library.fields").near(name, places)
        near = f"; did you mean {name.lower()!r}?" if name.lower() in places else near
        raise AttributeError(f"module 'dpcompose' has no attribute {name!r}{near}")
    value = globals()[name] = getattr(import_module(places[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_places()])
