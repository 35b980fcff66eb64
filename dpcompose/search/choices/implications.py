"""Which of its guarantees a mechanism has by another one, and what holds with one of each mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.judgements import Loose, Satisfies
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.trying import tried

Values = Mapping[str, Mapping[str, str]]
"""By the numbers of mechanisms other values of the parameters of their guarantees, as rules read them."""
NOTHING: Values = {}
Shown = Callable[[int, int, int, Values], Theorem | None]


@frozen
class Implications:
    """What is known of the guarantees of a setting; prover -- what makes theorems about it.

    shown -- that guarantee n of M_i implies guarantee m: a theorem, or None where that is not seen; of other
    values of its parameters with these, {"values": …}.
    """

    prover: Prover
    shown: Shown
    _known: dict[object, Theorem | None] = field(default_factory=dict, repr=False)

    def every(self, which: Sequence[int], values: Values = NOTHING) -> tuple[Theorem, ...] | None:
        """That each chosen guarantee implies the others of its mechanism; with other values itself, too."""
        theorems = []
        for i, (mechanism, n) in enumerate(zip(self.prover.setting.mechanisms, which, strict=True), start=1):
            smaller = values.get(str(i))
            for m in range(len(mechanism.also) + 1):
                if m == n and smaller is None:
                    continue
                if (theorem := self.implication(i, n, m, smaller)) is None:
                    return None
                theorems.append(theorem)
        return tuple(theorems)

    def implication(self, i: int, n: int, m: int, values: Mapping[str, str] | None = None) -> Theorem | None:
        """That guarantee n of M_i, perhaps with other values, implies guarantee m."""
        key = (i, n, m, None if values is None else tuple(values.items()))
        if key not in self._known:
            self._known[key] = self.shown(i, n, m, {} if values is None else {"values": dict(values)})
        return self._known[key]

    def of_all(
        self,
        theorem: Theorem | None,
        which: Sequence[int],
        implied: Callable[[], Sequence[Theorem] | None],
        values: Values = NOTHING,
    ) -> Theorem | None:
        """A theorem about chosen guarantees as one about all of them; None where it is none.

        implied -- gives what shows that they imply all others; None where nothing does.
        """
        if theorem is None:
            return None
        more = () if isinstance(theorem.says, Satisfies | Loose) else implied() or ()
        given = {"values": {i: dict(value) for i, value in values.items()}} if values else {}
        return tried(self.prover, "choose", theorem, *more, which=list(which), **given)
