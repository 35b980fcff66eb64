"""Problem files: TOML text to a setting with claims.

All mistakes come at once, each with its key path and, where it is known, its line.  Nothing in a
file is evaluated as Python.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from dpcompose.kernel import formulas as kernel
from dpcompose.kernel import terms
from dpcompose.kernel.assumptions import Assumed, Assumption
from dpcompose.kernel.deciders import values
from dpcompose.kernel.domains import POSITIVE, UNIT_INTERVAL, Domain
from dpcompose.kernel.terms import Term
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import family_of
from dpcompose.privacy import assumptions, checks
from dpcompose.privacy.mechanisms import Mechanism, Nested, mechanism
from dpcompose.privacy.noises import Noise
from dpcompose.privacy.notions import FILE_KEYS, Guarantee
from dpcompose.privacy.schema import (
    ClaimTable,
    DatabasesTable,
    GranularityTable,
    GuaranteeTable,
    MapTable,
    MechanismTable,
    Mistake,
    Notions,
    Path_,
    ProblemTable,
    QueryTable,
    ReadsTable,
    ReplaceTable,
    StudyTable,
    first_line,
    line_of,
    near,
    shown,
    unset,
)
from dpcompose.privacy.settings import DOMAIN_NEEDED, InvalidSetting, Setting
from dpcompose.spaces.additions import NOTHING, Additions
from dpcompose.spaces.attributed import Tables, columns, tables, where
from dpcompose.spaces.built_in import BUILT_IN, unbounded
from dpcompose.spaces.changes import w_event
from dpcompose.spaces.contributions import contribution
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.groups import COUNT, group
from dpcompose.spaces.larger import within_any_size
from dpcompose.spaces.listed import Listed
from dpcompose.spaces.maps import Everything, Map, everything, table
from dpcompose.spaces.multisets import Multisets, multisets
from dpcompose.spaces.parts import Part
from dpcompose.spaces.policies import policy
from dpcompose.spaces.queries import Query, bit, clipped_sum, count, histogram, location, mean
from dpcompose.spaces.reading import EachVertex, among, vertex
from dpcompose.spaces.recodings import recoding
from dpcompose.spaces.relations import pairs
from dpcompose.spaces.restrictions import positions, restriction
from dpcompose.spaces.sequences import Sequences
from dpcompose.spaces.sizes import Size
from dpcompose.spaces.subsets import Sets, graphs
from dpcompose.spaces.tuples import Streams, Tuples, owners_of
from dpcompose.spaces.unions import union

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.tables import ProbabilityTable

LARGEST_FILE = 10_000_000
"""The most characters of a problem file."""


ABOUT_METRICS = (
    "the file is about privacy in a metric: verify, bound and recheck take it, and dpcompose.load_metric; "
    "a guarantee for neighbours is what is wanted here"
)

UNIT_KEYS = ("delta", "randomized-response")
"""Where a name that is not listed under [parameters] lies in (0,1), if it stands alone."""

CLASSES: Mapping[str, type[Multisets] | type[Tuples] | type[Sets] | type[Sequences]] = {
    one.kind: one for one in (Multisets, Sets, Sequences, Tuples, Streams)
}
"""The classes of records, by the word of problem files."""


class ProblemError(ValueError):
    """A problem file is wrong; `mistakes` lists everything that was found."""

    def __init__(self, file: str, mistakes: Sequence[Mistake]) -> None:
        self.file = file
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(f"{file}: {mistake}" for mistake in self.mistakes))


@dataclass(frozen=True, repr=False)
class Claim(Shown):
    """A guarantee that somebody claims for the composition, and the verdict they expect."""

    guarantee: Guarantee
    text: Mapping[str, str]
    expect: str | None = None
    doubt: str = ""
    """Why a formula may have no real value for some allowed parameters, if it may."""

    def __repr__(self) -> str:
        return f"claim of {self.guarantee}{f', expected: {self.expect}' if self.expect else ''}"

    def _line(self) -> Sequence[str | sympy.Expr]:
        expected = f", expected: {self.expect}" if self.expect else ""
        return ["claim of ", *self.guarantee._line(), expected]


@dataclass(frozen=True)
class Problem:
    """A setting with claims about it, and the file it is from."""

    setting: Setting
    claims: tuple[Claim, ...]
    file: str = ""


# reading


Showing = Callable[[str, Setting, Map, Term | None], Mechanism]
"""Makes a mechanism of a study, by its name, what is composed, what it reads and how many there are, with the
guarantee that is shown for it; raises a ValueError where none is.  It searches, and so it is passed in."""


def read_file(
    path: str | Path,
    show: Showing | None = None,
    notions: Notions = FILE_KEYS,
    own: Additions = NOTHING,
) -> Problem:
    """The problem in a file.  Raises ProblemError with every mistake, OSError where it cannot be read.

    show -- finds the guarantees of studies; left out, the file must say them, and nothing is found;
    notions -- the parameters of each notion that there are pages for; own -- what else it may name.
    """
    text = text_of(path)
    return read_data(parsed(text, str(path)), str(path), text, show, notions, own)


def text_of(path: str | Path) -> str:
    """The text of a file.  Raises ProblemError where it is none, OSError where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProblemError(str(path), [Mistake((), f"this is no UTF-8 text: {error.reason}")]) from None


