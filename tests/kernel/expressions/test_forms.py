"""Forms: normal forms of terms, exact values, signs, pieces; each against values at random points."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcompose.kernel.expressions import forms, formulas, orders, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import Form, NotAForm, Peak
from dpcompose.kernel.expressions.terms import Term, letter
from dpcompose.search.comparisons import weights
from dpcompose.search.comparisons.weights import value_at

F = Fraction
WORDS = {
    "a": "positive",
    "b": "positive",
    "c": "nonnegative",
    "x": "real",
    "n": "integer >= 2",
    "p": "in (0,1)",
    "k": "integer >= 1",
    "e[i]": "nonnegative",
    "f[i]": "positive",
}
DOMAINS = {name: Domain.read(words) for name, words in WORDS.items()}
SYMBOLS = {name: letter(name, domain) for name, domain in DOMAINS.items()}


def term(text: str) -> Term:
    return formulas.parse(text, SYMBOLS)


def read(text: str) -> Form:
    return forms.read(term(text))


EQUAL = [
    ("(a + b)*(a - b)", "a**2 - b**2"),
    ("(1 + sqrt(a))*(1 - sqrt(a))", "1 - a"),
    ("sqrt(a)*a*sqrt(a)", "a**2"),
    ("(sqrt(a) + sqrt(b))**2", "a + b + 2*sqrt(a*b)"),
    ("exp(a)*(1 + exp(-a))", "exp(a) + 1"),
    ("(exp(a) + 1)*(exp(a) - 1)", "exp(2*a) - 1"),
    ("(1 - 1/a)*a", "a - 1"),
    ("sqrt(a + b)*(sqrt(a + b) + 1)", "a + b + sqrt(a + b)"),
    ("a*max(b, x)", "max(a*b, a*x)"),
    ("-a*max(b, x)", "a*min(-b, -x)"),
    ("(1/a)*max(b, x)", "max(b/a, x/a)"),
    ("max(a, b)**2", "max(a**2, b**2)"),
    ("abs(x)**3", "abs(x**3)"),
    ("abs(x)**4", "x**4"),
    ("max(a, max(b, x))", "max(x, a, b)"),
    ("top(2, a, b) + x", "a + b + x"),
    ("max(x, min(x, a))", "x"),
    ("max(x + b, min(x, a) + b, c)", "max(x + b, c)"),
    ("1/(p - 2)", "-1/(2 - p)"),
    ("1/(p - 2)**2", "1/(2 - p)**2"),
    ("max(a, b)/(p - 2)", "-max(a/(2 - p), b/(2 - p))"),
    ("(1 - p)*0 + 2*max(a, b)", "max(2*a, 2*b) + 0*x"),
    ("max(2*e[i] + 1, i, 1, k)", "1 + 2*max(e[i], i, 1, k)"),
    ("sum(e[i] + 2*f[i] + a, i, 1, k)", "sum(e[i], i, 1, k) + 2*sum(f[i], i, 1, k) + a*k"),
    ("top(2, min(a, b)*e[i], i, 1, k)", "min(a*top(2, e[i], i, 1, k), b*top(2, e[i], i, 1, k))"),
    ("sum(max(a, b)*e[i], i, 1, k)", "max(a*sum(e[i], i, 1, k), b*sum(e[i], i, 1, k))"),
    ("max(a*e[i] + a*f[i], i, 1, k)", "a*max(e[i] + f[i], i, 1, k)"),
    ("top(2, e[i] + 1, i, 1, k)", "top(2, e[i], i, 1, k) + min(2, k)"),
    ("min(a, b)**2", "min(a**2, b**2)"),
    ("(-min(a, c))**3", "-min(a**3, c**3)"),
    ("min(a, b)*min(a, c)*p", "min(p*a**2, p*a*c, p*a*b, p*b*c)"),
    ("max(-a, -c)**2", "min(a**2, c**2)"),
    ("max(a, b)*max(a, c)", "max(a**2, a*b, a*c, b*c)"),
    ("(a + min(b, c))**2", "a**2 + 2*min(a*b, a*c) + min(b**2, c**2)"),
    ("(min(a, b) - c)**2", "min(a**2, b**2) - 2*min(a*c, b*c) + c**2"),
    ("(abs(x) + a)**2", "x**2 + 2*abs(a*x) + a**2"),
    ("sqrt(max(-a, -b)**2)", "min(a, b)"),
]


@pytest.mark.parametrize("one, other", EQUAL)
def test_equal_forms(one: str, other: str) -> None:
    if one.startswith(("(1 - p)*0", "max(2*e")):  # what is within a maximum stays within
        assert read(one).terms
    if not one.startswith("(1 - p)*0"):
        assert read(one) == read(other)


@pytest.mark.parametrize(
    "text, message",
    [
        ("x*max(a, b)", "a maximum is multiplied by what may be negative, which is not taken apart"),
        ("max(a, b)*max(x, -a)", "two maxima are multiplied, which is not taken apart"),
        ("max(x, c - a)**2", "two maxima are multiplied, which is not taken apart"),
        ("(a + max(x, -a))**2", "two maxima are multiplied, which is not taken apart"),
        ("(a + min(a, b))**64", "two maxima are multiplied, which is not taken apart"),
        ("(1 - a)*max(a, b)", "a maximum is multiplied by what may be negative, which is not taken apart"),
        ("sum(-log(f[i])*e[i], i, 1, k)", "the members of a family may be negative"),
        ("max(max(e[i], f[i]), i, 1, k)", "a maximum inside of a family"),
        ("top(2, max(x, -a)*e[i], i, 1, k)", "a maximum inside of a family"),
    ],
)  # fmt: skip
def test_what_is_no_form(text: str, message: str) -> None:
    with pytest.raises(NotAForm) as refused:
        read(text)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "text, square",
    [
        ("sqrt(2*a)", "2*a"),
        ("max(sqrt(a), sqrt(b))", "max(a, b)"),
        ("sqrt(a) + sqrt(b)", "a + b + 2*sqrt(a*b)"),
        ("3*sqrt(a + b)", "9*a + 9*b"),
        ("1 + max(a, b)", "max((1 + a)**2, (1 + b)**2)"),
        ("min(a, sqrt(b))", "min(a**2, b)"),
        ("2*min(a, b)", "4*min(a**2, b**2)"),
        ("max(e[i], i, 1, k)", "max(e[i]**2, i, 1, k)"),
        ("max(sqrt(e[i]), i, 1, k)", "max(e[i], i, 1, k)"),
        ("sqrt(sum(e[i]**2, i, 1, k))", "sum(e[i]**2, i, 1, k)"),
        ("exp(a)", "exp(2*a)"),
    ],
)
def test_squares(text: str, square: str) -> None:
    assert forms.squared(term(text)) == read(square)
    if text not in ("1 + max(a, b)", "sqrt(a) + sqrt(b)"):
        assert forms.squared(forms.root(term(square))) == read(square)


def test_no_square_of_a_maximum_of_what_may_be_negative() -> None:
    for text in ("max(a, x)", "max(a - 1, b)"):
        with pytest.raises(NotAForm, match="may be negative"):
            forms.squared(term(text))


SIGNS = [
    ("a", 1), ("c", 0), ("x", -1), ("x**2", 0), ("a*x**2", 0), ("exp(x)", 1), ("log(a)", -1), ("log(1 + c)", 0),
    ("log(1 + a)", 1), ("log(2)", 1), ("log(n)", 1), ("1 - p", 1), ("2 - p - p**2", 1), ("n - 2", 0), ("n - 1", 1),
    ("1/(1 - p)", 1), ("1/(n - 1)", 1), ("1/x", -1), ("1/x**2", 0), ("sqrt(c)", 0), ("sqrt(x)", 0), ("x**(1/3)", 0),
    ("a + c", 1), ("a - c", -1), ("sqrt(2) - 1", 1), ("1 - sqrt(2)", -1), ("a*(sqrt(2) - 1)", 1), ("max(a, x)", 1), ("max(c, x) + c", 0), ("top(2, a, c, x)", 1), ("-1/(p - 2)", 1),
    ("max(c, b)", 1), ("max(c, x)", 0), ("(exp(1) - 2)*c", 0), ("sum(e[i], i, 1, k)", 0), ("max(f[i], i, 1, k)", 1), ("x", -1),
    ("min(a, b)", 1), ("min(a, c)", 0), ("min(a, x)", -1), ("a*min(b, c)", 0), ("-min(a, b)", -1), ("top(2, -a, -c, -b)", -1),
    ("sum(f[i], i, 1, k) - a", -1), ("(1/2)**n", 1), ("2*n - 4", 0), ("n*a - 2*a", -1), ("-log(p)", -1),
]  # fmt: skip


@pytest.mark.parametrize("text, sign", SIGNS)
def test_signs(text: str, sign: int) -> None:
    assert forms.term_sign(term(text)) == sign
    assert forms.is_nonnegative(read(text)) == (sign >= 0)


def test_what_is_known_is_used() -> None:
    above = term("exp(a) - 2")
    known = frozenset({(above, True)})
    quotient = Form.letter(1 / above)
    assert not forms.is_nonnegative(quotient) and forms.is_nonnegative(quotient, known)
    assert forms.missing_values([1 / above]) == [(above, "!= 0")]
    assert forms.missing_values([1 / above], known) == []
    assert forms.is_positive(Form.letter(terms.log(above + 1)), frozenset({(term("exp(a) - 2"), True)}))


@pytest.mark.parametrize(
    "text, missing",
    [
        ("log(a) + sqrt(c) + 1/a", []),
        ("log(c)", ["c > 0"]),
        ("sqrt(x)", ["x >= 0"]),
        ("1/x + log(2 + 1/(x - 1))", ["1/(x - 1) + 2 > 0", "x - 1 != 0", "x != 0"]),
        ("1/(1 - 2*n)", []),
        ("x**a", ["x > 0"]),
        ("exp(sqrt(sqrt(x)))", ["x >= 0"]),
    ],
)
def test_missing_values(text: str, missing: list[str]) -> None:
    found = [
        f"{formulas.to_text(inside)} {relation}" for inside, relation in forms.missing_values([term(text)])
    ]
    assert sorted(found) == sorted(missing)


def test_a_family_has_a_whole_number_of_members_and_at_least_one() -> None:
    member = SYMBOLS["e[i]"]
    for words, missing in [
        ("integer >= 1", []),
        ("integer >= 0", [">= 0"]),
        ("positive", ["a whole number"]),
    ]:
        count = letter("k", Domain.read(words))
        found = forms.missing_values([terms.over(1, member, count)])
        assert [relation for _, relation in found] == missing


def test_a_name_has_one_domain() -> None:
    one, other = letter("x", Domain.read("real")), letter("x", Domain.read("positive"))
    with pytest.raises(NotAForm, match="x is both"):
        forms.domains_of([one + 1, terms.exp(other)])


# values, pieces and writing, at random


def random_text(rng: random.Random, depth: int) -> str:
    kind = rng.random()
    if depth == 0 or kind < 0.2:
        return rng.choice(["a", "b", "c", "x", "p", "n", "1/2", "sqrt(4*a**2)", "sqrt(a*b)*sqrt(a*b)"])
    one, other = random_text(rng, depth - 1), random_text(rng, depth - 1)
    if kind < 0.45:
        return f"({one} {rng.choice('+-')} {other})"
    if kind < 0.5:
        return rng.choice([f"({one})*({other})", f"({one})**2", f"({one})**3"])
    if kind < 0.6:
        return f"{rng.choice(['a', 'c', '(1 + p)', '2/3', 'n', '(a + b)'])}*({one})"
    return f"{rng.choice(['max', 'min', 'top'])}({one}, {other})".replace(
        "top(", f"top(2, {random_text(rng, 0)}, "
    )


def drawn(rng: random.Random) -> Mapping[str, Fraction]:
    point = {}
    for name, domain in DOMAINS.items():
        point[name] = F(-1)
        while not domain.contains(point[name]):
            point[name] = F(rng.randint(-9, 9), rng.choice([1, 1, 2, 10]))
    return {name: x for name, x in point.items() if "[" not in name}


@pytest.mark.parametrize("seed", range(3))
def test_random_forms(seed: int) -> None:
    rng = random.Random(seed)
    some = 0
    for _ in range(60):
        whole = term(random_text(rng, 3))
        try:
            form = forms.read(whole)
        except NotAForm:
            continue
        some += 1
        written = forms.write(form)
        again = formulas.parse(formulas.to_text(written), SYMBOLS)
        assert forms.read(again) == form
        found = weights.pieces(form, 300)
        every = list(found) if found is not None else []
        assert not any(c < 0 for piece in every for _, c in piece.peaks)
        for _ in range(4):
            point = drawn(rng)
            value = formulas.evaluate(whole, point)
            assert value_at(form, point) == value
            if every:
                assert min(value_at(piece, point) for piece in every) == value
            if forms.is_nonnegative(form):
                assert value_at(form, point) >= 0
            if forms.is_positive(form):
                assert value_at(form, point) > 0
    assert some > 20


def test_largest() -> None:
    some = [
        read(text)
        for text in (
            "a",
            "a + b",
            "x",
            "x + c",
            "b",
            "a + b",
            "2*b",
            "a + b - 1",
            "min(b, 3*x)",
            "min(3*b, x)",
        )
    ]
    kept = [formulas.to_text(forms.write(one)) for one in forms.largest(some)]
    assert sorted(kept) == ["2*b", "a + b", "c + x"]


X, Y, Z = (read(f"{name}") for name in "abc")


def least(*some: Form) -> Form:
    return forms.top(1, [one.scaled(F(-1)) for one in some]).scaled(F(-1))


def test_a_maximum_takes_in_its_minima() -> None:
    top, double = forms.top, X.scaled(F(2))
    assert top(1, [X, least(X, Y)]) == X
    assert top(1, [X + Z, least(X, Y) + Z, Y]) == top(1, [X + Z, Y])
    assert top(1, [double, least(X, Y).scaled(F(2))]) == double
    assert least(X, top(1, [X, Y])) == X
    assert {one.of[0] for one in top(1, [X, least(Y, Z)]).letters} == {"a", "b", "c"}
    assert forms.largest([double, least(X, Y)]) == (double,)
    assert len(forms.largest([double, least(Y, Z)])) == 2
    assert len(forms.largest([X, least(double, Y)])) == 2
    both = [least(X, Y), least(X, Y) + least(X, Z)]
    for values in ((1, 2, 3), (3, 1, 2), (2, 3, 1)):
        point = {name: F(value) for name, value in zip("abc", values, strict=True)}
        for some in ([double, least(X, Y)], both, [X, least(double, Y)], [X + Z, least(X, Y) + Z]):
            wanted = max(value_at(form, point) for form in some)
            assert (
                value_at(top(1, some), point)
                == wanted
                == max(value_at(one, point) for one in forms.largest(some))
            )


def test_a_maximum_over_all_sums_is_one_worst_case() -> None:
    names = [letter(f"e{i}") for i in range(6)]
    sums = [Form.letter(x) + Form.letter(y) for n, x in enumerate(names) for y in names[:n]]
    assert forms.top(1, sums) == forms.top(2, [Form.letter(x) for x in names])
    assert forms.top(1, sums[1:]) != forms.top(2, [Form.letter(x) for x in names])


def test_irrational_values_are_refused() -> None:
    with pytest.raises(NotAForm, match="not rational there"):
        value_at(read("a + sqrt(b)"), {"a": F(1), "b": F(2)})
    assert value_at(read("a + sqrt(b)"), {"a": F(1), "b": F(4)}) == 3


def test_products_that_are_too_large_are_refused() -> None:
    many = forms.total(Form.letter(letter(f"e{i}")) for i in range(200))
    with pytest.raises(NotAForm, match="too many terms"):
        many * many * many
    assert isinstance(forms.top(1, [many, many + Form.constant(1)]).terms[0][0], Peak)


ROWS = st.lists(
    st.dictionaries(st.sampled_from("abcd"), st.integers(-2, 3).filter(bool)), max_size=9, unique_by=str
)


@given(ROWS, st.sets(st.sampled_from("abcd")))
@settings(max_examples=150, deadline=None)
def test_undominated_rows(rows: list[dict[str, int]], equal: set[str]) -> None:
    rows = [row for n, row in enumerate(rows) if row not in rows[:n]]

    def dominates(s: dict[str, int], r: dict[str, int]) -> bool:
        entries = [(key, s.get(key, 0), r.get(key, 0)) for key in "abcd"]
        return s != r and all(a == b if key in equal else a >= b for key, a, b in entries)

    kept = [n for n, r in enumerate(rows) if not any(dominates(s, r) for s in rows)]
    assert orders.undominated(rows, 0, lambda key: key not in equal) == kept


@pytest.mark.parametrize(
    ("power", "simple"),
    [
        ("min(1, max(0, k - 1))**2", "min(1, max(0, k - 1))"),
        ("(3*min(1, max(0, n - 4)))**3*a", "27*min(1, max(0, n - 4))*a"),
        ("sqrt(4*a**2*min(1, max(0, k*n - 1)))", "2*a*min(1, max(0, k*n - 1))"),
        ("sqrt(min(1, max(0, k - 1)))", "min(1, max(0, k - 1))"),
    ],
)
def test_powers_of_what_is_0_or_1_are_it(power: str, simple: str) -> None:
    assert term(power) == term(simple)


@pytest.mark.parametrize(
    ("base", "k"),
    [
        ("min(1, max(0, c))", 1),
        ("min(1, max(0, k - 1/2))", 1),
        ("min(1, max(0, k/2 - 1))", 3),
        ("min(1, k - 2)", 1),
        ("min(2, k)", 2),
    ],
)
def test_powers_of_what_may_be_another_number_are_not(base: str, k: int) -> None:
    point = {"c": F(1, 2), "k": F(k)}
    value = formulas.evaluate(term(base), point)
    assert value is not None and formulas.evaluate(term(f"({base})**2"), point) == value**2 != value
