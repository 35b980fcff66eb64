"""Problem files about metrics on a plane."""

from __future__ import annotations

from in_metrics import read_data

from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.privacy.problems import Claim
from dpcompose.proof.theory import registry

THEORY = registry.standard()
PLANE = '[databases]\nkind = "points"\ncoordinates = ["x", "y"]\n'
NORMS = "".join(f'[metrics.{word}]\nnorm = "{word}"\n' for word in ("L1", "L2", "Linf"))


def study(text: str) -> tuple[Study, tuple[Claim, ...]]:
    text = "format = 1\n" + text
    problem = read_data(problems.parsed(text), "problem", text)
    return Study(problem.setting, THEORY), problem.claims


def composed(*metrics: str) -> str:
    return "".join(
        f'[[mechanisms]]\nname = "M{n}"\nguarantee = {{ notion = "pure", metric = "{one}" }}\n'
        for n, one in enumerate(metrics, start=1)
    )


OWN = '[metrics.d]\nletters = [["a", "b"], ["p", "q"]]\nformula = "{}"\n'
