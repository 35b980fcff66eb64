"""How results read: derivations, theorem lists, verdicts and counterexamples as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dpcompose.front import lines as kernel
from dpcompose.front.bound import Bound
from dpcompose.front.captions import GIVEN, HYPOTHESIS, Captions
from dpcompose.front.lines import Line
from dpcompose.front.verdict import Verdict
from dpcompose.kernel.terms import ONE
from dpcompose.language import formulas
from dpcompose.language.decimals import decimal
from dpcompose.language.symbols import NONNEGATIVE, symbol
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.proof import registry
from dpcompose.proof.registry import Theory, rests
from dpcompose.spaces.parts import Part

if TYPE_CHECKING:
    import sympy

    from dpcompose.proof.refuting import Counterexample

MOST_VECTORS = 12
"""How many profile vectors a line shows before it counts the rest."""


# derivations


def derivation(bound: Bound) -> str:
    """The numbered lines, with those that lines have as evidence, and what they believe without check."""
    return "\n".join(
        [*_rows(bound.derivation.lines, bound.steps), f"believed without check: {', '.join(believed(bound))}"]
    )


def _rows(lines: Sequence[Line], steps: Captions, before: str = "") -> Iterator[str]:
    """The lines of a derivation; those that line 2 has as evidence are 2.1, 2.2, ..."""
    numbers = len(f"{before}{len(lines)}")
    indent = "   " * before.count(".")
    for line in lines:
        head = f"{indent}{f'{before}{line.n}':>{numbers}}. "
        text = textwrap.fill(
            sentence(line, steps), 78, initial_indent=head, subsequent_indent=" " * len(head)
        )
        yield f"{text}\n{' ' * len(head)}[{source(line, steps, before)}]"
        inner = steps.within(line)
        if inner is not None:
            yield from _rows(inner.lines, inner.steps, f"{before}{line.n}.")


def source(line: Line, steps: Captions, before: str = "") -> str:
    """The page that a line is by, or how it was checked, and the lines that it uses.

    before -- the number of the line whose evidence the line is in, with a point.
    """
    uses = f" from {_numbers(line.uses, before)}" if line.uses else ""
    if line.by in (GIVEN, HYPOTHESIS):
        covered = line.by
        if isinstance(line.judgement, kernel.Declared):
            covered = line.judgement.covered
        elif isinstance(line.judgement, kernel.Holds):
            covered = f"checked: {line.judgement.covered}"
        elif isinstance(line.judgement, kernel.Tabled):
            covered = "checked on its table"
        elif isinstance(line.judgement, kernel.Composed):
            covered = "by the lines below"
        return covered + uses
    page = steps.theory.pages[line.by]
    cited = page.cite(steps.notion, steps.setting.adaptive)
    name = cited if cited == page.id else f"{cited}, {page.id}"
    below = " and the lines below" if line.evidence is not None else ""
    return f"by {name}{uses}{below}"


def _numbers(ns: Sequence[int], before: str = "") -> str:
    """1, 2, 3, 5 as 1-3, 5."""
    runs: list[list[int]] = []
    for n in ns:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(
        f"{before}{r[0]}" + ("" if len(r) == 1 else f"{'-' if len(r) > 2 else ', '}{before}{r[-1]}")
        for r in runs
    )


def sentence(line: Line, steps: Captions) -> str:
    """A line's judgement in words."""
    said, setting, theory = line.judgement, steps.setting, steps.theory
    names = [mechanism.name for mechanism in setting.mechanisms]
    match said:
        case kernel.Given() | kernel.Releases():
            return given(said, theory)
        case kernel.PrivateInValue():
            return _private_in_value(said, names)
        case kernel.PrivateInInput():
            some = _all_of([names[i - 1] for i in said.mechanisms])
            metrics = dict.fromkeys(said.metrics)
            where = (
                "; ".join(metrics)
                if len(metrics) <= 4
                else f"{len(metrics)} metrics, by {next(iter(metrics))}, ..."
            )
            return f"{some}: the guarantee holds in the distance of what is read ({where})"
        case kernel.Processed():
            some = _all_of([names[i - 1] for i in said.mechanisms])
            return f"{some}, then {said.words}: a function of the output keeps the guarantee"
        case kernel.Converted():
            shown = [
                f"{names[i - 1]} keeps {_dp(said.notion, values, theory)}"
                for i, values in zip(said.mechanisms, said.parameters, strict=True)
            ]
            return f"where the inputs move by r, {_all_of(shown)}"
        case kernel.Loss():
            return _loss(said, setting, names)
        case kernel.Profile():
            return _profile(said, len(names))
        case kernel.Holds():
            return said.hypothesis
        case kernel.Private():
            return f"the composition is {guarantee(said, theory)}, on {said.databases}"
        case kernel.Optimal():
            return (
                f"no smaller guarantee holds for all such mechanisms: {_values(said.parameters)} is attained"
            )
    raise TypeError(f"{said} is no judgement")


