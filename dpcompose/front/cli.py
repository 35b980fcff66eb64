"""The command: dpcompose verify, bound, budget, draw, theorems, recheck, compare, example, schema.

Exit status of verify: 0 every claim proved, or as it expects; 1 some claim refuted, or not as
it expects; 3 some undecided; 2 a file is wrong; 4 an internal error, which says nothing of the
claims.  Of several files the worst of 2, 4, 1, 3, 0.
"""

from __future__ import annotations

import argparse
import codecs
import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpcompose.front.metric_study import MetricStudy
    from dpcompose.front.study import Study
    from dpcompose.front.verdict import Verdict
    from dpcompose.kernel.pages import Page
    from dpcompose.proof.metric_checker import MetricChecked
    from dpcompose.search.metric_claims import MetricVerdict
    from dpcompose.spaces.granularities import Granularity

FINE, DIFFERS, WRONG, UNDECIDED, INTERNAL = 0, 1, 2, 3, 4
WORST_FIRST = (WRONG, INTERNAL, DIFFERS, UNDECIDED, FINE)
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    given = _parser().parse_args(arguments)
    codecs.register_error("dpcompose", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a narrow terminal shows what it can
            stream.reconfigure(errors="dpcompose")
    try:
        status: int = given.run(given)
    except KeyboardInterrupt:
        print("dpcompose: interrupted; what is above is complete", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return INTERRUPTED
    except Exception as error:  # of a command that is about no file
        from dpcompose.front import internal

        print(f"dpcompose: {internal.words(error)}", file=sys.stderr)
        return INTERNAL
    return status


ASCII = {
    "…": "...",
    "∎": "QED",
    "∅": "{}",
    "–": "-",
    "’": "'",
    "ε": "epsilon",
    "δ": "delta",
    "≤": "<=",
    "∞": "oo",
}
"""What stands for signs that an encoding does not have; others are written as Python escapes."""


def _in_ascii(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    return ASCII.get(sign) or sign.encode("ascii", "backslashreplace").decode("ascii"), error.start + 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dpcompose",
        description="Proves or refutes bounds on compositions of differentially private mechanisms, "
        "under any neighbour relation.",
        epilog="A problem file states a setting and claims about it; `dpcompose example` has some. "
        "`dpcompose COMMAND --help` says more of a command.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], int], words: str, more: str, as_json: bool = True
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name, help=words, description=words[0].upper() + words[1:] + ".", epilog=more
        )
        if as_json:
            made.add_argument("--json", action="store_true", help="print JSON, one object a line")
        made.set_defaults(run=run, theorems=[])
        return made

    def with_pages(made: argparse.ArgumentParser) -> None:
        made.add_argument(
            "--theorems",
            action="append",
            default=[],
            metavar="DIR",
            help="also use the theorem pages of a folder of your own, which are only believed: results that "
            "rest on them say so (repeatable)",
        )

    verify = command(
        "verify",
        _verify,
        "decide the claims of problem files: proved, refuted or undecided",
        "Exit status: 0 every claim is proved, or comes out as it expects; 1 some claim is refuted, or not "
        "as it expects; 3 some are undecided; 2 a file is wrong; 4 an internal error, which says nothing of "
        "the claims. Of several files the worst of 2, 4, 1, 3, 0.",
    )
    verify.add_argument("files", nargs="+", metavar="FILE", help="a problem file (TOML)")
    with_pages(verify)
    verify.add_argument(
        "--save-derivation",
        metavar="FILE",
        help="write the derivation with certificates (one problem file only)",
    )
    verify.add_argument(
        "--latex", metavar="FILE", help="write the proof as a LaTeX document (one problem file only)"
    )
    bound = command(
        "bound",
        _bound,
        "print the best guarantee of problem files with its derivation",
        "Also the metric that it follows from, what is believed without check, and of every composition "
        "theorem whether it fits, and if not, why. Exit status: 0; 3 no guarantee was found; 2 a file is "
        "wrong; 4 an internal error.",
    )
    bound.add_argument("files", nargs="+", metavar="FILE", help="a problem file (TOML)")
    with_pages(bound)
    at_values = "exact numbers for parameters: e1=1/2,e2=1; of a family e[i]: k=10,e=1/10, and e[3]=1 for one"
    bound.add_argument("--at", metavar="VALUES", help=f"also the guarantee at {at_values}")
    bound.add_argument(
        "--membership",
        action="store_true",
        help="also what it says of a membership test: true positives by false ones, advantage, posterior",
    )
    budget = command(
        "budget",
        _budget,
        "choose the parameters for which the guarantee is a wanted total",
        "Solved exactly, for guarantees that grow as a power of a common factor of the parameters. Of (e, d) "
        "both totals are given: --total epsilon=1,delta=1e-6. Example: dpcompose budget FILE --total 1 "
        "--weights e1=2,e2=1. Exit status: 0; 3 there is no such guarantee, or it has another form; 2 a file "
        "or value is wrong; 4 an internal error.",
    )
    budget.add_argument("file", metavar="FILE", help="a problem file (TOML)")
    with_pages(budget)
    budget.add_argument("--total", required=True, metavar="TOTAL", help="the guarantee that is wanted: 1")
    budget.add_argument("--weights", metavar="VALUES", help="proportions: e1=2,e2=1 (default: all equal)")
    budget.add_argument("--at", metavar="VALUES", help=f"what is not to be chosen: {at_values}")
    draw = command(
        "draw",
        _draw,
        "draw the neighbours of a problem file, what budgets add up to, and curves of privacy",
        "Databases are joined to their neighbours; marks and lines say what the mechanisms read. Of an "
        "infinite class a small part is drawn, and the picture says so. Needs matplotlib: "
        "pip install 'dpcompose[notebook]'. Exit status: 0; 2 it cannot be drawn.",
        as_json=False,
    )
    draw.add_argument("file", metavar="FILE", help="a problem file (TOML)")
    with_pages(draw)
    draw.add_argument(
        "-o", dest="output", required=True, metavar="PICTURE", help="picture.svg, .png, .pdf, or graph.dot"
    )
    draw.add_argument("--size", metavar="SIZE", help='databases of which size: "<= 2" (default) or "= 3"')
    draw.add_argument("--claim", type=int, metavar="N", help="highlight the counterexample to claim N")
    draw.add_argument("--from", dest="start", metavar="a,b", help="shade by the distance from a database")
    draw.add_argument(
        "--budget",
        metavar="VALUES",
        help=f"draw bars instead: sum, bound and claims at {at_values}",
    )
    draw.add_argument(
        "--curve",
        choices=("delta", "trade-off"),
        help="draw curves instead: delta at every epsilon, or the trade-off of errors, of bound and claims",
    )
    draw.add_argument("--at", metavar="VALUES", help=f"with --curve: {at_values}")
    theorems = command(
        "theorems",
        _theorems,
        "list the theorem pages, or print one",
        "Items GB:... are those of Guerra-Balboa, Miranda-Pascual, Parra-Arnau, Strufe, Composition in "
        "Differential Privacy for General Granularity Notions (arXiv 2308.14649).",
    )
    with_pages(theorems)
    theorems.add_argument("id", nargs="?", metavar="ID", help="a page's id, or an item such as GB:IV.13")
    theorems.add_argument(
        "--table",
        action="store_true",
        help="print what every theorem concludes in every notion, and the gaps",
    )
    theorems.add_argument(
        "--for",
        dest="problem",
        metavar="FILE",
        help="say of every composition theorem whether it fits a problem file",
    )
    recheck = command(
        "recheck",
        _recheck,
        "check saved derivations again, without search and solver",
        "Exit status: 0 everything was checked; 1 a derivation is refused, with the reason; 2 a file cannot "
        "be read; 4 an internal error, which says nothing of the derivation.",
    )
    recheck.add_argument(
        "files", nargs="+", metavar="FILE", help="a file that verify --save-derivation wrote"
    )
    with_pages(recheck)
    recheck.add_argument(
        "--allow",
        action="extend",
        nargs="+",
        metavar="PAGE",
        help="refuse what rests on other theorem pages than these (and on those that are derived); left out: "
        "all that ship are allowed, and of your own each is named",
    )
    compare = command(
        "compare",
        _compare,
        "compare two granularities: how many steps of one a step of the other is",
        "Both ways, with neighbours that attain it. Example: "
        'dpcompose compare bounded bounded^3 --kind tuples --size "= 5". '
        "Exit status: 0; 3 no lemma decides the class; 2 something is wrong. Neighbours of your own are "
        "compared in Python: dpcompose.compare(first, second, on).",
    )
    compare.add_argument(
        "granularities",
        nargs=2,
        metavar="GRANULARITY",
        help="unbounded (multisets), bounded, event (streams), free-lunch, or bounded^3 for groups of up to "
        "3 steps",
    )
    compare.add_argument(
        "--kind", default="multisets", help="the class: multisets (default), tuples, streams"
    )
    compare.add_argument("--records", metavar="a,b,c", help="the record universe (default: an arbitrary one)")
    compare.add_argument(
        "--size", default="any", help='how many records a database has: any (default), "<= 4" or "= 4"'
    )
    with_pages(compare)
    example = command(
        "example",
        _example,
        "list the problem files that are installed with dpcompose, or print one",
        "Example: dpcompose example 1 --save, and then dpcompose verify 01-bounded-parallel.toml.",
    )
    example.add_argument("number", nargs="?", metavar="N", help="the number of a file in the list")
    example.add_argument("--save", action="store_true", help="write it to this folder under its name")
    command(
        "schema",
        _schema,
        "print the JSON schema of problem files, for editors",
        "An editor that knows TOML checks and completes a problem file with it.",
        as_json=False,
    )
    return parser


def _verify(given: argparse.Namespace) -> int:
    if not _with_theory(given):
        return WRONG
    for option, file in (("--save-derivation", given.save_derivation), ("--latex", given.latex)):
        if file and len(given.files) > 1:
            print(f"dpcompose: {option} takes one problem file", file=sys.stderr)
            return WRONG
    return _each(given.files, lambda file: _verify_file(file, given), given.json)


def _each(files: Sequence[str], run: Callable[[str], int], as_json: bool) -> int:
    """Runs over all files; wrong ones, and errors of our own, do not keep the others from it.

    The worst status.
    """
    from dpcompose.front import internal
    from dpcompose.kernel.pages import PageError
    from dpcompose.privacy.problems import ProblemError
    from dpcompose.spaces.databases import TooLarge

    statuses = []
    for file in files:
        try:
            statuses.append(run(file))
        except ProblemError as error:
            _wrong(file, str(error), as_json)
            statuses.append(WRONG)
        except PageError as error:
            _wrong(file, f"{file}: a theorem page that this needs is wrong:\n{error}", as_json)
            statuses.append(WRONG)
        except BrokenPipeError:
            raise
        except _said_wrongly() as error:
            message = f"{file}: {error.strerror if isinstance(error, OSError) else error}"
            _wrong(file, message, as_json)
            statuses.append(WRONG)
        except TooLarge as error:
            _wrong(file, f"{file}: {error}", as_json)
            statuses.append(UNDECIDED)
        except Exception as error:  # also of memory: the next file may need less
            _wrong(file, f"{file}: {internal.words(error)}", as_json)
            statuses.append(INTERNAL)
    return min(statuses, key=WORST_FIRST.index)


def _said_wrongly() -> tuple[type[Exception], ...]:
    """What refuses a setting, a file, and numbers that are given, if the command looked at any."""
    from dpcompose.privacy.settings import InvalidSetting

    numbers = sys.modules.get("dpcompose.front.numbers")
    return (InvalidSetting, OSError) if numbers is None else (InvalidSetting, OSError, numbers.WrongValue)


def _wrong(file: str, message: str, as_json: bool) -> None:
    print(message, file=sys.stderr)
    if as_json:
        print(json.dumps({"file": file, "error": message}), flush=True)


def _load(file: str, given: argparse.Namespace) -> tuple[Study, Any]:
    from dpcompose.front.study import load

    return load(file, given.theory)


def _in_metric(file: str, given: argparse.Namespace) -> tuple[MetricStudy, Any] | None:
    """The study of a file about privacy in a metric, and its claims; None for a file about neighbours."""
    from dpcompose.privacy import problems

    if "metrics" not in problems.parsed(problems.text_of(file), file):
        return None
    from dpcompose.front import metric_study

    return metric_study.of_file(file, given.theory)


def _with_theory(given: argparse.Namespace, warn: bool = True) -> bool:
    """Reads the theorem pages that a command uses, as given.theory; False where a folder has none.

    warn -- whether to say in a line that some are wrong: the command works without them, if it can.
    """
    from pathlib import Path

    from dpcompose.kernel.pages import PageError
    from dpcompose.proof import registry

    try:
        more = list(map(Path, given.theorems))
        given.theory = registry.load(registry.folder(), *more) if more else registry.standard()
    except PageError as error:
        print(f"dpcompose: {error}", file=sys.stderr)
        return False
    if (wrong := given.theory.wrong) and warn:
        names = ", ".join(one.file for one in wrong)
        said = (
            "a theorem page is wrong and left out"
            if len(wrong) == 1
            else "theorem pages are wrong and left out"
        )
        print(f"dpcompose: warning: {said}: {names}; `dpcompose theorems` says why", file=sys.stderr)
    return True


def _verify_file(file: str, given: argparse.Namespace) -> int:
    from dpcompose.front import render
    from dpcompose.search.guarantees import NoGuarantee
    from dpcompose.spaces.databases import TooLarge

    if (in_metric := _in_metric(file, given)) is not None:
        return _verify_in_metric(file, *in_metric, given)
    study, claims = _load(file, given)
    try:
        bound, missing = study.bound, ""
    except (NoGuarantee, TooLarge) as error:
        bound, missing = None, str(error)
    verdicts = [study.check(claim) for claim in claims]
    if given.json:
        shown = render.of_claims(verdicts, bound)
        data = render.problem_data(file, study.setting, shown, verdicts, study.warnings(), study.theory)
        print(json.dumps(data), flush=True)
    else:
        print(f"{study.setting.title or file}")
        print(f"  {study.guarantee()!r}" if bound is not None else f"  no guarantee: {missing}")
        for smaller in (render.smaller(bound), render.one_by_one(bound)) if bound is not None else ():
            if smaller:
                print(f"  {smaller}")
        print(f"  on {study.setting.databases}")
        _print_rests(bound.relies_on if bound is not None else ())
        for warning in study.warnings():
            print(f"  warning: {warning}")
        for n, verdict in enumerate(verdicts, start=1):
            print(render.verdict(n, verdict, verdict.bound))
        print(flush=True)
    for path, write in ((given.save_derivation, study.save), (given.latex, _save_latex(study))):
        if not path:
            continue
        if bound is None:
            print(f"{file}: there is no derivation to save: {missing}", file=sys.stderr)
            return WRONG
        try:
            write(path, verdicts)
        except OSError as error:
            print(f"{path}: {error.strerror}", file=sys.stderr)
            return WRONG
    return _status(verdicts)


def _verify_in_metric(file: str, study: MetricStudy, claims: Any, given: argparse.Namespace) -> int:
    from pathlib import Path

    verdicts = [study.check(claim) for claim in claims]
    if given.json:
        print(json.dumps(study.data(file, verdicts)), flush=True)
    else:
        print(study.text(verdicts, file) + "\n", flush=True)
    for path in filter(None, (given.save_derivation, given.latex)):
        try:
            if path == given.save_derivation:
                study.save(path, verdicts)
            else:
                Path(path).write_text(study.to_latex(verdicts), encoding="utf-8")
        except OSError as error:
            print(f"{path}: {error.strerror}", file=sys.stderr)
            return WRONG
    return _status(verdicts)


def _print_rests(relies_on: Sequence[Page], indent: str = "  ") -> None:
    """A line for each page that a result rests on, and for which nobody vouches."""
    from dpcompose.proof import registry

    for row in registry.rests(relies_on):
        print(textwrap.fill(row, 78, initial_indent=indent, subsequent_indent=indent + "  "))


def _save_latex(study: Study) -> Callable[[str, Sequence[Verdict]], None]:
    def save(path: str, verdicts: Sequence[Verdict]) -> None:
        from pathlib import Path

        Path(path).write_text(study.guarantee().to_latex(verdicts), encoding="utf-8")

    return save


def _status(verdicts: Sequence[Verdict] | Sequence[MetricVerdict]) -> int:
    statuses = [FINE]
    for verdict in verdicts:
        if verdict.claim.expect is not None:
            statuses.append(FINE if verdict.as_expected else DIFFERS)
        else:
            statuses.append({"proved": FINE, "refuted": DIFFERS}.get(verdict.verdict, UNDECIDED))
    return min(statuses, key=WORST_FIRST.index)


def _bound(given: argparse.Namespace) -> int:
    if not _with_theory(given):
        return WRONG
    return _each(given.files, lambda file: _bound_file(file, given), given.json)


def _values(text: str | None) -> dict[str, str]:
    """The numbers of --at and of the like.  Raises ValueError."""
    from dpcompose.front import numbers

    return numbers.read_values(text) if text else {}


def _bound_file(file: str, given: argparse.Namespace) -> int:
    from dpcompose.front import numbers, render
    from dpcompose.search.guarantees import NoGuarantee
    from dpcompose.spaces.databases import TooLarge

    if (in_metric := _in_metric(file, given)) is not None:
        return _bound_in_metric(file, in_metric[0], given)
    study, _ = _load(file, given)
    values = _values(given.at)
    try:
        bound = study.bound
    except (NoGuarantee, TooLarge) as error:
        if given.json:
            print(
                json.dumps({"file": file, "title": study.setting.title, "undecided": str(error)}), flush=True
            )
        else:
            print(f"{study.setting.title or file}\n  no guarantee: {error}\n", flush=True)
        return UNDECIDED
    there = study.guarantee().at(values) if values else {}
    read = study.guarantee().membership(values) if given.membership else None
    if given.json:
        data = render.problem_data(file, study.setting, bound, [], study.warnings(), study.theory)
        del data["claims"]
        if values:
            data["at"] = {
                "parameters": values,
                "guarantee": numbers.as_texts(there),
                "approximately": numbers.approximations(there, up=True),
            }
        if read is not None:
            data["membership"] = read.data()
        if (metric := _metric(study)) is not None:
            data["metric"] = metric
        data["derivation"] = [line.data() for line in bound.derivation.lines]
        data["fits"] = render.fits_data(bound)
        print(json.dumps(data), flush=True)
        return FINE
    print(f"{study.setting.title or file}\n{study.guarantee()!r}")
    if smaller := render.one_by_one(bound):
        print(smaller)
    print(f"on {study.setting.databases}")
    _print_rests(bound.relies_on, "")
    if values:
        print(f"at {', '.join(f'{name} = {value}' for name, value in values.items())}:")
        print("\n".join(f"  {key} = {numbers.shown(value)}" for key, value in there.items()))
    if read is not None:
        print(read)
    if (metric := _metric(study)) is not None:
        print(textwrap.fill(f"private in the metric {metric}", 78, subsequent_indent="    "))
    for warning in study.warnings():
        print(f"warning: {warning}")
    print(f"\n{study.guarantee().derivation}\n")
    print("composition theorems (* gives the bound, + fits, - does not fit):")
    print(render.fits(bound, bound.guarantee.notion) + "\n", flush=True)
    return FINE


def _bound_in_metric(file: str, study: MetricStudy, given: argparse.Namespace) -> int:
    if given.json:
        data = study.data(file, [])
        del data["claims"]
        print(json.dumps(data), flush=True)
        return FINE
    print(f"{study.setting.title or file}\n{study!r}\non {study.setting.databases}\n")
    print(f"{study.derivation()}\n", flush=True)
    return FINE


def _budget(given: argparse.Namespace) -> int:
    if not _with_theory(given):
        return WRONG
    return _each([given.file], lambda file: _budget_file(file, given), given.json)


def _budget_file(file: str, given: argparse.Namespace) -> int:
    from dpcompose.front import numbers, render
    from dpcompose.search.guarantees import NoGuarantee
    from dpcompose.spaces.databases import TooLarge

    study, _ = _load(file, given)
    try:
        weights, fixed = _values(given.weights), _values(given.at)
        total = numbers.read_total(study.bound.guarantee.notion, given.total, study.theory.parameters)
        found = study.budget(total, weights, fixed)
    except (NoGuarantee, numbers.NoBudget, TooLarge) as error:
        if given.json:
            print(json.dumps({"file": file, "undecided": str(error)}), flush=True)
        else:
            print(f"{file}: {error}", file=sys.stderr)
        return UNDECIDED
    if given.json:
        data = {"file": file, "title": study.setting.title} | found.data()
        print(json.dumps(data | render.believed_pages(study.bound.relies_on)), flush=True)
        return FINE
    print(f"{study.setting.title or file}\n{study.guarantee()!r}")
    said = ", ".join(f"{name} = {value}" for name, value in weights.items())
    words = "largest" if found.largest else "smallest"
    print(
        f"the {words} parameters{f' in the proportions {said}' if said else ''} for a total of {given.total}:"
    )
    print("\n".join(f"  {row}" for row in str(found).splitlines()), flush=True)
    return FINE


def _draw(given: argparse.Namespace) -> int:
    if not _with_theory(given):
        return WRONG
    return _each([given.file], lambda file: _draw_file(file, given), False)


def _draw_file(file: str, given: argparse.Namespace) -> int:
    from pathlib import Path

    from dpcompose.front import pictures, plots
    from dpcompose.search.guarantees import NoGuarantee
    from dpcompose.spaces.databases import TooLarge

    study, claims = _load(file, given)
    try:
        if given.budget:
            picture = pictures.budget_bars(study, _values(given.budget), claims)
        elif given.curve:
            curve = plots.privacy_curve if given.curve == "delta" else plots.trade_off_curve
            picture = curve(study, claims=claims, at=_values(given.at))
        else:
            highlight = None
            if given.claim is not None:
                if not 1 <= given.claim <= len(claims):
                    raise ValueError(f"there is no claim {given.claim}; there are {len(claims)}")
                highlight = study.check(claims[given.claim - 1])
                if highlight.counterexample is None:
                    raise ValueError(f"claim {given.claim} is {highlight.verdict}: it has no counterexample")
            if given.output.endswith(".dot"):
                text = pictures.to_dot(study, highlight=highlight, size=given.size)
                Path(given.output).write_text(text, encoding="utf-8")
                return FINE
            start = None if given.start is None else tuple(filter(None, given.start.split(",")))
            picture = pictures.draw(study, highlight=highlight, size=given.size, distances_from=start)
        picture.save(given.output)
    except (NoGuarantee, TooLarge, ValueError, ImportError) as error:
        print(f"{file}: {error}", file=sys.stderr)
        return WRONG
    print(f"{given.output}: {picture.alt}")
    return FINE


def _example(given: argparse.Namespace) -> int:
    from pathlib import Path

    from dpcompose.front import files

    if given.number is None:
        for number, title in files.to_choose_from():
            print(json.dumps({"number": number, "title": title}) if given.json else f"{number}  {title}")
        return FINE
    try:
        path = files.example(given.number)
    except KeyError:
        print(
            f"dpcompose: there is no example {given.number}; `dpcompose example` lists all", file=sys.stderr
        )
        return WRONG
    text = path.read_text(encoding="utf-8")
    if not given.save:
        print(json.dumps({"file": path.name, "text": text}) if given.json else text, end="")
        return FINE
    try:
        with Path(path.name).open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        print(f"{path.name}: {error.strerror}", file=sys.stderr)
        return WRONG
    print(json.dumps({"file": path.name}) if given.json else f"{path.name}: {files.title(path)}")
    return FINE


def _schema(given: argparse.Namespace) -> int:
    from dpcompose.front import files

    print(json.dumps(files.json_schema(), indent=2))
    return FINE


MOST_IN_A_METRIC = 8
"""The most mechanisms for which the composed metric is printed."""


def _metric(study: Study) -> str | None:
    """The metric of which the guarantee is the largest value over neighbours; None where it is too long."""
    from dpcompose.proof.privacy_metric import NoMetric

    mechanisms = study.setting.mechanisms
    if study.setting.families or len(mechanisms) > MOST_IN_A_METRIC:
        return None
    try:
        return str(study.guarantee().metric)
    except NoMetric:
        return None


def _theorems(given: argparse.Namespace) -> int:
    if not _with_theory(given, warn=given.problem is not None):
        return WRONG
    if given.problem is not None:
        return _each([given.problem], lambda file: _theorems_for(file, given), given.json)
    return _all_theorems(given) if given.id is None or given.table else _theorem(given)


def _all_theorems(given: argparse.Namespace) -> int:
    """Lists all pages, or what they conclude; status 2 where some are wrong, with every mistake."""
    from dpcompose.front import render

    theory = given.theory
    if given.table:
        rows = render.table_data(theory)
        print("\n".join(map(json.dumps, rows)) if given.json else render.theorem_table(theory))
    elif given.json:
        for page in theory.pages.values():
            print(json.dumps(render.page_data(page)))
    else:
        print(render.theorem_list(theory))
    for wrong in theory.wrong:
        print(wrong, file=sys.stderr)
        if given.json:
            print(json.dumps({"id": wrong.id, "error": str(wrong)}))
    return WRONG if theory.wrong else FINE


def _theorem(given: argparse.Namespace) -> int:
    """Prints one page, or says what is wrong with it."""
    from dpcompose.front import render
    from dpcompose.kernel.fields import near
    from dpcompose.kernel.pages import PageError

    theory = given.theory
    try:
        found = theory.find(given.id)
    except PageError as error:
        print(error, file=sys.stderr)
        if given.json:
            print(json.dumps({"id": given.id, "error": str(error)}))
        return WRONG
    if found is not None:
        text = found.path.read_text(encoding="utf-8").strip()
        print(json.dumps(render.page_data(found)) if given.json else text)
        if found.why_believed:
            print(f"dpcompose: {found.id} is only believed: {found.why_believed}", file=sys.stderr)
        return FINE
    known = [*theory.pages, *(item for page in theory.pages.values() for item in page.every_item)]
    hint = near(given.id, known) or "; `dpcompose theorems` lists all"
    print(f"dpcompose: there is no theorem page {given.id!r}{hint}", file=sys.stderr)
    return WRONG


def _theorems_for(file: str, given: argparse.Namespace) -> int:
    from dpcompose.front import render
    from dpcompose.search.guarantees import NoGuarantee
    from dpcompose.spaces.databases import TooLarge

    study, _ = _load(file, given)
    try:
        bound = study.bound
    except (NoGuarantee, TooLarge) as error:
        print(f"{file}: no guarantee: {error}", file=sys.stderr)
        return UNDECIDED
    if given.json:
        print(json.dumps({"file": file, "fits": render.fits_data(bound)}), flush=True)
    else:
        print(f"{study.setting.title or file}\n{render.fits(bound, bound.guarantee.notion)}", flush=True)
    return FINE


def _compare(given: argparse.Namespace) -> int:
    """Prints the factors of GB Prop. A.3 both ways; status 3 where no lemma decides the class."""
    from dpcompose.front import render
    from dpcompose.kernel.pages import PageError
    from dpcompose.privacy.settings import InvalidSetting
    from dpcompose.proof.hypotheses.inputs import NotDecidable
    from dpcompose.proof.sensitivity import compare
    from dpcompose.spaces.databases import DatabaseClass, TooLarge, multisets, streams, tuples
    from dpcompose.spaces.granularities import NotSymmetric
    from dpcompose.spaces.subsets import sets

    if not _with_theory(given):
        return WRONG
    records = None if given.records is None else [one.strip() for one in given.records.split(",")]
    try:
        if records is not None and not all(records):
            raise ValueError("--records is a list such as a,b,c, without empty names")
        classes: dict[str, Callable[[Any, str], DatabaseClass]]
        classes = {"multisets": multisets, "sets": sets, "tuples": tuples, "streams": streams}
        if given.kind not in classes:
            raise ValueError(f"there is no kind {given.kind!r}; there are: {', '.join(classes)}")
        one, other = map(_granularity, given.granularities)
        found = compare(one, other, classes[given.kind](records, given.size), given.theory)
    except (NotDecidable, TooLarge) as error:
        return _cannot_compare(str(error), UNDECIDED, given.json)
    except (InvalidSetting, NotSymmetric, PageError, ValueError) as error:
        return _cannot_compare(str(error), WRONG, given.json)
    print(json.dumps(render.comparison_data(found)) if given.json else found, flush=True)
    return FINE


def _granularity(text: str) -> Granularity:
    """A built-in granularity by name; bounded^3 is a group of up to three steps.  Raises ValueError."""
    from dpcompose.spaces.granularities import BUILT_IN
    from dpcompose.spaces.groups import group

    name, caret, steps = text.partition("^")
    if name not in BUILT_IN:
        raise ValueError(f"there is no granularity {name!r}; there are: {', '.join(sorted(BUILT_IN))}")
    if not caret:
        return BUILT_IN[name]
    if not steps.isdigit():
        raise ValueError(f"a group is written {name}^3: {steps!r} is no number of steps")
    return group(int(steps), BUILT_IN[name])


def _cannot_compare(message: str, status: int, as_json: bool) -> int:
    print(f"dpcompose: {message}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": message}), flush=True)
    return status


