"""Classes of databases: what core settings say of them, and how that is read.

What is read is checked to be a class: numbers are in range, records have different names, letters are for
whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.core import counted
from dpcompose.kernel.core.contributions import is_count
from dpcompose.kernel.core.counted import Counted
from dpcompose.kernel.core.reader import BadSetting, Reader
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.grammar import RESERVED
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import Ends, Points
from dpcompose.kernel.expressions.terms import Term

KINDS = ("records", "policies", "contributions", "cells", "listed", "steps", "arrays", "product")
OF_PARTS = ("records", "cells", "listed", "steps")
"""The kinds of classes that parts of products may be, besides points; of steps no distance is told."""
OF_ATOMS = ("records", "policies")
"""The kinds of classes whose databases are made of records, told by their atoms."""
SIZES = ("any", "at most", "exactly")


@frozen
class Atom:
    """Records that the same mechanisms read.

    records -- the only one, or two where there are more; these name all others in examples.  Of sets, all.
    """

    records: tuple[str, ...]


@frozen
class Databases:
    """The class: its kind, and what there is to say of that kind.

    shown -- the class in words, for readers;
    of -- of records, what they form: "multisets", "sequences", "sets", "tuples"; size -- how many records a
    database has, a word of SIZES and a number, and at least `least`; letter -- for any number in place of
    that one, or of `least` for "any"; lower -- for any in place of `least` beside another number: the class
    is meant for each of their values, of which those that are there have all types of neighbours; of tuples
    and cells letter -- for any length, from_length -- from which one on all types are there; unlimited -- of
    sets with letters, whether there are as many more records as databases need, which nothing tells apart;
    beside, copies -- of multisets by policies, where the universe is one of several, whose atoms are some of
    these: beside -- for each the others that are there where it is; copies -- atoms of one record each, of
    which one of each some is there, all in the same order of places; further -- what is there besides, in any
    number, at places that are not told: nothing, records ALIKE, or OTHERS;
    atoms -- all of them; places -- of tuples, at which of the places 0, 1, … the records of each atom stand;
    count -- how many cells, or databases, there are;
    of contributions, atoms -- the parts of the partition, two rows of each; outside -- two rows that lie in
    no part, if there are such; size, least and their letters as of records;
    of arrays, gone_through -- how many pairs of neighbours there are; types -- what was counted of them;
    of products, parts -- the classes by their names.
    """

    kind: str
    shown: str
    of: str = "multisets"
    size: tuple[str, int | None] = ("any", None)
    least: int = 0
    letter: Term | None = None
    lower: Term | None = None
    from_length: int = 0
    unlimited: bool = False
    atoms: tuple[Atom, ...] = ()
    places: tuple[int, ...] = ()
    count: int = 0
    gone_through: int = 0
    types: tuple[Counted, ...] = ()
    outside: tuple[str, ...] = ()
    parts: tuple[tuple[str, Points | Databases], ...] = ()
    beside: tuple[tuple[int, ...], ...] = ()
    copies: tuple[tuple[int, ...], ...] = ()
    further: str = ""

    @property
    def points(self) -> tuple[Points, ...]:
        """The parts that are points."""
        return tuple(part for _, part in self.parts if isinstance(part, Points))

    @property
    def of_atoms(self) -> bool:
        """Whether its databases are made of records, told by their atoms."""
        return self.kind in OF_ATOMS

    @property
    def of_multisets(self) -> bool:
        """The same, of which there may be several alike."""
        return self.of_atoms and self.of == "multisets"

    @property
    def by_edges(self) -> bool:
        """Whether a step changes one record, along an edge between atoms."""
        return self.kind == "policies"

    @property
    def of_rows(self) -> bool:
        """Whether databases are made of rows, several of which may be one person's."""
        return self.kind == "contributions"

    @property
    def of_cells(self) -> bool:
        """Whether databases have a value in each of some cells, and steps change those of a block."""
        return self.kind == "cells"

    @property
    def listed(self) -> bool:
        """Whether databases are 0, 1, 2, …, and what is read of each is told."""
        return self.kind == "listed"

    @property
    def on_arrays(self) -> bool:
        """Whether nothing is told of databases but what was counted of neighbours."""
        return self.kind == "arrays"

    @property
    def steps_add_up(self) -> bool:
        """Whether databases any number of steps apart are told by single steps."""
        return self.of_multisets or self.of_rows

    def values(self, reads: tuple[int, ...] | None) -> int:
        """How many values are read of a listed class; 0 of others."""
        if not self.listed:
            return 0
        return self.count if reads is None else max(reads, default=-1) + 1

    @property
    def only_steps(self) -> bool:
        """Whether nothing is told of it but how many steps there are between databases."""
        return self.kind == "steps"

    @property
    def letters(self) -> dict[str, int]:
        """The letters for numbers, and the number that is there in place of each."""
        _, n = self.size
        top = self.from_length if self.of_places else self.least if n is None else n
        both = ((self.lower, self.least), (self.letter, top))
        return {term.of[0]: there for term, there in both if term is not None}

    @property
    def largest(self) -> Term | None:
        """How many records of multisets a database has at most, if there is a limit."""
        n = self.size[1] if self.of_multisets else None
        if n is None:
            return None
        return terms.number(n) if self.letter is None else self.letter

    @property
    def from_some_size_on(self) -> bool:
        """Whether databases have at least some number of records, which may be less than the largest."""
        return self.least > 0 or self.lower is not None

    @property
    def of_all_sizes(self) -> bool:
        """Whether databases have any number of records, none included."""
        return self.size == ("any", None) and self.letter is None and not self.from_some_size_on

    @property
    def of_places(self) -> bool:
        """Whether a database has a record, or a value, at each of some places."""
        return self.kind == "cells" or self.of == "tuples"

    def at(self, point: Mapping[str, Fraction]) -> Databases:
        """The class with numbers for its letters."""
        if self.letter is None and self.lower is None:
            return self
        (word, n), least = self.size, self.least
        if self.letter is not None:
            top = int(point[self.letter.of[0]])
            n, least = (None, top) if n is None else (top, least)
        least = least if self.lower is None else int(point[self.lower.of[0]])
        return replace(self, size=(word, n), least=least, letter=None, lower=None)

    def differ(self, removed: int, added: int) -> bool:
        """Whether some two databases differ by so many records of the one, and so many of the other."""
        word, n = self.size
        if n is None:
            return True
        apart = 0 if word == "exactly" else n - self.least
        return max(removed, added) <= n and abs(removed - added) <= apart

    def has(self, *sizes: int) -> bool:
        """Whether some databases have so many records each."""
        word, n = self.size
        return n is None or (max(sizes) <= n and (word != "exactly" or {*sizes} == {n}))

    def shared(self, removed: int, added: int) -> int:
        """How many records two databases share at least that differ by so many."""
        word, n = self.size
        return n - removed if word == "exactly" and n else max(0, self.least - min(removed, added))

    def how_many(self, reads: tuple[int, ...] | None) -> int | Term | None:
        """How many records are read of every database; None where that differs."""
        word, n = self.size
        if self.kind == "cells" and (self.letter is None or reads is not None):
            return self.count if reads is None else len(reads)
        if self.kind not in (*OF_ATOMS, "contributions", "cells") or reads is not None or word != "exactly":
            return None
        return n if self.letter is None else self.letter if is_count(self.letter) else None

    def fewest(self, reads: tuple[int, ...] | None) -> int | Term | None:
        """How many records of a multiset are read at least; None of other classes, and where it is fixed."""
        word, n = self.size
        if not self.of_multisets or (word == "exactly" and reads is None):
            return None
        if reads is not None:
            return 0
        if self.lower is not None:
            return self.lower
        return self.least if self.letter is None or n is not None else self.letter

    def data(self) -> dict[str, Any]:
        """As JSON."""
        data: dict[str, Any] = {"kind": self.kind, "shown": self.shown}
        if self.of_atoms:
            atoms = [list(atom.records) for atom in self.atoms]
            data |= {"of": self.of, "size": list(self.size), "atoms": atoms}
            data |= {"least": self.least} if self.least else {}
            data |= {"places": list(self.places)} if self.places else {}
            data |= {"unlimited": True} if self.unlimited else {}
            data |= {"from": self.from_length} if self.from_length else {}
            data |= {"beside": list(map(list, self.beside))} if self.beside else {}
            data |= {"copies": list(map(list, self.copies))} if self.copies else {}
            data |= {"further": self.further} if self.further else {}
        if self.kind == "cells" and self.letters:
            data |= {"size": list(self.size)}
        for key, term in (("letter", self.letter), ("lower", self.lower)):
            data |= {} if term is None else {key: formulas.to_text(term)}
        if self.kind == "contributions":
            data |= {"parts": [list(atom.records) for atom in self.atoms], "outside": list(self.outside)}
            data |= {"size": list(self.size)} if self.size[1] is not None else {}
            data |= {"least": self.least} if self.least else {}
        if self.parts:
            data |= {"parts": {name: part.data() for name, part in self.parts}}
        if self.kind == "arrays":
            data |= {"gone through": self.gone_through, "types": [type.data() for type in self.types]}
        return data | ({"count": self.count} if self.kind in ("cells", "listed", "arrays") else {})


