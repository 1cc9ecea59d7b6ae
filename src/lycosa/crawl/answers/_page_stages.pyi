"""Types of the compiled module; what it does is told in `_page_stages.pyx`."""

from lycosa.crawl.answers.stages import OfJob
from lycosa.crawl.links.router import Router
from lycosa.crawl.points import Points
from lycosa.crawl.ports import Ports
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.records import Answer, Request

class PageStages:
    def __init__(
        self, job: Job, ports: Ports, points: Points, router: Router, way: OfJob
    ) -> None: ...
    def decide(
        self, partition: Partition, page: int, request: Request, answer: Answer, reserved: int
    ) -> bool: ...
    def forget(self, number: int) -> None: ...
