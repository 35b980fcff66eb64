"""Mechanisms that are run on samples of the records: files, Python, refusals, verdicts, saved results."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
import rechecks
from golden_results import THEORY
from second_checker import verdicts

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel import saved as kernel
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.implied import implying
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.library.theory import NoPage, Theory
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.privacy import problems, writing
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.mechanisms.samples import KINDS, sample
from dpcompose.search import guarantees

FILE = """
format = 1
[parameters]
s = "in (0,1)"
[databases]
kind = "multisets"
size = "{size}"
[target]
granularity = "{target}"
[[mechanisms]]
name = "M"
sampled = {sampled}
guarantee = {{ notion = "{notion}", {values}, granularity = "{stated}" }}
"""
PAGES = Theory(THEORY.pages)
POISSON: dict[str, str] = {
    "size": "any",
    "target": "unbounded",
    "sampled": '{ poisson = "s" }',
    "stated": "unbounded",
}
FIXED = {"size": "= 4", "target": "bounded", "sampled": '{ fixed = ["2", "4"] }', "stated": "bounded"}


def file(given: dict[str, str], notion: str = "pure", values: str = 'epsilon = "e"') -> str:
    return FILE.format(**{"notion": notion, "values": values, **given})


def study(given: dict[str, str], notion: str = "pure", values: str = 'epsilon = "e"') -> Study:
    return Study(problems.read_text(file(given, notion, values)).setting, THEORY)


@pytest.mark.parametrize("how", KINDS)
def test_each_way_to_draw_samples_has_its_page(how: str) -> None:
    head = THEORY.pages[KINDS[how].page].head
    said = "poisson-replaced" if KINDS[how].either else how
    assert (head.how, head) == (said, KINDS[how].head)
    assert len(head.letters) == KINDS[how].words.count("{}") + KINDS[how].least


@pytest.mark.parametrize("given", [POISSON, FIXED])
def test_it_is_read_written_judged_and_checked_again(given: dict[str, str]) -> None:
    made = study(given)
    (M,) = made.setting.mechanisms
    assert M.sampled is not None and [one.notion for one in M.sampled.on_samples] == ["pure"]
    again = problems.read_data(writing.to_data(made.setting)).setting
    assert again.mechanisms == made.setting.mechanisms
    core = Elaborated(made.setting).core.mechanisms[0]
    assert core.sampled is not None and str(dict(core.values)["epsilon"]) == "e"
    rate = "s" if given is POISSON else "1/2"
    found = [made.check(dpc.pure(one)) for one in (f"log(1 + {rate}*(exp(e) - 1))", f"{rate}*e", "e")]
    assert [(one.verdict, one.loose) for one in found] == [
        ("proved", False),
        ("refuted", None),
        ("proved", True),
    ]
    data = json.loads(json.dumps(rechecks.saved(made, found)))
    assert rechecks.check(data, THEORY).verdicts == ("proved", "refuted", "proved")
    assert {"mixtures", KINDS["poisson" if given is POISSON else "fixed"].page} <= kernel.check(
        data, PAGES
    ).rests_on.pages
    assert verdicts.check(data).outcome == "ACCEPTED"


def test_python_says_the_same() -> None:
    bare = dpc.mechanism("M", dpc.pure("log(3)"), sampled={"poisson": "1/2"})
    assert bare == dpc.mechanism("M", dpc.pure("log(3)", dpc.unbounded), sampled={"poisson": "1/2"})
    ways: list[tuple[Any, Any]] = [
        (dpc.poisson_sample("1/2"), {"poisson": "1/2"}),
        (dpc.fixed_sample(2, "n"), {"fixed": [2, "n"]}),
        (dpc.fixed_sample(2), {"fixed": 2}),
        (dpc.drawn_sample("m", 3), {"draws": ("m", 3)}),
    ]
    for made, given in ways:
        assert sample(given) == made == sample(made.data())
    M = dpc.mechanism("M", dpc.pure("log(3)", dpc.unbounded), sampled={"poisson": "1/2"})
    assert repr(M) == (
        "M reads D and is run on a sample (each record with probability 1/2, by itself), and on samples is "
        "unbounded pure (log(3))"
    )
    assert str(M.satisfies) == "unbounded pure (log(2))"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {**POISSON, "stated": "bounded"},
            "one for unbounded neighbours, not for bounded: the sample may tell",
        ),
        ({**FIXED, "stated": "unbounded"}, "the formula says 2, and 3 is lost"),
        ({**POISSON, "sampled": '{ fixed = "1" }', "size": ">= 1"}, "the formula says 2, and 5 may be lost"),
        ({**FIXED, "size": "= 5"}, 'size = "= 4" would do'),
        ({**FIXED, "size": "any"}, 'or sampled = { fixed = "2" } of any number'),
        ({**FIXED, "sampled": '{ fixed = ["5", "4"] }'}, 'assume = ["5 <= 4"]'),
        ({**FIXED, "sampled": '{ fixed = ["1/2", "4"] }'}, "no whole number from 1"),
        ({**FIXED, "sampled": '{ draws = ["2", "3"] }'}, "drawn from databases that have so many"),
        ({**FIXED, "sampled": '{ fixed = "2" }', "size": "any"}, "there may be only 0"),
        ({**POISSON, "sampled": '{ poisson = "3/2" }'}, "not known to be a probability"),
        ({**POISSON, "sampled": '{ poisson = "-1/2" }'}, "not known to be a probability"),
        ({**POISSON, "sampled": "{}"}, "a sample is { poisson"),
        ({**POISSON, "sampled": '{ poisson = "s", fixed = "1" }'}, "a sample is { poisson"),
        ({**POISSON, "sampled": '{ fixed = ["1"] }'}, "2"),
    ],
)
def test_samples_that_do_not_fit_are_refused_in_words(given: dict[str, str], said: str) -> None:
    with pytest.raises(problems.ProblemError) as raised:
        problems.read_text(file(given))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: dpc.mechanism("M", query=dpc.count, noise=dpc.laplace(1), sampled={"poisson": "s"}),
            "in place of a query and noise say what it satisfies on samples",
        ),
        (lambda: sample({"poisson": [1, 2]}), "other parameters"),
        (lambda: sample({"bernoulli": 1}), "a sample is such as"),
        (lambda: dpc.mechanism("M", dpc.in_metric("d_bounded"), sampled={"poisson": "s"}), "leave out all"),
    ],
)
def test_mistakes_in_python(wrong: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        wrong()


def composed(*mechanisms: Any, on: Any = None, target: Any = dpc.unbounded, **more: Any) -> Any:
    return dpc.compose(*mechanisms, on=on or dpc.multisets("abc"), target=target, **more)


def sampled(name: str, e: str = "log(3)", s: str = "1/2", **more: Any) -> Any:
    reads = {"reads": dpc.restriction([more.pop("reads")])} if "reads" in more else {}
    domain = "own" if reads else None
    return dpc.mechanism(name, dpc.pure(e, dpc.unbounded, domain), sampled={"poisson": s}, **reads, **more)


def test_parts_and_others_compose() -> None:
    plain = dpc.mechanism("N", dpc.pure("f", dpc.unbounded, "own"), reads=dpc.restriction(["b"]))
    made = composed(sampled("M", "e", "s", reads="a"), plain)
    found = {"max(f, log(1 + s*(exp(e) - 1)))": "proved", "max(f, s*e)": "refuted"}
    assert {claim: made.check(dpc.pure(claim)).verdict for claim in found} == found
    assert made.guarantee().optimal is True
    assert made.check(dpc.zcdp("max(f**2, log(1 + s*(exp(e) - 1))**2)/2")).verdict == "proved"


@pytest.mark.parametrize(
    ("mechanisms", "target", "size"),
    [
        # two that are sampled move in directions of their own
        ([sampled("M", reads="a"), sampled("N", reads="b")], dpc.bounded, "any"),
        # further steps, of any two
        ([sampled("M")], dpc.free_lunch, "<= 2"),
    ],
)
def test_nothing_is_called_optimal_where_witnesses_are_not_known(
    mechanisms: Any, target: Any, size: str
) -> None:
    made = composed(*mechanisms, on=dpc.multisets("abc", size=size), target=target)
    best = made.guarantee()
    assert not best.optimal
    assert made.check(dpc.pure(best.values["epsilon"])).loose is not False


def test_what_is_lost_elsewhere_is_at_most_the_truth() -> None:
    """Two parts by replacement, both e^ε' = 2 and turned 3/2: truth (2)(3/2) = 3 in both orders, bound 4."""
    made = composed(sampled("M", reads="a"), sampled("N", reads="b"), target=dpc.bounded)
    found = {"log(4)": "proved", "log(3)": "undecided", "log(19/10)": "refuted"}
    assert {claim: made.check(dpc.pure(claim)).verdict for claim in found} == found


