"""Saved derivations of studies, as `dpcompose recheck` reads them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from second_checker import verdicts as second

from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.studies import recheck
from dpcompose.front.studies.recheck import Rechecked
from dpcompose.front.studies.study import Study
from dpcompose.kernel.library.theory import Theory as KernelTheory
from dpcompose.proof.theory.registry import Theory


def saved(study: Study, verdicts: Sequence[Verdict] = ()) -> Any:
    """The file that `Study.save` writes, as data."""
    with TemporaryDirectory() as folder:
        study.save(path := Path(folder) / "saved.json", verdicts)
        return json.loads(path.read_text(encoding="utf-8"))


def check(data: Any, theory: Theory, allow: Collection[str] | None = None) -> Rechecked:
    """What a saved file shows by the pages of a theory.  Raises Refused."""
    return recheck.recheck(data, KernelTheory(theory.pages), allow, theory.names)


def rechecked(study: Study, verdicts: Sequence[Verdict]) -> Rechecked:
    """What is saved of a study, once it says the same verdicts, and its core setting is the problem's.

    The second checker looks at it as well: it accepts it, or says by name what it does not read.
    """
    data = saved(study, verdicts)
    other = second.check(data)
    assert other.outcome == "ACCEPTED" or (other.outcome, set(other.why) <= second.NOT_READ.keys()) == (
        "NOT READ",
        True,
    )
    found = check(data, study.theory)
    assert found.elaborated
    assert found.checked.verdicts == tuple((one.verdict, one.loose) for one in verdicts)
    return found
