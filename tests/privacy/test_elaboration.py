"""Core settings of all that ships: read back as they are, with the cover and the pairs that there were before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import corpus
import pytest
import told
from hypothesis import HealthCheck, settings
from shipped import EXAMPLE, PROBLEMS

from dpcompose.front.study import show
from dpcompose.privacy import problems

PAGES = [page for page in told.OLD.pages.values() if "[metrics." not in page.body]
MANY = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)
MORE = settings(MANY, max_examples=500)


@pytest.mark.parametrize("file", PROBLEMS, ids=lambda file: file.stem)
def test_shipped_files_are_covered_as_before(file: Path) -> None:
    told.check_like_before(problems.read_file(file, show).setting)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_examples_of_pages_are_covered_as_before(page: Any) -> None:
    problem = problems.read_text(EXAMPLE.findall(page.body)[0], page.path.name, show)
    told.check_like_before(problem.setting)


@pytest.mark.parametrize("kept", corpus.EVERY, ids=lambda kept: kept.name)
def test_random_settings_that_are_kept_are_covered_as_before(kept: corpus.Kept) -> None:
    told.check_like_before(problems.read_data(kept.problem).setting)
