"""Problem files: what is read, and what is refused with which words."""

from __future__ import annotations

import sys

import pytest

from dpcompose.front import cli
from dpcompose.privacy import problems
from dpcompose.privacy.problems import ProblemError

GOOD = """\
format = 1
title = "t"
[parameters]
n = "1000"
s = "real"
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
reads = { records = ["a"] }
guarantee = { notion = "pure", epsilon = 0.1, granularity = "bounded", domain = "common" }
[[claims]]
notion = "pure"
epsilon = "n/1e4"
expect = "proved"
"""

LISTED = """\
format = 1
[databases]
kind = "listed"
elements = ["a", "b"]
[granularities.mine]
neighbours = [["a", "b"], ["a", "a"]]
[maps.f]
table = { a = "x", b = "y" }
[target]
granularity = "mine"
[[mechanisms]]
name = "M"
reads = { map = "f" }
guarantee = { notion = "pure", epsilon = "e", granularity = "mine", domain = "own" }
"""


def mistakes(text: str) -> str:
    with pytest.raises(ProblemError) as caught:
        problems.read_text(text, "p.toml")
    return str(caught.value)


def test_numbers_are_exact() -> None:
    problem = problems.read_text(GOOD)
    assert problem.setting.mechanisms[0].satisfies.text() == {"notion": "pure", "epsilon": "1/10"}
    assert problem.claims[0].guarantee.text()["epsilon"] == "1/10"
    assert problem.claims[0].expect == "proved"


def test_pairs_of_one_database_are_ignored() -> None:
    target = problems.read_text(LISTED).setting.target
    assert not target.are_neighbours("a", "a") and target.are_neighbours("b", "a")


def test_all_mistakes_come_at_once_with_key_and_line() -> None:
    text = (
        GOOD.replace("records =", "recrods =", 1).replace('"n/1e4"', '"n/"').replace('name = "M"', "nmae = 1")
    )
    assert mistakes(text) == (
        "p.toml: databases.recrods (line 8): there is no key 'recrods' here; did you mean 'records'?\n"
        "p.toml: mechanisms.1.name (line 11): this key is missing\n"
        "p.toml: mechanisms.1.nmae (line 12): there is no key 'nmae' here; did you mean 'name'?\n"
        "p.toml: claims.1.epsilon (line 17): a value is missing after '/'\n  n/\n    ^"
    )


