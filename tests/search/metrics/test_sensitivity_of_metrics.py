"""How much larger one metric is than another one: values by hand, and random settings against enumeration."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from in_metrics import read_data

from dpcompose.kernel.covers.products import Products
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.metrics import at_least_everywhere
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.proof.theory import registry
from dpcompose.search.metrics.sensitivity import MetricSensitivity, sensitivity
from dpcompose.search.metrics.verdicts import MetricVerdicts

THEORY = Theory(registry.standard().pages)
NORMS = "".join(f'[metrics.{word}]\nnorm = "{word}"\n' for word in ("L1", "L2", "Linf"))
OF_F = "".join(f'[metrics.{word}f]\nnorm = "{word}"\nof = "f"\n' for word in ("L1", "L2", "Linf"))
ANY_TWO = '[metrics.any_two]\ngranularity = "free-lunch"\n'


def private(metric: str) -> str:
    return f'[[mechanisms]]\nname = "M"\nguarantee = {{ notion = "pure", metric = "{metric}" }}\n'


def plane(*entries: str, more: str = "", beside: str = "") -> str:
    """A map of points (x, y), with norms of what changes; more -- of points; beside -- other keys."""
    values = ", ".join(f'"{one}"' for one in entries or ("x",))
    points = f'[databases]\nkind = "points"\ncoordinates = ["x", "y"]\n{more}'
    return f"{beside}{points}[maps.f]\nvalues = [{values}]\n{NORMS}{OF_F}{ANY_TWO}{private('L1')}"


def told(text: str) -> Elaborated:
    text = "format = 1\n" + text
    return Elaborated(read_data(problems.parsed(text), "problem", text).setting)


def found(text: str, moved: str, over: str) -> MetricSensitivity:
    setting = told(text)
    sides = [formulas.term(one, setting.setting.letters) for one in (moved, over)]
    return sensitivity(MetricVerdicts(setting, THEORY), *sides)


# values by hand


@pytest.mark.parametrize(
    ("entries", "moved", "over", "value"),
    [
        (["a*x + b*y"], "L1f", "L1", "max(a, b)"),  # the largest weight
        (["a*x + b*y"], "L1f", "Linf", "a + b"),  # both coordinates move
        (["a*x + b*y"], "L1f", "L2", "sqrt(a**2 + b**2)"),  # along the weights (Cauchy-Schwarz)
        (["3*x + 4*y"], "L1f", "L2", "5"),
        (["x + 2*y", "3*x"], "L2f", "L1", "sqrt(10)"),  # of the columns (1, 3) and (2, 0) the first is longer
        (["min(max(x, 0), w)"], "L1f", "any_two", "w"),  # from 0 to w
        (["min(max(x, 0), w)"], "L1f", "min(L1, w)", "1"),
        (["x"], "3*L1", "w*L1", "3/w"),  # parameters in denominators
        (["x"], "L1", "L1f", "oo"),  # f forgets y
        (["5"], "L1f", "L1", "0"),
        (["x"], "L1 - L2", "L1", "1 - sqrt(2)/2"),  # of (1, 1): (2 - sqrt(2))/2
    ],
)
def test_what_is_moved_most(entries: list[str], moved: str, over: str, value: str) -> None:
    text = plane(*entries, beside='[parameters]\nw = "positive"\n')
    one = found(text, moved, over)
    assert one.proved and formulas.to_text(one.value) == value and not one.reason


def test_parameters_of_any_sign() -> None:
    """|c·x - c·x'| is |c| times |x - x'|."""
    one = found(plane("c*x", beside='[parameters]\nc = "real"\n'), "L1f", "L1")
    assert (one.proved, formulas.to_text(one.value)) == (True, "abs(c)")


def test_pairs_lie_in_the_class() -> None:
    text = plane("x - y/2", more='box = [["2", "oo"], ["-oo", "-1"]]\n')
    one = found(text, "L1f", "Linf")
    assert one.proved and one.value == Fraction(3, 2) and one.pair is not None
    assert all(Fraction(at["x"]) >= 2 and Fraction(at["y"]) <= -1 for at in one.pair)
    small = plane("min(max(x, 0), 5)", more='box = [["2", "4"], ["0", "1"]]\n')
    assert [str(found(small, moved, "any_two").value) for moved in ("L1f", "L1", "Linf")] == ["2", "3", "2"]
    assert str(found(small, "L2", "any_two").value) == "sqrt(5)"  # the diagonal of 2 by 1
    given = plane("a*x", more='box = [["l", "u"], ["0", "1"]]\n', beside='assume = ["l < u"]\n')
    assert str(found(given, "L1f", "any_two").value) == "-a*l + a*u"


def test_what_is_attained_for_some_parameters_only_is_not_exact() -> None:
    """Where w = 0 the map is constant: 1 is then not the least, but only for w > 0."""
    text = '[parameters]\nw = "{}"\n'
    clipped = "min(max(x, 0), w)"
    assert str(found(plane(clipped, beside=text.format("positive")), "L1f", "L1").value) == "1"
    assert not found(plane(clipped, beside=text.format("nonnegative")), "L1f", "L1").proved
    every = found(plane(clipped, beside=text.format("nonnegative")), "L1f", "any_two")
    assert (every.proved, str(every.value)) == (True, "w")  # also for w = 0


def test_what_is_not_proved_is_a_bound_from_below() -> None:
    one = found(plane("exp(x)"), "L1f", "L1")
    assert not one.proved and one.value > 0 and "more is needed at (x = 0, y = 0), (" in repr(one)


BOX = 'box = [["0", "a"], ["0", "b"]]\n'


@pytest.mark.parametrize(
    ("entries", "over", "value", "more"),
    [
        (["min(max(x, 0), a)**2"], "L1", "2*a", ""),
        pytest.param(["min(x**2, a)"], "L1", "2*sqrt(a)", "", marks=pytest.mark.slow),  # cut at the root of a
        (["x*y"], "L1", "max(a, b)", BOX),
        pytest.param(["exp(x)"], "L1", "exp(a)", BOX, marks=pytest.mark.slow),
        (["log(1 + x)", "y"], "L1", "1", BOX),
        pytest.param(["x**2", "x*y"], "L1", "2*a + b", BOX, marks=pytest.mark.slow),  # at (a, b) along x
        pytest.param(["1/(1 + exp(-x))"], "L1", "1/4", "", marks=pytest.mark.slow),  # steepest in the middle
    ],
)
def test_maps_that_are_not_linear_are_as_steep_as_they_are_somewhere(
    entries: list[str], over: str, value: str, more: str
) -> None:
    one = found(
        plane(*entries, more=more, beside='[parameters]\na = "positive"\nb = "positive"\n'), "L1f", over
    )
    assert (one.proved, formulas.to_text(one.value)) == (True, value)


RECORDS = '[databases]\nkind = "multisets"\nrecords = ["a", "b", "c"]\n'
STEPS = "".join(f'[metrics.{name}]\ngranularity = "{name}"\n' for name in ("unbounded", "bounded"))
OF_A = '[metrics.of_a]\ngranularity = "unbounded"\nreads = { records = ["a"] }\n'


@pytest.mark.parametrize(
    ("moved", "over", "value"),
    [
        ("unbounded", "bounded", "2"),  # one record for another one
        ("bounded", "unbounded", "oo"),  # no change of one size is one of another
        ("of_a", "unbounded", "1"),
        ("of_a", "bounded", "1"),
        ("unbounded", "of_a", "oo"),  # a record b
        ("unbounded + of_a", "bounded", "3"),  # b for a
    ],
)
def test_records(moved: str, over: str, value: str) -> None:
    one = found(RECORDS + STEPS + OF_A + private("unbounded"), moved, over)
    assert one.proved and str(one.value) == value and one.pair is None


def test_records_beside_points() -> None:
    parts = '[databases]\nkind = "product"\n[databases.parts.S]\nkind = "multisets"\n'
    parts += '[databases.parts.p]\nkind = "points"\ncoordinates = ["x"]\n'
    of_p = '[metrics.of_p]\ngranularity = "free-lunch"\nof = "p"\n[metrics.L]\nnorm = "L1"\nof = "p"\n'
    text = f'{parts}[metrics.all]\ngranularity = "unbounded"\nof = "S"\n{of_p}{ANY_TWO}{private("all")}'
    assert [str(found(text, one, "all").value) for one in ("any_two", "3*all", "L")] == ["oo", "3", "oo"]
    assert str(found(text, "all + L", "max(all, L)").value) == "2"
    for moved, over in (("any_two", "all + of_p"), ("of_p", "any_two")):  # equal databases do not differ
        assert "1" in str(found(text, moved, over).value)


def test_mechanisms_are_of_no_matter() -> None:
    """The metric of M is one of which a bound alone is known; those of points are compared all the same."""
    text = plane("x").replace(private("L1"), '[metrics.score]\nat-most = "2*L2"\n' + private("score"))
    assert str(found(text, "L1", "Linf").value) == "2"
    with pytest.raises(NoCover, match="of a metric that is known by a bound alone nothing is attained"):
        found(text, "score", "L2")


def test_bounds_that_are_believed_prove_nothing() -> None:
    """L1f is 3·|x - x'|, whatever is declared."""
    wrong = plane("3*x").replace('of = "f"\n', 'of = "f"\nat-most = "L1"\n', 1)
    assert str(found(wrong, "L1f", "L1").value) == "3"


