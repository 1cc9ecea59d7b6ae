"""How many bytes does a page take in each family of files that a store keeps?

    python -m benchmarks.store_sizes [--tree A]

One crawl of a tree of the race, by the command of the race; then the sizes of its folders.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.race import server as web_server
from benchmarks.race import trees
from benchmarks.race.clients import Course, lycosa_command

FAMILIES = ("warc", "cdx", "pages", "links", "text", "hosts", "triples", "digests")


def main() -> None:
    """Crawl and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tree", default="A")
    tree = trees.prepare(trees.TREES[parser.parse_args().tree])
    with (
        web_server.serving(trees.program("nginx", "nginx"), tree) as port,
        tempfile.TemporaryDirectory() as made,
    ):
        command = lycosa_command("lycosa", Course(tree, port), Path(made))[1:]
        done = subprocess.run(
            [sys.executable, "-m", "lycosa", *command], check=True, capture_output=True
        )
        summary = json.loads(done.stdout)
        crawl = Path(summary["directory"])
        sizes = {
            family: sum(path.stat().st_size for path in (crawl / family).glob("*"))
            for family in FAMILIES
        }
    pages = summary["pages"]
    print(
        f"{pages} pages, {summary['bytes'] / pages:.0f} bytes of body each; in the store, a page:"
    )
    for family, size in sizes.items():
        print(f"  {family:8} {size / pages:8.1f}")
    print(f"  {'all':8} {sum(sizes.values()) / pages:8.1f}")


if __name__ == "__main__":
    main()
