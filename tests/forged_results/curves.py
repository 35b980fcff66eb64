"""Forged curves: claims beyond them, other mechanisms, pages and points."""

from __future__ import annotations

from forged_results.edits import Edit, both, claimed, core, remove, set_at, stamped, step, together

GAUSSIAN = "problems/51-one-file-four-notions"
NORMAL = "pages/computed/gaussian-curve"
CHOICE, CHOICES = "pages/computed/exponential-curve", "problems/240-two-choices-by-scores"
KTH, GUESSES = "problems/284-optimal-composition-of-k", "problems/225-guesses-better-than-a-coin"
LEAST, PLACES = "problems/154-the-least-delta-itself", "problems/266-places-with-normal-noise"
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
    "a choice, a smaller delta": (CHOICE, claimed(1, "delta", "0.154698330553")),
    "a choice, a larger delta": (CHOICE, claimed(2, "delta", "0.154698330554")),
    "a choice, a delta below its formula": (
        "problems/219-a-choice-with-a-delta",
        claimed(1, "delta", "(1 - exp(-3/8))**2/(1 - exp(-1)) - 1e-45"),
    ),
    "two choices, a smaller delta": (CHOICES, claimed(1, "delta", "0.152451")),
    "two choices, a larger delta": (CHOICES, claimed(2, "delta", "0.152452")),
    "two choices of other scores": (
        CHOICES,
        core("mechanisms", 1, "noise", "query", "values", "c", to="1/2"),
    ),
    "k mechanisms, a smaller delta": (
        KTH,
        claimed(1, "delta", "(exp(e) + 1)**(-k)*(exp(e*k) - exp(e*(k - 1)))"),
    ),
    "k mechanisms, a smaller epsilon": (KTH, claimed(2, "epsilon", "e*(k - 6)")),
    "k mechanisms, a larger delta": (
        KTH,
        claimed(
            3, "delta", "(exp(e) + 1)**(-k)*(exp(e*k) + k*exp(e*(k - 1)) - k*exp(e*(k - 3)) - exp(e*(k - 4)))"
        ),
    ),
    "two guesses, a smaller delta": (GUESSES, claimed(1, "delta", "2*tanh(e/2)/3")),
    "two guesses, a larger delta": (GUESSES, claimed(3, "delta", "tanh(e/2)")),
    "the least delta, a little less": (
        LEAST,
        claimed(1, "delta", "1/10 + 27*exp(1)/80/(1 + exp(1)) - 1e-45"),
    ),
    "the least delta, a little more": (
        LEAST,
        claimed(1, "delta", "1/10 + 27*exp(1)/80/(1 + exp(1)) + 1e-30"),
    ),
    "places with normal noise, a smaller delta": (PLACES, claimed(1, "delta", "1.4686e-5")),
    "places with normal noise, a larger delta": (PLACES, claimed(2, "delta", "1.4687e-5")),
    "places with normal noise of another scale": (
        PLACES,
        stamped(
            set_at("problem", "mechanisms", 0, "noise", "gaussian", to="13/2"),
            set_at("core", "mechanisms", 0, "noise", "parameter", to="13/2"),
        ),
    ),
    "places, one of a person": (
        PLACES,
        core("mechanisms", 0, "noise", "query", "values", "L", to="1"),
    ),
    "places, a lower threshold": (
        PLACES,
        together(
            core("mechanisms", 0, "noise", "besides", "tau", to="26"),
            set_at("problem", "mechanisms", 0, "noise", "threshold", to="26"),
        ),
    ),
}
