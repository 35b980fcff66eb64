"""The kinds of theorem pages: what a page of each kind states, as data.

The kinds are closed.  Each is a frozen dataclass, whose fields are the keys of a page's head; it knows which
letters its formulas have, which keys tell it from other pages of its kind, and whether the program derives
what it states each time it is used.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import ClassVar, Literal

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.conversions import Closer as Closer
from dpcompose.kernel.library.conversions import Conversion as Conversion
from dpcompose.kernel.library.fields import Mistake
from dpcompose.kernel.library.heads import LAST_ORDER, Context, Head, Hypothesis, Written, formulas_in
from dpcompose.kernel.library.releases import Noise, Query
from dpcompose.kernel.library.samplings import Sampling as Sampling


@frozen(kw_only=True)
class Fact(Head):
    """A canonical metric in closed form, or an implication between hypotheses.

    classes, sizes, edits -- the classes and the single edits (counts of what differs) the metric is for;
    groups -- how the metric of groups of m steps follows from the metric d of single steps;
    form -- how the metric is found where that is no formula in counts.
    """

    kind: Literal["fact"]
    classes: list[Literal["multisets", "sequences"]] = field(default_factory=lambda: ["multisets"])
    sizes: list[Literal["any", "at most", "exactly"]] = field(default_factory=list)
    edits: list[list[int]] | Literal["any two"] | None = None
    metric: str | None = None
    groups: Literal["ceiling of d/m"] | None = None
    form: (
        Literal["fewest blocks that cover", "vertices and twice a cover", "cheapest matching", "bags"] | None
    ) = None
    same_size: bool = False
    hypotheses: list[Hypothesis] = field(default_factory=list)
    concludes: Hypothesis | None = None
    concludes_not: Hypothesis | None = None

    @property
    def is_derived_when_used(self) -> bool:
        """Of a hypothesis: what is concluded is decided by its own predicate, and the page only cited."""
        return self.metric is None and self.groups is None and self.form is None

    def formulas(self, context: Context) -> Iterator[Written]:
        return self.written("metric", ("removed", "added"))


@frozen(kw_only=True)
class Rule(Head):
    """A notion: parameters, loss at distance r, how the losses of parts add, order.

    called -- what a guarantee is called after its values, as in (e1, d1)-DP;
    squared -- parameters that are composed by their squares: these are compared and added;
    at_steps -- the parameters at a whole number r of steps, where `distance` is written for all r;
    limits -- from which value on a parameter says nothing;
    convex -- parameters that are convex functions of the distance, 0 at 0, which is not seen from `distance`;
    ordered -- whether its one parameter bounds divergences of all orders that a guarantee says: `distance` is
    for what is a number times the order then, and other functions of it are known by `kernel.core.orders`;
    lines -- of a notion whose one parameter is a trade-off function, the largest of straight lines in alpha:
    the notion of which each line is a guarantee, and all together it; losses add up in that one;
    adaptively -- the hypothesis under which they add up where mechanisms read earlier outputs;
    left out: no such result is known.
    """

    one_by: ClassVar[tuple[str, ...]] = ("notion",)
    notions_in: ClassVar[tuple[str, ...]] = ("lines",)

    kind: Literal["rule"]
    notion: str
    parameters: list[str]
    called: str = "DP"
    distance: dict[str, str] = field(default_factory=dict)
    at_steps: dict[str, str] = field(default_factory=dict)
    composition: dict[str, str] = field(default_factory=dict)
    squared: list[str] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)
    convex: list[str] = field(default_factory=list)
    ordered: bool = False
    lines: str = ""
    adaptively: Hypothesis | None = None

    def misread(self, values: Iterable[tuple[str, object]]) -> str | None:
        """What is wrong with a guarantee's parameters, which are those of the notion, in order."""
        given = [key for key, _ in values]
        if given == self.parameters:
            return None
        return f"a guarantee of {self.notion} has {', '.join(self.parameters)}, not {', '.join(given)}"

    def formulas(self, context: Context) -> Iterator[Written]:
        letters = (*self.parameters, "r", *context.order(self.notion))
        yield from self.written("distance", letters)
        yield from self.written("at_steps", letters)
        for key, text in self.composition.items():
            yield Written(("composition", key), text, ("k",), (key,))

    def misfits(self) -> Iterator[Mistake]:
        if not self.parameters:
            yield Mistake(("parameters",), "a notion has at least one parameter")
        if self.lines and (len(self.parameters) != 1 or self.distance or self.composition):
            yield Mistake(("lines",), "a trade-off function is one parameter, without formulas")
        if self.ordered and (len(self.parameters) != 1 or self.squared or self.limits or self.at_steps):
            yield Mistake(
                ("ordered",), "a notion of all orders has one parameter, which is no square and unlimited"
            )
        for n, parameter in enumerate(self.parameters, start=1):
            if parameter in KEYS_OF_GUARANTEES:
                yield Mistake(
                    ("parameters", str(n)), f"{parameter} has a meaning in guarantees and formulas already"
                )
        for key, there in (("distance", self.distance), ("composition", self.composition)):
            for name in [] if self.lines else self.parameters:
                if name not in there:
                    yield Mistake((key, name), "this key is missing: every parameter has its formula")
        tables = (("distance", self.distance), ("composition", self.composition), ("at-steps", self.at_steps))
        listed = (("squared", self.squared), ("limits", self.limits), ("convex", self.convex))
        for key, names in (*tables, *listed):
            for name in names:
                if name not in self.parameters:
                    yield Mistake((key, name), f"the notion has the parameters {', '.join(self.parameters)}")


