"""Claims (d, delta) in metrics about Gaussian guarantees: a delta that grows with the distance."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from in_metrics import THEORY, saved, study, verdicts

from dpcompose.front.studies import recheck
from dpcompose.search.conversions import ways

POINTS = '[databases]\nkind = "points"\ncoordinates = ["u", "v"]\n[metrics.d]\nnorm = "L2"\n'
NOISE = '[maps.f]\nvalues = ["u", "v"]\n[[mechanisms]]\nname = "M"\nreads = "f"\nnoise = { gaussian = "1" }\n'


def stated(metric: str, notion: str = "gaussian", name: str = "M") -> str:
    return f'[[mechanisms]]\nname = "{name}"\nguarantee = {{ notion = "{notion}", metric = "{metric}" }}\n'


def claimed(metric: str, delta: str) -> str:
    return f'[[claims]]\nnotion = "approximate"\nmetric = "{metric}"\ndelta = "{delta}"\n'


@pytest.mark.parametrize("given", [stated("d"), NOISE])
def test_what_holds_and_what_does_not(given: str, tmp_path: Path) -> None:
    """At epsilon 0 and distance 1 delta is 2*Phi(1/2) - 1 = 0.3829, and 2/5 of a small distance is nearly attained."""
    assert math.erf(0.5 / math.sqrt(2)) < 2 / 5
    some = [("d", "d"), ("0", "2/5*d"), ("d/2", "d/2"), ("0", "19/50*d"), ("d", "d/1000")]
    text = POINTS + given + "".join(claimed(*one) for one in some)
    assert verdicts(text) == ["proved", "proved", "proved", "refuted", "refuted"]
    found = recheck.outcome(saved(text, tmp_path), THEORY)
    assert found.verdicts[:2] == ("proved", "proved") and "gaussian-to-approximate" in found.pages


def test_compositions_and_other_notions() -> None:
    """Two Gaussian mechanisms are one at the root of the sum of squares; a pure one is Gaussian first."""
    two = POINTS + stated("s*d") + stated("t*d", name="N")
    some = [("0", "2/5*sqrt(s**2 + t**2)*d"), ("0", "2/5*(s + t)*d"), ("0", "2/5*max(s, t)*d")]
    assert verdicts(two + "".join(claimed(*one) for one in some))[:2] == ["proved", "proved"]
    assert verdicts(two + claimed(*some[2])) != ["proved"]
    pure = POINTS + stated("d", "pure") + claimed("d", "d")
    assert verdicts(pure) == ["proved"]


def test_it_is_no_link_of_other_chains() -> None:
    """What converts for neighbours is as before: through zero-concentrated privacy, with a delta that is chosen."""
    kernel = study(POINTS + stated("d"))[0].judge.stated.search.theory  # type: ignore[attr-defined]
    every = [page.id for path in ways.paths(kernel, "gaussian", "approximate", True) for page in path]
    assert every == ["gaussian-to-zcdp", "zcdp-to-approximate"]
    assert ways.paths(kernel, "gaussian", "approximate") == ()
