"""Finds what is plainly a URL where HTML promises none: scripts, JSON, attributes for scripts.

Only a job that asks for it (`[extract] wide`) reads them, for it is guessing: a string that looks
like a path may be part of one. A string counts if it is

  * an absolute URL of http or https, also with the slashes that JSON escapes, or `//host/path`;
  * a path from the root, `/news/7`, or from here, `./x` and `../x`;
  * a file whose ending is one of the web, `next.html`, `page.php?id=7`;
  * whatever a script assigns to `location` or opens.

Strings that a `+` joins are read as one; one that is joined to something else is a part of a URL
and does not count. In an attribute whose name says that it holds a URL (`url`, `to`, `data-href`),
any relative reference counts. Text, comments and declarations are read by `mentioned_text`. The
time is linear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lycosa.extract.html.mentioned_text import LONGEST, mentioned_in_data, mentioned_in_text
from lycosa.extract.html.names import ANYWHERE, LISTS, PAINTS, SOURCES
from lycosa.extract.html.references import resolve_attribute

_ENDINGS = (
    "html?|xhtml|shtml|php\\d?|aspx?|jspx?|cgi|cfm|do|xml|rss|atom|json|jsonld|txt|md|pdf|docx?"
    "|xlsx?|pptx?|csv|zip|m?js|css|wasm|png|jpe?g|gif|webp|avif|svg|ico|mp[34]|webm|ogg|m3u8|vtt"
    "|woff2?"
)
_OPENING = re.compile(r"""(?s)//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|(["'`])""")
"""A comment, or where a string may begin."""
_CONTENT = {
    '"': re.compile(r'(?s)(?:[^"\\\n]|\\.)*+'),
    "'": re.compile(r"(?s)(?:[^'\\\n]|\\.)*+"),
    "`": re.compile(r"(?s)(?:[^`\\]|\\.)*+"),
}
_URL = re.compile(
    r"(?i)(?:https?:)?//[^\s/?#\"'<>\\{}|^`:@,]++\.?[^\s\"'<>\\{}|^`]*+"
    r"|\.{0,2}/[\w~%-][^\s\"'<>\\{}|^`*$()\[\],;]*+"
    rf"|[\w~%-][\w~%./-]{{0,200}}\.(?:{_ENDINGS})(?:\?[^\s\"'<>\\{{}}|^`]*+)?+"
)
_REFERENCE = re.compile(r"(?![a-zA-Z][\w+.-]*+:(?!//))[^\s\"'<>\\{}\[\]|^`#][^\s\"'<>\\{}|^`]*+")
"""A reference, relative or not, that needs no other scheme than the page's."""
_GOES_THERE = re.compile(
    r"(?:\blocation(?:\.href)?\s*+=|\.open\(|location\.(?:assign|replace)\()\s*+\Z"
)
_JOINED = re.compile(r"\s*+\+")
_JOINT = re.compile(r"\s*+\+\s*+")
_NAME = re.compile(r"<([A-Za-z][^\s/>]*+)")
_ATTRIBUTE = re.compile(
    r"""(?is)[\s/"']([a-z_:@][\w:.@-]*+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))"""
)
_PART_OF_CONTENT = re.compile(
    r"(?i)(?:^|[\s;,=])((?:https?:)?//[^\s\"'<>;,]++|\.{0,2}/[\w~%-][^\s\"'<>;,]*+)"
)
_LOOKED_BACK = 40

_KNOWN: dict[str, frozenset[str]] = {
    name: frozenset({"xlink:href", *(attribute for attribute, _ in sources)})
    for name, sources in SOURCES.items()
}
_KNOWN |= {
    "a": frozenset({"href", "xlink:href"}),
    "img": frozenset({"src", "srcset"}),
    "image": frozenset({"href", "src", "srcset", "xlink:href"}),
    "input": frozenset({"src"}),
    "link": frozenset({"href", "imagesrcset"}),
    "object": frozenset({"data"}),
    "param": frozenset({"value"}),
    "source": frozenset({"src", "srcset"}),
}
"""Attributes that the scanner itself reads, by the element that has them."""

