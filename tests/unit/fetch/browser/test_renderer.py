"""A browser that reaches nothing: it shows what it is handed, and tells of links."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.fetch.browser.protocol import Ending
from pictures import picture
from rendered import TestBrowser, test_browser

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestBrowser]:
    with test_browser(tmp_path_factory.mktemp("browser") / "home") as opened:
        yield opened


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[int, list[object]]]:
    """Return a port of this machine, and who has connected to it."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, address = server.accept()
                except OSError:
                    return
                came.append(address)
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)


def test_a_picture_shows_the_page_before_anything_is_clicked(browser: TestBrowser) -> None:
    page = """<link rel=stylesheet href=/style.css><body><div id=box></div><div id=made></div>
        <button onclick="document.body.innerHTML = '<h1>Clicked</h1>'">Open</button>
        <script>setTimeout(() => { made.textContent = ''; made.className = 'late' }, 900)</script>
        <div style="height: 5000px"></div>"""
    style = """body { margin: 0; background: #fff } div { width: 1280px; height: 100px }
        #box { background: rgb(10, 200, 30) } .late { background: rgb(200, 10, 30) }"""
    parts = {"http://www.page.test/style.css": ("text/css", style)}
    shown = browser.render(page, parts, wants_picture=True)
    assert shown.done.ending is Ending.RENDERED
    found = picture(shown.done.picture)
    assert (found.width, found.height) == (1280, 800)
    assert found.pixel(600, 50) == (10, 200, 30)
    assert found.pixel(600, 150) == (200, 10, 30)
    bare = browser.render(page, wants_picture=True, is_last=False)
    assert bare.done.missing == ["http://www.page.test/style.css"]
    assert bare.done.picture == b""  # the next round has the style sheet


@pytest.mark.quick
def test_scripts_make_links_and_text_and_navigations_are_only_told(browser: TestBrowser) -> None:
    page = """<title>Before</title><div id=root></div><button onclick="location.href='/away'">Go
        </button><script>document.title = 'After'; root.innerHTML = '<p>Made by a script</p>'
        + '<a href=made rel=nofollow>Made</a>'; history.pushState({}, '', '/state');
        fetch('/send', {method: 'POST'})</script>
        <form method=post action=/post><button>Send</button></form>"""
    shown = browser.render(page)
    assert shown.done.ending is Ending.RENDERED and not shown.done.missing
    assert "Made by a script" in shown.done.html and "<title>After</title>" in shown.done.html
    host = "http://www.page.test"
    assert shown.urls == {f"{host}/made", f"{host}/away", f"{host}/state"}
    assert {link.rel for link in shown.links if link.how == "anchor"} == {"nofollow"}
    assert shown.wanted == []  # what is not asked for by GET is never asked for


def test_missing_parts_are_told_and_those_that_have_come_are_used(browser: TestBrowser) -> None:
    page = "<script src=app.js></script><img src=picture.png><link rel=stylesheet href=style.css>"
    shown = browser.render(page, is_last=False)
    script = "http://www.page.test/folder/app.js"
    assert shown.done.missing == [script] and shown.done.parts == 3
    parts = {script: ("text/javascript", "import('./more.js')")}
    shown = browser.render(page, parts, is_last=False)
    more = "http://www.page.test/folder/more.js"
    assert shown.done.missing == [more]
    parts[more] = ("text/javascript", "document.body.innerHTML = '<a href=/there>There</a>'")
    shown = browser.render(page, parts, is_last=False)
    assert not shown.done.missing and shown.urls == {"http://www.page.test/there"}


def test_a_page_asks_for_the_same_parts_in_every_round(browser: TestBrowser) -> None:
    page = "<script>fetch('/list?at=' + Date.now() + '&n=' + Math.random())</script>"
    first, second = browser.render(page), browser.render(page)
    assert first.done.missing and first.done.missing == second.done.missing
    assert "at=1700000000000&" in first.done.missing[0]