def read(reader: Reader) -> Databases:
    """The class that JSON data states.  Raises BadSetting."""
    kind = reader.key("kind").text(*KINDS)
    shown = reader.key("shown").text()
    if kind in OF_ATOMS:
        return _of_records(reader, kind, shown)
    if kind == "contributions":
        return _of_parts(reader, shown)
    if kind == "arrays":
        return _on_arrays(reader, shown)
    if kind == "product":
        reader.keys(("kind", "shown", "parts"))
        return Databases(kind, shown, parts=_parts(reader.key("parts")))
    if kind == "cells" and not {"letter", "lower"}.isdisjoint(reader.value):
        return _of_any_length(reader, shown)
    reader.keys(("kind", "shown", "count") if kind != "steps" else ("kind", "shown"))
    return Databases(kind, shown, count=0 if kind == "steps" else reader.key("count").whole())


def _of_any_length(reader: Reader, shown: str) -> Databases:
    """Cells in a row, of which there are any number."""
    reader.keys(("kind", "shown", "count", "size", "letter", "lower"))
    count, size = reader.key("count").whole(), reader.key("size").items()
    word = size[0].text(*SIZES) if len(size) == 2 else ""
    if not word or size[1].value != (None if word == "any" else count):
        raise reader.key("size").wrong("a word and the number of cells")
    letter, lower = _letter(reader, "letter"), _letter(reader, "lower")
    databases = Databases("cells", shown, size=(word, size[1].value), letter=letter, lower=lower, count=count)
    return replace(databases, from_length=0 if word == "any" else count)


