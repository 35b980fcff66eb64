"""Conversions: the pages' formulas by numbers, mixed settings, a notion of one's own, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import pytest
import rechecks
import sympy
from converted import MAKE, U, number, rechecked, two_steps

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.studies.loading import load
from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.proof.theory import registry
from dpcompose.search.guarantees import NoGuarantee

THEORY = registry.standard()
PAGES = THEORY.of_kind("conversion")
PROBLEMS = Path(__file__).resolve().parents[1] / "notebooks" / "problems"


def by_page(id: str, **values: object) -> dict[str, Any]:
    """What a page makes of numbers."""
    numbers = {key: sympy.Rational(str(x)) for key, x in values.items()}
    formulae = THEORY.pages[id].head.parameters
    return {key: number(formulas.parse(text, numbers)) for key, text in formulae.items()}


# ---------------------------------------------------------------- the pages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_pages_lead_from_a_notion_to_a_notion(page: registry.Page) -> None:
    head = page.head
    assert {head.from_, head.to} <= set(THEORY.notions) and head.from_ != head.to
    assert list(head.parameters) == THEORY.rule(head.to).head.parameters
    assert set(head.free) <= set(head.parameters)
    letters = {*THEORY.rule(head.from_).head.parameters, *head.free}
    letters |= {"alpha"} if any(THEORY.rule(one).head.ordered for one in (head.from_, head.to)) else set()
    assert all(set(formulas.names(text)) <= letters for text in head.parameters.values())


EPSILONS = [Fraction(n, 8) for n in range(1, 17)] + [Fraction(n) for n in (3, 4, 5, 6, 8, 12, 20, 40)]


@pytest.mark.parametrize("id", ["pure-to-gaussian", "pure-to-gaussian-root"])
def test_gaussian_parameters_are_never_below_the_least_one(id: str) -> None:
    """Φ(μ/2) ≥ e^ε/(e^ε + 1), enclosed in intervals: 1 − Φ(x) = ∫ from x, bounded term by term by erfc."""
    iv = mpmath.iv
    for epsilon in EPSILONS:
        mu = formulas.parse(THEORY.pages[id].head.parameters["mu"], {"epsilon": sympy.Rational(str(epsilon))})
        square = Fraction(str(mu**2))
        with mpmath.workdps(60):
            # 1 − Φ(x) at an x a little below μ/2, and the tail of randomized response a little above
            x = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator) / 2
            tail = mpmath.erfc(x * (1 - mpmath.mpf(10) ** -40) / mpmath.sqrt(2)) / 2
        e = iv.mpf(epsilon.numerator) / epsilon.denominator
        assert iv.mpf(tail) < 1 / (iv.exp(e) + 1), epsilon


def test_the_multiple_is_close_to_the_least_one() -> None:
    with mpmath.workdps(30):
        least = 2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.tanh(mpmath.mpf("0.005")))  # ε = 1/100
        assert 1 < by_page("pure-to-gaussian", epsilon="1/100")["mu"] / least < 1.0001
    square = Fraction(94, 75) ** 2
    pi = mpmath.iv.pi
    assert mpmath.iv.mpf(square.numerator) / square.denominator > pi / 2


def renyi(P: Sequence[Any], Q: Sequence[Any], a: Any) -> Any:
    total = mpmath.fsum(p**a * q ** (1 - a) for p, q in zip(P, Q, strict=True))
    return mpmath.log(total) / (a - 1)


ALPHAS = [mpmath.mpf(a) for a in ("1.0001", "1.1", "1.5", "2", "3", "7", "30")]


@pytest.mark.parametrize("id", ["pure-to-zcdp", "pure-to-zcdp-square"])
def test_divergences_of_pure_mechanisms(id: str) -> None:
    """Of randomized response and of three outcomes; the sharp page is attained for α → 1."""
    with mpmath.workdps(40):
        for epsilon in EPSILONS[::3]:
            e, rho = mpmath.mpf(epsilon.numerator) / epsilon.denominator, by_page(id, epsilon=epsilon)["rho"]
            q = 1 / (mpmath.exp(e) + 1)
            pairs = [((1 - q, q), (q, 1 - q))]
            for share in (mpmath.mpf("0.3"), mpmath.mpf("0.9")):
                rest = 1 - share
                pairs.append(((share, rest * (1 - q), rest * q), (share, rest * q, rest * (1 - q))))
            for P, Q in pairs:
                for a in ALPHAS:
                    assert renyi(P, Q, a) <= rho * a
            attained = renyi(*pairs[0], ALPHAS[0]) / ALPHAS[0]
            assert id != "pure-to-zcdp" or rho - attained < rho / 1000


def test_distance_first_is_never_worse() -> None:
    """rε·tanh(rε/2) ≤ r²·ε·tanh(ε/2), as the page says, and each mechanism by itself is best."""
    for e, r in product((Fraction(1, 10), Fraction(1), Fraction(5)), (2, 3, 10)):
        one, far = (by_page("pure-to-zcdp", epsilon=x)["rho"] for x in (e, r * e))
        assert r * one <= far <= r**2 * one
    found = two_steps(dpc.pure("1", dpc.unbounded)).guarantee("zcdp").values["rho"]
    assert mpmath.almosteq(number(found), 2 * mpmath.tanh(1), 1e-12)


# ---------------------------------------------------------------- mixed settings


MIXED: dict[str, tuple[list[Guarantee], str, str, list[Guarantee]]] = {
    # notion and bound; claims that are proved, refuted, and refuted by more than a mechanism's own notion
    "pure and zcdp": (
        [dpc.pure("e", U), dpc.zcdp("x", U)],
        "zcdp",
        "e - 2*e/(exp(e) + 1) + x",
        [dpc.zcdp("e**2/2 + x"), dpc.zcdp("x/2"), dpc.zcdp("e**2/4 + x")],
    ),
    "pure and gaussian": (
        [dpc.pure("e", U), dpc.gaussian("m", U)],
        "gaussian",
        "sqrt(8836/5625*e**2 + m**2)",
        [dpc.gaussian("94/75*e + m"), dpc.gaussian("m/2"), dpc.gaussian("sqrt(e**2 + m**2)")],
    ),
    "pure and approximate": (
        [dpc.pure("e", U), dpc.approximate("f", "1/100", U)],
        "approximate",
        "e + f, 1/100",
        [
            dpc.approximate("e + f", "1/100"),
            dpc.approximate("e + f", "1/1000"),
            dpc.approximate("f", "1/100"),
        ],
    ),
    "gaussian and zcdp": (
        [dpc.gaussian("m", U), dpc.zcdp("x", U)],
        "zcdp",
        "m**2/2 + x",
        [dpc.zcdp("m**2 + x"), dpc.zcdp("x/2"), dpc.zcdp("m**2/4 + x")],
    ),
}


@pytest.mark.parametrize("name", MIXED)
def test_mixed_notions(name: str) -> None:
    guarantees, notion, bound, claims = MIXED[name]
    study = dpc.compose(
        *(dpc.mechanism(f"M{i}", one) for i, one in enumerate(guarantees, start=1)),
        on=dpc.multisets("ab"),
        target=U,
    )
    said = study.bound.guarantee
    assert said.notion == notion and not study.bound.optimal
    for (_, value), text in zip(said.texts, bound.split(", "), strict=True):
        assert formulas.from_python(value) == formulas.from_python(text)
    assert rechecked(study, *claims) == ["proved", "refuted", "refuted"]
    assert str(study.guarantee().derivation).count("where the inputs move by r, M") == 1


CONVERTED: list[tuple[str, tuple[str, ...], str]] = [
    ("approximate", ("2*e + 2*f", "0"), "proved"),
    ("approximate", ("2*e + f", "0"), "refuted"),  # as a pure one
    ("approximate", ("2*e + f", "1/9"), "refuted"),  # by the least delta, at numbers
    ("zcdp", ("2*e**2 + 2*f**2",), "proved"),
    ("zcdp", ("2*e*(1 - 2/(exp(2*e) + 1)) + 2*f*(1 - 2/(exp(2*f) + 1))",), "proved"),
    ("zcdp", ("2*e + 2*f",), "proved"),
    ("zcdp", ("e**2 + f**2",), "undecided"),
    ("gaussian", ("188/75*(e + f)",), "proved"),
    ("gaussian", ("sqrt(16*e + 16*f)",), "proved"),
    ("gaussian", ("2*sqrt(e**2 + f**2)",), "undecided"),
]


def test_pure_mechanisms_and_claims_in_every_notion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = two_steps(dpc.pure("e", U), dpc.pure("f", U))
    claims = [MAKE[notion](*texts) for notion, texts, _ in CONVERTED]
    verdicts = [verdict for _, _, verdict in CONVERTED]
    answers = [study.check(one) for one in claims]
    saved = tmp_path / "saved.json"
    study.save(saved, answers)
    assert cli.main(["recheck", "--json", str(saved)]) == 0
    assert json.loads(capsys.readouterr().out)["verdicts"] == verdicts
    assert study.bound.optimal and not any(one.loose is False for one in answers)


def test_json_has_a_guarantee_in_each_claims_notion(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "--json", str(PROBLEMS / "51-one-file-four-notions.toml")]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["guarantee"] == {"notion": "pure", "epsilon": "4"} and data["optimal"] is True
    for claim in data["claims"]:
        notion = claim["claim"]["notion"]
        assert ("guarantee" in claim) == (notion != "pure")
        assert claim.get("guarantee", claim["claim"])["notion"] == notion
    approximate = [claim["guarantee"] for claim in data["claims"][1:3]]
    assert approximate[0] == {"notion": "approximate", "epsilon": "4", "delta": "0"}
    assert approximate[1]["epsilon"] == "2.77541"  # the least one at this delta, up to 1e-6


def test_claims_of_one_notion_have_the_files_guarantee(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (PROBLEMS / "51-one-file-four-notions.toml").read_text(encoding="utf-8")
    head, *claims = text.split("[[claims]]")
    file = tmp_path / "one.toml"
    file.write_text("[[claims]]".join([head, claims[3]]), encoding="utf-8")
    assert cli.main(["verify", "--json", str(file)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["guarantee"]["notion"] == "zcdp" and data["optimal"] is None
    assert data["theorems"] == ["GB:VI.15", "pure-to-zcdp"]


def test_what_conversions_leave_undecided_or_say_at_once() -> None:
    zcdp = two_steps(dpc.zcdp("1/8", U))
    for claim, verdict, reason in (
        (dpc.pure("9"), "refuted", ""),  # normal noise has no bounded loss
        (dpc.approximate("9", "0"), "refuted", ""),  # normal noise has no bounded loss
        (dpc.approximate("1", "2"), "proved", ""),  # δ ≥ 1 says nothing
        (dpc.pure("oo"), "proved", ""),
        (dpc.approximate("4", "1/1000"), "proved", ""),  # at the best order
        (dpc.approximate("7/2", "1/1000"), "undecided", None),
        (dpc.approximate("5", "1/100"), "proved", ""),  # 1/2 + 2·√(½·ln 100) = 3.53
    ):
        found = zcdp.check(claim)
        assert found.verdict == verdict and reason in (None, found.reason), claim
        assert rechecked(zcdp, claim) == [verdict]
    mixed = two_steps(dpc.pure("e", U), dpc.zcdp("x", U))
    assert mixed.check(dpc.pure("e")).verdict == "refuted"  # M1 alone loses 2e
    assert rechecked(mixed, dpc.pure("e"), dpc.pure("2*e + 9*x + 9")) == ["refuted", "refuted"]
    infinite = two_steps(dpc.pure("oo", U), dpc.zcdp("x", U))
    assert rechecked(infinite, dpc.zcdp("100*x"), dpc.zcdp("oo")) == ["refuted", "proved"]


FAMILY = """
format = 1
[parameters]
k = "integer >= 2"
[databases]
kind = "multisets"
[partitions.P]
kind = "record-wise"
parts = "k"
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
index = "i"
count = "k"
reads = { part = "i", of = "P" }
guarantee = { notion = "pure", epsilon = "e[i]", granularity = "bounded", domain = "common" }
"""


def test_families() -> None:
    """Any number of parts: two of them move, and what does not depend on k is compared for all k."""
    study = Study(problems.read_text(FAMILY).setting)
    found = {notion: study.guarantee(notion).values for notion in ("approximate", "zcdp", "gaussian")}
    for notion, text in (
        ("approximate", "top(2, e[i], i, 1, k)"),
        ("zcdp", "top(2, e[i] - 2*e[i]/(exp(e[i]) + 1), i, 1, k)"),
        ("gaussian", "94/75*sqrt(top(2, e[i]**2, i, 1, k))"),
    ):
        first = next(iter(found[notion].values()))
        assert first == formulas.parse(text, study.setting.symbols)
        assert rechecked(study, MAKE[notion](*found[notion].values())) == ["proved"]
    square = formulas.parse("top(2, e[i]**2, i, 1, k)/2", study.setting.symbols)
    assert study.check(dpc.zcdp(square)).verdict == "proved"
    own = FAMILY.replace('"bounded", domain = "common"', '"unbounded", domain = "own"')
    inside = Study(problems.read_text(own).setting).guarantee("zcdp")
    assert inside.theorem == "GB:VI.13"  # the least conversion is that of each mechanism


# ---------------------------------------------------------------- a notion of one's own


def page(kind: str, **keys: str) -> str:
    """The text of a page with this block."""
    block = "\n".join([f'kind = "{kind}"', 'status = "primitive"', *(f"{k} = {v}" for k, v in keys.items())])
    return f"# A made-up page\n\n```toml\n{block}\n```\n\nA text.\n"


def toy_theory(where: Path, **formula: str) -> registry.Theory:
    """The shipped pages, a notion, and conversions to it: nu = 3ε from pure privacy, and what is given."""
    folder = where / "theorems"
    folder.mkdir(parents=True)
    text = page("rule", id='"toy"', notion='"toy"', called='"toy"', parameters='["nu"]')
    text = text.replace(
        "\n```\n\nA", '\n[distance]\nnu = "r*nu"\n[composition]\nnu = "sum(nu[i], i, 1, k)"\n```\n\nA'
    )
    (folder / "toy.md").write_text(text, encoding="utf-8")
    for name, (start, nu) in {"pure-to-toy": ("pure", "3*epsilon"), **formula}.items():
        text = page("conversion", id=f'"{name}"', **{"from": f'"{start}"', "to": '"toy"'})
        text = text.replace("\n```\n\nA", f'\n[parameters]\nnu = "{nu}"\n```\n\nA')
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return registry.load(registry.folder(), folder)


def toy(nu: object, granularity: Any = None) -> Guarantee:
    return Guarantee("toy", (("nu", formulas.from_python(nu)),), granularity)


def test_a_notion_of_ones_own_with_a_conversion(tmp_path: Path) -> None:
    setting = two_steps(dpc.pure("e", U), toy("n", U)).setting
    study = Study(setting, toy_theory(tmp_path))
    only = "only believed (primitive are only pages that ship with dpcompose)"
    rests = f"; rests on the pages pure-to-toy, toy, which are {only}"
    assert repr(study.guarantee()) == f"bounded (6*e + 2*n)-toy, by sensitivity-profile{rests}"
    assert str(study.guarantee().derivation).count("by pure-to-toy") == 1
    assert study.check(toy("6*e + 2*n")).verdict == "proved"
    assert study.check(toy("6*e + n")).verdict == "undecided"
    with pytest.raises(NoGuarantee, match=r"^the notion 'toy' is not supported yet; there are pages for: "):
        Study(setting).guarantee()


def test_the_smallest_of_several_conversions_is_shown(tmp_path: Path) -> None:
    """Two pages between the same notions, and a notion between two others."""
    for n, (nu, best) in enumerate({"2*epsilon": "188*e/75", "epsilon": "2*e"}.items()):
        others = {"other": ("pure", nu), "of-gaussian": ("gaussian", "mu")}
        study = Study(two_steps(dpc.pure("e", U)).setting, toy_theory(tmp_path / str(n), **others))
        assert dict(study.guarantee("toy").bound.guarantee.texts) == {"nu": best}
        assert study.check(toy("19/5*e")).verdict == "proved"


# ---------------------------------------------------------------- refused


def test_saved_conversions_by_other_pages_are_refused() -> None:
    study, claims = load(PROBLEMS / "50-mixed-notions.toml")
    data = rechecks.saved(study, [study.check(claim) for claim in claims])
    steps = data["derivation"]["steps"]
    n = next(n for n, step in enumerate(steps, start=1) if step.get("page") == "pure-to-zcdp")
    for wrong, reason in (
        ("gaussian-to-zcdp", "convert: gaussian-to-zcdp converts gaussian, not pure"),
        ("zcdp-to-approximate", "convert: zcdp-to-approximate converts zcdp, not pure"),
        ("zcdp", "convert: there is no conversion page 'zcdp'"),
        (1, "convert: page is to be a text"),
        (None, "convert: page is to be a text"),
        (["pure-to-zcdp"], "convert: page is to be a text"),
    ):
        steps[n - 1]["page"] = wrong
        with pytest.raises(Refused) as refused:
            rechecks.check(data, THEORY)
        assert str(refused.value) == f"step {n}: {reason}"
    steps[n - 1]["page"] = "pure-to-gaussian"
    with pytest.raises(Refused, match=f"step {n} uses the page 'pure-to-gaussian', which .* does not list"):
        rechecks.check(data, THEORY)


def test_saved_losses_of_several_notions_do_not_add_up() -> None:
    study, claims = load(PROBLEMS / "50-mixed-notions.toml")
    data = rechecks.saved(study, [study.check(claim) for claim in claims])
    steps = data["derivation"]["steps"]
    n = next(n for n, step in enumerate(steps, start=1) if step["rule"] == "compose")
    converted = next(one for one in steps[n - 1]["from"] if steps[one - 1].get("page") == "pure-to-zcdp")
    place = steps[n - 1]["from"].index(converted)
    steps[n - 1]["from"][place : place + 1] = steps[converted - 1]["from"]
    with pytest.raises(Refused, match=f"^step {n}: compose: losses of the notions pure, zcdp do not add up$"):
        rechecks.check(data, THEORY)
