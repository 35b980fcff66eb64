"""What is found about a problem text, each verdict accepted again from the saved derivation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import rechecks

from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.studies import loading
from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems

HEAD = """format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "unbounded"
"""


def stated(
    guarantees: Sequence[Mapping[str, str]],
    claims: Sequence[Mapping[str, str]] = (),
    parameters: Mapping[str, str] | None = None,
    **keys: str,
) -> str:
    """Mechanisms that read everything and have these guarantees, with claims, as a problem file.

    keys -- further keys of every mechanism, such as a count.
    """
    tables = [HEAD]
    if parameters:
        tables.append("[parameters]\n" + _lines(parameters))
    for n, guarantee in enumerate(guarantees, start=1):
        more = {"granularity": "unbounded", "domain": "common"}
        tables.append(f'[[mechanisms]]\nname = "M{n}"\n{_lines(keys)}')
        tables.append(f"[mechanisms.guarantee]\n{_lines(guarantee | more)}")
    tables += [f"[[claims]]\n{_lines(claim)}" for claim in claims]
    return "".join(tables)


def _lines(table: Mapping[str, str]) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())


def found(text: str) -> tuple[Study, list[Verdict]]:
    """The study of a problem text, and the verdicts on its claims, which the kernel accepts."""
    problem = problems.read_text(text, show=loading.show)
    one = Study(problem.setting)
    verdicts: list[Verdict] = [one.check(claim) for claim in problem.claims]
    rechecks.rechecked(one, verdicts)
    return one, verdicts
