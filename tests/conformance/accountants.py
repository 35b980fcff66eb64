"""Accountants as their users ask them: each answers a setting of suite.json with a number, or declines.

It is run in the accountant's own environment and needs nothing else.  What a user knows is given: guarantees,
scales of noise, how often; what the accountant is for is asked: composition, neighbours, parts, δ at ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import metadata
from typing import Any


class Declined(Exception):
    """The accountant has no means to say it."""


@dataclass(frozen=True)
class Item:
    """A mechanism: its notion and parameters, or noise on a query, as often as it is run."""

    notion: str
    values: dict[str, Fraction]
    query: Any
    times: int
    reads: tuple[str, ...]
    relation: str
    sampled: bool


@dataclass(frozen=True)
class EpsilonAt:
    """An ε that the accountant promises at a δ, where it is asked for the δ at an ε."""

    value: float


def items(setting: dict[str, Any]) -> list[Item]:
    """The mechanisms of a setting."""
    found = []
    for one in setting["problem"]["mechanisms"]:
        stated = one.get("guarantee") or one["noise"]
        values = {
            key: Fraction(x) for key, x in stated.items() if key not in ("notion", "granularity", "domain")
        }
        notion = stated.get("notion") or next(iter(stated))
        reads = tuple(one.get("reads", {}).get("records", ()))
        relation = stated.get("granularity", setting["problem"]["target"]["granularity"])
        found.append(
            Item(notion, values, one.get("query"), one.get("repeat", 1), reads, relation, "sampled" in one)
        )
    return found


def steps(setting: dict[str, Any]) -> int:
    """How many steps of the stated relation the asked one is, where a user of every tool knows it."""
    target = setting["problem"]["target"]["granularity"]
    if isinstance(target, dict):
        return int(target["group"])
    relations = {one.relation for one in items(setting)}
    return 2 if relations == {"unbounded"} and target == "bounded" else 1


def plain(setting: dict[str, Any]) -> list[Item]:
    """The mechanisms for an accountant that takes them one after the other, for the neighbours they are stated for."""
    found = items(setting)
    if any(one.sampled for one in found):
        raise Declined("samples")
    if steps(setting) != 1:
        raise Declined("other neighbours")
    if any(one.query not in (None, "count") for one in found):
        raise Declined("queries")
    if any(one.query for one in found) and setting["relation"] == "replace":
        raise Declined("queries")
    return found


def asked(setting: dict[str, Any], *known: str) -> None:
    if setting["asks"] not in known:
        raise Declined(f"it has no {setting['asks']}")


def dp_accounting(setting: dict[str, Any]) -> Any:
    """Distributions of privacy loss, rounded up."""
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    asked(setting, "epsilon", "delta")
    laws: dict[str, Callable[[dict[str, Fraction]], Any]] = {
        "pure": lambda v: pld.from_privacy_parameters(
            common.DifferentialPrivacyParameters(float(v["epsilon"]), 0.0)
        ),
        "approximate": lambda v: pld.from_privacy_parameters(
            common.DifferentialPrivacyParameters(float(v["epsilon"]), float(v["delta"]))
        ),
        "gaussian": lambda v: pld.from_gaussian_mechanism(float(v.get("gaussian") or 1 / v["mu"])),
        "laplace": lambda v: pld.from_laplace_mechanism(float(v["laplace"])),
        "geometric": lambda v: pld.from_discrete_laplace_mechanism(float(1 / v["geometric"]), 1),
    }
    whole = pld.identity()
    for one in plain(setting):
        if one.notion not in laws:
            raise Declined(one.notion)
        whole = whole.compose(laws[one.notion](one.values).self_compose(one.times))
    if setting["asks"] == "epsilon":
        return whole.get_epsilon_for_delta(0.0)
    return whole.get_delta_for_epsilon(float(Fraction(setting["epsilon"])))


def opendp(setting: dict[str, Any]) -> Any:
    """Maps of measurements, composed; of queries with their own stability maps."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "idealized-numerics")
    asked(setting, "epsilon", "rho", "delta")
    made, distance = [], steps(setting)
    rows = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    for one in items(setting):
        if one.sampled or one.notion == "approximate":
            raise Declined("samples" if one.sampled else one.notion)
        value = next(iter(one.values.values()))
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        if one.query is not None:
            distance = 2 if setting["relation"] == "replace" else 1
            if one.query == "count":
                before = dp.t.make_count(*rows)
            elif "histogram" in one.query:
                metric = dp.L1Distance if one.notion == "laplace" else dp.L2Distance
                value_type = int if one.notion == "laplace" else float
                before = dp.t.make_count_by_categories(*rows, categories=[1, 2], MO=metric[value_type])
            else:
                low, high = map(int, one.query["sum"])
                before = dp.t.make_clamp(*rows, bounds=(low, high)) >> dp.t.then_sum()
            noise = {
                "laplace": dp.m.then_laplace,
                "gaussian": dp.m.then_gaussian,
                "geometric": dp.m.then_geometric,
            }
            made.append(before >> noise[one.notion](scale=float(value)))
            continue
        if one.notion == "pure":
            step = dp.m.make_laplace(*space, scale=float(1 / value))
        else:
            rho = value if one.notion == "zcdp" else value**2 / 2
            step = dp.m.make_gaussian(*space, scale=math.sqrt(1 / (2 * rho)))
        made += [step] * one.times
    return _of_opendp(dp, setting, made, distance)


