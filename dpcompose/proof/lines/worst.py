"""The line that substitutes a profile into a loss: the worst loss over its vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal

import sympy

from dpcompose.language import forms
from dpcompose.language.forms import Form
from dpcompose.language.worstcase import Over
from dpcompose.proof import kernel, rays
from dpcompose.proof.lines.distances import INFINITE_LOSS, Loss
from dpcompose.proof.lines.profiles import Profiles, members
from dpcompose.proof.lines.stated import Sources, StepRefused
from dpcompose.proof.registry import Page
from dpcompose.spaces.maps import Part
from dpcompose.spaces.metrics import INFINITE

Losses = frozenset[Form] | Literal["oo"]


@dataclass(frozen=True, eq=False)
class Worst(Profiles):
    """The losses at the vectors of a profile, and the largest of them."""

    _losses: dict[tuple[kernel.Loss, kernel.Profile], dict[str, tuple[Loss, ...]]] = field(
        default_factory=dict, repr=False
    )
    _worst_losses: dict[tuple[kernel.Loss, kernel.Profile], dict[str, Losses]] = field(
        default_factory=dict, repr=False
    )
    _one_form: dict[tuple[kernel.Loss, kernel.Profile], dict[str, Loss]] = field(
        default_factory=dict, repr=False
    )

    def _substitution(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Private:
        """The worst loss over the vectors of the profile."""
        if len(sources) != 2:
            raise StepRefused(f"{page.id} uses a loss and a profile")
        loss, profile = self._loss_and_profile(sources)
        return self._guarantee(loss, profile)

    def _loss_and_profile(self, sources: Sources) -> tuple[kernel.Loss, kernel.Profile]:
        loss, profile = sources[0].judgement, sources[1].judgement
        if not (isinstance(loss, kernel.Loss) and isinstance(profile, kernel.Profile)):
            raise StepRefused("the first two lines used must be a loss and a profile")
        return loss, profile

    def losses(self, loss: kernel.Loss, profile: kernel.Profile) -> dict[str, tuple[Loss, ...]]:
        """For each parameter the loss at each vector of the profile, in order."""
        if (loss, profile) not in self._losses:
            self._losses[loss, profile] = {
                key: tuple(self._at_vectors(key, loss, profile)) for key, _ in loss.parameters
            }
        return self._losses[loss, profile]

    def _at_vectors(self, key: str, loss: kernel.Loss, profile: kernel.Profile) -> Iterator[Loss]:
        """A parameter of the composition for each vector, or its square: inputs that move lose something."""
        if self.setting.families:
            yield from self._at_vectors_of_families(key, loss, profile)
            return
        page = self.theory.rule(loss.notion)
        adds_up = self._adds_up(page, key)

        @cache
        def alone(i: int, distance: str) -> sympy.Expr:
            """What M_i loses by itself."""
            return self._at_distance(self.setting.mechanisms[i - 1], key, self._amount(distance))

        @cache
        def added(i: int, distance: str) -> Form:
            return self._parameter(page, key, alone(i, distance))

        for vector in map(self.that_lose, profile.vectors):
            if any(distance == "oo" or i in loss.unlimited for i, distance in vector):
                yield INFINITE_LOSS
            elif adds_up:
                yield forms.total(added(i, distance) for i, distance in vector)
            else:
                composed = self._composed(page, key, [alone(i, distance) for i, distance in vector])
                yield self._parameter(page, key, composed)

    def that_lose(self, vector: kernel.Vector) -> kernel.Vector:
        """The entries of a vector without mechanisms that lose 0 at every distance that occurs.

        0 times an infinite distance is infinite; 0 times finite distances without a limit is 0.
        """
        stated = {i: self.setting.mechanisms[i - 1] for i in self._without_limit}
        nothing = {
            i
            for i, one in stated.items()
            if not any(value for _, value in one.satisfies.values)
            and not any(self._stated_as_converted(one).values())
        }
        return tuple((i, entry) for i, entry in vector if i not in nothing)

    @cached_property
    def _without_limit(self) -> frozenset[int]:
        """The mechanisms whose inputs move by finite distances only, but without a limit."""
        found = self.inputs.neighbouring_pairs()
        if not found.growing:
            return frozenset()
        (pair,) = found.pairs
        reached, limits = self.inputs.distances(pair), self.inputs.furthest(pair)
        return frozenset(self._origin[i - 1] for i, r in reached.items() if INFINITE == limits[i] != r)

    def _at_vectors_of_families(self, key: str, loss: kernel.Loss, profile: kernel.Profile) -> Iterator[Loss]:
        """The same where entries such as "2 by 1" and "all by 1" say how many members of a family move.

        Families that read parts of one partition move together: the members of the same parts.
        """
        page = self.theory.rule(loss.notion)
        for vector in map(self.that_lose, profile.vectors):
            moves = [(i, members(entry)) for i, entry in vector]
            if any(r == "oo" or i in loss.unlimited for i, some in moves for _, r in some):
                yield INFINITE_LOSS
                continue
            parts: list[sympy.Expr] = []
            together: dict[tuple[str, tuple[int, ...], sympy.Expr], list[tuple[sympy.Expr, ...]]] = {}
            for i, some in moves:
                mechanism = self.setting.mechanisms[i - 1]
                at = (self._at_distance(mechanism, key, self._amount(r)) for _, r in some)
                values = [self._added(page, key, value) for value in at]
                if mechanism.count is None:
                    parts += values
                elif isinstance(mechanism.reads, Part) and some[0][0]:
                    which = (mechanism.reads.partition, tuple(many for many, _ in some), mechanism.count)
                    together.setdefault(which, []).append(tuple(values))
                else:
                    parts.append(self._sum(page, key, values[0], mechanism.count))
            self._check_same_parts(together)
            for (_, many, count), families in together.items():
                parts += self._over_parts(page, key, many, count, families)
            if not self._adds_up(page, key):
                raise StepRefused(f"a family needs a rule by which {key} adds up, which {page.id} is not")
            yield self._form(sympy.Add(*parts))

    def _over_parts(
        self,
        page: Page,
        key: str,
        many: tuple[int, ...],
        count: sympy.Expr,
        families: list[tuple[sympy.Expr, ...]],
    ) -> Iterator[sympy.Expr]:
        """The worst choice of the parts that move, as sums of largest members.

        If m_1 members lose w_1·x, m_2 others w_2·x and so on, with w_1 > w_2 > …, the worst choice gives the
        largest x the largest factor: (w_1 − w_2)·top(m_1, x) + (w_2 − w_3)·top(m_1 + m_2, x) + ….
        """
        if len(many) == 1:
            yield Over(sympy.Integer(many[0]), sympy.Add(*(values[0] for values in families)), count)
            return
        if len(families) > 1:
            raise StepRefused(
                "several families on one partition whose members move by different distances are not "
                "supported; write the parts out"
            )
        (values,) = families
        if values[-1] == 0:
            return
        rates = [value / values[-1] for value in values]
        if not all(rate.is_Rational for rate in rates):
            raise StepRefused(f"how {key} grows with the distance has no common factor for a family")
        for n, rate in enumerate(rates):
            following = rates[n + 1] if n + 1 < len(rates) else sympy.Integer(0)
            yield (rate - following) * Over(sympy.Integer(sum(many[: n + 1])), values[-1], count)

    def _check_same_parts(self, together: Mapping[tuple[str, tuple[int, ...], sympy.Expr], Any]) -> None:
        partitions = [partition for partition, _, _ in together]
        if len(set(partitions)) < len(partitions):
            raise StepRefused(
                "families on one partition whose members move by different distances are not supported; "
                "write the parts out"
            )

    def _worst(self, loss: kernel.Loss, profile: kernel.Profile) -> dict[str, Losses]:
        """For each parameter the losses at the vectors that no other one dominates."""
        if (loss, profile) not in self._worst_losses:
            worst: dict[str, Losses] = {}
            for key, losses in self.losses(loss, profile).items():
                finite = [form for form in losses if not isinstance(form, str)]
                some = self._largest(finite) if len(finite) == len(losses) else None
                worst[key] = INFINITE_LOSS if some is None else frozenset(some)
            self._worst_losses[loss, profile] = worst
        return self._worst_losses[loss, profile]

    def _largest(self, losses: Sequence[Form]) -> tuple[Form, ...]:
        """The losses that no other one is seen to be at least: by signs, for families on rays."""
        if not self.setting.families:
            return forms.largest(losses, self.setting.domains)
        kept: list[Form] = []
        for form in dict.fromkeys(losses):
            if not any(self._at_least(other, form) for other in kept):
                kept = [other for other in kept if not self._at_least(form, other)] + [form]
        return tuple(sorted(kept, key=lambda form: form.key))

    def _at_least(self, greater: Form, lesser: Form) -> bool:
        """Whether a loss, or what it is at most by a minimum in it, is seen to be at most another one."""
        for one in (lesser, *forms.above(lesser)):
            with suppress(forms.NotAForm):
                (difference,), domains = rays.on_rays([greater - one], self.setting.domains)
                if forms.is_nonnegative(difference, domains):
                    return True
        return False

    def bounds(self, loss: kernel.Loss, profile: kernel.Profile) -> dict[str, Loss]:
        """For each parameter the worst loss over the profile as one form."""
        if (loss, profile) not in self._one_form:
            self._one_form[loss, profile] = {
                key: it if isinstance(it, str) else forms.top(1, it)
                for key, it in self._worst(loss, profile).items()
            }
        return self._one_form[loss, profile]

    def _guarantee(
        self, loss: kernel.Loss, profile: kernel.Profile, form: Mapping[str, Loss] | None = None
    ) -> kernel.Private:
        """The worst loss over the profile; `form`: the same, written as a theorem concludes it."""
        parameters = tuple(
            (key, self._text(value, key, self._rule))
            for key, value in (form or self.bounds(loss, profile)).items()
        )
        return kernel.Private(loss.notion, parameters, profile.target, profile.databases)
