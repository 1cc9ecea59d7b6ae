"""Types of the compiled module; what it does is told in `_cdx_lines.pyx`."""

from collections.abc import Callable
from typing import Any, final

@final
class Lines:
    def __init__(
        self,
        site: Callable[[str], str],
        rest: Callable[[str], str],
        second: Callable[[int], str],
        mime: Callable[[str], str],
        posted: Callable[[str], tuple[str, str, str]],
    ) -> None: ...
    def surt(self, url: str) -> str: ...
    def timestamp(self, microseconds: int) -> str: ...
    def line(self, entry: tuple[Any, ...]) -> str: ...
