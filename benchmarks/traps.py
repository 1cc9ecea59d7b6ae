"""Measures the requests that go to traps and soft 404s, with and without the defence.

    python -m benchmarks.traps [--pages 120] [--seeds 1 2 3]

The endless web of the test web, crawled in virtual time by the real code: nine hosts of `--pages`
honest pages each, with a calendar, a maze of paths, sessions, rooms that are all alike, all of
them at once, and error pages with status 200 that lead to more; two of the honest hosts look like
traps. Depth is not limited, for depth is what ends such places otherwise; a host gives at most
twenty times its honest pages. The web itself says what belongs to a trap and what is missing.

With `--folder` the defence also judges real pages: every HTML file below a folder is weighed as if
it had been crawled, in the order of links.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.partitions import waiting_partition

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.status.figures import refusals_of
from lycosa.extract.page import scan
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.features.novelty.copies import SeenTexts
from lycosa.features.novelty.traps import TrapWatch
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import Answer, Fetched, Outcome, Purpose, Request, Weighed
from lycosa.model.url import canonical_keys, key_of
from lycosa.simulation.kills import KillPlan, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb.generated.plans import endless
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.parts import take_apart
from lycosa_testweb.web import Reply

TIMES = 20
"""So many times its honest pages a host may give at the most."""


class WatchedWeb(GeneratedWeb):
    """The endless web, which writes down what it is asked for."""

    def __init__(self, seed: int, pages_per_host: int) -> None:
        super().__init__(seed, endless(pages_per_host))
        self.asked: list[str] = []

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer, and count requests for pages."""
        if request.purpose is Purpose.PAGE:
            self.asked.append(request.url)
        return super().answer(request, moment)

    def honest(self) -> set[str]:
        """Return every honest page that a crawler may ask for."""
        return {url for url in self.all_pages() if self.is_allowed(url, "lycosa")}


class Spent(NamedTuple):
    """Where the requests for pages went."""

    asked: int
    in_traps: int
    missing: int
    """Soft 404s."""
    honest: int
    found: int
    """Honest pages that are there, and those that were kept."""
    by_host: Counter[str]
    """Requests that went to traps."""
    refusals: dict[str, int]

    @property
    def share(self) -> float:
        """The share of requests that went to traps and soft 404s."""
        return (self.in_traps + self.missing) / self.asked


def job_for(web: GeneratedWeb, pages_per_host: int, *, defended: bool, **more: object) -> Job:
    """Return a job that has every host as a seed."""
    sections: dict[str, dict[str, object]] = {
        "limits": {
            "depth_static": 3000,
            "depth_dynamic": 3000,
            "host_pages": TIMES * pages_per_host,
        },
        "politeness": {"delay_seconds": 1.0},
        "frontier": {"partitions": 8},
        "discovery": {"mining": "off"},
        "log": {"snapshot_batches": 20},
    }
    if not defended:
        sections["traps"] = {"budget": 0}
        sections["extract"] = {"soft_404_after": 0}
    for name, values in more.items():
        assert isinstance(values, dict)
        sections[name] = sections.get(name, {}) | values
    return Job.of([web.home(number) for number in range(web.plan.hosts)], (), **sections)


def spent(web: WatchedWeb, simulation: Simulation, result: Result) -> Spent:
    """Count what a crawl has asked for."""
    honest, kept = web.honest(), set(simulation.kept_urls())
    traps = [url for url in web.asked if web.is_trap(url)]
    missing = sum(web.is_missing(url) for url in web.asked if not web.is_trap(url))
    return Spent(
        len(web.asked),
        len(traps),
        missing,
        len(honest),
        len(honest & kept),
        Counter(take_apart(url).host for url in traps),
        refusals_of(result.states.values()),
    )


def crawl(
    seed: int,
    pages_per_host: int,
    folder: Path,
    *,
    defended: bool,
    kills: KillPlan = no_kills,
    workers: int = 1,
    **more: object,
) -> tuple[Spent, Simulation, Result]:
    """Crawl an endless web once."""
    web = WatchedWeb(seed, pages_per_host)
    job = job_for(web, pages_per_host, defended=defended, **more)
    simulation = Simulation(web, job, folder, seed=seed, workers=workers)
    result = simulation.run(kills)
    return spent(web, simulation, result), simulation, result


