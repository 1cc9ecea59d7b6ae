"""Parses attribute and header values that have a syntax of their own: srcset, refresh, rel, CSS.

These are rare on a page, so both scanners, compiled and pure, call this module.
Every expression is possessive or anchored, so that the time is linear.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lycosa.extract.html.names import RELATIONS
from lycosa.records import LinkKind

NOFOLLOW = 1
NOINDEX = 2
NOARCHIVE = 4

_SPACE = re.compile("[ \t\n\r\f\xa0\0]+")
_LANGUAGE = re.compile(r"[ \t\n\r\f]*+([A-Za-z]{1,8})(?![A-Za-z])")
_CANDIDATE = re.compile(r"[ \t\n\r\f,]*+([^ \t\n\r\f]++)")
_DESCRIPTORS = re.compile(r"(?:[^,(]|\([^)]*+(?:\)|\Z))*+")

# Most crawls do not need these; `re` remembers what it has compiled.
_REFRESH = (
    r"""(?is)[ \t\n\r\f]*+[\d.]*+(?=[;,\s])\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+"""
    r"""(?:"([^"]*+)|'([^']*+)|(.++))"""
)
_CSS_TOKEN = (
    r"""(?is)/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"""
    r"""|(@import(?![\w-])[ \t\n\r\f]*+(?=["']|url\())"""
    r"""|(?<![\w-])url\([ \t\n\r\f]*+(?:"((?:[^"\\\n]|\\.)*+)"|'((?:[^'\\\n]|\\.)*+)'"""
    r"""|((?:[^"'()\\ \t\n\r\f]|\\(?:[0-9A-Fa-f]{1,6}+[ \t\n\r\f]?+|.))*+))"""
    r"""|"((?:[^"\\\n]|\\.)*+)(?:"|\n|\\?\Z)|'((?:[^'\\\n]|\\.)*+)(?:'|\n|\\?\Z)"""
)
_CSS_ESCAPE = r"(?s)\\(?:([0-9A-Fa-f]{1,6})(?:\r\n|[ \t\n\r\f])?+|(\r\n|\n|\r|\f)|(.)|\Z)"

_PRELOADED = {
    "audio": LinkKind.MEDIA,
    "embed": LinkKind.OBJECT,
    "font": LinkKind.OBJECT,
    "image": LinkKind.IMAGE,
    "object": LinkKind.OBJECT,
    "script": LinkKind.SCRIPT,
    "style": LinkKind.STYLE,
    "track": LinkKind.MEDIA,
    "video": LinkKind.MEDIA,
    "worker": LinkKind.SCRIPT,
}
_ICONS = frozenset({"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"})
_ALTERNATES = frozenset({"alternate", "next", "prev", "previous"})


def one_line(text: str, longest: int) -> str:
    """Return text with its white space collapsed, cut to `longest` characters."""
    return _SPACE.sub(" ", text).strip(" ")[:longest].rstrip(" ")


@lru_cache(maxsize=1024)
def relation(rel: str) -> str:
    """Return a `rel` attribute in lower case with single spaces."""
    return " ".join(rel.lower().split())


@lru_cache(maxsize=1024)
def kind_of_relation(rel: str, preloaded_as: str = "") -> int:
    """Return the kind of link that a `link` element of this relation is, or 0."""
    relations = frozenset(relation(rel).split(" "))
    if "canonical" in relations:
        return int(LinkKind.CANONICAL)
    if "stylesheet" in relations:
        return int(LinkKind.STYLE)
    if relations & _ICONS:
        return int(LinkKind.ICON)
    if "modulepreload" in relations:
        return int(LinkKind.SCRIPT)
    if "preload" in relations:
        return int(_PRELOADED.get(preloaded_as.strip().lower(), 0))
    return int(LinkKind.ALTERNATE) if relations & _ALTERNATES else 0


def is_rdfa_relation(rel: str) -> bool:
    """Tell whether a `rel` or `rev` may be RDFa: a CURIE, a URL or one of `names.RELATIONS`."""
    return ":" in rel or "&" in rel or any(word in rel.lower() for word in RELATIONS)


def is_json_ld(media_type: str) -> bool:
    """Tell whether a script of this type is JSON-LD."""
    return media_type.partition(";")[0].strip(" \t\n\r\f").lower() == "application/ld+json"


def refresh_target(content: str) -> str:
    """Return the URL of a refresh (HTML standard, 4.2.5.3), or "" if it names none."""
    found = re.match(_REFRESH, content)
    return found[found.lastindex or 0].strip(" \t\n\r\f") if found else ""


def wishes(content: str) -> int:
    """Return the robots directives in a list, as bits of NOFOLLOW, NOINDEX and NOARCHIVE."""
    words = set(re.split(r"[\s,]+", content.lower()))
    bits = NOARCHIVE * ("noarchive" in words)
    if "none" in words:
        return bits | NOFOLLOW | NOINDEX
    return bits | NOFOLLOW * ("nofollow" in words) | NOINDEX * ("noindex" in words)


@lru_cache(maxsize=256)
def primary_language(tag: str) -> str:
    """Return the primary subtag of a language tag, in lower case."""
    found = _LANGUAGE.match(tag)
    return found[1].lower() if found else ""


def srcset_urls(value: str) -> list[str]:
    """Return the URLs of a `srcset` (HTML standard, 4.8.4.2.2)."""
    urls: list[str] = []
    position = 0
    while found := _CANDIDATE.match(value, position):
        url = found[1].rstrip(",")
        urls.append(url)
        position = found.end()
        # A comma at the end of the URL ends the candidate: there are no descriptors.
        if url == found[1] and (descriptors := _DESCRIPTORS.match(value, position)):
            position = descriptors.end()
    return urls


def css_references(css: str) -> list[tuple[str, int]]:
    """Return the references of a style sheet, in order, with the kind of each.

    An imported sheet is `STYLE`; everything else is `IMAGE`, for a style sheet does not
    say whether it wants a picture or a font.
    """
    found: list[tuple[str, int]] = []
    kind = LinkKind.IMAGE
    for token in re.finditer(_CSS_TOKEN, css):
        which = token.lastindex
        if which is None:
            continue
        if which == 1:
            kind = LinkKind.STYLE
            continue
        if which <= 4 or kind is LinkKind.STYLE:
            href = _css_unescaped(token[which]).strip(" \t\n\r\f")
            # Data and fragments of the page itself need no request.
            if href and not href.startswith(("data:", "#")):
                found.append((href, int(kind)))
        kind = LinkKind.IMAGE
    return found


def _css_unescaped(text: str) -> str:
    return re.sub(_CSS_ESCAPE, _css_character, text) if "\\" in text else text


def _css_character(match: re.Match[str]) -> str:
    number, newline, character = match.groups()
    if number:
        value = int(number, 16)
        is_none = value == 0 or value > 0x10FFFF or 0xD800 <= value < 0xE000
        return "\ufffd" if is_none else chr(value)
    return "" if newline or character is None else str(character)
