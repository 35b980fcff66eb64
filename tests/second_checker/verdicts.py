"""What this checker says of a saved result: ACCEPTED, REJECTED with the reason, or NOT READ with names."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from second_checker import (
    bags,
    beside_metrics,
    corners,
    groups,
    in_chains,
    in_metrics,
    metric_points,
    orders,
    settings,
    several,
)
from second_checker.algebra import Algebra
from second_checker.conclusions import Bound, Shown, Unread
from second_checker.derivations import Derivation
from second_checker.enclosures import INF
from second_checker.losses import Losses
from second_checker.orders import Orders
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.pages import Library
from second_checker.profiles import profile
from second_checker.samples import demand_same

Walk = TypeVar("Walk", bound=Derivation)
THEOREMS = Path(__file__).resolve().parents[2] / "theorems"
NOT_READ = {
    "metrics": "several distances on the common domain, families, samples and groups in metrics, multisets of limited size",
    "setting": "some maps, sizes and granularities; classes that are very large or go through other procedures, as do groups in parts",
    "assumed": "relations for numbers of members, or of which a multiple is taken away in other letters",
    "also": "several guarantees of one mechanism",
    "sampled": "samples of numbers that are letters, or of which it is not seen what is lost",
    "deals": "several records, or few, that are dealt at random",
    "orders": "divergences at a distance by other pages, and of what is no number times the order",
    "noise": "noise on listed databases, on other queries, or in several entries on a curve",
    "table": "tables of probabilities in zCDP and the like, for groups, on curves, or as witnesses beside families",
    "study": "studies of other databases than multisets, within studies, or as witnesses",
    "chains": "chains of listed databases, and tables that are as a mechanism is stated",
    "curve": "curves of several Laplace noises, of choices that differ, of very many losses, some on which a claim lies",
    "closer": "closer values of families, or at large distances",
    "attained": "witnesses of a delta above 1 or of members of a family that may be 0, or through a page with a free one",
    "formula": "formulas of which too little is seen: signs, values, or that two forms are one",
    "certificate": "many choices at once, signs of letters, some steps of calculus, rays with roots",
    "step": "steps that rest on one that is not read",
}


@dataclass(frozen=True)
class Verdict:
    """ACCEPTED, REJECTED or NOT READ, and why."""

    outcome: str
    why: tuple[str, ...] = ()


def check(saved: Any, folder: Path = THEOREMS) -> Verdict:
    """The verdict on a saved result."""
    unread: list[NotRead] = []
    try:
        look(saved, folder, unread)
    except Rejected as error:
        return Verdict("REJECTED", (str(error),))
    except NotRead as error:
        unread.append(error)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError) as error:
        return Verdict("REJECTED", (f"not of the format: {error!r}",))
    names = tuple(sorted({one.name for one in unread}))
    return Verdict("NOT READ", names) if names else Verdict("ACCEPTED")


def look(saved: Any, folder: Path, unread: list[NotRead]) -> None:
    """Checks all of a saved result; what is not read is collected where the rest can be checked without."""
    if "stated" in saved:
        return of_any_two(saved, folder, unread)
    demand(saved["format"] == 2, "another format")
    fields = {"format", "problem", "core", "derivation", "guarantee", "claims"}
    demand(set(saved) - {"metric forms"} == fields, "other entries than those of the format")
    if "metric forms" in saved:
        problem = saved["problem"]
        stated = in_chains_of(saved, folder, unread)
        saved = {**saved, "problem": {**problem, "claims": [c for c in problem["claims"] if c not in stated]}}
    core, derivation = saved["core"], saved["derivation"]
    library = Library(folder, derivation["pages"])
    told = settings.agree(saved["problem"], core, library)
    said, names = saved["problem"]["claims"], settings.given_numbers(saved["problem"])
    return concluded(saved, replayed(derivation, core, told, folder, unread), said, names)


def of_any_two(saved: Any, folder: Path, unread: list[NotRead]) -> None:
    """Checks all of a saved result about any two databases."""
    demand(saved["format"] == 2, "another format")
    fields = {"format", "problem", "core", "derivation", "guarantee", "claims", "stated"}
    demand(set(saved) - {"neighbours", "metric forms"} == fields, "other entries than those of the format")
    core, problem, derivation = saved["core"], saved["problem"], saved["derivation"]
    library = Library(folder, derivation["pages"])
    cases = in_metrics.agree(problem, core, library)
    said = [claim for claim in problem["claims"] if in_metrics.is_stated(problem, claim)]
    if len(said) < len(saved["stated"]) <= len(problem["claims"]):
        raise NotRead("metrics", "neighbours that are told by a distance")
    in_metrics.claims(problem, core, said, saved["stated"], library, cases)
    walk = metric_points.replayed(derivation, core, library, cases)
    concluded(saved, followed(walk, derivation["steps"], unread), saved["stated"], {})
    if "metric forms" in saved:
        in_chains_of(saved, folder, unread)
    if "neighbours" in saved:
        others = [claim for claim in problem["claims"] if claim not in said]
        # what the file does not list is > 0, and here it is to be listed
        letters = {name.removesuffix("[i]"): "positive" for name in core["parameters"]}
        told = {**problem, "claims": others, "parameters": letters | problem.get("parameters", {})}
        look({**saved["neighbours"], "problem": told}, folder, unread)
    else:
        demand(len(said) == len(problem["claims"]), "a claim is missing")


def in_chains_of(saved: Any, folder: Path, unread: list[NotRead]) -> list[Any]:
    """Checks the claims in metrics that count steps, by what is shown of neighbours; all such claims."""
    said = [claim for claim in saved["problem"]["claims"] if "metric" in claim]
    for form in saved["metric forms"]:
        problem, core = in_chains.about(saved["problem"], said, form), form["core"]
        told = settings.agree(problem, core, Library(folder, form["derivation"]["pages"]))
        walk = replayed(form["derivation"], core, told, folder, unread, in_chains.Chained)
        concluded(form, walk, problem["claims"], settings.given_numbers(problem))
    about = sorted(n for form in saved["metric forms"] for n in form["about"])
    if "stated" not in saved:
        demand(about == list(range(1, len(said) + 1)), "a claim is missing")
    return said


def replayed(
    derivation: Any,
    core: Any,
    told: Any,
    folder: Path,
    unread: list[NotRead],
    kind: type[Derivation] = Derivation,
) -> Derivation:
    """All steps of a derivation about a setting; `told` is what its profile is found from."""
    text = json.dumps(core, sort_keys=True, separators=(",", ":"))
    demand(hashlib.sha256(text.encode()).hexdigest() == derivation["setting"], "the setting is another one")
    demand(set(derivation) == {"setting", "pages", "steps"}, "a derivation with other entries")
    library = Library(folder, derivation["pages"])
    losses = lost(core, told, library)
    demand_types(core, losses.vectors)

    def inner(other: Any, about: Any, own: Any = None) -> Any:
        walk = replayed(other, about, about if own is None else own, folder, unread)
        demand(bool(walk.conclusions), "a derivation without steps")
        return walk.conclusions[-1]

    walk = kind(losses, len(core["mechanisms"]), inner, told)
    return followed(walk, derivation["steps"], unread)


def lost(core: Any, told: Any, library: Library) -> Losses:
    """What mechanisms lose at the vectors of a setting."""
    if told["databases"]["kind"] == "contributions":
        if isinstance(told["target"]["single"], dict):
            return bags.lost(core, library)
        told = bags.as_records(told)
    if beside_metrics.is_metrical(core):
        return beside_metrics.lost(core, told, library)
    if "times" in told["target"] or any("times" in one.get("stated", {}) for one in told["mechanisms"]):
        return groups.lost(core, library)
    if "corners" in library.tables:
        return corners.lost(told, library)
    vectors, moves = profile(told, library)
    return Losses(core, vectors, library, moves)


def followed(walk: Walk, steps: Any, unread: list[NotRead]) -> Walk:
    """All steps, one after the other."""
    for n, step in enumerate(steps, 1):
        try:
            walk.add(step)
        except NotRead as error:
            unread.append(error)
            walk.conclusions.append(Unread())
        except Rejected as error:
            if any(isinstance(walk.conclusions[i - 1], Unread) for i in step.get("from", []) if i < n):
                unread.append(NotRead("step", "from one that is not read"))
                walk.conclusions.append(Unread())
                continue
            raise Rejected(f"step {n}: {error}") from error
    return walk


def demand_types(core: Any, vectors: list[Any]) -> None:
    """Rejects types of a large class that are not those found by going through it again."""
    if core["databases"]["kind"] == "arrays":
        said = {tuple(INF if r == "oo" else r for r in t["moves"]) for t in core["databases"]["types"]}
        demand(set(vectors) <= said, "a type of neighbours is missing")
        below = all(any(all(a <= b for a, b in zip(t, v, strict=True)) for v in vectors) for t in said)
        demand(below, "a type of neighbours that are not there")


def said_by(bound: Any) -> Any:
    """What a bound says: a guarantee may stand in two steps, the second one a claim of it."""
    return (bound.notion, bound.values) if isinstance(bound, Bound) else bound


def concluded(saved: Any, walk: Derivation, said: Any, names: Any) -> None:
    """Rejects verdicts that the steps do not give."""
    guarantee = saved["guarantee"]
    if guarantee:
        bound = conclusion(walk, guarantee["step"])
        demand(isinstance(bound, Bound | Unread), "the guarantee is no bound")
        if "optimal" in guarantee:
            best = conclusion(walk, guarantee["optimal"])
            right = isinstance(best, Unread) or (
                best.what == "optimal" and said_by(best.bound) == said_by(bound)
            )
            demand(right, "the guarantee is not shown to be optimal")
    demand(len(said) == len(saved["claims"]), "a claim is missing")
    algebra = walk.algebra
    for problem, result in zip(said, saved["claims"], strict=True):
        demand(same(algebra, problem, result["claim"], names), "the claim is not that of the problem")
        decided(result, walk, algebra)


def conclusion(walk: Derivation, n: Any) -> Any:
    """The conclusion of a step."""
    demand(isinstance(n, int) and 1 <= n <= len(walk.conclusions), "there is no such step")
    return walk.conclusions[n - 1]


def same(algebra: Algebra, one: Any, other: Any, names: Any = None) -> bool:
    """Whether two claims say the same, the first with numbers for names."""
    if "omega" in one:
        tau = orders.as_limit(algebra, one["omega"], names)
        if tau != algebra.read(other["tau"]):
            return False
        one = {key: x for key, x in one.items() if key != "omega"} | {"tau": other["tau"]}
    keys = set(one) - {"expect"}
    if keys != set(other) or one["notion"] != other["notion"]:
        return False
    if "orders" in keys and Orders.read(one["orders"]) != Orders.read(other["orders"]):
        return False
    if "tradeoff" in keys:
        return several.same_function(algebra, one["tradeoff"], other["tradeoff"])
    pairs = [(one[key], other[key]) for key in keys - {"notion", "orders"}]
    return all(a == b if "oo" in (a, b) else algebra.read(a, names) == algebra.read(b) for a, b in pairs)


def decided(result: Any, walk: Derivation, algebra: Algebra) -> None:
    """Rejects the verdict on a claim where its steps conclude something else."""
    claim, verdict = result["claim"], result["verdict"]
    if verdict == "undecided":
        demand("step" not in result, "an undecided claim with a step")
        return
    demand(verdict in ("proved", "refuted"), f"{verdict} is no verdict")
    shown = conclusion(walk, result["step"])
    if not isinstance(shown, Unread):
        if verdict == "proved":
            right = isinstance(shown, Bound)
            if right and shown.claim is None:
                return stated(claim, shown, walk)
        else:
            right = isinstance(shown, Shown) and shown.what == "refuted"
        demand(right and same(algebra, claim, shown.claim), f"the claim is not {verdict} by its step")
    tight = result.get("loose")
    demand(verdict == "proved" or tight is None, "a refuted claim is neither loose nor tight")
    if tight is None:
        return
    seen = conclusion(walk, result["shown"])
    if not isinstance(seen, Unread):
        right = isinstance(seen, Shown) and seen.what == ("loose" if tight else "optimal")
        demand(
            right and seen.claim is not None and same(algebra, claim, seen.claim),
            "loose, or not, is not shown",
        )


def stated(claim: Any, bound: Bound, walk: Derivation) -> None:
    """Rejects a claim whose parameters are not those of a bound."""
    demand(claim["notion"] == bound.notion, "the claim is not that of its step")
    values = {key: None if claim[key] == "oo" else walk.algebra.read(claim[key]) for key in bound.values}
    for key, value in values.items():
        known = bound.values[key]
        if value is not None and key in bound.squared:
            value = walk.algebra.times(value, value)
        demand((value is None) == (known is None), "the claim is not that of its step")
        if value is not None and known is not None:
            demand_same(walk.algebra, value, known, "the claim is not that of its step")


def main(files: list[str]) -> int:
    """Prints the verdict on each file; 0 where none is rejected."""
    verdicts = [(file, check(json.loads(Path(file).read_text(encoding="utf-8")))) for file in files]
    for file, verdict in verdicts:
        print(f"{verdict.outcome}: {file}" + "".join(f"\n  {why}" for why in verdict.why))
    for name in sorted({why for _, v in verdicts if v.outcome == "NOT READ" for why in v.why}):
        print(f"NOT READ {name}: {NOT_READ.get(name, 'a step that is not known')}")
    return int(any(v.outcome == "REJECTED" for _, v in verdicts))


__all__ = ["NOT_READ", "Verdict", "check", "main"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
