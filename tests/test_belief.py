"""Status is enforced: a result that rests on a page for which nobody vouches says so, wherever it is shown."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
import rechecks
from believed import page, run
from item_map import is_for_readers

import dpcompose as dpc
from dpcompose.front.printers import render
from dpcompose.front.studies import as_json
from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page, PageError, Theory

THEORY = registry.standard()
EXAMPLE = re.compile(r"^```toml example\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = list(THEORY.pages.values())
FALSE_CONVERSION = page(
    """
id = "too-good"
kind = "conversion"
status = "primitive"
from = "pure"
to = "zcdp"
[parameters]
rho = "epsilon/1000"
"""
)
"""ρ = ε/1000 is false: randomized response with ε = 1 loses more."""
BELIEVED = "which is only believed (primitive are only pages that ship with dpcompose)"
PROBLEM = """\
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M1"
guarantee = { notion = "pure", epsilon = "e1", granularity = "bounded" }
[[mechanisms]]
name = "M2"
guarantee = { notion = "pure", epsilon = "e2", granularity = "bounded" }
"""
CLAIM = '[[claims]]\nnotion = "zcdp"\nrho = "(e1 + e2)/500"\n'


def believing(*ids: str, theory: Theory = THEORY) -> Theory:
    """The shipped pages, some of them only believed."""
    pages = {
        id: replace(one, head=replace(one.head, status="believed")) if id in ids else one
        for id, one in theory.pages.items()
    }
    return Theory(MappingProxyType(pages))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with a false page of one's own, that says it is primitive."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "too-good.md").write_text(FALSE_CONVERSION, encoding="utf-8")
    return folder


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    file = tmp_path / "problem.toml"
    file.write_text(PROBLEM + CLAIM, encoding="utf-8")
    return file


# every page that a result rests on is named


NEED_BELIEF = [one for one in PAGES if one.head.status != "derived"]
READ_BY_FUNCTIONS = {"metric", "processing"}
"""Kinds that no guarantee and no verdict need: they are read by functions, or cited beside a refutation."""
SHOWN_OTHERWISE = {"vertex-removal-metric", "minimum-privacy"}
"""Pages on which guarantees do not rest: other pages cover graphs, and closures of metrics."""
USED = [
    one
    for one in NEED_BELIEF
    if one.head.kind not in READ_BY_FUNCTIONS and one.id not in SHOWN_OTHERWISE and not is_for_readers(one)
]


LARGE = {"pure-to-renyi-least"}
"""Their examples take seconds."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(one, id=one.id, marks=[pytest.mark.slow] * (n % 2 or one.id in LARGE))
        for n, one in enumerate(USED)
    ],
)
def test_the_example_of_a_believed_page_says_so(page: Page, tmp_path: Path) -> None:
    """The example of each page uses it: some result there names it.

    That none does where all pages are vouched for is asked in front/test_shipped.py.
    """
    (file := tmp_path / "example.toml").write_text(EXAMPLE.findall(page.body)[0], encoding="utf-8")
    alike = [one.id for one in PAGES if one is not page and _may_serve(one, page)]
    with_it = believing(page.id)  # what computes a bound by a page that is vouched for does not take this one
    alone = Theory({id: one for id, one in with_it.pages.items() if id not in alike})
    study, claims = dpc.load(file, alone)
    results = [study.bound.relies_on, *(study.check(claim).relies_on for claim in claims)]
    assert {one.id for some in results for one in some if one.is_believed} == {page.id}


def _may_serve(one: Page, page: Page) -> bool:
    """Whether a page may serve in place of another one: what computes a bound, and witnesses of one notion."""
    if one.head.kind != page.head.kind:
        return False
    return page.head.kind == "computed" or (
        page.head.kind == "witness" and bool(one.head.notion == page.head.notion)
    )


