"""The pages of theorems/: each is complete, its example runs and uses it, its numbers are right."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest
import sympy
from shipped import EXAMPLE, IN_METRICS

import dpcompose as dpc
from dpcompose.front.best_metric import BestMetric
from dpcompose.front.study import Study
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.in_metrics import is_in_metrics
from dpcompose.privacy.metrics import reading
from dpcompose.proof import registry
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Named, Page, Theory
from dpcompose.spaces.databases import DatabaseClass
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.graphs import neighbourhood_graph
from dpcompose.spaces.maps import Map
from dpcompose.spaces.metrics import ClosedForm, ShortestPaths
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.sequences import Sequences
from dpcompose.spaces.single_edits import RecordEdits
from dpcompose.spaces.sizes import Size
from dpcompose.spaces.tuples import Streams, Tuples

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "theorems"
THEORY = registry.load(FOLDER)
PAGES = list(THEORY.pages.values())

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


@every_page
def test_example_comes_out_as_expected(page: Page) -> None:
    study, claims = example(page)
    assert claims and all(claim.expect for claim in claims)
    for claim in claims:
        assert study.check(claim).verdict == claim.expect


@every_page
def test_example_uses_the_page(page: Page) -> None:
    study, claims = example(page)
    bound = study.bound
    if isinstance(bound, BestMetric):
        used = frozenset(one.id for one in bound.pages)
        found = [study.check(claim).found for claim in claims]
        assert page.id in used.union(*(one.theorem.rests_on for one in found if one.theorem is not None))
    elif page.head.kind == "fact":
        assert uses_fact(study, page)
    elif page.head.kind == "processing":
        assert refutes_by(study, example(page)[1])
    elif page.head.kind == "violation":
        assert violated_by(study, example(page)[1], page)
    elif page.head.kind == "query":
        assert page.id in queries_of(study)
    elif page.head.kind == "shape":
        by = {line.by for line in bound.derivation.lines}
        assert page.id in {getattr(THEORY.pages[id].head, "shape", None) for id in by & set(THEORY.pages)}
    elif page.head.kind == "metric":
        assert uses_statement(study, page)
    elif page.head.kind == "conversion":
        assert converts_by(study, example(page)[1], page)
    elif page.head.kind == "computed":
        texts = (claim.guarantee.text() for claim in example(page)[1])
        assert any(page.id in study.proofs.verdict(one).rests_on for one in texts)
    else:
        assert page.id in bound.derivation.pages
    if page.head.kind in ("named", "substitution"):
        assert bound.theorem.id == page.id


def example(page: Page) -> tuple[Study, tuple[problems.Claim, ...]]:
    text = EXAMPLE.findall(page.body)[0]
    data = problems.parsed(text, page.path.name)
    if is_in_metrics(data):
        in_metrics = reading.read_data(data, page.path.name, text)
        return Study(in_metrics.setting, THEORY), in_metrics.claims
    problem = problems.read_data(data, page.path.name, text)
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
        if found.verdict == "proved" and found.bound is not None and page in found.bound.conversions:
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
        return page.id in study.bound.derivation.pages or any(page.id in one.pages for one in metrics)
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


def some_classes(head: Any) -> Iterator[DatabaseClass]:
    """Small classes that a page's metric is about."""
    for kind, n in SMALL:
        if kind in head.sizes:
            size = Size(n, exactly=kind == "exactly")
            for of, make in (("multisets", Multisets), ("tuples", Tuples), ("streams", Streams)):
                if of in head.classes:
                    yield make(("a", "b", "c"), size)
            if "sequences" in head.classes:
                yield Sequences(("a", "b"), size)


@pytest.mark.parametrize("page", BY_EDITS, ids=lambda page: page.id)
@pytest.mark.parametrize("m", [1, 2, 3])
def test_metric_facts_are_shortest_paths(page: Page, m: int) -> None:
    """Also for groups of m steps."""
    single = {tuple(one) for one in page.head.edits}
    edits = frozenset(single | {one[::-1] for one in single})
    for databases in some_classes(page.head):
        ordered = isinstance(databases, Tuples)
        granularity: Granularity
        if isinstance(databases, Sequences) and edits:
            granularity = dpc.insert_delete
        elif ordered:
            granularity = RecordEdits(page.id, ordered=frozenset({databases.kind} if edits else ()))
        else:
            granularity = RecordEdits(page.id, edits)
        sequences = isinstance(databases, Sequences)
        closed = ClosedForm(page.head.metric, page.head.same_size, ordered, sequences, m)
        shortest = ShortestPaths(neighbourhood_graph(databases, dpc.group(m, granularity)))
        for D, E in combinations_with_replacement(databases.databases(), 2):
            assert closed(D, E) == shortest(D, E), (D, E)


