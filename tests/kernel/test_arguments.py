"""Arguments of rules, and premises, that are not what a rule asks for: each is refused in words."""

from __future__ import annotations

from typing import Any

import pytest
from told import THEORY

from dpcompose.kernel import arguments
from dpcompose.kernel.core import reading
from dpcompose.kernel.deciders.curves import outcomes
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.judgements import Loose
from dpcompose.kernel.rules import RULES
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.search.comparisons import parameters

ADD: dict[str, Any] = {"single": [[1, 0]], "steps": 1}


def prover(*given: tuple[str, dict[str, str]], reads: Any = None) -> Prover:
    """Mechanisms by notion and parameters that read everything, or each some atoms."""
    mechanisms = [
        {
            "name": f"M{i}",
            "reads": [None if reads is None else reads[i - 1]],
            "stated": ADD,
            "domain": "own",
            "notion": notion,
            "values": values,
        }
        for i, (notion, values) in enumerate(given, start=1)
    ]
    atoms = [["a", "b"], ["c", "d"]]
    databases = {
        "kind": "records",
        "shown": "multisets",
        "of": "multisets",
        "size": ["any", None],
        "atoms": atoms,
    }
    data = {"parameters": {"e": "positive"}, "databases": databases, "target": ADD, "mechanisms": mechanisms}
    return Prover(reading.read(data), THEORY)


ONE = ("pure", {"epsilon": "e"})
EXCEED: dict[str, Any] = {"claim": {}, "point": {}, "neighbours": 1, "bits": 64}


def test_every_rule_says_of_which_kind_its_arguments_are() -> None:
    for rule in RULES.values():
        for kinds, _ in arguments.wanted(rule).values():
            assert {*kinds} <= arguments.KINDS.keys()


