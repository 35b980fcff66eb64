"""Random parts: what a permutation of the records deals to one of k inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.inputs.maps import Map, Signs


@frozen(repr=False)
class RandomPart(Map):
    """What the i-th of k inputs is dealt: all records, in an order that is drawn independently of them, are
    dealt to inputs of sizes that are drawn independently of all but their number.

    parts -- the number k, as a formula; "" of one member of a family;
    turns -- where all records are dealt to one input, to this one where their number is even (0) or odd (1);
    else it has no value at a database by itself, as it is random.
    """

    dealt = True

    parts: str
    turns: tuple[int, ...] | None = None

    @property
    def member(self) -> RandomPart:
        return replace(self, parts="")

    def dealt_in(self, turns: tuple[int, ...]) -> RandomPart:
        return replace(self, parts="", turns=turns)

    @property
    def dealt_words(self) -> str:
        words = {(0, 1): ", dealt all records,", (0,): ", dealt all where their number is even,"}
        return words.get(self.turns or (), ", dealt all where their number is odd," if self.turns else "")

    def __call__(self, D: Database) -> Database:
        if self.turns is None or not isinstance(D, tuple):
            raise ValueError("what an input is dealt is random")
        return D if len(D) % 2 in self.turns else ()

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return databases.of_sizes(Size())

    def counted(self, point: Mapping[str, Fraction]) -> RandomPart:
        return replace(self, parts=str(point[self.parts])) if self.parts in point else self

    def unfit(self, databases: DatabaseClass) -> str | None:
        return (
            None if databases.twice else f"reads a random part, and {databases} are not dealt: multisets are"
        )

    def shown(self, D: str, signs: Signs) -> str:
        return signs.beside(D, before="a random part of ")

    def data(self) -> dict[str, Any]:
        return {"random-part": "i", "of": self.parts}


def random_part(parts: Term | int | str) -> RandomPart:
    """What a random permutation of the records deals to one of so many inputs, for a family of as many.

    parts -- how many; `compose` raises InvalidSetting where the mechanism is no family of as many.

    >>> import dpcompose as dpc
    >>> M = dpc.mechanism("M", dpc.pure("e[i]", dpc.bounded, "own"), reads=random_part(3), count=3)
    >>> dpc.compose(M, on=dpc.multisets(), target=dpc.bounded).guarantee()
    bounded (max(e[i], i, 1, 3))-DP, by GB:IV.1; optimal
    """
    return RandomPart(formulas.to_text(formulas.term(parts)))
