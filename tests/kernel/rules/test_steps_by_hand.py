"""What rules ask on the way, each by itself: letters for numbers of steps, squares of maxima, laws of one mechanism."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
import told
from kernel.covers.test_covers import multisets, reads

from dpcompose.kernel import written_out
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.curves.outcomes import Alike
from dpcompose.kernel.expressions import forms, formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import NONNEGATIVE, REAL, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.terms import (
    INFINITY,
    ONE,
    ZERO,
    Term,
    exp,
    largest,
    least,
    letter,
    number,
    sqrt,
)
from dpcompose.kernel.judgements import Attained, Covers, Lower, Satisfies
from dpcompose.kernel.library.heads import Context
from dpcompose.kernel.rules import chains, metrics, orders, refutations
from dpcompose.kernel.rules.premises import BadStep
from dpcompose.kernel.theorems import NoTheorem, Prover

of: Any = SimpleNamespace
F = Fraction
ANY = Domain.read("integer >= 1")
A, B, C, X = letter("a"), letter("b"), letter("c", NONNEGATIVE), letter("x", REAL)
M, K, MEMBER = letter("m", ANY), letter("k", ANY), letter("e[i]")


# numbers of steps


def setting(databases: Term | None = None, *assumed: Assumption, stated: Any = None) -> Any:
    mechanism = of(stated=stated)
    return of(mechanisms=[mechanism], databases=of(letter=databases), assumed=assumed)


def test_a_letter_for_any_number_of_steps_is_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Term] = []
    monkeypatch.setattr(chains.given, "letters", lambda _: said)
    chains._check_any_number(M, setting())
    chains._check_any_number(M, setting(K, Assumption(K, ">", A), stated=of(times=None)))
    said[:] = [K, A]
    chains._check_any_number(M, setting(stated=of(times=K)))
    with pytest.raises(BadStep, match="m does not stand for any number"):
        chains._check_any_number(letter("m", Domain.read("integer >= 2")), setting())
    for other in (setting(M), setting(None, Assumption(M, ">", K)), setting(stated=of(times=M))):
        with pytest.raises(BadStep, match="m does not stand for any number"):
            chains._check_any_number(M, other)
    said[:] = [A, B * M]
    with pytest.raises(BadStep, match="m does not stand for any number"):
        chains._check_any_number(M, setting())


def test_a_claim_says_no_more_of_fewer_steps() -> None:
    """n, 1 and n² − 2n do not up to the second step; 1/n does, and n² − 4n + 9 of one step, to three."""
    n = letter(chains.SINGLE, ANY)

    def check(value: Term, most: int) -> None:
        chains._check_fewer(Satisfies("pure", (("epsilon", value),)), M, {"m": F(most)})

    for value, most in ((n, 4), (ONE, 4), (n**2 - 2 * n, 3), (1 / n, 1), (n**2 - 4 * n + 9, 4)):
        check(value, most)  # of the last 6, 5, 6, 9
    for value, most in ((1 / n, 2), (n**2 - 4 * n + 9, 2), (-n, 3), (3 * n - n**2, 3)):
        with pytest.raises(BadStep, match=r"more of [12] steps"):
            check(value, most)
    with pytest.raises(BadStep, match="too many"):
        check(n, chains.MOST_STEPS + 1)


def test_a_formula_in_steps_at_both_of_its_ends() -> None:
    d = letter(chains.TARGET, NONNEGATIVE)

    def check(value: Term) -> None:
        chains._check_ends(Satisfies("pure", (("epsilon", value),)), chains.TARGET, of(assumed=()))

    for value in (A * d, A * d + C, d**2, d + 1):
        check(value)
    for value in (d - 1, A * d - C, A * d + X):
        with pytest.raises(BadStep, match="not seen to be at least 0 at equal"):
            check(value)
    for value in (A, least(d, A), 1 - exp(-d)):
        with pytest.raises(BadStep, match="is not oo where"):
            check(value)


@pytest.mark.parametrize(("steps", "together"), [(True, False), (False, True), (True, True)])
def test_what_is_not_lost_at_all_distances_is_no_optimum(
    steps: bool, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = of(steps=steps, together=together)
    monkeypatch.setattr(chains.witnesses, "attained_in", lambda *_: of(head=head))
    with pytest.raises(BadStep, match="not seen to be lost at all distances"):
        chains._check_attained(of(mechanisms=[]), of(), "approximate")


def test_what_depends_on_the_order_is_not_so_at_all_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where one of two parameters alone does."""
    there: Any = of(at_orders=lambda _: of(hash="h"))
    theory: Any = of(rule=lambda _: of(head=of(ordered=False)))
    alpha = letter("alpha")

    def about(*values: Term) -> Any:
        says = Satisfies("approximate", tuple(zip(("epsilon", "delta"), values, strict=False)))
        return orders.at_orders(there, theory, [of(setting="h", says=says)], orders="2")[0]

    assert about(A, B) == Satisfies("approximate", (("epsilon", A), ("delta", B)))
    for values in ((alpha, B), (A, B * alpha), (alpha, alpha)):
        with pytest.raises(BadStep, match="depends on the order"):
            about(*values)


