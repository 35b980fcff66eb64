"""Claims that are metrics about studies that are mechanisms: their mechanisms one by one, on what is read."""

from __future__ import annotations

import itertools
import json
import random
from fractions import Fraction
from pathlib import Path

import pytest
from in_metrics import THEORY, claimed, study, verdicts

from dpcompose.front.studies import recheck as checker
from dpcompose.privacy.problems import ProblemError

PATIENTS = '[databases]\nkind = "multisets"\nrecords = ["child", "teen", "adult"]\n'
MINORS = (
    '[studies.minors]\ndatabases = { kind = "multisets", records = ["child", "teen"] }\n'
    '[[studies.minors.mechanisms]]\nname = "all"\nguarantee = { notion = "pure", metric = "e1*d_unbounded" }\n'
    '[[studies.minors.mechanisms]]\nname = "teens"\nreads = { records = ["teen"] }\n'
    'guarantee = { notion = "pure", metric = "e2*d_unbounded", domain = "own" }\n'
)
READ = '[[mechanisms]]\nname = "S"\nreads = { records = ["child", "teen"] }\nstudy = "minors"\n'
BY_HAND = (
    '[[mechanisms]]\nname = "all"\nreads = { records = ["child", "teen"] }\n'
    'guarantee = { notion = "pure", metric = "e1*d_unbounded", domain = "own" }\n'
    '[[mechanisms]]\nname = "teens"\nreads = { records = ["teen"] }\n'
    'guarantee = { notion = "pure", metric = "e2*d_unbounded", domain = "own" }\n'
)


def test_a_study_is_its_mechanisms_on_what_it_reads() -> None:
    """A teen that comes is seen by both, an adult by neither; d_unbounded of a claim counts all records."""
    claims = claimed(
        "(e1 + e2)*d_unbounded", "max(e1, e2)*d_unbounded", "e1*d_unbounded", "2*(e1 + e2)*d_bounded"
    )
    made, found = study(PATIENTS + MINORS + READ + claims)
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted", "proved"]
    assert [one.verdict for one in found] == verdicts(PATIENTS + BY_HAND + claims)
    assert [one.name for one in made.setting.mechanisms] == ["S.all", "S.teens"]
    assert any(
        one.startswith("S.teens is private in the metric e2*minors_d_unbounded_teen")
        for one in made.judge.stated.bound.assumptions
    )


def test_a_study_of_everything_or_of_a_part_is_about_that() -> None:
    points = '[databases]\nkind = "product"\n[databases.parts.S]\nkind = "multisets"\n'
    points += '[databases.parts.home]\nkind = "points"\ncoordinates = ["x", "y"]\n'
    points += (
        '[metrics.moved]\nnorm = "L2"\nof = "home"\n[metrics.count]\ngranularity = "unbounded"\nof = "S"\n'
    )
    inner = '[studies.where]\nmetrics.L2 = { norm = "L2" }\nmaps.f = { values = ["x"] }\n'
    inner += '[[studies.where.mechanisms]]\nname = "near"\nguarantee = { notion = "pure", metric = "e*L2" }\n'
    inner += '[[studies.where.mechanisms]]\nname = "far"\nreads = "f"\nnoise = { laplace = "1/g" }\n'
    inner += '[studies.who]\n[[studies.who.mechanisms]]\nname = "n"\nquery = "count"\nnoise = { geometric = "1/h" }\n'
    read = '[[mechanisms]]\nname = "W"\nreads = "home"\nstudy = "where"\nrepeat = 3\n'
    read += '[[mechanisms]]\nname = "C"\nreads = "S"\nstudy = "who"\n'
    claims = claimed("3*(e + g)*moved + h*count", "3*(e + g)*moved", "2*(e + g)*moved + h*count")
    made, found = study(points + inner + read + claims)
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted"]
    whole = '[databases]\nkind = "points"\ncoordinates = ["x"]\n[metrics.L1]\nnorm = "L1"\n[studies.s]\nadaptive = true\n'
    whole += '[[studies.s.mechanisms]]\nname = "m"\nguarantee = { notion = "pure", metric = "e*L1" }\n'
    text = (
        whole
        + '[[mechanisms]]\nname = "S"\nstudy = "s"\npost-processing = "rounded"\n'
        + claimed("e*L1", "e*L1/2")
    )
    made, found = study(text)
    assert [one.verdict for one in found] == ["proved", "refuted"]
    assert made.setting.adaptive and made.setting.mechanisms[0].processing == "rounded"


