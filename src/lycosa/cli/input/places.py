"""Opens the crawl that a command is about: a crawl directory, or the log in a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.screen.notices import Session
from lycosa.runtime.directory import CrawlDirectory

if TYPE_CHECKING:
    from lycosa.runtime.shared_log.distant import ServerPlace

    Place = Path | ServerPlace


def open_crawl(session: Session, place: Place) -> CrawlDirectory:
    """Open the crawl that a command is about; temporary files are removed when the command ends."""
    if isinstance(place, Path):
        directory = CrawlDirectory.open(place)
        session.messages = directory.messages
        return directory
    from lycosa.runtime.shared_log.distant import DistantCrawl

    distant = DistantCrawl(place)
    click.get_current_context().call_on_close(distant.close)
    return distant
