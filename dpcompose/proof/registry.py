"""The registry: reads the pages of theorems/ into values.

A page is a Markdown file: a title, a fenced `toml` block with the theorem as data, and the
theorem and its proof as mathematics.  Loading a folder of pages executes nothing.  The
kinds of pages are closed; each is a class below whose fields are the keys of the block.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from dpcompose.language.shown import Shown

if TYPE_CHECKING:
    from dpcompose.privacy.notions import Guarantee


class PageError(ValueError):
    """A page cannot be read; the message names the file and every mistake in it."""


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Hypothesis(_Head):
    """A predicate, by the name of its file in hypotheses/, bound to letters of the setting.

    maps -- "f": all maps; "f[i]": each of them, one by one;
    granularity -- "G": the target; "H": that of all guarantees; else a granularity's name;
    value, bound -- "k" or another number of the setting, and a whole number it is compared with.
    """

    is_: str = Field(alias="is")
    maps: Literal["f", "f[i]"] | None = None
    granularity: str | None = None
    value: Literal["k", "non-empty parts", "largest size"] | None = None
    bound: int | None = None

    def data(self) -> dict[str, Any]:
        """The binding, as a derivation's line keeps it."""
        return self.model_dump(by_alias=True, exclude_none=True)


class _Common(_Head):
    id: str
    items: dict[str, str] = {}
    adaptive_items: dict[str, str] = Field(default={}, alias="adaptive-items")
    also: list[str] = []
    status: Literal["primitive", "derived", "believed"] = "primitive"
    special_case_of: list[str] = Field(default=[], alias="special-case-of")
    rests_on: list[str] = Field(default=[], alias="rests-on")


class Fact(_Common):
    """A canonical metric in closed form, or an implication between hypotheses.

    classes, sizes, edits -- the classes and the single edits (counts of what differs) the metric is for;
    groups -- how the metric of groups of m steps follows from the metric d of single steps;
    form -- how the metric is found where that is no formula in counts.
    """

    kind: Literal["fact"]
    classes: list[Literal["multisets", "tuples", "streams", "tables", "sequences"]] = ["multisets"]
    sizes: list[Literal["any", "at most", "exactly"]] = []
    edits: list[list[int]] | Literal["any two"] | None = None
    metric: str | None = None
    groups: Literal["ceiling of d/m"] | None = None
    form: Literal["fewest blocks that cover", "vertices and twice a cover"] | None = None
    same_size: bool = Field(default=False, alias="same-size")
    hypotheses: list[Hypothesis] = []
    concludes: Hypothesis | None = None
    concludes_not: Hypothesis | None = Field(default=None, alias="concludes-not")


class Rule(_Common):
    """A notion: parameters, loss at distance r, how the losses of parts add, order.

    called -- what a guarantee is called after its values, as in (e1, d1)-DP;
    squared -- parameters that are composed by their squares: these are compared and added;
    at_steps -- the parameters at a whole number r of steps, where `distance` is written for all r;
    limits -- from which value on a parameter says nothing;
    adaptively -- the hypothesis under which they add up where mechanisms read earlier outputs;
    left out: no such result is known.
    """

    kind: Literal["rule"]
    notion: str
    parameters: list[str]
    called: str = "DP"
    distance: dict[str, str]
    at_steps: dict[str, str] = Field(default={}, alias="at-steps")
    composition: dict[str, str]
    squared: list[str] = []
    limits: dict[str, int] = {}
    adaptively: Hypothesis | None = None

    def misread(self, stated: Guarantee) -> str | None:
        """What is wrong with a guarantee's parameters, which are those of the notion, in order."""
        given = [key for key, _ in stated.values]
        if given == self.parameters:
            return None
        return f"a guarantee of {self.notion} has {', '.join(self.parameters)}, not {', '.join(given)}"