def test_studies_in_studies() -> None:
    inner = '[studies.minors.studies.teens]\ndatabases = { kind = "multisets", records = ["teen"] }\n'
    inner += '[[studies.minors.studies.teens.mechanisms]]\nname = "t"\n'
    inner += 'guarantee = { notion = "pure", metric = "e2*d_unbounded" }\n'
    outer = '[studies.minors]\ndatabases = { kind = "multisets", records = ["child", "teen"] }\n'
    outer += '[[studies.minors.mechanisms]]\nname = "T"\nreads = { records = ["teen"] }\nstudy = "teens"\n'
    made, found = study(PATIENTS + outer + inner + READ + claimed("e2*d_unbounded", "e2*d_unbounded/2"))
    assert [one.verdict for one in found] == ["proved", "refuted"]
    assert [one.name for one in made.setting.mechanisms] == ["S.T.t"]


@pytest.mark.parametrize("seed", range(8))
def test_studies_on_a_listed_class_against_what_is_gone_through(seed: int) -> None:
    """The inner guarantee is stated for neighbours among values of a map, also on the common domain of another."""
    rng = random.Random(seed)
    D = ["a", "b", "c", "d"]
    f = {x: rng.choice("uvw") for x in D}
    values = sorted(set(f.values()))
    g = {x: rng.choice("yz") for x in values}
    edges = [p for p in itertools.combinations(values, 2) if rng.random() < 0.8]
    outer = [p for p in itertools.combinations(D, 2) if rng.random() < 0.7]
    domain = rng.choice(["own", "common"]) if len(set(g.values())) > 1 else "common"

    def toml(table: dict[str, str]) -> str:
        return "{ " + ", ".join(f'{x} = "{y}"' for x, y in table.items()) + " }"

    text = f'[databases]\nkind = "listed"\nelements = {json.dumps(D)}\n[maps.f]\ntable = {toml(f)}\n'
    text += f"[granularities.next]\nneighbours = {json.dumps(outer)}\n"
    text += f'[studies.s]\ndatabases = {{ kind = "listed", elements = {json.dumps(values)} }}\n'
    text += f"granularities.near = {{ neighbours = {json.dumps(edges)} }}\nmaps.g.table = {toml(g)}\n"
    text += '[[studies.s.mechanisms]]\nname = "m"\nguarantee = { notion = "pure", metric = "d_near" }\n'
    text += '[[studies.s.mechanisms]]\nname = "n"\nreads = { map = "g" }\n'
    text += 'guarantee = { notion = "pure", metric = "2*d_near", domain = "common" }\n'
    text += '[[mechanisms]]\nname = "S"\nreads = { map = "f" }\nstudy = "s"\n'
    bounds = [Fraction(rng.randint(1, 12), 2) for _ in range(4)]
    _, found = study(text + claimed(*(f"{x}*d_next" for x in bounds)))
    far = {x: {y: 0 if x == y else 99 for y in values} for x in values}
    fibre = {x: {y: 0 if g[x] == g[y] else 99 for y in values} for x in values}
    there = {x: {y: 0 if x == y else 99 for y in D} for x in D}
    for table, pairs in ((far, edges), (fibre, edges), (there, outer)):
        for x, y in pairs:
            table[x][y] = table[y][x] = min(table[x][y], 1)
        for k, i, j in itertools.product(table, repeat=3):
            table[i][j] = min(table[i][j], table[i][k] + table[k][j])
    for bound, one in zip(bounds, found, strict=True):
        holds = True
        for x, y in itertools.combinations(D, 2):
            steps = [far[f[x]][f[y]], fibre[f[x]][f[y]], there[x][y]]
            if steps[2] < 99:
                lost = Fraction(999) if max(steps[:2]) >= 99 else Fraction(steps[0] + 2 * steps[1])
                holds &= lost <= bound * steps[2]
        assert one.verdict == ("proved" if holds else "refuted"), domain


