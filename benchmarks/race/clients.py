"""The crawlers of the race: the command line of each, and where it leaves its pages.

All of them: one start page, everything under its folder and nothing else, robots files obeyed, 64
connections, no pause. Beyond that each does what it is for. Lycosa keeps its archive, rows of
pages, links and text, its log, and asks one host one question at a time. wget2 keeps the files.
Scrapy keeps a line a page with address and size, as a scraper would; no body is kept.

Those written in Python have environments of their own (`environments`).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from benchmarks.race.environments import bench_environment, lycosa_environment
from benchmarks.race.server import NAMES, addresses, authority
from benchmarks.race.spread import host_of
from benchmarks.race.trees import CACHE, Tree, program

CONNECTIONS = 64
SPIDERS = Path(__file__).parent / "spiders.py"


@dataclass(frozen=True)
class Course:
    """What a client is to run: a tree at a port, whole or its first page, for so long."""

    tree: Tree
    port: int
    seconds: float = 0.0
    only_start: bool = False
    tls: bool = False

    @property
    def site(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def start(self) -> str:
        return self.site + self.tree.start

    @property
    def scope(self) -> str:
        return self.site + self.tree.scope


@dataclass(frozen=True)
class Client:
    """A crawler: its command, its version, and the paths of the HTML pages that it left."""

    name: str
    title: str
    version: str
    command: Callable[[Course, Path], list[str]]
    pages: Callable[[Path], Iterator[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    fine: Sequence[int] = (0,)
    is_slow: bool = False
    names: bool = False
    hosts: int = 0
    """Over how many hosts its tree is spread; 0 if it crawls the tree as it came."""


def lycosa_command(path: str, course: Course, folder: Path) -> list[str]:
    command = [path, "crawl", course.start]
    command += ["-o", str(folder / "crawl"), "--include", course.scope, "--allow-private"]
    command += _as_fast_as_it_goes()
    command += ["--depth", "0" if course.only_start else "3000"]
    command += ["--set", f"fetch.ca_file={authority()}"] if course.tls else []
    return [*command, "--quiet", "--json"]


def lycosa_names_command(path: str, course: Course, folder: Path) -> list[str]:
    """Crawl a share of the tree on each of 64 hosts, so many pages in all as the tree has."""
    hosts = _hosts(course, folder)
    (folder / "seeds").write_text("".join(f"http://{h}{course.tree.start}\n" for h in hosts))
    share = sum(1 for _ in html_files(course.tree.root / course.tree.scope.strip("/")))
    command = [path, "crawl"]
    command += ["--seeds", str(folder / "seeds"), "-o", str(folder / "crawl"), "--allow-private"]
    for host in hosts:
        command += ["--include", f"http://{host}{course.tree.scope}"]
    command += _as_fast_as_it_goes()
    command += ["--set", f"fetch.hosts_file={folder / 'hosts'}"]
    pages = 1 if course.only_start else -(-share // len(hosts))
    command += ["--depth", "3000", "--set", f"limits.host_pages={pages}"]
    return [*command, "--quiet", "--json"]


def lycosa_spread_command(path: str, course: Course, folder: Path) -> list[str]:
    """Crawl a tree that is spread over hosts."""
    start = f"http://{host_of(course.tree.start, course.tree.hosts)}{course.tree.start}"
    command = [path, "crawl", start, "-o", str(folder / "crawl"), "--allow-private"]
    for host in list(_hosts(course, folder))[: course.tree.hosts]:
        command += ["--include", f"http://{host}{course.tree.scope}"]
    command += _as_fast_as_it_goes()
    command += ["--set", f"fetch.hosts_file={folder / 'hosts'}"]
    command += ["--depth", "0" if course.only_start else "3000"]
    return [*command, "--quiet", "--json"]


def _hosts(course: Course, folder: Path) -> dict[str, str]:
    """Write the file that gives 64 hosts an address each; the value is what is in it."""
    hosts = {f"h{n}.race.test": address for n, address in enumerate(addresses(True), 1)}
    lines = [f"{address} {host}" for host, address in hosts.items()]
    (folder / "hosts").write_text("\n".join([*lines, f"port 80 {course.port}", ""]))
    return hosts


def _as_fast_as_it_goes() -> list[str]:
    """Return flags that lift all pauses; what nobody links to is not guessed, as by the rivals."""
    flags = ["--workers", "1", "--delay", "0", "--ip-delay", "0", "--mining", "off"]
    flags += ["--connections", str(CONNECTIONS)]
    for setting in ("politeness.answer_time_factor=0", "limits.host_pages=0"):
        flags += ["--set", setting]
    return flags


def lycosa_pages(folder: Path) -> Iterator[str]:
    """Read the index of the archive: what is in it can be replayed."""
    for file in sorted((folder / "crawl" / "cdx").glob("*.cdxj")):
        with file.open() as lines:
            for line in lines:
                record = json.loads(line.split(" ", 2)[2])
                if str(record["status"]) == "200" and record["mime"] == "text/html":
                    yield path_of(record["url"])


def lycosa_names_pages(folder: Path) -> Iterator[str]:
    """Count pages of different hosts apart."""
    for file in sorted((folder / "crawl" / "cdx").glob("*.cdxj")):
        with file.open() as lines:
            for line in lines:
                record = json.loads(line.split(" ", 2)[2])
                if str(record["status"]) == "200" and record["mime"] == "text/html":
                    yield record["url"]


def wget2_command(path: str, course: Course, folder: Path) -> list[str]:
    command = [path, "--no-config", "--quiet", "--no-host-directories"]
    command += ["--directory-prefix", str(folder / "files"), f"--max-threads={CONNECTIONS}"]
    if not course.only_start:
        command += ["--recursive", "--level=inf", "--no-parent", "--robots=on"]
    command += [f"--ca-certificate={authority()}"] if course.tls else []
    return [*command, course.start]


def wget2_pages(folder: Path) -> Iterator[str]:
    kept = folder / "files"
    for file in html_files(kept):
        yield "/" + str(file.relative_to(kept))


def html_files(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*.html") if file.is_file())


def scrapy_command(python: str, spider: str, course: Course, folder: Path) -> list[str]:
    command = [python, str(SPIDERS), spider, course.start]
    command += [course.scope, str(folder / "pages.jsonl"), "--connections", str(CONNECTIONS)]
    command += ["--seconds", f"{course.seconds:g}"]
    return [*command, *(["--alone"] if course.only_start else [])]


def scrapy_pages(folder: Path) -> Iterator[str]:
    file = folder / "pages.jsonl"
    if file.exists():
        with file.open() as lines:
            for line in lines:
                yield path_of(json.loads(line)["url"])


def path_of(url: str) -> str:
    """Return path and query of a URL, with escapes undone, as a file would be named."""
    parts = urlsplit(url)
    return unquote(parts.path) + (f"?{parts.query}" if parts.query else "")


def clients(names: Sequence[str], revisions: Sequence[str] = ()) -> list[Client]:
    """Make the clients ready that are named; what is missing is installed into `.cache`.

    Each of ours is followed by what it was at the revisions, so that all take turns.
    """
    ready = []
    for name in names:
        ready.append(MAKERS[name]())
        if name in OURS:
            ready += [OURS[name](revision) for revision in revisions]
    return ready


def lycosa_program(revision: str = "") -> str:
    """Return Lycosa as it is installed for the race, or as it was at a revision."""
    return str(lycosa_environment(revision) / "bin" / "lycosa")


def _at(name: str, revision: str) -> str:
    return f"{name}@{revision}" if revision else name


def _lycosa(revision: str = "") -> Client:
    path = lycosa_program(revision)
    return Client(
        _at("lycosa", revision),
        _at("Lycosa", revision),
        _line([path, "--version"]),
        lambda course, folder: lycosa_command(path, course, folder),
        lycosa_pages,
    )


def _lycosa_names(revision: str = "") -> Client:
    path = lycosa_program(revision)
    return Client(
        _at("lycosa-names", revision),
        _at("Lycosa", revision) + ", a share on each of 64 hosts",
        _line([path, "--version"]),
        lambda course, folder: lycosa_names_command(path, course, folder),
        lycosa_names_pages,
        names=True,
    )


def _lycosa_spread(name: str, title: str, hosts: int) -> Client:
    path = lycosa_program()
    return Client(
        name,
        title,
        _line([path, "--version"]),
        lambda course, folder: lycosa_spread_command(path, course, folder),
        lycosa_pages,
        names=True,
        hosts=hosts,
    )


def _wget2() -> Client:
    found = program("wget2", "wget2")
    return Client(
        "wget2",
        "wget2",
        _line([found.path, "--version"], found.environment),
        lambda course, folder: wget2_command(found.path, course, folder),
        wget2_pages,
        environment=found.environment,
        fine=(0, 8),
    )


def _scrapy(kind: str, title: str) -> Client:
    python = str(bench_environment() / "bin" / "python")
    return Client(
        f"scrapy-{kind}",
        title,
        _line([python, "-m", "scrapy", "version"]),
        lambda course, folder: scrapy_command(python, kind, course, folder),
        scrapy_pages,
        is_slow=True,
    )


OURS: Mapping[str, Callable[[str], Client]] = {"lycosa": _lycosa, "lycosa-names": _lycosa_names}
"""Clients that can be had at another revision, too."""

MAKERS: Mapping[str, Callable[[], Client]] = {
    "lycosa": _lycosa,
    "lycosa-names": _lycosa_names,
    "lycosa-spread": lambda: _lycosa_spread("lycosa-spread", "Lycosa, pages on 64 hosts", NAMES),
    "lycosa-absolute": lambda: _lycosa_spread(
        "lycosa-absolute", "Lycosa, these pages on one host", 1
    ),
    "wget2": _wget2,
    "scrapy-lexbor": lambda: _scrapy("lexbor", "Scrapy, lexbor spider"),
    "scrapy-plain": lambda: _scrapy("plain", "Scrapy, CrawlSpider"),
}


def _line(command: list[str], environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=dict(environment or {}) or None
    )
    words = done.stdout.splitlines()[0].split()
    return next((word for word in words if word[0].isdigit()), words[-1])


def run_folder() -> Path:
    """Return where runs leave their output: one disk for all clients."""
    folder = CACHE / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
