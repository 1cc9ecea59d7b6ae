"""Events and messages about pages that are rendered in a browser (`features.rendering`)."""

from __future__ import annotations

from msgspec import Struct

from lycosa.model.records.exchange import Place


class RenderQueued(Struct, frozen=True, array_like=True, tag_field="t", tag=48):
    """A page that is kept waits to be rendered, for the first time or again."""

    moment: float
    page: int
    round: int = 0
    """Number of renderings with missing parts."""
    missing: list[str] = []
    """Keys of the parts for which it waits, until they have come or can no longer come."""
    view: str = ""
    """The fragment of the view that waits; "" for the page itself."""
    body: int = 0
    """A number made of the body, for a page that was not found; 0 for pages that are kept."""


class Rendered(Struct, frozen=True, array_like=True, tag_field="t", tag=49):
    """A page was rendered, or will not be."""

    moment: float
    page: int
    ending: str
    """Result (`lycosa.fetch.browser.protocol.Ending`); `shell` for a page that seems empty without
    scripts, in a crawl without rendering; `dropped` for a page that is no longer kept."""
    place: Place | None = None
    """Place of the rendered document's record."""
    differs: bool = False
    """Whether the document has links or text that the original page lacks."""
    verdict: int = 0
    """With the last page of a site's sample: 1 if the site's pages are rendered from now on, 2 if
    only those that seem empty are."""
    refused: dict[str, str] = {}
    """Parts that the page's scripts asked for and did not get, with the reasons."""
    detail: str = ""
    """The failure in words."""
    view: str = ""
    """The fragment of the view that was rendered; "" for the page itself."""
    views: list[str] = []
    """Fragments of views that were found in it, and are rendered next."""
    size_bytes: int = 0
    """Bytes of a view that counts as a page; 0 for others, and for one that has counted before."""


class PartsNoted(Struct, frozen=True, array_like=True, tag_field="t", tag=50):
    """Messages between partitions about parts of pages."""

    sought: dict[str, int] = {}
    """Keys of this partition, and the partitions that wait for them."""
    told: list[str] = []
    """Keys that were answered."""
    came: dict[str, Place | None] = {}
    """Keys of other partitions, with their records; None for parts that cannot come."""
    moved: dict[str, str] = {}
    """Keys of other partitions that lead to other keys."""
    parts: list[str] = []
    """Keys of this partition that are parts of pages: kept whatever their type."""
    refused: dict[str, int] = {}
    """Keys of other partitions that cannot come, and their outcomes."""


class PartsInRow(Struct, frozen=True, array_like=True, tag_field="t", tag=53):
    """A host may be asked for parts of a page in a row, and owes as many pauses; or that is over.

    The event is durable before the first of the requests.
    """

    moment: float
    host: int
    parts: list[int] = []
    """URLs of this partition that may follow without a pause; empty when the row is over."""
    most: int = 0
    """Most requests in a row, and the pauses that follow."""


class PartsWanted(Struct, frozen=True, array_like=True, tag_field="t", tag=48):
    """A page of another partition needs these URLs: report when they have come, or cannot come."""

    partition: int
    keys: list[str]


class PartsFound(Struct, frozen=True, array_like=True, tag_field="t", tag=49):
    """The answer to `PartsWanted`."""

    came: dict[str, Place | None]
    moved: dict[str, str] = {}
    refused: dict[str, int] = {}
    """Outcomes of those that cannot come."""
