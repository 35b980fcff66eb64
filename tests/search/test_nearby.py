"""What would make a refuted claim true, and which mechanism alone refutes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front.studies.loading import load
from dpcompose.front.studies.results import Answer
from dpcompose.front.studies.study import Study
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.proofs import Proofs
from dpcompose.spaces.moves.granularities import Granularity

PROBLEMS = Path(__file__).resolve().parents[2] / "notebooks" / "problems"
ONLY_FOR_UNBOUNDED = "for add/remove (unbounded) neighbours"
UNBOUNDED = f"{ONLY_FOR_UNBOUNDED}, also in the guarantees"
IDENTIFIERS = "for records with identifiers, of which each mechanism reads some"
COMMON = "with guarantees on the common domain"
STATED = "with guarantees for replace-one (bounded) neighbours"


def two(stated: str, domain: str, target: str, adaptive: bool = False) -> Study:
    """Two mechanisms on disjoint parts of three records."""
    granularities = {"unbounded": dpc.unbounded, "bounded": dpc.bounded}
    return dpc.compose(
        *(
            dpc.mechanism(
                f"M{i}",
                reads=dpc.restriction(part),
                satisfies=dpc.pure(f"e{i}", granularities[stated], domain=domain),
            )
            for i, part in ((1, ["a"]), (2, ["b", "c"]))
        ),
        on=dpc.multisets("abc"),
        target=granularities[target],
        adaptive=adaptive,
    )


def refuted(study: Study, claim: str) -> Answer:
    found = study.check(dpc.pure(claim))
    assert found.verdict == "refuted"
    return found


@pytest.mark.parametrize(
    ("study", "claim", "changes"),
    [
        (two("bounded", "common", "bounded"), "max(e1, e2)", (UNBOUNDED, IDENTIFIERS)),
        (two("bounded", "own", "bounded"), "e1 + e2", (UNBOUNDED, IDENTIFIERS, COMMON)),
        (two("bounded", "own", "bounded"), "max(e1, e2)", (UNBOUNDED, IDENTIFIERS)),
        (two("unbounded", "own", "bounded"), "e1 + e2", (ONLY_FOR_UNBOUNDED,)),
        (two("unbounded", "common", "bounded"), "e1 + e2", (ONLY_FOR_UNBOUNDED, STATED)),
        (two("unbounded", "common", "unbounded"), "min(e1, e2)", ()),
    ],
)
def test_changes_that_make_a_claim_true(study: Study, claim: str, changes: tuple[str, ...]) -> None:
    assert refuted(study, claim).nearby == changes


def test_what_does_not_hold_nearby_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the verdict itself is made again from its saved form, and each change that makes a claim true."""
    made = []
    whole = Proofs.replayed
    monkeypatch.setattr(Proofs, "replayed", lambda self, some: made.append(self) or whole(self, some))
    assert refuted(two("unbounded", "common", "unbounded"), "min(e1, e2)").nearby == ()
    assert len(made) == 1
    assert len(refuted(two("bounded", "common", "bounded"), "max(e1, e2)").nearby) == 2
    assert len(made) == 4


@pytest.mark.parametrize(("delta", "tried"), [("1/2", False), ("0", True)])
def test_a_claim_is_refuted_only_through_pages_that_apply(
    delta: str, tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of δ = 0 says nothing of a claim with another δ."""
    asked = []
    whole = Prover.by

    def by(prover: Prover, rule: str, /, *premises: Any, **arguments: Any) -> Theorem:
        asked.append((rule, tuple(arguments.get("through", ()))))
        return whole(prover, rule, *premises, **arguments)

    monkeypatch.setattr(Prover, "by", by)
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.unbounded)), on=dpc.multisets("ab"), target=dpc.bounded
    )
    study.check(dpc.approximate("e", delta))
    assert (("refute", ("approximate-to-pure",)) in asked) is tried


def test_a_changed_target_says_which_guarantees_change_with_it() -> None:
    """The first mechanism's guarantee stays: it would be none for add/remove neighbours."""
    stated = ((1, dpc.unbounded), (2, dpc.bounded))
    parts = [
        dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", g, "own"), reads=dpc.restriction(["a"])) for i, g in stated
    ]
    study = dpc.compose(*parts, on=dpc.multisets("abc"), target=dpc.bounded)
    assert refuted(study, "e1 + e2").nearby == (
        f"{UNBOUNDED} that are for the target",
        COMMON,
    )


@pytest.mark.parametrize("target", [dpc.group(2, dpc.bounded), dpc.free_lunch])
def test_one_record_becomes_any_number_of_positions(target: Granularity) -> None:
    """Two changes may be at two positions of which the first mechanism reads both."""
    parts = [
        dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", dpc.bounded, "own"), reads=dpc.restriction(records))
        for i, records in ((1, ["a"]), (2, ["b", "c"]))
    ]
    study = dpc.compose(*parts, on=dpc.multisets("abc"), target=target)
    assert IDENTIFIERS not in refuted(study, "max(e1 + e2, 2*e2)").nearby
    assert (IDENTIFIERS in refuted(study, "2*max(e1, e2)").nearby) == (target != dpc.free_lunch)


def test_what_is_named_is_proved_there() -> None:
    """Each change is made by hand, and the claim is proved after it."""
    assert two("unbounded", "common", "unbounded").check(dpc.pure("max(e1, e2)")).verdict == "proved"
    assert two("bounded", "common", "bounded").check(dpc.pure("e1 + e2")).verdict == "proved"
    halves = [
        dpc.mechanism(f"M{i}", reads=dpc.positions(*at), satisfies=dpc.pure(f"e{i}", dpc.bounded, "own"))
        for i, at in ((1, (1, 2)), (2, (3, 4)))
    ]
    ordered = dpc.compose(*halves, on=dpc.tuples(size="= 6"), target=dpc.bounded)
    assert ordered.check(dpc.pure("max(e1, e2)")).verdict == "proved"


def test_families_have_nearby_settings_too() -> None:
    study, claims = load(PROBLEMS / "18-any-number-of-districts.toml")
    assert study.check(claims[2]).nearby == (UNBOUNDED, IDENTIFIERS)


@pytest.mark.parametrize(("adaptive", "item"), [(False, "GB:VII.2"), (True, "GB:VII.3")])
def test_a_mechanism_that_loses_too_much_alone(adaptive: bool, item: str) -> None:
    both = [dpc.mechanism(name, dpc.pure(e, dpc.unbounded)) for name, e in (("M1", "e1"), ("M2", "3*e1"))]
    study = dpc.compose(*both, on=dpc.multisets("ab"), target=dpc.unbounded, adaptive=adaptive)
    found = refuted(study, "2*e1").counterexample
    assert found is not None and found.alone is not None
    assert (found.alone.mechanism, found.alone.loss.number, found.alone.by) == ("M2", 3, item)
    none = refuted(study, "7/2*e1").counterexample
    assert none is not None and none.alone is None


def test_the_text_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    from dpcompose.front.cli import main

    assert main(["verify", str(PROBLEMS / "03-bounded-own-domain.toml")]) == 0
    shown = capsys.readouterr().out
    assert "  already M1 alone loses oo (GB:VII.2)\n" in shown
    assert f"  it would hold {COMMON}\n" in shown
