"""The grammar of formulas: text to tokens to tree, every limit checked before the work that it bounds.

From loosest to tightest: sums, products, signs, powers, atoms.  ** is right associative and binds tighter
than a sign on its left, so -2**2 is -(2**2).  Nothing is ever evaluated as Python.

    sum     = product {("+" | "-") product}          atom = number | name | "(" sum ")"
    product = factor {("*" | "/") factor}                 | name "(" [sum {"," sum}] ")"
    factor  = ("+" | "-") factor | power                  | name "[" sum "]"
    power   = atom ["**" factor]
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from dpcompose.kernel.expressions import naming

MOST_CHARACTERS = 100_000
MOST_TOKENS = 20_000
MOST_TERMS = 2_000
MOST_DEPTH = 60
MOST_DIGITS = 60  # of a written number
MOST_WRITTEN_EXPONENT = 400  # 1e-400
MOST_REMEMBERED = 1_000  # characters of a formula whose tree is kept

ABBREVIATIONS = {
    "tanh": "1 - 2/(exp(2*x) + 1)",
    "sinh": "(exp(x) - exp(-x))/2",
    "cosh": "(exp(x) + exp(-x))/2",
    "log2": "log(x)/log(2)",
}
"""Functions of one value x that are read as what they are in others."""
_BASIC = ("sqrt", "exp", "log", "max", "min", "abs", "top")
FUNCTIONS = (*_BASIC, *ABBREVIATIONS)
OVER_FAMILIES = ("sum", "prod")
"""What is worked out of all members of a family."""
NO_NUMBERS = {"nan": "nan is no number"} | dict.fromkeys(("inf", "infinity"), "infinity is the formula oo")
"""What stands for no number, or for another formula, in other programs, and so is no name here."""
RESERVED = frozenset({*_BASIC, "sum", "oo"})
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
    """A name in quotation marks, cut where it is long."""
    return repr(name if len(name) <= most else name[: most - 3] + "...")


_COMPARISON = "a formula is one value, without a comparison"
_INSTEAD = {
    "^": "write ** for a power",
    "=": _COMPARISON,
    "<": _COMPARISON,
    ">": _COMPARISON,
    "!": "a formula is one value, without a comparison or factorial",
    "\u2264": _COMPARISON,
    "\u2265": _COMPARISON,
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
    "lb": "log2",
    "ld": "log2",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A number, a name or a sign of a formula, and its column, from 1."""

    kind: str
    text: str
    column: int


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula: its kind, its text (of a number, name or sign), its parts, and its column.

    kinds -- number, name, sum and product (`text` has a sign before each part: "+-+", "*/"), signed,
    power, call, family, group.
    """

    kind: str
    text: str
    below: tuple[Node, ...]
    column: int

    def every(self) -> Iterator[Node]:
        """The node and all below it."""
        yield self
        for node in self.below:
            yield from node.every()


WORD = re.compile(rf"[A-Za-z_{naming.GREEK}][A-Za-z0-9_{naming.GREEK}{naming.BELOW}]*")
"""What is a name, where no digits stand before it: 2e1 is a number, unless e1 has a meaning."""
_TOKEN = re.compile(
    rf"(?P<number>[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)|(?P<name>{WORD.pattern})"
    r"|(?P<sign>\*\*|[-+*/()\[\],])|(?P<blank>[ \t]+)"
)


def tokens(text: str) -> list[Token]:
    """The words of a formula, their number and the size of its numbers within the limits."""
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(f"a formula has at most {MOST_CHARACTERS} characters, not {len(text)}")
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            hint = _INSTEAD.get(text[at])
            raise FormulaError(
                f"{_shown(text[at])} cannot stand in a formula" + (f"; {hint}" if hint else ""), text, at + 1
            )
        kind = str(match.lastgroup if match.lastgroup in ("name", "sign", "blank") else "number")
        if kind != "blank":
            if len(found) == MOST_TOKENS:
                raise FormulaError(
                    f"a formula has at most {MOST_TOKENS} numbers, names and signs", text, at + 1
                )
            found.append(Token(kind, naming.spelled(match[0]), at + 1))
            if kind == "number":
                _check_number(found[-1], text)
        at = match.end()
    if not found:
        raise FormulaError("the formula is empty", text, 1)
    return found


def _check_number(token: Token, text: str) -> None:
    mantissa, _, exponent = token.text.lower().partition("e")
    if len(mantissa.replace(".", "")) > MOST_DIGITS:
        raise FormulaError(f"a number has at most {MOST_DIGITS} digits", text, token.column)
    if abs(exponent_of(exponent)) > MOST_WRITTEN_EXPONENT:
        raise FormulaError(
            f"the exponent of a number is at most {MOST_WRITTEN_EXPONENT} in size", text, token.column
        )


def exponent_of(written: str) -> int:
    """The value of "-06"; of more than 9 digits only that it is large (int() refuses very long ones)."""
    digits = written.lstrip("+-").lstrip("0")[:9] or "0"
    return -int(digits) if written.startswith("-") else int(digits)


class _Reader:
    """Reads tokens by the grammar above, one function a rule; depth is counted on the way down."""

    def __init__(self, text: str, some: list[Token]) -> None:
        self.text, self.tokens, self.at, self.depth = text, some, 0, 0

    @property
    def next(self) -> str:
        """The text of the next token if it is a sign; "" elsewhere."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        return token.text if token is not None and token.kind == "sign" else ""

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def deeper(self, column: int) -> None:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise FormulaError(f"a formula is nested at most {MOST_DEPTH} deep", self.text, column)

    def sum(self) -> Node:
        return self._joined("sum", ("+", "-"))

    def product(self) -> Node:
        return self._joined("product", ("*", "/"))

    def _joined(self, kind: str, signs: tuple[str, str]) -> Node:
        read = self.product if kind == "sum" else self.factor
        parts, before = [read()], [signs[0]]
        while self.next in signs and self.next:
            before.append(self.take().text)
            parts.append(read())
        return parts[0] if len(parts) == 1 else Node(kind, "".join(before), tuple(parts), parts[0].column)

    def factor(self) -> Node:
        if self.next in ("+", "-") and self.next:
            sign = self.take()
            self.deeper(sign.column)
            node = Node("signed", sign.text, (self.factor(),), sign.column)
            self.depth -= 1
            return node
        return self.power()

    def power(self) -> Node:
        base = self.atom()
        if self.next != "**":
            return base
        self.deeper(base.column)
        self.take()
        node = Node("power", "", (base, self.factor()), base.column)
        self.depth -= 1
        return node

    def atom(self) -> Node:
        if self.at == len(self.tokens) or (self.tokens[self.at].kind == "sign" and self.next != "("):
            raise self.misplaced()
        token = self.take()
        if token.kind == "number":
            return Node("number", token.text, (), token.column)
        if token.kind == "name" and self.next == "(":
            return self._inside("call", token, ")")
        if token.kind == "name" and self.next == "[":
            return self._inside("family", token, "]")
        if token.kind == "name":
            return Node("name", token.text, (), token.column)
        self.at -= 1
        return self._inside("group", token, ")")

    def _inside(self, kind: str, token: Token, end: str) -> Node:
        """What stands in parentheses or brackets: one sum, or of a call any number of them."""
        self.deeper(token.column)
        self.take()
        parts = []
        if not (kind == "call" and self.next == end):
            parts.append(self.sum())
            while kind == "call" and self.next == ",":
                self.take()
                parts.append(self.sum())
        if self.next != end:
            raise self.misplaced()
        self.take()
        self.depth -= 1
        return Node(kind, token.text if kind != "group" else "", tuple(parts), token.column)

    def misplaced(self) -> FormulaError:
        """What is wrong where the next token, or the end, does not continue the formula."""
        text, at = self.text, self.at
        opened: list[Token] = []
        for token in self.tokens[:at]:
            if token.text in ("(", "["):
                opened.append(token)
            elif token.text in (")", "]") and opened:
                opened.pop()
        before = self.tokens[at - 1] if at else None
        after_value = before is not None and (before.kind != "sign" or before.text in (")", "]"))
        if at == len(self.tokens):
            if opened and after_value:
                return FormulaError(f"this {opened[-1].text} is never closed", text, opened[-1].column)
            ending = "" if before is None else before.text
            return FormulaError(f"a value is missing after '{ending}'", text, len(text.rstrip()) + 1)
        token, column = self.tokens[at], self.tokens[at].column
        if (token.kind != "sign" or token.text == "(") and after_value and before is not None:
            return FormulaError(
                f"write * between {clip(before.text)} and {clip(token.text)} for a product", text, column
            )
        if token.text in (")", "]") and not opened:
            return FormulaError(f"this {token.text} closes nothing", text, column)
        if token.text == "," and after_value:
            return FormulaError("a comma stands only between the arguments of a function", text, column)
        if token.text != "[" and not after_value:
            return FormulaError(f"a value is missing before '{token.text}'", text, column)
        return FormulaError(f"'{token.text}' cannot stand here", text, column)


