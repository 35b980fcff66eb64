"""The lines of a guarantee for neighbours as sentences: what each says in words, with its formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dpcompose.front.documents import lines as kernel
from dpcompose.front.documents.captions import ALL_GUARANTEES, GIVEN, HYPOTHESIS, Captions
from dpcompose.front.documents.document import Formula, Private, Said, Step
from dpcompose.front.documents.lines import Line
from dpcompose.kernel.core.orders import ALPHA, Orders
from dpcompose.kernel.expressions import formulas as kernel_formulas
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.language.decimals import decimal
from dpcompose.privacy.settings import Setting
from dpcompose.proof.registry import Theory

if TYPE_CHECKING:
    import sympy

    from dpcompose.privacy.notions import Guarantee

MOST_VECTORS = 12
"""How many profile vectors a line shows before it counts the rest."""


# steps


def steps(lines: Sequence[Line], by: Captions, before: str = "") -> tuple[Step, ...]:
    """The lines as steps, with those that they have as evidence."""
    return tuple(_step(line, by, before) for line in lines)


def _step(line: Line, by: Captions, before: str) -> Step:
    inner = by.within(line)
    below = () if inner is None else steps(inner.lines, inner, f"{before}{line.n}.")
    page = by.theory.pages[line.by] if line.by not in (GIVEN, HYPOTHESIS, ALL_GUARANTEES) else None
    item = "" if page is None else page.cite(by.notion, by.setting.adaptive)
    return Step(line.n, sentence(line, by), _checked(line), page, item, line.uses, before, below)


def _checked(line: Line) -> str:
    """How a line that is by no page was checked."""
    match line.judgement:
        case kernel.Declared() as said:
            return said.covered
        case kernel.Holds() as said:
            return f"checked: {said.covered}"
        case kernel.Tabled():
            return "checked on its table"
        case kernel.Composed():
            return "by the lines below"
    return line.by


def sentence(line: Line, by: Captions) -> Said:
    """A line's judgement in words."""
    said, setting = line.judgement, by.setting
    names = [mechanism.name for mechanism in setting.mechanisms]
    match said:
        case kernel.Given() | kernel.Releases():
            return given(said, by)
        case kernel.PrivateInValue():
            return [_private_in_value(said, names)]
        case kernel.PrivateInInput():
            metrics = dict.fromkeys(said.metrics)
            where = (
                "; ".join(metrics)
                if len(metrics) <= 4
                else f"{len(metrics)} metrics, by {next(iter(metrics))}, ..."
            )
            some = all_of([names[i - 1] for i in said.mechanisms])
            return [f"{some}: the guarantee holds in the distance of what is read ({where})"]
        case kernel.Processed():
            some = all_of([names[i - 1] for i in said.mechanisms])
            return [f"{some}, then {said.words}: a function of the output keeps the guarantee"]
        case kernel.Filtered():
            some = all_of([names[i - 1] for i in said.mechanisms])
            return [f"{some}: what a filter stops has the guarantee of its total, whatever is asked"]
        case kernel.Dealt():
            some = all_of([names[i - 1] for i in said.mechanisms])
            return [
                f"{some}: where a record is replaced, one input has it replaced, whichever it is dealt to"
            ]
        case kernel.Sampled():
            return [_sampled(said, names, by)]
        case kernel.Converted():
            return [_converted(said, names, by)]
        case kernel.Loss():
            return _loss(said, by, names)
        case kernel.Profile():
            return [_profile(said, len(names))]
        case kernel.Holds():
            return [said.hypothesis]
        case kernel.Private():
            return [f"the composition is {said.granularity} ", *_dp(said, by), f", on {said.databases}"]
        case kernel.Optimal():
            values = _values(said.parameters, setting)
            return ["no smaller guarantee holds for all such mechanisms: ", *values, " is attained"]
    raise TypeError(f"{said} is no judgement")


def _sampled(said: kernel.Sampled, names: Sequence[str], by: Captions) -> str:
    shown = [
        f"{names[i - 1]} is {said.granularity} {private(said.notion, values, by.theory, by.setting).text}"
        for i, values in zip(said.mechanisms, said.parameters, strict=True)
    ]
    return f"on samples that each draws for itself and does not publish, {all_of(shown)}"


def _converted(said: kernel.Converted, names: Sequence[str], by: Captions) -> str:
    shown = [
        f"{names[i - 1]} keeps {private(said.notion, values, by.theory, by.setting).text}"
        for i, values in zip(said.mechanisms, said.parameters, strict=True)
    ]
    return f"where the inputs move by r, {all_of(shown)}"


def _loss(said: kernel.Loss, by: Captions, names: Sequence[str]) -> Said:
    """What the composition loses where the inputs move."""
    reads = [
        (f"{mechanism.query.words} of " if mechanism.query is not None else "") + mechanism.reads.written("D")
        for mechanism in by.setting.mechanisms
    ]
    moves = [f"{x} moves by r[{i}]" for i, x in enumerate(reads, start=1)]
    where = ", ".join(moves) if len(moves) <= 4 else f"{moves[0]}, ..., {moves[-1]}"
    unlimited = all_of([names[i - 1] for i in said.unlimited])
    none = f"; without guarantee where {unlimited} moves" if said.unlimited else ""
    return ["the composition has loss ", *_values(said.parameters, by.setting), f" where {where}{none}"]


