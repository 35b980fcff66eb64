"""The lines of a guarantee for neighbours as sentences: what each says in words, with its formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents import lines as kernel
from dpcompose.front.documents.captions import ALL_GUARANTEES, GIVEN, HYPOTHESIS, Captions
from dpcompose.front.documents.document import ON_TABLE, Formula, Mathematics, Private, Said, Step, formula
from dpcompose.front.documents.lines import Line
from dpcompose.front.documents.wording import all_of, all_said, in_letters, joined, of_page
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.expressions import formulas as kernel_formulas
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term
from dpcompose.language.decimals import decimal
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import private_in_a_metric
from dpcompose.privacy.settings import Setting
from dpcompose.proof.registry import Theory

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.notions import Guarantee

MOST_VECTORS = 12
"""How many profile vectors a line shows before it counts the rest."""


LONG = 40
"""From how many characters on what is read is told as text, which can be broken."""


# steps


def steps(lines: Sequence[Line], by: Captions, before: str = "") -> tuple[Step, ...]:
    """The lines as steps, with those that they have as evidence."""
    return tuple(_step(line, by, before) for line in lines)


def _step(line: Line, by: Captions, before: str) -> Step:
    inner = by.within(line)
    below = () if inner is None else steps(inner.lines, inner, f"{before}{line.n}.")
    page = by.theory.pages[line.by] if line.by not in (GIVEN, HYPOTHESIS, ALL_GUARANTEES) else None
    item = "" if page is None else page.cite(by.notion, by.setting.adaptive)
    return Step(line.n, sentence(line, by), _checked(line, by.setting), page, item, line.uses, before, below)


def _checked(line: Line, setting: Setting) -> str:
    """How a line that is by no page was checked."""
    match line.judgement:
        case kernel.Declared() as said:
            return said.covered
        case kernel.Holds() as said:
            return f"checked: {in_letters_of(setting, said.covered)}"
        case kernel.Tabled():
            return ON_TABLE
        case kernel.Composed():
            return "by the lines below"
    return line.by


def sentence(line: Line, by: Captions) -> Said:
    """A line's judgement in words."""
    said, setting = line.judgement, by.setting
    names = [mechanism.name for mechanism in setting.mechanisms]
    some = all_of([names[i - 1] for i in getattr(said, "mechanisms", ())])
    match said:
        case kernel.Given() | kernel.Releases():
            return given(said, by)
        case kernel.PrivateInValue():
            return _private_in_value(said, names)
        case kernel.PrivateInInput():
            metrics = dict.fromkeys(said.metrics)
            where = (
                "; ".join(metrics)
                if len(metrics) <= 4
                else f"{len(metrics)} metrics, by {next(iter(metrics))}, ..."
            )
            return [f"{some}: the guarantee holds in the distance of what is read ({where})"]
        case kernel.Processed():
            return [f"{some}, then {said.words}: a function of the output keeps the guarantee"]
        case kernel.Filtered():
            return [f"{some}: what a filter stops has the guarantee of its total, whatever is asked"]
        case kernel.Dealt():
            return [
                f"{some}: where a record is replaced, one input has it replaced, whichever it is dealt to"
            ]
        case kernel.Sampled():
            return _sampled(said, names, by)
        case kernel.Converted():
            return _converted(said, names, by)
        case kernel.Loss():
            return _loss(said, by, names)
        case kernel.Profile():
            return _profile(said, setting)
        case kernel.Holds():
            return in_letters(in_letters_of(setting, said.hypothesis))
        case kernel.Private():
            shown = _dp(said.notion, said.parameters, by)
            return [f"the composition is {said.granularity} ", *shown, f", on {said.databases}"]
        case kernel.Optimal():
            values = _values(said.parameters, setting)
            return ["no smaller guarantee holds for all such mechanisms: ", *values, " is attained"]
    raise TypeError(f"{said} is no judgement")


def _sampled(said: kernel.Sampled, names: Sequence[str], by: Captions) -> Said:
    shown = [
        [f"{names[i - 1]} is {said.granularity} ", *_dp(said.notion, values, by)]
        for i, values in zip(said.mechanisms, said.parameters, strict=True)
    ]
    return ["on samples that each draws for itself and does not publish, ", *all_said(shown)]


