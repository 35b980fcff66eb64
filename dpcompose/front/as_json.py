"""Results as JSON: guarantees, verdicts, comparisons of granularities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpcompose.front import lines as kernel
from dpcompose.front.bound import Bound
from dpcompose.front.render import assumptions, decimals, one_by_one
from dpcompose.front.verdict import Verdict
from dpcompose.language import formulas
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.proof.registry import Page, Theory

if TYPE_CHECKING:
    from dpcompose.proof.sensitivity import Comparison


def believed_pages(relies_on: Sequence[Page]) -> dict[str, list[str]]:
    """The pages for which nobody vouches as JSON: nothing where there are none."""
    ids = [page.id for page in relies_on if page.is_believed]
    return {"believed": ids} if ids else {}


def comparison_data(found: Comparison) -> dict[str, Any]:
    """A comparison of granularities as JSON: one entry a direction, its factor a number or "oo"."""
    both = []
    for have, want, factor in found.directions:
        one: dict[str, Any] = {"from": str(have), "to": str(want), "factor": formulas.to_text(factor.value)}
        one["neighbours"] = None if factor.pair is None else [found.databases.show(D) for D in factor.pair]
        both.append(one | {"reason": factor.reason(), "checked": factor.covered})
    data = {"scope": str(found.databases), "theorem": found.page.cite("pure"), "comparisons": both}
    return data | believed_pages(found.relies_on)


def problem_data(
    file: str,
    setting: Setting,
    bound: Bound | None,
    verdicts: Sequence[Verdict],
    warnings: Sequence[str],
    theory: Theory,
) -> dict[str, Any]:
    """The object that --json prints for a problem file."""
    data: dict[str, Any] = {"file": file, "title": setting.title}
    if bound is not None:
        data["guarantee"] = guarantee_data(bound.guarantee)
        data["optimal"] = True if bound.optimal else False if bound.smaller_is_known else None
        if bound.smaller is not None:
            data["smaller"] = guarantee_data(bound.smaller.guarantee)
        if bound.flat is not None and one_by_one(bound):
            data["one-by-one"] = guarantee_data(bound.flat.guarantee)
    data["scope"] = str(setting.databases)
    if bound is not None:
        data["theorems"] = [
            page.cite(bound.steps.notion, bound.setting.adaptive)
            for page in (bound.theorem, *bound.conversions)
        ]
        data["assumptions"] = assumptions(bound)
        data |= believed_pages(bound.relies_on)
        if least := _least_of_all(verdicts):
            data |= {"guarantee": {"notion": least.notion} | dict(decimals(least)), "optimal": None}
            data["theorems"] = sorted({found.curve for found in verdicts if found.curve})
    data["claims"] = [_own_guarantee(found, bound) | verdict_data(found, bound) for found in verdicts]
    if warnings:
        data["warnings"] = list(warnings)
    return data


def of_claims(verdicts: Sequence[Verdict], bound: Bound | None) -> Bound | None:
    """The bound that is shown for a file: in the notion of the claims if that is one, else the study's."""
    notions = {found.claim.guarantee.notion for found in verdicts}
    of_first = verdicts[0].bound if len(notions) == 1 else None
    if bound is not None and bound.setting.studies and bound.guarantee.notion in notions:
        return bound  # a claim may be judged by the mechanisms of studies one by one
    return of_first if of_first is not None and of_first.guarantee.notion in notions else bound


def _least_of_all(verdicts: Sequence[Verdict]) -> Guarantee | None:
    """The least guarantee at the δ of the claims, where one is computed and is the same for all of them."""
    least = {found.guarantee for found in verdicts}
    return least.pop() if len(least) == 1 else None


def _own_guarantee(found: Verdict, bound: Bound | None) -> dict[str, Any]:
    """The guarantee in the claim's notion, where it is by conversion or the file's is in another one."""
    own, notion = found.bound, found.claim.guarantee.notion
    if own is None or own.guarantee.notion != notion:
        return {}
    if not own.conversions and (bound is None or bound.guarantee.notion == notion):
        return {}
    return {"guarantee": guarantee_data(own.guarantee)}


def guarantee_data(said: kernel.Private) -> dict[str, str]:
    """A guarantee as JSON."""
    return {"notion": said.notion} | dict(said.parameters)


def verdict_data(found: Verdict, bound: Bound | None) -> dict[str, Any]:
    """A verdict as JSON."""
    data: dict[str, Any] = {"verdict": found.verdict, "claim": dict(found.claim.text)}
    if found.claim.expect is not None:
        data["expect"] = found.claim.expect
    if found.verdict == "proved":
        data["loose"] = found.loose
    if found.reason:
        data["reason"] = found.reason
    if found.guarantee is not None:
        data["guarantee"] = {"notion": found.guarantee.notion} | dict(decimals(found.guarantee))
    if found.counterexample is not None and bound is not None:
        data["counterexample"] = found.counterexample.data()
    if found.nearby:
        data["would-hold"] = list(found.nearby)
    return data | believed_pages(found.relies_on)
