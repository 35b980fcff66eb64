"""Guarantees for neighbours in the canonical metric of the target: by chains, in notions where these add up."""

from __future__ import annotations

import copy
import json
import tomllib
from typing import Any

import pytest
from core_metrics import on_product

from dpcompose.kernel import check, saved
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core import reading
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.judgements import Loose, MetricForm, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.chains import STEPS
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry
from dpcompose.search.comparisons.parameters import at_least
from dpcompose.search.proofs import Proofs

THEORY = Theory(registry.standard().pages)
D = "d__target"


def made(notion: str, claimed: dict[str, str], **stated: str) -> tuple[Prover, list[Theorem]]:
    """What is shown of a claim about one unbounded guarantee, for bounded neighbours."""
    values = "".join(f', {key} = "{x}"' for key, x in stated.items())
    claim = "".join(f'{key} = "{x}"\n' for key, x in claimed.items())
    text = (
        'format = 1\n[databases]\nkind = "multisets"\n[target]\ngranularity = "bounded"\n[[mechanisms]]\nname = "M"\n'
        f'guarantee = {{ notion = "{notion}"{values}, granularity = "unbounded" }}\n'
        f'[[claims]]\nnotion = "{notion}"\n{claim}'
    )
    read = problems.read_data(tomllib.loads(text))
    proofs = Proofs(read.setting, THEORY)
    proved = proofs.verdict(read.claims[0].guarantee.text())
    return Prover(proofs.elaborated.core, THEORY), list(proved.theorems)


def said(notion: str, at_one: dict[str, str], claim: dict[str, str], **stated: str) -> Theorem:
    prover, theorems = made(notion, at_one, **stated)
    return prover.by("metric_form", theorems[0], claim={"notion": notion, **claim})


@pytest.mark.parametrize(
    ("notion", "key", "at_one", "there", "page"),
    [
        ("pure", "epsilon", "2*s", f"2*s*{D}", "metric-form"),
        ("pure", "epsilon", "2*s + 2*s**2", f"(2*s + 2*s**2)*{D}", "metric-form"),
        ("pure", "epsilon", "2*s + 2*s**2", f"2*s*{D} + 2*{D}*s**2", "metric-form"),
        ("zcdp", "rho", "4*s", f"4*s*{D}**2", "metric-form-zcdp"),
        ("zcdp", "rho", "4*s", f"(2*{D}*sqrt(s))**2", "metric-form-zcdp"),
        ("gaussian", "mu", "2*s", f"2*s*{D}", "metric-form-gaussian"),
    ],
)
def test_what_holds_for_neighbours(notion: str, key: str, at_one: str, there: str, page: str) -> None:
    """A replacement is an unbounded step away and one back, so that 2s is right; of r steps 2sr, and 4sr² of ρ."""
    stated = "s + s**2" if "**" in at_one else "s"
    theorem = said(notion, {key: at_one}, {key: there}, **{key: stated})
    assert isinstance(theorem.says, MetricForm) and isinstance(theorem.says.of, Satisfies)
    assert {page, notion} <= theorem.trusts.pages
    ((found, value),) = theorem.says.of.values
    assert found == key and D in to_text(value)


@pytest.mark.parametrize(
    ("notion", "key", "at_one", "there"),
    [
        ("pure", "epsilon", "2*s", f"2*s*{D}**2"),  # more than is known of two steps is no chain's
        ("pure", "epsilon", "2*s", f"2*s*sqrt({D})"),  # less than two steps cost
        ("pure", "epsilon", "2*s", f"2*s + s*{D} - s"),
        ("zcdp", "rho", "4*s", f"4*s*{D}"),
        ("gaussian", "mu", "2*s", f"2*s*sqrt({D})"),
        ("pure", "epsilon", "2*s", f"max(2*s*{D}, 2*s)"),
    ],
)
def test_a_claim_that_grows_otherwise(notion: str, key: str, at_one: str, there: str) -> None:
    with pytest.raises(NoTheorem, match=r"what the notion makes of chains|says something else"):
        said(notion, {key: at_one}, {key: there}, **{key: "s"})


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (f"3*s*{D}", "for neighbours the claim says something else"),
        (f"s*{D}", "for neighbours the claim says something else"),
        ("2*s", "the claim is no formula in d__target"),
        ("oo", "for neighbours the claim says something else"),
        ("2*s*d__other", "unknown name 'd__other'"),
        (f"2*s*{D}**2/{D}", "d__target is not known to be != 0"),
    ],
)
def test_other_claims(there: str, why: str) -> None:
    with pytest.raises(NoTheorem, match=why.replace("(", r"\(")):
        said("pure", {"epsilon": "2*s"}, {"epsilon": there}, epsilon="s")


