"""Types of the compiled module; what it does is told in `_sending.pyx`."""

from collections.abc import Callable

from lycosa.crawl.points import Points
from lycosa.crawl.ports import Ports
from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.partition import Partition
from lycosa.frontier.task import Task
from lycosa.model.records import Answer, Request

class Asked:
    request: Request
    def __call__(self, answer: Answer) -> None: ...

class Sending:
    in_flight: int
    requests: int
    _rules: dict[tuple[int, int], Rules]
    def __init__(
        self,
        ports: Ports,
        points: Points,
        on_answer: Callable[[Partition, Task, int, Request, Answer], None],
        on_lost: Callable[[int], None],
    ) -> None: ...
    def start_task(self, partition: Partition, now: float) -> bool: ...
