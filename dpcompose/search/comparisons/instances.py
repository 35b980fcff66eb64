"""Comparisons that are instances of others in fewer letters: what holds for every x > 0 holds of x = k/b.

Looked for where exponentials and logarithms are of quotients, or of sums over families.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, POSITIVE
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, Term


@frozen
class Instance:
    """Both sides of a comparison, with a letter in place of a term that is > 0, or only ≥ 0."""

    name: str
    instead: Term
    greater: Term
    lesser: Term

    def certificate(self, shown: Any) -> dict[str, Any]:
        """The certificate of the instance, by one of the general comparison."""
        return {
            "letter": self.name,
            "instead": formulas.to_text(self.instead),
            "relation": "> 0" if self.instead.positive else ">= 0",
            "greater": formulas.to_text(self.greater),
            "lesser": formulas.to_text(self.lesser),
            "shown": shown,
        }


def instances(greater: Term, lesser: Term, taken: Iterable[str] = ()) -> Iterator[Instance]:
    """Comparisons of which this is an instance, with a letter for a quotient, or for a sum over a family.

    taken -- names that other letters have, as those of what is assumed.
    """
    used = {*greater.letters, *lesser.letters, *taken}
    name = next(name for name in ("x", *(f"x{n}" for n in range(len(used)))) if name not in used)
    for instead in dict.fromkeys([*_arguments(greater), *_arguments(lesser)]):
        if not instead.nonnegative or terms.is_open(instead):
            continue
        x = terms.letter(name, POSITIVE if instead.positive else NONNEGATIVE)
        for replace in _ways(instead, x):
            more, less = (substitution.changed(side, replace) for side in (greater, lesser))
            fewer = not instead.letters.keys() & {*more.letters, *less.letters}
            back = (substitution.substituted(side, {name: instead}) for side in (more, less))
            if fewer and tuple(back) == (greater, lesser):
                yield Instance(name, instead, more, less)
                break


def _arguments(term: Term) -> Iterator[Term]:
    """What exponentials and logarithms are of: a quotient, or a sum over a family, without its number."""
    for part in term.parts:
        if term.kind in ("exp", "log"):
            for summand in part.summands:
                _, rest = summand.split
                if rest.kind in ("power", "product", "over"):
                    yield rest
        yield from _arguments(part)


def _ways(instead: Term, x: Term) -> Iterator[Callable[[Term], Term | None]]:
    """How a letter takes the place of a term: as it stands there; or by a letter b of it, as in x = k/b."""
    yield lambda part: x if part == instead else None
    for name, domain in instead.letters.items():
        alone = terms.letter(name, domain)
        for b, solved in ((alone, x * alone / instead), (ONE / alone, instead * alone / x)):
            if domain == POSITIVE and name not in (instead / b).letters and name not in solved.letters:
                yield lambda part, b=alone, to=solved: to if part == b else None  # type: ignore[misc]
