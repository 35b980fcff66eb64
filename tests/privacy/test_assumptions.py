"""Relations between parameters in files and in Python: what is proved and refuted with them, and what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.privacy.settings.invalid import InvalidSetting

FILE = """
format = 1
assume = {assume}
[parameters]
l = "real"
u = "real"
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "unbounded"
[[mechanisms]]
name = "A"
reads = {{ records = ["a"] }}
guarantee = {{ notion = "pure", epsilon = "e1", granularity = "unbounded", domain = "own" }}
[[mechanisms]]
name = "B"
reads = {{ records = ["b"] }}
guarantee = {{ notion = "pure", epsilon = "e2", granularity = "unbounded", domain = "own" }}
[[mechanisms]]
name = "S"
query = {{ sum = ["l", "u"] }}
noise = {{ laplace = "{scale}" }}
[[claims]]
notion = "pure"
epsilon = "{claim}"
"""


def run(folder: Path, capsys: Any, assume: str, claim: str = "1", scale: str = "1") -> tuple[int, str]:
    """The exit status and all that is printed for a file."""
    path = folder / "problem.toml"
    path.write_text(FILE.format(assume=assume, claim=claim, scale=scale))
    status = cli.main(["verify", str(path)])
    said = capsys.readouterr()
    return status, said.out + said.err


def study(*assume: object, **parameters: str) -> dpc.Study:
    """Parts with budgets e1 and e2, add/remove neighbours: max(e1, e2)."""
    A, B = (
        dpc.mechanism(name, dpc.pure(e, dpc.unbounded, "own"), reads=dpc.restriction([name]))
        for name, e in (("a", "e1"), ("b", "e2"))
    )
    return dpc.compose(
        A, B, on=dpc.multisets("ab"), target=dpc.unbounded, assume=assume, parameters=parameters
    )


def test_the_larger_budget_is_known() -> None:
    """max(e1, e2) = e2 where e1 <= e2; a claim of e1 fails at values with e1 < e2, and holds the other way."""
    for relation in ("e1 <= e2", "e1 < e2", sp.Symbol("e1", positive=True) <= sp.Symbol("e2", positive=True)):
        found = study(relation)
        assert str(found.guarantee()) == "unbounded e2-DP, by GB:IV.6; optimal"
        assert found.check(dpc.pure("e2")).verdict == "proved"
        refuted = found.check(dpc.pure("e1"))
        assert refuted.verdict == "refuted" and refuted.counterexample is not None
        point = refuted.counterexample.point
        assert point["e1"] < point["e2"]
    assert study().check(dpc.pure("e2")).verdict == "refuted"
    assert study("e1 >= e2").check(dpc.pure("e1")).verdict == "proved"


def test_numbers_and_other_letters() -> None:
    """Relations with numbers, through a chain, and with what is not linear."""
    assert study("e1 <= 1", "e2 <= 2").check(dpc.pure(2)).verdict == "proved"
    assert study("e1 <= 1", "e2 <= 2").check(dpc.pure("3/2")).verdict == "refuted"
    assert study("2*e1 <= e2", "e2 < 1").check(dpc.pure("max(e2, 2*e1)")).loose is False
    assert study("e1 <= e2**2", "e2 < 1").check(dpc.pure("e2")).verdict == "proved"
    assert study("exp(e1) <= 1 + e2").check(dpc.pure("e2")).verdict in ("proved", "undecided")


def test_results_name_what_is_assumed() -> None:
    """In the assumptions of a result, in its file, and read back."""
    found = study("e1 <= e2")
    assert "e1 <= e2" in found.guarantee().assumptions
    assert 'assume = ["e1 <= e2"]' in found.to_toml()
    assert "e1 <= e2" in found.guarantee().to_latex().replace(r"\textless{}", "<")


def test_a_saved_derivation_carries_them(tmp_path: Path, capsys: Any) -> None:
    """recheck names them among what is believed."""
    found = study("e1 <= e2")
    path = tmp_path / "d.json"
    found.save(path, [found.check(dpc.pure("e2")), found.check(dpc.pure("e1"))])
    assert cli.main(["recheck", str(path)]) == 0
    assert "e1 <= e2" in capsys.readouterr().out
    path.write_text(path.read_text().replace('"e1",\n    "<=",\n    "e2"', '"e1",\n    "<",\n    "e2"'))
    assert cli.main(["recheck", str(path)]) == 1


def test_scales_are_positive_by_assumption(tmp_path: Path, capsys: Any) -> None:
    """Laplace noise of scale (u - l)/e: positive where u > l; where u >= l it may be 0."""
    claim = "max(e1, e2) + e*max(u, -l)/(u - l)"
    status, said = run(tmp_path, capsys, '["u > l"]', claim, "(u - l)/e")
    assert status == 0 and "PROVED, and no smaller guarantee holds" in said
    for assume in ('["u >= l"]', "[]"):
        status, said = run(tmp_path, capsys, assume, claim, "(u - l)/e")
        assert status == 2 and "must be positive" in said
    status, said = run(tmp_path, capsys, '["u >= l"]', "max(e1, e2) + max(u, -l)")
    assert status == 0


@pytest.mark.parametrize(
    ("assume", "words"),
    [
        ('["u > l", "e1 < e2", "e2 < e1"]', "no values satisfy u > l and e1 < e2 and e2 < e1"),
        ('["u > l", "e1 <= ee2"]', "assume.2 (line 3): unknown name 'ee2'; did you mean 'e2'?"),
        ('["u > l", "e1 = e2"]', "assume.2 (line 3): an assumption is two formulas joined by <, <=, > or >="),
        ('["u > l > 0"]', "write each relation by itself"),
        ('["u > l", "e1 < oo"]', "oo"),
        ('["u > l", "log(u) > 0"]', "u is not known to be > 0"),
        ('["u > l", "e[i] < 1"]', "unknown family 'e'"),
        ('["u > l", "3 < 2"]', "no values satisfy"),
        ('"u > l"', "assume (line 3)"),
    ],
)
def test_what_is_wrong(tmp_path: Path, capsys: Any, assume: str, words: str) -> None:
    """Exit status 2, with where and what."""
    status, said = run(tmp_path, capsys, assume)
    assert status == 2 and words in said


def test_python_is_told_the_same() -> None:
    """Unknown letters, and relations that no values satisfy."""
    with pytest.raises(InvalidSetting, match="unknown name 'f1'; known names: e1, e2"):
        study("f1 < e2")
    with pytest.raises(InvalidSetting, match="no values satisfy"):
        study("e1 < e2", "e2 < e1").guarantee()
    with pytest.raises(InvalidSetting, match="sympy sees by itself"):
        study(sp.Symbol("e1", positive=True) > -1)
    with pytest.raises(InvalidSetting, match="assume is a list of relations"):
        dpc.compose(
            dpc.mechanism("M", dpc.pure("e", dpc.unbounded)),
            on=dpc.multisets("ab"),
            target=dpc.unbounded,
            assume="e < 1",
        )
    with pytest.raises(InvalidSetting, match="other assumptions"):
        study(sp.Symbol("e1", real=True) < 1)
    assert study(sp.Symbol("e1") < 1).check("1 + e2")  # a symbol that says nothing is the parameter


def test_where_products_leave_no_values(tmp_path: Path, capsys: Any) -> None:
    status, said = run(tmp_path, capsys, '["u > l", "l > 0", "u*l > 50", "u*u < 2"]', "e1")
    assert status == 2 and "no values satisfy u > l and l > 0 and l*u > 50 and u**2 < 2" in said


@pytest.mark.slow
def test_where_it_is_not_known_whether_there_are_values(tmp_path: Path, capsys: Any) -> None:
    """A warning; nothing is refuted there, and what is proved holds whether or not there are any."""
    status, said = run(tmp_path, capsys, '["u > l", "l > 0", "exp(u) + l < 2", "u*l > 1"]', "e1")
    assert status == 3 and "it is not known whether any values satisfy" in said and "REFUTED" not in said


def test_guarantees_below_0_are_not_where_assumptions_exclude_them() -> None:
    """e1 - e2 is no budget in general, and one where e1 >= e2."""
    M = dpc.mechanism("M", dpc.pure("e1 - e2", dpc.unbounded))
    on: dict[str, Any] = {"on": dpc.multisets("ab"), "target": dpc.unbounded}
    with pytest.raises(InvalidSetting, match="must be at least 0"):
        dpc.compose(M, **on).guarantee()
    assert dpc.compose(M, **on, assume=["e1 >= e2"]).check(dpc.pure("e1")).verdict == "proved"
    with pytest.raises(InvalidSetting, match="must be at least 0"):
        dpc.compose(M, **on, assume=["e1 >= e2 - 1"]).guarantee()


def test_a_study_in_a_study_assumes_the_same() -> None:
    """What is shown of a study by a relation holds where the whole assumes it."""
    inner = study("e1 <= e2")
    on: dict[str, Any] = {"on": dpc.multisets("ab"), "target": dpc.unbounded}
    whole = dpc.compose(dpc.mechanism("M", study=inner), **on, assume=["e1 <= e2"])
    assert whole.check(dpc.pure("e2")).verdict == "proved"
    without = dpc.compose(dpc.mechanism("M", study=inner), **on)
    assert without.check(dpc.pure("e2")).verdict == "undecided"


@pytest.mark.parametrize(
    "scale", ["max(abs(l), abs(u))", "abs(l) + abs(u)", "max(-l, u)", "max(abs(l), u)/e1"]
)
def test_scales_by_the_larger_bound(tmp_path: Path, capsys: Any, scale: str) -> None:
    """One of l and u is not 0 where u > l; where u >= l both may be."""
    status, said = run(tmp_path, capsys, '["u > l"]', "max(abs(l), abs(u))*10**6", scale)
    assert status != 2, said
    status, said = run(tmp_path, capsys, '["u >= l"]', "1", scale)
    assert status == 2 and "must be positive" in said and "l = 0, u = 0" in said


@pytest.mark.slow
def test_a_sum_by_the_larger_bound() -> None:
    """|sum moves| <= max(|l|, |u|), the textbook's scale; by |l| + |u| more noise than is needed."""
    l, u = sp.symbols("l u", real=True)
    (e,) = dpc.parameters("e")
    for scale, loose in ((sp.Max(sp.Abs(l), sp.Abs(u)), None), (sp.Abs(l) + sp.Abs(u), True)):
        noisy = dpc.mechanism("S", query=dpc.clipped_sum(l, u), noise=dpc.laplace(scale / e))
        found = dpc.compose(noisy, on=dpc.multisets("ab"), target=dpc.unbounded, assume=[sp.Gt(u, l)])
        assert found.check(dpc.pure(e)).verdict == "proved"
        assert found.check(dpc.pure(e)).loose is loose
        assert found.check(dpc.pure(e / 3)).verdict == "refuted"


