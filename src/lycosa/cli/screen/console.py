"""Draws tables and panels, and escapes control characters in text from the web."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from lycosa._support.safe_text import on_screen
from lycosa.cli.screen.output import plain


class Screen(Console):
    """A console that keeps its own colours and escapes those in the text it draws."""

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        super().__init__(stderr=stderr, highlight=False, **options)

    @property
    def file(self) -> IO[str]:
        """The stream that the console draws on."""
        return plain(super().file)

    @file.setter
    def file(self, new: IO[str]) -> None:
        self._file = new

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Draw something, its texts escaped."""
        for segment in super().render(renderable, options):
            if segment.control or not segment.text:
                yield segment
            else:
                yield Segment(on_screen(segment.text), segment.style)
