"""All tests: what collecting them leaves behind is no garbage, and is not gone through again and again; what is
compiled for them is kept.  Where all of them are run, long tables are asked a share of their rows.

To rewrite the asserts of all tests is half of what collecting takes, in each worker: they are read as they were
written for the run before, also where the environment says that nothing compiled is to be written.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import shares

gc.disable()
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Examples are looked for where there are some: each file is gone through once again for them."""
    collectors = yield
    examples = file_path.suffix == ".py" and ">>> " in file_path.read_text(encoding="utf-8")
    return collectors if examples else [one for one in collectors if type(one) is pytest.Module]


def everything(config: pytest.Config) -> bool:
    """Whether all tests are run: whoever names a file or a test has all of its rows."""
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.keyword


def normal(config: pytest.Config) -> bool:
    return bool(config.option.markexpr == "not slow")


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Rows that are not asked are not made: there are five times as many."""
    yield
    if everything(metafunc.config) and normal(metafunc.config):
        shares.of_rows(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What else is run of all tests is the rest of the rows: `-m slow`."""
    if everything(config) and not normal(config):
        shares.of_tables(items)


def pytest_collection_finish() -> None:
    """From here on only what tests make is looked at, and seldom: formulas are many small objects."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()