def _recheck(given: argparse.Namespace) -> int:
    if not _with_theory(given):
        return WRONG
    from dpcompose.kernel.fields import near

    for id in given.allow or []:
        if id not in given.theory.pages:
            print(
                f"dpcompose: there is no theorem page {id!r}{near(id, given.theory.pages)}", file=sys.stderr
            )
            return WRONG
    return _each(given.files, lambda file: _recheck_file(file, given), given.json)


def _recheck_file(file: str, given: argparse.Namespace) -> int:
    from pathlib import Path

    from dpcompose.front.recheck import assumptions, recheck
    from dpcompose.kernel import formulas
    from dpcompose.kernel.saved import Refused
    from dpcompose.kernel.theory import Theory

    try:
        saved = json.loads(Path(file).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        _wrong(file, f"{file}: this is no JSON: {error}", given.json)
        return WRONG
    try:
        if isinstance(saved, dict) and "metrics" in saved:  # which no other saved derivation has
            from dpcompose.proof import metric_checker

            if metric_checker.is_one(saved):
                return _rechecked(file, metric_checker.check(saved, given.theory, given.allow), given)
        found = recheck(saved, Theory(given.theory.pages), given.allow, given.theory.parameters)
    except Refused as error:
        if given.json:
            print(json.dumps({"file": file, "checked": False, "reason": str(error)}), flush=True)
        else:
            print(f"{file}: REFUSED\n  {error}", flush=True)
        return DIFFERS
    pages = [given.theory.pages[id] for id in found.pages]
    relied = [page for page in pages if page.head.status != "derived"]
    if given.json:
        data = {"file": file, "checked": True, "steps": found.checked.steps, "verdicts": list(found.verdicts)}
        said = found.checked.guarantee
        values = {} if said is None else {key: formulas.to_text(value) for key, value in said.values}
        data["guarantee"] = None if said is None else {"notion": said.notion} | values
        data |= {"optimal": found.checked.optimal, "deciders": found.deciders, "elaborated": found.elaborated}
        print(json.dumps(data | _relied(relied)), flush=True)
        return FINE
    print(f"{file}: {found.checked.steps} steps checked")
    print(f"  {found.guarantee(Theory(given.theory.pages))}")
    for n, verdict in enumerate(found.verdicts, start=1):
        print(f"  claim {n}: {verdict.upper()}")
    print(f"  believed without check: {', '.join(assumptions(found)) or 'nothing'}")
    if found.elaborated is None:
        print("  the core setting is taken as it was saved")
    if found.deciders:
        print(f"  deciders: {', '.join(found.deciders)}")
    print(_relied_on(relied), flush=True)
    return FINE


def _relied(pages: Sequence[Page]) -> dict[str, list[str]]:
    """The pages that a checked result rests on: primitive ones, and those that are only believed."""
    return {
        "primitives": [page.id for page in pages if not page.is_believed],
        "believed": [page.id for page in pages if page.is_believed],
    }


def _relied_on(pages: Sequence[Page]) -> str:
    """The same as text."""
    from dpcompose.proof import registry

    primitives = ", ".join(_relied(pages)["primitives"]) or "none"
    rows = [f"primitive pages: {primitives}", *registry.rests(pages)]
    return "\n".join(
        textwrap.fill(row, 78, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        for row in rows
    )


def _rechecked(file: str, found: MetricChecked, given: argparse.Namespace) -> int:
    if given.json:
        data: dict[str, Any] = {"file": file, "checked": True, "verdicts": list(found.verdicts)}
        data["optimal"] = found.optimal
        data["guarantee"] = {"notion": "pure", "metric": found.metric}
        data["deciders"] = list(found.deciders)
        print(json.dumps(data | _relied(found.pages)), flush=True)
        return FINE
    print(f"{file}: checked\n  private in the metric {found.metric}{'; optimal' if found.optimal else ''}")
    for n, verdict in enumerate(found.verdicts, start=1):
        print(f"  claim {n}: {verdict.upper()}")
    print(f"  believed without check: {'; '.join(found.believed)}")
    if found.deciders:
        print(f"  deciders: {', '.join(found.deciders)}")
    print(_relied_on(found.pages), flush=True)
    return FINE


if __name__ == "__main__":
    sys.exit(main())
