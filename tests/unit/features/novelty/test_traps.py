"""What brings nothing new is shut soon; what brings something new never is, however large it is."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from itertools import islice

import pytest
from benchmarks.partitions import waiting_partition

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.features.novelty.copies import SeenTexts
from lycosa.features.novelty.traps import OFTEN, SOME, TrapWatch
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Traps
from lycosa.model.records import Answer, Fetched, Outcome, Purpose, Request, Weighed
from seeds import few_of, soak

SITE = "test.a.www:"
HTML = (("Content-Type", "text/html"),)
REQUEST = Request("http://www.a.test/", "www.a.test", "127.0.0.1", Purpose.PAGE, "test", 1000)
WORDS = [a + b for a in ("ka", "lo", "mi", "tu", "se", "ra") for b in ("ben", "dor", "fil", "gan")]
FRAME = " ".join(random.Random(1).choices(WORDS, k=300))

Page = tuple[str, str]
"""A path and its text."""


@lru_cache(maxsize=100)
def prose(key: object, words: int = 25) -> str:
    return " ".join(random.Random(str(key)).choices(WORDS, k=words))


class Bench:
    """A partition whose pages are answered as a test says."""

    def __init__(self, traps: Traps = Traps()) -> None:  # noqa: B008  frozen
        self.partition = waiting_partition()
        self.traps = traps
        self.begin()

    @property
    def state(self) -> PartitionState:
        return self.partition.state

    def begin(self) -> None:
        """Begin a life: what was seen is forgotten, what was decided is not."""
        self.texts = SeenTexts()
        self.watch = TrapWatch(self.traps, self.texts)

    def crawl(self, pages: Iterable[Page], body: bytes = b"", *, led_to: int = 10) -> int:
        """Ask for pages that are not put aside; returns how many that were.

        Every page leads to so many URLs that nobody knew, all of them like the last ones.
        """
        asked = 0
        for path, text in pages:
            key = SITE + path
            self.partition.admit(1.0, "", [key], [21])
            number = self.state.table.find(key)
            assert number is not None
            host = self.state.sites.host[self.state.pages.site[number]]
            if self.state.hosts.closed[host]:
                continue
            outcome = self.watch.permitted(self.state, number)
            if outcome is not None:
                self.partition.settle(1.0, [number], outcome)
                continue
            asked += 1
            content = text.encode()
            answered = PageAnswer(
                self.partition, number, REQUEST, Answer(200, HTML, body or content, 1.0, 1.0)
            )
            answered.key, answered.host = key, host
            answered.site = self.state.pages.site[number]
            answered.text, answered.fingerprint = content, fingerprint(content)
            self.partition.finish(Fetched(1.0, number, Outcome.KEPT, 200, 1, 0.0, 1.0))
            answered.outcome = Outcome.KEPT
            self.texts.learned(answered)
            answered.known_urls = len(self.state.table) - led_to
            answered.is_first = True
            self.watch.learned(answered)
        return asked

    def weighed(self) -> list[Weighed]:
        return [event for event in self.partition.uncommitted if isinstance(event, Weighed)]


def months(count: int) -> Iterator[Page]:
    for n in range(count):
        yield f"/cal/{1000 + n // 12}-{n % 12 + 1:02d}", f"Events in {n // 12}. None. {prose(0)}"


def sessions(count: int) -> Iterator[Page]:
    return ((f"/shop/{n % 7}?sid={n:x}", f"Article. {prose(n % 7)}") for n in range(count))


def repetition(count: int) -> Iterator[Page]:
    for n in range(2, count + 2):
        way = "/".join("ab"[bit == "1"] for bit in f"{n:b}")
        yield f"/maze/{way}/", f"You are here. {prose(0)}"


def rooms(count: int) -> Iterator[Page]:
    letters = str.maketrans("0123456789", "abcdefghij")
    for n in range(count):
        yield f"/rooms/{str(n * 7919).translate(letters)}/x/", f"A room. {prose(0)}"


def shouts(count: int) -> Iterator[Page]:
    """Pages of many parameters whose texts differ in three words."""
    for n in range(count):
        path = f"/list?colour={n % 9}&size={n % 7}&sort={n}"
        yield path, f"{FRAME} {FRAME} {FRAME} {FRAME} {prose(n, 3)}"


def deeper(count: int) -> Iterator[Page]:
    """Ever deeper folders, each with a text of its own."""
    for n in range(2, count + 2):
        yield f"/deep/{'7/' * n}", f"Level {n}. {prose(n)}"


@pytest.mark.parametrize(
    ("pages", "reason", "most"),
    [
        (months, Outcome.TRAP_CALENDAR, 21),
        (sessions, Outcome.TRAP_SESSION, 40),
        (repetition, Outcome.TRAP_PATH_REPETITION, 101),
        (rooms, Outcome.TRAP_NOTHING_NEW, 82),
        (deeper, Outcome.TRAP_PATH_REPETITION, 41),
        (shouts, Outcome.TRAP_NOTHING_NEW, 60),
    ],
)
def test_what_brings_nothing_new_is_put_aside(pages, reason: Outcome, most: int) -> None:  # type: ignore[no-untyped-def]
    bench = Bench()
    assert bench.crawl(pages(2000)) <= most
    assert bench.state.outcomes[reason] >= 1000
    assert bench.crawl([("/about.html", "Something else. " + prose("about"))]) == 1


def test_what_was_repeated_is_known_in_the_next_life() -> None:
    bench = Bench()
    asked = 0
    pages = months(10_000)
    for _ in range(12):
        asked += bench.crawl(islice(pages, 3))
        bench.begin()
    # Were it all forgotten, every life would begin with a page that earns five more.
    assert asked <= 21
    assert bench.crawl(pages) == 0


def test_a_host_that_is_alike_everywhere_is_closed() -> None:
    bench = Bench()
    letters = str.maketrans("0123456789", "abcdefghij")
    pages = ((f"/{str(n).translate(letters)}/x/", f"A room. {prose(0)}") for n in range(2000))
    assert bench.crawl(pages) == 150 + OFTEN
    assert bench.state.outcome_of(1500) is Outcome.TRAP_NOTHING_NEW
    bench.partition.admit(2.0, "", [f"{SITE}/new/place/"], [21])
    page = bench.state.table.find(f"{SITE}/new/place/")
    assert page is not None
    assert bench.state.outcome_of(page) is Outcome.TRAP_NOTHING_NEW


FEW, MANY = 5_000, 100_000


def plain(count: int) -> Iterator[Page]:
    return ((f"/item/{n}.html", f"Item {n}. {prose(7)}") for n in range(count))


def paged(count: int) -> Iterator[Page]:
    return ((f"/list?page={n}", f"Part {n} of the list. {prose(n % 50)}") for n in range(count))


def dated(count: int) -> Iterator[Page]:
    for n in range(count):
        day = date(1800, 1, 1) + timedelta(n)
        yield f"/news/{day:%Y/%m/%d}.html", f"News of {day}. {prose(n, 20)}"


def in_sessions(count: int) -> Iterator[Page]:
    """Every page is there six times, each with another session."""
    for n in range(count):
        yield f"/shop/{n // 6}?sid={n:x}", f"Article {n // 6}. {prose(n // 6, 60)}"


def framed(count: int) -> Iterator[Page]:
    """Pages that differ in two words of three hundred."""
    for n in range(count):
        yield f"/product/{n}.html", f"{FRAME} {WORDS[n % 24]} {n} crowns"


@pytest.mark.parametrize(
    ("pages", "count"),
    [
        (in_sessions, 3000),
        (framed, 3000),
        *((pages, FEW) for pages in (plain, paged, dated)),
        *(pytest.param(pages, MANY, marks=soak) for pages in (plain, paged, dated)),
    ],
)
def test_a_large_honest_site_is_never_throttled(pages, count: int) -> None:  # type: ignore[no-untyped-def]
    bench = Bench()
    assert bench.crawl(pages(count)) == count
    assert not bench.state.traps.holds(0)
    if pages is not in_sessions:
        assert bench.weighed() == []


def test_pages_that_show_other_pictures_are_not_held_against_their_site() -> None:
    bench = Bench()
    for day in range(1, 29):
        page = (f"/comic/2024/01/{day:02d}/", f"Comic of the day. {prose(0)}")
        bench.crawl([page], f'<img src="/strips/{day}.png">'.encode())
    assert bench.weighed() == []
    same = [(f"/comic/2024/02/{day:02d}/", f"Comic of the day. {prose(0)}") for day in range(1, 29)]
    bench.crawl(same, b'<img src="/strips/1.png">')
    assert bench.state.traps.holds(0)


def test_seeds_parts_and_pages_that_were_asked_for_are_not_put_aside() -> None:
    bench = Bench()
    bench.crawl(months(100))
    keys = [f"{SITE}/cal/3000-{n:02d}" for n in (1, 2, 3)]
    bench.partition.admit(2.0, "", [keys[0]], [0])
    bench.partition.admit(2.0, "", keys[1:], [21, 21], [keys[1]])
    found = [bench.state.table.find(key) for key in keys]
    asked = bench.state.table.find(f"{SITE}/cal/1000-01")
    verdicts = [bench.watch.permitted(bench.state, page or 0) for page in (*found, asked)]
    assert verdicts == [None, None, Outcome.TRAP_CALENDAR, None]


def test_pages_that_lead_nowhere_count_a_quarter() -> None:
    assert Bench().crawl(months(500), led_to=0) == 81
    shell = ((f"/app/{n}.html", "The same shell everywhere. " + prose(0)) for n in range(500))
    assert Bench().crawl(shell, led_to=0) == 80 + OFTEN


def in_languages(count: int, tongues: int, path: str) -> Iterator[Page]:
    """A site that shows the English page in every language that it was not translated to."""
    for n in range(count):
        for tongue in range(tongues):
            yield path.format(tongue=f"l{chr(97 + tongue)}", page=n), f"Page {n}. {prose(n)}"


@pytest.mark.parametrize(
    ("path", "tongues"),
    [
        ("/{tongue}/mod/{page}.html", 30),
        ("/manual/{tongue}/mod/{page}.html", 30),
        ("/manual/{page}.{tongue}.html", SOME),
    ],
)
@pytest.mark.parametrize("led_to", few_of([1, 0, 10], 1))
def test_a_site_that_is_the_same_in_many_languages_is_no_trap(
    path: str, tongues: int, led_to: int
) -> None:
    bench = Bench()
    assert bench.crawl(in_languages(300, tongues, path), led_to=led_to) == 300 * tongues
    assert bench.weighed() == []


def counter(count: int) -> Iterator[Page]:
    return ((f"/cal/{n}", f"Day {n}. Nothing happens. {prose(0)}") for n in range(count))


def test_what_counts_on_in_digits_alone_is_put_aside_by_its_reason() -> None:
    bench = Bench()
    # The first page of its length is let go, the second is noted.
    assert bench.crawl(counter(2000), led_to=1) == 20 + 2
    assert bench.state.outcomes[Outcome.TRAP_COUNTER] == 2000 - 22
    assert Bench().crawl(counter(2000), led_to=10) == 2000, "what leads to many is a list"
    assert Bench().crawl(counter(2000), led_to=0) == 2000, "what leads nowhere is no trap"


def test_a_counter_is_known_in_the_next_life() -> None:
    bench, pages, asked = Bench(), counter(10_000), 0
    for _ in range(12):
        asked += bench.crawl(islice(pages, 5), led_to=1)
        bench.begin()
    assert asked <= 24
    assert bench.crawl(pages, led_to=1) == 0