def _converted(said: kernel.Converted, names: Sequence[str], by: Captions) -> Said:
    shown = [
        [f"{names[i - 1]} keeps ", *_dp(said.notion, values, by)]
        for i, values in zip(said.mechanisms, said.parameters, strict=True)
    ]
    r = Mathematics("r", letter_of_distances(by.setting))
    return ["where the inputs move by ", r, ", ", *all_said(shown)]


def _loss(said: kernel.Loss, by: Captions, names: Sequence[str]) -> Said:
    """What the composition loses where the inputs move."""
    moves = list[Said]()
    for i, mechanism in enumerate(by.setting.mechanisms, start=1):
        query = f"{mechanism.query.words} of " if mechanism.query is not None else ""
        moves.append([query, read_of(mechanism), " moves by ", _distance(by.setting, i)])
    where = all_said(moves, most=4)
    unlimited = all_of([names[i - 1] for i in said.unlimited])
    none = f"; without guarantee where {unlimited} moves" if said.unlimited else ""
    return ["the composition has loss ", *_values(said.parameters, by.setting), " where ", *where, none]


def _private_in_value(said: kernel.PrivateInValue, names: list[str]) -> Said:
    """What the noise gives: its density, its loss, and the step that bounds it."""
    letters = [_equation(name, formula(value)) for name, value in dict.fromkeys(said.parameters)]
    few = all_said(letters) if len(letters) <= 4 else [*letters[0], ", ..."]
    metrics = dict.fromkeys(said.metrics)
    moves = "; ".join(metrics) if len(metrics) <= 4 else f"{next(iter(metrics))}, ..."
    y, x, z, r = (Mathematics(one, one) for one in "yxzr")
    return [
        f"{all_of([names[i - 1] for i in said.mechanisms])}: an output ",
        *(y, " has density ", of_page(said.density), " at a value ", x, " (", *few),
        *("), so its loss against a value ", z, " is ", of_page(said.loss), f", {said.compared} "),
        *(of_page(said.bound), " (", *in_letters(said.because), "); ", r),
        f" is {moves}",
    ]


def _profile(said: kernel.Profile, setting: Setting) -> Said:
    k = len(setting.mechanisms)
    if not said.vectors:
        return [f"no two databases are {said.target} neighbours ({said.covered})"]
    shown = list[Said]()
    for vector in said.vectors[:MOST_VECTORS]:
        known = dict(vector)
        entries = (
            [_moved(known.get(i, UNMOVED)) for i in range(1, k + 1)]
            if k <= 8
            else [[_distance(setting, i), "=", *_moved(r)] for i, r in vector]
        )
        shown.append(["(", *all_said(entries, most=k), ")"])
    more = f" and {len(said.vectors) - MOST_VECTORS} more" if len(said.vectors) > MOST_VECTORS else ""
    vectors = all_said(shown, most=MOST_VECTORS)
    return [f"{said.target} neighbours move the inputs by at most ", *vectors, f"{more} ({said.covered})"]


UNMOVED = kernel.Moved(((None, ZERO),))


def _moved(entry: kernel.Moved) -> Said:
    """How far an input moves: 1, or 2 by 1 of the members of a family."""
    return all_said([[*_members(many), formula(far)] for many, far in entry.by])


def _members(many: Term | str | None) -> Said:
    """How many members of a family move, before by how much; nothing where it is no family."""
    return [] if many is None else [many if isinstance(many, str) else formula(many), " by "]


# guarantees


