"""A test web of misbehaving hosts, each wrong in one way, with the outcomes that are right.

Host `drip.bad.test` has a home page, some good pages, and `/bad`, where the misdeed is. A
crawler may lose `/bad`, but by a named outcome, and must crawl the rest of the site. Where
a host cannot be reached at all (deaf, shut, bad certificate) it loses the host.

`truth` names the outcomes that are right for every URL. A set has several where a client
has a choice: a page that is cut at the size limit may be kept as far as it came, or
refused as too large; one whose connection ends in the middle may be kept in part, or
given up. `maybe` does the same for URLs that a limit may keep it from.

The host `guard` redirects to private, loopback and metadata addresses. It is served only
if it is requested by name, since a client without a guard would really connect to them.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field

from lycosa.model.records import TRANSIENT, Outcome, Purpose, Request, Resolved
from lycosa_testweb.parts import take_apart
from lycosa_testweb.servers.raw import Certificate, Door
from lycosa_testweb.web import HTML, PLAIN, Reply
from lycosa_testweb.webs import misdeeds
from lycosa_testweb.webs.misdeeds import Raw, Tempo
from lycosa_testweb.webs.wild_pages import ENCODINGS, GUARDED, encoded, long_line, nested

DOMAIN = "bad.test"
GOOD_PAGES = ("/good/1.html", "/good/2.html")

_KEPT = frozenset({Outcome.KEPT})
_MOVED = frozenset({Outcome.REDIRECTED})
_CUT = frozenset({Outcome.CUT_SHORT})
_LATE = frozenset({Outcome.TIMEOUT})
_NOT_HTTP = frozenset({Outcome.BAD_ANSWER})
_BIG = frozenset({Outcome.KEPT, Outcome.TOO_LARGE})
_HOST_LOST = frozenset(
    {
        Outcome.CONNECT_FAILURE,
        Outcome.TIMEOUT,
        Outcome.ROBOTS_UNREACHABLE,
        Outcome.HOST_GIVEN_UP,
        Outcome.UNREACHABLE,
    }
)
_NOT_FOUND = Reply(404, PLAIN, b"no such page\n")


@dataclass(frozen=True, slots=True)
class Misdeed:
    """The misbehaviour of a host, and the outcomes that are right."""

    name: str
    outcomes: frozenset[Outcome]
    """For `/bad`, or for the whole host if it cannot be reached."""
    raw: Raw | None = None
    replies: Mapping[str, Reply] = field(default_factory=dict)
    """By path; among them `/bad`, if it is not raw."""
    leads_to: tuple[str, ...] = ()
    """Good pages to which only `/bad` links."""
    everywhere: bool = False
    """Whether all pages are served so, and not `/bad` alone."""
    door: Door = Door.OPEN
    certificate: Certificate = Certificate.GOOD
    scheme: str = "http"
    maybe: Mapping[str, frozenset[Outcome]] = field(default_factory=dict)
    """Further URLs or paths that a crawler may or may not come to."""

    @property
    def host(self) -> str:
        """The host's name."""
        return f"{self.name}.{DOMAIN}"

    @property
    def origin(self) -> str:
        """The beginning of its URLs."""
        return f"{self.scheme}://{self.host}"

    @property
    def is_lost(self) -> bool:
        """Whether the host cannot be reached at all."""
        return self.door in (Door.DEAF, Door.SHUT) or self.certificate is not Certificate.GOOD


def page(title: str, *links: str) -> bytes:
    """Return a small good page."""
    anchors = "".join(f'<p><a href="{link}">{link}</a></p>\n' for link in links)
    return f"<!doctype html>\n<title>{title}</title>\n<h1>{title}</h1>\n{anchors}".encode()


def _bad_page(name: str) -> bytes:
    return page(f"The bad page of {name}", "/", *GOOD_PAGES) + b"<p>and so on</p>\n" * 30


def _raw(name: str, raw: Raw, outcomes: Iterable[Outcome], *, everywhere: bool = False) -> Misdeed:
    return Misdeed(name, frozenset(outcomes), raw, everywhere=everywhere)


def _redirects(name: str, hops: int) -> Misdeed:
    """A chain: `/bad`, `/hop/1`, `/hop/2`, ... and a page at its end."""
    paths = ["/bad", *(f"/hop/{number}" for number in range(1, hops + 1))]
    replies = {
        path: Reply(302, (*HTML, ("Location", target)), b"further on\n")
        for path, target in itertools.pairwise(paths)
    }
    replies[paths[-1]] = Reply(200, HTML, page("The end of the chain"))
    maybe = dict.fromkeys(paths[1:-1], _MOVED) | {paths[-1]: _KEPT}
    return Misdeed(name, _MOVED, replies=replies, maybe=maybe)


