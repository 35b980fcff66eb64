"""Mutation testing of the kernel: one operator, number or guard is changed, and a test has to fail.

python tests/attacks/mutants.py [--some N] [--seed N] [--reached FILE] [FILE...]: of all changes in the kernel, or of
some at random.  Which tests reach which line is recorded once, with `coverage`, and kept in the file that
`--reached` names, to which new tests are added; a mutant is run by the tests that reach its line, the fastest
first, until one of them fails.  All is done in one process
that has imported everything: its functions get other code in a process of their own, so a mutant costs what its
tests cost.  Of those that survive, some are known to decide nothing that is accepted: explained.toml says why.
"""

from __future__ import annotations

import argparse
import ast
import functools
import random
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "attacks")]

KILLED = "killed"
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
    kind: str
    node: int
    change: int

    @property
    def tree(self) -> ast.Module:
        """The file with the change."""
        tree = ast.parse(self.file.read_text(encoding="utf-8"))
        at = bodies(tree)[self.node].node
        list(changes(at))[self.change][1](at)
        return ast.fix_missing_locations(tree)

    def __str__(self) -> str:
        return f"{self.name}:{self.line}: {self.words}"

    @property
    def text(self) -> str:
        """The text of the line, by which it is told where lines move."""
        return self.file.read_text(encoding="utf-8").splitlines()[self.line - 1].strip() if self.line else ""

    @property
    def name(self) -> str:
        """The file in the kernel."""
        return str(self.file.relative_to(KERNEL))


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
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult},
    **{ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr},
}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """The changes of a node, which are made on a copy of it, in words."""
    match node:
        case ast.Compare(ops=ops):
            for n, op in enumerate(ops):
                other = COMPARED[type(op)]
                yield f"{type(op).__name__} is {other.__name__}", functools.partial(_compare, n, other)
        case ast.BoolOp(op=op):
            other_op = ast.Or if isinstance(op, ast.And) else ast.And
            yield f"{type(op).__name__} is {other_op.__name__}", lambda it: setattr(it, "op", other_op())
        case ast.BinOp(op=op) if type(op) in CALCULATED:
            new = CALCULATED[type(op)]
            yield f"{type(op).__name__} is {new.__name__}", lambda it: setattr(it, "op", new())
        case ast.UnaryOp(op=ast.Not()):
            yield "not is left out", lambda it: setattr(it, "op", ast.UAdd()) or _negated_twice(it)
        case ast.UnaryOp(op=ast.USub()):
            yield "- is left out", lambda it: setattr(it, "op", ast.UAdd())
        case ast.Call(func=ast.Name(id=name)) if name in CALLED:
            yield f"{name} is {CALLED[name]}", lambda it: setattr(it.func, "id", CALLED[name])
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


MORE, LESS, WORK = "may accept more", "refuses more", "limits of work"
LENGTHS = "lengths are asserted"
DIGITS = "digits of enclosures"
"""What a mutant can do: every change of a quantity, and every other one of which it is not seen, may accept more."""
LARGER = {"Lt is LtE", "Gt is GtE", "And is Or"}
"""By these a condition holds more often, by their opposites less often."""
RAISED = "what is raised"
LIMITS = ("MOST", "LARGEST", "LONGEST", "HIGHEST", "FEW")
"""How the names of limits of work begin: a comparison with one decides how much is looked at, not what is true."""
OF_DIGITS = {"bits", "digits"}
"""What numbers of digits are called: enclosures hold whatever they are, and are only closer or less close."""
MADE_OF_DIGITS = {*OF_DIGITS, "more", "scale"}
"""What a number of digits is called that is made of one."""
ENCLOSING = {"enclosure": 2, "log": 2, "root": 2, "rounded": 1}
"""What encloses, to so many digits as its last argument says, and how many arguments it has."""
SCALED = (ast.Pow, ast.LShift, ast.RShift)
"""In a power of 2 a number of digits decides what is said."""
SMALLER = {"LtE is Lt", "GtE is Gt", "Or is And"}


