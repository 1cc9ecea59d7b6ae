"""Notices to the operator, by command and webhook: a run's end, a standstill, a full disk.

The process that supervises a run checks once a second and starts a thread for each notice, so a
slow receiver does not delay the crawl. Each notice is sent once a run; for a standstill or a full
disk again after it was over. A webhook is tried three times. The crawl's log file lists sent and
failed notices. The webhook uses no proxy and follows no redirect.

These are requests of operators to their own servers: the rules for sites do not apply to them, and
no order to a running crawl can change their receivers (`[notify]` is read at the start).
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import subprocess
import time
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lycosa.crawl.status.progress import Progress
from lycosa.model.job import Notify

if TYPE_CHECKING:
    from http.client import HTTPConnection

END, STALL, DISK = "end", "stall", "disk"
RETRY_SECONDS = (1.0, 5.0)
"""Pauses between attempts to reach the webhook."""

log_messages = logging.getLogger(__name__)


class Notifier:
    """Watches a run, and sends the notices that the job asks for."""

    def __init__(
        self, notify: Notify, crawl: str, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._notify = notify
        self._crawl = crawl
        self._now = now
        self._told: set[str] = set()
        self._threads: list[Thread] = []
        self._before: tuple[int, int] | None = None
        self._since = now()

    def look(self, progress: Progress) -> None:
        """Send a notice of a standstill, or of a disk that is nearly full."""
        done = (progress.requests - progress.in_flight, progress.pages)
        if done != self._before or progress.is_paused:
            self._before, self._since = done, self._now()
        is_standing = self._now() - self._since >= self._notify.stall_seconds
        self._happens(STALL, is_standing, progress, _waits_text(progress))
        free = progress.free_disk_bytes
        is_low = bool(free) and free < self._notify.disk_bytes
        self._happens(DISK, is_low, progress, f"{free:,} bytes are free")

    def end(self, progress: Progress, reason: str) -> None:
        """Send a notice of the end, and wait until all are sent or the time is up."""
        self._happens(END, True, progress, reason)
        attempts = 1 + len(RETRY_SECONDS)
        deadline = time.monotonic() + attempts * self._notify.time_limit_seconds
        deadline += sum(RETRY_SECONDS)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _happens(self, event: str, is_so: bool, progress: Progress, reason: str) -> None:
        if not is_so:
            self._told.discard(event)
        elif event not in self._told and event in self._notify.on:
            self._told.add(event)
            self._tell(event, progress, reason)

    def _tell(self, event: str, progress: Progress, reason: str) -> None:
        told = {
            "event": event,
            "crawl": self._crawl,
            "reason": reason,
            "moment": time.time(),
            "pages": progress.pages,
            "bytes": progress.bytes,
            "pending": progress.pending,
            "free_disk_bytes": progress.free_disk_bytes,
            "seconds": round(progress.seconds, 3),
        }
        limit = self._notify.time_limit_seconds
        if self._notify.command:
            self._start(run_command, self._notify.command, told, limit)
        if self._notify.webhook:
            self._start(post, self._notify.webhook, told, limit)

    def _start(self, how: Callable[..., str], *words: Any) -> None:
        def tell() -> None:
            event = words[1]["event"]
            try:
                problem = how(*words)
            except Exception as error:  # a failed notice must never stop the crawl
                problem = f"{type(error).__name__}: {error}"
            if problem:
                log_messages.warning(
                    "could not send the notice of %s by %s: %s", event, how.__name__, problem
                )
            else:
                log_messages.info("sent the notice of %s by %s", event, how.__name__)

        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(Thread(target=tell, name="notify", daemon=True))
        self._threads[-1].start()


def _waits_text(progress: Progress) -> str:
    """Describe the known waits of the run."""
    named = ", ".join(f"{wait[0]}: {wait[1]}" for wait in progress.waits[:3])
    return f"waits for {progress.waits_count:,} hosts: {named}" if named else "nothing is fetched"


def run_command(command: str, told: dict[str, Any], seconds: float) -> str:
    """Run the command; return its problem, or ""."""
    about = {f"LYCOSA_{name.upper()}": str(told[name]) for name in ("event", "crawl", "reason")}
    about["LYCOSA_PAGES"] = str(told["pages"])
    try:
        done = subprocess.run(
            shlex.split(command),
            input=json.dumps(told).encode(),
            env=os.environ | about,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=seconds,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {seconds:g} s and was killed"
    except (OSError, ValueError) as error:
        return str(error)
    if not done.returncode:
        return ""
    said = done.stderr.decode("utf-8", "replace").strip()[-200:]
    return f"it ended with code {done.returncode} {said}".rstrip()


def post(url: str, told: dict[str, Any], seconds: float) -> str:
    """Post to the webhook, at most three times; return the problem, or ""."""
    problem = ""
    for pause in (*RETRY_SECONDS, None):
        problem = _post_once(url, told, seconds)
        if not problem or pause is None:
            return problem
        time.sleep(pause)
    return problem


def _post_once(url: str, told: dict[str, Any], seconds: float) -> str:
    import http.client

    parts = urlsplit(url)
    made: type[HTTPConnection] = http.client.HTTPConnection
    if parts.scheme == "https":
        made = http.client.HTTPSConnection
    connection = made(parts.hostname or "", parts.port, timeout=seconds)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"Content-Type": "application/json", "User-Agent": "lycosa-notify"}
    try:
        connection.request("POST", path, json.dumps(told).encode(), headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()
    return "" if 200 <= status < 300 else f"it answered {status}"