PRODUCTS = [
    # (t - e1)*(t + e1) + (t - e2)*(t + e2), and the like
    (["e1 <= t", "e2 <= t"], "2*t**2", "sqrt(2)*t", "proved"),
    (["e1 <= t", "e2 <= t"], "1.9*t**2", "1.4*t", "refuted"),
    (["e1 <= t/2", "e2 <= t/2"], "t**2/2", "t/sqrt(2)", "proved"),
    (["e1 <= e2", "e2 <= 1"], "2", "sqrt(2)", "proved"),
    (["e1 <= e2", "e2 <= 1"], "1.9", "1.4", "refuted"),
    (["e1 + e2 <= 1"], "1", "1", "proved"),
    (["e1 + e2 <= 1"], "0.9", "0.9", "refuted"),
    (["e1 + e2 <= t"], "t**2", "t", "proved"),
    # on the circle, where simple points are not
    (["e1**2 + e2**2 <= 1"], "0.81", "0.9", "refuted"),
    (["e1**2 + e2**2 <= 1"], "1", "1", "proved"),
    (["e1 <= e2"], "2*e1**2", "sqrt(2)*e1", "refuted"),
]


@pytest.mark.parametrize(("assume", "square", "root", "verdict"), PRODUCTS)
def test_squares_and_roots_of_what_is_related(
    assume: list[str], square: str, root: str, verdict: str
) -> None:
    on: dict[str, Any] = {"on": dpc.multisets("ab"), "target": dpc.unbounded, "parameters": {"t": "positive"}}
    for guarantee, claim in (
        (lambda e: dpc.gaussian(e), dpc.gaussian(root)),
        (lambda e: dpc.zcdp(f"{e}**2"), dpc.zcdp(square)),
        (lambda e: dpc.pure(f"{e}**2"), dpc.pure(square)),
    ):
        some = [dpc.mechanism(f"M{e}", guarantee(e).about(dpc.unbounded)) for e in ("e1", "e2")]
        assert dpc.compose(*some, **on, assume=assume).check(claim).verdict == verdict


