"""Large classes are gone through on arrays, with the same derivations, reasons and witnesses as small ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import strategies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import Twin

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.spaces.canonical import graphs

FEW = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def found(study: Study) -> Any:
    """All that a study says: the bound, its derivation, which theorems fit or why not, and verdicts."""
    try:
        guarantee = study.guarantee()
    except ValueError as error:
        return str(error)
    fits = [(fit.page.id, str(fit.reason)) for fit in study.theorems()]
    names = sorted(
        {
            str(one)
            for part in study.setting.mechanisms
            for _, v in part.satisfies.values
            for one in v.free_symbols
        }
    )
    claims = [study.check(dpc.pure(text)) for text in ("1", "+".join(names or ["2"]))]
    return str(guarantee), str(guarantee.derivation), fits, [str(one) for one in claims]


def assert_same(study: Study) -> None:
    """The answers of plain loops and of arrays, from the start; but for the page by which pairs are found."""
    plain = found(Study(replace(study.setting)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graphs, "SMALL_CLASS", 0)
        on_arrays = found(Study(replace(study.setting)))
    if isinstance(plain, tuple):
        guarantee, derivation, *others = plain
        plain = (guarantee, by_arrays(derivation), *others)
    assert on_arrays == plain


def by_arrays(derivation: str) -> str:
    return derivation.replace("[by exhaustion from", "[by arrays from")


@FEW
@given(strategies.listed(most_databases=6, most_mechanisms=3))
def test_listed_classes(twin: Twin) -> None:
    assert_same(twin.study)


@FEW
@given(st.data())
def test_multisets_that_are_gone_through(data: st.DataObject) -> None:
    """Where relations are predicates and maps are functions, no lemma applies."""
    twin = data.draw(strategies.multisets(finite=True, functions=True))
    assert_same(strategies.by_predicates(twin))


def test_a_claim_about_many_databases_is_decided_and_checked_again() -> None:
    """24,310 multisets, neighbours by a function of the user's: proved or refuted, with the smallest pair."""

    def move_up(D: tuple[str, ...]) -> list[tuple[str, ...]]:
        """One record becomes the next or the previous one."""
        near = {
            "a": "b",
            "b": "ac",
            "c": "bd",
            "d": "ce",
            "e": "df",
            "f": "eg",
            "g": "fh",
            "h": "gi",
            "i": "h",
        }
        return [
            tuple(sorted((*D[:at], other, *D[at + 1 :])))
            for at in range(len(D))
            if at == 0 or D[at] != D[at - 1]
            for other in near[D[at]]
        ]

    databases = dpc.multisets("abcdefghi", "<= 8")
    assert databases.count() == 24_310
    step = dpc.steps("one step", move_up)
    low = dpc.function("low", lambda D: sum(1 for record in D if record < "e"))  # type: ignore[union-attr]
    high = dpc.function("high", lambda D: sum(1 for record in D if record > "e"))  # type: ignore[union-attr]
    study = dpc.compose(
        dpc.mechanism("low", dpc.pure("e1", step, "common"), reads=low),
        dpc.mechanism("high", dpc.pure("e2", step, "common"), reads=high),
        on=databases,
        target=step,
    )
    assert str(study.guarantee()) == "one step (max(e1, e2))-DP, by GB:IV.12; optimal"
    assert "all 91,520 neighbouring pairs of all multisets of size <= 8" in str(study.guarantee().derivation)
    refuted = study.check(dpc.pure("e1"))
    assert refuted.verdict == "refuted" and study.check(dpc.pure("e1+e2")).verdict == "proved"
    sensitivity = dpc.sensitivity(low, databases, step, to=lambda x, y: abs(x - y))
    assert (sensitivity.value, sensitivity.pair) == (1, (("d",), ("e",)))
    d = dpc.canonical_metric(databases, step)
    assert d(("a", "a"), ("c", "i")) == 10
