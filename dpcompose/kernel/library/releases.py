"""Pages about what mechanisms release: noise on the value of a query, and how far that value moves."""

from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar, Literal, get_args

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import Mistake
from dpcompose.kernel.library.heads import ORDER, Context, Head, Written, formulas_in

Norm = Literal["L1", "L2", "range", "records", "answers"]
"""How values of queries are compared."""
NORMS: tuple[str, ...] = get_args(Norm)


@frozen(kw_only=True)
class Noise(Head):
    """Noise on the entries of a query's value: why it is private, and in which norm.

    noise -- its word in problem files; parameter -- the letter of its parameter in the formulas;
    norm -- how values x, z of the query are compared; entries -- of which numbers they are made: any real
    ones, the two of a point of the plane, integers, bits, scores, or counts by keys;
    letters -- more of them: of what the query is about, and of further parameters of the noise;
    at_least -- what letters are at least, in others, for the page to hold; where they are, parameters that
    are `probabilities` are at least 0; whole -- letters that are to be whole numbers;
    attained -- whether for some output at every x, z the loss is as large as the guarantee allows, or comes
    as near to it as one likes;
    density -- of one entry y of the output at the entry x, or its probability;
    loss -- ln(f_x(y)/f_z(y)) for one entry; at_most -- what it is at most for every y; or equals, where it
    has no bound, an equal expression that shows how it is distributed; because -- why, in words;
    guarantee -- by notion the parameters for values 1 apart; at distance r as the notion's rule says;
    moved -- by notions in which these add up the parameters where the value moves by r, whatever the rule
    says of distances: of one entry, and of all, which move by r together, no more;
    closer -- by notions that know a guarantee too: smaller parameters where the value moves by r in the norm,
    which do not fall where r grows;
    once -- parameters of guarantees that count once where entries of the query's value move by 1 each, and
    others add up;
    divergence -- the Kullback-Leibler divergence of the outputs at two values of an entry that are r apart;
    divergences -- the same where queries of some pages are read;
    renyi -- the divergence of order alpha of the outputs at two values of an entry that are r apart: a convex
    function of r in norm L1, a number times its square in norm L2, so that entries that move add up to at
    most what one does that moves by all of it;
    event -- of what is not attained, P(S) − e^epsilon·Q(S) of an event where the value moves by r; events --
    the same where queries of some pages are read;
    in_the_limit -- the notions whose guarantee is approached, and whether divergence and event are, only at
    databases with as many more records as one likes.
    """

    one_by: ClassVar[tuple[str, ...]] = ("noise",)
    notions_in: ClassVar[tuple[str, ...]] = ("guarantee", "moved", "closer", "in_the_limit")

    kind: Literal["noise"]
    noise: str
    parameter: str
    norm: Norm
    entries: Literal["real", "plane", "integers", "bits", "scores", "keys"] = "real"
    letters: list[str] = field(default_factory=list)
    at_least: dict[str, str] = field(default_factory=dict)
    probabilities: list[str] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)
    attained: bool = True
    density: str
    loss: str
    at_most: str = ""
    equals: str = ""
    because: str
    guarantee: dict[str, dict[str, str]]
    moved: dict[str, dict[str, str]] = field(default_factory=dict)
    closer: dict[str, dict[str, str]] = field(default_factory=dict)
    once: list[str] = field(default_factory=list)
    divergence: str = ""
    divergences: dict[str, str] = field(default_factory=dict)
    renyi: str = ""
    event: str = ""
    events: dict[str, str] = field(default_factory=dict)
    in_the_limit: list[str] = field(default_factory=list)

    @property
    def bound(self) -> tuple[str, str]:
        """How the loss compares to a formula, in words, and the formula."""
        return ("at most", self.at_most) if self.at_most else ("equal to", self.equals)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The letters of what the page says: that of its parameter, and the others."""
        return (self.parameter, *self.letters)

    def formulas(self, context: Context) -> Iterator[Written]:
        own = self.parameters
        letters = (*LETTERS_OF_NOISE, "pi", *own)
        for key in ("density", "loss", "at_most", "equals"):
            yield from self.written(key, letters)
        yield from self.written("guarantee", own)
        yield from self.written("at_least", own)
        for key in ("moved", "closer", "divergence", "divergences"):
            yield from self.written(key, (*own, "r"))
        yield from self.written("renyi", (*own, "r", ORDER))
        for key in ("event", "events"):
            yield from self.written(key, (*own, "r", "epsilon"))

    def misfits(self) -> Iterator[Mistake]:
        if bool(self.at_most) == bool(self.equals):
            yield Mistake((), "a noise has at-most, what its loss is at most, or equals, but one of them")
        for notion in self.moved.keys() & self.guarantee.keys():
            yield Mistake(("moved", notion), "a notion stands in guarantee or in moved")
        for key, names in (("at-least", list(self.at_least)), ("whole", self.whole)):
            for name in names:
                if name not in self.parameters:
                    yield Mistake((key, name), f"the page has the letters {', '.join(self.parameters)}")
        for n, name in enumerate(self.letters, start=1):
            if name in (self.parameter, "r", "epsilon", "pi", *LETTERS_OF_NOISE):
                yield Mistake(("letters", str(n)), f"{name} has a meaning in formulas of noise already")


LETTERS_OF_NOISE = "acuvwxyz"
"""y: an entry of the output; x, z: that entry of the query's value at D and at E; others: see the page."""


