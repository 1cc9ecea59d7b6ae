"""Renders pages in Chromium, in a process without network, for the worker that started it.

Three things keep the browser from the network, each of them enough: the kernel refuses this process
and everything that it starts every socket but local ones (`lycosa._support.sandbox`); the browser
is told that no name has an address and that there is a proxy, at a name without one; and every
request of a page is answered here, from the contents of the crawl.

Always true:
  * the page gets only parts that the worker handed over;
  * a page stays where it is: navigations are reported as links and cancelled;
  * two pages share a tab only if they are of one origin, the first was rendered to its end, nothing
    of it is left (`tab.Tab.clear`), and Chromium's own sandbox holds both;
  * when the worker ends, or a page takes too much memory or time, everything here ends.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from lycosa._support.decoders import msgpack_decoder
from lycosa._support.sandbox import give_up_internet
from lycosa.fetch.browser.chromium import Browser, launched
from lycosa.fetch.browser.devtools import BrowserGone, DevtoolsError, PageGone, TooLate
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
from lycosa.fetch.browser.requests import Asked, origin_of
from lycosa.fetch.browser.tab import TOKEN, Tab

NOT_SHOWN = frozenset({"Image", "Font", "Media", "TextTrack"})
"""Types of resources that do not change the tree, and are decoded for a picture alone."""
NOT_NEEDED = NOT_SHOWN | {"Stylesheet", "CSPViolationReport"}
"""Types of resources that do not change the tree."""
PICTURED = frozenset({"Image", "Font", "Stylesheet"})
"""Further types of resources that a picture of the page depends on."""
_REFUSED = frozenset({"WebSocket", "Ping", "Icon", "Prefetch"})
"""Never answered: the tree does not depend on them."""
_DATA = frozenset({"XHR", "Fetch"})
MOST_PARTS = 500
"""Most requests of one page; further ones are not answered."""
MOST_FRAMES = 20
MOST_LINKS = 20_000
"""Most links of one page; further ones are not reported."""
SCROLLS = 12
MOST_RELOADS = 5
"""Most times that a page is shown again for elements that clicks have taken away."""
MOST_PAGES_A_TAB = 50
"""Pages of one origin after which a new tab, in a new process, is opened for it."""
PICTURE_WIDTH, PICTURE_HEIGHT = 1280, 800
MOST_PICTURE_BYTES = 4_000_000
"""A picture of that many pixels stays below, unless it is made to be large; then there is none."""
PICTURE_SECONDS = 5.0
CLEAR_SECONDS = 10.0
"""Most time in which a page gives way to the next; then everything ends."""


class _Phases:
    """The seconds that a page has taken, by phase (`protocol.PHASES`)."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._name = ""
        self._began = 0.0

    def begin(self, name: str) -> None:
        """End the phase under way, and begin another."""
        self._seconds = self.seconds()
        self._name, self._began = name, time.monotonic()

    def seconds(self) -> dict[str, float]:
        """Return the seconds until now; the phase under way is the last."""
        found = dict(self._seconds)
        if self._name:
            before = found.pop(self._name, 0.0)
            found[self._name] = round(before + time.monotonic() - self._began, 3)
        return found


