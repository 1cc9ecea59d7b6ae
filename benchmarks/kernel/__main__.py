"""The command: measures crawls and parts, and prints tables."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence

from benchmarks import kernel
from benchmarks.kernel.alone import microseconds, parts_alone
from benchmarks.kernel.stages import CASES, STAGES, Figures, measure_crawl, profile


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def print_crawls(crawls: list[Figures]) -> None:
    titles = [f"{c.shape}, {c.hosts} host{'s' * (c.hosts > 1)}" for c in crawls]
    written = [f"{c.log}, {'journal' if c.store == 'journal' else 'no store'}" for c in crawls]
    rows = [["", *written], ["**all**", *(f"**{crawl.total:.0f}**" for crawl in crawls)]]
    rows += [[stage, *(f"{crawl.stages[stage]:.1f}" for crawl in crawls)] for stage in STAGES]
    print(table(["µs of CPU a page", *titles], rows))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernel", description=(kernel.__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--one-host-pages", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    one_host = options.one_host_pages
    crawls = [
        measure_crawl(case, options.pages if case.hosts > 1 else one_host, options.repeats)
        for case in CASES
    ]
    alone = {
        part.name: (microseconds(part, options.repeats), part.item)
        for part in parts_alone(options.pages, one_host)
    }
    if options.json:
        print(json.dumps({"crawls": [crawl._asdict() for crawl in crawls], "alone": alone}))
        return
    print_crawls(crawls)
    print()
    rows = [[name, f"{taken:.2f}", item] for name, (taken, item) in alone.items()]
    print(table(["part alone", "µs of CPU", "a"], rows))
    if options.profile:
        print(f"\n```\n{profile(options.pages)}\n```")


if __name__ == "__main__":
    main()
