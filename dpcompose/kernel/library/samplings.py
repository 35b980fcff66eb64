"""Pages about mechanisms that are run on a sample of the records."""

from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar, Literal

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.heads import Context, Head, Written, formulas_in


@frozen(kw_only=True)
class Sampling(Head):
    """What a mechanism that is run on a sample satisfies, from its guarantee on samples.

    how -- how the sample is drawn: "poisson", each record by itself, and so are "poisson-replaced", where the
    neighbours are by replacement, and "poisson-policy", where steps are edges of a policy; "fixed", so many
    of a known number of records; "any-number", so many of a number of which the least is known, and so is
    "any-number-replaced", where the neighbours are by replacement; "draws", so many times, with replacement;
    letters -- by what it is given, the letters of the formulas;
    on_samples, neighbours -- one step of the guarantee on samples, and of that of the whole: how many records
    are removed, and added;
    besides -- whether the steps of the whole may be others of one record as well; where those of the
    guarantee on samples are of the same kind, they are the same;
    guarantee -- by notion the parameters of the whole, in those on samples and the letters;
    attained -- the notions in which some mechanism loses as much at databases one step apart, and several do
    at once;
    mechanism -- such a one, in words;
    rate -- the probability that the sample has what is different, or the most it is, where all (ε, δ) on
    samples make the whole (ln(1 + rate·(e^ε − 1)), rate·δ), at once; left out: no more is known;
    turned -- by notion what a mechanism loses at least besides where further records go or come.
    """

    one_by: ClassVar[tuple[str, ...]] = ("how",)
    notions_in: ClassVar[tuple[str, ...]] = ("guarantee", "turned", "attained")

    kind: Literal["sampling"]
    how: Literal[
        "poisson",
        "poisson-replaced",
        "poisson-policy",
        "fixed",
        "any-number",
        "any-number-replaced",
        "draws",
    ]
    letters: list[str]
    on_samples: list[int]
    neighbours: list[int]
    besides: bool = False
    guarantee: dict[str, dict[str, str]]
    mechanism: str = ""
    rate: str = ""
    attained: list[str] = field(default_factory=list)
    turned: dict[str, dict[str, str]] = field(default_factory=dict)

    def formulas(self, context: Context) -> Iterator[Written]:
        for key, table in (("guarantee", self.guarantee), ("turned", self.turned)):
            for notion, texts in table.items():
                yield from formulas_in((key, notion), texts, (*self.letters, *context.of(notion)))
        if self.rate:
            yield Written(("rate",), self.rate, self.letters)
