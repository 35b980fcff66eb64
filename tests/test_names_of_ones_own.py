"""Classes, maps and granularities of one's own may call what they are made of as they like."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import dpcompose as dpc
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.listed import listed
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity


class Scale(DatabaseClass):
    """The marks 0 to 5, with names of its own that built-in classes use otherwise."""

    kind = "scale"

    def __init__(self) -> None:
        vars(self).update(length=6, sizes="small", listed=(0, 5), entries="marks", owners=None, step=1)

    def __contains__(self, D: object) -> bool:
        return D in range(6)

    def count(self) -> int:
        return 6

    def databases(self) -> Iterator[Database]:
        return iter(range(6))

    def __str__(self) -> str:
        return "the marks 0 to 5"


class Near(Granularity):
    """Marks that are at most a step apart."""

    name = "near"

    def __init__(self, step: int) -> None:
        vars(self).update(step=step, listed=(1, 2), kinds="near", parts=3)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        assert isinstance(D, int) and isinstance(E, int)
        return 0 < abs(D - E) <= vars(self)["step"]


class Coarser(Map):
    """Marks in pairs."""

    def __init__(self) -> None:
        own = {"positions": (7,), "partition": "pairs", "parts": 3, "most": 2, "at": 1, "table": {}}
        vars(self).update(own, whole=True, vertices=(1,), within=2, through="pairs", placed=True)

    def __call__(self, D: Database) -> Database:
        assert isinstance(D, int)
        return D // 2

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        return listed(range(3))

    def written(self, D: str) -> str:
        return f"half of {D}"


@pytest.mark.parametrize("domain", ["own", "common"])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_names_of_ones_own_classes_mean_what_they_mean_there(domain: str, step: int) -> None:
    """The same as with a list, a predicate and a function."""
    plain = dpc.relation("near", lambda D, E: abs(D - E) <= step)  # type: ignore[operator]
    half = dpc.function("half", lambda D: D // 2)  # type: ignore[operator]
    found = []
    for on, near, f in ((Scale(), Near(step), Coarser()), (dpc.listed(range(6)), plain, half)):
        M, N = (
            dpc.mechanism("M", dpc.pure("e", near, domain), reads=f),
            dpc.mechanism("N", dpc.pure("e", near)),
        )
        study = dpc.compose(M, N, on=on, target=dpc.group(2, near))
        found.append((str(study.guarantee().epsilon), study.check(dpc.pure("3*e")).verdict))
        assert dpc.canonical_metric(on, near)(0, 5) == -(-5 // step)
        study.to_toml()
    assert found[0] == found[1]
