"""Claims of problem files, in the parameters of the problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.core.lines import RATE
from dpcompose.kernel.core.orders import ALPHA, reciprocal
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import is_unsaid
from dpcompose.privacy.format.checks import Place, near, shown
from dpcompose.privacy.format.metric_tables import canonical_names
from dpcompose.privacy.format.schema import FOR_NEIGHBOURS, ClaimTable, Notions, StudyTable
from dpcompose.privacy.guarantees import fibres, tradeoffs
from dpcompose.privacy.guarantees.distances import Metric
from dpcompose.privacy.guarantees.notions import OF_LINES, POWERS, Guarantee, at_any_two, in_orders
from dpcompose.privacy.readers.distances import Distances
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.families import check_ranges
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.orders import IS_ORDER
from dpcompose.privacy.settings.stated import check_assumptions, read_as_positive
from dpcompose.spaces.canonical.compared import AnyTwo
from dpcompose.spaces.canonical.named import Within
from dpcompose.spaces.canonical.points import Values
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy


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

    @property
    def _in_words(self) -> str:
        """The guarantee; of one in a metric as it is written."""
        if self.guarantee.metric is None:
            return str(self.guarantee)
        written = ", ".join(f"{key} {value}" for key, value in self.text.items() if key != "notion")
        return written if self.notion == "pure" else f"{written}, {self.notion} privacy"

    def __repr__(self) -> str:
        return f"claim of {self._in_words}{f', expected: {self.expect}' if self.expect else ''}"

    def _line(self) -> Sequence[str | sympy.Expr]:
        expected = f", expected: {self.expect}" if self.expect else ""
        line = self.guarantee._line() if self.guarantee.metric is None else [self._in_words]
        return ["claim of ", *line, expected]


class Claims:
    """Reads claims, once the mechanisms are read: then it is known which parameters there are.

    given -- the table of the problem; distances -- the metrics that they are formulas in; keys -- the
    parameters of each notion; pairs -- whether they are about all pairs of databases: those without a metric
    then count steps of the target.
    """

    def __init__(self, given: StudyTable, distances: Distances, keys: Notions, pairs: bool) -> None:
        self.given, self.distances, self.keys, self.pairs = given, distances, keys, pairs
        self.names, self.wrong = distances.names, distances.wrong

    def claim(self, i: int, table: ClaimTable, beside: bool) -> Claim | None:
        """The claim of a number, from 0; None where it is none, which is told.

        beside -- whether those without a metric are for neighbours, also where others are about all pairs.
        """
        if table.metric is None and (beside or not self.pairs):
            return self._of_lines(i, table) if table.notion in OF_LINES else self._for_neighbours(i, table)
        return self._at_any_two(i, table) if self.pairs else self._in_steps(i, table)

    # for neighbours

    def _for_neighbours(self, i: int, table: ClaimTable) -> Claim | None:
        """A claim by its parameters."""
        claimed, doubts = [], []
        text = {"notion": table.notion}
        orders, symbols = table.of_orders, self.names.symbols
        if orders is not None:
            symbols = {**symbols, ALPHA: orders.order}
        for key in self.keys[table.notion]:
            stated = str(table.value(key))
            text |= [table.written(key)]
            try:
                value = kernel.parse(stated, symbols)
                claimed.append((key, value if key in text else reciprocal(value)))
                doubts.append(values.doubt(stated, symbols, assumed=self.names.known_so_far))
            except formulas.FormulaError as error:
                self.wrong(("claims", i, key), error)
                return None
        guarantee = Guarantee(table.notion, tuple(claimed))
        if orders is not None:
            text["orders"], guarantee = str(orders), in_orders(guarantee, orders)
            if ALPHA in self.names.domains or ALPHA in self.names.numbers:
                self.wrong(("parameters", ALPHA), IS_ORDER)
        return Claim(guarantee, MappingProxyType(text), table.expect, next(filter(None, doubts), ""))

    def _of_lines(self, i: int, table: ClaimTable) -> Claim | None:
        """A claim that is a trade-off function, in whatever form."""
        symbols, doubts = {**self.names.symbols, ALPHA: RATE}, []

        def read(text: str) -> terms.Term:
            doubts.append(values.doubt(text, symbols, assumed=self.names.known_so_far))
            return kernel.parse(text, symbols)

        try:
            notion, value = tradeoffs.values(table.function, read) or ("", terms.ZERO)
        except ValueError as error:
            self.wrong(("claims", i, "tradeoff"), error)
            return None
        if ALPHA in self.names.given:
            self.wrong(("parameters", ALPHA), tradeoffs.IS_RATE)
        guarantee = Guarantee(notion, ((self.keys[notion][0], value),))
        text = MappingProxyType(guarantee.written())
        return Claim(guarantee, text, table.expect, next(filter(None, doubts), ""))

    def _in_steps(self, i: int, table: ClaimTable) -> Claim | None:
        """A claim in a canonical metric d_NAME; of X*d_NAME, X times the steps between, as one for the
        neighbours of NAME where these are the target.

        What neighbours lose adds up along steps, in zCDP its root (GB Prop. III.3): it is a bound for all
        databases where X is one for neighbours, and the other way round.
        """
        text = {"metric": str(table.metric)} | ({} if table.delta is None else {"delta": table.delta})
        canonical, path = canonical_names(self.given.granularities), ("claims", i, "metric")
        where = self.given.for_neighbours
        try:
            used = [
                name for formula in text.values() for name in formulas.names(formula) if name in canonical
            ]
        except formulas.FormulaError as error:
            self.wrong(path, error)
            return None
        if len(set(used)) != 1 or table.notion not in POWERS:
            plain = "beside claims for neighbours one in a metric is a formula in one d_NAME"
            self.wrong(where or path, plain if where is None else FOR_NEIGHBOURS.format(where[-1]))
            return None
        name = used[0]
        counted = self.distances.granularity(canonical[name], path)
        letter = None if counted is None else self.distances.canonical(counted, path)
        others = {} if letter is None else {name: letter}
        read = {
            key: self.names.formula(formula, ("claims", i, key), others, False)
            for key, formula in text.items()
        }
        values_of = {key: value for key, value in read.items() if value is not None}
        if letter is None or len(values_of) < len(read):
            return None
        doubt = next(filter(None, (self.names.doubt(formula, others) for formula in text.values())), "")
        metric, written = values_of.pop("metric"), {"notion": table.notion, **text}
        (key, power), factor = POWERS[table.notion], fibres.factor(metric, others)
        target = None if self.given.target is None else self.given.target.granularity
        of_target = canonical[name] == target and not values_of
        if of_target and factor is not None and (power == 1 or values.surely(factor, strictly=False)):
            claimed = terms.power(factor, power)
            guarantee = Guarantee(table.notion, ((key, claimed),))
            written = {"notion": table.notion, key: kernel.to_text(claimed)}
            return Claim(guarantee, MappingProxyType(written), table.expect, doubt)
        besides = tuple(values_of.items())
        named = tuple(self.names.metrics[symbol] for symbol in letter.letters)
        guarantee = at_any_two(table.notion, Metric(metric, named, besides, said=tuple(text.items())))
        return Claim(guarantee, MappingProxyType(written), table.expect, doubt)

    # about all pairs

    @cached_property
    def target(self) -> Term | None:
        """The metric that claims without one count: a formula, or that of the target's neighbours."""
        given, path = self.given.target, ("target",)
        if given is None:
            return None
        if given.metric is not None:
            others = self.distances.in_metrics(given.metric)
            return self.names.formula(given.metric, (*path, "metric"), others, False)
        if given.of is not None:
            return self._of_part(given.granularity, given.of, path)
        if self._neighbours is None:
            return None
        return self.distances.canonical(self._neighbours.single_step, (*path, "granularity"))

    @cached_property
    def _neighbours(self) -> Granularity | None:
        """The neighbours that claims without a metric are for, of the class as a whole."""
        given = self.given.target
        if given is None or given.granularity is None or given.of is not None:
            return None
        return self.distances.granularity(given.granularity, ("target", "granularity"))

    def _of_part(self, granularity: Any, part: str, path: Place) -> Term | None:
        """The steps between one part, and 2 where others differ: databases are at distance 1 where that
        part are neighbours, and all others are equal."""
        databases = self.distances.databases
        known = [] if databases is None else [name for name, _ in databases.parts if name]
        if part not in known:
            self.wrong((*path, "of"), f"there is no part {shown(part)}{near(part, known)}")
            return None
        counted = self.distances.granularity_of(granularity, self.distances.values[part], path)
        steps = None if counted is None else self.distances.canonical_of(counted, part, path)
        if steps is None or known == [part]:
            return steps
        rest = Values(f"what is not {part}", None, (), tuple(name for name in known if name != part))
        return steps + 2 * self.distances.named("others", AnyTwo(rest))

    @cached_property
    def near(self) -> Within | None:
        """What claims for the pairs within a distance have beside it; None where the target is none.

        Groups of m steps are the pairs within m single ones.
        """
        given, path = self.given.target, ("target", "within")
        radius, called = None, ""
        if given is not None and given.within is not None:
            radius = self.names.formula(given.within, path)
        elif given is not None and given.of is not None:
            radius, called = ONE, f"{given.granularity} neighbours of {given.of}, where all else is equal"
        elif self._neighbours is not None:
            radius, called = self._neighbours.times, f"{self._neighbours} neighbours"
        if radius is None or self.target is None:
            return None
        if not self.names.never_negative(radius):
            self.wrong(path, "this is not known to be >= 0 for all allowed values")
            return None
        within = Within(self.target, radius, called)
        self.beyond = self.distances.named("beyond", within)
        return within

    def _at_any_two(self, i: int, table: ClaimTable) -> Claim | None:
        """A claim that is a formula in metrics, or counts steps of the target."""
        if table.notion not in POWERS:
            self.wrong(("claims", i, "notion"), f"privacy in a metric is not known of {table.notion}")
            return None
        parameter, power = POWERS[table.notion]
        key, formula = "metric" if table.metric is not None else parameter, self.names.formula
        text = {key: str(table.metric if table.metric is not None else table.value(parameter))}
        text |= {} if table.delta is None else {"delta": table.delta}
        others = {name: self.distances.in_metrics(text[name]) if key == "metric" else {} for name in text}
        read = {name: formula(text[name], ("claims", i, name), others[name], False) for name in text}
        known = {name: term for name, term in read.items() if term is not None}
        if len(known) < len(read):
            return None
        doubts = [self.names.doubt(text[name], others[name]) for name in known]
        value, near = known[key], None
        if key != "metric":
            near = self.near
            if self.target is None:
                left_out = f"{key} counts steps of [target], which is left out: give a target, or a metric"
                self.wrong(("claims", i, key), left_out)
                return None
            if table.delta is not None and near is None:
                doubts.append("(epsilon, delta) for these neighbours is not decided; in a metric it is")
            if value.kind != "oo":  # what is negative is no square, and the claim is
                sign = -1 if self.names.is_positive(-value) else 1
                root = terms.power(value * sign, Fraction(1, power)) * sign
                value = self.distances.times(root, self.target) if near is None else root + self.beyond
        besides = tuple((name, term) for name, term in known.items() if name != key)
        metric = Metric(value, besides=besides, said=tuple(text.items()), near=near)
        stated = MappingProxyType({"notion": table.notion, **text})
        doubt = next(filter(None, doubts), "")
        return Claim(at_any_two(table.notion, metric), stated, table.expect, doubt)


