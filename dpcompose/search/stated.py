"""What a setting states is possible: its notions are known, and no parameter of a guarantee is negative."""

from __future__ import annotations

from dpcompose.kernel import formulas
from dpcompose.kernel.intervals import sign
from dpcompose.kernel.settings import Mechanism
from dpcompose.kernel.settings import Setting as Core
from dpcompose.kernel.terms import ZERO, Term
from dpcompose.kernel.theory import NoPage, Theory
from dpcompose.privacy.settings import InvalidSetting, Setting
from dpcompose.search import comparing
from dpcompose.search.comparing import Point, Proof
from dpcompose.search.guarantees import NoGuarantee


def check(setting: Setting, theory: Theory) -> None:
    """That each guarantee is one of a known notion.  Raises InvalidSetting, NoGuarantee."""
    if setting.doubts:
        raise NoGuarantee(setting.doubts[0])
    for mechanism in setting.mechanisms:
        stated = mechanism.satisfies
        try:
            rule = theory.rule(stated.notion)
        except NoPage:
            known = ", ".join(page.head.notion for page in theory.of_kind("rule"))
            raise NoGuarantee(
                f"the notion {stated.notion!r} is not supported yet; there are pages for: {known}"
            ) from None
        if wrong := rule.head.misread(stated.values):
            raise InvalidSetting(f"{mechanism.name}: {wrong}")


def check_values(core: Core) -> None:
    """That no parameter of a guarantee is ever negative.  Raises InvalidSetting with a point, NoGuarantee."""
    for mechanism in core.mechanisms:
        if mechanism.noise is None and mechanism.study is None:
            for key, value in mechanism.values:
                _check_value(mechanism, key, value)


def _check_value(mechanism: Mechanism, key: str, value: Term) -> None:
    if value.kind == "oo" or value.nonnegative:
        return
    named = f"{key} of {mechanism.name}"
    if not value.letters and sign(value) == -1:
        raise InvalidSetting(f"{named} must be at least 0, but it is negative: {formulas.to_text(value)}")
    found = comparing.compare(value, ZERO)
    if isinstance(found, Proof):
        return
    if isinstance(found, Point):
        at = ", ".join(f"{name} = {x}" for name, x in found.values.items())
        there = formulas.to_text(formulas.at(value, found.values))
        raise InvalidSetting(
            f"{named} must be at least 0 for all allowed values, but it is {there}{f' at {at}' if at else ''}"
        )
    raise NoGuarantee(f"it is not known that {named} is never negative: {comparing.reason(value, ZERO)}")
