"""Each promise of a cluster is broken on purpose, and the simulation must see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple

import pytest

from cluster_crawl import check, crawl
from integration.cluster_machines import machines_of
from lycosa.crawl import takeover
from lycosa.crawl.messages.losses import Losses
from lycosa.crawl.takeover import Opened
from lycosa.errors import LogUnavailable
from lycosa.frontier.partition import Partition
from lycosa.model.records import SegmentsLost
from lycosa.runtime.cluster import shares
from lycosa.runtime.limits import desk
from lycosa.runtime.limits.document import Ledger, reached
from lycosa.runtime.members import taking
from lycosa.simulation.cluster.loose_log import LooseLog
from lycosa.simulation.cluster.virtual_session import VirtualSession
from lycosa.simulation.cluster.world import Weather
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Write, identity_of
from seeds import few_of

pytestmark = pytest.mark.quick

Break = Callable[[pytest.MonkeyPatch], None]


def tenure_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(VirtualSession, "may_begin", lambda self: self.is_joined)


def taken_without_a_tombstone(patch: pytest.MonkeyPatch) -> None:
    for module in (shares, taking):
        patch.setattr(module, "is_free", lambda owner, members: True)


def _instead_of_silence(
    patch: pytest.MonkeyPatch, answer: Callable[[Sequence[Write]], list[int | None]]
) -> None:
    real = LooseLog.commit

    def commit(self: LooseLog, writes: Sequence[Write]) -> list[int | None]:
        try:
            return real(self, writes)
        except LogUnavailable:
            return answer(writes)

    patch.setattr(LooseLog, "commit", commit)


def an_undecided_refusal_taken_for_superseded(patch: pytest.MonkeyPatch) -> None:
    _instead_of_silence(patch, lambda writes: [None] * len(writes))


def a_lost_answer_taken_for_success(patch: pytest.MonkeyPatch) -> None:
    _instead_of_silence(patch, lambda writes: [write.expect + 1 for write in writes])


def a_lost_answer_taken_for_failure(patch: pytest.MonkeyPatch) -> None:
    """What was decided is written again, behind whatever the log holds by now."""
    real = LooseLog.commit

    def commit(self: LooseLog, writes: Sequence[Write]) -> list[int | None]:
        try:
            return real(self, writes)
        except LogUnavailable:
            server = self._server
            again = [w._replace(expect=server.head(w.partition).log) for w in writes]
            return server.commit(again)

    patch.setattr(LooseLog, "commit", commit)


def taken_over_without_a_pause(patch: pytest.MonkeyPatch) -> None:
    real = takeover.take_partitions

    def take(*given: object) -> dict[int, Opened]:
        opened = real(*given)  # type: ignore[arg-type]
        return {number: one._replace(is_resumed=False) for number, one in opened.items()}

    patch.setattr(taking, "take_partitions", take)


def posts_and_appends_in_two_steps(patch: pytest.MonkeyPatch) -> None:
    def commit(self: MemoryLog, writes: Sequence[Write]) -> list[int | None]:
        results: list[int | None] = []
        for write in writes:
            identity = identity_of(write.partition, write.expect, write.events, write.posts)
            if len(self._logs[write.partition]) != write.expect:
                results.append(self._known(write.partition, write.expect, identity))
                continue
            results.append(self._append(write.partition, write.events, identity))
            if write.releases:
                self._heads[write.partition] = self._heads[write.partition]._replace(owner="")
            if Random(7 * write.expect + write.partition).random() < 0.02:
                raise LogUnavailable("the server died between the two")
            for target, messages in write.posts:
                self.post(target, messages)
        return results

    patch.setattr(MemoryLog, "commit", commit)


def a_dead_lifes_grant_given_back_at_once(patch: pytest.MonkeyPatch) -> None:
    def freed(ledger: Ledger, gone: frozenset[int]) -> Ledger:
        return Ledger(
            ledger.kept,
            {life: line for life, line in ledger.lives.items() if life not in gone},
            ledger.is_short,
        )

    patch.setattr(desk, "freed", freed)


def a_loss_that_one_owner_ignores(patch: pytest.MonkeyPatch) -> None:
    real = Losses.decide

    def decide(self: Losses, partition: Partition, message: SegmentsLost, now: float) -> None:
        is_ignored = not partition.number % 4
        real(self, partition, SegmentsLost(now, message.loss) if is_ignored else message, now)

    patch.setattr(Losses, "decide", decide)


def an_end_that_does_not_wait_for_losses(patch: pytest.MonkeyPatch) -> None:
    """The inbox is read on, and what it said of losses is decided on later."""
    real = Losses.decide

    def decide(self: Losses, partition: Partition, message: SegmentsLost, now: float) -> None:
        clock = self._sender._ports.clock

        def later() -> None:
            if not partition.is_lost:
                real(self, partition, message, clock.now())

        clock.call_at(now + 120.0, later)

    patch.setattr(Losses, "decide", decide)


def a_limit_reached_with_pages_that_are_lost(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(desk, "reached", lambda ledger, limits, losses: reached(ledger, limits))


class Mutant(NamedTuple):
    break_it: Break
    limits: Mapping[str, object] = MappingProxyType({})
    weather: Weather = Weather()


LOSSES = Weather(("lose", "store"), 6.0)

MUTANTS = [
    Mutant(tenure_ignored, weather=Weather(("stop", "cut"), 4.0)),
    Mutant(a_lost_answer_taken_for_success),
    Mutant(a_lost_answer_taken_for_failure),
    Mutant(a_limit_reached_with_pages_that_are_lost, {"pages": 150}, LOSSES),
    Mutant(taken_without_a_tombstone),
    Mutant(an_undecided_refusal_taken_for_superseded, {"pages": 60}),
    Mutant(taken_over_without_a_pause, {"delay_seconds": 40.0}),
    Mutant(posts_and_appends_in_two_steps),
    Mutant(a_dead_lifes_grant_given_back_at_once, {"pages": 60}),
    Mutant(a_loss_that_one_owner_ignores, weather=LOSSES),
    Mutant(an_end_that_does_not_wait_for_losses, weather=LOSSES),
]


@pytest.mark.parametrize("mutant", few_of(MUTANTS, 4), ids=lambda mutant: mutant.break_it.__name__)
def test_a_broken_promise_is_seen(
    mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant.break_it(monkeypatch)
    assert any(_is_seen(mutant, seed, tmp_path / str(seed)) for seed in range(40))


def _is_seen(mutant: Mutant, seed: int, folder: Path) -> bool:
    try:
        machines, (_, limits, weather) = machines_of(seed), mutant
        cluster, result = crawl(seed, folder, machines, limits=limits, weather=weather)
        if "pages" in mutant.limits:
            assert result.kept_pages == mutant.limits["pages"] == len(cluster.kept())
            assert not result.breaches
        else:
            check(cluster, result, seed)
    except Exception:  # whatever it is, it was not silent
        return True
    return False
