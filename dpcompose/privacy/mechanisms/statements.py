"""Mechanisms as users state them: by a guarantee, by a query and noise, a table, a study or a filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, overload

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.privacy.format.checks import close
from dpcompose.privacy.guarantees.notions import Guarantee, InMetric, in_metric, pure
from dpcompose.privacy.guarantees.tradeoffs import at_once
from dpcompose.privacy.mechanisms.declared import Declared
from dpcompose.privacy.mechanisms.declared import query as declared
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.privacy.mechanisms.samples import Sample, sample
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.given import Inputs, maps
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import Bit, Query
from dpcompose.spaces.inputs.queries import count as records
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.finite.tables import ProbabilityTable


@frozen
class Measured:
    """A mechanism M∘f that is private in a metric: what it reads, and all guarantees that it has."""

    name: str
    reads: Map
    every: tuple[InMetric | Guarantee, ...]

    @property
    def functions(self) -> list[Any]:
        """The metrics, as `canonical_metric` gives them, of which its guarantees are formulas."""
        return [d for guarantee in self.every if isinstance(guarantee, InMetric) for d in guarantee.functions]

    def __repr__(self) -> str:
        return f"{self.name} reads {self.reads.written('D')} and is {' and '.join(map(str, self.every))}"


@frozen
class Tabled:
    """A mechanism M∘f that is given by its table, which shows the guarantee that it has.

    sampled -- how the sample is drawn that it is run on; then its rows are samples.
    """

    name: str
    table: ProbabilityTable
    reads: Map = everything
    processing: str = ""
    sampled: Sample | None = None

    def for_neighbours(self, target: Granularity, on: DatabaseClass) -> Mechanism:
        """The mechanism with its pure loss at neighbours, the least ε that it has on a class.

        Its rows are the databases, or what is read of them.  Raises TooLarge, WrongTable.
        """
        if self.sampled is not None:
            table = self._on_samples(self.sampled, on)
            return replace(self, table=table, sampled=None).for_neighbours(target, on)
        whole = set(self.table.rows) == set(on.databases())
        table = self.table if whole else self.table.reading(self.reads, on)
        shown = pure(table.loss(target).term, target, None if self.reads.is_everything else "common")
        return Mechanism(self.name, self.reads, shown, table=self.table, processing=self.processing)

    def then(self, words: str) -> Tabled:
        return replace(self, processing=words)

    def on_samples(self, by: Sample) -> Tabled:
        if not self.reads.is_everything:
            raise TypeError(
                f"{self.name}: a table on samples has a row for each of them, and reads everything"
            )
        return replace(self, sampled=by)

    def _on_samples(self, by: Sample, on: DatabaseClass) -> ProbabilityTable:
        """The table of the whole, with the mixture of the rows of its samples for each database."""
        from dpcompose.privacy.finite.drawn import on_samples

        letters = {key: value.number for key, value in by.named.items() if value.number is not None}
        if len(letters) < len(by.named):
            raise ValueError(f"{self.name}: of a table samples are drawn with numbers, not {by}")
        return on_samples(self.table, by.how, letters, on)

    every = ()
    """No guarantee is stated."""

    def __repr__(self) -> str:
        return f"{self.name} reads {self.reads.written('D')} and is a {self.table}"


class Study(Protocol):
    """What `dpcompose.compose` returns, as far as mechanisms use it."""

    def as_mechanism(self, name: str, reads: Map, count: Term | None) -> Mechanism:
        """The composition as one mechanism of another, with the guarantee that it is shown to have."""


@overload
def mechanism(
    name: str,
    satisfies: InMetric | Sequence[InMetric],
    reads: Inputs = everything,
    *,
    domain: str | None = None,
) -> Measured: ...


@overload
def mechanism(
    name: str,
    satisfies: Guarantee | Sequence[Guarantee] | None = None,
    reads: Inputs = everything,
    count: Term | sympy.Expr | int | None = None,
    *,
    query: object = None,
    sensitivity: object = None,
    noise: Noise | None = None,
    table: ProbabilityTable | None = None,
    study: Study | None = None,
    processing: str = "",
    filter: Guarantee | None = None,
    sampled: Sample | Mapping[str, object] | None = None,
    domain: str | None = None,
) -> Mechanism: ...


def mechanism(
    name: str,
    satisfies: Guarantee | InMetric | sympy.Expr | Sequence[Guarantee | InMetric] | None = None,
    reads: Inputs = everything,
    count: Term | sympy.Expr | int | None = None,
    *,
    query: object = None,
    sensitivity: object = None,
    noise: Noise | None = None,
    table: ProbabilityTable | None = None,
    study: Study | None = None,
    processing: str = "",
    filter: Guarantee | None = None,
    sampled: Sample | Mapping[str, object] | None = None,
    domain: str | None = None,
) -> Mechanism | Measured | Tabled:
    """M∘f: a mechanism M with a guarantee, on what the map f reads; with a count a family M[1], …, M[k].

    name -- what results call it; satisfies -- its guarantee, such as `pure`, for the target's neighbours
    where it names none; or one in a metric: `in_metric`, or e*d(x, y) in sympy; or a list of all that it has;
    reads -- the map f: `restriction`, `positions`, `function`, …, or a set of records or positions, a slice
    of positions, a function; left out: it reads everything;
    count -- how many members a family has: a whole number or a parameter; e[i] may then be in its guarantee;
    query, noise -- in place of a guarantee: noise such as `laplace` on a query such as `count`: the guarantee
    follows from how far the query moves between target neighbours; sensitivity -- how far it moves, of a
    query of one's own, a text, function or expression: declared, not checked (`dpcompose.query`);
    table -- its probabilities (`probability_table`), enough alone; study -- M is its composition;
    processing -- what is done to the output before it is published, in words (`Mechanism.then`);
    filter -- in place of a guarantee the total at which a filter stops any interaction (`dpcompose.filter`);
    sampled -- how the samples are drawn that M is run on (`poisson_sample`): what is known of it is on these;
    domain -- "own" or "common": where its guarantee is stated, if that does not say it (GB Rem. IV.9).
    Raises TypeError where there is no guarantee, or two things say one.

    >>> import dpcompose as dpc
    >>> ward = dpc.compose(mechanism("M", dpc.pure("e")), on=dpc.multisets("a"), target="unbounded")
    >>> mechanism("ward", study=ward, reads={"a"})
    ward reads D|{a} and is unbounded pure (e) on the own domain, composed of M
    """
    query = query if sensitivity is None else declared(query, sensitivity)
    besides = (count, query, noise, table, study, filter)
    read, satisfies = _read(name, reads), _on_domain(name, satisfies, domain)
    every: Any = tuple(satisfies) if isinstance(satisfies, list | tuple) else (satisfies,)
    if any(isinstance(guarantee, InMetric) for guarantee in every):
        if any(argument is not None for argument in (*besides, sampled)) or processing:
            raise TypeError(f"{name} is private in a metric: leave out all but what it reads")
        return Measured(name, read, every)
    stopped = filter is not None and _stopped(name, filter, read, count, (satisfies, *besides[1:-1]))
    made = stopped or _mechanism(name, satisfies, read, *besides[:-1])
    made = made if sampled is None else made.on_samples(sample(sampled))
    return made.then(processing) if processing else made


def _read(name: str, reads: Inputs) -> Map:
    """What a mechanism reads, whose name comes first.  Raises TypeError."""
    if not isinstance(name, str):
        raise TypeError(f"a mechanism's name is a text, not {name!r}; it comes first: mechanism('M', ...)")
    try:
        return maps(reads)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {error}") from None


def _on_domain(name: str, satisfies: Any, domain: str | None) -> Any:
    """A guarantee, or several, stated on a domain.  Raises TypeError where there is none, or another."""
    if isinstance(satisfies, list | tuple):
        return [_on_domain(name, satisfy, domain) for satisfy in satisfies]
    if formulas.has_distances(satisfies):
        satisfies = in_metric(satisfies)
    if domain is None:
        return satisfies
    if not isinstance(satisfies, Guarantee | InMetric) or satisfies.domain not in (None, domain):
        raise TypeError(f"{name}: a domain is that of a guarantee which says none, not of {satisfies!r}")
    return replace(satisfies, domain=domain)


def _stopped(
    name: str,
    total: Guarantee,
    reads: Map,
    count: Term | sympy.Expr | int | None,
    besides: Sequence[object],
) -> Mechanism:
    """An interaction that a filter stops at a total."""
    if not isinstance(total, Guarantee):
        raise TypeError(f"{name} is stopped at a guarantee such as dpcompose.pure(...), not {total!r}")
    if any(argument is not None for argument in besides):
        raise TypeError(f"{name} is stopped by a filter, whose total it satisfies: leave out all else")
    first, *others = at_once(total)
    number = None if count is None else formulas.term(count)
    return Mechanism(name, reads, first, number, also=tuple(others), filtered=True)


NEEDS_KEYS = (
    "a threshold is for counts by keys that are not known before: query = { keys = L }, dpcompose.keys(L)"
)


def _mechanism(
    name: str,
    satisfies: Any,
    reads: Map,
    count: Term | sympy.Expr | int | None,
    query: object,
    noise: Noise | None,
    table: ProbabilityTable | None,
    study: Study | None,
) -> Any:
    """M∘f, before its output is processed."""
    query = records if query == "count" else query
    number = None if count is None else formulas.term(count)
    satisfies, also = _guarantees(name, satisfies)
    if study is not None:
        if not (satisfies is None and query is None and noise is None and table is None):
            raise TypeError(f"{name} is a study, from which its guarantee follows: leave out all else")
        if not hasattr(study, "as_mechanism"):
            raise TypeError(f"{name}: a study is what dpcompose.compose returns, not {study!r}")
        return study.as_mechanism(name, reads, number)
    if query is None and noise is None:
        if satisfies is None and table is not None and number is None:
            return Tabled(name, table, reads)
        if satisfies is None:
            more = "" if table is None else "; of families a table shows none"
            raise TypeError(f"{name} needs a guarantee (satisfies), or a query and noise, or a study{more}")
        return Mechanism(name, reads, satisfies, number, table=table, also=also)
    if satisfies is not None:
        raise TypeError(f"{name} has noise: its guarantee follows, and satisfies must be left out")
    if isinstance(query, Declared) and isinstance(noise, Noise):
        return Mechanism(name, reads, query.guarantee(noise), number)
    if query is None and isinstance(noise, Noise) and noise.kind.takes == "bit":
        query = Bit()
    if not (isinstance(query, Query) and isinstance(noise, Noise)):
        raise TypeError(f"{name} {_unfit(query, noise)}")
    if noise.kind.takes == "keys" and "keys" not in query.values:
        raise TypeError(f"{name}: {NEEDS_KEYS}")
    query = query.with_noise(noise.term, dict(noise.further))
    given = noise.guarantee(letters=query.letters)
    assert given is not None
    return Mechanism(name, reads, given, number, query, noise, table)


def _guarantees(name: str, given: Any) -> tuple[Guarantee | None, tuple[Guarantee, ...]]:
    """The guarantee that is given, and those besides."""
    stated = list(given) if isinstance(given, list | tuple) else [given]
    if not stated:
        raise TypeError(f"{name} satisfies a list of guarantees, and it is empty")
    if isinstance(stated[0], Guarantee):
        stated = [every for guarantee in stated for every in at_once(guarantee)]
    elif stated[0] is not None:
        raise TypeError(_no_guarantee(name, stated[0]))
    first, *others = dict.fromkeys(stated)
    return first, tuple(others)


QUERIES = (
    "count",
    "clipped_sum",
    "sum",
    "mean",
    "variance",
    "histogram",
    "vector_sum",
    "scores",
    "keys",
    "questions",
)
"""What queries are called."""


def _no_guarantee(name: str, given: object) -> str:
    """Why something that a mechanism is to satisfy is no guarantee."""
    more = "; probabilities are said beside it, table=..." if hasattr(given, "outcomes") else ""
    if isinstance(given, str) or formulas.is_expression(given):
        more = "; a formula in metrics is dpcompose.in_metric(...)"
    return f"{name} satisfies a guarantee such as dpcompose.pure(...), not {given!r}{more}"


def _unfit(query: object, noise: object) -> str:
    """Why a query and noise make no mechanism."""
    if isinstance(noise, Guarantee):
        return f"has a guarantee for noise, {noise}: normal noise is dpcompose.gaussian_noise(...)"
    if isinstance(query, str) and (said := close(query, QUERIES)):
        return f"asks for {query!r}{said}; a query is such as dpcompose.count"
    if noise is not None and not isinstance(noise, Noise):
        more = "; of a density dpcompose.noise(density, x) makes it" if formulas.is_expression(noise) else ""
        return f"adds noise such as dpcompose.laplace(...), not {noise!r}{more}"
    if query is not None and not isinstance(query, Query | Declared):
        return (
            f"asks for {getattr(query, '__name__', query)!r}: a query is such as dpcompose.count or "
            "dpcompose.histogram(2); of one of your own say how far it moves, sensitivity=..."
        )
    return "adds noise such as dpcompose.laplace(...) to a query such as dpcompose.count: it needs both"
