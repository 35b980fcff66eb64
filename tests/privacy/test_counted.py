"""Large finite classes: what is counted of them on arrays is what enumeration finds, and is named where it is used."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import rechecks
import strategies
import strategies_ordered
import told
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shares import every_second
from strategies import Twin

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel import check
from dpcompose.kernel import saved as kernel_saved
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core.reading import read
from dpcompose.privacy.elaboration import Elaborated, NoLemma
from dpcompose.privacy.elaboration import arrays as told_on_arrays
from dpcompose.search import guarantees
from dpcompose.spaces.canonical import graphs

SOME = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None)

DRAWN: dict[str, st.SearchStrategy[Twin]] = {
    "listed": strategies.listed(most_databases=6, most_mechanisms=3),
    "listed groups": strategies_ordered.grouped_listed(most_databases=7),
    "multisets predicates": strategies.multisets(functions=True, predicates=True),
    "ordered functions": strategies_ordered.ordered(functions=True),
}


@pytest.mark.parametrize("examples", [8, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", DRAWN)
def test_random_settings_on_arrays_against_enumeration(
    name: str, examples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every class is large: what is counted are the vectors of the oracle, each of the pair beside it."""
    monkeypatch.setattr(graphs, "SMALL_CLASS", 0)
    kinds: set[str] = set()

    def check(twin: Twin) -> None:
        told.check_twin(twin)
        kinds.add(Elaborated(twin.study.setting).core.databases.kind)

    settings(SOME, max_examples=examples)(given(DRAWN[name])(check))()
    assert "arrays" in kinds or name == "ordered functions"


# large ones, with bounds by hand

LINE = [f"d{n:04}" for n in range(1_200)]
near = dpc.pairs("near", list(pairwise(LINE)))


half = dpc.table("half", {D: f"h{n // 2}" for n, D in enumerate(LINE)})
ends = dpc.table("ends", {D: {0: "first", 1_199: "last"}.get(n, "between") for n, D in enumerate(LINE)})
merged = dpc.table(
    "merged",
    {D: "xyz"[n % 3] for n, D in enumerate(LINE)},
    {"near": [("x", "y")]},
)


def on_a_line(*mechanisms: Any, target: Any = near) -> Study:
    return dpc.compose(*mechanisms, on=dpc.listed(LINE), target=target)


def stated(name: str, f: Any, domain: str | None = "common", granularity: Any = near) -> Any:
    return dpc.mechanism(name, dpc.pure(f"e_{name}", granularity, domain), reads=f)


def small_graphs() -> Study:
    return dpc.compose(
        stated("M", dpc.vertex(1), "common", dpc.edge),
        dpc.mechanism("N", dpc.pure("e_N", dpc.node_removal)),
        on=dpc.graphs("<= 5"),
        target=dpc.node_removal,
    )


def sequences() -> Study:
    """Any two sequences are neighbours: their lengths are up to six steps apart."""
    length = dpc.function("length", len)  # type: ignore[arg-type]
    return dpc.compose(
        stated("M", length, "common", dpc.insert_delete),
        stated("N", length, "common", dpc.free_lunch),
        on=dpc.sequences("abc", "<= 6"),
        target=dpc.free_lunch,
    )


def bits() -> Study:
    """A bit is asked for, and answered with probability 3/4 as it is."""
    return on_a_line(
        dpc.mechanism("B", query=dpc.bit, noise=dpc.randomized_response("3/4"), reads=ends),
        stated("M", half),
        target=dpc.group(2, near),
    )


def families() -> Study:
    """All members read the same, and move alike."""
    return dpc.compose(
        dpc.mechanism("F", dpc.pure("e_F", near, "common"), reads=half, count=3),
        stated("M", dpc.everything, None),
        on=dpc.listed(LINE),
        target=dpc.group(3, near),
    )


def studies() -> Study:
    inner = on_a_line(stated("M", half), stated("N", dpc.everything, None))
    return on_a_line(dpc.mechanism("S", study=inner), target=dpc.group(2, near))


LARGE: dict[str, tuple[Callable[[], Study], str]] = {
    "common domain": (lambda: on_a_line(stated("M", half), stated("N", dpc.everything, None)), "e_M + e_N"),
    "groups": (
        lambda: on_a_line(stated("M", half), stated("N", dpc.everything, None), target=dpc.group(4, near)),
        "2*e_M + 4*e_N",
    ),
    "stated for groups": (
        lambda: on_a_line(stated("M", dpc.everything, None, dpc.group(2, near)), target=dpc.group(5, near)),
        "3*e_M",
    ),
    "chains of fibres": (lambda: on_a_line(stated("M", ends), target=dpc.free_lunch), "2*e_M"),
    "own domain": (lambda: on_a_line(stated("M", half, "own"), target=dpc.group(2, near)), "e_M"),
    "listed images": (lambda: on_a_line(stated("M", merged, "own")), "oo"),
    "no neighbours": (lambda: on_a_line(stated("M", half), target=dpc.pairs("none", [])), "0"),
    "graphs": (small_graphs, "4*e_M + e_N"),
    "sequences": (sequences, "6*e_M + e_N"),
    "bits": (bits, "e_M + log(3)"),
    "families": (families, "6*e_F + 3*e_M"),
    "studies": (studies, "e_M + 2*e_N"),
}


