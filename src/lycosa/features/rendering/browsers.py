"""The browsers of a worker, and the folders in which they keep their profiles."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lycosa._support.loop import EventLoop
from lycosa.crawl.ports import RenderingPorts
from lycosa.errors import ConfigError
from lycosa.features.rendering.sandbox import may_lack_sandbox, sandbox_text
from lycosa.fetch.browser.executable import find_browser
from lycosa.fetch.browser.renderer import BrowserProcess
from lycosa.model.job import Job
from lycosa.model.records import Place
from lycosa.storage.warc.record_reader import Stored

messages = logging.getLogger(__name__)

_PREFIX = f"lycosa-browser-{os.getuid()}-"


def require_browser(job: Job) -> None:
    """Refuse a job that renders where there is no browser."""
    if job.render.mode == "off":
        return
    find_browser(job.render.browser)
    if os.geteuid() == 0 and not may_lack_sandbox(job):
        raise ConfigError(
            "Chromium has no sandbox when root runs it, so a page that breaks out of the browser"
            " would be root\n"
            "  run the crawl as another user, or allow it: --set render.without_sandbox=true"
        )


def browsers_of(job: Job, loop: EventLoop, read: Callable[[Place], Stored]) -> RenderingPorts:
    """Return the browsers of a worker; each starts with its first page."""
    program = find_browser(job.render.browser)
    _remove_old()
    if text := sandbox_text(job):
        messages.warning(text)
    # Each folder has a name that cannot be guessed, and the mode 0700.
    browsers = [
        BrowserProcess(
            loop,
            program,
            Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")),
            may_lack_sandbox=may_lack_sandbox(job),
        )
        for _ in range(job.render.processes)
    ]
    return RenderingPorts(browsers, read)


def _remove_old() -> None:
    """Remove the folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        process = folder.name[len(_PREFIX) :].partition("-")[0]
        with suppress(FileNotFoundError):  # another crawl has removed it, or has ended meanwhile
            is_own = folder.lstat().st_uid == os.getuid()
            if is_own and not Path("/proc", process).exists():
                shutil.rmtree(folder, ignore_errors=True)
