"""Records everything a server saw, so that another process can judge the client.

A `Recorder` stands between a server and its referee and writes down, line by line as JSON,
what it passes on: requests that begin, answers that end, kills. The file is complete up to
the last line even if the crawler is killed. `judge` reads it and tells a referee the same
story; kills that only the judge knows of are inserted at their moments.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from lycosa.model.records import Outcome, Purpose, Request
from lycosa_testweb.servers.raw import Watcher
from lycosa_testweb.web import Reply

_TOLD = frozenset({"retry-after", "location"})
"""Headers by which a referee judges."""
_NO_LIMIT = 1 << 62


class Recorder:
    """Writes down what the server sees, and passes it on."""

    def __init__(self, file: IO[str], referee: Watcher | None = None) -> None:
        self._file = file
        self._referee = referee
        self._tickets = 0
        self._theirs: dict[int, int] = {}

    def began(self, request: Request, moment: float, client: str = "") -> int:
        """Write down that a request has come in."""
        self._tickets += 1
        self._write(
            event="began",
            ticket=self._tickets,
            moment=moment,
            url=request.url,
            host=request.host,
            address=request.address,
            purpose=request.purpose.name,
            agent=request.agent,
            client=client,
        )
        if self._referee is not None:
            self._theirs[self._tickets] = self._referee.began(request, moment, client)
        return self._tickets

    def ended(self, ticket: int, moment: float, reply: Reply) -> None:
        """Write down how it ended."""
        self._write(
            event="ended",
            ticket=ticket,
            moment=moment,
            status=reply.status,
            headers=[pair for pair in reply.headers if pair[0].lower() in _TOLD],
            body_bytes=len(reply.body),
            failure=reply.failure.name if reply.failure is not None else None,
        )
        if self._referee is not None:
            self._referee.ended(self._theirs.pop(ticket), moment, reply)

    def killed(self, moment: float, client: str | None = None) -> None:
        """Write down that the client was killed."""
        self._write(event="killed", moment=moment)
        self._theirs.clear()
        if self._referee is not None:
            self._referee.killed(moment, client)

    def partly_killed(self, moment: float, client: str | None = None) -> None:
        """Write down that one of the client's processes was killed."""
        self._write(event="partly-killed", moment=moment, client=client)
        if self._referee is not None:
            self._referee.partly_killed(moment, client)

    def _write(self, **entry: Any) -> None:
        self._file.write(json.dumps(entry, separators=(",", ":")) + "\n")
        self._file.flush()


def read(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of a record; a last line that is not complete is left out."""
    with file.open() as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)


def judge(file: Path, referee: Watcher, kills: Iterable[float] = ()) -> None:
    """Replay a record to a referee, with the kills at their moments."""
    tickets: dict[int, int] = {}
    still_to_come = sorted(kills)
    for entry in read(file):
        moment = entry["moment"]
        while still_to_come and still_to_come[0] <= moment:
            _kill(referee, tickets, still_to_come.pop(0))
        if entry["event"] == "began":
            tickets[entry["ticket"]] = referee.began(_request(entry), moment, entry["client"])
        elif entry["event"] == "killed":
            _kill(referee, tickets, moment)
        elif entry["event"] == "partly-killed":
            referee.partly_killed(moment, entry["client"])
        elif entry["ticket"] in tickets:
            referee.ended(tickets.pop(entry["ticket"]), moment, _reply(entry))


def _kill(referee: Watcher, tickets: dict[int, int], moment: float) -> None:
    tickets.clear()
    referee.killed(moment)


def _request(entry: dict[str, Any]) -> Request:
    purpose = Purpose[entry["purpose"]]
    return Request(
        entry["url"], entry["host"], entry["address"], purpose, entry["agent"], _NO_LIMIT
    )


def _reply(entry: dict[str, Any]) -> Reply:
    failure = entry["failure"]
    return Reply(
        entry["status"],
        tuple((name, value) for name, value in entry["headers"]),
        bytes(entry["body_bytes"]),
        failure=Outcome[failure] if failure else None,
    )
