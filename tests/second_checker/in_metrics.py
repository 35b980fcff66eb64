"""Settings in distances of any two databases, compared with their problem file case by case."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from second_checker import assumptions, counts, metric_tables
from second_checker.algebra import Algebra
from second_checker.distances import GRAIN, Far, OfProblem, OfSetting, spoken
from second_checker.everywhere import sampled
from second_checker.forms import Form, add, letters, minus, number
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.pairs import Case, cases
from second_checker.samples import same_cleared

Values = dict[str, Far]


@dataclass
class There:
    """A case: formulas in its letters, and how far its databases are apart."""

    case: Case
    algebra: Algebra
    far: OfSetting


def every(core: Any, library: Library) -> list[There]:
    """All cases of a setting in distances."""
    demand(core["target"] == {"single": "any two", "steps": 1}, "neighbours that are not any two")
    demand(core["databases"]["kind"] == "product" and bool(core["databases"]["parts"]), "no product")
    made, sizes = core["distances"], set[tuple[str, frozenset[int]]]()
    for one in made.values():
        part = core["databases"]["parts"].get(one.get("part"), {})
        stated = one.get("input", {}).get("stated", {})
        if part.get("kind") == "records" and stated.get("single") == [[1, 1]]:
            whole = frozenset(range(len(part["atoms"])))
            (reads,) = one["input"]["reads"]
            own = whole if reads is None else frozenset(reads)
            if own == whole or one["input"]["domain"] == "own":
                sizes.add((one["part"], own))
    near = [name.removeprefix("d__") for name, one in made.items() if "within" in one]
    found = []
    for case in cases(core, sizes, near):
        only = [name.removeprefix("d__") for name, one in made.items() if set(one) == {"at most"}]
        nothing = [name.removeprefix("d__") for name, one in made.items() if not one]
        case.domains |= {f"declared__{name}": "nonnegative" for name in [*only, *nothing]}
        algebra = case.algebra(core["parameters"], core)
        there = There(case, algebra, OfSetting(algebra, case, core, library))
        if is_there(there, core, only):
            found.append(there)
    return found


def is_there(there: There, core: Any, only: list[str]) -> bool:
    """Notes what is known of distances: bounds, and a radius; whether the case is not seen to be empty."""
    for name in only:
        bound = there.far.value(core["distances"][f"d__{name}"]["at most"])
        if bound is not None:
            there.case.facts.append(minus(bound, there.algebra.read(f"declared__{name}")))
    for name, inside in there.case.near.items():
        one = core["distances"][f"d__{name}"]
        value = there.far.value(one["formula"])
        radius = there.algebra.read(one["within"])
        if value is None:
            if inside:
                return False
            continue
        if inside:
            there.case.facts.append(minus(radius, value))
    return True


# -- agreement -------------------------------------------------------------------------------------------

KEYS = {"parameters", "databases", "target", "mechanisms", "adaptive", "assumed", "distances"}


def agree(problem: Any, core: Any, library: Library) -> list[There]:
    """Rejects a setting that is not the problem's; else its cases."""
    demand(set(core) <= KEYS, "a setting with other entries")
    if "orders" in problem:
        raise NotRead("metrics", "divergences")
    problem = metric_tables.flattened(problem)
    assumptions.agree(problem, core, Algebra(core["parameters"]))
    demand(bool(core["adaptive"]) == bool(problem.get("adaptive")), "adaptive is said of another setting")
    for name, words in core["parameters"].items():
        given = problem.get("parameters", {}).get(name.removesuffix("[i]"), "positive")
        demand(given == words, f"the parameter {name} is another one")
    parts(problem, core)
    demand(len(problem["mechanisms"]) == len(core["mechanisms"]), "there are other mechanisms")
    found = every(core, library)
    bounds(problem, core, found)
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        mechanism(said, one, library, core)
        for there in found:
            here = promised(said, one, problem, core, library, there)
            same(there, here, lost(one, core, library, there), f"another guarantee of {one['name']}")
    return found


def bounds(problem: Any, core: Any, found: list[There]) -> None:
    """Rejects other bounds of what is known by these alone."""
    for name, one in core["distances"].items():
        plain = name.removeprefix("d__")
        if set(one) == {"at most"}:
            demand(
                set(problem.get("metrics", {}).get(plain, {})) == {"at-most"},
                "a bound that the problem has not",
            )
            for there in found:
                wanted = OfProblem(there.algebra, there.case, problem, core)
                values = {"": wanted.value(problem["metrics"][plain]["at-most"])}
                same(there, values, {"": there.far.value(one["at most"])}, "another bound")


