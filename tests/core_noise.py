"""One mechanism with noise on a query of multisets, of which one record comes or goes: as a file, and as the kernel
reads it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpcompose.front.studies.loading import load
from dpcompose.kernel.core import reading
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import Prover
from dpcompose.proof.theory import registry

HEAD = 'format = 1\n[databases]\nkind = "multisets"\n[target]\ngranularity = "unbounded"\n[[mechanisms]]\nname = "M"\n'


def read(text: str, folder: Path) -> None:
    """Reads the file in which the mechanism has such a query and noise."""
    path = folder / "one.toml"
    path.write_text(HEAD + text + "\n", "utf-8")
    load(path)


def prover(noise: Mapping[str, Any], notion: str, *positive: str) -> Prover:
    """What makes theorems about it; positive -- parameters."""
    databases = {
        "kind": "records",
        "shown": "",
        "of": "multisets",
        "size": ["any", None],
        "atoms": [["x", "y"]],
    }
    one = {"name": "M", "reads": [None], "domain": "own", "notion": notion, "values": {}, "noise": noise}
    core = {
        "parameters": dict.fromkeys(positive, "positive"),
        "databases": databases,
        "target": {"single": [[0, 1], [1, 0]], "steps": 1},
        "mechanisms": [one],
        "adaptive": False,
    }
    return Prover(reading.read(core), Theory(registry.standard().pages))
