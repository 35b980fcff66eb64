"""The command as a user sees it: texts, JSON, exit statuses, saved derivations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from believed import run
from shipped import PROBLEMS

from dpcompose.front.commands import verify

ROOT = Path(__file__).resolve().parents[2]
FIRST = str(PROBLEMS[0])


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(capsys, *arguments)[1].splitlines()]


def test_json_of_the_first_problem(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = run_json(capsys, "verify", "--json", FIRST)
    assert found["guarantee"] == {"notion": "pure", "epsilon": "max(e1 + e2, e1 + e3, e2 + e3)"}
    assert found["scope"] == "all finite multisets over {a, b, c}"
    assert found["theorems"] == ["GB:IV.13"]
    assert found["assumptions"] == [
        "M1 is bounded e1-DP as a map on the whole class, and depends only on D|{a}",
        "M2 is bounded e2-DP as a map on the whole class, and depends only on D|{b}",
        "M3 is bounded e3-DP as a map on the whole class, and depends only on D|{c}",
        "the mechanisms are independent",
    ]
    refuted, proved, loose = found["claims"]
    assert refuted["counterexample"] == {
        "databases": [["a"], ["b"]],
        "parameters": {"e1": "1", "e2": "1", "e3": "1"},
        "claimed": "1",
        "actual": "2",
        "mechanisms": [
            {"mechanism": 1, "at D": "exp(-1)/2", "at E": "1/2"},
            {"mechanism": 2, "at D": "exp(-1)/2", "at E": "1/2"},
        ],
    }
    assert proved == {
        "verdict": "proved",
        "claim": {"notion": "pure", "epsilon": "max(e1 + e2, e1 + e3, e2 + e3)"},
        "expect": "proved",
        "loose": False,
    }
    assert loose["loose"] is True


TWO_PARTS = """\
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
reads = { records = ["a"] }
guarantee = { notion = "pure", epsilon = "e", granularity = "unbounded", domain = "own" }
"""
CLAIM = '[[claims]]\nnotion = "pure"\nepsilon = "%s"\n'
STATUSES = {
    "e": 0,
    "e/2": 1,
    "sqrt(e**2)": 0,
    "e + (exp(e) - 3)**2 - 1e-300": 3,
    "oo": 0,
    "1/(1 - e)": 3,
}


@pytest.mark.parametrize(
    "claim", [pytest.param(one, marks=[pytest.mark.slow] if "1e-300" in one else []) for one in STATUSES]
)
def test_exit_status(claim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.toml"
    file.write_text(TWO_PARTS + CLAIM % claim)
    assert run(capsys, "verify", str(file))[0] == STATUSES[claim]


def test_the_worst_status_of_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {
        "fine": CLAIM % "e",
        "undecided": CLAIM % "1/(1 - e)",
        "refuted": CLAIM % "e/2",
        "wrong": "x",
    }
    files = {}
    for name, claim in texts.items():
        files[name] = str(tmp_path / f"{name}.toml")
        Path(files[name]).write_text(TWO_PARTS + claim)
    assert run(capsys, "verify", files["fine"], files["undecided"])[0] == 3
    assert run(capsys, "verify", files["undecided"], files["refuted"], files["fine"])[0] == 1
    status, out, err = run(capsys, "verify", "--json", *files.values())
    assert status == 2 and files["wrong"] in err
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["file"] for line in lines] == list(files.values())
    assert "error" in lines[-1] and "claims" in lines[0]


def test_an_expected_refutation_is_fine_and_another_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.toml"
    file.write_text(TWO_PARTS + CLAIM % "e/2" + 'expect = "refuted"\n')
    assert run(capsys, "verify", str(file))[0] == 0
    file.write_text(TWO_PARTS + CLAIM % "e" + 'expect = "refuted"\n')
    status, out, _ = run(capsys, "verify", str(file))
    assert status == 1 and "(expected: refuted)" in out


def test_a_target_without_neighbours_is_answered_with_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    file = next(str(file) for file in PROBLEMS if "no-neighbours" in file.name)
    (found,) = run_json(capsys, "verify", "--json", file)
    assert found["guarantee"]["epsilon"] == "0"
    assert found["warnings"] == [
        "no two of all multisets of size 10 over {a, b} are unbounded neighbours, so every guarantee holds, "
        "whatever the mechanisms do"
    ]


def test_theorems_are_listed_shown_and_missed(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "theorems")
    assert status == 0 and "parallel-bounded" in out and "GB:IV.13" in out
    by_id, by_item = run(capsys, "theorems", "parallel-bounded"), run(capsys, "theorems", "GB:IV.13")
    assert by_id == by_item and by_id[1].startswith("# Parallel composition under bounded DP")
    status, _, err = run(capsys, "theorems", "paralel-bounded")
    assert status == 2
    assert err == "dpcompose: there is no theorem page 'paralel-bounded'; did you mean 'parallel-bounded'?\n"
    ids = [page["id"] for page in run_json(capsys, "theorems", "--json")]
    assert len(ids) == len(set(ids)) == len(list((ROOT / "theorems").rglob("*/*.md")))


def test_theorems_by_notion(capsys: pytest.CaptureFixture[str]) -> None:
    """Every composition theorem has a line for each notion."""
    lines = run(capsys, "theorems", "--table")[1].splitlines()
    assert max(map(len, lines)) <= 78
    assert lines[:7] == [
        "Guarantees for other neighbours than the target's",
        "  pure         GB:A.3      epsilon = m*sum(epsilon[i], i, 1, k)",
        "  approximate  GB:A.3      epsilon = m*sum(epsilon[i], i, 1, k)",
        "                           delta = sum(delta[i]*sum(exp(j*epsilon[i]), j, 0, m",
        "                             - 1), i, 1, k)",
        "  gaussian     GB:A.3      mu = m*sqrt(sum(mu[i]**2, i, 1, k))",
        "  laplace      -",
    ]
    assert lines[7:10] == [
        "  renyi        -",
        "  tcdp         -",
        "  zcdp         GB:A.3      rho = m**2*sum(rho[i], i, 1, k)",
    ]
    at = lines.index("Parallel composition under bounded DP")
    assert lines[at + 2 : at + 5] == [
        "  approximate  unnumbered  epsilon = top(2, epsilon[i], i, 1, k)",
        "                           delta = top(2, delta[i], i, 1, k)",
        "  gaussian     GB:A.18     mu = sqrt(top(2, mu[i]**2, i, 1, k))",
    ]
    found = run_json(capsys, "theorems", "--table", "--json")
    said = [line for line in lines if not line.startswith(" ")]
    assert said == [one["title"] for one in found]
    assert sum(len(one["notions"]) for one in found) == sum(
        line[15:16] not in (" ", "-", "") for line in lines if line.startswith("  ")
    )


def test_theorems_for_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "theorems", "--for", FIRST)
    assert status == 0 and out.splitlines()[1] == "* Corollary IV.13: it gives the best bound"
    (found,) = run_json(capsys, "theorems", "--json", "--for", FIRST)
    failing = next(fit for fit in found["fits"] if fit["page"] == "disjoint-common-domain")
    assert failing["fits"] is False and failing["witness"] == [["a"], ["b"]]
    assert run(capsys, "theorems", "--for", "no/such/file.toml")[0] == 2


def test_a_derivation_of_several_files_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "verify", FIRST, FIRST, "--save-derivation", "x.json")
    assert (status, err) == (2, "dpcompose: --save-derivation takes one problem file\n")


def test_recheck_of_what_is_no_derivation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "d.json"
    file.write_text("{")
    assert run(capsys, "recheck", str(file))[0] == 2
    file.write_text("[" * 100_000)
    assert run(capsys, "recheck", str(file))[0] == 2
    file.write_text("[]")
    status, out, _ = run(capsys, "recheck", str(file))
    assert (status, out) == (1, f"{file}: REFUSED\n  this is no saved derivation of format 2\n")


def test_an_interrupt_is_a_status_and_a_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(verify, "_run", interrupted)
    status, _, err = run(capsys, "verify", FIRST)
    assert (status, err) == (130, "dpcompose: interrupted; what is above is complete\n")


def test_the_bound_as_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The derivation of the first problem, word for word."""
    assert (
        run(capsys, "bound", "--proof", "--fits", FIRST)[1]
        == (Path(__file__).parent / "bound-01.txt").read_text()
    )


