"""The rooms import one way, what is trusted does not reach what searches, and heavy things load late; a file is one
idea, of at most 500 lines, a function one thought, of at most 50."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from package_files import FILES, PACKAGE, ROOT, nodes, walked

LAYERS = """
kernel.expressions: divisors keeping naming orders refusals domains signs grammar terms writing rationals
    substitution intervals logarithms metrics polynomials formulas points certificates forms boxes
kernel.core: assumptions concrete distances fibres orders reader contributions counted lines classes settings
    implied
    letters products relations reading
kernel.library: fields grounds heads releases samplings theory conversions kinds pages
kernel.deciders.families: members rays rules
kernel.deciders.calculus: coordinates elementary exponentials ranges ratios roots signs steps values calculus
kernel.deciders.norms: squares norms
kernel.covers: paths types covering room_for_rows sizes blocks cones distances queries records rooms matchings seen pushed groups longer steps alike sunflowers arrays
    cells contributions apart persons corners differing listed policies counts
kernel.deciders.curves: lattices merging normal spreads tails canonical losses tradeoffs keys spreading curves equalities
    outcomes pieces below_normal
kernel.deciders.tables: divergences entries together orders promises tables
kernel.deciders.curves: noises
kernel.composition: divergences families given samples seen losses axioms closer given_tables witnesses apart
kernel: arguments comparison infinity judgements computed written_out
kernel.covers: products __init__ places
kernel.composition: instances chains
kernel.rules: premises tradeoffs mechanisms orders parameters chains whole curves slopes metrics along steps refutations tables choices
    __init__
kernel: theorems check saved
language: answers decimals symbols synonyms worstcase writing tangents exchange formulas latex shown said shipped
spaces.classes: lines sizes attributes databases listed products records sequences subsets tuples vertices
    multisets
spaces.inputs: maps parts queries reading recodings restrictions scores attributed composed deals expressions
    keys questions locations written
spaces.arrays: layouts numberings sizes passes searches parts
spaces.moves: blocks edits granularities neighbours relations replacements replacement_words single_edits changes
    contributions placed policies reaches built_in contradictions
spaces: additions given
spaces.moves: groups unions larger
spaces.canonical: metrics points profiles distances finite graphs small matchings named compared
privacy.guarantees: distances notions fibres tradeoffs
privacy.finite: distributions findings nearest probabilities rows tables drawn tabulated
privacy.format: checks database_tables lines neighbourhoods input_tables metric_tables
privacy.mechanisms: noises samples declared mechanism statements
privacy.settings: assumptions inputs invalid placed members names noisy on_tables orders sampled touched families
    nested reads __init__ flattening stated
privacy.elaboration: kinds listed parts steps arrays atoms cells contributions overlapping policies records
    lifted __init__
privacy.readers: lengths maps names rows databases granularities inputs space
privacy: granular in_metrics rereading
privacy.format: noise_tables schema
privacy.readers: distances given outside any_two claims guarantees mechanisms studies
privacy: problems writing builder
proof.theory: cited folders registry
proof.hypotheses: evidence input_metrics inputs order_based_partition policy proper_part
    record_wise record_wise_partition sensitivity_at_most at_least binding commutes compatible depends
    given_earlier_outputs identity
proof: privacy_metric query_sensitivity readings sensitivity
proof.counterexamples: densities instances spreads rows outputs refuting released appearing
search: trying
search.comparisons: linear sampling solver weights writing_out covering points answers promising sizes
    squaring instances by_calculus assuming comparing parameters satisfiable shorter weakening
search.audits: worlds outcomes suppositions searched statements conversions noises queries problems samples audits
search.metrics: slopes points proving cases standings
search.refutations: exchanged plainer events
search: always
search.choices: implications
search.conversions: ways
search: single_steps tightness guarantees least reasons stated
search.citations: conclusions citations
search.conversions: apart implied within below besides
search.refutations: claimed fewer witnesses curves
search: by_rows chains verdicts replayed
search.choices: choices
search.metrics: verdicts proofs quotients rates sensitivity choices
search.conversions: orders tradeoffs curves_of_orders
search: proofs nearby
front.documents: canonical captions document side_by_side glossary wording attained sentences verdict telling
    bound best_metric at at_any_two examples limits
front: files
front.printers: audited listings markdown render sarif display latex papers
front.numbers: numbers budgets curve membership totals
front.studies: audits library nested results specialised tradeoffs neighbours metric_forms
    in_metrics judge recheck
front.drawings: marks vectors charts frames
front: internal
front.studies: study as_json loading composing filters
front.drawings: bars drawn pictures plots explorer
front.interop: cards events measurements
front.commands: running schema theorems verify audit bound budget completion curve draw example explain init
    recheck compare
