"""The browsers of a worker, and the folders in which they keep their profiles."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from lycosa.config import Job
from lycosa.crawl.ports import RenderingPorts
from lycosa.loop import EventLoop
from lycosa.records import Place
from lycosa.render.executable import find_browser
from lycosa.render.renderer import BrowserProcess
from lycosa.store.warc.record_reader import Stored

_PREFIX = f"lycosa-browser-{os.getuid()}-"


def require_browser(job: Job) -> None:
    """Refuse a job that renders where there is no browser."""
    if job.render.mode != "off":
        find_browser(job.render.browser)


def browsers_of(job: Job, loop: EventLoop, read: Callable[[Place], Stored]) -> RenderingPorts:
    """Return the browsers of a worker; each starts with its first page."""
    program = find_browser(job.render.browser)
    _remove_old()
    folder = Path(tempfile.gettempdir())
    browsers = [
        BrowserProcess(loop, program, folder / f"{_PREFIX}{os.getpid()}-{number}")
        for number in range(job.render.processes)
    ]
    return RenderingPorts(browsers, read)


def _remove_old() -> None:
    """Remove the folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        process = folder.name[len(_PREFIX) :].partition("-")[0]
        if not Path("/proc", process).exists():
            shutil.rmtree(folder, ignore_errors=True)
