"""Writes into the table of forgeries the messages with which they are refused now, in order of the names.

python tests/forged/renew.py: a case that is accepted, or stops the checker, is said and keeps its message.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def main() -> int:
    """Writes the table; 1 where a case is not refused."""
    import forgeries

    from dpcompose.proof import checker, registry

    status, renewed = 0, []
    for one in forgeries.EVERY.values():
        try:
            checker.check(one.forged(), registry.standard())
            status, words = 1, "is accepted"
        except checker.Refused as error:
            words = "" if str(error) == one.refused else f"is refused otherwise: {error}"
            one = dataclasses.replace(one, refused=str(error))
        except Exception as error:
            status, words = 1, f"stops the checker: {type(error).__name__}: {error}"
        if words:
            print(f"{one.name} {words}")
        renewed.append(one)
    forgeries.TABLE.write_text(forgeries.write(renewed), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
