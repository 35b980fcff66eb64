"""Captions: what readers are told of the kernel's theorems on a guarantee for neighbours.

Formulas are terms; the letter r[i] is how far apart the two inputs of M_i are.  A caption says what a theorem
says; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpcompose.kernel.composition import losses
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.rules.metrics import form
from dpcompose.kernel.theorems import Theorem
from dpcompose.language.said import Words
from dpcompose.language.tangents import with_tangents
from dpcompose.privacy.guarantees.notions import as_written
from dpcompose.privacy.settings import Setting
from dpcompose.proof.hypotheses.inputs import gone_through
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.search.citations.citations import Citation, Citing
from dpcompose.search.guarantees import Guarantees, Known
from dpcompose.spaces.classes.databases import Database

Values = losses.Values
"""A notion's parameters with their formulas."""

Pair = tuple[Database, Database]
Pairs = Callable[[Type], Pair]
"""The two databases of a type of neighbours."""


@frozen
class Guaranteed:
    """The composition satisfies the notion with these parameters, for the target's neighbours."""

    notion: str
    parameters: Values
    granularity: str
    databases: str

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """Its parameters with their formulas as text."""
        return tuple(texts(self.parameters).items())


@frozen(eq=False)
class Captions:
    """What readers are told of the guarantees of a setting.

    setting -- as it is stated; guarantees -- these, as theorems; citation -- what is cited for them;
    pair -- the databases of a type; inner -- of each mechanism that is a study, the captions about that;
    together -- where mechanisms have more guarantees than are told, what all give, if that is less.
    """

    setting: Setting
    theory: Theory
    guarantees: Guarantees
    citing: Citing
    citation: Citation
    pair: Pairs
    inner: Mapping[int, Captions]
    together: Known | None = None

    @property
    def notion(self) -> str:
        """The notion in which losses are added up."""
        return self.guarantee_of(self.guarantees.before).notion

    @property
    def cover(self) -> Cover:
        return self.guarantees.shop.types

    @property
    def inputs(self) -> Any:
        """What hypotheses of cited theorems were evaluated on."""
        return self.citing.inputs

    @staticmethod
    def guarantee_of(theorem: Theorem) -> Satisfies:
        assert isinstance(theorem.says, Satisfies)
        return theorem.says

    def private(self, theorem: Theorem) -> Guaranteed:
        """A guarantee of the composition."""
        satisfied = self.guarantee_of(theorem)
        setting = self.setting
        return Guaranteed(
            satisfied.notion, written(satisfied.values), str(setting.target), str(setting.databases)
        )

    @property
    def closer(self) -> Page:
        """The page on closer values: that of a noise; on what is stated in a metric; or that over steps,
        unless several inputs move."""
        known, theory = self.guarantees.closer, self.guarantees.shop.theory
        if known is not None and known.theorem.rule == "single_steps":
            return self.theory.pages[form(theory, self.notion)]
        if known is not None and known.theorem.rule != "closer":
            of_noise = [
                mechanism.noise.page
                for mechanism in self.guarantees.shop.setting.mechanisms
                if mechanism.noise is not None
            ]
            return next(self.theory.pages[id] for id in of_noise if theory.page(id, "noise").head.closer)
        over = "mechanisms" if any(moves_several(type) for type in self.cover.types) else "steps"
        page = self.theory.closer(self.notion, over)
        assert page is not None
        return page

    @property
    def covered(self) -> str:
        """What was gone through, and for which numbers of records where these are a letter."""
        core = self.guarantees.shop.setting
        covered = gone_through(core, self.cover, self.theory, self.setting.databases)
        if not core.databases.letters:
            return covered
        where = sizes.where(core) or core.databases.letters
        return f"{covered}, for every {' and '.join(where)}"

    def metric(self, i: int) -> str:
        """In words the metric of what M_i reads, and the pages that state it."""
        mechanism, core = self.setting.mechanisms[i - 1], self.guarantees.shop.setting.mechanisms[i - 1]
        if mechanism.query is not None and mechanism.noise is not None:
            if not mechanism.query.about_records:
                return f"0 or 1, whether {mechanism.reads.written('D')} differs"
            norm = self.theory.pages[core.noise.page].head.norm if core.noise is not None else ""
            return mechanism.query.moved(norm)
        if core.metric is not None:
            return " and ".join(self.cover.metrics[i - 1]) or "shortest paths"
        if core.reads[0] == () and not core.partition:
            return "one possible input"
        whole, pages = self.inputs.setting.databases, self.cover.metrics[i - 1]
        f = self.inputs.setting.mechanisms[self.citing.first(i) - 1].reads
        any_two = core.stated is not None and core.stated.any_two
        if pages:
            return Words(" and ".join(pages), ", on ", str(whole if any_two else f.image(whole)))
        if self.guarantees.shop.setting.databases.only_steps:
            return Words(f"steps of {mechanism.satisfies.granularity}, on ", str(whole))
        count = f.image(whole).count()
        if count == 1:
            return "one possible input"
        if any_two:
            return f"any two of {count} inputs are neighbours"
        return f"shortest paths over {count} inputs"


def conversions(theorem: Theorem) -> list[Theorem]:
    """The steps by which the guarantee of the whole was converted, in order."""
    theorems: list[Theorem] = []
    while theorem.rule == "change":
        theorems.insert(0, theorem)
        theorem = theorem.premises[0]
    return theorems


def rests_on(by: Captions) -> set[str]:
    """The ids of the pages that guarantees rest on, and what is known of how large they must be."""
    guarantees = by.guarantees
    known = [
        guarantee for guarantee in (guarantees.main, guarantees.closer, by.together) if guarantee is not None
    ]
    theorems = [
        theorem
        for guarantee in known
        for theorem in (guarantee.theorem, guarantee.optimal)
        if theorem is not None
    ]
    return {id for theorem in theorems for id in theorem.rests_on.pages if id in guarantees.shop.theory.pages}


def moves_several(type: Type) -> bool:
    """Whether a type of neighbours moves several inputs, or members."""
    return len(type.moves) > 1 or any(sum(many for many, _ in members) != 1 for _, members in type.moves)


def written(values: Values) -> Values:
    """Parameters with their formulas, as they are written."""
    return tuple(map(as_written, values))


def texts(values: Values) -> dict[str, str]:
    """Parameters with their formulas as text."""
    return {key: formulas.to_text(with_tangents(value)) for key, value in values}
