"""The result of scanning a page: links, text, language, robots directives.

Links stand in columns, one list per property, because that is how they are stored and
resolved; `Facts.links` returns the two columns that most callers need as records.
"""

from __future__ import annotations

import msgspec

from lycosa.model.records import Link, LinkKind

LONGEST_TEXT = 200
"""Characters of a link's text that are kept."""

LONGEST_TITLE = 1000
"""Characters of a title or a description that are kept."""

LONGEST_PAGE = 1_000_000
"""Characters of a page's text that are kept: no reader reads more, and memory is finite."""


class Facts(msgspec.Struct):
    """The facts of a page about itself and about other pages."""

    base: str | None = None
    """The page's `base`, as it writes it."""
    hrefs: list[str] = []
    """References as the page writes them, without their fragments, which are never sent: one
    for each pair of reference and kind. `#` is a part of the page itself."""
    kinds: list[int] = []
    """Numbers of `LinkKind`."""
    texts: list[str] = []
    """The text of an anchor, or the alternative text of an image."""
    rels: list[str] = []
    """The relations that the page names, in lower case, a space between them."""
    times: list[int] = []
    """How often the pair occurs; it stands where it occurs first."""
    title: str = ""
    description: str = ""
    content: bytes = b""
    """The visible text, in UTF-8: one space between words, a new line between blocks."""
    language: str = ""
    """The primary subtag of the language that the page names."""
    charset: str = ""
    """The character set that was used, by the name that the Encoding standard gives it."""
    is_nofollow: bool = False
    is_noindex: bool = False
    is_truncated_links: bool = False
    """The page has more links than the caller wanted."""
    has_rdfa: bool = False
    """An attribute that RDFa makes triples of (`names.RDFA`), or a relation that it does."""
    has_microdata: bool = False
    """An `itemscope`."""
    has_json_ld: bool = False
    """A script of the type `application/ld+json`."""
    has_meta: bool = False
    """A `meta` element whose name is in a vocabulary: with a colon or a dot in it."""
    is_noarchive: bool = False
    """The page may be kept, and asks not to be shown from an archive."""
    is_list: bool = False
    """It is a sitemap or a feed: a list of pages."""

    @property
    def text(self) -> str:
        """The visible text as a string; decoded on each call, as most callers need the bytes."""
        return self.content.decode()

    @property
    def links(self) -> tuple[Link, ...]:
        """The references and their kinds."""
        kinds = map(KINDS.__getitem__, self.kinds)
        return tuple(map(Link, self.hrefs, kinds))


KINDS = {kind.value: kind for kind in LinkKind}
"""Every kind by its number: a look-up costs a tenth of making the member from the number."""
