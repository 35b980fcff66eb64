"""Claims from the literature, right ones and the usual mistakes, with what was worked out of them by hand.

A file of tests/claims/ has settings by name; each is a problem file without `format` and `title`, with its `source`, and
each claim with `why`: how its verdict follows without the program; what stays undecided is `open`, with the reason.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dpcompose.front.studies import loading
from dpcompose.front.studies.study import Study
from dpcompose.privacy.problems import Claim

FOLDER = Path(__file__).resolve().parent / "claims"
FILES = sorted(FOLDER.glob("*.toml"))


def as_toml(value: Any) -> str:
    """A value of a problem file, on one line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {as_toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


@cache
def settings(file: Path) -> Mapping[str, Any]:
    """The settings of a file by name."""
    found: Mapping[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    return found


@cache
def loaded(file: Path, name: str, folder: Path) -> tuple[Study, tuple[Claim, ...]]:
    """The study of a setting and its claims, as a user's file is read."""
    data = {key: one for key, one in settings(file)[name].items() if key != "source"}
    told = ("why", "open")
    data["claims"] = [{key: one for key, one in claim.items() if key not in told} for claim in data["claims"]]
    path = folder / f"{name}.toml"
    path.write_text(
        "".join(f"{key} = {as_toml(one)}\n" for key, one in {"format": 1, **data}.items()), "utf-8"
    )
    return loading.load(path)


def marks(n: int, claim: Mapping[str, Any]) -> list[pytest.MarkDecorator]:
    """A normal run takes every second claim; what stays undecided is known to, with the reason."""
    known = [pytest.mark.xfail(strict=True, reason=claim["open"])] if "open" in claim else []
    return [*known, *([pytest.mark.slow] if n % 2 else [])]


EVERY = [
    pytest.param(file, name, n, id=f"{file.stem}-{name}-{n + 1}", marks=marks(n, claim))
    for file in FILES
    for name, setting in settings(file).items()
    for n, claim in enumerate(setting["claims"])
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("claims")


@pytest.mark.parametrize(("file", "name", "n"), EVERY)
def test_it_is_as_worked_out_by_hand(file: Path, name: str, n: int, folder: Path) -> None:
    study, claims = loaded(file, name, folder)
    found = study.check(claims[n])
    assert found.as_expected, (found.verdict, found.reason, settings(file)[name]["claims"][n]["why"])
