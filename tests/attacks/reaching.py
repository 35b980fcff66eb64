"""The tests of the kernel in one process: which lines each reaches, and whether one of them sees other code.

They are collected and run once, so that what they keep is there; then which lines each reaches is recorded.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import signal
import sys
import time
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
import shares
from hypothesis import Phase, settings
from mutants import KERNEL, KILLED, ROOT, Mutant

TESTS = (
    *("tests/kernel", "tests/proof", "tests/language", "dpcompose/kernel"),
    "tests/front/test_shipped.py::test_golden",
    *(f"tests/test_{of}_against_oracle.py" for of in ("samples", "groups", "notions", "families")),
    *("tests/test_curves_on_samples.py", "tests/test_closer.py", "tests/test_samples_at_random.py"),
    "tests/attacks/test_drawn.py",
)
"""The tests that are to see the mutants."""
IN_PART = "tests/privacy/"
"""Of the rows of these tables as many are asked as in a normal run."""
WHOLE = ("tests/kernel/test_steps_changed.py", "tests/kernel/test_kept.py", "tests/attacks/test_drawn.py")
"""Of these also the slow ones, of which a normal run takes a share."""
SURVIVES = "survives"
SEEN, SURVIVED, SAME = 1, 0, 3
"""How a process of a mutant ends; SAME: it has no other code."""


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code and those inside of it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from codes(one)


def source(name: str) -> list[str]:
    """The lines of a file of the kernel; none where there is no such file."""
    file = KERNEL / name
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def moved(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Where the lines of a file that are as they were stand now.

    >>> moved(["a", "b", "c"], ["b", "d", "c"])
    {2: 1, 3: 3}
    """
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return {one.a + n + 1: one.b + n + 1 for one in blocks for n in range(one.size)}


class Code:
    """The functions of the kernel that there are, and what they keep."""

    def __init__(self, forgotten: Path) -> None:
        gc.unfreeze()
        self.functions: dict[str, list[types.FunctionType]] = defaultdict(list)
        self.kept = []
        for one in gc.get_objects():
            if isinstance(one, types.FunctionType) and one.__code__.co_filename.startswith(str(KERNEL)):
                self.functions[one.__code__.co_filename].append(one)
            if isinstance(one, functools._lru_cache_wrapper):
                inside = getattr(getattr(one, "__wrapped__", None), "__code__", None)
                if inside is not None and inside.co_filename.startswith(str(forgotten)):
                    self.kept.append(one)

    def forget(self) -> None:
        """What functions keep is made anew."""
        for one in self.kept:
            one.cache_clear()

    def install(self, mutant: Mutant) -> int:
        """Gives the functions of a file the mutant's code; how many of them have other code then."""
        made = compile(mutant.tree, str(mutant.file), "exec")
        new = {(one.co_name, one.co_firstlineno): one for one in codes(made)}
        changed = 0
        for one in self.functions[str(mutant.file)]:
            code = new.get((one.__code__.co_name, one.__code__.co_firstlineno))
            if code is not None and len(code.co_freevars) == len(one.__code__.co_freevars):
                changed += code != one.__code__
                one.__code__ = code
        self.forget()
        return changed


