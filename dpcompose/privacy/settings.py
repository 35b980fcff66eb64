"""Settings: mechanisms composed over one class, for one target granularity, as stated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel import substitution, terms
from dpcompose.kernel.assumptions import NOTHING, Assumed, Assumption, holds_at
from dpcompose.kernel.deciders import values
from dpcompose.kernel.fields import near
from dpcompose.kernel.terms import Term
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import Domain, alike, domain_of, family_of, symbol
from dpcompose.privacy.assumptions import assumption, doubt
from dpcompose.privacy.mechanisms import Composition, Mechanism, Nested
from dpcompose.spaces.attributed import Tables
from dpcompose.spaces.changes import Changes
from dpcompose.spaces.databases import DatabaseClass
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.graphs import graph_of_inputs, neighbourhood_graph
from dpcompose.spaces.groups import Group
from dpcompose.spaces.listed import Listed
from dpcompose.spaces.maps import Everything, Function, Map, Table
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.parts import Part
from dpcompose.spaces.policies import policy_of
from dpcompose.spaces.queries import Bit, Count, Location, Mean, Sum
from dpcompose.spaces.reading import AtVertex, EachVertex, OfGraphs
from dpcompose.spaces.recodings import Recoding
from dpcompose.spaces.relations import Pairs, pairs
from dpcompose.spaces.restrictions import Positions, Restriction
from dpcompose.spaces.sequences import Sequences
from dpcompose.spaces.sizes import Size
from dpcompose.spaces.subsets import Graphs, Sets
from dpcompose.spaces.tuples import Tuples
from dpcompose.spaces.unions import Union

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.findings import Finding
    from dpcompose.privacy.tables import ProbabilityTable


class InvalidSetting(ValueError):
    """The parts of a setting do not fit together; the message says which and why."""


@dataclass(frozen=True, repr=False)
class Setting(Composition, Shown):
    """M = (M_1∘f_1, …, M_k∘f_k) over a class 𝔻, for the neighbours of the target.

    adaptive -- False: the mechanisms are independent.  True: M_i may read the outputs of M_1, …, M_{i−1};
    then its guarantee, and what it depends on, hold for every value of these, and f_i does not
    depend on them (GB Def. V.1).

    domains -- the values that each parameter may take, by name;
    numbers -- parameters of a problem file that stand for numbers, with their texts;
    doubts -- why parameters of guarantees may have no real value for some allowed ones;
    assume -- relations between parameters, which hold for all values that are meant;
    beside -- where one guarantee of each mechanism is chosen, the others, in words.
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

    def __post_init__(self) -> None:
        if not self.mechanisms:
            raise InvalidSetting("a composition needs at least one mechanism")
        names = Counter(mechanism.name for mechanism in self.mechanisms)
        if twice := sorted(name for name, times in names.items() if times > 1):
            raise InvalidSetting(f"two mechanisms are called {twice[0]!r}")
        if unfit := self.target.unfit(self.databases):
            raise InvalidSetting(unfit)
        stated = self.granularities
        named = frozenset[object]().union(
            *(one.reads.names for one in self.mechanisms), *(one.names for one in stated)
        )
        object.__setattr__(self, "databases", self.databases.naming(named, self.target.innermost()[1]))
        object.__setattr__(self, "mechanisms", tuple(map(self._on_the_class, self.mechanisms)))
        self._place()
        self._check_names(stated)
        _one_meaning("granularities", [*stated, *(one.innermost()[0] for one in stated)])
        named_maps = (Table, Function, Recoding)
        tables = [m.reads for m in self.mechanisms if isinstance(m.reads, named_maps) and m.reads.name]
        _one_meaning("maps", tables)
        self._check_families()
        for mechanism in self.mechanisms:
            for one in mechanism.alone if mechanism.also else [mechanism]:
                self._check(one)
            for value in mechanism.terms:
                self.check_ranges(value)
        for name, found in self.on_tables.items():
            if found.verdict == "refuted":
                raise InvalidSetting(f"{name} is not what its table shows: {found.words}")

    def _check_names(self, stated: Sequence[Granularity]) -> None:
        """Policies are about records of the class; where queries look at attributes, they say too little."""
        for name, inner in self.studies.items():
            named = [one for one in stated if one.partial] if inner.attributes else []
            if named:
                raise InvalidSetting(
                    f"{name} looks at an attribute of the records, of which {named[0]} neighbours say nothing"
                )
        if not isinstance(self.databases, Multisets | Sets | Tuples) or self.databases.arbitrary:
            return
        if isinstance(self.databases, Multisets) and self.databases.unlimited:
            self._check_unnamed(stated)
        for one, records in self._about():
            if unknown := sorted(one.names - records):
                there = near(unknown[0], records)
                raise InvalidSetting(f"{one} is about {unknown[0]!r}, which is no record of the class{there}")

    def _place(self) -> None:
        """Where neighbours are told by rows in parts: these are the record sets that mechanisms read.

        Those of families are known once some of them are written out.
        """
        if not any(one.by_rows for one in self._singles):
            return
        parts = list(
            dict.fromkeys(m.reads.inside for m in self.mechanisms if isinstance(m.reads, Restriction))
        )
        if any(isinstance(m.reads, Part) for m in self.mechanisms):
            if over := next(
                (m for m in self.mechanisms if isinstance(m.reads, Part) and m.reads.most > 1), None
            ):
                raise InvalidSetting(
                    f"{over.name} reads overlapping parts, among which a person's rows are not limited"
                )
            return
        if all(one.partitions is not None for one in self._singles if one.by_rows):  # type: ignore[attr-defined]
            return
        for one, other in combinations(parts, 2):
            if one & other:
                raise InvalidSetting(
                    f"a person's rows are counted by the record sets that are read, and these overlap in "
                    f"{min(one & other)!r}; parts of a partition would do, or sets without a common record"
                )
        self._told_of_parts([tuple(parts)])

    def _told_of_parts(self, partitions: Sequence[tuple[frozenset[str], ...]]) -> None:
        """Says to all granularities which sets of records are the parts."""
        object.__setattr__(self, "target", self.target.placed(partitions))
        mechanisms = tuple(m.regarding(lambda one: one.placed(partitions)) for m in self.mechanisms)
        object.__setattr__(self, "mechanisms", mechanisms)

    @property
    def _singles(self) -> list[Granularity]:
        """The single steps of the granularities."""
        return [one.innermost()[0] for one in self.granularities]

    @property
    def of_single_steps(self) -> Setting:
        """The setting for one of as many steps as parameters say."""
        if all(one.single_step is one for one in self.granularities):
            return self
        mechanisms = tuple(m.regarding(lambda one: one.single_step) for m in self.mechanisms)
        return replace(self, target=self.target.single_step, mechanisms=mechanisms)

    def at(self, point: Mapping[str, Fraction]) -> Setting:
        """The setting with numbers for the parameters of its granularities."""
        if not any(one.letters for one in self.granularities):
            return self
        mechanisms = tuple(m.regarding(lambda one: one.at(point)) for m in self.mechanisms)
        return replace(self, target=self.target.at(point), mechanisms=mechanisms)

    def _about(self) -> Iterator[tuple[Granularity, set[str]]]:
        """What is stated, with the records that it may name: of recoded ones what they become as well."""
        known = (
            set(self.databases.records) if isinstance(self.databases, Multisets | Sets | Tuples) else set()
        )
        yield self.target, known
        for one in self.mechanisms:
            if (stated := one.satisfies.granularity) is not None:
                own = isinstance(one.reads, Recoding) and one.satisfies.domain == "own"
                further = {str(x) for x in one.reads.names} if own else set()
                yield stated, known | further

    def _check_unnamed(self, stated: Sequence[Granularity]) -> None:
        """Where attributes have any values, records are told by these and have no names of their own."""
        named = [str(one) for one in stated if one.names]
        named += [m.name for m in self.mechanisms if type(m.reads) is Restriction and m.reads.records]
        if named:
            raise InvalidSetting(
                f"{named[0]} names records, and {self.databases} have any number of them: say which by their "
                'attributes, reads = { where = { county = ["north"] } } or replace = { keeps = ["county"] }'
            )

    def __repr__(self) -> str:
        """What is composed, in one line."""
        names = [mechanism.called for mechanism in self.mechanisms]
        some = ", ".join(names if len(names) <= 6 else [*names[:3], "...", names[-1]])
        return f"composition of {some} on {self.databases}, for {self.target} neighbours"

    @cached_property
    def on_tables(self) -> dict[str, Finding]:
        """For each mechanism that has a table, what it shows: its guarantee, and what it depends on."""
        found = {m.name: self._on_table(m, m.table) for m in self.mechanisms if m.table is not None}
        return {name: self._where_assumed(one) for name, one in found.items()}

    def _where_assumed(self, found: Finding) -> Finding:
        """What a table shows; undecided where it fails at values that are not meant."""
        if found.verdict != "refuted" or holds_at(self.assume, found.point):
            return found
        return replace(
            found, verdict="undecided", words="it fails at values that are excluded by assumptions"
        )

    def _on_table(self, mechanism: Mechanism, table: ProbabilityTable) -> Finding:
        f, stated, databases = mechanism.reads, mechanism.satisfies, self.databases
        if databases.count() is None or f.image(databases).count() is None:
            raise InvalidSetting(
                f"{mechanism.name} has a table, with a row for each database, but {databases} are infinitely "
                "many; a finite class would do"
            )
        for name, domain in table.domains.items():
            if self.domains.get(name) != domain:
                known = f"is {self.domains[name]} here" if name in self.domains else "is no parameter here"
                raise InvalidSetting(f"{name} in the table of {mechanism.name} is {domain}, and {known}")
        whole, inputs = set(databases.databases()), set(f.image(databases).databases())
        own = self._on_own_domain(mechanism)
        if set(table.rows) not in ([inputs] if own else [whole, inputs]):
            wanted = f"value of {f.written('D')}" if own else "database of the class"
            missing = sorted(map(str, (inputs if own else whole) - set(table.rows)))
            example = f": {missing[0]} has none" if missing else ", and no others"
            raise InvalidSetting(f"the table of {mechanism.name} needs a row for each {wanted}{example}")
        granularity = stated.about_granularity
        if self.has_inputs_as_rows(mechanism):
            # On the common domain a table on the inputs is M*: privacy for the push-forward is the same.
            return table.check(stated, graph_of_inputs(databases, granularity, f, own))
        depends = table.check_depends(f)
        if not depends.holds:
            return depends
        return table.check(stated, neighbourhood_graph(databases, granularity))

    def _on_own_domain(self, mechanism: Mechanism) -> bool:
        return mechanism.satisfies.domain == "own" and not mechanism.reads.is_identity(self.databases)

    def has_inputs_as_rows(self, mechanism: Mechanism) -> bool:
        """Whether the rows of a mechanism's table are values of what it reads, and no databases."""
        assert mechanism.table is not None
        return self._on_own_domain(mechanism) or set(mechanism.table.rows) != set(self.databases.databases())

    @property
    def granularities(self) -> list[Granularity]:
        """The target, and what the guarantees are stated for; that of noise is stated for no neighbours."""
        stated = (one.granularity for m in self.mechanisms for one in (m.satisfies, *m.also))
        return [self.target, *(one for one in stated if one is not None)]

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
        inner = (f"{name}.{one}" for name, study in self.studies.items() for one in study.processed)
        return (*(m.name for m in self.mechanisms if m.processing), *inner)

    def _check_families(self) -> None:
        """Parts of a partition need an arbitrary universe of multisets, and one mechanism a part."""
        if self.families:
            self._check_names_of_families()
        for mechanism in self.mechanisms:
            f, count = mechanism.reads, mechanism.members
            if count is not None and not self._is_count(count):
                raise InvalidSetting(
                    f"{mechanism.name}: the number of mechanisms is a parameter of whole values, such as "
                    f'"integer >= 2", or a whole number from 1 to {LARGEST_COUNT:,}; '
                    f"{formulas.to_text(count)} is neither"
                )
            if not isinstance(f, Part):
                continue
            self._check_part(mechanism.name, f)
            if str(count) != f.parts:
                raise InvalidSetting(
                    f"{mechanism.name} reads the parts of {f.partition}, of which there are {f.parts}: "
                    f'it must be a family of as many mechanisms (index = "i", count = "{f.parts}")'
                )
        named = [m.name for m in self.mechanisms if isinstance(m.reads, Restriction | Recoding)]
        if named and any(isinstance(m.reads, Part) for m in self.mechanisms):
            raise InvalidSetting(
                f"{named[0]} reads named records, and others read parts of a partition: which part "
                "holds the records is not said, and not supported"
            )

    def _check_names_of_families(self) -> None:
        """A family e[i] and a parameter e, or a family M and a mechanism M[1], would be mixed up."""
        known = {*self.domains, *self.numbers}
        if "i" in known:
            raise InvalidSetting("the index of families is written i: call the parameter i something else")
        for name in sorted(known):
            if (family := family_of(name)) is not None and family in known:
                raise InvalidSetting(f"{family} is a parameter and also a family {name}; rename one of them")
            if re.search(r"\[[0-9]+\]$", name):
                raise InvalidSetting(f"{name} is one member of a family, and no parameter by itself")
        for mechanism in self.mechanisms:
            for other in self.mechanisms:
                if mechanism.many and re.fullmatch(re.escape(mechanism.name) + r"\[[0-9]+\]", other.name):
                    raise InvalidSetting(
                        f"{other.name} is called like a member of the family {mechanism.name}"
                    )

    def check_ranges(self, formula: Term | sympy.Expr) -> None:
        """Raises InvalidSetting where a sum or maximum over a family runs to another number than its own."""
        for over in sorted(_overs(formulas.term(formula)), key=formulas.to_text):
            _, x, last = over.of
            for name in sorted(filter(family_of, x.letters)):
                counts = {
                    str(m.members)
                    for m in self.mechanisms
                    if m.members is not None and any(name in value.letters for value in m.terms)
                }
                if counts and str(last) not in counts:
                    there = " or ".join(sorted(counts))
                    raise InvalidSetting(f"{name} has the members 1 to {there}, not to {last}")

    def _check_part(self, name: str, f: Part) -> None:
        """The parts of a partition are of what the class has room for any number of."""
        databases = self.databases
        if isinstance(f, EachVertex):
            self._check_each_vertex(name)
            return
        for one in self.granularities:
            if one.edits(databases) is None and not one.innermost()[0].by_rows:
                raise InvalidSetting(
                    f"{name} reads a part of {f.partition}, whose parts are not placed among the "
                    f"{one} neighbours; parts written out would do"
                )
        if f.of != databases.kind:
            raise InvalidSetting(
                f"{name} reads a part of {f.partition}, which divides {f.of}, not {databases}"
            )
        if isinstance(databases, Multisets) and not databases.arbitrary:
            raise InvalidSetting(
                f"{name} reads a part of {f.partition}, which needs multisets over an "
                "arbitrary record universe (leave out records)"
            )
        if isinstance(databases, Tuples) and databases.sizes.n is not None:
            raise InvalidSetting(
                f"{name} reads a part of {f.partition}, which needs {databases.kind} of any length "
                "(leave out size)"
            )

    def _check_each_vertex(self, name: str) -> None:
        """A mechanism for each of any number of vertices, and others that read everything."""
        if not (isinstance(self.databases, Graphs) and self.databases.arbitrary):
            raise InvalidSetting(
                f"{name} reads the edges at each of some vertices: that needs graphs on any number of "
                "vertices (leave out vertices)"
            )
        for other in self.mechanisms:
            if isinstance(other.reads, OfGraphs):
                raise InvalidSetting(
                    f"{other.name} reads named vertices, and {name} some that are not named: which of them "
                    "are the same is not said, and not supported"
                )
        every = {m.reads.parts for m in self.mechanisms if isinstance(m.reads, EachVertex)}
        if len(every) > 1:
            raise InvalidSetting(
                f"families for {' and for '.join(sorted(every))} vertices: how many they share is not said"
            )
        _ = self.touched_parts

    def _is_count(self, count: Term) -> bool:
        if count.kind == "letter":
            domain = self.domains.get(str(count))
            return domain is not None and domain.integer and (domain.least or 0) >= 1
        n = count.number
        return n is not None and n.denominator == 1 and 1 <= n <= LARGEST_COUNT

    @property
    def has_choices(self) -> bool:
        """Whether some mechanism has several guarantees."""
        return any(mechanism.also for mechanism in self.mechanisms)

    def choosing(self, which: Sequence[int]) -> Setting:
        """The setting in which of each mechanism only the guarantee of a number is known, from 0."""
        some = (one.alone[n] if one.also else one for one, n in zip(self.mechanisms, which, strict=True))
        beside = [
            f"{one.name} is {other.satisfies}{f' on the {domain} domain' if domain else ''} as well"
            for one, n in zip(self.mechanisms, which, strict=True)
            for m, other in enumerate(one.alone)
            if m != n
            for domain in [other.satisfies.domain]
        ]
        return replace(self, mechanisms=tuple(some), beside=tuple(beside))

    def with_each_guarantee(self) -> Setting:
        """The setting with a mechanism of its own for each guarantee."""
        some = [
            replace(one, name=f"{mechanism.name} ({n})") if mechanism.also else one
            for mechanism in self.mechanisms
            for n, one in enumerate(mechanism.alone if mechanism.also else [mechanism])
        ]
        return replace(self, mechanisms=tuple(some))

    @property
    def several(self) -> bool:
        """Whether more than one mechanism is composed."""
        return len(self.mechanisms) > 1 or self.families

    @property
    def families(self) -> bool:
        """Whether some mechanism is a family."""
        return any(mechanism.many for mechanism in self.mechanisms)

    def written_out(self, sizes: Mapping[str, int]) -> tuple[Setting, tuple[int, ...]]:
        """The setting with families member by member, and for each mechanism which one it is from (from 1).

        Where queries look at attributes, records that differ in these only are told apart.

        sizes -- the number of members, by the name or digits of the count.  The parts of a
        partition become record sets of an arbitrary universe, or sets of positions: for every
        choice of a part of each partition, or of none, two records (and as many positions as one
        step of the target changes), so that all that can differ does.
        """
        databases, parts = self._divided(sizes)
        mechanisms, origin = [], []
        domains = dict(self.domains)
        for n, mechanism in enumerate(self.mechanisms, start=1):
            size = 1 if mechanism.members is None else _size(str(mechanism.members), sizes)
            for i in range(1, size + 1):
                member_of = mechanism
                if mechanism.study is not None:
                    member_of = mechanism = replace(mechanism, study=Nested(None))
                if mechanism.members is not None:
                    f = mechanism.reads
                    reads = parts[f.partition][i - 1] if isinstance(f, Part) else f
                    named = self._named(mechanism, i, domains)
                    member_of = replace(
                        mechanism.with_letters(named),
                        name=f"{mechanism.name}[{i}]",
                        reads=reads,
                        members=None,
                    )
                mechanisms.append(member_of)
                origin.append(n)
        if self.attributes and not parts:
            databases, mechanisms = _told_apart(databases, mechanisms)
        target, sets = (
            self.target,
            [[f.inside for f in m if isinstance(f, Restriction)] for m in parts.values()],
        )
        if sets:
            partitions = list(map(tuple, sets))
            target = target.placed(partitions)
            mechanisms = [one.regarding(lambda stated: stated.placed(partitions)) for one in mechanisms]
        setting = replace(
            self,
            databases=databases,
            target=target,
            mechanisms=tuple(mechanisms),
            domains=MappingProxyType(domains),
        )
        return setting, tuple(origin)

    def _divided(self, sizes: Mapping[str, int]) -> tuple[DatabaseClass, dict[str, list[Map]]]:
        """The class with as many parts as are needed, and for each partition the maps to its parts."""
        partitions = {
            m.reads.partition: _size(m.reads.parts, sizes)
            for m in self.mechanisms
            if isinstance(m.reads, Part)
        }
        if not partitions:
            return self.databases, {}
        if isinstance(self.databases, Graphs):
            ((name, size),) = partitions.items()
            vertices = range(1, size + 1)
            named = self.databases.naming(vertices, self.target.innermost()[1])
            return named, {name: [AtVertex((v,)) for v in vertices]}
        most = {m.reads.partition: m.reads.most for m in self.mechanisms if isinstance(m.reads, Part)}
        choices = list(product(*(self._memberships(size, most[name]) for name, size in partitions.items())))

        def of_part(n: int, i: int) -> list[int]:
            return [at for at, choice in enumerate(choices) if i in choice[n]]

        if isinstance(self.databases, Tuples):
            each = max(2, self.steps_at_once)
            databases: DatabaseClass = replace(self.databases, sizes=Size(each * len(choices), exactly=True))
            held: list[list[Any]] = [
                [each * at + j for j in range(1, each + 1)] for at in range(len(choices))
            ]
            part: Any = Positions
        else:
            assert isinstance(self.databases, Multisets)
            names = [
                "".join(
                    f"{name}{'+'.join(map(str, some))}"
                    for name, some in zip(partitions, choice, strict=True)
                    if some
                )
                for choice in choices
            ]
            held, part = [[name, f"{name}'"] for name in names], Restriction
            inside = sorted(record for at, some in enumerate(held) if any(choices[at]) for record in some)
            databases = replace(self.databases, records=tuple(inside))
        return databases, {
            name: [part(tuple(one for at in of_part(n, i) for one in held[at])) for i in range(1, size + 1)]
            for n, (name, size) in enumerate(partitions.items())
        }

    def _memberships(self, size: int, most: int) -> list[tuple[int, ...]]:
        """In which of some parts a record is: of up to two records that change, in all ways to overlap.

        Parts are as good as each other, so that for two records runs of neighbouring parts are enough.
        """
        if most == 1 or self._changed <= 2:
            runs = combinations(range(1, size + 2), 2)
            return [(), *(tuple(range(a, b)) for a, b in runs if b - a <= most)]
        found = [some for n in range(most + 1) for some in combinations(range(1, size + 1), n)]
        if len(found) > MOST_MEMBERSHIPS:
            raise InvalidSetting(
                f"{self.target} neighbours change {self._changed} records, which lie in overlapping parts in "
                f"more than {MOST_MEMBERSHIPS} ways; smaller groups would do"
            )
        return found

    @property
    def _changed(self) -> int:
        """How many records differ between neighbours of the target, at most."""
        edits = self.target.edits(self.databases)
        if edits is None or edits.single is None:
            return 1
        return edits.most * max((sum(one) for one in edits.single), default=1)

    @property
    def steps_at_once(self) -> int:
        """How many single edits lead to a neighbour of the target, at most; 1 where that is not counted."""
        edits = self.target.edits(self.databases)
        return 1 if edits is None else edits.most

    @property
    def touched_parts(self) -> int:
        """How many parts of a partition differ between neighbours of the target, at most."""
        if isinstance(self.databases, Graphs):
            return self._touched_vertices
        if self.target.by_rows:
            return min(self.target.touched or 2, MOST_TOUCHED)
        edits = self.target.edits(self.databases)
        if edits is not None and edits.single is None and _unlimited(self.databases):
            return 2  # all parts at once
        if edits is None or edits.single is None:
            raise InvalidSetting(
                f"a symbolic number of parts of {self.databases}, of which {self.target} neighbours may "
                "change any number, is not supported; multisets of any size are, and parts written out"
            )
        most = max((m.reads.most for m in self.mechanisms if isinstance(m.reads, Part)), default=1)
        return most * self._changed

    @property
    def _touched_vertices(self) -> int:
        """At how many vertices edges differ between neighbours of the target, at most."""
        found = []
        for n in (7, 8):
            blocks = self.target.blocks(Graphs(tuple(range(1, n + 1))))
            assert blocks is not None
            found.append(max(len({v for pair in one for v in pair}) for one in blocks.sets))  # type: ignore[attr-defined]
        if found[0] != found[1]:
            raise InvalidSetting(
                f"{self.target} neighbours may differ in edges at any number of vertices: a mechanism for "
                "each of a symbolic number of them is not supported; mechanisms written out are"
            )
        return found[0] * self.target.innermost()[1]

    def _named(self, mechanism: Mechanism, i: int, domains: dict[str, Domain]) -> dict[str, Term]:
        """For each e[i] of a family the letter of its member of that number."""
        named = {}
        for one in {one for value in mechanism.terms for one in value.letters}:
            if (family := family_of(one)) is not None:
                name = f"{family}[{i}]"
                domains[name] = self.domains[one]
                named[one] = terms.letter(name, domains[name])
        return named

    def _check(self, mechanism: Mechanism) -> None:
        f, stated = mechanism.reads, mechanism.satisfies
        if stated.granularity is not None and (unfit := stated.granularity.unfit(self.databases)):
            raise InvalidSetting(f"{mechanism.name}: {unfit}")
        if isinstance(f, Positions):
            self._check_positions(mechanism.name, f)
        if (why := f.unfit(self.databases)) is not None:
            raise InvalidSetting(f"{mechanism.name} {why}")
        if isinstance(f, Recoding) and stated.granularity is not None and stated.domain == "own":
            self._check_recoded(mechanism.name, f, stated.granularity)
        if isinstance(f, Restriction):
            if not isinstance(self.databases, Multisets | Sets | Sequences):
                raise InvalidSetting(f"{mechanism.name} reads records, but {self.databases} have none")
            if not self.databases.arbitrary:
                for record in f.records:
                    if record not in self.databases.records:
                        raise InvalidSetting(
                            f"{mechanism.name} reads the record {record!r}, "
                            f"which {self.databases} do not have"
                        )
        if isinstance(f, Table | Function) and self.databases.count() is None:
            raise InvalidSetting(
                f"{mechanism.name} reads {f.written('D')}, a map that must be tabulated, "
                f"but {self.databases} are infinitely many; a finite class would do"
            )
        single = None if stated.granularity is None else stated.granularity.innermost()[0]
        if isinstance(f, Table) and f.image_neighbours and isinstance(single, Union):
            raise InvalidSetting(
                f"{mechanism.name}: which images are {single} neighbours is not said where {f.name} lists "
                "them for single granularities; leave out image-neighbours, or list a granularity of your own"
            )
        if isinstance(f, Table):
            every = (
                self.databases.elements if isinstance(self.databases, Listed) else self.databases.databases()
            )
            for D in every:
                if D not in f.values:
                    raise InvalidSetting(f"the map {f.name} has no value for the database {D!r}")
        if mechanism.noise is not None:
            self._check_noise(mechanism)
        elif (study := inside(mechanism)) is not None:
            self._check_study(mechanism, study)
        elif stated.domain is None and not isinstance(f, Everything):
            raise InvalidSetting(f"{mechanism.name}: {DOMAIN_NEEDED}")

    def _check_recoded(self, name: str, f: Recoding, granularity: Granularity) -> None:
        """On the own domain neighbours are those of what records become."""
        image = f.image(self.databases)
        attributes = isinstance(image, Multisets) and image.attributes is not None
        if not attributes and (unfit := granularity.unfit(image)):
            raise InvalidSetting(f"{name} is about what records become, on its own domain: {unfit}")

    def _check_study(self, mechanism: Mechanism, study: Setting) -> None:
        """A composition is one on what it reads, for the neighbours that its guarantee is stated for."""
        name, f, stated = mechanism.name, mechanism.reads, mechanism.satisfies.about_granularity
        if mechanism.satisfies.domain == "common" or (
            mechanism.satisfies.domain is None and not isinstance(f, Everything)
        ):
            raise InvalidSetting(
                f"{name} is a study, whose guarantee is about its own databases: its domain is own"
            )
        if mechanism.members is not None and study.families:
            raise InvalidSetting(
                f"{name} is a family of studies that hold families themselves, which is not supported; "
                "write one of them out"
            )
        if isinstance(f, Part) and not _reads_all(study):
            raise InvalidSetting(
                f"{name} is a study on a part of a partition, in which not every mechanism reads everything: "
                "which records a part holds is not said"
            )
        counted = study.target.edits(study.databases) is not None
        image = _compared(_read_class(self.databases, f, name), counted)
        listed = isinstance(image, Listed)
        if _compared(study.databases, counted) != image and not (
            listed and set(study.databases.databases()) == set(image.databases())
        ):
            raise InvalidSetting(
                f"{name} is a study on {study.databases}, but it reads {f.written('D')}: {image}; "
                "a study is about the databases that are read"
            )
        if listed and not self._relates_values_alike(f, stated, study):
            raise InvalidSetting(
                f"{name} is a study for {study.target} neighbours among the values of {f.written('D')}, "
                "and the map does not list these: image_neighbours, by the granularity's name, would do"
            )
        if not listed and stated != study.target:
            raise InvalidSetting(
                f"{name} is a study for {study.target} neighbours, and its guarantee is stated for others "
                f"({stated})"
            )
        for one in sorted(study.used):
            if self.domains.get(one) != study.domains[one]:
                known = f"is {self.domains[one]}" if one in self.domains else "is no parameter"
                raise InvalidSetting(
                    f"{one} is {study.domains[one]} in the study of {name}, and {known} outside of it; "
                    "one name is one parameter"
                )
        if study.attributes:
            self._check_attributes(name)

    def _on_the_class(self, mechanism: Mechanism) -> Mechanism:
        """A mechanism with what it reads as the records of the class say it."""
        f = mechanism.reads.on(self.databases)
        return self._told_by_name(mechanism if f is mechanism.reads else replace(mechanism, reads=f))

    def _told_by_name(self, mechanism: Mechanism) -> Mechanism:
        """A composition on values of a map, whose neighbours are listed with the map: its guarantee is stated
        for the granularity of that name, with the pairs of it that are databases here."""
        stated, f = mechanism.satisfies, mechanism.reads
        if mechanism.study is None or stated.granularity is None or not isinstance(f, Table | Function):
            return mechanism
        single, steps = stated.granularity.innermost()
        if not isinstance(single, Pairs):
            return mechanism
        here = (pair for pair in single.listed if all(one in self.databases for one in pair))
        single = pairs(single.name, here)
        return replace(mechanism, satisfies=stated.about(single if steps == 1 else Group(steps, single)))

    def _relates_values_alike(self, f: Map, stated: Granularity, study: Setting) -> bool:
        """Whether values of f are neighbours where they are databases of a study that are."""
        if not f.is_identity(self.databases) and f.neighbours_for(stated.innermost()[0].name) is None:
            return False
        own = graph_of_inputs(self.databases, stated, f, own=True)
        return _edges(own) == _edges(neighbourhood_graph(study.databases, study.target))

    def _check_noise(self, mechanism: Mechanism) -> None:
        """The query has a meaning on what is read, and values to which the noise can be added."""
        name, f, query, noise = mechanism.name, mechanism.reads, mechanism.query, mechanism.noise
        assert query is not None and noise is not None
        if unfit := noise.unfit(self.domains, self.assume):
            raise InvalidSetting(f"{name}: {unfit}")
        if isinstance(query, Bit):
            return
        if not (isinstance(self.databases, Multisets | Tuples) and is_record_wise(f)):
            raise InvalidSetting(
                f"{name} asks for {query.words}, which is about records: it needs multisets, tuples or "
                "streams, and must read everything, some records, some positions or a part"
            )
        if query.attribute and isinstance(self.databases, Tables):
            raise InvalidSetting(
                f"{name} looks at an attribute besides those of {self.databases}, and which one is not said; "
                "it needs multisets, tuples or streams"
            )
        n = read_records(self.databases, f)
        few = n.n is not None and n.n <= 1
        values = query.values | ({"bit"} if isinstance(query, Count) and few else set())
        if noise.kind.takes not in values:
            raise InvalidSetting(
                f"{name}: {noise.word} is not for {query.words}; it needs {noise.kind.needs}"
            )
        if query.one and n != Size(1, exactly=True):
            raise InvalidSetting(
                f"{name} asks for {query.words} of one record, and reads others too; "
                "reads = { positions = [1] } on tuples or streams would do"
            )
        if isinstance(query, Mean) and not (n.exactly and n.n):
            raise InvalidSetting(
                f"{name}: a mean divides by a known number of records, and {f.written('D')} has no fixed "
                'number of them; size = "= n" and reading everything would do, or a sum and a count'
            )
        if isinstance(query, Location) and not self._never_negative(query.diameter):
            raise InvalidSetting(
                f"{name}: it is not known that the diameter is at least 0 for all allowed values"
            )
        if isinstance(query, Sum) and not self._never_negative(query.upper - query.lower):
            raise InvalidSetting(
                f"{name}: an attribute lies in [lower, upper], and it is not known that "
                f"{formulas.to_text(query.lower)} <= {formulas.to_text(query.upper)} for all allowed values"
            )
        if query.attribute:
            self._check_attributes(name)

    def _never_negative(self, value: Term) -> bool:
        """Whether a formula is seen to be ≥ 0 for all allowed values."""
        return values.surely(substitution.substituted(value, self.letters), False, self.assume)

    def _check_attributes(self, name: str) -> None:
        """Where records differ in attributes too, all that is read and related must be told by records.

        A policy that names records does not say which of those of one name it joins.
        """
        told = self.target.edits(self.databases) is not None or isinstance(self.target, Changes)
        unsaid = [one for one in self.granularities if one.partial]
        if not told and policy_of(self.target) is None:
            unsaid = [self.target]
        if unsaid:
            raise InvalidSetting(
                f"{name} looks at an attribute of the records, of which {unsaid[0]} neighbours say nothing"
            )
        for other in self.mechanisms:
            if not is_record_wise(other.reads):
                raise InvalidSetting(
                    f"{name} looks at an attribute of the records, of which {other.reads.written('D')}, "
                    f"what {other.name} reads, says nothing"
                )

    def _check_positions(self, name: str, f: Positions) -> None:
        databases = self.databases
        if not isinstance(databases, Tuples):
            raise InvalidSetting(f"{name} reads positions, but {databases} have none")
        if not databases.sizes.exactly:
            raise InvalidSetting(
                f"{name} reads positions, which shorter {databases.kind} do not have: "
                'give all the same length, size = "= n"'
            )
        if f.positions and f.positions[-1] > (databases.sizes.n or 0):
            raise InvalidSetting(f"{name} reads position {f.positions[-1]}, which {databases} do not have")

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
        every = all(one is not None for one in stated)
        chosen = [
            own if one is None or (not every and _is_unlimited(one)) else one
            for own, one in zip(self.mechanisms, stated, strict=True)
        ]
        return self if chosen == list(self.mechanisms) else replace(self, mechanisms=tuple(chosen))

    def in_one_notion(self, claimed: Sequence[str] = ()) -> Setting:
        """The setting with all guarantees in one notion in which each promises something, if there is one: of
        those of the claims, of the guarantees that are assumed, or of the noise.  Else in the only notion of
        the claims, as far as there are guarantees in it."""
        assumed = [m.satisfies.notion for m in self.mechanisms if m.noise is None]
        known = [notion for m in self.mechanisms if m.noise is not None for notion in m.noise.kind.states]
        for notion in dict.fromkeys([*claimed, *assumed, *known]):
            stated = self.stated_in(notion)
            noisy = (m for m in stated.mechanisms if m.noise is not None)
            if stated.notions == (notion,) and not any(map(_is_unlimited, noisy)):
                return stated
        only = set(claimed)
        return self.stated_in(only.pop()) if len(only) == 1 else self

    @cached_property
    def used(self) -> frozenset[str]:
        """The parameters that the guarantees and tables depend on."""
        given = [value for m in self.mechanisms for value in m.terms]
        counts = [m.members for m in self.mechanisms if m.members is not None]
        inner = {name for m in self.mechanisms if m.table is not None for name in m.table.domains}
        inner |= {name for study in self.studies.values() for name in study.used}
        inner |= {name for one in self.granularities for name in one.letters}
        return frozenset(inner | {one for x in [*given, *counts] for one in x.letters})

    @cached_property
    def letters(self) -> Mapping[str, Term]:
        """The parameters as letters of terms, by name."""
        return {name: terms.letter(name, domain) for name, domain in self.domains.items()}

    @cached_property
    def symbols(self) -> Mapping[str, sympy.Symbol]:
        """The parameters as sympy symbols, by name."""
        return {name: symbol(name, domain) for name, domain in self.domains.items()}


