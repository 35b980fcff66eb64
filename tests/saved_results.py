"""What the command saves of shipped problems, once for all tests that run at the same time; and which of it the
second checker does not read."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

import frozen
import pytest
from forged_results import classes

from dpcompose.front import cli

SOURCES = {one.name: one for one in frozen.frozen()}


def folder(made: pytest.TempPathFactory) -> Path:
    """Where they are kept: one folder for all workers."""
    base = made.getbasetemp()
    found = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "saved-results"
    found.mkdir(exist_ok=True)
    return found


def keep(name: str, text: str, where: Path) -> None:
    """Keeps what is saved of a problem: whole, or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=where, encoding="utf-8", delete=False) as file:
        file.write(text)
    Path(file.name).replace(_place(name, where))


@cache
def saved(name: str, where: Path) -> str:
    """What the command saves of a problem."""
    if not _place(name, where).exists():
        with tempfile.TemporaryDirectory(dir=where) as own:
            file, out = Path(own) / "problem.toml", Path(own) / "saved.json"
            file.write_text(classes.MADE.get(name) or SOURCES[name].problem, encoding="utf-8")
            cli.main(["verify", str(file), "--save-derivation", str(out)])
            keep(name, out.read_text(encoding="utf-8"), where)
    return _place(name, where).read_text(encoding="utf-8")


def _place(name: str, where: Path) -> Path:
    return where / f"{name.replace('/', ' ')}.json"


