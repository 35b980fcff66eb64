"""Families with a symbolic number of members against brute force, their parts written out here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import oracle
import sympy
from against_oracle import vectors_of
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from language.letters import evaluate
from oracle import INFINITY
from strategies_ordered import ANY_TWO, OF_MULTISETS, OF_TUPLES, Kind

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee


@dataclass(frozen=True)
class One:
    """A mechanism of a file: a family over a partition, a family that reads everything, or a single one.

    partition -- "P", "Q" or "" for everything; many -- the count, "" for a single mechanism;
    times, name -- its parameter: a multiple of a name, which ends in [i] where members have their own.
    """

    times: int
    name: str
    stated: str
    domain: str = "own"
    many: str = ""
    partition: str = ""

    def text(self, n: int) -> str:
        lines = ["[[mechanisms]]", f'name = "M{n}"']
        if self.many:
            lines += ['index = "i"', f'count = "{self.many}"']
        if self.partition:
            lines += [f'reads = {{ part = "i", of = "{self.partition}" }}']
        return "\n".join(
            [
                *lines,
                f'guarantee = {{ notion = "pure", epsilon = "{self.times}*{self.name}", '
                f'granularity = {said(self.stated)}, domain = "{self.domain}" }}',
                "",
            ]
        )


def said(name: str) -> str:
    """A granularity of the tests' names as a file says it."""
    counts, single = name.split()[:-1], name.split()[-1]
    text = f'"{single}"'
    for m in counts[0].split("*") if counts else []:
        text = f"{{ group = {m}, of = {text} }}"
    return text


@dataclass(frozen=True)
class Family:
    """A setting with families: what its file says, and the same written out for some numbers of members.

    ordered -- parts are sets of positions of tuples of any length; else record sets of an arbitrary universe.
    """

    target: str
    size: str
    ordered: bool
    mechanisms: tuple[One, ...]

    @property
    def text(self) -> str:
        """The file."""
        kind = "order-based" if self.ordered else "record-wise"
        head = [
            "format = 1",
            '[parameters]\nk = "integer >= 2"\nl = "integer >= 1"',
            f'[databases]\nkind = "{"tuples" if self.ordered else "multisets"}"\nsize = "{self.size}"',
            *(f'[partitions.{p}]\nkind = "{kind}"\nparts = "{n}"' for p, n in (("P", "k"), ("Q", "l"))),
            f"[target]\ngranularity = {said(self.target)}",
        ]
        return "\n".join([*head, *(one.text(n) for n, one in enumerate(self.mechanisms, start=1))])

    @property
    def kinds(self) -> dict[str, Kind]:
        return {**(OF_TUPLES if self.ordered else OF_MULTISETS), **ANY_TWO}

    def written_out(self, sizes: dict[str, int]) -> WrittenOut:
        """The setting member by member.

        For each choice of a part of each partition, or of none, there are two records; or as many
        positions as one neighbour changes, which is enough of them, where the choice is not none of all.
        """
        choices = list(product(*(range(sizes[n] + 1) for _, n in self.partitions)))
        copies = 2
        if self.ordered:
            choices, copies = [choice for choice in choices if any(choice)], self.kinds[self.target].most
        choices = choices or [()]
        held = {f"{at:02}{copy}": choice for at, choice in enumerate(choices) for copy in "abcd"[:copies]}
        members = []
        for n, one in enumerate(self.mechanisms):
            for i in range(1, sizes.get(one.many, 1) + 1):
                read = frozenset(held)
                if one.partition:
                    at = [p for p, _ in self.partitions].index(one.partition)
                    read = frozenset(unit for unit, choice in held.items() if choice[at] == i)
                members.append(Member(n, i, read, one))
        return WrittenOut(self, tuple(sorted(held)), tuple(members))

    @property
    def partitions(self) -> list[tuple[str, str]]:
        """The partitions, with the names of their numbers of parts."""
        return sorted({(one.partition, one.many) for one in self.mechanisms if one.partition})


@dataclass(frozen=True)
class Member:
    """Member i of mechanism n, or a single mechanism, and the records or positions that it reads."""

    n: int
    i: int
    read: frozenset[str]
    of: One

    def epsilon(self, point: dict[str, Fraction]) -> Fraction:
        return self.of.times * point[self.of.name.replace("[i]", f"[{self.i}]")]


