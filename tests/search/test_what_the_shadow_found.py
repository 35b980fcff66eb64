"""Verdicts by the kernel in settings that random ones led to; each was unknown once, or known differently."""

from __future__ import annotations

from typing import Any

import pytest
from told import THEORY

from dpcompose.front.studies import loading as front
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee
from dpcompose.search.proofs import Proofs

Data = dict[str, Any]


def proofs(*mechanisms: Data, target: Any = "unbounded", **more: Any) -> Proofs:
    """About mechanisms on multisets over two records, where nothing else is said."""
    usual: Data = {"format": 1, "databases": {"kind": "multisets", "records": ["a", "b"]}}
    named = [{"name": f"M{i}"} | one for i, one in enumerate(mechanisms, start=1)]
    data = usual | {"target": {"granularity": target}, "mechanisms": named} | more
    return Proofs(problems.read_data(data, show=front.show).setting, THEORY)


def verdict(about: Proofs, notion: str, **values: str) -> tuple[str, bool | None]:
    found = about.verdict({"notion": notion, **values})
    return found.word, found.loose


def satisfies(notion: str, granularity: Any = "unbounded", **values: str) -> Data:
    return {"guarantee": {"notion": notion, "granularity": granularity, **values}}


# families


COUNTED: Data = {"index": "i", "count": "k", "reads": {"part": "i", "of": "P"}}
OF_PARTS: Data = {
    "databases": {"kind": "multisets"},
    "partitions": {"P": {"kind": "record-wise", "parts": "k"}},
}


@pytest.mark.parametrize("k", ["integer >= 2", "3"])
@pytest.mark.parametrize(("notion", "key"), [("pure", "epsilon"), ("zcdp", "rho"), ("gaussian", "mu")])
def test_a_claim_above_the_largest_of_a_family_is_loose(k: str, notion: str, key: str) -> None:
    of_one = satisfies(notion, **{key: "e[i]"})
    of_one["guarantee"]["domain"] = "own"
    about = proofs(COUNTED | of_one, parameters={"k": k}, **OF_PARTS)
    largest = "max(e[i], i, 1, k)" if k[0] == "i" else f"max(e[i], i, 1, {k})"
    for claim, loose in ((f"{largest} + 1/7", True), ("oo", True), (largest, False), (f"2*{largest}", True)):
        assert verdict(about, notion, **{key: claim}) == ("proved", loose)
    assert verdict(about, notion, **{key: f"{largest} - 1/7"}) == ("refuted", None)


def test_members_of_a_family_lose_what_other_notions_do_not_allow() -> None:
    """Two members are randomized response: 2·e·tanh(e/2) is no multiple of a factor, and is lost all the same."""
    of_one = satisfies("pure", "free-lunch", epsilon="e[i]")
    of_one["guarantee"]["domain"] = "common"
    about = proofs(COUNTED | of_one, target="bounded", parameters={"k": "3"}, **OF_PARTS)
    assert verdict(about, "gaussian", mu="max(e[i], i, 1, 3)/100") == ("refuted", None)
    assert verdict(about, "zcdp", rho="max(e[i]**2, i, 1, 3)/100") == ("refuted", None)
    assert verdict(about, "zcdp", rho="top(2, e[i]**2, i, 1, 3)/2")[0] == "proved"


@pytest.mark.parametrize(("notion", "key"), [("zcdp", "rho"), ("gaussian", "mu"), ("pure", "epsilon")])
@pytest.mark.parametrize("most", ["1/2", "1", "5", "l/2", "l"])
def test_members_of_a_family_are_large_beside_other_numbers(notion: str, key: str, most: str) -> None:
    """What refutes is e[i] = 100, whatever numbers of parts there are."""
    of_one = satisfies("pure", epsilon="e[i]")
    of_one["guarantee"]["domain"] = "own"
    partitions = OF_PARTS["partitions"] | {"Q": {"kind": "record-wise", "parts": "l"}}
    about = proofs(
        COUNTED | of_one,
        databases={"kind": "multisets"},
        partitions=partitions,
        parameters={"k": "integer >= 2", "l": "integer >= 1"},
    )
    assert verdict(about, notion, **{key: most}) == ("refuted", None)


