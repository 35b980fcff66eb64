"""Writes which changes of core settings are read now: python tests/forged/renew_settings.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]


def main() -> int:
    """Writes the table."""
    import changed
    import derived
    from forgeries import FORGED

    table = {}
    for name in (*derived.SHORT, *derived.IN_METRICS):
        core = derived.good(name)["core"]
        table[name] = {
            place: "".join(changed.reads(change, core) for change in some)
            for place, some in changed.by_place(core).items()
        }
    (FORGED / "settings.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
