"""A finite site is crawled to its last page, however often it repeats itself; a trap is not."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from integration.made_pages import MadeWeb, Page, crawl, prose
from lycosa.simulation.kills import KillRandomly
from seeds import examples

pytestmark = pytest.mark.quick


# -- finite sites -------------------------------------------------------------------------

LAYOUTS: dict[str, tuple[Callable[[str, int], str], int]] = {
    "folders": (lambda tongue, page: f"/{tongue}/part{page % 7}/p{page}.html", 25),
    "below one folder": (lambda tongue, page: f"/manual/{tongue}/p{page}.html", 25),
    "endings": (lambda tongue, page: f"/doc/p{page}.html.{tongue}", 25),
    "names": (lambda tongue, page: f"/doc/p{page}.{tongue}.html", 7),
    "parameters": (lambda tongue, page: f"/doc/p{page}?lang={tongue}", 7),
}
"""How the languages of a site are told apart, and how many there may be."""


def tongue_name(number: int) -> str:
    return chr(97 + number // 5) + chr(107 + number % 5)


def finite_site(
    layout: str, pages: int, tongues: int, translated: float, form: str, seed: int
) -> dict[str, Page]:
    """Return a site that shows its first language wherever a page was not translated."""
    path_of, most = LAYOUTS[layout]
    chance = random.Random(seed)
    names = [tongue_name(n) for n in range(min(tongues, most))]
    onward: dict[int, list[int]] = {}
    for page in range(pages):
        ahead = {
            "tree": [2 * page + 1, 2 * page + 2],
            "chain": [page + 1],
            "web": [page + 1, *(chance.randrange(pages) for _ in range(5))],
            "list": list(range(pages)) if page == 0 else [0],
        }[form]
        onward[page] = [other for other in ahead if other < pages]
    site: dict[str, Page] = {"/": ("All languages.", [path_of(name, 0) for name in names])}
    for name in names:
        for page in range(pages):
            is_own = name == names[0] or chance.random() < translated
            text = prose(f"{name if is_own else names[0]} {page}")
            links = [path_of(name, other) for other in onward[page]]
            site[path_of(name, page)] = f"Page {page}. {text}", links
    return site


@settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    layout=st.sampled_from(sorted(LAYOUTS)),
    pages=st.integers(1, 40),
    tongues=st.integers(2, 25),
    translated=st.sampled_from([0.0, 0.1, 0.5]),
    form=st.sampled_from(["tree", "chain", "web", "list"]),
    seed=st.integers(0, 99),
)
def test_a_finite_site_in_many_languages_is_crawled_to_its_last_page(
    layout: str, pages: int, tongues: int, translated: float, form: str, seed: int
) -> None:
    site = finite_site(layout, pages, tongues, translated, form, seed)
    kept, put_aside, result = crawl(MadeWeb(lambda path, moment: site.get(path)))
    assert result.reason == "exhausted"
    assert put_aside == {}
    assert kept == set(site)


def test_kills_and_workers_do_not_put_a_finite_site_aside() -> None:
    site = finite_site("below one folder", 60, 12, 0.1, "web", 3)
    web = MadeWeb(lambda path, moment: site.get(path))
    kept, put_aside, result = crawl(web, kills=KillRandomly(1, 8, 0.002), workers=2)
    assert len(result.kills) >= 6
    assert (kept, put_aside) == (set(site), {})


# -- traps --------------------------------------------------------------------------------


def counted(path: str, moment: float) -> Page | None:
    """A calendar that counts its days: no date in the URL, no word that differs."""
    number = path.removeprefix("/cal/")
    if not number.isdecimal():
        return None
    return f"Day {number}. Nothing happens on this day. {prose('day')}", [f"/cal/{int(number) + 1}"]


def short_counted(path: str, moment: float) -> Page | None:
    """The same with hardly any text, and a way back."""
    number = path.removeprefix("/cal/")
    if not number.isdecimal():
        return None
    near = [f"/cal/{n}" for n in (int(number) - 1, int(number) + 1)]
    return f"Day {number}", near


def asked_for(path: str, moment: float) -> Page | None:
    number = path.removeprefix("/list?n=")
    if not number.isdecimal():
        return None
    return f"Part {number} of the list. {prose('list')}", [f"/list?n={int(number) + 10}"]


def dated(path: str, moment: float) -> Page | None:
    named = re.fullmatch(r"/events/(\d+)-(\d+)", path)
    if named is None:
        return None
    year, month = map(int, named.groups())
    further = year * 12 + month
    links = [f"/events/{further // 12}-{further % 12 + 1:02d}"]
    return f"Events in {year}, {month}. There are none. {prose('events')}", links


def in_session(path: str, moment: float) -> Page | None:
    if not path.startswith("/shop/"):
        return None
    number = path.removeprefix("/shop/").partition("?")[0]
    links = [f"/shop/{n}?sid={int(moment * 10):x}" for n in range(5)]
    return f"Article {prose(number, 60)}", links


def repeated(path: str, moment: float) -> Page | None:
    if not path.startswith("/deep/") or not path.endswith("/"):
        return None
    return f"You are here. {prose('here')}", [f"{path}about/", f"{path}contact/"]


def faceted(path: str, moment: float) -> Page | None:
    if not path.startswith("/shop?"):
        return None
    values = dict(pair.split("=") for pair in path.partition("?")[2].split("&"))
    links = [
        "/shop?" + "&".join(f"{k}={int(v) + (k == name)}" for k, v in values.items())
        for name in values
    ]
    return f"Lamps. {prose('lamps', 200)}", links


def rooms(path: str, moment: float) -> Page | None:
    if not path.startswith("/rooms/"):
        return None
    chance = random.Random(path)
    names = ["".join(chance.choices("abcdefgh", k=8)) for _ in range(2)]
    return f"A room. {prose('room')}", [f"{path}{name}/" for name in names]


def referred(path: str, moment: float) -> Page | None:
    """Twenty articles, and a new name for each on every page."""
    if not path.startswith("/read/"):
        return None
    article = path.removeprefix("/read/").partition("?")[0]
    chance = random.Random(path)
    names = "".join(chance.choices("abcdefgh", k=6))
    return prose(article, 60), [f"/read/{other}?from={names}" for other in "abcdefghijklmnopqrst"]


TRAP_WEBS: dict[str, tuple[Callable[[str, float], Page | None], str, str, int]] = {
    "calendar by number": (counted, "/cal/1", "trap: counter", 30),
    "short calendar": (short_counted, "/cal/500", "trap: counter", 30),
    "parameter that counts": (asked_for, "/list?n=10", "trap: counter", 30),
    "calendar by date": (dated, "/events/2024-1", "trap: calendar", 30),
    "sessions": (in_session, "/shop/0", "trap: session", 40),
    "repetition": (repeated, "/deep/about/", "trap: path repetition", 100),
    "facets": (faceted, "/shop?a=1&b=1&c=1", "trap: nothing new", 40),
    "rooms": (rooms, "/rooms/a/", "trap: nothing new", 90),
    "references": (referred, "/read/a", "trap: nothing new", 350),
}


def with_home(trap: Callable[[str, float], Page | None], entry: str) -> MadeWeb:
    honest = [f"/about/{name}.html" for name in ("us", "you", "them")]

    def made(path: str, moment: float) -> Page | None:
        if path == "/":
            return "Home.", [entry, *honest]
        return (prose(path), []) if path in honest else trap(path, moment)

    return MadeWeb(made)


@pytest.mark.parametrize("mining", ["folders", "full"])
@pytest.mark.parametrize("name", TRAP_WEBS)
def test_a_place_without_an_end_is_cut_off_with_its_reason(name: str, mining: str) -> None:
    trap, entry, reason, most = TRAP_WEBS[name]
    web = with_home(trap, entry)
    kept, put_aside, result = crawl(web, mining=mining)
    assert result.reason == "exhausted"
    assert len(kept) <= most + 4
    assert put_aside[reason] >= 1
    assert {"/about/us.html", "/about/you.html", "/about/them.html"} <= kept


def test_a_calendar_that_counts_is_known_again_after_kills() -> None:
    web = with_home(counted, "/cal/1")
    kept, put_aside, result = crawl(web, kills=KillRandomly(2, 6, 0.02))
    assert len(result.kills) >= 4
    assert len(kept) <= 34 + 6 * 6
    assert put_aside["trap: counter"] >= 1


# -- numbers that say something -----------------------------------------------------------


def test_pages_of_figures_are_no_counter() -> None:
    def figures(path: str, moment: float) -> Page | None:
        number = path.removeprefix("/table/")
        if path == "/":
            return "Tables.", ["/table/1"]
        if not number.isdecimal() or int(number) > 200:
            return None
        chance = random.Random(number)
        rows = " ".join(f"{chance.random():.6f}" for _ in range(80))
        return f"Table {number}: {rows}", [f"/table/{int(number) + 1}"]

    kept, put_aside, _ = crawl(MadeWeb(figures))
    assert (len(kept), put_aside) == (201, {})


def priced(number: int) -> str:
    """Return a page of a price list: the words of all others, and twenty prices."""
    chance = random.Random(number)
    rows = " ".join(f"Lamp {n}: {chance.randrange(900, 30000) / 100:.2f} EUR" for n in range(20))
    return f"Prices, page {number}. {prose('frame', 200)} {rows}"


def test_a_price_list_of_numbered_pages_comes_whole() -> None:
    """Its pages are linked as numbered pages are, and differ in digits alone."""

    def prices(path: str, moment: float) -> Page | None:
        if path == "/":
            return "Prices.", ["/prices?page=1"]
        number = path.removeprefix("/prices?page=")
        if not number.isdecimal() or int(number) > 150:
            return None
        return priced(int(number)), [f"/prices?page={int(number) + 1}"]

    kept, put_aside, _ = crawl(MadeWeb(prices))
    assert (len(kept), put_aside) == (151, {})


def test_measurements_by_day_come_whole() -> None:
    def measured(path: str, moment: float) -> Page | None:
        if path == "/":
            return "Weather.", ["/weather/2024-01-01"]
        if not path.startswith("/weather/2024-"):
            return None
        day = date.fromisoformat(path.removeprefix("/weather/"))
        chance = random.Random(path)
        rows = " ".join(f"{hour}:00 {chance.uniform(970, 1040):.1f} hPa" for hour in range(24))
        return f"On {day}: {prose('frame', 200)} {rows}", [f"/weather/{day + timedelta(1)}"]

    kept, put_aside, _ = crawl(MadeWeb(measured))
    assert (len(kept), put_aside) == (367, {})


def league(number: int) -> str:
    """Return the table of a day of a season: played, won, lost and points of eighteen teams."""
    chance = random.Random(number)
    figures = (34, 20, 20, 90)
    teams = (" ".join(str(chance.randrange(most)) for most in figures) for _ in range(18))
    return " ".join(f"Team {chr(65 + n)} {row}" for n, row in enumerate(teams))


def stock(number: int) -> str:
    """Return how many pieces a shop has of each of forty things."""
    chance = random.Random(number)
    return " ".join(f"Thing {prose(str(n), 1)} {chance.randrange(100)} left" for n in range(40))


@pytest.mark.parametrize("table", [league, stock])
def test_tables_of_small_numbers_come_whole(table: Callable[[int], str]) -> None:
    def tables(path: str, moment: float) -> Page | None:
        number = path.removeprefix("/table?page=")
        if path == "/":
            return "Tables.", ["/table?page=1"]
        if not number.isdecimal() or int(number) > 100:
            return None
        words = f"Table {number}. {prose('frame', 200)} {table(int(number))}"
        return words, [f"/table?page={int(number) + 1}"]

    kept, put_aside, _ = crawl(MadeWeb(tables))
    assert (len(kept), put_aside) == (101, {})


def month(number: int) -> str:
    """Return a month with its weeks, and the days of its neighbours."""
    first = date(2024 + number // 12, number % 12 + 1, 1)
    monday = first - timedelta(first.weekday())
    days = [monday + timedelta(n) for n in range(42)]
    weeks = [f"{days[n].isocalendar()[1]} {days[n].day}" for n in range(0, 42, 7)]
    return " ".join(weeks[n // 7] if n % 7 == 0 else str(one.day) for n, one in enumerate(days))


FOOTERS: dict[str, Callable[[int], str]] = {
    "the same prices": lambda number: priced(0),
    "a counter of visitors": lambda number: f"{number + 104_000} visitors, {number * 7919 % 10007}",
    "a week by date": lambda number: " ".join(
        f"{day:%d.%m.%Y} {day:%d.%m.} {day:%Y-%m-%d} {day:%d/%m/%Y} 12:30 9.30 - 10.45"
        for day in (date(2024, 1, 1) + timedelta(7 * number + n) for n in range(7))
    ),
    "years": lambda number: " ".join(str(n) for n in range(1000 + number, 1010 + number)),
    "weeks": lambda number: " ".join(f"{number % 53} {n}" for n in range(1, 32)),
    "a month": month,
    "events of each day": lambda number: " ".join(
        f"{day} ({random.Random(100 * number + day).randrange(3)})" for day in range(1, 32)
    ),
    "a few guests": lambda number: f"{number * 31 % 97} guests, {number * 17 % 89} members",
    "pages ahead": lambda number: " ".join(str(n) for n in range(100 + number, 105 + number)),
}


@pytest.mark.parametrize("footer", FOOTERS)
@pytest.mark.parametrize("place", ["/cal/{}", "/list?page={}"])
def test_a_calendar_with_some_figures_ends(place: str, footer: str) -> None:
    def calendar(path: str, moment: float) -> Page | None:
        text = path.removeprefix(place.format(""))
        if not text.isdecimal():
            return None
        number = int(text)
        words = f"Page {number}. {prose('day', 200)} {FOOTERS[footer](number)}"
        return words, [place.format(number + 1)]

    kept, put_aside, result = crawl(with_home(calendar, place.format(1)))
    assert result.reason == "exhausted"
    assert len(kept) <= 34
    assert put_aside["trap: counter"] >= 1


def test_numbered_pages_that_a_list_leads_to_are_no_counter() -> None:
    def catalogue(path: str, moment: float) -> Page | None:
        if path == "/":
            return "Lists.", [f"/lists/{chr(97 + n)}.html" for n in range(10)]
        if path.startswith("/lists/"):
            first = 30 * (ord(path[7]) - 97)
            return f"A list. {prose(path)}", [f"/item/{n}" for n in range(first, first + 30)]
        number = path.removeprefix("/item/").removesuffix("/reviews")
        if not number.isdecimal() or int(number) >= 300:
            return None
        further = [] if path.endswith("reviews") else [f"{path}/reviews"]
        return f"Item {number}. {prose('item' if further else 'review')}", further

    kept, put_aside, _ = crawl(MadeWeb(catalogue), mining="off")
    assert (len(kept), put_aside) == (611, {})


def series(count: int) -> Iterator[str]:
    return (f"/part/{n}" for n in range(1, count + 1))


def test_a_chain_of_numbered_pages_with_words_of_their_own_is_followed() -> None:
    pages = list(series(150))
    site: dict[str, Page] = {"/": ("Parts.", pages[:1])}
    for path, following in zip(pages, [*pages[1:], ""], strict=True):
        site[path] = prose(path), [following] if following else []
    kept, put_aside, _ = crawl(MadeWeb(lambda path, moment: site.get(path)))
    assert (kept, put_aside) == (set(site), {})
