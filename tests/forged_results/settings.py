"""Forged settings: another class, other neighbours, other maps than those of the problem file."""

from __future__ import annotations

from typing import Any

from forged_results.edits import Edit, claimed, core, remove, set_at, stamped

LINKS, PERSON, ROWS = "problems/80-lists-of-links", "problems/81-one-persons-links", "problems/82-attributes"
USERS, VISITORS, LOG = (
    "problems/83-users-with-several-records",
    "problems/87-sets-of-visitors",
    "problems/88-entries-of-a-log",
)
LEAVE, STEPS, MEMBERS = (
    "problems/89-members-leave",
    "problems/90-a-network-of-any-size",
    "problems/91-everybody-lists-their-links",
)
ARRAYS, COUNTIES = "pages/shapes/arrays", "problems/271-within-any-number-of-counties"


def without_atom(name: str) -> Edit:
    """Takes a record out of the setting."""

    def edit(data: Any) -> None:
        of = data["core"]
        at = of["databases"]["atoms"].index([name])
        of["databases"]["atoms"].remove([name])

        def told(x: int | None) -> int | None:
            return x if x is None or x < at else x - 1

        for one in (of["target"], *(m["stated"] for m in of["mechanisms"])):
            one["single"] = [list(map(told, edge)) for edge in one["single"] if at not in edge]
        for one in of["mechanisms"]:
            one["reads"] = [r and [told(x) for x in r if x != at] for r in one["reads"]]

    return stamped(edit)


