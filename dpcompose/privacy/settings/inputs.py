"""How maps of a setting read records."""

from __future__ import annotations

from dpcompose.spaces.databases import DatabaseClass
from dpcompose.spaces.maps import Map
from dpcompose.spaces.sizes import Size


def read_records(databases: DatabaseClass, f: Map) -> Size:
    """How many records a record-wise map reads."""
    if f.divided or not databases.queried:
        return Size()
    image = f.image(databases)
    return image.sizes if image.queried else Size(0, exactly=True)