def read_text(
    text: str, file: str = "problem", show: Showing | None = None, notions: Notions = FILE_KEYS
) -> Problem:
    """The problem in a TOML text.  Raises ProblemError."""
    return read_data(parsed(text, file), file, text, show, notions)


def parsed(text: str, file: str = "problem") -> dict[str, Any]:
    """The data of a TOML text.  Raises ProblemError."""
    if len(text) > LARGEST_FILE:
        message = f"{len(text):,} characters are more than the {LARGEST_FILE:,} that are read"
        raise ProblemError(file, [Mistake((), message)])
    try:
        return tomllib.loads(text, parse_float=_bare_number)
    except tomllib.TOMLDecodeError as error:
        raise ProblemError(file, [Mistake((), f"this is no TOML: {error}")]) from None
    except (RecursionError, ValueError) as error:  # e.g. numbers of thousands of digits
        raise ProblemError(file, [Mistake((), f"this cannot be read: {first_line(error)}")]) from None


def _bare_number(text: str) -> str:
    """A number that is written bare keeps its digits; TOML's inf and nan are none."""
    if text.lstrip("+-") in ("inf", "nan"):
        raise ValueError(f'{text} is no number here; infinity is the formula "oo"')
    return text


def read_data(
    data: Mapping[str, Any],
    file: str = "problem",
    text: str = "",
    show: Showing | None = None,
    notions: Notions = FILE_KEYS,
    own: Additions = NOTHING,
) -> Problem:
    """The problem in already parsed data, as a saved derivation holds it.  Raises ProblemError."""
    if isinstance(data, Mapping) and is_in_metrics(data):
        raise ProblemError(file, [Mistake(("metrics",), ABOUT_METRICS)])
    if missing := unset(data):
        raise ProblemError(file, missing)
    given = table_of(ProblemTable, data, file, text, notions, own)
    reader = _Reader(given, show, keys=notions, own=own)
    problem = reader.problem(given.claims, file)
    if reader.mistakes or problem is None:
        located = [Mistake(m.path, m.message, line_of(text, m.path)) for m in reader.mistakes]
        raise ProblemError(file, located)
    return problem


T = TypeVar("T", bound=checks.Table)


def table_of(
    kind: type[T],
    data: Any,
    file: str,
    text: str,
    notions: Notions | None = None,
    own: Additions = NOTHING,
) -> T:
    """The checked table that data are.  Raises ProblemError with every mistake."""
    found = checks.Found(notions, own)
    try:
        given: T = kind.read(data, (), found)
    except RecursionError:
        raise ProblemError(file, [Mistake((), "this is nested too deeply")]) from None
    if found.mistakes:
        raise ProblemError(file, [replace(one, line=line_of(text, one.path)) for one in found.mistakes])
    return given


IN_COORDINATES = ("points", "product")
"""The classes that only problems about metrics have."""


def is_in_metrics(data: Mapping[str, Any]) -> bool:
    """Whether the data of a problem file are about privacy in metrics."""
    databases = data.get("databases")
    kind = databases.get("kind") if isinstance(databases, Mapping) else None
    return "metrics" in data or kind in IN_COORDINATES or any(map(_in_metric, _guarantees(data)))


def _guarantees(data: Mapping[str, Any]) -> list[Any]:
    """The guarantees of mechanisms, the claims, and the target."""
    some = [one for key in ("mechanisms", "claims") for one in _list(data.get(key))]
    return [*some, *(one.get("guarantee") for one in some if isinstance(one, Mapping)), data.get("target")]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _in_metric(value: Any) -> bool:
    return isinstance(value, Mapping) and "metric" in value


