"""Studies of privacy in metrics from the text of problem files."""

from __future__ import annotations

import dpcompose as dpc
from dpcompose.front.results import Answer
from dpcompose.front.study import Study
from dpcompose.privacy import problems
from dpcompose.privacy.metrics import reading
from dpcompose.proof import registry

THEORY = registry.standard()


def study(text: str) -> tuple[Study, list[Answer]]:
    """What a problem file without its first line states, and the verdicts on its claims."""
    text = "format = 1\n" + text
    problem = reading.read_data(problems.parsed(text), "problem", text)
    made = Study(problem.setting, THEORY)
    return made, [made.check(one) for one in problem.claims]


def verdicts(text: str) -> list[str]:
    """The verdicts on the claims of a problem file."""
    return [one.verdict for one in study(text)[1]]


def beside_neighbours() -> Study:
    """A guarantee in the metric of one granularity, and one for the neighbours of another, which is the target."""
    return dpc.compose(
        dpc.mechanism("M1", dpc.in_metric("e1*d_unbounded")),
        dpc.mechanism("M2", dpc.pure("e2", dpc.bounded)),
        on=dpc.multisets(),
        target=dpc.bounded,
        metrics={},
    )
