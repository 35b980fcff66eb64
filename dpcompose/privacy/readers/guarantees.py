"""Guarantees of mechanisms: for the neighbours of a granularity, or formulas in metrics.

Where what is lost at any two databases is asked, all are formulas in the metrics of the file: one for
neighbours is its parameter times the steps that lie between (GB Prop. III.3).  For neighbours, those in
metrics are formulas in the distances of what one mechanism reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from dpcompose.kernel.core.lines import RATE
from dpcompose.kernel.core.orders import ALPHA, reciprocal
from dpcompose.kernel.expressions import metrics, naming, substitution, terms
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term
from dpcompose.privacy.elaboration.lifted import lift_together, of_one_size
from dpcompose.privacy.format.checks import Place
from dpcompose.privacy.format.schema import PARAMETERS, GuaranteeTable, Notions
from dpcompose.privacy.guarantees import fibres, tradeoffs
from dpcompose.privacy.guarantees.distances import Metric
from dpcompose.privacy.guarantees.notions import OF_LINES, POWERS, Guarantee, at_any_two, in_orders
from dpcompose.privacy.guarantees.tradeoffs import IS_RATE
from dpcompose.privacy.readers.any_two import AnyTwo
from dpcompose.privacy.readers.distances import Distances
from dpcompose.privacy.settings.reads import DOMAIN_NEEDED
from dpcompose.spaces.canonical.named import Distance, NamedMetric
from dpcompose.spaces.canonical.points import gone_through
from dpcompose.spaces.inputs.maps import Map

MOST_GUARANTEES = 12
"""The most guarantees that one on the common domain is of what is read."""
Naming = Callable[[str, Distance], Term]
"""The letter of a distance of what is read, which a metric of some name is."""


class NoDistance(ValueError):
    """What a guarantee is stated in is no formula in distances of its input; the message says why.

    key -- what of the guarantee is none.
    """

    def __init__(self, message: str, key: str = "metric") -> None:
        super().__init__(message)
        self.key = key


@dataclass
class _Used:
    """What one guarantee is stated in so far: distances by letters, and whether bounds stand for some."""

    distances: dict[str, NamedMetric] = field(default_factory=dict)
    bounded: bool = False

    def letter(self, name: str, distance: Distance) -> Term:
        """The letter of a distance, from here on among those that are used."""
        if distance.input is None:
            raise NoDistance(f"{name} is about coordinates or parts")
        term = metrics.letter(naming.of_distance(name))
        self.distances[term.of[0]] = NamedMetric(term.of[0], distance)
        return term


class Guarantees:
    """Reads the guarantees of mechanisms.

    distances -- the metrics that they are formulas in; keys -- the parameters of each notion; any_two -- what
    says them of any two databases; None: they are for neighbours.
    """

    def __init__(self, distances: Distances, keys: Notions, any_two: AnyTwo | None) -> None:
        self.distances, self.keys, self.any_two = distances, keys, any_two
        self.names, self.wrong = distances.names, distances.wrong

    def of(
        self, stated: GuaranteeTable, reads: Map | None, path: Place, index: str | None, values: str = ""
    ) -> Guarantee | None:
        """A guarantee of a mechanism that reads something; None where it is none, which is told.

        values -- what is read of points, or the part, by its name.
        """
        return next(iter(self.every(stated, reads, path, index, values)), None)

    def every(
        self, stated: GuaranteeTable, reads: Map | None, path: Place, index: str | None, values: str = ""
    ) -> Sequence[Guarantee]:
        """The same with all that it says of what is read: on the common domain it may be several of them."""
        if reads is None:  # then its parameters are known all the same
            self._adopt(stated, path, index)
            return []
        if not reads.is_everything and stated.domain is None:
            self.wrong((*path, "domain"), DOMAIN_NEEDED)
        if self.any_two is not None and stated.notion not in POWERS:
            self.wrong((*path, "notion"), f"privacy in a metric is not known of {stated.notion}")
            return []
        if stated.metric is not None:
            whole = reads.is_everything or stated.domain is not None
            return self._in_metric(stated, reads, path, index, values) if whole else []
        guarantee = self.for_neighbours(stated, path, index)
        if guarantee is None or (stated.domain is None and not reads.is_everything):
            return []
        if self.any_two is not None:
            guarantee = self.any_two.steps(stated, guarantee, reads, path)
        return [] if guarantee is None else [guarantee]

    def _adopt(self, stated: GuaranteeTable, path: Place, index: str | None) -> None:
        """Makes the parameters that a guarantee names known, so that no claim is told that they are not."""
        before = list(self.names.mistakes.all)
        for key in ("metric", *PARAMETERS):
            text = stated.metric if key == "metric" else stated.value(key)
            if isinstance(text, str):
                others = self.distances.in_metrics(text) if stated.metric is not None else {}
                self.names.formula(text, (*path, key), others, key=key, index=index)
        self.names.mistakes.all[:] = before

    # for neighbours

    def for_neighbours(self, stated: GuaranteeTable, path: Place, index: str | None) -> Guarantee | None:
        """One for the neighbours of a granularity."""
        assert stated.granularity is not None
        granularity = self.distances.granularity(stated.granularity, (*path, "granularity"))
        if stated.omega is not None:
            self.names.above_one(stated.omega, (*path, "omega"))
        guarantee = (
            self._tradeoff(stated, path, index)
            if stated.notion in OF_LINES
            else self.values(stated, path, index)
        )
        if granularity is None or guarantee is None:
            return None
        return replace(guarantee, granularity=granularity, domain=stated.domain)

    def values(self, stated: GuaranteeTable, path: Place, index: str | None) -> Guarantee | None:
        """The notion and its parameters."""
        read = [
            (key, self.names.stated(str(stated.value(key)), key, (*path, key), index, stated.alpha))
            for key in self.keys[stated.notion]
        ]
        given = tuple(
            (key, value if stated.written(key)[0] == key else reciprocal(value))
            for key, value in read
            if value is not None
        )
        if len(given) < len(read):
            return None
        guarantee, orders = Guarantee(stated.notion, given), stated.of_orders
        return guarantee if orders is None else in_orders(guarantee, orders)

    def _tradeoff(self, stated: GuaranteeTable, path: Place, index: str | None) -> Guarantee | None:
        """A trade-off function, in whatever form."""
        at = (*path, "tradeoff")
        if ALPHA in self.names.given:
            self.wrong(("parameters", ALPHA), IS_RATE)
            return None
        with self.names.mistakes.telling(at):
            lines = tradeoffs.values(
                stated.function, lambda text: self.names.stated(text, "tradeoff", at, index, RATE)
            )
            if lines is not None:
                notion, value = lines
                made = Guarantee(notion, ((self.keys[notion][0], value),))
                tradeoffs.at_once(made)
                return made
        return None

    # in metrics

    def _in_metric(
        self, stated: GuaranteeTable, reads: Map, path: Place, index: str | None, values: str
    ) -> Sequence[Guarantee]:
        """One that is a formula in metrics."""
        if len([key for key in self.keys[stated.notion] if key != "delta"]) != 1:
            self.wrong((*path, "metric"), f"privacy in a metric is not known of {stated.notion}")
            return []
        read = self.distances.stated(stated, index, path)
        if read is None:
            return []
        domain = "own" if reads.is_everything else str(stated.domain)
        try:
            if self.any_two is None:
                return [self._in_distances(stated, read, reads, domain)]
            in_words, terms_read = "", self.any_two.of_values(read, values, stated.domain) if values else read
            if terms_read["metric"] != read["metric"]:  # over fibres: what is stated is another metric
                in_words = (
                    f"{stated.notion} privacy in the metric {stated.metric}, and depends on {values} only"
                )
            every: Sequence[Mapping[str, Term]] = [terms_read]
            if not reads.is_everything:
                terms_read = {key: self._plain(value) for key, value in terms_read.items()}
                every = self._of_inputs(terms_read, reads, domain, self._naming(reads, domain))
                if self._is_nearest(every):
                    with_delta = "" if stated.delta is None else f", with delta {stated.delta}"
                    in_words = f"{stated.notion} privacy in the metric {stated.metric}{with_delta}"
                    in_words += f", and depends on {reads.written('D')} only"
            metrics_read = [
                Metric(about["metric"], besides=tuple(item for item in about.items() if item[0] != "metric"))
                for about in every
            ]
            return [at_any_two(stated.notion, replace(metric, words=in_words)) for metric in metrics_read]
        except (NoDistance, terms.TermError) as error:
            self.wrong((*path, getattr(error, "key", "metric")), error)
            return []

    def _in_distances(
        self, stated: GuaranteeTable, read: Mapping[str, Term], reads: Map, domain: str
    ) -> Guarantee:
        """In distances of what one mechanism reads; of several guarantees the first one, which then is but a
        bound of what is stated.  Raises NoDistance."""
        used = _Used()
        plain = {key: self._plain(value, used) for key, value in read.items()}
        told, *others = self._of_inputs(plain, reads, domain, used.letter, used.bounded)
        for key, value in told.items():
            if metrics.at(value, {}) != ZERO:
                message = f"{getattr(stated, key)} is not 0 where D = E; what names no metric is a parameter"
                raise NoDistance(message, key)
        texts = tuple((key, str(getattr(stated, key))) for key in told)
        besides = tuple((key, value) for key, value in told.items() if key != "metric")
        named = {name for value in told.values() for name in value.letters}
        distances = tuple(distance for name, distance in used.distances.items() if name in named)
        metric = Metric(told["metric"], distances, besides, used.bounded or bool(others), texts)
        return at_any_two(stated.notion, metric, stated.domain)

    def _naming(self, reads: Map, domain: str) -> Naming:
        """What the distances of what a map reads are called among the metrics of the file."""

        def letter(name: str, distance: Distance) -> Term:
            return self.distances.named_of_input(name, distance, reads, domain)

        return letter

    def _used(self, value: Term) -> list[str]:
        return [name for name in value.letters if name in self.names.metrics]

    def _plain(self, value: Term, used: _Used | None = None) -> Term:
        """A formula in metrics that are made of no others; used -- in place of a declared one also its bound.

        Raises NoDistance.
        """
        put: dict[str, Term] = {}
        for name in self._used(value):
            metric = self.names.metrics[name]
            made = metric.distance.equal_to
            if used is not None and metric.at_most is not None:
                if made is not None or metric.distance.input is not None:
                    raise NoDistance(
                        f"of {name} a bound is declared beside what it is; leave out one of them"
                    )
                used.bounded, made = True, metric.at_most
            put |= {} if made is None else {name: self._plain(made, used)}
        return substitution.substituted(value, put)

    def _is_multiple(self, read: Mapping[str, Term]) -> bool:
        """Whether it is a number ≥ 0 times one distance, without a delta: so it adds up along fibres."""
        value = read["metric"]
        factor = fibres.factor(value, self.names.metrics)
        alone = not self._used(value) or (factor is not None and self.names.never_negative(factor))
        return alone and read.get("delta", ZERO) == ZERO

    def _is_lifted(self, read: Mapping[str, Term], reads: Map, bounded: bool) -> bool:
        """Whether all is in metrics that count steps, which are steps of what is read as well: then the
        nearest databases are as far apart as what is read of them, and all is there what it is (GB A.12)."""
        used = {name for value in read.values() for name in self._used(value)}
        if not used or bounded or reads.divided or self.distances.alone is None:
            return False
        counted = [self.names.metrics[name].distance.counted for name in used]
        told = [granularity for granularity in counted if granularity is not None]
        falls = not self._grows(read) and gone_through(self.distances.alone) is not None
        return len(told) == len(used) and not falls and lift_together(self.distances.alone, reads, told)

    def _needed(self, value: Term) -> list[str]:
        """The distances that a formula is infinite with."""
        told, marks = self._marked(value)
        return [name for name, mark in marks.items() if metrics.at(told, {mark.of[0]: INFINITY}) == INFINITY]

    def _grows(self, read: Mapping[str, Term]) -> bool:
        """Whether formulas are seen never to fall as distances grow."""
        return all(metrics.grows(self._marked(value)[0]) for value in read.values())

    def _marked(self, value: Term) -> tuple[Term, Mapping[str, Term]]:
        """A formula in metrics as one in distances, and these by the names of the metrics."""
        marks = {name: metrics.letter(naming.of_distance(name)) for name in self._used(value)}
        return substitution.substituted(value, marks), marks

    def _of_one_size(self, read: Mapping[str, Term]) -> Mapping[str, Term]:
        """The same where only records that are replaced are promised anything: at databases with as many
        records each distance by single edits is a number times that of replacements."""
        databases = self.distances.alone
        if databases is None:
            return read
        used = {name: letter for value in read.values() for name, letter in value.letters.items()}
        steps: dict[str, tuple[Collection[tuple[int, ...]], int]] = {}
        for name in used.keys() & self.names.metrics.keys():
            counted = self.names.metrics[name].distance.counted
            many = None if counted is None else of_one_size(databases, counted)
            if counted is not None and many is not None:
                steps[name] = counted.changed, many
        kept = [name for name in self._needed(read["metric"]) if name in steps and steps[name][0] == {(1, 1)}]
        if not kept:
            return read
        unit = terms.letter(kept[0], used[kept[0]])
        put = {name: unit * many for name, (_, many) in steps.items()}
        return {key: substitution.substituted(value, put) for key, value in read.items()}

    def _of_inputs(
        self, read: Mapping[str, Term], reads: Map, domain: str, letter: Naming, bounded: bool = False
    ) -> list[dict[str, Term]]:
        """Formulas in metrics as formulas about what a map reads, those of each of several guarantees.

        Raises NoDistance.
        """
        common = domain == "common" and not reads.is_everything
        read = self._of_one_size(read) if common else read
        if common and not (self._is_multiple(read) or self._is_lifted(read, reads, bounded)):
            try:
                return self._at_the_nearest(read, reads, letter, bounded)
            except NoDistance:
                if not (parts := self._alternatives(read)):
                    raise
            alone = ({**read, "metric": part} for part in parts)
            each = chain(*(self._of_inputs(about, reads, domain, letter, bounded) for about in alone))
            return [{**read, "metric": terms.least(*(about["metric"] for about in each))}]
        formulas_read = {}
        for key, value in read.items():
            put = {name: letter(name, self._of_input(name, reads, domain)) for name in self._used(value)}
            formulas_read[key] = substitution.substituted(value, put)
        return [formulas_read]

    def _alternatives(self, read: Mapping[str, Term]) -> Sequence[Term]:
        """What a guarantee is the least of, without a delta or others besides: whoever promises the least of
        some formulas promises each of them, and the least over fibres is the least of those of each."""
        value = read["metric"]
        if any(other != ZERO for key, other in read.items() if key != "metric"):
            return ()
        factor, least = metrics.with_minimum(value) or (terms.ONE, value)
        parts = metrics.minimum(least)
        if parts is None or not self.names.never_negative(factor):
            return ()
        return [factor * part for part in parts]

    def _of_input(self, name: str, reads: Map, domain: str) -> Distance:
        distance = self.names.metrics[name].distance
        input_distance = distance if reads.is_everything else distance.of_input(reads, domain)
        if input_distance is None:
            raise NoDistance(
                f"{name} is about whole databases: of what is read there are canonical metrics, such "
                'as d_bounded, and tables on the values of a map, of = "MAP"'
            )
        return input_distance

    def _at_the_nearest(
        self, read: Mapping[str, Term], reads: Map, letter: Naming, bounded: bool
    ) -> list[dict[str, Term]]:
        """On the common domain formulas that are no multiple of one metric: on a class of few databases, at
        the nearest with the same values of the map, and a delta in at most one more (GB Prop. IV.10, A.12).

        Where less of the one is more of the other, others than the nearest say something as well: these are
        guarantees of their own; without a delta the least of all is one.  Raises NoDistance of others.
        """
        databases, delta = self.distances.alone, read.get("delta", ZERO) != ZERO
        metric, *others = (self._used(value) for value in read.values())
        besides = [name for other in others for name in other if name not in metric]
        key, why = "metric", fibres.ONE_METRIC
        if len(metric) == 1 and delta:
            key, why = "delta", fibres.ONE_DELTA
        few = bool(metric) and len(besides) <= 1 and not bounded
        tables = None
        if few and databases is not None and gone_through(databases) is not None:
            whole = {name: self.names.metrics[name].distance for name in (*metric, *besides)}
            needed = self._needed(read["metric"])
            tables = fibres.at_the_nearest(whole, databases, reads, len(metric), needed, self._grows(read))
        if tables is None or len(tables) > MOST_GUARANTEES:
            raise NoDistance(why, key)
        every = list[dict[str, Term]]()
        for layer in tables:
            put = {name: self._least(table, letter) for name, table in layer.items()}
            every.append({key: substitution.substituted(value, put) for key, value in read.items()})
        if all(value == ZERO for about in every for key, value in about.items() if key != "metric"):
            return [{**every[0], "metric": terms.least(*(about["metric"] for about in every))}]
        return every

    def _is_nearest(self, every: Sequence[Mapping[str, Term]]) -> bool:
        """Whether formulas are in distances of the nearest databases."""
        used = {name for about in every for value in about.values() for name in self._used(value)}
        return any(self.names.metrics[name].distance.at_the_nearest for name in used)

    def _least(self, metrics: Sequence[NamedMetric], letter: Naming) -> Term:
        return terms.least(*(letter(metric.name, metric.distance) for metric in metrics))
