"""Terms compared by their squares: by hand, at random values, and forged."""

from __future__ import annotations

import pytest
from search.compared import K, P, kinds, read

from dpcompose.kernel.comparison import check_at_least
from dpcompose.kernel.expressions.certificates import BadCertificate, domain_data
from dpcompose.search.comparisons.comparing import Point, Proof, compare

U = "in (0,1)"
WORDS = {"e[i]": P, "k": K, "x": P, "y": P, "d": U}
SQUARES, TANH = "sum(e[i]**2, i, 1, k)", "sum(e[i]*tanh(e[i]/2), i, 1, k)"
TRUE = [
    (f"sqrt({SQUARES})", f"sqrt(2*{TANH})"),
    (f"sqrt(2*log(1/d)*{SQUARES})", f"2*sqrt(log(1/d)*{TANH})"),
    (f"sqrt(2*log(1/d)*{SQUARES}) + {TANH}", f"2*sqrt(log(1/d)*{TANH}) + {TANH}"),
    (f"sqrt(2*log(1/d)*{SQUARES}) + {SQUARES}/2", f"2*sqrt(log(1/d)*{TANH}) + {TANH}"),
]
FALSE = [
    (f"sqrt({SQUARES})", f"sqrt(3*{TANH})"),
    (f"sqrt(log(1/d)*{SQUARES})", f"2*sqrt(log(1/d)*{TANH})"),
]


@pytest.mark.parametrize(("greater", "lesser"), TRUE)
def test_roots_of_sums_over_families(greater: str, lesser: str) -> None:
    domains = kinds(WORDS)
    found = compare(read(greater, domains), read(lesser, domains))
    assert isinstance(found, Proof) and "larger" in str(found.certificate)


@pytest.mark.parametrize(("greater", "lesser"), FALSE)
def test_what_is_not_larger_is_refuted(greater: str, lesser: str) -> None:
    domains = kinds(WORDS)
    assert isinstance(compare(read(greater, domains), read(lesser, domains)), Point)


REST = {"rest": "0"}


@pytest.mark.parametrize(
    ("greater", "lesser", "proof", "message"),
    [
        (  # −x and x have the same square
            "y",
            "y + 2*x",
            {"larger": "-x", "smaller": "x", "squares": REST, "proof": {"rest": "0"}},
            "-x is not seen to be >= 0",
        ),
        ("x", "y", {"larger": "x", "smaller": "y", "squares": REST, "proof": REST}, "left is not 0"),
        (  # what is left out is left out of the difference as well
            "x",
            "x + y",
            {"larger": "x", "smaller": "x", "squares": REST, "proof": REST},
            "left is not 0",
        ),
        ("x", "y", {"larger": "x", "squares": REST, "proof": REST}, "smaller"),
        ("x", "x", {"larger": "z", "smaller": "x", "squares": REST, "proof": REST}, "z"),
    ],
)
def test_forgeries(greater: str, lesser: str, proof: dict[str, object], message: str) -> None:
    domains = kinds({"x": P, "y": P})
    certificate = {"letters": {"x": "positive", "y": "positive"}, "proof": proof}
    if greater == lesser:
        certificate["letters"] = {"x": "positive"}
    with pytest.raises(BadCertificate, match=message):
        check_at_least(read(greater, domains), read(lesser, domains), certificate)


@pytest.mark.parametrize(
    ("text", "strictly", "seen"),
    [
        ("sum(e[i]*(1 - 2/(exp(e[i]) + 1)), i, 1, k)", False, True),
        ("sum(e[i], i, 1, k) - 2*sum(e[i]/(exp(e[i]) + 1), i, 1, k)", False, True),
        ("log(1/d)*sum(e[i]*(1 - 2/(exp(e[i]) + 1)), i, 1, k)", False, True),
        ("sum(e[i], i, 1, k) - sum(e[i]**2, i, 1, k)", False, False),
        ("max(e[i]**2, i, 1, k) + max(1, i, 1, k) - max(2*e[i], i, 1, k)", False, False),
        ("sum(e[i] + exp(-e[i]), i, 1, k) - k/2", True, True),
        ("sum(e[i]**2, i, 1, k) - 2*sum(e[i], i, 1, k) + k", True, False),
        ("sum(e[i]**2, i, 1, k) - 2*x*sum(e[i], i, 1, k)", False, False),
    ],
)
def test_signs_of_sums_over_families(text: str, strictly: bool, seen: bool) -> None:
    from dpcompose.kernel.deciders.calculus.values import surely

    assert surely(read(text, kinds(WORDS)), strictly) is seen


ROOTS = ("sqrt(-x)", "sqrt(-x/3)", "sqrt(-x)*sqrt(1 + x)", "sqrt(x - y - x)", "(-x)**(3/2)", "log(-x)")
ROOTS += ("max(sqrt(-x), 1)", "sqrt(max(-x, -y))", "1/(x - y)")


@pytest.mark.parametrize("root", ROOTS)
def test_what_has_no_real_value_is_not_compared(root: str) -> None:
    """The square of sqrt(-x) is below 0: with it 0 >= sqrt(-x), and then y >= y + sqrt(x) would be shown."""
    domains = kinds({"x": P, "y": P})
    letters = {"x": "positive", "y": "positive"}
    for greater, lesser in ((root, "0"), ("0", root), ("y", f"x - {root}"), (f"y + {root}", "x")):
        proof = {"larger": greater, "smaller": lesser, "squares": REST, "proof": REST}
        with pytest.raises(BadCertificate, match="is not known to be"):
            check_at_least(read("y + x", domains), read("y", domains), {"letters": letters, "proof": proof})


def test_no_false_comparison_by_roots_of_what_is_negative() -> None:
    """(sqrt(x) - sqrt(-x))^2 = -2*sqrt(-x)*sqrt(x), which looks as if it were at most 0^2."""
    domains = kinds({"x": P, "y": P})
    last = {"larger": "0", "smaller": "sqrt(-x)", "squares": {"rest": "x"}, "proof": REST}
    first = {"larger": "0", "smaller": "sqrt(x) - sqrt(-x)", "squares": {"rest": "2*sqrt(-x)*sqrt(x)"}}
    certificate = {"letters": {"x": "positive", "y": "positive"}, "proof": first | {"proof": last}}
    with pytest.raises(BadCertificate, match="-x is not known to be >= 0"):
        check_at_least(read("y", domains), read("y + sqrt(x)", domains), certificate)


@pytest.mark.parametrize("root", ROOTS)
def test_nor_does_it_stand_beside_members(root: str) -> None:
    domains = kinds({"e[i]": P, "k": K, "x": P, "y": P})
    certificate = {
        "letters": {name: domain_data(one) for name, one in domains.items()},
        "proof": {"members": "k", "each": REST, "beside": root, "proof": {"rest": root}},
    }
    with pytest.raises(BadCertificate, match="is not known to be"):
        check_at_least(read("x + y", domains), read("x*sum(e[i], i, 1, k)", domains), certificate)
