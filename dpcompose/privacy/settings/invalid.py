"""What is refused as a setting."""

from __future__ import annotations


class InvalidSetting(ValueError):
    """The parts of a setting do not fit together; the message says which and why."""
