"""Pages as data: what is wrong is found at once, with the file, the key and what would fit; status is enforced."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpcompose.kernel.library.fields import Mistake, read, table
from dpcompose.kernel.library.heads import Hypothesis
from dpcompose.kernel.library.kinds import KINDS
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import PageError, Theory

SHIPPED = registry.folder()
PAGES = list(registry.standard().pages.values())
OF_EACH_KIND = [next(page for page in PAGES if page.head.kind == kind) for kind in KINDS]
NEW = "an-id-of-its-own"


def text_of(id: str, *changes: tuple[str, str], id_as: str = NEW) -> str:
    """The text of a shipped page with another id, and with changes, each of which must change something."""
    text = registry.standard().pages[id].path.read_text(encoding="utf-8")
    for old, new in ((f'id = "{id}"', f'id = "{id_as}"'), *changes):
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def with_pages(where: Path, **texts: str) -> Theory:
    """The shipped pages and some of one's own, by the names of their files."""
    for name, text in texts.items():
        (where / f"{name}.md").write_text(text, encoding="utf-8")
    return registry.load(SHIPPED, where)


def said(where: Path, text: str) -> list[str]:
    """What is wrong with a page beside those that ship."""
    return [line for one in with_pages(where, own=text).wrong for line in str(one).splitlines()]


# what is read


def test_every_kind_ships_and_nothing_is_wrong() -> None:
    assert {page.head.kind for page in PAGES} == set(KINDS)
    assert registry.standard().wrong == ()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_the_data_of_a_head_is_what_the_page_says(page: registry.Page) -> None:
    import tomllib

    found = re.search(r"```toml\n(.*?)\n```", page.path.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    stated = tomllib.loads(found[1])
    if stated["status"] == "primitive":
        del stated["status"]  # as it is where nothing is said
    assert page.head.data() == stated


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (str, 1, "this is a whole number, and should be a text"),
        (int, True, "this is true or false, and should be a whole number"),
        (int, "1", "this is a text, and should be a whole number"),
        (bool, 1, "this is a whole number, and should be true or false"),
        (int, 1.0, "this is a decimal, and should be a whole number"),
        (list[str], "a", "this is a text, and should be a list, each entry a text"),
        (dict[str, str], ["a"], "this is a list, and should be a table, each value a text"),
        (
            str | dict[str, str],
            3,
            "this is a whole number, and should be a text or a table, each value a text",
        ),
        (Hypothesis, "k", "this is a text, and should be a table"),
        (str | None, {}, "this is a table, and should be a text"),
    ],
)
def test_what_does_not_fit_is_named(kind: object, value: object, words: str) -> None:
    wrong: list[Mistake] = []
    read(kind, value, ("key",), wrong)
    assert [str(one) for one in wrong] == [f"key: {words}"]


def test_mistakes_inside_of_one_of_several_forms_are_named_where_they_are() -> None:
    wrong: list[Mistake] = []
    read(dict[str, str | dict[str, str]], {"pure": {"epsilon": 1}}, ("conclusion",), wrong)
    assert [str(one) for one in wrong] == [
        "conclusion.pure.epsilon: this is a whole number, and should be a text"
    ]


def test_a_hypothesis_is_read_strictly() -> None:
    given = {"is": "at least", "value": "k", "bound": 2}
    assert table(Hypothesis, given, (), []).data() == given
    for wrong in ({}, {"is": 1}, {"is": "at least", "bound": True}, {"is": "at least", "more": 1}):
        mistakes: list[Mistake] = []
        assert table(Hypothesis, wrong, (), mistakes) is None and mistakes


# status


NOT_DERIVED = [page for page in OF_EACH_KIND if not page.head.is_derived_when_used]


