"""What the page in a browser asks of Python, without the browser: the verdict, the picture, wheels on import."""

from __future__ import annotations

import io
import sys
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from shipped import SHIPPED

from dpcompose.front import cli

SITE = Path(__file__).resolve().parents[2] / "notebooks" / "site"


def module(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


answers, build = module(SITE / "page" / "answers.py"), module(SITE / "build.py")


def test_a_wheel_is_fetched_where_it_is_first_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, fetched = io.BytesIO(), list[str]()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr("fetched_now/__init__.py", "VALUE = 3")

    def fetch(file: str) -> bytes:
        fetched.append(file)
        return packed.getvalue()

    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(
        sys, "meta_path", [*sys.meta_path, answers.OnImport({"fetched_now": "it.whl"}, fetch)]
    )
    import fetched_now  # type: ignore[import-not-found]

    assert fetched_now.VALUE == 3 and fetched == ["it.whl"]
    with pytest.raises(ModuleNotFoundError):
        import fetched_never  # type: ignore[import-not-found] # noqa: F401


def test_answers_are_those_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    text = SHIPPED[0].read_text(encoding="utf-8")
    said = answers.verdict(text)
    capsys.readouterr()
    cli.main(["verify", answers.FILE])
    assert said == capsys.readouterr().out
    assert "<ol><li>M1 is bounded $\\varepsilon_{1}$-DP" in answers.derivation(text)
    assert "D = a" in answers.picture(text)
    assert answers.derivation("format = 2") == "" and "problem.toml" in answers.verdict("format = 2")


def test_what_needs_a_module_that_the_page_lacks_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setattr(cli, "main", lambda _: print("ModuleNotFoundError: No module named 'numpy' (x.py)"))
    assert answers.verdict("").startswith("this page has no numpy, which this problem needs; ")


def test_examples_are_all_files_with_their_titles() -> None:
    found = build.examples()
    assert [*found][:3] == [
        "01-bounded-parallel.toml",
        "02-unbounded-parallel.toml",
        "03-bounded-own-domain.toml",
    ]
    assert len(found) == len(SHIPPED) and all(one["title"] for one in found.values())


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">1</a><a href="b.html#there">2</a><img src="c.png"><a href="#top">3</a>'
        '<a href="https://example.org/x">4</a><p id="top"><a href="b.html?q=1">5</a><a href="d%20e.html">6</a>'
    )
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1>')
    (tmp_path / "d e.html").write_text("")
    assert list(module(SITE / "docs.py").dead(tmp_path)) == [
        "a.html: b.html#there (there is no such place)",
        "a.html: c.png",
    ]


@pytest.mark.slow
def test_the_site_is_built_and_no_link_in_it_is_dead(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("myst_nb")
    assert module(SITE / "docs.py").main([str(tmp_path)]) == 0
    assert "pages, 0 dead links" in capfd.readouterr().out
    shown = (tmp_path / "theorems" / "named" / "parallel-bounded.html").read_text(encoding="utf-8")
    assert "Corollary IV.13" in shown and 'href="composition-common-domain.html"' in shown


def test_formulas_in_what_cells_show_are_typeset_on_the_site() -> None:
    """Myst-nb shows HTML in `text_html`; the classes that myst names by itself leave it out."""
    conf: Any = module(SITE / "conf.py")
    assert not conf.myst_update_mathjax
    assert "text_html" in conf.mathjax3_config["options"]["processHtmlClass"].split("|")
    assert ["$", "$"] in conf.mathjax3_config["tex"]["inlineMath"]
