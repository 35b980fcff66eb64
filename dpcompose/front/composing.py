"""Compositions as users make and read them: for neighbours, or in metrics, by what their mechanisms say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from dpcompose.front import loading
from dpcompose.front.study import Study
from dpcompose.privacy import problems
from dpcompose.privacy.in_metrics import is_in_metrics
from dpcompose.privacy.mechanisms import Measured, Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings.stated import setting
from dpcompose.proof import registry
from dpcompose.proof.registry import Theory
from dpcompose.spaces.databases import DatabaseClass
from dpcompose.spaces.granularities import Granularity

if TYPE_CHECKING:  # of what is about metrics sympy is a part, which takes a while to load
    from dpcompose.front.metrics.study import MetricStudy
    from dpcompose.privacy.metrics.builder import Data, Formula, Stated
    from dpcompose.privacy.metrics.setting import MetricClaim


@overload
def compose(
    *mechanisms: Mechanism,
    on: DatabaseClass,
    target: Granularity,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
    assume: Sequence[object] = (),
    theory: Theory | None = None,
) -> Study: ...


@overload
def compose(
    *mechanisms: Stated,
    on: DatabaseClass | Data,
    target: Granularity | Formula | None = None,
    metrics: Mapping[str, Data | Formula],
    maps: Mapping[str, Sequence[Formula]] | None = None,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
    theory: Theory | None = None,
) -> MetricStudy: ...


def compose(
    *mechanisms: Stated,
    on: DatabaseClass | Data,
    target: Granularity | Formula | None = None,
    metrics: Mapping[str, Data | Formula] | None = None,
    maps: Mapping[str, Sequence[Formula]] | None = None,
    theory: Theory | None = None,
    **more: Any,
) -> Study | MetricStudy:
    """The composition of mechanisms over a class, for the neighbours of `target`, or in metrics.

    mechanisms -- made by `mechanism`; their guarantees may be for other neighbours than the target's, or
    in metrics (`in_metric`): then the composition is private in a metric, and claims may be metrics;
    on -- the class of databases; target -- the granularity that guarantees of the composition are about;
    metrics, maps -- those that guarantees in metrics name, as for `metric_study`;
    parameters -- values that symbols may take where sympy cannot say it: {"delta": "in (0,1)"};
    adaptive -- whether later mechanisms may read earlier outputs (GB Def. V.1); else they are independent;
    assume -- relations between parameters, as texts or sympy relations: ["u > l", e1 <= e2].  Proofs use
    them, and refutations are at values that satisfy them;
    theory -- the pages it is judged by, `theorems("folder")` with some of one's own; else those that ship.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(
    ...     dpc.mechanism("odd", dpc.pure("e1", dpc.event, "own"), reads=dpc.positions(1, 3)),
    ...     dpc.mechanism("even", dpc.pure("e2", dpc.event, "own"), reads=dpc.positions(2, 4)),
    ...     on=dpc.streams(size="= 4"),
    ...     target=dpc.event,
    ...     adaptive=True,
    ... )
    >>> study.guarantee()
    event (max(e1, e2))-DP, by GB:V.4; optimal
    >>> dpc.compose(
    ...     dpc.mechanism("M1", dpc.in_metric("x*d", "zcdp")),
    ...     dpc.mechanism("M2", dpc.in_metric("2*x*d", "zcdp")),
    ...     on=dpc.listed(["a", "b"]),
    ...     metrics={"d": dpc.distances([("a", "b", 3)])},
    ... ).check("3*x*d")
    proved, loose
    """
    measured = any(isinstance(one, Measured) for one in mechanisms)
    if metrics is not None or maps is not None or measured or not isinstance(on, DatabaseClass):
        from dpcompose.front.metrics.study import metric_study

        said: dict[str, Any] = {"metrics": metrics, "maps": maps, "target": target, "theory": theory}
        return metric_study({}, *mechanisms, on=on, **said, **more)
    if not isinstance(target, Granularity):
        raise TypeError("target is the neighbours that the guarantee is about, such as dpcompose.bounded")
    stated: Any = mechanisms
    return Study(setting(*stated, on=on, target=target, **more), theory or registry.standard())


def load(
    path: str | Path, theory: Theory | None = None
) -> tuple[Study, tuple[Claim, ...]] | tuple[MetricStudy, tuple[MetricClaim, ...]]:
    """The study of a problem file, and its claims, for `check`.

    theory -- the pages it is judged by, `theorems("folder")` with some of one's own; else those that ship.
    Raises ProblemError, a ValueError, with all mistakes of the file; OSError where it cannot be read.

    >>> import dpcompose as dpc
    >>> study, claims = dpc.load("notebooks/problems/01-bounded-parallel.toml")
    >>> [study.check(claim).verdict for claim in claims]
    ['refuted', 'proved', 'proved']
    """
    if is_in_metrics(problems.parsed(problems.text_of(path), str(path))):
        from dpcompose.front.metrics.study import load_metric

        return load_metric(path, theory)
    return loading.load(path, theory)
