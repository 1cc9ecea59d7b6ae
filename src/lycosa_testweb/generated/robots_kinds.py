"""The kinds of robots files that hosts of a generated web may have, by name."""

from __future__ import annotations

from lycosa.model.records import Outcome
from lycosa_testweb.robots import Group, Robots, ending, everything, folder, folder_but, inner
from lycosa_testweb.windows import Windows

_AT_TIMES = Windows(period_seconds=1800.0, window_seconds=300.0, share=0.5)
_SOME = (folder("/vault/closed/"), folder("/g/1/"))
_FOR_ALL = Group("*", _SOME)

ROBOTS_KINDS: dict[str, Robots] = {
    "none": Robots(status=404),
    "gone": Robots(status=410),
    "forbidden": Robots(status=403),
    "empty": Robots(),
    "some": Robots((_FOR_ALL,)),
    "all": Robots((Group("*", (everything(),)),)),
    "exception": Robots((Group("*", (folder_but("/vault/closed/", "/vault/closed/open/"),)),)),
    "wildcards": Robots((Group("*", (ending(".pdf"), inner("/draft-"), inner("?q="))),)),
    "own group": Robots((Group("*", (everything(),)), Group("Lycosa", _SOME))),
    "other group": Robots((Group("Otherbot", (everything(),)), _FOR_ALL)),
    "crawl-delay": Robots((Group("*", _SOME, crawl_delay_seconds=5),)),
    "fine crawl-delay": Robots((Group("*", (), crawl_delay_seconds=2.5),)),
    "own crawl-delay": Robots((Group("*", (), 20), Group("lycosa", (), 3))),
    "failing": Robots(failing_status=503),
    "failing at times": Robots((_FOR_ALL,), failing_status=500, failing=_AT_TIMES),
    "silent": Robots(failure=Outcome.TIMEOUT),
    "refused at times": Robots((_FOR_ALL,), failure=Outcome.CONNECT_FAILURE, failing=_AT_TIMES),
    "moved": Robots((_FOR_ALL,), hops=1),
    "moved five times": Robots((_FOR_ALL,), hops=5),
    "moved six times": Robots((_FOR_ALL,), hops=6),
    "moved abroad": Robots((Group("*", _SOME, 4),), hops=2, abroad=True),
    "long after": Robots((_FOR_ALL,), bytes_after=600 * 1024),
    "long before": Robots((_FOR_ALL,), bytes_before=600 * 1024),
    "marked": Robots((_FOR_ALL,), mark=True),
    "crlf": Robots((_FOR_ALL,), line_end="\r\n"),
}
