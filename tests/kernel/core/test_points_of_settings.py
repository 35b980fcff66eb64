"""Refutations are about mechanisms that are there: as many members as a point says, each moving once, and
none with a guarantee that no mechanism has."""

from __future__ import annotations

from typing import Any

import pytest
from told import THEORY

from dpcompose.kernel.core import reading
from dpcompose.kernel.judgements import Loose, Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem

REPLACE: dict[str, Any] = {"single": [[1, 1]], "steps": 1}
UNBOUNDED: dict[str, Any] = {"single": [[1, 0]], "steps": 1}
RECORDS = {"kind": "records", "shown": "multisets", "of": "multisets", "size": ["any", None]}
ATOMS = [["a", "b"], ["c", "d"], ["e", "f"]]


def prover(databases: dict[str, Any], target: dict[str, Any], **more: Any) -> Prover:
    """About one family on a partition, or about some mechanisms."""
    data = {"parameters": {}, "databases": databases, "target": target, "adaptive": False}
    return Prover(reading.read(data | more), THEORY)


def family(stated: dict[str, Any], **more: Any) -> dict[str, Any]:
    usual = {"name": "M", "stated": stated, "domain": "common", "notion": "pure", "partition": "parts"}
    return usual | more


def alone(name: str, epsilon: str) -> dict[str, Any]:
    """A mechanism that reads everything."""
    mechanism = {"name": name, "reads": [None], "stated": UNBOUNDED, "domain": "own", "notion": "pure"}
    return mechanism | {"values": {"epsilon": epsilon}}


def exceeded(made: Prover, epsilon: str, point: dict[str, str], neighbours: int = 1) -> Theorem:
    cover, given = made.by("cover"), made.by("given", i=1)
    claim = {"notion": "approximate", "epsilon": epsilon, "delta": "0"}
    return made.by("exceed", cover, given, claim=claim, point=point, neighbours=neighbours, bits=64)


def by_parts() -> Prover:
    """k parts, each (1, 0)-DP: a replacement moves two of them, or one where there is no other one."""
    one = family(REPLACE, reads=[[0], [1]], values={"epsilon": "1"}, count="k")
    databases = RECORDS | {"atoms": ATOMS}
    return prover(databases, REPLACE, parameters={"k": "integer >= 1"}, mechanisms=[one])


def test_one_member_is_not_two() -> None:
    """(k, 0)-DP holds for every k ≥ 1: the guarantee is min(k, 2)."""
    made = by_parts()
    for point in ({"k": "1"}, {"k": "2"}, {"k": "3"}):
        with pytest.raises(NoTheorem, match=r"more would move|not seen to be above"):
            exceeded(made, "k", point)
    assert isinstance(exceeded(made, "k - 1/2", {"k": "2"}).says, Refuted)
    assert isinstance(exceeded(made, "3/2", {"k": "5"}).says, Refuted)


def test_a_member_moves_once() -> None:
    """Two parts of two positions, three of which change: one member moves by 2, the other one by 1."""
    cells: dict[str, Any] = {"kind": "cells", "shown": "tuples", "count": 4}
    each = [[0], [1], [2], [3]]
    single = {"single": each, "steps": 1}
    one = family(single, reads=[[0, 1], [2, 3]], domain="own", values={"epsilon": "e[i]"}, count="2")
    made = prover(cells, {"single": each, "steps": 3}, parameters={"e[i]": "positive"}, mechanisms=[one])
    point = {"e[1]": "1", "e[2]": "1/100"}
    with pytest.raises(NoTheorem, match="not seen to be above"):
        exceeded(made, "max(e[i], i, 1, 2) + sum(e[i], i, 1, 2)", point)
    assert isinstance(exceeded(made, "2*max(e[i], i, 1, 2)", point).says, Refuted)


@pytest.mark.parametrize("epsilon", ["e - 1", "1/2 - e", "min(1, e - 1)"])
def test_no_mechanism_has_a_guarantee_below_0(epsilon: str) -> None:
    made = prover(
        RECORDS | {"atoms": [["a", "b"]]},
        UNBOUNDED,
        parameters={"e": "positive"},
        mechanisms=[alone("A", epsilon), alone("B", "5")],
    )
    cover, given = made.by("cover"), [made.by("given", i=i) for i in (1, 2)]
    lower = made.by("attain", cover, *given, notion="pure", neighbours=[1], by=[2])
    there, elsewhere = ("1/4", "3/4") if epsilon == "1/2 - e" else ("2", "1/2")
    claim = {"notion": "pure", "epsilon": "4"}
    assert isinstance(made.by("refute", lower, claim=claim, point={"e": there}).says, Refuted)
    with pytest.raises(NoTheorem, match="not seen to be at least 0"):
        made.by("refute", lower, claim=claim, point={"e": elsewhere})


def test_no_member_has_a_guarantee_below_0() -> None:
    one = family(REPLACE, reads=[[0], [1]], values={"epsilon": "e[i] - 1"}, count="2")
    made = prover(
        RECORDS | {"atoms": ATOMS},
        REPLACE,
        parameters={"e[i]": "positive"},
        mechanisms=[one, alone("B", "5")],
    )
    cover, given = made.by("cover"), [made.by("given", i=i) for i in (1, 2)]
    lower = made.by("attain", cover, *given, notion="pure", neighbours=[1], by=[2])
    claim = {"notion": "pure", "epsilon": "4"}
    with pytest.raises(NoTheorem, match="not seen to be at least 0"):
        made.by("refute", lower, claim=claim, point={"e[1]": "3", "e[2]": "1/2"})
    assert isinstance(made.by("refute", lower, claim=claim, point={"e[1]": "3", "e[2]": "1"}).says, Refuted)