class Conversion(_Common):
    """From the parameters of a notion to those of another one, for any two distributions of outputs.

    parameters -- the formulas of `to`'s parameters, in those of `from` and the free ones;
    free -- parameters of `to` that may be chosen, with the values they may take: "in (0,1)";
    only -- parameters of `from` that must have this value: δ = 0.
    """

    kind: Literal["conversion"]
    from_: str = Field(alias="from")
    to: str
    parameters: dict[str, str]
    free: dict[str, str] = {}
    only: dict[str, str] = {}


class Closer(_Common):
    """A smaller value of a parameter than the rule's, which a claim may lie above.

    over -- "steps": the value one neighbour step further on, for a mechanism with the guarantee;
    "mechanisms": the value with one more mechanism, which has the parameter by itself;
    next -- that value, from the value a so far: the least of several formulas in a, none of which
    decreases in a, and of which later ones stay the least once they are.
    """

    kind: Literal["closer"]
    notion: str
    over: Literal["steps", "mechanisms"]
    next: dict[str, list[str]]


class Lemma(_Common):
    """What the proofs of other pages rest on.

    notions -- those that it is about, left out: all.
    """

    kind: Literal["lemma"]
    notions: list[str] = []


class Step(_Common):
    """From a guarantee of M_i as stated to a guarantee in the distance of what M_i reads."""

    kind: Literal["step"]
    domain: Literal["own", "common"]
    metric: Literal["canonical", "minimum over fibres", "push-forward"]


class Noise(_Common):
    """Noise on the entries of a query's value: why it is private, and in which norm.

    noise -- its word in problem files; parameter -- the letter of its parameter in the formulas;
    norm -- how values x, z of the query are compared; attained -- whether for some output at every x, z
    the loss is as large as the guarantee allows, or comes as near to it as one likes;
    density -- of one entry y of the output at the entry x, or its probability;
    loss -- ln(f_x(y)/f_z(y)) for one entry; at_most -- what it is at most for every y; or equals, where it
    has no bound, an equal expression that shows how it is distributed; because -- why, in words;
    guarantee -- by notion the parameters for values 1 apart; at distance r as the notion's rule says.
    """

    kind: Literal["noise"]
    noise: str
    parameter: str
    norm: Literal["L1", "L2", "range"]
    attained: bool = True
    density: str
    loss: str
    at_most: str = Field(default="", alias="at-most")
    equals: str = ""
    because: str
    guarantee: dict[str, dict[str, str]]

    @property
    def then(self) -> str:
        """What the loss is at most, or equals, in words."""
        return f"at most {self.at_most}" if self.at_most else f"equal to {self.equals}"


class Query(_Common):
    """How far the value of a query of the records that are read moves, where some go and others come.

    moves -- by norm, the most ‖q(x) − q(y)‖ can be where y lacks `removed` records of x and has `added`
    others, over all values of an attribute; in these and the query's own letters;
    entries -- how far each entry moves then that does, left out: one entry, by all of it;
    sized -- whether n, how many records are read, must be known; one -- whether there is one record only;
    whether -- whether the value only says if what is read differs; attained -- whether for some attributes
    the value moves as far, for all queries of a setting at once.
    """

    kind: Literal["query"]
    moves: dict[Literal["L1", "L2", "range"], str]
    entries: list[str] = []
    sized: bool = False
    one: bool = False
    whether: bool = False
    attained: bool = True


class Procedure(_Common):
    """A shape by procedure: the sensitivity profile, by edits, by blocks, in own steps or by exhaustion."""

    kind: Literal["procedure"]
    procedure: Literal["edit types", "blocks", "own steps", "exhaustion"]


class Shape(_Common):
    """A form of the sensitivity profile: each r_i ≤ each, and Σ r_i ≤ sum (left out: no limit)."""

    kind: Literal["shape"]
    each: int
    sum: int | None = None


class Substitution(_Common):
    """A loss in r and a profile give a guarantee: the worst of the loss over the vectors."""

    kind: Literal["substitution"]


