"""Writes what the command says today over the goldens: python tests/goldens/renew.py [NAME…]

NAME is a part of names such as problems/01-bounded-parallel or pages/rules; without one, all are written.
Read the difference before it is kept: a golden changes on purpose.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main(names: list[str]) -> int:
    """Writes the goldens of these names, and of all problems that are no more removes them."""
    import frozen

    every = list(frozen.frozen())
    chosen = [one for one in every if not names or any(name in one.name for name in names)]
    for one in chosen:
        text = one.said()
        one.golden.parent.mkdir(parents=True, exist_ok=True)
        if not one.golden.exists() or one.golden.read_text(encoding="utf-8") != text:
            one.golden.write_text(text, encoding="utf-8")
            print(f"{one.name} is new or changed")
    for file in {*frozen.GOLDENS.rglob("*.txt")} - {one.golden for one in every}:
        file.unlink()
        print(f"{file.relative_to(frozen.GOLDENS)} is removed")
    print(f"{len(chosen)} of {len(every)} looked at")
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
