"""What claims imply in notions that have privacy curves: where mechanisms may be seen to exceed that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from dpcompose.kernel import computed
from dpcompose.kernel.library.theory import NoPage
from dpcompose.search.guarantees import Workshop

AT_EPSILON = ("0", "1/2", "1", "2", "4")
"""At which ε the curve of mechanisms is compared with that of all that satisfies a claim."""


def ways(shop: Workshop, notion: str) -> Iterator[dict[str, str]]:
    """In which notions that have curves a claim of this one implies something, and at which ε to look."""
    for other in dict.fromkeys(page.head.notion for page in shop.theory.of_kind("computed")):
        with suppress(NoPage):
            computed.page_of_claims(shop.theory, other, notion)
            yield from ({"notion": other, "epsilon": epsilon} for epsilon in AT_EPSILON)