def test_formulas_show_the_place() -> None:
    text = GOOD.replace('"n/1e4"', '"n + 2*e7"')
    assert mistakes(text) == (
        "p.toml: claims.1.epsilon (line 17): unknown name 'e7'; known names: n, s\n  n + 2*e7\n        ^"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 1", "format = 2", "format (line 1): input should be 1, not a number"),
        (
            'granularity = "bounded"\n',
            'granularity = "bonded"\n',
            "target.granularity (line 10): there is no granularity 'bonded'; did you mean 'bounded'?",
        ),
        (
            'granularity = "bounded"\n',
            'granularity = "edge"\n',
            "mechanisms (line 11): the granularity edge has no meaning on multisets: it is about graphs; "
            "there are unbounded, bounded and free-lunch",
        ),
        (
            'granularity = "bounded"\n',
            'granularity = { group = 0, of = "bounded" }\n',
            "target.granularity (line 10): a group counts 1 to 1,000 steps, not 0",
        ),
        (
            'granularity = "bounded"\n',
            'granularity = { group = 40, of = { group = 40, of = "bounded" } }\n',
            "target.granularity (line 10): a group counts 1 to 1,000 steps in all, not 40",
        ),
        (
            'granularity = "bounded"\n',
            'granularity = { groups = 2, of = "bounded" }\n',
            'target.granularity (line 10): a group of neighbours is { group = 2, of = "bounded" }',
        ),
        (
            'granularity = "bounded"\n',
            "granularity = { w-event = 0 }\n",
            "target.granularity (line 10): a window has 1 to 1,000 time steps, not 0",
        ),
        (
            'granularity = "bounded"\n',
            'granularity = { group = 2, of = "bouded" }\n',
            "target.granularity (line 10): there is no granularity 'bouded'; did you mean 'bounded'?",
        ),
        (
            'records = ["a"]',
            'records = ["A"]',
            "mechanisms.1.reads.records (line 13): 'A' is no record of the class; did you mean 'a'?",
        ),
        (
            ', domain = "common"',
            "",
            'mechanisms.1.guarantee.domain (line 14): say on which domain its guarantee is stated: domain = "common" '
            "(it is private as a map on the whole class, and depends only on what it reads) or "
            'domain = "own" (it is private as a map on what it reads, for the neighbours there)',
        ),
        (
            'notion = "pure", epsilon = 0.1',
            'notion = "f-dp", epsilon = 0.1',
            "mechanisms.1.guarantee (line 14): a f-dp guarantee has no epsilon; it has tradeoff",
        ),
        (
            "epsilon = 0.1",
            "epsilon = true",
            "mechanisms.1.guarantee.epsilon (line 14): a formula is a text or a number, not true or false",
        ),
        (
            "epsilon = 0.1",
            "epsilon = 0.1, delta = 0.1",
            "mechanisms.1.guarantee (line 14): a pure guarantee has no delta; it has epsilon",
        ),
        (
            'kind = "multisets"',
            'kind = "graphs"',
            "databases (line 6): records and size are about records; graphs have vertices = 4",
        ),
        (
            'kind = "multisets"',
            'kind = "tuples"',
            "mechanisms.1.reads.records (line 13): tuples are not restricted to records; read positions",
        ),
        (
            'kind = "multisets"',
            'kind = "multisets"\nsize = "< 4"',
            'databases (line 6): \'< 4\' is no size; use "any", "<= 4", "= 4", ">= 2" or "2..4"',
        ),
        (
            'records = ["a", "b"]',
            'records = ["a", "a"]',
            "databases (line 6): record 'a' is listed twice",
        ),
        (
            's = "real"',
            's = "natural"',
            "parameters.s (line 5): 'natural' is no domain; use positive, nonnegative, real, in (0,1), "
            "integer >= N, or a number",
        ),
        ('s = "real"', 'max = "real"', "parameters.max (line 5): max has a meaning in formulas already"),
        (
            'name = "M"',
            'name = "M"\nrepeat = 0',
            "mechanisms.1.repeat (line 13): input should be greater than or equal to 1, not 0",
        ),
        (
            'expect = "proved"',
            'expect = "true"',
            "claims.1.expect (line 18): input should be 'proved', 'refuted' or 'undecided', not 'true'",
        ),
    ],
)
def test_a_mistake_is_named(old: str, new: str, message: str) -> None:
    assert old in GOOD
    assert mistakes(GOOD.replace(old, new, 1)) == f"p.toml: {message}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["a", "b"], ["a", "a"]', '["a", "c"]', "'c' is no database of the class; there is a, b"),
        ('{ a = "x", b = "y" }', '{ a = "x" }', "there is no value for the database 'b'"),
        ('map = "f"', 'map = "g"', "there is no map 'g'; there is f"),
        ('map = "f"', 'records = ["a"]', "a listed class has no records; read a map of your own"),
        (
            'granularity = "mine"\n',
            'granularity = "bounded"\n',
            "the granularity bounded is about records; a listed class has none; name one of your own",
        ),
        ("[granularities.mine]", "[granularities.bounded]", "bounded is a built-in granularity"),
    ],
)
def test_a_mistake_in_a_listed_class_is_named(old: str, new: str, message: str) -> None:
    assert old in LISTED
    assert message in mistakes(LISTED.replace(old, new, 1))


TUPLES = """\
format = 1
[databases]
kind = "tuples"
size = "= 3"
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
reads = { positions = [1, 3] }
guarantee = { notion = "pure", epsilon = "e", granularity = "bounded", domain = "own" }
"""
PART = """\
index = "i"
count = "k"
reads = { part = "i", of = "P" }"""
FAMILY = """\
format = 1
[parameters]
k = "integer >= 2"
[partitions.P]
kind = "order-based"
parts = "k"
"""