def test_the_certificate_is_one_of_the_kernel() -> None:
    text = plane("x + 2*y", "3*x")
    setting, one = told(text), found(text, "L1f", "L1")
    core = replace(setting.core, mechanisms=())
    letters = setting.setting.letters
    moved, over = (setting.parts.term(letters[name]) for name in ("L1f", "L1"))
    cover = Products(core, THEORY, {*moved.letters, *over.letters}).cover()
    assert at_least_everywhere(core, cover, 4 * over, moved, list(one.certificate))
    for less in (3, Fraction(399, 100)):
        with pytest.raises(BadCertificate):
            at_least_everywhere(core, cover, less * over, moved, list(one.certificate))


# against enumeration


def closed(size: int, drawn: random.Random) -> dict[tuple[int, int], Fraction]:
    """A metric on some databases, ∞ between those that are left out."""
    far = {(i, i): Fraction(0) for i in range(size)}
    for i, j in itertools.combinations(range(size), 2):
        if drawn.random() < 0.7:
            far[i, j] = far[j, i] = Fraction(drawn.randint(1, 9), drawn.randint(1, 3))
    for k, i, j in itertools.product(range(size), repeat=3):
        if (i, k) in far and (k, j) in far:
            far[i, j] = min(far.get((i, j), far[i, k] + far[k, j]), far[i, k] + far[k, j])
    return far


