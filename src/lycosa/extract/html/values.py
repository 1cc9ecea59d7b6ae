"""Parses attribute and header values that have a syntax of their own: srcset, refresh, rel, CSS.

These are rare on a page, so both scanners, compiled and pure, call this module.
Every expression is possessive or anchored, so that the time is linear.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lycosa.extract.html.names import RELATIONS
from lycosa.extract.html.references import resolve_attribute
from lycosa.model.records import LinkKind

NOFOLLOW = 1
NOINDEX = 2
NOARCHIVE = 4

OUTSIDE_HTML = "outside-html"
"""Stands among the relations of a link that is not in the element `html`."""

_SPACE = re.compile("[ \t\n\r\f\xa0\0]+")
_LANGUAGE = re.compile(r"[ \t\n\r\f]*+([A-Za-z]{1,8})(?![A-Za-z])")
_CANDIDATE = r"[ \t\n\r\f,]*+([^ \t\n\r\f]++)"
_DESCRIPTORS = r"(?:[^,(]|\([^)]*+(?:\)|\Z))*+"
_DESCRIBED = (
    r"(?i)[ \t\n\r\f]*+(?:(?:\d++w(?:[ \t\n\r\f]++\d++h)?+|\d++h[ \t\n\r\f]++\d++w"
    r"|-?+(?:\d++(?:\.\d++)?+|\.\d++)(?:e[-+]?+\d++)?+x)[ \t\n\r\f]*+)?+"
)
"""Valid descriptors: a width, a width and a height, or a density."""

# Most crawls do not need these; `re` remembers what it has compiled.
_REFRESH = (
    r"""(?is)[ \t\n\r\f]*+[\d.]*+(?=[;,\s])\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+"""
    r"""(?:"([^"]*+)|'([^']*+)|(.++))"""
)
_INSTRUCTION_HREF = r"""(?s)[ \t\n\r\f]href[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:"([^"]*+)"|'([^']*+)')"""
_CSS_TOKEN = (
    r"""(?is)/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"""
    r"""|(@import(?![\w-])[ \t\n\r\f]*+(?=["']|url\())"""
    r"""|(?<![\w-])url\([ \t\n\r\f]*+(?:"((?:[^"\\\n]|\\.)*+)"|'((?:[^'\\\n]|\\.)*+)'"""
    r"""|((?:[^"'()\\ \t\n\r\f]|\\(?:[0-9A-Fa-f]{1,6}+[ \t\n\r\f]?+|.))*+))"""
    r"""|"((?:[^"\\\n]|\\.)*+)(?:"|\n|\\?\Z)|'((?:[^'\\\n]|\\.)*+)(?:'|\n|\\?\Z)"""
    r"""|@namespace[^;{}"']*+(?:"[^"\n]*+"|'[^'\n]*+')?+"""
    r"""|(?<![\w])((?:-webkit-)?+image-set\(|src\()|type\([^()]*+\)|([;{}])"""
)
_CSS_IMPORT, _CSS_STRINGS, _CSS_SET = 1, (5, 6), 7
_CSS_ESCAPE = r"(?s)\\(?:([0-9A-Fa-f]{1,6})(?:\r\n|[ \t\n\r\f])?+|(\r\n|\n|\r|\f)|(.)|\Z)"

_PRELOADED = {
    "audio": LinkKind.MEDIA,
    "embed": LinkKind.OBJECT,
    "fetch": LinkKind.OBJECT,
    "font": LinkKind.OBJECT,
    "json": LinkKind.OBJECT,
    "image": LinkKind.IMAGE,
    "object": LinkKind.OBJECT,
    "script": LinkKind.SCRIPT,
    "serviceworker": LinkKind.SCRIPT,
    "sharedworker": LinkKind.SCRIPT,
    "style": LinkKind.STYLE,
    "track": LinkKind.MEDIA,
    "video": LinkKind.MEDIA,
    "worker": LinkKind.SCRIPT,
}
_ICONS = frozenset(
    {
        "apple-touch-icon",
        "apple-touch-icon-precomposed",
        "apple-touch-startup-image",
        "fluid-icon",
        "icon",
        "image_src",
        "mask-icon",
    }
)
_ALTERNATES = frozenset({"alternate", "next", "prev", "previous"})
_HINTS = frozenset({"dns-prefetch", "preconnect"})
_RELATED_NAMES = """
about acl amphtml appendix archives author blocked-by bookmark chapter child code-license
code-repository collection contents copyright cite-as describedby describes disclosure
duplicate enclosure first glossary help home index item last latest-version license me memento
original parent payment predecessor-version prerender privacy-policy related replies search
section self sibling sitemap start status subsection successor-version tag
terms-of-service timegate timemap toc top type up version-history via working-copy
working-copy-of
"""
_RELATED = frozenset(_RELATED_NAMES.split())
"""Relations that lead to a page (HTML standard, 4.6.7; IANA's register of relations)."""


