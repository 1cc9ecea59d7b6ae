"""The system's Chromium without a window, driven by Playwright, which brings no browser of its own.

It can reach no other host, so what it shows comes from the files it was given or from a server of
the test on 127.0.0.1, which `replay.localhost` is a name of.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

FLAGS = (
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE replay.localhost",
)

expect.set_options(timeout=30_000)  # machines that run other tests, too, are slow


@contextmanager
def chromium(home: Path) -> Iterator[Browser]:
    """Start a browser whose user has that folder for a home; it ends with the block."""
    program = shutil.which("chromium")
    assert program, "the browser is missing: apt-get install chromium fonts-liberation"
    environment: dict[str, str | float | bool] = {**os.environ, "HOME": str(home)}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=FLAGS, env=environment, timeout=60_000
        )
        with browser:
            yield browser


class Shown:
    """A file in a tab of its own, with what it has asked for and complained of since it opened."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.requested: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requested.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.goto(path.resolve().as_uri())


@contextmanager
def shown(browser: Browser, path: Path, width: int, height: int = 900) -> Iterator[Shown]:
    """Open a file in a window of that size, and wait until all of it is there."""
    with browser.new_page(viewport={"width": width, "height": height}) as page:
        yield Shown(page, path)