# nothing is promised


@pytest.mark.parametrize(("notion", "key"), [("pure", "epsilon"), ("zcdp", "rho"), ("gaussian", "mu")])
@pytest.mark.parametrize("stated", ["pure", "zcdp", "gaussian", "approximate"])
def test_where_nothing_is_promised_no_number_holds_in_any_notion(stated: str, notion: str, key: str) -> None:
    values = {"pure": {"epsilon": "e"}, "zcdp": {"rho": "e"}, "gaussian": {"mu": "e"}}
    given = values.get(stated, {"epsilon": "e", "delta": "0"})
    about = proofs(satisfies(stated, "bounded", **given))
    assert verdict(about, notion, **{key: "oo"}) == ("proved", False)
    assert verdict(about, notion, **{key: "1000"}) == ("refuted", None)
    assert verdict(about, "approximate", epsilon="100", delta="99/100") == ("refuted", None)
    assert verdict(about, "approximate", epsilon="0", delta="1")[0] == "proved"


@pytest.mark.parametrize("epsilon", ["e", "e/3 + f", "log(3)", "e*f", "e + log(3)/2"])
def test_without_a_limit_of_distances_pure_mechanisms_have_no_other_guarantee(epsilon: str) -> None:
    """Any two databases are neighbours, and n steps apart for every n: ε·n·tanh(ε·n/4)/2 is above any number."""
    about = proofs(
        satisfies("pure", epsilon=epsilon),
        target="free-lunch",
        databases={"kind": "multisets", "records": ["a"]},
    )
    assert verdict(about, "zcdp", rho="1000") == ("refuted", None)
    assert verdict(about, "gaussian", mu="1000") == ("refuted", None)
    assert verdict(about, "zcdp", rho="oo") == ("proved", False)
    by_calculus = "ranges" in about.verdict({"notion": "zcdp", "rho": "1"}).rests_on.deciders
    assert by_calculus == (epsilon != "log(3)")  # a number has a sign


@pytest.mark.parametrize("domain", ["nonnegative", "positive"])
def test_what_may_lose_nothing_has_no_unlimited_loss(domain: str) -> None:
    """At e = 0 nothing is lost at any distance."""
    about = proofs(
        satisfies("pure", epsilon="e"),
        target="free-lunch",
        databases={"kind": "multisets", "records": ["a"]},
        parameters={"e": domain},
    )
    shown = verdict(about, "zcdp", rho="oo")
    assert shown == ("proved", False if domain == "positive" else None)


def test_a_guarantee_of_oo_is_converted() -> None:
    about = proofs(satisfies("zcdp", rho="oo"))
    assert verdict(about, "approximate", epsilon="oo", delta="1/100")[0] == "proved"
    assert verdict(about, "approximate", epsilon="5", delta="1/100") == ("refuted", None)


@pytest.mark.parametrize(
    ("notion", "values"),
    [
        ("pure", {"epsilon": "oo"}),
        ("zcdp", {"rho": "oo"}),
        ("gaussian", {"mu": "oo"}),
        ("approximate", {"epsilon": "oo", "delta": "0"}),
        ("approximate", {"epsilon": "oo", "delta": "1/100"}),
    ],
)
def test_what_says_nothing_holds_by_itself_and_is_loose_where_a_guarantee_says_something(
    notion: str, values: dict[str, str]
) -> None:
    study = proofs({"name": "S", "study": "S"}, satisfies("pure", epsilon="e3"), studies={"S": INNER})
    for about in (proofs(satisfies("pure", epsilon="e")), study):
        found = about.verdict({"notion": notion, **values})
        assert (found.word, found.loose) == ("proved", True)
        assert found.rests_on == Grounds() and len(found.theorems) == 2


@pytest.mark.parametrize("more", [[], [satisfies("gaussian", mu="1")], [satisfies("zcdp", rho="10**999")]])
def test_what_says_nothing_holds_where_numbers_on_the_way_are_too_long(more: list[Data]) -> None:
    some = [satisfies("approximate", epsilon="e", delta=f"1/(10**999 - {n})") for n in (0, 1)]
    about = proofs(*some, *more)
    for values in (("oo", "1/100"), ("oo", "0"), ("1", "1"), ("0", "2")):
        claim = dict(zip(("epsilon", "delta"), values, strict=True))
        assert verdict(about, "approximate", **claim)[0] == "proved"


