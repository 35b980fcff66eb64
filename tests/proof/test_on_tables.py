"""Mechanisms of a study that are written down as tables: what is assumed of them is checked, else refused."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import rechecks

import dpcompose as dpc
from dpcompose.front.studies.loading import load
from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core import reading
from dpcompose.kernel.judgements import Loose
from dpcompose.kernel.theorems import NoTheorem
from dpcompose.privacy import problems
from dpcompose.privacy.finite.tables import ProbabilityTable
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings.invalid import InvalidSetting

FILE = Path(__file__).resolve().parents[2] / "notebooks" / "problems" / "46-checked-on-tables.toml"
NEXT = dpc.pairs("next", [("a", "b"), ("b", "c")])
WHICH = dpc.table("which", {"a": "x", "b": "x", "c": "y"})
ON = dpc.listed("abc")
QUIET, LOUD = ["1/2", "1/2"], ["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"]
SAME = dpc.probability_table({"a": LOUD, "b": LOUD, "c": QUIET}, ["yes", "no"])
OTHER = dpc.probability_table({"a": QUIET, "b": LOUD, "c": QUIET}, ["yes", "no"])
INPUTS = dpc.probability_table({"x": LOUD, "y": QUIET}, ["yes", "no"])


def study(
    table: ProbabilityTable | None, epsilon: object = "e", domain: str = "common", **more: Any
) -> Study:
    satisfies = dpc.pure(epsilon, NEXT, domain)
    return dpc.compose(
        dpc.mechanism("M", satisfies=satisfies, reads=WHICH, table=table), on=ON, target=NEXT, **more
    )


@pytest.mark.parametrize(("table", "domain"), [(SAME, "common"), (INPUTS, "common"), (INPUTS, "own")])
def test_what_is_assumed_is_checked(table: ProbabilityTable, domain: str, tmp_path: Path) -> None:
    guarantee = study(table, domain=domain).guarantee()
    (assumed,) = guarantee.assumptions
    assert assumed.startswith("M is next e-DP") and ", checked on its table (all " in assumed
    assert "[checked on its table]" in str(guarantee.derivation)
    assert str(guarantee.derivation).endswith("believed without check: nothing")
    assert "checked on its table" in guarantee.derivation._repr_html_()
    assert rechecks.rechecked(study(table, domain=domain), []).checked.assumed == ()
    assert "checked" not in study(None, domain=domain).guarantee().assumptions[0]


@pytest.mark.parametrize(
    ("table", "epsilon", "domain", "words"),
    [
        (SAME, "e/3", "common", r"P\(no\) = 1/\(exp\(e\) \+ 1\) at D = c|at D = b, 1/2|D = c, 1/"),
        (INPUTS, "e/3", "own", "at D = x, 1/2 at D' = y|D' = x"),
        (OTHER, "e", "common", r"which\(D\) is the same for D = a and D' = b, but P\(yes\) = 1/2 at D"),
        (
            dpc.probability_table({"a": [1, 0], "b": [1, 0], "c": [0, 1]}),
            9,
            "common",
            "at D = b, 0 at D' = c",
        ),
        (
            dpc.probability_table({"a": QUIET, "b": QUIET}),
            "e",
            "common",
            "needs a row for each database of the class: c",
        ),
        (SAME, "e", "own", r"needs a row for each value of which\(D\): x has none"),
    ],
)
def test_what_the_table_does_not_show_is_refused(
    table: ProbabilityTable, epsilon: object, domain: str, words: str
) -> None:
    with pytest.raises(InvalidSetting, match=words):
        study(table, epsilon, domain)


def test_tables_have_a_row_for_each_database() -> None:
    M = dpc.mechanism("M", satisfies=dpc.pure("e", dpc.bounded), table=SAME)
    with pytest.raises(InvalidSetting, match="infinitely many; a finite class would do"):
        dpc.compose(M, on=dpc.multisets({"a", "b"}), target=dpc.bounded)
    with pytest.raises(ValueError, match="one mechanism, and not of a family"):
        dpc.mechanism("M", satisfies=dpc.pure("e[i]", dpc.bounded), count=3, table=SAME)
    with pytest.raises(TypeError, match="probability_table"):
        dpc.mechanism("M", satisfies=dpc.pure("e", dpc.bounded), table=WHICH)  # type: ignore[arg-type]
    with pytest.raises(InvalidSetting, match="two symbols are called e, with different assumptions"):
        study(SAME, dpc.parameters("e", "nonnegative")[0])


def test_on_tuples_neighbours_are_those_of_the_class() -> None:
    bits = dpc.tuples({"0", "1"}, "= 2")
    answer = dpc.probability_table({("0",): LOUD, ("1",): LOUD[::-1]}, ["0", "1"])
    first = dpc.mechanism(
        "M", satisfies=dpc.pure("e", dpc.bounded, "own"), reads=dpc.positions(1), table=answer
    )
    found = dpc.compose(first, on=bits, target=dpc.bounded).guarantee()
    assert found.assumptions[0].endswith("checked on its table (all 1 pairs of bounded neighbours)")
    swapped = {D: LOUD if D == ("0", "1") else QUIET for D in bits.databases()}
    # (0, 1) and (1, 0) are one multiset, and two steps apart as tuples
    order = dpc.mechanism("M", satisfies=dpc.pure("e", dpc.bounded), table=dpc.probability_table(swapped))
    assert dpc.compose(order, on=bits, target=dpc.bounded).guarantee().epsilon == dpc.parameters("e")[0]


def test_a_claim_about_a_table_is_refuted_by_that_table_only() -> None:
    """Another mechanism with the same guarantee would lose more, which says nothing of this one."""
    quiet = dpc.probability_table({D: QUIET for D in "abc"})
    assert study(None).check(dpc.pure("e/2")).verdict == "refuted"
    assert study(quiet).check(dpc.pure("e/2")).verdict == "proved"
    assert study(quiet).guarantee().optimal is False and study(None).guarantee().optimal
    loud = dpc.probability_table({"x": LOUD, "y": LOUD[::-1]}, ["yes", "no"])
    answer = study(loud).check(dpc.pure("e/2"))
    assert answer.verdict == "refuted" and answer.counterexample is not None
    (row,) = answer.counterexample.rows
    assert answer.counterexample.actual == 1 and "by its table, P(no) = " in row.words()
    assert "M = no" in answer._repr_html_() and "at the outcome no" in answer._repr_html_()
    fixed = dpc.probability_table({"x": ["3/4", "1/4"], "y": ["1/4", "3/4"]}, ["yes", "no"])
    by_numbers = study(fixed, "log(3)")
    for claim in ("1", "log(2)", "109/100"):
        example = by_numbers.check(dpc.pure(claim)).counterexample
        assert example is not None and example.shown(example.actual) == "log(3)"
    assert by_numbers.check(dpc.pure("11/10")).verdict != "refuted"  # log(3) = 1.0986...
    both = dpc.compose(
        dpc.mechanism("M", satisfies=dpc.pure("log(3)", NEXT, "own"), reads=WHICH, table=fixed),
        dpc.mechanism("N", satisfies=dpc.pure("f", NEXT)),
        on=ON,
        target=NEXT,
    )
    answer = both.check(dpc.pure("f"))
    assert answer.verdict == "refuted" and "true loss " in repr(answer) and "log(3)" in repr(answer)
    zcdp = dpc.mechanism("M", satisfies=dpc.zcdp("e**2/2", NEXT, "own"), reads=WHICH, table=loud)
    concentrated = dpc.compose(zcdp, on=ON, target=NEXT)
    assert "checked on its table" in concentrated.guarantee().assumptions[0]
    assert concentrated.check(dpc.zcdp("e**2/100")).verdict == "refuted"


def two(*tables: ProbabilityTable | None, satisfies: Any) -> Study:
    """Mechanisms with the same guarantee on everything, some of them given by tables."""
    some = [dpc.mechanism(f"M{i}", satisfies, table=made) for i, made in enumerate(tables, start=1)]
    return dpc.compose(*some, on=ON, target=NEXT)


def test_no_witness_stands_for_a_table() -> None:
    """A quiet table loses nothing; beside it another mechanism is refuted as it would be alone."""
    quiet = dpc.probability_table({D: QUIET for D in "abc"})
    stated = dpc.approximate("1/2", "1/4", NEXT)
    claim = dpc.approximate(1, "1/3")
    assert two(None, None, satisfies=stated).check(claim).verdict == "refuted"  # 1 - (3/4)^2 = 7/16
    alone, beside = two(quiet, satisfies=stated), two(quiet, None, satisfies=stated)
    assert alone.check(dpc.approximate(1, "1/5")).verdict == beside.check(claim).verdict == "proved"
    refuted = beside.check(dpc.approximate(1, "1/5")).counterexample
    assert refuted is not None and refuted.names == ("M2",)


def test_canonical_noise_does_not_stand_for_a_table() -> None:
    """Of the pure guarantee log(2) the least delta at epsilon = 0 is 1/3, of a quiet table it is 0."""
    quiet = dpc.probability_table({D: QUIET for D in "abc"})
    stated, claim = dpc.pure("log(2)", NEXT), dpc.approximate(0, "1/4")
    example = two(None, satisfies=stated).check(claim).counterexample
    assert example is not None
    assert two(quiet, satisfies=stated).check(claim).verdict == "proved"


def test_the_curve_only_bounds_what_a_table_loses() -> None:
    """A claim that equals the curve of the guarantee is optimal without a table, and loose with a quiet one."""
    quiet = dpc.probability_table({D: QUIET for D in "abc"})
    abstract, table = (two(made, satisfies=dpc.approximate(0, "1/10", NEXT)) for made in (None, quiet))
    noisy = dpc.mechanism("M1", query=dpc.count, noise=dpc.geometric(1))
    counted = dpc.compose(noisy, on=dpc.multisets("ab"), target=dpc.unbounded)

    def loose(study: Study, epsilon: object, delta: object) -> bool | None:
        shop, claim = study.proofs.shop_in("approximate"), dpc.approximate(epsilon, delta)
        premises, about = (shop.cover, *shop.stated), {"claim": claim.text(), "bits": 128}
        made = shop.prover.by("curve", *premises, **about)
        with suppress(NoTheorem):
            return isinstance(shop.prover.by("curve_standing", made, *premises, **about).says, Loose)
        return None

    assert (loose(abstract, 0, "1/10"), loose(table, 0, "1/10")) == (False, True)
    assert loose(counted, 1, 0) is None
    assert loose(abstract, 1, "1/10") and loose(table, 1, "1/10") and loose(counted, 2, 0)


def test_noise_and_tables_lose_together() -> None:
    """log(2) by the table, log(5) by the noise, at the same pair of databases."""
    bits = dpc.tuples({"0", "1"}, "= 1")
    answer = dpc.probability_table({("0",): ["2/3", "1/3"], ("1",): ["1/3", "2/3"]}, ["0", "1"])
    M = dpc.mechanism("M", satisfies=dpc.pure("log(2)", dpc.bounded), table=answer)
    N = dpc.mechanism("N", query=dpc.bit, noise=dpc.randomized_response("1/6"))
    study = dpc.compose(M, N, on=bits, target=dpc.bounded)
    example = study.check(dpc.pure("log(9)")).counterexample
    assert example is not None and example.shown(example.actual) == "log(10)"
    assert study.check(dpc.pure("log(2) + log(5)")).verdict == "proved"


def test_rows_are_inputs_where_inputs_are_called_like_databases() -> None:
    swap = dpc.table("swap", {"a": "b", "b": "c", "c": "a"})
    rows = dpc.probability_table({"a": ["9/10", "1/10"], "b": QUIET, "c": QUIET}, ["yes", "no"])
    M = dpc.mechanism("M", satisfies=dpc.pure("log(5)", NEXT, "own"), reads=swap, table=rows)
    made = dpc.compose(M, on=ON, target=NEXT)
    example = made.check(dpc.pure("log(4)")).counterexample
    # swap(c) = a has the loud row: a and b, which have the same, lose nothing
    assert example is not None and set(example.pair) == {"b", "c"}
    assert example.shown(example.actual) == "log(5)"


def test_a_guarantee_just_below_what_a_table_loses_is_refused() -> None:
    """Randomized response of (1, 0) has rho = tanh(1/2) = 0.462117…, which is lost in the limit of order 1."""
    response = dpc.randomized_response_table(1)
    flip = dpc.pairs("flip", [(0, 1)])

    def stated(rho: str) -> Study:
        M = dpc.mechanism("M", satisfies=dpc.zcdp(rho, flip), table=response)
        return dpc.compose(M, on=dpc.listed([0, 1]), target=flip)

    with pytest.raises(
        InvalidSetting, match=r"^M is not what its table shows: the Rényi divergence of order"
    ):
        stated("4621/10000")
    assert stated("4622/10000").check(dpc.zcdp("1/2")).verdict == "proved"


def test_a_saved_derivation_is_checked_on_its_tables_again() -> None:
    made, claims = load(FILE)
    right = rechecks.saved(made, [made.check(claim) for claim in claims])
    found = rechecks.check(right, made.theory)
    assert found.verdicts == ("proved", "refuted") and "tables" in found.deciders

    def refused(change: Any) -> str:
        forged = deepcopy(right)
        change(forged)
        with pytest.raises(Refused) as error:
            rechecks.check(forged, made.theory)
        return str(error.value)

    tables = {name: name for name in right["problem"]["tables"]}
    assert list(tables) == ["of M1", "of M2"]

    def louder(data: Any) -> None:
        data["problem"]["tables"]["of M2"]["rows"]["second"] = ["1/5", "4/5"]

    def none(data: Any) -> None:
        del data["problem"]["mechanisms"][1]["table"]

    def assumed(data: Any) -> None:
        data["derivation"]["steps"][0]["rule"] = "given"

    def quieter(data: Any) -> None:
        rows = data["core"]["mechanisms"][0]["table"]["rows"]
        rows[0] = rows[1]

    def with_its_hash(data: Any) -> None:
        quieter(data)
        data["derivation"]["setting"] = reading.read(data["core"]).hash

    assert "is the same for D = second and D' = both" in refused(louder)
    assert refused(none) == "the core setting is not what the problem says"
    assert refused(assumed) == "step 1: given: M1 is not given by a guarantee alone"
    assert refused(quieter) == "the derivation is about another setting"
    assert refused(with_its_hash).startswith("step 6: attain: ")  # M1 loses nothing by these rows


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('table = "secret"', 'table = "secrets"', "there is no table 'secrets'; did you mean 'secret'?"),
        (
            'first  = ["3/4", "1/4"]',
            'first  = ["3/4", "1/3"]',
            "tables.secret (line 15): row first: the probabilities add up to 13/12",
        ),
        ('first  = ["3/4", "1/4"]', 'first  = ["3/4", "1/4)"]', "tables.secret.rows.first"),
        ('first  = ["3/4", "1/4"]', "", "needs a row for each database of the class: first has none"),
        (
            'epsilon = "log(3)"',
            'epsilon = "1"',
            "M2 is not what its table shows: P(no) = 3/4 at D = nobody, 1/4 at D' = second",
        ),
        (
            'reads = { map = "second" }',
            'reads = { map = "first" }',
            "first(D) is the same for D = nobody and D' = second, but P(no) = 3/4 at D, 1/4 at D'",
        ),
    ],
)
def test_mistakes_in_files_are_named(old: str, new: str, words: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(ProblemError) as error:
        problems.read_text(text.replace(old, new))
    assert words in str(error.value)
