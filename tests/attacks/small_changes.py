"""Adds forgeries for guards of the kernel that none in the table meets: small changes of good derivations.

python tests/attacks/small_changes.py [--seconds N] [NAME...]: every leaf of the derivation and of the core setting of
a problem file is changed in a few ways, for so long; a changed setting has its hash stamped anew, so that the rules
see it.  Of each guard that is met for the first time one change is kept; read them, and give them better names.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "kernel"))

import test_forged
from forgeries import forge
from second_checker import verdicts as second
from test_forged import INTERNAL, OF, BadSetting, Forgery, Refused, leaves

from dpcompose.kernel import check

KERNEL = str(Path(check.__file__).parent)
LONGEST = 700
"""How many signs a forgery may have."""
STAMP = {"at": ["derivation", "setting"], "stamp": True}


def guards(error: BaseException | None) -> Iterator[str]:
    """The places of the kernel at which an error, and those that led to it, were raised."""
    while error is not None:
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        if at is not None and (file := at.tb_frame.f_code.co_filename).startswith(KERNEL):
            yield f"{file}:{at.tb_lineno}"
        error = error.__cause__ or error.__context__


def others(value: Any) -> list[Any]:
    """What stands in place of a leaf."""
    if isinstance(value, int):
        return [value + 1, value - 1, -1, 0, 10**6, "x", None]
    if isinstance(value, str):
        return [
            "0",
            "oo",
            "zz",
            "",
            *(f.format(value) for f in ("{} + 1", "2*({})", "-({})", "1/({})")),
            None,
            3,
        ]
    if isinstance(value, list):
        return [[], value[:-1], value + value[-1:], value[::-1], {}, 7]
    return [{}, [], 1, "x"]


def changes(data: Any, rng: random.Random) -> Iterator[list[dict[str, Any]]]:
    """The edits of one place each, in any order."""
    paths = [path for path in leaves(data) if len(path) > 1 and path[1] not in ("setting", "pages")]
    rng.shuffle(paths)
    for path in paths:
        value = data
        for key in path:
            value = value[key]
        said: list[dict[str, Any]] = [{"value": one} for one in others(value)]
        for one in (*said, {"delete": True}):
            yield [{"at": list(path), **one}]


def refused(data: Any, edits: list[dict[str, Any]]) -> tuple[list[Any], Exception] | None:
    """The edits, with the stamp of a setting that can be read, and how they are refused; None: they are not."""
    try:
        made = forge(copy.deepcopy(data), edits)
        if edits[0]["at"][0] == "core":
            made = forge(made, [STAMP])
            edits = [*edits, STAMP]
    except (BadSetting, ValueError, TypeError, KeyError, IndexError, AttributeError):
        made = forge(copy.deepcopy(data), edits)
    try:
        test_forged.replayed(made)
    except (Refused, BadSetting) as error:
        return edits, error
    return None


def fits(one: Forgery) -> bool:
    """Whether it is short, refused in words, and not accepted by the second checker."""
    if len(one.line) > LONGEST or INTERNAL.search(one.refused):
        print(f"not kept: {one.line}", file=sys.stderr)
        return False
    whole = json.loads(test_forged.made(one.of)) | test_forged.forged(one.of, one.edits)
    return second.check(whole).outcome != "ACCEPTED"


def named(words: str, taken: set[str]) -> str:
    """A name after the first words of a message."""
    base = "-".join(re.findall("[a-z]+", re.sub(r"^((step \d+|[\w.]+): )+", "", words).lower())[:9])
    return next(name for n in range(1, 99) if (name := base if n == 1 else f"{base}-{n}") not in taken)


def main() -> int:
    """Writes the table with what is new, and prints it."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--seconds", type=float, default=5, help="for each file")
    given.add_argument("files", nargs="*", help="left out: those of the forgeries")
    said = given.parse_args()
    table = {one.name: one for one in test_forged.EVERY}
    met = set[str]()
    for one in table.values():
        try:
            test_forged.replayed(test_forged.forged(one.of, one.edits))
        except (Refused, BadSetting) as error:
            met.update(guards(error))
    for of in said.files or OF:
        data, start = test_forged.good(of), time.process_time()
        for edits in changes(data, random.Random(of)):
            if time.process_time() - start > said.seconds:
                break
            found = refused(data, edits)
            if found is not None and not met >= {*guards(found[1])}:
                made = Forgery(named(str(found[1]), {*table}), of, found[0], str(found[1]))
                if fits(made):
                    met.update(guards(found[1]))
                    table[made.name] = made
                    print(made.line)
    test_forged.TABLE.write_text("".join(f"{table[name].line}\n" for name in sorted(table)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
