"""Starts Chromium so that it reaches nothing and keeps nothing."""

from __future__ import annotations

import os

from playwright.sync_api import Browser, BrowserType, Error

FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://nowhere.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-notifications",
    "--mute-audio",
    "--no-pings",
    "--no-first-run",
    "--no-default-browser-check",
    "--renderer-process-limit=2",
    "--js-flags=--max-old-space-size=512",
    "--disable-features=DnsOverHttps,OptimizationHints,MediaRouter,Translate,DialMediaRouteProvide"
    "r",
)


def launched(kind: BrowserType, program: str, home: str, may_lack_sandbox: bool) -> Browser:
    """Start the browser, in its own sandbox wherever that can be had; root has none."""
    ways = [True] if os.geteuid() else []
    ways += [False] if may_lack_sandbox else []
    environment: dict[str, str | float | bool] = {
        "HOME": home,
        "TMPDIR": home,
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "DBUS_SYSTEM_BUS_ADDRESS": "disabled:",
    }
    for is_sandboxed in ways:
        try:
            return kind.launch(
                executable_path=program,
                args=FLAGS,
                env=environment,
                chromium_sandbox=is_sandboxed,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
        except Error:
            if is_sandboxed is ways[-1]:
                raise
    raise Error("the browser has no sandbox here, and the job does not allow that")
