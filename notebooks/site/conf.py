"""How sphinx reads the manual, the course, the theorem pages and the docstrings, which are no markup."""

from __future__ import annotations

import re
from typing import Any

project = "dpcompose"
author = "The dpcompose authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.viewcode"]
root_doc = "notebooks/site/index"
include_patterns = [
    "notebooks/**.md",
    "notebooks/**.ipynb",
    "theorems/**.md",
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks are committed with their outputs, which tests hold
myst_update_mathjax = False  # which leaves out what cells show
mathjax3_config = {
    "tex": {"inlineMath": [["$", "$"], ["\\(", "\\)"]]},
    "options": {"processHtmlClass": "tex2jax_process|mathjax_process|math|text_html"},
}
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "240px", "description": "is this bound right?"}
html_show_sourcelink = False
html_static_path = ["print.css"]
html_css_files = [("print.css", {"media": "print"})]  # a theorem page prints as a handout
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
suppress_warnings = ["myst.header", "misc.highlighting_failure", "autodoc"]


def as_text(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """A docstring as plain paragraphs; examples are left as they are, and what is in backticks is code."""
    inside = False
    for n, line in enumerate(lines):
        inside = line.lstrip().startswith(">>>") or (inside and bool(line.strip()))
        if not inside:
            bullet, text = ("* ", line[2:]) if line.startswith("* ") else ("", line)
            code = re.split(r"`([^`]*)`", text)
            shown = (
                f"``{part}``" if k % 2 and part else re.sub(r"([\\*|_])", r"\\\1", part)
                for k, part in enumerate(code)
            )
            lines[n] = bullet + "".join(shown)


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", as_text)
