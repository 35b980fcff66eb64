"""Noise on queries: how far values move, as ranks in the profile, and what a problem file says of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from second_checker import assumptions
from second_checker.algebra import Algebra
from second_checker.forms import ZERO, Form, letter, letters, minus, number, rational, scale
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.pairs import simple
from second_checker.samples import demand_same, demand_sign

VALUES = {"sum": ["l", "u"], "mean": ["l", "u"], "histogram": [], "count": [], "bit": [], "location": ["w"]}
VALUES |= {"vector-sum": ["c"], "variance": ["l", "u"], "scores": ["c"], "monotone-scores": ["c"]}
VALUES |= {"keys": ["L", "m"]}


@dataclass
class Moves:
    """How far the value of a query moves, by rank, and how many records go and come where it does."""

    forms: list[Form]
    pairs: list[list[tuple[int, int]]]


def ranked(core: Any, library: Library, vectors: set[Any]) -> tuple[set[Any], dict[int, Moves]]:
    """The vectors with ranks for how many records of a noise's input go and come, and the moves by rank."""
    numbers = [i for i, one in enumerate(core["mechanisms"]) for _ in one["reads"]]
    noisy = {i for i, one in enumerate(core["mechanisms"]) if "noise" in one}
    algebra = Algebra(core["parameters"])
    algebra.assumed = assumptions.known(core, algebra)
    tables: dict[int, Moves] = {}
    places: dict[tuple[int, Any], int] = {}
    for i in noisy:
        pairs = {v[at] for v in vectors for at, number_ in enumerate(numbers) if number_ == i}
        moves = {pair: move(algebra, library, core["mechanisms"][i], pair) for pair in pairs}
        every = {ZERO, *moves.values()}

        def order(x: Form, y: Form) -> int:
            sign = algebra.sign(minus(x, y)) if x != y else 1
            if not sign:
                raise NotRead("noise", "moves of which none is seen to be larger")
            return sign

        forms = sorted(every, key=cmp_to_key(order))
        demand(forms[0] == ZERO, "a move below 0")
        tables[i] = Moves(forms, [sorted(p for p, form in moves.items() if form == x) for x in forms])
        places |= {(i, pair): forms.index(form) for pair, form in moves.items()}
    found = {
        tuple(places[i, r] if i in noisy else r for i, r in zip(numbers, v, strict=True)) for v in vectors
    }
    return found, tables


def move(algebra: Algebra, library: Library, mechanism: Any, pair: tuple[int, int]) -> Form:
    """How far the value of a query moves where so many records go and come."""
    noise = mechanism["noise"]
    query, page = library.one(noise["query"]["page"]), library.one(noise["page"])
    demand(query["kind"] == "query" and page["kind"] == "noise", "no query, or no noise")
    names = {key: algebra.read(text) for key, text in noise["query"]["values"].items()}
    names |= {"removed": number(pair[0]), "added": number(pair[1])}
    said = query if not query.get("sized") or "n" in noise["query"] else query.get("at-least", {})
    if said is query and "n" in noise["query"]:
        names["n"] = algebra.read(str(noise["query"]["n"]))
    elif said is not query:
        names["n"] = number(max(1, noise["query"]["least"]))
    demand(page["norm"] in said.get("moves", {}), "a query that does not move in this norm")
    if "only" in said and pair != (0, 0):
        demand(algebra.sign(algebra.read(said["only"], names)) >= 0, "a query of which nothing is said")
    return simple(algebra, algebra.read(said["moves"][page["norm"]], names))


def entries(algebra: Algebra, library: Library, mechanism: Any, moves: Moves, rank: int) -> list[Form]:
    """How far each entry of the query's value moves that does; without any word of it one entry moves."""
    query = library.one(mechanism["noise"]["query"]["page"])
    if "entries" not in query:
        return [moves.forms[rank]]
    every, own = [], {x: algebra.read(text) for x, text in mechanism["noise"]["query"]["values"].items()}
    for removed, added in moves.pairs[rank]:
        names = {**own, "removed": number(removed), "added": number(added)}
        every.append([form for text in query["entries"] if (form := algebra.read(text, names))])
    # which of several pairs it is that move so far, the vector does not say
    if any(Counter(one) != Counter(every[0]) for one in every):
        raise NotRead("noise", "whose entries move in several ways")
    return every[0]


