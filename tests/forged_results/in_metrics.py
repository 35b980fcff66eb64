"""Forged results about any two databases: other metrics, claims, steps and points."""

from __future__ import annotations

import copy
from typing import Any

from forged_results.edits import Edit, core, every_step, remove, set_at, stamped, step, together

DISTRICTS, NORMS, MAPS = (
    "problems/69-two-districts",
    "problems/71-private-in-a-metric",
    "problems/72-sensitivity-of-maps",
)
NOISE, CLIPPED, OWN = (
    "problems/73-no-bound-without-clipping",
    "problems/74-clipping-bounds-the-loss",
    "problems/76-metrics-of-your-own",
)
TABLE, NORMAL, DELTA = (
    "problems/105-distances-in-a-table",
    "problems/107-normal-noise-on-points",
    "problems/108-a-delta-of-its-own",
)
FIBRES, RELEASES, NEAR = (
    "problems/109-a-metric-through-a-map",
    "problems/113-any-number-of-releases-of-a-place",
    "pages/shapes/near",
)
SAMPLE = "problems/238-couples-in-a-sample"
BESIDE = "problems/106-metrics-beside-neighbours"
PAIRS, OVER, CURVE = (
    "pages/shapes/pairs",
    "pages/steps/norms-over-fibres",
    "pages/conversions/gaussian-to-approximate",
)


def said(n: int, text: str, **values: str) -> Edit:
    """Changes the n-th claim wherever it stands: its text in the problem file, and what it says in distances."""

    def edit(data: Any) -> None:
        old = copy.deepcopy(data["stated"][n - 1])
        claim = data["problem"]["claims"][n - 1]
        key = "metric" if "metric" in claim else next(iter(values))
        assert claim[key] != text
        claim[key] = text
        for one in [data["stated"][n - 1], data["claims"][n - 1]["claim"]]:
            one |= values
        for one in every_step(data["derivation"]):
            if one.get("claim") == old:
                one["claim"] |= values

    return edit


def both(path: tuple[Any, ...], other: tuple[Any, ...], to: str, as_core: str) -> Edit:
    """Changes the problem file, and the core setting with it."""
    return stamped(set_at("problem", *path, to=to), set_at("core", *other, to=as_core))


def beside(*path: Any, to: Any) -> Edit:
    """Changes the core setting about neighbours, and the hash with it."""
    return lambda data: core(*path, to=to)(data["neighbours"])


def in_steps(form: int, n: int, claim: int, metric: str, said: str, once: str) -> Edit:
    """Another claim that counts steps, in the problem, in its form and in its step, and what it says of neighbours."""

    def edit(data: Any) -> None:
        one = data["metric forms"][form]
        steps = one["derivation"]["steps"]
        at = one["claims"][n]["step"] - 1
        data["problem"]["claims"][claim]["metric"] = metric
        for place in (one["claims"][n]["claim"], one["stated"][n], steps[at]["claim"]):
            place["epsilon"] = said
        steps[at - 1]["claim"]["epsilon"] = once

    return edit


