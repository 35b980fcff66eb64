"""The two ways in which a check ends without acceptance."""

from __future__ import annotations


class Rejected(Exception):
    """What is saved is wrong: it contradicts what is computed again."""


class NotRead(Exception):
    """What is saved is beyond this checker; the first word is one of `verdicts.NOT_READ`."""

    def __init__(self, name: str, about: str = "") -> None:
        super().__init__(f"{name}: {about}" if about else name)
        self.name = name


def demand(held: bool, reason: str) -> None:
    """Rejects with the reason where it does not hold."""
    if not held:
        raise Rejected(reason)