def _private_in_value(said: kernel.PrivateInValue, names: list[str]) -> str:
    """What the noise gives: its density, its loss, and the step that bounds it."""
    letters = list(dict.fromkeys(said.parameters))
    few = ", ".join(letters) if len(letters) <= 4 else f"{letters[0]}, ..."
    metrics = dict.fromkeys(said.metrics)
    moves = "; ".join(metrics) if len(metrics) <= 4 else f"{next(iter(metrics))}, ..."
    return (
        f"{all_of([names[i - 1] for i in said.mechanisms])}: an output y has density {said.density} at a "
        f"value x ({few}), so its loss against a value z is {said.loss}, {said.then} "
        f"({said.because}); r is {moves}"
    )


def _profile(said: kernel.Profile, k: int) -> str:
    if not said.vectors:
        return f"no two databases are {said.target} neighbours ({said.covered})"
    shown = []
    for vector in said.vectors[:MOST_VECTORS]:
        entries = dict(vector)
        if k <= 8:
            shown.append(f"({', '.join(entries.get(i, '0') for i in range(1, k + 1))})")
        else:
            shown.append("(" + ", ".join(f"r[{i}]={r}" for i, r in vector) + ")")
    more = f" and {len(said.vectors) - MOST_VECTORS} more" if len(said.vectors) > MOST_VECTORS else ""
    return f"{said.target} neighbours move the inputs by at most {', '.join(shown)}{more} ({said.covered})"


# guarantees


def given(said: kernel.Given | kernel.Releases, by: Captions) -> Said:
    """A mechanism's guarantee in words, or what it does."""
    if isinstance(said, kernel.Releases):
        every = f"; records come {said.attributes} of the attribute" if said.attributes else ""
        return [f"{said.name} releases {said.query} of {said.reads} with {said.noise}{every}"]
    if isinstance(said, kernel.InMetric):
        called = "" if said.notion == "pure" else f"{said.notion}-"
        metric = ", with delta ".join(text for _, text in said.parameters)
        read = {"everything": "", "common": f" and depends only on {said.reads}"}
        about = read.get(said.domain, f", as a map on {said.reads}")
        return [f"{said.name} is {called}private in the metric {metric}{about}"]
    where = {
        "common": f"as a map on the whole class, and depends only on {said.reads}",
        "own": f"as a map on {said.reads}",
        "everything": "on the whole class",
    }[said.domain]
    stopped = by.setting.mechanisms[said.mechanism - 1].filtered
    kind = "an interaction that a filter stops at " if stopped else ""
    if isinstance(said, kernel.OnSamples):
        drawn = f"{said.name} is run on a sample ({said.sample}), and on samples is {said.granularity} "
        return [drawn, *_dp(said, by), f" {where}"]
    return [f"{said.name} is {kind}{said.granularity} ", *_dp(said, by), f" {where}"]


def guarantee(said: kernel.Private, theory: Theory, setting: Setting) -> Said:
    """A guarantee in words: bounded (e1 + e2)-DP."""
    return [f"{said.granularity} ", private(said.notion, said.parameters, theory, setting)]


def private(notion: str, parameters: kernel.Values, theory: Theory, setting: Setting) -> Private:
    """The same for no neighbours in particular."""
    read = partial(_read, setting)
    values = tuple(Formula(text, read) for _, text in parameters)
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


def decimals(said: Guarantee) -> kernel.Values:
    """A guarantee's parameters, numbers as decimals."""
    return tuple(
        (key, kernel_formulas.to_text(x) if x.number is None else decimal(x.number)) for key, x in said.shown
    )


def _dp(said: kernel.Given | kernel.Private, by: Captions) -> Said:
    """The same between texts: the brackets are text."""
    found = private(said.notion, said.parameters, by.theory, by.setting)
    curve = (
        by.setting.mechanisms[said.mechanism - 1].satisfies.curve if isinstance(said, kernel.Given) else None
    )
    if curve is not None:
        found = replace(found, called=called(said.notion, by.theory, curve.orders))
    before, after = found.brackets
    values = [Formula(one.text, partial(_parsed, by.setting)) for one in found.values]
    shown = [part for n, one in enumerate(values) for part in (", " if n else before, one)]
    return [*shown, f"{after}-{found.called}"]


def _values(parameters: kernel.Values, setting: Setting) -> Said:
    """Values, with their names where there are several."""
    read = partial(_parsed, setting)
    if len(parameters) == 1:
        return [Formula(parameters[0][1], read)]
    named = ((f"{', ' if n else ''}{key} = ", value) for n, (key, value) in enumerate(parameters))
    return [part for key, value in named for part in (key, Formula(value, read))]


def _read(setting: Setting, text: str) -> sympy.Expr:
    """A formula in the parameters of a setting."""
    from dpcompose.language import formulas

    return formulas.parse(text, setting.symbols)


def _symbols(setting: Setting) -> Mapping[str, sympy.Expr]:
    """The parameters, and the order of divergences, of which guarantees are functions."""
    from dpcompose.language.symbols import symbol

    order = {} if setting.orders is None else {ALPHA: symbol(ALPHA, Orders.read("(1, oo)").domain)}
    return {**order, **setting.symbols}


def _parsed(setting: Setting, text: str) -> sympy.Expr | None:
    """A formula of a line, in parameters and distances; None for what stays text."""
    from dpcompose.language import formulas
    from dpcompose.language.symbols import NONNEGATIVE, symbol

    r = [symbol(f"r[{i}]", NONNEGATIVE) for i in range(1, len(setting.mechanisms) + 1)]
    families = {"r": r} if "r[" in text else None
    try:
        return formulas.parse(text, _symbols(setting), families, index="i")
    except formulas.FormulaError:
        return None


def all_of(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{names[0]}, ..., {names[-1]}"


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
