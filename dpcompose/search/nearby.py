"""Settings near a given one, in which a refuted claim may hold: what would make it true.

Each change is one that people mix up: the neighbours, whether records carry identifiers, and
where a guarantee is stated.  A change is named only where the claim is proved after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice
from math import comb

from dpcompose.kernel import computed
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.library.theory import Theory
from dpcompose.language.answers import NoAnswer
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.search.proofs import Proofs, Proved
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.classes.tuples import Tuples
from dpcompose.spaces.inputs.restrictions import Positions
from dpcompose.spaces.moves.built_in import BUILT_IN
from dpcompose.spaces.moves.granularities import Granularity

MOST_MECHANISMS = 20
"""Up to how many mechanisms nearby settings are looked at."""
MOST_PAIRS = 5_000
"""Up to how many pairs of neighbours a nearby setting has: a hint takes less time than the verdict."""


def settings_nearby(setting: Setting, theory: Theory) -> Iterator[tuple[str, Proofs]]:
    """The nearby settings, each with the change in words and what is proved of it."""
    if len(setting.mechanisms) > MOST_MECHANISMS:
        return
    for words, changed in _changed(setting):
        yield words, Proofs(changed, theory)
    for words, by in _in_another_norm(setting, theory):
        yield words, Proofs(setting, by)


def where_it_holds(
    claim: Mapping[str, str], nearby: Sequence[tuple[str, Proofs]], point: Mapping[str, Fraction]
) -> Iterator[tuple[str, Proved]]:
    """The changes after which a claim is proved of neighbours that there are, with what shows it.

    point -- where the claim is refuted: after most changes it fails at the same values.
    """
    for words, proofs in nearby:
        try:
            types = proofs.shop.types
            if not types.types or types.gone_through > MOST_PAIRS:
                continue
            proved = None if _is_less(claim, proofs, point) else proofs.proof(claim)
        except (InvalidSetting, NoAnswer):
            continue
        if proved is not None:
            yield words, proved


def _is_less(claim: Mapping[str, str], proofs: Proofs, point: Mapping[str, Fraction]) -> bool:
    """Whether a claim of one parameter is seen to be less than an optimal guarantee at a point."""
    with suppress(NoAnswer, ValueError):
        best = proofs.guarantee(claim["notion"]).main
        if best.optimal is not None and len(best.says.values) == 1:
            ((key, value),) = best.says.values
            claimed = formulas.parse(claim[key], proofs.elaborated.core.symbols)
            return computed.is_more(value, claimed, point)
    return False


def _changed(setting: Setting) -> Iterator[tuple[str, Setting]]:
    """Changes in words, with the setting after them; those that change nothing are left out."""
    for other in BUILT_IN.values():
        counted = other.by_counts(setting.databases) and not other.any_two(setting.databases)
        if other != setting.target and counted:
            words = f"for {other.words} neighbours{_also_stated(setting)}"
            yield from _made(words, setting, _with_neighbours(other))
    yield from _made("for records with identifiers, of which each mechanism reads some", setting, _identified)
    yield from _made("with guarantees on the common domain", setting, _on_common_domain)
    yield from _made(
        f"with guarantees for {setting.target.words} neighbours", setting, _stated_for_the_target
    )


def _in_another_norm(setting: Setting, theory: Theory) -> Iterator[tuple[str, Theory]]:
    """A theory in which a noise is private in the Euclidean norm, as normal noise is: a common mistake."""
    used = {m.noise.word for m in setting.mechanisms if m.noise is not None}
    for page in theory.of_kind("noise"):
        if page.head.noise in used and page.head.norm == "L1":
            yield (
                f"if {page.head.noise} noise were calibrated to the L2 norm, as normal noise is; "
                "it is to the L1 norm, the sum of the changes",
                _calibrated(theory, page.id),
            )


@lru_cache(maxsize=16)
def _calibrated(theory: Theory, id: str) -> Theory:
    """The theory in which the noise of a page is private in the Euclidean norm."""
    page = theory.page(id, "noise")
    return Theory({**theory.pages, id: replace(page, head=replace(page.head, norm="L2"))})


def _made(
    words: str, setting: Setting, change: Callable[[Setting], Setting | None]
) -> Iterator[tuple[str, Setting]]:
    try:
        changed = change(setting)
    except InvalidSetting:
        return
    if changed is not None and changed != setting:
        yield words, changed


def _also_stated(setting: Setting) -> str:
    """In words which guarantees change with the target, as they are stated for its neighbours."""
    changed = [m.satisfies.granularity == setting.target for m in setting.mechanisms]
    if not any(changed):
        return ""
    return ", also in the guarantees" + ("" if all(changed) else " that are for the target")


def _with_neighbours(other: Granularity) -> Callable[[Setting], Setting]:
    """Other target neighbours, also in the guarantees that were stated for the target."""

    def change(setting: Setting) -> Setting:
        mechanisms = tuple(
            replace(m, satisfies=m.satisfies.about(other)) if m.satisfies.granularity == setting.target else m
            for m in setting.mechanisms
        )
        return replace(setting, target=other, mechanisms=mechanisms)

    return change


def _stated_for_the_target(setting: Setting) -> Setting:
    mechanisms = tuple(
        m if m.satisfies.granularity is None else replace(m, satisfies=m.satisfies.about(setting.target))
        for m in setting.mechanisms
    )
    return replace(setting, mechanisms=mechanisms)


def _on_common_domain(setting: Setting) -> Setting:
    mechanisms = tuple(
        replace(m, satisfies=replace(m.satisfies, domain="common"))
        if m.satisfies.domain is not None and m.satisfies.metric is None
        else m
        for m in setting.mechanisms
    )
    return replace(setting, mechanisms=mechanisms)


def _identified(setting: Setting) -> Setting | None:
    """Tuples in place of multisets: each set of records that is read becomes a set of positions, which
    meet where the record sets do.

    As many positions stand for each record of one kind as neighbours may change: what holds for these holds
    for all larger sets.  Where neighbours change any number, no finite set of positions stands for all.
    """
    databases, edits = setting.databases, setting.target.edits(setting.databases)
    if not databases.twice or edits is None or edits.single is None or setting.target.times is not None:
        return None
    reads = [m.reads for m in setting.mechanisms]
    if not any(f.restricts or f.divided for f in reads):
        return None
    if any(f.divided for f in reads):
        tuples = Tuples((), arbitrary=True)
        maps = [f.dividing(Tuples.kind) if f.divided else f for f in reads]
    else:
        sets = [f.inside for f in reads if f.restricts]
        inside = dict.fromkeys(
            tuple(record in A for A in sets) for record in (*databases.records, *databases.spare)
        )
        if comb(len(inside) + edits.most - 1, edits.most) > MOST_PAIRS:
            return None
        numbers = count(1)
        kinds = {kind: list(islice(numbers, max(2, edits.most))) for kind in inside}
        tuples = Tuples((), Size(next(numbers) - 1, exactly=True), arbitrary=True)
        read = iter(range(len(sets)))
        maps = [_positions(kinds, next(read)) if f.restricts else f for f in reads]
    if not all(f.keeps_positions or f.is_everything or f.divided for f in maps):
        return None
    mechanisms = tuple(replace(m, reads=f) for m, f in zip(setting.mechanisms, maps, strict=True))
    return replace(setting, databases=tuples, mechanisms=mechanisms)


def _positions(kinds: dict[tuple[bool, ...], list[int]], n: int) -> Positions:
    """The positions of the records that the n-th record set holds."""
    return Positions(tuple(at for inside, kind in kinds.items() if inside[n] for at in kind))
