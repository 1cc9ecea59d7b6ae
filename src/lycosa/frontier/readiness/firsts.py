"""Requests that a host gets before its pages, and the page that it gets before all others.

    errands   robots files of other sites that redirect here, in the order in which they came
    repeats   pages whose last request met a stale connection (`lycosa.fetch.http.kept`): each
              is the next page of its site, whatever the scheduler would choose

Neither is known to the scheduler. They are *wanted* while their host is awake (`hosts`), and
volatile: after a resume an errand comes from the log, and a repeat is a page like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


class Firsts:
    """The errands and repeats of a partition's hosts."""

    def __init__(self) -> None:
        self.errands: dict[int, deque[int]] = {}
        """By host."""
        self.errands_wanted: dict[int, None] = {}
        """Awake hosts that have an errand to be done, in order."""
        self.repeats: dict[int, int] = {}
        """The page of each site that is asked for again."""
        self.repeats_wanted: dict[int, None] = {}
        """Awake sites that have one, in order."""

    def add_errand(self, errand: int, host: int, *, is_next: bool) -> None:
        """Queue an errand of a host."""
        errands = self.errands.setdefault(host, deque())
        if is_next:
            errands.appendleft(errand)
        else:
            errands.append(errand)

    def take_errand(self) -> int:
        """Take the first errand that can be done out of its host's queue."""
        host = next(iter(self.errands_wanted))
        errands = self.errands[host]
        errand = errands.popleft()
        if not errands:
            del self.errands[host]
            del self.errands_wanted[host]
        return errand

    def drop_errands(self, host: int) -> Iterable[int]:
        """Forget the errands of a host that cannot be asked, and return them."""
        self.errands_wanted.pop(host, None)
        return self.errands.pop(host, ())

    def take_repeat(self) -> int:
        """Take the page of the first site that wants one."""
        site = next(iter(self.repeats_wanted))
        del self.repeats_wanted[site]
        return self.repeats.pop(site)

    def drop_repeat(self, site: int) -> None:
        """Forget the page of a site that is closed."""
        self.repeats_wanted.pop(site, None)
        self.repeats.pop(site, None)
