"""Problems about privacy in metrics (GB Def. III.2): guarantees and claims that are formulas in metrics.

A file that names metrics, or has points or a product for its databases, is one of these.  Guarantees and
claims for neighbours may stand beside them: they are those in the canonical metric (GB Prop. III.3).  Metrics
of what a map reads say that a mechanism depends on that only: two databases with equal values are at distance
0.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.checks import Found
from dpcompose.privacy.distances import Metric
from dpcompose.privacy.metrics.mechanisms import Mechanisms
from dpcompose.privacy.notions import POWERS, at_any_two
from dpcompose.privacy.readers.claims import Claim, claim_of
from dpcompose.privacy.schema import ClaimTable, Notions, StudyTable
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.canonical.named import Within
from dpcompose.spaces.moves.built_in import all_pairs


class AllPairs:
    """What a problem file composes whose claims are about all pairs of databases.

    given -- its table; data -- the same as it stands there; found -- where mistakes are told;
    notions -- the parameters of each notion, where claims for neighbours are left as these.
    """

    def __init__(
        self, given: StudyTable, data: Mapping[str, Any], found: Found, notions: Notions | None
    ) -> None:
        self.given, self.data, self.found, self.notions = given, data, found, notions
        self.mechanisms = Mechanisms.of(given, found)
        self.distances, self.names = self.mechanisms.distances, self.mechanisms.names
        self.target: Term | None = None
        self.near: tuple[Within, Term] | None = None

    @property
    def is_placed(self) -> bool:
        """Whether the databases are known."""
        return self.distances.databases is not None

    def setting(self) -> Setting | None:
        """The setting; None where there is none, which is told."""
        if self.distances.databases is None:
            return None
        mechanisms = self.mechanisms.mechanisms()
        self.target, near = self._target(), self._near()
        self.near = None if near is None else (near, self.distances.named("beyond", near))
        assume = self.names.assumed({x: n for one in mechanisms for x, n in one.counts.items()})
        if self.found.mistakes:
            return None
        return Setting(
            self.distances.databases,
            all_pairs,
            tuple(mechanisms),
            MappingProxyType(self.names.domains),
            self.given.title,
            adaptive=self.mechanisms.adaptive,
            data=self.data,
            assume=assume,
            metrics=MappingProxyType(self.names.metrics),
            near=near,
        )

    def _target(self) -> Term | None:
        """The metric that claims without one count: a formula, or that of the target's neighbours."""
        given = self.given.target
        if given is None:
            return None
        if given.metric is not None:
            return self.names.formula(
                given.metric, ("target", "metric"), self.distances.in_metrics(given.metric), False
            )
        return self.distances.canonical(given.granularity, ("target", "granularity"))

    def _is_of_any_number(self) -> bool:
        """Whether the target's neighbours are reached by as many steps as a letter says."""
        found, given = None, self.given.target
        if given is not None and given.granularity is not None:
            found = self.distances.spaces[""].granularity(given.granularity, ("target", "granularity"))
        return found is not None and found.times is not None

    def _near(self) -> Within | None:
        """What claims for the pairs within a distance have beside it; None where the target is none."""
        given, path = self.given.target, ("target", "within")
        if given is None or given.metric is None or given.within is None:
            return None
        radius = self.names.formula(given.within, path)
        metric = self.names.formula(given.metric, path, self.distances.in_metrics(given.metric), False)
        if radius is None or metric is None:
            return None
        if not self.names.never_negative(radius):
            self.found.wrong(path, "this is not known to be >= 0 for all allowed values")
            return None
        return Within(metric, radius)

    # claims

    def claim(self, i: int, given: ClaimTable) -> Claim | None:
        """The claim of a number, from 0, once the setting was read; None where it is none, which is told."""
        if given.metric is None and self.notions is not None:
            return claim_of(i, given, self.notions, self.names, self.found)
        if given.notion not in POWERS:
            self.found.wrong(("claims", i, "notion"), f"privacy in a metric is not known of {given.notion}")
            return None
        parameter, power = POWERS[given.notion]
        key = "metric" if given.metric is not None else parameter
        text = {"notion": given.notion, key: str(given.metric if key == "metric" else given.value(key))}
        if given.delta is not None:
            text["delta"] = given.delta
        others = {name: self.distances.in_metrics(text[name]) if key == "metric" else {} for name in text}
        found = {
            name: self.names.formula(text[name], ("claims", i, name), others[name], False)
            for name in text
            if name != "notion"
        }
        if None in found.values():
            return None
        doubts = [self.names.doubt(text[name], others[name]) for name in found]
        value = found[key]
        assert value is not None
        if key != "metric":
            if self.target is None:
                self.found.wrong(
                    ("claims", i, key),
                    f"{key} counts steps of [target], which is left out: give a target, or a metric",
                )
                return None
            if given.delta is not None and self.near is None:
                doubts.append("(epsilon, delta) for these neighbours is not decided; in a metric it is")
            if self._is_of_any_number():
                doubts.append("how far groups of any number of steps move these metrics is not known here")
            if value.kind != "oo":  # what is negative is no square, and the claim is
                sign = -1 if self.names.is_positive(-value) else 1
                root = terms.power(value * sign, Fraction(1, power)) * sign
                value = self.distances.times(root, self.target) if self.near is None else root + self.near[1]
        said = MappingProxyType(text)
        doubt = next(filter(None, doubts), "")
        near = self.near[0] if key != "metric" and self.near is not None else None
        besides = tuple((name, one) for name, one in found.items() if one is not None and name != key)
        written = tuple((name, one) for name, one in text.items() if name != "notion")
        claimed = at_any_two(given.notion, Metric(value, besides=besides, said=written, near=near))
        return Claim(claimed, said, given.expect, doubt)
