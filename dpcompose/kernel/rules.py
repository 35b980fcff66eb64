"""The rules: each computes a conclusion from premises, a core setting and pages, or raises ValueError.

Premises are theorems, already checked to be about the same setting (but for `study`).  What a rule returns is
the judgement that it concludes, and the pages and deciders that this step rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any, Protocol, TypeVar

from dpcompose.kernel import (
    comparison,
    computed,
    covers,
    forms,
    formulas,
    given_tables,
    losses,
    terms,
    witnesses,
)
from dpcompose.kernel.certificates import BadCertificate
from dpcompose.kernel.closer import Closer
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders import values as has_values
from dpcompose.kernel.intervals import sign
from dpcompose.kernel.judgements import (
    Attained,
    Composed,
    Covers,
    Implies,
    Judgement,
    Loose,
    Loses,
    Lower,
    Optimal,
    Refuted,
    Satisfies,
)
from dpcompose.kernel.losses import Composition, Converted, Loss, Values
from dpcompose.kernel.settings import Mechanism, Setting, Stated
from dpcompose.kernel.terms import INFINITY, ZERO, Term
from dpcompose.kernel.theory import Theory

Found = tuple[Judgement, frozenset[str]]
"""What a rule concludes, and the pages and deciders that it uses."""
J = TypeVar("J")


class Premise(Protocol):
    """A theorem: what it says, and the hash of the setting that it is about."""

    @property
    def says(self) -> Judgement: ...

    @property
    def setting(self) -> str: ...


Premises = Sequence[Premise]


class BadStep(ValueError):
    """A rule does not give what it is used for; the message says why."""


def said(premises: Premises, *kinds: type[Any]) -> list[Any]:
    """What the premises say: one judgement of each kind, in order; of the last kind any number more."""
    found = [one.says for one in premises]
    wanted = [*kinds, *[kinds[-1]] * (len(found) - len(kinds))] if kinds else []
    if len(found) < len(kinds) or not all(map(isinstance, found, wanted)) or len(found) != len(wanted):
        raise BadStep(f"the premises are to be {', '.join(kind.__name__ for kind in kinds) or 'none'}")
    return found


def one_of(premises: Premises, kind: type[J]) -> J:
    """What the only premise says."""
    if len(premises) != 1 or not isinstance(premises[0].says, kind):
        raise BadStep(f"the only premise is to be {kind.__name__}")
    return premises[0].says


def claimed(data: Any, setting: Setting, theory: Theory) -> Satisfies:
    """A claimed guarantee from its data: {"notion": …, "epsilon": formula, …}."""
    if not isinstance(data, Mapping) or not isinstance(data.get("notion"), str):
        raise BadStep("a claim is a notion with its parameters")
    wanted = theory.rule(data["notion"]).head.parameters
    if set(data) != {"notion", *wanted}:
        raise BadStep(f"a claim of {data['notion']} privacy has {', '.join(wanted)}")
    if not all(isinstance(data[key], str) for key in wanted):
        raise BadStep("what a claim says of a parameter is a formula")
    for key in wanted:
        if why := has_values.doubt(data[key], setting.symbols, assumed=setting.assumed):
            raise BadStep(f"{key} of the claim may have no value: {why}")
    values = ((key, formulas.parse(data[key], setting.symbols)) for key in wanted)
    return Satisfies(data["notion"], tuple(values))


def _check_key(guarantee: Satisfies, key: str) -> None:
    if key not in dict(guarantee.values):
        raise BadStep(f"{guarantee.notion} privacy has no parameter {key!r}")


def _has_values(guarantee: Satisfies, setting: Setting) -> frozenset[str]:
    """The decider by which all parameters are seen to have real values, for all allowed values of letters.

    Raises BadStep where they are not: then the claim says nothing that could hold.
    """
    missing = forms.missing_values([value for _, value in guarantee.values if value.kind != "oo"])
    for inside, relation in missing:
        signs = [inside, -inside] if relation == "!= 0" else [inside]
        if not any(has_values.surely(one, relation != ">= 0", setting.assumed) for one in signs):
            raise BadStep(f"{formulas.to_text(inside)} is not known to be {relation}")
    return _deciders(frozenset({"ranges"} if missing else ()))


# what each mechanism loses


def given(setting: Setting, theory: Theory, premises: Premises, *, i: int) -> Found:
    """M_i loses what the setting says of it: this is assumed."""
    said(premises)
    mechanism = losses.mechanism_of(setting, i)
    if mechanism.also:
        raise BadStep(f"{mechanism.name} has several guarantees, of which one is to be chosen")
    if mechanism.noise is not None or mechanism.table is not None or mechanism.study is not None:
        raise BadStep(f"{mechanism.name} is not given by a guarantee alone")
    loss = losses.by_guarantee(i, setting, theory)
    return Loses(loss), _own_pages(setting, theory, i) | {theory.rule(loss.notion).id}


def noise(setting: Setting, theory: Theory, premises: Premises, *, i: int, notion: str) -> Found:
    """M_i loses what the page of its noise says for values of its query that are 1 apart."""
    said(premises)
    law = losses.mechanism_of(setting, i).noise
    loss = losses.by_noise(i, setting, theory, notion)
    pages = frozenset({law.page if law else "", theory.rule(notion).id})
    kept = _kept(theory, setting.mechanisms[i - 1])
    return Loses(loss), pages | kept | {"decider ranges"}  # which sees that the parameter fits


def table(setting: Setting, theory: Theory, premises: Premises, *, i: int) -> Found:
    """M_i loses what the setting says of it, which its table is checked to have."""
    said(premises)
    given_tables.check(i, setting)
    loss = losses.by_guarantee(i, setting, theory)
    pages = _own_pages(setting, theory, i) | {theory.rule(loss.notion).id}
    return Loses(loss), pages | {"decider tables"}


def study(setting: Setting, theory: Theory, premises: Premises, *, i: int) -> Found:
    """M_i is a composition itself, on what it reads, and loses what a theorem about that says."""
    mechanism, guarantee = losses.mechanism_of(setting, i), one_of(premises, Satisfies)
    if mechanism.study is None or mechanism.study.hash != premises[0].setting or mechanism.domain != "own":
        raise BadStep(f"the theorem is not about the study of {mechanism.name}")
    loss = Loss(i, guarantee.notion, guarantee.values)
    return Loses(loss), _own_pages(setting, theory, i) | {theory.rule(loss.notion).id}


def _own_pages(setting: Setting, theory: Theory, i: int) -> frozenset[str]:
    """The page by which a guarantee holds in the distance of what is read, and its lemmas; and the page by
    which functions of outputs keep it."""
    mechanism = losses.mechanism_of(setting, i)
    changed = any(one is not None for one in mechanism.reads) or bool(mechanism.codes)
    common = mechanism.domain == "common" and changed
    metric = "push-forward" if common else "canonical"
    page = theory.first(
        "step", lambda page: page.head.metric == metric, f"no page states guarantees in the {metric} metric"
    )
    return frozenset({page.id}) | theory.lemmas([page.id], mechanism.notion) | _kept(theory, mechanism)


def _kept(theory: Theory, *some: Mechanism) -> frozenset[str]:
    """The page by which functions of outputs keep guarantees, where some mechanisms are such functions."""
    if not any(one.processed for one in some):
        return frozenset()
    about = theory.first("processing", lambda page: page.head.of == "outputs", "no page is about outputs")
    return frozenset({about.id})


def implies(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    i: int,
    n: int,
    m: int,
    values: Mapping[str, str] | None = None,
    certificates: Any = None,
) -> Found:
    """M_i with its guarantee n has its guarantee m: for the same neighbours its parameters are as large, or
    M_i alone is shown to satisfy it for the neighbours that it is about.

    values -- in place of those of guarantee n.
    """
    other = losses.mechanism_of(setting, i).guarantee(m)
    given = None if values is None else narrower({str(i): values}, setting)[i]
    says = Implies(i, n, m, given)
    if not premises:
        one = setting.mechanisms[i - 1].with_only(n, given).guarantee(0)
        return says, _as_large(setting, theory, one, other, certificates)
    guarantee = one_of(premises, Satisfies)
    if premises[0].setting != setting.implying(i, n, m, given).hash:
        raise BadStep("the theorem is not about that mechanism alone, for the neighbours of the guarantee")
    if (guarantee.notion, dict(guarantee.values)) != (other.notion, dict(other.values)):
        raise BadStep("the theorem does not state the guarantee")
    return says, frozenset()


def _as_large(
    setting: Setting, theory: Theory, one: Stated, other: Stated, certificates: Any
) -> frozenset[str]:
    """The deciders by which a guarantee for the same neighbours has parameters that are as large."""
    if (one.stated, one.domain, one.notion) != (other.stated, other.domain, other.notion):
        raise BadStep("the guarantees are about other neighbours, or in other notions")
    if [key for key, _ in one.values] != [key for key, _ in other.values]:
        raise BadStep("the guarantees have other parameters")
    used = frozenset[str]()
    for (key, lesser), (_, greater) in zip(one.values, other.values, strict=True):
        used |= _at_least(setting, theory, one.notion, key, greater, lesser, _entry(certificates, key))
    return _deciders(used)


def choose(
    setting: Setting, theory: Theory, premises: Premises, *, which: Sequence[int], values: Any = None
) -> Found:
    """What holds of all mechanisms with one guarantee each holds of those that have others, too.

    What some of them do is known of these where all others are implied; so it is where parameters have
    other values, with which all guarantees are implied.
    """
    given = narrower(values, setting)
    if not premises or premises[0].setting != setting.choosing(which, given).hash:
        raise BadStep("the theorem is not about the guarantees that are chosen")
    says = premises[0].says
    if isinstance(says, Satisfies | Loose) and not given:
        said(premises[1:])
        return says, frozenset()
    if not isinstance(says, Lower | Refuted | Optimal) or (given and isinstance(says, Optimal)):
        raise BadStep("only what is said of the whole holds there and here")
    implied = said(premises[1:], Implies) if len(premises) > 1 else []
    for i, (mechanism, n) in enumerate(zip(setting.mechanisms, which, strict=True), start=1):
        for m in range(len(mechanism.also) + 1):
            needed = m != n or i in given
            if needed and Implies(i, n, m, given.get(i)) not in implied:
                raise BadStep(f"guarantee {n} of {mechanism.name} is not seen to imply guarantee {m}")
    return says, frozenset()


def narrower(values: Any, setting: Setting) -> dict[int, Values]:
    """By number of mechanisms other values of parameters: {"1": {"epsilon": "e/2"}}."""
    if values is None:
        return {}
    if not isinstance(values, Mapping) or not all(isinstance(one, Mapping) for one in values.values()):
        raise BadStep("values are a table of formulas for some mechanisms")
    found = {}
    for i, one in values.items():
        if i not in {str(n) for n in range(1, len(setting.mechanisms) + 1)}:
            raise BadStep(f"there is no mechanism {i!r}")
        if not all(isinstance(key, str) and isinstance(text, str) for key, text in one.items()):
            raise BadStep("values are a table of formulas for some mechanisms")
        if setting.mechanisms[int(i) - 1].count is not None:
            raise BadStep("members of families have no other values")
        found[int(i)] = _terms(one, setting)
        if not all(has_values.surely(value, False, setting.assumed) for _, value in found[int(i)]):
            raise BadStep("it is not seen that no parameter is below 0")
    return found


def least(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """Of guarantees that differ in one parameter the least holds, whatever the letters are."""
    some = said(premises, Satisfies, Satisfies)
    first = some[0]
    differing = {
        key for one in some for (key, x), (_, y) in zip(one.values, first.values, strict=True) if x != y
    }
    if any(one.notion != first.notion for one in some) or len(differing) > 1:
        raise BadStep("the guarantees differ in more than one parameter")
    values = tuple(
        (key, _smallest([dict(one.values)[key] for one in some]) if key in differing else value)
        for key, value in first.values
    )
    return Satisfies(first.notion, values), frozenset()


def among(setting: Setting, theory: Theory, premises: Premises, *, notion: str) -> Found:
    """At neighbours of each type the least of what any guarantees of the mechanisms allow to be lost, one of
    each; the largest of these is a guarantee.  The types are those of all guarantees' inputs together."""
    covered, every = one_of(premises, Covers), setting.with_each()
    _check_every_type(covered)
    if premises[0].setting != every.hash:
        raise BadStep("the types are not those of the inputs of all guarantees")
    (key, *others) = theory.rule(notion).head.parameters
    if others:
        raise BadStep(f"{notion} privacy has several parameters, of which the least need not be had together")
    compositions = [_chosen_losses(which, notion, setting, theory) for which in _choices_in(notion, setting)]
    if not 1 <= len(compositions) <= MOST_CHOICES:
        raise BadStep(f"there are no choices in {notion} privacy, or more than {MOST_CHOICES}")
    values = [
        _smallest([one.at(type.of(numbers))[key] for one, numbers in compositions])
        for type in covered.cover.types
    ]
    pages = {theory.rule(notion).id, *_substitution(theory)}
    for j, one in enumerate(every.mechanisms, start=1):
        if one.noise is None:
            pages |= _own_pages(every, theory, j)
        else:
            pages |= {one.noise.page, "decider ranges", *_kept(theory, one)}
    return Satisfies(
        notion, ((key, _largest(values, key in theory.rule(notion).head.squared, setting.known)),)
    ), (frozenset(pages))


