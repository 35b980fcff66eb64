"""The inputs of a composition: in which metric each mechanism's input moves, over which pairs.

M_i's guarantee speaks of a metric on what M_i reads: on its own domain the canonical metric
of the image class; on the common domain, by the push-forward lemma, the canonical metric of
the neighbourhood graph with each fibre of f_i contracted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from dpcompose.kernel.core import concrete
from dpcompose.kernel.core.settings import Mechanism as Named
from dpcompose.kernel.covers.queries import query_metric
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, ZERO
from dpcompose.kernel.library.theory import NoPage
from dpcompose.language.said import D, E, Words
from dpcompose.privacy.elaboration.cells import Cells
from dpcompose.privacy.elaboration.contributions import Contributions
from dpcompose.privacy.elaboration.kinds import Kind, NoLemma, Pair
from dpcompose.privacy.elaboration.policies import Policies
from dpcompose.privacy.elaboration.records import Records
from dpcompose.privacy.elaboration.steps import Steps
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.inputs import read_records
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.hypotheses.input_metrics import InputMetric, in_closed_form
from dpcompose.proof.theory.registry import Theory
from dpcompose.spaces.arrays.sizes import IN_A_PROOF
from dpcompose.spaces.canonical import small
from dpcompose.spaces.canonical.graphs import neighbours_of_inputs
from dpcompose.spaces.canonical.metrics import (
    INFINITE,
    Discrete,
    Distance,
    Metric,
    MinimumOverFibres,
    Queried,
    StepsInSpace,
    steps,
)
from dpcompose.spaces.classes.databases import DatabaseClass, TooLarge
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.moves.granularities import Granularity


@frozen
class NeighbouringPairs:
    """Pairs of neighbours that stand for all of them in what depends on the inputs, and what they cover.

    growing -- D and E with all records taken N times are neighbours for every N as well, and for N → ∞ they
    move every map as far as any neighbours do; there is one pair then.
    """

    pairs: tuple[Pair, ...]
    covered: str
    growing: bool = False


@frozen(eq=False)
class Inputs:
    """The metrics and neighbouring pairs of a setting, computed when asked for and kept.

    stated -- where the setting has the families of another one written out, that other one;
    times -- for each mechanism how many that are alike it counts for; left out: for itself.
    """

    setting: Setting
    theory: Theory
    stated: Setting | None = None
    times: tuple[int, ...] = ()
    _spaces: dict[tuple[DatabaseClass, Granularity], small.Space] = field(default_factory=dict, repr=False)
    _metrics: dict[int, InputMetric] = field(default_factory=dict, repr=False)
    _pairs: dict[Granularity, NeighbouringPairs] = field(default_factory=dict, repr=False)
    _moved: dict[Pair, dict[int, Distance]] = field(default_factory=dict, repr=False)

    def space(self, databases: DatabaseClass, granularity: Granularity) -> small.Space:
        """A finite class with its neighbours."""
        key = (databases, granularity)
        if key not in self._spaces:
            self._spaces[key] = small.space(databases, granularity, IN_A_PROOF)
        return self._spaces[key]

    def pairs_deciding(self, granularity: Granularity, maps: Sequence[Map]) -> tuple[tuple[Pair, ...], int]:
        """All neighbours of a finite class: of those between which the maps change alike, as what depends on
        the values of the maps does too, the first pair; and how many there are.  Raises TooLarge.
        """
        space = self.space(self.setting.databases, granularity)
        pairs, count = space.smallest_changes(*maps), space.pairs
        if len(pairs) * len(maps) > LARGEST_EXHAUSTION:
            raise TooLarge(
                f"{len(pairs):,} neighbouring pairs for {len(maps)} mechanisms are more than the "
                f"{LARGEST_EXHAUSTION:,} pairs times mechanisms that are gone through; a class with "
                f"{LARGEST_EXHAUSTION // len(maps):,} neighbouring pairs would do"
            )
        return pairs, count

    def domain(self, i: int) -> str:
        """Where M_i's guarantee is stated; a mechanism that reads everything has both domains alike."""
        mechanism = self.setting.mechanisms[i - 1]
        if mechanism.reads.is_identity(self.setting.databases):
            return "own"
        return mechanism.satisfies.domain or "own"

    def metric(self, i: int) -> InputMetric:
        """The metric in which the guarantee of M_i reads its input; i from 1 to k."""
        if i not in self._metrics:
            mechanism = self.setting.mechanisms[i - 1]
            if mechanism.noise is not None:
                self._metrics[i] = self._metric_of_values(mechanism)
            else:
                stated = mechanism.satisfies.about_granularity
                f = everything if mechanism.reads.dealt else mechanism.reads
                self._metrics[i] = self.metric_of(f, stated, self.domain(i))
        return self._metrics[i]

    def _metric_of_values(self, mechanism: Mechanism) -> InputMetric:
        """How far the value of the query moves, in the norm of the noise's page."""
        databases, query, noise = self.setting.databases, mechanism.query, mechanism.noise
        assert query is not None and noise is not None
        page = self.theory.noise(noise.word)
        if page is None:
            raise NoLemma(f"there is no page for {noise.word} noise")
        if not query.about_records:
            return InputMetric(Discrete())
        target, size = self.setting.target, read_records(databases, mechanism.reads)
        ordered, any_two = databases.identified, target.any_two(databases)
        if ordered and not size.exactly and (any_two or not target.by_counts(databases)):
            raise NoLemma(
                f"how far {query.words} moves between {databases.kind} of different lengths is not known; "
                'size = "= n" would do'
            )
        n = size.n if size.exactly else None
        asked = concrete.Query(query.page, tuple(sorted(query.letters.items())), n, size.least)
        released = concrete.Noise(asked, page.id, ONE)  # how far values move is the same for any parameter
        named = Named(mechanism.name, (None,), None, "own", "", (), noise=released)
        try:
            moves = query_metric(named, self.theory.in_kernel).at
        except NoPage as error:
            raise NoLemma(str(error)) from None
        return InputMetric(Queried(moves, ordered, n))

    def common_granularity(self) -> Granularity | None:
        """H, the granularity for which all guarantees are stated; None where they differ in it, or some are
        stated for values."""
        stated = {mechanism.satisfies.granularity for mechanism in self.setting.mechanisms}
        return stated.pop() if len(stated) == 1 else None

    def steps_apart(self, stated: Granularity) -> int:
        """m, the most steps of another granularity that two target neighbours can be apart (GB Prop. A.3)."""
        if stated.inside(self.setting.databases) == self.setting.target:
            return 1
        of_all = Mechanism("M", everything, Guarantee("pure", (("epsilon", ONE),), stated, "own"))
        inputs = Inputs(replace(self.setting, mechanisms=(of_all,)), self.theory)
        moved = [inputs.furthest(pair).get(1, 0) for pair in inputs.neighbouring_pairs().pairs]
        return INFINITE if INFINITE in moved else max(map(steps, moved), default=0)

    def metric_of(self, f: Map, stated: Granularity, domain: str) -> InputMetric:
        """The metric on the values of f for guarantees stated in a granularity, on a domain."""
        databases = self.setting.databases
        stated = stated.inside(databases) if f.is_identity(databases) or domain == "common" else stated
        if (metric := in_closed_form(self.theory, databases, stated, f, domain)) is not None:
            return metric
        if databases.count() is None:
            self.theory.need("fact")
            raise NoLemma(
                f"no closed form is known for the {stated} metric on the values of {f.written('D')}, and "
                f"{databases} cannot be gone through; a finite class would do"
            )
        own = domain == "own"
        where, neighbours, along = neighbours_of_inputs(databases, stated, f, own)
        space = self.space(where, neighbours)
        space = space if along is None else space.push_forward(along)
        return InputMetric(StepsInSpace(space))

    def is_minimum(self, i: int) -> bool:
        """Whether the push-forward's metric is known to be the minimum over fibres: of restrictions of
        multisets by counts, also by policies where sizes have no limit, and of blocks."""
        return self.metric(i).metric.is_least(self.setting.databases, self.setting.mechanisms[i - 1].reads)

    def minimum_over_fibres(self, i: int) -> Metric:
        """d^f of M_i (GB Prop. IV.10).  Where `is_minimum` says so it is the push-forward's metric."""
        mechanism = self.setting.mechanisms[i - 1]
        stated, databases = mechanism.satisfies.about_granularity, self.setting.databases
        if self.is_minimum(i):
            return self.metric(i).metric
        return MinimumOverFibres(self.space(databases, stated), mechanism.reads)

    def neighbouring_pairs(self, granularity: Granularity | None = None) -> NeighbouringPairs:
        """Pairs that stand for all neighbours (of the target, where none is named).

        Raises NoLemma where the class is infinite and no lemma applies.
        """
        granularity = granularity or self.setting.target
        if granularity not in self._pairs:
            self._pairs[granularity] = self._find_pairs(granularity)
        return self._pairs[granularity]

    def _find_pairs(self, granularity: Granularity) -> NeighbouringPairs:
        if granularity.parameters:
            raise NoLemma(f"{granularity} neighbours are gone through where there are numbers")
        databases = self.setting.databases
        kind = self._told(granularity)
        if kind is not None:
            try:
                pairs = tuple(dict.fromkeys(kind.pairs(self.theory.in_kernel)))
            except NoPage as error:
                raise NoLemma(str(error)) from None
            words = _count(len(pairs), *kind.counted)
            words += ", repeated any number of times" if kind.grows else ""
            return NeighbouringPairs(pairs, words, kind.grows)
        if databases.count() is None:
            raise NoLemma(
                f"{databases} are infinitely many, and no lemma says that finitely many pairs of "
                f"{granularity} neighbours stand for all; a finite class would do"
            )
        maps = [mechanism.reads for mechanism in self.setting.mechanisms]
        deciding, count = self.pairs_deciding(granularity, maps)
        words = f"all {_count(count, 'neighbouring pair', 'neighbouring pairs')} of {databases}"
        return NeighbouringPairs(deciding, words)

    def _told(self, granularity: Granularity) -> Kind | None:
        """How the class is told to the kernel with few pairs of neighbours that stand for all."""
        setting = self.setting
        if any(f.dealt for f in self._reads):  # the values of which are random
            return None
        if granularity != setting.target:
            try:
                setting = replace(setting, target=granularity)
            except InvalidSetting:  # neighbours of what is read, and not of the class
                return None
            if setting.databases != self.setting.databases:  # other numbers stand for all
                return None
        kinds: tuple[type[Kind], ...] = (Records, Cells, Steps, Policies, Contributions)
        return next((fit for kind in kinds if (fit := kind.of(setting)) is not None), None)

    def distances(self, pair: Pair) -> dict[int, Distance]:
        """How far each input moves between D and E; inputs that do not move are left out."""
        if pair not in self._moved:
            moved = self._that_move(pair, self._reads)
            distances = {i: self.metric(i).metric(f(pair[0]), f(pair[1])) for i, f in moved}
            self._moved[pair] = {i: r for i, r in distances.items() if r not in (0, ZERO)}
        return dict(self._moved[pair])

    def furthest(self, pair: Pair, granularity: Granularity | None = None) -> dict[int, Distance]:
        """The same for one of a granularity's neighbouring pairs; the supremum where it stands for more."""
        moved = self.distances(pair)
        if not self.neighbouring_pairs(granularity).growing:
            return moved
        for i, r in moved.items():
            if not isinstance(r, int) and not r.positive:
                name = self.setting.mechanisms[i - 1].name
                raise NoLemma(f"how far what {name} asks for moves may be 0, and else has no limit")
        return {i: self.metric(i).metric.furthest for i in moved}

    @cached_property
    def _reads(self) -> tuple[Map, ...]:
        """What the mechanisms read, in order."""
        return tuple(mechanism.reads for mechanism in self.setting.mechanisms)

    def _looks_at(self, f: Map) -> Collection[object] | None:
        """The records, or positions, that alone decide whether the value of a map changes; None of others."""
        databases = self.setting.databases
        if f.restricts and databases.twice:
            return f.inside
        return f.positions if f.keeps_positions and databases.length is not None else None

    def _edited(self, pair: Pair) -> set[object]:
        """The records, or positions, in which two databases differ."""
        D, E = pair
        assert isinstance(D, tuple) and isinstance(E, tuple)
        if self.setting.databases.twice:
            return {record for record in {*D, *E} if D.count(record) != E.count(record)}
        return {at for at, (x, y) in enumerate(zip(D, E, strict=True), start=1) if x != y}

    @cached_property
    def _readers(self) -> Mapping[object, Sequence[int]] | None:
        """For each record, or position, the mechanisms that look at it; None where some look at more."""
        readers: dict[object, list[int]] = {}
        for i, f in enumerate(self._reads, start=1):
            if (looked_at := self._looks_at(f)) is None:
                return None
            for each in looked_at:
                readers.setdefault(each, []).append(i)
        return readers

    def _that_move(self, pair: Pair, maps: Sequence[Map]) -> Iterator[tuple[int, Map]]:
        """The maps, numbered from 1, with different values at D and E; some by the edited records."""
        D, E = pair
        told = isinstance(D, tuple) and isinstance(E, tuple)
        if told and maps is self._reads and (readers := self._readers) is not None:
            for i in sorted({i for each in self._edited(pair) for i in readers.get(each, ())}):
                yield i, maps[i - 1]
            return
        looked_at = [self._looks_at(f) if told else None for f in maps]
        edited = self._edited(pair) if any(some is not None for some in looked_at) else set[object]()
        for i, (f, some) in enumerate(zip(maps, looked_at, strict=True), start=1):
            if f(D) != f(E) if some is None else not edited.isdisjoint(some):
                yield i, f

    def changed(self, pair: Pair, maps: Sequence[Map]) -> list[int]:
        """Which of the maps, from 1, take different values at D and E."""
        return [i for i, _ in self._that_move(pair, maps)]

    def show(self, pair: Pair) -> Words:
        """The pair as D = {…} and E = {…}."""
        return show_pair(self.setting.databases, pair)


def show_pair(databases: DatabaseClass, pair: Pair) -> Words:
    """A pair of databases as D = {…} and E = {…}."""
    first, second = map(databases.printed, pair)
    return Words(D, f" = {first} and ", E, f" = {second}")


LARGEST_EXHAUSTION = 200_000
"""The most pairs times mechanisms that are gone through."""


def _count(n: int, noun: str, several: str) -> str:
    return f"{n:,} {noun if n == 1 else several}"
