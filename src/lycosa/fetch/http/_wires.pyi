"""Types of the compiled module; what it does is told in `_wires.pyx`."""

import socket
import ssl
from collections.abc import Callable

from lycosa._support.loop import EventLoop
from lycosa.fetch.coding._chunks import ChunkReader
from lycosa.fetch.http._exchange import Exchange, Outgoing
from lycosa.fetch.http.exchange import Surroundings
from lycosa.model.records import Outcome

READ_BYTES: int
LONGEST_HEADS_BYTES: int
WAS_RESET: int
MUST_WAIT: int

class Pool:
    @property
    def loop(self) -> EventLoop: ...
    @property
    def around(self) -> Surroundings: ...
    @property
    def on_end(self) -> Callable[..., None]: ...
    @property
    def buffer(self) -> bytearray: ...
    @property
    def _idle(self) -> dict[tuple[str, ...], Wire]: ...
    @property
    def _all(self) -> set[Wire]: ...
    def __init__(
        self,
        loop: EventLoop,
        around: Surroundings,
        most_idle: int,
        on_end: Callable[..., None],
        kept_seconds: float,
        idle_seconds: float,
    ) -> None: ...
    def start(self, outgoing: Outgoing) -> Exchange: ...
    def stop(self, exchange: Exchange) -> None: ...
    def release(self, exchange: Exchange) -> None: ...
    def forget(self, wire: Wire) -> None: ...
    def let_go(self, is_wanted: Callable[[str], bool], since: float) -> None: ...
    def opened(self, wire: Wire) -> None: ...
    def closed(self, wire: Wire) -> None: ...
    def abort_all(self) -> None: ...
    def close(self) -> None: ...

class Wire(Exchange):
    _carrier: Pool
    _socket: socket.socket | None
    _tls: ssl.SSLSocket | None
    """The socket, once a handshake has begun."""
    _descriptor: int
    _peer: str
    _unsent: bytes
    _pending: bytes | None
    """The beginning of a head that has not come whole; None once the head is read."""
    _chunks: ChunkReader | None
    _heads_bytes: int
    """Of interim answers too, all together."""
    _left: int
    _is_asking: bool
    _is_lasting: bool
    _is_reused: bool
    """Whether the connection has carried a request before this one."""
    idle_since: float
    """Since when it has waited for a request."""
    ends_at: float
    """When the server will close it, by its own word, less a second; 0 if it has not said so."""
    def __init__(self, carrier: Pool) -> None: ...
    @property
    def is_open(self) -> bool: ...
    def still_stands(self) -> bool: ...
    def _send(self) -> None: ...
    def _send_rest(self) -> None: ...
    def _on_readable(self) -> None: ...
    def _end(self, verdict: Outcome | None) -> None: ...
