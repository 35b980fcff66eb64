"""Writes what changed steps and core settings say now, and what is seen of formulas, curves, rows and pages.

python tests/forged/renew_changed.py [NAME...]: of changed steps and settings of these problem files and of new ones;
left out: of all, which takes a few minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]


def main() -> int:
    """Writes the tables."""
    import curves_kept
    import formulas_kept
    import in_letters
    import pages_kept
    from steps_changed import EVERY, FILES, letters, settings_of, steps_of

    names = sys.argv[1:]
    for table, asked in (
        ("formulas", formulas_kept.EVERY),
        ("curves", curves_kept.EVERY),
        ("pages", pages_kept.EVERY),
    ):
        if not names:
            in_letters.write(table, in_letters.answers(asked))
    for table, files, changes in (("steps", FILES, steps_of), ("settings", EVERY, settings_of)):
        before = in_letters.read(table) if names else {}
        of = [name for name in files if name in names or name not in before]
        now = before | letters({name: changes(name) for name in of})
        in_letters.write(table, {name: now[name] for name in files})
    return 0


if __name__ == "__main__":
    sys.exit(main())