class _Page:
    """A page that is rendered."""

    def __init__(self, end: socket.socket, asked: RenderPage) -> None:
        self._end = end
        self.asked = asked
        self._decode = msgpack_decoder(ToBrowser).decode
        self.missing: dict[str, None] = {}
        self.phases = _Phases()
        self.has_data = False
        self.error = ""
        self.parts = 0
        self._known: dict[str, Part] = {}
        self._is_shown = False
        self._is_sent = False
        self._told = 0

    def answer(self, asked: Asked) -> Part | int | None:
        """Answer a request of the page from the contents of the crawl."""
        url, kind = asked.url, asked.kind
        if asked.is_document:
            if not self._is_shown and url == self.asked.url.partition("#")[0]:
                self._is_shown = True
                return Part(Holding.HELD, 200, self.asked.headers, self.asked.body)
            if asked.method == "GET":
                self.found(FoundLink("navigation", url))
            return 204  # the browser stays on its page
        is_needed = kind not in NOT_NEEDED
        is_asked_for = asked.method in ("GET", "HEAD") and url.startswith(("http:", "https:"))
        if not is_asked_for or self.parts >= MOST_PARTS or kind in _REFUSED:
            return None
        if kind in NOT_SHOWN and not self.asked.wants_picture:
            self.parts += 1
            return None
        is_shown = self.asked.wants_picture and kind in PICTURED
        part = self._part(url, is_needed, is_wanted=is_needed or is_shown)
        self.has_data |= kind in _DATA and part.holding is Holding.HELD
        return part if part.holding is Holding.HELD else None

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

    def told(self, is_main: bool, how: str, url: str, text: str, rel: str) -> None:
        """Hand on at once what a frame tells, since the page may never come to an end."""
        if how != "document":
            self.found(_link(how, url, text, rel))
        elif is_main and not self._is_sent:
            self._is_sent = True
            send(self._end, Shown(text, url))
            self.phases.begin("clicks")

    def thrown(self, text: str) -> None:
        """Note the first error of the page's scripts before it is clicked."""
        if not self._is_sent:
            self.error = self.error or " ".join(text.split())[:300]

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
        self._devtools = browser.devtools
        self._may_keep = browser.is_sandboxed
        self._guard = Guard(self._breached)
        self._began = 0.0
        self._phases = _Phases()
        self._tab: Tab | None = None
        self._done: Done | None = None
        """The result of the page that gives way to the next."""
        follow = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        self._devtools.call("Target.setAutoAttach", follow)
        self._devtools.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})

    def render(self, asked: RenderPage) -> Done:
        """Render a page."""
        self._began = time.monotonic()
        self._guard.begin(asked.seconds, asked.memory_bytes)
        used = _cpu_seconds()
        page = _Page(self._end, asked)
        self._phases = page.phases
        try:
            done = self._shown(asked, page)
        except DevtoolsError as error:
            done = Done(self._ending_by(error, asked.seconds), detail=str(error)[:300])
        done.missing, done.parts = list(page.missing), page.parts
        done.phases, done.has_data = page.phases.seconds(), page.has_data
        done.error = page.error
        done.seconds = time.monotonic() - self._began
        if done.ending is Ending.RENDERED:
            self._make_way(done)
        self._guard.end()
        done.memory_bytes = self._guard.most_bytes
        done.cpu_seconds = max(0.0, _cpu_seconds() - used)
        return done

    def _ending_by(self, error: DevtoolsError, seconds: float) -> Ending:
        if isinstance(error, BrowserGone | PageGone):
            return Ending.CRASHED
        # A command may see that the page's time is over before the guard looks.
        is_over = isinstance(error, TooLate) and time.monotonic() - self._began >= seconds
        return Ending.TIMED_OUT if is_over else Ending.FAILED

    def _make_way(self, done: Done) -> None:
        """Clear the tab for another page of the origin, or close it."""
        # A page that does not give way is rendered all the same, and the next gets a new browser.
        self._done, tab = done, self._tab
        self._guard.extend(CLEAR_SECONDS)
        assert tab is not None
        try:
            if not (self._may_keep and tab.pages < MOST_PAGES_A_TAB and tab.clear()):
                self._tab = None
                tab.close()
        except DevtoolsError:
            done.is_last = True
        self._done = None

    def _shown(self, asked: RenderPage, page: _Page) -> Done:
        origin = origin_of(asked.url)
        if self._tab is not None and self._tab.origin != origin:
            self._tab.close()
            self._tab = None
        self._tab = self._tab or Tab(self._devtools, origin)
        return self._explored(self._tab, asked, page)

    def _explored(self, tab: Tab, asked: RenderPage, page: _Page) -> Done:
        moment = int(asked.moment * 1000) or int(time.time() * 1000)
        # A page that never ends loading is explored, too, in the time that is left.
        page.phases.begin("loading")
        tab.show(asked.url, page, moment, asked.seconds * 0.6)
        # A page that lacks files is rendered again with them: clicks would be lost until then.
        is_whole = not page.missing or asked.is_last
        done = Done(Ending.RENDERED)
        if asked.wants_picture and is_whole:
            page.phases.begin("picture")
            done.picture = self._picture(tab, asked)
        for frame, is_main in list(tab.frames())[:MOST_FRAMES]:
            options = {
                "token": TOKEN,
                "clicks": (asked.clicks if is_main else asked.clicks // 4) if is_whole else 0,
                "scrolls": SCROLLS if is_whole else 1,
                "milliseconds": max(200.0, self._left(asked) * (700 if is_main else 200)),
                "serialise": is_main,
            }
            page.phases.begin("reading" if is_main else "frames")
            if is_main:
                self._try_all(tab, frame, page, options, done)
            else:
                with suppress(DevtoolsError):
                    tab.explore(frame, options, self._left(asked))
        return done

    def _left(self, asked: RenderPage) -> float:
        """Return the seconds that are left for a page."""
        return asked.seconds - (time.monotonic() - self._began)

    def _picture(self, tab: Tab, asked: RenderPage) -> bytes:
        """Return a picture of the page before anything is clicked; nothing if that fails."""
        seconds = min(PICTURE_SECONDS, self._left(asked) / 2)
        options = {"token": TOKEN, "clicks": 0, "scrolls": SCROLLS, "milliseconds": seconds * 1000}
        try:
            for frame, is_main in tab.frames():
                if is_main:
                    tab.explore(frame, {**options, "serialise": False, "look": True}, seconds * 2)
            taken = tab.picture(PICTURE_WIDTH, PICTURE_HEIGHT, seconds)
        except (BrowserGone, PageGone):
            raise
        except DevtoolsError:
            return b""
        return taken if len(taken) <= MOST_PICTURE_BYTES else b""

    def _try_all(
        self, tab: Tab, frame: str, page: _Page, options: dict[str, Any], done: Done
    ) -> None:
        """Explore the page, and show it again if clicks have taken away elements not tried yet."""
        asked, tried = page.asked, list[str]()
        while True:
            said = tab.explore(frame, {**options, "skip": tried}, asked.seconds)
            done.clicked += said["clicked"]
            done.untried = len(said["lost"])
            tried += said["tried"]
            left = self._left(asked)
            options["clicks"] -= said["clicked"]
            has_room = done.reloads < MOST_RELOADS and left > asked.seconds / 3
            if not (said["lost"] and said["tried"] and options["clicks"] > 0 and has_room):
                return
            done.reloads += 1
            page.show_again()
            try:
                moment = int(asked.moment * 1000)
                tab.show(asked.url, page, moment, left * 0.5)
            except (BrowserGone, PageGone):
                raise
            except DevtoolsError:
                return  # what was found until now counts
            options |= {"serialise": False, "milliseconds": max(200.0, left * 500)}

    def _breached(self, why: str) -> None:
        """End everything; called by the guard while the page keeps the browser busy."""
        seconds, memory = time.monotonic() - self._began, self._guard.most_bytes
        with suppress(OSError):
            if self._done is not None:
                self._done.is_last = True
                send(self._end, self._done)
            else:
                phases = self._phases.seconds()
                done = Done(Ending(why), seconds=seconds, memory_bytes=memory, phases=phases)
                send(self._end, done)
        _end_everything(0)


def _link(how: str, url: str, text: str = "", rel: str = "", *_: object) -> FoundLink:
    return FoundLink(str(how)[:20], str(url)[:8000], str(text)[:200], str(rel)[:200])


def _cpu_seconds() -> float:
    """Return the CPU time of this process, of all below it and of those that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return cpu_seconds([os.getpid(), *below(os.getpid())])


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
    with suppress(DevtoolsError, BrokenPipeError):
        browser = launched(program, home, sandbox == "perhaps")
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
