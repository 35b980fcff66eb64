"""Nothing asks for the kind of a class outside that kind's file: what a caller wants to know, the class says itself.

No class of ours is named by isinstance, a case or `type(...) is` in another file, but for the abstract ones,
which are asked for where a user hands something in, and for the modules of ALTERNATIVES.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache

from package_files import FILES, PACKAGE, nodes

from dpcompose.kernel.core.classes import KINDS

ALTERNATIVES = {
    "kernel.judgements": "what theorems say: the proof language, which is matched as such",
    "kernel.expressions.terms": "a formula, or a number or text that is to become one",
    "kernel.library.pages": "a page, or what is wrong with it",
    "kernel.core.assumptions": "a relation, or a text that is to become one",
    "kernel.expressions.polynomials": "the terms of a form: products of letters, or maxima",
    "kernel.deciders.curves.curves": "the pieces of a curve, which the kernel defines",
    "kernel.deciders.curves.keys": "the pieces of a curve, which the kernel defines",
    "kernel.deciders.curves.tradeoffs": "the pieces of a curve, which the kernel defines",
    "kernel.deciders.curves.tails": "the pieces of a curve, which the kernel defines",
    "kernel.expressions.points": "the points of the kernel, or a class that is gone through",
    "language.worstcase": "sympy's classes, of which expressions are made",
    "spaces.classes.lines": "a value of an attribute: a text, or a range of numbers",
    "spaces.inputs.expressions": "a database that is known, or an expression in some",
    "spaces.inputs.written": "a database that is known, or an expression in some",
    "privacy.format.schema": "what a file has at a key: a word, or a table",
    "privacy.format.database_tables": "what a file has at a key: one of several tables",
    "privacy.elaboration.kinds": "a core setting, or why there is none",
    "search.comparisons.answers": "what a comparison ends in: a proof, or a point against it",
    "search.metrics.points": "what a search ends in: a value, or why it is open",
    "search.replayed": "what a search ends in: what is proved, or a point against it",
    "front.documents.bound": "the best guarantee, or why there is none",
    "front.documents.document": "the parts of a document",
    "front.studies.metric_forms": "a verdict, or what is undecided",
}
"""The modules whose classes are the cases of one result, or of one language, with what these are."""

HANDED_IN = {
    *("DatabaseClass", "Granularity", "Map", "Metric", "Query", "Noise", "Row", "Symbolic"),
    *(
        "Mechanism",
        "Guarantee",
        "InMetric",
        "Measured",
        "Declared",
        "ProbabilityTable",
        "Claim",
        "Setting",
        "Study",
    ),
    *("Verdict", "Counterexample", "InvalidSetting", "TooLarge"),
}
"""What users hand in, or get: asked for where it comes in, to say what would fit."""


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def trees() -> dict[str, Sequence[ast.AST]]:
    """What the files are made of, read when a test asks for it."""
    return {
        module_of(str(path.relative_to(PACKAGE))): tuple(nodes(path))
        for path in [*FILES, *PACKAGE.rglob("__init__.py")]
    }


@cache
def classes() -> dict[str, set[str]]:
    """The classes that each file defines."""
    return {
        module: {node.name for node in said if isinstance(node, ast.ClassDef)}
        for module, said in trees().items()
    }


def names(expression: ast.expr) -> Iterator[str]:
    """The classes that A, m.A, (A, B) or A | B names."""
    match expression:
        case ast.BinOp():
            yield from (*names(expression.left), *names(expression.right))
        case ast.Tuple():
            yield from (name for one in expression.elts for name in names(one))
        case ast.Name() | ast.Attribute():
            yield ast.unparse(expression)


@cache
def imported(module: str) -> dict[str, tuple[str, str]]:
    """The names that a module imports from others of ours: from which, and what they are called there."""
    return {
        name.asname or name.name: (node.module.removeprefix("dpcompose."), name.name)
        for node in trees()[module]
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dpcompose.")
        for name in node.names
    }


def home(module: str, name: str) -> tuple[str, str]:
    """Where a class is defined that a module calls so; the module itself where it is none of ours."""
    first, _, last = name.partition(".")
    if name in classes().get(module, ()) or first not in imported(module):
        return module, name
    there, called = imported(module)[first]
    if last:
        return home(f"{there}.{called}", last) if f"{there}.{called}" in trees() else (module, name)
    return home(there, called) if there in trees() else (module, name)


def asked(module: str) -> Iterator[str]:
    """The names after isinstance and case, and beside type(...)."""
    for node in trees()[module]:
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
                yield from names(kinds)
            case ast.MatchClass():
                yield from names(node.cls)
            case ast.Compare() if any(
                isinstance(one, ast.Call) and getattr(one.func, "id", "") == "type"
                for one in (node.left, *node.comparators)
            ):
                yield from (name for one in (node.left, *node.comparators) for name in names(one))


def questions(module: str) -> Iterator[tuple[str, str]]:
    """The classes of other files that a module asks for: where each is defined, and its name."""
    for name in asked(module):
        there, called = home(module, name)
        ours = called in classes().get(there, ())
        if there != module and ours and there not in ALTERNATIVES and called not in HANDED_IN:
            yield there, called


def test_nothing_asks_for_the_kind_of_a_class_outside_of_its_file() -> None:
    found = {module: list(questions(module)) for module in trees() if not module.startswith("kernel")}
    asking = {module: some for module, some in found.items() if some}
    assert not asking, "what does the caller want to know?  A method of the class, with a default, says it"


def test_core_settings_are_asked_for_no_kind_of_class() -> None:
    """What their readers and covers want to know, `Databases` says; a product of terms is another thing."""
    for module, said in trees().items():
        for node in said if module.startswith("kernel") and module != "kernel.core.classes" else ():
            if isinstance(node, ast.Compare) and getattr(node.left, "attr", "") == "kind":
                named = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
                about = ast.unparse(node.left).endswith("databases.kind")
                assert not about and named.isdisjoint({*KINDS} - {"product"}), f"{module}: {node.lineno}"


def test_what_is_excused_is_there() -> None:
    named = {one for some in classes().values() for one in some}
    assert named >= HANDED_IN and set(trees()) >= set(ALTERNATIVES)


def test_questions_are_seen() -> None:
    """Also those by another name, in a module that is imported whole, and after `type`."""
    tried = ast.parse(
        "from dpcompose.spaces.classes.listed import Listed as Some\n"
        "from dpcompose.spaces.classes import multisets\n"
        "from dpcompose.spaces.inputs.maps import Map\n"
        "isinstance(x, Some | multisets.Multisets) or type(x) is Some or isinstance(x, (Map, str))\n"
        "match x:\n    case Some():\n        pass\n"
    )
    trees()["tried"] = tuple(ast.walk(tried))
    try:
        assert sorted(questions("tried")) == [
            *[("spaces.classes.listed", "Listed")] * 3,
            ("spaces.classes.multisets", "Multisets"),
        ]
    finally:
        del trees()["tried"]
        imported.cache_clear()


READ = {
    "front.cli": "options as they are typed",
    "front.documents.glossary": "words that are asked for, and the paragraphs of the glossary",
    "front.documents.sentences": "names of parameters: which letters they begin with",
    "front.numbers.numbers": "values as they are typed: e=1,f=2",
    "front.printers.latex": "any text, letter by letter, and the mathematics of pages",
    "front.printers.markdown": "pages, which are Markdown",
    "front.printers.papers": "the sources of pages, and proofs that name them",
    "front.printers.sarif": "lines of problem files",
    "kernel.core.orders": "orders as files write them: (1, oo)",
    "kernel.expressions.certificates": "numbers of saved files",
    "kernel.expressions.domains": "domains as files write them: integer >= 2",
    "kernel.expressions.formulas": "formulas",
    "kernel.expressions.grammar": "formulas",
    "kernel.expressions.naming": "names of letters, which are put together there as well",
    "kernel.library.pages": "pages",
    "language.latex": "names of parameters, and any text that is shown as such",
    "language.said": "the mathematics of pages, sign by sign",
    "language.writing": "names of letters: whether formulas can have them",
    "privacy.format.lines": "lines of problem files",
    "privacy.guarantees.tradeoffs": "trade-off functions as files write them: G(1)",
    "privacy.readers.distances": "names that files give",
    "privacy.readers.names": "names that files give",
    "privacy.rereading": "texts of files: which names stand in them",
    "privacy.settings.assumptions": "relations as files write them: e1 <= e2",
    "privacy.settings.stated": "names of parameters",
    "proof.theory.registry": "items as people write them: GB Thm. IV.3",
    "spaces.classes.attributes": "numbers as files write them",
    "spaces.classes.lines": "intervals as files write them: [0, 10)",
    "spaces.classes.sizes": "sizes as files write them: <= 4",
    "spaces.inputs.expressions": "names of records",
    "spaces.inputs.written": "names of databases that are made: D E",
    "spaces.moves.replacements": "records that are points: (1, 2)",
}
"""Where texts are looked through by patterns: what users, pages or saved files have written."""


def test_texts_are_taken_apart_only_where_they_are_read() -> None:
    """What the program puts together it keeps as a value: no pattern finds it again in a text."""
    taken_apart = {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for path in FILES
        if any(
            isinstance(node, ast.Import) and any(one.name == "re" for one in node.names)
            for node in nodes(path)
        )
    }
    assert taken_apart == {*READ}
