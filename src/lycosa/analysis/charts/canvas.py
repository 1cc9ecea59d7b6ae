"""An SVG document under construction: collects shapes and text, and escapes all text."""

from __future__ import annotations

from html import escape
from typing import Protocol

from lycosa._support.safe_text import visible

INK, SOFT, FAINT, PAPER = "#1a1a1a", "#5c5c5c", "#dcdcdc", "#ffffff"
"""Colours of text, of explanations, of lines, and of backgrounds."""
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#a3a3a3",
)
"""Okabe and Ito's colours, but for the grey."""
PALETTE = (BLUE, ORANGE, GREEN, SKY, RED, PURPLE, GREY)

SIZE = 12.0
"""The size of letters, in the units of a figure's width."""
SMALL = 11.0
_FONT = (
    "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, system-ui,"
    " sans-serif"
)
_LETTER = 0.6
"""Mean width of a letter, relative to its size: that of the widest of the usual fonts."""
_WIDE = "MW@%mw—…⟨⟩"
_SLIM = "iljtfI.,:;'|!()[] "


class Figure(Protocol):
    """A figure that can be drawn."""

    @property
    def title(self) -> str:
        """The title of the figure."""

    @property
    def caption(self) -> str:
        """A caption that says how to read the figure."""

    def draw(self, width: int, identity: str) -> str:
        """Return an SVG element; the identity is unique in the document."""


def text_width(text: str, size: float = SIZE) -> float:
    """Return the approximate width of a text."""
    wide, slim = sum(map(text.count, _WIDE)), sum(map(text.count, _SLIM))
    return size * (_LETTER * len(text) + 0.3 * wide - 0.24 * slim)


def fitted(text: str, room: float, size: float = SIZE) -> str:
    """Leave out as much of the middle of a text as does not fit."""
    text = visible(text)
    if text_width(text, size) <= room:
        return text
    most = len(text) - 1
    while most > 1 and text_width(_without_middle(text, most), size) > room:
        most -= max(1, most // 20)
    return _without_middle(text, most)


def _without_middle(text: str, most: int) -> str:
    behind = most // 2
    return f"{text[: most - behind]}…{text[len(text) - behind :]}"


class Canvas:
    """Shapes and text, in the order in which they are drawn."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[str] = []

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, *, tip: str = ""
    ) -> None:
        """Draw a filled rectangle; the tip is its tooltip."""
        size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
        self._add(f'rect x="{x:.1f}" y="{y:.1f}" {size} fill="{fill}"', tip)

    def circle(
        self, x: float, y: float, radius: float, fill: str, tip: str = "", *, more: str = ""
    ) -> None:
        """Draw a filled circle."""
        self._add(f'circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}"{more}', tip)

    def path(
        self, way: str, stroke: str, width: float = 1.0, fill: str = "none", more: str = ""
    ) -> None:
        """Draw a path in SVG's syntax."""
        line = f'stroke="{stroke}" stroke-width="{width:g}"'
        self._add(f'path d="{way}" {line} fill="{fill}"{more}', "")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: str = "start",
        size: float = SIZE,
        *,
        fill: str = INK,
        is_bold: bool = False,
    ) -> None:
        """Write a text; `y` is its base line."""
        weight = ' font-weight="600"' if is_bold else ""
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}"'
        self._parts.append(f'<text {place} fill="{fill}"{weight}>{escape(visible(text))}</text>')

    def explained(self, x: float, y: float, text: str, explanation: str) -> None:
        """Write a text and, softer, an explanation after it; `y` is the base line."""
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{SIZE:g}" text-anchor="start"'
        softer = f'<tspan dx="6" fill="{SOFT}">{escape(visible(explanation))}</tspan>'
        self._parts.append(f'<text {place} fill="{INK}">{escape(visible(text))}{softer}</text>')

    def svg(self, title: str, description: str, identity: str) -> str:
        """Return the SVG document."""
        spoken = (
            f'<title id="{identity}-t">{escape(visible(title))}</title>'
            f'<desc id="{identity}-d">{escape(visible(description))}</desc>'
        )
        box = f'viewBox="0 0 {self.width:g} {self.height:.0f}"'
        named = f'role="img" aria-labelledby="{identity}-t {identity}-d"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} {named} font-family="{_FONT}">'
            f"{spoken}{''.join(self._parts)}</svg>"
        )

    def _add(self, element: str, tip: str) -> None:
        name = element.partition(" ")[0]
        inside = f"><title>{escape(visible(tip))}</title></{name}>" if tip else "/>"
        self._parts.append(f"<{element}{inside}")