def _circle() -> Misdeed:
    """Redirects in a circle, and one to itself."""
    moves = {"/bad": "/round", "/round": "/self", "/self": "/self#again"}
    replies = {path: Reply(301, (*HTML, ("Location", to)), b"") for path, to in moves.items()}
    return Misdeed("circle", _MOVED, replies=replies, maybe={"/round": _MOVED, "/self": _MOVED})


def _guard() -> Misdeed:
    """Redirects to where no crawler may be sent."""
    replies = {
        f"/to/{number}": Reply(302, (*HTML, ("Location", target)), b"")
        for number, target in enumerate(GUARDED)
    }
    replies["/bad"] = Reply(200, HTML, page("Ways into the house", *replies, *GUARDED))
    refused = dict.fromkeys(GUARDED, frozenset({Outcome.REFUSED_ADDRESS}))
    paths = dict.fromkeys((path for path in replies if path != "/bad"), _MOVED)
    return Misdeed("guard", _KEPT, replies=replies, maybe={**refused, **paths})


def _encoding(name: str) -> Misdeed:
    body, headers = encoded(name, f"/from-{name}.html")
    replies = {"/bad": Reply(200, headers, body)}
    return Misdeed(name, _KEPT, replies=replies, leads_to=(f"/from-{name}.html",))


def _markup(name: str, body: bytes) -> Misdeed:
    """A page that only its size or depth makes difficult, with a link at its very end."""
    return Misdeed(name, _KEPT, replies={"/bad": Reply(200, HTML, body)}, leads_to=("/end.html",))


def _lost(name: str, door: Door = Door.OPEN, paper: Certificate = Certificate.GOOD) -> Misdeed:
    scheme = "http" if paper is Certificate.GOOD else "https"
    return Misdeed(name, _HOST_LOST, door=door, certificate=paper, scheme=scheme)


def all_misdeeds(hops: int = 1000) -> dict[str, Misdeed]:
    """Return them by name."""
    soft = _KEPT | _NOT_HTTP
    found = [
        _raw("drip", misdeeds.drip, _LATE | _KEPT),
        _raw("drip-head", misdeeds.drip_head, _LATE),
        _raw("silence", misdeeds.silence, _LATE),
        _raw("half-and-silence", misdeeds.half_and_silence, _LATE | _KEPT),
        _raw("endless-head", misdeeds.endless_head, {*_NOT_HTTP, Outcome.TOO_LARGE}),
        _raw("endless-body", misdeeds.endless_body, _BIG),
        _raw("endless-chunks", misdeeds.endless_chunks, _BIG),
        _raw("bomb", misdeeds.bomb, _BIG),
        _raw("length-too-long", misdeeds.length_too_long, _CUT | _KEPT),
        _raw("length-too-short", misdeeds.length_too_short, _KEPT),
        _raw("length-no-number", misdeeds.length_no_number, soft),
        _raw("two-lengths", misdeeds.two_lengths, soft),
        _raw("bad-chunks", misdeeds.bad_chunks, _NOT_HTTP),
        _raw("huge-chunk", misdeeds.huge_chunk, soft | _CUT),
        _raw("no-last-chunk", misdeeds.no_last_chunk, _CUT | _KEPT),
        _raw("bad-headers", misdeeds.bad_headers, soft),
        _raw("huge-head", misdeeds.huge_head, {*soft, Outcome.TOO_LARGE}),
        _raw("empty-header", misdeeds.empty_header, _KEPT),
        _raw("bad-status", misdeeds.bad_status, _NOT_HTTP),
        _raw("no-head", misdeeds.no_head, _NOT_HTTP),
        _raw("noise", misdeeds.noise, _NOT_HTTP),
        _raw("nothing", misdeeds.nothing, _CUT | _NOT_HTTP),
        _raw("reset-at-once", misdeeds.reset_at_once, {*_CUT, *_HOST_LOST}),
        _raw("reset-midway", misdeeds.reset_midway, _CUT | _KEPT),
        _raw("broken-promise", misdeeds.broken_promise, _KEPT, everywhere=True),
        _raw("stuffing", misdeeds.stuffing, _KEPT),
        _raw("early-hints", misdeeds.early_hints, _KEPT),
        _raw("not-packed", misdeeds.not_packed, soft),
        _raw("half-packed", misdeeds.half_packed, soft | _CUT),
        _redirects("chain", hops),
        _circle(),
        _guard(),
        _markup("nested", nested("/end.html")),
        _markup("long-line", long_line("/end.html")),
        *(_encoding(name) for name in ENCODINGS),
        Misdeed("slow-door", _KEPT, door=Door.SLOW, replies={"/bad": Reply(200, HTML, b"late")}),
        Misdeed("one-answer", _KEPT, door=Door.ONCE),
        _lost("deaf", Door.DEAF),
        _lost("shut", Door.SHUT),
        _lost("self-signed", paper=Certificate.SELF_SIGNED),
        _lost("unknown-issuer", paper=Certificate.UNKNOWN_ISSUER),
        _lost("expired", paper=Certificate.EXPIRED),
        _lost("wrong-host", paper=Certificate.WRONG_HOST),
    ]
    return {misdeed.name: misdeed for misdeed in found}