ALIKE, OTHERS = "alike", "others"
"""Further records: each has the edges of one that is told, but for a value of an attribute; or others too."""
FORMS = {"records": ("multisets", "sequences"), "policies": ("multisets", "sets", "tuples")}
"""What records form, by the kind of the class."""
OF_LEAST = ("multisets", "sets")
"""What may have at least some number of records."""


def _of_records(reader: Reader, kind: str, shown: str) -> Databases:
    """A class whose databases are made of records."""
    keys = ("kind", "shown", "of", "size", "least", "letter", "lower", "from", "unlimited", "atoms", "places")
    formed = reader.key("of").text(*FORMS[kind])
    among = ("beside", "copies", "further") if kind == "policies" and formed == "multisets" else ()
    reader.keys((*keys, *among))
    (size, n), least = _size(reader)
    atoms = tuple(Atom(tuple(map(Reader.text, atom.items()))) for atom in reader.key("atoms").items())
    names = [name for atom in atoms for name in atom.records]
    many = all(atom.records and (formed == "sets" or len(atom.records) <= 2) for atom in atoms)
    if not atoms or not many or len(set(names)) < len(names):
        raise reader.key("atoms").wrong("one or two records of each atom, all different")
    if least and formed not in OF_LEAST:
        raise reader.key("least").wrong("nothing for sequences, so none")
    letter, lower = _letter(reader, "letter"), _letter(reader, "lower")
    places = _places(reader, formed, len(atoms), size, n)
    length, unlimited = reader.key("from", 0).whole(0, 10**15), reader.key("unlimited", False).value is True
    if (formed != "tuples" and length) or 0 < length < (n or 0):
        raise reader.key("from").wrong("a length of tuples with a letter, no less than there are places,")
    if formed != "sets" and unlimited:
        raise reader.key("unlimited").wrong("nothing but for sets, so none")
    beside, copies = _of_universes(reader, atoms)
    databases = Databases(
        kind,
        shown,
        formed,
        (size, n),
        least,
        letter,
        lower,
        length,
        unlimited,
        atoms,
        places,
        beside=beside,
        copies=copies,
        further=_further(reader, copies),
    )
    if formed == "sequences" and letter is not None:
        raise reader.key("letter").wrong("nothing for sequences, so none")
    _check_letters(reader, databases, "exactly" if formed == "tuples" else "at most")
    return databases


