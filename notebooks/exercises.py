"""Whether the answer to an exercise of the course is right; where it is not, a hint and never the answer.

>>> right(1 + 1 == 3, "Count your fingers.")
not yet. Count your fingers.
"""

from __future__ import annotations

from typing import Any


def right(answered: bool, hint: str) -> None:
    """Prints that an answer is right, or a hint."""
    print("right" if answered else f"not yet. {hint}")


def best(verdict: Any, hint: str) -> None:
    """The same of a claim, where the least that holds is asked for: what `Study.check` says of it."""
    if verdict.verdict == "proved" and verdict.loose:
        print("not yet: that holds, but so does something smaller.", hint)
    elif verdict.verdict == "refuted":
        print("not yet: that does not always hold.", hint)
    else:
        right(verdict.verdict == "proved", hint)