@pytest.mark.parametrize(
    ("stated", "claims"),
    [
        (dpc.zcdp("r", dpc.unbounded), {"r": "proved", "r/2": "refuted"}),
        (dpc.gaussian("r", dpc.unbounded), {"r": "proved", "r/2": "refuted"}),
        (dpc.tcdp("r", 9, dpc.unbounded), {"r": "proved"}),
        (dpc.pure("oo", dpc.unbounded), {"oo": "proved", "9": "undecided"}),
    ],
)
def test_other_notions_gain_nothing(stated: Any, claims: dict[str, str]) -> None:
    """Divergences of normal noise on samples come near to those without at large orders, if anybody is drawn."""
    made = composed(dpc.mechanism("M", stated, sampled={"poisson": "1/2"}))
    claim = partial(dpc.tcdp, omega=9) if stated.notion == "tcdp" else getattr(dpc, stated.notion)
    assert {one: made.check(claim(one)).verdict for one in claims} == claims
    assert bool(made.guarantee().optimal) is ("refuted" in claims.values())
    never = composed(dpc.mechanism("M", stated, sampled={"poisson": "0"}))
    assert "refuted" not in {never.check(claim(one)).verdict for one in claims}


def test_what_is_lost_at_other_orders_does_not_add_up() -> None:
    """Randomized response loses most near order 1, where normal noise on samples has lost little: 0.68 is the
    largest sum of the divergences over the order (numerically), 1 + tanh(1/2)/... of both would be 1.46."""
    noise = dpc.mechanism("M", dpc.zcdp(1, dpc.unbounded), sampled={"poisson": "1/2"})
    beside = (
        dpc.mechanism("N", dpc.pure(1, dpc.unbounded)),
        dpc.mechanism("N", query=dpc.count, noise=dpc.laplace(1)),
    )
    for one in beside:
        assert composed(noise, one).check(dpc.zcdp("6/5")).verdict != "refuted"
    both = composed(noise, dpc.mechanism("N", dpc.zcdp("1/2", dpc.unbounded)))
    assert both.check(dpc.zcdp("7/5")).verdict == "refuted" and both.guarantee().optimal
    lost = both.check(dpc.zcdp("7/5")).counterexample.actual
    assert lost == Fraction(3, 2)


