"""Breadth first: what is nearest to the seeds, and among equals what was found first."""

from __future__ import annotations

from lycosa.frontier.columns import Pages
from lycosa.frontier.schedulers.ranked import Ranked


class BreadthFirst(Ranked):
    """URLs ranked by their distance, which only ever becomes smaller."""

    def __init__(self, pages: Pages) -> None:
        super().__init__(pages.distance)