def one_line(text: str, longest: int) -> str:
    """Return text with its white space collapsed, cut to `longest` characters."""
    return _SPACE.sub(" ", text).strip(" ")[:longest].rstrip(" ")


@lru_cache(maxsize=1024)
def relation(rel: str) -> str:
    """Return a `rel` attribute in lower case with single spaces."""
    return " ".join(rel.lower().split())


@lru_cache(maxsize=1024)
def kind_of_relation(rel: str, loaded_as: str = "") -> int:
    """Return the kind of link that a `link` element or header of this relation is."""
    relations = frozenset(relation(rel).split(" "))
    if "canonical" in relations:
        return int(LinkKind.CANONICAL)
    if "stylesheet" in relations:
        return int(LinkKind.STYLE)
    if relations & _ICONS:
        return int(LinkKind.ICON)
    if "manifest" in relations:
        return int(LinkKind.MANIFEST)
    if "modulepreload" in relations:
        return int(LinkKind.SCRIPT)
    if "preload" in relations:
        return int(_PRELOADED.get(loaded_as.strip().lower(), LinkKind.RELATION))
    if relations & _ALTERNATES:
        return int(LinkKind.ALTERNATE)
    if "prefetch" in relations:
        return int(_PRELOADED.get(loaded_as.strip().lower(), LinkKind.OBJECT))
    if relations & {"compression-dictionary", "import"}:
        return int(LinkKind.OBJECT)
    if relations & _HINTS:
        return int(LinkKind.HINT)
    return int(LinkKind.RELATED if relations & _RELATED else LinkKind.RELATION)


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


def stylesheet_target(instruction: str) -> str:
    """Return the `href` of an `<?xml-stylesheet?>` (Associating Style Sheets with XML, 3)."""
    found = re.search(_INSTRUCTION_HREF, instruction)
    value = found[found.lastindex or 0] if found else ""
    return resolve_attribute(value).strip(" \t\n\r\f")


def outside_html(rel: str) -> str:
    """Return the relations of a link that stands before `<html>` or after `</html>` alone."""
    return f"{rel} {OUTSIDE_HTML}" if rel else OUTSIDE_HTML


def wishes(content: str) -> int:
    """Return the robots directives in a list, as bits of NOFOLLOW, NOINDEX and NOARCHIVE.

    `nocache` is what some call `noarchive`.
    """
    words = set(re.split(r"[\s,]+", content.lower()))
    bits = NOARCHIVE * ("noarchive" in words or "nocache" in words)
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
    candidate, described = re.compile(_CANDIDATE), re.compile(_DESCRIPTORS)
    while found := candidate.match(value, position):
        url = found[1].rstrip(",")
        position = found.end()
        # A comma at the end of the URL ends the candidate: there are no descriptors.
        if url != found[1]:
            urls.append(url)
        elif descriptors := described.match(value, position):
            position = descriptors.end()
            if re.fullmatch(_DESCRIBED, descriptors[0]):
                urls.append(url)
    return urls


def css_references(css: str) -> list[tuple[str, int]]:
    """Return the references of a style sheet, in order, with the kind of each.

    An imported sheet is `STYLE`; everything else is `IMAGE`, for a style sheet does not
    say whether it wants a picture or a font. Strings count within `image-set()` and `src()`.
    """
    found: list[tuple[str, int]] = []
    kind = LinkKind.IMAGE
    is_set = False
    for token in re.finditer(_CSS_TOKEN, css) if _may_refer(css) else ():
        which = token.lastindex
        if which is None:
            continue
        if which == _CSS_IMPORT:
            kind = LinkKind.STYLE
            continue
        if which > _CSS_STRINGS[-1]:
            is_set = which == _CSS_SET
        elif which not in _CSS_STRINGS or kind is LinkKind.STYLE or is_set:
            href = _css_unescaped(token[which]).strip(" \t\n\r\f")
            # Data and fragments of the page itself need no request.
            if href and not href.startswith(("data:", "#")):
                found.append((href, int(kind)))
        kind = LinkKind.IMAGE
    return found


def _may_refer(css: str) -> bool:
    """Tell quickly whether there may be a reference; most rules have none."""
    small = css.lower()
    return "url(" in small or "@import" in small or "image-set(" in small or "src(" in small


def _css_unescaped(text: str) -> str:
    return re.sub(_CSS_ESCAPE, _css_character, text) if "\\" in text else text


def _css_character(match: re.Match[str]) -> str:
    number, newline, character = match.groups()
    if number:
        value = int(number, 16)
        is_none = value == 0 or value > 0x10FFFF or 0xD800 <= value < 0xE000
        return "\ufffd" if is_none else chr(value)
    return "" if newline or character is None else str(character)