def given(said: kernel.Given | kernel.Releases, by: Captions) -> Said:
    """A mechanism's guarantee in words, or what it does."""
    mechanism = by.setting.mechanisms[said.mechanism - 1]
    name, reads = name_of(mechanism), read_of(mechanism)
    if isinstance(said, kernel.Releases):
        every = f"; records come {said.attributes} of the attribute" if said.attributes else ""
        released = [*name, f" releases {said.query} of ", reads, " with "]
        return [*released, *noise_said(mechanism), every]
    if isinstance(said, kernel.InMetric):
        metric = joined([[of_page(text)] for _, text in said.parameters], ", with delta ")
        own: Said = [", as a map on ", reads]
        read: Mapping[str, Said] = {"everything": [], "common": [" and depends only on ", reads]}
        about = read.get(said.domain, own)
        return [*name, f" is {private_in_a_metric(said.notion)} ", *metric, *about]
    domains: Mapping[str, Said] = {
        "common": [" as a map on the whole class, and depends only on ", reads],
        "own": [" as a map on ", reads],
        "everything": [" on the whole class"],
    }
    where = domains[said.domain]
    kind = "an interaction that a filter stops at " if mechanism.filtered else ""
    if isinstance(said, kernel.OnSamples):
        kind = f"run on a sample ({said.sample}), and on samples is "
    return [*name, f" is {kind}{said.granularity} ", *_guaranteed(said, by), *where]


def name_of(mechanism: Mechanism) -> Said:
    """A mechanism's name, or that of all members of a family."""
    count = mechanism.members
    if count is None:
        return [mechanism.name]
    each = Mathematics(f"i = 1..{count}", rf"i = 1, \dots, {count}".replace("*", " "))
    return [mechanism.name, Mathematics("[i]", "_{i}"), ", ", each, ","]


def read_of(mechanism: Mechanism) -> Formula:
    """What a mechanism reads of D, as a formula; as text where it is too long for one line."""

    def image(written: str) -> Any:
        if len(written) > LONG:
            return None
        from dpcompose.spaces.inputs import expressions

        return expressions.image_of(mechanism.reads, *expressions.databases("D"))

    return Formula(mechanism.reads.written("D"), image)


def noise_said(mechanism: Mechanism) -> Said:
    """The noise of a mechanism that has some, with its parameters as formulas."""
    assert mechanism.noise is not None
    front, *rest = mechanism.noise.kind.words.split("{}")
    return [
        front,
        *(part for x, after in zip(mechanism.noise.terms, rest, strict=True) for part in (formula(x), after)),
    ]


def guarantee(said: kernel.Private, theory: Theory, setting: Setting) -> Said:
    """A guarantee in words: bounded (e1 + e2)-DP."""
    return [f"{said.granularity} ", private(said.notion, said.parameters, theory, setting)]


def private(notion: str, parameters: kernel.Values, theory: Theory, setting: Setting) -> Private:
    """The same for no neighbours in particular."""
    values = tuple(_formula(setting, value) for _, value in parameters)
    return Private(values, called(notion, theory, setting.orders))


def claimed(said: Guarantee, theory: Theory, rounded: bool = False) -> Private:
    """A guarantee that somebody claims; rounded -- numbers as decimals, where it is text."""
    texts = dict(decimals(said)) if rounded else said.written()
    values = said.shown if said.curve is None else tuple((key, said.curve.value) for key, _ in said.terms)
    shown = tuple(Formula(texts[key], _reading(value)) for key, value in values)
    return Private(shown, called(said.notion, theory, None if said.curve is None else said.curve.orders))


def called(notion: str, theory: Theory, orders: Orders | None) -> str:
    """What a guarantee is called after its values; of divergences with the orders that it is about."""
    name = theory.called(notion)
    return f"{name} for orders {orders}" if orders is not None and theory.rule(notion).head.ordered else name


def _reading(value: Term) -> Callable[[str], sympy.Expr]:
    """The expression that a term is."""

    def read(_: str) -> sympy.Expr:
        from dpcompose.language import formulas

        return formulas.expression(value)

    return read


def decimals(said: Guarantee) -> kernel.Texts:
    """A guarantee's parameters, numbers as decimals."""
    return tuple(
        (key, kernel_formulas.to_text(x) if x.number is None else decimal(x.number)) for key, x in said.shown
    )


def _guaranteed(said: kernel.Given, by: Captions) -> Said:
    """What a mechanism is said to satisfy; of divergences with its own orders."""
    curve = by.setting.mechanisms[said.mechanism - 1].satisfies.curve
    return _dp(said.notion, said.parameters, by, None if curve is None else curve.orders)


