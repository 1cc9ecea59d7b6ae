from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from lycosa.crawl.status.durations import BOUNDS, Durations
from lycosa.crawl.status.progress import Progress, add_up
from lycosa.runtime.orders.live import Frame
from lycosa.runtime.orders.metrics import metrics, metrics_of

PROGRESS = Progress(
    *(10.0, 20, 3_000, 45, 2.0, 6, 7, {"idle": 1, "taken": 2}, {"kept": 20, "not_found": 4}),
    *({"scope": 5}, 8.0),
    commits=9,
    commit_write_seconds=1.5,
    durations=[0, 3, 0, 0, 0, 1, *[0] * (len(BOUNDS) - 6), 2],
    durations_seconds=130.2,
    free_disk_bytes=1_000,
    last_commit=1_700_000_000.5,
)


def frame(progress: Progress = PROGRESS) -> Frame:
    return Frame(12, 1_700_000_001.0, "running", progress._asdict())


def samples(content: bytes) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(content.decode())
        for sample in family.samples
    }


def test_the_figures_of_a_frame_are_those_of_the_crawl() -> None:
    found = samples(metrics(frame(), "my crawl"))

    def value(name: str, **labels: str) -> float:
        return found[name, tuple(sorted({"crawl": "my crawl", **labels}.items()))]

    assert value("lycosa_fetches_total", outcome="kept") == 20
    assert value("lycosa_fetches_total", outcome="not_found") == 4
    assert value("lycosa_refused_urls_total", reason="scope") == 5
    assert value("lycosa_kept_bytes_total") == 3_000
    assert value("lycosa_frontier_urls", state="pending") == 6
    assert value("lycosa_hosts", phase="taken") == 2 and value("lycosa_hosts", phase="awake") == 0
    assert value("lycosa_requests_in_flight") == 7
    assert value("lycosa_commit_seconds_total", step="write") == 1.5
    assert value("lycosa_disk_free_bytes") == 1_000
    assert value("lycosa_last_commit_timestamp_seconds") == 1_700_000_000.5
    assert value("lycosa_up") == 1
    assert value("lycosa_fetch_duration_seconds_bucket", le="0.005") == 0
    assert value("lycosa_fetch_duration_seconds_bucket", le="0.01") == 3
    assert value("lycosa_fetch_duration_seconds_bucket", le="0.25") == 4
    assert value("lycosa_fetch_duration_seconds_bucket", le="60.0") == 4
    assert value("lycosa_fetch_duration_seconds_bucket", le="+Inf") == 6
    assert value("lycosa_fetch_duration_seconds_count") == 6
    assert value("lycosa_fetch_duration_seconds_sum") == 130.2


def test_every_figure_names_its_crawl_and_no_host_or_url() -> None:
    for name, labels in samples(metrics(frame(), "a")):
        assert dict(labels)["crawl"] == "a", name
        assert set(dict(labels)) <= {
            "crawl",
            "outcome",
            "reason",
            "state",
            "phase",
            "step",
            "le",
        } | {"version"}


def test_crawls_stand_together_under_one_name() -> None:
    content = metrics_of({"a": (frame(), True), "b": (frame(), False)})
    assert content.count(b"# TYPE lycosa_fetches_total counter") == 1
    found = samples(content)
    assert found["lycosa_up", (("crawl", "a"),)] == 1
    assert found["lycosa_up", (("crawl", "b"),)] == 0


def test_a_name_with_quotes_stays_a_label() -> None:
    name = 'a"b\\c\nd'
    found = samples(metrics(frame(), name))
    assert found["lycosa_up", (("crawl", name),)] == 1


def test_a_duration_is_counted_in_the_first_bucket_that_holds_it() -> None:
    durations = Durations()
    for seconds in (0.0, 0.005, 0.0051, 60.0, 61.0):
        durations.note(seconds)
    assert durations.counts[:2] == [2, 1]
    assert durations.counts[-2:] == [1, 1]
    assert sum(durations.counts) == 5


def test_workers_and_those_that_died_are_added_up() -> None:
    total = add_up([PROGRESS, PROGRESS._replace(durations=[])], [PROGRESS])
    assert sum(total.durations) == 2 * sum(PROGRESS.durations)
    assert total.durations_seconds == 3 * PROGRESS.durations_seconds