def of_guarantee(setting: Setting, guarantee: Guarantee) -> Claim:
    """A guarantee as a claim about a setting for neighbours, in the parameters of this.

    Raises InvalidSetting for one of other neighbours, or in other parameters.
    """
    if guarantee.granularity not in (None, setting.target) or guarantee.domain is not None:
        raise InvalidSetting(
            f"a claim is about the composition and its target, {setting.target} neighbours, "
            "and has no granularity or domain of its own"
        )
    known, curve = setting.symbols, guarantee.curve
    in_texts = set[str]().union(*(read_as_positive(value) for _, value in guarantee.terms))
    unsaid = {
        symbol.name for _, value in guarantee.values for symbol in value.free_symbols if is_unsaid(symbol)
    }
    in_alpha = curve is not None or guarantee.notion in OF_LINES
    free = (unsaid | in_texts) - ({ALPHA} if in_alpha else set())
    read = (x for _, x in guarantee.terms if curve is not None or formulas.written_as(x) is None)
    simplified = set[str]().union(*map(read_as_positive, read))
    free -= {name for name in simplified & known.keys() if not setting.domains[name].positive}
    letters = {x: y for x, y in setting.letters.items() if x in free}
    guarantee = guarantee.with_letters(letters | _numbers(setting, guarantee))
    values: list[tuple[str, Any]] = []
    for (key, value), term in zip(guarantee.values, dict(guarantee.terms).values(), strict=True):
        for symbol in value.free_symbols:
            if symbol.name == ALPHA and in_alpha:
                continue
            if symbol.name not in known:
                there = near(symbol.name, known)
                raise InvalidSetting(f"the claim's {symbol} is no parameter of the mechanisms{there}")
            check_assumptions(symbol, setting.domains[symbol.name])
        check_ranges(setting, value)
        values.append((key, term if guarantee.notion in OF_LINES else value))
    made = Guarantee(guarantee.notion, tuple(values))
    made = made if curve is None else in_orders(made, curve.orders)
    return Claim(made, MappingProxyType(made.written()))


def _numbers(setting: Setting, guarantee: Guarantee) -> dict[str, Term]:
    """The parameters of a file that are numbers.  Raises InvalidSetting where a formula of a guarantee was
    simplified for values that such a number is none of."""
    numbers = {name: kernel.parse(text, {}) for name, text in setting.numbers.items()}
    simplified = (value for _, value in guarantee.terms if numbers and formulas.written_as(value) is None)
    for meant in set[Any]().union(*(formulas.expression(value).free_symbols for value in simplified)):
        if meant.name not in numbers or is_unsaid(meant):
            continue
        number = formulas.expression(numbers[meant.name])
        if any(getattr(number, f"is_{key}") not in (None, says) for key, says in meant.assumptions0.items()):
            raise InvalidSetting(
                f"the symbol {meant} of the claim has other assumptions than the parameter {meant}, which is "
                f"{number}; use dpcompose.parameters, or say the claim as text"
            )
    return numbers
