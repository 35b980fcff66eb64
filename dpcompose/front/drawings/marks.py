"""Pictures as marks on a sheet: lines, boxes, circles and words, written as SVG or painted by matplotlib.

Places are (x, y) in pixels of SVG, y grows downwards.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from dpcompose.kernel.expressions.keeping import frozen

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place = tuple[float, float]
LETTER = 7.2
"""How wide a letter is."""

SIZE, PIXEL = 12, 1 / 96
"""How high a letter is, and how large a pixel is, in inches."""

FONTS = "DejaVu Sans, Verdana, sans-serif"
AS_SIGNS = {"<=": "≤", ">=": "≥", "infinity": "∞"}


def signs(text: str) -> str:
    """A text with signs for what is written in ASCII."""
    for plain, sign in AS_SIGNS.items():
        text = text.replace(plain, sign)
    return text


def width_of(text: str) -> float:
    """About how wide a text is."""
    return LETTER * len(text)


class Mark(Protocol):
    """Something on a sheet."""

    def svg(self) -> str: ...

    def paint(self, axes: Axes) -> None: ...


@frozen
class Path:
    """A line through some places; bent -- of three places the middle one only draws it to its side."""

    points: Sequence[Place]
    colour: str = "#000000"
    width: float = 1.0
    dashes: Sequence[float] = ()
    opacity: float = 1.0
    bent: bool = False

    def svg(self) -> str:
        start, *rest = (f"{x:.1f} {y:.1f}" for x, y in self.points)
        way = f"M{start}{'Q' if self.bent else 'L'}{(' ' if self.bent else 'L').join(rest)}"
        look = f'fill="none" stroke="{self.colour}" stroke-width="{self.width:g}"'
        if self.dashes:
            look += f' stroke-dasharray="{" ".join(f"{dash:g}" for dash in self.dashes)}"'
        if self.opacity < 1:
            look += f' stroke-opacity="{self.opacity:g}"'
        return f'<path d="{way}" {look}/>'

    def paint(self, axes: Axes) -> None:
        from matplotlib import patches, path

        then = path.Path.CURVE3 if self.bent else path.Path.LINETO
        way = path.Path(list(self.points), [path.Path.MOVETO, *[then] * (len(self.points) - 1)])
        dashes: Any = (0, [dash / self.width for dash in self.dashes]) if self.dashes else "-"
        look: dict[str, Any] = {
            "edgecolor": self.colour,
            "linewidth": 0.75 * self.width,
            "alpha": self.opacity,
        }
        axes.add_patch(patches.PathPatch(way, fill=False, linestyle=dashes, **look))


@frozen
class Box:
    """A box: its left and upper side, how wide and high it is."""

    left: float
    top: float
    wide: float
    high: float
    fill: str = "#ffffff"
    width: float = 1.0
    round: float = 0.0

    def svg(self) -> str:
        place = f'x="{self.left:.1f}" y="{self.top:.1f}" width="{self.wide:.1f}" height="{self.high:g}"'
        corners = f' rx="{self.round:g}"' if self.round else ""
        return f'<rect {place}{corners} fill="{self.fill}" stroke="#000" stroke-width="{self.width:g}"/>'

    def paint(self, axes: Axes) -> None:
        from matplotlib.patches import FancyBboxPatch

        shape = f"round,pad=0,rounding_size={self.round}" if self.round else "square,pad=0"
        look: dict[str, Any] = {
            "facecolor": self.fill,
            "edgecolor": "#000000",
            "linewidth": 0.75 * self.width,
        }
        axes.add_patch(FancyBboxPatch((self.left, self.top), self.wide, self.high, boxstyle=shape, **look))


@frozen
class Circle:
    """A small white circle."""

    middle: Place
    radius: float

    def svg(self) -> str:
        x, y = self.middle
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{self.radius:g}" fill="#fff" stroke="#000"/>'

    def paint(self, axes: Axes) -> None:
        from matplotlib import patches

        axes.add_patch(patches.Circle(self.middle, self.radius, facecolor="#ffffff", edgecolor="#000000"))


@frozen
class Words:
    """A text that starts, ends or has its middle at a place, on the line of its letters."""

    text: str
    place: Place
    anchor: str = "start"
    colour: str = "#000000"
    bold: bool = False
    turned: bool = False

    def svg(self) -> str:
        x, y = self.place
        look = "" if self.anchor == "start" else f' text-anchor="{self.anchor}"'
        look += "" if self.colour == "#000000" else f' fill="{self.colour}"'
        look += ' font-weight="bold"' if self.bold else ""
        look += f' transform="rotate(-90 {x:.1f} {y:.1f})"' if self.turned else ""
        return f'<text x="{x:.1f}" y="{y:.1f}"{look}>{html.escape(self.text)}</text>'

    def paint(self, axes: Axes) -> None:
        aligned = {"start": "left", "middle": "center", "end": "right"}[self.anchor]
        look: dict[str, Any] = {"color": self.colour, "fontweight": "bold" if self.bold else "normal"}
        look |= {"rotation": 90 if self.turned else 0, "rotation_mode": "anchor"}
        axes.text(*self.place, self.text, ha=aligned, fontsize=0.75 * SIZE, parse_math=False, **look)


@frozen
class Titled:
    """Marks with a title that shows where the mouse is on them."""

    title: str
    marks: Sequence[Mark]

    def svg(self) -> str:
        inside = "".join(mark.svg() for mark in self.marks)
        return f"<g>{inside}<title>{html.escape(self.title)}</title></g>"

    def paint(self, axes: Axes) -> None:
        for mark in self.marks:
            mark.paint(axes)


@frozen
class Sheet:
    """A picture: how wide and high it is, what it is of, and its marks, the first one lowest."""

    wide: float
    high: float
    title: str
    marks: Sequence[Mark]

    def svg(self) -> str:
        """As SVG."""
        size = f'viewBox="0 0 {self.wide:.0f} {self.high:.0f}" width="{self.wide:.0f}"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size}',
                f' font-family="{FONTS}" font-size="{SIZE}">',
                f"<title>{html.escape(self.title)}</title>",
                '<rect width="100%" height="100%" fill="#fff"/>',
                *(mark.svg() for mark in self.marks),
                "</svg>\n",
            ]
        )

    def figure(self) -> Figure:
        """By matplotlib, for PNG and PDF.  Raises ImportError where there is none."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.wide * PIXEL, self.high * PIXEL))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set(xlim=(0, self.wide), ylim=(self.high, 0))
        for mark in self.marks:
            mark.paint(axes)
        return figure
