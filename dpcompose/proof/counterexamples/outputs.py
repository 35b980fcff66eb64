"""What the mechanisms of a counterexample do at its two databases, as values to compute with."""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.proof.counterexamples.rows import Row
from dpcompose.proof.counterexamples.spreads import Spread

if TYPE_CHECKING:
    import sympy

Database = Literal["D", "D'"]


def _is_first(at: Database) -> bool:
    if at not in ("D", "D'"):
        raise ValueError(f'outcomes are drawn at "D" or at "D\'", not at {at!r}')
    return at == "D"


@frozen(repr=False)
class Output(Shown):
    """The output of one mechanism, at D and at D'.

    name -- which mechanism; words -- what it does, also where it has no table of single outcomes, as noise;
    at_D, at_E -- by outcome its probability at D, and at D': exact sympy expressions; spread -- of one that
    adds noise, where it is of a scale, the noise and the values: then there are densities.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(dpc.mechanism("M", dpc.pure("e")), on=dpc.multisets(), target="unbounded")
    >>> (output,) = study.check("e/2").counterexample.outputs
    >>> dict(output.at_D), output.loss
    ({'1': exp(-1)/2, '0': 1 - exp(-1)/2}, 1)
    >>> len(output.sample("D", 5, seed=1))
    5
    >>> noisy = dpc.mechanism("M", query=dpc.count, noise=dpc.laplace(2))
    >>> study = dpc.compose(noisy, on=dpc.multisets(), target="unbounded")
    >>> (output,) = study.check("1/4").counterexample.outputs
    >>> output.density("D'"), output.loss, len(output.sample("D", 3))
    (exp(-Abs(y)/2)/4, 1/2, 3)
    """

    name: str
    words: str
    at_D: Mapping[str, sympy.Expr]
    at_E: Mapping[str, sympy.Expr]
    spread: Spread | None = None

    @staticmethod
    def of(row: Row) -> Output:
        """That of a row."""
        at_D = {o: formulas.expression(p) for o, p, _ in row.outcomes}
        at_E = {o: formulas.expression(q) for o, _, q in row.outcomes}
        return Output(row.name, row.words(), MappingProxyType(at_D), MappingProxyType(at_E), row.spread)

    def density(self, at: Database) -> sympy.Expr:
        """Of noise the density of the output y at a database, "D" or "D'"; y1, y2, … for several entries."""
        if self.spread is None:
            raise ValueError(f"{self.name} {self.words}: there is no density")
        return self.spread.density(_is_first(at))

    @property
    def losses(self) -> Mapping[str, sympy.Expr]:
        """By outcome log(P(outcome at D) / P(outcome at D')); oo where only D has it."""
        import sympy

        losses = {}
        for outcome, p in self.at_D.items():
            q = self.at_E[outcome]
            losses[outcome] = sympy.oo if q == 0 else sympy.expand_log(sympy.log(p / q), force=True)
        return MappingProxyType({o: value for o, value in losses.items() if self.at_D[o] != 0})

    @property
    def loss(self) -> sympy.Expr:
        """The largest size of a loss, in either direction: the ε that this mechanism spends here."""
        import sympy

        if self.spread is not None:
            return self.spread.loss
        both = zip(self.at_D.values(), self.at_E.values(), strict=True)
        ratios = [(p, q) for p, q in both if not (p == 0 and q == 0)]
        if not ratios:
            raise ValueError(f"{self.name} {self.words}: there are no single outcomes to compare")
        if any(0 in ratio for ratio in ratios):
            return sympy.oo
        sizes = [abs(sympy.expand_log(sympy.log(p / q), force=True)) for p, q in ratios]
        return max(sizes, key=lambda x: x.evalf(50))

    def sample(self, at: Database, size: int = 1, seed: int | None = None) -> list[Any]:
        """Outcomes drawn at a database, "D" or "D'"; seed -- for the same ones each time.

        Of noise they are floats, or tuples of these for several entries.
        """
        first = _is_first(at)
        if self.spread is not None:
            drawn = self.spread.sample(first, size, random.Random(seed))
            return [outcome[0] if len(outcome) == 1 else outcome for outcome in drawn]
        table = self.at_D if first else self.at_E
        if not table:
            raise ValueError(f"{self.name} {self.words}: there are no single outcomes to draw")
        return random.Random(seed).choices(list(table), [float(p) for p in table.values()], k=size)

    def __repr__(self) -> str:
        return f"{self.name} {self.words}"
