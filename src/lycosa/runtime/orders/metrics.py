"""The figures of a crawl for Prometheus, in its text format.

All figures have the label `crawl`. None has a host or a URL as a label, because a label with many
values would make a time series of each. Counters cover the whole crawl where the log knows them
(fetches, refusals, kept bytes), and this run where it does not (requests, commits, durations). The
latter begin at 0 again after a restart, which Prometheus expects of counters.

    lycosa_fetches_total{outcome}            URLs by outcome
    lycosa_refused_urls_total{reason}        URLs that were not admitted
    lycosa_kept_pages_total, lycosa_kept_bytes_total, lycosa_requests_total
    lycosa_frontier_urls{state}              pending, put_off
    lycosa_hosts{phase}                      idle, waiting, resolving, queued, awake, taken
    lycosa_requests_in_flight, lycosa_workers, lycosa_paused, lycosa_up
    lycosa_commits_total, lycosa_commit_seconds_total{step}
    lycosa_fetch_duration_seconds            a histogram
    lycosa_disk_free_bytes, lycosa_unsent_bytes
    lycosa_last_commit_timestamp_seconds, lycosa_frame_timestamp_seconds
    lycosa_build_info{version}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from itertools import accumulate
from typing import Any

from lycosa.crawl.status.durations import BOUNDS
from lycosa.errors import LycosaError
from lycosa.runtime.orders.live import Frame

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PHASES = ("idle", "waiting", "resolving", "queued", "awake", "taken")


def metrics(frame: Frame, name: str, *, is_running: bool = True) -> bytes:
    """Return the figures of a frame; `name` is the value of the label `crawl`."""
    return metrics_of({name: (frame, is_running)})


def metrics_of(frames: Mapping[str, tuple[Frame, bool]]) -> bytes:
    """Return the figures of several crawls by name, each with whether it is running."""
    try:
        from prometheus_client import CollectorRegistry, generate_latest
    except ModuleNotFoundError:
        raise LycosaError(
            "figures for Prometheus need prometheus-client\n"
            "  install, in the clone of Lycosa: pip install '.[serve]'"
        ) from None

    class Collected:
        """The collector that the client library asks for the figures."""

        def collect(self) -> Iterable[Any]:
            """Return every metric with the samples of all crawls."""
            found: dict[str, Any] = {}
            for name, (frame, is_running) in frames.items():
                for metric in _metrics(frame, name, is_running):
                    if metric.name in found:
                        found[metric.name].samples += metric.samples
                    else:
                        found[metric.name] = metric
            return found.values()

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collected())
    return generate_latest(registry)


def _metrics(frame: Frame, name: str, is_running: bool) -> Iterator[Any]:
    from prometheus_client.core import HistogramMetricFamily

    progress = frame.figures()
    installed = {version("lycosa"): 1}
    yield _gauge("lycosa_build_info", "The version of Lycosa.", name, installed, "version")
    yield _gauge("lycosa_up", "Whether a process is crawling.", name, {"": int(is_running)})
    yield _gauge("lycosa_paused", "Whether it is paused.", name, {"": int(progress.is_paused)})
    counted = dict(progress.outcomes)
    yield _counter("lycosa_fetches", "URLs by outcome.", name, counted, "outcome")
    refused = dict(progress.refusals)
    yield _counter("lycosa_refused_urls", "URLs not admitted, by reason.", name, refused, "reason")
    yield _counter("lycosa_kept_pages", "Pages that were kept.", name, {"": progress.pages})
    yield _counter("lycosa_kept_bytes", "Bytes of kept pages.", name, {"": progress.bytes})
    yield _counter("lycosa_requests", "Requests of this run.", name, {"": progress.requests})
    waiting = {"pending": progress.pending, "put_off": progress.put_off}
    yield _gauge("lycosa_frontier_urls", "URLs in the queue.", name, waiting, "state")
    phases = {phase: progress.hosts.get(phase, 0) for phase in PHASES}
    yield _gauge("lycosa_hosts", "Hosts by phase.", name, phases, "phase")
    under_way = {"": progress.in_flight}
    yield _gauge("lycosa_requests_in_flight", "Requests in flight.", name, under_way)
    yield _gauge("lycosa_workers", "Worker processes.", name, {"": progress.workers})
    yield _counter("lycosa_commits", "Commits of this run.", name, {"": progress.commits})
    steps = {
        "queue": progress.commit_queue_seconds,
        "lock": progress.commit_lock_seconds,
        "write": progress.commit_write_seconds,
    }
    yield _counter("lycosa_commit_seconds", "Time of commits by step.", name, steps, "step")
    histogram = HistogramMetricFamily(
        "lycosa_fetch_duration_seconds", "Durations of requests.", labels=["crawl"]
    )
    counts = progress.durations or [0] * (len(BOUNDS) + 1)
    bounds = [*map(str, BOUNDS), "+Inf"]
    buckets = list(zip(bounds, map(float, accumulate(counts)), strict=True))
    histogram.add_metric([name], buckets, progress.durations_seconds)
    yield histogram
    free = {"": progress.free_disk_bytes}
    yield _gauge("lycosa_disk_free_bytes", "Bytes free on the disk of the crawl.", name, free)
    unsent = {"": progress.unsent_bytes}
    yield _gauge("lycosa_unsent_bytes", "Content that is not in the store yet.", name, unsent)
    last = {"": progress.last_commit}
    yield _gauge("lycosa_last_commit_timestamp_seconds", "When it last committed.", name, last)
    seen = {"": frame.moment}
    yield _gauge("lycosa_frame_timestamp_seconds", "When these figures were taken.", name, seen)


def _gauge(metric: str, text: str, crawl: str, values: Mapping[str, float], label: str = "") -> Any:
    from prometheus_client.core import GaugeMetricFamily

    found = GaugeMetricFamily(metric, text, labels=["crawl", *([label] if label else [])])
    return _filled(found, crawl, values, label)


def _counter(
    metric: str, text: str, crawl: str, values: Mapping[str, float], label: str = ""
) -> Any:
    from prometheus_client.core import CounterMetricFamily

    found = CounterMetricFamily(metric, text, labels=["crawl", *([label] if label else [])])
    return _filled(found, crawl, values, label)


def _filled(found: Any, crawl: str, values: Mapping[str, float], label: str) -> Any:
    for value, number in values.items():
        found.add_metric([crawl, *([value] if label else [])], number)
    return found
