"""Samples, by hand: which settings fit a page, what it makes of a guarantee, and which neighbours it tells of."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import told
from core_records import ANY, B, U

from dpcompose.kernel.composition import samples
from dpcompose.kernel.composition.samples import NoSample
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import INFINITY, ONE, letter, number

POISSON, REPLACED, POLICIES = (
    "poisson-sampling",
    "poisson-sampling-replaced",
    "poisson-sampling-under-policies",
)
FIXED, DRAWS = "fixed-size-sampling", "sampling-with-replacement"
ANY_NUMBER, ANY_REPLACED = "sampling-of-any-number", "sampling-of-any-number-replaced"
EITHER = {"single": [[1, 0], [0, 1], [1, 1]], "steps": 1}
LETTERS = {
    "e": "positive",
    "d": "positive",
    "s": "in (0,1)",
    "t": "nonnegative",
    "m": "integer >= 1",
    "n": "integer >= 4",
}


def setting(
    page: str, stated: Any, target: Any = None, reads: Any = None, more: Any = None, **given: str
) -> Setting:
    """M on a sample; more -- what else there is to say of M, and of databases, which are all multisets."""
    others = dict(more or {})
    one = {
        "name": "M",
        "reads": [reads],
        "stated": stated,
        "domain": "own",
        "notion": "pure",
        "values": {"epsilon": "e"},
    }
    base = {
        "kind": "records",
        "shown": "",
        "of": "multisets",
        "size": ["any", None],
        "atoms": [["a", "a'"], ["b"]],
    }
    return reading.read(
        {
            "parameters": LETTERS,
            "databases": base | {key: others.pop(key) for key in [*others] if key in ("size", "least", "letter", "atoms")},
            "target": target or stated,
            "mechanisms": [one | {"sampled": {"page": page, "values": given}} | others],
        }
    )  # fmt: skip


def of(made: Setting) -> tuple[Any, Setting, Any]:
    return made.mechanisms[0], made, told.THEORY


EXACTLY, AT_LEAST = {"size": ["exactly", 4]}, {"least": 4}
LETTERED = {"size": ["exactly", 4], "letter": "n"}


@pytest.mark.parametrize(
    "made",
    [
        setting(POISSON, U, s="s"),
        setting(POISSON, U, s="0"),
        setting(POISSON, U, s="1"),
        setting(POISSON, U, reads=[0], s="1/3"),
        setting(REPLACED, B, s="s"),
        setting(REPLACED, EITHER, s="s"),
        setting(FIXED, B, more=EXACTLY, m="4", n="4"),
        setting(FIXED, B, more=EXACTLY, reads=[0], m="1", n="4"),
        setting(FIXED, B, more=LETTERED, m="4", n="n"),
        setting(DRAWS, B, more=EXACTLY, m="9", n="4"),
        setting(DRAWS, B, more=EXACTLY, m="m", n="4"),
        setting(ANY_NUMBER, U, more=AT_LEAST, m="4", n="4"),
        setting(ANY_REPLACED, B, more=AT_LEAST, m="4", n="4"),
    ],
)
def test_what_fits_a_page(made: Setting) -> None:
    assert samples.head_of(*of(made)).id == made.mechanisms[0].sampled.page  # type: ignore[union-attr]


OTHERS, NO_COUNT, TOO_MANY = (
    "stated for other neighbours",
    "no whole number from 1",
    "is not seen to be at most",
)


@pytest.mark.parametrize(
    "made, words",
    [
        (setting(POISSON, U, m="1"), "is about s, not m"),
        (setting(POISSON, U, s="1/2", m="1"), "is about s, not"),
        (setting(POISSON, U, s="-1/9"), "not seen to be a probability"),
        (setting(POISSON, U, s="10/9"), "not seen to be a probability"),
        (setting(POISSON, U, s="t"), "not seen to be a probability"),
        (setting(POISSON, B, s="s"), OTHERS),
        (setting(POISSON, EITHER, s="s"), OTHERS),
        (setting(POISSON, U | {"steps": 2}, s="s"), OTHERS),
        (setting(POISSON, U | {"times": "m"}, s="s"), OTHERS),
        (setting(POISSON, ANY, s="s"), OTHERS),
        (setting(REPLACED, U, s="s"), OTHERS),
        (setting(REPLACED, B, reads=[0], s="s"), "one comes or goes where another is replaced"),
        (setting(FIXED, U, more=EXACTLY, m="2", n="4"), OTHERS),
        (setting(FIXED, B, more=EXACTLY, m="5", n="4"), f"5 {TOO_MANY} 4"),
        (setting(FIXED, B, more=EXACTLY, m="3/2", n="4"), NO_COUNT),
        (setting(FIXED, B, more=EXACTLY, m="0", n="4"), NO_COUNT),
        (setting(FIXED, B, more=EXACTLY, m="2", n="5"), "not all databases have 5 records"),
        (setting(FIXED, B, more={"size": ["at most", 4]}, m="2", n="4"), "not all databases have 4 records"),
        (setting(FIXED, B, more=LETTERED, m="m", n="n"), TOO_MANY),
        (setting(DRAWS, B, m="2", n="4"), "not all databases have 4 records"),
        (setting(DRAWS, B, more={"size": ["exactly", 0]}, m="2", n="0"), "not all databases have 0 records"),
        (setting(ANY_NUMBER, U, more=AT_LEAST, m="5", n="4"), f"5 {TOO_MANY} 4"),
        (setting(ANY_NUMBER, U, more=AT_LEAST, m="1", n="3"), "3 is not the least number of records"),
        (setting(ANY_NUMBER, U, more=AT_LEAST, m="3/2", n="4"), NO_COUNT),
        (setting(ANY_NUMBER, U, more=AT_LEAST, reads=[0], m="1", n="4"), "how many others there are"),
    ],
)
def test_what_does_not_fit(made: Setting, words: str) -> None:
    with pytest.raises(NoSample) as refused:
        samples.head_of(*of(made))
    assert words in str(refused.value)


def test_what_a_page_makes_of_a_guarantee() -> None:
    def values(made: Setting, what: Any = samples.amplified) -> dict[str, str]:
        return {key: formulas.to_text(value) for key, value in what(*of(made)).items()}

    one = setting(POISSON, U, s="1/3")
    assert values(one) == {
        "epsilon": formulas.to_text(formulas.parse("log(1 + 1/3*(exp(e) - 1))", one.symbols))
    }
    assert values(one, samples.turned) == {
        "epsilon": formulas.to_text(formulas.parse("-log(2/3 + exp(-e)/3)", one.symbols))
    }
    plain = replace(one.mechanisms[0], sampled=None)
    assert samples.amplified(plain, one, told.THEORY) == {"epsilon": one.symbols["e"]}
    endless = {"notion": "approximate", "values": {"epsilon": "oo", "delta": "d"}}
    assert {*samples.amplified(*of(setting(POISSON, U, more=endless, s="s"))).values()} == {INFINITY}
    for what, words in (
        (samples.amplified, "M satisfies in other privacy"),
        (samples.turned, "can lose in other"),
    ):
        with pytest.raises(NoSample, match=words):
            what(*of(setting(POISSON, U, more={"notion": "other"}, s="s")))
    with pytest.raises(NoSample, match="M can lose in pure privacy"):
        samples.turned(*of(setting(FIXED, B, more=EXACTLY, m="2", n="4")))
    rates = [samples.rate_of(plain, one, told.THEORY), samples.rate_of(*of(one))]
    assert rates == [None, number(Fraction(1, 3))]
    assert samples.rate_of(*of(setting(FIXED, B, more=EXACTLY, m="3", n="4"))) == number(Fraction(3, 4))
    assert samples.rate_of(*of(setting(DRAWS, B, more=EXACTLY, m="3", n="4"))) is None


def type(D: str, E: str) -> Type:
    """Neighbours by the letters of their records."""
    return Type((), frozenset(), (tuple(D), tuple(E)))


def head(page: str) -> Any:
    return told.THEORY.page(page, "sampling").head


@pytest.mark.parametrize(
    "D, E, steady, replaced",
    [("a", "", True, False), ("", "ab", True, False), ("aab", "a", True, False), ("a", "b", False, True), ("a", "a", False, True), ("ab", "cc", False, True), ("aa", "b", False, False)],
)  # fmt: skip
def test_neighbours_at_which_further_steps_lose_as_much(D: str, E: str, steady: bool, replaced: bool) -> None:
    """Where all that differ come, on a Poisson sample; wherever records are replaced, as each loses the same."""
    assert samples.is_steady(head(POISSON), type(D, E)) is steady
    assert samples.is_steady(head(REPLACED), type(D, E))
    assert not samples.is_steady(head(FIXED), type(D, E))
    assert samples.is_replaced(head(REPLACED), type(D, E)) is replaced
    assert samples.is_replaced(head(POISSON), type(D, E)) and samples.is_replaced(head(FIXED), type(D, E))


def test_how_many_records_only_one_of_two_databases_has() -> None:
    poisson, replaced = setting(POISSON, U, s="s"), setting(REPLACED, B, s="s")
    any_number = setting(ANY_NUMBER, U, more=AT_LEAST, m="2", n="4")
    half, m = number(Fraction(1, 2)), letter("m")
    for made, r, known, lost, own in (
        (replaced, number(3), None, False, (3, 3)),
        (replaced, ONE, (1, 0), False, (1, 1)),
        (replaced, half, None, False, None),
        (replaced, m, None, True, None),
        (poisson, ONE, None, False, (0, 1)),
        (poisson, number(2), None, True, None),
        (poisson, number(2), (2, 0), False, (2, 0)),
        (setting(POISSON, U, B, s="s"), ONE, None, False, None),
        (setting(POISSON, U, B, s="s"), ONE, None, True, (0, 1)),
        (setting(POISSON, U, U | {"steps": 2}, s="s"), ONE, None, False, None),
        (any_number, ONE, (1, 0), False, (0, 1)),
        (any_number, number(2), (1, 0), False, None),
        (setting(FIXED, B, more=EXACTLY, m="2", n="4"), ONE, (1, 1), False, None),
        (setting(FIXED, B, more=EXACTLY, m="2", n="4"), ONE, None, True, (0, 1)),
    ):
        assert samples.own(*of(made), r, known, lost) == own


def test_a_record_that_is_replaced_may_be_the_only_one() -> None:
    """Of databases with one record; or where it only goes or comes."""
    for least, alone in ((0, True), (1, True), (2, False)):
        assert samples.is_alone(*of(setting(REPLACED, B, more={"least": least}, s="s"))) is alone
        assert samples.is_alone(*of(setting(POISSON, U, more={"least": least}, s="s")))
    assert samples.is_alone(*of(setting(REPLACED, B, more={"size": ["exactly", 1]}, s="s")))
    assert not samples.is_alone(*of(setting(REPLACED, B, more={"size": ["exactly", 2]}, s="s")))


def test_all_samples_lose_what_they_can_at_once() -> None:
    """Where neighbours are those of the page, and there are two records."""
    one, two, both = {"atoms": [["a"]]}, {"atoms": [["a", "a'"]]}, {"atoms": [["a"], ["b"]]}
    for atoms, seen in ((one, False), (two, True), (both, True)):
        assert samples.is_same_way(*of(setting(POISSON, U, more=atoms, s="s"))) is seen
    for made, at, seen in (
        (setting(POISSON, U, B, s="s"), None, False),
        (setting(POISSON, U, U | {"steps": 2}, s="s"), None, False),
        (setting(POISSON, U, U | {"steps": 2}, s="s"), type("aa", ""), True),
        (setting(POISSON, U, U | {"steps": 2}, s="s"), type("a", "b"), False),
        (setting(POISSON, U, U | {"times": "m"}, s="s"), type("aa", ""), False),
        (setting(POISSON, U, EITHER, s="s"), type("a", ""), False),
        (setting(REPLACED, B, EITHER, s="s"), type("a", "b"), True),
        (setting(REPLACED, B, EITHER, s="s"), type("a", ""), False),
        (setting(REPLACED, B, EITHER, s="s"), None, False),
        (setting(REPLACED, B, EITHER | {"steps": 2}, s="s"), type("a", "b"), False),
        (setting(REPLACED, B, EITHER, more={"size": ["at most", 9]}, s="s"), type("a", "b"), False),
        (setting(REPLACED, B, EITHER, more={"least": 1}, s="s"), type("a", "b"), False),
    ):
        assert samples.is_same_way(*of(made), at) is seen


def test_groups_whose_records_come_and_go_are_told_by_a_cover() -> None:
    for made, seen in (
        (setting(POISSON, U, U | {"steps": 2}, s="s"), True),
        (setting(POISSON, U, s="s"), False),
        (setting(POISSON, U, U | {"times": "m"}, s="s"), False),
        (setting(POISSON, U, U | {"steps": 2}, more={"least": 1}, s="s"), False),
        (setting(POISSON, U, U | {"steps": 2}, more={"size": ["at most", 9]}, s="s"), False),
        (setting(REPLACED, B, B | {"steps": 2}, s="s"), False),
        (setting(ANY_NUMBER, U, U | {"steps": 2}, more=AT_LEAST, m="2", n="4"), False),
    ):
        assert samples.is_told(*of(made)) is seen
