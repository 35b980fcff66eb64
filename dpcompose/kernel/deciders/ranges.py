"""Ranges: not yet in the kernel."""

from __future__ import annotations

from dpcompose.kernel import forms
from dpcompose.kernel.terms import Term


def surely(term: Term, strictly: bool = True) -> bool:
    """Whether a term is seen to be > 0 (or ≥ 0: strictly = False) for all allowed values."""
    return not forms.missing_values([term]) and forms.term_sign(term) >= strictly
