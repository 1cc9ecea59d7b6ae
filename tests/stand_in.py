"""A stand-in for the hosts that the examples name: `https://example.org/` and others, on loopback.

The pages say `lycosa crawl https://example.org/ -o mycrawl --contact you@example.org`, and tests
must ask no host of the Internet. So every host is the library of the test web under another name.
A command is typed as it stands, with the flags of `StandIn` behind it: where the stand-in is, whom
to trust, and pauses that suit a test. A program has the same beside the contact of its job.
"""

from __future__ import annotations

import json

from msgspec import structs

from lycosa.model.records import Request, Resolved
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.books import HOST, LibraryWeb

CONTACT: dict[str, object] = {"contact": "you@example.org"}
QUOTE = '"'
SITES = ("https://example.org", "https://example.cl", "http://wiki.corp.example")


class ExampleWeb:
    """The library, as often as there are sites."""

    def __init__(self) -> None:
        self._library = LibraryWeb()
        self._sites = {site.partition("//")[2]: site for site in SITES}

    def hosts(self) -> list[str]:
        """Return the names."""
        return list(self._sites)

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer as the library does, by the name that was asked for."""
        host = request.url.split("/")[2]
        theirs, ours = f"http://{HOST}", self._sites[host]
        asked = request.url.replace(f"{request.url.split('/')[0]}//{host}", theirs, 1)
        reply = self._library.answer(structs.replace(request, url=asked), moment)
        return reply._replace(body=reply.body.replace(theirs.encode(), ours.encode()))

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return an address for each."""
        return self._library.resolve(HOST, moment)


class StandIn:
    """Where the stand-in is, for commands and for programs."""

    def __init__(self, server: SocketWeb) -> None:
        self.sections: dict[str, dict[str, object]] = {
            "fetch": {
                "hosts_file": str(server.hosts_file),
                "ca_file": str(server.ca_file),
                "allow_private": True,
            },
            "politeness": {
                "delay_seconds": 0.0,
                "large_site_delay_seconds": 0.0,
                "ip_delay_seconds": 0.0,
                "answer_time_factor": 0.0,
            },
            "extract": {"soft_404_after": 0},
            "discovery": {"mining": "off"},
        }

    def flags(self) -> list[str]:
        """Return what a command is told beside what the page says."""
        settings = [
            f"{section}.{key}={json.dumps(value).strip(QUOTE)}"
            for section, values in self.sections.items()
            for key, value in values.items()
        ]
        return [word for setting in settings for word in ("--set", setting)]

    def told(self, script: str) -> str:
        """Return a program whose job is told the same beside its contact."""
        sections = {**self.sections, "fetch": CONTACT | self.sections["fetch"]}
        words = ", ".join(f"{name}={values!r}" for name, values in sections.items())
        told = script.replace(f"fetch={json.dumps(CONTACT)}", words)
        assert "Job.of" not in told or "hosts_file" in told, "it would ask hosts of the Internet"
        return told
