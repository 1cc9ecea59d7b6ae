"""Names are asked for while a crawl runs, and not for a hundred thousand hosts when it stops."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from benchmarks.partitions import waiting_partition

from lycosa.crawl.worker.lookups import MOST_LOOKUPS, Lookups
from lycosa.model.clock import VirtualClock
from lycosa.model.job import Job
from lycosa.model.records import Resolved
from lycosa.storage.archive.journal import Journal
from unit.crawl.drawn_web import DrawnWeb, ports_of

HOSTS = 3 * MOST_LOOKUPS


class Names(DrawnWeb):
    """Every host is there; counts the questions."""

    asked = 0

    def resolve(self, host: str, moment: float) -> Resolved:
        self.asked += 1
        return Resolved("127.0.0.1", 60.0)


def test_no_more_names_are_asked_for_when_a_crawl_stops(tmp_path: Path) -> None:
    web, partition = Names({}), waiting_partition()
    partition.admit(1.0, "", [f"test.h{n}:/" for n in range(HOSTS)], [0] * HOSTS)
    ports = ports_of(web, Job.of(["http://h0.test/"]), Journal(tmp_path))
    clock = cast("VirtualClock", ports.clock)
    lookups = Lookups(ports, {0: partition}, lambda *_: None, lambda: None)
    for host in range(HOSTS):
        assert lookups.resolve(0, host) is None
    assert web.asked == MOST_LOOKUPS
    clock.run(stop=lambda: web.asked > MOST_LOOKUPS)
    assert web.asked == MOST_LOOKUPS + 1
    lookups.stop()
    clock.run()
    assert web.asked == MOST_LOOKUPS + 1
    assert lookups.under_way() == []
    known = [host for host in range(HOSTS) if partition.state.hosts.address[host]]
    assert len(known) == MOST_LOOKUPS + 1
