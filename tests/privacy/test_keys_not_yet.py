"""Keys that the format has and that are not supported yet are told so, and never as unknown."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from dpcompose.privacy import problems

START = """
format = 1
[databases]
kind = "multisets"
size = "= n"
[parameters]
n = "integer >= 1"
k = "integer >= 1"
{metrics}
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
"""
GUARANTEE = 'guarantee = {{ notion = "{}", {}, granularity = "bounded" }}'
METRICS = '[metrics.d]\ngranularity = "bounded"'


def mistakes(text: str) -> dict[str, str]:
    """What is wrong with a file, by key path."""
    with pytest.raises(problems.ProblemError) as raised:
        problems.read_data(tomllib.loads(text))
    return {".".join(map(str, one.path)): one.message for one in raised.value.mistakes}


@pytest.mark.parametrize("metrics", ["", METRICS])
@pytest.mark.parametrize(
    ("given", "path"),
    [
        (GUARANTEE.format("f-dp", 'tradeoff = "1 - alpha"'), "guarantee.tradeoff"),
        ("satisfies = [" + GUARANTEE.format("f-dp", 'tradeoff = "1 - alpha"')[12:] + "]", "tradeoff"),
    ],
)
def test_they_are_not_supported_yet(metrics: str, given: str, path: str) -> None:
    if metrics and given.startswith("satisfies"):
        pytest.skip("another table")
    found = mistakes(START.format(metrics=metrics) + given)
    (said,) = (message for at, message in found.items() if at.endswith(path))
    assert said == f"the key {path.split('.')[-1]!r} is not supported yet"
    assert not any("there is no key" in one or "missing" in one for one in found.values())


def test_in_claims_too() -> None:
    text = START.format(metrics="") + GUARANTEE.format("pure", 'epsilon = "e"')
    claim: Any = '\n[[claims]]\nnotion = "f-dp"\ntradeoff = "1 - alpha"\n'
    found = mistakes(text + claim)
    assert found["claims.0.tradeoff"] == "the key 'tradeoff' is not supported yet"
    assert found["claims.0.notion"].startswith("the notion 'f-dp' is not supported yet; supported are pure")


@pytest.mark.parametrize("word", ["sample", "filters", "tradeoffs"])
def test_others_are_unknown(word: str) -> None:
    found = mistakes(START.format(metrics="") + f"{word} = 1\n" + GUARANTEE.format("pure", 'epsilon = "e"'))
    assert found[f"mechanisms.0.{word}"].startswith(f"there is no key {word!r} here")
