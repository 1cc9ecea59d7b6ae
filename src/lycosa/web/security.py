"""Checks every request to the web server before any other part sees it.

The server listens on a loopback address, so every program of the machine can reach it, and so can
every web page in a browser of the machine. Four checks keep web pages out:

    Host             an IP address, localhost, or a name that the operator gave: a page whose own
                     name resolves to this machine (DNS rebinding) sends that name
    Origin           our own, or one of `--cors`; a form or script of another page sends its own
    Sec-Fetch-Site   the browser's own word about the page that asks; `cross-site` and
                     `same-site` (another port of localhost) are refused, except for following a
                     link to one of our pages, which hold no data
    token            for everything that shows or changes a crawl, as `Authorization: Bearer`; the
                     operator may open SPARQL alone (`--public-sparql`). There are no cookies: ports
                     of one host share them, so that a page from another port could use ours

Answers carry a Content-Security-Policy that allows scripts, styles and connections of our own
alone, so that text of archived pages cannot run even where we forgot to escape it.
"""

from __future__ import annotations

import hmac
import re
from ipaddress import ip_address
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lycosa.web.clients import is_from_here
from lycosa.web.rest.problems import DETAILS, LARGEST_BODY_BYTES, problem

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types lycosa-report",
    )
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_PAGES = re.compile(r"/|/new|/crawl/[^/]+/[a-z]+")
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(:\d{1,5})?")
_OWN_SITES = ("", "same-origin", "none")
_CORS_HEADERS = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID"
_CORS_METHODS = "GET, POST, PATCH, DELETE"


class Access(NamedTuple):
    """The access rights."""

    token: str
    origins: tuple[str, ...] = ()
    """Other origins whose pages may send requests, with the token (`--cors`)."""
    names: tuple[str, ...] = ()
    """Names of the server, besides localhost and IP addresses."""
    is_sparql_public: bool = False
    """Whether SPARQL is answered without the token (`--public-sparql`)."""
    proxies: tuple[str, ...] = ()
    """Addresses of proxies (`--trusted-proxy`), whose requests come from elsewhere."""


def is_page(path: str) -> bool:
    """Return whether a path is one of the pages, which are the same for everybody."""
    return _PAGES.fullmatch(path) is not None


def needs_token(path: str, *, is_sparql_public: bool = False) -> bool:
    """Return whether a path needs the token."""
    if path == "/health" or path.startswith("/static/"):
        return False
    if path == "/sparql" or path.startswith("/sparql/"):
        return not is_sparql_public
    return not is_page(path)


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._bearer = f"bearer {access.token}".encode()
        self._names = {"localhost", *(name.lower() for name in access.names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # there are no web sockets
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        is_foreign = origin in self._access.origins
        answering = _Answering(send, origin if is_foreign else "")
        refusal = self._refusal(scope, headers, is_foreign)
        if refusal is not None:
            status, text = refusal
            await problem(status, text)(scope, receive, answering)
        elif is_foreign and scope["method"] == "OPTIONS":
            await answering.preflight()
        elif not self._has_token(scope["path"], headers):
            text = "the token is missing or wrong\n  send `Authorization: Bearer TOKEN`"
            await problem(401, text)(scope, receive, answering)
        else:
            is_here = is_from_here(scope, headers, self._access.proxies)
            scope.setdefault("state", {})["is_from_here"] = is_here
            await self._app(scope, receive, answering)

    def _refusal(self, scope: Scope, headers: Headers, is_foreign: bool) -> tuple[int, str] | None:
        if not self._is_own_name(headers.getlist("host")):
            return 403, (
                "ask by an IP address or localhost\n"
                "  allow another name with `lycosa serve --name NAME`"
            )
        # a declared length is refused before the token is looked at; other bodies are counted by
        # Starlette (`max_body_size`), and `lycosa.web.listening` has their deadline
        try:
            if int(headers.get("content-length", "0")) > LARGEST_BODY_BYTES:
                return 413, DETAILS[413]
        except ValueError:
            return 400, "the length is not a number"
        if is_foreign:
            return None
        origins = headers.getlist("origin")
        own = f"{scope['scheme']}://{headers.get('host', '')}".lower()
        if any(origin.lower() != own for origin in origins):
            return 403, (
                "the request comes from a page of another origin\n"
                "  allow it with `lycosa serve --cors ORIGIN`"
            )
        if headers.get("sec-fetch-site", "") not in _OWN_SITES and not _is_visit(scope, headers):
            return 403, "the request comes from a page of another site"
        return None

    def _is_own_name(self, hosts: list[str]) -> bool:
        found = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if found is None:
            return False
        name = found["name"].lower()
        if name in self._names:
            return True
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    def _has_token(self, path: str, headers: Headers) -> bool:
        if not needs_token(path, is_sparql_public=self._access.is_sparql_public):
            return True
        given = headers.get("authorization", "")
        scheme, _, token = given.partition(" ")
        return hmac.compare_digest(f"{scheme.lower()} {token}".encode(), self._bearer)


def _is_visit(scope: Scope, headers: Headers) -> bool:
    """Return whether a person follows a link to one of our pages."""
    return (
        scope["method"] in ("GET", "HEAD")
        and is_page(scope["path"])
        and headers.get("sec-fetch-mode", "") == "navigate"
        and headers.get("sec-fetch-dest", "") == "document"
    )


class _Answering:
    """Adds our headers to an answer."""

    def __init__(self, send: Send, origin: str) -> None:
        self._send = send
        self._origin = origin

    async def __call__(self, message: Message) -> None:
        """Send a message of the answer."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
            if self._origin:
                headers["Access-Control-Allow-Origin"] = self._origin
                headers["Cross-Origin-Resource-Policy"] = "cross-origin"
                headers["Access-Control-Expose-Headers"] = "Link"
                headers.add_vary_header("Origin")
        await self._send(message)

    async def preflight(self) -> None:
        """Answer a browser that asks whether a page of `--cors` may ask."""
        allowed = {
            "access-control-allow-headers": _CORS_HEADERS,
            "access-control-allow-methods": _CORS_METHODS,
            "access-control-max-age": "600",
        }
        listed = [(name.encode(), value.encode()) for name, value in allowed.items()]
        await self({"type": "http.response.start", "status": 204, "headers": listed})
        await self({"type": "http.response.body", "body": b""})
