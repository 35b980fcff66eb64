"""What shows that a claim holds: a comparison for all databases for each parameter, with its proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.kernel import comparison
from dpcompose.kernel.certificates import BadCertificate
from dpcompose.language.worstcase import Top
from dpcompose.language.writing import absolute
from dpcompose.privacy.metrics.setting import MetricGuarantee, MetricSetting
from dpcompose.proof.metrics.composition import Composition, Way
from dpcompose.proof.metrics.letters import Letters
from dpcompose.proof.metrics.norms import LEVELS
from dpcompose.proof.metrics.pairs import Pairs
from dpcompose.proof.metrics.refutation import check_exceeds
from dpcompose.spaces.points import Euclid


@dataclass(frozen=True)
class Comparison:
    """greater ≥ lesser for all databases, formulas in their letters; key -- what it is about."""

    key: str
    greater: sympy.Expr
    lesser: sympy.Expr


def comparisons(composition: Composition, claim: MetricGuarantee, way: Way) -> list[Comparison]:
    """What shows a claim by a way: each parameter is at least that of the composition, at all D, E.

    Of parameters that are composed by their squares the squares are compared; then a claim, and where a power
    of a metric is claimed the metric, is to be ≥ 0.
    """
    letters, bound = composition.letters, composition.bound(way, claim)
    squared = composition.theory.rule(claim.notion).head.squared
    found = []
    for key, claimed in claim.parameters.items():
        if claimed is sympy.oo:
            continue
        power = 2 if key in squared else 1
        sides = [letters.of(claimed) ** power, letters.of(bound[key], bounded=True) ** power]
        found.append(Comparison(key, *_with_squares(composition.setting, sides)))
    powers = set(squared) & set(claim.parameters) or claim.metric not in claim.parameters.values()
    if powers and claim.metric is not sympy.oo and not composition.axioms.is_nonnegative(claim.metric):
        found.append(Comparison("nonnegative", letters.of(claim.metric), sympy.Integer(0)))
    return found


def _with_squares(setting: MetricSetting, sides: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Two formulas with Σ |v_j|² for ‖v‖₂², where norms occur by their squares only; and with max(a², b²) for
    max(a, b)² of parameters a, b ≥ 0."""
    norms = {one for side in sides for one in side.atoms(Euclid)}
    squares = {one**2: sympy.Add(*(absolute(v) ** 2 for v in one.args)) for one in norms}
    largest = {one for side in sides for one in side.atoms(Top) if one.args[0] == 1}
    squares |= {
        one**2: Top(1, *(x**2 for x in one.terms))
        for one in largest
        if all(map(setting.is_never_negative, one.terms))
    }
    found = [sympy.expand_mul(side.xreplace(squares)) for side in sides]
    return list(sides) if any(side.has(Euclid) for side in found) else found


def converse(composition: Composition, claim: MetricGuarantee, way: Way) -> list[Comparison]:
    """The comparisons that show that a claim is no larger than the guarantee."""
    letters, bound = composition.letters, composition.bound(way, claim)
    squared = composition.theory.rule(claim.notion).head.squared
    return [
        Comparison(
            key,
            *_with_squares(
                composition.setting,
                [letters.of(bound[key], bounded=True) ** power, letters.of(claimed) ** power],
            ),
        )
        for key, claimed in claim.parameters.items()
        for power in [2 if key in squared else 1]
    ]


def check_way(composition: Composition, claim: MetricGuarantee, data: Any) -> Way:
    """The way that a saved claim was proved by."""
    for way in composition.ways(claim.notion):
        if way.data() == data:
            return way
    raise BadCertificate("it is proved by no way in which guarantees are composed and converted")


def check_all(letters: Letters, wanted: list[Comparison], shown: Any) -> frozenset[str]:
    """The deciders by which all comparisons hold.  Raises BadCertificate."""
    if not isinstance(shown, Mapping) or set(shown) != {one.key for one in wanted}:
        raise BadCertificate(f"there is to be a proof of {', '.join(one.key for one in wanted) or 'nothing'}")
    some = (check_everywhere(letters, one.greater, one.lesser, shown[one.key]) for one in wanted)
    return frozenset[str]().union(*some)


def check_everywhere(letters: Letters, greater: sympy.Expr, lesser: sympy.Expr, shown: Any) -> frozenset[str]:
    """The deciders by which what is shown proves every case of a comparison, and no more.

    Raises BadCertificate where it does not.
    """
    if not isinstance(shown, dict) or set(shown) != {"whole", "groups"}:
        raise BadCertificate("the certificate cannot be read")
    every = letters.groups(greater, lesser)
    if not isinstance(shown["whole"], bool):
        raise BadCertificate("the certificate cannot be read")
    groups = [(greater, lesser)] if shown["whole"] else [(g, l) for _, g, l in every]
    if not isinstance(shown["groups"], list) or len(shown["groups"]) != len(groups):
        raise BadCertificate(f"there are {len(groups)} groups to prove")
    some = (_check_group(letters, *one, proofs) for one, proofs in zip(groups, shown["groups"], strict=True))
    return frozenset[str]().union(*some)


def _check_group(letters: Letters, greater: sympy.Expr, lesser: sympy.Expr, shown: Any) -> frozenset[str]:
    if not isinstance(shown, dict) or set(shown) != {"level", "cases"}:
        raise BadCertificate("the certificate cannot be read")
    if type(shown["level"]) is not int or shown["level"] not in LEVELS:  # True is an int, and 1.0 equals 1
        raise BadCertificate("the certificate cannot be read")
    some, proofs = list(letters.cases(greater, lesser, shown["level"])), shown["cases"]
    if not isinstance(proofs, list) or len(proofs) != len(some):
        raise BadCertificate(f"there are {len(some)} cases to prove")
    used = (
        comparison.check_at_least(case.greater, case.lesser, proof, letters.setting.assume)
        for case, proof in zip(some, proofs, strict=True)
    )
    return frozenset[str]().union(*used)


def check_larger(
    composition: Composition, pairs: Pairs, claim: MetricGuarantee, point: Mapping[str, Fraction]
) -> None:
    """Raises BadCertificate unless a claim is larger at the point than the metric of the composition."""
    more, less = pairs.values((claim.metric, composition.metric), point)
    check_exceeds(more, less)
