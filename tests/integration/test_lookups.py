"""Names: what was looked up is in the log, is asked for again in time, and never in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from lycosa.crawl.worker import lookups
from lycosa.model.job import Job
from lycosa.model.records import HostResolved, Outcome, Resolved
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillEvery, no_kills
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Simulation
from lycosa.storage.log.format import decode_events
from lycosa_testweb.carrier import NAME_SECONDS
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.webs.graph import Faults, GraphWeb

pytestmark = pytest.mark.quick

PAGES = 30
PAUSE = 5.0
BEGAN = 1_700_000_000.0


class AskedWeb(GraphWeb):
    """Keeps a list of the questions for names; `address_at` may let addresses change."""

    def __init__(
        self,
        edges: Mapping[str, Sequence[str]],
        seconds_valid: float,
        address_at: Callable[[str, float], str | None] | None = None,
        **more: object,
    ) -> None:
        super().__init__(edges, **more)  # type: ignore[arg-type]
        self.asked: list[tuple[str, float]] = []
        self._seconds_valid = seconds_valid
        self._address_at = address_at

    def resolve(self, host: str, moment: float) -> Resolved:
        self.asked.append((host, moment - BEGAN))
        address = super().resolve(host, moment).address
        if self._address_at is not None:
            address = self._address_at(host, moment - BEGAN)
        return Resolved(address, self._seconds_valid)


def forest(hosts: int, pages: int = PAGES) -> dict[str, list[str]]:
    """A home with all pages of its host, for each of some hosts."""
    return {
        f"http://www.h{n}.test/": [f"http://www.h{n}.test/{page}" for page in range(1, pages)]
        for n in range(hosts)
    }


def simulate(
    web: AskedWeb,
    folder: Path,
    name_seconds: tuple[float, float] = NAME_SECONDS,
    log: str = "memory",
) -> Simulation:
    job = Job.of(
        seeds=list(web.edges),
        limits={"patience_seconds": 0.0},
        politeness={"delay_seconds": PAUSE, "backoff_first_seconds": 20.0, "strikes": 5},
        frontier={"partitions": 4},
        log={"snapshot_batches": 20},
    )
    referee = Referee(referee_rules(job), web, keep_history=True)
    conditions = Conditions(referee=referee, name_seconds=name_seconds)
    return Simulation(web, job, folder, seed=1, log=log, conditions=conditions)


def gaps(simulation: Simulation) -> dict[str, list[float]]:
    """Return how long each host was left alone between two requests, in order."""
    found: dict[str, list[float]] = {}
    last: dict[str, float] = {}
    for entry in simulation.referee.history:
        host = entry.host
        if host in last:
            found.setdefault(host, []).append(entry.began - last[host])
        last[host] = entry.ended
    return found


@pytest.mark.parametrize("log", ["memory", "sqlite"])
def test_what_is_still_valid_is_not_asked_for_again_after_a_kill(log: str, tmp_path: Path) -> None:
    web = AskedWeb(forest(6), 3600.0)
    simulation = simulate(web, tmp_path, log=log)
    result = simulation.run(KillEvery({"commit.done": 20, "send.after": 40, "log.appended": 25}))
    assert (result.reason, len(result.kills), result.breaches) == ("exhausted", 3, [])
    assert result.kept_pages == 6 * PAGES
    assert Counter(host for host, _ in web.asked) == {f"www.h{n}.test": 1 for n in range(6)}


def test_an_address_is_used_no_longer_than_it_is_valid(tmp_path: Path) -> None:
    web = AskedWeb(forest(3), 30.0)
    simulation = simulate(web, tmp_path)
    assert simulation.run().reason == "exhausted"
    for host in web.hosts():
        answered = [moment for name, moment in web.asked if name == host]
        for entry in simulation.referee.history:
            if entry.host == host:
                began = entry.began - BEGAN
                assert any(0.0 < began - moment <= 30.1 for moment in answered), began


def test_a_slow_name_server_keeps_no_host_waiting(tmp_path: Path) -> None:
    """Two seconds for every name, a pause of five: only the first question holds a host up."""
    web = AskedWeb(forest(8), 20.0, latency=0.1)
    simulation = simulate(web, tmp_path, name_seconds=(2.0, 2.0))
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert all(times > 5 for times in Counter(host for host, _ in web.asked).values())
    for host, pauses in gaps(simulation).items():
        assert max(pauses) < PAUSE + 0.01, host


def test_hosts_that_queue_for_one_address_do_not_wait_for_names_either(tmp_path: Path) -> None:
    """The address is asked without a break, although every name expires while it waits."""
    hosts = 60
    web = AskedWeb(forest(hosts, 6), 12.0, lambda host, moment: "10.0.0.1", latency=0.1)
    simulation = simulate(web, tmp_path, name_seconds=(0.3, 0.3))
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert result.kept_pages == hosts * 6
    history = simulation.referee.history
    idle = [later.began - sooner.ended for sooner, later in pairwise(history)]
    assert max(idle[: hosts * 5]) < 0.51


def test_an_address_that_changes_moves_the_host_to_the_other_gate(tmp_path: Path) -> None:
    """One host leaves a crowded address for one of its own, and has it to itself from then on."""

    def address_at(host: str, moment: float) -> str:
        return "10.0.0.9" if host == "www.h0.test" and moment > 60.0 else "10.0.0.1"

    web = AskedWeb(forest(20), 15.0, address_at, latency=0.1)
    simulation = simulate(web, tmp_path)
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    asked = [entry for entry in simulation.referee.history if entry.host == "www.h0.test"]
    addresses = [entry.address for entry in asked]
    moved_at = addresses.index("10.0.0.9")
    assert 0 < moved_at < PAGES // 2
    assert set(addresses[:moved_at]) == {"10.0.0.1"} and set(addresses[moved_at:]) == {"10.0.0.9"}
    assert asked[moved_at].began - BEGAN < 60.0 + 15.0 + 20 * 0.7
    crowded, alone = gaps(simulation)["www.h1.test"], gaps(simulation)["www.h0.test"][moved_at:]
    assert max(alone) < PAUSE + 0.01 < min(crowded[2:10])


def test_nobody_at_the_address_makes_the_name_be_asked_for_again(tmp_path: Path) -> None:
    home = "http://www.h0.test/"
    web = AskedWeb({home: []}, 86_400.0, faults=Faults(failures={home: Outcome.CONNECT_FAILURE}))
    result = simulate(web, tmp_path).run()
    assert result.reason == "exhausted"
    assert len(web.asked) == 5
    assert [state.ended_by_closing() for state in result.states.values() if len(state.table)] == [
        {Outcome.UNREACHABLE: 1}
    ]


def test_a_name_that_leads_nowhere_is_in_the_log_and_is_asked_for_when_that_expires(
    tmp_path: Path,
) -> None:
    web = AskedWeb({"http://www.h0.test/": []}, 90.0, lambda host, moment: None)
    simulation = simulate(web, tmp_path)
    simulation.run(KillEvery({"commit.done": 4}))
    moments = [moment for _, moment in web.asked]
    assert len(moments) == 5
    assert all(later - sooner >= 90.0 for sooner, later in pairwise(moments))
    events = [event for event in _events(simulation) if isinstance(event, HostResolved)]
    assert [event.address for event in events] == [""] * 5


def test_a_lookup_is_written_down_once_and_small(tmp_path: Path) -> None:
    web = AskedWeb(forest(4), 40.0)
    simulation = simulate(web, tmp_path)
    simulation.run()
    events = [event for event in _events(simulation) if isinstance(event, HostResolved)]
    assert len(events) == len(web.asked)
    assert len(events) < len(simulation.referee.history) / 3


def test_the_number_of_questions_under_way_has_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "MOST_LOOKUPS", 4)
    web = AskedWeb(forest(40, 2), 3600.0)
    simulation = simulate(web, tmp_path, name_seconds=(1.0, 1.0))
    assert simulation.run(no_kills).reason == "exhausted"
    moments = sorted(moment for _, moment in web.asked)
    for number, moment in enumerate(moments):
        assert sum(1 for other in moments[number:] if other < moment + 0.999) <= 4


def run_again(simulation: Simulation, **fetch: object) -> None:
    """Go on after forty seconds, with other settings."""
    simulation.run(virtual_seconds=40.0)
    simulation.job = Job.of(
        seeds=simulation.job.seeds,
        politeness={"delay_seconds": PAUSE},
        frontier={"partitions": 4},
        limits={"pages": 1_000},
        fetch=fetch,
    )
    assert simulation.run().reason == "exhausted"


def test_addresses_outlive_a_resume_under_another_limit(tmp_path: Path) -> None:
    web = AskedWeb(forest(3), 86_400.0)
    run_again(simulate(web, tmp_path), retries=7)
    assert len(web.asked) == 3


def test_addresses_that_have_expired_are_asked_for_again_after_a_resume(tmp_path: Path) -> None:
    web = AskedWeb(forest(3), 30.0)
    simulation = simulate(web, tmp_path)
    simulation.run(virtual_seconds=15.0)
    assert len(web.asked) == 3
    run_again(simulation)
    assert min(Counter(host for host, _ in web.asked).values()) > 1


def test_a_job_with_other_name_servers_asks_for_all_names_again(tmp_path: Path) -> None:
    web = AskedWeb(forest(3), 86_400.0)
    run_again(simulate(web, tmp_path), name_servers=["127.0.0.1"])
    assert len(web.asked) == 6


def _events(simulation: Simulation) -> list[object]:
    log, _ = simulation.open_log()
    return [
        event
        for number in range(simulation.job.frontier.partitions)
        for _, batch in log.read(number, 0)
        for event in decode_events(batch)
    ]
