"""Types of the compiled module; what it does is told in `_columns.pyx`."""

from collections.abc import Sequence

from lycosa.links.known import Known, Reach

class Target:
    """A URL that pages link to: resolved and judged once, shared by all links that lead to it."""

    key: str
    """"" when it is no URL that a crawl could ask for."""
    url: str
    url_id: int
    """The hash by which rows name it, unsigned."""
    refusal: str
    """Why the job does not want it; "" when it does."""
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

class Rows:
    def __init__(self, names: list[str]) -> None: ...
    def __len__(self) -> int: ...
    def add(
        self,
        source: int,
        fetch: int,
        moment: int,
        targets: Sequence[Target],
        kinds: Sequence[int],
        texts: Sequence[str],
        rels: Sequence[str],
        times: Sequence[int],
    ) -> None: ...
    def columns(
        self,
    ) -> tuple[
        bytes,
        bytes,
        bytes,
        bytes,
        tuple[bytes, bytes],
        tuple[bytes, bytes],
        tuple[bytes, bytes],
        tuple[bytes, bytes],
        bytes,
    ]: ...

def sifted(
    targets: Sequence[Target],
    kinds: Sequence[int],
    texts: Sequence[str],
    rels: Sequence[str],
    times: Sequence[int],
    excused: str,
    by: int,
) -> tuple[tuple[list[Target], list[int], list[str], list[str], list[int]], dict[str, int]]: ...
def unsettled(
    targets: Sequence[Target],
    kinds: Sequence[int],
    known_pages: Known,
    reach: Reach,
    free_kinds: int,
    requisite_kinds: int,
) -> list[int]: ...
def outlinks(
    targets: Sequence[Target], kinds: Sequence[int], rels: Sequence[str], names: list[str]
) -> bytes: ...