KEYS_OF_GUARANTEES = ("notion", "granularity", "domain", "expect", "r", "k", "m", "a")
"""What no parameter of a notion is called: other keys of a guarantee or a claim, and letters of pages."""


@frozen(kw_only=True)
class Lemma(Head):
    """What the proofs of other pages rest on.

    notions -- those that it is about, left out: all;
    construction -- what it makes of mechanisms, where tables of probabilities can show it to be false.
    """

    kind: Literal["lemma"]
    notions: list[str] = field(default_factory=list)
    construction: Literal["coin"] | None = None


@frozen(kw_only=True)
class Step(Head):
    """From a guarantee of M_i as stated to a guarantee in the distance of what M_i reads."""

    kind: Literal["step"]
    domain: Literal["own", "common"]
    metric: Literal["canonical", "minimum over fibres", "push-forward", "norm over fibres"]


@frozen(kw_only=True)
class Procedure(Head):
    """A shape by procedure, such as the profile by edits, policies, contributions, or blocks.

    notions -- those that it is about, where it is not about all.
    """

    one_by: ClassVar[tuple[str, ...]] = ("procedure",)
    notions_in: ClassVar[tuple[str, ...]] = ("notions",)

    kind: Literal["procedure"]
    procedure: Literal[
        "edit types",
        "policies",
        "contributions",
        "any number of steps",
        "corners",
        "any number of records",
        "blocks",
        "own steps",
        "exhaustion",
        "arrays",
        "pairs",
        "within a distance",
        "rows of tables",
        "chains of databases",
    ]
    notions: list[str] = field(default_factory=list)


@frozen(kw_only=True)
class Shape(Head):
    """A form of the sensitivity profile: each r_i ≤ each, and Σ r_i ≤ sum (left out: no limit)."""

    kind: Literal["shape"]
    each: int
    sum: int | None = None

    @property
    def is_derived_when_used(self) -> bool:
        """Every vector of a profile is looked at."""
        return True


@frozen(kw_only=True)
class Substitution(Head):
    """A loss in r and a profile give a guarantee: the worst of the loss over the vectors."""

    kind: Literal["substitution"]


@frozen(kw_only=True)
class MetricStatement(Head):
    """A statement about metrics and sensitivities, with the formula that Python functions read off it.

    states -- metric form: a guarantee in terms of a metric d is privacy in the metric formula·d, and
    `composition` tells how the metrics d[i] of the parts make that of the whole;
    preprocessing: the parameter of M∘f, from that of M and Delta = Δf;
    composed maps: a bound on Δ(g∘f), from Delta_f and Delta_g.
    """

    one_by: ClassVar[tuple[str, ...]] = ("states", "notion")
    notions_in: ClassVar[tuple[str, ...]] = ("notion",)

    kind: Literal["metric"]
    states: Literal["metric form", "preprocessing", "composed maps"]
    notion: str | None = None
    formula: str
    composition: str | None = None

    def formulas(self, context: Context) -> Iterator[Written]:
        own = () if self.notion is None else context.of(self.notion)
        more = {"metric form": (), "preprocessing": ("Delta",), "composed maps": ("Delta_f", "Delta_g")}
        yield from self.written("formula", (*own, *more[self.states]))
        if self.composition is not None:
            yield Written(("composition",), self.composition, ("k",), ("d",))


