"""Steps towards simpler differences: letters from their least values on, and terms compared by squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from dpcompose.kernel.expressions import forms
from dpcompose.kernel.expressions.boxes import distance, shifted
from dpcompose.kernel.expressions.forms import Form, Known
from dpcompose.kernel.expressions.polynomials import Peak
from dpcompose.kernel.expressions.terms import Term, letter
from dpcompose.search.comparisons.weights import text

MOST_PAIRS = 6
"""How many pairs of terms are compared by their squares."""


def pairs(difference: Form, known: Known) -> Iterator[tuple[Form, Form]]:
    """Terms with roots that are added, and such that are subtracted: the former may be larger."""
    rooted = [
        (Form(((term, abs(c)),)), c)
        for term, c in difference.terms
        if not isinstance(term, Peak) and any(map(is_root, (one for one, _ in term)))
    ]
    added = [form for form, c in rooted if c > 0 and forms.is_nonnegative(form, known)]
    subtracted = [form for form, c in rooted if c < 0]
    if len(added) * len(subtracted) <= MOST_PAIRS:
        yield from product(added, subtracted)


def is_root(term: Term) -> bool:
    """Whether it is a power with a fraction as exponent."""
    exponent = term.base_and_exponent[1].number if term.kind == "power" else None
    return exponent is not None and exponent.denominator > 1


def shift(
    difference: Form, symbols: Mapping[str, Term], names: Sequence[str], known: Known
) -> tuple[Form, dict[str, Term], Any]:
    """The difference with x = least + x' for some letters, the letters, and the step that leads to it."""
    new, replaced, written = {}, {}, []
    for name in names:
        fresh = f"{name}_more"
        while fresh in symbols or fresh in new:
            fresh += "_"
        domain = symbols[name].of[1]
        new[fresh] = letter(fresh, shifted(domain, "least"))
        replaced[name] = distance(new[fresh], domain, "least")
        written.append([name, "least", fresh])
    moved = forms.substituted(difference, replaced, known)

    def step(proof: Any) -> Any:
        return {"shift": written, "difference": text(moved), "proof": proof}

    return moved, {**symbols, **new}, step


def multiplied(form: Form) -> set[str]:
    """The letters that stand in products."""
    found = {
        one.of[0]
        for term, _ in form.monomials
        for one, _ in term
        if one.kind == "letter" and sum(n for _, n in term) > 1
    }
    return found.union(*(multiplied(inner) for peak, _ in form.peaks for inner in peak.of))


def has_products(form: Form) -> bool:
    return any(sum(n for _, n in term) > 1 for term, _ in form.monomials) or any(
        has_products(inner) for peak, _ in form.peaks for inner in peak.of
    )
