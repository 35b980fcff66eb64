"""The problem files of notebooks/problems/: those about neighbours, those about privacy in a metric; and examples."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from dpcompose.privacy.in_metrics import is_for_neighbours, is_in_metrics

SHIPPED = sorted((Path(__file__).resolve().parents[1] / "notebooks" / "problems").glob("*.toml"))
DATA = {file: tomllib.loads(file.read_text()) for file in SHIPPED}
IN_METRICS = [file for file, data in DATA.items() if is_in_metrics(data) and not is_for_neighbours(data)]
PROBLEMS = [file for file in SHIPPED if file not in IN_METRICS]

EXAMPLE = re.compile(r"^```toml example\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""The example of a page of theorems/: a problem file."""
