"""What is said to imply a guarantee, and does not: a theorem that says less, and metrics that are not compared."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import told
from kernel.covers.test_covers import REPLACE, multisets, reads

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.implied import implying
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.judgements import Implies, Loose, Lower, Optimal, Refuted, Satisfies
from dpcompose.kernel.rules import choices
from dpcompose.kernel.rules.premises import BadStep
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem

CHANGE = {"single": [[0, 1], [1, 0]], "steps": 1}


def prover(one: dict[str, Any], other: dict[str, Any]) -> Prover:
    """About M with two guarantees."""
    data = {
        "parameters": {"e": "positive", "f": "positive"},
        "databases": multisets(["a", "b"]),
        "target": REPLACE,
        "mechanisms": [{"name": "M", **reads(None, CHANGE), **one, "also": [{"domain": "own", **other}]}],
    }
    return Prover(reading.read(data), told.THEORY)


def pure(epsilon: str, stated: Any = REPLACE) -> dict[str, Any]:
    return {"stated": stated, "notion": "pure", "values": {"epsilon": epsilon}}


def by_replacements(of: Prover) -> Theorem:
    """What M with its first guarantee, e for records that come and go, loses where one is replaced."""
    there = Prover(implying(of.setting, 1, 0, 1), told.THEORY)
    return there.by("worst", there.by("compose", there.by("given", i=1)), there.by("cover"))


@pytest.mark.parametrize("claimed", ["e", "3*e/2", "3*e", "f", "max(2*e, f)"])
def test_a_theorem_implies_the_guarantee_that_it_states_and_no_other(claimed: str) -> None:
    """2·e is shown; that the second guarantee, which is smaller or another one, follows is not."""
    fitting = prover(pure("e", CHANGE), pure("2*e"))
    assert isinstance(fitting.by("implies", by_replacements(fitting), i=1, n=0, m=1).says, Implies)
    forged = prover(pure("e", CHANGE), pure(claimed))
    with pytest.raises(NoTheorem, match="the theorem does not state the guarantee"):
        forged.by("implies", by_replacements(forged), i=1, n=0, m=1)


def test_a_theorem_in_another_notion_implies_nothing() -> None:
    forged = prover(pure("e", CHANGE), {"stated": REPLACE, "notion": "zcdp", "values": {"rho": "2*e"}})
    with pytest.raises(NoTheorem, match="the theorem does not state the guarantee"):
        forged.by("implies", by_replacements(forged), i=1, n=0, m=1)


STEPS = {
    "name": "d",
    "reads": [None],
    "domain": "own",
    "notion": "pure",
    "values": {"epsilon": "1"},
    "stated": CHANGE,
}


def in_metric(formula: str) -> dict[str, Any]:
    one = {"notion": "pure", "values": {"epsilon": "1"}, "domain": "own"}
    return one | {"metric": {"formula": formula, "besides": {}}}


@pytest.mark.parametrize(
    ("greater", "lesser"), [("2*d__d", "d__d"), ("d__d**2", "d__d"), ("e*d__d", "f*d__d")]
)
def test_formulas_in_distances_are_not_compared_by_their_factors(greater: str, lesser: str) -> None:
    """Both are 1 times a formula: that does not make the one in half the distance follow."""
    data = {
        "parameters": {"e": "positive", "f": "positive"},
        "databases": {"kind": "product", "shown": "", "parts": {"": {"shown": "", **multisets(["a", "b"])}}},
        "distances": {"d__d": {"part": "", "input": STEPS}},
        "target": {"single": "any two", "steps": 1},
        "mechanisms": [{"name": "M", "reads": [None], **in_metric(greater), "also": [in_metric(lesser)]}],
        "adaptive": False,
    }
    forged = Prover(reading.read(data), told.THEORY)
    with pytest.raises(NoTheorem, match="the guarantees are formulas in distances"):
        forged.by("implies", i=1, n=0, m=1)


def test_the_least_of_all_guarantees_is_about_the_inputs_of_all_of_them() -> None:
    """With the types of one guarantee, or of neighbours that do not move, less would be shown."""
    made = prover(pure("e", CHANGE), pure("f"))
    every = Prover(made.setting.with_each(), told.THEORY)
    shown = made.by("among", every.by("cover"), notion="pure").says
    assert isinstance(shown, Satisfies) and to_text(dict(shown.values)["epsilon"]) == "min(2*e, f)"
    still = reading.read(every.setting.data() | {"target": {"single": [[1, 0]], "steps": 1}})
    for cover in (made.by("cover"), Prover(still, told.THEORY).by("cover")):
        with pytest.raises(NoTheorem, match="the types are not those of the inputs of all guarantees"):
            made.by("among", cover, notion="pure")


def test_a_guarantee_with_other_values_has_these() -> None:
    """Also where it is the only one."""
    setting = prover(pure("e"), pure("f")).setting
    several, f = setting.mechanisms[0], setting.symbols["f"]
    alone = several.with_only(0)
    assert not alone.also and alone.with_only(0) == alone
    for one in (several, alone):
        assert one.with_only(0, (("epsilon", f),)).values == (("epsilon", f),)


def test_a_curve_has_no_other_values() -> None:
    """What M promises at all orders is no number that could be put in the place of another one."""
    curve = {"stated": REPLACE, "notion": "renyi", "values": {"epsilon": "alpha*e"}, "orders": "(1, oo)"}
    data = prover(pure("e"), pure("f")).setting.data()
    data["mechanisms"][0] = {**data["mechanisms"][0], **curve, "also": [{"domain": "own", **curve}]}
    forged = Prover(reading.read(data | {"orders": "8"}), told.THEORY)
    with pytest.raises(NoTheorem, match="guarantee 1 is about all orders that it says, and not those"):
        forged.by("implies", i=1, n=0, m=1)
    with pytest.raises(BadSetting, match="guarantee 0 of M is a curve, which has no other values"):
        forged.setting.mechanisms[0].with_only(0, (("epsilon", forged.setting.symbols["f"]),))
    with pytest.raises(BadSetting, match="guarantee 0 of M has other parameters"):
        forged.setting.mechanisms[0].with_only(0, (("rho", forged.setting.symbols["f"]),))


SAMPLED = {"sampled": {"page": "poisson-sampling", "values": {"s": "1/2"}}}


def test_what_holds_of_all_records_is_no_guarantee_on_samples() -> None:
    """Of a mechanism on samples of which e for records that come and go is stated, 2*e is not shown by this for those
    that are replaced: what is shown is about the whole, where a sample loses less."""
    made = prover({**pure("e", CHANGE), **SAMPLED}, pure("2*e"))
    with pytest.raises(NoTheorem, match="what holds of all records is no guarantee on samples of them"):
        made.by("implies", by_replacements(made), i=1, n=0, m=1)


def test_a_theorem_about_other_values_or_neighbours_implies_nothing() -> None:
    made = prover(pure("e", CHANGE), pure("2*e"))
    smaller = by_replacements(prover(pure("e/2", CHANGE), pure("e")))
    here = Prover(implying(made.setting, 1, 0, 0), told.THEORY)  # for records that come and go
    still = here.by("worst", here.by("compose", here.by("given", i=1)), here.by("cover"))
    for theorem in (smaller, still):
        with pytest.raises(NoTheorem, match="the theorem is not about that mechanism alone"):
            made.by("implies", theorem, i=1, n=0, m=1)


def test_the_guarantees_that_a_family_has_imply_no_others() -> None:
    """What is shown of one member is not shown of all at once; nor of an input that another guarantee does not read."""
    part = {**pure("e", CHANGE), "reads": [[0]], "domain": "own"}
    data = prover(pure("e", CHANGE), pure("2*e")).setting.data()
    data["mechanisms"] = [{**data["mechanisms"][0], **part}]
    forged = Prover(reading.read(data), told.THEORY)
    with pytest.raises(NoTheorem, match="are not both about one map on the class"):
        forged.by("implies", by_replacements(prover(pure("e", CHANGE), pure("2*e"))), i=1, n=0, m=1)


def of_a_part(epsilon: str, domain: str, *atoms: list[str]) -> Prover:
    """About M that reads the records a and b, e for records there that come and go, and another guarantee, for replaced
    records."""
    data = prover(pure("e", CHANGE), pure(epsilon)).setting.data()
    (mechanism,) = data["mechanisms"]
    also = [{**pure(epsilon), "domain": domain}]
    data["mechanisms"] = [{**mechanism, "reads": [[0]], "domain": "own", "also": also}]
    return Prover(reading.read(data | {"databases": multisets(["a", "b"], *atoms)}), told.THEORY)


def test_what_is_read_in_part_has_the_guarantees_that_it_has_by_itself() -> None:
    """Where a record is replaced by one that is not read, one goes: 2*e is enough on both domains, e on none."""
    for domain in ("own", "common"):
        fitting = of_a_part("2*e", domain, ["c"])
        assert isinstance(fitting.by("implies", by_replacements(fitting), i=1, n=0, m=1).says, Implies)
        forged = of_a_part("e", domain, ["c"])
        with pytest.raises(NoTheorem, match="the theorem does not state the guarantee"):
            forged.by("implies", by_replacements(forged), i=1, n=0, m=1)
    # on the own domain replaced records are no step of those that come and go: what is shown there is not shown here
    own, common = (by_replacements(of_a_part("2*e", domain, ["c"])) for domain in ("own", "common"))
    for domain, other in (("common", own), ("own", common)):
        with pytest.raises(NoTheorem, match="the theorem is not about that mechanism alone"):
            of_a_part("2*e", domain, ["c"]).by("implies", other, i=1, n=0, m=1)
    whole = by_replacements(prover(pure("e", CHANGE), pure("2*e")))
    with pytest.raises(NoTheorem, match="the theorem is not about that mechanism alone"):
        of_a_part("2*e", "common", ["c"]).by("implies", whole, i=1, n=0, m=1)


def chosen(setting: Any, says: Any, *implied: Any, of: Any = None, **arguments: Any) -> Any:
    """What `choose` makes of a theorem about other guarantees, and of what these imply."""
    there = setting if of is None else of
    premises: Any = [SimpleNamespace(says=one, setting=there.hash) for one in (says, *implied)]
    return choices.choose(setting, told.THEORY, premises, **arguments)[0]


def test_what_some_lose_with_one_guarantee_is_lost_where_that_implies_all_others() -> None:
    """With the second of two what is refuted is so where it implies the first; what holds, holds anyway."""
    setting = prover(pure("e"), pure("f")).setting
    second = setting.choosing([1], {})
    e = (("epsilon", setting.symbols["e"]),)
    half = (("epsilon", formulas.parse("e/2", setting.symbols)),)
    said: list[Any] = [
        Refuted("pure", e, ()),
        Optimal("pure", e, "epsilon"),
        Lower("pure", "epsilon", e[0][1], ()),
    ]
    for says in said:
        assert chosen(setting, says, Implies(1, 1, 0), of=second, which=[1]) == says
        for implied in ((), (Implies(1, 0, 1),), (Implies(2, 1, 0),), (Implies(1, 1, 0, half),)):
            with pytest.raises(BadStep, match="guarantee 1 of M is not seen to imply guarantee 0"):
                chosen(setting, says, *implied, of=second, which=[1])
        with pytest.raises(BadStep, match="not about the guarantees that are chosen"):
            chosen(setting, says, Implies(1, 1, 0), which=[1])
    for says in (Satisfies("pure", e), Loose("pure", e, ())):
        assert chosen(setting, says, of=second, which=[1]) == says
        with pytest.raises(BadStep, match="the premises are to be"):
            chosen(setting, says, Implies(1, 1, 0), of=second, which=[1])
    with pytest.raises(BadStep, match="only what is said of the whole"):
        chosen(setting, Implies(1, 1, 0), of=second, which=[1])


def test_with_smaller_values_all_guarantees_are_to_be_implied() -> None:
    """That e/2 loses as much is said of e where e/2 implies both; that e/2 is the least is not said of e."""
    setting = prover(pure("e"), pure("f")).setting
    e, half = (("epsilon", setting.symbols["e"]),), (("epsilon", formulas.parse("e/2", setting.symbols)),)
    smaller, values = setting.choosing([0], {1: half}), {"1": {"epsilon": "e/2"}}
    both = (Implies(1, 0, 0, half), Implies(1, 0, 1, half))
    refuted = Refuted("pure", e, ())
    assert chosen(setting, refuted, *both, of=smaller, which=[0], values=values) == refuted
    for fewer in (both[:1], both[1:]):
        with pytest.raises(BadStep, match="is not seen to imply"):
            chosen(setting, refuted, *fewer, of=smaller, which=[0], values=values)
    for says in (Optimal("pure", e, "epsilon"), Satisfies("pure", e)):
        with pytest.raises(BadStep, match="only what is said of the whole"):
            chosen(setting, says, *both, of=smaller, which=[0], values=values)


def test_a_guarantee_for_the_same_neighbours_implies_those_with_larger_parameters_only() -> None:
    """e/2 implies e; e does not imply e/2, nor what is in another notion or for others."""
    made = prover(pure("e/2"), pure("e")).setting
    assert Prover(made, told.THEORY).by(
        "implies", i=1, n=0, m=1, certificates={"epsilon": HALF_OF_E}
    ).says == Implies(1, 0, 1)
    with pytest.raises(NoTheorem):
        Prover(made, told.THEORY).by("implies", i=1, n=1, m=0, certificates={"epsilon": HALF_OF_E})
    for other in (pure("e", CHANGE), {"stated": REPLACE, "notion": "zcdp", "values": {"rho": "e"}}):
        forged = prover(pure("e/2"), other)
        with pytest.raises(NoTheorem, match="about other neighbours, or in other notions"):
            forged.by("implies", i=1, n=0, m=1, certificates={"epsilon": HALF_OF_E})


HALF_OF_E = {"letters": {"e": "positive"}, "difference": "e/2", "proof": {"rest": "e/2"}}
