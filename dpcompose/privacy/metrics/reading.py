"""Problems about privacy in metrics (GB Def. III.2): guarantees and claims that are formulas in metrics.

A file that names metrics, or has points or a product for its databases, is one of these.  Guarantees and
claims for neighbours may stand beside them: they are those in the canonical metric (GB Prop. III.3).  Metrics
of what a map reads say that a mechanism depends on that only: two databases with equal values are at distance
0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import sympy

from dpcompose.language.symbols import family_of
from dpcompose.language.worstcase import Over
from dpcompose.privacy.checks import Mistake, Path_
from dpcompose.privacy.lines import line_of
from dpcompose.privacy.metrics.mechanisms import Mechanisms
from dpcompose.privacy.metrics.schema import (
    MetricClaimTable,
    MetricProblemTable,
    MetricStudyTable,
)
from dpcompose.privacy.metrics.setting import (
    POWERS,
    MetricGuarantee,
    MetricMechanism,
    MetricSetting,
)
from dpcompose.privacy.notions import FILE_KEYS
from dpcompose.privacy.problems import Claim, Problem, ProblemError, table_of
from dpcompose.privacy.schema import Notions, unset


def read_data(
    data: Mapping[str, Any], file: str = "problem", text: str = "", notions: Notions = FILE_KEYS
) -> Problem:
    """The problem in parsed data.  Raises ProblemError with every mistake."""
    if missing := unset(data):
        raise ProblemError(file, missing)
    given = table_of(MetricProblemTable, data, file, text, notions)
    reader = _Reader(given, data)
    problem = reader.problem(file, given.claims)
    if reader.mistakes or problem is None:
        located = [Mistake(m.path, m.message, line_of(text, m.path)) for m in reader.mistakes]
        raise ProblemError(file, located)
    return problem


class _Reader(Mechanisms):
    """Turns the checked tables into values; collects what does not fit together."""

    def __init__(self, given: MetricStudyTable, data: Mapping[str, Any]) -> None:
        super().__init__(given)
        self.data = data

    def problem(self, file: str, claimed: Sequence[MetricClaimTable]) -> Problem | None:
        self.read_all()
        if self.databases is None:
            return None
        mechanisms = self.mechanisms()
        names = [one.name for one in mechanisms]
        for i, name in enumerate(names):
            if name in names[:i]:
                self.wrong(("mechanisms",), f"two mechanisms are called {name!r}")
        target = self._target()
        claims = [self._claim(i, one, target) for i, one in enumerate(claimed)]
        assume = self.assumed()
        for i, claim in enumerate(claims):
            self._check_ranges(mechanisms, claim, ("claims", i))
        if self.mistakes:
            return None
        setting = MetricSetting(
            self.databases,
            MappingProxyType(self.values),
            MappingProxyType(self.metrics),
            tuple(mechanisms),
            MappingProxyType(self.domains),
            MappingProxyType(self.numbers),
            target,
            self.given.title,
            self.adaptive,
            self.data,
            assume,
        )
        return Problem(setting, tuple(one for one in claims if one is not None), file)

    def _check_ranges(self, mechanisms: Sequence[MetricMechanism], claim: Claim | None, path: Path_) -> None:
        """A sum or maximum in a claim is over as many members as its family has."""
        for one in (
            sorted({x for it in claim.guarantee.formulas for x in it.atoms(Over)}, key=str) if claim else ()
        ):
            for letter in filter(lambda x: family_of(x.name), one.args[1].free_symbols):
                there = {str(m.members) for m in mechanisms if letter in m.letters}
                if there and str(one.args[2]) not in there:
                    known = " or ".join(sorted(there))
                    self.wrong(path, f"{letter} has the members 1 to {known}, not to {one.args[2]}")

    def _target(self) -> sympy.Expr | None:
        """The metric that claims without one count: a formula, or that of the target's neighbours."""
        given = self.given.target
        if given is None:
            return None
        if given.metric is not None:
            return self.formula(given.metric, ("target", "metric"), self.in_metrics(given.metric), False)
        return self.canonical(given.granularity, ("target", "granularity"))

    # claims

    def _claim(self, i: int, given: MetricClaimTable, target: sympy.Expr | None) -> Claim | None:
        parameter, power = POWERS[given.notion]
        key = "metric" if given.metric is not None else parameter
        text = {"notion": given.notion, key: str(given.metric if key == "metric" else given.value(key))}
        if given.delta is not None:
            text["delta"] = given.delta
        others = {name: self.in_metrics(text[name]) if key == "metric" else {} for name in text}
        found = {
            name: self.formula(text[name], ("claims", i, name), others[name], False)
            for name in text
            if name != "notion"
        }
        if None in found.values():
            return None
        doubts = [self.doubt(text[name], others[name]) for name in found]
        value = found[key]
        assert value is not None
        if key != "metric":
            if target is None:
                self.wrong(
                    ("claims", i, key),
                    f"{key} counts steps of [target], which is left out: give a target, or a metric",
                )
                return None
            if given.delta is not None:
                doubts.append("(epsilon, delta) for these neighbours is not decided; in a metric it is")
            if value is not sympy.oo:  # what is negative is no square, and the claim is
                root = -sympy.root(-value, power) if value.is_negative else sympy.root(value, power)
                value = self.times(root, target)
        said = MappingProxyType(text)
        doubt = next(filter(None, doubts), "")
        written = ", ".join(f"{name} {value}" for name, value in text.items() if name != "notion")
        claimed = MetricGuarantee(given.notion, value, found.get("delta"), key == "metric", written)
        return Claim(claimed, said, given.expect, doubt)
