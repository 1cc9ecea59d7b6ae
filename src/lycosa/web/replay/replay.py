"""Shows the pages of a crawl in a browser, as they were: an archive and a player, nothing else.

Archived pages run their scripts, so they have an origin of their own: another port than
`lycosa serve`, with no API, no token and no cookie there. The player is the user's own copy of
ReplayWeb.page (npm's `replaywebpage`), which reads the archive by ranges.

    /               a page with the player in it
    /replay/        waits for the service worker, which answers here from then on
    /replay/ui.js   the player
    /replay/sw.js   the service worker, which answers for archived pages (`replay_worker`)
    /replay/player-worker.js
                    the player's own, which that one loads
    /crawl.wacz     the archive, read from the segments in place (`storage.wacz`)

Requests with another host name than the server's own are refused, so that no name that is bound to
this machine later can read the archive.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lycosa.errors import LycosaError, StoreError
from lycosa.storage.wacz.virtual import VirtualWacz
from lycosa.web.connections import ConnectionLimits
from lycosa.web.listening import WebServer, listen
from lycosa.web.replay.first_script import ALLOWLIST, FIRST_ELEMENT
from lycosa.web.replay.service_worker import PLAYER_WORKER, worker

OWN_NAMES = frozenset({"replay.localhost", "localhost", "127.0.0.1", "[::1]"})
PLAYER_FILES = {"ui.js": "ui.js", PLAYER_WORKER: "sw.js"}
"""The files of the player, by their names here."""
WACZ = "/crawl.wacz"

_BLOCK_BYTES = 1 << 18
_MOST_HELD_BYTES = 256 * 2 * _BLOCK_BYTES
"""Most blocks of all connections together that wait for slow readers."""
_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))", re.ASCII)
_WALL = (
    "default-src 'self' blob: data: 'unsafe-inline' 'unsafe-eval'; object-src 'none'; "
    "frame-src 'self'; form-action 'self'"
)
"""The policy of all answers: archived pages, the player's page, its workers. Frames of blob: and
data: have no first script (`replay_first`).
"""
_POLICY = _WALL + "; frame-ancestors 'none'; base-uri 'none'"
_SANDBOX = "sandbox allow-downloads"
"""The policy of answers that are not HTML: in a frame they are documents without a first script."""
_FRAMES = ("document", "embed", "frame", "iframe", "object")
_HEADERS = {
    "cache-control": "no-store",
    "connection-allowlist": ALLOWLIST,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
{first}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: replay</title>
<style>html, body, replay-web-page {{ display: block; height: 100%; margin: 0 }}</style>
<script src="/replay/ui.js"></script>
<replay-web-page source="{source}" replayBase="/replay/" deepLink{start}></replay-web-page>
</html>
"""


