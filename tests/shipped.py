"""The problem files of notebooks/problems/: those about neighbours, those about privacy in a metric; and examples."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from dpcompose.privacy.in_metrics import is_in_metrics

SHIPPED = sorted((Path(__file__).resolve().parents[1] / "notebooks" / "problems").glob("*.toml"))
IN_METRICS = [file for file in SHIPPED if is_in_metrics(tomllib.loads(file.read_text()))]
PROBLEMS = [file for file in SHIPPED if file not in IN_METRICS]

EXAMPLE = re.compile(r"^```toml example\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""The example of a page of theorems/: a problem file."""
