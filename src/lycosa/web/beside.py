"""Starts a server beside a crawl, as a process of its own.

The server has a session of its own: its death changes nothing for the crawl, and Ctrl-C ends only
the crawl. It ends ten minutes after the crawl has ended, so that the last figures can be looked at.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from lycosa.errors import LycosaError

BEGIN_SECONDS = 15.0
_started: list[subprocess.Popen[bytes]] = []
"""Servers that were started; they outlive this process, so nothing waits for them."""


def start_beside(directory: Path, port: int) -> str:
    """Start a server for a crawl; return the address with the token."""
    words = ["serve", "--port", str(port), "--until-ended", "--", str(directory)]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "lycosa", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    _started.append(process)
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    said, until = b"", time.monotonic() + BEGIN_SECONDS
    with process.stdout:
        while b"\n" not in said and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
            said += process.stdout.read() or b""
    text = said.decode("utf-8", "replace").strip()
    if not text.startswith("serving at "):
        raise LycosaError(f"the crawl runs without its page: {text}")
    return text.removeprefix("serving at ")
