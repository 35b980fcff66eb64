"""Core settings of what ships and of random settings: read back as they are, with the cover and the pairs that
there were before, and that enumeration finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import corpus
import pytest
import strategies
import strategies_cells
import strategies_ordered
import sympy
import test_families_against_oracle as brute
import told
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shares import every_second
from shipped import EXAMPLE, PROBLEMS
from strategies import Twin

import dpcompose as dpc
from dpcompose.front.studies.loading import show
from dpcompose.front.studies.study import Study
from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.concrete import Noise, Query
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.covers.covering import Metric
from dpcompose.kernel.covers.queries import query_metric
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions import formulas as kernel_formulas
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated, NoLemma, elaborated
from dpcompose.privacy.elaboration.records import Records
from dpcompose.privacy.mechanisms.noises import KINDS, LAWS
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.search.guarantees import NoGuarantee
from dpcompose.spaces.inputs import locations, queries
from dpcompose.spaces.inputs.parts import Part

NOT_LISTED = {"263-households-of-visitors"}
"""Groups of what one person has, on classes that nobody lists: vectors say nothing of them."""
PAGES = [page for page in told.OLD.pages.values() if "[metrics." not in page.body]


@pytest.mark.parametrize("file", every_second(PROBLEMS, lambda file: file.stem))
def test_shipped_files_are_covered_as_vectors_say(file: Path) -> None:
    setting = problems.read_text(problems.text_of(file), str(file), show).setting
    noise_for_persons = setting.target.by_rows and any(one.noise is not None for one in setting.mechanisms)
    dealt = any(
        one.reads.dealt for one in setting.mechanisms
    )  # tests/privacy/test_random_parts.py goes through these
    unsaid = (
        setting.in_metrics or noise_for_persons or dealt
    )  # of whose formulas, and queries, vectors say nothing
    if not unsaid and file.stem not in NOT_LISTED:
        told.check_vectors(numbered(setting))


def core(setting: Setting) -> dict[str, Any]:
    """The core setting of a setting, as JSON data."""
    return elaborated(setting).core.data()


def numbered(setting: Setting) -> Setting:
    """The setting with 2 for each parameter of its granularities, sizes and parts, and in place of a large group:
    only then are there neighbours to look at."""
    target, steps = setting.target.innermost()
    if steps > 4:
        setting = replace(setting, target=dpc.group(2, target))
    letters = {name for one in [setting.databases, *setting.granularities] for name in one.parameters}
    letters |= {
        name for m in setting.mechanisms if isinstance(m.reads, Part) for name in m.reads.most.letters
    }
    drawn = [m.sampled.by.values for m in setting.mechanisms if m.sampled is not None]
    letters |= {
        name for some in drawn for one in some for name in one.letters if setting.domains[name].integer
    }
    least = {name: setting.domains[name].least or Fraction(0) for name in letters}
    return setting.at({name: max(Fraction(2), x) for name, x in least.items()})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_examples_of_pages_are_covered_as_vectors_say(page: Any) -> None:
    problem = problems.read_text(EXAMPLE.findall(page.body)[0], page.path.name, show)
    if not any(one.reads.dealt for one in problem.setting.mechanisms):
        told.check_vectors(numbered(problem.setting))


@pytest.mark.parametrize("kept", corpus.EVERY, ids=lambda kept: kept.name)
def test_random_settings_that_are_kept_are_covered_as_vectors_say(kept: corpus.Kept) -> None:
    told.check_vectors(problems.read_data(kept.problem).setting)


# random settings, against what was said before and against enumeration

STRATEGIES: Mapping[str, st.SearchStrategy[Twin]] = {
    "listed": strategies.listed(most_databases=6),
    "listed groups": strategies_ordered.grouped_listed(most_databases=7),
    "multisets": strategies.multisets(),
    "multisets groups": strategies_ordered.grouped_multisets(),
    "multisets functions": strategies.multisets(functions=True),
    "multisets predicates": strategies.multisets(predicates=True),
    "universe": strategies.arbitrary(),
    "ordered": strategies_ordered.ordered(),
    "ordered functions": strategies_ordered.ordered(functions=True),
    "sequences": strategies_ordered.sequences(),
    "cells": strategies_cells.cells(),
}


def some(examples: int) -> Any:
    """So many random examples for two normal runs."""
    return settings(
        max_examples=examples // 2, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )


@pytest.mark.parametrize("name", STRATEGIES)
def test_random_settings_against_enumeration(name: str) -> None:
    some(20)(given(STRATEGIES[name])(told.check_twin))()


@pytest.mark.slow
@pytest.mark.parametrize("name", STRATEGIES)
def test_many_random_settings_against_enumeration(name: str) -> None:
    some(200)(given(STRATEGIES[name])(told.check_twin))()


@some(40)
@given(strategies_ordered.any_two_of_any_size())
def test_any_two_of_any_size_are_covered_as_vectors_say(drawn: tuple[Twin, list[bool]]) -> None:
    told.check_vectors(drawn[0].study.setting)


@some(40)
@given(brute.families())
def test_families_are_covered_as_vectors_say(family: brute.Family) -> None:
    told.check_vectors(problems.read_text(family.text).setting)


# queries


LAW_OF = {"L1": "laplace", "L2": "normal-noise", "range": "exponential"}


def metric_of(query: queries.Query, norm: str, n: int | None) -> Metric:
    """How far a query moves by its page."""
    asked = dpc.mechanism("M", query=query, noise=dpc.laplace(1))
    on = dpc.multisets(size="any" if n is None else f"= {n}")
    setting = Setting(on, dpc.free_lunch, (asked,), {})
    data = Records(setting).noise(asked, dpc.everything)["noise"]
    values = {name: kernel_formulas.parse(text, {}) for name, text in data["query"]["values"].items()}
    noise = Noise(Query(data["query"]["page"], tuple(values.items()), n), LAW_OF[norm], terms.ONE)
    return query_metric(Mechanism("M", (None,), None, "own", "pure", (), noise=noise), told.THEORY)


numbers = st.fractions(min_value=-5, max_value=5, max_denominator=7)
counts = st.integers(0, 9)


NORMED = {
    "L1": lambda moved: terms.add(x if sign(x) >= 0 else -x for x in moved),
    "L2": lambda moved: terms.sqrt(terms.add(x * x for x in moved)),
    "range": lambda moved: terms.largest(*moved) - terms.least(*moved),
}


@some(300)
@given(st.data())
def test_values_of_queries_are_as_far_apart_as_pages_say(data: st.DataObject) -> None:
    low, high = sorted([data.draw(numbers), data.draw(numbers)])
    bounds = [sympy.Rational(x.numerator, x.denominator) for x in (low, high)]
    removed, added, n = data.draw(counts), data.draw(counts), None
    kind = data.draw(st.sampled_from(["count", "sum", "mean", "histogram", "bit", "location"]))
    query: queries.Query = {
        "count": queries.count,
        "sum": queries.Sum(*bounds),
        "mean": queries.Mean(*bounds),
        "histogram": queries.Histogram(data.draw(st.integers(1, 3))),
        "bit": queries.bit,
        "location": locations.Location(bounds[1] - bounds[0]),
    }[kind]
    norms = ["L1", "L2", "range"] if kind == "histogram" else ["L1", "L2"]
    norm = data.draw(st.sampled_from(norms))
    if kind == "mean":
        n = data.draw(st.integers(1, 9))
        removed = added = min(removed, n)
    if kind == "location":
        n, removed, added = 1, min(removed, 1), min(removed, 1)
    metric = metric_of(query, norm, n)
    apart = query.at(2 if n is None else n - removed, removed, added, n)
    moved = [x - y for x, y in zip(*apart, strict=True)] if removed or added else [terms.ZERO]
    assert metric.at(removed, added) == NORMED[norm](moved)
    assert metric.discrete == isinstance(query, queries.Bit)


@some(100)
@given(st.integers(1, 9), counts, counts, st.sampled_from(["L1", "L2", "range"]))
def test_entries_of_a_histogram_move_as_its_norms_say(m: int, removed: int, added: int, norm: str) -> None:
    metric = metric_of(queries.Histogram(m), norm, None)
    moving = [abs(one.number) for one in metric.entries(removed, added) if one.number is not None]
    if m == 1:
        assert sum(moving) == abs(removed - added)
        return
    assert sorted(moving) == sorted(one for one in (removed, added) if one)
    x, y = ([one.number for one in value] for value in queries.Histogram(m).at(2, removed, added, None))
    assert sorted(moving) == sorted(abs(a - b) for a, b in zip(x, y, strict=True) if a != b)


def test_sums_with_letters_are_as_simple_as_their_signs_allow() -> None:
    """max(u, -l) is u where both are positive; of bounds without signs both stay."""
    for parameters, wanted in (("positive", "u"), ("real", "max(u, -l)")):
        domain = Domain.read(parameters)
        symbols = {name: terms.letter(name, domain) for name in "lu"}
        noise = Noise(Query("sum", tuple(symbols.items())), "laplace", terms.ONE)
        mechanism = Mechanism("M", (None,), None, "own", "pure", (), noise=noise)
        assert query_metric(mechanism, told.THEORY).at(1, 0) == kernel_formulas.parse(wanted, symbols)


def test_a_parameter_may_be_called_like_a_letter_of_a_page() -> None:
    """Parameters removed and added are none of the numbers of records that come and go."""
    bounds = queries.Sum(sympy.Integer(0), dpc.parameters("removed")[0])
    M = dpc.mechanism("M", query=bounds, noise=dpc.laplace(1))
    _, cover = told.cover_of(dpc.compose(M, on=dpc.multisets(), target=dpc.group(2, dpc.unbounded)).setting)
    far = {kernel_formulas.to_text(r) for one in cover.types for _, some in one.moves for _, r in some}
    assert far == {"removed", "2*removed"}


def test_every_noise_has_the_page_that_is_named() -> None:
    for word in KINDS:
        page = told.OLD.pages[LAWS.get(word, word)]
        assert page.head.kind == "noise" and page.head.noise == word


# what is told, and what is not


def made(on: Any, target: Any, *mechanisms: Any) -> Setting:
    return dpc.compose(*mechanisms, on=on, target=target).setting


def test_a_study_lies_in_the_core_of_what_it_is_part_of() -> None:
    (e,) = dpc.parameters("e")
    inner = dpc.compose(
        dpc.mechanism("M", dpc.pure(e, dpc.unbounded)), on=dpc.multisets("a"), target=dpc.unbounded
    )
    outer = made(
        dpc.multisets("ab"),
        dpc.unbounded,
        dpc.mechanism("part", study=inner, reads=dpc.restriction(["a"])),
        dpc.mechanism("rest", dpc.pure(e, dpc.bounded)),
    )
    found = core(outer)
    assert found["mechanisms"][0]["study"] == core(inner.setting) and "study" not in found["mechanisms"][1]
    told_ = Elaborated(outer)
    assert [told_.mechanism(i).name for i in (1, 2)] == [one.name for one in told_.core.mechanisms]


def test_tables_are_told_row_by_row() -> None:
    line = dpc.pairs("line", [("a", "b"), ("b", "c")])
    table = dpc.probability_table(
        {"a": ["1/2", "1/2"], "b": ["1/4", "3/4"], "c": ["1/8", "7/8"]}, ["yes", "no"]
    )
    setting = made(dpc.listed("abc"), line, dpc.mechanism("M", dpc.pure("log(2)", line), table=table))
    assert core(setting)["mechanisms"][0]["table"] == {
        "on": "databases",
        "outcomes": ["yes", "no"],
        "rows": [["1/2", "1/2"], ["1/4", "3/4"], ["1/8", "7/8"]],
    }


def test_large_finite_classes_are_told_by_what_was_counted() -> None:
    near = dpc.relation("near", lambda D, E: abs(D - E) == 1)
    half = dpc.function("half", lambda D: D // 2)
    told = core(
        made(
            dpc.listed(range(1_001)),
            dpc.group(2, near),
            dpc.mechanism("M", dpc.pure("e", near)),
            dpc.mechanism("N", dpc.pure("f", near, "common"), reads=half),
        )
    )
    assert told["databases"] == {
        "kind": "arrays",
        "shown": "the 1001 listed databases",
        "count": 1_001,
        "gone through": 1_999,
        "types": [
            {"pair": [0, 1], "moves": [1, 0]},
            {"pair": [0, 2], "moves": [2, 1]},
            {"pair": [1, 2], "moves": [1, 1]},
        ],
    }
    assert told["target"] == {"single": "step of near", "steps": 2}
    assert [one["reads"] for one in told["mechanisms"]] == [[None], [[0]]]


def test_infinite_classes_without_a_lemma_are_refused() -> None:
    near = dpc.relation("near", lambda D, E: len(D) == len(E))
    with pytest.raises(NoLemma, match="no lemma says that finitely many pairs"):
        core(made(dpc.multisets("ab"), near, dpc.mechanism("M", dpc.pure("e", dpc.bounded))))


def test_groups_through_recodings_of_infinite_classes_are_told() -> None:
    """From a, which is read as b is, no step leads to t, but from b; where all records come and go, groups pass."""
    on = dpc.multisets("abc")
    towns = dpc.recoding("towns", {"a": "s", "b": "s", "c": "t"})
    moves = dpc.policy("moves", replace=[("b", "c")])
    far = [
        dpc.mechanism("M", dpc.pure("e", dpc.group(3, of), "common"), reads=towns)
        for of in (moves, dpc.unbounded)
    ]
    known = dpc.compose(far[0], on=on, target=dpc.bounded).proofs.guarantee("pure").main
    assert known.optimal and kernel_formulas.to_text(dict(known.says.values)["epsilon"]) == "e"
    told.check_vectors(made(on, dpc.bounded, far[1]))


def test_what_grows_with_the_universe_is_refused() -> None:
    on = dpc.graphs()
    with pytest.raises(NoLemma, match="has no limit"):
        core(made(on, dpc.node, dpc.mechanism("M", dpc.pure("e", dpc.edge))))
    told.check_vectors(made(on, dpc.edge, dpc.mechanism("M", dpc.pure("e", dpc.node))))


def test_one_database_alone() -> None:
    """No neighbours: the cover has no types."""
    for on in (dpc.multisets("ab", "<= 0"), dpc.multisets("a", "= 3"), dpc.tuples("a", "= 2")):
        _, cover = told.cover_of(made(on, dpc.bounded, dpc.mechanism("M", dpc.pure("e", dpc.bounded))))
        assert cover.types == ()


TWO_FAMILIES = """
format = 1
[parameters]
k = "integer >= 2"
[databases]
kind = "multisets"
[partitions.P]
kind = "record-wise"
parts = "k"
[target]
granularity = { group = 2, of = "bounded" }
[[mechanisms]]
name = "M"
index = "i"
count = "k"
reads = { part = "i", of = "P" }
query = QUERY
noise = { laplace = "1/e[i]" }
[[mechanisms]]
name = "N"
index = "i"
count = "k"
reads = { part = "i", of = "P" }
guarantee = { notion = "pure", epsilon = "f[i]", granularity = "unbounded", domain = "own" }
"""


def test_families_on_one_partition_of_which_other_members_move() -> None:
    """A record that is replaced inside of a part moves no count there, and what others read of it by 2; each of
    two steps moves as much as twice the same one."""
    setting = problems.read_text(TWO_FAMILIES.replace("QUERY", '"count"')).setting
    study = Study(setting)
    once, twice = "4*max(f[i], i, 1, k)", "2*top(2, e[i] + f[i], i, 1, k)"
    verdicts = [study.check(one).verdict for one in (f"max({once}, {twice})", once, twice)]
    assert verdicts == ["proved", "refuted", "refuted"]
    groups = TWO_FAMILIES.replace('"unbounded", domain', '{ group = 2, of = "unbounded" }, domain')
    with pytest.raises(NoGuarantee, match="several families on one partition"):
        _ = Study(problems.read_text(groups.replace("QUERY", '"count"')).setting).bound


def test_families_on_one_partition_move_the_same_members() -> None:
    setting = problems.read_text(TWO_FAMILIES.replace("QUERY", "{ histogram = 3 }")).setting
    for type in told.check_vectors(setting).types:
        counts, inputs = (tuple(many for many, _ in some) for _, some in type.moves)
        assert counts == inputs


def test_mistakes_of_a_setting_stay_mistakes() -> None:
    with pytest.raises(InvalidSetting):
        made(dpc.multisets("ab"), dpc.event, dpc.mechanism("M", dpc.pure("e", dpc.bounded)))
    with pytest.raises((BadSetting, NoCover)):
        covers.cover(reading.read({}), told.THEORY)