def test_what_some_mechanisms_lose_rests_on_the_page_on_parts() -> None:
    """What the exponential mechanism loses at two databases is not known: the other one refutes."""
    (page,) = (one for one in PAGES if one.head.kind == "processing" and one.head.of == "parts")
    known = dpc.mechanism("M", dpc.pure("1", dpc.unbounded))
    other = dpc.mechanism("E", query=dpc.histogram(3), noise=dpc.exponential("1/2"))
    pure, approximate = dpc.pure("1/2"), dpc.approximate("1/2", "1/100")
    for some, claims, named in (((known, other), (pure, approximate), True), ((known,), (pure,), False)):
        few = dpc.multisets({"a", "b"}, "<= 9")  # of larger databases it is nearly the bound
        study = dpc.compose(*some, on=few, target=dpc.unbounded, theory=believing(page.id))
        for claim in claims:
            found = study.check(claim)
            assert found.verdict == "refuted"
            assert (page.id in [one.id for one in found.relies_on if one.is_believed]) is named


def test_the_rule_of_a_notion_that_is_converted_is_named(problem: Path) -> None:
    study, (claim,) = dpc.load(problem, believing("pure"))
    found = study.check(claim.guarantee)
    assert "pure" not in [
        one.id for one in Study(study.setting).check(claim.guarantee).relies_on if one.is_believed
    ]
    larger = study.check(dpc.zcdp("(e1 + e2)**2 + e1 + e2"))
    assert larger.verdict == "proved" and "pure" in [one.id for one in larger.relies_on if one.is_believed]
    assert found.verdict != "proved"


def test_pages_of_compositions_among_the_mechanisms_are_named() -> None:
    D = dpc.multisets({"a", "b"})
    inner = dpc.compose(
        dpc.mechanism("M1", dpc.pure("e1", dpc.bounded, "common"), reads=dpc.restriction(["a"])),
        on=D,
        target=dpc.unbounded,
        theory=believing("minimum-privacy-closure"),
    )
    outer = dpc.compose(
        dpc.mechanism("N", study=inner),
        on=D,
        target=dpc.unbounded,
        theory=believing("minimum-privacy-closure"),
    )
    assert "the page minimum-privacy-closure, which is only believed" in repr(outer.guarantee())


# a false page of one's own


def test_a_false_page_proves_nothing_in_silence(own: Path, problem: Path, tmp_path: Path) -> None:
    study, (claim,) = dpc.load(problem, dpc.theorems(own))
    found = study.check(claim)
    assert found.verdict == "proved" and [one.id for one in found.relies_on if one.is_believed] == [
        "too-good"
    ]
    says = f"the page too-good, {BELIEVED}"
    in_zcdp = study.guarantee("zcdp")
    for shown in (
        repr(found),
        found._repr_html_(),
        found._repr_latex_(),
        repr(in_zcdp),
        str(in_zcdp.derivation),
    ):
        assert says in shown
    for shown in (in_zcdp._repr_html_(), in_zcdp._repr_latex_(), in_zcdp.derivation._repr_html_()):
        assert says in shown
    assert says in in_zcdp.derivation._repr_latex_() and says in in_zcdp.to_latex([found])
    assert says in in_zcdp.assumptions
    assert study.guarantee().assumptions == Study(study.setting).guarantee().assumptions


