"""Derivations of problem files that together use every rule, made afresh: what is forged and changed of them is refused."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import forgeries

from dpcompose.front import cli
from dpcompose.front.studies.loading import load
from dpcompose.kernel import check
from dpcompose.kernel.core import reading
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import Theorem
from dpcompose.privacy import writing
from dpcompose.proof.theory import registry
from dpcompose.search import proofs
from dpcompose.search.proofs import Proofs

THEORY = Theory(registry.standard().pages)
OF = [
    "01-bounded-parallel.toml",
    "03-bounded-own-domain.toml",
    "04-hospitals.toml",
    "05-merged-fibres.toml",
    "12-no-neighbours.toml",
    "18-any-number-of-districts.toml",
    "20-any-number-of-order-based-parts.toml",
    "21-free-lunch-and-groups.toml",
    "24-adaptive-sequential.toml",
    "28-stream-with-sliding-window.toml",
    "32-ambulances-approximate.toml",
    "37-closer-deltas.toml",
    "42-sequential-gaussian.toml",
    "46-checked-on-tables.toml",
    "47-claims-in-other-notions.toml",
    "50-mixed-notions.toml",
    "51-one-file-four-notions.toml",
    "54-gaussian-with-a-delta.toml",
    "57-delta-beside-gaussian.toml",
    "60-histogram-noise.toml",
    "66-randomized-response.toml",
    "78-a-study-in-a-study.toml",
    "80-lists-of-links.toml",
    "88-entries-of-a-log.toml",
    "104-towns-and-counties.toml",
    "270-two-moves-at-once.toml",
    "272-persons-and-single-visits.toml",
    "92-modify-within-a-county.toml",
    "271-within-any-number-of-counties.toml",
    "281-an-entry-is-falsified.toml",
    "286-a-sample-where-answers-change.toml",
    "97-visits-of-one-person.toml",
    "98-a-fixed-number-of-patients.toml",
    "99-a-household-of-any-size.toml",
    "95-values-between-bounds.toml",
    "96-several-guarantees.toml",
    "among.toml",
    "among-groups.toml",
    "between.toml",
    "between-sizes.toml",
    "pushed.toml",
    "passing.toml",
    "longer.toml",
    "rounded.toml",
    "noise-in-groups.toml",
    "some-in-samples.toml",
    "corners.toml",
    "families-in-formulas.toml",
    "few-records.toml",
    "sizes.toml",
    "letters.toml",
    "101-published-after-rounding.toml",
    "119-noise-for-persons.toml",
    "111-metrics-for-neighbours.toml",
    "70-most-frequent.toml",
    "140-a-mean-of-those-who-came.toml",
    "141-how-concentrated-noise-is.toml",
    "190-places-that-nobody-listed.toml",
    "154-the-least-delta-itself.toml",
    "153-textbook-normal-noise.toml",
    "152-advanced-composition-with-deltas.toml",
    "184-renyi-on-parts.toml",
    "209-error-rates-of-attackers.toml",
    "185-renyi-at-one-order.toml",
    "256-tables-in-every-notion.toml",
    "rows.toml",
    "replaced.toml",
    "187-renyi-for-households.toml",
    "207-truncated-for-households.toml",
    "attributes.toml",
    "calculus.toml",
    "implied.toml",
    "in-between.toml",
    "in-metric.toml",
    "many.toml",
    "nested.toml",
    "numbers.toml",
    "persons.toml",
    "places.toml",
    "sets-of-two.toml",
    "several-persons.toml",
    "any-number-of-parts.toml",
    "persons-with-room.toml",
    "zeros.toml",
]
"""The problem files whose derivations are forged."""
SHORT = [name for name in OF if name != "271-within-any-number-of-counties.toml"]
"""Those whose core settings are short."""
IN_METRICS = [
    "71-private-in-a-metric.toml",
    "72-sensitivity-of-maps.toml",
    "73-no-bound-without-clipping.toml",
    "74-clipping-bounds-the-loss.toml",
    "105-distances-in-a-table.toml",
    "107-normal-noise-on-points.toml",
    "108-a-delta-of-its-own.toml",
    "109-a-metric-through-a-map.toml",
    "114-a-study-and-a-table-in-metrics.toml",
]
"""Files about privacy in metrics."""
OF_OTHER_SHAPES = [
    "69-two-districts.toml",
    "183-records-drawn-twice.toml",
    "262-several-patients-at-once.toml",
    "106-metrics-beside-neighbours.toml",
    "219-a-choice-with-a-delta.toml",
    "181-records-dealt-at-random.toml",
    "288-couples-who-join-a-study.toml",
    "67-locations.toml",
    "122-anybody-among-the-members.toml",
]
"""Files whose core settings say what none above says."""
TAKE_LONG = (
    "69-two-districts.toml",
    "106-metrics-beside-neighbours.toml",
    "272-persons-and-single-visits.toml",
    "72-sensitivity-of-maps.toml",
    "107-normal-noise-on-points.toml",
    "114-a-study-and-a-table-in-metrics.toml",
)
"""Files of which a changed step takes long to look at."""


@cache
def made(name: str) -> str:
    """What is saved of a problem file, as text."""
    if name in (*IN_METRICS, *OF_OTHER_SHAPES):
        return saved_by_the_command(name)
    study, claims = load(forgeries.problem(name))
    found = Proofs(study.setting, THEORY)
    verdicts = [found.verdict(claim.guarantee.text()) for claim in claims]
    return json.dumps(proofs.saved(found, writing.to_data(study.setting, claims), verdicts))


def saved_by_the_command(name: str) -> str:
    """What the command saves of a problem file."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        out = Path(folder) / "saved.json"
        cli.main(["verify", str(forgeries.problem(name)), "--save-derivation", str(out)])
        return out.read_text(encoding="utf-8")


def good(name: str) -> dict[str, Any]:
    """The core setting of a problem file, and the derivation of its verdicts."""
    data = json.loads(made(name))
    return {key: data[key] for key in ("core", "derivation")}


def replayed(data: Mapping[str, Any], allow: Any = None) -> list[Theorem]:
    """The theorems of a derivation about its core setting.  Raises Refused or BadSetting."""
    return check.replay(data["derivation"], reading.read(data["core"]), THEORY, allow)
