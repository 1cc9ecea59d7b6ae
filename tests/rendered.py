"""A browser of the crawler, handed pages by a test: what it makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from lycosa._support.loop import Loop
from lycosa.fetch.browser.executable import find_browser
from lycosa.fetch.browser.guard import below
from lycosa.fetch.browser.protocol import Done, FoundLink, Holding, Part, PartWanted, RenderPage
from lycosa.fetch.browser.renderer import BrowserProcess

URL = "http://www.page.test/folder/page"
HTML = "text/html; charset=utf-8"


class Shown(NamedTuple):
    """What became of a page."""

    done: Done
    links: list[FoundLink]
    wanted: list[str]

    @property
    def urls(self) -> set[str]:
        return {link.url for link in self.links}


class TestBrowser:
    """Renders pages one by one, each with its parts."""

    __test__ = False

    def __init__(self, home: Path, *, may_lack_sandbox: bool = True) -> None:
        self._loop = Loop()
        self.process = BrowserProcess(
            self._loop, find_browser(), home, may_lack_sandbox=may_lack_sandbox
        )

    def render(
        self,
        body: str,
        parts: Mapping[str, tuple[str, str]] | None = None,
        *,
        seconds: float = 30.0,
        memory_bytes: int = 3_000_000_000,
        clicks: int = 40,
        is_last: bool = True,
        url: str = URL,
        wants_picture: bool = False,
    ) -> Shown:
        """Render a page; parts are type and text by URL, the others are missing."""
        wanted: list[str] = []
        came: list[Shown] = []

        def find(asked: PartWanted) -> Part:
            wanted.append(asked.url)
            if parts is None or asked.url not in parts:
                return Part(Holding.MISSING)
            kind, text = parts[asked.url]
            return Part(Holding.HELD, 200, [("Content-Type", kind)], text.encode())

        def on_done(done: Done, links: list[FoundLink]) -> None:
            came.append(Shown(done, links, wanted))
            self._loop.stop()

        page = RenderPage(
            url,
            [("Content-Type", HTML)],
            body.encode(),
            seconds,
            memory_bytes,
            clicks,
            is_last,
            wants_picture,
            1_700_000_000.0,
        )
        self.process.render(page, find, on_done)
        self._loop.run_forever()
        return came[0]

    def processes(self) -> list[int]:
        """Return the browser's processes."""
        return below(self.process.pid) if self.process.pid else []

    def close(self) -> None:
        self.process.close()
        self._loop.close()


@contextmanager
def test_browser(home: Path, *, may_lack_sandbox: bool = True) -> Iterator[TestBrowser]:
    """Start a browser with the first page, and end it with the block."""
    browser = TestBrowser(home, may_lack_sandbox=may_lack_sandbox)
    try:
        yield browser
    finally:
        browser.close()


test_browser.__test__ = False  # type: ignore[attr-defined]
