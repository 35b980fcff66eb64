"""Families with a symbolic number of members: against the same setting written out member by member."""

from __future__ import annotations

import itertools
import json
import random
import re
from fractions import Fraction
from typing import Any

import pytest
import rechecks
from language.letters import evaluate
from shares import every_third

from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.language import formulas
from dpcompose.privacy import problems, writing
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings import members
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory import registry

HEAD = """\
format = 1
[parameters]
k = "integer >= {least}"
l = "integer >= 1"
[databases]
kind = "multisets"
size = "{size}"
[partitions.P]
kind = "record-wise"
parts = "k"
[partitions.Q]
kind = "record-wise"
parts = "l"
[target]
granularity = "{target}"
"""
PARTS = """\
[[mechanisms]]
name = "{name}"
index = "i"
count = "{count}"
reads = {{ part = "i", of = "{of}" }}
guarantee = {{ notion = "pure", epsilon = "{epsilon}", granularity = "{stated}", domain = "{domain}" }}
"""
ALL = """\
[[mechanisms]]
name = "{name}"
{many}
guarantee = {{ notion = "pure", epsilon = "{epsilon}", granularity = "{stated}" }}
"""
BOTH = ["unbounded", "bounded"]


def study(text: str) -> Study:
    return Study(problems.read_text(text).setting)


def value(found: Study, point: dict[str, Fraction]) -> Fraction | str | None:
    return at(found.guarantee().epsilon, point)


def at(epsilon: Any, point: dict[str, Fraction]) -> Fraction | str | None:
    return "oo" if str(epsilon) == "oo" else evaluate(epsilon, point)


def written_out(symbolic: Study, sizes: dict[str, int]) -> Study:
    """The setting member by member: the parameters of members as plain ones, e_1 for e[1]."""
    data = json.dumps(writing.to_data(members.written_out(symbolic.setting, sizes)[0], []))
    return Study(problems.read_data(json.loads(PLAIN.sub(r"\1_\2", data))).setting)


PLAIN = re.compile(r"(\w+)\[(\d+)\]")


def at_members(point: dict[str, Fraction]) -> dict[str, Fraction]:
    """A point of plain parameters for those of members as well."""
    return point | {re.sub(r"_(\d+)$", r"[\1]", name): x for name, x in point.items()}


def check(text: str, seed: int) -> None:
    """The bound over symbolic k equals the one of the explicit setting, for k = 2, 3, 4 and random values."""
    symbolic = study(text)
    found, rng = symbolic.guarantee().epsilon, random.Random(seed)
    for k in (2, 3, 4):
        sizes = {"k": k, "l": max(1, k - 1)}
        explicit = written_out(symbolic, sizes)
        expected = explicit.guarantee().epsilon
        for _ in range(6):
            point = {name: Fraction(size) for name, size in sizes.items()}
            for name in explicit.setting.domains:
                point.setdefault(name, Fraction(rng.randint(1, 40), rng.choice([1, 3, 10])))
            assert at(found, at_members(point)) == at(expected, point), (k, point)
    assert symbolic.bound.optimal


@pytest.mark.parametrize(
    ("target", "stated", "domain", "size", "extra"),
    every_third(
        BOTH,
        BOTH,
        ["own", "common"],
        ["any", "<= 3", "= 2"],
        ["", "single", "all", "equal", "same", "other"],
    ),
)
def test_symbolic_bounds_are_those_of_every_number(
    target: str, stated: str, domain: str, size: str, extra: str
) -> None:
    family = {"stated": stated, "domain": domain}
    text = HEAD.format(least=2, size=size, target=target)
    text += PARTS.format(name="M", count="k", of="P", epsilon="2*e[i]", **family)
    text += {
        "": "",
        "single": ALL.format(name="N", many="", epsilon="x", stated=target),
        "all": ALL.format(name="N", many='index = "i"\ncount = "k"', epsilon="f[i] + x", stated=target),
        "equal": ALL.format(name="N", many="repeat = 7", epsilon="x", stated=target),
        "same": PARTS.format(name="N", count="k", of="P", epsilon="f[i]", **family),
        "other": PARTS.format(name="N", count="l", of="Q", epsilon="f[i]", **family),
    }[extra]
    check(text, seed=len(text))


