"""The inputs of a composition: in which metric each mechanism's input moves, and how far between neighbours.

M_i's guarantee speaks of a metric on what M_i reads: on its own domain the canonical metric of the image
class; on the common domain, by the push-forward lemma, that of the neighbourhood graph with each fibre of f_i
contracted.  Which neighbours stand for all of them, the kernel's covers say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from dpcompose.kernel import covers
from dpcompose.kernel.core import concrete
from dpcompose.kernel.core.settings import Mechanism as Named
from dpcompose.kernel.core.settings import Setting as Core
from dpcompose.kernel.covers.queries import query_metric
from dpcompose.kernel.covers.types import Cover, Type, size
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term
from dpcompose.kernel.library.theory import NoPage
from dpcompose.language.said import D, E, Words
from dpcompose.privacy.elaboration import elaborated
from dpcompose.privacy.elaboration.kinds import NoLemma, Pair
from dpcompose.privacy.mechanisms.mechanism import Mechanism, comparing
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.inputs import read_records
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.hypotheses.input_metrics import InputMetric, in_closed_form
from dpcompose.proof.theory.registry import Theory
from dpcompose.spaces.arrays.sizes import IN_A_PROOF
from dpcompose.spaces.canonical import small
from dpcompose.spaces.canonical.graphs import neighbours_of_inputs
from dpcompose.spaces.canonical.metrics import (
    Discrete,
    Distance,
    Metric,
    MinimumOverFibres,
    Queried,
    StepsInSpace,
)
from dpcompose.spaces.canonical.named import Input
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.moves.built_in import free_lunch
from dpcompose.spaces.moves.granularities import Granularity

GONE_THROUGH: Mapping[str, str] = {
    "edit types": "{n} edit type{s}{repeated}",
    "policies": "{n} way{s} to differ along edges{repeated}",
    "any number of steps": "{n} type{s} of a single step, {times} times",
    "corners": "{n} way{s} to change records of one kind each",
    "contributions": "{n} way{s} in which one person's rows lie in parts",
    "blocks": "{n} largest change{s}",
    "own steps": "the furthest neighbours",
}
"""What stands for all neighbours, by how a page covers them; of others all pairs."""


def gone_through(core: Core, cover: Cover, theory: Theory, databases: DatabaseClass) -> str:
    """What a cover went through, in words."""
    procedure, n = theory.pages[cover.page].head.procedure, cover.gone_through
    growing = core.target.any_two and core.databases.size[1] is None
    return GONE_THROUGH.get(procedure, "all {n} neighbouring pair{s} of {databases}").format(
        n=f"{n:,}",
        s="" if n == 1 else "s",
        repeated=", repeated any number of times" if growing else "",
        times=core.target.data().get("times", core.target.steps),
        databases=databases,
    )


@frozen
class Neighbours:
    """Two neighbours that stand for others, and how far what is read is apart, by the numbers of mechanisms.

    unlimited -- the inputs that are at a finite distance at these two, which grows without a limit where
    every record is taken N times; `far` has it as ∞.
    """

    pair: Pair
    far: Mapping[int, Term]
    unlimited: frozenset[int]


@frozen
class Neighbouring:
    """Neighbours that stand for all of them in how far what is read moves, and what they cover, in words.

    pages -- for each mechanism those that state the metric of its input.
    """

    types: tuple[Neighbours, ...]
    covered: str
    pages: tuple[tuple[str, ...], ...]


def neighbouring(setting: Setting, theory: Theory) -> Neighbouring:
    """How far the target's neighbours move what is read.  Raises NoLemma where none says it."""
    if setting.target.parameters:
        raise NoLemma(f"{setting.target} neighbours are gone through where there are numbers")
    if any(mechanism.reads.dealt for mechanism in setting.mechanisms):
        raise NoLemma("what is dealt to an input is random, and moves by no number of steps")
    told = elaborated(setting)
    try:
        cover = _alike(told.core, theory)
    except NoPage as error:
        raise NoLemma(str(error)) from None
    types = (
        Neighbours(told.pair(type), {i: far for i, ((_, far), *_) in type.moves}, type.unlimited)
        for type in cover.types
    )
    covered = gone_through(told.core, cover, theory, setting.databases)
    return Neighbouring(tuple(types), covered, cover.metrics)


def _alike(core: Core, theory: Theory) -> Cover:
    """A cover of which each type tells how far all neighbours of the type move how many inputs."""
    cover = covers.cover(core, theory.in_kernel)
    whole = not cover.convex and all(map(_moves_alike, cover.types))
    return cover if whole else covers.cover(core, theory.in_kernel, every=True)


