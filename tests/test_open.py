"""What users add without a change to the package: one of each kind of thing, from a folder of their own.

Theorems, conversions, notions, noises and queries are pages; a hypothesis is a Python file beside them; a
granularity and a class of databases are values in Python.  Each is used from a problem file and from Python.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from believed import run

import dpcompose as dpc
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Theory, WrongAddition
from dpcompose.spaces.classes.databases import Database
from dpcompose.spaces.inputs.queries import Point, Query
from dpcompose.spaces.moves.granularities import Granularity

THEOREM = """
id = "two-parts"
kind = "named"
status = "derived"
items = { pure = "Smith 1" }
title = "Theorem 1 of Smith"
statement = "two mechanisms that read an even number of records in all"
hypotheses = [{ is = "even number of records read", maps = "f" }]
[premises]
stated = "G"
domain = "common"
[conclusion]
pure = "sum(epsilon[i], i, 1, k)"
"""
NOTION = """
id = "capacity"
kind = "rule"
notion = "capacity"
called = "capacity"
parameters = ["c"]
[distance]
c = "r*c"
[composition]
c = "sum(c[i], i, 1, k)"
"""
CONVERSION = """
id = "capacity-to-pure"
kind = "conversion"
from = "capacity"
to = "pure"
[parameters]
epsilon = "2*c"
"""
NOISE = """
id = "staircase-page"
kind = "noise"
noise = "staircase"
parameter = "b"
norm = "L1"
attained = false
density = "exp(-abs(y - x)/b)/(2*b)"
loss = "(abs(y - z) - abs(y - x))/b"
at-most = "abs(x - z)/b"
because = "somebody says so"
[guarantee]
pure = { epsilon = "1/b" }
"""
QUERY = """
id = "spread"
kind = "query"
moves = { L1 = "(removed + added)*(u - l)", L2 = "(removed + added)*(u - l)" }
attained = false
"""
HYPOTHESIS = '''
"""The mechanisms read an even number of named records in all."""

from dpcompose.proof.hypotheses import evidence

WORDS = "an even number of records is read"


def check(inputs, maps):
    n = sum(len(f.names) for f in maps)
    return evidence.fails(f"{n} records are read") if n % 2 else evidence.holds(f"{n} are read")
'''
ADDITIONS = '''
"""Words of three letters, of which neighbours differ in two."""

from __future__ import annotations

from dataclasses import dataclass

import dpcompose as dpc
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.moves.granularities import Granularity


@dataclass(frozen=True, repr=False)
class TwoLetters(Granularity):
    """Words that differ in two letters."""

    name: str = "two-letters"
    letters: int = 2

    def are_neighbours(self, D, E):
        return sum(x != y for x, y in zip(D, E)) == self.letters


class Words(DatabaseClass):
    """All words of three letters out of a, b."""

    kind = "words"

    def __contains__(self, D):
        return isinstance(D, str) and len(D) == 3 and set(D) <= set("ab")

    def count(self):
        return 8

    def databases(self):
        return (x + y + z for x in "ab" for y in "ab" for z in "ab")

    def __str__(self):
        return "all words of three letters"


OWN = [TwoLetters(), Words(), dpc.function("first", lambda word: word[0])]
'''


def page(head: str) -> str:
    return f"# A page of my own\n\n```toml\n{head.strip()}\n```\n\nA text.\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with one page of each kind, and two Python files."""
    folder = tmp_path / "own"
    folder.mkdir()
    for head in (THEOREM, NOTION, CONVERSION, NOISE, QUERY):
        (folder / head.split('"')[1]).with_suffix(".md").write_text(page(head), encoding="utf-8")
    (folder / "even_number_of_records_read.py").write_text(HYPOTHESIS, encoding="utf-8")
    (folder / "words.py").write_text(ADDITIONS, encoding="utf-8")
    return folder


