"""The half of the transport that every page passes through, compiled; `client` has the rest.

    send      has the address judged, and gives the request to its carrier
    deliver   turns each exchange that has ended into an answer and calls back

Everything that depends on the origin alone is judged once and remembered: which port it has, and
whether the job may ask it. The address is judged for every request.
"""

from collections import deque

from msgspec.structs import replace

from lycosa.fetch.http._exchange cimport Exchange, Outgoing
from lycosa.fetch.http._wires cimport Pool, Wire
from lycosa.fetch.http.exchange import parse_origin
from lycosa._support.fields cimport field, is_a, offset_of
from lycosa.model.records import Answer, Outcome, Request

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_FindChar(
        object text, Py_UCS4 character, Py_ssize_t start, Py_ssize_t end, int direction
    ) except -2
    str PyUnicode_Substring(object text, Py_ssize_t start, Py_ssize_t end)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

cdef enum:
    MOST_SITES = 4_096
    LONGEST_SCHEME = 8

cdef object REFUSED_ADDRESS = Outcome.REFUSED_ADDRESS
cdef object REFUSED_PORT = Outcome.REFUSED_PORT
cdef object CONNECT_FAILURE = Outcome.CONNECT_FAILURE
cdef object TIMEOUT = Outcome.TIMEOUT

cdef Py_ssize_t REQUEST_URL = offset_of(Request, "url")
cdef Py_ssize_t REQUEST_ADDRESS = offset_of(Request, "address")
cdef Py_ssize_t REQUEST_AGENT = offset_of(Request, "agent")
cdef Py_ssize_t REQUEST_FORM = offset_of(Request, "form")
cdef Py_ssize_t REQUEST_VALIDATORS = offset_of(Request, "validators")
cdef Py_ssize_t ANSWER_ENDED = offset_of(Answer, "ended")
cdef Py_ssize_t ANSWER_FAILURE = offset_of(Answer, "failure")


cdef class Site:
    """Facts of an origin that hold for all its pages."""

    cdef object origin
    cdef object refusal
    """Why it is not asked; None if it may be."""
    cdef bint is_plain
    """Its pages go by the direct carrier."""


cdef class Delivery:
    """Sends requests and delivers answers; the base of `client.HttpTransport`."""

    cdef public object _loop
    cdef public object _fetch
    cdef public object _guard
    cdef public object _ports
    cdef public object _names
    cdef public object _access
    cdef public object _cookies
    cdef public object _direct
    cdef public object _sweeper
    cdef readonly dict _flying
    cdef readonly object _ended
    cdef dict _sites
    cdef double _latest_seconds
    cdef bint _is_proxied

    def __init__(self, loop, fetch, guard, ports):
        self._loop = loop
        self._fetch = fetch
        self._guard = guard
        self._ports = ports
        self._flying = {}
        self._ended = deque()
        self._sites = {}
        self._latest_seconds = fetch.total_seconds
        self._is_proxied = bool(fetch.proxy)

    # -- beginnings -----------------------------------------------------------------------

    def send(self, request, on_answer):
        """Send one request; `on_answer` is called once, later."""
        cdef Py_ssize_t slash
        cdef str url, path
        cdef tuple key
        cdef Site site
        if not is_a(request, Request):
            raise TypeError("a request is a lycosa.model.records.Request")
        url = field(request, REQUEST_URL)
        slash = PyUnicode_FindChar(url, c"/", LONGEST_SCHEME, PyUnicode_GET_LENGTH(url), 1)
        if slash < 0:
            raise ValueError(f"{url}: no path")
        name = PyUnicode_Substring(url, 0, slash)
        path = PyUnicode_Substring(url, slash, PyUnicode_GET_LENGTH(url))
        if field(request, REQUEST_FORM):
            path = path.partition(u"#")[0]  # what is posted stands behind it
        site = self._sites.get(name) or self.meet(name)
        address = field(request, REQUEST_ADDRESS)
        if site.refusal is REFUSED_ADDRESS or self.refuses(site, address):
            self._later(on_answer, self._unsent(REFUSED_ADDRESS))
            return
        if site.refusal is not None:
            self._later(on_answer, self._unsent(site.refusal))
            return
        key = (name, address, field(request, REQUEST_AGENT))
        if self.has_more(request):
            key += self._more_lines(request, name, path)
        self.start(site, Outgoing(request, site.origin, path, key, on_answer))

    cdef Site meet(self, str name):
        """Judge an origin that has not been asked for, or not of late."""
        cdef Site site = Site()
        site.origin = origin = parse_origin(name)
        site.is_plain = origin.scheme == "http" and not self._is_proxied
        if not self._guard.opens(origin.host, origin.port):
            site.refusal = REFUSED_ADDRESS
        elif self._ports.refuses(name, origin.port):
            site.refusal = REFUSED_PORT
        if len(self._sites) >= MOST_SITES:
            self._sites.clear()
        self._sites[name] = site
        return site

    cdef bint refuses(self, Site site, object address) except -1:
        # Through a proxy the address is not known, and the host is judged by its name.
        if self._is_proxied:
            return self._guard.refusal_by_name(site.origin.host) is not None
        return self._guard.refusal(address) is not None

    cdef bint has_more(self, object request) except -1:
        """Tell whether a request has header lines that others to its site may not have."""
        if self._cookies is not None or self._access is not None:
            return True
        return field(request, REQUEST_VALIDATORS) is not None or field(request, REQUEST_FORM)

    cdef int start(self, Site site, Outgoing outgoing) except -1:
        cdef object carrier = self._direct if site.is_plain else self._carrier(site.origin.scheme)
        try:
            if isinstance(carrier, Pool):
                exchange = (<Pool> carrier).ask(outgoing)
            else:
                exchange = carrier.start(outgoing)
        except ValueError:  # a host or a header that cannot be carried
            self._later(outgoing.on_answer, self._unsent(CONNECT_FAILURE))
            return 0
        self._flying[exchange] = None
        if self._sweeper is None:
            self._sweep_later()
        return 0

    # -- ends -----------------------------------------------------------------------------

    def _on_end(self, *exchanges):
        """Take over from a carrier what has ended, and deliver it."""
        for exchange in exchanges:
            del self._flying[exchange]
        if len(exchanges) == 1 and not self._ended:
            self.deliver(exchanges[0])
            return
        self._ended += exchanges
        self._deliver()

    def _deliver(self):
        """Call back for all that has ended."""
        ended = self._ended
        try:
            while ended:
                self.deliver(ended.popleft())
        finally:
            if ended:  # a callback has raised: the other answers must not be lost
                self._loop.call_soon(self._deliver)

    cdef int deliver(self, Exchange exchange) except -1:
        """Call back for one exchange."""
        cdef Outgoing outgoing = exchange.outgoing
        answer = exchange.answer()
        failure = field(answer, ANSWER_FAILURE)
        if failure is None and field(answer, ANSWER_ENDED) - exchange.began > self._latest_seconds:
            # Late is late, also between two sweeps; it is whole, so no beginning is told.
            exchange.received.verdict = failure = TIMEOUT
            answer = replace(exchange.answer(), beginning=None)
        if failure is CONNECT_FAILURE and not answer.is_missed:
            self._names.failed(outgoing.request.host, outgoing.request.address)
        elif self._cookies is not None:
            self._learn_cookies(outgoing, answer)
        if self._access is not None:
            answer = self._access.redacted(outgoing.key[0], answer)
        if isinstance(exchange, Wire):
            (<Wire> exchange)._carrier.keep(<Wire> exchange)
        else:
            exchange.carrier.release(exchange)
        outgoing.on_answer(answer)
        return 0
