"""Formulas: the text of a real number or of a function of parameters, to sympy and back.

A formula is `sqrt(m1**2 + m2**2)`, `max(e1 + e2, e1 + e3)`, `top(2, e1, e2, e3)`, `1e-6`,
or `oo`, which stands alone.  The grammar is formulas.lark.  Text is never evaluated as
Python, and every limit is checked before the work that it bounds, so that any text is
either read or refused quickly.

- `parse` reads a formula, `names` lists its parameters, `to_text` writes it again;
- `from_python` reads what a Python user gives as a parameter;
- `evaluate` is the exact value at a point.

Everything refused is a `FormulaError`, which points at the mistake.
"""

from __future__ import annotations

import difflib
import functools
import math
import numbers
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import sympy
from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput

from dpcompose.language.symbols import family_of, member, symbol
from dpcompose.language.worstcase import Over, Top, largest, least

MOST_CHARACTERS = 100_000
MOST_TOKENS = 20_000
MOST_TERMS = 2_000
MOST_FACTORS = 500  # of one product
MOST_DEPTH = 60
MOST_DIGITS = 60  # of a written number
MOST_WRITTEN_EXPONENT = 400  # 1e-400
MOST_SIZE = 1_000  # constants stay below 10^1000
MOST_EXPONENT = 1_000  # of a power
MOST_PARTS = 50_000  # of an expression within abs, which doubles it
MOST_UNDER_ROOTS = 8_000  # factors in all, each of which sympy takes out of its root
MOST_ROOT_DIGITS = 200  # sympy looks for divisors of a number under a root

FUNCTIONS = ("sqrt", "exp", "log", "max", "min", "abs", "top")
RESERVED = frozenset({*FUNCTIONS, "sum", "oo"})
"""Names with a meaning in formulas, which no parameter can have."""


class FormulaError(ValueError):
    """A text or value that is no formula.

    message -- one sentence;
    text -- the formula, or "" where there is none;
    column -- where the mistake is, from 1, or None.

    >>> print(FormulaError("a value is missing", "2*", 3))
    a value is missing
      2*
        ^
    """

    def __init__(self, message: str, text: str = "", column: int | None = None) -> None:
        super().__init__(message, text, column)
        self.message = message
        self.text = text
        self.column = column

    def __str__(self) -> str:
        if self.column is None:
            return self.message
        start, end = _window(len(self.text), self.column - 1)
        before = ("..." if start else "") + _ascii(self.text[start : self.column - 1])
        after = _ascii(self.text[self.column - 1 : end]) + ("..." if end < len(self.text) else "")
        return f"{self.message}\n  {before}{after}\n  {' ' * len(before)}^"