@pytest.mark.parametrize(
    ("rule", "given", "message"),
    [
        ("given", {}, "given: the argument i is missing"),
        ("given", {"i": True}, "given: i is to be a whole number"),
        ("given", {"i": 1.0}, "given: i is to be a whole number"),
        ("given", {"i": None}, "given: i is to be a whole number"),
        ("given", {"i": 2}, "given: there is no mechanism 2"),
        ("given", {"i": 1, "j": 1}, "given: there is no argument 'j' here, but i, page"),
        ("given", {"i": 1, "setting": {}}, "given: there is no argument 'setting' here, but i, page"),
        ("given", {"i": 1, "self": {}}, "given: there is no argument 'self' here, but i, page"),
        ("cover", {"kind": "all"}, "cover: there is no argument 'kind' here, but every, of"),
        ("cover", {"every": 1}, "cover: every is to be true or false"),
        *(
            ("exceed", EXCEED | {name: value}, f"exceed: {name} is to be {kind}")
            for name, values, kind in (
                ("by", ["1", [True], [1, "1"], {"1": 1}], "a list of whole numbers"),
                (
                    "implied",
                    ["pure", {"notion": "pure", "epsilon": 1}, ["notion", "epsilon"]],
                    "a table of texts",
                ),
            )
            for value in values
        ),
        ("trivial", {"claim": None, "key": "delta"}, "trivial: a claim is a notion with its parameters"),
        (
            "trivial",
            {"claim": {"notion": "pure", "epsilon": 1}, "key": "epsilon"},
            "trivial: what a claim says of a parameter is a formula",
        ),
        (
            "trivial",
            {"claim": {"notion": "pure", "epsilon": "oo"}, "key": "delta"},
            "trivial: pure privacy has no parameter 'delta'",
        ),
        ("prove", {}, "there is no rule 'prove'"),
    ],
    ids=str,
)
def test_what_an_argument_is_to_be(rule: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(NoTheorem) as refused:
        prover(ONE).by(rule, **given)
    assert str(refused.value) == message


def composed(made: Prover) -> tuple[Theorem, list[Theorem]]:
    """The cover, and what each mechanism loses."""
    return made.by("cover"), [made.by("given", i=i) for i in range(1, len(made.setting.mechanisms) + 1)]


def test_attain_is_about_lists_of_numbers() -> None:
    made = prover(ONE)
    cover, given = composed(made)
    for more, message in (
        ({"neighbours": [True]}, "neighbours is to be a list of whole numbers"),
        ({"neighbours": [1.0]}, "neighbours is to be a list of whole numbers"),
        ({"neighbours": 1}, "neighbours is to be a list of whole numbers"),
        ({"by": None}, "by is to be a list of whole numbers"),
        ({"by": "1"}, "by is to be a list of whole numbers"),
        ({"notion": 7}, "notion is to be a text"),
        ({"neighbours": [2]}, "there is no type 2"),
    ):
        with pytest.raises(NoTheorem) as refused:
            made.by("attain", cover, *given, **{"notion": "pure", "neighbours": [1], "by": [1]} | more)
        assert str(refused.value) == f"attain: {message}"


def test_a_claim_is_loose_in_one_of_its_parameters() -> None:
    """Nothing is larger in a parameter that there is not."""
    made = prover(ONE)
    cover, given = composed(made)
    known = made.by("worst", made.by("compose", *given), cover)
    claim = {"notion": "pure", "epsilon": "e"}
    for key in ("delta", "", "x"):
        with pytest.raises(NoTheorem, match="has no parameter"):
            made.by("loose", known, claim=claim, key=key, point={"e": "1"})
        with pytest.raises(NoTheorem, match="has no parameter"):
            made.by("closer", made.by("compose", *given), cover, key=key)
    larger = made.by("loose", known, claim=claim | {"epsilon": "2*e"}, key="epsilon", point={"e": "1"})
    assert isinstance(larger.says, Loose)


def test_a_curve_is_of_all_mechanisms_in_order() -> None:
    """Two that read different records: with their losses exchanged the curve would be that of others."""
    stated = [("pure", {"epsilon": "1"}), ("pure", {"epsilon": "2"})]
    made = prover(*stated, reads=[[0], [0, 1]])
    cover, (one, other) = composed(made)
    claim = {"notion": "approximate", "epsilon": "3", "delta": "0"}
    for rule, before in (
        ("curve", []),
        ("curve_standing", [made.by("curve", cover, one, other, claim=claim, bits=64)]),
    ):
        for some in ([other, one], [one], [one, one], [one, other, other]):
            with pytest.raises(NoTheorem, match="each mechanism needs one loss, in order"):
                made.by(rule, *before, cover, *some, claim=claim, bits=64)


def test_a_curve_in_letters_believes_no_other_certificate() -> None:
    """That of (0, tanh(e/2)) shows nothing of a smaller ε or δ, of two mechanisms, of numbers, or of two steps."""
    claim = {"notion": "approximate", "epsilon": "0", "delta": "tanh(e/2)"}
    one, two = prover(ONE), prover(ONE, ONE)
    made = [(by, *composed(by)) for by in (one, two)]
    (_, cover, given), (_, there, both) = made
    (e,) = one.setting.symbols.values()
    least = outcomes.delta([outcomes.Alike(e, terms.ZERO)], terms.ZERO)
    shown = parameters.at_least(formulas.parse(claim["delta"], one.setting.symbols), least)
    assert one.by("curve", cover, *given, claim=claim, certificate=shown).says is not None
    for changed in ({"delta": "tanh(e/3)"}, {"epsilon": "0-e"}, {"delta": "0"}, {"notion": "pure"}):
        with pytest.raises(NoTheorem):
            one.by("curve", cover, *given, claim=claim | changed, certificate=shown)
    with pytest.raises(NoTheorem):
        two.by("curve", there, *both, claim=claim, certificate=shown)
    with pytest.raises(NoTheorem, match="each mechanism needs one loss"):
        two.by("curve", there, both[0], claim=claim, certificate=shown)