@pytest.mark.parametrize(
    ("sampled", "size", "rho"),
    [
        ({"draws": ["10", "100"]}, "= 100", 100),
        ({"fixed": ["10", "100"]}, "= 100", 1),
        ({"fixed": "12"}, ">= 12", 1),
    ],
)
def test_samples_of_so_many_of_normal_noise(sampled: Any, size: str, rho: int) -> None:
    target = dpc.unbounded if size == ">= 12" else dpc.bounded
    M = dpc.mechanism("M", dpc.zcdp(1, dpc.bounded), sampled=sampled)
    made = dpc.compose(M, on=dpc.multisets(size=size), target=target)
    assert [made.check(dpc.zcdp(rho - x)).verdict for x in (0, Fraction(1, 100))] == ["proved", "refuted"]


def test_one_record_alone_has_no_other_in_its_place() -> None:
    """All records are alike: at x and xx, xx and xxx, a sample of one is the same."""
    M = dpc.mechanism("M", dpc.pure("log(3)", dpc.bounded), sampled={"fixed": "1"})
    made = composed(M, on=dpc.multisets("a", size=">= 1"))
    assert not made.guarantee().optimal and made.check(dpc.pure("log(3/2)")).verdict == "undecided"


def test_the_kernel_makes_no_theorem_of_a_witness_that_is_none() -> None:
    for target, notion in ((dpc.bounded, "pure"), (dpc.unbounded, "zcdp"), (dpc.unbounded, "gaussian")):
        made = composed(sampled("M", reads="a"), sampled("N", reads="b"), target=target)
        shop = guarantees.workshop(Elaborated(made.setting).core, PAGES)
        assert guarantees.attained(shop, notion) is None