@frozen(kw_only=True)
class Premises:
    """What a composition theorem asks of each mechanism and of the target.

    stated -- the neighbours of each guarantee: "G" (the target's), "H" (any, the same for all), or a
    granularity's name;
    domain -- "own", "common", or "any"; a mechanism that reads everything satisfies both.
    """

    stated: str | None = None
    domain: Literal["own", "common", "any"] = "any"
    target: str | None = None
    k: int | None = None


@frozen(kw_only=True)
class Named(Head):
    """A composition theorem that people cite: premises, hypotheses, a shape, its conclusion.

    where -- hypotheses without which nobody would think of it: where one fails, nothing is said of it;
    notions -- for which it is stated besides those with an item or a conclusion;
    conclusion -- formulas in the parameters, k, and for guarantees stated in "H" also m: how many
    H-steps two target neighbours can be apart (GB Prop. A.3);
    adaptively -- the hypothesis under which it holds where mechanisms read earlier outputs; left out: it is
    about independent ones.  `adaptive_items` are the numbers of that, by notion; where there is none, the
    source has the result for independent mechanisms, and the page derives the other form.
    """

    numbers_adaptive_results: ClassVar[bool] = True
    notions_in: ClassVar[tuple[str, ...]] = ("conclusion", "notions")

    kind: Literal["named"]
    title: str
    adaptive_title: str = ""
    statement: str
    premises: Premises = Premises()
    where: list[Hypothesis] = field(default_factory=list)
    hypotheses: list[Hypothesis] = field(default_factory=list)
    notions: list[str] = field(default_factory=list)
    adaptively: Hypothesis | None = None
    shape: str | None = None
    conclusion: dict[str, str | dict[str, str]] = field(default_factory=dict)

    @property
    def is_derived_when_used(self) -> bool:
        """What it concludes is compared with what the loss and the profile give, or is just that."""
        return True

    def formulas(self, context: Context) -> Iterator[Written]:
        for notion, given in self.conclusion.items():
            parameters = context.of(notion)
            for key, text in given.items() if isinstance(given, dict) else (("", given),):
                at = tuple(filter(None, ("conclusion", notion, key)))
                yield Written(at, text, ("k", "m"), parameters)


@frozen(kw_only=True)
class Witness(Head):
    """For a notion, mechanisms that attain what its guarantees allow.

    shows -- the parameter whose loss is attained;
    by -- "ratio": two outcomes, of which 1 has `probability` at distance d from the point that the
    mechanism is built at (0 where d is oo), and the loss is the logarithm of the ratio;
    "noise": the distance d with normal noise of that `variance`, and d² add up;
    "event": the outcome 1 has that `probability`, 0 at the point itself, and 1 where d is oo;
    "tail": all divergences of orders beyond 1/d are infinite, and the largest d of several is that of all;
    distance -- d, from the parameters of the guarantee and the r steps between two inputs;
    steps -- up to how many steps it attains the bound; left out: for all;
    together -- up to how many mechanisms that move it attains the rule's bound; left out: for all;
    steps_by -- an event: the page over steps whose value at r steps is its probability as well;
    divergence -- whether what is shown is never below the Kullback-Leibler divergence;
    positive -- a tail: the parameter of the guarantee that has to be > 0.
    """

    one_by: ClassVar[tuple[str, ...]] = ("notion", "shows")
    notions_in: ClassVar[tuple[str, ...]] = ("notion",)

    kind: Literal["witness"]
    notion: str
    shows: str
    by: Literal["ratio", "noise", "event", "tail"]
    distance: str
    probability: str = ""
    variance: str = ""
    steps: int | None = None
    together: int | None = None
    steps_by: str | None = None
    divergence: bool = False
    positive: str = ""

    def formulas(self, context: Context) -> Iterator[Written]:
        letters = (*context.of(self.notion), "r", *context.order(self.notion))
        yield from self.written("distance", letters)
        yield from self.written("probability", ("d",))
        yield from self.written("variance", ())

    def misfits(self) -> Iterator[Mistake]:
        needed = {"noise": "variance", "tail": "positive"}.get(self.by, "probability")
        if not getattr(self, needed):
            yield Mistake((needed,), f"this key is missing: a witness by {self.by} has its {needed}")


