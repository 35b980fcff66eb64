"""The second checker agrees with what is saved of shipped problems, and rejects what is forged of them."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import frozen
import pytest
from forged_results import classes, curves, derivations, edits, mechanisms, settings
from second_checker import comparisons, enclosures, verdicts
from second_checker.algebra import Algebra
from second_checker.outcomes import Rejected
from second_checker.verdicts import NOT_READ, check

from dpcompose.front import cli

SOURCES = {one.name: one for one in frozen.frozen()}


@cache
def text(name: str, folder: Path) -> str:
    """What the command saves of a problem, once for all tests that run at the same time."""
    known = folder / f"{name.replace('/', ' ')}.json"
    if not known.exists():
        with tempfile.TemporaryDirectory(dir=folder) as own:
            file, out = Path(own) / "problem.toml", Path(own) / "saved.json"
            file.write_text(classes.MADE.get(name) or SOURCES[name].problem, encoding="utf-8")
            cli.main(["verify", str(file), "--save-derivation", str(out)])
            out.replace(known)  # whole, or not there
    return known.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "second-checker"
    folder.mkdir(exist_ok=True)
    return lambda name: json.loads(text(name, folder))


SHARES = 8
"""Into how many tests the shipped problems are divided."""


@pytest.mark.parametrize("share", range(SHARES))
def test_what_is_judged(saved: Callable[[str], Any], share: int) -> None:
    """Every shipped problem is judged, but for those that are refused by name; none is rejected."""
    found = {name: check(saved(name)) for name in sorted(SOURCES)[share::SHARES]}
    refused = {name: why for name, why in REFUSED.items() if name in found}
    assert {name: v.why for name, v in found.items() if v.outcome == "REJECTED"} == {}
    assert {name: v.why for name, v in found.items() if v.outcome == "NOT READ"} == refused
    assert sum(v.outcome == "ACCEPTED" for v in found.values()) == len(found) - len(refused)


def test_how_many_are_judged() -> None:
    assert len(SOURCES) - len(REFUSED) >= ACCEPTED and REFUSED.keys() <= SOURCES.keys()


def test_every_reason_has_a_name() -> None:
    """What is refused anywhere in the second checker stands in its short list, and nothing else does."""
    files = sorted(Path(verdicts.__file__).parent.glob("*.py"))
    raised = {name for file in files for name in re.findall(r'NotRead\(\s*"(\w+)"', file.read_text("utf-8"))}
    assert raised == set(NOT_READ)


ACCEPTED = 165
REFUSED = (
    dict.fromkeys(
        [
            "problems/69-two-districts",
            "problems/71-private-in-a-metric",
            "problems/72-sensitivity-of-maps",
            "problems/73-no-bound-without-clipping",
            "problems/74-clipping-bounds-the-loss",
            "problems/75-districts-in-their-metrics",
            "problems/76-metrics-of-your-own",
            "problems/105-distances-in-a-table",
            "problems/106-metrics-beside-neighbours",
            "problems/107-normal-noise-on-points",
            "problems/108-a-delta-of-its-own",
            "problems/109-a-metric-through-a-map",
            "problems/111-metrics-for-neighbours",
            "problems/113-any-number-of-releases-of-a-place",
            "problems/114-a-study-and-a-table-in-metrics",
        ],
        ("metrics",),
    )
    | dict.fromkeys(
        [
            "problems/97-visits-of-one-person",
            "problems/99-a-household-of-any-size",
            "problems/115-patients-of-any-number-of-hospitals",
            "problems/116-a-hundred-patients-at-once",
            "problems/117-incomes-in-brackets",
            "problems/118-blocks-of-a-city",
            "problems/119-noise-for-persons",
            "pages/shapes/contributions",
            "pages/shapes/any-number-of-records",
            "pages/shapes/groups-of-any-size",
            "pages/facts/bags-metric",
        ],
        ("setting",),
    )
    | {
        "problems/95-values-between-bounds": ("assumed",),
        "problems/122-anybody-among-the-members": ("assumed",),
        "problems/96-several-guarantees": ("also",),
        "pages/shapes/corners": ("setting",),
        "problems/121-clipped-gradients": ("formula",),
    }
)

# -- forgeries ---------------------------------------------------------------------------------------------


FORGERIES = {
    **derivations.FORGERIES,
    **curves.FORGERIES,
    **settings.FORGERIES,
    **classes.FORGERIES,
    **mechanisms.FORGERIES,
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_rejected(name: str, saved: Callable[[str], Any]) -> None:
    of, edit = FORGERIES[name]
    assert of not in REFUSED and check(saved(of)).outcome == "ACCEPTED"
    forged = saved(of)
    edit(forged)
    assert forged != saved(of)
    assert check(forged).outcome == "REJECTED"


def changed(data: Any, verdict: str, loose: bool | None) -> Iterator[tuple[int, dict[str, str]]]:
    """The claims with this verdict, by number."""
    for n, one in enumerate(data.get("claims", []), 1):
        if "core" in data and (one["verdict"], one.get("loose")) == (verdict, loose):
            yield n, one["claim"]


def test_half_of_what_is_least_is_rejected(saved: Callable[[str], Any]) -> None:
    """Of each claim that equals what is lost, one parameter halved."""
    tried = 0
    for name in SOURCES.keys() - REFUSED.keys():
        for n, claim in changed(saved(name), "proved", False):
            key = {"approximate": "delta"}.get(claim["notion"], next(k for k in claim if k != "notion"))
            if claim[key] not in ("0", "oo"):
                forged = saved(name)
                edits.claimed(n, key, f"({claim[key]})/2")(forged)
                assert check(forged).outcome == "REJECTED", (name, claim)
                tried += 1
    assert tried >= HALVED


def test_nothing_that_says_nothing_is_refuted(saved: Callable[[str], Any]) -> None:
    """Of each refuted claim with a delta, delta made 1."""
    tried = 0
    for name in SOURCES.keys() - REFUSED.keys():
        for n, claim in changed(saved(name), "refuted", None):
            if claim["notion"] == "approximate":
                forged = saved(name)
                edits.claimed(n, "delta", "1")(forged)
                assert check(forged).outcome == "REJECTED", (name, claim)
                tried += 1
    assert tried >= SAID


HALVED, SAID = 100, 20


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
    ],
)
def test_nothing_false_is_shown(difference: str, proof: Any) -> None:
    domains = {"a": "positive", "b": "positive", "d": "in (0,1)"}
    algebra = Algebra(domains)
    with pytest.raises(Rejected):
        comparisons.show(algebra, algebra.read(difference), proof)
