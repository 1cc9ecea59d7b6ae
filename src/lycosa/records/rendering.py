"""Events and messages about pages that are rendered in a browser (`lycosa.crawl.rendering`)."""

from __future__ import annotations

from msgspec import Struct

from lycosa.records.exchange import Place


class RenderQueued(Struct, frozen=True, array_like=True, tag_field="t", tag=48):
    """A page that is kept waits to be rendered, for the first time or again."""

    moment: float
    page: int
    round: int = 0
    """How often it was rendered with parts missing."""
    missing: list[str] = []
    """Keys of the parts that it waits for: until they have come, or cannot come any more."""


class Rendered(Struct, frozen=True, array_like=True, tag_field="t", tag=49):
    """A page was rendered, or will not be."""

    moment: float
    page: int
    ending: str
    """How it ended (`lycosa.render.protocol.Ending`); `shell` for a page that seems empty without
    scripts, in a crawl that renders nothing; `dropped` for one that is kept no longer."""
    place: Place | None = None
    """Of the record of the rendered document."""
    differs: bool = False
    """Whether the document has links or text that the page as it came has not."""
    verdict: int = 0
    """With the last page of a site's sample: 1 if the site's pages are rendered from now on, 2 if
    only those that seem empty are."""


class PartsNoted(Struct, frozen=True, array_like=True, tag_field="t", tag=50):
    """What partitions tell each other about parts of pages."""

    sought: dict[str, int] = {}
    """Keys of this partition, and the partition that waits for them."""
    told: list[str] = []
    """Those that were answered."""
    came: dict[str, Place | None] = {}
    """Keys of other partitions, with their records; None for what cannot come."""
    moved: dict[str, str] = {}
    """Keys of other partitions that lead to other keys."""


class PartsWanted(Struct, frozen=True, array_like=True, tag_field="t", tag=48):
    """A page of another partition needs these URLs: tell it when they have come, or cannot."""

    partition: int
    keys: list[str]


class PartsFound(Struct, frozen=True, array_like=True, tag_field="t", tag=49):
    """The answer."""

    came: dict[str, Place | None]
    moved: dict[str, str] = {}
