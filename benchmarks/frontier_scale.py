"""Measures a frontier of up to 10⁸ URLs: memory, choices a second, snapshots and resume.

    python -m benchmarks.frontier_scale [--urls 1000000 10000000] [--choices 200000]
                                        [--resting 0.9] [--folder FOLDER] [--json]

64 partitions get the URLs of `bench_urltable` (on a hundredth as many hosts, some of them large),
and robots rules and an address for each host. Each size has two processes, one after the other:

    whole     all URLs are in memory and all hosts are due: resident memory of the states;
              snapshots of all partitions; their order (`Partition.resume`); choices
    spilled   the states are read from those snapshots and built again. The share `--resting` of
              the hosts has to wait for an hour; when the order stands, `MemoryLimit` spills what
              it may. Then choices of the hosts that are due; snapshots; a new URL for some of the
              spilled sites; choices of spilled hosts whose hour has come; and the states again

A choice is what a worker has its frontier do for a page that brings no links: the agenda wakes
the hosts that are due, the partition in turn gives its next task, the address is claimed, the key
is read, the host is taken, and the answer is there at once: the outcome is applied to the state,
and the host waits for its pause. Virtual time goes on by a millisecond for each.

Seconds are those of the processor, in brackets those of the clock; choices are per second of the
processor.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.frontier_made import HOUR, PARTITIONS, START, Frontier, filled_states, let_rest
from benchmarks.race import table

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.memory_limit import MemoryLimit
from lycosa.frontier.partition import Partition
from lycosa.frontier.urltable import FileVault
from lycosa.storage.log.snapshot import SnapshotFolder

SOME = 2_000
"""How many spilled sites get a new URL."""
SPILLED_CHOICES = 20_000
ROUNDS = 4
"""The choices are measured in so many rounds; the best counts."""


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


# -- snapshots --------------------------------------------------------------------------------


def write_snapshots(states: Sequence[PartitionState], folder: Path) -> dict[str, Any]:
    """Write the snapshots of all partitions; the longest is told in its parts."""
    snapshots = SnapshotFolder(folder)
    parts: list[dict[str, float]] = []
    for number, state in enumerate(states):
        began, start = time.perf_counter(), time.process_time()
        packed = state.pack(1)
        middle = time.process_time()
        size = snapshots.write(number, 1, packed)
        end = time.process_time()
        del packed
        parts.append(
            {
                "urls": len(state.table),
                "seconds": time.perf_counter() - began,
                "cpu": end - start,
                "pack": middle - start,
                "bytes": size,
            }
        )
    found: dict[str, Any] = {
        name: sum(part[name] for part in parts) for name in ("seconds", "cpu", "pack", "bytes")
    }
    found["longest"] = sorted(parts, key=lambda part: -part["cpu"])[:3]
    found["largest"] = max(part["urls"] for part in parts)
    return found


def read_snapshots(folder: Path) -> Iterator[PartitionState]:
    snapshots = SnapshotFolder(folder)
    for number in range(PARTITIONS):
        found = snapshots.newest(number)
        assert found is not None
        yield PartitionState.unpack(found[1])


def choices_a_second(frontier: Frontier, choices: int) -> float:
    """Return the best of some rounds: other programs share the processor's caches."""
    each = choices // ROUNDS
    return each / min(cpu_of(lambda: frontier.ask(each)) for _ in range(ROUNDS))


def cpu_of(work: Callable[[], object]) -> float:
    gc.collect()
    gc.freeze()  # a worker's collector runs seldom (`collect_seldom`)
    start = time.process_time()
    work()
    return time.process_time() - start


