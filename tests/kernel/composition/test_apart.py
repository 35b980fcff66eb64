"""δ set apart: what (ε, δ) mechanisms lose is never below the least δ, by hand and against the optimal curve."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry
from dpcompose.search.proofs import Proofs

THEORY = Theory(registry.standard().pages)
CHAIN = ("delta-apart", "pure-to-zcdp")


def prover(stated: list[tuple[str, str]], target: str = '"unbounded"', more: str = "") -> Prover:
    """Mechanisms with (ε, δ) on everything."""
    parts = "".join(
        f"""[[mechanisms]]
name = "M{i}"
guarantee = {{ notion = "approximate", epsilon = "{e}", delta = "{d}", granularity = "unbounded" }}
"""
        for i, (e, d) in enumerate(stated)
    )
    text = f"""format = 1
{more}
[databases]
kind = "multisets"
[target]
granularity = {target}
{parts}"""
    setting = problems.read_data(problems.parsed(text, "here")).setting
    return Prover(Proofs(setting, THEORY).elaborated.core, THEORY)


def lost(by: Prover, chain: tuple[str, ...] = CHAIN) -> list[Theorem]:
    found = []
    for i in range(1, len(by.setting.mechanisms) + 1):
        one = by.by("given", i=i)
        for page in chain:
            one = by.by("convert", one, page=page)
        found.append(one)
    return found


def apart(by: Prover, spent: str, closer: bool, chain: tuple[str, ...] = CHAIN, **other: Any) -> Satisfies:
    arguments = {"pages": ["zcdp-to-approximate"], "chosen": {"delta": spent}, "closer": closer} | other
    said = by.by("apart", by.by("cover"), *lost(by, chain), **arguments).says
    assert isinstance(said, Satisfies)
    return said


def test_by_hand() -> None:
    """Two (1, 1/10): ρ = 2·tanh(1/2), and δ = 1/100 + 2/10, or 1 − 99/100·(9/10)²."""
    by = prover([("1", "1/10")] * 2)
    plain, closer = (dict(apart(by, "1/100", one).values) for one in (False, True))
    rho = formulas.parse("2*tanh(1/2)", {})
    wanted = rho + 2 * terms.sqrt(rho * formulas.parse("log(100)", {}))
    assert sign(plain["epsilon"] - wanted) in (0, None) and plain["epsilon"] == closer["epsilon"]
    assert (plain["delta"].number, closer["delta"].number) == (Fraction(21, 100), Fraction(19810, 100000))


@pytest.mark.parametrize("closer", [False, True])
@pytest.mark.parametrize("steps", [1, 2])
def test_no_smaller_delta_than_the_least_one(closer: bool, steps: int) -> None:
    """Neighbours one or two steps apart: at its ε the bound is above what some mechanisms attain."""
    draw = random.Random(f"apart {closer} {steps}")
    for _ in range(4):
        stated = [
            (Fraction(draw.randint(1, 12), 8), Fraction(draw.randint(0, 20), 400))
            for _ in range(draw.randint(1, 3))
        ]
        target = '"unbounded"' if steps == 1 else '{ group = 2, of = "unbounded" }'
        by = prover([(str(e), str(d)) for e, d in stated], target)
        said = dict(apart(by, str(Fraction(1, draw.choice([3, 20, 1000]))), closer).values)
        curve = Curve.of(Part(terms.number(e), terms.number(d), steps) for e, d in stated)
        assert sign(said["delta"] - terms.number(curve.below(said["epsilon"]))) == 1


def test_beside_gaussian_and_concentrated_privacy() -> None:
    text = """format = 1
[parameters]
d = "in (0,1)"
spent = "in (0,1)"
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "A"
guarantee = { notion = "approximate", epsilon = "e", delta = "d", granularity = "unbounded" }
[[mechanisms]]
name = "B"
guarantee = { notion = "zcdp", rho = "r", granularity = "unbounded" }
[[claims]]
notion = "approximate"
epsilon = "e**2/2 + r + 2*sqrt((e**2/2 + r)*log(1/spent))"
delta = "d + spent"
[[claims]]
notion = "approximate"
epsilon = "e**2/2 + r + 2*sqrt((e**2/2 + r)*log(1/spent))"
delta = "spent"
"""
    problem = problems.read_data(problems.parsed(text, "here"))
    study = Study(problem.setting, registry.standard())
    assert [study.check(one).verdict for one in problem.claims] == ["proved", "refuted"]


def test_what_is_set_apart_is_not_forgotten() -> None:
    by = prover([("1", "1/10")])
    (pure,) = lost(by, CHAIN[:1])
    with pytest.raises(NoTheorem, match="what is set apart is lost besides"):
        by.by("compose", pure)
    composed = by.by("compose", by.by("given", i=1))
    whole = by.by("worst", composed, by.by("cover"))
    with pytest.raises(NoTheorem, match="delta-apart sets delta apart"):
        by.by("change", whole, page="delta-apart", chosen={})
    once = by.by("convert", by.by("given", i=1), page="delta-apart")
    again = by.by("convert", once, page="pure-to-approximate")
    with pytest.raises(NoTheorem, match="delta-apart sets delta apart"):
        by.by("convert", again, page="delta-apart")


def test_what_it_is_not_used_for() -> None:
    by = prover([("1", "1/10")])
    with pytest.raises(NoTheorem, match="the rest of zcdp"):
        apart(by, "1/100", False, pages=[])
    with pytest.raises(NoTheorem, match="no parameter is set apart"):
        apart(by, "1/100", False, chain=())
    with pytest.raises(NoTheorem, match="zcdp-to-approximate needs delta in"):
        apart(by, "2", False)
    with pytest.raises(NoTheorem, match="converts zcdp, not approximate"):
        apart(by, "1/100", False, pages=["zcdp-to-approximate", "zcdp-to-approximate"])


def test_without_a_limit() -> None:
    by = prover([("oo", "1/10")])
    assert {value.kind for _, value in apart(by, "1/100", False).values} == {"oo"}
