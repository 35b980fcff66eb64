"""Studies in Python: what is meant is what is decided, and misuse is told in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import rechecks
import sympy

import dpcompose as dpc
from dpcompose.front.numbers.numbers import WrongValue
from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.privacy import problems
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.moves.granularities import Granularity

(e1,) = dpc.parameters("e1:2")
(x,) = dpc.parameters("x", "real")
D = dpc.multisets({"a", "b"})


def one(epsilon: object, **more: Any) -> Study:
    return dpc.compose(
        dpc.mechanism("M", satisfies=dpc.pure(epsilon, dpc.bounded)), on=D, target=dpc.bounded, **more
    )


def test_a_claim_is_about_the_target() -> None:
    with pytest.raises(
        InvalidSetting, match="a claim is about the composition and its target, bounded neighbours"
    ):
        one(e1).check(dpc.pure(e1, dpc.unbounded))
    with pytest.raises(InvalidSetting, match="no granularity or domain of its own"):
        one(e1).check(dpc.pure(e1, domain="own"))
    assert one(e1).check(dpc.pure(e1, dpc.bounded)).verdict == "proved"


def test_texts_are_not_read_with_other_signs_than_the_parameters_have() -> None:
    """sympy makes sqrt(x**2) into x where x is positive, before anybody can say that it is not."""
    study = one(sympy.Abs(x))
    assert study.check(dpc.pure(sympy.sqrt(x**2))).verdict == "proved"
    for claim, verdict in (
        ("sqrt(x**2)", "proved"),
        ("x", "refuted"),
        ("2*abs(x) + x - sqrt(x**2)", "refuted"),
    ):
        assert study.check(dpc.pure(claim)).verdict == verdict, claim  # x = -1
    at_least = one("max(abs(x), 1)", parameters={"x": "real"})
    answers = [at_least.check(dpc.pure(claim)).verdict for claim in ("max(sqrt(x**2), 1)", "max(x, 1)")]
    assert answers == ["proved", "refuted"]  # x = -2
    with pytest.raises(InvalidSetting, match="other assumptions"):
        study.check(dpc.pure(sympy.Abs(sympy.Symbol("x", negative=True))))


UNDEFINED = """\
format = 1
[parameters]
x = "real"
y = "nonnegative"
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
guarantee = { notion = "pure", epsilon = "e1 + y", granularity = "bounded" }
[[claims]]
notion = "pure"
epsilon = "%s"
"""


@pytest.mark.parametrize(
    "claim",
    [
        "e1 + y + 0*log(x)",
        "e1 + y + log(x) - log(x)",
        "(e1 + y)*x/x",
        "(e1 + y)*(x - 1)/(x - 1)",
        "e1 + y + max(0, 0*sqrt(x - 1))",
        "e1 + y + exp(log(x)) - x",
        "e1*y/y + y",
        "e1/2 + 0/x",
        "e1/2 + log(e1 - 1) - log(e1 - 1)",
        "e1 + y + x**0.5 - x**0.5",
    ],
)
def test_a_claim_without_a_value_somewhere_stays_undecided(claim: str) -> None:
    """Also where what has no value cancels; and a forged verdict on it is refused."""
    problem = problems.read_text(UNDEFINED % claim)
    study = Study(problem.setting)
    verdict = study.check(problem.claims[0])
    assert verdict.verdict == "undecided" and "is not known to be" in verdict.reason
    saved = rechecks.saved(study, [verdict])
    assert rechecks.check(saved, study.theory).verdicts == ("undecided",)
    del saved["claims"][0]["reason"]
    for step in range(1, len(saved["derivation"]["steps"]) + 1):
        saved["claims"][0] |= {"verdict": "proved", "step": step}
        with pytest.raises(Refused, match="claim 1 is not shown to be proved"):
            rechecks.check(saved, study.theory)


@pytest.mark.parametrize("epsilon", ["log(x) - log(x) + e1", "e1*x/x"])
def test_a_guarantee_without_a_value_somewhere_gives_no_bound(epsilon: str) -> None:
    problem = problems.read_text((UNDEFINED % "oo").replace("e1 + y", epsilon))
    verdicts = [Study(problem.setting).check(claim).verdict for claim in problem.claims]
    assert verdicts == ["proved"]  # oo always holds
    with pytest.raises(ValueError, match="epsilon of mechanism 1: x is not known to be"):
        Study(problem.setting).guarantee()


def test_numbers_as_parameters_are_saved_with_the_setting() -> None:
    text = UNDEFINED.replace('y = "nonnegative"', 'y = "3"') % "e1 + y"
    problem = problems.read_text(text)
    study = Study(problem.setting)
    found = rechecks.rechecked(study, [study.check(claim) for claim in problem.claims])
    assert found.verdicts == ("proved",)


def test_the_exponential_of_one_is_a_number() -> None:
    assert one("exp(1)*e1").check(dpc.pure("e1*exp(1)")).loose is False


def test_a_theorem_whose_conclusion_is_the_bound_is_cited() -> None:
    """Also where the parameters are worst cases themselves."""
    assert one(sympy.Abs(x)).guarantee().theorem == "GB:IV.3"
    a, b = dpc.record_partition(D, {"a"}, {"b"})
    f1, f2, f3 = dpc.parameters("f1:4")
    study = dpc.compose(
        dpc.mechanism("A", dpc.pure(sympy.Max(f1, f2), dpc.unbounded, "own"), a),
        dpc.mechanism("B", dpc.pure(sympy.Max(f1, f3), dpc.unbounded, "own"), b),
        on=D,
        target=dpc.unbounded,
    )
    assert str(study.guarantee()) == "unbounded (max(f1, f2, f3))-DP, by GB:IV.6; optimal"


def test_an_identity_of_many_worst_cases_ends() -> None:
    names = [dpc.parameters(f"x{i} y{i}") for i in range(8)]
    total = sum((sympy.Max(a, b, evaluate=False) for a, b in names), sympy.Integer(0))
    assert one(total).check(dpc.pure(total)).verdict == "proved"


class OneApart(Granularity):
    """Numbers are neighbours when they differ by one."""

    name = "one apart"

    def are_neighbours(self, D: Any, E: Any) -> bool:
        return bool(abs(D - E) == 1)


def test_a_granularity_of_ones_own() -> None:
    numbers = dpc.listed(range(5))
    halves = dpc.function("half", lambda D: D // 2)
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure(e1, OneApart(), "common"), halves), on=numbers, target=OneApart()
    )
    assert str(study.guarantee().epsilon) == "e1"
    assert dpc.canonical_metric(numbers, OneApart())(0, 4) == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dpc.multisets("ab", size=3),
            'a size is a text: "any", "<= 4", "= 4", ">= 2" or "2..4", not 3',
        ),
        (lambda: dpc.pure(e1, "bounde"), "there is no granularity 'bounde'; did you mean 'bounded'?"),
        (
            lambda: dpc.pure(e1, 7),
            "neighbours are a granularity such as dpcompose.bounded, or a networkx graph",
        ),
        (lambda: dpc.restriction("child"), "a record set is a list of records, not the text 'child'"),
        (
            lambda: dpc.mechanism("M", dpc.pure(e1), reads="everthing"),
            "M: there is nothing 'everthing' to read",
        ),
        (lambda: dpc.mechanism("M", e1), "M satisfies a guarantee such as dpcompose.pure(...), not e1"),
        (lambda: dpc.mechanism(1, dpc.pure(e1, dpc.bounded)), "a mechanism's name is a text, not 1"),
        (lambda: dpc.compose([1], on=D, target=dpc.bounded), "1 is no mechanism"),
        (lambda: one(e1, parameters={"e1": 1}), "or a number in place of e1 itself"),
        (lambda: one(e1).check("e1 +"), "a value is missing after '+'"),
        (lambda: one(e1).check(dpc.pure("e7")), "the claim's e7 is no parameter of the mechanisms"),
        (lambda: one(e1).guarantee().at({e1: -1}), "e1 = -1 is not allowed: e1 is positive"),
        (
            lambda: one(e1 - 1),
            "epsilon of M must be at least 0 for all allowed values, but it is -1/2 at e1 = 1/2",
        ),
        (lambda: one(1 - sympy.sqrt(2)), "epsilon of M must be at least 0, but it is negative: 1 - sqrt(2)"),
        (lambda: one(dpc.parameters("max")[0]), "a parameter cannot be called max"),
    ],
)
def test_misuse_is_told_in_a_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        found = call()
        found.guarantee()
    assert message in str(caught.value)


def test_control_characters_do_not_reach_the_terminal() -> None:
    forged = "x\\nclaim 1: epsilon = 0\\n  PROVED"
    for old, new in (
        ("format = 1", f'format = 1\ntitle = "{forged}"'),
        ('"M"', f'"{forged}"'),
        ('"b"', '"\\u001b[31m"'),
    ):
        with pytest.raises(problems.ProblemError, match="has control characters"):
            problems.read_text((UNDEFINED % "oo").replace(old, new, 1))


def test_a_guarantee_is_read_in_numbers() -> None:
    M = dpc.mechanism("M", dpc.gaussian("m", dpc.unbounded))
    found = dpc.compose(M, on=dpc.multisets(), target=dpc.unbounded).guarantee()
    assert found.membership({"m": 1}).data()["advantage"] == "0.382925"
    with pytest.raises(WrongValue, match="give m a value"):
        found.membership()


def test_numbers_of_a_file_have_their_names_in_claims() -> None:
    """Three times 1/2, at two steps for each replacement: 3."""
    text = """format = 1
parameters = { e = "1/2", k = "3", low = "-1/2" }
databases = { kind = "multisets" }
target = { granularity = "bounded" }
[[mechanisms]]
name = "M"
index = "i"
count = "k"
guarantee = { notion = "pure", epsilon = "e*f", granularity = "unbounded" }
"""
    study, _ = dpc.loads(text)
    e, low = sympy.symbols("e low")
    (f,) = dpc.parameters("f")
    right = [
        "2*k*e*f",
        "-2*k*low*f",
        "2*k*sqrt(low**2)*f",
        6 * e * f,
        -6 * low * f,
        dpc.zcdp("(k*2*e*f)**2/2"),
    ]
    assert [study.check(claim).verdict for claim in right] == ["proved"] * len(right)
    for claim in ["2*k*e*f - f/100", "k*sqrt(low**2)*f", 5 * e * f]:
        assert study.check(claim).verdict == "refuted"
    with pytest.raises(ValueError, match="the symbol low of the claim has other assumptions"):
        study.check(6 * f * sympy.sqrt(dpc.parameters("low")[0] ** 2))