def test_families_studies_and_adaptive_ones() -> None:
    (k,) = dpc.parameters("k", "integer >= 1")
    steps = dpc.mechanism("M", dpc.pure("e[i]", dpc.unbounded), count=k, sampled={"poisson": "1/2"})
    best = composed(steps, adaptive=True).guarantee()
    assert (
        str(best).startswith("unbounded (sum(log(exp(e[i])/2 + 1/2), i, 1, k))-DP") and best.optimal is True
    )
    inner = composed(sampled("M"), sampled("N"))
    outer = composed(dpc.mechanism("S", study=inner), sampled("O"))
    assert [outer.check(dpc.pure(one)).verdict for one in ("log(8)", "log(7)")] == ["proved", "refuted"]


# what the kernel refuses, whatever made it


def changed(given: dict[str, str], *path: Any, to: Any) -> Any:
    """What a mechanism loses in a core setting of which one entry is another one."""
    data = Elaborated(study(given).setting).core.data()
    at: Any = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return Prover(reading.read(data), PAGES).by("given", i=1)


@pytest.mark.parametrize(
    ("given", "path", "to", "said"),
    [
        (POISSON, ("sampled", "values", "s"), "2", "2 is not seen to be a probability"),
        (POISSON, ("sampled", "values", "s"), "e", "e is not seen to be a probability"),
        (POISSON, ("sampled", "values"), {"m": "1"}, "poisson-sampling is about s, not m"),
        (POISSON, ("sampled", "page"), "poisson", "there is no sampling page 'poisson'"),
        (POISSON, ("sampled", "page"), "unbounded-metric", "there is no sampling page"),
        (
            POISSON,
            ("stated", "single"),
            [[1, 1]],
            "stated for other neighbours than those of poisson-sampling",
        ),
        (POISSON, ("stated", "steps"), 2, "stated for other neighbours than those of poisson-sampling"),
        (FIXED, ("sampled", "values", "m"), "5", "5 is not seen to be at most 4"),
        (FIXED, ("sampled", "values", "m"), "1/2", "1/2 is no whole number from 1"),
        (FIXED, ("sampled", "values", "n"), "5", "not all databases have 5 records"),
        (
            FIXED,
            ("stated", "single"),
            [[0, 1]],
            "stated for other neighbours than those of fixed-size-sampling",
        ),
        (
            FIXED,
            ("sampled",),
            {"page": "sampling-of-any-number", "values": {"m": "2", "n": "4"}},
            "other neighbours",
        ),
        (FIXED, ("notion",), "local", "there is no rule page of the notion"),
    ],
)
def test_the_kernel_refuses_samples_that_do_not_fit(given: Any, path: Any, to: Any, said: str) -> None:
    with pytest.raises((NoTheorem, NoPage), match=said):
        changed(given, "mechanisms", 0, *path, to=to)


@pytest.mark.parametrize("besides", ["noise", "table", "study", "also", "metric", "codes"])
def test_nothing_else_is_said_of_what_is_run_on_a_sample(besides: str) -> None:
    data = Elaborated(study(POISSON).setting).core.data()
    data["mechanisms"][0][besides] = None
    with pytest.raises(BadSetting):
        reading.read(data)


