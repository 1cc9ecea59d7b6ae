"""How many commits of the size that a broad crawl makes does a log take in a second?

    python -m benchmarks.commit_rates [--only postgres,jetstream] [--seconds 8] [--writers 8]

So many connections commit as fast as they are answered. Servers as in `benchmarks.logs`, on this
machine, with fsync. Three sizes of commits, each with the batches and posts of one machine with 16
partitions, as the simulation of a cluster counts them (`benchmarks.scale_simulation`):

    at once     2 batches of 60 bytes, 1 post: a robots file has come in
    soon        10 batches of 60 bytes, 13 posts of 55 bytes: links have come in
    paced       16 batches of 250 bytes, 48 posts of 55 bytes: twice a second, whatever comes
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.logs import Connect, filling, opened, taken

from lycosa.storage.log.protocol import Write

OWN = 16
KINDS = ("postgres", "jetstream")


class Shape(NamedTuple):
    """What one commit holds."""

    batches: int
    batch_bytes: int
    posts: int


SHAPES = {"at once": Shape(2, 60, 1), "soon": Shape(10, 60, 13), "paced": Shape(16, 250, 48)}
POST_BYTES = 55


def rate(connect: Connect, writers: int, shape: Shape, seconds: float) -> tuple[float, float]:
    """Return commits a second of all writers, and milliseconds of one commit."""
    logs = [connect() for _ in range(writers)]
    partitions = writers * OWN
    taken(logs[0], partitions)
    chance = Random(1)
    batch, message = filling(shape.batch_bytes, chance), filling(POST_BYTES, chance)
    done = [0] * writers
    end = time.perf_counter() + seconds

    def work(number: int) -> None:
        own = [OWN * number + one for one in range(OWN)]
        heads = dict.fromkeys(own, 1)
        lots = Random(number)
        while time.perf_counter() < end:
            chosen = lots.sample(own, shape.batches)
            posts: list[list[tuple[int, bytes]]] = [[] for _ in chosen]
            for one in range(shape.posts):
                posts[one % len(chosen)].append((lots.randrange(partitions), message))
            writes = [
                Write(p, heads[p], batch, some, 0) for p, some in zip(chosen, posts, strict=True)
            ]
            assert logs[number].commit(writes) == [heads[p] + 1 for p in chosen]
            for p in chosen:
                heads[p] += 1
            done[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(writers)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    for log in logs:
        log.close()
    return sum(done) / took, 1000 * writers * took / max(1, sum(done))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--writers", type=int, default=8)
    given = parser.parse_args()
    print("| log | commits | a second | batches and posts a second | ms a commit |")
    print("|---|---|---|---|---|")
    for kind in given.only.split(","):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            folder.chmod(0o755)
            with opened(kind, folder) as new:
                for name, shape in SHAPES.items():
                    connect = new(given.writers * OWN)
                    commits, each = rate(connect, given.writers, shape, given.seconds)
                    messages = commits * (shape.batches + shape.posts)
                    print(f"| {kind} | {name} | {commits:.0f} | {messages:,.0f} | {each:.1f} |")


if __name__ == "__main__":
    main()
