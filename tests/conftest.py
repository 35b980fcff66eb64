"""All tests: what collecting them leaves behind is no garbage, and is not gone through again and again; what is
compiled for them is kept.  Where all of them are run, long tables are asked a share of their rows.

To rewrite the asserts of all tests is half of what collecting takes, in each worker: they are read as they were
written for the run before, also where the environment says that nothing compiled is to be written.
"""

from __future__ import annotations

import gc
import os
import sys

import pytest
import shares

gc.disable()
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whoever names a file or a test has all of its rows."""
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.keyword:
        shares.of_tables(items)


def pytest_collection_finish() -> None:
    """From here on only what tests make is looked at, and seldom: formulas are many small objects."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()
