"""Canonical metrics of groups, windows and unions in files with metrics, and granularities with a name that
are made of others."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.kernel.library import fields
from dpcompose.privacy import problems
from dpcompose.privacy.format import checks


def judged(text: str) -> dict[str, str]:
    """The verdicts on the claims of a file, by their metric or parameter."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.toml"
        path.write_text("format = 1\n" + text)
        study, claims = dpc.load(path)
    return {str(one.text.get("metric", one.text.get("epsilon"))): study.check(one).verdict for one in claims}


def file(databases: str, granularity: str, *claims: str, more: str = "", reads: str = "") -> str:
    stated = "".join(f'[[claims]]\nnotion = "pure"\nmetric = "{one}"\n' for one in claims)
    return f"""[databases]\n{databases}
[metrics.d]
granularity = {granularity}
{more}
[[mechanisms]]
name = "M"
{reads}
guarantee = {{ notion = "pure", metric = "s*d" }}
{stated}"""


RECORDS = 'kind = "multisets"\nrecords = ["a", "b"]\nsize = "<= 4"'
STREAM = 'kind = "streams"\nrecords = ["a", "b"]\nsize = "= 4"'


@pytest.mark.parametrize(
    ("databases", "granularity", "verdicts"),
    [
        # ceil(r/2) where r records are replaced: at most r, and not r/2
        (
            RECORDS,
            '{ group = 2, of = "bounded" }',
            {"s*d_bounded": "proved", "s*d_bounded/2": "refuted", "2*s*d": "proved", "s*d/2": "refuted"},
        ),
        # of 4 steps apart at most: 4 steps of one record are two of two
        (
            RECORDS,
            '{ group = 2, of = "unbounded" }',
            {"s*d_unbounded": "proved", "s*d_unbounded/2": "refuted", "s*d_unbounded/3": "refuted"},
        ),
        # windows of three among four times: two cover all
        (STREAM, "{ w-event = 3 }", {"s*d_event": "proved", "s*d": "proved", "s*d_event/3": "refuted"}),
        (
            RECORDS,
            '{ union = ["unbounded", "bounded"] }',
            {"s*d_unbounded": "proved", "s*d_bounded": "proved", "s*d_bounded/2": "refuted"},
        ),
        ('kind = "multisets"', '{ group = 2, of = "bounded" }', {"2*s*d": "proved", "s*d/2": "refuted"}),
        ('kind = "streams"\nsize = "= 60"', "{ w-event = 3 }", {"2*s*d": "proved", "s*d/2": "refuted"}),
        (
            'kind = "multisets"',
            '{ union = ["unbounded", "bounded"] }',
            {"2*s*d": "proved", "s*d/2": "refuted"},
        ),
    ],
)
def test_hand_values(databases: str, granularity: str, verdicts: dict[str, str]) -> None:
    assert judged(file(databases, granularity, *verdicts)) == verdicts


def test_a_bound_that_is_declared_on_an_infinite_class() -> None:
    """Two steps at once are at most as many as single ones; what is larger than all known is not proved."""
    more = 'at-most = "d_bounded"'
    claims = {"s*d_bounded": "proved", "s*d_bounded/2": "undecided"}
    assert judged(file('kind = "multisets"', '{ group = 2, of = "bounded" }', *claims, more=more)) == claims
    false = 'at-most = "d_bounded/2"'
    text = file(RECORDS, '{ group = 2, of = "bounded" }', "s*d", more=false)
    with pytest.raises(ValueError, match="the bound on d fails"):
        judged(text)


