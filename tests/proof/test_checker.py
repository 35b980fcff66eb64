"""Forged derivations are refused, each with its message, and nothing else is believed by mistake.

See `forgeries` for the table of forged ones.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import shutil
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import forgeries
import pytest
from forgeries import EVERY, Forgery, NoTable, forge, parent, saved
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpcompose.front import cli
from dpcompose.front.study import Study, load, show
from dpcompose.privacy import problems
from dpcompose.proof import certificates, checker, computed, registry, rules
from dpcompose.proof.checker import Refused

GOOD = [
    "01-bounded-parallel.toml",
    "03-bounded-own-domain.toml",
    "04-hospitals.toml",
    "05-merged-fibres.toml",
    "12-no-neighbours.toml",
    "19-order-based.toml",
    "20-any-number-of-order-based-parts.toml",
    "21-free-lunch-and-groups.toml",
    "47-claims-in-other-notions.toml",
    "50-mixed-notions.toml",
    "51-one-file-four-notions.toml",
    "78-a-study-in-a-study.toml",
    "beside.toml",
    "calculus.toml",
    "curve.toml",
    "implied.toml",
    "many.toml",
    "nested.toml",
    "numbers.toml",
    "weights.toml",
]
"""The problem files whose derivations are forged; those of tests/forged/ have what the others lack."""


def refusal(data: Any) -> str:
    with pytest.raises(Refused) as refused:
        checker.check(data, registry.standard())
    return str(refused.value)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_derivation_is_accepted(name: str) -> None:
    found = checker.check(saved(name), registry.standard())
    study, claims = load(forgeries.problem(name))
    assert found.verdicts == tuple(study._searched(claim).verdict for claim in claims)
    assert found.guarantee == study.bound.guarantee
    assert found.optimal == study.bound.optimal


@pytest.mark.parametrize("name", GOOD)
def test_a_good_derivation_is_accepted_without_search_and_solver(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = saved(name)

    def no(*_: object, **__: object) -> None:
        raise AssertionError("the checker searches")

    monkeypatch.setattr("dpcompose.search.decide.at_least", no)
    monkeypatch.setattr("dpcompose.search.solver.Z3.solve", no)
    monkeypatch.setattr("dpcompose.search.bounds.best", no)
    checker.check(data, registry.standard())


# forged derivations


@pytest.mark.parametrize("one", EVERY.values(), ids=lambda one: one.name)
def test_forged(one: Forgery) -> None:
    forged = one.forged()
    assert json.dumps(forged) != json.dumps(one.good()), "the edits change nothing"
    assert refusal(forged) == one.refused


def test_the_table_is_read_as_it_is_written() -> None:
    text = forgeries.TABLE.read_text(encoding="utf-8")
    assert forgeries.write(forgeries.read(text)) == text == forgeries.write(EVERY.values())
    assert len(EVERY) == text.count("\n") == 291
    beside = {file.name for file in forgeries.FORGED.iterdir() if file.name != "__pycache__"}
    assert beside - {"forgeries.jsonl", "kernel.jsonl", "renew.py", "renew_kernel.py"} == {
        one.of for one in EVERY.values() if (forgeries.FORGED / one.of).exists()
    }


def test_a_table_that_is_not_in_order_is_noticed() -> None:
    a, b, c = islice(EVERY.values(), 3)
    again = dataclasses.replace(a, name="zzz")
    for rows, message in [
        ([a, a], "twice, or out of order"),
        ([a, dataclasses.replace(b, name=a.name)], "twice, or out of order"),
        ([b, a, c], "twice, or out of order"),
        ([a, b, again], f"'zzz' is '{a.name}' again"),
    ]:
        with pytest.raises(NoTable, match=message):
            forgeries.read(forgeries.write(rows))
    twice = a.line.replace("{", '{"name": "other", ', 1)
    with pytest.raises(NoTable, match="a key stands twice"):
        forgeries.read(twice)
    with pytest.raises(TypeError, match="more"):
        forgeries.read(a.line.replace("{", '{"more": 1, ', 1))


def test_the_command_refuses_files_of_an_older_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "forged.json"
    file.write_text(json.dumps(EVERY["changed-bound"].forged()), encoding="utf-8")
    assert cli.main(["recheck", str(file)]) == 1
    assert capsys.readouterr().out == f"{file}: REFUSED\n  this is no saved derivation of format 2\n"


# forgeries of what no line states: what stands in the file must be checked or not be there


UNCHECKED: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "the text of a proved claim": (
        "01-bounded-parallel.toml",
        [{"at": ["claims", 1, "claim", "epsilon"], "value": "0"}],
    ),
    "the text of a refuted claim": (
        "01-bounded-parallel.toml",
        [{"at": ["claims", 0, "claim", "epsilon"], "value": "e1 + e2 + e3"}],
    ),
    "no text of a claim": ("01-bounded-parallel.toml", [{"at": ["claims", 1, "claim"], "delete": True}]),
    "a counterexample to a proved claim": (
        "01-bounded-parallel.toml",
        [{"at": ["claims", 1, "counterexample"], "copy": ["claims", 0, "counterexample"]}],
    ),
    "a reason for a proved claim": (
        "01-bounded-parallel.toml",
        [{"at": ["claims", 1, "reason"], "value": "it is wrong"}],
    ),
    "what is expected of a claim": (
        "01-bounded-parallel.toml",
        [{"at": ["claims", 0, "expect"], "value": "proved"}],
    ),
    "loose is no truth value": ("01-bounded-parallel.toml", [{"at": ["claims", 2, "loose"], "value": "no"}]),
    "loose is 1": ("01-bounded-parallel.toml", [{"at": ["claims", 1, "loose"], "value": 1}]),
    "loose where there are no neighbours": (
        "12-no-neighbours.toml",
        [{"at": ["claims", 0, "loose"], "value": True}],
    ),
    "not loose where there are no neighbours": (
        "12-no-neighbours.toml",
        [{"at": ["claims", 0, "loose"], "value": False}],
    ),
    "evidence for a profile": (
        "01-bounded-parallel.toml",
        [{"at": ["lines", 5, "evidence"], "value": "trust me"}],
    ),
    "evidence for a guarantee that needs none": (
        "01-bounded-parallel.toml",
        [{"at": ["lines", 0, "evidence"], "value": {"epsilon": []}}],
    ),
    "evidence for a hypothesis": (
        "01-bounded-parallel.toml",
        [{"at": ["lines", 6, "evidence"], "value": {"partition": "yes"}}],
    ),
    "evidence for another parameter": (
        "numbers.toml",
        [{"at": ["lines", 0, "evidence", "delta"], "value": "0"}],
    ),
    "roles of a page without letters": (
        "01-bounded-parallel.toml",
        [{"at": ["lines", 5, "roles"], "value": {"k": 2}}],
    ),
    "a second role of a guarantee": (
        "01-bounded-parallel.toml",
        [{"at": ["lines", 0, "roles", "granularity"], "value": "unbounded"}],
    ),
    "a guarantee from another one": (
        "01-bounded-parallel.toml",
        [{"at": ["lines", 1, "from"], "value": [1]}],
    ),
    "a hypothesis from a guarantee": (
        "01-bounded-parallel.toml",
        [{"at": ["lines", 6, "from"], "value": [1]}],
    ),
}


@pytest.mark.parametrize("what", UNCHECKED)
def test_nothing_is_accepted_unchecked(what: str) -> None:
    name, edits = UNCHECKED[what]
    assert refusal(forge(saved(name), edits))


HARMLESS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "mechanism true": ("01-bounded-parallel.toml", [{"at": ["lines", 0, "roles", "M"], "value": True}]),
    "from line true": ("05-merged-fibres.toml", [{"at": ["lines", 1, "from", 0], "value": True}]),
    "line 1.0": ("01-bounded-parallel.toml", [{"at": ["lines", 0, "n"], "value": 1.0}]),
    "format true": ("01-bounded-parallel.toml", [{"at": ["format"], "value": True}]),
    "a note": ("01-bounded-parallel.toml", [{"at": ["note"], "value": "proved for all notions"}]),
    "a page that no line is by": (
        "01-bounded-parallel.toml",
        [{"at": ["pages", "sequential"], "value": registry.standard().pages["sequential"].sha256}],
    ),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_is_accepted_is_the_same_statement(what: str) -> None:
    """JSON has several texts for a value, and a file may have a key more: refused, or no other meaning."""
    name, edits = HARMLESS[what]
    refused_or_true(name, forge(saved(name), edits))


def test_an_undecided_claim_says_nothing() -> None:
    """A verdict may be given up: an undecided claim states less, and needs no certificate."""
    data = saved("01-bounded-parallel.toml")
    del data["claims"][1]["loose"], data["claims"][1]["certificate"]
    data["claims"][1] |= {"verdict": "undecided", "reason": "not tried"}
    assert checker.check(data, registry.standard()).verdicts == ("refuted", "undecided", "proved")


# pages


@pytest.mark.parametrize(
    "page", ["parallel-bounded", "minimum-privacy", "pure", "edit-types", "pure-witness"]
)
def test_a_page_that_changed_on_disk_is_noticed(tmp_path: Path, page: str) -> None:
    shutil.copytree(registry.folder(), tmp_path / "theorems")
    (path,) = (tmp_path / "theorems").rglob(f"{page}.md")
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(Refused) as refused:
        checker.check(saved("01-bounded-parallel.toml"), registry.load(tmp_path / "theorems"))
    assert str(refused.value) == f"the page {page!r} is not the one that the derivation was made with"


def test_a_page_that_is_gone_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(registry.folder(), tmp_path / "theorems")
    (path,) = (tmp_path / "theorems").rglob("parallel-bounded.md")
    path.unlink()
    with pytest.raises(Refused, match="there is no page 'parallel-bounded'"):
        checker.check(saved("01-bounded-parallel.toml"), registry.load(tmp_path / "theorems"))


# files of wrong types


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


WRONG: dict[str, Any] = {
    "null": None,
    "true": True,
    "negative": -1,
    "huge": 10**40,
    "float": 1.0,
    "infinity": float("inf"),
    "text": "at least",
    "list": [],
    "list of lists": [[1], [2], [3]],
    "mixed list": ["a", 1, None],
    "floats": [1.0, 2.0, 3.0],
    "table": {},
    "table in a list": [{}],
    "deep": nested(400),
    "deeper": nested(900),
}


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into the data."""
    found = [path] if path else []
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            found += places(value, (*path, key))
    return found