def test_free_lunch_metric_is_shortest_paths() -> None:
    for databases in (dpc.multisets("ab", "<= 2"), dpc.tuples("ab", "<= 2"), dpc.listed("pqr")):
        shortest = ShortestPaths(neighbourhood_graph(databases, dpc.free_lunch))
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
    assert "too-good" not in bound.derivation.pages
    assert not next(fit for fit in bound.fits if fit.page.id == "too-good").best


# numbers by hand

Part = tuple[str | None, str, str, str]
"""What a mechanism reads ("ab": the records a, b; None: everything), ε, granularity, domain."""


def study(
    target: str, *parts: Part, records: str = "ab", size: str = "any", theory: Theory = THEORY
) -> Study:
    lines = [
        "format = 1",
        "[databases]",
        'kind = "multisets"',
        f'size = "{size}"',
        f"records = {list(records)}",
    ]
    lines += ["[target]", f'granularity = "{target}"']
    for i, (reads, epsilon, granularity, domain) in enumerate(parts, start=1):
        lines += ["[[mechanisms]]", f'name = "M{i}"']
        if reads is not None:
            lines.append(f"reads = {{ records = {list(reads)} }}")
        said = f'notion = "pure", epsilon = "{epsilon}", granularity = "{granularity}"'
        lines.append(f"guarantee = {{ {said}{f', domain = {domain!r}' if reads is not None else ''} }}")
    return Study(problems.read_text("\n".join(lines)).setting, theory)


U, B = "unbounded", "bounded"


def on_roads(*parts: tuple[Map, str], size: str = "any") -> Study:
    """What mechanisms read of people in a, b and c, who may move from a to b and from b to c."""
    roads = dpc.policy("roads", replace=[["a", "b"], ["b", "c"]])
    mechanisms = [
        dpc.mechanism(f"M{i}", dpc.pure(epsilon, roads, "common"), reads=f)
        for i, (f, epsilon) in enumerate(parts, start=1)
    ]
    return Study(dpc.compose(*mechanisms, on=dpc.multisets("abc", size), target=roads).setting, THEORY)


BY_HAND: list[tuple[str, Study, str]] = [
    # a replacement inside of {a, b}: 2 · 1/2; across: 1/2 + 3/4
    (
        "composition-own-domain",
        study(B, ("ab", "1/2", U, "own"), ("c", "3/4", U, "own"), records="abc"),
        "5/4",
    ),
    # b is read twice: 1/2 + 1/3; c once: 3/4
    (
        "composition-common-domain",
        study(
            U, ("ab", "1/2", U, "common"), ("b", "1/3", U, "common"), ("c", "3/4", U, "common"), records="abc"
        ),
        "5/6",
    ),
    # a replacement is a removal and an addition: 2 · (1/2 + 1/3)
    ("comparison", study(B, (None, "1/2", U, ""), (None, "1/3", U, "")), "5/3"),
    # inside of {a, b}: 2 · 1/2; across: 1/2 + 1/3
    (
        "commuting-metric",
        study(B, ("ab", "1/2", U, "own"), ("cd", "1/3", U, "own"), records="abcd"),
        "1",
    ),
    ("sequential", study(B, (None, "1/2", B, ""), (None, "1/3", B, ""), (None, "1/6", B, "")), "1"),
    ("disjoint-own-domain", study(U, ("a", "1/2", U, "own"), ("b", "1/3", U, "own")), "1/2"),
    ("disjoint-common-domain", study(U, ("a", "2/7", U, "common"), ("b", "3/7", U, "common")), "3/7"),
    # the two largest of 1/4, 1 and 1/2
    (
        "parallel-bounded",
        study(
            B, ("a", "1/4", B, "common"), ("b", "1", B, "common"), ("c", "1/2", B, "common"), records="abc"
        ),
        "3/2",
    ),
    ("part-of-bounded", study(U, ("a", "3/7", B, "common")), "3/7"),
    # from a to b: 1/2 + 1/3; from b to c: 1/3 + 3/4
    (
        "composition-over-a-policy",
        on_roads(
            *((dpc.restriction([x]), epsilon) for x, epsilon in (("a", "1/2"), ("b", "1/3"), ("c", "3/4")))
        ),
        "13/12",
    ),
    # inside of {a, b}: 2 · 2; across: 2 + 1
    ("sensitivity-profile", study(B, ("ab", "2", U, "own"), ("c", "1", B, "common"), records="abc"), "4"),
]


