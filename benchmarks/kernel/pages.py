"""An endless made-up web: two kinds of page, on any number of hosts."""

from __future__ import annotations

import random
from typing import NamedTuple

SEED = 1
WORDS = ("the", "spider", "waits", "until", "a", "thread", "of", "its", "web", "moves", "and")


class Shape(NamedTuple):
    """A kind of page."""

    name: str
    different: int
    links: int
    size_bytes: int


SMALL = Shape("small", 10, 10, 2_000)
TREE_A = Shape("like tree A", 35, 120, 30_000)


def host_name(number: int) -> str:
    return f"www.site{number:05d}.example"


def path_of(page: int) -> str:
    return f"/docs/api/package-{page % 97:02d}/class-{page:07d}.html"


def first_child(page: int) -> int:
    """Pages have one new link or two, in turn."""
    return page + page // 2 + 1


def running_text(size_bytes: int) -> str:
    chance = random.Random(SEED)
    words: list[str] = []
    length = 0
    while length < size_bytes:
        words.append(chance.choice(WORDS))
        length += len(words[-1]) + 1
    return " ".join(words)


def hrefs_of(page: int, shape: Shape, hosts: int) -> list[str]:
    """The links of a page: its own children, one abroad, and pages that are known by then."""
    chance = random.Random(f"{SEED} {page}")
    targets = dict.fromkeys(range(first_child(page), first_child(page + 1)))
    known = range(first_child(page))
    wanted = min(shape.different - (hosts > 1), len(targets) + len(known))
    while len(targets) < wanted:
        targets[chance.choice(known)] = None
    hrefs = [f"../package-{target % 97:02d}/class-{target:07d}.html" for target in targets]
    if hosts > 1:
        hrefs.append(f"http://{host_name(chance.randrange(hosts))}{path_of(page)}")
    return [hrefs[number % len(hrefs)] for number in range(shape.links)]


class MadeUpWeb:
    """The bodies of all pages, prepared: each host has the same pages."""

    def __init__(self, shape: Shape, hosts: int, pages: int) -> None:
        self.hosts = hosts
        self.bodies: dict[str, bytes] = {}
        head = "<!doctype html><html><head><title>A page</title></head><body>\n"
        for page in range(pages // hosts * 2 + 100):
            hrefs = hrefs_of(page, shape, hosts)
            links = "\n".join(f'<li><a href="{h}" class="link">class</a></li>' for h in hrefs)
            self.bodies[path_of(page)] = f"{head}<h1>{page}</h1><ul>\n{links}\n</ul>".encode()
        longest = max(map(len, self.bodies.values()))
        self.rest = (
            f"<p>{running_text(max(0, shape.size_bytes - longest))}</p></body></html>".encode()
        )