def _overs(term: Term) -> Iterator[Term]:
    """The sums and maxima over families in a term."""
    if term.kind == "over":
        yield term
    for part in term.parts:
        yield from _overs(part)


def _is_unlimited(mechanism: Mechanism) -> bool:
    """Whether a guarantee promises nothing."""
    return any(value.kind == "oo" for _, value in mechanism.satisfies.terms)


def inside(mechanism: Mechanism) -> Setting | None:
    """The composition that a mechanism is, if it is one."""
    setting = None if mechanism.study is None else mechanism.study.setting
    assert setting is None or isinstance(setting, Setting)
    return setting


def _read_class(databases: DatabaseClass, f: Map, name: str) -> DatabaseClass:
    """The class of what is read; of a part of a partition, that of any part."""
    if not isinstance(f, Part):
        return f.image(databases)
    if not isinstance(databases, Multisets):
        raise InvalidSetting(
            f"{name} is a study on a part of {databases}, which is not supported; "
            "parts of multisets are, and positions written out"
        )
    return databases


def _compared(databases: DatabaseClass, counted: bool) -> DatabaseClass:
    """A class as it is compared: an arbitrary universe without the records that mechanisms happen to name;
    positions by their order where it only counts how much databases differ."""
    if isinstance(databases, Multisets) and databases.arbitrary:
        return replace(databases, records=())
    return replace(databases, positions=None) if counted and isinstance(databases, Tuples) else databases


