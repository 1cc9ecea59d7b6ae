"""The shape of a URL: its path without numbers, dates and repetition, to recognise traps.

Software that makes URLs without end makes them alike. A *shape* is the rest of a path when
the parts that can go on for ever are taken out:

    /calendar/2024-01           calendar      /calendar/<date>
    /news/2024/03/31.html       calendar      /news/<date>.html
    /events?month=3&year=2024   calendar      /events?month&year
    /shop/17?sid=6f0c           session       /shop/0?sid
    /s/4f6a09c1d2e3b857/cart    session       /s/<session>/*
    /a/b/a/b/a/b/               repetition    /a/b
    /blog/my-first-post/        plain         /blog/*/
    /item/lamp-7.html           plain         /item/0.html

The name of a page is dropped, whether it is a file or a folder with a slash after it; a segment
with a digit in it is a number; a folder counts once. So a shape is as wide as a folder, and dated
pages of a folder are separate from the others.

The shape also says how its pages are compared. Where the URL itself looks made by a machine, pages
that say *nearly* the same are the same; in a calendar those that differ in digits alone; in a
folder that looks like a session those that have the same path behind it, and differ in such names
alone; anywhere else only a text that is repeated word by word. Pages in a large frame differ in few
words, and a shop full of them is not a trap. Only pages nested deeper than `MOST_SEGMENTS` count as
nothing new without being compared.

The number of a shape is in the log: a path that gets another shape in a later version begins with a
full budget again, and nothing worse happens.

Not here: the consequences of a shape (`lycosa.features.novelty.traps`).
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum

from lycosa._support.tuples import NamedTuple
from lycosa.model.records import Outcome
from lycosa.model.url.ready_lists import SESSION_IDS

MOST_SEGMENTS = 16
"""No site nests deeper on purpose: such pages count as nothing new, unread."""
MOST_FOLDERS = 6
MOST_PARAMETERS = 8
REPEATED = 3
"""A named segment that occurs so often makes a path that repeats itself."""
MANY_PARAMETERS = 3
"""This many parameters are a machine's choice of order, colour and size."""

_FOUR_DIGITS = re.compile(r"\d{4}")
"""Part of every date: quicker to look for than a date."""
_LAST_NUMBER = re.compile(r"\d(?:\.[A-Za-z]{1,5})?/?(?:\Z|[?&])")
# Many sites need none of these; `re` remembers what it has compiled.
_DATE = r"(?<!\d)(?:\d{4}([-/_.])\d{1,2}(?:\1\d{1,2})?|(?:19|20)\d{6})(?!\d)"
_DIGIT = r"\d"
_ENDING = r"\.[A-Za-z]{1,5}\Z"
_TOKEN = r"(?=[A-Za-z-]*[0-9])(?:[0-9A-Za-z]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
"""A name that no person has given: a session, or the number of a record."""
_TOKEN_FOLDER = re.compile(rf"/{_TOKEN}/")
_ID = r"(?i)(?=.*\d)(?=.*[a-z])[0-9a-z_-]{16,}\Z"
_CALENDAR_NAMES = frozenset(
    ("date", "day", "month", "year", "week", "mon", "yr", "cal", "tribe-bar-date")
)
_SESSION_NAMES = frozenset(name for name in SESSION_IDS if not name.endswith("*"))
_SESSION_BEGINNINGS = tuple(name[:-1] for name in SESSION_IDS if name.endswith("*"))
_LOOSE_NAMES = "|".join(
    re.escape(name) for name in sorted({*_CALENDAR_NAMES, *_SESSION_NAMES, *_SESSION_BEGINNINGS})
)
_LOOSE_QUERY = rf"(?i)[?&](?:{_LOOSE_NAMES})|=[0-9a-z_-]{{16,}}"


class Compared(Enum):
    """How two pages are compared."""

    EXACTLY = "word by word"
    WITHOUT_DIGITS = "but for digits"
    WITHOUT_TOKENS = "but for names that look like a session, at the same path behind one"
    NEARLY = "but for a few words"
    NOT_AT_ALL = "whatever they say"


class Shape(NamedTuple):
    """A path without its numbers, dates and repetition."""

    text: str
    trap: Outcome
    """The outcome of its URLs, if the shape turns out to be a trap."""
    compared: Compared


def may_be_endless(path: str) -> bool:
    """Return whether a path could have a shape of which pages are not compared exactly.

    This is asked of every page, and the shape only of those for which it is true.
    """
    slashes = path.count("/")
    if slashes > REPEATED:
        segments = path.partition("?")[0].split("/")
        if slashes > MOST_SEGMENTS or len(set(segments)) < len(segments) - 1:
            return True
    if "?" in path and (path.count("&") >= MANY_PARAMETERS - 1 or re.search(_LOOSE_QUERY, path)):
        return True
    if ";" in path or "/(" in path or _TOKEN_FOLDER.search(path):
        return True
    return _FOUR_DIGITS.search(path) is not None and re.search(_DATE, path) is not None


