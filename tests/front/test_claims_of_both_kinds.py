"""Files with metrics whose claims are of both kinds: those for neighbours are judged by the kernel."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import in_metrics
import pytest
from in_metrics import claimed_for_neighbours as claimed
from in_metrics import read_data
from shipped import SHIPPED

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.studies.in_metrics import InMetrics
from dpcompose.proof.theory import registry
from dpcompose.search.metrics import proofs

BEGINNING = 'format = 1\n[databases]\nkind = "multisets"\n[target]\ngranularity = "bounded"\n'
METRIC = '[[mechanisms]]\nname = "M1"\nguarantee = { notion = "pure", metric = "e1*d_unbounded" }\n'
NOISE = '[[mechanisms]]\nname = "M2"\nquery = "count"\nnoise = { geometric = "1/e2" }\n'
METRIC_CLAIM = '[[claims]]\nnotion = "pure"\nmetric = "(e1 + e2)*d_unbounded"\n'


def judged(text: str, folder: Path) -> list[str]:
    file = folder / "problem.toml"
    file.write_text(text, encoding="utf-8")
    study, claims = dpc.load(file)
    return [study.check(claim).verdict for claim in claims]


def saved(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    (folder / "problem.toml").write_text(text, encoding="utf-8")
    to = folder / "saved.json"
    assert cli.main(["verify", str(folder / "problem.toml"), "--save-derivation", str(to)]) in (0, 1, 3)
    capsys.readouterr()
    return json.loads(to.read_text())


def rechecked(data: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Why a file is refused; "" where it is not."""
    (folder / "again.json").write_text(json.dumps(data))
    status = cli.main(["recheck", "--json", str(folder / "again.json")])
    said = json.loads(capsys.readouterr().out)
    assert status == (0 if said["checked"] else 1)
    return "" if said["checked"] else str(said["reason"])


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (claimed(epsilon="2*e1"), "proved"),  # a replacement keeps the count, and is two steps of M1
        (claimed(epsilon="3/2*e1 + e2"), "refuted"),
        (claimed("approximate", epsilon="2*e1", delta="0"), "proved"),
        (claimed("approximate", epsilon="e1", delta="0"), "refuted"),
        (claimed("zcdp", rho="2*e1**2"), "proved"),
    ],
)
def test_claims_for_neighbours_stand_beside_metrics(claim: str, verdict: str, tmp_path: Path) -> None:
    for claims in (claim + METRIC_CLAIM, METRIC_CLAIM + claim):
        found = judged(BEGINNING + METRIC + NOISE + claims, tmp_path)
        assert sorted(found) == sorted(["proved", verdict])
        assert found[(claims == claim + METRIC_CLAIM)] == "proved"


def test_a_delta_at_numbers_is_computed(tmp_path: Path) -> None:
    """Two steps of 1/4 lose a delta of 1 - exp(-1/4) = 0.2211... at epsilon 0, as the count does not move and
    one database lies between."""
    text = BEGINNING + METRIC.replace("e1*", "1/4*") + NOISE
    claims = [claimed("approximate", epsilon="0", delta=delta) for delta in ("1/4", "11/50", "6/25")]
    metric = METRIC_CLAIM.replace("e1", "1/4")
    assert judged(text + claims[0] + metric + claims[1], tmp_path) == ["proved", "proved", "refuted"]
    assert judged(text + metric + claims[2], tmp_path) == ["proved", "proved"]


def test_in_python() -> None:
    study = in_metrics.beside_neighbours()
    assert [study.check(dpc.pure(x)).verdict for x in ("2*e1 + e2", "e1 + e2")] == ["proved", "refuted"]
    assert study.check(dpc.approximate("2*e1 + e2", 0)).verdict == "proved"
    assert study.check("(2*e1 + e2)*d_bounded").verdict == "proved"
    assert study.check(dpc.zcdp("(2*e1 + e2)**2/2")).verdict == "proved"


