"""Writes what `dpcompose audit` finds: theorems/needed, the table in theorems/README.md, and lines on the pages.

python tests/goldens/renew_audits.py            all pages
python tests/goldens/renew_audits.py PAGE…      the files and the lines of some pages, and not the table
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from on_pages import on_page

from dpcompose.front.printers import audited
from dpcompose.front.studies.audits import Audit
from dpcompose.front.studies.library import theorems
from dpcompose.search.audits.audits import READERS
from dpcompose.search.audits.suppositions import NoSearch

FOLDER = Path(__file__).resolve().parents[2] / "theorems"
START, END = "<!-- written by dpcompose audit -->", "<!-- until here -->"


def written(text: str, rows: list[str]) -> str:
    """A text with other rows between the marks; before its last section where there are none yet."""
    before, mark, rest = text.partition(START)
    block = f"{START}\n\n" + "\n".join(rows) + f"\n\n{END}"
    if mark:
        return before + block + rest.partition(END)[2]
    place = "**Optimal.**" if "**Optimal.**" in text else "**Example.**"
    before, mark, rest = text.partition(place)
    return f"{before}{block}\n\n{mark}{rest}"


def audits(names: list[str]) -> list[Audit]:
    """Of some pages, or of all."""
    found = []
    for one in theorems:
        if one.page.head.kind in READERS and (not names or one.id in names):
            try:
                found.append(one.audit())
            except NoSearch:
                continue
    return found


def main(names: list[str]) -> None:
    found = audits(names)
    for one in found:
        for path in (FOLDER / audited.FOLDER).glob(f"{one.page.id}.*"):
            path.unlink()
        one.save(FOLDER / audited.FOLDER)
        if rows := on_page(one.answers):
            page = one.page.path
            page.write_text(written(page.read_text(encoding="utf-8"), rows), encoding="utf-8")
    if not names:
        readme = FOLDER / "README.md"
        rows = audited.table(answer for one in found for answer in one.answers)
        readme.write_text(written(readme.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
