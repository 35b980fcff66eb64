"""Citations say of the kernel's guarantees what the goldens say, and change no guarantee."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from golden_results import THEORY, Golden, found, goldens, setting_of
from shares import every_second

from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import forms, formulas, terms
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.search.citations.citations import Citation, Citing
from dpcompose.search.citations.conclusions import lies_in, spread


@pytest.mark.parametrize("golden", every_second(goldens()))
def test_theorems_fit_as_the_goldens_say(golden: Golden) -> None:
    setting = setting_of(golden.problem.problem)
    cited = Citing(setting, THEORY).cite(found(setting, golden.data["guarantee"]["notion"]))
    show = setting.databases.show
    said = [
        {"page": fit.page.id, "fits": fit.fits, "best": fit.best, "reason": fit.reason}
        | ({"witness": [show(D) for D in fit.pair]} if fit.pair else {})
        for fit in cited.fits
    ]
    assert said == golden.data["fits"]
    best = [fit["page"] for fit in golden.data["fits"] if fit["best"]]
    assert best in ([cited.theorem.id], [])
    assert best or cited.theorem.head.kind == "substitution"


THREE = """
format = 1
[databases]
kind = "multisets"
records = ["a", "b", "c"]
[target]
granularity = "bounded"
"""
PART = """
[[mechanisms]]
name = "M_{x}"
reads = {{ records = ["{x}"] }}
guarantee = {{ notion = "{notion}", {values}, granularity = "{granularity}", domain = "{domain}" }}
"""


def cited(
    theory: Theory = THEORY,
    values: str = 'epsilon = "e_{x}"',
    notion: str = "pure",
    granularity: str = "bounded",
    domain: str = "common",
) -> Citation:
    """What is cited for a mechanism on each of three records."""
    parts = (
        PART.format(x=x, notion=notion, values=values.format(x=x), granularity=granularity, domain=domain)
        for x in "abc"
    )
    setting = setting_of(THREE + "".join(parts))
    return Citing(setting, theory).cite(found(setting, notion))


def reason(of: Citation, id: str) -> str:
    return next(fit.reason for fit in of.fits if fit.page.id == id)


def with_page(id: str, **changed: object) -> Theory:
    """The standard theory with another head of one page."""
    page: Page = THEORY.pages[id]
    other = replace(page, head=replace(page.head, **changed))
    return replace(THEORY, pages=MappingProxyType({**THEORY.pages, id: other}))


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("top(2, epsilon[i], i, 1, k)", "it gives the best bound"),
        (
            "sum(epsilon[i], i, 1, k)",
            "it holds here, but it gives e_a + e_b + e_c, which is valid, but looser than the best bound",
        ),
        (
            "max(epsilon[i], i, 1, k)",
            "it holds here, but it gives max(e_a, e_b, e_c), which is not what the profile gives",
        ),
        (
            "top(2, epsilon[i], i, 1, k)/2 + top(2, epsilon[i], i, 1, k)/2 + 1 - 1",
            "it gives the best bound",
        ),
    ],
)
def test_a_page_says_what_it_concludes_and_changes_no_guarantee(formula: str, said: str) -> None:
    right = cited()
    other = cited(with_page("parallel-bounded", conclusion={"pure": formula}))
    assert reason(other, "parallel-bounded") == said
    assert right.theorem.id == "parallel-bounded"
    wrong = "gives the best" not in said
    assert other.theorem.id == ("composition-common-domain" if wrong else "parallel-bounded")
    assert [fit.best for fit in other.fits].count(True) == 1


def test_a_shape_that_does_not_hold_is_said() -> None:
    of = cited(with_page("parallel-bounded", shape="one-input"))
    assert reason(of, "parallel-bounded") == (
        "it holds here, but it does not bound it: a vector lies outside of one-input"
    )


def test_premises_that_fail_are_named() -> None:
    own = cited(domain="own")
    assert reason(own, "parallel-bounded") == (
        "it needs guarantees on the common domain, that of M_a is on the own one"
    )
    other = cited(granularity="unbounded", domain="own")
    assert reason(other, "sequential") == (
        "it needs guarantees for bounded neighbours, that of M_a is for unbounded"
    )
    zcdp = cited(notion="zcdp", values='rho = "r_{x}"')
    assert reason(zcdp, "comparison").startswith('it needs "every mechanism reads the whole database"')
    assert zcdp.theorem.id == "parallel-bounded"


@pytest.mark.parametrize("notion", ["pure", "zcdp", "gaussian", "approximate"])
def test_without_named_theorems_the_profile_is_cited(notion: str) -> None:
    values = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu", "approximate": "epsilon"}[notion]
    more = ', delta = "d_{x}"' if notion == "approximate" else ""
    kept = {id: page for id, page in THEORY.pages.items() if page.head.kind != "named"}
    of = cited(replace(THEORY, pages=MappingProxyType(kept)), f'{values} = "e_{{x}}"{more}', notion)
    assert of.theorem.id == "sensitivity-profile" and not of.fits and not of.supposed


def test_hypotheses_of_the_cited_theorem_are_kept_with_what_was_gone_through() -> None:
    assert [(one.words, one.covered) for one in cited().supposed] == [
        ("p is a record-wise partition", "by the record sets"),
        ("k >= 2", "k = 3"),
    ]


def test_worst_cases_are_spread_into_sums() -> None:
    symbols = {name: terms.letter(name) for name in "abcx"}

    def read(text: str) -> forms.Form:
        return forms.read(formulas.parse(text, symbols))

    assert spread(read("x + top(2, a, b, c)")) == spread(read("max(a + b, a + c, b + c) + x"))
    assert spread(read("top(2, a, b, c)")) != spread(read("max(a, b, c)"))
    assert spread(read("2*max(a, b)")) == {read("2*max(a, b)")}


@pytest.mark.parametrize(
    ("moves", "each", "total", "inside"),
    [
        (((1, ((1, "1"),)), (2, ((1, "1"),))), 1, 2, True),
        (((1, ((1, "1"),)), (2, ((1, "1"),))), 1, 1, False),
        (((1, ((1, "2"),)),), 1, None, False),
        (((1, ((1, "oo"),)),), 1, None, False),
        (((1, ((2, "1"),)),), 1, 2, True),
        (((1, ((2, "1"),)),), 1, 1, False),
        (((1, ((0, "1"),)),), 1, None, True),
        (((1, ((0, "1"),)),), 1, 1, False),
        ((), 1, 0, True),
    ],
)
def test_vectors_lie_in_shapes(
    moves: tuple[tuple[int, tuple[tuple[int, str], ...]], ...], each: int, total: int | None, inside: bool
) -> None:
    read = tuple((i, tuple((many, formulas.parse(r, {})) for many, r in some)) for i, some in moves)
    assert lies_in(Type(read, frozenset(), ()), each, total) is inside
