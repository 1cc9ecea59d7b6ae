"""Types of the compiled module; what it does is told in `_pump.pyx`."""

from collections.abc import Callable, Iterable, Mapping

from lycosa.crawl.ports import Ports
from lycosa.crawl.worker._sending import Sending
from lycosa.crawl.worker.commits import Committer
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.model.clock import Clock

class Alarm:
    def __init__(self, clock: Clock, callback: Callable[[], None]) -> None: ...
    def set_before(self, moment: float) -> None: ...
    def set_within(self, seconds: float) -> None: ...
    def cancel(self) -> None: ...

class PartitionTurns:
    _partitions: Mapping[int, Partition]
    _with_work: dict[int, None]
    def __init__(self, partitions: Mapping[int, Partition], with_work: dict[int, None]) -> None: ...
    def settle(self, changed: Iterable[int]) -> None: ...
    def next(self) -> Partition | None: ...

class Pump:
    is_over: bool
    is_stopping: bool
    connections: int
    _turns: PartitionTurns
    def __init__(
        self,
        ports: Ports,
        agenda: Agenda,
        sender: Sending,
        committer: Committer,
        changed: dict[int, None],
        tick: Alarm,
        wake: Alarm,
    ) -> None: ...
    def pump(self) -> None: ...
