"""Problem files: TOML text to a setting with claims.

All mistakes come at once, each with its key path and, where it is known, its line.  Nothing in a
file is evaluated as Python.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.core.lines import RATE
from dpcompose.kernel.core.orders import ALPHA, reciprocal
from dpcompose.kernel.deciders import values
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.privacy import checks, fibres, tradeoffs
from dpcompose.privacy.checks import Mistake, unset
from dpcompose.privacy.in_metrics import is_in_metrics, may_be_for_neighbours
from dpcompose.privacy.lines import first_line, line_of
from dpcompose.privacy.metric_tables import canonical_names
from dpcompose.privacy.notions import FILE_KEYS, OF_LINES, POWERS, Guarantee, in_orders
from dpcompose.privacy.readers.mechanisms import Showing
from dpcompose.privacy.readers.parameters import Parameters
from dpcompose.privacy.readers.studies import Study
from dpcompose.privacy.schema import PARTITIONS, ClaimTable, Notions, ProblemTable
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.families import check_ranges
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.orders import IS_ORDER
from dpcompose.spaces.additions import NOTHING, Additions

if TYPE_CHECKING:
    import sympy


LARGEST_FILE = 10_000_000
"""The most characters of a problem file."""
STANDARD_INPUT = "-"
"""What stands for the standard input among files."""


ABOUT_METRICS = (
    "the file is about privacy in a metric: verify, bound and recheck take it, and dpcompose.load; "
    "a guarantee for neighbours is what is wanted here"
)


class ProblemError(ValueError):
    """A problem file is wrong; `mistakes` lists everything that was found."""

    def __init__(self, file: str, mistakes: Sequence[Mistake]) -> None:
        self.file = file
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(f"{file}: {mistake}" for mistake in self.mistakes))


@frozen(repr=False)
class Claim(Shown):
    """A guarantee that somebody claims for the composition, and the verdict they expect."""

    guarantee: Guarantee
    """What is claimed, of neighbours, or of all databases in a metric."""
    text: Mapping[str, str]
    expect: str | None = None
    doubt: str = ""
    """Why a formula may have no real value for some allowed parameters, if it may."""

    @property
    def notion(self) -> str:
        return str(self.guarantee.notion)

    @property
    def written(self) -> str:
        """Its formulas as they are written, by their names."""
        return ", ".join(f"{key} = {value}" for key, value in self.text.items() if key != "notion")

    def __repr__(self) -> str:
        return f"claim of {self.guarantee}{f', expected: {self.expect}' if self.expect else ''}"

    def _line(self) -> Sequence[str | sympy.Expr]:
        expected = f", expected: {self.expect}" if self.expect else ""
        return ["claim of ", *self.guarantee._line(), expected]


@frozen
class Problem:
    """A setting with claims about it, and the file it is from."""

    setting: Setting
    claims: tuple[Claim, ...]
    file: str = ""


# reading


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
    """The text of a file, or of the standard input where it is "-".

    Raises ProblemError where it is none, OSError where it cannot be read.
    """
    try:
        read = sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
        return read.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProblemError(str(path), [Mistake((), f"this is no UTF-8 text: {error.reason}")]) from None


def read_text(
    text: str, file: str = "problem", show: Showing | None = None, notions: Notions = FILE_KEYS
) -> Problem:
    """The problem in a TOML text.  Raises ProblemError."""
    return read_data(parsed(text, file), file, text, show, notions)


def parsed(text: str, file: str = "problem") -> dict[str, Any]:
    """The data of a TOML text, or of one in JSON with the same keys.  Raises ProblemError."""
    if len(text) > LARGEST_FILE:
        message = f"{len(text):,} characters are more than the {LARGEST_FILE:,} that are read"
        raise ProblemError(file, [Mistake((), message)])
    try:
        if text.lstrip().startswith("{"):
            return _of_json(text)
        return tomllib.loads(text, parse_float=_bare_number)
    except json.JSONDecodeError as error:
        raise ProblemError(file, [Mistake((), f"this is no JSON: {error}")]) from None
    except tomllib.TOMLDecodeError as error:
        raise ProblemError(file, [Mistake((), f"this is no TOML: {error}")]) from None
    except (RecursionError, ValueError) as error:  # e.g. numbers of thousands of digits
        raise ProblemError(file, [Mistake((), f"this cannot be read: {first_line(error)}")]) from None


def _of_json(text: str) -> dict[str, Any]:
    """The data of a JSON text; numbers keep their digits, and no key stands twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for n, (key, _) in enumerate(pairs) if key in dict(pairs[:n]))
            raise ValueError(f"the key {twice!r} stands twice")
        return found

    found: dict[str, Any] = json.loads(
        text, parse_float=_bare_number, parse_constant=_bare_number, object_pairs_hook=once
    )
    return found


def _bare_number(text: str) -> str:
    """A number that is written bare keeps its digits; inf and nan are none."""
    if text.lstrip("+-").lower() in ("inf", "nan", "infinity"):
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
    if isinstance(data, Mapping) and is_in_metrics(data) and not may_be_for_neighbours(data):
        raise ProblemError(file, [Mistake(("metrics",), ABOUT_METRICS)])
    refuse(unset(data), file)
    given = table_of(data, file, text, notions, own)
    found = checks.Found(notions, own)
    problem = _problem(given, file, found, notions, show)
    refuse(found.mistakes, file, text)
    assert problem is not None
    return problem


def refuse(mistakes: Sequence[Mistake], file: str, text: str = "") -> None:
    """Raises ProblemError where there are mistakes, with their lines in the text."""
    if mistakes:
        raise ProblemError(file, [replace(one, line=line_of(text, one.path)) for one in mistakes])