@pytest.mark.parametrize(
    ("target", "size", "odds"),
    [
        *((dpc.bounded, size, "3/2") for size in (">= 8", "8..20", "= 8")),
        (dpc.bounded, ">= 2", "3"),
        (dpc.bounded, "<= 9", None),
        (dpc.unbounded, ">= 7", "3/2"),
        (dpc.unbounded, "7..8", "3/2"),
        (dpc.unbounded, ">= 2", "7/3"),
    ],
)
def test_of_any_number_least_is_gained_where_there_are_fewest(
    target: Any, size: str, odds: str | None
) -> None:
    """Two of eight: 1 + 2/8 * (3 - 1); two of two is all of them."""
    M = dpc.mechanism("M", dpc.pure("log(3)", dpc.bounded), sampled={"fixed": "2"})
    if odds is None:
        with pytest.raises(ValueError, match="2 records are drawn, and there may be only 0"):
            composed(M, on=dpc.multisets(size=size), target=target)
        return
    made = composed(M, on=dpc.multisets(size=size), target=target)
    found = [made.check(dpc.pure(f"log({odds})")), made.check(dpc.pure(f"log({odds}) - 1/1000"))]
    assert [one.verdict for one in found] == ["proved", "refuted"] and found[0].loose is False
    assert rechecks.rechecked(made, found).elaborated
    assert 'sampled = { fixed = "2" }' in made.to_toml()
    data = Elaborated(made.setting).core.data()
    data["mechanisms"][0]["sampled"]["values"]["n"] = "9"
    with pytest.raises(NoTheorem, match="9 is not the least number"):
        Prover(reading.read(data), PAGES).by("given", i=1)


def test_a_sample_of_any_number_needs_everything_and_enough_records() -> None:
    M = dpc.mechanism("M", dpc.pure("e", dpc.bounded), sampled={"fixed": "2"})
    data = Elaborated(composed(M, on=dpc.multisets("abc", size=">= 2")).setting).core.data()
    for path, to, said in (
        (("databases", "least"), 1, "2 is not the least number"),
        (("mechanisms", 0, "sampled", "values", "m"), "3", "3 is not seen to be at most 2"),
        (("mechanisms", 0, "reads"), [[0]], "depends on how many others there are"),
    ):
        at: Any = json.loads(json.dumps(data))
        inside = at
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = to
        with pytest.raises(NoTheorem, match=said):
            Prover(reading.read(at), PAGES).by("given", i=1)


# several records, and what is known of the whole curve


@pytest.mark.parametrize("target", [dpc.unbounded, dpc.bounded])
def test_for_groups_all_lose_as_much_at_each_step(target: Any) -> None:
    made = composed(
        sampled("M", e="log(3)", s="1/2"), sampled("N", e="log(3)", s="1/2"), target=dpc.group(2, target)
    )
    least = "log(16)" if target is dpc.unbounded else "log(81)"
    assert made.check(dpc.pure(least)).loose is False
    assert made.check(dpc.pure(f"{least} - 1/1000")).verdict == "refuted"


def test_the_curve_of_two_rounds() -> None:
    """Addition is worse than removal: 49/160, where the other order has 0.30156."""
    made = composed(sampled("M", e="log(3)", s="1/2"), sampled("N", e="log(3)", s="1/2"))
    assert made.check(dpc.approximate("log(41/40)", "49/160")).loose is False
    assert made.check(dpc.approximate("log(41/40)", "0.3062")).verdict == "refuted"


def test_without_any_guarantee_the_sample_protects() -> None:
    made = composed(dpc.mechanism("M", dpc.pure("oo", dpc.unbounded), sampled={"poisson": "1/4"}, count=2))
    assert made.check(dpc.approximate(0, "7/16")).verdict == "proved"
    assert made.check(dpc.approximate(100, "0.43")).verdict == "refuted"


