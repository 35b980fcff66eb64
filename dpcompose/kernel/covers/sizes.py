"""Classes whose number n of records is a letter: the types of one number stand for those of all.

Where neighbours differ in s records at most, and n leaves room for so many, types do not depend on n, nor do
distances; for smaller n there are only some of these types.  So what is proved at one large n holds for all,
and what is refuted there is refuted for all n from there on.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.settings import Setting
from dpcompose.kernel.theory import Theory

PROCEDURE = "any number of records"


def check(setting: Setting) -> None:
    """Raises NoCover where types at the number that stands for a letter are not those at all larger ones."""
    databases, target = setting.databases, setting.target
    if databases.letter is None:
        return
    if target.any_two:
        raise NoCover(
            f"how far any two databases are apart depends on how many records they have; a number for "
            f"{databases.letter} would do"
        )
    word, n = databases.size
    if n is not None and n - (0 if word == "exactly" else databases.least) < target.steps:
        raise NoCover(f"databases of {n} records have no room for all that {target.steps} steps may change")


def pages(setting: Setting, theory: Theory) -> frozenset[str]:
    """The page of the lemma, where it is used."""
    if setting.databases.letter is None:
        return frozenset()
    otherwise = "there is no page on any number of records"
    found = theory.first("procedure", lambda page: page.head.procedure == PROCEDURE, otherwise)
    return frozenset({str(found.id)})


def is_there(setting: Setting, point: Mapping[str, Fraction]) -> bool:
    """Whether all types are those of neighbours in the class of a point's size."""
    letter = setting.databases.letter
    return letter is None or point.get(letter.of[0], Fraction(0)) >= setting.databases.from_size


def are_always_there(setting: Setting) -> bool:
    """The same for all sizes."""
    letter = setting.databases.letter
    return letter is None or letter.of[1].least >= setting.databases.from_size
