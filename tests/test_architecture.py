"""The rooms import one way, what is trusted does not reach what searches, and heavy things load late."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "dpcompose"

ROOMS = {
    "kernel": [
        "keeping",
        "fields",
        "naming",
        "heads",
        "releases",
        "conversions",
        "kinds",
        "pages",
        "folders",
        "domains",
        "divisors",
        "terms",
        "substitution",
        "metrics",
        "grammar",
        "writing",
        "intervals",
        "formulas",
        "points",
        "orders",
        "polynomials",
        "forms",
        "assumptions",
        "certificates",
        "boxes",
        "deciders",
        "infinity",
        "logarithms",
        "comparison",
        "reader",
        "counted",
        "contributions",
        "distances",
        "classes",
        "settings",
        "fibres",
        "products",
        "reading",
        "theory",
        "grounds",
        "covers",
        "families",
        "losses",
        "axioms",
        "closer",
        "apart",
        "given_tables",
        "witnesses",
        "judgements",
        "computed",
        "rules",
        "arguments",
        "theorems",
        "check",
        "saved",
    ],
    "language": [
        "symbols",
        "worstcase",
        "refusals",
        "writing",
        "exchange",
        "meaning",
        "formulas",
        "decimals",
        "latex",
        "shown",
    ],
    "spaces": [
        "lines",
        "attributes",
        "sizes",
        "databases",
        "listed",
        "records",
        "multisets",
        "tuples",
        "subsets",
        "vertices",
        "sequences",
        "maps",
        "restrictions",
        "recodings",
        "composed",
        "parts",
        "attributed",
        "reading",
        "queries",
        "scores",
        "edits",
        "blocks",
        "arrays",
        "granularities",
        "single_edits",
        "changes",
        "built_in",
        "relations",
        "unions",
        "groups",
        "replacements",
        "policies",
        "reaches",
        "contributions",
        "larger",
        "contradictions",
        "additions",
        "numberings",
        "neighbours",
        "profiles",
        "finite",
        "graphs",
        "metrics",
        "matchings",
        "expressions",
        "distances",
        "points",
    ],
    "privacy": [
        "distances",
        "fibres",
        "notions",
        "nearest",
        "findings",
        "probabilities",
        "rows",
        "distributions",
        "promises",
        "tables",
        "tabulated",
        "assumptions",
        "noises",
        "mechanisms",
        "settings",
        "flattening",
        "elaboration",
        "synonyms",
        "checks",
        "lines",
        "neighbourhoods",
        "metric_tables",
        "noise_tables",
        "schema",
        "in_metrics",
        "readers",
        "problems",
        "writing",
        "metrics",
    ],
    "proof": [
        "registry",
        "densities",
        "hypotheses",
        "privacy_metric",
        "query_sensitivity",
        "sensitivity",
        "witnesses",
        "computed",
        "refuting",
        "released",
        "counterexamples",
    ],
    "search": [
        "comparisons",
        "comparing",
        "parameters",
        "ways",
        "shorter",
        "guarantees",
        "apart",
        "within",
        "besides",
        "least",
        "fewer",
        "always",
        "reasons",
        "implied",
        "verdicts",
        "replayed",
        "choices",
        "satisfiable",
        "stated",
        "proofs",
        "nearby",
        "subsets",
        "conclusions",
        "citations",
        "metrics",
    ],
    "front": [
        "markdown",
        "files",
        "internal",
        "lines",
        "captions",
        "attained",
        "document",
        "sentences",
        "bound",
        "examples",
        "limits",
        "verdict",
        "canonical",
        "render",
        "listings",
        "latex",
        "display",
        "numbers",
        "membership",
        "results",
        "specialised",
        "curve",
        "totals",
        "together",
        "neighbours",
        "beside",
        "metric_examples",
        "best_metric",
        "metric_forms",
        "in_metrics",
        "recheck",
        "study",
        "as_json",
        "loading",
        "composing",
        "filters",
        "places",
        "drawn",
        "pictures",
        "bars",
        "plots",
        "commands",
        "cli",
    ],
}
ORDER = [f"{room}.{file}" for room, files in ROOMS.items() for file in files]
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")


def place(path: Path) -> str:
    """Which of ORDER a file belongs to: its room and file, or its room and folder."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts[:2])


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """What a file is made of, which several tests look at."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> set[str]:
    """The modules of dpcompose that a file imports anywhere in it, for types too."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dpcompose"):
            inside = [PACKAGE.joinpath(*node.module.split(".")[1:], name.name) for name in node.names]
            for name, target in zip(node.names, inside, strict=True):
                module = target.with_suffix(".py").exists() or target.is_dir()
                found.add(f"{node.module}.{name.name}" if module else node.module)
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.startswith("dpcompose")}
    return found


