"""Files with metrics take the keys of other files: several guarantees, partitions, maps of points by a table."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.privacy import problems
from dpcompose.privacy.settings import Setting


def loaded(text: str) -> tuple[Any, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.toml"
        path.write_text("format = 1\n" + text)
        return dpc.load(path)


def judged(text: str) -> list[str]:
    study, claims = loaded(text)
    return [study.check(one).verdict for one in claims]


def claims(*some: str, notion: str = "pure") -> str:
    return "".join(f'[[claims]]\nnotion = "{notion}"\n{one}\n' for one in some)


def metric(*some: str, notion: str = "pure") -> str:
    return claims(*(f'metric = "{one}"' for one in some), notion=notion)


# several guarantees


IN_STEPS = '{ notion = "pure", metric = "s*d_unbounded" }'
FOR_NEIGHBOURS = '{ notion = "pure", epsilon = "t", granularity = "bounded" }'


@pytest.mark.parametrize(
    "some",
    [
        [IN_STEPS, '{ notion = "pure", metric = "t*d_bounded" }'],
        [IN_STEPS, FOR_NEIGHBOURS],
        ['{ notion = "pure", epsilon = "s", granularity = "unbounded" }', FOR_NEIGHBOURS],
    ],
)
def test_the_least_of_several_guarantees(some: list[str]) -> None:
    """At all databases min(s*d_unbounded, t*d_bounded), and not less than what both allow."""
    text = f'[databases]\nkind = "multisets"\n[[mechanisms]]\nname = "M"\nsatisfies = [{", ".join(some)}]\n'
    wanted = metric("min(s*d_unbounded, t*d_bounded)", "s*d_unbounded", "t*d_bounded", "min(s, t)*d_bounded")
    assert judged(text + wanted) == ["proved", "proved", "proved", "refuted"]
    target = text.replace("[[mech", '[target]\ngranularity = "bounded"\n[[mech')
    steps = claims('epsilon = "min(2*s, t)"', 'epsilon = "t"', 'epsilon = "t/2"')
    verdicts = judged(target + steps)
    assert verdicts[:2] == ["proved", "proved"] and verdicts[2] != "proved"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("satisfies = []", "mechanisms.1.satisfies"),
        (f"satisfies = [{IN_STEPS}]\nguarantee = {IN_STEPS}", "leave out guarantee"),
    ],
)
def test_several_that_are_refused(more: str, words: str) -> None:
    text = f'[databases]\nkind = "multisets"\n[[mechanisms]]\nname = "M"\n{more}\n'
    with pytest.raises(problems.ProblemError, match=words):
        judged(text + metric("s*d_bounded"))


# partitions


PARTS = """[parameters]
k = "integer >= 2"
[databases]
kind = "multisets"
[partitions.P]
kind = "record-wise"
parts = "k"
{target}
[[mechanisms]]
name = "M"
index = "i"
count = "k"
reads = {{ part = "i", of = "P" }}
guarantee = {{ notion = "{notion}", {stated}, domain = "own" }}
"""


def parts(target: str = "", stated: str = 'metric = "e[i]*d_unbounded"', notion: str = "pure") -> str:
    said = f'[target]\ngranularity = "{target}"' if target else ""
    return PARTS.format(target=said, stated=stated, notion=notion)


@pytest.mark.parametrize("target", ["", "unbounded"])
@pytest.mark.parametrize(
    "stated", ['metric = "e[i]*d_unbounded"', 'epsilon = "e[i]", granularity = "unbounded"']
)
def test_parts_and_claims_in_steps(target: str, stated: str) -> None:
    wanted = metric("max(e[i], i, 1, k)*d_unbounded", "sum(e[i], i, 1, k)/k*d_unbounded")
    assert judged(parts(target, stated) + wanted) == ["proved", "refuted"]
    both = wanted + claims('epsilon = "max(e[i], i, 1, k)"')
    if target:
        assert judged(parts(target, stated) + both) == ["proved", "refuted", "proved"]


def test_zcdp_in_steps() -> None:
    """In zCDP the metric is the root: max(r[i]) of neighbours, and half of that is refuted."""
    stated = 'rho = "r[i]", granularity = "unbounded"'
    wanted = metric(
        "sqrt(max(r[i], i, 1, k))*d_unbounded", "sqrt(max(r[i], i, 1, k)/2)*d_unbounded", notion="zcdp"
    )
    assert judged(parts("unbounded", stated, "zcdp") + wanted) == ["proved", "refuted"]


def test_formulas_in_one_metric_beside_parts() -> None:
    """Any guarantee e[i] is larger somewhere; also 3k steps in one part, where the claim is a root."""
    some = ["1 + k*d_unbounded", "min(d_unbounded, 3)", "k*d_bounded", "2**d_unbounded"]
    assert judged(parts("unbounded") + metric(*some)) == ["refuted"] * len(some)
    assert judged(parts("unbounded") + metric("(k - 3)*d_unbounded", notion="zcdp")) == ["refuted"]


@pytest.mark.parametrize("claim", ["d_unbounded*d_bounded", "k"])
def test_other_claims_beside_parts(claim: str) -> None:
    with pytest.raises(
        problems.ProblemError, match="'partitions' is not supported yet beside claims in sever"
    ):
        judged(parts("unbounded") + metric(claim))


def test_what_is_unknown_in_claims_beside_parts_is_told() -> None:
    with pytest.raises(problems.ProblemError, match="unknown name 'a'"):
        judged(parts("unbounded") + metric("a*d_unbounded"))


@pytest.mark.parametrize(
    "wrong",
    [
        '[[claims]]\nnotion = "pure"\n',
        metric("d_unbounded*("),
        "[claims]\n",
        "claims = [1]\n",
        claims('epsilon = "1"'),
    ],
)
def test_mistakes_beside_parts_without_a_target(wrong: str) -> None:
    with pytest.raises(problems.ProblemError, match="target: this key is missing"):
        judged(wrong + parts() if wrong.startswith("claims") else parts() + wrong)


def test_sums_that_are_one_multiple() -> None:
    """The claim is read as a formula, and not by its letters."""
    wanted = metric(
        "d_unbounded*max(e[i], i, 1, k)",
        "d_unbounded/2*max(e[i], i, 1, k) + d_unbounded/3*max(e[i], i, 1, k)",
    )
    assert judged(parts() + wanted) == ["proved", "refuted"]


# samples and deals


DRAWN = """[databases]
kind = "multisets"
[[mechanisms]]
name = "M"
sampled = { poisson = "1/2" }
guarantee = { notion = "pure", epsilon = "e", granularity = "unbounded" }
[[mechanisms]]
name = "N"
guarantee = { notion = "pure", metric = "f*d_unbounded" }
"""
DEALT = """[databases]
kind = "multisets"
[parameters]
k = "integer >= 2"
[[mechanisms]]
name = "M"
index = "i"
count = "k"
reads = { random-part = "i", of = "k" }
guarantee = { notion = "pure", epsilon = "e", granularity = "bounded", domain = "own" }
"""


def test_samples_and_claims_in_steps() -> None:
    """Each of d records is in the sample with probability 1/2, and then makes exp(e) as large."""
    wanted = metric("(log(1/2 + exp(e)/2) + f)*d_unbounded", "(e/2 + f)*d_unbounded")
    assert judged(DRAWN + wanted) == ["proved", "refuted"]
    assert judged(DEALT + metric("e*d_bounded", "e/2*d_bounded")) == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("text", "key"),
    [(DRAWN, r"mechanisms.1.sampled.*'sampled'"), (DEALT, r"mechanisms.1.reads.random-part.*'random-part'")],
)
def test_other_claims_beside_samples(text: str, key: str) -> None:
    with pytest.raises(problems.ProblemError, match=f"{key} is not supported yet beside claims in several"):
        judged(text + metric("d_unbounded + d_bounded"))


# metrics that are formulas in others, of what is read


@pytest.mark.parametrize("domain", ["own", "common"])
def test_formulas_in_metrics_of_what_is_read(domain: str) -> None:
    """s is twice the steps, also between what is read: at all databases as for neighbours."""
    given = f"""[databases]
