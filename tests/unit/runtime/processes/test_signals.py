"""Stopping: from another thread, before the beginning, and what signals mean afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from lycosa.runtime.processes.signals import Stop


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


def test_a_stop_from_another_thread_is_heard(loop: asyncio.AbstractEventLoop) -> None:
    stop = Stop()
    thread = threading.Thread(target=stop.ask)
    with stop.heard_by(loop, loop.stop):
        loop.call_soon(thread.start)
        loop.run_forever()
    thread.join()
    assert stop.is_asked


def test_a_stop_before_the_beginning_is_not_forgotten(loop: asyncio.AbstractEventLoop) -> None:
    stop = Stop()
    stop.ask()
    with stop.heard_by(loop, loop.stop):
        loop.run_forever()


def test_a_stop_after_the_end_is_harmless(loop: asyncio.AbstractEventLoop) -> None:
    stop = Stop()
    with stop.heard_by(loop, loop.stop):
        pass
    loop.close()
    stop.ask()


def test_signals_are_heard_and_mean_afterwards_what_they_meant_before(
    loop: asyncio.AbstractEventLoop,
) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        with Stop().heard_by(loop, loop.stop):
            loop.call_soon(os.kill, os.getpid(), signal.SIGTERM)
            loop.run_forever()
        assert heard == []
        os.kill(os.getpid(), signal.SIGTERM)
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
