"""Results in the user's hands: derivations, theorems and verdicts, which show themselves.

Text is made at once, HTML and LaTeX where a notebook asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpcompose.front import render
from dpcompose.front.bound import Bound
from dpcompose.front.verdict import Verdict
from dpcompose.proof import registry
from dpcompose.proof.registry import Theory
from dpcompose.search.citations import Fit


@dataclass(frozen=True, repr=False)
class Proof:
    """A derivation as it is read: numbered lines, and what they believe without check."""

    bound: Bound
    theory: Theory

    def __str__(self) -> str:
        return render.derivation(self.bound)

    def __repr__(self) -> str:
        lines = len(self.bound.derivation.lines)
        return f"derivation in {lines} lines of: {render.guarantee(self.bound.guarantee, self.theory)}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """All lines, where a notebook or its terminal shows text."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from dpcompose.front import display

        return display.proof_html(self.bound)

    def _repr_latex_(self) -> str:
        from dpcompose.front.latex import steps_latex

        return steps_latex(self.bound)

    def to_latex(self, verdicts: Sequence[Verdict] = ()) -> str:
        """The proof as a document for pdfLaTeX, with verdicts on claims and the results that are used."""
        from dpcompose.front.latex import document

        return document(self.bound, self.theory, verdicts)


@dataclass(frozen=True, repr=False)
class Theorems(Sequence[Fit]):
    """Of every composition theorem whether it fits a setting; a sequence of `Fit`."""

    bound: Bound

    def __len__(self) -> int:
        return len(self.bound.fits)

    def __getitem__(self, n: Any) -> Any:
        return self.bound.fits[n]

    def __str__(self) -> str:
        return render.fits(self.bound, self.bound.guarantee.notion)

    def __repr__(self) -> str:
        fit = sum(fit.fits for fit in self)
        cited = next((f", {fit.page.name(*self.numbered)} is cited" for fit in self if fit.best), "")
        return f"{len(self)} composition theorems, of which {fit} fit{'s' if fit == 1 else ''}{cited}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """All of them, where a notebook or its terminal shows text."""
        printer.text(str(self))

    @property
    def numbered(self) -> tuple[str, bool]:
        """By what theorems are numbered: the notion, and whether mechanisms are adaptive."""
        return self.bound.guarantee.notion, self.bound.setting.adaptive

    def _repr_latex_(self) -> str:
        from dpcompose.front.latex import fits_latex

        return fits_latex(self.bound)

    def _repr_html_(self) -> str:
        from dpcompose.front import display

        return display.theorems_html(self.bound)


@dataclass(frozen=True, repr=False)
class Answer(Verdict):
    """A verdict that shows itself, beside the bound that it was found from (None where there is none)."""

    def __repr__(self) -> str:
        words = {True: ", loose", False: ", and no smaller guarantee holds", None: ""}[self.loose]
        if self.reason:
            words += f": {self.reason}"
        if self.counterexample is not None:
            words += f": {self.counterexample!r}"
        return self.verdict + words + "".join(f"; {one}" for one in registry.rests(self.relies_on))

    def _repr_latex_(self) -> str:
        from dpcompose.front.latex import verdict_latex

        return verdict_latex(self)

    def _repr_html_(self) -> str:
        from dpcompose.front import display

        return display.verdict_html(self)
