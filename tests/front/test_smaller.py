"""Smaller guarantees are shown, and can be pasted as claims; minima and decimals read as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
import sympy
from tags import Tags
from verdicts import found, stated

import dpcompose as dpc
from dpcompose.front.printers import render
from dpcompose.front.studies import as_json
from dpcompose.kernel.expressions import forms
from dpcompose.language import decimals, formulas
from dpcompose.language.latex import latex
from dpcompose.language.said import plain
from dpcompose.language.symbols import symbol

UNIT = {"d": "in (0,1)", "d1": "in (0,1)", "d2": "in (0,1)"}
BOUNDED = ('granularity = "unbounded"\n', 'granularity = "bounded"\n')


def mechanisms(*given: tuple[str, str], bounded: bool = False, claims: Sequence[tuple[str, str]] = ()) -> str:
    """(ε, δ)-private mechanisms on everything, with claims."""
    text = stated(
        [{"notion": "approximate", "epsilon": e, "delta": d} for e, d in given],
        [{"notion": "approximate", "epsilon": e, "delta": d} for e, d in claims],
        UNIT,
    )
    return text.replace(*BOUNDED, 1) if bounded else text


SMALLER: list[tuple[Any, bool, str, str]] = [
    ([("e", "d1"), ("e", "d2")], False, "2*e", "d1 + d2 - d1*d2"),
    ([("e", "d"), ("f", "d"), ("0", "1/3")], False, "e + f", "1 - 2/3*(1 - d)**2"),
    ([("e", "d")], True, "2*e", "min(d + d*exp(e), 1 - exp(-e)*(1 - 2*d), 1)"),
    ([("e", "1/4")], True, "2*e", "min(1/4 + exp(e)/4, 1 - exp(-e)/2)"),
]


@pytest.mark.parametrize(("given", "bounded", "epsilon", "delta"), SMALLER)
def test_the_closer_guarantee_is_shown_and_can_be_pasted(
    given: Any, bounded: bool, epsilon: str, delta: str
) -> None:
    study, _ = found(mechanisms(*given, bounded=bounded))
    assert study.bound.optimal
    values = dict(study.bound.guarantee.texts)
    assert "-max(" not in values["delta"]
    letters = study.setting.letters
    for text, known in zip((epsilon, delta), values.values(), strict=True):
        left, right = (forms.read(formulas.term(one, letters)) for one in (text, known))
        assert left == right
    # as it is shown, it is proved and optimal; the sum is loose; what is below is refuted, and told the same
    pasted, summed, below = (
        (values["epsilon"], values["delta"]),
        tuple(dict(study.bound.summed.guarantee.texts).values()),
        (values["epsilon"], f"19/20*({values['delta']})"),
    )
    study, verdicts = found(mechanisms(*given, bounded=bounded, claims=[pasted, summed, below]))
    assert [one.verdict for one in verdicts] == ["proved", "proved", "refuted"]
    assert [one.loose for one in verdicts[:2]] == [False, True]
    assert f"right is: {plain(study.bound.said)}" in render.verdict(3, verdicts[2])
    loose = Tags(verdicts[1]._repr_html_()).text
    assert "but a smaller guarantee holds" in loose
    claimed, best = (loose.split(word)[1] for word in ("claim: ", "The best: "))
    assert not claimed.startswith(best.strip())
    data = as_json.problem_data("f", study, study.bound, [])
    assert data["guarantee"] == {"notion": "approximate", **values} and data["optimal"] is True


def test_only_a_theorem_is_cited_where_nothing_is_closer() -> None:
    for given in ([("e", "d")], [("e", "0"), ("f", "0")]):
        study, _ = found(mechanisms(*given))
        assert study.bound.summed is study.bound and len(study.bound.items) == 1


def test_the_best_at_a_delta_is_that_of_the_curve() -> None:
    """A pure bound, and a claim with δ: the best is in the claim's notion."""
    some = [dpc.mechanism(f"M{i}", dpc.pure("1/10", dpc.unbounded)) for i in range(20)]
    study = dpc.compose(*some, on=dpc.multisets(), target=dpc.unbounded)
    proved = study.check(dpc.approximate("3/2", "1e-3"))
    assert proved.loose and proved.guarantee is not None
    best = Tags(proved._repr_html_()).text.split("The best: ")[1]
    assert best.count(",") == 1 and best.endswith("-DP") and "1000" in best


# ---------------------------------------------------------------- minima

MINIMA = [
    ("min(x, y)", "min(x, y)"),
    ("-max(-x, -y)", "min(x, y)"),
    ("-max(-x, -y, 1 - z)", "min(x, y, z - 1)"),
    ("-max(-x - y, z - 1, -1)", "min(1 - z, x + y, 1)"),
    ("2*e - 3*max(-x, -y, z)", "2*e + 3*min(x, y, -z)"),
    ("-max(x, y)", "-max(x, y)"),
    ("-max(x, -y)", "min(-x, y)"),
    ("-max(x, y, -z)", "-max(x, y, -z)"),
    ("-max(exp(-x)/2 - 1, -exp(x)/4 - 1/4)", "min(1 - exp(-x)/2, exp(x)/4 + 1/4)"),
    ("max(-x, -y)", "-min(x, y)"),
    ("max(-x, -y, z)", "max(-x, -y, z)"),
    ("-abs(x)", "-abs(x)"),
    ("max(2*e, min(x, y))", "max(2*e, min(x, y))"),
    ("x - max(-y, -z)/2", "x + min(y, z)/2"),
]


