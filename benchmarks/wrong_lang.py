"""Measures whose word counts when a page's `lang` and its text contradict each other.

    python benchmarks/wrong_lang.py [pages per language]

The text is that of the message catalogues under /usr/share/locale (`benchmarks/charsets.py`). A
page has a menu and a foot in English, as templates have, around text in its own language, and says
either its own language or a wrong one. Shown is, for some least confidence of the detector: how
many of the wrong ones are corrected, and how many of the right ones are overruled by mistake. The
first lines tell what it matters that the middle of a text is read and not its beginning.
"""

from __future__ import annotations

import random
import sys
import time

from benchmarks.charsets import sentences

from lycosa.extract.text import language_detector as detector
from lycosa.extract.text.language_codes import CODES
from lycosa.extract.text.page_language import LETTERS, middle_of

_NAMES = """
bg ca cs da de el en eo es et eu fi fr gl hr hu id it ja ka ko lt nl pl pt ro ru sk sl sr sv tr uk
vi zh_CN
"""
LANGUAGES = _NAMES.split()
THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
MENU = (
    "Home About us Products and services News Contact Log in Register Search Shopping cart Help "
    "Terms of use Privacy policy Cookies Careers Press Investors Sitemap Language Follow us "
) * 2

_KIN = {row["code"]: row["kin"] for row in CODES.to_pylist()}


def kin_of(code: str | None) -> str | None:
    """Return what a code is counted under when two are compared."""
    return _KIN.get(code, code) if code else None


def made(count: int) -> list[tuple[str, str]]:
    """Return languages and texts."""
    chance, found = random.Random(1), []
    for language in LANGUAGES:
        known = [text for text in sentences(language, "utf-8") if "%" not in text]
        for _ in range(count if known else 0):
            text = " ".join(chance.choice(known) for _ in range(20))[:1200]
            found.append((language.partition("_")[0], f"{MENU}{text} {MENU}"))
    return found


def main() -> None:
    pages = made(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    labels = [kin_of(language) for language, _ in pages]
    for place, texts in (
        ("beginning", [text[:LETTERS] for _, text in pages]),
        ("middle", [middle_of(text) for _, text in pages]),
    ):
        start = time.process_time()
        languages, confidences = detector.detect(texts)
        spent = (time.process_time() - start) / len(pages) * 1e6
        right = sum(kin_of(a) == b for a, b in zip(languages, labels, strict=True))
        print(f"{place:10} {100 * right / len(pages):5.1f} % right, {spent:.0f} µs a page")
    print("least confidence   wrong lang corrected   right lang overruled")
    for least in THRESHOLDS:
        is_clear = [
            sure >= least and name for name, sure in zip(languages, confidences, strict=True)
        ]
        corrected = sum(kin_of(name or None) == b for name, b in zip(is_clear, labels, strict=True))
        overruled = sum(
            bool(name) and kin_of(name or None) != b
            for name, b in zip(is_clear, labels, strict=True)
        )
        share, mistaken = 100 * corrected / len(pages), 100 * overruled / len(pages)
        print(f"{least:16}   {share:18.1f} %   {mistaken:18.2f} %")


if __name__ == "__main__":
    main()
