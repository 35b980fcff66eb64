"""What is read of changed heads of theorem pages: of each kind of page those of a few are changed, one place each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import changed
from changed import Change
from in_letters import Asked

from dpcompose.kernel.library import pages
from dpcompose.kernel.library.fields import Mistake
from dpcompose.proof.theory import registry

FEW = 2
"""So many pages of each kind are changed."""


@cache
def heads() -> Mapping[str, Mapping[str, Any]]:
    """The heads of a few pages of each kind, as data."""
    found: dict[str, dict[str, Any]] = {}
    of_kind: dict[str, int] = {}
    for name, page in sorted(registry.standard().pages.items()):
        of_kind[page.head.kind] = of_kind.get(page.head.kind, 0) + 1
        if of_kind[page.head.kind] <= FEW:
            text = re.search(r"```toml\n(.*?)\n```", page.path.read_text(encoding="utf-8"), re.DOTALL)
            assert text is not None
            found[name] = tomllib.loads(text[1])
    return found


def changes(name: str) -> Sequence[Change]:
    """The changes of the head of a page: also keys that others have, and other words."""
    head = heads()[name]
    keys = dict(item for other in heads().values() for item in other.items())
    more = [Change((key,), value) for key, value in keys.items() if head.get(key) != value]
    words = [Change(at, word) for at in changed.places(head) for word in ("", "x", 7, "oo")]
    return [*changed.further(head), *more, *words]


def read(name: str, change: Change) -> Any:
    """Whether a head with a change is read; where it is wrong, in which places."""
    mistakes = list[Mistake]()
    head = pages._head(change.of(heads()[name]), mistakes)
    return sorted(mistake.at for mistake in mistakes) if head is None or mistakes else "read"


EVERY: Asked = {name: (partial(read, name), partial(changes, name)) for name in heads()}
"""What is asked, and of what."""