def test_no_guarantee_names_a_member_of_a_family_alone() -> None:
    """The closer δ of two members would be 1 − (1 − δ_i)(1 − δ_j): it is not written in one δ[i]."""
    values = {"epsilon": "1", "delta": "d[i]"}
    one = family(REPLACE, reads=[[0], [1]], notion="approximate", values=values, count="3")
    databases = RECORDS | {"atoms": ATOMS}
    made = prover(databases, REPLACE, parameters={"d[i]": "in (0,1)"}, mechanisms=[one])
    cover, given = made.by("cover"), made.by("given", i=1)
    composed = made.by("compose", given)
    plain = made.by("worst", composed, cover).says
    assert isinstance(plain, Satisfies)
    assert str(plain).endswith("delta = top(2, d[i], i, 1, 3)")
    with pytest.raises(NoTheorem, match="families of parameters"):
        made.by("closer", composed, cover, key="delta")
    with pytest.raises(NoTheorem, match="families of parameters"):
        made.by("attain", cover, given, notion="approximate", neighbours=[1], by=[1])


def test_a_claim_is_loose_at_an_allowed_point() -> None:
    made = prover(
        RECORDS | {"atoms": [["a", "b"]]},
        UNBOUNDED,
        parameters={"e": "positive", "x": "in (0,1)"},
        mechanisms=[alone("A", "e")],
    )
    known = made.by("worst", made.by("compose", made.by("given", i=1)), made.by("cover"))
    for epsilon in ("oo", "e + x"):
        claim = {"notion": "pure", "epsilon": epsilon}
        fine = made.by("loose", known, claim=claim, key="epsilon", point={"e": "1", "x": "1/2"})
        assert isinstance(fine.says, Loose)
        for point in ({"e": "-1", "x": "1/2"}, {"e": "1", "x": "2"}, {"e": "1", "x": "1/2", "y": "1"}):
            with pytest.raises(NoTheorem):
                made.by("loose", known, claim=claim, key="epsilon", point=point)


def test_a_letter_has_one_domain() -> None:
    """x in a study is in (0,1); outside it is positive: at x = 2 there is no such study."""
    inner = {
        "parameters": {"x": "in (0,1)"},
        "databases": RECORDS | {"atoms": [["a", "b"]]},
        "target": UNBOUNDED,
        "mechanisms": [alone("M", "x")],
        "adaptive": False,
    }
    outer = [alone("A", "x") | {"study": inner}, alone("B", "5")]
    for domain, fine in (("positive", False), ("in (0,1)", True)):
        databases = RECORDS | {"atoms": [["a", "b"]]}
        made = prover(databases, UNBOUNDED, parameters={"x": domain}, mechanisms=outer)
        study = made.setting.mechanisms[0].study
        assert study is not None
        within = Prover(study, THEORY)
        known = within.by("worst", within.by("compose", within.by("given", i=1)), within.by("cover"))
        losses = [made.by("study", known, i=1), made.by("given", i=2)]
        lower = made.by("attain", made.by("cover"), *losses, notion="pure", neighbours=[1], by=[2])
        claim = {"notion": "pure", "epsilon": "4"}
        if fine:
            assert isinstance(made.by("refute", lower, claim=claim, point={"x": "1/2"}).says, Refuted)
        for x in ("2", *(() if fine else ("1/2",))):
            with pytest.raises(NoTheorem):
                made.by("refute", lower, claim=claim, point={"x": x})


@pytest.mark.parametrize(
    ("epsilon", "e"), [("0", "1"), ("e", "0"), ("log(2) - log(4)/2 + e", "0"), ("e", "1/9")]
)
def test_what_loses_nothing_at_any_distance_refutes_nothing(epsilon: str, e: str) -> None:
    """Any two databases are neighbours, and there is no limit to how far apart they are."""
    any_two = {"single": "any two", "steps": 1}
    databases = RECORDS | {"atoms": [["a", "b"]]}
    made = prover(databases, any_two, parameters={"e": "nonnegative"}, mechanisms=[alone("A", epsilon)])
    if e == "1/9":
        assert isinstance(exceeded(made, "100", {"e": e}).says, Refuted)
        return
    with pytest.raises(NoTheorem):
        exceeded(made, "0", {"e": e})


def test_what_sees_that_a_parameter_of_noise_fits_is_reported() -> None:
    noise = {"query": {"page": "count", "values": {}}, "page": "laplace", "parameter": "exp(b) - 1"}
    asked = {"name": "A", "reads": [None], "domain": "own", "notion": "pure", "values": {}, "noise": noise}
    databases = RECORDS | {"atoms": [["a", "b"]]}
    made = prover(databases, UNBOUNDED, parameters={"b": "positive"}, mechanisms=[asked])
    assert made.by("noise", i=1, notion="pure").rests_on == Grounds(
        frozenset({"laplace", "pure"}), frozenset({"ranges"})
    )
    for wrong in ("b - 1", "0", "-1"):
        other = asked | {"noise": noise | {"parameter": wrong}}
        made = prover(databases, UNBOUNDED, parameters={"b": "positive"}, mechanisms=[other])
        with pytest.raises(NoTheorem):
            made.by("noise", i=1, notion="pure")
