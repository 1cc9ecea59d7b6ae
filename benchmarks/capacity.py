"""The capacity model: what a crawl of so many pages by so many machines needs, and what limits it.

    python -m benchmarks.capacity                                    all tables of docs/scale.md
    python -m benchmarks.capacity --pages 1e9 --machines 100 --hosts 1e7 --delay 1
    python -m benchmarks.capacity --units                            the unit costs

Everything follows from `benchmarks.unit_costs`, and from what is said of web and machines: pages,
hosts, links, pauses, cores, connections, the line. `limits_of` returns how many pages a second each
resource allows; the least of them is the speed, and the order is the order in which they give way.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from benchmarks import unit_costs as cost

DAY = 86_400.0


@dataclass(frozen=True)
class Plan:
    """A crawl, its web, and the machines."""

    pages: float = 1e6
    machines: float = 1
    hosts: float = 1e4
    delay: float = 1.0
    """Seconds between two requests to a host."""
    largest: float = 25_000
    """Pages of the largest site; `[limits] host_pages` is the most that are taken."""
    urls: float = 5.0
    """Known URLs for each page fetched."""
    links: float = 2.0
    """Links of a page to other partitions that its partition has not passed on before."""
    latency: float = 0.5
    cores: float = 4
    """Of a machine, each with a worker process."""
    connections: float = 64
    """Of a worker process."""
    line: float = 125e6
    """Bytes a second of a machine."""
    partitions: float = 960
    """The most that JetStream takes."""
    seal: float = 60.0
    """Seconds between two uploads of a worker."""
    commit: float = 0.5
    """Seconds between two commits of a worker, when the log is busy."""
    batches: float = 200
    """Of a partition, between two snapshots."""

    @property
    def members(self) -> float:
        """Worker processes; each is a member of the cluster."""
        return self.machines * self.cores


def limits_of(plan: Plan) -> dict[str, float]:
    """Return how many pages a second each resource allows, the least first."""
    page_cpu = cost.PAGE_CPU.value * cost.LOG_CPU_FACTOR.value
    asked = 1 + plan.hosts / plan.pages
    turn = plan.delay + plan.latency  # a pause runs from the end of an answer
    left = plan.cores - snapshot_cores(plan) - plan.cores * watch_cores(plan)
    found = {
        "pauses of hosts": plan.hosts / turn,
        "the largest site": plan.pages / (min(plan.largest, plan.pages) * turn),
        "connections": plan.members * plan.connections / plan.latency / asked,
        "processors": max(0.0, plan.machines * left / page_cpu),
        "the line": plan.machines * plan.line / line_bytes(plan),
        "the log (JetStream)": log_pages(plan, cost.MESSAGES_JETSTREAM.value),
        "the log (PostgreSQL)": log_pages(plan, cost.MESSAGES_POSTGRES.value),
    }
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def pages_a_second(plan: Plan) -> float:
    """Return the speed with the log in JetStream."""
    return min(rate for name, rate in limits_of(plan).items() if "Postgre" not in name)


def seconds_of(plan: Plan) -> float:
    """Return how long the crawl takes; for ever if snapshots leave no core for pages."""
    rate = pages_a_second(plan)
    return plan.pages / rate if rate else float("inf")


def log_pages(plan: Plan, messages: float) -> float:
    """Return how many pages a second a log takes that writes so many batches and posts.

    Each partition writes one batch in every commit of its owner at the most, and each link to
    another partition is a post.
    """
    most_batches = plan.partitions / plan.commit
    alone = messages / (1 + plan.links)  # while few pages share a batch
    return max(alone, (messages - most_batches) / plan.links)


def line_bytes(plan: Plan) -> float:
    """Return what crosses a machine's line for a page: body, objects, log."""
    return cost.BODY_BYTES.value + cost.STORE_PAGE.value + log_bytes(plan) / plan.pages


def log_bytes(plan: Plan) -> float:
    """Return all bytes that are given to the log."""
    return (
        plan.pages * (cost.EVENTS_PAGE.value + plan.links * cost.POST_BYTES.value)
        + plan.hosts * cost.EVENTS_HOST.value
    )


def log_disk(plan: Plan) -> float:
    """Return what the log takes on the disk of one JetStream server, snapshots having been made."""
    return log_bytes(plan) * cost.ON_DISK_JETSTREAM.value * cost.ARCHIVED.value


def memory_bytes(plan: Plan) -> float:
    """Return the memory of one machine."""
    known = (
        plan.hosts * cost.HOST_BYTES.value
        + plan.pages * plan.urls * cost.URL_BYTES.value
        + plan.pages * cost.PAGE_BYTES.value
    )
    return plan.cores * cost.PROCESS_BYTES.value + known / plan.machines


def least_memory_bytes(plan: Plan) -> float:
    """Return the same if URLs of sites that are finished or wait are moved to disk."""
    saved = cost.URL_BYTES.value - cost.SEALED_URL_BYTES.value
    return memory_bytes(plan) - 0.9 * plan.pages * plan.urls * saved / plan.machines


def snapshot_cores(plan: Plan) -> float:
    """Return how many cores of a machine write snapshots when the crawl is at its end."""
    every = plan.batches * plan.commit
    return plan.pages * plan.urls * cost.SNAPSHOT_CPU.value / every / plan.machines


