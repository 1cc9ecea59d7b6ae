"""Types of the compiled module; what it does is told in `_columns.pyx`."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from lycosa.model.links import Known, Reach

class Target:
    """A URL that pages link to: resolved and judged once, shared by all links that lead to it."""

    key: str
    """"" when it is not a URL that a crawl could ask for."""
    url: str
    url_id: int
    """The hash by which rows name it, unsigned."""
    refusal: str
    """Why the job does not want it; "" when it does."""
    has_parameters: bool
    """Whether the key has a query, parameters after a semicolon, or an escape without need: only
    then may it be another view of a page."""
    partition: int
    page: int
    """Its number in the partition, once that is known to have it."""

    def __init__(
        self,
        key: str,
        url: str = "",
        url_id: int = 0,
        refusal: str = "",
        partition: int = -1,
        page: int = -1,
    ) -> None: ...

class RawColumns(Protocol):
    """The references of a page, in columns."""

    @property
    def kinds(self) -> Sequence[int]: ...
    @property
    def texts(self) -> Sequence[str]: ...
    @property
    def rels(self) -> Sequence[str]: ...
    @property
    def times(self) -> Sequence[int]: ...
    @property
    def reasons(self) -> Sequence[str]: ...

class Columns(RawColumns, Protocol):
    """The links of a page, in columns."""

    @property
    def targets(self) -> Sequence[Target]: ...
    @property
    def positions(self) -> Sequence[int]: ...

Part = tuple[list[Target], list[str], list[int], list[str]]
"""Links that go to one partition: targets, keys, distances, keys of requisites."""

class Ways:
    def __init__(
        self,
        free_kinds: tuple[int, int],
        requisite_kinds: int,
        farthest: tuple[int, int],
        partition_of: Callable[[str], int],
    ) -> None: ...
    def unsettled(
        self, targets: Sequence[Target], kinds: Sequence[int], known_pages: Known, reach: Reach
    ) -> list[int]: ...
    def parted(
        self,
        targets: Sequence[Target],
        kinds: Sequence[int],
        places: Sequence[int],
        reach: Reach,
        number: int,
        own_site: str,
        lead: Callable[[Target], Target] | None,
    ) -> tuple[dict[int, Part], int]: ...

def note_pages(targets: list[Target], pages: list[int], guesses: Sequence[int]) -> None: ...
def unfollowed(
    kinds: Sequence[int], rels: Sequence[str], by_kind: list[str], nofollow: str
) -> list[str]: ...
def keys_of(targets: Sequence[Target]) -> list[str]: ...
def pages_among(targets: Sequence[Target], partition: int) -> list[int]: ...
def have_parameters(targets: Sequence[Target]) -> bool: ...
def sifted(
    targets: Sequence[Target],
    raw: RawColumns,
    excused: str,
    by: int,
    uncounted: Collection[str] = frozenset(),
) -> tuple[list[list[Any]], list[list[Any]], dict[str, int]]: ...
def outlinks(
    targets: Sequence[Target], kinds: Sequence[int], rels: Sequence[str], names: list[str]
) -> bytes: ...
