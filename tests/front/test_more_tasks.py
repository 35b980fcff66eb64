"""Ten more tasks as somebody types them who has read the front page: in Python, and on the command line."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import networkx
import pytest
import sympy

import dpcompose as dpc
from dpcompose.front.numbers.numbers import WrongValue
from dpcompose.privacy.problems import ProblemError

pytestmark = pytest.mark.usefixtures("ward")


def of_noise() -> dpc.Study:
    """A histogram and a count, each with normal noise."""
    some = [
        dpc.mechanism(name, query=query, noise=dpc.gaussian_noise("sigma"))
        for name, query in (("histogram", dpc.histogram(10)), ("count", dpc.count))
    ]
    return dpc.compose(*some, on=dpc.multisets(), target="unbounded")


# 1: a researcher has a bound in another notion than that of the mechanisms


def test_a_bound_by_its_parameters() -> None:
    study, sigma = of_noise(), sympy.Symbol("sigma", positive=True)
    assert study.check(rho=1 / sigma**2).proved and study.check(rho="1/(2*sigma**2)").refuted
    assert study.check(1 / sigma**2, notion="zcdp").proved and study.check(mu="sqrt(2)/sigma").proved
    found = study.check(epsilon=1, delta=1e-5)
    assert (
        found.refuted and study.check(1, delta=1e-5).refuted and study.check(dpc.approximate(1, 1e-5)).refuted
    )
    renyi = dpc.compose(dpc.mechanism("M", dpc.renyi("alpha*r")), on=dpc.multisets(), target="bounded")
    assert renyi.check(epsilon="8*r", orders=8).proved and renyi.check(epsilon="7*r", orders=8).refuted


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda one: one.check(), TypeError, "say a guarantee, the value of one, or its parameters"),
        (lambda one: one.check("e", epsilon="e"), TypeError, "say a guarantee"),
        (lambda one: one.check(rho=1, mu=1), WrongValue, "a guarantee is .*epsilon=.*not rho=1,mu=1"),
        (
            lambda one: one.check("e", notion="rdp"),
            ValueError,
            "there is no notion 'rdp'; did you mean 'renyi'",
        ),
        (lambda one: one.guarantee("zcd"), ValueError, "there is no notion 'zcd'; did you mean 'zcdp'"),
        (lambda one: one.budget(), TypeError, "say a guarantee"),
    ],
)
def test_what_names_no_guarantee(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(of_noise())


def test_a_bound_on_the_command_line(said: Any) -> None:
    status, told = said(
        "verify", "ward.toml", "--claim", "max(e1, e2)", "--claim", "epsilon=e1+e2,delta=1e-6"
    )
    assert status == 1 and "claim 1: epsilon = max(e1, e2)\n  REFUTED" in told
    assert "claim 2: epsilon = e1 + e2, delta = 1/1000000\n  PROVED, loose" in told
    assert said("verify", "-q", "ward.toml", "--claim", "rho=(e1+e2)**2/2") == (0, "1 file: 1 claim proved\n")
    status, told = said("verify", "ward.toml", "--claim", "zz")
    assert status == 2 and "the claim's zz is no parameter" in told
    status, told = said("verify", "ward.toml", "--claim", "1", "--sarif", "out.sarif")
    assert status == 2 and not Path("out.sarif").exists()


def test_the_best_guarantee_in_another_notion(said: Any) -> None:
    status, told = said("bound", "ward.toml", "--notion", "zcdp")
    assert status == 0 and "-zCDP, by parallel-bounded" in told
    status, told = said("bound", "ward.toml", "--notion", "zcdp", "--json")
    assert json.loads(told)["guarantee"]["notion"] == "zcdp" and "metric" not in json.loads(told)
    status, told = said("bound", "ward.toml", "--notion", "rdp")
    assert status == 2 and "did you mean 'renyi'?" in told


# 2: an engineer splits a budget with a delta


def test_a_budget_with_a_delta() -> None:
    found = of_noise().budget(epsilon=1, delta="1e-5")
    assert str(found) == str(of_noise().budget(dpc.approximate(1, "1e-5")))
    assert of_noise().check(epsilon=1, delta="1e-5").refuted
    assert of_noise().guarantee().at(found).keys() == {"mu"}


# 3: a researcher has distances on a map of roads


def test_a_map_of_roads() -> None:
    roads = networkx.Graph([("home", "shop", {"weight": 0.5}), ("shop", "work", {"weight": 2})])
    M = [dpc.mechanism(name, dpc.in_metric(f"{name}*d")) for name in ("a", "b")]
    study = dpc.compose(*M, on=roads, metrics={"d": dpc.distances(roads)})
    assert study.check("(a + b)*d").proved
    found = study.check("max(a, b)*d")
    assert found.refuted and found.counterexample is not None
    two = {*found.counterexample.D.values(), *found.counterexample.E.values()}
    assert len(two) == 2 and two <= set(roads)


# 4: places within a distance: what is claimed in no metric is about these


@pytest.mark.parametrize("norm, factor", [("L1", 1), ("L2", 1)])
def test_a_claim_in_no_metric_is_about_the_target(norm: str, factor: int) -> None:
    """It was read as one about any two points, and refuted."""
    M, metrics = dpc.mechanism("M", dpc.in_metric(f"e*{norm}")), {norm: dpc.norm(norm)}
    near = dpc.compose(M, on=dpc.points("x y"), metrics=metrics, target=dpc.within("r", norm))
    assert near.check("e*r").proved and near.check("e*r/2").refuted and near.check(f"e*{norm}").proved
    counted = dpc.compose(M, on=dpc.points("x y"), metrics=metrics, target=norm)
    assert counted.check("e").proved and counted.check("e/2").refuted and counted.check(f"e*{norm}").proved
    anywhere = dpc.compose(M, on=dpc.points("x y"), metrics=metrics)
    assert anywhere.check("e").refuted, "without a target it is about any two"
    concentrated = dpc.mechanism("M", dpc.in_metric(f"s*{norm}", "zcdp"))
    near = dpc.compose(concentrated, on=dpc.points("x y"), metrics=metrics, target=dpc.within("r", norm))
    assert near.check("s**2*r**2").proved and near.check("s**2*r**2/2").refuted


# 5: a lecturer shows a table of probabilities


def test_a_table_in_a_lecture() -> None:
    T = dpc.probability_table({"yes": ["3/4", "1/4"], "no": ["1/4", "3/4"]}, ["y", "n"])
    far = networkx.Graph([("yes", "no")])
    assert T.loss("free-lunch").term == T.loss(dpc.free_lunch).term == T.loss(far).term
    assert T.check(dpc.pure("log(3)", "free-lunch")).holds and not T.check(dpc.pure("log(2)", far)).holds
    M = dpc.mechanism("M", dpc.pure(T.loss(far).term), table=T)
    study = dpc.compose(M, on=["yes", "no"], target=far)
    assert study.check("log(3)").proved and study.check("log(2)").refuted
    for call, message in (
        (lambda: dpc.mechanism("M"), r"needs a guarantee \(satisfies\)"),
        (lambda: dpc.mechanism("M", T), r"probabilities are said beside it, table="),
        (lambda: T.check("log(3)"), "a guarantee is such as"),
        (lambda: dpc.mechanism(dpc.pure("e")), "a mechanism's name is a text"),
    ):
        with pytest.raises(TypeError, match=message):
            call()


# 6: a data frame is a class of records


class Frame(dict[str, list[Any]]):
    """What of a data frame is read."""

    @property
    def columns(self) -> list[str]:
        return list(self)


def test_a_data_frame_says_what_records_are() -> None:
    frame = Frame(age=["young", "old", "young"], ill=[0, 1, 1])
    said = {"age": ["young", "old"], "ill": ["0", "1"]}
    assert dpc.multisets(frame) == dpc.multisets(attributes=frame) == dpc.multisets(attributes=said)
    assert dpc.sets(frame) == dpc.sets(attributes=said)
    M = dpc.mechanism("M", dpc.pure("e", domain="own"), reads=dpc.columns("age"))
    assert dpc.compose(M, on=dpc.multisets(frame), target="unbounded").check("e").proved
    with pytest.raises(ValueError, match="leave out the one or the other"):
        dpc.multisets(frame, attributes=said)
    with pytest.raises(TypeError, match=r'records are listed, .* not 3; size = "= 3" says how many'):
        dpc.tuples(3)  # type: ignore[arg-type]


# 7: a student looks for a theorem


@pytest.mark.parametrize(
    "words, page",
    [
        ("group privacy", "group-metric"),
        ("parallel composition", "parallel-bounded"),
        ("disjoint parts cost the maximum", "disjoint-own-domain"),
        ("optimal composition", "optimal-composition"),
        ("post-processing", "post-processing"),
        ("histogram", "histogram"),
    ],
)
def test_theorems_are_found_by_what_they_are_called(words: str, page: str, said: Any) -> None:
    assert page in [one.id for one in dpc.theorems.search(words)[:5]]
    status, told = said("theorems", *words.split())
    assert status == 0 and page in told


# 8: somebody writes a file for the first time, and errs in all of it


def test_a_first_file() -> None:
    text = Path("ward.toml").read_text(encoding="utf-8")
    for right, wrong in (
        ('notion = "pure"', 'notion = "dp"'),
        ("minor", "minors"),
        ('granularity = "bounded"', 'granularity = "replace"'),
    ):
        text = text.replace(right, wrong, 1)
    with pytest.raises(ProblemError) as caught:
        dpc.loads(text + '[[claims]]\nnotion = "pure"\nepsilon = "max(e1, e3"\n')
    told = str(caught.value)
    assert "did you mean 'pure'?" in told and "did you mean 'bounded'?" in told
    assert "this ( is never closed" in told and tomllib.loads(text)


# 9: a researcher computes with a counterexample


def test_a_counterexample_has_two_databases() -> None:
    parts = [dpc.mechanism(x, dpc.pure(f"e_{x}", domain="common"), reads={x}) for x in "ab"]
    found = dpc.compose(*parts, on=dpc.multisets({"a", "b"}), target="bounded").check("max(e_a, e_b)")
    assert found.counterexample is not None
    D, E = found.counterexample.D, found.counterexample.E
    assert (D, E) == found.counterexample.pair == (("a",), ("b",))
    assert dpc.canonical_metric(dpc.multisets({"a", "b"}), dpc.bounded)(D, E) == 1


# 10: somebody types the name of the command alone


def test_the_command_alone_says_what_there_is(said: Any) -> None:
    status, told = said()
    assert status == 0 and "verify" in told and "dpcompose init" in told


# everything that is handed out is mathematics in sympy.latex, and in a notebook


def test_everything_shows_itself_in_latex() -> None:
    parts = [dpc.mechanism(x, dpc.pure(f"e_{x}", domain="common"), reads={x}) for x in "ab"]
    study = dpc.compose(*parts, on=dpc.multisets({"a", "b"}), target="bounded")
    answer, at = study.check("max(e_a, e_b)"), {"e_a": 1, "e_b": 1}
    guarantee, table = study.guarantee(), dpc.randomized_response_table("e")
    assert answer.counterexample is not None
    for one in (
        *(study, answer, answer.counterexample, answer.counterexample.outputs[0], study.setting, *parts),
        *(guarantee, guarantee.proof, guarantee.proof[3], study.theorems(), study.theorems()[0]),
        *(study.budget(1), study.curve(at=at), study.curve(at=at, epsilon=1), guarantee.membership(at)),
        *(dpc.theorems["IV.13"], dpc.theorems["IV.13"].check(study), dpc.bounded, dpc.multisets(), table),
        *(table.loss("free-lunch"), dpc.in_metric("e*L2"), dpc.points("x y"), dpc.laplace("b"), dpc.count),
    ):
        shown = sympy.latex(one)
        assert "mathtt" not in shown and shown.count("{") == shown.count("}"), type(one)
        assert hasattr(one, "_repr_html_") and " object at 0x" not in repr(one), type(one)
    assert r"} r_{1} + \varepsilon_{" in sympy.latex(guarantee.proof[3])


@pytest.mark.parametrize(
    "given, message",
    [
        ({"satisfies": dpc.pure("e"), "reads": "everthing"}, "did you mean 'everything'"),
        ({"query": "median", "noise": dpc.laplace(1)}, "did you mean 'mean'"),
        ({"query": "average", "noise": dpc.laplace(1)}, "did you mean 'mean'"),
        ({"query": "histgram", "noise": dpc.laplace(1)}, "did you mean 'histogram'"),
    ],
)
def test_words_that_are_nearly_right_in_python(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        dpc.mechanism("M", **given)
