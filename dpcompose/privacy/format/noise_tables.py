"""The schema of noise in problem files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.privacy.format.checks import FORMULA, Mistakes, Place, Table, key
from dpcompose.privacy.mechanisms.noises import KINDS, SHOWN

NOISES = (
    'noise is { laplace = "1/e" }, { gaussian = "s" }, { geometric = "1/e" }, '
    '{ randomized-response = "3/4" }, { planar-laplace = "1/e" } or { exponential = "e/2" }; of keys '
    '{ laplace = "L/e", threshold = "20" }; of questions '
    '{ above-threshold = "4*L/e", threshold-scale = "2/e", times = "L" }'
)
FURTHER = tuple(dict.fromkeys(word for kind in KINDS.values() for word in kind.further))
"""Keys of further parameters, in the order in which they are told."""


class NoiseTable(Table):
    """One kind of noise with its parameter; some kinds have pages of one's own, and the format no key."""

    laplace: str | None = key(FORMULA)
    gaussian: str | None = key(FORMULA)
    geometric: str | None = key(FORMULA)
    randomized_response: str | None = key(FORMULA, written="randomized-response")
    planar_laplace: str | None = key(FORMULA, written="planar-laplace")
    exponential: str | None = key(FORMULA)
    threshold: str | None = key(FORMULA)
    above_threshold: str | None = key(FORMULA, written="above-threshold")
    threshold_scale: str | None = key(FORMULA, written="threshold-scale")
    times: str | None = key(FORMULA)

    @classmethod
    def read(cls, value: Any, path: Place, mistakes: Mistakes) -> Any:
        further = [
            word for word in mistakes.own.noises if isinstance(value, Mapping) and list(value) == [word]
        ]
        if not further:
            return super().read(value, path, mistakes)
        made = cls()
        made.owns = {further[0]: FORMULA.read(value[further[0]], (*path, further[0]), mistakes)}
        return made

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.owns: dict[str, str] = {}

    def check(self) -> None:
        kinds = [name for name in self.given if self._written(name) not in FURTHER]
        if len(kinds) != 1:
            raise ValueError(NOISES)
        if self.threshold is not None and kinds[0] not in SHOWN:
            raise ValueError(
                'a threshold is one of Laplace or normal noise: { laplace = "L/e", threshold = "20" }'
            )
        if self.further.keys() != KINDS[self.word].further.keys():
            raise ValueError(f"{self._written(kinds[0])} has other parameters besides; {NOISES}")

    def _written(self, name: str) -> str:
        return self.keys[name].written or name

    @property
    def further(self) -> dict[str, str]:
        """Further parameters, by their words."""
        names = {self._written(name): name for name in self.given}
        return {word: str(getattr(self, names[word])) for word in FURTHER if word in names}

    @property
    def word(self) -> str:
        """The one kind of noise that is given."""
        if self.owns:
            return next(iter(self.owns))
        (word,) = (self._written(name) for name in self.given if self._written(name) not in FURTHER)
        return SHOWN.get(word, word) if self.threshold is not None else word

    @property
    def parameter(self) -> str:
        """Its parameter."""
        if self.owns:
            return self.owns[self.word]
        (name,) = (name for name in self.given if self._written(name) not in FURTHER)
        return str(getattr(self, name))
