"""Random settings as they are saved: with claims of the guarantee, of twice and half of it, and of its square."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rechecks

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.elaboration.listed import Listed

SCALES = ("{0}", "2*({0})", "({0})/2", "({0})**2")


def saved(problem: Mapping[str, Any], scales: tuple[str, ...] = SCALES) -> Any:
    """The saved result of a random setting; none where it is no setting, or is gone through one by one."""
    try:
        setting = problems.read_data(problem).setting
    except problems.ProblemError:
        return None
    if isinstance(Elaborated(setting).kind, Listed):
        return None
    notion = problem["mechanisms"][0]["guarantee"]["notion"]
    values = {
        key: formulas.to_text(term) for key, term in Study(setting).proofs.guarantee(notion).main.says.values
    }
    first = next(iter(values))
    claims = []
    for scale in scales:
        claims.append({"notion": notion, **values})
        if values[first] != "oo":
            claims[-1][first] = scale.format(values[first])
    read = problems.read_data({**problem, "claims": claims})
    study = Study(read.setting)
    return rechecks.saved(study, [study.check(claim) for claim in read.claims])
