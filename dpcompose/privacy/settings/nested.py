"""Whether compositions among the mechanisms fit a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.noisy import check_attributes
from dpcompose.spaces.canonical.graphs import graph_of_inputs, neighbourhood_graph
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.groups import LARGEST_GROUP

if TYPE_CHECKING:
    from dpcompose.privacy.settings import Setting


def check_study(setting: Setting, mechanism: Mechanism, study: Setting) -> None:
    """A composition is one on what it reads, for the neighbours that its guarantee is stated for."""
    name, f, stated = mechanism.name, mechanism.reads, mechanism.satisfies.about_granularity
    if mechanism.satisfies.domain == "common" or (mechanism.satisfies.domain is None and not f.is_everything):
        raise InvalidSetting(
            f"{name} is a study, whose guarantee is about its own databases: its domain is own"
        )
    if mechanism.members is not None and study.families:
        raise InvalidSetting(
            f"{name} is a family of studies that hold families themselves, which is not supported; "
            "write one of them out"
        )
    if f.divided and not _reads_all(study):
        raise InvalidSetting(
            f"{name} is a study on a part of a partition, in which not every mechanism reads everything: "
            "which records a part holds is not said"
        )
    counted = study.target.by_counts(study.databases)
    image = _compared(_read_class(setting.databases, f, name), counted)
    listed = image.is_listed
    if _compared(study.databases, counted) != image and not (
        listed and set(study.databases.databases()) == set(image.databases())
    ):
        raise InvalidSetting(
            f"{name} is a study on {study.databases}, but it reads {f.written('D')}: {image}; "
            "a study is about the databases that are read"
        )
    if listed and not _relates_values_alike(setting, f, stated, study):
        raise InvalidSetting(
            f"{name} is a study for {study.target} neighbours among the values of {f.written('D')}, "
            "and the map does not list these: image_neighbours, by the granularity's name, would do"
        )
    if not listed and stated != study.target:
        raise InvalidSetting(
            f"{name} is a study for {study.target} neighbours, and its guarantee is stated for others "
            f"({stated})"
        )
    for letter in sorted(study.used):
        if setting.domains.get(letter) != study.domains[letter]:
            known = f"is {setting.domains[letter]}" if letter in setting.domains else "is no parameter"
            raise InvalidSetting(
                f"{letter} is {study.domains[letter]} in the study of {name}, and {known} outside of it; "
                "one name is one parameter"
            )
    if study.attributes:
        check_attributes(setting, name)


def _relates_values_alike(setting: Setting, f: Map, stated: Granularity, study: Setting) -> bool:
    """Whether values of f are neighbours where they are databases of a study that are."""
    if not f.is_identity(setting.databases) and f.neighbours_for(stated.innermost()[0].name) is None:
        return False
    if stated.times != study.target.times:
        return False
    own = graph_of_inputs(setting.databases, stated.single_step, f, own=True)
    return _edges(own) == _edges(neighbourhood_graph(study.databases, study.target.single_step))


def _read_class(databases: DatabaseClass, f: Map, name: str) -> DatabaseClass:
    """The class of what is read; of a part of a partition, that of any part."""
    if not f.divided:
        return f.image(databases)
    if not databases.twice:
        raise InvalidSetting(
            f"{name} is a study on a part of {databases}, which is not supported; "
            "parts of multisets are, and positions written out"
        )
    return databases


def _compared(databases: DatabaseClass, counted: bool) -> DatabaseClass:
    """A class as it is compared: an arbitrary universe without the records that mechanisms happen to name;
    positions by their order where it only counts how much databases differ; letters with one value."""
    databases = databases.with_room(LARGEST_GROUP)
    if databases.twice and databases.arbitrary:
        return databases.over(())
    return databases.renumbered() if counted else databases


def _reads_all(setting: Setting) -> bool:
    """Whether every mechanism reads everything, also those of compositions among them."""
    return all(m.reads.is_everything for m in setting.mechanisms) and all(
        map(_reads_all, setting.studies.values())
    )


def _edges(graph: Any) -> set[frozenset[Any]]:
    return {frozenset(edge) for edge in graph.edges}