@pytest.mark.parametrize("name", ['group = 2\nof = "bounded"', 'union = ["unbounded", "bounded"]'])
def test_by_names(name: str) -> None:
    """The same granularity under a name, in metrics, as d_NAME, and for neighbours."""
    own = f"[granularities.mine]\n{name}"
    claims = {"s*d_mine": "proved", "s*d": "proved", "s*d_bounded": "proved", "s*d/2": "refuted"}
    assert judged(file(RECORDS, '"mine"', *claims, more=own)) == claims
    steps = 2 if "group" in name else 1
    neighbours = f"""
[databases]
kind = "multisets"
{own}
[target]
granularity = "mine"
[[mechanisms]]
name = "M"
guarantee = {{ notion = "pure", epsilon = "e", granularity = "bounded" }}
[[mechanisms]]
name = "N"
guarantee = {{ notion = "pure", epsilon = "f", granularity = "mine" }}
[[claims]]
notion = "pure"
epsilon = "{steps}*e + f"
"""
    expected = "proved" if steps == 2 else "refuted"  # unbounded neighbours are not bounded ones
    assert judged(neighbours) == {f"{steps}*e + f": expected}


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ('[granularities.g]\ngroup = 2\nof = "bonded"', "granularities.g.*there is no granularity 'bonded'"),
        ("[granularities.g]\ngroup = 2", "a group of neighbours is"),
        ('[granularities.g]\ngroup = 0\nof = "bounded"', "a group counts 1 to"),
        ('[granularities.g]\ngroup = 2\nof = "bounded"\nreplace = "all"', "a granularity of your own"),
        ("[granularities.bounded]\nw-event = 2", "bounded is a built-in granularity"),
        ("[granularities.g]\nw-event = 2", "the granularity 2-event has no meaning on multisets"),
    ],
)
def test_what_is_no_granularity(own: str, words: str) -> None:
    with pytest.raises(problems.ProblemError, match=words):
        judged(file(RECORDS, '"bounded"', "s*d", more=own))


@pytest.mark.parametrize(
    ("granularity", "words"),
    [
        ('{ group = 2, of = "bonded" }', "metrics.d.granularity.*there is no granularity 'bonded'"),
        ('{ group = "m", of = "bounded" }', "in metrics a number of steps is a number"),
        ("{ w-event = 3 }", "metrics.d.granularity"),
        ("3", "a granularity is a name, a window"),
    ],
)
def test_what_is_no_metric(granularity: str, words: str) -> None:
    with pytest.raises(problems.ProblemError, match=words):
        judged(file(RECORDS, granularity, "s*d"))


def test_of_a_part() -> None:
    databases = (
        'kind = "product"\n[databases.parts.R]\nkind = "multisets"\nrecords = ["a", "b"]\nsize = "<= 2"'
    )
    claims: dict[str, Any] = {"2*s*d": "proved", "s*d/2": "refuted"}
    text = file(databases, '{ group = 2, of = "bounded" }', *claims, more='of = "R"')
    assert judged(text) == claims


@pytest.mark.parametrize(
    ("databases", "name", "there"),
    [
        ('kind = "sequences"', "unbounded", "there are bounded, insert-delete and free-lunch"),
        ('kind = "graphs"\nvertices = 3', "unbounded", "there are edge, node and free-lunch"),
        ('kind = "multisets"', "edge", "there are unbounded, bounded and free-lunch"),
        ('kind = "tuples"\nsize = "= 3"', "unbounded", "there are bounded and free-lunch"),
    ],
)
def test_a_granularity_that_a_class_has_not(databases: str, name: str, there: str) -> None:
    """What the class has instead is said, as a target, a guarantee and a metric."""
    about = f"[databases]\n{databases}\n"
    pure = '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", '
    for text in (
        f'[target]\ngranularity = "{name}"\n{pure}epsilon = "e", granularity = "free-lunch" }}\n',
        f'[target]\ngranularity = "free-lunch"\n{pure}epsilon = "e", granularity = "{name}" }}\n',
        f'{pure}metric = "e*d_{name}" }}\n',
        f'[metrics.x]\ngranularity = "{name}"\n{pure}metric = "x" }}\n',
    ):
        with pytest.raises(
            problems.ProblemError, match=f"(?m){name} has no meaning on .*; {there}$"
        ) as refused:
            judged(about + text)
        assert "there is no metric" not in str(refused.value)  # that it is none here is told already


def test_groups_of_what_there_is() -> None:
    """Their number of steps is what does not fit, and no other granularity would do."""
    text = '[parameters]\nm = "integer >= 1"\n[databases]\nkind = "tuples"\n[target]\ngranularity = { group = "m", of = "bounded" }\n'
    pure = '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", epsilon = "e", granularity = "bounded" }\n'
    with pytest.raises(problems.ProblemError, match=r"a number of steps would do$"):
        judged(text + pure)


def test_no_word_is_its_own_correction() -> None:
    assert checks.close("bounded", ["bounded"]) == "" and fields.near("bounded", ["bounded"]) == ""
    assert checks.close("bounded", ["bounded", "unbounded"]) == "; did you mean 'unbounded'?"
    assert fields.near("titel", ["titel", "title"]) == "; did you mean 'title'?"
