"""What does the index of payloads take: bytes, memory, and microseconds a page?

    python -m benchmarks.payload_index [--pages 1000000] [--batch 200]

Enters payloads as commits do, so many a batch, then looks for some that are there and some that
are not.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from lycosa.model.records import Place
from lycosa.storage.warc.payload_index import FILE, PayloadIndex

LOOKS = 200_000


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def enter(index: PayloadIndex, pages: int, batch: int) -> tuple[float, float, int]:
    """Enter payloads; return CPU seconds, the longest batch in seconds, and bytes of memory."""
    chance = random.Random(0)
    began_with, most, spent, longest = resident_bytes(), 0, 0.0, 0.0
    for start in range(0, pages, batch):
        places = {chance.getrandbits(64) or 1: Place(1, start + n, 0) for n in range(batch)}
        clock, cpu = time.perf_counter(), time.process_time()
        index.add_all(places)
        spent += time.process_time() - cpu
        longest = max(longest, time.perf_counter() - clock)
        most = max(most, resident_bytes())
    cpu = time.process_time()
    index.finish()
    return spent + time.process_time() - cpu, longest, most - began_with


def looked(index: PayloadIndex, seed: int, count: int) -> tuple[float, int]:
    """Look for some payloads; return the CPU seconds of one, and how many were found."""
    chance = random.Random(seed)
    tags = [chance.getrandbits(64) or 1 for _ in range(count)]
    began = time.process_time()
    found = [index.find(tag) for tag in tags]
    return (time.process_time() - began) / count, sum(place is not None for place in found)


def main() -> None:
    """Enter, look and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "warc").mkdir()
        index = PayloadIndex(folder)
        spent, longest, memory = enter(index, given.pages, given.batch)
        size = (folder / "warc" / FILE).stat().st_size
        looks = min(LOOKS, given.pages)
        hit, found = looked(index, 0, looks)
        miss, others = looked(index, 1, LOOKS)
    print(f"{given.pages:,} payloads: {size / given.pages:.1f} bytes each")
    print(f"  memory {memory / 1e6:.1f} MB")
    print(f"  entering {spent / given.pages * 1e6:.2f} µs, the longest batch {longest:.3f} s")
    print(f"  a hit {hit * 1e6:.2f} µs ({found:,} of {looks:,} found)")
    print(f"  a miss {miss * 1e6:.2f} µs ({others:,} found by chance)")


if __name__ == "__main__":
    main()
