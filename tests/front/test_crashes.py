"""Files that once ended in a traceback, went on for minutes or took gigabytes; each with its like.

The files themselves lie in `crashes`.  Everything runs as a user runs it, in a process of its own with a
limit of memory, where memory or time was the trouble; else in this one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import rechecks
from shares import every_third

from dpcompose.front import cli
from dpcompose.front import recheck as checker
from dpcompose.front.loading import load
from dpcompose.kernel import forms, reading
from dpcompose.kernel.check import Refused
from dpcompose.kernel.covers import blocks
from dpcompose.kernel.reader import BadSetting
from dpcompose.privacy.elaboration import arrays
from dpcompose.proof import registry

CRASHES = Path(__file__).parent / "crashes"
PROBLEMS = Path(__file__).resolve().parents[2] / "notebooks" / "problems"
MEMORY = 2 * 10**9
"""Bytes of address space that a process of a test may take."""
END = "=== ended with"
"""The line behind what a process says of one file, with the status."""
SECONDS = 60
"""After which a process of a test is ended: much longer than it needs on a busy machine."""


def verify(file: Path, capsys: pytest.CaptureFixture[str], command: str = "verify") -> tuple[int, str]:
    """The status, and all that is said."""
    status = cli.main([command, str(file)])
    said = capsys.readouterr()
    assert "internal error" not in said.err, said.err
    return status, said.out + said.err


def apart(file: Path) -> tuple[int, str]:
    """The same in a process of its own, with little memory."""
    (found,) = each_apart(file)
    return found


def each_apart(*files: Path) -> list[tuple[int, str]]:
    """The same of files one after the other, in one process."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))"
    run = f"from dpcompose.front.cli import main\nfor one in {list(map(str, files))!r}:\n"
    run += f" status = main(['verify', one])\n print({END!r}, status)"
    found = subprocess.run(
        [sys.executable, "-c", f"{limit}\n{run}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
        check=False,
    )
    assert "internal error" not in found.stdout and "Traceback" not in found.stdout, found.stdout
    *said, rest = re.split(rf"^{END} (\d)\n", found.stdout, flags=re.MULTILINE)
    assert (found.returncode, rest, len(said)) == (0, "", 2 * len(files)), found.stdout
    return [(int(status), text) for text, status in zip(said[::2], said[1::2], strict=True)]


def written(folder: Path, text: str) -> Path:
    path = folder / "problem.toml"
    path.write_text(text)
    return path


def all_written(folder: Path, texts: Iterable[str]) -> list[Path]:
    """A file for each text."""
    files = []
    for n, text in enumerate(texts):
        files.append(folder / f"{n}.toml")
        files[-1].write_text(text)
    return files


def problem(
    databases: str,
    target: str = '"bounded"',
    claim: str = 'notion = "pure"\nepsilon = "e1"',
    guarantee: str = 'notion = "pure", epsilon = "e1", granularity = "bounded"',
    reads: str = "",
) -> str:
    """A problem file of one mechanism and one claim."""
    return (
        f"format = 1\n[databases]\n{databases}\n[target]\ngranularity = {target}\n"
        f'[[mechanisms]]\nname = "M"\n{reads}\nguarantee = {{ {guarantee} }}\n[[claims]]\n{claim}\n'
    )


# classes without databases


EMPTY = "no set has 3 different records of the 2 in the universe"


def test_a_class_without_databases_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = verify(CRASHES / "d1_empty_class_crash.toml", capsys)
    assert status == 2 and EMPTY in said and 'size = "= 2" at most' in said


@pytest.mark.parametrize("reads", ["", "reads = { records = [] }", 'reads = { records = ["a", "b"] }'])
@pytest.mark.parametrize("domain", ["own", "common"])
@pytest.mark.parametrize("target", ['"bounded"', '"free-lunch"', '{ group = 2, of = "unbounded" }'])
def test_it_is_refused_whatever_is_read_of_it(
    reads: str, domain: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guarantee = f'notion = "pure", epsilon = "e1", granularity = "bounded", domain = "{domain}"'
    databases = 'kind = "sets"\nrecords = ["a", "b"]\nsize = "= 3"'
    status, said = verify(
        written(tmp_path, problem(databases, target, guarantee=guarantee, reads=reads)), capsys
    )
    assert status == 2 and EMPTY in said


def test_compare_refuses_it_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--kind", "sets", "--records", "a,b", "--size", "= 3"]
    assert cli.main(["compare", "unbounded", "bounded", *arguments]) == 2
    assert EMPTY in capsys.readouterr().err


@pytest.mark.parametrize("size", ["= 2", "= 0"])
@pytest.mark.parametrize("domain", ["own", "common"])
@pytest.mark.parametrize("record", ["a", "b"])
def test_a_class_of_one_database_is_none_of_these(
    size: str, domain: str, record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There are no neighbours, and every claim holds."""
    guarantee = f'notion = "pure", epsilon = "e1", granularity = "bounded", domain = "{domain}"'
    databases = f'kind = "sets"\nrecords = ["a", "b"]\nsize = "{size}"'
    text = problem(
        databases,
        guarantee=guarantee,
        reads=f'reads = {{ records = ["{record}"] }}',
        claim='notion = "pure"\nepsilon = "0"',
    )
    status, said = verify(written(tmp_path, text), capsys)
    assert status == 0 and "PROVED" in said


# warnings of deltas of 1 and more


def of_two(first: str, second: str) -> str:
    """A problem file of two mechanisms whose delta together is at least 1."""
    both = "".join(f'[[mechanisms]]\nname = "{n}"\n{said}\n' for n, said in (("P", first), ("A", second)))
    claim = '[[claims]]\nnotion = "approximate"\nepsilon = "9"\ndelta = "1/2"\n'
    return 'format = 1\n[databases]\nkind = "multisets"\n[target]\ngranularity = "bounded"\n' + both + claim


def approximate(epsilon: str, delta: str) -> str:
    said = f'notion = "approximate", epsilon = "{epsilon}", delta = "{delta}", granularity = "unbounded"'
    return f"guarantee = {{ {said} }}"


def test_a_warning_is_about_mechanisms_that_state_a_delta(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = verify(CRASHES / "d2_warning_crash.toml", capsys)
    assert status == 1
    assert "which says nothing; A reaches it at distance 2 by the group rule, at 3 exactly\n" in said


OTHERS = [
    'guarantee = { notion = "pure", epsilon = "1", granularity = "unbounded" }',
    'guarantee = { notion = "zcdp", rho = "1/10", granularity = "bounded" }',
    'guarantee = { notion = "gaussian", mu = "1/10", granularity = "bounded" }',
    'query = "count"\nnoise = { laplace = "1" }',
    'query = "count"\nnoise = { gaussian = "1" }',
]


@pytest.mark.parametrize("other", OTHERS)
def test_beside_mechanisms_of_all_notions(
    other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said = verify(written(tmp_path, of_two(other, approximate("3", "1/3"))), capsys)
    assert status in (0, 1) and "P reaches it" not in said


FAR = [
    ("1e-9", "1e-10", "A reaches it at distance 2"),  # not reached within the distances looked at
    ("1/1000", "1e-3", "P reaches it at distance 694 by the group rule"),  # e^(r/1000) - 1 >= 1.0005
    ("sqrt(2)", "1e-400", "P reaches it at distance 653 by the group rule"),  # ln(10^400*3.11)/sqrt(2)
    ("3000", "1e-100", "constants must stay below 10^1000"),  # e^6000 on the way
    ("1e-200", "1e-200", "REFUTED"),  # numbers this small are told from 0
]


def test_far_distances_take_no_long_time(tmp_path: Path) -> None:
    """Once a sum of as many terms as steps was written out for each distance."""
    texts = [of_two(approximate(epsilon, delta), approximate("3", "1/3")) for epsilon, delta, _ in FAR]
    for (*given, words), (status, said) in zip(FAR, each_apart(*all_written(tmp_path, texts)), strict=True):
        assert status in (1, 3) and words in " ".join(said.split()), given


# numbers within the limits whose intermediate values are not


@pytest.mark.parametrize(
    ("file", "status", "words"),
    [
        ("d5_large_numbers_crash.toml", 3, "constants must stay below 10^1000"),
        ("d6_tiny_rho_crash.toml", 0, "PROVED, loose"),
    ],
)
def test_large_and_small_numbers(
    file: str, status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = verify(CRASHES / file, capsys)
    assert found[0] == status and words in " ".join(found[1].split())


SIZES = ["1e300", "1e-350", "1/7**1000", "exp(-2000)", "sqrt(1e199+1)", "10**999"]
GUARANTEES = {
    "pure": 'guarantee = {{ notion = "pure", epsilon = "{}", granularity = "unbounded" }}',
    "zcdp": 'guarantee = {{ notion = "zcdp", rho = "{}", granularity = "bounded" }}',
    "gaussian": 'guarantee = {{ notion = "gaussian", mu = "{}", granularity = "bounded" }}',
    "normal noise": 'query = "count"\nnoise = {{ gaussian = "{}" }}',
    "laplace noise": 'query = "count"\nnoise = {{ laplace = "{}" }}',
    "geometric noise": 'query = "count"\nnoise = {{ geometric = "{}" }}',
}


@pytest.mark.parametrize(("stated", "size"), every_third(list(GUARANTEES), SIZES))
def test_every_command_ends_whatever_the_size(
    stated: str, size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each beside a mechanism of another notion, for a group: everything is converted and multiplied."""
    text = of_two(GUARANTEES[stated].format(size), GUARANTEES["zcdp"].format("1e-300"))
    text = text.replace('granularity = "bounded"\n[[', 'granularity = { group = 30, of = "bounded" }\n[[')
    claims = "".join(
        f'[[claims]]\nnotion = "{notion}"\n{key} = "{value}"\n'
        for notion, key in (("zcdp", "rho"), ("gaussian", "mu"))
        for value in ("1e350", "1e-350")
    )
    file, saved = written(tmp_path, text + claims), tmp_path / "d.json"
    for arguments in (["bound", str(file)], ["budget", str(file), "--total", "1e350"]):
        assert cli.main(arguments) in (0, 2, 3)
    assert cli.main(["verify", str(file), "--save-derivation", str(saved)]) in (0, 1, 2, 3)
    if saved.exists():
        assert cli.main(["recheck", str(saved)]) == 0
    assert "internal error" not in capsys.readouterr().err


def test_a_curve_of_noise_that_loses_much_is_no_work(tmp_path: Path) -> None:
    """Σ of 10,000 digits once; a conversion proves it, and the least epsilon is found beside it."""
    claim = 'notion = "approximate"\nepsilon = "5000"\ndelta = "1e-5"'
    noisy = problem('kind = "multisets"', '"unbounded"', claim)
    start, end = noisy.index("guarantee"), noisy.index("[[claims]]")
    noises = [
        f'query = "count"\nnoise = {{ gaussian = "{one}" }}\n' for one in ("1/93", "1/1000", "1/123456")
    ]
    found = each_apart(*all_written(tmp_path, [noisy[:start] + noise + noisy[end:] for noise in noises]))
    assert [status for status, _ in found] == [0, 1, 1], found


# windows of long streams


def streams(length: str, target: str, stated: str, claim: str = "e1") -> str:
    return problem(
        f'kind = "streams"\nsize = "{length}"',
        target,
        f'notion = "pure"\nepsilon = "{claim}"',
        f'notion = "pure", epsilon = "e1", granularity = {stated}',
    )


def test_windows_are_counted_before_they_are_made() -> None:
    status, said = apart(CRASHES / "d3_memory_streams.toml")
    assert status == 3
    assert "blocks of 1,000 cells in databases of 100,000 have more than the 2,000,000 cells" in said
    assert "databases of 1,414 cells would do" in " ".join(said.split())


LONG = [
    ("{ w-event = 1000 }", '"event"'),
    ('"event"', "{ w-event = 1000 }"),
    ("{ group = 2, of = { w-event = 900 } }", "{ w-event = 30 }"),
    ('{ union = ["event", { w-event = 999 }] }', '"event"'),
    ('"event"', "{ group = 5, of = { w-event = 999 } }"),
]


@pytest.mark.parametrize("length", [pytest.param("= 100000", marks=pytest.mark.slow), "= 99999"])
def test_other_long_streams(length: str, tmp_path: Path) -> None:
    files = all_written(tmp_path, [streams(length, *one) for one in LONG])
    for one, (status, said) in zip(LONG, each_apart(*files), strict=True):
        assert status in (2, 3) and "would do" in " ".join(said.split()), one


@pytest.mark.slow
def test_a_long_stream_of_small_windows_is_decided(tmp_path: Path) -> None:
    status, said = apart(written(tmp_path, streams("= 99999", '"event"', "{ w-event = 2 }")))
    assert status == 0 and "PROVED, and no smaller guarantee holds" in said


@pytest.mark.parametrize(
    ("kind", "length", "window"),
    [("tuples", 1414, 0), ("streams", 300, 200), pytest.param("streams", 1414, 1000, marks=pytest.mark.slow)],
)
def test_what_would_do_does(kind: str, length: int, window: int, tmp_path: Path) -> None:
    """The length that a refusal names, with the longest windows and their hardest cover; and a shorter one."""
    text = streams(f"= {length}", f"{{ w-event = {window} }}", "{ w-event = 7 }", f"{-(-window // 7)}*e1")
    if kind == "tuples":
        text = problem(f'kind = "tuples"\nsize = "= {length}"')
    status, said = apart(written(tmp_path, text))
    assert status == 0 and "PROVED, and no smaller guarantee holds" in said


def test_a_refusal_is_found_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not again for each claim, and for warnings."""
    from dpcompose.privacy import elaboration
    from dpcompose.search import proofs

    asked = []
    whole = elaboration.Elaborated
    monkeypatch.setattr(proofs, "Elaborated", lambda *given: asked.append(given) or whole(*given))
    assert (
        cli.main(["verify", str(written(tmp_path, streams("= 100000", '"event"', "{ w-event = 1000 }")))])
        == 3
    )
    assert len(asked) == 1


def test_a_cover_that_is_not_found_is_looked_for_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not again for each claim."""
    from dpcompose.search import guarantees

    asked = []
    whole = guarantees.workshop
    monkeypatch.setattr(guarantees, "workshop", lambda *given: asked.append(given) or whole(*given))
    monkeypatch.setattr(blocks, "MOST_WORK", 50)
    stated = 'notion = "pure", epsilon = "e1", granularity = "node"'
    text = problem('kind = "graphs"\nvertices = 8', '"free-lunch"', guarantee=stated)
    more = '[[claims]]\nnotion = "pure"\nepsilon = "2*e1"\n'
    assert cli.main(["verify", str(written(tmp_path, text + more))]) == 3
    assert len(asked) == 1


# sized sets, and other classes that are gone through database by database


def test_sized_sets_are_counted_before_they_are_gone_through(tmp_path: Path) -> None:
    text = (CRASHES / "d4_sets_hang.toml").read_text(encoding="utf-8")
    status, said = apart(CRASHES / "d4_sets_hang.toml")
    assert status in (0, 1) and "all sets of size" in said  # by a lemma on policies, whatever the size
    any_two = tmp_path / "any two.toml"
    any_two.write_text(
        text.replace('granularity = "unbounded"', 'granularity = "free-lunch"', 1), encoding="utf-8"
    )
    status, said = apart(any_two)
    assert status == 3
    assert "more than the 1 GB and 10 s that are spent on one question; a smaller class" in " ".join(
        said.split()
    )


RECORDS = f"records = {json.dumps([f'r{n}' for n in range(200)])}"
CLASSES = {
    "exactly": f'kind = "sets"\n{RECORDS}\nsize = "= 3"',
    "at most": f'kind = "sets"\n{RECORDS}\nsize = "<= 3"',
    "few": 'kind = "sets"\nrecords = ["a", "b", "c", "d", "e", "f", "g", "h"]\nsize = "<= 4"',
    "graphs": 'kind = "graphs"\nvertices = "<= 6"',
    "graphs beyond": 'kind = "graphs"\nvertices = "<= 7"',
    "vertices": 'kind = "graphs"\nvertices = 400',
    "tables": 'kind = "tables"\nsize = "<= 4"\nattributes = { a = ["x", "y"], b = ["1", "2", "3"] }',
    "multisets": f'kind = "multisets"\n{RECORDS}\nsize = "<= 3"',
    "tuples": f'kind = "tuples"\n{RECORDS}\nsize = "<= 3"',
}
NEIGHBOURS = {
    "sets": ['"unbounded"', '"bounded"', '"free-lunch"', '{ group = 2, of = "unbounded" }'],
    "multisets": ['"unbounded"', '"free-lunch"', '{ group = 40, of = "unbounded" }'],
    "graphs": ['"edge"', '"node"', '"node-removal"', '{ group = 3, of = "edge" }', '"free-lunch"'],
    "tables": ['"attribute"', '"bounded"', '{ group = 2, of = "attribute" }', '"free-lunch"'],
    "tuples": ['"bounded"', '"insert-delete"', '"free-lunch"', '{ group = 30, of = "bounded" }'],
}


@pytest.mark.parametrize(
    ("name", "target", "stated"),
    [
        ("exactly", "free-lunch", "bounded"),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in (("vertices", "free-lunch", "node"), ("graphs", "edge", "edge"))
        ),
    ],
)
def test_large_classes_are_refused_by_counts(name: str, target: str, stated: str, tmp_path: Path) -> None:
    guarantee = f'notion = "pure", epsilon = "e1", granularity = "{stated}"'
    status, said = apart(written(tmp_path, problem(CLASSES[name], f'"{target}"', guarantee=guarantee)))
    assert status == 3 and "would do" in " ".join(said.split())


@pytest.mark.parametrize(
    ("of_class", "target", "stated", "limit"),
    [
        ('kind = "graphs"\nvertices = 8', "free-lunch", "node", (blocks, "MOST_WORK")),
        ('kind = "graphs"\nvertices = "<= 5"', "edge", "edge", (arrays, "LARGEST")),
    ],
)
def test_smaller_classes_are_refused_by_smaller_counts(
    of_class: str,
    target: str,
    stated: str,
    limit: tuple[Any, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guarantee = f'notion = "pure", epsilon = "e1", granularity = "{stated}"'
    file = written(tmp_path, problem(of_class, f'"{target}"', guarantee=guarantee))
    assert verify(file, capsys)[0] in (0, 1)
    monkeypatch.setattr(*limit, 50)
    status, said = verify(file, capsys)
    assert status == 3 and "would do" in " ".join(said.split())


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_other_large_classes(name: str, tmp_path: Path) -> None:
    """Each target with guarantees for each neighbours that the class has: decided or refused, in seconds."""
    of_class = CLASSES[name]
    kind = of_class.split('"')[1]
    texts = [
        problem(of_class, target, guarantee=f'notion = "pure", epsilon = "e1", granularity = {stated}')
        for target in NEIGHBOURS[kind]
        for stated in NEIGHBOURS[kind][:2]
    ]
    for file in all_written(tmp_path, texts):
        status, said = apart(file)
        assert status in (0, 1, 2, 3), said


# saved derivations that hold what no problem file can


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("d7_recheck_null_crash.json", "this is no saved derivation of format 2"),
        ("d7b_recheck_null_query_crash.json", "this is no saved derivation of format 2"),
        ("d9_recheck_verdict_list_crash.json", "this is no saved derivation of format 2"),
    ],
)
def test_what_no_file_can_say_is_refused(file: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = verify(CRASHES / file, capsys, "recheck")
    assert status == 1 and words in said


@cache
def normal_noise() -> str:
    """The saved file of a histogram with normal noise, on which the first two files were, in this format."""
    study, claims = load(PROBLEMS / "62-normal-noise.toml")
    return json.dumps(rechecks.saved(study, [study.check(claim) for claim in claims]))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("noise", "gaussian"), "mechanisms.1.noise.gaussian: null is no value; leave the key out"),
        (("query", "histogram"), "mechanisms.1.query.histogram: null is no value; leave the key out"),
    ],
    ids=lambda one: ".".join(one) if isinstance(one, tuple) else "",
)
def test_null_in_a_saved_problem_is_refused(
    keys: tuple[str, str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, file = json.loads(normal_noise()), tmp_path / "saved.json"
    file.write_text(json.dumps(saved))
    assert verify(file, capsys, "recheck")[0] == 0
    file.write_text(json.dumps(changed(saved, ("problem", "mechanisms", 0, *keys), None)))
    status, said = verify(file, capsys, "recheck")
    assert status == 1 and words in said


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(found for key, one in inner for found in places(one, (*path, key)))]


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The data with another value in one place."""
    made = json.loads(json.dumps(data))
    here = made
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return made


def one_in(some: int, every: int) -> Any:
    """How many of the strange values stand in one place: in a normal run fewer, and in places in turn."""
    return pytest.mark.parametrize("one_in", [some, pytest.param(every, marks=pytest.mark.slow)])


STRANGE = (None, [], {}, [[]], "", 0, -1, True, 1.5, float("nan"), 10**30, ["x", "y"], "1/0", "oo")


@cache
def plane() -> str:
    """The saved file of weighted norms in the plane, of which one had a list as a verdict, in this format."""
    study, claims = load(next(PROBLEMS.glob("71-*.toml")))
    with TemporaryDirectory() as folder:
        study.save(Path(folder) / "saved.json", [study.check(claim) for claim in claims])
        return (Path(folder) / "saved.json").read_text(encoding="utf-8")


def test_a_list_as_a_verdict_in_a_metric_is_refused() -> None:
    saved = changed(json.loads(plane()), ("claims", 0, "verdict"), [])
    with pytest.raises(Refused, match="claim 1 cannot be read"):
        checker.check_in_metrics(saved, registry.standard())


@one_in(28, 7)
@pytest.mark.parametrize("part", ["problem", "core", "stated", "derivation", "guarantee", "claims"])
def test_strange_values_everywhere_in_a_metric(part: str, one_in: int) -> None:
    """In places of a saved file, each time one of so many values: it is refused, or what it shows is right."""
    saved = json.loads(plane())
    right = checker.check_in_metrics(saved, registry.standard()).verdicts
    assert right == ("proved", "refuted", "proved")
    for n, path in enumerate([(part, *path) for path in places(saved[part])]):
        for value in STRANGE[n % one_in :: one_in]:
            made = changed(saved, path, value)
            if part == "core":
                with suppress(BadSetting):
                    made["derivation"]["setting"] = reading.read(made["core"]).hash
            with suppress(Refused):
                shown = checker.check_in_metrics(made, registry.standard()).verdicts
                assert shown == right, path


@one_in(7, 3)
@pytest.mark.parametrize("part", ["problem", "core", "derivation", "guarantee", "claims"])
def test_strange_values_everywhere(part: str, one_in: int) -> None:
    """In each place of a saved file, each time one of so many values: it is refused, or what it shows is right."""
    saved = json.loads(normal_noise())
    right = rechecks.check(saved, registry.standard()).verdicts
    assert right == ("proved", "refuted", "proved")
    for n, path in enumerate([(part, *path) for path in places(saved[part])]):
        for value in STRANGE[n % one_in :: one_in]:
            made = changed(saved, path, value)
            if path[0] == "core":
                with suppress(BadSetting):
                    made["derivation"]["setting"] = reading.read(made["core"]).hash
            with suppress(Refused):
                shown = rechecks.check(made, registry.standard()).verdicts
                assert shown == right, path


@pytest.mark.parametrize("path", ["mechanisms.0.noise", "mechanisms.0.reads", "claims", "databases.records"])
def test_null_is_refused_wherever_it_stands(path: str) -> None:
    saved = json.loads(normal_noise())
    keys = tuple(int(key) if key.isdigit() else key for key in path.split("."))
    saved["problem"] = changed(saved["problem"], keys, None)
    if path == "claims":
        saved["claims"] = []
    with pytest.raises(Refused, match="null is no value; leave the key out"):
        rechecks.check(saved, registry.standard())


# formulas in one another


def test_logarithms_in_one_another() -> None:
    """Each was asked about once for each that it stands in: twice as long for each level."""
    status, said = apart(CRASHES / "d8_nested_log_hang.toml")
    assert status == 1 and "REFUTED" in said and "true loss 1\n" in said


@pytest.mark.parametrize(
    ("depth", "stated"),
    [
        (12, True),
        (29, False),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((12, False), (29, True))),
    ],
    ids=lambda one: ("claimed", "stated and claimed")[one] if isinstance(one, bool) else str(one),
)
@pytest.mark.parametrize(
    "nest",
    [
        "log(1 + {})",
        "log(1 + e2*{})",
        "sqrt(1 + {})",
        "1/(e2 + {})",
        "exp(-e2*{})",
        "log(1 + sqrt({}))",
        "log(1 + max(e2, {}))",
        "log(2 + {})/(1 + e2)",
    ],
)
def test_other_formulas_in_one_another(nest: str, stated: bool, depth: int, tmp_path: Path) -> None:
    text = "e1"
    for _ in range(depth):
        text = nest.format(text)
    known = "e1 + e2" if "e2" in nest else "e1"
    guarantee = f'notion = "pure", epsilon = "{text if stated else known}", granularity = "bounded"'
    made = problem('kind = "multisets"', claim=f'notion = "pure"\nepsilon = "{text}"', guarantee=guarantee)
    work: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        whole = forms.read
        patch.setattr(forms, "read", lambda *given: work.append(1) or whole(*given))
        assert cli.main(["verify", str(written(tmp_path, made))]) in (0, 1, 2, 3)
    assert 0 < len(work) <= 40_000
