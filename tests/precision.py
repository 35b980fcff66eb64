"""With how many digits the tests of a file compute, whose numbers are long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mpmath
import pytest


def with_digits(n: int) -> Any:
    """A fixture that all tests of the file use where it has a name."""

    @pytest.fixture(autouse=True, scope="module")
    def digits() -> Iterator[None]:
        with mpmath.workdps(n):
            yield

    return digits