def _reads_all(setting: Setting) -> bool:
    """Whether every mechanism reads everything, also those of compositions among them."""
    return all(isinstance(m.reads, Everything) for m in setting.mechanisms) and all(
        map(_reads_all, setting.studies.values())
    )


def _edges(graph: Any) -> set[frozenset[Any]]:
    return {frozenset(edge) for edge in graph.edges}


def is_record_wise(f: Map) -> bool:
    """Whether a map reads records one by one: by membership, by position, or all of them."""
    return isinstance(f, Everything | Restriction | Positions | Part)


def read_records(databases: DatabaseClass, f: Map) -> Size:
    """How many records a record-wise map reads."""
    if isinstance(f, Part) or not isinstance(databases, Multisets | Tuples):
        return Size()
    image = f.image(databases)
    return image.sizes if isinstance(image, Multisets | Tuples) else Size(0, exactly=True)


def _told_apart(
    databases: DatabaseClass, mechanisms: Sequence[Mechanism]
) -> tuple[DatabaseClass, list[Mechanism]]:
    """Two records, a and a', for every named record a: there is more than one, with other attributes."""
    if not isinstance(databases, Multisets | Tuples):
        return databases, list(mechanisms)
    other: dict[str, str] = {}
    for record in databases.records:
        twin = f"{record}'"
        while twin in databases.records or twin in other.values():
            twin += "'"
        other[record] = twin

    def read(f: Map) -> Map:
        if not isinstance(f, Restriction):
            return f
        return Restriction((*f.records, *(other[a] for a in f.records if a in other)))

    apart = replace(databases, records=(*databases.records, *other.values()))
    return apart, [replace(one, reads=read(one.reads)) for one in mechanisms]