def read_tree(text: str, known: Collection[str] = ()) -> Node:
    """The tree of a formula within all limits that concern its shape."""
    if not isinstance(text, str):
        raise FormulaError(f"a formula is a text, not {type(text).__name__}")
    if len(text) <= MOST_REMEMBERED:
        with suppress(FormulaError):  # whose message does not say what is known
            return _read_once(text)
    return _read(text, known)


@lru_cache(maxsize=1024)
def _read_once(text: str) -> Node:
    return _read(text, ())


def _read(text: str, known: Collection[str]) -> Node:
    some = tokens(text)
    reader = _Reader(text, some)
    tree = reader.sum()
    if reader.at < len(some):
        raise reader.misplaced()
    _check_shape(text, tree, known)
    if len(some) > 1:
        for token in some:
            if token.text == "oo":
                raise FormulaError("oo is a formula only when it stands alone", text, token.column)
    return tree


def _check_shape(text: str, tree: Node, known: Collection[str]) -> None:
    """Refuse too many terms, and unknown functions.

    Terms are the operands of sums and the arguments of functions (an argument that is a sum counts by its
    operands).
    """
    terms = 0
    for node in tree.every():
        if node.kind in ("sum", "call"):
            terms += sum(child.kind != "sum" for child in node.below)
            if terms > MOST_TERMS:
                raise FormulaError(f"a formula has at most {MOST_TERMS} terms", text, node.column)
        if node.kind == "name" and (why := NO_NUMBERS.get(node.text.lower())):
            raise FormulaError(why, text, node.column)
        if node.kind == "call" and node.text not in (*FUNCTIONS, *OVER_FAMILIES):
            raise FormulaError(_unknown_function(node.text, known), text, node.column)


