"""Claims in metrics that say the same as claims for neighbours: X*d_NAME, X times the steps that lie between.

What neighbours lose adds up along steps (GB Thm. III.3), in zCDP its root: X*d_NAME is a bound for all
databases where X is one for the neighbours of NAME, and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.privacy.metrics.setting import POWERS
from dpcompose.privacy.readers.distances import CANONICAL
from dpcompose.spaces.moves.built_in import BUILT_IN


def told_for_neighbours(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a problem file with its claims in metrics as those for neighbours, where they are such.

    Without a target the neighbours are those of the first of them.

    >>> claim = {"notion": "zcdp", "metric": "2*s*d_unbounded"}
    >>> told = told_for_neighbours({"claims": [claim]})
    >>> told["claims"], told["target"]
    ([{'notion': 'zcdp', 'rho': '(2*s)**2'}], {'granularity': 'unbounded'})
    """
    names = {CANONICAL + one.replace("-", "_"): one for one in (*BUILT_IN, *data.get("granularities", ()))}
    found, target = [], data.get("target")
    for claim in data.get("claims", ()):
        said = _multiple(claim, names)
        if said is not None and target is None:
            target = {"granularity": said[1]}
        fits = said is not None and target == {"granularity": said[1]}
        found.append(said[0] if said is not None and fits else claim)
    return {**data, "claims": found} | ({} if target is None else {"target": target})


def _multiple(claim: Any, names: Mapping[str, str]) -> tuple[dict[str, Any], str] | None:
    """A claim X*d_NAME as one about NAME neighbours; None for others."""
    if not isinstance(claim, Mapping) or not isinstance(claim.get("metric"), str):
        return None
    factor, _, name = (one.strip() for one in claim["metric"].rpartition("*"))
    notion = claim.get("notion")
    alone = factor and not factor.endswith("*") and _is_product(factor) and CANONICAL not in factor
    if (
        not isinstance(notion, str)
        or notion not in POWERS
        or name not in names
        or not alone
        or "delta" in claim
    ):
        return None
    key, power = POWERS[notion]
    if power != 1 and "-" in factor:
        return None  # a square says nothing of the sign
    value = factor if power == 1 else f"({factor})**{power}"
    return {**{one: x for one, x in claim.items() if one != "metric"}, key: value}, names[name]


def _is_product(text: str) -> bool:
    """Whether a formula has no sum outside of brackets, and closes these.

    >>> [_is_product(one) for one in ("max(a + b, c)/2", "a + b", "(a", "a) + (b")]
    [True, False, False, False]
    """
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0 or (depth == 0 and letter in "+-"):
            return False
    return depth == 0
