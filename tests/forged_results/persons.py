"""Forged results about persons with several rows, groups of any number of steps, and classes of any size."""

from __future__ import annotations

from forged_results.edits import Edit, claimed, core, remove, set_at, stamped, step, together

VISITS, PATIENTS, SEVERAL = (
    "problems/97-visits-of-one-person",
    "problems/115-patients-of-any-number-of-hospitals",
    "problems/262-several-patients-at-once",
)
HOUSES, NOISE, BAGS = (
    "problems/263-households-of-visitors",
    "problems/119-noise-for-persons",
    "pages/facts/bags-metric",
)
HOUSEHOLD, GROUPS = "problems/99-a-household-of-any-size", "pages/shapes/groups-of-any-size"
SIZES, MEANS, HUNDRED, CORNERS = (
    "pages/shapes/any-number-of-records",
    "problems/195-size-and-mean-of-a-known-number",
    "problems/116-a-hundred-patients-at-once",
    "pages/shapes/corners",
)
BELOW, COUPLES = "problems/241-releases-below-a-bound", "problems/292-couples-in-a-household"
SINGLE = ("target", "single")
FORGERIES: dict[str, tuple[str, Edit]] = {
    # persons
    "one shop for L": (VISITS, core(*SINGLE, "parts", to="1")),
    "one visit for m": (VISITS, set_at("problem", "target", "granularity", "contribution", "rows", to=1)),
    "visits that are replaced": (
        VISITS,
        set_at(
            "problem",
            "target",
            "granularity",
            "contribution",
            to={"parts": "L", "rows": "m", "replaced": True},
        ),
    ),
    "L visits in each of m": (
        VISITS,
        set_at("problem", "target", "granularity", "contribution", to={"parts": "m", "rows": "L"}),
    ),
    "the L largest, once": (VISITS, claimed(1, "epsilon", "top(L, e[i], i, 1, k)")),
    "the largest, of L that are refuted": (VISITS, claimed(3, "epsilon", "m*top(L, e[i], i, 1, k)")),
    "a sum that is the largest": (VISITS, claimed(4, "epsilon", "m*max(e[i], i, 1, k)")),
    "another number of shops": (VISITS, set_at("problem", "partitions", "shops", "parts", to="m")),
    "shops that overlap": (VISITS, set_at("problem", "partitions", "shops", "kind", to="overlapping")),
    "visits that replace each other": (VISITS, core("mechanisms", 0, "stated", "single", to=[[1, 1]])),
    "a least number of rows": (VISITS, set_at("problem", "databases", "size", to=">= 3")),
    "no rows outside": (VISITS, core("databases", "outside", to=[])),
    "patients of one hospital": (PATIENTS, set_at("problem", "partitions", "H", "at-most", to="1")),
    "patients who come": (PATIENTS, set_at("problem", "target", "granularity", to="unbounded")),
    "patients who go": (PATIENTS, core(*SINGLE, "replaced", to="no")),
    "a file of its own": (PATIENTS, core("mechanisms", 0, "domain", to="own")),
    "the m largest": (PATIENTS, claimed(1, "epsilon", "top(m, e[i], i, 1, k)")),
    "of m patients": (PATIENTS, claimed(5, "rho", "top(m, e[i]**2, i, 1, k)/2")),
    "bags for bags that come": (BAGS, core("mechanisms", 0, "stated", "single", "replaced", to="bag")),
    "bags of another size": (BAGS, set_at("problem", "target", "granularity", "contribution", "parts", to=3)),
    "one step for two": (BAGS, claimed(1, "epsilon", "3/2*e")),
    "without the page on bags": (BAGS, remove("derivation", "pages", "bags-metric")),
    "three shops of three": (
        NOISE,
        set_at("problem", "target", "granularity", "contribution", "parts", to=3),
    ),
    "the shop of another": (NOISE, core("mechanisms", 1, "reads", to=[[0]])),
    "a shop in another": (NOISE, set_at("problem", "mechanisms", 1, "reads", "records", to=["a1", "b2"])),
    "amounts above u": (NOISE, set_at("problem", "mechanisms", 1, "query", "sum", 1, to="2*u")),
    "less noise for persons": (NOISE, set_at("problem", "mechanisms", 0, "noise", "laplace", to="1/(2*a)")),
    # groups of a number that is a letter
    "r households": (HOUSES, set_at("problem", "target", "granularity", "group", to="m")),
    "r patients for one": (SEVERAL, stamped(remove("core", "target", "times"))),
    "a register for one": (SEVERAL, stamped(remove("core", "mechanisms", 1, "stated", "times"))),
    "hospitals for r at once": (
        SEVERAL,
        set_at("problem", "mechanisms", 0, "guarantee", "granularity", to={"group": "r", "of": "unbounded"}),
    ),
    "r times for r squared": (HOUSES, claimed(1, "rho", "m**2*r*top(L, s[i], i, 1, k)")),
    "m times for m squared": (HOUSEHOLD, claimed(1, "rho", "m*(r + s)")),
    "a group of one": (HOUSEHOLD, set_at("problem", "target", "granularity", to="bounded")),
    "a group of n": (HOUSEHOLD, core("target", "times", to="r")),
    "steps that come and go": (GROUPS, core("target", "single", to=[[0, 1], [1, 0]])),
    "a conversion that is not convex": (
        HOUSEHOLD,
        together(step("given", 1, "rule", to="convert"), step("compose", 1, "from", to=[1, 1])),
    ),
    "without the page on groups": (GROUPS, remove("derivation", "pages", "groups-of-any-size")),
    # letters for sizes
    "any size for n": (SIZES, set_at("problem", "databases", "size", to="any")),
    "at most n": (SIZES, set_at("problem", "databases", "size", to="<= n")),
    "another letter for the size": (HUNDRED, core("databases", "letter", to="ra")),
    "a mean of more records": (SIZES, core("mechanisms", 0, "noise", "query", "n", to=2)),
    "a tenth of the noise": (SIZES, set_at("problem", "mechanisms", 0, "noise", "laplace", to="1/(e*n)")),
    "half of what n records lose": (SIZES, claimed(1, "epsilon", "e/2")),
    "a mean of what is wider": (MEANS, set_at("problem", "mechanisms", 1, "query", "mean", 1, to="u + 1")),
    "less than a hundred": (HUNDRED, core("parameters", "n", to="integer >= 1")),
    "fifty patients": (HUNDRED, core("target", "steps", to=50)),
    "nine thousand": (HUNDRED, claimed(1, "rho", "9000*max(4*rd, 4*re, top(2, ra, rb, rc, rd, re))")),
    "nine steps of ten": (CORNERS, core("target", "steps", to=9)),
    "a part of one record": (CORNERS, core("databases", "atoms", 2, to=["c1"])),
    "nine times": (
        CORNERS,
        claimed(1, "epsilon", "9*max(ea + eb, ea + ec, ea + ed, eb + ec, eb + ed, 2*ec, 2*ed)"),
    ),
    # groups of m steps beside guarantees for couples
    "three who are no more than two": (
        COUPLES,
        stamped(
            set_at("problem", "mechanisms", 0, "guarantee", "granularity", "group", to=3),
            set_at("core", "mechanisms", 0, "stated", "steps", to=3),
        ),
    ),
    "half of m, and no more": (
        COUPLES,
        stamped(
            set_at("problem", "assume", 1, to="2*ceil_m_2 <= m"),
            set_at("core", "assumed", 1, 2, to="m"),
        ),
    ),
    "some number of couples": (
        COUPLES,
        stamped(remove("problem", "assume", 0), remove("core", "assumed", 0)),
    ),
    "couples one by one": (COUPLES, core("mechanisms", 0, "stated", "steps", to=1)),
    "half of m": (COUPLES, claimed(1, "epsilon", "m/2*e1 + m*e2")),
    "half of m and a half, refuted": (COUPLES, claimed(2, "epsilon", "(m + 1)/2*e1 + m*e2")),
    # relations of which multiples are used
    "a relation that is not assumed": (BELOW, set_at("problem", "assume", to=[])),
    "a root of one": (BELOW, claimed(1, "mu", "m")),
}
