"""The rules: each computes a conclusion from premises, a core setting and pages, or raises ValueError."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpcompose.kernel.rules.along import along
from dpcompose.kernel.rules.chains import metric_form
from dpcompose.kernel.rules.choices import among, choose, implies
from dpcompose.kernel.rules.curves import below_curve, curve, curve_standing
from dpcompose.kernel.rules.mechanisms import convert, given, noise, study, table
from dpcompose.kernel.rules.metrics import bounded, everywhere, is_metric, larger, least_everywhere, metric
from dpcompose.kernel.rules.orders import at_orders, beyond
from dpcompose.kernel.rules.premises import Found
from dpcompose.kernel.rules.refutations import attain, exceed, loose, optimal, refute
from dpcompose.kernel.rules.steps import single_steps
from dpcompose.kernel.rules.tables import against_rows, by_rows
from dpcompose.kernel.rules.tradeoffs import by_lines
from dpcompose.kernel.rules.whole import (
    apart,
    change,
    closer,
    compose,
    cover,
    least,
    one_by_one,
    trivial,
    vacuous,
    weaken,
    worst,
)

EVERY = (
    *(given, noise, table, study, implies, choose, least, among, one_by_one, at_orders, convert),
    single_steps,
    *(by_lines, by_rows, against_rows, along),
    *(compose, cover, worst, closer, apart, vacuous, trivial, change, weaken),
    *(curve, below_curve, curve_standing),
    *(attain, exceed, refute, beyond, optimal, loose),
    metric_form,
    *(metric, everywhere, is_metric, bounded, least_everywhere, larger),
)
RULES: Mapping[str, Callable[..., Found]] = {rule.__name__: rule for rule in EVERY}
"""The rules by name; there are no others."""
