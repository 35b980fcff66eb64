"""The second checker agrees with what is saved of shipped problems, and rejects what is forged of them."""

from __future__ import annotations

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import frozen
import pytest
from second_checker import comparisons, enclosures
from second_checker.forms import Algebra
from second_checker.outcomes import Rejected
from second_checker.verdicts import NOT_READ, check

from dpcompose.front import cli

CHOSEN = [
    "problems/01-bounded-parallel",
    "problems/02-unbounded-parallel",
    "problems/03-bounded-own-domain",
    "problems/04-hospitals",
    "problems/05-merged-fibres",
    "problems/11-part-of-bounded",
    "problems/12-no-neighbours",
    "problems/13-districts",
    "problems/14-replacement-from-unbounded",
    "problems/15-mixed-guarantees",
    "problems/17-own-and-common-domain",
    "problems/18-any-number-of-districts",
    "problems/19-order-based",
    "problems/20-any-number-of-order-based-parts",
    "problems/21-free-lunch-and-groups",
    "problems/22-adaptive",
    "problems/25-overlapping-questions",
    "problems/27-stream-in-windows",
    "problems/28-stream-with-sliding-window",
    "problems/29-add-remove-for-groups",
    "problems/33-any-number-of-gaussian-districts",
    "problems/34-zcdp-mixed-granularities",
    "problems/35-approximate-halves",
    "problems/36-sequential-approximate",
    "problems/37-closer-deltas",
    "problems/38-parts-approximate",
    "problems/41-dependent-zcdp",
    "problems/44-gaussian-commuting-metric",
    "problems/50-mixed-notions",
    "problems/51-one-file-four-notions",
    "problems/52-delta-zero",
    "problems/84-windows-of-a-stream",
    "problems/85-a-window-over-parts-of-a-stream",
    "problems/86-add-remove-or-replace",
    "pages/shapes/exhaustion",
    "pages/shapes/arrays",
    "pages/shapes/edit-types",
    "pages/conversions/pure-to-approximate",
    "pages/closer/approximate-steps",
    "problems/32-ambulances-approximate",
    "problems/46-checked-on-tables",
    "problems/47-claims-in-other-notions",
    "problems/60-histogram-noise",
    "problems/66-randomized-response",
    "problems/71-private-in-a-metric",
    "problems/80-lists-of-links",
    "problems/53-zcdp-with-a-delta",
]
"""Of each class, notion and kind of certificate some, and some that are beyond the checker."""

SOURCES = {one.name: one for one in frozen.frozen()}


@cache
def text(name: str, folder: Path) -> str:
    """What the command saves of a problem."""
    file, out = folder / "problem.toml", folder / "saved.json"
    file.write_text(SOURCES[name].problem, encoding="utf-8")
    cli.main(["verify", str(file), "--save-derivation", str(out)])
    return out.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    folder = tmp_path_factory.mktemp("saved")
    return lambda name: json.loads(text(name, folder))


def test_nothing_is_rejected(saved: Callable[[str], Any]) -> None:
    verdicts = {name: check(saved(name)) for name in CHOSEN}
    assert {name: v.why for name, v in verdicts.items() if v.outcome == "REJECTED"} == {}
    counted = Counter(v.outcome for v in verdicts.values())
    unread = {why for v in verdicts.values() if v.outcome == "NOT READ" for why in v.why}
    assert counted["ACCEPTED"] >= ACCEPTED
    assert unread == UNREAD and unread <= set(NOT_READ)


ACCEPTED = 40
UNREAD = {"arrays", "calculus", "curve", "curve_standing", "exceed", "metrics", "setting", "step", "table"}

# -- forgeries ---------------------------------------------------------------------------------------------


def set_at(*path: Any, to: Any) -> Callable[[Any], None]:
    """Puts a value at a path, which must be there and hold another one."""

    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        assert data[path[-1]] != to
        data[path[-1]] = to

    return edit


def remove(*path: Any) -> Callable[[Any], None]:
    """Takes away what is at a path."""

    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return edit


def stamped(*edits: Callable[[Any], None]) -> Callable[[Any], None]:
    """Several edits, and the hash of the setting made to fit them."""

    def edit(data: Any) -> None:
        for one in edits:
            one(data)
        core = json.dumps(data["core"], sort_keys=True, separators=(",", ":"))
        data["derivation"]["setting"] = hashlib.sha256(core.encode()).hexdigest()

    return edit


