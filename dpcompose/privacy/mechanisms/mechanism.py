"""Mechanisms: a map that is read, and a guarantee that is assumed, or a query and noise that give one.

A composition can be a mechanism of another one (`Nested`): its guarantee is derived, and not assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.expressions import naming, substitution
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, Term, moves, number
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.privacy.guarantees.distances import Metric
from dpcompose.privacy.guarantees.fibres import in_steps
from dpcompose.privacy.guarantees.notions import OF_LINES, Guarantee, at_any_two
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.privacy.mechanisms.samples import Sample, Sampled
from dpcompose.spaces.canonical.named import Input
from dpcompose.spaces.canonical.points import Values
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import Query
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.finite.tables import ProbabilityTable


class Composition:
    """Mechanisms composed over a class: what `dpcompose.privacy.settings.Setting` is."""

    mechanisms: tuple[Mechanism, ...]


@frozen
class Nested:
    """A composition that is a mechanism of another one.

    setting -- what is composed, over which class and for which neighbours; None where families are written
    out to see how inputs move: then only that it is a composition matters;
    derivation -- the lines that show its guarantee, as they are saved; nothing here believes them: the line
    that states the guarantee is made only where all of them can be made again.  Empty where it is read from
    a saved derivation, which holds them in that line.
    """

    setting: Composition | None
    derivation: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __hash__(self) -> int:
        return 0 if self.setting is None else hash(self.setting.mechanisms)


@frozen(repr=False)
class Mechanism(Shown):
    """A randomised function M∘f of the database, known by what it reads and what it satisfies.

    name -- for results and messages;
    reads -- the map f;
    satisfies -- the guarantee, with its granularity and (unless f is everything) its domain:
    "common": M is private as a map on the whole class, and depends on f(D) only;
    "own": M is private as a map on the images f(𝔻), for the canonical metric there;
    table -- M itself, as probabilities on the databases of a finite class, or on the values of f: then a
    setting checks on it what is assumed else, and refuses a guarantee that it does not keep;
    members -- for a family M[1], …, M[k] of mechanisms the number k, a whole number or a parameter.
    Then the guarantee is that of M[i], in terms of e[i], and each reads the same, or its part i;
    query, noise -- for a concrete mechanism, which adds noise to the query's value at f(D).  Its
    guarantee then is that of the noise, for values one unit apart, and for no neighbours;
    study -- for a composition of mechanisms on f(D) what it is composed of: its guarantee is derived from
    this, for the neighbours that it is about, on its own domain;
    also -- guarantees that it has as well;
    processing -- what is done to the output of M before it is published, in words; "": nothing.  All else is
    said of M, and only that it reads nothing but this output is known of what is done: see `then`;
    filtered -- whether M is any interaction that a filter stops before it loses more than its guarantee;
    sampled -- where M is run on a sample of the records how that is drawn, and its guarantee on samples: then
    what it satisfies is what the whole does;
    entries -- in place of a query the vector of numbers, of points, to whose entries the noise is added.
    """

    name: str
    reads: Map
    satisfies: Guarantee
    members: Term | None = None
    query: Query | None = None
    noise: Noise | None = None
    table: ProbabilityTable | None = None
    study: Nested | None = None
    also: tuple[Guarantee, ...] = ()
    processing: str = ""
    filtered: bool = False
    sampled: Sampled | None = None
    entries: Values | None = None

    def then(self, words: str) -> Mechanism:
        """g∘M, where g is any function of M's output, with coins of its own (GB:VII.1, post-processing).

        words -- what g does, for readers.  g∘M keeps every guarantee of M, and depends on what M reads.
        Nothing else is known of g, so results are worst cases over all of them, and the identity is among
        these: what is optimal, or refuted, of M is so of g∘M.

        >>> import dpcompose as dpc
        >>> count = dpc.mechanism("count", query=dpc.count, noise=dpc.laplace("1/e"))
        >>> count.then("rounded to tens")
        count reads D and releases the number of records with Laplace noise of scale 1/e, then rounded to tens
        """
        if not isinstance(words, str) or not words.strip() or "\n" in words:
            raise TypeError(f"{self.name}: say in a line of words what is done to its output, not {words!r}")
        done = f"{self.processing}, then {words}" if self.processing else words
        return replace(self, processing=done)

    def on_samples(self, by: Sample) -> Mechanism:
        """M run on a sample of the records.  Raises ValueError where it is for neighbours that do not fit."""
        said = tuple(in_steps(guarantee, self.reads) for guarantee in (self.satisfies, *self.also))
        if self.is_concrete:
            raise ValueError(
                f"{self.name}: what is run on a sample is known by guarantees for neighbours: in place of a "
                "query and noise say what it satisfies on samples, such as dpcompose.approximate(...)"
            )
        if any(guarantee.metric is not None for guarantee in said):
            raise ValueError(
                f"{self.name}: on samples a metric is a number times one canonical metric, such as "
                "e*d_unbounded, which is a guarantee for neighbours; of others say what they are for "
                "neighbours: a*d_unbounded + b*d_free_lunch is a + b for unbounded ones"
            )
        try:
            on_samples = tuple(map(by.stated, said))
            return self.run_on(Sampled(by.for_guarantees(on_samples), on_samples))
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def run_on(self, sampled: Sampled) -> Mechanism:
        """The same run on a sample, with what the whole satisfies then."""
        satisfies, *also = sampled.whole
        return replace(self, satisfies=satisfies, also=tuple(also), sampled=sampled)

    def __call__(self, D: object) -> Any:
        """M(f(D)) as an expression in a database symbol D: by it two databases with one input give the same.

        >>> import dpcompose as dpc
        >>> D, E = dpc.databases("D E")
        >>> M = dpc.mechanism("M", dpc.pure("e", dpc.bounded, "common"), reads=dpc.restriction(["a"]))
        >>> M(D), dpc.at(M(D), {D: ["a", "b"]}) == M(["a"])
        (M(D|{a}), True)
        """
        from dpcompose.spaces.inputs.expressions import Output, image_of

        return Output(self.name, image_of(self.reads, D))

    def __repr__(self) -> str:
        return "".join(part if isinstance(part, str) else formulas.to_text(part) for part in self._line())

    def _line(self) -> Sequence[str | sympy.Expr]:
        return [*self._before(), f", then {self.processing}"] if self.processing else self._before()

    def _before(self) -> Sequence[str | sympy.Expr]:
        """What is said of M, before its output is processed."""
        family = "" if self.members is None else f" ({self.members} of them)"
        where = f" on the {self.satisfies.domain} domain" if self.satisfies.domain else ""
        front = f"{self.name}{family} reads {self.reads.written('D')} and "
        if self.released:
            return [f"{front}releases {self.released}"]
        composed = None if self.study is None else self.study.setting
        of = [] if composed is None else [mechanism.name for mechanism in composed.mechanisms]
        made = f", composed of {', '.join(of[:-1])}{' and ' * (len(of) > 1)}{of[-1]}" if of else ""
        more: list[str | sympy.Expr] = []
        for guarantee in self.also:
            more += [
                ", and ",
                *guarantee._line(),
                f" on the {guarantee.domain} domain" if guarantee.domain else "",
            ]
        if self.sampled is not None:
            line = [f"{front}is run on a sample ({self.sampled.by})", ", and on samples is "]
            for n, guarantee in enumerate(self.sampled.on_samples):
                line += [", and ", *guarantee._line()] if n else guarantee._line()
            return [*line, where]
        kind = "an interaction that a filter stops at " if self.filtered else ""
        return [f"{front}is {kind}", *self.satisfies._line(), f"{where}{made}", *more]

    def _repr_html_(self) -> str:
        """The line, and the probabilities where they are known."""
        return super()._repr_html_() + ("" if self.table is None else self.table._repr_html_())

    @property
    def called(self) -> str:
        """The name; of a family those of its members: M[1], ..., M[k]."""
        name, count = self.name, self.members
        return name if count is None else f"{name}[1], ..., {name}[{count}]"

    @property
    def many(self) -> bool:
        """Whether this is a family M[1], …, M[k]."""
        return self.members is not None

    @cached_property
    def count(self) -> sympy.Expr | None:
        """How many members a family has, as a sympy expression."""
        return None if self.members is None else formulas.expression(self.members)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All that it is given by: the parameters of its guarantee, of its query and of its noise."""
        given = [value for guarantee in self.every for _, value in guarantee.terms]
        given += [
            x for guarantee in self.every if guarantee.metric is not None for x in guarantee.metric.parameters
        ]
        given += [] if self.query is None else self.query.terms
        given += [] if self.sampled is None else self.sampled.terms
        return tuple(given if self.noise is None else [*given, *self.noise.terms])

    @property
    def every(self) -> tuple[Guarantee, ...]:
        """All its guarantees."""
        return (self.satisfies, *self.also)

    @property
    def is_plain(self) -> bool:
        """Whether its guarantees are all that is said of it, each by its parameters."""
        plain = all(guarantee.curve is None and guarantee.metric is None for guarantee in self.every)
        return plain and self.noise is None and self.sampled is None and self.query is None

    @property
    def every_term(self) -> tuple[Term, ...]:
        """The same, and how many members a family has."""
        return self.terms if self.members is None else (*self.terms, self.members)

    @property
    def counts(self) -> dict[str, Term]:
        """How many members a family has, by the names of these: e[i]."""
        names = {name for value in self.terms for name in value.letters if moves(name)}
        return {} if self.members is None else dict.fromkeys(sorted(names), self.members)

    @property
    def is_any(self) -> bool:
        """Whether it may be anything with its guarantee, or what is run on samples may be: it is not given by
        noise, a table, or what it is composed of."""
        return (self.noise, self.table, self.study) == (None, None, None)

    @property
    def is_concrete(self) -> bool:
        """Whether it is given itself, or is run on a sample: other mechanisms with its guarantee, such as
        witnesses, then say nothing of it."""
        return not self.is_any or self.sampled is not None

    @property
    def released(self) -> str:
        """What a concrete mechanism does, in words; "" for one that is known by its guarantee."""
        if self.query is None or self.noise is None:
            return ""
        return f"{self.query.words} with {self.noise.words}"

    @property
    def _asked(self) -> Mapping[str, Term]:
        """What the letters of its query mean."""
        return {} if self.query is None else self.query.letters

    def with_letters(self, named: Mapping[str, Term]) -> Mechanism:
        """The same with other terms for some parameters, of its guarantee or its noise."""
        if self.noise is not None:
            noise = self.noise.changed(lambda term: substitution.substituted(term, named))
            satisfies = noise.guarantee(self.satisfies.notion, self._asked)
            assert satisfies is not None
            query = self.query and self.query.with_noise(noise.term, dict(noise.further))
            return replace(self, query=query, noise=noise, satisfies=satisfies)
        satisfies, *also = (guarantee.with_letters(named) for guarantee in (self.satisfies, *self.also))
        sampled = None if self.sampled is None else self.sampled.with_letters(named)
        return replace(self, satisfies=satisfies, also=tuple(also), sampled=sampled)

    def sampled_at(self, point: Mapping[str, Fraction]) -> Mechanism:
        """The same with numbers for the letters of what it is run on, and with these of its guarantees."""
        if self.sampled is None:
            return self
        return self.with_letters({name: number(x) for name, x in point.items()})

    @property
    def of_distances(self) -> tuple[Mechanism, ...]:
        """A mechanism for each distance in which it is stated; itself, where it is stated in none."""
        if (metric := self.satisfies.metric) is None:
            return (self,)
        read = (
            (naming.read(distance.name).distance, distance.distance.input) for distance in metric.distances
        )
        every = ((f"{self.name} ({name})", source) for name, source in read if source is not None)
        return tuple(replace(comparing(name, source), members=self.members) for name, source in every)

    @property
    def alone(self) -> tuple[Mechanism, ...]:
        """The mechanism with each of its guarantees alone."""
        if self.sampled is not None:
            return tuple(self.run_on(sampled) for sampled in self.sampled.alone)
        return tuple(
            replace(self, satisfies=guarantee, also=()) for guarantee in (self.satisfies, *self.also)
        )

    def knowing(self, letters: Mapping[str, Term]) -> Mechanism:
        """The same in letters of which it is known what values they may take."""

        def known(value: Term) -> Term:
            return substitution.substituted(value, letters)

        mechanism = self.with_letters(letters)
        if mechanism.query is not None:
            mechanism = replace(
                mechanism, query=mechanism.query.with_bounds(list(map(known, mechanism.query.terms)))
            )
        return (
            mechanism if mechanism.members is None else replace(mechanism, members=known(mechanism.members))
        )

    def for_neighbours(self, target: Granularity, on: object = None) -> Mechanism:
        """The same with the guarantees that are stated for no neighbours stated for those of a target.

        on -- the class, which matters where a table shows the guarantee (`Tabled`).
        """
        if self.noise is not None or self.satisfies.metric is not None:
            return self
        satisfies, *also = (
            guarantee.about(target) if guarantee.granularity is None else guarantee
            for guarantee in (self.satisfies, *self.also)
        )
        return replace(self, satisfies=satisfies, also=tuple(also))

    def regarding(self, change: Callable[[Granularity], Granularity]) -> Mechanism:
        """The same with its guarantees stated for other neighbours, where they are stated for some."""
        satisfies, *also = (guarantee.regarding(change) for guarantee in (self.satisfies, *self.also))
        return replace(self, satisfies=satisfies, also=tuple(also))

    def reading(self, change: Callable[[Map], Map]) -> Mechanism:
        """The same of other inputs, also where its guarantee is a formula in distances of these."""
        mechanism, metric = replace(self, reads=change(self.reads)), self.satisfies.metric
        if metric is None:
            return mechanism
        return replace(mechanism, satisfies=replace(self.satisfies, metric=metric.reading(change)))

    def stated_in(self, notion: str) -> Mechanism | None:
        """The mechanism with its guarantee in a notion, if it has one: concrete ones have several."""
        if self.satisfies.notion == notion:
            return self
        given = None if self.noise is None else self.noise.guarantee(notion, self._asked)
        return None if given is None else replace(self, satisfies=given)

    def __post_init__(self) -> None:
        if self.members is not None:
            object.__setattr__(self, "members", formulas.term(self.members))
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"a mechanism's name is a text, not {self.name!r}")
        if not isinstance(self.satisfies, Guarantee):
            raise TypeError(
                f"{self.name} satisfies a guarantee such as dpcompose.pure(...), not {self.satisfies!r}"
            )
        if self.table is not None:
            self._check_table()
        if self.table is not None and self.noise is not None:
            raise ValueError(f"{self.name}: what adds noise is given by that, and has no table")
        if self.filtered and self.is_concrete:
            raise ValueError(f"{self.name}: a filter has totals, and nothing beside them")
        if self.study is not None and (self.noise is not None or self.table is not None):
            raise ValueError(
                f"{self.name}: a composition is given by its mechanisms, not by noise or a table"
            )
        if self.table is not None and self.members is not None and self.satisfies.metric is None:
            raise ValueError(f"{self.name}: a table is that of one mechanism, and not of a family")

        if self.also and (self.noise is not None or self.study is not None):
            raise ValueError(f"{self.name}: what is given by noise or its mechanisms has one guarantee only")
        lines = {guarantee.notion for guarantee in (self.satisfies, *self.also)} <= set(OF_LINES.values())
        if self.also and (self.filtered or self.table is not None) and not lines:
            raise ValueError(
                f"{self.name}: several guarantees of a table or a filter are those of one trade-off function"
            )
        for guarantee in self.also:
            if not isinstance(guarantee, Guarantee):
                raise TypeError(f"{self.name} also satisfies guarantees, not {guarantee!r}")

    def _check_table(self) -> None:
        from dpcompose.privacy.finite.tables import ProbabilityTable

        if not isinstance(self.table, ProbabilityTable):
            raise TypeError(
                f"{self.name}: a table of probabilities is made by dpcompose.probability_table, "
                f"not {self.table!r}"
            )


def private(name: str, notion: str, metric: Metric, **more: Any) -> Mechanism:
    """A mechanism that is private in a metric: that says what it depends on, whatever it reads."""
    return Mechanism(name, everything, at_any_two(notion, metric), **more)


def comparing(name: str, read: Input) -> Mechanism:
    """A mechanism whose inputs are as far apart as a distance of what is read says."""
    domain = None if read.reads.is_everything else read.domain
    unit = Guarantee("pure", (("epsilon", ONE),), granularity=read.granularity, domain=domain)
    return Mechanism(name, read.reads, unit)
