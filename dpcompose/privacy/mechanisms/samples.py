"""Samples of the records, on which a mechanism is run, and the guarantee of the whole.

How a sample is drawn, for which neighbours the guarantee on samples is to be, and what the whole satisfies,
stands on its page in theorems/samplings/.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.domains import UNIT_INTERVAL
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term, letter
from dpcompose.kernel.library.samplings import Sampling
from dpcompose.language import formulas, shipped
from dpcompose.language.shown import Shown
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.spaces.classes.multisets import multisets
from dpcompose.spaces.classes.sizes import COUNT
from dpcompose.spaces.moves.built_in import bounded, unbounded
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.policies import policy_of
from dpcompose.spaces.moves.unions import union

EDITED: Mapping[tuple[int, ...], Granularity] = {(0, 1): unbounded, (1, 1): bounded}
"""The neighbours of which one has so many records besides, and the other one so many."""


@frozen
class Kind:
    """What is known of a way to draw samples.

    key -- its key in problem files; page -- the id of its page; words -- it in words, with its parameters;
    otherwise -- why no other neighbours would do for a guarantee on samples than those of the page;
    instead -- which of these tell the same for other neighbours; either -- whether the whole has a guarantee
    for records that come and go as well as for those that are replaced; least -- whether the last letter is
    the least number of records, which files do not say.
    """

    key: str
    page: str
    words: str
    otherwise: str
    instead: tuple[str, ...] = ()
    either: bool = False
    least: bool = False

    @property
    def head(self) -> Sampling:
        """What its page states."""
        head: Sampling = shipped.head("samplings", self.page)
        return head

    @property
    def on_samples(self) -> Granularity:
        """The neighbours that a guarantee on samples is to be for."""
        return EDITED[tuple(self.head.on_samples)]

    @property
    def whole(self) -> Granularity:
        """Those of the guarantee of the whole."""
        return union(unbounded, bounded) if self.either else EDITED[tuple(self.head.neighbours)]

    @property
    def is_kept(self) -> bool:
        """Whether the neighbours of the whole are those of the guarantee on samples, whichever these are."""
        return self.head.besides and self.head.on_samples == self.head.neighbours

    @property
    def of_any_size(self) -> bool:
        """Whether samples have sizes that databases may not have."""
        return self.key == "poisson" and 0 in self.head.neighbours

    def fits(self, about: Granularity | None) -> bool:
        """Whether a guarantee on samples is for the neighbours that it is to be for, or some besides, or
        where certain records come and go."""
        if not self.is_kept:
            return about == self.on_samples
        if about is None or about.single_step != about or about.innermost()[1] != 1:
            return False
        only_come_and_go = policy_of(about) is not None and about.changed == self.on_samples.changed
        return only_come_and_go or _has_all(about, self.on_samples)


REPLACED = (
    "where a record is replaced, a sample of a fixed size has one record replaced, which is two steps of "
    "adding and removing: with e^epsilon = 3 and m/n = 1/2 the formula says 2, and 3 is lost; state it for "
    "bounded neighbours (with 2*epsilon for epsilon it holds for them), or draw each record by itself: "
    'sampled = { poisson = "s" }'
)

OTHER_SIZES = (
    "the sample may tell how many records it has, of which nothing is promised where a guarantee is for "
    "others: then nothing is gained, also for neighbours by replacement; state it for unbounded "
    'neighbours, or draw a fixed number: sampled = { fixed = ["m", "n"] }'
)
OF_A_POLICY = (
    "of records that do not become each other, the sample may tell which kind it has, and then nothing is "
    "gained: one of two records, where a1 becomes a2 and b1 neither, shows b1, or tells a1 and a2 apart with "
    "all of epsilon; state it for {0} neighbours, or, where records are only replaced, without sampled: what "
    "holds on all samples holds of the whole"
)
AS_WELL = (
    "it is one for {0} neighbours as well, and for these it is known what sampling gains; state it for {0} "
    "neighbours"
)

EACH, SO_MANY = "each record with probability {}, by itself", "{} of the records, without replacement"

KINDS: Mapping[str, Kind] = {
    "poisson": Kind("poisson", "poisson-sampling", EACH, OTHER_SIZES, ("poisson-replaced", "poisson-either")),
    "poisson-replaced": Kind(
        "poisson", "poisson-sampling-replaced", EACH, OTHER_SIZES, ("poisson", "poisson-either")
    ),
    "poisson-either": Kind(
        *("poisson", "poisson-sampling-replaced", EACH, OTHER_SIZES),
        ("poisson", "poisson-replaced"),
        either=True,
    ),
    "poisson-policy": Kind("poisson", "poisson-sampling-under-policies", EACH, OTHER_SIZES),
    "fixed": Kind("fixed", "fixed-size-sampling", "{} of the {} records, without replacement", REPLACED),
    "any-number": Kind(
        "fixed",
        "sampling-of-any-number",
        SO_MANY,
        "where a record comes, the sample of a fixed size has it in place of another one, which is two steps "
        "of adding and removing: with e^epsilon = 3 and one of two records the formula says 2, and 5 may be "
        "lost; state it for bounded neighbours (with 2*epsilon for epsilon it holds for them), or draw each "
        'record by itself: sampled = { poisson = "s" }',
        ("any-number-replaced",),
        least=True,
    ),
    "any-number-replaced": Kind(
        "fixed", "sampling-of-any-number-replaced", SO_MANY, REPLACED, ("any-number",), least=True
    ),
    "draws": Kind(
        "draws", "sampling-with-replacement", "{} draws from the {} records, with replacement", REPLACED
    ),
}
"""The ways to draw samples, by the word of their pages."""


@frozen(repr=False)
class Sample(Shown):
    """How a sample of the records is drawn, anew for each mechanism, which is not published.

    how -- a key of KINDS; values -- its parameters.

    >>> from dpcompose.privacy.guarantees.notions import pure
    >>> poisson_sample("1/2"), poisson_sample("1/2").guarantee(pure("log(3)", unbounded))
    (each record with probability 1/2, by itself, unbounded pure (log(2)))
    """

    how: str
    values: tuple[Term, ...]

    @property
    def kind(self) -> Kind:
        return KINDS[self.how]

    @property
    def words(self) -> str:
        return self.kind.words.format(*map(formulas.to_text, self.values))

    def __repr__(self) -> str:
        return self.words

    def __str__(self) -> str:
        return self.words

    @property
    def named(self) -> dict[str, Term]:
        """The parameters by their letters on the page."""
        return dict(zip(self.kind.head.letters, self.values, strict=True))

    def data(self) -> dict[str, object]:
        """As a problem file states it."""
        texts = [formulas.to_text(value) for value in self.values]
        return {self.kind.key: texts[0] if len(texts) == 1 or self.kind.least else texts}

    def with_letters(self, named: Mapping[str, Term]) -> Sample:
        """The same with other terms for some parameters."""
        return Sample(self.how, tuple(substitution.substituted(value, named) for value in self.values))

    def stated(self, on_samples: Guarantee) -> Guarantee:
        """A guarantee on samples, for the neighbours that it has to be for where it names none, or the same
        ones by another name."""
        about, known = on_samples.granularity, self.kind.on_samples
        return on_samples.about(known) if about is None or _is_same(about, known) else on_samples

    def for_guarantees(self, on_samples: Sequence[Guarantee]) -> Sample:
        """The same, as it is told of guarantees on samples for add/remove neighbours and others besides."""
        about, other = on_samples[0].granularity, f"{self.how}-policy"
        known = other in KINDS and about != self.kind.on_samples and KINDS[other].fits(about)
        return Sample(other, self.values) if known else self

    def for_target(self, target: Granularity, least: Term, notions: Collection[str]) -> Sample:
        """The same, as its guarantee is best told for all records and the neighbours of a target.

        least -- how many records there are at least; notions -- of the guarantees on samples.
        """
        changed = _changed(target)
        others = (
            other
            for other in self.kind.instead
            if _changed(KINDS[other].whole) == changed and {*notions} <= KINDS[other].head.guarantee.keys()
        )
        how = next(others, self.how)
        known = self.kind.least and least != ZERO
        return Sample(how, (*self.values[:-1], least) if known else self.values)

    def guarantee(self, on_samples: Guarantee) -> Guarantee:
        """What the whole satisfies.  Raises ValueError where the guarantee on samples is no such."""
        kind = self.kind
        about = on_samples.granularity
        if not kind.fits(about):
            partly = about is not None and about.changed and about.edits(multisets()) is None
            why = OF_A_POLICY.format(kind.on_samples) if partly else kind.otherwise
            if about is not None and _has_all(about, kind.on_samples):
                why = AS_WELL.format(kind.on_samples)
            raise ValueError(
                f"for {self.words}, the guarantee on samples is one for {kind.on_samples} neighbours, "
                f"not for {about}: {why}"
            )
        assert about is not None
        if on_samples.notion not in kind.head.guarantee:
            raise ValueError(f"what samples make of {on_samples.notion} privacy is not known")
        stated, whole = dict(on_samples.terms), about if kind.is_kept else kind.whole
        if INFINITY in stated.values():
            return on_samples.about(whole)
        letters, texts = {**self.named, **stated}, kind.head.guarantee[on_samples.notion]
        values = tuple((key, kernel.parse(text, letters)) for key, text in texts.items())
        return on_samples.with_values(values).about(whole)


@frozen
class Sampled:
    """How a sample of the records is drawn, and the guarantees of a mechanism that is run on such samples."""

    by: Sample
    on_samples: tuple[Guarantee, ...]

    def with_letters(self, named: Mapping[str, Term]) -> Sampled:
        """The same with other terms for some parameters."""
        return Sampled(
            self.by.with_letters(named), tuple(guarantee.with_letters(named) for guarantee in self.on_samples)
        )

    @property
    def whole(self) -> tuple[Guarantee, ...]:
        """What the whole satisfies.  Raises ValueError where a guarantee on samples is none of such."""
        about = list(dict.fromkeys(guarantee.granularity for guarantee in self.on_samples))
        if len(about) > 1 and self.by.kind.is_kept:
            raise ValueError(
                f"guarantees on samples are for the same neighbours, not {about[0]} and {about[1]}"
            )
        return tuple(map(self.by.guarantee, self.on_samples))

    @property
    def alone(self) -> tuple[Sampled, ...]:
        """The same with each of the guarantees alone."""
        return tuple(Sampled(self.by, (guarantee,)) for guarantee in self.on_samples)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All that it is given by."""
        return (*self.by.values, *(value for guarantee in self.on_samples for _, value in guarantee.terms))


