"""What one person contributes: by hand, against enumeration of all bags, against finite classes, refused."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import problem_data
import pytest
from problem_data import KEYS, Reads, bag, reading_records
from shares import seeds

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated, NoLemma
from dpcompose.privacy.elaboration.listed import Listed
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
WAYS: list[bool | str] = [False, True, "rows"]


def family(
    target: Any, stated: Any, domain: str = "own", notion: str = "pure", k: str = "integer >= 1"
) -> dict[str, Any]:
    """A family on the parts of a partition."""
    values = {"epsilon": "e[i]", "delta": "d[i]"} if notion == "approximate" else {KEYS[notion]: "e[i]"}
    record_wise, of_people = {"kind": "record-wise"}, {"L": "integer >= 1", "m": "integer >= 1"}
    return problem_data.family(
        "P", record_wise, target, stated, domain, {"notion": notion, **values}, k=k, **of_people
    )


def written(reads: Reads, target: Any, *stated: Any, **databases: Any) -> dict[str, Any]:
    """Mechanisms that read some records, or everything."""
    return reading_records(target, reads, *stated, **databases)


def study(problem: dict[str, Any]) -> Study:
    return Study(problems.read_data(problem).setting)


def guarantee(problem: dict[str, Any], notion: str = "pure") -> list[str]:
    found = study(problem).proofs.guarantee(notion).main
    assert notion == "approximate" or found.optimal
    return [formulas.to_text(term) for _, term in found.says.values]


@pytest.mark.parametrize(
    ("parts", "rows", "top", "double"),
    [
        ("L", "m", "top(L, {}, i, 1, k)", "top(2*L, {}, i, 1, k)"),
        ("2", "1", "top(2, {}, i, 1, k)", "top(4, {}, i, 1, k)"),
    ],
)
@pytest.mark.parametrize("notion", ["pure", "zcdp", "gaussian"])
def test_the_table_of_bounds(parts: str, rows: str, top: str, double: str, notion: str) -> None:
    """A person comes and goes, is replaced where rows may come and go, is replaced where rows are."""
    member = "e[i]**2" if notion == "gaussian" else "e[i]"
    few, many = top.format(member), double.format(member)
    factor = {"pure": rows, "zcdp": f"{rows}**2", "gaussian": rows}[notion]
    twice = {"pure": f"2*{rows}", "zcdp": f"4*{rows}**2", "gaussian": f"2*{rows}"}[notion]

    def wanted(times: str, what: str) -> str:
        what = f"sqrt({what})" if notion == "gaussian" else what
        known = problems.read_data(family(bag("L", "m"), "unbounded")).setting.letters
        return formulas.to_text(formulas.parse(f"{times}*{what}", known))

    def found(replaced: bool | str, stated: Any, domain: str) -> list[str]:
        return guarantee(family(bag(parts, rows, replaced), stated, domain, notion), notion)

    assert found(False, "unbounded", "own") == [wanted(factor, few)]
    for replaced in (True, "rows"):
        assert found(replaced, "unbounded", "own") == [wanted(twice, few)]
        assert found(replaced, "bounded", "common") == [wanted(factor, many)]
        assert found(replaced, bag(parts, rows, replaced), "common") == [wanted("1", many)]
    assert found(False, bag(parts, rows), "own") == [wanted("1", few)]
    assert found(False, "bounded", "own") == ["oo"]


def test_epsilon_and_delta_add_up_over_the_parts() -> None:
    plain = guarantee(family(bag("2", "2"), "unbounded", notion="approximate"), "approximate")
    assert plain == ["2*top(2, e[i], i, 1, k)", "top(2, d[i] + d[i]*exp(e[i]), i, 1, k)"]
    replaced = guarantee(family(bag("2", "1", True), "unbounded", notion="approximate"), "approximate")
    assert replaced == ["2*top(2, e[i], i, 1, k)", "top(2, d[i] + d[i]*exp(e[i]), i, 1, k)"]
    letters = guarantee(family(bag("L", "m", True), "unbounded", notion="approximate"), "approximate")
    assert letters[0] == "2*m*top(L, e[i], i, 1, k)" and "exp(2*e[i]*m)" in letters[1]


def bags(parts: int, L: int, m: int) -> Iterator[tuple[int, ...]]:
    """How many rows of one person lie in each of some parts, in every allowed way."""
    for rows in product(range(m + 1), repeat=parts):
        if sum(map(bool, rows)) <= L:
            yield rows


def far(stated: Any, domain: str, gone: int, come: int) -> Any:
    """How far what is read of one part moves, from the definitions."""
    if gone == come == 0:
        return 0
    if stated == "unbounded":
        return gone + come
    if stated == "bounded":
        return max(gone, come) if domain == "common" or gone == come else None
    replaced = stated["contribution"].get("replaced", False)
    if not replaced:
        return (gone > 0) + (come > 0)
    return 1 if replaced is True or domain == "common" or gone == come else None


def enumerated(
    parts: int,
    L: int,
    m: int,
    replaced: bool | str,
    stated: list[Any],
    domains: list[str],
    values: list[F],
    power: int,
) -> F | None:
    """The most that is lost by Σ r^power·e over all bags of rows with two values a part; None: ∞.

    Rows outside of all parts make up for any difference of numbers.
    """
    worst = F(0)
    empty = (0,) * parts
    for gone, come in product(bags(parts, L, m), repeat=2):
        if not replaced and empty not in (gone, come):
            continue
        total = F(0)
        for j in range(parts):
            r = far(stated[j], domains[j], gone[j], come[j])
            if r is None:
                return None
            total += F(r) ** power * values[j]
        worst = max(worst, total)
    return worst


@pytest.mark.parametrize("replaced", WAYS)
@pytest.mark.parametrize(("L", "m"), [(1, 1), (1, 2), (2, 1), (2, 2)])
@pytest.mark.parametrize("parts", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_all_bags_are_covered(parts: int, L: int, m: int, replaced: bool | str) -> None:
    """Families and parts written out, with all ways to state their guarantees, against all bags."""
    rng = random.Random(100 * parts + 10 * L + m)
    values = [F(rng.randint(1, 30), 7) for _ in range(parts)]
    names = [[f"{j}", f"{j}'"] for j in range(parts)]
    for notion, power in (("pure", 1), ("zcdp", 2)):
        for stated in ("unbounded", "bounded", *(bag(L, m, how) for how in WAYS)):
            for domain in ("own", "common"):
                right = enumerated(parts, L, m, replaced, [stated] * parts, [domain] * parts, values, power)
                for problem, name in (
                    (family(bag(L, m, replaced), stated, domain, notion, str(parts)), "e[{}]"),
                    (written(names, bag(L, m, replaced), [stated] * parts, [domain] * parts, notion), "e{}"),
                ):
                    found = study(problem).proofs.guarantee(notion).main
                    ((_, term),) = found.says.values
                    assert found.optimal
                    point = {name.format(j): x for j, x in enumerate(values, start=1)}
                    assert (None if term.kind == "oo" else formulas.evaluate(term, point)) == right, problem


@seeds(30, 60)
def test_mixed_guarantees_on_written_parts(seed: int) -> None:
    rng = random.Random(seed)
    parts, L, m = rng.randint(1, 4), rng.randint(1, 2), rng.randint(1, 2)
    replaced = rng.choice(WAYS)
    ways = ["unbounded", "bounded", *(bag(L, m, how) for how in WAYS)]
    stated, domains = (
        [rng.choice(ways) for _ in range(parts)],
        [rng.choice(["own", "common"]) for _ in range(parts)],
    )
    names, values = (
        [[f"{j}", f"{j}'"] for j in range(parts)],
        [F(rng.randint(1, 30), 7) for _ in range(parts)],
    )
    right = enumerated(parts, L, m, replaced, stated, domains, values, 1)
    found = study(written(names, bag(L, m, replaced), stated, domains)).proofs.guarantee("pure").main
    ((_, term),) = found.says.values
    point = {f"e{j}": x for j, x in enumerate(values, start=1)}
    assert found.optimal and (None if term.kind == "oo" else formulas.evaluate(term, point)) == right


@seeds(4, 40)
def test_finite_classes_say_the_same(seed: int) -> None:
    """Sizes in which all bags have room are enumerated: what is read, neighbours and metrics, by definition."""
    rng = random.Random(seed)
    L, m = rng.choice([(1, 1), (1, 2), (2, 1)])
    replaced = rng.choice(WAYS)
    outside = rng.choice([[], ["z", "z'"]])
    kept = rng.choice([["a", "a'"], ["a"]])
    reads: list[list[str] | None] = [kept, ["b", "b'"]]
    records = [*kept, "b", "b'", *outside]
    ways = ["unbounded", "bounded", {"union": ["bounded", "unbounded"]}, *(bag(L, m, how) for how in WAYS)]
    stated, domains = [rng.choice(ways) for _ in reads], [rng.choice(["own", "common"]) for _ in reads]
    if rng.random() < 0.3 and not outside:
        reads, stated, domains = [*reads, None], [*stated, rng.choice(ways)], [*domains, "own"]
    target = bag(L, m, replaced)
    try:
        every = study(written(reads, target, stated, domains, records=records)).proofs.guarantee("pure").main
    except NoGuarantee as error:
        assert any(words in str(error) for words in ("rows outside of all parts", "other numbers of parts"))
        return
    some = study(written(reads, target, stated, domains, records=records, size="<= 4"))
    assert isinstance(Elaborated(some.setting).kind, Listed)
    ((_, left),), ((_, right),) = every.says.values, some.proofs.guarantee("pure").main.says.values
    point = {f"e{j}": F(rng.randint(1, 30), 7) for j in range(1, len(reads) + 1)}
    one, other = (None if x.kind == "oo" else formulas.evaluate(x, point) for x in (left, right))
    assert one == other, (target, stated, domains, records)


@seeds(2, 20)
def test_at_least_a_number_of_rows_changes_nothing(seed: int) -> None:
    """One row at least, beside sizes in which all bags have room: by definition."""
    rng = random.Random(seed)
    ways = ["unbounded", "bounded", *(bag(1, 2, how) for how in WAYS)]
    stated, domains = [rng.choice(ways) for _ in "ab"], [rng.choice(["own", "common"]) for _ in "ab"]
    target, reads, records = bag(1, 2, rng.choice(WAYS)), [["a"], ["b", "b'"]], ["a", "b", "b'", "z", "z'"]
    every, some = (
        guarantee(written(reads, target, stated, domains, records=records, size=size))
        for size in (">= 1", "1..4")
    )
    assert every == some


@pytest.mark.parametrize(("size", "least"), [(">= 5", 5), (">= n", 2)])
def test_counterexamples_have_as_many_rows_as_there_are_at_least(size: str, least: int) -> None:
    problem = {
        **written([["a"], ["b"]], bag(1, 2, False), ["unbounded"] * 2, ["own"] * 2, size=size),
        **({"parameters": {"n": "integer >= 2"}} if "n" in size else {}),
    }
    right, wrong = answers(problem, "2*max(e1, e2)", "e1 + e2")
    assert (right.verdict, right.loose, wrong.verdict) == ("proved", False, "refuted")
    assert sorted(map(len, wrong.counterexample.pair)) == [least, least + 2]


@pytest.mark.parametrize("size", ["any", ">= 2", ">= n"])
def test_theorems_are_cited_beside_rows_that_are_there_at_least(size: str) -> None:
    for stated, theorem in ((bag(1, 2, False), "GB:IV.6"), (bag(1, 2, "rows"), "GB:IV.1")):
        problem = written([["a"], ["b"]], bag(1, 2, False), [stated] * 2, ["own"] * 2, size=size)
        assert study(problem).guarantee().theorem == theorem


def test_one_part_holds_the_rows_whatever_the_number_of_parts() -> None:
    problem = written([["a"]], bag("L", 2, False), ["unbounded"], ["own"])
    assert guarantee(problem) == ["2*e1"]
    two = study(written([["a", "c"], ["b", "d"]], bag("L", 2, True), ["bounded"] * 2, ["own"] * 2))
    with pytest.raises(NoGuarantee, match="has to be a number"):
        two.guarantee()


def answers(problem: dict[str, Any], *claims: str) -> list[Any]:
    read = problems.read_data({**problem, "claims": [{"notion": "pure", "epsilon": one} for one in claims]})
    return [Study(read.setting).check(one) for one in read.claims]


def test_claims_are_compared_for_all_numbers_of_parts_and_rows() -> None:
    some = answers(
        family(bag("L", "m", True), "bounded", "common"),
        "m*top(2*L, e[i], i, 1, k)",
        "2*m*top(L, e[i], i, 1, k)",
        "m*L*top(2, e[i], i, 1, k)",
        "m*sum(e[i], i, 1, k)",
        "2*L*m*max(e[i], i, 1, k)",
        "m*top(L, e[i], i, 1, k)",
        "m*top(2, e[i], i, 1, k)",
        "top(2*L, e[i], i, 1, k)",
    )
    assert [one.verdict for one in some] == ["proved"] * 5 + ["refuted"] * 3
    assert [one.loose for one in some[:5]] == [False, True, True, True, True]


def test_a_counterexample_has_one_persons_rows() -> None:
    (found,) = answers(family(bag("L", "m", "rows"), "unbounded"), "m*top(2*L, e[i], i, 1, k)")
    example = found.counterexample
    assert found.verdict == "refuted" and example is not None
    assert example.pair == (("P1",), ("P1'",)) and (example.claimed, example.actual) == (1, 2)
    names = [["a", "a'"], ["b", "b'"], ["c", "c'"]]
    (found,) = answers(written(names, bag("2", "3"), ["unbounded"] * 3, ["own"] * 3), "3*max(e1, e2, e3)")
    assert found.counterexample is not None
    assert found.counterexample.pair[1] == () and len(found.counterexample.pair[0]) == 6


def test_who_reads_everything_moves_without_a_limit_where_rows_lie_outside() -> None:
    reads: list[list[str] | None] = [["a", "a'"], None]
    stated = ["unbounded", "unbounded"]
    assert guarantee(written(reads, bag(1, 2), stated, ["own", "own"])) == ["oo"]
    within = written(reads, bag(1, 2), stated, ["own", "own"], records=["a", "a'"])
    assert guarantee(within) == ["2*e1 + 2*e2"]
    assert guarantee(written(reads, bag(1, 2, True), [bag(1, 2)] * 2, ["own", "own"])) == ["2*e1 + 2*e2"]


def test_two_partitions_limit_rows_each_by_itself() -> None:
    problem = family(bag("L", "m"), "unbounded")
    problem["partitions"]["Q"] = {"kind": "record-wise", "parts": "n"}
    problem["parameters"]["n"] = "integer >= 1"
    guaranteed = {"notion": "pure", "epsilon": "f[i]", "granularity": "unbounded", "domain": "own"}
    problem["mechanisms"].append(
        {"name": "N", "index": "i", "count": "n", "reads": {"part": "i", "of": "Q"}, "guarantee": guaranteed}
    )
    assert guarantee(problem) == ["m*top(L, e[i], i, 1, k) + m*top(L, f[i], i, 1, n)"]
    problem["partitions"]["Q"] = {"kind": "record-wise", "parts": "k"}
    problem["mechanisms"][1] |= {"count": "k", "reads": {"part": "i", "of": "P"}}
    assert guarantee(problem) == ["m*top(L, e[i] + f[i], i, 1, k)"]


def test_python_says_what_files_say() -> None:
    D = dpc.multisets()
    for target in (
        dpc.contribution(2, "m"),
        dpc.contribution("L", 3, "rows"),
        dpc.contribution(1, 1, replaced=True),
    ):
        M = [
            dpc.mechanism(n, dpc.pure(f"e{n}", stated, "own"), reads=dpc.restriction([n, f"{n}'"]))
            for n, stated in (("a", dpc.unbounded), ("b", target))
        ]
        made = dpc.compose(*M, on=D, target=target)
        again = problems.read_text(made.to_toml()).setting
        assert again.target == made.setting.target == target
        assert again.mechanisms == made.setting.mechanisms and again.domains == made.setting.domains


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ({"contribution": {"parts": "L"}}, "rows in at most L parts"),
        ({"contribution": {"parts": "L", "rows": "m", "of": "x"}}, "rows in at most L parts"),
        ({"contribution": {"parts": "0", "rows": "m"}}, "a whole number from 1"),
        ({"contribution": {"parts": "1/2", "rows": "m"}}, "a whole number from 1"),
        ({"contribution": {"parts": "L", "rows": "m +"}}, "a value is missing"),
        ({"contribution": {"parts": "L", "rows": "m", "replaced": "all"}}, "replaced is true or"),
        ({"contribution": "L"}, "rows in at most L parts"),
    ],
)
def test_what_is_no_contribution_is_refused(target: Any, words: str) -> None:
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_data(family(target, "unbounded"))


def test_what_is_not_supported_is_refused_in_words() -> None:
    with pytest.raises(problems.ProblemError, match="overlap in 'b'"):
        study(written([["a", "b"], ["b", "c"]], bag(1, 1), ["unbounded"] * 2, ["own"] * 2))
    with pytest.raises(problems.ProblemError, match="overlapping parts"):
        overlapping = family(bag(1, 1), "unbounded")
        overlapping["partitions"]["P"] |= {"kind": "overlapping", "at-most": "2"}
        study(overlapping)
    with pytest.raises(NoGuarantee, match="has to be a number"):
        guarantee(written([["a", "c"], ["b", "d"]], bag("L", 1, "rows"), ["bounded"] * 2, ["own"] * 2))
    with pytest.raises(NoGuarantee, match="state it for as many, or more"):
        guarantee(family(bag("L", "m"), bag("L", 1)))
    with pytest.raises(problems.ProblemError, match="about multisets"):
        tuples = written([None], bag(1, 1), ["bounded"], ["own"])
        study(tuples | {"databases": {"kind": "tuples", "records": ["a", "b"], "size": "= 2"}})


def test_parts_are_records_by_their_attributes() -> None:
    """Where each attribute has listed values; with any values nothing is said."""
    data: dict[str, Any] = {
        "format": 1,
        "databases": {"kind": "multisets", "attributes": {"county": ["n", "s", "w"], "sick": ["y", "no"]}},
        "target": {"granularity": bag(1, 2)},
        "mechanisms": [
            {
                "name": name,
                "reads": {"where": {"county": [name]}},
                "guarantee": {"notion": "pure", "epsilon": name, "granularity": "unbounded", "domain": "own"},
            }
            for name in ("n", "s")
        ],
    }
    found = Study(problems.read_data(data).setting).proofs.guarantee("pure").main
    assert found.optimal
    ((_, term),) = found.says.values
    assert formulas.to_text(term) == "max(2*n, 2*s)"
    data["databases"]["attributes"]["sick"] = "any"
    with pytest.raises(NoLemma, match="infinitely many"):
        Study(problems.read_data(data).setting).proofs.guarantee("pure")


@pytest.mark.parametrize("size", ["<= 2", "= 3"])
@pytest.mark.parametrize(("parts", "rows"), [("L", "m"), (1, "m"), ("L", 1)])
def test_letters_on_limited_sizes_say_what_would_fit(size: str, parts: object, rows: object) -> None:
    """Where the target is another one and databases are listed: no neighbours of all such numbers at once."""
    data = {
        "format": 1,
        "parameters": {"L": "integer >= 1", "m": "integer >= 1"},
        "databases": {"kind": "multisets", "records": ["a1", "a2", "b1"], "size": size},
        "target": {"granularity": "bounded"},
        "mechanisms": [
            {
                "name": "M",
                "guarantee": {"notion": "pure", "epsilon": "e", "granularity": bag(parts, rows)},
            }
        ],
    }
    with pytest.raises(NoLemma, match="are for all numbers at once"):
        guarantee(data)
    data["mechanisms"][0]["guarantee"]["granularity"] = bag(1, 1)  # type: ignore[index]
    assert guarantee(data) == ["oo" if size == "= 3" else "2*e"]  # as rows that come or go


@pytest.mark.parametrize("replaced", WAYS)
def test_a_person_has_no_more_rows_in_a_counterexample_where_those_outside_have_no_limit(
    replaced: bool | str,
) -> None:
    """The loss of who reads everything grows with the rows outside of all parts; in parts a person has m, in L of them."""
    records = ["a", "b", "c", "d", "o", "p"]
    reads: Reads = [["a", "b"], ["c", "d"], None]
    problem = written(reads, bag(1, 2, replaced), ["unbounded"] * 3, ["own"] * 3, records=records)
    found = study(problem).check(dpc.pure("50"))
    assert found.verdict == "refuted" and found.counterexample is not None
    D, E = found.counterexample.pair
    target: Any = dpc.contribution(1, 2, replaced).placed({"P": (frozenset("ab"), frozenset("cd"))})
    assert target.are_neighbours(D, E) and len(D) + len(E) > 10


GROUP = """
format = 1
databases = {{ kind = "multisets", records = ["a1", "a2", "other"] }}
target = {{ granularity = {{ group = 2, of = {{ contribution = {{ parts = 1, rows = 1, replaced = true }} }} }} }}
claims = [{{ notion = "pure", epsilon = "1" }}]
[[mechanisms]]
name = "A"
reads = {{ records = ["a1", "a2"] }}
guarantee = {{ domain = "own", notion = "pure", epsilon = "1", granularity = {{ contribution = {{ parts = 1, rows = {rows}, replaced = true }} }} }}
"""


@pytest.mark.parametrize(("rows", "verdict"), [(1, "refuted"), (2, "proved"), (3, "proved")])
def test_several_persons_may_be_one_of_more_rows(rows: int, verdict: str) -> None:
    """{a1, a1} and {a2, a2} are two persons of one row apart, and one of two: by 1-DP for these nothing is refuted."""
    study, claims = dpc.loads(GROUP.format(rows=rows))
    assert [study.check(claim).verdict for claim in claims] == [verdict]


@pytest.mark.parametrize("formula", ["d_unbounded**2", "min(d_unbounded, 7)"])
@pytest.mark.parametrize("replaced", WAYS)
def test_what_everything_loses_in_a_metric_has_no_limit_outside_of_parts(
    formula: str, replaced: bool | str
) -> None:
    """A person's rows outside of all parts are any number: nine of them are no limit, and no bound is proved."""
    data = written([None], bag("2", "3", replaced), ["unbounded"], ["own"])
    data["mechanisms"][0]["guarantee"] = {"notion": "pure", "metric": formula}
    data["claims"] = [{"notion": "pure", "epsilon": one} for one in ("9/2", "36")]
    read = problems.read_data(data)
    assert "proved" not in {Study(read.setting).check(one).verdict for one in read.claims}
