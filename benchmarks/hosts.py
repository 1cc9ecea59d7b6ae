"""Measures the memory of a host in a broad crawl: many hosts, each with one URL that waits.

    python -m benchmarks.hosts [--hosts 1000000] [--sharing 3]

The log of such a crawl is written and resumed as `resume.py` does. Resident memory is read twice:

    waiting   every host waits for its pause, on the agenda
    due       all pauses are over and all names are looked up: every host stands at its address,
              and of `--sharing` hosts on one address the first is awake
"""

from __future__ import annotations

import argparse
import gc
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.resume import START, Size, resident_bytes, resume, snapshot_crawl, write_crawl

from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.agenda import Agenda

LATER = START + 1e6 + 60


def phases(partitions: list[Partition]) -> str:
    counts: Counter[str] = Counter()
    for partition in partitions:
        counts.update(partition.readiness.counts())
    return ", ".join(f"{count:,} {phase}" for phase, count in counts.items() if count)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=1_000_000)
    parser.add_argument("--sharing", type=int, default=3)
    options = parser.parse_args()

    def resolve(number: int, host: int) -> str:
        partitions[number].state.hosts.address_expires[host] = LATER + 1e6
        place = (host * len(partitions) + number) // options.sharing
        return f"10.{place >> 16 & 255}.{place >> 8 & 255}.{place & 255}"

    agenda = Agenda()
    with tempfile.TemporaryDirectory(prefix="lycosa-bench-") as name:
        write_crawl(Path(name), Size(options.hosts + 1, options.hosts, 1))
        snapshot_crawl(Path(name))
        gc.collect()
        before = resident_bytes()
        partitions = resume(Path(name), agenda, resolve)
    for moment in ("waiting", "due"):
        if moment == "due":
            agenda.run(LATER)
        gc.collect()
        held = resident_bytes()
        each = (held - before) / options.hosts
        print(
            f"{moment}: {each:.0f} bytes a host, {held / 1e6:,.0f} MB in all;", phases(partitions)
        )


if __name__ == "__main__":
    main()
