"""Types of the compiled module; what it does is told in `_page_steps.pyx`."""

from collections.abc import Callable, Iterable, Sequence

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.readiness.hosts import Readiness
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.schedulers import Scheduler
from lycosa.frontier.task import Task
from lycosa.model.records import AnyEvent, Fetched

class PageSteps:
    number: int
    is_leaving: bool
    is_held_back: bool
    in_flight: int
    uncommitted: list[AnyEvent]
    predict: Callable[[int, Sequence[str]], tuple[bytes, bytes]] | None
    put_off: Callable[[PartitionState, Sequence[str]], list[int]] | None
    _offered: bytearray
    def __init__(
        self,
        number: int,
        state: PartitionState,
        scheduler: Scheduler,
        readiness: Readiness,
        around: WorkerContext,
    ) -> None: ...
    def has_work(self) -> bool: ...
    def next_task(self) -> Task | None: ...
    def record(self, event: AnyEvent) -> None: ...
    def finish(self, event: Fetched) -> None: ...
    def admit(
        self,
        moment: float,
        source: str,
        keys: Sequence[str],
        distances: Sequence[int],
        requisites: Iterable[str] = (),
        hops: int = 0,
    ) -> list[int]: ...
    def _task_of(self, page: int) -> Task: ...
    def _offer_from(self, first: int, now: float) -> None: ...
    def _offer(self, page: int, site: int) -> None: ...
