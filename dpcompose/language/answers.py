"""Questions without an answer."""


class NoAnswer(ValueError):
    """What is asked has no answer here; the message says why, and what would have one."""
