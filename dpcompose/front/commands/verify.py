"""dpcompose verify: decides the claims of problem files."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpcompose.front.commands import running
from dpcompose.language.answers import NoAnswer

if TYPE_CHECKING:
    from dpcompose.front.documents.verdict import Verdict
    from dpcompose.front.studies.results import Answer
    from dpcompose.front.studies.study import Study


def add(commands: running.Commands) -> None:
    """Its options."""
    verify = running.command(
        commands,
        "verify",
        run,
        "decide the claims of problem files: proved, refuted or undecided",
        "Exit status: 0 every claim is proved, or comes out as it expects; 1 some claim is refuted, or not "
        "as it expects; 3 some are undecided; 2 a file is wrong; 4 an internal error, which says nothing of "
        "the claims. Of several files the worst of 2, 4, 1, 3, 0.",
    )
    verify.add_argument("files", nargs="+", metavar="FILE", help="a problem file (TOML), or a folder of them")
    verify.add_argument(
        "-q", "--quiet", action="store_true", help="print only what does not come out, and a summary"
    )
    verify.add_argument(
        "--claim",
        action="append",
        metavar="CLAIM",
        help='decide this instead of the claims of the file: "max(e1, e2)", or by its parameters '
        '"epsilon=1,delta=1e-6" (repeatable)',
    )
    running.with_pages(verify)
    verify.add_argument(
        "--save-derivation",
        metavar="FILE",
        help="write the derivation with certificates (one problem file only)",
    )
    verify.add_argument(
        "--latex", metavar="FILE", help="write the proof as a LaTeX document (one problem file only)"
    )
    verify.add_argument(
        "--sarif",
        metavar="FILE",
        help="also write what is refuted, undecided or not as expected in SARIF, for code reviews",
    )
    verify.add_argument(
        "--fragment",
        action="store_true",
        help="with --latex: a theorem with its proof for a paper, beside it the results used and a .bib",
    )


def run(given: argparse.Namespace) -> int:
    if not running.with_theory(given):
        return running.WRONG
    files = running.in_folders(given.files)
    for option, file in (("--save-derivation", given.save_derivation), ("--latex", given.latex)):
        if file and len(files) > 1:
            print(f"dpcompose: {option} takes one problem file", file=sys.stderr)
            return running.WRONG
    if given.claim and given.sarif:
        print("dpcompose: --sarif is about the claims of files, and --claim about another", file=sys.stderr)
        return running.WRONG
    if given.fragment and not given.latex:
        print("dpcompose: --fragment goes with --latex FILE", file=sys.stderr)
        return running.WRONG
    counts, reported = Counter[str](), list[dict[str, Any]]()
    status = running.over_files(files, lambda file: _run(file, given, counts, reported), given.json)
    if given.sarif and not _reports(given.sarif, reported, complete=counts["read"] == len(files)):
        return running.WRONG
    if (len(files) > 1 or given.quiet) and not given.json:
        print(summary(len(files), counts))
    return status


def summary(files: int, counts: Mapping[str, int]) -> str:
    """What was found about the claims of several files, in a line; "read" counts the files that were.

    >>> summary(3, {"read": 2, "proved": 4, "refuted": 1, "unexpected": 1})
    '3 files: 4 claims proved, 1 refuted; 1 not as expected; 1 file with no verdicts'
    """
    counted = {word: n for word in ("proved", "refuted", "undecided") if (n := counts.get(word, 0))}
    nouns = (" claim" if sum(counted.values()) == 1 else " claims", "", "")
    each = (f"{n}{noun} {word}" for (word, n), noun in zip(counted.items(), nouns, strict=False))
    parts = [", ".join(each) or "no claims"]
    parts += [f"{counts['unexpected']} not as expected"] if counts.get("unexpected") else []
    left = files - counts.get("read", 0)
    parts += [f"{left} file{'s' if left > 1 else ''} with no verdicts"] if left else []
    return f"{files} file{'s' if files > 1 else ''}: {'; '.join(parts)}"


def _findings(file: str, verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """What SARIF says of a file; of the standard input, which was read, without lines."""
    from dpcompose.front.printers import sarif
    from dpcompose.privacy import problems

    text = "" if file == problems.STANDARD_INPUT else problems.text_of(file)
    return sarif.results(file, text, verdicts)


def _reports(path: str, reported: Sequence[dict[str, Any]], complete: bool) -> bool:
    """Writes the SARIF file; False where it cannot be written, which is said."""
    from pathlib import Path

    from dpcompose.front.printers import sarif

    try:
        Path(path).write_text(json.dumps(sarif.log(reported, complete), indent=1), encoding="utf-8")
    except OSError as error:
        print(f"{path}: {error.strerror}", file=sys.stderr)
        return False
    return True


def _run(file: str, given: argparse.Namespace, counts: Counter[str], reported: list[dict[str, Any]]) -> int:
    from dpcompose.front.printers import render
    from dpcompose.front.studies import as_json

    study, claims = running.load(file, given)
    try:
        bound, missing = study.bound, ""
    except NoAnswer as error:
        bound, missing = None, str(error)
    verdicts = (
        [running.checked(study, one) for one in given.claim]
        if given.claim
        else list(map(study.check, claims))
    )
    counts.update(["read", *(verdict.verdict for verdict in verdicts)])
    counts.update("unexpected" for verdict in verdicts if not verdict.as_expected)
    reported += _findings(file, verdicts) if given.sarif else []
    if given.json:
        print(
            json.dumps(as_json.problem_data(file, study, study.judge.shown(verdicts), verdicts)), flush=True
        )
    elif not given.quiet or _status(verdicts) != running.FINE:
        rows = [study.setting.title or file]
        if bound is None:
            composed = study.judge.stated.composed
            about = render.about(composed.scope, composed.where)
            rows += [f"  {one}" for one in (f"no guarantee: {missing}", *about)]
        else:
            rows += render.rows(bound, filter(None, (bound.one_by_one, study.together())), "  ")
        rows += [f"  warning: {warning}" for warning in study.warnings()]
        rows += [render.verdict(n, verdict) for n, verdict in enumerate(verdicts, start=1)]
        print("\n".join(rows), end="\n\n", flush=True)
    if bound is None and (given.save_derivation or given.latex):
        print(f"{file}: there is no derivation to save: {missing}", file=sys.stderr)
        return running.WRONG
    saved = _saved(
        given,
        lambda path: study.save(path, verdicts),
        lambda path: _printed(study, verdicts, path, given.fragment),
    )
    return _status(verdicts) if saved else running.WRONG


def _printed(study: Study, verdicts: Sequence[Answer], path: str, fragment: bool) -> None:
    """Writes the proof in LaTeX: for a paper, or as a document."""
    from pathlib import Path

    if fragment:
        study.paper(verdicts).write(path)
    else:
        Path(path).write_text(study.to_latex(verdicts), encoding="utf-8")


def _saved(given: argparse.Namespace, *write: Callable[[str], None]) -> bool:
    """Writes the files that are asked for; False where one cannot be written, which is said."""
    for path, one in zip((given.save_derivation, given.latex), write, strict=True):
        try:
            if path:
                one(path)
        except OSError as error:
            print(f"{path}: {error.strerror}", file=sys.stderr)
            return False
    return True


STATUS = {"proved": running.FINE, "refuted": running.DIFFERS}


def _status(verdicts: Sequence[Verdict]) -> int:
    statuses = [running.FINE]
    for verdict in verdicts:
        if verdict.claim.expect is not None:
            statuses.append(running.FINE if verdict.as_expected else running.DIFFERS)
        else:
            statuses.append(STATUS.get(verdict.verdict, running.UNDECIDED))
    return min(statuses, key=running.WORST_FIRST.index)
