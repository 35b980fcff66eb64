"""What is said of guarantees for neighbours: in words, with formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents.captions import Captions, Guaranteed, Values, written
from dpcompose.front.documents.document import ON_TABLE, Step, unchecked
from dpcompose.front.documents.wording import all_said, joined, of_each, of_page
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.expressions import formulas as kernel_formulas
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.language.decimals import decimal
from dpcompose.language.said import (
    Formula,
    Mathematics,
    Part,
    Private,
    Said,
    Words,
    formula,
    listed,
    mathematics,
    parts_of,
    plain,
    reason,
    same,
)
from dpcompose.language.tangents import with_tangents
from dpcompose.privacy.guarantees.notions import private_in_a_metric
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting, inside
from dpcompose.proof.hypotheses.evidence import P_I, K, P
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.spaces.inputs.written import image

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.guarantees.notions import Guarantee

# what mechanisms do


def in_values_of_noise(
    names: Sequence[str],
    head: Any,
    letters: Sequence[tuple[tuple[str, Term], ...]],
    metrics: Sequence[str],
) -> Said:
    """What the noise of a page gives some mechanisms: its density, its loss, and the step that bounds it.

    letters -- what the letters of the page are for each; metrics -- in which norm the value of each moves.
    """

    def equations(some: tuple[tuple[str, Term], ...]) -> Said:
        return all_said([equation(name, formula(value)) for name, value in some])

    if all(formula(value).text == name for values in letters for name, value in values):
        where: Said = []  # a letter that is called as on the page
    else:
        between = "; " if len(letters[0]) > 1 else ", "
        where = [" (", *of_each(names, letters, equations, between), ")"]
    moves = of_each(names, metrics, lambda words: [words], "; ")
    compared, bound = head.bound
    y, x, z, r = (Mathematics(letter, letter) for letter in "yxzr")
    return [
        f"{listed(names)}: an output ",
        *(y, " has density ", of_page(head.density), " at a value ", x, *where),
        *(", so its loss against a value ", z, " is ", of_page(head.loss), f", {compared} "),
        *(of_page(bound), " (", *reason(head.because), "); ", r),
        *(" is ", *moves),
    ]


def statement(i: int, loss: Loss, by: Captions) -> Said:
    """What the setting states of M_i: its guarantee, or what it does."""
    mechanism = by.setting.mechanisms[i - 1]
    name, reads, stated = name_of(mechanism), image(mechanism.reads), mechanism.satisfies
    if (query := mechanism.query) is not None and mechanism.noise is not None:
        every = "; records come with every value of the attribute" if query.attribute else ""
        return [*name, f" releases {query.words} of ", reads, " with ", mechanism.noise.words, every]
    if stated.metric is not None:
        metric = joined([[of_page(text)] for _, text in stated.metric.said], ", with delta ")
        read: Mapping[str, Said] = {"": [], "common": [" and depends only on ", reads]}
        about = read.get(stated.domain or "", [", as a map on ", reads])
        return [*name, f" is {private_in_a_metric(loss.notion)} ", *metric, *about]
    domains: Mapping[str, Said] = {
        "common": [" as a map on the whole class, and depends only on ", reads],
        "own": [" as a map on ", reads],
        "": [" on the whole class"],
    }
    kind = "an interaction that a filter stops at " if mechanism.filtered else ""
    granularity = stated.granularity
    curve = stated.curve if stated.notion == loss.notion else None
    values = loss.values if curve is None else tuple((key, curve.value) for key, _ in loss.values)
    if mechanism.sampled is not None:
        on, *_ = mechanism.sampled.on_samples
        kind = f"run on a sample ({mechanism.sampled.by}), and on samples is "
        granularity, values = on.granularity, on.terms
    orders = None if stated.curve is None else stated.curve.orders
    sentence = satisfied(loss.notion, written(values), by, orders)
    return [*name, f" is {kind}{granularity or ''} ", *sentence, *domains[stated.domain or ""]]


def name_of(mechanism: Mechanism) -> Said:
    """A mechanism's name, or that of all members of a family."""
    count = mechanism.members
    if count is None:
        return [mechanism.name]
    each = Mathematics(f"i = 1..{count}", rf"i = 1, \dots, {count}".replace("*", " "))
    return [mechanism.name, Mathematics("[i]", "_{i}"), ", ", each, ","]


