"""Reading products from JSON data: their parts, the distances on them, and mechanisms stated in these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpcompose.kernel.core import fibres
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.concrete import Noise, Query
from dpcompose.kernel.core.distances import Distance
from dpcompose.kernel.core.reader import BadSetting, Reader
from dpcompose.kernel.core.settings import InMetric, Mechanism
from dpcompose.kernel.expressions import metrics, naming
from dpcompose.kernel.expressions.points import Points
from dpcompose.kernel.expressions.terms import Term

KEYS = (
    *("name", "reads", "domain", "notion", "values"),
    *("count", "noise", "table", "processed", "filtered", "metric", "also"),
)
"""What is said of a mechanism on a product."""


def read_distances(
    reader: Reader,
    databases: Databases,
    input_of: Callable[[Reader, Databases], Mechanism],
) -> tuple[tuple[str, Distance], ...]:
    """The distances by their names, each made of those before it."""
    if not isinstance(reader.value, dict) or (reader.value and not databases.parts):
        raise reader.wrong("a table of distances, of a product,")
    if reader.value and not all(naming.read(name).is_parameter for name in reader.symbols):
        raise BadSetting(f"{reader.at}: names of parameters beside distances have no __")
    parts = dict(databases.parts)
    moving = {name: letter for part in databases.points for name, letter in part.letters().items()}
    distances: dict[str, Distance] = {}
    for name in map(str, reader.value):
        said = naming.read(name)
        if said.distance is None or name in moving or said.database == "F":
            raise reader.wrong(f"names that begin with {naming.of_distance('')}, and are no coordinates,")
        before = {other: metrics.letter(other) for other in distances}
        entry = Reader(reader.value[name], f"{reader.at}.{name}", {**reader.symbols, **moving, **before})
        distances[name] = _distance(entry, parts, input_of)
    return tuple(distances.items())


def _distance(
    reader: Reader,
    parts: Mapping[str, Points | Databases],
    input_of: Callable[[Reader, Databases], Mechanism],
) -> Distance:
    reader.keys(("formula", "apart", "within", "over", "differences", "parts", "part", "input", "at most"))
    given = [key for key in ("formula", "differences", "parts", "input") if key in reader.value]
    if len(given) > 1 or ("input" in given) != ("part" in reader.value):
        raise reader.wrong("a formula, or differences, or parts, or an input of a part,")
    apart = reader.key("apart", False).value
    if type(apart) is not bool or (apart and given != ["formula"]):
        raise reader.key("apart").wrong("true, of a formula,")
    within = reader.key("within").formula() if "within" in reader.value else None
    if within is not None and (apart or given != ["formula"] or not metrics.is_constant(within)):
        raise reader.key("within").wrong("a formula in parameters, of a formula,")
    at_most = reader.key("at most").formula() if "at most" in reader.value else None
    formula = reader.key("formula").formula() if "formula" in given else None
    differences = tuple(difference.formula() for difference in reader.key("differences", []).items())
    if any(term.has("oo") for term in (formula, within, at_most, *differences) if term is not None):
        raise reader.wrong("formulas without oo")
    if "over" in reader.value:
        return _over_fibres(reader, formula, parts, at_most)
    names = tuple(entry.text(*parts) for entry in reader.key("parts", []).items())
    if "input" not in given:
        return Distance(formula, apart, within, differences, names, at_most=at_most)
    called = reader.key("part").text(*parts)
    part = parts[called]
    if isinstance(part, Points) or part.only_steps:
        raise reader.key("part").wrong("a part of records or listed databases")
    return Distance(part=called, input=input_of(reader.key("input"), part), at_most=at_most)


def _over_fibres(
    reader: Reader, norm: Term | None, parts: Mapping[str, Points | Databases], at_most: Term | None
) -> Distance:
    """The closure of a norm over the fibres of a map that reads coordinates."""
    points = [part for part in parts.values() if isinstance(part, Points)]
    every = [name for part in points for name in part.coordinates]
    over = tuple(coordinate.text(*every) for coordinate in reader.key("over").items())
    alone = reader.value.keys().isdisjoint({"apart", "within"})
    term = fibres.closed(norm, over, points) if alone and norm is not None else None
    if term is None or len({*over}) < len(over):
        raise reader.wrong("a norm of coordinates, and those that are read, each once,")
    return Distance(term, at_most=at_most, over=over, norm=norm)


# mechanisms


def in_distances(
    given: Reader,
    values: Mapping[str, Any],
    distances: tuple[tuple[str, Mechanism], ...] = (),
    bounded: bool = False,
) -> InMetric:
    """A formula in distances; others for parameters of the guarantee, by their keys."""
    besides, formula = given.key("besides").values(), given.key("formula").formula()
    if not {key for key, _ in besides} <= set(values):
        raise given.key("besides").wrong("formulas for parameters of the guarantee")
    if any(term.has("oo") for term in (formula, *(value for _, value in besides))):
        raise given.wrong("formulas without oo")
    return InMetric(formula, distances, besides, bounded)


def read_noise(reader: Reader, databases: Databases) -> Noise:
    """Noise on a number of records, or on the values of points."""
    reader.keys(("query", "page", "parameter", "entries"))
    page, parameter = reader.key("page").text(), reader.key("parameter").formula()
    if "query" in reader.value:
        query = reader.key("query")
        query.keys(("page", "values"))
        return Noise(Query(query.key("page").text(), query.key("values").values()), page, parameter)
    moving = {name: letter for part in databases.points for name, letter in part.letters("D").items()}
    given = Reader(reader.value, reader.at, {**reader.symbols, **moving}).key("entries")
    entries = tuple(entry.formula() for entry in given.items())
    if not entries or any(entry.has("oo") or metrics.is_moving(entry) for entry in entries):
        raise given.wrong("formulas in the coordinates of D")
    return Noise(None, page, parameter, entries)


def check_mechanism(reader: Reader, mechanism: Mechanism) -> None:
    """Raises BadSetting unless a mechanism on a product has a formula in distances, and nothing else that
    would be about its inputs; of one that is a table that is a single distance."""
    reader.keys(KEYS)
    if mechanism.metric is None or mechanism.reads != (None,) or mechanism.domain != "own":
        raise reader.wrong("a metric of everything")
    every = [
        value
        for values in (mechanism.values, *(other.values for other in mechanism.also))
        for _, value in values
    ]
    given = [*every, *([] if mechanism.noise is None else [mechanism.noise.parameter])]
    if any(map(metrics.is_moving, [*given, *([] if mechanism.count is None else [mechanism.count])])):
        raise reader.wrong("formulas in parameters, and distances in a metric only,")
    alone = mechanism.metric.formula.kind == "letter" and not mechanism.metric.besides
    if (mechanism.noise is not None or mechanism.table is not None) and not alone:
        raise reader.key("metric").wrong("one distance, of noise or a table,")


def listed(databases: Databases) -> int:
    """How many listed databases there are, also as the only part of a product; 0 for all others."""
    parts = [part for _, part in databases.parts if not isinstance(part, Points)]
    return parts[0].count if len(databases.parts) == len(parts) == 1 else databases.count
