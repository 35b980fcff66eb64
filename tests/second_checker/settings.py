"""What a problem file says, compared with the setting that a derivation is about."""

from __future__ import annotations

from typing import Any

from second_checker import noises
from second_checker.cells import cells, sets, tables
from second_checker.forms import Algebra
from second_checker.graphs import graphs
from second_checker.lists import listed
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.records import records

PLACES = {
    "multisets": records,
    "sequences": records,
    "tuples": cells,
    "streams": cells,
    "tables": tables,
    "sets": sets,
    "graphs": graphs,
    "listed": listed,
}
UNCOUNTED = ("sequences", "tables", "sets", "graphs")


def agree(problem: Any, core: Any, library: Library) -> Any:
    """Rejects a setting that is not the problem's; else the setting whose profile is to be found."""
    if "flat" in core or "studies" in problem:
        raise NotRead("study", "a study within a study")
    demand(bool(core["adaptive"]) == bool(problem.get("adaptive")), "adaptive is said of another setting")
    for name, words in core["parameters"].items():
        plain = name.removesuffix("[i]")
        demand(problem.get("parameters", {}).get(plain) == words, f"the parameter {name} is another one")
    demand(len(problem["mechanisms"]) == len(core["mechanisms"]), "there are other mechanisms")
    kind = problem["databases"]["kind"]
    if kind not in PLACES:
        raise NotRead("setting", f"databases that are {kind}")
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        if "noise" in said:
            noises.agree(said, one, core, library)
            family(said, one, Algebra(core["parameters"]))
        else:
            guarantee(said, one, core["parameters"])
    if kind in UNCOUNTED and any("noise" in one for one in core["mechanisms"]):
        raise NotRead("noise", f"on {kind}")
    return PLACES[kind](problem, core) or core


def guarantee(said: Any, one: Any, parameters: Any) -> None:
    """Rejects a mechanism that has not the guarantee of the problem file."""
    demand("noise" not in one, "a noise that the problem has not")
    if "guarantee" not in said or "table" in one:
        raise NotRead("table", "a mechanism that is a table")
    promised = said["guarantee"]
    demand(said["name"] == one["name"] and promised["notion"] == one["notion"], "another mechanism")
    algebra = Algebra(parameters)
    own = {k: v for k, v in promised.items() if k not in ("notion", "granularity", "domain")}
    if "metric" in own:
        raise NotRead("setting", "a guarantee in a metric")
    demand(set(own) == set(one["values"]), "other parameters")
    for key, text in own.items():
        if "oo" in (text, one["values"][key]):
            demand(text == one["values"][key], f"{key} is another one")
            continue
        same = algebra.read(text) == algebra.read(one["values"][key])
        demand(same, f"{key} of {one['name']} is another one")
    if said["reads"] != "everything" if "reads" in said else False:
        demand(promised.get("domain") == one["domain"], "another domain")
    family(said, one, algebra)


def family(said: Any, one: Any, algebra: Algebra) -> None:
    """Rejects another number of members."""
    demand(("count" in said) == ("count" in one), "a family, or none")
    if "count" in said:
        demand(algebra.read(said["count"]) == algebra.read(one["count"]), "another number of members")
