"""Every shipped problem and every page's example, read and judged once, and asked everything.

What the command says is what it said before: where a change is meant, `python tests/goldens/renew.py [NAME…]`
writes the new texts.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import frozen
import pytest
import saved_results
from forged_results import edits
from frozen import Asked, Frozen
from saved_results import REFUSED
from second_checker import verdicts as second
from shipped import IN_METRICS, SHIPPED
from tags import Tags

from dpcompose.front.printers import render
from dpcompose.front.studies import as_json
from dpcompose.front.studies import recheck as checker
from dpcompose.front.studies.results import Answer
from dpcompose.front.studies.study import Study
from dpcompose.proof.theory import registry

EVERY = list(frozen.frozen())
LARGE = {
    f"problems/{name}"
    for name in [
        "42-sequential-gaussian",
        "57-delta-beside-gaussian",
        "59-a-million-mechanisms",
        "69-two-districts",
        "76-metrics-of-your-own",
        "113-any-number-of-releases-of-a-place",
        "117-incomes-in-brackets",
        "120-twenty-choices",
        "121-clipped-gradients",
        "141-how-concentrated-noise-is",
        "147-a-choice-by-scores",
        "152-advanced-composition-with-deltas",
        "178-training-with-samples",
        "184-renyi-on-parts",
        "186-renyi-of-noise",
        "196-normal-noise-of-a-lecture",
        "215-places-within-a-mile",
        "231-as-hard-as-laplace-noise",
        "239-days-of-a-diary",
        "241-releases-below-a-bound",
        "244-how-much-a-choice-concentrates",
        "251-training-with-normal-noise",
        "256-tables-in-every-notion",
        "263-households-of-visitors",
    ]
}
LARGE |= {"pages/conversions/pure-to-renyi-least", "pages/named/comparison"}
"""Those that take a second or more: half of what all of them take."""
LEFT = {one.name for n, one in enumerate(frozen.pages()) if n % 4}
LEFT |= {name for n, name in enumerate(sorted(LARGE)) if n % 4} | {
    "problems/120-twenty-choices",
    "pages/noises/exponential",
}


def shared(one: Frozen) -> Any:
    """A normal run asks every shipped problem, but every fourth of the large ones, and every fourth example of
    a page.  The other questions than what the command says are asked of a share of these (tests/shares.py)."""
    return pytest.param(one, id=one.name, marks=[pytest.mark.slow] if one.name in LEFT else [])


@pytest.fixture(scope="module", params=map(shared, EVERY))
def one(request: pytest.FixtureRequest) -> Frozen:
    found: Frozen = request.param
    return found


@pytest.fixture(scope="module")
def asked(one: Frozen, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    found = one.asked()
    saved_results.keep(one.name, found.saved, saved_results.folder(tmp_path_factory))
    return found


def difference(kept: str, said: str, name: str) -> str:
    """The lines in which two texts differ."""
    lines = difflib.unified_diff(
        kept.splitlines(), said.splitlines(), f"{name}, as kept", f"{name}, today", lineterm=""
    )
    return "\n".join(lines)


@pytest.mark.whole
def test_golden(one: Frozen, asked: Asked) -> None:
    kept, said = one.golden.read_text(encoding="utf-8"), asked.said
    if said != kept:
        pytest.fail(
            f"{difference(kept, said, one.name)}\nif this is meant: python tests/goldens/renew.py {one.name}",
            pytrace=False,
        )


SMALLER = {
    "78-a-study-in-a-study",
    "187-renyi-for-households",
}
"""A smaller bound of a study's mechanisms one by one is known."""
UNKNOWN = {
    "294-orders-up-to-eight",
    "284-optimal-composition-of-k",
    "288-couples-who-join-a-study",
    "272-persons-and-single-visits",
    "248-one-leaves-the-sample-another-enters",
    "266-places-with-normal-noise",
    "219-a-choice-with-a-delta",
    "225-guesses-better-than-a-coin",
    "226-a-visitor-in-place-of-another",
    "09-textbook-advanced-composition",
    "47-claims-in-other-notions",
    "50-mixed-notions",
    "52-delta-zero",
    "53-zcdp-with-a-delta",
    "54-gaussian-with-a-delta",
    "55-zcdp-closer",
    "56-laplace-with-a-delta",
    "57-delta-beside-gaussian",
    "58-noises-together",
    "59-a-million-mechanisms",
    "111-metrics-for-neighbours",
    "153-textbook-normal-noise",
    "154-the-least-delta-itself",
    "185-renyi-at-one-order",
    "188-truncated-on-parts",
    "189-truncated-for-any-number-of-parts",
    "190-places-that-nobody-listed",
    "196-normal-noise-of-a-lecture",
    "197-a-lecture-s-noise-at-nine",
    "198-a-lecture-s-noise-beyond-nine",
    "199-a-random-row",
    "200-pointwise-is-not-enough",
    "209-error-rates-of-attackers",
    "210-losses-of-two-releases",
    "211-a-jury-of-twelve",
    "230-two-rounds-on-samples",
    "233-error-rates-of-two-offices",
}
"""The least epsilon is a decimal; conversions, the exponential mechanism and single tables may lose less."""


def test_it_comes_out_as_it_expects(one: Frozen, asked: Asked) -> None:
    claims, found = tomllib.loads(one.problem)["claims"], asked.verified
    assert all("expect" in claim for claim in claims)
    assert asked.printed["verify --json"].status == 0
    assert [claim["verdict"] for claim in found["claims"]] == [claim["expect"] for claim in claims]
    if one.source in SHIPPED and one.source not in IN_METRICS:
        name = one.source.stem
        assert found["optimal"] is (False if name in SMALLER else None if name in UNKNOWN else True)


