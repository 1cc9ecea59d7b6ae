from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

import pytest

from lycosa._support.loop import Loop
from lycosa.model.clock import RealClock, VirtualClock


def test_callbacks_run_in_the_order_of_their_moments_and_then_of_the_calls() -> None:
    clock = VirtualClock(100.0)
    seen: list[tuple[str, float]] = []
    for name, moment in (("late", 120.0), ("early", 110.0), ("early too", 110.0)):
        clock.call_at(moment, lambda name=name: seen.append((name, clock.now())))
    clock.run()
    assert seen == [("early", 110.0), ("early too", 110.0), ("late", 120.0)]


def test_a_call_for_the_past_runs_now_and_time_never_goes_back() -> None:
    clock = VirtualClock(100.0)
    seen: list[float] = []
    clock.call_at(5.0, lambda: seen.append(clock.now()))
    clock.run()
    assert seen == [100.0]


def test_a_cancelled_call_does_not_run() -> None:
    clock = VirtualClock()
    clock.call_at(clock.now() + 1, lambda: pytest.fail("was called off")).cancel()
    clock.run()


def test_time_stops_where_it_is_told_to() -> None:
    clock = VirtualClock(0.0)
    clock.call_at(50.0, lambda: pytest.fail("too early"))
    assert clock.run(until=20.0)
    assert clock.now() == 20.0
    clock.forget_everything()
    assert not clock.run(until=30.0)
    assert clock.now() == 30.0


def test_jobs_run_aside_follow_each_other_and_take_their_time() -> None:
    clock = VirtualClock(0.0, aside_seconds=2.0)
    seen: list[tuple[str, float]] = []
    clock.run_aside(lambda: "a", lambda result: seen.append((result, clock.now())))
    clock.run_aside(lambda: "b", lambda result: seen.append((result, clock.now())))
    clock.run()
    assert seen == [("a", 2.0), ("b", 4.0)]


def test_the_real_clock_calls_back_on_the_loop_with_what_the_thread_returned() -> None:
    loop = asyncio.new_event_loop()
    clock = RealClock(loop)
    seen: list[int] = []

    def done(result: int) -> None:
        seen.append(result)
        loop.stop()

    clock.call_at(clock.now() + 0.001, lambda: clock.run_aside(lambda: 42, done))
    loop.run_forever()
    clock.close()
    loop.close()
    assert seen == [42]
    assert clock.failure is None


def test_a_job_that_fails_aside_stops_the_loop_and_leaves_its_reason() -> None:
    loop = asyncio.new_event_loop()
    clock = RealClock(loop)

    def job() -> int:
        raise OSError("disk full")

    clock.run_aside(job, lambda result: pytest.fail("there is no result"))
    loop.run_forever()
    clock.close()
    loop.close()
    assert isinstance(clock.failure, OSError)


def _stepped(real: Callable[[], float], step: float) -> float:
    return real() + step


def test_a_clock_that_is_set_during_a_run_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day forward shortens no pause, an hour back lengthens none."""
    loop = Loop()
    clock = RealClock(loop)
    real = time.time
    try:
        for step in (86_400.0, -3600.0):
            before = clock.now()
            monkeypatch.setattr(time, "time", partial(_stepped, real, step))
            assert 0.0 <= clock.now() - before < 60.0
            fired: list[float] = []
            loop.call_later(20.0, loop.stop)
            clock.call_at(clock.now() + 0.05, fired.append, 0.0)
            clock.call_at(clock.now() + 0.05, loop.stop)
            loop.run_forever()
            assert fired and 0.05 <= clock.now() - before < 15.0
    finally:
        clock.close()
        loop.close()
