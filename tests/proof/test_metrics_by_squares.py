"""Claims that are metrics, by the inequality of Cauchy and Schwarz: Σ e_i·|v_i| ≤ ‖e‖·‖v‖."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from in_metrics import THEORY, claimed, saved, steps, study, verdicts

from dpcompose.front.studies import recheck as checker
from dpcompose.kernel.check import Refused


def setting(n: int, notion: str = "pure", weights: list[str] | None = None) -> str:
    """A mechanism for each of n coordinates, private in e_i·|x_i|."""
    names = [f"x{i}" for i in range(n)]
    text = f'[databases]\nkind = "points"\ncoordinates = {json.dumps(names)}\n[metrics.L2]\nnorm = "L2"\n'
    for i, name in enumerate(names):
        weight = f"e{i}" if weights is None else weights[i]
        text += f'[maps.f{i}]\nvalues = ["{name}"]\n[metrics.d{i}]\nnorm = "L1"\nof = "f{i}"\n'
        text += f'[[mechanisms]]\nname = "M{i}"\nguarantee = {{ notion = "{notion}", metric = "{weight}*d{i}" }}\n'
    return text


def length(n: int, name: str) -> str:
    return "sqrt(" + " + ".join(f"{name}{i}**2" for i in range(n)) + ")"


@pytest.mark.parametrize("n", [2, 3, 4])
def test_sums_of_coordinates_are_at_most_lengths(n: int) -> None:
    e, d = length(n, "e"), length(n, "d")
    _, found = study(setting(n) + claimed(f"{e}*L2", f"{e}*{d}", f"{e}*L2*99/100"))
    assert [one.verdict for one in found] == ["proved", "proved", "refuted"]


def test_fewer_terms_than_coordinates() -> None:
    """e0·|x0| + e1·|x1| ≤ ‖(e0, e1)‖·‖x‖, also where the norm is of three coordinates."""
    text = setting(3).replace(
        '[[mechanisms]]\nname = "M2"\nguarantee = { notion = "pure", metric = "e2*d2" }\n', ""
    )
    assert verdicts(text + claimed("sqrt(e0**2 + e1**2)*L2", "e0*L2")) == ["proved", "refuted"]


@pytest.mark.parametrize("notion", ["zcdp", "gaussian"])
def test_squares_of_coordinates_in_a_norm(notion: str) -> None:
    """√(Σ e_i²·x_i²) ≤ max e_i·‖x‖ and ≤ ‖e‖·‖x‖."""
    text = setting(3, notion) + claimed(
        "max(e0, e1, e2)*L2", f"{length(3, 'e')}*L2", "max(e0, e1)*L2", notion=notion
    )
    assert verdicts(text) == ["proved", "proved", "refuted"]


@pytest.mark.parametrize("seed", range(6))
def test_numbers_in_place_of_parameters(seed: int) -> None:
    """c·‖x‖ is at least Σ e_i·|x_i| everywhere just where c² ≥ Σ e_i²."""
    rng = random.Random(seed)
    n = rng.choice([2, 3])
    weights = [rng.randint(1, 6) for _ in range(n)]
    square = sum(x * x for x in weights)
    bounds = [square - 1, square, square + 1]
    found = verdicts(
        setting(n, weights=list(map(str, weights))) + claimed(*(f"sqrt({x})*L2" for x in bounds))
    )
    assert found[1:] == ["proved", "proved"] and found[0] != "proved"


def test_squares_in_saved_files_are_checked(tmp_path: Path) -> None:
    data = saved(setting(3) + claimed(f"{length(3, 'e')}*L2"), tmp_path)
    assert checker.check_in_metrics(data, THEORY).verdicts == ("proved",)

    def rows(saved: Any) -> list[Any]:
        (shown,) = steps(saved, "everywhere")
        ((group,),) = (one["groups"] for one in shown["certificates"]["epsilon"])
        found: list[Any] = group["cases"][0]["proof"]["steps"]
        return found

    at = [n for n, one in enumerate(rows(data)) if one[0] == "less"]
    assert len(at) == 3
    for n in at:
        for change in (lambda one: None, lambda one: ["less", "2", one[2]], lambda one: ["less", "1", "e0"]):
            wrong = copy.deepcopy(data)
            other = change(rows(wrong)[n])
            rows(wrong)[n : n + 1] = [] if other is None else [other]
            with pytest.raises(Refused):
                checker.check_in_metrics(wrong, THEORY)
    weaker = copy.deepcopy(data)
    weaker["problem"]["claims"][0]["metric"] = "sqrt(e0**2 + e1**2)*L2"
    with pytest.raises(Refused, match="the claims are not those of the problem"):
        checker.check_in_metrics(weaker, THEORY)
    (shown,) = steps(weaker, "everywhere")
    for one in (weaker["stated"][0], weaker["claims"][0]["claim"], shown["claim"]):
        one["epsilon"] = "sqrt(e0**2 + e1**2)*d__L2"
    with pytest.raises(Refused, match=r"step \d+: everywhere: "):
        checker.check_in_metrics(weaker, THEORY)
