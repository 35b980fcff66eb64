"""Families in problems about metrics, for given numbers of members: each a mechanism of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import MappingProxyType

import sympy

from dpcompose.kernel import substitution, terms
from dpcompose.kernel.domains import Domain
from dpcompose.language.symbols import family_of, symbol
from dpcompose.language.worstcase import Over, Top
from dpcompose.privacy.metrics.setting import MetricGuarantee, MetricMechanism, MetricSetting
from dpcompose.spaces.points import Made, NamedMetric

MOST_MEMBERS = 200
"""The most members that are written out."""

Sizes = Mapping[str, int]
"""What the parameters are that count members."""


class TooMany(ValueError):
    """A family has no such number of members, or too many to be written out."""


def counts(setting: MetricSetting) -> tuple[str, ...]:
    """The parameters that count members of families."""
    some = (one.members for one in setting.mechanisms if one.members is not None)
    return tuple(sorted({x.name for members in some for x in members.free_symbols}))


def sizes(setting: MetricSetting, most: int) -> Iterator[dict[str, int]]:
    """Some numbers of members: each count a few of the smallest, then twice as many each time."""
    names = counts(setting)
    least = [max(1, int(setting.domains[name].least or 1)) for name in names]
    few = product(*([one, one + 1, one + 2] for one in least))
    many = ([one * 2**n for one in least] for n in range(2, most))
    for chosen in [*few, *many] if names else [()]:
        there = dict(zip(names, chosen, strict=True))
        if all(setting.domains[name].contains(Fraction(n)) for name, n in there.items()):
            yield there


class WrittenOut:
    """Formulas, mechanisms and claims of a setting where families have these numbers of members."""

    def __init__(self, setting: MetricSetting, numbers: Sizes) -> None:
        self.setting, self.numbers = setting, numbers
        self.there = {
            symbol(name, setting.domains[name]): sympy.Integer(numbers[name]) for name in counts(setting)
        }
        self.moving = [name for name in setting.domains if family_of(name)]

    def formula(self, it: sympy.Expr) -> sympy.Expr:
        """Sums, maxima, … over the members of a family as those of so many letters.  Raises TooMany."""
        return it.xreplace({one: self._over(*one.args) for one in it.atoms(Over)})

    def _over(self, m: sympy.Expr, x: sympy.Expr, count: sympy.Expr) -> sympy.Expr:
        some = [self._of_member(x, j) for j in range(1, self.size(count) + 1)]
        most = m.xreplace(self.there)
        if m == count:
            return sympy.Add(*some)
        if not most.is_Integer:
            raise TooMany(f"{m} counts no members, so how many values are added up is open")
        return Top(sympy.Min(most, len(some)), *some)

    def size(self, count: sympy.Expr) -> int:
        """How many members there are.  Raises TooMany."""
        found = count.xreplace(self.there)
        if not found.is_Integer or not 1 <= found <= MOST_MEMBERS:
            raise TooMany(f"{count} is {found}, and from 1 to {MOST_MEMBERS} members are written out")
        return int(found)

    def _of_member(self, x: sympy.Expr, j: int) -> sympy.Expr:
        domains = self.setting.domains
        return x.xreplace(
            {symbol(name, domains[name]): symbol(_member(name, j), domains[name]) for name in self.moving}
        )

    def guarantee(self, claimed: MetricGuarantee) -> MetricGuarantee:
        """What is claimed of them."""
        delta = None if claimed.delta is None else self.formula(claimed.delta)
        return replace(claimed, metric=self.formula(claimed.metric), delta=delta)

    @property
    def made(self) -> MetricSetting:
        """The setting with the members as mechanisms of their own; alike ones stay together."""
        setting = self.setting
        every = [one for mechanism in setting.mechanisms for one in self._members(mechanism)]
        numbers = [self.size(one.members) for one in setting.mechanisms if one.members and one.moves]
        most = max(numbers, default=0)
        domains = {name: domain for name, domain in setting.domains.items() if name not in self.moving}
        domains |= {
            _member(name, j): setting.domains[name] for name in self.moving for j in range(1, most + 1)
        }
        for name, n in self.numbers.items():
            domains[name] = Domain(Fraction(n), greatest=Fraction(n), integer=True)
        metrics = {name: self._metric(one) for name, one in setting.metrics.items()}
        return replace(
            setting,
            mechanisms=tuple(every),
            domains=MappingProxyType(domains),
            metrics=MappingProxyType(metrics),
        )

    def _metric(self, metric: NamedMetric) -> NamedMetric:
        made = metric.distance
        distance = Made(self.formula(made.formula)) if isinstance(made, Made) else made
        return replace(
            metric,
            distance=distance,
            at_most=None if metric.at_most is None else self.formula(metric.at_most),
        )

    def _members(self, mechanism: MetricMechanism) -> Iterator[MetricMechanism]:
        if mechanism.members is None or not mechanism.moves:
            members = mechanism.members
            yield replace(mechanism, members=None if members is None else members.xreplace(self.there))
            return
        for j in range(1, self.size(mechanism.members) + 1):
            noise, domains = mechanism.noise, self.setting.domains
            if noise is not None:
                named = {name: terms.letter(_member(name, j), domains[name]) for name in self.moving}
                noise = noise.with_parameter(substitution.substituted(noise.term, named))
            yield replace(
                mechanism,
                name=f"{mechanism.name}[{j}]",
                metric=self._of_member(mechanism.metric, j),
                delta=None if mechanism.delta is None else self._of_member(mechanism.delta, j),
                noise=noise,
                members=None,
            )


def _member(name: str, j: int) -> str:
    """e[3] for e[i]."""
    return f"{family_of(name)}[{j}]"
