"""By which page a mechanism is a witness, and what it loses by that: its own notion's, or one on what it can lose."""

from __future__ import annotations

from typing import Any

import pytest
from kernel.composition.test_witnesses import ONCE, TAU, D, K, about, head, loss, mechanism, of

from dpcompose.kernel.composition import witnesses
from dpcompose.kernel.composition.losses import Loss, NoLoss
from dpcompose.kernel.composition.witnesses import Witnesses
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import INFINITY, ONE, number


def test_a_table_may_lose_more_the_other_way_round() -> None:
    """And something else loses as much."""

    def total(*made: Any, moves: Any = ((1, ONCE), (2, ONCE)), alone: Any = None) -> Any:
        asked = about(
            *made,
            moves=moves,
            _is_alone=lambda i: i == alone,
            _of_one=lambda: K,
            _one_way=lambda forth: D if forth else TAU,
        )
        return Witnesses._sum(asked)

    assert total(mechanism(), mechanism()) == D and total(mechanism(), mechanism(), alone=2) == K
    assert total(mechanism(), mechanism(table=1)) == terms.top(1, [D, TAU])
    assert total(mechanism(), mechanism(table=1), moves=((1, ONCE),)) == D


def test_events_of_single_steps_of_the_pages_own_notion() -> None:
    def single(*moves: Any) -> bool:
        losses = [loss("own"), loss("other"), loss("own")]
        return bool(
            Witnesses._single_steps.__get__(about(moves=moves, losses=losses, page=head(notion="own")))()
        )

    assert single((1, ONCE)) and single((1, ONCE), (3, ONCE)) and single()
    assert not single((2, ONCE)) and not single((1, ONCE), (2, ONCE))
    assert not single((1, ((1, number(2)),))) and not single((1, ((0, ONE),)))


def test_by_which_page_a_mechanism_is_a_witness() -> None:
    """By the notion's own one, or by one on what mechanisms of its notion can lose."""

    def page(i: int, free: bool = False, **known: Any) -> str:
        def first(kind: str, fits: Any, _: str) -> Any:
            return next(one for one in pages if fits(one))

        known = {"stated": None, "dealt": False} | known
        pages = [
            of(id=f"{notion} in own", head=of(of=notion, notion=to))
            for notion, to in (("p", "q"), ("p", "own"), ("r", "own"))
        ]
        asked = about(
            *(mechanism(**known), mechanism(**known), mechanism(**known)),
            losses=[loss("own"), loss("p"), loss("r")],
            moves=(),
            page=of(id="own page", head=of(notion="own", by="noise", shows="rho")),
            theory=of(first=first),
            _is_free=lambda i: free,
            type=of(moves=()),
        )
        return Witnesses._page(asked, i)

    assert [page(i) for i in (1, 2, 3)] == ["own page", "p in own", "r in own"] and page(
        3, True
    ) == "own page"
    for wrong, words in (
        ({"study": 1}, "is its study"),
        ({"metric": of(attained=lambda key: False)}, "not seen to be a metric that it attains"),
    ):
        with pytest.raises(NoLoss, match=words):
            page(1, **wrong)
    assert page(1, metric=of(attained=lambda key: key == "metric")) == "own page"


def test_parameters_are_at_most_their_limits() -> None:
    """delta of those that are meant is at most 1, if it is finite; nothing else is."""
    theory = of(rule=lambda notion: head(limits={"delta": 1} if notion == "own" else {}))

    def of_all(*values: Any, notion: str = "own", key: str = "delta", which: Any = (1,)) -> Any:
        some = [
            Loss(i, notion, (("epsilon", D), ("delta", value))) for i, value in enumerate(values, start=1)
        ]
        return [dict(one.values) for one in witnesses.limited(some, key, theory, which)]  # type: ignore[arg-type]

    at_most = terms.least(K, ONE)
    assert of_all(K, K) == [{"epsilon": D, "delta": at_most}, {"epsilon": D, "delta": K}]
    assert of_all(INFINITY) == [{"epsilon": D, "delta": INFINITY}]
    assert of_all(K, notion="other") == of_all(K, key="epsilon") == [{"epsilon": D, "delta": K}]


def test_what_one_loses_where_its_guarantee_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """∞ where one parameter is; else what the page says of its own notion, or another page of others."""

    def alone(r: Any = ONE, notion: str = "own", **values: Any) -> Any:
        asked = about(
            mechanism(),
            losses=[loss(notion, **values)],
            page=head(notion="own", distance="r*rho"),
            theory=None,
            is_by_divergence=lambda i: False,
            _is_ordered=False,
            _letters=lambda known: dict(known.values),
            _violating=lambda i, r, known: known["rho"] - r,
        )
        return Witnesses._alone(asked, 1, r, True)

    assert alone(rho=D, tau=INFINITY) == alone(rho=INFINITY, tau=D) == INFINITY
    assert alone(number(2), rho=D, tau=D) == 2 * D
    assert alone(number(2), "other", rho=D) == D - 2
