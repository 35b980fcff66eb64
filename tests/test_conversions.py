"""Conversions: the pages' formulas by numbers, mixed settings against mechanisms of one's own, a notion of one's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import mpmath
import pytest
import rechecks
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.bound import Bound
from dpcompose.front.loading import load
from dpcompose.front.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.language import formulas
from dpcompose.language.worstcase import Top
from dpcompose.privacy import problems
from dpcompose.privacy.notions import Guarantee
from dpcompose.proof import registry
from dpcompose.search.guarantees import NoGuarantee

THEORY = registry.standard()
PAGES = THEORY.of_kind("conversion")
PROBLEMS = Path(__file__).resolve().parents[1] / "notebooks" / "problems"
MAKE: dict[str, Callable[..., Guarantee]] = {
    "pure": dpc.pure,
    "approximate": dpc.approximate,
    "zcdp": dpc.zcdp,
    "gaussian": dpc.gaussian,
}
LOW = [HealthCheck.too_slow]


def number(expression: sympy.Expr) -> Any:
    """The value of a constant to 30 digits."""
    if expression is sympy.oo:
        return mpmath.inf
    worst = {
        one: sympy.Float(str(max(map(number, one.terms))), 30)
        for one in expression.atoms(Top)
        if one.args[0] == 1
    }
    return mpmath.mpf(str(sympy.N(expression.xreplace(worst), 30)))


def stated(bound: Bound) -> dict[str, sympy.Expr]:
    return {key: formulas.parse(text, bound.setting.symbols) for key, text in bound.guarantee.parameters}


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


def two_steps(*guarantees: Guarantee) -> Study:
    """Mechanisms that read everything, for replacement: two add/remove steps."""
    return dpc.compose(
        *(dpc.mechanism(f"M{i}", one) for i, one in enumerate(guarantees, start=1)),
        on=dpc.multisets("ab"),
        target=dpc.bounded,
    )


# ---------------------------------------------------------------- mixed settings


def rechecked(study: Study, *claims: Guarantee) -> list[str]:
    """The verdicts, which the kernel confirms from the saved derivation."""
    return list(rechecks.rechecked(study, [study.check(one) for one in claims]).verdicts)


U = dpc.unbounded
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
    for (_, value), text in zip(said.parameters, bound.split(", "), strict=True):
        assert formulas.from_python(value) == formulas.from_python(text)
    last = (
        "undecided" if name == "pure and gaussian" else "refuted"
    )  # what conversions add is too little there
    assert rechecked(study, *claims) == ["proved", "refuted", last]
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
        ("zcdp", "top(2, e[i]*(1 - 2/(exp(e[i]) + 1)), i, 1, k)"),
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


# ---------------------------------------------------------------- against numbers of one's own


PARAMETERS = st.sampled_from([Fraction(n, d) for n, d in ((1, 10), (1, 3), (1, 2), (1, 1), (2, 1), (7, 2))])


@st.composite
def mixtures(draw: st.DrawFn) -> list[tuple[str, Fraction, str, list[str] | None]]:
    """Two or three mechanisms: notion, parameter, the neighbours it is stated for, and what it reads."""
    return [
        (
            draw(st.sampled_from(["pure", "pure", "zcdp", "gaussian"])),
            draw(PARAMETERS),
            draw(st.sampled_from(["unbounded", "bounded"])),
            draw(st.sampled_from([None, ["a"], ["b"], ["a", "b"]])),
        )
        for _ in range(draw(st.integers(1, 3)))
    ]


def composed(parts: Sequence[tuple[str, Fraction, str, list[str] | None]], pure: bool = False) -> Study:
    neighbours = {"unbounded": dpc.unbounded, "bounded": dpc.bounded}
    mechanisms = []
    for i, (notion, x, granularity, reads) in enumerate(parts, start=1):
        said = MAKE["pure" if pure else notion](
            x, neighbours[granularity], None if reads is None else "common"
        )
        f = dpc.everything if reads is None else dpc.restriction(reads)
        mechanisms.append(dpc.mechanism(f"M{i}", said, reads=f))
    return dpc.compose(*mechanisms, on=dpc.multisets("abc"), target=dpc.bounded)


def vectors(parts: Sequence[tuple[str, Fraction, str, list[str] | None]]) -> list[dict[int, int]]:
    """How far the inputs move, from the profile of the same mechanisms with pure guarantees."""
    return [{i: int(r) for i, r in vector} for vector in composed(parts, pure=True).bound.profile.vectors]


def moved(parts: Sequence[Any], vector: Mapping[int, int]) -> list[tuple[str, Any]]:
    """Notion and parameter of what moves, at its distance: rε, r²ρ, rμ."""
    found = []
    for i, r in vector.items():
        notion, x = parts[i - 1][0], mpmath.mpf(parts[i - 1][1].numerator) / parts[i - 1][1].denominator
        found.append((notion, x * (r**2 if notion == "zcdp" else r)))
    return found


def diverging(part: Any, r: int) -> Any:
    """The Kullback-Leibler divergence of a mechanism with this guarantee, r steps apart: normal noise has r²ρ
    and r²μ²/2; pure ones are randomized response that loses ε, or rε/2."""
    notion, x = part[0], mpmath.mpf(part[1].numerator) / part[1].denominator
    if notion != "pure":
        return x * r**2 if notion == "zcdp" else (x * r) ** 2 / 2
    p = mpmath.exp(max(1, r / 2) * x) / (1 + mpmath.exp(max(1, r / 2) * x))
    return p * mpmath.log(p / (1 - p)) + (1 - p) * mpmath.log((1 - p) / p)


def exact_delta(losses: Sequence[Any], mu: Any, epsilon: Any) -> Any:
    """δ(ε) of randomized responses with these losses and normal noise at distance μ (deviations), together."""
    total = mpmath.mpf(0)
    for signs in product((1, -1), repeat=len(losses)):
        chance = mpmath.fprod(
            mpmath.exp(e if s == 1 else 0) / (mpmath.exp(e) + 1) for e, s in zip(losses, signs, strict=True)
        )
        left = epsilon - mpmath.fsum(s * e for e, s in zip(losses, signs, strict=True))
        if mu == 0:
            total += chance * max(0, 1 - mpmath.exp(left))
            continue
        total += chance * (
            mpmath.ncdf(mu / 2 - left / mu) - mpmath.exp(left) * mpmath.ncdf(-mu / 2 - left / mu)
        )
    return total


def attained(moves: Sequence[tuple[str, Any]]) -> tuple[list[Any], Any]:
    """Mechanisms that keep the guarantees: losses of randomized responses, and the distance of normal noise."""
    losses = [x for notion, x in moves if notion == "pure"]
    squares = [2 * x if notion == "zcdp" else x**2 for notion, x in moves if notion != "pure"]
    return losses, mpmath.sqrt(mpmath.fsum(squares))


@settings(max_examples=6, deadline=None, suppress_health_check=LOW)
@given(mixtures())
def test_random_mixtures(parts: list[tuple[str, Fraction, str, list[str] | None]]) -> None:
    """The bounds are what the pages say by hand, hold for real mechanisms, and prove what they should."""
    study = composed(parts)
    moves = [moved(parts, vector) for vector in vectors(parts)]
    rho = max(
        mpmath.fsum({"pure": x * mpmath.tanh(x / 2), "zcdp": x, "gaussian": x**2 / 2}[n] for n, x in one)
        for one in moves
    )
    bound = study.guarantee("zcdp")
    assert mpmath.almosteq(number(bound.values["rho"]), rho, 1e-12)
    up, down = (sympy.Rational(str(rho)[:17]) * sympy.Rational(n, 1000) for n in (1001, 999))
    verdicts = rechecked(study, dpc.zcdp(up), dpc.zcdp(down))
    assert verdicts[0] == "proved" and verdicts[1] != "proved"
    lost = max(mpmath.fsum(diverging(parts[i - 1], r) for i, r in one.items()) for one in vectors(parts))
    assert (verdicts[1] == "refuted") == (lost > number(down))
    delta = sympy.Rational(1, 1000)
    if any(one[0] != "pure" for one in parts):
        claim = dpc.approximate(number_text(rho, delta), delta)
        found = study.check(claim)
        assert found.verdict == "proved" and found.bound is not None
        epsilon = number(stated(found.bound)["epsilon"])
        for one in moves:
            assert exact_delta(*attained(one), epsilon) <= number(delta)
    if all(one[0] != "zcdp" for one in parts):
        values = {
            page: max(
                mpmath.sqrt(mpmath.fsum((square(x) if n == "pure" else x**2) for n, x in one))
                for one in moves
            )
            for page, square in (("multiple", lambda x: (94 * x / 75) ** 2), ("root", lambda x: 8 * x))
        }
        mu = number(study.guarantee("gaussian").values["mu"])
        assert mpmath.almosteq(mu, min(values.values()), 1e-12)
        for one, epsilon in product(moves, (-2, 0, mpmath.mpf("0.5"), 3)):
            assert (
                exact_delta(*attained(one), epsilon) <= exact_delta([], mu, epsilon) + mpmath.mpf(10) ** -12
            )


def number_text(rho: Any, delta: sympy.Rational) -> str:
    """An ε a little above ρ + 2√(ρ·ln(1/δ))."""
    value = rho + 2 * mpmath.sqrt(rho * mpmath.log(1 / number(delta)))
    return str(Fraction(int(value * 1000) + 2, 1000))


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
        assert dict(study.guarantee("toy").bound.guarantee.parameters) == {"nu": best}
        assert study.check(toy("19/5*e")).verdict == "proved"


# ---------------------------------------------------------------- what a claim implies


def test_claims_are_refuted_by_what_they_imply() -> None:
    """A Gaussian or pure claim implies a zero-concentrated one, of which the mechanisms have witnesses."""
    zcdp = two_steps(dpc.zcdp("x", U))  # needs 4x
    for claim, through, verdict in (
        (dpc.gaussian("sqrt(8*x)"), (), "undecided"),
        (dpc.gaussian("sqrt(7*x)"), ("gaussian-to-zcdp",), "refuted"),
        (dpc.pure("sqrt(7*x)"), (), "refuted"),  # normal noise has no bounded loss
        (dpc.approximate("sqrt(7*x)", "0"), ("approximate-to-pure", "pure-to-zcdp"), "refuted"),
        (dpc.approximate("sqrt(7*x)", "1/100"), (), "refuted"),  # by the curve of normal noise at x = 1
    ):
        found = zcdp.check(claim)
        assert found.verdict == verdict, claim
        assert (found.counterexample.through if found.counterexample else ()) == through
        assert rechecked(zcdp, claim) == [verdict]
        assert found._repr_html_() and all(page in found._repr_html_() for page in through)


@pytest.mark.parametrize(
    ("stated", "claim", "by"),
    [
        (dpc.pure(1, U), dpc.zcdp("462117/1000000"), "pure-in-zcdp"),  # tanh(1/2) = 0.46211715...
        (dpc.pure(1, U), dpc.zcdp("462118/1000000"), "proved"),
        (dpc.gaussian("m", U), dpc.zcdp("499/1000*m**2"), "gaussian-in-zcdp"),
        (dpc.approximate(1, "1/10**9", U), dpc.zcdp(1000), "approximate-in-zcdp"),
        (dpc.approximate(1, 0, U), dpc.zcdp(1000), "proved"),
        (dpc.approximate("e", "d", U), dpc.gaussian("e + 9"), "approximate-in-gaussian"),
        (dpc.gaussian("1/10**6", U), dpc.pure(1000), "gaussian-in-pure"),
        (dpc.zcdp("1/10**6", U), dpc.pure(1000), "zcdp-in-pure"),
        (dpc.zcdp("1/8", U), dpc.gaussian(1), "undecided"),
    ],
    ids=repr,
)
def test_mechanisms_lose_more_in_other_notions(stated: Guarantee, claim: Guarantee, by: str) -> None:
    study = dpc.compose(dpc.mechanism("M", stated), on=dpc.multisets("ab"), target=U)
    found = study.check(claim)
    assert rechecked(study, claim) == [found.verdict]
    if found.counterexample is None:
        assert found.verdict == by
    else:
        assert [row.data()["by"] for row in found.counterexample.rows] == [by]


def test_randomized_response_is_private_and_diverges_as_its_page_says() -> None:
    """pure-in-zcdp by hand: on a chain of inputs, one step at a time, and where the two are r apart."""
    e = mpmath.mpf("0.7")
    for r in range(1, 7):
        for half in (False, True):
            odds = [e * (min(n, r) - mpmath.mpf(r) / 2) if half else (e if n else -e) for n in range(r + 3)]
            ones = [1 / (1 + mpmath.exp(-x)) for x in odds]
            for p, q in pairwise(ones):
                for x, y in ((p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)):
                    assert x <= y * mpmath.exp(e) * (1 + mpmath.mpf(10) ** -12)
            p, q = ones[r], ones[0]
            found = p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))
            loss = e * r / 2 if half else e
            assert mpmath.almosteq(found, loss * mpmath.tanh(loss / 2), 1e-10)
        said = diverging(("pure", Fraction(7, 10)), r)
        assert mpmath.almosteq(said, max(x * mpmath.tanh(x / 2) for x in (e, r * e / 2)), 1e-10)


def test_noise_is_looked_at_in_the_notion_of_the_claim() -> None:
    """Normal noise is no pure mechanism, whatever notion a saved derivation states it in."""
    study = dpc.compose(
        dpc.mechanism("M1", dpc.pure("e", U)),
        dpc.mechanism("M2", query=dpc.count, noise=dpc.gaussian_noise("s")),
        on=dpc.multisets("ab"),
        target=U,
    )
    claimed = [dpc.gaussian("94/75*e + 1/s"), dpc.pure("100*e + 1/s"), dpc.zcdp("1/(3*s**2)")]
    answers = [study.check(one) for one in claimed]
    assert [one.verdict for one in answers] == ["proved", "refuted", "refuted"]
    for n in range(3):
        rechecks.rechecked(study, [*answers[n:], *answers[:n]])


def test_a_family_of_noise_has_values_where_its_guarantee_has_no_parameter() -> None:
    """Normal noise of deviation s[i] is oo-DP: the point of a counterexample has all s[i] nevertheless."""
    text = """\
