"""The terms by which mechanisms are given: those whose letters need values, and those never below 0."""

from __future__ import annotations

from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.expressions import metrics, terms
from dpcompose.kernel.expressions.terms import Term


def letters(mechanism: Mechanism) -> list[Term]:
    """The terms by which a mechanism is given: their letters need values at a point."""
    values = [value for _, value in mechanism.values]
    for metric in (mechanism.metric, *(stated.metric for stated in mechanism.also)):
        inside = () if metric is None else metric.formulas
        values += [parameter for _, value in inside for parameter in metrics.parameters(value)]
    values += [value for stated in mechanism.also for _, value in stated.values]
    values += [] if mechanism.sampled is None else [value for _, value in mechanism.sampled.values]
    values += [] if mechanism.count is None else [mechanism.count]
    if mechanism.noise is not None:
        asked = () if mechanism.noise.query is None else mechanism.noise.query.values
        values += [mechanism.noise.parameter, *(value for _, value in (*asked, *mechanism.noise.besides))]
    if mechanism.table is not None:
        values += [value for row in mechanism.table.rows for value in row]
    for inner in () if mechanism.study is None else mechanism.study.mechanisms:
        values += letters(inner)
    return values


def promised(mechanism: Mechanism) -> list[Term]:
    """The parameters of what is known of a mechanism, and of those of its study; of a family the least.

    Where one of them is below 0, no mechanism is as the setting says.  Noise is seen to fit by itself.
    """
    parameters = [] if mechanism.noise is not None else [value for _, value in mechanism.values]
    parameters += [value for stated in mechanism.also for _, value in stated.values]
    for inner in () if mechanism.study is None else mechanism.study.mechanisms:
        parameters += promised(inner)
    if mechanism.count is None:
        return parameters
    return [-terms.over(1, -term, mechanism.count) if is_of_members(term) else term for term in parameters]


def is_of_members(value: Term) -> bool:
    return any(terms.moves(name) for name in value.letters)