def _window(length: int, at: int, width: int = 64) -> tuple[int, int]:
    """What to show of a long text: about `width` characters around position `at`."""
    start = max(0, min(at - width // 2, length - width))
    return start, min(length, start + width)


def _ascii(text: str) -> str:
    """The text with all but printable ASCII escaped: look-alike letters become visible."""
    return "".join(c if " " <= c <= "~" else c.encode("unicode_escape").decode() for c in text)


def _shown(character: str) -> str:
    """A character for a message; one outside ASCII with its name and code point.

    >>> _shown("\\u0435")
    "'е' (CYRILLIC SMALL LETTER IE, U+0435)"
    """
    if " " <= character <= "~":
        return f"'{character}'"
    harmless = character.isprintable() and not unicodedata.combining(character)
    name = unicodedata.name(character, "no name")
    return f"'{character if harmless else _ascii(character)}' ({name}, U+{ord(character):04X})"


def _clip(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:37] + "...")


# Reading: text to tokens to tree.  Nothing here recurses: lark's LALR parser keeps its own stack.

_INSTEAD = {
    "^": "write ** for a power",
    "=": "a formula is one value, without a comparison",
    "<": "a formula is one value, without a comparison",
    ">": "a formula is one value, without a comparison",
    "!": "a formula is one value, without a comparison or factorial",
    "\u2264": "a formula is one value, without a comparison",
    "\u2265": "a formula is one value, without a comparison",
    ".": "numbers are written like 0.5",
    "'": "a formula has no quotation marks",
    '"': "a formula has no quotation marks",
    "\n": "a formula is one line",
    "\r": "a formula is one line",
    "\u2212": "write - for minus",
    "\u2013": "write - for minus",
    "\u00d7": "write * for a product",
    "\u00b7": "write * for a product",
    "\u22c5": "write * for a product",
    "\u00b2": "write **2 for a square",
    "\u221a": "write sqrt(...) for a square root",
    "\u221e": "write oo for infinity",
}
_FUNCTIONS_ELSEWHERE = {
    "ln": "log",
    "maximum": "max",
    "minimum": "min",
    "Max": "max",
    "Min": "min",
    "Abs": "abs",
}
_VALUE_ENDS = {"NUMBER", "NAME", "RPAR", "RSQB"}


@functools.cache
def _parser() -> Lark:
    grammar = Path(__file__).with_name("formulas.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="formula", parser="lalr", lexer="basic", propagate_positions=True)


def _tokens(text: str) -> list[Token]:
    """The words of a formula, their number and the size of its numbers within the limits."""
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(f"a formula has at most {MOST_CHARACTERS} characters, not {len(text)}")
    tokens: list[Token] = []
    try:
        for token in _parser().lex(text):
            if len(tokens) == MOST_TOKENS:
                raise FormulaError(
                    f"a formula has at most {MOST_TOKENS} numbers, names and signs", text, _column(token)
                )
            if token.type == "NUMBER":
                _check_number(token, text)
            tokens.append(token)
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        hint = _INSTEAD.get(text[at])
        raise FormulaError(
            f"{_shown(text[at])} cannot stand in a formula" + (f"; {hint}" if hint else ""), text, at + 1
        ) from None
    if not tokens:
        raise FormulaError("the formula is empty", text, 1)
    return tokens


def _check_number(token: Token, text: str) -> None:
    mantissa, _, exponent = token.lower().partition("e")
    if len(mantissa.replace(".", "")) > MOST_DIGITS:
        raise FormulaError(f"a number has at most {MOST_DIGITS} digits", text, _column(token))
    if abs(_exponent(exponent)) > MOST_WRITTEN_EXPONENT:
        raise FormulaError(
            f"the exponent of a number is at most {MOST_WRITTEN_EXPONENT} in size", text, _column(token)
        )


def _exponent(written: str) -> int:
    """The value of "-06"; of more than 9 digits only that it is large (int() refuses very long ones)."""
    digits = written.lstrip("+-").lstrip("0")[:9] or "0"
    return -int(digits) if written.startswith("-") else int(digits)


def _column(where: Token | Tree[Token]) -> int:
    start = where.start_pos if isinstance(where, Token) else where.meta.start_pos
    return (start or 0) + 1


def _read(text: str, known: Collection[str] = ()) -> tuple[list[Token], Tree[Token]]:
    """The tokens and the tree of a formula within all limits that concern its shape."""
    if not isinstance(text, str):
        raise FormulaError(f"a formula is a text, not {type(text).__name__}")
    tokens = _tokens(text)
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        at = next(
            (n for n, token in enumerate(tokens) if token.start_pos == error.pos_in_stream), len(tokens)
        )
        if getattr(getattr(error, "token", None), "type", "") == "$END":
            at = len(tokens)
        raise _misplaced(text, tokens, at) from None
    _check_shape(text, tree, known)
    if len(tokens) > 1:
        for token in tokens:
            if token == "oo":
                raise FormulaError("oo is a formula only when it stands alone", text, _column(token))
    return tokens, tree


def _misplaced(text: str, tokens: list[Token], at: int) -> FormulaError:
    """What is wrong where the token number `at` (or the end) does not continue the formula."""
    opened: list[Token] = []
    for token in tokens[:at]:
        if token.type in ("LPAR", "LSQB"):
            opened.append(token)
        elif token.type in ("RPAR", "RSQB") and opened:
            opened.pop()
    before = tokens[at - 1] if at else None
    after_value = before is not None and before.type in _VALUE_ENDS
    if at == len(tokens):
        if opened and after_value:
            return FormulaError(f"this {opened[-1]} is never closed", text, _column(opened[-1]))
        return FormulaError(f"a value is missing after '{before}'", text, len(text.rstrip()) + 1)
    token, column = tokens[at], _column(tokens[at])
    if token.type in ("NUMBER", "NAME", "LPAR") and after_value:
        return FormulaError(
            f"write * between {_clip(str(before))} and {_clip(str(token))} for a product", text, column
        )
    if token.type in ("RPAR", "RSQB") and not opened:
        return FormulaError(f"this {token} closes nothing", text, column)
    if token.type == "COMMA" and after_value:
        return FormulaError("a comma stands only between the arguments of a function", text, column)
    if token.type != "LSQB" and not after_value:
        return FormulaError(f"a value is missing before '{token}'", text, column)
    return FormulaError(f"'{token}' cannot stand here", text, column)


def _check_shape(text: str, tree: Tree[Token], known: Collection[str]) -> None:
    """Refuse too many terms, too deep a nesting, and unknown functions.

    Depth counts parentheses, calls, signs and powers on the way down; terms are the operands
    of sums and the arguments of functions (an argument that is a sum counts by its operands).
    """
    terms = 0
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        depth += node.data in ("group", "call", "family", "signed", "power")
        if depth > MOST_DEPTH:
            raise FormulaError(f"a formula is nested at most {MOST_DEPTH} deep", text, _column(node))
        below = [child for child in node.children if isinstance(child, Tree)]
        if node.data in ("sum", "call"):
            terms += sum(child.data != "sum" for child in below)
            if terms > MOST_TERMS:
                raise FormulaError(f"a formula has at most {MOST_TERMS} terms", text, _column(node))
        if node.data == "call" and (name := str(node.children[0])) not in (*FUNCTIONS, "sum"):
            raise FormulaError(_unknown_function(name, known), text, _column(node))
        waiting.extend((child, depth) for child in reversed(below))


def _near(name: str, choices: Collection[str]) -> str | None:
    found = difflib.get_close_matches(name, choices, n=1) if len(name) <= 40 else []
    return found[0] if found else None


def _unknown_function(name: str, known: Collection[str]) -> str:
    if name in known:
        return f"{_clip(name)} is a parameter, no function; write * before ( for a product"
    near = _FUNCTIONS_ELSEWHERE.get(name) or _near(name, FUNCTIONS)
    hint = f"did you mean {near!r}?" if near else "the functions are " + ", ".join(FUNCTIONS)
    return f"unknown function {_clip(name)}; {hint}"


def _unknown_name(name: str, known: Collection[str]) -> str:
    if name in FUNCTIONS or name == "sum":
        return f"{name!r} is a function; write {name}(...)"
    if near := _near(name, [*known, *FUNCTIONS]):
        return f"unknown name {_clip(name)}; did you mean {near!r}?"
    if not known:
        return f"unknown name {_clip(name)}; no names are known here"
    some = ", ".join(sorted(known, key=_natural)[:10]) + (", ..." if len(known) > 10 else "")
    return f"unknown name {_clip(name)}; known names: {some}"


def names(text: str) -> tuple[str, ...]:
    """The parameters of a formula, in the order of their first appearance.

    A family e[…] counts as its general member e[i], and bound indices are left out.

    >>> names("max(e2 + e1, 2*e2, exp(d))"), names("sum(e[j], j, 1, k)")
    (('e2', 'e1', 'd'), ('e[i]', 'k'))
    """
    _, tree = _read(text)
    found: list[str] = []
    waiting: list[tuple[Tree[Token], frozenset[str]]] = [(tree, frozenset())]
    while waiting:
        node, bound = waiting.pop()
        below = [child for child in node.children if isinstance(child, Tree)]
        if node.data == "name" and node.children[0] not in (*bound, "oo"):
            found.append(str(node.children[0]))
        elif node.data == "family":
            member, index = str(node.children[0]), below[0]
            found.append(f"{member}[{index.children[0]}]" if index.data == "number" else f"{member}[i]")
            below = []
        elif node.data == "call" and len(below) >= 4 and _runs_over(node, below):
            bound |= {str(below[-3].children[0])}
        waiting.extend((child, bound) for child in reversed(below))
    return tuple(dict.fromkeys(found))


def conditions(
    text: str, symbols: Mapping[str, sympy.Expr], index: str | None = None
) -> list[tuple[sympy.Expr, str]]:
    """What must hold for the formula to have a real value as it is written: (x, "> 0"), ">= 0" or "!= 0".

    What cancels is asked about too: log(x) - log(x) needs x > 0.

    >>> conditions("log(x) - log(x) + x/x", {"x": symbol("x")})
    [(x, '> 0'), (x, '> 0'), (x, '!= 0')]
    """
    _, tree = _read(text, symbols)
    meaning = _Meaning(text, symbols, {}, index)
    meaning.of(tree)
    return meaning.conditions


def _runs_over(node: Tree[Token], below: list[Tree[Token]]) -> bool:
    """Whether a call is (x, i, first, last) of a family, and not four plain values."""
    index = below[-3]
    if index.data != "name" or (node.children[0] != "sum" and below[-2].data != "number"):
        return False
    members = (one.children[1] for one in below[-4].iter_subtrees() if one.data == "family")
    inside = [one for one in members if isinstance(one, Tree)]
    return node.children[0] == "sum" or any(one.children[0] == index.children[0] for one in inside)


def parse(
    text: str,
    symbols: Mapping[str, sympy.Expr],
    families: Mapping[str, Sequence[sympy.Expr]] | None = None,
    index: str | None = None,
) -> sympy.Expr:
    """The sympy expression that a formula means, where `symbols` says what its names mean.

    families -- what e[1], e[2], … mean, as {"e": [first, second, …]}; with it `sum(e[i], i, 1, k)`,
    and `max` and `top` of a family, are written out.  A family that `symbols` knows by its
    general member "e[i]" stays as it is: `worstcase.Over`.
    index -- the letter i that e[i] may have outside of sums, in a family's own guarantee.
    `max`, `min`, `abs` and `top` become `worstcase.Top`.  Raises FormulaError.

    >>> parse("2*max(e1, e2)/3 + 0.1", {"e1": symbol("e1"), "e2": symbol("e2")})
    2*max(e1, e2)/3 + 1/10
    >>> parse("2*e11", {"e1": symbol("e1")})
    Traceback (most recent call last):
    dpcompose.language.formulas.FormulaError: unknown name 'e11'; did you mean 'e1'?
      2*e11
        ^
    """
    tokens, tree = _read(text, symbols)
    if tokens[0] == "oo":
        return sympy.oo
    try:
        return _Meaning(text, symbols, families or {}, index).of(tree)
    except RecursionError:
        raise FormulaError("the formula is nested too deeply for sympy", text) from None


# Meaning: tree to sympy.


@functools.cache
def _intervals() -> Any:
    """Interval arithmetic with 400 bits: what is enclosed away from 0 has a certain sign."""
    from mpmath.ctx_iv import MPIntervalContext

    context = MPIntervalContext()
    context.prec = 400
    return context


def _digits(number: sympy.Rational) -> float:
    """The size of a rational p/q: log10 of the larger of |p| and q."""
    return max(math.log10(abs(int(number.p)) or 1), math.log10(int(number.q)))


def _settled(value: sympy.Expr) -> sympy.Expr:
    """The same product once sympy has nothing more to join: it can stop early at sqrt(sqrt(1/27))."""
    while value.is_Mul and (again := sympy.Mul(*value.args)) != value:
        value = again
    return value


class _Meaning:
    """The meaning of one formula's nodes, refusing constants that are too large or not real.

    sympy evaluates constants as soon as it sees them (2**(10**9) never ends), so sizes are
    estimated first; and it leaves a real constant's sign to costly searches, so signs are
    read off enclosing intervals.
    """

    def __init__(
        self,
        text: str,
        symbols: Mapping[str, sympy.Expr],
        families: Mapping[str, Sequence[sympy.Expr]],
        index: str | None,
    ) -> None:
        self.text = text
        self.symbols = dict(symbols)
        self.families = families
        self.conditions: list[tuple[sympy.Expr, str]] = []
        self._bound = frozenset() if index is None else frozenset({index})
        self._under_roots = 0
        self._enclosures: dict[sympy.Expr, Any] = {}

    def of(self, node: Tree[Token]) -> sympy.Expr:
        """The meaning of a node.  Recursion is safe: `_check_shape` has bounded the depth."""
        meaning: Callable[[Tree[Token]], sympy.Expr] = getattr(self, f"_{node.data}")
        result = _settled(_as_top(meaning(node)))
        self._check(result, node)
        return result

    def _refusal(self, message: str, node: Tree[Token] | Token) -> FormulaError:
        return FormulaError(message, self.text, _column(node))

    def _below(self, node: Tree[Token]) -> list[Tree[Token]]:
        return [child for child in node.children if isinstance(child, Tree)]

    def _number(self, node: Tree[Token]) -> sympy.Expr:
        written = str(node.children[0])
        if (found := re.fullmatch(r"([0-9]+)([eE]([0-9]+))", written)) and found[2] in self.symbols:
            raise self._refusal(
                f"{written} could be a number or a product; "
                f"write {found[1]}*10**{found[3]} or {found[1]}*{found[2]}",
                node,
            )
        mantissa, _, exponent = written.lower().partition("e")
        value = Fraction(mantissa) * Fraction(10) ** _exponent(exponent)
        return sympy.Rational(value.numerator, value.denominator)

    def _name(self, node: Tree[Token]) -> sympy.Expr:
        name = str(node.children[0])
        if name not in self.symbols:
            raise self._refusal(_unknown_name(name, self.symbols), node)
        return self.symbols[name]

    def _group(self, node: Tree[Token]) -> sympy.Expr:
        return self.of(self._below(node)[0])

    def _signed(self, node: Tree[Token]) -> sympy.Expr:
        value = self.of(self._below(node)[0])
        return -value if node.children[0] == "-" else value

    def _power(self, node: Tree[Token]) -> sympy.Expr:
        base, exponent = self._below(node)
        return self._raised(self.of(base), self.of(exponent), node, base)

    def _sum(self, node: Tree[Token]) -> sympy.Expr:
        # sympy would add the rational coefficients of like terms whatever their size.
        collected: dict[sympy.Expr, sympy.Rational] = {}
        sign = 1
        for child in node.children:
            if isinstance(child, Token):
                sign = -1 if child == "-" else 1
                continue
            for term in sympy.Add.make_args(self.of(child)):
                number, rest = term.as_coeff_Mul()
                collected[rest] = self._bounded(collected.get(rest, 0) + sign * number, child)
        return sympy.Add(*(sympy.Mul(number, rest) for rest, number in collected.items()))

    def _product(self, node: Tree[Token]) -> sympy.Expr:
        number: sympy.Rational = sympy.Integer(1)
        factors: list[sympy.Expr] = []
        divide = False
        for child in node.children:
            if isinstance(child, Token):
                divide = child == "/"
                continue
            # In -(x + y)*z the sign is a factor, or sympy would multiply it into the sum.
            while child.data == "signed":
                number = -number if child.children[0] == "-" else number
                child = self._below(child)[0]
            value = self.of(child)
            if divide:
                if value == 0:
                    raise self._refusal("division by zero", child)
                value = self._raised(value, sympy.Integer(-1), child, child)
            for factor in sympy.Mul.make_args(value):
                if factor.is_Rational:
                    number = self._bounded(number * factor, child)
                else:
                    factors.append(factor)
        self._check_factors(len(factors), node)
        self._check_joined_powers(factors, node)
        return sympy.Mul(number, *factors)

    def _check_factors(self, count: int, node: Tree[Token]) -> None:
        if count > MOST_FACTORS:
            raise self._refusal(f"a product has at most {MOST_FACTORS} factors", node)

    def _check_joined_powers(self, factors: list[sympy.Expr], node: Tree[Token]) -> None:
        """sympy adds exponents of equal bases, and multiplies the numbers under equal roots."""
        exponents: dict[tuple[sympy.Expr, sympy.Expr], sympy.Rational] = {}
        under_roots = 0.0
        for factor in factors:
            base, exponent = factor.as_base_exp()
            if base.is_Rational:
                under_roots += _digits(base)
            for term in sympy.Add.make_args(exponent):
                number, rest = term.as_coeff_Mul()
                total = exponents.get((base, rest), sympy.Integer(0)) + number
                exponents[base, rest] = self._bounded(total, node)
        if under_roots > MOST_ROOT_DIGITS:
            raise self._refusal(f"numbers under roots must stay below 10^{MOST_ROOT_DIGITS}", node)

    def _family(self, node: Tree[Token]) -> sympy.Expr:
        name, index = str(node.children[0]), self._below(node)[0]
        if index.data == "number" and f"{name}[{index.children[0]}]" in self.symbols:
            return self.symbols[f"{name}[{index.children[0]}]"]
        if f"{name}[i]" in self.symbols:
            if index.data == "name" and str(index.children[0]) in self._bound:
                return self.symbols[f"{name}[i]"]
            raise self._refusal(f"{name}[...] needs the index of a sum, max or top over it", node)
        if name not in self.families:
            near = [known[:-3] for known in self.symbols if known.endswith("[i]")]
            raise self._refusal(_unknown_name(name, near).replace("name", "family", 1), node)
        number = self.of(index)
        if not (number.is_Integer and 1 <= number <= len(self.families[name])):
            raise self._refusal(f"{name} has the members 1 to {len(self.families[name])}, not {number}", node)
        return self.families[name][int(number) - 1]

    def _over(
        self, below: list[Tree[Token]], node: Tree[Token]
    ) -> list[sympy.Expr] | tuple[sympy.Expr, sympy.Expr] | None:
        """What `(x, i, first, last)` runs over; None where these are four plain values.

        A family known by its general member stays lazy, (x[i], k); one that is given member by
        member is written out.
        """
        if len(below) != 4 or below[1].data != "name" or str(below[1].children[0]) in self.symbols:
            return None
        index = str(below[1].children[0])
        first, last = self.of(below[2]), self.of(below[3])
        if not self.families:
            if first != 1:
                raise self._refusal("a family runs from 1", below[2])
            outside, self._bound = self._bound, self._bound | {index}
            x = self.of(below[0])
            self._bound = outside
            if not (last.is_Symbol or (last.is_Integer and last >= 1)):
                raise self._refusal("a family runs to its number of members", below[3])
            return x, last
        if not (first.is_Integer and last.is_Integer and last - first < MOST_TERMS):
            raise self._refusal(f"a family runs over at most {MOST_TERMS} whole numbers", node)
        values = []
        for number in range(int(first), int(last) + 1):
            self.symbols[index] = sympy.Integer(number)
            values.append(self.of(below[0]))
        self.symbols.pop(index, None)
        return values

    def _call(self, node: Tree[Token]) -> sympy.Expr:
        name = str(node.children[0])
        below = self._below(node)
        if name == "top":
            return self._top(below, node)
        over = self._over(below, node)
        if name == "sum":
            if over is None:
                raise self._refusal("a sum is written sum(e[i], i, 1, k)", node)
            return sympy.Add(*over) if isinstance(over, list) else Over(over[1], *over)
        if isinstance(over, tuple):
            if name not in ("max", "min"):
                raise self._refusal(
                    f"{name} takes one value; a family has a max, a min, a sum and a top", node
                )
            return Over(1, *over) if name == "max" else -Over(1, -over[0], over[1])
        terms = [self.of(child) for child in below] if over is None else over
        if name in ("max", "min"):
            if not terms:
                raise self._refusal(f"{name} needs at least one value", node)
            return (largest if name == "max" else least)(*dict.fromkeys(terms))
        if len(terms) != 1:
            raise self._refusal(f"{name} takes one value, not {len(terms)}", node)
        if name == "abs":
            try:
                return _absolute(terms[0])
            except FormulaError as error:
                raise self._refusal(error.message, node) from None
        if name == "sqrt":
            return self._raised(terms[0], sympy.Rational(1, 2), node, node)
        return self._exp(terms[0], node) if name == "exp" else self._log(terms[0], node)

    def _top(self, below: list[Tree[Token]], node: Tree[Token]) -> sympy.Expr:
        count = str(below[0].children[0]) if below and below[0].data == "number" else ""
        if not (count.isdigit() and len(count) <= 6):
            raise self._refusal(
                "top needs a whole number first, which says how many values are added",
                below[0] if below else node,
            )
        if len(below) < 2:
            raise self._refusal("top needs at least one value after the number", node)
        over = self._over(below[1:], node)
        if isinstance(over, tuple):
            return Over(sympy.Integer(count), *over)
        terms = [self.of(child) for child in below[1:]] if over is None else over
        return largest(*dict.fromkeys(terms)) if int(count) == 1 else Top(sympy.Integer(count), *terms)

    def _exp(self, value: sympy.Expr, node: Tree[Token]) -> sympy.Expr:
        size = digits = under_roots = 0.0
        for term in sympy.Add.make_args(value):
            enclosure = self._enclosure(term, node)
            if enclosure is not None:
                size += _upper(enclosure)
                number, rest = term.as_coeff_Mul()
                if isinstance(rest, sympy.log) and rest.args[0].is_Rational:  # exp(2*log(3)) = 3**2
                    digits += _digits(rest.args[0]) * _upper(self._enclosure(number, node))
                    under_roots += 0 if number.is_Integer else _digits(rest.args[0])
        if max(size / math.log(10), digits) > MOST_SIZE:
            raise self._refusal(f"constants must stay below 10^{MOST_SIZE}", node)
        if under_roots > MOST_ROOT_DIGITS:
            raise self._refusal(f"numbers under roots must stay below 10^{MOST_ROOT_DIGITS}", node)
        return sympy.exp(value)

    def _log(self, value: sympy.Expr, node: Tree[Token]) -> sympy.Expr:
        size = self._enclosure(value, node)
        if size is not None and not size > 0:
            what = "0" if value == 0 else "a negative number"
            raise self._refusal(f"log of {what} has no real value", node)
        if size is None:
            self.conditions.append((value, "> 0"))
        return sympy.log(value)

    def _raised(
        self, base: sympy.Expr, exponent: sympy.Expr, node: Tree[Token], at: Tree[Token]
    ) -> sympy.Expr:
        """base**exponent, refused where it is not real or would be too large."""
        below, above = self._enclosure(base, node), self._enclosure(exponent, node)
        if below is None and not (exponent.is_Integer and exponent >= 0):
            whole, positive = exponent.is_Integer, above is not None and above > 0
            self.conditions.append((base, "!= 0" if whole else ">= 0" if positive else "> 0"))
        elif above is None and not below > 0:
            self.conditions.append((base, "> 0"))
        if above is not None:
            if _upper(above) > MOST_EXPONENT:
                raise self._refusal(f"an exponent is at most {MOST_EXPONENT} in size", node)
            if below is not None and above < 0 and not (below > 0 or below < 0):
                raise self._refusal("0 to a negative power has no real value", at)
            if below is not None and below < 0 and not exponent.is_Integer:
                root = "the square root of" if exponent == sympy.Rational(1, 2) else "a broken power of"
                raise self._refusal(f"{root} a negative number has no real value", at)
            size = sum(self._size(factor, node) for factor in sympy.Mul.make_args(base))
            if size * _upper(above) > MOST_SIZE:
                raise self._refusal(f"constants must stay below 10^{MOST_SIZE}", node)
            if not exponent.is_Integer:
                self._under_roots += len(sympy.Mul.make_args(base))
                if self._under_roots > MOST_UNDER_ROOTS:
                    raise self._refusal(f"at most {MOST_UNDER_ROOTS} factors stand under roots", node)
                for factor in sympy.Mul.make_args(base):
                    if factor.is_Rational:
                        self._bounded(factor, node, MOST_ROOT_DIGITS)
        if base.is_Rational and base.p == 1 and not exponent.is_Rational:
            return sympy.Pow(base.q, -exponent)  # sympy would write (1/3)**k so only within products
        return sympy.Pow(base, exponent)

    def _size(self, factor: sympy.Expr, node: Tree[Token]) -> float:
        """About how many digits a constant factor has; 0 for one that is not constant."""
        base, exponent = factor.as_base_exp()
        if base.is_Rational and exponent.is_Rational:
            return _digits(base) * _upper(self._enclosure(exponent, node))
        size = self._enclosure(factor, node)
        if size is None:
            return 0.0
        return _upper(_intervals().log(abs(size))) / math.log(10)

    def _bounded(
        self, number: sympy.Rational, node: Tree[Token], under_root: int | None = None
    ) -> sympy.Rational:
        if _digits(number) > MOST_SIZE:
            raise self._refusal(f"constants must stay below 10^{MOST_SIZE}", node)
        if under_root is not None and _digits(number) > under_root:
            raise self._refusal(f"numbers under roots must stay below 10^{under_root}", node)
        return number

    def _check(self, result: sympy.Expr, node: Tree[Token]) -> None:
        """What sympy made is real and within the limits."""
        size = self._enclosure(result, node)
        if size is not None and result.is_Add and not (size > 0 or size < 0):
            raise self._refusal("this constant is too close to 0 to tell its sign", node)
        self._check_factors(len(sympy.Mul.make_args(result)), node)
        for factor in sympy.Mul.make_args(result):
            base, exponent = factor.as_base_exp()
            if base.is_Rational:
                self._bounded(base, node, None if exponent.is_Integer else MOST_ROOT_DIGITS)
            most = MOST_EXPONENT if base is not sympy.E else MOST_SIZE * math.log(10)
            for term in sympy.Add.make_args(exponent):
                size = self._enclosure(term, node)
                if size is not None and _upper(size) > most:
                    raise self._refusal(f"an exponent is at most {MOST_EXPONENT} in size", node)

    def _enclosure(self, value: sympy.Expr, node: Tree[Token]) -> Any:
        """An interval around a constant, or None for what has parameters.

        Refuses what is not real; each subexpression is looked at once in a formula.
        """
        if value not in self._enclosures:
            self._enclosures[value] = self._enclose(value, node)
        return self._enclosures[value]

    def _enclose(self, value: sympy.Expr, node: Tree[Token]) -> Any:
        iv = _intervals()
        if value.is_Symbol:
            return None
        if value.is_Rational:
            return iv.mpf(int(value.p)) / iv.mpf(int(value.q))
        if value is sympy.E:
            return iv.exp(1)
        if value.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I):
            raise self._refusal("this has no real value", node)
        if not isinstance(value, _WRITABLE):
            raise self._refusal(f"sympy makes {value.func.__name__} of this, which is no formula", node)
        parts = [self._enclosure(part, node) for part in value.args]
        if any(part is None for part in parts):
            return None
        if value.is_Add:
            return sum(parts)
        if value.is_Mul:
            return functools.reduce(lambda x, y: x * y, parts)
        if isinstance(value, sympy.exp):
            return iv.exp(parts[0])
        if isinstance(value, Top):
            count = int(value.args[0])
            low, high = (
                sorted(ends, reverse=True) for ends in zip(*((p.a, p.b) for p in parts[1:]), strict=True)
            )
            return iv.mpf([sum(low[:count]).a, sum(high[:count]).b])
        if value.is_Pow and value.exp.is_Integer:
            return parts[0] ** int(value.exp)
        if not parts[0] > 0:
            raise self._refusal("this has no real value, or is too close to it to tell", node)
        return iv.log(parts[0]) if isinstance(value, sympy.log) else iv.exp(parts[1] * iv.log(parts[0]))


def _upper(interval: Any) -> float:
    """A float at least as large as every |x| in the interval, up to rounding; inf if beyond."""
    return float(abs(interval).b)


# Writing: sympy to text.

_WRITABLE = (
    sympy.Symbol,
    sympy.Rational,
    sympy.Add,
    sympy.Mul,
    sympy.Pow,
    sympy.exp,
    sympy.log,
    Top,
    Over,
)
_WORST_CASES = (sympy.Max, sympy.Min, sympy.Abs)
_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly a text holds together


def _absolute(value: sympy.Expr) -> sympy.Expr:
    """|x| = max(x, -x)."""
    if sum(1 for _ in islice(sympy.preorder_traversal(value), MOST_PARTS)) == MOST_PARTS:
        raise FormulaError("abs is nested too deeply")
    return largest(value, -value)


def _as_top(value: sympy.Expr) -> sympy.Expr:
    """The same with Top for sympy's Max, Min and Abs."""
    if not value.has(*_WORST_CASES):
        return value
    parts = [_as_top(part) for part in value.args]
    if isinstance(value, sympy.Abs):
        return _absolute(parts[0])
    if isinstance(value, _WORST_CASES):
        return largest(*parts) if isinstance(value, sympy.Max) else least(*parts)
    return value.func(*parts)


def _check_writable(value: sympy.Expr) -> None:
    """Refuse what the grammar cannot write, by its name."""
    if value is sympy.oo:
        return
    for part in sympy.preorder_traversal(value):
        if isinstance(part, sympy.Float):
            raise FormulaError(_float_refusal(float(part)))
        if part in (sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
            raise FormulaError(f"{part} cannot stand in a formula; only oo can, alone")
        if not isinstance(part, (*_WRITABLE, *_WORST_CASES)) and part is not sympy.E:
            what = part if part.is_Atom else part.func.__name__
            raise FormulaError(f"{what} cannot be written in a formula")
        if part.is_Symbol and (
            not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(\[([0-9]+|i)\])?", part.name) or part.name == "oo"
        ):
            raise FormulaError(f"{_ascii(repr(part.name))} is no name that a formula can have")
        if part.is_Rational and _digits(part) > MOST_SIZE:
            raise FormulaError(f"constants must stay below 10^{MOST_SIZE}")


def to_text(expression: sympy.Expr) -> str:
    """The formula of an expression: `parse` reads it back as the same expression.

    >>> e1, e2, e10 = map(symbol, ["e1", "e2", "e10"])
    >>> to_text(e10 + 2*e2/3 - e1), to_text(least(e1, e2)), to_text(1 / sympy.sqrt(e1))
    ('2*e2/3 + e10 - e1', 'min(e1, e2)', '1/sqrt(e1)')
    >>> to_text(sympy.sin(e1))
    Traceback (most recent call last):
    dpcompose.language.formulas.FormulaError: sin cannot be written in a formula
    """
    _check_writable(expression)
    return "oo" if expression is sympy.oo else _Writing().text(_as_top(expression))


def _natural(text: str) -> list[str | int]:
    """The order of people: e2 before e10."""
    return [int(part) if part.isdecimal() else part for part in re.split("([0-9]+)", text)]


def _order(value: sympy.Expr, text: str) -> tuple[bool, bool, list[str | int]]:
    """Constants last, functions after powers, then by name; numbers in front do not count."""
    bare = re.sub(r"^-?([0-9]+\*)?", "", text)
    return not value.free_symbols, "(" in text, _natural(bare)


def _integer(number: int) -> tuple[str, int]:
    """A whole number ≥ 0; beyond 60 digits as a sum of shorter ones times powers of 10."""
    digits = str(number)
    if len(digits) <= MOST_DIGITS:
        return digits, _ATOM
    short = digits.rstrip("0")
    if len(short) <= MOST_DIGITS:
        power = f"10**{len(digits) - len(short)}"
        return (power, _POWER) if short == "1" else (f"{short}*{power}", _PRODUCT)
    parts = []
    for end in range(len(digits), 0, -MOST_DIGITS):
        part = digits[max(0, end - MOST_DIGITS) : end].lstrip("0")
        if part:
            parts.append(part if end == len(digits) else f"{part}*10**{len(digits) - end}")
    return " + ".join(reversed(parts)), _SUM


def _roots(product: sympy.Expr) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
    """The factors to write under one root, and the others: sympy makes sqrt(x)*sqrt(y) of sqrt(x*y)."""
    factors = list(sympy.Mul.make_args(product))
    roots = [one for one in factors if one.is_Pow and one.exp == sympy.Rational(1, 2)]
    # Only where sympy takes the one root apart again into the same factors.
    if len(roots) > 1 and sympy.sqrt(sympy.Mul(*(root.base for root in roots))) == sympy.Mul(*roots):
        return roots, [one for one in factors if one not in roots]
    return [], factors


class _Writing:
    """The texts of one expression's parts, each written once: a part is compared before it is used."""

    def __init__(self) -> None:
        self._written: dict[sympy.Expr, tuple[str, int]] = {}

    def text(self, value: sympy.Expr) -> str:
        """The text of a part."""
        if value not in self._written:
            self._written[value] = self._write(value)
        return self._written[value][0]

    def held(self, value: sympy.Expr, tightness: int) -> str:
        """The same, in parentheses where it holds together less tightly than needed."""
        text = self.text(value)
        return text if self._written[value][1] >= tightness else f"({text})"

    def _write(self, value: sympy.Expr) -> tuple[str, int]:
        """The text of an expression and how tightly it holds together."""
        if value.is_Symbol:
            return value.name, _ATOM
        if value is sympy.E:
            return "exp(1)", _ATOM
        if value.is_Integer and value >= 0:
            return _integer(int(value))
        if value.is_Add:
            return self._sum(value), _SUM
        if isinstance(value, Top):
            return self._top(value), _ATOM
        if isinstance(value, Over):
            m, x, k = value.args
            rest = f"{self.text(x)}, i, 1, {self.text(k)})"
            return (f"max({rest}" if m == 1 else f"sum({rest}" if m == k else f"top({m}, {rest}"), _ATOM
        if isinstance(value, (sympy.exp, sympy.log)):
            return f"{value.func.__name__}({self.text(value.args[0])})", _ATOM
        if value.is_Pow and not (value.exp.is_Rational and value.exp < 0):
            if value.exp == sympy.Rational(1, 2):
                return f"sqrt({self.text(value.base)})", _ATOM
            return f"{self.held(value.base, _ATOM)}**{self.held(value.exp, _POWER)}", _POWER
        return self._product(value), _PRODUCT

    def _sum(self, value: sympy.Expr) -> str:
        """Positive terms, negative terms, constants; but 1 - x rather than -x + 1."""

        def order(term: sympy.Expr) -> tuple[bool, bool, tuple[bool, bool, list[str | int]]]:
            text = self.text(term)
            return not term.free_symbols, text.startswith("-"), _order(term, text)

        texts = [self.text(term) for term in sorted(value.args, key=order)]
        first = next((at for at, text in enumerate(texts) if not text.startswith("-")), 0)
        texts.insert(0, texts.pop(first))
        rest = (f" - {text[1:]}" if text.startswith("-") else f" + {text}" for text in texts[1:])
        return texts[0] + "".join(rest)

    def _top(self, value: Top) -> str:
        count, terms = value.args[0], value.terms
        if count == 1 and len(terms) == 2 and terms[0] == -terms[1]:
            return f"abs({min(map(self.text, terms), key=lambda text: (text[0] == '-', text[0].isdigit()))})"
        return (f"top({count}, " if count != 1 else "max(") + self._list(terms) + ")"

    def _list(self, terms: Iterable[sympy.Expr]) -> str:
        return ", ".join(map(self.text, sorted(terms, key=lambda term: _order(term, self.text(term)))))

    def _is_minimum(self, value: sympy.Expr) -> bool:
        """Whether -value reads better as a minimum: value is max(-x, -y)."""
        if not (isinstance(value, Top) and value.args[0] == 1 and any(value.terms)):
            return False
        return all(term == 0 or self.text(term).startswith("-") for term in value.terms)

    def _product(self, value: sympy.Expr) -> str:
        number, rest = value.as_coeff_Mul()
        over: list[tuple[sympy.Expr, str]] = []
        under: list[tuple[sympy.Expr, str]] = []
        roots, others = _roots(rest)
        if roots:
            inside = sympy.Mul(*(root.base for root in roots))
            over.append((sympy.Mul(*roots), f"sqrt({self.text(inside)})"))
        for factor in others:
            if number < 0 and self._is_minimum(factor):
                number = -number
                over.append((factor, f"min({self._list(-term for term in factor.terms)})"))
            elif factor.is_Pow and factor.exp.is_Rational and factor.exp < 0:
                inverse = sympy.Pow(factor.base, -factor.exp)
                under.append((inverse, self.held(inverse, _POWER)))
            elif factor != 1:
                over.append((factor, self.held(factor, _POWER)))
        # Sums last: in front, a number or a sign would be multiplied into them.
        for factors in (over, under):
            factors.sort(key=lambda factor: (factor[0].is_Add, _order(*factor)))
        p, q = sympy.Integer(abs(number.p)), sympy.Integer(number.q)
        above, below = [text for _, text in over], [text for _, text in under]
        if p != 1 or not over:
            above.insert(0, self.held(p, _PRODUCT))
        if q != 1:
            below.insert(0, self.held(q, _POWER))
        # 1/(2*(x + y)) would be read as 1/(2*x + 2*y), which is another expression in sympy.
        apart = q != 1 and len(under) == 1 and under[0][0].is_Add
        if len(below) > 1 and not apart:
            below = [f"({'*'.join(below)})"]
        return ("-" if number < 0 else "") + "/".join(["*".join(above), *below])


# Values from Python.


def _float_refusal(value: float) -> str:
    if math.isinf(value):
        return "inf is a float; write sympy.oo"
    if math.isnan(value):
        return "nan is no number"
    exact = Fraction(float.__repr__(value))
    return f"{float.__repr__(value)} is a float; write Rational({exact.numerator}, {exact.denominator})"


def from_python(value: object, known: Mapping[str, sympy.Expr] | None = None) -> sympy.Expr:
    """The expression that a Python user gives: sympy, an int, a Fraction, or a formula's text.

    known -- what the names in a text mean; None for positive parameters of those names.
    A family's guarantee is in terms of its i-th member: e[i], also as sympy's Indexed.
    Floats are refused: their rational value is seldom what was meant.

    >>> from_python(Fraction(1, 3)), from_python("max(e1, e2)")
    (1/3, max(e1, e2))
    >>> from_python(0.1)
    Traceback (most recent call last):
    dpcompose.language.formulas.FormulaError: 0.1 is a float; write Rational(1, 10)
    """
    if isinstance(value, str):
        known = {name: symbol(name) for name in names(value)} if known is None else known
        return parse(value, known, index="i")
    if isinstance(value, sympy.Expr):
        value = value.xreplace({one: member(str(one.base)) for one in value.atoms(sympy.Indexed)})
        _check_writable(value)
        return _as_top(value)
    if isinstance(value, float):
        raise FormulaError(_float_refusal(value))
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        exact = sympy.Rational(int(value.numerator), int(value.denominator))
        _check_writable(exact)
        return exact
    shown = _ascii(repr(value))
    raise FormulaError(f"{shown if len(shown) <= 60 else type(value).__name__} is no formula and no number")


# Values at a point.

_MOST_BITS = 1_000_000


def evaluate(expression: sympy.Expr, point: Mapping[str, Fraction]) -> Fraction | None:
    """The exact value at a point, given by the parameters' names.

    None where the value is not rational or was not computed exactly.  Raises FormulaError
    where there is no real value, and ValueError for oo, which has no value to compute.

    >>> x = symbol("x")
    >>> evaluate(sympy.sqrt(x) + x**2, {"x": Fraction(1, 4)})
    Fraction(9, 16)
    >>> print(evaluate(sympy.exp(x), {"x": Fraction(1)}))
    None
    >>> evaluate(1/(x - 1), {"x": Fraction(1)})
    Traceback (most recent call last):
    dpcompose.language.formulas.FormulaError: 1/(x - 1) has no real value at x = 1
    """
    if expression.has(sympy.oo, -sympy.oo):
        raise ValueError("oo has no value at a point")
    return _value(_as_top(expression), point)


def _value(it: sympy.Expr, point: Mapping[str, Fraction]) -> Fraction | None:
    if it.is_Symbol:
        if it.name not in point:
            raise FormulaError(f"no value is given for {it.name}")
        return Fraction(point[it.name])
    if it.is_Rational:
        return Fraction(int(it.p), int(it.q))
    if it is sympy.E:
        return None
    if not isinstance(it, _WRITABLE):
        _check_writable(it)
    if isinstance(it, Over):
        return _over_at(it, point)
    # Every part is looked at even if one has no exact value: another may have no real value.
    values = [_value(part, point) for part in it.args]
    exact = [value for value in values if value is not None]
    if len(exact) < len(values):
        return None
    if it.is_Add:
        return sum(exact, Fraction(0))
    if it.is_Mul:
        return functools.reduce(lambda x, y: x * y, exact)
    if isinstance(it, Top):
        return sum(sorted(exact[1:], reverse=True)[: int(exact[0])], Fraction(0))
    if isinstance(it, sympy.exp):
        return Fraction(1) if exact[0] == 0 else None
    if isinstance(it, sympy.log):
        if exact[0] <= 0:
            raise _no_value(it, point)
        return Fraction(0) if exact[0] == 1 else None
    base, exponent = exact
    if (base == 0 and exponent < 0) or (base < 0 and exponent.denominator != 1):
        raise _no_value(it, point)
    return _exact_power(base, exponent)


def _over_at(it: Over, point: Mapping[str, Fraction]) -> Fraction | None:
    """The m largest members, written out for the number of members that the point says."""
    x = it.args[1]
    m, k = _value(it.args[0], point), _value(it.args[2], point)
    if k is None or m is None or k.denominator != 1 or not 1 <= k <= MOST_TERMS:
        return None
    families = [family for one in x.free_symbols if (family := family_of(one.name))]
    values = []
    for j in range(1, int(k) + 1):
        if missing := [family for family in families if f"{family}[{j}]" not in point]:
            raise FormulaError(f"no value is given for {missing[0]}[{j}]")
        values.append(
            _value(x, {**point, **{f"{family}[i]": point[f"{family}[{j}]"] for family in families}})
        )
    exact = [value for value in values if value is not None]
    return sum(sorted(exact, reverse=True)[: int(m)], Fraction(0)) if len(exact) == len(values) else None


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """base**exponent, or None where it is irrational or of a million bits."""
    if base in (0, 1) or exponent == 0:
        return Fraction(1) if exponent == 0 else base
    p, p_exact = sympy.integer_nthroot(abs(base.numerator), exponent.denominator)
    q, q_exact = sympy.integer_nthroot(base.denominator, exponent.denominator)
    if not (p_exact and q_exact):
        return None
    root = Fraction(int(p), int(q)) * (-1 if base < 0 else 1)
    bits = max(int(p).bit_length(), int(q).bit_length())
    return root**exponent.numerator if bits * abs(exponent.numerator) <= _MOST_BITS else None


def _no_value(it: sympy.Expr, point: Mapping[str, Fraction]) -> FormulaError:
    used = sorted((one.name for one in it.free_symbols), key=_natural)
    where = ", ".join(f"{name} = {point[name]}" for name in used[:6]) + (", ..." if len(used) > 6 else "")
    return FormulaError(f"{to_text(it)} has no real value" + (f" at {where}" if where else ""))