def test_random_tables() -> None:
    drawn = random.Random(5)
    for _ in range(40):
        size = drawn.randint(2, 5)
        names = "abcde"[:size]
        tables = {name: closed(size, drawn) for name in ("d", "e")}
        text = f'[databases]\nkind = "listed"\nelements = {list(names)}\n'.replace("'", '"')
        for name, far in tables.items():
            rows = [[names[i], names[j], str(x)] for (i, j), x in sorted(far.items()) if i < j]
            text += f"[metrics.{name}]\ntable = {rows}\n".replace("'", '"')
        if any(len(far) == size for far in tables.values()):
            continue  # a table without rows is none
        one = found(text + private("d"), "2*d + e", "e")
        d, e = tables["d"], tables["e"]
        pairs = [pair for pair in e if pair[0] != pair[1]]
        finite = [(2 * d[pair] + e[pair]) / e[pair] for pair in pairs if pair in d]
        wanted = "oo" if len(finite) < len(pairs) else str(max(finite, default=0))
        assert one.proved and str(one.value) == wanted, text


def entry(drawn: random.Random) -> tuple[str, Callable[[Fraction, Fraction], Fraction]]:
    """A formula in x and y, and its values."""
    a, b = (drawn.choice([-3, -2, -1, 1, 2, 3]) for _ in range(2))
    low, high = drawn.randint(-2, 0), drawn.randint(1, 3)
    if drawn.random() < 0.5:
        return f"{a}*x + {b}*y", lambda x, y: a * x + b * y
    return (
        f"min(max(x, {low}), {high}) + {b}*y",
        lambda x, y: min(max(x, Fraction(low)), Fraction(high)) + b * y,
    )


