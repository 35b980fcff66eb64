"""What witnesses lose on samples: of which mechanisms, at which steps, and all the same way."""

from __future__ import annotations

from typing import Any

import pytest
from kernel.composition.test_witnesses import HALF, ONCE, Z, about, head, loss, mechanism, of

from dpcompose.kernel.composition import samples
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.composition.witnesses import Witnesses
from dpcompose.kernel.expressions.terms import ONE, ZERO, number


@pytest.mark.parametrize(
    ("other", "known"),
    [
        ({}, True),
        ({"notion": "other"}, False),
        ({"says_nothing": True}, False),
        ({"attained": ()}, False),
        ({"second": mechanism(noise=1)}, False),
        ({"second": mechanism(table=1)}, False),
        ({"unlimited": {1}}, False),
        ({"unlimited": {2}}, True),
        ({"in_the_limit": False}, False),
        ({"same_way": False}, False),
        ({"r": number(2)}, False),
        ({"r": number(2), "steady": True}, True),
        ({"r": number(2), "steady": True, "by": "noise"}, False),
        ({"r": number(2), "steady": True, "turned": ()}, False),
        ({"r": number(2), "steady": True, "same_way": False}, False),
        ({"r": HALF, "steady": True}, False),
        ({"r": number(2), "replaced": True}, False),  # beside another one
        ({"r": number(2), "replaced": True, "alone": True}, True),
        ({"r": number(2), "replaced": True, "alone": True, "many": 2}, False),
        ({"r": HALF, "replaced": True, "alone": True}, False),
        ({"r": number(2), "replaced": True, "alone": True, "by": "noise"}, False),
        ({"r": number(2), "alone": True}, False),
        ({"same_way": False, "replaced": True, "alone": True}, True),
    ],
)
def test_what_is_lost_on_samples(other: dict[str, Any], known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two on samples at one step, all the same way; steadily at more; or one alone, once, where it is replaced."""
    case: dict[str, Any] = {
        "notion": "own",
        "says_nothing": False,
        "attained": ("own",),
        "by": "ratio",
        "turned": ("own",),
    }
    case |= {"unlimited": (), "in_the_limit": True, "same_way": True, "steady": False, "replaced": False}
    case |= {"r": ONE, "many": 1, "alone": False, "second": mechanism(sampled=1)} | other
    page = of(attained=case["attained"], turned=case["turned"])
    monkeypatch.setattr(samples, "head_of", lambda *_: page)
    monkeypatch.setattr(samples, "is_steady", lambda *_: case["steady"])
    monkeypatch.setattr(samples, "is_same_way", lambda *_: case["same_way"])
    monkeypatch.setattr(samples, "is_replaced", lambda *_: case["replaced"])
    moves = ((1, ((case["many"], case["r"]),)), (2, ONCE))
    asked = about(
        mechanism(sampled=1),
        case["second"],
        moves=moves[:1] if case["alone"] else moves,
        losses=[loss(case["notion"], case["says_nothing"]), loss("third")],
        unlimited=case["unlimited"],
        page=head(notion="own", by=case["by"]),
        theory=None,
        _is_lost_in_the_limit=lambda i: case["in_the_limit"],
    )
    if known:
        Witnesses._check_sampled(asked, 1)
    else:
        with pytest.raises(NoLoss, match="run on a sample"):
            Witnesses._check_sampled(asked, 1)


def test_all_that_are_sampled_lose_what_they_can_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two that does not is enough."""
    first, second = mechanism(sampled=1), mechanism(sampled=2)
    monkeypatch.setattr(samples, "head_of", lambda *_: of(attained=("own",), turned=()))
    monkeypatch.setattr(samples, "is_steady", lambda *_: False)
    monkeypatch.setattr(samples, "is_replaced", lambda *_: False)
    asked = about(
        *(first, second),
        moves=((1, ONCE), (2, ONCE)),
        losses=[loss("own"), loss("own")],
        page=head(notion="own", by="ratio"),
        theory=None,
        _is_lost_in_the_limit=lambda i: True,
    )
    monkeypatch.setattr(samples, "is_same_way", lambda *_: True)
    Witnesses._check_sampled(asked, 1)
    for wrong in (first, second):
        monkeypatch.setattr(samples, "is_same_way", lambda made, *_, wrong=wrong: made is not wrong)
        with pytest.raises(NoLoss, match="run on a sample"):
            Witnesses._check_sampled(asked, 1)


def test_divergences_of_samples_are_lost_in_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a sample may have what is different, and beside what is stated in the same notion."""

    def lost(rate: Any, by: str = "noise", other: str = "own") -> bool:
        monkeypatch.setattr(samples, "rate_of", lambda *_: rate)
        asked = about(
            *(mechanism(sampled=1), mechanism(), mechanism()),
            setting=of(assumed=()),
            moves=((1, ONCE), (2, ONCE)),
            losses=[loss("own"), loss(other), loss("third")],
            page=head(notion="own", by=by),
            theory=None,
            _mechanism=lambda i: mechanism(sampled=1),
        )
        return Witnesses._is_lost_in_the_limit(asked, 1)

    assert lost(None) and lost(HALF) and lost(ZERO, by="ratio") and lost(HALF, "ratio", "other")
    assert not lost(ZERO) and not lost(Z) and not lost(None, other="other") and not lost(HALF, other="other")
