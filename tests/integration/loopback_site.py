"""A site of a few lines on loopback, in a thread, and a job for it without pauses of its own."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

from lycosa import Job

Site = TypeVar("Site", bound="LoopbackSite")


class LoopbackSite(ThreadingHTTPServer):
    """Listens on a free port; a class of `Answers` answers."""

    daemon_threads = True

    def __init__(
        self, answers: type[Answers], robots: str = "", tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), answers)
        self.scheme = "http" if tls is None else "https"
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.robots = robots

    @property
    def url(self) -> str:
        """The front page."""
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that were killed."""


class Answers(BaseHTTPRequestHandler):
    """Answers requests for a site."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.get()

    def do_POST(self) -> None:
        self.post()

    def get(self) -> None:
        """Answer a GET."""
        raise NotImplementedError

    def post(self) -> None:
        """Answer a POST."""
        raise NotImplementedError

    def send(
        self, status: int, text: str, kind: str = "text/html", *headers: tuple[str, str]
    ) -> None:
        """Send a whole answer."""
        body = text.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def send_robots(self, robots: str) -> None:
        """Send a robots file; "" means that there is none."""
        self.send(200 if robots else 404, robots, "text/plain")

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def served(site: Site) -> Iterator[Site]:
    """Serve a site while the block runs."""
    with site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()


def quick_job(site: LoopbackSite, delay: float = 0.0, **more: Any) -> Job:
    """Return a job that asks this site's pages, and no others, with one pause."""
    return Job.of(
        seeds=[site.url],
        fetch={"allow_private": True, **more.pop("fetch", {})},
        politeness={
            "delay_seconds": delay,
            "large_site_delay_seconds": delay,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
        },
        discovery={"mining": "off"},
        extract={"soft_404_after": 0},
        robots={"sitemaps": False},
        limits={"seconds": 60.0, "free_disk_bytes": 0, **more.pop("limits", {})},
        **more,
    )
