"""The problem files of notebooks/problems/: those about neighbours, and those about privacy in a metric."""

from __future__ import annotations

from pathlib import Path

SHIPPED = sorted((Path(__file__).resolve().parents[1] / "notebooks" / "problems").glob("*.toml"))
IN_METRICS = [file for file in SHIPPED if "[metrics." in file.read_text()]
PROBLEMS = [file for file in SHIPPED if file not in IN_METRICS]
