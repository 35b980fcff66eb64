"""How a class is told to the kernel: what all kinds have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import ANY_TWO
from dpcompose.kernel.core.settings import Setting as Core
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.answers import NoAnswer
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.inputs import read_records
from dpcompose.spaces.canonical.named import Distance
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity

Pair = tuple[Database, Database]


class NoLemma(NoAnswer):
    """No lemma is about such a class, so no core setting says what the setting says; the message says why.

    pair -- where what is read moves further and further as databases of an arbitrary universe are larger,
    neighbours in a small one, as far apart as they can be there.
    """

    def __init__(self, message: str, pair: Pair | None = None) -> None:
        super().__init__(message)
        self.pair = pair


@frozen
class Kind(ABC):
    """A setting, with a few members of its families written out, in a class that is told in one way.

    by_pairs -- whether it is told how far any two databases are apart, and not only the target's neighbours
    that are furthest apart.
    """

    by_pairs: ClassVar[bool] = True

    by_number: ClassVar[bool] = False
    """Whether databases are told by their numbers, and nothing is said of their records."""

    draws: ClassVar[bool] = False
    """Whether samples and deals of records are told."""

    leads_out: ClassVar[bool] = False
    """Whether steps may be said to lead through databases of any size."""

    setting: Setting

    @classmethod
    @abstractmethod
    def of(cls, setting: Setting) -> Kind | None:
        """The class told in this way; None where it cannot be."""

    @abstractmethod
    def databases(self) -> dict[str, Any]:
        """What the core setting says of the class, but for its words."""

    @abstractmethod
    def relation(self, granularity: Granularity) -> dict[str, Any]:
        """The neighbours of a granularity on the class."""

    def tells_neighbours(self, granularity: Granularity) -> bool:
        """Whether the class would be told so for these neighbours in place of the target's."""
        return type(self).of(replace(self.setting, target=granularity)) is not None

    def steps(self) -> dict[str, Any]:
        """The neighbours of a single step of the target."""
        return self.relation(self.setting.target.single_step)

    def stated(self, mechanism: Mechanism, *others: Mechanism) -> dict[str, Any]:
        """The neighbours that a mechanism's guarantee is stated for, on the class or on what it reads.

        others -- where it is one of a family, each of which reads a part, the other members.
        """
        return self.relation(mechanism.satisfies.about_granularity)

    @abstractmethod
    def reads(self, f: Map) -> list[int] | None:
        """What a map reads; None: everything."""

    def codes(self, f: Map) -> list[list[int]]:
        """What of all that is read is read as one."""
        return []

    def about(self, mechanism: Mechanism, said: Guarantee, *others: Mechanism) -> dict[str, Any]:
        """What a guarantee is stated for, of a mechanism that is written out: as it is said."""
        stated = self.stated(mechanism, *others)
        return {"stated": stated | times(said.about_granularity, self.setting.databases)}

    def noise(self, mechanism: Mechanism, reads: Map) -> dict[str, Any]:
        """The query and the noise of a mechanism; reads -- what it reads, written out."""
        query, law, databases = mechanism.query, mechanism.noise, self.setting.databases
        assert query is not None and law is not None
        values = {name: formulas.to_text(value) for name, value in query.letters.items()}
        asked: dict[str, Any] = {"page": query.page, "values": values}
        n = read_records(databases, reads)
        if self.by_number:
            pass  # nothing is said of the records of listed databases
        elif n.exactly and n.n:
            asked["n"] = n.n if n.letter is None else str(n.letter)
        elif query.sized and databases.twice:
            asked["least"] = n.fewest_read
        return {"noise": {"query": asked, **law.told}}

    def distances(self) -> dict[str, Any]:
        """The distances that guarantees and claims are formulas in, where they are told of the whole."""
        return {}

    @property
    def elements(self) -> Sequence[Database] | None:
        """The databases by their numbers, where they are told so."""
        return None

    def listed(self, distance: Distance) -> dict[str, Any]:
        """How far databases are apart, pair by pair."""
        raise NoLemma("distances in a table need a class whose databases are listed")

    def table(self, mechanism: Mechanism, inputs: bool) -> dict[str, Any]:
        """The probabilities of a mechanism, of inputs or of databases."""
        raise NoLemma(f"the table of {mechanism.name} needs a class whose databases are listed")

    def outline(self) -> Core:
        """The class and the target as the kernel reads them, with mechanisms of which nothing else is known
        than what they read and are stated for."""
        parameters = {name: str(domain) for name, domain in self.setting.databases.parameters.items()}
        return reading.read(
            {
                "parameters": parameters,
                "databases": {**self.databases(), "shown": ""},
                "target": self.relation(self.setting.target),
                "mechanisms": [
                    {
                        "name": mechanism.name,
                        "reads": [self.reads(mechanism.reads)],
                        "domain": mechanism.satisfies.domain or "own",
                        "notion": "",
                        "values": {},
                        "stated": ANY if mechanism.satisfies.granularity is None else self.stated(mechanism),
                    }
                    for mechanism in self.setting.mechanisms
                ],
            }
        )

    @classmethod
    def any_number_of_steps(cls, setting: Setting) -> bool:
        """Whether groups of as many steps as a letter says are told of a setting's class."""
        return True

    def times(self, D: tuple[Any, ...], n: int) -> tuple[Any, ...]:
        """A database n times, as far as neighbours may differ without a limit: all of its records."""
        return D * n

    @abstractmethod
    def pair(self, of: Type) -> Pair:
        """The two databases of a type, as results print them."""


def groups_pushed(setting: Setting) -> list[Mechanism]:
    """The mechanisms that are stated for groups of steps on the common domain, and read a part only.

    Groups of steps between any two databases are such steps, and left out.
    """
    return [
        mechanism
        for mechanism in setting.mechanisms
        if not mechanism.reads.passes_groups
        and mechanism.satisfies.domain == "common"
        and not mechanism.reads.is_identity(setting.databases)
        and mechanism.satisfies.granularity is not None
        and mechanism.satisfies.granularity.innermost()[1] > 1
        and not mechanism.satisfies.about_granularity.any_two(setting.databases)
    ]


ANY: dict[str, Any] = {"single": ANY_TWO, "steps": 1}
"""The relation of any two databases."""


def times(granularity: Granularity, databases: DatabaseClass) -> dict[str, str]:
    """How many single steps a granularity counts, where that is a parameter and makes a difference."""
    if granularity.times is None or granularity.any_two(databases):
        return {}
    return {"times": formulas.to_text(granularity.times)}


def told_apart(setting: Setting) -> list[Granularity]:
    """The granularities of the guarantees that say of some databases that they are no neighbours."""
    stated = [mechanism.satisfies.granularity for mechanism in setting.mechanisms]
    return [
        granularity
        for granularity in stated
        if granularity is not None and not granularity.any_two(setting.databases)
    ]
