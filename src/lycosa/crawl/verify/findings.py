"""A finding of `lycosa verify`: which file, what is wrong with it, what a repair would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Finding(NamedTuple):
    """One problem in a crawl directory."""

    file: str
    """Its path in the crawl directory."""
    what: str
    remedy: str
    """What `--repair` would do."""
    is_damage: bool = True
    """False for a remark that needs no repair."""


REINDEX = "make it again from the records"
ASK_AGAIN = "fetch its pages again"
FORWARD = "bring the log forward to what archive, snapshots and segments hold"
REBUILD = "rebuild the log from what can be read of it and from the segments"
RESTORE = "nothing: restore the server from a copy"
PUT_ASIDE = "move it to damaged/"
ASIDE = "move all files of the segment to damaged/"
MAKE_AGAIN = "move it to damaged/; then make it again: lycosa study, lycosa index"
NOTHING = "nothing to do"

Tell = Callable[[str, int, int], None]
"""Called with what is being checked, how many are done, and how many there are."""


def say_nothing(what: str, done: int, total: int) -> None:
    """Ignore progress."""