@pytest.mark.parametrize(("id", "given", "epsilon"), BY_HAND, ids=[id for id, _, _ in BY_HAND])
def test_value_by_hand(id: str, given: Study, epsilon: str) -> None:
    assert given.bound.theorem.id == id
    assert given.guarantee().epsilon == sympy.Rational(Fraction(epsilon))
    assert given.bound.optimal


def test_every_composition_theorem_has_a_value_by_hand() -> None:
    theorems = [page.id for page in PAGES if page.head.kind in ("named", "substitution")]
    assert sorted(id for id, _, _ in BY_HAND) == sorted(theorems)


# the same settings in the other notions: ρ and μ in place of ε, with r²·ρ and √Σ(r·μ)², and δ = 1/10 beside ε

BY_HAND_ELSEWHERE: dict[str, tuple[str, str, tuple[str, str]]] = {
    # inside of {a, b}: two steps of 1/2; across: 1/2 and 3/4
    "composition-own-domain": ("2", "1", ("5/4", "1/10*(1 + exp(1/2))")),
    # b is read by 1/2 and 1/3, c by 3/4
    "composition-common-domain": ("5/6", "3/4", ("5/6", "2/10")),
    # inside of {a, b}: two steps of 1/2; across: 1/2 and 1/3
    "commuting-metric": ("2", "1", ("1", "1/10*(1 + exp(1/2))")),
    # two steps of 1/2 and of 1/3
    "comparison": ("10/3", "sqrt(13)/3", ("5/3", "1/10*(1 + exp(1/2)) + 1/10*(1 + exp(1/3))")),
    "sequential": ("1", "sqrt(14)/6", ("1", "3/10")),
    "disjoint-own-domain": ("1/2", "1/2", ("1/2", "1/10")),
    "disjoint-common-domain": ("3/7", "3/7", ("3/7", "1/10")),
    # the two largest of 1/4, 1 and 1/2
    "parallel-bounded": ("3/2", "sqrt(5)/2", ("3/2", "2/10")),
    "part-of-bounded": ("3/7", "3/7", ("3/7", "1/10")),
    # from b to c: 1/3 and 3/4
    "composition-over-a-policy": ("13/12", "sqrt(97)/12", ("13/12", "2/10")),
    # inside of {a, b}: two steps of 2; across: 2 and 1
    "sensitivity-profile": ("8", "4", ("4", "1/10*(1 + exp(2))")),
}


@pytest.mark.parametrize("id", BY_HAND_ELSEWHERE)
@pytest.mark.parametrize("notion", ["zcdp", "gaussian", "approximate"])
def test_value_by_hand_in_every_notion(id: str, notion: str) -> None:
    found = in_notion(next(given for one, given, _ in BY_HAND if one == id), notion)
    zcdp, gaussian, approximate = BY_HAND_ELSEWHERE[id]
    expected = {"zcdp": (zcdp,), "gaussian": (gaussian,), "approximate": approximate}[notion]
    for value, one in zip(found.guarantee().values.values(), expected, strict=True):
        assert abs(sympy.N(value.doit() - formulas.parse(one, {}), 30)) < 1e-25
    if (id, notion) == ("commuting-metric", "approximate"):
        fit = next(fit for fit in found.theorems() if fit.page.id == id)
        assert fit.fits and fit.reason.endswith("which is the best bound in another form")
    else:
        assert found.bound.theorem.id == id
    # δ adds up to more than is needed where two inputs move
    adds_up = approximate[1] in ("2/10", "3/10") or id == "comparison"
    assert found.bound.optimal is not (notion == "approximate" and adds_up)


def stated_for(head: Named) -> set[str]:
    """The notions for which a theorem is stated."""
    return {*head.items, *head.conclusion, *head.notions}


