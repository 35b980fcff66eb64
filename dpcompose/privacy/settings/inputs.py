"""How many records a map of a setting reads."""

from __future__ import annotations

from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.inputs.maps import Map


def read_records(databases: DatabaseClass, f: Map) -> Size:
    """How many records a record-wise map reads."""
    if f.divided or not databases.queried:
        return Size()
    image = f.image(databases)
    return image.sizes if image.queried else Size(0, exactly=True)