# squares, and what is left to a radius


@pytest.mark.parametrize(
    ("value", "squared"),
    [
        (largest(A, C), largest(A**2, C**2)),
        (largest(-A, -C), least(A**2, C**2)),
        (B * largest(A, C), B**2 * largest(A**2, C**2)),
        (sqrt(A + 1), A + 1),
        (A + 1, A**2 + 2 * A + 1),
        (largest(A, X), largest(A, X) ** 2),
        (terms.top(2, [A, B, C]), terms.top(2, [A, B, C]) ** 2),
        (A, A**2),
        (largest(sqrt(A), B), largest(A, B**2)),
        (terms.power(A, F(1, 3)), terms.power(A, F(2, 3))),
    ],
)
def test_squares_of_formulas(value: Term, squared: Term) -> None:
    assert metrics.square(value, forms.NOTHING) == squared
    if value.has("top") and value.kind == "top":
        assert metrics.of_squares(value**2 + 1, forms.NOTHING) == squared + 1
        assert metrics.of_squares(value**3 + 1, forms.NOTHING) == value**3 + 1


def test_a_multiple_of_what_is_left_to_the_radius() -> None:
    near: Any = of(far=letter("d__a", NONNEGATIVE), radius=A)
    assert metrics.with_the_rest(B, near, C, 2) == B + C * near.far**2 - C * A**2
    assert metrics.with_the_rest(near.far, near, ONE, 1) == 2 * near.far - A


def test_what_a_formula_is_the_least_of() -> None:
    d, e = (letter(f"d__{name}", NONNEGATIVE) for name in "ab")
    assert set(metrics.smallest(least(d, A) + 1)) == {d + 1, A + 1} and metrics.smallest(d + e) == ()
    assert set(metrics.smallest(B * least(d, e))) <= {B * d, B * e}


# one mechanism by its law


def alike(delta: Term, r: Term = ONE, **more: Term) -> Alike:
    texts = {"epsilon": "epsilon", "delta": "delta"}
    return written_out._alike(texts, {"epsilon": A, "delta": delta, **more}, K, r, ())


def test_deltas_above_1_are_read_as_1() -> None:
    d, two = letter("d", UNIT_INTERVAL), letter("d", Domain(F(0), greatest=F(2)))
    assert alike(d) == Alike(A, d, K) and alike(ONE) == Alike(A, ONE, K)
    assert alike(two) == Alike(A, least(ONE, two), K) and alike(C) == Alike(A, least(ONE, C), K)
    with pytest.raises(NoLoss, match="one step apart"):
        alike(d, number(2))
    with pytest.raises(NoLoss, match="one step apart"):
        alike(INFINITY)
    with pytest.raises(NoLoss, match="members of their own"):
        alike(d, other=MEMBER)
    with pytest.raises(NoLoss, match="one step apart"):
        written_out._alike({"epsilon": "epsilon"}, {"epsilon": A}, K, ONE, ())


