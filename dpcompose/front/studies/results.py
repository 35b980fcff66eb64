"""Results in the user's hands: guarantees, derivations, theorems and verdicts, which show themselves.

Text is made at once, HTML and LaTeX where a notebook asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from dpcompose.front.documents.bound import Bound
from dpcompose.front.documents.document import Best, Step, Told, every_step
from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.printers import listings, render
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.said import plain
from dpcompose.language.shown import Shown
from dpcompose.privacy.guarantees.notions import in_metric
from dpcompose.proof.theory import registry
from dpcompose.search.citations.citations import Fit

if TYPE_CHECKING:
    import sympy
    from networkx import DiGraph

    from dpcompose.front.numbers.membership import Membership
    from dpcompose.front.printers.papers import Paper
    from dpcompose.privacy.guarantees.notions import Guarantee, InMetric


Line = TypeVar("Line", bound=Shown)


class Lines(Sequence[Line]):
    """Lines that show themselves, each by itself and all together."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """All lines, where a notebook or its terminal shows text."""
        printer.text(str(self))

    def _latex(self, printer: object) -> str:
        """All lines inside mathematics, one below the other, for sympy.latex."""
        rows = r" \\ ".join(one._latex(printer) for one in self)
        return rf"\begin{{array}}{{l}} {rows} \end{{array}}"


@frozen(repr=False)
class Proof(Lines[Step]):
    """A derivation as it is read: numbered lines, and what they believe without check.

    A sequence of its lines, the first at 0; each has its `number`, what it says, `words`, and its `source`.

    >>> import dpcompose as dpc
    >>> M = dpc.mechanism("M", dpc.pure("e"))
    >>> proof = dpc.compose(M, on=dpc.multisets(), target="unbounded").guarantee().proof
    >>> len(proof), proof[0].words, sorted(proof.graph().predecessors("2"))
    (7, 'M is unbounded e-DP on the whole class', ['1'])
    """

    bound: Best

    def __len__(self) -> int:
        return len(self.told.steps)

    def __getitem__(self, n: Any) -> Any:
        """The n-th line, or some of them; the first, of number 1, is at 0.  Raises IndexError."""
        try:
            return self.told.steps[n]
        except IndexError:
            most = len(self) - 1
            raise IndexError(f"the derivation has lines at 0 to {most}, and none at {n}") from None

    def graph(self) -> DiGraph:
        """The lines as a networkx graph: an edge from each line to those that are from it.

        Nodes are numbers of lines, "3", those of a line's evidence "3.1"; each has `words` and `source`.
        """
        import networkx

        graph = networkx.DiGraph()
        for step in every_step(self.told.steps):
            graph.add_node(step.number, words=step.words, source=step.source)
            graph.add_edges_from((f"{step.before}{n}", step.number) for n in step.uses)
            graph.add_edges_from((one.number, step.number) for one in step.below[-1:])
        return graph

    @cached_property
    def told(self) -> Told:
        """The lines, as they are printed."""
        return self.bound.told

    def __str__(self) -> str:
        return render.derivation(self.told)

    def __repr__(self) -> str:
        return f"derivation in {len(self.told.steps)} lines of: {plain(self.bound.said)}"

    _repr_pretty_ = Lines._repr_pretty_  # IPython looks where __repr__ is

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

    def paper(self, verdicts: Sequence[Verdict] = ()) -> Paper:
        """The proof as it goes into a paper: a theorem with its proof, an appendix, the sources.

        `.write("proof.tex")` writes proof.tex, proof-results.tex and proof.bib.
        """
        from dpcompose.front.printers.papers import paper

        return paper(self.bound, verdicts)


@frozen(repr=False)
class Theorems(Lines[Fit]):
    """Of every composition theorem whether it fits a setting; a sequence of `Fit`."""

    bound: Bound

    def __len__(self) -> int:
        return len(self.bound.fits)

    def __getitem__(self, n: Any) -> Any:
        """The n-th, or that of a page by its id or item.  Raises KeyError with the pages there are."""
        if not isinstance(n, str):
            return self.bound.fits[n]
        for fit in self.bound.fits:
            if n in (fit.page.id, *fit.page.every_item, *(item.number for item in fit.page.every_item)):
                return fit
        raise KeyError(f"no composition theorem {n!r}; there are: {', '.join(x.page.id for x in self)}")

    def __str__(self) -> str:
        return listings.fits(self.bound)

    def __repr__(self) -> str:
        fit = sum(fit.fits for fit in self)
        cited = next((f", {fit.page.name(*self.bound.numbered)} is cited" for fit in self if fit.best), "")
        return f"{len(self)} composition theorems, of which {fit} fit{'s' if fit == 1 else ''}{cited}"

    _repr_pretty_ = Lines._repr_pretty_

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers.latex import fits_latex

        return fits_latex(self.bound)

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.theorems_html(self.bound)


@frozen(repr=False)
class Answer(Verdict):
    """A verdict that shows itself."""

    def __repr__(self) -> str:
        words = self.standing
        if self.reason:
            words += f": {self.reason}"
        if self.counterexample is not None:
            words += f": {self.counterexample!r}"
        return self.verdict + words + "".join(f"; {rest}" for rest in registry.rests(self.relies_on))

    @property
    def proof(self) -> Proof:
        """The proof of the guarantee that it was compared with.  Raises ValueError where there is none."""
        if self.bound is None:
            raise ValueError(f"nothing is proved that the claim is compared with: {self.reason}")
        return Proof(self.bound)

    def to_latex(self) -> str:
        """The proof of the guarantee that it was compared with, and this verdict, for pdfLaTeX."""
        return self.proof.to_latex([self])

    def _latex(self, printer: object) -> str:
        from dpcompose.front.printers import display

        return rf"{display.said_mathematics(self.said)}\quad\text{{is {self.verdict}}}"

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers.latex import verdict_latex

        return verdict_latex(self)

    def _repr_html_(self) -> str:
        from dpcompose.front.printers.display import verdict_html

        return verdict_html(self)


@frozen(repr=False)
class Result:
    """The best guarantee of a study.

    values -- the notion's parameters as sympy expressions; epsilon is the one of pure privacy.
    """

    bound: Best

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
        """The numbered lines of the proof: text by str, a list in a notebook, a sequence and a graph."""
        return Proof(self.bound)

    @property
    def proof(self) -> Proof:
        """The same."""
        return self.derivation

    @property
    def notion(self) -> str:
        """The notion of privacy, such as "pure"."""
        return self.bound.notion

    def claimed(self, notions: Mapping[str, Sequence[str]]) -> Guarantee | InMetric:
        """The same as a claim, also about another composition; notions -- the parameters of each."""
        from dpcompose.front.numbers import totals

        said = dict(self.data()["guarantee"])
        notion = said.pop("notion")
        if "metric" in said:
            return in_metric(said["metric"], notion, said.get("delta"))
        return totals.by_name(said, notions, notion)

    def data(self) -> dict[str, Any]:
        """The guarantee as JSON has it: its formulas as texts, which are exact."""
        return self.bound.data()

    def _latex(self, printer: object) -> str:
        from dpcompose.front.printers import display

        return display.guarantee_mathematics(self.bound)

    def to_latex(self, verdicts: Sequence[Verdict] = ()) -> str:
        """The proof as a document for pdfLaTeX, with verdicts on claims and the results that are used."""
        return self.derivation.to_latex(verdicts)

    def paper(self, verdicts: Sequence[Verdict] = ()) -> Paper:
        """The proof as it goes into a paper; see `Proof.paper`."""
        return self.derivation.paper(verdicts)

    def at(
        self, values: Mapping[Any, object] = MappingProxyType({}), **more: object
    ) -> dict[str, sympy.Expr]:
        """The guarantee with numbers in place of parameters, exact: at({e1: "1/2"}), or at(e1="1/2").

        Raises WrongValue for what is no parameter, or no value of it; see `numbers.at`.
        """
        from dpcompose.front.numbers import numbers

        return numbers.at(self.bound, {**numbers.by_name(values), **more})

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
        from dpcompose.front.numbers import membership

        return membership.of(self.bound.for_neighbours("a membership test"), values)

    def __repr__(self) -> str:
        return render.guarantee(self.bound)

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.guarantee_html(self.bound)

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers import display

        return display.guarantee_latex(self.bound)
