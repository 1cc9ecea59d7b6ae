"""A crawl of a hostile little site, with its indexes, and the web server over it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from starlette.types import ASGIApp

from integration.small_servers import serving_site
from lycosa.cli.main import main
from lycosa.web.app import application
from lycosa.web.connections import ConnectionLimits
from lycosa.web.listening import WebServer, address_of, listen
from lycosa.web.rest.operations import API
from lycosa.web.security import Access
from lycosa.web.served import ServedCrawls

TOKEN = "a-token-of-the-tests-and-of-nobody-else"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
SCRIPT = "<script>window.broken=1</script><img src=x onerror=window.broken=2>"
ESCAPED = SCRIPT.replace("<", "&lt;").replace(">", "&gt;")
PAGES = 12


def hostile(path: str) -> tuple[int, str]:
    """Answer with pages whose title, text, links and structured data try to be markup."""
    if path == "/robots.txt":
        return 404, ""
    if path.startswith("/missing"):
        return 404, "nothing here"
    links = "".join(f"<a href='/page/{n}?x=%22%3E{SCRIPT[:8]}'>{ESCAPED}</a>" for n in range(PAGES))
    return 200, (
        f"<!doctype html><html lang=en><title>{ESCAPED} {path[:12]}</title>"
        f"<body vocab='http://schema.org/' typeof='Person'><p property=name>Ada {ESCAPED}</p>"
        f"<p>The analytical engine weaves patterns. {ESCAPED} 中文 𝔘 engine</p>"
        f"<a href='/'>home</a><a href='/missing'>gone</a>{links}</body></html>"
    )


def crawled(folder: Path) -> Path:
    """Crawl the hostile site into a folder, and index it."""
    with serving_site(hostile) as port:
        seed = f"http://127.0.0.1:{port}/"
        words = ["crawl", seed, "-o", str(folder), "--quiet", "--delay", "0.01s"]
        words += ["--set", "frontier.partitions=4", "--set", "crawl.workers=1"]
        assert main(words) == 0
    assert main(["index", str(folder)]) == 0
    return folder


def app_over(place: Path, origins: tuple[str, ...] = ()) -> tuple[ServedCrawls, ASGIApp]:
    """Return the application over a crawl or a folder of crawls; its user closes the crawls."""
    crawls = ServedCrawls(place)
    return crawls, application(crawls, Access(TOKEN, origins))


@contextmanager
def serving(place: Path) -> Iterator[str]:
    """Serve on a free port of loopback, in a thread; gives the address.

    The crawls and reports that it started are ended, too.
    """
    crawls, app = app_over(place)
    listener = listen("127.0.0.1", 0)
    server = WebServer(app, listener, f"http://{address_of(listener)}", ConnectionLimits())
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.end()
        thread.join(30)
        server.close()
        crawls.close()
        for process in crawls.children.running():
            process.terminate()
            process.wait(60)


def when_made(client: TestClient, kind: str) -> Any:
    """Return the state of what is made from the crawl `site` when its process has ended."""
    end = time.monotonic() + 120
    while (state := client.get(f"{API}/crawls/site/{kind}").json())["state"] == "making":
        assert time.monotonic() < end
        time.sleep(0.1)
    return state
