"""Writes what is said today of the settings of the corpus: python tests/goldens/renew_corpus.py [NAME…]

NAME is a part of names such as listed-07; without one, all are written.  The settings and the oracle's values
stay as they are.  What is said in a way that the oracle's values contradict is not written.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main(names: list[str]) -> int:
    """Writes the table; 1 where the oracle contradicts what is said, or nothing is chosen."""
    import corpus

    wrong, rows, chosen = 0, [], 0
    for kept in corpus.EVERY:
        if not names or any(name in kept.name for name in names):
            chosen += 1
            study, _, found = corpus.said(kept.problem)
            if mistakes := list(corpus.against_the_oracle(kept, study)):
                print(f"{kept.name} is not written: {'; '.join(mistakes)}")
                wrong += 1
            elif found != kept.said:
                print(f"{kept.name} is changed")
                kept = dataclasses.replace(kept, said=found)
        rows.append(kept)
    corpus.TABLE.write_text("".join(f"{one.line}\n" for one in rows), encoding="utf-8")
    print(f"{chosen} of {len(rows)} looked at")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
