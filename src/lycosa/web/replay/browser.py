"""Starts a browser for `lycosa replay --open` that reaches the replay server and nothing else.

It is a Chromium with a profile of its own, in a private folder that is removed at the end. Every
other address is sent to a proxy that does not exist, names do not resolve, and WebRTC may use no
UDP and no other way than that proxy. So a way around the wall of `replay_worker` leads nowhere.

Chromium has no sandbox of its own when root runs it, so root is refused.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from lycosa.errors import LycosaError
from lycosa.fetch.browser.executable import NAMES

STOP_SECONDS = 5.0


def flags_for(url: str) -> list[str]:
    """Return the flags by which Chromium reaches the server of a URL alone."""
    parts = urlsplit(url)
    return [
        f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {parts.hostname}",
        "--proxy-server=http://nowhere.invalid:1",
        f"--proxy-bypass-list=<-loopback>;{parts.netloc}",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-domain-reliability",
        "--disable-sync",
        "--disable-extensions",
        "--no-pings",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-features=DnsOverHttps,MediaRouter,OptimizationHints,Translate",
    ]


def find_chromium() -> Path:
    """Return the program; raise an error with a remedy if it cannot be used."""
    if os.geteuid() == 0:
        raise LycosaError(
            "--open: Chromium has no sandbox when root runs it\n"
            "  run lycosa replay as another user, or open the address yourself"
        )
    for name in NAMES:
        if (found := shutil.which(name)) is not None:
            return Path(found)
    raise LycosaError(
        "--open finds no Chromium\n"
        "  install one: apt-get install chromium; or open the address yourself"
    )


@contextmanager
def browser_at(program: Path, url: str) -> Iterator[None]:
    """Show a URL in a browser of its own, which ends with the block."""
    with tempfile.TemporaryDirectory(prefix="lycosa-replay-", ignore_cleanup_errors=True) as home:
        command = [str(program), *flags_for(url), f"--user-data-dir={home}", "--", url]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
