"""Deployment cards: read, judged for each unit and for each of those who get something, and written."""

from __future__ import annotations

import pytest

import dpcompose as dpc
from dpcompose.front.interop.cards import WrongCard

CARD = """\
format = 1
title = "Visits to two wards"
[databases]
kind = "multisets"
records = ["ann", "bob", "eve"]
[units]
"a visit" = "unbounded"
"who it was" = "bounded"
"five visits" = { group = 5, of = "unbounded" }
[[releases]]
what = "visits of ann"
to = ["the ward", "the city"]
unit = "a visit"
epsilon = 1
reads = { records = ["ann"] }
domain = "own"
[[releases]]
what = "visits of bob"
to = "the city"
unit = "a visit"
epsilon = 2
reads = { records = ["bob"] }
domain = "own"
[[releases]]
what = "noise on all"
query = "count"
noise = { laplace = "4" }
[[claims]]
unit = "who it was"
epsilon = 3
[[claims]]
unit = "a visit"
to = "the ward"
epsilon = "5/4"
"""

FOUND = """\
a visit, the ward: unbounded (5/4)-DP, by GB:IV.1; optimal
  claimed epsilon = 5/4: proved, and no smaller guarantee holds
a visit, the city: unbounded (9/4)-DP, by GB:IV.1; optimal
a visit, everyone: unbounded (1/4)-DP, by GB:IV.1; optimal
who it was, the ward: bounded 1-DP, by GB:IV.1; optimal
who it was, the city: bounded 3-DP, by GB:IV.1; optimal
  claimed epsilon = 3: proved, and no smaller guarantee holds
who it was, everyone: bounded 0-DP, by GB:IV.1; optimal
five visits, the ward: group of 5 unbounded (25/4)-DP, by GB:IV.1; optimal
five visits, the city: group of 5 unbounded (45/4)-DP, by GB:IV.1; optimal
five visits, everyone: group of 5 unbounded (5/4)-DP, by GB:IV.1; optimal"""


def test_a_card_for_each_unit_and_each_who_gets_something() -> None:
    assert str(dpc.card(CARD)) == FOUND


def test_a_card_with_what_is_found_is_read_again() -> None:
    card = dpc.card(CARD)
    again = dpc.card(card.to_toml())
    assert str(again) == str(card) and again.to_toml() == card.to_toml()
    assert again.text["found"][1] == {
        "unit": "a visit",
        "to": "the city",
        "guarantee": "unbounded (9/4)-DP, by GB:IV.1; optimal",
    }


def test_who_has_all_is_told_where_nobody_has() -> None:
    card = dpc.card(CARD.replace('["the ward", "the city"]', '"the ward"'))
    assert card.recipients == ("the ward", "the city", "everyone", "all together")
    assert [repr(one.guarantee) for one in card.found if one.to == "all together"] == [
        "unbounded (9/4)-DP, by GB:IV.1; optimal",
        "bounded 3-DP, by GB:IV.1; optimal",
        "group of 5 unbounded (45/4)-DP, by GB:IV.1; optimal",
    ]


def test_a_unit_that_the_class_has_not_is_told_so() -> None:
    card = dpc.card(CARD.replace('"five visits" = { group = 5, of = "unbounded" }', '"a link" = "edge"'))
    found = card.found[-1]
    assert found.guarantee is None and "edge" in found.reason
    assert card.data()["found"][-1] == {"unit": "a link", "to": "everyone", "reason": found.reason}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'unit = "who it was"',
            'unit = "a person"',
            "'a person' is no unit; there are a visit, who it was, five visits",
        ),
        ('what = "noise on all"\n', "", "release 3 does not say what it is"),
        (
            'to = "the city"\nunit = "a visit"\n',
            "",
            "'visits of bob' does not say for which unit its guarantee holds",
        ),
        (
            "epsilon = 2\n",
            'delta = "1e-6"\n',
            "'visits of bob' has no epsilon, delta, rho or mu that say a guarantee",
        ),
        (
            'to = "the ward"\nepsilon = "5/4"',
            'to = "the wrad"\nepsilon = 0',
            "nobody is 'the wrad'; there are the",
        ),
        ("[units]", '[target]\ngranularity = "bounded"\n[units]', "in place of target"),
        (
            "[[claims]]",
            '[[mechanisms]]\nname = "M"\n[[claims]]',
            r"a card has \[units\] and \[\[releases\]\] in place of mechanisms",
        ),
    ],
)
def test_wrong_cards(old: str, new: str, message: str) -> None:
    assert old in CARD
    with pytest.raises(WrongCard, match=message):
        card = dpc.card(CARD.replace(old, new, 1))
        card.problem("a visit")


@pytest.mark.parametrize(
    "name",
    ["01-bounded-parallel", "32-ambulances-approximate", "46-checked-on-tables", "97-visits-of-one-person"],
)
def test_a_study_as_a_card(name: str) -> None:
    study, _ = dpc.load(f"notebooks/problems/{name}.toml")
    card = dpc.card_of(study)
    found = next(iter(card.found))
    assert repr(found.guarantee) == repr(study.guarantee())
    assert dpc.card(card.to_toml()).found[0].data() == found.data()


ADAPTIVE = """\
format = 1
adaptive = true
[databases]
kind = "multisets"
[units]
"a visit" = "unbounded"
[[releases]]
what = "first"
to = "the ward"
unit = "a visit"
epsilon = 1
[[releases]]
what = "second"
to = "the public"
unit = "a visit"
epsilon = 0
[[releases]]
what = "third"
to = "the city"
unit = "a visit"
epsilon = 2
[[claims]]
to = "the public"
epsilon = 0
"""


def test_what_was_read_of_earlier_releases_is_got_with_the_later_ones() -> None:
    """The second release may be what the first one said: it loses nothing at any value of that."""
    card = dpc.card(ADAPTIVE)
    assert card.recipients == ("the ward", "the public", "the city")
    assert [one.guarantee.epsilon for one in card.found if one.guarantee is not None] == [1, 1, 3]
    ((_, answer),) = card.found[1].verdicts
    assert answer.verdict == "refuted"


def test_each_gets_their_own_where_releases_are_not_adaptive() -> None:
    card = dpc.card(ADAPTIVE.replace("adaptive = true\n", ""))
    found = [one.guarantee.epsilon for one in card.found if one.guarantee is not None]
    assert card.recipients[-1] == "all together" and found == [1, 0, 2, 3]


def test_units_of_guarantees_keep_their_names() -> None:
    study = dpc.compose(dpc.mechanism("M", dpc.pure(1, "unbounded")), on=dpc.multisets(), target="bounded")
    assert list(dpc.card_of(study, {"unbounded": "unbounded"}).units) == ["bounded", "unbounded"]
    with pytest.raises(WrongCard, match="'unbounded' is a unit already, and another one"):
        dpc.card_of(study, {"unbounded": "bounded"})
