"""Audits: a theorem page searched for a counterexample, as it stands and without each thing it supposes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import near
from dpcompose.search.audits import conversions, noises, queries, samples, statements
from dpcompose.search.audits.searched import Counterexample, Looked
from dpcompose.search.audits.suppositions import NoSearch, Supposition

MOST = 15
"""How many settings of one kind are looked at where nothing is said."""


@frozen
class Answer:
    """What the search for a counterexample ended in.

    without -- what was left out; None: nothing.
    found -- the smallest counterexample; None: none among what was `looked` at.
    """

    statement: Any
    without: Supposition | None
    found: Counterexample | None
    looked: Looked


READERS: Mapping[str, Callable[[Any, Any], list[Any]]] = {
    "named": statements.named,
    "rule": statements.rule,
    "lemma": statements.lemma,
    "sampling": samples.sampling,
    "conversion": conversions.conversion,
    "noise": noises.noise,
    "query": queries.query,
}
"""What a page of a kind states, notion by notion."""


def answers(
    theory: Any,
    page: Any,
    most: int = MOST,
    notions: Collection[str] = (),
    told: Callable[[Looked], None] | None = None,
) -> Iterator[Answer]:
    """A page as it stands, then without each of the things it supposes, notion by notion.

    most -- how many settings of one kind are looked at; notions -- those that are looked at, if not all;
    told -- is called with what was looked at so far.
    Raises NoSearch for a page of which no finite setting can show that it is false, and for such values.
    """
    if page.head.kind not in READERS:
        raise NoSearch(
            f"{page.id} is a {page.head.kind} page; what is gone through in finite settings are "
            f"pages of the kinds {', '.join(READERS)}"
        )
    if unknown := [notion for notion in notions if notion not in theory.notions]:
        raise NoSearch(f"there is no notion {unknown[0]!r}{near(unknown[0], theory.notions)}")
    if most < 1:
        raise NoSearch("at least one setting of each kind has to be looked at")
    stated = [one for one in READERS[page.head.kind](theory, page) if not notions or one.notion in notions]
    if not stated:
        where = f" in {', '.join(notions)}" if notions else ""
        raise NoSearch(f"of what {page.id} states{where} no tables or noise are known that lose as much")
    for statement in stated:
        for without in (None, *statement.suppositions):
            looked = Looked(told=told)
            left = statement if without is None else statement.without(without)
            try:
                found = left.look(most, looked)
            except KeyboardInterrupt:
                yield Answer(statement, without, None, looked)  # what was gone through so far
                raise
            yield Answer(statement, without, found, looked)
