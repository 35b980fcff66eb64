"""Hints for names that others use: each leads to what the format has, and to nothing wrong."""

import pytest

from dpcompose.privacy import problems

FILE = """
format = 1
[databases]
kind = "multisets"
[target]
granularity = "{granularity}"
[[mechanisms]]
name = "M"
{mechanism}
"""
COUNT = 'query = "count"\nnoise = { laplace = 1 }'


def message(granularity: str = "bounded", mechanism: str = COUNT) -> str:
    with pytest.raises(problems.ProblemError) as refused:
        problems.read_text(FILE.format(granularity=granularity, mechanism=mechanism))
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("deletion", "unbounded"),
        ("insertion", "unbounded"),
        ("add/remove", "unbounded"),
        ("symmetric-difference", "unbounded"),
        ("Symmetric_Difference", "unbounded"),
        ("hamming", "bounded"),
        ("replace-one", "bounded"),
        ("substitution", "bounded"),
        ("person-level", "user"),
        ("user-level", "user"),
        ("event-level", "event"),
    ],
)
def test_neighbours(name: str, meant: str) -> None:
    assert f"did you mean '{meant}'?" in message(name)


@pytest.mark.parametrize("name", ["record-level", "example-level", "row-level"])
def test_a_record_is_no_event(name: str) -> None:
    said = message(name)
    assert "'event'?" not in said
    assert "'unbounded', a record comes or goes, or 'bounded', one is replaced?" in said


def test_zeroing_out_is_a_policy() -> None:
    assert 'replace = [["a", "null"], ["b", "null"]]' in message("zero-out")


@pytest.mark.parametrize("name", ["eps-delta", "epsilon-delta", "approximate-dp"])
def test_notions(name: str) -> None:
    stated = f'guarantee = {{ notion = "{name}", epsilon = 1, delta = "1/9", granularity = "bounded" }}'
    assert "did you mean 'approximate'?" in message(mechanism=stated)


def test_medians() -> None:
    said = message(mechanism="query = { median = [0, 1] }\nnoise = { laplace = 1 }")
    assert "a median moves by all of u - l; did you mean 'mean', or a 'histogram'" in said


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("median", "a median moves by all of u - l; did you mean 'mean', or a 'histogram'"),
        ("histogram", "not 'histogram'; write { histogram = ... }"),
        ("average", "did you mean 'mean'?"),
        ("size", "did you mean 'count'?"),
    ],
)
def test_a_query_in_a_word(query: str, said: str) -> None:
    assert said in message(mechanism=f'query = "{query}"\nnoise = {{ laplace = 1 }}')


def test_mistakes_of_one_kind_are_told_at_once() -> None:
    said = message(
        mechanism="""\
reads = "everthing"
guarantee = { notion = "rdp", epsilon = "e", granularity = "bounded" }
[[mechanisms]]
name = "N"
query = "median"
noise = { laplace = 1 }
[[claims]]
notion = "purre"
epsilon = "e"
"""
    )
    for one in (
        "did you mean 'everything'?",
        "did you mean 'renyi'?",
        "a median moves",
        "did you mean 'pure'?",
    ):
        assert one in said


def test_neighbours_of_other_names_are_told_at_once() -> None:
    said = message(
        "add-remove", 'guarantee = { notion = "pure", epsilon = "e", granularity = "record-level" }'
    )
    assert "did you mean 'unbounded'?" in said and "a record comes or goes" in said
