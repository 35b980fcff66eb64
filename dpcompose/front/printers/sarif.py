"""Verdicts in SARIF 2.1.0, which shows them beside the lines of problem files in reviews."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.printers import render

CLAIM = re.compile(r"^\s*\[\[\s*(?:claims|\"claims\")\s*\]\]")
RULES = {
    "refuted": "A claimed bound is refuted by two databases and mechanisms that lose more.",
    "undecided": "A claimed bound is neither proved nor refuted.",
    "unexpected": "A claim comes out differently than its file expects.",
}


def finding(verdict: Verdict) -> str:
    """What is to be reported of a verdict: a rule, or "" where all is well.

    A claim with `expect` is fine where it comes out so; another one where it is proved.
    """
    if verdict.claim.expect is not None:
        return "" if verdict.as_expected else "unexpected"
    return "" if verdict.verdict == "proved" else verdict.verdict


def address(file: str) -> str:
    """A file as SARIF names it: seen from here where it is in this folder, else in full.

    >>> address("my claims.toml"), address("/elsewhere/a.toml")
    ('my%20claims.toml', 'file:///elsewhere/a.toml')
    """
    path = Path(file)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def results(file: str, text: str, verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """The findings of a problem file, each at the line of its claim.

    text -- that of the file; claims that it does not list one by one are told at its first line.
    """
    lines = [n for n, line in enumerate(text.splitlines(), start=1) if CLAIM.match(line)]
    findings = []
    for n, verdict in enumerate(verdicts, start=1):
        if rule := finding(verdict):
            line = lines[n - 1] if len(lines) == len(verdicts) else 1
            place = {"artifactLocation": {"uri": address(file)}, "region": {"startLine": line}}
            findings.append(
                {
                    "ruleId": rule,
                    "level": "warning" if rule == "undecided" else "error",
                    "message": {"text": render.verdict(n, verdict)},
                    "locations": [{"physicalLocation": place}],
                }
            )
    return findings


def log(found: Sequence[dict[str, Any]], complete: bool) -> dict[str, Any]:
    """The whole log; complete -- whether all files were read and judged."""
    from dpcompose import __version__

    rules = [{"id": id, "shortDescription": {"text": text}} for id, text in RULES.items()]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "dpcompose", "version": __version__, "rules": rules}},
                "invocations": [{"executionSuccessful": complete}],
                "results": list(found),
            }
        ],
    }
