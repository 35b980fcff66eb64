"""Lines: what readers are told of a guarantee, as judgements with the pages they are by.

A line says what a theorem of the kernel says, in the words of a lecture (`documents.captions`); nothing is
believed because of it.

Mechanisms are numbered 1 to k as in the setting.  Formulas are terms, but for metrics as files have them; the
letter r[i] is how far apart the two inputs of M_i are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

ALL = "all"
"""How many members of a family move where all of them do."""


@frozen
class Moved:
    """How far an input moves: by 1, 2, … or oo; of a family how many members, or ALL, move by each."""

    by: tuple[tuple[Term | str | None, Term], ...]

    @property
    def text(self) -> str:
        """The same as JSON has it: "1", or "2 by 1, all by oo"."""
        return ", ".join(" by ".join(_text(one) for one in some if one is not None) for some in self.by)


Vector = tuple[tuple[int, Moved], ...]
"""A vector r of input distances, as the pairs (i, r_i) with r_i ≠ 0."""

Values = tuple[tuple[str, Term], ...]
"""A notion's parameters with their formulas."""

Texts = tuple[tuple[str, str], ...]
"""The same as text."""


@frozen
class Given:
    """M_i satisfies a guarantee for the neighbours of `granularity`, as the setting says."""

    mechanism: int
    name: str
    reads: str
    notion: str
    parameters: Values
    granularity: str
    domain: str


@frozen
class Releases:
    """M_i adds independent noise to every entry of a query's value, as the setting says."""

    mechanism: int
    name: str
    reads: str
    query: str
    noise: str
    attributes: str


@frozen
class Tabled(Given):
    """The same where M_i is given as a table of probabilities, on which it was checked."""


@frozen
class InMetric(Given):
    """The same for all D and E: its parameters are formulas in their distances, as a file has them."""

    parameters: Texts  # type: ignore[assignment]


@frozen
class OnSamples(Given):
    """The same of samples that are drawn of the records, on which M_i is run.

    sample -- how a sample is drawn.
    """

    sample: str


@frozen
class Composed(Given):
    """The same where M_i is a composition itself, whose derivation is the evidence of the line.

    believed -- names of what is assumed there, each with the number of its line there.
    """

    believed: tuple[tuple[str, str], ...]


@frozen
class PrivateInInput:
    """Each of the mechanisms keeps θ_i·d_i(f_i(D), f_i(E)), with the metric d_i that is described."""

    mechanisms: tuple[int, ...]
    metrics: tuple[str, ...]


@frozen
class Converted:
    """Where the input of M_i moves by r[i], M_i also satisfies `notion`; its parameters, one entry each."""

    mechanisms: tuple[int, ...]
    notion: str
    parameters: tuple[Values, ...]


@frozen
class PrivateInValue(PrivateInInput):
    """The same for mechanisms that add noise to a value x of a query, in the norm that the metrics name.

    density -- f_x(y) of an output y, entry by entry; loss -- ln(f_x(y)/f_z(y)); compared -- whether this is
    at most the bound, or equal to it; because -- why: all as the page of the noise states them; parameters --
    what its letters are for the mechanisms.
    """

    density: str
    loss: str
    compared: str
    bound: str
    because: str
    parameters: Values


@frozen
class Processed:
    """What is published of the mechanisms is a function of their outputs, in words; it keeps guarantees."""

    mechanisms: tuple[int, ...]
    words: str


@frozen
class Filtered:
    """The mechanisms are interactions that filters stop, and have the guarantees of their totals."""

    mechanisms: tuple[int, ...]


@frozen
class Dealt:
    """The members of the families read what a random deal of the records gives them."""

    mechanisms: tuple[int, ...]


@frozen
class Sampled:
    """The mechanisms, run on samples, satisfy guarantees for the neighbours of `granularity`."""

    mechanisms: tuple[int, ...]
    granularity: str
    notion: str
    parameters: tuple[Values, ...]


@frozen
class Loss:
    """The composition has this loss where the input of M_i moves by r[i].

    unlimited -- the mechanisms without any guarantee: the loss is ∞ where their input moves.
    """

    notion: str
    parameters: Values
    unlimited: tuple[int, ...]


@frozen
class Profile:
    """The maximal vectors r over all target neighbours, each with a pair that moves the inputs by it."""

    target: str
    databases: str
    vectors: tuple[Vector, ...]
    pairs: tuple[tuple[Any, Any], ...]
    covered: str


@frozen
class Holds:
    """A hypothesis holds in the setting; `covered` says what was gone through."""

    hypothesis: str
    covered: str


@frozen
class Declared(Holds):
    """The same where the setting says so, and nothing was checked; `covered` says by what."""


@frozen
class Private:
    """The composition satisfies the notion with these parameters, for the target's neighbours."""

    notion: str
    parameters: Values
    granularity: str
    databases: str

    @property
    def texts(self) -> Texts:
        """Its parameters with their formulas as text."""
        return texts(self.parameters)


@frozen
class Optimal:
    """No smaller guarantee holds for all mechanisms that satisfy the given ones."""

    notion: str
    parameters: Values


Judgement = (
    Given
    | Releases
    | PrivateInInput
    | Processed
    | Filtered
    | Dealt
    | Sampled
    | Converted
    | Loss
    | Profile
    | Holds
    | Private
    | Optimal
)


def believed(judgement: Judgement) -> TypeGuard[Given | Releases]:
    """Whether a judgement is what the setting assumes, and nothing checked it."""
    return isinstance(judgement, Given | Releases) and not isinstance(judgement, Tabled | Composed)


def assumed(lines: Iterable[Line]) -> tuple[tuple[str, str], ...]:
    """The names of what lines assume without check, each with the number of its line: 2.1 is line 1 of the
    derivation that line 2 has as evidence."""
    found: list[tuple[str, str]] = []
    for line in lines:
        said = line.judgement
        if isinstance(said, Composed):
            found += [(f"{said.name}.{name}", f"{line.n}.{n}") for name, n in said.believed]
        elif believed(said):
            found.append((said.name, str(line.n)))
    return tuple(found)


@frozen
class Line:
    """Line n: the judgement, the page it is by, what the page's letters stand for, and the lines it uses."""

    n: int
    judgement: Judgement
    by: str
    roles: Mapping[str, Any]
    uses: tuple[int, ...]
    evidence: Any = None

    def data(self) -> dict[str, Any]:
        """The line as it is saved."""
        return {
            "n": self.n,
            "judgement": {"kind": type(self.judgement).__name__} | _plain(vars(self.judgement)),
            "by": self.by,
            "roles": _plain(dict(self.roles)),
            "from": list(self.uses),
            "evidence": _plain(self.evidence),
        }


@frozen
class Derivation:
    """Lines in order, and the SHA-256 of every page that they are by."""

    lines: tuple[Line, ...]
    pages: Mapping[str, str]

    @property
    def believed(self) -> tuple[int, ...]:
        """The lines that state what the setting assumes: they are believed without check."""
        return tuple(line.n for line in self.lines if believed(line.judgement))


def texts(values: Values) -> Texts:
    """Parameters with their formulas as text."""
    return tuple((key, formulas.to_text(value)) for key, value in values)


def _text(value: Term | Moved | str) -> str:
    if isinstance(value, Term):
        return formulas.to_text(value)
    return value if isinstance(value, str) else value.text


def _plain(value: Any) -> Any:
    """Tuples as lists, mappings as dicts and terms as formulas, as JSON has them."""
    if isinstance(value, Term | Moved):
        return _text(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
