"""Writes into the table of forgeries of the kernel the messages with which they are refused now.

python tests/forged/renew_kernel.py: one that is accepted, or refused by an error, is said and keeps its message.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "kernel")]


def main() -> int:
    """Writes the table; 1 where a case is not refused in words."""
    import test_forged

    status, renewed = 0, []
    for one in test_forged.EVERY:
        try:
            test_forged.replayed(test_forged.forged(one.of, one.edits))
            status, words = 1, "is accepted"
        except (test_forged.Refused, test_forged.BadSetting) as error:
            words = "" if str(error) == one.refused else f"is refused otherwise: {error}"
            one = dataclasses.replace(one, refused=str(error))
        except Exception as error:
            status, words = 1, f"stops the kernel: {type(error).__name__}: {error}"
        if words:
            print(f"{one.name} {words}")
        renewed.append(one)
    test_forged.TABLE.write_text("".join(f"{one.line}\n" for one in renewed), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
