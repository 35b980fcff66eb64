"""Flattening: a composition of compositions as one composition of all their mechanisms.

What a nested composition is known to satisfy is its bound, and other mechanisms satisfy that too.  What is
composed there are its mechanisms, so refutations, and what no smaller guarantee can be, are about these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.canonical.graphs import graph_of_inputs
from dpcompose.spaces.classes.databases import DatabaseClass, TooLarge
from dpcompose.spaces.inputs.composed import composed
from dpcompose.spaces.inputs.maps import Map, table
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.relations import pairs


class NotFlat(InvalidSetting):
    """The mechanisms of a nested composition cannot be stated one by one in what it is part of."""


def flattened(setting: Setting) -> Setting:
    """The same composition, with the mechanisms of the compositions among them in their place.

    Every choice of mechanisms that fits the one fits the other; where one composition is adaptive, all
    mechanisms may be.  What is done to the outputs of a composition is left out.  Raises NotFlat with the
    reason where a guarantee cannot be stated on the class of the outermost composition.

    >>> import dpcompose as dpc
    >>> M1, M2 = (dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", dpc.unbounded)) for i in (1, 2))
    >>> ward = dpc.compose(M1, M2, on=dpc.multisets({"a"}), target=dpc.unbounded)
    >>> f = dpc.restriction(["a"])
    >>> study = dpc.compose(
    ...     dpc.mechanism("ward", study=ward, reads=f), on=dpc.multisets({"a", "b"}), target=dpc.unbounded
    ... )
    >>> for mechanism in flattened(study.setting).mechanisms:
    ...     print(mechanism)
    ward.M1 reads D|{a} and is unbounded pure (e1) on the own domain
    ward.M2 reads D|{a} and is unbounded pure (e2) on the own domain
    """
    if not setting.studies:
        return setting
    if "flattened" not in vars(setting):  # once: studies in others are asked for by each of these
        vars(setting)["flattened"] = _flattened(setting)
    flat = vars(setting)["flattened"]
    assert isinstance(flat, Setting)
    return flat


def _flattened(setting: Setting) -> Setting:
    try:
        studies = {name: flattened(study) for name, study in setting.studies.items()}
        domains = dict(setting.domains)
        for study in studies.values():
            domains |= {name: study.domains[name] for name in study.used}
        return replace(
            setting,
            mechanisms=tuple(
                member
                for mechanism in setting.mechanisms
                for member in _members(setting.databases, mechanism, studies.get(mechanism.name))
            ),
            domains=MappingProxyType(domains),
            doubts=(*setting.doubts, *(doubt for study in studies.values() for doubt in study.doubts)),
            adaptive=setting.adaptive or any(study.adaptive for study in studies.values()),
        ).in_one_notion([mechanism.satisfies.notion for mechanism in setting.mechanisms])
    except (InvalidSetting, TooLarge) as error:
        raise NotFlat(str(error)) from None


def _members(databases: DatabaseClass, mechanism: Mechanism, study: Setting | None) -> Iterator[Mechanism]:
    """The mechanisms of a composition that reads f, as they are on the class of what it is part of."""
    f = mechanism.reads
    for part in [mechanism] if study is None else study.mechanisms:
        if study is None:
            yield part
            continue
        if part.sampled is not None and not f.is_everything:
            raise NotFlat(f"{part.name} is run on a sample of what its study reads")
        name = f"{mechanism.name}.{part.name}"
        members = part.members if mechanism.members is None else mechanism.members
        if f.is_everything:
            yield replace(part, name=name, members=members)
        elif part.table is not None:
            raise NotFlat(f"{name} has a table, which is about the databases of its study")
        else:
            (reads, satisfies), *more = (_read(databases, f, study.databases, m, name) for m in part.alone)
            if any(read != reads for read, _ in more):
                raise NotFlat(f"{name} has guarantees for several neighbours of what its study reads")
            also = tuple(other for _, other in more)
            yield replace(part, name=name, members=members, reads=reads, satisfies=satisfies, also=also)


def _read(
    databases: DatabaseClass, f: Map, inner: DatabaseClass, mechanism: Mechanism, name: str
) -> tuple[Map, Guarantee]:
    """The map g∘f that a mechanism of a nested composition reads, and its guarantee for neighbours there."""
    g, stated = mechanism.reads, mechanism.satisfies
    if stated.metric is not None:
        raise NotFlat(f"{name} is private in a metric, of what its study reads")
    everywhere = g.is_identity(inner)
    if f.divided:
        return f, stated if stated.granularity is None else replace(stated, domain="own")
    reads = f if everywhere else composed(g, f)
    if stated.granularity is None:  # noise is about how far the value moves, wherever that is
        return reads, stated
    own = everywhere or stated.domain == "own"
    if inner.queried and _is_same(databases, f, inner, g, stated.granularity, own):
        return reads, replace(stated, domain="own" if own else "common")
    if inner.count() is None or databases.count() is None:
        raise NotFlat(
            f"{name} is {stated} on the {'own' if own else 'common'} domain of {inner}, "
            f"which is not the same on {databases}"
        )
    edges = graph_of_inputs(inner, stated.granularity, g, own).edges
    listed = pairs(f"inputs of {name}", ())  # which inputs are neighbours is listed with the map
    values = {D: g(f(D)) for D in databases.databases()}
    return table(name, values, {listed.name: edges}), replace(stated, granularity=listed, domain="own")


def _is_same(
    databases: DatabaseClass, f: Map, inner: DatabaseClass, g: Map, stated: Granularity, own: bool
) -> bool:
    """Whether a guarantee on what g reads of a class of images is the same as one on what g∘f reads.

    On the own domain both are about the class of images; where positions are told apart, by relations that
    count only how much databases differ.  On the common domain both push neighbours forward: by counted
    edits these are the same relation where the same edits of images come from them.
    """
    if not (f.restricts or f.keeps_positions) or not (g.is_everything or g.restricts or g.keeps_positions):
        return False
    whole = composed(g, f)
    if whole.image(databases).renumbered() != g.image(inner).renumbered():
        return False
    if own or inner.identified:
        counted = stated.by_counts(databases) and stated.by_counts(inner)
        about_images = own or not (stated.any_two(databases) or whole.is_identity(databases))
        return about_images and (counted or not inner.identified)
    edits, there = stated.edits(databases), stated.edits(inner)
    return (
        edits is not None
        and there is not None
        and edits.single is not None
        and not whole.is_identity(databases)
        and edits.of_images(databases, whole) == there.of_images(inner, g)
    )