def test_nothing_is_reached(
    browser: TestBrowser, listener: tuple[int, list[object]], tmp_path: Path
) -> None:
    port, came = listener
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret of this machine")
    page = f"""<iframe src="file://{secret}"></iframe><img src="http://127.0.0.1:{port}/image">
        <script>
        const say = (text) => document.body.append(text + ' ');
        say(typeof RTCPeerConnection); say(typeof WebTransport);
        fetch('http://127.0.0.1:{port}/fetch', {{mode: 'no-cors'}}).catch(() => say('no-fetch'));
        fetch('http://169.254.169.254/latest/').catch(() => say('no-metadata'));
        fetch('file://{secret}').then((r) => r.text()).then(say).catch(() => say('no-file'));
        new WebSocket('ws://127.0.0.1:{port}/').onclose = () => say('no-socket');
        new EventSource('http://127.0.0.1:{port}/events').onerror = () => say('no-events');
        navigator.sendBeacon('http://127.0.0.1:{port}/beacon', 'x');
        navigator.serviceWorker?.register('/worker.js').catch(() => say('no-service'));
        window.open('http://127.0.0.1:{port}/window');
        </script>"""
    shown = browser.render(page, {"http://www.page.test/worker.js": ("text/javascript", "1")})
    assert shown.done.ending is Ending.RENDERED
    text = shown.done.html.rpartition("</script>")[2]
    assert "undefined undefined" in text and "secret of this" not in shown.done.html
    assert {"no-fetch", "no-metadata", "no-file"} <= set(text.replace("<", " ").split())
    assert came == []
    assert all(link.startswith("http") for link in shown.wanted)


def test_an_endless_script_ends_with_its_links_and_leaves_nothing_running(
    browser: TestBrowser,
) -> None:
    browser.render("<p>A page that starts the browser</p>")
    before = browser.processes()
    assert len(before) > 2
    page = (
        "<script>history.pushState({}, '', '/before'); setTimeout(() => {for (;;) {}}, 1)</script>"
    )
    shown = browser.render(page, seconds=3.0)
    assert shown.done.ending is Ending.TIMED_OUT
    assert shown.urls == {"http://www.page.test/before"}
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{process}").exists() for process in before):
        assert time.monotonic() < deadline, "a process of the browser is left"
        time.sleep(0.05)
    assert browser.process.pid == 0
    shown = browser.render("<script>history.pushState({}, '', '/after')</script>")
    assert shown.done.ending is Ending.RENDERED and shown.urls == {"http://www.page.test/after"}
    assert os.getpid() not in browser.processes()


DOOR = """<div id=app></div><script>
    const door = (n) => { const a = document.createElement('a'); a.href = '/fo' + 'und/' + n;
      return a };
    const room = (n) => { app.innerHTML = '<p>room ' + n; app.append(door(n)) };
    const home = (open) => { app.innerHTML = ''; for (const n of 'abcd') {
      const one = document.createElement('button'); one.textContent = n;
      one.onclick = () => open(n); app.append(one) } };
    </script>"""
"""A page with four buttons; the room of each has one door, and no way back."""

EXPLORED = {
    "a click takes the other buttons away": (DOOR + "<script>home(room)</script>", "abcd"),
    "a click leads to another view": (
        DOOR + "<script>const show = () => location.pathname.startsWith('/room/')"
        " ? room(location.pathname.slice(6)) : home((n) => {"
        " history.pushState({}, '', '/room/' + n); show() }); addEventListener('popstate', show);"
        " show()</script>",
        "abcd",
    ),
    "a click leads to another fragment": (
        DOOR + "<script>const show = () => location.hash ? room(location.hash.slice(1))"
        " : home((n) => { location.hash = n }); addEventListener('hashchange', show);"
        " show()</script>",
        "abcd",
    ),
    "a click changes the button": (
        DOOR + "<button id=more>1</button><script>more.onclick = () => {"
        " app.append(door(more.textContent)); more.textContent = +more.textContent + 1 }</script>",
        "123",
    ),
    "a click makes a button that the next one takes away": (
        DOOR + "<button id=one>One</button><button id=two>Two</button><script>"
        "one.onclick = () => { const b = document.createElement('button'); b.textContent = 'In';"
        " b.onclick = () => document.body.append(door('a')); app.append(b) };"
        " two.onclick = () => { app.innerHTML = ''; document.body.append(door('b')) }</script>",
        "ab",
    ),
    "a click goes back": (
        DOOR + "<button onclick=history.back()>1</button><button onclick=history.go(-1)>2</button>"
        "<button onclick=location.reload()>3</button>"
        "<button onclick=\"document.body.append(door('a'))\">4</button>",
        "a",
    ),
}


