"""Noise on counts of records, of any two multisets: how far the number of those that are read moves."""

from __future__ import annotations

from typing import Any

from second_checker.algebra import Algebra
from second_checker.forms import Form, add
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.pairs import Counts, simple

COUNT = {"page": "count", "values": {}}


def moved(
    algebra: Algebra, library: Library, noise: Any, counts: Counts, atoms: frozenset[int] | None
) -> Form:
    """How far the number of records of some atoms moves, by the pages of its query and of its noise."""
    if noise["query"] != COUNT:
        raise NotRead("metrics", "another query than a count, as a distance of any two databases")
    # which pages a step rests on is seen where a cover looks at this distance
    every = library.whole()
    query, page = every.one("count"), every.one(noise["page"])
    demand(
        query["kind"] == "query" and page["kind"] == "noise" and not query.get("sized"),
        "no query, or no noise",
    )
    own = range(len(counts)) if atoms is None else sorted(atoms)
    names = {word: add(*(counts[n][side] for n in own)) for side, word in enumerate(("removed", "added"))}
    return simple(algebra, algebra.read(query["moves"][page["norm"]], names))


def agree(said: Any, one: Any, core: Any, library: Library) -> None:
    """Rejects another noise on a count than that of the problem file, or that is told by another distance."""
    ((kind, parameter),) = said["noise"].items()
    noise, page = one["noise"], library.one(one["noise"]["page"])
    demand(set(noise) == {"page", "parameter", "query"} and page["noise"] == kind, "another noise")
    demand(said.get("query") == "count" and noise["query"] == COUNT, "another query")
    algebra = Algebra(core["parameters"])
    demand(algebra.read(parameter) == algebra.read(noise["parameter"]), "another parameter")
    demand(algebra.sign(algebra.read(parameter)) == 2, "a parameter that does not fit")
    demand(one["notion"] in page["guarantee"] and not one["metric"]["besides"], "another notion")
    told = core["distances"].get(one["metric"]["formula"], {})
    own = told.get("input", {}).get("noise", {})
    demand(
        own.get("query") == COUNT and library.whole().one(own["page"])["norm"] == page["norm"],
        "another distance",
    )


__all__ = ["agree", "moved"]
