"""What guarantees give at the vectors of the profile: by the rules, conversions, closer values and witnesses.

A value is a form, or None for ∞.  Parameters that are composed by their squares are kept as squares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from second_checker import assumptions, noises, orders, sampled, tables
from second_checker.algebra import Algebra
from second_checker.closer import Closer
from second_checker.enclosures import INF
from second_checker.forms import ZERO, Form, add, domain, letters, made, minus, number, rational, scale
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.profiles import Distance, Vector
from second_checker.samples import demand_sign

Values = dict[str, Form] | None
Loss = Callable[[int, int], Form | None]
SUM = "sum({0}[i], i, 1, k)"
ROOT = "sqrt(sum({0}[i]**2, i, 1, k))"
MOST = "max({0}[i], i, 1, k)"


@dataclass(frozen=True)
class Promise:
    """The guarantee of a mechanism, converted by these pages with these chosen values.

    `own` is the guarantee itself where it is not that of the setting, but what a study satisfies; `closer`:
    it is what the page of a noise says besides of a value that moves; `instead`: the mechanism, where a page
    says the same of it in another notion.
    """

    mechanism: int
    notion: str
    pages: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    own: tuple[tuple[str, Form | None], ...] | None = None
    closer: bool = False
    instead: Any = field(default=None, compare=False)


@dataclass
class Losses(Closer):
    """A setting, its profile, and the pages."""

    core: Any
    vectors: list[Vector]
    library: Library
    moves: dict[int, noises.Moves]

    def __post_init__(self) -> None:
        self.orders, self.above_zero = orders.of(self.core), list[Form]()
        self.parameters = self.core["parameters"] | (self.orders.letters if self.orders else {})
        self.algebra = Algebra(self.parameters)
        self.algebra.fixed = self.orders.names if self.orders else {}
        self.assumed = self.algebra.assumed = assumptions.known(self.core, self.algebra)
        endless = (
            self.core["target"]["single"] == "any two"
            and self.core["databases"].get("size", [""])[0] == "any"
        )
        for one in self.core["mechanisms"]:
            for key, text in ({} if "study" in one else one["values"]).items():
                # maximal vectors decide for parameters >= 0 only; a 0 that moves without limit loses 0
                if text == "oo" or (not endless and key in self.probabilities(one)):
                    continue
                if self.algebra.sign(self.algebra.read(text)) < (2 if endless else 1):
                    raise NotRead("setting", "a parameter that may be below 0, or be 0 at any two databases")

    def restated(self, promises: Sequence[Promise]) -> Losses:
        """The same setting with what pages say in place of guarantees."""
        every = [p.instead or self.core["mechanisms"][p.mechanism] for p in promises]
        return replace(self, core={**self.core, "mechanisms": every})

    def probabilities(self, mechanism: Any) -> list[str]:
        """The parameters of a noise that are probabilities, as its letters are what its page asks for."""
        if "noise" not in mechanism:
            return []
        page = self.library.one(mechanism["noise"]["page"])
        if "probabilities" in page:
            noises.demand_fits(self.algebra, page, noises.letters_of(self.algebra, page, mechanism["noise"]))
        return list(page.get("probabilities", []))

    def rule(self, notion: str) -> Any:
        """The rule of a notion; only sums, roots of sums of squares, and maxima are read."""
        rule = self.library.rule(notion)
        for key in rule["parameters"]:
            wanted = (ROOT,) if key in rule.get("squared", []) else (SUM, MOST)
            known = [form.format(key) for form in wanted]
            demand(rule["composition"][key] in known, "a composition that is no sum")
        return rule

    def is_largest(self, notion: str, key: str) -> bool:
        """Whether of several mechanisms the largest value of a parameter is that of all."""
        return bool(self.library.rule(notion)["composition"][key] == MOST.format(key))

    def stated(self, mechanism: int) -> Values:
        """The parameters as stated."""
        one = self.core["mechanisms"][mechanism]
        if "oo" in one["values"].values():
            return None
        values = {k: self.algebra.read(v) for k, v in one["values"].items()}
        return sampled.amplified(self.algebra, self.library, one, values) if "sampled" in one else values

    def at(self, promise: Promise, r: Distance) -> Values:
        """The parameters at distance r > 0."""
        own = self.stated(promise.mechanism) if promise.own is None else finite(promise.own)
        if own is None or r == INF:
            return None
        first = self.library.one(promise.pages[0][0])["from"] if promise.pages else promise.notion
        rule = self.rule(first)
        names = {**own, "r": self.distance(promise.mechanism, r)}
        texts = rule["distance"]
        steps = rational(names["r"])
        if promise.mechanism not in self.moves or (steps is not None and steps.denominator == 1):
            texts = {**texts, **rule.get("at-steps", {})}
        law = (
            self.library.one(self.core["mechanisms"][promise.mechanism]["noise"]["page"])
            if promise.mechanism in self.moves
            else {}
        )
        if promise.closer:
            values: Values = self.moved(promise, law["closer"][first], int(r))
        elif promise.own is None and first in law.get("moved", {}):
            values = self.moved(promise, law["moved"][first], int(r))
        elif rule.get("ordered"):
            values = {rule["parameters"][0]: self.at_orders(promise, int(r), own)}
        elif not promise.pages and "once" in law and (many := self.by_ones(promise.mechanism, int(r))):
            values = {key: x if key in law["once"] else scale(x, many) for key, x in own.items()}
        else:
            values = {key: self.algebra.read(texts[key], names) for key in rule["parameters"]}
        for page, chosen in promise.pages:
            values = self.converted(page, dict(chosen), values)
        return values

    def at_orders(self, promise: Promise, r: int, own: dict[str, Form]) -> Form:
        """The divergences at the orders of the setting, r steps apart, or for a noise at the move of this rank."""
        mechanism = self.core["mechanisms"][promise.mechanism]
        demand(self.orders is not None, "divergences of no orders")
        assert self.orders is not None
        if promise.mechanism in self.moves:
            return self.divergence_at(mechanism, self.moves[promise.mechanism].forms[r])
        if promise.own is not None:
            if r > 1:
                raise NotRead("orders", "of a study, at a distance")
            return own["epsilon"]
        return orders.at(self.algebra, mechanism, self.orders, r)

    def divergence_at(self, mechanism: Any, r: Form) -> Form:
        """The divergence of a noise at the orders of the setting, where an entry moves by r."""
        law = self.library.one(mechanism["noise"]["page"])
        demand(
            "renyi" in law and "besides" not in mechanism["noise"],
            "a noise of which no divergences are known",
        )
        names = {law["parameter"]: self.algebra.read(mechanism["noise"]["parameter"]), "r": r}
        return self.algebra.read(law["renyi"], names)

    def moved(self, promise: Promise, texts: Mapping[str, str], rank: int) -> dict[str, Form]:
        """What a noise loses of how far its value moves: entry by entry, where it is not converted."""
        mechanism, moves = self.core["mechanisms"][promise.mechanism], self.moves[promise.mechanism]
        noise, far = mechanism["noise"], [moves.forms[rank]]
        if "besides" in noise:
            raise NotRead("noise", "with further letters")
        if not promise.pages and not promise.closer:
            far = noises.entries(self.algebra, self.library, mechanism, moves, rank)
        of = self.library.one(noise["page"])["parameter"]
        names = [{of: self.algebra.read(noise["parameter"]), "r": r} for r in far]
        return {key: add(*(self.algebra.read(text, one) for one in names)) for key, text in texts.items()}

    def by_ones(self, i: int, rank: int) -> int:
        """How many entries of a noise's query move, where all of them move by 1; else 0."""
        far = noises.entries(self.algebra, self.library, self.core["mechanisms"][i], self.moves[i], rank)
        return len(far) if all(x == number(1) for x in far) else 0

    def distance(self, i: int, r: Distance) -> Form:
        """A distance as a formula: for a noise the move with this rank."""
        return self.moves[i].forms[int(r)] if i in self.moves else number(r)

    def converted(self, page: str, chosen: Mapping[str, str], values: Values, within: bool = False) -> Values:
        """The parameters of another notion that a page leads to; within -- its limits are seen to be kept."""
        table = self.library.one(page)
        demand(within or not table.get("at-most"), "limits that are not seen to be kept")
        demand(table["kind"] == "conversion", f"{page} is no conversion")
        demand(set(chosen) == set(table.get("free", {})), "chosen values are not those that are free")
        if values is None:
            return None
        names = {**values, **{key: self.algebra.read(text) for key, text in chosen.items()}}
        for key, words in table.get("free", {}).items():
            box, value = domain(words), names[key]
            for end, way in (("least", 1), ("greatest", -1)):
                if end in box:
                    beyond = scale(minus(value, number(Fraction(box[end]))), way)
                    demand_sign(
                        self.algebra, beyond, bool(box.get(f"open-{end}")), f"{key} cannot be chosen so"
                    )
        for key, text in table.get("only", {}).items():
            demand(values[key] == self.algebra.read(text), f"{key} is not {text}")
        if table.get("orders"):
            demand(self.orders is not None and self.orders.are(table["orders"]), "a page for other orders")
            if table["orders"] == "first" and self.orders is not None:
                names["omega"] = number(Fraction(self.orders.high))
        found = {key: self.algebra.read(text, names) for key, text in table["parameters"].items()}
        if table.get("orders"):
            demand(not any("alpha" in letters(x) for x in found.values()), "what depends on the order")
        return found

    # -- sums over mechanisms ----------------------------------------------------------------------------

    def composed(self, vector: Vector, mechanisms: list[int], loss: Loss) -> Form | None:
        """The sum of what the mechanisms lose at a vector; members of families that move are the worst."""
        total: list[Form] = []
        parts: dict[str, list[tuple[int, Vector]]] = {}
        at = 0
        for i, one in enumerate(self.core["mechanisms"]):
            own = vector[at : at + len(one["reads"])]
            at += len(own)
            if i not in mechanisms or not any(own):
                continue
            if "partition" in one:
                parts.setdefault(one["partition"], []).append((i, own))
                continue
            value = loss(i, own[0])  # type: ignore[arg-type]
            if value is None:
                return None
            if "count" in one:
                value = self.algebra.family(None, value, self.algebra.read(one["count"]))
            total.append(value)
        for families in parts.values():
            value = self.members(families, loss)
            if value is None:
                return None
            total.append(value)
        return add(*total)

    def members(self, families: list[tuple[int, Vector]], loss: Loss) -> Form | None:
        """What the parts of a partition lose: level by level the sum of the m largest."""
        values = []
        for distances in zip(*(own for _, own in families), strict=True):
            moving = [loss(i, r) for (i, _), r in zip(families, distances, strict=True) if r]
            if None in moving:
                return None
            if moving:
                values.append(add(*(x for x in moving if x is not None)))
        count = self.algebra.read(self.core["mechanisms"][families[0][0]]["count"])
        least = values[-1]
        levels = sorted((ratio(value, least) for value in values), reverse=True)
        total, seen = ZERO, 0
        grouped = [(level, len(list(own))) for level, own in groupby(levels)]
        for n, (level, many) in enumerate(grouped):
            seen += many
            below = grouped[n + 1][0] if n + 1 < len(grouped) else Fraction(0)
            total = add(total, scale(self.algebra.family(seen, least, count), level - below))
        return total

    def largest(self, vector: Vector, mechanisms: list[int], loss: Loss) -> Form | None:
        """The largest of what the mechanisms have at a vector."""
        found: list[Form] = []
        for r, i in zip(vector, self.numbers(), strict=True):
            if i not in mechanisms or not r:
                continue
            value = loss(i, r)  # type: ignore[arg-type]
            if value is None:
                return None
            if any("[i]" in name for name in letters(value)):
                raise NotRead("formula", "of which the members of a family have the largest")
            found.append(value)
        return self.worst(list(found))

    def worst(self, values: list[Form | None]) -> Form | None:
        """The largest of the values at the vectors; without any, 0."""
        if None in values:
            return None
        return self.algebra.top(1, [x for x in values if x is not None]) if values else ZERO

    # -- bounds ------------------------------------------------------------------------------------------

    def bound(self, promises: list[Promise], closer: bool = False) -> dict[str, Form | None]:
        """The parameters of a composition for the target; squares for those composed by squares."""
        notion = promises[0].notion
        rule = self.rule(notion)
        by = {p.mechanism: p for p in promises}
        result: dict[str, Form | None] = {}
        for key in rule["parameters"]:

            def loss(i: int, r: Distance, key: str = key) -> Form | None:
                values = self.at(by[i], r)
                if values is None:
                    return None
                value = values[key]
                return self.algebra.times(value, value) if key in rule.get("squared", []) else value

            if closer and key == "delta":
                every = [self.together(v, by) for v in self.vectors]
            else:
                whole = self.largest if self.is_largest(notion, key) else self.composed
                every = [whole(v, list(by), loss) for v in self.vectors]
            result[key] = self.worst(every)
        return result

    # -- what is attained --------------------------------------------------------------------------------

    def attained(self, notion: str, key: str, mechanisms: list[int]) -> list[Form | None]:
        """What witnesses of these mechanisms lose at each type; squares for what is composed by squares."""
        own = [self.core["mechanisms"][i] for i in mechanisms]
        moved = {r for v in self.vectors for r, i in zip(v, self.numbers(), strict=True) if i in mechanisms}
        if sampled.of_several(self.core, notion, mechanisms):
            return sampled.lost_by_several(self.algebra, self.library, self.core, mechanisms)
        sampled.attained(self.core, self.library, mechanisms, notion, moved)
        if any("study" in one for one in own):
            raise NotRead("study", "that is a witness")
        if any("table" in one for one in own):
            return tables.attained(self, notion, key, mechanisms)
        if notion == "approximate":
            return self.events(key, mechanisms)
        if self.is_largest(notion, key):
            return [
                self.largest(v, mechanisms, lambda i, r: self.tail(i, r, notion, key)) for v in self.vectors
            ]
        squared = key in self.rule(notion).get("squared", [])
        return [
            self.composed(v, mechanisms, lambda i, r: self.witness(i, r, notion, key, squared, mechanisms))
            for v in self.vectors
        ]

    def witness(
        self, i: int, r: Distance, notion: str, key: str, squared: bool, alike: list[int]
    ) -> Form | None:
        """What the witness of a mechanism loses at distance r, beside the others that are witnesses."""
        own, of = self.stated(i), self.core["mechanisms"][i]["notion"]
        ordered = bool(self.library.rule(notion).get("ordered"))
        if i in self.moves:
            mechanism = self.core["mechanisms"][i]
            if ordered:
                demand(
                    noises.attained(self.library, mechanism, self.core, notion),
                    "a noise that reaches its guarantee nowhere",
                )
                moved = noises.entries(self.algebra, self.library, mechanism, self.moves[i], int(r))
                return add(*(self.divergence_at(mechanism, one) for one in moved))
            law = self.library.one(mechanism["noise"]["page"])
            if notion not in law["guarantee"] or notion in law.get("closer", {}):
                demand(not squared, "divergences of what is composed by squares")
                return self.divergence(i, r, notion)
            reached = noises.attained(self.library, mechanism, self.core, notion)
            demand(reached, "a noise that reaches its guarantee nowhere")
            given = noises.guarantee(self.algebra, self.library, mechanism, notion)
            own, of = finite(tuple(given.items())), notion
        if own is None or r == INF:
            return None
        names = {**own, "r": self.distance(i, r)}
        if of != notion:
            table = self.library.of("violation", of=of, notion=notion)
            if table.get("alone"):
                others = {j for v in self.vectors for s, j in zip(v, self.numbers(), strict=True) if s} - {i}
                demand(not others & set(alike), "what is lost by one mechanism alone, beside others")
                if "count" in self.core["mechanisms"][i]:
                    raise NotRead("attained", "of what is lost by one member of a family")
            if self.library.rule(of).get("ordered"):
                rho = orders.slope_below(self.algebra, self.core["mechanisms"][i])
                own = {"epsilon": self.algebra.times(rho, self.algebra.read("alpha"))}
                names = {**own, "r": names["r"]}
            self.ask_above_zero(i, self.algebra.read(table["positive"], own))
            ended = "ended" in table and orders.last(self.core["mechanisms"][i]) is not None
            if "oo" in (table["loss"], table["ended"] if ended else ""):
                return None
            lost = self.algebra.read(table["loss"], names)
            # a maximum of which one member is seen to be >= 0; its square is only enclosed
            alone = squared and table.get("alone")
            return made([(frozenset([(("sum", lost), Fraction(2))]), Fraction(1))]) if alone else lost
        table = self.library.of("witness", notion=notion, shows=key)
        if ordered:
            rho = orders.slope_below(self.algebra, self.core["mechanisms"][i])
            demand(table["distance"] == "sqrt(epsilon/alpha)*r" and table["by"] == "noise", "another witness")
            square = self.algebra.times(rho, self.algebra.power(names["r"], Fraction(2)))
            return self.algebra.times(
                scale(square, 1 / (Fraction(table["variance"]) * 2)), self.algebra.read("alpha")
            )
        distance = self.algebra.read(table["distance"], names)
        if table["by"] == "ratio":
            demand(table["probability"] == "exp(-d)/2", "another witness")
            return distance
        demand(table["by"] == "noise" and notion in ("zcdp", "gaussian", "tcdp"), "another witness")
        square = self.algebra.times(distance, distance)
        return scale(square, 1 / (Fraction(table["variance"]) * (1 if squared else 2)))

    def ask_above_zero(self, i: int, form: Form) -> None:
        """Notes what is to be above 0 for a witness, where that is not seen."""
        if self.algebra.sign(form) != 2:
            if "count" in self.core["mechanisms"][i]:
                raise NotRead("attained", "of a parameter that may be 0, of a member of a family")
            self.above_zero.append(form)

    def piece(self, i: int, r: Distance, page: Any, exact: bool) -> tuple[Any, Values] | None:
        """The formulas of a computed page where they are not those of steps or noise, and what stands in them."""
        return None

    def tail(self, i: int, r: Distance, notion: str, key: str) -> Form | None:
        """From where on divergences of a mechanism with heavy tails are infinite."""
        table, own = self.library.of("witness", notion=notion, shows=key), self.stated(i)
        one = self.core["mechanisms"][i]
        demand(table["by"] == "tail" and not {"noise", "table", "sampled"} & set(one), "another witness")
        if own is None or r == INF:
            raise NotRead("attained", "where nothing is promised")
        if one["notion"] == notion:
            self.ask_above_zero(i, own[table["positive"]])
            return self.algebra.read(table["distance"], {**own, "r": number(r)})
        table, last = self.library.of("violation", of=one["notion"], notion=notion), orders.last(one)
        demand("tail" in table and last is not None, "no page says at which orders something is lost")
        rho = orders.slope_below(self.algebra, one)
        self.ask_above_zero(
            i,
            self.algebra.read(
                table["positive"], {"epsilon": self.algebra.times(rho, self.algebra.read("alpha"))}
            ),
        )
        return self.algebra.read(table["tail"], {"omega": number(last or 0), "r": number(r)})

    def divergence(self, i: int, r: Distance, notion: str) -> Form:
        """The divergence of a noise: of its entries together."""
        table, mechanism = self.library.of("witness", notion=notion), self.core["mechanisms"][i]
        noise, law = mechanism["noise"], self.library.one(mechanism["noise"]["page"])
        query = self.library.one(noise["query"]["page"])
        demand(bool(table.get("divergence") and "divergence" in law), "a divergence of which nothing is said")
        demand(query.get("attained", True) and r != INF, "a query that moves less")
        noises.attained(self.library, mechanism, self.core, notion)
        if law.get("entries") == "scores":
            moved = [self.moves[i].forms[int(r)]]
        else:
            moved = noises.entries(self.algebra, self.library, mechanism, self.moves[i], int(r))
        text = law.get("divergences", {}).get(noise["query"]["page"], law["divergence"])
        names = {law["parameter"]: self.algebra.read(noise["parameter"])}
        return add(*(self.algebra.read(text, {**names, "r": x}) for x in moved))

    def events(self, key: str, mechanisms: list[int]) -> list[Form | None]:
        """The probabilities of events that are impossible at the other database."""
        table = self.library.of("witness", notion="approximate")
        demand(table["shows"] == key == "delta" and table["by"] == "event", "another witness")
        demand(table["probability"] == "min(1, d)" and table["distance"] == "delta*r", "another witness")
        by = {i: Promise(i, "approximate") for i in mechanisms}
        for i in by:
            own = self.stated(i)
            if own is not None and self.algebra.sign(minus(number(1), own.get("delta", ZERO))) < 1:
                raise NotRead("attained", "of a delta that may be above 1")

        def loss(i: int, r: Distance) -> Form | None:
            values = self.at(by[i], r)
            return None if values is None else values["delta"]

        own = self.core["mechanisms"]
        whole = any("count" in own[i] and "partition" not in own[i] for i in by)
        every: list[Form | None] = []
        for v in self.vectors:
            moves = [(r, i) for r, i in zip(v, self.numbers(), strict=True) if r and i in by]
            if any(r == INF or self.stated(i) is None for r, i in moves):
                every.append(None)
                continue
            demand(all(own[i]["notion"] == "approximate" for _, i in moves), "an event of another notion")
            few = sum(r for r, _ in moves) <= table["steps"] and len(moves) <= table["together"]
            every.append(self.composed(v, list(by), loss) if few and not whole else self.together(v, by))
        return every

    def numbers(self) -> list[int]:
        """The mechanism of each slot."""
        return [i for i, one in enumerate(self.core["mechanisms"]) for _ in one["reads"]]


def finite(own: tuple[tuple[str, Form | None], ...]) -> Values:
    """The parameters of a guarantee, or None where one is ∞."""
    values = {key: value for key, value in own if value is not None}
    return values if len(values) == len(own) else None


def ratio(value: Form, least: Form) -> Fraction:
    """How many times the least loss another one is."""
    other = dict(least)
    shares = {factor / other[monomial] if monomial in other else None for monomial, factor in value}
    share = next(iter(shares), Fraction(1))
    if not value and not least:
        return Fraction(1)
    if len(value) != len(least) or len(shares) != 1 or share is None or share <= 0:
        raise NotRead("formula", "whose members lose in other proportions at other distances")
    return share
