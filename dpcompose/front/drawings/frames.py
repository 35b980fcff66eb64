"""Pictures as they are shown and written, by whatever they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from dpcompose.kernel.expressions.keeping import frozen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NO_MATPLOTLIB = "pictures need matplotlib: pip install 'dpcompose[notebook]'"


@frozen
class Picture:
    """A picture that a notebook shows; `save` writes it to a file, the ending says in which format.

    alt -- what it shows, in words; svg -- the picture as SVG where it is drawn without matplotlib, else "".
    """

    drawn: Callable[[], Figure] = field(repr=False)
    alt: str
    svg: str = field(default="", repr=False)

    @cached_property
    def figure(self) -> Figure:
        """The same by matplotlib."""
        return self.drawn()

    def save(self, path: str | Path) -> None:
        """Writes it as PNG, SVG or PDF; the same picture gives the same SVG file, without its date."""
        is_svg = str(path).lower().endswith(".svg")
        if is_svg and self.svg:
            Path(path).write_text(self.svg, encoding="utf-8")
            return
        figure, undated = self.figure, {"Date": None} if is_svg else {}
        import matplotlib

        with matplotlib.rc_context({"svg.hashsalt": "dpcompose"}):
            figure.savefig(path, bbox_inches="tight", dpi=150, metadata=undated)

    def _repr_svg_(self) -> str | None:
        return self.svg or None

    def _repr_png_(self) -> bytes | None:
        """Beside the SVG, as notebooks that are not trusted show none."""
        out = BytesIO()
        try:
            figure = self.figure
        except ImportError:
            if not self.svg:
                raise
            return None
        figure.savefig(out, format="png", bbox_inches="tight", dpi=100, metadata={"Software": None})
        return out.getvalue()

    def __repr__(self) -> str:
        return self.alt


@frozen
class DotPicture:
    """The same as a text in the DOT language, for Graphviz."""

    text: str = field(repr=False)
    alt: str

    def save(self, path: str | Path) -> None:
        """Writes the text."""
        Path(path).write_text(self.text, encoding="utf-8")
