"""What the heads of all theorem pages have: ids, items, a status; hypotheses, and formulas with letters."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import Mistake, Place, key_of

Status = Literal["primitive", "derived", "believed"]


ORDER = "alpha"
"""The letter for the order of a divergence."""
LAST_ORDER = "omega"
"""The letter for the order up to which a guarantee bounds divergences."""


class Written(NamedTuple):
    """A formula of a page: where it stands, its letters, and those that have an index."""

    at: Place
    text: str
    letters: Sequence[str] = ()
    families: Sequence[str] = ()


class Context(NamedTuple):
    """What the letters of a page depend on: the parameters of every notion, the letters of every noise.

    None where the page that says it is wrong and cannot be read so far.  ordered -- the notions that bound
    divergences of all orders.
    """

    parameters: Mapping[str, Sequence[str] | None]
    noises: Mapping[str, Sequence[str] | None]
    ordered: Collection[str] = ()

    def of(self, notion: str) -> Sequence[str]:
        """The parameters of a notion that is known."""
        return self.parameters[notion] or ()

    def order(self, *notions: str) -> Sequence[str]:
        """The letter for the order where one of some notions is about divergences of all orders."""
        return (ORDER,) if set(notions) & set(self.ordered) else ()


@frozen(kw_only=True)
class Hypothesis:
    """A predicate, by the name of its file in hypotheses/, bound to letters of the setting.

    maps -- "f": all maps; "f[i]": each of them, one by one;
    granularity -- "G": the target; "H": that of all guarantees; else a granularity's name;
    value, bound -- "k" or another number of the setting, and a whole number it is compared with.
    """

    is_: str
    maps: Literal["f", "f[i]"] | None = None
    granularity: str | None = None
    value: Literal["k", "non-empty parts", "largest size"] | None = None
    bound: int | None = None

    @property
    def file(self) -> str:
        """The name of the file in which the predicate is decided."""
        return self.is_.replace("-", "_").replace(" ", "_")

    def data(self) -> dict[str, Any]:
        """The binding, as a derivation's line keeps it."""
        return {key_of(key): value for key in fields(self) if (value := getattr(self, key.name)) is not None}


@frozen(kw_only=True)
class Head:
    """What every page has.

    status -- "primitive": the program relies on the page's proof; "derived": it derives what the page states
    from other pages each time it is used; "believed": nobody vouches for it, and each result says so.
    proofs -- "Pure.composition": theorems in theorems/proofs/, which a proof assistant checks.
    """

    one_by: ClassVar[tuple[str, ...]] = ()
    """The fields in which pages of the kind differ: there is one page for each of their values."""
    notions_in: ClassVar[tuple[str, ...]] = ()
    """The fields that name notions: one, a list of them, or a table by notions."""
    numbers_adaptive_results: ClassVar[bool] = False
    """Whether `items` are about independent mechanisms only, and `adaptive_items` about adaptive ones."""

    id: str
    items: dict[str, str] = field(default_factory=dict)
    adaptive_items: dict[str, str] = field(default_factory=dict)
    also: list[str] = field(default_factory=list)
    status: Status = "primitive"
    special_case_of: list[str] = field(default_factory=list)
    rests_on: list[str] = field(default_factory=list)
    proofs: list[str] = field(default_factory=list)
    kind: str

    @property
    def is_derived_when_used(self) -> bool:
        """Whether the program derives what the page states, or decides it, each time it is used."""
        return False

    @property
    def supposes(self) -> Iterator[tuple[Place, Hypothesis]]:
        """The hypotheses that the page names, and where."""
        for key in fields(self):
            for at, value in entries((key_of(key),), getattr(self, key.name)):
                if isinstance(value, Hypothesis):
                    yield at, value

    @property
    def notions_named(self) -> Iterator[tuple[Place, str]]:
        """The notions that the page is about, and where it names them."""
        for key in self.notions_in:
            by_notions = isinstance(getattr(self, key), dict)
            yield from ((at, at[-1] if by_notions else value) for at, value in self.said(key))

    def said(self, key: str) -> Iterator[tuple[Place, Any]]:
        """What a field holds, or each entry of it, with its place; nothing of what is left out."""
        (slot,) = (slot for slot in fields(self) if slot.name == key)
        value = getattr(self, key)
        return iter(()) if value == slot.default else entries((key_of(slot),), value)

    def formulas(self, context: Context) -> Iterator[Written]:
        """The formulas of the page, with the letters that they may have."""
        yield from ()

    def written(self, key: str, letters: Sequence[str]) -> Iterator[Written]:
        """The formulas of a field, with the letters that they may have."""
        return (written for at, value in self.said(key) for written in formulas_in(at, value, letters))

    def misfits(self) -> Iterator[Mistake]:
        """What does not fit together in the head."""
        yield from ()

    def data(self) -> dict[str, Any]:
        """The keys of the head, without those that say what they would say if left out."""
        data: dict[str, Any] = _plain(self)
        return data


def _plain(value: Any) -> Any:
    """A dataclass as a table, without the keys that have their default."""
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if not is_dataclass(value):
        return value
    table = {}
    for slot in fields(value):
        own = getattr(value, slot.name)
        usual = slot.default_factory() if callable(slot.default_factory) else slot.default
        if own != usual:
            table[key_of(slot)] = _plain(own)
    return table


def entries(at: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    """The entries of a list or a table with their places; of anything else itself."""
    if not isinstance(value, list | dict):
        return iter([(at, value)])
    pairs = value.items() if isinstance(value, dict) else enumerate(value, start=1)
    return (((*at, str(key)), entry) for key, entry in pairs)


def formulas_in(at: Place, texts: Any, letters: Sequence[str]) -> Iterator[Written]:
    """A formula, or those of a list or a table, whatever lies in it."""
    if isinstance(texts, str):
        yield Written(at, texts, letters)
    else:
        for place, inner in entries(at, texts):
            yield from formulas_in(place, inner, letters)