@pytest.mark.parametrize(
    ("beginning", "claim"),
    [
        (
            '[databases]\nkind = "points"\ncoordinates = ["x"]\n[metrics.d]\nnorm = "L1"\n[target]\nmetric = "d"\n',
            "e*d",
        ),
    ],
)
def test_what_the_kernel_has_no_setting_for(beginning: str, claim: str, tmp_path: Path) -> None:
    """An epsilon of the target is judged in its metric; an (epsilon, delta) is not, and says so."""
    mechanism = f'[[mechanisms]]\nname = "M"\nguarantee = {{ notion = "pure", metric = "{claim}" }}\n'
    claims = claimed(epsilon="e") + claimed("approximate", epsilon="e", delta="0") + claimed(metric=claim)
    text = "format = 1\n" + beginning + mechanism + claims
    assert judged(text, tmp_path) == ["proved", "undecided", "proved"]


def test_mistakes_are_told_at_their_place(tmp_path: Path) -> None:
    claims = claimed("approximate", epsilon="e1", delta="0") + claimed(metric="e3*d_bouded")
    with pytest.raises(
        ValueError, match=r"claims.2.metric \(line 19\): there is no metric d_bouded"
    ) as error:
        judged(BEGINNING + METRIC + NOISE + claims, tmp_path)
    assert len(error.value.mistakes) == 1  # type: ignore[attr-defined]


def test_the_study_for_neighbours() -> None:
    """Of 106: a replacement takes two steps; on a product there are no neighbours as a whole."""
    study, claims = dpc.load(next(file for file in SHIPPED if file.name.startswith("106-")))
    found = study.for_neighbours()
    assert found is not None and repr(found.guarantee()).startswith("bounded (2*e1 + e2 + e3)-DP")
    assert found.for_neighbours() is found
    some = [one for one in claims if one.guarantee.metric is None]
    assert some and [found.check(one) for one in some] == [study.check(one) for one in some]
    districts, _ = dpc.load(next(file for file in SHIPPED if file.name.startswith("69-")))
    assert districts.for_neighbours() is None


def at_random(rng: random.Random) -> str:
    """A few mechanisms on multisets, in metrics and for neighbours, and claims of both kinds."""
    text = 'format = 1\n[databases]\nkind = "multisets"\nrecords = ["a", "b", "c"]\n'
    text += f'[target]\ngranularity = "{rng.choice(["unbounded", "bounded"])}"\n'
    text += '[metrics.any]\ngranularity = "free-lunch"\nreads = { records = ["a"] }\n'
    for i in range(rng.choice([1, 2, 3])):
        reads, domain = rng.choice(
            [
                ("", ""),
                *(('reads = { records = ["a"] }\n', f', domain = "{one}"') for one in ("own", "common")),
            ]
        )
        e, shapes = rng.choice(["1", "2", "1/2"]), ["{}*d_unbounded", "{}*d_bounded"]
        shapes += [] if domain else ["min({}*d_unbounded, 2)", "{}*d_unbounded + d_bounded", "{}*any"]
        said = f'metric = "{rng.choice(shapes).format(e)}"'
        if rng.random() < 1 / 3:
            said = f'epsilon = "{e}", granularity = "{rng.choice(["unbounded", "bounded", "free-lunch"])}"'
        text += f'[[mechanisms]]\nname = "M{i}"\n{reads}guarantee = {{ notion = "pure", {said}{domain} }}\n'
    return text + "".join(claimed(epsilon=x) for x in ("1", "2", "7/2", "6")) + claimed(metric="oo")


@pytest.mark.parametrize("seed", range(8))
def test_both_engines_say_the_same(seed: int, tmp_path: Path) -> None:
    """Where the comparison of metrics decides a claim for neighbours, the kernel decides it so."""
    text = at_random(random.Random(seed))
    found = judged(text, tmp_path)
    data, theory = tomllib.loads(text), registry.standard()
    alone = read_data(data, notions=theory.parameters)
    judge = InMetrics(alone.setting, theory)
    other = [proofs.verdict(judge.search, claim).word for claim in alone.claims]
    assert [x for x, y in zip(found, other, strict=True) if y != "undecided"] == [
        y for y in other if y != "undecided"
    ]


BOTH = (
    BEGINNING
    + METRIC
    + NOISE
    + claimed(epsilon="2*e1")
    + METRIC_CLAIM
    + claimed(epsilon="e1")
    + claimed(metric="e1*d_unbounded")
)


def moved(data: Any) -> None:
    """A claim for neighbours among those in metrics."""
    data["claims"].insert(0, data["neighbours"]["claims"].pop(0))


def moved_back(data: Any) -> None:
    data["neighbours"]["claims"].append(data["claims"].pop(0))


