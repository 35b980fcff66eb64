"""Families with a symbolic number of members: against the same setting written out member by member."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

from dpcompose.front.study import Study
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.problems import ProblemError
from dpcompose.proof import checker, registry

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
    epsilon = found.guarantee().epsilon
    return "oo" if str(epsilon) == "oo" else formulas.evaluate(epsilon, point)


def check(text: str, seed: int) -> None:
    """The bound over symbolic k equals the one of the explicit setting, for k = 2, 3, 4 and random values."""
    symbolic = study(text)
    rng = random.Random(seed)
    for k in (2, 3, 4):
        sizes = {"k": k, "l": max(1, k - 1)}
        explicit = Study(symbolic.setting.written_out(sizes)[0])
        for _ in range(6):
            point = {name: Fraction(size) for name, size in sizes.items()}
            for name in explicit.setting.domains:
                point.setdefault(name, Fraction(rng.randint(1, 40), rng.choice([1, 3, 10])))
            assert value(symbolic, point) == value(explicit, point), (k, point)
    assert symbolic.bound.optimal


@pytest.mark.parametrize("target", BOTH)
@pytest.mark.parametrize("stated", BOTH)
@pytest.mark.parametrize("domain", ["own", "common"])
@pytest.mark.parametrize("size", ["any", "<= 3", "= 2"])
@pytest.mark.parametrize("extra", ["", "single", "all", "equal", "same", "other"])
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
        explicit = Study(found.setting.written_out(sizes)[0])
        point = {"l": Fraction(1), **example.point}
        assert value(explicit, point) == example.actual


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


def test_saved_derivations_over_families_are_checked_again(tmp_path: object) -> None:
    text = HEAD.format(least=2, size="any", target="bounded")
    text += PARTS.format(name="M", count="k", of="P", epsilon="e[i]", stated="bounded", domain="common")
    for claim in CLAIMS:
        text += f'[[claims]]\nnotion = "pure"\nepsilon = "{claim}"\n'
    problem = problems.read_text(text)
    found = Study(problem.setting)
    verdicts = [found.check(claim) for claim in problem.claims]
    file = tmp_path / "d.json"  # type: ignore[operator]
    found.save(file, verdicts)
    import json

    saved = json.loads(file.read_text())
    checked = checker.check(saved, registry.standard())
    assert list(checked.verdicts) == [verdict.verdict for verdict in verdicts]
    for n, forged in itertools.product(range(len(verdicts)), ["1", "3"]):
        example = saved["claims"][n].get("counterexample")
        if example is not None and example["parameters"]["k"] != forged:
            again = json.loads(file.read_text())
            again["claims"][n]["counterexample"]["parameters"]["k"] = forged
            with pytest.raises(checker.Refused):
                checker.check(again, registry.standard())


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
