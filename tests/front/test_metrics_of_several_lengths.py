"""Claims in metrics on tuples of several lengths, of which databases of one length are not infinitely far apart."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from in_metrics import claimed

import dpcompose as dpc
from dpcompose.privacy.elaboration import cells, kinds

FILE = """format = 1
[databases]
kind = "{kind}"
{more}
[[mechanisms]]
name = "M"
guarantee = {{ notion = "pure", epsilon = "e", granularity = "{granularity}" }}
"""
CLASSES = [
    ("tuples", 'size = "any"', "bounded"),
    ("tuples", 'size = "<= 400"', "bounded"),
    ("tuples", 'size = "<= 2"', "bounded"),
    ("tuples", 'size = ">= 1"', "bounded"),
    ("tuples", 'size = "any"\nrecords = ["a", "b"]', "bounded"),
    ("streams", 'size = "any"', "event"),
    ("streams", 'size = "<= 90"\nrecords = ["a", "b"]', "event"),
    ("tables", 'size = "any"\nattributes = { age = ["y", "o"] }', "bounded"),
    ("tuples", 'size = "= 2"', "bounded"),
    ("tuples", 'size = "<= 3"\nrecords = ["a", "b"]', "bounded"),
]


def verdicts(text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        (file := Path(folder) / "problem.toml").write_text(text, encoding="utf-8")
        study, claims = dpc.load(file)
        return [study.check(one).verdict for one in claims]


@pytest.mark.parametrize(("kind", "more", "granularity"), CLASSES)
def test_a_claim_below_what_one_step_costs_is_false(kind: str, more: str, granularity: str) -> None:
    text = FILE.format(kind=kind, more=more, granularity=granularity)
    d = f"d_{granularity}"
    assert verdicts(text + claimed(f"e*{d}", f"e*{d}/100", f"9/10*e*{d}")) == ["proved", "refuted", "refuted"]


def test_two_guarantees_add_up_at_every_step() -> None:
    text = """format = 1
[databases]
kind = "tuples"
size = "<= 3"
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
guarantee = { notion = "pure", metric = "e*d_bounded" }
[[mechanisms]]
name = "N"
guarantee = { notion = "pure", metric = "f*d_free_lunch" }
"""
    steps = (
        '[[claims]]\nnotion = "pure"\nepsilon = "e/100 + f"\n[[claims]]\nnotion = "pure"\nepsilon = "e + f"\n'
    )
    metric = claimed("(e/100)*d_bounded", "f*d_bounded/9 + e*d_bounded", "e*d_bounded + f*d_free_lunch")
    assert verdicts(text + steps + metric) == ["refuted", "proved", "refuted", "refuted", "proved"]


def test_tuples_of_several_lengths_are_told_for_no_pairs() -> None:
    """What is told of them is about the two that are furthest apart: nothing else is made of it."""
    assert [one for one in kinds.Kind.__subclasses__() if not one.by_pairs] == [cells.WholeTuples]


def test_sets_of_few_records_of_any_universe_have_counterexamples() -> None:
    text = FILE.format(kind="sets", more='size = "<= 2"', granularity="bounded")
    assert verdicts(text + claimed("2*e*d_free_lunch")) == ["refuted"]


def test_norms_of_points_beside_a_metric_of_what_is_read() -> None:
    text = """format = 1
[databases]
kind = "points"
coordinates = ["u", "v"]
[maps.f]
values = ["u"]
[metrics.d]
norm = "L2"
[metrics.a]
norm = "L2"
of = "f"
[[mechanisms]]
name = "M"
reads = "f"
guarantee = { notion = "pure", metric = "d + a", domain = "common" }
"""
    assert verdicts(text + claimed("2*a", "a*3/2")) == ["proved", "refuted"]