class MetricStatement(_Common):
    """A statement about metrics and sensitivities, with the formula that Python functions read off it.

    states -- metric form: a guarantee in terms of a metric d is privacy in the metric formula·d, and
    `composition` tells how the metrics d[i] of the parts make that of the whole;
    preprocessing: the parameter of M∘f, from that of M and Delta = Δf;
    composed maps: a bound on Δ(g∘f), from Delta_f and Delta_g.
    """

    kind: Literal["metric"]
    states: Literal["metric form", "preprocessing", "composed maps"]
    notion: str | None = None
    formula: str
    composition: str | None = None


class Premises(_Head):
    """What a composition theorem asks of each mechanism and of the target.

    stated -- the neighbours of each guarantee: "G" (the target's), "H" (any, the same for all), or a
    granularity's name;
    domain -- "own", "common", or "any"; a mechanism that reads everything satisfies both.
    """

    stated: str | None = None
    domain: Literal["own", "common", "any"] = "any"
    target: str | None = None
    k: int | None = None


class Named(_Common):
    """A composition theorem that people cite: premises, hypotheses, a shape, its conclusion.

    conclusion -- formulas in the parameters, k, and for guarantees stated in "H" also m: how many
    H-steps two target neighbours can be apart (GB Prop. A.3).
    """

    kind: Literal["named"]
    title: str
    adaptive_title: str = Field(default="", alias="adaptive-title")
    statement: str
    premises: Premises = Premises()
    hypotheses: list[Hypothesis] = []
    shape: str | None = None
    conclusion: dict[str, str | dict[str, str]] = {}


class Witness(_Common):
    """For a notion, mechanisms that attain what its guarantees allow.

    shows -- the parameter whose loss is attained;
    by -- "ratio": two outcomes, of which 1 has `probability` at distance d from the point that the
    mechanism is built at (0 where d is oo), and the loss is the logarithm of the ratio;
    "noise": the distance d with normal noise of that `variance`, and d² add up;
    "event": the outcome 1 has that `probability`, 0 at the point itself, and 1 where d is oo;
    distance -- d, from the parameters of the guarantee and the r steps between two inputs;
    steps -- up to how many steps it attains the bound; left out: for all;
    together -- up to how many mechanisms that move it attains the rule's bound; left out: for all;
    steps_by -- an event: the page over steps whose value at r steps is its probability as well.
    """

    kind: Literal["witness"]
    notion: str
    shows: str
    by: Literal["ratio", "noise", "event"]
    distance: str
    probability: str = ""
    variance: str = ""
    steps: int | None = None
    together: int | None = None
    steps_by: str | None = Field(default=None, alias="steps-by")


class Violation(_Common):
    """What a mechanism with a guarantee of one notion can lose in another: claims there are refuted by it.

    of, notion -- the notion of its guarantee, and that of the claims;
    loss -- in the guarantee's parameters and the r steps between two inputs, which may be "oo";
    positive -- the parameter of the guarantee that has to be > 0; mechanism -- what it is, in words.
    """

    kind: Literal["violation"]
    of: str
    notion: str
    loss: str
    positive: str
    mechanism: str


class Processing(_Common):
    """From a guarantee of one mechanism to that of another made from its outputs, in every notion.

    of -- "outputs": a function of them; "parts": one mechanism of a composition.
    """

    kind: Literal["processing"]
    of: Literal["outputs", "parts"]


class Computed(_Common):
    """A procedure that decides claims with numbers: the bound is computed each time, and recomputed.

    notion -- of the claims; parts -- for the notion of a mechanism's own guarantee the formulas of what
    the procedure asks of it, in terms of its parameters and the distance r of its inputs; noises -- the
    same for mechanisms that add noise, in terms of its parameter, r being how far an entry moves.
    """

    kind: Literal["computed"]
    procedure: Literal["privacy curve"]
    notion: str
    parts: dict[str, dict[str, str]] = {}
    noises: dict[str, dict[str, str]] = {}


Head = Annotated[
    Fact
    | Rule
    | Conversion
    | Closer
    | Lemma
    | Step
    | Noise
    | Query
    | Procedure
    | Shape
    | Substitution
    | MetricStatement
    | Named
    | Witness
    | Violation
    | Processing
    | Computed,
    Field(discriminator="kind"),
]
_HEAD: TypeAdapter[Any] = TypeAdapter(Head)


