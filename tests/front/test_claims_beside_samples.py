"""Claims that are formulas in a canonical metric, beside samples, parts and deals, which are known for neighbours.

What is lost at two databases is enumerated here by itself: of parts the sum over these, of a sample that of the
mechanism which says 1 with c times exp(ε) for each record of one kind, divided by it for those of another.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest
from in_metrics import THEORY, claimed, forged

import dpcompose as dpc
from dpcompose.front.studies import recheck
from dpcompose.kernel.check import Refused
from dpcompose.privacy.problems import ProblemError

FAMILY = (
    '[parameters]\nk = "integer >= 2"\n[databases]\nkind = "multisets"\n[partitions.P]\nkind = "record-wise"\nparts = "k"\n'
    '[[mechanisms]]\nname = "M"\nindex = "i"\ncount = "k"\nreads = { part = "i", of = "P" }\n'
)
PARTS = (
    FAMILY + 'guarantee = { notion = "pure", epsilon = "e[i]", granularity = "unbounded", domain = "own" }\n'
)
METRIC = FAMILY + 'guarantee = { notion = "pure", metric = "e[i]*d_unbounded", domain = "own" }\n'
BESIDE = '[[mechanisms]]\nname = "N"\nguarantee = { notion = "pure", metric = "min(f*d_unbounded, 1)" }\n'
SAMPLE = (
    '[databases]\nkind = "multisets"\nrecords = ["a", "b"]\n[[mechanisms]]\nname = "S"\nsampled = { poisson = "1/2" }\n'
    'guarantee = { notion = "pure", epsilon = "log(3)", granularity = "unbounded" }\n'
)
WITH_E = (
    SAMPLE
    + '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", epsilon = "e", granularity = "unbounded" }\n'
)
MAX = "max(e[i], i, 1, k)"
D_U, D_B = "d_unbounded", "d_bounded"
Pair = tuple[Counter[str], Counter[str]]


def unbounded(D: Counter[str], E: Counter[str]) -> float:
    return sum(((D - E) + (E - D)).values())


def bounded(D: Counter[str], E: Counter[str]) -> float:
    return sum((D - E).values()) if sum(D.values()) == sum(E.values()) else math.inf


def pairs(records: str, most: int) -> Iterator[Pair]:
    """Any two multisets of at most so many records."""
    some = [Counter(one) for n in range(most + 1) for one in combinations_with_replacement(records, n)]
    return product(some, repeat=2)


def of_parts(e: dict[str, float]) -> Callable[[Counter[str], Counter[str]], float]:
    """Every record of a name is in the part of its first letter: a1, a2 in part a."""
    return lambda D, E: sum(e[x.lower()] * n for x, n in ((D - E) + (E - D)).items())


def of_samples(s: float, ratio: float) -> Callable[[Counter[str], Counter[str]], float]:
    """The largest loss over which records count: those that are more in D as exp(ε), in E as exp(−ε), or none."""

    def lost(D: Counter[str], E: Counter[str]) -> float:
        every = sorted({*D, *E})
        best = 0.0
        for signs in product((-1, 0, 1), repeat=len(every)):
            means = [
                math.prod((1 - s + s * ratio**sign) ** side[x] for x, sign in zip(every, signs, strict=True))
                for side in (D, E)
            ]
            best = max(best, abs(math.log(means[0] / means[1])))
        return best

    return lost


A, LOG2, LOG3 = 1.0, math.log(2), math.log(3)
E_AT = [{"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 0.5}, {"a": 0.25, "b": 2.0}]
KINDS = {D_U: unbounded, D_B: bounded}
PARTS_CLAIMS = [  # a formula, the metric, the same in numbers, and how it stands
    (f"{MAX}*{D_U}**2", D_U, lambda d, m: m * d**2, "proved"),
    (f"{MAX}*sqrt({D_U})", D_U, lambda d, m: m * math.sqrt(d), "refuted"),
    (f"{MAX}*{D_U} + 1", D_U, lambda d, m: m * d + 1, "proved"),
    (f"{MAX}*min({D_U}, 3)", D_U, lambda d, m: m * min(d, 3), "refuted"),
    (f"{MAX}*({D_U}**2 + {D_U})/2", D_U, lambda d, m: m * (d * d + d) / 2, "proved"),
    (f"{MAX}*max(2, {D_U})", D_U, lambda d, m: m * max(2, d), "proved"),
    (f"{MAX}*{D_U}**2/2", D_U, lambda d, m: m * d * d / 2, "refuted"),
    (f"{MAX}*{D_B}", D_B, lambda d, m: m * d, "refuted"),
    (f"2*{MAX}*{D_B}", D_B, lambda d, m: 2 * m * d, "proved"),
    (f"2*{MAX}*{D_B}**2", D_B, lambda d, m: 2 * m * d * d, "proved"),
    (f"2*{MAX}*sqrt({D_B})", D_B, lambda d, m: 2 * m * math.sqrt(d), "refuted"),
    (f"{MAX}*({D_B} + 1)", D_B, lambda d, m: m * (d + 1), "refuted"),
    (f"{MAX}*{D_B}*(1 + {D_B})", D_B, lambda d, m: m * d * (1 + d), "proved"),
]
SAMPLE_CLAIMS = [
    (f"log(2)*{D_U}", D_U, lambda d: LOG2 * d, "proved"),
    (f"log(2)*{D_U}**2", D_U, lambda d: LOG2 * d * d, "proved"),
    (f"log(2)*sqrt({D_U})", D_U, lambda d: LOG2 * math.sqrt(d), "refuted"),
    (f"min(log(2)*{D_U}, 1)", D_U, lambda d: min(LOG2 * d, 1), "refuted"),
    (f"log(2)*{D_U} + 1/10", D_U, lambda d: LOG2 * d + 0.1, "proved"),
    (f"log(2)*({D_U} + {D_U}**2)/2", D_U, lambda d: LOG2 * (d + d * d) / 2, "proved"),
    (f"log(2)*max(1, {D_U} - 1)", D_U, lambda d: LOG2 * max(1, d - 1), "refuted"),
    (f"log(2)*{D_B}", D_B, lambda d: LOG2 * d, "refuted"),
    (f"log(3)*{D_B}", D_B, lambda d: LOG3 * d, "proved"),
    (f"log(3)*{D_B}**2", D_B, lambda d: LOG3 * d * d, "proved"),
    (f"log(3)*sqrt({D_B})", D_B, lambda d: LOG3 * math.sqrt(d), "refuted"),
    (f"log(29/10)*{D_B}", D_B, lambda d: math.log(2.9) * d, "refuted"),
    (f"log(2)*{D_B} + 2/5", D_B, lambda d: LOG2 * d + 0.4, "refuted"),
    (f"log(4)*{D_B} - 1/4", D_B, lambda d: 2 * LOG2 * d - 0.25, "undecided"),  # negative at equal databases
]


def verdicts(text: str, *claims: str, notion: str = "pure") -> list[str]:
    """The verdicts on claims in metrics beside the text of a file."""
    study, read = dpc.loads("format = 1\n" + text + claimed(*claims, notion=notion))
    return [study.check(one).verdict for one in read]


@pytest.mark.slow
@pytest.mark.parametrize("text", [PARTS, METRIC], ids=["for neighbours", "in a metric"])
def test_any_number_of_parts(text: str) -> None:
    """With two parts of two records, at some ε: what is proved is nowhere exceeded, what is refuted is."""
    found = verdicts(text, *(claim for claim, _, _, _ in PARTS_CLAIMS))
    assert found == [verdict for _, _, _, verdict in PARTS_CLAIMS]
    some = [pair for pair in pairs("aAbB", 4)]
    for claim, name, value, verdict in PARTS_CLAIMS:
        exceeded = any(
            of_parts(e)(D, E) > value(KINDS[name](D, E), max(e.values())) + 1e-9
            for D, E in some
            for e in E_AT
        )
        assert exceeded == (verdict == "refuted"), claim


@pytest.mark.slow
def test_poisson_samples() -> None:
    found = verdicts(SAMPLE, *(claim for claim, _, _, _ in SAMPLE_CLAIMS))
    assert found == [verdict for _, _, _, verdict in SAMPLE_CLAIMS]
    lost = of_samples(0.5, 3.0)
    for claim, name, value, verdict in SAMPLE_CLAIMS:
        exceeded = any(lost(D, E) > value(KINDS[name](D, E)) + 1e-9 for D, E in pairs("ab", 3) if D != E)
        assert exceeded == (verdict == "refuted"), claim


def test_beside_others_and_saved(tmp_path: Path) -> None:
    """N loses min(f·d, 1), beside any number of parts: two records for which both lose more than the claim."""
    right, wrong = f"{MAX}*{D_U} + min(f*{D_U}, 1)", f"{MAX}*{D_U} + f"
    study, claims = dpc.loads("format = 1\n" + METRIC + BESIDE + claimed(right, wrong))
    proved, refuted = map(study.check, claims)
    assert (proved.verdict, refuted.verdict) == ("proved", "refuted")
    example = refuted.counterexample
    assert example is not None and example.pair == (("P1", "P1"), ()) and example.actual == 3
    assert proved.least.by == "for databases any number of unbounded steps apart"
    study.save(tmp_path / "saved.json", [proved, refuted])
    data = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert recheck.outcome(data, THEORY).verdicts == ("proved", "refuted")
    one = ["metric forms", 0]
    for place, value, why in [
        ([*one, "steps"], 2, "about other neighbours"),
        ([*one, "steps"], 0, "cannot be read"),
        ([*one, "about"], [2, 1], "are not those of the problem"),
        ([*one, "stated", 0, "epsilon"], f"{MAX}*d__single", "are not those of the problem"),
        (["problem", "claims", 0, "metric"], wrong, "are not those of the problem"),
        (["problem", "claims", 0, "metric"], f"{MAX}*{D_U}", "is one for neighbours"),
        ([*one, "claims", 1, "verdict"], "proved", "says something else"),
    ]:
        with pytest.raises(Refused, match=why):
            recheck.outcome(forged(data, place, value), THEORY)


@pytest.mark.slow
def test_beside_a_sample() -> None:
    """At two records more: 2e + 2 log 2 for both, and log 2 + log(3/2) where one is another one."""
    some = [
        f"(e + log(2))*{D_U}",
        f"e*{D_U} + min(log(2)*{D_U}, 1)",
        f"(2*e + log(3))*{D_B}",
        f"(e + log(2))*{D_B}",
    ]
    assert verdicts(WITH_E, *some) == ["proved", "refuted", "proved", "refuted"]


@pytest.mark.slow
def test_other_notions_of_parts() -> None:
    """ρ for one record; two in one part lose four times as much, in zCDP, and Gaussian privacy alike twice."""
    for notion, key, power in (("zcdp", "rho", "**2"), ("gaussian", "mu", "")):
        text = FAMILY + (
            f'guarantee = {{ notion = "{notion}", {key} = "e[i]{power}", granularity = "unbounded", domain = "own" }}\n'
        )
        some = [f"{MAX}*{D_U}**2", f"{MAX}*sqrt({D_U})", f"{MAX}*{D_U} + 1", f"2*{MAX}*{D_B}", f"{MAX}*{D_B}"]
        assert verdicts(text, *some, notion=notion) == ["proved", "refuted", "proved", "proved", "refuted"]


@pytest.mark.slow
def test_in_python() -> None:
    """A claim in metrics of a study for neighbours is read as one of its file."""
    S = dpc.mechanism("S", dpc.pure("log(3)", dpc.unbounded), sampled=dpc.poisson_sample("1/2"))
    study = dpc.compose(S, on=dpc.multisets("ab"), target=dpc.unbounded)
    found = [study.check(dpc.in_metric(one)).verdict for one in (f"log(2)*{D_U}**2", f"min(log(2)*{D_U}, 1)")]
    assert found == ["proved", "refuted"]
    other = study.check(dpc.in_metric(f"log(3)*{D_B}"))
    assert other.verdict == "proved"
    assert (
        study.judge.shown([other]) is study.judge.stated.bound
    )  # and not that for the neighbours of the claim


@pytest.mark.slow
def test_several_metrics_are_refused() -> None:
    with pytest.raises(ProblemError, match="beside claims in several metrics"):
        verdicts(SAMPLE, f"{D_U} + {D_B}")
