"""What concrete mechanisms are: a query and noise, a table of probabilities, a run on a sample."""

from __future__ import annotations

from typing import Any

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

Values = tuple[tuple[str, Term], ...]
"""Parameters with their terms, in the order of their names."""


@frozen
class Query:
    """What is computed of the records that are read, before noise is added.

    page -- the id of its page; values -- what the letters of the page are here; n -- how many records are
    read, where that is fixed: a number, or the letter for it; least -- else how many are read at least.
    """

    page: str
    values: tuple[tuple[str, Term], ...]
    n: int | Term | None = None
    least: int | Term | None = None

    def data(self) -> dict[str, Any]:
        """As JSON."""
        data: dict[str, Any] = {"page": self.page, "values": texts(self.values)}
        for key, n in (("n", self.n), ("least", self.least)):
            data |= {} if n is None else {key: formulas.to_text(n) if isinstance(n, Term) else n}
        return data


@frozen
class Noise:
    """Independent noise on the entries of a query's value: the page of its law, and its parameter.

    query -- None for values of points, of which `entries` are formulas in the coordinates of the database D;
    besides -- further parameters of the law.
    """

    query: Query | None
    page: str
    parameter: Term
    entries: tuple[Term, ...] = ()
    besides: tuple[tuple[str, Term], ...] = ()

    @property
    def letters(self) -> dict[str, Term]:
        """What the page's letters besides that of its parameter may mean here."""
        return {**({} if self.query is None else dict(self.query.values)), **dict(self.besides)}

    def data(self) -> dict[str, Any]:
        """As JSON."""
        data: dict[str, Any] = {"page": self.page, "parameter": formulas.to_text(self.parameter)}
        data |= {"besides": texts(self.besides)} if self.besides else {}
        data |= {"entries": [formulas.to_text(entry) for entry in self.entries]} if self.entries else {}
        return data if self.query is None else {"query": self.query.data(), **data}


@frozen
class Sampled:
    """That a mechanism is run on a sample of the records: the page of how it is drawn, and its letters."""

    page: str
    values: Values

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {"page": self.page, "values": texts(self.values)}


@frozen
class Table:
    """A mechanism as a table of probabilities: for each database, or value that is read, a row.

    on -- "databases" or "inputs"; rows -- formulas, one an outcome.
    """

    on: str
    outcomes: tuple[str, ...]
    rows: tuple[tuple[Term, ...], ...]

    def data(self) -> dict[str, Any]:
        """As JSON."""
        rows = [[formulas.to_text(term) for term in row] for row in self.rows]
        return {"on": self.on, "outcomes": list(self.outcomes), "rows": rows}


def texts(values: tuple[tuple[str, Term], ...]) -> dict[str, str]:
    return {key: formulas.to_text(value) for key, value in values}
