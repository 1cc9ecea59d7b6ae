"""The thread of a worker process that reads records uploaded by other machines.

The object store may be slow, or silent until a deadline. Commits have a thread of their own
(`clock`), so neither they nor the worker wait for the store.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from lycosa.crawl.ports import StoredElsewhere
from lycosa.errors import ConfigError, ObjectsUnavailable
from lycosa.model.job import Job
from lycosa.model.records import KeyedLink, Place, Validators
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.storage.archive.uploaded import UploadedRecords
from lycosa.storage.objects.opening import open_objects
from lycosa.storage.objects.protocol import Objects

T = TypeVar("T")


class DistantRecords:
    """Reads on a thread of its own; the store is opened at the first question."""

    def __init__(self, main: MainLoop, job: Job) -> None:
        self._main = main
        self._store = job.store.place, job.log.name
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lycosa-distant")
        self._objects: Objects | None = None
        self._records: UploadedRecords | None = None

    def ask(self, job: Callable[[StoredElsewhere], T], done: Callable[[T], object]) -> None:
        """Let `job` read, and hand `done` its result on the worker's thread."""

        def finish(future: Future[T]) -> None:
            problem = future.exception()
            loop = self._main.loop
            if problem is None:
                loop.call_soon_threadsafe(done, future.result())
            else:
                loop.call_soon_threadsafe(self._main.fail, problem)

        self._thread.submit(job, self).add_done_callback(finish)

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of a record; called by jobs."""
        return self._opened().links(place)

    def validators(self, place: Place) -> Validators | None:
        """Return the validators of a record; called by jobs."""
        return self._opened().validators(place)

    def close(self) -> None:
        """Stop reading, without waiting for the present read."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._objects is not None:
            self._objects.close()

    def _opened(self) -> UploadedRecords:
        if self._records is None:
            try:
                self._objects = open_objects(*self._store)
            except ConfigError as problem:  # a folder that is not mounted now
                raise ObjectsUnavailable(str(problem)) from problem
            self._records = UploadedRecords(self._objects)
        return self._records
