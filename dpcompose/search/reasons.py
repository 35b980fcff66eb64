"""Why a claim is undecided: what it may be smaller than, or what is not known.

Reasons are words for readers; they decide nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from dpcompose.kernel.covers import sizes
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import NoTheorem
from dpcompose.language.decimals import SHOWN_DIGITS, decimal, rounded
from dpcompose.search import guarantees, least
from dpcompose.search.comparisons import comparing, parameters
from dpcompose.search.guarantees import Guarantees, NoGuarantee, Workshop
from dpcompose.search.least import Between

ONLY_NUMBERS = (
    "the least delta for each epsilon is computed for numbers, and as a formula of few or alike mechanisms "
    "only; at the values of the parameters that were tried it does not refute the claim"
)


def why(shop: Workshop, said: Satisfies, some: Sequence[Guarantees]) -> str:
    """Why a claim is neither proved nor refuted; some -- the guarantees in its notion, the best first."""
    if not some:
        return _no_guarantee(shop, said)
    if (computed := _by_curve(shop, said)) and not (computed is ONLY_NUMBERS and some[0].way.direct):
        return computed
    best = some[0]
    smaller = [key for key, value in said.values if _may_be_smaller(best, key, value)]
    if best.way.direct:
        if smaller:
            return (
                _fewer_records(shop, smaller)
                or _not_attained(shop, said)
                or (
                    f"{' and '.join(smaller)} can be smaller than in the best guarantee that is known; "
                    "that refutes nothing, because other pairs may hold as well"
                )
            )
        return next((reason for _, reason in _unknown(best, said)), "it is not known what mechanisms lose")
    known = f"the best guarantee that is known, {_written(best)} by {', '.join(_pages(best))}"
    if smaller:
        return (
            f"{' and '.join(smaller)} can be smaller than in {known}; "
            "that refutes nothing, because conversions may lose"
        )
    for key, reason in _unknown(best, said):
        return f"it is not known whether {key} is ever smaller than in {known}: {reason}"
    return f"it is not known whether it is ever smaller than {known}"


def _fewer_records(shop: Workshop, smaller: Sequence[str]) -> str:
    """Which numbers of records are not looked at, where a letter stands for all; "" where all are."""
    if not (wanted := sizes.where(shop.setting)):
        return ""
    return (
        f"{' and '.join(smaller)} can be smaller than in the best guarantee, but no {' and '.join(wanted)} "
        "is known at which it is too small; for others there are fewer neighbours, of which nothing is said: "
        f"assume = {json.dumps(wanted)}, or a number, would do"
    )


def _no_guarantee(shop: Workshop, said: Satisfies) -> str:
    """Why nothing is known in the notion of a claim."""
    try:
        guarantees.guarantees_in(shop, said.notion, dict(said.values))
    except NoGuarantee as error:
        return str(error)
    return f"claims about {said.notion} from {' and '.join(shop.notions)} guarantees"


def _not_attained(shop: Workshop, said: Satisfies) -> str:
    """Why it is not known what mechanisms lose at two databases; "" where it is."""
    every = range(1, len(shop.setting.mechanisms) + 1)
    numbers = [n for n, type in enumerate(shop.types.types, start=1) if type.moves]
    try:
        premises = (shop.cover, *shop.stated)
        shop.prover.by("attain", *premises, notion=said.notion, neighbours=numbers, by=list(every))
    except NoTheorem as error:
        return error.why
    return ""


def _squared(best: Guarantees, key: str) -> bool:
    return key in best.shop.theory.rule(best.notion).head.squared


def _may_be_smaller(best: Guarantees, key: str, value: Term) -> bool:
    """Whether a claimed value is seen to be smaller than that of the best guarantee somewhere."""
    known = dict(best.best.says.values)[key]
    if "oo" in (known.kind, value.kind):
        return known.kind == "oo" != value.kind
    assumed, squared = best.shop.setting.assumed, _squared(best, key)  # without a solver: it is but a reason
    return parameters.where_larger(known, value, squared, assumed, solver=None) is not None


def _unknown(best: Guarantees, said: Satisfies) -> list[tuple[str, str]]:
    """The parameters that are not seen to be at least those of the best guarantee, each with a reason."""
    known, found = dict(best.best.says.values), []
    for key, value in said.values:
        if (
            "oo" not in (value.kind, known[key].kind)
            and parameters.at_least(value, known[key], _squared(best, key), None, best.shop.setting.assumed)
            is None
        ):
            found.append((key, comparing.reason(value, known[key], best.shop.setting.assumed)))
    return found


def _written(best: Guarantees) -> str:
    return ", ".join(f"{key} = {formulas.to_text(value)}" for key, value in best.best.says.values)


def _pages(best: Guarantees) -> list[str]:
    """What the pages are called by which guarantees were converted."""
    ids = dict.fromkeys(id for path in best.way.each.values() for id in path)
    ids |= dict.fromkeys(id for id, _ in best.way.whole)
    return [best.shop.theory.pages[id].cite(best.notion) for id in ids]


# by a curve


def _by_curve(shop: Workshop, said: Satisfies) -> str:
    """Why a computed curve does not decide; "" where there is none."""
    if least.page(shop, said.notion) is None:
        return ""
    values: Mapping[str, Term] = dict(said.values)
    between = least.delta_at(shop, said.notion, values["epsilon"])
    if between is None or any(value.letters for value in values.values()):
        return ONLY_NUMBERS
    return _between(between)


def _between(known: Between) -> str:
    below, above = "no lower bound that is known", "no upper bound that is known"
    if known.low is not None:
        below = f"the lower bound {decimal(rounded(known.low, SHOWN_DIGITS, up=False))}"
    if known.high is not None:
        above = f"the upper bound {decimal(rounded(known.high, SHOWN_DIGITS, up=True))}"
    return f"at this epsilon the least delta has {below} and {above}"