REFUSED = (
    dict.fromkeys(
        [
            "problems/69-two-districts",
            "problems/71-private-in-a-metric",
            "problems/72-sensitivity-of-maps",
            "problems/73-no-bound-without-clipping",
            "problems/74-clipping-bounds-the-loss",
            "problems/75-districts-in-their-metrics",
            "problems/76-metrics-of-your-own",
            "problems/105-distances-in-a-table",
            "problems/106-metrics-beside-neighbours",
            "problems/107-normal-noise-on-points",
            "problems/108-a-delta-of-its-own",
            "problems/109-a-metric-through-a-map",
            "problems/111-metrics-for-neighbours",
            "problems/113-any-number-of-releases-of-a-place",
            "problems/114-a-study-and-a-table-in-metrics",
            "problems/215-places-within-a-mile",
            "pages/shapes/near",
            "pages/shapes/pairs",
            "pages/steps/norms-over-fibres",
            "pages/conversions/gaussian-to-approximate",
        ],
        ("metrics",),
    )
    | dict.fromkeys(
        [
            "problems/97-visits-of-one-person",
            "problems/99-a-household-of-any-size",
            "problems/239-days-of-a-diary",
            "problems/115-patients-of-any-number-of-hospitals",
            "problems/116-a-hundred-patients-at-once",
            "problems/117-incomes-in-brackets",
            "problems/118-blocks-of-a-city",
            "problems/119-noise-for-persons",
            "pages/shapes/contributions",
            "pages/shapes/any-number-of-records",
            "pages/shapes/groups-of-any-size",
            "pages/facts/bags-metric",
            "pages/lemmas/many-queries",
            "pages/lemmas/mutual-information",
        ],
        ("setting",),
    )
    | dict.fromkeys(
        [
            "problems/199-a-random-row",
            "problems/200-pointwise-is-not-enough",
            "pages/lemmas/loss-but-for-delta",
            "pages/lemmas/pointwise",
            "pages/lemmas/random-row",
        ],
        ("step", "table"),
    )
    | dict.fromkeys(
        [
            "pages/conversions/gaussian-to-renyi",
            "pages/conversions/pure-to-renyi",
            "pages/conversions/pure-to-renyi-least",
            "pages/conversions/renyi-to-approximate",
            "pages/conversions/renyi-to-approximate-plain",
            "pages/conversions/renyi-to-pure",
            "pages/conversions/renyi-to-zcdp",
            "pages/conversions/tcdp-to-approximate",
            "pages/conversions/tcdp-to-approximate-inside",
            "pages/conversions/zcdp-to-renyi",
            "pages/conversions/zcdp-to-tcdp",
            "pages/lemmas/divergence-steps",
            "pages/rules/renyi",
            "pages/rules/tcdp",
            "pages/violations/approximate-in-renyi",
            "pages/violations/gaussian-in-renyi",
            "pages/violations/pure-in-renyi",
            "pages/violations/pure-in-tcdp",
            "pages/violations/renyi-in-pure",
            "pages/violations/renyi-in-zcdp",
            "pages/violations/tcdp-in-zcdp",
            "pages/violations/zcdp-in-renyi",
            "pages/violations/zcdp-in-tcdp",
            "pages/witnesses/renyi-witness",
            "pages/witnesses/tcdp-witness",
            "pages/witnesses/tcdp-witness-of-tails",
            "problems/184-renyi-on-parts",
            "problems/185-renyi-at-one-order",
            "problems/186-renyi-of-noise",
            "problems/187-renyi-for-households",
            "problems/188-truncated-on-parts",
            "problems/189-truncated-for-any-number-of-parts",
            "problems/207-truncated-for-households",
            "problems/208-truncated-with-a-delta",
            "problems/232-filters-in-other-notions",
            "pages/conversions/laplace-to-renyi",
            "pages/violations/laplace-in-renyi",
        ],
        ("orders",),
    )
    | {
        "problems/95-values-between-bounds": ("assumed",),
        "problems/122-anybody-among-the-members": ("assumed",),
        "problems/195-size-and-mean-of-a-known-number": ("assumed",),
        "problems/196-normal-noise-of-a-lecture": ("assumed",),
        "problems/202-one-way-marginals": ("assumed",),
        "problems/201-k-anonymous-tables": ("table",),
        "pages/lemmas/k-anonymity": ("table",),
        "pages/lemmas/tail": ("formula", "step"),
        "pages/conversions/pure-to-zcdp-square": ("formula", "step"),
        "problems/219-a-choice-with-a-delta": ("curve", "noise", "step"),
        "pages/computed/exponential-curve": ("curve", "noise", "step"),
        "problems/96-several-guarantees": ("also",),
        "problems/209-error-rates-of-attackers": ("also",),
        "problems/210-losses-of-two-releases": ("also",),
        "problems/233-error-rates-of-two-offices": ("also",),
        "problems/230-two-rounds-on-samples": ("sampled", "step"),
        "problems/234-couples-on-samples": ("sampled",),
        "pages/rules/f-dp": ("also",),
        "pages/shapes/corners": ("setting",),
        "problems/121-clipped-gradients": ("formula",),
        "problems/70-most-frequent": ("noise",),
        "problems/120-twenty-choices": ("noise",),
        "problems/147-a-choice-by-scores": ("noise",),
        "problems/140-a-mean-of-those-who-came": ("noise", "step"),
        "problems/206-how-concentrated-laplace-noise-is": ("noise", "step"),
        "pages/noises/laplace": ("noise", "step"),
        "problems/191-what-concentrated-privacy-leaves-open": ("attained",),
        "pages/violations/zcdp-in-gaussian": ("attained",),
        "problems/190-places-that-nobody-listed": ("noise",),
        "problems/225-guesses-better-than-a-coin": ("curve",),
        "problems/226-a-visitor-in-place-of-another": ("noise",),
        "pages/noises/laplace-with-threshold": ("noise",),
        "pages/queries/keys": ("noise",),
        "pages/noises/exponential": ("noise",),
        "pages/queries/scores": ("noise",),
        "pages/queries/monotone-scores": ("noise",),
        "problems/141-how-concentrated-noise-is": ("curve", "noise", "step"),
        "problems/152-advanced-composition-with-deltas": ("apart", "closer", "formula", "step"),
        "problems/153-textbook-normal-noise": ("assumed",),
        "problems/154-the-least-delta-itself": ("curve", "step"),
        "pages/conversions/delta-apart": ("apart", "closer", "step"),
        "problems/178-training-with-samples": ("apart", "closer", "step"),
        "problems/179-a-survey-of-a-sample": ("assumed",),
        "problems/181-records-dealt-at-random": ("deals",),
        "problems/182-sizes-that-depend-on-the-data": ("deals",),
        "pages/processing/random-parts": ("deals",),
        "pages/conversions/gaussian-to-approximate-textbook": ("assumed",),
    }
)
"""The problems that it does not read, and why."""
