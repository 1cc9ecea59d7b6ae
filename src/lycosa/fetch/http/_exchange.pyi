"""Types of the compiled module; what it does is told in `_exchange.pyx`."""

from collections.abc import Callable

from lycosa.fetch.coding.heads import Head
from lycosa.fetch.http.exchange import Carrier, Origin, Surroundings
from lycosa.fetch.http.kept import Lane
from lycosa.model.records import Answer, Outcome, Request

class Outgoing:
    @property
    def request(self) -> Request: ...
    @property
    def origin(self) -> Origin: ...
    @property
    def path(self) -> str: ...
    @property
    def key(self) -> tuple[str, ...]:
        """Site, address and agent; and more header lines: the cookie, and what we hold of the page.

        Between two outgoing requests with the same key the request target alone differs."""
    @property
    def on_answer(self) -> Callable[[Answer], None]: ...
    def __init__(
        self,
        request: Request,
        origin: Origin,
        path: str,
        key: tuple[str, ...],
        on_answer: Callable[[Answer], None],
    ) -> None: ...

NOTHING: Outgoing

def usual_content(
    headers: tuple[tuple[str, str], ...], sent: bytes, most: int
) -> tuple[bytes, bool] | None: ...

class Received:
    lines: list[bytes]
    """The lines of all heads, as sent, interim ones included, where `head` is not given."""
    head: Head | None
    """The head of the answer, where the carrier has taken it apart itself."""
    first: bytes
    rest: bytearray | None
    """The pieces after the first; most bodies are one piece, and are not copied."""
    is_cut: bool
    """There was more body than the request allows."""
    was_asked: bool
    """The request went out."""
    verdict: Outcome | None
    """Why the transfer failed, if it did."""
    detail: str
    """The same in the system's words, if no connection could be made."""
    is_missed: bool
    """No connection came about within the short time that the request had for it."""
    def clear(self) -> None: ...
    @property
    def has_begun(self) -> bool: ...
    @property
    def size(self) -> int: ...
    def take(self, data: bytes, limit: int) -> bool: ...
    def body(self) -> bytes: ...

class Exchange:
    _around: Surroundings
    carrier: Carrier
    asked_end: bytes
    request_target: str
    _asked: bytes
    received: Received
    key: tuple[str, ...]
    limit: int
    began: float
    asked_at: float
    window_began: float
    window_size: int
    is_paused: bool
    outgoing: Outgoing
    def __init__(self, around: Surroundings, carrier: Carrier) -> None: ...
    def begin(self, outgoing: Outgoing) -> None: ...
    def address(self, outgoing: Outgoing, headers: list[str]) -> None: ...
    def rest(self) -> None: ...
    def go_on(self) -> None: ...
    def may_go(self, peer: str, *, is_proxy: bool = False) -> bool: ...
    @property
    def is_connected(self) -> bool: ...
    @property
    def lane(self) -> Lane: ...
    def note_stale(self) -> None: ...
    @property
    def is_head(self) -> bool: ...
    def asked(self) -> bytes: ...
    def finish(self) -> Answer: ...