@pytest.mark.slow
def test_random_maps() -> None:
    drawn, proved = random.Random(7), 0
    grid = [Fraction(n, 2) for n in range(-4, 9)]
    norms: Mapping[str, Callable[[list[Fraction]], Fraction]] = {
        "L1": lambda v: sum(map(abs, v), Fraction(0)),
        "Linf": lambda v: max(map(abs, v)),
        "any_two": lambda v: Fraction(int(any(v))),
    }
    for _ in range(40):
        maps = [entry(drawn) for _ in range(drawn.randint(1, 2))]
        box = [sorted(drawn.sample(range(-2, 5), 2)) for _ in "xy"]
        more = "" if drawn.random() < 0.5 else f"box = {[[str(x) for x in ends] for ends in box]}\n"
        moved, over = drawn.choice(["L1", "Linf"]), drawn.choice(list(norms))
        one = found(plane(*(text for text, _ in maps), more=more.replace("'", '"')), moved + "f", over)

        def sides(D: tuple[Fraction, ...], E: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
            values = [f(*D) - f(*E) for _, f in maps]  # noqa: B023
            return norms[moved](values), norms[over]([x - y for x, y in zip(D, E, strict=True)])  # noqa: B023

        points = [
            at
            for at in itertools.product(grid, repeat=2)
            if not more or all(low <= x <= high for x, (low, high) in zip(at, box, strict=True))
        ]
        best = max(
            (x / y for D, E in itertools.combinations(points, 2) for x, y in [sides(D, E)] if y), default=0
        )
        value = None if one.value == sympy.oo else Fraction(str(one.value))
        assert not one.proved or value is None or best <= value, (maps, more, moved, over)
        proved += one.proved
        if one.pair is not None:
            (D, E) = (tuple(Fraction(at[name]) for name in "xy") for at in one.pair)
            x, y = sides(D, E)
            assert x > y == 0 if value is None else x == value * y, (maps, more, moved, over, one)
    assert proved >= 25


# maps that are not linear: what is come near to, and what grows without end (GB Def. III.5)


def line(entry: str, low: str, high: str) -> MetricSensitivity:
    """Of a map of one number in an interval, beside |x - y|."""
    points = f'[databases]\nkind = "points"\ncoordinates = ["x"]\nbox = [["{low}", "{high}"]]\n'
    beside = '[parameters]\nw = "positive"\n'
    return found(f'{beside}{points}[maps.f]\nvalues = ["{entry}"]\n{NORMS}{OF_F}{private("L1")}', "L1f", "L1")


@pytest.mark.parametrize(
    ("entry", "low", "high", "value"),
    [
        pytest.param("x**2", "0", "w", "2*w", marks=pytest.mark.slow),  # s*(2*w - s) at w and w - s
        ("x**2", "-3", "2", "6"),
        ("2*x - x**3/3", "0", "3", "7"),  # its slope is 2 at 0 and -7 at 3
        ("max(x**2 - 1, 0)", "0", "2", "4"),
    ],
)
def test_a_slope_that_no_two_points_attain(entry: str, low: str, high: str, value: str) -> None:
    one = line(entry, low, high)
    assert one.proved and formulas.to_text(one.value) == value and one.pair is None
    assert "comes near to it as t falls to 0" in one.reason


@pytest.mark.parametrize(
    ("entry", "way"),
    [
        ("sqrt(abs(x))", "(x = 0) and (x = t) grows without end as t falls to 0"),  # 1/sqrt(t)
        ("max(x**2, 1)", "(x = 0) and (x = t) grows without end with t"),  # (t**2 - 1)/t
        ("abs(x**2 - 1)", "grows without end with t"),
    ],
)
def test_what_is_too_steep_has_no_sensitivity(entry: str, way: str) -> None:
    one = line(entry, "-oo", "oo")
    assert one.proved and one.value == sympy.oo and one.reason.endswith(way)


@pytest.mark.parametrize("seed", range(3))
def test_parabolas_are_as_steep_as_at_an_end(seed: int) -> None:
    """Against the slopes at both ends, and all ratios on a grid."""
    rng = random.Random(seed)
    a, b = rng.choice([-2, -1, 1, 3]), rng.randint(-3, 3)
    low, high = sorted(rng.sample(range(-3, 4), 2))
    one = line(f"{a}*x**2 + {b}*x", str(low), str(high))
    steepest = max(abs(2 * a * x + b) for x in (low, high))
    assert one.proved and one.value == steepest
    grid = [low + Fraction((high - low) * n, 12) for n in range(13)]
    ratios = [abs(a * (x + y) + b) for x, y in itertools.combinations(grid, 2)]
    assert steepest - abs(a) * Fraction(high - low, 12) <= max(ratios) <= steepest
