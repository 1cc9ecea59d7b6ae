"""A site of quotes, like those that tutorials of crawlers use: lists, authors, tags.

A single host, `quotes.test`. Ten pages list a hundred quotes of ten authors, each page with a link
to the next; every author has a page, and every tag a list. The quotes are made here, and their
authors are things. All items are known by construction, so that a crawler's rows can be counted
against them.

Readers log in by a form (`NAME`, `PASSWORD`) with a hidden field, and see a list of favourites that
leads all others back to the form. The session is a cookie that the name decides, so asking changes
nothing.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qs

from lycosa.model.records import Request, Resolved
from lycosa_testweb.mixing import digest
from lycosa_testweb.web import HTML, PLAIN, Reply

HOST = "quotes.test"
HOME = f"http://{HOST}/"
ON_A_PAGE = 10
LOGIN, FAVOURITES = f"{HOME}login", f"{HOME}favourites/"
NAME, PASSWORD = "reader", "lantern"
TOKEN = "b5f0"
"""The hidden field `csrf_token` of the form, without which it is refused."""
COOKIE = f"session={digest(NAME):x}"

_AUTHORS = (
    "Lighthouse",
    "Kettle",
    "Tide Table",
    "Old Bicycle",
    "Ladder",
    "Umbrella",
    "Night Train",
    "Well Rope",
    "Paper Kite",
    "Garden Gate",
)
_BEGINNINGS = (
    ("Patience", "waiting"),
    ("A long road", "travel"),
    ("Every open door", "houses"),
    ("The smallest light", "night"),
    ("Rain", "weather"),
    ("A good question", "thought"),
    ("Silence", "waiting"),
    ("An honest map", "travel"),
    ("The first step", "travel"),
    ("Tomorrow", "thought"),
)
_ENDINGS = (
    ("asks for less than it gives", "giving"),
    ("is best seen from the side", "seeing"),
    ("wears out the hurried first", "time"),
    ("keeps what it was never told", "memory"),
    ("begins where the noise ends", "quiet"),
    ("needs a hinge and a little oil", "work"),
    ("is older than its name", "time"),
    ("returns by another way", "roads"),
    ("weighs nothing until it is carried", "work"),
    ("knows the shape of the shore", "seeing"),
)


class Quote(NamedTuple):
    """A quote, as its list shows it."""

    text: str
    author: str
    tags: tuple[str, ...]


class Author(NamedTuple):
    """An author, as the author's page shows it."""

    name: str
    born: str
    place: str
    about: str


