"""Maps that recode records: which records of a setting become one, and the neighbours of what they become."""

from __future__ import annotations

from typing import Any

from second_checker.outcomes import NotRead, demand

Record = tuple[str, int]
Recoding = dict[str, Any]


def of(problem: Any, mechanism: Any) -> Recoding | None:
    """What recodes the records that a mechanism reads, if anything does."""
    reads = mechanism.get("reads", "everything")
    if reads == "everything" or "map" not in reads:
        return None
    found: Recoding = problem["maps"][reads["map"]]
    if "recode" not in found:
        raise NotRead("setting", "a map that recodes no records")
    return found


def names(recoding: Recoding) -> set[str]:
    """All names in it: of records, and of what they become."""
    others = {recoding["others"]} if "others" in recoding else set()
    return {*recoding["recode"], *recoding["recode"].values(), *others}


def becomes(recoding: Recoding, record: Record) -> str | Record:
    """What a record becomes: a name, or itself."""
    name = record[0]
    return str(recoding["recode"].get(name, recoding.get("others", name if record[1] == 0 else ""))) or record


def merged(recoding: Recoding, every: list[Record]) -> dict[Record, str]:
    """What those records become that become another one, or that another one becomes."""
    found = {record: becomes(recoding, record) for record in every}
    texts = [code for code in found.values() if isinstance(code, str)]
    return {
        record: code
        for record, code in found.items()
        if isinstance(code, str) and (code != record[0] or texts.count(code) > 1)
    }


def agree(mechanism: Any, codes: dict[Record, str], atoms: list[list[Record]]) -> dict[str, list[int]]:
    """The atoms whose records become one, by what they become.  Rejects a setting with others."""
    found: dict[str, list[int]] = {}
    for n, atom in enumerate(atoms):
        here = {codes.get(record) for record in atom}
        demand(len(here) == 1, "records of an atom that become several")
        if (code := here.pop()) is not None:
            found.setdefault(code, []).append(n)
    told = sorted(sorted(one) for one in mechanism.get("codes", []))
    demand(told == sorted(found.values()), "other records become one")
    return found


def of_image(codes: dict[str, list[int]], atoms: list[list[Record]]) -> list[list[Record]]:
    """What is seen, atom by atom: of those that become one the first stands for it, the others for nothing."""
    first = {min(some): code for code, some in codes.items()}
    gone = {n for some in codes.values() for n in some}
    return [
        [(first[n], 0)] if n in first else [] if n in gone else list(atom) for n, atom in enumerate(atoms)
    ]
