"""Families and rules: not yet in the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpcompose.kernel.certificates import BadCertificate
from dpcompose.kernel.forms import Form, Known
from dpcompose.kernel.terms import Term


def on_rays(
    difference: Form, data: Any, symbols: Mapping[str, Term], known: Known
) -> tuple[Form, dict[str, Term]]:
    """What a comparison of families is on rays."""
    raise BadCertificate("families are not decided here")


def check_rule(
    difference: Form, data: Any, read: Callable[[Any], Form], symbols: Mapping[str, Term], known: Known
) -> None:
    """Raises BadCertificate unless a rule shows difference ≥ 0."""
    raise BadCertificate("rules are not checked here")
