"""Budgets for pages that bring nothing new, by host, folder and shape: a part of the fold.

A host, each of its first folders and each shape of its URLs have a *budget*: the number of further
pages that may bring nothing new. A folder is a shape that ends in `**`. A full budget is not
stored, so a host that always brings something new costs nothing. Besides its remainder, a budget
holds hashes of what was repeated, so that it is recognised after a kill.

Always true:
  * a shape that was shut stays so until the operator reopens one of its URLs;
  * of a host at most `MOST_SHAPES` open budgets are kept, the latest ones.

Not here: what is new, and what a page costs (`lycosa.features.novelty.traps`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from xxhash import xxh3_64_intdigest

from lycosa.frontier.patterns.shapes import shape_of
from lycosa.model.records import MirrorFound, Outcome, Weighed

FULL = -1
INDEX = 1
"""The content of an index of sitemaps, which is weighed by where it stands, not by what it says."""
MOST_SHAPES = 256
MOST_CONTENTS = 32
"""Most repeated contents that are remembered for a shape."""


class Purse:
    """The rest of a shape's budget."""

    __slots__ = ("contents", "left")

    def __init__(self, left: int, contents: list[int]) -> None:
        self.left = left
        self.contents = contents


class HostPurses:
    """The budgets of a host that has repeated itself."""

    __slots__ = ("left", "shapes", "shut")

    def __init__(self) -> None:
        self.left = FULL
        self.shapes: dict[int, Purse] = {}
        self.shut: dict[int, int] = {}
        """Shapes of which nothing more is asked for, with the outcome of what is left."""


class Traps:
    """The budgets and mirrors among the hosts of a partition."""

    def __init__(self) -> None:
        self.hosts: dict[int, HostPurses] = {}
        self.mirrors: dict[int, str] = {}
        """Hosts whose links are not followed, with the name of the host that they repeat."""
        self.put_aside: Counter[int] = Counter()
        """How many URLs are put aside one by one, by outcome; a closed host's are not counted."""
        self.indexes: set[int] = set()
        """The pages that are indexes of sitemaps."""

    def outcome_of(self, host: int, site_name: str, key: str) -> Outcome | None:
        """Return the outcome of an unfetched URL whose shape is shut, or None."""
        purses = self.hosts.get(host)
        if purses is None or not purses.shut:
            return None
        path = key[len(site_name) :]
        shut = purses.shut.get(shape_number(site_name, shape_of(path).text))
        if shut is None and (folder := first_folder(path)):
            shut = purses.shut.get(shape_number(site_name, folder))
        return None if shut is None else Outcome(shut)

    def holds(self, host: int) -> bool:
        """Return whether something of a host is put aside, or its links are not followed."""
        purses = self.hosts.get(host)
        return host in self.mirrors or (purses is not None and bool(purses.shut))

    def apply_weighed(self, event: Weighed, host: int) -> None:
        """Note the rest of the budgets after a page."""
        if event.content == INDEX:
            self.indexes.add(event.page)
        purses = self.hosts.get(host)
        if purses is None:
            purses = self.hosts[host] = HostPurses()
        purses.left = event.host_left
        purse = purses.shapes.pop(event.shape, None)
        if event.shuts is not None:
            purses.shut[event.shape] = event.shuts
        elif event.left != FULL:
            contents = purse.contents if purse is not None else []
            if event.content not in (0, INDEX, *contents):
                contents = [*contents, event.content][-MOST_CONTENTS:]
            purses.shapes[event.shape] = Purse(event.left, contents)
            if len(purses.shapes) > MOST_SHAPES:
                del purses.shapes[next(iter(purses.shapes))]
        if purses.left == FULL and not purses.shapes and not purses.shut:
            del self.hosts[host]

    def apply_mirror_found(self, event: MirrorFound) -> None:
        """Note that a host repeats another one."""
        self.mirrors[event.host] = event.original

    def release(self, host: int) -> None:
        """Forget everything about a host: the operator wants to see more of it."""
        self.hosts.pop(host, None)
        self.mirrors.pop(host, None)

    def pack(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "hosts": {
                host: [
                    purses.left,
                    {shape: [purse.left, purse.contents] for shape, purse in purses.shapes.items()},
                    purses.shut,
                ]
                for host, purses in self.hosts.items()
            },
            "mirrors": self.mirrors,
            "put_aside": dict(self.put_aside),
            "indexes": sorted(self.indexes),
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Take over what `pack` returned; nothing, from before there was a defence."""
        for host, (left, shapes, shut) in packed.get("hosts", {}).items():
            purses = self.hosts[host] = HostPurses()
            purses.left, purses.shut = left, shut
            purses.shapes = {shape: Purse(*purse) for shape, purse in shapes.items()}
        self.mirrors = packed.get("mirrors", {})
        self.put_aside.update(packed.get("put_aside", {}))
        self.indexes = set(packed.get("indexes", ()))


def first_folder(path: str) -> str:
    """Return the shape of everything below the first folder of a path; "" if it has none."""
    folder, slash, _ = path[1:].partition("?")[0].partition("/")
    return f"/{folder}/**" if slash else ""


def shape_number(site_name: str, shape: str) -> int:
    """Return the number by which a shape of a site is known."""
    return int(xxh3_64_intdigest(f"{site_name}{shape}".encode()))
