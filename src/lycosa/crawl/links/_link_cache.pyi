"""Types of the compiled module; what it does is told in `_link_cache.pyx`."""

from collections.abc import Collection, Sequence
from typing import Protocol

from lycosa.crawl.links.raw_links import RawLinks
from lycosa.model.links import Links, Target
from lycosa.model.links._pagination import Keys
from lycosa.model.url import Verdict

MOST_REFERENCES: int
LONGEST_REFUSED: int

class Judge(Protocol):
    """The rules of a job."""

    @property
    def judges_by_site(self) -> bool:
        """Whether all URLs of a site get the same verdict."""

    def judge(self, key: str) -> Verdict:
        """Return the verdict on one key."""

class Targets:
    def __init__(self, scope: Judge, most: int = MOST_REFERENCES) -> None: ...
    def targets(self, hrefs: Sequence[str], base: str) -> list[Target]: ...
    def links(
        self,
        raw: RawLinks,
        base: str,
        excused: str,
        by: int,
        uncounted: Collection[str],
        table: Keys | None = None,
        page: int = 0,
    ) -> tuple[Links, Links, dict[str, int]]: ...
    def of_key(self, key: str) -> Target: ...
    def forget(self) -> None: ...
    @property
    def folders(self) -> int: ...

def folder_of(url: str) -> str: ...