_NEVER = {
    *ANYWHERE,
    *LISTS,
    *PAINTS,
    *("action", "formaction"),  # where a form is posted to is nothing to ask for
    *("alt", "archive", "class", "classid", "code", "codebase", "d", "dir", "for", "id", "lang"),
    *("manifest", "media", "method", "name", "pattern", "placeholder", "rel", "rev", "role"),
    *("sizes", "srcdoc", "style", "summary", "target", "title", "type", "typeof", "vocab"),
}
"""Attributes that hold no URL to ask for, or that the scanner reads in any element."""

_OF_URLS = re.compile(
    r"(?:.*[-_:.])?(?:href|src|ur[il]|poster|permalink)|[a-z]+(?:url|uri|src|href)"
    r"|about|implementation|pluginspage|resource|template|to|virtual|routerlink|hx-get"
)
"""Names of attributes that hold a reference."""


def mentioned_in_script(text: str) -> list[str]:
    """Return the strings of a script or of JSON that are plainly URLs, in order."""
    found: list[str] = []
    for value, start, end in _strings(text, found):
        if not 0 < len(value) <= LONGEST:
            continue
        before = text[max(0, start - _LOOKED_BACK) : start]
        if before.rstrip().endswith("+") or _JOINED.match(text, end) or "${" in value:
            continue
        if is_url(value) or (_GOES_THERE.search(before) and " " not in value):
            found.append(value)
    return found


def _strings(text: str, found: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield strings, joined ones as one, with their places; URLs in comments are found at once."""
    pieces: list[str] = []
    start = end = position = 0
    # Up to where no string of a kind ends. A quote before that is an escaped one, and what follows
    # it has been read: to read it from every such quote would take the square of the length.
    endless = dict.fromkeys(_CONTENT, 0)
    while opening := _OPENING.search(text, position):
        position = opening.end()
        quote = opening[1]
        if quote is None:
            found += mentioned_in_text(opening[0])
            continue
        if position <= endless[quote]:
            continue
        content = _CONTENT[quote].match(text, position)
        assert content is not None
        if not text.startswith(quote, content.end()):
            endless[quote] = content.end()
            continue
        position = content.end() + 1
        value = _unescaped(content[0]) if "\\" in content[0] else content[0]
        if pieces and _JOINT.fullmatch(text, end, opening.start()):
            pieces.append(value)
        else:
            if pieces:
                yield "".join(pieces), start, end
            pieces, start = [value], opening.start()
        end = position
    if pieces:
        yield "".join(pieces), start, end


def mentioned_in_tag(tag: str) -> list[str]:
    """Return the URLs in those attributes of a tag that are read by scripts and services."""
    found: list[str] = []
    if "=" not in tag:
        return found
    element = _NAME.match(tag)
    name_of_element = element[1].lower() if element else ""
    known = _KNOWN.get(name_of_element, frozenset())
    for attribute in _ATTRIBUTE.finditer(tag):
        name, value = attribute[1].lower(), attribute[attribute.lastindex or 0]
        # aria-* are texts for people, xmlns* names of vocabularies: neither leads anywhere.
        if name in _NEVER or name.startswith(("aria-", "xmlns")):
            continue
        value = resolve_attribute(value).strip()
        if name.startswith("on"):
            found += mentioned_in_script(value)
        elif value[:5].lower() == "data:":
            found += mentioned_in_data(value)
        elif value[:11].lower() == "javascript:":
            found += mentioned_in_script(value)
        elif name in known or not 0 < len(value) <= LONGEST:
            continue
        elif name == "content":
            found += (part for part in _PART_OF_CONTENT.findall(value) if is_url(part))
        elif is_url(value) or (_OF_URLS.fullmatch(name) and is_reference(value)):
            found.append(value)
        elif value[:1] in "[{":
            found += mentioned_in_script(value)
    return found


def is_url(value: str) -> bool:
    """Tell whether a string is plainly a URL, whatever stands around it."""
    return _URL.fullmatch(value) is not None


def is_reference(value: str) -> bool:
    """Tell whether a string can be a reference, where one is promised."""
    return _REFERENCE.fullmatch(value) is not None and any(mark in value for mark in "/.?")


def _unescaped(text: str) -> str:
    try:
        value = json.loads(f'"{text}"')
    except ValueError:
        value = text.replace("\\/", "/")
    return str(value)
