"""The list of a crawl's URLs, one row each, with filters, order and cursor; and its numbers."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from lycosa.analysis.page_list.question import Question
from lycosa.analysis.triples.protocol import QueryReply
from lycosa.web.reading.requests import NO_COPY, PageCounts, PageRows, following_of
from lycosa.web.rest.operations import API, Call, Operation
from lycosa.web.rest.problems import Refusal, answered
from lycosa.web.rest.records import ListedCounts, ListedRows

SECONDS = 30.0
# Each of four bytes, written as `%F0%9F%95%B7`: together shorter than the longest request line.
_Name = Annotated[str, msgspec.Meta(max_length=300)]
_Words = Annotated[str, msgspec.Meta(max_length=500)]
_Cursor = Annotated[str, msgspec.Meta(max_length=30_000, pattern="^[A-Za-z0-9_=-]*$")]
_Sort = Literal[
    "url",
    "title",
    "outcome",
    "status",
    "type",
    "size",
    "depth",
    "fetched",
    "host",
    "language",
    "topic",
]


class ListFilters(msgspec.Struct, frozen=True):
    """Filters of the list; empty ones let everything through."""

    host: _Name = ""
    outcome: _Name = ""
    type: _Name = ""
    topic: _Name = ""
    text: _Words = ""
    """Words that must all stand in the title or the URL."""


class ListQuery(msgspec.Struct, frozen=True):
    """Filters, order and place in the list."""

    host: _Name = ""
    outcome: _Name = ""
    type: _Name = ""
    topic: _Name = ""
    text: _Words = ""
    """Words that must all stand in the title or the URL."""
    sort: _Sort = "fetched"
    order: Literal["ascending", "descending"] = "descending"
    cursor: _Cursor = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 50
    format: Literal["json", "csv"] = "json"


def list_urls(call: Call) -> Response:
    """Return rows of the list."""
    given = msgspec.structs.asdict(call.query)
    is_descending = given.pop("order") == "descending"
    form = given.pop("format")
    reply = _answered(call, PageRows(Question(is_descending=is_descending, **given), form))
    media_type, following = following_of(reply.text)
    headers = {}
    if call.query.format == "csv":
        headers["Content-Disposition"] = 'attachment; filename="pages.csv"'
        if following:
            values = msgspec.structs.asdict(call.query) | {"cursor": following}
            path = f"{API}/crawls/{call.path['name']}/page-list"
            headers["Link"] = f'<{path}?{urlencode(values)}>; rel="next"'
    return Response(reply.body, headers=headers, media_type=media_type)


def count_urls(call: Call) -> bytes:
    """Count the rows of the list."""
    return _answered(call, PageCounts(Question(**msgspec.structs.asdict(call.query)))).body


def _answered(call: Call, asked: PageRows | PageCounts) -> QueryReply:
    reply = answered(call.crawl.reading.ask(asked, SECONDS))
    if reply.text == NO_COPY:
        raise Refusal(409, f"{reply.body.decode()}\n  make it: POST page-list/copy")
    return reply


OPERATIONS = [
    Operation(
        "GET",
        "/crawls/{name}/page-list",
        list_urls,
        "URLs, one row each: the newest fetch, or what the log says.",
        ListedRows,
        ListQuery,
        media_types=("text/csv",),
    ),
    Operation(
        "GET",
        "/crawls/{name}/page-list/counts",
        count_urls,
        "Numbers of rows of that list, by outcome, type, topic and host.",
        ListedCounts,
        ListFilters,
    ),
]