class _Reader:
    """Turns the checked tables into values; collects what does not fit together.

    show -- finds the guarantees of studies; index -- that of the family that a study is read for;
    keys -- the parameters of each notion; own -- what users added in Python; inherits -- whether this is a
    study, of which is assumed what is assumed of the whole.
    """

    def __init__(
        self,
        given: StudyTable,
        show: Showing | None = None,
        index: str | None = None,
        keys: Notions = FILE_KEYS,
        own: Additions = NOTHING,
        inherits: bool = False,
    ) -> None:
        self.given, self.show, self.index, self.keys, self.own = given, show, index, keys, own
        self.inherits = inherits
        self.notions: list[str] = []
        assert given.databases is not None
        self.of_class = given.databases
        self.mistakes: list[Mistake] = []
        self.symbols: dict[str, Term] = {}
        self.numbers: dict[str, str] = {}
        self.doubts: list[str] = []
        self.domains: dict[str, Domain] = {}
        self.scalars: set[str] = set()
        self.databases: DatabaseClass | None = None

    def problem(self, claimed: Sequence[ClaimTable], file: str) -> Problem | None:
        self.notions = [one.notion for one in claimed]
        setting = self.setting()
        claims = [self._claim(i, given) for i, given in enumerate(claimed)] if self.databases else []
        if self.mistakes or setting is None:
            return None
        for i, claim in enumerate(claims):
            for key, value in claim.guarantee.terms if claim is not None else ():
                try:
                    setting.check_ranges(value)
                except InvalidSetting as error:
                    self._wrong(("claims", i, key), error)
        return Problem(setting, tuple(one for one in claims if one is not None), file)

    def setting(self) -> Setting | None:
        self._parameters()
        databases = self.databases = self._databases()
        if databases is None:
            return None
        own = self._granularities(databases)
        maps = self._maps(databases)
        target = self._find_granularity(own, self.given.target.granularity, ("target", "granularity"))
        mechanisms = [self._mechanism(i, given, own, maps) for i, given in enumerate(self.given.mechanisms)]
        assume = self._assumed()
        if self.mistakes or target is None:
            return None
        try:
            return Setting(
                databases,
                target,
                tuple(one for one in mechanisms if one is not None),
                MappingProxyType(self.domains),
                self.given.title,
                MappingProxyType(self.numbers),
                tuple(self.doubts),
                self.given.adaptive,
                assume,
            ).in_one_notion(self.notions)
        except InvalidSetting as error:
            self.mistakes.append(Mistake(("mechanisms",), str(error)))
            return None

    @property
    def known_so_far(self) -> Assumed:
        """What is assumed of the parameters that are known; others count as positive until they are."""
        found: list[Assumption] = []
        for text in self.given.assume:
            letters = {name: terms.letter(name, POSITIVE) for name in assumptions.names(text)}
            with suppress(formulas.FormulaError):
                found.append(assumptions.assumption(text, letters | self.symbols))
        return tuple(found)

    def _assumed(self) -> Assumed:
        """The relations between parameters; of a study those whose parameters it has."""
        found: list[Assumption] = []
        for n, text in enumerate(self.given.assume):
            if self.inherits and not set(assumptions.names(text)) <= set(self.symbols):
                continue
            try:
                one = assumptions.assumption(text, self.symbols)
                if why := assumptions.doubt(one):
                    self._wrong(("assume", n), why)
                found.append(one)
            except formulas.FormulaError as error:
                self._wrong(("assume", n), error)
        return tuple(found)

    def _wrong(self, path: Path_, message: object) -> None:
        self.mistakes.append(Mistake(path, str(message)))

    def _parameters(self) -> None:
        for name, words in self.given.parameters.items():
            path = ("parameters", name)
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or len(name) > 200:
                self._wrong(path, f"{shown(name)} is no name: letters, digits and _")
                continue
            if name in formulas.RESERVED:
                self._wrong(path, f"{name} has a meaning in formulas already")
                continue
            try:
                self.domains[name] = Domain.read(words)
                self.symbols[name] = terms.letter(name, self.domains[name])
            except ValueError as error:
                self._number(path, name, words, error)

    def _number(self, path: Path_, name: str, words: str, error: ValueError) -> None:
        """A parameter that is a number, exact, stands for it everywhere."""
        if not re.match(r"\s*[-+(]*[0-9.]", words):
            self._wrong(path, error)
            return
        try:
            self.symbols[name] = kernel.parse(words, {})
            self.numbers[name] = words
        except formulas.FormulaError as wrong:
            self._wrong(path, wrong)

    def _databases(self) -> DatabaseClass | None:
        given = self.of_class
        if (found := self.own.classes.get(given.kind)) is not None:
            return self._of_one_s_own(found)
        try:
            if given.kind == "listed":
                return Listed(tuple(given.elements or ()))
            if given.kind == "graphs":
                return graphs(given.vertices)
            if given.kind == "tables":
                return tables(given.attributes or {}, given.size)
            if given.attributes is not None:
                return multisets(size=given.size, attributes=given.attributes)
            records, arbitrary = tuple(given.records or ()), given.records is None
            made = CLASSES[given.kind](records, Size.read(given.size), arbitrary)
            return replace(made, owners=owners_of(given.users)) if isinstance(made, Tuples) else made
        except ValueError as error:
            self._wrong(("databases",), error)
            return None

    def _of_one_s_own(self, found: DatabaseClass) -> DatabaseClass:
        """A class that was added in Python; all is said there."""
        for name in sorted(self.of_class.given - {"kind"}):
            self._wrong(("databases", name), f"{found.kind} are a class of your own, which has no keys")
        return found

    def _granularities(self, databases: DatabaseClass) -> dict[str, Granularity]:
        own = dict(self.own.granularities)
        for name, given in self.given.granularities.items():
            path = ("granularities", name)
            if name in BUILT_IN:
                self._wrong(path, f"{name} is a built-in granularity; call yours by another name")
            elif name in self.own.granularities:
                self._wrong(path, f"{name} was added in Python already; call this one by another name")
            elif given.neighbours is None:
                own |= self._policy(name, given, databases, path)
            elif not isinstance(databases, Listed):
                self._wrong(
                    path,
                    "a granularity of your own that lists neighbours needs a listed class; on records it is "
                    "a policy, with replace and add-remove",
                )
            else:
                self._members(databases, given.neighbours, (*path, "neighbours"))
                own[name] = pairs(name, ((D, E) for D, E in given.neighbours))
        if isinstance(databases, Listed):
            return own
        return BUILT_IN | own

    def _policy(
        self, name: str, given: GranularityTable, databases: DatabaseClass, path: Path_
    ) -> dict[str, Granularity]:
        """A policy on records."""
        replaced = given.replace.data() if isinstance(given.replace, ReplaceTable) else given.replace
        try:
            found = policy(name, replaced or (), given.add_remove or ())
        except ValueError as error:
            self._wrong(path, error)
            return {name: unbounded}  # nothing more is said of what is called so
        if why := found.unfit(databases):
            self._wrong(path, why)
        return {name: found}

    def _members(self, databases: Listed, listed: list[list[str]], path: Path_) -> None:
        elements = [str(D) for D in databases.elements]
        for D in dict.fromkeys(D for pair in listed for D in pair):
            if D not in databases:
                self._wrong(path, f"{shown(D)} is no database of the class{near(D, elements)}")

    def _find_granularity(
        self, own: Mapping[str, Granularity], given: str | dict[str, Any], path: Path_
    ) -> Granularity | None:
        if isinstance(given, dict):
            inner = given.get("union", [given["of"]] if "of" in given else [])
            some = [found for one in inner if (found := self._find_granularity(own, one, path)) is not None]
            if len(some) < len(inner):
                return None
            try:
                if "w-event" in given:
                    return w_event(given["w-event"])
                if "contribution" in given:
                    return self._contribution(given["contribution"], path)
                if "within" in given:
                    return within_any_size(given["steps"], *some)
                if "union" in given:
                    return union(*some)
                return self._group(given["group"], some[0], path)
            except ValueError as error:
                self._wrong(path, error)
                return None
        if given in own:
            return own[given]
        if given in BUILT_IN:
            why = BUILT_IN[given].unfit(Listed(("",))) or f"the granularity {given} is built in"
            self._wrong(path, f"{why.partition(';')[0]}; a listed class needs one of your own")
        else:
            self._wrong(
                path, f"there is no granularity {shown(given)}{near(given, dict.fromkeys((*own, *BUILT_IN)))}"
            )
        return None

    def _group(self, m: int | str, of: Granularity, path: Path_) -> Granularity | None:
        """A group of a number of steps, or of a parameter's."""
        found = m if isinstance(m, int) else self._counted(m, path)
        return None if found is None else group(found, of)

    def _counted(self, text: str, path: Path_) -> Term | None:
        """A number of parts, rows or steps: names that are not listed are made here."""
        for name in formulas.names(text):
            if name not in self.symbols and not self._adopt(name, COUNT, path):
                return None
        return kernel.parse(text, self.symbols)

    def _contribution(self, given: Mapping[str, Any], path: Path_) -> Granularity | None:
        """What a person contributes: names that are not listed are made here."""
        counts = [self._counted(str(given[key]), path) for key in ("parts", "rows")]
        if counts[0] is None or counts[1] is None:
            return None
        return contribution(counts[0], counts[1], given.get("replaced", False))

    def _recoding(self, name: str, given: MapTable, databases: DatabaseClass) -> Map:
        """A map that recodes records."""
        found = recoding(name, given.recode or {}, given.others)
        if why := found.unfit(databases):
            self._wrong(("maps", name, "recode"), f"{name} {why}")
        return found

    def _maps(self, databases: DatabaseClass) -> dict[str, Map]:
        maps = dict(self.own.maps)
        for name, given in self.given.maps.items():
            path = ("maps", name)
            if name in self.own.maps:
                self._wrong(path, f"{name} was added in Python already; call this one by another name")
                continue
            if given.table is None:
                maps[name] = self._recoding(name, given, databases)
                continue
            if not isinstance(databases, Listed):
                self._wrong(
                    path,
                    "a map of your own needs a listed class; records of multisets are recoded: "
                    'recode = { a1 = "A", a2 = "A" }',
                )
                continue
            elements = [str(D) for D in databases.elements]
            if missing := [D for D in elements if D not in given.table]:
                self._wrong((*path, "table"), f"there is no value for the database {shown(missing[0])}")
            for D in given.table:
                if D not in databases:
                    self._wrong(
                        (*path, "table"), f"{shown(D)} is no database of the class{near(D, elements)}"
                    )
            listed = given.image_neighbours
            by_granularity = listed if isinstance(listed, dict) else {} if listed is None else {"": listed}
            values = list(dict.fromkeys(given.table.values()))
            for granularity, some in by_granularity.items():
                if granularity and granularity not in self.given.granularities:
                    self._wrong((*path, "image-neighbours"), f"there is no granularity {shown(granularity)}")
                for x in dict.fromkeys(x for pair in some for x in pair):
                    if x not in values:
                        self._wrong(
                            (*path, "image-neighbours"),
                            f"{shown(x)} is no value of the map{near(x, values)}",
                        )
            maps[name] = table(
                name, dict(given.table), {g: [(x, y) for x, y in some] for g, some in by_granularity.items()}
            )
        return maps

    def _mechanism(
        self, i: int, given: MechanismTable, own: Mapping[str, Granularity], maps: Mapping[str, Map]
    ) -> Mechanism | None:
        found = self._before_processing(i, given, own, maps)
        return found.then(given.post_processing) if found and given.post_processing else found

    def _before_processing(
        self, i: int, given: MechanismTable, own: Mapping[str, Granularity], maps: Mapping[str, Map]
    ) -> Mechanism | None:
        path: Path_ = ("mechanisms", i)
        count = self._count(given, path)
        index = given.index or self.index
        reads: Map | None = everything
        if isinstance(given.reads, ReadsTable):
            reads = self._reads(given.reads, maps, (*path, "reads"), given.index, count)
        stated = given.guarantee
        if given.study is not None:
            return None if reads is None else self._of_study(given, given.study, reads, count, path)
        if given.satisfies is not None:
            every = [
                self._guarantee(one, reads, (*path, "satisfies", n), own, index)
                for n, one in enumerate(given.satisfies)
            ]
            some = [one for one in every if one is not None]
            if reads is None or len(some) < len(every):
                return None
            return mechanism(given.name, some, reads, count)
        if stated is None:
            query, noise = self._query(given, path), self._noise(given, path)
            if reads is None or query is None or noise is None:
                return None
            return mechanism(given.name, reads=reads, count=count, query=query, noise=noise)
        found = self._guarantee(stated, reads, (*path, "guarantee"), own, index)
        if reads is None or found is None:
            return None
        table = None if given.table is None else self._probabilities(given.table, (*path, "table"))
        return Mechanism(given.name, reads, found, count, table=table)

    def _guarantee(
        self,
        stated: GuaranteeTable,
        reads: Map | None,
        path: Path_,
        own: Mapping[str, Granularity],
        index: str | None,
    ) -> Guarantee | None:
        """A guarantee of a mechanism that reads something."""
        granularity = self._find_granularity(own, stated.granularity, (*path, "granularity"))
        read = [
            (key, self._stated(str(stated.value(key)), key, (*path, key), index))
            for key in self.keys[stated.notion]
        ]
        given_values = tuple((key, value) for key, value in read if value is not None)
        if reads is not None and not isinstance(reads, Everything) and stated.domain is None:
            self._wrong((*path, "domain"), DOMAIN_NEEDED)
            return None
        if granularity is None or len(given_values) < len(read):
            return None
        return Guarantee(stated.notion, given_values, granularity, stated.domain)

    def _of_study(
        self, given: MechanismTable, name: str, reads: Map, count: Term | None, path: Path_
    ) -> Mechanism | None:
        """A study as a mechanism, with the guarantee that is shown for it, or that the file states."""
        stated = given.guarantee
        setting = self._study(
            name, given.index or self.index, [stated.notion] if stated else self.notions, path
        )
        if setting is None:
            return None
        found: Mechanism | None = None
        if self.show is not None:
            try:
                found = self.show(given.name, setting, reads, count)
            except ValueError as error:
                self._wrong((*path, "study"), f"no guarantee of {name} is known: {error}")
                return None
        if stated is None:
            if found is None:
                self._wrong(path, "this key is missing: the guarantee of its study")
            return found
        index = given.index or self.index
        known = tuple(
            (key, value)
            for key in self.keys[stated.notion]
            if (value := self._stated(str(stated.value(key)), key, (*path, "guarantee", key), index))
            is not None
        )
        satisfies = Guarantee(stated.notion, known, setting.target, stated.domain)
        if setting.target.data() != stated.granularity:
            message = f"{name} is a study for {setting.target} neighbours, so its guarantee is, too"
            self._wrong((*path, "guarantee", "granularity"), message)
        elif found is not None and found.satisfies != satisfies:
            self._wrong((*path, "guarantee"), f"what is shown for {name} is {found.satisfies}; leave it out")
        return found or Mechanism(given.name, reads, satisfies, count, study=Nested(setting))

    def _study(self, name: str, index: str | None, notions: list[str], path: Path_) -> Setting | None:
        """What a study composes; its parameters are also those of what it is part of."""
        if name not in self.given.studies:
            self._wrong((*path, "study"), f"there is no study {shown(name)}{near(name, self.given.studies)}")
            return None
        given, outside = self.given.studies[name], self.given
        if given.assume:
            self._wrong(
                ("studies", name, "assume"), "relations between parameters stand at the top of a file"
            )
        if given.databases is None:
            alike = ("databases", "granularities", "maps", "partitions", "tables")
            if twice := [key for key in alike[1:] if getattr(given, key)]:
                self._wrong(("studies", name, twice[0]), "a study without databases has those of the file")
                return None
            given = given.with_(**{key: getattr(outside, key) for key in alike})
        for one in sorted(set(given.parameters) & set(outside.parameters)):
            if given.parameters[one] != outside.parameters[one]:
                message = (
                    f"{one} is {outside.parameters[one]} outside of the study; one name is one parameter"
                )
                self._wrong(("studies", name, "parameters", one), message)
        reader = _Reader(
            given.with_(parameters={**outside.parameters, **given.parameters}, assume=list(outside.assume)),
            self.show,
            index,
            self.keys,
            self.own,
            inherits=True,
        )
        reader.notions = notions
        setting = reader.setting()
        for mistake in reader.mistakes:
            self._wrong(("studies", name, *mistake.path), mistake.message)
        used = set(reader.domains) if setting is None else setting.used
        for one in sorted(used - set(self.domains)):
            self._adopt(one, reader.domains[one], (*path, "study"))
        if setting is None:
            return None
        own = {one: setting.domains[one] for one in setting.domains if one in setting.used}
        return replace(setting, domains=MappingProxyType(own))

    def _probabilities(self, name: str, path: Path_) -> ProbabilityTable | None:
        """A table of probabilities; names in its formulas that are not listed are made here."""
        if name not in self.given.tables:
            self._wrong(path, f"there is no table {shown(name)}{near(name, self.given.tables)}")
            return None
        if not isinstance(self.databases, Listed):
            self._wrong(path, "a table of probabilities needs a listed class")
            return None
        from dpcompose.privacy.tabulated import probability_table

        given = self.given.tables[name]
        rows: dict[Database, list[Term]] = {}
        for D, row in given.rows.items():
            try:
                for one in sorted({one for text in row for one in formulas.names(text)}):
                    if one not in self.symbols:
                        self.domains[one] = POSITIVE
                        self.symbols[one] = terms.letter(one, POSITIVE)
                rows[D] = [kernel.parse(text, self.symbols) for text in row]
            except formulas.FormulaError as error:
                self._wrong(("tables", name, "rows", D), error)
                return None
        try:
            used = {one for row in rows.values() for p in row for one in p.letters}
            domains = {one: str(self.domains[one]) for one in sorted(used)}
            return probability_table(rows, given.outcomes, parameters=domains)
        except ValueError as error:
            self._wrong(("tables", name), error)
            return None

    def _query(self, given: MechanismTable, path: Path_) -> Query | None:
        """What the mechanism asks for; one bit where that is left out."""
        table = given.query
        if not isinstance(table, QueryTable):
            return bit if table is None else {"count": count, "bit": bit, **self.own.queries}[table]
        if table.histogram is not None:
            return histogram(table.histogram)
        if table.location is not None:
            diameter = self._stated(table.location, "location", (*path, "query", "location"), None)
            return None if diameter is None else location(diameter)
        key = "sum" if table.sum is not None else "mean"
        texts = enumerate(getattr(table, key))
        bounds = [self._stated(text, key, (*path, "query", key, n), None) for n, text in texts]
        lower, upper = bounds
        if lower is None or upper is None:
            return None
        if "oo" in (lower.kind, upper.kind):
            self._wrong((*path, "query", key), "the bounds of an attribute are finite")
            return None
        return clipped_sum(lower, upper) if key == "sum" else mean(lower, upper)

    def _noise(self, given: MechanismTable, path: Path_) -> Noise | None:
        """The noise with its parameter; a probability that is a bare name lies in (0,1)."""
        assert given.noise is not None
        word = given.noise.word
        text = given.noise.parameter
        parameter = self._stated(text, word, (*path, "noise", word), given.index or self.index)
        if parameter is None:
            return None
        noise = Noise(word, parameter, self.own.noises.get(word))
        if unfit := noise.unfit(self.domains, self.known_so_far):
            self._wrong((*path, "noise", word), unfit)
            return None
        return noise

    def _count(self, given: MechanismTable, path: Path_) -> Term | None:
        """How many mechanisms a family has; None for a single one."""
        if given.repeat is not None:
            return terms.number(given.repeat)
        if given.count is None:
            return None
        if given.index in self.symbols or given.index in formulas.RESERVED:
            self._wrong((*path, "index"), f"{given.index} has a meaning already; use another letter")
        try:
            return kernel.parse(given.count, self.symbols)
        except formulas.FormulaError as error:
            hint = 'list it under [parameters], as "integer >= 2"'
            self._wrong((*path, "count"), f"{error.message}; {hint}")
            return None

    def _reads(
        self,
        given: ReadsTable,
        maps: Mapping[str, Map],
        path: Path_,
        index: str | None,
        count: Term | None,
    ) -> Map | None:
        if given.part is not None:
            return self._part(given, path, index)
        if given.records is not None:
            databases = self.of_class
            if databases.kind not in ("multisets", "sets", "sequences"):
                fitting = {"listed": "a listed class has no records; read a map of your own"}
                said = f"{databases.kind} are not restricted to records; read positions"
                self._wrong((*path, "records"), fitting.get(databases.kind, said))
                return None
            for record in given.records:
                if databases.records is not None and record not in databases.records:
                    self._wrong(
                        (*path, "records"),
                        f"{shown(record)} is no record of the class{near(record, databases.records)}",
                    )
            return restriction(given.records)
        if given.positions is not None:
            if not isinstance(self.databases, Tuples):
                self._wrong((*path, "positions"), "positions are about tuples, streams and tables")
                return None
            return positions(*given.positions)
        if given.window is not None:
            return self._window(given.window, (*path, "window"))
        if given.users is not None:
            return self._of_users(given.users, (*path, "users"))
        if given.where is not None:
            chosen = where(given.where)
            if self.databases is not None and (why := chosen.unfit(self.databases)):
                self._wrong((*path, "where"), why)
                return None
            return chosen
        if given.attributes is not None:
            if not isinstance(self.databases, Tables | Multisets):
                self._wrong(
                    (*path, "attributes"), "attributes are about tables, and multisets with attributes"
                )
                return None
            try:
                return columns(self.databases, *given.attributes)
            except ValueError as error:
                self._wrong((*path, "attributes"), error)
                return None
        if isinstance(given.vertex, str):
            return self._each_vertex(given.vertex, (*path, "vertex"), index, count)
        if given.vertex is not None:
            return vertex(given.vertex)
        if given.vertices is not None:
            return among(*given.vertices)
        if given.map not in maps:
            self._wrong((*path, "map"), f"there is no map {shown(given.map)}{near(given.map, tuple(maps))}")
            return None
        return maps[str(given.map)]

    def _window(self, given: Sequence[int], path: Path_) -> Map | None:
        """The time steps, or positions, from the first to the last."""
        databases, (first, last) = self.databases, given
        if not isinstance(databases, Tuples):
            self._wrong(path, "windows are about streams, tuples and tables")
        elif first > last or not (databases.sizes.exactly and last <= (databases.sizes.n or 0)):
            self._wrong(path, f'a window is [first, last], inside of all databases (size = "= {max(given)}")')
        else:
            return positions(*range(first, last + 1))
        return None

    def _each_vertex(self, given: str, path: Path_, index: str | None, count: Term | None) -> Map | None:
        """The vertex i of a family, i being its index."""
        if index is None or given != index or count is None:
            wanted = f'vertex = "{index}"' if index else 'a number, or a family: index = "i" and count'
            self._wrong(path, f"vertex {shown(given)} is none; it needs {wanted}")
            return None
        return EachVertex(parts=formulas.to_text(count))

    def _of_users(self, users: Sequence[str], path: Path_) -> Map | None:
        """The positions of some users."""
        owners = self.databases.owners if isinstance(self.databases, Tuples) else ()
        for name in users:
            if name not in owners:
                self._wrong(path, f"there is no user {shown(name)}{near(name, dict.fromkeys(owners))}")
                return None
        return positions(*(at for at, owner in enumerate(owners, start=1) if owner in users))

    def _part(self, given: ReadsTable, path: Path_, index: str | None) -> Map | None:
        """The i-th part of a partition, i being the index of the family."""
        partitions = self.given.partitions
        if given.of not in partitions:
            self._wrong((*path, "of"), f"there is no partition {shown(given.of)}{near(given.of, partitions)}")
            return None
        if index is None or given.part != index:
            wanted = f'part = "{index}"' if index else 'a family: index = "i" and count'
            self._wrong((*path, "part"), f"part {shown(given.part)} of a partition needs {wanted}")
            return None
        stated, at = partitions[str(given.of)], ("partitions", str(given.of))
        try:
            parts = kernel.parse(stated.parts, self.symbols)
        except formulas.FormulaError as error:
            self._wrong((*at, "parts"), error)
            return None
        kind = self.of_class.kind
        if (stated.kind == "order-based") != (kind != "multisets"):
            self._wrong(
                (*at, "kind"),
                "record-wise partitions and overlapping parts divide multisets, order-based ones tuples and "
                f"streams, not {kind}",
            )
            return None
        most = self._most(stated.at_most, (*at, "at-most"))
        return None if most is None else Part(str(given.of), formulas.to_text(parts), kind, most)

    def _most(self, text: str | None, path: Path_) -> int | None:
        """In how many parts a record is at most."""
        if text is None:
            return 1
        try:
            found = kernel.parse(text, self.symbols).number
        except formulas.FormulaError as error:
            self._wrong(path, error)
            return None
        if found is None or found.denominator != 1 or not 1 <= found <= MOST_PARTS:
            self._wrong(path, f"at-most is a whole number from 1 to {MOST_PARTS}, not {text}")
            return None
        return int(found)

    def _stated(self, text: str, key: str, path: Path_, index: str | None) -> Term | None:
        """A mechanism's parameter: names that are not listed are made here."""
        try:
            for name in formulas.names(text):
                self.scalars.add(name)
                if name not in self.symbols and name != index:
                    domain = UNIT_INTERVAL if key in UNIT_KEYS and text.strip() == name else POSITIVE
                    if not self._adopt(name, domain, path):
                        return None
            value = kernel.parse(text, self.symbols, index=index)
            if found := values.doubt(text, self.symbols, index, self.known_so_far):
                self.doubts.append(f"{key} of mechanism {int(path[1]) + 1}: {found}")
            return value
        except formulas.FormulaError as error:
            self._wrong(path, error)
            return None

    def _adopt(self, name: str, domain: Domain, path: Path_) -> bool:
        """A parameter that is not known yet; e[i] has the domain of e, if [parameters] lists that."""
        family = family_of(name)
        if family is not None and family in self.domains and family in self.given.parameters:
            if family in self.scalars:
                self._wrong(path, f"{family} is a parameter and also a family {name}; rename one of them")
                return False
            domain = self.domains.pop(family)
            del self.symbols[family]
        self.domains[name] = domain
        self.symbols[name] = terms.letter(name, domain)
        return True

    def _claim(self, i: int, given: ClaimTable) -> Claim | None:
        claimed = []
        text = {"notion": given.notion}
        doubts = []
        for key in self.keys[given.notion]:
            text[key] = str(given.value(key))
            try:
                claimed.append((key, kernel.parse(text[key], self.symbols)))
                doubts.append(values.doubt(text[key], self.symbols, assumed=self.known_so_far))
            except formulas.FormulaError as error:
                self._wrong(("claims", i, key), error)
                return None
        guarantee = Guarantee(given.notion, tuple(claimed))
        return Claim(guarantee, MappingProxyType(text), given.expect, next(filter(None, doubts), ""))


