"""Types of the compiled module; what it does is told in `sites.pyx`."""

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.readiness.addresses import Entrant
from lycosa.frontier.readiness.firsts import Firsts
from lycosa.frontier.schedulers import Scheduler

YIELD_SECONDS: float

class HostSites(Entrant):
    firsts: Firsts
    robots_wanted: dict[int, None]
    bursts_wanted: dict[int, None]
    _number: int
    _state: PartitionState
    _bursting: set[int]
    def __init__(
        self,
        number: int,
        state: PartitionState,
        scheduler: Scheduler,
        with_work: dict[int, None],
    ) -> None: ...
    def has_first(self) -> bool: ...
    def _moment_of_work(self, host: int) -> float: ...
    def _rest_sites(self, host: int) -> int: ...
