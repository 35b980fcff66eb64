"""Pages from guarantees to others: in another notion, or with a smaller value of a parameter."""

from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar, Literal

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import Mistake
from dpcompose.kernel.library.heads import LAST_ORDER, Context, Head, Written


@frozen(kw_only=True)
class Conversion(Head):
    """From the parameters of a notion to those of another one, for any two distributions of outputs.

    parameters -- the formulas of `to`'s parameters, in those of `from` and the free ones;
    free -- parameters of `to` that may be chosen, with the values they may take: "in (0,1)";
    only -- parameters of `from` that must have this value: δ = 0;
    apart -- parameters of `from` that are set apart: what has the guarantee does no more than two independent
    mechanisms do, of which one has `parameters`, and the other one the guarantee with all but these at 0;
    at_most -- limits of parameters of `from`, or of free ones: it is for those that are shown to keep them;
    aside -- it is tried beside the chains of the others, and is no link of one;
    orders -- from a notion of all orders, where the guarantee is about "all" above 1, all "large" ones, which
    are those above some order, or all the "first" ones, up to an order omega;
    both_ways -- whether whatever satisfies `to` with `parameters` satisfies `from` as well, so that the two
    say the same of a mechanism.
    """

    notions_in: ClassVar[tuple[str, ...]] = ("from_", "to")

    kind: Literal["conversion"]
    from_: str
    to: str
    parameters: dict[str, str]
    free: dict[str, str] = field(default_factory=dict)
    only: dict[str, str] = field(default_factory=dict)
    apart: list[str] = field(default_factory=list)
    at_most: dict[str, str] = field(default_factory=dict)
    aside: bool = False
    orders: Literal["all", "large", "first"] | None = None
    both_ways: bool = False

    def formulas(self, context: Context) -> Iterator[Written]:
        letters = (*context.of(self.from_), *self.free, *context.order(self.from_, self.to))
        end = (LAST_ORDER,) if self.orders == "first" else ()
        yield from self.written("parameters", (*letters, *end))
        yield from self.written("only", ())
        yield from self.written("at_most", letters)
        yield from self.written("apart", context.of(self.from_))


@frozen(kw_only=True)
class Closer(Head):
    """A smaller value of a parameter than the rule's, which a claim may lie above.

    over -- "steps": for one mechanism, at some distance; "mechanisms": for several;
    next -- the value one neighbour step further on, from the value a so far: the least of several formulas in
    a, none of which decreases in a, and of which later ones stay the least once they are;
    together -- the value of k mechanisms, from one for each: "1 - prod(1 - delta[i], i, 1, k)".
    """

    one_by: ClassVar[tuple[str, ...]] = ("notion", "over")
    notions_in: ClassVar[tuple[str, ...]] = ("notion",)

    kind: Literal["closer"]
    notion: str
    over: Literal["steps", "mechanisms"]
    next: dict[str, list[str]] = field(default_factory=dict)
    together: dict[str, str] = field(default_factory=dict)

    def formulas(self, context: Context) -> Iterator[Written]:
        yield from self.written("next", (*context.of(self.notion), "a"))
        for key, text in self.together.items():
            yield Written(("together", key), text, ("k",), (key,))

    def misfits(self) -> Iterator[Mistake]:
        if [bool(self.next), bool(self.together)] != [self.over == "steps", self.over == "mechanisms"]:
            yield Mistake(("over",), "over steps next alone says the values, over mechanisms together")