@pytest.mark.parametrize("name", EXPLORED)
def test_everything_on_a_page_is_tried(browser: TestBrowser, name: str) -> None:
    page, rooms = EXPLORED[name]
    shown = browser.render(f"<p>What the page says first.</p>{page}")
    assert shown.done.ending is Ending.RENDERED, shown.done.detail
    assert "What the page says first." in shown.done.html
    found = {url.rpartition("/")[2] for url in shown.urls if "/found/" in url}
    assert found == set(rooms) and shown.done.untried == 0


def test_what_was_shown_stands_when_a_click_ends_the_browser(browser: TestBrowser) -> None:
    missing = "http://www.page.test/more.js"
    page = f"""<p>What the page says first.</p><a href=/kept>kept</a><script src={missing}></script>
        <button onclick="for (;;);">Open</button>"""
    shown = browser.render(page, seconds=4.0)
    assert shown.done.ending is Ending.TIMED_OUT
    assert "What the page says first." in shown.done.html
    assert shown.urls == {"http://www.page.test/kept"} and shown.done.missing == [missing]


HOSTILE = {
    "alerts": ("<script>for (;;) alert('again')</script>", Ending.TIMED_OUT),
    "late alerts": (
        "<script>setInterval(() => alert('again'), 1); onbeforeunload = () => 'stay'</script>",
        Ending.RENDERED,
    ),
    "heap": (
        "<script>const a = []; for (;;) a.push('x'.repeat(1e6) + Math.random())</script>",
        Ending.CRASHED,
    ),
    "buffers": (
        "<script>const a = []; setInterval(() => { const b = new Uint8Array(2e8); b.fill(1);"
        " a.push(b) }, 10); for (let i = 0; i < 30; i++) { const b = new Uint8Array(1e8);"
        " b.fill(1); a.push(b) }</script>",
        Ending.OUT_OF_MEMORY,
    ),
    "download": (
        "<a id=a download=x.bin href='data:application/octet-stream,xxxx'>x</a>"
        "<script>a.click(); location.href = '/file.bin'</script>",
        Ending.RENDERED,
    ),
    "navigations": (
        "<script>let i = 0; setInterval(() => { location.href = '/n' + i++ }, 1)</script>",
        Ending.RENDERED,
    ),
    "windows": (
        "<script>setInterval(() => window.open('/w'), 1); setInterval(() => open('/v'), 1)"
        "</script>",
        Ending.RENDERED,
    ),
    "reload": ("<script>location.reload()</script>", Ending.RENDERED),
    "growth": (
        "<script>setInterval(() => { for (let i = 0; i < 200; i++)"
        " document.body.append(document.createElement('p')) }, 1)</script>",
        Ending.RENDERED,
    ),
    "workers": (
        "<script>for (let i = 0; i < 20; i++) new Worker(URL.createObjectURL(new Blob(["
        "'for (;;) {}'])))</script>",
        Ending.RENDERED,
    ),
    "own crash": ("<script>location.href = 'chrome://crash'</script>", Ending.RENDERED),
    "frames": (
        "<script>for (let i = 0; i < 300; i++) { const f = document.createElement('iframe');"
        " f.srcdoc = '<a href=/' + i + '>x</a>'; document.body.append(f) }</script>",
        Ending.RENDERED,
    ),
}


@pytest.mark.soak
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_have_named_ends(browser: TestBrowser, name: str) -> None:
    page, expected = HOSTILE[name]
    memory = 1_200_000_000 if name == "buffers" else 4_000_000_000
    shown = browser.render(page, seconds=12.0, memory_bytes=memory)
    ends = {expected}
    if name in ("heap", "growth", "workers", "frames"):  # a busy machine may take too long
        ends |= {Ending.TIMED_OUT, Ending.OUT_OF_MEMORY}
    assert shown.done.ending in ends, shown.done.detail
    after = browser.render("<script>history.pushState({}, '', '/after')</script>")
    assert after.done.ending is Ending.RENDERED, after.done.detail
