"""Forged results about chains of databases, and about tables that show that nothing less holds."""

from __future__ import annotations

from typing import Any

from forged_results.edits import Edit, core, every_step, set_at, step
from forged_results.in_metrics import said

NIGHTS, EXAMPLE = "problems/295-nearest-stays", "pages/shapes/chains"


def delta(n: int, text: str) -> Edit:
    """Changes the delta of the n-th claim wherever it stands."""

    def edit(data: Any) -> None:
        old = dict(data["stated"][n - 1])
        places = [data["problem"]["claims"][n - 1], data["stated"][n - 1], data["claims"][n - 1]["claim"]]
        places += [one["claim"] for one in every_step(data["derivation"]) if one.get("claim") == old]
        for one in places:
            one["delta"] = text

    return edit


FORGERIES: dict[str, tuple[str, Edit]] = {
    "a way that is none": (NIGHTS, step("along", 1, "chains", 0, to=[1, 0, 3])),
    "a way there, and none back": (NIGHTS, step("along", 1, "chains", to=[[1, 0, 1, 3]])),
    "a way of nobody": (NIGHTS, step("along", 1, "chains", 0, to=[2, 0, 1, 3])),
    "a way by no database": (NIGHTS, step("along", 1, "chains", 0, to=[1, 0, 4, 3])),
    "a way that begins elsewhere": (NIGHTS, step("along", 1, "chains", 0, to=[1, 2, 1, 3])),
    "a way from no mechanisms": (NIGHTS, step("along", 1, "from", to=[3])),
    "less than the way is long": (NIGHTS, said(2, "9*s/2", epsilon="9*s/2")),
    "links whose deltas add up": (NIGHTS, delta(2, "5*q")),
    "one order of the links only": (NIGHTS, delta(2, "2*q + 3*q*exp(2*s)")),
    "another order of the links": (NIGHTS, delta(2, "3*q + 2*q*exp(2*s)")),
    "a delta just too small": (EXAMPLE, delta(2, "43/100")),
    "refuted, and kept along the way": (EXAMPLE, delta(3, "2159/5000")),
    "refuted, and kept by the rows": (NIGHTS, delta(3, "1/2")),
    "rows that lose more": (NIGHTS, step("against_rows", 1, "tables", "1", 3, to=["1/2", "1/2"])),
    "rows that tell nights apart": (
        NIGHTS,
        step("against_rows", 1, "tables", "1", 1, to=["199/200", "1/200"]),
    ),
    "rows that are no probabilities": (
        NIGHTS,
        step("against_rows", 1, "tables", "1", 3, to=["1/2", "403/1000"]),
    ),
    "a row less": (
        NIGHTS,
        step("against_rows", 1, "tables", "1", to=[["999/1000", "1/1000"], ["49/50", "1/50"]]),
    ),
    "rows of somebody else": (NIGHTS, step("against_rows", 1, "tables", to={"2": [["1", "0"]] * 4})),
    "rows the other way": (NIGHTS, step("against_rows", 1, "databases", to=[0, 3])),
    "rows of one database": (NIGHTS, step("against_rows", 1, "databases", to=[3, 3])),
    "a point at which more is claimed": (NIGHTS, step("against_rows", 1, "point", "q", to="1/10")),
    "a point at which less is promised": (NIGHTS, step("against_rows", 1, "point", "s", to="1/2")),
    "nights that are told apart": (
        NIGHTS,
        set_at("problem", "maps", "told", "table", "second night", to="late"),
    ),
    "a nearer night": (NIGHTS, set_at("problem", "metrics", "d", "table", 0, 2, to="1")),
    "nights that are further": (
        NIGHTS,
        core("distances", "d__d_1_common", "input", "stated", "lengths", to=["3", "3", "0"]),
    ),
    "a week that is nearer by night": (
        NIGHTS,
        core("distances", "d__d_2_common", "input", "stated", "lengths", 0, to="5"),
    ),
    "a delta that grows less": (NIGHTS, set_at("problem", "mechanisms", 0, "guarantee", "delta", to="q*d/2")),
}
