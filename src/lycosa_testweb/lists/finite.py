"""Sites with lists that end: each maps a path with its query to a page, and knows all its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import parse_qsl

from lycosa_testweb.lists.listing import Leaf, To, around, share


class Site(NamedTuple):
    """A host."""

    host: str
    page: Callable[[str, dict[str, str]], Leaf | None]
    """Given the path and the query, the page that is there."""
    targets: Callable[[], Iterator[str]]
    """All paths, with their queries, of a finite site."""

    def leaf(self, target: str) -> Leaf | None:
        """Return the page at a path with its query."""
        path, _, query = target.partition("?")
        return self.page(path, dict(parse_qsl(query)))


def number_of(text: str, last: int) -> int:
    """Return the number that a text is if it is one from 1 to `last`, and 0 otherwise."""
    return int(text) if text.isdecimal() and 1 <= int(text) <= last else 0


# -- a shop: ten pages of twenty products, by "next" alone -------------------------------------

SHOP_PAGES, SHOP_SIZE = 10, 20


def _shop(path: str, query: dict[str, str]) -> Leaf | None:
    if path == "/":
        return Leaf("A shop", (To("/shop", "All products"),))
    if path == "/shop":
        number = number_of(query.get("page", "1"), SHOP_PAGES)
        products = [
            To(f"/product/{n}", f"Product {n}") for n in range(1, SHOP_PAGES * SHOP_SIZE + 1)
        ]
        ways = [To(f"/shop?page={number + 1}", "Next")] if number < SHOP_PAGES else []
        ways += [To(f"/shop?page={number - 1}", "Back")] if number > 1 else []
        return (
            Leaf(f"Products {number}", (*share(products, number, SHOP_SIZE), *ways))
            if number
            else None
        )
    number = number_of(path.removeprefix("/product/"), SHOP_PAGES * SHOP_SIZE)
    return (
        Leaf(f"Product {number}", (To("/shop", "All products"),)) if number and not query else None
    )


def _shop_targets() -> Iterator[str]:
    yield from ("/", "/shop")
    yield from (f"/shop?page={n}" for n in range(1, SHOP_PAGES + 1))
    yield from (f"/product/{n}" for n in range(1, SHOP_PAGES * SHOP_SIZE + 1))


SHOP = Site("shop.test", _shop, _shop_targets)


# -- an archive by month: sixty months, each with the one before as `rel=prev` ------------------

MONTHS, MONTH_PAGES, MONTH_SIZE = 60, 2, 3


def _month(count: int) -> str:
    return f"/{2020 + count // 12}/{count % 12 + 1:02d}/"


def _archive(path: str, query: dict[str, str]) -> Leaf | None:
    if query:
        return None
    if path == "/":
        return Leaf("An archive", (To(_month(MONTHS - 1), "The newest month"),))
    months = {_month(count): count for count in range(MONTHS)}
    month, rest = path[:9], path[9:]
    if month not in months:
        return None
    posts = [To(f"{month}post-{n}.html", f"Post {n}") for n in range(MONTH_PAGES * MONTH_SIZE)]
    if any(post.href == path for post in posts):
        return Leaf(f"{path} of the archive", (To("/", "Home"),))
    if rest not in ("", "page/2/"):
        return None
    count, number = months[month], 2 if rest else 1
    links = [*share(posts, number, MONTH_SIZE)]
    links += [To(f"{month}page/2/", "More of this month")] if number == 1 else []
    links += [To(_month(count - 1), "The month before", "prev")] if count else []
    return Leaf(f"Month {path}", tuple(links))


def _archive_targets() -> Iterator[str]:
    yield "/"
    for count in range(MONTHS):
        month = _month(count)
        yield from (month, f"{month}page/2/")
        yield from (f"{month}post-{n}.html" for n in range(MONTH_PAGES * MONTH_SIZE))


ARCHIVE = Site("archive.test", _archive, _archive_targets)


# -- a forum: twelve pages of eight topics, each of three pages, with rows of numbers -----------

FORUM_PAGES, FORUM_SIZE, TOPIC_PAGES = 12, 8, 3


def _forum(path: str, query: dict[str, str]) -> Leaf | None:
    if path == "/" and not query:
        return Leaf("A forum", (To("/viewforum.php?f=3", "General"),))
    start = query.get("start", "0")
    number = int(start) // 25 + 1 if start.isdecimal() and int(start) % 25 == 0 else 0
    if path == "/viewforum.php" and query.get("f") == "3" and 1 <= number <= FORUM_PAGES:
        topics = [
            To(f"/viewtopic.php?t={n}", f"Topic {n}")
            for n in range(1, FORUM_PAGES * FORUM_SIZE + 1)
        ]
        return Leaf(
            f"Topics {number}",
            (
                *share(topics, number, FORUM_SIZE),
                *_steps("/viewforum.php?f=3", number, FORUM_PAGES),
            ),
        )
    topic = number_of(query.get("t", ""), FORUM_PAGES * FORUM_SIZE)
    if path != "/viewtopic.php" or not topic or not 1 <= number <= TOPIC_PAGES:
        return None
    return Leaf(
        f"Topic {topic}, {number}", tuple(_steps(f"/viewtopic.php?t={topic}", number, TOPIC_PAGES))
    )


def _steps(beginning: str, number: int, last: int) -> Iterator[To]:
    for _, text, _ in around(number, last, "{}"):
        start = 25 * (int(text) - 1)
        yield To(f"{beginning}&start={start}" if start else beginning, text)


def _forum_targets() -> Iterator[str]:
    yield "/"
    lists = [("/viewforum.php?f=3", FORUM_PAGES)]
    lists += [
        (f"/viewtopic.php?t={n}", TOPIC_PAGES) for n in range(1, FORUM_PAGES * FORUM_SIZE + 1)
    ]
    for beginning, pages in lists:
        yield beginning
        yield from (f"{beginning}&start={25 * n}" for n in range(1, pages))


FORUM = Site("forum.test", _forum, _forum_targets)


# -- a blog: sixty pages of five posts, by "older posts" ----------------------------------------

BLOG_PAGES, BLOG_SIZE = 60, 5


def _blog(path: str, query: dict[str, str]) -> Leaf | None:
    if query:
        return None
    if post := number_of(path.removeprefix("/post-"), BLOG_PAGES * BLOG_SIZE):
        return Leaf(f"Post {post}", (To("/", "Home"),))
    text = path.removeprefix("/page/").removesuffix("/") if path.startswith("/page/") else "1"
    number = number_of(text, BLOG_PAGES) if path == "/" or path == f"/page/{text}/" else 0
    posts = [To(f"/post-{n}", f"Post {n}") for n in range(1, BLOG_PAGES * BLOG_SIZE + 1)]
    older = (To(f"/page/{number + 1}/", "Older posts"),) if number < BLOG_PAGES else ()
    return Leaf(f"Posts {number}", (*share(posts, number, BLOG_SIZE), *older)) if number else None


def _blog_targets() -> Iterator[str]:
    yield "/"
    yield from (f"/page/{n}/" for n in range(2, BLOG_PAGES + 1))
    yield from (f"/post-{n}" for n in range(1, BLOG_PAGES * BLOG_SIZE + 1))


BLOG = Site("blog.test", _blog, _blog_targets)


# -- an interface by offset: the next page stands in a `Link` header ----------------------------

OFFSET_PAGES, OFFSET_SIZE = 25, 20


def _offsets(path: str, query: dict[str, str]) -> Leaf | None:
    if path == "/" and not query:
        return Leaf("Records", (To("/records?limit=20", "All"),))
    if path == "/records" and query.get("limit") == "20":
        number = number_of(str(int(query.get("offset", "0")) // OFFSET_SIZE + 1), OFFSET_PAGES)
        records = [
            To(f"/records/{n}", f"Record {n}") for n in range(1, OFFSET_PAGES * OFFSET_SIZE + 1)
        ]
        following = (
            f"/records?limit=20&offset={number * OFFSET_SIZE}" if number < OFFSET_PAGES else ""
        )
        return (
            Leaf(f"Records {number}", share(records, number, OFFSET_SIZE), following)
            if number
            else None
        )
    number = number_of(path.removeprefix("/records/"), OFFSET_PAGES * OFFSET_SIZE)
    return Leaf(f"Record {number}") if number and not query else None


def _offset_targets() -> Iterator[str]:
    yield from ("/", "/records?limit=20")
    yield from (f"/records?limit=20&offset={n * OFFSET_SIZE}" for n in range(1, OFFSET_PAGES))
    yield from (f"/records/{n}" for n in range(1, OFFSET_PAGES * OFFSET_SIZE + 1))


OFFSETS = Site("offset.test", _offsets, _offset_targets)


# -- a book: eighty numbered pages, each with the numbers around it -----------------------------

BOOK_PAGES = 80


def _book(path: str, query: dict[str, str]) -> Leaf | None:
    if query:
        return None
    if path == "/":
        return Leaf("A book", (To("/book", "Read"),))
    number = number_of(path.removeprefix("/book").removeprefix("/") or "1", BOOK_PAGES)
    if path not in ("/book", f"/book/{number}"):
        return None
    near = range(max(1, number - 2), min(BOOK_PAGES, number + 2) + 1)
    links = [To(f"/book/{n}", str(n)) for n in near if n != number]
    return Leaf(f"Page {number} of the book", tuple(links))


def _book_targets() -> Iterator[str]:
    yield from ("/", "/book")
    yield from (f"/book/{n}" for n in range(1, BOOK_PAGES + 1))


BOOK = Site("book.test", _book, _book_targets)


# -- filters: sixty things behind every combination of three filters, on three pages ------------

THINGS, THINGS_SIZE = 60, 20
_FILTERS = {
    "colour": ("red", "green", "blue", "grey"),
    "size": ("s", "m", "l"),
    "sort": ("old", "new"),
}


def _filters(path: str, query: dict[str, str]) -> Leaf | None:
    if path == "/" and not query:
        return Leaf("Things", (To("/things", "All things"),))
    if path != "/things":
        thing = number_of(path.removeprefix("/thing/"), THINGS)
        return Leaf(f"Thing {thing}") if thing and not query else None
    chosen = {name: value for name, value in query.items() if name != "page"}
    if any(value not in _FILTERS.get(name, ()) for name, value in chosen.items()):
        return None
    found = [n for n in range(1, THINGS + 1) if all(_has(n, *pair) for pair in chosen.items())]
    if chosen.get("sort") == "new":
        found.reverse()
    last = max(1, -(-len(found) // THINGS_SIZE))
    number = number_of(query.get("page", "1"), last)
    if not number:
        return None
    links = [*share([To(f"/thing/{n}", f"Thing {n}") for n in found], number, THINGS_SIZE)]
    for name, values in _FILTERS.items():
        links += [To(_things({**chosen, name: value}), value) for value in values]
        links += [To(_things({**chosen, name: ""}), f"any {name}")] if name in chosen else []
    links += around(
        number, last, _things(chosen) + ("&" if any(chosen.values()) else "?") + "page={}"
    )
    text = " ".join(
        f"Thing {n} is there." for n in found[(number - 1) * THINGS_SIZE : number * THINGS_SIZE]
    )
    return Leaf("Things", tuple(links), text=text)


def _has(thing: int, name: str, value: str) -> bool:
    values = _FILTERS[name]
    return (
        name == "sort" or values[thing * 7 // (1 if name == "size" else 3) % len(values)] == value
    )


def _things(chosen: dict[str, str]) -> str:
    query = "&".join(f"{name}={value}" for name, value in chosen.items() if value)
    return f"/things?{query}" if query else "/things"


def _filter_targets() -> Iterator[str]:
    yield from ("/", "/things")
    yield from (f"/thing/{n}" for n in range(1, THINGS + 1))


FILTERS = Site("filters.test", _filters, _filter_targets)
"""Its targets are the things and the first page of the list; the filters show nothing more."""


# -- a manual whose pages all have a query: a tree of ten levels ---------------------------------

CHAPTERS = 1023


def _manual(path: str, query: dict[str, str]) -> Leaf | None:
    number = number_of(query.get("id", "1"), CHAPTERS)
    if path != "/" or not number:
        return None
    below = [n for n in (2 * number, 2 * number + 1) if n <= CHAPTERS]
    return Leaf(f"Chapter {number}", tuple(To(f"/?id={n}", f"Chapter {n}") for n in below))


def _manual_targets() -> Iterator[str]:
    yield "/"
    yield from (f"/?id={n}" for n in range(2, CHAPTERS + 1))


MANUAL = Site("manual.test", _manual, _manual_targets)

FINITE = (SHOP, ARCHIVE, FORUM, BLOG, OFFSETS, BOOK, FILTERS, MANUAL)