@dataclass(frozen=True)
class Place:
    """A node in the body of a function; sense -- 1 where it refuses if it holds, -1 if it does not, 0: unknown;
    strict -- whether it asserts that what is gone through together is as long; digits -- whether it is part of a
    number of digits; work -- whether it is counted as work."""

    node: ast.AST
    sense: int
    strict: bool = False
    digits: bool = False
    work: bool = False

    def kind(self, words: str) -> str:
        """What a change of it can do."""
        if self.work or of_limits(self.limit):
            return WORK
        if self.strict:
            return LENGTHS
        if self.digits:
            return DIGITS
        refuses = (LARGER if self.sense > 0 else SMALLER if self.sense < 0 else set()) & {words}
        return LESS if refuses else MORE

    @property
    def limit(self) -> ast.AST:
        """The comparison in which a limit of work may stand."""
        if isinstance(self.node, ast.If) and isinstance(self.node.test, ast.Compare):
            return self.node.test
        return self.node if isinstance(self.node, ast.Compare) else ast.Pass()


def bodies(tree: ast.Module) -> list[Place]:
    """The nodes in the bodies of functions, in order.

    Without what decides nothing: annotations, texts put together, what is raised (its text, not whether it is),
    how a thing is shown to developers.
    """
    found, texts = list[Place](), {"__repr__"} | texts_of_refusals(tree)
    left_out, counted, exact = set[int](), set[int](), set[int]()
    powers = (one for one in ast.walk(tree) if isinstance(one, ast.BinOp) and isinstance(one.op, SCALED))
    scales = {id(inside) for one in powers for inside in ast.walk(one)}

    def go(node: ast.AST, inside: bool, sense: int, digits: bool = False, work: bool = False) -> None:
        if isinstance(node, ast.JoinedStr | ast.Raise) or id(node) in left_out:
            return
        if isinstance(node, ast.FunctionDef):
            if node.name in texts:
                return
            words, counts = told_only(node), work_only(node)
            left_out.update(id(one) for one in ast.walk(node) if assigned(one) in words)
            counted.update(id(one) for one in ast.walk(node) if assigned(one) in counts)
            exact.update(id(inside) for one in ast.walk(node) for inside in made_of_digits(one))
        work = work or id(node) in counted or (isinstance(node, ast.Compare) and of_limits(node))
        digits = (digits or is_of_digits(node) or id(node) in exact) and id(node) not in scales
        if inside:
            found.append(Place(node, sense, digits=digits, work=work))
        if isinstance(node, ast.keyword) and node.arg == "strict":
            found.append(Place(node.value, 0, strict=True))
            return
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "args") and isinstance(
                node, ast.FunctionDef | ast.arg | ast.AnnAssign
            ):
                continue
            within = inside or (isinstance(node, ast.FunctionDef) and name == "body")
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    go(part, within, _sense(node, name, sense), digits and isinstance(node, ast.BinOp), work)

    go(tree, False, 0)
    return found


def assigned(node: ast.AST) -> str | None:
    """The variable that a statement gives a value; None where it is no such statement, or gives several."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            return str(name)
        case _:
            return None


def made_of_digits(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a number of digits that a variable is made, of another one; or that something is enclosed to."""
    match node:
        case ast.Assign(value=value) | ast.AugAssign(value=value) if assigned(node) in MADE_OF_DIGITS:
            names = {getattr(one, "id", getattr(one, "attr", "")) for one in ast.walk(value)}
            yield from ast.walk(value) if isinstance(node, ast.AugAssign) or names & OF_DIGITS else ()
        case ast.Call(func=func, args=[*_, ast.Constant() as last]):
            name = getattr(func, "id", getattr(func, "attr", ""))
            yield from [last] if ENCLOSING.get(name) == len(node.args) else ()


def is_of_digits(node: ast.AST) -> bool:
    """Whether a number of digits is calculated of another one, numbers and lengths alone: bits + 32."""
    if not isinstance(node, ast.BinOp) or not isinstance(
        node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv
    ):
        return False
    sides = [
        one for one in (node.left, node.right) if not isinstance(one, ast.Constant) and not is_length(one)
    ]
    return bool(sides) and all(
        getattr(one, "id", getattr(one, "attr", "")) in OF_DIGITS or is_of_digits(one) for one in sides
    )