CLINICS, INCOMES, CITY = (
    "problems/282-counties-and-any-number-of-clinics",
    "problems/117-incomes-in-brackets",
    "problems/118-blocks-of-a-city",
)
FORGERIES: dict[str, tuple[str, Edit]] = {
    "a member reads another pair": (LINKS, core("mechanisms", 1, "reads", 0, to=[4, 5, 6])),
    "people who move to another county": (
        COUNTIES,
        set_at("problem", "granularities", "stay", "replace", to="all"),
    ),
    "people who stay in a hospital": (
        COUNTIES,
        set_at("problem", "granularities", "stay", "replace", "within", to="H"),
    ),
    "patients of three hospitals": (COUNTIES, set_at("problem", "partitions", "H", "at-most", to="3")),
    "a way to another county": (COUNTIES, core("target", "single", 0, to=[0, 8])),
    "another vertex": (LINKS, set_at("problem", "mechanisms", 1, "reads", "vertex", to=3)),
    "nodes for edges": (LINKS, set_at("problem", "target", "granularity", to={"group": 2, "of": "edge"})),
    "a pair of vertices that cannot change": (
        LINKS,
        core("target", "single", to=[[0], [1], [2], [3], [4], [5], [6], [7], [8]]),
    ),
    "a node without one of its edges": (PERSON, core("target", "single", 0, to=[0, 1, 2, 3])),
    "seven vertices": (PERSON, set_at("problem", "databases", "vertices", to=7)),
    "some vertices less": (PERSON, set_at("problem", "mechanisms", 1, "reads", "vertices", to=[2, 3, 4])),
    "edges for nodes": (PERSON, set_at("problem", "mechanisms", 0, "guarantee", "granularity", to="edge")),
    "another attribute": (ROWS, set_at("problem", "mechanisms", 0, "reads", "attributes", to=["age"])),
    "an attribute with one value": (
        ROWS,
        set_at("problem", "databases", "attributes", "town", to=["north"]),
    ),
    "rows for attributes": (ROWS, core("target", "single", to=[[0, 1, 2]])),
    "a cell for a row": (ROWS, core("mechanisms", 2, "stated", "single", to=[[0], [1], [2]])),
    "a record of another user": (
        USERS,
        set_at("problem", "databases", "users", to={"Ann": [1, 4], "Bob": [2, 6], "Cleo": [3, 5]}),
    ),
    "a record of no user": (
        USERS,
        set_at("problem", "databases", "users", to={"Ann": [1, 4], "Bob": [2], "Cleo": [3, 5]}),
    ),
    "a user in parts": (USERS, core("target", "single", to=[[0, 3], [5], [1], [2, 4]])),
    "visitors one by one": (VISITORS, core("target", "steps", to=1)),
    "three visitors": (VISITORS, set_at("problem", "target", "granularity", "group", to=3)),
    "a visitor who is not read": (VISITORS, core("mechanisms", 1, "reads", 0, to=[1])),
    "too few visitors": (
        VISITORS,
        stamped(
            set_at("core", "databases", "count", to=5),
            set_at("core", "target", "single", to=[[0], [1], [2], [3], [4]]),
        ),
    ),
    "three entries": (LOG, set_at("problem", "target", "granularity", "group", to=3)),
    "sequences for multisets": (LOG, core("databases", "of", to="multisets")),
    "entries that are replaced": (LOG, core("mechanisms", 0, "stated", "single", to=[[1, 1]])),
    "a neighbour less": (LEAVE, stamped(remove("core", "target", "single", 0))),
    "another map of graphs": (LEAVE, core("mechanisms", 0, "reads", 0, 11, to=0)),
    "members two by two": (LEAVE, core("target", "steps", to=2)),
    "another person": (LEAVE, set_at("problem", "mechanisms", 0, "reads", "vertex", to=2)),
    "two steps for three": (STEPS, core("target", "steps", to=2)),
    "a group of one": (STEPS, core("mechanisms", 1, "stated", "steps", to=1)),
    "a member with other pairs": (MEMBERS, core("mechanisms", 0, "reads", to=[[0, 1, 2], [3, 4]])),
    "one member for two": (MEMBERS, core("mechanisms", 0, "reads", to=[[0, 1, 2]])),
    "members in groups": (MEMBERS, set_at("problem", "target", "granularity", to={"group": 2, "of": "edge"})),
    "a type that is smaller": (ARRAYS, core("databases", "types", 4, "moves", to=[3, 1])),
    "a type that is larger": (ARRAYS, core("databases", "types", 4, "moves", to=[5, 1])),
    "a type that is left out": (ARRAYS, stamped(remove("core", "databases", "types", 4))),
    "fewer databases": (ARRAYS, core("databases", "count", to=1449)),
    "fewer neighbours": (ARRAYS, core("databases", "gone through", to=6684)),
    # many numbers
    "a raise that is higher": (
        INCOMES,
        set_at("problem", "granularities", "raise", "replace", "within-distance", to=13000),
    ),
    "brackets two steps apart": (INCOMES, claimed(1, "epsilon", "max(a + b, b + c, c + d) + 3*e")),
    "a smaller step for everybody": (
        INCOMES,
        set_at("problem", "granularities", "small-raise", "replace", "within-distance", to=6000),
    ),
    "an income that is not shown": (INCOMES, without_atom("21000")),
    "a bracket with its end": (
        INCOMES,
        set_at("problem", "mechanisms", 0, "reads", "between", to="[0, 10000]"),
    ),
    "a step that is too long": (INCOMES, core("target", "single", 0, to=[0, 90])),
    "incomes below 0": (INCOMES, set_at("problem", "databases", "records", "reals", to="(-oo, oo)")),
    "a rook for a king": (CITY, set_at("problem", "target", "granularity", to="rook")),
    "squares that do not meet": (CITY, claimed(1, "epsilon", "max(a, b, c) + 2*d")),
    "a step of a king for one of a rook": (CITY, claimed(1, "epsilon", "max(a + b, c) + d")),
    "a square one further": (
        CITY,
        set_at("problem", "mechanisms", 1, "reads", "where", "x", "between", to=[101, 199]),
    ),
    "a point that is not shown": (CITY, without_atom("(100, 100)")),
    "a move that is left out": (CITY, stamped(remove("core", "target", "single", 0))),
    # named records beside parts
    "a visitor who moves": (CLINICS, core("target", "single", 3, to=[0, 14])),
    "people of two counties": (
        CLINICS,
        set_at("problem", "granularities", "county", "replace", "within", 1, to=["b1", "a2"]),
    ),
    "two clinics that see less": (CLINICS, claimed(1, "epsilon", "max(a, v) + max(e[i], i, 1, k)")),
    "one clinic that sees both": (
        CLINICS,
        claimed(1, "epsilon", "max(a + max(e[i], i, 1, k), v + max(e[i], i, 1, k))"),
    ),
    "a person who is nowhere twice": (CLINICS, core("databases", "copies", 0, to=[0, 1])),
    "a person who is in all clinics at once": (CLINICS, stamped(remove("core", "databases", "copies"))),
    "two people for one": (CLINICS, core("databases", "copies", 0, to=[0, 1, 5])),
    "nobody beside a person": (CLINICS, core("databases", "beside", 1, to=[17])),
    "somebody elsewhere beside a person": (CLINICS, core("databases", "beside", 1, to=[13, 17])),
    "a patient of another clinic": (CLINICS, core("mechanisms", 0, "reads", 0, to=[1, 4, 7, 10, 12, 16])),
    "a county without a patient": (CLINICS, core("mechanisms", 1, "reads", 0, to=[0, 1, 2, 3, 4])),
    "an edge of one place only": (CLINICS, stamped(remove("core", "target", "single", 6))),
    "patients whom nobody knows by name": (
        CLINICS,
        core("databases", "atoms", 12, to=["clinics1"]),
    ),
    "clinics on their own domain": (
        CLINICS,
        stamped(
            set_at("core", "mechanisms", 0, "domain", to="own"),
            set_at("problem", "mechanisms", 0, "guarantee", "domain", to="own"),
        ),
    ),
}
