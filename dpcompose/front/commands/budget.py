"""dpcompose budget: the parameters for which the guarantee is a wanted total."""

from __future__ import annotations

import argparse
import json

from dpcompose.front.commands import running


def add(commands: running.Commands) -> None:
    """Its options."""
    budget = running.of_files(
        commands,
        "budget",
        _run,
        "choose the parameters for which the guarantee is a wanted total",
        "Solved exactly where the guarantee grows as a power of a common factor of the parameters; else "
        "decimals at which the total is kept, and those beyond. A total in another notion is given by its "
        "parameters: --total epsilon=1,delta=1e-6, --total rho=1/2, --total mu=1; of divergences at "
        "one order: --total epsilon=1,orders=8. Example: dpcompose budget "
        "FILE --total 1 --weights e1=2,e2=1. Exit status: 0; 3 there is no such guarantee; 2 a file "
        "or value is wrong; 4 an internal error.",
        many=False,
    )
    budget.add_argument("--total", required=True, metavar="TOTAL", help="the guarantee that is wanted: 1")
    budget.add_argument("--weights", metavar="VALUES", help="proportions: e1=2,e2=1 (default: all equal)")
    budget.add_argument("--at", metavar="VALUES", help=f"what is not to be chosen: {running.AT_VALUES}")


def _run(file: str, given: argparse.Namespace) -> int:
    from dpcompose.front.documents.verdict import believed_pages
    from dpcompose.front.numbers import totals

    study, _ = running.load(file, given)
    weights, fixed = running.values_of(given.weights), running.values_of(given.at)
    notion = study.judge.for_neighbours("a budget").bound.notion
    total = totals.read_total(notion, given.total, study.theory.parameters)
    study = study.speaking_of(total)
    budget = study.budget(total, weights, fixed)
    if given.json:
        data = {"file": file, "title": study.setting.title} | budget.data()
        print(json.dumps(data | believed_pages(study.bound.relies_on)), flush=True)
        return running.FINE
    print(f"{study.setting.title or file}\n{study.guarantee(budget.bound.notion)!r}")
    said = ", ".join(f"{name} = {value}" for name, value in weights.items())
    words = "" if budget.summed else "largest " if budget.largest else "smallest "
    print(
        f"the {words}parameters{f' in the proportions {said}' if said else ''} for a total of {given.total}:"
    )
    print("\n".join(f"  {row}" for row in str(budget).splitlines()), flush=True)
    return running.FINE
