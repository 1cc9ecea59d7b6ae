"""Measures the cost of a report, on the crawl of `bench_study` or any other studied crawl.

python -m benchmarks.bench_study
python benchmarks/bench_report.py .cache/study/1000000-10000000
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

from lycosa.report.build import report


def main() -> None:
    folder = Path(sys.argv[1])
    report(folder)  # so that a study that is missing is not counted
    began, busy = time.perf_counter(), time.process_time()
    found = report(folder)
    wall, processors = time.perf_counter() - began, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    filled = sum(entry.shown.is_filled for entry in found.entries)
    print(f"{wall:.1f} s, {processors:.1f} s of CPU, peak {peak:.2f} GB")
    print(f"{found.document.stat().st_size:,} bytes, {filled} of {len(found.entries)} sections")


if __name__ == "__main__":
    main()