def statement(data: Any, found: checker.Checked) -> Any:
    """What an accepted file says to a reader: the result, and each claim with its verdict."""
    claims = [(one.get("claim"), one.get("loose")) for one in data["claims"]]
    return found, data["result"], json.dumps(claims)


def weaker(says: Any, than: Any) -> bool:
    """Whether a statement says no more than another: verdicts and `loose` may be given up."""
    (found, result, claims), (good, good_result, good_claims) = says, than
    return (
        (found.title, found.guarantee, found.lines, found.believed, found.optimal, result)
        == (good.title, good.guarantee, good.lines, good.believed, good.optimal, good_result)
        and all(a in (b, "undecided") for a, b in zip(found.verdicts, good.verdicts, strict=True))
        and all(
            one[0] == other[0] and one[1] in (other[1], None)
            for one, other in zip(json.loads(claims), json.loads(good_claims), strict=True)
        )
    )


def fresh(data: Any) -> tuple[Any, list[str]]:
    """The guarantee and verdicts that a new search finds for the problem in a file."""
    problem = problems.read_data(data["problem"], show=show)
    study = Study(problem.setting)
    return study.bound.guarantee, [study._searched(claim).verdict for claim in problem.claims]


@cache
def _says(name: str) -> Any:
    good = saved(name)
    return statement(good, checker.check(good, registry.standard()))


