"""Small settings in distances at random, and what is true of them, by databases that are written down.

Everything is computed a second time: distances between databases by shortest ways in the whole class, formulas by
numbers with ∞, and which of them are metrics on all triples of some databases.
"""

from __future__ import annotations

import math
import random
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from typing import Any

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting

KEYS = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu", "approximate": "epsilon"}
OO = math.inf
NEAR = 1e-9


class Value:
    """A number or ±∞; a number ≥ 0 times ∞ is ∞, also 0."""

    def __init__(self, x: float) -> None:
        self.x = float(x)

    def __add__(self, other: Any) -> Value:
        return Value(self.x + value(other).x)

    def __sub__(self, other: Any) -> Value:
        return Value(self.x - value(other).x)

    def __rsub__(self, other: Any) -> Value:
        return Value(value(other).x - self.x)

    def __neg__(self) -> Value:
        return Value(-self.x)

    def __mul__(self, other: Any) -> Value:
        x, y = self.x, value(other).x
        for a, b in ((x, y), (y, x)):
            if math.isinf(a) and b == 0:
                return Value(a)
        return Value(x * y)

    def __truediv__(self, other: Any) -> Value:
        return Value(self.x / value(other).x)

    def __pow__(self, other: Any) -> Value:
        return Value(self.x ** value(other).x)

    def __lt__(self, other: Any) -> bool:
        return self.x < value(other).x

    def __gt__(self, other: Any) -> bool:
        return self.x > value(other).x

    __radd__, __rmul__ = __add__, __mul__


def value(x: Any) -> Value:
    return x if isinstance(x, Value) else Value(x)


def at(formula: str, names: Mapping[str, float]) -> float:
    """A formula at numbers."""
    known = {
        "sqrt": lambda x: Value(math.sqrt(value(x).x)),
        "exp": lambda x: Value(math.exp(value(x).x)),
        "min": min,
        "max": max,
        "Value": Value,
    }
    return value(eval(formula, known, {name: Value(x) for name, x in names.items()})).x


# databases


@dataclass(frozen=True, eq=False)
class Part:
    """A part: its data, and some of its databases, coordinates or lists of records."""

    name: str
    data: Mapping[str, Any]
    coordinates: tuple[str, ...] = ()
    atoms: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def inside(self) -> list[Any]:
        """Some databases, for records all of the class up to three records."""
        if self.coordinates:
            box = self.data["box"]
            axes = [[x for x in (0.0, 1.0, 0.4, 3.0, -2.0, 1000.0) if _in(x, ends)] for ends in box]
            some = [dict(zip(self.coordinates, x, strict=True)) for x in product(*axes)]
            if "disc" in self.data:
                some = [{x: v / 2 for x, v in one.items()} for one in some]
                some = [one for one in some if sum(v * v for v in one.values()) <= 1]
            return some
        if self.data["kind"] == "listed":
            return list(range(self.data["count"]))
        return [one for one in self.whole if len(one) <= 2]

    @cached_property
    def whole(self) -> list[tuple[str, ...]]:
        """All multisets up to four records that are of the class."""
        word, n = self.data["size"]
        sizes = {"any": range(5), "at most": range((n or 0) + 1), "exactly": [n]}[word]
        every = sorted(one for atom in self.atoms for one in atom)
        return [one for k in sizes for one in combinations_with_replacement(every, k)]


def _in(x: float, ends: Sequence[str | None]) -> bool:
    low, high = ends
    return (low is None or float(low) <= x) and (high is None or x <= float(high))


@dataclass(frozen=True)
class Far:
    """A distance: its data, and what it is between two databases, given by part, at values of parameters."""

    name: str
    data: Mapping[str, Any]
    between: Any


@dataclass(frozen=True)
class Case:
    """A setting in distances, with its parts, distances and mechanisms."""

    setting: Setting
    parts: Sequence[Part]
    fars: Sequence[Far]
    formulas: Sequence[tuple[str, str, str]]
    """For each mechanism its notion, metric and δ."""

    def distances(self, D: Mapping[str, Any], E: Mapping[str, Any]) -> dict[str, float]:
        found: dict[str, float] = {}
        for one in self.fars:
            found[one.name] = one.between(D, E, found)
        return found

    def databases(self, draw: random.Random, most: int) -> list[dict[str, Any]]:
        each = [one.inside for one in self.parts]
        every = math.prod(map(len, each))
        if every <= most:
            names = [one.name for one in self.parts]
            return [dict(zip(names, some, strict=True)) for some in product(*each)]
        return [{one.name: draw.choice(one.inside) for one in self.parts} for _ in range(most)]

    def composed(
        self,
        notion: str,
        D: Mapping[str, Any],
        E: Mapping[str, Any],
        e: Mapping[str, float],
        which: Sequence[int],
    ) -> dict[str, float]:
        """What some mechanisms of one notion lose together."""
        names = {**self.distances(D, E), **e}
        some = [(at(self.formulas[i][1], names), at(self.formulas[i][2], names)) for i in which]
        if any(OO in one for one in some):
            return dict.fromkeys(["pure", "zcdp", "gaussian", "approximate", "delta"], OO)
        total = {"pure": sum(x for x, _ in some), "zcdp": sum(x * x for x, _ in some)}
        total |= {"gaussian": math.sqrt(total["zcdp"]), "approximate": total["pure"]}
        return total | {"delta": sum(x for _, x in some)}