@pytest.mark.parametrize(("text", "written"), MINIMA)
def test_minima(text: str, written: str) -> None:
    symbols = {name: symbol(name) for name in "exyz"}
    expression = formulas.parse(text, symbols)
    assert formulas.to_text(expression) == written
    assert formulas.parse(written, symbols) == expression
    assert ("min" in written) == (r"\min" in latex(expression)) or text == "max(-x, -y)"


def test_parts_of_which_few_move() -> None:
    """Two of k parts move by one step, or one by two: 2ε, and no minimum beside it."""
    text = (
        'format = 1\n[parameters]\nk = "integer >= 1"\n[databases]\nkind = "multisets"\n'
        '[target]\ngranularity = {target}\n[partitions.p]\nkind = "record-wise"\nparts = "k"\n'
        '[[mechanisms]]\nname = "M"\nindex = "i"\ncount = "k"\nreads = {{ part = "i", of = "p" }}\n'
        'guarantee = {{ notion = "{notion}", {key} = "x", granularity = "unbounded", domain = "own" }}\n'
        '[[claims]]\nnotion = "{notion}"\n{key} = "{claim}"\n'
    )
    for notion, key in (("pure", "epsilon"), ("gaussian", "mu")):
        for target, best in (('"bounded"', "2*x"), ('{ group = 3, of = "unbounded" }', "3*x")):
            study, (verdict,) = found(text.format(target=target, notion=notion, key=key, claim=best))
            assert dict(study.bound.guarantee.texts)[key] == best
            assert (verdict.verdict, verdict.loose) == ("proved", False)


# ---------------------------------------------------------------- decimals

BESIDE = [
    ("18591409/500000000", " = 0.037182818", " = 0.037182818"),
    ("1/7001", " (at most 0.0001428368)", " (at least 0.0001428367)"),
    ("-1/7001", " (at most -0.0001428367)", " (at least -0.0001428368)"),
    ("sqrt(2)", " (at most 1.414214)", " (at least 1.414213)"),
    ("log(3)", " (at most 1.098613)", " (at least 1.098612)"),
    ("63/64", "", ""),
    ("12", "", ""),
    ("exp(100)", "", ""),
]


@pytest.mark.parametrize(("text", "up", "down"), BESIDE)
def test_decimals_beside_exact_values(text: str, up: str, down: str) -> None:
    value = formulas.term(text)
    assert (decimals.beside(value, True), decimals.beside(value, False)) == (up, down)


def test_a_claim_close_below_is_told_apart() -> None:
    noisy = dpc.mechanism("M", dpc.gaussian("sqrt(2)", dpc.unbounded))
    study = dpc.compose(noisy, on=dpc.multisets(), target=dpc.unbounded)
    example = study.check(dpc.gaussian("sqrt(2) - 1/10**12")).counterexample
    assert example is not None
    claimed, actual = (part.rpartition(" ")[2].rstrip(")") for part in example.decimals)
    assert Fraction(claimed) < Fraction(actual) < Fraction("1.41421356237309504881")
    assert Fraction(actual) - Fraction(claimed) < Fraction(1, 10**12)
    assert sympy.sqrt(2) > sympy.Rational(actual)


def test_the_true_value_of_a_counterexample() -> None:
    study, (verdict,) = found(mechanisms(("e", "d"), bounded=True, claims=[("2*e", "2*d")]))
    shown = render.verdict(1, verdict)
    assert "claimed delta 0.2, true delta at least 0.371828182845" in shown
    assert "P(1) = 0.371828182845 at D" in shown
    assert "claimed delta $0.2$, true delta at least $0.371828182845$" in Tags(verdict._repr_html_()).text
    assert "Claimed delta $0.2$, true delta at least $0.371828182845$." in study.guarantee().to_latex(
        [verdict]
    )


@pytest.mark.parametrize(("many", "shown"), [(5, 5), (6, 1), pytest.param(1000, 1, marks=pytest.mark.slow)])
def test_mechanisms_that_do_the_same_are_shown_once(many: int, shown: int) -> None:
    """A thousand equal steps are one line of a counterexample, and a thousand entries of its JSON."""
    step = [dpc.mechanism(f"step {i}", dpc.gaussian(1, dpc.unbounded)) for i in range(1, many + 1)]
    study = dpc.compose(*step, on=dpc.multisets(), target=dpc.unbounded)
    example = study.check(dpc.gaussian(1)).counterexample
    assert example is not None and len(example.reached) == shown and len(example.data()["mechanisms"]) == many
    if shown == 1:
        assert example.reached[0][0] == f"each of step 1, ..., step {many} ({many:,} of them)"
