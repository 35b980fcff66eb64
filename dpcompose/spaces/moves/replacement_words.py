"""What problem files, and persons, say of which records may take the place of which others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpcompose.kernel.library.fields import near
from dpcompose.spaces.moves.replacements import (
    BLOCKS,
    EVERY,
    NORMS,
    Every,
    Groups,
    Near,
    OfAttributes,
    Replacement,
    point,
)


def read(given: object, name: str) -> Replacement:
    """What a problem file, or a person, says may take whose place.

    name -- what errors call it.  Raises ValueError.
    """
    if isinstance(given, Mapping):
        return _by_word(given, name)
    if given == EVERY:
        return Every()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f'replace is "{EVERY}", or a list, not {given!r}')
    groups = frozenset(frozenset(map(str, group)) for group in given)
    if any(len(group) < 2 for group in groups):
        raise ValueError(f"{name}: a group of records that replace each other has two records at least")
    return Groups(groups)


def _by_word(given: Mapping[str, Any], name: str) -> Replacement:
    """A replacement that is said by a word, with what it is about."""
    words = [word for word in ("within", *BLOCKS, "within-distance") if word in given]
    if len(words) != 1:
        raise ValueError(f"{name}: {HOW}")
    (word,) = words
    if word == "within-distance":
        return _near(given, name)
    if strange := sorted(set(given) - {word}):
        raise ValueError(f"{name}: {strange[0]} does not stand beside {word}")
    if word == "within":
        return read(list(given[word]), name)
    attributes = given[word]
    if attributes == EVERY and word == "one-of":
        return OfAttributes(word, None)
    if isinstance(attributes, str) or not attributes:
        raise ValueError(f'{name}: {word} lists attributes: {{ {word} = ["age"] }}')
    return OfAttributes(word, tuple(sorted(map(str, attributes))))


def _near(given: Mapping[str, Any], name: str) -> Replacement:
    distance, norm, of = given["within-distance"], given.get("norm"), given.get("of")
    if strange := sorted(set(given) - {"within-distance", "norm", "of"}):
        raise ValueError(f"{name}: {strange[0]} does not stand beside within-distance")
    try:
        (far,) = point(str(distance))
    except ValueError:
        raise ValueError(
            f'{name}: a distance is a number such as "3" or "1/2", not {distance!r}; on numbers without '
            'gaps all distances m at once are among groups of m steps within 1, { group = "m", of = "NAME" }'
        ) from None
    if far <= 0:
        raise ValueError(f"{name}: no other record is within the distance {distance}; it is above 0")
    if not isinstance(norm, str) or norm not in NORMS:
        raise ValueError(f"{name}: a distance needs a norm: {', '.join(NORMS)}{near(norm, NORMS)}")
    return Near(far, norm, None if of is None else tuple(sorted(map(str, of))))


HOW = (
    'replace is { within = [["a1", "a2"], ["b1", "b2"]] }, { changes = ["label"] }, { keeps = ["county"] }, '
    '{ one-of = ["age", "sick"] } or "all" of them, { within-distance = "1", norm = "L1" }, or "all"'
)
