"""Sends HTTP over TLS, by our own sockets and Python's `ssl`: `http1` behind a handshake.

    shake     the handshake, as often as the socket can be read or written, until it is done
    reading   record by record; what OpenSSL holds back is taken before the next turn of the loop
    resume    the session of a connection that ends is offered to the next one to its site

Always true, beside what `http1` promises:
  * nothing is sent to a server before its certificate is believed for the host of the request;
  * a connection that ends without saying so is reset: what came over it is not whole.

Cost: docs/decisions/0012-http-client.md. Through a proxy TLS goes by `curl`.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable

from lycosa._support.loop import EventLoop
from lycosa.fetch.http._wires import MUST_WAIT, WAS_RESET
from lycosa.fetch.http.exchange import Surroundings
from lycosa.fetch.http.http1 import Connection, DirectCarrier
from lycosa.model.records import Outcome

MOST_SESSIONS = 256
"""How many sites can be gone on with without a full handshake; 10 kB each."""
SESSION_SECONDS = 600.0
"""Minimum age before a session may be evicted (why: `http1.KEPT_SECONDS`)."""

_WAITS = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
"""Exceptions of a socket that is not ready."""


class SecureCarrier(DirectCarrier):
    """Implements `exchange.Carrier` for HTTP over TLS."""

    def __init__(
        self,
        loop: EventLoop,
        around: Surroundings,
        most_idle: int,
        on_end: Callable[..., None],
    ) -> None:
        super().__init__(loop, around, most_idle, on_end)
        self.memory = memoryview(self.buffer)
        """Where pieces are read to."""
        self.context = _context(around.ca_file())
        self._sessions: dict[str, tuple[ssl.SSLSession, float]] = {}

    def new_connection(self) -> Connection:
        """Return a connection that will speak TLS."""
        return SecureConnection(self)

    def session(self, site: str) -> ssl.SSLSession | None:
        """Return what a connection to a site can go on with."""
        kept = self._sessions.get(site)
        return kept and kept[0]

    def keep_session(self, site: str, connection: ssl.SSLSocket) -> None:
        """Keep the session of a connection for the next one to its site, if there is room.

        To take it out of a connection and to offer it costs a third of a handshake.
        """
        sessions, now = self._sessions, self.loop.time()
        sessions.pop(site, None)
        if len(sessions) >= MOST_SESSIONS:
            oldest = next(iter(sessions))
            if now - sessions[oldest][1] < SESSION_SECONDS:
                return
            del sessions[oldest]
        if (session := connection.session) is not None:
            sessions[site] = session, now

    def drop_session(self, site: str) -> None:
        """Forget a session with which a handshake failed."""
        self._sessions.pop(site, None)


class SecureConnection(Connection):
    """One connection over TLS, and the request that it carries."""

    __slots__ = ("_is_secure", "_secure")

    def __init__(self, carrier: SecureCarrier) -> None:
        super().__init__(carrier)
        self._secure = carrier
        self._is_secure = False
        """Whether the handshake is done."""

    def close(self) -> None:
        """Let the connection go, and keep its session; harmless when it is gone."""
        if self._tls is not None:
            if self._is_secure:
                self._secure.keep_session(self.key[0], self._tls)
            self._tls, self._is_secure = None, False
        super().close()

    def part(self) -> None:
        """Let the connection go; to take its session out would cost a tenth of a handshake."""
        self._is_secure = False
        self.close()

    def go_on(self) -> None:
        """Read again; what OpenSSL holds wakes no loop."""
        super().go_on()
        if self._tls is not None and self._tls.pending():
            self._carrier.loop.call_soon(self._read_pending, self.outgoing)

    # -- the handshake --------------------------------------------------------------------

    def _established(self) -> None:
        assert self._socket is not None
        site, host = self.outgoing.key[0], self.outgoing.origin.host
        try:
            self._socket = self._tls = self._secure.context.wrap_socket(
                self._socket,
                server_hostname=host.strip("[]").rstrip("."),
                do_handshake_on_connect=False,
                suppress_ragged_eofs=False,
                session=self._secure.session(site),
            )
        except (OSError, ValueError) as problem:  # the server is gone; not a name
            self._fail(problem)
            return
        self._shake()

    def _shake(self) -> None:
        assert self._tls is not None
        loop = self._carrier.loop
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            loop.remove_writer(self._descriptor)
            loop.add_reader(self._descriptor, self._shake)
        except ssl.SSLWantWriteError:
            loop.remove_reader(self._descriptor)
            loop.add_writer(self._descriptor, self._shake)
        except (OSError, ValueError) as problem:
            self._secure.drop_session(self.outgoing.key[0])
            self._fail(problem)
        else:
            self._is_secure = True
            loop.remove_writer(self._descriptor)
            super()._established()

    def _fail(self, problem: Exception) -> None:
        self.received.detail = _said(problem)
        self._end(Outcome.CONNECT_FAILURE)

    # -- reading --------------------------------------------------------------------------

    def _read_secure(self, most: int) -> int:
        assert self._tls is not None
        try:
            return self._tls.recv_into(self._secure.memory, most)
        except _WAITS:
            return MUST_WAIT
        except OSError:
            return WAS_RESET

    def _write_secure(self, data: bytes) -> int:
        assert self._tls is not None
        try:
            return self._tls.send(data)
        except _WAITS:
            return MUST_WAIT
        except OSError:
            return WAS_RESET

    def _read_pending(self, outgoing: object) -> None:
        if self._tls is not None and self.outgoing is outgoing and not self.is_paused:
            self._on_readable()


def _context(ca_file: str) -> ssl.SSLContext:
    """Return what all connections share: whom to believe, and what to speak."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("DEFAULT")  # as browsers do: also servers without elliptic curves
    context.set_alpn_protocols(["http/1.1"])
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if ca_file:
        context.load_verify_locations(cafile=ca_file)
    else:
        context.load_default_certs()
    return context


def _said(problem: Exception) -> str:
    """Return what went wrong, without the words of the library."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"certificate: {problem.verify_message}"
    if isinstance(problem, ssl.SSLError) and problem.reason:
        return f"TLS: {problem.reason.lower().replace('_', ' ')}"
    return str(problem)
