"""Mechanisms that are run on samples of the records: what the pages of these make of their guarantees."""

from __future__ import annotations

from typing import Any

from second_checker import assumptions, noises, profiles, sizes
from second_checker.algebra import Algebra
from second_checker.enclosures import INF
from second_checker.forms import Form, add, letters, minus, number, rational, scale
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library

EDITS = {"unbounded": [0, 1], "bounded": [1, 1]}
LETTERS = {
    "poisson": ["s"],
    "poisson-replaced": ["s"],
    "poisson-policy": ["s"],
    "fixed": ["m", "n"],
    "any-number": ["m", "n"],
    "any-number-replaced": ["m", "n"],
    "draws": ["m", "n"],
}


def whole(problem: Any, core: Any, library: Library) -> tuple[Any, Any]:
    """The problem and the setting with the neighbours of the whole, in place of those on samples.

    Rejects samples that are not the problem's, or are not there.
    """
    said, own = [], []
    for given, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        demand(("sampled" in given) == ("sampled" in one), "run on a sample, or not")
        if "sampled" in given:
            given, one = _on_samples(given, one, problem, core, library)
        said.append(given)
        own.append(one)
    return problem | {"mechanisms": said}, core | {"mechanisms": own}


def _on_samples(given: Any, one: Any, problem: Any, core: Any, library: Library) -> tuple[Any, Any]:
    table, ((key, texts),) = library.one(one["sampled"]["page"]), given["sampled"].items()
    demand(table["kind"] == "sampling", "a sample by another page")
    several = texts if isinstance(texts, list) else [texts]
    how = "any-number" if key == "fixed" and not isinstance(texts, list) else key
    if how == "any-number" and table["how"] == "any-number-replaced":
        how = "any-number-replaced"
    if how in ("any-number", "any-number-replaced"):
        several = [*several, str(sizes.told(problem["databases"].get("size", "any"))[0])]
    if how == "poisson" and table["how"] == "poisson-replaced":
        demand(one["reads"] == [None], "a replaced record, of which a part is read")
        how = "poisson-replaced"
    if how == "poisson" and table["how"] == "poisson-policy":
        how = "poisson-policy"
    demand(table["how"] == how and len(several) == len(LETTERS[how]), "another sample")
    algebra = Algebra(core["parameters"])
    algebra.assumed = assumptions.known(core, algebra)
    values = dict(zip(LETTERS[how], several, strict=True))
    demand(values.keys() == one["sampled"]["values"].keys(), "a sample with other parameters")
    for name, text in values.items():
        demand(algebra.read(text) == algebra.read(one["sampled"]["values"][name]), f"another {name}")
    _there(how, {name: algebra.read(text) for name, text in values.items()}, one, problem, algebra)
    stated = given.get("guarantee") or given["filter"]
    if how == "poisson-policy":  # the whole is for the neighbours of the guarantee on samples
        name = stated["granularity"]
        _demand_policy(one["stated"]["single"], core["databases"])
    else:
        demand(EDITS.get(stated["granularity"]) == table["on-samples"], "a guarantee for other samples")
        (name,) = (name for name, edit in EDITS.items() if edit == table["neighbours"])
        if how == "poisson-replaced" and not _is_bounded(one["stated"]["single"], core["databases"]):
            name = {"union": [*EDITS]}
    out = how in ("poisson", "poisson-policy") and core["databases"]["kind"] == "records"
    demand(("within" in one["stated"]) == out, "samples of other sizes")
    there = {key: value for key, value in one["stated"].items() if key != "within"}
    key = "guarantee" if "guarantee" in given else "filter"
    return given | {key: stated | {"granularity": name}}, one | {"stated": there}


def _is_bounded(single: Any, databases: Any) -> bool:
    """Whether all single steps replace a record."""
    if databases["kind"] == "records":
        return bool(single == [[1, 1]])
    return all(None not in edge for edge in single)