def _size(reader: Reader) -> tuple[tuple[str, int | None], int]:
    """How many records a database has, a word and a number, and how many it has at least."""
    if len(parts := reader.key("size").items()) != 2:
        raise reader.key("size").wrong("a word and a number")
    word = parts[0].text(*SIZES)
    n = None if word == "any" else parts[1].whole(0, 10**15)
    most = 10**15 if n is None else 0 if word == "exactly" else max(0, n - 1)
    return (word, n), reader.key("least", 0).whole(0, most)


Numbers = tuple[tuple[int, ...], ...]


def _of_universes(reader: Reader, atoms: Sequence[Atom]) -> tuple[Numbers, Numbers]:
    """Which atoms are there beside which, and of which one is there only."""
    beside, copies = (
        tuple(tuple(entry.wholes()) for entry in reader.key(key).items()) if key in reader.value else ()
        for key in ("beside", "copies")
    )
    if any(not 0 <= number < len(atoms) for numbers in (*beside, *copies) for number in numbers):
        raise reader.wrong("numbers of atoms")
    if len(beside) not in (0, len(atoms)):
        raise reader.key("beside").wrong("some atoms for each one")
    alone = [number for numbers in copies for number in numbers]
    single = all(len(atoms[number].records) == 1 for number in alone)
    if copies and not (beside and single and all(copies) and len({*alone}) == len(alone)):
        raise reader.key("copies").wrong("different atoms of one record each, of which one is there")
    return beside, copies


def _further(reader: Reader, copies: Numbers) -> str:
    """Which records there are besides those of which one copy is there."""
    if "further" not in reader.value:
        return ""
    if len({len(numbers) for numbers in copies}) != 1:
        raise reader.key("further").wrong("nothing unless all records have a copy at each place, so none")
    return reader.key("further").text(ALIKE, OTHERS)


def _letter(reader: Reader, key: str) -> Term | None:
    """A letter for whole numbers from 0, if there is one."""
    if key not in reader.value:
        return None
    term = reader.key(key).formula()
    if term.kind != "letter" or not term.of[1].integer or not term.of[1].nonnegative:
        raise reader.key(key).wrong("a letter for whole numbers from 0,")
    return term


def _check_letters(reader: Reader, databases: Databases, word: str) -> None:
    """Raises BadSetting unless letters are for the numbers that are there, and for the least one only where
    sizes have this word."""
    if databases.lower is not None and databases.size[0] != word:
        raise reader.key("lower").wrong("nothing but where databases have at most some number, so none")
    for key, term in (("letter", databases.letter), ("lower", databases.lower)):
        there = term is None or databases.of_places
        if term is not None and not there and term.of[1].least > databases.letters[term.of[0]]:
            raise reader.key(key).wrong("a letter for whole numbers up to the one that is there,")


def _places(reader: Reader, formed: str, atoms: int, size: str, n: int | None) -> tuple[int, ...]:
    """Of tuples the place of each atom; all n of them."""
    if formed != "tuples" and "places" not in reader.value:
        return ()
    numbers = tuple(reader.key("places").wholes())
    exactly = formed == "tuples" and size == "exactly"
    if not exactly or len(numbers) != atoms or set(numbers) != set(range(n or 0)):
        raise reader.key("places").wrong("the place of each atom of tuples of one length, all of them,")
    return numbers