front: cli
"""
"""All files, folder by folder: each imports what stands before it, and nothing that stands after it."""


def layers() -> list[str]:
    """The files of LAYERS in order, as modules of dpcompose."""
    found, folder = [], ""
    for word in LAYERS.split():
        folder = word.removesuffix(":") if word.endswith(":") else folder
        found += [] if word.endswith(":") else [f"{folder}.{word}"]
    return found


ORDER = layers()
ROOMS = list(dict.fromkeys(one.split(".")[0] for one in ORDER))


def place(path: Path) -> str:
    """A file as a module of dpcompose."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


@cache
def importing(path: Path) -> Sequence[tuple[ast.AST, bool]]:
    """The imports of a file, and whether each is there for types only."""
    return [(node, late) for node, late in walked(path) if isinstance(node, ast.Import | ast.ImportFrom)]


@cache
def imports(path: Path, types: bool = True) -> set[str]:
    """The modules of dpcompose that a file imports anywhere in it; types -- also those for types only."""
    found: set[str] = set()
    for node in (node for node, late in importing(path) if types or not late):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpcompose"):
            inside = [f"{node.module}.{name.name}" for name in node.names]
            found |= {one if is_module(one) else str(node.module) for one in inside}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.startswith("dpcompose")}
    return found


@cache
def is_module(name: str) -> bool:
    """Whether this names a file or a folder."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return path.is_dir() or path.with_suffix(".py").is_file()


def test_every_file_has_its_place() -> None:
    with_code = [path for path in FILES if path.name != "__init__.py" or imports(path)]
    assert sorted(ORDER) == sorted(map(place, with_code))


def test_imports_go_one_way() -> None:
    """Outside of the kernel types may be those of files of the same folder that come later."""
    at = {name: n for n, name in enumerate(ORDER)}
    wrong = []
    for path in FILES:
        if (here := place(path)) not in at:
            continue
        for module in imports(path):
            there = module.removeprefix("dpcompose.")
            there = f"{there}.__init__" if f"{there}.__init__" in at else there
            same = there.rpartition(".")[0] == here.rpartition(".")[0]
            late = not here.startswith("kernel.")
            beside = same and late and module not in imports(path, types=False)
            known = there in at or is_module(module)
            if not known or not (beside or there not in at or at[there] < at[here]):
                wrong.append(f"{here} imports {there}")
    assert not wrong


def test_hypotheses_import_each_other_only_through_the_shared_ones() -> None:
    shared = {"evidence", "inputs", "input_metrics"}
    for path in (PACKAGE / "proof" / "hypotheses").glob("*.py"):
        names = {module.rsplit(".", 1)[1] for module in imports(path) if ".hypotheses." in module}
        assert names <= shared, path.name


def reached(*code: str) -> set[str]:
    """The modules that are loaded after running some statements in a new interpreter."""
    script = "; ".join([*code, "import sys", "print('\\n'.join(sys.modules))"])
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_kernel_imports_the_standard_library_and_itself() -> None:
    """Whatever is imported anywhere in it, also for types only."""
    for path in (PACKAGE / "kernel").rglob("*.py"):
        for node in nodes(path):
            modules = []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path.name
                modules = [str(node.module)]
            elif isinstance(node, ast.Import):
                modules = [one.name for one in node.names]
            for module in modules:
                own = module.split(".")[:2] == ["dpcompose", "kernel"]
                assert own or module.split(".")[0] in sys.stdlib_module_names, f"{path.name} imports {module}"


def test_the_kernel_reads_the_pages_where_nothing_else_is_installed() -> None:
    blocked = {"sympy", "networkx", "numpy", "z3", "pydantic", "lark", "mpmath", "tqdm"}
    code = f"""
import sys
sys.modules.update(dict.fromkeys({sorted(blocked)!r}))
import dpcompose.kernel.library.pages
from pathlib import Path
from dpcompose.kernel.library.pages import Page, read
found = [read(path) for path in Path({str(ROOT / "theorems")!r}).rglob("*.md") if path.name not in ("README.md", "certificates.md", "glossary.md")]
assert len(found) > 10 and all(isinstance(one, Page) for one in found), found
others = {{name for name, module in sys.modules.items() if module and name.startswith("dpcompose.")}}
assert all(name.startswith("dpcompose.kernel") for name in others), others
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_checker_reaches_no_search_and_no_solver() -> None:
    loaded = reached("import dpcompose.kernel.saved")
    assert not [name for name in loaded if name.startswith(("dpcompose.search", "dpcompose.front", "z3"))]


def test_heavy_libraries_are_loaded_when_they_are_needed() -> None:
    api = reached("import dpcompose as d", "d.compose, d.multisets, d.pure, d.parameters('e')")
    assert not {"networkx", "z3", "numpy", "scipy"} & api
    assert not {"sympy", "networkx", "z3", "numpy", "scipy"} & reached("from dpcompose import *")


