"""The guarantees of a problem about metrics: formulas in metrics, and those for neighbours as such."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.privacy.checks import Path_
from dpcompose.privacy.distances import Metric
from dpcompose.privacy.metrics.fibres import of_the_nearest
from dpcompose.privacy.metrics.values_read import about_values
from dpcompose.privacy.notions import FILE_KEYS, POWERS, Guarantee, at_any_two
from dpcompose.privacy.readers.distances import Distances
from dpcompose.privacy.schema import PARAMETERS, GuaranteeTable, MechanismTable
from dpcompose.privacy.settings.reads import DOMAIN_NEEDED
from dpcompose.spaces.inputs.maps import Map, everything


class Guarantees:
    """Reads the guarantees of mechanisms; distances -- the metrics that they are formulas in."""

    def __init__(self, distances: Distances) -> None:
        self.distances, self.names = distances, distances.names
        self.wrong, self.formula = self.names.found.wrong, self.names.formula

    def of(
        self, given: MechanismTable, stated: GuaranteeTable, reads: Map | None, path: Path_
    ) -> Guarantee | None:
        """The guarantee of a mechanism; where nothing is known of what it reads, its parameters are known."""
        if reads is None:
            self._adopt_all(given, stated, path)
            return None
        if stated.notion not in POWERS:
            self.wrong((*path, "notion"), f"privacy in a metric is not known of {stated.notion}")
            return None
        if stated.metric is not None:
            return self._in_metric(given, stated, reads, path)
        return self._for_neighbours(given, stated, reads, path)

    def _adopt_all(self, given: MechanismTable, stated: GuaranteeTable, path: Path_) -> None:
        """Makes the parameters that a guarantee names known, so that no claim is told that they are not."""
        before = list(self.names.found.mistakes)
        for key in ("metric", *PARAMETERS):
            text = stated.metric if key == "metric" else stated.value(key)
            if text is not None:
                self.formula(text, (*path, key), self.distances.in_metrics(text), key=key, index=given.index)
        self.names.found.mistakes[:] = before

    def _domain(self, stated: GuaranteeTable, reads: Map, path: Path_) -> str | None:
        """On which domain a guarantee is stated; a mechanism that reads everything has both alike."""
        if reads.is_everything:
            return "own"
        if stated.domain is None:
            self.wrong((*path, "domain"), DOMAIN_NEEDED)
        return stated.domain

    def _in_metric(
        self, given: MechanismTable, stated: GuaranteeTable, reads: Map, path: Path_
    ) -> Guarantee | None:
        domain, said = self._domain(stated, reads, path), ""
        both = None if domain is None else self.distances.stated(stated, given.index, path)
        if domain is None or both is None:
            return None
        metric, delta = both
        if name := given.name_read:
            some = [
                about_values(self.distances, name, one, stated.domain, path)
                for one in (metric, delta or ZERO)
            ]
            if some[0] is None or some[1] is None:
                return None
            if some[0] != metric:  # over fibres: what is stated is another metric
                said = f"{stated.notion} privacy in the metric {stated.metric}, and depends on {name} only"
            metric, delta = some[0], delta and some[1]
        if reads != everything:
            if domain == "common" and (delta not in (None, ZERO) or not self.distances.is_multiple(metric)):
                nearest = of_the_nearest(self.distances, metric, delta, reads, path)
                if nearest is None:
                    return None
                metric, delta = nearest
            else:
                there = self.distances.of_inputs(metric, reads, domain, path)
                beside = delta and self.distances.of_inputs(delta, reads, domain, path)
                if there is None or (delta is not None and beside is None):
                    return None
                metric, delta = there, beside
        return _guarantee(stated.notion, metric, delta, said)

    def _for_neighbours(
        self, given: MechanismTable, stated: GuaranteeTable, reads: Map, path: Path_
    ) -> Guarantee | None:
        """A guarantee for neighbours at distance r: its parameter times r; δ·Σ e^{jε} over j < r."""
        domain = self._domain(stated, reads, path)
        r = self.distances.canonical(stated.granularity, (*path, "granularity"), reads, domain or "own")
        parameter, power = POWERS[stated.notion]
        text = stated.value(parameter)
        assert text is not None
        value = self.formula(text, (*path, parameter), {}, key=parameter, index=given.index)
        delta = None
        if stated.delta:
            delta = self.formula(stated.delta, (*path, "delta"), {}, key="delta", index=given.index)
        if domain is None or r is None or value is None or (stated.delta is not None and delta is None):
            return None
        if not (self.names.never_negative(value) or self.names.is_positive(value)):
            said = f"{parameter} of {given.name} is not known to be at least 0 for all allowed values"
            self.wrong((*path, parameter), said)
            return None
        metric = self.distances.times(terms.power(value, Fraction(1, power)), r)
        if delta is not None:
            if not self.names.is_positive(value):
                self.wrong((*path, parameter), "beside metrics epsilon of an approximate guarantee is > 0")
                return None
            delta = delta * (terms.exp(metric) - 1) / (terms.exp(value) - 1)
        where = "" if reads == everything else f", of {reads.written('D')}, on the {domain} domain"
        words = ", ".join(f"{key} = {stated.value(key)}" for key in FILE_KEYS[stated.notion])
        said = f"{stated.notion} privacy with {words} for {stated.granularity} neighbours{where}"
        return _guarantee(stated.notion, metric, delta, said)


def _guarantee(notion: str, metric: Term, delta: Term | None, words: str) -> Guarantee:
    besides = () if delta is None else (("delta", delta),)
    return at_any_two(notion, Metric(metric, besides=besides, words=words))
