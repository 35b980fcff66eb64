"""The problem files of notebooks/problems/: those about neighbours, those about privacy in a metric; and examples."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dpcompose.front.studies.loading import load
from dpcompose.front.studies.study import Study
from dpcompose.privacy.in_metrics import is_for_neighbours, is_in_metrics
from dpcompose.privacy.problems import Claim

SHIPPED = sorted((Path(__file__).resolve().parents[1] / "notebooks" / "problems").glob("*.toml"))
DATA = {file: tomllib.loads(file.read_text()) for file in SHIPPED}
IN_METRICS = [file for file, data in DATA.items() if is_in_metrics(data) and not is_for_neighbours(data)]
PROBLEMS = [file for file in SHIPPED if file not in IN_METRICS]


@cache
def loaded(file: Path) -> tuple[Study, Sequence[Claim]]:
    """The study of a shipped file, and its claims: one for all tests that only look at them."""
    return load(file)


EXAMPLE = re.compile(r"^```toml example\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""The example of a page of theorems/: a problem file."""
