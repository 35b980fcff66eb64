"""theorems/certificates.md: its example is what the program makes of the file, and its steps replay."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dpcompose.kernel import check
from dpcompose.kernel.core import reading
from dpcompose.kernel.judgements import Loose, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import RULES
from dpcompose.kernel.rules.premises import claimed
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry
from dpcompose.search.proofs import Proofs, saved

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "notebooks" / "problems" / "01-bounded-parallel.toml"
PAGE = (ROOT / "theorems" / "certificates.md").read_text(encoding="utf-8")
THEORY = Theory(registry.load(ROOT / "theorems").pages)


def block(words: str) -> Any:
    """The only block of the page with these words after its fence."""
    (found,) = re.findall(rf"^```{words}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return found


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """The derivation file of the problem, through JSON."""
    problem = problems.read_text(problems.text_of(FILE))
    proofs = Proofs(problem.setting, THEORY)
    verdicts = [proofs.verdict({"notion": one.guarantee.notion, **one.text}) for one in problem.claims]
    data = problems.parsed(problems.text_of(FILE))
    found: dict[str, Any] = json.loads(json.dumps(saved(proofs, data, verdicts)))
    return found


def test_the_problem_is_the_file() -> None:
    here, there = tomllib.loads(block("toml")), tomllib.loads(FILE.read_text(encoding="utf-8"))
    there.pop("title")
    for claim in there["claims"]:
        claim.pop("expect")
    assert here == there


def test_the_example_is_what_the_program_makes(made: dict[str, Any]) -> None:
    assert made["format"] == 2 and set(made) == set(EXAMPLE_KEYS)
    assert json.loads(block("json core")) == made["core"]
    derivation, verdicts = json.loads(block("json derivation")), json.loads(block("json verdicts"))
    assert list(derivation["pages"]) == list(made["derivation"]["pages"])
    for key in ("setting", "steps"):
        assert derivation[key] == made["derivation"][key]
    assert verdicts == {"guarantee": made["guarantee"], "claims": made["claims"]}


EXAMPLE_KEYS = ("format", "problem", "core", "derivation", "guarantee", "claims")


def test_the_steps_of_the_page_replay() -> None:
    """With the hashes of the pages in force, the conclusions are those that chapter 3 asks for."""
    setting = reading.read(json.loads(block("json core")))
    derivation, verdicts = json.loads(block("json derivation")), json.loads(block("json verdicts"))
    assert f"Its hash is `{setting.hash}`" in PAGE and derivation["setting"] == setting.hash
    derivation["pages"] = {page: THEORY.pages[page].sha256 for page in derivation["pages"]}
    said = [one.says for one in check.replay(derivation, setting, THEORY)]
    guarantee, optimal = (said[verdicts["guarantee"][key] - 1] for key in ("step", "optimal"))
    assert isinstance(guarantee, Satisfies) and isinstance(optimal, Optimal)
    assert guarantee.values == optimal.values
    kinds = {"proved": Satisfies, "refuted": Refuted}
    for one in verdicts["claims"]:
        claim, found = claimed(one["claim"], setting, THEORY), [said[one["step"] - 1]]
        assert isinstance(found[0], kinds[one["verdict"]])
        if "shown" in one:
            found.append(said[one["shown"] - 1])
            assert isinstance(found[1], Loose if one["loose"] else Optimal)
        for each in found:
            assert isinstance(each, Satisfies | Refuted | Loose | Optimal)
            assert (each.notion, each.values) == (claim.notion, claim.values)


def test_the_hash_can_be_taken_of_the_core_as_it_stands(made: dict[str, Any]) -> None:
    """As chapter 3 says how: sorted keys, no blanks, ASCII."""
    from hashlib import sha256

    text = json.dumps(made["core"], sort_keys=True, separators=(",", ":"))
    assert sha256(text.encode("ascii")).hexdigest() == made["derivation"]["setting"]
    for page, digest in made["derivation"]["pages"].items():
        path = THEORY.pages[page].path
        assert sha256(path.read_text(encoding="utf-8").encode()).hexdigest() == digest


def test_every_rule_is_told() -> None:
    rules = PAGE[PAGE.index("## 4. The rules") : PAGE.index("## 5. Covers")]
    assert [one for one in RULES if not re.search(rf"\*\*{one}\*\*|`{one}`", rules)] == []


def test_links_lead_somewhere() -> None:
    headings = {
        re.sub(r"[^a-z0-9 -]", "", one.lower()).replace(" ", "-")
        for one in re.findall(r"^#+ (.*)$", PAGE, re.M)
    }
    for link in re.findall(r"\]\(([^)]+)\)", PAGE):
        if link.startswith("#"):
            assert link[1:] in headings, link
        else:
            assert (ROOT / "theorems" / link).is_file(), link


def test_the_page_is_no_theorem_page_and_is_found() -> None:
    assert all(page.path.name != "certificates.md" for page in THEORY.pages.values())
    assert not registry.load(ROOT / "theorems").wrong
    assert "(certificates.md)" in (ROOT / "theorems" / "README.md").read_text(encoding="utf-8")
