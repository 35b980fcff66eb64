"""Forged results about several guarantees of one mechanism, trade-off functions, and curves on samples."""

from __future__ import annotations

from forged_results.edits import Edit, by, claimed, remove, set_at, stamped, step, without

TWO, PERSONS = "problems/96-several-guarantees", "problems/272-persons-and-single-visits"
RATES, LOSSES = "problems/209-error-rates-of-attackers", "problems/210-losses-of-two-releases"
OFFICES, ROUNDS = "problems/233-error-rates-of-two-offices", "problems/230-two-rounds-on-samples"
COUPLES, REPLACED = (
    "problems/288-couples-who-join-a-study",
    "problems/248-one-leaves-the-sample-another-enters",
)
NORMAL, BOTH = "problems/251-training-with-normal-noise", "problems/234-couples-on-samples"
LINES = "max(1 - 6*alpha, 1/6 - alpha/6, {}, 0)"

FORGERIES: dict[str, tuple[str, Edit]] = {
    "several guarantees, a smaller claim": (TWO, claimed(1, "epsilon", "f/2 + g")),
    "several guarantees, one is another": (
        TWO,
        set_at("problem", "mechanisms", 0, "satisfies", 1, "epsilon", to="2*f"),
    ),
    "several guarantees, one for others": (
        TWO,
        set_at("problem", "mechanisms", 0, "satisfies", 1, "granularity", to="unbounded"),
    ),
    "several guarantees, one is not there": (TWO, remove("problem", "mechanisms", 0, "satisfies", 1)),
    "the least of several, one left out": (TWO, step("least", 1, "from", to=[1])),
    "another one is chosen": (TWO, step("choose", 2, "which", to=[0, 0])),
    "what is lost by one that implies no other": (TWO, step("choose", 3, "from", to=[4])),
    "what is lost, with its own values": (TWO, step("choose", 3, "from", to=[5])),
    "what is implied with other values": (TWO, step("implies", 1, "values", "epsilon", to="min(e, f/2)/2")),
    "what is implied by larger values": (TWO, without("implies", 2, "values")),
    "what is satisfied with smaller values": (
        TWO,
        lambda data: by(data, "choose").update(values={"1": {"epsilon": "e/2"}}),
    ),
    "one of several is given for both": (
        TWO,
        lambda data: data["derivation"]["steps"].append({"rule": "given", "i": 1}),
    ),
    "persons at their least, a smaller claim": (
        PERSONS,
        claimed(1, "epsilon", "max(min(3*e, p) + 3*min(f, g), min(6*e, p), min(6*f, 3*g))/2"),
    ),
    "persons at their least, a claim that is right": (
        PERSONS,
        claimed(2, "epsilon", "max(min(3*e, p) + 3*min(f, g), min(6*e, p), min(6*f, 3*g))"),
    ),
    "persons, one guarantee left out": (PERSONS, stamped(remove("core", "mechanisms", 0, "also"))),
    "persons, one guarantee implies no other": (PERSONS, step("choose", 1, "from", to=[3, 4, 5])),
    "persons at their least, in another notion": (PERSONS, step("among", 1, "notion", to="zcdp")),
    "error rates, a larger function": (
        RATES,
        claimed(1, "tradeoff", LINES.format("4/5 - 2*alpha, 11/30 - alpha/2")),
    ),
    "error rates, a line that nobody shows": (RATES, step("by_lines", 1, "from", to=[2])),
    "error rates, a function that holds": (
        RATES,
        claimed(2, "tradeoff", LINES.format("11/15 - 2*alpha, 11/30 - alpha/2")),
    ),
    "error rates, a smaller delta": (RATES, claimed(3, "delta", "13/50")),
    "error rates, a delta that holds": (RATES, claimed(4, "delta", "4/15")),
    "error rates, a slope that is not promised": (
        RATES,
        set_at("problem", "mechanisms", 0, "satisfies", 1, "delta", to="1/2"),
    ),
    "eight releases, a smaller delta": (LOSSES, claimed(1, "delta", "0.408")),
    "eight releases, a larger delta": (LOSSES, claimed(2, "delta", "0.40815")),
    "eight releases, twice": (LOSSES, claimed(3, "delta", "1 - (1 - 5/100)**8")),
    "a filter with another line": (
        OFFICES,
        set_at(
            "problem",
            "mechanisms",
            1,
            "filter",
            "tradeoff",
            to="max(1 - 2*alpha, 1/2 - alpha/2, 3/4 - alpha, 0)",
        ),
    ),
    "offices, a larger function": (
        OFFICES,
        claimed(1, "tradeoff", "max(1 - 36*alpha, 1/36 - alpha/36, 1/5 - alpha, 0)"),
    ),
    "rounds on samples, a smaller delta": (ROUNDS, claimed(1, "delta", "49/160")),
    "rounds on samples, a larger delta": (ROUNDS, claimed(2, "delta", "0.332")),
    "rounds on samples, a larger rate": (
        ROUNDS,
        stamped(
            set_at("core", "mechanisms", 0, "sampled", "values", "s", to="3/5"),
            set_at("problem", "mechanisms", 0, "sampled", "poisson", to="3/5"),
        ),
    ),
    "rounds on samples, a larger function": (
        ROUNDS,
        claimed(4, "tradeoff", "max(7/10 - alpha, 999/1000 - 4*alpha, 999/4000 - alpha/4, 0)"),
    ),
    "couples on a sample, a smaller delta": (COUPLES, claimed(1, "delta", "1/6 - 1e-40")),
    "couples on a sample, a delta that is least": (COUPLES, claimed(2, "delta", "1/6")),
    "couples on a sample, as two steps": (COUPLES, claimed(2, "delta", "1/4")),
    "a record for another on a sample, a smaller delta": (REPLACED, claimed(1, "delta", "4/25")),
    "a record for another on a sample, a larger delta": (REPLACED, claimed(2, "delta", "9/50")),
    "normal noise on samples, a smaller delta": (NORMAL, claimed(1, "delta", "0.0045")),
    "normal noise on samples, a larger delta": (NORMAL, claimed(2, "delta", "0.0047")),
    "normal noise on samples, a rho that may be right": (NORMAL, claimed(4, "rho", "1")),
    "couples on samples, one of them": (
        BOTH,
        claimed(1, "epsilon", "log(s*(exp(e) - 1) + 1) - log(s*exp(-e) - s + 1) + log(9)"),
    ),
    "couples on samples, a claim that is right": (
        BOTH,
        claimed(2, "epsilon", "2*log(s*(exp(e) - 1) + 1) - 2*log(s*exp(-e) - s + 1) + log(9)"),
    ),
}