def _moves_alike(type: Type) -> bool:
    """Whether all that may move in the place of some inputs moves as many of them as far."""
    return all(len({tuple(far for _, far in some) for _, some in choice.of}) == 1 for choice in type.choices)


@frozen(eq=False)
class Inputs:
    """The metrics and neighbours of a setting, computed when asked for and kept.

    stated -- where the setting has the families of another one written out, that other one;
    times -- for each mechanism how many that are alike it counts for; left out: for itself.
    """

    setting: Setting
    theory: Theory
    stated: Setting | None = None
    times: tuple[int, ...] = ()
    _spaces: dict[tuple[DatabaseClass, Granularity], small.Space] = field(default_factory=dict, repr=False)
    _metrics: dict[int, InputMetric] = field(default_factory=dict, repr=False)
    _known: dict[tuple[Granularity, Granularity | None], Neighbouring] = field(
        default_factory=dict, repr=False
    )

    def space(self, databases: DatabaseClass, granularity: Granularity) -> small.Space:
        """A finite class with its neighbours."""
        key = (databases, granularity)
        if key not in self._spaces:
            self._spaces[key] = small.space(databases, granularity, IN_A_PROOF)
        return self._spaces[key]

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

    def steps_apart(self, stated: Granularity) -> Term:
        """m, the most steps of another granularity that two target neighbours can be apart (GB Prop. A.3)."""
        if stated.inside(self.setting.databases) == self.setting.target:
            return ONE
        types = self._decide(self.setting.target, (comparing("M", Input("", stated)),)).types
        return max((far for type in types for far in type.far.values()), key=size, default=ZERO)

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

    # neighbours

    def neighbouring(self, granularity: Granularity, counted: Granularity | None = None) -> Neighbouring:
        """How far neighbours of a granularity move what is read, in the metrics of the guarantees.

        counted -- in place of these for which steps what is read is apart, on its own domain.
        Raises NoLemma where the class is infinite and no lemma applies.
        """
        key = granularity, counted
        if key not in self._known:
            mechanisms = tuple(_compared(mechanism, counted) for mechanism in self.setting.mechanisms)
            self._known[key] = self._decide(granularity, mechanisms)
        return self._known[key]

    def _decide(self, target: Granularity, mechanisms: tuple[Mechanism, ...]) -> Neighbouring:
        """How far neighbours move what other mechanisms on the class read."""
        used = {name for mechanism in mechanisms for value in mechanism.terms for name in value.letters}
        used |= {*self.setting.databases.parameters}
        domains = {name: domain for name, domain in self.setting.domains.items() if name in used}
        assume = tuple(relation for relation in self.setting.assume if relation.term.letters.keys() <= used)
        try:
            setting = replace(
                self.setting, target=target, mechanisms=mechanisms, domains=domains, assume=assume
            )
        except InvalidSetting as error:
            raise NoLemma(str(error)) from None
        return neighbouring(setting, self.theory)

    def distances(self, pair: Pair) -> dict[int, Distance]:
        """How far each input moves between D and E; inputs that do not move are left out."""
        D, E = pair
        reads = ((i, mechanism.reads) for i, mechanism in enumerate(self.setting.mechanisms, start=1))
        far = {i: self.metric(i).metric(f(D), f(E)) for i, f in reads if f(D) != f(E)}
        return {i: r for i, r in far.items() if r not in (0, ZERO)}

    def show(self, pair: Pair) -> Words:
        """The pair as D = {…} and E = {…}."""
        return show_pair(self.setting.databases, pair)


def _compared(mechanism: Mechanism, counted: Granularity | None) -> Mechanism:
    """A mechanism of which only how far its input moves matters; of noise whatever its parameters are."""
    if counted is None and mechanism.query is not None and mechanism.noise is not None:
        if mechanism.query.about_records:
            unit = replace(mechanism, noise=mechanism.noise.changed(lambda _: ONE))
            return unit.with_letters({})  # with the guarantee of that noise
        counted = free_lunch
    stated = mechanism.satisfies
    about = stated.about_granularity if counted is None else counted
    domain = (stated.domain or "own") if counted is None else "own"
    return comparing(mechanism.name, Input("", about, mechanism.reads, domain))


def show_pair(databases: DatabaseClass, pair: Pair) -> Words:
    """A pair of databases as D = {…} and E = {…}."""
    first, second = map(databases.printed, pair)
    return Words(D, f" = {first} and ", E, f" = {second}")
