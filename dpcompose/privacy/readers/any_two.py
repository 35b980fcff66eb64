"""What mechanisms lose at any two databases: formulas in metrics (GB Def. III.2).

A metric of what a map reads says that a mechanism depends on that only: two databases with equal values are
at distance 0.  So these mechanisms read everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel.expressions import metrics, naming, substitution, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.format.checks import Place, near, shown
from dpcompose.privacy.format.schema import QUERIES, GuaranteeTable, MechanismTable
from dpcompose.privacy.guarantees.distances import Metric
from dpcompose.privacy.guarantees.notions import FILE_KEYS, POWERS, Guarantee, at_any_two
from dpcompose.privacy.mechanisms.mechanism import Mechanism, private
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.privacy.readers.distances import Distances
from dpcompose.privacy.readers.rows import lost
from dpcompose.spaces.canonical.compared import Counted
from dpcompose.spaces.canonical.points import Values, gone_through
from dpcompose.spaces.classes.databases import Database
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import count

NORMS = {"pure": "L1", "gaussian": "L2"}
"""In which norm a vector moves to which noise is added, by the notion of the noise."""


class AnyTwo:
    """Says what is lost at any two databases; distances -- the metrics that this is a formula in."""

    def __init__(self, distances: Distances) -> None:
        self.distances, self.names, self.wrong = distances, distances.names, distances.wrong

    # guarantees

    def steps(
        self, stated: GuaranteeTable, guarantee: Guarantee, reads: Map, path: Place
    ) -> Guarantee | None:
        """A guarantee for neighbours at distance r: its parameter times r; δ·Σ e^{jε} over j < r."""
        domain = "own" if reads.is_everything else str(guarantee.domain)
        r = self.distances.canonical(guarantee.about_granularity, (*path, "granularity"), reads, domain)
        parameter, power = POWERS[guarantee.notion]
        given = dict(guarantee.terms)
        value, delta = given[parameter], given.get("delta")
        if r is None:
            return None
        if not (self.names.never_negative(value) or self.names.is_positive(value)):
            self.wrong((*path, parameter), "this is not known to be at least 0 for all allowed values")
            return None
        metric = self.distances.times(terms.power(value, Fraction(1, power)), r)
        besides = []
        if delta is not None:
            if not self.names.is_positive(value):
                self.wrong((*path, parameter), "beside metrics epsilon of an approximate guarantee is > 0")
                return None
            besides = [("delta", delta * (terms.exp(metric) - 1) / (terms.exp(value) - 1))]
        where = "" if reads == everything else f", of {reads.written('D')}, on the {domain} domain"
        words = ", ".join(f"{key} = {stated.value(key)}" for key in FILE_KEYS[stated.notion])
        said = f"{stated.notion} privacy with {words} for {stated.granularity} neighbours{where}"
        return at_any_two(guarantee.notion, Metric(metric, besides=tuple(besides), words=said))

    def least(self, several: Sequence[Guarantee]) -> tuple[Guarantee, ...]:
        """Several guarantees: of those of one notion, without a delta, the least at each two databases."""
        alike: dict[object, list[Guarantee]] = {}
        for n, guarantee in enumerate(several):
            alike.setdefault(n if guarantee.in_metric.besides else guarantee.notion, []).append(guarantee)
        every = {
            key: terms.least(*(guarantee.in_metric.formula for guarantee in guarantees))
            for key, guarantees in alike.items()
        }
        return tuple(
            guarantees[0] if len(guarantees) == 1 else at_any_two(guarantees[0].notion, Metric(every[key]))
            for key, guarantees in alike.items()
        )

    def of_values(self, read: Mapping[str, Term], name: str, domain: str | None) -> Mapping[str, Term]:
        """Formulas in metrics as formulas about the values of a map of points, or a part, that is read.

        On the common domain a norm of the points becomes, of a map that reads some coordinates, that of
        these: points that agree in all others are nearest, in every norm at once (GB Prop. IV.10).  So what
        grows with some norms is least there.  Raises ValueError where a metric is about something else.
        """
        of, put = self.distances.values[name], dict[str, Term]()
        used = {letter for value in read.values() for letter in value.letters if letter in self.names.metrics}
        for metric in [letter for letter in self.names.metrics if letter in used]:
            distance = self.names.metrics[metric].distance
            if distance.is_of(of):
                continue
            closed = distance.over(of, self.distances.coordinates) if domain == "common" else None
            if closed is None:
                raise terms.TermError(
                    f"{metric} is not about {name}, which is read: name a metric of it, [metrics.NAME] "
                    f'of = "{name}"; with domain = "common" norms of coordinates do, where it reads some '
                    "coordinates"
                )
            put[metric] = self.distances.named(f"{metric}_over_{name}", closed)
        if put and not all(_grows(value, put) for value in read.values()):
            raise terms.TermError(
                "over the fibres of a map what grows with norms of points is known, and nothing else"
            )
        return {key: substitution.substituted(value, put) for key, value in read.items()}

    # noise

    def noisy(
        self, given: MechanismTable, noise: Noise, reads: Map, values: str, path: Place
    ) -> Mechanism | None:
        """A mechanism that adds noise to the number of records that are read, or to numbers of points."""
        if given.query not in (None, "count"):
            self.wrong(path, f'with metrics the query is "count"; {QUERIES} in a file about neighbours')
            return None
        own, takes = noise.guarantee(), noise.kind.takes
        norm = None if own is None else {"plane": "L2"}.get(takes, NORMS.get(own.notion))
        if norm is None or own is None or takes not in ("real", "vector", "integer", "plane"):
            said = f"{noise.word} gives no metric in which points are private; laplace noise does"
            self.wrong((*path, "noise"), said)
            return None
        of, query = None, None
        if given.query is None:
            of = self._numbers_read(values, noise, path)
            moved = None if of is None else self.distances.norm(norm, of, path)
        else:
            query, moved = count, self._records_moved(given, reads, values, path)
        if moved is None:
            return None
        ((_, term),) = own.terms
        return private(given.name, own.notion, Metric(term * moved), noise=noise, entries=of, query=query)

    def _numbers_read(self, values: str, noise: Noise, path: Place) -> Values | None:
        """The numbers to which noise is added."""
        known = self.distances.values
        of = known.get(values)
        if of is None or of.formulas is None:
            names = [name for name, entry in known.items() if name and entry.formulas is not None]
            self.wrong((*path, "reads"), f"noise is added to numbers; say of what{near('', names)}")
            return None
        if noise.kind.takes == "integer":
            self.wrong((*path, "noise"), f"{noise.word} noise needs {noise.kind.needs}")
            return None
        if noise.kind.takes == "plane" and len(of.formulas) != 2:
            said = f"{noise.word} is for two coordinates, and laplace noise for any number"
            self.wrong((*path, "noise"), said)
            return None
        return of

    def _records_moved(self, given: MechanismTable, reads: Map, part: str, path: Place) -> Term | None:
        """How far the number of records moves that are read."""
        parts = dict(self.distances.databases.parts if self.distances.databases else ())
        if part not in parts or not parts[part].queried:
            names = [name for name in parts if name]
            self.wrong((*path, "reads"), f"a count is of records: {shown(part)} has none{near(part, names)}")
            return None
        return self.distances.named(f"count_{part}" if part else "count", Counted(part, reads), given.name)

    # tables

    def tabulated(
        self,
        given: MechanismTable,
        rows: Mapping[Database, Sequence[Term]],
        stated: Guarantee | None,
        reads: Map,
        path: Place,
    ) -> Mechanism | None:
        """A mechanism that is a table of probabilities: what it loses, at most what its guarantee says."""
        if stated is not None and stated.notion != "pure":
            self.wrong((*path, "guarantee"), "of a table of probabilities pure privacy is checked here")
            return None
        part, name, names = self.distances.alone, str(given.table), self.names
        every = None if part is None else gone_through(part)
        assert every is not None
        outcomes = self.distances.given.tables[name].outcomes
        try:
            distance, told = lost(name, rows, outcomes, names.domains, names.is_positive, every, reads)
        except ValueError as error:
            self.wrong(("tables", name), error)
            return None
        bound = None if stated is None else stated.in_metric.formula
        letter = self.distances.named(f"lost_by_{given.name}", distance, given.name, bound)
        words = f"the probabilities of the table {name}"
        return private(given.name, "pure", Metric(letter, words=words), table=told)


def _grows(formula: Term, norms: Mapping[str, Term]) -> bool:
    """Whether a formula is seen never to fall as norms grow."""
    moving = {norm: metrics.letter(naming.of_distance(norm)) for norm in norms}
    return metrics.grows(substitution.substituted(formula, moving))
