"""The figures of a crawl for Prometheus, as `lycosa status --format prometheus` prints them."""

from __future__ import annotations

import click

from lycosa.errors import LycosaError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.live import read_frame

prometheus_option = click.option(
    "--format",
    "form",
    type=click.Choice(["prometheus"]),
    help="Print the figures for Prometheus; write them to a file for node_exporter.",
)


def prometheus_text(directory: CrawlDirectory) -> bytes:
    """Return the figures of the last moment of a crawl."""
    from lycosa.runtime.orders.metrics import metrics

    frame = read_frame(directory.path)
    if frame is None:
        raise LycosaError(
            f"{directory.path}: has no live.json, which a running crawl writes every second\n"
            f"  go on with the crawl: lycosa resume {directory.path}"
        )
    is_running = frame.state != "ended" and frame.is_fresh()
    return metrics(frame, directory.path.resolve().name, is_running=is_running)