@dataclass(frozen=True)
class WrittenOut:
    """A family member by member: records of multisets, or positions of tuples over x and y."""

    family: Family
    units: tuple[str, ...]
    members: tuple[Member, ...]

    @property
    def vectors(self) -> set[oracle.Vector]:
        """The distances of all members, at all of the target's neighbours."""
        kinds = self.family.kinds
        size = self.family.size.split()
        cut = int(size[-1]) if len(size) > 1 else kinds[self.family.target].most
        databases = _class(self.family.ordered, self.units, size[0], cut)
        distances = [self._distances(member, databases, size[0], cut) for member in self.members]
        return {
            tuple(distance[f[D], f[E]] for f, distance in distances)
            for D, E in _neighbours(kinds[self.family.target], databases)
        }

    def _distances(
        self, member: Member, databases: tuple[Any, ...], size: str, cut: int
    ) -> tuple[dict[Any, Any], oracle.Distances]:
        """What is read of each database, and how far apart what is read is."""
        kind = self.family.kinds[member.of.stated]
        if self.family.ordered:
            at = [n for n, unit in enumerate(self.units) if unit in member.read]
            f = {D: tuple(D[n] for n in at) for D in databases}
        else:
            f = {D: tuple(record for record in D if record in member.read) for D in databases}
        if member.of.domain == "own":
            whole = len(member.read) == len(self.units)
            read = tuple(sorted(member.read))
            return f, _own(kind, self.family.ordered, read, size if whole or size == "any" else "<=", cut)
        moved = {(f[D], f[E]) for D, E in _neighbours(kind, databases)}
        return f, oracle.canonical_distance(list(dict.fromkeys(f.values())), oracle.from_pairs(moved))

    def entries(self, vector: oracle.Vector) -> tuple[tuple[int, str], ...]:
        """A vector as profiles over families say it."""
        found = []
        for n, one in enumerate(self.family.mechanisms, start=1):
            some = [r for r, member in zip(vector, self.members, strict=True) if member.n == n - 1 and r]
            if not some:
                continue
            words = {r: "oo" if r == INFINITY else str(r) for r in some}
            if one.partition:
                times = sorted(Counter(some).items(), reverse=True)
                found.append((n, ", ".join(f"{many} by {words[r]}" for r, many in times)))
            else:
                found.append((n, f"all by {words[some[0]]}" if one.many else words[some[0]]))
        return tuple(found)


@cache
def _class(ordered: bool, units: tuple[str, ...], size: Any, cut: int) -> tuple[Any, ...]:
    if ordered:
        return tuple(product("xy", repeat=len(units)))
    return tuple(oracle.multisets(units, size, cut))


@cache
def _neighbours(kind: Kind, databases: tuple[Any, ...]) -> Sequence[oracle.Pair]:
    return oracle.neighbouring_pairs(databases, kind.on(databases))


@cache
def _own(kind: Kind, ordered: bool, read: tuple[str, ...], size: Any, cut: int) -> oracle.Distances:
    image = _class(ordered, read, size, cut)
    return oracle.canonical_distance(image, kind.on(image))


@st.composite
def families(draw: st.DrawFn) -> Family:
    """Families over one or two partitions, families that read everything, and single mechanisms."""
    ordered = draw(st.booleans())
    most = 3 if ordered else 2
    kinds = {**(OF_TUPLES if ordered else OF_MULTISETS), **ANY_TWO}
    names = [name for name, kind in kinds.items() if "changed" not in name and "*" not in name]
    targets = [name for name in names if kinds[name].most <= most and "free-lunch" not in name]
    target = draw(st.sampled_from(targets))
    size = "any" if ordered else draw(st.sampled_from(["any", "any", "<= 2", "= 2"]))
    stated = st.one_of(st.just(target), st.sampled_from(names))
    domain = st.sampled_from(["own", "common"])
    times = st.integers(1, 2)
    first = One(draw(times), "e[i]", draw(stated), draw(domain), "k", "P")
    more = [
        One(draw(times), draw(st.sampled_from(["e[i]", "f[i]", "x"])), draw(stated), draw(domain), "k", "P"),
        One(draw(times), "f[i]", draw(stated), draw(domain), "l", "Q"),
        One(draw(times), draw(st.sampled_from(["f[i]", "x"])), draw(stated), "own", "l"),
        One(draw(times), "x", draw(stated), "own"),
    ]
    if kinds[target].most > 1:
        del more[1]  # two partitions have too many parts for brute force
    mechanisms = draw(
        st.permutations([first, *draw(st.lists(st.sampled_from(more), max_size=2, unique=True))])
    )
    return Family(target, size, ordered, tuple(mechanisms))


