"""Finds rows in a copy of the list: first their numbers, then the rows themselves.

A search for words reads title and URL of every row, 0.1 s of CPU for a million. In order of the
URL, which is that of the file, it ends where enough is found, and so it does among the rows that
were fetched last, which stand in a file in that order, too. In other orders, where the words are
common, which a sample tells, the first rows of the order are looked through instead, and those with
the words are the first rows of the answer. In order of the host from its end, each group of rows
would come before those read so far; the numbers of rows by host tell at which host the answer ends.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import msgspec

from lycosa.analysis.page_list.columns import LISTED
from lycosa.analysis.page_list.question import (
    Condition,
    Question,
    filtered,
    matching,
    order,
    place_of,
    placed,
)

Row = tuple[Any, ...]

_MORE = 2
"""Rows that are asked for at first, for each row that is wanted, where some were replaced."""
_GROUP_ROWS = 10_240
"""The rows of a group of the copy, which are read together: 2 ms."""
_LEAST_FIRST_ROWS = 300
_SPARE = 1.5
"""By how much more rows are looked through than a sample says that it takes."""
_STRETCH_ROWS = 4 * _GROUP_ROWS
"""Rows of a file that are searched first, in its order; each further stretch is twice as long."""


class Ordered(NamedTuple):
    """Rows of the copy in a file, in an order."""

    file: str
    """How a query names the file."""
    number: str
    """The column with the number of a row in the copy."""
    rows: int


class CopiedRows(NamedTuple):
    """The rows of a copy that no younger one replaces."""

    by_url: Ordered
    """All of them."""
    latest: Ordered | None
    """The last fetched rows, the youngest first; a copy of an older version has none."""
    counts: str
    """How a query names the numbers of rows by host."""
    replaced: Collection[int]
    fetched: Callable[[str, list[Any]], list[Row]]

    def found(self, asked: Question, wanted: int) -> list[Row]:
        """Return so many rows behind the cursor, or all there are."""
        numbers = None
        if asked.sort == "url":
            numbers = self._along(self.by_url, asked, wanted, is_backwards=asked.is_descending)
        elif asked.text:
            numbers = self._among_the_latest(asked, wanted)
            numbers = self._among_the_first(asked, wanted) if numbers is None else numbers
        numbers = self._numbers(asked, wanted) if numbers is None else numbers
        if not numbers:
            return []
        listed = ", ".join(map(str, numbers))
        return self.fetched(
            f"select {LISTED} from {self.by_url.file} where file_row_number in ({listed})", []
        )

    def _numbers(self, asked: Question, wanted: int) -> list[int]:
        """Return the numbers of the first rows, which the database finds by reading all."""
        limit = wanted * _MORE if self.replaced else wanted
        while True:
            condition = self._before_the_last_host(asked, limit, placed(asked))
            numbers = self.fetched(
                f"select file_row_number, url_id from {self.by_url.file}"
                f" where {condition.text} order by {order(asked)} limit {limit}",
                condition.values,
            )
            left = self._not_replaced(numbers)[:wanted]
            if len(left) == wanted or len(numbers) < limit:
                return left
            limit *= 4

    def _among_the_latest(self, asked: Question, wanted: int) -> list[int] | None:
        """Return the numbers of the rows with the words that were fetched last.

        None if too few of them have the words. The rows of a host stand together in the copy.
        """
        if self.latest is None or asked.host or asked.sort != "fetched" or not asked.is_descending:
            return None
        found = self._along(self.latest, asked, wanted)
        return found if len(found) == wanted else None

    def _along(
        self, ordered: Ordered, asked: Question, wanted: int, *, is_backwards: bool = False
    ) -> list[int]:
        """Return the numbers of the first rows in order of a file, stretch by stretch."""
        condition = placed(asked)
        direction = "desc" if is_backwards else "asc"
        found: list[int] = []
        start, length = 0, _STRETCH_ROWS
        while start < ordered.rows and len(found) < wanted:
            first = max(0, ordered.rows - start - length) if is_backwards else start
            after = ordered.rows - start if is_backwards else start + length
            numbers = self.fetched(
                f"select {ordered.number}, url_id from {ordered.file} where {condition.text}"
                f" and file_row_number >= {first} and file_row_number < {after}"
                f" order by file_row_number {direction} limit {wanted + len(self.replaced)}",
                condition.values,
            )
            found += self._not_replaced(numbers)
            start, length = start + length, 2 * length
        return found[:wanted]

    def _before_the_last_host(self, asked: Question, limit: int, condition: Condition) -> Condition:
        """Return the condition without hosts behind so many rows, where groups are skipped by it.

        Upwards, the first groups have the first hosts, and the database skips the others itself.
        """
        if asked.sort != "host" or not asked.is_descending or asked.text:
            return condition
        behind = filtered(asked)
        if asked.cursor:
            behind = behind.also("host < ?", place_of(asked)[0])
        several = self.fetched(
            f"select host, number from {self.counts} where {behind.text}"
            f" order by host desc limit {limit}",
            behind.values,
        )
        for host, number in several:
            limit -= number
            if limit <= 0:
                return condition.also("host >= ?", host)
        return condition

    def _among_the_first(self, asked: Question, wanted: int) -> list[int] | None:
        """Return the numbers of rows with the words among the first rows of the order.

        None if too few have the words, or if so many would be looked through that most groups of
        the copy were read.
        """
        share = self._share(asked)
        first = max(_LEAST_FIRST_ROWS, int(wanted * _SPARE / share)) if share else self.by_url.rows
        if first > max(_LEAST_FIRST_ROWS, self.by_url.rows // _GROUP_ROWS):
            return None
        numbers = self._numbers(msgspec.structs.replace(asked, text=""), first)
        condition = matching(asked)
        listed = ", ".join(map(str, numbers))
        having = self.fetched(
            f"select file_row_number from {self.by_url.file}"
            f" where file_row_number in ({listed or '-1'}) and {condition.text}",
            condition.values,
        )
        has_words = {number for (number,) in having}
        found = [number for number in numbers if number in has_words]
        # Fewer rows than were asked for are all that the filters leave.
        return found[:wanted] if len(found) >= wanted or len(numbers) < first else None

    def _share(self, asked: Question) -> float:
        """Return the share of rows with the words in a group from the middle of the copy."""
        condition, middle = matching(asked), self.by_url.rows // 2
        ((having, all_rows),) = self.fetched(
            f"select count(*) filter (where {condition.text}), count(*) from {self.by_url.file}"
            f" where file_row_number >= {middle} and file_row_number < {middle + _GROUP_ROWS}",
            condition.values,
        )
        return having / all_rows if all_rows else 0.0

    def _not_replaced(self, numbers: list[Row]) -> list[int]:
        return [number for number, url_id in numbers if url_id not in self.replaced]
