"""Names of letters: what is put together is read again, and nothing else is."""

from __future__ import annotations

import pytest

from dpcompose.kernel.expressions import naming


@pytest.mark.parametrize("family", ["e", "epsilon_1", "x_", "e2"])
def test_members_of_families(family: str) -> None:
    for n in (1, 2, 10, 10**17):
        said = naming.read(naming.member(family, n))
        assert (said.base, said.index, said.is_general) == (family, n, False)
    general = naming.read(naming.general(family))
    assert (general.base, general.index, general.is_general) == (family, None, True)
    assert naming.read(family) == naming.Name(family, family)


@pytest.mark.parametrize(
    "name", ["e[", "e]", "e[]", "e[-1]", "e[01]", "e[x]", "e[1", "[1", "e[1]2", f"e[{'9' * 5000}]"]
)
def test_what_is_no_member(name: str) -> None:
    said = naming.read(name)
    assert (said.base, said.index, said.is_general) == (name, None, False)


@pytest.mark.parametrize("database", ["D", "E", "F"])
def test_coordinates(database: str) -> None:
    for coordinate in ("x", "x_t", "D"):
        for name in (naming.at(coordinate, database), naming.place(coordinate, database)):
            said = naming.read(name)
            assert (said.coordinate, said.database, said.of(database)) == (coordinate, database, name)
            assert not said.is_parameter
        assert naming.read(naming.place(coordinate, "D")).of("E") == naming.place(coordinate, "E")


def test_other_letters_with_two_signs_are_no_coordinates() -> None:
    for name in ("x__gap", "norm__1", "x__Day", "x__G", "D__"):
        said = naming.read(name)
        assert said.coordinate is said.database is None and not said.is_parameter


def test_distances() -> None:
    said = naming.read(naming.of_distance("d_bounded"))
    assert (said.distance, said.is_parameter) == ("d_bounded", False)
    assert naming.read("d_bounded").distance is None and naming.read("d_bounded").is_parameter
