"""Names of topics: the allowed characters, and the meaning of dots.

A name is made of letters, digits, `_` and `-`. A dot stands between a topic and its part:
`science.biology` is a topic whose parent is `science`. `other` is the topic of texts of none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


def fault_of(name: str) -> str:
    """Return the fault of a name and its remedy; "" if the name is valid."""
    if _NAME.fullmatch(name):
        return ""
    if not name.strip():
        return "the name of a topic is empty\n  write a name, for example: biology"
    parts = [part for part in _NOT_IN_NAMES.sub("_", name.strip()).split(".") if part]
    return (
        f"`{name}` is not a name of a topic: letters, digits, _ and - are allowed, a dot between a"
        f" topic and its part\n  write, for example: {'.'.join(parts).strip('_') or 'biology'}"
    )


def parent_of(name: str) -> str:
    """Return the topic that a topic is a part of; nothing for a topic of its own."""
    return name.rpartition(".")[0]


def is_within(name: str, topic: str) -> bool:
    """Return whether a topic is another one, or a part of it."""
    return name == topic or name.startswith(f"{topic}.")


def at_level(names: Iterable[str], level: int) -> tuple[str, ...]:
    """Return topics cut to a number of levels, each once; 0 leaves them as they are."""
    if not level:
        return tuple(dict.fromkeys(names))
    return tuple(dict.fromkeys(".".join(name.split(".")[:level]) for name in names))