def test_every_composition_theorem_has_a_value_by_hand_in_every_notion() -> None:
    theorems = [page for page in PAGES if page.head.kind in ("named", "substitution")]
    for notion in NOTIONS:
        stated = {
            page.id
            for page in theorems
            if not isinstance(page.head, Named) or notion in stated_for(page.head)
        }
        assert stated == set(BY_HAND_ELSEWHERE)


# each hypothesis broken once: the reason, and what the composition really loses

BROKEN: list[tuple[str, str, Study, str, object]] = [
    (
        "sequential",
        "identity",
        study(B, ("a", "1", B, "own")),
        'it needs "every mechanism reads the whole database". It is not: M1 reads D|{a} only',
        sympy.oo,
    ),
    (
        "comparison",
        "identity",
        study(B, ("a", "1", B, "own")),
        'it needs "every mechanism reads the whole database". It is not: M1 reads D|{a} only',
        sympy.oo,
    ),
    (
        "commuting-metric",
        "commutes",
        study(U, ("a", "1", U, "own"), ("a", "2", U, "own")),
        'it needs "the unbounded metric commutes with p". It is not: '
        "D = {a} and E = {} are neighbours, and the parts move by 2 in all",
        3,
    ),
    (
        "disjoint-own-domain",
        "compatible",
        study(U, ("a", "1", U, "own"), ("a", "2", U, "own")),
        'it needs "p is compatible with the unbounded granularity". It is not: '
        "D = {a} and E = {} are neighbours, and what M1 and M2 read changes",
        3,
    ),
    (
        "disjoint-own-domain",
        "sensitivity at most",
        study(B, ("a", "1", B, "own")),
        'it needs "every p_i has sensitivity at most 1 for the bounded granularity". It is not: '
        "D = {a} and E = {b} are neighbours, and what M1 reads moves by oo",
        sympy.oo,
    ),
    (
        "disjoint-common-domain",
        "compatible",
        study(B, ("a", "1", B, "common"), ("b", "2", B, "common")),
        'it needs "p is compatible with the bounded granularity". It is not: '
        "D = {a} and E = {b} are neighbours, and what M1 and M2 read changes "
        "(GB:A.5: No record-wise partition is compatible with replace-one neighbours)",
        3,
    ),
    (
        "parallel-bounded",
        "record-wise partition",
        study(B, ("a", "1", B, "common"), ("a", "2", B, "common"), ("a", "3", B, "common")),
        'it needs "p is a record-wise partition". It is not: M1 and M2 both read the record a',
        6,
    ),
    (
        "parallel-bounded",
        "at least",
        study(B, ("a", "1", B, "common")),
        'it needs "k >= 2". It is not: k = 1',
        1,
    ),
    (
        "composition-over-a-policy",
        "record-wise",
        on_roads((dpc.function("most", lambda D: max(D, default="")), "1"), size="<= 2"),
        'it needs "every mechanism reads records one by one". It is not: M1 reads most(D)',
        1,
    ),
    (
        "part-of-bounded",
        "proper part",
        study(U, ("ab", "1", B, "common")),
        'it needs "every mechanism reads a proper part of the record universe". It is not: '
        "M1 reads all records",
        sympy.oo,
    ),
]


@pytest.mark.parametrize(
    ("id", "broken", "given", "reason", "epsilon"), BROKEN, ids=[f"{one[0]}-{one[1]}" for one in BROKEN]
)
def test_broken_hypothesis(id: str, broken: str, given: Study, reason: str, epsilon: object) -> None:
    assert reason_of(given, id) == reason
    assert given.guarantee().epsilon == epsilon
    assert broken in [hypothesis.is_ for hypothesis in THEORY.pages[id].head.hypotheses]


def test_every_hypothesis_of_a_composition_theorem_is_broken_once() -> None:
    stated = [(page.id, one.is_) for page in THEORY.of_kind("named") for one in page.head.hypotheses]
    assert sorted(one[:2] for one in BROKEN) == sorted(stated)