kind = "multisets"
records = ["a", "b"]
[metrics.s]
formula = "2*d_unbounded"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
reads = {{ records = ["a"] }}
guarantee = {{ notion = "pure", metric = "e*s", domain = "{domain}" }}
"""
    some = metric("2*e*d_unbounded", "e*d_unbounded") + claims('epsilon = "2*e"', 'epsilon = "e"')
    assert judged(given + some) == ["proved", "refuted", "proved", "refuted"]


# maps of points


POINTS = """[databases]
kind = "points"
coordinates = ["u", "v"]
{more}
[maps.f]
values = {values}
[metrics.L2]
norm = "L2"
[metrics.L1]
norm = "L1"
[metrics.a]
norm = "L2"
of = "f"
[[mechanisms]]
name = "M"
reads = {reads}
guarantee = {{ notion = "pure", metric = "{metric}"{domain} }}
"""


def points(
    stated: str, reads: str = '{ map = "f" }', domain: str = "common", values: str = '["u"]', more: str = ""
) -> str:
    said = f', domain = "{domain}"' if domain else ""
    return POINTS.format(metric=stated, reads=reads, domain=said, values=values, more=more)


@pytest.mark.parametrize("reads", ['{ map = "f" }', '"f"'])
def test_the_nearest_points(reads: str) -> None:
    """Points with the same u and u' are |u - u'| apart at least."""
    wanted = metric("s*a", "s*L2", "s*a/2", "s*L2/2")
    assert judged(points("s*L2", reads) + wanted) == ["proved", "proved", "refuted", "refuted"]
    assert judged(points("s*a", reads, "") + wanted) == ["proved", "proved", "refuted", "refuted"]
    both = metric("(s + t)*a", "s*a")
    assert judged(points("s*L2 + t*L1", reads) + both) == ["proved", "refuted"]
    assert judged(points("min(s*L2, 3)", reads) + metric("min(s*a, 3)", "3")) == ["proved", "proved"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (points("s*L2", domain="own"), "L2 is not about f, which is read"),
        (points("s*L2", values='["2*u"]'), "L2 is not about f, which is read"),
        (points("s*L2", values='["u", "u"]'), "L2 is not about f, which is read"),
        (points("s*L2", '"g"'), "there is no map 'g'"),
        (points("s*L2", '{ map = "g" }'), "reads a map or part by its name"),
        (points("s*L2", '{ records = ["a"] }'), "reads a map or part by its name"),
    ],
)
def test_wrong_reads_bring_one_error(text: str, words: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "problem.toml"
    path.write_text("format = 1\n" + text + metric("s*a", "s*L2"))
    assert cli.main(["verify", str(path)]) == 2
    said = capsys.readouterr().err
    assert words in said and "unknown name" not in said and said.count("problem.toml") == 1


def test_files_of_both_kinds_are_settings() -> None:
    """Of neighbours, and of all pairs where claims are formulas in metrics."""
    for file, pairs in (
        ("69-two-districts", True),
        ("01-bounded-parallel", False),
    ):
        path = Path(__file__).parents[2] / "notebooks" / "problems" / f"{file}.toml"
        read = problems.read_text(problems.text_of(path))
        assert isinstance(read.setting, Setting) and read.setting.at_all_pairs == pairs
        assert {one.guarantee.metric is not None for one in read.claims} == {pairs}
