"""Saved derivations with strange values in all places: each is refused, or what it shows is right."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import rechecks
from front.crashing import CRASHES, verify

from dpcompose.front.studies import recheck as checker
from dpcompose.front.studies.loading import load
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.proof.theory import registry

PROBLEMS = Path(__file__).resolve().parents[2] / "notebooks" / "problems"


# saved derivations that hold what no problem file can


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("d7_recheck_null_crash.json", "this is no saved derivation of format 2"),
        ("d7b_recheck_null_query_crash.json", "this is no saved derivation of format 2"),
        ("d9_recheck_verdict_list_crash.json", "this is no saved derivation of format 2"),
    ],
)
def test_what_no_file_can_say_is_refused(file: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = verify(CRASHES / file, capsys, "recheck")
    assert status == 1 and words in said


@cache
def normal_noise() -> str:
    """The saved file of a histogram with normal noise, on which the first two files were, in this format."""
    study, claims = load(PROBLEMS / "62-normal-noise.toml")
    return json.dumps(rechecks.saved(study, [study.check(claim) for claim in claims]))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("noise", "gaussian"), "mechanisms.1.noise.gaussian: null is no value; leave the key out"),
        (("query", "histogram"), "mechanisms.1.query.histogram: null is no value; leave the key out"),
    ],
    ids=lambda one: ".".join(one) if isinstance(one, tuple) else "",
)
def test_null_in_a_saved_problem_is_refused(
    keys: tuple[str, str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, file = json.loads(normal_noise()), tmp_path / "saved.json"
    file.write_text(json.dumps(saved))
    assert verify(file, capsys, "recheck")[0] == 0
    file.write_text(json.dumps(changed(saved, ("problem", "mechanisms", 0, *keys), None)))
    status, said = verify(file, capsys, "recheck")
    assert status == 1 and words in said


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(found for key, one in inner for found in places(one, (*path, key)))]


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The data with another value in one place."""
    made = json.loads(json.dumps(data))
    here = made
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return made


def one_in(some: int, every: int) -> Any:
    """How many of the strange values stand in one place: in a normal run fewer, and in places in turn."""
    return pytest.mark.parametrize("one_in", [some, pytest.param(every, marks=pytest.mark.slow)])


STRANGE = (None, [], {}, [[]], "", 0, -1, True, 1.5, float("nan"), 10**30, ["x", "y"], "1/0", "oo")


@cache
def plane() -> str:
    """The saved file of weighted norms in the plane, of which one had a list as a verdict, in this format."""
    study, claims = load(next(PROBLEMS.glob("71-*.toml")))
    with TemporaryDirectory() as folder:
        study.save(Path(folder) / "saved.json", [study.check(claim) for claim in claims])
        return (Path(folder) / "saved.json").read_text(encoding="utf-8")


def test_a_list_as_a_verdict_in_a_metric_is_refused() -> None:
    saved = changed(json.loads(plane()), ("claims", 0, "verdict"), [])
    with pytest.raises(Refused, match="claim 1 cannot be read"):
        checker.check_in_metrics(saved, registry.standard())


def refused_or_right(saved: Any, part: str, of: int, verdicts: Callable[[Any], Any]) -> None:
    """In each place of a part, each time one of so many strange values: the file is refused, or what it shows is right."""
    right = verdicts(saved)
    assert right == ("proved", "refuted", "proved")
    for n, path in enumerate([(part, *path) for path in places(saved[part])]):
        for value in STRANGE[n % of :: of]:
            made = changed(saved, path, value)
            if part == "core":
                with suppress(BadSetting):
                    made["derivation"]["setting"] = reading.read(made["core"]).hash
            with suppress(Refused):
                assert verdicts(made) == right, path


@one_in(56, 7)
@pytest.mark.parametrize("part", ["problem", "core", "stated", "derivation", "guarantee", "claims"])
def test_strange_values_everywhere_in_a_metric(part: str, one_in: int) -> None:
    theory = registry.standard()
    refused_or_right(
        json.loads(plane()), part, one_in, lambda made: checker.check_in_metrics(made, theory).verdicts
    )


@one_in(7, 3)
@pytest.mark.parametrize("part", ["problem", "core", "derivation", "guarantee", "claims"])
def test_strange_values_everywhere(part: str, one_in: int) -> None:
    theory = registry.standard()
    refused_or_right(
        json.loads(normal_noise()), part, one_in, lambda made: rechecks.check(made, theory).verdicts
    )


@pytest.mark.parametrize("path", ["mechanisms.0.noise", "mechanisms.0.reads", "claims", "databases.records"])
def test_null_is_refused_wherever_it_stands(path: str) -> None:
    saved = json.loads(normal_noise())
    keys = tuple(int(key) if key.isdigit() else key for key in path.split("."))
    saved["problem"] = changed(saved["problem"], keys, None)
    if path == "claims":
        saved["claims"] = []
    with pytest.raises(Refused, match="null is no value; leave the key out"):
        rechecks.check(saved, registry.standard())