def guarantee(algebra: Algebra, library: Library, mechanism: Any, notion: str) -> dict[str, Form | None]:
    """The parameters that the page of a noise gives in a notion, None for ∞."""
    page = library.one(mechanism["noise"]["page"])
    demand(notion in page["guarantee"], "a noise that has no guarantee in this notion")
    names, texts = letters_of(algebra, page, mechanism["noise"]), page["guarantee"][notion]
    return {key: None if text == "oo" else algebra.read(text, names) for key, text in texts.items()}


def letters_of(algebra: Algebra, page: Any, noise: Any) -> dict[str, Form]:
    """What the letters of a noise's page stand for: its parameter, those of the query, and further ones."""
    texts = {**noise["query"]["values"], **noise.get("besides", {})}
    names = {key: algebra.read(texts[key]) for key in page.get("letters", [])}
    return {**names, page["parameter"]: algebra.read(noise["parameter"])}


def attained(library: Library, mechanism: Any, core: Any, notion: str = "") -> bool:
    """Whether the pages of a noise say that its guarantee, or an event, is reached, or nearly so with more records."""
    asked = mechanism["noise"]["query"]
    pages = [library.one(mechanism["noise"]["page"]), library.one(asked["page"])]
    if pages[0].get("in-the-limit"):
        base = core["databases"]
        more = base["kind"] == "records" and base["of"] == "multisets" and base["size"] == ["any", None]
        near = notion in [*pages[0]["in-the-limit"], "event"] or (
            notion == "zcdp" and "divergence" in pages[0]
        )
        if not (more and near) or any(
            "least" in one["noise"]["query"] for one in core["mechanisms"] if "noise" in one
        ):
            raise NotRead("noise", "of which it is not known what it loses at least")
        return bool(pages[1].get("attained", True))
    shared = pages[1]["at-least"].get("shared", 0) if "least" in asked else 0
    if shared and asked["least"] <= shared:  # else one that is replaced leaves so many
        raise NotRead("noise", "a query that is reached where records are shared")
    return all(page.get("attained", True) for page in pages)


def agree(said: Any, one: Any, core: Any, library: Library) -> None:
    """Rejects a noise that is not the problem's."""
    algebra = Algebra(core["parameters"])
    algebra.assumed = assumptions.known(core, algebra)
    demand(said["name"] == one["name"] and "noise" in one and one["domain"] == "own", "another mechanism")
    noise = one["noise"]
    page = library.one(noise["page"])
    kind, told = page["noise"].removesuffix("-with-threshold"), dict(said["noise"])
    demand(kind in told, "another noise")
    parameter = told.pop(kind)
    if kind == "above-threshold":
        asked = questions(said, told, parameter, one, algebra, page)
    else:
        shown = {} if kind == page["noise"] else {"threshold": "tau"}
        demand(set(told) == set(shown) and len(noise.get("besides", {})) == len(shown), "other letters")
        for word, key in shown.items():
            threshold = algebra.read(noise["besides"][key])
            demand_same(algebra, algebra.read(told[word]), threshold, f"another {word}")
        asked = None
    value = algebra.read(parameter)
    demand_same(algebra, value, algebra.read(noise["parameter"]), "another parameter")
    if kind == "randomized-response":
        demand_sign(algebra, minus(scale(value, 2), number(1)), False, "a probability that is none")
        demand_sign(algebra, minus(number(1), value), True, "a probability that is none")
    else:
        demand_sign(algebra, value, True, "a parameter that does not fit")
    promised = page["guarantee"].get(one["notion"], {})
    demand(set(promised) == set(one["values"]) and bool(promised), "another notion")
    names = letters_of(algebra, page, noise)
    demand_fits(algebra, page, names)
    for key, text in promised.items():
        given = algebra.read(text, names)
        demand_same(algebra, given, algebra.read(one["values"][key]), f"{key} is not what the noise gives")
    if asked is None:
        query(said["query"], one, core, algebra)
    table = library.one(noise["query"]["page"])
    known = noise["query"].get("n") == core["databases"].get("letter", 0)
    if not known and str in (type(noise["query"].get("n")), type(noise["query"].get("least"))):
        raise NotRead("setting", "a letter for the number of records")
    if "least" in noise["query"]:
        demand(
            "n" not in noise["query"] and noise["query"]["least"] == least_read(one, core), "another number"
        )
    elif table.get("sized") or "n" in noise["query"]:
        demand(noise["query"].get("n") == records_read(one, core), "another number of records")
    demand(not table.get("one") or noise["query"]["n"] == 1, "a query of one record")


