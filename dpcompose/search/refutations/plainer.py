"""Plainer counterexamples: the same refutation with as few members of families, or records, as it takes.

Between a number at which a claim is refuted and one at which it is not seen to be, the middle is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.composition.given import letters
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import naming, terms
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.comparisons import parameters
from dpcompose.search.trying import tried

REFUTING = ("refute", "exceed", "against_rows")
"""The rules that refute at a point."""
FEW = 2
"""By how much above its least value a whole number is plain as it is."""


def plainer(prover: Prover, theorem: Theorem | None) -> Theorem | None:
    """A refutation with smaller values of whole numbers, one after the other, where there is one."""
    if theorem is None or theorem.rule not in REFUTING:
        return theorem
    for name, least in _whole(prover.setting):
        theorem = _with_less(prover, theorem, name, least)
    return theorem


def _whole(setting: Setting) -> Iterator[tuple[str, int]]:
    """The letters for whole numbers, and their least values."""
    for name, domain in setting.parameters:
        if domain.integer and domain.least is not None and not terms.moves(name):
            yield name, int(domain.least)


def _with_less(prover: Prover, theorem: Theorem, name: str, least: int) -> Theorem:
    high = Fraction(theorem.arguments["point"].get(name, least))
    low, there = least + FEW, int(high)
    while there - low > 1:
        middle = (low + there) // 2
        made = _made_again(prover, theorem, name, middle)
        low, there = (middle, there) if made is None else (low, middle)
        theorem = theorem if made is None else made
    return theorem


def _made_again(prover: Prover, theorem: Theorem, name: str, n: int) -> Theorem | None:
    """The refutation with another value of a letter, and as many members as that says."""
    gone = _families_of(prover.setting, name)
    given = {key: Fraction(x) for key, x in theorem.arguments["point"].items()} | {name: Fraction(n)}
    kept = {key: x for key, x in given.items() if not _is_beyond(key, gone, n)}
    point = {key: str(x) for key, x in parameters.completed(prover.setting, kept).items()}
    arguments: Mapping[str, Any] = {**theorem.arguments, "point": point}
    return tried(prover, theorem.rule, *theorem.premises, **arguments)


def _families_of(setting: Setting, name: str) -> set[str]:
    """The families of which a letter says how many members there are."""
    return {
        naming.read(key).base
        for mechanism in setting.mechanisms
        if mechanism.count is not None and name in mechanism.count.letters
        for value in letters(mechanism)
        for key in value.letters
        if terms.moves(key)
    }


def _is_beyond(key: str, families: set[str], n: int) -> bool:
    said = naming.read(key)
    return said.base in families and said.index is not None and said.index > n
