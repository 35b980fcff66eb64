"""Forged curves: claims beyond them, other mechanisms, pages and points."""

from __future__ import annotations

from forged_results.edits import Edit, both, claimed, remove, set_at, stamped, step

GAUSSIAN = "problems/51-one-file-four-notions"
NORMAL = "pages/computed/gaussian-curve"
FORGERIES: dict[str, tuple[str, Edit]] = {
    "a delta below the curve of normal noise": (NORMAL, claimed(1, "delta", "0.1269367375")),
    "a delta above the curve of normal noise": (NORMAL, claimed(2, "delta", "0.1269367376")),
    "a smaller epsilon on the curve": (NORMAL, claimed(1, "epsilon", "999999/1000000")),
    "a larger mu on the curve": (NORMAL, both(0, "mu", "1000001/1000000")),
    "a smaller mu on the curve": (NORMAL, both(0, "mu", "999999/1000000")),
    "a curve without its page": (NORMAL, remove("derivation", "pages", "gaussian-curve")),
    "a curve of no mechanism": (NORMAL, step("curve", 1, "from", to=[3])),
    "a curve of a guarantee twice": (NORMAL, step("curve", 1, "from", to=[3, 1, 1])),
    "a curve of another claim": (
        NORMAL,
        step("curve", 1, "claim", to={"notion": "approximate", "epsilon": "1", "delta": "1/2"}),
    ),
    "Gaussian claims, a smaller mu": (GAUSSIAN, claimed(6, "mu", "0.6362")),
    "Gaussian claims, a larger mu": (GAUSSIAN, claimed(7, "mu", "0.6363")),
    "chords of another claim": (
        GAUSSIAN,
        step("below_curve", 1, "claim", to={"notion": "gaussian", "mu": "0.63"}),
    ),
    "a chord below another event": (GAUSSIAN, step("below_curve", 1, "chords", 0, 1, 3, to="0")),
    "a chord left out": (GAUSSIAN, step("below_curve", 1, "chords", 0, 0, 0, to="1/10")),
    "chords that end too soon": (GAUSSIAN, step("below_curve", 1, "chords", 0, 0, 21, to="39/10")),
    "what a claim implies at another epsilon": (GAUSSIAN, step("exceed", 1, "implied", "epsilon", to="3")),
    "two steps of pure privacy, a smaller delta": (
        "pages/computed/optimal-composition",
        claimed(1, "delta", "0.3378"),
    ),
    "two steps of pure privacy, a larger delta": (
        "pages/computed/optimal-composition",
        claimed(2, "delta", "0.338"),
    ),
    "four mechanisms for two": (
        "pages/computed/optimal-composition",
        stamped(
            set_at("problem", "mechanisms", 0, "count", to="4"),
            set_at("core", "mechanisms", 0, "count", to="4"),
        ),
    ),
    "five hundred mechanisms, a smaller epsilon": (
        "problems/09-textbook-advanced-composition",
        claimed(3, "epsilon", "309"),
    ),
    "five hundred mechanisms, a larger epsilon": (
        "problems/09-textbook-advanced-composition",
        claimed(1, "epsilon", "312"),
    ),
    "zero-concentrated privacy, a smaller epsilon": (
        "pages/computed/zcdp-curve",
        claimed(1, "epsilon", "5.2215"),
    ),
    "zero-concentrated privacy, what is not known": (
        "pages/computed/zcdp-curve",
        claimed(2, "epsilon", "5.1"),
    ),
    "Laplace noise, a smaller delta": ("pages/computed/laplace-curve", claimed(1, "delta", "0.312710721209")),
    "Laplace noise, a larger delta": ("pages/computed/laplace-curve", claimed(2, "delta", "0.312710721210")),
    "Laplace noise of another scale": (
        "pages/computed/laplace-curve",
        stamped(
            set_at("problem", "mechanisms", 0, "noise", "laplace", to="9/10"),
            set_at("core", "mechanisms", 0, "noise", "parameter", to="9/10"),
            set_at("core", "mechanisms", 0, "values", "epsilon", to="10/9"),
        ),
    ),
    "noises together, a smaller delta": ("problems/58-noises-together", claimed(1, "delta", "1/9")),
    "a curve beside a delta, a smaller one": (
        "pages/computed/curves-together",
        claimed(1, "delta", "0.28628"),
    ),
    "a curve beside a delta, a larger one": (
        "pages/computed/curves-together",
        claimed(2, "delta", "0.28629"),
    ),
    "an excess at a point outside": (
        "problems/32-ambulances-approximate",
        step("exceed", 1, "point", "d", to="2"),
    ),
    "an excess at another point": (
        "problems/32-ambulances-approximate",
        step("exceed", 1, "point", "d", to="9/10"),
    ),
    "an excess of a claim that is proved": (
        "problems/32-ambulances-approximate",
        claimed(3, "epsilon", "6*e"),
    ),
}