class Suite:
    """Tests that pass, and which lines of the kernel each of them reaches.

    What the program keeps is forgotten before each of them, so that each is recorded as if it were the only one.
    seconds -- what each costs; reached -- by file and line, the numbers of the tests, in the order in which they
    are run.
    """

    def __init__(self, items: Sequence[Any]) -> None:
        self.examples = {one: dict(one.dtest.globs) for one in items if hasattr(one, "dtest")}
        self.items = list(items)
        self.failing: set[int] = set()
        self.fine: set[int] = set()
        self.seconds = [0.0] * len(self.items)
        self.reached: dict[str, dict[int, list[int]]] = {}

    def passes(self, item: Any) -> bool:
        """Whether a test passes."""
        from _pytest.runner import runtestprotocol

        if item in self.examples:
            item.dtest.globs = dict(self.examples[item])
        return all(one.passed for one in runtestprotocol(item, log=False, nextitem=None))

    def record(self, tests: Sequence[int]) -> None:
        """Runs these tests, and notes what each reaches and costs."""
        import coverage

        self.code = Code(ROOT / "dpcompose")
        noted = coverage.Coverage(data_file=None, source=[str(KERNEL)], messages=False)
        noted.start()
        for count, n in enumerate(tests, start=1):
            self.code.forget()
            noted.switch_context(str(n))
            start = time.process_time()
            if not self.passes(self.items[n]):
                self.failing.add(n)
            self.seconds[n] = time.process_time() - start
            if count % 100 == 0:
                self.code = Code(ROOT / "dpcompose")  # also of what was imported since
                print(f"{count} of {len(tests)} tests are recorded", file=sys.stderr, flush=True)
        noted.stop()
        data = noted.get_data()
        for file in data.measured_files():
            known = self.reached.setdefault(str(Path(file).relative_to(KERNEL)), {})
            for line, some in data.contexts_by_lineno(file).items():
                new = [int(one) for one in some if one and int(one) not in self.failing]
                known[line] = self._in_order([*known.get(line, ()), *new])

    def _in_order(self, tests: Collection[int]) -> list[int]:
        """The fastest first; the second one of a test function as if it took twice as long, and so on."""
        rank, found = Counter[str](), []
        for n in sorted(tests, key=self.seconds.__getitem__):
            name = self.items[n].nodeid.partition("[")[0]
            rank[name] += 1
            found.append((rank[name] * self.seconds[n], n))
        return [n for _, n in sorted(found)]

    def write(self, path: Path) -> None:
        """Keeps what was recorded."""
        names = [one.nodeid for one in self.items]
        files = {name: [source(name), lines] for name, lines in self.reached.items()}
        path.write_text(json.dumps([names, self.seconds, files]), encoding="utf-8")

    def read(self, path: Path) -> list[int]:
        """What was recorded before; tests that are not there any more are left out, and lines that were changed since.
        The numbers of new ones."""
        names, seconds, files = json.loads(path.read_text(encoding="utf-8"))
        at = {one.nodeid: n for n, one in enumerate(self.items)}
        costs = dict(zip(names, seconds, strict=True))
        self.seconds = [costs.get(one.nodeid, 0.0) for one in self.items]
        for file, (before, lines) in files.items():
            now = moved(before, source(file))
            self.reached[file] = {
                now[int(line)]: self._in_order([at[names[n]] for n in some if names[n] in at])
                for line, some in lines.items()
                if int(line) in now
            }
        return [n for n, one in enumerate(self.items) if one.nodeid not in costs]

    def chosen(self, mutant: Mutant, seconds: float) -> list[int]:
        """The tests that reach what is changed, and then those that reach its function before it, as of a line that was
        another one it is not known which do: those of its own room for so long, then others for as long."""
        lines = self.reached.get(mutant.name, {})
        near = (lines.get(line, ()) for line in range(mutant.line, mutant.first - 1, -1))
        tests = list(dict.fromkeys(n for some in near for n in some))
        room = f"tests/kernel/{Path(mutant.name).parts[0].removesuffix('.py')}/"
        own = [n for n in tests if self.items[n].nodeid.startswith(room)]
        others = [n for n in tests if not self.items[n].nodeid.startswith(room)]
        return [*self._for(own, seconds), *self._for(others, seconds)]

    def _for(self, tests: Sequence[int], seconds: float) -> Iterator[int]:
        """So many of them, one at least, as take so long."""
        left = seconds
        for count, n in enumerate(n for n in tests if n not in self.failing):
            left -= self.seconds[n]
            if count and left < 0:
                return
            yield n

    def outcome(self, mutant: Mutant, seconds: float) -> str:
        """'killed', 'survives', 'reached by no test' or 'not made': in a process of its own.

        A test kills only if it passes with the code as it is; of another one, the mutant is asked again without it.
        """
        while tests := self.chosen(mutant, seconds):
            ended, last = status(functools.partial(self._asked, tests, mutant), self._allowed(tests))
            if ended == SURVIVED:
                return SURVIVES
            if ended == SAME or last < 0:
                return "not made"
            if (
                last in self.fine
                or status(functools.partial(self._asked, [last], None), self._allowed([last]))[0] == SURVIVED
            ):
                self.fine.add(last)
                return KILLED
            self.failing.add(last)
        return "reached by no test"

    def outcome_in(self, mutant: Mutant, seconds: Sequence[float]) -> str:
        """How it ends in so many seconds, and if it survives, in the next ones."""
        first, *more = seconds
        ended = self.outcome(mutant, first)
        for longer in more:
            if ended == SURVIVES and longer > first:
                ended = self.outcome(mutant, longer)
        return ended

    def _allowed(self, tests: Collection[int]) -> float:
        """How long these tests may take: what takes much longer than before does not end."""
        return 10 + 5 * sum(self.seconds[n] for n in tests)

    def _asked(self, tests: Sequence[int], mutant: Mutant | None, begun: Callable[[int], object]) -> int:
        """How these tests end, of each of which it is said when it begins; mutant -- None: of the code as it is."""
        if mutant is not None and not self.code.install(mutant):
            return SAME
        for n in tests:
            begun(n)
            if not self.passes(self.items[n]):
                return SEEN
        return SURVIVED


