"""The pages of theorems/: each is complete, its example runs and uses it, its head names what there is."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import frozen
import pytest
from graph_paths import shortest_paths
from in_metrics import read_data
from item_map import BEYOND, is_for_readers, rows
from shares import every_second
from shipped import EXAMPLE, IN_METRICS
from theorem_settings import FOLDER, PAGES, ROOT, THEORY

import dpcompose as dpc
from dpcompose.front.documents.best_metric import BestMetric
from dpcompose.front.studies.study import Study
from dpcompose.kernel.library.fields import key_of
from dpcompose.kernel.library.kinds import KINDS
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.in_metrics import is_in_metrics
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page
from dpcompose.search.replayed import Proved
from dpcompose.spaces.canonical.graphs import neighbourhood_graph
from dpcompose.spaces.canonical.metrics import ClosedForm
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.classes.sequences import Sequences
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.single_edits import RecordEdits

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)


# the text


@every_page
def test_page_is_complete(page: Page) -> None:
    statement, mark, rest = page.body.partition("**Proof.**")
    assert mark, "no proof"
    assert len(statement.strip()) > 100, "no statement"
    proof = rest.partition("**Example.**")[0]
    assert "∎" in proof and len(proof) > 150
    assert "TODO" not in page.body
    assert len(EXAMPLE.findall(page.body)) == 1
    if getattr(page.head, "hypotheses", []):
        assert "**Hypotheses.**" in page.body
    if page.head.kind == "named":
        assert "**Optimal.**" in page.body


@every_page
def test_page_renders(page: Page) -> None:
    """Inline mathematics ends on its line; lines are short; code hosts keep \\lbrace and not \\{."""
    code = False
    for line in page.body.splitlines():
        assert len(line) <= 110, line
        code = code != line.startswith("```")
        if not code:
            assert line.replace("$$", "").count("$") % 2 == 0, line
            assert r"\{" not in line, line
    assert page.body.count("$$") % 2 == 0


@every_page
def test_links_lead_somewhere(page: Page) -> None:
    for link in re.findall(r"\]\(([^)]+\.md)\)", page.body):
        assert (page.path.parent / link).resolve().is_file(), link


# the examples


ASKED = {one.source for one in frozen.pages()[::2]}
"""Pages whose examples are judged in a normal run of front/test_shipped.py."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(one, id=one.id, marks=[pytest.mark.slow] if one.path in ASKED else []) for one in PAGES],
)
def test_example_comes_out_as_expected(page: Page) -> None:
    study, claims = example(page)
    assert claims and all(claim.expect for claim in claims)
    for claim in claims:
        assert study.check(claim).verdict == claim.expect


@pytest.mark.parametrize("page", every_second(PAGES, lambda page: page.id))
def test_example_uses_the_page(page: Page) -> None:
    study, claims = example(page)
    bound = study.bound
    if isinstance(bound, BestMetric):
        used = frozenset(one.id for one in bound.pages)
        found = [study.check(claim).outcome for claim in claims]
        assert page.id in used.union(
            *(one.theorem.rests_on.pages for one in found if one.theorem is not None)
        )
    elif page.head.kind == "fact":
        assert uses_fact(study, page)
    elif page.head.kind == "processing":
        used = {one.id for one in bound.relies_on}
        assert page.id in used or refutes_by(study, example(page)[1])
    elif page.head.kind == "violation":
        assert violated_by(study, example(page)[1], page)
    elif page.head.kind == "query":
        assert page.id in queries_of(study)
    elif page.head.kind == "shape":
        by = [step.page for step in bound.told.steps if step.page is not None]
        assert page.id in {getattr(one.head, "shape", None) for one in by}
    elif page.head.kind == "metric":
        assert uses_statement(study, page)
    elif page.head.kind == "conversion":
        assert converts_by(study, example(page)[1], page)
    elif (
        page.head.kind == "computed"
        or page.id == "rows"
        or getattr(page.head, "by", "") == "tail"
        or getattr(page.head, "lines", "")
    ):
        texts = (claim.guarantee.text() for claim in example(page)[1])
        assert any(page.id in study.proofs.verdict(one).rests_on.pages for one in texts)
    elif is_for_readers(page):
        assert page not in bound.told.pages
    else:
        assert page in bound.told.pages
    if page.head.kind in ("named", "substitution"):
        assert bound.theorem.id == page.id


def example(page: Page) -> tuple[Study, tuple[problems.Claim, ...]]:
    return read(EXAMPLE.findall(page.body)[0], page.path.name)