def parts(problem: Any, core: Any) -> None:
    """Rejects other databases."""
    base = problem["databases"]
    told = base["parts"] if base["kind"] == "product" else {"": base}
    own = core["databases"]["parts"]
    demand(list(told) == list(own), "other parts")
    for name, part in told.items():
        kinds = {"multisets": "records", "points": "points", "listed": "listed"}
        demand(kinds.get(part["kind"]) == own[name]["kind"], "a part of another kind")
        if part["kind"] == "points":
            box = [
                [end_of(x) for x in ends]
                for ends in part.get("box", [["-oo", "oo"]] * len(part["coordinates"]))
            ]
            demand(part["coordinates"] == own[name]["coordinates"], "other coordinates")
            demand(box == own[name]["box"] and part.get("disc") == own[name].get("disc"), "other points")
        elif part["kind"] == "listed":
            demand(
                len(set(part["elements"])) == len(part["elements"]) == own[name]["count"], "other databases"
            )
        else:
            records(problem, part, own[name])


def end_of(text: Any) -> str | None:
    """An end of an interval; None where there is none."""
    return None if text in ("oo", "-oo") else str(text)


def records(problem: Any, part: Any, own: Any) -> None:
    """Rejects multisets of other records: as many, up to two, are read by the same mechanisms."""
    if part.get("size", "any") != "any":
        raise NotRead("metrics", "multisets of limited size")
    demand(own["of"] == "multisets" and own["size"] == ["any", None], "databases of another size")
    some = [m["reads"] for m in problem["mechanisms"] if isinstance(m.get("reads"), dict)]
    reads = [set(one["records"]) for one in some if "records" in one]
    named = sorted(set().union(*reads))
    universe = part.get("records")
    demand(universe is None or set(named) <= set(universe), "records that are not there")
    names = [x for atom in own["atoms"] for x in atom]
    demand(len(names) == len(set(names)), "a record in two atoms")

    def told(every: Any) -> Counter[Any]:
        found = Counter(tuple(x in one for one in reads) for x in every)
        return Counter({key: min(2, many) for key, many in found.items()})

    wanted = told(universe) if universe is not None else told(named) + Counter({(False,) * len(reads): 2})
    demand(told(names) == wanted, "other records")


def mechanism(said: Any, one: Any, library: Library, core: Any) -> None:
    """Rejects a mechanism with another name, notion, number of members, or of outputs that are processed."""
    wanted = {"name", "reads", "domain", "notion", "values", "metric", "noise", "count", "processed", "table"}
    if set(one) - wanted or "satisfies" in said or "sampled" in said:
        raise NotRead("metrics", "samples and several guarantees")
    demand(
        said["name"] == one["name"] and one["reads"] == [None] and one["domain"] == "own", "another mechanism"
    )
    demand(bool(said.get("post-processing")) == one.get("processed", False), "a function of outputs, or none")
    demand(
        ("count" in said) == ("count" in one) and ("noise" in said) == ("noise" in one), "another mechanism"
    )
    if "count" in said:
        algebra = Algebra(core["parameters"])
        demand(algebra.read(said["count"]) == algebra.read(one["count"]), "another number of members")
    demand(set(one["metric"]) == {"formula", "besides"}, "a metric with other entries")
    demand(("table" in said) == ("table" in one), "a table, or none")
    if "table" in said:
        demand("count" not in said and "noise" not in said, "a table with other entries")
    elif "noise" in said and "query" in one["noise"]:
        counts.agree(said, one, core, library)
    elif "noise" in said:
        ((kind, parameter),) = said["noise"].items()
        noise, page = one["noise"], library.one(one["noise"]["page"])
        demand(set(noise) == {"page", "parameter", "entries"} and page["noise"] == kind, "another noise")
        demand(page.get("entries", "real") == "real" or page["entries"] == "plane", "noise on points")
        demand(page.get("entries") != "plane" or len(noise["entries"]) == 2, "noise on the plane")
        algebra = Algebra(core["parameters"])
        demand(algebra.read(parameter) == algebra.read(noise["parameter"]), "another parameter")
        demand(algebra.sign(algebra.read(parameter)) == 2, "a parameter that does not fit")
        demand(one["notion"] in page["guarantee"] and not one["metric"]["besides"], "another notion")
    else:
        demand(said["guarantee"]["notion"] == one["notion"], "another notion")


def is_plain(one: Any, library: Library) -> None:
    """Refuses guarantees in notions of orders."""
    rule = library.rule(one["notion"])
    if rule.get("ordered") or set(one["values"]) != set(rule["parameters"]):
        raise NotRead("metrics", f"guarantees in {one['notion']} privacy")


def lost(one: Any, core: Any, library: Library, there: There) -> Values:
    """What a mechanism of a setting loses in a case."""
    return {key: there.far.put(x, distances(x, there)) for key, x in in_distances(one, core, library).items()}


def distances(form: Form, there: There) -> Values:
    """The distances in a formula."""
    return {x: there.far.called(x.removeprefix("d__")) for x in letters(form) if x.startswith("d__")}