def may_count(path: str) -> bool:
    """Return whether a path ends in a number: `/cal/17`, `/part7.html`, `?n=7&view=day`."""
    return _LAST_NUMBER.search(path, max(0, len(path) - 40)) is not None


def shape_of(path: str) -> Shape:
    """Return the shape of a path with its query."""
    path, _, query = path.partition("?")
    names = [pair.partition("=") for pair in query.split("&") if pair]
    path, is_dated = _undated(path)
    segments, has_session = _without_session(path.split("/")[1:])
    asked = sorted({name.lower() for name, _, _ in names})[:MOST_PARAMETERS]
    suffix = f"?{'&'.join(asked)}" if asked else ""
    # The surest sign decides: the shape says how alike its pages must be to count as a trap.
    if has_session or any(_is_session(name.lower(), value) for name, _, value in names):
        return Shape(_plain(segments) + suffix, Outcome.TRAP_SESSION, Compared.NEARLY)
    if (bare := without_tokens(path)) != path:
        text = _plain(bare.split("/")[1:]) + suffix
        return Shape(text, Outcome.TRAP_SESSION, Compared.WITHOUT_TOKENS)
    if is_dated or any(_is_date(name.lower(), value) for name, _, value in names):
        return Shape(_plain(segments) + suffix, Outcome.TRAP_CALENDAR, Compared.WITHOUT_DIGITS)
    if len(segments) > MOST_SEGMENTS:
        kinds = sorted({_kind(segment) for segment in segments})
        text = "".join(f"/{kind}" for kind in kinds if kind) + suffix
        return Shape(text, Outcome.TRAP_PATH_REPETITION, Compared.NOT_AT_ALL)
    named = [segment for segment in segments if segment and not re.search(_DIGIT, segment)]
    if named and Counter(named).most_common(1)[0][1] >= REPEATED:
        text = "".join(f"/{name}" for name in sorted(set(named))) + suffix
        return Shape(text, Outcome.TRAP_PATH_REPETITION, Compared.NEARLY)
    is_many = len(asked) >= MANY_PARAMETERS
    compared = Compared.NEARLY if is_many else Compared.EXACTLY
    return Shape(_plain(segments) + suffix, Outcome.TRAP_NOTHING_NEW, compared)


def without_tokens(path: str) -> str:
    """Return a path in which folders that look like a session are named as such."""
    # Twice, because two of them in a row share a slash.
    return _TOKEN_FOLDER.sub("/<session>/", _TOKEN_FOLDER.sub("/<session>/", path))


def _undated(path: str) -> tuple[str, bool]:
    """Return a path in which the first date is named as such, and whether there was one."""
    dated = re.sub(_DATE, "<date>", path, count=1)
    return dated, dated is not path and dated != path


def _without_session(segments: list[str]) -> tuple[list[str], bool]:
    """Return segments without `;sid=…`, and whether a session stood among them."""
    has_session = False
    bare: list[str] = []
    for segment in segments:
        name, semicolon, parameters = segment.partition(";")
        if semicolon:
            pairs = (pair.partition("=") for pair in parameters.split(";"))
            has_session |= any(_is_session(key.lower(), value) for key, _, value in pairs)
        has_session |= name[:3].lower() == "(s("  # the way of ASP.NET without cookies
        bare.append(name)
    return bare, has_session


def _plain(segments: list[str]) -> str:
    """Return folders, each once, and what kind of name stands in the last one."""
    is_folder = len(segments) > 1 and not segments[-1]
    name = segments[-2] if is_folder else segments[-1]
    folders = segments[: -2 if is_folder else -1]
    ending = re.search(_ENDING, name)
    kinds = dict.fromkeys(_kind(folder) for folder in folders)
    shown = "".join(f"/{kind}" for kind in list(kinds)[:MOST_FOLDERS])
    last = _kind(name) if name else ""
    if last and last not in ("0", "<date>"):
        last = "*"
    return f"{shown}/{last}{ending[0].lower() if ending else ''}{'/' if is_folder else ''}"


def _kind(segment: str) -> str:
    if "<date>" in segment:
        return "<date>"
    return "0" if re.search(_DIGIT, segment) else segment


def _is_session(name: str, value: str) -> bool:
    return (
        name in _SESSION_NAMES
        or name.startswith(_SESSION_BEGINNINGS)
        or re.match(_ID, value) is not None
    )


def _is_date(name: str, value: str) -> bool:
    is_named = name in _CALENDAR_NAMES and re.search(_DIGIT, value) is not None
    return is_named or re.search(_DATE, value) is not None