def of_law(
    texts: dict[str, str], known: dict[str, Term], count: Term = ONE, sampled: Any = None
) -> Term | None:
    curves: Any = of(
        page=of(head=of(parts={})),
        losses=[None],
        asked=lambda *_: [(texts, known)],
        mechanism=lambda _: of(sampled=sampled),
        setting=of(assumed=()),
    )
    return written_out._of_law(curves, ZERO, 1, count, ONE)


def test_one_mechanism_has_its_law_written_out() -> None:
    laplace, interval = {"ratio": "r/b"}, {"range": "r*b"}
    assert of_law(laplace, {"b": B}) == 1 - exp(-1 / (2 * B))
    root = 1 - exp(-B / 2)
    assert of_law(interval, {"b": B}) == root * root / (1 - exp(-B))
    assert of_law(laplace, {"b": B}, number(2)) is None is of_law(laplace, {"b": B}, sampled="1/2")
    assert of_law(laplace, {"b": MEMBER, "a": A}) is None is of_law({"square": "1"}, {})
    assert of_law({**laplace, "epsilon": "1"}, {"b": B}) is None
    for far in ({"ratio": "oo"}, {"range": "oo"}):
        with pytest.raises(NoLoss):
            of_law(far, {})


def test_laws_between_their_ends() -> None:
    for law, low, high in ((written_out._of_laplace, -B, B), (written_out._of_interval, ZERO, B)):
        assert law(B, low, ()) is not None and law(B, high, ()) == ZERO
        for epsilon in (low - A, high + A, X):
            with pytest.raises(NoLoss, match="not seen to lie between"):
                law(B, epsilon, ())


# what is asked of names


def test_notions_of_orders() -> None:
    context = Context({}, {}, ("renyi", "tcdp"))
    assert context.order("pure") == () == context.order() and len(context.order("pure", "renyi")) == 1


def test_premises_are_theorems() -> None:
    prover = Prover(of(distances=(), hash="h"), of())
    with pytest.raises(NoTheorem, match="the premises are theorems"):
        prover.by("worst", of(setting="h", says=None))  # type: ignore[arg-type]


# what is false, and what is loose


def test_a_claim_says_something_below_its_limit() -> None:
    theory: Any = of(rule=lambda _: of(head=of(limits={"delta": 1})))

    def check(delta: Term, epsilon: Term = ONE) -> None:
        claim = Satisfies("approximate", (("epsilon", epsilon), ("delta", delta)))
        refutations._says_something(claim, {"a": F(1, 2)}, theory)

    for delta in (ZERO, A, number(F(99, 100)), 2 * A - F(1, 9)):
        check(delta)
    for delta in (ONE, 2 * A, number(2)):
        with pytest.raises(BadStep, match="not seen to be below 1 there"):
            check(delta)
    for values in ((ZERO, INFINITY), (INFINITY, ONE)):
        with pytest.raises(BadStep, match="a parameter is oo says nothing"):
            check(*values)


def test_points_say_something_of_letters_and_of_members() -> None:
    at = {"a": F(1), "x": F(2), "e[2]": F(3), "f[1]": F(4)}
    assert refutations._used(at, A, B) == {"a": 1} and refutations._used(at, MEMBER * X) == {
        "x": 2,
        "e[2]": 3,
    }
    assert refutations._used(at) == {}