def _demand_policy(single: Any, databases: Any) -> None:
    """Rejects single steps that are not all of one record, with all that come or go, where some are replaced."""
    demand(isinstance(single, list), "steps that are no edits")
    some = {tuple(one) for one in single}
    if databases["kind"] == "records":
        demand({(0, 1), (1, 0)} <= some <= {(0, 1), (1, 0), (1, 1)}, "records that may not come and go")
        return
    demand(databases["kind"] == "policies", "a policy on other databases")
    every = {(None, n) for n in range(len(databases["atoms"]))}
    alone = all(None in edge for edge in some)
    demand(every <= some or alone, "records that may not come and go")


def _demand_one_step(target: Any, databases: Any) -> None:
    """Refuses neighbours but by one step of one record, which may be the only one."""
    by_edits = databases["kind"] == "records" and isinstance(target["single"], list)
    one = not by_edits or {tuple(edit) for edit in target["single"]} <= {(0, 1), (1, 0), (1, 1)}
    small = databases["size"] == ["any", None] and not {"least", "letter", "lower"} & databases.keys()
    if isinstance(target["single"], str) or not one or target["steps"] != 1 or not small:
        raise NotRead("sampled", "where records become others")


def _there(how: str, values: dict[str, Form], one: Any, problem: Any, algebra: Algebra) -> None:
    """Rejects where there are no such samples of all databases."""
    base = problem["databases"]
    demand(base["kind"] == "multisets", "samples of no multisets")
    if how in ("poisson", "poisson-replaced", "poisson-policy"):
        rest = minus(number(1), values["s"])
        if algebra.sign(values["s"]) < 1 or algebra.sign(rest) < 1:
            raise NotRead("sampled", "with a rate that is not seen to be a probability")
        if base.get("size", "any") != "any":
            raise NotRead("sampled", "of databases of limited sizes")
        return
    letter = next(iter(letters(values["n"])), "") if "n" in values else ""
    if letter and "".join(base.get("size", "any").split()) == f"={letter}":
        demand(values["n"] == algebra.read(letter), "a sample of databases of other sizes")
        many = minus(values["n"], values["m"])
        demand(noises.is_whole(algebra, values["m"]), "a number of records that is none")
        if algebra.sign(minus(values["m"], number(1))) < 1 or (how != "draws" and algebra.sign(many) < 1):
            raise NotRead("sampled", "of more records than there are seen to be")
        return
    least, most = sizes.told(base.get("size", "any"))
    m, n = (rational(values[name]) if name in values else None for name in "mn")
    if m is None or n is None:
        raise NotRead("sampled", "of a number that is a letter")
    demand(m.denominator == 1 and m >= 1, "a number of records that is none")
    if how in ("any-number", "any-number-replaced"):
        demand(m <= least and one["reads"] == [None], "more records than there are, or some of them")
        return
    demand(least == most == n, "a sample of databases of other sizes")
    demand(how == "draws" or m <= least, "more records than there are")


def amplified(algebra: Algebra, library: Library, one: Any, stated: dict[str, Form]) -> dict[str, Form]:
    """What the page of a sample makes of the parameters on samples."""
    table = library.one(one["sampled"]["page"])["guarantee"]
    demand(one["notion"] in table, "a sample that says nothing of the notion")
    names = stated | {key: algebra.read(text) for key, text in one["sampled"]["values"].items()}
    return {key: algebra.read(text, names) for key, text in table[one["notion"]].items()}


def of_several(core: Any, notion: str, mechanisms: list[int]) -> bool:
    """Whether it matters how many records come and go: of Poisson samples of all records, beside others that read all."""
    some = [core["mechanisms"][i] for i in mechanisms]
    single, base = core["target"]["single"], core["databases"]
    told = base["kind"] == "records" and isinstance(single, list) and base["size"] == ["any", None]
    plain = all(one["reads"] == [None] and not {"noise", "table", "study"} & set(one) for one in some)
    drawn = any("sampled" in one for one in some)
    several = core["target"]["steps"] > 1 and "times" not in core["target"]
    return notion == "pure" and drawn and told and plain and several and not {"least", "letter"} & set(base)


