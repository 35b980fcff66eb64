"""Whether mechanisms, and what they read, fit a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.nested import check_study
from dpcompose.privacy.settings.noisy import check_noise
from dpcompose.privacy.settings.sampled import check_sample
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.built_in import misfit
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from dpcompose.privacy.settings import Setting


DOMAIN_NEEDED = (
    'say on which domain its guarantee is stated: domain = "common" (it is private as a map on the whole '
    'class, and depends only on what it reads) or domain = "own" (it is private as a map on what it reads, '
    "for the neighbours there)"
)


def check_mechanism(setting: Setting, mechanism: Mechanism, study: Setting | None) -> None:
    """Raises InvalidSetting where a mechanism, or the study that it is, does not fit."""
    f, stated = mechanism.reads, mechanism.satisfies
    if stated.granularity is not None and (unfit := misfit(stated.granularity, setting.databases)):
        raise InvalidSetting(f"{mechanism.name}: {unfit}")
    if f.keeps_positions:
        _check_positions(setting, mechanism.name, f)
    if (why := f.unfit(setting.databases)) is not None:
        raise InvalidSetting(f"{mechanism.name} {why}")
    if f.recodes and stated.granularity is not None and stated.domain == "own":
        _check_recoded(setting, mechanism.name, f, stated.granularity)
    if f.restricts:
        if not setting.databases.restrictable:
            columns = '; attributes = ["age"] are read there' if setting.databases.of_attributes else ""
            raise InvalidSetting(
                f"{mechanism.name} reads records, but {setting.databases} have none{columns}"
            )
        if not setting.databases.arbitrary:
            for record in sorted(f.inside):
                if record not in setting.databases.records:
                    raise InvalidSetting(
                        f"{mechanism.name} reads the record {record!r}, which {setting.databases} do not have"
                    )
    if f.by_values and setting.databases.count() is None:
        raise InvalidSetting(
            f"{mechanism.name} reads {f.written('D')}, a map that must be tabulated, "
            f"but {setting.databases} are infinitely many; a finite class would do"
        )
    single = None if stated.granularity is None else stated.granularity.innermost()[0]
    if f.lists_neighbours and single is not None and len(single.either) > 1:
        raise InvalidSetting(
            f"{mechanism.name}: which images are {single} neighbours is not said where {f.called} lists "
            "them for single granularities; leave out image-neighbours, or list a granularity of your own"
        )
    for D in f.undefined(setting.databases):
        raise InvalidSetting(f"the map {f.called} has no value for the database {D!r}")
    check_sample(setting, mechanism)
    if mechanism.noise is not None:
        check_noise(setting, mechanism)
    elif study is not None:
        check_study(setting, mechanism, study)
    elif stated.domain is None and not f.is_everything:
        raise InvalidSetting(f"{mechanism.name}: {DOMAIN_NEEDED}")


def _check_recoded(setting: Setting, name: str, f: Map, granularity: Granularity) -> None:
    """On the own domain neighbours are those of what records become."""
    image = f.image(setting.databases)
    if image.described is None and (unfit := granularity.unfit(image)):
        raise InvalidSetting(f"{name} is about what records become, on its own domain: {unfit}")


def _check_positions(setting: Setting, name: str, f: Map) -> None:
    databases = setting.databases
    if not databases.identified:
        raise InvalidSetting(f"{name} reads positions, but {databases} have none")
    if not databases.sizes.exactly:
        raise InvalidSetting(
            f"{name} reads positions, which shorter {databases.kind} do not have: "
            'give all the same length, size = "= n"'
        )
    if f.positions and f.positions[-1] > (databases.sizes.fewest or 0):
        last, more = f.positions[-1], databases.sizes.letter
        why = "" if more is None else f': {more} = "integer >= {last}" would do'
        raise InvalidSetting(f"{name} reads position {last}, which {databases} do not have{why}")
