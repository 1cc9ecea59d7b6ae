"""The application: routes, with the guard around them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from urllib.parse import quote

import anyio
import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from lycosa import __version__
from lycosa.runtime.orders.metrics import CONTENT_TYPE
from lycosa.web import shell
from lycosa.web.events import Streams
from lycosa.web.rest import (
    addresses,
    documents,
    listing,
    making,
    openapi,
    operations,
    orders,
    page_list,
    progress,
    questions,
    tables,
)
from lycosa.web.rest.problems import LARGEST_BODY_BYTES, answer_error
from lycosa.web.rest.sparql import Endpoint
from lycosa.web.security import Access, Guard
from lycosa.web.served import ServedCrawls

REST_SECONDS = 15.0
"""Seconds between two searches for idle processes."""

OPERATIONS = [
    *listing.OPERATIONS,
    *progress.OPERATIONS,
    *orders.OPERATIONS,
    *tables.OPERATIONS,
    *page_list.OPERATIONS,
    *making.OPERATIONS,
    *addresses.OPERATIONS,
    *questions.OPERATIONS,
    *documents.OPERATIONS,
]


def application(crawls: ServedCrawls, access: Access, *, only_sparql: bool = False) -> ASGIApp:
    """Return the application over crawls, or its SPARQL endpoint alone."""
    endpoint = Endpoint(crawls)
    routes: list[BaseRoute] = [
        Route(path, endpoint.answer, methods=["GET", "POST"])
        for path in ("/sparql", "/sparql/{name}")
    ]
    if not only_sparql:
        routes += _pages_and_operations(crawls)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_rest, crawls)
            yield
            tasks.cancel_scope.cancel()
        # A process that goes on without the server could tell no page how far it is.
        await anyio.to_thread.run_sync(making.makings.end)

    starlette = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers=dict.fromkeys(
            (HTTPException, ClientDisconnect, Exception), answer_error
        ),
        max_body_size=LARGEST_BODY_BYTES,
    )
    return Guard(starlette, access)


def _pages_and_operations(crawls: ServedCrawls) -> list[BaseRoute]:
    described = msgspec.json.encode(openapi.document(OPERATIONS))

    async def describe(request: Request) -> Response:
        return Response(described, media_type="application/json")

    async def health(request: Request) -> Response:
        content = msgspec.json.encode({"status": "ok", "version": __version__})
        return Response(content, media_type="application/json")

    async def metrics(request: Request) -> Response:
        content = await anyio.to_thread.run_sync(crawls.metrics)
        return Response(content, media_type=CONTENT_TYPE)

    async def front(request: Request) -> Response:
        # Pages hold no data (decision 68), and the target names the crawl: a client on another
        # machine, of which the token is not known yet, gets the list, which asks for it.
        if request.url.query != "all" and request.state.is_from_here:
            ended = await anyio.to_thread.run_sync(crawls.ended_alone)
            if ended is not None:
                place = f"/crawl/{quote(ended.name)}/pages"
                return RedirectResponse(place, 307, {"Cache-Control": "no-store"})
        return await shell.crawls_page(request)

    api = operations.API
    return [
        Route("/", front),
        Route("/new", shell.new_page),
        Route("/crawl/{name}/{page}", shell.crawl_page),
        Route("/health", health),
        Route("/metrics", metrics),
        Route(f"{api}/openapi.json", describe),
        Route(f"{api}/crawls/{{name}}/events", Streams(crawls).endpoint),
        *operations.routes(OPERATIONS, crawls),
        Mount("/static", StaticFiles(directory=shell.STATIC)),
    ]


async def _rest(crawls: ServedCrawls) -> None:
    while True:
        await anyio.sleep(REST_SECONDS)
        await anyio.to_thread.run_sync(crawls.rest)
