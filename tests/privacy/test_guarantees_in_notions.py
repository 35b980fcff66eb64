"""Guarantees of one mechanism in different notions, of families, and the bound that all of them give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front import cli

FILE = """
format = 1
[parameters]
k = "integer >= 2"
[databases]
kind = "multisets"
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
{given}
"""
PURE, ZCDP = '{ notion = "pure", epsilon = "s", %s }', '{ notion = "zcdp", rho = "t", %s }'
APPROXIMATE = '{ notion = "approximate", epsilon = "t", delta = "q", %s }'
UNBOUNDED, BOUNDED = 'granularity = "unbounded"', 'granularity = "bounded"'


def verified(tmp_path: Path, capsys: Any, given: str, *claims: str) -> Any:
    """What the command says of a file, as JSON."""
    path = tmp_path / "problem.toml"
    path.write_text(FILE.format(given=given) + "".join(f"[[claims]]\n{one}\n" for one in claims))
    status = cli.main(["verify", "--json", str(path)])
    said = capsys.readouterr()
    assert status in (0, 1, 3) and not said.err
    return json.loads(said.out)


def zcdp(rho: str) -> str:
    return f'notion = "zcdp"\nrho = "{rho}"'


def approximate(epsilon: str, delta: str) -> str:
    return f'notion = "approximate"\nepsilon = "{epsilon}"\ndelta = "{delta}"'


@pytest.mark.parametrize("turned", [False, True])
def test_pure_for_some_neighbours_and_zcdp_for_others(tmp_path: Path, capsys: Any, turned: bool) -> None:
    """Unbounded s-DP is bounded 2s-DP, so 2s²-zCDP; t as stated; half of that is shown by neither."""
    some = [PURE % UNBOUNDED, ZCDP % BOUNDED]
    given = f"satisfies = [{', '.join(some[::-1] if turned else some)}]"
    claims = (zcdp("t"), zcdp("2*s**2"), zcdp("t/2"), 'notion = "pure"\nepsilon = "2*s"')
    found = verified(tmp_path, capsys, given, *claims)
    assert [one["verdict"] for one in found["claims"]] == ["proved", "proved", "undecided", "proved"]
    wanted = {"notion": "zcdp"} if turned else {"notion": "pure", "epsilon": "2*s"}
    assert found["guarantee"].items() >= wanted.items()


@pytest.mark.parametrize(
    ("other", "claim", "verdict"),
    [
        (APPROXIMATE % BOUNDED, approximate("t", "q"), "proved"),
        (APPROXIMATE % BOUNDED, approximate("2*s", "0"), "proved"),
        (APPROXIMATE % BOUNDED, approximate("t", "q/2"), "undecided"),
        (APPROXIMATE % BOUNDED, approximate("s", "0"), "undecided"),
        ('{ notion = "gaussian", mu = "t", granularity = "bounded" }', zcdp("t**2/2"), "proved"),
        ('{ notion = "gaussian", mu = "t", granularity = "bounded" }', zcdp("2*s**2"), "proved"),
        ('{ notion = "zcdp", rho = "2*s**2", granularity = "bounded" }', zcdp("s**2/4"), "refuted"),
    ],
)
def test_other_notions(tmp_path: Path, capsys: Any, other: str, claim: str, verdict: str) -> None:
    """Each of the two proves what it implies; refuted is only what mechanisms with both exceed."""
    found = verified(tmp_path, capsys, f"satisfies = [{PURE % UNBOUNDED}, {other}]", claim)
    assert found["claims"][0]["verdict"] == verdict


def study(*guarantees: Any, target: Any = dpc.bounded) -> dpc.Study:
    return dpc.compose(dpc.mechanism("M", list(guarantees)), on=dpc.multisets("ab"), target=target)


def test_in_python() -> None:
    """The guarantee is in the notion of the first one; in another one it is the least of both."""
    found = study(dpc.pure("s", dpc.unbounded), dpc.zcdp("t", dpc.bounded))
    assert str(found.guarantee()) == "bounded (2*s)-DP, by GB:A.3"
    other = found.guarantee("zcdp")
    assert other.bound.item == "all guarantees together" and not other.optimal
    assert str(study(dpc.zcdp("t", dpc.bounded), dpc.pure("s", dpc.unbounded)).guarantee()).endswith(
        "by all guarantees together"
    )


@pytest.mark.parametrize("repeat", [2, 10])
def test_repeated(tmp_path: Path, capsys: Any, repeat: int) -> None:
    """So many mechanisms that are 1-DP and 1/2-Gaussian each."""
    gaussian = '{ notion = "gaussian", mu = "1/2", granularity = "bounded" }'
    one = (PURE % BOUNDED).replace('"s"', '"1"')
    claims = (
        f'notion = "pure"\nepsilon = "{repeat}"',
        f'notion = "gaussian"\nmu = "sqrt({repeat})/2"',
        zcdp(f"{repeat}/8"),
        f'notion = "pure"\nepsilon = "{repeat - 1}"',
    )
    found = verified(tmp_path, capsys, f"repeat = {repeat}\nsatisfies = [{one}, {gaussian}]", *claims)
    least = "refuted" if repeat == 2 else "undecided"  # by the curve of both at once
    assert [one["verdict"] for one in found["claims"]] == ["proved"] * 3 + [least]


def test_families(tmp_path: Path, capsys: Any) -> None:
    """Members with e[i] and r[i]: the sums of either, and nothing less is proved."""
    given = 'index = "i"\ncount = "k"\nsatisfies = [' + ", ".join(
        [(PURE % BOUNDED).replace('"s"', '"e[i]"'), (ZCDP % BOUNDED).replace('"t"', '"r[i]"') + "]"]
    )
    sums = [f"sum({x}, i, 1, k)" for x in ("e[i]", "r[i]", "e[i]**2", "r[i]/2")]
    claims = (f'notion = "pure"\nepsilon = "{sums[0]}"', zcdp(sums[1]), zcdp(f"{sums[2]}/2"), zcdp(sums[3]))
    found = verified(tmp_path, capsys, given, *claims)
    assert [one["verdict"] for one in found["claims"]] == ["proved"] * 3 + ["undecided"]


def test_families_in_one_notion(tmp_path: Path, capsys: Any) -> None:
    """Twice the sum for add/remove, or the sum for replacements: the least of the two sums."""
    some = (PURE.replace('"s"', '"e[i]"') % UNBOUNDED, PURE.replace('"s"', '"f[i]"') % BOUNDED)
    given = f'index = "i"\ncount = "k"\nsatisfies = [{", ".join(some)}]'
    claims = [f'notion = "pure"\nepsilon = "{one}"' for one in ("2*sum(e[i], i, 1, k)", "sum(e[i], i, 1, k)")]
    found = verified(tmp_path, capsys, given, *claims)
    assert [one["verdict"] for one in found["claims"]] == ["proved", "undecided"]
    assert found["guarantee"]["epsilon"] == "min(2*sum(e[i], i, 1, k), sum(f[i], i, 1, k))"


def test_the_bound_is_that_of_all_guarantees(tmp_path: Path, capsys: Any) -> None:
    """Its derivation, its values, what is saved, and the guarantee next to a refuted claim."""
    found = study(dpc.pure("s", dpc.unbounded), dpc.pure("t", dpc.bounded))
    best = found.guarantee()
    assert best.optimal and r"\min\left(2 s, t\right)" in best._repr_latex_()
    assert best.at({"s": 1, "t": 5})["epsilon"] == 2 and best.at({"s": 3, "t": 5})["epsilon"] == 5
    lines = str(best.derivation)
    assert "the composition is bounded (min(2*s, t))-DP" in lines and "[all guarantees together from" in lines
    assert "min(2*s, t) is attained" in lines and "M is unbounded pure (s) as well" in lines
    assert r"$\min(2 s,\allowbreak t)$-DP" in best.to_latex()
    wrong = found.check(dpc.pure("min(s, t)"))
    assert wrong.verdict == "refuted"
    path = tmp_path / "d.json"
    found.save(path, [found.check(dpc.pure("min(2*s, t)"))])
    assert cli.main(["recheck", str(path)]) == 0 and "min(2*s, t)" in capsys.readouterr().out


def test_claims_show_what_they_are_compared_with(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "problem.toml"
    other = PURE.replace('"s"', '"t"') % BOUNDED
    given = f"satisfies = [{PURE % UNBOUNDED}, {other}]"
    path.write_text(FILE.format(given=given) + '[[claims]]\nnotion = "pure"\nepsilon = "min(s, t)"\n')
    assert cli.main(["verify", str(path)]) == 1
    said = capsys.readouterr().out
    assert "  bounded (min(2*s, t))-DP, by all guarantees together; optimal\n" in said
    assert "right is: bounded (min(2*s, t))-DP\n" in said
