"""Whole clusters in virtual time: never two holders of one partition, whatever goes wrong."""

from __future__ import annotations

from statistics import median

import pytest

from cluster_simulation import Network, Simulation, Verdict
from lycosa.runtime.cluster import shares
from lycosa.runtime.coordination.protocol import Answer
from lycosa.runtime.coordination.protocol import Verdict as Written
from lycosa.runtime.membership import silence
from lycosa.runtime.membership.calls import Put, Result
from lycosa.runtime.membership.life import Life
from lycosa.runtime.membership.record import tombstone
from lycosa.runtime.membership.tenure import Instant, Tenure
from lycosa.runtime.membership.watch import Watch
from seeds import seeds

CHUNKS = 8
QUIET = Network(0, 0, 0, 0)


def run(seed: int) -> Verdict:
    """Run a small cluster under every fault; the seed decides what happens."""
    return Simulation(seed, machines=2 + seed % 3).run(100)


@pytest.mark.parametrize("chunk", seeds(1, CHUNKS))
def test_no_two_lives_hold_a_partition(chunk: int) -> None:
    for seed in range(chunk, 100, CHUNKS):
        judge(run(seed), seed)


@pytest.mark.soak
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_two_lives_hold_a_partition_in_larger_clusters(chunk: int) -> None:
    for seed in range(100 + chunk, 2000, CHUNKS):
        judge(run_large(seed), seed)


def run_large(seed: int) -> Verdict:
    """Run 2 to 16 machines, with a fault every 24 s of each."""
    machines = 2 + seed % 15
    simulation = Simulation(seed, machines, partitions=32, fault_seconds=24 / machines)
    return simulation.run(120, quiet_seconds=120)


def judge(verdict: Verdict, seed: int) -> None:
    assert verdict.breaches == [], seed
    assert verdict.requests > 0, seed
    assert (verdict.unserved, verdict.idle_machines) == (0, 0), seed
    assert verdict.spread <= 1, seed


def test_a_killed_workers_partitions_are_taken_within_20_seconds() -> None:
    """It had renewed up to 5 s before; then 15.5 s of silence, a list, and a take of 0.4 s."""
    seconds: list[float] = []
    for seed in range(20):
        simulation = Simulation(seed, 4, network=QUIET, faults=())
        simulation.after(40.0 + seed / 4, simulation.kill, simulation.machines[0], 60.0)
        verdict = simulation.run(65, quiet_seconds=0)
        assert verdict.breaches == []
        seconds += verdict.takeover_seconds
    assert len(seconds) >= 20 * 3
    assert 10 < min(seconds) < median(seconds) < max(seconds) < 20


def test_requests_of_owner_and_successor_are_apart() -> None:
    """Also where the successor's clock is 2 % fast and the owner's 2 % slow."""
    for seed in range(20):
        simulation = Simulation(seed, 2, network=QUIET, faults=["cut"], fault_seconds=50)
        slow, fast = simulation.machines
        slow.rate, fast.rate = 0.98, 1.02
        verdict = simulation.run(100)
        assert verdict.breaches == []
        assert all(gap > 0.5 for gap in verdict.gap_seconds)


def test_a_simulation_is_determined_by_its_seed() -> None:
    assert run(5) == run(5)
    assert run(5) != run(6)


# -- broken on purpose --------------------------------------------------------------------


def is_caught() -> bool:
    """Return whether some seed shows that the code was broken."""
    return any(run(seed).breaches for seed in range(200))


def test_tenure_that_is_ignored_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tenure, "holds", lambda self, now: self.ends_at > float("-inf"))
    assert is_caught()


def test_taking_without_a_tombstone_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence alone is taken for death: the observer may only have been blind."""

    def believed(self: Watch, now: float) -> Put | None:
        for number, _ in list(self._silences.silent(now)):
            if self._is_watched(number):
                self.members[number] = tombstone(self.members[number], self._own)
                self._revisions[number] = 1 << 60
        return None

    monkeypatch.setattr(Watch, "tombstone", believed)
    assert is_caught()


def test_taking_from_a_living_owner_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "is_free", lambda owner, members: True)
    assert is_caught()


def test_a_lost_answer_taken_for_failure_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(self: Life, result: Result, sent: Instant, now: Instant) -> None:
        renewed(self, result, sent, now)
        if isinstance(result, Answer) and result.verdict is Written.UNDECIDED:
            self._undecided.clear()

    renewed = Life._renewed
    monkeypatch.setattr(Life, "_renewed", forgetful)
    assert is_caught()


def test_a_lost_answer_taken_for_success_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def hopeful(self: Life, result: Result, sent: Instant, now: Instant) -> None:
        renewed(self, result, sent, now)
        if isinstance(result, Answer) and result.verdict is Written.UNDECIDED:
            self.tenure.renewed(sent.boot)

    renewed = Life._renewed
    monkeypatch.setattr(Life, "_renewed", hopeful)
    assert is_caught()


def test_too_little_patience_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "SILENCE_SECONDS", 10.0)
    assert is_caught()
