"""A URL: explanation, captures, and their bodies, which are always sent as downloads."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from lycosa._support.decoders import json_decoder
from lycosa.web.reading.requests import Capture, Explain
from lycosa.web.rest.operations import Call, Operation
from lycosa.web.rest.problems import answered
from lycosa.web.rest.records import CaptureList, UrlFacts

SECONDS = 60.0
_Url = Annotated[str, msgspec.Meta(min_length=1, max_length=8000)]
_NAMES = {
    "body": "body.bin",
    "headers": "headers.txt",
    "text": "text.txt",
    "screenshot": "page.png",
}


class UrlQuery(msgspec.Struct, frozen=True):
    """A URL of the crawl."""

    url: _Url


class CaptureQuery(msgspec.Struct, frozen=True):
    """An answer of a URL."""

    url: _Url
    fetch_id: Annotated[str, msgspec.Meta(max_length=40)] = ""
    """The id of a fetch; if empty, the newest stored one."""


def explain_url(call: Call) -> bytes:
    """Return everything that is known about a URL."""
    return answered(call.crawl.reading.ask(Explain(call.query.url), SECONDS)).body


def list_captures(call: Call) -> CaptureList:
    """Return the fetches of a URL."""
    facts = json_decoder(UrlFacts).decode(explain_url(call))
    return CaptureList(facts.url, facts.captures)


def _part(call: Call, part: Literal["body", "headers", "text", "screenshot"]) -> Response:
    asked = Capture(call.query.url, part, call.query.fetch_id)
    reply = answered(call.crawl.reading.ask(asked, SECONDS))
    # Never shown: a page shown on this origin could use the user's token.
    headers = {
        "Content-Disposition": f'attachment; filename="{_NAMES[part]}"',
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return Response(reply.body, headers=headers, media_type=reply.text)


def get_capture_body(call: Call) -> Response:
    """Return the body of an answer."""
    return _part(call, "body")


def get_capture_headers(call: Call) -> Response:
    """Return status line and headers of an answer."""
    return _part(call, "headers")


def get_capture_text(call: Call) -> Response:
    """Return the visible text of a page."""
    return _part(call, "text")


def get_capture_screenshot(call: Call) -> Response:
    """Return the newest picture of a page that was rendered."""
    return _part(call, "screenshot")


def _capture(part: str, act: object, summary: str, media_type: str) -> Operation:
    return Operation(
        "GET",
        f"/crawls/{{name}}/captures/{part}",
        act,  # type: ignore[arg-type]
        summary,
        query=CaptureQuery,
        media_types=(media_type,),
    )


OPERATIONS = [
    Operation(
        "GET",
        "/crawls/{name}/url",
        explain_url,
        "The source of a URL, its history, and the reason why it waits.",
        UrlFacts,
        UrlQuery,
    ),
    Operation(
        "GET", "/crawls/{name}/captures", list_captures, "Fetches of a URL.", CaptureList, UrlQuery
    ),
    _capture("body", get_capture_body, "A stored body.", "application/octet-stream"),
    _capture("headers", get_capture_headers, "Headers as they were sent.", "text/plain"),
    _capture("text", get_capture_text, "The visible text.", "text/plain"),
    _capture("screenshot", get_capture_screenshot, "A picture of the page.", "image/png"),
]