def pairs(core: Any) -> list[tuple[int, int]]:
    """How many records go and how many come, of all neighbours in a class of any size; others are there for both."""
    every = sorted(profiles.sizes(core["target"], "any", None))
    return [(r, s) for r, s in every if not (r and s) or sum(map(len, core["databases"]["atoms"])) > 1]


def lost_by_several(
    algebra: Algebra, library: Library, core: Any, mechanisms: list[int]
) -> list[Form | None]:
    """What witnesses of pure privacy lose where so many records go and come, in one order of the two databases.

    On a Poisson sample a record that comes makes an answer as much more probable as the guarantee says, and one that goes
    as `turned` says; where one is replaced both are said at once.
    """
    library.of("witness", notion="pure")
    found: list[Form | None] = []
    for gone, come in pairs(core):
        total: list[Form] = []
        for i in mechanisms:
            one = core["mechanisms"][i]
            if one["notion"] != "pure" or "oo" in one["values"].values() or "partition" in one:
                raise NotRead("sampled", "of which it is not seen what they lose")
            own = {key: algebra.read(text) for key, text in one["values"].items()}
            stated = {key: x for key, x in one["stated"].items() if key != "within"}
            far = profiles.moved(one | {"stated": stated}, None, [0] * gone, [0] * come, core["databases"])
            if far == INF:
                raise NotRead("sampled", "beside what loses everything")
            value = scale(own["epsilon"], far)
            if "sampled" in one:
                value = _turned(algebra, library, one, own, gone, come)
            count = algebra.read(str(one.get("count", 1)))
            total.append(
                algebra.family(None, value, count)
                if any("[i]" in name for name in letters(value))
                else algebra.times(value, count)
            )
        found.append(add(*total))
    return found


def _turned(algebra: Algebra, library: Library, one: Any, own: dict[str, Form], gone: int, come: int) -> Form:
    """What one on a sample loses."""
    page = library.one(one["sampled"]["page"])
    known = page["how"] == "poisson" or (page["how"] == "poisson-replaced" and gone == come)
    if not known:
        raise NotRead("sampled", "of which it is not seen what they lose")
    names = own | {key: algebra.read(text) for key, text in one["sampled"]["values"].items()}
    up, down = (algebra.read(page[key]["pure"]["epsilon"], names) for key in ("guarantee", "turned"))
    return scale(up, come) if page["how"] == "poisson-replaced" else add(scale(up, come), scale(down, gone))


def attained(core: Any, library: Library, mechanisms: list[int], notion: str, every: set[Any]) -> None:
    """Rejects witnesses on samples, but where all are one step apart, in the same direction."""
    some = [core["mechanisms"][i] for i in mechanisms]
    drawn = [one for one in some if "sampled" in one]
    if not drawn:
        return
    target, atoms = core["target"], core["databases"]["atoms"]
    for one in drawn:
        table = library.one(one["sampled"]["page"])
        single = {tuple(table["neighbours"]), tuple(table["neighbours"][::-1])}
        alike = {*map(tuple, target["single"])} == single and target["steps"] == 1
        if core["databases"]["kind"] == "policies" and table["neighbours"] == [1, 1]:
            alike = target["steps"] == 1 and all(None not in edge for edge in target["single"])
        replaced = table["how"] == "poisson-replaced"
        if table.get("besides") and one["reads"] == [None] and not alike and not replaced:
            _demand_one_step(target, core["databases"])
            alike = True
        known = alike and notion in table["attained"] and one["notion"] == notion
        if not known or sum(map(len, atoms)) < 2 or "times" in target:
            raise NotRead("sampled", "of which it is not seen what they lose")
        if notion not in ("pure", "approximate"):  # normal noise, at large orders
            algebra = Algebra(core["parameters"])
            rate = algebra.read(one["sampled"]["values"].get("s", "1"))
            demand(algebra.sign(rate) == 2, "a sample that may never have what is different")
            demand(all(other["notion"] == notion for other in some), "noise beside other mechanisms")
    if any(r not in (0, 1) for r in every) or any("noise" in one or "table" in one for one in some):
        raise NotRead("sampled", "of which it is not seen what they lose")
