"""Makes the conformance suite for accountants: settings, and what is exactly true of them.

python tests/conformance/make.py writes suite.json beside it.  Every answer comes from a verdict: the number above is
proved, and the number below is refuted, with the two databases that show it.  `answered` makes one anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

SUITE = Path(__file__).with_name("suite.json")
CLOSE = Fraction(1, 10**6)
"""How far below an exact answer the claim is that is refuted, relatively; enclosures are as close as that mostly."""

Data = dict[str, Any]


# settings as problem files


def given(notion: str, relation: str, domain: str | None = None, **values: Any) -> Data:
    """A guarantee."""
    stated = {"notion": notion, **{key: str(value) for key, value in values.items()}, "granularity": relation}
    return stated if domain is None else stated | {"domain": domain}


def problem(mechanisms: list[Data], target: str, records: int = 2, size: str = "any") -> Data:
    """The data of a problem file."""
    named = [{"name": f"M{n}", **one} for n, one in enumerate(mechanisms, start=1)]
    databases = {"kind": "multisets", "records": [f"r{n}" for n in range(1, records + 1)], "size": size}
    return {"format": 1, "databases": databases, "target": {"granularity": target}, "mechanisms": named}


def pure(*epsilons: Any) -> list[Data]:
    return [{"guarantee": given("pure", "unbounded", epsilon=one)} for one in epsilons]


def repeated(count: int, **guarantee: Any) -> list[Data]:
    return [{"repeat": count, "guarantee": given(relation="unbounded", **guarantee)}]


def normal(*means: Any) -> list[Data]:
    return [{"guarantee": given("gaussian", "unbounded", mu=one)} for one in means]


def parts(*guarantees: Data, relation: str, domain: str) -> list[Data]:
    """Mechanisms that read one kind of record each."""
    return [
        {"reads": {"records": [f"r{n}"]}, "guarantee": given(relation=relation, domain=domain, **one)}
        for n, one in enumerate(guarantees, start=1)
    ]


def noisy(query: Any, noise: Data) -> Data:
    return {"query": query, "noise": noise}


WORDS = {"unbounded": "add or remove", "bounded": "replace"}


def sums() -> Iterator[tuple[str, Data, Data]]:
    """Totals of sequential composition, and of groups of steps."""
    for epsilons in (["1"], ["1", "2", "3"], ["1/10"] * 10, ["1/3", "1/7", "1/11"]):
        yield f"pure {', '.join(epsilons)}", problem(pure(*epsilons), "unbounded"), {"asks": "epsilon"}
    yield (
        "pure 1/100, a thousand times",
        problem(repeated(1000, notion="pure", epsilon="1/100"), "unbounded"),
        {"asks": "epsilon"},
    )
    for rhos in (["1/10", "1/5"], ["1/2"] * 3, ["1/1000", "1/3"]):
        made = [{"guarantee": given("zcdp", "unbounded", rho=one)} for one in rhos]
        yield f"zCDP {', '.join(rhos)}", problem(made, "unbounded"), {"asks": "rho"}
    for mus in (["1", "1"], ["3", "4"], ["1/2", "1/3", "1/6"]):
        yield f"Gaussian {', '.join(mus)}", problem(normal(*mus), "unbounded"), {"asks": "mu"}
    for epsilons in (["1"], ["1/2", "1/4"]):
        yield (
            f"pure {', '.join(epsilons)} for added records",
            problem(pure(*epsilons), "bounded"),
            {"asks": "epsilon"},
        )
    zcdp = [{"guarantee": given("zcdp", "unbounded", rho="1/8")}]
    yield "zCDP 1/8 for added records", problem(zcdp, "bounded"), {"asks": "rho"}
    for m in (2, 5):
        about = problem(pure("1/2"), "unbounded") | {
            "target": {"granularity": {"group": m, "of": "unbounded"}}
        }
        yield f"pure 1/2, groups of {m}", about, {"asks": "epsilon"}


def curves() -> Iterator[tuple[str, Data, Data]]:
    """δ at an ε, of sequential composition."""
    for epsilon, k, at in (
        ("1", 1, "1/2"), ("1", 2, "1"), ("1", 3, "2"), ("1/2", 4, "1"), ("1/10", 10, "1/2"), ("1/10", 50, "1"),
        ("1/10", 100, "2"), ("1/5", 20, "1"), ("2", 2, "3"), ("1/20", 200, "1"), ("1", 10, "6"), ("1/100", 1000, "1"),
    ):  # fmt: skip
        yield (
            f"pure {epsilon}, {k} times",
            problem(repeated(k, notion="pure", epsilon=epsilon), "unbounded"),
            {"asks": "delta", "epsilon": at},
        )
    for epsilons, at in (
        (["1", "2"], "2"),
        (["1", "1/2", "1/4"], "1"),
        (["1/3", "1/7", "1/11"], "1/3"),
        (["3", "1", "1"], "4"),
    ):
        yield (
            f"pure {', '.join(epsilons)}",
            problem(pure(*epsilons), "unbounded"),
            {"asks": "delta", "epsilon": at},
        )
    for mu, at in (
        ("1", "0"),
        ("1", "1"),
        ("1", "2"),
        ("1/2", "1"),
        ("2", "3"),
        ("1/10", "1/10"),
        ("3", "10"),
        ("1/4", "1/2"),
    ):
        yield f"Gaussian {mu}", problem(normal(mu), "unbounded"), {"asks": "delta", "epsilon": at}
    for mus, at in ((["1", "1"], "2"), (["1/2"] * 4, "1"), (["3/5", "4/5"], "1"), (["1/10"] * 25, "1/2")):
        yield (
            f"Gaussian {', '.join(mus)}",
            problem(normal(*mus), "unbounded"),
            {"asks": "delta", "epsilon": at},
        )
    for scale, at in (("1", "1/4"), ("1", "1/2"), ("1/2", "1"), ("2", "1/10"), ("4", "1/8")):
        made = [noisy("count", {"laplace": scale})]
        yield (
            f"a count with Laplace noise {scale}",
            problem(made, "unbounded"),
            {"asks": "delta", "epsilon": at},
        )
    for scale, at in (("1", "1/2"), ("2", "1/2"), ("3", "1/4")):
        made = [noisy("count", {"geometric": scale})]
        yield (
            f"a count with geometric noise {scale}",
            problem(made, "unbounded"),
            {"asks": "delta", "epsilon": at},
        )
    for scales, at in ((["1", "1"], "1"), (["1", "2"], "1/2")):
        made = [noisy("count", {"laplace": one}) for one in scales]
        yield (
            f"counts with Laplace noise {', '.join(scales)}",
            problem(made, "unbounded"),
            {"asks": "delta", "epsilon": at},
        )
    for mu, epsilon, at in (("1", "1/2", "1"), ("1/2", "1", "1"), ("2", "1/10", "2")):
        yield (
            f"Gaussian {mu} and pure {epsilon}",
            problem([*normal(mu), *pure(epsilon)], "unbounded"),
            {"asks": "delta", "epsilon": at},
        )
    for pairs, at in (
        ([("1", "1/100")], "1"), ([("1", "1/100"), ("1/2", "1/10")], "3/2"), ([("1", "1/1000")] * 3, "2"),
        ([("1/10", "1/10000")] * 10, "1/2"), ([("1/2", "1e-6")] * 4, "1"), ([("0", "1/100")] * 5, "0"),
    ):  # fmt: skip
        made = [{"guarantee": given("approximate", "unbounded", epsilon=e, delta=d)} for e, d in pairs]
        words = ", ".join(f"({e}, {d})" for e, d in dict.fromkeys(pairs)) + (
            f", {len(pairs)} times" if len(set(pairs)) < len(pairs) else ""
        )
        yield f"approximate {words}", problem(made, "unbounded"), {"asks": "delta", "epsilon": at}


def of_parts() -> Iterator[tuple[str, Data, Data]]:
    """Mechanisms on disjoint parts: what of a sum is needed depends on who the neighbours are."""
    budgets = (["1", "2", "3"], ["1", "1"], ["1/2", "1/3", "1/5", "1/7"])
    for epsilons in budgets:
        for target in ("unbounded", "bounded"):
            for relation, domain in (("unbounded", "own"), (target, "common")):
                made = parts(
                    *({"notion": "pure", "epsilon": one} for one in epsilons),
                    relation=relation,
                    domain=domain,
                )
                words = f"parts with pure {', '.join(epsilons)}, for {WORDS[relation]} ({domain} domain)"
                yield words, problem(made, target, len(epsilons) + 1), {"asks": "epsilon"}
    for notion, key, values in (
        ("zcdp", "rho", ["1/2", "1/8"]),
        ("gaussian", "mu", ["3", "4"]),
        ("gaussian", "mu", ["1", "1", "1"]),
    ):
        for target in ("unbounded", "bounded"):
            made = parts(*({"notion": notion, key: one} for one in values), relation=target, domain="common")
            yield (
                f"parts with {notion} {', '.join(values)}",
                problem(made, target, len(values) + 1),
                {"asks": key},
            )
    for values, at in ((["1", "1"], "1"), (["3", "4"], "5"), (["1/2", "1/2", "1/2"], "1/2")):
        for target in ("unbounded", "bounded"):
            made = parts(
                *({"notion": "gaussian", "mu": one} for one in values), relation=target, domain="common"
            )
            yield (
                f"parts with gaussian {', '.join(values)}",
                problem(made, target, len(values) + 1),
                {"asks": "delta", "epsilon": at},
            )
    for overlap in ([["r1", "r2"], ["r2", "r3"], ["r3"]], [["r1"], ["r1", "r2"], ["r1", "r2", "r3"]]):
        for target in ("unbounded", "bounded"):
            made = [
                {"reads": {"records": reads}, "guarantee": given("pure", target, "common", epsilon=n)}
                for n, reads in enumerate(overlap, start=1)
            ]
            yield (
                f"overlapping parts {overlap} with pure 1, 2, 3",
                problem(made, target, 4),
                {"asks": "epsilon"},
            )


def of_noise() -> Iterator[tuple[str, Data, Data]]:
    """Noise on queries, whose sensitivity depends on who the neighbours are."""
    queries: list[tuple[str, Any]] = [
        ("a count", "count"),
        ("a sum of values in [-1, 3]", {"sum": ["-1", "3"]}),
        ("a histogram of 3", {"histogram": 3}),
    ]
    for words, query in queries:
        for target in ("unbounded", "bounded"):
            yield (
                f"{words} with Laplace noise 2",
                problem([noisy(query, {"laplace": "2"})], target),
                {"asks": "epsilon"},
            )
            yield (
                f"{words} with normal noise 2",
                problem([noisy(query, {"gaussian": "2"})], target),
                {"asks": "mu"},
            )
    for q in ("1/10", "1/2"):
        made = [{"guarantee": given("pure", "unbounded", epsilon="1"), "sampled": {"poisson": q}}]
        yield (
            f"pure 1 on a sample, each record with probability {q}",
            problem(made, "unbounded"),
            {"asks": "epsilon"},
        )


def settings() -> Iterator[Data]:
    """All settings, numbered, without answers."""
    for n, (words, data, asked) in enumerate((*sums(), *curves(), *of_parts(), *of_noise()), start=1):
        target = data["target"]["granularity"]
        relation = WORDS.get(target, "groups") if isinstance(target, str) else "groups"
        yield {"number": n, "words": words, "relation": relation, **asked, "problem": data}


# answers, by verdicts


def claim(setting: Data, value: object) -> Data:
    """The claim that the answer is at most a value."""
    notion = {"epsilon": "pure", "rho": "zcdp", "mu": "gaussian", "delta": "approximate"}[setting["asks"]]
    beside = {"epsilon": setting["epsilon"]} if setting["asks"] == "delta" else {}
    return {"notion": notion, **beside, setting["asks"]: str(value)}


def answered(setting: Data) -> Data:
    """A setting with its answer: `exact` as a formula where it has one, proved at `high` and refuted at `refuted`."""
    import dpcompose as dpc
    from dpcompose.kernel.expressions.intervals import enclosure
    from dpcompose.language import formulas

    study, _ = dpc.loads(json.dumps(setting["problem"]))
    found: Data = {}
    if setting["asks"] == "delta":
        between = study.curve(at={}).delta(setting["epsilon"])
        low, high = (Fraction(str(one)) for one in between.ends())
    else:
        value = formulas.term(study.guarantee(claim(setting, 0)["notion"]).values[setting["asks"]])
        found["exact"] = formulas.to_text(value)
        ends = enclosure(value, 96)
        low, high = (
            Fraction(round(end * 10**12) + side, 10**12) for end, side in ((ends.low, -1), (ends.high, 1))
        )
        if value.number is not None:
            low = high = value.number
    below = low * (1 - CLOSE)
    proved, refuted = (
        dpc.loads(json.dumps(setting["problem"] | {"claims": [claim(setting, one)]})) for one in (high, below)
    )
    answers = [one.check(claims[0]) for one, claims in (proved, refuted)]
    verdicts = [one.verdict for one in answers]
    if verdicts != ["proved", "refuted"] and not (high == 0 and verdicts[0] == "proved"):
        raise AssertionError(f"{setting['words']}: {verdicts} at {high} and {below}")
    found |= {"low": str(low), "high": str(high)}
    if high:
        data = answers[1].data()["counterexample"]
        found["refuted"] = {"claim": str(below), "databases": data["databases"]}
    return setting | {"answer": found}


def main() -> int:
    """Writes the suite; says which setting has no exact answer."""
    made, status = [], 0
    for setting in settings():
        try:
            made.append(answered(setting))
        except Exception as error:
            print(f"{setting['number']} {setting['words']}: {type(error).__name__}: {error}")
            status = 1
    text = ",\n".join(json.dumps(one, ensure_ascii=False) for one in made)
    SUITE.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    print(f"{len(made)} settings")
    return status


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.exit(main())
