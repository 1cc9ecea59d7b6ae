"""Speaks the DevTools protocol with Chromium over two pipes: commands out, answers and events in.

A message is JSON and ends with a zero byte. `call` waits for the answer to a command, and hands all
events that come meanwhile to their handlers; handlers only `post`, so that no wait lies in another.

Always true: a call ends with its answer or with `DevtoolsError`, also when the browser or the page
has gone.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from lycosa._support.decoders import json_decoder

Params = dict[str, Any]
_CHUNK_BYTES = 1 << 18
LATE = "the browser took too long"


class DevtoolsError(Exception):
    """A command failed."""


class BrowserGone(DevtoolsError):
    """The browser has closed its pipe."""


class PageGone(DevtoolsError):
    """The page crashed, or was closed."""


class TooLate(DevtoolsError):
    """The answer did not come in time."""


class Devtools:
    """A connection to a browser."""

    def __init__(self, commands: int, answers: int) -> None:
        """Write to the one descriptor, read from the other."""
        self._commands = commands
        self._answers = answers
        self._poll = select.poll()
        self._poll.register(answers, select.POLLIN)
        self._handlers: dict[str, Callable[[str, Params], None]] = {}
        self._left = bytearray()
        self._number = 0
        self._awaited: dict[int, Params | None] = {}
        self._second_ways: dict[int, Callable[[], None]] = {}
        self._gone: set[str] = set()
        """Sessions whose page has gone."""
        self._encode = msgspec.json.Encoder().encode
        self._decode: Callable[[bytes], Any] = json_decoder(Any).decode

    def on(self, event: str, handler: Callable[[str, Params], None]) -> None:
        """Let a function take the events of a name, with their sessions."""
        self._handlers[event] = handler

    def post(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        session: str = "",
        on_failure: Callable[[], None] | None = None,
    ) -> int:
        """Send a command without waiting for its answer; return its number."""
        self._number += 1
        if on_failure is not None:
            self._second_ways[self._number] = on_failure
        message: Params = {"id": self._number, "method": method}
        if params:
            message["params"] = params
        if session:
            message["sessionId"] = session
        packed = memoryview(self._encode(message) + b"\0")
        while packed:
            try:
                packed = packed[os.write(self._commands, packed) :]
            except OSError as error:
                raise BrowserGone("the browser closed") from error
        return self._number

    def call(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        session: str = "",
        seconds: float = 60.0,
    ) -> Params:
        """Send a command and return its result; raise `DevtoolsError` if it fails."""
        number = self.post(method, params, session)
        self._awaited[number] = None
        try:
            self.run_until(lambda: self._awaited[number] is not None, seconds, session)
            answer = self._awaited[number]
        finally:
            del self._awaited[number]
        if answer is None:
            raise TooLate(f"{method}: {LATE}")
        if "error" in answer:
            raise DevtoolsError(f"{method}: {answer['error'].get('message', '')}")
        result: Params = answer["result"]
        return result

    def run_until(self, is_done: Callable[[], bool], seconds: float, session: str = "") -> bool:
        """Handle what comes until something is done; return whether it was done in time."""
        until = time.monotonic() + seconds
        while not is_done():
            if session in self._gone:
                raise PageGone("the page crashed")
            left = until - time.monotonic()
            if left <= 0:
                return False
            if self._poll.poll(left * 1000 + 1):
                self._take()
        return True

    def lose(self, session: str) -> None:
        """Let all calls to a page fail that has gone."""
        self._gone.add(session)

    def _take(self) -> None:
        some = os.read(self._answers, _CHUNK_BYTES)
        if not some:
            raise BrowserGone("the browser closed")
        self._left += some
        if b"\0" not in some:
            return
        *messages, rest = self._left.split(b"\0")
        self._left = rest
        for message in messages:
            self._handle(self._decode(bytes(message)))

    def _handle(self, message: Params) -> None:
        number = message.get("id")
        if number is not None:
            second_way = self._second_ways.pop(number, None)
            if number in self._awaited:
                self._awaited[number] = message
            elif second_way is not None and "error" in message:
                second_way()
            return
        handler = self._handlers.get(message["method"])
        if handler is not None:
            handler(message.get("sessionId", ""), message.get("params", {}))