def _loss(said: kernel.Loss, setting: Setting, names: Sequence[str]) -> str:
    """What the composition loses where the inputs move."""
    reads = [
        (f"{mechanism.query.words} of " if mechanism.query is not None else "") + mechanism.reads.written("D")
        for mechanism in setting.mechanisms
    ]
    moves = [f"{x} moves by r[{i}]" for i, x in enumerate(reads, start=1)]
    where = ", ".join(moves) if len(moves) <= 4 else f"{moves[0]}, ..., {moves[-1]}"
    unlimited = _all_of([names[i - 1] for i in said.unlimited])
    none = f"; without guarantee where {unlimited} moves" if said.unlimited else ""
    return f"the composition has loss {_values(said.parameters)} where {where}{none}"


def pieces(line: Line, steps: Captions) -> list[str | sympy.Expr]:
    """A line in words, cut into texts and the formulas between them."""
    words, said = sentence(line, steps), line.judgement
    starts = {
        kernel.Given: "{0.name} is {0.granularity} ",
        kernel.Tabled: "{0.name} is {0.granularity} ",
        kernel.Composed: "{0.name} is {0.granularity} ",
        kernel.Loss: "the composition has loss ",
        kernel.Private: "the composition is {0.granularity} ",
        kernel.Optimal: "no smaller guarantee holds for all such mechanisms: ",
    }
    if type(said) not in starts:
        return [words]
    start = starts[type(said)].format(said)
    assert isinstance(said, kernel.Given | kernel.Loss | kernel.Private | kernel.Optimal)
    parts: list[str | sympy.Expr] = []
    for _, text in said.parameters:
        formula = _parsed(text, steps)
        at = words.find(text, len(start) if not parts else 0)
        if formula is None or at < 0 or not words.startswith(start):
            return [sentence(line, steps)]
        parts += [words[:at], formula]
        words, start = words[at + len(text) :], ""
    return [*parts, words]


def _parsed(text: str, steps: Captions) -> sympy.Expr | None:
    """A formula of a line, in parameters and distances; None for what stays text."""
    r = [symbol(f"r[{i}]", NONNEGATIVE) for i in range(1, len(steps.setting.mechanisms) + 1)]
    families = {"r": r} if "r[" in text else None
    try:
        return formulas.parse(text, steps.setting.symbols, families, index="i")
    except formulas.FormulaError:
        return None


def best_values(bound: Bound) -> list[sympy.Expr]:
    """The parameters of the best guarantee."""
    return [formulas.parse(text, bound.setting.symbols) for _, text in bound.guarantee.parameters]


def _private_in_value(said: kernel.PrivateInValue, names: list[str]) -> str:
    """What the noise gives: its density, its loss, and the step that bounds it."""
    letters = list(dict.fromkeys(said.parameters))
    few = ", ".join(letters) if len(letters) <= 4 else f"{letters[0]}, ..."
    metrics = dict.fromkeys(said.metrics)
    moves = "; ".join(metrics) if len(metrics) <= 4 else f"{next(iter(metrics))}, ..."
    return (
        f"{_all_of([names[i - 1] for i in said.mechanisms])}: an output y has density {said.density} at a "
        f"value x ({few}), so its loss against a value z is {said.loss}, {said.then} "
        f"({said.because}); r is {moves}"
    )


def given(said: kernel.Given | kernel.Releases, theory: Theory) -> str:
    """A mechanism's guarantee in words, or what it does."""
    if isinstance(said, kernel.Releases):
        every = f"; records come {said.attributes} of the attribute" if said.attributes else ""
        return f"{said.name} releases {said.query} of {said.reads} with {said.noise}{every}"
    where = {
        "common": f"as a map on the whole class, and depends only on {said.reads}",
        "own": f"as a map on {said.reads}",
        "everything": "on the whole class",
    }[said.domain]
    return f"{said.name} is {said.granularity} {_dp(said.notion, said.parameters, theory)} {where}"