@frozen(kw_only=True)
class AtLeast:
    """How far the value of a query moves where n is only the least number of records that are read, or 1.

    only -- what must be at least 0 for that to hold; shared -- how many records two databases must share for
    it to be reached.
    """

    moves: dict[Norm, str]
    only: str = ""
    shared: int = 0


@frozen(kw_only=True)
class Query(Head):
    """How far the value of a query of the records that are read moves, where some go and others come.

    moves -- by norm, the most ‖q(x) − q(y)‖ can be where y lacks `removed` records of x and has `added`
    others, over all values of an attribute; in these and the query's own letters;
    entries -- how far each entry moves then that does, and others no further: they fall into as many groups,
    each of which moves by at most that, together; left out: one entry, by all of it;
    sized -- whether n, how many records are read, must be known; at_least -- else the same with the least
    number of records that are read; only -- what must be at least 0 for that to hold;
    one -- whether there is one record only;
    whether -- whether the value only says if what is read differs; attained -- whether for some attributes
    the value moves as far, for all queries of a setting at once.
    """

    kind: Literal["query"]
    moves: dict[Norm, str]
    entries: list[str] = field(default_factory=list)
    sized: bool = False
    at_least: AtLeast | None = None
    only: str = ""
    one: bool = False
    whether: bool = False
    attained: bool = True

    def formulas(self, context: Context) -> Iterator[Written]:
        letters = [letter for letter in LETTERS_OF_QUERIES if letter != "n" or self.sized]
        for key in ("moves", "entries", "only"):
            yield from self.written(key, letters)
        if self.at_least is not None:
            yield from formulas_in(("at-least", "moves"), self.at_least.moves, LETTERS_OF_QUERIES)
            if self.at_least.only:
                yield Written(("at-least", "only"), self.at_least.only, LETTERS_OF_QUERIES)

    def misfits(self) -> Iterator[Mistake]:
        if self.at_least is not None and (not self.sized or self.at_least.moves.keys() != self.moves.keys()):
            yield Mistake(("at-least",), "what a least number of records says, n says of the same norms")
        for norm in self.moves.keys() - {*NORMS}:
            yield Mistake(("moves",), f"{norm!r} is no norm; {', '.join(NORMS[:-1])} and {NORMS[-1]} are")


LETTERS_OF_QUERIES = ("removed", "added", "l", "u", "w", "c", "n", "L", "m")
"""How many records go and come; the bounds of an attribute, the diameter of a disc, the length
of vectors, the number of records; how many keys one has, and what it adds to each."""
