"""A page that is refused for ever does not keep a crawl from its end."""

from __future__ import annotations

from pathlib import Path

from lycosa.model.job import Job
from lycosa.model.records import Outcome, Request
from lycosa_testweb.web import PLAIN, Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, file, linking

HOME, REFUSED = "http://a.test/", "http://a.test/refused"
LATER = Reply(503, (*PLAIN, ("Retry-After", "30")), b"later")
ROBOTS = file("text/plain", "User-agent: *\nVisit-time: 2200-2210")


class Counted(DrawnWeb):
    """Counts the requests for the page that is refused."""

    asked = 0

    def answer(self, request: Request, moment: float) -> Reply:
        self.asked += request.url == REFUSED
        assert self.asked < 100, "the page is asked for without end"
        return super().answer(request, moment)


def test_a_robots_file_that_is_read_again_each_day_does_not_end_a_row_of_refusals(
    tmp_path: Path,
) -> None:
    """The host is open for ten minutes a day, and its robots file is a day old each time."""
    web = Counted({HOME: linking(REFUSED), REFUSED: LATER, f"{HOME}robots.txt": ROBOTS})
    job = Job.of([HOME], frontier={"partitions": 1})
    outcomes = crawl(web, job, tmp_path)
    assert outcomes[HOME] is Outcome.KEPT
    assert outcomes[REFUSED] is Outcome.HOST_GIVEN_UP
    assert web.asked == job.politeness.strikes