def status(asked: Callable[[Callable[[int], object]], int], seconds: float) -> tuple[int, int]:
    """How a process ends in which other code is looked at, and the test with which it does, -1 if none begins; SEEN
    where that fails, or does not end."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        ended = SEEN
        try:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1), os.dup2(nothing, 2)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            ended = asked(lambda n: os.write(writing, n.to_bytes(4, "big")))
        except BaseException:
            ended = SEEN
        finally:
            os._exit(ended)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        last = told.read()[-4:]
    _, ended = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(ended), int.from_bytes(last, "big") if last else -1


def with_tests(
    attack: Callable[[Mutant, str], None],
    chosen: Sequence[Mutant],
    seconds: Sequence[float],
    kept: Path | None,
    tests: Sequence[str],
) -> None:
    """Collects the tests of the kernel, and tells of each mutant how it ends; seconds -- how long the tests of one
    may take, and how long those of one that survives; kept -- where is kept what they reach."""

    class Loop:
        @staticmethod
        def pytest_collection_modifyitems(items: list[Any]) -> None:
            shares.of_tables(one for one in items if one.nodeid.startswith(IN_PART))
            items[:] = [
                one for one in items if one.get_closest_marker("slow") is None or one.nodeid.startswith(WHOLE)
            ]

        @staticmethod
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(session: Any) -> bool:
            suite = Suite(session.items)
            read = kept is not None and kept.exists()
            if new := suite.read(kept) if read else range(len(suite.items)):
                suite.record(new)
                if kept is not None:
                    suite.write(kept)
            for file in KERNEL.rglob("*.py"):
                name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
                importlib.import_module(name.removesuffix(".__init__"))
            suite.code = Code(ROOT / "dpcompose")
            gc.collect()
            gc.freeze()
            gc.disable()
            for mutant in chosen:
                attack(mutant, suite.outcome_in(mutant, seconds))
            print(f"{len(suite.failing)} tests failed with the code as it is", file=sys.stderr, flush=True)
            return True

    once = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", derandomize=True, database=None, deadline=None, phases=once)
    settings.load_profile("mutants")
    os.chdir(ROOT)
    plain = ["-q", "-s", "--tb=line", "--assert=plain", "-n", "0", "-m", ""]
    left_out = [x for one in ("cacheprovider", "warnings", "faulthandler") for x in ("-p", f"no:{one}")]
    pytest.main([*plain, *left_out, *tests], plugins=[Loop()])