def refused_or_true(name: str, data: Any) -> None:
    """Raises unless the file is refused, or what it says is what was saved, or is found again by a search."""
    try:
        found = checker.check(data, registry.standard())
    except Refused:
        return
    if data["problem"] == saved(name)["problem"]:
        if not weaker(statement(data, found), _says(name)):
            raise AssertionError("it is accepted and says something else")
        return
    guarantee, verdicts = fresh(data)
    assert found.guarantee == guarantee
    assert all(a in (b, "undecided") for a, b in zip(found.verdicts, verdicts, strict=True))


def wrong_where(name: str, pick: Callable[[int], list[Any]], step: int = 1) -> list[str]:
    """Each place of a file, or every step-th, holds another value: where no refusal and no truth comes out."""
    failed = []
    for n, path in islice(enumerate(places(saved(name))), 0, None, step):
        for wrong in pick(n):
            data = saved(name)
            parent(data, list(path))[path[-1]] = wrong
            try:
                refused_or_true(name, data)
            except Exception as error:  # every one is collected
                failed.append(f"{'.'.join(map(str, path))}: {type(error).__name__}: {error}"[:200])
    return failed


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_types_are_refused_everywhere(wrong: str) -> None:
    assert not wrong_where("05-merged-fibres.toml", lambda n: [WRONG[wrong]])


@pytest.mark.parametrize(
    ("name", "step"),
    [("01-bounded-parallel.toml", 1), ("many.toml", 11), ("numbers.toml", 3), ("weights.toml", 1)],
)
def test_wrong_types_are_refused(name: str, step: int) -> None:
    values = list(WRONG.values())
    assert not wrong_where(name, lambda n: [values[n % len(values)]], step)


@pytest.mark.parametrize("value", [None, True, 1, 1.5, "x", [], [1], {}, {"format": 1}, nested(900)])
def test_no_derivation_at_all(value: Any) -> None:
    assert refusal(value)