class MisbehavingWeb:
    """Make a host, on an address of its own, for every misdeed."""

    def __init__(
        self, names: Iterable[str] | None = None, tempo: Tempo | None = None, hops: int = 1000
    ) -> None:
        misdeeds_by_name = all_misdeeds(hops)
        if names is None:
            names = [name for name in misdeeds_by_name if name != "guard"]
        self.misdeeds = {name: misdeeds_by_name[name] for name in names}
        self._tempo = tempo or Tempo()
        self._by_host = {misdeed.host: misdeed for misdeed in self.misdeeds.values()}
        self._addresses = {
            host: f"10.66.{number >> 8}.{number & 255}"
            for number, host in enumerate(self._by_host, 1)
        }

    # -- the web -------------------------------------------------------------------------

    def hosts(self) -> list[str]:
        """Return the names of all hosts."""
        return list(self._by_host)

    def seeds(self) -> list[str]:
        """Return the home pages."""
        return [f"{misdeed.origin}/" for misdeed in self.misdeeds.values()]

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the host's own address."""
        return Resolved(self._addresses.get(host), 3600.0)

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer a good request; for a raw one return its result, for the referee.

        A client that may have to ask again is not to be convicted of it: where one of the
        right outcomes is passing, that one is named.
        """
        parts = take_apart(request.url)
        misdeed = self._by_host.get(parts.host)
        if misdeed is None or misdeed.scheme != parts.scheme:
            return Reply(0, failure=Outcome.CONNECT_FAILURE)
        passing = misdeed.outcomes & TRANSIENT
        if parts.path == "/bad" and misdeed.raw is not None and passing:
            return Reply(0, failure=min(passing))
        return self._good(misdeed, parts.path)

    def _good(self, misdeed: Misdeed, path: str) -> Reply:
        reply = misdeed.replies.get(path)
        if reply is not None:
            return reply
        if path == "/":
            links = ("/bad", *GOOD_PAGES)
            return Reply(200, HTML, page(f"Home of {misdeed.host}", *links), 0.0)
        if path in GOOD_PAGES or path in misdeed.leads_to:
            return Reply(200, HTML, page(f"{path} of {misdeed.host}", "/"), 0.0)
        if path == "/bad":
            return Reply(200, HTML, _bad_page(misdeed.name), 0.0)
        return _NOT_FOUND

    def raw(self, request: Request) -> AsyncIterator[bytes] | None:
        """Misbehave, where it is time to."""
        parts = take_apart(request.url)
        misdeed = self._by_host.get(parts.host)
        if misdeed is None or misdeed.raw is None or request.purpose is Purpose.ROBOTS:
            return None
        if parts.path != "/bad" and not misdeed.everywhere:
            return None
        reply = self._good(misdeed, parts.path)
        return misdeed.raw(self._tempo, reply.body) if reply.status == 200 else None

    def door(self, host: str) -> Door:
        """Return how connections to the host are accepted."""
        return self._by_host[host].door

    def certificate(self, host: str) -> Certificate:
        """Return the kind of certificate that the host shows."""
        return self._by_host[host].certificate

    # -- the truth -----------------------------------------------------------------------

    def is_allowed(self, url: str, agent: str) -> bool:
        """There are no robots files here: everything is allowed."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0

    @property
    def truth(self) -> dict[str, frozenset[Outcome]]:
        """The URLs that must end, and how they may."""
        truth: dict[str, frozenset[Outcome]] = {}
        for misdeed in self.misdeeds.values():
            origin = misdeed.origin
            if misdeed.is_lost:
                truth[f"{origin}/"] = misdeed.outcomes
                continue
            truth[f"{origin}/bad"] = misdeed.outcomes
            for path in ("/", *GOOD_PAGES, *misdeed.leads_to):
                truth[f"{origin}{path}"] = _KEPT
        return truth

    @property
    def maybe(self) -> dict[str, frozenset[Outcome]]:
        """The URLs that a limit may keep a crawler from, and how they may end if not."""
        return {
            url if "://" in url else f"{misdeed.origin}{url}": outcomes
            for misdeed in self.misdeeds.values()
            for url, outcomes in misdeed.maybe.items()
        }
