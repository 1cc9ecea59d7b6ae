"""Renders pages in Chromium, in a process without network, for the worker that started it.

Three things keep the browser from the network, each of them enough: the kernel refuses this process
and everything that it starts every socket but local ones (`lycosa._support.sandbox`); the browser
is told that no name has an address and that there is a proxy, at a name without one; and every
request of a page is answered here, from the contents of the crawl.

Always true:
  * the page gets only parts that the worker handed over;
  * a page stays where it is: navigations are reported as links and cancelled;
  * when the worker ends, or a page takes too much memory or time, everything here ends.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    FloatRect,
    Frame,
    Page,
    Request,
    Route,
    ViewportSize,
    sync_playwright,
)

from lycosa._support.decoders import msgpack_decoder
from lycosa._support.sandbox import give_up_internet
from lycosa.fetch.browser.chromium import launched
from lycosa.fetch.browser.guard import Guard, below, cpu_seconds, end_all, end_with
from lycosa.fetch.browser.protocol import (
    Done,
    Ending,
    FoundLink,
    Holding,
    Part,
    PartWanted,
    Ready,
    RenderPage,
    Shown,
    ToBrowser,
    receive,
    send,
)

NOT_NEEDED = frozenset(
    {"image", "font", "media", "texttrack", "stylesheet", "ping", "cspviolationreport"}
)
"""Types of resources that do not change the tree."""
PICTURED = frozenset({"image", "font", "stylesheet"})
"""Further types of resources that a picture of the page depends on."""
_DROPPED = frozenset(
    {
        "content-encoding",
        "content-length",
        "transfer-encoding",
        "connection",
        "content-disposition",
        "set-cookie",
        "strict-transport-security",
        "alt-svc",
        "report-to",
        "nel",
    }
)
MOST_PARTS = 500
"""Most requests of one page; further ones are not answered."""
MOST_FRAMES = 20
MOST_LINKS = 20_000
"""Most links of one page; further ones are not reported."""
SCROLLS = 12
MOST_RELOADS = 5
"""Most times that a page is shown again for elements that clicks have taken away."""
VIEW: ViewportSize = {"width": 1280, "height": 1600}
PICTURE: FloatRect = {"x": 0, "y": 0, "width": 1280, "height": 800}
MOST_PICTURE_BYTES = 4_000_000
"""A picture of that many pixels stays below, unless it is made to be large; then there is none."""
PICTURE_SECONDS = 5.0
_SCRIPTS = Path(__file__).parent / "scripts"
_TOKEN = "lycosa" + os.urandom(6).hex()


class _Page:
    """A page that is rendered."""

    def __init__(self, end: socket.socket, asked: RenderPage) -> None:
        self._end = end
        self.asked = asked
        self._decode = msgpack_decoder(ToBrowser).decode
        self.missing: dict[str, None] = {}
        self.parts = 0
        self._known: dict[str, Part] = {}
        self._is_shown = False
        self._is_sent = False
        self._told = 0

    def answer(self, route: Route, request: Request) -> None:
        """Answer a request of the page from the contents of the crawl."""
        with suppress(Error):  # the page may be closed meanwhile
            self._answer(route, request)

    def _answer(self, route: Route, request: Request) -> None:
        url = request.url.partition("#")[0]
        if request.is_navigation_request() and request.frame.parent_frame is None:
            if not self._is_shown and url == self.asked.url.partition("#")[0]:
                self._is_shown = True
                self._fulfill(route, Part(Holding.HELD, 200, self.asked.headers, self.asked.body))
                return
            if request.method == "GET":
                self.found(FoundLink("navigation", url))
            route.fulfill(status=204)  # the browser stays on its page
            return
        kind = request.resource_type
        is_needed = kind not in NOT_NEEDED
        is_asked_for = request.method in ("GET", "HEAD") and url.startswith(("http:", "https:"))
        if not is_asked_for or self.parts >= MOST_PARTS or kind in ("websocket", "ping"):
            route.abort("blockedbyclient")
            return
        is_shown = self.asked.wants_picture and kind in PICTURED
        part = self._part(url, is_needed, is_wanted=is_needed or is_shown)
        if part.holding is Holding.HELD:
            self._fulfill(route, part)
        else:
            route.abort("failed")

    def _part(self, url: str, is_needed: bool, *, is_wanted: bool) -> Part:
        known = self._known.get(url)
        if known is not None:
            return known
        self.parts += 1
        send(self._end, PartWanted(url, is_needed))
        frame = receive(self._end)
        if frame is None:
            _end_everything(0)
        part = self._decode(frame or b"")
        assert isinstance(part, Part)
        if part.holding is Holding.MISSING and is_wanted:
            self.missing[url] = None
        self._known[url] = part
        return part

    def _fulfill(self, route: Route, part: Part) -> None:
        headers: dict[str, str] = {}
        for name, value in part.headers:
            if name.lower() not in _DROPPED:
                headers[name.lower()] = value
        with suppress(Error):
            route.fulfill(status=part.status, headers=headers, body=part.body)

    def told(self, frame: Frame, how: str, url: str, text: str = "", rel: str = "") -> None:
        """Hand on at once what a frame tells, since the page may never come to an end."""
        if how != "document":
            self.found(_link(how, url, text, rel))
        elif frame.parent_frame is None and not self._is_sent:
            self._is_sent = True
            send(self._end, Shown(text, url))

    def show_again(self) -> None:
        """Expect the document to be asked for again."""
        self._is_shown = False

    def found(self, link: FoundLink) -> None:
        """Tell the worker of a link."""
        self._told += 1
        if self._told <= MOST_LINKS:
            send(self._end, link)


class Renderer:
    """Renders one page after the other."""

    def __init__(self, end: socket.socket, browser: Browser) -> None:
        self._end = end
        self._browser = browser
        self._guard = Guard(self._breached)
        self._began = 0.0
        self._before = (_SCRIPTS / "before.js").read_text("utf-8").replace("TOKEN", _TOKEN)
        self._explore = (_SCRIPTS / "explore.js").read_text("utf-8")

    def render(self, asked: RenderPage) -> Done:
        """Render a page."""
        self._began = time.monotonic()
        self._guard.begin(asked.seconds, asked.memory_bytes)
        used = cpu_seconds([os.getpid(), *below(os.getpid())])
        page = _Page(self._end, asked)
        try:
            done = self._shown(asked, page)
        except Error as error:
            text = str(error)
            is_gone = "crash" in text.lower() or "closed" in text.lower()
            done = Done(Ending.CRASHED if is_gone else Ending.FAILED, detail=text[:300])
        finally:
            self._guard.end()
        done.missing, done.parts = list(page.missing), page.parts
        done.seconds = time.monotonic() - self._began
        done.memory_bytes = self._guard.most_bytes
        done.cpu_seconds = max(0.0, cpu_seconds([os.getpid(), *below(os.getpid())]) - used)
        return done

    def _shown(self, asked: RenderPage, page: _Page) -> Done:
        context = self._browser.new_context(
            accept_downloads=False, service_workers="block", viewport=VIEW, locale="en-US"
        )
        try:
            return self._explored(context, asked, page)
        finally:
            with suppress(Error):
                context.close()

    def _explored(self, context: BrowserContext, asked: RenderPage, page: _Page) -> Done:
        context.expose_binding(
            _TOKEN, lambda source, *said: page.told(source["frame"], *map(str, said[:4]))
        )
        moment = str(int(asked.moment * 1000) or int(time.time() * 1000))
        context.add_init_script(self._before.replace("MOMENT", moment))
        context.route("**/*", page.answer)
        context.route_web_socket("**/*", lambda one: one.close())
        tab = context.new_page()
        is_crashed: list[bool] = []
        tab.on("crash", lambda _: is_crashed.append(True))
        tab.on("dialog", lambda dialog: dialog.dismiss())
        context.on("page", lambda other: _close_unless(other, tab))
        milliseconds = asked.seconds * 1000
        # A page that never ends loading is explored, too, in the time that is left.
        try:
            tab.goto(asked.url, wait_until="load", timeout=milliseconds * 0.6)
        except Error as error:
            if "Timeout" not in str(error) or is_crashed:
                raise
        # A page that lacks files is rendered again with them: clicks would be lost until then.
        is_whole = not page.missing or asked.is_last
        done = Done(Ending.RENDERED)
        if asked.wants_picture and is_whole:
            done.picture = self._picture(tab, asked)
        for frame in [one for one in tab.frames if _can_be_asked(one)][:MOST_FRAMES]:
            is_main = frame is tab.main_frame
            left = asked.seconds - (time.monotonic() - self._began)
            options = {
                "token": _TOKEN,
                "clicks": (asked.clicks if is_main else asked.clicks // 4) if is_whole else 0,
                "scrolls": SCROLLS if is_whole else 1,
                "milliseconds": max(200.0, left * (700 if is_main else 200)),
                "serialise": is_main,
            }
            if is_main:
                self._try_all(tab, page, options, done)
            else:
                self._evaluate(frame, options)
        if is_crashed:
            raise Error("the page crashed")
        return done

    def _picture(self, tab: Page, asked: RenderPage) -> bytes:
        """Return a picture of the page before anything is clicked; nothing if that fails."""
        left = asked.seconds - (time.monotonic() - self._began)
        milliseconds = min(PICTURE_SECONDS, left / 2) * 1000
        options = {"token": _TOKEN, "clicks": 0, "scrolls": SCROLLS, "milliseconds": milliseconds}
        try:
            tab.main_frame.evaluate(self._explore, {**options, "serialise": False, "look": True})
            taken = tab.screenshot(clip=PICTURE, animations="disabled", timeout=milliseconds)
        except Error:
            return b""
        return taken if len(taken) <= MOST_PICTURE_BYTES else b""

    def _try_all(self, tab: Page, page: _Page, options: dict[str, Any], done: Done) -> None:
        """Explore the page, and show it again if clicks have taken away elements not tried yet."""
        asked, tried = page.asked, list[str]()
        while True:
            said = tab.main_frame.evaluate(self._explore, {**options, "skip": tried})
            done.clicked += said["clicked"]
            done.untried = len(said["lost"])
            tried += said["tried"]
            left = asked.seconds - (time.monotonic() - self._began)
            options["clicks"] -= said["clicked"]
            has_room = done.reloads < MOST_RELOADS and left > asked.seconds / 3
            if not (said["lost"] and said["tried"] and options["clicks"] > 0 and has_room):
                return
            done.reloads += 1
            page.show_again()
            try:
                tab.goto(asked.url, wait_until="load", timeout=left * 500)
            except Error:
                return  # what was found until now counts
            options |= {"serialise": False, "milliseconds": max(200.0, left * 500)}

    def _evaluate(self, frame: Frame, options: dict[str, Any]) -> None:
        with suppress(Error):
            frame.evaluate(self._explore, options)

    def _breached(self, why: str) -> None:
        """End everything; called by the guard while the page keeps the browser busy."""
        seconds = time.monotonic() - self._began
        with suppress(OSError):
            done = Done(Ending(why), seconds=seconds, memory_bytes=self._guard.most_bytes)
            send(self._end, done)
        _end_everything(0)


def _link(how: str, url: str, text: str = "", rel: str = "", *_: object) -> FoundLink:
    return FoundLink(str(how)[:20], str(url)[:8000], str(text)[:200], str(rel)[:200])


def _can_be_asked(frame: Frame) -> bool:
    """Return whether a frame has a document; a frame whose document was refused never answers."""
    return frame.parent_frame is None or frame.url.startswith(("http:", "https:", "about:srcdoc"))


def _close_unless(other: Page, tab: Page) -> None:
    if other is not tab:
        with suppress(Error):
            other.close()


def _end_everything(code: int) -> None:
    end_all(os.getpid())
    os._exit(code)


def main(descriptor: str, parent: str, program: str, home: str, sandbox: str) -> None:
    """Serve one worker until it goes; `home` is a folder that it empties afterwards.

    With `sandbox` "perhaps" the browser may run without its own one.
    """
    end_with(int(parent))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end = socket.socket(fileno=int(descriptor))
    os.set_inheritable(end.fileno(), False)
    give_up_internet()
    with suppress(Error, BrokenPipeError), sync_playwright() as playwright:
        browser = launched(playwright.chromium, program, home, sandbox == "perhaps")
        renderer = Renderer(end, browser)
        send(end, Ready(browser.version))
        decode = msgpack_decoder(ToBrowser).decode
        while (frame := receive(end)) is not None:
            asked = decode(frame)
            if isinstance(asked, RenderPage):
                done = renderer.render(asked)
                send(end, done)
                if done.ending is not Ending.RENDERED:
                    break  # the next page gets a new browser
        _end_everything(0)
    _end_everything(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