def _of_parts(reader: Reader, shown: str) -> Databases:
    """Multisets of rows: a row of each part, or two, and two outside of them if there are any."""
    reader.keys(("kind", "shown", "parts", "outside", "size", "least", "letter", "lower"))
    size, least = _size(reader) if "size" in reader.value else (("any", None), reader.key("least", 0).whole())
    parts = [tuple(row.text() for row in part.items()) for part in reader.key("parts").items()]
    outside = tuple(row.text() for row in reader.key("outside").items())
    names = [*outside, *(name for part in parts for name in part)]
    few = not all(1 <= len(part) <= 2 for part in parts) or len(outside) not in (0, 2)
    if few or len(set(names)) < len(names):
        raise reader.key("parts").wrong("one or two rows of each part, two or none outside, all different,")
    databases = Databases(
        "contributions",
        shown,
        size=size,
        least=least,
        letter=_letter(reader, "letter"),
        lower=_letter(reader, "lower"),
        atoms=tuple(map(Atom, parts)),
        outside=outside,
    )
    _check_letters(reader, databases, "at most")
    return databases


def _on_arrays(reader: Reader, shown: str) -> Databases:
    """What was counted of the neighbours of a large class."""
    reader.keys(("kind", "shown", "count", "gone through", "types"))
    count = reader.key("count").whole(0, counted.MOST_DATABASES)
    gone_through = reader.key("gone through").whole(0, counted.MOST_DATABASES**2)
    types = tuple(counted.read(entry, count) for entry in reader.key("types").items())
    if not min(1, gone_through) <= len(types) <= gone_through:
        raise reader.key("types").wrong(
            "a type for some of the pairs that were gone through, at most one each,"
        )
    return Databases("arrays", shown, count=count, gone_through=gone_through, types=types)


# products


def is_name(name: Any) -> bool:
    """Whether a coordinate or a part may be called so."""
    return (
        isinstance(name, str)
        and name.isascii()
        and name.isidentifier()
        and name not in RESERVED
        and "__" not in name
    )


def _points(reader: Reader) -> Points:
    """The points that JSON data states."""
    reader.keys(("kind", "coordinates", "box", "disc"))
    names = tuple(coordinate.text() for coordinate in reader.key("coordinates").items())
    if not names or len({*names}) < len(names) or not all(map(is_name, names)):
        raise reader.key("coordinates").wrong("names of coordinates, each once,")
    box = tuple(map(_ends, reader.key("box").items()))
    if len(box) != len(names):
        raise reader.key("box").wrong("two ends for each coordinate")
    disc = reader.key("disc").formula() if "disc" in reader.value else None
    if disc is not None and (len(names) != 2 or any(end is not None for ends in box for end in ends)):
        raise reader.key("disc").wrong("a disc of two coordinates without ends")
    return Points(names, box, disc)


def _ends(reader: Reader) -> Ends:
    low, high = (None if end.value is None else end.formula() for end in _two(reader))
    return low, high


def _two(reader: Reader) -> list[Reader]:
    if len(readers := reader.items()) != 2:
        raise reader.wrong("two ends")
    return readers


def _parts(reader: Reader) -> tuple[tuple[str, Points | Databases], ...]:
    """The parts of a product by their names; a single one may be called ""."""
    if not isinstance(reader.value, dict) or not reader.value:
        raise reader.wrong("a table of parts")
    parts = []
    for name in map(str, reader.value):
        entry = reader.key(name)
        if not is_name(name) and (name or len(reader.value) > 1):
            raise BadSetting(f"{reader.at}: {name!r} is no name of a part")
        points = entry.key("kind").value == "points"
        part = _points(entry) if points else read(entry)
        if not isinstance(part, Points) and part.kind not in OF_PARTS:
            raise entry.key("kind").wrong(f"points, {', '.join(OF_PARTS)}")
        parts.append((name, part))
    names = [name for _, part in parts if isinstance(part, Points) for name in part.coordinates]
    if len({*names}) < len(names):
        raise reader.wrong("other coordinates in each part")
    return tuple(parts)
