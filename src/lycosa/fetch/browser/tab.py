"""A tab of the browser: shows documents, hands their requests to the crawl, and runs our scripts.

A tab has a browser context of its own. Pages of one origin may be shown in it one after the other:
between two of them it shows an empty document of that origin, which ends all scripts of the last
page, and then everything that the page may have left is removed and looked for again: cookies,
storage, caches, the name of the window and its history.

Always true:
  * a page gets only what `answer` hands out, and stays where it is;
  * a tab that `clear` calls clean has nothing in it that a page has left;
  * a tab in which another origin had a frame, or a script a worker, is never called clean.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.fetch.browser.devtools import (
    Devtools,
    DevtoolsError,
    Params,
    TooLate,
)
from lycosa.fetch.browser.requests import (
    Answers,
    Asked,
    headers_of,
    kind_of,
    permission_for,
)

TOKEN = "lycosa" + os.urandom(6).hex()
_SCRIPTS = Path(__file__).parent / "scripts"
WIDTH, HEIGHT = 1280, 1600
CLEAR_SECONDS = 5.0
_FORGET = "Page.removeScriptToEvaluateOnNewDocument"
_PREPARE = "Page.addScriptToEvaluateOnNewDocument"
_LEFT = """(async () => {
  window.name = ""; sessionStorage.clear();
  const left = [document.cookie.length, localStorage.length, STATE.entries() - 1,
    (await indexedDB.databases()).length, window.caches ? (await caches.keys()).length : 0];
  return left.some((count) => count > 0);
})()"""
"""Whether the page before has left anything."""


class _Frame(NamedTuple):
    session: str
    context: int
    is_main: bool


class Tab:
    """A tab in a context of its own, for pages of one origin."""

    def __init__(self, devtools: Devtools, origin: str) -> None:
        self._devtools = devtools
        self.origin = origin
        self.pages = 0
        self._answers: Answers | None = None
        self._requests = 0
        self._before = (_SCRIPTS / "before.js").read_text("utf-8").replace("TOKEN", TOKEN)
        self._explore = (_SCRIPTS / "explore.js").read_text("utf-8").rstrip(";\n")
        self._moment = 0
        self._is_blank = True
        self._is_mixed = False
        """Whether a frame of another origin, or a worker, was there."""
        self._is_loaded = False
        self._session = self._target = ""
        self._script = ""
        """The number of our script in the main frame."""
        self._frames: dict[str, _Frame] = {}
        self._contexts: dict[tuple[str, int], str] = {}
        self._places: dict[str, str] = {}
        for event, handler in (
            ("Fetch.requestPaused", self._paused),
            ("Target.attachedToTarget", self._attached),
            ("Target.detachedFromTarget", self._detached),
            ("Inspector.targetCrashed", self._crashed),
            ("Page.loadEventFired", self._loaded),
            ("Page.frameNavigated", self._navigated),
            ("Page.frameDetached", self._frame_gone),
            ("Page.javascriptDialogOpening", self._dialog),
            ("Runtime.executionContextCreated", self._context_made),
            ("Runtime.executionContextDestroyed", self._context_gone),
            ("Runtime.executionContextsCleared", self._contexts_gone),
            ("Runtime.bindingCalled", self._called),
            ("Runtime.exceptionThrown", self._thrown),
        ):
            devtools.on(event, handler)
        found = devtools.call("Target.createBrowserContext", {"disposeOnDetach": True})
        self._context: str = found["browserContextId"]
        behaviour = {"behavior": "deny", "browserContextId": self._context}
        devtools.post("Browser.setDownloadBehavior", behaviour)
        place = {"browserContextId": self._context, "width": WIDTH, "height": HEIGHT}
        found = devtools.call("Target.createTarget", {"url": "about:blank", **place})
        self._target = found["targetId"]
        if not devtools.run_until(lambda: bool(self._session), 30.0):
            raise TooLate("the browser opened no tab")

    # -- pages ------------------------------------------------------------------------------

    def show(self, url: str, answers: Answers, moment: int, seconds: float) -> bool:
        """Show a document; return whether it has loaded in time."""
        if not self._is_blank:
            self._empty()
        if self._answers is not answers:
            self._answers, self._moment = answers, moment
            self.pages += 1
            self._prepare_page()
        self._is_blank = False
        return self._navigate(url, seconds)

    def _empty(self) -> None:
        """Show an empty document of the origin; the scripts of the one before have ended then."""
        self._is_blank = True
        if not self._navigate(f"{self.origin}/{TOKEN}", CLEAR_SECONDS):
            raise TooLate("the page does not give way")

    def _navigate(self, url: str, seconds: float) -> bool:
        self._is_loaded = False
        began = time.monotonic()
        try:
            told = self._devtools.call("Page.navigate", {"url": url}, self._session, seconds)
        except TooLate:
            return False
        if "errorText" in told:
            raise DevtoolsError(f"Page.navigate: {told['errorText']}")
        # Otherwise two steps back at once would lead out of the page.
        self._devtools.post("Page.resetNavigationHistory", {}, self._session)
        left = max(0.0, seconds - (time.monotonic() - began))
        return self._devtools.run_until(lambda: self._is_loaded, left, self._session)

    def clear(self) -> bool:
        """End the page and remove what it has left; return whether the tab is clean."""
        if self._is_mixed:
            return False
        devtools = self._devtools
        try:
            self._empty()
            what = {"origin": self.origin, "storageTypes": "all"}
            devtools.call("Storage.clearDataForOrigin", what, self._session, CLEAR_SECONDS)
            where = {"browserContextId": self._context}
            devtools.call("Storage.clearCookies", where, seconds=CLEAR_SECONDS)
            devtools.call("Network.clearBrowserCache", {}, self._session, CLEAR_SECONDS)
            left = _LEFT.replace("STATE", f"window.{TOKEN}State")
            asked = {"expression": left, "awaitPromise": True, "returnByValue": True}
            told = devtools.call("Runtime.evaluate", asked, self._session, CLEAR_SECONDS)
        except DevtoolsError:
            return False
        return told["result"].get("value") is False and not self._is_mixed

    def close(self) -> None:
        """Close the tab with its context; its processes end."""
        self._answers = None
        self._devtools.call("Target.disposeBrowserContext", {"browserContextId": self._context})

    def frames(self) -> Iterator[tuple[str, bool]]:
        """Return the frames with a document, the main one first, and whether they are it."""
        places = self._places
        main = [name for name, one in self._frames.items() if one.is_main]
        yield from ((name, True) for name in main)
        for name in list(self._frames):
            is_shown = places.get(name, "").startswith(("http:", "https:", "about:srcdoc"))
            if is_shown and name not in main:
                yield name, False

    def explore(self, frame: str, options: Mapping[str, Any], seconds: float) -> Params:
        """Let `explore.js` look at a frame; return what it says."""
        found = self._frames.get(frame)
        if found is None:
            raise DevtoolsError("the frame has no document")
        asked = {
            "functionDeclaration": self._explore,
            "executionContextId": found.context,
            "arguments": [{"value": options}],
            "awaitPromise": True,
            "returnByValue": True,
        }
        told = self._devtools.call("Runtime.callFunctionOn", asked, found.session, seconds)
        if "exceptionDetails" in told:
            thrown = told["exceptionDetails"]
            text = thrown.get("exception", {}).get("description") or thrown.get("text", "")
            raise DevtoolsError(text)
        value: Params = told["result"].get("value") or {}
        return value

    def picture(self, width: int, height: int, seconds: float) -> bytes:
        """Return a picture of the upper left corner, as PNG."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        asked = {"format": "png", "clip": clip, "optimizeForSpeed": False}
        told = self._devtools.call("Page.captureScreenshot", asked, self._session, seconds)
        return base64.b64decode(told["data"])

    # -- targets ----------------------------------------------------------------------------

    def _attached(self, parent: str, told: Params) -> None:
        target, session = told["targetInfo"], told["sessionId"]
        kind = target["type"]
        post = self._devtools.post
        if not parent and kind == "page":
            if self._session or target.get("openerId"):  # a window that a page has opened
                post("Target.closeTarget", {"targetId": target["targetId"]})
                return
            self._session, self._target = session, target["targetId"]
            size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
            post("Emulation.setDeviceMetricsOverride", size, session)
            post("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}, session)
            post("Network.setCacheDisabled", {"cacheDisabled": True}, session)
        elif parent or kind.endswith("worker"):
            self._is_mixed = True  # other targets are windows of the browser itself
        if kind in ("page", "iframe"):
            post("Page.enable", {}, session)
            post("Runtime.enable", {}, session)
            post("Runtime.addBinding", {"name": TOKEN}, session)
        if kind == "iframe":
            post(_PREPARE, {"source": self._source()}, session)
        follow = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        post("Target.setAutoAttach", follow, session)
        post("Runtime.runIfWaitingForDebugger", {}, session)

    def _source(self) -> str:
        return self._before.replace("MOMENT", str(self._moment))

    def _prepare_page(self) -> None:
        """Let our script, with the moment of the page, run before those of every document."""
        if self._script:
            what = {"identifier": self._script}
            self._devtools.call(_FORGET, what, self._session)
        told = self._devtools.call(_PREPARE, {"source": self._source()}, self._session)
        self._script = told["identifier"]

    def _detached(self, parent: str, told: Params) -> None:
        session = told["sessionId"]
        self._drop(lambda one: one.session == session)
        if session == self._session:
            self._devtools.lose(session)

    def _crashed(self, session: str, told: Params) -> None:
        self._devtools.lose(session)

    # -- frames -----------------------------------------------------------------------------

    def _loaded(self, session: str, told: Params) -> None:
        if session == self._session:
            self._is_loaded = True

    def _navigated(self, session: str, told: Params) -> None:
        frame = told["frame"]
        self._places[frame["id"]] = frame["url"]
        origin = frame.get("securityOrigin", "")
        if origin not in (self.origin, "://", "null", "") and not self._is_blank:
            self._is_mixed = True

    def _frame_gone(self, session: str, told: Params) -> None:
        if told.get("reason") != "swap":
            self._places.pop(told["frameId"], None)
            self._frames.pop(told["frameId"], None)

    def _context_made(self, session: str, told: Params) -> None:
        context = told["context"]
        about = context.get("auxData") or {}
        frame = about.get("frameId", "")
        if not frame or not about.get("isDefault"):
            return
        is_main = session == self._session and frame == self._target
        self._frames[frame] = _Frame(session, context["id"], is_main)
        self._contexts[session, context["id"]] = frame

    def _context_gone(self, session: str, told: Params) -> None:
        frame = self._contexts.pop((session, told["executionContextId"]), "")
        known = self._frames.get(frame)
        if known is not None and known[:2] == (session, told["executionContextId"]):
            del self._frames[frame]

    def _contexts_gone(self, session: str, told: Params) -> None:
        self._drop(lambda one: one.session == session)

    def _drop(self, is_gone: Callable[[_Frame], bool]) -> None:
        self._frames = {name: one for name, one in self._frames.items() if not is_gone(one)}
        left = {(one.session, one.context): name for name, one in self._frames.items()}
        self._contexts = left

    def _dialog(self, session: str, told: Params) -> None:
        self._devtools.post("Page.handleJavaScriptDialog", {"accept": False}, session)

    def _called(self, session: str, told: Params) -> None:
        frame = self._contexts.get((session, told["executionContextId"]))
        if frame is None or self._answers is None or self._is_blank or told["name"] != TOKEN:
            return
        try:  # a page may call it as well, with anything
            said = json.loads(told["payload"])
            how, url, text, rel = (str(one).encode("utf-8", "replace").decode() for one in said)
        except (ValueError, TypeError, RecursionError):
            return
        if how == "requests":
            # All that the frame has asked for before is answered by now.
            heard = f"window.{TOKEN}State.heard({self._requests})"
            where = {"expression": heard, "contextId": told["executionContextId"]}
            self._devtools.post("Runtime.evaluate", where, session)
            return
        known = self._frames.get(frame)
        self._answers.told(known is not None and known.is_main, how, url, text, rel)

    def _thrown(self, session: str, told: Params) -> None:
        if self._answers is not None and not self._is_blank:
            thrown = told["exceptionDetails"]
            text = thrown.get("exception", {}).get("description") or thrown.get("text", "")
            self._answers.thrown(str(text))

    # -- requests ---------------------------------------------------------------------------

    def _paused(self, session: str, told: Params) -> None:
        self._requests += 1
        request, number = told["request"], told["requestId"]
        url, method = request["url"].partition("#")[0], request["method"]
        sent = {name.lower(): value for name, value in request["headers"].items()}
        is_document = told["resourceType"] == "Document" and told["frameId"] == self._target
        if is_document and self._is_blank:
            self._fulfil(number, 200, [("Content-Type", "text/html")], b"<!DOCTYPE html>")
        elif self._is_blank or self._answers is None:
            self._refuse(number, "BlockedByClient")
        elif method == "OPTIONS" and "access-control-request-method" in sent:
            self._fulfil(number, 204, permission_for(sent), b"")
        else:
            kind = kind_of(told["resourceType"], sent)
            part = self._answers.answer(Asked(url, method, kind, is_document))
            if part is None:
                self._refuse(number, "Failed")
            elif isinstance(part, int):
                self._fulfil(number, part, [], b"")
            else:
                self._fulfil(number, part.status, headers_of(part, url, sent), part.body)

    def _refuse(self, number: str, why: str) -> None:
        self._devtools.post("Fetch.failRequest", {"requestId": number, "errorReason": why})

    def _fulfil(
        self, number: str, status: int, headers: list[tuple[str, str]], body: bytes
    ) -> None:
        answer = {
            "requestId": number,
            "responseCode": status,
            "responseHeaders": [{"name": name, "value": value} for name, value in headers],
            "body": base64.b64encode(body).decode(),
        }
        # A server may send a header that the browser does not take.
        self._devtools.post(
            "Fetch.fulfillRequest", answer, on_failure=lambda: self._refuse(number, "Failed")
        )
