"""Forgeries of derivations about divergences of all orders, truncated privacy, deals, relations and tables."""

from __future__ import annotations

from typing import Any

from forged_results.edits import Edit, claimed, core, every_step, set_at, stamped, step

RENYI, HOUSEHOLDS = "problems/184-renyi-on-parts", "problems/187-renyi-for-households"
TRUNCATED, GROUPS = "problems/188-truncated-on-parts", "problems/207-truncated-for-households"
MOMENTS, LEDGER = "problems/294-orders-up-to-eight", "problems/185-renyi-at-one-order"


def limit(n: int, omega: str, tau: str) -> Edit:
    """Changes the omega of the n-th claim, and its inverse wherever that claim stands."""

    def edit(data: Any) -> None:
        claim = data["claims"][n - 1]["claim"]
        same = [one["claim"] for one in every_step(data["derivation"]) if one.get("claim") == claim]
        data["problem"]["claims"][n - 1]["omega"] = omega
        for one in (claim, *same):
            one["tau"] = tau

    return edit


FORGERIES: dict[str, tuple[str, Edit]] = {
    "a claim about more orders": (RENYI, set_at("claims", 0, "claim", "orders", to="(1, 9]")),
    "a smaller divergence": (RENYI, claimed(1, "epsilon", "alpha*max(x[i], i, 1, k)")),
    "a divergence of fewer orders stated for all": (
        RENYI,
        stamped(
            set_at("core", "mechanisms", 0, "orders", to="(1, 8]"),
            set_at("problem", "mechanisms", 0, "guarantee", "orders", to="(1, 8]"),
        ),
    ),
    "a guarantee of other orders than the problem's": (RENYI, core("mechanisms", 0, "orders", to="(1, 9]")),
    "other orders in a step": (RENYI, step("at_orders", 1, "orders", to="7")),
    "an order that is none in a point": (RENYI, step("refute", 1, "point", "alpha", to="1")),
    "a larger claim refuted at an order": (
        RENYI,
        claimed(3, "epsilon", "8*top(2, x[i], i, 1, k)"),
    ),
    "an order kept by two persons": (HOUSEHOLDS, step("at_orders", 1, "orders", to="3")),
    "a larger omega of parts": (TRUNCATED, limit(1, "max(v, w)", "min(1/v, 1/w)")),
    "another omega in the setting": (TRUNCATED, core("mechanisms", 0, "values", "tau", to="1/w")),
    "omega as its inverse": (TRUNCATED, core("mechanisms", 0, "values", "tau", to="v")),
    "heavy tails before their order": (
        GROUPS,
        limit(3, "1000/271", "271/1000"),
    ),
    "heavy tails for another parameter": (GROUPS, step("attain", 2, "key", to="rho")),
    "heavy tails at the last order": (MOMENTS, limit(4, "8", "1/8")),
    "orders beyond the last one": (MOMENTS, limit(2, "9", "1/9")),
    "moments up to an order as those of all": (MOMENTS, step("change", 1, "page", to="renyi-to-zcdp")),
    "an end of orders where there is none": (
        MOMENTS,
        stamped(
            set_at("core", "mechanisms", 0, "orders", to="(1, oo)"),
            set_at("problem", "mechanisms", 0, "guarantee", "orders", to="(1, oo)"),
        ),
    ),
    "a claim at an order of which something is known": (LEDGER, step("beyond", 1, "order", to="8")),
    "a claim at another order than it says": (LEDGER, step("beyond", 1, "claim", "orders", to="10")),
    "a claim at a later order by another page": (LEDGER, step("beyond", 1, "page", to="renyi-to-zcdp")),
    "a smaller claim at a later order": (LEDGER, step("beyond", 1, "claim", "epsilon", to="99")),
    "more than normal noise has lost": (
        LEDGER,
        claimed(6, "epsilon", "14/5"),
    ),
    "a claim that says nothing refuted": (GROUPS, limit(2, "1", "1")),
    "records of another family dealt": (
        "problems/181-records-dealt-at-random",
        core("mechanisms", 0, "dealt", to=False),
    ),
    "a deal of which nobody says": (
        "problems/181-records-dealt-at-random",
        set_at("problem", "mechanisms", 0, "reads", to="everything"),
    ),
    "a smaller delta of a deal": (
        "problems/181-records-dealt-at-random",
        claimed(1, "delta", "sum(d[i], i, 1, k)/k"),
    ),
    "a relation that nobody assumes": (
        "problems/153-textbook-normal-noise",
        set_at("problem", "assume", 0, to="e <= 2"),
    ),
    "a relation left out": ("problems/95-values-between-bounds", core("assumed", to=[["u", ">", "l"]])),
    "a letter eliminated by another relation": (
        "problems/95-values-between-bounds",
        step(
            "weaken", 2, "certificates", "epsilon", "eliminated", to=[[0, "u", "more_1"], [0, "e1", "more_2"]]
        ),
    ),
    "a point against what is assumed": (
        "problems/95-values-between-bounds",
        step("refute", 1, "point", "e2", to="1/1000"),
    ),
    "a table with a smaller delta": (
        "problems/200-pointwise-is-not-enough",
        stamped(
            set_at("core", "mechanisms", 0, "values", "delta", to="1/8"),
            set_at("problem", "mechanisms", 0, "guarantee", "delta", to="1/8"),
        ),
    ),
    "a limit without its certificate": (
        "problems/208-truncated-with-a-delta",
        step("change", 1, "chosen", to={"delta": "1/10**30"}),
    ),
}
