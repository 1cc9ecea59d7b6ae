"""Exchanges for the tests of the store."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lycosa.model.records import (
    Answer,
    Capture,
    KeyedLink,
    LinkKind,
    Links,
    Outcome,
    Purpose,
    Request,
    Target,
)
from lycosa.model.url.key import host_of, url_of
from lycosa.storage.archive.layout import warc_names, warc_path
from lycosa.storage.tables.rows import url_id
from warc_tools import ask_fastwarc, ask_warcio


def chunked(body: bytes, size: int = 100) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def answer(
    body: bytes,
    status: int = 200,
    began: float = 1.7e9,
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),),
    sent: bytes | None = None,
    truncated: bool = False,
) -> Answer:
    """Return an answer with head and bytes as a server sends them."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"HTTP/1.1 {status} Whatever\r\n{lines}\r\n".encode("latin-1")
    asked = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"
    raw = body if sent is None else sent
    return Answer(status, headers, body, began, began + 0.25, None, truncated, asked, head, raw)


def links_to(
    keys: Iterable[str],
    kind: LinkKind = LinkKind.ANCHOR,
    texts: list[str] | None = None,
    rel: str = "",
    times: int = 1,
) -> Links:
    """Return links of one sort."""
    targets = [Target(key, url_of(key), url_id(key)) for key in keys]
    count = len(targets)
    return Links(
        targets, [int(kind)] * count, texts or [""] * count, [rel] * count, [times] * count
    )


def keyed(links: Links) -> list[KeyedLink]:
    """Return what a store gives back of links."""
    return [
        KeyedLink(target.key, LinkKind(kind))
        for target, kind in zip(links.targets, links.kinds, strict=True)
    ]


def capture(
    number: int,
    body: bytes | None = None,
    *,
    key: str = "",
    outcome: Outcome = Outcome.KEPT,
    purpose: Purpose = Purpose.PAGE,
    reply: Answer | None = None,
    links: int = 3,
) -> Capture:
    """Return an exchange about the page of a number."""
    key = key or f"org.example:/page/{number}"
    if body is None:
        body = f"<html>{number} ".encode() * 30
    return Capture(
        key,
        purpose,
        outcome,
        21,
        Request(url_of(key), host_of(key), "192.0.2.7:80", purpose, "Lycosa", 10**7),
        reply or answer(body, began=1.7e9 + number),
        links_to(
            [f"org.example:/page/{number + step}" for step in range(1, links + 1)],
            texts=[f"to {step}" for step in range(1, links + 1)],
            rel="next",
            times=2,
        ),
        f"Page {number}",
        "About a page",
        f"The text of page {number}.".encode(),
        "en",
        "utf-8",
        (1 << 63) + number,
    )


def failure(number: int) -> Capture:
    """Return an exchange that failed beneath HTTP."""
    reply = Answer(0, (), b"", 1.7e9 + number, 1.7e9 + number + 1, Outcome.TIMEOUT)
    return capture(number, outcome=Outcome.TIMEOUT, reply=reply, links=0)


def robots(number: int) -> Capture:
    """Return the fetch of a robots file."""
    body = f"User-agent: *\nDisallow: /{number}\n".encode()
    key = f"org.example.h{number}:/robots.txt"
    return capture(number, body, key=key, purpose=Purpose.ROBOTS, links=0)


def check_archive(folder: Path, *, has_revisits: bool = False, has_brotli: bool = False) -> None:
    """Let the tools of others judge every file of records.

    fastwarc takes a revisit's payload for empty; warcio decodes what it need not, and fails
    with the brotli of today.
    """
    for name in warc_names(folder):
        path = warc_path(folder, name)
        ask_fastwarc(path, with_payloads=not has_revisits)
        if not has_brotli:
            ask_warcio(path)