def test_verify_and_recheck_say_so(
    own: Path, problem: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, latex = tmp_path / "saved.json", tmp_path / "proof.tex"
    status, out, err = run(
        capsys, "verify", problem, "--theorems", own, "--save-derivation", saved, "--latex", latex
    )
    flat = re.sub(r"\s+", " ", out)
    assert (status, err) == (0, "") and "PROVED" in flat
    assert f"rests on the page too-good, {BELIEVED}" in flat
    assert "too-good, which is only believed" in latex.read_text(encoding="utf-8")

    status, out, _ = run(capsys, "verify", "--json", problem, "--theorems", own)
    found = json.loads(out)
    assert found["claims"][0]["verdict"] == "proved" and found["claims"][0]["believed"] == ["too-good"]

    status, out, _ = run(capsys, "recheck", saved, "--theorems", own)
    assert status == 0 and f"rests on the page too-good, {BELIEVED}" in re.sub(r"\s+", " ", out)
    status, out, _ = run(capsys, "recheck", "--json", saved, "--theorems", own)
    assert json.loads(out)["believed"] == ["too-good"] and "pure" in json.loads(out)["primitives"]

    status, out, _ = run(capsys, "recheck", saved)
    assert status == 1 and "REFUSED" in out


def test_bound_and_budget_say_so(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "problem.toml"
    stated = PROBLEM.replace('"pure", epsilon = "e2"', '"zcdp", rho = "e2"')
    file.write_text(stated, encoding="utf-8")
    for arguments in (("bound", file), ("budget", file, "--total", "1")):
        _, out, err = run(capsys, *arguments, "--theorems", own)
        assert "too-good, which is only believed" in re.sub(r"\s+", " ", out + err)
    _, out, _ = run(capsys, "bound", "--json", file, "--theorems", own)
    assert json.loads(out)["believed"] == ["too-good"]
    _, out, _ = run(capsys, "bound", "--json", file)
    assert "believed" not in json.loads(out)


def test_a_false_metric_is_named_also_in_a_refutation(tmp_path: Path) -> None:
    """A closed form, the only one there is: it makes a bound too small, and refutes what is true."""
    text = THEORY.pages["unbounded-metric"].path.read_text(encoding="utf-8")
    text = text.replace('id = "unbounded-metric"', 'id = "mine"')
    for metric, claim, verdict in (
        ("min(removed, 1)", "e", "proved"),
        ("9*removed + 9*added", "2*e", "refuted"),
    ):
        (tmp_path / "mine.md").write_text(text.replace("removed + added", metric), encoding="utf-8")
        pages = {id: one for id, one in dpc.theorems(tmp_path).pages.items() if id != "unbounded-metric"}
        study = dpc.compose(
            dpc.mechanism("M", dpc.pure("e", dpc.unbounded)),
            on=dpc.multisets({"a", "b"}),
            target=dpc.bounded,
            theory=Theory(pages),
        )
        found = study.check(dpc.pure(claim))
        assert found.verdict == verdict
        assert [one.id for one in found.relies_on if one.is_believed] == ["mine"]


def test_shipped_pages_come_before_those_of_ones_own(tmp_path: Path) -> None:
    """A false metric for a class of which a shipped page has the metric already is not used."""
    text = THEORY.pages["unbounded-metric"].path.read_text(encoding="utf-8")
    false = text.replace('id = "unbounded-metric"', 'id = "a-metric"').replace(
        "removed + added", "min(removed, 1)"
    )
    (tmp_path / "a-metric.md").write_text(false, encoding="utf-8")
    D = dpc.multisets({"a", "b"})
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.unbounded)),
        on=D,
        target=dpc.bounded,
        theory=dpc.theorems(tmp_path),
    )
    assert str(study.guarantee().epsilon) == "2*e"
    assert not [one for one in study.bound.relies_on if one.is_believed]


def test_in_a_metric_of_ones_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    study, claims = dpc.load("notebooks/problems/71-private-in-a-metric.toml", believing("metric-form"))
    found = [study.check(claim) for claim in claims]
    says = "the page metric-form, which is only believed"
    assert (
        says in repr(study.guarantee()) and says in str(study.derivation()) and says in study.to_latex(found)
    )
    # that a claim fails at two databases rests on what is lost there, and on no metric form
    assert [one.verdict for one in found] == ["proved", "refuted", "proved"]
    for one in found:
        shown = says in repr(one), says in re.sub(r"\s+", " ", render.verdict(1, one))
        assert shown == (one.verdict == "proved",) * 2
    data = as_json.problem_data("file", study, study.bound, found)
    assert data["believed"] == ["metric-form"] and data["claims"][0]["believed"] == ["metric-form"]
    assert says in data["assumptions"]


def test_metrics_that_only_functions_read() -> None:
    found = dpc.compare(
        dpc.bounded, dpc.group(2, dpc.bounded), dpc.tuples("ab", "= 4"), believing("covering-blocks-metric")
    )
    assert "rests on the page covering-blocks-metric, which" in str(found)


def test_steps_of_one_relation_are_compared_without_their_metric() -> None:
    """That a group of two is two steps needs no closed form of how many steps any two graphs are apart."""
    found = dpc.compare(
        dpc.node_removal,
        dpc.group(2, dpc.node_removal),
        dpc.graphs("any"),
        believing("vertex-removal-metric"),
    )
    assert (found.forth.value, found.back.value) == (2, 1) and "rests on" not in str(found)


