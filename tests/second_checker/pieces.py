"""The pieces of the mechanisms at a vector of the profile, by the formulas of a computed page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from second_checker import chained, enclosures, formulas, keys, noises, orders
from second_checker.curves import Curve, Pieces
from second_checker.enclosures import INF, End, Interval
from second_checker.forms import Form, letters, number, rational
from second_checker.formulas import Alike, Delta
from second_checker.losses import Losses, Promise
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.profiles import Distance, Vector
from second_checker.samples import same_cleared

Point = Mapping[str, Fraction]


@dataclass(frozen=True)
class Moving:
    """Members of a mechanism that move by a distance: one member, or so many that are alike."""

    mechanism: int
    distance: Distance
    member: int | None
    many: int


@dataclass
class Curves:
    """The curves of a setting, each found once."""

    losses: Losses
    found: dict[Any, list[Curve]] = field(default_factory=dict)

    def above(self, promises: list[Promise], epsilon: Form) -> Fraction:
        """What δ at ε is at most, for all mechanisms with these guarantees and all target neighbours."""
        page = self.page(promises)
        if self.chained(promises):
            return max(one.high for one in chained.heights(self, promises, page, None, epsilon))
        ends = [self.at(v, promises, page, None, epsilon)[1] for v in self.losses.vectors]
        demand(bool(ends), "a curve without neighbours")
        return Fraction(max(ends))

    def chained(self, promises: list[Promise]) -> bool:
        """Whether some of the mechanisms are run on samples, or have several guarantees."""
        return any(chained.is_chained(self.losses.core["mechanisms"][one.mechanism]) for one in promises)

    def is_rough(self, promises: list[Promise], point: Point, epsilon: Form, delta: Any) -> bool:
        """Whether enclosing does not tell on which side of the curve a δ lies."""
        if not self.chained(promises):
            return False
        every = chained.heights(self, promises, self.page(promises), point, epsilon)
        return bool(max(one.low for one in every) <= delta < max(one.high for one in every))

    def falls_from(self, promises: list[Promise], epsilon: Form, delta: Form) -> bool:
        """Whether δ is just that at ε, and larger at every smaller ε that is not below 0."""
        if self.chained(promises):
            page, (least, most) = self.page(promises), self.losses.algebra.enclose(delta, {})
            every = chained.heights(self, promises, page, None, epsilon)
            on = [one.falls for one in every if one.low == least == most == one.high]
        else:
            exact = self.exactly_at(promises, epsilon)
            on = [one.falls for one in exact if same_cleared(self.losses.algebra, one.value, delta)]
        return bool(on) and (any(on) or not epsilon)

    def at(
        self, vector: Vector, promises: list[Promise], page: Any, point: Point | None, epsilon: Form
    ) -> Interval:
        """δ at ε, enclosed, at a vector of the profile."""
        algebra, values = self.losses.algebra, point or {}
        choices = self.choices(vector, promises, page, values)
        if choices:

            def sign(form: Form) -> int:
                low, high = algebra.enclose(form, values)
                return 2 if low > 0 else -2 if high < 0 else 1 if low == high == 0 else 0

            forms = formulas.of_choices(algebra, *choices, epsilon, sign)
            ends = [algebra.enclose(form, values) for form in forms] or [number_interval(0)]
        else:
            number_ = algebra.enclose(epsilon, values)
            ends = [one.at(number_) for one in self.curve(vector, promises, page, point)]
        return max(low for low, _ in ends), max(high for _, high in ends)

    def choices(
        self, vector: Vector, promises: list[Promise], page: Any, point: Point
    ) -> tuple[Form, int] | None:
        """The length of the interval of losses, and the number, of choices that are alike; None: no choice moves."""
        found = []
        for one in self.moving(vector, point):
            word = self.word(one.mechanism, page)
            text = page["noises"][word].get("range") if word else None
            if any(promise.mechanism == one.mechanism for promise in promises):
                found.append((one, text))
        if not any(text for _, text in found):
            return None
        etas = set()
        for one, text in found:
            demand(text is not None, "a choice beside others")
            noise = self.losses.core["mechanisms"][one.mechanism]["noise"]
            law = self.losses.library.one(noise["page"])
            names = noises.letters_of(self.losses.algebra, law, noise)
            names["r"] = self.losses.distance(one.mechanism, one.distance)
            etas.add(self.losses.algebra.read(text, names))
        if len(etas) > 1 or (self.losses.core["adaptive"] and sum(one.many for one, _ in found) > 1):
            raise NotRead("curve", "of several choices that differ, or depend on each other")
        return etas.pop(), sum(one.many for one, _ in found)

    def exactly_at(self, promises: list[Promise], epsilon: Form) -> list[Delta]:
        """δ at ε as a formula, for each vector of the profile."""
        page, losses, found = self.page(promises), self.losses, []
        for vector in losses.vectors:
            choices = self.choices(vector, promises, page, {}) if losses.moves else None
            if choices:
                forms = formulas.of_choices(losses.algebra, *choices, epsilon, losses.algebra.sign)
                found.append(Delta(losses.algebra.top(1, [number(0), *forms]), falls=False))
                continue
            alike = []
            for r, i in zip(vector, losses.numbers(), strict=True):
                one, own = losses.core["mechanisms"][i], losses.stated(i)
                if r and (r != 1 or own is None or {"noise", "partition", "study", "sampled"} & set(one)):
                    raise NotRead("curve", "as a formula, of several steps, parts or noise")
                if r and own is not None:
                    table = page["parts"][promises[i].notion]
                    demand(set(table) == {"epsilon", "delta"}, "a piece of another kind")
                    if self.own_letters(i):
                        raise NotRead("curve", "as a formula of members of a family")
                    values = {
                        key: losses.algebra.read(text, {**own, "r": number(1)}) for key, text in table.items()
                    }
                    count = losses.algebra.read(str(one.get("count", 1)))
                    alike.append(Alike(values["epsilon"], values["delta"], count))
            found.append(formulas.of_guarantees(losses.algebra, alike, epsilon))
        return found

    def most(self, promises: list[Promise]) -> End:
        """What is lost at most with certainty, at all target neighbours."""
        page = self.page(promises)
        every = [self.curve(v, promises, page, None) for v in self.losses.vectors]
        return max(one.pieces.most for curves in every for one in curves)

    def beyond(self, promises: list[Promise], point: Point, epsilon: Form) -> Fraction:
        """What δ at ε is at least, at the point, for some mechanisms and some target neighbours."""
        page = self.page(promises, lost=True)
        if self.chained(promises):
            return max(one.low for one in chained.heights(self, promises, page, point, epsilon))
        for one in promises:
            self.exactly(one.mechanism, page)
        # where more members move than the point says there are, no such neighbours exist
        there = [v for v in self.losses.vectors if self.exists(v, point)]
        ends = [self.at(v, promises, page, point, epsilon)[0] for v in there]
        demand(bool(ends), "a curve without neighbours")
        return Fraction(max(ends))

    def exists(self, vector: Vector, point: Point) -> bool:
        """Whether there are as many members of each family as move."""
        at = 0
        for i, one in enumerate(self.losses.core["mechanisms"]):
            own = vector[at : at + len(one["reads"])]
            at += len(own)
            if "partition" in one and sum(r > 0 for r in own) > self.count(i, point):
                return False
        return True

    def page(self, promises: list[Promise], lost: bool = False) -> Any:
        """The computed page: the one by which fewest noises go by a guarantee, the smallest, the first.

        lost -- or that says what some mechanisms lose, which is no bound.
        """
        every = [t for t in self.losses.library.tables.values() if t["kind"] == "computed"]
        fits = []
        for table in every:
            words = [self.word(one.mechanism, table) for one in promises]
            parts = {*table.get("parts", {}), *(table.get("lost", {}) if lost else ())}
            own = [w or one.notion in parts for w, one in zip(words, promises, strict=True)]
            if table["notion"] == "approximate" and all(own):
                plain = sum(
                    one.mechanism in self.losses.moves and not w
                    for one, w in zip(promises, words, strict=True)
                )
                size = len(table.get("parts", {})) + len(table.get("noises", {}))
                fits.append((plain, size, table["id"], table))
        if not fits and any(self.has_event(one.mechanism) for one in promises):
            raise NotRead("curve", "of a noise of which an event is known")
        demand(bool(fits), "no computed page fits these mechanisms")
        return min(fits, key=lambda fit: fit[:3])[3]

    def has_event(self, i: int) -> bool:
        """Whether a mechanism's noise has no curve, but the probabilities of an event."""
        if i not in self.losses.moves:
            return False
        return "event" in self.losses.library.one(self.losses.core["mechanisms"][i]["noise"]["page"])

    def word(self, i: int, page: Any) -> str | None:
        """The word of a mechanism's noise, if the page knows it."""
        if i not in self.losses.moves:
            return None
        noise = self.losses.library.one(self.losses.core["mechanisms"][i]["noise"]["page"])
        return str(noise["noise"]) if noise["noise"] in page.get("noises", {}) else None

    def exactly(self, i: int, page: Any) -> None:
        """Refuses a noise of which it is not known what it loses at least."""
        if i not in self.losses.moves:
            return
        mechanism, library = self.losses.core["mechanisms"][i], self.losses.library
        word = self.word(i, page)
        law, query = library.one(mechanism["noise"]["page"]), mechanism["noise"]["query"]["page"]
        notion = "event" if query in law.get("events", {}) else "approximate"
        if word is None or not noises.attained(library, mechanism, self.losses.core, notion):
            raise NotRead("noise", "that reaches its guarantee nowhere, or goes by it")

    # -- what moves --------------------------------------------------------------------------------------

    def curve(self, vector: Vector, promises: list[Promise], page: Any, point: Point | None) -> list[Curve]:
        """The curves at a vector of the profile, one for each of the ways of its pieces."""
        key = (
            vector,
            tuple(promises),
            page["id"],
            bool(self.losses.moves) and point is None,
            tuple(sorted((point or {}).items())),
        )
        if key not in self.found:
            pieces = Pieces()
            for one in self.moving(vector, point or {}):
                # of a part of the mechanisms, the others say nothing
                for promise in promises:
                    if promise.mechanism == one.mechanism:
                        self.put(pieces, one, promise, page, point or {}, exact=point is not None)
            self.found[key] = [Curve(way) for way in pieces.each()]
        return self.found[key]

    def moving(self, vector: Vector, point: Point) -> list[Moving]:
        """Which members of which mechanisms move how far."""
        result: list[Moving] = []
        parts: dict[str, list[tuple[int, Vector]]] = {}
        at = 0
        for i, one in enumerate(self.losses.core["mechanisms"]):
            own = vector[at : at + len(one["reads"])]
            at += len(own)
            if "partition" in one:
                parts.setdefault(one["partition"], []).append((i, own))
            elif own[0]:
                members = range(1, self.count(i, point) + 1)
                alike = not self.own_letters(i)
                result += [Moving(i, own[0], None, len(members))] if alike else []
                result += [] if alike else [Moving(i, own[0], n, 1) for n in members]
        for families in parts.values():
            rows = sorted(zip(*(own for _, own in families), strict=True), reverse=True)
            rows = [row for row in rows if any(row)]
            for n, row in enumerate(rows, 1):
                result += [Moving(i, r, n, 1) for (i, _), r in zip(families, row, strict=True) if r]
        return result

    def own_letters(self, i: int) -> set[str]:
        """The letters of a mechanism that each member has for itself."""
        one = self.losses.core["mechanisms"][i]
        texts = [text for text in one["values"].values() if text != "oo"]
        texts += [one["noise"]["parameter"]] if "noise" in one else []
        return {name for text in texts for name in letters(self.losses.algebra.read(text)) if "[" in name}

    def count(self, i: int, point: Point) -> int:
        """How many members there are."""
        one = self.losses.core["mechanisms"][i]
        if "count" not in one:
            return 1
        low, high = self.value(self.losses.algebra.read(one["count"]), None, point)
        demand(low == high and Fraction(low).denominator == 1, "a number of members that is none")
        return int(low)

    def value(self, form: Form, member: int | None, point: Point) -> Interval:
        """The value of a formula for a member."""
        own = {f"{n.split('[')[0]}[i]": x for n, x in point.items() if n.endswith(f"[{member}]")}
        try:
            return self.losses.algebra.enclose(form, {**point, **own})
        except Rejected as error:
            raise NotRead("curve", "of letters without values") from error

    # -- pieces ------------------------------------------------------------------------------------------

    def put(
        self, pieces: Pieces, one: Moving, promise: Promise, page: Any, point: Point, exact: bool
    ) -> None:
        """Adds the pieces of members that move."""
        own = self.losses.stated(one.mechanism)
        if one.distance == INF or own is None:
            pieces.everything = True
            return
        if (told := self.losses.piece(one.mechanism, one.distance, page, exact)) is not None:
            table, values = told
            pieces.everything |= values is None
            forms = {key: self.losses.algebra.read(text, values) for key, text in table.items() if values}
            return self.add(pieces, one, forms, self.values(forms, one, point), number(1)) if values else None
        word = self.word(one.mechanism, page)
        mechanism = self.losses.core["mechanisms"][one.mechanism]
        if "orders" in mechanism:
            alpha = self.losses.algebra.read("alpha")
            rho = orders.slope_below(self.losses.algebra, mechanism)
            own = {"epsilon": self.losses.algebra.times(rho, alpha)}
        names: dict[str, Form] = {**own, "r": self.losses.distance(one.mechanism, one.distance)}
        if word:
            noise = self.losses.core["mechanisms"][one.mechanism]["noise"]
            names |= noises.letters_of(self.losses.algebra, self.losses.library.one(noise["page"]), noise)
        parts = {**page["parts"], **(page.get("lost", {}) if exact else {})}
        demand(bool(word) or promise.notion in parts, "a page that says nothing of a notion")
        table = page["noises"][word] if word else parts[promise.notion]
        if "keys" in table:
            forms = {key: self.losses.algebra.read(text, names) for key, text in table.items()}
            return self.keys(pieces, one, self.values(forms, one, point))
        for r in self.entries(one) if word and (exact or self.by_sums(one)) else [names["r"]]:
            forms = {key: self.losses.algebra.read(text, {**names, "r": r}) for key, text in table.items()}
            self.add(pieces, one, forms, self.values(forms, one, point), r)

    def values(self, forms: dict[str, Form], one: Moving, point: Point) -> dict[str, Interval]:
        """The values of the formulas of a piece."""
        values = {key: self.value(form, one.member, point) for key, form in forms.items()}
        demand(all(low >= 0 for low, _ in values.values()), "a piece below 0")
        return values

    def keys(self, pieces: Pieces, one: Moving, values: dict[str, Interval]) -> None:
        """Adds the ways of counts by keys, of which each record that comes or goes has new ones."""
        if pieces.ways or one.many > 1 or any(r != number(1) for r in self.entries(one)):
            raise NotRead("noise", "with a threshold, of several records or mechanisms")
        pieces.ways = list(
            keys.ways(values["square"], values["keys"], values["apart"], len(self.entries(one)))
        )

    def by_sums(self, one: Moving) -> bool:
        """Whether the entries of a noise's query move as far as its page says, also from above."""
        noise = self.losses.core["mechanisms"][one.mechanism]["noise"]
        return bool(self.losses.library.one(noise["page"])["norm"] == "L1")

    def entries(self, one: Moving) -> list[Form]:
        """How far the entries of a noise move, each for itself."""
        mechanism, moves = self.losses.core["mechanisms"][one.mechanism], self.losses.moves[one.mechanism]
        return noises.entries(self.losses.algebra, self.losses.library, mechanism, moves, int(one.distance))

    def add(
        self, pieces: Pieces, one: Moving, forms: dict[str, Form], values: dict[str, Interval], r: Form
    ) -> None:
        """Adds pieces with these values."""
        many = (Fraction(one.many), Fraction(one.many))
        if set(values) == {"epsilon", "delta"}:
            steps = rational(r)
            if steps is None or steps.denominator != 1:
                raise NotRead("curve", "of a distance that is no whole number of steps")
            key = tuple(
                value[0] if value[0] == value[1] else (forms[name], one.member)
                for name, value in sorted(values.items())
            )
            pieces.add((key, steps), values["epsilon"], values["delta"], int(steps), one.many)
        elif set(values) == {"ratio"}:
            pieces.ratios += [values["ratio"]] * one.many
        else:
            demand(set(values) <= {"square", "rho"} and bool(values), "pieces of another kind")
            zero = number_interval(0)
            pieces.square = enclosures.plus(pieces.square, enclosures.times(many, values.get("square", zero)))
            pieces.rho = enclosures.plus(pieces.rho, enclosures.times(many, values.get("rho", zero)))


def number_interval(n: int) -> Interval:
    """A number as an interval."""
    return Fraction(n), Fraction(n)


__all__ = ["Curves", "number"]