MOST_CHOICES = 64
"""Of the most choices of one guarantee of each mechanism the least is taken at each type."""


def _choices_in(notion: str, setting: Setting) -> list[tuple[int, ...]]:
    """The choices of guarantees in a notion; of noise what it is."""
    numbers = [
        [n for n in range(len(one.also) + 1) if one.noise is not None or one.guarantee(n).notion == notion]
        for one in setting.mechanisms
    ]
    return list(islice(product(*numbers), MOST_CHOICES + 1))


def _chosen_losses(
    which: Sequence[int], notion: str, setting: Setting, theory: Theory
) -> tuple[Composition, Mapping[int, int]]:
    """What is lost with a choice of guarantees; and which inputs of all guarantees are its own."""
    chosen, found, numbers, before = setting.choosing(which), [], dict[int, int](), 0
    for i, (mechanism, n) in enumerate(zip(setting.mechanisms, which, strict=True), start=1):
        numbers[before + n + 1] = i
        before += len(mechanism.also) + 1
        if mechanism.table is not None or mechanism.study is not None:
            raise BadStep(f"{mechanism.name} is not given by guarantees or noise alone")
        stated = mechanism.noise is None
        found.append(
            losses.by_guarantee(i, chosen, theory) if stated else losses.by_noise(i, chosen, theory, notion)
        )
    losses.check_composes(found, chosen, theory)
    return Composition(tuple(found), chosen, theory), numbers


