"""Random settings that are kept: problem files as data, what dpcompose says of them, and the oracle's values.

A line of tests/goldens/corpus.jsonl is {name, problem, oracle, said}.  `said` is the guarantee, whether it is
optimal, and the verdicts; `oracle` lists points with the loss that enumeration finds there, in the parameters
of the notion.  `python tests/goldens/renew_corpus.py` writes what is said anew; `tests/goldens/draw_corpus.py`
drew the settings, and held all that was said against the oracle.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy
from language.letters import evaluate

from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.numbers import numbers
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

TABLE = Path(__file__).resolve().parent / "goldens" / "corpus.jsonl"
CLOSE = sympy.Rational(1, 10**40)
DIGITS = 60


@dataclass(frozen=True)
class Kept:
    """A setting of the corpus: its problem file as data, the oracle's values at points, and what is said."""

    name: str
    problem: Mapping[str, Any]
    oracle: Sequence[Mapping[str, Any]]
    said: Mapping[str, Any]

    @property
    def line(self) -> str:
        """Its line in the table."""
        return json.dumps(vars(self), ensure_ascii=False, sort_keys=True)


def read() -> Iterator[Kept]:
    """All settings that are kept."""
    for line in TABLE.read_text(encoding="utf-8").removesuffix("\n").split("\n"):
        yield Kept(**json.loads(line))


def said(problem: Mapping[str, Any]) -> tuple[Study, Sequence[Verdict], dict[str, Any]]:
    """What dpcompose says of a problem: the study, the verdicts on its claims, and both as data."""
    given = problems.read_data(problem)
    study = Study(given.setting)
    try:
        bound = study.bound
    except NoGuarantee as error:
        return study, (), {"undecided": str(error)}
    verdicts = [study.check(claim) for claim in given.claims]
    data: dict[str, Any] = {"guarantee": {key: formulas.to_text(x) for key, x in values(study).items()}}
    data |= {"optimal": bound.optimal, "vacuous": bound.vacuous, "by": bound.theorem.id}
    return study, verdicts, data | {"verdicts": [verdict_data(one) for one in verdicts]}


def values(study: Study) -> Mapping[str, sympy.Expr]:
    """The parameters of the guarantee, as formulas."""
    return study.guarantee().values


def verdict_data(found: Verdict) -> dict[str, Any]:
    """A verdict, whether it is loose, and the counterexample without its mechanisms."""
    data: dict[str, Any] = {"verdict": found.verdict, "loose": found.loose}
    if found.counterexample is None:
        return data
    shown = found.counterexample.data()
    return data | {key: shown[key] for key in ("databases", "parameters", "claimed", "actual")}


def worth(formula: sympy.Expr, study: Study, point: Mapping[str, str]) -> sympy.Expr:
    """A formula of the setting at a point: to many digits, ∞ as itself."""
    if formula is sympy.oo:
        return formula
    if study.setting.families:
        exact = evaluate(formula, {name: Fraction(x) for name, x in point.items()})
        assert exact is not None
        return sympy.Rational(exact.numerator, exact.denominator)
    of = {"x": formula}
    known = {name: x for name, x in point.items() if name in study.setting.domains}
    return sympy.N(numbers.at(study.bound, known, of)["x"], DIGITS)


def close(x: sympy.Expr, y: sympy.Expr) -> bool:
    """Whether two numbers are the same to forty places."""
    if sympy.oo in (x, y):
        return bool(x == y)
    return bool(abs(sympy.N(x, DIGITS) - sympy.N(y, DIGITS)) < CLOSE)


def summed(study: Study) -> Mapping[str, sympy.Expr]:
    """The parameters of the guarantee by the rule of the notion, which is what is enumerated."""
    return study.bound.summed.values


def against_the_oracle(kept: Kept, study: Study) -> Iterator[str]:
    """Where the guarantee is not what enumeration found: nowhere, if all is well."""
    for row in kept.oracle:
        for key, expected in row["loss"].items():
            found = worth(summed(study)[key], study, row["at"])
            if not close(found, number(expected)):
                yield f"{key} is {found} at {row['at']}, and enumeration finds {expected}"


def number(text: str) -> sympy.Expr:
    """A number of the table: a fraction, its root, a decimal, or oo."""
    if text == "oo":
        return sympy.oo
    if text.startswith("sqrt "):
        return sympy.sqrt(sympy.Rational(text.removeprefix("sqrt ")))
    return sympy.Rational(text) if "/" in text or "." not in text else sympy.Float(text, DIGITS)


EVERY = list(read()) if TABLE.exists() else []
"""All settings that are kept; none where they are yet to be drawn."""
