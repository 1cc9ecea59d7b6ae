"""All figures, in the order of `docs/figures.md`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from benchmarks import bursts, freshness, members, mining, papers, phases, windows
from benchmarks.figures import examples
from benchmarks.figures.run import Made, Run


class Figure(NamedTuple):
    """Something of the papers that is measured again."""

    name: str
    shows: str
    takes: str
    """About how long, on two cores."""
    make: Callable[[Run], Made]
    tables: tuple[str, ...]
    """Of the page; one of the figure's own name, but for those that say otherwise."""


def _figure(name: str, shows: str, takes: str, make: Callable[[Run], Made]) -> Figure:
    return Figure(name, shows, takes, make, (name,))


FIGURES = (
    _figure("url-table", "RDFa spider, Table 6 and Figure 13", "2 min", papers.url_table),
    _figure("url-size", "KSpider, section 4", "10 s", papers.url_size),
    _figure("whole-crawls", "RDFa spider, Table 8", "1 min", papers.whole_crawls),
    _figure("gathering-speed", "KSpider, Figure 11: workers", "1 min", papers.gathering_speed),
    _figure("members", "KSpider, Figure 11: members of a cluster", "10 min", members.figure),
    _figure("phases", "KSpider, Figures 3 and 5 to 7", "5 s", phases.figure),
    Figure(
        "bursts",
        "KSpider, 3.1: lists of URLs for one connection",
        "40 s",
        bursts.figure,
        ("bursts", "pipelining"),
    ),
    _figure("windows", "Tarantula, Figures 7 to 9", "1 min", windows.figure),
    _figure("single-example", "Tarantula, 5.1: siblings of one URL", "30 s", mining.figure),
    _figure("freshness", "WIRE, 2.1: revisits by policy", "4 min", freshness.figure),
    Figure("examples", "the worked examples of all papers", "5 min", examples.figure, ()),
)
BY_NAME = {figure.name: figure for figure in FIGURES}