def test_what_says_nothing_holds_where_nothing_is_known_of_the_neighbours() -> None:
    """Of two families on one partition one counts rows that go and come together, which no cover says."""
    first, second = (COUNTED | satisfies("zcdp", rho=rho) for rho in ("f[i]", "g[i]"))
    first["guarantee"]["domain"], second["guarantee"]["domain"] = "own", "common"
    second |= {"name": "N"}
    second["guarantee"]["granularity"] = "bounded"
    person = {"contribution": {"parts": "1", "rows": "1", "replaced": True}}
    about = proofs(first, second, target=person, parameters={"k": "integer >= 2"}, **OF_PARTS)
    with pytest.raises(NoGuarantee, match="write the parts out"):
        about.guarantee("zcdp")
    for notion, values in (
        ("pure", ["oo"]),
        ("zcdp", ["oo"]),
        ("approximate", ["oo", "0"]),
        ("approximate", ["0", "1"]),
    ):
        keys = {"pure": ["epsilon"], "zcdp": ["rho"]}.get(notion, ["epsilon", "delta"])
        assert verdict(about, notion, **dict(zip(keys, values, strict=True)))[0] == "proved"
    with pytest.raises(NoGuarantee, match="write the parts out"):
        verdict(about, "zcdp", rho="1000")


# what is not known to be attained


EXPONENTIAL: Data = {"query": {"histogram": 4}, "noise": {"exponential": "t"}}
LAPLACE: Data = {"query": "count", "noise": {"laplace": "1"}}


def test_curves_refute_without_mechanisms_that_are_not_attained() -> None:
    about = proofs(EXPONENTIAL, LAPLACE)
    assert verdict(about, "approximate", epsilon="1/10", delta="1/5") == ("refuted", None)
    alone = proofs(EXPONENTIAL)
    assert verdict(alone, "approximate", epsilon="1/10", delta="1/5") == ("refuted", None)  # by an event


@pytest.mark.parametrize(("notion", "key"), [("zcdp", "rho"), ("gaussian", "mu"), ("pure", "epsilon")])
def test_what_is_negative_somewhere_is_no_guarantee(notion: str, key: str) -> None:
    about = proofs(EXPONENTIAL, parameters={"t": "positive"})
    assert verdict(about, notion, **{key: "t - 1"}) == ("refuted", None)
    known = (
        "refuted" if notion == "pure" else "undecided"
    )  # nearly t is lost; of others only bounds for all t
    assert verdict(about, notion, **{key: "t/2"}) == (known, None)


# studies


INNER: Data = {
    "databases": {"kind": "multisets", "records": ["a", "b"]},
    "target": {"granularity": "unbounded"},
    "mechanisms": [
        {"name": "A", **satisfies("pure", epsilon="e1")},
        {"name": "B", **satisfies("pure", epsilon="e2")},
    ],
}


def test_the_guarantee_of_a_study_is_optimal_where_its_mechanisms_one_by_one_attain_it() -> None:
    about = proofs({"name": "S", "study": "S"}, satisfies("pure", epsilon="e3"), studies={"S": INNER})
    found = about.guarantee("pure")
    assert found.main.optimal is not None
    (again,) = about.replayed([found.main.optimal])
    assert again.says == found.main.optimal.says
    assert verdict(about, "pure", epsilon="e1 + e2 + e3") == ("proved", False)


def test_what_a_study_does_not_attain_is_not_optimal() -> None:
    disjoint = [
        {
            "name": one,
            "reads": {"records": [one]},
            "guarantee": satisfies("pure", epsilon=f"e_{one}")["guarantee"] | {"domain": "own"},
        }
        for one in "ab"
    ]
    inner = INNER | {"mechanisms": disjoint}
    about = proofs({"name": "S", "study": "S"}, target="bounded", studies={"S": inner})
    assert not about.guarantee("pure").main.optimal
    assert verdict(about, "pure", epsilon="2*max(e_a, e_b)") == ("proved", True)
    assert verdict(about, "pure", epsilon="e_a + e_b") == ("proved", False)


