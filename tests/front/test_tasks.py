"""Fifteen tasks as somebody types them who has read the front page: in Python, and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import pytest
import sympy

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.kernel.check import Refused


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ward(target: str = "bounded", *more: str) -> None:
    """A file that `dpcompose init` writes: two mechanisms on disjoint parts."""
    given = ["--records", "minor,adult", "--parts", "minor | adult", "--neighbors", target, *more]
    assert cli.main(["init", "ward.toml", *given]) == 0


def claiming(formula: str) -> None:
    text = Path("ward.toml").read_text(encoding="utf-8").replace('"e1 + e2"', f'"{formula}"')
    Path("ward.toml").write_text(text, encoding="utf-8")


def study(target: str = "bounded") -> dpc.Study:
    M1 = dpc.mechanism("M1", dpc.pure("e1"), reads={"minor"}, domain="common")
    M2 = dpc.mechanism("M2", dpc.pure("e2", domain="common"), reads={"adult"})
    return dpc.compose([M1, M2], on=dpc.multisets({"minor", "adult"}), target=target)


# 1: a count and a histogram by age, under replacement


def test_the_total_of_a_count_and_a_histogram() -> None:
    count = dpc.mechanism("count", query=dpc.count, noise=dpc.laplace("1/e1"))
    ages = dpc.mechanism("ages", query=dpc.histogram(2), noise=dpc.laplace("2/e2"))
    found = dpc.compose(count, ages, on=dpc.multisets(), target="bounded")
    assert repr(found.guarantee()) == "bounded e2-DP, by GB:IV.1; optimal"
    assert found.guarantee().at(e1=1, e2="1/2") == {"epsilon": sympy.Rational(1, 2)}
    people = dpc.multisets(attributes={"age": ["young", "old"], "sex": ["m", "f"]})
    by_age = dpc.mechanism("M", dpc.pure("e", domain="own"), reads=dpc.columns("age"))
    assert repr(dpc.compose(by_age, on=people, target="bounded").guarantee()).startswith("bounded e-DP")


@pytest.mark.parametrize(
    "given, message",
    [
        ({"query": "counts"}, "asks for 'counts'; did you mean 'count'"),
        ({"query": len}, "asks for 'len'.*sensitivity"),
        ({"query": dpc.count, "sensitivity": 1}, "of which it follows"),
        ({"sensitivity": 1}, "a query of your own"),
        ({"query": dpc.count, "noise": dpc.gaussian(1)}, "normal noise is dpcompose.gaussian_noise"),
        ({"query": dpc.count, "noise": None}, "it needs both"),
    ],
)
def test_queries_that_are_none(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        dpc.mechanism("M", **({"noise": dpc.laplace(1)} | given))


def test_bins_by_name_are_a_number() -> None:
    with pytest.raises(ValueError, match=r"say how many, as in histogram\(2\)"):
        dpc.histogram(["young", "old"])  # type: ignore[arg-type]


# 2: is my bound right, and the proof as LaTeX


def test_a_bound_and_its_proof() -> None:
    found = study("unbounded").check("max(e1, e2)")
    assert found.proved and r"\end{document}" in found.to_latex()
    ward("unbounded")
    claiming("max(e1, e2)")
    assert cli.main(["verify", "ward.toml", "--latex", "proof.tex"]) == 0
    assert "the composition is unbounded" in Path("proof.tex").read_text(encoding="utf-8")


# 3: my neighbours


def test_my_neighbours_are_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    D = dpc.multisets({"a", "b"}, size="<= 1")
    assert dpc.draw(D, "bounded").alt == "neighbourhood graph of 3 databases and 1 neighbouring pairs"
    with pytest.raises(TypeError, match=r"draw\(\.\.\.\)\.save\('p\.svg'\)"):
        dpc.draw(study(), "p.svg")
    ward()
    capsys.readouterr()
    assert cli.main(["draw", "ward.toml", "-o", "p.svg", "--size", "<= 1"]) == 0
    assert capsys.readouterr().out.startswith("p.svg: neighbourhood graph of 3 databases")


def test_a_dot_file_says_what_it_shows_and_has_distances(capsys: pytest.CaptureFixture[str]) -> None:
    ward("unbounded")
    capsys.readouterr()
    assert cli.main(["draw", "ward.toml", "-o", "p.dot", "--from", "minor", "--size", "<= 1"]) == 0
    assert "shaded by the distance from minor, up to 2" in capsys.readouterr().out
    text = Path("p.dot").read_text(encoding="utf-8")
    assert '"adult" [shape=box, label="adult (2)", style=filled, fillcolor="#a6a6a6"];' in text


# 4: a budget over three disjoint parts


def test_a_budget_is_split(capsys: pytest.CaptureFixture[str]) -> None:
    parts = [dpc.mechanism(x, dpc.pure(f"e_{x}", domain="common"), reads={x}) for x in "abc"]
    found = dpc.compose(*parts, on=dpc.multisets({"a", "b", "c"}), target="bounded").budget(1)
    half = sympy.Rational(1, 2)
    assert found["e_a"] == half and dict(found) == {"e_a": half, "e_b": half, "e_c": half}
    assert cli.main(["init", "three.toml", "--target", "bounded"]) == 0
    assert cli.main(["budget", "three.toml", "--total", "1"]) == 0
    assert "  e3 = 1/2 = 0.5\n" in capsys.readouterr().out


def test_what_does_not_matter_to_a_budget_is_said() -> None:
    count = dpc.mechanism("count", query=dpc.count, noise=dpc.laplace("1/e1"))
    other = dpc.mechanism("other", dpc.pure("e2"))
    found = dpc.compose(count, other, on=dpc.multisets(), target="bounded").budget(1)
    assert "e1 may be anything: the guarantee does not depend on it" in str(found)


@pytest.mark.parametrize("call", ["budget", "at", "curve"])
def test_values_are_by_name(call: str) -> None:
    calls = {
        "budget": lambda: study().budget(1, weights=[2, 1]),
        "at": lambda: study().guarantee().at(1),
        "curve": lambda: study().curve(1),
    }
    with pytest.raises(ValueError, match=r'values are by name, such as \{"e1": "1/2"\}'):
        calls[call]()


# 5: citing


@pytest.mark.parametrize("name", ["GB:IV.12", "IV.12", "gb:iv.12", "disjoint-common-domain"])
def test_a_theorem_by_its_number(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dpc.theorems[name].id == "disjoint-common-domain" and name in dpc.theorems
    assert cli.main(["theorems", name]) == 0
    assert capsys.readouterr().out.startswith("# Best bound for disjoint inputs, common domain")


def test_a_proof_cites() -> None:
    assert study("unbounded").guarantee().theorem == "GB:IV.12"
    assert r"\bibitem{GB}" in study("unbounded").to_latex()


# 6: a networkx graph


def test_a_graph_of_databases() -> None:
    ring = networkx.cycle_graph(5)
    assert dpc.canonical_metric(ring)(0, 2) == 2
    M = dpc.mechanism("M", dpc.pure("e"))
    part = dpc.mechanism("P", dpc.pure("f"), reads={0: "a", 1: "a", 2: "b", 3: "b", 4: "b"}, domain="common")
    found = dpc.compose(M, part, on=ring)
    assert found.guarantee().epsilon == sum(dpc.parameters("e f")) and found.check("max(e, f)").refuted


# 7: a metric as a guarantee on two parts


def test_a_metric_on_two_parts() -> None:
    x, y = dpc.databases("x y")
    e, f = dpc.parameters("e f")
    D = dpc.multisets({"a", "b"})
    d = dpc.canonical_metric(D, dpc.unbounded)
    A = dpc.mechanism("A", e * d(x, y), reads={"a"}, domain="own")
    B = dpc.mechanism("B", f * d(x, y), reads={"b"}, domain="own")
    found = dpc.compose(A, B, on=D, target="unbounded")
    assert found.check(sympy.Max(e, f) * d(x, y)).proved
    assert found.check(sympy.Max(e, f)).proved, "a claim in no metric is about the target"
    assert found.check("e").refuted
    replaced = dpc.compose(A, B, on=D, target="bounded")
    assert replaced.check("e + f").proved and replaced.check("max(e, f)").refuted
    assert dpc.compose(A, B, on=D).check("e + f").refuted, "without a target it is about any two"


def test_neighbours_of_a_study_in_metrics_have_near_names() -> None:
    with pytest.raises(ValueError, match="there is no granularity 'replace-one'; did you mean 'bounded'"):
        dpc.compose(
            dpc.mechanism("M", dpc.in_metric("d_unbounded")), on=dpc.multisets(), target="replace-one"
        )


# 8: a query of my own


def test_a_query_of_ones_own() -> None:
    def longest(stays: object) -> int:
        return 0

    M = dpc.mechanism("M", query=longest, sensitivity=3, noise=dpc.laplace("s"))
    found = dpc.compose(M, on=dpc.multisets(), target="bounded")
    assert found.check("3/s").proved and found.check("2/s").refuted
    assert repr(M) == repr(dpc.mechanism("M", query=dpc.query(longest, 3), noise=dpc.laplace("s")))


# 9: a counterexample


def test_a_counterexample_is_evaluated_sampled_and_plotted() -> None:
    found = study().check("max(e1, e2)")
    assert not found and found.counterexample is not None
    assert found.counterexample.loss == 2
    outputs = found.counterexample.outputs
    assert sum(one.loss for one in outputs) == 2
    assert set(outputs[0].sample("D'", 20, seed=1)) <= set(outputs[0].at_D)
    alt = "probability of the outcomes at D = {adult} and D' = {minor}: M1 loses 1, M2 loses 1"
    assert dpc.outcome_bars(found).alt == alt
    with pytest.raises(ValueError, match="no mechanisms with single outcomes"):
        dpc.outcome_bars(study().check("e1 + e2"))
    with pytest.raises(TypeError, match=r"outcome_bars\(verdict\)"):
        dpc.draw(found)  # type: ignore[arg-type]


# 10: which theorem


def test_which_theorem_gives_the_maximum(capsys: pytest.CaptureFixture[str]) -> None:
    some = dpc.theorems.search("which theorem says that disjoint parts cost the maximum")
    assert "GB:IV.12" in [item for one in some for item in one.items]
    fit = dpc.theorems["IV.12"].check(study())
    assert not fit and "D = {adult} and E = {minor} are neighbours" in repr(fit)
    assert dpc.theorems["IV.12"].check(study("unbounded"))
    with pytest.raises(KeyError, match=r"theorems\.search\('disjoint'\) finds"):
        dpc.theorems["disjoint"]
    ward()
    capsys.readouterr()
    assert cli.main(["theorems", "disjoint", "maximum"]) == 0
    assert "disjoint-common-domain" in capsys.readouterr().out
    assert cli.main(["theorems", "IV.12", "--for", "ward.toml"]) == 0
    assert [row[:2] for row in capsys.readouterr().out.splitlines()].count("- ") == 1
    assert cli.main(["theorems", "pure", "--for", "ward.toml"]) == 2
    assert cli.main(["explain", "disjoint"]) == 2
    assert "`dpcompose theorems disjoint` finds" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["Laplace", "dp-sgd", "histogram", "IV.12"])
def test_words_that_are_looked_up(word: str) -> None:
    assert cli.main(["explain", word]) == 0


# 11: many files in a script


def test_many_files_in_a_script(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ward()
    for n in range(4):
        (folder / f"n{n}.toml").write_text(Path("ward.toml").read_text(encoding="utf-8"), encoding="utf-8")
    capsys.readouterr()
    assert cli.main(["verify", "--quiet", "."]) == 0
    assert capsys.readouterr().out == "5 files: 5 claims proved\n"
    claiming("max(e1, e2)")
    assert cli.main(["verify", "-q", str(folder)]) == 1
    told = capsys.readouterr().out
    assert told.count("REFUTED") == 1 and "PROVED" not in told
    assert told.endswith("5 files: 4 claims proved, 1 refuted\n")


# 12: k mechanisms


@pytest.mark.parametrize(
    "count", ["k", sympy.Symbol("k", integer=True, positive=True)], ids=["text", "symbol"]
)
@pytest.mark.parametrize("more", [{}, {"parameters": {"k": "integer >= 2"}}], ids=["unsaid", "said"])
def test_any_number_of_mechanisms(count: Any, more: dict[str, Any]) -> None:
    M = dpc.mechanism("M", dpc.pure("e"), count=count)
    found = dpc.compose(M, on=dpc.multisets(), target="bounded", **more)
    assert found.check("k*e").proved and found.check("sqrt(k)*e").refuted
    assert found.check(sympy.Symbol("k") * sympy.Symbol("e")).proved
    family = dpc.mechanism("M", dpc.pure("e[i]"), count=count)
    found = dpc.compose(family, on=dpc.multisets(), target="bounded", **more)
    assert found.check("sum(e[i], i, 1, k)").proved and found.check("k*max(e[i], i, 1, k)").proved


def test_a_number_of_mechanisms_that_is_said_not_to_be_whole() -> None:
    M = dpc.mechanism("M", dpc.pure("e"), count="k")
    with pytest.raises(ValueError, match="the number of mechanisms is a parameter of whole values"):
        dpc.compose(M, on=dpc.multisets(), target="bounded", parameters={"k": "positive"})


def test_a_text_means_what_another_symbol_says() -> None:
    """It was simplified for positive letters, so that only such may be meant: sqrt(x**2) is x for these."""
    delta = sympy.Symbol("d", integer=True, positive=True)
    one, two = dpc.mechanism("M", dpc.pure("d")), dpc.mechanism("N", dpc.pure(delta))
    assert dpc.compose(one, two, on=dpc.multisets(), target="bounded").check("2*d").proved
    root = dpc.mechanism("N", dpc.pure("sqrt(x**2)"))
    for other in (sympy.Symbol("x", real=True), sympy.Symbol("x"), sympy.Symbol("x", nonnegative=True)):
        said = {"parameters": {"x": "real"}} if other == sympy.Symbol("x") else {}
        whole = dpc.compose(
            dpc.mechanism("M", dpc.pure(abs(other))), root, on=dpc.multisets(), target="bounded", **said
        )
        assert whole.guarantee().at(x=3)["epsilon"] == 6


def test_values_of_letters_in_texts_are_said_beside_them() -> None:
    def one(text: str, domain: str) -> dpc.Study:
        M = dpc.mechanism("M", dpc.pure(text))
        return dpc.compose(M, on=dpc.multisets(), target="bounded", parameters={"x": domain})

    assert one("exp(x)", "real").check("exp(x)").proved and one("exp(x)", "real").check("1 + x").refuted
    assert one("sqrt(x**2)", "real").check("x").refuted and one("x", "nonnegative").check("x").proved
    with pytest.raises(ValueError, match="must be at least 0 for all allowed values, but it is -1 at x = -1"):
        one("x", "real").guarantee()
    M = dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("sqrt(x**2)"))
    with pytest.raises(ValueError, match="other assumptions than the parameter x, which is real"):
        dpc.compose(M, on=dpc.multisets(), target="bounded", parameters={"x": "real"})


def test_copies_of_a_mechanism_are_counted() -> None:
    with pytest.raises(
        ValueError, match="two mechanisms are called 'M'; k that are alike are one with count"
    ):
        dpc.compose([dpc.mechanism("M", dpc.pure("e"))] * 2, on=dpc.multisets(), target="bounded")


# 13: delta at an epsilon


def test_delta_of_a_hundred_gaussian_mechanisms() -> None:
    M = dpc.mechanism("M", query=dpc.count, noise=dpc.gaussian_noise(10), count=100)
    found = dpc.compose(M, on=dpc.multisets(), target="unbounded")
    assert repr(found.curve(epsilon=1)) == "between 0.1269367 and 0.1269368"
    assert repr(found.curve(delta="1e-5")) == repr(found.curve().epsilon("1e-5"))
    with pytest.raises(TypeError, match="not for both"):
        found.curve(epsilon=1, delta="1e-5")


# 14: training


def test_training_with_samples() -> None:
    step = dpc.mechanism(
        "step", dpc.approximate("1/10", "1e-8"), count=1000, sampled=dpc.poisson_sample("1/100")
    )
    found = dpc.compose(step, on=dpc.multisets(), target="unbounded")
    assert found.check(dpc.approximate(3, 1e-5)).proved
    noisy = {"query": dpc.vector_sum("c"), "noise": dpc.gaussian_noise("c")}
    with pytest.raises(ValueError, match="in place of a query and noise say what it satisfies on samples"):
        dpc.mechanism("step", sampled=dpc.poisson_sample("s"), **noisy)


# 15: a saved derivation, and back


def test_a_saved_derivation_is_checked_again(capsys: pytest.CaptureFixture[str]) -> None:
    found = study()
    found.save("proof.json", [found.check("max(e1, e2)"), found.check("e1 + e2")])
    again = dpc.recheck("proof.json")
    assert again.verdicts == ("refuted", "proved") and again.said == "(e1 + e2)-DP; optimal"
    assert "claim 1 refuted; claim 2 proved; believed: M1, M2" in repr(again)
    assert cli.main(["recheck", "proof.json"]) == 0
    Path("forged.json").write_text(Path("proof.json").read_text().replace("e1", "e3"), encoding="utf-8")
    with pytest.raises(Refused):
        dpc.recheck("forged.json")
    Path("text.json").write_text("text", encoding="utf-8")
    with pytest.raises(Refused, match="no JSON"):
        dpc.recheck("text.json")
    setting = json.loads(found.to_json())
    assert repr(dpc.loads(json.dumps(setting))[0].guarantee()) == repr(found.guarantee())


# options that are guessed


@pytest.mark.parametrize(
    "words, message",
    [
        ("bound ward.toml --latex p.tex", "there is no option --latex; `dpcompose verify` has it"),
        ("verify ward.toml --quite", "there is no option --quite; did you mean '--quiet'?"),
        ("verify ward.toml --zzz", "there is no option --zzz\n"),
        ("budget ward.toml 1 --total 1", "'1' is one too many; what has spaces in it is written in quotes"),
    ],
)
def test_options_that_are_guessed(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(words.split())
    assert stopped.value.code == 2 and message in capsys.readouterr().err
