"""Runs a crawl from a Python program, blocking (`run`) or beside an asyncio loop (`run_async`).

Both do what `lycosa crawl` and `lycosa resume` do, with the same job, folder and log file.
Functions given as plugins are called in the thread that crawls.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from lycosa.api.crawl import Crawl
from lycosa.api.notebook import ProgressBar, in_notebook, in_thread
from lycosa.crawl.scope import require_linear
from lycosa.crawl.status.progress import Listener, Progress
from lycosa.errors import ConfigError, LycosaError
from lycosa.features.plugins.loader import with_plugins
from lycosa.features.plugins.plugin import Plugin
from lycosa.features.plugins.scheduling import require_plugins
from lycosa.model.job import Job, anchored
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.log_file import logger, said_to
from lycosa.runtime.processes.machine import require_files
from lycosa.runtime.processes.requirements import require_contact, require_content
from lycosa.runtime.processes.run import run_crawl
from lycosa.runtime.processes.signals import Stop
from lycosa.runtime.trust.settings import operator_settings


def run(
    directory: str | os.PathLike[str],
    job: Job | None = None,
    *,
    plugins: Sequence[Plugin] = (),
    on_progress: Callable[[Progress], None] | None = None,
    progress_seconds: float = 1.0,
) -> Crawl:
    """Crawl, and return the crawl when it has ended: by itself, by a limit, or by a signal.

    With a job this starts a crawl in a new folder; relative paths in the job begin at the working
    directory. Without a job, or with the job that it has, a crawl continues where it was.
    `plugins` are functions of this program; installed plugins are named in the job.
    `on_progress` is called about every `progress_seconds`; if it raises, the crawl is stopped
    cleanly and the exception is raised here. In the main thread SIGINT and SIGTERM stop the crawl
    cleanly, and `Crawl.reason` is then `stopped`.

    In a cell of a notebook the cell waits for the crawl, with a progress bar below it; interrupting
    the kernel stops it cleanly.
    """
    if in_notebook():
        return _in_cell(_Run(directory, job, plugins), on_progress, progress_seconds)
    if _has_loop():
        raise LycosaError(
            "run() would block the event loop that runs in this thread\n"
            "  write `await run_async(...)` instead"
        )
    return _Run(directory, job, plugins).wait(on_progress, progress_seconds)


async def run_async(
    directory: str | os.PathLike[str],
    job: Job | None = None,
    *,
    plugins: Sequence[Plugin] = (),
    on_progress: Callable[[Progress], None] | None = None,
    progress_seconds: float = 1.0,
) -> Crawl:
    """Crawl in a thread beside the event loop; otherwise as `run`.

    `on_progress` is called in the loop. Cancelling the task stops the crawl cleanly, and the
    cancellation is raised when everything is committed; a second one stops it at once. Several
    crawls may run at a time, each in its own folder; each log file then has the lines of all.
    """
    import asyncio  # 40 ms: not for those who block
    from concurrent.futures import ThreadPoolExecutor

    loop = asyncio.get_running_loop()
    crawl = _Run(directory, job, plugins)

    def tell(progress: Progress) -> None:
        if on_progress is not None:
            loop.call_soon_threadsafe(crawl.told, on_progress, progress)

    thread = ThreadPoolExecutor(1, "lycosa-crawl")
    crawling = loop.run_in_executor(thread, crawl.wait, tell, progress_seconds)
    thread.shutdown(wait=False)
    cancelled: asyncio.CancelledError | None = None
    while True:
        try:
            found = await asyncio.shield(crawling)
            break
        except asyncio.CancelledError as error:
            cancelled = error
            crawl.stop.ask()
    if cancelled is not None:
        raise cancelled
    crawl.raise_failure()
    return found


def _in_cell(
    run: _Run, on_progress: Callable[[Progress], None] | None, progress_seconds: float
) -> Crawl:
    bar = ProgressBar(run.most_pages)

    def tell(progress: Progress) -> None:
        bar.show(progress)
        if on_progress is not None:
            on_progress(progress)

    try:
        crawl = in_thread(partial(run.wait, tell, progress_seconds), run.stop.ask)
    except BaseException:
        bar.fail()
        raise
    bar.end(crawl.outcomes().get("kept", 0), crawl.reason or "")
    return crawl


def _has_loop() -> bool:
    if "asyncio" not in sys.modules:
        return False
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Run:
    """A run of a crawl."""

    def __init__(
        self, directory: str | os.PathLike[str], job: Job | None, plugins: Sequence[Plugin]
    ) -> None:
        self.stop = Stop()
        self._plugins = tuple(plugins)
        self._directory = _prepared(Path(directory), job, self._plugins)
        self._failure: Exception | None = None

    @property
    def most_pages(self) -> int:
        """The job's limit of pages; 0 without one."""
        return self._directory.job().limits.pages

    def wait(
        self, on_progress: Callable[[Progress], None] | None, progress_seconds: float
    ) -> Crawl:
        """Crawl in this thread."""
        directory = self._directory
        crawl = Crawl(directory.path)
        listener = Listener(
            partial(self.told, on_progress),
            progress_seconds,
            _refused,
            _failed,
            waiting=logger.warning,
            refused_more=_refused_more,
        )
        with said_to(directory.messages):
            logger.info("begins: job %s, from Python", directory.job().digest())
            try:
                ended = run_crawl(
                    directory,
                    listener=listener,
                    plugins=self._plugins,
                    stop=self.stop,
                )
            except KeyboardInterrupt:
                logger.info("stopped at once")
                if not self.stop.is_asked:
                    raise
                crawl.reason = "stopped"
            else:
                logger.info("ends: %s", ended.reason)
                crawl.reason = ended.reason
        self.raise_failure()
        return crawl

    def told(self, on_progress: Callable[[Progress], None] | None, progress: Progress) -> None:
        """Report progress to the program."""
        if self._failure is None and on_progress is not None:
            try:
                on_progress(progress)
            except Exception as error:
                self._failure = error
                self.stop.ask()

    def raise_failure(self) -> None:
        """Raise the exception of the program's own function."""
        if self._failure is not None:
            raise self._failure