@pytest.mark.parametrize("page", NOT_DERIVED, ids=lambda page: page.head.kind)
def test_what_nothing_derives_cannot_be_marked_so(page: registry.Page, tmp_path: Path) -> None:
    text = text_of(page.id, ('status = "primitive"', 'status = "derived"'), id_as=page.id)
    (tmp_path / "own.md").write_text(text, encoding="utf-8")
    (wrong,) = (one for one in registry.load(tmp_path).wrong if one.id == page.id)
    kind = page.head.kind
    assert (
        f"own.md: status: nothing derives this {kind} when it is used; it is 'primitive' or 'believed'"
        in str(wrong)
    )


def test_only_these_kinds_are_derived_when_they_are_used() -> None:
    derived = {page.head.kind for page in PAGES if page.head.is_derived_when_used}
    assert derived == {"named", "shape", "fact"}
    for page in PAGES:
        says_a_metric = getattr(page.head, "metric", None) or getattr(page.head, "form", None)
        if page.head.kind == "fact":
            assert page.head.is_derived_when_used == (not says_a_metric and page.head.groups is None)
        assert (page.head.status == "derived") == page.head.is_derived_when_used


@pytest.mark.parametrize("key", ["concludes", "concludes-not"])
def test_a_metric_beside_a_conclusion_is_not_derived(key: str, tmp_path: Path) -> None:
    text = text_of("unbounded-commutes", ("concludes = ", f'metric = "min(removed, 1)"\n{key} = '))
    assert said(tmp_path, text) == [
        "own.md: status: nothing derives this fact when it is used; it is 'primitive' or 'believed'"
    ]


def test_pages_of_ones_own_are_at_most_believed(tmp_path: Path) -> None:
    theory = with_pages(
        tmp_path,
        primitive=text_of("pure-to-zcdp", id_as="one"),
        believed=text_of("pure-to-zcdp", ('status = "primitive"', 'status = "believed"'), id_as="two"),
        nothing=text_of("pure-to-zcdp", ('status = "primitive"\n', ""), id_as="three"),
        derived=text_of("sequential", id_as="four"),
    )
    assert not theory.wrong
    found = {
        id: (theory.pages[id].head.status, theory.pages[id].says) for id in ("one", "two", "three", "four")
    }
    assert found == {
        "one": ("believed", "primitive"),
        "two": ("believed", ""),
        "three": ("believed", "primitive"),
        "four": ("derived", ""),
    }
    assert theory.pages["pure-to-zcdp"].head.status == "primitive"


def test_a_copy_of_the_shipped_folder_is_a_folder_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "pure.md").write_bytes(registry.standard().pages["pure"].path.read_bytes())
    assert registry.load(tmp_path).pages["pure"].is_believed


