"""What a problem file says, compared with the setting that a derivation is about."""

from __future__ import annotations

from typing import Any

from second_checker import (
    assumptions,
    bags,
    beside_metrics,
    cells,
    noises,
    orders,
    sampled,
    several,
    sizes,
    tables,
)
from second_checker.algebra import Algebra
from second_checker.attributes import written_out
from second_checker.forms import Form
from second_checker.graphs import graphs
from second_checker.in_steps import for_neighbours
from second_checker.lists import listed
from second_checker.orders import Orders
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.parted import parted
from second_checker.places import tuples
from second_checker.policies import policies
from second_checker.records import records
from second_checker.samples import demand_same

PLACES = {
    "multisets": records,
    "sequences": records,
    "tuples": cells.cells,
    "streams": cells.cells,
    "tables": cells.tables,
    "sets": cells.sets,
    "graphs": graphs,
    "listed": listed,
}
UNCOUNTED = ("sequences", "tables", "sets", "graphs")


def agree(problem: Any, core: Any, library: Library) -> Any:
    """Rejects a setting that is not the problem's; else the setting whose profile is to be found."""
    if beside_metrics.is_metrical(core):
        several_of_one = any("also" in one or "study" in one for one in core["mechanisms"])
        if several_of_one or any("satisfies" in one for one in problem["mechanisms"]):
            raise NotRead("metrics", "several guarantees, and studies, beside metrics")
        return agree_apart(*beside_metrics.expanded(problem, core), library)
    told = several.together(agree_apart(*several.apart(problem, core), library), core)
    if "flat" in core or any("study" in one for one in [*core["mechanisms"], *problem["mechanisms"]]):
        studies(problem, core, library)
    return told


def agree_apart(problem: Any, core: Any, library: Library) -> Any:
    """The same of a setting in which each mechanism has one guarantee, but for what is in studies."""
    assumptions.agree(problem, core, Algebra(core["parameters"]))
    demand(bool(core["adaptive"]) == bool(problem.get("adaptive")), "adaptive is said of another setting")
    for name, words in core["parameters"].items():
        plain = name.removesuffix("[i]")
        demand(problem.get("parameters", {}).get(plain) == words, f"the parameter {name} is another one")
    demand(len(problem["mechanisms"]) == len(core["mechanisms"]), "there are other mechanisms")
    stated = [
        for_neighbours(said, one, problem, core["parameters"])
        for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True)
    ]
    problem = problem | {"mechanisms": list(map(unfiltered, stated, core["mechanisms"]))}
    problem, core = sampled.whole(problem, core, library)
    if core["databases"]["kind"] == "contributions":
        mechanisms(problem, core, library)
        bags.agree(problem, core)
        return core
    if core["databases"]["kind"] in ("policies", "records"):
        problem = written_out(problem)
    kind = problem["databases"]["kind"]
    if kind not in PLACES:
        raise NotRead("setting", f"databases that are {kind}")
    if core["databases"]["kind"] in ("listed", "arrays") and kind not in ("listed", "graphs"):
        raise NotRead("setting", f"{kind} one by one")
    mechanisms(problem, core, library)
    if kind in UNCOUNTED and any("noise" in one for one in core["mechanisms"]):
        raise NotRead("noise", f"on {kind}")
    problem, core = sizes.fixed(problem, core)
    if core["databases"]["kind"] == "policies" and kind == "multisets" and problem.get("partitions"):
        return parted(problem, core) or core
    if core["databases"]["kind"] == "policies":
        return (policies if kind in ("multisets", "sets") else tuples)(problem, core) or core
    every, own = map(list, zip(*map(undealt, problem["mechanisms"], core["mechanisms"]), strict=True))
    found = PLACES[kind](problem | {"mechanisms": every}, core | {"mechanisms": own})
    demand(not found or own == core["mechanisms"], "a deal of what is widened")
    return found or core


def mechanisms(problem: Any, core: Any, library: Library) -> None:
    """Rejects mechanisms with other noise, guarantees or tables than those of the problem file."""
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        if "noise" in said:
            noises.agree(said, one, core, library)
            family(said, one, Algebra(core["parameters"]))
        else:
            guarantee(said, one, core["parameters"], given_numbers(problem))
        demand(
            bool(said.get("post-processing")) == one.get("processed", False), "a function of outputs, or none"
        )
        demand(("table" in said) == ("table" in one), "a table, or none")
        if "table" in said:
            tables.agree(problem, said, one, core["parameters"])


def undealt(said: Any, one: Any) -> tuple[Any, Any]:
    """A family on what is dealt at random, as one mechanism that reads everything."""
    reads = said.get("reads", "everything")
    dealt = isinstance(reads, dict) and "random-part" in reads
    demand(dealt == one.get("dealt", False), "records that are dealt, or not")
    if not dealt:
        return said, one
    right = reads["random-part"] == said["index"] and reads["of"] == said["count"]
    demand(right and one["reads"] == [None] and one["domain"] == "own", "another deal")
    demand(one["partition"] == f"deal to {one['name']}" and "noise" not in one, "another deal")
    return said | {"reads": "everything"}, {key: x for key, x in one.items() if key != "partition"}


def given_numbers(problem: Any) -> dict[str, Form]:
    """The parameters of a problem file that are numbers."""
    words = {name: str(text) for name, text in problem.get("parameters", {}).items()}
    domains = ("positive", "nonnegative", "real")
    return {
        name: Algebra({}).read(text)
        for name, text in words.items()
        if text not in domains and not text.startswith(("integer", "in "))
    }


