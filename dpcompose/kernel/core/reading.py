"""Reading core settings from JSON data, as saved files have it.

What is read is checked to be a setting: numbers are in range, what is read is there, relations fit the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpcompose.kernel.core import classes, letters, products, relations
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.concrete import Noise, Query, Sampled, Table
from dpcompose.kernel.core.contributions import is_count
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.core.reader import BadSetting, Reader
from dpcompose.kernel.core.settings import (
    InMetric,
    Mechanism,
    Setting,
    Stated,
)
from dpcompose.kernel.expressions import metrics, naming, terms
from dpcompose.kernel.expressions.terms import Term

MOST_MECHANISMS = 20_000


def read(data: Any) -> Setting:
    """The core setting that JSON data states.  Raises BadSetting.

    >>> read({"parameters": {}})
    Traceback (most recent call last):
    dpcompose.kernel.core.reader.BadSetting: setting: the key databases is missing
    """
    return _setting(Reader(data, "setting", {}), 0)


MOST_NESTED = 100
KEYS = (
    *("parameters", "databases", "target", "mechanisms", "adaptive", "flat", "assumed", "distances"),
    "orders",
)


def _setting(reader: Reader, depth: int) -> Setting:
    known = reader.value if isinstance(reader.value, Setting) else None  # which was read already
    if depth + (0 if known is None else known.depth) > MOST_NESTED:
        raise BadSetting(f"studies lie in one another more than {MOST_NESTED} deep")
    if known is not None:
        return known
    reader.keys(KEYS)
    parameters = letters.parameters(reader.key("parameters"))
    inner = reader.with_symbols({name: terms.letter(name, domain) for name, domain in parameters})
    databases = classes.read(inner.key("databases"))
    orders = letters.orders_of(inner) if "orders" in reader.value else None
    far = products.read_distances(
        inner.key("distances", {}), databases, lambda entry, part: _mechanism(entry, part, depth)
    )
    inner = inner.with_symbols({name: metrics.letter(name) for name, _ in far})
    readers = inner.key("mechanisms").items()
    if not 1 <= len(readers) <= MOST_MECHANISMS:
        raise inner.key("mechanisms").wrong(f"a list of 1 to {MOST_MECHANISMS} mechanisms")
    mechanisms = tuple(_mechanism(entry, databases, depth, orders) for entry in readers)
    if len({mechanism.name for mechanism in mechanisms}) < len(mechanisms):
        raise BadSetting(f"{reader.at}.mechanisms: two have the same name")
    every = [distance for mechanism in mechanisms for distance in (mechanism, *distances_of(mechanism))]
    moving = [distance for distance in every if distance.metric is None]
    if any(len(counted.moves) != len(moving) for counted in databases.types):
        raise BadSetting(
            f"{reader.at}.databases.types: a distance of each of {len(moving)} mechanisms is wanted"
        )
    _check_partitions(reader, every)
    target = inner.key("target").once(relations.relation, databases, databases.count)
    also = (other.stated for mechanism in mechanisms for other in mechanism.also)
    for relation in (target, *(mechanism.stated for mechanism in mechanisms), *also):
        if relation is not None and relation.lengths:  # a step may have none in between
            raise BadSetting(f"{reader.at}: lengths are those of distances in a metric only")
    flat = _setting(reader.key("flat"), depth + 1) if "flat" in reader.value else None
    assumed = tuple(map(letters.assumption, inner.key("assumed", []).items()))
    for mechanism in mechanisms:
        if mechanism.study is not None and not {*mechanism.study.assumed} <= {*assumed}:
            raise BadSetting(f"{reader.at}: the study {mechanism.name} assumes more than the whole")
    if flat is not None and flat.assumed != assumed:
        raise BadSetting(f"{reader.at}.flat: other relations are assumed")
    parameters = letters.with_order(
        reader, parameters, orders, bool(far), (flat, *(mechanism.study for mechanism in mechanisms))
    )
    adaptive = inner.key("adaptive", False).boolean()
    return Setting(parameters, databases, target, mechanisms, adaptive, flat, assumed, far, orders)


def _check_partitions(reader: Reader, mechanisms: Sequence[Mechanism]) -> None:
    """All mechanisms that name a partition have its parts."""
    partitions: dict[str, Any] = {}
    for n, mechanism in enumerate(mechanisms):
        parts = (mechanism.reads, mechanism.count, n if mechanism.dealt else None)
        if mechanism.partition and partitions.setdefault(mechanism.partition, parts) != parts:
            name, partition = mechanism.name, mechanism.partition
            raise BadSetting(f"{reader.at}.mechanisms: {partition} has other parts for {name}")


MECHANISM_KEYS = (
    *products.KEYS,
    "stated",
    "partition",
    "codes",
    "study",
    "also",
    "sampled",
    "dealt",
    "orders",
)


def _mechanism(reader: Reader, databases: Databases, depth: int, orders: Orders | None = None) -> Mechanism:
    reader.keys(MECHANISM_KEYS)
    reads = tuple(relations.reads(read, databases) for read in reader.key("reads").items())
    count = reader.key("count").formula() if "count" in reader.value else None
    if count is not None and not is_count(count):
        raise reader.key("count").wrong("a whole number from 1, or a letter for one,")
    partition = reader.key("partition", "").text()
    relations.check_reads(reader, reads, count, partition, databases)
    values = databases.values(reads[0])
    domain = reader.key("domain").text("own", "common")
    stated = None
    if "stated" in reader.value:
        on = values if databases.listed and domain == "own" else databases.count
        stated = reader.key("stated").once(relations.relation, databases, on)
    noise = _noise(reader.key("noise"), reads, databases) if "noise" in reader.value else None
    metric = _in_metric(reader, databases, depth) if "metric" in reader.value else None
    if not databases.parts and [stated, noise, metric].count(None) != 2:
        raise reader.wrong("either noise, or the neighbours of a guarantee, or a metric,")
    curve = letters.curve(reader, orders)
    mechanism = Mechanism(
        reader.key("name").text(),
        reads,
        stated,
        domain,
        reader.key("notion").text(),
        letters.values(reader, curve, orders),
        count,
        partition,
        _codes(reader.key("codes"), reads[0], databases) if "codes" in reader.value else (),
        noise,
        _table(reader.key("table"), databases, values) if "table" in reader.value else None,
        _setting(reader.key("study"), depth + 1) if "study" in reader.value else None,
        _also(reader, databases, values, orders),
        reader.key("processed", False).boolean(),
        reader.key("filtered", False).boolean(),
        metric,
        _sampled(reader, databases) if "sampled" in reader.value else None,
        reader.key("dealt", False).boolean(),
        curve,
    )
    if mechanism.dealt:
        _check_dealt(reader, mechanism, databases)
    if databases.parts:
        products.check_mechanism(reader, mechanism)
    return mechanism


def _check_dealt(reader: Reader, mechanism: Mechanism, databases: Databases) -> None:
    """Of multisets all records are dealt, to two inputs or more, that guarantees for some neighbours are
    about."""
    count = mechanism.count
    least = None if count is None else count.number if count.kind != "letter" else count.of[1].least
    besides = {"noise", "table", "study", "also", "metric", "codes", "sampled"} & set(reader.value)
    if (
        not databases.of_multisets
        or mechanism.reads != (None,)
        or not mechanism.partition
        or mechanism.domain != "own"
        or besides
    ):
        raise reader.key("dealt").wrong(
            "nothing but for families that read multisets, each its own part, so false"
        )
    if least is None or least < 2:
        raise reader.key("count").wrong("a number of inputs from 2 on, to which records are dealt,")


def _sampled(reader: Reader, databases: Databases) -> Sampled:
    """How the sample is drawn on which a mechanism that is known by guarantees is run: from multisets."""
    given, besides = reader.key("sampled"), {"noise", "table", "study", "metric", "codes"}
    if besides & set(reader.value) or not databases.of_multisets:
        raise given.wrong("nothing but for multisets, and mechanisms known by guarantees, so none")
    given.keys(("page", "values"))
    return Sampled(given.key("page").text(), given.key("values").values())


def distances_of(mechanism: Mechanism) -> tuple[Mechanism, ...]:
    """The mechanisms whose distances a mechanism is stated in."""
    return () if mechanism.metric is None else tuple(distance for _, distance in mechanism.metric.distances)


def _in_metric(reader: Reader, databases: Databases, depth: int) -> InMetric:
    """A formula in distances, each that of the input of a mechanism as numerous, which is in no metric."""
    given, values = reader.key("metric"), dict(reader.key("values").values())
    if databases.parts:
        given.keys(("formula", "besides"))
        return products.in_distances(given, values)
    if {"table", "study", "also", "codes"} & set(reader.value):
        raise reader.wrong("nothing besides a metric, so none of table, study, also and codes,")
    given.keys(("formula", "besides", "distances", "bounded"))
    if not isinstance(given.key("distances").value, dict) or not given.key("distances").value:
        raise given.key("distances").wrong("a table of mechanisms by letters")
    apart = []
    for name in sorted(map(str, given.key("distances").value)):
        mechanism = _mechanism(given.key("distances").key(name), databases, depth)
        alike = all(
            mechanism.data().get(key) == reader.value.get(key, default)
            for key, default in (("count", None), ("partition", None))
        )
        other = (
            mechanism.stated is None
            or mechanism.table
            or mechanism.also
            or mechanism.dealt
            or mechanism.sampled
        )
        if naming.read(name).distance is None or not alike or other:
            begin = naming.of_distance("")
            raise given.key("distances").wrong(
                f"letters that begin with {begin}, and guarantees for neighbours, of as many members,"
            )
        apart.append((name, mechanism))
    letters = {name: metrics.letter(name) for name, _ in apart}
    inside = Reader(given.value, given.at, {**given.symbols, **letters})
    return products.in_distances(inside, values, tuple(apart), given.key("bounded").boolean())


def _also(reader: Reader, databases: Databases, values: int, orders: Orders | None) -> tuple[Stated, ...]:
    """The guarantees that a mechanism has besides: of one that is known by its guarantees, or a table."""
    besides = []
    for other in reader.key("also", []).items():
        if databases.on_arrays or {"noise", "study"} & set(reader.value):
            raise other.wrong("nothing besides what is given, so none")
        if databases.parts:
            besides.append(_also_in_metric(other, databases))
            continue
        other.keys(("stated", "domain", "notion", "values", "orders"))
        domain = other.key("domain").text("own", "common")
        on = values if databases.listed and domain == "own" else databases.count
        stated = relations.relation(other.key("stated"), databases, on)
        curve = letters.curve(other, orders)
        said = letters.values(other, curve, orders)
        besides.append(Stated(stated, domain, other.key("notion").text(), said, curve))
    return tuple(besides)


def _also_in_metric(reader: Reader, databases: Databases) -> Stated:
    reader.keys(("domain", "notion", "values", "metric"))
    domain, values = reader.key("domain").text("own"), reader.key("values").values()
    return Stated(None, domain, reader.key("notion").text(), values, None, _in_metric(reader, databases, 0))


def _codes(
    reader: Reader, reads: tuple[int, ...] | None, databases: Databases
) -> tuple[tuple[int, ...], ...]:
    """Sets of atoms that are read, which share none; of tuples each at one place."""
    codes = tuple(tuple(sorted(set(code.wholes()))) for code in reader.items())
    every = [atom for numbers in codes for atom in numbers]
    there = set(range(len(databases.atoms)) if reads is None else reads)
    fits = databases.by_edges and databases.of != "sets" and all(codes) and {*every} <= there
    # `fits` first: atoms that are not there have no place
    placed = not (fits and databases.places) or all(
        len({databases.places[number] for number in numbers}) == 1 for numbers in codes
    )
    if not fits or len(set(every)) < len(every) or not placed:
        raise reader.wrong("sets of atoms that are read, of multisets or at one place, each in one of them,")
    return tuple(sorted(codes))


def _noise(reader: Reader, reads: tuple[tuple[int, ...] | None, ...], databases: Databases) -> Noise:
    if databases.parts:
        return products.read_noise(reader, databases)
    reader.keys(("query", "page", "parameter", "besides"))
    query = reader.key("query")
    query.keys(("page", "values", "n", "least"))
    n, least = (_number_read(query, key) for key in ("n", "least"))
    if n is not None and {n} != {databases.how_many(numbers) for numbers in reads}:
        raise query.key("n").wrong("the number of records that are read, where it is fixed,")
    if least is not None and {least} != {databases.fewest(numbers) for numbers in reads}:
        raise query.key("least").wrong("the least number of records that are read")
    asked = Query(query.key("page").text(), query.key("values").values(), n, least)
    besides = reader.key("besides").values() if "besides" in reader.value else ()
    if {name for name, _ in besides} & {name for name, _ in asked.values}:
        raise reader.key("besides").wrong("other letters than those of the query")
    return Noise(asked, reader.key("page").text(), reader.key("parameter").formula(), besides=tuple(besides))


def _number_read(query: Reader, key: str) -> int | Term | None:
    """A number of records, or the letter for it; None where nothing is said."""
    if key not in query.value:
        return None
    reader = query.key(key)
    return (
        reader.formula()
        if isinstance(reader.value, str)
        else reader.whole(0 if key == "least" else 1, 10**15)
    )


def _table(reader: Reader, databases: Databases, values: int) -> Table:
    reader.keys(("on", "outcomes", "rows"))
    on = reader.key("on").text("databases", "inputs")
    outcomes = tuple(entry.text() for entry in reader.key("outcomes").items())
    rows = tuple(tuple(entry.formula() for entry in row.items()) for row in reader.key("rows").items())
    wanted = products.listed(databases) if on == "databases" else values
    if len(rows) != wanted or any(len(row) != len(outcomes) for row in rows):
        raise reader.wrong(f"{wanted} rows with a probability for each of {len(outcomes)} outcomes")
    return Table(on, outcomes, rows)
