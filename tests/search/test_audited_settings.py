"""The settings that audits go through, as problem files: the program says of them what tables say."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest
from shares import seeds

import dpcompose as dpc
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.library.fields import table
from dpcompose.kernel.library.kinds import Premises
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Hypothesis
from dpcompose.search.audits.outcomes import guarantees, plain
from dpcompose.search.audits.problems import problem
from dpcompose.search.audits.searched import Counterexample, Looked, _in
from dpcompose.search.audits.statements import Statement, named
from dpcompose.search.audits.suppositions import holds
from dpcompose.search.audits.worlds import World, settings

THEORY = registry.standard()
IN = {one.notion: one for one in named(THEORY, THEORY.pages["composition-own-domain"])}


@cache
def worlds(stated: str | None) -> list[World]:
    """Settings with guarantees on either domain, for the target's neighbours, or for any ones."""
    return [one for one in settings(Premises(stated=stated), bool, 40, 7) if len(one.names) <= 6]


def study(world: World, notion: str) -> Any:
    """A setting as the program reads it."""
    given = guarantees(IN[notion].outputs, len(world.readings))[-1]
    claim = {KEYS[notion]: terms.ONE}
    data = problem(Counterexample(IN[notion], world, given, (), False, world.pairs[0], claim, ""), "drawn")
    assert data is not None
    return dpc.loads(json.dumps(data))[0]


ASKED = [
    {"is": "compatible", "maps": "f", "granularity": "G"},
    {"is": "sensitivity at most", "maps": "f[i]", "granularity": "G", "bound": 1},
    {"is": "sensitivity at most", "maps": "f[i]", "granularity": "G", "bound": 2},
    {"is": "commutes", "maps": "f", "granularity": "G"},
]


@seeds(1, 20)
def test_hypotheses_hold_where_the_program_says_so(seed: int) -> None:
    """Compatibility, sensitivity and commuting, each decided in two ways."""
    told = set()
    for world in Random(seed).sample(worlds("G"), 30):
        inputs = Inputs(study(world, "pure").setting, THEORY)
        for asked in ASKED:
            hypothesis = table(Hypothesis, asked, (), [])
            said = holds(world, hypothesis)
            assert binding.check(inputs, hypothesis).holds == said, (world, asked)
            told.add((asked["is"], said))
    assert len(told) == 6


KEYS = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu"}


def lost_above(notion: str, world: World, bound: Any) -> Counterexample | None:
    """Independent mechanisms that lose more than a bound."""

    def claim(*_: Any) -> Any:
        return {KEYS[notion]: bound}

    statement: Statement = replace(IN[notion], claim=claim, adaptive=False, suppositions=())
    return _in(statement, world, Looked())


@pytest.mark.parametrize("notion", KEYS)
@seeds(1, 20)
def test_what_is_lost_is_the_best_bound(seed: int, notion: str) -> None:
    """No tables, and no normal noise, lose more than the guarantee that is proved, and some lose as much."""
    attained = 0
    random = Random(f"{seed}{notion}")
    for world in (*random.sample(worlds("G"), 10), *random.sample(worlds(None), 5)):
        found = study(world, notion).guarantee().at({})[KEYS[notion]]
        if not found.is_finite:
            assert lost_above(notion, world, terms.number(99)) is not None, world
            continue
        bound = plain(formulas.parse(str(found).replace("Max", "max"), {}))
        assert lost_above(notion, world, bound) is None, world
        if bound != terms.ZERO:
            assert lost_above(notion, world, bound - terms.number(1) / terms.number(1000)), world
            attained += 1
    assert attained
