"""Settings: mechanisms composed over one class, for one target granularity, as stated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.core.assumptions import NOTHING, Assumed, holds_at
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import Domain, symbol
from dpcompose.privacy.mechanisms.mechanism import Composition, Mechanism
from dpcompose.privacy.settings import touched
from dpcompose.privacy.settings.families import check_families, check_ranges
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.names import check_names, one_meaning
from dpcompose.privacy.settings.on_tables import on_table, worst
from dpcompose.privacy.settings.orders import at_orders, spoken_of, with_order
from dpcompose.privacy.settings.reads import check_mechanism
from dpcompose.privacy.settings.sampled import told_for
from dpcompose.spaces.canonical.named import NamedMetric, Within
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.moves.built_in import all_pairs, misfit
from dpcompose.spaces.moves.contradictions import contradiction
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.groups import Group
from dpcompose.spaces.moves.reaches import moves
from dpcompose.spaces.moves.relations import pairs

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.finite.findings import Finding


@frozen(repr=False)
class Setting(Composition, Shown):
    """M = (M_1∘f_1, …, M_k∘f_k) over a class 𝔻, for the neighbours of the target.

    adaptive -- False: the mechanisms are independent.  True: M_i may read the outputs of M_1, …, M_{i−1};
    then its guarantee, and what it depends on, hold for every value of these, and f_i does not
    depend on them (GB Def. V.1).

    domains -- the values that each parameter may take, by name;
    numbers -- parameters of a problem file that stand for numbers, with their texts;
    doubts -- why parameters of guarantees may have no real value for some allowed ones;
    assume -- relations between parameters, which hold for all values that are meant;
    target -- neighbours, or `all_pairs`: then guarantees, and claims, are formulas in `metrics`, each made of
    ones before it; near -- within which distance pairs are that claims without a metric are about;
    data -- of a problem file what is written back as it stands;
    orders -- of which α divergences are spoken: those of which all guarantees say something, or others;
    beside -- where one guarantee of each mechanism is chosen, the others, in words;
    copies -- of parts written out, of which it is not said where records lie, for each record with a name its
    copies, one for each way to lie, with another one that lies so, if in some part; None where all is said;
    further -- which records there are besides these copies, in any number, see the kernel's classes.
    """

    databases: DatabaseClass
    target: Granularity
    mechanisms: tuple[Mechanism, ...]
    domains: Mapping[str, Domain]
    title: str = ""
    numbers: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    adaptive: bool = False
    assume: Assumed = NOTHING
    beside: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    orders: Orders | None = None
    metrics: Mapping[str, NamedMetric] = field(default_factory=dict)
    near: Within | None = None
    copies: Mapping[str, Mapping[str, str | None]] | None = None
    further: str = ""

    def __post_init__(self) -> None:
        if not self.mechanisms:
            raise InvalidSetting("a composition needs at least one mechanism")
        if self.at_all_pairs:
            self._check_sizes()
            return
        if (spoken := self.orders or spoken_of(self.mechanisms)) is not None:
            object.__setattr__(self, "orders", spoken)
            object.__setattr__(self, "domains", with_order(self.domains, spoken, None))
            object.__setattr__(
                self, "mechanisms", tuple(at_orders(mechanism, spoken) for mechanism in self.mechanisms)
            )
        told = tuple(told_for(self.target, self.databases, mechanism) for mechanism in self.mechanisms)
        object.__setattr__(self, "mechanisms", told)
        names = Counter(mechanism.name for mechanism in self.mechanisms)
        if twice := sorted(name for name, times in names.items() if times > 1):
            raise InvalidSetting(
                f"two mechanisms are called {twice[0]!r}; k that are alike are one with count k"
            )
        if unfit := misfit(self.target, self.databases):
            raise InvalidSetting(unfit)
        stated = self.granularities
        named = frozenset[object]().union(
            *(mechanism.reads.names for mechanism in self.mechanisms),
            *(granularity.names for granularity in stated),
        )
        edits = self.target.edits(self.databases)
        steps = max(self.target.innermost()[1], 1 if edits is None else edits.most)
        object.__setattr__(self, "databases", self.databases.with_room(steps, self.places or 0))
        self._check_sizes()
        object.__setattr__(self, "databases", self._told(named, stated))
        object.__setattr__(self, "mechanisms", tuple(map(self._on_the_class, self.mechanisms)))
        self._place()
        self._check(stated)

    def _check_sizes(self) -> None:
        """Raises InvalidSetting where the class may be empty, as letters for sizes have other values."""
        if lacking := self.databases.unknown(self.assume):
            raise InvalidSetting(
                f"there are no databases of size {self.databases.sizes} where not {lacking}: "
                f'assume = ["{lacking}"] would do, or other values of parameters'
            )

    def _check(self, stated: Sequence[Granularity]) -> None:
        """Raises InvalidSetting where what is stated does not fit together."""
        check_names(self, stated)
        if wrong := next(
            filter(None, (contradiction(granularity, self.databases) for granularity in stated)), ""
        ):
            raise InvalidSetting(wrong)
        singles = (granularity.innermost()[0] for granularity in stated)
        one_meaning("granularities", ((granularity.name, granularity) for granularity in (*stated, *singles)))
        maps = (each.reads for each in self.mechanisms)
        one_meaning("maps", ((f.called, f) for f in maps if f.called))
        check_families(self)
        for mechanism in self.mechanisms:
            for alone in mechanism.alone if mechanism.also else [mechanism]:
                check_mechanism(self, alone, inside(alone))
            for value in mechanism.terms:
                check_ranges(self, value)
        for relation in self.assume:
            check_ranges(self, relation.term)
        _ = self.in_metrics and self.of_inputs
        for name, finding in self.on_tables.items():
            if finding.verdict == "refuted":
                raise InvalidSetting(f"{name} is not what its table shows: {finding.words}")

    def _told(self, named: frozenset[object], stated: Sequence[Granularity]) -> DatabaseClass:
        """The class with the records that are named, and as many of the others as matter."""
        databases = self.databases
        read = [mechanism for mechanism in self.mechanisms if not mechanism.reads.is_everything]
        both = [guarantee for m in read for guarantee in m.every if guarantee.domain == "common"]
        contracted = [guarantee.granularity for guarantee in both if guarantee.granularity is not None]
        try:
            if databases.twice and databases.described is not None:
                told, parts = (
                    [granularity.single_step for granularity in granularities]
                    for granularities in (stated, contracted)
                )
                named |= {*moves(self.target.single_step, told, parts, databases.described).items()}
            return databases.naming(named, self.target.innermost()[1])
        except ValueError as error:
            raise InvalidSetting(str(error)) from None

    def _place(self) -> None:
        """Where neighbours are told by rows in parts: these are the record sets that mechanisms read.

        Those of families are known once some of them are written out.
        """
        if not any(single.by_rows for single in self._singles):
            return
        parts = list(dict.fromkeys(m.reads.inside for m in self.mechanisms if m.reads.restricts))
        if any(m.reads.divided for m in self.mechanisms):
            if over := next((m for m in self.divided if m.reads.most != terms.ONE), None):
                raise InvalidSetting(
                    f"{over.name} reads overlapping parts, among which a person's rows are not limited"
                )
            return
        if all(single.partitions is not None for single in self._singles if single.by_rows):
            return
        for part, other in combinations(parts, 2):
            if part & other:
                raise InvalidSetting(
                    f"a person's rows are counted by the record sets that are read, and these overlap in "
                    f"{min(part & other)!r}; parts of a partition would do, or sets without a common record"
                )
        self._told_of_parts({"": tuple(parts)})

    def _told_of_parts(self, partitions: Mapping[str, tuple[frozenset[str], ...]]) -> None:
        """Says to all granularities which sets of records are the parts, by the names of partitions."""
        object.__setattr__(self, "target", self.target.placed(partitions))
        placed = (m.regarding(lambda granularity: granularity.placed(partitions)) for m in self.mechanisms)
        object.__setattr__(self, "mechanisms", tuple(placed))

    @property
    def divided(self) -> list[Mechanism]:
        """The mechanisms that read one of any number of parts."""
        return [m for m in self.mechanisms if m.reads.divided]

    @property
    def _singles(self) -> list[Granularity]:
        """The single steps of the granularities."""
        return [granularity.single_step.innermost()[0] for granularity in self.granularities]

    @property
    def of_single_steps(self) -> Setting:
        """The setting for one of as many steps as parameters say."""
        if all(granularity.single_step is granularity for granularity in self.granularities):
            return self
        mechanisms = tuple(m.regarding(lambda granularity: granularity.single_step) for m in self.mechanisms)
        return replace(self, target=self.target.single_step, mechanisms=mechanisms)

    @property
    def of_inside_steps(self) -> Setting:
        """The setting with its guarantees stated in steps inside of the class, where they can be."""

        def told(mechanism: Mechanism) -> Mechanism:
            whole = mechanism.reads.is_identity(self.databases) or mechanism.satisfies.domain == "common"
            fits = whole and not mechanism.also and mechanism.study is None
            if not fits:
                return mechanism
            return mechanism.regarding(lambda granularity: granularity.inside(self.databases))

        mechanisms = tuple(map(told, self.mechanisms))
        return self if mechanisms == self.mechanisms else replace(self, mechanisms=mechanisms)

    def at(self, point: Mapping[str, Fraction]) -> Setting:
        """The setting with numbers for the parameters of its granularities."""
        letters = [
            *self.databases.parameters,
            *(name for granularity in self.granularities for name in granularity.parameters),
        ]
        if not letters and all(m.reads.most.number for m in self.divided):
            return self
        placed = (replace(m, reads=m.reads.at(point)) if m.reads.divided else m for m in self.mechanisms)
        sampled = (m.sampled_at(point) for m in placed)
        mechanisms = tuple(m.regarding(lambda granularity: granularity.at(point)) for m in sampled)
        databases = self.databases.sized(point)
        return replace(self, databases=databases, target=self.target.at(point), mechanisms=mechanisms)

    def __repr__(self) -> str:
        """What is composed, in one line."""
        names = [mechanism.called for mechanism in self.mechanisms]
        shown = ", ".join(names if len(names) <= 6 else [*names[:3], "...", names[-1]])
        return f"composition of {shown} on {self.databases}, {self.target.about}"

    @property
    def at_all_pairs(self) -> bool:
        """Whether it is about any two databases, and what is lost at these is a formula in metrics."""
        return self.target == all_pairs

    @cached_property
    def on_tables(self) -> dict[str, Finding]:
        """For each mechanism that has a table, what it shows: its guarantees, and what it depends on."""
        tabled = ((m, m.table) for m in self.mechanisms if m.table is not None)
        return {
            m.name: worst(self._where_assumed(on_table(self, mechanism, table)) for mechanism in m.alone)
            for m, table in tabled
        }

    def _where_assumed(self, finding: Finding) -> Finding:
        """What a table shows; undecided where it fails at values that are not meant."""
        if finding.verdict != "refuted" or holds_at(self.assume, finding.point):
            return finding
        return replace(
            finding, verdict="undecided", words="it fails at values that are excluded by assumptions"
        )

    @property
    def granularities(self) -> list[Granularity]:
        """The target, and what the guarantees are stated for; that of noise is stated for no neighbours."""
        every = [guarantee for m in self.mechanisms for guarantee in m.every]
        distances = [
            far.distance
            for guarantee in every
            if guarantee.metric is not None
            for far in guarantee.metric.distances
        ]
        stated = (guarantee.granularity for guarantee in every if guarantee.granularity is not None)
        counted = (
            distance.input.granularity for distance in distances if distance.input and not distance.in_a_table
        )
        return [self.target, *stated, *counted]

    @cached_property
    def in_metrics(self) -> bool:
        """Whether some guarantee for neighbours is a formula in distances."""
        return not self.at_all_pairs and any(
            mechanism.satisfies.metric is not None for mechanism in self.mechanisms
        )

    @cached_property
    def of_inputs(self) -> Setting:
        """The setting with a mechanism for each distance, in place of those that are stated in formulas.

        Raises InvalidSetting where a distance does not fit the class.
        """
        return replace(
            self, mechanisms=tuple(distance for m in self.mechanisms for distance in m.of_distances)
        )

    @property
    def attributes(self) -> bool:
        """Whether queries look at attributes: then every record comes with every value of them."""
        return any(
            mechanism.query is not None and mechanism.query.attribute for mechanism in self.mechanisms
        ) or any(inner.attributes for inner in self.studies.values())

    @property
    def studies(self) -> dict[str, Setting]:
        """The compositions among the mechanisms, by the mechanisms' names."""
        return {m.name: of for m in self.mechanisms if (of := inside(m)) is not None}

    @property
    def processed(self) -> tuple[str, ...]:
        """The mechanisms of whose outputs functions are published; of studies with the study's name."""
        inner = (
            f"{name}.{inner_name}" for name, study in self.studies.items() for inner_name in study.processed
        )
        return (*(m.name for m in self.mechanisms if m.processing), *inner)

    @property
    def has_choices(self) -> bool:
        """Whether some mechanism has several guarantees."""
        return any(mechanism.also for mechanism in self.mechanisms)

    def choosing(self, which: Sequence[int]) -> Setting:
        """The setting in which of each mechanism only the guarantee of a number is known, from 0."""
        mechanisms = (
            mechanism.alone[n] if mechanism.also else mechanism
            for mechanism, n in zip(self.mechanisms, which, strict=True)
        )
        beside = [
            f"{mechanism.name} is {other.satisfies}{f' on the {domain} domain' if domain else ''} as well"
            for mechanism, n in zip(self.mechanisms, which, strict=True)
            for m, other in enumerate(mechanism.alone)
            if m != n
            for domain in [other.satisfies.domain]
        ]
        return replace(self, mechanisms=tuple(mechanisms), beside=tuple(beside))

    def with_each_guarantee(self) -> Setting:
        """The setting with a mechanism of its own for each guarantee."""
        mechanisms = [
            replace(alone, name=f"{mechanism.name} ({n})") if mechanism.also else alone
            for mechanism in self.mechanisms
            for n, alone in enumerate(mechanism.alone if mechanism.also else [mechanism])
        ]
        return replace(self, mechanisms=tuple(mechanisms))

    @property
    def several(self) -> bool:
        """Whether more than one mechanism is composed."""
        return len(self.mechanisms) > 1 or self.families

    @cached_property
    def families(self) -> bool:
        """Whether some mechanism is a family."""
        return any(mechanism.many for mechanism in self.mechanisms)

    @property
    def alone_for_neighbours(self) -> bool:
        """Whether there are parts, samples or deals of records, which are known for neighbours alone."""
        return any(
            mechanism.sampled is not None or mechanism.reads.divided or mechanism.reads.dealt
            for mechanism in self.mechanisms
        )

    @property
    def changed(self) -> int:
        """How many records differ between neighbours of the target, at most."""
        edits = self.target.edits(self.databases)
        if edits is None or edits.single is None:
            single, steps = self.target.innermost()
            ways = [numbers for way in single.either for numbers in way.changed if self.databases.twice]
            return steps * max(map(sum, ways), default=1)
        return edits.most * max((sum(numbers) for numbers in edits.single), default=1)

    @property
    def places(self) -> int | None:
        """In how many places in a row neighbours show all that they may change; None: without a limit."""
        return touched.places(self)

    @property
    def touched_parts(self) -> int:
        """How many parts of a partition differ between neighbours of the target, at most."""
        return touched.parts(self)

    def _on_the_class(self, mechanism: Mechanism) -> Mechanism:
        """A mechanism with what it reads as the records of the class say it."""
        f = mechanism.reads.on(self.databases)
        return self._told_by_name(mechanism if f is mechanism.reads else replace(mechanism, reads=f))

    def _told_by_name(self, mechanism: Mechanism) -> Mechanism:
        """A composition on values of a map, whose neighbours are listed with the map: its guarantee is stated
        for the granularity of that name, with the pairs of it that are databases here."""
        stated, f = mechanism.satisfies, mechanism.reads
        if mechanism.study is None or stated.granularity is None or not f.by_values:
            return mechanism
        single, steps = stated.granularity.innermost()
        if single.neighbour_pairs is None:
            return mechanism
        here = (pair for pair in single.neighbour_pairs if all(D in self.databases for D in pair))
        single = pairs(single.name, here)
        return replace(mechanism, satisfies=stated.about(single if steps == 1 else Group(steps, single)))

    @property
    def notion(self) -> str:
        """The notion of the mechanisms' guarantees.  Raises InvalidSetting where they differ."""
        if len(self.notions) > 1:
            raise InvalidSetting(f"the guarantees are of several notions: {', '.join(self.notions)}")
        return self.notions[0]

    @property
    def notions(self) -> tuple[str, ...]:
        """The notions of the mechanisms' guarantees, each once, in order."""
        return tuple(dict.fromkeys(mechanism.satisfies.notion for mechanism in self.mechanisms))

    def stated_in(self, notion: str) -> Setting:
        """The setting with the guarantees of noise in a notion, of every noise that promises something in it.

        Where all mechanisms then have a guarantee in it, that of noise may promise nothing (oo).
        """
        stated = [mechanism.stated_in(notion) for mechanism in self.mechanisms]
        every = all(mechanism is not None for mechanism in stated)
        chosen = [
            own if mechanism is None or (not every and _is_unlimited(mechanism)) else mechanism
            for own, mechanism in zip(self.mechanisms, stated, strict=True)
        ]
        return self if chosen == list(self.mechanisms) else replace(self, mechanisms=tuple(chosen))

    def in_one_notion(self, claimed: Sequence[str] = ()) -> Setting:
        """The setting with all guarantees in one notion in which each promises something, if there is one: of
        those of the claims, of the guarantees that are assumed, or of the noise.  Else in the only notion of
        the claims, as far as there are guarantees in it."""
        assumed = [m.satisfies.notion for m in self.mechanisms if m.noise is None]
        known = [notion for m in self.mechanisms if m.noise is not None for notion in m.noise.law.guarantee]
        for notion in dict.fromkeys([*claimed, *assumed, *known]):
            stated = self.stated_in(notion)
            noisy = (m for m in stated.mechanisms if m.noise is not None)
            if stated.notions == (notion,) and not any(map(_is_unlimited, noisy)):
                return stated
        only = set(claimed)
        return self.stated_in(only.pop()) if len(only) == 1 else self

    def at_orders(self, orders: Orders) -> Setting:
        """The same where divergences of other orders are spoken of.

        Raises InvalidSetting where nothing is said of them, or alpha is a parameter.
        """
        if orders == self.orders:
            return self
        domains = with_order(self.domains, orders, self.orders)
        return replace(self, domains=domains, orders=orders)

    @cached_property
    def used(self) -> frozenset[str]:
        """The parameters that the guarantees and tables depend on; the order of divergences is none."""
        given = [value for m in self.mechanisms for value in m.terms]
        counts = [m.members for m in self.mechanisms if m.members is not None]
        inner = {name for m in self.mechanisms if m.table is not None for name in m.table.domains}
        inner |= {name for study in self.studies.values() for name in study.used}
        inner |= {name for granularity in self.granularities for name in granularity.parameters} | {
            *self.databases.parameters
        }
        inner |= {name for m in self.divided for name in m.reads.most.letters}
        order = {} if self.orders is None else self.orders.letters
        return frozenset(inner | {letter for x in [*given, *counts] for letter in x.letters}).difference(
            order
        )

    @cached_property
    def letters(self) -> Mapping[str, Term]:
        """The parameters, and the named metrics, as letters of terms, by name."""
        return {name: terms.letter(name, domain) for name, domain in self._letters.items()}

    @property
    def _letters(self) -> Mapping[str, Domain]:
        return {**dict.fromkeys(self.metrics, NONNEGATIVE), **self.domains}

    @cached_property
    def symbols(self) -> Mapping[str, sympy.Symbol]:
        """The same as sympy symbols."""
        return {name: symbol(name, domain) for name, domain in self._letters.items()}


def _is_unlimited(mechanism: Mechanism) -> bool:
    """Whether a guarantee promises nothing."""
    return any(value.kind == "oo" for _, value in mechanism.satisfies.terms)


def inside(mechanism: Mechanism) -> Setting | None:
    """The composition that a mechanism is, if it is one."""
    setting = None if mechanism.study is None else mechanism.study.setting
    assert setting is None or isinstance(setting, Setting)
    return setting