def test_saved_studies_are_checked_again(tmp_path: Path) -> None:
    made, found = study(PATIENTS + MINORS + READ + claimed("(e1 + e2)*d_unbounded", "e1*d_unbounded"))
    made.save(tmp_path / "saved.json", found)
    data = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert checker.check_in_metrics(data, THEORY).verdicts == ("proved", "refuted")
    data["problem"]["studies"]["minors"]["mechanisms"][1]["guarantee"]["metric"] = "3*e2*d_unbounded"
    with pytest.raises(checker.Refused):
        checker.check_in_metrics(data, THEORY)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('study = "minors"', 'study = "minor"'), "there is no study 'minor'; did you mean 'minors'?"),
        (
            ('"teen"] }\n[[studies', '"teen", "adult"] }\n[[studies'),
            "a study is about the databases that are read",
        ),
        (('reads = { records = ["child", "teen"] }\nstudy', "study"), "leave out"),
        (('domain = "own" }\n', 'domain = "common" }\n'), "is read on the common domain of a study"),
        (
            ('study = "minors"', 'study = "minors"\nnoise = { laplace = "1" }'),
            "leave out query, noise and table",
        ),
        (("[studies.minors]\n", '[studies.minors]\nassume = ["e1 < e2"]\n'), "stand at the top"),
        (("e2*d_unbounded", "e2*d_unbouned"), "there is no metric d_unbouned"),
        (
            (
                "[studies.minors]\n",
                '[parameters]\ne1 = "positive"\n[studies.minors]\nparameters.e1 = "nonnegative"\n',
            ),
            "one name is one parameter",
        ),
    ],
)
def test_what_does_not_fit_is_told(change: tuple[str, str], told: str) -> None:
    text = PATIENTS + MINORS + READ + claimed("d_unbounded")
    assert change[0] in text
    with pytest.raises(ProblemError) as error:
        study(text.replace(change[0], change[1]))
    assert told in str(error.value)


NEAR = '[databases]\nkind = "points"\ncoordinates = ["x"]\n[metrics.d]\nnorm = "L1"\n'
ONLY_BOUNDED = (
    '[studies.{0}]\nmetrics.{1} = {{ at-most = "d" }}\n[[studies.{0}.mechanisms]]\nname = "I"\n'
    'guarantee = {{ notion = "pure", metric = "{2}*{1}" }}\n[[mechanisms]]\nname = "{0}"\nstudy = "{0}"\n'
)


@pytest.mark.parametrize("called", ["near", "other"])
def test_metrics_known_by_the_same_bound_are_not_the_same(called: str) -> None:
    """near = 0 and other = d at some two databases: (a + b)·near would be 0 there, and b·d is lost."""
    head = NEAR + '[metrics.near]\nat-most = "d"\n' + ONLY_BOUNDED.format("one", called, "b")
    head += '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", metric = "a*near" }\n'
    assert verdicts(head + claimed("(a + b)*near", "a*near + b*d", "(a + b)*d")) == [
        "undecided",
        "proved",
        "proved",
    ]
    head = NEAR + ONLY_BOUNDED.format("one", "near", "b") + ONLY_BOUNDED.format("two", called, "a")
    assert verdicts(head + claimed("(a + b)*near", "(a + b)*d")) == ["undecided", "proved"]


def test_what_a_study_shares_is_the_same_and_on_two_parts_it_is_not() -> None:
    """A study that uses the metrics around it means these; on two parts its own metric is two."""
    head = NEAR + '[metrics.near]\nat-most = "d"\n[studies.one]\n[[studies.one.mechanisms]]\nname = "I"\n'
    head += 'guarantee = { notion = "pure", metric = "b*near" }\n'
    for name in "ST":
        head += f'[[mechanisms]]\nname = "{name}"\nstudy = "one"\n'
    assert verdicts(head + claimed("2*b*near")) == ["proved"]
    parts = '[databases]\nkind = "product"\n' + "".join(
        f'parts.{name} = {{ kind = "points", coordinates = ["{x}"] }}\n' for name, x in ("Ax", "By")
    )
    parts += ONLY_BOUNDED.format("one", "near", "b").replace('"d"', '"3"') + 'reads = "A"\n'
    for name in "ST":
        parts += f'[[mechanisms]]\nname = "{name}"\nstudy = "one"\nreads = "B"\n'
    found = verdicts(parts + claimed("3*b*one_near", "b*one_near + 2*b*one_near_2"))
    assert found == ["undecided", "proved"]
