"""Guarantees over families are written with the fewest losses, by theorems of the kernel."""

from __future__ import annotations

import pytest
from golden_results import found, setting_of

from dpcompose.kernel import check
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.judgements import Optimal, Satisfies
from dpcompose.search.comparisons.shorter import largest

SYMBOLS = {
    "e[i]": terms.letter("e[i]", Domain.read("nonnegative")),
    "a": terms.letter("a"),
    "k": terms.letter("k", Domain.read("integer >= 2")),
}


@pytest.mark.parametrize(
    ("text", "less", "squared"),
    [
        ("max(3*max(e[i], i, 1, k), top(3, e[i], i, 1, k))", "3*max(e[i], i, 1, k)", False),
        ("max(top(2, e[i], i, 1, k), top(3, e[i], i, 1, k))", "top(3, e[i], i, 1, k)", False),
        (
            "max(2*max(e[i], i, 1, k), top(3, e[i], i, 1, k))",
            "max(2*max(e[i], i, 1, k), top(3, e[i], i, 1, k))",
            False,
        ),
        (
            "max(2*max(e[i], i, 1, k) + a, top(2, e[i], i, 1, k))",
            "2*max(e[i], i, 1, k) + a",
            False,
        ),
        ("max(a, 2*a)", "max(a, 2*a)", False),
    ],
)
def test_losses_that_another_one_is_at_least_are_left_out(text: str, less: str, squared: bool) -> None:
    value, wanted = (formulas.parse(one, SYMBOLS) for one in (text, less))
    assert largest(value, squared) == wanted


FAMILY = """
format = 1
[parameters]
k = "integer >= 2"
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
count = "k"
reads = {{ part = "i", of = "P" }}
guarantee = {{ notion = "{notion}", {key} = "{key}[i]", granularity = "unbounded", domain = "own" }}
"""


@pytest.mark.parametrize(
    ("notion", "key", "said"),
    [
        ("pure", "epsilon", "2*max(epsilon[i], i, 1, k)"),
        ("zcdp", "rho", "4*max(rho[i], i, 1, k)"),
        ("gaussian", "mu", "2*max(mu[i], i, 1, k)"),
    ],
)
def test_a_family_on_a_partition_has_one_worst_case(notion: str, key: str, said: str) -> None:
    of = found(setting_of(FAMILY.format(target="bounded", notion=notion, key=key)), notion)
    assert isinstance(of.main.says, Satisfies)
    assert [formulas.to_text(value) for _, value in of.main.says.values] == [said]
    shown = of.main.optimal
    assert of.main.theorem.rule == "weaken" and shown is not None
    assert isinstance(shown.says, Optimal) and shown.says.key == key
    saved = check.saved(shown, of.shop.theory)
    assert check.replay(saved, of.shop.setting, of.shop.theory)[-1].says == shown.says


def test_nothing_is_weakened_without_families() -> None:
    text = FAMILY.format(target="unbounded", notion="pure", key="epsilon")
    assert found(setting_of(text), "pure").main.theorem.rule == "worst"
