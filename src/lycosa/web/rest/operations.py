"""Operations of the REST interface: parameters, action and answer.

Parameters, bodies and answers are msgspec records. A request is converted to them before the
operation runs, and refused with 400 if it does not fit; the same records make the OpenAPI document.
Operations run in threads, so they may read files and wait for processes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa._support.decoders import converted
from lycosa.errors import ConfigError, LogUnavailable, LycosaError, QueryError
from lycosa.web.rest.problems import Refusal, problem
from lycosa.web.served import ServedCrawl, ServedCrawls

API = "/api/v1"
KEY = re.compile("[!-~]{0,200}")
JSON = "application/json"


class Call(NamedTuple):
    """A call of an operation."""

    crawls: ServedCrawls
    path: Mapping[str, str]
    query: Any
    body: Any
    headers: Mapping[str, str]
    is_from_here: bool = False
    """Whether the client is on this machine (`clients`)."""

    @property
    def crawl(self) -> ServedCrawl:
        """The crawl that the path names."""
        return self.crawls.get(self.path["name"])

    @property
    def client_id(self) -> str:
        """The client's id of the request; a second request with this id is the same one."""
        return self.headers.get("idempotency-key", "")


class Operation(NamedTuple):
    """A method of a path."""

    method: str
    path: str
    act: Callable[[Call], Any]
    summary: str
    answer: Any = None
    """The record of its answer; None if that is not JSON."""
    query: type[msgspec.Struct] | None = None
    body: Any = None
    status: int = 200
    media_types: tuple[str, ...] = ()
    """The media type of answers that are not JSON."""
    is_order: bool = False
    """Whether it takes an `Idempotency-Key`."""

    @property
    def name(self) -> str:
        """The name of the operation in the OpenAPI document."""
        return self.act.__name__.strip("_")


def routes(operations: list[Operation], crawls: ServedCrawls) -> list[Route]:
    """Return the routes of operations; a path with several methods has one."""
    by_path: dict[str, list[Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, []).append(operation)
    return [_route(path, some, crawls) for path, some in by_path.items()]


def _route(path: str, operations: list[Operation], crawls: ServedCrawls) -> Route:
    by_method = {operation.method: operation for operation in operations}

    async def endpoint(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await perform(by_method[method], request, crawls)

    return Route(API + path, endpoint, methods=list(by_method))


async def perform(operation: Operation, request: Request, crawls: ServedCrawls) -> Response:
    """Run an operation and return its answer, or the error that it ended in."""
    try:
        content = await request.body() if operation.body is not None else b""
        query = _query(operation, request)
        body = _body(operation, request, content)
        is_here = request.state.is_from_here
        call = Call(crawls, request.path_params, query, body, request.headers, is_here)
        # before the operation: a bad key must not leave half an order
        if operation.is_order:
            _check_key(call)
        found = await run_in_threadpool(operation.act, call)
    except Refusal as refusal:
        return problem(refusal.status, refusal.detail)
    except LogUnavailable as error:
        return problem(503, str(error))
    except ConfigError as error:
        return problem(422, str(error))
    except QueryError as error:
        return problem(422, str(error))
    except LycosaError as error:
        return problem(409, str(error))
    if isinstance(found, Response):
        return found
    content = found if isinstance(found, bytes) else msgspec.json.encode(found)
    return Response(content, operation.status, media_type=JSON)


def _check_key(call: Call) -> None:
    """Refuse an invalid key before the operation begins."""
    if not KEY.fullmatch(call.client_id):
        raise Refusal(400, "an Idempotency-Key has up to 200 visible ASCII characters")


def _query(operation: Operation, request: Request) -> Any:
    given = request.query_params
    if operation.query is None:
        return None
    if len(given.multi_items()) != len(given):
        raise Refusal(400, "a parameter is given twice")
    try:
        return converted(dict(given), operation.query, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(400, f"a parameter is wrong: {error}") from None


def _body(operation: Operation, request: Request, content: bytes) -> Any:
    if operation.body is None:
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        # A form on another site cannot send JSON unless a preflight request allows it.
        raise Refusal(415, "send application/json")
    try:
        return converted(_whole(msgspec.json.decode(content)), operation.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal(400, f"the body does not fit the schema: {error}") from None


def _whole(value: Any) -> Any:
    """Return JSON with 2.0 as 2: to JSON both are the same number."""
    if isinstance(value, float) and abs(value) <= 1 << 53 and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    return value
