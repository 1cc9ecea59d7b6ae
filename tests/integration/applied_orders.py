"""Orders of a crawl as its log has them, and runs that follow them."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing

from lycosa.model.records import OrderApplied
from lycosa.model.url import host_of, key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders import orders
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.web import GeneratedWeb
from socket_crawls import said


def applied_events(directory: CrawlDirectory) -> dict[int, list[int]]:
    """Return the numbers of the orders in each partition's log, as they were applied."""
    found: dict[int, list[int]] = {}
    with closing(directory.log(directory.job())) as log:
        for partition in range(log.partitions):
            found[partition] = [
                event.number
                for _, batch in log.read(partition, 0)
                for event in decode_events(batch)
                if isinstance(event, OrderApplied)
            ]
    return found


def run_again(directory: CrawlDirectory) -> subprocess.Popen[bytes]:
    """Go on with a crawl as a program does: unlike `lycosa resume`, that ends no pause."""
    code = (
        "import sys; from pathlib import Path; from lycosa.runtime.directory import CrawlDirectory;"
        "from lycosa.runtime.processes.run import run_crawl;"
        "run_crawl(CrawlDirectory.open(Path(sys.argv[1])))"
    )
    with said(directory).open("wb") as file:
        command = [sys.executable, "-c", code, str(directory.path)]
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)


def orders_for(web: GeneratedWeb, kinds: str) -> list[orders.Order]:
    """Return orders that undo each other: `all`, or those that a supervisor has a part in."""
    blocked = host_of(key_of(web.home(2)))
    some: list[orders.Order] = [
        orders.Pause(),
        orders.AddRule({"action": "reject", "prefix": [web.home(1) + "tree/"]}),
        orders.SetValue("fetch.connections", 4),
        orders.AddSeeds([web.home(3)]),
        orders.RemoveRule(2),
    ]
    if kinds == "all":
        some += [orders.Block(blocked), orders.Retry(), orders.Unblock(blocked)]
        some.append(orders.Unset("fetch.connections"))
    return [*some, orders.Stop(), orders.Resume()]
