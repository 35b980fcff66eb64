"""What a setting states is possible: its notions are known, and no parameter of a guarantee is negative."""

from __future__ import annotations

from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.core.settings import Setting as Core
from dpcompose.kernel.expressions import formulas, naming, substitution
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import ZERO, Term, letter
from dpcompose.kernel.library.theory import NoPage, Theory
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory.registry import Theory as Pages
from dpcompose.search.comparisons import comparing, satisfiable
from dpcompose.search.comparisons.comparing import Point, Proof
from dpcompose.search.comparisons.satisfiable import NoValues
from dpcompose.search.guarantees import NoGuarantee


def check(setting: Setting, theory: Theory) -> None:
    """That each guarantee is one of a known notion, and some values satisfy what is assumed of parameters.

    Raises InvalidSetting, NoGuarantee.
    """
    check_assumptions(setting.assume)
    if setting.doubts:
        raise NoGuarantee(setting.doubts[0])
    for mechanism in (one for several in setting.mechanisms for one in several.alone):
        stated = mechanism.satisfies
        try:
            rule = theory.rule(stated.notion)
        except NoPage:
            known = ", ".join(page.head.notion for page in theory.of_kind("rule"))
            raise NoGuarantee(
                f"the notion {stated.notion!r} is not supported yet; there are pages for: {known}"
            ) from None
        if wrong := rule.head.misread(stated.terms):
            raise InvalidSetting(f"{mechanism.name}: {wrong}")


def check_assumptions(assume: Assumed) -> str:
    """That some values satisfy what is assumed; why it is not known, or "".  Raises InvalidSetting."""
    if not assume:
        return ""
    try:
        values = satisfiable.point(assume)
    except NoValues as error:
        raise InvalidSetting(f"assume: {error}") from None
    if values is not None:
        return ""
    return (
        f"it is not known whether any values satisfy {' and '.join(map(str, assume))}; "
        "if none do, what is proved says nothing"
    )


def check_pages(setting: Setting, theory: Pages) -> None:
    """Raises PageError where a page is wrong on a notion or a noise of the setting, or on its witnesses."""
    for mechanism in setting.mechanisms:
        if mechanism.noise is not None:
            theory.noise(mechanism.noise.word)
    for notion in setting.notions:
        if notion not in theory.notions:
            theory.need("rule", notion=notion)
        theory.witness(notion)


def check_values(core: Core) -> str:
    """That no parameter of a guarantee is seen to be negative somewhere.  Raises InvalidSetting with a point.

    What comes out says of which parameter it is not known whether it is; "" where there is none.
    """
    unknown = ""
    for mechanism in core.mechanisms:
        if mechanism.noise is None and mechanism.study is None:
            some = [
                (mechanism.values, mechanism.curve),
                *((stated.values, stated.curve) for stated in mechanism.also),
            ]
            for values, curve in some:
                for key, value in values:
                    said = value if curve is None else curve.value  # for all orders that are meant
                    unknown = unknown or _unknown(mechanism, key, said, core.assumed)
    return unknown


def _unknown(mechanism: Mechanism, key: str, value: Term, assumed: Assumed) -> str:
    if value.kind == "oo" or value.nonnegative:
        return ""
    named = f"{key} of {mechanism.name}"
    if not value.letters and sign(value) == -1:
        raise InvalidSetting(f"{named} must be at least 0, but it is negative: {formulas.to_text(value)}")
    if not value.has("over"):  # what it is for one member of a family, it is for all
        letters = ((naming.read(name), domain) for name, domain in value.letters.items())
        families = ((said, domain) for said, domain in letters if said.is_general)
        members = {said.text: letter(naming.member(said.base, 1), domain) for said, domain in families}
        value = substitution.substituted(value, members)
    found = comparing.compare(value, ZERO, assumed=assumed)
    if isinstance(found, Proof):
        return ""
    if isinstance(found, Point):
        at = ", ".join(f"{name} = {x}" for name, x in found.values.items())
        there = formulas.to_text(formulas.at(value, found.values))
        raise InvalidSetting(
            f"{named} must be at least 0 for all allowed values, but it is {there}{f' at {at}' if at else ''}"
        )
    return f"it is not known that {named} is never negative: {comparing.reason(value, ZERO, assumed)}"
