"""The manual, the course, the theorem pages and the docstrings as a site, every link in it checked.

    pip install -e '.[docs]' && python notebooks/site/docs.py public/docs

Fails where a link leads nowhere, inside a page or between pages.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PICTURES = "notebooks/pictures"
"""What the first page shows by an address that sphinx does not follow."""


class Links(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.to, self.places = list[str](), set[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.places.add(value)
            if name in ("href", "src") and value:
                self.to.append(value)


def dead(folder: Path) -> Iterator[str]:
    """The links between the pages of a folder that lead nowhere, each with the page that it is on.

    Links to other hosts are not followed.
    """
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for link in dict.fromkeys(page.to):
            if urlparse(link).scheme or link.startswith("//"):
                continue
            file, place = map(unquote, urldefrag(link.partition("?")[0] if "#" not in link else link))
            target = (path.parent / file).resolve() if file else path
            if not target.exists():
                yield f"{path.relative_to(folder)}: {link}"
            elif place and target in pages and place not in pages[target].places:
                yield f"{path.relative_to(folder)}: {link} (there is no such place)"


def main(given: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path, help="the folder that is written")
    options.add_argument("--mathjax", type=Path, help="the folder es5 of MathJax 3, to hold it in the site")
    found = options.parse_args(given)
    folder, mathjax = found.folder.resolve(), found.mathjax
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", str(HERE)]
    own = [] if mathjax is None else ["-D", "mathjax_path=mathjax/tex-mml-chtml.js"]
    status = subprocess.run([*sphinx, *own, str(ROOT), str(folder)], check=False).returncode
    if mathjax is not None:
        shutil.copytree(mathjax, folder / "_static" / "mathjax", dirs_exist_ok=True)
    shutil.copytree(ROOT / PICTURES, folder / PICTURES, dirs_exist_ok=True)
    found = list(dead(folder))
    print(
        "\n".join([*found, f"{folder}: {len(list(folder.rglob('*.html')))} pages, {len(found)} dead links"])
    )
    return 1 if status or found else 0


if __name__ == "__main__":
    sys.exit(main())
