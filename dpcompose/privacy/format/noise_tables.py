"""The schema of noise in problem files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.privacy.format.checks import FORMULA, Mistakes, Place, Table, key
from dpcompose.privacy.mechanisms.noises import THRESHOLDED

NOISES = (
    'noise is { laplace = "1/e" }, { gaussian = "s" }, { geometric = "1/e" }, '
    '{ randomized-response = "3/4" }, { planar-laplace = "1/e" } or { exponential = "e/2" }; of keys '
    '{ laplace = "L/e", threshold = "20" }'
)


class NoiseTable(Table):
    """One kind of noise with its parameter; some kinds have pages of one's own, and the format no key."""

    laplace: str | None = key(FORMULA)
    gaussian: str | None = key(FORMULA)
    geometric: str | None = key(FORMULA)
    randomized_response: str | None = key(FORMULA, written="randomized-response")
    planar_laplace: str | None = key(FORMULA, written="planar-laplace")
    exponential: str | None = key(FORMULA)
    threshold: str | None = key(FORMULA)

    @classmethod
    def read(cls, value: Any, path: Place, found: Mistakes) -> Any:
        further = [word for word in found.own.noises if isinstance(value, Mapping) and list(value) == [word]]
        if not further:
            return super().read(value, path, found)
        made = cls()
        made.further = {further[0]: FORMULA.read(value[further[0]], (*path, further[0]), found)}
        return made

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.further: dict[str, str] = {}

    def check(self) -> None:
        kinds = [name for name in self.given if name != "threshold"]
        if len(kinds) != 1:
            raise ValueError(NOISES)
        if self.threshold is not None and kinds != ["laplace"]:
            raise ValueError('a threshold is one of Laplace noise: { laplace = "L/e", threshold = "20" }')

    @property
    def word(self) -> str:
        """The one kind of noise that is given."""
        if self.further:
            return next(iter(self.further))
        if self.threshold is not None:
            return THRESHOLDED
        (name,) = self.given
        return self.keys[name].written or name

    @property
    def parameter(self) -> str:
        """Its parameter."""
        if self.further:
            return self.further[self.word]
        name = next(name for name in self.given if name != "threshold")
        return str(getattr(self, name))
