"""Files with metrics whose claims are all for neighbours: what a user sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from in_metrics import claimed_for_neighbours as claimed
from in_metrics import stated
from shares import every_third

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.studies.study import Study
from dpcompose.privacy.problems import ProblemError

MULTISETS = 'format = 1\n[databases]\nkind = "multisets"\n'
BOUNDED = '[target]\ngranularity = "bounded"\n'
LISTED = (
    'format = 1\n[databases]\nkind = "listed"\nelements = ["a", "b", "c", "d"]\n'
    '[granularities.next]\nneighbours = [["a", "b"], ["b", "c"], ["c", "d"]]\n'
    '[maps.f.table]\na = "u"\nb = "u"\nc = "v"\nd = "v"\n'
    '[metrics.way]\ntable = [["a", "b", "2"], ["b", "c", "1/2"], ["a", "c", "2"]]\n'
    '[metrics.of_f]\nof = "f"\ntable = [["u", "v", "3"]]\n[target]\ngranularity = "next"\n'
)


def said(text: str, folder: Path) -> tuple[Study, list[Any]]:
    file = folder / "problem.toml"
    file.write_text(text, encoding="utf-8")
    study, claims = dpc.load(file)
    assert isinstance(study, Study)
    return study, [study.check(claim) for claim in claims]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "guarantee", "optimal"),
    [
        (stated("e*d_unbounded + min(f*d_bounded, w)"), "2*e + min(f, w)", True),
        (stated("x*d_bounded", "zcdp"), "x**2", True),
        (stated("e*d_bounded") + stated("f*d_unbounded", "gaussian", "N"), None, None),
        ('[metrics.s]\nat-most = "3*d_bounded"\n' + stated("e*s"), "3*e", False),
        (
            '[metrics.s]\nformula = "2*d_bounded"\n[metrics.t]\nformula = "s + s/2"\n' + stated("e*t"),
            "3*e",
            True,
        ),
        ('[metrics.s]\ngranularity = "free-lunch"\nreads = { records = ["a"] }\n' + stated("e*s"), "e", True),
        (stated("e*d_unbounded**2"), "2*e", True),
    ],
)
def test_guarantees(text: str, guarantee: str | None, optimal: bool, tmp_path: Path) -> None:
    study, (verdict,) = said(MULTISETS + BOUNDED + text + claimed(epsilon="0"), tmp_path)
    if guarantee is not None:
        found = study.guarantee()
        assert [text for _, text in found.bound.guarantee.texts] == [guarantee]
        assert found.optimal == optimal
    assert verdict.verdict in ("refuted", "undecided")


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        (stated("x*way"), "oo"),  # d is in no pair
        (stated("x*min(way, 7)"), "7*x"),
        (stated("x*of_f"), "3*x"),  # b and c; the others are at distance 0
        (stated("x*of_f + d_next"), "3*x + 1"),
    ],
)
def test_tables_of_distances(text: str, epsilon: str, tmp_path: Path) -> None:
    study, _ = said(LISTED + text + claimed(epsilon="0"), tmp_path)
    assert study.guarantee().bound.guarantee.texts == (("epsilon", epsilon),)
    assert study.guarantee().optimal


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            MULTISETS + BOUNDED + stated("e*d_bounde") + claimed("approximate", epsilon="0", delta="0"),
            "did you mean 'd_bounded'?",
        ),
        (MULTISETS + BOUNDED + stated("1 + d_bounded") + claimed(epsilon="0", delta="0"), "has no delta"),
        (
            MULTISETS + BOUNDED + stated("0*d_bounded") + claimed("approximate", epsilon="0", delta="0"),
            "d_bounded cancels here, and that is right only where it is finite: 0 times oo is oo",
        ),
        (
            MULTISETS + BOUNDED + stated("e") + claimed("approximate", epsilon="0", delta="0"),
            "e is not 0 where D = E; what names no metric is a parameter",
        ),
        (
            MULTISETS
            + BOUNDED
            + stated("d_unbounded + min(d_bounded, d_unbounded)", domain="common").replace(
                "guarantee", 'reads = { records = ["a"] }\nguarantee'
            )
            + claimed("approximate", epsilon="0", delta="0"),
            "on the common domain a guarantee is a number times one metric",
        ),
        (
            MULTISETS
            + BOUNDED
            + stated("d_bounded").replace("guarantee", 'reads = { records = ["a"] }\nguarantee')
            + claimed("approximate", epsilon="0", delta="0"),
            "say on which domain",
        ),
        (
            LISTED.replace('"2"], ["b"', '"9"], ["b"')
            + stated("way")
            + claimed("approximate", epsilon="0", delta="0"),
            "this is no metric: from a to c it is 2, from c to b 1/2, but from a to b 9",
        ),
        (
            MULTISETS
            + '[metrics.d]\nnorm = "L1"\n'
            + BOUNDED
            + stated("d")
            + claimed("approximate", epsilon="0", delta="0"),
            "metrics.d.of (line 4): say what it is of",
        ),
    ],
)
def test_what_is_wrong_is_said(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(text, encoding="utf-8")
    status = cli.main(["verify", str(file)])
    errors = " ".join(capsys.readouterr().err.split())
    assert (status == 2) == bool(words) and words in errors


@pytest.mark.parametrize("metric", ["(e + 2*f)*d_unbounded", "e*d_unbounded + 2*f*d_unbounded"])
def test_a_multiple_on_the_common_domain_may_be_a_sum(metric: str, tmp_path: Path) -> None:
    """A replacement takes one of a away, or brings one: one unbounded step, as all others are not read."""
    read = stated(metric, domain="common").replace("guarantee", 'reads = { records = ["a"] }\nguarantee')
    claims = claimed(epsilon="e + 2*f") + claimed(epsilon="e + f")
    _, found = said(MULTISETS + BOUNDED + read + claims, tmp_path)
    assert [one.verdict for one in found] == ["proved", "refuted"]


def test_a_mistake_in_a_table_is_told_once_and_there(tmp_path: Path) -> None:
    """Two mechanisms are stated in it; its rows are told one by one, and numbers may have names."""
    rows = '["a", "b", "two"], ["b", "c", "1/2"], ["a", "x", "1"]'
    text = LISTED.replace('["a", "b", "2"], ["b", "c", "1/2"], ["a", "c", "2"]', rows)
    file = tmp_path / "problem.toml"
    file.write_text(text + stated("way") + stated("2*way", name="N") + claimed(epsilon="1"), encoding="utf-8")
    with pytest.raises(ProblemError) as raised:
        dpc.load(file)
    first, second = raised.value.mistakes
    assert first.path == ("metrics", "way", "table", 0) and "unknown name 'two'" in first.message
    assert (
        second.path == ("metrics", "way", "table", 2) and "'x' is no database of the class" in second.message
    )
    named = LISTED.replace("format = 1\n", 'format = 1\n[parameters]\ntwo = "2"\n').replace(
        '"b", "2"]', '"b", "two"]'
    )
    study, _ = said(named + stated("way"), tmp_path)
    assert study.check("way").verdict == "proved"


def test_all_commands_take_such_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, saved = tmp_path / "problem.toml", tmp_path / "saved.json"
    text = stated("e*d_unbounded") + claimed(epsilon="2*e") + claimed(epsilon="e")
    file.write_text(MULTISETS + BOUNDED + text, encoding="utf-8")
    commands = (
        ["verify", str(file), "--json", "--save-derivation", str(saved)],
        ["recheck", str(saved), "--json"],
        ["bound", str(file), "--at", "e=1/2", "--membership"],
        ["budget", str(file), "--total", "1"],
        ["theorems", "--for", str(file)],
        ["draw", str(file), "-o", str(tmp_path / "x.svg"), "--claim", "2"],
        ["draw", str(file), "-o", str(tmp_path / "y.svg"), "--budget", "e=1/2"],
        ["draw", str(file), "-o", str(tmp_path / "z.svg"), "--curve", "delta", "--at", "e=1/2"],
    )
    for command in commands:
        assert cli.main(command) in (0, 1, 3), command
        shown = capsys.readouterr().out
        assert "internal" not in shown, command
        if command[0] == "verify":
            claims = json.loads(shown)["claims"]
            assert [one["verdict"] for one in claims] == ["proved", "refuted"]
            assert claims[1]["counterexample"]["actual"] == "2"
        if command[0] == "budget":
            assert "e = 1/2" in shown


def test_a_setting_writes_itself(tmp_path: Path) -> None:
    study, _ = said(LISTED + stated("x*way + d_next") + claimed(epsilon="0"), tmp_path)
    file = tmp_path / "again.toml"
    file.write_text(study.to_toml() + claimed(epsilon="0"), encoding="utf-8")
    again, _ = dpc.load(file)
    assert isinstance(again, Study)
    assert again.proofs.elaborated.core.hash == study.proofs.elaborated.core.hash
    assert "private in the metric x*way + d_next" in study._repr_html_()
    assert "private in the metric" in study._repr_latex_()


def test_studies_and_several_guarantees_beside_metrics(tmp_path: Path) -> None:
    text = (
        'format = 1\n[databases]\nkind = "multisets"\nrecords = ["a", "b", "c"]\n[target]\ngranularity = "bounded"\n'
        '[studies.S]\ndatabases = { kind = "multisets", records = ["a", "b"] }\ntarget = { granularity = "unbounded" }\n'
        'mechanisms = [{ name = "I", guarantee = { notion = "pure", metric = "min(e*d_unbounded, w)" } }]\n'
        '[[mechanisms]]\nname = "S"\nreads = { records = ["a", "b"] }\nstudy = "S"\n'
        '[[mechanisms]]\nname = "T"\nsatisfies = [{ notion = "pure", epsilon = "3", granularity = "bounded" }, '
        '{ notion = "pure", epsilon = "2", granularity = "unbounded" }]\n'
        + stated("x*d_bounded")
        + claimed(epsilon="2*min(e, w) + 3 + x")
        + claimed(epsilon="2 + x")
    )
    _, verdicts = said(text, tmp_path)
    assert [one.verdict for one in verdicts] == ["proved", "refuted"]


GRID = (
    *(
        claimed("approximate", epsilon=x, delta=y)
        for x in ("0", "1", "3/2")
        for y in ("0.2", "0.45", "0.6", "0.7")
    ),
    *(claimed("zcdp", rho=x) for x in ("0.2", "0.45", "0.7", "1", "1.4", "2")),
    *(claimed(epsilon=x) for x in ("1", "2", "3")),
    *(claimed("gaussian", mu=x) for x in ("1", "2", "3")),
)
KEYS = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu"}


@pytest.mark.parametrize(
    ("target", "notion", "many"),
    every_third(
        ['"bounded"', '"unbounded"', '{ group = 3, of = "unbounded" }'], list(KEYS), ["", "repeat = 2\n"]
    ),
)
def test_a_metric_in_steps_says_what_neighbours_say(
    target: str, notion: str, many: str, tmp_path: Path
) -> None:
    """1·d_unbounded is 1 for add/remove neighbours: what one form refutes the other does not prove."""
    head = MULTISETS + f'[target]\ngranularity = {target}\n[[mechanisms]]\nname = "M"\n{many}'
    said_in = [
        f'guarantee = {{ notion = "{notion}", metric = "d_unbounded" }}\n',
        f'guarantee = {{ notion = "{notion}", {KEYS[notion]} = "1", granularity = "unbounded" }}\n',
    ]
    found = [[one.verdict for one in said(head + one + "".join(GRID), tmp_path)[1]] for one in said_in]
    assert "refuted" in found[0]
    for in_metric, for_neighbours in zip(*found, strict=True):
        assert {in_metric, for_neighbours} != {"proved", "refuted"}
        assert in_metric in ("undecided", for_neighbours)


def test_databases_between_are_not_forgotten(tmp_path: Path) -> None:
    """Two steps of 1 are a divergence of 1.264 at most, and a delta of 0.633; randomized response at 2 has more."""
    claims = [claimed("zcdp", rho=x) for x in ("1.4", "1.265", "0.4")]
    claims += [claimed("approximate", epsilon="0", delta=x) for x in ("0.7", "0.6322", "0.632")]
    found = said(MULTISETS + BOUNDED + stated("min(d_unbounded, 5)") + "".join(claims), tmp_path)[1]
    by_steps = ["proved", "proved", "refuted"]  # 1 at each step, as all of them are
    assert [one.verdict for one in found] == ["undecided", "undecided", "refuted", *by_steps]
    in_steps = said(MULTISETS + BOUNDED + stated("d_unbounded") + "".join(claims), tmp_path)[1]
    assert [one.verdict for one in in_steps[3:]] == by_steps


@pytest.mark.parametrize(
    ("metric", "words", "data"),
    [
        (
            "min(d_unbounded, 9)",
            "as Laplace noise of scale 1 around 2 at D, 0 at D'",
            {"mean at D": "2", "mean at E": "0", "scale": "1"},
        ),
        ("d_unbounded", "as canonical noise of (1, 0) at distance 2", {"epsilon": "1", "steps": 2}),
    ],
)
def test_what_is_shown_is_what_refutes(metric: str, words: str, data: dict[str, Any], tmp_path: Path) -> None:
    claims = claimed("approximate", epsilon="0", delta="0.6") + claimed("zcdp", rho="0.2")
    curve, divergence = said(MULTISETS + BOUNDED + stated(metric) + claims, tmp_path)[1]
    shown, other = curve.counterexample, divergence.counterexample
    assert words in shown.rows[0].words() and "true delta at least 0.6321205" in str(curve)
    assert data.items() <= shown.rows[0].data().items()
    assert "with the loss tanh(1/2)" in other.rows[0].words()


@pytest.mark.parametrize("other", ["s", "d_unbounded**2"])
def test_of_what_is_not_known_to_lose_nothing_is_shown(other: str, tmp_path: Path) -> None:
    """N is private in less than d_bounded, or in no metric: it may say the same always."""
    text = '[metrics.s]\nat-most = "d_bounded"\n' + stated("min(d_unbounded, 9)") + stated(other, name="N")
    claims = (
        claimed("approximate", epsilon="0", delta="0.6") + claimed("zcdp", rho="0.4") + claimed(epsilon="1")
    )
    for found in said(MULTISETS + BOUNDED + text + claims, tmp_path)[1]:
        assert [one.mechanism for one in found.counterexample.rows] == [1]


def test_of_a_family_the_member_that_moves_is_shown(tmp_path: Path) -> None:
    """What the type of one member says is not said of two others: one loses 2·e at a replacement in its part."""
    text = (
        'format = 1\n[databases]\nkind = "multisets"\n[partitions.parts]\nkind = "record-wise"\nparts = "k"\n'
        + '[parameters]\nk = "integer >= 2"\ne = "positive"\n'
        + BOUNDED
        + '[[mechanisms]]\nname = "M"\nindex = "i"\ncount = "k"\nreads = { part = "i", of = "parts" }\n'
        + 'guarantee = { notion = "pure", metric = "e*d_unbounded", domain = "own" }\n'
        + claimed("approximate", epsilon="e", delta="1/1000")
    )
    (found,) = said(text, tmp_path)[1]
    assert found.verdict == "refuted"
    assert [one.mechanism for one in found.counterexample.rows] == [1]
    assert "canonical noise of (1, 0) at distance 2;" in found.counterexample.rows[0].words()


def test_tables_of_distances_have_what_two_outcomes_have(tmp_path: Path) -> None:
    """From a to b it is 2: randomized response has 0.5569 at epsilon = 1, at c as at b, which is as far from a;
    Laplace noise has 1 − exp((1 − 2)/2) = 0.3935."""
    claims = [claimed("approximate", epsilon="1", delta=x) for x in ("0.557", "0.556", "0.394", "0.393")]
    target = LISTED.replace('[["a", "b"], ["b", "c"], ["c", "d"]]', '[["a", "b"]]').replace(
        ', "d"]\n[gran', "]\n[gran"
    )
    target = target.replace('d = "v"\n', "")
    found = said(target + stated("way") + "".join(claims), tmp_path)[1]
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted", "refuted"]


def test_a_delta_beside_a_metric_refutes_nothing_more(tmp_path: Path) -> None:
    claims = [claimed("approximate", epsilon="0", delta=x) for x in ("0.7", "0.9")] + [
        claimed("zcdp", rho="1")
    ]
    text = stated("d_unbounded", "approximate", delta="d_unbounded/10")
    found = said(MULTISETS + BOUNDED + text + "".join(claims), tmp_path)[1]
    assert "refuted" not in [one.verdict for one in found[:2]]
    alone = stated("d_unbounded", "approximate", delta="0")  # two steps of 1: 1 - exp(-1) = 0.632...
    assert said(MULTISETS + BOUNDED + alone + "".join(claims), tmp_path)[1][0].verdict == "proved"


@pytest.mark.parametrize("form", ["guarantee = {0}", "satisfies = [{0}, {0}]"])
def test_tables_of_distances_count_no_steps(form: str, tmp_path: Path) -> None:
    """From a to b it is 2, which is no number times steps of any neighbours: 2*e is lost, and no less."""
    text = '[[mechanisms]]\nname = "M"\n' + form.format('{ notion = "pure", metric = "e*way" }') + "\n"
    claims = claimed(epsilon="2*e") + claimed(epsilon="199/100*e")
    found = said(LISTED.replace('["c", "d"]]', '["b", "b"]]') + text + claims, tmp_path)[1]
    assert [one.verdict for one in found] == ["proved", "refuted"]


PERSONS = '[target]\ngranularity = { contribution = { parts = "1", rows = "2" } }\n'


@pytest.mark.parametrize(
    ("target", "reads", "right", "wrong", "theorem"),
    [
        (BOUNDED, "", "2*e", "199/100*e", "GB:A.3"),
        (BOUNDED, "u", "e", "99/100*e", "GB:IV.11"),
        ('[target]\ngranularity = "free-lunch"\n', "", "oo", "1000000*e", "GB:A.3"),
        (PERSONS, "u", "2*e", "199/100*e", "GB:IV.11"),
    ],
)
def test_a_number_times_steps_is_a_guarantee_for_neighbours(
    target: str, reads: str, right: str, wrong: str, theorem: str, tmp_path: Path
) -> None:
    """GB Prop. III.3: the same theorems are cited."""
    domain = {"domain": "common"} if reads else {}
    more = f'reads = {{ records = ["{reads}"] }}\n' if reads else ""
    text = MULTISETS + target + stated("e*d_unbounded", more=more, **domain)
    study, found = said(text + claimed(epsilon=right) + claimed(epsilon=wrong), tmp_path)
    assert [one.verdict for one in found] == ["proved", "refuted"]
    assert study.guarantee().theorem == theorem