@frozen(kw_only=True)
class Violation(Head):
    """What a mechanism with a guarantee of one notion can lose in another: claims there are refuted by it.

    of, notion -- the notion of its guarantee, and that of the claims;
    loss -- in the guarantee's parameters and the r steps between two inputs, which may be "oo";
    positive -- a formula in the guarantee's parameters that has to be > 0; mechanism -- what it is, in words;
    in_a_metric -- what it can lose at D, E whose guarantee is one in a metric, in the parameters at D, E;
    tail, ended -- of guarantees about divergences of orders up to omega: the d of a tail, in omega and r, and
    what can be lost by infinite divergences of orders beyond; tailed -- what that mechanism is, in words;
    alone -- whether nothing is said of several of them together: then all but one say the same always.
    """

    one_by: ClassVar[tuple[str, ...]] = ("of", "notion")
    notions_in: ClassVar[tuple[str, ...]] = ("of", "notion")

    kind: Literal["violation"]
    of: str
    notion: str
    loss: str
    positive: str
    mechanism: str
    in_a_metric: str | None = None
    tail: str | None = None
    ended: Literal["oo"] | None = None
    tailed: str = ""
    alone: bool = False

    def formulas(self, context: Context) -> Iterator[Written]:
        own = context.of(self.of)
        yield from self.written("loss", (*own, "r", *context.order(self.of, self.notion)))
        yield from self.written("positive", own)
        yield from self.written("in_a_metric", own)
        yield from self.written("tail", (LAST_ORDER, "r"))


@frozen(kw_only=True)
class Processing(Head):
    """From guarantees of mechanisms to that of another made of their outputs.

    of -- "outputs": a function of them; "parts": one mechanism of a composition; "interactions": mechanisms
    chosen as one goes, which a filter stops before their parameters add up to more than a total; "deals":
    mechanisms on what a random permutation deals to each;
    notions -- those that it is about, left out: every one.
    """

    one_by: ClassVar[tuple[str, ...]] = ("of",)
    notions_in: ClassVar[tuple[str, ...]] = ("notions",)

    kind: Literal["processing"]
    of: Literal["outputs", "parts", "interactions", "deals"]
    notions: list[str] = field(default_factory=list)

    def is_about(self, of: str, notion: str) -> bool:
        """Whether it is about such mechanisms in a notion."""
        return self.of == of and notion in (self.notions or [notion])


@frozen(kw_only=True)
class Computed(Head):
    """A procedure that decides claims with numbers: the bound is computed each time, and recomputed.

    notion -- of the claims; parts -- for the notion of a mechanism's own guarantee the formulas of what
    the procedure asks of it, in terms of its parameters and the distance r of its inputs; noises -- the
    same for mechanisms that add noise, in terms of its parameter, r being how far an entry moves;
    in_a_metric -- the same for what mechanisms can lose at D, E whose guarantee is one in a metric, in terms
    of the parameters at D, E: there may be databases at any distance between these;
    lost -- the same of guarantees of which no bound is known so: what some mechanisms with them lose;
    tables -- whether it is about mechanisms given by tables, whose rows are what they are;
    converse -- whether what has no larger δ than its one part, at any ε ≥ 0, has the guarantee of that.
    """

    notions_in: ClassVar[tuple[str, ...]] = ("notion", "parts", "in_a_metric", "lost")

    kind: Literal["computed"]
    procedure: Literal["privacy curve"]
    notion: str
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    noises: dict[str, dict[str, str]] = field(default_factory=dict)
    in_a_metric: dict[str, dict[str, str]] = field(default_factory=dict)
    lost: dict[str, dict[str, str]] = field(default_factory=dict)
    tables: bool = False
    converse: bool = False

    def formulas(self, context: Context) -> Iterator[Written]:
        for notion, texts in self.parts.items():
            yield from formulas_in(("parts", notion), texts, (*context.of(notion), "r"))
        for notion, texts in self.lost.items():
            yield from formulas_in(
                ("lost", notion), texts, (*context.of(notion), *context.order(notion), "r")
            )
        for notion, texts in self.in_a_metric.items():
            yield from formulas_in(("in-a-metric", notion), texts, context.of(notion))
        for word, texts in self.noises.items():
            if (letters := context.noises.get(word)) is not None:
                yield from formulas_in(("noises", word), texts, (*letters, "r"))


KINDS: Mapping[str, type[Head]] = {
    "fact": Fact,
    "rule": Rule,
    "conversion": Conversion,
    "closer": Closer,
    "lemma": Lemma,
    "step": Step,
    "noise": Noise,
    "query": Query,
    "procedure": Procedure,
    "shape": Shape,
    "substitution": Substitution,
    "metric": MetricStatement,
    "named": Named,
    "witness": Witness,
    "violation": Violation,
    "processing": Processing,
    "sampling": Sampling,
    "computed": Computed,
}
"""The kinds there are, by the word of a page's head."""
