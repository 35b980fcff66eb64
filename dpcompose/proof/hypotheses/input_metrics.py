"""The metric of one input in closed form, as a fact page states it for the neighbours of a class.

By edits of records, by blocks of cells, by a policy, by what one person contributes, or by a form that the
granularity has itself; None where no page states one.
"""

from __future__ import annotations

from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy.elaboration.lifted import lifts_steps
from dpcompose.proof.theory.registry import Fact, Theory
from dpcompose.spaces.canonical.matchings import CheapestMatching
from dpcompose.spaces.canonical.metrics import (
    Bags,
    ClosedForm,
    Discrete,
    FewestBlocks,
    Metric,
    OwnForm,
)
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.moves.edits import Edits
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.policies import policy_of


@frozen
class InputMetric:
    """The metric of one input, and the fact pages that state it, if any."""

    metric: Metric
    pages: tuple[str, ...] = ()


def in_closed_form(
    theory: Theory, databases: DatabaseClass, stated: Granularity, f: Map, domain: str
) -> InputMetric | None:
    """The metric on the values of f for guarantees stated in a granularity, on a domain, as pages say."""
    edits, metric = stated.edits(databases), None
    if edits is not None and edits.single is None and not _lists_images(f, stated, domain):
        metric = closed_form(theory, databases, edits)  # any two images are neighbours as well
    elif (
        edits is not None
        and (databases.twice or databases.aligned)
        and (f.is_everything or f.restricts)
        and _passes(edits, databases, f, domain)
    ):
        image = f.image(databases)
        if image.is_listed:
            return InputMetric(ClosedForm("oo"))
        inside = edits if domain == "own" else edits.of_images(databases, f)
        metric = closed_form(theory, image, inside)
    if metric is None and (edits is None or edits.single is not None):
        metric = by_blocks(theory, databases, stated, f)
    metric = metric or by_policy(theory, databases, stated, f, domain)
    metric = metric or by_bags(theory, databases, stated, f, domain)
    return metric or (by_own_form(theory, stated) if f.is_identity(databases) else None)


def _lists_images(f: Map, stated: Granularity, domain: str) -> bool:
    """Whether a map lists the neighbouring images for single steps of a guarantee on its own domain."""
    return domain == "own" and f.neighbours_for(stated.innermost()[0].name) is not None


def _passes(edits: Edits, databases: DatabaseClass, f: Map, domain: str) -> bool:
    """Whether groups of edits pass through a restriction: not where entries of sequences are replaced."""
    replaced = databases.aligned and edits.single is not None and (1, 1) in edits.single
    through = edits.pass_through(databases) if databases.twice else not replaced
    return through or edits.most == 1 or domain == "own" or f.is_identity(databases)


def closed_form(theory: Theory, databases: DatabaseClass, edits: Edits) -> InputMetric | None:
    """The canonical metric that fact pages state for a relation by edits on a class."""
    edits = edits.within(databases)
    if edits.elsewhere:  # what is stated is the metric of steps inside of the class
        return None
    for page in theory.of_kind("fact"):
        head: Fact = page.head
        if head.metric is None or not _is_about(head, databases, edits):
            continue
        if edits.single is None:
            return InputMetric(Discrete(), (page.id,))
        steps = edits.single if databases.aligned else None
        metric = ClosedForm(head.metric, head.same_size, steps, edits.most)
        groups = [fact for fact in theory.of_kind("fact") if fact.head.groups] if edits.most > 1 else []
        if edits.most > 1 and not groups:
            return None
        ids = (page.id, *(group.id for group in groups))
        return InputMetric(metric, ids)
    return None


def by_blocks(
    theory: Theory, databases: DatabaseClass, granularity: Granularity, f: Map = everything
) -> InputMetric | None:
    """The canonical metric on the values of f that a fact page states for a relation by blocks of cells.

    It is the same on the own and on the common domain.
    """
    shape = databases.largest_shape(1)
    if shape is None or f.kept(shape) is None or granularity.blocks(shape) is None:
        return None
    image = f.image(databases)
    if image.is_listed:
        return InputMetric(ClosedForm("oo"))
    ids = _pages_of_form(theory, COVER, granularity)
    return InputMetric(FewestBlocks(image, granularity), ids) if ids else None


COVER = "fewest blocks that cover"
"""The form of metrics by blocks of cells."""


def by_own_form(theory: Theory, granularity: Granularity) -> InputMetric | None:
    """The canonical metric of the whole class, where a granularity has a closed form that a page states."""
    single, m = granularity.innermost()
    ids = () if single.form is None else _pages_of_form(theory, single.form, granularity)
    return InputMetric(OwnForm(single, m), ids) if ids else None


def by_policy(
    theory: Theory, databases: DatabaseClass, granularity: Granularity, f: Map, domain: str
) -> InputMetric | None:
    """The canonical metric on what a restriction reads of multisets, for a policy, as fact pages state it;
    of groups on the common domain where these pass through it."""
    of, whole = policy_of(granularity), f.is_identity(databases)
    if of is None or not databases.unordered or not (f.is_everything or f.restricts or f.recodes):
        return None
    if f.recodes and not whole and not databases.twice:
        return None  # of sets two records may become one
    policy, m = of
    ids = _pages_of_form(theory, "cheapest matching", granularity)
    if not ids or (m > 1 and domain == "common" and not lifts_steps(databases, f, granularity)):
        return None
    return InputMetric(CheapestMatching.of(policy, m, databases, f, domain == "own"), ids)


def by_bags(
    theory: Theory, databases: DatabaseClass, granularity: Granularity, f: Map, domain: str
) -> InputMetric | None:
    """The canonical metric on what is read, for what one person contributes, as a fact page states it."""
    single, m = granularity.innermost()
    whole = f.is_identity(databases)
    if not single.by_rows or m > 1 or not (whole or f.restricts):
        return None
    if not databases.twice or databases.sizes.n is not None:
        return None
    ids = _pages_of_form(theory, "bags", granularity)
    person: Any = single
    return InputMetric(Bags(person, whole or domain == "own"), ids) if ids else None


def _pages_of_form(theory: Theory, form: str, granularity: Granularity) -> tuple[str, ...]:
    """The pages that state a closed form, and what it is for groups; none where one of them is missing."""
    facts = theory.of_kind("fact")
    pages = [[page.id for page in facts if page.head.form == form]]
    if granularity.innermost()[1] > 1:
        pages.append([page.id for page in facts if page.head.groups is not None])
    return tuple(ids[0] for ids in pages) if all(pages) else ()


def _is_about(head: Fact, databases: DatabaseClass, edits: Edits) -> bool:
    """Whether a fact page's metric is that of the edits, which are possible in the class."""
    if head.edits == "any two" or edits.single is None:
        return head.edits == "any two" and edits.single is None
    if databases.kind not in head.classes:
        return False
    if head.edits is None or databases.sizes.kind not in head.sizes:
        return False
    single = {tuple(edit) for edit in head.edits}
    return single | {numbers[::-1] for numbers in single} == edits.single
