"""Results in the user's hands: guarantees, derivations, theorems and verdicts, which show themselves.

Text is made at once, HTML and LaTeX where a notebook asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents.bound import Bound
from dpcompose.front.documents.document import Best, Told, plain
from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.printers import listings, render
from dpcompose.proof import registry
from dpcompose.proof.registry import Theory
from dpcompose.search.citations import Fit

if TYPE_CHECKING:
    import sympy

    from dpcompose.front.studies.membership import Membership


@dataclass(frozen=True, repr=False)
class Proof:
    """A derivation as it is read: numbered lines, and what they believe without check."""

    bound: Best
    theory: Theory

    @cached_property
    def told(self) -> Told:
        """The lines, as they are printed."""
        return self.bound.told

    def __str__(self) -> str:
        return render.derivation(self.told)

    def __repr__(self) -> str:
        return f"derivation in {len(self.told.steps)} lines of: {plain(self.bound.said)}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """All lines, where a notebook or its terminal shows text."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.proof_html(self.told)

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers.latex import steps_latex

        return steps_latex(self.told)

    def to_latex(self, verdicts: Sequence[Verdict] = ()) -> str:
        """The proof as a document for pdfLaTeX, with verdicts on claims and the results that are used."""
        from dpcompose.front.printers.latex import document

        return document(self.bound, verdicts)


@dataclass(frozen=True, repr=False)
class Theorems(Sequence[Fit]):
    """Of every composition theorem whether it fits a setting; a sequence of `Fit`."""

    bound: Bound

    def __len__(self) -> int:
        return len(self.bound.fits)

    def __getitem__(self, n: Any) -> Any:
        return self.bound.fits[n]

    def __str__(self) -> str:
        return listings.fits(self.bound)

    def __repr__(self) -> str:
        fit = sum(fit.fits for fit in self)
        cited = next((f", {fit.page.name(*self.bound.numbered)} is cited" for fit in self if fit.best), "")
        return f"{len(self)} composition theorems, of which {fit} fit{'s' if fit == 1 else ''}{cited}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """All of them, where a notebook or its terminal shows text."""
        printer.text(str(self))

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers.latex import fits_latex

        return fits_latex(self.bound)

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.theorems_html(self.bound)


@dataclass(frozen=True, repr=False)
class Answer(Verdict):
    """A verdict that shows itself."""

    def __repr__(self) -> str:
        words = self.standing
        if self.reason:
            words += f": {self.reason}"
        if self.counterexample is not None:
            words += f": {self.counterexample!r}"
        return self.verdict + words + "".join(f"; {one}" for one in registry.rests(self.relies_on))

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers.latex import verdict_latex

        return verdict_latex(self)

    def _repr_html_(self) -> str:
        from dpcompose.front.printers.display import verdict_html

        return verdict_html(self)


@dataclass(frozen=True, repr=False)
class Result:
    """The best guarantee of a study.

    values -- the notion's parameters as sympy expressions; epsilon is the one of pure privacy.
    """

    bound: Best
    theory: Theory

    @property
    def values(self) -> Mapping[str, sympy.Expr]:
        """The parameters of the guarantee, by name; sympy.oo where there is none."""
        return self.bound.values

    @property
    def epsilon(self) -> sympy.Expr:
        """The ε of a pure guarantee."""
        return self.values["epsilon"]

    @property
    def metric(self) -> sympy.Expr:
        """The metric in which the composition is private, over database symbols D, E; see `Study.metric`.

        A guarantee for neighbours is its largest value over these.  Raises NoMetric for families.
        """
        return self.bound.metric

    @property
    def optimal(self) -> bool | None:
        """Whether no smaller guarantee holds for all mechanisms that fit the assumptions; None: not known."""
        return self.bound.optimal

    @property
    def theorem(self) -> str:
        """The item that is cited, such as GB:IV.13."""
        return self.bound.item

    @property
    def scope(self) -> str:
        """The class that the guarantee is about, in words."""
        return self.bound.scope

    @property
    def assumptions(self) -> list[str]:
        """What was assumed and not checked."""
        return self.bound.assumptions

    @property
    def derivation(self) -> Proof:
        """The numbered lines of the proof: text by str, a list in a notebook."""
        return Proof(self.bound, self.theory)

    def to_latex(self, verdicts: Sequence[Verdict] = ()) -> str:
        """The proof as a document for pdfLaTeX, with verdicts on claims and the results that are used."""
        return self.derivation.to_latex(verdicts)

    def at(self, values: Mapping[Any, object]) -> dict[str, sympy.Expr]:
        """The guarantee with numbers in place of parameters, exact: at({e1: "1/2"}); see `numbers.at`."""
        from dpcompose.front.studies import numbers

        return numbers.at(self.bound, values)

    def membership(self, values: Mapping[Any, object] = MappingProxyType({})) -> Membership:
        """What the guarantee says of a test that must tell two neighbours apart by the output, in numbers.

        values -- numbers for parameters, as for `at`.  Raises WrongValue where some are left.

        >>> import dpcompose as dpc
        >>> M = dpc.mechanism("M", dpc.pure("e", dpc.unbounded))
        >>> found = dpc.compose(M, on=dpc.multisets(), target=dpc.unbounded).guarantee()
        >>> print(found.membership({"e": "log(3)"}))
        a test that tells two neighbours apart has at most
          true positives at false ones: 0.003 at 0.001, 0.03 at 0.01, 0.3 at 0.1, 0.8333334 at 0.5
          advantage (their difference): 0.5
          posterior (1/2 before):       0.75
        """
        from dpcompose.front.studies import membership

        return membership.of(self.bound.for_neighbours("a membership test"), values)

    def __repr__(self) -> str:
        return render.guarantee(self.bound)

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.guarantee_html(self.bound)

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers import display

        return display.guarantee_latex(self.bound)
