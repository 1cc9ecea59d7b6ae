"""The endpoint of the SPARQL 1.1 Protocol: `/sparql`, or `/sparql/NAME` for several crawls.

It answers queries only. CSV is guarded against formulas: a browser opens it in a spreadsheet, and
pages wrote its texts. A limited number of queries wait at once, and half of these are of one
address, so that strangers (`--public-sparql`) neither take all threads from the pages nor keep each
other out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from urllib.parse import parse_qs

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from lycosa.analysis.triples.formats import MEDIA_TYPES
from lycosa.analysis.triples.protocol import Query, QueryReply
from lycosa.analysis.triples.triple_store import TripleStore
from lycosa.fetch.guard import is_loopback_host
from lycosa.web.connections import counted_address
from lycosa.web.rest.problems import STATUSES, Refusal, answered
from lycosa.web.served import ServedCrawl, ServedCrawls

MOST_ASKING = 48
"""Most waiting queries; fewer than the server's connections, to leave one for refusals."""
READ_ONLY = "this endpoint is read-only: it answers queries and takes no updates"
_OWN_STATUSES = STATUSES | {"refused": 400, "too-large": 500}


class Endpoint:
    """Answers the SPARQL protocol."""

    def __init__(self, crawls: ServedCrawls) -> None:
        self._crawls = crawls
        self._asking: Counter[str] = Counter()
        self._threads = anyio.CapacityLimiter(MOST_ASKING)

    async def answer(self, request: Request) -> Response:
        """Answer a request."""
        try:
            content = await request.body()
            crawl = await run_in_threadpool(self._crawl, request)
            asked = request.scope["query_string"].decode("ascii", "replace")
            query = parsed(request.method, asked, request.headers, content)
            # the protocol gives a bare GET the description of the service
            if query is None:
                told = description(str(request.url.replace(query="")))
                return Response(told, media_type="text/turtle; charset=utf-8")
            client = request.client.host if request.client else ""
            reply = answered(await self._reply(crawl, query, client), _OWN_STATUSES)
        except Refusal as refusal:
            headers = {"Retry-After": "5"} if refusal.status == 503 else {}
            return PlainTextResponse(f"{refusal.detail}\n", refusal.status, headers)
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


def parsed(method: str, asked: str, headers: Mapping[str, str], body: bytes) -> Query | None:
    """Return the query of a request, or None if it has none; raise `Refusal` for an error.

    `asked` is the part of the URL behind the question mark. Starlette's own parsers would take
    bytes that are not UTF-8.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        values = parse_qs(asked, keep_blank_values=True, errors="strict")
        if method == "POST":
            if kind == "application/sparql-update":
                raise Refusal(403, READ_ONLY)
            if kind == "application/sparql-query":
                values["query"] = [*values.get("query", ()), body.decode()]
            elif kind == "application/x-www-form-urlencoded":
                more = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict")
                for name, given in more.items():
                    values[name] = [*values.get(name, ()), *given]
            else:
                raise Refusal(
                    415, "send application/sparql-query or application/x-www-form-urlencoded"
                )
    except ValueError:
        raise Refusal(400, "the request is not in UTF-8") from None
    if "update" in values:
        raise Refusal(403, READ_ONLY)
    queries = values.get("query", [])
    if not queries and method != "POST":
        return None
    if len(queries) != 1:
        raise Refusal(400, "send one `query`")
    return Query(
        queries[0],
        tuple(values.get("default-graph-uri", ())),
        tuple(values.get("named-graph-uri", ())),
        headers.get("accept", "*/*") or "*/*",
        is_guarded=True,
    )


def description(endpoint: str) -> str:
    """Return the description of the service (SPARQL 1.1 Service Description)."""
    return f"""\
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
@prefix formats: <http://www.w3.org/ns/formats/> .

[] a sd:Service ;
    sd:endpoint <{endpoint}> ;
    sd:supportedLanguage sd:SPARQL11Query ;
    sd:feature sd:UnionDefaultGraph ;
    sd:resultFormat formats:SPARQL_Results_JSON, formats:SPARQL_Results_XML,
        formats:SPARQL_Results_CSV, formats:SPARQL_Results_TSV, formats:Turtle,
        formats:N-Triples, formats:RDF_XML .
"""
