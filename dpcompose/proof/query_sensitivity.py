"""How far the value of a query moves between neighbours: what noise is calibrated to (GB Def. III.5)."""

from __future__ import annotations

import sympy

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ZERO
from dpcompose.language import formulas
from dpcompose.language.worstcase import largest
from dpcompose.privacy.mechanisms.noises import KINDS, Noise
from dpcompose.privacy.mechanisms.statements import mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.members import written_out
from dpcompose.privacy.settings.stated import setting
from dpcompose.proof.hypotheses.inputs import neighbouring as neighbours_that_decide
from dpcompose.proof.hypotheses.inputs import show_pair
from dpcompose.proof.theory.registry import Theory
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.inputs.queries import NORMS, Query
from dpcompose.spaces.moves.granularities import Granularity


@frozen(repr=False)
class QuerySensitivity:
    """Δq, the most that ‖q(f(D)) − q(f(E))‖ can be for neighbours D, E and all values of attributes.

    value -- exact: a formula in the bounds of the query's attribute, or oo; norm -- one of `queries.NORMS`;
    pair -- the first neighbours that attain it, where that is the same for all values of the bounds;
    covered -- what was gone through, in words.
    """

    query: Query
    reads: Map
    databases: DatabaseClass
    granularity: Granularity
    norm: str
    value: sympy.Expr
    pair: tuple[Database, Database] | None
    covered: str

    def reason(self) -> str:
        """In words how the value comes about."""
        moved = f"{self.query.words} of {self.reads.written('D')}"
        if self.value == 0:
            return f"no {self.granularity} neighbours move {moved}"
        if self.pair is None:
            return f"{self.granularity} neighbours move {moved} by at most that ({NORMS[self.norm]})"
        return f"{show_pair(self.databases, self.pair)} are {self.granularity} neighbours, and move {moved}"

    def __repr__(self) -> str:
        return f"{formulas.to_text(self.value)}: {self.reason()} ({self.covered})"


def of_query(
    query: Query, on: DatabaseClass, neighbours: Granularity, norm: str, reads: Map, theory: Theory
) -> QuerySensitivity:
    """The sensitivity of a query of what a map reads; see `sensitivity`.

    Raises InvalidSetting where the query has no meaning there, NoLemma where no lemma applies.
    """
    pages = (page.head for page in theory.of_kind("noise") if page.head.norm == norm)
    word = next(
        (head.noise for head in pages if head.noise in KINDS and KINDS[head.noise].takes in query.values),
        None,
    )
    if word is None:
        known = ", ".join(f"{name} ({words})" for name, words in NORMS.items())
        raise ValueError(f"{query.words} is not compared in {norm!r}; norms are: {known}")
    asked = mechanism("M", query=query, noise=Noise(word, sympy.Integer(1)), reads=reads)
    stated: Setting = setting(asked, on=on, target=neighbours)
    written = written_out(stated, {})[0]
    neighbouring = neighbours_that_decide(written, theory)
    moves: dict[sympy.Expr, tuple[Database, Database]] = {}
    for type in neighbouring.types:
        moves.setdefault(formulas.expression(type.far.get(1, ZERO)), type.pair)
    value = _largest(list(moves))
    pair_at = None if value == 0 else moves.get(value)
    return QuerySensitivity(
        query, reads, written.databases, neighbours, norm, value, pair_at, neighbouring.covered
    )


def _largest(moves: list[sympy.Expr]) -> sympy.Expr:
    """The largest of formulas that are ≥ 0, without those that another one is seen to be above."""
    if sympy.oo in moves:
        return sympy.oo
    kept: list[sympy.Expr] = []
    for move in moves:
        if not any((other - move).is_nonnegative for other in kept):
            kept = [other for other in kept if not (move - other).is_nonnegative] + [move]
    return largest(*kept) if kept else sympy.Integer(0)