def imported(path: Path) -> ModuleType:
    """A Python file as a module."""
    spec = spec_from_file_location(f"own.{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Spread(Query):
    """The difference between the largest and the smallest attribute, times the number of records, say."""

    attribute = True
    values = frozenset({"real"})
    page = "spread"

    def __init__(self, lower: object, upper: object) -> None:
        self.bounds = formulas_of(lower), formulas_of(upper)

    @property
    def letters(self) -> Mapping[str, Term]:
        return dict(zip("lu", self.bounds, strict=True))

    def at(self, kept: int, removed: int, added: int, n: int | None) -> tuple[Point, Point]:
        return ((removed + added) * (self.bounds[1] - self.bounds[0]),), (terms.ZERO,)

    @property
    def words(self) -> str:
        return "the spread of an attribute"


def formulas_of(value: object) -> Term:
    return formulas.parse(str(value), {})


def theory_of(own: Path) -> Theory:
    """The pages of the folder, its hypothesis and its values, handed over in Python."""
    modules = [imported(path) for path in sorted(own.glob("*.py"))]
    return dpc.theorems(own, own=[*modules, Spread(0, 10)])


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "problem.toml"
    file.write_text(text, encoding="utf-8")
    return file


RECORDS = """\
format = 1
[databases]
kind = "multisets"
records = ["a", "b", "c"]
[target]
granularity = "bounded"
"""
PARTS = """\
[[mechanisms]]
name = "M1"
reads = { records = ["a"] }
guarantee = { notion = "pure", epsilon = "e1", granularity = "bounded", domain = "common" }
[[mechanisms]]
name = "M2"
reads = { records = ["b"] }
guarantee = { notion = "pure", epsilon = "e2", granularity = "bounded", domain = "common" }
[[claims]]
notion = "pure"
epsilon = "e1 + e2"
"""


def test_a_theorem_and_its_hypothesis(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It fits where the file that decides its hypothesis says so, and results say whose that is."""
    file, saved = written(tmp_path, RECORDS + PARTS), tmp_path / "saved.json"
    hypothesis = own / "even_number_of_records_read.py"
    more = ("--theorems", own, "--python", hypothesis)
    status, out, err = run(capsys, "theorems", *more, "--for", file)
    assert (status, err) == (0, "")
    assert "Theorem 1 of Smith: it gives the same; Corollary IV.13 is cited" in " ".join(out.split())
    odd = written(tmp_path, RECORDS + PARTS.replace('["b"]', '["b", "c"]'))
    _, out, _ = run(capsys, "theorems", *more, "--for", odd)
    said = re.sub(r"\s+", " ", out)
    assert 'it needs "an even number of records is read". It is not: 3 records are read' in said
    assert "says 'even number of records read' of one's own" in said
    assert run(capsys, "verify", file, *more, "--save-derivation", saved)[0] == 0
    assert run(capsys, "recheck", saved)[0] == 0, "what is proved does not rest on it"
    study, _ = dpc.load(odd, theory_of(own))
    (fit,) = [one for one in study.theorems() if one.page.id == "two-parts"]
    assert not fit.fits and "3 records are read" in fit.reason
    in_python = [
        dpc.mechanism(f"M{x}", dpc.pure(x, dpc.bounded, "common"), reads=dpc.restriction([x])) for x in "ab"
    ]
    setting = dpc.compose(*in_python, on=dpc.multisets("abc"), target=dpc.bounded).setting
    (fit,) = [one for one in dpc.Study(setting, theory_of(own)).theorems() if one.page.id == "two-parts"]
    assert fit.fits
    status, _, err = run(capsys, "theorems", "two-parts", "--theorems", own)
    assert status == 2 and "there is no hypothesis 'even number of records read'" in err


def test_a_notion_and_a_conversion(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Replacing is two steps of adding and removing: 2·(c1 + c2) of the notion, twice that in ε."""
    text = PARTS.replace('notion = "pure", epsilon = "e', 'notion = "capacity", c = "c')
    text = re.sub(r"reads = .*\n", "", text).replace('"bounded"', '"unbounded"')
    text = text.replace('"e1 + e2"', '"4*c1 + 4*c2"')
    claim = '[[claims]]\nnotion = "capacity"\nc = "2*(c1 + c2)"\n'
    file, saved = written(tmp_path, RECORDS + text + claim), tmp_path / "saved.json"
    more = ("--theorems", own, "--python", own / "even_number_of_records_read.py")
    status, out, err = run(capsys, "verify", file, *more, "--save-derivation", saved)
    assert (status, err) == (0, "") and out.count("PROVED") == 2
    assert "which are only believed" in re.sub(r"\s+", " ", out)
    assert run(capsys, "recheck", saved, *more)[0] == 0
    assert run(capsys, "recheck", saved)[0] == 1
    mechanisms = [
        dpc.mechanism(f"M{i}", Guarantee("capacity", (("c", formulas_of(i)),), dpc.unbounded)) for i in (1, 2)
    ]
    setting = dpc.compose(*mechanisms, on=dpc.multisets("abc"), target=dpc.bounded).setting
    study = dpc.Study(setting, theory_of(own))
    assert study.check(dpc.pure(12)).verdict == "proved"


NOISY = """\
[[mechanisms]]
name = "M"
reads = { records = ["a", "b"] }
query = "QUERY"
noise = { staircase = "1/e" }
[[claims]]
notion = "pure"
epsilon = "CLAIM"
"""


def test_a_noise(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its page says 1/b for values one apart, and that nothing shows it to be attained."""
    text = RECORDS + NOISY.replace("QUERY", "count").replace("CLAIM", "e")
    file, saved = written(tmp_path, text), tmp_path / "saved.json"
    more = ("--theorems", own, "--python", own / "even_number_of_records_read.py")
    status, out, err = run(capsys, "verify", file, *more, "--save-derivation", saved)
    assert (status, err) == (0, "") and "PROVED" in out and "optimal" not in out
    assert "rests on the page staircase-page, which is only believed" in re.sub(r"\s+", " ", out)
    assert run(capsys, "recheck", saved, *more)[0] == 0
    status, _, err = run(capsys, "verify", file)
    assert status == 2 and "there is no key 'staircase' here" in err
    theory = theory_of(own)
    noise = theory.noise_of("staircase", "1/e")
    M = dpc.mechanism("M", query=dpc.count, noise=noise, reads=dpc.restriction(["a", "b"]))
    study = dpc.Study(dpc.compose(M, on=dpc.multisets("abc"), target=dpc.bounded).setting, theory)
    assert repr(study.guarantee()).startswith("bounded e-DP, by GB:IV.1; rests on")
    again = written(tmp_path, study.to_toml())
    assert 'staircase = "1/e"' in again.read_text()
    assert dpc.load(again, theory)[0].guarantee().bound.guarantee == study.bound.guarantee
    with pytest.raises(
        KeyError, match="there is no page of one's own about a noise 'stair'; there are: stair"
    ):
        theory.noise_of("stair", 1)
    negative = written(tmp_path, text.replace('"1/e"', '"-e"'))
    status, _, err = run(capsys, "verify", negative, *more)
    assert status == 2 and "the parameter b -e must be positive" in err


def test_a_query(own: Path, tmp_path: Path) -> None:
    """An attribute in [0, 10]: one record replaced moves (1 + 1)·10, with the noise of scale 1/e."""
    theory = theory_of(own)
    text = RECORDS + NOISY.replace("QUERY", "spread").replace("CLAIM", "20*e")
    study, claims = dpc.load(written(tmp_path, text), theory)
    assert study.check(claims[0]).verdict == "proved"
    assert {page.id for page in study.bound.relies_on if page.is_believed} == {"staircase-page", "spread"}
    M = dpc.mechanism("M", query=Spread(0, 10), noise=dpc.laplace("1/e"), reads=dpc.restriction(["a", "b"]))
    study = dpc.Study(dpc.compose(M, on=dpc.multisets("abc"), target=dpc.bounded).setting, theory)
    assert repr(study.guarantee()).startswith("bounded (20*e)-DP, by ") and not study.bound.optimal
    with pytest.raises(
        ValueError, match=r"input should be 'count', 'bit', 'spread' or a table.*did you mean 'spread'"
    ):
        dpc.load(written(tmp_path, text.replace('"spread"', '"spred"')), theory)


WORDS = """\
format = 1
[databases]
kind = "words"
[target]
granularity = TARGET
[[mechanisms]]
name = "M"
reads = { map = "first" }
guarantee = { notion = "pure", epsilon = "e", granularity = "two-letters", domain = "common" }
[[mechanisms]]
name = "N"
guarantee = { notion = "pure", epsilon = "f", granularity = "two-letters" }
[[claims]]
notion = "pure"
epsilon = "e + f"
"""


def test_a_granularity_and_a_class(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words with as many a's, up to an even number, are a step apart: any two of four are neighbours."""
    file, saved = written(tmp_path, WORDS.replace("TARGET", '"two-letters"')), tmp_path / "saved.json"
    status, out, err = run(capsys, "verify", file, "--python", own / "words.py", "--save-derivation", saved)
    assert (status, err) == (0, "") and "PROVED, and no smaller guarantee holds" in out
    assert "on all words of three letters" in out
    assert run(capsys, "recheck", saved)[0] == 0, "the saved problem lists words and neighbours"
    status, out, _ = run(
        capsys, "compare", "two-letters", "free-lunch", "--kind", "words", "--python", own / "words.py"
    )
    assert status == 0 and "d_free-lunch <= d_two-letters" in out
    theory = theory_of(own)
    study, claims = dpc.load(file, theory)
    assert dpc.load(written(tmp_path, study.to_toml(claims)))[0].check(claims[0]).verdict == "proved"
    of_two = written(tmp_path, WORDS.replace("TARGET", '{ group = 2, of = "two-letters" }'))
    study, claims = dpc.load(of_two, theory)
    assert study.check(claims[0]).verdict == "proved", "all of an even kind are one step apart"
    status, _, err = run(capsys, "verify", file)
    assert status == 2 and "there is no kind 'words'" in err


IN_METRICS = """\
format = 1
[databases]
kind = "words"
[metrics.steps]
granularity = "two-letters"
[[mechanisms]]
name = "M"
guarantee = { notion = "pure", metric = "e*steps" }
[[claims]]
notion = "pure"
metric = "e*d_two_letters"
"""


def test_a_granularity_and_a_class_in_metrics(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The steps of one's own granularity are a metric in a file, and in claims made in Python."""
    file, saved = written(tmp_path, IN_METRICS), tmp_path / "saved.json"
    more = ("--python", own / "words.py")
    status, out, err = run(capsys, "verify", file, *more, "--save-derivation", saved)
    assert (status, err) == (0, "") and "PROVED, and no smaller metric holds" in out
    assert run(capsys, "recheck", saved, *more)[0] == 0
    study, _ = dpc.load(file, theory_of(own))
    assert study.check(dpc.in_metric("2*e*d_two_letters")).loose
    assert study.check(dpc.in_metric("e*d_two_letters/2")).verdict == "refuted"


class OneLetter(Granularity):
    """Words that differ in one letter."""

    name = "one-letter"

    def are_neighbours(self, D: Database, E: Database) -> bool:
        assert isinstance(D, str) and isinstance(E, str)
        return sum(x != y for x, y in zip(D, E, strict=True)) == 1


def test_from_one_method_all_else_is_derived(own: Path) -> None:
    """The neighbours of one letter: the metric is Hamming's, and groups, comparisons and pictures follow."""
    words, one = imported(own / "words.py").OWN[1], OneLetter()
    d = dpc.canonical_metric(words, one)
    everything = list(words.databases())
    for D in everything:
        assert sorted(one.neighbours(D, words)) == sorted(E for E in everything if d(D, E) == 1)
        assert all(d(D, E) == sum(x != y for x, y in zip(D, E, strict=True)) for E in everything)
        assert all(
            dpc.canonical_metric(words, dpc.group(2, one))(D, E) == -(-d(D, E) // 2) for E in everything
        )
    assert dpc.compare(one, dpc.free_lunch, words).forth.value == 3
    M = dpc.mechanism(
        "M", dpc.pure("e", one), reads=dpc.function("first", lambda word: word[0]), domain="common"
    )
    N = dpc.mechanism("N", dpc.pure("f", one))
    assert str(dpc.compose(M, N, on=words, target=one).guarantee().epsilon) == "e + f"
    assert str(dpc.compose(M, N, on=words, target=dpc.group(3, one)).guarantee().epsilon) == "e + 3*f"
    assert dpc.neighbourhood_graph(words, one).number_of_edges() == 12
    assert dpc.sensitivity(dpc.function("a's", lambda D: D.count("a")), words, one, to=None).value == 1


class Lopsided(Granularity):
    """Not symmetric."""

    name = "lopsided"

    def are_neighbours(self, D: Database, E: Database) -> bool:
        return str(D) < str(E)


def test_a_relation_that_is_not_symmetric_is_refused(own: Path) -> None:
    words = imported(own / "words.py").OWN[1]
    M = dpc.mechanism("M", dpc.pure("e", Lopsided()))
    with pytest.raises(ValueError, match="not symmetric"):
        dpc.compose(M, on=words, target=Lopsided()).guarantee()


def test_an_infinite_class_needs_a_lemma() -> None:
    """One method says nothing that holds for infinitely many databases: so nothing is proved."""
    M = dpc.mechanism("M", dpc.pure("e", dpc.bounded))
    study = dpc.compose(M, on=dpc.multisets("ab"), target=OneLetter())
    with pytest.raises(ValueError, match="a finite class would do"):
        study.guarantee()


@pytest.mark.parametrize(
    ("addition", "words"),
    [
        ("x = 1\n", "mine has neither a list OWN nor a hypothesis: check and WORDS"),
        ("def check(inputs): ...\n", "mine decides a hypothesis, and needs it in words: WORDS"),
        ("OWN = [1]\n", "1 is no granularity, class of databases, map or query"),
        ("import dpcompose as dpc\nOWN = [dpc.bounded]\n", "there are two of the name 'bounded'"),
        ("import dpcompose as dpc\nOWN = [dpc.multisets('ab')]\n", "there are two of the name 'multisets'"),
        ("import dpcompose as dpc\nOWN = [dpc.count]\n", "there are two of the name 'count'"),
        ("import dpcompose as dpc\nOWN = [dpc.restriction(['a'])]\n", "has no name by which a problem file"),
        ("raise KeyError('x')\n", "KeyError: 'x'"),
        ("x = \n", "SyntaxError: invalid syntax"),
    ],
)
def test_mistakes_in_a_python_file(
    addition: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(addition, encoding="utf-8")
    status, _, err = run(capsys, "verify", written(tmp_path, RECORDS + PARTS), "--python", mine)
    assert status == 2 and words in err and "Traceback" not in err
    status, _, err = run(capsys, "verify", written(tmp_path, RECORDS + PARTS), "--python", tmp_path / "no.py")
    assert (status, err) == (2, f"dpcompose: {tmp_path / 'no.py'}: there is no such Python file\n")


def test_a_hypothesis_of_one_s_own_has_a_name_of_its_own(tmp_path: Path) -> None:
    module = ModuleType("at_least")
    module.check, module.WORDS = print, "at least"  # type: ignore[attr-defined]
    with pytest.raises(WrongAddition, match="there is a hypothesis at_least already"):
        dpc.theorems(own=[module])


def test_a_problem_file_runs_nothing(own: Path, tmp_path: Path) -> None:
    """Python files beside pages are only run where they are named."""
    (own / "loud.py").write_text("raise SystemExit('run')\n", encoding="utf-8")
    before = set(sys.modules)
    with pytest.warns(UserWarning, match="there is no hypothesis 'even number of records read'"):
        theory = dpc.theorems(own)
    dpc.load(written(tmp_path, RECORDS + PARTS), theory)
    assert not any("loud" in one for one in set(sys.modules) - before)


def test_what_is_added_is_not_known_elsewhere(own: Path) -> None:
    assert theory_of(own).own.granularities.keys() == {"two-letters"}
    assert not registry.standard().own.granularities and not dpc.theorems().own.classes
