"""Forged derivations: steps, certificates, points, pages and verdicts."""

from __future__ import annotations

from typing import Any

from forged_results.edits import Edit, by, remove, set_at, stamped, step, together, without


def smaller_claim(data: Any) -> None:
    """The claim e1 + e2 + e3 made e1 + e2, everywhere."""
    for claim in (
        data["problem"]["claims"][2],
        data["claims"][2]["claim"],
        by(data, "weaken", 2)["claim"],
        by(data, "loose")["claim"],
    ):
        assert claim["epsilon"] == "e1 + e2 + e3"
        claim["epsilon"] = "e1 + e2"


CERTIFICATE = ("certificates", "epsilon", "proof", "cases")
OTHER = "problems/47-claims-in-other-notions"
CALCULUS = ("certificates", "rho", "proof", "steps")
CHOSEN = ("certificates", "epsilon", "proof", "steps", 0, 2)
LARGER = "made/a claim with the larger of two"
NOTHING_LOST = "made/a guarantee that may be 0"
MADE = {
    LARGER: """format = 1
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M1"
guarantee = { notion = "pure", epsilon = "e1", granularity = "unbounded" }
[[mechanisms]]
name = "M2"
guarantee = { notion = "pure", epsilon = "e2", granularity = "unbounded" }
[[claims]]
notion = "pure"
epsilon = "e2 + exp(e1)*max(1, e2)"
""",
    NOTHING_LOST: """format = 1
[parameters]
x = "nonnegative"
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
guarantee = { notion = "tcdp", rho = "x", omega = "8", granularity = "unbounded" }
[[claims]]
notion = "tcdp"
rho = "x"
omega = "9"
[[claims]]
notion = "zcdp"
rho = "x"
""",
}
"""Problems that are written for forgeries."""
FORGERIES: dict[str, tuple[str, Edit]] = {
    "heavy tails of a mechanism that says nothing": (NOTHING_LOST, step("refute", 1, "point", "x", to="0")),
    "a loss without end where nothing is lost": (NOTHING_LOST, step("refute", 2, "point", "x", to="0")),
    "a smaller claim": ("problems/01-bounded-parallel", smaller_claim),
    "a claim changed in the result only": (
        "problems/01-bounded-parallel",
        set_at("claims", 2, "claim", "epsilon", to="e1 + e2"),
    ),
    "a bound claimed without its certificate": (
        "problems/01-bounded-parallel",
        step("weaken", 2, "certificates", to={}),
    ),
    "a step dropped": ("problems/01-bounded-parallel", remove("derivation", "steps", 4)),
    "a step from a later one": ("problems/01-bounded-parallel", step("worst", 1, "from", to=[4, 12])),
    "a mechanism left out": ("problems/01-bounded-parallel", step("compose", 1, "from", to=[1, 2])),
    "a mechanism twice": ("problems/01-bounded-parallel", step("given", 2, "i", to=1)),
    "a setting without its stamp": (
        "problems/01-bounded-parallel",
        set_at("core", "mechanisms", 0, "values", "epsilon", to="e2"),
    ),
    "a premise that the problem has not": (
        "problems/01-bounded-parallel",
        stamped(set_at("core", "mechanisms", 0, "values", "epsilon", to="e2")),
    ),
    "a premise changed in both": (
        "problems/01-bounded-parallel",
        stamped(
            set_at("core", "mechanisms", 0, "values", "epsilon", to="2*e1"),
            set_at("problem", "mechanisms", 0, "guarantee", "epsilon", to="2*e1"),
        ),
    ),
    "a guarantee moved to the own domain": (
        "problems/01-bounded-parallel",
        stamped(
            set_at("core", "mechanisms", 0, "domain", to="own"),
            set_at("problem", "mechanisms", 0, "guarantee", "domain", to="own"),
        ),
    ),
    "another target": (
        "problems/01-bounded-parallel",
        set_at("problem", "target", "granularity", to="unbounded"),
    ),
    "another target in the setting": (
        "problems/01-bounded-parallel",
        stamped(set_at("core", "target", "single", to=[[0, 1], [1, 0]])),
    ),
    "a parameter that may be below 0": (
        "problems/01-bounded-parallel",
        stamped(set_at("core", "parameters", "e1", to="real")),
    ),
    "a letter with another domain": (
        "problems/01-bounded-parallel",
        step("weaken", 2, "certificates", "epsilon", "letters", "e1", to="real"),
    ),
    "a case dropped": (
        "problems/01-bounded-parallel",
        without("weaken", 2, *CERTIFICATE, 0),
    ),
    "a rest changed": (
        "problems/01-bounded-parallel",
        step("weaken", 2, *CERTIFICATE, 0, 1, "rest", to="e2"),
    ),
    "a weight changed": (
        "problems/14-replacement-from-unbounded",
        step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 0, 1, to="1/3"),
    ),
    "a mixture of other weights": (
        "problems/14-replacement-from-unbounded",
        together(
            step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 0, 1, to="3/4"),
            step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 1, 1, to="1/4"),
            step("weaken", 1, *CERTIFICATE, 0, 1, "rest", to="e1/2 - e2/2"),
        ),
    ),
    "a negative weight": (
        "problems/14-replacement-from-unbounded",
        together(
            step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 0, 1, to="3/2"),
            step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 1, 1, to="-1/2"),
        ),
    ),
    "a difference changed": (
        "problems/18-any-number-of-districts",
        step(
            "weaken",
            2,
            "certificates",
            "epsilon",
            "difference",
            to="3*max(e[i], i, 1, k) - top(2, e[i], i, 1, k)",
        ),
    ),
    "rays changed": (
        "problems/18-any-number-of-districts",
        step("weaken", 2, "certificates", "epsilon", "proof", "difference", to="2*r0_1"),
    ),
    "a witness moved": ("problems/19-order-based", step("refute", 1, "point", "e2", to="1")),
    "a witness outside": ("problems/19-order-based", step("refute", 1, "point", "e2", to="-1")),
    "a witness without a letter": (
        "problems/19-order-based",
        without("refute", 1, "point", "e2"),
    ),
    "a member that is not there": (
        "problems/18-any-number-of-districts",
        lambda data: by(data, "refute")["point"].update({"e[3]": "1"}),
    ),
    "a verdict flipped": ("problems/01-bounded-parallel", set_at("claims", 0, "verdict", to="proved")),
    "a proof taken for a refutation": (
        "problems/01-bounded-parallel",
        set_at("claims", 1, "verdict", to="refuted"),
    ),
    "a loose claim called tight": ("problems/01-bounded-parallel", set_at("claims", 2, "loose", to=False)),
    "a guarantee shown optimal by another step": (
        "problems/01-bounded-parallel",
        set_at("guarantee", "optimal", to=5),
    ),
    "a claim dropped": ("problems/01-bounded-parallel", remove("claims", 0)),
    "another page": (
        "problems/01-bounded-parallel",
        set_at("derivation", "pages", "pure", to="0" * 64),
    ),
    "a page not named": ("problems/01-bounded-parallel", remove("derivation", "pages", "pure-witness")),
    "a page about a metric not named": (
        "problems/01-bounded-parallel",
        remove("derivation", "pages", "edit-metric"),
    ),
    "a page about blocks not named": (
        "problems/27-stream-in-windows",
        remove("derivation", "pages", "covering-blocks-metric"),
    ),
    "neighbours that are not there": (
        "problems/01-bounded-parallel",
        step("attain", 1, "neighbours", to=[1, 2, 3, 4]),
    ),
    "a conversion left out": ("problems/51-one-file-four-notions", step("compose", 3, "from", to=[1])),
    "another conversion": (
        "problems/51-one-file-four-notions",
        step("convert", 2, "page", to="pure-to-gaussian"),
    ),
    "a delta chosen as 0": (
        "problems/51-one-file-four-notions",
        step("change", 1, "chosen", "delta", to="0"),
    ),
    "a universe with one record": (
        "problems/15-mixed-guarantees",
        stamped(set_at("core", "databases", "atoms", to=[["x"]])),
    ),
    "databases in another order": (
        "problems/05-merged-fibres",
        stamped(set_at("core", "target", "single", to=[[0, 1]])),
    ),
    "a noise of another size": (
        "problems/60-histogram-noise",
        stamped(
            set_at("core", "mechanisms", 0, "noise", "parameter", to="2/e"),
            set_at("core", "mechanisms", 0, "values", "epsilon", to="e/2"),
        ),
    ),
    "a noise of less loss than it has": (
        "problems/60-histogram-noise",
        stamped(set_at("core", "mechanisms", 0, "values", "epsilon", to="e/2")),
    ),
    "another query": (
        "problems/60-histogram-noise",
        stamped(set_at("core", "mechanisms", 0, "noise", "query", "page", to="count")),
    ),
    "another format": ("problems/01-bounded-parallel", set_at("format", to=1)),
    "a division by what may be 0": (OTHER, step("weaken", 2, *CALCULUS, 0, 1, to="e - 1")),
    "a slope from the other end": (OTHER, step("weaken", 2, *CALCULUS, 1, 2, to="greatest")),
    "signs that are not there": (OTHER, step("weaken", 2, *CALCULUS, 1, to=["signs"])),
    "a proof that ends too early": (OTHER, without("weaken", 2, *CALCULUS, 5)),
    "a proof that goes on": (OTHER, step("weaken", 2, *CALCULUS, 5, to=["divided", "e"])),
    "a member of no worst case": (LARGER, step("weaken", 1, *CHOSEN, to=["e1"])),
    "another member": (LARGER, step("weaken", 1, *CHOSEN, to=["e2"])),
    "no member": (LARGER, step("weaken", 1, *CHOSEN, to=[])),
}
