"""Variants of the claims that people make, with the answers by hand: as `test_claims_as_typed.py` has them, with
other letters, roots, assumptions, families and numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_claims_as_typed import IN, IN_PARTS, PARTS, TWO, claimed, family, file, stated

from dpcompose.front import cli

K = 'k = "integer >= 1"'
D, Q = f'd = "{IN}"', f'q = "{IN}"'


def approximate(epsilon: str, delta: str) -> str:
    return claimed("approximate", epsilon=epsilon, delta=delta)


def pure(epsilon: str) -> str:
    return claimed("pure", epsilon=epsilon)


def both(name: str, right: str, wrong: str) -> list[tuple[str, str, str]]:
    """The file with the claim that is right, and the one with a claim that is not."""
    return [(f"{name}, right", right, "PROVED"), (f"{name}, wrong", wrong, "REFUTED")]


def of_one(
    notion: str, key: str, value: str, right: str, wrong: str, **more: str
) -> list[tuple[str, str, str]]:
    """One mechanism with a parameter, and claims about it."""
    given = stated(notion, **{key: value})
    texts = (file(given, claimed(notion, **{key: claim}), **more) for claim in (right, wrong))
    return both(f"{key} = {value}", *texts)


def of_family(guarantee: dict[str, str], right: str, wrong: str) -> list[tuple[str, str, str]]:
    texts = (file(family(**guarantee), claim, parameters=f"{K}\n{D}\n{Q}") for claim in (right, wrong))
    return both(f"family of {guarantee}", *texts)


def of_noise(query: str, noise: str, right: str, wrong: str, **more: str) -> list[tuple[str, str, str]]:
    given = f"query = {query}\nnoise = {{ {noise} }}" if query else f"noise = {{ {noise} }}"
    return both(f"{query} with {noise}", file(given, right, **more), file(given, wrong, **more))


TRUE = [
    # a parameter in a denominator, alone, below a root, under an assumption, in a family
    *of_one("gaussian", "mu", "w/(n+1)", "w/n", "w/(n+2)"),
    *of_one("zcdp", "rho", "1/(2*n**2)", "1/(n**2+1)", "1/(2*n**2+1)", parameters='n = "integer >= 1"'),
    *of_one("gaussian", "mu", "1/sqrt(u-l)", "1/sqrt(u-l)", "0.9/sqrt(u-l)", assume='"u > l"'),
    *of_one("pure", "epsilon", "1/sqrt(u-l)", "2/sqrt(u-l)", "1/sqrt(u)", assume='"u > l"'),
    *of_one("gaussian", "mu", "(u-l)/sqrt(n)", "u/sqrt(n)", "(u-l)/sqrt(n+1)", assume='"u > l"'),
    *of_one("zcdp", "rho", "1/(u-2*l)**2", "1/(u-2*l)**2", "1/u**2", assume='"u > 2*l", "u < 3*l"'),
    *of_family({"notion": "pure", "epsilon": "1/s[i]"}, pure("sum(1/s[i], i, 1, k)"), pure("max(1/s[i], i, 1, k)")),
    *of_family(
        {"notion": "pure", "epsilon": "w/sqrt(s[i]+1)"},
        pure("w*sum(1/sqrt(s[i]), i, 1, k)"),
        pure("w*sum(1/sqrt(s[i]+2), i, 1, k)"),
    ),
    # values in range for all that is allowed
    *of_one("pure", "epsilon", "log((2-d)/d)", "log(2/d)", "0.9*log((2-d)/d)", parameters=D),
    *of_one("pure", "epsilon", "1/(1-d)", "1/(1-d)", "1/(1-d**2)", parameters=D),
    *of_noise(
        '{ sum = ["-l", "u"] }',
        'gaussian = "max(l,u)/sqrt(2*r)"',
        claimed("zcdp", rho="r"),
        claimed("zcdp", rho="0.9*r"),
    ),
    *of_noise(
        '{ sum = ["l", "u"] }',
        'gaussian = "(u-l)/sqrt(2*r)"',
        claimed("zcdp", rho="r"),
        claimed("zcdp", rho="0.9*r"),
        target='"bounded"',
        assume='"u > l"',
    ),
    *of_noise(
        "", 'randomized-response = "p"', pure("log(p/(1-p))"), pure("0.9*log(p/(1-p))"),
        parameters=f'p = "{IN}"', assume='"p > 1/2"',
    ),
    # advanced composition with tanh, and of members that differ; without what each delta adds
    *of_family(
        {"notion": "pure", "epsilon": "e"},
        approximate("e*sqrt(2*k*log(1/q)) + k*e*tanh(e/2)", "q"),
        pure("e*sqrt(2*k)"),
    ),
    *of_family(
        {"notion": "approximate", "epsilon": "e", "delta": "d"},
        approximate("k*e", "k*d"),
        approximate("e*sqrt(2*k*log(1/q)) + k*e*(exp(e) - 1)", "q"),
    ),
    # in zCDP, over families: e²/2 each, of randomized response e·tanh(e/2), of the exponential mechanism e²/8
    *of_family(
        {"notion": "pure", "epsilon": "e[i]"},
        claimed("zcdp", rho="sum(e[i]*tanh(e[i]/2), i, 1, k)"),
        claimed("zcdp", rho="max(e[i]**2, i, 1, k)/2"),
    ),
    # more members than twelve
    *of_family({"notion": "pure", "epsilon": "e[i]"}, pure("sum(e[i], i, 1, k)"), pure("top(13, e[i], i, 1, k)")),
    *of_family(
        {"notion": "gaussian", "mu": "e"}, claimed("gaussian", mu="e*sqrt(k)"), claimed("gaussian", mu="e*min(sqrt(k),7)")
    ),
    # exact deltas: of log 3 at log 2, (3 − 2)/4
    *both(
        "delta = 1/4 exactly",
        file(stated("pure", epsilon="log(3)"), approximate("log(2)", "1/4")),
        file(stated("pure", epsilon="log(3)"), approximate("log(2)", "0.2499999")),
    ),
    # large means: Φ(μ/2 − ε/μ) decides, 1e-5 lies between 4719 and 4721
    *both(
        "mu = 93 beside its curve",
        file(stated("gaussian", mu="93"), approximate("4721", "1e-5")),
        file(stated("gaussian", mu="93"), approximate("4719", "1e-5")),
    ),
    # samples: what an epsilon is, and that rho does not fall with the square of the rate
    *both(
        "a sample of rate q",
        file('sampled = { poisson = "q" }\n' + stated("pure", epsilon="e"), pure("log(1+q*(exp(e)-1))"), parameters=Q),
        file('sampled = { poisson = "q" }\n' + stated("pure", epsilon="e"), pure("q*e"), parameters=Q),
    ),
    *both(
        "rho of a sample",
        file('sampled = { poisson = "q" }\n' + stated("zcdp", rho="r"), claimed("zcdp", rho="r"), parameters=Q),
        file('sampled = { poisson = "q" }\n' + stated("zcdp", rho="r"), claimed("zcdp", rho="q**2*r"), parameters=Q),
    ),
    # vectors, other notions, two parts of three rows, a variance: {0, 0, 1} has 2/9, and {0, 0} none
    *of_noise('{ vector-sum = "c" }', 'gaussian = "s"', claimed("gaussian", mu="c/s"), claimed("gaussian", mu="0.9*c/s")),
    *of_noise('{ variance = ["0", "1"] }', 'laplace = "1/e"', pure("e/4"), pure("e/5"), more='size = ">= 2"'),
    *both(
        "a trade-off",
        file(stated("f-dp", tradeoff="1 - alpha - d"), approximate("0", "d"), parameters=D),
        file(stated("f-dp", tradeoff="1 - alpha - d"), approximate("0", "d/2"), parameters=D),
    ),
    *both(
        "two parts of three rows",
        *(
            file(IN_PARTS, pure(claim), parameters='k = "integer >= 2"', more=PARTS, target="{ contribution = { parts = 2, rows = 3 } }")
            for claim in ("6*e", "5*e")
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "verdict"), [pytest.param(*row[1:], id=row[0]) for row in TRUE])
def test_the_verdict_is_that_of_paper(
    text: str, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "typed.toml").write_text(text, "utf-8")
    cli.main(["verify", str(tmp_path / "typed.toml")])
    said = capsys.readouterr()
    assert verdict in said.out and "UNDECIDED" not in said.out, said.out + said.err


@pytest.mark.parametrize(("epsilon", "delta"), [("log(3/2)", "3/8"), ("log(2)", "1/4"), ("0", "1/2")])
def test_a_claim_at_the_curve_is_not_shown_by_a_larger_one(
    epsilon: str, delta: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A decimal that is rounded up would say less than the claim: it is none by which that is proved."""
    (tmp_path / "typed.toml").write_text(
        file(stated("pure", epsilon="log(3)"), approximate(epsilon, delta)), "utf-8"
    )
    cli.main(["verify", str(tmp_path / "typed.toml")])
    found = capsys.readouterr().out
    assert "PROVED, and no smaller guarantee holds" in found and "by optimal-composition\n" in found


def test_all_claims_of_a_file_are_compared_with_one_guarantee(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In whatever order they stand, and however they are written."""
    deltas = ("d1 + d2", "1-(1-d1)*(1-d2)", "max(d1, d2)", "d1 + d2 - d1*d2")
    claims = "\n[[claims]]\n".join(approximate("e1 + e2", delta) for delta in deltas)
    (tmp_path / "typed.toml").write_text(file(TWO, claims, parameters=f'd1 = "{IN}"\nd2 = "{IN}"'), "utf-8")
    cli.main(["verify", str(tmp_path / "typed.toml")])
    found = capsys.readouterr().out
    assert found.count("PROVED, loose") == 1 and found.count("PROVED, and no smaller") == 2
    assert "right is: unbounded (e1 + e2, 1 - (1 - d1)*(1 - d2))-DP" in found and "d1 + d2)-DP" not in found
