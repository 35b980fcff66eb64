"""What others call what the format has: neighbours, notions, queries and noise by their names elsewhere."""

from __future__ import annotations

from collections.abc import Collection

ELSEWHERE = {
    "unbounded": "add-remove, add, remove, removal, add-or-remove, addition-removal, presence",
    "bounded": "replace-one, replace, replacement, substitute, substitution, "
    "substitute-one, swap, change-one, modify, change",
    "user": "user-level, person, client, participant",
    "event": "event-level, item-level, example-level, record-level",
    "edge": "edge-level, link",
    "node": "node-level, vertex",
    "free-lunch": "arbitrary, any, all-pairs",
    "insert-delete": "edit-distance, levenshtein",
    "attribute": "attribute-level, feature",
    "pure": "dp, epsilon-dp, puredp, pure-dp, eps",
    "approximate": "approx, approximate-dp, epsilon-delta, adp, approxdp",
    "zcdp": "rho, cdp, concentrated, zero-concentrated",
    "gaussian": "gdp, mu-gdp, gaussian-dp, normal",
    "renyi": "rdp, renyi-dp, rényi",
    "tcdp": "truncated, truncated-cdp",
    "f-dp": "fdp, tradeoff, trade-off",
    "laplace": "double-exponential, lap",
    "geometric": "discrete-laplace, two-sided-geometric",
    "randomized-response": "rr, randomised-response, local",
    "count": "size, number, len, counting",
    "sum": "total, clipped-sum, bounded-sum",
    "mean": "average, avg",
    "variance": "var, spread",
    "multisets": "bags, multiset, histograms, datasets",
    "tuples": "vectors, lists, arrays",
    "sequences": "strings, words",
}
"""By the name that the format has those that mean the same, each after a comma."""
_MEANT = {other: name for name, others in ELSEWHERE.items() for other in others.split(", ")}


def meant(word: str, known: Collection[str]) -> str | None:
    """The known word for what somebody else calls so, if there is one.

    >>> meant("add/remove", ["unbounded", "bounded"]), meant("Replace_One", ["bounded"]), meant("x", [])
    ('unbounded', 'bounded', None)
    """
    plain = "-".join(word.lower().replace("/", " ").replace("_", " ").replace("-", " ").split())
    found = _MEANT.get(plain, plain)
    return found if found in known else None
