"""`lycosa export triples` to a real server, Oxigraph's, killed on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from lycosa.analysis.triples.export import export
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from triple_stores import graphs_at, oxigraph
from unit.analysis.triples.segments import block, seal
from warm import in_full, lycosa

PAGES = 120
KILLED = """
import os, signal, sys
from pathlib import Path
from lycosa.analysis.triples.export import export

left = int(sys.argv[3])

def reach(name):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

export(Path(sys.argv[1]), sys.argv[2], reach=reach)
"""


def said_by(*words: object) -> str:
    done = lycosa(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_graphs_arrive_once_through_kills_and_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    CrawlDirectory.create(folder, Job())
    first = [block(f"a.test/{n}?q=a&b", 10, "x", f"{n}") for n in range(PAGES)]
    blank = first[0].quads + b'_:f1 <http://p.test/says> "blank" <http://a.test/0?q=a&b> .\n'
    seal(folder, 1, first[0]._replace(quads=blank), *first[1:])
    with oxigraph(tmp_path / "store") as address:
        url = f"{address}/store"
        for reached in (1, 50):
            command = [sys.executable, "-c", KILLED, str(folder), url, str(reached)]
            killed = subprocess.run(command, check=False, env=os.environ, timeout=120)
            assert killed.returncode == -signal.SIGKILL
        done = export(folder, url)
        # Each kill forgot the one page that had been acknowledged.
        assert done.pages == PAGES - 49
        expected = {f"http://a.test/{n}?q=a&b": 2 + (n == 0) for n in range(PAGES)}
        assert graphs_at(address) == expected
        assert said_by("export", "triples", folder, "--to", url).startswith("0 triples of 0 pages")

        seal(folder, 2, block("a.test/0?q=a&b", 20), block("a.test/1?q=a&b", 20, "now"))
        assert said_by("export", "triples", folder, "--to", url) == (
            "1 triples of 2 pages sent in 2 requests\n"
        )
        del expected["http://a.test/0?q=a&b"]
        expected["http://a.test/1?q=a&b"] = 1
        assert graphs_at(address) == expected


def test_an_address_that_is_no_store_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    CrawlDirectory.create(folder, Job())
    seal(folder, 1, block("a.test/1", 10, "x"))
    with oxigraph(tmp_path / "store") as address:
        done = in_full("export", "triples", folder, "--to", f"{address}/nothing")
        assert done.returncode == 7
        assert "answered PUT with status" in done.stderr
