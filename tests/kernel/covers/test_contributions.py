"""Covers of what one person contributes, by hand; and where fewer types would be wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import told

from dpcompose.kernel import covers
from dpcompose.kernel.composition.losses import Composition, Loss, NoLoss
from dpcompose.kernel.core import reading, settings
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.covers.types import Cover, NoCover
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import ONE, letter
from dpcompose.kernel.library.theory import Theory

COUNT = Domain.read("integer >= 1")
U = {"single": [[1, 0], [0, 1]], "steps": 1}
B = {"single": [[1, 1]], "steps": 1}


def bag(parts: str, rows: str, replaced: str = "no") -> dict[str, Any]:
    return {"single": {"parts": parts, "rows": rows, "replaced": replaced}, "steps": 1}


def setting(
    target: Any, *mechanisms: dict[str, Any], parts: int = 0, outside: bool = True
) -> settings.Setting:
    named = [
        {"name": f"M{i}", "domain": "own", "notion": "pure", "values": {"epsilon": "1"}, **one}
        for i, one in enumerate(mechanisms, start=1)
    ]
    databases = {
        "kind": "contributions",
        "shown": "",
        "parts": [[f"{n}", f"{n}'"] for n in range(parts)],
        "outside": ["z", "z'"] if outside else [],
    }
    parameters = {name: "integer >= 1" for name in "kLm"}
    data = {"parameters": parameters, "databases": databases, "target": target, "mechanisms": named}
    return reading.read(data)


def cover(*args: Any, **more: Any) -> Cover:
    return covers.cover(setting(*args, **more), told.THEORY)


def family(stated: Any, domain: str = "own") -> dict[str, Any]:
    return {"reads": [[]], "count": "k", "partition": "P", "stated": stated, "domain": domain}


def moves(found: Cover) -> set[str]:
    return {
        " ".join(f"{i}:{','.join(f'{r!r}x{many!r}' for many, r in some)}" for i, some in one.moves)
        for one in found.types
    }


def test_a_persons_rows_come_or_go() -> None:
    assert moves(cover(bag("L", "m"), family(U))) == {"1:mxL"}
    assert moves(cover(bag("2", "3"), family(U))) == {"1:3x2"}
    assert moves(cover(bag("2", "3"), family(B))) == {"1:oox2"}
    assert moves(cover(bag("L", "m"), family(bag("L", "m")))) == {"1:1xL"}


@pytest.mark.parametrize("replaced", ["bag", "rows"])
def test_a_person_stays_where_rows_count_twice_and_moves_where_they_do_not(replaced: str) -> None:
    found = cover(bag("2", "3", replaced), family(U))
    assert moves(found) == {"1:6x2"} and found.convex == {1}
    found = cover(bag("2", "3", replaced), family(B, "common"))
    assert moves(found) == {"1:3x4"} and not found.convex


def test_written_parts_are_touched_in_every_way() -> None:
    both = [{"reads": [[n]], "stated": U} for n in range(2)]
    assert moves(cover(bag("1", "2"), *both, parts=2)) == {"1:2x1", "2:2x1"}
    assert moves(cover(bag("1", "2", "bag"), *both, parts=2)) == {"1:4x1", "2:4x1", "1:2x1 2:2x1"}
    assert moves(cover(bag("2", "2", "bag"), *both, parts=2)) == {"1:4x1 2:4x1"}


def test_a_guarantee_that_is_lost_where_numbers_of_rows_differ_needs_parts_that_only_lose() -> None:
    """m rows for m others cost m, and m rows for none more than any number."""
    found = cover(bag("1", "2", "bag"), {"reads": [[0]], "stated": B}, parts=2)
    assert moves(found) == {"1:oox1"}


def test_rows_outside_have_no_limit() -> None:
    everything = {"reads": [None], "stated": U}
    (found,) = cover(bag("1", "2"), everything).types
    assert found.unlimited == {1} and moves(cover(bag("1", "2"), everything)) == {"1:oox1"}
    assert moves(cover(bag("1", "2"), everything, parts=1, outside=False)) == {"1:2x1"}
    assert moves(cover(bag("1", "2", "rows"), {"reads": [None], "stated": bag("1", "2")})) == {"1:2x1"}
    assert moves(cover(bag("1", "2", "bag"), {"reads": [None], "stated": bag("1", "2", "rows")})) == {
        "1:oox1"
    }


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(NoCover, match="write the parts out"):
        cover(bag("1", "1", "bag"), family(U), family(B, "common"))
    with pytest.raises(NoCover, match="state it for as many, or more"):
        cover(bag("1", "m"), family(bag("L", "2")))
    with pytest.raises(NoCover, match="has to be a number"):
        cover(bag("L", "1", "bag"), {"reads": [[0]], "stated": B}, parts=2)
    with pytest.raises(NoCover, match="neither by what a person contributes nor by single rows"):
        cover({"single": "any two", "steps": 1}, {"reads": [[0]], "stated": U}, parts=2)


def test_single_rows_beside_what_a_person_contributes() -> None:
    """A row comes, goes or is replaced: those of persons with more of them hold it."""
    both = [{"reads": [[n]], "stated": U} for n in range(2)]
    assert moves(cover(U, *both, parts=2)) == {"1:1x1", "2:1x1"}
    assert moves(cover(B, *both, parts=2)) == {"1:2x1", "2:2x1", "1:1x1 2:1x1"}
    whole = {"reads": [None], "stated": U}
    assert moves(cover(U, whole, parts=2)) == {"1:1x1"} == moves(cover(U, whole, parts=1, outside=False))
    assert moves(cover(B, whole, parts=2)) == {"1:2x1"} == moves(cover(B, whole, parts=1, outside=False))
    # one row is one bag's, whatever bags are; as many have to come where that is asked
    for stated, far in ((bag("3", "L"), "2"), (bag("1", "m", "bag"), "1"), (bag("2", "2", "rows"), "1")):
        assert moves(cover(B, {"reads": [None], "stated": stated}, parts=2)) == {f"1:{far}x1"}
    assert moves(cover(U, {"reads": [[0]], "stated": bag("2", "2", "rows")}, parts=2)) == {"1:oox1"}
    for replaced in ("no", "bag"):
        assert moves(cover(U, {"reads": [[0]], "stated": bag("2", "2", replaced)}, parts=2)) == {"1:1x1"}
    # of a part that holds all rows none goes without another one
    assert moves(cover(B, {"reads": [None], "stated": B}, parts=1, outside=False)) == {"1:1x1"}


def test_losses_that_are_not_convex_would_be_larger_for_a_person_who_moves() -> None:
    """By a rule in which every distance costs the same, four parts cost twice as much as two."""
    made = setting(bag("2", "3", "bag"), family(U))
    found = covers.cover(made, told.THEORY)
    together = Composition((Loss(1, "pure", (("epsilon", letter("e")),)),), made, told.THEORY)
    together.check_convex(found.convex)
    rule = told.THEORY.rule("pure")
    flat = replace(rule, head=replace(rule.head, distance={"epsilon": "epsilon"}))
    theory = Theory({**told.THEORY.pages, rule.id: flat})
    with pytest.raises(NoLoss, match="not seen to be convex"):
        Composition(together.losses, made, theory).check_convex(found.convex)


def test_who_reads_everything_beside_parts_that_hold_all_rows_is_no_type() -> None:
    """A person's rows in the parts of a family change everything as well, of which no type would say so."""
    whole = {"reads": [None], "stated": U}
    with pytest.raises(NoCover, match="reads everything, beside families"):
        cover(bag("L", "m"), family(U), whole, outside=False)


