"""The loop of a crawl and that of asyncio do the same for those who use them."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lycosa._support.loop import Loop

AnyLoop = Loop | asyncio.AbstractEventLoop


@pytest.fixture(params=[Loop, asyncio.new_event_loop], ids=["ours", "asyncio"])
def loop(request: pytest.FixtureRequest) -> Iterator[AnyLoop]:
    made: AnyLoop = request.param()
    yield made
    made.close()


def test_calls_run_in_their_order_and_never_at_once(loop: AnyLoop) -> None:
    said: list[str] = []

    def first() -> None:
        loop.call_soon(said.append, "third")
        said.append("first")
        loop.call_soon(loop.stop)

    loop.call_soon(first)
    loop.call_soon(said.append, "second")
    assert said == []
    loop.run_forever()
    assert said == ["first", "second", "third"]


def test_timers_run_in_the_order_of_their_moments(loop: AnyLoop) -> None:
    said: list[str] = []
    began = loop.time()
    loop.call_at(began + 0.03, loop.stop)
    loop.call_at(began + 0.02, said.append, "b")
    loop.call_later(0.0, said.append, "a")
    loop.call_at(began + 0.02, said.append, "c")
    loop.run_forever()
    assert said == ["a", "b", "c"]
    assert loop.time() >= began + 0.03


def test_what_was_called_off_does_not_run(loop: AnyLoop) -> None:
    said: list[str] = []
    soon = loop.call_soon(said.append, "soon")
    later = loop.call_later(0.0, said.append, "later")
    soon.cancel()
    later.cancel()
    loop.call_later(0.01, loop.stop)
    loop.run_forever()
    later.cancel()
    assert said == []


def test_many_timers_that_were_called_off_are_forgotten() -> None:
    loop = Loop()
    for _ in range(10_000):
        loop.call_later(3600.0, print).cancel()
    assert len(loop._timers) < 1000
    loop.call_later(0.0, loop.stop)
    loop.run_forever()
    loop.close()


def test_a_socket_calls_back_while_it_can_be_read(loop: AnyLoop) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        read: list[bytes] = []

        def readable(end: str) -> None:
            read.append(ours.recv(1))
            if len(read) == 3:
                assert loop.remove_reader(ours)
                assert not loop.remove_reader(ours)
                loop.call_soon(loop.stop)

        loop.add_reader(ours, readable, "x")
        theirs.send(b"abcd")
        loop.run_forever()
        assert read == [b"a", b"b", b"c"]


def test_reading_and_writing_are_watched_apart(loop: AnyLoop) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        said: list[str] = []

        def writable() -> None:
            said.append("writable")
            loop.remove_writer(ours.fileno())
            theirs.send(b"x")

        def readable() -> None:
            said.append("readable")
            loop.remove_reader(ours.fileno())
            loop.stop()

        loop.add_reader(ours.fileno(), readable)
        loop.add_writer(ours.fileno(), writable)
        loop.run_forever()
        assert said == ["writable", "readable"]


def test_a_reader_that_was_removed_in_the_same_turn_is_not_called(loop: AnyLoop) -> None:
    pairs = [socket.socketpair() for _ in range(2)]
    said: list[int] = []

    def readable(number: int) -> None:
        said.append(number)
        for ours, _ in pairs:
            loop.remove_reader(ours)
        loop.call_soon(loop.stop)

    for number, (ours, theirs) in enumerate(pairs):
        loop.add_reader(ours, readable, number)
        theirs.send(b"x")
    loop.run_forever()
    assert len(said) == 1
    for pair in pairs:
        for end in pair:
            end.close()


def test_the_last_who_asks_is_called(loop: AnyLoop) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        loop.add_reader(ours, pytest.fail, "it was replaced")
        loop.add_reader(ours, loop.stop)
        theirs.send(b"x")
        loop.run_forever()
        loop.remove_reader(ours)


def test_a_descriptor_may_be_closed_and_given_again() -> None:
    loop = Loop()
    ours, theirs = socket.socketpair()
    number = ours.fileno()
    loop.add_reader(number, pytest.fail, "it was closed")
    ours.close()
    theirs.close()
    again, other = socket.socketpair()
    os.dup2(again.fileno(), number) if again.fileno() != number else None
    loop.add_reader(number, loop.stop)
    other.send(b"x")
    loop.run_forever()
    loop.close()
    again.close()
    other.close()


def test_another_thread_wakes_a_loop_that_waits(loop: AnyLoop) -> None:
    thread = threading.Timer(0.05, loop.call_soon_threadsafe, [loop.stop])
    thread.start()
    loop.run_forever()
    thread.join()


def test_a_closed_loop_takes_no_call(loop: AnyLoop) -> None:
    loop.close()
    assert loop.is_closed()
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon_threadsafe(print)
    loop.close()


@pytest.mark.parametrize("by_another_thread", [False, True])
def test_a_signal_wakes_a_loop_that_waits(loop: AnyLoop, by_another_thread: bool) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    try:
        loop.add_signal_handler(signal.SIGUSR1, loop.stop)
        target = threading.get_ident() if not by_another_thread else None

        def send() -> None:
            # To this thread itself: the one that waits is not interrupted by it.
            signal.pthread_kill(target or threading.get_ident(), signal.SIGUSR1)

        thread = threading.Timer(0.05, send)
        thread.start()
        loop.run_forever()
        thread.join()
        assert loop.remove_signal_handler(signal.SIGUSR1)
        assert not loop.remove_signal_handler(signal.SIGUSR1)
        assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGUSR1, before)


def failing(kind: type[BaseException]) -> Callable[[], None]:
    def fail() -> None:
        raise kind("no")

    return fail


def test_a_callback_that_fails_is_told_and_the_loop_goes_on(loop: AnyLoop) -> None:
    told: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: told.append(context))
    loop.call_soon(failing(ValueError))
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert [type(context["exception"]) for context in told] == [ValueError]


def test_what_nobody_handles_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    loop = Loop()
    loop.call_soon(failing(ValueError))
    loop.call_soon(loop.stop)
    with caplog.at_level(logging.ERROR):
        loop.run_forever()
    loop.close()
    assert "an error in the callback" in caplog.text


def test_an_interrupt_ends_the_loop(loop: AnyLoop) -> None:
    loop.call_soon(failing(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        loop.run_forever()


def test_a_loop_that_was_told_to_stop_makes_one_turn(loop: AnyLoop) -> None:
    said: list[str] = []
    loop.call_soon(said.append, "once")
    loop.stop()
    loop.run_forever()
    assert said == ["once"]