FORGERIES: dict[str, tuple[str, Edit]] = {
    # what the problem file says
    "another norm": (NORMS, set_at("problem", "metrics", "L2", "norm", to="L1")),
    "another map of points": (MAPS, set_at("problem", "maps", "linear", "values", 0, to="x + 3*y")),
    "a map that cuts off at two": (
        MAPS,
        set_at("problem", "maps", "clipped", "values", 0, to="min(max(x, 0), 2)"),
    ),
    "less noise on a point": (NOISE, set_at("problem", "mechanisms", 0, "noise", "laplace", to="2*b")),
    "noise on something else": (CLIPPED, core("mechanisms", 0, "noise", "entries", 0, to="max(0, x__D)")),
    "noise of another kind": (NOISE, core("mechanisms", 0, "noise", "page", to="planar-laplace")),
    "a smaller parameter of noise": (NORMAL, core("mechanisms", 0, "noise", "parameter", to="2*s")),
    "a smaller disc": (DISTRICTS, core("databases", "parts", "place", "disc", to="w/2")),
    "points of an interval": (OWN, set_at("problem", "databases", "box", 0, 1, to="30")),
    "a shorter way around": (OWN, set_at("problem", "metrics", "clock", "formula", to="abs(a - b)")),
    "letters the other way": (
        OWN,
        set_at("problem", "metrics", "squared", "letters", to=[["p", "a"], ["q", "b"]]),
    ),
    "a bound that is smaller": (OWN, set_at("problem", "metrics", "score", "at-most", to="squared")),
    "a shorter road": (TABLE, set_at("problem", "metrics", "d", "table", 0, 2, to="1")),
    "a road less in the setting": (
        TABLE,
        stamped(
            set_at("core", "distances", "d__d", "input", "stated", "single", to=[[0, 1], [1, 2]]),
            set_at("core", "distances", "d__d", "input", "stated", "lengths", to=["2", "2"]),
        ),
    ),
    "another map of towns": (FIBRES, set_at("problem", "maps", "merge", "table", "b2", to="z")),
    "a metric that is not closed": (FIBRES, core("distances", "d__d_common", "input", "domain", to="own")),
    "a place that is read in full": (OVER, set_at("problem", "maps", "f", "values", to=["u", "v"])),
    "a norm over other coordinates": (OVER, core("distances", "d__plane_over_f", "over", to=["v"])),
    "a smaller metric of a mechanism": (NORMS, core("mechanisms", 1, "metric", "formula", to="d__Linf*e2")),
    "half of what is stated": (NORMS, core("mechanisms", 1, "values", "epsilon", to="1/2")),
    "a delta that is smaller": (DELTA, core("mechanisms", 1, "metric", "besides", "delta", to="d__d*z2/2")),
    "a delta left out": (DELTA, core("mechanisms", 1, "metric", "besides", to={})),
    "members that are one": (RELEASES, stamped(lambda data: data["core"]["mechanisms"][0].pop("count"))),
    "outputs that are not rounded": (RELEASES, set_at("problem", "mechanisms", 1, "post-processing", to="")),
    "what is not assumed": (RELEASES, set_at("problem", "assume", to=[])),
    "another radius": (NEAR, set_at("problem", "target", "within", to="2*r")),
    "near in another norm": (NEAR, set_at("problem", "target", "metric", to="L1")),
    "near within twice as much": (NEAR, core("distances", "d__beyond", "within", to="2*r")),
    "neighbours who are elsewhere too": (DISTRICTS, core("distances", "d__others", "parts", to=["north"])),
    "replaced for gone": (
        PAIRS,
        core("distances", "d__count", "input", "stated", "single", to=[[1, 1]]),
    ),
    "a part without records": (PAIRS, core("databases", "parts", "visits", "atoms", to=[["x"]])),
    # neighbours beside metrics
    "half a step for one": (BESIDE, beside("mechanisms", 0, "values", "epsilon", to="e1/2")),
    "replaced for removed": (BESIDE, beside("mechanisms", 0, "stated", "single", to=[[1, 1]])),
    "added for replaced": (BESIDE, beside("target", "single", to=[[0, 1], [1, 0]])),
    "a claim about neighbours": (BESIDE, set_at("problem", "claims", 0, "epsilon", to="2*e1 + e2")),
    "a claim about neighbours in metrics": (
        BESIDE,
        set_at("problem", "claims", 2, "metric", to="e1*d_unbounded"),
    ),
    # claims that are not true, or not refuted
    "less than the sum of the changes": (NORMS, said(1, "(e1 + e2/2)*L1", epsilon="d__L1*(e1 + e2/2)")),
    "refuted, and true": (NORMS, said(2, "e1*L1 + e2*L2", epsilon="d__L1*e1 + d__L2*e2")),
    "three quarters of a number": (CLIPPED, said(1, "3*w/(4*b)", epsilon="3*d__any_two*w/(4*b)")),
    "half of the length": (
        RELEASES,
        said(1, "(sum(e[i], i, 1, k) + a)*L2", epsilon="d__L2*(a + sum(e[i], i, 1, k))"),
    ),
    "without the root of 2": (NEAR, said(1, "(e1 + e2)*r", epsilon="d__beyond + r*(e1 + e2)")),
    "only one delta": (DELTA, said(1, "(e1 + e2)*d", epsilon="d__d*(e1 + e2)")),
    "a delta of one half": (CURVE, set_at("problem", "claims", 1, "delta", to="L2/2")),
    "a delta that is not exceeded": (
        CURVE,
        together(
            set_at("problem", "claims", 1, "delta", to="L2/2"),
            set_at("stated", 1, "delta", to="d__L2/2"),
            set_at("claims", 1, "claim", "delta", to="d__L2/2"),
            step("exceed", 1, "claim", "delta", to="d__L2/2"),
        ),
    ),
    "another claim in distances": (NORMS, set_at("stated", 0, "epsilon", to="d__L1*(2*e1 + e2)")),
    "a clock of twenty hours": (
        OWN,
        both(
            ("metrics", "clock", "formula"),
            ("distances", "d__clock", "formula"),
            "min(abs(a - b), 20 - abs(a - b))",
            "min(20 - abs(hour__D - hour__E), abs(hour__D - hour__E))",
        ),
    ),
    "a bound that is not kept": (
        MAPS,
        both(("metrics", "moved", "at-most"), ("distances", "d__moved", "at most"), "L1", "d__L1"),
    ),
    # steps
    "a distance that is not looked at": (NORMS, step("cover", 3, "of", to=[])),
    "a mechanism in place of another": (NORMS, step("given", 2, "i", to=1)),
    "a mechanism twice": (NORMS, step("compose", 1, "from", to=[1, 1])),
    "noise taken as given": (NOISE, step("noise", 1, "rule", to="given")),
    "noise in another notion": (NORMAL, step("noise", 1, "notion", to="zcdp")),
    "a conversion of another notion": (NORMAL, step("convert", 1, "page", to="zcdp-to-approximate")),
    "a delta of a half that is chosen": (NORMAL, step("change", 2, "chosen", "delta", to="1/2")),
    "a cover from no bound": (CLIPPED, step("cover", 2, "from", to=[4])),
    "everywhere from something else": (NORMS, step("everywhere", 1, "from", to=[3, 8])),
    "witnesses of the first only": (NORMS, step("attain", 1, "by", to=[1])),
    "witnesses in another notion": (NORMS, step("attain", 1, "notion", to="zcdp")),
    "witnesses nowhere": (NORMS, step("attain", 1, "neighbours", to=[])),
    "least of another parameter": (NORMS, step("least_everywhere", 1, "key", to="delta")),
    "least without witnesses": (NORMS, step("least_everywhere", 1, "from", to=[4, 5])),
    "larger where both are one": (NORMS, step("larger", 1, "point", "y__E", to="0")),
    "larger in no case": (NORMS, step("larger", 1, "neighbours", to=0)),
    "refuted where nothing moves": (NORMS, step("refute", 1, "point", to=dict.fromkeys(("e1", "e2"), "1"))),
    "refuted outside of the disc": (DISTRICTS, step("refute", 1, "point", "x__D", to="2")),
    "refuted at places too far away": (NEAR, step("refute", 1, "point", "x__E", to="2")),
    "refuted where a letter is 0": (NORMS, step("refute", 1, "point", "e2", to="0")),
    "a metric by another name": (OWN, step("is_metric", 1, "name", to="d__score")),
    "a bound of another distance": (MAPS, step("bounded", 1, "name", to="d__L1")),
    # claims in a metric that counts steps, by what is shown of neighbours
    "less for each step": (SAMPLE, in_steps(1, 0, 3, "log(2)*d_bounded", "d__target*log(2)", "log(2)")),
    "steps and their squares": (
        SAMPLE,
        in_steps(1, 0, 3, "log(3)*d_bounded**2", "d__target**2*log(3)", "log(3)"),
    ),
    "false for two, and not for one": (
        SAMPLE,
        in_steps(0, 0, 1, "3 - d_unbounded", "3 - d__single", "1"),
    ),
    "another number of steps": (SAMPLE, set_at("metric forms", 0, "steps", to=3)),
    "what is said of other neighbours": (SAMPLE, set_at("metric forms", 1, "about", to=[1, 2])),
    "a claim of no form": (SAMPLE, remove("metric forms", 1)),
    "proved, as it is refuted": (SAMPLE, set_at("metric forms", 1, "claims", 1, "verdict", to="proved")),
    "a step of something else": (SAMPLE, set_at("metric forms", 1, "derivation", "steps", 5, "from", to=[4])),
}