PREMISES: list[tuple[str, Study, str, object]] = [
    # no add/remove neighbours at all, so nothing is promised; across replacements everything may be lost
    (
        "composition-own-domain",
        study(B, ("a", "1", U, "common"), size="= 1"),
        "it needs guarantees on the own domain, that of M1 is on the common one",
        sympy.oo,
    ),
    (
        "commuting-metric",
        study(B, ("a", "1", U, "common"), size="= 1"),
        "it needs guarantees on the own domain, that of M1 is on the common one",
        sympy.oo,
    ),
    (
        "commuting-metric",
        study(B, ("a", "1", U, "own"), ("b", "2", B, "own")),
        "it needs guarantees for the same neighbours, that of M1 is for unbounded, that of M2 for bounded",
        sympy.oo,
    ),
    (
        "comparison",
        study(B, (None, "1", U, ""), (None, "2", B, "")),
        "it needs guarantees for the same neighbours, that of M1 is for unbounded, that of M2 for bounded",
        4,
    ),
    (
        "composition-common-domain",
        study(B, ("a", "1", B, "own")),
        "it needs guarantees on the common domain, that of M1 is on the own one",
        sympy.oo,
    ),
    (
        "parallel-bounded",
        study(U, ("a", "1", B, "common"), ("b", "2", B, "common")),
        "it is about bounded neighbours, the target is unbounded",
        2,
    ),
    (
        "part-of-bounded",
        study(U, ("a", "1", B, "common"), ("a", "2", B, "common")),
        "it is about 1 mechanism, there are 2",
        3,
    ),
]


@pytest.mark.parametrize(("id", "given", "reason", "epsilon"), PREMISES)
def test_broken_premise(id: str, given: Study, reason: str, epsilon: object) -> None:
    assert reason_of(given, id) == reason
    assert given.guarantee().epsilon == epsilon


# the same hypotheses and premises in the other notions: the same reasons, and what is really needed

ELSEWHERE: dict[object, tuple[str, str, tuple[str, str]]] = {
    # by what moves: ρ or μ² added up, with r²; ε·r, and δ = 1/10 for each step of ε = 1
    1: ("1", "1", ("1", "1/10")),
    2: ("2", "2", ("2", "1/10")),
    3: ("3", "sqrt(5)", ("3", "2/10")),
    4: ("6", "sqrt(8)", ("4", "1/10*(1 + exp(1)) + 1/10")),
    6: ("6", "sqrt(14)", ("6", "3/10")),
}
NOTIONS = ("zcdp", "gaussian", "approximate")
CASES = [(one[0], one[2], one[3], one[4]) for one in BROKEN] + PREMISES


def in_notion(given: Study, notion: str) -> Study:
    """The same setting with the same numbers, as ρ, μ, or ε beside δ = 1/10."""
    make: dict[str, Any] = {"zcdp": dpc.zcdp, "gaussian": dpc.gaussian, "approximate": dpc.approximate}
    mechanisms = []
    for one in given.setting.mechanisms:
        first, about = one.satisfies.values[0][1], (one.satisfies.granularity, one.satisfies.domain)
        more = ["1/10"] if notion == "approximate" else []
        mechanisms.append(dpc.mechanism(one.name, make[notion](first, *more, *about), reads=one.reads))
    return dpc.compose(*mechanisms, on=given.setting.databases, target=given.setting.target)


FORMS = {"zcdp": "rho-zCDP", "gaussian": "mu-GDP", "approximate": "(epsilon, delta)-DP"}


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize(("id", "given", "reason", "epsilon"), CASES)
def test_broken_in_every_notion(id: str, given: Study, reason: str, epsilon: object, notion: str) -> None:
    head = THEORY.pages[id].head
    study = in_notion(given, notion)
    stated = notion in stated_for(head)
    assert reason_of(study, id) == (reason if stated else f"it is not stated for {FORMS[notion]}")
    zcdp, gaussian, approximate = ELSEWHERE.get(epsilon, ("oo", "oo", ("oo", "oo")))
    expected = {"zcdp": (zcdp,), "gaussian": (gaussian,), "approximate": approximate}[notion]
    assert tuple(study.guarantee().values.values()) == tuple(formulas.parse(one, {}) for one in expected)


def test_every_hypothesis_is_broken_in_every_notion() -> None:
    """Each composition theorem, with each hypothesis, in each notion that it is stated for."""
    for notion in NOTIONS:
        stated = {page.id for page in THEORY.of_kind("named") if notion in stated_for(page.head)}
        needing = {id for id in stated if THEORY.pages[id].head.hypotheses}
        assert needing <= {one[0] for one in BROKEN}
        assert {"sequential", "disjoint-own-domain", "disjoint-common-domain", "commuting-metric"} <= needing