def unfiltered(said: Any, one: Any) -> Any:
    """A mechanism of the problem file, the total of its filter as its guarantee."""
    demand(("filter" in said) == one.get("filtered", False), "what a filter stops, or no filter")
    return said | {"guarantee": said["filter"]} if "filter" in said else said


def guarantee(said: Any, one: Any, parameters: Any, names: dict[str, Form]) -> None:
    """Rejects a mechanism that has not the guarantee of the problem file."""
    demand("noise" not in one, "a noise that the problem has not")
    if "guarantee" not in said:
        raise NotRead("setting", "a mechanism without a guarantee")
    promised = said["guarantee"]
    demand(said["name"] == one["name"] and promised["notion"] == one["notion"], "another mechanism")
    demand(("orders" in promised) == ("orders" in one), "a guarantee of orders, or of none")
    spoken = Orders.read(one["orders"]) if "orders" in one else None
    demand(spoken is None or spoken == Orders.read(promised["orders"]), "other orders")
    algebra = Algebra(parameters | (spoken.letters if spoken else {}))
    algebra.fixed = spoken.names if spoken else {}
    own = {k: v for k, v in promised.items() if k not in ("notion", "granularity", "domain", "orders")}
    if "omega" in own:
        demand(
            orders.as_limit(algebra, own.pop("omega"), names) == algebra.read(one["values"]["tau"]),
            "another omega",
        )
        own["tau"] = one["values"]["tau"]
    if "metric" in own:
        raise NotRead("setting", "a guarantee in a metric")
    demand(set(own) == set(one["values"]), "other parameters")
    for key, text in own.items():
        if "oo" in (text, one["values"][key]):
            demand(text == one["values"][key], f"{key} is another one")
            continue
        given = algebra.read(text, names)
        demand_same(
            algebra, given, algebra.read(one["values"][key]), f"{key} of {one['name']} is another one"
        )
    # where everything is read the two domains are one
    everything = one["reads"] == [None] and one["domain"] == "own"
    demand(everything or promised.get("domain") == one["domain"], "another domain")
    family(said, one, algebra)


def family(said: Any, one: Any, algebra: Algebra) -> None:
    """Rejects another number of members."""
    demand(("count" in said) == ("count" in one), "a family, or none")
    if "count" in said:
        demand(algebra.read(said["count"]) == algebra.read(one["count"]), "another number of members")


# -- studies ---------------------------------------------------------------------------------------------


def studies(problem: Any, core: Any, library: Library) -> None:
    """Rejects studies that are not the problem's, or other mechanisms in place of them."""
    whole = library.whole()
    flat = []
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        demand(("study" in said) == ("study" in one), "a study, or none")
        if "study" not in said:
            flat.append(said)
            continue
        inner = problem["studies"][said["study"]]
        if "studies" in inner or any("study" in m for m in inner["mechanisms"]):
            raise NotRead("study", "within a study within a study")
        agree(inner, one["study"], whole)
        demand(
            one["domain"] == "own" and one["stated"] == one["study"]["target"], "a study of another target"
        )
        for name, words in one["study"]["parameters"].items():
            demand(core["parameters"].get(name) == words, f"{name} has another domain in a study")
        flat += [within(said, m, problem, inner) for m in inner["mechanisms"]]
    adaptive = any(
        problem["studies"][m["study"]].get("adaptive") for m in problem["mechanisms"] if "study" in m
    )
    told = {key: problem[key] for key in ("parameters", "databases", "target")}
    agree(
        {**told, "mechanisms": flat, "adaptive": bool(problem.get("adaptive") or adaptive)},
        core["flat"],
        whole,
    )


def within(said: Any, mechanism: Any, problem: Any, inner: Any) -> Any:
    """A mechanism of a study as one on the databases of the whole: of multisets over some records."""
    base, own = problem["databases"], inner["databases"]
    if (
        base["kind"] != "multisets"
        or own["kind"] != "multisets"
        or "noise" in mechanism
        or "table" in mechanism
    ):
        raise NotRead("study", "of other databases than multisets, or with noise")
    if said.get("reads", "everything") == "everything":
        demand(base == own, "a study of other databases")
        return {**mechanism, "name": f"{said['name']}.{mechanism['name']}"}
    if set(said["reads"]) != {"records"} or base.get("size", "any").startswith("= "):
        raise NotRead("study", "of parts, or of databases of one size")
    demand(set(own["records"]) == set(said["reads"]["records"]), "a study of other records")
    if sizes.told(base.get("size", "any"))[0] or problem.get("granularities"):
        raise NotRead("study", "of databases of a least size, or beside policies")
    demand(own.get("size", "any") == base.get("size", "any"), "a study of databases of other sizes")
    several_of_one = "satisfies" in mechanism
    every = [dict(one) for one in mechanism.get("satisfies", [])] or [dict(mechanism["guarantee"])]
    reads = mechanism.get("reads", "everything")
    if reads == "everything" or set(reads.get("records", [])) == set(own["records"]):
        reads = {"records": own["records"]}
        every = [{**promised, "domain": "own"} for promised in every]
    elif "records" not in reads:
        raise NotRead("study", "with parts")
    promises = {"satisfies": every} if several_of_one else {"guarantee": every[0]}
    return {**mechanism, "name": f"{said['name']}.{mechanism['name']}", "reads": reads, **promises}
