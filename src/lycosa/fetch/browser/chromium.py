"""Starts Chromium so that it reaches nothing and keeps nothing, and speaks with it over pipes."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from lycosa.fetch.browser.devtools import Devtools, DevtoolsError

FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://nowhere.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-back-forward-cache",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-gpu",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-notifications",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-quic",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-US",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--renderer-process-limit=2",
    "--js-flags=--max-old-space-size=512",
    "--disable-features=DnsOverHttps,OptimizationHints,MediaRouter,Translate,DialMediaRouteProvide"
    "r,AcceptCHFrame,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgra"
    "des,PaintHolding,AutoDeElevate,RenderDocument,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFul"
    "lPopup,WebUIOmniboxPopupV2,SpareRendererForSitePerProcess",
)
START_SECONDS = 30.0
_READS, _WRITES = 3, 4
"""Descriptors on which Chromium reads commands and writes answers."""


class Browser(NamedTuple):
    """A browser that was started."""

    devtools: Devtools
    version: str
    is_sandboxed: bool
    """Whether Chromium's own sandbox holds its renderers."""


def launched(program: str, home: str, may_lack_sandbox: bool) -> Browser:
    """Start the browser, in its own sandbox wherever that can be had; root has none."""
    failure = "the browser has no sandbox here, and the job does not allow that"
    for is_sandboxed in _ways(may_lack_sandbox):
        with suppress(OSError):
            devtools = _spawned(program, home, is_sandboxed)
            try:
                told = devtools.call("Browser.getVersion", seconds=START_SECONDS)
            except DevtoolsError as error:  # a browser that may not have its sandbox ends
                failure = str(error)
                continue
            return Browser(devtools, told["product"].rpartition("/")[2], is_sandboxed)
    raise DevtoolsError(failure)


def _ways(may_lack_sandbox: bool) -> Iterator[bool]:
    if os.geteuid():
        yield True
    if may_lack_sandbox:
        yield False


def _spawned(program: str, home: str, is_sandboxed: bool) -> Devtools:
    environment = {
        "HOME": home,
        "TMPDIR": home,
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "DBUS_SYSTEM_BUS_ADDRESS": "disabled:",
    }
    words = [program, *FLAGS, f"--user-data-dir={home}/profile"]
    words += [] if is_sandboxed else ["--no-sandbox"]
    commands_out, commands_in = _far(os.pipe())
    answers_out, answers_in = _far(os.pipe())
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, commands_out, _READS),
        (os.POSIX_SPAWN_DUP2, answers_in, _WRITES),
    ]
    try:
        os.posix_spawn(program, words, environment, file_actions=actions)
    finally:
        os.close(commands_out)
        os.close(answers_in)
    return Devtools(commands_in, answers_out)


def _far(ends: tuple[int, int]) -> tuple[int, int]:
    """Return these two descriptors with numbers beyond those that Chromium gets."""
    found = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return found[0], found[1]