def test_losses_are_those_that_are_stated() -> None:
    two: Any = of(mechanisms=[None, None])

    def stated(*some: Any) -> Any:
        return refutations._as_stated([of(loss=loss) for loss in some], two)

    first, second = of(mechanism=1, then=()), of(mechanism=2, then=())
    assert stated(first, second) == [first, second]
    assert refutations._chosen([first, second], None) == [first, second]
    assert refutations._chosen([first, second], [2]) == [second] and refutations._chosen([first], []) == []
    for some in ((second, first), (first,), (first, first), (first, second, second)):
        with pytest.raises(BadStep, match="one loss, in order"):
            stated(*some)
    with pytest.raises(BadStep, match="need not be attained"):
        stated(first, of(mechanism=2, then=("page",)))
    assert refutations._implied({"notion": "approximate", "epsilon": "1/2"}) == (
        "approximate",
        number(F(1, 2)),
    )
    for given in ({"notion": "approximate"}, {"notion": "a", "epsilon": "1", "delta": "0"}, {}):
        with pytest.raises(BadStep, match="a notion and an epsilon"):
            refutations._implied(given)


def loose(known: tuple[str, str], claim: tuple[str, str], key: str, **point: str) -> Any:
    made = setting_of("approximate", known).setting
    keys = ("epsilon", "delta")
    holds = Satisfies(
        "approximate", tuple((k, formulas.parse(x, made.symbols)) for k, x in zip(keys, known, strict=True))
    )
    data = {"notion": "approximate", **dict(zip(keys, claim, strict=True))}
    premises: Any = [of(says=holds)]
    return refutations.loose(made, told.THEORY, premises, claim=data, key=key, point=point)[0]


def setting_of(notion: str, values: tuple[str, str]) -> Prover:
    change = {"single": [[0, 1], [1, 0]], "steps": 1}
    stated = {
        "stated": change,
        "notion": notion,
        "values": dict(zip(("epsilon", "delta"), values, strict=True)),
    }
    data = {
        "parameters": {"e": "positive", "f": "positive"},
        "databases": multisets(["a"]),
        "target": change,
        "mechanisms": [{"name": "M", **reads(None, change), **stated}],
    }
    return Prover(reading.read(data), told.THEORY)


def test_a_claim_is_loose_where_one_parameter_is_larger_and_none_is_smaller() -> None:
    for claim, key in (
        (("2*e", "1/9"), "epsilon"),
        (("e", "1/8"), "delta"),
        (("2*e", "1/8"), "epsilon"),
        (("oo", "1/9"), "epsilon"),
        (("e", "oo"), "delta"),
    ):
        assert loose(("e", "1/9"), claim, key, e="1").values[0][0] == "epsilon"
    for claim, key in (
        (("e", "1/9"), "epsilon"),
        (("e/2", "1/9"), "epsilon"),
        (("2*e", "1/9"), "delta"),
        (("e", "1/10"), "delta"),
    ):
        with pytest.raises(BadCertificate, match="the comparison holds at the point"):
            loose(("e", "1/9"), claim, key, e="1")
    for claim, key in ((("2*e", "1/10"), "epsilon"), (("e/2", "1/8"), "delta")):
        with pytest.raises(BadStep, match="not seen to be at least that of the guarantee"):
            loose(("e", "1/9"), claim, key, e="1")
    with pytest.raises(BadStep, match="no parameter 'rho'"):
        loose(("e", "1/9"), ("2*e", "1/9"), "rho", e="1")
    for point in ({}, {"e": "-1"}, {"e": "1", "z": "1"}):
        with pytest.raises(BadCertificate):
            loose(("e", "1/9"), ("2*e", "1/9"), "epsilon", **point)