def members(*assume: object) -> dpc.Study:
    """Five mechanisms that read all records, with budgets e[i]."""
    M = dpc.mechanism("M", dpc.pure("e[i]", dpc.bounded), count=5)
    return dpc.compose(
        M, on=dpc.multisets("ab"), target=dpc.bounded, assume=assume, parameters={"E": "positive"}
    )


@pytest.mark.parametrize(
    ("relation", "claim", "verdict"),
    [
        ("e[i] <= E", "5*E", "proved"),
        ("E >= e[i]", "5*E", "proved"),
        ("max(e[i], i, 1, 5) < E", "5*E", "proved"),
        ("e[i] <= E", "499/100*E", "refuted"),
        ("2*e[i] <= E", "5/2*E", "proved"),
        ("2*e[i] <= E", "2*E", "refuted"),
        ("sum(e[i], i, 1, 5) <= E", "E", "proved"),
        ("sum(e[i], i, 1, 5) <= E", "4/5*E", "refuted"),
        ("top(2, e[i], i, 1, 5) <= E", "5/2*E", "proved"),
        ("top(2, e[i], i, 1, 5) <= E", "12/5*E", "refuted"),
        ("e[i] <= 1", "5", "proved"),
        ("e[i] <= 1", "4", "refuted"),
    ],
)
def test_what_is_assumed_of_members(relation: str, claim: str, verdict: str) -> None:
    """Of five numbers up to E; or of five whose two largest have the sum E, which are all E/2 at most."""
    assert members(relation).check(dpc.pure(claim)).verdict == verdict


