"""What is said where there is no such term: it has no real value, or its numbers are too large."""

MOST_BITS = 3_400
"""How many binary digits numerators and denominators may have: constants stay below 10^1000."""


class TermError(ValueError):
    """A term has no real value, or a number in it is too large; the message says which."""


class TooLarge(TermError):
    """A number is too large, or too close to 0, to be written down."""

    def __init__(self) -> None:
        super().__init__("constants must stay below 10^1000")
