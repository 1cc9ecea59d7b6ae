"""Finds URLs that are written out: in text, comments, declarations and `data:` documents.

Only a job that asks for it (`[extract] wide`) reads them. In text a word counts if it is an
absolute URL, begins with `www.`, `./` or `../`, or is a file whose ending is one of a document.
Punctuation at its end belongs to the sentence. In comments the references of markup count too,
because what is commented out is often still there. The time is linear.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from urllib.parse import unquote_to_bytes

from lycosa.extract.html.references import resolve_attribute

LONGEST = 2000
"""Characters of the longest URL that is taken for one."""
MOST_OF_TEXT = 200
"""URLs that are taken from one text."""

_DOCUMENTS = "html?|xhtml|shtml|php|aspx?|jspx?|pdf|docx?|xlsx?|pptx?|od[tsp]|epub|rtf"
_IN_TEXT = re.compile(
    r"(?i)(?<![\w/.:@%~-])(?:(https?://[^\s\"'<>\\{}|^`]++)|(www\.[\w-]++\.[^\s\"'<>\\{}|^`]++)"
    r"|(\.{1,2}/[\w~%.-][^\s\"'<>\\{}|^`*$()\[\],;]*+)"
    rf"|((?:/(?!/))?[\w~%-][\w~%./-]{{0,200}}\.(?:{_DOCUMENTS})(?![\w/@-]|\.\w)(?:\?[\w=&%.~+/-]++)?))"
)
_SHORTEST = 8
"""The scanner does not look at shorter declarations."""
_PUNCTUATION = ".,;:!?'\"*_"
_IN_MARKUP = re.compile(
    r"""(?is)[\s/"'](?:href|src|data|poster|virtual|file|url|implementation|schema)"""
    r"""\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))"""
)
_IDENTIFIER = re.compile(
    r"""(?is)<!DOCTYPE\s(?:[^"'>\[]++|"[^"]*+"\s++(?=["']))*+["']([^"'\s]++)["']"""
)
_DATA = re.compile(
    r"(?is)data:(?:text/html|application/xhtml\+xml|image/svg\+xml|text/plain)([^,]*+),(.*+)"
)


def mentioned_in_text(text: str) -> list[str]:
    """Return the words of a text that are plainly URLs, in order."""
    found: list[str] = []
    for match in _IN_TEXT.finditer(text):
        url = _without_punctuation(match[0])
        if len(url) <= LONGEST:
            found.append(f"http://{url}" if match.lastindex == 2 else url)
        if len(found) == MOST_OF_TEXT:
            break
    return found


def _without_punctuation(url: str) -> str:
    """Drop what belongs to the sentence: punctuation, and brackets that were opened before."""
    end = len(url.rstrip(_PUNCTUATION))
    # They are counted once: an URL can end in as many as a text has characters.
    surplus = {")": url.count(")") - url.count("("), "]": url.count("]") - url.count("[")}
    while end and surplus.get(url[end - 1], 0) > 0:
        surplus[url[end - 1]] -= 1
        end -= 1
        while end and url[end - 1] in _PUNCTUATION:
            end -= 1
    return url[:end]


def mentioned_in_markup(markup: str) -> list[str]:
    """Return the references of markup that no browser reads, and the URLs in its text."""
    values = (found[found.lastindex or 0] for found in _IN_MARKUP.finditer(markup))
    hrefs = (resolve_attribute(value).strip() for value in values)
    found = [href for href in hrefs if 0 < len(href) <= LONGEST and " " not in href]
    return list(dict.fromkeys([*found, *mentioned_in_text(markup)]))


def mentioned_in_declaration(text: str) -> list[str]:
    """Return the URLs of a comment, of a document type or of an instruction, `<` to `>`."""
    if len(text) <= _SHORTEST:
        return []
    if text.startswith("<!--"):
        # The markup of a conditional comment is read as a document of its own.
        return [] if text[4:7].lower() == "[if" else mentioned_in_markup(text[4:-3])
    if identifier := _IDENTIFIER.match(text):
        return [identifier[1]] if "/" in identifier[1] or "." in identifier[1] else []
    # The scanner reads the style sheets of XML itself: they are requisites.
    is_read = not text.startswith("<?") or text.startswith("<?xml-stylesheet")
    return [] if is_read else mentioned_in_markup(text)


def mentioned_in_data(url: str) -> list[str]:
    """Return the absolute URLs in a document that is itself a `data:` URL."""
    found = _DATA.fullmatch(url[: 64 * LONGEST])
    if found is None:
        return []
    content = unquote_to_bytes(found[2])
    if found[1].strip().lower().endswith(";base64"):
        try:
            content = b64decode(content)
        except Error:
            return []
    hrefs = mentioned_in_markup(content.decode("utf-8", "replace"))
    return [href for href in hrefs if href.lower().startswith(("http://", "https://"))]