def test_no_parameter_is_zero_or_infinite() -> None:
    """0·∞ is ∞: where there is no chain nothing is known, and 0 says that outputs are alike."""
    with pytest.raises(NoTheorem, match="no formula in d__target"):
        said("pure", {"epsilon": "0"}, {"epsilon": f"0*{D}"}, epsilon="0")
    with pytest.raises(NoTheorem, match="no formula in d__target"):
        said("pure", {"epsilon": "oo"}, {"epsilon": "oo"}, epsilon="s")


@pytest.mark.parametrize(("at_one", "there"), [("s", f"s*{D}"), ("s", f"s*{D}**7"), ("s", f"s + {D} - 1")])
def test_what_fails_for_neighbours_fails(at_one: str, there: str) -> None:
    """However the claim grows: at neighbours it is what is false."""
    theorem = said("pure", {"epsilon": at_one}, {"epsilon": there}, epsilon="s")
    assert isinstance(theorem.says, MetricForm) and isinstance(theorem.says.of, Refuted)
    assert dict(theorem.says.of.point) == {"s": 1}


def test_approximate_guarantees_do_not_add_up_along_chains() -> None:
    """(2s, q(1 + e^s)) holds for a replacement; of two steps δ is more than twice that."""
    at_one = {"epsilon": "2*s", "delta": "q*(1 + exp(s))"}
    there = {"epsilon": f"2*s*{D}", "delta": f"q*(1 + exp(s))*{D}"}
    with pytest.raises(NoTheorem, match="no page states approximate guarantees in canonical metrics"):
        said("approximate", at_one, there, epsilon="s", delta="q")
    false = {"epsilon": f"2*s*{D}", "delta": f"2*q*{D}"}
    theorem = said("approximate", {"epsilon": "2*s", "delta": "2*q"}, false, epsilon="s", delta="q")
    assert isinstance(theorem.says, MetricForm) and isinstance(theorem.says.of, Refuted)


def test_a_loose_claim_is_loose_along_chains() -> None:
    prover, (_, loose) = made("pure", {"epsilon": "3*s"}, epsilon="s")
    claim = {"notion": "pure", "epsilon": f"3*s*{D}"}
    theorem = prover.by("metric_form", loose, claim=claim)
    assert isinstance(theorem.says, MetricForm) and isinstance(theorem.says.of, Loose)


def test_other_premises() -> None:
    """What is least for neighbours need not be among formulas in metrics (2s·d_bounded is more than s·d_unbounded
    at records that come back); two theorems are none."""
    prover, theorems = made("pure", {"epsilon": "2*s"}, epsilon="s")
    claim = {"notion": "pure", "epsilon": f"2*s*{D}"}
    with pytest.raises(NoTheorem, match="M is not just stated for the target's neighbours, of everything"):
        prover.by("metric_form", theorems[1], claim=claim)
    for some in ([], theorems[:1] * 2):
        with pytest.raises(NoTheorem, match="the only premise is to be about the composition"):
            prover.by("metric_form", *some, claim=claim)
    again = prover.by("metric_form", theorems[0], claim=claim)
    with pytest.raises(NoTheorem, match="the only premise"):
        prover.by("metric_form", again, claim=claim)
    with pytest.raises(NoTheorem, match=r"the premises are to be|the only premise"):
        prover.by("weaken", again, claim=claim, certificates={})
    other, _ = made("pure", {"epsilon": "2*s"}, epsilon="s/2")
    with pytest.raises(NoTheorem, match="a premise is about another setting"):
        other.by("metric_form", theorems[0], claim=claim)


def least(reads: str = "", granularity: str = "bounded", key: str = "epsilon", **more: str) -> Theorem:
    """What is shown of s·d where it is least for bounded neighbours, of M beside one that reads everything."""
    notion = {"epsilon": "pure", "rho": "zcdp", "mu": "gaussian"}[key]
    domain = ', domain = "common"' if reads else ""
    text = (
        'format = 1\n[databases]\nkind = "sets"\nrecords = ["a", "b", "c", "d"]\n[target]\ngranularity = "bounded"\n'
        f'[[mechanisms]]\nname = "M"\n{reads}guarantee = {{ notion = "{notion}", {key} = "s", granularity = '
        f'"{granularity}"{domain} }}\n{"".join(more.values())}'
        f'[[claims]]\nnotion = "{notion}"\n{key} = "s"\n'
    )
    read = problems.read_data(tomllib.loads(text))
    proofs = Proofs(read.setting, THEORY)
    _, shown = proofs.verdict(read.claims[0].guarantee.text()).theorems
    assert isinstance(shown.says, Optimal)
    power = "**2" if key == "rho" else ""
    prover = Prover(proofs.elaborated.core, THEORY)
    return prover.by("metric_form", shown, claim={"notion": notion, key: f"s*{D}{power}"})


