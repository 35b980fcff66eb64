"""What others call what the format has: neighbours, notions, queries and noise by their names elsewhere."""

from __future__ import annotations

from collections.abc import Collection

ELSEWHERE = {
    "unbounded": "add-remove, addremove, add-or-delete, add, remove, removal, add-or-remove, "
    "addition-removal, presence, deletion, delete, insertion, insert, leave-one-out, "
    "symmetric-difference, symmetric-distance",
    "bounded": "replace-one, replaceone, replace, replacement, substitute, substitution, "
    "substitute-one, swap, change-one, modify, change, hamming, hamming-distance, change-one-distance",
    "user": "user-level, person, client, participant, person-level, individual-level, client-level",
    "event": "event-level, item-level",
    "edge": "edge-level, link",
    "node": "node-level, vertex",
    "free-lunch": "arbitrary, any, all-pairs",
    "insert-delete": "edit-distance, levenshtein",
    "attribute": "attribute-level, feature",
    "pure": "dp, epsilon-dp, puredp, pure-dp, eps",
    "approximate": "approx, approximate-dp, epsilon-delta, epsilon-delta-dp, eps-delta, adp, approxdp",
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
    "replace": "policy, policies",
    "users": "owners",
}
"""By the name that the format has those that mean the same, each after a comma."""
IN_WORDS = {
    "record-level, example-level, row-level, tuple-level": (
        {"unbounded", "bounded"},
        "did you mean 'unbounded', a record comes or goes, or 'bounded', one is replaced?",
    ),
    "zero-out, null-out": (
        {"unbounded", "bounded"},
        "a record that becomes a null record is a policy: [granularities.NAME] replace = "
        '[["a", "null"], ["b", "null"]]; or did you mean \'unbounded\'?',
    ),
    "local, local-dp, ldp": (
        {"bounded"},
        'local privacy is that of databases of one record, of which any may be any other: size "= 1", '
        "and 'bounded'",
    ),
    "median, quantile, percentile": (
        {"mean", "histogram"},
        "a median moves by all of u - l; did you mean 'mean', or a 'histogram' of which one bin is chosen by "
        "exponential noise?",
    ),
}
"""Names elsewhere that the format has no name for: beside which names they may be meant, and what to do."""
_WORDS = {other: said for others, said in IN_WORDS.items() for other in others.split(", ")}
_MEANT = {other: name for name, others in ELSEWHERE.items() for other in others.split(", ")}


def meant(word: str, known: Collection[str]) -> str | None:
    """The known word for what somebody else calls so, if there is one.

    >>> meant("add/remove", ["unbounded", "bounded"]), meant("Replace_One", ["bounded"]), meant("x", [])
    ('unbounded', 'bounded', None)
    """
    found = _MEANT.get(_plain(word), _plain(word))
    return found if found in known else None


def in_words(word: str, known: Collection[str]) -> str:
    """What to do where somebody else has a name for what the format has none for; "" where nothing is known.

    >>> in_words("record-level", ["unbounded", "bounded"])
    "did you mean 'unbounded', a record comes or goes, or 'bounded', one is replaced?"
    """
    beside, said = _WORDS.get(_plain(word), (set[str](), ""))
    return said if beside & set(known) else ""


def _plain(word: str) -> str:
    return "-".join(word.lower().replace("/", " ").replace("_", " ").replace("-", " ").split())
