"""Read the newest answer for a URL from the archive of a crawl.

The archive of a crawl that several machines share is in several directories. The log says where
the answer is. If that is not here, it is read from the store; if it is not there either, the error
names the machine that has it.
"""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

from lycosa.config import Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.errors import Elsewhere, LycosaError
from lycosa.records import Place
from lycosa.store.layout import MOST_IN_DIRECTORY, warc_names
from lycosa.store.reader import find, find_text
from lycosa.store.warc.record_reader import Stored
from lycosa.url import canonicalize, key_of


class Content(NamedTuple):
    """The newest answer for a URL."""

    headers: bytes
    """Status line and headers as they were sent."""
    body: bytes
    """The content, with all content codings undone."""
    text: str
    """The visible text; "" when the page has none."""


def content_of(directory: CrawlDirectory, raw_url: str) -> Content:
    """Return the newest stored answer for a URL."""
    url = canonicalize(raw_url)
    if url is not None:
        job = directory.job()
        place = _place_elsewhere(directory, job, url) if job.log.server else None
        if place is not None:
            return _distant(directory, job, url, place)
        stored = find(directory.path, url)
        if stored is not None:
            return _content(stored, find_text(directory.path, url))
    raise LycosaError(
        f"{raw_url}: the archive holds no answer for it\n"
        f"  to see why: lycosa explain {directory.path} {raw_url}"
    )


def _content(stored: Stored, text: str | None) -> Content:
    return Content(stored.head, stored.body, text or "")


def _place_elsewhere(directory: CrawlDirectory, job: Job, url: str) -> Place | None:
    """Return where the answer for a URL is, if that is not in this directory."""
    from lycosa.crawl.recovery.counting import own_partitioner
    from lycosa.crawl.takeover import read_partition

    key = key_of(url)
    with closing(directory.log(job)) as log:
        number = own_partitioner(job).partition_of(key)
        state = read_partition(log, directory.snapshots(), number).state
    page = state.table.find(key)
    place = state.place_of(page) if page is not None else None
    is_here = place is not None and any(
        name.segment == place.segment for name in warc_names(directory.path)
    )
    return None if is_here else place


def _distant(directory: CrawlDirectory, job: Job, url: str, place: Place) -> Content:
    """Read an answer from the store; raises `Elsewhere` with the name of the machine."""
    from lycosa.crawl.logs.notes import machines_of

    with closing(directory.log(job)) as log:
        machines = machines_of(log)
    number = place.segment // MOST_IN_DIRECTORY
    machine = machines.get(number) or f"the machine of directory {number}"
    if not job.store.place:
        raise Elsewhere(
            f"{url}: the answer is in segment {place.segment}, on {machine}\n"
            f"  type the command there: lycosa cat DIR {url}"
        )
    from lycosa.objects.opening import open_objects
    from lycosa.store.uploaded import UploadedRecords
    from lycosa.store.uploaded_tables import UploadedTables

    with closing(open_objects(job.store.place, job.log.name)) as objects:
        records = UploadedRecords(objects, lambda directory: machines.get(directory, ""))
        stored = records.exchange(place)
        return _content(stored, UploadedTables(objects).text(place.segment, url))
