"""Claims about listed databases by chains of these: where what mechanisms are stated in is no metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpcompose.kernel.composition.chains import Along, Chains
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Composed, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import metrics
from dpcompose.kernel.rules.parameters import at_least, entry_of, have_values
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, claimed, one_of

Values = tuple[tuple[str, Term], ...]
Obligation = tuple[Values, Values]
"""What a claim says at two databases, and what is lost there."""


def along(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, chains: Any, certificates: Any
) -> Found:
    """A claim holds where, at any two listed neighbours and in both orders, it is at least what mechanisms
    lose along chains of databases.

    chains -- [i, x, ..., y] for M_i at the databases x and y, by their numbers: elsewhere it is just compared
    at these two; of several between these the least counts, [i, x, y] among them;
    certificates -- for each of the different comparisons, by parameter what shows it.
    """
    composed, guarantee = one_of(premises, Composed), claimed(claim, setting, theory)
    if guarantee.notion != composed.notion:
        raise BadStep(f"the mechanisms lose {composed.notion} privacy")
    known = Along(composed.losses, setting, theory, names_of(guarantee))
    through = read_chains(chains, known)
    every = obligations(known, guarantee, through)
    if not isinstance(certificates, Sequence) or len(certificates) != len(every):
        raise BadStep(f"there are {len(every)} comparisons")
    used = have_values(guarantee, setting)
    for (greater, lesser), shown in zip(every, certificates, strict=True):
        for (key, more), (_, less) in zip(greater, lesser, strict=True):
            proof = entry_of(shown, key)
            used |= Grounds(deciders=at_least(setting, theory, guarantee.notion, key, more, less, proof))
    pages = frozenset({theory.procedure("pairs" if setting.distances else "exhaustion")})
    return guarantee, used | Grounds(pages.union(*(known.pages(i) for i, _, _ in through)))


def names_of(claim: Satisfies) -> list[str]:
    """The letters of a claim."""
    return sorted({name for _, value in claim.values for name in value.letters})


def obligations(known: Along, claim: Satisfies, chains: Chains) -> list[Obligation]:
    """What a claim says at two databases and what is lost there, each once."""
    every: dict[Obligation, None] = {}
    for x, y in known.pairs:
        said, lost = claimed_at(known, claim, x, y), known.at(x, y, chains)
        every[tuple(said.items()), tuple((key, lost[key]) for key in said)] = None
    return list(every)


def claimed_at(known: Along, claim: Satisfies, x: int, y: int) -> dict[str, Term]:
    """What a claim says of two databases."""
    if not known.setting.distances:
        return dict(claim.values)
    where = metrics.where_of(known.type(x, y))
    return {key: metrics.at(value, where.distances, known.setting) for key, value in claim.values}


def read_chains(data: Any, known: Along) -> dict[tuple[int, int, int], list[Sequence[int]]]:
    """Chains from their data.  Raises BadStep."""
    count, chains = known.listed.databases.count, dict[tuple[int, int, int], list[Sequence[int]]]()
    for entry in data if isinstance(data, Sequence) else [None]:
        if not isinstance(entry, list | tuple) or len(entry) < 3 or not all(type(x) is int for x in entry):
            raise BadStep("a chain is the number of a mechanism, and those of databases")
        if not all(0 <= x < count for x in entry[1:]):
            raise BadStep(f"the databases of a chain are numbers below {count}")
        i, *chain = entry
        if not 1 <= i <= len(known.losses):
            raise BadStep(f"there is no mechanism {i}")
        chains.setdefault((i, chain[0], chain[-1]), []).append(chain)
    return chains