def _of_opendp(dp: Any, setting: dict[str, Any], made: list[Any], distance: int) -> Any:
    measures = {str(one.output_measure) for one in made}
    if len(measures) > 1 or (setting["asks"] != "epsilon" and "MaxDivergence" in measures):
        made = [
            dp.c.make_pureDP_to_zCDP(one) if str(one.output_measure) == "MaxDivergence" else one
            for one in made
        ]
    whole = made[0] if len(made) == 1 else dp.c.make_composition(made)
    if setting["asks"] == "delta":
        whole = dp.c.make_zCDP_to_approxDP(whole)
    found = whole.map(float(distance) if "Absolute" in str(whole.input_metric) else distance)
    return found.delta(float(Fraction(setting["epsilon"]))) if setting["asks"] == "delta" else found


def autodp(setting: dict[str, Any]) -> Any:
    """Compositions by Rényi divergences."""
    from autodp import mechanism_zoo, transformer_zoo

    asked(setting, "epsilon", "delta")
    laws = {
        "pure": lambda v: mechanism_zoo.PureDP_Mechanism(float(v["epsilon"])),
        "gaussian": lambda v: mechanism_zoo.ExactGaussianMechanism(float(v.get("gaussian") or 1 / v["mu"])),
        "zcdp": lambda v: mechanism_zoo.zCDP_Mechanism(float(v["rho"]), 0.0),
        "laplace": lambda v: mechanism_zoo.LaplaceMechanism(float(v["laplace"])),
    }
    found = plain(setting)
    if any(one.notion not in laws for one in found):
        raise Declined(", ".join({one.notion for one in found} - set(laws)))
    made, times = [laws[one.notion](one.values) for one in found], [one.times for one in found]
    alone = len(made) == 1 and times == [1]
    whole = made[0] if alone else transformer_zoo.Composition()(made, times)
    return (
        float(whole.get_approxDP(0.0))
        if setting["asks"] == "epsilon"
        else EpsilonAt(_epsilon(whole.get_approxDP, setting))
    )


def _epsilon(at: Callable[[float], Any], setting: dict[str, Any]) -> float:
    return float(at(float(Fraction(setting["answer"]["high"]))))


def diffprivlib(setting: dict[str, Any]) -> Any:
    """A budget accountant, with the δ that is left as its slack."""
    from diffprivlib import BudgetAccountant

    asked(setting, "epsilon", "delta")
    spent = []
    for one in plain(setting):
        if one.notion not in ("pure", "approximate"):
            raise Declined(one.notion)
        spent += [(float(one.values["epsilon"]), float(one.values.get("delta", 0)))] * one.times
    if setting["asks"] == "epsilon":
        return BudgetAccountant(spent_budget=spent).total()[0]
    kept = math.prod(1 - delta for _, delta in spent)
    slack = max(0.0, 1 - (1 - float(Fraction(setting["answer"]["high"]))) / kept)
    return EpsilonAt(BudgetAccountant(spent_budget=spent, slack=slack).total()[0])


def tumult_core(setting: dict[str, Any]) -> Any:
    """Privacy functions of compositions; of parts, in parallel, where records are added or removed."""
    import sympy
    from tmlt.core.domains.collections import ListDomain
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements.composition import Composition
    from tmlt.core.measurements.interactive_measurements import MakeInteractive, ParallelComposition
    from tmlt.core.measurements.noise_mechanisms import AddGaussianNoise, AddLaplaceNoise
    from tmlt.core.metrics import RootSumOfSquared, SumOf
    from tmlt.core.utils.exact_number import ExactNumber

    asked(setting, "epsilon", "rho")
    made = []
    for one in items(setting):
        if one.sampled or one.query not in (None, "count"):
            raise Declined("samples" if one.sampled else "queries")
        if one.query and setting["relation"] == "replace":
            raise Declined("queries")
        value = next(iter(one.values.values()))
        if one.notion in ("pure", "laplace"):
            scale = value if one.query else 1 / value
            noise = AddLaplaceNoise(
                NumpyFloatDomain(), ExactNumber(sympy.Rational(scale.numerator, scale.denominator))
            )
        elif one.notion == "zcdp":
            variance = 1 / (2 * value)
            noise = AddGaussianNoise(
                NumpyFloatDomain(), ExactNumber(sympy.Rational(variance.numerator, variance.denominator))
            )
        else:
            raise Declined(one.notion)
        made += [noise] * one.times
    reads = [one.reads for one in items(setting)]
    apart = reads[0] and sum(map(len, reads)) == len({record for read in reads for record in read})
    if apart and setting["relation"] != "add or remove":
        raise Declined("parts where records are replaced")
    if apart:
        inside = ListDomain(NumpyFloatDomain(), length=len(made))
        metric = SumOf if items(setting)[0].notion == "pure" else RootSumOfSquared
        whole: Any = ParallelComposition(
            inside,
            metric(made[0].input_metric),
            made[0].output_measure,
            [MakeInteractive(one) for one in made],
        )
    else:
        whole = made[0] if len(made) == 1 else Composition(made)
    return float(whole.privacy_function(steps(setting)).expr)


ACCOUNTANTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dp-accounting": dp_accounting,
    "opendp": opendp,
    "autodp": autodp,
    "diffprivlib": diffprivlib,
    "tmlt.core": tumult_core,
}
"""The accountants, by the names of their packages."""


def version(name: str) -> str | None:
    """The version that is installed here."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