@cache
def read(text: str, name: str) -> tuple[Study, tuple[problems.Claim, ...]]:
    """The study of an example, which several tests look at."""
    data = problems.parsed(text, name)
    if is_in_metrics(data):
        in_metrics = read_data(data, name, text)
        return Study(in_metrics.setting, THEORY), in_metrics.claims
    problem = problems.read_data(data, name, text)
    return Study(problem.setting, THEORY), problem.claims


def queries_of(study: Study) -> set[str]:
    """The pages about the queries to which mechanisms add noise."""
    of_noise = (one.noise for one in Elaborated(study.setting).core.mechanisms)
    return {one.query.page for one in of_noise if one is not None}


def refutes_by(study: Study, claims: Sequence[problems.Claim]) -> bool:
    """Whether some claim is refuted by one of the mechanisms alone: a projection of the output."""
    found = [study.check(claim).counterexample for claim in claims]
    return any(one is not None and one.alone is not None for one in found)


def violated_by(study: Study, claims: Sequence[problems.Claim], page: Page) -> bool:
    """Whether some claim is refuted by a mechanism of the page."""
    found = [study.check(claim).counterexample for claim in claims]
    return any(row.data().get("by") == page.id for one in found if one is not None for row in one.rows)


def converts_by(study: Study, claims: Sequence[problems.Claim], page: Page) -> bool:
    """Whether some claim is proved by a derivation that uses the page, or refuted by what it implies."""
    for found in map(study.check, claims):
        if found.verdict == "proved" and page.id in found.outcome.rests_on.pages:
            return True
        if found.counterexample is not None and page.id in found.counterexample.through:
            return True
    return False


def uses_statement(study: Study, page: Page) -> bool:
    """Whether the statement about metrics gives the numbers of the example, and is sharp or not as it says."""
    setting = study.setting
    maps = [mechanism.reads for mechanism in setting.mechanisms]
    stated = [mechanism.satisfies for mechanism in setting.mechanisms]
    f = [
        dpc.sensitivity(one, setting.databases, setting.target, guarantee.about_granularity)
        for one, guarantee in zip(maps, stated, strict=True)
    ]
    match page.head.states:
        case "metric form":
            graph = neighbourhood_graph(setting.databases, setting.target)
            values = {name: Fraction(n, 7) for n, name in enumerate(setting.domains, start=3)}
            losses = [dpc.at(study.metric(D, E), values) for D, E in graph.edges]
            said = formulas.parse(page.head.formula, study.guarantee().at(values))
            return bool(said == max(losses))
        case "preprocessing":
            return f[0].through(stated[0]).values == (("epsilon", study.guarantee().epsilon),)
        case "composed maps":
            inner, whole = maps
            images = inner.image(setting.databases)
            granularity = stated[0].about_granularity
            g = dpc.sensitivity(whole, images, granularity, granularity)
            assert dpc.composed(whole, inner) == whole
            return f[1].value == 1 and f[0].then(g) == 2
    return False


def uses_fact(study: Study, page: Page) -> bool:
    inputs = Inputs(study.setting, THEORY)
    if page.head.metric or page.head.groups or page.head.form:
        metrics = (inputs.metric(i) for i in range(1, len(study.setting.mechanisms) + 1))
        return page in study.bound.told.pages or any(page.id in one.pages for one in metrics)
    assert all(binding.check(inputs, one).holds for one in page.head.hypotheses)
    if page.head.concludes is not None:
        return binding.check(inputs, page.head.concludes).holds
    assert not binding.check(inputs, page.head.concludes_not).holds
    return any(f"({page.cite('any')}: {page.title})" in fit.reason for fit in study.theorems())


# the heads


@every_page
def test_head_names_what_there_is(page: Page) -> None:
    for id in page.head.special_case_of:
        assert id in THEORY.pages
    if (shape := getattr(page.head, "shape", None)) is not None:
        assert THEORY.pages[shape].head.kind == "shape"
    named = list(getattr(page.head, "hypotheses", []))
    named += [getattr(page.head, key, None) for key in ("concludes", "concludes_not")]
    for hypothesis in filter(None, named):
        file = hypothesis.is_.replace("-", "_").replace(" ", "_")
        assert file in binding.predicates()


METRIC_FACTS = [page for page in PAGES if page.head.kind == "fact" and page.head.metric]
BY_EDITS = [page for page in METRIC_FACTS if page.head.edits != "any two"]
SMALL = [(kind, n) for kind in ("at most", "exactly") for n in (2, 3)]

