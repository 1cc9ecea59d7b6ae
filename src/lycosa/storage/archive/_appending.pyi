"""Types of the compiled module; what it does is told in `_appending.pyx`."""

from collections import deque
from collections.abc import Callable

from lycosa.model.records import Capture, Place
from lycosa.storage.warc.exchange import Earlier, Message

LEAST_BYTES: int
MOST_WAITING: int
NO_PARTITION: int

Sharer = int | str
"""May refer to a payload that has no event yet: a partition, or a host where there is none."""

class Recent:
    @property
    def _recent(self) -> dict[tuple[int, Sharer], Place]: ...
    @property
    def _losses(self) -> dict[int, int]: ...
    @property
    def _waiting(self) -> deque[tuple[int, tuple[int, Sharer], Place]]: ...
    @property
    def _noted(self) -> int: ...
    def __init__(self, find: Callable[[int], Place | None]) -> None: ...
    def look_for(self, capture: Capture, message: Message) -> tuple[int, Earlier | None, bool]: ...
    def note(self, tag: int, capture: Capture, place: Place, payload_bytes: int) -> int: ...

class Appending:
    def __init__(self, duplicates: Recent, clock_ahead: float, roll_bytes: float) -> None: ...
    def append(self, capture: Capture) -> Place: ...