def test_a_link_to_the_shipped_folder_is_that_folder(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(SHIPPED, target_is_directory=True)
    assert not registry.load(link).pages["pure"].is_believed


# mistakes, one by one

CASES: list[tuple[str, tuple[str, str], str]] = [
    ("pure-to-zcdp", ("from =", "form ="), "form: a conversion page has no such key; did you mean 'from'?"),
    ("pure-to-zcdp", ('"conversion"', '"conversoin"'), "'conversoin' does not fit, but"),
    ("pure-to-zcdp", ('"conversion"', '"conversoin"'), "did you mean 'conversion'?"),
    ("pure-to-zcdp", ('"conversion"', "3"), "kind: 3 does not fit, but 'fact'"),
    (
        "pure-to-zcdp",
        ('"primitive"', '"primitiv"'),
        "status: 'primitiv' does not fit, but 'primitive', 'derived' or 'believed'; did you mean 'primitive'?",
    ),
    ("blocks", ('procedure = "blocks"', 'procedure = "block"'), "did you mean 'blocks'?"),
    (
        "parallel-bounded",
        ('"two-inputs"', '"two-input"'),
        "shape: there is no shape page 'two-input'; did you",
    ),
    ("parallel-bounded", ('"two-inputs"', '"two-input"'), "did you mean 'two-inputs'?"),
    (
        "parallel-bounded",
        ('"two-inputs"', '"pure"'),
        "shape: pure is a rule page, and should be a shape page",
    ),
    (
        "parallel-bounded",
        ('is = "record-wise partition"', 'is = "record-wise partitoin"'),
        "hypotheses.1.is: there is no hypothesis 'record-wise partitoin'; did you mean 'record wise partition'?",
    ),
    (
        "bounded-not-compatible",
        ('is = "compatible"', 'is = "compatibel"'),
        "concludes-not.is: there is no hypo",
    ),
    (
        "pure-to-zcdp",
        ("epsilon*(1", "epsilom*(1"),
        "parameters.rho: the formula has no letter 'epsilom'; its",
    ),
    ("pure-to-zcdp", ("epsilon*(1", "epsilom*(1"), "did you mean 'epsilon'?"),
    (
        "pure-to-zcdp",
        ("epsilon*(1", "rho*(1"),
        "parameters.rho: the formula has no letter 'rho'; its letters are",
    ),
    ("pure-to-zcdp", ("epsilon*(1", "epsilon*((1"), "parameters.rho: "),
    ("pure-to-zcdp", ("epsilon*(1", "delta[1]*(1"), "the formula has no letter 'delta[1]'"),
    (
        "pure-to-zcdp",
        ('from = "pure"', 'from = "pur"'),
        "from: there is no rule page of a notion 'pur'; did you",
    ),
    ("zcdp-to-approximate", ("in (0,1)", "in (0;1)"), "free.delta: "),
    ("unbounded-metric", ("removed + added", "removed + aded"), "metric: the formula has no letter 'aded'"),
    (
        "unbounded-metric",
        ('["any", "at most"]', '["any", "at mots"]'),
        "sizes.2: 'at mots' does not fit, but",
    ),
    (
        "parallel-bounded",
        ("top(2, epsilon[i]", "top(2, epsilon[i] + n"),
        "conclusion.pure: the formula has no",
    ),
    ("metric-form", ("sum(d[i]", "sum(e[i]"), "composition: the formula has no letter 'e[i]'"),
    ("composed-maps", ("Delta_f*Delta_g", "Delta_f*Delta"), "formula: the formula has no letter 'Delta'"),
    (
        "approximate-steps",
        ("exp(epsilon)*a", "exp(epsilon)*b"),
        "next.delta.1: the formula has no letter 'b'",
    ),
    ("laplace", ("abs(y - x)/b", "abs(y - x)/q"), "density: the formula has no letter 'q'"),
    (
        "laplace",
        ('epsilon = "1/b"', 'epsilon = "1/x"'),
        "guarantee.pure.epsilon: the formula has no letter 'x'",
    ),
    (
        "laplace",
        ('at-most = "abs(x - z)/b"\n', ""),
        "a noise has at-most, what its loss is at most, or equals",
    ),
    ("pure-witness", ("exp(-d)/2", "exp(-e)/2"), "probability: the formula has no letter 'e'"),
    (
        "pure-witness",
        ('distance = "epsilon*r"', 'distance = "epsilon*s"'),
        "distance: the formula has no letter",
    ),
    ("zcdp-witness", ('variance = "1/2"\n', ""), "variance: this key is missing: a witness by noise has its"),
    (
        "gaussian-in-zcdp",
        ("mu**2*r**2/2", "mu**2*R**2/2"),
        "loss: the formula has no letter 'R'; its letters",
    ),
    ("gaussian-curve", ("(mu*r)**2", "(mo*r)**2"), "parts.gaussian.square: the formula has no letter 'mo'"),
    ("gaussian-curve", ("(r/s)**2", "(r/t)**2"), "noises.gaussian.square: the formula has no letter 't'"),
    ("gaussian", ('mu = "r*mu"', 'nu = "r*mu"'), "distance.mu: this key is missing: every parameter has its"),
    ("gaussian", ('squared = ["mu"]', 'squared = ["rho"]'), "squared.rho: the notion has the parameters mu"),
    ("gaussian", ('["mu"]', '["r"]'), "parameters.1: r has a meaning in guarantees and formulas already"),
    ("gaussian", ("given earlier outputs", "given earlier output"), "adaptively.is: there is no hypothesis"),
    (
        "zcdp",
        ('rests-on = ["metric-closure"]', 'rests-on = ["metric-closur"]'),
        "rests-on.1: there is no lemma",
    ),
    (
        "zcdp",
        ('rests-on = ["metric-closure"]', 'rests-on = ["pure"]'),
        "rests-on.1: pure is a rule page, and sh",
    ),
    (
        "sequential",
        ('"comparison", ', '"comparision", '),
        "special-case-of.1: there is no page 'comparision'; did",
    ),
    (
        "sequential",
        ('"comparison", ', f'"{NEW}", '),
        f"special-case-of.1: {NEW} is a special case of this page",
    ),
    (
        "approximate-witness",
        ('"approximate-steps"', '"approximate-step"'),
        "steps-by: there is no closer page",
    ),
    (
        "push-forward",
        ('kind = "lemma"', f'kind = "lemma"\nrests-on = ["{NEW}"]'),
        f"rests-on.1: {NEW} rests on th",
    ),
    ("two-inputs", ("each = 1", 'each = "1"'), "each: this is a text, and should be a whole number"),
    ("two-inputs", (f'id = "{NEW}"', 'id = "given"'), "id: 'given' is no id: letters, digits and hyphens"),
    ("two-inputs", (f'id = "{NEW}"', 'id = "a b"'), "id: 'a b' is no id: letters, digits and hyphens"),
    ("two-inputs", ("each = 1", "each = "), "this is no TOML"),
    (
        "gaussian-curve",
        ("[noises.gaussian]", "[noises.gausian]"),
        "noises.gausian: there is no page of a noise",
    ),
]


@pytest.mark.parametrize(("id", "change", "words"), CASES, ids=[f"{n}-{c[0]}" for n, c in enumerate(CASES)])
def test_a_mistake_is_named(id: str, change: tuple[str, str], words: str, tmp_path: Path) -> None:
    """Among pages of the same kind: also about the same thing, of which there is one page already."""
    (tmp_path / "own.md").write_text(text_of(id, change), encoding="utf-8")
    others = tmp_path / "others"
    others.mkdir()
    for page in PAGES:
        if page.id != id:
            (others / page.path.name).write_bytes(page.path.read_bytes())
    found = [line for one in registry.load(tmp_path).wrong for line in str(one).splitlines()]
    assert any(line.startswith("own.md: ") and words in line for line in found), found


def test_all_mistakes_of_all_pages_come_at_once(tmp_path: Path) -> None:
    theory = with_pages(
        tmp_path,
        one=text_of("pure-to-zcdp", ("from =", "form ="), ('to = "zcdp"', "to = 1"), id_as="one"),
        two=text_of(
            "sequential",
            ('"every-input"', '"every-inputs"'),
            ('is = "identity"', 'is = "idenity"'),
            id_as="two",
        ),
        three="no page",
    )
    assert {one.file for one in theory.wrong} == {"one.md", "two.md", "three.md"}
    assert [len(one.mistakes) for one in theory.wrong] == [3, 1, 2]
    assert len(theory.pages) == len(PAGES)


def test_two_pages_of_one_id_or_about_one_thing(tmp_path: Path) -> None:
    theory = with_pages(
        tmp_path,
        clash=text_of("pure-to-zcdp", id_as="pure-to-zcdp"),
        rule=text_of("pure", id_as="pure-again"),
        noise=text_of("laplace", id_as="laplace-again"),
        witness=text_of("pure-witness", id_as="witness-again"),
        closer=text_of("approximate-steps", id_as="steps-again"),
        violation=text_of("gaussian-in-zcdp", id_as="violation-again"),
        form=text_of("metric-form", id_as="form-again"),
    )
    assert sorted(str(one) for one in theory.wrong) == [
        "clash.md: id: the id 'pure-to-zcdp' is already that of pure-to-zcdp.md",
        "closer.md: notion: the closer page of 'approximate', 'steps' is already approximate-steps.md",
        "form.md: states: the metric page of 'metric form', 'pure' is already metric-form.md",
        "noise.md: noise: the noise page of 'laplace' is already laplace.md",
        "rule.md: notion: the rule page of 'pure' is already pure.md",
        "violation.md: of: the violation page of 'gaussian', 'zcdp' is already gaussian-in-zcdp.md",
        "witness.md: notion: the witness page of 'pure', 'epsilon' is already pure-witness.md",
    ]


def test_a_page_that_needs_a_wrong_one_is_wrong_and_a_special_case_of_one_is_not(tmp_path: Path) -> None:
    theory = with_pages(
        tmp_path,
        shape=text_of("two-inputs", ("each = 1", "each = true"), id_as="my-shape"),
        named=text_of("parallel-bounded", ('"two-inputs"', '"my-shape"'), id_as="my-theorem"),
        special=text_of(
            "sequential",
            ('special-case-of = ["comparison"', 'special-case-of = ["my-theorem"'),
            id_as="special",
        ),
    )
    assert [one.file for one in theory.wrong] == ["named.md", "shape.md"]
    assert str(theory.wrong[0]) == "named.md: shape: the page my-shape is wrong itself"
    assert "special" in theory.pages


def test_a_notion_whose_rule_is_wrong_is_known_all_the_same(tmp_path: Path) -> None:
    rule = text_of(
        "pure", ('notion = "pure"', 'notion = "mine"'), ("[composition]", "[compositoin]"), id_as="mine"
    )
    conversion = text_of(
        "pure-to-zcdp", ('to = "zcdp"', 'to = "mine"'), ("rho = ", "epsilon = "), id_as="to-mine"
    )
    theory = with_pages(tmp_path, rule=rule, conversion=conversion)
    assert [one.file for one in theory.wrong] == ["rule.md"]
    with pytest.raises(PageError, match=r"^rule\.md: compositoin: a rule page has no such key; did you mean"):
        theory.rule("mine")
    with pytest.raises(KeyError):
        theory.rule("another")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="there is no folder"):
        registry.load(SHIPPED, tmp_path / "nowhere")
    with pytest.raises(PageError, match="there are no theorem pages in"):
        registry.load(tmp_path)