@pytest.mark.parametrize(("notion", "claimed"), [("zcdp", "2"), ("approximate", "1/10")])
def test_A13_and_A15_as_printed_are_false(notion: str, claimed: str) -> None:
    """They leave out that the parts are compatible: the largest parameter is refuted, as is all up to the sum."""
    given = next(one[2] for one in BROKEN if one[0] == "disjoint-common-domain")
    study = in_notion(given, notion)
    assert THEORY.pages["disjoint-common-domain"].head.items[notion] in ("GB:A.13", "GB:A.15")
    said = dpc.zcdp("2") if notion == "zcdp" else dpc.approximate("2", "1/10")
    verdict = study.check(said)
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    data = verdict.counterexample.data()
    assert verdict.counterexample.pair == (("a",), ("b",)) and data["claimed"] == claimed
    assert data["actual"] == {"zcdp": "3", "approximate": "19/100"}[notion]
    just = dpc.zcdp("3") if notion == "zcdp" else dpc.approximate("3", "19/100")
    assert study.check(just).loose is False


# a metric that commutes with the parts


def test_the_metric_of_a_commuting_metric_is_exact() -> None:
    """GB:VI.24 and VI.25: one added record in each of k parts is √k·μ, and k·μ by the largest parameter."""
    study = in_notion(
        globals()["study"](B, *((x, "1", U, "own") for x in "abcd"), records="abcd"), "gaussian"
    )
    assert study.guarantee().values["mu"] == sympy.sqrt(2)
    for k in (1, 2, 3, 4):
        assert dpc.at(study.metric((), tuple("abcd"[:k])), {}) == sympy.sqrt(k)
    fit = next(fit for fit in study.theorems() if fit.page.id == "commuting-metric")
    assert fit.fits and not fit.best
    assert fit.reason == "it holds here, but it gives 2, which is valid, but looser than the best bound"


@pytest.mark.parametrize(
    ("notion", "parts", "values", "cited"),
    [
        ("gaussian", ("ab", "cd"), ("2",), True),
        ("zcdp", ("ab", "cd"), ("4",), True),
        ("zcdp", ("a", "c"), ("2",), False),
        ("approximate", ("ab",), ("2", "1/10*(1 + exp(1))"), True),
        ("approximate", ("a", "c"), ("2", "2/10"), False),
    ],
)
def test_a_commuting_metric_in_every_notion(
    notion: str, parts: tuple[str, ...], values: tuple[str, ...], cited: bool
) -> None:
    given = study(B, *((part, "1", U, "own") for part in parts), records="abcd")
    found = in_notion(given, notion)
    assert tuple(found.guarantee().values.values()) == tuple(formulas.parse(one, {}) for one in values)
    fit = next(fit for fit in found.theorems() if fit.page.id == "commuting-metric")
    assert fit.fits and fit.best is cited, fit.reason


def reason_of(given: Study, id: str) -> str:
    fit = next(fit for fit in given.theorems() if fit.page.id == id)
    assert not fit.fits
    return fit.reason


@pytest.mark.parametrize(
    ("parts", "size", "records"),
    [
        ([("a", "1", B, "common"), ("b", "2", B, "common")], "= 0", "ab"),  # no records
        ([("a", "1", B, "common"), ("a", "2", B, "common")], "any", "a"),  # no partition
        ([("a", "1", B, "common"), ("", "2", B, "common")], "any", "ab"),  # one non-empty part
    ],
)
def test_compatible_where_a_hypothesis_of_A5_fails(parts: Sequence[Part], size: str, records: str) -> None:
    page = THEORY.pages["bounded-not-compatible"]
    inputs = Inputs(study(B, *parts, size=size, records=records).setting, THEORY)
    assert binding.check(inputs, page.head.concludes_not).holds
    assert [binding.check(inputs, one).holds for one in page.head.hypotheses].count(False) == 1


def test_overlapping_parts_do_not_commute() -> None:
    page = THEORY.pages["unbounded-commutes"]
    inputs = Inputs(study(U, ("a", "1", U, "own"), ("a", "2", U, "own")).setting, THEORY)
    assert not binding.check(inputs, page.head.hypotheses[0]).holds
    found = binding.check(inputs, page.head.concludes)
    assert found.words == "D = {a} and E = {} are neighbours, and the parts move by 2 in all"


# the table of README.md


