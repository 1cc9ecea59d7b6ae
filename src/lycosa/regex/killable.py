"""Matches expressions with `re` in a process that is killed when a match takes too long.

It serves crawls that were begun when `re` matched everything. The process starts with the first
match, reads a line per match and writes a line back. If no line comes within `MATCH_SECONDS`
the process is killed, and the next match starts another one. When the parent ends, the process
ends too, because its input closes.

Cost: about 50 µs a match, many times the cost of a match in this process.
"""

from __future__ import annotations

import json
import logging
import os
import select
import subprocess
import sys
import time
from contextlib import suppress

from lycosa.regex.expression import TooSlow

MATCH_SECONDS = 1.0
START_SECONDS = 30.0
"""How long a process may take to start: a machine can be busy."""

_PROGRAM = """\
import json, re, sys
pattern = re.compile(json.loads(sys.argv[1]))
print("ready", flush=True)
for line in sys.stdin:
    replacement, text = json.loads(line)
    is_search = replacement is None
    found = bool(pattern.search(text)) if is_search else pattern.sub(replacement, text)
    print(json.dumps(found), flush=True)
"""

messages = logging.getLogger(__name__)


class KillableExpression:
    """An expression of `re` that may take a second for each text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._process: subprocess.Popen[bytes] | None = None

    def search(self, text: str) -> bool:
        """Tell whether the expression is found; raises `TooSlow`."""
        return bool(self._ask(None, text))

    def sub(self, replacement: str, text: str) -> str:
        """Replace every match; raises `TooSlow`."""
        return str(self._ask(replacement, text))

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None and process.stdout is not None:
            process.kill()
            process.wait()
            with suppress(OSError):
                process.stdin.close()
            process.stdout.close()

    def __del__(self) -> None:
        self.close()

    def _ask(self, replacement: str | None, text: str) -> object:
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(json.dumps([replacement, text]).encode() + b"\n")
        process.stdin.flush()
        answer = self._line(process, MATCH_SECONDS)
        if answer is None:
            self.close()
            messages.warning(
                "the expression `%s` took more than %g s and was stopped; URL refused: %s",
                self._text,
                MATCH_SECONDS,
                text,
            )
            raise TooSlow(self._text)
        return json.loads(answer)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _PROGRAM, json.dumps(self._text)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for its parent
            )
            if self._line(self._process, START_SECONDS) is None:
                self.close()
                raise TooSlow(self._text)
        return self._process

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
        """Read a line, or give up."""
        assert process.stdout is not None
        descriptor, line = process.stdout.fileno(), b""
        deadline = time.monotonic() + seconds
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                return None
            read = os.read(descriptor, 65_536)
            if not read:
                return None
            line += read
        return line
