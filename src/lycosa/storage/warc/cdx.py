"""The CDXJ index of an archive: one line per record, sorted by URL.

    org,example)/a?b=1 20260102030405 {"url": "http://www.example.org/a?b=1", …}

The first word is the URL in the form that replay tools search for (SURT), written by the rules
of the Internet Archive's canonicaliser, which pywb uses: host labels reversed (those of an IP
address too), `www.` and the scheme left out, everything in lower case, query arguments sorted,
session ids and a trailing slash dropped. Several URLs may share this form; the JSON tells them
apart. Of what was posted, method and body stand in the key, as pywb has them
(`lycosa.model.url.posts`), and in the JSON.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import IO
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.storage.warc._cdx_lines import Lines
from lycosa.storage.warc.warc_format import date

_LINES_IN_MEMORY = 25_000
_WWW = re.compile(r"^www\d*\.")
_SAFE = "".join(map(chr, range(0x21, 0x7F))).replace("%", "").replace("#", "")
_PLAIN = re.compile(r"[A-Za-z0-9/._~=&+-]*")
_NO_MARKS = str.maketrans("", "", "-T:")
# Many sites need none of these; `re` remembers what it has compiled.
_PATH_SESSION = r"^(.*)/\((?:[a-z0-9]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)(?=/[^?]+\.aspx)"
_QUERY_SESSIONS = [
    rf"^(.*){pattern}(?:&|$)"
    for pattern in (
        r"jsessionid=[0-9a-z]{32}",
        r"phpsessid=[0-9a-z]{32}",
        r"sid=[0-9a-z]{32}",
        r"aspsessionid[a-z]{8}=[a-z]{24}",
        r"cfid=[^&]+&cftoken=[^&]+",
    )
]


def _site(beginning: str) -> str:
    """Return scheme and host as a key begins."""
    parts = urlsplit(beginning)
    host = _WWW.sub("", parts.hostname or "", count=1)
    port = f":{parts.port}" if parts.port else ""
    return f"{','.join(host.split('.')[::-1])}{port})"


def _rest(path_and_query: str) -> str:
    parts = urlsplit("http://host" + path_and_query)
    path = re.sub(_PATH_SESSION, r"\1", _without_dots(_normal(parts.path)))
    if len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    query = _normal(parts.query)
    for pattern in _QUERY_SESSIONS:
        query = re.sub(pattern, r"\1", query)
    query = "&".join(sorted(query.split("&"), key=lambda part: part.split("=", 1)))
    return f"{path or '/'}{'?' + query if query else ''}"


def _normal(text: str) -> str:
    """Undo escapes until none is left, and escape what must be; in lower case."""
    if _PLAIN.fullmatch(text):
        return text.lower()
    content = text.encode()
    while (plain := unquote_to_bytes(content)) != content:
        content = plain
    return quote_from_bytes(content, _SAFE).lower()


def _without_dots(path: str) -> str:
    """Resolve what only the escapes hid: empty segments, `.` and `..`."""
    if "/." not in path and "//" not in path:
        return path
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == ".." and segments and segments[-1] != "..":
            segments.pop()
        elif segment not in ("", "."):
            segments.append(segment)
    return "/" + "/".join(segments)


@lru_cache(maxsize=1024)
def _second(seconds: int) -> str:
    return date(seconds)[:19].translate(_NO_MARKS)


class IndexEntry(NamedTuple):
    """The index entry of a record."""

    url: str
    began: int
    content_type: str
    status: int
    digest: str | None
    length: int
    offset: int
    file: str
    is_revisit: bool


@lru_cache(maxsize=1024)
def mime(content_type: str) -> str:
    """Return the type of a content, as a string of JSON."""
    return json.dumps(content_type.partition(";")[0].strip().lower() or "unk")


def _posted(address: str) -> tuple[str, str, str]:
    """Return the URL that was posted to, the one to search for, and what its line has more."""
    from lycosa.model.url import posts  # few crawls post

    url, searched = posts.bare(address), posts.replay_url(address)
    query = searched.partition("__wb_method=POST&")[2]
    return url, searched, f', "method": "POST", "requestBody": {json.dumps(query)}'


_LINES = Lines(_site, _rest, _second, mime, _posted)
surt, line = _LINES.surt, _LINES.line
"""The form of a URL by which replay tools search; the line of an exchange in the archive."""


class Sorter:
    """Sorts lines in bounded memory: sorted runs in files without a name, merged at the end."""

    def __init__(self, lines_in_memory: int = _LINES_IN_MEMORY) -> None:
        self._most = lines_in_memory
        self._lines: list[str] = []
        self._runs: list[IO[str]] = []
        self._files = ExitStack()

    def add(self, text: str) -> None:
        """Take a line, with its end."""
        self._lines.append(text)
        if len(self._lines) >= self._most:
            self._spill()

    def write(self, file: IO[str]) -> None:
        """Write all lines in order."""
        with self._files:
            self._lines.sort()
            lines = heapq.merge(self._lines, *self._runs) if self._runs else self._lines
            file.writelines(lines)

    def _spill(self) -> None:
        from tempfile import TemporaryFile  # few segments are so large

        self._lines.sort()
        run = TemporaryFile("w+", encoding="ascii", newline="\n")  # noqa: SIM115
        self._files.enter_context(run)
        run.writelines(self._lines)
        run.seek(0)
        self._runs.append(run)
        self._lines = []


def search(path: Path, key: str) -> Iterator[str]:
    """Yield the lines of a sorted file that are of one key, found by halving."""
    wanted = f"{key} ".encode()
    with beneath.open_file(path, "rb") as file:
        low, high = 0, path.stat().st_size
        while low < high:
            middle = (low + high) // 2
            _go_to_line(file, middle)
            found = file.readline()
            if found and found < wanted:
                low = middle + 1
            else:
                high = middle
        _go_to_line(file, low)
        for found in file:
            if not found.startswith(wanted):
                return
            yield found.decode()


def _go_to_line(file: IO[bytes], offset: int) -> None:
    """Go to the first line that begins at an offset or after it."""
    file.seek(max(offset - 1, 0))
    if offset:
        file.readline()