def _changed(granularity: Granularity) -> frozenset[tuple[int, ...]]:
    """How many records single steps change, in all ways."""
    single = granularity.single_step.innermost()[0]
    return frozenset(numbers for alternative in single.either for numbers in alternative.changed)


def _is_same(granularity: Granularity, of: Granularity) -> bool:
    """Whether two granularities have the same edges, and no longer ways."""
    edges = _edges(granularity)
    return edges is not None and edges == _edges(of)


def _edges(granularity: Granularity) -> tuple[Any, ...] | None:
    """What a policy's edges are by, and how many steps it counts; None of what is no policy."""
    if (pair := policy_of(granularity)) is None:
        return None
    policy, steps = pair
    return policy.replace, policy.add_remove, steps


def _has_all(granularity: Granularity, of: Granularity) -> bool:
    """Whether all neighbours by edits of one record are neighbours of another granularity too."""
    edits, policy = of.edits(multisets()), policy_of(granularity)
    assert edits is not None and edits.single is not None
    if policy is None:
        return False
    comes, replaced = policy[0].add_remove is None, policy[0].replace.complete
    return all(replaced if edit == (1, 1) else comes for edit in edits.single)


def poisson_sample(s: object) -> Sample:
    """Each record is in the sample with probability s, independently.

    A guarantee on samples that add or remove a record gains: with γ = s, ε becomes ln(1 + γ(e^ε − 1)), δ
    becomes γδ.

    `compose` raises InvalidSetting for what is no probability, and for guarantees of other neighbours.

    >>> import dpcompose as dpc
    >>> M = dpc.mechanism("M", dpc.pure("e", dpc.unbounded), sampled=dpc.poisson_sample("s"))
    >>> dpc.compose(M, on=dpc.multisets(), target=dpc.unbounded).guarantee()
    unbounded (log(s*(exp(e) - 1) + 1))-DP, by GB:IV.3; optimal
    """
    if isinstance(s, str) and s.isidentifier():  # a name that stands for a probability
        return Sample("poisson", (letter(s, UNIT_INTERVAL),))
    return Sample("poisson", (formulas.term(s),))


