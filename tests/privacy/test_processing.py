"""Functions of outputs (GB:VII.1): they keep guarantees, and nothing else is known of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from golden_results import THEORY

import dpcompose as dpc
from dpcompose.front.printers import render
from dpcompose.front.studies import recheck
from dpcompose.kernel import saved
from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy import problems, writing
from dpcompose.privacy.elaboration import Elaborated

PAGES = Theory(THEORY.pages)
FILE = """
format = 1
[databases]
kind = "listed"
elements = ["no", "yes"]
[granularities.one]
neighbours = [["no", "yes"]]
[tables.answer]
outcomes = ["a", "b"]
rows = {{ no = ["3/4", "1/4"], yes = ["1/4", "3/4"] }}
[target]
granularity = "one"
[[mechanisms]]
name = "M"
guarantee = {{ notion = "pure", epsilon = "log(3)", granularity = "one" }}
{more}
"""
ROUNDED = 'post-processing = "rounded"'

MECHANISMS = {
    "guarantee": dpc.mechanism("M", dpc.pure("e", dpc.unbounded)),
    "approximate": dpc.mechanism("M", dpc.approximate("e", "d", dpc.unbounded)),
    "zcdp": dpc.mechanism("M", dpc.zcdp("r", dpc.unbounded)),
    "gaussian": dpc.mechanism("M", dpc.gaussian("m", dpc.unbounded)),
    "noise": dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("1/e")),
    "dependent": dpc.mechanism("M", dpc.pure("e", dpc.unbounded, "common"), reads=dpc.restriction(["a"])),
    "family": dpc.mechanism("M", dpc.pure("e[i]", dpc.unbounded), count=3),
}


def composed(*mechanisms: Any) -> Any:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=dpc.unbounded)


@pytest.mark.parametrize("kind", MECHANISMS)
def test_a_function_of_outputs_keeps_the_guarantee_and_what_is_optimal(kind: str) -> None:
    other = dpc.mechanism("N", dpc.pure("e2", dpc.unbounded))
    beside = [] if kind in ("zcdp", "gaussian", "approximate") else [other]
    plain = composed(MECHANISMS[kind], *beside)
    rounded = composed(MECHANISMS[kind].then("rounded to tens"), *beside)
    assert rounded.guarantee().values == plain.guarantee().values
    assert rounded.guarantee().optimal == plain.guarantee().optimal
    pages = [{page.id for page in one.bound.relies_on} for one in (plain, rounded)]
    assert pages[1] - pages[0] == {"post-processing"}
    (step,) = [one for one in rounded.bound.told.steps if one.page and one.page.id == "post-processing"]
    assert step.words == "M, then rounded to tens: a function of the output keeps the guarantee"


def test_claims_are_judged_as_for_the_identity() -> None:
    """M is e-DP: g∘M is, for every g, and no smaller claim is true of every g."""
    study = composed(MECHANISMS["guarantee"].then("rounded"))
    assert study.check(dpc.pure("e")).verdict == "proved"
    found = study.check(dpc.pure("e/2"))
    assert found.verdict == "refuted" and found.as_they_are == ("M",)
    assert "with the outputs of M published as they are" in render.verdict(1, found)


def test_tables_stay_what_they_are_and_the_function_is_kept_in_files() -> None:
    setting = problems.read_text(FILE.format(more=f'table = "answer"\n{ROUNDED}')).setting
    (one,) = setting.mechanisms
    assert one.table is not None and one.processing == "rounded"
    assert Elaborated(setting).core.mechanisms[0].processed
    again = problems.read_data(writing.to_data(setting)).setting
    assert again.mechanisms[0].processing == "rounded"


def test_a_study_is_processed_as_a_whole_and_its_mechanisms_one_by_one_are_not() -> None:
    inner = composed(
        *(dpc.mechanism(f"M{i}", dpc.approximate(f"e{i}", "1/100", dpc.unbounded)) for i in (1, 2))
    )
    rate = dpc.mechanism("rate", study=inner, processing="the one by the other")
    study = dpc.compose(rate, on=dpc.multisets("ab"), target=dpc.unbounded)
    flat = study.flat()
    assert flat is not None and not any(one.processing for one in flat.setting.mechanisms)
    # 1 - (99/100)² = 199/10000 is known of the mechanisms one by one, and so of what is made of them
    found = study.check(dpc.approximate("e1 + e2", "199/10000"))
    assert found.verdict == "proved" and "post-processing" in {page.id for page in found.relies_on}
    less = study.check(dpc.approximate("e1 + e2", "198/10000"))
    assert less.verdict == "refuted" and less.as_they_are == ("rate",)


def test_functions_in_studies_are_named_with_the_study() -> None:
    inner = composed(MECHANISMS["guarantee"].then("rounded"))
    outer = dpc.mechanism("S", study=inner)
    setting = dpc.compose(outer, on=dpc.multisets("ab"), target=dpc.unbounded).setting
    assert setting.processed == ("S.M",)


def test_functions_one_after_the_other() -> None:
    twice = MECHANISMS["noise"].then("rounded to tens").then("at least 0")
    assert twice.processing == "rounded to tens, then at least 0"
    assert twice == dpc.mechanism(
        "M", query=dpc.count, noise=dpc.laplace("1/e"), processing="rounded to tens, then at least 0"
    )
    again = problems.read_data(writing.to_data(composed(twice).setting)).setting
    assert again.mechanisms[0].processing == twice.processing


@pytest.mark.parametrize("wrong", ["", " ", "a\nb", 3, None])
def test_what_is_done_is_said_in_words(wrong: Any) -> None:
    with pytest.raises(TypeError, match="say in a line of words what is done to its output"):
        MECHANISMS["guarantee"].then(wrong)


@pytest.mark.parametrize("wrong", ['""', "3", '["rounded"]'])
def test_a_file_says_it_in_words(wrong: str) -> None:
    with pytest.raises(problems.ProblemError, match=r"mechanisms.1.post-processing"):
        problems.read_text(FILE.format(more=f"post-processing = {wrong}"))


def test_a_derivation_is_refused_where_its_page_is_not_allowed(tmp_path: Path) -> None:
    file = tmp_path / "derivation.json"
    composed(MECHANISMS["guarantee"].then("rounded")).save(file)
    data = json.loads(file.read_text(encoding="utf-8"))
    used = set(data["derivation"]["pages"])
    assert saved.check(data, PAGES, used).rests_on.pages >= {"post-processing"}
    assert "that what is done to the output of M reads nothing else" in list(
        recheck.assumptions(recheck.recheck(data, PAGES))
    )
    with pytest.raises(saved.Refused, match="'post-processing', which is primitive and not allowed"):
        saved.check(data, PAGES, used - {"post-processing"})