def _dp(notion: str, parameters: kernel.Values, by: Captions, orders: Orders | None = None) -> Said:
    """A guarantee between texts: the brackets are text."""
    found = private(notion, parameters, by.theory, by.setting)
    if orders is not None:
        found = replace(found, called=called(notion, by.theory, orders))
    before, after = found.brackets
    values = joined([[one] for one in found.values], ", ")
    return [before, *values, f"{after}-{found.called}"]


def _values(parameters: kernel.Values, setting: Setting) -> Said:
    """Values, with their names where there are several."""
    if len(parameters) == 1:
        return [_formula(setting, parameters[0][1])]
    return all_said([_equation(key, _formula(setting, value)) for key, value in parameters])


def _equation(name: str, value: Formula) -> Said:
    """b = 1/e: a letter with what it stands for."""
    return [of_page(name), " = ", value]


# formulas


def _formula(setting: Setting, value: Term) -> Formula:
    """A formula in parameters and distances, which have a letter that is no parameter's."""

    def shown(_: str) -> sympy.Expr:
        from dpcompose.language import formulas

        far = {
            one: terms.letter(_name(setting, i), NONNEGATIVE) for i, one in distances if one in value.letters
        }
        return formulas.expression(substitution.substituted(value, far) if far else value)

    distances = [(i, f"r[{i}]") for i in range(1, len(setting.mechanisms) + 1)]
    return Formula(kernel_formulas.to_text(value), shown)


def letter_of_distances(setting: Setting) -> str:
    """What distances are printed as: r, or a letter that is no parameter's."""
    return _letter(setting, ("r", "s", "t", "h", "u", "v", "distance"))


def in_letters_of(setting: Setting, text: str) -> str:
    """What is said of the maps p and their number k, in other letters where parameters have these."""
    own = {"p": _letter(setting, ("p", "q", "f", "g", "parts"))}
    own["k"] = "k" if setting.families else _letter(setting, ("k", "m", "n", "j", "number"))
    return re.sub(r"(?<![A-Za-z'])[pk](?![A-Za-z])", lambda letter: own[letter[0]], text)


def _letter(setting: Setting, letters: Sequence[str]) -> str:
    """The first of some letters that is no parameter's."""
    taken = {re.split(r"[^A-Za-z]", name)[0] for name in setting.domains}
    return next(letter for letter in letters if letter not in taken)


def _distance(setting: Setting, i: int) -> Formula:
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
    lines: Sequence[Line], by: Captions, checked: bool | None = None, before: str = ""
) -> Iterator[Said]:
    """What the setting states of mechanisms, also in compositions among them; with what their tables show.

    checked -- only what is checked so, or only what is not.
    """
    for line in lines:
        said = line.judgement
        inner = by.within(line) if isinstance(said, kernel.Composed) else None
        if isinstance(said, kernel.Composed) and inner is not None:
            yield from stated(inner.lines, inner, checked, f"{before}in {said.name}, ")
        elif isinstance(said, kernel.Given | kernel.Releases) and kernel.believed(said) is not checked:
            yield [before, *given(said, by), _on_table(said, by.setting)]


def _on_table(said: kernel.Given | kernel.Releases, setting: Setting) -> str:
    """What the table of a mechanism shows of its guarantee."""
    found = setting.on_tables.get(said.name)
    if found is None:
        return ""
    return f", checked on its table ({found.words})" if found.holds else f"; its table leaves it {found}"


def dependence(setting: Setting, before: str = "") -> Iterator[str]:
    """What is assumed of how mechanisms and what they read depend on each other, also in compositions, and of
    parameters."""
    if setting.several:
        yield before + _independent(setting)
    if setting.assume and not before:
        yield relations(setting)
    yield from (before + one for one in setting.beside)
    for f in dict.fromkeys(one.reads for one in setting.mechanisms if one.reads.divided):
        if f.most != ONE:
            most = kernel_formulas.to_text(f.most)
            yield f"{before}every record lies in at most {most} of the {f.parts} parts of {f.partition}"
    for one in setting.mechanisms:
        if one.processing:
            yield f"{before}what is done to the output of {one.name} ({one.processing}) reads nothing else"
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