def spent(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of some work: of the processor, and of the clock."""
    began, start = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - start, time.perf_counter() - began


# -- the two processes ------------------------------------------------------------------------


def measure_whole(urls: int, choices: int, folder: Path) -> dict[str, Any]:
    before = resident_bytes()
    began = time.perf_counter()
    states = filled_states(urls)
    filled = time.perf_counter() - began
    found: dict[str, Any] = {
        "filled": filled,
        "urls": sum(len(state.table) for state in states),
        "hosts": sum(len(state.host_names) for state in states),
        "states": resident_bytes() - before,
        "tables": sum(state.table.bytes_held() for state in states),
        "snapshots": write_snapshots(states, folder),
    }
    note("snapshots are written", found)
    made: list[Frontier] = []
    found["whole order"] = spent(lambda: made.append(Frontier(states)))
    found["resident"] = resident_bytes() - before
    (frontier,) = made
    note("the order stands", found)
    found["choices"] = choices_a_second(frontier, choices)
    return found


def measure_spilled(choices: int, resting: float, folder: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="lycosa-spilled-", dir=folder) as name:
        found = spill_and_choose(choices, resting, folder, Path(name))
    gc.unfreeze()
    gc.collect()
    again: list[PartitionState] = []
    found["rebuilt again"] = spent(lambda: again.extend(read_snapshots(folder)))
    return found


def spill_and_choose(choices: int, resting: float, folder: Path, disk: Path) -> dict[str, Any]:
    before = resident_bytes()
    states: list[PartitionState] = []
    found: dict[str, Any] = {"rebuilt": spent(lambda: states.extend(read_snapshots(folder)))}
    note("states are built again", found)
    vaults = [FileVault(disk) for _ in states]
    for state, vault in zip(states, vaults, strict=True):
        state.table.put_into(vault)
    urls = sum(len(state.table) for state in states)
    let_rest(states, resting)
    made: list[Frontier] = []
    found["order"] = spent(lambda: made.append(Frontier(states)))
    (frontier,) = made
    counts: list[int] = []
    limit = MemoryLimit(1)
    found["spilling"] = spent(lambda: counts.append(limit.look(frontier.partitions, START)))
    gc.collect()
    found |= {
        "sites": counts[0],
        "spilled": sum(map(spilled_urls, states)),
        "resident": resident_bytes() - before,
        "tables": sum(state.table.bytes_held() for state in states),
        "disk": sum(vault.size_bytes() for vault in vaults),
    }
    note("sites are spilled", found)
    fewer = min(choices, int(urls * (1 - resting)) // 4)  # or these hosts have nothing left
    found["choices"] = choices_a_second(frontier, fewer)
    found["snapshots"] = write_snapshots(states, folder)
    note("snapshots are written", found)
    found |= measure_returns(frontier)
    frontier.now = max(frontier.now, START + HOUR)
    found["spilled choices"] = choices_a_second(frontier, SPILLED_CHOICES)
    return found


def spilled_urls(state: PartitionState) -> int:
    urls = state.table
    return sum(urls.site_urls(n) for n in range(urls.site_count()) if urls.is_spilled(n))


def measure_returns(frontier: Frontier) -> dict[str, float]:
    """Admit a new URL to some spilled sites, which brings them back."""
    wanted: list[tuple[Partition, str]] = []
    urls = 0
    for partition in frontier.partitions:
        state = partition.state
        sites = [n for n in range(state.table.site_count()) if state.table.is_spilled(n)]
        for site in sites[:: max(len(sites) * PARTITIONS // SOME, 1)]:
            urls += state.table.site_urls(site)
            wanted.append((partition, f"{state.site_names[site]}/new"))

    def admit() -> None:
        for partition, key in wanted:
            partition.admit(frontier.now, "", [key], [1])

    seconds = cpu_of(admit)
    return {"return ms": seconds / len(wanted) * 1e3, "return µs a URL": seconds / urls * 1e6}


def note(done: str, found: dict[str, Any]) -> None:
    told = {name: value for name, value in found.items() if not isinstance(value, dict)}
    print(f"{time.strftime('%H:%M:%S')} {done}: {told}", file=sys.stderr, flush=True)


# -- the table --------------------------------------------------------------------------------


def measure(urls: int, asked: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="lycosa-frontier-", dir=asked.folder) as name:
        for process in ("whole", "spilled"):
            words = [sys.executable, "-m", "benchmarks.frontier_scale", "--inside", process]
            words += ["--urls", str(urls), "--choices", str(asked.choices)]
            words += ["--resting", str(asked.resting), "--folder", name]
            done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
            found[process] = json.loads(done.stdout)
            print(f"{process}, {urls:,} URLs: {done.stdout}", file=sys.stderr, flush=True)
    return found


def rows_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    whole, spilled = found["whole"], found["spilled"]
    urls, away = whole["urls"], spilled["spilled"]

    def cost(pair: Sequence[float]) -> str:
        return f"{pair[0]:.1f} ({pair[1]:.1f}) s"

    def all_of(snapshots: dict[str, Any]) -> str:
        seconds = cost((snapshots["cpu"], snapshots["seconds"]))
        return f"{seconds}, {snapshots['bytes'] / 1e6:,.0f} MB"

    def longest_of(snapshots: dict[str, Any]) -> str:
        one = snapshots["longest"][0]
        return f"{one['cpu']:.2f} s, {one['pack']:.2f} of it packing; {one['urls']:,} URLs"

    back = f"{spilled['return ms']:.2f} ms ({spilled['return µs a URL']:.1f} µs a URL of the site)"
    disk = f"{spilled['disk'] / away:.1f} ({spilled['disk'] / 1e6:,.0f} MB)"
    return [
        ("**whole:** states, resident", f"{whole['states'] / 1e6:,.0f} MB"),
        ("bytes a URL", f"{whole['states'] / urls:.1f}"),
        ("of these the tables", f"{whole['tables'] / urls:.1f}"),
        ("with order and clocks", f"{whole['resident'] / urls:.1f}"),
        ("choices a second", f"**{whole['choices']:,.0f}**"),
        ("snapshots of all partitions", all_of(whole["snapshots"])),
        ("the longest of them", longest_of(whole["snapshots"])),
        ("read and rebuilt", cost(spilled["rebuilt"])),
        ("order of all partitions", cost(spilled["order"])),
        ("**spilled:** sites, share of the URLs", f"{spilled['sites']:,}, {away / urls:.0%}"),
        ("spilling them", cost(spilled["spilling"])),
        ("bytes a URL, the tables", f"{spilled['tables'] / urls:.1f}"),
        ("all, resident", f"{spilled['resident'] / urls:.1f}"),
        ("bytes a spilled URL on disk", disk),
        ("choices a second, sites in memory", f"**{spilled['choices']:,.0f}**"),
        ("choices a second, spilled sites", f"**{spilled['spilled choices']:,.0f}**"),
        ("a new URL for a spilled site", back),
        ("snapshots of all partitions, spilled", all_of(spilled["snapshots"])),
        ("the longest of these", longest_of(spilled["snapshots"])),
        ("read and rebuilt, these", cost(spilled["rebuilt again"])),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--urls", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--choices", type=int, default=200_000)
    parser.add_argument("--resting", type=float, default=0.9, help="share of hosts that wait long")
    parser.add_argument("--folder", type=Path, help="where snapshots and spilled sites go")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inside", choices=("whole", "spilled"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        inside = (
            measure_whole(asked.urls[0], asked.choices, asked.folder)
            if asked.inside == "whole"
            else measure_spilled(asked.choices, asked.resting, asked.folder)
        )
        print(json.dumps(inside), flush=True)
        os._exit(0)  # to free everything piece by piece takes long
    found = {urls: measure(urls, asked) for urls in asked.urls}
    if asked.json:
        print(json.dumps(found))
        return
    columns = [dict(rows_of(one)) for one in found.values()]
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    print(table.markdown(["", *(f"{urls:,} URLs" for urls in found)], rows))


if __name__ == "__main__":
    main()