def test_counterexamples_tables_and_warnings_need_no_sympy() -> None:
    modules = (
        "front.documents.examples",
        "front.documents.limits",
        "privacy.finite.tabulated",
        "spaces.canonical.metrics",
        "language.decimals",
    )
    assert "sympy" not in reached(*(f"import dpcompose.{one}" for one in modules))


def test_help_loads_nothing_heavy() -> None:
    code = "import dpcompose.front.cli as c\ntry: c.main(['--help'])\nexcept SystemExit: pass"
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True
    )
    assert "verify" in run.stdout
    assert not any(f" {name}\n" in run.stderr for name in ("sympy", "networkx", "pydantic", "lark", "z3"))


def test_a_decision_seen_at_once_needs_no_solver() -> None:
    file = "notebooks/problems/01-bounded-parallel.toml"
    loaded = reached(f"import dpcompose.front.cli as c; c.main(['verify', {str(ROOT / file)!r}])")
    assert not {"networkx", "numpy", "z3"} & loaded


@pytest.mark.parametrize(
    "file",
    [
        pytest.param("69-two-districts", marks=pytest.mark.slow),
        "71-private-in-a-metric",
        "76-metrics-of-your-own",
    ],
)
def test_claims_in_metrics_are_decided_without_sympy(file: str) -> None:
    path = str(ROOT / "notebooks" / "problems" / f"{file}.toml")
    assert "sympy" not in reached(f"import dpcompose.front.cli as c; c.main(['verify', {path!r}])")


def test_the_top_level_is_as_agreed() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    names = {line.split("/")[0] for line in tracked.splitlines()}
    allowed = {
        "pyproject.toml",
        "README.md",
        "dpcompose",
        "tests",
        "theorems",
        "notebooks",
        "LICENSE",
        "CITATION.cff",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    }
    assert {name for name in names if not name.startswith(".")} <= allowed


def test_no_sympy_symbol_is_made_outside_symbols() -> None:
    for path in FILES:
        if path.name == "symbols.py":
            continue
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ("Symbol", "symbols", "Dummy"), path.name


def test_nothing_is_evaluated_as_python() -> None:
    forbidden = {"eval", "exec", "compile", "sympify", "parse_expr", "lambdify", "S", "simplify", "pickle"}
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.Call):
                called = (
                    node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                )
                regex = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "re"
                assert regex or called not in forbidden, f"{path.name} calls {called}"


def test_every_file_says_in_its_first_line_what_belongs_there() -> None:
    for path in FILES:
        module = walked(path)[0][0]
        assert isinstance(module, ast.Module)
        assert (ast.get_docstring(module) or "").partition("\n")[0].endswith((".", "…")), place(path)


NO_NOUNS = {"one", "found", "some", "each", "it", "held", "here", "there", "both", "thing"}


def test_functions_and_classes_have_nouns_for_names() -> None:
    """`found` is what users call the findings of a card."""
    named = {
        f"{place(path)}.{node.name}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.strip("_").lower() in NO_NOUNS
    }
    assert named <= {"front.interop.cards.found"}


def test_items_of_sources_are_read_in_one_place() -> None:
    """Elsewhere none is looked for, or taken apart, by its text."""
    methods = {"startswith", "removeprefix", "partition", "rpartition", "split"}
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in methods:
                texts = {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
                assert "GB:" not in texts, f"{place(path)} looks for an item by its text: Item says it"


def test_no_float_literal_in_what_decides() -> None:
    for room in ("kernel", "proof", "search", "spaces"):
        for path in (PACKAGE / room).rglob("*.py"):
            for node in nodes(path):
                assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path.name


LARGEST_FILE, LARGEST_FUNCTION = 500, 50


def larger_files() -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for path in [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
        if len(path.read_text(encoding="utf-8").splitlines()) > LARGEST_FILE
    }


def longer_functions() -> Iterator[str]:
    """Docstrings count: what needs a long explanation is several things."""
    for path in PACKAGE.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > LARGEST_FUNCTION:
                    yield f"{path.relative_to(PACKAGE)} {node.name}"


def test_no_file_is_large() -> None:
    assert not larger_files(), f"of more than {LARGEST_FILE} lines: which ideas are in it?"


def test_no_function_is_long() -> None:
    assert not [*longer_functions()], f"of more than {LARGEST_FUNCTION} lines: which thoughts are in it?"


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_its_tests(room: str) -> None:
    """tests/ mirrors the rooms: what is about one room only stands in its folder."""
    assert list((ROOT / "tests" / room).rglob("test_*.py")), room


def test_folders_of_tests_are_rooms_or_say_what_they_hold() -> None:
    others = {
        "attacks",
        "benchmarks",
        "claims",
        "conformance",
        "forged",
        "forged_results",
        "goldens",
        "second_checker",
        "__pycache__",
    }
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    assert folders - others == set(ROOMS)
