"""The inputs of a composition: in which metric each mechanism's input moves, over which pairs.

M_i's guarantee speaks of a metric on what M_i reads: on its own domain the canonical metric
of the image class; on the common domain, by the push-forward lemma, the canonical metric of
the neighbourhood graph with each fibre of f_i contracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ZERO
from dpcompose.kernel.library.theory import NoPage
from dpcompose.privacy.elaboration import cells
from dpcompose.privacy.elaboration.contributions import Contributions
from dpcompose.privacy.elaboration.kinds import NotElaborated
from dpcompose.privacy.elaboration.policies import Policies
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.inputs import read_records
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.hypotheses import blocks, edit_types
from dpcompose.proof.hypotheses.edit_types import Pair
from dpcompose.proof.hypotheses.input_metrics import (
    InputMetric,
    by_bags,
    by_blocks,
    by_own_form,
    by_policy,
    closed_form,
)
from dpcompose.proof.theory.registry import Theory
from dpcompose.spaces.arrays.sizes import IN_A_PROOF
from dpcompose.spaces.canonical.finite import FiniteSpace, finite
from dpcompose.spaces.canonical.graphs import neighbours_of_inputs
from dpcompose.spaces.canonical.metrics import (
    INFINITE,
    ClosedForm,
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
from dpcompose.spaces.moves.edits import Edits
from dpcompose.spaces.moves.granularities import Granularity


class NotDecidable(ValueError):
    """No lemma lifts a finite check to this class; the message says what is missing."""


class NoLimit(NotDecidable):
    """What a mechanism reads moves further and further as databases of an arbitrary universe are larger.

    pair -- neighbours in a small one, which are as far apart as they can be there.
    """

    def __init__(self, message: str, pair: edit_types.Pair) -> None:
        super().__init__(message)
        self.pair = pair


@frozen
class NeighbouringPairs:
    """Pairs of neighbours that stand for all of them in what depends on the inputs, and what they cover.

    growing -- the one pair stands for all its multiples, see `edit_types.Types`.
    """

    pairs: tuple[edit_types.Pair, ...]
    procedure: str
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
    _spaces: dict[tuple[DatabaseClass, Granularity], FiniteSpace] = field(default_factory=dict, repr=False)
    _metrics: dict[int, InputMetric] = field(default_factory=dict, repr=False)
    _pairs: dict[Granularity, NeighbouringPairs] = field(default_factory=dict, repr=False)
    _moved: dict[Pair, dict[int, Distance]] = field(default_factory=dict, repr=False)

    def space(self, databases: DatabaseClass, granularity: Granularity) -> FiniteSpace:
        """A finite class with its neighbours."""
        key = (databases, granularity)
        if key not in self._spaces:
            self._spaces[key] = finite(databases, granularity, IN_A_PROOF)
        return self._spaces[key]

    def pairs_deciding(self, granularity: Granularity, maps: Sequence[Map]) -> tuple[tuple[Pair, ...], int]:
        """All neighbours of a finite class: of those between which the maps change alike, as what depends on
        the values of the maps does too, the first pair; and how many there are.  Raises TooLarge.
        """
        space = self.space(self.setting.databases, granularity)
        found, count = space.smallest_changes(*maps), space.layout.edges
        if len(found) * len(maps) > LARGEST_EXHAUSTION:
            raise TooLarge(
                f"{len(found):,} neighbouring pairs for {len(maps)} mechanisms are more than the "
                f"{LARGEST_EXHAUSTION:,} pairs times mechanisms that are gone through; a class with "
                f"{LARGEST_EXHAUSTION // len(maps):,} neighbouring pairs would do"
            )
        return found, count

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
            raise NotDecidable(f"there is no page for {noise.word} noise")
        if not query.about_records:
            return InputMetric(Discrete(), f"0 or 1, whether {mechanism.reads.written('D')} differs")
        edits, size = self.setting.target.edits(databases), read_records(databases, mechanism.reads)
        ordered = databases.identified
        if ordered and not size.exactly and (edits is None or edits.single is None):
            raise NotDecidable(
                f"how far {query.words} moves between {databases.kind} of different lengths is not known; "
                'size = "= n" would do'
            )
        metric = Queried(query, page.head.norm, ordered, size.n if size.exactly else None, size.least)
        return InputMetric(metric, query.moved(page.head.norm))

    def common_granularity(self) -> Granularity | None:
        """H, the granularity for which all guarantees are stated; None where they differ in it, or some are
        stated for values."""
        stated = {mechanism.satisfies.granularity for mechanism in self.setting.mechanisms}
        return stated.pop() if len(stated) == 1 else None

    def steps_apart(self, stated: Granularity) -> int:
        """m, the most steps of another granularity that two target neighbours can be apart (GB Prop. A.3)."""
        neighbouring_pairs = self.neighbouring_pairs()
        of_all = self.metric_of(everything, stated, "own")
        metric = of_all.metric
        if (neighbouring_pairs.procedure == "edit types" and not metric.by_counts) or (
            neighbouring_pairs.procedure == "blocks" and not metric.by_cells
        ):
            raise NotDecidable(
                f"one pair an edit type does not decide how many {stated} steps neighbours are apart"
            )
        if neighbouring_pairs.growing:
            return metric.furthest
        largest = 0
        pairs = neighbouring_pairs.pairs
        if neighbouring_pairs.procedure == "exhaustion":
            pairs, _ = self.pairs_deciding(self.setting.target, [everything])  # here D and E themselves count
        for D, E in pairs:
            r = metric(D, E)
            if r == INFINITE:
                return INFINITE
            largest = max(largest, steps(r))
        return largest

    def metric_of(self, f: Map, stated: Granularity, domain: str) -> InputMetric:
        """The metric on the values of f for guarantees stated in a granularity, on a domain."""
        databases = self.setting.databases
        stated = stated.inside(databases) if f.is_identity(databases) or domain == "common" else stated
        edits, metric = stated.edits(databases), None
        if edits is not None and edits.single is None and _listed_images(f, stated, domain) is None:
            metric = closed_form(self.theory, databases, edits)  # any two images are neighbours as well
        elif (
            edits is not None and edit_types.apply_to(databases, [f]) and _passes(edits, databases, f, domain)
        ):
            image = f.image(databases)
            if image.is_listed:
                return InputMetric(ClosedForm("oo"), "one possible input")
            inside = edits if domain == "own" else edits.of_images(databases, f)
            metric = closed_form(self.theory, image, inside)
        if metric is None and (edits is None or edits.single is not None):
            metric = by_blocks(self.theory, databases, stated, f)
        if metric is None:
            metric = by_policy(self.theory, databases, stated, f, domain)
        if metric is None:
            metric = by_bags(self.theory, databases, stated, f, domain)
        if metric is None and f.is_identity(databases):
            metric = by_own_form(self.theory, databases, stated)
        if metric is not None:
            return metric
        if databases.count() is None:
            self.theory.need("fact")
            raise NotDecidable(
                f"no closed form is known for the {stated} metric on the values of {f.written('D')}, and "
                f"{databases} cannot be gone through; a finite class would do"
            )
        own = domain == "own"
        where, neighbours, along = neighbours_of_inputs(databases, stated, f, own)
        space = self.space(where, neighbours)
        space = space if along is None else space.push_forward(along)
        return InputMetric(StepsInSpace(space), f"shortest paths over {space.nodes} inputs")

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

        Raises NotDecidable where the class is infinite and no lemma applies.
        """
        granularity = granularity or self.setting.target
        if granularity not in self._pairs:
            self._pairs[granularity] = self._find_pairs(granularity)
        return self._pairs[granularity]

    def _find_pairs(self, granularity: Granularity) -> NeighbouringPairs:
        if granularity.parameters:
            raise NotDecidable(f"{granularity} neighbours are gone through where there are numbers")
        setting = self.setting
        maps = [mechanism.reads for mechanism in setting.mechanisms]
        metrics = [self.metric(i) for i in range(1, len(maps) + 1)]
        edits = granularity.edits(setting.databases)
        if (
            edits is not None
            and edit_types.apply_to(setting.databases, maps)
            and edit_types.decide(setting.databases, edits)
            and all(metric.metric.by_counts for metric in metrics)
        ):
            only_whether = all(metric.metric.only_whether for metric in metrics)
            types = edit_types.pairs(setting, granularity, self._alike, only_whether, self.theory.in_kernel)
            words = _count(len(types.pairs), "edit type")
            if types.growing:
                words += ", repeated any number of times"
            return NeighbouringPairs(types.pairs, "edit types", words, types.growing)
        by_cells = all(metric.metric.by_cells for metric in metrics)
        if by_cells and (few := self._by_blocks(granularity, maps)) is not None:
            return few
        if (pair := self._own_steps(granularity, maps)) is not None:
            return NeighbouringPairs((pair,), "own steps", "the furthest neighbours")
        if (few := self._by_policies(granularity)) is not None:
            return few
        if (few := self._by_contributions(granularity)) is not None:
            return few
        if setting.databases.count() is None:
            raise NotDecidable(
                f"{setting.databases} are infinitely many, and no lemma says that finitely many pairs of "
                f"{granularity} neighbours stand for all; a finite class would do"
            )
        found, count = self.pairs_deciding(granularity, maps)
        words = f"all {_count(count, 'neighbouring pair')} of {setting.databases}"
        return NeighbouringPairs(found, "exhaustion", words)

    def _by_policies(self, granularity: Granularity) -> NeighbouringPairs | None:
        """One pair for each way in which neighbours of a policy differ."""
        try:
            setting = replace(self.setting, target=granularity)
        except InvalidSetting:
            return None  # about what records become, and not about those of the class
        kind = Policies.of(setting)
        if kind is None or setting.databases != self.setting.databases:  # other numbers stand for all
            return None
        try:
            found = tuple(kind.pairs())
        except NoPage as error:
            raise NotDecidable(str(error)) from None
        return NeighbouringPairs(found, "policies", _count(len(found), "type of edges", "types of edges"))

    def _by_contributions(self, granularity: Granularity) -> NeighbouringPairs | None:
        """One pair for each type of what a person contributes, where numbers of parts and rows are known."""
        try:
            same = granularity == self.setting.target
            setting = self.setting if same else replace(self.setting, target=granularity)
        except InvalidSetting:  # neighbours of what is read, and not of the class
            return None
        kind = Contributions.of(setting)
        if kind is None or any(mechanism.noise is not None for mechanism in setting.mechanisms):
            return None
        try:
            found = dict.fromkeys(kind.pairs(self.theory.in_kernel))
        except (NotElaborated, NoPage) as error:
            raise NotDecidable(str(error)) from None
        words = _count(
            len(found), "way in which one person's rows lie", "ways in which one person's rows lie"
        )
        return NeighbouringPairs(tuple(found), "contributions", words)

    def _own_steps(self, granularity: Granularity, maps: Sequence[Map]) -> edit_types.Pair | None:
        """A pair as far apart as neighbours can be, where all is read and stated in their own steps."""
        single, m = granularity.innermost()
        metrics = [self.metric(i).metric for i in range(1, len(maps) + 1)]
        own = all(metric.of_steps == single for metric in metrics)
        return single.pair_apart(self.setting.databases, m) if own else None

    def _by_blocks(self, granularity: Granularity, maps: Sequence[Map]) -> NeighbouringPairs | None:
        databases = self.setting.databases
        metrics = [self.metric(i).metric for i in range(1, len(maps) + 1)]
        stated = [of for one in metrics if (of := one.of_blocks) is not None]
        shape = blocks.shape(databases, granularity, maps, stated)
        if shape is None:
            return None
        for i, (f, metric) in enumerate(zip(maps, metrics, strict=True), start=1):
            of = metric.of_blocks
            if of is not None and cells.grows(shape, granularity, f, of):
                name = self.setting.mechanisms[i - 1].name
                raise NoLimit(
                    f"how far what {name} reads moves has no limit on {databases}: a {granularity} step can "
                    f"be any number of {of} steps; a fixed number would do",
                    blocks.furthest(shape, granularity, f, of),
                )
        found = blocks.pairs(shape, granularity)
        return NeighbouringPairs(found, "blocks", _count(len(found), "largest change"))

    def distances(self, pair: edit_types.Pair) -> dict[int, Distance]:
        """How far each input moves between D and E; inputs that do not move are left out."""
        if pair not in self._moved:
            moved = self._that_move(pair, self._reads)
            found = {i: self.metric(i).metric(f(pair[0]), f(pair[1])) for i, f in moved}
            self._moved[pair] = {i: r for i, r in found.items() if r not in (0, ZERO)}
        return dict(self._moved[pair])

    def furthest(self, pair: edit_types.Pair, granularity: Granularity | None = None) -> dict[int, Distance]:
        """The same for one of a granularity's neighbouring pairs; the supremum where it stands for more."""
        moved = self.distances(pair)
        if not self.neighbouring_pairs(granularity).growing:
            return moved
        for i, r in moved.items():
            if not isinstance(r, int) and not r.positive:
                name = self.setting.mechanisms[i - 1].name
                raise NotDecidable(f"how far what {name} asks for moves may be 0, and else has no limit")
        return {i: self.metric(i).metric.furthest for i in moved}

    @cached_property
    def _reads(self) -> tuple[Map, ...]:
        """What the mechanisms read, in order."""
        return tuple(mechanism.reads for mechanism in self.setting.mechanisms)

    @cached_property
    def _alike(self) -> list[object]:
        """For each mechanism of which only its guarantee is known for which neighbours that is."""
        found: list[object] = []
        for mechanism in self.setting.mechanisms:
            stated = mechanism.satisfies
            known = stated.curve is None and mechanism == Mechanism(mechanism.name, mechanism.reads, stated)
            found.append((stated.granularity, stated.domain, stated.metric) if known else None)
        return found

    @cached_property
    def _are_restrictions(self) -> bool:
        return all(f.restricts for f in self._reads)

    @cached_property
    def _readers(self) -> Mapping[str, tuple[int, ...]]:
        """For each record the mechanisms whose restriction holds it."""
        found: dict[str, list[int]] = {}
        for i, f in enumerate(self._reads, start=1):
            for record in f.inside if f.restricts else ():
                found.setdefault(record, []).append(i)
        return {record: tuple(numbers) for record, numbers in found.items()}

    def _that_move(self, pair: edit_types.Pair, maps: Sequence[Map]) -> Iterator[tuple[int, Map]]:
        """The maps, numbered from 1, with different values at D and E; restrictions by the edited records."""
        D, E = pair
        edited: set[str] | None = None
        if self.setting.databases.twice and isinstance(D, tuple) and isinstance(E, tuple):
            edited = {record for record in {*D, *E} if D.count(record) != E.count(record)}
        if edited is not None and maps is self._reads and self._are_restrictions:
            for i in sorted({i for record in edited for i in self._readers.get(record, ())}):
                yield i, maps[i - 1]
            return
        for i, f in enumerate(maps, start=1):
            if f.restricts and edited is not None:
                if not f.inside.isdisjoint(edited):
                    yield i, f
            elif f(D) != f(E):
                yield i, f

    def changed(self, pair: edit_types.Pair, maps: Sequence[Map]) -> list[int]:
        """Which of the maps, from 1, take different values at D and E."""
        return [i for i, _ in self._that_move(pair, maps)]

    def show(self, pair: edit_types.Pair) -> str:
        """The pair as D = {…} and E = {…}."""
        return show_pair(self.setting.databases, pair)


def show_pair(databases: DatabaseClass, pair: edit_types.Pair) -> str:
    """A pair of databases as D = {…} and E = {…}."""
    D, E = (databases.printed(one) for one in pair)
    return f"D = {D} and E = {E}"


def _listed_images(f: Map, stated: Granularity, domain: str) -> frozenset[edit_types.Pair] | None:
    """The neighbouring images that a map lists for single steps of a guarantee on its own domain."""
    if domain != "own":
        return None
    return f.neighbours_for(stated.innermost()[0].name)


def _passes(edits: Edits, databases: DatabaseClass, f: Map, domain: str) -> bool:
    """Whether groups of edits pass through a restriction: not between a least and a greatest size."""
    between = databases.twice and databases.sizes.between
    return not between or edits.most == 1 or domain == "own" or f.is_identity(databases)


LARGEST_EXHAUSTION = 200_000
"""The most pairs times mechanisms that are gone through."""


def _count(n: int, noun: str, several: str = "") -> str:
    return f"{n:,} {noun if n == 1 else several or f'{noun}s'}"
