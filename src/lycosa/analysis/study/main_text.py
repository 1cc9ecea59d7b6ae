"""The main text of a page: its content without navigation, header and footer.

Resiliparse finds it, by the names of elements, ids and classes. Lines stay lines, in `pre` with
their spaces. It needs the extra `main-text`; without it, or if nothing is found, a page has its
whole text alone.

Resiliparse takes quadratic time for pages that nest deeply, have very many elements, or elements
with very many attributes (20,000 nested elements: 23 s), and opens formatting elements again as the
standard says (`html.trees`). Such pages have no main text, so that a page takes a second or two at
most.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from lycosa.errors import LycosaError
from lycosa.extract.html.trees import is_overgrown
from lycosa.extract.text.charset import to_utf8
from lycosa.storage.warc.http_messages import header, parse_head

MOST_CHARACTERS = 3_000_000
MOST_ELEMENTS = 60_000
MOST_DEPTH = 1_000
MOST_ATTRIBUTES = 3_000

_HTML_TYPES = ("text/html", "application/xhtml+xml")
_FEW_ELEMENTS = 4_000
"""Pages with at most this many elements are harmless, even if nested deeply."""
_TAG = re.compile(r"<(/?)(\w+)")
_ENDING_ALONE = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"}
    | {"source", "track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "option", "thead"}
    | {"tbody", "tfoot", "colgroup"}
)
"""Elements without an end, or whose end need not be written."""
_LONG_TAG = re.compile(rf"<(?:[^<>\s=]*+[\s=]++){{{MOST_ATTRIBUTES}}}")


def installed_version() -> str:
    """Return the version of the library; "" when it is not installed."""
    try:
        return version("resiliparse")
    except PackageNotFoundError:
        return ""


def require(command: str) -> None:
    """Raise an error that says what to install, unless the library is there."""
    if not installed_version():
        raise LycosaError(
            f"{command} needs resiliparse\n"
            "  install, in the clone of Lycosa: pip install '.[main-text]'"
        )


def main_text(body: bytes, content_type: str | None) -> str | None:
    """Return the main text of a page; None if it is not HTML, or has no main text."""
    kind = (content_type or "text/html").partition(";")[0].strip().lower()
    if kind not in _HTML_TYPES:
        return None
    content = to_utf8(body, content_type)[0]
    markup = content.decode("utf-8", "replace")
    if is_heavy(markup) or is_overgrown(content):
        return None
    found: str = _extract()(markup, main_content=True, alt_texts=False, links=False)
    return found.strip("\n") or None


def main_of_answer(head: bytes, body: bytes) -> str | None:
    """Return the main text of an answer with this HTTP head; raise an error without the library."""
    require("lycosa cat --main")
    return main_text(body, header(parse_head(head)[1], "content-type") or None)


def is_heavy(markup: str) -> bool:
    """Return whether a page would take the library too long."""
    elements = markup.count("<")
    return (
        len(markup) > MOST_CHARACTERS
        or elements > MOST_ELEMENTS
        or markup.count(">") > 2 * elements + MOST_ATTRIBUTES
        or (elements > _FEW_ELEMENTS and _depth(markup) > MOST_DEPTH)
        or _LONG_TAG.search(markup) is not None
    )


def _depth(markup: str) -> int:
    """Return the approximate depth of nesting."""
    depth = most = 0
    for slash, name in _TAG.findall(markup):
        if name.lower() in _ENDING_ALONE:
            continue
        if slash:
            depth = max(0, depth - 1)
        else:
            depth += 1
            most = max(most, depth)
    return most


@cache
def _extract() -> Any:
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text
