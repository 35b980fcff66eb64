"""Settings from Python: mechanisms with sympy expressions as parameters."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.library.fields import near
from dpcompose.language import formulas
from dpcompose.language.symbols import POSITIVE, Domain, alike, domain_of, is_unsaid, symbol
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting, inside
from dpcompose.privacy.settings.assumptions import assumption, doubt
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.given import told_apart
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy


MOST_MECHANISMS = 2_000
"""How many mechanisms stand one by one, as in a problem file."""
COUNTED = Domain.read("integer >= 1")
"""What is taken of a symbol that says how many mechanisms there are."""


def check_assumptions(one: sympy.Symbol, domain: Domain) -> None:
    """Raises InvalidSetting where a symbol says another sign than its domain: sympy has used it already."""
    if one != symbol(one.name, domain):
        raise _other_assumptions(one.name, domain)


def _other_assumptions(name: str, domain: Domain) -> InvalidSetting:
    return InvalidSetting(
        f"the symbol {name} in a formula has other assumptions than the parameter {name}, "
        f"which is {domain}; "
        f'make it with dpcompose.parameters("{name}", ...) and use it as a symbol, not as text'
    )


def _domain(name: str, words: str) -> Domain:
    """The values that a parameter may take.  Raises InvalidSetting."""
    try:
        return Domain.read(words)
    except ValueError as error:
        raise InvalidSetting(f"{error} in place of {name} itself") from None


def settled(mechanisms: Sequence[Mechanism], stated: Mapping[str, Domain]) -> Sequence[Mechanism]:
    """The mechanisms with values for the letters of which nothing is said: those that are stated, or that
    another symbol of the name has; else they are positive, and numbers of mechanisms whole.  Of symbols, as
    sympy.Symbol("e"), that is said once."""
    said: dict[str, Domain] = dict(stated)
    symbols, in_texts, simplified = set[str](), set[str](), set[str]()
    made = [mechanism for mechanism in mechanisms if isinstance(mechanism, Mechanism)]
    for plain, value in ((mechanism.is_plain, value) for mechanism in made for value in mechanism.every_term):
        in_texts |= read_as_positive(value)
        simplified |= set() if plain and formulas.written_as(value) else read_as_positive(value)
        for letter in () if (given := formulas.given(value)) is None else given.free_symbols:
            if is_unsaid(letter):
                symbols.add(letter.name)
            else:
                said.setdefault(letter.name, domain_of(letter))
    counted = {
        name for mechanism in made if mechanism.members is not None for name in mechanism.members.letters
    }
    usual = {name: COUNTED if name in counted else POSITIVE for name in symbols | in_texts}
    if silent := sorted(symbols - said.keys()):
        warnings.warn(_taken({name: usual[name] for name in silent}), SymbolsTaken, stacklevel=4)
    known = {name: said.get(name) or taken for name, taken in usual.items()}
    if wrong := sorted(name for name in simplified if not known[name].positive):
        raise _other_assumptions(wrong[0], known[wrong[0]])
    letters = {
        x: terms.letter(x, domain) for x, domain in known.items() if x in symbols or domain != POSITIVE
    }
    return [
        mechanism.knowing(letters) if isinstance(mechanism, Mechanism) and letters else mechanism
        for mechanism in mechanisms
    ]


def read_as_positive(value: Term) -> set[str]:
    """The letters of a text, which was simplified for positive ones: any values may be meant, and where it is
    no text any more any above 0."""
    is_text = formulas.given(value) is None
    return {name for name, domain in value.letters.items() if is_text and domain == POSITIVE}


class SymbolsTaken(UserWarning):
    """Symbols that say nothing of their values are taken to have some; the message says which."""


def _taken(domains: Mapping[str, Domain]) -> str:
    """What is said of symbols that say nothing."""
    each = ", ".join(f"{name} is taken to be {domain}" for name, domain in domains.items())
    first = next(iter(domains))
    return f'{each}: sympy.Symbol says nothing of values, dpcompose.parameters("{first}") does'


def _domains_of(given: Term, stated: Mapping[str, Domain]) -> Iterator[tuple[str, Domain]]:
    """The letters of a term with the values they may take, as stated, or as it says itself."""
    expression = formulas.given(given)
    known = (
        given.letters if expression is None else {str(letter): letter for letter in expression.free_symbols}
    )
    for name in sorted(known):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(\[i\])?", name) or name in formulas.RESERVED:
            raise InvalidSetting(f"a parameter cannot be called {name}: it must be a name without a meaning")
        if expression is None:
            domain = stated.get(name) or given.letters[name]
            if not alike(domain, given.letters[name]):
                raise _other_assumptions(name, domain)
        else:
            domain = stated.get(name) or domain_of(known[name])
            check_assumptions(known[name], domain)
        yield name, domain


def _assumed(given: object, domains: Mapping[str, Domain], counts: Mapping[str, Term]) -> Assumption:
    """A relation between parameters of a setting."""
    known = {name: terms.letter(name, domain) for name, domain in domains.items()}
    try:
        relation = assumption(given, known, counts)
    except formulas.FormulaError as error:
        raise InvalidSetting(f"assume: {error}") from None
    for name in sorted(relation.letters):
        if name not in domains:
            raise InvalidSetting(f"assume: {name} is no parameter of the mechanisms{near(name, domains)}")
    for side in (relation.left, relation.right):
        if (expression := formulas.given(side)) is not None:
            for letter in expression.free_symbols:
                if not is_unsaid(letter):
                    check_assumptions(letter, domains[str(letter)])
    relation = Assumption(
        substitution.substituted(relation.left, known),
        relation.sign,
        substitution.substituted(relation.right, known),
    )
    if why := doubt(relation):
        raise InvalidSetting(f"assume: {why}")
    return relation


def _all_domains(
    mechanisms: Sequence[Mechanism], target: Granularity, stated: dict[str, Domain]
) -> dict[str, Domain]:
    """The parameters of mechanisms, and of what counts in granularities, with the values they may take."""
    domains: dict[str, Domain] = {}
    for mechanism in mechanisms:
        if not isinstance(mechanism, Mechanism):
            raise InvalidSetting(
                f"{mechanism!r} is no mechanism; make one with dpcompose.mechanism(name, ...)"
            )
        of_table = mechanism.table.domains if mechanism.table is not None else {}
        study = inside(mechanism)
        of_study = {} if study is None else {name: study.domains[name] for name in sorted(study.used)}
        for name, domain in {**of_table, **of_study}.items():
            domains.setdefault(name, stated.get(name) or domain)
        given = mechanism.terms
        for value in given if mechanism.members is None else [*given, mechanism.members]:
            for name, domain in _domains_of(value, stated):
                if name == ALPHA and mechanism.satisfies.curve is not None:
                    continue
                if domains.setdefault(name, domain) != domain:
                    raise InvalidSetting(f"two symbols are called {name}, with different assumptions")
    about = (guarantee.granularity for m in mechanisms for guarantee in (m.satisfies, *m.also))
    for granularity in (target, *about):
        for name, domain in () if granularity is None else granularity.parameters.items():
            if domains.setdefault(name, stated.get(name) or domain) != domain:
                raise InvalidSetting(f"{name} is {domains[name]}, and {domain} in {granularity} neighbours")
    return stated | domains


def _named_apart(mechanisms: tuple[Mechanism, ...], target: Granularity) -> tuple[Mechanism, ...]:
    """The mechanisms with names of their own for granularities, and for maps, that are called alike."""
    plain = [mechanism for mechanism in mechanisms if isinstance(mechanism, Mechanism)]
    about = (guarantee.granularity for m in plain for guarantee in (m.satisfies, *m.also))
    if names := told_apart([target, *filter(None, about)]):
        mechanisms = tuple(
            mechanism.regarding(lambda given: names.get(given, given)) for mechanism in mechanisms
        )
    if called := told_apart(mechanism.reads for mechanism in mechanisms if isinstance(mechanism, Mechanism)):
        mechanisms = tuple(mechanism.reading(lambda f: called.get(f, f)) for mechanism in mechanisms)
    return mechanisms


def setting(
    *mechanisms: Mechanism,
    on: DatabaseClass,
    target: Granularity,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
    assume: Sequence[object] = (),
) -> Setting:
    """A setting from mechanisms with sympy expressions as parameters.

    parameters -- for a symbol by name the values it may take ("positive", "in (0,1)", …);
    symbols that are not named have the domain that their own assumptions state;
    assume -- relations between parameters: texts such as "u > l", or sympy relations.
    """
    if not isinstance(on, DatabaseClass) or not isinstance(target, Granularity):
        raise InvalidSetting(
            "on is a class such as dpcompose.multisets(...), target a granularity such as dpcompose.bounded"
        )
    if len(mechanisms) > MOST_MECHANISMS:
        raise InvalidSetting(
            f"{len(mechanisms):,} mechanisms are more than {MOST_MECHANISMS:,}, which may stand one by one; "
            'those that are alike are one family: mechanism("M", dpcompose.pure("e"), count=20_000), or '
            'count="k" and dpcompose.pure("e[i]")'
        )
    if isinstance(assume, str):
        raise InvalidSetting(f'assume is a list of relations, such as ["{assume}"]')
    stated = {str(name): _domain(str(name), str(words)) for name, words in (parameters or {}).items()}
    said = [
        mechanism.for_neighbours(target, on) if hasattr(mechanism, "for_neighbours") else mechanism
        for mechanism in mechanisms
    ]
    mechanisms = _named_apart(tuple(settled(said, stated)), target)
    domains = _all_domains(mechanisms, target, stated)
    on = on.knowing({name: terms.letter(name, domain) for name, domain in domains.items()})
    domains |= on.parameters
    counts = {name: count for mechanism in mechanisms for name, count in mechanism.counts.items()}
    made = Setting(
        on,
        target,
        mechanisms,
        MappingProxyType(domains),
        title,
        adaptive=adaptive,
        assume=tuple(_assumed(relation, domains, counts) for relation in assume),
    )
    return made.in_one_notion()
