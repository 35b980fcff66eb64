"""Derivations changed at random: what is refused is refused in words, and what is accepted is true.

python tests/attacks/derivations.py [--runs N] [--seed N] [NAME...]: steps of the derivations of tests/kernel/test_forged.py are left
out, doubled, moved and mixed, premises, numbers, formulas and claims exchanged.  Where a changed derivation is accepted, what
it says beyond the good one is asked of the search, in which nothing of the change is left: it must not say the opposite.
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "kernel"))

import forgeries
import test_forged
from test_forged import INTERNAL, OF, THEORY, leaves, put

from dpcompose.front.studies.loading import load
from dpcompose.kernel import check
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core import reading
from dpcompose.kernel.expressions.writing import to_text
from dpcompose.kernel.judgements import Optimal, Satisfies
from dpcompose.kernel.judgements import Refuted as IsRefuted
from dpcompose.search.proofs import Proofs

OPPOSITE = {Satisfies: "refuted", Optimal: "refuted", IsRefuted: "proved"}
"""What the search must not say of a claim of which a derivation says this."""
FORMULAS = (
    "0",
    "1",
    "1/2",
    "2",
    "e",
    "e1",
    "2*e",
    "e1 + e2",
    "max(e1, e2)",
    "oo",
    "n",
    "k",
    "delta",
    "d",
    "m",
)


TELLING = {"claim", "point", "by", "neighbours", "notion", "key", "i", "which", "values", "letters"}
"""The keys whose values say what is concluded: they are exchanged more often."""


def changed(derivation: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A derivation with one to three changes."""
    made = copy.deepcopy(derivation)
    for _ in range(rng.choice((1, 1, 2, 3))):
        steps = made["steps"]
        if not isinstance(steps, list) or not all(isinstance(one, dict) for one in steps):
            return made  # that is odd enough
        n = rng.randrange(len(steps)) if steps else 0
        match rng.randrange(6) if steps else 5:
            case 0:
                del steps[n]
            case 1:
                steps.insert(rng.randrange(len(steps) + 1), copy.deepcopy(steps[n]))
            case 2:
                other = rng.randrange(len(steps))
                steps[n], steps[other] = steps[other], steps[n]
            case 3:
                steps[n]["from"] = [rng.randrange(len(steps) + 2) for _ in range(rng.randrange(4))]
            case 4:
                steps.append(step_of_another(rng))
            case _:
                exchange(made, rng)
    return made


def step_of_another(rng: random.Random) -> dict[str, Any]:
    """A step of the derivation of another file."""
    steps = test_forged.good(rng.choice(OF))["derivation"]["steps"]
    return copy.deepcopy(rng.choice(steps)) if steps else {}


def exchange(made: dict[str, Any], rng: random.Random) -> None:
    """A leaf in place of another: a number near it, a formula, or what stands elsewhere in the derivation."""
    every = [path for path in leaves(made) if path and path[0] != "setting"]
    telling = [path for path in every if set(path) & TELLING] if rng.random() < 0.7 else []
    path = rng.choice(telling or every)
    value: Any = made
    for key in path:
        value = value[key]
    if isinstance(value, int) and not isinstance(value, bool):
        put(made, path, value + rng.choice((-1, 1, 2)))
    elif isinstance(value, str) and rng.random() < 0.7:
        put(made, path, rng.choice(FORMULAS))
    else:
        other: Any = made
        for key in rng.choice(every):
            other = other[key]
        put(made, path, copy.deepcopy(other))


@cache
def searched(name: str) -> Proofs:
    """What the search proves of a file."""
    study, _ = load(forgeries.problem(name))
    return Proofs(study.setting, THEORY)


@cache
def said_of(name: str) -> frozenset[str]:
    """What the good derivation of a file says."""
    return frozenset(str(one.says) for one in test_forged.replayed(test_forged.good(name)))


def attacked(name: str, rng: random.Random) -> str:
    """How a changed derivation of a file ends; raises AssertionError where it says what is not true."""
    data = test_forged.good(name)
    made = changed(data["derivation"], rng)
    try:
        found = check.replay(made, reading.read(data["core"]), THEORY)
    except Refused as error:
        assert not INTERNAL.search(str(error)), (made, str(error))
        return "refused"
    new = [one.says for one in found if str(one.says) not in said_of(name)]
    for says in new:
        if opposite := OPPOSITE.get(type(says)):
            claim = {"notion": says.notion} | {key: to_text(value) for key, value in says.values}
            verdict = searched(name).verdict(claim).word
            assert verdict != opposite, (made, claim, verdict)
    return "accepted, with more to say" if new else "accepted, with nothing new"


def main() -> int:
    """Prints how they end."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--runs", type=int, default=1000)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("files", nargs="*", help="names of problem files; left out: those of the forgeries")
    said = given.parse_args()
    rng = random.Random(said.seed)
    print(Counter(attacked(rng.choice(said.files or OF), rng) for _ in range(said.runs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