def guarantee(said: kernel.Private, theory: Theory) -> str:
    """A guarantee in words: bounded (e1 + e2)-DP."""
    return f"{said.granularity} {_dp(said.notion, said.parameters, theory)}"


def decimals(said: Guarantee) -> kernel.Values:
    """A guarantee's parameters, numbers as decimals."""
    return tuple(
        (key, formulas.to_text(x) if x.number is None else decimal(x.number)) for key, x in said.terms
    )


def _dp(notion: str, parameters: kernel.Values, theory: Theory) -> str:
    values = ", ".join(value for _, value in parameters)
    shown = f"({values})" if any(c in values for c in " ,+-*/") else values
    return f"{shown}-{theory.called(notion)}"


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


def _values(parameters: kernel.Values) -> str:
    if len(parameters) == 1:
        return parameters[0][1]
    return ", ".join(f"{key} = {value}" for key, value in parameters)


def _all_of(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{names[0]}, ..., {names[-1]}"


def believed(bound: Bound) -> list[str]:
    """The assumptions that nothing checked: lines by number, independence, and believed pages."""
    lines: dict[str, list[int]] = {}
    for _, number in kernel.assumed(bound.derivation.lines):
        before, point, n = number.rpartition(".")
        lines.setdefault(before + point, []).append(int(n))
    shown = ", ".join(_numbers(ns, before) for before, ns in lines.items())
    some = [f"line{'s' if sum(map(len, lines.values())) > 1 else ''} {shown}"] if lines else []
    pages = registry.believed(bound.relies_on)
    return [*some, *(f"that {one}" for one in dependence(bound.setting)), *pages] or ["nothing"]


def dependence(setting: Setting, before: str = "") -> Iterator[str]:
    """What is assumed of how mechanisms and what they read depend on each other, also in compositions, and of
    parameters."""
    if setting.several:
        yield before + composed(setting)
    if setting.assume and not before:
        yield relations(setting)
    yield from (before + one for one in setting.beside)
    for f in dict.fromkeys(one.reads for one in setting.mechanisms if isinstance(one.reads, Part)):
        if f.most != ONE:
            most = formulas.to_text(f.most)
            yield f"{before}every record lies in at most {most} of the {f.parts} parts of {f.partition}"
    for one in setting.mechanisms:
        if one.processing:
            yield f"{before}what is done to the output of {one.name} ({one.processing}) reads nothing else"
    for name, study in setting.studies.items():
        yield from dependence(study, f"{before}in {name} ")


def relations(setting: Setting) -> str:
    """What is assumed of the parameters."""
    return " and ".join(map(str, setting.assume))


def one_by_one(bound: Bound) -> str:
    """The smaller guarantee of the mechanisms of studies one by one, in words; "" where none is known."""
    if bound.flat is None or not bound.smaller_is_known:
        return ""
    said = guarantee(bound.flat.guarantee, bound.steps.theory)
    return f"one by one its mechanisms are {said}{bound.flat.standing}"


def smaller(bound: Bound) -> str:
    """The smaller guarantee of the derivation, in words; "" where none is known."""
    if bound.smaller is None:
        return ""
    n, words = bound.smaller.line, guarantee(bound.smaller.guarantee, bound.steps.theory)
    words = words if len(words) <= LONGEST else f"{words[:LONGEST]} ..."
    return f"smaller is line {n}: {words}{'; optimal' if bound.smaller.optimal else ''}"


LONGEST = 400
"""Up to how many characters a smaller guarantee is written out."""


def right(found: Verdict, bound: Bound) -> tuple[str, list[sympy.Expr]]:
    """The least guarantee that is known, where a claim is refuted or loose: its notion and its parameters."""
    if found.guarantee is not None:
        return found.guarantee.notion, [value for _, value in found.guarantee.values]
    known = bound.guarantee if bound.smaller is None else bound.smaller.guarantee
    return known.notion, [formulas.parse(text, bound.setting.symbols) for _, text in known.parameters]


def composed(setting: Setting) -> str:
    """What is assumed of how the mechanisms depend on each other."""
    if not setting.adaptive:
        return "the mechanisms are independent"
    return (
        "each guarantee holds whatever the earlier outputs are, and what a mechanism reads does not depend "
        "on them"
    )


def assumptions(bound: Bound) -> list[str]:
    """What the result assumes, as sentences."""
    return [
        *_assumed(bound.derivation.lines, bound.steps),
        *dependence(bound.setting),
        *registry.believed(bound.relies_on),
    ]


def _assumed(lines: Sequence[Line], steps: Captions, before: str = "") -> Iterator[str]:
    """The guarantees that lines state, and those that are stated in compositions among the mechanisms."""
    for line in lines:
        said = line.judgement
        inner = steps.within(line) if isinstance(said, kernel.Composed) else None
        if isinstance(said, kernel.Composed) and inner is not None:
            yield from _assumed(inner.lines, inner.steps, f"{before}in {said.name}, ")
        elif isinstance(said, kernel.Given | kernel.Releases):
            yield before + given(said, steps.theory) + on_table(said, steps.setting)


def on_table(said: kernel.Given | kernel.Releases, setting: Setting) -> str:
    """What the table of a mechanism shows of its guarantee."""
    found = setting.on_tables.get(said.name)
    if found is None:
        return ""
    return f", checked on its table ({found.words})" if found.holds else f"; its table leaves it {found}"


# verdicts


def verdict(n: int, found: Verdict, bound: Bound | None) -> str:
    """A claim with its verdict, and for a refuted one what refutes it."""
    bound = found.bound or bound
    claimed = ", ".join(f"{key} = {value}" for key, value in found.claim.text.items() if key != "notion")
    expected = "" if found.as_expected else f"  (expected: {found.claim.expect})"
    words = {True: ", loose", False: ", and no smaller guarantee holds", None: ""}[found.loose]
    rows = [f"claim {n}: {claimed}", f"  {found.verdict.upper()}{words}{expected}"]
    if found.reason:
        rows += [f"  {line}" for line in textwrap.wrap(f"because {found.reason}", 76)]
    if found.by_curve:
        least = found.guarantee
        known = "" if least is None or bound is None else f", which has {_curve(least, bound)}"
        rows.append(f"  by {found.curve}{known}")
    elif found.verdict == "proved" and bound is not None and bound.conversions:
        pages = ", ".join(page.id for page in bound.conversions)
        rows.append(f"  from {guarantee(bound.guarantee, bound.steps.theory)}, by {pages}")
    for one in rests(found.relies_on):
        rows += textwrap.wrap(one, 78, initial_indent="  ", subsequent_indent="    ")
    if found.counterexample is not None and bound is not None:
        rows += [f"  {row}" for row in _counterexample(found, bound)]
    return "\n".join(rows)


def _curve(least: Guarantee, bound: Bound) -> str:
    """The least guarantee that a curve has at a δ, in words."""
    return f"{bound.guarantee.granularity} {_dp(least.notion, decimals(least), bound.steps.theory)}"


def _counterexample(found: Verdict, bound: Bound) -> Iterator[str]:
    example = found.counterexample
    assert example is not None
    for letter, D in zip(("D ", "D'"), example.pair, strict=True):
        yield f"{letter} = {example.databases.printed(D)}"
    if example.point:
        yield "with " + ", ".join(f"{name} = {x}" for name, x in sorted(example.point.items()))
    if example.through:
        yield f"which violates what the claim implies by {', '.join(example.through)}:"
    yield example.lost()
    for row, name in zip(example.rows, example.names, strict=True):
        yield f"reached by {name} {row.words()}"
    if words := published(found):
        yield words
    if example.alone is not None:
        yield f"already {example.alone.mechanism} alone loses {example.alone.loss} ({example.alone.by})"
    if example.without:
        yield f"{left_out(example)} ({by_parts(bound)})"
    if found.guarantee is None:
        known = bound.guarantee if bound.smaller is None else bound.smaller.guarantee
        yield f"right is: {guarantee(known, bound.steps.theory)}"
    else:
        yield f"right is: {_curve(found.guarantee, bound)}"
    for change in found.nearby:
        yield f"it would hold {change}"


def published(found: Verdict) -> str:
    """What a refutation takes functions of outputs to be, of which no more is known; "": there are none."""
    some = found.as_they_are
    return f"with the outputs of {_all_of(list(some))} published as they are" if some else ""


def left_out(example: Counterexample) -> str:
    """That the outputs of some mechanisms are left out, in words."""
    return f"left out are the outputs of {_all_of(list(example.without))}: what the others lose, all lose"


def by_parts(bound: Bound) -> str:
    """What says that a composition loses at least what some of its mechanisms lose."""
    page = bound.steps.theory.processing("parts")
    return "" if page is None else page.cite("any", bound.setting.adaptive)
