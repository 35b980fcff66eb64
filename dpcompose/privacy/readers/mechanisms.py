"""The mechanisms of problem files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.expressions.domains import POSITIVE
from dpcompose.kernel.expressions.formulas import is_whole, parse
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.privacy.format.checks import Place, near, shown
from dpcompose.privacy.format.schema import (
    QUERIES,
    READS,
    MechanismTable,
    Notions,
    QueryTable,
    SampledTable,
)
from dpcompose.privacy.guarantees import tradeoffs
from dpcompose.privacy.guarantees.fibres import in_steps
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism, Nested
from dpcompose.privacy.mechanisms.samples import sample
from dpcompose.privacy.mechanisms.statements import NEEDS_KEYS, mechanism
from dpcompose.privacy.readers.any_two import AnyTwo
from dpcompose.privacy.readers.distances import Distances
from dpcompose.privacy.readers.given import members_of, noise_of, rows_of
from dpcompose.privacy.readers.guarantees import Guarantees
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.inputs.keys import Keys
from dpcompose.spaces.inputs.locations import location
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import (
    Query,
    bit,
    clipped_sum,
    count,
    histogram,
    mean,
    variance,
    vector_sum,
)
from dpcompose.spaces.inputs.questions import questions
from dpcompose.spaces.inputs.scores import monotone_scores, scores
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from dpcompose.privacy.finite.tables import ProbabilityTable


Showing = Callable[[str, Setting, Map, Term | None], Mechanism]
"""Makes a mechanism of a study, by its name, what is composed, what it reads and how many there are, with the
guarantee that is shown for it; raises a ValueError where none is.  It searches, and so it is passed in."""


Inner = Callable[[str, "str | None", Sequence[str], Place], "Setting | None"]
"""What the study of a name composes, read for the index of a family and for notions, at a key path."""


class Mechanisms:
    """The mechanisms of a problem file: their guarantees, or what these follow from.

    distances -- the databases where they are, with metrics on them; keys -- the parameters of each notion;
    any_two -- what says their guarantees of any two databases; None: they are for neighbours; target -- which
    neighbours tables show guarantees for; study, show -- what a study composes, and the guarantee that is
    shown for it; notions -- those that are claimed; index -- that of the family that a study is read for.
    """

    def __init__(
        self,
        distances: Distances,
        keys: Notions,
        any_two: AnyTwo | None,
        target: Granularity | None,
        study: Inner,
        show: Showing | None,
        notions: Sequence[str],
        index: str | None,
    ) -> None:
        self.distances, self.names, self.mistakes = distances, distances.names, distances.names.mistakes
        self.tables, self.any_two, self.study, self.show = distances.given.tables, any_two, study, show
        self.target = target
        self.notions, self.index, self.guarantees = notions, index, Guarantees(distances, keys, any_two)

    def mechanism(self, i: int, given: MechanismTable) -> Mechanism | None:
        """The mechanism of a number, from 0; None where it is none, which is told."""
        made = self._before_processing(i, given)
        made = made if made is None or given.sampled is None else self._sampled(i, given.sampled, made, given)
        return made.then(given.post_processing) if made and given.post_processing else made

    # what is read

    def members(self, given: MechanismTable, path: Place) -> Term | None:
        """How many mechanisms a family has; None for a single one."""
        taken = self.names.symbols if self.any_two is None else self.names.taken
        term = members_of(given, self.names, taken, path)
        counts = term is None or (is_whole(term) and self.names.never_negative(term - 1))
        if self.any_two is not None and not counts:
            self.mistakes.wrong(
                (*path, "count"), f"{given.count} is not known to be a whole number from 1 on"
            )
        return term

    def values_read(self, given: MechanismTable, path: Place) -> str | None:
        """The name of the part, or map of points, that is read; "" for none; None where there is no such."""
        name = given.name_read
        known = self.distances.values if self.any_two is not None else {}
        if given.map_read is not None and given.map_read.map in known:
            return str(given.map_read.map)  # of points by its name alone
        if name in ("", *known):
            return name
        if not known:
            READS.read(name, (*path, "reads"), self.mistakes)
            return None
        there = near(name, [part for part in known if part])
        self.mistakes.wrong((*path, "reads"), f"there is no map {shown(name)}{there}")
        return None

    def reads(
        self, given: MechanismTable, path: Place, values: str | None = "", many: Term | None = None
    ) -> Map | None:
        """The map that is read, where it is none of points, and no part; None where it is none.

        many -- how many members a family has.
        """
        table, where = given.map_read, (*path, "reads")
        if values is None or table is None or values == table.map:
            return None if values is None else everything
        if self.any_two is None:
            return self.distances.spaces[""].reads(table, where, given.index, many)
        return self.distances.reading(table, where)

    # what is known of it

    def _before_processing(self, i: int, given: MechanismTable) -> Mechanism | None:
        path: Place = ("mechanisms", i)
        many = self.members(given, path)
        values = self.values_read(given, path)
        reads = self.reads(given, path, values, many)
        if given.study is not None:
            return None if reads is None else self._of_study(given, given.study, reads, many, path)
        if given.table is not None and (given.guarantee is None or self.any_two is not None):
            return self._tabulated(given, reads, path)
        if given.satisfies is None and given.guarantee is None and given.filter is None:
            return self._with_noise(given, reads, values or "", many, path)
        index = given.index or self.index
        key = "satisfies" if given.satisfies else "filter" if given.filter else "guarantee"
        stated = given.satisfies or [getattr(given, key)]
        every = [
            self.guarantees.every(
                guarantee_table,
                reads,
                (*path, key, n) if given.satisfies else (*path, key),
                index,
                values or "",
            )
            for n, guarantee_table in enumerate(stated)
        ]
        guarantees = [guarantee for some in every for guarantee in some]
        if reads is None or not all(every):
            return None
        filtered = given.filter is not None
        if self.any_two is not None:
            first, *others = self.any_two.least(guarantees)
            return Mechanism(given.name, everything, first, many, also=tuple(others), filtered=filtered)
        if filtered:
            return mechanism(given.name, None, reads, many, filter=guarantees[0])
        guarantees = [in_steps(guarantee, reads) for guarantee in guarantees]
        if given.satisfies is not None:
            if any(guarantee.metric is not None for guarantee in guarantees):
                self.mistakes.wrong(
                    path,
                    "of several guarantees, those in metrics that are no number times one canonical metric, "
                    "such as e*d_unbounded, need claims in metrics",
                )
                return None
            return mechanism(given.name, guarantees, reads, many)
        table = None if given.table is None else self._probabilities(given.table, path)
        satisfies, *also = tradeoffs.at_once(guarantees[0])
        return Mechanism(given.name, reads, satisfies, many, table=table, also=tuple(also))

    def _sampled(
        self, i: int, stated: SampledTable, made: Mechanism, given: MechanismTable
    ) -> Mechanism | None:
        """A mechanism that is run on a sample."""
        (key,) = stated.given
        texts, path = getattr(stated, key), ("mechanisms", i, "sampled", key)
        several = [texts] if isinstance(texts, str) else texts
        index = given.index or self.index
        with self.mistakes.telling(("mechanisms", i, "sampled")):
            values = [
                self.names.stated(text, key, path, index)
                if key == "poisson"
                else self.names.counted(text, path)
                for text in several
            ]
            if None not in values:
                return made.on_samples(sample({key: values}))
        return None

    def _with_noise(
        self, given: MechanismTable, reads: Map | None, values: str, many: Term | None, path: Place
    ) -> Mechanism | None:
        assert given.noise is not None
        index = given.index or self.index

        def read(text: str, key: str, at: Place) -> Term | None:
            return self.names.stated(text, key, at, index)

        noise = noise_of(given.noise, read, self.names, path)
        if self.any_two is not None:
            if noise is None or reads is None:
                return None
            made = self.any_two.noisy(given, noise, reads, values, path)
            return None if made is None else replace(made, members=many)
        if given.query is None and given.noise.word != "randomized-response":
            self.mistakes.wrong(path, f"what is the noise added to? {QUERIES}")
            return None
        query = self._query(given, path)
        if reads is None or query is None or noise is None:
            return None
        if noise.kind.takes == "keys" and "keys" not in query.values:
            self.mistakes.wrong((*path, "noise", "threshold"), NEEDS_KEYS)
            return None
        return mechanism(given.name, reads=reads, count=many, query=query, noise=noise)

    def _of_study(
        self, given: MechanismTable, name: str, reads: Map, many: Term | None, path: Place
    ) -> Mechanism | None:
        """A study as a mechanism, with the guarantee that is shown for it, or that the file states."""
        stated = given.guarantee
        index = given.index or self.index
        setting = self.study(name, index, [stated.notion] if stated else self.notions, path)
        if setting is None:
            return None
        derived: Mechanism | None = None
        if self.show is not None:
            try:
                derived = self.show(given.name, setting, reads, many)
            except ValueError as error:
                self.mistakes.wrong((*path, "study"), f"no guarantee of {name} is known: {error}")
                return None
        if stated is None:
            if derived is None:
                self.mistakes.wrong(path, "this key is missing: the guarantee of its study")
            return derived
        known = self.guarantees.values(stated, (*path, "guarantee"), index)
        satisfies = known and replace(known, granularity=setting.target, domain=stated.domain)
        if setting.target.data() != stated.granularity:
            message = f"{name} is a study for {setting.target} neighbours, so its guarantee is, too"
            self.mistakes.wrong((*path, "guarantee", "granularity"), message)
        elif derived is not None and derived.satisfies != satisfies:
            self.mistakes.wrong(
                (*path, "guarantee"), f"what is shown for {name} is {derived.satisfies}; leave it out"
            )
        if derived is not None or satisfies is None:
            return derived
        return Mechanism(given.name, reads, satisfies, many, study=Nested(setting))

    # tables

    def _tabulated(self, given: MechanismTable, reads: Map | None, path: Place) -> Mechanism | None:
        """A mechanism that is known by its table of probabilities, and by what bounds that."""
        if self.any_two is None:
            return self._showing(given, reads, path)
        stated: Guarantee | None = None
        if given.guarantee is not None:
            stated = self.guarantees.of(given.guarantee, reads, (*path, "guarantee"), given.index)
        rows = rows_of(str(given.table), self.tables, self._is_listed, self._probability, self.mistakes, path)
        if rows is None or reads is None or (stated is None) != (given.guarantee is None):
            return None
        return self.any_two.tabulated(given, rows, stated, reads, path)

    def _showing(self, given: MechanismTable, reads: Map | None, path: Place) -> Mechanism | None:
        """A mechanism with the guarantee that its table shows for the target's neighbours."""
        table = self._probabilities(str(given.table), path)
        databases = self.distances.databases
        if table is None or reads is None or self.target is None or databases is None:
            return None
        with self.mistakes.telling((*path, "table")):
            stated: Any = mechanism(given.name, reads=reads, table=table)
            made: Mechanism = stated.for_neighbours(self.target, databases)
            return made
        return None

    @property
    def _is_listed(self) -> bool:
        alone = self.distances.alone
        return alone is not None and alone.is_listed

    def _probabilities(self, name: str, path: Place) -> ProbabilityTable | None:
        """A table of probabilities; names in its formulas that are not listed are made here."""
        rows = rows_of(name, self.tables, self._is_listed, self._probability, self.mistakes, path)
        if rows is None:
            return None
        from dpcompose.privacy.finite.tabulated import probability_table

        given = self.tables[name]
        with self.mistakes.telling(("tables", name)):
            used = {letter for row in rows.values() for p in row for letter in p.letters}
            domains = {letter: str(self.names.domains[letter]) for letter in sorted(used)}
            return probability_table(rows, given.outcomes, parameters=domains)
        return None

    def _probability(self, text: str, key: str, path: Place) -> Term | None:
        """An entry of a table; names that are not listed are made here."""
        known = self.names
        if known.strict:
            return known.formula(text, path)
        with self.mistakes.telling(path):
            for name in formulas.names(text):
                if name not in known.symbols:
                    known.adopt(name, POSITIVE, path)
            return parse(text, known.symbols)
        return None

    def _query(self, given: MechanismTable, path: Place) -> Query | None:
        """What the mechanism asks for; one bit where that is left out."""
        table = given.query
        if not isinstance(table, QueryTable):
            return bit if table is None else {"count": count, "bit": bit, **self.mistakes.own.queries}[table]
        if table.histogram is not None:
            return histogram(table.histogram)
        for word, (text, made) in {
            "location": (table.location, location),
            "vector-sum": (table.vector_sum, vector_sum),
            "scores": (table.scores, scores),
            "monotone-scores": (table.monotone_scores, monotone_scores),
        }.items():
            if text is not None:
                bound = self.names.stated(text, word, (*path, "query", word), None)
                return None if bound is None else made(bound)
        if table.questions is not None:
            return self._of_questions(table.questions, (*path, "query", "questions"))
        if table.keys_ is not None:
            return self._of_keys(table.keys_, (*path, "query", "keys"))
        (key,) = table.given
        texts = enumerate(getattr(table, key))
        bounds = [self.names.stated(text, key, (*path, "query", key, n), None) for n, text in texts]
        lower, upper = bounds
        if lower is None or upper is None:
            return None
        if "oo" in (lower.kind, upper.kind):
            self.mistakes.wrong((*path, "query", key), "the bounds of an attribute are finite")
            return None
        return {"sum": clipped_sum, "mean": mean, "variance": variance}[key](lower, upper)

    def _of_questions(self, given: str | list[str], path: Place) -> Query | None:
        """Between which numbers a record moves sums, or what it moves them by at most."""
        texts = enumerate(given) if isinstance(given, list) else [("", given)]
        ends = [self.names.stated(text, "questions", (*path, n), None) for n, text in texts]
        return None if None in ends else questions(*ends)

    def _of_keys(self, given: str | list[str], path: Place) -> Query | None:
        """Counts by keys: how many a record has at most, and what it adds to each, or 1."""
        texts = given if isinstance(given, list) else [given, "1"]
        terms = [self.names.stated(text, "keys", (*path, n), None) for n, text in enumerate(texts)]
        if None in terms:
            return None
        if any(term is not None and term.kind == "oo" for term in terms):
            self.mistakes.wrong(path, "a record has finitely many keys, and adds a finite amount to each")
            return None
        most, each = (term for term in terms if term is not None)
        if most.number is not None and most.number.denominator != 1:
            self.mistakes.wrong(path, "how many keys a record has is a whole number")
            return None
        return Keys(most, each)
