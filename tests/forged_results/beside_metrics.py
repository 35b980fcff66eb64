"""Forged results about guarantees in metrics, for neighbours."""

from __future__ import annotations

from typing import Any

from forged_results.edits import Edit, claimed, core, every_step, set_at, step
from forged_results.in_metrics import beside, in_steps, said

SLOPES = "problems/293-squares-and-products"
STUDY = "problems/114-a-study-and-a-table-in-metrics"
COUNTS = "problems/100-counts-of-districts"
PEOPLE = "problems/237-three-people-of-any-number-of-districts"
DISTRICTS, REGISTERS = "problems/111-metrics-for-neighbours", "problems/276-a-delta-of-what-is-read"


def of_neighbours(n: int, key: str, to: str, after: int = 1) -> Edit:
    """Changes the n-th claim about neighbours wherever it stands, after so many about any two databases."""

    def edit(data: Any) -> None:
        own = data["neighbours"]
        old = dict(own["claims"][n - 1]["claim"])
        places = [data["problem"]["claims"][after + n - 1], own["claims"][n - 1]["claim"]]
        places += [one["claim"] for one in every_step(own["derivation"]) if one.get("claim") == old]
        for one in places:
            one[key] = to

    return edit


def reached(data: Any) -> None:
    """Takes the second mechanism alone, at a point at which it loses less than is claimed."""
    steps = data["neighbours"]["derivation"]["steps"]
    steps[6]["by"], steps[7]["point"]["y"] = [2], "1/8"


def in_form(n: int, *path: Any, to: Any) -> Edit:
    """Changes the core setting of a claim that counts steps, and the hash with it."""
    return lambda data: core(*path, to=to)(data["metric forms"][n])


def step_of_form(n: int, at: int, *path: Any, to: Any) -> Edit:
    """Changes a step about a claim that counts steps."""
    return set_at("metric forms", n, "derivation", "steps", at - 1, *path, to=to)


def of_both(form: int, n: int, claim: int, metric: str, said: str, once: str) -> Edit:
    """Changes a claim that counts steps, also as one in a distance of which nothing is known."""

    def edit(data: Any) -> None:
        in_steps(form, n, claim, metric, said, once)(data)
        for one in (data["stated"][claim], data["claims"][claim]["claim"]):
            one["epsilon"] = metric.replace("d_outside", "d__d_outside")

    return edit


def by_some(data: Any) -> None:
    """Takes the table out of all that is lost."""
    for one in data["derivation"]["steps"]:
        if one["rule"] == "attain":
            one["by"] = [1, 2]