CLAIMS = {
    "max(e[i], i, 1, k)": {"unbounded": "proved", "bounded": "refuted"},
    "top(2, e[j], j, 1, k)": {"unbounded": "proved", "bounded": "proved"},
    "2*max(e[i], i, 1, k)": {"unbounded": "proved", "bounded": "proved"},
    "3/2*max(e[i], i, 1, k)": {"unbounded": "proved", "bounded": "refuted"},
    "sum(e[i], i, 1, k)": {"unbounded": "proved", "bounded": "proved"},
    "sum(e[i], i, 1, k)/2": {"unbounded": "refuted", "bounded": "refuted"},
    "2*sum(e[i], i, 1, k)/k": {"unbounded": "refuted", "bounded": "refuted"},
    "k*max(e[i], i, 1, k)": {"unbounded": "proved", "bounded": "proved"},
    "top(3, e[i], i, 1, k)": {"unbounded": "proved", "bounded": "proved"},
    "2*top(3, e[i], i, 1, k)/3": {"unbounded": "refuted", "bounded": "refuted"},
    "max(e[i], i, 1, k) + sum(e[i], i, 1, k)/k": {"unbounded": "proved", "bounded": "refuted"},
}


@pytest.mark.parametrize("target", BOTH)
@pytest.mark.parametrize("claim", CLAIMS)
def test_claims_are_decided_for_all_numbers(claim: str, target: str) -> None:
    text = HEAD.format(least=2, size="any", target=target)
    text += PARTS.format(name="M", count="k", of="P", epsilon="e[i]", stated=target, domain="common")
    text += f'[[claims]]\nnotion = "pure"\nepsilon = "{claim}"\n'
    problem = problems.read_text(text)
    found = Study(problem.setting)
    verdict = found.check(problem.claims[0])
    wanted = CLAIMS[claim][target]
    if "/k" in claim and wanted == "proved":
        assert verdict.verdict in ("proved", "undecided")
        return
    assert verdict.verdict == wanted, verdict.reason
    example = verdict.counterexample
    if example is not None:
        assert example.actual is not None and example.actual > example.claimed
        sizes = {"k": int(example.point["k"]), "l": 1}
        point = {PLAIN.sub(r"\1_\2", name): x for name, x in example.point.items()}
        assert value(written_out(found, sizes), point | {"l": Fraction(1)}) == example.actual


def test_the_smallest_number_that_fails() -> None:
    text = HEAD.format(least=1, size="any", target="bounded")
    text += PARTS.format(name="M", count="k", of="P", epsilon="e[i]", stated="bounded", domain="common")
    claims = [("max(e[i], i, 1, k)", 2), ("3*max(e[i], i, 1, k)/2", 2)]
    for claim, smallest in claims:
        problem = problems.read_text(text + f'[[claims]]\nnotion = "pure"\nepsilon = "{claim}"\n')
        example = Study(problem.setting).check(problem.claims[0]).counterexample
        assert example is not None and example.point["k"] == smallest


def test_five_hundred_equal_mechanisms() -> None:
    text = HEAD.format(least=2, size="any", target="bounded")
    text += ALL.format(name="N", many="repeat = 500", epsilon="x", stated="unbounded")
    found = study(text)
    assert str(found.guarantee().epsilon) == "1000*x"


def test_saved_derivations_over_families_are_checked_again() -> None:
    text = HEAD.format(least=2, size="any", target="bounded")
    text += PARTS.format(name="M", count="k", of="P", epsilon="e[i]", stated="bounded", domain="common")
    for claim in CLAIMS:
        text += f'[[claims]]\nnotion = "pure"\nepsilon = "{claim}"\n'
    problem = problems.read_text(text)
    one = Study(problem.setting)
    verdicts = [one.check(claim) for claim in problem.claims]
    saved = rechecks.saved(one, verdicts)
    found = rechecks.rechecked(one, verdicts)
    steps = saved["derivation"]["steps"]
    refuting = [n for n, one in enumerate(steps, start=1) if one["rule"] == "refute"]
    assert len(refuting) == list(found.verdicts).count("refuted") > 0
    for n, k in zip(refuting, itertools.cycle(["1", "-2", "5/2", "x"])):
        again = json.loads(json.dumps(saved))
        again["derivation"]["steps"][n - 1]["point"]["k"] = k
        with pytest.raises(Refused, match=f"^step {n}"):
            rechecks.check(again, registry.standard())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'count = "k"',
            'count = "n"',
            "mechanisms.1.count (line 19): unknown name 'n'; known names: k, l; list it",
        ),
        ('part = "i"', 'part = "j"', "part 'j' of a partition needs part = \"i\""),
        ('of = "P"', 'of = "R"', "there is no partition 'R'; there is P, Q"),
        ('index = "i"\n', "", 'a family has an index and a count: index = "i", count = "k"'),
        ("e[i]", "e[j]", "e[...] needs the index of a sum, max or top over it"),
        ('count = "k"', 'count = "l"', "M reads the parts of P, of which there are k"),
        ('size = "any"', 'records = ["a"]', "needs multisets over an arbitrary record universe"),
        ('k = "integer >= 2"', 'k = "positive"', "the number of mechanisms is a parameter of whole values"),
    ],
)
def test_mistakes_in_families(old: str, new: str, message: str) -> None:
    text = HEAD.format(least=2, size="any", target="bounded")
    text += PARTS.format(name="M", count="k", of="P", epsilon="e[i]", stated="bounded", domain="common")
    assert old in text
    with pytest.raises(ProblemError) as caught:
        problems.read_text(text.replace(old, new, 1), "p.toml")
    assert message in str(caught.value)


