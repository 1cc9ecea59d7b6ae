"""The uploads of one run: started with it, and awaited at its end.

A store that cannot be used when a crawl begins to use it is an error: the address, the keys or the
service are wrong. Later it may be down for a while, and the crawl continues without it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing

from lycosa.crawl.status.progress import Progress
from lycosa.errors import ObjectsUnavailable
from lycosa.model.job import MODEL_FILE, Job, SeedList
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.signals import Stop
from lycosa.runtime.uploads.family import family_bytes
from lycosa.runtime.uploads.sent import Sent
from lycosa.runtime.uploads.uploader import Uploader
from lycosa.storage.archive.layout import warc_names
from lycosa.storage.objects.opening import open_objects
from lycosa.storage.objects.protocol import Objects

JOB_KEY, SEEDS_KEY = "crawl.toml", "seeds.txt"
WAIT_SECONDS = 0.25

log_messages = logging.getLogger(__name__)


class Uploads:
    """A run's connection to its store."""

    def __init__(self, directory: CrawlDirectory, job: Job) -> None:
        """Open the store and register the crawl in it; raises errors that the operator can
        repair."""
        self._objects = open_objects(job.store.place, job.log.name)
        sent = sent_of(directory, job)
        try:
            _copy_job(self._objects, directory, job)
        except ObjectsUnavailable as problem:
            if sent.is_new:
                raise
            log_messages.warning("the store does not answer; continuing without it: %s", problem)
        sent.begin()
        is_shared = bool(job.log.server)
        self._uploader = Uploader(directory.path, self._objects, sent, is_shared)
        self._uploader.start()

    def told(self, progress: Progress) -> Progress:
        """Return the progress with the amounts that are not in the store."""
        left = self._uploader.left
        return progress._replace(
            unsent_bytes=left.bytes,
            unsent_seconds=round(left.seconds, 1),
            unsent_problem=left.problem,
        )

    def wait(self, main: MainLoop, stop: Stop, tell: Callable[[int, int, str], None]) -> None:
        """Wait until everything sealed is in the store, or for a stop request."""
        uploader, before = self._uploader, stop.requests

        def look() -> None:
            left = uploader.left
            if stop.requests > before or (uploader.has_looked and not left.segments):
                main.loop.stop()
                return
            if uploader.has_looked:
                tell(left.segments, left.bytes, left.problem)
            main.loop.call_later(WAIT_SECONDS, look)

        uploader.look_now()
        main.loop.call_soon(look)
        with Stop().heard_by(main.loop, main.loop.stop):
            main.run()

    def close(self) -> None:
        """End the uploads."""
        self._uploader.close()
        self._objects.close()


def sent_of(directory: CrawlDirectory, job: Job) -> Sent:
    """Return the directory's memory of its store, without asking the store."""
    return Sent(directory.log_folder / "sent", f"{job.store.place} {job.log.name}")


def unsent_of(directory: CrawlDirectory, job: Job) -> tuple[int, int]:
    """Return segments and bytes of a directory that are not in its store."""
    folder, sent = directory.path, sent_of(directory, job)
    names = [name for name in warc_names(folder) if name.segment not in sent]
    return len(names), sum(family_bytes(folder, name) for name in names)


def try_store(job: Job) -> None:
    """Raise an error if the store of a new crawl cannot be used."""
    if job.store.place:
        with closing(open_objects(job.store.place, job.log.name)) as objects:
            objects.create(JOB_KEY, _text(job))


def _copy_job(objects: Objects, directory: CrawlDirectory, job: Job) -> None:
    """Put the job where `lycosa fetch` finds it; the machine that started last overwrites it."""
    if isinstance(job.seeds, SeedList) and directory.seeds_file.exists():
        objects.put(SEEDS_KEY, directory.seeds_file)
    if job.topics.model and directory.model_file.exists():
        objects.put(MODEL_FILE, directory.model_file)
    if not objects.create(JOB_KEY, _text(job)):
        objects.put(JOB_KEY, directory.job_file)


def _text(job: Job) -> bytes:
    return job.portable().to_toml(SEEDS_KEY).encode()
