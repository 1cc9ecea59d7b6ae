"""Finds what is plainly a URL where HTML promises none: scripts, JSON, attributes for scripts.

Only a job that asks for it (`[extract] wide`) reads them, for it is guessing: a string that looks
like a path may be part of one. A string counts if it is

  * an absolute URL of http or https, also with the slashes that JSON escapes, or `//host/path`;
  * a path from the root, `/news/7`, or from here, `./x` and `../x`;
  * a file whose ending is one of the web, `next.html`, `page.php?id=7`;
  * whatever a script assigns to `location` or opens.

A string that a `+` joins to another is a part of a URL and does not count. The time is linear.
"""

from __future__ import annotations

import json
import re

from lycosa.extract.html.references import resolve_attribute

_ENDINGS = (
    "html?|xhtml|shtml|php\\d?|aspx?|jspx?|cgi|cfm|do|xml|rss|atom|json|jsonld|txt|md|pdf|docx?"
    "|xlsx?|pptx?|csv|zip|m?js|css|wasm|png|jpe?g|gif|webp|avif|svg|ico|mp[34]|webm|ogg|m3u8|vtt"
    "|woff2?"
)
_STRING = re.compile(
    r"(?s)//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
    r"""|"((?:[^"\\\n]|\\.)*+)"|'((?:[^'\\\n]|\\.)*+)'|`((?:[^`\\]|\\.)*+)`"""
)
_URL = re.compile(
    r"(?i)(?:https?:)?//[^\s/?#\"'<>\\{}|^`:@,]++\.?[^\s\"'<>\\{}|^`]*+"
    r"|\.{0,2}/[\w~%-][^\s\"'<>\\{}|^`*$()\[\],;]*+"
    rf"|[\w~%-][\w~%./-]{{0,200}}\.(?:{_ENDINGS})(?:\?[^\s\"'<>\\{{}}|^`]*+)?+"
)
_GOES_THERE = re.compile(
    r"(?:\blocation(?:\.href)?\s*+=|\.open\(|location\.(?:assign|replace)\()\s*+\Z"
)
_JOINED = re.compile(r"\s*+\+")
_ATTRIBUTE = re.compile(
    r"""(?is)[\s/"'](on[a-z]++|data-[\w.-]++|href|content)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')"""
)
_LONGEST = 2000
_LOOKED_BACK = 40


def mentioned_in_script(text: str) -> list[str]:
    """Return the strings of a script or of JSON that are plainly URLs, in order."""
    found: list[str] = []
    for string in _STRING.finditer(text):
        which = string.lastindex
        if which is None or not 0 < len(string[which]) <= _LONGEST:
            continue
        value = _unescaped(string[which]) if "\\" in string[which] else string[which]
        start, end = string.span()
        before = text[max(0, start - _LOOKED_BACK) : start]
        if before.rstrip().endswith("+") or _JOINED.match(text, end) or "${" in value:
            continue
        if _is_url(value) or (_GOES_THERE.search(before) and " " not in value):
            found.append(value)
    return found


def mentioned_in_tag(tag: str) -> list[str]:
    """Return the URLs in those attributes of a tag that are read by scripts and services."""
    found: list[str] = []
    for attribute in _ATTRIBUTE.finditer(tag):
        name, value = attribute[1].lower(), attribute[attribute.lastindex or 0]
        value = resolve_attribute(value).strip()
        if name.startswith("on"):
            found += mentioned_in_script(value)
        elif name == "href":
            if value[:11].lower() == "javascript:":
                found += mentioned_in_script(value)
        elif len(value) > _LONGEST:
            continue
        elif name == "content":
            if value[:8].lower().startswith(("http://", "https://")) and _is_url(value):
                found.append(value)
        elif _is_url(value):
            found.append(value)
        elif value[:1] in "[{":
            found += mentioned_in_script(value)
    return found


def _is_url(value: str) -> bool:
    return _URL.fullmatch(value) is not None


def _unescaped(text: str) -> str:
    try:
        value = json.loads(f'"{text}"')
    except ValueError:
        value = text.replace("\\/", "/")
    return str(value)
