"""Matches users' regular expressions in bounded time.

Python's `re` backtracks: `(a+)+$` takes twice as long for every further letter, and strangers
choose the letters. So expressions are matched by RE2, whose time grows linearly with the text and
which for that reason has neither look-around nor back-references. Crawls begun before this change
may use expressions that only `re` understands; these are matched in a process that is killed when
it takes too long. docs/decisions/0033-linear-expressions.md explains the choice, with figures.

    linear    compiles an expression for RE2, or explains what to write instead
    killable  matches with `re` in a process that can be killed

Neither is imported before the first expression is compiled.
"""

from __future__ import annotations

from typing import Protocol


class TooSlow(Exception):
    """A match took too long, and its process was killed."""


class Expression(Protocol):
    """A compiled expression."""

    def search(self, text: str, /) -> object:
        """Return something true when the expression is found in the text."""

    def sub(self, replacement: str, text: str, /) -> str:
        """Return the text with every match replaced; `\\1` and `\\g<name>` stand for groups."""


def compile_expression(text: str, *, may_be_slow: bool = False) -> Expression:
    """Compile an expression, or raise ValueError with what is wrong and the remedy.

    `may_be_slow` is for older crawls: expressions that only `re` understands are then matched in
    a process of their own, and their methods may raise `TooSlow`.
    """
    from lycosa.regex.linear import NotLinear, compile_linear

    try:
        return compile_linear(text)
    except NotLinear:
        if not may_be_slow:
            raise
    from lycosa.regex.killable import EndableExpression

    return EndableExpression(text)