def watch_cores(plan: Plan) -> float:
    """Return which part of a core a member spends on reading the records of all others."""
    return plan.members * cost.BOARD_READ_CPU.value


def board_cores(plan: Plan) -> float:
    """Return how many cores of the servers are spent on members that watch each other."""
    return plan.members**2 * cost.BOARD_SERVER_CPU.value


def takeover_seconds(plan: Plan) -> float:
    """Return how long the others fold the partitions of a machine that has died."""
    urls = plan.pages * plan.urls / plan.machines
    helpers = max(1.0, (plan.machines - 1) * plan.cores)
    return urls * cost.FOLD_SECONDS.value / helpers


def puts(plan: Plan) -> float:
    """Return how many objects are written in all."""
    segments = plan.members * max(1.0, seconds_of(plan) / plan.seal)
    return segments * cost.FILES_A_SEGMENT.value


# -- tables -----------------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def units() -> str:
    """Return the unit costs."""
    rows = [[one.name, _unit(one), f"`{one.measured_by}`"] for one in cost.COSTS]
    return table(["what", "costs", "measured by"], rows)


def _unit(one: cost.Cost) -> str:
    if one.unit == "s":
        micro = one.value * 1e6
        return f"{micro:,.0f} µs" if micro >= 10 else f"{micro:g} µs"
    if one.unit == "bytes" and one.value >= 1e5:
        return size(one.value)
    return f"{one.value:,g} {one.unit}".strip()


def size(count: float) -> str:
    """Return bytes for people."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:,.3g} {unit}" if count < 1000 else f"{count:,.0f} {unit}"
        count /= 1000
    raise AssertionError


def span(seconds: float) -> str:
    """Return a time for people."""
    if seconds == float("inf"):
        return "never"
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 3 * DAY else f"{seconds / DAY:,.0f} days"


def speeds(plans: Iterable[Plan]) -> str:
    """Return how fast crawls are and what a machine needs for them, a row each."""
    header = ["pages", "hosts", "machines", "pages/s", "takes", "held back by"]
    header += ["memory a machine (least)", "line of a machine", "take-over, CPU"]
    rows = []
    for plan in plans:
        rate = pages_a_second(plan)
        first = next(name for name in limits_of(plan) if "Postgre" not in name)
        rows.append(
            [
                power(plan.pages),
                power(plan.hosts),
                f"{plan.machines:g}",
                f"{rate:,.0f}",
                span(seconds_of(plan)),
                first if rate else "snapshots take all cores",
                f"{size(memory_bytes(plan))} ({size(least_memory_bytes(plan))})",
                f"{8e-6 * rate * line_bytes(plan) / plan.machines:,.0f} Mbit/s",
                span(takeover_seconds(plan)),
            ]
        )
    return table(header, rows)


def sizes(plans: Iterable[Plan]) -> str:
    """Return what log and store hold in the end, a row for each crawl."""
    header = ["pages", "machines", "given to the log", "log on a server's disk", "store", "objects"]
    rows = [
        [
            power(plan.pages),
            f"{plan.machines:g}",
            size(log_bytes(plan)),
            size(log_disk(plan)),
            size(plan.pages * cost.STORE_PAGE.value),
            amount(puts(plan)),
        ]
        for plan in plans
    ]
    return table(header, rows)


def amount(number: float) -> str:
    """Return a number for people."""
    if number == float("inf"):
        return "–"
    return f"{number / 1e6:,.1f} million" if number >= 1e6 else f"{number:,.0f}"


def power(number: float) -> str:
    """Return 10⁶ for 1e6."""
    digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    text = f"{number:.0e}"
    first, _, exponent = text.partition("e+")
    raised = "".join(digits[int(digit)] for digit in str(int(exponent)))
    return f"10{raised}" if first == "1" else f"{first} · 10{raised}"


def limits(plan: Plan) -> str:
    """Return the limits of one crawl, the first to give way first."""
    rows = [[name, f"{rate:,.0f}"] for name, rate in limits_of(plan).items()]
    rows += [
        ["cores of a machine for snapshots", f"{snapshot_cores(plan):.2f}"],
        ["part of a core that a member watches others with", f"{watch_cores(plan):.1%}"],
        ["cores of the coordination store's servers for that", f"{board_cores(plan):.2f}"],
    ]
    return table(["what", "pages a second"], rows)


GRID = [
    Plan(pages=pages, hosts=pages / 100, machines=machines, delay=1.0)
    for pages in (1e6, 1e7, 1e8, 1e9)
    for machines in (1, 10, 100)
]


def tables() -> list[str]:
    """Return the tables of docs/scale.md."""
    ten = [plan for plan in GRID if plan.machines == 10]
    return [speeds(GRID), sizes(ten), limits(GRID[-1]), units()]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    defaults = Plan()
    for field in fields(Plan):
        parser.add_argument(f"--{field.name}", type=float)
    parser.add_argument("--units", action="store_true", help="print the unit costs")
    given = vars(parser.parse_args())
    wants_units = given.pop("units")
    said = {name: value for name, value in given.items() if value is not None}
    if wants_units:
        print(units())
    elif said:
        plan = replace(defaults, **said)
        print(speeds([plan]), sizes([plan]), limits(plan), sep="\n\n")
    else:
        print(*tables(), sep="\n\n")


if __name__ == "__main__":
    main()
