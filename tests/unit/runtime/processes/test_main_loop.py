"""The loop of a process: failures are raised once it has stopped, stop requests are counted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.signals import Stop


@pytest.fixture
def main() -> Iterator[MainLoop]:
    with MainLoop() as made:
        yield made


def failing(problem: BaseException) -> None:
    raise problem


def test_the_failure_of_a_callback_stops_the_loop_and_is_raised(main: MainLoop) -> None:
    main.loop.call_soon(failing, OSError("the disk is gone"))
    with pytest.raises(OSError, match="the disk is gone"):
        main.run()
    assert main.has_failed


def test_the_first_of_two_failures_is_raised(main: MainLoop) -> None:
    main.loop.call_soon(failing, OSError("first"))
    main.loop.call_soon(failing, OSError("second"))
    with pytest.raises(OSError, match="first"):
        main.run()


def test_the_failure_of_a_job_beside_the_loop_is_raised(main: MainLoop) -> None:
    main.clock.run_aside(lambda: failing(OSError("no commit")), lambda _: None)
    with pytest.raises(OSError, match="no commit"):
        main.run()


def test_the_first_stop_request_stops_cleanly(main: MainLoop) -> None:
    stop, stopped = Stop(), []

    def stop_cleanly() -> None:
        stopped.append(True)
        main.loop.call_soon(main.loop.stop)

    main.loop.call_soon(stop.ask)
    main.run_until_stopped(stop, stop_cleanly)
    assert stopped == [True]


def test_the_second_stop_request_ends_the_run_at_once(main: MainLoop) -> None:
    stop, stopped = Stop(), []
    main.loop.call_soon(stop.ask)
    main.loop.call_soon(stop.ask)
    with pytest.raises(KeyboardInterrupt):
        main.run_until_stopped(stop, lambda: stopped.append(True))
    assert stopped == [True]


def test_a_failure_counts_more_than_a_stop_request(main: MainLoop) -> None:
    stop = Stop()
    stop.ask()
    with pytest.raises(OSError, match="while stopping"):
        main.run_until_stopped(stop, lambda: failing(OSError("while stopping")))


def test_a_loop_is_closed_with_its_context() -> None:
    with MainLoop() as main:
        pass
    assert main.loop.is_closed()
