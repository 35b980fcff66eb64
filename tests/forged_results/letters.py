"""Forged results about numbers of steps that are letters, and about claims shown by steps of calculus."""

from __future__ import annotations

from typing import Any

from forged_results.edits import Edit, claimed, core, every_step, remove, set_at, stamped, step, without

DIARY, TRAINING = "problems/239-days-of-a-diary", "problems/178-training-with-samples"
DIVERGENCES, CHOICE = "problems/186-renyi-of-noise", "problems/244-how-much-a-choice-concentrates"
WARD = "problems/291-shifts-in-a-ward"


def calculus(n: int, at: int, to: Any) -> Edit:
    """Changes a step of the n-th proof by calculus."""

    def edit(data: Any) -> None:
        found = []
        for one in every_step(data["derivation"]):
            some = [one.get("certificate"), *one.get("certificates", {}).values()]
            found += [x["proof"]["steps"] for x in some if x and "steps" in x["proof"]]
        assert found[n - 1][at] != to
        found[n - 1][at] = to

    return edit


ANY_DAY = ("mechanisms", 2, "stated")
FORGERIES: dict[str, tuple[str, Edit]] = {
    # each number of steps
    "any number of days for what two of them lose": (DIARY, claimed(1, "epsilon", "min(m, 2)*e")),
    "a second day that is free": (DIARY, claimed(1, "epsilon", "e + f")),
    "two days that are no more than seen": (DIARY, claimed(3, "epsilon", "2*e + f")),
    "three days, of which two are read": (DIARY, step("refute", 1, "point", "m", to="1")),
    "a number of days that is no number": (DIARY, core("target", "times", to="e")),
    "days that are counted twice": (DIARY, core("target", "steps", to=2)),
    "a day that nobody changes": (DIARY, core("target", "single", to=[[1], [2], [3]])),
    "two days at once": (DIARY, core("target", "single", to=[[0, 1], [2], [3]])),
    "days for any two diaries": (
        DIARY,
        stamped(set_at("core", *ANY_DAY, "single", to=[[0], [1], [2], [3]])),
    ),
    "diaries in groups for a guarantee": (
        DIARY,
        stamped(
            set_at("core", *ANY_DAY, "single", to=[[0], [1], [2], [3]]),
            set_at("problem", "mechanisms", 2, "guarantee", "granularity", to="bounded"),
        ),
    ),
    "groups that nothing says": (DIARY, lambda data: data["derivation"]["pages"].pop("groups-of-any-size")),
    # steps of calculus
    "one day for all that are left": (DIARY, calculus(1, 1, ["number", "e"])),
    "days from the second on taken for one": (DIARY, calculus(1, 0, ["split", "m", "2"])),
    "another day that is the largest": (DIARY, calculus(1, 5, ["largest", "-min(m, 2)", "-m"])),
    "a member that is not the largest": (DIARY, calculus(1, 3, ["largest", "max(e + f, 0)", "0"])),
    "losses collected that are not there": (DIARY, calculus(1, 7, ["collect", ["e", "m"]])),
    "a slope in another letter": (TRAINING, calculus(1, 3, ["slope", "s", "greatest"])),
    "a slope from the other end": (TRAINING, calculus(1, 6, ["slope", "T", "greatest"])),
    "half of a delta": (TRAINING, claimed(1, "delta", "T*s*d/2")),
    "a loss without its square": (
        TRAINING,
        claimed(2, "epsilon", "sqrt(2*T*log(1/q))*log(1 + s*(exp(e) - 1))"),
    ),
    "half of a square": (DIVERGENCES, calculus(1, 10, ["square", "b", "1"])),
    "a square of another letter": (DIVERGENCES, calculus(1, 10, ["square", "exp(1/b)", "1/2"])),
    "a smaller divergence of noise": (
        DIVERGENCES,
        claimed(2, "epsilon", "9/(10*b) + alpha/s**2"),
    ),
    # how much a choice concentrates
    "a tenth less than a choice loses": (
        CHOICE,
        claimed(2, "rho", "9/10*(log((exp(e) - 1)/e) - 1 + e/(exp(e) - 1))"),
    ),
    "a larger claim than a choice loses refuted": (CHOICE, claimed(4, "rho", "e**2/8")),
    "a logarithm of something else": (CHOICE, claimed(2, "rho", "log((exp(e) + 1)/e) - 1 + e/(exp(e) - 1)")),
    "a choice at half of its noise": (CHOICE, core("mechanisms", 0, "noise", "parameter", to="e/4")),
    "what a choice loses without what is closer": (CHOICE, without("noise", 1, "closer")),
    # groups of steps that are seen through a map
    "one exchange for two": (WARD, claimed(1, "epsilon", "e")),
    "two exchanges that are more than one": (WARD, claimed(2, "epsilon", "2*e")),
    "exchanges one by one": (WARD, core("mechanisms", 0, "stated", "steps", to=1)),
    "three exchanges": (WARD, set_at("problem", "mechanisms", 0, "guarantee", "granularity", "group", to=3)),
    "exchanges of the same shifts": (WARD, core("mechanisms", 0, "stated", "single", to=[[0, 3], [1, 3]])),
    "nurses who come and go": (
        WARD,
        stamped(set_at("core", "databases", "size", 0, to="at most")),
    ),
    "a ward of any size": (
        WARD,
        stamped(
            set_at("problem", "databases", "size", to="any"),
            set_at("core", "databases", "size", to=["any", None]),
            remove("core", "databases", "letter"),
        ),
    ),
    "training read, too": (
        WARD,
        stamped(
            set_at("core", "mechanisms", 0, "reads", 0, to=[0, 1, 3]),
            set_at("problem", "mechanisms", 0, "reads", "records", to=["early", "late", "training"]),
        ),
    ),
}
