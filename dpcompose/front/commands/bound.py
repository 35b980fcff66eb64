"""dpcompose bound: the best guarantee of problem files, with its derivation."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING, Any

from dpcompose.front.commands import running
from dpcompose.language.answers import NoAnswer

if TYPE_CHECKING:
    import sympy

    from dpcompose.front.numbers.membership import Membership
    from dpcompose.front.studies.results import Result
    from dpcompose.front.studies.study import Study


def add(commands: running.Commands) -> None:
    """Its options."""
    bound = running.of_files(
        commands,
        "bound",
        _run,
        "print the best guarantee of problem files, with its proof where you ask for it",
        "--json has all of it. Exit status: 0; 3 no guarantee was found; 2 a file is wrong; 4 an internal "
        "error.",
    )
    bound.add_argument(
        "--proof",
        action="store_true",
        help="also the metric that it follows from, its derivation, and what is believed without check",
    )
    bound.add_argument(
        "--fits",
        action="store_true",
        help="also of every composition theorem whether it fits, and if not, why",
    )
    bound.add_argument("--notion", help="in another notion than that of the mechanisms: zcdp, ...")
    bound.add_argument("--at", metavar="VALUES", help=f"also the guarantee at {running.AT_VALUES}")
    bound.add_argument(
        "--membership",
        action="store_true",
        help="also what it says of a membership test: true positives by false ones, advantage, posterior",
    )


def _run(file: str, given: argparse.Namespace) -> int:

    study, _ = running.load(file, given)
    values = running.values_of(given.at)
    try:
        guarantee = study.guarantee(given.notion)
    except NoAnswer as error:
        data = {"file": file, "title": study.setting.title, "undecided": str(error)}
        text = f"{study.setting.title or file}\n  no guarantee: {error}\n"
        print(json.dumps(data) if given.json else text, flush=True)
        return running.UNDECIDED
    best, there = guarantee.bound, guarantee.at(values) if values else {}
    read = guarantee.membership(values) if given.membership else None
    if given.json:
        print(_data(file, study, best, values, there, read), flush=True)
    else:
        rows = _answer(file, study, best, values, there, read)
        rows += _proof(study, guarantee, given.notion) if given.proof else []
        rows += _fits(best) if given.fits else []
        print("\n".join(rows) + "\n", flush=True)
    return running.FINE


def _data(
    file: str,
    study: Study,
    best: Any,
    values: dict[str, str],
    there: dict[str, sympy.Expr],
    read: Membership | None,
) -> str:
    """As JSON; there -- the guarantee at the values that are given, if any are."""
    from dpcompose.front.numbers import numbers
    from dpcompose.front.printers import listings
    from dpcompose.front.studies import as_json

    data = as_json.problem_data(file, study, best, [])
    del data["claims"]
    if values:
        data["at"] = {
            "parameters": values,
            "guarantee": numbers.as_texts(there),
            "approximately": numbers.approximations(there, up=True),
        }
    if read is not None:
        data["membership"] = read.data()
    if best.metric_said and best.notion == study.bound.notion:
        data["metric"] = best.metric_said
    if best.attained:
        data["attained"] = [one.data() for one in best.attained]
    data["derivation"] = [step.data() for step in best.told.steps]
    if best.fits:
        data["fits"] = listings.fits_data(best)
    return json.dumps(data)


def _answer(
    file: str,
    study: Study,
    best: Any,
    values: dict[str, str],
    there: dict[str, sympy.Expr],
    read: Membership | None,
) -> list[str]:
    """The guarantee as text, in lines, and what a reader of it should know first."""
    from dpcompose.front.numbers import numbers
    from dpcompose.front.printers import render

    rows = [
        study.setting.title or file,
        *render.rows(best, (best.one_by_one, study.together())),
    ]
    rows += [f"attained: {one}" for one in best.attained]
    if values:
        rows.append(f"at {', '.join(f'{name} = {value}' for name, value in values.items())}:")
        rows += [f"  {key} = {numbers.shown(value)}" for key, value in there.items()]
    rows += [] if read is None else [str(read)]
    return [*filter(None, rows), *(f"warning: {warning}" for warning in study.warnings())]


def _proof(study: Study, guarantee: Result, notion: str | None) -> list[str]:
    """The metric, the derivation, and the one for neighbours beside it."""
    from dpcompose.front.printers import render

    metric = "" if notion else guarantee.bound.metric_said  # which is in the mechanisms' notion
    rows = [textwrap.fill(f"private in the metric {metric}", 78, subsequent_indent="    ")] if metric else []
    rows.append(f"\n{guarantee.derivation}")
    if (beside := study.judge.beside) is not None:
        rows.append(f"\nfor neighbours:\n{render.derivation(beside.told)}\n")
    return rows


def _fits(best: Any) -> list[str]:
    """Of every composition theorem whether it fits."""
    from dpcompose.front.printers import listings

    if not best.fits:
        return []
    head = "\ncomposition theorems (* gives the bound, + fits, - does not fit):"
    return [head, listings.fits(best)]