def test_no_smaller_formula_holds_where_as_much_is_lost_in_each_case() -> None:
    """In that case, of that parameter, and whatever the letters are."""
    here, there = (Type((), frozenset(), (n,), where=of(at_most=(), distances=())) for n in (0, 1))  # type: ignore[arg-type]
    theory: Any = of(rule=lambda _: of(head=of(squared=())))
    anything: Any = of(distances=(), assumed=(), known=forms.NOTHING)

    def lower(
        type: Type = here, value: Term = A, notion: str = "pure", key: str = "epsilon", **more: Any
    ) -> Lower:
        return Lower(notion, key, value, (Attained(type, value, (), **more),))

    def least(
        *lowers: Lower, types: tuple[Type, ...] = (here,), key: str = "epsilon", shown: int | None = None
    ) -> Any:
        says = [Satisfies("pure", (("epsilon", A),)), Covers(of(types=types)), *lowers]
        premises: Any = [of(says=one) for one in says]
        certificates = [None] * (len(types) if shown is None else shown)
        return metrics.least_everywhere(anything, theory, premises, key=key, certificates=certificates)[0]

    assert (
        least(lower()).key == "epsilon" and least(lower(), lower(there), types=(here, there)).notion == "pure"
    )
    for other in (lower(there), lower(notion="zcdp"), lower(key="delta")):
        with pytest.raises(BadStep, match="another parameter, or at other databases"):
            least(other)
    with pytest.raises(BadStep, match="another parameter, or at other databases"):
        least(lower(), lower(), types=(here, there))
    with pytest.raises(BadStep, match="lost only where"):
        least(lower(where=(Assumption(A, ">", B),)))
    with pytest.raises(BadStep, match="more than any number is lost at some"):
        least(lower(positive=(A,)))
    for lowers, types, shown in (((lower(),), (here, there), 2), ((lower(),), (here,), 2)):
        with pytest.raises(BadStep, match="to be known in each of"):
            least(*lowers, types=types, shown=shown)
    with pytest.raises(BadStep, match="no parameter 'delta'"):
        least(lower(), key="delta")
    with pytest.raises(BadCertificate):
        least(lower(value=B))


def refuted(lower: Lower, claim: dict[str, str], **point: str) -> Any:
    made = setting_of("approximate", ("e", "f")).setting
    premises: Any = [of(says=lower)]
    return refutations.refute(made, told.THEORY, premises, claim=claim, point=point)[0]


def test_a_claim_is_false_where_more_is_lost() -> None:
    """2·e against e, and ∞ where an input is seen to move: there f is above 1."""
    e, f = letter("e"), letter("f")
    here = Type((), frozenset(), ())

    def lower(value: Term, *positive: Term, **more: Any) -> Lower:
        return Lower("pure", "epsilon", value, (Attained(here, value, (), positive, **more),))

    pure = {"notion": "pure", "epsilon": "e"}
    assert refuted(lower(2 * e), pure, e="1", f="1").values == (("epsilon", e),)
    for claim in ("2*e", "3*e"):
        with pytest.raises(BadCertificate, match="holds at the point"):
            refuted(lower(2 * e), pure | {"epsilon": claim}, e="1", f="1")
    assert refuted(lower(INFINITY, f - 1), pure, e="1", f="2") and refuted(
        lower(INFINITY), pure, e="1", f="1"
    )
    assert refuted(lower(INFINITY, e - 3, f - 1), pure, e="1", f="2")
    for value in (INFINITY, 2 * e):
        with pytest.raises(BadStep, match="no input is seen to move there"):
            refuted(lower(value, f - 1, 1 - f), pure, e="1", f="1")
    with pytest.raises(BadCertificate, match="oo has no value"):
        refuted(lower(INFINITY), pure | {"epsilon": "oo"}, e="1", f="1")
    with pytest.raises(ValueError, match="f > e"):
        refuted(lower(2 * e, where=(Assumption(f, ">", e),)), pure, e="1", f="1")
    with pytest.raises(BadStep, match="known in pure privacy, the claim is about zcdp"):
        refuted(lower(2 * e), {"notion": "zcdp", "rho": "e"}, e="1", f="1")
    with pytest.raises(BadStep, match="at no neighbours"):
        refuted(Lower("pure", "epsilon", 2 * e, ()), pure, e="1", f="1")
    for point in ({"e": "1"}, {"e": "0", "f": "1"}, {"e": "1", "f": "1", "g": "1"}):
        with pytest.raises(BadCertificate):
            refuted(lower(2 * e), pure, **point)


