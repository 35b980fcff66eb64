"""What is written on a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def words(svg: str) -> list[str]:
    """The texts of an SVG picture, the first one lowest."""
    return [one.text or "" for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]