OF_SEQUENCES = {
    frozenset({(1, 0), (0, 1)}): dpc.insert_delete,
    frozenset({(1, 1)}): dpc.bounded,
    frozenset({(1, 0), (0, 1), (1, 1)}): dpc.union(dpc.insert_delete, dpc.bounded),
}


def some_classes(head: Any) -> Iterator[DatabaseClass]:
    """Small classes that a page's metric is about."""
    for kind, n in SMALL:
        if kind in head.sizes:
            size = Size(n, exactly=kind == "exactly")
            if "multisets" in head.classes:
                yield Multisets(("a", "b", "c"), size)
            if "sequences" in head.classes:
                yield Sequences(("a", "b"), size)


@pytest.mark.parametrize("page", BY_EDITS, ids=lambda page: page.id)
@pytest.mark.parametrize("m", [1, 2, 3])
def test_metric_facts_are_shortest_paths(page: Page, m: int) -> None:
    """Also for groups of m steps."""
    single = {tuple(one) for one in page.head.edits}
    edits = frozenset(single | {one[::-1] for one in single})
    for databases in some_classes(page.head):
        sequences = isinstance(databases, Sequences)
        granularity: Granularity = RecordEdits(page.id, edits)
        if sequences and edits:
            granularity = OF_SEQUENCES[edits]
        closed = ClosedForm(page.head.metric, page.head.same_size, edits if sequences else None, m)
        shortest = shortest_paths(neighbourhood_graph(databases, dpc.group(m, granularity)))
        for D, E in combinations_with_replacement(databases.databases(), 2):
            assert closed(D, E) == shortest(D, E), (D, E)


def test_free_lunch_metric_is_shortest_paths() -> None:
    for databases in (dpc.multisets("ab", "<= 2"), dpc.tuples("ab", "<= 2"), dpc.listed("pqr")):
        shortest = shortest_paths(neighbourhood_graph(databases, dpc.free_lunch))
        found = dpc.canonical_metric(databases, dpc.free_lunch)
        for D, E in combinations_with_replacement(databases.databases(), 2):
            assert found(D, E) == shortest(D, E) == (D != E)


def test_a_wrong_head_is_refused_with_every_mistake(tmp_path: Path) -> None:
    text = (FOLDER / "named" / "parallel-bounded.md").read_text(encoding="utf-8")
    text = text.replace("title =", "titel =").replace('status = "derived"', 'status = "obvious"')
    page = tmp_path / "wrong.md"
    page.write_text(text, encoding="utf-8")
    (wrong,) = registry.load(tmp_path).wrong
    assert str(wrong).splitlines() == [
        "wrong.md: titel: a named page has no such key; did you mean 'title'?",
        "wrong.md: status: 'obvious' does not fit, but 'primitive', 'derived' or 'believed'",
        "wrong.md: title: this key is missing: a text",
    ]


def test_a_page_without_a_block_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text("# Only a title\n\nand a text\n", encoding="utf-8")
    (wrong,) = registry.load(tmp_path).wrong
    assert str(wrong) == "text.md: a page is a title '# …', a fenced toml block and a text"


def test_two_pages_with_one_id_are_refused(tmp_path: Path) -> None:
    for name in ("one.md", "two.md"):
        shutil.copy(FOLDER / "rules" / "pure.md", tmp_path / name)
    theory = registry.load(tmp_path)
    assert "two.md: id: the id 'pure' is already that of one.md" in [str(one) for one in theory.wrong]


def test_a_wrong_conclusion_is_never_cited(tmp_path: Path) -> None:
    """The classical parallel bound, stated for bounded neighbours on a page of its own."""
    shutil.copytree(FOLDER, tmp_path / "theorems")
    folder = tmp_path / "theorems" / "named"
    text = (folder / "parallel-bounded.md").read_text(encoding="utf-8")
    wrong = text.replace('id = "parallel-bounded"', 'id = "too-good"').replace(
        "top(2, epsilon[i], i, 1, k)", "max(epsilon[i], i, 1, k)"
    )
    assert wrong.count("max(epsilon[i], i, 1, k)") == 2  # of pure and of approximate privacy
    wrong = wrong.replace('special-case-of = ["', 'special-case-of = ["parallel-bounded", "')
    (folder / "too-good.md").write_text(wrong, encoding="utf-8")
    theory = registry.load(tmp_path / "theorems")

    setting = example(THEORY.pages["parallel-bounded"])[0].setting
    bound, usual = Study(setting, theory).bound, Study(setting, THEORY).bound
    assert bound.guarantee == usual.guarantee
    assert bound.theorem.id == usual.theorem.id == "parallel-bounded"
    assert "too-good" not in {one.id for one in bound.told.pages}
    assert not next(fit for fit in bound.fits if fit.page.id == "too-good").best