def test_what_cannot_be_assumed_of_members() -> None:
    """A least value of members, those of no family, and more or fewer than there are."""
    with pytest.raises(InvalidSetting, match="only what they are at most"):
        members("e[i] >= E")
    with pytest.raises(InvalidSetting, match="unknown family 'f'"):
        members("f[i] <= E")
    with pytest.raises(InvalidSetting, match="has the members 1 to 5, not to 4"):
        members("max(e[i], i, 1, 4) <= E")


def test_members_of_any_number_of_parts(tmp_path: Path, capsys: Any) -> None:
    """Two parts move under replacement: 2E, and no less; e[i] <= E is kept in what is refuted."""
    path = tmp_path / "problem.toml"
    path.write_text(
        """
        format = 1
        assume = ["e[i] <= E"]
        parameters = { k = "integer >= 2", E = "positive" }
        partitions = { P = { kind = "record-wise", parts = "k" } }
        databases = { kind = "multisets" }
        target = { granularity = "bounded" }
        [[mechanisms]]
        name = "M"
        index = "i"
        count = "k"
        reads = { part = "i", of = "P" }
        guarantee = { notion = "pure", epsilon = "e[i]", granularity = "bounded", domain = "common" }
        [[claims]]
        notion = "pure"
        epsilon = "2*E"
        [[claims]]
        notion = "pure"
        epsilon = "E + max(e[i], i, 1, k)"
        [[claims]]
        notion = "pure"
        epsilon = "19/10*E"
        expect = "refuted"
        """
    )
    assert cli.main(["verify", str(path)]) == 0
    assert "where max(e[i], i, 1, k) <= E" in capsys.readouterr().out