def other_problem(data: Any) -> None:
    data["problem"]["mechanisms"][0]["guarantee"]["metric"] = "e1*d_unbounded/2"


def swapped(data: Any) -> None:
    data["problem"]["claims"][0], data["problem"]["claims"][2] = (
        data["problem"]["claims"][2],
        data["problem"]["claims"][0],
    )


def restated(data: Any) -> None:
    """A claim in distances that is another one, wherever it stands beside the problem."""
    for one in (data["stated"][0], data["claims"][0]["claim"]):
        one["epsilon"] = "2*d__d_unbounded*e1 + 2*d__d_unbounded*e2"
    data["claims"][0] = {"claim": data["stated"][0], "verdict": "undecided", "reason": ""}


def at(*path: Any, to: Any) -> Callable[[Any], None]:
    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = to

    return edit


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is saved of a file with claims of both kinds, which is checked again."""
    folder = tmp_path_factory.mktemp("both")
    (folder / "problem.toml").write_text(BOTH, encoding="utf-8")
    to = folder / "saved.json"
    assert cli.main(["verify", str(folder / "problem.toml"), "--save-derivation", str(to)]) in (0, 1, 3)
    assert cli.main(["recheck", str(to)]) == 0
    return to.read_text()


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (
            lambda data: data.pop("neighbours"),
            "the problem has 4 claims, and the file does not have a verdict for each",
        ),
        (at("neighbours", to=None), "for neighbours cannot be read"),
        (at("neighbours", to={}), "no saved derivation"),
        (at("neighbours", "problem", to={}), "for neighbours cannot be read"),
        (at("neighbours", "claims", 1, "verdict", to="proved"), "claim 2"),
        (at("neighbours", "claims", 0, "verdict", to="refuted"), "claim 1"),
        (at("neighbours", "claims", to=[]), "the problem has 2 claims"),
        (at("claims", 1, "verdict", to="proved"), "claim 2"),
        (at("claims", to=[]), "the problem has 2 claims, and the file does not have a verdict for each"),
        (moved, "the problem has 2 claims, and the file does not have a verdict for each"),
        (moved_back, "the problem has 2 claims, and the file does not have a verdict for each"),
        (other_problem, "the core setting is not what the problem says"),
        (swapped, "claim 1 is not the one"),
        (at("problem", "claims", 0, "epsilon", to="e1"), "claim 1 is not the one"),
        (
            at("problem", "target", "granularity", to="unbounded"),
            "the core setting is not what the problem says",
        ),
        (at("derivation", "pages", "pure", to="0" * 64), "page"),
        (at("neighbours", "derivation", "pages", "pure", to="0" * 64), "page"),
        (at("stated", 0, "epsilon", to="d__d_unbounded*e1"), "claim 1 is not the one"),
        (at("claims", 0, "step", to=1), "claim 1"),
        (restated, "the claims are not those of the problem"),
        (at("problem", "claims", to=None), "claims"),
    ],
)
def test_a_part_that_shows_another_verdict_is_refused(
    edit: Callable[[Any], None], why: str, both: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forged = json.loads(both)
    edit(forged)
    assert why in rechecked(forged, tmp_path, capsys)


def test_verdicts_are_in_the_order_of_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = saved(BOTH, tmp_path, capsys)
    (tmp_path / "again.json").write_text(json.dumps(data))
    assert cli.main(["recheck", str(tmp_path / "again.json")]) == 0
    rows = [row for row in capsys.readouterr().out.splitlines() if row.startswith("  claim ")]
    assert rows == [
        f"  claim {n}: {word}" for n, word in enumerate(("PROVED", "PROVED", "REFUTED", "REFUTED"), 1)
    ]


def test_what_is_shown_for_other_neighbours_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For unbounded neighbours the claim 2*e1 is refuted, as the count moves: e1 + e2."""
    other = saved(BOTH.replace(BEGINNING, BEGINNING.replace('"bounded"', '"unbounded"')), tmp_path, capsys)
    assert [one["verdict"] for one in other["neighbours"]["claims"]] == ["refuted", "refuted"]
    data = saved(BOTH, tmp_path, capsys)
    data["neighbours"] = other["neighbours"]
    assert "the core setting is not what the problem says" in rechecked(data, tmp_path, capsys)