# ---------------------------------------------------------------- what was once wrong

FAMILY = """\
format = 1
[parameters]
k = "integer >= 2"
{parameters}
[databases]
kind = "multisets"
[partitions.P]
kind = "record-wise"
parts = "k"
[target]
granularity = "{target}"
[[mechanisms]]
name = "M"
index = "i"
count = "{count}"
reads = {reads}
guarantee = {{ notion = "pure", epsilon = "{epsilon}", granularity = "{target}", domain = "common" }}
"""
SINGLE = """\
[[mechanisms]]
name = "{name}"
guarantee = {{ notion = "pure", epsilon = "{epsilon}", granularity = "unbounded" }}
"""
PART, EVERYTHING = '{ part = "i", of = "P" }', '"everything"'


def family(
    epsilon: str,
    claim: str,
    parameters: str = "",
    target: str = "unbounded",
    count: str = "k",
    reads: str = PART,
    extra: str = "",
) -> str:
    """A problem file with one family and one claim, in which MAX(x) and SUM(x) run over 1, ..., k."""
    text = FAMILY.format(parameters=parameters, target=target, count=count, reads=reads, epsilon=epsilon)
    for short, long in (("MAX(", "max("), ("SUM(", "sum("), ("TOP2(", "top(2, ")):
        while short in claim:
            before, _, after = claim.partition(short)
            depths = itertools.accumulate((sign == "(") - (sign == ")") for sign in after)
            end = next(n for n, depth in enumerate(depths) if depth < 0)
            claim = f"{before}{long}{after[:end]}, i, 1, {count}{after[end:]}"
    return f'{text}{extra}[[claims]]\nnotion = "pure"\nepsilon = "{claim}"\n'


def decided(text: str) -> str:
    problem = problems.read_text(text)
    return Study(problem.setting).check(problem.claims[0]).verdict


@pytest.mark.parametrize(
    ("epsilon", "claim", "parameters"),
    [
        ("e[i]**2", "MAX(e[i]**2) + SUM(e[i])", 'e = "real"'),
        ("e[i]**2", "MAX(e[i]**2) + SUM(e[i])", 'e = "integer >= -3"'),
        ("e[i]", "MAX(e[i]) + SUM(sqrt(e[i])) - k*MAX(sqrt(e[i]))", ""),
        ("e[i]", "2*MAX(e[i]) + SUM(exp(e[i])) - k*MAX(exp(e[i]))", ""),
        ("e[i]", "MAX(e[i]) + TOP2(sqrt(e[i])) - 2*MAX(sqrt(e[i]))", ""),
        ("e[i]", "2*MAX(e[i])**2", ""),
        ("e[i]", "SUM(e[i]) - MAX(e[i])", ""),
    ],
)
def test_false_claims_over_families_are_not_proved(epsilon: str, claim: str, parameters: str) -> None:
    assert decided(family(epsilon, claim, parameters)) != "proved"


