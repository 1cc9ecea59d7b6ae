"""A question to the list: filters, an order, and the place from which it goes on.

All values are bound as parameters; the text of a query is made of names of columns alone.

A cursor is the last row that was sent, by its value in the order and the id of its URL. So no row
is sent twice and none is left out, whatever was added in the meantime, and a page far down costs as
much as the first. A row moves only if its own value in the order has changed: URLs never do.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, NamedTuple

import msgspec

from lycosa.errors import LycosaError

SHOWN = (
    *("url", "title", "outcome", "status", "type", "size"),
    *("depth", "fetched", "host", "language", "topic"),
)
"""The columns that are shown, and by which the list can be sorted."""
MOST_WORDS = 10
FACETS = ("outcome", "type", "topic")
"""Columns with few values, of which the rows are counted."""
_TEXTS = frozenset(("url", "title", "outcome", "type", "host", "language", "topic"))


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Filters, order and place."""

    host: str = ""
    outcome: str = ""
    type: str = ""
    topic: str = ""
    text: str = ""
    """Words that must all stand in the title or the URL, in any order."""
    sort: str = "fetched"
    is_descending: bool = True
    cursor: str = ""
    limit: int = 50


class Condition(NamedTuple):
    """A condition of SQL, with the values of its parameters."""

    text: str
    values: list[Any]

    def also(self, text: str, *values: Any) -> Condition:
        """Return the condition with another one that must hold, too."""
        return Condition(f"{self.text} and {text}", [*self.values, *values])


def filtered(asked: Question, without: str = "") -> Condition:
    """Return the condition of the filters; one of them can be left out."""
    found = Condition("true", [])
    for name in ("host", *FACETS):
        value = getattr(asked, name)
        if value and name != without:
            found = found.also(f"{name} = ?", value)
    words = matching(asked)
    return Condition(f"{found.text} and {words.text}", [*found.values, *words.values])


def matching(asked: Question) -> Condition:
    """Return the condition of the words alone, which the database tries in this order.

    Numbers and long words come first: fewer rows have them, and are searched for the next.
    """
    found = Condition("true", [])
    words = asked.text.lower().split()[:MOST_WORDS]
    for word in sorted(words, key=lambda word: (word.isalpha(), -len(word))):
        found = found.also("contains(words, ?)", word)
    return found


def placed(asked: Question) -> Condition:
    """Return the condition of the filters and the cursor."""
    found = filtered(asked)
    if asked.cursor:
        value, url_id = place_of(asked)
        beyond = "<" if asked.is_descending else ">"
        # The first part alone lets whole groups of rows be skipped.
        found = found.also(f"{asked.sort} {beyond}= ?", value)
        found = found.also(f"({asked.sort} {beyond} ? or url_id > ?)", value, url_id)
    return found


def order(asked: Question) -> str:
    """Return the order; rows of equal value follow each other by the ids of their URLs."""
    if asked.sort not in SHOWN:
        raise LycosaError(f"pages cannot be sorted by `{asked.sort}`\n  use: {', '.join(SHOWN)}")
    return f"{asked.sort} {'desc' if asked.is_descending else 'asc'}, url_id"


def cursor_of(asked: Question, row: dict[str, Any]) -> str:
    """Return the cursor behind a row."""
    place = (asked.sort, asked.is_descending, row[asked.sort], row["url_id"])
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode("ascii")


def place_of(asked: Question) -> tuple[Any, int]:
    """Return value and id of a cursor, which must belong to this order."""
    try:
        content = base64.b64decode(asked.cursor.encode("ascii"), b"-_", validate=True)
        sort, is_descending, value, url_id = msgspec.json.decode(
            content, type=tuple[str, bool, str | int, int]
        )
    except (binascii.Error, UnicodeError, msgspec.DecodeError):
        raise LycosaError("the cursor is invalid\n  begin without a cursor") from None
    is_of_column = isinstance(value, str) == (asked.sort in _TEXTS)
    is_in_range = isinstance(value, str) or abs(value) < 1 << 63
    if (sort, is_descending) != (asked.sort, asked.is_descending) or not is_of_column:
        raise LycosaError("the cursor is of another order\n  begin without a cursor")
    if not is_in_range or abs(url_id) > 1 << 63:
        raise LycosaError("the cursor is invalid\n  begin without a cursor")
    return value, url_id
