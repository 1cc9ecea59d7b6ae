"""Read the newest answer for a URL from the archive of a crawl.

The archive of a crawl that several machines share is in several directories. The log names the
place of the answer. An answer that is not in this directory is read from the store. If the store
does not have it either, the error names the machine that does.
"""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

from lycosa.errors import Elsewhere, LycosaError
from lycosa.model.job import Job
from lycosa.model.records import Place
from lycosa.model.url import canonicalize, key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY, warc_names
from lycosa.storage.archive.reader import find, find_text
from lycosa.storage.warc.record_reader import Stored


class Content(NamedTuple):
    """Newest answer for a URL."""

    headers: bytes
    """Status line and headers as received."""
    body: bytes
    """The content, with all content codings undone."""
    text: str
    """The visible text; "" if the page has none."""


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
        f"{raw_url}: the archive has no answer for this URL\n"
        f"  to see why: lycosa explain {directory.path} {raw_url}"
    )


def _content(stored: Stored, text: str | None) -> Content:
    return Content(stored.head, stored.body, text or "")


def _place_elsewhere(directory: CrawlDirectory, job: Job, url: str) -> Place | None:
    """Return the place of the answer for a URL, if it is not in this directory."""
    from lycosa.crawl.takeover import read_partition
    from lycosa.features.plugins.scheduling import partitioner_of

    key = key_of(url)
    with closing(directory.log(job)) as log:
        number = partitioner_of(job, noted=log.noted).partition_of(key)
        state = read_partition(log, directory.snapshots(), number).state
    page = state.table.find(key)
    place = state.place_of(page) if page is not None else None
    is_here = place is not None and any(
        name.segment == place.segment for name in warc_names(directory.path)
    )
    return None if is_here else place


def _distant(directory: CrawlDirectory, job: Job, url: str, place: Place) -> Content:
    """Read an answer from the store; raise `Elsewhere` with the machine's name if it is not
    there."""
    from lycosa.runtime.shared_log.notes import machines_of

    with closing(directory.log(job)) as log:
        machines = machines_of(log)
    number = place.segment // MOST_IN_DIRECTORY
    machine = machines.get(number) or f"the machine of directory {number}"
    if not job.store.place:
        raise Elsewhere(
            f"{url}: the answer is in segment {place.segment}, on {machine}\n"
            f"  run there: lycosa cat DIR {url}"
        )
    from lycosa.storage.archive.uploaded import UploadedRecords
    from lycosa.storage.archive.uploaded_tables import UploadedTables
    from lycosa.storage.objects.opening import open_objects

    with closing(open_objects(job.store.place, job.log.name)) as objects:
        records = UploadedRecords(objects, lambda directory: machines.get(directory, ""))
        stored = records.exchange(place)
        return _content(stored, UploadedTables(objects).text(place.segment, url))
