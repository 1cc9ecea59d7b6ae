"""Types of the compiled module; what it does is told in `_delivery.pyx`."""

from collections import deque
from collections.abc import Callable

from lycosa._support.loop import Cancellable, EventLoop
from lycosa.fetch.access import Access
from lycosa.fetch.cookies import Cookies
from lycosa.fetch.dns import Names
from lycosa.fetch.guard import AddressGuard
from lycosa.fetch.http._exchange import Exchange
from lycosa.fetch.http.exchange import Carrier
from lycosa.fetch.ports import PortGuard
from lycosa.model.job import Fetch
from lycosa.model.records import Answer, Request

class Delivery:
    _loop: EventLoop
    _fetch: Fetch
    _guard: AddressGuard
    _ports: PortGuard
    _names: Names
    _access: Access | None
    _cookies: Cookies | None
    _direct: Carrier
    _sweeper: Cancellable | None
    @property
    def _flying(self) -> dict[Exchange, None]: ...
    @property
    def _ended(self) -> deque[Exchange]: ...
    def __init__(
        self, loop: EventLoop, fetch: Fetch, guard: AddressGuard, ports: PortGuard
    ) -> None: ...
    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None: ...
    def _on_end(self, *exchanges: Exchange) -> None: ...
    def _deliver(self) -> None: ...