@pytest.mark.parametrize("name", every_second(list(LARGE)))
def test_large_classes_have_the_bounds_by_hand_and_those_of_before(name: str) -> None:
    made, epsilon = LARGE[name]
    study = made()
    told.check_vectors(study.setting)
    assert Elaborated(study.setting).core.databases.kind == "arrays"
    claimed = study.check(dpc.pure(epsilon))
    assert claimed.verdict == "proved" and not claimed.loose
    # a claim of oo holds by itself
    assert ("arrays" in [page.id for page in claimed.relies_on]) is (epsilon != "oo")
    if epsilon not in ("0", "oo"):
        less = study.check(dpc.pure(f"({epsilon})*9/10"))
        assert less.verdict == "refuted" and less.counterexample is not None
        assert "arrays" in [page.id for page in less.relies_on]


def test_vectors_of_a_large_class_as_plain_loops_find_them() -> None:
    """Pairs at most four steps apart on a line, their halves, and what is between the ends of the line."""
    study = on_a_line(
        *(stated(name, f) for name, f in (("M", half), ("N", dpc.everything), ("O", ends))),
        target=dpc.group(4, near),
    )

    def vector(x: int, y: int) -> tuple[int, ...]:
        places = [0 if n == 0 else 2 if n == 1_199 else 1 for n in (x, y)]
        return abs(x // 2 - y // 2), abs(x - y), abs(places[0] - places[1])

    pairs = [(x, y) for x in range(1_200) for y in range(x + 1, min(x + 5, 1_200))]
    databases = Elaborated(study.setting).core.databases
    assert databases.gone_through == len(pairs)
    assert {one.moves for one in databases.types} == {vector(x, y) for x, y in pairs}
    assert all(one.moves == vector(*one.pair) and tuple(sorted(one.pair)) in pairs for one in databases.types)


# saved


CLAIM = dpc.pure("2*e_M + 4*e_N")


@cache
def saved() -> Any:
    study = LARGE["groups"][0]()
    return rechecks.saved(study, [study.check(CLAIM), study.check(dpc.pure("2*e_M + 3*e_N"))])


def test_a_saved_derivation_names_the_page_that_is_believed() -> None:
    data = saved()
    found = rechecks.check(data, told.OLD)
    assert found.elaborated and "arrays" in found.pages
    assert [word for word, _ in found.checked.verdicts] == ["proved", "refuted"]
    assert data["core"]["databases"]["kind"] == "arrays"
    allowed = set(found.pages)
    assert rechecks.check(data, told.OLD, allowed).pages == found.pages
    with pytest.raises(Refused, match="'arrays', which is primitive and not allowed"):
        rechecks.check(data, told.OLD, allowed - {"arrays"})


def lowered(data: Any) -> None:
    for one in data["core"]["databases"]["types"]:
        one["moves"] = [min(r, 1) for r in one["moves"]]


def raised(data: Any) -> None:
    data["core"]["databases"]["types"][-1]["moves"] = [2, 5]


def left_out(data: Any) -> None:
    types = data["core"]["databases"]["types"]
    types[:] = [one for one in types if one["moves"][1] < 4]


def renamed(data: Any) -> None:
    for one in data["core"]["databases"]["types"]:
        one["pair"] = [one["pair"][0] + 1, one["pair"][1] + 1]


def miscounted(data: Any) -> None:
    data["core"]["databases"]["gone through"] += 1


@pytest.mark.parametrize("forge", [lowered, raised, left_out, renamed, miscounted])
def test_forged_types_are_refused_since_the_elaboration_differs(forge: Callable[[Any], None]) -> None:
    """Also where the derivation is made for the forged setting, so that the kernel has nothing to say."""
    data = copy.deepcopy(saved())
    forge(data)
    setting = read(data["core"])
    assert setting.data() == data["core"]
    with pytest.raises(Refused):
        rechecks.check(data, told.OLD)
    shop = guarantees.workshop(setting, told.THEORY)
    best = guarantees.best(shop).main.theorem
    data |= {
        "derivation": check.all_saved([best], told.THEORY),
        "guarantee": {"step": check.numbers([best])[0]},
        "claims": [],
        "problem": {key: value for key, value in data["problem"].items() if key != "claims"},
    }
    assert "arrays" in kernel_saved.check(data, told.THEORY).rests_on.pages
    with pytest.raises(Refused, match="the core setting is not what the problem says"):
        rechecks.check(data, told.OLD)


# limits


def test_too_many_pairs_are_refused_with_what_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_on_arrays, "LARGEST", 2_000)
    study = on_a_line(stated("M", dpc.everything, None), stated("N", half))
    with pytest.raises(NoLemma, match="1,199 neighbouring pairs for 2 mechanisms are more than the 2,000"):
        _ = Elaborated(study.setting).core
    assert study.check(dpc.pure("e_M + e_N")).verdict == "undecided"


def test_queries_of_records_are_not_counted_on_arrays() -> None:
    step = dpc.steps("step", lambda D: [tuple("b" if x == "a" else "a" for x in D)])  # type: ignore[union-attr]
    study = dpc.compose(
        dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("b")),
        on=dpc.tuples("ab", "= 10"),
        target=step,
    )
    with pytest.raises(NoLemma, match="M asks for the number of records"):
        _ = Elaborated(study.setting).core


def test_tables_of_large_classes_are_listed_row_by_row() -> None:
    """What a table loses depends on the two databases, which no distance says."""
    table = dpc.probability_table(
        {D: ["1/3" if n % 2 else "2/3", "2/3" if n % 2 else "1/3"] for n, D in enumerate(LINE)}, ["y", "n"]
    )
    study = on_a_line(dpc.mechanism("T", dpc.pure("log(2)", near), table=table))
    assert Elaborated(study.setting).core.databases.kind == "listed"
    assert study.check(dpc.pure("log(2)")).verdict == "proved"