def value(epsilon: sympy.Expr, point: dict[str, Fraction]) -> oracle.Number:
    if epsilon is sympy.oo:
        return INFINITY
    found = evaluate(epsilon, point)
    assert found is not None
    return found


def largest_loss(
    written: WrittenOut, vectors: set[oracle.Vector], point: dict[str, Fraction]
) -> oracle.Number:
    """The most that is lost at a vector."""
    return max(
        oracle.total(
            oracle.cost(member.epsilon(point), r, r == 0)
            for member, r in zip(written.members, vector, strict=True)
        )
        for vector in vectors
    )


def sizes_of(family: Family) -> list[dict[str, int]]:
    """Numbers of members that brute force can do."""
    many = family.kinds[family.target].most
    if len(family.partitions) > 1:
        return [{"k": 2, "l": 1}, {"k": 3, "l": 1}]
    most = {True: {1: 4, 2: 3, 3: 2}, False: {1: 4, 2: 4}}[family.ordered][many]
    return [{"k": k, "l": k - 1} for k in range(2, most + 1)]


def points_of(draw: Any, sizes: dict[str, int]) -> dict[str, Fraction]:
    """Values for all parameters."""
    positive = st.fractions(min_value=Fraction(1, 12), max_value=5, max_denominator=12)
    members = max(sizes.values())
    names = ["x", *(f"{name}[{i}]" for name in "ef" for i in range(1, members + 1))]
    return {**{name: Fraction(n) for name, n in sizes.items()}, **{name: draw(positive) for name in names}}


def many(examples: int) -> Any:
    """So many random examples for four normal runs."""
    return settings(max_examples=examples // 4, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def study_of(family: Family) -> Study | None:
    """The study of a family; None where dpcompose says that it is not supported."""
    study = Study(problems.read_text(family.text).setting)
    try:
        _ = study.bound
    except NoGuarantee as error:
        assert re.search("supported|no common factor|different numbers of parts", str(error)), error
        return None
    return study


@many(60)
@given(st.data())
def test_bounds_and_profiles_are_those_of_every_number(data: st.DataObject) -> None:
    family = data.draw(families())
    study = study_of(family)
    assume(study is not None)
    assert study is not None and study.bound.optimal
    for sizes in sizes_of(family):
        written = family.written_out(sizes)
        vectors = written.vectors
        assert study.bound.vacuous == (not vectors)
        for _ in range(2 if vectors else 0):
            point = points_of(data.draw, sizes)
            assert value(study.guarantee().epsilon, point) == largest_loss(written, vectors, point), sizes
        if all(sizes[n] >= study.setting.touched_parts for _, n in family.partitions):
            found = {written.entries(vector) for vector in oracle.pareto_maximal(dict.fromkeys(vectors, ()))}
            assert found == set(vectors_of(study))


@many(30)
@given(st.data())
def test_verdicts_are_those_of_every_number(data: st.DataObject) -> None:
    family = data.draw(families())
    study = study_of(family)
    assume(study is not None and not study.bound.vacuous)
    assert study is not None
    epsilon = study.guarantee().epsilon
    verdict = study.check(dpc.pure(epsilon))
    assert (verdict.verdict, verdict.loose) == ("proved", False)
    claims = ["100"] if epsilon is sympy.oo else [f"6/7*({formulas.to_text(epsilon)})"]
    for text in claims:
        claim = problems.read_text(f'{family.text}[[claims]]\nnotion = "pure"\nepsilon = "{text}"\n').claims[
            0
        ]
        verdict = study.check(claim)
        assert verdict.verdict == "refuted", verdict.reason
        found = verdict.counterexample
        assert found is not None
        actual = INFINITY if found.actual is None else found.actual
        assert value(claim.guarantee.values[0][1], dict(found.point)) == found.claimed < actual
        sizes = {name: int(found.point.get(name, 1)) for name in "kl"}
        if any(sizes[name] <= some[name] for some in sizes_of(family) for name in "k"):
            written = family.written_out(sizes)
            assert actual <= largest_loss(written, written.vectors, dict(found.point))
