"""What the log, the crawl directories and the referee say of a crawl that is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa.model.job import Job
from lycosa.model.records import Fetched, Outcome
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import table
from lycosa.storage.log.format import decode_events


class Verdict(NamedTuple):
    """What is wrong with a crawl; every list is empty when nothing is."""

    kept: int
    pending: int
    lost: list[str]
    """Pages of the web that the log has not."""
    invented: list[str]
    """Pages of the log that the web has not."""
    twice: list[str]
    """Pages that the log says were kept more than once."""
    content_lost: list[str]
    """Pages of the log whose record is in no directory."""
    content_twice: list[str]
    unstored: list[str]
    """Pages of the log whose record is not in the store."""
    stored_twice: list[str]


def judge(
    directory: CrawlDirectory,
    job: Job,
    truth: Collection[str],
    folders: Sequence[Path],
    store: Path,
) -> Verdict:
    """Compare the log with the web, and directories and store with the log."""
    kept: Counter[str] = Counter()
    in_log: Counter[str] = Counter()
    pending = 0
    log = directory.log(job)
    for number, state in enumerate(directory.each_state(job)):
        pending += state.pending
        for page in range(len(state.table)):
            if state.outcome_of(page) is Outcome.KEPT:
                kept[url_of(state.table.key(page))] += 1
        for _, batch in log.read(number, 0):
            for event in decode_events(batch):
                if isinstance(event, Fetched) and event.outcome is Outcome.KEPT:
                    in_log[url_of(state.table.key(event.page))] += 1
    log.close()
    content = _pages_in(folders)
    stored = _pages_in([store])
    return Verdict(
        len(kept),
        pending,
        sorted(set(truth) - set(kept)),
        sorted(set(kept) - set(truth)),
        sorted(url for url, count in (kept | in_log).items() if count > 1),
        sorted(set(kept) - set(content)),
        sorted(url for url, count in content.items() if count > 1),
        sorted(set(kept) - set(stored)),
        sorted(url for url, count in stored.items() if count > 1),
    )


def _pages_in(folders: Sequence[Path]) -> Counter[str]:
    found: Counter[str] = Counter()
    for folder in folders:
        rows = table(folder, "pages", ["url", "outcome"]).to_pylist()
        found.update(row["url"] for row in rows if row["outcome"] == "kept")
    return found
