"""Guarantees and claims in distances, of products: by hand, forged, and settings at random.

What is true is said with each case.  `believed` says no more than that the kernel took a derivation.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import MagicMock

import pytest
from kernel import products_at_random as drawn
from shares import seeds

from dpcompose.kernel import check
from dpcompose.kernel.composition import axioms
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import places
from dpcompose.kernel.covers.products import Products
from dpcompose.kernel.judgements import Optimal
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import metrics as rules
from dpcompose.kernel.rules.premises import claimed
from dpcompose.kernel.theorems import NoTheorem
from dpcompose.language import exchange
from dpcompose.proof.theory import registry
from dpcompose.search.metrics.cases import types_of
from dpcompose.search.metrics.verdicts import MetricVerdicts
from dpcompose.spaces.classes.products import Product

THEORY = Theory(registry.standard().pages)
KEYS = drawn.KEYS
LINE = {"kind": "points", "coordinates": ["x"], "box": [[None, None]]}
OTHER = {"kind": "points", "coordinates": ["y"], "box": [[None, None]]}
THREE = {"kind": "listed", "shown": "three", "count": 3}
BAGS = {"kind": "records", "shown": "bags", "of": "multisets", "size": ["any", None], "atoms": [["r", "s"]]}
SIZE = "max(x__D - x__E, x__E - x__D)"
ABOUT = {"name": "i", "reads": [None], "domain": "own", "notion": "pure", "values": {"epsilon": "1"}}


def core(parts: Any, distances: Any, *mechanisms: Any, **more: Any) -> Setting:
    databases = {"kind": "product", "shown": "p", "parts": parts}
    data = {
        "parameters": {"e": "positive"},
        "databases": databases,
        "target": {"single": "any two", "steps": 1},
    }
    return reading.read(
        data | {"distances": distances, "mechanisms": list(mechanisms), "adaptive": False} | more
    )


def judged(setting: Setting) -> MetricVerdicts:
    """The judge of a core setting that was elaborated from no file: its words about databases are no words."""
    told = MagicMock(core=setting)
    told.parts.expression, told.setting.databases = exchange.to_sympy, Product(())
    return MetricVerdicts(told, THEORY)


def mechanism(name: str, formula: str, notion: str = "pure", delta: str = "0", **more: Any) -> dict[str, Any]:
    values = {KEYS[notion]: "1"} | ({"delta": "0"} if notion == "approximate" else {})
    metric = {"formula": formula, "besides": {"delta": delta} if notion == "approximate" else {}}
    about = {"name": name, "reads": [None], "domain": "own", "notion": notion, "values": values}
    return about | {"metric": metric} | more


def along(*lengths: tuple[int, int, str]) -> dict[str, Any]:
    pairs = [[i, j] for i, j, _ in lengths]
    stated = {"single": pairs, "steps": 1, "lengths": [one for _, _, one in lengths]}
    return {"part": "", "input": {**ABOUT, "stated": stated}}


def steps(single: Any, part: str = "") -> dict[str, Any]:
    return {"part": part, "input": {**ABOUT, "stated": {"single": single, "steps": 1}}}


def verdict(setting: Setting, notion: str, value: str, delta: str | None = None) -> str:
    claim = {"notion": notion, KEYS[notion]: value} | ({} if delta is None else {"delta": delta})
    found = judged(setting).on(claim)
    if found.theorem is not None:
        made = [one for one in (found.theorem, found.shown) if one is not None]
        check.replay(check.all_saved(made, THEORY), setting, THEORY)
    return found.word


def believed(setting: Setting, notion: str, value: str) -> bool:
    """Whether `everywhere` takes what the search would prove, without its look at simple points first."""
    judge, claim = judged(setting), {"notion": notion, KEYS[notion]: value}
    said, known = claimed(claim, setting, THEORY), judge.best(notion)
    cover = judge.cover({name for _, one in said.values for name in one.letters})
    if cover is None or known is None:
        return False
    ((key, more),), ((_, less),) = said.values, known.says.values  # type: ignore[union-attr]
    sides = [rules.sides_at(one, more, less, setting) for one in types_of(cover)]
    shown = {key: [judge.cases.comparisons.in_case(*one, judge._is_squared(notion, key)) for one in sides]}
    try:
        judge.prover.by("everywhere", known, cover, claim=claim, certificates=shown)
    except NoTheorem:
        return False
    return True


# what is false is not proved


def test_noise_is_not_stated_in_whether_something_is_apart() -> None:
    noise = {"page": "laplace", "parameter": "1", "entries": ["x__D"]}
    far = {"d__a": {"formula": SIZE, "apart": True}}  # 0 everywhere: Laplace noise loses |x - y|
    setting = core({"": LINE}, far, mechanism("N", "d__a", noise=noise))
    assert verdict(setting, "pure", "0") != "proved"


@pytest.mark.parametrize("page", ["randomized-response", "planar-laplace"])
def test_noise_on_values_is_noise_on_such_values(page: str) -> None:
    noise = {"page": page, "parameter": "3/4", "entries": ["x__D"]}  # bits; points of the plane
    setting = core({"": LINE}, {"d__a": {"formula": SIZE}}, mechanism("N", "d__a", noise=noise))
    assert verdict(setting, "pure", "4*d__a") != "proved"


def test_geometric_noise_is_on_whole_values() -> None:
    noise = {"page": "geometric", "parameter": "1", "entries": ["x__D/2"]}
    far = {"d__a": {"formula": f"{SIZE}/2"}}
    setting = core({"": LINE}, far, mechanism("N", "d__a", noise=noise))
    assert verdict(setting, "pure", "d__a") != "proved"


def test_a_bound_that_is_false_is_not_used() -> None:
    setting = core({"": LINE}, {"d__a": {"formula": SIZE, "at most": "1"}}, mechanism("M", "e*d__a"))
    assert not believed(setting, "pure", "e")  # e*|x - y| is lost


def test_a_declared_distance_may_be_infinite() -> None:
    far = {"d__a": {}, "d__p": {"formula": "d__a", "apart": True}}
    assert not believed(core({"": LINE}, far, mechanism("M", "d__p")), "pure", "0")


def test_a_coordinate_is_no_declared_distance() -> None:
    part = {"kind": "points", "coordinates": ["declared"], "box": [["0", "1"]]}
    try:
        setting = core({"": part}, {"d__D": {}}, mechanism("M", "e*d__D"))
    except BadSetting:
        return
    assert not believed(setting, "pure", "e")


TABLE = {"on": "databases", "outcomes": ["a", "b"], "rows": [["1/2", "1/2"], ["1/4", "3/4"], ["1/8", "7/8"]]}


@pytest.mark.parametrize(
    ("notion", "value", "claim"),
    [("gaussian", "1/9", "d__t/9"), ("zcdp", "1/9", "d__t**2/9"), ("pure", "1/9", "d__t/9")],
)
def test_a_table_loses_its_distance_and_no_less(notion: str, value: str, claim: str) -> None:
    lost = {"part": "", "input": {**ABOUT, "table": TABLE, "stated": {"single": "any two", "steps": 1}}}
    one = mechanism("T", "d__t", notion, table=TABLE) | {"values": {KEYS[notion]: value}}
    try:
        setting = core({"": THREE}, {"d__t": lost}, one)
    except BadSetting:
        return
    assert not believed(setting, notion, claim)


def test_databases_that_are_equal_in_a_listed_part_are_one_of_it() -> None:
    """Whether they differ there is one distance, how many steps they are apart another one: 0 with 0."""
    far = {"d__f": {"parts": ["b"]}, "d__c": steps([[0, 1], [1, 2]], "b")}
    setting = core({"a": LINE, "b": THREE}, far, mechanism("M", "e*d__f + d__c"))
    types = Products(setting, THEORY, [*far]).cover().types
    told = {(tuple(r.number for _, r in one.where.distances), one.pair) for one in types if one.where}
    assert told == {((0, 0), (0, 0)), ((1, 0), (0, 0)), ((1, 1), (0, 1)), ((1, 2), (0, 2))}
    assert [one.where.same for one in types if one.where] == [frozenset()] * 3 + [frozenset({"b"})]


# what is true is not refuted


def test_two_databases_that_are_equal_do_not_differ() -> None:
    two, any_two = {"a": LINE, "b": OTHER}, mechanism("M", "e*d__f")
    x, y = {"differences": ["x__D - x__E"]}, {"differences": ["y__D - y__E"]}
    every = {"parts": ["a", "b"]}
    for parts, far, claim in (
        ({"": LINE}, {"d__f": {"parts": [""]}, "d__g": {"parts": [""]}}, "e*d__g"),
        ({"": LINE}, {"d__f": {"parts": [""]}, "d__g": x}, "e*d__g"),
        (two, {"d__f": {"parts": ["a"]}, "d__g": every}, "e*d__g"),
        (two, {"d__x": x, "d__y": y, "d__f": every}, "e*(d__x + d__y)"),
        (
            {"a": LINE, "b": BAGS},
            {"d__x": x, "d__u": steps([[0, 1], [1, 0]], "b"), "d__f": every},
            "e*(d__x + d__u)",
        ),
    ):
        assert verdict(core(parts, far, any_two), "pure", claim) != "refuted"


def test_no_claim_is_larger_at_databases_that_differ_and_are_equal() -> None:
    far = {"d__f": {"parts": [""]}, "d__g": {"differences": ["x__D - x__E"]}}
    setting = core({"": LINE}, far, mechanism("M", "e*d__f"))
    judge = judged(setting)
    found = judge.on({"notion": "pure", "epsilon": "max(e*d__f, e*d__g)"})
    assert found.loose is not True


def test_a_delta_that_is_infinite_at_some_databases_is_no_delta_that_is_lost() -> None:
    # (d, 0) between 0, 1 and 1, 2, so 2-DP between 0, 2, though delta is oo there
    far = {"d__c": along((0, 1, "1"), (1, 2, "1")), "d__p": along((0, 1, "0")), "d__q": along((1, 2, "0"))}
    setting = core({"": THREE}, far, mechanism("M", "d__c", "approximate", "min(d__p, d__q)"))
    assert verdict(setting, "pure", "d__c") != "refuted"
    assert verdict(setting, "zcdp", "4*d__c**2") != "refuted"
    assert verdict(setting, "approximate", "d__c", "0") != "refuted"


def test_a_constant_delta_is_not_lost_at_equal_databases() -> None:
    far = {"d__i": along(), "d__o": steps("any two")}  # oo, and 1, between different ones
    setting = core({"": THREE}, far, mechanism("M", "e*d__o", "approximate", "1/100"))
    assert verdict(setting, "zcdp", "d__i") != "refuted"
    assert verdict(setting, "gaussian", "d__i") != "refuted"


def test_pure_privacy_loses_less_where_there_are_databases_between() -> None:
    # P_0 and P_2 with |ln(P_0/P_1)|, |ln(P_1/P_2)| <= 1: exp((a - 1)*D_a) is linear in the weights of the four
    # outcomes with ratios exp(+-1), the largest value 0.269*(exp(2a - 1) + exp(1 - 2a)) + 0.462/e: D_a/a <= 1.265
    setting = core({"": THREE}, {"d__c": steps([[0, 1], [1, 2]])}, mechanism("M", "d__c"))
    assert verdict(setting, "zcdp", "min(7/10*d__c, 119/100)**2") != "refuted"  # 0.49, 1.416
    assert verdict(setting, "zcdp", "min(7/10*d__c, 1/3)**2") == "refuted"


def test_differences_that_are_none_of_a_map_are_no_metric() -> None:
    # 1 only where x and y are more than 1 apart: by points in between M is constant, and 0 holds
    far = {"d__a": {"differences": ["max(0, x__D - x__E - 1)", "max(0, x__E - x__D - 1)"]}}
    assert verdict(core({"": LINE}, far, mechanism("M", "e*d__a")), "pure", "0") != "refuted"


def test_nothing_is_refuted_where_no_mechanism_is_as_stated() -> None:
    negative = mechanism("N", "d__a") | {"values": {"epsilon": "e - 3"}}  # none for e < 3
    try:
        setting = core({"": LINE}, {"d__a": {"formula": SIZE}}, mechanism("M", "e*d__a"), negative)
    except BadSetting:
        return
    found = judged(setting).on({"notion": "pure", "epsilon": "e*d__a/2"})
    assert found.theorem is None or found.word != "refuted" or dict(found.theorem.says.point)["e"] >= 3  # type: ignore[union-attr]


def test_what_falls_with_a_declared_distance_is_not_at_its_least() -> None:
    far = {
        "d__a": {"at most": "1"},
        "d__b": {"formula": "max(0, 3 - d__a)"},
        "d__o": {"differences": ["x__D - x__E"]},
    }
    setting = core({"": LINE}, far, mechanism("M", "5/2*d__o"))
    assert verdict(setting, "pure", "d__b") != "refuted"  # 3 where d__a is 0


def test_the_square_of_a_maximum_is_not_that_of_its_negative_part() -> None:
    setting = core({"": THREE}, {"d__i": along()}, mechanism("M", "min(e*d__i, e)", "gaussian"))
    assert verdict(setting, "gaussian", "min(e*d__i, e)") != "refuted"  # 0 at D = E, not e


# forged


def test_a_formula_in_distances_is_not_shown_to_be_a_metric_by_coordinates() -> None:
    far = {"d__a": {"formula": SIZE}, "d__b": {"formula": f"d__a*{SIZE}"}}  # (x - y)^2
    setting = core({"": LINE}, far, mechanism("M", "d__b"))
    judge = judged(setting)
    wanted = axioms.obligations(dict(setting.distances)["d__b"].formula, setting.databases.points)
    shown = [judge.cases.comparisons.in_case(one.greater, one.lesser) for one in wanted]
    with pytest.raises(NoTheorem):
        judge.prover.by("is_metric", name="d__b", certificates=shown)


def test_a_claim_is_not_larger_at_distances_that_no_databases_have() -> None:
    far = {"d__a": {"formula": SIZE}, "d__b": {"formula": "d__a"}}
    setting = core({"": LINE}, far, mechanism("M", "e*d__a"))
    judge = judged(setting)
    known = judge.best("pure")
    assert known is not None
    with pytest.raises(NoTheorem):  # the claim is e*d__a
        point = {"e": "1", "d__a": "0", "d__b": "1"}
        judge.prover.by(
            "loose", known, claim={"notion": "pure", "epsilon": "e*d__b"}, key="epsilon", point=point
        )


def test_letters_of_cases_are_no_distances() -> None:
    setting = core({"": LINE}, {"d__a": {"formula": SIZE}}, mechanism("M", "e*d__a"))
    judge = judged(setting)
    cover = judge.cover(["d__a"])
    assert cover is not None
    composed = judge.prover.by("compose", *judge.stated)
    claim = {"notion": "pure", "epsilon": "e*d__a"}
    with pytest.raises(NoTheorem):
        known = judge.prover.by("worst", composed, cover)  # in x__D, x__E
        point = {"e": "1", "d__a": "5", "x__D": "0", "x__E": "0"}
        judge.prover.by("loose", known, claim=claim, key="epsilon", point=point)


def test_forged_steps_are_refused() -> None:
    parts = {"a": LINE, "b": THREE}
    far = {"d__a": {"formula": SIZE}, "d__o": steps("any two", "b"), "d__g": {"differences": ["x__D - x__E"]}}
    setting = core(parts, far, mechanism("M", "e*d__a"), mechanism("N", "e*d__o"))
    judge = judged(setting)
    claim = {"notion": "pure", "epsilon": "e*d__a + e*d__o + e"}
    found = judge.on(claim)
    assert found.word == "proved" and found.theorem is not None
    known, cover = found.theorem.premises
    shown = found.theorem.arguments["certificates"]["epsilon"]

    def refused(rule: str, *premises: Any, **arguments: Any) -> None:
        with pytest.raises(NoTheorem):
            judge.prover.by(rule, *premises, **arguments)

    assert len(shown) == 2
    for some in (
        shown[::-1],
        shown[:1],
        [*shown, shown[0]],
        [None, None],
        {},
        [shown[0], {**shown[1], "whole": 1}],
    ):
        if some != shown:
            refused("everywhere", known, cover, claim=claim, certificates={"epsilon": some})
    smaller = {"notion": "pure", "epsilon": "e*d__a"}
    refused("everywhere", known, cover, claim=smaller, certificates={"epsilon": shown})
    other = judge.cover(["d__g"])
    refused("everywhere", known, other, claim=claim, certificates={"epsilon": shown})  # other cases
    asked = {"notion": "pure", "epsilon": "e*d__a + e*d__o + e*d__g"}
    refused("everywhere", known, cover, claim=asked, certificates={"epsilon": shown})  # says nothing of d__g
    lower = judge.prover.by("attain", cover, *judge.stated, notion="pure", neighbours=[2], by=[1, 2])
    both = judge.prover.by("attain", cover, *judge.stated, notion="pure", neighbours=[1, 2], by=[1, 2])
    place = {"e": "1", "x__D": "0", "x__E": "1"}
    judge.prover.by("refute", lower, claim=smaller, point=place)
    refused("refute", both, claim=smaller, point=place)
    for wrong in (
        {"x__D": "0", "x__E": "1"},
        {**place, "e": "0"},
        {**place, "y__D": "1"},
        {**place, "d__a": "9"},
    ):
        refused("refute", lower, claim=smaller, point=wrong)
    refused("larger", known, cover, claim=asked, key="epsilon", neighbours=1, point=place)
    refused("larger", known, cover, claim=claim, key="epsilon", neighbours=3, point=place)
    lowers = [
        judge.prover.by("attain", cover, *judge.stated, notion="pure", neighbours=[n], by=[1, 2])
        for n in (1, 2)
    ]
    best = {"notion": "pure", "epsilon": "e*d__a + e*d__o"}
    sure = judge.on(best)
    assert sure.theorem is not None and sure.shown is not None and isinstance(sure.shown.says, Optimal)
    given = sure.shown.arguments
    first, over, *_ = sure.shown.premises
    judge.prover.by("least_everywhere", first, over, *lowers, **given)
    refused("least_everywhere", first, over, *lowers[::-1], **given)
    refused("least_everywhere", first, over, lowers[0], lowers[0], **given)
    refused("least_everywhere", first, over, *lowers[:1], **given)
    refused("least_everywhere", first, over, both, both, **given)


def test_what_is_no_metric_loses_nothing_for_sure() -> None:
    far = {
        "d__a": {"formula": SIZE},
        "d__s": {"formula": "(x__D - x__E)**2"},
        "d__o": {"formula": "max(0, x__D - x__E)"},
    }
    for formula in ("e*d__s", "d__a*d__a", "d__o", "1 - exp(-d__s)", "min(d__a, d__s)"):
        assert verdict(core({"": LINE}, far, mechanism("M", formula)), "pure", "0") == "undecided"


# settings at random


PARAMETERS = ({"e": 1.0, "f": 1.0}, {"e": 0.3, "f": 2.0}, {"e": 2.0, "f": 0.0}, {"e": 5.0, "f": 0.1})


def check_drawn(seed: int) -> None:
    some = drawn.Drawn(seed)
    try:
        case = some.case()
    except BadSetting:
        return
    judge = judged(case.setting)
    for claim in some.claims(case):
        found = judge.on({key: drawn.in_words(text) for key, text in claim.items()})
        if found.theorem is not None:
            made = [one for one in (found.theorem, found.shown) if one is not None]
            check.replay(check.all_saved(made, THEORY), case.setting, THEORY)
        draw = random.Random(seed)
        if found.word == "proved":
            assert not _exceeded(case, claim, draw), (seed, claim)
        if found.word == "refuted":
            assert _is_refuted(case, claim, found.theorem, draw), (seed, claim)


def _lost(
    case: drawn.Case, claim: Mapping[str, str], D: Any, E: Any, e: Any, which: Any
) -> list[tuple[float, float]]:
    """For each parameter what is claimed, and what is lost; nothing where the claim says nothing."""
    notion = claim["notion"]
    keys = [KEYS[notion], *(["delta"] if notion == "approximate" else [])]
    names = {**case.distances(D, E), **e}
    composed = case.composed(notion, D, E, e, which)
    values = [drawn.at(claim[key], names) for key in keys]
    if math.inf in values or ("delta" in keys and values[-1] >= 1):
        return []
    return [(x, composed["delta" if key == "delta" else notion]) for key, x in zip(keys, values, strict=True)]


def _exceeded(case: drawn.Case, claim: Mapping[str, str], draw: random.Random) -> bool:
    every = range(len(case.formulas))
    some = case.databases(draw, 14)
    for D in some:
        for E in some:
            for e in PARAMETERS:
                try:
                    found = _lost(case, claim, D, E, e, every)
                except (OverflowError, ValueError):
                    continue
                if any(not x >= y - 1e-7 * max(1.0, y if y < math.inf else 1.0) for x, y in found):
                    return True
    return False


def _is_refuted(case: drawn.Case, claim: Mapping[str, str], theorem: Any, draw: random.Random) -> bool:
    point = dict(theorem.says.point)
    e = {name: float(point[name]) for name in ("e", "f")}
    first = theorem.premises[0].says
    type = (
        first.at[0].type
        if theorem.rule == "refute"
        else first.cover.types[theorem.arguments["neighbours"] - 1]
    )
    pair: list[dict[str, Any]] = [{}, {}]
    for one in case.parts:
        for who, database in zip("DE", pair, strict=True):
            if one.coordinates:
                database[one.name] = {x: float(point.get(f"{x}__{who}", 0)) for x in one.coordinates}
            elif not one.atoms:
                database[one.name] = dict(type.where.listed)[one.name]["DE".index(who)]
    for name, records in places.records(case.setting, THEORY, type.where, point):
        for database, one in zip(pair, records, strict=True):
            database[name] = tuple(sorted(one))
    D, E = pair
    known = case.databases(draw, 14)
    for which in (1, 2):  # what is lost by the metrics alone, and by the δ alone
        some = [i for i in range(len(case.formulas)) if drawn.is_metric(case, i, [*known, D, E], e, which)]
        lost = _lost(case, claim, D, E, e, some)
        if any(not x >= y - 1e-12 for x, y in lost[which - 1 : which] if some):
            return True
    return False


ATOMS: Sequence[tuple[tuple[str, ...], ...]] = ((("r",),), (("r", "s"),), (("r",), ("t",)))


@pytest.mark.parametrize("atoms", ATOMS)
@pytest.mark.parametrize("stated", drawn.SINGLE)
@pytest.mark.parametrize(("reads", "domain"), [(None, "own"), ((0,), "own"), ((0,), "common")])
def test_distances_in_closed_form_are_the_shortest_ways(
    atoms: tuple[tuple[str, ...], ...], stated: str, reads: tuple[int, ...] | None, domain: str
) -> None:
    data = {"kind": "records", "size": ["any", None], "atoms": atoms}
    part = drawn.Part("", data, atoms=atoms)
    ways = drawn.ways(part, stated, reads, domain)
    kept = {one for n in reads or range(len(atoms)) for one in atoms[n]}
    some = [one for one in part.whole if len(one) <= 2]
    for D in some:
        for E in some:
            x, y = (tuple(one for one in database if one in kept) for database in (D, E))
            closed = drawn.matched(part, stated, None if reads is None else kept, domain, x, y)
            assert ways(D, E) == closed, (D, E)
    replaced = 10 if domain == "common" and len(atoms) > 1 else math.inf  # by records that are not read
    assert ways(("r",) * 40, ("r",) * 30) == {"unbounded": 10, "any": 1, "bounded": replaced}[stated]


@seeds(4, 1_000)
def test_settings_at_random(seed: int) -> None:
    check_drawn(seed)