def rows() -> list[tuple[str, list[tuple[str, str]], str]]:
    """(item, [(page's id, path)], problem file) of each row."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    table = text.partition("| item |")[2].splitlines()[2:]
    found = []
    for line in table:
        if line.startswith("|"):
            item, _, pages, problem = [cell.strip() for cell in line.strip("|").split("|")]
            found.append((item, re.findall(r"\[([^]]+)\]\(([^)]+)\)", pages), problem))
    return found


def test_table_agrees_with_the_folder() -> None:
    listed: dict[str, set[str]] = {}
    for item, pages, problem in rows():
        assert item.startswith("GB:") or item == "beyond the paper"
        assert pages, item
        for id, path in pages:
            assert (FOLDER / path).resolve() == THEORY.pages[id].path.resolve()
            listed.setdefault(id, set()).add(item)
        assert problem == "not yet" or (ROOT / "notebooks" / "problems" / problem).is_file(), problem
    assert set(listed) == set(THEORY.pages)
    for page in PAGES:
        assert set(page.every_item or ["beyond the paper"]) == listed[page.id], page.id


def test_every_item_leads_to_a_page_of_its_row() -> None:
    for item, pages, _ in rows():
        if item != "beyond the paper":
            found = THEORY.find(item)
            assert found is not None and found.id in {id for id, _ in pages}, item
    assert [THEORY.find(item).id for item in ("GB:VI.24", "GB:VI.5")] == ["commuting-metric", "sequential"]  # type: ignore[union-attr]
    assert THEORY.find("GB:VI.27") is None


LAST_ITEM = {"II": 9, "III": 8, "IV": 15, "V": 6, "VI": 26, "VII": 3, "A": 18}
"""The last numbered item of each section of the source."""


def test_every_numbered_item_of_the_source_has_a_row() -> None:
    items = [f"GB:{section}.{n}" for section, last in LAST_ITEM.items() for n in range(1, last + 1)]
    assert len(items) == 85
    assert {item for item, _, _ in rows()} == {*items, "GB:IV-C", "beyond the paper"}


def test_problem_files_use_the_pages_of_their_rows() -> None:
    studies: dict[str, tuple[Study, Sequence[problems.Claim]]] = {}
    for item, pages, problem in rows():
        if problem == "not yet":
            continue
        if ROOT / "notebooks" / "problems" / problem in IN_METRICS:
            assert {id for id, _ in pages} & used_in_metrics(problem), (item, problem)
            continue
        if problem not in studies:
            read = problems.read_file(ROOT / "notebooks" / "problems" / problem)
            studies[problem] = Study(read.setting, THEORY), read.claims
        assert any(relevant(*studies[problem], THEORY.pages[id]) for id, _ in pages), (item, problem)


def used_in_metrics(problem: str) -> set[str]:
    """The pages that a problem file about privacy in a metric is about."""
    made, claims = dpc.load(ROOT / "notebooks" / "problems" / problem)
    found = [made.check(claim) for claim in claims]
    assert [one.verdict for one in found] == [claim.expect for claim in claims]
    theorems = [one.found.theorem for one in found if one.found is not None]
    of_maps = any(not values.parts for values in made.setting.values.values())
    several = len(made.setting.mechanisms) > 1
    return {
        *(one.id for one in made.bound.pages),
        *(page for one in theorems if one is not None for page in one.rests_on),
        *(["composition-own-domain"] if several else []),
        *(["preprocessing"] if of_maps else []),
    }


def relevant(given: Study, claims: Sequence[problems.Claim], page: Page) -> bool:
    """Whether the page is used in the setting, or is a shape or fact that applies to it."""
    if page.head.kind == "fact":
        return uses_fact(given, page)
    if page.head.kind == "conversion":
        return converts_by(given, claims, page)
    if page.head.kind in ("processing", "computed", "violation"):
        return True  # looked at below, on the examples
    if page.head.kind == "metric":
        finite = given.setting.databases.count() is not None  # all pairs of the metric form are compared
        return (finite or page.head.states != "metric form") and uses_statement(given, page)
    if page.head.kind == "query":
        return page.id in queries_of(given)
    if page.head.kind == "shape":
        return getattr(given.bound.theorem.head, "shape", None) == page.id
    fitting = {fit.page.id for fit in given.bound.fits if fit.fits}
    return page.id in given.bound.derivation.pages or page.id in fitting