def guarantee(said: Guaranteed, theory: Theory, setting: Setting) -> Said:
    """A guarantee in words: bounded (e1 + e2)-DP."""
    return [f"{said.granularity} ", private(said.notion, said.parameters, theory, setting)]


def private(notion: str, parameters: Values, theory: Theory, setting: Setting) -> Private:
    """The same for no neighbours in particular."""
    values = tuple(_formula(setting, value) for _, value in parameters)
    return Private(values, called(notion, theory, setting.orders))


def claimed(said: Guarantee, theory: Theory, rounded: bool = False) -> Private:
    """A guarantee that somebody claims; rounded -- numbers as decimals, where it is text."""
    texts = dict(decimals(said)) if rounded else said.written()
    values = said.shown if said.curve is None else tuple((key, said.curve.value) for key, _ in said.terms)
    shown = tuple(Formula(texts[key], _reading(value)) for key, value in values)
    return Private(shown, called(said.notion, theory, None if said.curve is None else said.curve.orders))


def called(notion: str, theory: Theory, orders: Orders | None) -> Words:
    """What a guarantee is called after its values; of divergences with the orders that it is about."""
    name = theory.called(notion)
    about = orders is not None and theory.rule(notion).head.ordered
    return Words(name, " for orders ", mathematics(str(orders))) if about else Words(name)


def _reading(value: Term) -> Callable[[str], sympy.Expr]:
    """The expression that a term is."""

    def read(_: str) -> sympy.Expr:
        from dpcompose.language import formulas

        return formulas.expression(value)

    return read


def decimals(said: Guarantee) -> tuple[tuple[str, str], ...]:
    """A guarantee's parameters, numbers as decimals."""
    return tuple(
        (key, kernel_formulas.to_text(with_tangents(x)) if x.number is None else decimal(x.number))
        for key, x in said.shown
    )


def satisfied(notion: str, parameters: Values, by: Captions, orders: Orders | None = None) -> Said:
    """A guarantee between texts: the brackets are text."""
    guaranteed = private(notion, parameters, by.theory, by.setting)
    if orders is not None:
        guaranteed = replace(guaranteed, called=called(notion, by.theory, orders))
    before, after = guaranteed.brackets
    values = joined([[value] for value in guaranteed.values], ", ")
    return [before, *values, f"{after}-", guaranteed.called]


def values_said(parameters: Values, setting: Setting) -> Said:
    """Values, with their names where there are several."""
    if len(parameters) == 1:
        return [_formula(setting, parameters[0][1])]
    return all_said([equation(key, _formula(setting, value)) for key, value in parameters])


def equation(name: str, value: Formula) -> Said:
    """b = 1/e: a letter with what it stands for."""
    return [of_page(name), " = ", value]


# formulas


def _formula(setting: Setting, value: Term) -> Formula:
    """A formula in parameters and distances, which have a letter that is no parameter's."""

    def shown(_: str) -> sympy.Expr:
        from dpcompose.language import formulas

        far = {
            name: terms.letter(_name(setting, i), NONNEGATIVE)
            for i, name in distances
            if name in value.letters
        }
        return formulas.expression(substitution.substituted(value, far) if far else value)

    distances = [(i, f"r[{i}]") for i in range(1, len(setting.mechanisms) + 1)]
    return Formula(kernel_formulas.to_text(with_tangents(value)), shown)


def letter_of_distances(setting: Setting) -> str:
    """What distances are printed as: r, or a letter that is no parameter's."""
    return _letter(setting, ("r", "s", "t", "h", "u", "v", "distance"))


def letters_of_maps(setting: Setting) -> tuple[str, str]:
    """What the maps p and their number k are printed as: these, or letters that are no parameter's."""
    p = _letter(setting, ("p", "q", "f", "g", "parts"))
    return p, "k" if setting.families else _letter(setting, ("k", "m", "n", "j", "number"))


