"""Curves of privacy: what is drawn is what the tables and curves say, and can be told apart without colour."""

from __future__ import annotations

import math
import re
from pathlib import Path
from statistics import NormalDist

import pytest
from written_on import words

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.drawings import plots
from dpcompose.front.drawings.charts import Axis, Chart, Trace
from dpcompose.front.numbers.numbers import WrongValue
from dpcompose.front.studies.loading import load
from dpcompose.front.studies.study import Study

PROBLEMS = Path(__file__).resolve().parents[2] / "notebooks" / "problems"


def problem(number: str) -> Path:
    return next(file for file in PROBLEMS.iterdir() if file.name.startswith(number))


@pytest.fixture(autouse=True)
def charts(monkeypatch: pytest.MonkeyPatch) -> list[Chart]:
    """What is drawn in a test."""
    found: list[Chart] = []
    as_before = Chart.sheet
    monkeypatch.setattr(Chart, "sheet", lambda self, title: (found.append(self), as_before(self, title))[1])
    return found


def drawn(chart: Chart, label: str) -> list[tuple[float, float]]:
    return next(list(curve.points) for curve in chart.curves if curve.called == label)


def twice(guarantee: object = None) -> Study:
    given = guarantee or dpc.pure(1, dpc.bounded)
    some = (dpc.mechanism(name, given, dpc.everything) for name in ("M1", "M2"))  # type: ignore[arg-type]
    return dpc.compose(*some, on=dpc.multisets("ab"), target=dpc.bounded)


def test_delta_is_the_curve_of_randomized_response(charts: list[Chart]) -> None:
    """Two randomized responses as a table lose what the curve of two pure mechanisms says."""
    picture = dpc.privacy_curve(twice(), claims=[dpc.pure(2), dpc.pure("3/2")])
    table = dpc.randomized_response_table(1)
    both = dpc.independent(table, table)
    for x, y in drawn(charts[0], "the bound")[::40]:
        exact = both.delta(str(plots.Fraction(x).limit_denominator(10**6)), dpc.free_lunch).expression
        assert math.isclose(y, float(exact), abs_tol=1e-9)
    assert "claim 1 (proved)" in picture.alt and "claim 2 (refuted)" in picture.alt
    # the refuted claim lies below the bound where it is claimed, the proved one nowhere
    bound, proved, refuted = (
        [y for _, y in drawn(charts[0], label)]
        for label in ("the bound", "claim 1 (proved)", "claim 2 (refuted)")
    )
    assert all(p >= b - 1e-12 for p, b in zip(proved, bound, strict=True))
    assert any(r < b for r, b in zip(refuted, bound, strict=True))


def test_trade_offs_are_those_of_tables_and_of_closed_forms(charts: list[Chart]) -> None:
    table = dpc.probability_table({"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]})
    dpc.trade_off_curve(table, dpc.pure("log(3)"), dpc.gaussian(1), neighbours=dpc.free_lunch)
    of_table, of_pure = (dict(drawn(charts[0], label)) for label in (repr(table), "pure (log(3))"))
    corners = [(float(x), float(y)) for x, y in table.trade_off("a", "b")]
    assert [(x, round(of_table[x], 3)) for x, _ in corners] == corners
    assert all(abs(of_table[x] - of_pure[x]) < 2e-3 for x in of_pure)
    normal = NormalDist()
    for x, y in drawn(charts[0], "gaussian (1)")[1:-1]:
        assert math.isclose(y, normal.cdf(normal.inv_cdf(1 - x) - 1))


def test_the_gaussian_curve_is_the_known_one() -> None:
    line = plots._of_guarantee(dpc.gaussian(1), "")
    some = [line.delta(plots.Fraction(x)) for x in range(3)]
    assert some == pytest.approx([0.3829249225, 0.1269367375, 0.0209236358], abs=1e-9)
    # and its trade-off function is the dual of it
    dual = plots.Line("", line.delta, 8.0)
    assert all(abs(dual.trade_off(a) - line.trade_off(a)) < 5e-3 for a in (0.01, 0.2, 0.5))


def test_families_have_curves_at_numbers(charts: list[Chart]) -> None:
    study = load(problem("18-"))[0]
    picture = dpc.privacy_curve(study, at={"k": 100, "e": "1/3", "x": "1/3"})
    assert drawn(charts[0], "the bound")[-1][0] == pytest.approx(1.1) and "the bound 0.245, 0" in picture.alt
    with pytest.raises(WrongValue, match="no value is given for e"):
        dpc.privacy_curve(study, at={"k": 100, "x": 1})


def test_small_deltas_are_on_a_logarithmic_scale(charts: list[Chart]) -> None:
    study = twice(dpc.approximate("1/4", "1/1000", dpc.bounded))
    dpc.privacy_curve(study, claims=[dpc.approximate("1/2", "1/500"), dpc.pure(1)])
    (chart,) = charts
    assert chart.y.logarithmic
    marked = [curve.at[1] for curve in chart.curves if curve.at]
    assert marked == [0.002, chart.y.low]  # delta = 0 stands at the end of the scale


def test_what_has_no_curve_is_refused() -> None:
    with pytest.raises(plots.NoCurve, match="zcdp privacy does not say how large delta is at each epsilon"):
        dpc.privacy_curve(dpc.zcdp(1))
    with pytest.raises(TypeError, match="say of which neighbours"):
        dpc.trade_off_curve(dpc.randomized_response_table(1))
    with pytest.raises(TypeError, match="a study, guarantee or table is drawn"):
        dpc.privacy_curve()


def test_a_chart_stands_where_its_axes_say() -> None:
    """A frame of 100 by 100 over ε to 2 and δ from 1/100 to 1: half of each is at 1 and at 1/10."""
    line = Trace("one", [(0, 1), (1, 0.1), (2, 0.001)], sign="■", at=(1, 0.1))
    sheet = Chart(Axis("ε", 0, 2), Axis("δ", 0.01, 1, logarithmic=True), [line], 100, 100).sheet("it")
    assert "M64.0 16.0L114.0 66.0" in sheet.svg()  # and what is below the frame is left out
    assert [text for text in words(sheet.svg()) if text.startswith(("0", "1", "■"))].count("■") == 2
    assert {"10⁻²", "10⁻¹", "1", "ε", "δ", "one"} <= set(words(sheet.svg()))
    assert Axis("x", 0, 0).ticks and Axis("x", 0, 530).ticks == [0, 200, 400]


def test_lines_differ_without_colour() -> None:
    assert len({str(dashes) for _, dashes, _ in plots.STYLES}) == len(plots.STYLES)
    assert len({marker for _, _, marker in plots.STYLES}) == len(plots.STYLES)


@pytest.mark.parametrize("curve", ["delta", "trade-off"])
def test_the_command_draws_curves(curve: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "curve.svg"
    given = ["draw", str(problem("01")), "--curve", curve, "-o", str(file)]
    assert cli.main([*given, "--at", "e1=1,e2=1/2,e3=1/4"]) == 0
    assert re.search(r"curve.svg: (delta at|type II)", capsys.readouterr().out)
    assert file.read_text(encoding="utf-8").startswith("<svg")
    assert cli.main([*given, "--at", "e1=1"]) == 2
    assert "no value is given for" in capsys.readouterr().err
