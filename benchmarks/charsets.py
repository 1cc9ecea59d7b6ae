"""Compares detectors of character sets on pages that declare none: share of right ones, and cost.

    pip install chardetng-py chardet faust-cchardet charset-normalizer
    python benchmarks/charsets.py [pages per character set and size]

The text is that of the message catalogues under /usr/share/locale: sentences that people wrote in
their own language. Pages are made of sentences drawn at random, with markup in ASCII around them,
and put into each of twelve character sets. An answer is right if the page that it gives is the
page that was encoded. Detectors are measured as far as they are installed; `lycosa` is
`lycosa.extract.text.charset.to_utf8` with everything that it does.
The cost is CPU time a page; decoding is counted for `lycosa` alone.
"""

from __future__ import annotations

import gettext
import html
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from lycosa.extract.text.charset import charset_of_label, decode, to_utf8

CATALOGUES = Path("/usr/share/locale")
CHARSETS = (
    ("shift_jis", "cp932", "ja"),
    ("euc-jp", "euc_jp", "ja"),
    ("euc-kr", "cp949", "ko"),
    ("gb2312", "gb2312", "zh_CN"),
    ("big5", "big5", "zh_TW"),
    ("windows-874", "cp874", "th"),
    ("windows-1253", "cp1253", "el"),
    ("windows-1251", "cp1251", "ru"),
    ("koi8-r", "koi8_r", "ru"),
    ("iso-8859-2", "iso8859_2", "pl"),
    ("windows-1252", "cp1252", "fr"),
    ("utf-16, no mark", "utf_16_le", "ja"),
)
SIZES = (100, 400, 2000)
"""Characters of text on a page."""

Detect = Callable[[bytes], str | None]


def sentences(language: str, codec: str) -> list[str]:
    """Return the messages of a language that the character set has, and that are no mere words."""
    found: dict[str, None] = {}
    for path in sorted(CATALOGUES.glob(f"{language}/LC_MESSAGES/*.mo")):
        try:
            with path.open("rb") as file:
                catalogue = gettext.GNUTranslations(file)
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        messages: dict[Any, str] = catalogue._catalog  # type: ignore[attr-defined]
        for key, text in messages.items():
            if not key or len(text) < 20 or sum(map(str.isalpha, text)) < len(text) * 0.6:
                continue
            try:
                encoded = text.encode(codec)
            except UnicodeEncodeError:
                continue
            if not text.isascii() and encoded.decode(codec) == text:
                found[" ".join(text.split())] = None
    return list(found)


def pages(language: str, codec: str, size: int, count: int, chance: random.Random) -> list[str]:
    """Return pages with so many characters of text."""
    known = sentences(language, codec)
    made = []
    for _ in range(count if known else 0):
        text = ""
        while len(text) < size:
            text += html.escape(chance.choice(known)) + "</p>\n<p>"
        head = "<!DOCTYPE html><html><head><title>Page</title></head><body class='a'><p>"
        made.append(f"{head}{text[: size + 40]}</p><a href='/next.html'>1</a></body></html>")
    return made


def detectors() -> dict[str, Detect]:
    """Return the detectors that are installed."""

    def chardetng(body: bytes) -> str | None:
        detector = import_module("chardetng_py").EncodingDetector()
        detector.feed(body, last=True)
        return str(detector.guess(tld=None, allow_utf8=False))

    ways: dict[str, tuple[str, Detect]] = {
        "chardetng-py": ("chardetng_py", chardetng),
        "chardet": ("chardet", lambda body: import_module("chardet").detect(body)["encoding"]),
        "faust-cchardet": (
            "cchardet",
            lambda body: import_module("cchardet").detect(body)["encoding"],
        ),
        "charset-normalizer": (
            "charset_normalizer",
            lambda body: getattr(
                import_module("charset_normalizer").from_bytes(body).best(), "encoding", None
            ),
        ),
    }
    found: dict[str, Detect] = {}
    for name, (module, way) in ways.items():
        try:
            import_module(module)
        except ImportError:
            continue
        found[name] = way
    return found


def decoded(body: bytes, label: str | None) -> str:
    """Return a body by the label that a detector gave, as a crawl would decode it."""
    name = charset_of_label(label) if label else None
    return decode(body, name or "windows-1252")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    ways = detectors()
    print(f"{count} pages of each size; right answers in percent for {SIZES} characters of text")
    print(f"{'':18}{'lycosa':>16}" + "".join(f"{name:>20}" for name in ways))
    spent = dict.fromkeys(["lycosa", *ways], 0.0)
    right = dict.fromkeys(spent, 0)
    total = 0
    for name, codec, language in CHARSETS:
        shares: dict[str, list[float]] = {way: [] for way in spent}
        for size in SIZES:
            made = pages(language, codec, size, count, random.Random(size))
            bodies = [(page, page.encode(codec)) for page in made]
            total += len(bodies)
            for way in spent:
                good = 0
                for page, body in bodies:
                    start = time.process_time()
                    if way == "lycosa":
                        result = to_utf8(body, "text/html")[0].decode()
                        spent[way] += time.process_time() - start
                    else:
                        label = ways[way](body)
                        spent[way] += time.process_time() - start
                        result = decoded(body, label)
                    good += result == page
                right[way] += good
                shares[way].append(100 * good / max(1, len(bodies)))
        row = "".join(
            f"{'/'.join(f'{share:.0f}' for share in shares[way]):>{16 if way == 'lycosa' else 20}}"
            for way in spent
        )
        print(f"{name:18}{row}")
    shown = [f"{100 * right[way] / max(1, total):.1f}" for way in spent]
    print(f"{'all':18}{shown[0]:>16}" + "".join(f"{share:>20}" for share in shown[1:]))
    costs = [f"{1e6 * spent[way] / max(1, total):.0f} µs" for way in spent]
    print(f"{'a page':18}{costs[0]:>16}" + "".join(f"{cost:>20}" for cost in costs[1:]))


if __name__ == "__main__":
    main()
