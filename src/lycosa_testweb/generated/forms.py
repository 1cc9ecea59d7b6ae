"""Spellings of one and the same link, as pages write them.

A link means a canonical URL: scheme and host in lower case, no default port, no dot
segments, no fragment, escapes in upper case. A page writes it relative or absolute, with its
port, with a fragment, in capitals, or with lower-case escapes. All of these mean the same by RFC
3986 (5.2 and 6.2.2.1), and the page count finds out a crawler that takes two of them for two
pages, or two pages for one.
"""

from __future__ import annotations

from lycosa_testweb.parts import DEFAULT_PORTS, Parts, take_apart


def relative(base: Parts, target: Parts) -> str:
    """Return the shortest relative path from one page to another of the same site."""
    here = base.path.split("/")[:-1]
    there = target.path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    steps = [".."] * (len(here) - shared) + there[shared:]
    path = "/".join(steps)
    if not path or path.startswith(("/", "?")):
        path = "./" + path.lstrip("/")
    return path + _query(target)


def _query(target: Parts) -> str:
    return f"?{target.query}" if target.query else ""


def _with_port(target: Parts) -> str:
    port = target.port or DEFAULT_PORTS[target.scheme]
    return f"{target.scheme}://{target.host}:{port}{target.target}"


def _shouting(target: Parts, url: str) -> str:
    rest = url.partition("://")[2].partition("/")
    return f"{target.scheme.upper()}://{rest[0].upper()}/{rest[2]}"


def _with_small_escapes(url: str) -> str:
    """Write `%C3` as `%c3`."""
    before, *escaped = url.split("%")
    return "%".join([before, *(part[:2].lower() + part[2:] for part in escaped)])


def write(base: Parts, url: str, chance: int) -> str:
    """Return `url` as a page at `base` might write it; `chance` chooses how."""
    form = chance % 11
    if form == 0:
        return url
    if form == 1:
        return f"{url}#part-{chance >> 8 & 7}"
    if form == 4:
        return _with_small_escapes(url)
    target = take_apart(url)
    if form > 5 and target[:3] != base[:3]:
        return url
    if form == 2:
        return _with_port(target)
    if form == 3:
        return _shouting(target, url)
    if form == 5 and target.scheme == base.scheme:
        return url.partition(":")[2]
    if form in (6, 7):
        return target.target
    if form == 8:
        return relative(base, target)
    if form == 9:
        return f"/somewhere/./else/../..{target.target}"
    if form == 10:
        is_same_path = target.path == base.path and target.query
        return f"?{target.query}" if is_same_path else f"{relative(base, target)}#top"
    return url