def noisy(page: str, reads: Any, law: str = "laplace", **values: str) -> dict[str, Any]:
    """A query with noise."""
    noise = {"query": {"page": page, "values": values}, "page": law, "parameter": "1"}
    return {"reads": reads, "noise": noise}


def test_values_of_queries_move_by_what_all_rows_of_a_person_do() -> None:
    assert moves(cover(bag("1", "m"), noisy("count", [[0]]), parts=2)) == {"1:mx1"}
    assert moves(cover(bag("1", "3"), noisy("sum", [[0]], l="-2", u="1"), parts=2)) == {"1:6x1"}
    # m rows of the value u come in place of m of the value l
    found = cover(bag("1", "3", "rows"), noisy("sum", [[0]], l="-2", u="1"), parts=1, outside=False)
    assert moves(found) == {"1:9x1"} and found.convex == {1}
    # replaced by as many there is nothing to count; by rows elsewhere there is
    assert moves(cover(bag("1", "3", "rows"), noisy("count", [[0]]), parts=1, outside=False)) <= {"", "1:3x1"}
    assert "1:3x1" in moves(cover(bag("1", "3", "rows"), noisy("count", [[0]]), parts=1))
    assert "1:3x1 2:3x1" in moves(
        cover(bag("1", "3", "rows"), noisy("count", [[0]]), noisy("count", [[1]]), parts=2, outside=False)
    )