def _refused(seed: str, reason: str) -> None:
    logger.warning("seed %s refused: %s", seed, reason)


def _refused_more(reasons: dict[str, int]) -> None:
    for reason, count in reasons.items():
        logger.warning("%d more seeds refused: %s", count, reason)


def _failed(seed: str, why: str) -> None:
    logger.warning("seed %s cannot be reached: %s", seed, why)


def _prepared(path: Path, job: Job | None, plugins: Sequence[Plugin]) -> CrawlDirectory:
    """Return the crawl directory, with the given plugins named in its job."""
    if job is not None:
        job = with_plugins(anchored(job, Path.cwd()), plugins)
    is_new = job is not None and not (path / "crawl.toml").exists()
    if job is not None and is_new:
        require_contact(job, 'give the job one: Job.of(…, fetch={"contact": "you@example.org"})')
        require_files(job.fetch, job.crawl.workers)
        require_linear(job)
        require_plugins(job, plugins)
        require_content(job)
        directory = _created(path, job)
        if operator_settings(job):
            directory.accept()
        return directory
    directory = CrawlDirectory.open(path)
    # A program passes its own job and plugins, so they are trusted like settings that a user types.
    typed = operator_settings(job or with_plugins(Job(), plugins))
    before = directory.whole_job(typed)
    if job is not None and _as_begun(job, before) != before:
        raise ConfigError(
            f"{path}: already holds a crawl with another job\n"
            "  to continue it, leave the job out; to start another, choose a new folder"
        )
    wanted = with_plugins(before, plugins)
    require_plugins(wanted, plugins)
    if wanted != before:
        with directory.locked(logger.warning):
            directory.write_job(wanted)
    if typed:
        directory.accept()
    return directory


def _created(path: Path, job: Job) -> CrawlDirectory:
    """Make the folder of a crawl; the remedies of the command line become those of a program."""
    try:
        return CrawlDirectory.create(path, job)
    except ConfigError as error:
        what, _, _ = str(error).partition("\n")
        raise ConfigError(f"{what}\n  give run() another folder") from None


def _as_begun(job: Job, before: Job) -> Job:
    """Return a job with the settings that Lycosa adds: the log's place, a copy of the model."""
    log = dataclasses.replace(job.log, server=before.log.server, name=before.log.name)
    if job.topics.model:
        from lycosa.features.topics.of_job import same_topics  # few crawls have a model

        job = dataclasses.replace(job, topics=same_topics(job.topics, before.topics))
    return dataclasses.replace(job, log=log)
