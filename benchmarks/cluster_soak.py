"""Crawls with six machines in network namespaces while one thing after the other breaks.

    sudo .venv/bin/python -m benchmarks.cluster_soak [--seeds 1-10] [--seconds 600] [--at-once 2]

Each machine has a network namespace, a small disk, a clock and a name of its own; three NATS
servers have namespaces, too. Every ten seconds a seed chooses a fault: a member is killed or
stopped, its network is cut, in one direction or both, its disk is full or slow, its wall clock
jumps by an hour, a server of the log is killed, the store is down. Every third seed has a limit of
pages; odd seeds keep their content in a shared folder, even ones in an S3 service. In the end the
log is compared with the web, and the referee is asked (`tests/soak`).

Needs root, iproute2, iptables and a C compiler. Prints one JSON line for each seed, then a table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from soak.network import NotPossible, check_machine

HERE = Path(__file__).resolve().parents[1]
APART = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


def soak(seed: int, seconds: float, to: Path) -> dict[str, Any]:
    """Run one seed in namespaces of its own; returns its figures."""
    with tempfile.TemporaryDirectory(prefix=f"lycosa-soak-{seed}-") as folder:
        words = [sys.executable, "-m", "soak.run", "--seed", str(seed), "--folder", folder]
        words += ["--seconds", str(seconds), "--store", "folder" if seed % 2 else "s3"]
        words += ["--limited"] if seed % 3 == 0 else []
        more = [path for path in (os.environ.get("PYTHONPATH"),) if path]
        paths = os.pathsep.join([str(HERE / "tests"), str(HERE), *more])
        log = to / f"seed-{seed}.log"
        with log.open("w") as file:
            subprocess.run(
                [*APART, *words],
                env=os.environ | {"PYTHONPATH": paths},
                stdout=file,
                stderr=subprocess.STDOUT,
                check=False,
            )
    last = log.read_text().splitlines()[-1:]
    if not last or not last[0].startswith("{"):
        return {"seed": seed, "clean": False, "failed": last[0] if last else "", "log": str(log)}
    found: dict[str, Any] = json.loads(last[0])
    return found


def table(found: Sequence[dict[str, Any]]) -> str:
    """Return what came of all seeds, and the faults."""
    lines = [
        "| seed | faults | lives | pages kept, of | lost, twice | breaches | end after | clean |",
        "|---|---|---|---|---|---|---|---|",
    ]
    counts: Counter[str] = Counter()
    for one in found:
        if "failed" in one:
            lines.append(f"| {one['seed']} | | | | | | | no: {one['failed']} |")
            continue
        counts.update(one["faults"])
        wanted = one["max_pages"] or one["pages_of_the_web"]
        limit = " (limit)" if one["max_pages"] else ""
        lost = one["lost"] + one["content_lost"] + one["unstored"]
        twice = one["twice"] + one["content_twice"] + one["stored_twice"]
        lines.append(
            f"| {one['seed']} | {sum(one['faults'].values())} | {one['lives']}"
            f" | {one['kept']:,}, {wanted:,}{limit} | {lost}, {twice}"
            f" | {one['breaches']}"
            f" | {one['end_seconds']:.0f} s | {'yes' if one['clean'] else 'NO'} |"
        )
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
    return "\n".join([*lines, "", f"Faults: {told or 'none'}; {sum(counts.values())} in all."])


def numbers(text: str) -> list[int]:
    """Read `1-10` or `3,5`."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main() -> int:
    """Run all seeds and print what came of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=numbers, default=numbers("1-10"))
    parser.add_argument("--seconds", type=float, default=600.0, help="for how long faults come")
    parser.add_argument("--at-once", type=int, default=2, help="so many crawls beside each other")
    parser.add_argument("--logs", type=Path, help="a folder for what happened, a file for a seed")
    asked = parser.parse_args()
    try:
        check_machine()
    except NotPossible as problem:
        print(f"cluster_soak: {problem}", file=sys.stderr)
        return 2
    to = asked.logs or Path(tempfile.mkdtemp(prefix="lycosa-soak-logs-"))
    to.mkdir(parents=True, exist_ok=True)
    print(f"what happens: {to}", file=sys.stderr)
    found: list[dict[str, Any]] = []
    with ThreadPoolExecutor(asked.at_once) as pool:
        for one in pool.map(lambda seed: soak(seed, asked.seconds, to), asked.seeds):
            print(json.dumps(one), flush=True)
            found.append(one)
    print(table(found))
    return 0 if all(one["clean"] for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