def _smallest(values: Sequence[Term]) -> Term:
    """The least of some values, ∞ where all are."""
    finite = [one for one in values if one.kind != "oo"]
    return terms.least(*finite) if finite else INFINITY


def one_by_one(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """What holds of the mechanisms of studies one by one holds of the studies, and of functions of these.

    What is lost there is lost here: such a function may be the identity.
    """
    if setting.flat is None or len(premises) != 1 or premises[0].setting != setting.flat.hash:
        raise BadStep("the theorem is not about the mechanisms of the studies one by one")
    if not isinstance(premises[0].says, Satisfies | Lower | Refuted | Optimal | Loose):
        raise BadStep("only what is said of the whole holds there and here")
    return premises[0].says, _kept(theory, *_studies(setting))


def _studies(setting: Setting) -> Iterator[Mechanism]:
    """The mechanisms that are studies, also in studies."""
    for one in setting.mechanisms:
        if one.study is not None:
            yield one
            yield from _studies(one.study)


def convert(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    page: str,
    chosen: Mapping[str, str] | None = None,
) -> Found:
    """M_i loses what a conversion page says in another notion."""
    loss = one_of(premises, Loses).loss
    head = theory.page(page, "conversion").head
    if head.from_ != loss.ends(theory):
        raise BadStep(f"{page} converts {head.from_}, not {loss.ends(theory)}")
    made = Loss(
        loss.mechanism, loss.notion, loss.values, (*loss.then, Converted(page, _terms(chosen or {}, setting)))
    )
    made.at(terms.ONE, theory)
    return Loses(made), frozenset({page, theory.rule(head.to).id})


def _terms(texts: Mapping[str, str], setting: Setting) -> Values:
    return tuple((key, formulas.parse(text, setting.symbols)) for key, text in sorted(texts.items()))


# guarantees of the whole


def compose(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """The mechanisms together lose at most what each loses, added up by the rule of the notion."""
    some = tuple(one.loss for one in said(premises, Loses))
    notion = losses.check_composes(some, setting, theory)
    return Composed(notion, some), frozenset({theory.rule(notion).id})


def cover(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """Finitely many types of neighbours stand for all of the target's."""
    said(premises)
    found = covers.cover(setting, theory)
    return Covers(found), frozenset({found.page}).union(*found.metrics)


def worst(setting: Setting, theory: Theory, premises: Premises) -> Found:
    """The largest loss at the types is a guarantee; componentwise, where there are several parameters."""
    composed, covered = said(premises, Composed, Covers)
    together = Composition(composed.losses, setting, theory)
    together.check_convex(covered.cover.convex)
    at = [together.at(one) for one in covered.cover.types]
    values = tuple(
        (key, together.worst(key, (one[key] for one in at))) for key in together.rule.head.parameters
    )
    return Satisfies(composed.notion, values), _substitution(theory)


def closer(setting: Setting, theory: Theory, premises: Premises, *, key: str) -> Found:
    """The same with the smaller values of one parameter that closer pages give."""
    composed, covered = said(premises, Composed, Covers)
    together, types = Composition(composed.losses, setting, theory), covered.cover.types
    if key not in together.rule.head.parameters:
        raise BadStep(f"{composed.notion} privacy has no parameter {key!r}")
    _check_every_type(covered)
    smaller = Closer(together, key)
    at = [together.at(one) for one in types]
    values = []
    for one in together.rule.head.parameters:
        some = [smaller.at(type) for type in types] if one == key else [value[one] for value in at]
        values.append((one, together.worst(one, some)))
    return Satisfies(composed.notion, tuple(values)), _substitution(theory) | smaller.pages


def _check_every_type(covered: Covers) -> None:
    """Raises BadStep where types are left out, as convex losses that add up are no larger at them."""
    if covered.cover.convex:
        raise BadStep("the types stand for all neighbours only where losses add up")


def _substitution(theory: Theory) -> frozenset[str]:
    return frozenset({theory.first("substitution", lambda page: True, "no page substitutes a profile").id})


def curve(setting: Setting, theory: Theory, premises: Premises, *, claim: Any, bits: int) -> Found:
    """A claim with numbers holds where its δ is at least the curve, at its ε, at every type."""
    covered, *some = said(premises, Covers, Loses)
    guarantee = claimed(claim, setting, theory)
    _check_every_type(covered)
    page = computed.check_proved(
        guarantee.notion, guarantee.values, covered.cover, some, setting, theory, bits
    )
    return guarantee, frozenset({page, "decider curves"})


def curve_standing(setting: Setting, theory: Theory, premises: Premises, *, claim: Any, bits: int) -> Found:
    """A claim that holds by the curve is loose where a smaller one does, else optimal if the curve is."""
    known, covered, *some = said(premises, Satisfies, Covers, Loses)
    guarantee = claimed(claim, setting, theory)
    _check_every_type(covered)
    if known != guarantee:
        raise BadStep("the claim is not known to hold")
    notion, values = guarantee.notion, guarantee.values
    page, loose = computed.standing(notion, values, covered.cover, some, setting, theory, bits)
    trusts = frozenset({page, "decider curves"})
    return (Loose(notion, values, ()) if loose else Optimal(notion, values, "delta")), trusts


def vacuous(setting: Setting, theory: Theory, premises: Premises, *, claim: Any) -> Found:
    """Without neighbours every guarantee holds."""
    if one_of(premises, Covers).cover.types:
        raise BadStep("there are neighbours")
    guarantee = claimed(claim, setting, theory)
    return guarantee, _has_values(guarantee, setting)


def trivial(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, key: str, certificate: Any = None
) -> Found:
    """A guarantee that says nothing holds: a parameter is ∞, or never below the limit of its notion."""
    said(premises)
    guarantee = claimed(claim, setting, theory)
    _check_key(guarantee, key)
    used = _has_values(guarantee, setting)
    value, limits = dict(guarantee.values)[key], theory.rule(guarantee.notion).head.limits
    if value.kind == "oo":
        return guarantee, used
    if key not in limits:
        raise BadStep(f"{key} has no limit from which on it says nothing")
    used |= _deciders(
        comparison.check_at_least(value, terms.number(limits[key]), certificate, setting.assumed)
    )
    return guarantee, used | {theory.rule(guarantee.notion).id}


def change(
    setting: Setting, theory: Theory, premises: Premises, *, page: str, chosen: Mapping[str, str]
) -> Found:
    """A guarantee of the whole in another notion, by a conversion page."""
    guarantee = one_of(premises, Satisfies)
    found = theory.page(page, "conversion")
    if found.head.from_ != guarantee.notion:
        raise BadStep(f"{page} converts {found.head.from_}, not {guarantee.notion}")
    values = losses.converted(theory, found, dict(guarantee.values), dict(_terms(chosen, setting)))
    wanted = theory.rule(found.head.to).head.parameters
    return Satisfies(found.head.to, tuple((key, values[key]) for key in wanted)), frozenset({page})


def weaken(setting: Setting, theory: Theory, premises: Premises, *, claim: Any, certificates: Any) -> Found:
    """Every guarantee whose parameters are at least those of one that holds."""
    known, guarantee = one_of(premises, Satisfies), claimed(claim, setting, theory)
    if known.notion != guarantee.notion:
        raise BadStep(f"the guarantee is about {known.notion}")
    used: frozenset[str] = frozenset()
    for (key, greater), (_, lesser) in zip(guarantee.values, known.values, strict=True):
        shown = _entry(certificates, key)
        used |= _at_least(setting, theory, guarantee.notion, key, greater, lesser, shown)
    return guarantee, _deciders(used)


def _entry(table: Any, key: str) -> Any:
    return table.get(key) if isinstance(table, Mapping) else None


def _at_least(
    setting: Setting, theory: Theory, notion: str, key: str, greater: Term, lesser: Term, shown: Any
) -> frozenset[str]:
    """The deciders by which a certificate shows that a parameter is at least another value of it.

    Of parameters that are composed by their squares the squares are compared, of values that are ≥ 0.
    """
    if greater == lesser or greater.kind == "oo":
        return frozenset()
    if lesser.kind == "oo":
        raise BadCertificate(f"{key} of the guarantee is oo")
    if key not in theory.rule(notion).head.squared or not _entry(shown, "squares"):
        return comparison.check_at_least(greater, lesser, shown, setting.assumed)
    used = frozenset[str]()
    if not greater.nonnegative:
        used = comparison.check_at_least(greater, ZERO, _entry(shown, "not negative"), setting.assumed)
    greater, lesser = (forms.write(forms.squared(one, setting.known)) for one in (greater, lesser))
    return used | comparison.check_at_least(greater, lesser, _entry(shown, "squares"), setting.assumed)


def _deciders(used: frozenset[str]) -> frozenset[str]:
    return frozenset(f"decider {one}" for one in used)


# what is lost, and what follows


def attain(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    notion: str,
    neighbours: Sequence[int],
    by: Sequence[int],
) -> Found:
    """Some mechanisms, as the setting allows or says, lose this much at the neighbours of some types."""
    page, (covered, *some) = witnesses.attained_in(theory, notion), said(premises, Covers, Loses)
    stated, found, pages, who = _as_stated(some, setting), [], {page.id}, set[int]()
    for n in neighbours:
        type = _type(covered, n)
        lost = witnesses.Witnesses(setting, theory, page, type, stated, by)
        value, used = lost.value()
        found.append(Attained(type, value, lost.pages))
        pages |= used
        who |= {i for i, _ in lost.pages}
    if len(who) < len(setting.mechanisms):
        pages |= _parts(theory)
    squared = page.head.shows in theory.rule(notion).head.squared
    value = _largest([one.value for one in found], squared, setting.known)
    return Lower(notion, page.head.shows, value, tuple(found)), frozenset(pages)


def _largest(values: Sequence[Term], squared: bool, known: forms.Known) -> Term:
    """The largest of some values, in normal form where they have one; constants by their values."""
    tops = (one.parts if one.kind == "top" and one.of[0] == 1 else [one] for one in values)
    compared = list(dict.fromkeys(part for some in tops for part in some))
    constants = [one for one in compared if one.kind != "oo" and not one.letters]
    below = {one for one in constants if any(sign(other - one) == 1 for other in constants)}
    kept = [one for one in compared if one not in below]
    try:
        return losses.largest(kept, squared, known)
    except forms.NotAForm:
        return terms.top(1, kept)


def _as_stated(some: Sequence[Loses], setting: Setting) -> list[Loss]:
    """The losses of all mechanisms, none of them converted."""
    found = [one.loss for one in some]
    if [one.mechanism for one in found] != list(range(1, len(setting.mechanisms) + 1)):
        raise BadStep("each mechanism needs one loss, in order")
    if any(one.then for one in found):
        raise BadStep("what is converted need not be attained")
    return found


def _type(covered: Covers, n: int) -> Type:
    if not isinstance(n, int) or not 1 <= n <= len(covered.cover.types):
        raise BadStep(f"there is no type {n!r}")
    return covered.cover.types[n - 1]


def _parts(theory: Theory) -> frozenset[str]:
    """The page by which mechanisms may be left out."""
    about = theory.first("processing", lambda page: page.head.of == "parts", "no page is about parts")
    return frozenset({about.id})


def refute(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    claim: Any,
    point: Mapping[str, str],
    through: Sequence[str] = (),
) -> Found:
    """A claim is false where mechanisms lose more; or another one is, which it would imply by conversions."""
    lower, guarantee = one_of(premises, Lower), claimed(claim, setting, theory)
    implied = guarantee
    for id in through:
        page = theory.page(id, "conversion")
        if page.head.from_ != implied.notion:
            raise BadStep(f"{id} converts {page.head.from_}, not {implied.notion}")
        values = losses.converted(theory, page, dict(implied.values), {})
        wanted = theory.rule(page.head.to).head.parameters
        implied = Satisfies(page.head.to, tuple((key, values[key]) for key in wanted))
    if lower.notion != implied.notion:
        raise BadStep(f"what is lost is known in {lower.notion} privacy, the claim is about {implied.notion}")
    at = comparison.read_point(point)
    allowed(at, setting, guarantee)
    value = dict(implied.values)[lower.key]
    if value.kind == "oo" or lower.value.kind != "oo":
        comparison.check_point(value, lower.value, _used(at, value, lower.value))
    _says_something(implied, lower.key, at, theory)
    refuted = Refuted(guarantee.notion, guarantee.values, tuple(sorted(at.items())), tuple(through))
    return refuted, frozenset(through)


def _says_something(claim: Satisfies, key: str, at: Mapping[str, Fraction], theory: Theory) -> None:
    """Raises BadStep where not every mechanism is seen to be excluded: a parameter is ∞, or at its limit."""
    if any(value.kind == "oo" for _, value in claim.values):
        raise BadStep("a claim of which a parameter is oo says nothing")
    value, limits = formulas.at(dict(claim.values)[key], at), theory.rule(claim.notion).head.limits
    if key in limits and sign(terms.number(limits[key]) - value) != 1:
        raise BadStep(f"{key} of the claim is not seen to be below {limits[key]} there: it may say nothing")


def _used(at: Mapping[str, Fraction], *values: Term) -> dict[str, Fraction]:
    """What a point says of the letters that occur in terms, and of the members of their families."""
    letters = {name for value in values for name in value.letters}
    return {name: x for name, x in at.items() if {name, f"{name.partition('[')[0]}[i]"} & letters}


def allowed(at: Mapping[str, Fraction], setting: Setting, guarantee: Satisfies) -> None:
    """Raises ValueError unless a point has an allowed value for every letter that is used, and mechanisms
    as the setting says are there: none has a guarantee below 0."""
    given = [value for mechanism in setting.mechanisms for value in losses.letters(mechanism)]
    used = {name: domain for name, domain in setting.parameters if name in at}
    for value in (*(value for _, value in guarantee.values), *given):
        for name, domain in value.letters.items():
            if used.setdefault(name, domain) != domain:
                raise BadStep(f"{name} is both {used[name]} and {domain}")
    comparison.check_allowed(at, used, setting.assumed)
    for mechanism in setting.mechanisms:
        for value in losses.promised(mechanism):
            if value.kind != "oo" and not value.nonnegative and not computed.is_at_least(value, ZERO, at):
                raise BadStep(f"what is promised of {mechanism.name} is not seen to be at least 0 there")


def exceed(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    claim: Any,
    point: Mapping[str, str],
    neighbours: int,
    bits: int,
    by: Sequence[int] | None = None,
) -> Found:
    """A claim with numbers is false where the curve of mechanisms that lose most is above its δ.

    by -- which mechanisms these are; left out, all that are no tables and no studies.
    """
    covered, *some = said(premises, Covers, Loses)
    guarantee, at = claimed(claim, setting, theory), comparison.read_point(point)
    allowed(at, setting, guarantee)
    stated, found = _as_stated(some, setting), _type(covered, neighbours)
    page = computed.check_refuted(
        guarantee.notion, guarantee.values, found, _chosen(stated, by), setting, theory, at, bits
    )
    refuted = Refuted(guarantee.notion, guarantee.values, tuple(sorted(at.items())))
    return refuted, frozenset({page, "decider curves"}) | _parts(theory)


def _chosen(stated: Sequence[Loss], by: Sequence[int] | None) -> list[Loss]:
    if by is None:
        return list(stated)
    if not isinstance(by, list) or not all(type(i) is int for i in by):
        raise BadStep("mechanisms are chosen by a list of their numbers")
    return [one for one in stated if one.mechanism in by]


def optimal(
    setting: Setting, theory: Theory, premises: Premises, *, key: str, certificate: Any = None
) -> Found:
    """No smaller value of a parameter is a guarantee: what witnesses lose is at least this one.

    Of a guarantee that says nothing: none holds that says anything, as more than any number is lost.
    """
    guarantee, *lowers = said(premises, Satisfies, Lower)
    if any((one.notion, one.key) != (guarantee.notion, key) for one in lowers):
        raise BadStep(f"what is lost is not {key} of {guarantee.notion} privacy")
    value, lost = dict(guarantee.values)[key], terms.top(1, [one.value for one in lowers])
    if any((one.kind == "oo") != (lost.kind == "oo") for _, one in guarantee.values):
        raise BadStep("a guarantee has oo where more than any number is lost, and only there")
    used = _at_least(setting, theory, guarantee.notion, key, lost, value, certificate)
    return Optimal(guarantee.notion, guarantee.values, key), _deciders(used)


def loose(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, key: str, point: Mapping[str, str]
) -> Found:
    """A claim is larger than a guarantee: in one parameter at a point, and there smaller in none."""
    known, guarantee = one_of(premises, Satisfies), claimed(claim, setting, theory)
    if known.notion != guarantee.notion:
        raise BadStep(f"the guarantee is about {known.notion}")
    _check_key(guarantee, key)
    at = comparison.read_point(point)
    used = {name: domain for name, domain in setting.parameters if name in at}
    for _, value in (*guarantee.values, *known.values):
        used |= value.letters
    comparison.check_allowed(at, used, setting.assumed)
    for (one, greater), (_, lesser) in zip(guarantee.values, known.values, strict=True):
        if one == key and greater.kind == "oo":
            formulas.at(lesser, at)
        elif one == key:
            comparison.check_larger(greater, lesser, _used(at, greater, lesser))
        elif greater != lesser and greater.kind != "oo" and not computed.is_at_least(greater, lesser, at):
            raise BadStep(f"{one} of the claim is not seen to be at least that of the guarantee there")
    return Loose(guarantee.notion, guarantee.values, tuple(sorted(at.items()))), frozenset()


EVERY = (
    *(given, noise, table, study, implies, choose, least, among, one_by_one, convert),
    *(compose, cover, worst, closer, curve, curve_standing, vacuous, trivial, change, weaken),
    *(attain, exceed, refute, optimal, loose),
)
RULES: Mapping[str, Callable[..., Found]] = {one.__name__: one for one in EVERY}
"""The rules by name; there are no others."""
