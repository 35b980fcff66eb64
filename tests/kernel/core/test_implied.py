"""One mechanism alone for the neighbours of another one of its guarantees, by hand: what the class is, and what not."""

from __future__ import annotations

from typing import Any

import pytest

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.implied import implying
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting

U: Any = {"single": [[0, 1], [1, 0]], "steps": 1}
B: Any = {"single": [[1, 1]], "steps": 1}
BOTH = ((0, 1), (1, 0), (1, 1))
RECORDS: dict[str, Any] = {
    "kind": "records",
    "of": "multisets",
    "size": ["any", None],
    "atoms": [["a", "b"], ["c"]],
}
ROWS: dict[str, Any] = {"kind": "contributions", "parts": [["a", "b"], ["c", "d"]], "outside": ["z", "z'"]}
BAG: Any = {"single": {"parts": "1", "rows": "2", "replaced": "rows"}, "steps": 1}


def setting(
    databases: dict[str, Any], *stated: tuple[Any, str], reads: list[int] | None, **more: Any
) -> Setting:
    """A mechanism with two guarantees, by neighbours and domain."""
    said = [
        {"stated": one, "domain": domain, "notion": "pure", "values": {"epsilon": str(n)}}
        for n, (one, domain) in enumerate(stated, start=1)
    ]
    mechanism = {"name": "M", "reads": [reads], **said[0], "also": said[1:], **more}
    return reading.read(
        {"parameters": {}, "databases": {"shown": "all", **databases}, "target": U, "mechanisms": [mechanism]}
    )


def test_what_is_read_is_the_class_where_a_guarantee_is_about_it() -> None:
    found = implying(setting(RECORDS, (U, "own"), (B, "common"), reads=[0]), 1, 0, 1)
    assert [atom.records for atom in found.databases.atoms] == [("a", "b")]
    (alone,) = found.mechanisms
    assert alone.reads == (None,) and alone.stated is not None and alone.stated.edits == ((0, 1), (1, 0))
    assert (
        found.target.edits == BOTH
    )  # a record of the part takes the place of another one, or of one outside
    back = implying(setting(RECORDS, (U, "own"), (B, "common"), reads=[0]), 1, 1, 0)
    assert back.mechanisms[0].stated is not None and back.mechanisms[0].stated.edits == BOTH
    assert back.target.edits == ((0, 1), (1, 0)) and back.mechanisms[0].domain == "own"
    kept = implying(setting(RECORDS, (U, "own"), (B, "own"), reads=[0]), 1, 0, 1)
    assert kept.target.edits == ((1, 1),)


def test_on_the_whole_class_nothing_is_read_otherwise() -> None:
    for stated, reads in ((((U, "common"), (B, "common")), [0]), (((U, "own"), (B, "own")), None)):
        made = setting(RECORDS, *stated, reads=reads)
        found = implying(made, 1, 0, 1)
        assert found.databases == made.databases and found.target.edits == ((1, 1),)


def test_bags_of_as_many_rows_need_others_outside() -> None:
    found = implying(setting(ROWS, (U, "own"), (BAG, "common"), reads=[1]), 1, 0, 1)
    assert found.target.single.replaced == "bag" and found.databases.outside == ()  # type: ignore[union-attr]
    own = implying(setting(ROWS, (U, "own"), (BAG, "own"), reads=[1]), 1, 0, 1)
    assert own.target.single.replaced == "rows"  # type: ignore[union-attr]
    alone = {**ROWS, "outside": []}
    with pytest.raises(BadSetting, match="images of what a person contributes"):
        implying(setting(alone, (U, "own"), (BAG, "common"), reads=[1]), 1, 0, 1)


@pytest.mark.parametrize(
    "databases",
    [
        {**RECORDS, "size": ["at most", 3]},
        {**RECORDS, "size": ["exactly", 3]},
        {**RECORDS, "of": "sequences"},
    ],
)
def test_other_classes_of_what_is_read_are_not_told(databases: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match="one map on the class"):
        implying(setting(databases, (U, "own"), (U, "common"), reads=[0]), 1, 0, 1)