def test_a_page_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_bytes(b"# \xff\xfe")
    (wrong,) = registry.load(SHIPPED, tmp_path).wrong
    assert str(wrong).startswith("own.md: this is no UTF-8 text")


# asking for a wrong page


WRONG_SHIPPED = [
    ("pure", ('notion = "pure"\n', 'notion = "pure"\nmore = 1\n'), "rule", "pure"),
    ("laplace", ("norm =", "nrom ="), "noise", "laplace"),
    ("pure-witness", ("shows =", "show ="), "witness", "pure"),
]


@pytest.mark.parametrize(("id", "change", "ask", "about"), WRONG_SHIPPED)
def test_asking_for_a_wrong_page_says_so(
    id: str, change: tuple[str, str], ask: str, about: str, tmp_path: Path
) -> None:
    for page in PAGES:
        text = text_of(id, change, id_as=id) if page.id == id else page.path.read_text(encoding="utf-8")
        (tmp_path / page.path.name).write_text(text, encoding="utf-8")
    theory = registry.load(tmp_path)
    assert id in [one.id for one in theory.wrong]
    with pytest.raises(PageError, match=rf"^{id}\.md: "):
        getattr(theory, ask)(about)
    with pytest.raises(PageError, match=rf"^{id}\.md: "):
        theory.find(id)
    other = {"rule": "zcdp", "noise": "geometric", "witness": "zcdp"}[ask]
    assert getattr(theory, ask)(other) is not None


def test_a_page_that_is_no_toml_is_known_by_its_lines(tmp_path: Path) -> None:
    text = text_of("laplace", ('norm = "L1"', "norm = "), ('noise = "laplace"', 'noise = "my-noise"'))
    theory = with_pages(tmp_path, own=text)
    with pytest.raises(PageError, match=r"^own\.md: this is no TOML"):
        theory.noise("my-noise")
    assert theory.noise("another") is None
    assert theory.closer("zcdp", "steps") is None
