"""The claims of people as they are typed, word by word: each once in a file and once in Python, with what is said.

They are those that were once undecided, refused, or badly said; what each is about stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front import cli

U, B = dpc.unbounded, dpc.bounded
IN = "in (0,1)"


def file(
    guarantee: str,
    claim: str,
    *,
    parameters: str = "",
    assume: str = "",
    target: str = '"unbounded"',
    more: str = "",
) -> str:
    """A problem file with one mechanism, or with several that `guarantee` writes out, and one claim."""
    mechanisms = guarantee if "[[" in guarantee else f'[[mechanisms]]\nname = "M"\n{guarantee}\n'
    assumed = f"assume = [{assume}]\n" if assume else ""
    return (
        f'format = 1\n{assumed}[parameters]\n{parameters}\n[databases]\nkind = "multisets"\n{more}\n'
        f"[target]\ngranularity = {target}\n{mechanisms}[[claims]]\n{claim}\n"
    )


def stated(notion: str, **values: str) -> str:
    inside = ", ".join(f'{key} = "{value}"' for key, value in values.items())
    return f'guarantee = {{ notion = "{notion}", {inside}, granularity = "unbounded" }}'


def claimed(notion: str, **values: str) -> str:
    return "\n".join([f'notion = "{notion}"', *(f'{key} = "{value}"' for key, value in values.items())])


def alone(guarantee: Any, *, count: Any = None, assume: Any = (), **domains: str) -> Any:
    many = {} if count is None else {"count": count}
    one = dpc.mechanism("M", guarantee, **many)
    return dpc.compose(one, on=dpc.multisets(), target=U, assume=list(assume), parameters=domains)


def noise(query: Any, law: Any, target: Any = U, **domains: str) -> Any:
    return dpc.compose(
        dpc.mechanism("M", query=query, noise=law), on=dpc.multisets(), target=target, parameters=domains
    )


HISTOGRAMS = "".join(
    f'[[mechanisms]]\nname = "M{b}"\nquery = {{ histogram = 4 }}\nnoise = {{ laplace = "{b}" }}\n'
    for b in (1, 2)
)


def two_histograms() -> Any:
    some = [dpc.mechanism(f"M{b}", query=dpc.histogram(4), noise=dpc.laplace(b)) for b in (1, 2)]
    return dpc.compose(*some, on=dpc.multisets(), target=B)


def family(**stated: str) -> str:
    given = ", ".join(f'{key} = "{value}"' for key, value in stated.items())
    return f'[[mechanisms]]\nname = "M"\nindex = "i"\ncount = "k"\nguarantee = {{ {given}, granularity = "unbounded" }}\n'


SIGMA = "sqrt(2*log(1.25/d))/e"
ROWS: list[tuple[str, str, Callable[[], Any], Any, str]] = [
    # A1: a parameter in a denominator; as typed, and with w, roots, and zCDP
    (
        "0.9/n of 1/n",
        file(stated("gaussian", mu="1/n"), claimed("gaussian", mu="0.9/n")),
        lambda: alone(dpc.gaussian("1/n", U)),
        dpc.gaussian("0.9/n"),
        "refuted",
    ),
    (
        "0.9*w/n of w/n",
        file(stated("gaussian", mu="w/n"), claimed("gaussian", mu="0.9*w/n")),
        lambda: alone(dpc.gaussian("w/n", U)),
        dpc.gaussian("0.9*w/n"),
        "refuted",
    ),
    (
        "1/sqrt(n)",
        file(stated("gaussian", mu="1/sqrt(n)"), claimed("gaussian", mu="0.9/sqrt(n)")),
        lambda: alone(dpc.gaussian("1/sqrt(n)", U)),
        dpc.gaussian("0.9/sqrt(n)"),
        "refuted",
    ),
    (
        "1/(2*s**2)",
        file(stated("zcdp", rho="1/(2*s**2)"), claimed("zcdp", rho="1/(3*s**2)")),
        lambda: alone(dpc.zcdp("1/(2*s**2)", U)),
        dpc.zcdp("1/(3*s**2)"),
        "refuted",
    ),
    (
        "families of 1/s[i]",
        file(
            family(notion="gaussian", mu="1/s[i]"),
            claimed("gaussian", mu="0.9*sqrt(sum(1/s[i]**2, i, 1, k))"),
            parameters='k = "integer >= 1"',
        ),
        lambda: alone(dpc.gaussian("1/s[i]", U), count="k"),
        dpc.gaussian("0.9*sqrt(sum(1/s[i]**2, i, 1, k))"),
        "refuted",
    ),
    # A2: whatever any of the mechanisms refutes
    (
        "two Laplace histograms",
        file(HISTOGRAMS, claimed("approximate", epsilon="1/2", delta="1e-6"), target='"bounded"'),
        two_histograms,
        dpc.approximate("1/2", "1e-6"),
        "refuted",
    ),
    # A3: values that hold for all allowed parameters
    *(
        (
            f"{text} as a guarantee",
            file(stated("pure", epsilon=text), claimed("pure", epsilon=text), parameters=f'd = "{IN}"'),
            lambda text=text: alone(dpc.pure(text, U), d=IN),  # type: ignore[misc]
            dpc.pure(text),
            "proved",
        )
        for text in ("1-d", "max(d,1)", "sqrt(log(1/d))")
    ),
    (
        "sqrt(2*log(1.25/d))/e, the Gaussian of textbooks",
        file(
            f'query = "count"\nnoise = {{ gaussian = "{SIGMA}" }}',
            claimed("approximate", epsilon="e", delta="d"),
            parameters=f'd = "{IN}"\ne = "{IN}"',
        ),
        lambda: noise(dpc.count, dpc.gaussian_noise(SIGMA), d=IN, e=IN),
        dpc.approximate("e", "d"),
        "proved",
    ),
    (
        "the same for any epsilon",
        file(
            f'query = "count"\nnoise = {{ gaussian = "{SIGMA}" }}',
            claimed("approximate", epsilon="e", delta="d"),
            parameters=f'd = "{IN}"',
        ),
        lambda: noise(dpc.count, dpc.gaussian_noise(SIGMA), d=IN),
        dpc.approximate("e", "d"),
        "refuted",
    ),
    (
        "a sum with max(l,u)/sqrt(2*r)",
        file(
            'query = { sum = ["0", "u"] }\nnoise = { gaussian = "max(0,u)/sqrt(2*r)" }',
            claimed("zcdp", rho="r"),
        ),
        lambda: noise(dpc.clipped_sum(0, "u"), dpc.gaussian_noise("max(0,u)/sqrt(2*r)")),
        dpc.zcdp("r"),
        "proved",
    ),
    (
        "randomized-response = 1 - f/2",
        file(
            'noise = { randomized-response = "1 - f/2" }',
            claimed("pure", epsilon="log((2 - f)/f)"),
            parameters=f'f = "{IN}"',
        ),
        lambda: dpc.compose(
            dpc.mechanism("M", noise=dpc.randomized_response("1 - f/2")),
            on=dpc.multisets(),
            target=U,
            parameters={"f": IN},
        ),
        dpc.pure("log((2 - f)/f)"),
        "proved",
    ),
    (
        "u > l",
        file(stated("pure", epsilon="u - l"), claimed("pure", epsilon="u"), assume='"u > l"'),
        lambda: alone(dpc.pure("u - l", U), assume=["u > l"]),
        dpc.pure("u"),
        "proved",
    ),
    # A5: undecided and true
    (
        "advanced composition of (epsilon, delta), in symbols",
        file(
            family(notion="approximate", epsilon="e", delta="d"),
            claimed("approximate", epsilon="e*sqrt(2*k*log(1/q)) + k*e*(exp(e) - 1)", delta="k*d + q"),
            parameters=f'k = "integer >= 1"\nd = "{IN}"\nq = "{IN}"',
        ),
        lambda: alone(dpc.approximate("e", "d", U), count="k", d=IN, q=IN),
        dpc.approximate("e*sqrt(2*k*log(1/q)) + k*e*(exp(e) - 1)", "k*d + q"),
        "proved",
    ),
    (
        "e**2/8 of the exponential mechanism",
        file(
            'query = { monotone-scores = "1" }\nnoise = { exponential = "e" }', claimed("zcdp", rho="e**2/8")
        ),
        lambda: noise(dpc.monotone_scores(1), dpc.exponential("e")),
        dpc.zcdp("e**2/8"),
        "proved",
    ),
    (
        "e**2/9 of the exponential mechanism",
        file(
            'query = { monotone-scores = "1" }\nnoise = { exponential = "e" }', claimed("zcdp", rho="e**2/9")
        ),
        lambda: noise(dpc.monotone_scores(1), dpc.exponential("e")),
        dpc.zcdp("e**2/9"),
        "refuted",
    ),
    (
        "e**2/2 over a family",
        file(
            family(notion="pure", epsilon="e[i]"),
            claimed("zcdp", rho="sum(e[i]**2, i, 1, k)/2"),
            parameters='k = "integer >= 1"',
        ),
        lambda: alone(dpc.pure("e[i]", U), count="k"),
        dpc.zcdp("sum(e[i]**2, i, 1, k)/2"),
        "proved",
    ),
    (
        "delta = 3/8 exactly",
        file(stated("pure", epsilon="log(3)"), claimed("approximate", epsilon="log(3/2)", delta="3/8")),
        lambda: alone(dpc.pure("log(3)", U)),
        dpc.approximate("log(3/2)", "3/8"),
        "proved",
    ),
    (
        "1,000 equal ones",
        file(
            '[[mechanisms]]\nname = "M"\nrepeat = 1000\n' + stated("pure", epsilon="e") + "\n",
            claimed("pure", epsilon="999*e"),
        ),
        lambda: alone(dpc.pure("e", U), count=1000),
        dpc.pure("999*e"),
        "refuted",
    ),
    # B: what took 132 seconds
    (
        "(5000, 1e-5) of mu = 93",
        file(stated("gaussian", mu="93"), claimed("approximate", epsilon="5000", delta="1e-5")),
        lambda: alone(dpc.gaussian(93, U)),
        dpc.approximate(5000, "1e-5"),
        "proved",
    ),
]  # fmt: skip
IDS = [row[0] for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_in_a_file(row: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, text, _, _, verdict = row
    path = tmp_path / "typed.toml"
    path.write_text(text, "utf-8")
    status = cli.main(["verify", str(path)])
    said = capsys.readouterr()
    assert status == {"proved": 0, "refuted": 1, "undecided": 3}[verdict], said.out + said.err
    assert verdict.upper() in said.out


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_in_python(row: Any) -> None:
    _, _, study, claim, verdict = row
    assert study().check(claim).verdict == verdict