def test_comparisons_say_so() -> None:
    found = dpc.compare(dpc.unbounded, dpc.bounded, dpc.multisets({"a", "b"}), believing("unbounded-metric"))
    assert "rests on the page unbounded-metric, which is only believed" in str(found)
    found = dpc.compare(dpc.unbounded, dpc.bounded, dpc.multisets({"a", "b"}))
    assert "rests on" not in str(found)


# derived pages


def test_a_false_theorem_of_ones_own_changes_nothing(tmp_path: Path, problem: Path) -> None:
    text = THEORY.pages["sequential"].path.read_text(encoding="utf-8")
    text = text.replace('id = "sequential"', 'id = "best"').replace("sum(epsilon[i]", "max(epsilon[i]")
    (tmp_path / "best.md").write_text(text, encoding="utf-8")
    study, _ = dpc.load(problem, dpc.theorems(tmp_path))
    assert study.theory.pages["best"].head.status == "derived"
    assert repr(study.guarantee()) == repr(Study(study.setting).guarantee())
    assert study.check(dpc.pure("max(e1, e2)")).verdict == "refuted"


# recheck --allow


def test_only_what_is_allowed_may_be_relied_upon(
    problem: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "saved.json"
    run(capsys, "verify", problem, "--save-derivation", saved)
    _, out, _ = run(capsys, "recheck", "--json", saved)
    primitives = json.loads(out)["primitives"]
    assert {"pure", "pure-witness", "own-domain", "edit-types"} <= set(primitives)
    assert run(capsys, "recheck", saved, "--allow", *primitives)[0] == 0
    for left_out in primitives:
        status, out, _ = run(
            capsys, "recheck", saved, "--allow", *(one for one in primitives if one != left_out)
        )
        assert status == 1
        assert f"uses the page {left_out!r}, which is primitive and not allowed" in out
    status, _, err = run(capsys, "recheck", saved, "--allow", "own-domian")
    assert (status, err) == (
        2,
        "dpcompose: there is no theorem page 'own-domian'; did you mean 'own-domain'?\n",
    )


def test_a_believed_page_is_refused_where_it_is_not_allowed(own: Path, problem: Path, tmp_path: Path) -> None:
    theory = dpc.theorems(own)
    study, (claim,) = dpc.load(problem, theory)
    study.save(tmp_path / "saved.json", [study.check(claim)])
    saved = json.loads((tmp_path / "saved.json").read_text())
    shipped = [one.id for one in theory.pages.values() if not one.is_believed]
    with pytest.raises(Refused, match="uses the page 'too-good', which is believed and not allowed"):
        rechecks.check(saved, theory, shipped)
    assert rechecks.check(saved, theory, [*shipped, "too-good"]).verdicts == ("proved",)


def test_what_refutes_must_be_allowed_too(problem: Path) -> None:
    study = Study(dpc.load(problem)[0].setting)
    found = study.check(dpc.zcdp("(e1 + e2)/500"))
    assert found.verdict == "refuted" and found.counterexample is not None
    saved = rechecks.saved(study, [found])
    used = rechecks.check(saved, THEORY).pages
    assert "pure-in-zcdp" in used or "pure-witness" in used
    without = rechecks.check(rechecks.saved(study), THEORY).pages
    refuting = {id for id in set(used) - set(without) if THEORY.pages[id].head.status != "derived"}
    assert refuting and refuting <= {one.id for one in found.relies_on}
    for id in refuting:
        with pytest.raises(Refused, match=f"uses the page '{id}', which is primitive and not allowed"):
            rechecks.check(saved, THEORY, [one for one in used if one != id])


def test_a_claim_that_says_nothing_rests_on_its_rule_alone() -> None:
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.unbounded)), on=dpc.multisets(), target=dpc.unbounded
    )
    assert [one.id for one in study.check(dpc.approximate("0", "1")).relies_on] == ["approximate"]
    assert study.check(dpc.pure("oo")).relies_on == ()


# wrong pages, and commands that do not need them


