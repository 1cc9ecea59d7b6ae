"""The SPARQL 1.1 endpoint of the whole house: `/sparql`, or `/sparql/NAME` for several crawls.

It is read-only and needs no token, like the server of `lycosa serve --only sparql`.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from lycosa.query.formats import MEDIA_TYPES
from lycosa.query.triple_store import TripleStore
from lycosa.serve.protocol import Description, Problem, description, read
from lycosa.serve.web.problems import Refusal
from lycosa.serve.web.replies import STATUSES
from lycosa.serve.web.served import ServedCrawl, ServedCrawls

SECONDS = 30.0
_OWN_STATUSES = STATUSES | {"refused": 400, "too-large": 500}


class Endpoint:
    """Answers the SPARQL protocol."""

    def __init__(self, crawls: ServedCrawls) -> None:
        self._crawls = crawls

    async def __call__(self, request: Request) -> Response:
        """Answer a request."""
        try:
            content = await request.body()
            crawl = await run_in_threadpool(self._crawl, request)
        except ClientDisconnect:
            return _refused(413, "the query is too long, or came too slowly")
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
        reply = await run_in_threadpool(crawl.answers.ask, wanted, SECONDS)
        if reply.kind != "answer":
            return _refused(_OWN_STATUSES[reply.kind], reply.text)
        return Response(reply.body, media_type=MEDIA_TYPES[reply.text])

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
