"""Requests of a page, and the answers that the browser gets to them.

The crawl has asked for a part by itself, without an origin and in its own time: headers that hold
for a connection or a visitor are taken off, and permissions for other origins put on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from lycosa.fetch.browser.protocol import Part

_DROPPED = frozenset(
    {
        "content-encoding",
        "content-length",
        "transfer-encoding",
        "connection",
        "content-disposition",
        "set-cookie",
        "strict-transport-security",
        "alt-svc",
        "report-to",
        "nel",
        "clear-site-data",
    }
)


class Asked(NamedTuple):
    """A request of a page."""

    url: str
    method: str
    kind: str
    """The type of the resource, as the protocol calls it; also `Icon` and `Prefetch`."""
    is_document: bool
    """Whether it would replace the document of the tab."""


class Answers(Protocol):
    """The receiver of what a tab asks for and tells of."""

    def answer(self, asked: Asked) -> Part | int | None:
        """Return a part, the status of an empty answer, or None for a refusal."""

    def told(self, is_main: bool, how: str, url: str, text: str, rel: str) -> None:
        """Take what a script of ours tells."""

    def thrown(self, text: str) -> None:
        """Take an error that a script of the page has not caught."""


def origin_of(url: str) -> str:
    """Return the origin of an HTTP URL."""
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc.rpartition('@')[2]}"


def kind_of(kind: str, sent: Mapping[str, str]) -> str:
    """Return the type of a resource; the protocol has one for icons and scripts of workers."""
    if "prefetch" in sent.get("sec-purpose", ""):
        return "Prefetch"
    is_icon = kind == "Other" and sent.get("accept", "").startswith("image/")
    return "Icon" if is_icon else kind


def headers_of(part: Part, url: str, sent: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the headers with which the browser gets a part."""
    headers = [(name, value) for name, value in part.headers if name.lower() not in _DROPPED]
    origin = sent.get("origin", "")
    has_permission = any(name.lower() == "access-control-allow-origin" for name, _ in headers)
    # The crawl has asked without an origin, so the server had no reason to permit one.
    if origin and origin != origin_of(url) and not has_permission:
        headers += [
            ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Allow-Credentials", "true"),
        ]
    return headers


def permission_for(sent: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the answer to the question whether another origin may ask."""
    return [
        ("Access-Control-Allow-Origin", sent.get("origin", "*")),
        ("Access-Control-Allow-Credentials", "true"),
        ("Access-Control-Allow-Methods", sent.get("access-control-request-method", "GET")),
        ("Access-Control-Allow-Headers", sent.get("access-control-request-headers", "*")),
    ]