def _problem(
    given: ProblemTable, file: str, found: checks.Found, notions: Notions, show: Showing | None
) -> Problem | None:
    """The composition, with the claims about it; None where something is wrong, which is told."""
    study = Study(given, found, notions, show, [one.notion for one in given.claims])
    setting = study.setting()
    claims = []
    if study.space is not None:
        claims = [
            claim_of(i, one, notions, study.parameters, found)
            if one.metric is None
            else _in_steps(i, one, given, study.parameters, found)
            for i, one in enumerate(given.claims)
        ]
    if found.mistakes or setting is None:
        return None
    return problem_of(setting, claims, found, file)


def problem_of(setting: Setting, claims: Sequence[Claim | None], found: checks.Found, file: str) -> Problem:
    """A setting with claims about it; that their sums run over all members of families is checked."""
    for i, claim in enumerate(claims):
        for key, value in claim.guarantee.every_term if claim is not None else ():
            try:
                check_ranges(setting, value)
            except InvalidSetting as error:
                found.wrong(("claims", i, key), error)
    return Problem(setting, tuple(one for one in claims if one is not None), file)


def claim_of(
    i: int, given: ClaimTable, notions: Notions, parameters: Parameters, found: checks.Found
) -> Claim | None:
    """A claim for neighbours, in the parameters of the problem."""
    if given.notion in OF_LINES:
        return _of_tradeoff(i, given, notions, parameters, found)
    claimed = []
    text = {"notion": given.notion}
    doubts = []
    orders, symbols = given.of_orders, parameters.symbols
    if orders is not None:
        symbols = {**symbols, ALPHA: orders.order}
    for key in notions[given.notion]:
        said = str(given.value(key))
        text |= [given.written(key)]
        try:
            value = kernel.parse(said, symbols)
            claimed.append((key, value if key in text else reciprocal(value)))
            doubts.append(values.doubt(said, symbols, assumed=parameters.known_so_far))
        except formulas.FormulaError as error:
            found.wrong(("claims", i, key), error)
            return None
    guarantee = Guarantee(given.notion, tuple(claimed))
    if orders is not None:
        text["orders"], guarantee = str(orders), in_orders(guarantee, orders)
        if ALPHA in parameters.domains or ALPHA in parameters.numbers:
            found.wrong(("parameters", ALPHA), IS_ORDER)
    return Claim(guarantee, MappingProxyType(text), given.expect, next(filter(None, doubts), ""))


def _of_tradeoff(
    i: int, given: ClaimTable, notions: Notions, parameters: Parameters, found: checks.Found
) -> Claim | None:
    """A claim that is a trade-off function, in whatever form."""
    symbols, doubts = {**parameters.symbols, ALPHA: RATE}, []

    def read(text: str) -> terms.Term:
        doubts.append(values.doubt(text, symbols, assumed=parameters.known_so_far))
        return kernel.parse(text, symbols)

    try:
        notion, value = tradeoffs.values(given.function, read) or ("", terms.ZERO)
    except ValueError as error:
        found.wrong(("claims", i, "tradeoff"), error)
        return None
    if ALPHA in parameters.given:
        found.wrong(("parameters", ALPHA), tradeoffs.IS_RATE)
    guarantee = Guarantee(notion, ((notions[notion][0], value),))
    return Claim(
        guarantee, MappingProxyType(guarantee.written()), given.expect, next(filter(None, doubts), "")
    )


def _in_steps(
    i: int, said: ClaimTable, given: ProblemTable, parameters: Parameters, found: checks.Found
) -> Claim | None:
    """A claim in a metric X*d_NAME, X times the steps that lie between, as one for the neighbours of NAME.

    What neighbours lose adds up along steps, in zCDP its root (GB Prop. III.3): it is a bound for all
    databases where X is one for neighbours, and the other way round.
    """
    canonical = canonical_names(given.granularities)
    letters = {name: terms.letter(name, NONNEGATIVE) for name in (*canonical, *given.metrics)}
    known = {**letters, **parameters.symbols}
    text = str(said.metric)
    try:
        value = kernel.parse(text, known)
        doubt = values.doubt(text, known, assumed=parameters.known_so_far)
    except formulas.FormulaError as error:
        found.wrong(("claims", i, "metric"), error)
        return None
    key, power = POWERS.get(said.notion, ("", 1))
    factor = fibres.factor(value, letters)
    used = [canonical.get(name) for name in letters if name in value.letters]
    target = None if given.target is None else given.target.granularity
    signed = power != 1 and not (factor and values.surely(factor, strictly=False))  # a square says no sign
    if factor is None or not key or used != [target] or said.delta is not None or signed:
        found.wrong(("partitions",), PARTITIONS)
        return None
    claimed = terms.power(factor, power)
    stated = {"notion": said.notion, key: kernel.to_text(claimed)}
    guarantee = Guarantee(said.notion, ((key, claimed),))
    return Claim(guarantee, MappingProxyType(stated), said.expect, doubt)


def table_of(
    data: Any,
    file: str,
    text: str,
    notions: Notions | None = None,
    own: Additions = NOTHING,
    in_metrics: bool = False,
) -> ProblemTable:
    """The checked table that data are, for claims in metrics, or for neighbours.

    Raises ProblemError with every mistake.
    """
    found = checks.Found(notions, own, in_metrics)
    try:
        given = ProblemTable.read(data, (), found)
    except RecursionError:
        raise ProblemError(file, [Mistake((), "this is nested too deeply")]) from None
    refuse(found.mistakes, file, text)
    assert isinstance(given, ProblemTable)
    return given