def nested(levels: int, m: int = 1) -> str:
    """Groups of groups of … of bounded neighbours."""
    return f"{{ group = {m}, of = " * levels + '"bounded"' + " }" * levels


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"[1, 3]": "[2, 4]"},
            "mechanisms (line 7): M reads position 4, which all tuples of length 3 over an arbitrary record "
            "universe do not have",
        ),
        (
            {'"= 3"': '"any"'},
            "mechanisms (line 7): M reads positions, which shorter tuples do not have: give all the same "
            'length, size = "= n"',
        ),
        (
            {'"= 3"': '"<= 3"'},
            "mechanisms (line 7): M reads positions, which shorter tuples do not have: give all the same "
            'length, size = "= n"',
        ),
        (
            {'"tuples"': '"multisets"'},
            "mechanisms.1.reads.positions (line 9): positions are about tuples, streams and tables",
        ),
        (
            {"positions = [1, 3]": 'records = ["a"]'},
            "mechanisms.1.reads.records (line 9): tuples are not restricted to records; read positions",
        ),
        (
            {'granularity = "bounded"\n': 'granularity = "unbounded"\n'},
            "mechanisms (line 7): the granularity unbounded has no meaning on tuples: it is about multisets and sets"
            "; there are bounded and free-lunch",
        ),
        (
            {'granularity = "bounded",': 'granularity = { group = 2, of = "unbounded" },'},
            "mechanisms (line 7): M: the granularity unbounded has no meaning on tuples: it is about multisets and sets"
            "; there are bounded and free-lunch",
        ),
        (
            {'granularity = "bounded",': 'granularity = "event",'},
            "mechanisms (line 7): M: the granularity event has no meaning on tuples: it is about streams; "
            "there are bounded and free-lunch",
        ),
        (
            {'granularity = "bounded"\n': 'granularity = { group = 2, of = "mine" }\n'},
            "target.granularity (line 6): there is no granularity 'mine'; there is unbounded, bounded, event, "
            "user, attribute, edge, node, node-removal, insert-delete, free-lunch",
        ),
        (
            {'granularity = "bounded"\n': "granularity = { group = 2, of = { w-event = 3 } }\n"},
            "mechanisms (line 7): the granularity 3-event has no meaning on tuples: it is about streams; "
            "there are bounded and free-lunch",
        ),
        (
            {'granularity = "bounded"\n': "granularity = { group = true, of = 3 }\n"},
            "target.granularity (line 6): a group counts 1 to 1,000 steps, not True",
        ),
        (
            {'granularity = "bounded"\n': f"granularity = {nested(11, 2)}\n"},
            "target.granularity (line 6): a group counts 1 to 1,000 steps in all, not 2",
        ),
        (
            {'"= 3"': '"= 1000000000000"'},
            "databases (line 2): '= 1000000000000' is too large: sizes are below 10^9",
        ),
        (
            {"format = 1\n": FAMILY, "reads = { positions = [1, 3] }": PART},
            "mechanisms (line 12): M reads a part of P, which needs tuples of any length (leave out size)",
        ),
        (
            {"format = 1\n": FAMILY, "reads = { positions = [1, 3] }": PART, '"tuples"': '"multisets"'},
            "partitions.P.kind (line 5): record-wise partitions and overlapping parts divide multisets and sequences, order-based ones tuples and streams, "
            "not multisets",
        ),
        (
            {
                "format = 1\n": FAMILY.replace("order-based", "record-wise"),
                "reads = { positions = [1, 3] }": PART,
                'size = "= 3"\n': "",
            },
            "partitions.P.kind (line 5): record-wise partitions and overlapping parts divide multisets and sequences, order-based ones tuples and streams, "
            "not tuples",
        ),
    ],
)
def test_a_mistake_about_positions_and_groups_is_named(changes: dict[str, str], message: str) -> None:
    text = TUPLES
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    found = mistakes(text)
    assert found == f"p.toml: {message}"


def test_built_in_groups_of_listed_neighbours_are_refused() -> None:
    text = LISTED.replace('granularity = "mine"\n', 'granularity = { group = 2, of = "bounded" }\n')
    said = "the granularity bounded is about records; a listed class has none; name one of your own"
    assert said in mistakes(text)