def _quote(number: int) -> Quote:
    (beginning, first), (ending, second) = _BEGINNINGS[number % 10], _ENDINGS[number // 10]
    author = _AUTHORS[(number * 7 + number // 10) % 10]
    return Quote(f"“{beginning} {ending}.”", author, (first, second))


def _author(number: int) -> Author:
    name = _AUTHORS[number]
    born, place = f"Spring of {1801 + 13 * number}", f"Shed {number + 1}, Harbour Street"
    return Author(
        name, born, place, f"The {name} has stood in one place and looked in all directions."
    )


QUOTES = tuple(map(_quote, range(100)))
AUTHORS = tuple(map(_author, range(len(_AUTHORS))))
TAGS = tuple(sorted({tag for quote in QUOTES for tag in quote.tags}))


class QuotesWeb:
    """The site."""

    def __init__(self) -> None:
        self._pages = {
            f"{HOME}author/{_slug(author.name)}/": _author_page(author) for author in AUTHORS
        }
        self._pages[LOGIN] = _page("Log in", _FORM)
        self._lists("", "Quotes", QUOTES)
        for tag in TAGS:
            tagged = tuple(quote for quote in QUOTES if tag in quote.tags)
            self._lists(f"tag/{tag}/", f"Quotes about {tag}", tagged)

    def _lists(self, folder: str, title: str, quotes: tuple[Quote, ...]) -> None:
        """Add the pages of a list."""
        last = -(-len(quotes) // ON_A_PAGE)
        for number in range(1, last + 1):
            shown = quotes[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
            body = "".join(map(_shown, shown))
            links = [
                f'<li class="previous"><a href="/{folder}page/{number - 1}/">Previous</a></li>'
            ]
            links += [f'<li class="next"><a href="/{folder}page/{number + 1}/">Next</a></li>']
            wanted = links[number == 1 : 1 + (number < last)]
            page = _page(title, f'{body}<nav><ul class="pager">{"".join(wanted)}</ul></nav>')
            self._pages[f"{HOME}{folder}page/{number}/"] = page
            if number == 1:
                self._pages[f"{HOME}{folder}"] = page

    def pages(self) -> list[str]:
        """Return the URLs of all pages."""
        return list(self._pages)

    def seeds(self) -> list[str]:
        """Return the URLs at which a crawl begins."""
        return [HOME]

    def hosts(self) -> list[str]:
        """Return the one host."""
        return [HOST]

    def answer(self, request: Request, moment: float) -> Reply:
        """Return a page, to a visitor without cookies."""
        return self.answer_visitor(request, moment, "")

    def answer_visitor(self, request: Request, moment: float, cookie: str) -> Reply:
        """Return a page, or what a posted form leads to."""
        is_reader = COOKIE in cookie.split("; ")
        if request.form:
            return _logged_in(request.form) if request.url == LOGIN else Reply(405, PLAIN)
        if request.url == FAVOURITES:
            return Reply(200, HTML, _FAVOURITES) if is_reader else _redirect("/login")
        body = self._pages.get(request.url)
        if body is None:
            return Reply(404, PLAIN, b"no such page\n")
        return Reply(200, HTML, body.replace(_STRANGER, _READER) if is_reader else body)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the one address."""
        return Resolved("10.0.0.1" if host == HOST else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything: there is no robots file."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


def _slug(name: str) -> str:
    return name.replace(" ", "-")


_STRANGER = b'<a href="/login">Login</a>'
_READER = b'<a href="/favourites/">Favourites</a> <a href="/logout">Logout</a>'
_FORM = (
    f'<form action="/login" method="post"><input type="hidden" name="csrf_token" value="{TOKEN}">\n'
    '<input type="text" name="username"> <input type="password" name="password">\n'
    '<input type="submit" value="Login"></form>'
)


def _page(title: str, body: str) -> bytes:
    return (
        '<!doctype html>\n<html lang="en">\n'
        f'<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f'<body>\n<h1><a href="/">Quotes</a></h1>\n<p>{_STRANGER.decode()}</p>\n'
        f"{body}\n</body>\n</html>\n"
    ).encode()


def _redirect(url: str, *headers: tuple[str, str]) -> Reply:
    return Reply(302, (*HTML, ("Location", url), *headers))


def _logged_in(form: bytes) -> Reply:
    """Return what the form leads to: the front page with a cookie, or the form again."""
    told = {name: values[0] for name, values in parse_qs(form.decode("latin-1")).items()}
    if told.get("csrf_token") != TOKEN:
        return Reply(400, PLAIN, b"the form has expired\n")
    if (told.get("username"), told.get("password")) != (NAME, PASSWORD):
        return Reply(200, HTML, _page("Log in", f"<p>Error: wrong name or password.</p>{_FORM}"))
    return _redirect("/", ("Set-Cookie", f"{COOKIE}; Path=/; HttpOnly"))


def _shown(quote: Quote) -> str:
    tags = "".join(f'<a class="tag" href="/tag/{tag}/">{tag}</a> ' for tag in quote.tags)
    return (
        f'<div class="quote"><span class="text">{quote.text}</span>\n'
        f'<span>by <small class="author">{quote.author}</small> '
        f'<a href="/author/{_slug(quote.author)}/">(about)</a></span>\n'
        f'<div class="tags">Tags: {tags}</div></div>\n'
    )


def _author_page(author: Author) -> bytes:
    return _page(
        author.name,
        f'<div class="author-details"><h3 class="author-title">{author.name}</h3>\n'
        f'<p>Born: <span class="author-born-date">{author.born}</span> in '
        f'<span class="author-born-location">{author.place}</span></p>\n'
        f'<div class="author-description">{author.about}</div></div>',
    )


_FAVOURITES = _page("Favourites", "".join(map(_shown, QUOTES[::20]))).replace(_STRANGER, _READER)