def _one_meaning(what: str, named: Sequence[Granularity | Table | Function | Recoding | None]) -> None:
    """Raises InvalidSetting where two different values have one name."""
    meanings: dict[str, object] = {}
    for one in named:
        if one is not None and meanings.setdefault(one.name, one) != one:
            raise InvalidSetting(f"two different {what} are called {one.name!r}; give one another name")


def _size(count: str, sizes: Mapping[str, int]) -> int:
    """How many members a count means: what is said for it, else the number that it is."""
    return sizes[count] if count in sizes else int(count)


def _unlimited(databases: DatabaseClass) -> bool:
    return isinstance(databases, Multisets) and databases.sizes.n is None


MOST_TOUCHED = 12
"""How many parts are written out at most in which a person's rows lie."""
MOST_MEMBERSHIPS = 400
"""In how many ways a record may lie in overlapping parts."""
LARGEST_COUNT = 1_000_000
"""The most members of a family of a fixed number."""

DOMAIN_NEEDED = (
    'say on which domain its guarantee is stated: domain = "common" (it is private as a map on the whole '
    'class, and depends only on what it reads) or domain = "own" (it is private as a map on what it reads, '
    "for the neighbours there)"
)


def check_assumptions(one: sympy.Symbol, domain: Domain) -> None:
    """Raises InvalidSetting where a symbol says another sign than its domain: sympy has used it already."""
    if one != symbol(one.name, domain):
        raise _other_assumptions(one.name, domain)


