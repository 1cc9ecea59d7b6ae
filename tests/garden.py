"""Crawls of the garden, a site with every fault once, and of the same site mended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lycosa.model.records import Purpose, Request
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, Listen, SocketWeb
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.faulty_site import HOME, FaultySite
from warm import lycosa

PAUSE_SECONDS = 0.02


class Seen(FaultySite):
    """The garden, and what it was asked for."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.asked: list[tuple[Purpose, str]] = []

    def answer(self, request: Request, moment: float) -> Reply:
        self.asked.append((request.purpose, request.url))
        return super().answer(request, moment)


class Garden(NamedTuple):
    """A crawl of the garden, and how its web was treated."""

    path: Path
    web: Seen
    server: SocketWeb
    referee: Referee


def crawled(folder: Path, version: int) -> Iterator[Garden]:
    web = Seen(version)
    rules = RefereeRules(
        delay_seconds=PAUSE_SECONDS,
        ip_delay_seconds=PAUSE_SECONDS,
        agent="lycosa",
        tolerance_seconds=SOCKET_TOLERANCE_SECONDS,
    )
    referee = Referee(rules, web)
    with SocketWeb(web, referee=referee, listen=Listen(folder=folder)) as server:
        places = (("hosts_file", server.hosts_file), ("ca_file", server.ca_file))
        settings = [f"fetch.{name}={path}" for name, path in places]
        flags = [word for setting in settings for word in ("--set", setting)]
        pauses = ("--delay", f"{PAUSE_SECONDS}s", "--ip-delay", f"{PAUSE_SECONDS}s")
        path = folder / "garden"
        done = lycosa(
            *("crawl", HOME, "-o", path, "--json", "--allow-private", "--workers", 1),
            *pauses,
            *flags,
        )
        assert done.returncode == 0, done.stderr
        yield Garden(path, web, server, referee)
