"""Several guarantees of one mechanism: what is proved with either, and refuted by mechanisms that have all.

Mechanisms that read everything and are ε-private for some neighbours, and ε'-private for others, are private in
the metric of shortest paths whose edges have these lengths; two outcomes attain it.  So what they lose at most
is known by enumeration on small classes.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.privacy.settings.invalid import InvalidSetting

SMALL = dpc.multisets("ab", size="<= 2")
EITHER = dpc.union(dpc.unbounded, dpc.bounded)
GRANULARITIES = (dpc.unbounded, dpc.bounded, EITHER, dpc.group(2, dpc.unbounded), dpc.free_lunch)


def study(target: Any, *guarantees: Any, on: Any = None, reads: Any = dpc.everything) -> dpc.Study:
    """One mechanism with some guarantees."""
    M = dpc.mechanism("M", satisfies=list(guarantees), reads=reads)
    return dpc.compose(M, on=on or dpc.multisets("ab"), target=target)


def test_the_least_of_two_guarantees() -> None:
    """Unbounded e and bounded f: min(2e, f) for replacements; steps of min(e, f/2) attain it."""
    found = study(dpc.bounded, dpc.pure("e", dpc.unbounded), dpc.pure("f", dpc.bounded))
    verdicts = {claim: found.check(dpc.pure(claim)) for claim in ("2*e", "f", "min(2*e, f)", "e", "f/2")}
    said = {claim: (one.verdict, one.loose) for claim, one in verdicts.items()}
    assert said == {
        "2*e": ("proved", True),
        "f": ("proved", True),
        "min(2*e, f)": ("proved", False),
        "e": ("refuted", None),
        "f/2": ("refuted", None),
    }
    assert str(found.guarantee()) == "bounded (min(2*e, f))-DP, by all guarantees together; optimal"
    assert found.together() == "with one guarantee of each mechanism bounded f-DP, by GB:IV.3"
    example = verdicts["e"].counterexample
    assert example is not None and "true loss 2" in str(example)


def test_where_no_mechanism_with_both_is_known() -> None:
    """For add/remove e holds; between min(e, f/2) and e nothing is proved, refuted or called optimal."""
    found = study(dpc.unbounded, dpc.pure("e", dpc.unbounded), dpc.pure("f", dpc.bounded))
    assert not found.guarantee().optimal and str(found.guarantee()) == "unbounded e-DP, by GB:IV.3"
    assert found.check(dpc.pure("e")).verdict == "proved"
    assert found.check(dpc.pure("e")).loose is None
    between = found.check(dpc.pure("min(e, f)"))
    assert between.verdict == "undecided" and "no mechanisms are known that have all" in between.reason
    assert found.check(dpc.pure("min(e, f/3)")).verdict == "refuted"


def test_at_each_pair_the_least_is_taken() -> None:
    """Adding or removing costs e, replacing min(2e, f): max(e, min(2e, f)) in all, and 2e is more."""
    found = study(EITHER, dpc.pure("e", dpc.unbounded), dpc.pure("f", dpc.bounded))
    best = "bounded or unbounded (max(e, min(2*e, f)))-DP, by all guarantees together"
    assert str(found.guarantee()) == best and not found.guarantee().optimal
    assert found.together().endswith("bounded or unbounded (2*e)-DP, by GB:A.3")
    assert found.check(dpc.pure("max(e, f)")).verdict == "proved"
    assert found.check(dpc.pure("2*e")).loose is True
    assert found.check(dpc.pure("f")).verdict == "undecided"
    assert found.check(dpc.pure("min(2*e, f)/2")).verdict == "refuted"


def test_parts_with_several_guarantees() -> None:
    """Over k parts, all alike: a record that comes or goes is read once, one that is replaced by two parts."""
    D = dpc.multisets("ab")
    f, g = dpc.record_partition(D, {"a"}, {"b"})
    both = [dpc.pure("e", dpc.unbounded, "common"), dpc.pure("f", dpc.bounded, "common")]
    parts = [dpc.mechanism(name, both, reads) for name, reads in (("A", f), ("B", g))]
    found = dpc.compose(*parts, on=D, target=dpc.bounded)
    assert found.check(dpc.pure("2*min(e, f)")).verdict == "proved"
    assert found.check(dpc.pure("2*f")).verdict == found.check(dpc.pure("2*e")).verdict == "proved"
    assert found.check(dpc.pure("min(e, f/2)/2")).verdict == "refuted"


def test_a_guarantee_that_is_implied_says_nothing_more() -> None:
    """Unbounded e implies bounded 2e; and a smaller parameter a larger one; and pure ones zCDP."""
    pairs = [
        (
            [dpc.pure("e", dpc.unbounded), dpc.pure("2*e", dpc.bounded)],
            "bounded (2*e)-DP, by GB:A.3; optimal",
        ),
        (
            [dpc.pure("2*e", dpc.bounded), dpc.pure("e", dpc.unbounded)],
            "bounded (2*e)-DP, by GB:A.3; optimal",
        ),
        ([dpc.pure("e/2", dpc.bounded), dpc.pure("e", dpc.bounded)], "bounded (e/2)-DP, by GB:IV.3; optimal"),
        ([dpc.pure("e", dpc.bounded), dpc.zcdp("e**2/2", dpc.bounded)], "bounded e-DP, by GB:IV.3; optimal"),
    ]
    for guarantees, said in pairs:
        found = study(dpc.bounded, *guarantees)
        assert str(found.guarantee()) == said and found.together() == ""
        assert found.check(dpc.pure("e/3")).verdict == "refuted"


def test_on_own_and_common_domains() -> None:
    """What is read in part: the same neighbours and domain are compared by their parameters."""
    f = dpc.restriction(["a"])
    own = [dpc.pure(e, dpc.unbounded, "own") for e in ("e", "2*e")]
    found = study(dpc.unbounded, *own, reads=f)
    assert found.guarantee().optimal and found.check(dpc.pure("e/2")).verdict == "refuted"
    common = [dpc.pure("e", dpc.unbounded, "common"), dpc.pure("f", dpc.bounded, "common")]
    found = study(dpc.bounded, *common, reads=f)
    assert found.check(dpc.pure("e")).verdict == found.check(dpc.pure("f")).verdict == "proved"
    both = [dpc.pure("e", dpc.unbounded, "own"), dpc.pure("f", dpc.bounded, "common")]
    found = study(dpc.bounded, *both, reads=f)
    assert found.check(dpc.pure("f")).verdict == "proved"
    # a guarantee on the own domain is about the images of neighbours, as one on the common domain is
    assert found.check(dpc.pure("f/2")).verdict == "refuted" and found.guarantee().optimal
    assert found.check(dpc.pure("min(e, f)")).verdict == "proved"


def distances(weights: Any, on: Any) -> Any:
    """The metric of shortest paths whose edges have lengths, by enumeration."""
    databases = [D for n in range(3) for D in combinations_with_replacement("ab", n)]
    graph = nx.Graph()
    graph.add_nodes_from(databases)
    for D in databases:
        for E in databases:
            some = [x for granularity, x in weights if D != E and granularity.relates(D, E, on)]
            if some:
                graph.add_edge(D, E, weight=min(some))
    return dict(nx.all_pairs_dijkstra_path_length(graph))


def lost(target: Any, every: Any, on: Any) -> Any:
    """What mechanisms with these guarantees lose together at most: None for infinity."""
    metrics = [distances(one, on) for one in every]
    some = []
    for D in metrics[0]:
        for E in metrics[0]:
            if D != E and target.relates(D, E, on):
                if any(E not in metric[D] for metric in metrics):
                    return None
                some.append(sum(metric[D][E] for metric in metrics))
    return max(some, default=Fraction(0))


@pytest.mark.parametrize("notion", ["pure", "gaussian"])
def test_verdicts_are_those_of_enumeration(notion: str) -> None:
    """One or two mechanisms with random numbers for random neighbours: nothing is proved below what is lost,
    nothing refuted above, and what is called optimal is lost.

    In Gaussian privacy normal noise on the distance from a database is the witness, of one mechanism.
    """
    rng = random.Random(3)
    refuted = proved = shown = 0
    stated: Any = {"pure": dpc.pure, "gaussian": dpc.gaussian}[notion]
    for _ in range(30):
        target = rng.choice(GRANULARITIES)
        every = [
            [
                (rng.choice(GRANULARITIES), Fraction(rng.randint(1, 6), rng.choice((1, 2))))
                for _ in range(many)
            ]
            for many in rng.choice([(2,), (3,)] + [(2, 1), (2, 2)] * (notion == "pure"))
        ]
        mechanisms = [
            dpc.mechanism(f"M{n}", satisfies=[stated(x, granularity) for granularity, x in one])
            for n, one in enumerate(every)
        ]
        found = dpc.compose(*mechanisms, on=SMALL, target=target)
        truth = lost(target, every, SMALL)
        said = found.guarantee()
        value = str(next(iter(said.values.values())))
        assert value == "oo" or (truth is not None and Fraction(value) >= truth)
        assert not said.optimal or (value == "oo" if truth is None else Fraction(value) == truth)
        if (together := found.proofs.together(found.bound.guarantee.notion)) is not None:
            ((_, least),) = together.says.values
            assert truth is not None and least.number is not None and least.number >= truth
            assert not together.optimal or least.number == truth
            shown += 1
        for claim in {Fraction(rng.randint(1, 24), 2) for _ in range(3)} | ({truth} if truth else set()):
            verdict = found.check(stated(claim))
            if verdict.verdict == "proved":
                proved += 1
                assert truth is not None and claim >= truth
                assert verdict.loose is not False or claim == truth
            if verdict.verdict == "refuted":
                refuted += 1
                assert truth is None or claim < truth
    assert proved > 20 and refuted > 8 and shown > 3


FILE = """
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
{given}
[[claims]]
notion = "pure"
epsilon = "f"
"""
BOTH = """satisfies = [
  {{ notion = "pure", epsilon = "{e}", granularity = "unbounded" }},
  {{ notion = "pure", epsilon = "f", granularity = "bounded" }},
]"""


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        (BOTH.format(e="e"), 0, "bounded (min(2*e, f))-DP, by all guarantees together; optimal"),
        (BOTH.format(e="e") + '\nquery = "count"', 2, "leave out query"),
        (BOTH.format(e="-1"), 2, "must be at least 0"),
        (BOTH.format(e="e +"), 2, "mechanisms.1.satisfies"),
        ("satisfies = []", 2, "mechanisms.1.satisfies"),
        ('reads = { records = ["a"] }\n' + BOTH.format(e="e"), 2, "say on which domain"),
    ],
)
def test_files(tmp_path: Path, capsys: Any, given: str, status: int, words: str) -> None:
    """A list in place of the guarantee; what is wrong is said where it stands."""
    path = tmp_path / "problem.toml"
    path.write_text(FILE.format(given=given))
    assert cli.main(["verify", str(path)]) == status
    said = capsys.readouterr()
    assert words in said.out + said.err


def test_what_is_saved_is_checked_again(tmp_path: Path, capsys: Any) -> None:
    """Saved, checked again, and written as a problem file that reads back."""
    found = study(dpc.bounded, dpc.pure("e", dpc.unbounded), dpc.pure("f", dpc.bounded))
    path = tmp_path / "d.json"
    found.save(path, [found.check(dpc.pure(claim)) for claim in ("f", "e", "min(2*e, f)")])
    assert cli.main(["recheck", str(path)]) == 0
    assert "claim 3: PROVED" in capsys.readouterr().out
    (tmp_path / "again.toml").write_text(found.to_toml())
    again, _ = dpc.load(tmp_path / "again.toml")
    assert again.setting.mechanisms == found.setting.mechanisms
    assert "M is unbounded pure (e) as well" in found.guarantee().assumptions


def test_what_is_not_supported() -> None:
    """Studies of such mechanisms as mechanisms, and noise with guarantees besides."""
    inner = study(dpc.bounded, dpc.pure("e", dpc.unbounded), dpc.pure("f", dpc.bounded))
    with pytest.raises(InvalidSetting, match="for several neighbours has no guarantee"):
        dpc.mechanism("S", study=inner)
    with pytest.raises(TypeError, match="it is empty"):
        dpc.mechanism("M", satisfies=[])
    with pytest.raises(TypeError, match="satisfies must be left out"):
        dpc.mechanism("M", satisfies=[dpc.pure("e", dpc.bounded)], query=dpc.count, noise=dpc.laplace(1))


def test_notebooks_show_all_of_them() -> None:
    """Each guarantee has a line of its own, in HTML and in LaTeX, and relations stand beside the class."""
    guarantees = [dpc.pure("e", dpc.unbounded), dpc.pure("f", dpc.bounded)]
    found = dpc.compose(
        dpc.mechanism("M", guarantees), on=dpc.multisets("ab"), target=dpc.bounded, assume=["e < f"]
    )
    for text in (found._repr_html_(), found._repr_latex_()):
        assert (
            "unbounded" in text
            and text.count("bounded") >= 3
            and "e &lt; f" in text.replace(r"\textless{}", "&lt;")
        )


@pytest.mark.parametrize(
    ("stated", "claims"),
    [
        (
            [dpc.pure("e", dpc.unbounded), dpc.zcdp("r", dpc.unbounded)],
            [dpc.pure("e*99/100"), dpc.zcdp("r*99/100"), dpc.zcdp("e**2/5")],
        ),
        (
            [dpc.gaussian("m", dpc.unbounded), dpc.zcdp("r", dpc.unbounded)],
            [dpc.gaussian("m*99/100"), dpc.zcdp("min(r, m**2/2)*99/100")],
        ),
        ([dpc.pure("e", dpc.unbounded), dpc.gaussian("m", dpc.unbounded)], [dpc.pure("e*99/100")]),
    ],
)
def test_a_guarantee_of_another_notion_is_implied_at_small_values(
    stated: list[Any], claims: list[Any]
) -> None:
    """Where e²/2 is at most r, what is e-DP is r-zCDP as well: then a mechanism loses all of e."""
    study = dpc.compose(dpc.mechanism("M", stated), on=dpc.multisets("ab"), target=dpc.unbounded)
    assert [study.check(one).verdict for one in claims] == ["refuted"] * len(claims)