# -- pages that nobody made up ----------------------------------------------------------------


def files_in_order(root: Path, start: str) -> Iterator[tuple[str, bytes]]:
    """Yield the pages below a folder by links, from one of them on."""
    seen, todo = {start}, deque([start])
    base = "http://docs.test"
    while todo:
        path = todo.popleft()
        file = root / path.lstrip("/")
        if not file.is_file():
            continue
        body = file.read_bytes()
        yield path, body
        if not path.endswith(".html"):
            continue
        facts = scan(body, "text/html; charset=utf-8")
        for key in canonical_keys(list(facts.hrefs), base + path):
            if key and key.startswith("test.docs:/"):
                target = key[len("test.docs:") :]
                if target not in seen and target.endswith(".html"):
                    seen.add(target)
                    todo.append(target)


def weigh_folder(root: Path, start: str) -> tuple[int, int, PartitionState]:
    """Weigh every page of a folder; returns pages, pages with nothing new, and the state."""
    partition = waiting_partition()
    state, texts = partition.state, SeenTexts()
    watch = TrapWatch(Job.of().traps, texts)
    html = (("Content-Type", "text/html"),)
    request = Request("http://docs.test/", "docs.test", "127.0.0.1", Purpose.PAGE, "test", 1000)
    pages = 0
    for path, body in files_in_order(root, start):
        key = key_of(f"http://docs.test{path}")
        partition.admit(1.0, "", [key], [21])
        page = state.table.find(key)
        assert page is not None
        content = scan(body, "text/html; charset=utf-8").content
        answered = PageAnswer(partition, page, request, Answer(200, html, body, 1.0, 1.0))
        answered.key, answered.site = key, state.pages.site[page]
        answered.host = state.sites.host[answered.site]
        answered.text, answered.fingerprint = content, fingerprint(content)
        partition.finish(Fetched(1.0, page, Outcome.KEPT, 200, 1, 0.0, 1.0))
        answered.outcome = Outcome.KEPT
        texts.learned(answered)
        answered.known_urls = len(state.table) - 10  # every copy at the full price
        answered.is_first = True
        watch.learned(answered)
        pages += 1
    copies = {e.page for e in partition.uncommitted if isinstance(e, Weighed) and e.content}
    return pages, len(copies), state


# -- telling ----------------------------------------------------------------------------------


def report(pages_per_host: int, seeds: list[int]) -> None:
    """Print a table of crawls with and without the defence."""
    print(
        f"| {pages_per_host} pages a host, seed | defence | requests | traps | soft 404s | share "
        "| honest pages found |\n|---|---|---|---|---|---|---|"
    )
    reasons: Counter[str] = Counter()
    for seed in seeds:
        for defended in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                found, _, result = crawl(seed, pages_per_host, Path(folder), defended=defended)
            assert not result.breaches
            print(
                f"| {seed} | {'on' if defended else 'off'} | {found.asked:,} | {found.in_traps:,} "
                f"| {found.missing:,} | {found.share:.1%} | {found.found:,} of {found.honest:,} |"
            )
            if defended:
                reasons.update(found.refusals)
    print("\nput aside with the defence:", dict(reasons.most_common()))


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, nargs="*", default=[120, 500])
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--folder", type=Path, help="weigh the HTML files below this folder")
    parser.add_argument("--start", default="/index.html", help="the page to begin with")
    options = parser.parse_args()
    if options.folder:
        pages, copies, state = weigh_folder(options.folder, options.start)
        shut = sum(len(purses.shut) for purses in state.traps.hosts.values())
        print(f"{pages:,} pages, {copies:,} with nothing new, {shut} shapes or folders shut")
        return
    for pages_per_host in options.pages:
        report(pages_per_host, options.seeds)


if __name__ == "__main__":
    main()
