"""How much slower a crawl is while the copy of a list of pages is made beside it.

    python -m benchmarks.pages_tab_beside --folder DIR [--turns 7] [--levels 7]

`DIR` is that of `pages_tab.py`: its copy is made again and again, at the priority that the server
gives it, while a crawl of a tree of pages runs on loopback without pauses. Turns with and without
the copy take place one after the other; the median of their ratios is printed, for the clock and
for the CPU time of the crawl. Only a machine without other work gives a figure.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LYCOSA = (sys.executable, "-m", "lycosa")


def crawl(told: dict[str, list[str]], folder: Path) -> tuple[float, float]:
    """Crawl the tree; return seconds by the clock, and of CPU."""
    words = ["crawl", *told["seed"], "-o", str(folder), "--quiet", "--allow-private"]
    words += ["--delay", "0", "--ip-delay", "0", "--set", "crawl.workers=1"]
    words += ["--set", f"fetch.hosts_file={Path(told['hosts'][0]).resolve()}"]
    began = time.monotonic()
    silent = subprocess.DEVNULL
    process = subprocess.Popen([*LYCOSA, *words], stdout=silent, stderr=silent)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, "the crawl has failed"
    return time.monotonic() - began, used.ru_utime + used.ru_stime


def with_copy(told: dict[str, list[str]], folder: Path, listed: Path) -> tuple[float, float]:
    """Crawl while the copy is made, which goes on for at least as long."""
    command = (
        f"while {sys.executable} -m lycosa.analysis.page_list.build_process '{listed}'; do :; done"
    )
    maker = subprocess.Popen(
        ["sh", "-c", command], stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        figures = crawl(told, folder)
        assert maker.poll() is None, "the copy could not be made"
        return figures
    finally:
        if maker.poll() is None:
            os.killpg(maker.pid, 15)
        maker.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, required=True, help="a crawl of `pages_tab.py`")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--levels", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        words = ["testweb", "--kind", "tree", "--levels", str(given.levels), "--fanout", "4"]
        words += ["--hosts", "2", "--no-tls", "--folder", f"{place}/web"]
        with subprocess.Popen([*LYCOSA, *words], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            told: dict[str, list[str]] = {}
            while (line := server.stdout.readline().split()) != ["ready"]:
                told.setdefault(line[0], []).append(line[1])
            ratios: list[tuple[float, float]] = []
            for turn in range(given.turns):
                alone = crawl(told, Path(place) / f"alone{turn}")
                beside = with_copy(told, Path(place) / f"beside{turn}", given.folder)
                ratios.append((beside[0] / alone[0], beside[1] / alone[1]))
                print(
                    f"turn {turn + 1}: clock {ratios[-1][0]:.3f}, CPU {ratios[-1][1]:.3f}",
                    flush=True,
                )
            server.terminate()
    clock, cpu = (statistics.median(values) for values in zip(*ratios, strict=True))
    print(f"with the copy beside it: clock {clock:.3f}, CPU {cpu:.3f} times as long")


if __name__ == "__main__":
    main()
