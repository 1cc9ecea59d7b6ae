"""One crawl under faults: six machines, three servers of the log, a web with a referee.

    unshare --net --mount --pid --fork --kill-child --mount-proc \\
        python -m soak.run --seed 1 --seconds 600 --folder FOLDER

Prints what happens, and one JSON line in the end. The exit code is 0 if nothing is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from lycosa.errors import LogUnavailable
from lycosa.model.job import Job
from lycosa.runtime.coordination.keys import MEMBERS
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.runtime.members.notes import current_run
from lycosa.runtime.membership.record import unpack
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.robots_kinds import ROBOTS_KINDS
from lycosa_testweb.generated.weather import Overload, RetryAfter
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.robots import Group, Robots
from lycosa_testweb.sections import Moves, Tree, Vault
from lycosa_testweb.servers.server import Listen, SocketWeb
from lycosa_testweb.windows import Windows
from servers.nats import NatsCluster, ServerMachine
from soak import stores
from soak.faults import Around, Faults
from soak.judging import Verdict, judge
from soak.machine import Machine, build_broken
from soak.network import FIRST_OF_WEB, Network
from socket_crawls import RULES_LATER, job_of, socket_rules

MACHINES = 6
SERVERS = 3
PARTITIONS = 24
HOSTS = 48
DELAY_SECONDS = 4.0
DEPTH = 8
FAULT_SECONDS = 10.0
FORGOTTEN_SECONDS = 20.0
"""For how long a machine that was cut off may know of a demand that no other knows of: tenure."""
RESTART_SECONDS = 3.0
"""After how long a process that has ended is started again, as a service manager does."""
EXPECTED = {0, 2, 4, 5, -signal.SIGKILL}
"""How a process may end: in order, without its store or its log, on a full disk, killed."""
PATIENCE_SECONDS = 600.0
"""How long after the last fault the end must be found."""


def web_of(seconds: float, seed: int) -> GeneratedWeb:
    """Return a web that keeps machines busy for some longer; every host has its own address.

    Under faults the machines get about two thirds of what the hosts would give.

    Requests to one address from several machines are not kept one at a time, only their rate is:
    a referee of addresses would see that.
    """
    wanted = 0.72 * seconds / DELAY_SECONDS
    trees = sorted(
        (Tree(levels, fanout) for levels in range(2, 6) for fanout in range(2, 12)),
        key=lambda tree: abs(tree.size - wanted),
    )
    often = Windows(period_seconds=20.0, window_seconds=2.0, share=0.5)
    return GeneratedWeb(
        seed,
        Mixture(
            HOSTS,
            HOSTS,
            sections=(((trees[0],), 5.0), ((trees[1], Vault()), 2.0), ((trees[2], Moves()), 2.0)),
            robots=(
                (ROBOTS_KINDS["none"], 40.0),
                (ROBOTS_KINDS["some"], 30.0),
                (Robots((Group("*", (), DELAY_SECONDS + 1),)), 10.0),
                (ROBOTS_KINDS["moved"], 5.0),
            ),
            overloads=(
                (None, 80.0),
                (Overload(often), 10.0),
                (Overload(often, 503, RetryAfter.DATE), 5.0),
                (Overload(often, retry_after=RetryAfter.UNSAID), 5.0),
            ),
            https_share=0.3,
        ),
    )


class Watch:
    """Asks the log and the board, beside everything else: they may be out of reach for a while."""

    def __init__(self, directory: CrawlDirectory, job: Job) -> None:
        self._log = directory.log(job)
        self._board = open_board(job.log.server, job.log.name)
        self.reason = ""
        """Why the crawl has ended."""
        self.lives: dict[int, str] = {}
        """The machines of all lives."""
        self.gone: set[int] = set()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._is_over.wait(1.0):
            with suppress(LogUnavailable):
                self.reason = current_run(self._log)[1]
            for entry in (self._board.list(MEMBERS) or {}).values():
                member = unpack(entry.value)
                self.lives[member.number] = member.machine
                if member.is_gone:
                    self.gone.add(member.number)

    def close(self) -> None:
        """Stop asking."""
        self._is_over.set()
        self._thread.join(30)
        self._log.close()
        self._board.close()


class Soak:
    """One crawl from its beginning to its verdict."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked = asked
        self._chance = Random(asked.seed)
        self._folder: Path = asked.folder
        self._began = time.monotonic()
        # A limit is reached before the web is at its end.
        self._web = web_of(asked.seconds * (1.3 if asked.limited else 1.0), asked.seed)
        self._referee = Referee(RULES_LATER, self._web, keep_history=True)
        self._network = Network()
        self._exits: Counter[str] = Counter()
        self._ended_at: dict[str, float] = {}
        self._told: set[int] = set()

    def run(self) -> dict[str, Any]:
        """Crawl under faults; return what came of it."""
        for number in range(self._web.plan.addresses):
            self._network.listen_on(FIRST_OF_WEB.removesuffix(".1") + f".{number + 1}")
        servers = self._servers()
        place = self._folder / "store"
        place.mkdir()
        listen = Listen(first_address=FIRST_OF_WEB, folder=self._folder / "web")
        try:
            servers.start_all()
            with (
                stores.opened(self._asked.store, place) as self._store,
                SocketWeb(self._web, referee=self._referee, listen=listen) as self._sockets,
            ):
                os.environ.update(self._store.environment)
                return self._crawl(servers)
        finally:
            servers.stop_all()

    def _servers(self) -> NatsCluster:
        machines = []
        for number in range(SERVERS):
            name, address = f"n{number}", f"10.77.1.{number + 1}"
            self._network.add(name, address)
            machines.append(ServerMachine(address, self._network.inside(name)))
        folder = self._folder / "nats"
        folder.mkdir()
        return NatsCluster(folder, SERVERS, machines=machines)

    def _job(self, servers: NatsCluster) -> Job:
        job = job_of(self._web, self._sockets)
        truth = len(self._web.pages_within(list(job.seeds), DEPTH))
        self._most_pages = truth * 4 // 5 if self._asked.limited else 0
        job = replace(
            job,
            frontier=replace(job.frontier, partitions=PARTITIONS),
            politeness=replace(
                job.politeness, delay_seconds=DELAY_SECONDS, large_site_delay_seconds=DELAY_SECONDS
            ),
            limits=replace(
                job.limits,
                depth_static=DEPTH,
                depth_dynamic=DEPTH,
                pages=self._most_pages,
                free_disk_bytes=self._chance.choice([0, 2_000_000]),
            ),
            fetch=replace(job.fetch, connections=16),
            log=replace(job.log, server=servers.url, seal_seconds=10.0),
            store=replace(job.store, place=self._store.place, seal_seconds=10.0),
        )
        return named_anew(job)

    def _crawl(self, servers: NatsCluster) -> dict[str, Any]:
        job = self._job(servers)
        self._referee.rules = replace(socket_rules(job), demand_window_seconds=FORGOTTEN_SECONDS)
        library = build_broken(self._folder)
        self._machines = [
            Machine(number, self._folder, self._network, library) for number in range(MACHINES)
        ]
        directory = CrawlDirectory.create(self._machines[0].path, job)
        for machine in self._machines:
            machine.words = ["join", job.log.server, job.log.name, "-o", str(machine.path)]
        around = Around(self._machines, self._network, servers, self._store)
        faults = Faults(around, self._chance, self._forget)
        self._begin(directory, job)
        self._watch = Watch(directory, job)
        end_seconds = self._live_through(faults)
        if not self._watch.reason:
            self._say("THE END WAS NOT FOUND")
        self._let_all_seal()
        self._watch.close()
        self._sockets.settle()
        truth = self._web.pages_within(list(job.seeds), DEPTH)
        folders = [one.path for one in self._machines if one.path.exists()]
        stored = self._store.contents(job.log.name, self._folder / "stored")
        verdict = judge(directory, job, truth, folders, stored)
        return self._report(faults, verdict, end_seconds, len(truth))

    # -- the crawl ------------------------------------------------------------------------

    def _begin(self, directory: CrawlDirectory, job: Job) -> None:
        """Start the first machine, then the others; return when all have partitions."""
        first, *others = self._machines
        first.start()
        self._wait("a first request", lambda: self._sockets.requests > 0)
        for machine in others:
            machine.start()
        log = directory.log(job)
        self._wait("all machines", lambda: len({h.owner for h in log.heads()} - {""}) == MACHINES)
        log.close()
        self._say(f"all machines crawl, {self._sockets.requests} requests")

    def _wait(self, what: str, is_there: Any, seconds: float = 180.0) -> None:
        end = time.monotonic() + seconds
        while not is_there():
            if time.monotonic() > end:
                said = "\n".join(one.said()[-2000:] for one in self._machines if one.starts)
                raise RuntimeError(f"waited {seconds:g} s for {what}\n{said}")
            time.sleep(0.1)

    def _live_through(self, faults: Faults) -> float:
        """Inject faults, then wait for the end; returns how long that took after the last one."""
        began = next_fault = now = time.monotonic()
        last_end = now
        while now < began + self._asked.seconds and not self._watch.reason:
            if now >= next_fault:
                next_fault += FAULT_SECONDS
                if text := faults.inject(now):
                    self._say(text)
            now = self._tick(faults)
        faults.end_all()
        self._say("no more faults")
        last_end = time.monotonic()
        while not self._watch.reason and time.monotonic() < last_end + PATIENCE_SECONDS:
            self._tick(faults)
        found = time.monotonic() - last_end
        self._say(f"the end: {self._watch.reason}")
        return found

    def _tick(self, faults: Faults) -> float:
        time.sleep(0.5)
        now = time.monotonic()
        for text in faults.look(now):
            self._say(f"  {text} is whole again")
        for number in self._watch.gone - self._told:
            self._told.add(number)
            name = self._watch.lives[number]
            self._say(f"  life {number} of {name} is over")
            self._forget(next(one for one in self._machines if one.name == name))
        for machine in self._machines:
            self._look_after(machine, now)
        return now

    def _look_after(self, machine: Machine, now: float) -> None:
        """Start a process again that has ended before the crawl has."""
        if machine.is_running or machine.is_faulty or self._watch.reason:
            return
        if machine.name not in self._ended_at:
            self._ended_at[machine.name] = now
            assert machine.process is not None
            self._exits[str(machine.process.returncode)] += 1
            self._say(f"  {machine.name} ended with {machine.process.returncode}")
            if machine.process.returncode not in EXPECTED:
                self._say(f"  that is a bug; its last words:\n{machine.last_words()}")
            self._forget(machine)
        elif now >= self._ended_at[machine.name] + RESTART_SECONDS:
            del self._ended_at[machine.name]
            machine.start()

    def _let_all_seal(self) -> None:
        """Wait until all have left; those that died before the end come once more to seal."""
        self._wait("machines to leave", lambda: not any(m.is_running for m in self._machines), 120)
        for machine in self._machines:
            assert machine.process is not None
            code = machine.process.returncode
            if code:
                self._say(f"  {machine.name} ended with {code}, and comes once more")
                machine.start()
        self._wait("machines to seal", lambda: not any(m.is_running for m in self._machines), 120)

    def _forget(self, machine: Machine) -> None:
        self._sockets.worker_killed(machine.address)

    # -- words ----------------------------------------------------------------------------

    def _report(
        self, faults: Faults, verdict: Verdict, end_seconds: float, truth: int
    ) -> dict[str, Any]:
        breaches = [str(breach) for breach in self._referee.breaches]
        for name, urls in verdict._asdict().items():
            if isinstance(urls, list) and not (name == "lost" and self._most_pages):
                for url in urls[:5]:
                    self._say(f"{name}: {url}")
        for breach in breaches[:20]:
            self._say(breach)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        lost = 0 if self._most_pages else len(verdict.lost)
        pages = self._most_pages or truth
        is_clean = (
            verdict.kept == pages
            and not (lost or (verdict.pending and not self._most_pages))
            and not (verdict.invented or verdict.twice or breaches)
            and not (verdict.content_lost or verdict.content_twice)
            and not (verdict.unstored or verdict.stored_twice)
            and bool(self._watch.reason)
        )
        return {
            "seed": self._asked.seed,
            "store": self._asked.store,
            "clean": is_clean,
            "faults": dict(sorted(faults.counts.items())),
            "pages_of_the_web": truth,
            "max_pages": self._most_pages,
            "kept": verdict.kept,
            "lost": lost,
            "twice": len(verdict.twice),
            "content_lost": len(verdict.content_lost),
            "content_twice": len(verdict.content_twice),
            "unstored": len(verdict.unstored),
            "stored_twice": len(verdict.stored_twice),
            "breaches": len(breaches),
            "forgiven": {str(kind): n for kind, n in self._referee.forgiven.items()},
            "requests": self._sockets.requests,
            "lives": len(self._watch.lives),
            "exits": dict(self._exits),
            "reason": self._watch.reason,
            "seconds": round(time.monotonic() - self._began),
            "end_seconds": round(end_seconds, 1),
            "cpu_seconds": round(used.ru_utime + used.ru_stime),
        }

    def _say(self, text: str) -> None:
        print(f"{time.monotonic() - self._began:7.1f} {text}", flush=True)


def main() -> int:
    """Run one crawl."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long faults come")
    parser.add_argument("--limited", action="store_true", help="with a limit of pages")
    parser.add_argument("--store", choices=["folder", "s3"], default="folder")
    parser.add_argument("--folder", type=Path, required=True, help="an empty folder")
    result = Soak(parser.parse_args()).run()
    print(json.dumps(result), flush=True)
    return 0 if result["clean"] else 1


if __name__ == "__main__":
    sys.exit(main())
