"""Endless places: a calendar, a maze of paths, session ids, rooms that are all alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa_testweb.generated.page import Page, anchors
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import digest, mix


@dataclass(frozen=True, slots=True)
class Calendar:
    """Every month links to the next and to the one before."""

    folder: str = "calendar"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to one month."""
        return [ground.base(self.folder) + "2024-01"]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return a month."""
        year, dash, month = rest.partition("-")
        if query or not (dash and year.isdecimal() and month.isdecimal()):
            return None
        count = int(year) * 12 + int(month) - 1
        if rest != self._name(count) or not 1 <= int(month) <= 12 or count < 12:
            return None
        base = ground.base(self.folder)
        months = [base + self._name(other) for other in (count - 1, count + 1) if other >= 12]
        return Page(f"Events in {rest}", "There are no events in this month.", anchors(*months))

    def _name(self, count: int) -> str:
        return f"{count // 12:04d}-{count % 12 + 1:02d}"

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield none: there is no last one."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Maze:
    """Ever deeper paths: some count on, some repeat the same segments."""

    folder: str = "maze"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to both entrances."""
        base = ground.base(self.folder)
        return [f"{base}deeper/", f"{base}again/about/"]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Go one deeper."""
        if query or not rest.endswith("/"):
            return None
        segments = rest.split("/")[:-1]
        here = ground.base(self.folder) + rest
        if segments[0] == "deeper" and all(part.isdecimal() for part in segments[1:]):
            onward = [f"{here}{mix(ground.seed, len(segments)) % 1000}/"]
        elif segments[0] == "again" and set(segments[1:]) <= {"about", "contact"}:
            onward = [f"{here}about/", f"{here}contact/"]
        else:
            return None
        return Page("You are here", ground.prose(len(segments)), anchors(*onward))

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield none: there is no last one."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Sessions:
    """A few pages that link to each other with another session id every minute."""

    count: int = 4
    folder: str = "shop"
    seconds: float = 60.0
    """How long a session id lasts, if it is not a minute."""

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the first one."""
        return [ground.base(self.folder) + "0"]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the page, whatever the session id."""
        if not rest.isdecimal() or int(rest) >= self.count:
            return None
        if query and not query.startswith("sid="):
            return None
        session = f"{mix(ground.seed, int(moment // self.seconds)):016x}"
        base = ground.base(self.folder)
        links = [f"{base}{n}?sid={session}" for n in range(self.count) if n != int(rest)]
        return ground.plain(f"Article {rest}")._replace(links=anchors(*links))

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield none: every minute has its own."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Rooms:
    """Every room looks like every other, and leads to two more with names of their own."""

    folder: str = "rooms"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the first one."""
        return [ground.base(self.folder)]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the room, wherever it is."""
        if query or (rest and not rest.endswith("/")):
            return None
        here = ground.base(self.folder) + rest
        doors = [f"{here}{self._name(mix(ground.seed, digest(rest), n))}/" for n in range(2)]
        return ground.plain("A room")._replace(links=anchors(*doors))

    def _name(self, key: int) -> str:
        return "".join(chr(ord("a") + (key >> 5 * place) % 26) for place in range(7))

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield none: there is no last one."""
        return iter(())