def with_distances(core: Any) -> Algebra:
    """Formulas in the distances of a setting."""
    algebra = Algebra({**core["parameters"], **dict.fromkeys(core["distances"], "nonnegative")})
    algebra.assumed = assumptions.known(core, algebra)
    return algebra


def in_distances(one: Any, core: Any, library: Library, notion: str = "") -> dict[str, Form]:
    """What a mechanism loses, as formulas in distances."""
    algebra, notion = with_distances(core), notion or one["notion"]
    r = algebra.read(one["metric"]["formula"])
    rule = library.rule(notion)
    own = {key: algebra.read(text) for key, text in one["values"].items()}
    if "noise" in one:
        page = library.one(one["noise"]["page"])
        demand(
            notion in page["guarantee"] and notion not in page.get("moved", {}),
            "a noise that says nothing of it",
        )
        texts = page["guarantee"][notion]
        if "oo" in texts.values():
            raise NotRead("metrics", "noise without a guarantee")
        names = {page["parameter"]: algebra.read(one["noise"]["parameter"])}
        own = {key: algebra.read(text, names) for key, text in texts.items()}
    else:
        demand(notion == one["notion"], "another notion")
        is_plain(one, library)
    besides = {key: algebra.read(text) for key, text in one["metric"]["besides"].items()}
    demand(set(besides) <= set(rule["parameters"][1:]), "a formula of no parameter")
    plain = [key for key in rule["parameters"] if key not in besides]
    demand(len(plain) == 1 or own.get("delta") == number(0), "a parameter without a formula")
    found = {key: algebra.read(rule["distance"][key], {**own, "r": r}) for key in plain if key != "delta"}
    if "delta" in rule["parameters"]:
        found["delta"] = besides.get("delta", number(0))
    return found


def promised(said: Any, one: Any, problem: Any, core: Any, library: Library, there: There) -> Values:
    """What a mechanism of the problem file loses in a case."""
    reads = said.get("reads", "everything")
    rule, algebra = library.rule(one["notion"]), there.algebra
    if "noise" in said:
        page = library.one(one["noise"]["page"])
        if "query" in one["noise"]:
            return of_a_count(reads, one, problem, core, library, there)
        metrics = OfProblem(algebra, there.case, problem, core)
        of = None if reads == "everything" else reads["map"] if isinstance(reads, dict) else reads
        changes = metrics.changes(of)
        r: Far = metrics.norm(page["norm"], changes)
        entries = [add(algebra.read(text, there.case.at)) for text in one["noise"]["entries"]]
        texts, ends = metrics.values(of)[0], starts(there.case)
        demand(entries == [algebra.read(text, ends) for text in texts], "noise on something else")
        guarantee = page["guarantee"][one["notion"]]
        own = {
            k: algebra.read(t, {page["parameter"]: algebra.read(one["noise"]["parameter"])})
            for k, t in guarantee.items()
        }
        return at(rule, own, r, algebra)
    if "table" in said:
        metric_tables.agree(said, one, problem, core)
        r = metric_tables.lost(said, problem, core, algebra, there.case)
        return at(rule, {key: number(1) for key in rule["parameters"]}, r, algebra)
    given = said["guarantee"]
    whole = reads == "everything"
    told = None
    if not whole:
        demand(given.get("domain") in ("own", "common"), "a guarantee of no domain")
        told = (reads, given["domain"])
    metrics = OfProblem(algebra, there.case, problem, core, told)
    if "within" in said:
        demand(whole, "what a mechanism of a study reads")
        metrics = metric_tables.metrics(said, problem, core, algebra, there.case)
    if "metric" in given:
        demand(set(given) <= {"notion", "metric", "delta", "domain"}, "a guarantee with other entries")
        several = any(mark in given["metric"] for mark in ("(", "**", "+")) or given.get("delta", "0") != "0"
        listed = problem["databases"].get("kind") == "listed"
        if told is not None and told[1] == "common" and listed and several:
            if "delta" not in given or one["notion"] != "approximate":
                raise NotRead("metrics", "what holds at the nearest databases with the same values of a map")
            r, delta = metric_tables.nearest(said, problem, core, algebra, there.case)
            return at(rule, {"epsilon": number(1), "delta": number(0)}, r, algebra) | {"delta": delta}
        r = metrics.value(given["metric"])
        found = at(rule, {rule["parameters"][0]: number(1), "delta": number(0)}, r, algebra)
        if "delta" in rule["parameters"]:
            found["delta"] = metrics.value(given.get("delta", "0"))
        return found
    own = {key: algebra.read(given[key]) for key in rule["parameters"]}
    demand("delta" not in own, "a delta beside metrics")
    part = metrics.only
    return at(rule, own, metrics.canonical(given["granularity"], part), algebra)


