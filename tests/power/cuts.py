"""Crawls a web through power cuts, and judges the result from outside."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from item_crawls import counted, packages
from lycosa._support.failpoints import NAMES
from lycosa.model.job import Job
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.verify.inspection import verify
from lycosa.storage.archive.layout import CDX, names_in
from lycosa.storage.archive.reader import captures, table
from lycosa.storage.log.told_segments import told_in
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb
from mirrors import MirroredWeb, check_payloads
from power.disk import Disk
from socket_crawls import RULES_LATER, job_of, socket_rules, web_of

DEPTH = 4
SECONDS = 120
PLACES = [
    name for name in sorted(NAMES) if name.startswith(("seal", "snap", "trim", "log", "comm"))
]
"""Moments at which more than one file is being written."""
DEMANDS_SECONDS = 3.0
"""An answer may be this old before a busy machine has taken it and asked its disk."""


def build_recorder(folder: Path) -> Path:
    """Compile the library that crawls are started with."""
    library = folder / "recorder.so"
    source = Path(__file__).with_name("recorder.c")
    words = ["cc", "-O2", "-fPIC", "-shared", "-o", str(library), str(source)]
    subprocess.run(words, check=True)
    return library


@dataclass
class Told:
    """What a crawl through cuts came to."""

    cuts: int = 0
    runs: int = 0
    syncs: int = 0
    lost_bytes: int = 0
    forgiven: int = 0
    revisits: int = 0
    """Records at the end whose payload is in another one."""


class Crawl:
    """One crawl on a disk that loses its power."""

    def __init__(self, folder: Path, library: Path, seed: int) -> None:
        self.folder = folder.resolve()
        self.path = self.folder / "disk" / "crawl"
        self.path.parent.mkdir()
        self.told = Told()
        self._library = library
        self._packages = packages(self.folder / "packages")
        self._record = self.folder / "record"
        self._said = self.folder / "said"
        self.chance = random.Random(seed)

    def start(self, kill_at: str = "") -> tuple[subprocess.Popen[bytes], Disk]:
        """Start or resume the crawl, and remember what is safe by now."""
        disk = Disk(self.path.parent)
        self._record.unlink(missing_ok=True)
        more = {
            "LD_PRELOAD": str(self._library),
            "LYCOSA_CUT_ROOT": str(disk.root),
            "LYCOSA_CUT_LOG": str(self._record),
            "PYTHONPATH": str(self._packages),
        }
        more |= {"LYCOSA_KILL_AT": kill_at} if kill_at else {}
        command = [sys.executable, "-m", "lycosa", "resume", str(self.path), "--quiet"]
        with self._said.open("wb") as file:
            process = subprocess.Popen(
                command,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=os.environ | more,
                start_new_session=True,
            )
        self.told.runs += 1
        return process, disk

    def cut(self, process: subprocess.Popen[bytes], disk: Disk) -> None:
        """Take the power away: everything dies, and the disk has what it has."""
        with suppress(ProcessLookupError):  # a fail point has killed it, and it was alone
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + SECONDS
        while CrawlDirectory(self.path).holder() is not None:  # workers follow their supervisor
            assert time.monotonic() < deadline
            time.sleep(0.005)
        disk.play(self._record)
        disk.cut(self.chance)
        self.told.cuts += 1
        self.said()
        self.told.syncs += disk.syncs
        self.told.lost_bytes += disk.lost_bytes

    def run_until(self, server: SocketWeb, requests: int, kill_at: str) -> bool:
        """Run until the power fails, after so many requests or at a moment; False if it ended."""
        process, disk = self.start(kill_at)
        wanted = server.requests + requests
        deadline = time.monotonic() + SECONDS
        while process.poll() is None and server.requests < wanted:
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.002)
        code = process.poll()
        if code not in (None, -signal.SIGKILL):
            assert code == 0, self.said()
            disk.play(self._record)
            self.told.syncs += disk.syncs
            return False
        self.cut(process, disk)
        return True

    def finish(self) -> str:
        """Run to the end."""
        process, disk = self.start()
        process.wait(timeout=SECONDS)
        assert process.returncode == 0, self.said()
        disk.play(self._record)
        self.told.syncs += disk.syncs
        return self.said()

    def said(self) -> str:
        """Return the last run's words; what a cut has taken leaves nothing to be repaired."""
        text = self._said.read_text()
        assert "--repair" not in text, text
        return text


