"""Reads seeds from arguments and from files with one seed a line, or from pools of topics.

Files are streamed, so a list of a million lines takes no memory here. A TOML file, and a CSV file
whose first line says `topic,url`, are pools (`lycosa.analysis.topics.pools`): their URLs are seeds
with topics.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

import click

from lycosa.cli.screen.notices import notice
from lycosa.fetch.guard import is_loopback_host
from lycosa.model.url import canonical_key, host_of

MOST_NOTICES = 10
"""Seeds without a scheme that are reported one by one; the others are counted."""
READING_SECONDS = 1.0

_USUAL = ("http://", "https://")
_HAS_DOT_OR_PORT = re.compile(r"^[^/?#]*[.:]")
_POOLS = (".toml", ".csv")
_HEADER = "topic,url"
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?![0-9])")


def gather(
    arguments: Iterable[str],
    file: TextIO | None,
    told: Callable[[int], None] = lambda count: None,
) -> Iterator[str]:
    """Yield all seeds with their schemes; `told` gets their number about once a second."""
    completed, count, following = 0, 0, time.monotonic() + READING_SECONDS
    for text in arguments:
        if seed := text.strip():
            yield with_scheme(seed)
    for count, seed in enumerate(_lines(file), 1):
        if seed.startswith(_USUAL) or has_scheme(seed):
            yield seed
        else:
            completed += 1
            yield with_scheme(seed, is_said=completed <= MOST_NOTICES)
        if not count % 1000 and time.monotonic() >= following:
            following = time.monotonic() + READING_SECONDS
            told(count)
    if completed > MOST_NOTICES:
        notice(f"{completed - MOST_NOTICES:,} more seeds without a scheme: read as https://")


def has_scheme(text: str) -> bool:
    """Return whether the text is a URL with a scheme, not a path or a bare host."""
    return _HAS_SCHEME.match(text) is not None


def with_scheme(seed: str, *, is_said: bool = True) -> str:
    """Return the seed as a URL: `example.org` becomes `https://example.org`, with a notice.

    Servers of this machine seldom have a certificate: `localhost:8000` becomes `http://…`. Text
    that cannot begin with a host name, such as `not a url`, stays as it is, and is refused later.
    """
    if has_scheme(seed):
        return seed
    rest = seed.removeprefix("//")
    key = canonical_key(f"http://{rest}")
    host = host_of(key) if key else ""
    if not host or " " in rest or not (_HAS_DOT_OR_PORT.search(rest) or is_loopback_host(host)):
        return seed
    url = f"{'http' if is_loopback_host(host) else 'https'}://{rest}"
    if is_said:
        notice(f"{seed}: read as {url}")
    return url


def _lines(file: TextIO | None) -> Iterator[str]:
    """Yield the lines that are seeds; an error names the bad byte itself, not its line."""
    if file is None:
        return
    try:
        name = str(getattr(file, "name", ""))
        if name.endswith(_POOLS):
            first = file.readline()
            if name.endswith(".toml") or first.lower().replace(" ", "").startswith(_HEADER):
                yield from _pool_lines(Path(name))
                return
            file.seek(0)
        for text in file:
            line = text.strip()
            if line and line[0] != "#":
                yield line
    except UnicodeDecodeError as error:
        raise click.BadParameter(
            f"{file.name}: {error.object[error.start : error.start + 1]!r} is not UTF-8;"
            " save the file as UTF-8",
            param_hint="--seeds",
        ) from None


def _pool_lines(path: Path) -> Iterator[str]:
    """Yield the URLs of pools, each with its topic."""
    from lycosa.analysis.topics.pools import read_pools  # few crawls begin with pools

    for pool in read_pools(path):
        for url in pool.urls:
            yield f"{url}\t{pool.topic}"
