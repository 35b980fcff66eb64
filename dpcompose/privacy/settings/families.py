"""Whether families of mechanisms, and parts of partitions, fit a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.kernel.expressions import naming
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.symbols import family_of
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.placed import check_placed
from dpcompose.privacy.settings.touched import is_placed
from dpcompose.spaces.inputs.maps import Map

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.mechanisms.mechanism import Mechanism
    from dpcompose.privacy.settings import Setting


LARGEST_COUNT = 1_000_000
"""The most members of a family of a fixed number."""


def check_families(setting: Setting) -> None:
    """Parts of a partition need an arbitrary universe of multisets, and one mechanism a part."""
    if setting.families:
        _check_names(setting)
    check_placed(setting)
    for mechanism in setting.mechanisms:
        f, count = mechanism.reads, mechanism.members
        if count is not None and not _is_count(setting, count):
            raise InvalidSetting(
                f"{mechanism.name}: the number of mechanisms is a parameter of whole values, such as "
                f'"integer >= 2", or a whole number from 1 to {LARGEST_COUNT:,}; '
                f"{formulas.to_text(count)} is neither"
            )
        if f.dealt and f.parts:
            _check_deal(setting, mechanism)
        if not f.divided:
            continue
        _check_part(setting, mechanism.name, f)
        if str(count) != f.parts:
            raise InvalidSetting(
                f"{mechanism.name} reads the parts of {f.partition}, of which there are {f.parts}: "
                f'it must be a family of as many mechanisms (index = "i", count = "{f.parts}")'
            )


def _check_deal(setting: Setting, mechanism: Mechanism) -> None:
    """All inputs of a deal are read, by a family of as many, of two or more, each with one guarantee."""
    name, count, f = mechanism.name, mechanism.members, mechanism.reads
    if (why := f.unfit(setting.databases)) is not None:
        raise InvalidSetting(f"{name} {why}")
    if str(count) != f.parts:
        raise InvalidSetting(
            f"{name} reads what is dealt to {f.parts} inputs: it must be a family of as many mechanisms "
            f'(index = "i", count = "{f.parts}")'
        )
    assert count is not None
    least = count.number if count.kind != "letter" else setting.domains[f.parts].least
    if least is None or least < 2:
        raise InvalidSetting(
            f'{name}: records are dealt to two inputs or more: {f.parts} = "integer >= 2" would do'
        )
    stated, besides = mechanism.satisfies, (mechanism.noise, mechanism.table, mechanism.study)
    if stated.domain != "own" or stated.metric is not None or mechanism.also or besides != (None, None, None):
        raise InvalidSetting(
            f'{name} reads a random part, and has one guarantee among parts of any size: domain = "own", for '
            "neighbours, or in a number times one canonical metric, such as e[i]*d_bounded"
        )


def _check_names(setting: Setting) -> None:
    """A family e[i] and a parameter e, or a family M and a mechanism M[1], would be mixed up."""
    known = {*setting.domains, *setting.numbers}
    if "i" in known:
        raise InvalidSetting("the index of families is written i: call the parameter i something else")
    for name in sorted(known):
        if (family := family_of(name)) is not None and family in known:
            raise InvalidSetting(f"{family} is a parameter and also a family {name}; rename one of them")
        if naming.read(name).index is not None:
            raise InvalidSetting(f"{name} is one member of a family, and no parameter by itself")
    for mechanism in setting.mechanisms:
        for other in setting.mechanisms:
            called = naming.read(other.name)
            if mechanism.many and called.base == mechanism.name and called.index is not None:
                raise InvalidSetting(f"{other.name} is called like a member of the family {mechanism.name}")


def check_ranges(setting: Setting, formula: Term | sympy.Expr) -> None:
    """Raises InvalidSetting where a sum or maximum over a family runs to another number than its own."""
    for over in sorted(formulas.term(formula).every("over"), key=formulas.to_text):
        _, x, last = over.of
        for name in sorted(filter(family_of, x.letters)):
            counts = {
                str(m.members)
                for m in setting.mechanisms
                if m.members is not None and any(name in value.letters for value in m.terms)
            }
            if counts and str(last) not in counts:
                there = " or ".join(sorted(counts))
                raise InvalidSetting(f"{name} has the members 1 to {there}, not to {last}")


def _check_part(setting: Setting, name: str, f: Map) -> None:
    """The parts of a partition are of what the class has room for any number of."""
    databases = setting.databases
    if (why := f.unfit(databases)) is not None:
        raise InvalidSetting(f"{name} {why}")
    if databases.on_vertices:
        _check_each_vertex(setting, name)
        return
    for granularity in setting.granularities:
        if not is_placed(granularity, databases):
            raise InvalidSetting(
                f"{name} reads a part of {f.partition}, whose parts are not placed among the "
                f"{granularity} neighbours; parts written out would do"
            )


def _check_each_vertex(setting: Setting, name: str) -> None:
    """A mechanism for each of any number of vertices, and others that read everything."""
    for other in setting.mechanisms:
        if other.reads.reads_vertices:
            raise InvalidSetting(
                f"{other.name} reads named vertices, and {name} some that are not named: which of them "
                "are the same is not said, and not supported"
            )
    every = {m.reads.parts for m in setting.mechanisms if m.reads.divided}
    if len(every) > 1:
        raise InvalidSetting(
            f"families for {' and for '.join(sorted(every))} vertices: how many they share is not said"
        )
    _ = setting.touched_parts


def _is_count(setting: Setting, count: Term) -> bool:
    if count.kind == "letter":
        domain = setting.domains.get(str(count))
        return domain is not None and domain.integer and (domain.least or 0) >= 1
    n = count.number
    return n is not None and n.denominator == 1 and 1 <= n <= LARGEST_COUNT
