"""The SPARQL 1.1 endpoint: `/sparql`, or `/sparql/NAME` for several crawls.

It is read-only. CSV is safe to open in a spreadsheet. A limited number of queries wait at once,
and half of these are of one address, so that strangers (`--public-sparql`) neither take all threads
from the pages nor keep each other out.
"""

from __future__ import annotations

from collections import Counter

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from lycosa.fetch.guard import is_loopback_host
from lycosa.query.formats import MEDIA_TYPES
from lycosa.query.protocol import Query, QueryReply
from lycosa.query.triple_store import TripleStore
from lycosa.serve.connections import counted_address
from lycosa.serve.protocol import Description, Problem, description, read
from lycosa.serve.web.problems import Refusal
from lycosa.serve.web.replies import STATUSES
from lycosa.serve.web.served import ServedCrawl, ServedCrawls

MOST_ASKING = 48
"""Most waiting queries; fewer than the server's connections, to leave one for refusals."""
_OWN_STATUSES = STATUSES | {"refused": 400, "too-large": 500}


class Endpoint:
    """Answers the SPARQL protocol."""

    def __init__(self, crawls: ServedCrawls) -> None:
        self._crawls = crawls
        self._asking: Counter[str] = Counter()
        self._threads = anyio.CapacityLimiter(MOST_ASKING)

    async def __call__(self, request: Request) -> Response:
        """Answer a request."""
        try:
            content = await request.body()
            crawl = await run_in_threadpool(self._crawl, request)
        except ClientDisconnect:
            return _refused(413, "the query is too long")
        except Refusal as refusal:
            return _refused(refusal.status, refusal.detail)
        headers = {name.lower(): value for name, value in request.headers.items()}
        query = request.scope["query_string"].decode("ascii", "replace")
        wanted = read(request.method, f"/sparql?{query}", headers, content)
        if isinstance(wanted, Problem):
            return _refused(int(wanted.status), wanted.text)
        if isinstance(wanted, Description):
            told = description(str(request.url.replace(query="")))
            return Response(told, media_type="text/turtle; charset=utf-8")
        reply = await self._reply(crawl, wanted, request.client.host if request.client else "")
        if reply.kind != "answer":
            return _refused(_OWN_STATUSES[reply.kind], reply.text)
        return Response(reply.body, media_type=MEDIA_TYPES[reply.text])

    async def _reply(self, crawl: ServedCrawl, query: Query, client: str) -> QueryReply:
        address = counted_address(client)
        # Programs of this machine share one address.
        most = MOST_ASKING if is_loopback_host(address) else MOST_ASKING // 2
        if self._asking.total() >= MOST_ASKING or self._asking[address] >= most:
            return QueryReply("busy", "too many queries at once")
        self._asking[address] += 1
        try:
            return await anyio.to_thread.run_sync(
                crawl.answers.ask, query, crawl.limits.seconds, limiter=self._threads
            )
        finally:
            self._asking[address] -= 1
            if not self._asking[address]:
                del self._asking[address]

    def _crawl(self, request: Request) -> ServedCrawl:
        name = request.path_params.get("name")
        if name is None:
            crawls = self._crawls.all()
            if len(crawls) != 1:
                raise Refusal(404, "several crawls are served: ask at /sparql/NAME")
            crawl = crawls[0]
        else:
            crawl = self._crawls.get(name)
        crawl.require_directory()
        index = TripleStore(crawl.directory.path)
        if index.current() is None:
            raise Refusal(503, str(index.missing()))
        return crawl


def _refused(status: int, text: str) -> Response:
    headers = {"Retry-After": "5"} if status == 503 else {}
    if status == 405:
        headers["Allow"] = "GET, HEAD, POST"
    return PlainTextResponse(f"{text}\n", status, headers)