def is_metric(
    case: Case, i: int, some: Sequence[Mapping[str, Any]], e: Mapping[str, float], which: int = 1
) -> bool:
    """Whether what a mechanism is stated in is a metric on some databases; which -- 2 for its δ."""

    def far(D: Mapping[str, Any], E: Mapping[str, Any]) -> float:
        return at(case.formulas[i][which], {**case.distances(D, E), **e})

    table = [[far(D, E) for E in some] for D in some]
    n = range(len(some))
    return all(table[i][i] == 0 for i in n) and all(
        table[i][k] <= table[i][j] + table[j][k] + NEAR and abs(_less(table[i][j], table[j][i])) <= NEAR
        for i in n
        for j in n
        for k in n
    )


def _less(x: float, y: float) -> float:
    return 0.0 if x == y else x - y


# distances of records


@cache
def ways(part: Part, stated: str, reads: tuple[int, ...] | None, domain: str) -> Any:
    """All shortest ways between what is read of a part of records."""
    kept = None if reads is None else {one for n in reads for one in part.atoms[n]}

    def read(D: tuple[str, ...]) -> tuple[str, ...]:
        return D if kept is None else tuple(one for one in D if one in kept)

    nodes = list(dict.fromkeys(map(read, part.whole)))
    edges: dict[Any, set[Any]] = {one: set() for one in nodes}
    whole = part.whole if domain == "common" else nodes
    for D in whole:
        for E in whole:
            if _neighbours(D, E, stated):
                a, b = (read(D), read(E)) if domain == "common" else (D, E)
                edges[a].add(b)

    @cache
    def far(x: tuple[str, ...]) -> dict[Any, int]:
        found, waiting = {x: 0}, deque([x])
        while waiting:
            one = waiting.popleft()
            for other in edges[one]:
                if other not in found:
                    found[other] = found[one] + 1
                    waiting.append(other)
        return found

    def way(D: tuple[str, ...], E: tuple[str, ...]) -> float:
        x, y = read(D), read(E)
        return (
            float(far(x).get(y, OO)) if {x, y} <= edges.keys() else matched(part, stated, kept, domain, x, y)
        )

    return way


def matched(
    part: Part,
    stated: str,
    kept: set[str] | None,
    domain: str,
    x: tuple[str, ...],
    y: tuple[str, ...],
) -> float:
    """How far apart two multisets of any size are, in closed form: of those with too many records to be listed."""
    assert part.data["size"][0] == "any"
    away, come = _moved(x, y)
    if stated == "any":
        return float(x != y)
    if stated == "unbounded":
        return float(away + come)
    unread = domain == "common" and kept is not None and kept != {one for atom in part.atoms for one in atom}
    return float(max(away, come)) if unread or away == come else OO


def _neighbours(D: tuple[str, ...], E: tuple[str, ...], stated: str) -> bool:
    away, come = _moved(D, E)
    return {"unbounded": away + come == 1, "bounded": (away, come) == (1, 1), "any": D != E}[stated]


def _moved(D: tuple[str, ...], E: tuple[str, ...]) -> tuple[int, int]:
    """How many records go, and how many come."""
    return sum((Counter(D) - Counter(E)).values()), sum((Counter(E) - Counter(D)).values())


SINGLE = {"unbounded": [[0, 1], [1, 0]], "bounded": [[1, 1]], "any": "any two"}


# settings


