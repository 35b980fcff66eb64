"""The second checker rejects what is forged of shipped problems; `front/test_shipped.py` asks it about each of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import saved_results
from forged_results import (
    apart,
    beside_metrics,
    chains,
    classes,
    curves,
    derivations,
    edits,
    in_metrics,
    letters,
    mechanisms,
    of_orders,
    persons,
    settings,
    several,
)
from saved_results import REFUSED, SOURCES
from second_checker import comparisons, enclosures, verdicts
from second_checker.algebra import Algebra
from second_checker.outcomes import Rejected
from second_checker.verdicts import NOT_READ, check

from dpcompose.front import cli


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    where = saved_results.folder(tmp_path_factory)
    return lambda name: json.loads(saved_results.saved(name, where))


def test_how_many_are_judged() -> None:
    assert len(SOURCES) - len(REFUSED) >= ACCEPTED and REFUSED.keys() <= SOURCES.keys()


def test_every_reason_has_a_name() -> None:
    """What is refused anywhere in the second checker stands in its short list, and nothing else does."""
    files = sorted(Path(verdicts.__file__).parent.glob("*.py"))
    raised = {name for file in files for name in re.findall(r'NotRead\(\s*"(\w+)"', file.read_text("utf-8"))}
    assert raised == set(NOT_READ)


ACCEPTED = 375

# -- forgeries ---------------------------------------------------------------------------------------------


FORGERIES = {
    **derivations.FORGERIES,
    **curves.FORGERIES,
    **settings.FORGERIES,
    **classes.FORGERIES,
    **mechanisms.FORGERIES,
    **of_orders.FORGERIES,
    **in_metrics.FORGERIES,
    **persons.FORGERIES,
    **apart.FORGERIES,
    **several.FORGERIES,
    **letters.FORGERIES,
    **beside_metrics.FORGERIES,
    **chains.FORGERIES,
}


@pytest.fixture(scope="module")
def outcome(saved: Callable[[str], Any]) -> Callable[[str], str]:
    """What the second checker says of what is saved: once for all that is forged of it."""
    return cache(lambda name: check(saved(name)).outcome)


LARGE = {
    "problems/117-incomes-in-brackets",
    "problems/118-blocks-of-a-city",
    "problems/178-training-with-samples",
    "problems/239-days-of-a-diary",
    "problems/72-sensitivity-of-maps",
    "problems/106-metrics-beside-neighbours",
    "problems/107-normal-noise-on-points",
    "problems/113-any-number-of-releases-of-a-place",
    "problems/152-advanced-composition-with-deltas",
    "problems/186-renyi-of-noise",
    "problems/256-tables-in-every-notion",
    "problems/293-squares-and-products",
}
"""To judge what is forged of these takes seconds: a normal run asks others."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if of in LARGE else [])
        for name, (of, _) in FORGERIES.items()
    ],
)
def test_a_forgery_is_rejected(name: str, saved: Callable[[str], Any], outcome: Callable[[str], str]) -> None:
    of, edit = FORGERIES[name]
    assert of not in REFUSED and outcome(of) == "ACCEPTED"
    forged = saved(of)
    edit(forged)
    assert forged != saved(of)
    assert check(forged).outcome == "REJECTED"


def test_hyperbolic_functions_are_read(tmp_path: Path) -> None:
    """A claim in tanh is judged, as it was written, and half of it is rejected."""
    problem = tmp_path / "tanh.toml"
    problem.write_text(
        'format = 1\n[databases]\nkind = "multisets"\n[target]\ngranularity = "unbounded"\n[[mechanisms]]\n'
        'name = "M"\nguarantee = { notion = "pure", epsilon = "e", granularity = "unbounded" }\n[[claims]]\n'
        'notion = "zcdp"\nrho = "e*tanh(e/2)"\n[[claims]]\nnotion = "zcdp"\nrho = "e*tanh(e/3)"\n'
    )
    result = tmp_path / "tanh.json"
    cli.main(["verify", str(problem), "--save-derivation", str(result)])
    saved = json.loads(result.read_text())
    assert [one["verdict"] for one in saved["claims"]] == ["proved", "refuted"]
    assert check(saved).outcome == "ACCEPTED"
    edits.claimed(1, "rho", "e*tanh(e/2)/2")(saved)
    assert check(saved).outcome == "REJECTED"


# -- what it rests on --------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", ["1/1000000", "1/3", "1", "5/4", "10", "12345/7"])
def test_enclosures(x: str) -> None:
    value = Fraction(x)
    with localcontext() as context:
        context.prec = 80
        near = Decimal(value.numerator) / Decimal(value.denominator)
        pairs = [
            (enclosures.exponential((value, value)), near.exp()),
            (enclosures.logarithm((value, value)), near.ln()),
            (enclosures.power((value, value), Fraction(1, 2)), near.sqrt()),
            (enclosures.exponential((-value, -value)), (-near).exp()),
        ]
    for (low, high), exact in pairs:
        slack = Fraction(abs(exact)) / 10**70
        assert low - slack <= Fraction(exact) <= high + slack
        assert high - low <= max(Fraction(1), abs(Fraction(exact))) / 10**40


@pytest.mark.parametrize(
    ("difference", "proof"),
    [
        ("a - b", {"rest": "a - b"}),
        ("a - max(a, b)", {"choose": "max(a, b)", "cases": [["a", {"rest": "0"}]]}),
        ("max(a, b) - a - b", {"weights": [["max(a, b)", [["a", "1"], ["b", "1"]]]], "rest": "0"}),
        ("d - 1/2", {"unit": ["d"], "rest": "d - 1/2"}),
        ("a - 1", {"bounds": [["a", "least", "1"]], "rest": "0"}),
        # its slope (n - 1)*(n - 2) is >= 0 at all whole numbers, and below 0 between two of them
        (
            "n**3/3 - 3*n**2/2 + 2*n - 5/6",
            {
                "steps": [
                    ["slope", "n", "least"],
                    ["signs"],
                    ["split", "n", "1"],
                    ["number", "n"],
                    ["signs"],
                    ["signs"],
                ]
            },
        ),
        ("n - 2", {"steps": [["number", "n"], ["signs"]]}),
        ("x + 1", {"steps": [["square", "x", "1/2"], ["signs"], ["signs"], ["signs"]]}),
        ("a**2 - 3*a + 2", {"steps": [["square", "a", "1"], ["signs"], ["signs"], ["signs"]]}),
        ("max(a, b) - 2*b", {"steps": [["largest", "max(a, b)", "2*b"], ["signs"]]}),
    ],
)
def test_nothing_false_is_shown(difference: str, proof: Any) -> None:
    domains = {"a": "positive", "b": "positive", "d": "in (0,1)", "n": "integer >= 1", "x": "real"}
    algebra = Algebra(domains)
    with pytest.raises(Rejected):
        comparisons.show(algebra, algebra.read(difference), proof)