COMPARED = """\
on all finite multisets over an arbitrary record universe
d_unbounded <= 2*d_bounded: unbounded e-DP implies bounded (2*e)-DP  [GB:A.3]
  D = {x} and E = {y} are bounded neighbours, 2 unbounded steps apart (1 edit type)
d_bounded <= m*d_unbounded for no m: bounded e-DP implies nothing for unbounded neighbours  [GB:A.3]
  D = {x} and E = {} are unbounded neighbours, and no chain of bounded neighbours leads from one to the other (1 edit type)
"""
NO_NEIGHBOURS = """\
on all multisets of size 1 over {a, b}
d_bounded <= 0*d_unbounded: every mechanism is unbounded 0-DP  [GB:A.3]
  no two databases are unbounded neighbours (0 edit types)
d_unbounded <= m*d_bounded for no m: unbounded e-DP implies nothing for bounded neighbours  [GB:A.3]
  D = {a} and E = {b} are bounded neighbours, and no chain of unbounded neighbours leads from one to the other (1 edit type)
"""


def test_granularities_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "compare", "unbounded", "bounded") == (0, COMPARED, "")
    few = ("--records", "a, b", "--size", "= 1")
    assert run(capsys, "compare", "bounded", "unbounded", *few) == (0, NO_NEIGHBOURS, "")
    (found,) = run_json(capsys, "compare", "--json", "unbounded", "bounded")
    assert found["theorem"] == "GB:A.3"
    assert [(one["from"], one["to"], one["factor"], one["neighbours"]) for one in found["comparisons"]] == [
        ("unbounded", "bounded", "2", [["x"], ["y"]]),
        ("bounded", "unbounded", "oo", [["x"], []]),
    ]
    out = run(capsys, "compare", "bounded", "bounded", "--records", "a,b")[1]
    assert "d_bounded <= d_bounded: bounded e-DP implies bounded e-DP" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bounded", "edgy"), "there is no granularity 'edgy'; did you mean 'edge'?"),
        (
            ("bounded", "unbounded", "--size", "4"),
            '\'4\' is no size; use "any", "<= 4", "= 4", ">= 2" or "2..4"',
        ),
        (
            ("bounded", "unbounded", "--records", "a,,b"),
            "--records is a list such as a,b,c, without empty names",
        ),
        (("bounded", "unbounded", "--records", "a,a"), "record 'a' is listed twice"),
    ],
)
def test_what_cannot_be_compared(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "compare", *arguments)
    assert (status, out) == (2, "") and err.startswith(f"dpcompose: {message}")
    (found,) = run_json(capsys, "compare", "--json", *arguments)
    assert found["error"].startswith(message)


