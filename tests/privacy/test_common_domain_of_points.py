"""Mechanisms that depend on some coordinates, stated in a norm on all points: what a user sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from in_metrics import THEORY, claimed, forged, saved, study, verdicts
from shares import every_third

from dpcompose.front.studies import recheck
from dpcompose.kernel.check import Refused
from dpcompose.privacy.problems import ProblemError

PLANE = '[databases]\nkind = "points"\ncoordinates = ["u", "v"]\n'
BOX = PLANE + 'box = [["0", "1"], ["0", "w"]]\n'
DISC = PLANE + 'disc = "w"\n'
SPACE = '[databases]\nkind = "points"\ncoordinates = ["u", "v", "t"]\n'
PRODUCT = (
    '[databases]\nkind = "product"\n[databases.parts.S]\nkind = "multisets"\n'
    '[databases.parts.p]\nkind = "points"\ncoordinates = ["u", "v"]\n'
)
W = '[parameters]\nw = "positive"\n'
F = '[maps.f]\nvalues = ["u"]\n'


def norms(word: str, of: str = "") -> str:
    whole = f'\nof = "{of}"' if of else ""
    return f'[metrics.d]\nnorm = "{word}"{whole}\n[metrics.a]\nnorm = "{word}"\nof = "f"\n'


def stated(metric: str, notion: str = "pure", reads: str = "f", name: str = "M", more: str = "") -> str:
    given = f'guarantee = {{ notion = "{notion}", metric = "{metric}", domain = "common"{more} }}'
    return f'[[mechanisms]]\nname = "{name}"\nreads = "{reads}"\n{given}\n'


@pytest.mark.parametrize(
    ("databases", "word", "notion"),
    every_third([PLANE, W + BOX, W + DISC, PRODUCT], ["L1", "L2", "Linf"], ["pure", "zcdp", "gaussian"]),
)
def test_what_remains_over_fibres(databases: str, word: str, notion: str, tmp_path: Path) -> None:
    of = "p" if databases is PRODUCT else ""
    text = (
        databases
        + F
        + norms(word, of)
        + stated("s*d", notion)
        + claimed("s*a", "s*d", "s*a/2", notion=notion)
    )
    made, found = study(text)
    assert [one.verdict for one in found] == ["proved", "proved", "refuted"]
    assert [one.loose for one in found[:2]] == [False, True]
    again = recheck.outcome(saved(text, tmp_path), THEORY)
    assert again.verdicts == ("proved", "proved", "refuted") and "norms-over-fibres" in again.pages
    assert (
        f"M satisfies {notion} privacy in the metric s*d, and depends on f only"
        in made.guarantee().assumptions
    )


def test_two_parts_of_a_point() -> None:
    """Of two mechanisms on a coordinate each the L1 distance is the sum: that of both together."""
    text = PLANE + F + '[maps.g]\nvalues = ["v"]\n' + norms("L1")
    text += stated("s*d") + stated("s*d", reads="g", name="N")
    assert verdicts(text + claimed("s*d", "7/8*s*d")) == ["proved", "refuted"]
    text = text.replace('norm = "L1"', 'norm = "L2"')
    assert verdicts(text + claimed("sqrt(2)*s*d", "s*d")) == ["proved", "refuted"]


def test_coordinates_that_the_norm_does_not_have() -> None:
    """What is measured is not read: the output is always the same."""
    text = SPACE + F + '[maps.g]\nvalues = ["v", "t"]\n[metrics.d]\nnorm = "L2"\nof = "g"\n'
    assert verdicts(text + stated("s*d") + claimed("0")) == ["proved"]
    assert verdicts(text + stated("s*d", reads="g") + claimed("s*d", "s*d/2")) == ["proved", "refuted"]
    both = '[maps.h]\nvalues = ["t", "u"]\n[metrics.e]\nnorm = "Linf"\n[maps.i]\nvalues = ["t"]\n'
    both += '[metrics.t_alone]\nnorm = "L1"\nof = "i"\n'
    text += both + stated("s*d", reads="h")
    assert verdicts(text + claimed("s*t_alone", "s*e", "3/4*s*t_alone")) == ["proved", "proved", "refuted"]


def test_a_part_of_a_product_is_read() -> None:
    text = PRODUCT + F + norms("L2", "p") + stated("s*d", reads="p")
    assert verdicts(text + claimed("s*d", "s*a")) == ["proved", "refuted"]


def test_formulas_that_grow() -> None:
    """Points that agree in all else are nearest in all norms at once."""
    text = PLANE + F + norms("L2") + '[metrics.e]\nnorm = "L1"\n'
    both = text + stated("s*d + t*e") + claimed("(s + t)*a", "(s + t)*a*9/10")
    assert verdicts(both) == ["proved", "refuted"]
    assert verdicts(text + stated("min(s*d, 3)") + claimed("min(s*a, 3)", "2")) == ["proved", "refuted"]


def test_a_delta_that_grows() -> None:
    text = PLANE + F + norms("L2") + stated("s*d", "approximate", more=', delta = "min(q*d, 1)"')
    claim = '[[claims]]\nnotion = "approximate"\nmetric = "s*a"\ndelta = "{}"\n'
    text += claim.format("min(q*a, 1)") + claim.format("0")
    assert verdicts(text) == ["proved", "refuted"]


def test_delta_is_0() -> None:
    text = PLANE + F + norms("L2") + stated("s*d", "approximate", more=', delta = "0"')
    text += '[[claims]]\nnotion = "approximate"\nmetric = "s*a"\ndelta = "0"\n'
    assert verdicts(text) == ["proved"]


@pytest.mark.parametrize(
    ("maps", "metric", "more", "why"),
    [
        ('[maps.f]\nvalues = ["u + v"]\n', "s*d", "", "where it reads some coordinates"),
        ('[maps.f]\nvalues = ["2*u"]\n', "s*d", "", "where it reads some coordinates"),
        ('[maps.f]\nvalues = ["u", "u"]\n', "s*d", "", "where it reads some coordinates"),
        (F, "min(d, max(0, 2 - d))", "", "what grows with norms of points is known, and nothing else"),
        (F, "d/(1 + d)", "", "what grows with norms of points is known, and nothing else"),
        (F, "s*d", ', delta = "q*min(d, max(0, 2 - d))"', "what grows with norms of points is known"),
        (F + '[metrics.m]\nformula = "2*d"\n', "s*m", "", "m is not about f"),
    ],
)
def test_what_is_refused(maps: str, metric: str, more: str, why: str) -> None:
    notion = "approximate" if more else "pure"
    with pytest.raises(ProblemError, match=why):
        study(
            PLANE
            + norms("L2").split("[metrics.a]")[0]
            + maps.replace("[metrics.m]", '[metrics.a]\nnorm = "L2"\n[metrics.m]')
            + ("" if "[metrics.m]" in maps else '[metrics.a]\nnorm = "L1"\n')
            + stated(metric, notion, more=more)
        )


def test_without_the_domain_it_is_as_before() -> None:
    text = (PLANE + F + norms("L2") + stated("s*d")).replace(', domain = "common"', "")
    with pytest.raises(ProblemError, match="d is not about f, which is read"):
        study(text)


def test_forged(tmp_path: Path) -> None:
    data = saved(PLANE + F + norms("L2") + stated("s*d") + claimed("s*a"), tmp_path)
    (name,) = [name for name, one in data["core"]["distances"].items() if "over" in one]
    for place, value in [
        (["core", "distances", name, "over"], []),
        (["core", "distances", name, "over"], ["u", "v"]),
        (["problem", "maps", "f", "values"], ["v"]),
        (["problem", "mechanisms", 0, "guarantee", "metric"], "2*s*d"),
    ]:
        with pytest.raises(Refused):
            recheck.outcome(forged(data, place, value), THEORY)
    unlisted = forged(
        data,
        ["derivation", "pages"],
        {k: v for k, v in data["derivation"]["pages"].items() if "fibres" not in k},
    )
    with pytest.raises(Refused, match="norms-over-fibres"):
        recheck.outcome(unlisted, THEORY)
