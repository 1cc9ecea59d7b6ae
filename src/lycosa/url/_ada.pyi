"""Types of the compiled module; what it does is told in `_ada.pyx`."""

from collections.abc import Iterable

LONGEST_URL: int
LONGEST_HREF: int

def parse(url: str, base: str | None = None) -> str | None: ...
def canonical_key(href: str, base: str | None = None) -> str | None: ...
def canonical_keys(hrefs: Iterable[str], base: str) -> list[str | None]: ...