# the tables of README.md


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_page_is_explained(kind: str) -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"\n| `{kind}` |" in text
    keys = {key_of(one) for one in dataclasses.fields(KINDS[kind])} - {"kind"}
    assert not [key for key in keys if f"`{key}`" not in text and f"`{key} = " not in text]


def test_table_agrees_with_the_folder() -> None:
    listed: dict[str, set[str]] = {}
    for item, pages, problem in rows():
        assert pages, item
        for id, path in pages:
            assert (FOLDER / path).resolve() == THEORY.pages[id].path.resolve()
            listed.setdefault(id, set()).add(item)
        assert problem == "not yet" or (ROOT / "notebooks" / "problems" / problem).is_file(), problem
    assert set(listed) == set(THEORY.pages)
    for page in PAGES:
        assert listed[page.id] in ({*page.every_item}, {*page.every_item, BEYOND}), page.id


def test_every_item_leads_to_a_page_of_its_row() -> None:
    for item, pages, _ in rows():
        if item != BEYOND:
            found = THEORY.find(item)
            assert found is not None and found.id in {id for id, _ in pages}, item
    assert [THEORY.find(item).id for item in ("GB:VI.24", "GB:VI.5")] == ["commuting-metric", "sequential"]  # type: ignore[union-attr]
    assert THEORY.find("GB:VI.27") is None


@pytest.mark.parametrize("part", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in range(8) if n != 3)])
def test_problem_files_use_the_pages_of_their_rows(part: int) -> None:
    """Every eighth row in a normal run."""
    studies: dict[str, tuple[Study, Sequence[problems.Claim]]] = {}
    for item, pages, problem in rows()[part::8]:
        if problem == "not yet":
            continue
        if ROOT / "notebooks" / "problems" / problem in IN_METRICS:
            assert {id for id, _ in pages} & used_in_metrics(problem), (item, problem)
            continue
        if problem not in studies:
            read = problems.read_text(problems.text_of(ROOT / "notebooks" / "problems" / problem))
            studies[problem] = Study(read.setting, THEORY), read.claims
        assert any(relevant(*studies[problem], THEORY.pages[id]) for id, _ in pages), (item, problem)


@cache
def used_in_metrics(problem: str) -> set[str]:
    """The pages that a problem file about privacy in a metric is about."""
    made, claims = dpc.load(ROOT / "notebooks" / "problems" / problem)
    found = [made.check(claim) for claim in claims]
    assert [one.verdict for one in found] == [claim.expect for claim in claims]
    shown = [one.outcome.verdict if isinstance(one.outcome, Proved) else one.outcome for one in found]
    theorems = [one.theorem for one in shown if one is not None]
    of_maps = any("values" in one for one in made.setting.data.get("maps", {}).values())
    several = len(made.setting.mechanisms) > 1
    return {
        *(one.id for one in made.bound.pages),
        *(page for one in theorems if one is not None for page in one.rests_on.pages),
        *(["composition-own-domain"] if several else []),
        *(["preprocessing"] if of_maps else []),
    }


def relevant(given: Study, claims: Sequence[problems.Claim], page: Page) -> bool:
    """Whether the page is used in the setting, or is a shape or fact that applies to it."""
    if page.head.kind == "fact":
        return uses_fact(given, page)
    if page.head.kind == "conversion":
        return converts_by(given, claims, page)
    if page.head.kind in ("processing", "computed", "violation") or getattr(page.head, "by", "") == "tail":
        return True  # looked at below, on the examples: tails refute only
    if is_for_readers(page):
        return True  # no file can use it
    if getattr(page.head, "lines", ""):
        return any(claim.notion == page.head.notion for claim in claims)
    if page.head.kind == "metric":
        finite = given.setting.databases.count() is not None  # all pairs of the metric form are compared
        return (finite or page.head.states != "metric form") and uses_statement(given, page)
    if page.head.kind == "query":
        return page.id in queries_of(given)
    if page.head.kind == "shape":
        return getattr(given.bound.theorem.head, "shape", None) == page.id
    fitting = {fit.page.id for fit in given.bound.fits if fit.fits}
    used = page.id in {one.id for one in given.bound.told.pages} or page.id in fitting
    return used or any(page.id in given.check(claim).outcome.rests_on.pages for claim in claims)