def test_what_a_query_moves_by_has_to_be_convex() -> None:
    """By the smaller one of r and s nothing would move where rows only go, but where one goes and one comes."""
    page = told.THEORY.pages["count"]
    moving = replace(page, head=replace(page.head, moves={"L1": "min(removed, added)"}))
    theory = Theory({**told.THEORY.pages, "count": moving})
    with pytest.raises(NoCover, match="not seen to be convex"):
        covers.cover(setting(bag("1", "2", "bag"), noisy("count", [[0]]), parts=2), theory)
    for text in ("removed**2 + added**2", "removed + added + 1", "2*removed + added"):
        other = replace(page, head=replace(page.head, moves={"L1": text}))
        with pytest.raises(NoCover, match=r"not seen to be convex|another amount from E to D"):
            theory = Theory({**told.THEORY.pages, "count": other})
            covers.cover(setting(bag("1", "2"), noisy("count", [[0]]), parts=2), theory)


def test_guarantees_beside_noise_where_rows_are_replaced_are_for_single_rows() -> None:
    beside = {"reads": [[0]], "stated": bag("1", "2")}
    with pytest.raises(NoCover, match="not supported beside noise"):
        cover(bag("1", "2", "bag"), noisy("count", [[0]]), beside, parts=2)
    with pytest.raises(NoCover, match="not supported beside noise"):
        cover(
            bag("1", "2", "bag"),
            noisy("count", [[0]]),
            {"reads": [[0]], "stated": {**U, "steps": 2}},
            parts=2,
        )


# records that lie in several inputs, and several persons or records at once


def record(*edits: list[int], replaced: str = "no", **more: Any) -> dict[str, Any]:
    """A record in at most m inputs comes or goes, or is replaced."""
    return {"single": bag("m", "1", replaced)["single"] | {"records": list(edits)}, "steps": 1} | more


def test_who_reads_everything_sees_one_record_where_it_lies_in_m_inputs() -> None:
    whole = [{"reads": [None], "stated": stated} for stated in (U, B)]
    some = cover(record([0, 1], [1, 0]), family(U), *whole)
    assert moves(some) == {"1:1xm 2:1x1 3:oox1"} and not some.types[0].unlimited
    assert moves(cover(record([1, 1], replaced="bag"), *whole)) == {"1:2x1 2:1x1"}
    assert moves(cover(record([1, 1], [0, 1], [1, 0], replaced="bag"), *whole)) == {"1:2x1 2:oox1"}
    with pytest.raises(NoCover, match="hold all rows"):
        cover(record([1, 1], replaced="bag"), *whole, outside=False)


@pytest.mark.parametrize("edits", [[[1, 1]], [[0, 1]], [[2, 1], [1, 2]]], ids=str)
def test_records_come_or_go_where_their_rows_do(edits: list[list[int]]) -> None:
    with pytest.raises(BadSetting, match="how many records go and come"):
        cover(record(*edits), family(U))


def test_r_persons_in_the_same_parts_are_as_far_as_any() -> None:
    """r persons move parts by at most the sum of what each moves: losses that are convex are largest where
    all of them move the same."""
    found = cover(bag("L", "m") | {"times": "k"}, family(U))
    assert moves(found) == {"1:k*mxL".replace("k*m", repr(letter("k", COUNT) * letter("m", COUNT)))}
    assert found.convex == {1}
    assert moves(cover(bag("2", "3") | {"steps": 4}, family(U))) == {"1:12x2"}
    for stated in ({"single": "any two", "steps": 1}, bag("2", "3") | {"steps": 2}):
        assert moves(cover(bag("2", "3") | {"steps": 2}, family(stated))) == {"1:1x4"}


