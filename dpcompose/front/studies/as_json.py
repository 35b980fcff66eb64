"""Results as JSON: guarantees, verdicts, comparisons of granularities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents.document import Best
from dpcompose.front.documents.sentences import decimals
from dpcompose.front.documents.verdict import Verdict, believed_pages
from dpcompose.language import formulas
from dpcompose.privacy.guarantees.notions import Guarantee

if TYPE_CHECKING:
    from dpcompose.front.studies.study import Study
    from dpcompose.proof.sensitivity import Comparison


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """A comparison of granularities as JSON: one entry a direction, its factor a number or "oo"."""
    both = []
    for have, want, factor in comparison.directions:
        one: dict[str, Any] = {"from": str(have), "to": str(want), "factor": formulas.to_text(factor.value)}
        one["neighbours"] = (
            None if factor.pair is None else [comparison.databases.show(D) for D in factor.pair]
        )
        both.append(one | {"reason": factor.reason(), "checked": factor.covered})
    data = {"scope": str(comparison.databases), "theorem": comparison.page.cite("pure"), "comparisons": both}
    return data | believed_pages(comparison.relies_on)


def problem_data(file: str, study: Study, bound: Best | None, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The object that --json prints for a problem file; bound -- the guarantee that is shown for it."""
    data: dict[str, Any] = {"file": file, "title": study.setting.title}
    data |= {} if bound is None else bound.data()
    data["scope"] = str(study.setting.databases)
    if bound is not None:
        data |= {"theorems": list(bound.theorems), "assumptions": bound.assumptions}
        data |= believed_pages(bound.relies_on)
        if least := _least_of_all(verdicts):
            data |= {"guarantee": {"notion": least.notion} | dict(decimals(least)), "optimal": None}
            data["theorems"] = sorted({verdict.least.curve for verdict in verdicts if verdict.least.curve})
    data["claims"] = [_own_guarantee(verdict, bound) | verdict.data() for verdict in verdicts]
    if warnings := study.warnings():
        data["warnings"] = warnings
    return data | study.judge.more_data()


def _least_of_all(verdicts: Sequence[Verdict]) -> Guarantee | None:
    """The least guarantee at the δ of the claims, where one is computed and is the same for all of them."""
    least = {verdict.guarantee for verdict in verdicts}
    return least.pop() if len(least) == 1 else None


def _own_guarantee(verdict: Verdict, bound: Best | None) -> dict[str, Any]:
    """The guarantee in the claim's notion, where it is by conversion or the file's is in another one."""
    own, notion = verdict.bound, verdict.claim.notion
    if (
        own is None
        or own.notion != notion
        or (not own.conversions and (bound is None or bound.notion == notion))
    ):
        return {}
    return {"guarantee": own.data()["guarantee"]}