_WAITING = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
{FIRST_ELEMENT}
<title>the player starts</title>
<script>navigator.serviceWorker.ready.then(() => location.reload())</script>
<p>The player starts.</p>
</html>
"""
"""The page for a frame of the player that asks before the service worker is ready."""


def require_player(folder: Path) -> None:
    """Raise an error that says how to get the player, unless it is there."""
    missing = [name for name in PLAYER_FILES.values() if not (folder / name).is_file()]
    if missing:
        raise LycosaError(
            f"{folder}: has no {' and no '.join(missing)}, so it is not a copy of ReplayWeb.page\n"
            "  get one: npm pack replaywebpage && tar xzf replaywebpage-*.tgz\n"
            "  it unpacks to the folder `package`: --player package"
        )


def replay_app(wacz: VirtualWacz, player: Path, names: Collection[str] = OWN_NAMES) -> ASGIApp:
    """Return the application for one archive; `names` are the host names that it answers to."""
    require_player(player)

    async def page(request: Request) -> Response:
        title = html.escape(wacz.folder.resolve().name)
        # The player caches by address, so each archive needs one of its own: hence the digest.
        source = f"{WACZ}?{wacz.digest[:16]}"
        start = f' url="{html.escape(wacz.main_page)}"' if wacz.main_page else ""
        shown = _PAGE.format(first=FIRST_ELEMENT, title=title, source=source, start=start)
        return HTMLResponse(shown, headers={"content-security-policy": _POLICY})

    async def waiting(request: Request) -> Response:
        return HTMLResponse(_WAITING, headers={"content-security-policy": _WALL})

    async def own_worker(request: Request) -> Response:
        return _script(request, worker(_WALL))

    def part(request: Request) -> Response:
        try:
            content = (player / PLAYER_FILES[request.path_params["name"]]).read_bytes()
        except (KeyError, OSError):
            return PlainTextResponse("the player has no such file\n", 404)
        return _script(request, content)

    async def archive(request: Request) -> Response:
        return _archive(wacz, request)

    routes = [
        Route("/", page),
        Route("/replay/", waiting),
        Route("/replay/sw.js", own_worker),
        Route("/replay/{name}", part),
        Route(WACZ, archive),
    ]
    return _Wall(Router(routes, redirect_slashes=False), names)


class _Wall:
    """Refuses other host names, and adds the headers that all answers have."""

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def walled(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("content-security-policy", _SANDBOX)
            await send(message)

        app = self._app
        # a foreign name that resolves to this machine must not read the archive (DNS rebinding)
        if scope["type"] == "http" and _host_name(scope) not in self._names:
            app = PlainTextResponse("this host name does not belong to the replay server\n", 421)
        await app(scope, receive, walled)


def _host_name(scope: Scope) -> str:
    return re.sub(r":\d+$", "", Headers(scope=scope).get("host", "").lower())


def _script(request: Request, content: bytes) -> Response:
    """Return a script; in a frame it is a document without a first script, so it gets a sandbox."""
    is_framed = request.headers.get("sec-fetch-dest") in _FRAMES
    # not as a worker: the sandbox would end it
    headers = {"content-security-policy": f"{_WALL}; {_SANDBOX}" if is_framed else _WALL}
    return Response(content, headers=headers, media_type="text/javascript")


def _archive(wacz: VirtualWacz, request: Request) -> Response:
    """Return the archive or a range of it (RFC 9110 section 14)."""
    told = {"accept-ranges": "bytes", "etag": f'"{wacz.digest}"'}
    asked = _RANGE.fullmatch(request.headers.get("range", "").strip())
    if asked is None or request.headers.get("if-range", told["etag"]) != told["etag"]:
        return _Piece(wacz, range(wacz.size), 200, told)
    first, last, of_end = asked.groups()
    if of_end is not None:
        start, stop = max(0, wacz.size - int(of_end)), wacz.size
    else:
        start, stop = int(first), min(int(last) + 1 if last else wacz.size, wacz.size)
    if start >= stop:
        told = {"content-range": f"bytes */{wacz.size}"}
        return PlainTextResponse("there is no such range\n", 416, told)
    told["content-range"] = f"bytes {start}-{stop - 1}/{wacz.size}"
    return _Piece(wacz, range(start, stop), 206, told)


class _Piece(StreamingResponse):
    """A range of the archive, sent block by block until the browser has had enough."""

    media_type = "application/wacz"

    def __init__(
        self, wacz: VirtualWacz, asked: range, status: int, headers: dict[str, str]
    ) -> None:
        super().__init__((), status, {**headers, "content-length": str(len(asked))})
        self._wacz = wacz
        self._asked = asked

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            await Response(status_code=self.status_code, headers=self.headers)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        for first in self._asked[::_BLOCK_BYTES]:
            stop = min(first + _BLOCK_BYTES, self._asked.stop)
            try:
                block = await run_in_threadpool(self._wacz.bytes, first, stop)
            except StoreError:
                # A host was forgotten meanwhile: the bytes that follow do not belong to this
                # archive. The server ends the connection before the length that was told.
                return
            more = stop < self._asked.stop
            await send({"type": "http.response.body", "body": block, "more_body": more})


def replay_server(wacz: VirtualWacz, player: Path, host: str, port: int) -> WebServer:
    """Return a server for one archive that listens already."""
    own = f"[{host}]" if ":" in host else host.lower()
    app = replay_app(wacz, player, OWN_NAMES | {own})
    listener = listen(host, port)
    port = listener.getsockname()[1]
    # a name of its own keeps the browser's storage apart from that of other ports
    shown = "replay.localhost" if host in ("127.0.0.1", "localhost") else own
    limits = ConnectionLimits(most_held_bytes=_MOST_HELD_BYTES)
    return WebServer(app, listener, f"http://{shown}:{port}/", limits)
