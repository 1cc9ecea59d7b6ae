"""A finding of `lycosa verify`: the file, the problem, and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Finding(NamedTuple):
    """A problem in a crawl directory."""

    file: str
    """Path of the file in the crawl directory."""
    what: str
    remedy: str
    """The action that `--repair` would take."""
    is_damage: bool = True
    """False for a remark that needs no repair."""


REINDEX = "make it again from the records"
ASK_AGAIN = "fetch its pages again"
FORWARD = "bring the log forward to the end of archive, snapshots and segments"
REBUILD = "rebuild the log from its readable parts and from the segments"
RESTORE = "nothing: restore the server from a copy"
PUT_ASIDE = "move it to damaged/"
ASIDE = "move all files of the segment to damaged/"
MAKE_AGAIN = "move it to damaged/; then make it again: lycosa study, lycosa index"
NOTHING = "nothing to do"

Tell = Callable[[str, int, int], None]
"""Called with the name of the part being checked, the number done, and the number in all."""


def say_nothing(what: str, done: int, total: int) -> None:
    """Ignore progress."""
