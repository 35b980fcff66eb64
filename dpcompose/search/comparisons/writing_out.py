"""Families written out member by member, for given numbers of members."""

from __future__ import annotations

from collections.abc import Mapping

from dpcompose.kernel.expressions import naming, substitution, terms
from dpcompose.kernel.expressions.terms import Term, letter


def of_member(name: str, j: int) -> str:
    """e[3] for e[i]."""
    return naming.member(naming.read(name).base, j)


def written_out(term: Term, sizes: Mapping[str, int]) -> Term:
    """The term with every family written out member by member, for given numbers of members.

    >>> from dpcompose.kernel.expressions import formulas
    >>> from dpcompose.kernel.expressions.domains import Domain
    >>> k = letter("k", Domain.read("integer >= 1"))
    >>> formulas.to_text(written_out(terms.over(1, letter("e[i]"), k), {"k": 2}))
    'max(e[1], e[2])'
    """

    def replace(term: Term) -> Term | None:
        if term.kind != "over":
            return None
        m, x, count = term.of
        size = sizes[count.of[0]] if count.kind == "letter" else int(count.of[0])
        members = [
            substitution.substituted(
                x,
                {n: letter(of_member(n, j), domain) for n, domain in x.letters.items() if terms.moves(n)},
            )
            for j in range(1, size + 1)
        ]
        if m == count:
            return terms.add(members)
        there = substitution.substituted(m, {name: terms.number(number) for name, number in sizes.items()})
        return terms.top(int(there.of[0]), members)

    return substitution.changed(term, replace)