class Drawn:
    """A setting at random."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        names = ["p", "q"][: self.draw.choice([1, 1, 2])]
        self.parts = [self.part(name if len(names) > 1 else "", n) for n, name in enumerate(names)]
        self.fars: list[Far] = []
        for part in self.parts:
            for _ in range(self.draw.choice([1, 2])):
                self.fars.append(self.far(part, f"d__{len(self.fars)}"))
        for _ in range(self.draw.choice([0, 1, 1, 2])):
            self.fars.append(self.made(f"d__{len(self.fars)}"))

    def part(self, name: str, n: int) -> Part:
        draw = self.draw
        kind = draw.choice(["line", "plane", "records", "records", "listed", "disc"])
        if kind == "listed":
            return Part(name, {"kind": "listed", "shown": "some", "count": 3})
        if kind == "records":
            atoms = draw.choice([[["r"]], [["r", "s"]], [["r"], ["t"]], [["r", "s"], ["t", "u"]]])
            size = draw.choice([["any", None], ["any", None], ["at most", 2], ["exactly", 2], ["exactly", 1]])
            data = {"kind": "records", "shown": "bags", "of": "multisets", "size": size, "atoms": atoms}
            return Part(name, data, atoms=tuple(map(tuple, atoms)))
        names = [f"x{n}"] if kind == "line" else [f"x{n}", f"y{n}"]
        if kind == "disc":
            return Part(
                name,
                {"kind": "points", "coordinates": names, "box": [[None, None]] * 2, "disc": "2"},
                tuple(names),
            )
        ends = [[None, None], ["0", None], ["0", "1"], [None, "1"], ["-2", "3"]]
        box = [draw.choice(ends) for _ in names]
        return Part(name, {"kind": "points", "coordinates": names, "box": box}, tuple(names))

    def far(self, part: Part, name: str) -> Far:
        draw, of = self.draw, part.name
        if draw.random() < 0.2:
            parts = [part.name] if draw.random() < 0.5 else [one.name for one in self.parts]
            return Far(name, {"parts": parts}, lambda D, E, _: float(any(D[p] != E[p] for p in parts)))
        if part.coordinates:
            return self.of_points(part, name)
        about = {"name": name, "notion": "pure", "values": {"epsilon": "1"}}
        if not part.atoms:
            pairs = draw.choice([[[0, 1], [1, 2]], [[0, 1]], [[0, 1], [0, 2], [1, 2]], []])
            lengths = [draw.choice(["0", "1", "1", "2", "1/2"]) for _ in pairs]
            stated = {"single": pairs, "steps": 1, "lengths": lengths}
            numbers = [float(eval(x)) for x in lengths]
            far = _along(pairs, numbers)
            data = {"part": of, "input": {**about, "reads": [None], "domain": "own", "stated": stated}}
            return Far(name, data, lambda D, E, _: far[D[of]][E[of]])
        reads = draw.choice([None, None, [0]])
        stated, domain = draw.choice(["unbounded", "bounded", "any"]), draw.choice(["own", "common"])
        domain = "own" if reads is None else domain
        data = {
            "part": of,
            "input": {
                **about,
                "reads": [reads],
                "domain": domain,
                "stated": {"single": SINGLE[stated], "steps": 1},
            },
        }
        way = ways(part, stated, None if reads is None else tuple(reads), domain)
        return Far(name, data, lambda D, E, _: way(D[of], E[of]))

    def of_points(self, part: Part, name: str) -> Far:
        draw, of = self.draw, part.name
        some = [
            draw.choice(["{x}", "2*{x}", "{x} - 3*{y}", "{x} + {y}"]) for _ in range(draw.choice([1, 1, 2]))
        ]
        x, y = part.coordinates[0], part.coordinates[-1]
        values = [draw.choice([(x, y), (y, x)]) for _ in some]
        told = [one.format(x=a, y=b) for one, (a, b) in zip(some, values, strict=True)]

        def moved(D: Mapping[str, float], E: Mapping[str, float]) -> list[float]:
            return [at(one, D) - at(one, E) for one in told]

        texts = [
            f"({one.format(x=a + '__D', y=b + '__D')}) - ({one.format(x=a + '__E', y=b + '__E')})"
            for one, (a, b) in zip(some, values, strict=True)
        ]
        kind = draw.choice(["L1", "L2", "Linf", "differ", "squares"])
        sizes = [f"max({v}, -({v}))" for v in texts]
        if kind == "differ":
            return Far(name, {"differences": texts}, lambda D, E, _: float(any(moved(D[of], E[of]))))
        made = {
            "L1": (" + ".join(sizes), lambda v: sum(map(abs, v))),
            "L2": (f"sqrt({' + '.join(f'({v})**2' for v in texts)})", lambda v: math.hypot(*v)),
            "Linf": (f"max({', '.join([*sizes, '0'])})", lambda v: max(map(abs, v))),
            "squares": (" + ".join(f"({v})**2" for v in texts), lambda v: sum(one * one for one in v)),
        }[kind]
        text, far = made
        return Far(name, {"formula": text}, lambda D, E, _: far(moved(D[of], E[of])))

    def made(self, name: str) -> Far:
        d, f = (self.draw.choice(self.fars).name for _ in range(2))
        text = self.draw.choice(
            [
                "min({d}, 2)",
                "{d} + 2*{f}",
                "max({d}, {f})",
                "sqrt({d}**2 + {f}**2)",
                "max(0, {d} - 1)",
                "3*{d}",
                "min({d}, {f})",
                "{d}*{d}",
                "1 - exp(-{d})",
                "sqrt({d})",
                "min(3*{d}, {f} + 1)",
                "apart",
            ]
        ).format(d=d, f=f)
        if text == "apart":
            return Far(
                name, {"formula": d, "apart": True}, lambda D, E, before: OO if before[d] == OO else 0.0
            )
        return Far(name, {"formula": text}, lambda D, E, before: at(text, before))

    def formula(self) -> str:
        some = [self.draw.choice(self.fars).name for _ in range(self.draw.choice([1, 1, 2]))]
        factors = ["", "2*", "e*", "f*", "(e + f)*", "max(e, f)*", "Value(1)*", "Value(1)/2*"]
        terms = [self.draw.choice(factors) + one for one in some]
        if len(terms) == 1:
            return self.draw.choice(["{}", "{}", "{}", "min({}, e)", "min({}, 1)", "max(0, {} - 1)"]).format(
                *terms
            )
        return self.draw.choice(["{} + {}", "max({}, {})", "min({}, {})", "sqrt(({})**2 + ({})**2)"]).format(
            *terms
        )

    def case(self) -> Case:
        notion = self.draw.choice(["pure", "pure", "zcdp", "gaussian", "approximate"])
        formulas = []
        for _ in range(self.draw.choice([1, 1, 2])):
            delta = "0"
            if notion == "approximate":
                delta = self.draw.choice(["0", "Value(1)/100*{}", "min({}, 1)"]).format(
                    self.draw.choice(self.fars).name
                )
            formulas.append((notion, self.formula(), delta))
        return Case(self._read(formulas), self.parts, self.fars, formulas)

    def _read(self, formulas: Sequence[tuple[str, str, str]]) -> Setting:
        return reading.read(
            {
                "parameters": {"e": "positive", "f": "nonnegative"},
                "databases": {
                    "kind": "product",
                    "shown": "parts",
                    "parts": {one.name: one.data for one in self.parts},
                },
                "target": {"single": "any two", "steps": 1},
                "distances": {one.name: one.data for one in self.fars},
                "mechanisms": [_mechanism(i, *one) for i, one in enumerate(formulas)],
                "adaptive": False,
            }
        )

    def claims(self, case: Case) -> Iterator[dict[str, str]]:
        """Claims near what is lost, and others."""
        notion = case.formulas[0][0]
        known = " + ".join(f"({one})" for _, one, _ in case.formulas)
        largest = f"max({', '.join([one for _, one, _ in case.formulas] + ['0'])})"
        for text in (
            known,
            largest,
            self.formula(),
            f"{self.formula()} + {self.formula()}",
            f"2*({self.formula()})",
        ):
            power = "({})**2" if notion == "zcdp" else "{}"
            claim = {"notion": notion, KEYS[notion]: power.format(text)}
            if notion == "approximate":
                deltas = " + ".join(one for _, _, one in case.formulas)
                claim |= {"delta": self.draw.choice([deltas, deltas, "0", self.formula()])}
            yield claim


def in_words(text: str) -> str:
    """A formula as the kernel reads it."""
    return text.replace("Value(1)", "1")


def _mechanism(i: int, notion: str, formula: str, delta: str) -> dict[str, Any]:
    values = {KEYS[notion]: "1"} | ({"delta": "0"} if notion == "approximate" else {})
    besides = {"delta": in_words(delta)} if notion == "approximate" else {}
    metric = {"formula": in_words(formula), "besides": besides}
    about = {"reads": [None], "domain": "own", "notion": notion, "values": values, "metric": metric}
    return {"name": f"M{i}", **about}


def _along(pairs: Sequence[Sequence[int]], lengths: Sequence[float]) -> list[list[float]]:
    far = [[0.0 if i == j else OO for j in range(3)] for i in range(3)]
    for (i, j), one in zip(pairs, lengths, strict=True):
        far[i][j] = far[j][i] = min(far[i][j], one)
    for k, i, j in product(range(3), repeat=3):
        far[i][j] = min(far[i][j], far[i][k] + far[k][j])
    return far