def through_cuts(crawl: Crawl, hosts: int, cuts: int, pages: int = 0, workers: int = 1) -> None:
    """Crawl a web with 429s, Crawl-delays and robots files through cuts, and judge everything."""
    web = _web(hosts)
    referee = Referee(RULES_LATER, web, keep_history=True)
    with SocketWeb(web, referee=referee) as server:
        job = _job(web, server, pages, workers)
        rules = socket_rules(job)
        referee.rules = replace(rules, demand_window_seconds=DEMANDS_SECONDS)
        CrawlDirectory.create(crawl.path, job)
        chance, before = crawl.chance, 0
        for _ in range(cuts):
            place = f"{chance.choice(PLACES)}:{chance.randint(1, 12)}"
            requests = chance.randint(0, 2 * hosts)
            # A worker that dies at such a moment is replaced: the machine would go on.
            kill_at = place if workers == 1 and chance.random() < 0.5 else ""
            if not crawl.run_until(server, 2 * hosts if kill_at else requests, kill_at):
                break
            # A cut may take every answer of the run; a page that is asked for again is no breach.
            referee.records_lost({one.url for one in referee.history[before:]})
            before = len(referee.history)
            server.client_killed()
        crawl.finish()
        server.settle()
    crawl.told.forgiven = sum(referee.forgiven.values())
    breaches = "\n".join(str(breach) for breach in referee.breaches)
    assert not breaches, breaches
    judge(crawl.path, web, pages)
    crawl.told.revisits = check_payloads(crawl.path)


def _web(hosts: int) -> MirroredWeb:
    """Return the web of the crawls over sockets, with copies of pages on other hosts."""
    web = web_of(hosts, max(2, hosts // 2))
    return MirroredWeb(web.seed, web.plan)


def _job(web: GeneratedWeb, server: SocketWeb, pages: int, workers: int) -> Job:
    job = job_of(web, server)
    return replace(
        job,
        limits=replace(job.limits, pages=pages),
        log=replace(job.log, snapshot_batches=4, seal_seconds=0.7),
        crawl=replace(job.crawl, workers=workers),
        plugins=replace(job.plugins, use=("rows",)),
    )


def judge(path: Path, web: GeneratedWeb, pages: int) -> None:
    """Every page once in log, tables and archive; limits exact; nothing to be repaired."""
    directory = CrawlDirectory.open(path)
    states = directory.states(directory.job())
    rows = table(path, "pages", ["url", "outcome"]).to_pylist()
    kept = Counter(row["url"] for row in rows if row["outcome"] == "kept")
    assert {url: times for url, times in kept.items() if times > 1} == {}
    truth = web.pages_within([web.home(number) for number in range(web.plan.hosts)], DEPTH)
    if pages:
        assert (len(kept), set(kept) - truth) == (min(pages, len(truth)), set())
    else:
        assert set(kept) == truth
    assert sum(state.kept_pages for state in states.values()) == len(kept)
    stored = Counter(one.url for one in captures(path) if one.status == 200 and one.body)
    assert set(kept) - set(stored) == set()
    named = told_in(path / "log").sealed
    assert named and named <= set(names_in(path, CDX, ".cdxj")), "no reader misses what is there"
    report = verify(path)
    damage = "\n".join(f"{one.file}: {one.what}" for one in report.findings if one.is_damage)
    assert not damage, damage
    found = counted(path)
    assert found.items > len(kept)
    assert (found.lost, found.twice, found.stray) == (0, 0, 0)
    assert audit(directory).breaches == []
