"""What is refused as a setting."""

from __future__ import annotations


class InvalidSetting(ValueError):
    """The parts of a setting do not fit together; the message says which and why."""


class NotForNeighbours(InvalidSetting):
    """What is asked for is about neighbours, and the composition is private in a metric."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} is about neighbours, and the composition is private in a metric, in which any two "
            "databases are some distance apart: state guarantees of mechanisms for neighbours, and a target"
        )