def test_every_file_is_in_a_room() -> None:
    assert {place(path) for path in FILES} == set(ORDER)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    here = ORDER.index(place(path))
    for module in imports(path):
        there = ".".join(module.split(".")[1:3])
        assert there in ORDER, f"{path.name} imports {module}"
        assert ORDER.index(there) <= here, f"{place(path)} imports {there}, which comes later"


def test_the_deciders_import_one_way() -> None:
    order = [
        *(
            "elementary",
            "roots",
            "ranges",
            "values",
            "coordinates",
            "squares",
            "norms",
            "lemmas",
            "steps",
            "calculus",
            "rays",
            "rules",
        ),
        *(
            "normal",
            "tails",
            "lattices",
            "merging",
            "canonical",
            "losses",
            "ratios",
            "curves",
            "equalities",
            "pieces",
            "readings",
        ),
        *("exponentials", "signs", "entries", "divergences", "promises", "tables", "noises"),
    ]
    folder = PACKAGE / "kernel" / "deciders"
    assert {path.stem for path in folder.glob("*.py")} == {"__init__", *order}
    for n, decider in enumerate(order):
        names = imports(folder / f"{decider}.py")
        assert {name.rsplit(".", 1)[1] for name in names if ".deciders." in name} <= set(order[:n]), decider


def test_the_rules_import_one_way() -> None:
    order = ["premises", "parameters", "mechanisms", "whole", "choices", "chains", "metrics", "refutations"]
    folder = PACKAGE / "kernel" / "rules"
    assert {path.stem for path in folder.glob("*.py")} == {"__init__", *order}
    for n, file in enumerate(order):
        names = imports(folder / f"{file}.py")
        assert {name.rsplit(".", 1)[1] for name in names if ".rules." in name} <= set(order[:n]), file


def test_hypotheses_import_each_other_only_through_the_shared_ones() -> None:
    shared = {"evidence", "inputs", "input_metrics", "edit_types", "blocks", "exhaustion"}
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
import dpcompose.kernel.pages
from pathlib import Path
from dpcompose.kernel.pages import Page, read
found = [read(path) for path in Path({str(ROOT / "theorems")!r}).rglob("*.md") if path.name not in ("README.md", "certificates.md")]
assert len(found) > 10 and all(isinstance(one, Page) for one in found), found
others = {{name for name, module in sys.modules.items() if module and name.startswith("dpcompose.")}}
assert all(name.startswith("dpcompose.kernel") for name in others), others
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_checker_reaches_no_search_and_no_solver() -> None:
    loaded = reached("import dpcompose.kernel.saved")
    assert not [name for name in loaded if name.startswith(("dpcompose.search", "dpcompose.front", "z3"))]


def test_heavy_libraries_are_loaded_when_they_are_needed() -> None:
    assert not {"sympy", "networkx", "z3", "lark", "pydantic"} & reached("import dpcompose")
    assert not {"sympy", "networkx", "z3", "lark", "pydantic"} & reached("import dpcompose.front.cli")
    api = reached("import dpcompose as d", "d.compose, d.multisets, d.pure, d.parameters('e')")
    assert not {"networkx", "z3", "numpy", "scipy"} & api


def test_counterexamples_tables_and_warnings_need_no_sympy() -> None:
    modules = ("front.examples", "front.limits", "privacy.tabulated", "spaces.metrics", "language.decimals")
    assert "sympy" not in reached(*(f"import dpcompose.{one}" for one in modules))


def test_help_loads_nothing_heavy() -> None:
    code = "import dpcompose.front.cli as c\ntry: c.main(['--help'])\nexcept SystemExit: pass"
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True
    )
    assert "verify" in run.stdout
    assert not any(f" {name}\n" in run.stderr for name in ("sympy", "pydantic", "lark", "z3"))


def test_a_decision_seen_at_once_needs_no_solver() -> None:
    file = "notebooks/problems/01-bounded-parallel.toml"
    loaded = reached(f"import dpcompose.front.cli as c; c.main(['verify', {str(ROOT / file)!r}])")
    assert not {"networkx", "numpy", "z3"} & loaded


@pytest.mark.parametrize("file", ["71-private-in-a-metric", "76-metrics-of-your-own"])
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


def test_no_float_literal_in_what_decides() -> None:
    for room in ("kernel", "proof", "search", "spaces"):
        for path in (PACKAGE / room).rglob("*.py"):
            for node in nodes(path):
                assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path.name
