"""Settings about privacy in metrics: what mechanisms lose at D and E is a formula in distances of D and E.

A guarantee of each notion is one for all pairs: its parameters at D, E are formulas in named metrics.  Of
pure and (ε, δ)-privacy the metric d is ε itself, of zCDP it is √ρ, of Gaussian privacy μ (GB Def. III.2,
VI.2, VI.11, VI.19); a guarantee for the neighbours of G is the one in its parameter times d_G.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.core.assumptions import NOTHING, Assumed
from dpcompose.kernel.deciders.values import surely
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.privacy.noises import Noise
from dpcompose.privacy.notions import POWERS
from dpcompose.spaces.canonical.compared import Lost
from dpcompose.spaces.canonical.named import NamedMetric, Within
from dpcompose.spaces.canonical.points import Values
from dpcompose.spaces.classes.databases import DatabaseClass

if TYPE_CHECKING:
    import sympy


def letter(name: str) -> Term:
    """The letter of a named metric in formulas."""
    return terms.letter(name, NONNEGATIVE)


def in_parameters(notion: str, metric: Term, delta: Term | None) -> dict[str, Term]:
    """The parameters at D, E of a guarantee in a metric.

    >>> in_parameters("zcdp", letter("d"), None)
    {'rho': (power d 2)}
    """
    key, power = POWERS[notion]
    found = {key: metric if metric.kind == "oo" else terms.power(metric, power)}
    return found if delta is None else found | {"delta": delta}


def as_metric(notion: str, parameters: Mapping[str, Term]) -> Term:
    """The metric that parameters are those of.

    >>> as_metric("zcdp", {"rho": letter("d") ** 2}), as_metric("zcdp", {"rho": (letter("d") - 1) ** 2})
    (d, (top 1 (sum -1 d) (sum 1 (product -1 d))))
    """
    key, power = POWERS[notion]
    value = parameters[key]
    if value.kind == "oo":
        return value
    return substitution.changed(terms.power(value, Fraction(1, power)), _absolute)


def _absolute(term: Term) -> Term | None:
    """|x| for the root of a square, x itself where that is seen to be ≥ 0; None for others."""
    if term.kind != "power" or term.parts[1].number != terms.HALF:
        return None
    x, exponent = term.parts[0].base_and_exponent
    if exponent.number != 2:
        return None
    return x if surely(x, strictly=False) else terms.largest(x, -x)


@frozen
class MetricMechanism:
    """M_i, private in a metric on the databases: a guarantee for all D and E.

    metric -- d, a formula in the named metrics and the parameters; delta -- δ(D, E), another one, where the
    notion has it; stated -- how the guarantee is written, in words, where that is not the metric;
    lost -- for one that is a table of probabilities what it loses: then d is that;
    noise, values -- for a concrete one: noise on the entries of these values, from which d follows;
    members -- for a family M[1], …, M[k] the number k; then d is that of M[i], in terms of e[i];
    processing -- what is done to the output before it is published, in words; "": nothing.  It reads nothing
    else, so what is proved is kept; results are worst cases over all of it, doing nothing among it;
    also -- the same mechanism by other guarantees that it has as well.
    """

    name: str
    notion: str
    metric: Term
    delta: Term | None = None
    stated: str = ""
    noise: Noise | None = None
    values: Values | None = None
    lost: Lost | None = None
    members: Term | None = None
    processing: str = ""
    also: tuple[MetricMechanism, ...] = ()

    @property
    def called(self) -> str:
        """The name; of a family those of its members: M[1], ..., M[k]."""
        return self.name if self.members is None else f"{self.name}[1], ..., {self.name}[{self.members}]"

    @property
    def moves(self) -> bool:
        """Whether it is a family of which not all members are alike."""
        return self.members is not None and any(map(terms.moves, self.letters))

    @property
    def counts(self) -> dict[str, Term]:
        """How many members a family has, by the names of these: e[i]."""
        return {} if self.members is None else dict.fromkeys(filter(terms.moves, self.letters), self.members)

    @property
    def letters(self) -> frozenset[str]:
        """The metrics and parameters that its guarantee is made of."""
        values = [value for one in (self, *self.also) for value in one.parameters.values()]
        return frozenset(name for value in values for name in value.letters)

    @property
    def parameters(self) -> dict[str, Term]:
        """What it loses at D, E, by the parameters of its notion."""
        return in_parameters(self.notion, self.metric, self.delta)


@frozen(repr=False)
class MetricGuarantee(Shown):
    """A metric in which a composition may be private, as somebody claims; written -- how, in words;
    near -- that it is a number for all pairs within a distance."""

    notion: str
    metric: Term
    delta: Term | None = None
    written: str = ""
    near: Within | None = None

    @property
    def terms(self) -> tuple[tuple[str, Term], ...]:
        """The metric, and the δ where there is one."""
        return (("metric", self.metric), *(() if self.delta is None else (("delta", self.delta),)))

    @property
    def parameters(self) -> dict[str, Term]:
        """What is lost at D, E at most, by the parameters of the notion."""
        return in_parameters(self.notion, self.metric, self.delta)

    def __repr__(self) -> str:
        return f"{self.written}{f', {self.notion} privacy' if self.notion != 'pure' else ''}"


@frozen
class MetricSetting:
    """Mechanisms over one class of databases, each private in a metric on it, composed.

    metrics -- those that formulas name, each made of ones before it; domains -- the values that parameters
    may take; data -- the same as the data of a problem file; assume -- what holds of the parameters besides;
    near -- within which distance the pairs are that claims for the target are about; None: any two.
    """

    databases: DatabaseClass
    metrics: Mapping[str, NamedMetric]
    mechanisms: tuple[MetricMechanism, ...]
    domains: Mapping[str, Domain]
    title: str
    adaptive: bool
    data: Mapping[str, Any]
    assume: Assumed = NOTHING
    near: Within | None = None

    @property
    def several(self) -> bool:
        """Whether there may be more than one mechanism."""
        return len(self.mechanisms) > 1 or any(one.members not in (None, 1) for one in self.mechanisms)

    @property
    def letters(self) -> dict[str, Term]:
        """The named metrics, and the parameters, as the letters that formulas have for them."""
        every = {**dict.fromkeys(self.metrics, NONNEGATIVE), **self.domains}
        return {name: terms.letter(name, domain) for name, domain in every.items()}

    @property
    def symbols(self) -> dict[str, sympy.Expr]:
        """The same as sympy symbols."""
        return {name: formulas.expression(one) for name, one in self.letters.items()}

    def __repr__(self) -> str:
        """What is composed, in one line."""
        names = [one.name for one in self.mechanisms]
        some = ", ".join(names if len(names) <= 6 else [*names[:3], "...", names[-1]])
        return f"composition of {some} on {self.databases}, in metrics"

    @property
    def reads_everything(self) -> bool:
        """Whether all mechanisms are private in metrics of whole databases, none in one of a part."""
        every = self.mechanisms
        some = (one for mechanism in every for one in (mechanism, *mechanism.also))
        return all(one.values is None and self._is_of_all(one.metric) for one in some)

    def _is_of_all(self, formula: Term) -> bool:
        """Whether a formula is in metrics of whole databases."""
        used = [self.metrics[name].distance for name in formula.letters if name in self.metrics]
        return all(one.is_whole and (one.made_of is None or self._is_of_all(one.made_of)) for one in used)

    @property
    def notions(self) -> tuple[str, ...]:
        """The notions of the guarantees, each once."""
        return tuple(dict.fromkeys(one.notion for each in self.mechanisms for one in (each, *each.also)))