def by(data: Any, rule: str, n: int = 1) -> Any:
    """The n-th step by a rule."""
    return [one for one in data["derivation"]["steps"] if one["rule"] == rule][n - 1]


def step(rule: str, n: int, *path: Any, to: Any) -> Callable[[Any], None]:
    """Changes the n-th step by a rule."""
    return lambda data: set_at(*path, to=to)(by(data, rule, n))


def without(rule: str, n: int, *path: Any) -> Callable[[Any], None]:
    """Takes away a part of the n-th step by a rule."""
    return lambda data: remove(*path)(by(data, rule, n))


def together(*edits: Callable[[Any], None]) -> Callable[[Any], None]:
    """Several edits."""

    def edit(data: Any) -> None:
        for one in edits:
            one(data)

    return edit


def smaller_claim(data: Any) -> None:
    """The claim e1 + e2 + e3 made e1 + e2, everywhere."""
    for claim in (
        data["problem"]["claims"][2],
        data["claims"][2]["claim"],
        by(data, "weaken", 2)["claim"],
        by(data, "loose")["claim"],
    ):
        assert claim["epsilon"] == "e1 + e2 + e3"
        claim["epsilon"] = "e1 + e2"


CERTIFICATE = ("certificates", "epsilon", "proof", "cases")
FORGERIES: dict[str, tuple[str, Callable[[Any], None]]] = {
    "a smaller claim": ("problems/01-bounded-parallel", smaller_claim),
    "a claim changed in the result only": (
        "problems/01-bounded-parallel",
        set_at("claims", 2, "claim", "epsilon", to="e1 + e2"),
    ),
    "a bound claimed without its certificate": (
        "problems/01-bounded-parallel",
        step("weaken", 2, "certificates", to={}),
    ),
    "a step dropped": ("problems/01-bounded-parallel", remove("derivation", "steps", 4)),
    "a step from a later one": ("problems/01-bounded-parallel", step("worst", 1, "from", to=[4, 12])),
    "a mechanism left out": ("problems/01-bounded-parallel", step("compose", 1, "from", to=[1, 2])),
    "a mechanism twice": ("problems/01-bounded-parallel", step("given", 2, "i", to=1)),
    "a setting without its stamp": (
        "problems/01-bounded-parallel",
        set_at("core", "mechanisms", 0, "values", "epsilon", to="e2"),
    ),
    "a premise that the problem has not": (
        "problems/01-bounded-parallel",
        stamped(set_at("core", "mechanisms", 0, "values", "epsilon", to="e2")),
    ),
    "a premise changed in both": (
        "problems/01-bounded-parallel",
        stamped(
            set_at("core", "mechanisms", 0, "values", "epsilon", to="2*e1"),
            set_at("problem", "mechanisms", 0, "guarantee", "epsilon", to="2*e1"),
        ),
    ),
    "a guarantee moved to the own domain": (
        "problems/01-bounded-parallel",
        stamped(
            set_at("core", "mechanisms", 0, "domain", to="own"),
            set_at("problem", "mechanisms", 0, "guarantee", "domain", to="own"),
        ),
    ),
    "another target": (
        "problems/01-bounded-parallel",
        set_at("problem", "target", "granularity", to="unbounded"),
    ),
    "another target in the setting": (
        "problems/01-bounded-parallel",
        stamped(set_at("core", "target", "single", to=[[0, 1], [1, 0]])),
    ),
    "a parameter that may be below 0": (
        "problems/01-bounded-parallel",
        stamped(set_at("core", "parameters", "e1", to="real")),
    ),
    "a letter with another domain": (
        "problems/01-bounded-parallel",
        step("weaken", 2, "certificates", "epsilon", "letters", "e1", to="real"),
    ),
    "a case dropped": (
        "problems/01-bounded-parallel",
        without("weaken", 2, *CERTIFICATE, 0),
    ),
    "a rest changed": (
        "problems/01-bounded-parallel",
        step("weaken", 2, *CERTIFICATE, 0, 1, "rest", to="e2"),
    ),
    "a weight changed": (
        "problems/14-replacement-from-unbounded",
        step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 0, 1, to="1/3"),
    ),
    "a mixture of other weights": (
        "problems/14-replacement-from-unbounded",
        together(
            step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 0, 1, to="3/4"),
            step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 1, 1, to="1/4"),
            step("weaken", 1, *CERTIFICATE, 0, 1, "rest", to="e1/2 - e2/2"),
        ),
    ),
    "a negative weight": (
        "problems/14-replacement-from-unbounded",
        together(
            step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 0, 1, to="3/2"),
            step("weaken", 1, *CERTIFICATE, 0, 1, "weights", 0, 1, 1, 1, to="-1/2"),
        ),
    ),
    "a difference changed": (
        "problems/18-any-number-of-districts",
        step(
            "weaken",
            2,
            "certificates",
            "epsilon",
            "difference",
            to="3*max(e[i], i, 1, k) - top(2, e[i], i, 1, k)",
        ),
    ),
    "rays changed": (
        "problems/18-any-number-of-districts",
        step("weaken", 2, "certificates", "epsilon", "proof", "difference", to="2*r0_1"),
    ),
    "a witness moved": ("problems/19-order-based", step("refute", 1, "point", "e2", to="1")),
    "a witness outside": ("problems/19-order-based", step("refute", 1, "point", "e2", to="-1")),
    "a witness without a letter": (
        "problems/19-order-based",
        without("refute", 1, "point", "e2"),
    ),
    "a member that is not there": (
        "problems/18-any-number-of-districts",
        lambda data: by(data, "refute")["point"].update({"e[3]": "1"}),
    ),
    "a verdict flipped": ("problems/01-bounded-parallel", set_at("claims", 0, "verdict", to="proved")),
    "a proof taken for a refutation": (
        "problems/01-bounded-parallel",
        set_at("claims", 1, "verdict", to="refuted"),
    ),
    "a loose claim called tight": ("problems/01-bounded-parallel", set_at("claims", 2, "loose", to=False)),
    "a guarantee shown optimal elsewhere": (
        "problems/01-bounded-parallel",
        set_at("guarantee", "optimal", to=11),
    ),
    "a claim dropped": ("problems/01-bounded-parallel", remove("claims", 0)),
    "another page": (
        "problems/01-bounded-parallel",
        set_at("derivation", "pages", "pure", to="0" * 64),
    ),
    "a page not named": ("problems/01-bounded-parallel", remove("derivation", "pages", "pure-witness")),
    "neighbours that are not there": (
        "problems/01-bounded-parallel",
        step("attain", 1, "neighbours", to=[1, 2, 3, 4]),
    ),
    "a conversion left out": ("problems/51-one-file-four-notions", step("compose", 3, "from", to=[1])),
    "another conversion": (
        "problems/51-one-file-four-notions",
        step("convert", 2, "page", to="pure-to-gaussian"),
    ),
    "a delta chosen as 0": (
        "problems/51-one-file-four-notions",
        step("change", 1, "chosen", "delta", to="0"),
    ),
    "a universe with one record": (
        "problems/15-mixed-guarantees",
        stamped(set_at("core", "databases", "atoms", to=[["x"]])),
    ),
    "databases in another order": (
        "problems/05-merged-fibres",
        stamped(set_at("core", "target", "single", to=[[0, 1]])),
    ),
    "a noise of another size": (
        "problems/60-histogram-noise",
        stamped(
            set_at("core", "mechanisms", 0, "noise", "parameter", to="2/e"),
            set_at("core", "mechanisms", 0, "values", "epsilon", to="e/2"),
        ),
    ),
    "a noise of less loss than it has": (
        "problems/60-histogram-noise",
        stamped(set_at("core", "mechanisms", 0, "values", "epsilon", to="e/2")),
    ),
    "another query": (
        "problems/60-histogram-noise",
        stamped(set_at("core", "mechanisms", 0, "noise", "query", "page", to="count")),
    ),
    "another format": ("problems/01-bounded-parallel", set_at("format", to=1)),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_rejected(name: str, saved: Callable[[str], Any]) -> None:
    of, edit = FORGERIES[name]
    data = saved(of)
    assert check(data).outcome == "ACCEPTED"
    forged = copy.deepcopy(data)
    edit(forged)
    assert forged != data
    assert check(forged).outcome == "REJECTED"


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
