"""Every item of the five sources has a row with its page, its problem file and its test, or says why it is open."""

from __future__ import annotations

import ast
from functools import cache

import pytest
from item_map import BEYOND, ITEMS, is_for_readers, items_of, open_items, rows
from theorem_settings import PAGES, ROOT, THEORY

EVERY = {item: test for source in ITEMS for item, test in items_of(source).items()}


def test_there_are_five_sources() -> None:
    assert list(ITEMS) == ["GB", "CSF", "CLI", "HAR", "STE"]
    assert len(items_of("GB")) == 85 + 1
    for said in ITEMS.values():
        assert said["title"] and set(said) <= {"title", "numbered", "unnumbered", "tests", "items", "not-yet"}


def test_every_item_has_a_row_and_every_row_an_item() -> None:
    assert {item for item, _, _ in rows()} - {BEYOND} == set(EVERY)
    for item, pages, problem in rows():
        assert pages and problem, item
        if item != BEYOND:
            assert (ROOT / "notebooks" / "problems" / problem).is_file(), item


OPEN = [
    pytest.param(item, marks=pytest.mark.xfail(reason=reason, strict=True))
    for item, reason in open_items().items()
]


@pytest.mark.parametrize("item", OPEN)
def test_an_open_item_has_a_row(item: str) -> None:
    """`pytest -rx` shows what is open, and why.  What is there is to be taken off the list: then this fails."""
    assert THEORY.find(item) is not None or item in {one for one, _, _ in rows()}


def test_what_is_open_has_a_reason() -> None:
    assert all(len(reason) > 20 for reason in open_items().values()) and not set(open_items()) & set(EVERY)


@pytest.mark.parametrize("source", ITEMS)
def test_every_item_names_a_test_that_there_is(source: str) -> None:
    for item, test in items_of(source).items():
        file, mark, name = test.partition("::")
        assert mark and name in functions(file), f"{item}: {test}"


@cache
def functions(file: str) -> set[str]:
    """The tests that a file defines."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {
        one.name for one in tree.body if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")
    }


def test_what_is_for_readers_names_its_tests() -> None:
    """Nothing in the program checks such a page: its tests do, which it names itself; or it is only cited."""
    found = [page for page in PAGES if is_for_readers(page)]
    assert len(found) == 14
    for page in found:
        files = {EVERY[item].partition("::")[0] for item in page.every_item}
        assert files, page.id
        assert page.is_believed or any(f"`{file}`" in page.body for file in files), page.id


def test_what_is_cited_says_so() -> None:
    """Such pages are the only ones that ship and are not vouched for; nothing can rest on them."""
    cited = [page for page in PAGES if page.is_believed]
    assert {page.id for page in cited} == {"separation", "many-queries", "divergences-on-samples"}
    for page in cited:
        assert is_for_readers(page)
        assert "cited,*" in page.body and "Nothing rests on" in page.body
        assert not any(page.id in one.head.special_case_of for one in PAGES)
        for item in page.every_item:
            titles = [what for key, what in table_words() if key == item]
            assert titles and all(what.endswith("(cited)") for what in titles), item


def table_words() -> list[tuple[str, str]]:
    """(item, what it is called) of each row."""
    text = (ROOT / "theorems" / "README.md").read_text(encoding="utf-8").partition("| item |")[2]
    cells = [line.strip("|").split("|") for line in text.splitlines()[2:] if line.startswith("|")]
    return [(item.strip(), what.strip()) for item, what, *_ in cells]