def is_length(node: ast.AST) -> bool:
    """Whether it is how many digits a number has, or a multiple of that."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return all(isinstance(one, ast.Constant) or is_length(one) for one in (node.left, node.right))
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "bit_length"


def texts_of_refusals(tree: ast.Module) -> set[str]:
    """The functions of a file's own that are used where something is raised, and by one another, only."""
    own = {
        one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name.startswith("_")
    }
    used: dict[str, set[str]] = defaultdict(set)

    def go(node: ast.AST, within: str) -> None:
        within = RAISED if isinstance(node, ast.Raise) else within
        within = node.name if isinstance(node, ast.FunctionDef) else within
        name = getattr(node, "id", getattr(node, "attr", ""))
        if name in own:
            used[name].add(within)
        for part in ast.iter_child_nodes(node):
            go(part, within)

    go(tree, "")
    told = {*used}
    while others := {name for name in told if not used[name] <= {RAISED, *told}}:
        told -= others
    return told


def told_only(function: ast.FunctionDef) -> set[str]:
    """The variables of a function that only what is raised is made of, and others of these."""
    read = [one for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    outside = {name for one in ast.walk(function) if isinstance(one, ast.Nonlocal) for name in one.names}
    told: set[str] = set()
    while True:
        raised = [one for one in ast.walk(function) if isinstance(one, ast.Raise) or assigned(one) in told]
        within = {id(inside) for one in raised for inside in ast.walk(one)}
        elsewhere = {one.id for one in read if id(one) not in within}
        more = {one.id for one in read if id(one) in within} - elsewhere - outside
        if more == told:
            return told
        told = more


def work_only(function: ast.FunctionDef) -> set[str]:
    """The variables of a function that are counted up and compared with limits of work, and nothing else."""
    fine: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Compare) and of_limits(node)):
            fine |= {id(one) for one in ast.walk(node)}
    counted = {
        one.target.id
        for one in ast.walk(function)
        if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)
    }
    names = [one for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    return {name for name in counted if (ids := {id(one) for one in names if one.id == name}) and ids <= fine}


def of_limits(node: ast.AST) -> bool:
    """Whether a limit of work stands in it."""
    return any(isinstance(one, ast.Name) and one.id.startswith(LIMITS) for one in ast.walk(node))


def _sense(node: ast.AST, field: str, sense: int) -> int:
    """In which sense a part of a node refuses."""
    match node:
        case ast.If(body=[*_, ast.Raise()]) if field == "test":
            return 1
        case ast.UnaryOp(op=ast.Not()):
            return -sense
        case ast.BoolOp():
            return sense
        case _:
            return 0


@functools.cache
def every_of(file: Path) -> tuple[Mutant, ...]:
    """All mutants of a file as it is."""
    return tuple(mutants(file))


def mutants(file: Path) -> Iterator[Mutant]:
    """All mutants of a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    for n, place in enumerate(bodies(tree)):
        node, line = place.node, getattr(place.node, "lineno", 0)
        around = [one.lineno for one in functions if one.lineno <= line <= (one.end_lineno or 0)]
        for m, (words, _) in enumerate(changes(node)):
            if isinstance(node, ast.If) and words == GUARD:  # only where it refuses it is missed
                line = node.body[0].lineno
                around = [line]
            yield Mutant(file, max(around, default=line), line, words, place.kind(words), n, m)


# which of them are killed


def sample(every: Sequence[Mutant], some: int | None, seed: int) -> list[Mutant]:
    """So many of all, at random; of the same seed a larger sample holds the smaller one."""
    mixed = list(every)
    random.Random(seed).shuffle(mixed)
    return mixed[: some or None]


def told(mutant: Mutant, ended: str, counts: Counter[str]) -> None:
    """How far one is, and what is not killed, on standard error."""
    if ended != KILLED:
        print(f"  {ended}: {mutant} ({mutant.kind})", file=sys.stderr, flush=True)
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
    given.add_argument("--until", type=float, default=0, help="for those of one that survives these")
    given.add_argument("--tests", nargs="*", help="other tests than those of the kernel")
    given.add_argument("--only", help="mutants that hold these words")
    given.add_argument("--again", type=Path, help="only those that stand in this report")
    said = given.parse_args()
    every = [one for file in said.files or FILES for one in mutants(file.resolve())]
    chosen = sample(every, said.some, said.seed)[said.after :]
    if said.again is not None:
        report_before = said.again.read_text(encoding="utf-8")
        chosen = [one for one in chosen if f": {one} (" in report_before]
    chosen = [one for one in chosen if (said.only or "") in str(one)]
    from reaching import TESTS, with_tests

    ends: dict[Mutant, str] = {}

    counts = Counter[str]()

    def attack(mutant: Mutant, ended: str) -> None:
        ends[mutant] = ended
        counts[ended] += 1
        told(mutant, ended, counts)

    with_tests(attack, chosen, (said.seconds, said.until), said.reached, said.tests or TESTS)
    print("\n".join(report(ends)))
    print(f"of {len(every)} mutants in all")
    return 0


# what is told


EXPLAINED = Path(__file__).with_name("explained.toml")
BY_KIND = {
    WORK: "decides how much is looked at, not what is true",
    DIGITS: "enclosures hold whatever their digits are",
    LESS: "refuses what was accepted, and accepts nothing more",
}
"""Why all of a kind accept nothing that is false."""


def explained() -> dict[Mutant, str]:
    """Why what survives accepts nothing that is false; of several mutants of a line that are told alike, the n-th is
    meant.  Raises ValueError where there is no such mutant any more: the code is another one than what was explained.

    A function that chooses is told by its name: whatever it chooses, what is made of that is right, or is refused.
    """
    why: dict[Mutant, str] = {}
    there: dict[str, dict[tuple[str, str], list[Mutant]]] = {}
    said = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))
    for one in said.get("chooses", []):
        if not (some := [*chosen_in(KERNEL / one["file"], one["function"])]):
            raise ValueError(f"{EXPLAINED.name}: no mutants are in {one['function']} of {one['file']}")
        why.update(dict.fromkeys(some, one["why"]))
    for one in said.get("survives", []):
        if one["file"] not in there:
            alike = there[one["file"]] = defaultdict(list)
            for mutant in every_of(KERNEL / one["file"]):
                alike[mutant.text, mutant.words].append(mutant)
        some, n = there[one["file"]][one["line"], one["change"]], one.get("nth", 1)
        if n > len(some) or some[n - 1] in why:
            raise ValueError(f"{EXPLAINED.name}: {len(some)} mutants are at {one['line']!r} of {one['file']}")
        why[some[n - 1]] = one["why"]
    return why


def chosen_in(file: Path, name: str) -> Iterator[Mutant]:
    """The mutants of the functions of a file with this name."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    some = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == name]
    for mutant in every_of(file):
        if any(one.lineno <= mutant.line <= (one.end_lineno or 0) for one in some):
            yield mutant


def report(ends: Mapping[Mutant, str]) -> Iterator[str]:
    """What is not killed, and how many are: by file, by what they can do, and of all; and without those of which it is
    explained why they accept nothing that is false, one by one or by what all of their kind do."""
    why, left = explained(), [mutant for mutant, ended in ends.items() if ended != KILLED]
    for mutant in sorted(left, key=str):
        told = why.get(mutant)
        yield f"{ends[mutant]}: {mutant} ({mutant.kind})" + ("" if told is None else f": {told}")
    for by in (lambda one: one.name, lambda one: one.kind, lambda one: "all"):
        groups: dict[str, list[bool]] = defaultdict(list)
        for mutant, ended in ends.items():
            groups[by(mutant)].append(ended == KILLED)
        yield from (f"{name}: {score(sum(some), len(some))}" for name, some in sorted(groups.items()))
    single = sum(mutant in why for mutant in left)
    by_kind = sum(mutant.kind in BY_KIND and mutant not in why for mutant in left)
    known = f"{single} by {EXPLAINED.name}, {by_kind} by their kind"
    yield f"of {len(left)} that are not killed, {single + by_kind} are explained: {known}"
    if of := len(ends) - single - by_kind:
        yield f"without these: {score(len(ends) - len(left), of)}"


def score(killed: int, of: int) -> str:
    """A score in words, and the interval in which that of all lies if those are a sample (Wilson, 95 %).

    >>> score(95, 100)
    '95 of 100 killed, 95.0 % (88.8 to 97.8)'
    """
    z, p = 1.96, killed / of
    middle, spread = p + z * z / (2 * of), z * sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    low, high = (100 * (middle + sign * spread) / (1 + z * z / of) for sign in (-1, 1))
    return f"{killed} of {of} killed, {100 * p:.1f} % ({low:.1f} to {high:.1f})"


if __name__ == "__main__":
    sys.exit(main())
