"""Types of the compiled module; what it does is told in `_rows.pyx`."""

from typing import Any

from lycosa.model.links import Links
from lycosa.model.records import Capture

Row = tuple[Any, ...]

class LinkRows:
    """The rows of links that have not been flushed, in columns."""

    def __init__(self, names: list[str]) -> None: ...
    def __len__(self) -> int: ...
    def add(self, source: int, url: str, fetch: int, moment: int, links: Links) -> None: ...
    def messages(self) -> list[bytes]: ...

class Pending:
    """Rows that have not been flushed, gathered in the worker's thread."""

    links: LinkRows
    extra: list[Row]
    """For each page the values of the columns that plugins add, if there are any."""

    def __init__(self, file_name: str = "", extra_width: int = 0) -> None: ...
    @property
    def page_count(self) -> int: ...
    def add(
        self,
        capture: Capture,
        kind: str | None,
        digest: str | None,
        is_changed: bool,
        offset: int,
        length: int,
        start: int,
        extent: int,
    ) -> int: ...
    def add_page(self, row: Row) -> None: ...
    def add_host(self, row: Row) -> None: ...
    def add_text(self, row: Row) -> None: ...
    def messages(self) -> dict[str, list[bytes]]: ...