# values of several parameters


def test_what_is_0_has_no_closer_value() -> None:
    """No minimum of values such as 1 - exp(-e), which are at least 0."""
    about = proofs(satisfies("approximate", epsilon="e", delta="0"), target="bounded")
    assert verdict(about, "approximate", epsilon="2*e", delta="0") == ("proved", False)
    assert about.guarantee("approximate").closer is None


@pytest.mark.parametrize("reads", ["everything", {"records": []}])
def test_a_negative_epsilon_needs_a_delta(reads: Any) -> None:
    """(ε, δ) with ε < 0 asks for δ ≥ 1 - e^ε, of mechanisms that say nothing as well."""
    given = satisfies("approximate", epsilon="e", delta="0") | {"reads": reads}
    if reads != "everything":
        given["guarantee"]["domain"] = "own"
    about = proofs(given)
    assert verdict(about, "approximate", epsilon="-1", delta="3/5") == ("refuted", None)
    assert verdict(about, "approximate", epsilon="-e/7", delta="1/20") == ("refuted", None)


@pytest.mark.parametrize(
    ("epsilon", "loose"),
    [
        ("max(e1 + e2, e1 + e3, e2 + e3)", False),
        ("top(2, e1, e2, e3)", False),
        ("e1 + e2 + e3 - min(e1, e2, e3)", False),
        ("top(2, e1, e2, e3, e1/2)", True),
        ("e1 + e2 + e3", True),
    ],
)
def test_a_least_delta_is_optimal_also_where_epsilon_is_written_otherwise(epsilon: str, loose: bool) -> None:
    """Two of three parts move."""
    mechanisms = [
        satisfies("approximate", "bounded", epsilon=f"e{i}", delta=f"d{i}") | {"reads": {"records": [name]}}
        for i, name in enumerate("abc", start=1)
    ]
    for one in mechanisms:
        one["guarantee"]["domain"] = "common"
    about = proofs(
        *mechanisms,
        target="bounded",
        databases={"kind": "multisets", "records": ["a", "b", "c"]},
        parameters={name: "in (0,1)" for name in ("d1", "d2", "d3")},
    )
    delta = "max(d1 + d2 - d1*d2, d1 + d3 - d1*d3, d2 + d3 - d2*d3)"
    assert verdict(about, "approximate", epsilon=epsilon, delta=delta) == ("proved", loose)


def test_of_two_ways_the_smaller_guarantee_is_shown_for_families_too() -> None:
    of_one = satisfies("pure", epsilon="e[i]")
    of_one["guarantee"]["domain"] = "own"
    about = proofs(COUNTED | of_one, parameters={"k": "integer >= 2"}, **OF_PARTS)
    largest = "max(e[i], i, 1, k)"
    assert verdict(about, "zcdp", rho=f"{largest} - 2*{largest}/(exp({largest}) + 1)")[0] == "proved"
    assert "exp" in str(about.guarantee("zcdp").main.says)


def test_one_of_several_mechanisms_loses_more_than_any_number() -> None:
    about = proofs(satisfies("gaussian", mu="m"), satisfies("approximate", epsilon="e", delta="d"))
    assert verdict(about, "pure", epsilon="oo") == ("proved", False)
    assert verdict(about, "zcdp", rho="oo") == ("proved", False)


# logarithms and families in claims with numbers


RESPONSES: Data = {"noise": {"randomized-response": "9/10"}}


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [
        ("log(9) + log(3)", ("proved", False)),
        ("3*log(3)", ("proved", False)),
        ("log(27)", ("proved", False)),
        ("log(54) - log(2)", ("proved", False)),
        ("-log(1/27)", ("proved", False)),
        ("log(28)", ("proved", True)),
        ("log(26)", ("refuted", None)),
    ],
)
def test_logarithms_of_numbers_are_compared_exactly(epsilon: str, expected: tuple[str, bool | None]) -> None:
    about = proofs(RESPONSES, {"noise": {"randomized-response": "3/4"}})
    assert verdict(about, "pure", epsilon=epsilon) == expected


