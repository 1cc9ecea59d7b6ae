"""What verifying finds: which file, what is wrong with it, and what a repair would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that is not as it should be."""

    file: str
    """Its path in the crawl directory."""
    what: str
    remedy: str
    """What `--repair` does about it."""
    is_damage: bool = True
    """False for what is worth knowing and needs no repair."""


REINDEX = "make it anew from the records"
ASK_AGAIN = "ask for its pages again"
FORWARD = "bring the log forward to what archive, snapshots and segments hold"
REBUILD = "put the log together anew from what can be read, and from the segments"
PUT_ASIDE = "move it to damaged/"
NOTHING = "nothing need be done"

Tell = Callable[[str, int, int], None]
"""Is told what is being looked at, how far that is, and of how much."""


def say_nothing(what: str, done: int, total: int) -> None:
    """Be told of progress and keep it."""
