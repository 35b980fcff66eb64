"""Events of dp-accounting: a tree of them as a study, and a guarantee as an event.

An event says what a mechanism loses at neighbours, and not who these are, nor what it reads; both are added
here. A tree is read without dp-accounting, and one is made with it (`pip install 'dpcompose[interop]'`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.front.studies.composing import compose
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.decimals import read_exactly
from dpcompose.privacy.guarantees.notions import Guarantee, gaussian, pure, zcdp
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.mechanisms.samples import Sample, fixed_sample, poisson_sample
from dpcompose.privacy.mechanisms.statements import mechanism
from dpcompose.spaces.given import Inputs
from dpcompose.spaces.inputs.maps import everything

ENOUGH = 160
"""With how many binary digits a value is enclosed before it is rounded to a float."""

RELATIONS = {"ADD_OR_REMOVE_ONE": ("unbounded", 1), "REPLACE_ONE": ("bounded", 2)}
"""The neighbours of dp-accounting's accountants, and how far they move a sum of values of norm at most 1: its
events add noise to such sums."""


class NoEvent(ValueError):
    """There is no such event, or none that says as much; the message says which."""


def number(value: object) -> Term:
    """A parameter of an event as it is written: 0.1 is 1/10."""
    found = read_exactly(value)
    if found is None:
        raise NoEvent(f"{value} is no parameter of an event")
    return terms.number(found)


def _inverse(multiplier: object, far: int) -> Term:
    """What noise of 1/z loses where the sum moves so far."""
    z = number(multiplier)
    if z.number == 0:
        raise NoEvent("0 is no noise: NonPrivateDpEvent promises nothing")
    return terms.number(far) / z


def _randomized(event: Any, far: int) -> Guarantee:
    """The true one of k answers with probability 1 - p + p/k, each other one with p/k."""
    p, k, term = number(event.noise_parameter), number(event.num_buckets), terms.number(1)
    if k.number is None or k.number.denominator != 1 or k.number < 2:
        raise NoEvent("randomized response needs a whole number of answers from 2 on")
    if p.number is None or not 0 < p.number <= 1:
        raise NoEvent("randomized response needs a probability above 0, up to 1")
    return pure(terms.log(term + k * (term - p) / p))


LEAVES: dict[str, Callable[[Any, int], Guarantee]] = {
    "NoOpDpEvent": lambda event, far: pure(0),
    "NonPrivateDpEvent": lambda event, far: pure("oo"),
    "GaussianDpEvent": lambda event, far: gaussian(_inverse(event.noise_multiplier, far)),
    "LaplaceDpEvent": lambda event, far: pure(_inverse(event.noise_multiplier, far)),
    "DiscreteLaplaceDpEvent": lambda event, far: pure(
        number(event.noise_parameter) * number(event.sensitivity) * far
    ),
    "RandomizedResponseDpEvent": _randomized,
    "ZCDpEvent": lambda event, far: zcdp(number(event.rho)),
}
"""What an event without others in it says of its mechanism, where neighbours move sums so far."""

SAMPLES: dict[str, Callable[[Any], Sample]] = {
    "PoissonSampledDpEvent": lambda event: poisson_sample(number(event.sampling_probability)),
    "SampledWithoutReplacementDpEvent": lambda event: fixed_sample(
        event.sample_size, event.source_dataset_size
    ),
}
"""How an event draws the sample that the one in it is about."""


@frozen
class Leaf:
    """A mechanism in a tree: where it stands, what it satisfies, how often it is run, and on which sample."""

    name: str
    satisfies: Guarantee
    times: int = 1
    sample: Sample | None = None


def kind(event: object) -> str:
    """What an event is called."""
    return type(event).__name__


def leaves(event: Any, name: str = "M", far: int = 1) -> Iterator[Leaf]:
    """The mechanisms of a tree of events, from left to right.  Raises NoEvent.

    far -- how far neighbours move what noise is added to.
    """
    if (said := LEAVES.get(kind(event))) is not None:
        if getattr(event, "xi", 0):
            raise NoEvent("zero-concentrated privacy with xi > 0 is no notion here")
        yield Leaf(name, said(event, far))
    elif kind(event) == "ComposedDpEvent":
        for n, one in enumerate(event.events, start=1):
            yield from leaves(one, f"{name}{n}" if name == "M" else f"{name}_{n}", far)
    elif kind(event) == "SelfComposedDpEvent":
        if event.count < 1 or event.count != int(event.count):
            raise NoEvent(f"{name} is run {event.count} times: a whole number from 1 on is wanted")
        yield from (replace(leaf, times=leaf.times * event.count) for leaf in leaves(event.event, name, far))
    elif (drawn := SAMPLES.get(kind(event))) is not None:
        inside = list(leaves(event.event, name, far))
        if len(inside) != 1 or inside[0].times != 1 or inside[0].sample is not None:
            raise NoEvent(f"{name} is a composition on one sample: here each mechanism draws its own")
        yield replace(inside[0], sample=drawn(event))
    else:
        raise NoEvent(f"{name} is {kind(event)}; known are {', '.join([*LEAVES, *COMPOSED, *SAMPLES])}")


COMPOSED = ("ComposedDpEvent", "SelfComposedDpEvent")
"""Events that are made of others."""


def from_event(
    event: Any,
    *,
    on: Any,
    target: Any,
    neighbours: Any = None,
    reads: Sequence[Inputs] | None = None,
    domain: str | None = None,
    **more: Any,
) -> Study:
    """A tree of dp-accounting's events as a study.

    event -- a ComposedDpEvent, a SelfComposedDpEvent, noise, a ZCDpEvent, one on a sample; on, target -- as
    for `compose`; neighbours -- those for which the events are meant: a granularity, its name, or
    dp-accounting's own NeighboringRelation (REPLACE_ONE moves sums twice as far); left out, the target's;
    reads -- what each event of a ComposedDpEvent reads; left out: everything; domain -- where their
    guarantees are stated then, "own" or "common".  Floats are the decimals that they show.  As the events of
    dp-accounting, mechanisms may read earlier outputs: adaptive=False says that they are independent.
    Raises NoEvent where an event says nothing that a study could use; ValueError of wrong settings.

    >>> import dpcompose as dpc
    >>> class LaplaceDpEvent:
    ...     def __init__(self, noise_multiplier):
    ...         self.noise_multiplier = noise_multiplier
    >>> class ComposedDpEvent:
    ...     def __init__(self, events):
    ...         self.events = events
    >>> event = ComposedDpEvent([LaplaceDpEvent(1.0), LaplaceDpEvent(0.5), LaplaceDpEvent(0.25)])
    >>> D = dpc.multisets({"a", "b", "c"})
    >>> parts = dpc.record_partition(D, {"a"}, {"b"}, {"c"})
    >>> for target in ("unbounded", "bounded"):
    ...     more = {"target": target, "neighbours": target, "reads": parts, "domain": "common"}
    ...     dpc.from_event(event, on=D, **more).guarantee()
    unbounded 4-DP, by GB:V.6; optimal
    bounded 6-DP, by GB:IV.13 (adaptive form); optimal
    """
    about, far = RELATIONS.get(getattr(neighbours, "name", ""), (neighbours, 1))
    made: list[Mechanism] = []
    children = [event] if reads is None else list(getattr(event, "events", [event]))
    if reads is not None and len(reads) != len(children):
        raise NoEvent(f"{len(children)} events read {len(reads)} things: one is to be said for each")
    for n, child in enumerate(children, start=1):
        name = "M" if reads is None else f"M{n}"
        read = everything if reads is None else reads[n - 1]
        for leaf in leaves(child, name, far):
            drawn = leaf.sample is not None  # without neighbours it would be about those of the sample's page
            stated = _stated(leaf.satisfies, target if drawn and about is None else about, domain)
            count = None if leaf.times == 1 else leaf.times
            made.append(mechanism(leaf.name, stated, read, count, sampled=leaf.sample))
    return compose(*made, on=on, target=target, **{"adaptive": True} | more)


def _stated(guarantee: Guarantee, neighbours: Any, domain: str | None) -> Guarantee:
    """The guarantee for these neighbours."""
    from dpcompose.spaces import given

    about = None if neighbours is None else given.neighbours(neighbours)
    return replace(guarantee, granularity=about, domain=domain)


def rounded(value: Term, up: bool) -> float:
    """A float on one side of an exact value."""
    between = enclosure(value, ENOUGH)
    end = between.high if up else between.low
    found = float(end)
    if up and Fraction(found) < end:
        return math.nextafter(found, math.inf)
    if not up and Fraction(found) > end:
        return math.nextafter(found, -math.inf)
    return found


EVENTS: dict[str, Callable[..., Any]] = {
    "pure": lambda events, epsilon: events.DiscreteLaplaceDpEvent(rounded(epsilon, up=True), 1),
    "gaussian": lambda events, mu: events.GaussianDpEvent(rounded(terms.number(1) / mu, up=False)),
    "zcdp": lambda events, rho: events.ZCDpEvent(rounded(rho, up=True)),
}
"""For a notion the event that loses as much as its guarantee allows: discrete Laplace noise on a value that
moves by 1 loses ε or -ε, as randomised response does, and no mechanism with this ε loses more at any δ."""


def to_event(guarantee: Any, at: Mapping[Any, object] | None = None) -> Any:
    """A guarantee as an event of dp-accounting, which loses as much as any mechanism with the guarantee.

    guarantee -- of a study (`study.guarantee()`), or one such as `pure(1)`; at -- numbers for the parameters
    of a study's; floats are rounded to the side that says less.  The neighbours are those of the guarantee,
    whatever they are: leave the accountant at ADD_OR_REMOVE_ONE, where it takes events as they are; with
    REPLACE_ONE some of dp-accounting's accountants double them.
    Raises NoEvent where dp-accounting has no such event, as for (ε, δ); WrongValue where a number is missing.

    >>> import dpcompose as dpc
    >>> dpc.to_event(dpc.gaussian("1/2"))  # doctest: +SKIP
    GaussianDpEvent(noise_multiplier=2.0)
    """
    if (made := EVENTS.get(guarantee.notion)) is None:
        raise NoEvent(f"dp-accounting has no event for {guarantee.notion}: it has {', '.join(EVENTS)}")
    values = dict(guarantee.values) if at is None else guarantee.at(at)
    known = [formulas.term(value) for value in values.values()]
    if letters := sorted({letter for value in known for letter in value.letters}):
        raise NoEvent(f"an event has numbers: none is given for {', '.join(letters)}")
    try:
        from dp_accounting import dp_event
    except ImportError:
        raise NoEvent("events are made with dp-accounting: pip install 'dpcompose[interop]'") from None
    if any(value.kind == "oo" for value in known):
        return dp_event.NonPrivateDpEvent()
    if all(value.number == 0 for value in known):
        return dp_event.NoOpDpEvent()
    return made(dp_event, *known)
