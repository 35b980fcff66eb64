"""How far two databases of a case are apart: by the distances of a setting, and by the metrics of a problem file."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from second_checker import counts
from second_checker.algebra import Algebra
from second_checker.forms import ZERO, Form, add, letter, minus, number, rational, scale
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.pairs import Case, limit, simple
from second_checker.relations import relation
from second_checker.rewriting import rewritten

U, B = [[0, 1], [1, 0]], [[1, 1]]
GRAIN = {"unbounded": U, "bounded": B, "free-lunch": "any two"}
Far = Form | None
"""A distance; None is ∞."""


class Distances:
    """Distances by their names, in a case; a formula in them is one in the letters of the case."""

    def __init__(self, algebra: Algebra, case: Case) -> None:
        self.algebra, self.case = algebra, case
        self.known: dict[str, Far] = {}

    def distance(self, name: str) -> Far:
        """A distance by its name."""
        raise NotImplementedError

    def names(self, text: str) -> list[str]:
        """The distances that a formula speaks of."""
        raise NotImplementedError

    def called(self, name: str) -> Far:
        """The same, once."""
        if name not in self.known:
            self.known[name] = self.distance(name)
        return self.known[name]

    def value(self, text: Any, names: Mapping[str, Form] | None = None) -> Far:
        """A formula in distances, coordinates and parameters: distances are put where it is multiplied out."""
        far = {f"d__{name}": self.called(name) for name in self.names(str(text))}
        algebra = Algebra({**self.algebra.domains, **dict.fromkeys(far, "nonnegative")})
        algebra.assumed, algebra.fixed = self.algebra.assumed, self.algebra.fixed
        return self.put(algebra.read(text, {**self.case.at, **self.as_letters(text), **(names or {})}), far)

    def as_letters(self, text: Any) -> dict[str, Form]:
        """The letters that stand for the names of distances."""
        return {}

    def put(self, form: Form, far: Mapping[str, Far]) -> Far:
        """A form with distances in place of letters."""
        domains = {**self.algebra.domains, **dict.fromkeys(far, "nonnegative")}
        algebra = Algebra(domains)
        algebra.assumed, algebra.fixed = self.algebra.assumed, self.algebra.fixed
        there = rewritten(algebra, form, lambda a: far.get(a[1]) if a[0] == "letter" else None)
        endless = {name for name, value in far.items() if value is None}
        found = limit(algebra, there, endless) if endless else there
        return None if found is None else simple(self.algebra, found)

    def size(self, v: Form) -> Form:
        """|v|."""
        sign = self.algebra.sign(v)
        return v if sign >= 1 else scale(v, -1) if sign <= -1 else self.algebra.top(1, [v, scale(v, -1)])

    def norm(self, kind: str, changes: Sequence[Form]) -> Form:
        """A norm of differences."""
        sizes = [self.size(simple(self.algebra, v)) for v in changes]
        if kind == "L1" or len(sizes) == 1:
            return add(*sizes)
        if kind == "Linf":
            return simple(self.algebra, self.algebra.top(1, sizes))
        demand(kind == "L2", "another norm")
        return self.algebra.power(add(*(self.algebra.times(x, x) for x in sizes)), Fraction(1, 2))

    def steps(self, part: str, atoms: frozenset[int] | None, single: Any, common: bool) -> Far:
        """The canonical metric of multisets, or of those of their records that are in some atoms."""
        counts = self.case.counts[part]
        every = frozenset(range(len(counts)))
        own = every if atoms is None else atoms
        only = [add(*(counts[n][side] for n in own)) for side in (0, 1)]
        if part in self.case.same or not own:
            return ZERO
        if single == "any two":
            if own != every:
                raise NotRead("metrics", "whether some records differ")
            return number(1)
        if sorted(single) == U:
            return add(*only)
        demand(single == B, "edits that are none of these")
        if common and own != every:
            return simple(self.algebra, self.algebra.top(1, only))
        return only[0] if self.case.equal[part, own] else None


def spoken(text: str) -> list[str]:
    """The names in a formula."""
    return sorted({one.id for one in ast.walk(ast.parse(text, mode="eval")) if isinstance(one, ast.Name)})


def shortest(count: int, pairs: Sequence[Any], lengths: Sequence[Fraction]) -> list[list[Fraction | None]]:
    """The lengths of the shortest ways between listed databases."""
    far: list[list[Fraction | None]] = [
        [Fraction(0) if a == b else None for b in range(count)] for a in range(count)
    ]
    for (a, b), length in zip(pairs, lengths, strict=True):
        demand(length >= 0, "a length below 0")
        for x, y in ((a, b), (b, a)) if a != b else ():
            old = far[x][y]
            far[x][y] = length if old is None else min(old, length)
    for via, a, b in product(range(count), repeat=3):
        one, two, old = far[a][via], far[via][b], far[a][b]
        if one is not None and two is not None and (old is None or one + two < old):
            far[a][b] = one + two
    return far


def over_fibres(image: Sequence[int], pairs: Sequence[Any], lengths: Sequence[Fraction]) -> Any:
    """The shortest ways between the values of a map, from one database with a value to another at no cost."""
    moved = [(image[a], image[b]) for a, b in pairs]
    return shortest(max(image) + 1, moved, lengths)


# -- of a setting ----------------------------------------------------------------------------------------

WAYS = {"formula", "over", "apart", "within", "differences", "parts", "part", "input", "at most"}


class OfSetting(Distances):
    """The distances of a core setting."""

    def __init__(self, algebra: Algebra, case: Case, core: Any, library: Library) -> None:
        super().__init__(algebra, case)
        self.core, self.parts, self.library = core, core["databases"]["parts"], library
        self.made = {name.removeprefix("d__"): one for name, one in core["distances"].items()}

    def names(self, text: str) -> list[str]:
        return [name.removeprefix("d__") for name in spoken(text) if name.startswith("d__")]

    def distance(self, name: str) -> Far:
        demand(name in self.made, f"there is no distance {name}")
        one = self.made[name]
        demand(set(one) <= WAYS, "a distance with other entries")
        if "within" in one:
            return ZERO if self.case.near[name] else None
        if "over" in one:
            return self.over(one)
        if "formula" in one:
            if "apart" in one:
                raise NotRead("metrics", "distances that say what is apart")
            return self.value(one["formula"])
        if "parts" in one:
            demand(bool(one["parts"]) and set(one["parts"]) <= set(self.parts), "parts that are not there")
            return ZERO if self.case.same.issuperset(one["parts"]) else number(1)
        if "input" in one:
            return self.of_input(one["part"], one["input"])
        if "at most" in one or not one:
            return letter(f"declared__{name}")
        raise NotRead("metrics", "distances that say what differs")

    def over(self, one: Any) -> Far:
        """A norm over the fibres of a map that reads some coordinates: the others may be taken to be equal."""
        equal = {
            x for part in self.parts.values() for x in part.get("coordinates", []) if x not in one["over"]
        }
        norms = {"abs", "sqrt", "max"}
        demand(any(one["formula"].startswith(word) for word in norms), "a formula that is no norm")
        alike = {f"{x}__E": self.case.at[f"{x}__D"] for x in equal}
        return self.value(one["formula"], alike)

    def of_input(self, part: str, mechanism: Any) -> Far:
        """How far apart what a mechanism reads of a part is."""
        wanted = {"name", "reads", "domain", "notion", "values", "stated", "table"}
        if "noise" in mechanism:
            demand(set(mechanism) == (wanted | {"noise"}) - {"stated", "table"}, "another input")
            (reads,) = mechanism["reads"]
            own = None if reads is None else frozenset(reads)
            return counts.moved(self.algebra, self.library, mechanism["noise"], self.case.counts[part], own)
        demand(set(mechanism) <= wanted and mechanism["stated"]["steps"] == 1, "another input")
        (reads,), stated = mechanism["reads"], mechanism["stated"]
        common = mechanism["domain"] == "common"
        if self.parts[part]["kind"] == "records":
            demand(set(stated) == {"single", "steps"}, "other neighbours")
            return self.steps(part, None if reads is None else frozenset(reads), stated["single"], common)
        x, y = self.case.listed[part]
        count = self.parts[part]["count"]
        if "table" in mechanism:
            demand(reads is None and mechanism["table"]["on"] == "databases", "a table of databases")
            return ratio(self.algebra, mechanism["table"]["rows"][x], mechanism["table"]["rows"][y])
        pairs = stated["single"]
        if pairs == "any two":
            return number(int(x != y if reads is None else reads[x] != reads[y]))
        lengths = [Fraction(text) for text in stated.get("lengths", ["1"] * len(pairs))]
        if reads is None:
            found = shortest(count, pairs, lengths)[x][y]
        elif common:
            found = over_fibres(reads, pairs, lengths)[reads[x]][reads[y]]
        else:
            found = shortest(max(reads) + 1, pairs, lengths)[reads[x]][reads[y]]
        return None if found is None else number(found)


def ratio(algebra: Algebra, one: Sequence[str], other: Sequence[str]) -> Far:
    """The largest |log(p/q)| of two rows of probabilities, which are numbers."""
    values: list[Form] = [ZERO]
    rows = [[rational(algebra.read(text)) for text in row] for row in (one, other)]
    for row in rows:
        demand(all(p is not None and p >= 0 for p in row) and sum(p or 0 for p in row) == 1, "probabilities")
    for p, q in zip(*rows, strict=True):
        if not p and not q:
            continue
        if not p or not q:
            return None
        values.append(algebra.log(number(p / q)))
        values.append(algebra.log(number(q / p)))
    return simple(algebra, algebra.top(1, values))


# -- of a problem file -----------------------------------------------------------------------------------


class OfProblem(Distances):
    """The metrics of a problem file, perhaps of what a mechanism reads only."""

    def __init__(self, algebra: Algebra, case: Case, problem: Any, core: Any, reads: Any = None) -> None:
        super().__init__(algebra, case)
        self.problem, self.reads, self.made = problem, reads, problem.get("metrics", {})
        self.unknown = {name.removeprefix("d__"): one for name, one in core["distances"].items() if not one}
        """Distances of which a setting says nothing: so nothing is shown of claims in these."""
        self.atoms = {name: part.get("atoms") for name, part in core["databases"]["parts"].items()}
        base = problem["databases"]
        self.parts = base["parts"] if base["kind"] == "product" else {"": base}

    def names(self, text: str) -> list[str]:
        return [name for name in spoken(text) if name in self.made or name.startswith("d_")]

    def as_letters(self, text: Any) -> dict[str, Form]:
        return {name: letter(f"d__{name}") for name in self.names(str(text))}

    @cached_property
    def only(self) -> str:
        """The one part that there is."""
        demand(len(self.parts) == 1, "a metric of several parts")
        return str(next(iter(self.parts)))

    def distance(self, name: str) -> Far:
        if self.unknown.get(name) == {}:
            return letter(f"declared__{name}")
        if name not in self.made:
            words = {"unbounded": "unbounded", "bounded": "bounded", "free_lunch": "free-lunch"}
            own = {key.replace("-", "_"): key for key in self.problem.get("granularities", {})}
            said = {**own, **words}.get(name.removeprefix("d_"))
            demand(said is not None, f"there is no metric {name}")
            return self.canonical(said, self.only)
        one = self.made[name]
        if "granularity" in one:
            return self.canonical(one["granularity"], one.get("of", self.only if "of" not in one else ""))
        if "norm" in one:
            return self.norm(one["norm"], self.changes(one.get("of")))
        if "table" in one:
            return self.listed_table(one)
        if "letters" in one:
            return self.in_letters(one)
        if "formula" in one:
            demand(set(one) <= {"formula", "at-most"}, "a metric with other entries")
            return self.value(one["formula"])
        demand(set(one) == {"at-most"}, "a metric with other entries")
        return letter(f"declared__{name}")

    def canonical(self, said: Any, part: str) -> Far:
        """The canonical metric of a granularity on a part."""
        kind = self.parts[part]["kind"]
        if kind == "multisets":
            single, steps = relation(said, GRAIN)
            if steps != 1:
                raise NotRead("metrics", "of groups")
            return self.steps(part, self.read_atoms(part), single, self.is_common)
        if said == "free-lunch" and self.reads is None:
            return number(int(part not in self.case.same))
        if kind != "listed":
            raise NotRead("metrics", f"the metric {said} of {kind}")
        elements = sorted(self.parts[part]["elements"])
        at = {name: n for n, name in enumerate(elements)}
        pairs = [(at[a], at[b]) for a, b in self.problem["granularities"][said]["neighbours"]]
        return self.between(elements, pairs, [Fraction(1)] * len(pairs))

    @property
    def is_common(self) -> bool:
        """Whether what is stated is stated of the whole class."""
        return bool(self.reads is not None and self.reads[1] == "common")

    def read_atoms(self, part: str) -> frozenset[int] | None:
        """The atoms of the records that are read; none of their records may be outside."""
        if self.reads is None:
            return None
        records = set(self.reads[0]["records"])
        atoms = self.atoms[part]
        demand(records <= {x for atom in atoms for x in atom}, "records that are not there")
        found = frozenset(n for n, atom in enumerate(atoms) if records & set(atom))
        demand(all(set(atoms[n]) <= records for n in found), "an atom that is read in part")
        return found

    def coordinates(self, part: str | None) -> list[str]:
        """The coordinates of a part, or of the one that has some."""
        own = [name for name, one in self.parts.items() if one["kind"] == "points"]
        part = own[0] if part is None and len(own) == 1 else part
        demand(part in own, "points of no part")
        return list(self.parts[part or ""]["coordinates"])

    def values(self, of: str | None) -> tuple[list[str], list[str] | None]:
        """What a map makes of a point; and the coordinates that it reads, if it only reads some."""
        maps = self.problem.get("maps", {})
        if of in maps:
            texts = list(maps[of]["values"])
            return texts, (texts if all(text.isidentifier() for text in texts) else None)
        own = self.coordinates(of)
        return own, own

    def changes(self, of: str | None) -> list[Form]:
        """How far each value of a map moves; of those that are read where a mechanism depends on these only."""
        texts, plain = self.values(of)
        if self.reads is not None:
            read = self.values(self.reads[0])[1]
            if plain is None or read is None or not self.is_common:
                raise NotRead("metrics", "what is read through a map that is none of coordinates")
            texts = [text for text in texts if text in read]
        ends = [
            {x.removesuffix(f"__{who}"): form for x, form in self.case.at.items() if x.endswith(f"__{who}")}
            for who in "DE"
        ]
        both = [[self.algebra.read(text, end) for text in texts] for end in ends]
        return [minus(one, other) for one, other in zip(*both, strict=True)]

    def in_letters(self, one: Any) -> Far:
        """A formula in letters for the coordinates of both databases."""
        own = self.coordinates(one.get("of"))
        demand(self.reads is None and len(one["letters"]) == 2, "letters for two databases")
        names: dict[str, Form] = {}
        for who, some in zip("DE", one["letters"], strict=True):
            names |= {name: self.case.at[f"{x}__{who}"] for name, x in zip(some, own, strict=True)}
        return simple(self.algebra, self.algebra.read(one["formula"], names))

    def listed_table(self, one: Any) -> Far:
        """A table of distances, of listed databases or of the values of a map."""
        elements = sorted(self.parts[self.only]["elements"])
        x, y = (elements[n] for n in self.case.listed[self.only])
        if "of" in one:
            demand(self.reads is None, "a metric of values of what is read")
            chart = self.problem["maps"][one["of"]]["table"]
            x, y = chart[x], chart[y]
            names = sorted({*chart.values()})
        else:
            names = elements
        at = {name: n for n, name in enumerate(names)}
        told = [(at[a], at[b], text) for a, b, text in one["table"] if text != "oo"]
        lengths = [Fraction(text) for *_, text in told]
        pairs = [(a, b) for a, b, _ in told]
        if "of" in one:
            found = shortest(len(names), pairs, lengths)[at[x]][at[y]]
            return None if found is None else number(found)
        return self.between(elements, pairs, lengths)

    def between(self, elements: list[str], pairs: Sequence[Any], lengths: Sequence[Fraction]) -> Far:
        """How far two listed databases are apart, or what is read of them."""
        x, y = self.case.listed[self.only]
        if self.reads is None:
            found = shortest(len(elements), pairs, lengths)[x][y]
            return None if found is None else number(found)
        demand(self.is_common, "the own domain of a map of listed databases")
        chart = self.problem["maps"][self.reads[0]["map"]]["table"]
        names = sorted({*chart.values()})
        image = [names.index(chart[name]) for name in elements]
        found = over_fibres(image, pairs, lengths)[image[x]][image[y]]
        return None if found is None else number(found)


__all__ = ["OfProblem", "OfSetting"]
