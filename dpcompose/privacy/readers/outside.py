"""Studies as mechanisms of problems about metrics: their mechanisms one by one, on what the study reads.

What a study loses is what its mechanisms lose together, so nothing is lost by stating them one by one.  A
metric on what the study reads is one on the whole: that of what is read.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.readers.distances import Distances
from dpcompose.spaces.canonical import named
from dpcompose.spaces.canonical.points import Values
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map


class Outside:
    """Mechanisms and metrics of a study, stated on the class of what it is part of.

    study -- its name; part -- the one that it reads, "" for the whole; reads -- the map, if it reads one;
    inner, outer -- the class of the study with its metrics, and that of what it is part of; shared -- the
    metrics outside that the study has, too.
    """

    def __init__(
        self,
        study: str,
        part: str,
        reads: Map,
        inner: Distances,
        outer: Distances,
        shared: Set[str],
    ) -> None:
        self.study, self.part, self.reads, self.shared = study, part, reads, shared
        self.about = named.Outside(
            part, reads, inner.alone, outer.alone, self.formula, self._values, self._declared
        )
        self.metrics, self.values, self.named = inner.names.metrics, outer.values, outer.named

    def mechanism(self, called: str, mechanism: Mechanism, many: Term | None, done: str) -> Mechanism:
        """One of its mechanisms.  Raises NotOutside.

        called -- what the study is called; many -- how many of them there are, if it is a family; done --
        what is done to its outputs.
        """
        satisfies, *also = (
            replace(stated, metric=stated.in_metric.changed(self.formula)) for stated in mechanism.every
        )
        entries = None if mechanism.entries is None else self._values(mechanism.entries)
        return replace(
            mechanism,
            name=f"{called}.{mechanism.name}",
            satisfies=satisfies,
            also=tuple(also),
            entries=entries,
            members=mechanism.members if many is None else many,
            processing=", then ".join(filter(None, [mechanism.processing, done])),
        )

    def formula(self, it: Term) -> Term:
        """A formula in the metrics of the study, in those outside."""
        used = [name for name in self.metrics if name in it.letters]
        return substitution.substituted(it, {name: self._letter(name) for name in used})

    def _letter(self, name: str) -> Term:
        metric = self.metrics[name]
        bound = None if metric.at_most is None else self.formula(metric.at_most)
        whole = self.reads.is_everything and not self.part
        called = name if whole else f"{self.study}_{name}"  # d_bounded is that of the whole outside
        return self.named(called, metric.distance.outside(self.about), at_most=bound)

    def _values(self, of: Values) -> Values:
        """The same values outside; a map of the study alone under a name of its own."""
        if not of.name:
            return self.values[self.part]
        return of if self.values.get(of.name) == of else replace(of, name=f"{self.study}.{of.name}")

    def _declared(self, of: str) -> str:
        """What values are called outside of which only a bound is known."""
        return of if of in self.shared else f"{of} in {self.study} of {self.part or self.reads.written('D')}"


def unlike(own: DatabaseClass | None, image: DatabaseClass) -> bool:
    """Whether the class of a study is another one than what it reads."""
    if own is None or own.points is not None:
        return True
    return own != image and not (
        own.count() is not None
        and image.count() is not None
        and own.kind == image.kind
        and set(own.databases()) == set(image.databases())
    )
