"""Serves a labelled corpus as a web of many hosts, for simulated crawls and over sockets.

    python -m benchmarks.focus.corpus_web --data FOLDER [--purity 0.5] [--seed 1] [--port N]

Pages keep their paths below `/wp/`. The *purity* is the share of a sub-topic's pages (those with
the same first label) that lie on hosts which hold nothing else; all others, and the pages without
a label, are spread over mixed hosts by chance. Links between pages are rewritten to name the host
of their target; nothing else of a page is changed, and nothing is written to disk.

The command prints hosts file and seeds as `lycosa testweb` does, and serves until Ctrl-C or
SIGTERM.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
from collections import defaultdict
from pathlib import Path
from urllib.parse import quote, unquote

from benchmarks.focus.corpus import SERVED_UNDER, bodies_of, labels_of

from lycosa.model.records import Request, Resolved
from lycosa_testweb.mixing import digest, fraction
from lycosa_testweb.parts import take_apart
from lycosa_testweb.servers.server import Listen, SocketWeb
from lycosa_testweb.web import HTML, PLAIN, Reply

PAGES_PER_HOST = 40
LATENCY_SECONDS = (0.05, 0.4)
SUFFIX = "-corpus.test"
"""Each host is a registrable domain of its own, so that hosts are spread over partitions."""
_LINK = re.compile(rb'(href=")\.\./\.\./wp/([^"#]+)')


class CorpusWeb:
    """A corpus spread over hosts."""

    def __init__(self, folder: Path, purity: float = 0.5, seed: int = 1) -> None:
        self._bodies = dict(bodies_of(folder))
        self.labels = dict(labels_of(folder))
        self._hosts = spread(self._bodies, self.labels, purity, seed)
        self._names = sorted(set(self._hosts.values()), key=_number)

    def answer(self, request: Request, moment: float) -> Reply:
        """Return a page with links to the hosts of their targets."""
        path = self._path(request.url)
        least, most = LATENCY_SECONDS
        seconds = least + (most - least) * fraction(digest(request.url))
        if path is None:
            return Reply(404, PLAIN, b"no such page\n", seconds)
        return Reply(200, HTML, _LINK.sub(self._rewritten, self._bodies[path]), seconds)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return an address that the host has for itself."""
        number = _number(host) if host.endswith(SUFFIX) else -1
        if not 0 <= number < len(self._names):
            return Resolved(None, 3600.0)
        return Resolved(f"10.2.{number >> 8}.{number & 255}", 3600.0)

    def hosts(self) -> list[str]:
        """Return the names of all hosts."""
        return self._names

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything: there is no robots file."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0

    def url(self, path: str) -> str:
        """Return where a page of the corpus is served; its path is quoted as a URL has it."""
        return f"http://{self._hosts[path]}/{SERVED_UNDER}{quote(path)}"

    def paths(self) -> list[str]:
        """Return the paths of all pages."""
        return sorted(self._bodies)

    def labels_at(self, url: str) -> tuple[str, ...]:
        """Return the labels of a URL's page; none if it has none, or there is no page."""
        return self.labels.get(self._path(url) or "", ())

    def _path(self, url: str) -> str | None:
        parts = take_apart(url)
        under = f"/{SERVED_UNDER}"
        path = unquote(parts.path.removeprefix(under))
        is_here = parts.path.startswith(under) and self._hosts.get(path) == parts.host
        return path if is_here else None

    def _rewritten(self, match: re.Match[bytes]) -> bytes:
        written = match[2].decode("utf-8", "replace")
        path = written if written in self._hosts else unquote(written)
        return match[1] + self.url(path).encode() if path in self._hosts else match[0]


def spread(
    paths: dict[str, bytes], labels: dict[str, tuple[str, ...]], purity: float, seed: int
) -> dict[str, str]:
    """Return the host of every page."""
    chance = random.Random(seed)
    groups: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        groups[labels[path][0] if path in labels else ""].append(path)
    mixed = groups.pop("", [])
    hosts: list[list[str]] = []
    for group in groups.values():
        chance.shuffle(group)
        alone = round(len(group) * purity)
        hosts += _cut(group[:alone])
        mixed += group[alone:]
    chance.shuffle(mixed)
    hosts += _cut(mixed)
    chance.shuffle(hosts)
    return {path: f"h{number}{SUFFIX}" for number, pages in enumerate(hosts) for path in pages}


def _cut(pages: list[str]) -> list[list[str]]:
    return [pages[at : at + PAGES_PER_HOST] for at in range(0, len(pages), PAGES_PER_HOST)]


def _number(host: str) -> int:
    number = host.removesuffix(SUFFIX).removeprefix("h")
    return int(number) if number.isdecimal() else -1


def main() -> None:
    """Serve until a signal comes."""
    parser = argparse.ArgumentParser(description="serve a corpus as a web of many hosts")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--purity", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where the hosts file goes")
    options = parser.parse_args()
    signals = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    web = CorpusWeb(options.data, options.purity, options.seed)
    listen = Listen(options.port, folder=options.folder)
    with SocketWeb(web, tls=False, listen=listen) as server:
        print(f"hosts {server.hosts_file}")
        for path in random.Random(options.seed).sample(web.paths(), 20):
            print(f"seed {web.url(path)}")
        print("ready", flush=True)
        signal.sigwait(signals)


if __name__ == "__main__":
    main()
