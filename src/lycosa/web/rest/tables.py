"""Rows of pages, links and hosts, with cursors, as JSON, CSV or Parquet; and the hosts' states."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from lycosa.web.reading.requests import Hosts, Rows, following_of
from lycosa.web.rest.operations import API, Call, Operation
from lycosa.web.rest.problems import answered
from lycosa.web.rest.records import HostList, TableRows

SECONDS = 60.0
_Limit = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
_Text = Annotated[str, msgspec.Meta(max_length=2000)]
_CSV, _PARQUET = "text/csv", "application/vnd.apache.parquet"


class RowsQuery(msgspec.Struct, frozen=True):
    """A selection of rows, and their format."""

    format: Literal["json", "csv", "parquet"] = "json"
    cursor: _Text = ""
    limit: _Limit = 100
    host: _Text = ""
    outcome: _Text = ""
    prefix: _Text = ""


class HostsQuery(msgspec.Struct, frozen=True):
    """A selection of hosts."""

    filter: _Text = ""
    sort: Literal["host", "kept", "pending", "due", "state"] = "pending"
    order: Literal["ascending", "descending"] = "descending"
    cursor: _Text = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50


def _rows(call: Call, table: str) -> Response:
    asked = Rows(table, **msgspec.structs.asdict(call.query))
    reply = answered(call.crawl.reading.ask(asked, SECONDS))
    media_type, following = following_of(reply.text)
    headers = {}
    if asked.format != "json":
        headers["Content-Disposition"] = f'attachment; filename="{table}.{asked.format}"'
        if following:
            values = msgspec.structs.asdict(call.query) | {"cursor": following}
            path = f"{API}/crawls/{call.path['name']}/{table}"
            headers["Link"] = f'<{path}?{urlencode(values)}>; rel="next"'
    return Response(reply.body, headers=headers, media_type=media_type)


def list_pages(call: Call) -> Response:
    """Return fetches of pages."""
    return _rows(call, "pages")


def list_links(call: Call) -> Response:
    """Return links."""
    return _rows(call, "links")


def list_robots(call: Call) -> Response:
    """Return fetches of robots files."""
    return _rows(call, "hosts")


def list_hosts(call: Call) -> bytes:
    """Return hosts with their states."""
    query = call.query
    asked = Hosts(query.filter, query.sort, query.order == "descending", query.cursor, query.limit)
    return answered(call.crawl.reading.ask(asked, SECONDS)).body


def _table(path: str, act: object, summary: str) -> Operation:
    return Operation(
        "GET",
        f"/crawls/{{name}}/{path}",
        act,  # type: ignore[arg-type]
        summary,
        TableRows,
        RowsQuery,
        media_types=(_CSV, _PARQUET),
    )


OPERATIONS = [
    _table("pages", list_pages, "Fetches of pages, one row each."),
    _table("links", list_links, "Links of kept pages."),
    _table("robots", list_robots, "Fetches of robots files."),
    Operation(
        "GET", "/crawls/{name}/hosts", list_hosts, "Hosts and their states.", HostList, HostsQuery
    ),
]
