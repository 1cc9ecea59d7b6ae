"""A headless Chromium, driven through the pipe of its DevTools protocol: no driver, no library.

The browser reads commands from its file descriptor 3 and writes answers and events to 4, as JSON
with a NUL behind each. It can reach no host at all, so what it shows is in the files it was given.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
ANSWER_SECONDS = 60.0


class Browser:
    """One tab."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + ANSWER_SECONDS
        while b"\0" not in self._buffer:
            is_there, _, _ = select.select([self._answers], [], [], deadline - time.monotonic())
            assert is_there, "the browser does not answer"
            read = os.read(self._answers, 1 << 20)
            assert read, "the browser has ended"
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def show(self, path: Path, width: int, height: int = 900) -> None:
        """Open a file in a window of that size, and wait until it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not self.seen("Page.loadEventFired"):
            self.events.append(self._next())

    def seen(self, method: str) -> list[dict[str, Any]]:
        """Return what an event told, every time."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def complaints(self) -> list[str]:
        """Return what the console shows in red."""
        self.evaluate("1")
        thrown = [str(event) for event in self.seen("Runtime.exceptionThrown")]
        logged = [
            event["entry"]["text"]
            for event in self.seen("Log.entryAdded")
            if event["entry"]["level"] in ("error", "warning")
        ]
        called = [str(event["args"]) for event in self.seen("Runtime.consoleAPICalled")]
        return thrown + logged + called

    def requested(self) -> list[str]:
        """Return what the document has asked for, itself included."""
        return [event["request"]["url"] for event in self.seen("Network.requestWillBeSent")]

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def pdf(self) -> bytes:
        """Print."""
        printed = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(printed["data"])


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """Start a browser that keeps what it must in that folder; it ends with the block."""
    program = shutil.which("chromium")
    assert program, "the browser is missing: apt-get install chromium"
    command_reader, command_writer = os.pipe()
    answer_reader, answer_writer = os.pipe()
    redirected = f'exec "$0" "$@" 3<&{command_reader} 4>&{answer_writer}'
    process = subprocess.Popen(
        ["bash", "-c", redirected, program, *FLAGS, f"--user-data-dir={profile}"],
        pass_fds=(command_reader, answer_writer),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"HOME": str(profile)},
    )
    os.close(command_reader)
    os.close(answer_writer)
    try:
        yield Browser(command_writer, answer_reader)
    finally:
        os.close(command_writer)
        os.close(answer_reader)
        process.terminate()
        process.wait(30)
