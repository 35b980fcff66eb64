"""Files that once ended in a traceback, or went on for minutes; each with its like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from front.crashing import CRASHES, all_written, apart, each_apart, problem, verify, written
from shares import every_third
from shipped import PROBLEMS

from dpcompose.front import cli
from dpcompose.kernel.expressions import forms

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


@pytest.mark.parametrize("size", ["= n", "<= n", "1..n"])
def test_a_bound_without_a_metric_in_closed_form(
    size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is read is pushed forward for groups of steps, and the derivation stands alone."""
    file = tmp_path / "shifts.toml"
    text = next(one for one in PROBLEMS if one.name.startswith("291")).read_text(encoding="utf-8")
    file.write_text(text.replace('"= n"', f'"{size}"'), encoding="utf-8")
    assert cli.main(["bound", "--proof", str(file)]) == 0
    out = capsys.readouterr().out
    assert "5. the composition is change (2*e)-DP" in out and "private in the metric" not in out
    assert cli.main(["bound", "--json", str(file)]) == 0
    assert "metric" not in json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_bounds_that_are_longer_than_formulas_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    """Deltas of seven mechanisms for groups of three: the bound is printed, and not read again."""
    status, said = verify(CRASHES / "d11_long_deltas_crash.toml", capsys)
    assert status == 0 and "group of 3 bounded (max(e1 + 2*e2 + 2*e3 + e4, " in said


@pytest.mark.parametrize("group", [1, 2, 3])
@pytest.mark.parametrize("single", ["edge", "node"])
def test_groups_where_there_is_nothing_to_change(
    group: int, single: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A graph on one vertex has no edge: no two are neighbours, and everything is proved."""
    text = (CRASHES / "d10_groups_without_an_edge.toml").read_text()
    (tmp_path / "a.toml").write_text(text.replace("group = 3", f"group = {group}").replace("edge", single))
    status, said = verify(tmp_path / "a.toml", capsys)
    assert status == 0 and "PROVED" in said and "no two of all graphs on 1 vertex are" in said


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
    assert "bounded (7, 1 - exp(-3)/3)-DP, by GB:VI.4 and approximate-together\n" in said


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
    ("1e-9", "1e-10", "and approximate-together"),
    ("1/1000", "1e-3", "and approximate-together"),
    ("sqrt(2)", "1e-400", "and approximate-together"),
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
