"""The mechanisms of problem files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dpcompose.kernel.core.lines import RATE
from dpcompose.kernel.core.orders import ALPHA, reciprocal
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions.domains import POSITIVE
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.privacy import tradeoffs
from dpcompose.privacy.checks import Path_
from dpcompose.privacy.mechanisms import Mechanism, Nested
from dpcompose.privacy.notions import OF_LINES, Guarantee, in_orders
from dpcompose.privacy.readers.given import members_of, noise_of, rows_of
from dpcompose.privacy.readers.guarantees import InDistances
from dpcompose.privacy.readers.space import Space
from dpcompose.privacy.samples import sample
from dpcompose.privacy.schema import (
    GuaranteeTable,
    MechanismTable,
    Notions,
    QueryTable,
    SampledTable,
    StudyTable,
)
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.reads import DOMAIN_NEEDED
from dpcompose.privacy.statements import NEEDS_KEYS, mechanism
from dpcompose.privacy.tradeoffs import IS_RATE
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
from dpcompose.spaces.inputs.scores import monotone_scores, scores
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from dpcompose.privacy.tables import ProbabilityTable


Showing = Callable[[str, Setting, Map, Term | None], Mechanism]
"""Makes a mechanism of a study, by its name, what is composed, what it reads and how many there are, with the
guarantee that is shown for it; raises a ValueError where none is.  It searches, and so it is passed in."""


Inner = Callable[[str, "str | None", Sequence[str], Path_], "Setting | None"]
"""What the study of a name composes, read for the index of a family and for notions, at a key path."""


class Mechanisms:
    """The mechanisms of a problem file: their guarantees, or what these follow from.

    space -- where they are; given -- the table of the file;
    keys -- the parameters of each notion; study, show -- what a study composes, and the guarantee that is
    shown for it; notions -- those that are claimed; index -- that of the family that a study is read for.
    """

    def __init__(
        self,
        space: Space,
        given: StudyTable,
        keys: Notions,
        study: Inner,
        show: Showing | None,
        notions: Sequence[str],
        index: str | None,
    ) -> None:
        self.space, self.parameters, self.found = space, space.parameters, space.found
        self.tables, self.keys, self.study, self.show = given.tables, keys, study, show
        self.notions, self.index, self.distances = notions, index, InDistances(given, space, keys)

    def mechanism(self, i: int, given: MechanismTable) -> Mechanism | None:
        """The mechanism of a number, from 0; None where it is none, which is told."""
        found = self._before_processing(i, given)
        found = (
            found if found is None or given.sampled is None else self._sampled(i, given.sampled, found, given)
        )
        return found.then(given.post_processing) if found and given.post_processing else found

    def _sampled(
        self, i: int, stated: SampledTable, found: Mechanism, given: MechanismTable
    ) -> Mechanism | None:
        """A mechanism that is run on a sample."""
        (key,) = stated.given
        texts, path = getattr(stated, key), ("mechanisms", i, "sampled", key)
        several = [texts] if isinstance(texts, str) else texts
        index = given.index or self.index
        try:
            values = [
                self.parameters.stated(text, key, path, index)
                if key == "poisson"
                else self.parameters.counted(text, path)
                for text in several
            ]
            if any(one is None for one in values):
                return None
            return found.on_samples(sample({key: values}))
        except ValueError as error:
            self.found.wrong(("mechanisms", i, "sampled"), error)
            return None

    def _before_processing(self, i: int, given: MechanismTable) -> Mechanism | None:
        path: Path_ = ("mechanisms", i)
        count = members_of(given, self.parameters, self.parameters.symbols, path)
        index = given.index or self.index
        reads: Map | None = everything
        if given.map_read is not None:
            reads = self.space.reads(given.map_read, (*path, "reads"), given.index, count)
        stated = given.guarantee or given.filter
        if given.study is not None:
            return None if reads is None else self._of_study(given, given.study, reads, count, path)
        if given.satisfies is not None:
            every = [
                self._guarantee(one, reads, (*path, "satisfies", n), index)
                for n, one in enumerate(given.satisfies)
            ]
            some = [one for one in every if one is not None]
            if reads is None or len(some) < len(every):
                return None
            return mechanism(given.name, some, reads, count)
        if stated is None:
            assert given.noise is not None

            def read(text: str, key: str, at: Path_) -> Term | None:
                return self.parameters.stated(text, key, at, index)

            query = self._query(given, path)
            noise = noise_of(given.noise, read, self.parameters, path)
            if reads is None or query is None or noise is None:
                return None
            if noise.besides and noise.kind.takes not in query.values:
                self.found.wrong((*path, "noise", "threshold"), NEEDS_KEYS)
                return None
            return mechanism(given.name, reads=reads, count=count, query=query, noise=noise)
        found = self._guarantee(stated, reads, (*path, "filter" if given.filter else "guarantee"), index)
        if reads is None or found is None:
            return None
        if given.filter is not None:
            return mechanism(given.name, None, reads, count, filter=found)
        table = None if given.table is None else self._probabilities(given.table, path)
        satisfies, *also = tradeoffs.at_once(found)
        return Mechanism(given.name, reads, satisfies, count, table=table, also=tuple(also))

    def _guarantee(
        self,
        stated: GuaranteeTable,
        reads: Map | None,
        path: Path_,
        index: str | None,
    ) -> Guarantee | None:
        """A guarantee of a mechanism that reads something."""
        if stated.metric is not None:
            return None if reads is None else self.distances.guarantee(stated, reads, path, index)
        assert stated.granularity is not None
        granularity = self.space.granularity(stated.granularity, (*path, "granularity"))
        orders = stated.of_orders
        if stated.omega is not None:
            self.parameters.above_one(stated.omega, (*path, "omega"))
        if stated.notion in OF_LINES:
            return self._tradeoff(stated, granularity, reads, path, index)
        read = [
            (key, self.parameters.stated(str(stated.value(key)), key, (*path, key), index, stated.alpha))
            for key in self.keys[stated.notion]
        ]
        given_values = tuple(
            (key, value if stated.written(key)[0] == key else reciprocal(value))
            for key, value in read
            if value is not None
        )
        if reads is not None and not reads.is_everything and stated.domain is None:
            self.found.wrong((*path, "domain"), DOMAIN_NEEDED)
            return None
        if granularity is None or len(given_values) < len(read):
            return None
        found = Guarantee(stated.notion, given_values, granularity, stated.domain)
        return found if orders is None else in_orders(found, orders)

    def _tradeoff(
        self,
        stated: GuaranteeTable,
        granularity: Granularity | None,
        reads: Map | None,
        path: Path_,
        index: str | None,
    ) -> Guarantee | None:
        """A trade-off function, in whatever form."""
        at = (*path, "tradeoff")
        if ALPHA in self.parameters.given:
            self.found.wrong(("parameters", ALPHA), IS_RATE)
            return None
        if reads is not None and not reads.is_everything and stated.domain is None:
            self.found.wrong((*path, "domain"), DOMAIN_NEEDED)
            return None
        try:
            found = tradeoffs.values(
                stated.function, lambda text: self.parameters.stated(text, "tradeoff", at, index, RATE)
            )
            if granularity is None or found is None:
                return None
            notion, value = found
            made = Guarantee(notion, ((self.keys[notion][0], value),), granularity, stated.domain)
            tradeoffs.at_once(made)
        except ValueError as error:
            self.found.wrong(at, error)
            return None
        return made

    def _of_study(
        self, given: MechanismTable, name: str, reads: Map, count: Term | None, path: Path_
    ) -> Mechanism | None:
        """A study as a mechanism, with the guarantee that is shown for it, or that the file states."""
        stated = given.guarantee
        setting = self.study(
            name, given.index or self.index, [stated.notion] if stated else self.notions, path
        )
        if setting is None:
            return None
        found: Mechanism | None = None
        if self.show is not None:
            try:
                found = self.show(given.name, setting, reads, count)
            except ValueError as error:
                self.found.wrong((*path, "study"), f"no guarantee of {name} is known: {error}")
                return None
        if stated is None:
            if found is None:
                self.found.wrong(path, "this key is missing: the guarantee of its study")
            return found
        index = given.index or self.index
        known = tuple(
            (key, value if stated.written(key)[0] == key else reciprocal(value))
            for key in self.keys[stated.notion]
            if (
                value := self.parameters.stated(
                    str(stated.value(key)), key, (*path, "guarantee", key), index, stated.alpha
                )
            )
            is not None
        )
        satisfies = Guarantee(stated.notion, known, setting.target, stated.domain)
        if stated.of_orders is not None and len(known) == 1:
            satisfies = in_orders(satisfies, stated.of_orders)
        if setting.target.data() != stated.granularity:
            message = f"{name} is a study for {setting.target} neighbours, so its guarantee is, too"
            self.found.wrong((*path, "guarantee", "granularity"), message)
        elif found is not None and found.satisfies != satisfies:
            self.found.wrong(
                (*path, "guarantee"), f"what is shown for {name} is {found.satisfies}; leave it out"
            )
        return found or Mechanism(given.name, reads, satisfies, count, study=Nested(setting))

    def _probabilities(self, name: str, path: Path_) -> ProbabilityTable | None:
        """A table of probabilities; names in its formulas that are not listed are made here."""
        listed = self.space.databases is not None and self.space.databases.is_listed
        rows = rows_of(name, self.tables, listed, self._probability, self.found, path)
        if rows is None:
            return None
        from dpcompose.privacy.tabulated import probability_table

        given = self.tables[name]
        try:
            used = {one for row in rows.values() for p in row for one in p.letters}
            domains = {one: str(self.parameters.domains[one]) for one in sorted(used)}
            return probability_table(rows, given.outcomes, parameters=domains)
        except ValueError as error:
            self.found.wrong(("tables", name), error)
            return None

    def _probability(self, text: str, key: str, path: Path_) -> Term | None:
        """An entry of a table; names that are not listed are made here."""
        known = self.parameters
        try:
            for one in formulas.names(text):
                if one not in known.symbols:
                    known.adopt(one, POSITIVE, path)
            return kernel.parse(text, known.symbols)
        except formulas.FormulaError as error:
            self.found.wrong(path, error)
            return None

    def _query(self, given: MechanismTable, path: Path_) -> Query | None:
        """What the mechanism asks for; one bit where that is left out."""
        table = given.query
        if not isinstance(table, QueryTable):
            return bit if table is None else {"count": count, "bit": bit, **self.found.own.queries}[table]
        if table.histogram is not None:
            return histogram(table.histogram)
        for word, (text, made) in {
            "location": (table.location, location),
            "vector-sum": (table.vector_sum, vector_sum),
            "scores": (table.scores, scores),
            "monotone-scores": (table.monotone_scores, monotone_scores),
        }.items():
            if text is not None:
                bound = self.parameters.stated(text, word, (*path, "query", word), None)
                return None if bound is None else made(bound)
        if table.keys_ is not None:
            return self._of_keys(table.keys_, (*path, "query", "keys"))
        (key,) = table.given
        texts = enumerate(getattr(table, key))
        bounds = [self.parameters.stated(text, key, (*path, "query", key, n), None) for n, text in texts]
        lower, upper = bounds
        if lower is None or upper is None:
            return None
        if "oo" in (lower.kind, upper.kind):
            self.found.wrong((*path, "query", key), "the bounds of an attribute are finite")
            return None
        return {"sum": clipped_sum, "mean": mean, "variance": variance}[key](lower, upper)

    def _of_keys(self, given: str | list[str], path: Path_) -> Query | None:
        """Counts by keys: how many a record has at most, and what it adds to each, or 1."""
        texts = given if isinstance(given, list) else [given, "1"]
        found = [self.parameters.stated(text, "keys", (*path, n), None) for n, text in enumerate(texts)]
        if None in found:
            return None
        if any(one is not None and one.kind == "oo" for one in found):
            self.found.wrong(path, "a record has finitely many keys, and adds a finite amount to each")
            return None
        most, each = (one for one in found if one is not None)
        if most.number is not None and most.number.denominator != 1:
            self.found.wrong(path, "how many keys a record has is a whole number")
            return None
        return Keys(most, each)
