"""Opens the crawl that a command is about: a crawl directory, or the log in a server."""

from __future__ import annotations

import os.path
import re
from collections.abc import Sequence
from datetime import date
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.screen.notices import Session
from lycosa.model.job.seeds import parted
from lycosa.model.url import canonicalize
from lycosa.runtime.directory import CrawlDirectory

if TYPE_CHECKING:
    from lycosa.runtime.shared_log.distant import ServerPlace

    Place = Path | ServerPlace


def new_folder(seeds: Sequence[str], day: date) -> Path:
    """Return a folder that does not exist, named after the first seed's host and the day."""
    url = next(filter(None, (canonicalize(parted(seed)[0]) for seed in seeds)), "")
    place = url.partition("://")[2].partition("/")[0].strip("[]")
    name = re.sub(r"[^a-z0-9.-]+", "-", place).strip("-") or "crawl"
    for number in count(1):
        path = Path(f"{name}-{day:%Y-%m-%d}" + (f"-{number}" if number > 1 else ""))
        if not os.path.lexists(path):
            return path
    raise AssertionError


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
