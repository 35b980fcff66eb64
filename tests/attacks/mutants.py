"""Mutation testing of the kernel: one operator, number or guard is changed, and a test has to fail.

python tests/attacks/mutants.py [--some N] [--seed N] [--reached FILE] [FILE...]: of all changes in the kernel, or of
some at random.  Which tests reach which line is recorded once, with `coverage`, and kept in the file that
`--reached` names, to which new tests are added; a mutant is run by the tests that reach its line, the fastest
first and of every test function one before its second one, until one of them fails.  All is done in one process
that has imported everything: its functions get other code in a process of their own, so a mutant costs what its
tests cost.
"""

from __future__ import annotations

import argparse
import ast
import functools
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "attacks")]

KERNEL = ROOT / "dpcompose" / "kernel"
FILES = sorted(KERNEL.rglob("*.py"))
"""What is mutated."""


# mutants


@dataclass(frozen=True)
class Mutant:
    """A change at one place of a file: of which node, and which of its changes; first -- where its function begins,
    up to which a test of a line before it will do."""

    file: Path
    first: int
    line: int
    words: str
    node: int
    change: int

    @property
    def tree(self) -> ast.Module:
        """The file with the change."""
        tree = ast.parse(self.file.read_text(encoding="utf-8"))
        at = bodies(tree)[self.node]
        list(changes(at))[self.change][1](at)
        return ast.fix_missing_locations(tree)

    def __str__(self) -> str:
        return f"{self.file.relative_to(KERNEL)}:{self.line}: {self.words}"


COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{
        ast.Lt: ast.LtE,
        ast.LtE: ast.Lt,
        ast.Gt: ast.GtE,
        ast.GtE: ast.Gt,
        ast.Eq: ast.NotEq,
        ast.NotEq: ast.Eq,
    },
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
GUARD = "a guard is left out"
CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr},
}


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """The changes of a node, which are made on a copy of it, in words."""
    match node:
        case ast.Compare(ops=ops):
            for n, one in enumerate(ops):
                other = COMPARED[type(one)]
                yield f"{type(one).__name__} is {other.__name__}", functools.partial(_compare, n, other)
        case ast.BoolOp(op=op):
            other_op = ast.Or if isinstance(op, ast.And) else ast.And
            yield f"{type(op).__name__} is {other_op.__name__}", lambda it: setattr(it, "op", other_op())
        case ast.BinOp(op=op) if type(op) in CALCULATED:
            new = CALCULATED[type(op)]
            yield f"{type(op).__name__} is {new.__name__}", lambda it: setattr(it, "op", new())
        case ast.UnaryOp(op=ast.Not()):
            yield "not is left out", lambda it: setattr(it, "op", ast.UAdd()) or _negated_twice(it)
        case ast.Constant(value=bool() as value):
            yield f"{value} is {not value}", lambda it: setattr(it, "value", not value)
        case ast.Constant(value=int() as number):
            yield f"{number} is {number + 1}", lambda it: setattr(it, "value", number + 1)
        case ast.If(body=[ast.Raise()]):
            yield GUARD, lambda it: setattr(it, "test", ast.Constant(False))
        case ast.If() | ast.IfExp():
            yield "a condition always holds", lambda it: setattr(it, "test", ast.Constant(True))


def _compare(n: int, other: type[ast.cmpop], it: ast.Compare) -> None:
    it.ops[n] = other()


def _negated_twice(it: ast.UnaryOp) -> None:
    """not x becomes not not x, which is a truth value too."""
    it.op, it.operand = ast.Not(), ast.UnaryOp(ast.Not(), it.operand)


def bodies(tree: ast.Module) -> list[ast.AST]:
    """The nodes in the bodies of functions, in order, without annotations and messages."""
    found: list[ast.AST] = []

    def go(node: ast.AST, inside: bool) -> None:
        if isinstance(node, ast.JoinedStr):
            return
        if inside:
            found.append(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "args") and isinstance(
                node, ast.FunctionDef | ast.arg | ast.AnnAssign
            ):
                continue
            within = inside or (isinstance(node, ast.FunctionDef) and name == "body")
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.AST):
                    go(one, within)

    go(tree, False)
    return found


def mutants(file: Path) -> Iterator[Mutant]:
    """All mutants of a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    for n, node in enumerate(bodies(tree)):
        line = getattr(node, "lineno", 0)
        around = [one.lineno for one in functions if one.lineno <= line <= (one.end_lineno or 0)]
        for m, (words, _) in enumerate(changes(node)):
            if isinstance(node, ast.If) and words == GUARD:  # only where it refuses it is missed
                line = node.body[0].lineno
                around = [line]
            yield Mutant(file, max(around, default=line), line, words, n, m)


# which of them are killed


def sample(every: Sequence[Mutant], some: int | None, seed: int) -> list[Mutant]:
    """So many of all, at random; of the same seed a larger sample holds the smaller one."""
    mixed = list(every)
    random.Random(seed).shuffle(mixed)
    return mixed[: some or None]


def told(mutant: Mutant, ended: str, counts: Counter[str]) -> None:
    """How far one is, and what is not killed, on standard error."""
    if ended != "killed":
        print(f"  {ended}: {mutant}", file=sys.stderr, flush=True)
    if counts.total() % 50 == 0:
        print(f"{dict(counts)}", file=sys.stderr, flush=True)


def main() -> int:
    """Prints the score, and what is not killed."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("files", nargs="*", type=Path, help="left out: all")
    given.add_argument("--some", type=int, help="so many at random")
    given.add_argument("--after", type=int, default=0, help="without so many first ones of the sample")
    given.add_argument("--seed", type=int, default=0)
    given.add_argument(
        "--reached", type=Path, help="which tests reach which line; is written where there is none"
    )
    given.add_argument("--seconds", type=float, default=10, help="for the tests of one mutant")
    given.add_argument("--tests", nargs="*", help="other tests than those of the kernel")
    given.add_argument("--only", help="mutants that hold these words")
    said = given.parse_args()
    every = [one for file in said.files or FILES for one in mutants(file.resolve())]
    chosen = [
        one for one in sample(every, said.some, said.seed)[said.after :] if (said.only or "") in str(one)
    ]
    from reaching import TESTS, with_tests

    ends: dict[Mutant, str] = {}

    def attack(suite: Any) -> None:
        counts = Counter[str]()
        for one in chosen:
            ends[one] = suite.outcome(one, said.seconds)
            counts[ends[one]] += 1
            told(one, ends[one], counts)

    start = time.process_time()
    with_tests(attack, said.reached, said.tests or TESTS)
    for one, ended in sorted(ends.items(), key=lambda pair: str(pair[0])):
        if ended != "killed":
            print(f"{ended}: {one}")
    killed = sum(ended == "killed" for ended in ends.values())
    print(
        f"{killed} of {len(ends)} mutants are killed: {100 * killed / max(len(ends), 1):.1f} % "
        f"(of {len(every)} in all; {time.process_time() - start:.0f} s beside those of the mutants)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
