"""Whether samples of the records fit a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.kernel.core.contributions import is_count
from dpcompose.kernel.deciders.calculus.values import surely
from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.language import formulas
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.mechanisms.samples import Sample, Sampled
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from dpcompose.privacy.settings import Setting


def check_sample(setting: Setting, mechanism: Mechanism) -> None:
    """Raises InvalidSetting where there are no such samples, or not some or all records of them are read."""
    f, sampled = mechanism.reads, mechanism.sampled
    if sampled is None:
        return
    if not (f.is_everything or f.restricts or f.divided):
        raise InvalidSetting(f"{mechanism.name} is run on a sample of records, of which it reads some or all")
    if unfit := _unfit(sampled.by, setting, f.is_everything):
        raise InvalidSetting(f"{mechanism.name}: {unfit}")


def told_for(target: Granularity, databases: DatabaseClass, mechanism: Mechanism) -> Mechanism:
    """The mechanism with a guarantee of the whole for the target's neighbours, where it is sampled of all."""
    f, sampled = mechanism.reads, mechanism.sampled
    if sampled is None or not f.is_everything:
        return mechanism
    notions = {guarantee.notion for guarantee in sampled.on_samples}
    by = sampled.by.for_target(target, _least(databases), notions)
    if by == sampled.by:
        return mechanism
    return mechanism.run_on(Sampled(by, sampled.on_samples))


def _unfit(sample: Sample, setting: Setting, everything: bool) -> str:
    """Why there are no such samples of what the databases of a setting have, in words; "" where all fits.

    everything -- whether all records are read of the sample.
    """
    if not setting.databases.twice:
        return f"samples are drawn from multisets, not from {setting.databases}"
    values = [substitution.substituted(value, setting.letters) for value in sample.values]
    if sample.kind.key == "poisson":
        (rate,) = values
        probable = all(surely(term, False, setting.assume) for term in (rate, 1 - rate))
        return "" if probable else f"{formulas.to_text(rate)} is not known to be a probability"
    if not is_count(values[0]):
        return f"{formulas.to_text(values[0])} is no whole number from 1, nor a letter for one"
    if sample.kind.least:
        return _unfit_for_any_number(values[0], setting, everything)
    return _unfit_for_a_number(sample, values[0], values[1], setting)


def _unfit_for_a_number(sample: Sample, m: Term, n: Term, setting: Setting) -> str:
    """The same where m of n records are drawn."""
    sizes = setting.databases.sizes
    there = sizes.letter if sizes.letter is not None else sizes.n
    if not sizes.exactly or there is None or n - there != ZERO:
        other = f', or sampled = {{ fixed = "{formulas.to_text(m)}" }} of any number'
        return (
            f'{sample} are drawn from databases that have so many: size = "= {formulas.to_text(n)}" would do'
            f"{other if sample.how == 'fixed' else ''}"
        )
    enough = sample.how == "draws" or surely(n - m, False, setting.assume)
    return "" if enough else _not_enough(m, n)


def _unfit_for_any_number(m: Term, setting: Setting, everything: bool) -> str:
    """The same where m of any number of records are drawn."""
    if not everything:
        return "how many of some records a sample has depends on how many others there are; read everything"
    least = _least(setting.databases)
    return "" if surely(least - m, False, setting.assume) else _not_enough(m, least)


def _least(databases: DatabaseClass) -> Term:
    """How many records there are at least."""
    if not databases.twice:
        return ZERO
    sizes = databases.sizes
    lower = sizes.lower if sizes.n is not None and not sizes.exactly else sizes.letter
    return formulas.term(sizes.n if sizes.exactly else sizes.least) if lower is None else lower


def _not_enough(m: Term, n: Term) -> str:
    here, there = formulas.to_text(m), formulas.to_text(n)
    return (
        f'{here} records are drawn, and there may be only {there}: assume = ["{here} <= {there}"], or '
        f'size = ">= {here}", would do'
    )
