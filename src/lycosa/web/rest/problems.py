"""Errors as JSON (RFC 9457), `application/problem+json`; also those of answering processes."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from lycosa.analysis.triples.protocol import QueryReply
from lycosa.web.rest.records import Problem

MEDIA_TYPE = "application/problem+json"
LARGEST_BODY_BYTES = 1_000_000
STATUSES = {
    "refused": 422,
    "not-acceptable": 406,
    "too-large": 413,
    "too-slow": 503,
    "busy": 503,
    "failed": 500,
    "unguarded": 500,
}
"""The statuses of replies that are not answers."""
DETAILS = {
    404: "there is nothing at this path",
    405: "this path has other methods",
    413: f"a request has at most {LARGEST_BODY_BYTES:,} bytes",
}


class Refusal(Exception):
    """An error response; raised by operations, and sent by the layer that calls them."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


def answered(reply: QueryReply, statuses: Mapping[str, int] = STATUSES) -> QueryReply:
    """Return a reply that is an answer; raise `Refusal` for any other."""
    if reply.kind != "answer":
        raise Refusal(statuses.get(reply.kind, 500), reply.text)
    return reply


def problem(status: int, detail: str = "", headers: dict[str, str] | None = None) -> Response:
    """Return an error."""
    title = HTTPStatus(status).phrase
    content = msgspec.json.encode(Problem("about:blank", title, status, detail))
    given = dict(headers or {})
    if status == 401:
        given.setdefault("WWW-Authenticate", "Bearer")
    if status == 503:
        given.setdefault("Retry-After", "5")
    return Response(content, status, given, MEDIA_TYPE)


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer an error of the framework: an unknown path, a wrong method, a client that has left."""
    status = getattr(error, "status_code", 500)
    return problem(status, DETAILS.get(status, ""), getattr(error, "headers", None))
