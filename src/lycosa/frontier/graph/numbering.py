"""Numbers for ids: 64-bit hashes become 0 to n - 1, so that they can index arrays.

Always true: numbers follow the order of the ids, and equal ids have one number.

Cost: 8 bytes per id. A look-up is a binary search; many at a time are sorted first, so that they
go through memory in order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1

Ids = NDArray[np.int64]
Numbers = NDArray[np.int32]


class Numbering:
    """The numbers of a set of ids."""

    def __init__(self, ids: Ids) -> None:
        self.ids: Ids = np.unique(ids)

    def __len__(self) -> int:
        return len(self.ids)

    def numbers(self, ids: Ids) -> Numbers:
        """Return the number of every id; `UNKNOWN` for those that have none."""
        if not len(self.ids):
            return np.full(len(ids), UNKNOWN, np.int32)
        order = np.argsort(ids)
        wanted = ids[order]
        at = np.searchsorted(self.ids, wanted)
        at[at == len(self.ids)] = 0
        found = np.where(self.ids[at] == wanted, at, UNKNOWN)
        numbers = np.empty(len(ids), np.int32)
        numbers[order] = found
        return numbers
