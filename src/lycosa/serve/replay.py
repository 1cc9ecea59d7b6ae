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
    /crawl.wacz     the archive, read from the segments in place (`store.wacz`)

`replay_app` makes an ASGI application; `Replay` runs it. Requests with another host name than those
given are refused, so that no name that is bound to this machine later can read the archive.
"""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.errors import LycosaError, StoreError
from lycosa.serve.replay_first import ALLOWLIST, FIRST_ELEMENT
from lycosa.serve.replay_worker import PLAYER_WORKER, worker
from lycosa.store.wacz.virtual import VirtualWacz

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

OWN_NAMES = frozenset({"replay.localhost", "localhost", "127.0.0.1", "[::1]"})
PLAYER_FILES = {"/replay/ui.js": "ui.js", f"/replay/{PLAYER_WORKER}": "sw.js"}
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
_SCRIPT = {"content-type": "text/javascript; charset=utf-8"}
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


class Answer(NamedTuple):
    """An answer before it is sent: bytes, or a range of the archive."""

    status: int
    headers: dict[str, str]
    body: bytes = b""
    start: int = 0
    stop: int = 0


def require_player(folder: Path) -> None:
    """Raise an error that says how to get the player, unless it is there."""
    missing = [name for name in PLAYER_FILES.values() if not (folder / name).is_file()]
    if missing:
        raise LycosaError(
            f"{folder}: has no {' and no '.join(missing)}, so it is not a copy of ReplayWeb.page\n"
            "  get one: npm pack replaywebpage && tar xzf replaywebpage-*.tgz\n"
            "  it unpacks to the folder `package`: --player package"
        )


def replay_app(wacz: VirtualWacz, player: Path, names: Collection[str] = OWN_NAMES) -> App:
    """Return the application for one archive; `names` are the host names that it answers to."""
    require_player(player)

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answer = _answer(scope, wacz, player, names)
        await _send(answer, wacz, scope["method"] == "HEAD", receive, send)

    return app


def _answer(scope: Message, wacz: VirtualWacz, player: Path, names: Collection[str]) -> Answer:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    # a foreign name that resolves to this machine must not read the archive (DNS rebinding)
    if _without_port(headers.get("host", "")) not in names:
        return _text(421, "this host name does not belong to the replay server\n")
    if scope["method"] not in ("GET", "HEAD"):
        return _text(405, "only GET and HEAD\n", allow="GET, HEAD")
    path = scope["path"]
    # The sandbox of a worker's script would end the worker, so scripts have it in frames alone.
    policy = f"{_WALL}; {_SANDBOX}" if headers.get("sec-fetch-dest") in _FRAMES else _WALL
    script = {**_SCRIPT, "content-security-policy": policy}
    if path == "/":
        return _page(wacz)
    if path == "/replay/":
        return _html(_WAITING, _WALL)
    if path == "/replay/sw.js":
        return Answer(200, script, worker(_WALL))
    if path in PLAYER_FILES:
        try:
            content = (player / PLAYER_FILES[path]).read_bytes()
        except OSError:
            return _text(404, "the player is gone\n")
        return Answer(200, script, content)
    if path == WACZ:
        return _archive(wacz, headers)
    return _text(404, "nothing is here\n")


def _without_port(host: str) -> str:
    return re.sub(r":\d+$", "", host.lower())


def _text(status: int, text: str, **headers: str) -> Answer:
    told = {"content-type": "text/plain; charset=utf-8", "content-security-policy": _SANDBOX}
    return Answer(status, told | headers, text.encode())


def _page(wacz: VirtualWacz) -> Answer:
    title = html.escape(wacz.folder.resolve().name)
    # The player caches by address, so each archive needs one of its own: hence the digest.
    source = f"{WACZ}?{wacz.digest[:16]}"
    start = f' url="{html.escape(wacz.main_page)}"' if wacz.main_page else ""
    page = _PAGE.format(first=FIRST_ELEMENT, title=title, source=source, start=start)
    return _html(page, _POLICY)


def _html(text: str, policy: str) -> Answer:
    kind = "text/html; charset=utf-8"
    return Answer(200, {"content-type": kind, "content-security-policy": policy}, text.encode())


def _archive(wacz: VirtualWacz, headers: dict[str, str]) -> Answer:
    """Return the archive or a range of it (RFC 9110 section 14)."""
    told = {
        "content-type": "application/wacz",
        "content-security-policy": _SANDBOX,
        "accept-ranges": "bytes",
        "etag": f'"{wacz.digest}"',
    }
    asked = _RANGE.fullmatch(headers.get("range", "").strip())
    if headers.get("if-range", told["etag"]) != told["etag"]:
        asked = None
    if asked is None:
        return Answer(200, told, b"", 0, wacz.size)
    first, last, of_end = asked.groups()
    if of_end is not None:
        start, stop = max(0, wacz.size - int(of_end)), wacz.size
    else:
        start, stop = int(first), min(int(last) + 1 if last else wacz.size, wacz.size)
    if start >= stop:
        return _text(416, "there is no such range\n", **{"content-range": f"bytes */{wacz.size}"})
    told["content-range"] = f"bytes {start}-{stop - 1}/{wacz.size}"
    return Answer(206, told, b"", start, stop)


async def _send(
    answer: Answer, wacz: VirtualWacz, is_head: bool, receive: Receive, send: Send
) -> None:
    size = len(answer.body) or answer.stop - answer.start
    headers = {
        **answer.headers,
        "content-length": str(size),
        "cache-control": "no-store",
        "connection-allowlist": ALLOWLIST,
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    listed = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": listed})
    if answer.stop and not is_head:
        await _send_range(answer, wacz, receive, send)
    else:
        await send({"type": "http.response.body", "body": b"" if is_head else answer.body})


async def _send_range(answer: Answer, wacz: VirtualWacz, receive: Receive, send: Send) -> None:
    """Send a range block by block, until the browser has had enough."""
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        for start in range(answer.start, answer.stop, _BLOCK_BYTES):
            if gone.done():
                return
            stop = min(start + _BLOCK_BYTES, answer.stop)
            try:
                block = await asyncio.to_thread(wacz.bytes, start, stop)
            except StoreError:
                # A host was forgotten meanwhile: the bytes that follow do not belong to this
                # archive.
                return
            more = stop < answer.stop
            await send({"type": "http.response.body", "body": block, "more_body": more})
    finally:
        gone.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Replay:
    """A running replay server."""

    def __init__(self, wacz: VirtualWacz, player: Path, host: str, port: int) -> None:
        from lycosa.serve.listening import listen  # uvicorn is an extra

        names = OWN_NAMES | {f"[{host}]" if ":" in host else host.lower()}
        app = replay_app(wacz, player, names)
        self._socket = listen(host, port)
        is_loopback = host in ("127.0.0.1", "localhost")
        shown = "replay.localhost" if is_loopback else f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self._socket.getsockname()[1]}/"
        self._app = app

    def run(self) -> None:
        """Serve until the process is interrupted."""
        from lycosa.serve.connections import ConnectionLimits
        from lycosa.serve.listening import bounded_server

        limits = ConnectionLimits(most_held_bytes=_MOST_HELD_BYTES)
        bounded_server(self._app, limits).run(sockets=[self._socket])

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()