def test_a_claim_with_numbers_is_refuted_with_as_many_members_as_neighbours_move() -> None:
    """Two replacements move four of k ≥ 2 members."""
    of_one = satisfies("gaussian", "bounded", mu="1")
    of_one["guarantee"]["domain"] = "common"
    about = proofs(
        COUNTED | of_one,
        target={"group": "m", "of": "bounded"},
        parameters={"k": "integer >= 2", "m": "integer >= 1"},
        **OF_PARTS,
    )
    assert verdict(about, "approximate", epsilon="1", delta="3/10") == ("refuted", None)


def test_a_claim_of_what_each_mechanism_spends_is_proved() -> None:
    """Not the best guarantee that is known, which has a root of a sum, and which need not be compared."""
    about = proofs(satisfies("gaussian", mu="m1"), satisfies("gaussian", mu="m2"))
    parts = (f"m{i}**2/2 + m{i}*sqrt(2*log(2000000))" for i in (1, 2))
    assert verdict(about, "approximate", epsilon=" + ".join(parts), delta="1/1000000")[0] == "proved"


@pytest.mark.parametrize("factor", ["6/7", "1/2", "19/20"])
def test_one_delta_is_small_beside_another_where_both_are_claimed_too_small(factor: str) -> None:
    """Two steps have δ·(1 + e^ε) together, which is 1 at δ = 1/2 and says too little where the claim does."""
    about = proofs(
        satisfies("approximate", epsilon="e2", delta="d2"),
        satisfies("approximate", epsilon="e3", delta="d3"),
        target={"group": 2, "of": "unbounded"},
        parameters={"d2": "in (0,1)", "d3": "in (0,1)"},
    )
    claim = f"{factor}*(d2 + d3 + d2*exp(e2) + d3*exp(e3))"
    assert verdict(about, "approximate", epsilon="max(e2, e3)", delta=claim) == ("refuted", None)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("1", "1/100"), ("6/7*e", "3/10"), ("2", "9/10"), ("11", "1/2")]
)
def test_randomized_response_of_a_parameter_is_refuted_where_it_nearly_tells_the_truth(
    epsilon: str, delta: str
) -> None:
    """At e = 100 the truth is told but for e^-100, whose logarithm is too close to that of 0."""
    noise = {"randomized-response": "exp(e)/(1 + exp(e))"}
    about = proofs({"name": "M", "noise": noise}, target="bounded", parameters={"e": "positive"})
    assert verdict(about, "approximate", epsilon=epsilon, delta=delta) == ("refuted", None)
    assert verdict(about, "approximate", epsilon="e", delta="0")[0] == "proved"


# tables, and signs of constants


def test_every_pair_of_databases_is_looked_at_for_tables() -> None:
    """Two pairs move the same inputs equally far, and the table loses more at the second one."""
    rows = {"a": ["1/2", "1/2"], "b": ["1/4", "3/4"], "c": ["3/4", "1/4"], "d": ["1/4", "3/4"]}
    given = {"notion": "pure", "epsilon": "log(3)", "granularity": "step", "domain": "common"}
    about = proofs(
        {"table": "T", "reads": "everything", "guarantee": given},
        target="step",
        databases={"kind": "listed", "elements": list("abcd")},
        granularities={"step": {"neighbours": [["a", "b"], ["c", "d"]]}},
        tables={"T": {"outcomes": ["no", "yes"], "rows": rows}},
    )
    assert verdict(about, "pure", epsilon="1") == ("refuted", None)
    assert verdict(about, "pure", epsilon="log(3)") == ("proved", False)
    assert verdict(about, "approximate", epsilon="1", delta="0") == ("refuted", None)


def test_a_parameter_with_a_positive_constant_is_positive() -> None:
    about = proofs(satisfies("pure", epsilon="e + log(3)"))
    assert verdict(about, "zcdp", rho="e") == ("refuted", None)
    assert verdict(about, "zcdp", rho="(e + log(3))**2/2")[0] == "proved"
