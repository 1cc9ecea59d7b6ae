"""A web of real documentation: HTML of Debian packages, each a site of its own, on loopback.

    python -m benchmarks.doc_sites CRAWL [--docs /usr/share/doc] [--pages 10000]

Serves the packages that are unpacked under `--docs` and crawls them into CRAWL. To get them without
installing anything:

    apt-get download git-doc sqlite3-doc apache2-doc debian-policy exim4-doc-html gnuplot-doc \
        octave-doc postgresql-doc-15 python-django-doc python-sqlalchemy-doc python3.11-doc
    for file in *.deb; do dpkg -x $file unpacked; done
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

SITES = {
    "git": "git-doc",
    "sqlite": "sqlite3",
    "apache": "apache2-doc/manual",
    "policy": "debian-policy/policy.html",
    "exim": "exim4-doc-html/spec_html",
    "gnuplot": "gnuplot/htmldocs",
    "octave": "octave/octave.html",
    "postgresql": "postgresql-doc-15/html",
    "django": "python-django-doc/html",
    "sqlalchemy": "python-sqlalchemy-doc/html",
    "python": "python3.11/html",
    "handbook": "debian-handbook/html",
}


class _Sites(SimpleHTTPRequestHandler):
    """Answers each host from its own folder."""

    protocol_version = "HTTP/1.1"
    docs = Path()

    def translate_path(self, path: str) -> str:
        name = self.headers.get("Host", "").partition(".")[0]
        self.directory = str(self.docs / SITES.get(name, "nowhere"))
        return super().translate_path(path)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(docs: Path) -> Iterator[int]:
    """Serve the packages; returns the port."""
    handler = type("Sites", (_Sites,), {"docs": docs})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def crawl(folder: Path, docs: Path, pages: int) -> int:
    """Crawl the packages that are there into a folder; returns the number of pages."""
    names = [name for name, path in SITES.items() if (docs / path).exists()]
    hosts = folder.with_suffix(".hosts")
    folder.parent.mkdir(parents=True, exist_ok=True)
    hosts.write_text("".join(f"127.0.0.1 {name}.docs.test\n" for name in names))
    with served(docs) as port:
        seeds = [f"http://{name}.docs.test:{port}/" for name in names]
        job = Job.of(
            seeds,
            (),
            limits={"pages": pages, "free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
            fetch={"allow_private": True, "hosts_file": str(hosts)},
            crawl={"workers": 1},
            robots={"sitemaps": False},
            discovery={"mining": "off"},
        )
        return run_crawl(CrawlDirectory.create(folder, job)).progress.pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crawl", type=Path)
    parser.add_argument("--docs", type=Path, default=Path("/usr/share/doc"))
    parser.add_argument("--pages", type=int, default=10_000)
    given = parser.parse_args()
    print(f"{crawl(given.crawl, given.docs, given.pages):,} pages")


if __name__ == "__main__":
    main()