def test_what_is_saved_is_checked_again(
    one: Frozen, asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / "d.json"
    saved.write_text(asked.saved, encoding="utf-8")
    outcome = checker.outcome(json.loads(asked.saved), registry.standard())
    monkeypatch.setattr(checker, "outcome", lambda *_: outcome)  # both commands print what is checked once
    read, said = frozen.command(["recheck", "--json"], str(saved)), asked.verified
    found = json.loads(read.out)
    assert read.status == 0 and found["checked"]
    assert found["verdicts"] == [claim["expect"] for claim in tomllib.loads(one.problem)["claims"]]
    if one.source in IN_METRICS:
        assert (found["guarantee"], found["optimal"]) == (said["guarantee"], said["optimal"])
    else:
        assert found["elaborated"] and found["steps"] > 0
        shown = frozen.command(["recheck"], str(saved))
        assert shown.status == 0
        assert re.search(rf"^{re.escape(str(saved))}: [1-9]\d* steps checked$", shown.out, re.MULTILINE)


def test_nothing_rests_on_a_page_that_is_only_believed(asked: Asked) -> None:
    results = [asked.study.bound.relies_on, *(answer.relies_on for answer in asked.answers)]
    assert not [page.id for some in results for page in some if page.is_believed]


TAGS = {"p", "b", "br", "small", "mark", "span", "details", "summary", "ol", "li"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td", "em", "ul", "code"}


def test_everything_is_shown(asked: Asked) -> None:
    study, result = asked.study, asked.study.guarantee()
    about_neighbours = () if study.setting.at_all_pairs else (study.theorems(),)
    for value in (study, result, result.derivation, *about_neighbours, *asked.answers):
        shown = Tags(value._repr_html_())  # type: ignore[attr-defined]
        assert shown.text and set(shown.seen) <= TAGS
        assert "\n" not in repr(value)
    assert "$" in result._repr_latex_()


def test_a_study_answers_the_same_questions_and_shows_all_answers(one: Frozen, asked: Asked) -> None:
    study, answers = asked.study, asked.answers
    assert type(study) is Study and {type(one) for one in answers} == {Answer}
    result = study.guarantee()
    steps = result.derivation.told.steps
    assert [step.n for step in steps] == list(range(1, len(steps) + 1))
    assert all(n < step.n for step in steps for n in step.uses) and steps[-1].uses
    document = study.to_latex(answers)
    assert document.count(r"\paragraph{Claim") == len(answers) and r"\begin{theorem}" in document
    for value in (study, result, result.derivation, *answers):
        assert value._repr_latex_()
    for n, answer in enumerate(answers, start=1):
        assert f"claim {n}: " in render.verdict(n, answer)
        if answer.counterexample is not None:
            assert f"true {answer.counterexample.what}" in answer._repr_html_()
            assert "right is: " in render.verdict(n, answer)
    said = as_json.problem_data(one.source.name, study, study.bound, answers)
    assert [one["verdict"] for one in json.loads(json.dumps(said))["claims"]] == [x.verdict for x in answers]


# -- the second checker ------------------------------------------------------------------------------------


def test_it_is_judged_a_second_time(one: Frozen, asked: Asked) -> None:
    """The second checker accepts what is saved, or refuses it by name."""
    found = second.check(json.loads(asked.saved))
    refused = REFUSED.get(one.name)
    assert (found.outcome, found.why) == (("NOT READ", refused) if refused else ("ACCEPTED", ()))


def claims_that_change(of: Any, verdict: str, loose: bool | None) -> Iterator[tuple[int, dict[str, str]]]:
    """The claims with this verdict, by number, in which a parameter can be made another one: half of one that
    is as small as can be, or a delta of 1 of one that is refuted."""
    for n, one in enumerate(of["claims"], 1):
        if (one["verdict"], one.get("loose")) == (verdict, loose):
            yield n, one["claim"]


def halves(of: Any) -> Iterator[tuple[int, str, str]]:
    """Of each claim that equals what is lost, one parameter halved."""
    for n, claim in claims_that_change(of, "proved", False):
        key = {"approximate": "delta"}.get(claim["notion"], next(k for k in claim if k != "notion"))
        if claim[key] not in ("0", "oo"):
            yield n, key, f"({claim[key]})/2"


def ones(of: Any) -> Iterator[tuple[int, str, str]]:
    """Of each refuted claim with a delta, delta made 1: then it says nothing."""
    for n, claim in claims_that_change(of, "refuted", None):
        if claim["notion"] == "approximate":
            yield n, "delta", "1"


def test_claims_made_false_are_rejected(one: Frozen, asked: Asked) -> None:
    """Half of what is least is no guarantee, and nothing that says nothing is refuted."""
    if one.name not in REFUSED:
        saved = json.loads(asked.saved)
        for forgery in (*halves(saved), *ones(saved)):
            forged = json.loads(asked.saved)
            edits.claimed(*forgery)(forged)
            assert second.check(forged).outcome == "REJECTED", forgery


def test_many_claims_are_made_false() -> None:
    """As the goldens have them."""
    known = [one.kept for one in EVERY if one.name not in REFUSED]
    assert sum(len(list(halves(one))) for one in known) >= HALVED
    assert sum(len(list(ones(one))) for one in known) >= SAID


HALVED, SAID = 100, 20
