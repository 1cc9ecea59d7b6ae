"""Finds the numbers and dates in a path, and the template that is left without them.

A *spot* is a piece of a path that counts up, with the text before and after it. Two paths that
differ in one spot alone have the same *template* there, and their values can be compared:

    /pics1/page7.html     "/pics1/page" 7 ".html"     the name counts
                          "/pics" 1 "/page7.html"     a folder counts
    /2021/03/31.html      "/" 2021/03/31 ".html"      a date
    /x/0a.html            "/x/" 0a ".html"            hexadecimal
    /list?page=3          "/list?page=" 3 ""          a parameter counts

Always true:
  * `Template.text(value)` is how the template writes a value: `before + text + after` is the
    path from which the spot was taken, for its own value;
  * of one path at most `MOST_SPOTS` spots are looked at, those nearest to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from lycosa.model.records import MiningRule

MOST_SPOTS = 4
LONGEST_NUMBER = 9
"""Longer numbers are timestamps and row ids, which do not count up."""

# Only the mining of siblings needs these; `re` remembers what it has compiled.
_DATE = r"(?<!\d)((?:19|20)\d\d)([-/_.]?)(0[1-9]|1[0-2])(?:\2(0[1-9]|[12]\d|3[01]))?(?!\d)"
_DIGITS = r"\d+"
_WORD = r"(?<![A-Za-z])(?:[A-Za-z]*+\d[0-9A-Za-z]*+|(?:[a-f]{2,8}|[A-F]{2,8})(?![0-9A-Za-z]))"
_HEX = r"(?:[0-9a-f]{2,8}|[0-9A-F]{2,8})\Z"
_DIGIT_BEFORE_LETTER = r"\d[a-fA-F]"
_PARAMETER = r"(?<=[=])\d+(?=&|\Z)"


class Template(NamedTuple):
    """A path without the piece that counts; `way` says how that piece is written."""

    before: str
    after: str
    way: str
    """`n` is a number, `x` or `X` hexadecimal, `d` and `m` a day and a month with its separator."""
    width: int
    """Of what has leading zeros; 0 is as wide as need be."""

    @property
    def is_folder(self) -> bool:
        """Whether what counts is a folder and not the name itself."""
        return "/" in self.after.rstrip("/")

    def path(self, value: int) -> str:
        """Return the path with this value."""
        return f"{self.before}{self.text(value)}{self.after}"

    def text(self, value: int) -> str:
        """Write a value as this template does."""
        way, separator = self.way[0], self.way[1:]
        if way == "n":
            return f"{value:0{self.width}d}"
        if way in "xX":
            return f"{value:0{self.width}{way}}"
        if way == "m":
            return f"{value // 12:04d}{separator}{value % 12 + 1:02d}"
        return date.fromordinal(value).strftime(f"%Y{separator}%m{separator}%d")

    def holds(self, value: int) -> bool:
        """Return whether a value can be written so: no wider, and no year that is none."""
        if self.way[0] == "m":
            return 1900 * 12 <= value < 2100 * 12
        if self.way[0] == "d":
            return date(1900, 1, 1).toordinal() <= value < date(2100, 1, 1).toordinal()
        if value < 0 or not self.width:
            return value >= 0
        return len(self.text(value)) == self.width


class Spot(NamedTuple):
    """A piece that counts: where it stands, its value and, roughly, its rule."""

    template: Template
    value: int
    rule: MiningRule
    is_telling: bool = False
    """With hexadecimal: whether this can be nothing else; else a number with leading zeros."""


def spots_of(path: str) -> list[Spot]:
    """Return the spots of a path, from its end."""
    if "?" in path:
        spots = list(_parameters(path))
    else:
        dated = re.search(_DATE, path)
        found = [_date_spot(path, dated)] if dated is not None else []
        spots = [spot for spot in found if spot is not None]
        inside = dated.span() if dated is not None and spots else (0, 0)
        spots += _numbers(path, inside)
    return spots[-MOST_SPOTS:][::-1]


def _parameters(path: str) -> Iterator[Spot]:
    for match in re.compile(_PARAMETER).finditer(path, path.index("?")):
        if len(match[0]) <= LONGEST_NUMBER and (match[0] == "0" or match[0][0] != "0"):
            template = Template(path[: match.start()], path[match.end() :], "n", 0)
            yield Spot(template, int(match[0]), MiningRule.PAGING)


def _date_spot(path: str, match: re.Match[str]) -> Spot | None:
    year, separator, month, day = match.groups()
    if day is None and not separator:
        return None  # six digits in a row are more often a number
    try:
        then = date(int(year), int(month), int(day or 1))
    except ValueError:
        return None
    value = then.toordinal() if day else then.year * 12 + then.month - 1
    way = ("d" if day else "m") + separator
    template = Template(path[: match.start()], path[match.end() :], way, 0)
    return Spot(template, value, MiningRule.DATE)


def _numbers(path: str, inside: tuple[int, int]) -> Iterator[Spot]:
    """Yield numbers outside of a date, decimal and hexadecimal."""
    name = path.rstrip("/").rfind("/") + 1
    for word in re.finditer(_WORD, path):
        if word.start() < inside[1] and inside[0] < word.end():
            continue
        is_hex = re.match(_HEX, word[0]) is not None
        is_telling = is_hex and re.search(_DIGIT_BEFORE_LETTER, word[0]) is not None
        if is_hex and word.start() >= name:
            way = "X" if word[0] != word[0].lower() else "x"
            place = (path[: word.start()], path[word.end() :])
            template = Template(*place, way, len(word[0]))
            yield Spot(template, int(word[0], 16), MiningRule.HEXADECIMAL, is_telling)
        # Digits within a hexadecimal name do not count by themselves.
        if is_telling:
            continue
        for digits in re.compile(_DIGITS).finditer(path, word.start(), word.end()):
            text = digits[0]
            if len(text) > LONGEST_NUMBER:
                continue
            is_padded = len(text) > 1 and text[0] == "0"
            place = (path[: digits.start()], path[digits.end() :])
            template = Template(*place, "n", len(text) if is_padded else 0)
            rule = MiningRule.PADDED if is_padded else MiningRule.NUMBER
            rule = MiningRule.NUMBERED_FOLDER if template.is_folder else rule
            yield Spot(template, int(text), rule)
