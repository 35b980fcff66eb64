"""Forged mechanisms: locations, tables of probabilities, and studies in a study."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from forged_results.edits import Edit, by, claimed, core, remove, set_at, stamped, step, together, without

PLACE, TABLE, STUDY = (
    "problems/67-locations",
    "problems/46-checked-on-tables",
    "problems/78-a-study-in-a-study",
)
ROUNDED = "problems/101-published-after-rounding"
FILTERED = "problems/177-analysts-with-filters"
SAMPLED, SURVEY = "pages/samplings/poisson-sampling", "pages/samplings/fixed-size-sampling"
VISITS, VISITOR = "problems/190-places-that-nobody-listed", "problems/226-a-visitor-in-place-of-another"
ROWS = "problems/256-tables-in-every-notion"
BIT, COUNTIES = "pages/queries/bit", "problems/92-modify-within-a-county"


def swapped(data: Any) -> None:
    """The steps of a study for those of another setting."""
    by(data, "study")["derivation"], by(data, "one_by_one")["derivation"] = (
        by(data, "one_by_one")["derivation"],
        by(data, "study")["derivation"],
    )


def inner(rule: str, *path: Any, to: Any) -> Edit:
    """Changes the setting of a study, and its own hash and that of the whole with it."""

    def edit(data: Any) -> None:
        at = data["core"]["mechanisms"][0]["study"] if rule == "study" else data["core"]["flat"]
        set_at(*path, to=to)(at)
        text = json.dumps(at, sort_keys=True, separators=(",", ":"))
        for one in data["derivation"]["steps"]:
            if one["rule"] == rule:
                one["derivation"]["setting"] = hashlib.sha256(text.encode()).hexdigest()

    return stamped(edit)


FORGERIES: dict[str, tuple[str, Edit]] = {
    "a smaller disc": (PLACE, core("mechanisms", 0, "noise", "query", "values", "w", to="w/2")),
    "a location of two records": (PLACE, core("mechanisms", 0, "reads", 0, to=[0, 1])),
    "a location with another noise": (
        PLACE,
        stamped(
            set_at("core", "mechanisms", 0, "noise", "parameter", to="2*w/e1"),
            set_at("core", "mechanisms", 0, "values", "epsilon", to="e1/(2*w)"),
        ),
    ),
    "a histogram that moves less": (PLACE, core("mechanisms", 1, "noise", "query", "page", to="count")),
    "a row of another table": (
        TABLE,
        core("mechanisms", 1, "table", "rows", 0, to=["1/3", "2/3"]),
    ),
    "a table without its guarantee": (
        TABLE,
        stamped(
            set_at("core", "mechanisms", 1, "values", "epsilon", to="log(2)"),
            set_at("problem", "mechanisms", 1, "guarantee", "epsilon", to="log(2)"),
        ),
    ),
    "a table that adds up to more": (
        TABLE,
        stamped(
            set_at("core", "mechanisms", 1, "table", "rows", 0, to=["1/2", "3/4"]),
            set_at("core", "mechanisms", 1, "table", "rows", 3, to=["1/2", "3/4"]),
            set_at("problem", "tables", "of M2", "rows", "second", to=["1/2", "3/4"]),
            set_at("problem", "tables", "of M2", "rows", "both", to=["1/2", "3/4"]),
        ),
    ),
    "a table that tells more than is read": (
        TABLE,
        stamped(
            set_at("core", "mechanisms", 1, "table", "rows", 0, to=["1/2", "1/2"]),
            set_at("problem", "tables", "of M2", "rows", "both", to=["1/2", "1/2"]),
        ),
    ),
    "a table of other inputs": (
        TABLE,
        stamped(
            lambda data: data["core"]["mechanisms"][0]["table"]["rows"].reverse(),
        ),
    ),
    "a table that is given": (TABLE, step("table", 1, "rule", to="given")),
    "a table that is not there": (TABLE, remove("problem", "mechanisms", 0, "table")),
    "a table that loses less": (
        TABLE,
        stamped(
            set_at("core", "mechanisms", 1, "table", "rows", to=[["1/2", "1/2"]] * 4),
            set_at(
                "problem",
                "tables",
                "of M2",
                "rows",
                to={name: ["1/2", "1/2"] for name in ("nobody", "first", "second", "both")},
            ),
        ),
    ),
    "a function of outputs that the problem has not": (
        ROUNDED,
        remove("problem", "mechanisms", 1, "post-processing"),
    ),
    "a function of outputs that is left out": (
        ROUNDED,
        stamped(remove("core", "mechanisms", 1, "processed")),
    ),
    "a function of outputs without its page": (ROUNDED, remove("derivation", "pages", "post-processing")),
    "a filter that the problem has not": (FILTERED, remove("problem", "mechanisms", 1, "filter")),
    "a filter that is left out": (FILTERED, stamped(remove("core", "mechanisms", 1, "filtered"))),
    "a filter without its page": (FILTERED, remove("derivation", "pages", "filters")),
    "a filter with a smaller total": (
        FILTERED,
        set_at("problem", "mechanisms", 1, "filter", "epsilon", to="e2/2"),
    ),
    "a sample with a smaller rate": (SAMPLED, core("mechanisms", 0, "sampled", "values", "s", to="s/2")),
    "a sample with a smaller rate in the problem": (
        SAMPLED,
        set_at("problem", "mechanisms", 0, "sampled", "poisson", to="s/2"),
    ),
    "a sample that the problem has not": (SAMPLED, remove("problem", "mechanisms", 0, "sampled")),
    "a sample that is left out": (SAMPLED, stamped(remove("core", "mechanisms", 0, "sampled"))),
    "a sample by another page": (
        SURVEY,
        core("mechanisms", 0, "sampled", "page", to="sampling-with-replacement"),
    ),
    "a sample without its page": (SAMPLED, remove("derivation", "pages", "poisson-sampling")),
    "a sample of fewer records": (SURVEY, core("mechanisms", 0, "sampled", "values", "m", to="1/10")),
    "a sample of more records than there are": (
        SURVEY,
        together(
            core("mechanisms", 0, "sampled", "values", "m", to="20"),
            set_at("problem", "mechanisms", 0, "sampled", "fixed", 0, to="20"),
        ),
    ),
    "a sample of databases of another size": (
        SURVEY,
        together(
            core("mechanisms", 0, "sampled", "values", "n", to="100"),
            set_at("problem", "mechanisms", 0, "sampled", "fixed", 1, to="100"),
        ),
    ),
    "a sample for other neighbours": (
        SAMPLED,
        together(
            core("mechanisms", 0, "stated", "single", to=[[1, 1]]),
            set_at("problem", "mechanisms", 0, "guarantee", "granularity", to="bounded"),
        ),
    ),
    "a study that is given": (
        STUDY,
        together(without("study", 1, "derivation"), step("study", 1, "rule", to="given")),
    ),
    "a study with the steps of another setting": (STUDY, swapped),
    "a study of other records": (
        STUDY,
        set_at("problem", "studies", "minors", "databases", "records", to=["child", "teen", "adult"]),
    ),
    "a study with another target": (
        STUDY,
        set_at("problem", "studies", "minors", "target", "granularity", to="bounded"),
    ),
    "a study with another mechanism": (
        STUDY,
        inner("study", "mechanisms", 0, "values", "epsilon", to="e1/2"),
    ),
    "a study with another class": (STUDY, inner("study", "databases", "atoms", to=[["child", "teen"]])),
    "a study that is asked for less": (
        STUDY,
        stamped(
            set_at("core", "mechanisms", 0, "stated", "single", to=[[1, 1]]),
            set_at("problem", "mechanisms", 0, "guarantee", "granularity", to="bounded"),
        ),
    ),
    "mechanisms one by one on another domain": (
        STUDY,
        inner("one_by_one", "mechanisms", 0, "domain", to="own"),
    ),
    "a mechanism that reads more, one by one": (
        STUDY,
        inner("one_by_one", "mechanisms", 2, "reads", 0, to=[0, 1]),
    ),
    "a step of a study left out": (STUDY, remove("derivation", "steps", 0, "derivation", "steps", 4)),
    "a smaller number for the largest": (
        BIT,
        together(
            set_at("problem", "claims", 0, "epsilon", to="log(2)"),
            set_at("claims", 0, "claim", "epsilon", to="log(2)"),
            step("weaken", 1, "claim", "epsilon", to="log(2)"),
            step("weaken", 1, "certificates", "epsilon", "difference", to="log(2) - max(log(2), log(3))"),
            step(
                "weaken",
                1,
                "certificates",
                "epsilon",
                "proof",
                "cases",
                to=[["log(2)", {"rest": "0"}], ["log(3)", {"rest": "log(2) - log(3)"}]],
            ),
        ),
    ),
    "the largest number left out": (
        BIT,
        step(
            "weaken",
            1,
            "certificates",
            "epsilon",
            "proof",
            "cases",
            to=[["log(2)", {"rest": "log(3) - log(2)"}]],
        ),
    ),
    "a maximum of four that is larger": (
        COUNTIES,
        claimed(2, "epsilon", "max(22*a, b, c, v)"),
    ),
    "a threshold that the problem has not": (
        VISITS,
        set_at("problem", "mechanisms", 0, "noise", "threshold", to="s"),
    ),
    "a threshold below the amounts": (
        VISITS,
        together(
            set_at("problem", "mechanisms", 0, "noise", "threshold", to="s"),
            core("mechanisms", 0, "noise", "besides", "tau", to="s"),
        ),
    ),
    "a number of places that is not whole": (
        VISITS,
        together(
            set_at("problem", "mechanisms", 0, "query", "keys", to="5/2"),
            core("mechanisms", 0, "noise", "query", "values", "L", to="5/2"),
        ),
    ),
    "places, a smaller delta": (VISITS, claimed(1, "delta", "1 - (1 - exp(-e*s/3)/2)**2")),
    "places, a delta that is right": (VISITS, claimed(3, "delta", "1 - (1 - exp(-e*s/3)/2)**3")),
    "places, an epsilon that is right": (VISITS, claimed(4, "epsilon", "e")),
    "places in the notion of noise alone": (VISITS, step("attain", 1, "notion", to="approximate")),
    "a visitor for another, a smaller delta": (VISITOR, claimed(1, "delta", "exp(-s*e)/3")),
    "a visitor for another, a smaller epsilon": (VISITOR, claimed(1, "epsilon", "e")),
    "a choice of what is replaced, a smaller rho": (
        "pages/noises/exponential",
        claimed(2, "rho", "e**2/9"),
    ),
    "rows in zCDP, a smaller rho": (ROWS, claimed(3, "rho", "7/10")),
    "rows in zCDP, a rho that holds": (ROWS, claimed(4, "rho", "3/4")),
    "rows, a smaller divergence": (ROWS, claimed(5, "epsilon", "min(7*alpha/10, log(9))")),
    "rows, a smaller divergence of large orders": (ROWS, claimed(5, "epsilon", "min(3*alpha/4, log(5))")),
    "rows, a divergence that holds": (ROWS, claimed(6, "epsilon", "3/2")),
    "rows in tCDP, a smaller rho": (ROWS, claimed(7, "rho", "7/10")),
    "rows in Gaussian privacy, a smaller mu": (ROWS, claimed(8, "mu", "1")),
    "rows in Gaussian privacy, a mu that holds": (ROWS, claimed(9, "mu", "7/5")),
    "rows of no neighbours": (ROWS, step("against_rows", 2, "databases", to=[0, 2])),
    "rows, a delta that is least": (ROWS, claimed(1, "delta", "1/6")),
    "rows together, a smaller rho": ("pages/shapes/rows", claimed(1, "rho", "1/2")),
}
