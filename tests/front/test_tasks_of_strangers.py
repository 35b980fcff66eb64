"""What somebody types who has read the front page and nothing else; each of these once failed, or said too little."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import networkx
import pytest

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.documents import glossary
from dpcompose.privacy.finite.probabilities import WrongTable
from dpcompose.privacy.format import checks

pytestmark = pytest.mark.usefixtures("ward")
LINE = networkx.path_graph(5)
PROBLEMS = Path(__file__).resolve().parents[2] / "notebooks" / "problems"


# formulas


@pytest.mark.parametrize("claim", ["1+2e", "e1 e2", "max(e1 e2)", "epsilon=e1 e2"])
def test_a_claim_that_is_no_formula_is_the_users_mistake(claim: str, said: Any) -> None:
    status, told = said("verify", "ward.toml", "--claim", claim)
    assert status == 2 and "write * between" in told and "internal" not in told


def test_a_claim_that_is_no_formula_in_python() -> None:
    study, _ = dpc.load("ward.toml")
    with pytest.raises(ValueError, match=r"write \* between '2' and 'e'"):
        study.check("2e")
    with pytest.raises(ValueError, match=r"epsilon = 1 2: write \* between"):
        study.check(epsilon="1 2")


def test_a_claim_in_words_is_drawn(said: Any) -> None:
    drawn = said("draw", "ward.toml", "-o", "p.svg", "--claim", "max(e1, e2)")
    assert drawn[0] == 0 and "highlighted: adult and minor" in drawn[1]
    for claim, told in (("e1 + e2", "claim e1 + e2 is proved"), ("2", "there is no claim 2")):
        status, message = said("draw", "ward.toml", "-o", "p.svg", "--claim", claim)
        assert status == 2 and told in message


def test_a_claim_in_other_letters_names_those_that_there_are(said: Any) -> None:
    assert (
        "the claim's x is no parameter of the mechanisms; there is e1, e2"
        in said("verify", "ward.toml", "--claim", "x")[1]
    )
    for given in ("e", dpc.parameters("x y")[0]):
        with pytest.raises(TypeError, match=r"a formula in metrics is dpcompose\.in_metric"):
            dpc.mechanism("M", given)


# words


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("total", "`dpcompose budget FILE --total 1`"),
        ("ε", "ε-differential privacy"),
        ("multiset", "multisets (records may repeat)"),
        ("policies", 'replace = [["flu", "cold"]]'),
        ("privacy loss", "the logarithm of the ratio"),
        ("Group Privacy", "{ group = 3, of ="),
        ("record-wise partition", "'partition'? `dpcompose theorems record-wise partition` finds"),
    ],
)
def test_words_as_they_are_written_elsewhere(words: str, told: str, said: Any) -> None:
    assert told in " ".join(said("explain", *words.split())[1].split())


def test_what_is_shown_of_words_is_toml_or_python() -> None:
    """What stands behind `Write` in the glossary: lines of files are read, and Python runs."""
    for text in set(glossary.words().values()):
        written = text.partition(" Write ")[2].partition("; in Python ")
        for one in re.findall("`([^`]+)`", written[0]):
            if "=" in one or one.startswith("["):
                tomllib.loads(one)
        for one in re.findall(r"`(dpc\.[^`]+)`", written[2]):
            eval(one, {"dpc": dpc})
    assert set(checks.EXPLAINED) <= set(glossary.words())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            'query = "count"\nnoise = "laplace"',
            "not a text; `dpcompose explain noise` shows how it is written",
        ),
        ("policy = 1", "there is no key 'policy' here"),
        ("filter = 1", "not a number; `dpcompose explain filter` shows"),
        ("table = [[0.5, 0.5]]", "not a list; `dpcompose explain table` shows"),
        ('guarantee = { epsilon = "e" }', "missing; `dpcompose explain notion` shows"),
        (
            'guarantee = { notion = "pure", epsilon = "e", granularity = "bounded" }\ncount = 9',
            "; repeat = 100 makes a hundred",
        ),
    ],
)
def test_how_it_is_written_is_said(line: str, told: str, said: Any) -> None:
    head = '[databases]\nkind = "multisets"\n[target]\ngranularity = "bounded"\n[[mechanisms]]\nname = "M"\n'
    Path("own.toml").write_text(f"format = 1\n{head}{line}\n", encoding="utf-8")
    status, message = said("verify", "own.toml")
    assert status == 2 and told in message


def test_neighbours_by_a_policy_are_called_replace(said: Any) -> None:
    text = Path("ward.toml").read_text(encoding="utf-8")
    Path("own.toml").write_text(
        text + '[granularities.ill]\npolicy = [["minor", "adult"]]\n', encoding="utf-8"
    )
    assert "there is no key 'policy' here; did you mean 'replace'?" in said("verify", "own.toml")[1]


def test_tables_are_compared_on(said: Any) -> None:
    words = ("compare", "attribute", "bounded", "--kind", "tables", "--size", "= 3")
    assert "d_attribute <= 2*d_bounded" in said(*words)[1]


@pytest.mark.parametrize(("word", "told"), [("veify", "'veify'; did you mean 'verify'?"), ("zzz", "'zzz'\n")])
def test_a_command_by_a_near_name(word: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main([word, "ward.toml"])
    assert f"there is no command {told}" in capsys.readouterr().err


def test_words_that_are_no_page() -> None:
    with pytest.raises(KeyError, match=r"'optimal-composition'\? theorems\.search"):
        dpc.theorems["parallel composition"]


# what is handed in


def test_functions_and_tables_without_names_are_told_apart() -> None:
    half, odd = dict.fromkeys(range(5), 0) | {4: 1}, {n: n % 2 for n in range(5)}

    def study(first: Any, second: Any) -> dpc.Study:
        A = dpc.mechanism("A", dpc.pure("a", domain="common"), reads=first)
        return dpc.compose(A, dpc.mechanism("B", dpc.pure("b", domain="common"), reads=second), on=LINE)

    by_values, by_functions = study(half, odd), study(lambda n: n // 4, lambda n: n % 2)
    assert repr(by_values.guarantee()) == repr(by_functions.guarantee())
    assert "depends only on f_2(D)" in by_functions.guarantee().proof[1].words
    assert study(half, dict(half)).setting.mechanisms[1].reads.called == "f"
    assert repr(dpc.loads(by_values.to_toml())[0].guarantee()) == repr(by_values.guarantee())


coin = dpc.mechanism("coin", table=dpc.randomized_response_table("e"))


def test_a_table_shows_its_guarantee() -> None:
    T = dpc.probability_table({"a": ["1/2", "1/2"], "b": ["1/4", "3/4"], "c": ["1/8", "7/8"]}, ["yes", "no"])
    line = dpc.pairs("next", [("a", "b"), ("b", "c")])
    M = dpc.mechanism("M", table=T, processing="shown to the press")
    assert repr(M) == "M reads D and is a table of 3 databases and 2 outcomes"
    study = dpc.compose(M, on=["a", "b", "c"], target=line)
    assert repr(study.guarantee()) == "next log(2)-DP, by GB:IV.3; optimal"
    assert study.check("log(2)").proved and study.check("log(3/2)").refuted
    every = dpc.compose(M, dpc.mechanism("N", dpc.pure("e")), on=["a", "b", "c"], target="free-lunch")
    assert str(every.guarantee().epsilon) == "e + log(4)"
    assert str(dpc.compose(coin, on=[0, 1], target="free-lunch").guarantee().epsilon) == "e"
    with pytest.raises(TypeError, match="of families a table shows none"):
        dpc.mechanism("M", table=T, count=3)
    with pytest.raises(ValueError, match="there are infinitely many"):
        dpc.compose(M, on=dpc.multisets("a"), target="bounded")
    with pytest.raises(WrongTable, match="a row for each database, by its name"):
        dpc.probability_table([["1/2", "1/2"]])  # type: ignore[arg-type]


def test_a_table_of_inputs_shows_its_guarantee() -> None:
    flipped = dpc.mechanism(
        "M", table=dpc.randomized_response_table("e"), reads={n: n // 2 % 2 for n in LINE}
    )
    assert repr(dpc.compose(flipped, on=LINE).guarantee()) == "graph e-DP, by GB:IV.12; optimal"
    beside = dpc.mechanism("N", dpc.in_metric("f*d"))
    both = dpc.compose(coin, beside, on=[0, 1], metrics={"d": dpc.distances([(0, 1, 3)])})
    assert both.check("e + f*d").proved and both.check("f*d").refuted


def test_a_file_needs_no_guarantee_beside_a_table(said: Any) -> None:
    file = PROBLEMS / "255-known-by-their-tables.toml"
    assert "person (max(e, log(3)))-DP, by GB:IV.12; optimal" in said("verify", str(file))[1]
    text = file.read_text().replace('granularity = "person"', 'granularity = "free-lunch"')
    assert str(dpc.loads(text)[0].guarantee().epsilon) == "e + log(3)"


def test_a_claim_without_a_notion_is_in_that_of_the_mechanisms() -> None:
    text = Path("ward.toml").read_text()
    claimed = text.index("[[claims]]")
    silent = text[:claimed] + text[claimed:].replace('notion = "pure"\n', "")
    (_, (first, *_)), (_, (same, *_)) = dpc.loads(silent), dpc.loads(text)
    assert first == same and first.text["notion"] == "pure"
    with pytest.raises(ValueError, match=r"notion .*: this key is missing"):
        dpc.loads(silent.replace('notion = "pure"', 'notion = "zcdp"', 1).replace("epsilon", "rho", 1))


def test_a_graph_is_a_policy_without_a_name() -> None:
    ill = networkx.Graph([("flu", "cold")], name="ill")
    assert dpc.policy(ill) == dpc.policy("ill", [["flu", "cold"]])
    assert str(dpc.policy(networkx.Graph([("flu", "cold")]))) == "policy"


class Frame(dict[str, list[Any]]):
    """What of a data frame is read: its columns, and the values of the rows in each."""

    @property
    def columns(self) -> list[str]:
        return list(self)


def test_a_data_frame_is_what_is_composed_on() -> None:
    frame = Frame(age=[20, 30, 40], sex=["m", "f", "f"])
    some = [
        dpc.mechanism(name, dpc.pure(name, "attribute", "common"), reads=dpc.columns(name)) for name in frame
    ]
    study = dpc.compose(*some, on=frame, target="attribute")
    assert str(study.guarantee().epsilon) == "max(age, sex)"
    by_records = dpc.mechanism("M", dpc.pure("e", domain="own"), reads=["age"])
    with pytest.raises(ValueError, match=r'have none; attributes = \["age"\] are read there'):
        dpc.compose(by_records, on=frame, target="attribute")


def test_neighbours_and_theorems_by_their_short_names() -> None:
    D = dpc.multisets("ab", "<= 1")
    assert set(dpc.neighbourhood_graph(D, "bounded").edges) == {(("a",), ("b",))}
    study, _ = dpc.load("ward.toml")
    assert study.theorems()["IV.13"].best and study.theorems()["GB:IV.13"].best


def test_a_count_is_a_word() -> None:
    M = dpc.mechanism("M", query="count", noise=dpc.laplace("1/e"))
    assert dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("1/e")) == M


def test_a_refutation_has_small_numbers() -> None:
    some = {"count": dpc.count, "histogram": dpc.histogram(3)}
    noise = {"count": dpc.laplace(1), "histogram": dpc.laplace("1/e")}
    M = [dpc.mechanism(name, query=query, noise=noise[name]) for name, query in some.items()]
    ages = dpc.compose(*M, on=dpc.multisets(), target="bounded")
    assert ages.check("1 + e").counterexample.point == ages.check("2").counterexample.point == {"e": 2}
    line, claims = dpc.load(PROBLEMS / "73-no-bound-without-clipping.toml")
    assert "D = (x = 1000), D' = (x = 0)" in repr(line.check(claims[0]))


# what is handed out


def test_a_paper_is_no_wall_of_text() -> None:
    study, _ = dpc.load("ward.toml")
    paper = study.paper()
    assert repr(paper) == "a theorem with its proof (results used: 5, sources: 1), for .write('proof.tex')"
    assert str(paper) == paper.proof and paper.proof.startswith(r"\begin{theorem}")


def test_a_verdict_has_the_proof_of_what_is_right() -> None:
    study, _ = dpc.load("ward.toml")
    assert str(study.check("max(e1, e2)").proof) == str(study.guarantee().proof)
