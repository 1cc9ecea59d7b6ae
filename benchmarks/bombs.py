"""Measures what pages cost that were made to overload a reader: CPU time and peak memory.

    python -m benchmarks.bombs
    python -m benchmarks.bombs --source ../earlier/src --seconds 120

Every page of `lycosa_testweb.webs.bombs` is read in a process of its own, by the reader that it is
made for, under a limit of address space and of CPU time, so that a version without bounds can be
measured too: `--source` names its `src` folder, with compiled extensions. Beside the size of a page
stand its size packed by gzip, the CPU time, and by how much the process has grown; `ended` says
that a limit ended it. The last row is not a page but its transfer: chunks of one byte.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from lycosa_testweb.webs.bombs import BOMBS, packed

_GIGABYTE = 1 << 30
_READ = """
import json, resource, sys, time
from lycosa.fetch.coding._chunks import ChunkReader
from lycosa.fetch.coding.chunks import dechunk
from lycosa.extract.page import scan
from lycosa.extract.structured import jsonld, meta, microdata, rdfa
from lycosa.extract.structured.distiller import Distiller, Page
from lycosa.analysis.study.main_text import MainTexts

def structured(page):
    facts = scan(page, "text/html")
    found = Distiller().distil(Page(page, "http://a.test/", "text/html", facts), "b")
    return found.size, dict(found.left_out)

def mentions(page):
    return len(scan(page, "text/html", wants_wide=True).hrefs), {}

def main(page):
    texts = MainTexts("resiliparse")
    found = texts.find(page, "text/html").text or ""
    texts.close()
    return len(found), {}

def chunks(page):
    reader = ChunkReader()
    for at in range(0, len(page), 65536):
        reader.take(page[at : at + 65536])
    return len(dechunk(page).content), {}

read = {"mentions": mentions, "main-text": main, "chunks": chunks}.get(sys.argv[1], structured)
small = b"<p property=x:a itemscope><i itemprop=x:b>text</i><meta property='og:a' content=b>"
read(small + b"<script type='application/ld+json'>{}</script>")
page = sys.stdin.buffer.read()
own = resource.RUSAGE_SELF
before, began = resource.getrusage(own).ru_maxrss, time.process_time()
bytes_limit, seconds = int(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_AS, (bytes_limit, bytes_limit))
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
found, left_out = read(page)
taken = time.process_time() - began
grown = resource.getrusage(own).ru_maxrss - before
print(json.dumps([taken, grown / 1000, found, left_out]))
"""


def measure(page: bytes, reader: str, source: str, seconds: int, gigabytes: int) -> list[str]:
    """Return CPU time, growth, and what was found, of reading a page in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-c", _READ, reader, str(gigabytes * _GIGABYTE), str(seconds)],
        input=page,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        check=False,
    )
    if run.returncode == 0:
        taken, grown, found, left_out = json.loads(run.stdout)
        said = ", ".join(f"{name} {count}" for name, count in left_out.items())
        return [f"{taken:.2f}", f"{grown:.0f}", str(found), said]
    said = run.stderr.decode().strip().rpartition("\n")[2]
    is_memory = "MemoryError" in said or "alloc" in said or run.returncode in (-6, -11)
    if run.returncode > 0 and not is_memory:
        raise SystemExit(run.stderr.decode())
    if is_memory:
        return ["", f"ended at {1000 * gigabytes}", "", ""]
    return [f"ended at {seconds}", "", "", ""]


def chunks(size_bytes: int) -> bytes:
    """Return a body whose chunks have one byte each."""
    return b"1\r\na\r\n" * (size_bytes // 6) + b"0\r\n\r\n"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    own = Path(__file__).parent.parent / "src"
    parser.add_argument("--source", default=str(own), help="the src folder that is measured")
    parser.add_argument("--seconds", type=int, default=120, help="CPU time of a page at most")
    parser.add_argument("--gigabytes", type=int, default=4, help="address space at most")
    parser.add_argument("--size", type=int, default=0, help="make all pages of this many bytes")
    parser.add_argument("only", nargs="*", help="names of pages; all if there is none")
    wanted = parser.parse_args()
    cases = {
        name: (bomb.make(wanted.size or bomb.size_bytes), bomb.reader)
        for name, bomb in BOMBS.items()
    }
    cases["chunks"] = (chunks(wanted.size or 1_200_000), "chunks")
    titles = ["page", "reader", "kB", "packed", "CPU s", "grown MB", "found", "left out"]
    print("| " + " | ".join(titles) + " |\n|" + " --- |" * len(titles))
    for name, (page, reader) in cases.items():
        if wanted.only and name not in wanted.only:
            continue
        sizes = [f"{len(page) / 1000:.0f}", f"{len(packed(page)) / 1000:.1f}"]
        limits = (wanted.seconds, wanted.gigabytes)
        row = [name, reader, *sizes, *measure(page, reader, wanted.source, *limits)]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
