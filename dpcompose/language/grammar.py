"""The grammar of formulas: text to tokens to tree, with every limit checked before the work it bounds.

The language itself is formulas.lark.  Nothing here recurses: lark's LALR parser keeps its own stack.
"""

from __future__ import annotations

import difflib
import functools
import re
import unicodedata
from collections.abc import Collection
from pathlib import Path

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput

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

    @property
    def line(self) -> str:
        """The same in one line, as a part of another sentence."""
        return f"{self.message}, in {clip(self.text, 100)}" if self.text else self.message

    def __str__(self) -> str:
        if self.column is None:
            return self.message
        start, end = _window(len(self.text), self.column - 1)
        before = ("..." if start else "") + escaped(self.text[start : self.column - 1])
        after = escaped(self.text[self.column - 1 : end]) + ("..." if end < len(self.text) else "")
        return f"{self.message}\n  {before}{after}\n  {' ' * len(before)}^"


def _window(length: int, at: int, width: int = 64) -> tuple[int, int]:
    """What to show of a long text: about `width` characters around position `at`."""
    start = max(0, min(at - width // 2, length - width))
    return start, min(length, start + width)


def escaped(text: str) -> str:
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
    return f"'{character if harmless else escaped(character)}' ({name}, U+{ord(character):04X})"


def clip(name: str, most: int = 40) -> str:
    return repr(name if len(name) <= most else name[: most - 3] + "...")


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
                    f"a formula has at most {MOST_TOKENS} numbers, names and signs", text, column_of(token)
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
        raise FormulaError(f"a number has at most {MOST_DIGITS} digits", text, column_of(token))
    if abs(exponent_of(exponent)) > MOST_WRITTEN_EXPONENT:
        raise FormulaError(
            f"the exponent of a number is at most {MOST_WRITTEN_EXPONENT} in size", text, column_of(token)
        )


def exponent_of(written: str) -> int:
    """The value of "-06"; of more than 9 digits only that it is large (int() refuses very long ones)."""
    digits = written.lstrip("+-").lstrip("0")[:9] or "0"
    return -int(digits) if written.startswith("-") else int(digits)


def column_of(where: Token | Tree[Token]) -> int:
    start = where.start_pos if isinstance(where, Token) else where.meta.start_pos
    return (start or 0) + 1


def read_tree(text: str, known: Collection[str] = ()) -> tuple[list[Token], Tree[Token]]:
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
                raise FormulaError("oo is a formula only when it stands alone", text, column_of(token))
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
            return FormulaError(f"this {opened[-1]} is never closed", text, column_of(opened[-1]))
        return FormulaError(f"a value is missing after '{before}'", text, len(text.rstrip()) + 1)
    token, column = tokens[at], column_of(tokens[at])
    if token.type in ("NUMBER", "NAME", "LPAR") and after_value:
        return FormulaError(
            f"write * between {clip(str(before))} and {clip(str(token))} for a product", text, column
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
            raise FormulaError(f"a formula is nested at most {MOST_DEPTH} deep", text, column_of(node))
        below = [child for child in node.children if isinstance(child, Tree)]
        if node.data in ("sum", "call"):
            terms += sum(child.data != "sum" for child in below)
            if terms > MOST_TERMS:
                raise FormulaError(f"a formula has at most {MOST_TERMS} terms", text, column_of(node))
        if node.data == "call" and (name := str(node.children[0])) not in (*FUNCTIONS, "sum"):
            raise FormulaError(_unknown_function(name, known), text, column_of(node))
        waiting.extend((child, depth) for child in reversed(below))


def _near(name: str, choices: Collection[str]) -> str | None:
    found = difflib.get_close_matches(name, choices, n=1) if len(name) <= 40 else []
    return found[0] if found else None


def _unknown_function(name: str, known: Collection[str]) -> str:
    if name in known:
        return f"{clip(name)} is a parameter, no function; write * before ( for a product"
    near = _FUNCTIONS_ELSEWHERE.get(name) or _near(name, FUNCTIONS)
    hint = f"did you mean {near!r}?" if near else "the functions are " + ", ".join(FUNCTIONS)
    return f"unknown function {clip(name)}; {hint}"


def unknown_name(name: str, known: Collection[str]) -> str:
    if name in FUNCTIONS or name == "sum":
        return f"{name!r} is a function; write {name}(...)"
    if near := _near(name, [*known, *FUNCTIONS]):
        return f"unknown name {clip(name)}; did you mean {near!r}?"
    if not known:
        return f"unknown name {clip(name)}; no names are known here"
    some = ", ".join(sorted(known, key=natural)[:10]) + (", ..." if len(known) > 10 else "")
    return f"unknown name {clip(name)}; known names: {some}"


def natural(text: str) -> list[str | int]:
    """The order of people: e2 before e10."""
    return [int(part) if part.isdecimal() else part for part in re.split("([0-9]+)", text)]


def names(text: str) -> tuple[str, ...]:
    """The parameters of a formula, in the order of their first appearance.

    A family e[…] counts as its general member e[i], and bound indices are left out.

    >>> names("max(e2 + e1, 2*e2, exp(d))"), names("sum(e[j], j, 1, k)")
    (('e2', 'e1', 'd'), ('e[i]', 'k'))
    """
    _, tree = read_tree(text)
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


def _runs_over(node: Tree[Token], below: list[Tree[Token]]) -> bool:
    """Whether a call is (x, i, first, last) of a family, and not four plain values."""
    index = below[-3]
    if index.data != "name" or (node.children[0] != "sum" and below[-2].data != "number"):
        return False
    members = (one.children[1] for one in below[-4].iter_subtrees() if one.data == "family")
    inside = [one for one in members if isinstance(one, Tree)]
    return node.children[0] == "sum" or any(one.children[0] == index.children[0] for one in inside)
