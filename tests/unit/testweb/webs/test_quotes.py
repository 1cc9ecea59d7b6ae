"""The site of quotes has all that it says, and its pages lead to it."""

from __future__ import annotations

from parsel import Selector

from lycosa.model.records import Purpose, Request
from lycosa_testweb.webs.quotes import AUTHORS, HOME, HOST, ON_A_PAGE, QUOTES, TAGS, QuotesWeb

WEB = QuotesWeb()


def page(path: str) -> Selector:
    request = Request(HOME + path, HOST, "10.0.0.1", Purpose.PAGE, "test", 1_000_000)
    reply = WEB.answer(request, 0.0)
    assert reply.status == 200, path
    return Selector(reply.body.decode())


def walk(path: str) -> list[str]:
    """Return the texts of a list, from page to page."""
    texts: list[str] = []
    while True:
        shown = page(path)
        texts += shown.css("div.quote span.text::text").getall()
        assert len(shown.css("div.quote")) <= ON_A_PAGE
        following = shown.css("li.next a::attr(href)").get()
        if following is None:
            return texts
        path = following.lstrip("/")


def test_a_walk_from_page_to_page_meets_every_quote_once() -> None:
    assert walk("") == [quote.text for quote in QUOTES]
    assert len(set(walk(""))) == 100


def test_every_tag_has_a_list_of_its_quotes() -> None:
    for tag in TAGS:
        assert walk(f"tag/{tag}/") == [quote.text for quote in QUOTES if tag in quote.tags]


def test_every_author_has_a_page_that_the_quotes_lead_to() -> None:
    for author in AUTHORS:
        assert page(f"author/{author.name.replace(' ', '-')}/").css(
            "span.author-born-date::text"
        ).getall() == [author.born]
    assert {quote.author for quote in QUOTES} == {author.name for author in AUTHORS}


def test_every_link_leads_to_a_page() -> None:
    pages = set(WEB.pages())
    for url in pages:
        for path in page(url.removeprefix(HOME)).css("a::attr(href)").getall():
            assert HOME + path.lstrip("/") in pages, (url, path)


def test_what_is_not_there_is_not_found() -> None:
    request = Request(f"{HOME}page/11/", HOST, "10.0.0.1", Purpose.PAGE, "test", 1_000_000)
    assert WEB.answer(request, 0.0).status == 404
