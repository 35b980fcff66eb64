"""Forged derivations of the kernel are refused, each with its message; what is accepted is computed.

They are the lines of tests/forged/kernel.jsonl, in the order of their names: {name, of, edits, refused}; the
edits are those of `forgeries.forge`, where a table in a path stands for the first entry that has all of it.
`python tests/forged/renew_kernel.py` writes the messages anew.  The derivations themselves are made afresh,
of problem files that together use every rule.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

import forgeries
import pytest
from derived import OF, THEORY, good, made, replayed
from forgeries import FORGED, NoTable, forge
from second_checker import verdicts as second
from shares import every_second

from dpcompose.front.studies.loading import load
from dpcompose.kernel import check, rules, saved
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.judgements import Loses, Lower, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.theorems import ABOUT_OTHERS, OF_DISTANCES, Prover

TABLE = FORGED / "kernel.jsonl"


def resolved(path: list[Any], data: Any) -> list[Any]:
    """A path with numbers for the entries that are described in it."""
    found: list[Any] = []
    for key in path:
        if isinstance(key, dict):
            key = next(n for n, one in enumerate(data) if key.items() <= one.items())
        found.append(key)
        inside = key in data if isinstance(data, dict) else isinstance(data, list) and key < len(data)
        data = data[key] if inside else None  # a new entry has nothing inside
    return found


def forged(of: str, edits: Any) -> dict[str, Any]:
    """The derivation of a problem file after edits."""
    data = good(of)
    told = []
    for edit in edits:
        one = dict(edit) | {"at": resolved(edit["at"], data)}
        if "copy" in one:
            one["copy"] = resolved(one["copy"], data)
        told.append(one)
    changed: dict[str, Any] = forge(data, told)
    return changed


@dataclasses.dataclass(frozen=True)
class Forgery:
    """Edits of the derivation of a problem file, and the message with which it is refused."""

    name: str
    of: str
    edits: list[dict[str, Any]]
    refused: str

    @property
    def line(self) -> str:
        return json.dumps(vars(self), ensure_ascii=False)


def read(text: str) -> list[Forgery]:
    """The forgeries of the table: one a line, in the order of their names."""
    found = [Forgery(**json.loads(line)) for line in text.removesuffix("\n").split("\n")]
    names = [one.name for one in found]
    if names != sorted(set(names)):
        raise NoTable("the forgeries are not in order, or one stands twice")
    return found


EVERY = read(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else []

INTERNAL = re.compile(
    r"NoneType|object|unexpected|positional|iterable|has no attribute|unpack|\(\w+Error\)|<[a-z]|unhashable|operand"
)
"""Words of Python's own errors."""


def refusal(data: Mapping[str, Any]) -> str:
    with pytest.raises((Refused, BadSetting)) as refused:
        replayed(data)
    return str(refused.value)


@pytest.mark.parametrize("name", OF)
def test_a_good_derivation_is_accepted(name: str) -> None:
    found = saved.check(json.loads(made(name)), THEORY)
    _, claims = load(forgeries.problem(name))
    assert len(found.verdicts) == len(claims) and found.steps == len(replayed(good(name)))


@pytest.mark.slow
def test_the_derivations_use_every_rule() -> None:
    used = set[str]()

    def go(derivation: Any) -> None:
        for step in derivation["steps"]:
            used.add(step["rule"])
            if "derivation" in step:
                go(step["derivation"])

    for name in OF:
        go(good(name)["derivation"])
    in_metrics = set(OF_DISTANCES) - used  # tests/proof/test_metrics_attacked.py forges these
    others = {"trivial", "metric_form"}  # no file claims what says nothing; tests/kernel/test_chains.py
    assert used | others | in_metrics == set(rules.RULES)


ACCEPTED_BY_THE_SECOND = {
    *("bits-few", "bits-huge", "step-the-number-of-bits-is-not-allowed"),
    *("a-word-of-the-certificate-cannot-be-read", "l-cannot-be-shifted-to-l-more"),
    *("the-difference-after-a-shift-is-another-one", "there-is-no-value"),
}
"""It chooses how closely to look, and in which letters it compares: what is said of that is not read."""


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_forged(one: Forgery) -> None:
    data = forged(one.of, one.edits)
    assert json.dumps(data) != json.dumps(good(one.of)), "the edits change nothing"
    found = refusal(data)
    assert found == one.refused
    assert not INTERNAL.search(found)
    judged = second.check(json.loads(made(one.of)) | data)
    assert (one.name in ACCEPTED_BY_THE_SECOND) == (judged.outcome == "ACCEPTED"), judged


def test_the_table_is_read_as_it_is_written() -> None:
    assert TABLE.read_text(encoding="utf-8") == "".join(f"{one.line}\n" for one in EVERY)
    assert len(EVERY) > 200 and {one.of for one in EVERY} <= set(OF)
    with pytest.raises(NoTable):
        read("".join(f"{one.line}\n" for one in reversed(EVERY)))