def _near(name: str, choices: Collection[str]) -> str | None:
    found = difflib.get_close_matches(name, choices, n=1) if len(name) <= 40 else []
    return found[0] if found else None


def _unknown_function(name: str, known: Collection[str]) -> str:
    if name in known:
        return f"{clip(name)} is a parameter, no function; write * before ( for a product"
    near = _FUNCTIONS_ELSEWHERE.get(name) or _near(name, FUNCTIONS)
    hint = f"did you mean {near!r}?" if near else "the functions are " + ", ".join(FUNCTIONS)
    return f"unknown function {clip(name)}; {hint}"


def unknown_name(name: str, known: Collection[str], what: str = "name") -> str:
    """What is wrong with a name, or another thing that has one, that stands for nothing here."""
    if name in (*FUNCTIONS, *OVER_FAMILIES):
        return f"{name!r} is a function; write {name}(...)"
    if near := _near(name, [*known, *FUNCTIONS]):
        return f"unknown {what} {clip(name)}; did you mean {near!r}?"
    if not known:
        return f"unknown {what} {clip(name)}; no names are known here"
    some = ", ".join(sorted(known, key=natural)[:10]) + (", ..." if len(known) > 10 else "")
    return f"unknown {what} {clip(name)}; known names: {some}"


def natural(text: str) -> list[str | int]:
    """The order of people: e2 before e10."""
    return [int(part) if part.isdecimal() else part for part in re.split("([0-9]+)", text)]


def names(text: str) -> tuple[str, ...]:
    """The parameters of a formula, in the order of their first appearance.

    A family e[…] counts as its general member e[i], and bound indices are left out.

    >>> names("max(e2 + e1, 2*e2, exp(d))"), names("sum(e[j], j, 1, k)")
    (('e2', 'e1', 'd'), ('e[i]', 'k'))
    """
    return tuple(dict.fromkeys(_names(read_tree(text), frozenset())))


def _names(node: Node, bound: frozenset[str]) -> Iterator[str]:
    if node.kind == "name" and node.text not in (*bound, "oo"):
        yield node.text
    if node.kind == "family":
        index = node.below[0]
        yield naming.member(node.text, index.text) if index.kind == "number" else naming.general(node.text)
        return
    if node.kind == "call" and runs_over(node):
        bound |= {node.below[-3].text}
    for one in node.below:
        yield from _names(one, bound)


def runs_over(node: Node) -> bool:
    """Whether a call is (x, i, first, last) of a family, and not four plain values."""
    if len(node.below) < 4 or node.below[-3].kind != "name":
        return False
    index = node.below[-3].text
    if node.text in OVER_FAMILIES:
        return True
    inside = (one.below[0] for one in node.below[-4].every() if one.kind == "family")
    return node.below[-2].kind == "number" and any(one.text == index for one in inside)
