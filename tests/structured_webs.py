"""Webs with structured data, in simulated crawls."""

from __future__ import annotations

import json
from collections import Counter

from lycosa.model.job import Job
from lycosa.model.records import Request, Resolved
from lycosa_testweb.servers.raw import Hosted
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, PLAIN, Reply


def job_of(server: SocketWeb, *seeds: str, **sections: dict[str, object]) -> Job:
    tables: dict[str, dict[str, object]] = {
        "limits": {"free_disk_bytes": 0},
        "politeness": {
            "delay_seconds": 0.0,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
        },
        "fetch": {"allow_private": True, "hosts_file": str(server.hosts_file)},
        "frontier": {"partitions": 4},
        "log": {"commit_seconds": 0.05},
        "crawl": {"workers": 1},
    }
    for name, keys in sections.items():
        tables[name] = tables.get(name, {}) | keys
    return Job.of(seeds, (), **tables)


def page(said: str, *links: str) -> Reply:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    data = json.dumps({"@context": "https://schema.org", "name": said}) if said else ""
    script = f'<script type="application/ld+json">{data}</script>' if said else ""
    return Reply(200, HTML, f"<!doctype html><title>t</title>{script}{anchors}".encode())


GONE = Reply(404, PLAIN, b"no\n")


class ChangingWeb(Hosted):
    """Hosts whose pages answer otherwise the second time."""

    def __init__(self, pages: dict[str, list[Reply]]) -> None:
        self._pages = pages
        self.asked: Counter[str] = Counter()

    def hosts(self) -> list[str]:
        return sorted({url.split("/")[2] for url in self._pages})

    def answer(self, request: Request, moment: float) -> Reply:
        replies = self._pages.get(request.url, [GONE])
        self.asked[request.url] += 1
        return replies[min(self.asked[request.url], len(replies)) - 1]

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved(f"10.0.0.{1 + self.hosts().index(host)}", 3600.0)
