"""URL tables that take too much memory spill the sites that they can spare."""

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.memory_limit import FAR_SECONDS, LEAST_URLS, MemoryLimit
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.model.records import HostChanged, Outcome, Settled

NOW = 1000.0


def partition(**sites: int) -> Partition:
    """Return a partition with sites of so many URLs."""
    agenda = Agenda()
    around = WorkerContext(
        agenda,
        Addresses(agenda, 0.5, 0.0, None),
        lambda partition, host: None,
        lambda state, host: 0.0,
        None,
        {},
        {},
    )
    made = Partition(0, PartitionState(), "breadth-first", around)
    for name, urls in sites.items():
        keys = [f"com.{name}:/page/{number}" for number in range(urls)]
        made.admit(NOW, "", keys, [0] * urls)
    return made


def finish(made: Partition, site: int) -> None:
    """End all URLs of a site."""
    pages = [page for page, owner in enumerate(made.state.pages.site) if owner == site]
    made.record(Settled(NOW, pages, Outcome.NOT_FOUND))
    made.change_host(HostChanged(NOW, made.state.sites.host[site], 0.0, 0, Outcome.BLOCKED))
    made.readiness.resolved(made.state.sites.host[site], None, NOW)


def spilled(made: Partition) -> list[int]:
    table = made.state.table
    return [site for site in range(table.site_count()) if table.is_spilled(site)]


def test_nothing_is_spilled_within_the_limit_or_without_one() -> None:
    made = partition(a=500)
    finish(made, 0)
    assert MemoryLimit(0).look([made], NOW) == 0
    assert MemoryLimit(10_000_000).look([made], NOW) == 0
    assert spilled(made) == []


def test_finished_sites_are_spilled_and_those_at_work_or_too_small_are_not() -> None:
    made = partition(a=500, b=500, c=LEAST_URLS - 1)
    finish(made, 0)
    finish(made, 2)
    held = made.state.table.bytes_held()
    assert MemoryLimit(1).look([made], NOW) == 1
    assert spilled(made) == [0]
    assert made.state.table.bytes_held() < held
    assert made.state.table.find("com.a:/page/77") == 77


def test_what_is_finished_goes_first_then_what_waits_for_long() -> None:
    made = partition(resolving=3000, waiting=3000, soon=3000, finished=6000)
    for host, seconds in ((1, FAR_SECONDS + 60), (2, FAR_SECONDS - 60)):
        made.change_host(HostChanged(NOW, host, NOW + seconds, 1))
        made.readiness.resolved(host, None, NOW)
    finish(made, 3)
    MemoryLimit(made.state.table.bytes_held() - 1000).look([made], NOW)
    assert spilled(made) == [3]
    MemoryLimit(1).look([made], NOW)
    assert spilled(made) == [1, 3]


def test_a_look_that_found_nothing_is_not_repeated_at_once() -> None:
    made = partition(a=500)
    limit = MemoryLimit(1)
    assert limit.look([made], NOW) == 0
    finish(made, 0)
    assert limit.look([made], NOW + 1) == 0
    assert limit.look([made], NOW + 61) == 1
