"""Parses a document and writes it out again as normalised markup.

turbohtml parses HTML, with all the repairs that the standard prescribes; lxml parses XML, and
keeps what it can of a document that is not well-formed. The markup written out has every end tag,
quoted values and few kinds of character references, so that walking over it from left to right is
walking over the tree.

Always true: nothing is loaded; the result is UTF-8. HTML nested more than 512 deep is flattened
there, as in browsers. libxml2's own limits bound the nesting and the entities of XML; nothing
beyond them is kept.
"""

from __future__ import annotations

import re
from html.entities import html5

from lxml import etree

from lycosa.extract.html._scan import is_utf8
from lycosa.extract.html.trees import parse_page
from lycosa.extract.rdfa.hosts import XHTML_NAMESPACE, Host

_ENTITY = re.compile(rb"&(?!amp;|lt;|gt;|quot;|apos;)([A-Za-z][A-Za-z0-9]*;)")
"""A named character that XML itself does not know."""
_PARSER = etree.XMLParser(
    encoding="utf-8", recover=True, resolve_entities="internal", no_network=True, load_dtd=False
)


def html_markup(body: bytes) -> tuple[bytes, str | None]:
    """Return the markup of a page in UTF-8, and the first `href` of a `base`.

    Raises `Overgrown` where that would be out of proportion to the page.
    """
    document = parse_page(body)
    base = document.select_one("base[href]") if b"<base" in body.lower() else None
    markup = document.html.encode("utf-8", "replace")
    return markup, None if base is None else str(base.attrs["href"])


def xml_markup(body: bytes, host: Host) -> tuple[bytes, str | None]:
    """Return the same of a document in XML; nothing if it has no element at all."""
    if host.is_page and b"<!ENTITY" not in body and b"<![CDATA[" not in body:
        body = _ENTITY.sub(_number, body)
    try:
        root = etree.fromstring(body, _PARSER)
    except etree.XMLSyntaxError:
        return b"", None
    if root is None:
        return b"", None
    base = None
    if host.is_page and b"base" in body:
        base = root.find(f".//{{{XHTML_NAMESPACE}}}base[@href]")
    markup = etree.tostring(root, encoding="utf-8", xml_declaration=False, with_tail=False)
    if not is_utf8(markup):  # a number can stand for half a character
        markup = markup.decode("utf-8", "replace").encode()
    return markup, None if base is None else base.get("href")


def _number(found: re.Match[bytes]) -> bytes:
    """Return a named character of XHTML as a number: its document type, which we do not load,
    would define the name."""
    characters = html5.get(found[1].decode(), "")
    return b"".join(b"&#%d;" % ord(one) for one in characters) or found[0]
