"""A site with several outcomes, and what its log and its list say of each URL."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

from lycosa.analysis.page_list.listing import PageList
from lycosa.analysis.page_list.question import Question
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Fetched
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.log.format import decode_events

PAGES = 60
Row = dict[str, Any]


def own_words(path: str) -> str:
    """Return a text that no other page has."""
    return " ".join(f"{random.Random(f'{path} {n}').randrange(10**6):06x}" for n in range(60))


def site(path: str) -> tuple[int, str]:
    """Answer with pages that link to each other; some are missing, some fail, some forbidden."""
    if path == "/robots.txt":
        return 200, "User-agent: *\nDisallow: /private"
    number = int(path.rpartition("/")[2] or 0) if path[1:].rpartition("/")[2].isdigit() else 0
    if number % 7 == 3:
        return 404, "gone"
    links = "".join(f"<a href='/page/{number * 3 + n}'>{n}</a>" for n in range(4) if number < PAGES)
    return 200, (
        f"<!doctype html><html lang=en><title>Page {number} Ünï</title><body>{links}"
        f"<a href='/private/{number}'>no</a><p>{own_words(path)}</p></body></html>"
    )


def by_log(folder: Path) -> dict[str, tuple[str, int, int]]:
    """Return outcome, status and moment of every URL from the log alone."""
    directory = CrawlDirectory(folder)
    job = directory.job()
    states = directory.states(job)
    found: dict[str, tuple[str, int, int]] = {}
    with closing(directory.log(job)) as log:
        for number, state in states.items():
            last: dict[int, Fetched] = {}
            for _, batch in log.read(number, 0):
                for event in decode_events(batch):
                    if isinstance(event, Fetched):
                        last[event.page] = event
            for page, key in enumerate(state.table):
                fetch = last.get(page)
                if fetch is None:
                    found[url_of(key)] = (unfetched(state, page), 0, 0)
                else:
                    moment = round(fetch.moment * 1_000_000)
                    found[url_of(key)] = (fetch.outcome.name.lower(), fetch.status, moment)
    return found


def unfetched(state: PartitionState, page: int) -> str:
    outcome = state.outcome_of(page)
    return outcome.name.lower() if outcome else "pending"


def all_rows(pages: PageList, **asked: Any) -> list[Row]:
    found: list[Row] = []
    cursor, limit = "", asked.pop("limit", 7)
    while True:
        some = pages.rows(Question(cursor=cursor, limit=limit, **asked))
        found += some.rows
        cursor = some.following
        if not cursor:
            return found


def list_of(folder: Path) -> PageList:
    crawl = CrawlDirectory(folder)
    return PageList(folder, lambda: crawl.states(crawl.job()).values())
