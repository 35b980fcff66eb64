"""Letters of either sign: what holds for x' and −x' in place of x, x' ≥ 0, holds for all x; by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.kernel.comparison import check_at_least
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import REAL
from dpcompose.kernel.expressions.terms import Term, largest, letter, sqrt
from dpcompose.kernel.saved import Refused
from dpcompose.search.comparisons.parameters import at_least

U, L, R = letter("u", REAL), letter("l", REAL), letter("r")
ABOVE = (Assumption(U, ">", L),)
SHOWN = {"letters": {"u": "nonnegative"}, "difference": "0", "proof": {"rest": "0"}}
NONE = {**SHOWN, "letters": {}}
ABOVE_ALONE = {"sign": "u", "above": NONE, "below": SHOWN}
OF_U: dict[str, Any] = {"sign": "u", "above": SHOWN, "below": SHOWN}


def test_the_absolute_value_by_hand() -> None:
    """|u|² ≥ u², as u'² ≥ u'² and (−u')² ≥ (−u')²."""
    assert check_at_least(largest(U, -U) ** 2, U**2, OF_U) == frozenset()


@pytest.mark.parametrize(
    ("greater", "lesser", "certificate", "message"),
    [
        (U, largest(U, -U), OF_U, "the difference"),  # false below 0
        (largest(U, -U) ** 2, U**2, {**OF_U, "sign": "v"}, "v is no letter of either sign"),
        (R, R, {"sign": "r", "above": SHOWN, "below": SHOWN}, "r is no letter of either sign"),
        (largest(U, -U) ** 2, U**2, {"sign": "u", "above": SHOWN}, "below"),
        (
            largest(terms.ONE, 1 - sqrt(U)),
            terms.ONE,
            ABOVE_ALONE,
            "is not known to be >= 0",
        ),  # no value below 0
    ],
)
def test_what_shows_nothing(greater: Term, lesser: Term, certificate: Any, message: str) -> None:
    with pytest.raises(BadCertificate, match=message):
        check_at_least(greater, lesser, certificate)


@pytest.mark.parametrize(
    ("greater", "lesser", "shown"),
    [
        (R, R * largest(-L, U) / largest(L, -L, U, -U), True),
        (R, R * largest(-L, U) ** 2 / largest(L, -L, U, -U) ** 2, True),
        (largest(L**2, U**2), largest(-L, U) ** 2, True),
        (R, R * (U - L) ** 2 / (4 * largest(L, -L, U, -U) ** 2), True),
        (R, R * (U - L) ** 2 / (3 * largest(L, -L, U, -U) ** 2), False),  # 4/3 where l = −u
        (largest(-L, U), largest(L, -L, U, -U), True),
        (largest(L, U), largest(-L, U), False),
    ],
)
def test_where_one_letter_is_larger(greater: Term, lesser: Term, shown: bool) -> None:
    certificate = at_least(greater, lesser, assumed=ABOVE)
    assert (certificate is not None) == shown
    if shown:
        check_at_least(greater, lesser, certificate, ABOVE)
    without = at_least(R, R * largest(-L, U) / largest(L, -L, U, -U))
    assert without is None, "l = u = 0 has no value"


def test_one_sign_without_a_value() -> None:
    """√min(u, −1) has none where u ≥ 0: nothing is shown, and nothing fails."""
    assert at_least(sqrt(terms.least(U, -terms.ONE)), terms.ONE) is None
    with pytest.raises(BadCertificate, match="no real value"):
        check_at_least(sqrt(terms.least(U, -terms.ONE)), terms.ONE, OF_U)


SUM = """
format = 1
assume = ["u > l"]
parameters = { l = "real", u = "real", r = "positive" }
databases = { kind = "multisets" }
target = { granularity = "unbounded" }
mechanisms = [{ name = "S", query = { sum = ["l", "u"] }, noise = { gaussian = "max(abs(l), abs(u))/sqrt(2*r)" } }]
claims = [{ notion = "zcdp", rho = "r" }, { notion = "zcdp", rho = "99*r/100" }]
"""


def test_noise_by_the_larger_of_two_bounds(tmp_path: Path) -> None:
    """A sum clipped to [l, u] moves by max(|l|, |u|): so it is r-zCDP, and for no smaller r."""
    study, claims = dpc.loads(SUM)
    verdicts = [study.check(claim) for claim in claims]
    assert [(one.verdict, one.loose) for one in verdicts] == [("proved", False), ("refuted", None)]
    study.save(tmp_path / "saved.json", verdicts)
    assert list(dpc.recheck(tmp_path / "saved.json").verdicts) == ["proved", "refuted"]
    text = (tmp_path / "saved.json").read_text(encoding="utf-8")
    assert '"sign": "l"' in text
    for forged in (text.replace('"sign": "l"', '"sign": "r"'), text.replace('"below"', '"above"')):
        (tmp_path / "forged.json").write_text(forged, encoding="utf-8")
        with pytest.raises(Refused):
            dpc.recheck(tmp_path / "forged.json")
