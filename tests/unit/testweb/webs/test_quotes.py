"""The site of quotes has all that it says, and its pages lead to it."""

from __future__ import annotations

from urllib.parse import urlencode

from parsel import Selector

from lycosa.model.records import Purpose, Request
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.quotes import (
    AUTHORS,
    COOKIE,
    FAVOURITES,
    HOME,
    HOST,
    LOGIN,
    NAME,
    ON_A_PAGE,
    PASSWORD,
    QUOTES,
    TAGS,
    TOKEN,
    QuotesWeb,
)

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


def visit(url: str, form: dict[str, str] | None = None, cookie: str = "") -> Reply:
    posted = urlencode(form or {}).encode()
    request = Request(url, HOST, "10.0.0.1", Purpose.PAGE, "test", 1_000_000, form=posted)
    return WEB.answer_visitor(request, 0.0, cookie)


def test_the_form_opens_the_favourites() -> None:
    hidden = Selector(visit(LOGIN).body.decode()).css("input[type=hidden]")
    form = {"username": NAME, "password": PASSWORD}
    form |= {hidden.attrib["name"]: hidden.attrib["value"]}
    reply = visit(LOGIN, form)
    assert (reply.status, reply.header("location")) == (302, "/")
    cookie = (reply.header("set-cookie") or "").partition(";")[0]
    assert b"Logout" in visit(HOME, cookie=f"other=1; {cookie}").body
    shown = Selector(visit(FAVOURITES, cookie=cookie).body.decode())
    assert shown.css("span.text::text").getall() == [quote.text for quote in QUOTES[::20]]


def test_all_others_see_the_form() -> None:
    for cookie in ("", f"{COOKIE}0", "session="):
        assert b"Logout" not in visit(HOME, cookie=cookie).body
        assert visit(FAVOURITES, cookie=cookie).header("location") == "/login"
    wrong = visit(LOGIN, {"username": NAME, "password": "wrong", "csrf_token": TOKEN})
    assert (wrong.status, wrong.header("set-cookie")) == (200, None)
    assert b"password" in wrong.body
    assert visit(LOGIN, {"username": NAME, "password": PASSWORD}).status == 400
    assert visit(HOME, {"a": "b"}).status == 405