@pytest.mark.parametrize(
    ("given", "factors"),
    [
        (["unbounded", "bounded"], ["2*d_bounded", "for no m"]),
        (["bounded^3", "unbounded"], ["for no m", "6*d_group of 3 bounded"]),
        (["free-lunch", "bounded", "--size", "= 4"], ["<= d_bounded", "4*d_free-lunch"]),
        (["free-lunch", "unbounded"], ["<= d_unbounded", "for no m"]),
        (["bounded", "bounded^2", "--kind", "tuples"], ["2*d_group of 2 bounded", "<= d_bounded"]),
        (["event", "free-lunch", "--kind", "streams", "--size", "= 7"], ["7*d_free-lunch", "<= d_event"]),
    ],
)
def test_groups_tuples_and_streams_are_compared(
    given: list[str], factors: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, "compare", *given)
    assert status == 0
    forth, back = (line for line in out.splitlines() if line.startswith("d_"))
    assert factors[0] in forth and factors[1] in back


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["bounded^x", "bounded"], "a group is written bounded^3: 'x' is no number of steps"),
        (["event", "bounded"], "the granularity event has no meaning on multisets: it is about streams"),
        (["bounded", "bounded", "--kind", "maps"], "there is no kind 'maps'"),
        (["bounded", "bounded", "--kind", "graphs"], "the granularity bounded has no meaning on graphs"),
        (["edge", "node", "--kind", "graphs", "--records", "a"], "graphs have vertices and no records"),
        (["bounded^0", "bounded"], "a group counts 1 to 1,000 steps in all, not 0"),
    ],
)
def test_comparisons_that_have_no_meaning(
    given: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = run(capsys, "compare", *given)
    assert status == 2 and message in err


def test_a_narrow_encoding_shows_words_for_signs(tmp_path: Path) -> None:
    problem = tmp_path / "p.toml"
    problem.write_text(Path(FIRST).read_text().replace("The classical", "Zoë’s"), encoding="utf-8")
    code = (
        "from dpcompose.front import cli\n"
        "cli.main(['theorems', 'parallel-bounded'])\n"
        f"cli.main(['verify', {str(problem)!r}])"
    )
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, env=environment, capture_output=True, encoding="ascii", check=True)
    assert "as well (GB:V.5). QED" in done.stdout and "Zo\\xeb's parallel bound" in done.stdout


def test_what_a_membership_test_reaches(capsys: pytest.CaptureFixture[str]) -> None:
    at = "e1=log(3)/2,e2=log(3)/2,e3=1/9"
    status, out, _ = run(capsys, "bound", FIRST, "--membership", "--at", at)
    assert status == 0 and "advantage (their difference): 0.5\n" in out
    status, out, _ = run(capsys, "bound", FIRST, "--membership", "--json", "--at", at)
    assert json.loads(out)["membership"]["posterior"] == "0.75"
    status, _, err = run(capsys, "bound", FIRST, "--membership")
    assert status == 2 and "give e1, e2, e3 a value" in err
