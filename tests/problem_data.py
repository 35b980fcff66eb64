"""Problem files as data, and their bounds: mechanisms that read some records each, and families on the parts of a partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

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


def on_parts(
    granularities: Mapping[str, Any],
    target: Any,
    stated: Any,
    domain: str = "common",
    most: str = "",
    values: Mapping[str, str] | None = None,
    **parameters: str,
) -> dict[str, Any]:
    """The same on k parts P, or where most is said on parts of which at most so many hold a record; ε_i-DP, where
    nothing else is said, with granularities of the file's own."""
    partition = {"kind": "overlapping", "at-most": most} if most else {"kind": "record-wise"}
    said = values or {"notion": "pure", "epsilon": "e[i]"}
    data = family("P", partition, target, stated, domain, said, k="integer >= 2", **parameters)
    return data | {"granularities": dict(granularities)}


def guarantee(data: dict[str, Any], notion: str = "pure") -> Any:
    """What is found for a problem in a notion."""
    return Study(problems.read_data(data).setting).proofs.guarantee(notion).main


def bound(data: dict[str, Any], notion: str = "pure") -> Any:
    """Its only parameter."""
    ((_, term),) = guarantee(data, notion).says.values
    return term


def bound_if_any(data: dict[str, Any], notion: str = "pure") -> tuple[Any, bool] | None:
    """Its only parameter, and whether it is known to be optimal; None where there is no guarantee."""
    try:
        found = guarantee(data, notion)
    except NoGuarantee:
        return None
    ((_, term),) = found.says.values
    return term, bool(found.optimal)


def optimal_bound(data: dict[str, Any], notion: str = "pure") -> Any:
    """The same of a guarantee that is known to be optimal."""
    found = guarantee(data, notion)
    assert found.optimal
    ((_, term),) = found.says.values
    return term


def bag(parts: object, rows: object, replaced: bool | str = False) -> dict[str, Any]:
    """What one person contributes."""
    how = {"replaced": replaced} if replaced else {}
    return {"contribution": {"parts": str(parts), "rows": str(rows), **how}}