@pytest.mark.parametrize("target", BOTH)
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("SUM(e[i] + f[i])", "proved"),
        ("SUM(e[i]) + SUM(f[i])", "proved"),
        ("TOP2(e[i]) + TOP2(f[i])", "proved"),
        ("2*MAX(e[i] + f[i])", "proved"),
        ("k*MAX(e[i]) + SUM(f[i])", "proved"),
        ("MAX(e[i]) + 1/2*MAX(f[i])", "refuted"),
        ("1/2*SUM(e[i] + f[i])", "refuted"),
    ],
)
def test_members_that_are_sums(claim: str, verdict: str, target: str) -> None:
    assert decided(family("e[i] + f[i]", claim, target=target)) == verdict


@pytest.mark.parametrize("member", ["sqrt(e[i]) - 1", "log(e[i])", "e[i] - 1"])
def test_members_that_may_be_negative(member: str) -> None:
    with pytest.raises(
        InvalidSetting, match=r"must be at least 0 for all allowed values, .* at e\[1\] = 1/2"
    ):
        study(family(member, f"MAX({member})")).guarantee()


def test_members_that_are_roots_and_quotients() -> None:
    for member in ("sqrt(e[i])", "1/e[i]", "log(1 + e[i])", "e[i]/(1 + e[i])"):
        assert decided(family(member, f"MAX({member})")) == "proved"
        assert decided(family(member, f"1/2*MAX({member})")) in ("refuted", "undecided")
    assert decided(family("sqrt(e[i])", "1/2*MAX(sqrt(e[i]))")) == "refuted"


@pytest.mark.parametrize("claim", ["x", "499*x"])
def test_many_equal_mechanisms_are_refuted(claim: str) -> None:
    assert decided(family("x", claim, count="500", reads=EVERYTHING)) == "refuted"


def test_a_large_fixed_family_is_refuted_and_a_large_least_number_is_soon_left() -> None:
    assert decided(family("e[i]", "1/2*MAX(e[i])", count="60", reads=EVERYTHING)) == "refuted"
    assert decided(family("e[i]", "1/2*MAX(e[i])").replace("integer >= 2", "integer >= 301")) == "refuted"


def test_a_sum_over_steps_is_not_taken_for_one_over_members() -> None:
    """The delta of the page on metrics that commute with the parts."""
    text = HEAD.format(least=2, size="any", target="bounded")
    text += PARTS.format(name="M", count="k", of="P", epsilon="e[i]", stated="unbounded", domain="own")
    found = study(text.replace('"pure", ', '"approximate", delta = "d[i]", '))
    (fit,) = [fit for fit in found.theorems() if fit.page.id == "commuting-metric"]
    assert "it is not written out for a symbolic number of mechanisms" in fit.reason
    assert formulas.to_text(found.guarantee().values["epsilon"]) == "2*max(e[i], i, 1, k)"


def test_the_smallest_number_refutes_where_there_is_no_guarantee() -> None:
    text = family("x", "2*x", reads=EVERYTHING)
    problem = problems.read_text(text)
    found = Study(problem.setting).check(problem.claims[0]).counterexample
    assert found is not None and found.point == {"k": 3, "x": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            family("k*(e[i] + f[i])", "sum(max(e[i] + f[j], j, 1, k), i, 1, k)"),
            "e[...] needs the index of a sum, max or top over it",
        ),
        (
            family("e[i]", "1", extra=SINGLE.format(name="N", epsilon="i")),
            "the index of families is written i: call the parameter i something else",
        ),
        (
            family("e[i]", "1", extra=SINGLE.format(name="N", epsilon="e")),
            "e is a parameter and also a family e[i]; rename one of them",
        ),
        (
            family("e[i]", "1", 'e = "real"', extra=SINGLE.format(name="N", epsilon="e")),
            "e is a parameter and also a family e[i]; rename one of them",
        ),
        (
            family("e[i]", "1", extra=SINGLE.format(name="N", epsilon="e[1]")),
            "e[1] is one member of a family, and no parameter by itself",
        ),
        (
            family("e[i]", "1", extra=SINGLE.format(name="M[1]", epsilon="x")),
            "M[1] is called like a member of the family M",
        ),
        (family("e[i]", "sum(e[i], i, 1, l)", 'l = "integer >= 1"'), "e[i] has the members 1 to k, not to l"),
        (family("e[i]", "max(e[i], i, 1, 3)"), "e[i] has the members 1 to k, not to 3"),
    ],
)
def test_families_that_would_be_mixed_up_are_refused(text: str, message: str) -> None:
    with pytest.raises(ProblemError) as raised:
        problems.read_text(text)
    assert message in str(raised.value)