@pytest.mark.parametrize("levels", [200, 5_000])
def test_groups_nested_deeply(levels: int, tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(TUPLES.replace('granularity = "bounded"\n', f"granularity = {nested(levels)}\n"), tmp_path)
    said = capsys.readouterr()
    assert status == (0 if levels == 200 else 2)
    assert "Traceback" not in said.err + said.out


@pytest.mark.parametrize(
    ("kind", "size", "target"),
    [
        ("tuples", "= 900000000", "bounded"),
        ("tuples", "= 900000000", "free-lunch"),
        ("tuples", "<= 1000000", "free-lunch"),
        ("multisets", "= 900000000", "free-lunch"),
        ("multisets", "<= 900000000", "free-lunch"),
        ("multisets", "<= 3000", "free-lunch"),
    ],
)
def test_what_cannot_be_written_down_is_undecided_at_once(
    kind: str, size: str, target: str, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TUPLES.replace('"tuples"', f'"{kind}"').replace('"= 3"', f'"{size}"')
    text = text.replace("reads = { positions = [1, 3] }\n", "")
    text = text.replace('granularity = "bounded"\n', f'granularity = "{target}"\n')
    status = run(text + '[[claims]]\nnotion = "pure"\nepsilon = "e"\n', tmp_path)
    said = capsys.readouterr()
    assert status == (1 if size == "<= 1000000" else 3), said
    assert "Traceback" not in said.err + said.out


def test_a_negative_parameter_is_refused_with_its_values(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    status = run(GOOD.replace("epsilon = 0.1", 'epsilon = "s - 1"'), tmp_path)
    assert status == 2
    assert "epsilon of M must be at least 0 for all allowed values, but it is" in capsys.readouterr().err


def run(text: str | bytes, folder: object, *flags: str) -> int:
    path = folder / "p.toml"  # type: ignore[operator]
    path.write_bytes(text.encode(errors="surrogatepass") if isinstance(text, str) else text)
    return cli.main(["verify", *flags, str(path)])


HOSTILE: dict[str, str | bytes] = {
    "empty": "",
    "no TOML": "[[[",
    "no text": b"\xff\xfe\x00\x01",
    "a null byte": GOOD.replace("real", "re\\u0000al"),
    "python in a formula": GOOD.replace("n/1e4", "__import__('os').system('touch hacked')"),
    "a dunder name": GOOD.replace("n/1e4", "n.__class__"),
    "a lambda": GOOD.replace("n/1e4", "(lambda: 0)()"),
    "a tower of powers": GOOD.replace("n/1e4", "9**9**9**9**9"),
    "a huge power": GOOD.replace("n/1e4", "2**(10**9)"),
    "a huge exponential": GOOD.replace("n/1e4", "exp(10**9)"),
    "deep parentheses": GOOD.replace("n/1e4", "(" * 40_000 + "n" + ")" * 40_000),
    "many minus signs": GOOD.replace("n/1e4", "-" * 90_000 + "n"),
    "a long formula": GOOD.replace("n/1e4", "n+" * 500_000 + "n"),
    "a long number": GOOD.replace("n/1e4", "1" * 5_000),
    "a long integer": GOOD.replace("epsilon = 0.1", "epsilon = " + "1" * 5_000),
    "a look-alike letter": GOOD.replace("n/1e4", "\u0578/2"),
    "division by zero": GOOD.replace("n/1e4", "1/(n - 1000)"),
    "no real value": GOOD.replace("n/1e4", "sqrt(-n)"),
    "deep arrays": GOOD + "\nx = " + "[" * 20_000 + "]" * 20_000,
    "deep tables": GOOD.replace('title = "t"', "title." + ".".join("a" * 2_000) + " = 1"),
    "a list for a name": GOOD.replace('name = "M"', 'name = ["M"]'),
    "a dunder parameter": GOOD.replace('s = "real"', '"__class__.x" = "real"'),
    "two mechanisms of one name": GOOD.replace("[[claims]]", GOOD[GOOD.index("[[mech") : GOOD.index("[[claims")] + "[[claims]]"),
    "an infinite number": GOOD.replace("epsilon = 0.1", "epsilon = inf"),
    "a date": GOOD.replace("epsilon = 0.1", "epsilon = 2020-01-01"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(
    name: str, tmp_path: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]
    status = run(HOSTILE[name], tmp_path)
    said = capsys.readouterr()
    assert status == 2, said.out
    assert "p.toml" in said.err and "Traceback" not in said.err
    assert max(map(len, said.err.splitlines())) < 500
    assert not (tmp_path / "hacked").exists()  # type: ignore[operator]
    assert sys.getrecursionlimit() <= 10_000


def test_the_same_error_as_json(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("[[[", tmp_path, "--json") == 2
    assert '"error": ' in capsys.readouterr().out


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "no/such/file.toml"]) == 2
    assert capsys.readouterr().err == "no/such/file.toml: No such file or directory\n"


def test_a_named_record_of_an_arbitrary_universe_is_one_of_its_records() -> None:
    """Reads of named records move under neighbours of an arbitrary universe."""
    from dpcompose.front.studies.study import Study

    text = GOOD.replace('records = ["a", "b"]\n', "")
    problem = problems.read_text(text)
    assert problem.setting.databases.records == ("a",)  # type: ignore[attr-defined]
    assert dict(Study(problem.setting).bound.guarantee.texts) == {"epsilon": "1/10"}


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("add-remove", "unbounded"),
        ("Add/Remove", "unbounded"),
        ("replace_one", "bounded"),
        ("substitution", "bounded"),
        ("user-level", "user"),
        ("edge level", "edge"),
    ],
)
def test_neighbours_by_their_names_elsewhere(word: str, meant: str) -> None:
    """Two people call one thing by two names: the message says which it is here."""
    text = GOOD.replace('granularity = "bounded"', f'granularity = "{word}"')
    assert text != GOOD
    assert f"there is no granularity {word!r}; did you mean {meant!r}?" in mistakes(text)


def test_notions_queries_and_reads_by_near_names() -> None:
    for old, new, said in [
        ('notion = "pure"', 'notion = "rdp"', "there is no notion 'rdp'; did you mean 'renyi'?"),
        ('notion = "pure"', 'notion = "epsilon-delta"', "did you mean 'approximate'?"),
        ('reads = { records = ["a"] }', 'reads = "everthing"', "not 'everthing'; did you mean 'everything'?"),
        ('reads = { records = ["a"] }', 'query = "median"', "{ mean = [l, u] }"),
        ('reads = { records = ["a"] }', 'query = "size"', "did you mean 'count'?"),
    ]:
        assert old in GOOD
        assert said in mistakes(GOOD.replace(old, new, 1))
