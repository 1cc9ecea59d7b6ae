"""A user's own regular expressions, which must not hold the crawl.

Python's `re` goes back and tries again: `(a+)+$` takes twice as long for every letter more, and
the letters are a stranger's. So expressions are matched by RE2 (`linear`), whose time grows with
the text alone, and which for that reason knows neither look-around nor back-references. Crawls that
were begun when `re` matched them are resumed with `re`, in a process that is ended when it takes
too long (`ended`). docs/decisions/0033-linear-expressions.md has the choice and the measurement.

Nothing is loaded before the first expression is compiled.
"""

from __future__ import annotations

from typing import Protocol


class TooSlow(Exception):
    """A match took too long and was ended."""


class Expression(Protocol):
    """What is done with an expression."""

    def search(self, text: str, /) -> object:
        """Return something true when the expression is found in the text."""

    def sub(self, replacement: str, text: str, /) -> str:
        """Return the text with every match replaced; `\\1` and `\\g<name>` stand for groups."""


def compile_expression(text: str, *, may_be_slow: bool = False) -> Expression:
    """Compile an expression, or raise ValueError with what is wrong and the remedy.

    `may_be_slow` is for crawls of before: what only `re` knows is then matched in a process of its
    own, and `TooSlow` may be raised when it is used.
    """
    from lycosa.regex.linear import NotLinear, compile_linear

    try:
        return compile_linear(text)
    except NotLinear:
        if not may_be_slow:
            raise
    from lycosa.regex.killable import EndableExpression

    return EndableExpression(text)