def test_parts_of_a_person_are_those_of_several_with_fewer() -> None:
    """Each member reads one part, of which any person has the rows; several persons may have those of one."""
    assert moves(cover(bag("2", "1"), family(bag("1", "1")))) == {"1:1x2"}
    assert moves(cover(bag("1", "5"), family(bag("1", "2")))) == {"1:3x1"}
    assert moves(cover(bag("1", "1") | {"steps": 3}, family(bag("1", "2")))) == {"1:2x1,1x1", "1:1x3"}


def test_partitions_have_numbers_of_their_own() -> None:
    """A record in at most m inputs, and in two of Q, leaves all of these for others."""
    target = bag("m", "1", "bag")
    target["single"]["among"] = {"Q": "2"}
    found = cover(target, family(B, "common"), family(B, "common") | {"partition": "Q"})
    assert moves(found) == {"1:1x(product 2 m) 2:1x4"}
    assert setting(target, family(U)).data()["target"]["single"]["among"] == {"Q": "2"}


def in_formula(formula: str, **stated: Any) -> dict[str, Any]:
    """A family that is stated in a formula of d__u, d__b: unbounded and bounded steps of a part."""
    plain = {"notion": "pure", "values": {"epsilon": "1"}}
    inputs = {name: {"name": name, **plain, **family(one)} for name, one in stated.items()}
    metric = {"formula": formula, "besides": {}, "distances": inputs, "bounded": False}
    return {key: value for key, value in family(U).items() if key != "stated"} | {"metric": metric}


def test_formulas_and_not_distances_say_where_rows_count_for_most() -> None:
    both = {"d__u": U, "d__b": B}
    stays = cover(bag("L", "1", "bag"), in_formula("min(d__u, 3*d__b)", **both))
    assert moves(stays) == {"1:1xL"} and stays.convex == {1}
    assert [repr(far) for type in stays.types for _, far, _ in type.lost] == ["2"]
    leaves = cover(bag("2", "1", "bag"), in_formula("min(d__u, d__b)", **both))
    assert moves(leaves) == {"1:1x4"} and not leaves.convex
    with pytest.raises(NoCover, match="write the parts out"):
        cover(bag("L", "1", "bag"), in_formula("min(d__u, 3*d__b/2)", **both))
    with pytest.raises(NoCover, match="known for single rows"):
        cover(bag("L", "2", "bag"), in_formula("min(10*d__u, d__b)", **both))


def test_a_distance_that_no_formula_is_about_hides_nothing() -> None:
    """At its infinite value nothing else would be looked at."""
    with pytest.raises(NoCover, match="d__b is no distance in the formulas"):
        cover(bag("L", "1", "bag"), in_formula("d__u", d__u=U, d__b=B))


def test_what_is_infinite_hides_other_types() -> None:
    """Beside an input that leaves by oo, another one may move further where it stays: of both nothing is left out."""
    both = [family(U), family(B)]
    assert cover(bag("L", "1", "bag"), *both).infinite and not cover(bag("L", "1"), *both).infinite
    assert not cover(bag("L", "1", "bag"), family(U), family(B, "common") | {"partition": "Q"}).infinite


def counting(k: int) -> dict[str, Any]:
    return noisy("count", [[]]) | {"count": str(k), "partition": "P"}


@pytest.mark.parametrize("k", range(1, 6))
@pytest.mark.parametrize("L", [1, 2])
@pytest.mark.parametrize("replaced", ["bag", "rows"])
def test_two_databases_of_a_type_have_as_many_rows_more_as_it_says(k: int, L: int, replaced: str) -> None:
    """Also where there are fewer than 2L parts: rows come in none of those that they leave."""
    (found,) = cover(bag(str(L), "1", replaced), counting(k)).types
    D, E = (Counter(name.rstrip("'") for name in side) for side in found.pair)
    moved = [abs(D[f"P{j}"] - E[f"P{j}"]) for j in range(1, k + 1)]
    ((many, r),) = dict(found.moves)[1]
    assert r == ONE and sum(moved) == min(k, many) and max(moved) == 1
    assert replaced == "bag" or D.total() == E.total()


def test_rows_that_stay_in_parts_have_to_be_written_out_where_they_are_counted() -> None:
    """Of one part none can be left then: as many rows come as go."""
    with pytest.raises(NoCover, match="write the parts out"):
        cover(bag("2", "1", "rows"), counting(1), outside=False)
    assert cover(bag("2", "1", "rows"), family(B, "common"), outside=False)
