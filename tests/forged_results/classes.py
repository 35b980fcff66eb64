"""Forged policies, least sizes and overlapping parts: of what the setting shows, and of what is computed from it."""

from __future__ import annotations

from forged_results.edits import Edit, claimed, core, remove, set_at, stamped, together

COUNTY, LABELS, HOSPITALS = (
    "problems/92-modify-within-a-county",
    "problems/93-labels-are-private",
    "problems/94-patients-of-several-hospitals",
)
ASKED, ASKED_WITHIN = "problems/179-a-survey-of-a-sample", "problems/264-a-sample-within-counties"
CLUB = "problems/122-anybody-among-the-members"
METRIC = "pages/facts/policy-metric"
PEOPLE, GRID, TOWNS = (
    "problems/102-records-with-attributes",
    "problems/103-one-step-on-a-grid",
    "problems/104-towns-and-counties",
)
PLACES, PAIRS = "made/two places of three", "made/sets of two of three"
COUNTED, AT_LEAST = "made/a count of two or three", "made/two at least"
MADE = {
    PLACES: """format = 1
[databases]
kind = "tuples"
records = ["a", "b", "c"]
size = "= 3"
[granularities.next]
replace = [["a", "b"], ["b", "c"]]
[target]
granularity = { group = 2, of = "next" }
[[mechanisms]]
name = "first"
reads = { positions = [1] }
guarantee = { notion = "pure", epsilon = "e", granularity = "next", domain = "own" }
[[mechanisms]]
name = "others"
reads = { positions = [2, 3] }
guarantee = { notion = "pure", epsilon = "f", granularity = "bounded", domain = "common" }
[[claims]]
notion = "pure"
epsilon = "max(2*e, e + f, 2*f)"
""",
    PAIRS: """format = 1
[databases]
kind = "sets"
records = ["a", "b", "c"]
size = "= 2"
[granularities.next]
replace = [["a", "b"], ["b", "c"]]
[target]
granularity = "next"
[[mechanisms]]
name = "A"
reads = { records = ["a"] }
guarantee = { notion = "pure", epsilon = "e", granularity = "next", domain = "common" }
[[mechanisms]]
name = "C"
reads = { records = ["c"] }
guarantee = { notion = "pure", epsilon = "f", granularity = "next", domain = "common" }
[[claims]]
notion = "pure"
epsilon = "max(e, f)"
""",
    COUNTED: """format = 1
[databases]
kind = "multisets"
records = ["a", "b", "c"]
size = "2..3"
[target]
granularity = { group = 2, of = "unbounded" }
[[mechanisms]]
name = "M"
reads = { records = ["a"] }
guarantee = { notion = "pure", epsilon = "e", granularity = "unbounded", domain = "own" }
[[mechanisms]]
name = "C"
query = "count"
noise = { laplace = "1/f" }
[[claims]]
notion = "pure"
epsilon = "e + f"
[[claims]]
notion = "pure"
epsilon = "max(2*e, f)"
""",
    AT_LEAST: """format = 1
[databases]
kind = "multisets"
size = ">= 2"
[granularities.p]
replace = [["a", "b"], ["b", "c"]]
[target]
granularity = { group = 2, of = "p" }
[[mechanisms]]
name = "M"
reads = { records = ["a", "b"] }
guarantee = { notion = "pure", epsilon = "e", granularity = "p", domain = "common" }
[[mechanisms]]
name = "N"
guarantee = { notion = "pure", epsilon = "f", granularity = "bounded" }
[[claims]]
notion = "pure"
epsilon = "2*e + 2*f"
""",
}
"""Problems of classes that no shipped problem has."""
WITHIN = ("problem", "granularities", "county", "replace", "within")
FORGERIES: dict[str, tuple[str, Edit]] = {
    # policies
    "another edge": (COUNTY, core("target", "single", 2, to=[0, 2])),
    "an edge left out": (COUNTY, stamped(remove("core", "target", "single", 2))),
    "an edge within an atom left out": (COUNTY, stamped(remove("core", "target", "single", 3))),
    "an edge to nothing left out": (COUNTY, stamped(remove("core", "target", "single", 0))),
    "an edge to nothing moved": (COUNTY, core("target", "single", 0, to=[None, 4])),
    "an edge more where a guarantee is stated": (
        COUNTY,
        core("mechanisms", 0, "stated", "single", 1, to=[0, 1]),
    ),
    "an edge less where a guarantee is stated": (
        COUNTY,
        stamped(remove("core", "mechanisms", 3, "stated", "single", 0)),
    ),
    "an edge of a record with itself": (METRIC, core("target", "single", 3, to=[2, 2])),
    "an edge of no atom": (COUNTY, core("target", "single", 0, to=[None, 5])),
    "any two for a policy": (COUNTY, core("target", "single", to="any two")),
    "an atom with a record less": (COUNTY, core("databases", "atoms", 2, to=["b2"])),
    "an atom with a record more": (COUNTY, core("databases", "atoms", 1, to=["b1", "b4"])),
    "atoms divided in another way": (
        COUNTY,
        stamped(
            set_at("core", "databases", "atoms", 1, to=["b1", "b2"]),
            set_at("core", "databases", "atoms", 2, to=["b3"]),
        ),
    ),
    "atoms joined that have other edges": (
        METRIC,
        stamped(
            set_at("core", "databases", "atoms", 3, to=["b2"]),
            set_at("core", "databases", "atoms", 5, to=["b3", "x"]),
            remove("core", "target", "single", 3),
            remove("core", "mechanisms", 1, "stated", "single", 3),
        ),
    ),
    "a record left out of an atom": (
        METRIC,
        stamped(
            set_at("core", "databases", "atoms", 3, to=["b2"]),
            remove("core", "target", "single", 3),
            remove("core", "mechanisms", 1, "stated", "single", 3),
        ),
    ),
    "the rest as one record": (COUNTY, core("databases", "atoms", 4, to=["x"])),
    "a record twice": (COUNTY, core("databases", "atoms", 4, to=["b1", "y"])),
    "two steps of a policy": (COUNTY, core("target", "steps", to=2)),
    "a group of a policy": (
        COUNTY,
        set_at("problem", "target", "granularity", to={"group": 2, "of": "county"}),
    ),
    "a group of a policy in both": (
        COUNTY,
        stamped(
            set_at("problem", "target", "granularity", to={"group": 2, "of": "county"}),
            set_at("core", "target", "steps", to=2),
        ),
    ),
    "another county": (COUNTY, set_at(*WITHIN, 0, to=["a1", "a2", "b1"])),
    "another county in both": (
        COUNTY,
        stamped(
            set_at(*WITHIN, to=[["a1", "a2", "b1"], ["b2", "b3"]]),
            set_at("core", "target", "single", 2, to=[0, 1]),
            *(set_at("core", "mechanisms", i, "stated", "single", 2, to=[0, 1]) for i in range(3)),
        ),
    ),
    "another visitor": (COUNTY, set_at("problem", "granularities", "county", "add-remove", to=["a1"])),
    "everybody visits": (COUNTY, set_at("problem", "granularities", "county", "add-remove", to="all")),
    "another policy": (
        COUNTY,
        set_at("problem", "mechanisms", 0, "guarantee", "granularity", to="unbounded"),
    ),
    "the metric of policies is not named": (COUNTY, remove("derivation", "pages", "policy-metric")),
    "the procedure of policies is not named": (COUNTY, remove("derivation", "pages", "policies")),
    "half of what edges give": (COUNTY, claimed(1, "epsilon", "max(a, b + c, v)/2")),
    "edges in parallel": (COUNTY, claimed(1, "epsilon", "max(a, b, c, v)")),
    "a label that is not read": (LABELS, core("mechanisms", 2, "reads", 0, to=[1])),
    "labels of both ages": (
        LABELS,
        set_at("problem", "granularities", "label", "replace", to="all"),
    ),
    "a universe with more labels": (
        LABELS,
        set_at("problem", "databases", "records", to=["old no", "old yes", "young no", "young yes", "?"]),
    ),
    "half of what labels cost": (LABELS, claimed(1, "epsilon", "max(e1, e2) + e3/2")),
    # attributes, distances, places, recodings
    "the county moves": (
        PEOPLE,
        set_at("problem", "granularities", "local", "replace", to={"keeps": ["sick"]}),
    ),
    "another county is read": (
        PEOPLE,
        set_at("problem", "mechanisms", 0, "reads", "where", "county", to=["south"]),
    ),
    "two attributes at once": (PEOPLE, core("mechanisms", 2, "stated", "single", 0, to=[0, 3])),
    "a name left out": (PEOPLE, core("databases", "atoms", 1, to=["(north, no, z)"])),
    "half of what people cost": (PEOPLE, claimed(1, "epsilon", "max(a, b) + c")),
    "a longer step": (
        GRID,
        set_at("problem", "granularities", "step", "replace", "norm", to="max"),
    ),
    "a step across": (GRID, core("target", "single", 0, to=[0, 5])),
    "two places as one": (PLACES, core("databases", "places", to=[0, 0, 0, 1, 1, 1, 1, 1, 1])),
    "a place in another order": (PLACES, core("databases", "places", to=[0, 1, 2, 1, 2, 0, 2, 0, 1])),
    "tuples as sets": (PLACES, core("databases", "of", to="sets")),
    "another position is read": (PLACES, set_at("problem", "mechanisms", 0, "reads", "positions", to=[2])),
    "one step at two places": (PLACES, core("target", "steps", to=1)),
    "half of what two places cost": (PLACES, claimed(1, "epsilon", "max(e, f)")),
    "pairs as multisets": (PAIRS, core("databases", "of", to="multisets")),
    "sets of all": (PAIRS, core("databases", "size", to=["exactly", 3])),
    "sets of all in both": (
        PAIRS,
        stamped(
            set_at("problem", "databases", "size", to="= 3"),
            set_at("core", "databases", "size", to=["exactly", 3]),
        ),
    ),
    "a record of sets is not shown": (PAIRS, core("databases", "atoms", 1, to=["d"])),
    "half of what pairs cost": (PAIRS, claimed(1, "epsilon", "max(e, f)/2")),
    "towns of another county": (TOWNS, set_at("problem", "maps", "county", "recode", "a2", to="B")),
    "towns that are not recoded": (TOWNS, stamped(remove("core", "mechanisms", 0, "codes"))),
    "all towns as one": (TOWNS, core("mechanisms", 1, "codes", to=[[0, 1, 3, 4]])),
    "counties that are not joined": (TOWNS, core("mechanisms", 0, "stated", "single", 1, to=[0, 4])),
    "half of what towns cost": (TOWNS, claimed(1, "epsilon", "(a + b + max(c, d))/2")),
    # sizes
    "another least size": (COUNTED, core("databases", "least", to=1)),
    "no least size": (COUNTED, stamped(remove("core", "databases", "least"))),
    "a least size in the problem": (COUNTED, set_at("problem", "databases", "size", to="1..3")),
    "another greatest size": (COUNTED, core("databases", "size", to=["at most", 4])),
    "a least size in both": (
        COUNTED,
        stamped(
            set_at("problem", "databases", "size", to="1..3"), set_at("core", "databases", "least", to=1)
        ),
    ),
    "a least size as large as the greatest": (
        COUNTED,
        stamped(
            set_at("problem", "databases", "size", to="3..3"), set_at("core", "databases", "least", to=3)
        ),
    ),
    "a count that moves less": (COUNTED, claimed(1, "epsilon", "e/2 + f")),
    "another least size of a policy": (AT_LEAST, core("databases", "least", to=3)),
    "no least size of a policy": (AT_LEAST, stamped(remove("core", "databases", "least"))),
    "at most for at least": (AT_LEAST, set_at("problem", "databases", "size", to="<= 2")),
    "half of two steps": (AT_LEAST, claimed(1, "epsilon", "e + f")),
    # overlapping parts
    "fewer parts in the problem": (HOSPITALS, set_at("problem", "partitions", "H", "at-most", to="2")),
    "more parts in the problem": (HOSPITALS, set_at("problem", "partitions", "H", "at-most", to="4")),
    "parts that do not overlap": (
        HOSPITALS,
        together(
            set_at("problem", "partitions", "H", "kind", to="record-wise"),
            remove("problem", "partitions", "H", "at-most"),
        ),
    ),
    "a member less": (HOSPITALS, stamped(remove("core", "mechanisms", 0, "reads", 2))),
    "nobody in three parts": (HOSPITALS, core("mechanisms", 0, "reads", 0, to=[0, 1])),
    "nobody in the first part alone": (HOSPITALS, core("mechanisms", 0, "reads", 2, to=[0, 2, 4, 5])),
    "one in three parts": (HOSPITALS, core("databases", "atoms", 2, to=["H1+2+3"])),
    "nobody in no part": (HOSPITALS, core("mechanisms", 0, "reads", 0, to=[0, 1, 2, 6])),
    "another number of members": (HOSPITALS, core("mechanisms", 0, "count", to="2")),
    "patients that are replaced": (HOSPITALS, set_at("problem", "target", "granularity", to="bounded")),
    "patients that are replaced in both": (
        HOSPITALS,
        stamped(
            set_at("problem", "target", "granularity", to="bounded"),
            set_at("core", "target", "single", to=[[1, 1]]),
        ),
    ),
    "two hospitals of three": (HOSPITALS, claimed(1, "epsilon", "top(2, e[i], i, 1, k)")),
    "half of three hospitals": (HOSPITALS, claimed(1, "epsilon", "top(3, e[i], i, 1, k)/2")),
    "a survey, a smaller claim": (ASKED, claimed(1, "epsilon", "f + m*(exp(e) - 1)/(2*n)")),
    "a survey, a claim that is right": (ASKED, claimed(2, "epsilon", "f + log(m*(exp(e) - 1)/n + 1)")),
    "a survey with a smaller n": (ASKED, core("databases", "size", to=["exactly", 0])),
    "a survey within counties, a smaller claim": (
        ASKED_WITHIN,
        claimed(1, "epsilon", "log(m*(exp(e) - 1)/n + 1)"),
    ),
    "a survey within counties, for these alone": (
        ASKED_WITHIN,
        set_at("problem", "mechanisms", 0, "guarantee", "granularity", to="county"),
    ),
    "a club, a smaller claim": (CLUB, claimed(1, "epsilon", "e + f")),
    "a club, a claim that is right": (CLUB, claimed(2, "epsilon", "2*(e + f)")),
    "a club with fewer strangers": (CLUB, core("databases", "atoms", 1, to=["x"])),
}