def in_letters_of(setting: Setting, words: str) -> Said:
    """What is said of the maps p and their number k, in other letters where parameters have these."""
    p, k = letters_of_maps(setting)
    own: dict[Part, Part] = {P: same(p), P_I: same(f"{p}_i"), K: same(k)}
    return [own.get(part, part) for part in parts_of(words)]


def _letter(setting: Setting, letters: Sequence[str]) -> str:
    """The first of some letters that is no parameter's."""
    taken = {re.split(r"[^A-Za-z]", name)[0] for name in setting.domains}
    return next(letter for letter in letters if letter not in taken)


def distance(setting: Setting, i: int) -> Formula:
    """r[i]: how far the input of M_i moves."""
    return _formula(setting, terms.letter(f"r[{i}]", NONNEGATIVE))


def _name(setting: Setting, i: int) -> str:
    """What is printed for r[i]: of a family the distance has the number of the member."""
    r = letter_of_distances(setting)
    if setting.mechanisms[i - 1].members is None:
        return f"{r}[{i}]"
    return f"{r}[i]" if len(setting.mechanisms) == 1 else f"{r}{i}[i]"


# what is assumed


def stated(
    steps: Sequence[Step], setting: Setting, checked: bool | None = None, before: str = ""
) -> Iterator[Said]:
    """What the setting states, also of compositions among its mechanisms; with what tables of these show.

    steps -- the derivation; checked -- only what is checked so, or only what is not.
    """
    for step in (assumed for assumed in steps if assumed.is_assumed or assumed.below):
        named = [setting.mechanisms[i - 1] for i in step.about[:1]]
        if step.below and (study := inside(named[0])) is not None:
            yield from stated(step.below, study, checked, f"{before}in {named[0].name}, ")
        elif (step.checked != ON_TABLE) is not checked:
            yield [before, *step.said, *(_on_table(mechanism, setting) for mechanism in named)]


def assumptions(steps: Sequence[Step], setting: Setting, relies_on: Iterable[Page]) -> list[str]:
    """What a derivation assumes, as sentences."""
    sentences = map(plain, stated(steps, setting))
    return [*sentences, *dependence(setting), *registry.believed(relies_on)]


def without_check(steps: Sequence[Step], setting: Setting, relies_on: Iterable[Page]) -> str:
    """The same that nothing checked: steps by their numbers, how mechanisms depend on each other, pages."""
    besides = [f"that {sentence}" for sentence in dependence(setting)]
    return ", ".join([*unchecked(steps), *besides, *registry.believed(relies_on)]) or "nothing"


def _on_table(mechanism: Mechanism, setting: Setting) -> str:
    """What the table of a mechanism shows of its guarantee."""
    stated_in_steps = mechanism.table is not None and mechanism.satisfies.metric is None
    finding = setting.on_tables.get(mechanism.name) if stated_in_steps else None
    if finding is None:
        return ""
    return (
        f", checked on its table ({finding.words})" if finding.holds else f"; its table leaves it {finding}"
    )


def dependence(setting: Setting, before: str = "") -> Iterator[str]:
    """What is assumed of how mechanisms and what they read depend on each other, also in compositions, and of
    parameters."""
    if setting.several:
        yield before + _independent(setting)
    if setting.assume and not before:
        yield relations(setting)
    yield from (before + sentence for sentence in setting.beside)
    for f in dict.fromkeys(mechanism.reads for mechanism in setting.mechanisms if mechanism.reads.divided):
        if f.most != ONE:
            most = kernel_formulas.to_text(f.most)
            yield f"{before}every record lies in at most {most} of the {f.parts} parts of {f.partition}"
    for mechanism in setting.mechanisms:
        if mechanism.processing:
            name, processing = mechanism.name, mechanism.processing
            yield f"{before}what is done to the output of {name} ({processing}) reads nothing else"
    for name, study in setting.studies.items():
        yield from dependence(study, f"{before}in {name} ")


def relations(setting: Setting) -> str:
    """What is assumed of the parameters."""
    return " and ".join(map(str, setting.assume))


def _independent(setting: Setting) -> str:
    """What is assumed of how the mechanisms depend on each other."""
    if not setting.adaptive:
        return "the mechanisms are independent"
    return (
        "each guarantee holds whatever the earlier outputs are, and what a mechanism reads does not depend "
        "on them"
    )
