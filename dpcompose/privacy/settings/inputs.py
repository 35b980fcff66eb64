"""How maps of a setting read records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.spaces.databases import DatabaseClass
from dpcompose.spaces.maps import Everything, Map
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.parts import Part
from dpcompose.spaces.restrictions import Positions, Restriction
from dpcompose.spaces.sizes import Size
from dpcompose.spaces.tuples import Tuples

if TYPE_CHECKING:
    pass


def is_record_wise(f: Map) -> bool:
    """Whether a map reads records one by one: by membership, by position, or all of them."""
    return isinstance(f, Everything | Restriction | Positions | Part)


def read_records(databases: DatabaseClass, f: Map) -> Size:
    """How many records a record-wise map reads."""
    if isinstance(f, Part) or not isinstance(databases, Multisets | Tuples):
        return Size()
    image = f.image(databases)
    return image.sizes if isinstance(image, Multisets | Tuples) else Size(0, exactly=True)
