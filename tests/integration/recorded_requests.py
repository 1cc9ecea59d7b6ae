"""A server that records the requests that it gets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from integration.small_servers import Asked, Told, serving_answers


@contextmanager
def recording(page: str = "end") -> Iterator[tuple[int, list[str]]]:
    """Serve one page, with a cookie; gives the port, and path and headers of all requests."""
    requests: list[str] = []

    def answer(asked: Asked) -> Told:
        requests.append(f"{asked.path}\n{asked.headers}")
        cookie = {"Set-Cookie": f"session=of-{asked.port}; Path=/"}
        return Told(404, "", cookie) if asked.path == "/robots.txt" else Told(200, page, cookie)

    with serving_answers(answer) as port:
        yield port, requests
