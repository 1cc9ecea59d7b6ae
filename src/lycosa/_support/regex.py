"""Matches users' regular expressions in bounded time.

Python's `re` backtracks: `(a+)+$` takes twice as long for every further letter, and strangers
choose the letters. So expressions are matched by RE2, whose time grows linearly with the text. RE2
has neither look-around nor back-references for that reason.
docs/decisions/0016-plugins.md explains the choice, with figures.

An expression must be valid in RE2 and in Python's `re`, and mean the same in both. An error names
the construct that only `re` has, and what to write instead; constructs with two different
meanings are refused, too. One difference remains: `$` does not match before a final line
break. It cannot be seen in a canonical URL, which has no line breaks.

RE2 is not imported before the first expression is compiled.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import Any, Protocol

_SPLIT = "write two rules instead: reject what must not be there first, then accept the rest"
_CONSTRUCTS = (
    ("(?=", "look-ahead `(?=…)`", _SPLIT),
    ("(?!", "look-ahead `(?!…)`", _SPLIT),
    ("(?<", "look-behind `(?<=…)` or `(?<!…)`", _SPLIT),
    ("Backref", "a back-reference `\\1`", "folders that repeat: max_repeated_segments in a rule"),
    ("(?P", "a back-reference `(?P=name)`", "folders that repeat: max_repeated_segments in a rule"),
    ("(?>", "an atomic group `(?>…)`", "write `(?:…)`; nothing is tried again anyway"),
    ("(?(", "a choice by a group `(?(1)…)`", _SPLIT),
    ("(?#", "a comment `(?#…)`", "leave it out"),
    ("(?", "a flag or group", "flags that can be used: (?i), (?s), (?m)"),
    ("repetition operator", "a possessive repetition `*+`", "leave the second sign out"),
    ("repetition size", "a repetition of more than 1,000 times", "write `*` or `+`"),
)
_NO_LEAST = re.compile(r"\{,\d*\}")
_SETS = re.compile(r"\\.|\[\^?(\]?(?:\\.|[^\]\\])*)", re.DOTALL)
"""Escaped characters, and the sets between them up to their first `]`."""


class Expression(Protocol):
    """A compiled expression."""

    def search(self, text: str, /) -> object:
        """Return something true when the expression is found in the text."""

    def sub(self, replacement: str, text: str, /) -> str:
        """Return the text with every match replaced; `\\1` and `\\g<name>` stand for groups."""


@cache
def _engine() -> Any:
    """Return RE2, set to raise instead of falling back to `re`; most crawls never need it."""
    import re2

    re2.set_fallback_notification(re2.FALLBACK_EXCEPTION)
    return re2


def compile_expression(text: str) -> Expression:
    """Compile an expression of both dialects; raises ValueError for any other."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sets in sets, which are refused below
            re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(
            f"`{text}` is not a regular expression ({error}); in TOML write it between "
            "single quotes, so that `\\` is kept"
        ) from None
    if _NO_LEAST.search(text):
        raise ValueError(f"`{text}`: a repetition needs its least number: write `{{0,3}}`")
    if any("[:" in (found[1] or "").replace("\\[", "") for found in _SETS.finditer(text)):
        raise ValueError(
            f"`{text}`: in a set write `\\[` for a bracket, so that it does not begin a class"
        )
    try:
        compiled: Expression = _engine().compile(text)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(_explained(text, str(error))) from None
    return compiled


def compile_lines(text: bytes) -> re.Pattern[bytes]:
    """Compile an expression of our own making for the lines of a text."""
    compiled: re.Pattern[bytes] = _engine().compile(text, _engine().MULTILINE)
    return compiled


def _explained(text: str, problem: str) -> str:
    for sign, name, remedy in _CONSTRUCTS:
        if sign in problem:
            return (
                f"`{text}`: {name} cannot be matched in linear time\n"
                f"  {remedy}; allowed syntax: docs/howto/scope-and-rules.md"
            )
    return (
        f"`{text}` cannot be matched in linear time ({problem})\n"
        "  allowed syntax: docs/howto/scope-and-rules.md"
    )