def _other_assumptions(name: str, domain: Domain) -> InvalidSetting:
    return InvalidSetting(
        f"the symbol {name} in a formula has other assumptions than the parameter {name}, "
        f"which is {domain}; "
        f'make it with dpcompose.parameters("{name}", ...) and use it as a symbol, not as text'
    )


def _domains_of(given: Term, stated: Mapping[str, Domain]) -> Iterator[tuple[str, Domain]]:
    """The letters of a term with the values they may take, as stated, or as it says itself."""
    expression = formulas.given(given)
    known = given.letters if expression is None else {str(one): one for one in expression.free_symbols}
    for name in sorted(known):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(\[i\])?", name) or name in formulas.RESERVED:
            raise InvalidSetting(f"a parameter cannot be called {name}: it must be a name without a meaning")
        if expression is None:
            domain = stated.get(name) or given.letters[name]
            if not alike(domain, given.letters[name]):
                raise _other_assumptions(name, domain)
        else:
            domain = stated.get(name) or domain_of(known[name])
            check_assumptions(known[name], domain)
        yield name, domain


def _assumed(given: object, domains: Mapping[str, Domain]) -> Assumption:
    """A relation between parameters of a setting."""
    known = {name: terms.letter(name, domain) for name, domain in domains.items()}
    try:
        found = assumption(given, known)
    except formulas.FormulaError as error:
        raise InvalidSetting(f"assume: {error}") from None
    for name in sorted(found.letters):
        if name not in domains:
            raise InvalidSetting(f"assume: {name} is no parameter of the mechanisms{near(name, domains)}")
    for side in (found.left, found.right):
        if (expression := formulas.given(side)) is not None:
            for one in expression.free_symbols:
                check_assumptions(one, domains[str(one)])
    found = Assumption(
        substitution.substituted(found.left, known), found.sign, substitution.substituted(found.right, known)
    )
    if why := doubt(found):
        raise InvalidSetting(f"assume: {why}")
    return found


