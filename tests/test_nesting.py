"""Compositions as mechanisms of others: bounds, verdicts and derivations, against the oracle too."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import oracle
import pytest
import rechecks
import sympy
import written

import dpcompose as dpc
from dpcompose.front.studies.recheck import Rechecked
from dpcompose.front.studies.study import Study
from dpcompose.language.symbols import Domain
from dpcompose.privacy import problems
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings.flattening import NotFlat, flattened
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.inputs.maps import Map

RELATIONS = {
    dpc.unbounded: oracle.unbounded,
    dpc.bounded: oracle.bounded,
    dpc.free_lunch: oracle.free_lunch,
}
SIZE = 3


def class_of(records: str) -> list[Any]:
    return oracle.multisets(records, "<=", SIZE)


def chosen(
    rng: random.Random, name: str, records: str
) -> tuple[dpc.Mechanism, oracle.InputDistance, Any, int]:
    """A mechanism on multisets of at most SIZE records with a number as its parameter; the same for the oracle."""
    part = "".join(rng.sample(records, rng.randint(1, len(records))))
    stated, epsilon = rng.choice(list(RELATIONS)), rng.randint(1, 9)
    domain = rng.choice(["own", "common"])
    f, reads = oracle.restriction(part), dpc.restriction(list(part))
    of_part = oracle.multisets_read(records, part, "<=", SIZE)
    given = oracle.Mechanism(f, epsilon, RELATIONS[stated], domain, of_part)  # type: ignore[arg-type]
    r = oracle.input_distance(oracle.Setting(class_of(records), oracle.unbounded, [given]), given)
    return dpc.mechanism(name, dpc.pure(epsilon, stated, domain), reads=reads), r, f, epsilon


def worst(pairs: Sequence[Any], lost: Sequence[tuple[oracle.InputDistance, Any, int]]) -> Any:
    """The largest sum of what mechanisms lose: each by its distance and map, at its parameter."""
    return oracle.true_bound(pairs, [f for _, f, _ in lost], [e for *_, e in lost], [r for r, *_ in lost])


@pytest.mark.parametrize("seed", range(5))
def test_against_the_oracle(seed: int) -> None:
    rng = random.Random(seed)
    inside = rng.choice(["a", "ab", "abc"])
    target, inner_target = rng.choice(list(RELATIONS)), rng.choice(list(RELATIONS))
    within = [chosen(rng, f"M{i}", inside) for i in (1, 2)]
    beside = chosen(rng, "N", "abc")
    study = dpc.compose(
        *(M for M, *_ in within), on=dpc.multisets(inside, size=f"<= {SIZE}"), target=inner_target
    )
    f, reads = oracle.restriction(inside), dpc.restriction(list(inside))
    outer = dpc.compose(
        dpc.mechanism("S", study=study, reads=reads),
        beside[0],
        on=dpc.multisets("abc", size=f"<= {SIZE}"),
        target=target,
    )
    # what a mechanism with the study's bound may lose
    inner_pairs = oracle.neighbouring_pairs(class_of(inside), RELATIONS[inner_target])
    e = worst(inner_pairs, [(r, g, e) for _, r, g, e in within])
    r = oracle.own_distance(f, class_of(inside), RELATIONS[inner_target])
    pairs = oracle.neighbouring_pairs(class_of("abc"), RELATIONS[target])
    by_bound = worst(pairs, [(r, f, 0 if e is None else e), beside[1:]])
    assert number(outer) == by_bound
    # what the mechanisms of the study may lose
    true = worst(
        pairs,
        [(lambda D, E, r=r: r(f(D), f(E)), lambda D, g=g: g(f(D)), e) for _, r, g, e in within]
        + [beside[1:]],
    )
    flat = outer.flat()
    assert flat is not None and number(flat) == true <= by_bound
    assert outer.guarantee().optimal is (true == by_bound)
    if true == oracle.INFINITY:
        assert outer.check(dpc.pure(1000)).verdict == "refuted"
    elif true:
        assert outer.check(dpc.pure(true)).verdict == "proved"
        assert outer.check(dpc.pure(true)).loose is False
        assert outer.check(dpc.pure(f"{true} - 1/100")).verdict == "refuted"


def number(study: Study) -> Any:
    epsilon = study.guarantee().epsilon
    return oracle.INFINITY if epsilon == sympy.oo else Fraction(int(epsilon.p), int(epsilon.q))


# verdicts, and what is saved


D = dpc.multisets({"a", "b", "c"})
AB = dpc.restriction(["a", "b"])
OF_AB = dpc.multisets({"a", "b"})


def only(name: str, epsilon: str, reads: Map = dpc.everything) -> dpc.Mechanism:
    domain = None if reads is dpc.everything else "own"
    return dpc.mechanism(name, dpc.pure(epsilon, dpc.unbounded, domain), reads=reads)


def rechecked(study: Study, claims: Sequence[Any], tmp_path: Path) -> Rechecked:
    """What the saved derivation with verdicts shows, with the pages in force; the file says the same again."""
    found = rechecks.rechecked(study, [study.check(claim) for claim in claims])
    (tmp_path / "again.toml").write_text(study.to_toml())
    again, _ = dpc.load(tmp_path / "again.toml")
    assert again.setting == study.setting
    return found


def test_a_claim_is_compared_with_the_bound_and_with_the_mechanisms(tmp_path: Path) -> None:
    inner = dpc.compose(
        only("M1", "e1", dpc.restriction(["a"])),
        only("M2", "e2", dpc.restriction(["b"])),
        on=OF_AB,
        target=dpc.unbounded,
    )
    study = dpc.compose(dpc.mechanism("S", study=inner, reads=AB), on=D, target=dpc.bounded)
    assert repr(study.guarantee()) == "bounded (2*max(e1, e2))-DP, by GB:IV-C; a smaller one is known"
    flat = study.flat()
    assert flat is not None and flat.guarantee().optimal
    claims = [dpc.pure(one) for one in ("2*e1 + 2*e2", "e1 + e2", "max(e1, e2)")]
    answers = [study.check(claim) for claim in claims]
    assert [(one.verdict, one.loose) for one in answers] == [
        ("proved", True),
        ("proved", False),
        ("refuted", None),
    ]
    found = rechecked(study, claims, tmp_path)
    assert found.verdicts == ("proved", "proved", "refuted") and not found.checked.optimal
    assert found.checked.assumed == ("S.M1", "S.M2")
    assert "in S, M1 is unbounded e1-DP as a map on D|{a}" in study.guarantee().assumptions


CASES = {
    "noise": (
        lambda: dpc.compose(
            dpc.mechanism("C", query=dpc.count, noise=dpc.laplace("1/e1")),
            dpc.mechanism("H", query=dpc.histogram(3), noise=dpc.laplace("1/e2")),
            on=OF_AB,
            target=dpc.unbounded,
        ),
        dpc.bounded,
        "bounded (2*e1 + 2*e2 + 2*e3)-DP",
        "bounded (max(e1 + e2 + 2*e3, 2*e2 + 2*e3))-DP",
    ),
    "adaptive": (
        lambda: dpc.compose(only("M1", "e1"), only("M2", "e2"), on=OF_AB, target=dpc.bounded, adaptive=True),
        dpc.unbounded,
        "unbounded oo-DP",
        "unbounded (e1 + e2 + e3)-DP",
    ),
    "a study in a study": (
        lambda: dpc.compose(
            dpc.mechanism(
                "T",
                study=dpc.compose(only("M1", "e1"), on=dpc.multisets({"a"}), target=dpc.unbounded),
                reads=dpc.restriction(["a"]),
            ),
            only("M2", "e2", dpc.restriction(["b"])),
            on=OF_AB,
            target=dpc.unbounded,
        ),
        dpc.unbounded,
        "unbounded (e3 + max(e1, e2))-DP",
        "unbounded (max(e1 + e3, e2 + e3))-DP",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_kinds_of_studies(case: str, tmp_path: Path) -> None:
    make, target, by_bound, one_by_one = CASES[case]
    study = dpc.compose(dpc.mechanism("S", study=make(), reads=AB), only("N", "e3"), on=D, target=target)
    flat = study.flat()
    assert flat is not None
    assert repr(study.guarantee()).startswith(by_bound) and repr(flat.guarantee()).startswith(one_by_one)
    if case == "adaptive":
        assert flat.setting.adaptive and not study.setting.adaptive
    claims = [flat.guarantee().bound.guarantee.texts[0][1], "e1"]
    assert rechecked(study, [dpc.pure(one) for one in claims], tmp_path).verdicts == ("proved", "refuted")


def test_a_study_in_another_notion(tmp_path: Path) -> None:
    inner = dpc.compose(dpc.mechanism("G", dpc.gaussian("m", dpc.unbounded)), on=D, target=dpc.unbounded)
    study = dpc.compose(
        dpc.mechanism("S", study=inner),
        dpc.mechanism("Z", dpc.zcdp("r", dpc.unbounded)),
        on=D,
        target=dpc.unbounded,
    )
    assert repr(study.guarantee()) == "unbounded (m**2/2 + r)-zCDP, by GB:VI.15"
    claims = [dpc.zcdp("r + m**2/2"), dpc.zcdp("r/2")]
    assert rechecked(study, claims, tmp_path).verdicts == ("proved", "refuted")


def test_mechanisms_that_cannot_be_stated_one_by_one(tmp_path: Path) -> None:
    # no two databases of two records are unbounded neighbours, though their restrictions to {a, b} are
    of_a = dpc.mechanism("M1", dpc.pure("e1", dpc.unbounded, "common"), reads=dpc.restriction(["a"]))
    inner = dpc.compose(of_a, on=dpc.multisets({"a", "b"}, size="<= 2"), target=dpc.unbounded)
    mechanisms = [dpc.mechanism("S", study=inner, reads=AB), dpc.mechanism("N", dpc.pure("e2", dpc.bounded))]
    study = dpc.compose(*mechanisms, on=dpc.multisets(size="= 2"), target=dpc.bounded)
    with pytest.raises(NotFlat) as refused:
        flattened(study.setting)
    assert str(refused.value) == (
        "S.M1 is unbounded pure (e1) on the common domain of all multisets of size <= 2 over {a, b}, which is "
        "not the same on all multisets of size 2 over an arbitrary record universe that holds a, b"
    )
    assert study.flat() is None
    assert repr(study.guarantee()) == "bounded (2*e1 + e2)-DP, by GB:IV.1"
    claims = [dpc.pure(one) for one in ("2*e1 + e2", "e1 + e2", "e2/2")]
    assert rechecked(study, claims, tmp_path).verdicts == ("proved", "undecided", "refuted")
    assert study.check(claims[1]).reason.endswith(f"; {refused.value}")


# families, listed classes, and files that are wrong


FAMILY = """
format = 1
[parameters]
k = "integer >= 2"
e = "nonnegative"
[databases]
kind = "multisets"
[partitions.P]
kind = "record-wise"
parts = "k"
[studies.ward]
target = { granularity = "unbounded" }
mechanisms = [
    { name = "A", guarantee = { notion = "pure", epsilon = "e[i]", granularity = "unbounded" } },
    { name = "B", guarantee = { notion = "pure", epsilon = "d", granularity = "unbounded" } },
]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
index = "i"
count = "k"
reads = { part = "i", of = "P" }
study = "ward"
[[claims]]
notion = "pure"
epsilon = "2*max(e[i], i, 1, k) + 2*d"
[[claims]]
notion = "pure"
epsilon = "2*max(e[i], i, 1, k) + d"
"""
LISTED = """
format = 1
[databases]
kind = "listed"
elements = ["a", "b1", "b2", "c"]
[granularities.mine]
neighbours = [["a", "b1"], ["b2", "c"]]
[granularities.steps]
neighbours = []
[maps.merge]
table = { a = "x", b1 = "y", b2 = "y", c = "z" }
image-neighbours = { steps = [["x", "y"], ["y", "z"]] }
[target]
granularity = "mine"
[studies.inner]
databases = { kind = "listed", elements = ["x", "y", "z"] }
granularities.steps.neighbours = [["x", "y"], ["y", "z"]]
maps.last.table = { x = "n", y = "n", z = "z" }
target = { granularity = "steps" }
mechanisms = [
    { name = "A", guarantee = { notion = "pure", epsilon = "e1", granularity = "steps" } },
    { name = "B", reads = { map = "last" }, guarantee = { notion = "pure", epsilon = "e2", granularity = "steps", domain = "common" } },
]
[[mechanisms]]
name = "M"
reads = { map = "merge" }
study = "inner"
[[claims]]
notion = "pure"
epsilon = "e1 + e2"
[[claims]]
notion = "pure"
epsilon = "max(e1, e2)"
"""


@pytest.mark.parametrize("text", [FAMILY, LISTED])
def test_studies_of_families_and_on_values_of_maps(text: str, tmp_path: Path) -> None:
    (tmp_path / "problem.toml").write_text(text)
    study, claims = dpc.load(tmp_path / "problem.toml")
    assert study.guarantee().optimal
    found = rechecks.rechecked(study, [study.check(claim) for claim in claims])
    assert found.verdicts == ("proved", "refuted") and found.checked.optimal


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (LISTED, 'study = "inner"', 'study = "iner"', "mechanisms.1.study"),
        (LISTED, 'image-neighbours = { steps = [["x", "y"], ["y", "z"]] }', "", "image_neighbours"),
        (LISTED, '"y", "z"]]\nmaps', '"y", "z"], ["x", "z"]]\nmaps', "image_neighbours"),
        (
            LISTED,
            'elements = ["x", "y", "z"]',
            'elements = ["x", "y", "z", "w"]',
            "no value for the database 'w'",
        ),
        (
            LISTED,
            'kind = "listed", elements = ["x", "y", "z"]',
            'kind = "hats"',
            "studies.inner.databases.kind",
        ),
        (LISTED, 'epsilon = "e1", ', 'epsilon = "e1 -", ', "studies.inner.mechanisms.1.guarantee.epsilon"),
        (LISTED, 'epsilon = "e1", ', 'epsilon = "-1", ', "no guarantee of inner is known"),
        (LISTED, 'study = "inner"', 'study = "inner"\nquery = "count"', "leave out query, noise and table"),
        (
            LISTED,
            'study = "inner"',
            'study = "inner"\nguarantee = { notion = "pure", epsilon = "e1", granularity = "steps", domain = "own" }',
            "what is shown for inner is steps pure (e1 + e2)",
        ),
        (FAMILY, "target = {", 'parameters = { e = "positive" }\ntarget = {', "one name is one parameter"),
        (
            FAMILY,
            "target = {",
            'partitions.P = { kind = "record-wise", parts = "k" }\ntarget = {',
            "those of the file",
        ),
        (FAMILY, 'name = "A",', 'name = "A", reads = { records = ["a"] },', "domain"),
        (FAMILY, 'name = "A",', 'name = "A", repeat = 3,', "not supported"),
    ],
)
def test_wrong_files(text: str, old: str, new: str, message: str, tmp_path: Path) -> None:
    assert text.count(old) == 1
    (tmp_path / "wrong.toml").write_text(text.replace(old, new))
    with pytest.raises(ProblemError) as refused:
        dpc.load(tmp_path / "wrong.toml")
    assert message in str(refused.value)


def test_a_file_without_search_needs_the_guarantee() -> None:
    with pytest.raises(ProblemError, match="the guarantee of its study"):
        problems.read_text(FAMILY)


def test_what_is_composed_must_fit() -> None:
    inner = dpc.compose(only("M1", "e1"), on=OF_AB, target=dpc.unbounded)
    with pytest.raises(
        InvalidSetting, match=r"a study on all finite multisets over \{a, b\}, but it reads D: all"
    ):
        dpc.compose(dpc.mechanism("S", study=inner), on=D, target=dpc.unbounded)
    good = dpc.mechanism("S", study=inner, reads=AB)
    for satisfies in (dpc.pure("e1", dpc.bounded, "own"), dpc.pure("e1", dpc.unbounded, "common")):
        with pytest.raises(InvalidSetting, match="S is a study"):
            dpc.compose(replace(good, satisfies=satisfies), on=D, target=dpc.unbounded)
    less = replace(good, satisfies=dpc.pure("e1/2", dpc.unbounded, "own"))
    assert str(dpc.compose(less, on=D, target=dpc.unbounded).guarantee().epsilon) == "e1"  # as is shown of it
    with pytest.raises(TypeError, match="leave out all else"):
        dpc.mechanism("S", dpc.pure("e1", dpc.unbounded), study=inner)
    with pytest.raises(TypeError, match=r"a study is what dpcompose.compose returns, not 3"):
        dpc.mechanism("S", study=3)  # type: ignore[arg-type]
    good_one = dpc.compose(good, on=D, target=dpc.unbounded).setting
    with pytest.raises(InvalidSetting, match="e1 is positive in the study of S, and is nonnegative outside"):
        replace(good_one, domains={"e1": Domain.read("nonnegative")})


def test_studies_that_nest_too_deeply_are_refused_in_words() -> None:
    with pytest.raises(ProblemError, match="nested too deeply"):
        dpc.loads(written.nested(200))
