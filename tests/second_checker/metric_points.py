"""What is lost at any two databases, and at those of a point (certificates.md, Any two databases)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from second_checker import in_metrics, normals, tables
from second_checker.conclusions import Bound, Shown
from second_checker.distances import Far
from second_checker.everywhere import Everywhere
from second_checker.forms import Form, add
from second_checker.in_metrics import There
from second_checker.losses import Promise
from second_checker.metric_axioms import Axioms
from second_checker.metric_chains import ChainSteps
from second_checker.metric_places import places
from second_checker.metric_steps import Cases, Named
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.pages import Library


@dataclass
class Reached:
    """What witnesses lose of a parameter in the distances: sums of these, of which None grows beyond all numbers."""

    notion: str
    key: str
    values: list[Form | None]
    moved: list[Form]
    events: bool
    of: frozenset[str]
    tables: list[Any] = field(default_factory=list)

    def of_tables(self, there: There) -> list[list[Form]]:
        """What tables lose in each order of the two databases; none where they lose everything in one."""
        if not self.tables:
            return [[]]
        x, y = there.case.listed[""]
        found = []
        for a, b in ((x, y), (y, x)):
            own = [
                tables.ratio(there.algebra, tables.rows(there.algebra, one, None), a, b)
                for one in self.tables
            ]
            if None in own:
                return []
            found.append([one for one in own if one is not None])
        return found


class AtPoints(ChainSteps):
    """The steps about witnesses, and about two databases at a point."""

    # -- what is lost ------------------------------------------------------------------------------------

    def attain(self, step: Any, before: list[Any]) -> Any:
        """What witnesses lose, in distances that are metrics."""
        known = [x.name for x in before if isinstance(x, Named) and x.what == "metric"]
        covered, *promises = [x for x in before if not isinstance(x, Named)]
        demand(isinstance(covered, Cases) and all(isinstance(p, Promise) for p in promises), "other steps")
        demand(
            [p.mechanism for p in promises] == list(range(self.count)), "not each mechanism once, in order"
        )
        demand(all(not p.pages for p in promises), "witnesses of converted guarantees")
        by = step["by"]
        demand(
            by == sorted(set(by)) and all(type(i) is int and 1 <= i <= self.count for i in by), "witnesses"
        )
        demand(
            all(type(n) is int and n > 0 for n in step["neighbours"]) and bool(step["neighbours"]), "no case"
        )
        for one in self.core["mechanisms"]:
            for x in in_metrics.in_distances(one, self.core, self.library).values():
                if self.algebra.sign(x) < 1:
                    raise NotRead("attained", "of what may be below 0")
        return self.lost_by(step["notion"], [i - 1 for i in by], known, covered)

    def lost_by(self, notion: str, by: list[int], known: list[str], covered: Cases) -> Reached:
        """What some mechanisms lose together."""
        table = self.library.of("witness", notion=notion)
        key, events = table["shows"], table["by"] == "event"
        values: list[Form | None] = []
        moved: list[Form] = []
        told = [self.core["mechanisms"][i] for i in by if "table" in self.core["mechanisms"][i]]
        demand(not told or table["by"] == "ratio", "a table in another notion")
        for i in by:
            one = self.core["mechanisms"][i]
            if one in told:
                continue
            value = self.of_one(one, notion, key, known, events)
            if value is None:
                moved.append(self.algebra.read(one["metric"]["formula"]))
                values.append(None)
            else:
                values.append(self.of_all(value, i, square=False) if not events else value)
                if events and "count" in one:
                    raise NotRead("attained", "events of families")
        if len(by) < self.count:
            self.library.of("processing", of="parts")
        return Reached(notion, key, values, moved, events, covered.of, told)

    def of_one(self, one: Any, notion: str, key: str, known: list[str], events: bool) -> Form | None:
        """What a mechanism loses, as what is added up; None where it is more than any number once it moves."""
        own = in_metrics.in_distances(one, self.core, self.library)
        r = self.algebra.read(one["metric"]["formula"])
        if "noise" in one:
            page = self.library.one(one["noise"]["page"])
            demand(page.get("attained", True), "a noise that loses less")
            if notion not in page["guarantee"] or notion in page.get("moved", {}):
                raise NotRead("attained", "noise in another notion")
            if "oo" in page["guarantee"][notion].values():
                return None
            own = in_metrics.in_distances(one, self.core, self.library, notion)
        elif one["notion"] == notion:
            shown = add(r, own["delta"]) if events else r
            if not Axioms(self.algebra, self.core, known).is_a_metric(shown):
                raise NotRead("attained", "of what is not seen to be a metric")
        else:
            if not Axioms(self.algebra, self.core, known).is_a_metric(r):
                raise NotRead("attained", "of what is not seen to be a metric")
            table = self.library.of("violation", of=one["notion"], notion=notion)
            text = table["in-a-metric"]
            return None if text == "oo" else self.algebra.read(text, own)
        square = key in self.squared(notion)
        return self.algebra.times(own[key], own[key]) if square else own[key]

    # -- at points ---------------------------------------------------------------------------------------

    def placed(self, point: Any) -> Iterator[tuple[There, dict[str, Fraction]]]:
        """The cases that the databases at a point may fall into, with their letters."""
        demand(all(isinstance(x, str) for x in point.values()), "a point whose values are no texts")
        values = {name: Fraction(x) for name, x in point.items()}
        plain = {
            name
            for name in values
            if name.partition("[")[0] + ("[i]" if "[" in name else "") in self.core["parameters"]
        }
        self.point({name: point[name] for name in plain})
        needed = {name for name in self.core["parameters"] if "[" not in name}
        demand(needed <= plain, "a letter without a value")
        for there in self.found:
            for whole in places(there, self.core, values):
                yield there, whole

    def refute(self, step: Any, before: list[Any]) -> Shown:
        """That more is lost at two databases than a claim says."""
        (reached,) = self.one(before, Reached)
        claim = step["claim"]
        values = self.implied(claim, step.get("through", []), reached.notion)
        self.spoken_of(values, Cases(reached.of))
        squared = reached.key in self.squared(reached.notion)
        unread: list[NotRead] = []
        for there, point in self.placed(step["point"]):
            try:
                here = {key: None if x is None else self.at(x, there) for key, x in values.items()}
                if None not in here.values() and self.is_above(reached, here, squared, there, point):
                    return Shown("refuted", claim)
            except NotRead as error:
                unread.append(error)
        if unread:
            raise unread[0]
        raise Rejected("what is lost at the point is not above the claim")

    def is_above(
        self, reached: Reached, claim: dict[str, Far], squared: bool, there: There, point: Any
    ) -> bool:
        """Whether what is lost is above a claim at a point."""
        limits = self.losses.rule(reached.notion).get("limits", {})
        for key, value in claim.items():
            if (
                value is not None
                and key in limits
                and there.algebra.enclose(value, point)[1] >= Fraction(limits[key])
            ):
                return False
        value = claim[reached.key]
        assert value is not None
        low, high = there.algebra.enclose(value, point)
        high = max(low * low, high * high) if squared and high >= 0 else high
        far = [None if x is None else self.at(x, there) for x in reached.values]
        for x, moved in zip([v for v in reached.values if v is None], reached.moved, strict=True):
            distance = self.at(moved, there)
            if x is None and (distance is None or there.algebra.enclose(distance, point)[0] > 0):
                return True
        finite = [y for x, y in zip(reached.values, far, strict=True) if x is not None]
        if None in finite:
            return True
        lows = [there.algebra.enclose(y, point)[0] for y in finite if y is not None]
        if reached.events:
            rest = Fraction(1)
            for x in lows:
                if x > 1:
                    return False
                rest *= 1 - Fraction(max(x, Fraction(0)))
            return 1 - rest > high
        more = reached.of_tables(there)
        ends = [sum((there.algebra.enclose(x, point)[0] for x in own), Fraction(0)) for own in more]
        return not ends or sum(lows, Fraction(0)) + max(ends) > high

    def least_everywhere(self, step: Any, before: list[Any]) -> Shown:
        """That a guarantee is attained at any two databases."""
        bound, _, *lower = before
        self.one(before, Bound, Cases, *[Reached] * len(lower))
        demand(
            bool(lower) and list(bound.values) == [step["key"]], "several parameters, or nothing that is lost"
        )
        known = bound.values[step["key"]]
        demand(known is not None, "no bound is not attained")
        assert known is not None
        for there in self.found:
            wanted = self.at(known, there)
            if not any(self.is_reached(x, bound, wanted, there) for x in lower):
                demand(False, "what is lost in a case does not reach the guarantee")
        return Shown("optimal", bound.claim, bound)

    def is_reached(self, reached: Reached, bound: Bound, wanted: Far, there: There) -> bool:
        """Whether what is lost in a case is at least a value."""
        if (
            reached.notion != bound.notion
            or reached.key not in bound.values
            or None in reached.values
            or reached.events
        ):
            return False
        far = [None if x is None else self.at(x, there) for x in reached.values]
        if None in far:
            return True
        if wanted is None:
            return False
        more = reached.of_tables(there)
        if not more:
            return True
        total = add(*(x for x in far if x is not None), there.algebra.top(1, [add(*own) for own in more]))
        return Everywhere(there.algebra, there.case.facts).is_at_least(total, wanted)

    def larger(self, step: Any, before: list[Any]) -> Shown:
        """That a claim is larger than a guarantee at two databases."""
        bound, covered = self.one(before, Bound, Cases)
        claim, key = step["claim"], step["key"]
        demand(claim["notion"] == bound.notion and list(bound.values) == [key], "a claim of another notion")
        values = self.claimed(claim, bound.values, bound.squared)
        self.spoken_of(values, covered)
        known, value = bound.values[key], values[key]
        demand(type(step["neighbours"]) is int and step["neighbours"] > 0, "no case")
        for there, point in self.placed(step["point"]):
            one = None if value is None else self.at(value, there)
            other = None if known is None else self.at(known, there)
            if other is None:
                continue
            if one is None or there.algebra.enclose(one, point)[0] > there.algebra.enclose(other, point)[1]:
                return Shown("loose", claim)
        raise Rejected("the claim is not above the guarantee at the point")

    def exceed(self, step: Any, before: list[Any]) -> Shown:
        """That normal noise has a δ above that of a claim at two databases."""
        covered, *promises = before
        self.one(before, Cases, *[Promise] * len(promises))
        demand(
            [p.mechanism for p in promises] == list(range(self.count)), "not each mechanism once, in order"
        )
        by, claim = [i - 1 for i in step.get("by", range(1, self.count + 1))], step["claim"]
        if "implied" in step or claim["notion"] != "approximate" or any(p.pages for p in promises):
            raise NotRead("curve", "of another notion")
        self.library.of("computed", notion="approximate")
        values = self.claimed(claim, ["epsilon", "delta"])
        self.spoken_of(values, covered)
        reached = self.lost_by("gaussian", by, [], covered) if self.all_normal(by) else None
        if reached is None:
            raise NotRead("curve", "of other mechanisms")
        for there, point in self.placed(step["point"]):
            squares = [self.at(x, there) for x in reached.values if x is not None]
            one, other = (None if x is None else self.at(x, there) for x in values.values())
            if one is None or other is None or None in squares:
                continue
            total = there.algebra.enclose(add(*(x for x in squares if x is not None)), point)
            if (
                normals.normal(total, there.algebra.enclose(one, point))[0]
                > there.algebra.enclose(other, point)[1]
            ):
                return Shown("refuted", claim)
        raise Rejected("what is lost at the point is not above the claim")

    def all_normal(self, by: list[int]) -> bool:
        """Whether mechanisms have guarantees of Gaussian privacy, by noise or as they are stated."""
        return all(self.core["mechanisms"][i]["notion"] == "gaussian" for i in by)


def replayed(derivation: Any, core: Any, library: Library, found: list[There]) -> AtPoints:
    """All steps of a derivation in distances."""
    text = json.dumps(core, sort_keys=True, separators=(",", ":"))
    demand(hashlib.sha256(text.encode()).hexdigest() == derivation["setting"], "the setting is another one")
    demand(set(derivation) == {"setting", "pages", "steps"}, "a derivation with other entries")
    return AtPoints(core, library, found)


__all__ = ["AtPoints", "replayed"]
