"""How sentences are put together: lists in them, and the mathematics in what pages say."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, TypeVar

from dpcompose.kernel.expressions.domains import Domain
from dpcompose.language.said import Formula, Said, listed, mathematics

if TYPE_CHECKING:
    import sympy

K = TypeVar("K", bound=Hashable)


def allowed(domain: Domain) -> Said:
    """Which numbers a parameter may be."""
    if domain.integer:
        return ["integer ", mathematics(f">= {domain.least}")]
    return [str(domain)] if domain.named else ["in ", mathematics(domain.interval)]


def of_page(text: str) -> Formula:
    """A formula in letters of its own; what is none stays text."""

    def read(text: str) -> sympy.Expr | None:
        from dpcompose.language import formulas
        from dpcompose.language.symbols import symbol

        try:
            return formulas.parse(text, {name: symbol(name) for name in formulas.names(text)}, index="i")
        except formulas.FormulaError:
            return None

    return Formula(text, read)


def joined(parts: Sequence[Said], by: str) -> Said:
    """Sentences with a text between them."""
    return [part for n, some in enumerate(parts) for part in ([by, *some] if n else some)]


def all_said(sentences: Sequence[Said], most: int = 6) -> Said:
    """Sentences, with commas; of more than the most the first and the last one."""
    return joined(sentences if len(sentences) <= most else (sentences[0], ["..."], sentences[-1]), ", ")


def of_each(names: Sequence[str], said: Sequence[K], say: Callable[[K], Said], by: str = ", ") -> Said:
    """What is said of some mechanisms: once if it is the same of all, else with the names of those it is of.

    >>> of_each(["M1", "M2"], [1, 1], lambda n: [f"b = {n}"])
    ['b = 1']
    >>> of_each(["M1", "M2", "M3"], [1, 2, 1], lambda n: [f"b = {n}"])
    ['b = 1', ' for M1, M3', ', ', 'b = 2', ' for M2']
    """
    groups: dict[K, list[str]] = {}
    for name, meaning in zip(names, said, strict=True):
        groups.setdefault(meaning, []).append(name)
    if len(groups) == 1:
        return say(said[0])
    told = [[*say(meaning), f" for {listed(group)}"] for meaning, group in groups.items()]
    return joined(told if len(told) <= 4 else (told[0], ["..."], told[-1]), by)
