"""Finds rows in a copy of the list: first their numbers, then the rows themselves.

A search for words reads title and URL of every row, 0.13 s of CPU for a million. Where the words
are common, which a sample tells, the first rows of the order are looked through instead, and those
with the words are the first rows of the answer. In order of the URL, which is that of the file, a
question ends where enough is found.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import msgspec

from lycosa.analysis.page_list.columns import NAMES
from lycosa.analysis.page_list.question import Question, matching, order, placed

Row = tuple[Any, ...]

_MORE = 2
"""Rows that are asked for at first, for each row that is wanted, where some were replaced."""
_SAMPLE_ROWS = 10_240
"""One group of rows of the copy: 2 ms."""
_FIRST_ROWS = 300
"""Rows of the order that are looked through: each may be in a group of its own."""
_STRETCH_ROWS = 500_000
"""Rows of the file that are searched at a time, in order of the URL."""


class CopiedRows(NamedTuple):
    """The rows of a copy that no younger one replaces."""

    base: str
    """How a query names the copy."""
    rows: int
    replaced: Collection[int]
    fetched: Callable[[str, list[Any]], list[Row]]

    def found(self, asked: Question, wanted: int) -> list[Row]:
        """Return so many rows behind the cursor, or all there are."""
        numbers = None
        if asked.sort == "url":
            numbers = self._along_the_file(asked, wanted)
        elif asked.text and self._share(asked) * _FIRST_ROWS > wanted * 1.5:
            numbers = self._among_the_first(asked, wanted)
        numbers = self._numbers(asked, wanted) if numbers is None else numbers
        if not numbers:
            return []
        listed = ", ".join(map(str, numbers))
        return self.fetched(
            f"select {NAMES} from {self.base} where file_row_number in ({listed})", []
        )

    def _numbers(self, asked: Question, wanted: int) -> list[int]:
        """Return the numbers of the first rows, which the database finds by reading all."""
        condition = placed(asked)
        limit = wanted * _MORE if self.replaced else wanted
        while True:
            numbers = self.fetched(
                f"select file_row_number, url_id from {self.base}"
                f" where {condition.text} order by {order(asked)} limit {limit}",
                condition.values,
            )
            left = self._not_replaced(numbers)[:wanted]
            if len(left) == wanted or len(numbers) < limit:
                return left
            limit *= 4

    def _along_the_file(self, asked: Question, wanted: int) -> list[int]:
        """Return the numbers of the first rows in order of the URL, stretch by stretch."""
        condition = placed(asked)
        direction = "desc" if asked.is_descending else "asc"
        starts = range(0, self.rows, _STRETCH_ROWS)
        found: list[int] = []
        for start in reversed(starts) if asked.is_descending else starts:
            numbers = self.fetched(
                f"select file_row_number, url_id from {self.base} where {condition.text}"
                f" and file_row_number >= {start} and file_row_number < {start + _STRETCH_ROWS}"
                f" order by file_row_number {direction} limit {wanted + len(self.replaced)}",
                condition.values,
            )
            found += self._not_replaced(numbers)
            if len(found) >= wanted:
                break
        return found[:wanted]

    def _among_the_first(self, asked: Question, wanted: int) -> list[int] | None:
        """Return the numbers of the first rows; None if too few rows looked at have the words."""
        numbers = self._numbers(msgspec.structs.replace(asked, text=""), _FIRST_ROWS)
        condition = matching(asked)
        listed = ", ".join(map(str, numbers))
        having = self.fetched(
            f"select file_row_number from {self.base}"
            f" where file_row_number in ({listed or '-1'}) and {condition.text}",
            condition.values,
        )
        has_words = {number for (number,) in having}
        found = [number for number in numbers if number in has_words]
        # Fewer rows than were asked for are all that the filters leave.
        return found[:wanted] if len(found) >= wanted or len(numbers) < _FIRST_ROWS else None

    def _share(self, asked: Question) -> float:
        """Return the share of rows with the words in a group from the middle of the copy."""
        condition, middle = matching(asked), self.rows // 2
        ((having, all_rows),) = self.fetched(
            f"select count(*) filter (where {condition.text}), count(*) from {self.base}"
            f" where file_row_number >= {middle} and file_row_number < {middle + _SAMPLE_ROWS}",
            condition.values,
        )
        return having / all_rows if all_rows else 0.0

    def _not_replaced(self, numbers: list[Row]) -> list[int]:
        return [number for number, url_id in numbers if url_id not in self.replaced]
