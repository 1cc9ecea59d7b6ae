"""The language of one page, from its markup and its text (docs/decisions/0042).

Markup decides, unless the detector is sure (`CLEAR`) of an unrelated language and knows the
language of the markup: it would take unknown languages for others. Where markup is silent the text
decides, and a page without enough text has no language.
"""

from __future__ import annotations

from functools import cache

from lycosa.extract.text import language_detector as detector
from lycosa.extract.text.language_codes import LANGUAGES, kin_of, language_of_tag

CLEAR = 0.9
"""How sure the detector must be to overrule markup."""

LETTERS = 300
"""How much of a text is looked at: its middle, for menus stand at its beginning and its end."""


def middle_of(text: str | None) -> str:
    """Return the part of a text that is looked at."""
    if not text or len(text) <= LETTERS:
        return text or ""
    start = (len(text) - LETTERS) // 2
    return text[start : start + LETTERS]


def language_of(tag: str, text: str) -> str | None:
    """Return the language of a page with this `lang` and this text; None where it has none."""
    markup = language_of_tag(tag)
    found, confidence = detector.detect_one(middle_of(text))
    if found is None:
        return markup
    found = LANGUAGES.get(found, found)
    if markup is None:
        return found
    is_clear = confidence >= CLEAR and markup in _supported()
    return found if is_clear and kin_of(found) != kin_of(markup) else markup


@cache
def _supported() -> frozenset[str]:
    return frozenset(detector.supported())