format = 1
[parameters]
k = "integer >= 2"
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
index = "i"
count = "k"
query = "count"
noise = { gaussian = "s[i]" }
[[claims]]
notion = "pure"
epsilon = "5"
"""
    problem = problems.read_text(text)
    found = Study(problem.setting).check(problem.claims[0]).counterexample
    assert found is not None and found.actual is None and set(found.point) == {"k", "s[1]", "s[2]"}


def test_a_delta_beside_gaussian_privacy() -> None:
    """No conversion leads from (ε, δ) with δ > 0 to a notion of the other one: a δ is chosen, and spent."""
    study = two_steps(dpc.approximate(1, "1/10", U), dpc.gaussian(1, U))
    for claim in (dpc.approximate(5, 1), dpc.approximate(0, sympy.oo), dpc.pure(sympy.oo)):
        assert study.check(claim).verdict == "proved"
    chosen = study.guarantee().values
    assert sympy.expand(chosen["delta"] - (1 + sympy.E) / 10) == sympy.Rational(1, 10**6)
    assert mpmath.almosteq(number(chosen["epsilon"]), 4 + 2 * mpmath.sqrt(2 * mpmath.log(10**6)))
    assert rechecked(study, dpc.approximate(5, "1/2"), dpc.approximate(5, "2/5")) == ["proved", "refuted"]
    study = two_steps(dpc.approximate("e", "1/10", U), dpc.gaussian("m", U))
    bound = dpc.approximate("2*e + 2*m**2 + 2*m*sqrt(2*log(10**6))", "(1 + exp(e))/10 + 1/10**6")
    assert rechecked(study, bound) == ["proved"]
    assert {"delta": "1/1000000"} in study.bound.found.way.chosen.values()


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
