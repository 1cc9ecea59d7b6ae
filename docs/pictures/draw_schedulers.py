"""Draws the pictures of docs/howto/choose-a-scheduler.md.

    python docs/pictures/draw_schedulers.py

Four hosts with a few URLs each, all ready, and no new ones. The numbers are the order in which the
schedulers themselves choose the URLs, so a picture cannot be wrong about its scheduler;
tests/unit/frontier/schedulers/test_pictures.py fails when one is out of date. The strip below
the hosts is the same order again, in the colours of the hosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.freshness.worth import profit
from lycosa.frontier.schedulers import CountsLinks
from lycosa.frontier.schedulers.factory import Order, make_scheduler
from lycosa.frontier.schedulers.topics import ByTopic
from lycosa.model.job import SCHEDULERS, Frontier
from lycosa.model.records import Admitted
from lycosa.model.url import key_of

FOLDER = Path(__file__).parent
STEP = 21

HOSTS = {
    "a.com": [
        ("/", 0, 1),
        ("/about", 1, 1),
        ("/news/", 1, 2),
        ("/news/1", 2, 4),
        ("/news/2", 2, 1),
    ],
    "b.com": [("/", 0, 1), ("/x/", 1, 1), ("/x/1", 2, 1), ("/x/2", 2, 2), ("/y", 1, 1)],
    "c.org": [("/", 0, 2), ("/p", 1, 1)],
    "d.org": [("/", 0, 1), ("/q", 1, 8), ("/r", 1, 1)],
}
"""Host → path, depth and number of links to it."""

TOPICS = ["sport", "science"]
COLOURS = ["#2a6f97", "#c8553d", "#588157", "#8d6a9f"]
CARD, GAP, ROW, TOP = 166, 14, 27, 58
WIDTH = 4 * CARD + 5 * GAP


def order_of(name: str) -> list[str]:
    """Return `host/path` in the order in which a scheduler chooses."""
    state = PartitionState()
    scheduler = make_scheduler(state, Order(Frontier(scheduler=name)))
    # As breadth first would have found them: depth by depth, host by host.
    found = sorted(
        (depth, number, place, f"{host}{path}", links)
        for number, (host, pages) in enumerate(HOSTS.items())
        for place, (path, depth, links) in enumerate(pages)
    )
    for depth, _, _, url, links in found:
        queue = {"queues": bytes([topic_of(links)]), "positions": bytes([10 * depth])}
        state.apply(Admitted(0.0, "", [key_of(f"http://{url}")], [STEP * depth], **queue))
        page = len(state.table) - 1
        state.history.plan[page] = profit_of(depth, links)
        scheduler.offer(page, state.pages.site[page])
    for page, (*_, links) in enumerate(found):
        if isinstance(scheduler, CountsLinks) and scheduler.counts_links:
            for _ in range(links - 1):
                scheduler.linked(page, state.pages.site[page])
    for site in range(len(state.site_names)):
        scheduler.wake(site)
    if isinstance(scheduler, ByTopic):
        return [found[page][3] for page in in_turn(scheduler)]
    chosen = [scheduler.choose() for _ in found]
    return [found[page][3] for page in chosen if page is not None]


def in_turn(scheduler: ByTopic) -> Iterator[int]:
    """Choose from each topic in turn, while it has something."""
    while scheduler.ready:
        for topic in range(len(TOPICS)):
            page = scheduler.choose_in(topic)
            if page is not None:
                yield page


def topic_of(links: int) -> int:
    """Return what a page is about: here, those that many link to are about science."""
    return 1 if links > 1 else 0


def profit_of(depth: int, links: int) -> float:
    """Return the profit of a visit to a page, as a planner might have it."""
    return profit(links / 8, 1 / (2 + depth))


def picture(name: str) -> str:
    """Return the SVG of a scheduler."""
    order = order_of(name)
    rows = max(len(pages) for pages in HOSTS.values())
    bottom = TOP + 26 + rows * ROW + 16
    lines = [*_head(name, bottom + 62), *_cards(name, order), *_strip(order, bottom)]
    return "\n".join([*lines, "</svg>", ""])


def _head(name: str, height: int) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13">'
    )
    yield f"<title>The order of {name}</title>"
    yield f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    yield f'<text x="{GAP}" y="30" font-size="18" font-weight="bold" fill="#222">{name}</text>'


def _cards(name: str, order: list[str]) -> Iterator[str]:
    for number, (host, pages) in enumerate(HOSTS.items()):
        x, colour = GAP + number * (CARD + GAP), COLOURS[number]
        height = 26 + len(pages) * ROW + 6
        yield (
            f'<rect x="{x}" y="{TOP - 12}" width="{CARD}" height="{height}" rx="6" '
            f'fill="{colour}" fill-opacity="0.07" stroke="{colour}"/>'
        )
        yield f'<text x="{x + 10}" y="{TOP + 6}" fill="{colour}" font-weight="bold">{host}</text>'
        for row, (path, depth, links) in enumerate(pages):
            y = TOP + 32 + row * ROW
            at = order.index(host + path) + 1
            yield f'<circle cx="{x + 20}" cy="{y - 4}" r="11" fill="{colour}"/>'
            yield (
                f'<text x="{x + 20}" y="{y}" text-anchor="middle" font-size="12" '
                f'fill="#fff">{at}</text>'
            )
            indent = 38 + 12 * len(path.strip("/").split("/")) - 12 * (path == "/")
            yield f'<text x="{x + indent}" y="{y}" fill="#222">{escape(path)}</text>'
            if beside := _beside(name, depth, links):
                yield (
                    f'<text x="{x + CARD - 8}" y="{y}" text-anchor="end" font-size="11" '
                    f'fill="#777">{beside}</text>'
                )


def _beside(name: str, depth: int, links: int) -> str:
    """Say what the scheduler goes by."""
    if name == "breadth-first":
        return f"depth {depth}"
    if name == "best-first":
        return f"{links} link{'s' if links > 1 else ''}"
    if name == "profit":
        return f"{profit_of(depth, links):.2f}"
    if name == "topics":
        return TOPICS[topic_of(links)]
    return ""


def _strip(order: list[str], y: int) -> Iterator[str]:
    width = (WIDTH - 2 * GAP) / len(order)
    hosts = list(HOSTS)
    for number, url in enumerate(order):
        x, colour = GAP + number * width, COLOURS[hosts.index(url.partition("/")[0])]
        yield (
            f'<rect x="{x:.1f}" y="{y}" width="{width - 3:.1f}" height="26" rx="3" '
            f'fill="{colour}"/>'
        )
        yield (
            f'<text x="{x + width / 2 - 1.5:.1f}" y="{y + 17}" text-anchor="middle" font-size="12" '
            f'fill="#fff">{number + 1}</text>'
        )
    yield f'<text x="{GAP}" y="{y + 44}" font-size="11" fill="#777">the same order, by host</text>'


def burst_picture() -> str:
    """Return the SVG of what a burst is."""
    lines = list(_head("burst", 196))
    lines[1] = "<title>A burst of four URLs, and the pauses after it</title>"
    for y, burst, label in ((70, 1, "burst_urls = 1"), (134, 4, "burst_urls = 4")):
        lines.append(f'<text x="{GAP}" y="{y - 10}" fill="#222">{label}</text>')
        lines.append(
            f'<line x1="{GAP}" y1="{y + 26}" x2="{WIDTH - GAP}" y2="{y + 26}" stroke="#999"/>'
        )
        x = float(GAP)
        for number in range(8):
            lines.append(f'<rect x="{x:.1f}" y="{y}" width="12" height="26" fill="{COLOURS[0]}"/>')
            x += 16
            if (number + 1) % burst == 0:
                pause = 70 * burst
                lines.append(
                    f'<text x="{x + pause / 2:.1f}" y="{y + 17}" text-anchor="middle" '
                    f'font-size="11" fill="#777">{_pauses(burst)}</text>'
                )
                x += pause
    lines.append(
        f'<text x="{GAP}" y="184" font-size="11" fill="#777">one host, time from left to right; '
        "as many requests in the same time</text>"
    )
    return "\n".join([*lines, "</svg>", ""])


def _pauses(count: int) -> str:
    return "pause" if count == 1 else f"{count} pauses"


def pictures() -> dict[Path, str]:
    """Return all pictures by their files."""
    made = {FOLDER / f"scheduler-{name}.svg": picture(name) for name in SCHEDULERS}
    made[FOLDER / "scheduler-burst.svg"] = burst_picture()
    return made


if __name__ == "__main__":
    for path, svg in pictures().items():
        path.write_text(svg, encoding="utf-8")
        print(path)
