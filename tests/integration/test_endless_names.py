"""Traps by names and lists: sessions in paths, facets that show URLs, trees of sitemaps.

Beside each stands a finite site that looks like it, and is crawled to its last page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from integration.made_pages import SITE, MadeWeb, Page, crawl, prose
from lycosa.model.records import Purpose, Request
from lycosa.simulation.kills import KillRandomly
from lycosa_testweb.web import PLAIN, Reply

pytestmark = pytest.mark.quick

HONEST = [f"/about/{name}.html" for name in ("us", "you", "them")]
ARTICLES = 200
XML = (("Content-Type", "application/xml"),)


def token(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def session(path: str, moment: float) -> Page | None:
    """Twelve articles; every link has a session of its own, and shows its URL."""
    name = path.rpartition("/")[2]
    if not path.startswith("/s/") or not name.startswith("article"):
        return None
    links = [f"/s/{token(f'{path} {n} {moment}')}/article{n}" for n in range(12)]
    return f"{prose(name, 60)} {' '.join(SITE + link for link in links)}", links


def quiet_session(path: str, moment: float) -> Page | None:
    """Many articles, without URLs in their texts."""
    if session(path, moment) is None:
        return None
    name = path.rpartition("/")[2]
    further = [(int(name.removeprefix("article")) * 7 + n) % ARTICLES for n in range(12)]
    links = [f"/s/{token(f'{path} {n} {moment}')}/article{n}" for n in further]
    return prose(name, 60), links


def facets(path: str, moment: float) -> Page | None:
    """A page for each choice of four values, with the URLs of others for all to see."""
    if not path.startswith("/shop?"):
        return None
    chosen = dict(pair.split("=") for pair in path.partition("?")[2].split("&"))
    links = [
        "/shop?" + "&".join(f"{k}={int(v) + (k == name)}" for k, v in chosen.items())
        for name in chosen
    ]
    shown = " ".join((SITE + link).replace("&", "&amp;") for link in links)
    return f"Lamps. {prose('lamps', 60)} {shown}", links


def with_home(trap: Callable[[str, float], Page | None], entry: str) -> MadeWeb:
    def made(path: str, moment: float) -> Page | None:
        if path == "/":
            return "Home.", [entry, *HONEST]
        return (prose(path), []) if path in HONEST else trap(path, moment)

    return MadeWeb(made)


@pytest.mark.parametrize(
    ("trap", "entry", "reason", "most"),
    [
        (session, "/s/0000000000000000/article0", "trap: session", 50),
        (quiet_session, "/s/0000000000000000/article0", "trap: session", 400),
        (facets, "/shop?a=1&b=1&c=1&d=1", "trap: nothing new", 30),
    ],
)
def test_names_without_an_end_are_cut_off(
    trap: Callable[[str, float], Page | None], entry: str, reason: str, most: int
) -> None:
    web = with_home(trap, entry)
    kept, put_aside, result = crawl(web)
    assert result.reason == "exhausted"
    assert len(web.asked) <= most
    assert put_aside[reason] >= 1
    assert set(HONEST) <= kept
    if trap is quiet_session:  # what no session has shown yet is asked for all the same
        assert len({path.rpartition("/")[2] for path in kept if "article" in path}) == ARTICLES


def test_records_with_long_numbers_are_no_sessions() -> None:
    """Each has a page of reviews, most of which say the same, and leads to the next record."""
    numbers = [token(f"item {n}") for n in range(300)]

    def shop(path: str, moment: float) -> Page | None:
        if path == "/":
            return "Items.", [f"/item/{number}/" for number in numbers]
        _, _, number, rest = path.split("/", 3) if path.count("/") >= 3 else ("", "", "", "none")
        if number not in numbers or rest not in ("", "reviews"):
            return None
        if rest:
            return f"There are no reviews yet. {prose('reviews')}", [f"/item/{number}/"]
        return prose(number), [f"/item/{number}/reviews"]

    kept, put_aside, result = crawl(MadeWeb(shop), mining="off")
    assert result.reason == "exhausted"
    # The reviews say the same 300 times: the rule on often shown texts puts some aside, no record.
    assert {f"/item/{number}/" for number in numbers} <= kept
    assert put_aside["trap: session"] <= 300 - 80


def test_lists_with_many_parameters_that_show_urls_of_pages_are_followed() -> None:
    def listing(path: str, moment: float) -> Page | None:
        if path == "/":
            return "Lists.", ["/list?by=name&size=10&part=0"]
        if path.startswith("/page/"):
            return prose(path), []
        if not path.startswith("/list?by=name&size=10&part="):
            return None
        part = int(path.rpartition("=")[2])
        pages = [f"/page/{part}-{n}.html" for n in range(10)]
        further = [f"/list?by=name&size=10&part={part + 1}"] if part < 60 else []
        return f"All pages: {' '.join(SITE + page for page in pages)}", [*pages, *further]

    kept, put_aside, _ = crawl(MadeWeb(listing), mining="off")
    assert (len(kept), put_aside) == (1 + 61 * 11, {})


# -- trees of sitemaps --------------------------------------------------------------------


def index(*names: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{SITE}/{name}</loc></sitemap>" for name in names)
    return f"<?xml version='1.0'?><sitemapindex>{entries}</sitemapindex>".encode()


def page_list(*names: str) -> bytes:
    entries = "".join(f"<url><loc>{SITE}/{name}</loc></url>" for name in names)
    return f"<?xml version='1.0'?><urlset>{entries}</urlset>".encode()


class MappedWeb(MadeWeb):
    """A site whose sitemaps a function makes; robots.txt names the first."""

    def __init__(self, mapped: Callable[[str], bytes | None]) -> None:
        super().__init__(lambda path, moment: (prose(path), HONEST))
        self._mapped = mapped

    def answer(self, request: Request, moment: float) -> Reply:
        if request.purpose is Purpose.ROBOTS:
            return Reply(200, PLAIN, f"Sitemap: {SITE}/maps/0".encode())
        path = request.url.removeprefix(SITE)
        if not path.startswith("/maps/"):
            return super().answer(request, moment)
        self.asked.append(path)
        body = self._mapped(path.removeprefix("/maps/"))
        return Reply(404) if body is None else Reply(200, XML, body)


@pytest.mark.parametrize("width", [2, 60])
def test_a_tree_of_sitemap_indexes_without_an_end_is_cut_off(width: int) -> None:
    def mapped(name: str) -> bytes:
        if name == "0-pages":
            return page_list(*(f"listed/{n}.html" for n in range(40)))
        return index("maps/0-pages", *(f"maps/{name}.{n}" for n in range(width)))

    web = MappedWeb(mapped)
    kept, put_aside, result = crawl(web)
    assert result.reason == "exhausted"
    assert len(web.asked) <= 300
    assert put_aside["trap: nothing new"] >= 1
    assert {*HONEST, *(f"/listed/{n}.html" for n in range(40))} <= kept


def test_kills_do_not_bring_the_tree_back() -> None:
    web = MappedWeb(lambda name: index(*(f"maps/{name}.{n}" for n in range(8))))
    _, put_aside, result = crawl(web, kills=KillRandomly(3, 6, 0.01))
    assert len(result.kills) >= 4
    assert len(web.asked) <= 250
    assert put_aside["trap: nothing new"] >= 1


@pytest.mark.parametrize(("years", "months"), [(1, 400), (30, 12), (100, 4)])
def test_sitemaps_of_a_finite_site_are_read_to_the_last(years: int, months: int) -> None:
    """One index of many sitemaps, as the protocol has it, and indexes in an index."""

    def mapped(name: str) -> bytes | None:
        year, _, month = name.partition("-")
        if name == "0":
            return index(*(f"maps/{1 + n}" for n in range(years)))
        if not month:
            return index(*(f"maps/{year}-{n}" for n in range(months)))
        return page_list(f"in/{year}-{month}.html", f"of/{year}-{month}.html")

    kept, put_aside, result = crawl(MappedWeb(mapped), mining="off")
    assert (result.reason, put_aside) == ("exhausted", {})
    wanted = {
        f"/{a}/{y}-{m}.html"
        for a in ("in", "of")
        for y in range(1, years + 1)
        for m in range(months)
    }
    assert wanted <= kept
