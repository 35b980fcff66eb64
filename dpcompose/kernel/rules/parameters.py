"""Parameters of guarantees: that they have values, that one is at least another, the least of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpcompose.kernel import comparison
from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.losses import Values
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.expressions import forms, formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.premises import BadStep, read_values


def have_values(guarantee: Satisfies, setting: Setting) -> Grounds:
    """The decider by which all parameters are seen to have real values, for all allowed values of letters.

    Raises BadStep where they are not: then the claim says nothing that could hold.
    """
    missing = forms.missing_values([value for _, value in guarantee.values if value.kind != "oo"])
    for inside, relation in missing:
        signs = [inside, -inside] if relation == "!= 0" else [inside]
        if not any(has_values.surely(term, relation != ">= 0", setting.assumed) for term in signs):
            raise BadStep(f"{formulas.to_text(inside)} is not known to be {relation}")
    return Grounds(deciders=frozenset({"ranges"} if missing else ()))


def narrower(values: Any, setting: Setting) -> dict[int, Values]:
    """By number of mechanisms other values of parameters: {"1": {"epsilon": "e/2"}}."""
    if values is None:
        return {}
    if not isinstance(values, Mapping) or not all(isinstance(value, Mapping) for value in values.values()):
        raise BadStep("values are a table of formulas for some mechanisms")
    others = {}
    for i, texts in values.items():
        if i not in {str(n) for n in range(1, len(setting.mechanisms) + 1)}:
            raise BadStep(f"there is no mechanism {i!r}")
        if not all(isinstance(key, str) and isinstance(text, str) for key, text in texts.items()):
            raise BadStep("values are a table of formulas for some mechanisms")
        if setting.mechanisms[int(i) - 1].count is not None:
            raise BadStep("members of families have no other values")
        others[int(i)] = read_values(texts, setting)
        if not all(has_values.surely(value, False, setting.assumed) for _, value in others[int(i)]):
            raise BadStep("it is not seen that no parameter is below 0")
    return others


def entry_of(table: Any, key: str) -> Any:
    """What a table of certificates has for a parameter, if it is one."""
    return table.get(key) if isinstance(table, Mapping) else None


def at_least(
    setting: Setting, theory: Theory, notion: str, key: str, greater: Term, lesser: Term, shown: Any
) -> frozenset[str]:
    """The deciders by which a certificate shows that a parameter is at least another value of it.

    Of parameters that are composed by their squares the squares are compared, of values that are ≥ 0.
    """
    if greater == lesser or greater.kind == "oo":
        return frozenset()
    if lesser.kind == "oo":
        raise BadCertificate(f"{key} of the guarantee is oo")
    if key not in theory.rule(notion).head.squared or not entry_of(shown, "squares"):
        return comparison.check_at_least(greater, lesser, shown, setting.assumed)
    used = frozenset[str]()
    if not greater.nonnegative:
        used = comparison.check_at_least(greater, ZERO, entry_of(shown, "not negative"), setting.assumed)
    apart = entry_of(shown, "summands") is True
    greater = squares_of_summands(greater) if apart else forms.write(forms.squared(greater, setting.known))
    lesser = forms.write(forms.squared(lesser, setting.known))
    return used | comparison.check_at_least(greater, lesser, entry_of(shown, "squares"), setting.assumed)


def squares_of_summands(value: Term) -> Term:
    """x_1² + … + x_n², which (x_1 + … + x_n)² is never below where all of them are ≥ 0."""
    if not all(summand.nonnegative for summand in value.summands):
        raise BadCertificate("a summand is not seen to be >= 0")
    return terms.add(summand**2 for summand in value.summands)


def largest(values: Sequence[Term], squared: bool, known: forms.Known) -> Term:
    """The largest of some values, in normal form where they have one; constants by their values."""
    tops = (value.parts if _is_taken_apart(value, squared, known) else [value] for value in values)
    compared = list(dict.fromkeys(part for top in tops for part in top))
    constants = [term for term in compared if term.kind != "oo" and not term.letters]
    below = {constant for constant in constants if any(sign(other - constant) == 1 for other in constants)}
    kept = [term for term in compared if term not in below]
    try:
        return losses.largest(kept, squared, known)
    except forms.NotAForm:
        return terms.top(1, kept)


def smallest(values: Sequence[Term]) -> Term:
    """The least of some values, ∞ where all are."""
    finite = [value for value in values if value.kind != "oo"]
    return terms.least(*finite) if finite else INFINITY


def _is_taken_apart(value: Term, squared: bool, known: forms.Known) -> bool:
    """Whether a value is a maximum that is compared part by part: by squares only of parts that are ≥ 0."""
    if value.kind != "top" or value.of[0] != 1:
        return False
    return not squared or all(forms.term_sign(part, known) >= 0 for part in value.parts)
