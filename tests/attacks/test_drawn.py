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


@pytest.mark.slow
@pytest.mark.parametrize("block", range(12))
@pytest.mark.parametrize("kind", settings.kinds())
def test_settings_of_a_kind(kind: str, block: int) -> None:
    together = 1 if kind in LARGE else TOGETHER
    for seed in range(block * together, (block + 1) * together):
        with contextlib.suppress(pytest.skip.Exception):
            settings.kinds()[kind](seed)