@dataclass(frozen=True, repr=False)
class Page(Shown):
    """One page: its head as data, its title and text, and the SHA-256 of the file."""

    head: Any
    title: str
    body: str
    sha256: str
    path: Path

    def __repr__(self) -> str:
        return f"{self.head.kind} page {self.id}: {self.title}"

    @property
    def id(self) -> str:
        return str(self.head.id)

    @property
    def items(self) -> tuple[str, ...]:
        """The items of the sources that the page states."""
        return tuple(dict.fromkeys([*self.head.items.values(), *self.head.adaptive_items.values()]))

    @property
    def every_item(self) -> tuple[str, ...]:
        """These, and what else a reader finds here: definitions, examples, lemmas of the sources."""
        return (*self.items, *self.head.also)

    def cite(self, notion: str, adaptive: bool = False) -> str:
        """The item a reader would look up, "GB:IV.13"; the page's id where the sources have none.

        adaptive -- whether mechanisms read earlier outputs: some results have another number then.
        """
        every: list[dict[str, str]] = [self.head.adaptive_items] if adaptive else []
        for items in [*every, self.head.items]:
            if item := items.get(notion) or items.get("any"):
                return str(item)
        return self.id

    def name(self, notion: str, adaptive: bool = False) -> str:
        """What people call a named theorem: "Theorem IV.6"; where a notion has its own number, with that."""
        title = str((self.head.adaptive_title if adaptive else "") or self.head.title)
        word, _, number = title.rpartition(" ")
        item = self.head.items.get(notion, "")
        numbered = f"GB:{number}" in self.items and item.startswith("GB:") and notion != "pure"
        return f"{word} {item.removeprefix('GB:')}" if numbered else title


