"""Pictures as they are shown and written."""

from __future__ import annotations

from dataclasses import field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from dpcompose.front.drawings.marks import Sheet
from dpcompose.kernel.expressions.keeping import frozen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NO_MATPLOTLIB = "PNG and PDF need matplotlib, which SVG does not: pip install 'dpcompose[notebook]'"


@frozen
class Picture:
    """A picture that a notebook shows; `save` writes it to a file, the ending says in which format.

    sheet -- what is drawn; alt -- what it shows, in words.
    """

    sheet: Sheet = field(repr=False)
    alt: str

    @property
    def svg(self) -> str:
        """As SVG."""
        return self.sheet.svg()

    @property
    def figure(self) -> Figure:
        """The same by matplotlib.  Raises ImportError where there is none."""
        try:
            return self.sheet.figure()
        except ImportError:
            raise ImportError(NO_MATPLOTLIB) from None

    def save(self, path: str | Path) -> None:
        """Writes it as SVG, PNG or PDF; the same picture gives the same SVG file."""
        if str(path).lower().endswith(".svg"):
            Path(path).write_text(self.svg, encoding="utf-8")
        else:
            self.figure.savefig(path, dpi=150)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_png_(self) -> bytes | None:
        """Beside the SVG, as notebooks that are not trusted show none."""
        out = BytesIO()
        try:
            self.figure.savefig(out, format="png", dpi=100, metadata={"Software": None})
        except ImportError:
            return None
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
