"""Metrics that are cut off, min(s·d, 4), in the notions that compare squares."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from in_metrics import THEORY, saved, steps, study, verdicts
from shares import every_second, every_third

from dpcompose.front.studies import recheck as checker
from dpcompose.kernel.check import Refused
from dpcompose.language import formulas

RECORDS = '[databases]\nkind = "multisets"\n[metrics.d]\ngranularity = "unbounded"\n'
POINTS = '[databases]\nkind = "points"\ncoordinates = ["x", "y"]\n[metrics.d]\nnorm = "L2"\n'
NOTIONS = ["zcdp", "gaussian"]


def setting(notion: str, mechanisms: Sequence[str], claims: Sequence[str], databases: str = RECORDS) -> str:
    text = databases
    for n, one in enumerate(mechanisms):
        text += f'[[mechanisms]]\nname = "M{n}"\nguarantee = {{ notion = "{notion}", metric = "{one}" }}\n'
    return text + "".join(f'[[claims]]\nnotion = "{notion}"\nmetric = "{one}"\n' for one in claims)


@pytest.mark.parametrize(("notion", "databases"), every_third(NOTIONS, [RECORDS, POINTS]))
def test_a_distance_that_is_cut_off(notion: str, databases: str) -> None:
    """min(s·d, 4)² = min(s²·d², 16)."""
    claims = ["min(s*d, 4)", "min(s*d, 5)", "s*d", "4", "max(s*d, 4)", "min(s*d, 3)", "min(s*d, 4) - s*d/9"]
    text = setting(notion, ["min(s*d, 4)"], claims, databases)
    assert verdicts(text) == ["proved"] * 5 + ["refuted"] * 2
    made, _ = study(text)
    assert formulas.to_text(made.metric()) == "min(d*s, 4)"


@pytest.mark.parametrize("notion", every_second(NOTIONS))
def test_sums_and_maxima_of_such(notion: str) -> None:
    claims = ["min(s*d, 5) + t*d", "(s + t)*d", "t*d + 4", "min((s + t)*d, 4 + t*d)", "min(s*d, 4) + t*d/2"]
    assert verdicts(setting(notion, ["min(s*d, 4) + t*d"], claims)) == ["proved"] * 4 + ["refuted"]
    claims = ["max(s, t)*d", "s*d + 4", "max(s*d, min(5, t*d))", "max(s*d, 3)"]
    found = verdicts(setting(notion, ["max(s*d, min(4, t*d))"], claims))
    assert found == ["proved"] * 3 + ["refuted"]


@pytest.mark.parametrize("notion", NOTIONS)
def test_several_mechanisms(notion: str) -> None:
    """√(x² + y²) ≤ x + y, and is more than the larger one."""
    claims = ["sqrt(min(s*d, 4)**2 + (e*d)**2)", "min(s*d, 4) + e*d", "sqrt(s**2 + e**2)*d"]
    text = setting(notion, ["min(s*d, 4)", "e*d"], [*claims, "max(min(s*d, 4), e*d)"])
    assert verdicts(text) == ["proved"] * 3 + ["refuted"]


def test_for_neighbours() -> None:
    """At one step M loses min(s, 4) + t: its square adds up with that of N."""
    target = '[databases]\nkind = "multisets"\n[target]\ngranularity = "unbounded"\n'
    target += '[metrics.cut]\nformula = "min(s*d_unbounded, 4) + t*d_unbounded"\n'
    text = setting("zcdp", ["cut", "u*d_unbounded"], [], target)
    for claim in (
        "(min(s, 4) + t)**2 + u**2",
        "(s + t)**2 + u**2",
        "(4 + t)**2 + u**2",
        "min(s, 4)**2 + u**2",
    ):
        text += f'[[claims]]\nnotion = "zcdp"\nrho = "{claim}"\n'
    assert verdicts(text) == ["proved"] * 3 + ["refuted"]


@pytest.mark.slow
def test_the_largest_of_such() -> None:
    """One record is read by M or by N: roots of maxima of minima are compared by their squares."""
    text = '[databases]\nkind = "multisets"\nrecords = ["a", "b", "c"]\n[target]\ngranularity = "unbounded"\n'
    for name, record, metric in (("M", "a", "min(s*d_unbounded, 4)"), ("N", "b", "min(t*d_unbounded, 7)")):
        stated = f'{{ notion = "gaussian", metric = "{metric}", domain = "own" }}'
        text += (
            f'[[mechanisms]]\nname = "{name}"\nreads = {{ records = ["{record}"] }}\nguarantee = {stated}\n'
        )
    for claim in ("max(min(s, 4), min(t, 7))", "max(s, t)", "7", "min(s, 4)"):
        text += f'[[claims]]\nnotion = "gaussian"\nmu = "{claim}"\n'
    assert verdicts(text) == ["proved", "proved", "proved", "refuted"]


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_smaller_claim_is_refused_when_it_is_forged(notion: str, tmp_path: Path) -> None:
    data = saved(setting(notion, ["min(s*d, 4) + t*d"], ["min(s*d, 5) + t*d"]), tmp_path)
    assert checker.check_in_metrics(data, THEORY).verdicts == ("proved",)
    key, power = {"zcdp": ("rho", "**2"), "gaussian": ("mu", "")}[notion]
    for smaller in ("min(s*d, 3) + t*d", "min(s*d, 5)", "max(s*d, -5) + t*d/2"):
        forged = copy.deepcopy(data)
        forged["problem"]["claims"][0]["metric"] = smaller
        (shown,) = steps(forged, "everywhere")
        for one in (forged["stated"][0], forged["claims"][0]["claim"], shown["claim"]):
            one[key] = f"({smaller.replace('d', 'd__d')}){power}"
        with pytest.raises(Refused):
            checker.check_in_metrics(forged, THEORY)


# formulas in one distance at random, against their values


def drawn(rng: random.Random, depth: int) -> str:
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice([f"{rng.randint(1, 4)}*d", f"d/{rng.randint(2, 3)}"])
    one, other = drawn(rng, depth - 1), drawn(rng, depth - 1)
    if kind < 0.6:
        return f"min({one}, {rng.choice([other, str(rng.randint(1, 6))])})"
    return f"max({one}, {other})" if kind < 0.8 else f"{one} + {other}"


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(n, marks=pytest.mark.slow) for n in range(12, 200))]
)
def test_against_values(seed: int) -> None:
    rng = random.Random(seed)
    mechanisms = [drawn(rng, 2) for _ in range(rng.randint(1, 2))]
    other = drawn(rng, 2)
    claim = rng.choice(
        [other, " + ".join(mechanisms), f"{other} + {mechanisms[0]}", f"max({other}, {mechanisms[-1]})"]
    )
    (found,) = verdicts(setting(NOTIONS[seed % 2], mechanisms, [claim]))

    def at(text: str, d: Fraction) -> Fraction:
        return Fraction(eval(text, {"min": min, "max": max, "d": d}))  # a text that is made above

    distances = [Fraction(n) for n in [*range(1, 40), 1000]]
    holds = all(sum(at(one, d) ** 2 for one in mechanisms) <= at(claim, d) ** 2 for d in distances)
    assert found in ({"proved", "undecided"} if holds else {"refuted", "undecided"})
