"""Types of the compiled module; what it does is told in `_pagination.pyx`."""

from collections.abc import Sequence
from typing import Protocol

from lycosa.model.links._columns import RawColumns, Target

class Keys(Protocol):
    """A table of URLs."""

    def key(self, page: int) -> str:
        """Return the key of a page."""

def kinds_with_pagination_of(
    targets: Sequence[Target], raw: RawColumns, table: Keys, page: int
) -> list[int] | None: ...