LARGEST = "max(e[i], i, 1, k)"
CUT, READ = ("mechanisms", 2, "metric"), ("mechanisms", 0, "metric", "distances", "d__d_bounded")
FORGERIES: dict[str, tuple[str, Edit]] = {
    "a loss that is cut off later": (
        DISTRICTS,
        set_at("problem", "metrics", "cut_off", "formula", to="min(x*d_unbounded, 2*w)"),
    ),
    "a loss that is cut off elsewhere": (DISTRICTS, core(*CUT, "formula", to="min(a, d__d_unbounded*x)")),
    "a loss that is not cut off": (DISTRICTS, core(*CUT, "formula", to="d__d_unbounded*x")),
    "people who are replaced for some who go": (
        DISTRICTS,
        core(*CUT, "distances", "d__d_unbounded", "stated", "single", to=[[1, 1]]),
    ),
    "people two by two": (DISTRICTS, core(*CUT, "distances", "d__d_unbounded", "stated", "steps", to=2)),
    "half of a step": (DISTRICTS, core(*CUT, "distances", "d__d_unbounded", "values", "epsilon", to="1/2")),
    "a distance of one district": (DISTRICTS, core(*CUT, "distances", "d__d_unbounded", "reads", to=[[0]])),
    "half of a loss in a metric": (DISTRICTS, core("mechanisms", 2, "values", "epsilon", to="1/2")),
    "a delta beside a loss": (DISTRICTS, core(*CUT, "besides", to={"delta": "1/2"})),
    "a metric that the problem has not": (
        DISTRICTS,
        set_at(
            "problem",
            "mechanisms",
            2,
            "guarantee",
            to={"notion": "pure", "epsilon": "1", "granularity": "bounded"},
        ),
    ),
    "one person for two": (
        DISTRICTS,
        claimed(1, "epsilon", "a + min(x, w) + 2*max(e[i], i, 1, k)"),
    ),
    "refuted, and right for two": (
        DISTRICTS,
        claimed(3, "epsilon", "a + min(2*x, w) + 2*max(e[i], i, 1, k)"),
    ),
    "a loss that is not smaller than another": (DISTRICTS, set_at("problem", "assume", to=[])),
    "cut off where it is not": (DISTRICTS, step("exceed", 1, "point", "w", to="1/2")),
    "a delta that is enough": (DISTRICTS, claimed(3, "delta", "1/2")),
    "districts without the letter to the press": (DISTRICTS, step("attain", 1, "by", to=[1])),
    "a delta of what is not read": (REGISTERS, beside(*READ, "reads", to=[[0, 1, 2]])),
    "a delta on the own domain": (REGISTERS, beside(*READ, "domain", to="own")),
    "a smaller delta beside a metric": (
        REGISTERS,
        beside("mechanisms", 1, "metric", "besides", "delta", to="y*min(d__d_unbounded, 1)"),
    ),
    "a delta of another size": (
        REGISTERS,
        set_at("problem", "mechanisms", 1, "guarantee", "delta", to="y*min(d_unbounded, 1)"),
    ),
    "no delta beside a metric": (REGISTERS, beside("mechanisms", 0, "metric", "besides", to={})),
    "half of a metric": (REGISTERS, beside("mechanisms", 0, "metric", "formula", to="d__d_bounded*e/2")),
    "one step for the two of a replacement": (REGISTERS, of_neighbours(1, "epsilon", "e + min(f, 1)")),
    "one delta for two steps": (REGISTERS, of_neighbours(1, "delta", "z + y")),
    "a delta refuted that is kept": (REGISTERS, of_neighbours(2, "delta", "z + 2*y")),
    "a delta refuted at which it is reached": (REGISTERS, reached),
    "an event of what is read by none": (
        REGISTERS,
        lambda data: set_at("derivation", "steps", 6, "by", to=[1])(data["neighbours"]),
    ),
    "a delta of one half of two databases": (
        REGISTERS,
        said(1, "e*d_bounded + f*d_unbounded/3", epsilon="d__d_bounded*e + d__d_unbounded*f/3"),
    ),
    # any number of steps
    "half of what is cut off": (
        PEOPLE,
        in_steps(
            0,
            0,
            0,
            f"{LARGEST}*d_unbounded + min(f*d_unbounded, 1)/2",
            f"d__single*{LARGEST} + min(d__single*f, 1)/2",
            f"steps*{LARGEST} + min(steps*f, 1)/2",
        ),
    ),
    "refuted, and enough for all": (
        PEOPLE,
        in_steps(0, 1, 1, f"{LARGEST}*d_unbounded + 1", f"d__single*{LARGEST} + 1", f"steps*{LARGEST} + 1"),
    ),
    "refuted for two, and of fewer steps it says more": (
        PEOPLE,
        in_steps(0, 1, 1, "4 - d_unbounded", "4 - d__single", "4 - steps"),
    ),
    "another claim than for so many steps": (PEOPLE, step_of_form(0, 7, "from", to=[11])),
    "one step, of which it is true": (PEOPLE, step_of_form(0, 9, "point", "steps", to="1")),
    "half a step": (PEOPLE, step_of_form(0, 9, "point", "steps", to="3/2")),
    "districts for steps": (PEOPLE, set_at("metric forms", 0, "steps", to="k")),
    "two steps for any number": (PEOPLE, set_at("metric forms", 0, "steps", to="2")),
    "steps in another number": (PEOPLE, in_form(0, "target", "times", to="k")),
    "people who are replaced for any number who go": (PEOPLE, in_form(0, "target", "single", to=[[1, 1]])),
    "cut off at one half": (
        PEOPLE,
        in_form(0, "mechanisms", 1, "metric", "formula", to="min(d__d_unbounded*f, 1/2)"),
    ),
    "one district": (PEOPLE, in_form(0, "mechanisms", 0, "reads", to=[[0]])),
    "a letter that is cut off later": (
        PEOPLE,
        set_at("problem", "mechanisms", 1, "guarantee", "metric", to="min(f*d_unbounded, 2)"),
    ),
    "a claim about other steps": (PEOPLE, set_at("metric forms", 1, "about", to=[3])),
    "a claim less": (PEOPLE, set_at("metric forms", 0, "about", to=[1, 2, 3])),
    "loose, as more is claimed": (PEOPLE, step_of_form(0, 13, "point", "f", to="1")),
    "half of what is lost by replacing": (
        PEOPLE,
        in_steps(1, 0, 4, f"{LARGEST}*d_bounded + 1", f"d__single*{LARGEST} + 1", f"steps*{LARGEST} + 1"),
    ),
    # counts as distances
    "noise on a count of half the size": (COUNTS, core("mechanisms", 0, "noise", "parameter", to="1/2/e1")),
    "another district counted": (COUNTS, core("distances", "d__count", "input", "reads", to=[[2]])),
    "everybody counted": (COUNTS, core("distances", "d__count", "input", "reads", to=[None])),
    "the noise of the one on the count of the other": (
        COUNTS,
        core("mechanisms", 0, "metric", "formula", to="d__count_2"),
    ),
    "noise on another query": (COUNTS, set_at("problem", "mechanisms", 0, "query", to="bit")),
    "steps in place of a count": (COUNTS, core("mechanisms", 0, "metric", "formula", to="d__d_bounded")),
    "normal noise on a count": (COUNTS, core("mechanisms", 1, "noise", "page", to="normal-noise")),
    "another claim in what is not known": (
        COUNTS,
        set_at("stated", 1, "epsilon", to="2*d__d_outside_north*e2"),
    ),
    "undecided, and said to be proved": (COUNTS, set_at("claims", 0, "verdict", to="proved")),
    "people of the north outside of it": (
        COUNTS,
        set_at("problem", "granularities", "outside-north", "add-remove", 0, to="north 1"),
    ),
    "outside of both for outside of the north": (COUNTS, in_form(1, "target", "single", to=[[None, 0]])),
    "half of what the south loses": (
        COUNTS,
        of_both(1, 0, 1, "e2*d_outside_north/2", "d__target*e2/2", "e2/2"),
    ),
    "refuted, and all that is lost": (
        COUNTS,
        of_both(1, 1, 2, "e2*d_outside_north", "d__target*e2", "e2"),
    ),
    "less for several steps": (
        COUNTS,
        of_both(1, 0, 1, "e2*sqrt(d_outside_north)", "e2*sqrt(d__target)", "e2"),
    ),
    "one district for two": (COUNTS, of_neighbours(1, "epsilon", "max(e1, e2)", 3)),
    "refuted for two districts": (COUNTS, of_neighbours(2, "epsilon", "e1 + e2", 3)),
    # studies and tables in metrics
    "another row of a study": (STUDY, core("mechanisms", 1, "table", "rows", 0, to=["1/3", "2/3"])),
    "another answer": (
        STUDY,
        set_at("problem", "studies", "one", "tables", "answer", "rows", "well", to=["2/3", "1/3"]),
    ),
    "another count": (STUDY, set_at("problem", "tables", "count", "rows", "nobody", to=["9/10", "1/10"])),
    "another person in a study": (STUDY, set_at("problem", "maps", "first", "table", "second", to="ill")),
    "a person who is seen in no study": (
        STUDY,
        core("distances", "d__one_d_flip", "input", "stated", "lengths", 1, to="0"),
    ),
    "half of a visit": (
        STUDY,
        set_at("problem", "studies", "one", "mechanisms", 0, "guarantee", "metric", to="e*d_flip/2"),
    ),
    "a table that has not its guarantee": (
        STUDY,
        set_at("problem", "mechanisms", 1, "guarantee", "metric", to="log(3/2)*worth"),
    ),
    "a bound that rows do not keep": (
        STUDY,
        core("distances", "d__lost_by_C", "at most", to="d__worth*log(3/2)"),
    ),
    "the distance of another table": (STUDY, core("mechanisms", 1, "metric", "formula", to="d__lost_by_C")),
    "a visit for an answer": (STUDY, step("given", 2, "i", to=1)),
    "a bound of what has none": (STUDY, step("bounded", 1, "name", to="d__worth")),
    "less than two tables lose": (STUDY, said(1, "(e + log(3))*worth", epsilon="d__worth*(e + log(3))")),
    "refuted, and enough for both tables": (
        STUDY,
        said(3, "(e + log(3) + log(5/3))*worth", epsilon="d__worth*(e + log(3) + log(5/3))"),
    ),
    "least without a table": (STUDY, by_some),
    "half of a step of a person": (
        STUDY,
        said(
            2,
            "(e + log(3))*d_person/2 + log(5/3)*worth",
            epsilon="d__d_person*(e + log(3))/2 + d__worth*log(5/3)",
        ),
    ),
    # slopes
    "half as steep": (SLOPES, said(1, "(e1 + e2)/2*L1", epsilon="d__L1*(e1 + e2)/2")),
    "as steep as the square alone": (SLOPES, said(2, "e1*L1", epsilon="d__L1*e1")),
    "as steep as the product alone": (SLOPES, said(2, "e2*L1", epsilon="d__L1*e2")),
    "a tenth less than the square is steep": (
        SLOPES,
        said(2, "max(9*e1/10, e2)*L1", epsilon="d__L1*max(9*e1/10, e2)"),
    ),
    "refuted, and steep enough": (SLOPES, said(3, "max(e1, e2)*L1", epsilon="d__L1*max(e1, e2)")),
    "a square that is not cut off": (
        SLOPES,
        set_at("problem", "maps", "clipped_square", "values", 0, to="x**2"),
    ),
    "cut off at twice as much": (
        SLOPES,
        set_at("problem", "maps", "clipped_square", "values", 0, to="min(max(x, 0), 2*c)**2"),
    ),
    "the square of another coordinate": (
        SLOPES,
        core(
            "distances",
            "d__L1_clipped_square",
            "formula",
            to="abs(min(c, max(y__D, 0))**2 - min(c, max(y__E, 0))**2)",
        ),
    ),
    "a product of numbers without an end": (SLOPES, core("databases", "parts", "", "box", 1, to=["0", None])),
    "noise for the smaller factor": (
        SLOPES,
        set_at("problem", "mechanisms", 1, "noise", "laplace", to="min(a, b)/e2"),
    ),
    "noise on a number for its square": (
        SLOPES,
        core("mechanisms", 0, "noise", "entries", 0, to="min(c, max(x__D, 0))"),
    ),
    "a square away from where it is steep": (SLOPES, step("refute", 1, "point", "x__D", to="1/2")),
    "loose where nothing moves": (SLOPES, step("larger", 1, "point", "z__E", to="0")),
}
