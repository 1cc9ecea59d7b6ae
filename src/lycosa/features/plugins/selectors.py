"""Makes a tree of a page, for CSS and XPath selectors in plugins.

Lycosa's own scanner builds no tree. A plugin that asks for one pays for it: about a millisecond
for a page of 30 kB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.errors import LycosaError
from lycosa.extract.text.charset import to_utf8

if TYPE_CHECKING:
    from parsel import Selector


def selector_of(body: bytes, content_type: str | None, base: str) -> Selector:
    """Return the tree of a body; the character set is that of Lycosa's own scanner."""
    try:
        from parsel import Selector
    except ImportError:
        raise LycosaError(
            "selectors need the package parsel\n  install it: pip install '.[selectors]'"
        ) from None
    text, _ = to_utf8(body, content_type)
    kind = (content_type or "").partition(";")[0].strip().lower()
    # parsel takes an empty body for a missing one.
    is_xml = kind.endswith(("/xml", "+xml")) and kind != "application/xhtml+xml"
    return Selector(
        body=text or b" ",
        encoding="utf-8",
        type="xml" if is_xml else "html",
        base_url=base,
        huge_tree=True,
    )
