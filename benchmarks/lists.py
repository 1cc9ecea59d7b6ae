"""Counts what a crawl with default limits finds of sites with lists, and what endless ones cost.

    python -m benchmarks.lists [--dynamic 5 10 15]

Every host of `lycosa_testweb.lists` is crawled by itself, in virtual time, by the real code: once
as before pagination had a kind of its own (`[extract] pagination = 0`, and at most five links to
URLs with a query), and once for each depth of URLs with a query that is given.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from lycosa.model.job import Job
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.lists.finite import Site
from lycosa_testweb.lists.web import SITES, ListsWeb

BEFORE = {"extract": {"pagination": 0}, "limits": {"depth_dynamic": 5}}


def crawl(site: Site, folder: Path, **sections: dict[str, object]) -> tuple[int, int, int]:
    """Return the pages found of those that a site has, their number, and the requests for pages."""
    web = ListsWeb([site])
    job = Job.of(
        [web.home(site)],
        **{"politeness": {"delay_seconds": 1.0}, "frontier": {"partitions": 2}, **sections},  # type: ignore[arg-type]
    )
    simulation = Simulation(web, job, folder)
    result = simulation.run()
    assert result.reason == "exhausted" and not result.breaches
    wanted = web.pages(site)
    return len(wanted & set(simulation.kept_urls())), len(wanted), len(web.asked)


def main() -> None:
    """Print a row for each site."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dynamic", type=int, nargs="*", default=[Job.of().limits.depth_dynamic])
    options = parser.parse_args()
    ways = [("before", BEFORE)]
    ways += [(f"depth {n}", {"limits": {"depth_dynamic": n}}) for n in options.dynamic]
    heads = [f"{name}: found | requests" for name, _ in ways]
    print(f"| site | pages | {' | '.join(heads)} |\n|---|---|{'---|---|' * len(ways)}")
    for site in SITES:
        cells = []
        for _, sections in ways:
            with tempfile.TemporaryDirectory() as folder:
                found, pages, asked = crawl(site, Path(folder), **sections)  # type: ignore[arg-type]
            cells += [f"{found:,}" if pages else "", f"{asked:,}"]
        print(f"| {site.host} | {pages or 'endless'} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