MOST_PARTS = 12
"""In how many overlapping parts a record may be at most."""


class Parts:
    """A class of databases of a file, with its granularities and maps, and what is read of it.

    databases, granularities, maps, parameters -- the tables of the file; mistakes -- what was found wrong so
    far.
    """

    def __init__(
        self,
        databases: DatabasesTable,
        granularities: Mapping[str, GranularityTable],
        maps: Mapping[str, MapTable],
        parameters: Mapping[str, str],
    ) -> None:
        self._reader = _Reader(
            StudyTable(databases=databases, granularities=granularities, maps=maps, parameters=parameters)
        )
        self.granularities: Mapping[str, Granularity] = {}
        self.maps: Mapping[str, Map] = {}

    @property
    def mistakes(self) -> list[Mistake]:
        return self._reader.mistakes

    def read(self) -> DatabaseClass | None:
        """The class."""
        found = self._reader.databases = self._reader._databases()
        if found is not None:
            self.granularities = self._reader._granularities(found)
            self.maps = self._reader._maps(found)
        return found

    def granularity(self, given: str | dict[str, Any], path: Path_) -> Granularity | None:
        """The granularity that a file names."""
        return self._reader._find_granularity(self.granularities, given, path)

    def reads(self, given: ReadsTable, path: Path_) -> Map | None:
        """What a mechanism reads."""
        return self._reader._reads(given, self.maps, path, None, None)
