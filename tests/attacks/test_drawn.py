"""Some of the random settings of each kind, for the mutants of the kernel: what decides other than the oracle is seen."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location("attacks_settings", Path(__file__).parent / "settings.py")
assert spec is not None and spec.loader is not None
settings = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = settings
spec.loader.exec_module(settings)

TOGETHER = 10
"""So many settings are asked in one test."""
LARGE = ("families in groups", "attributes beside parts", "metrics on listed classes")
"""Of these one."""


KINDS = (
    "listed classes",
    "multisets",
    "multisets with functions",
    "arbitrary universes",
    "cells",
    "sequences",
    "groups of multisets",
    "tuples and streams",
    "groups on listed classes",
    "families",
    "verdicts on families",
    "other notions",
    "two parameters",
    "Gaussian mechanisms",
    "tables of outcomes",
    "policies",
    "recodings",
    "groups through recodings",
    "attributes",
    "attributes read",
    "groups where sizes are limited",
    "groups pushed forward",
    "nearest databases",
    "tables of the nearest",
    "large universes",
    "any two databases",
    "groups beside any two",
    "overlapping families",
    "overlapping, in letters",
    "families of inputs",
    "attributes beside parts",
    "families in groups",
    "samples",
    "metrics",
    "metrics on listed classes",
)
"""As `settings.kinds` has them: to make those reads many tests, which collecting them need not do."""


@pytest.mark.slow
def test_all_kinds_are_asked() -> None:
    assert tuple(settings.kinds()) == KINDS


@pytest.mark.slow
@pytest.mark.parametrize("block", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_settings_of_a_kind(kind: str, block: int) -> None:
    together = 1 if kind in LARGE else TOGETHER
    for seed in range(block * together, (block + 1) * together):
        with contextlib.suppress(pytest.skip.Exception):
            settings.kinds()[kind](seed)
