"""Files about classes and streams that once took gigabytes; each with its like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from front.crashing import CRASHES, all_written, apart, each_apart, problem, verify, written

from dpcompose.front import cli
from dpcompose.kernel import covers
from dpcompose.kernel.covers import blocks
from dpcompose.privacy.elaboration import arrays


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
    whole = elaboration.elaborated
    monkeypatch.setattr(proofs, "elaborated", lambda *given: asked.append(given) or whole(*given))
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
    covers.cover.cache_clear()
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
    covers.cover.cache_clear()  # what was found with the limit that there was
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
