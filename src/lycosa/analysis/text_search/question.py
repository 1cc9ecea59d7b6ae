"""Parses what a user types into a search box.

    ada lovelace          both words
    "analytical engine"   the words side by side
    -word  -"a phrase"    without
    engin*                words that begin so
    site:example.org      this host and those below it
    lang:de  type:pdf  topic:science        as the facets name them
    after:2025  before:2025-03-01           when the content was fetched first
    a:Person ada          pages with structured data about a person

Filters can be negated (`-site:example.org`). The parser refuses nothing: unusable pieces become
words or are left out, and `notes` lists them.

Always true: every text has a question; parsing takes time in proportion to its length.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

LONGEST = 1_000
"""Characters of a question that are read."""
MOST_WORDS = 32
_FILTERS = ("site", "lang", "type", "topic", "a")
_DATES = ("before", "after")

_PIECE = re.compile(
    r"""(?P<minus>-?)(?:(?P<key>[A-Za-z]+):(?=[^\s]))?(?:"(?P<phrase>[^"]*)(?P<closed>"?)|(?P<word>[^\s"]+))"""
)
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


class Word(NamedTuple):
    """A word or a phrase that pages have, or must not have."""

    text: str
    is_phrase: bool = False
    is_prefix: bool = False
    is_excluded: bool = False


class Filter(NamedTuple):
    """A property that pages have, or must not have."""

    name: str
    """`site`, `lang`, `type`, `topic` or `a`."""
    value: str
    is_excluded: bool = False


class Question(NamedTuple):
    """A user's question, parsed."""

    words: tuple[Word, ...] = ()
    filters: tuple[Filter, ...] = ()
    after: int | None = None
    """The first second that counts, since 1970."""
    before: int | None = None
    """The first second that counts no longer."""
    notes: tuple[str, ...] = ()
    """Notes for the user about pieces that were left out."""

    @property
    def is_empty(self) -> bool:
        """Whether the question is empty, or only excludes pages."""
        has_word = any(not word.is_excluded for word in self.words)
        has_filter = any(not one.is_excluded for one in self.filters)
        return not (has_word or has_filter) and self.after is None and self.before is None


def parse_question(text: str) -> Question:
    """Return the question that a text asks."""
    parser = _Parser()
    if len(text) > LONGEST:
        parser.notes.append(f"only the first {LONGEST:,} characters were read")
    for found in _PIECE.finditer(text[:LONGEST]):
        parser.take(found)
    if len(parser.words) > MOST_WORDS:
        parser.notes.append(f"only the first {MOST_WORDS} words were used")
    return Question(
        tuple(parser.words[:MOST_WORDS]),
        tuple(parser.filters[:MOST_WORDS]),
        parser.after,
        parser.before,
        tuple(parser.notes),
    )


class _Parser:
    """The pieces of a question found so far."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.filters: list[Filter] = []
        self.after: int | None = None
        self.before: int | None = None
        self.notes: list[str] = []

    def take(self, found: re.Match[str]) -> None:
        """Take one piece."""
        key = (found["key"] or "").lower()
        is_phrase, is_excluded = found["phrase"] is not None, bool(found["minus"])
        value = found["phrase"] if is_phrase else found["word"]
        if is_phrase and not found["closed"]:
            self.notes.append('a closing " is missing: the phrase goes on to the end')
        if key in _DATES:
            self._date(key, value)
        elif key in _FILTERS:
            self._filter(key, value, is_excluded)
        elif key:
            self._word(f"{found['key']}:{value}", is_phrase, is_excluded)
        else:
            self._word(value, is_phrase, is_excluded)

    def _word(self, text: str, is_phrase: bool, is_excluded: bool) -> None:
        if not any(letter.isalnum() for letter in text):
            if text.strip():
                self.notes.append(f"{text[:40]}: has no letter and no digit")
            return
        is_prefix = not is_phrase and text.endswith("*") and text[:-1].isalnum()
        bare = text.rstrip("*") if is_prefix else text
        self.words.append(Word(bare, is_phrase, is_prefix, is_excluded))

    def _filter(self, name: str, value: str, is_excluded: bool) -> None:
        if name == "site":
            value = _host_of(value)
        elif name != "a":
            value = value.strip().lower()
        if value:
            self.filters.append(Filter(name, value, is_excluded))
        else:
            self.notes.append(f"{name}: has no value")

    def _date(self, name: str, value: str) -> None:
        seconds = _seconds(value.strip())
        if seconds is None:
            self.notes.append(
                f"{name}:{value[:40]} is not a date; write 2025, 2025-03 or 2025-03-31"
            )
        elif name == "after":
            self.after = seconds
        else:
            self.before = seconds


def _host_of(value: str) -> str:
    """Return the host of what may be a URL or a pattern, as users write them."""
    rest = value.strip().lower().partition("://")
    host = (rest[2] or rest[0]).partition("/")[0]
    return host.removeprefix("*").strip(".")


def _seconds(value: str) -> int | None:
    """Return the first second of a year, a month or a day."""
    found = _DAY.fullmatch(value)
    if not found:
        return None
    try:
        day = datetime(int(found[1]), int(found[2] or 1), int(found[3] or 1), tzinfo=UTC)
    except ValueError:
        return None
    return int(day.timestamp())
