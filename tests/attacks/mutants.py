"""Mutation testing of the kernel: one operator, number or guard is changed, and the derivations have to show it.

python tests/attacks/mutants.py [--some N] [--seed N] [FILE...]: of all changes in kernel/core, kernel/rules and the files
beside them, or of some at random.  A mutant is killed where a good derivation is refused or concludes otherwise, or a
forged one of tests/forged/kernel.jsonl is accepted or refused in other words, and else by the tests of the kernel.
Functions get other code in a process of their own, so a mutant costs what its derivations cost.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import gc
import io
import json
import os
import random
import signal
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "kernel")]

KERNEL = ROOT / "dpcompose" / "kernel"
FILES = sorted(
    [*(KERNEL / "core").glob("*.py"), *(KERNEL / "rules").glob("*.py")]
    + [
        KERNEL / f"{name}.py"
        for name in ("check", "comparison", "theorems", "judgements", "arguments", "saved")
    ]
)
"""What is mutated."""
SECONDS = 120
"""After which a mutant counts as killed: it does not end."""
KILLED, SURVIVED = 1, 0


# mutants


@dataclass(frozen=True)
class Mutant:
    """A change at one place of a file: of which node, and which of its changes."""

    file: Path
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
            yield "a guard is left out", lambda it: setattr(it, "test", ast.Constant(False))
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
    for n, node in enumerate(bodies(tree)):
        for m, (words, _) in enumerate(changes(node)):
            yield Mutant(file, getattr(node, "lineno", 0), words, n, m)


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code and those inside of it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from codes(one)


def install(mutant: Mutant) -> int:
    """Gives the functions of a file the mutant's code; how many of them have other code then."""
    made = compile(mutant.tree, str(mutant.file), "exec")
    new = {(one.co_name, one.co_firstlineno): one for one in codes(made)}
    found = 0
    gc.unfreeze()
    for one in [it for it in gc.get_objects() if isinstance(it, types.FunctionType)]:
        if one.__code__.co_filename == str(mutant.file):
            code = new.get((one.__code__.co_name, one.__code__.co_firstlineno))
            if code is not None and len(code.co_freevars) == len(one.__code__.co_freevars):
                found += code != one.__code__
                one.__code__ = code
    for it in gc.get_objects():
        if isinstance(it, functools._lru_cache_wrapper):
            it.cache_clear()
    return found


# what kills them


def material(more: Sequence[str] = ()) -> tuple[Any, list[tuple[dict[str, Any], list[str] | str]]]:
    """The theory, and derivations: good ones with what they conclude, forged ones with their refusal.

    more -- further problem files whose derivations are good.
    """
    import test_forged

    told: list[tuple[dict[str, Any], list[str] | str]] = []
    for name in [*test_forged.OF, *more]:
        try:
            data = test_forged.good(name)
        except Exception:  # a file that is about metrics alone
            continue
        told.append((data, [str(one.says) for one in test_forged.replayed(data)]))
    told += [(test_forged.forged(one.of, one.edits), one.refused) for one in test_forged.EVERY]
    told.sort(key=lambda one: len(json.dumps(one[0])))
    return test_forged, told


def differs(test_forged: Any, told: Sequence[tuple[dict[str, Any], list[str] | str]]) -> bool:
    """Whether any derivation ends otherwise."""
    for data, expected in told:
        try:
            found: list[str] | str = [str(one.says) for one in test_forged.replayed(data)]
        except (test_forged.Refused, test_forged.BadSetting) as error:
            found = str(error)
        if found != expected:
            return True
    return False


def tests_fail(files: Sequence[str]) -> bool:
    """Whether a test of the kernel fails."""
    import pytest

    with contextlib.redirect_stdout(io.StringIO()):
        chosen = ["-q", "-x", "-p", "no:cacheprovider", "-n", "0", "-p", "no:warnings", "--no-header"]
        return pytest.main([*chosen, *files]) != 0


def outcome(mutant: Mutant, judged: Callable[[], bool], seconds: int = SECONDS) -> int:
    """KILLED or SURVIVED, in a process of its own."""
    pid = os.fork()
    if pid == 0:
        status = KILLED
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            install(mutant)
            status = KILLED if judged() else SURVIVED
        except BaseException:
            status = KILLED
        finally:
            os._exit(status)
    _, ended = os.waitpid(pid, 0)
    return SURVIVED if os.waitstatus_to_exitcode(ended) == SURVIVED else KILLED


SLOWER = (
    *("kernel/core", "kernel/composition", "kernel/test_arguments.py", "kernel/test_chains.py"),
    *("kernel/test_comparison.py", "kernel/test_saved.py", "kernel/test_claims_that_say_nothing.py"),
    *("kernel/test_in_metrics.py", "proof/test_forged_metrics.py", "kernel/test_within_limits.py"),
)
"""The tests of the kernel that those have to pass that no derivation kills."""


def left(some: Sequence[Mutant], judged: Callable[[], bool], seconds: int, words: str) -> list[Mutant]:
    """Those that are not killed; how far one is stands on standard error."""
    found = []
    for n, one in enumerate(some, start=1):
        if outcome(one, judged, seconds) == SURVIVED:
            found.append(one)
            print(f"  {one}", file=sys.stderr, flush=True)
        if n % 10 == 0 or n == len(some):
            print(f"{words}: {n - len(found)} of {n} are killed", file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Prints the score and the survivors."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("files", nargs="*", type=Path, help="left out: all")
    given.add_argument("--some", type=int, help="so many at random")
    given.add_argument("--seed", type=int, default=0)
    given.add_argument(
        "--tests", action="store_true", help="survivors have to pass the tests of the kernel, too"
    )
    said = given.parse_args()
    every = [one for file in said.files or FILES for one in mutants(file.resolve())]
    chosen = random.Random(said.seed).sample(every, min(said.some or len(every), len(every)))
    shipped = sorted(path.name for path in (ROOT / "notebooks" / "problems").glob("*.toml"))
    test_forged, told = material(shipped if said.tests else ())
    survivors = left(chosen, lambda: differs(test_forged, told), SECONDS, "by derivations")
    if said.tests:
        slower = [str(ROOT / "tests" / name) for name in SLOWER]
        survivors = left(survivors, lambda: tests_fail(slower), 600, "by tests of the kernel")
    for one in sorted(survivors, key=str):
        print(one)
    killed = len(chosen) - len(survivors)
    print(
        f"{killed} of {len(chosen)} mutants are killed: {100 * killed / len(chosen):.1f} % (of {len(every)} in all)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