@pytest.mark.parametrize("key", ["epsilon", "rho", "mu"])
def test_what_is_least_along_chains(key: str) -> None:
    """M loses s·d(D_0, D) at every D, if its outcome 1 has the probability e^(-s·d(D_0, D))/2."""
    theorem = least(key=key)
    assert isinstance(theorem.says, MetricForm) and isinstance(theorem.says.of, Optimal)
    assert any("metric-form" in page for page in theorem.trusts.pages)


@pytest.mark.parametrize(
    "reads", ['reads = { records = ["a"] }\n', 'reads = { records = ["a", "b"] }\n'], ids=["one", "two"]
)
def test_what_is_read_may_be_nearer(reads: str) -> None:
    """{a, b} and {c, d} are two steps apart, what is read of a alone at most one."""
    with pytest.raises(NoTheorem, match="M is not just stated for the target's neighbours, of everything"):
        least(reads)


def test_guarantees_for_any_two_are_no_chains() -> None:
    """A free-lunch guarantee s is one for neighbours, and s, not s·d, far away."""
    with pytest.raises(NoTheorem, match="M is not just stated"):
        least(granularity="free-lunch")


def test_several_guarantees_are_no_chains() -> None:
    also = '[[mechanisms]]\nname = "N"\nguarantee = { notion = "pure", epsilon = "0", granularity = "free-lunch" }\n'
    with pytest.raises(NoTheorem, match="N is not just stated"):
        least(also=also)


def derivation() -> dict[str, Any]:
    prover, theorems = made("pure", {"epsilon": "2*s"}, epsilon="s")
    theorem = prover.by("metric_form", theorems[0], claim={"notion": "pure", "epsilon": f"2*s*{D}"})
    data = {"core": prover.setting.data(), "of": check.saved(theorem, THEORY)}
    found: dict[str, Any] = json.loads(json.dumps(data))
    return found


def replayed(data: dict[str, Any]) -> Theorem:
    return check.replay(data["of"], reading.read(data["core"]), THEORY)[-1]


def test_forged_derivations_are_refused() -> None:
    good = derivation()
    assert isinstance(replayed(good).says, MetricForm)
    last = len(good["of"]["steps"]) - 1

    def forged(key: str, value: Any) -> dict[str, Any]:
        data = copy.deepcopy(good)
        data["of"]["steps"][last][key] = value
        return data

    for value in (f"s*{D}", f"2*s*{D}**2", "2*s"):
        with pytest.raises(Refused, match="metric_form"):
            replayed(forged("claim", {"notion": "pure", "epsilon": value}))
    with pytest.raises(Refused, match="says something else"):
        replayed(forged("claim", {"notion": "gaussian", "mu": f"2*s*{D}"}))
    with pytest.raises(Refused, match="the only premise is to be about"):
        replayed(forged("from", [1]))
    unlisted = copy.deepcopy(good)
    del unlisted["of"]["pages"]["metric-form"]
    with pytest.raises(Refused, match="uses the page 'metric-form', which the derivation does not list"):
        replayed(unlisted)
    with pytest.raises(Refused, match="there is no argument 'target' here"):
        replayed(forged("target", "unbounded"))
    some = set(good["of"]["pages"]) - {"metric-form"}
    with pytest.raises(Refused, match="which is primitive and not allowed"):
        check.replay(good["of"], reading.read(good["core"]), THEORY, some)


def test_it_is_no_rule_of_compositions_in_metrics() -> None:
    """There a distance may be called target."""
    line = {"kind": "points", "coordinates": ["x"], "box": [[None, None]]}
    core = on_product({"": line}, {D: {"formula": "max(x__D - x__E, x__E - x__D)"}}, D)
    with pytest.raises(NoTheorem, match="it is about neighbours"):
        Prover(reading.read(core), THEORY).by("metric_form", claim={"notion": "pure", "epsilon": D})


