"""Links to other views of a kept page cost no request, and no page is lost by that."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import Counted, Outcome
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.reader import table
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.memory import MemoryLog
from lycosa_testweb.web import Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, linking, moved

pytestmark = pytest.mark.quick

HOME = "http://shop.test/"
TOKENS = [f"{number:08x}4f6a9c1e" for number in range(40)]


class Shop(DrawnWeb):
    """Every answer writes another session into its links, as PHP did for decades."""

    def __init__(self, replies: dict[str, Reply]) -> None:
        super().__init__({HOME: linking(), **replies})
        self.asked: list[str] = []

    def answer(self, request, moment):  # type: ignore[no-untyped-def]
        self.asked.append(request.url)
        plain, _, query = request.url.partition("?sid=")
        if plain in self.replies and plain != HOME:
            return self.replies[plain]
        if plain == HOME or plain.startswith(f"{HOME}item/"):
            token = TOKENS[len(self.asked) % len(TOKENS)]
            items = [f"{HOME}item/{n}?sid={token}" for n in range(4)]
            views = [f"{HOME}?print=1", f"{HOME}?replytocom={len(self.asked) % 9}"]
            return linking(*items, *views, f"{HOME}needs?sid={token}", f"{HOME}story?sid=12")
        if plain == f"{HOME}needs" and query:  # without a session there is nothing
            return linking(f"{HOME}behind")
        return super().answer(request, moment)


def job(**traps: object) -> Job:
    return Job.of(
        seeds=[HOME],
        crawl={"workers": 1},
        politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        frontier={"partitions": 2},
        traps={"budget": 0, **traps},
        extract={"soft_404_after": 0},
    )


PAGES = {f"{HOME}behind": linking(), f"{HOME}story?sid=12": linking()}


def kept(found: dict[str, Outcome | None]) -> set[str]:
    """Return the pages, each under its plain name."""
    urls = [url for url, outcome in found.items() if outcome is Outcome.KEPT]
    return {url.partition("?sid=0")[0] for url in urls}


def test_every_page_is_kept_once_whatever_session_its_links_carry(tmp_path: Path) -> None:
    web = Shop(PAGES)
    pages = kept(crawl(web, job(), tmp_path))
    items = {f"{HOME}item/{n}" for n in range(4)}
    assert pages == {HOME, *items, f"{HOME}needs", f"{HOME}behind", f"{HOME}story?sid=12"}
    assert len(web.asked) <= 20
    one_by_one = Shop(PAGES)  # without a limit it has an end: there are forty sessions
    assert kept(crawl(one_by_one, job(known_copies=False), tmp_path / "off")) >= pages
    assert len(one_by_one.asked) > 5 * len(web.asked)


def test_the_row_of_a_link_that_was_led_to_another_view_says_so(tmp_path: Path) -> None:
    log, archive = MemoryLog(2), ArchiveStore(tmp_path)
    found = crawl(Shop(PAGES), job(), tmp_path, archive=archive, log=log)
    links = table(tmp_path, "links").to_pylist()
    led = [row for row in links if row["reason"] == "known-copy"]
    assert {row["reason"] for row in links} == {"followed", "known-copy"}
    assert {row["target_url"] for row in led}.isdisjoint(found)
    assert {row["target_url"] for row in links if row not in led} <= set(found)
    assert {f"{HOME}?print=1"} <= {row["target_url"] for row in led if row["source_url"] == HOME}
    counted: Counter[str] = Counter()
    for number in range(2):
        for _, batch in log.read(number, 0):
            for event in decode_events(batch):
                counted.update(event.refusals if isinstance(event, Counted) else {})
    assert counted == {"known-copy": len(led)}


def test_a_server_that_redirects_to_add_a_session_is_followed(tmp_path: Path) -> None:
    """The redirect is never taken for a link to the page that it comes from."""
    home, there = "http://moved.test/", f"http://moved.test/?sid={TOKENS[1]}"
    web = DrawnWeb(
        {home: moved(there), there: linking("/next"), "http://moved.test/next": linking()}
    )
    found = crawl(web, Job.of(seeds=[home], politeness=job().politeness.__dict__), tmp_path)
    assert found[there] is Outcome.KEPT and found["http://moved.test/next"] is Outcome.KEPT


def test_spellings_of_a_kept_page_cost_no_request(tmp_path: Path) -> None:
    plain, spellings = (
        f"{HOME}~ann/b-1",
        ("%7Eann/b-1", "~ann/%62-1", "~%61nn/b%2D1", "%7Eann/%62-%31"),
    )
    pages = {
        HOME: linking(plain),
        plain: linking(*(HOME + spelling for spelling in spellings), f"{HOME}only%2Dso"),
        f"{HOME}only%2Dso": linking(),
    }
    found = crawl(DrawnWeb(pages), job(), tmp_path)
    assert {url for url in found if "1" in url} == {plain}
    assert found[f"{HOME}only%2Dso"] is Outcome.KEPT, "no other spelling of it is kept"


def test_decoding_what_needs_no_escape_loses_pages_of_servers_that_compare_bytes(
    tmp_path: Path,
) -> None:
    """The canonical form does not decode: a signature holds for the spelling that was signed."""
    signed = f"{HOME}report%2D1.html?signature=2b1f"
    replies = {HOME: linking(signed), signed: linking()}
    decoding = {"action": "transform", "regex_replace": "%2D", "replacement": "-"}
    as_it_is, decoded = job(), Job.of(seeds=[HOME], rules=[decoding], robots={"sitemaps": False})
    assert crawl(DrawnWeb(replies), as_it_is, tmp_path / "a")[signed] is Outcome.KEPT
    assert Outcome.KEPT not in [
        outcome
        for url, outcome in crawl(DrawnWeb(replies), decoded, tmp_path / "b").items()
        if url != HOME
    ]