def test_what_holds_of_all_records_is_no_guarantee_on_samples() -> None:
    """The whole is log(2)-DP; on samples it is log(3), and nothing says that log(2) is implied there."""
    M = dpc.mechanism(
        "M",
        [dpc.pure("log(3)", dpc.unbounded), dpc.approximate("log(2)", 0, dpc.unbounded)],
        sampled={"poisson": "1/2"},
    )
    made = composed(M)
    assert made.check(dpc.approximate("log(3/2)", 0)).verdict == "proved"
    assert made.check(dpc.approximate("log(7/5)", 0)).verdict == "refuted"
    core = Elaborated(made.setting).core
    there = guarantees.best(guarantees.workshop(implying(core, 1, 0, 1), PAGES)).main.theorem
    with pytest.raises(NoTheorem, match="no guarantee on samples"):
        Prover(core, PAGES).by("implies", there, i=1, n=0, m=1)


ON: Any = dpc.multisets("ab", size="<= 2")
ROWS = {D: [f"1/{2 + D.count('a')}", f"1 - 1/{2 + D.count('a')}"] for D in ON.databases()}
OF_SAMPLES = dpc.probability_table(ROWS, on=ON)
PAIRS = dpc.multisets("ab", size="= 2")


@pytest.mark.parametrize(
    ("by", "on", "target", "odds"),
    [
        # {a}: (1/2 + 1/3)/2 = 5/12; {a, a}: (1/2 + 2/3 + 1/4)/4 = 17/48; 5/12 : 17/48 is less than 6/5
        (dpc.poisson_sample("1/2"), ON, dpc.unbounded, "6/5"),
        # {a, a}: 1/3; {a, b}: 5/12; {b, b}: 1/2
        (dpc.fixed_sample(1, 2), PAIRS, dpc.bounded, "5/4"),
        # {a, a}: 1/4; {a, b}: (1/4 + 2/3 + 1/2)/4 = 17/48; {b, b}: 1/2
        (dpc.drawn_sample(2, 2), PAIRS, dpc.bounded, "17/12"),
        (dpc.fixed_sample(1), dpc.multisets("ab", size="1..2"), dpc.unbounded, "5/4"),
    ],
)
def test_a_table_on_samples_is_known_exactly(by: Any, on: Any, target: Any, odds: str) -> None:
    made = dpc.compose(dpc.mechanism("M", table=OF_SAMPLES, sampled=by), on=on, target=target)
    assert made.check(dpc.pure(f"log({odds})")).loose is False
    assert made.check(dpc.pure(f"log({odds}) - 1/1000")).verdict == "refuted"


@pytest.mark.parametrize(
    ("by", "on", "said"),
    [
        (dpc.poisson_sample("3/2"), ON, "3/2 is no probability"),
        (dpc.poisson_sample("s"), ON, "drawn with numbers"),
        (dpc.fixed_sample(1), ON, "{} has no such sample"),
        (dpc.fixed_sample(1, 3), PAIRS, "not all databases have 3 records"),
        (dpc.poisson_sample("1/2"), dpc.multisets("ab", size="<= 3"), "no row for .*, a sample of"),
        (dpc.poisson_sample("1/2"), dpc.listed(["a", "aa"]), "of multisets and sets"),
    ],
)
def test_tables_that_do_not_fit_their_samples(by: Any, on: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dpc.compose(dpc.mechanism("M", table=OF_SAMPLES, sampled=by), on=on, target=dpc.free_lunch)


def test_the_formula_holds_of_a_table_on_samples() -> None:
    """Half of the records: log(1 + (3/2 - 1)/2) by the formula, and one of the other way round is attained."""
    loss = OF_SAMPLES.loss(dpc.unbounded).expression
    assert str(loss) == "log(3/2)"
    M = dpc.mechanism("M", table=OF_SAMPLES, sampled=dpc.poisson_sample("1/2"))
    assert dpc.compose(M, on=ON, target=dpc.unbounded).check(dpc.pure("log(5/4)")).loose is True