def questions(said: Any, told: Any, parameter: Any, one: Any, algebra: Algebra, page: Any) -> bool:
    """Rejects other questions above a threshold: values between l and u, L of them above it.

    The threshold has noise of its own scale, of which that of the answers is m times as much.
    """
    demand(set(told) <= {"threshold-scale", "times"} and "threshold-scale" in told, "other noise")
    demand(set(said["query"]) == {"questions"}, "another query")
    ends = said["query"]["questions"]
    low, high = ends if isinstance(ends, list) else (f"-({ends})", ends)
    own, scale_of = one["noise"]["query"], algebra.read(told["threshold-scale"])
    demand(own["page"] == "questions" and algebra.sign(scale_of) == 2, "another query")
    wanted = {
        "L": algebra.read(str(told.get("times", "1"))),
        "m": algebra.times(algebra.read(parameter), algebra.power(scale_of, Fraction(-1))),
        "l": algebra.read(low),
        "u": algebra.read(high),
    }
    demand(set(own["values"]) == set(wanted), "other values")
    for key, form in wanted.items():
        demand_same(algebra, form, algebra.read(own["values"][key]), f"{key} is another one")
    demand_sign(algebra, minus(wanted["u"], wanted["l"]), False, "ends of which none is larger")
    return True


def demand_fits(algebra: Algebra, page: Any, names: dict[str, Form]) -> None:
    """Rejects letters that are below what the page asks for, or that are to be whole and are not."""
    for key, least in page.get("at-least", {}).items():
        demand_sign(algebra, minus(names[key], algebra.read(least, names)), False, f"{key} is too small")
    for key in page.get("whole", []):
        demand(is_whole(algebra, names[key]), f"{key} is not whole")


def is_whole(algebra: Algebra, form: Form) -> bool:
    """Whether a formula is seen to be a whole number."""
    value = rational(form)
    if value is not None:
        return value.denominator == 1
    names = letters(form)
    return (
        len(names) == 1 and form == letter(*names) and bool(algebra.domains[next(iter(names))].get("integer"))
    )


def query(said: Any, one: Any, core: Any, algebra: Algebra) -> None:
    """Rejects another query."""
    ((name, given),) = said.items() if isinstance(said, dict) else [(said, [])]
    if name not in VALUES:
        raise NotRead("noise", f"the query {name}")
    own = one["noise"]["query"]
    demand(own["page"] == name, "another query")
    if name == "histogram":
        demand(int(given) >= 2, "a histogram of one bin")
        given = []
    given = given if isinstance(given, list) else [given]
    given = [*given, "1"] if name == "keys" and len(given) == 1 else given
    demand(list(own["values"]) == VALUES[name] and len(given) == len(own["values"]), "other values")
    for text, key in zip(given, VALUES[name], strict=True):
        demand(algebra.read(text) == algebra.read(own["values"][key]), f"{key} is another one")
    if name == "keys":
        return  # the noise's page says what these are at least
    if len(VALUES[name]) == 1:
        demand(algebra.sign(algebra.read(given[0])) > 0, "a diameter, a norm, or what moves scores, below 0")
    elif given and algebra.sign(minus(algebra.read(given[1]), algebra.read(given[0]))) < 1:
        raise NotRead("noise", "ends of which none is seen to be larger")


def records_read(one: Any, core: Any) -> int | str:
    """How many records a mechanism reads."""
    base = core["databases"]
    (reads,) = one["reads"]
    if base["kind"] == "cells":
        return int(base["count"]) if reads is None else len(reads)
    if reads is None and base["size"][0] == "exactly":
        if "letter" in base:
            return str(base["letter"])
        return int(base["size"][1])
    raise NotRead("noise", "a number of records that is not fixed")


def least_read(one: Any, core: Any) -> int:
    """How many records of a multiset a mechanism reads at least; its moves are reached there."""
    base = core["databases"]
    (reads,) = one["reads"]
    demand(base["kind"] == "records" and base["of"] == "multisets", "no multisets")
    if base["size"][0] == "exactly" or (reads is not None and base.get("least", 0) > 1):
        raise NotRead("noise", "a number of records that is fixed, or of which others are filled up")
    return 0 if reads is not None else int(base.get("least", 0))