def setting(
    *mechanisms: Mechanism,
    on: DatabaseClass,
    target: Granularity,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
    assume: Sequence[object] = (),
) -> Setting:
    """A setting from mechanisms with sympy expressions as parameters.

    parameters -- for a symbol by name the values it may take ("positive", "in (0,1)", …);
    symbols that are not named have the domain that their own assumptions state;
    assume -- relations between parameters: texts such as "u > l", or sympy relations.
    """
    if not isinstance(on, DatabaseClass) or not isinstance(target, Granularity):
        raise InvalidSetting(
            "on is a class such as dpcompose.multisets(...), target a granularity such as dpcompose.bounded"
        )
    if isinstance(assume, str):
        raise InvalidSetting(f'assume is a list of relations, such as ["{assume}"]')
    stated = {str(name): Domain.read(str(words)) for name, words in (parameters or {}).items()}
    domains: dict[str, Domain] = {}
    for mechanism in mechanisms:
        if not isinstance(mechanism, Mechanism):
            raise InvalidSetting(
                f"{mechanism!r} is no mechanism; make one with dpcompose.mechanism(name, ...)"
            )
        of_table = mechanism.table.domains if mechanism.table is not None else {}
        study = inside(mechanism)
        of_study = {} if study is None else {name: study.domains[name] for name in sorted(study.used)}
        for name, domain in {**of_table, **of_study}.items():
            domains.setdefault(name, stated.get(name) or domain)
        given = mechanism.terms
        for value in given if mechanism.members is None else [*given, mechanism.members]:
            for name, domain in _domains_of(value, stated):
                if domains.setdefault(name, domain) != domain:
                    raise InvalidSetting(f"two symbols are called {name}, with different assumptions")
    about = (one.granularity for m in mechanisms for one in (m.satisfies, *m.also))
    for one in (target, *about):
        for name, domain in () if one is None else one.letters.items():
            if domains.setdefault(name, stated.get(name) or domain) != domain:
                raise InvalidSetting(f"{name} is {domains[name]}, and {domain} in {one} neighbours")
    domains = stated | domains
    made = Setting(
        on,
        target,
        mechanisms,
        MappingProxyType(domains),
        title,
        adaptive=adaptive,
        assume=tuple(_assumed(one, domains) for one in assume),
    )
    return made.in_one_notion()
