"""Lists that go on for ever: every page has words of its own, or every page says the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lycosa_testweb.lists.finite import Site
from lycosa_testweb.lists.listing import Leaf, To, around

_MOST = 10**9


def _none() -> Iterator[str]:
    return iter(())


def _tokens(path: str, query: dict[str, str]) -> Leaf | None:
    number = _after(query.get("after", "a0"))
    if path != "/" or number < 0:
        return None
    return Leaf(f"News {number}", (To(f"/?after=a{number + 1}", "More", "next"),))


def _after(text: str) -> int:
    return int(text[1:]) if text[:1] == "a" and text[1:].isdecimal() else -1


def _folders(path: str, query: dict[str, str]) -> Leaf | None:
    number = _after(path.removeprefix("/") or "a0")
    if query or number < 0:
        return None
    return Leaf(f"Story {number}", (To(f"/a{number + 1}", "More", "next"),))


def _counted(reach: int) -> Callable[[str, dict[str, str]], Leaf | None]:
    def page(path: str, query: dict[str, str]) -> Leaf | None:
        text = query.get("page", "1")
        if path != "/" or not text.isdecimal() or not 1 <= int(text) < _MOST:
            return None
        number = int(text)
        return Leaf(
            f"Log {number}", tuple(around(number, number + reach, "/?page={}", reach=reach))
        )

    return page


def _calendar(path: str, query: dict[str, str]) -> Leaf | None:
    """A month with a link for each day; a day says what its month says."""
    year, month = query.get("year", "2024"), query.get("month", "5")
    if path != "/" or not year.isdecimal() or not month.isdecimal() or not 1 <= int(month) <= 12:
        return None
    if "day" in query:
        return Leaf("A day", (To(f"/?month={month}&year={year}", "Month"),), text="No events.")
    count = int(year) * 12 + int(month) - 1
    days = [To(f"/?day={day}&month={month}&year={year}", str(day)) for day in range(1, 29)]
    ways = [
        To(f"/?month={n % 12 + 1}&year={n // 12}", said)
        for n, said in ((count - 1, "«"), (count + 1, "»"))
    ]
    return Leaf("A month", (*days, *ways), text="No events.")


def _doors(path: str, query: dict[str, str]) -> Leaf | None:
    """A room with words of its own and two doors, each with a name that no other has."""
    name = query.get("room", "r")
    if path != "/" or name[:1] != "r" or not set(name[1:]) <= {"a", "b"}:
        return None
    doors = tuple(To(f"/?room={name}{door}", f"Door {door}") for door in "ab")
    return Leaf(f"Room {name}", doors)


def _called_next(path: str, query: dict[str, str]) -> Leaf | None:
    found = _calendar(path, query)
    if found is None or "day" in query:
        return found
    links = (*found.links[:-1], found.links[-1]._replace(rel="next"))
    return found._replace(links=links)


TOKENS = Site("tokens.test", _tokens, _none)
FOLDERS = Site("folders.test", _folders, _none)
COUNTED = Site("counted.test", _counted(1), _none)
FAR = Site("far.test", _counted(5), _none)
CALENDAR = Site("calendar.test", _calendar, _none)
CALLED_NEXT = Site("called-next.test", _called_next, _none)
DOORS = Site("doors.test", _doors, _none)

ENDLESS = (TOKENS, FOLDERS, COUNTED, FAR, CALENDAR, CALLED_NEXT, DOORS)
"""Next pages by `rel=next`, with a query and without; by number; months; rooms."""
