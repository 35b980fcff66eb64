"""Problem files as data: mechanisms that read some records each, and families on the parts of a partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

KEYS = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu"}
"""The parameter of a notion with one."""

Reads = Sequence[Sequence[str] | None]


def reading_records(
    target: Any,
    reads: Reads,
    stated: Sequence[Any],
    domains: Sequence[str],
    notion: str = "pure",
    **databases: Any,
) -> dict[str, Any]:
    """Mechanisms M1, M2, … with parameters e1, e2, …, on multisets, that read records, or None: everything."""
    return {
        "format": 1,
        "databases": {"kind": "multisets", **databases},
        "target": {"granularity": target},
        "mechanisms": [
            {
                "name": f"M{i}",
                "reads": "everything" if read is None else {"records": read},
                "guarantee": {
                    "notion": notion,
                    KEYS[notion]: f"e{i}",
                    "granularity": of,
                    "domain": domain,
                },
            }
            for i, (read, of, domain) in enumerate(zip(reads, stated, domains, strict=True), start=1)
        ],
    }


def family(
    called: str,
    partition: Mapping[str, Any],
    target: Any,
    stated: Any,
    domain: str,
    values: Mapping[str, str],
    **parameters: str,
) -> dict[str, Any]:
    """M[1], …, M[k] on the parts of a partition that is called so, with a guarantee.

    values -- its notion and its parameters; parameters -- those of the file, with their domains.
    """
    guarantee = {**values, "granularity": stated, "domain": domain}
    return {
        "format": 1,
        "parameters": parameters,
        "databases": {"kind": "multisets"},
        "partitions": {called: {**partition, "parts": "k"}},
        "target": {"granularity": target},
        "mechanisms": [
            {
                "name": "M",
                "index": "i",
                "count": "k",
                "reads": {"part": "i", "of": called},
                "guarantee": guarantee,
            }
        ],
    }