def fixed_sample(m: object, n: object = None) -> Sample:
    """m of the n records, each choice as likely, for replacing a record; without n, of any number of records,
    also for adding and removing one.

    `compose` raises InvalidSetting for numbers that are not whole, or below 1, and for guarantees of other
    neighbours.

    >>> fixed_sample(2, 10), fixed_sample(2)
    (2 of the 10 records, without replacement, 2 of the records, without replacement)
    """
    if n is None:
        return Sample("any-number", (_count(m), _count(m)))  # there are m at least, or a class says more
    return Sample("fixed", (_count(m), _count(n)))


def drawn_sample(m: object, n: object) -> Sample:
    """m draws from the n records, where the same may be drawn again, for replacing a record.

    `compose` raises InvalidSetting for numbers that are not whole, or below 1, and for guarantees of other
    neighbours.

    >>> drawn_sample(2, 10)
    2 draws from the 10 records, with replacement
    """
    return Sample("draws", (_count(m), _count(n)))


def _count(value: object) -> Term:
    """A number of records; names in a text are whole numbers from 1."""
    known = {name: letter(name, COUNT) for name in formulas.names(value)} if isinstance(value, str) else None
    return formulas.term(value, known)


MADE: Mapping[str, Callable[..., Sample]] = {
    "poisson": poisson_sample,
    "fixed": fixed_sample,
    "draws": drawn_sample,
}
"""What makes a sample, by the keys of problem files."""


def sample(given: Sample | Mapping[str, object]) -> Sample:
    """A sample as problem files have it: {"poisson": "s"}, {"fixed": ["m", "n"]}, {"fixed": "m"}, {"draws":
    ["m", "n"]}.

    >>> sample({"poisson": "1/10"})
    each record with probability 1/10, by itself
    """
    if isinstance(given, Sample):
        return given
    if not isinstance(given, Mapping) or len(given) != 1 or next(iter(given)) not in MADE:
        raise TypeError(
            'a sample is such as dpcompose.poisson_sample("s"), {"poisson": "s"}, {"fixed": ["m", "n"]} or '
            f'{{"draws": ["m", "n"]}}, not {given!r}'
        )
    ((key, value),) = given.items()
    values = tuple(value) if isinstance(value, list | tuple) else (value,)
    try:
        return MADE[key](*values)
    except TypeError:
        raise TypeError(f"{key} of a sample has other parameters than {value!r}") from None