@pytest.mark.parametrize(
    "path",
    [
        ["claims", 1, "certificate", "epsilon", "at least", 0, "weights", 0, 0, 1],
        ["claims", 1, "certificate", "epsilon", "at least", 0, "weights", 0, 0, 0],
        ["claims", 1, "certificate", "epsilon", "larger at", "e"],
        ["claims", 2, "counterexample", "parameters", "n"],
        ["lines", 0, "evidence", "epsilon", 0, "bounds", 0, 2],
    ],
    ids=["weight", "index", "larger at", "counterexample", "multiple"],
)
@pytest.mark.parametrize("number", ["1e3000000", "1e-3000000", "9" * 4000, "1/" + "9" * 4000, "1_0", " 1 "])
def test_long_numbers_are_refused(path: list[Any], number: str) -> None:
    data = saved("numbers.toml")
    parent(data, path)[path[-1]] = number
    refused_or_true("numbers.toml", data)


# random mutations


VALUES = st.one_of(
    st.sampled_from(list(WRONG.values())[:13]),
    st.integers(-3, 12),
    st.sampled_from(
        ["e1", "e2", "e", "oo", "0", "1", "1/2", "-1", "2", "pure", "given", "hypothesis", "own"]
    ),
    st.sampled_from(["common", "bounded", "unbounded", "k", "least", "greatest", "proved", "refuted", "M1"]),
    st.sampled_from(["e1 + e2", "max(e1, e2)", "2*e", "x", "a", "b", "integer >= 2", "real", "any", "<= 3"]),
    st.fractions(max_denominator=9).map(str),
)


@st.composite
def mutations(draw: st.DrawFn, name: str) -> Any:
    """A good derivation after one to three changes: values replaced, dropped, doubled or exchanged."""
    data = saved(name)
    for _ in range(draw(st.integers(1, 3))):
        every = places(data)
        if not every:
            break
        path = draw(st.sampled_from(every))
        holder, key = parent(data, list(path)), path[-1]
        kind = draw(st.sampled_from(["replace", "replace", "delete", "double", "exchange", "like"]))
        if kind == "delete":
            del holder[key]
        elif kind == "double" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif kind == "exchange" and isinstance(holder, list):
            other = draw(st.integers(0, len(holder) - 1))
            holder[key], holder[other] = holder[other], holder[key]
        elif kind == "like":
            other_path = draw(
                st.sampled_from([p for p in every if p[-1] == key and p[: len(path)] != path] or [path])
            )
            holder[key] = copy.deepcopy(parent(data, list(other_path))[other_path[-1]])
        else:
            holder[key] = draw(VALUES)
    return data


@pytest.mark.parametrize("name", GOOD)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(chosen=st.data())
def test_random_mutations(name: str, chosen: st.DataObject) -> None:
    refused_or_true(name, chosen.draw(mutations(name)))


# these tests can fail: a checker that skips a check accepts forgeries


def accepted(names: set[str]) -> set[str]:
    """Which of these forgeries the checker, as it is now, accepts."""
    found = set()
    for name in names:
        try:
            checker.check(EVERY[name].forged(), registry.standard())
        except Exception:  # refused, or stopped elsewhere
            continue
        found.add(name)
    return found


def no_check(*_: object, **__: object) -> None:
    """In place of a check."""


@pytest.mark.parametrize(
    "skipped, names",
    [
        ((checker, "_check_proved"), {"loose-flipped", "weights-missing"}),
        ((checker, "_check_refuted"), {"counterexample-not-neighbours", "actual-changed"}),
        ((certificates, "check_at_least"), {"weights-negative", "weights-sum-wrong", "weights-extra"}),
        (
            (rules.Remainder, "check"),
            {"rule-weight-changed", "rule-weight-of-no-choice", "rule-of-another-claim"},
        ),
        ((certificates, "check_point"), {"larger-at-outside"}),
        ((computed, "check_proved"), {"curve-of-a-refuted-claim"}),
        ((certificates, "check_allowed"), {"larger-at-outside"}),
    ],
    ids=lambda part: part[1] if isinstance(part, tuple) else None,
)
def test_a_skipped_check_is_noticed(
    skipped: tuple[Any, str], names: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in names:
        EVERY[name].good()  # the good derivations are made by the whole program
    monkeypatch.setattr(*skipped, no_check)
    assert accepted(names) == names


def test_lines_that_are_not_compared_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where line n is only made, and what stands in the file is not looked at."""
    names = {"profile-vectors-cut-short", "swapped-granularity", "premise-not-of-the-setting"}
    for name in names:
        EVERY[name].good()

    class Anything(dict[str, Any]):
        __ne__ = lambda self, other: False  # noqa: E731
        __eq__ = lambda self, other: True  # noqa: E731

    monkeypatch.setattr("dpcompose.proof.kernel.Line.data", lambda self: Anything())
    assert accepted(names) == names
