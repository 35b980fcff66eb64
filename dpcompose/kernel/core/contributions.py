"""What one person contributes: rows in some parts of every partition, and so many in each.

A bag of rows comes or goes, or another one takes its place.  Rows outside of all parts are not limited.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.kernel.core.reader import Reader
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

REPLACED = ("no", "bag", "rows")
"""Whether a bag only comes or goes, another one takes its place, or one of as many rows does."""


@frozen
class Contribution:
    """Bags of rows in at most `parts` parts of every partition, at most `rows` in each of them.

    parts, rows -- whole numbers from 1, or letters for such; replaced -- a word of REPLACED;
    records -- where a bag is one record, with a row in each input that holds it: how many records go and come
    in a step, which is what those see who read everything.  Then rows are one, and all bags replace others
    where some do;
    among -- the partitions of which a bag lies in another number of parts, by name, with that number.
    """

    parts: Term
    rows: Term
    replaced: str
    records: tuple[tuple[int, int], ...] = ()
    among: tuple[tuple[str, Term], ...] = ()

    def parts_of(self, partition: str) -> Term:
        """In how many parts of a partition the rows of a bag lie at most."""
        return dict(self.among).get(partition, self.parts)

    def data(self) -> dict[str, Any]:
        """As JSON."""
        data: dict[str, Any] = {
            "parts": formulas.to_text(self.parts),
            "rows": formulas.to_text(self.rows),
            "replaced": self.replaced,
        }
        data |= {"records": list(map(list, self.records))} if self.records else {}
        among = {partition: formulas.to_text(parts) for partition, parts in self.among}
        return data | ({"among": among} if among else {})


def is_count(count: Term) -> bool:
    """Whether a term is a whole number from 1, or a letter for one."""
    if count.number is not None:
        return count.number.denominator == 1 and 1 <= count.number <= 10**15
    if count.kind != "letter":
        return False
    domain = count.letters[count.of[0]]
    return domain.integer and domain.least is not None and domain.least >= 1


def holds(most: Term, count: Term) -> bool:
    """Whether a number from 1 is seen to be at least another one."""
    numbers = None not in (most.number, count.number) and (most - count).nonnegative
    return count in (terms.ONE, most) or numbers


RECORDS: Mapping[tuple[tuple[int, ...], ...], str] = {
    ((0, 1), (1, 0)): "no",
    ((0, 1), (1, 0), (1, 1)): "bag",
    ((1, 1),): "bag",
}
"""What a step does to records, and whether bags of their rows replace others."""


def read(reader: Reader) -> Contribution:
    """The contribution that JSON data states.  Raises BadSetting."""
    reader.keys(("parts", "rows", "replaced", "records", "among"))
    limits = {key: _count(reader.key(key)) for key in ("parts", "rows")}
    others = reader.key("among", {})
    if not isinstance(others.value, dict):
        raise others.wrong("a table of numbers by the names of partitions")
    among = tuple((name, _count(others.key(name))) for name in sorted(map(str, others.value)))
    replaced = reader.key("replaced").text(*REPLACED)
    records = tuple(sorted(tuple(edit.wholes()) for edit in reader.key("records", []).items()))
    if records and (RECORDS.get(records) != replaced or limits["rows"].number != 1):
        raise reader.key("records").wrong("how many records go and come, each with one row in a part,")
    counts = tuple((a, b) for a, b in records)
    return Contribution(limits["parts"], limits["rows"], replaced, counts, among)


def _count(reader: Reader) -> Term:
    """A whole number from 1, or a letter for one.  Raises BadSetting."""
    count = reader.formula()
    if not is_count(count):
        raise reader.wrong("a whole number from 1, or a letter for one,")
    return count
