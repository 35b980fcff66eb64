"""Samples and deals of records where steps are edges of a policy: by hand, and edge by edge."""

from __future__ import annotations

import json
import random
from itertools import combinations
from math import exp, log
from typing import Any

import pytest
import told
from shares import seeds

from dpcompose.front.studies.study import Study
from dpcompose.kernel.core import reading
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import elaborated
from dpcompose.search.guarantees import NoGuarantee

RECORDS = ["a1", "a2", "b1", "b2", "c"]
COUNTIES = 'replace = { within = [["a1", "a2"], ["b1", "b2"]] }'


def setting(policy: str, *mechanisms: str, size: str = "any", parameters: str = "") -> str:
    """A file about multisets of these records, whose neighbours a policy p says."""
    return "\n".join(
        [
            "format = 1",
            f'[parameters]\ns = "in (0,1)"\n{parameters}',
            f'[databases]\nkind = "multisets"\nrecords = {RECORDS}\nsize = "{size}"'.replace("'", '"'),
            f'[granularities.p]\n{policy}\n[target]\ngranularity = "p"',
            *mechanisms,
        ]
    )


def drawn(how: str, stated: str, name: str = "M", reads: list[str] | None = None) -> str:
    """A mechanism on a sample."""
    known = f'notion = "pure", epsilon = "{name.lower()}", granularity = "{stated}"'
    read = "" if reads is None else f"reads = {{ records = {reads} }}\n".replace("'", '"')
    domain = "" if reads is None else ', domain = "own"'
    return f'[[mechanisms]]\nname = "{name}"\n{read}sampled = {{ {how} }}\nguarantee = {{ {known}{domain} }}'


DEALT = """[[mechanisms]]
name = "R"
index = "i"
count = "k"
reads = { random-part = "i", of = "k" }
guarantee = { notion = "pure", epsilon = "e[i]", granularity = "%s", domain = "own" }"""
COMES = "log(s*(exp(m) - 1) + 1)"
REPLACED = "log(s*(exp(m) - 1) + 1) - log(s*exp(-m) - s + 1)"


@pytest.mark.parametrize(
    ("policy", "mechanism", "size", "bound"),
    [
        (COUNTIES, drawn('poisson = "s"', "unbounded"), "any", REPLACED),
        (COUNTIES, drawn('poisson = "s"', "unbounded"), "= 5", REPLACED),
        (COUNTIES, drawn('poisson = "s"', "unbounded", reads=["a1"]), "any", COMES),
        ('add-remove = ["a1"]', drawn('poisson = "s"', "unbounded"), "any", COMES),
        (COUNTIES, drawn("fixed = [2, 5]", "bounded"), "= 5", "log(2*(exp(m) - 1)/5 + 1)"),
        ('replace = "all"', drawn("fixed = [2, 5]", "bounded"), "= 5", "log(2*(exp(m) - 1)/5 + 1)"),
        (COUNTIES, DEALT % "bounded", "any", "max(e[i], i, 1, k)"),
        (COUNTIES, DEALT % "p", "any", "max(e[i], i, 1, k)"),
        (COUNTIES, DEALT % "unbounded", "any", "2*max(e[i], i, 1, k)"),
    ],
)
def test_what_is_drawn_is_as_private_along_edges_as_for_all_records(
    policy: str, mechanism: str, size: str, bound: str
) -> None:
    """An edge is a replacement, and no mechanism on samples knows which ones are edges: the same mechanisms
    lose as much."""
    text = setting(policy, mechanism, size=size, parameters='k = "integer >= 2"')
    study = Study(problems.read_text(text).setting)
    found = study.guarantee()
    assert found.optimal
    for claim, verdict in ((bound, "proved"), (f"99/100*({bound})", "refuted")):
        claims = problems.read_text(f'{text}\n[[claims]]\nnotion = "pure"\nepsilon = "{claim}"\n').claims
        assert study.check(claims[0]).verdict == verdict


def test_edges_of_both_kinds_lose_what_a_replaced_record_does() -> None:
    """Records of a county become each other, and c comes and goes: the former loses more, and just that."""
    text = setting(f'{COUNTIES}\nadd-remove = ["c"]', drawn('poisson = "s"', "unbounded"))
    found = Study(problems.read_text(text).setting).guarantee()
    assert formulas.to_text(formulas.term(found.epsilon)) == REPLACED and found.optimal