def test_what_has_several_parameters_is_larger_in_none_alone() -> None:
    made = setting_of("approximate", ("e", "f")).setting
    e, f = letter("e"), letter("f")
    premises: Any = [
        of(says=Satisfies("approximate", (("epsilon", e), ("delta", f)))),
        of(says=Covers(of(types=(Type((), frozenset(), ()),)))),
    ]
    claim = {"notion": "approximate", "epsilon": "2*e", "delta": "f"}
    with pytest.raises(BadStep, match="several parameters"):
        metrics.larger(made, told.THEORY, premises, claim=claim, key="epsilon", neighbours=1, point={})


def test_certificates_are_as_many_as_there_are_cases() -> None:
    anything: Any = of(databases=of(points=()), assumed=())
    for cases in ([], [1, 2], {"0": 1}, "x"):
        with pytest.raises(BadCertificate, match="there are 1 cases"):
            metrics._group(anything, A + 1, A, {"level": 0, "cases": cases})
    near: Any = of(near=[of(inside=True)])
    for shown in ([], [1], [1, 2, 3]):
        with pytest.raises(BadCertificate, match="each of those is to be shown"):
            metrics._in_near(anything, near, least(letter("d__a"), A), ZERO, ZERO, {"each": shown}, False)
    for where in (of(near=[]), of(near=[of(inside=False)]), of(near=[of(inside=True)] * 2)):
        with pytest.raises(BadCertificate, match="not within one distance"):
            metrics._in_near(anything, where, A, ZERO, ZERO, {"each": []}, False)


def test_the_page_by_which_metrics_compose() -> None:
    def page(id: str, states: str, notion: str) -> Any:
        return of(id=id, head=of(states=states, notion=notion))

    pages = [
        page("a", "metric form", "pure"),
        page("b", "attained", "zcdp"),
        page("c", "metric form", "zcdp"),
    ]
    theory: Any = of(
        of_kind=lambda kind: pages if kind == "metric" else [], rule=lambda notion: of(id=notion)
    )
    assert [metrics.form(theory, notion) for notion in ("pure", "zcdp", "gaussian")] == [
        "a",
        "c",
        "gaussian",
    ]


def test_formulas_in_distances_where_these_have_values() -> None:
    """What the types say nothing of has none; of what a bound alone is known a claim is said to be at most that."""
    d, e = letter("d__a"), letter("d__b")
    far = (
        ("d__a", of(formula=None, at_most=None, declared=False)),
        ("d__b", of(formula=d * 2, at_most=None, declared=False)),
    )
    there: Any = of(distances=far, assumed=())
    assert metrics.at(A * d + e, [("d__a", B), ("d__b", ONE)], there) == A * B + 1
    assert metrics.at(A, [], there) == A and metrics.at(INFINITY, [], there) == INFINITY
    assert metrics.at(d, [("d__a", INFINITY)], there) == INFINITY
    for some in ([], [("d__a", ONE)], [("d__b", ONE)]):
        with pytest.raises(BadStep, match="the types say nothing of the distance"):
            metrics.at(d + e, some, there)
    assert metrics.used_by(A, there) == {str(A)}  # of which no distance is made
    assert metrics.used_by(e, there) == {"d__a", "d__b"} and metrics.used_by(d + A, there) == {"d__a", str(A)}
    where = of(distances=(("d__a", A), ("d__b", ONE)), at_most=(("d__a", B), ("d__b", ZERO)))
    assert metrics.sides_at(of(where=where), d, d + e, there) == (A, B)
    assert metrics.at_most_there(d, where, there) == A
    with pytest.raises(BadStep, match="not those of any two databases of a product"):
        metrics.sides_at(of(where=None), d, d, there)
