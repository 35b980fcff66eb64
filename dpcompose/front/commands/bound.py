"""dpcompose bound: the best guarantee of problem files, with its derivation."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING

from dpcompose.front.commands.running import (
    AT_VALUES,
    FINE,
    UNDECIDED,
    Commands,
    command,
    in_metric,
    load,
    over_files,
    rests,
    values_of,
    with_pages,
)

if TYPE_CHECKING:
    import sympy

    from dpcompose.front.membership import Membership
    from dpcompose.front.metrics.study import MetricStudy
    from dpcompose.front.study import Study


def add(commands: Commands) -> None:
    """Its options."""
    bound = command(
        commands,
        "bound",
        over_files(_run),
        "print the best guarantee of problem files with its derivation",
        "Also the metric that it follows from, what is believed without check, and of every composition "
        "theorem whether it fits, and if not, why. Exit status: 0; 3 no guarantee was found; 2 a file is "
        "wrong; 4 an internal error.",
    )
    bound.add_argument("files", nargs="+", metavar="FILE", help="a problem file (TOML)")
    with_pages(bound)
    bound.add_argument("--at", metavar="VALUES", help=f"also the guarantee at {AT_VALUES}")
    bound.add_argument(
        "--membership",
        action="store_true",
        help="also what it says of a membership test: true positives by false ones, advantage, posterior",
    )


def _run(file: str, given: argparse.Namespace) -> int:
    from dpcompose.search.guarantees import NoGuarantee
    from dpcompose.spaces.databases import TooLarge

    if (about := in_metric(file, given)) is not None:
        return _in_metric(file, about[0], given)
    study, _ = load(file, given)
    values = values_of(given.at)
    try:
        guarantee = study.guarantee()
    except (NoGuarantee, TooLarge) as error:
        data = {"file": file, "title": study.setting.title, "undecided": str(error)}
        text = f"{study.setting.title or file}\n  no guarantee: {error}\n"
        print(json.dumps(data) if given.json else text, flush=True)
        return UNDECIDED
    there = guarantee.at(values) if values else {}
    read = guarantee.membership(values) if given.membership else None
    shown = _data if given.json else _text
    print(shown(file, study, values, there, read), flush=True)
    return FINE


def _data(
    file: str,
    study: Study,
    values: dict[str, str],
    there: dict[str, sympy.Expr],
    read: Membership | None,
) -> str:
    """As JSON; there -- the guarantee at the values that are given, if any are."""
    from dpcompose.front import as_json, listings, numbers, together

    data = as_json.problem_data(file, study.setting, study.bound, [], study.warnings(), study.theory)
    data |= together.data(study.proofs, study.bound)
    del data["claims"]
    if values:
        data["at"] = {
            "parameters": values,
            "guarantee": numbers.as_texts(there),
            "approximately": numbers.approximations(there, up=True),
        }
    if read is not None:
        data["membership"] = read.data()
    if (metric := _metric(study)) is not None:
        data["metric"] = metric
    data["derivation"] = [line.data() for line in study.bound.derivation.lines]
    data["fits"] = listings.fits_data(study.bound)
    return json.dumps(data)


def _text(
    file: str,
    study: Study,
    values: dict[str, str],
    there: dict[str, sympy.Expr],
    read: Membership | None,
) -> str:
    """The same as text."""
    from dpcompose.front import listings, numbers, render

    bound = study.bound
    rows = [
        study.setting.title or file,
        repr(study.guarantee()),
        render.one_by_one(bound) or "",
        study.together(),
    ]
    rows.append(f"on {study.setting.databases}")
    rows += [f"where {render.relations(study.setting)}"] if study.setting.assume else []
    rows += rests(bound.relies_on, "")
    if values:
        rows.append(f"at {', '.join(f'{name} = {value}' for name, value in values.items())}:")
        rows += [f"  {key} = {numbers.shown(value)}" for key, value in there.items()]
    rows.append("" if read is None else str(read))
    if (metric := _metric(study)) is not None:
        rows.append(textwrap.fill(f"private in the metric {metric}", 78, subsequent_indent="    "))
    rows += [f"warning: {warning}" for warning in study.warnings()]
    rows.append(f"\n{study.guarantee().derivation}\n")
    rows.append("composition theorems (* gives the bound, + fits, - does not fit):")
    rows.append(listings.fits(bound, bound.guarantee.notion) + "\n")
    return "\n".join(filter(None, rows))


def _in_metric(file: str, study: MetricStudy, given: argparse.Namespace) -> int:
    if given.json:
        data = study.data(file, [])
        del data["claims"]
        print(json.dumps(data), flush=True)
        return FINE
    print(f"{study.setting.title or file}\n{study!r}\non {study.setting.databases}\n")
    print(f"{study.derivation()}\n", flush=True)
    return FINE


def _metric(study: Study) -> str | None:
    """The metric of which the guarantee is the largest value over neighbours; None where it is too long."""
    from dpcompose.proof.privacy_metric import NoMetric

    mechanisms = study.setting.mechanisms
    if study.setting.families or len(mechanisms) > MOST_IN_A_METRIC:
        return None
    try:
        return str(study.guarantee().metric)
    except NoMetric:
        return None


MOST_IN_A_METRIC = 8
"""The most mechanisms for which the composed metric is printed."""
