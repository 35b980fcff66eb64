"""Forged results with deltas set apart, questions above thresholds, and proofs by other letters."""

from __future__ import annotations

from forged_results.edits import Edit, claimed, core, set_at, step

APART, BOTH, QUESTIONS, ABOVE = (
    "pages/conversions/delta-apart",
    "problems/152-advanced-composition-with-deltas",
    "problems/265-questions-until-one-is-large",
    "pages/noises/above-threshold",
)
ROOTS = "pages/conversions/pure-to-zcdp-square"
NOISE = ("core", "mechanisms", 0, "noise")
FORGERIES: dict[str, tuple[str, Edit]] = {
    "the delta of one for k": (APART, claimed(1, "delta", "d + d1")),
    "no delta of its own": (APART, claimed(1, "delta", "d1*k")),
    "a smaller epsilon beside deltas": (APART, claimed(1, "epsilon", "e*sqrt(2*k*log(1/d))")),
    "what is set apart and forgotten": (APART, step("compose", 1, "from", to=[7])),
    "nothing set apart": (APART, step("apart", 1, "from", to=[3, 1])),
    "set apart without the profile": (APART, step("apart", 1, "from", to=[2, 8])),
    "another delta that is chosen": (APART, step("apart", 1, "chosen", "delta", to="d1")),
    "a delta above 1 that is chosen": (APART, step("apart", 1, "chosen", "delta", to="2")),
    "through no page": (APART, step("apart", 1, "pages", to=[])),
    "through another page": (APART, step("apart", 1, "pages", to=["pure-to-zcdp"])),
    "converted to what is set apart": (APART, step("convert", 2, "page", to="delta-apart")),
    "closer than the sum": (BOTH, step("apart", 2, "closer", to=False)),
    "one minus the product, added up": (BOTH, claimed(3, "delta", "1 - (1 - d)**k")),
    "one minus a smaller product": (BOTH, claimed(1, "delta", "1 - (1 - d/2)**k")),
    "a closer value of one": (BOTH, claimed(1, "delta", "d")),
    "a division by a sum": (
        APART,
        step("weaken", 1, "certificates", "epsilon", "proof", "steps", 1, 1, to="e - 1"),
    ),
    "more than is collected": (
        APART,
        step("weaken", 1, "certificates", "epsilon", "proof", "steps", 0, 1, to=["e"]),
    ),
    "half of the threshold's noise": (
        QUESTIONS,
        set_at("problem", "mechanisms", 0, "noise", "threshold-scale", to="1/e"),
    ),
    "an answer more": (QUESTIONS, set_at("problem", "mechanisms", 0, "noise", "times", to="L + 1")),
    "less noise on answers": (
        QUESTIONS,
        set_at("problem", "mechanisms", 0, "noise", "above-threshold", to="2*L/e"),
    ),
    "questions up to two": (QUESTIONS, set_at("problem", "mechanisms", 0, "query", "questions", to="2")),
    "sums for counts": (QUESTIONS, set_at("problem", "mechanisms", 1, "query", "questions", to="1")),
    "a threshold without noise": (ABOVE, core("mechanisms", 0, "noise", "query", "values", "m", to="0")),
    "answers of half the width": (ABOVE, core("mechanisms", 0, "noise", "query", "values", "l", to="0")),
    "noise on answers alone": (ABOVE, claimed(1, "epsilon", "e/2")),
    "a square root less": (ROOTS, claimed(1, "epsilon", "k*log(1 + a)**2/2")),
}
