"""The attacks that are kept: fuzzing, derivations changed at random, mutants of the kernel; and that they would see."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent


def module(name: str) -> ModuleType:
    """A file beside this one."""
    spec = importlib.util.spec_from_file_location(f"attacks_{name}", HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


fuzzing, mutants, reaching = module("fuzzing"), module("mutants"), module("reaching")


# fuzzing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "runs"), [("problems", 2000), ("formulas", 20_000), ("pages", 1000), ("certificates", 1000)]
)
def test_fuzzing_ends_with_errors_of_our_own(kind: str, runs: int) -> None:
    seeds, tried = fuzzing.KINDS[kind]
    told = fuzzing.fuzz(seeds(), tried, runs, random.Random(kind))
    print(told)
    assert not told.failures, told.failures[:3]
    assert len(told.kinds) > 1 and len(told.forms) > 30  # some are read, some are refused


def test_some_formulas() -> None:
    told = fuzzing.fuzz(fuzzing.of_problems(), fuzzing.formula, 300, random.Random(0))
    assert not told.failures and set(told.kinds) == {"refused", "read"}


def test_what_fails_is_seen() -> None:
    """An error that is not ours, one that ends the program, and what does not end."""

    def tried(text: str) -> tuple[str, str]:
        if "7" in text:
            raise KeyError(text)
        if "9" in text:
            raise SystemExit(4)
        return "read", text

    told = fuzzing.fuzz(["7", "9", "abc"], tried, 50, random.Random(0))
    assert {why.split(":")[0] for why, _ in told.failures} == {"KeyError", "SystemExit"}
    assert told.runs == 50 == len(told.failures) + told.kinds["read"]
    with pytest.raises(fuzzing.TooSlow), fuzzing.limited(1):
        while True:
            pass


def test_a_status_of_4_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing.cli, "main", lambda arguments: 4)
    with pytest.raises(AssertionError):
        fuzzing.problem("format = 1")


# derivations


@pytest.mark.slow
def test_derivations_changed_at_random() -> None:
    derivations = module("derivations")
    rng = random.Random(0)
    ends = Counter(derivations.attacked(rng.choice(derivations.OF), rng) for _ in range(2000))
    print(ends)
    assert (
        ends["refused"] > 1000 and ends["accepted, with nothing new"] and ends["accepted, with more to say"]
    )


# settings


def settings(*given: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own: it reads the strategies of tests in its own way."""
    command = [sys.executable, str(HERE / "settings.py"), *given]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.slow
def test_random_settings_are_counted_and_counted_on(tmp_path: Path) -> None:
    """Every kind is asked, nothing is wrong, and a second run goes on with other seeds."""
    counted = tmp_path / "counted.json"
    totals = []
    for seconds in (60, 5):
        ran = settings("--seconds", str(seconds), "--counted", str(counted))
        *kinds, last = ran.stdout.splitlines()
        assert (ran.returncode, ran.stderr) == (0, "")
        assert all(": 0 compared" not in one for one in kinds)
        totals.append(int(last.split()[1]))
    assert totals[1] > totals[0] > 500
    kept = json.loads(counted.read_text(encoding="utf-8"))
    assert all(one["seed"] == sum(one["ends"].values()) for one in kept.values())


