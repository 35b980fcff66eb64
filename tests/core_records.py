"""Core settings of records: mechanisms by the atoms that they read and the neighbours they are stated for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.expressions.terms import ZERO

U = {"single": [[1, 0], [0, 1]], "steps": 1}
B = {"single": [[1, 1]], "steps": 1}
ANY = {"single": "any two", "steps": 1}


def setting(
    target: Any,
    *mechanisms: tuple[Any, Any],
    parameters: Any = None,
    **databases: Any,
) -> Setting:
    """Pure mechanisms on the own domain; databases -- the atoms, and what else differs from multisets of any size."""
    named = [
        {"name": f"M{i}", "reads": [reads], "stated": stated, "domain": "own", "notion": "pure"}
        | {"values": {"epsilon": "1"}}
        for i, (reads, stated) in enumerate(mechanisms, start=1)
    ]
    base = {"kind": "records", "shown": "", "of": "multisets", "size": ["any", None]}
    return reading.read(
        {
            "parameters": parameters or {},
            "databases": base | databases,
            "target": target,
            "mechanisms": named,
        }
    )


def on(setting: Setting, domain: str) -> Setting:
    """The setting with all guarantees on a domain."""
    return replace(setting, mechanisms=tuple(replace(one, domain=domain) for one in setting.mechanisms))


def moves(found: Cover) -> set[str]:
    """How far the inputs move at each type."""
    return {" ".join(f"{i}:{r!r}" for i, ((_, r),) in one.moves) for one in found.types}


def moving(*far: Any, **more: Any) -> Type:
    """A type by how far the inputs move; of several members how many, the furthest first."""
    moves = tuple(
        (i, some if isinstance(some, tuple) else ((1, some),)) for i, some in enumerate(far, start=1)
    )
    return Type(tuple((i, some) for i, some in moves if some != ((1, ZERO),)), frozenset(), ((), ()), **more)