@pytest.mark.parametrize("how", ['poisson = "s"', "fixed = [1, 2]"])
def test_a_sample_may_tell_in_which_county_a_record_is(how: str) -> None:
    """One of {a1, b1}, or of {a2, b1}: a mechanism that is private within counties may say the county, and
    then which one of a1 and a2 it is: P(a, 1) is ½·e^ε/(1 + e^ε) and ½/(1 + e^ε), so that ε is lost, not less."""
    with pytest.raises(problems.ProblemError, match="nothing is gained"):
        problems.read_text(setting(COUNTIES, drawn(how, "p"), size="= 2"))


@pytest.mark.parametrize(
    ("stated", "how", "words"),
    [
        # single records that come and go are among these, and then it is known what is gained
        ('replace = "all"\nadd-remove = ["c"]', "fixed = ['1', '4']", "one for bounded neighbours as well"),
        # where some records only are others, or come and go, the sample tells which it has
        (COUNTIES, "poisson = 's'", "nothing is gained.*state it for unbounded neighbours"),
        (f'{COUNTIES}\nadd-remove = ["c"]', "poisson = 's'", "nothing is gained.*for unbounded neighbours"),
        (COUNTIES, "fixed = ['1', '4']", "nothing is gained.*state it for bounded neighbours"),
    ],
)
def test_what_fits_instead_is_said_of_other_neighbours(stated: str, how: str, words: str) -> None:
    size = "any" if "poisson" in how else "= 4"
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_text(setting(stated, drawn(how, "p"), size=size))


def test_samples_have_sizes_that_databases_do_not_have() -> None:
    """Where at most five records are there, a step that adds one leads out of the class for samples of five."""
    text = setting('add-remove = ["a1"]', drawn('poisson = "s"', "unbounded"), size="<= 5")
    with pytest.raises(NoGuarantee, match="other sizes"):
        Study(problems.read_text(text).setting).guarantee()


def changed(text: str, *path: Any, value: Any) -> Prover:
    """What the kernel shows of the file's core setting with another value somewhere."""
    data = json.loads(json.dumps(elaborated(problems.read_text(text).setting).core.data()))
    at = data
    for key in path[:-1]:
        at = at[key]
    assert at[path[-1]] != value
    at[path[-1]] = value
    return Prover(reading.read(data), told.THEORY)


def test_the_kernel_asks_for_all_replacements_of_samples() -> None:
    """A policy in place of all replacements is no guarantee that samples make a better one of."""
    text = setting(COUNTIES, drawn("fixed = [1, 2]", "bounded"), size="= 2")
    whole = elaborated(problems.read_text(text).setting).core.data()["mechanisms"][0]["stated"]["single"]
    for some in (whole[1:], [*whole, [None, 0]]):
        made = changed(text, "mechanisms", 0, "stated", "single", value=some)
        with pytest.raises(NoTheorem, match="other neighbours"):
            made.by("compose", made.by("given", i=1))


def test_the_kernel_asks_for_deals_of_as_many_records() -> None:
    text = setting(COUNTIES, DEALT % "bounded", parameters='k = "integer >= 2"')
    made = changed(text, "target", "single", value=[[None, 0]])
    with pytest.raises(NoTheorem, match="replace one record"):
        made.by("cover")
    made = changed(text, "target", "steps", value=2)
    with pytest.raises(NoTheorem, match="replace one record"):
        made.by("cover", every=True)


@seeds(4, 200)
def test_each_edge_is_looked_at(seed: int) -> None:
    """Several mechanisms on samples of what some records are, edge by edge: ε of one record that comes, of one
    that is replaced (two steps of what is read), and of none."""
    rng = random.Random(seed)
    edges = [one for one in combinations(RECORDS, 2) if rng.random() < 0.4] or [("a1", "a2")]
    pairs = str([list(one) for one in edges]).replace("'", '"')
    reads = {name: rng.sample(RECORDS, rng.randint(1, 4)) for name in "MN"[: rng.randint(1, 2)]}
    text = setting(
        f"replace = {pairs}", *(drawn('poisson = "s"', "unbounded", n, some) for n, some in reads.items())
    )
    study = Study(problems.read_text(text).setting)
    bound = formulas.term(study.guarantee().epsilon)
    for _ in range(3):
        s, values = rng.randint(1, 9) / 10, {name: rng.randint(1, 20) / 7 for name in reads}
        one = {name: log(1 + s * (exp(e) - 1)) for name, e in values.items()}
        truth = max(sum(one[n] * ((x in some) + (y in some)) for n, some in reads.items()) for x, y in edges)
        code = formulas.to_text(bound).replace("log", "LOG")
        names = {"LOG": log, "exp": exp, "max": max, "s": s, **{n.lower(): e for n, e in values.items()}}
        assert abs(eval(code, {"__builtins__": {}}, names) - truth) < 1e-9, (text, code)
