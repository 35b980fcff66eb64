"""Names of letters: what a letter stands for, as formulas, points and saved derivations write it.

e is a parameter, e[i] the general member of the family e and e[3] its third; x__D is the coordinate x of the
database D, and d__m a distance m.  Only here are names put together, and read.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dpcompose.kernel.expressions.keeping import frozen

_GREEK = {
    **{"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta"},
    **{"η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ξ": "xi", "ρ": "rho"},
    **{"σ": "sigma", "τ": "tau", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega"},
}  # not those that look like Latin letters, nor π, which is a number
_BELOW = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
GREEK, BELOW = "".join(_GREEK), "".join(_BELOW)
"""The Greek letters that names may have, and the digits below the line."""
_SPELLED = str.maketrans(_GREEK | _BELOW)
_GENERAL, _MARK = "i", "d__"
_MEMBER = re.compile(r"(.*)\[(i|0|[1-9][0-9]{0,17})\]", re.DOTALL)
_COORDINATE = re.compile(r"(.*)__([DEF])(_t)?", re.DOTALL)


@frozen
class Name:
    """What a name says.

    text -- the name; base -- the same without an index: of a member its family;
    is_general -- whether it is the general member of a family; index -- of another member its number;
    coordinate, database -- of a coordinate, or of where it lies between its ends, which one, and of which
    database; distance -- what a distance is called.
    """

    text: str
    base: str
    is_general: bool = False
    index: int | None = None
    coordinate: str | None = None
    database: str | None = None
    lies: str = ""
    distance: str | None = None

    @property
    def is_parameter(self) -> bool:
        """Whether it is no letter for databases: the names of all these have __ in them."""
        return "__" not in self.text

    def of(self, database: str) -> str:
        """The same coordinate of another database."""
        return f"{self.coordinate}__{database}{self.lies}"


def spelled(name: str) -> str:
    """A name in ASCII, as everything but formulas of users writes it: ε₁ is epsilon1.

    >>> spelled("ε₁"), spelled("e1")
    ('epsilon1', 'e1')
    """
    return name if name.isascii() else name.translate(_SPELLED)


@lru_cache(maxsize=1 << 16)
def read(name: str) -> Name:
    """What a name says.

    >>> read("e[3]").base, read("e[3]").index, read("e[i]").is_general, read("e").base
    ('e', 3, True, 'e')
    >>> read("x__D").coordinate, read("x__D").database, read("x__D").of("E"), read("d__m").distance
    ('x', 'D', 'x__E', 'm')
    """
    member, place = _MEMBER.fullmatch(name), _COORDINATE.fullmatch(name)
    base, index = member.groups() if member else (name, None)
    number = None if index in (None, _GENERAL) else int(index)
    coordinate, database, lies = place.groups() if place else (None, None, None)
    distance = name[len(_MARK) :] if name.startswith(_MARK) else None
    return Name(name, base, index == _GENERAL, number, coordinate, database, lies or "", distance)


def member(family: str, index: int | str) -> str:
    """The name of a member of a family."""
    return f"{family}[{index}]"


def general(family: str) -> str:
    """The name of the general member of a family."""
    return f"{family}[{_GENERAL}]"


def at(coordinate: str, database: str) -> str:
    """The name of a coordinate of a database."""
    return f"{coordinate}__{database}"


def place(coordinate: str, database: str) -> str:
    """The name of the letter for where a coordinate of a database lies between its ends."""
    return f"{at(coordinate, database)}_t"


def of_distance(called: str) -> str:
    """The name of a distance."""
    return _MARK + called