# any part of any step


ODD: list[Any] = [
    *(None, True, -1, 1.5, float("nan"), 10**30),
    *("", "x", "9" * 3000, "1/0", "10**10**10"),
    *([], [None], {}, {"x": 1}),
]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield from leaves(one, (*path, key))


def put(data: Any, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = value


@pytest.mark.parametrize("name", every_second(OF))
def test_what_stands_anywhere_is_refused_in_words_or_computed(name: str) -> None:
    """Odd values in place of any part of a derivation: no error of Python's is shown."""
    rng, data = random.Random(name), good(name)
    core, parts = reading.read(data["core"]), list(leaves(data["derivation"]))[1:]
    for path in rng.sample(parts, min(len(parts), 25)):
        changed = copy.deepcopy(data["derivation"])
        put(changed, path, copy.deepcopy(rng.choice(ODD)))
        try:
            check.replay(changed, core, THEORY)
        except Refused as error:
            assert not INTERNAL.search(str(error)), (path, str(error))


def test_deep_nesting_is_refused_or_not_read() -> None:
    """What is not read, such as a certificate for what is equal, changes no conclusion."""
    data = good("01-bounded-parallel.toml")
    core = reading.read(data["core"])
    before = [one.says for one in replayed(data)]
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    for path in leaves(data["derivation"]):
        if path and path[0] == "steps" and len(path) > 2:
            changed = copy.deepcopy(data["derivation"])
            put(changed, path, deep)
            try:
                assert [one.says for one in check.replay(changed, core, THEORY)] == before, path
            except Refused:
                continue


# conclusions are computed


def test_a_rule_that_concludes_otherwise_is_seen_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loss of 0 in place of the stated one: the guarantee is another one, and what rests on it falls."""
    data = good("01-bounded-parallel.toml")
    core, steps = reading.read(data["core"]), data["derivation"]["steps"]
    before = [one.says for one in replayed(data)]
    given = rules.RULES["given"]

    def nothing_lost(setting: Any, theory: Any, premises: Any, *, i: int) -> Any:
        says, trusts = given(setting, theory, premises, i=i)
        assert isinstance(says, Loses)
        values = tuple((key, terms.ZERO) for key, _ in says.loss.values)
        return Loses(dataclasses.replace(says.loss, values=values)), trusts

    monkeypatch.setitem(rules.RULES, "given", nothing_lost)  # type: ignore[arg-type]
    worst = next(n for n, step in enumerate(steps, start=1) if step["rule"] == "worst")
    after = check.replay(data["derivation"] | {"steps": steps[:worst]}, core, THEORY)[-1].says
    assert isinstance(after, Satisfies) and after != before[worst - 1]
    assert all(value == terms.ZERO for _, value in after.values)
    with pytest.raises(Refused):
        check.replay(data["derivation"], core, THEORY)


@pytest.mark.parametrize("rule", ["given", "compose", "cover", "worst", "attain"])
def test_no_conclusion_is_believed_of_a_theorem_that_was_made_by_hand(rule: str) -> None:
    """Python hides no constructor; what is saved is replayed, and says what the rules say."""
    data = good("01-bounded-parallel.toml")
    core = reading.read(data["core"])
    theorems = check.replay(data["derivation"], core, THEORY)
    one = next(theorem for theorem in theorems if theorem.rule == rule)
    other = next(theorem.says for theorem in theorems if type(theorem.says) is not type(one.says))
    lie = dataclasses.replace(one, says=other)
    again = check.replay(check.saved(lie, THEORY), core, THEORY)[-1]
    assert again.says == one.says != lie.says


def test_a_theorem_about_another_setting_is_no_premise() -> None:
    one, other = good("01-bounded-parallel.toml"), good("04-hospitals.toml")
    foreign = replayed(other)[0]
    prover = Prover(reading.read(one["core"]), THEORY)
    for rule in set(rules.RULES) - set(ABOUT_OTHERS):
        with pytest.raises(ValueError, match="a premise is about another setting"):
            prover.by(rule, foreign)
    with pytest.raises(ValueError, match="the only premise is to be Satisfies"):
        prover.by("study", foreign, i=1)
    with pytest.raises(ValueError, match="the only premise is to be Satisfies"):
        prover.by("implies", foreign, i=1, n=0, m=0)
    with pytest.raises(ValueError, match="not about the guarantees that are chosen"):
        prover.by("choose", foreign, which=[0, 0, 0])
    with pytest.raises(ValueError, match="a premise is about another setting"):
        prover.by("choose", replayed(one)[0], foreign, which=[0, 0, 0])
    with pytest.raises(ValueError, match="not about the mechanisms"):
        prover.by("one_by_one", foreign)


def test_pages_that_are_not_allowed() -> None:
    data = good("01-bounded-parallel.toml")
    pages = Grounds.of(one.rests_on for one in replayed(data)).pages
    assert replayed(data, pages)
    for page in pages:
        if THEORY.pages[page].head.status == "primitive":
            with pytest.raises(Refused, match=f"uses the page '{page}', which is primitive and not allowed"):
                replayed(data, pages - {page})


# the three traps


def about(databases: dict[str, Any], target: Any, mechanism: dict[str, Any], **more: Any) -> Prover:
    one = {"name": "M", "notion": "pure", "values": {"epsilon": "e"}} | mechanism
    data = {"parameters": {"e": "positive"}, "databases": databases, "target": target, "mechanisms": [one]}
    return Prover(reading.read(data | more), THEORY)


def bound(made: Prover) -> str:
    known = made.by("worst", made.by("compose", made.by("given", i=1)), made.by("cover")).says
    assert isinstance(known, Satisfies)
    return str(known).partition("epsilon = ")[2]


def of_size(*size: Any) -> dict[str, Any]:
    atoms = [["a", "b"], ["c", "d"]]
    return {"kind": "records", "shown": "multisets", "of": "multisets", "size": list(size), "atoms": atoms}


def test_edges_to_nothing_are_deleted_first_where_the_size_is_fixed() -> None:
    """Size 3, reads a part, stated for add/remove on the common domain: no step leads anywhere."""
    stated = {"reads": [[0]], "stated": {"single": [[1, 0]], "steps": 1}, "domain": "common"}
    replace = {"single": [[1, 1]], "steps": 1}
    assert bound(about(of_size("exactly", 3), replace, stated)) == "oo"
    assert bound(about(of_size("any", None), replace, stated)) == "2*e"
    made = about(of_size("exactly", 3), replace, stated)
    premises = made.by("cover"), made.by("given", i=1)
    found = made.by("attain", *premises, notion="pure", neighbours=[1], by=[1])
    assert isinstance(found.says, Lower) and found.says.value.kind == "oo"


def test_groups_do_not_pass_through_maps() -> None:
    """Steps a–x and y–b, where x and y are read as the same: no two steps of the class lead from a to b.

    So two steps at once on the class are no two steps of what is read: the inputs of a and b are 2 apart.
    """
    databases = {"kind": "listed", "shown": "listed", "count": 4}  # a, x, y, b
    stated = {"single": [[0, 1], [2, 3]], "steps": 2}
    target = {"single": [[0, 3]], "steps": 1}
    mechanism = {"reads": [[0, 1, 1, 2]], "stated": stated, "domain": "common"}
    assert bound(about(databases, target, mechanism)) == "2*e"
    own = {"reads": [[0, 1, 1, 2]], "stated": {"single": [[0, 1], [1, 2]], "steps": 2}, "domain": "own"}
    assert bound(about(databases, target, own)) == "e"


@pytest.mark.parametrize("stated", [{"single": "any two"}, {"single": [[1, 0]], "times": "r"}], ids=str)
def test_a_group_of_steps_moves_more_members_than_one_step(stated: dict[str, Any]) -> None:
    """r records lie in r parts: each member loses e, whose guarantee is for any two inputs, or any r steps."""
    target = {"single": [[1, 0]], "steps": 1, "times": "r"}
    numbers = {"e": "positive", "k": "integer >= 1", "r": "integer >= 1"}
    family = {"reads": [[0], [1]], "stated": {"steps": 1, **stated}, "domain": "own", "count": "k"}
    made = about(of_size("any", None), target, family | {"partition": "P"}, parameters=numbers)
    known = made.by("worst", made.by("compose", made.by("given", i=1)), made.by("cover")).says
    assert str(known).endswith("epsilon = min(e*k, e*r)")


@pytest.mark.parametrize("domain", ["real", "positive", "nonnegative"])
def test_no_letter_has_a_sign_that_its_domain_does_not_say(domain: str) -> None:
    """x² + x ≥ x² for x ≥ 0 only."""
    everything = {"reads": [None], "stated": {"single": [[1, 0]], "steps": 1}, "domain": "own"}
    mechanism = everything | {"values": {"epsilon": "x**2"}}
    made = about(of_size("any", None), {"single": [[1, 0]], "steps": 1}, mechanism, parameters={"x": domain})
    known = made.by("worst", made.by("compose", made.by("given", i=1)), made.by("cover"))
    claim = {"notion": "pure", "epsilon": "x**2 + x"}
    shown = {"letters": {"x": domain}, "difference": "x", "proof": {"rest": "x"}}
    if domain != "real":
        assert made.by("weaken", known, claim=claim, certificates={"epsilon": shown})
        return
    for letters, why in (({"x": "real"}, "not seen to be >= 0"), ({"x": "positive"}, "other values of them")):
        with pytest.raises(ValueError, match=why):
            made.by("weaken", known, claim=claim, certificates={"epsilon": shown | {"letters": letters}})