def of_a_count(reads: Any, one: Any, problem: Any, core: Any, library: Library, there: There) -> Values:
    """What noise on a count loses in a case."""
    metrics = OfProblem(
        there.algebra, there.case, problem, core, None if reads == "everything" else (reads, "own")
    )
    part = metrics.only
    r = counts.moved(there.algebra, library, one["noise"], there.case.counts[part], metrics.read_atoms(part))
    page = library.one(one["noise"]["page"])
    names = {page["parameter"]: there.algebra.read(one["noise"]["parameter"])}
    own = {key: there.algebra.read(text, names) for key, text in page["guarantee"][one["notion"]].items()}
    return at(library.rule(one["notion"]), own, r, there.algebra)


def starts(case: Case) -> dict[str, Form]:
    """The coordinates of D."""
    return {x.removesuffix("__D"): form for x, form in case.at.items() if x.endswith("__D")}


def at(rule: Any, own: dict[str, Form], r: Far, algebra: Algebra) -> Values:
    """Parameters at a distance."""
    keys = [key for key in rule["parameters"] if key != "delta"]
    if r is None:
        return dict.fromkeys(rule["parameters"])
    found: Values = {key: algebra.read(rule["distance"][key], {**own, "r": r}) for key in keys}
    return found | ({"delta": number(0)} if "delta" in rule["parameters"] else {})


def same(there: There, one: Values, other: Values, reason: str) -> None:
    """Rejects two tables of formulas that differ in a case."""
    demand(set(one) == set(other), reason)
    for key, x in one.items():
        y = other[key]
        if x is None or y is None:
            demand(x is None and y is None, reason)
        elif not same_cleared(there.algebra, x, y):
            for point in sampled(there.algebra, there.case.facts):
                (low, high), (least, most) = (there.algebra.enclose(z, point) for z in (x, y))
                demand(high >= least and most >= low, reason)
            raise NotRead("formula", reason)


# -- claims ----------------------------------------------------------------------------------------------


def is_stated(problem: Any, claim: Any) -> bool:
    """Whether a claim is one about any two databases, and none about neighbours beside these."""
    target = problem.get("target", {})
    return "metric" in claim or "metric" in target or "of" in target


def claims(
    problem: Any, core: Any, said: list[Any], own: list[Any], library: Library, found: list[There]
) -> None:
    """Rejects claims in distances that are not those of the problem file."""
    demand(len(said) == len(own), "a claim is missing")
    for claim, result in zip(said, own, strict=True):
        demand(claim["notion"] == result["notion"], "a claim of another notion")
        for there in found:
            wanted = claimed(problem, core, claim, library, there)
            keys = set(result) - {"notion"}
            values = {key: there.far.value(result[key]) if result[key] != "oo" else None for key in keys}
            same(there, wanted, values, "the claim is not that of the problem")


def claimed(problem: Any, core: Any, claim: Any, library: Library, there: There) -> Values:
    """What a claim of the problem file says in a case."""
    metrics = OfProblem(there.algebra, there.case, problem, core)
    rule = library.rule(claim["notion"])
    first = rule["parameters"][0]
    if "metric" in claim:
        r = metrics.value(claim["metric"])
        found = at(rule, {first: number(1)}, r, there.algebra)
        return found | ({"delta": metrics.value(claim["delta"])} if "delta" in found else {})
    target, own = problem["target"], {key: metrics.value(claim[key]) for key in rule["parameters"]}
    demand(len(own) == 1 and own[first] is not None, "a claim in several parameters")
    if "within" not in target and "metric" in target:
        value = own[first]
        assert value is not None
        return at(rule, {first: value}, metrics.value(target["metric"]), there.algebra)
    if not any(there.case.near.values()) and not is_near(problem, core, metrics, there):
        return {first: None}
    demand(is_near(problem, core, metrics, there), "databases that are near are others")
    return own


def is_near(problem: Any, core: Any, metrics: OfProblem, there: There) -> bool:
    """Whether a case is one of neighbours; the setting tells these by the same distance and the same radius."""
    (name,) = there.case.near
    one, target = core["distances"][f"d__{name}"], problem["target"]
    if "within" in target:
        wanted, radius = metrics.value(target["metric"]), there.algebra.read(target["within"])
    else:
        demand(target["granularity"] in GRAIN, "other neighbours")
        wanted, radius = metrics.canonical(target["granularity"], target["of"]), number(1)
        others = [part for part in metrics.parts if part != target["of"]]
        if wanted is not None and not there.case.same.issuperset(others):
            wanted = add(wanted, number(2))
    same(there, {"": wanted}, {"": there.far.value(one["formula"])}, "other neighbours")
    demand(there.algebra.read(one["within"]) == radius, "another radius")
    return there.case.near[name]


__all__ = ["There", "agree", "claims", "every", "in_distances", "is_stated", "spoken"]