@dataclass(frozen=True, repr=False)
class Theory(Shown):
    """The pages that are in force, by id."""

    pages: Mapping[str, Page]

    def __repr__(self) -> str:
        return f"{len(self.pages)} theorem pages"

    def find(self, name: str) -> Page | None:
        """The page with an id, or that states an item, or where a reader finds that; None without one."""
        pages = self.pages.values()
        for names in (lambda page: (page.id,), lambda page: page.items, lambda page: page.every_item):
            if found := next((page for page in pages if name in names(page)), None):
                return found
        return None

    def of_kind(self, kind: str) -> list[Page]:
        """The pages of a kind, in the order of their ids."""
        return [self.pages[id] for id in sorted(self.pages) if self.pages[id].head.kind == kind]

    def rule(self, notion: str) -> Page:
        """The rule page of a notion.  Raises KeyError with the notions there are."""
        for page in self.of_kind("rule"):
            if page.head.notion == notion:
                return page
        known = ", ".join(self.notions)
        raise KeyError(f"the notion {notion!r} is not supported yet; there are pages for: {known}")

    @property
    def notions(self) -> list[str]:
        """The notions that have a rule page."""
        return [page.head.notion for page in self.of_kind("rule")]

    def closer(self, notion: str, over: str) -> Page | None:
        """The page with smaller values than the rule's over several steps, or mechanisms, if there is one."""
        pages = (page for page in self.of_kind("closer") if page.head.notion == notion)
        return next((page for page in pages if page.head.over == over), None)

    def called(self, notion: str) -> str:
        """What a guarantee is called after its values: DP, zCDP; the notion's name where no page says."""
        return next((page.head.called for page in self.of_kind("rule") if page.head.notion == notion), notion)

    def form_of(self, notion: str) -> str:
        """How a guarantee is written, by its parameters: epsilon-DP, (epsilon, delta)-DP, rho-zCDP."""
        parameters = self.rule(notion).head.parameters
        values = ", ".join(parameters)
        return f"{f'({values})' if len(parameters) > 1 else values}-{self.called(notion)}"

    def witness(self, notion: str) -> Page | None:
        """The witness page of a notion, if there is one."""
        return next((page for page in self.of_kind("witness") if page.head.notion == notion), None)

    def violation(self, of: str, notion: str) -> Page | None:
        """The page on what a mechanism with a guarantee of one notion can lose in another, if any."""
        pages = self.of_kind("violation")
        return next((page for page in pages if (page.head.of, page.head.notion) == (of, notion)), None)

    def lemmas(self, ids: Iterable[str], notion: str) -> set[str]:
        """The lemmas about a notion that some pages rest on, and that these rest on."""
        found: set[str] = set()
        following = list(ids)
        while following:
            for id in self.pages[following.pop()].head.rests_on:
                if id not in found and notion in (self.pages[id].head.notions or [notion]):
                    found.add(id)
                    following.append(id)
        return found

    def noise(self, word: str) -> Page | None:
        """The page of a kind of noise, if there is one."""
        return next((page for page in self.of_kind("noise") if page.head.noise == word), None)

    def computed(self, notion: str, of: Iterable[tuple[str, str]]) -> Page | None:
        """The page that computes bounds in a notion from guarantees in some notions, if there is one.

        of -- the notion of each guarantee with the word of the noise that gives it, "" where there is none.
        Of several pages the one that knows most of the noises, and then the most special one.
        """
        given = set(of)
        fitting = []
        for page in self.of_kind("computed"):
            others = {(stated, word) for stated, word in given if word not in page.head.noises}
            if page.head.notion == notion and {stated for stated, _ in others} <= set(page.head.parts):
                by_guarantee = sum(1 for _, word in others if word)
                fitting.append((by_guarantee, len(page.head.parts) + len(page.head.noises), page.id))
        return self.pages[min(fitting)[-1]] if fitting else None

    def processing(self, of: str) -> Page | None:
        """The page on mechanisms made from the outputs of others, if there is one."""
        return next((page for page in self.of_kind("processing") if page.head.of == of), None)

    def statement(self, states: str, notion: str | None = None) -> Page:
        """The page with a statement about metrics, for a notion where it depends on that.

        Raises KeyError with the notions there are.
        """
        pages = [page for page in self.of_kind("metric") if page.head.states == states]
        for page in pages:
            if page.head.notion == notion:
                return page
        known = ", ".join(str(page.head.notion) for page in pages)
        raise KeyError(f"no page states the {states} of {notion} privacy; there are pages for: {known}")

    @cached_property
    def procedures(self) -> dict[str, Page]:
        """The profile procedures' pages, by procedure."""
        return {page.head.procedure: page for page in self.of_kind("procedure")}


def folder() -> Path:
    """Where the pages are: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "theorems"
    return inside if inside.is_dir() else package.parent / "theorems"


@lru_cache(maxsize=1)
def standard() -> Theory:
    """The theory of the pages that ship with dpcompose."""
    return load(folder())


def load(where: Path) -> Theory:
    """The theory of all pages below a folder.  Raises PageError with every mistake of a page."""
    pages: dict[str, Page] = {}
    for path in sorted(where.rglob("*.md")):
        if path.name == "README.md":
            continue
        page = read(path)
        if page.id in pages:
            raise PageError(f"{path.name}: the id {page.id!r} is already that of {pages[page.id].path.name}")
        pages[page.id] = page
    if not pages:
        raise PageError(f"there are no theorem pages in {where}")
    return Theory(MappingProxyType(pages))


def read(path: Path) -> Page:
    """One page from its file."""
    text = path.read_text(encoding="utf-8")
    found = re.fullmatch(r"# (?P<title>[^\n]+)\n+```toml\n(?P<head>.*?)\n```\n(?P<body>.*)", text, re.DOTALL)
    if not found:
        raise PageError(f"{path.name}: a page is a title '# …', a fenced toml block and a text")
    try:
        head = _HEAD.validate_python(tomllib.loads(found["head"]))
    except tomllib.TOMLDecodeError as error:
        raise PageError(f"{path.name}: {error}") from None
    except ValidationError as error:
        mistakes = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise PageError(f"{path.name}: {mistakes}") from None
    return Page(head, found["title"], found["body"].strip(), hashlib.sha256(text.encode()).hexdigest(), path)