def test_a_number_that_is_called_as_the_metric_is_another_claim() -> None:
    """2·s·d__target for d__target = 1/2 is s, which is false for replacements; along chains 2s holds."""
    prover, theorems = made("pure", {"epsilon": "2*s"}, epsilon="s")
    claim = {"notion": "pure", "epsilon": f"2*s*{D}"}
    theorem = prover.by("metric_form", theorems[0], claim=claim)
    data: dict[str, Any] = {
        "format": saved.FORMAT,
        "core": prover.setting.data(),
        "derivation": check.saved(theorem, THEORY),
        "guarantee": None,
        "claims": [{"claim": claim, "verdict": "proved", "loose": None}],
    }
    data["claims"][0]["step"] = len(data["derivation"]["steps"])
    alone = data | {"problem": {}, "stated": [claim]}
    assert saved.check(alone, THEORY).verdicts == (("proved", None),)
    for parameters in ({D: "1/2"}, {}):
        plain = data | {"problem": {"parameters": parameters, "claims": [claim]}}
        with pytest.raises(Refused, match=r"is about another claim|cannot be read"):
            saved.check(plain, THEORY)


# by groups of any number of steps, and of a few

S = "d__single"


def groups(steps: str, epsilon: str, claim: str, stated: str = "e", assumed: str = "") -> Theorem:
    """What a claim for groups of unbounded steps says of any two databases."""
    text = (
        f'format = 1\n{assumed}[parameters]\nr = "integer >= 1"\n[databases]\nkind = "multisets"\n'
        f'[target]\ngranularity = {{ group = "{steps}", of = "unbounded" }}\n[[mechanisms]]\nname = "M"\n'
        f'guarantee = {{ notion = "pure", epsilon = "{stated}", granularity = "unbounded" }}\n'
        f'[[claims]]\nnotion = "pure"\nepsilon = "{epsilon}"\n'
    )
    read = problems.read_data(tomllib.loads(text))
    proofs = Proofs(read.setting, THEORY)
    proved = proofs.verdict(read.claims[0].guarantee.text())
    prover = Prover(proofs.elaborated.core, THEORY)
    return prover.by("metric_form", proved.theorems[0], claim={"notion": "pure", "epsilon": claim})


def test_any_number_of_steps() -> None:
    proved, refuted = groups("r", "e*r", f"e*{S}"), groups("r", "e*min(r, 3)", f"e*min({S}, 3)")
    assert isinstance(proved.says, MetricForm) and isinstance(proved.says.of, Satisfies)
    assert isinstance(refuted.says, MetricForm) and isinstance(refuted.says.of, Refuted)
    assert dict(refuted.says.of.point)["r"] == 4
    few = groups("3", "e*sqrt(3)", f"e*sqrt({S})")
    assert isinstance(few.says, MetricForm) and isinstance(few.says.of, Refuted)


@pytest.mark.parametrize(
    ("about", "why"),
    [
        (("r", "e*r", f"e*{S} + 1"), "says something else"),
        (("r", "e*r", f"e*{D} + 0*{S}"), "no formula|says something else"),
        (("2", "2*e", f"e*{S}"), "of other numbers of steps nothing is known"),
        (("r", "e*r**2", f"e*{S}*r"), "is about groups as well"),
        (("r", "e*r*r", f"e*{S}**2", "e*r"), "does not stand for any number of steps"),
        (("r", "2*e*r - e", f"2*e*{S} - e"), "not seen to be at least 0 at equal databases"),
        (("3", "max(0, 5 - 2*3)", f"max(0, 5 - 2*{S})"), "may say more of 1 steps"),
        (("r", "e*r", f"e*{S}", "e", 'assume = ["r <= 9"]\n'), "does not stand for any number of steps"),
    ],
)
def test_what_groups_do_not_show(about: tuple[str, ...], why: str) -> None:
    with pytest.raises(NoTheorem, match=why):
        groups(*about)


def test_more_than_chains() -> None:
    """A claim that is more, for each number of steps, than what these make of one; its certificate is checked."""
    prover, theorems = made("pure", {"epsilon": "2*s"}, epsilon="s")
    claim = {"notion": "pure", "epsilon": f"2*s*{D}**2"}
    shown = at_least(2 * terms.letter("s") * STEPS**2, 2 * terms.letter("s") * STEPS)
    theorem = prover.by("metric_form", theorems[0], claim=claim, certificates={"epsilon": shown})
    assert isinstance(theorem.says, MetricForm) and isinstance(theorem.says.of, Satisfies)
    for wrong, certificates in [
        (f"s*{D}**2", {"epsilon": shown}),
        (f"2*s*sqrt({D})", {"epsilon": shown}),
        (f"2*s*min({D}, 9)", {"epsilon": shown}),
        (f"2*s*{D}**2", {}),
        (f"2*s*{D}**2 - s", {"epsilon": shown}),
    ]:
        with pytest.raises(NoTheorem):
            prover.by("metric_form", theorems[0], claim=claim | {"epsilon": wrong}, certificates=certificates)