@pytest.mark.slow
def test_a_bound_that_is_wrong_is_seen(tmp_path: Path) -> None:
    """Two steps that are counted as one: most kinds see it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import dpcompose.kernel.expressions.formulas as formulas\n"
        "exact = formulas.evaluate\n"
        "formulas.evaluate = lambda term, point: (lambda x: x and x * 2)(exact(term, point))\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{HERE.parents[1]}"}
    command = [sys.executable, str(HERE / "settings.py"), "--seconds", "3", "listed classes", "multisets"]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 1 and "AssertionError" in ran.stderr


# mutants

SAMPLE = '''
def least(x, y):
    """The least of two."""
    if x is None:
        raise ValueError("x is no number")
    return x if x < y and not y < 0 else y + 0
'''


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A file to mutate, as a module."""
    (tmp_path / "sample_to_mutate.py").write_text(SAMPLE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for one in (mutants, reaching):
        monkeypatch.setattr(one, "KERNEL", tmp_path)
    monkeypatch.delitem(sys.modules, "sample_to_mutate", raising=False)
    return importlib.import_module("sample_to_mutate")


def test_the_mutants_of_a_file(sample: Any) -> None:
    found = [str(one) for one in mutants.mutants(Path(sample.__file__))]
    assert found == [
        "sample_to_mutate.py:5: a guard is left out",
        "sample_to_mutate.py:4: Is is IsNot",
        "sample_to_mutate.py:6: a condition always holds",
        "sample_to_mutate.py:6: And is Or",
        "sample_to_mutate.py:6: Lt is LtE",
        "sample_to_mutate.py:6: not is left out",
        "sample_to_mutate.py:6: Lt is LtE",
        "sample_to_mutate.py:6: 0 is 1",
        "sample_to_mutate.py:6: Add is Sub",
        "sample_to_mutate.py:6: 0 is 1",
    ]


@pytest.mark.slow
def test_mutants_are_killed_by_what_sees_them(sample: Any, tmp_path: Path) -> None:
    """Each in a process of its own: here the file is as it was."""

    def differs() -> bool:
        with pytest.raises(ValueError):
            sample.least(None, 1)
        return [sample.least(1, 2), sample.least(2, 1), sample.least(-2, -1), sample.least(-1, 0)] != [
            1,
            1,
            -1,
            -1,
        ]

    code = reaching.Code(tmp_path)
    survivors = [
        str(one)
        for one in mutants.mutants(Path(sample.__file__))
        if reaching.status(lambda _, one=one: bool(code.install(one)) and differs(), 10)[0]
        == reaching.SURVIVED
    ]
    assert survivors == [
        "sample_to_mutate.py:6: Lt is LtE",  # the least of two that are equal is either
        "sample_to_mutate.py:6: Add is Sub",  # of 0
    ]
    assert sample.least(1, 2) == 1


GUARDED = """
def checked(x, y, z):
    if not (x < y and z <= 0) or len(z) > MOST:
        raise ValueError(_told(x + 1))
    if len(z) > MOST:
        raise ValueError(-x)
    return x

def worked(x, y):
    work = 0
    for one in x:
        work += 1 + len(y)
        if work > MOST:
            many = y > 7
            words = "many" if many else "few"
            raise ValueError(words)
        y = y + 1
    return y

def enclosed(x, bits):
    return log(x, bits + 32, 2 * bits + x).end(bits * 302 // 1000 - 1, 2**bits + 1, x >> 2 * bits, x.bits + 2 * x.bit_length() + 3)

def closer(x, bits):
    more = bits + max(0, x * 3)
    more += x
    scale = x + 1
    return enclosure(x, 64), x.rounded(40), power(x, 64), rounded(x, 3)

def _told(x):
    return x + 1
"""


def test_what_a_mutant_can_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes a refusal rarer may accept more, what makes it more frequent does not; texts are left out."""
    (tmp_path / "guarded.py").write_text(GUARDED, encoding="utf-8")
    monkeypatch.setattr(mutants, "KERNEL", tmp_path)
    found = [f"{one.line}: {one.words}: {one.kind}" for one in mutants.mutants(tmp_path / "guarded.py")]
    assert found == [
        "4: a guard is left out: may accept more",
        "3: Or is And: may accept more",
        "3: not is left out: may accept more",
        "3: And is Or: may accept more",
        "3: Lt is LtE: may accept more",
        "3: LtE is Lt: refuses more",
        "3: 0 is 1: may accept more",
        "3: Gt is GtE: limits of work",
        "6: a guard is left out: limits of work",
        "5: Gt is GtE: limits of work",
        "10: 0 is 1: limits of work",
        "12: Add is Sub: limits of work",
        "12: 1 is 2: limits of work",
        "13: a condition always holds: limits of work",
        "13: Gt is GtE: limits of work",
        "17: Add is Sub: may accept more",
        "17: 1 is 2: may accept more",
        "21: Add is Sub: digits of enclosures",
        "21: 32 is 33: digits of enclosures",
        "21: Add is Sub: may accept more",  # it is more than digits
        "21: Mult is Add: digits of enclosures",
        "21: 2 is 3: digits of enclosures",
        "21: Sub is Add: digits of enclosures",
        "21: Mult is Add: digits of enclosures",
        "21: 302 is 303: digits of enclosures",
        "21: 1000 is 1001: digits of enclosures",
        "21: 1 is 2: digits of enclosures",
        "21: Add is Sub: may accept more",  # 2**bits is a number
        "21: 2 is 3: may accept more",
        "21: 1 is 2: may accept more",
        "21: Mult is Add: may accept more",
        "21: 2 is 3: may accept more",
        "21: Add is Sub: digits of enclosures",
        "21: Add is Sub: digits of enclosures",
        "21: Mult is Add: digits of enclosures",
        "21: 2 is 3: digits of enclosures",
        "21: 3 is 4: digits of enclosures",
        "24: Add is Sub: digits of enclosures",
        "24: max is min: digits of enclosures",
        "24: 0 is 1: digits of enclosures",
        "24: Mult is Add: digits of enclosures",
        "24: 3 is 4: digits of enclosures",
        "26: Add is Sub: may accept more",  # of no number of digits
        "26: 1 is 2: may accept more",
        "27: 64 is 65: digits of enclosures",
        "27: 40 is 41: digits of enclosures",
        "27: 64 is 65: may accept more",
        "27: 3 is 4: may accept more",
    ]


@pytest.mark.slow
def test_a_score_and_its_interval() -> None:
    one, other = mutants.sample(list(mutants.mutants(mutants.FILES[-1])), 2, 0)
    lines = [*mutants.report({one: "killed", other: "survives"})]
    assert f"survives: {other} ({other.kind})" in lines
    assert lines[-3:] == [
        "all: 1 of 2 killed, 50.0 % (9.5 to 90.5)",
        "of 1 that are not killed, 0 are explained: 0 by explained.toml, 0 by their kind",
        "without these: 1 of 2 killed, 50.0 % (9.5 to 90.5)",
    ]


@pytest.mark.slow
def test_what_is_explained_is_no_part_of_the_second_score() -> None:
    """One that is killed, explained or not, is killed; a limit of work is explained by its kind."""
    why = mutants.explained()
    known, other = [*why][:2]
    every = [*mutants.mutants(mutants.KERNEL / "covers" / "arrays.py")]
    work = next(one for one in every if one.kind == mutants.WORK)
    plain = next(one for one in every if one.kind == mutants.MORE and one not in why)
    lines = [*mutants.report({known: "survives", other: "killed", work: "survives", plain: "survives"})]
    assert lines[-2] == "of 3 that are not killed, 2 are explained: 1 by explained.toml, 1 by their kind"
    assert lines[-1].startswith("without these: 1 of 2 killed, 50.0 %")


def test_what_is_explained_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reason is about code as it stands; where a line is changed it is to be looked at again."""
    assert all(len(why.split()) > 3 for why in mutants.explained().values())
    (tmp_path / "explained.toml").write_text(
        '[[survives]]\nfile = "check.py"\nline = "if x < y:"\nchange = "Lt is LtE"\nwhy = "of two that are equal"\n'
    )
    monkeypatch.setattr(mutants, "EXPLAINED", tmp_path / "explained.toml")
    with pytest.raises(ValueError, match="0 mutants are at 'if x < y:'"):
        mutants.explained()
    (tmp_path / "explained.toml").write_text(
        '[[chooses]]\nfile = "check.py"\nfunction = "nothing"\nwhy = "whatever it is"\n'
    )
    with pytest.raises(ValueError, match="no mutants are in nothing of check"):
        mutants.explained()


def test_a_larger_sample_holds_the_smaller_one() -> None:
    every = list(range(100))
    assert mutants.sample(every, 30, 1)[:10] == mutants.sample(every, 10, 1)
    assert sorted(mutants.sample(every, None, 1)) == every


OF_RULES = (
    *("rules", "test_by_hand.py", "test_chains.py", "test_in_metrics.py", "test_other_premises.py"),
    *("test_computed.py", "test_instances.py"),
)
"""Tests of tests/kernel that see most of what its rules say, in seconds."""


@pytest.mark.slow
def test_mutants_of_the_rules() -> None:
    """Of 60 at random these tests kill about 36; the command asks as many as one likes, of all rooms."""
    pytest.importorskip("coverage")
    files = sorted((mutants.KERNEL / "rules").glob("*.py"))
    tests = [f"tests/kernel/{name}" for name in OF_RULES]
    command = [sys.executable, HERE / "mutants.py", *files, "--some", "60", "--seed", "1", "--seconds", "2"]
    ran = subprocess.run(
        [*command, "--tests", *tests], cwd=mutants.ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stderr.endswith("0 tests failed with the code as it is\n")
    (killed,) = (line for line in ran.stdout.splitlines() if line.startswith("all: "))
    print(killed)
    assert 25 <= int(killed.split()[1]) < 60
