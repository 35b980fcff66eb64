"""Compositions as users make and read them: for neighbours, or in metrics, by what their mechanisms say."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose.front.studies import loading
from dpcompose.front.studies.recheck import Outcome, outcome
from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.language.synonyms import meant
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.mechanisms.statements import Measured
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.stated import setting
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Theory
from dpcompose.spaces import given
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.listed import is_graph
from dpcompose.spaces.moves.built_in import BUILT_IN
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:  # of what is about metrics sympy is a part, which takes a while to load
    from networkx import Graph

    from dpcompose.privacy.builder import Data, Formula, Stated
    from dpcompose.privacy.builder import Mechanism as MetricMechanism
    from dpcompose.spaces.classes.databases import Database
    from dpcompose.spaces.given import Neighbours


def compose(
    *mechanisms: Stated | Sequence[Stated],
    on: DatabaseClass | Data | Graph | Sequence[Database],
    target: Neighbours | Formula | None = None,
    metrics: Mapping[str, Data | Formula] | None = None,
    maps: Mapping[str, Sequence[Formula]] | None = None,
    theory: Theory | None = None,
    **more: Any,
) -> Study:
    """The composition of mechanisms over a class, for the neighbours of `target`, or in metrics.

    mechanisms -- made by `mechanism`, one after the other or a list of them; with guarantees in metrics
    (`in_metric`) the composition is private in a metric, and claims may be metrics;
    on -- the class of databases, a list of these, or a networkx graph on them, which is the target as well;
    target -- the neighbours that guarantees are about: a granularity, its name, or a graph;
    metrics, maps -- those that guarantees in metrics name, as for `metric_study`;
    more -- parameters: values that symbols may take where sympy cannot say it: {"delta": "in (0,1)"};
    adaptive -- whether later mechanisms may read earlier outputs (GB Def. V.1); else they are independent;
    assume -- relations between parameters, as texts or sympy relations: ["u > l", e1 <= e2];
    theory -- the pages it is judged by, `theorems("folder")` with some of one's own; else those that ship.
    Raises InvalidSetting, a ValueError, with what does not fit, TypeError where no neighbours are said.

    >>> import dpcompose as dpc
    >>> dpc.compose(
    ...     dpc.mechanism("odd", dpc.pure("e1", domain="own"), reads={1, 3}),
    ...     dpc.mechanism("even", dpc.pure("e2", domain="own"), reads={2, 4}),
    ...     on=dpc.streams(size="= 4"),
    ...     target=dpc.event,
    ...     adaptive=True,
    ... ).guarantee()
    event (max(e1, e2))-DP, by GB:V.4; optimal
    >>> dpc.compose(
    ...     dpc.mechanism("M1", dpc.in_metric("x*d", "zcdp")),
    ...     dpc.mechanism("M2", dpc.in_metric("2*x*d", "zcdp")),
    ...     on=dpc.listed(["a", "b"]),
    ...     metrics={"d": dpc.distances([("a", "b", 3)])},
    ... ).check("3*x*d")
    proved, loose
    """
    some: Any = mechanisms[0] if len(mechanisms) == 1 and isinstance(mechanisms[0], Sequence) else mechanisms
    measured = any(isinstance(one, Measured) for one in some)
    target = on if target is None and is_graph(on) else target
    databases: Any = on if hasattr(on, "table") else given.classes(on)
    if metrics is not None or maps is not None or measured or not isinstance(databases, DatabaseClass):
        said: dict[str, Any] = {"metrics": metrics, "maps": maps, "target": target, "theory": theory}
        return metric_study({}, *some, on=databases, **said, **more)
    if target is None:
        raise TypeError("target is the neighbours that the guarantee is about, such as dpcompose.bounded")
    more["target"] = given.neighbours(target)
    return Study(setting(*some, on=databases, **more), theory or registry.standard())


def metric_study(
    mechanisms: Mapping[str, MetricMechanism] | Stated,
    *stated: Stated,
    on: DatabaseClass | Data,
    metrics: Mapping[str, Data | Formula] | None = None,
    target: Granularity | Data | Formula | None = None,
    maps: Mapping[str, Sequence[Formula]] | None = None,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
    assume: Sequence[object] = (),
    theory: Theory | None = None,
) -> Study:
    """The composition of mechanisms that are private in metrics on one class of databases.

    mechanisms -- by name the metric, a formula in `metrics` and parameters, or noise on points, ("f", noise)
    on the values of a map or part, or one made by `mechanism`; stated -- more of these;
    target -- neighbours, a metric, or the pairs `within` a distance: what claims without a metric are about;
    on -- `points`, `product`, or a class of records; maps -- by name the entries of their values, formulas in
    coordinates;
    metrics -- by name `norm`, `steps_between`, `in_coordinates`, `at_most`, or a formula in those before it;
    parameters, adaptive, assume, theory -- as for `compose`; title -- what is composed, in a line.
    Raises ProblemError, or InvalidSetting with the points that show that a formula is no metric.

    >>> import dpcompose as dpc
    >>> study = dpc.metric_study(
    ...     {"M1": "e1*L2", "M2": ("f", dpc.laplace("1/e2"))},
    ...     on=dpc.points("x y"),
    ...     metrics={"L2": dpc.norm("L2"), "moved": dpc.norm("L1", of="f")},
    ...     maps={"f": ["min(max(x, 0), 1)"]},
    ... )
    >>> study.guarantee()
    private in the metric L2*e1 + e2*moved, by GB:IV.1; optimal
    >>> study.check("e1*L2").verdict
    'refuted'
    """
    from dpcompose.privacy import problems
    from dpcompose.privacy.builder import problem_data
    from dpcompose.privacy.settings.assumptions import assumption

    theory = theory or registry.standard()
    named, stated = (mechanisms, stated) if isinstance(mechanisms, Mapping) else ({}, (mechanisms, *stated))
    _check_functions(on, (d for one in stated if isinstance(one, Measured) for d in one.functions))
    target = _target(on, target, metrics or {})
    if isinstance(target, Granularity):
        stated = tuple(one.for_neighbours(target) if isinstance(one, Mechanism) else one for one in stated)
    said = metrics or {}, maps or {}, parameters or {}, title, adaptive
    data = problem_data(named, stated, on, target, *said)
    data |= {"assume": [str(assumption(one)) for one in assume]} if assume else {}
    return Study(problems.read_data(data, **theory.names, pairs=True).setting, theory)


def _check_functions(on: object, functions: Iterable[Any]) -> None:
    """Raises InvalidSetting for a metric of other databases than these."""
    from dpcompose.front.documents.canonical import canonical_metric

    for d in functions if isinstance(on, DatabaseClass) else ():
        databases, granularity = d.of
        if databases != on and canonical_metric(on, granularity).metric != d.metric:
            raise InvalidSetting(f"{d} is the canonical metric on {databases}; the databases here are {on}")


def _target(on: object, target: Any, metrics: Mapping[str, object]) -> Any:
    """The neighbours of a target that is a graph or the name of a granularity; a metric as it is."""
    if target is None and is_graph(on):
        target = on
    named = isinstance(target, str) and target not in metrics and meant(target, BUILT_IN)
    return given.neighbours(target) if named or is_graph(target) else target


def load(path: str | Path, theory: Theory | None = None) -> tuple[Study, tuple[Claim, ...]]:
    """The study of a problem file, for neighbours or in metrics, and its claims, for `Study.check`.

    theory -- the pages it is judged by, `theorems("folder")` with some of one's own; else those that ship.
    Raises ProblemError, a ValueError, with all mistakes of the file; OSError where it cannot be read.

    path -- of the file, TOML or JSON.

    >>> import dpcompose as dpc
    >>> study, claims = dpc.load("notebooks/problems/01-bounded-parallel.toml")
    >>> [study.check(claim).verdict for claim in claims]
    ['refuted', 'proved', 'proved']
    >>> study, claims = dpc.load("notebooks/problems/71-private-in-a-metric.toml")
    >>> study.guarantee(), study.check(claims[0])
    (private in the metric L1*e1 + L2*e2, by GB:IV.3; optimal, proved, loose)
    """
    return loading.load(path, theory)


def loads(text: str, theory: Theory | None = None) -> tuple[Study, tuple[Claim, ...]]:
    """The same of a problem file's text, in TOML or JSON.

    theory -- the pages; else those that ship.  Raises ProblemError, a ValueError, with all mistakes.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(dpc.mechanism("M", dpc.pure("e")), on=dpc.multisets(), target="unbounded")
    >>> again, _ = dpc.loads(study.to_json())
    >>> again.guarantee()
    unbounded e-DP, by GB:IV.3; optimal
    """
    return loading.load_text(text, "the text", theory or registry.standard())


def recheck(file: str | Path, theory: Theory | None = None, allow: Collection[str] | None = None) -> Outcome:
    """What a derivation shows that `Study.save` or `dpcompose verify --save-derivation` wrote, checked again.

    It is checked line by line, without the search and without the solver, on whatever machine it was written.
    theory -- the pages it may rest on; else those that ship; allow -- only some of these, by their ids.
    Raises Refused, a ValueError, with the place and the reason; OSError where the file cannot be read.

    >>> import tempfile
    >>> import dpcompose as dpc
    >>> study = dpc.compose(dpc.mechanism("M", dpc.pure("e")), on=dpc.multisets(), target="unbounded")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study.save(f"{folder}/proof.json", [study.check("e/2")])
    ...     recheck(f"{folder}/proof.json")
    7 steps checked: e-DP; optimal; claim 1 refuted; believed: M
    """
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise Refused(f"{file}: this is no JSON: {error}") from None
    return outcome(data, theory or registry.standard(), None if allow is None else list(allow))


load_metric = load
"""The same, as it was called for files in metrics."""