def broken(where: Path, **changes: tuple[str, str]) -> Path:
    """A copy of the shipped pages with a mistake in some."""
    for one in PAGES:
        text = one.path.read_text(encoding="utf-8")
        old, new = changes.get(one.id.replace("-", "_"), ("", ""))
        assert old in text
        (where / one.path.name).write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    return where


@pytest.fixture
def wrong_laplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "theorems"
    folder.mkdir()
    theory = registry.load(broken(folder, laplace=("norm =", "nrom =")))
    monkeypatch.setattr(registry, "standard", lambda: theory)


WARNING = (
    "dpcompose: warning: a theorem page is wrong and left out: laplace.md; `dpcompose theorems` says why\n"
)
MISTAKE = "laplace.md: nrom: a noise page has no such key; did you mean 'norm'?"


def test_commands_that_do_not_need_a_wrong_page_work(
    wrong_laplace: None, problem: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "saved.json"
    assert run(capsys, "verify", problem, "--save-derivation", saved)[::2] == (1, WARNING)
    assert run(capsys, "bound", problem)[::2] == (0, WARNING)
    assert run(capsys, "recheck", saved)[::2] == (0, WARNING)
    assert run(capsys, "compare", "bounded", "unbounded")[::2] == (0, WARNING)
    status, out, err = run(capsys, "theorems", "pure")
    assert status == 0 and out.startswith("# ") and "pure is only believed: it says primitive" in err


def test_commands_that_need_a_wrong_page_say_so(
    wrong_laplace: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "noise.toml"
    file.write_text(
        PROBLEM.partition("[[mechanisms]]")[0]
        + '[[mechanisms]]\nname = "M"\nquery = "count"\nnoise = { laplace = "1/e" }\n',
        encoding="utf-8",
    )
    for command in ("verify", "bound"):
        status, _, err = run(capsys, command, file)
        assert status == 2 and MISTAKE in err and "Traceback" not in err
    status, out, _ = run(capsys, "verify", "--json", file)
    assert MISTAKE in json.loads(out)["error"]
    status, out, err = run(capsys, "theorems")
    assert status == 2 and MISTAKE in err and "sequential" in out
    assert run(capsys, "theorems", "--table")[0] == 2
    status, _, err = run(capsys, "theorems", "laplace")
    assert status == 2 and MISTAKE in err
    status, out, _ = run(capsys, "theorems", "--json")
    assert json.loads(out.splitlines()[-1])["id"] == "laplace"


def test_a_wrong_page_of_ones_own_breaks_nothing_else(
    own: Path, problem: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "bad.md").write_text(FALSE_CONVERSION.replace("too-good", "sequential"), encoding="utf-8")
    status, _, err = run(capsys, "verify", problem, "--theorems", own)
    assert status == 0 and err.startswith("dpcompose: warning: a theorem page is wrong and left out: bad.md")
    status, _, err = run(capsys, "theorems", "--theorems", own)
    assert (status, err) == (2, "bad.md: id: the id 'sequential' is already that of sequential.md\n")
    status, _, err = run(capsys, "verify", problem, "--theorems", own / "nowhere")
    assert status == 2 and "there is no folder" in err
    with pytest.warns(UserWarning, match=r"bad\.md: id: "):
        theory = dpc.theorems(own)
    assert theory.pages["sequential"].head.kind == "named"


def test_python_says_so_where_it_needs_a_wrong_page(wrong_laplace: None) -> None:
    study = dpc.compose(
        dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("1/e")),
        on=dpc.multisets(),
        target=dpc.unbounded,
    )
    with pytest.raises(PageError, match=re.escape(MISTAKE)):
        study.guarantee()


def test_a_hypothesis_without_its_letters_is_named(tmp_path: Path, problem: Path) -> None:
    text = THEORY.pages["sequential"].path.read_text(encoding="utf-8")
    text = text.replace('id = "sequential"', 'id = "mine"').replace(
        '{ is = "identity", maps = "f" }', '{ is = "at least" }'
    )
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    study, _ = dpc.load(problem, dpc.theorems(tmp_path))
    with pytest.raises(PageError, match=r"^mine\.md: hypotheses: 'at least' needs a value$"):
        list(study.theorems())
